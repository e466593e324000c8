//! Exact sums of products of doubles: a long accumulator (Kulisch).
//!
//! Every double is an integer times 2^-1074, every product of two one times 2^-2148, and all of them
//! lie below 2^2048. So 132 digits of 32 bits hold any sum of products, exactly; each digit sits in
//! 64 bits, which leaves room for 2^30 products before carries must run.

use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

const DIGITS: usize = 136;
/// Bit 0 of digit 0 stands for 2^LOWEST.
const LOWEST: i32 = -2148;

/// An exact sum of products of doubles.
#[derive(Clone)]
pub struct ExactSum {
    digits: [i64; DIGITS],
    /// The digits that may be other than zero.
    first: usize,
    last: usize,
    pending: u32,
}

/// `value = mantissa · 2^exponent`, exactly, for a finite double.
#[inline]
#[must_use]
pub fn decode(value: f64) -> (i64, i32) {
    let bits = value.to_bits();
    let raw = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if raw == 0 { (fraction, -1074) } else { (fraction | (1 << 52), raw - 1075) };
    (if value < 0.0 { -mantissa } else { mantissa }, exponent)
}

impl Default for ExactSum {
    fn default() -> Self {
        ExactSum { digits: [0; DIGITS], first: DIGITS, last: 0, pending: 0 }
    }
}

impl ExactSum {
    /// Adds `a · b`; both must be finite.
    #[inline]
    pub fn add_product(&mut self, a: f64, b: f64) {
        let ((a, a_exponent), (b, b_exponent)) = (decode(a), decode(b));
        let product = i128::from(a) * i128::from(b);
        if product == 0 {
            return;
        }
        let at = (a_exponent + b_exponent - LOWEST) as usize;
        let (digit, shift) = (at / 32, at % 32);
        // 106 bits moved up by at most 31 take five digits of 32.
        let size = product.unsigned_abs();
        let (low, high) = (size as u64, (size >> 64) as u64);
        let low = u128::from(low) << shift;
        let high = (u128::from(high) << shift) + (low >> 64);
        let sign = if product < 0 { -1 } else { 1 };
        let low = low as u64;
        self.digits[digit] += sign * (low & 0xffff_ffff) as i64;
        self.digits[digit + 1] += sign * (low >> 32) as i64;
        self.digits[digit + 2] += sign * (high & 0xffff_ffff) as i64;
        self.digits[digit + 3] += sign * ((high >> 32) & 0xffff_ffff) as i64;
        self.digits[digit + 4] += sign * (high >> 64) as i64;
        self.first = self.first.min(digit);
        self.last = self.last.max(digit + 4);
        self.pending += 1;
        if self.pending >= 1 << 30 {
            self.carry();
        }
    }

    /// Adds `a`, which must be finite.
    pub fn add(&mut self, a: f64) {
        self.add_product(a, 1.0);
    }

    /// Brings every digit but the last into 0..2^32; the last carries the sign.
    fn carry(&mut self) {
        self.pending = 0;
        let mut carry = 0i64;
        for digit in self.first..DIGITS {
            let value = self.digits[digit] + carry;
            if digit >= self.last && digit + 1 < DIGITS && (value == 0 || value == -1) {
                // Nothing above but the sign.
                self.digits[digit] = value;
                self.last = digit;
                return;
            }
            if digit + 1 == DIGITS {
                self.digits[digit] = value;
                self.last = digit;
                return;
            }
            carry = value >> 32;
            self.digits[digit] = value & 0xffff_ffff;
        }
    }

    /// The sign of the sum.
    pub fn sign(&mut self) -> Ordering {
        if self.first >= DIGITS {
            return Ordering::Equal;
        }
        self.carry();
        if self.digits[self.last] < 0 {
            return Ordering::Less;
        }
        if self.digits[self.first..=self.last].iter().any(|d| *d != 0) { Ordering::Greater } else { Ordering::Equal }
    }

    /// The sum as `integer · 2^exponent`.
    pub fn value(&mut self) -> (BigInt, i32) {
        if self.first >= DIGITS {
            return (BigInt::default(), 0);
        }
        self.carry();
        let digits: Vec<u32> = self.digits[self.first..self.last].iter().map(|d| *d as u32).collect();
        let low = BigInt::from_slice(Sign::Plus, &digits);
        let high = BigInt::from(self.digits[self.last]) << (32 * (self.last - self.first));
        (low + high, LOWEST + 32 * self.first as i32)
    }

