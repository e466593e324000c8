//! The exact solution of a square integer system by p-adic lifting (Dixon 1982).
//!
//! ```text
//! C ← B⁻¹ mod p
//! repeat, with r ← b at first:     x_s ← C r mod p;   r ← (r − B x_s) / p      (the division is exact)
//! x = x_0 + x_1 p + x_2 p² + …     then rational reconstruction turns x mod p^s into fractions
//! ```
//!
//! Each step costs two products of the matrix by a vector of small numbers, where elimination on big
//! integers would cost k³ products of numbers that are as long as the answer.

use super::modular::{inverse_matrix, multiply};
use num_bigint::{BigInt, BigUint, Sign};

/// The integers that a lifting runs in: the narrowest that hold the residuals.
pub trait Word: Copy {
    fn modulo(self, prime: u64) -> u64;
    fn minus_product(self, entry: Self, factor: u64) -> Self;
    fn divided(self, prime: u64) -> Self;
    fn bits(self) -> u32;
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            #[inline]
            fn modulo(self, prime: u64) -> u64 {
                self.rem_euclid(prime as $type) as u64
            }
            #[inline]
            fn minus_product(self, entry: Self, factor: u64) -> Self {
                self - entry * factor as $type
            }
            fn divided(self, prime: u64) -> Self {
                self / prime as $type
            }
            fn bits(self) -> u32 {
                <$type>::BITS - self.unsigned_abs().leading_zeros()
            }
        }
    };
}
word!(i64);
word!(i128);

/// `x = numerators / denominator`, the solution of `B x = b`.
#[derive(Debug, PartialEq, Eq)]
pub struct Rational {
    pub numerators: Vec<BigInt>,
    pub denominator: BigInt,
}

/// Solves `B x = b`; none where `B` is singular modulo the prime, or the caller asks to stop.
///
/// The caller must make sure that entries of `width` bits leave room for the residuals:
/// `width + 30 + log₂ k` bits in all.
pub fn solve<W: Word>(matrix: &[Vec<W>], right: &[W], prime: u64, stop: &mut dyn FnMut() -> bool) -> Option<Rational> {
    let reduced = matrix.iter().map(|row| row.iter().map(|v| v.modulo(prime)).collect()).collect();
    let inverse = inverse_matrix(reduced, prime)?;
    let bits = 2.0 * hadamard_bits(matrix, right) + 2.0;
    let needed = (bits / (prime as f64).log2()).ceil() as usize + 1;
    let mut residual = right.to_vec();
    let mut digits: Vec<Vec<u64>> = Vec::new();
    // The bound is far too large on some matrices (few bits, many zeros): look halfway too. What is
    // found there too early is refused by the caller, who checks the solution on every equation.
    for goal in [needed / 2, needed] {
        while digits.len() < goal {
            if stop() {
                return None;
            }
            let reduced: Vec<u64> = residual.iter().map(|r| r.modulo(prime)).collect();
            let digit = multiply(&inverse, &reduced, prime);
            for (r, row) in residual.iter_mut().zip(matrix) {
                let rest = row.iter().zip(&digit).fold(*r, |rest, (entry, x)| rest.minus_product(*entry, *x));
                *r = rest.divided(prime);
            }
            digits.push(digit);
        }
        if let Some(solution) = reconstruct(&digits, prime)
            && (goal == needed || plausible(&solution, &digits, prime))
        {
            return Some(solution);
        }
    }
    None
}

/// Whether a solution is short enough that it is not a coincidence: far below the square root.
fn plausible(solution: &Rational, digits: &[Vec<u64>], prime: u64) -> bool {
    let available = digits.len() as f64 * (prime as f64).log2();
    let longest = solution.numerators.iter().map(BigInt::bits).max().unwrap_or(0);
    (longest + solution.denominator.bits()) as f64 + 64.0 < available
}

/// log₂ of a bound on the determinant of the matrix and of Cramer's numerators.
fn hadamard_bits<W: Word>(matrix: &[Vec<W>], right: &[W]) -> f64 {
    // By rows of (B | b): each minor is at most the product of the rows' norms.
    matrix
        .iter()
        .zip(right)
        .map(|(row, b)| {
            let largest = row.iter().chain([b]).map(|v| v.bits()).max().unwrap_or(0);
            let squares: f64 = row.iter().chain([b]).map(|v| 4f64.powi(v.bits() as i32 - largest as i32)).sum();
            f64::from(largest) + squares.log2() / 2.0
        })
        .sum()
}

