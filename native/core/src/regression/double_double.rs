//! Error-free transformations: the rounding error of a sum or a product is itself a double.
//!
//! `two_sum` is Knuth's, `two_product` uses a fused multiply-add where the machine has one and
//! Dekker's splitting where not: the results are the same to the bit (barring overflow, which shows
//! as a value that is not finite, and underflow, for which every bound below has a term).

/// Half the distance from 1 to the next double: the largest relative rounding error.
pub const UNIT: f64 = f64::EPSILON / 2.0;

/// `(s, e)` with `s = fl(a + b)` and `s + e = a + b` exactly.
#[inline(always)]
#[must_use]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let of_b = s - a;
    (s, (a - (s - of_b)) + (b - of_b))
}

/// `(p, e)` with `p = fl(a b)` and `p + e = a b` exactly.
#[inline(always)]
#[must_use]
pub fn two_product<const FUSED: bool>(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    if FUSED {
        return (p, a.mul_add(b, -p));
    }
    let (a_high, a_low) = split(a);
    let (b_high, b_low) = split(b);
    (p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// The upper 26 bits of a double and the rest.
#[inline(always)]
fn split(a: f64) -> (f64, f64) {
    const SPLITTER: f64 = 134_217_729.0; // 2^27 + 1
    let c = SPLITTER * a;
    let high = c - (c - a);
    (high, a - high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The exact value of a product or a sum of two doubles with moderate exponents, as an integer
    /// times a power of two, compared through 128-bit integers.
    fn exact(a: f64) -> (i128, i32) {
        let bits = a.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        let mantissa = i128::from((bits & ((1 << 52) - 1)) | if exponent > 0 { 1 << 52 } else { 0 });
        (if a < 0.0 { -mantissa } else { mantissa }, exponent.max(1) - 1075)
    }

    fn moderate() -> impl Strategy<Value = f64> {
        (-(1i64 << 53)..(1i64 << 53), -8i32..8).prop_map(|(m, e)| m as f64 * 2f64.powi(e))
    }

    fn sum_of(terms: &[(i128, i32)]) -> i128 {
        let least = terms.iter().filter(|t| t.0 != 0).map(|t| t.1).min().unwrap_or(0);
        terms.iter().filter(|t| t.0 != 0).map(|t| t.0 << (t.1 - least)).sum()
    }

    proptest! {
        #[test]
        fn a_sum_and_its_error_are_the_sum(a in moderate(), b in moderate()) {
            let (s, e) = two_sum(a, b);
            prop_assert_eq!(sum_of(&[exact(a), exact(b), exact(-s), exact(-e)]), 0);
            prop_assert!(e.abs() <= UNIT * s.abs());
        }

        #[test]
        fn a_product_and_its_error_are_the_product(a in moderate(), b in moderate()) {
            let (p, e) = two_product::<false>(a, b);
            prop_assert_eq!((p, e), two_product::<true>(a, b));
            let ((ma, ea), (mb, eb)) = (exact(a), exact(b));
            prop_assert_eq!(sum_of(&[(ma * mb, ea + eb), exact(-p), exact(-e)]), 0);
        }
    }
}