    /// Doubles below and above the sum (or equal to it), at most a few units in the last place apart.
    pub fn enclosure(&mut self) -> (f64, f64) {
        let (integer, exponent) = self.value();
        enclose(&integer, i64::from(exponent))
    }
}

/// Doubles around `integer · 2^exponent`, neighbours at most.
#[must_use]
pub fn enclose(integer: &BigInt, exponent: i64) -> (f64, f64) {
    let bits = integer.bits() as i64;
    if bits == 0 {
        return (0.0, 0.0);
    }
    let spare = (bits - 53).max(0);
    // Truncated towards zero, then widened by one unit.
    let top = (integer.magnitude() >> spare as u64).iter_u64_digits().next().unwrap_or(0) as f64;
    let above = if spare == 0 { top } else { top + 1.0 };
    let power = exponent + spare;
    let (inner, outer) = (scale(top, power, false), scale(above, power, true));
    if integer.sign() == Sign::Minus { (-outer, -inner) } else { (inner, outer) }
}

/// `value · 2^power` for an integer `value` below 2^54, rounded down or up where it underflows.
fn scale(value: f64, power: i64, up: bool) -> f64 {
    if power > 1024 {
        return if up { f64::INFINITY } else { f64::MAX };
    }
    let (mut scaled, mut left) = (value, power);
    while left > 0 {
        let step = left.min(1000);
        scaled *= 2f64.powi(step as i32);
        left -= step;
    }
    if scaled.is_infinite() && !up {
        return f64::MAX;
    }
    while left < 0 {
        let step = (-left).min(1000);
        scaled *= 2f64.powi(-(step as i32));
        left += step;
    }
    if scaled < f64::MIN_POSITIVE {
        // Below the normal numbers the product rounds: one unit either way is enough.
        return if up { scaled.next_up() } else { scaled.next_down().max(0.0) };
    }
    scaled
}

#[cfg(test)]
mod tests {
    use super::{ExactSum, enclose};
    use num_bigint::BigInt;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn sum(products: &[(f64, f64)]) -> ExactSum {
        let mut sum = ExactSum::default();
        products.iter().for_each(|(a, b)| sum.add_product(*a, *b));
        sum
    }

    #[test]
    fn nothing_is_lost_between_the_largest_and_the_smallest() {
        let (big, tiny) = (f64::MAX, f64::from_bits(1));
        let all = [(big, big), (tiny, tiny), (-big, big)];
        assert_eq!(sum(&all).sign(), Ordering::Greater);
        assert_eq!(sum(&[(big, big), (-tiny, tiny), (-big, big)]).sign(), Ordering::Less);
        assert_eq!(sum(&[(big, tiny), (-tiny, big)]).sign(), Ordering::Equal);
        assert_eq!(ExactSum::default().sign(), Ordering::Equal);
        assert_eq!(sum(&[(0.1, 3.0), (-0.3, 1.0)]).sign(), Ordering::Greater);
    }

    #[test]
    fn enclosures_hold_and_are_narrow() {
        let third = BigInt::from(10u8).pow(40) / 3;
        let (low, high) = enclose(&third, -100);
        assert!(low < high && high <= low.next_up());
        assert_eq!(enclose(&BigInt::from(-3), 1), (-6.0, -6.0));
        assert_eq!(enclose(&BigInt::from(1), -2000), (0.0, f64::from_bits(1)));
        assert_eq!(enclose(&BigInt::from(1), 3000).1, f64::INFINITY);
    }

    proptest! {
        #[test]
        fn sums_of_small_integers_are_those_of_integers(
            products in prop::collection::vec((-1000i64..1000, -1000i64..1000, -60i32..60), 0..40),
        ) {
            let scaled: Vec<(f64, f64)> =
                products.iter().map(|(a, b, e)| (*a as f64 * 2f64.powi(*e), *b as f64)).collect();
            let exact: BigInt = products.iter().map(|(a, b, e)| BigInt::from(a * b) << (e + 60)).sum();
            let mut found = sum(&scaled);
            prop_assert_eq!(found.sign(), exact.cmp(&BigInt::from(0)));
            let (integer, exponent) = found.value();
            prop_assert_eq!(integer, (exact << 2200) >> (2260 + exponent));
        }
    }
}