fn reconstruct(digits: &[Vec<u64>], prime: u64) -> Option<Rational> {
    let modulus = BigUint::from(prime).pow(digits.len() as u32);
    let limit = (&modulus >> 1u8).sqrt();
    let size = digits.first().map_or(0, Vec::len);
    let values: Vec<BigUint> = (0..size)
        .map(|i| {
            let column: Vec<u64> = digits.iter().map(|d| d[i]).collect();
            number(&column, prime)
        })
        .collect();
    let mut denominator = BigUint::from(1u8);
    // Most solutions have the determinant for denominator: found once, it clears all the others.
    for value in &values {
        let cleared = value * &denominator % &modulus;
        if small(&cleared, &modulus, &limit).is_none() {
            let (_, more) = fraction(&cleared, &modulus, &limit)?;
            denominator *= more;
            if denominator > limit {
                return None;
            }
        }
    }
    let numerators = values
        .iter()
        .map(|value| small(&(value * &denominator % &modulus), &modulus, &limit))
        .collect::<Option<Vec<BigInt>>>()?;
    Some(Rational { numerators, denominator: BigInt::from(denominator) })
}

/// `Σ digit_s p^s`, pairs first, so that long products meet long ones.
fn number(digits: &[u64], prime: u64) -> BigUint {
    let mut level: Vec<BigUint> = digits.iter().map(|d| BigUint::from(*d)).collect();
    let mut base = BigUint::from(prime);
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| if let [low, high] = pair { low + high * &base } else { pair[0].clone() })
            .collect();
        base = &base * &base;
    }
    level.pop().unwrap_or_default()
}

/// The value as an integer of at most the square root's size, if it is one.
fn small(value: &BigUint, modulus: &BigUint, limit: &BigUint) -> Option<BigInt> {
    if value <= limit {
        return Some(BigInt::from(value.clone()));
    }
    let below = modulus - value;
    (below <= *limit).then(|| BigInt::from_biguint(Sign::Minus, below))
}

/// `value = numerator / denominator mod modulus` with both at most the limit: Euclid, stopped halfway.
fn fraction(value: &BigUint, modulus: &BigUint, limit: &BigUint) -> Option<(BigUint, BigUint)> {
    let (mut r, mut next) = (modulus.clone(), value.clone());
    let (mut t, mut next_t) = (BigUint::ZERO, BigUint::from(1u8));
    // The cofactors alternate in sign; their sizes alone matter for the denominator.
    while next > *limit {
        let quotient = &r / &next;
        let rest = &r - &quotient * &next;
        let cofactor = t + quotient * &next_t;
        (r, next) = (next, rest);
        (t, next_t) = (next_t, cofactor);
    }
    (next_t <= *limit).then_some((next, next_t))
}

#[cfg(test)]
mod tests {
    use super::{Rational, solve};
    use crate::exact::modular::PRIMES;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    fn check(matrix: &[Vec<i128>], right: &[i128], solution: &Rational) {
        for (row, b) in matrix.iter().zip(right) {
            let left: BigInt = row.iter().zip(&solution.numerators).map(|(a, x)| BigInt::from(*a) * x).sum();
            assert_eq!(left, BigInt::from(*b) * &solution.denominator);
        }
    }

    proptest! {
        #[test]
        fn solutions_solve(
            entries in prop::collection::vec(-(1i128 << 70)..(1i128 << 70), 30),
            small in prop::collection::vec(-3i64..4, 30),
        ) {
            let matrix: Vec<Vec<i128>> = entries[..25].chunks(5).map(<[i128]>::to_vec).collect();
            if let Some(solution) = solve(&matrix, &entries[25..], PRIMES[0], &mut || false) {
                check(&matrix, &entries[25..], &solution);
            }
            let matrix: Vec<Vec<i64>> = small[..25].chunks(5).map(<[i64]>::to_vec).collect();
            if let Some(solution) = solve(&matrix, &small[25..], PRIMES[1], &mut || false) {
                let wide: Vec<Vec<i128>> = matrix.iter().map(|r| r.iter().map(|v| i128::from(*v)).collect()).collect();
                let right: Vec<i128> = small[25..].iter().map(|v| i128::from(*v)).collect();
                check(&wide, &right, &solution);
            }
        }
    }
}
