//! Exact arithmetic on rows of doubles: every double is a rational number, and a row may be scaled by
//! any positive factor without changing a sign, so that rows become rows of integers.
//!
//! Integers of 128 bits serve when no minor of the rows can overflow them (small integers, grids);
//! big ones otherwise. Both go through the same fraction-free elimination (Bareiss).

use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};

/// A finite double as `mantissa × 2^exponent`, the mantissa odd or zero.
#[must_use]
pub fn split(value: f64) -> (i64, i32) {
    if value == 0.0 {
        return (0, 0);
    }
    let bits = value.to_bits();
    let stored = ((bits >> 52) & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if stored == 0 { (fraction, -1074) } else { (fraction | (1 << 52), stored - 1075) };
    let zeros = mantissa.trailing_zeros() as i32;
    let odd = mantissa >> zeros;
    (if value < 0.0 { -odd } else { odd }, exponent + zeros)
}

/// The integers a row becomes when its common power of two is taken out.
#[must_use]
pub fn integers(row: &[f64]) -> Vec<BigInt> {
    let parts: Vec<(i64, i32)> = row.iter().map(|v| split(*v)).collect();
    let least = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
    parts
        .iter()
        .map(|(m, e)| if *m == 0 { BigInt::zero() } else { BigInt::from(*m) << ((e - least) as usize) })
        .collect()
}

/// The sign of `Σ a_i b_i`, exactly.
#[must_use]
pub fn dot_sign(a: impl Iterator<Item = (f64, f64)>) -> i32 {
    let terms: Vec<(i128, i32)> = a
        .filter(|(x, y)| *x != 0.0 && *y != 0.0)
        .map(|(x, y)| {
            let ((mx, ex), (my, ey)) = (split(x), split(y));
            (i128::from(mx) * i128::from(my), ex + ey)
        })
        .collect();
    let least = terms.iter().map(|t| t.1).min().unwrap_or(0);
    let total: BigInt = terms.iter().map(|(m, e)| BigInt::from(*m) << ((e - least) as usize)).sum();
    sign_of(&total)
}

fn sign_of(value: &BigInt) -> i32 {
    match value.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// What elimination needs of a number.
pub trait Integer: Clone {
    fn one() -> Self;
    /// `(a b − c d) / e`, a division without remainder.
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self, e: &Self) -> Self;
    fn sign(&self) -> i32;
    fn negate(&self) -> Self;
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> std::cmp::Ordering;
    fn bits(&self) -> u64;
    /// The value over `2^shift`, rounded.
    fn rounded(&self, shift: u64) -> f64;
}

impl Integer for i128 {
    fn one() -> Self {
        1
    }
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self, e: &Self) -> Self {
        // `Integers::of` admits 128 bits only when these products fit.
        a.wrapping_mul(*b).wrapping_sub(c.wrapping_mul(*d)) / e
    }
    fn sign(&self) -> i32 {
        self.signum() as i32
    }
    fn negate(&self) -> Self {
        -self
    }
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> std::cmp::Ordering {
        (a.wrapping_mul(*b)).cmp(&c.wrapping_mul(*d))
    }
    fn bits(&self) -> u64 {
        u64::from(128 - self.unsigned_abs().leading_zeros())
    }
    fn rounded(&self, shift: u64) -> f64 {
        *self as f64 * (-(shift as f64)).exp2()
    }
}

impl Integer for BigInt {
    fn one() -> Self {
        BigInt::from(1)
    }
    fn cross(a: &Self, b: &Self, c: &Self, d: &Self, e: &Self) -> Self {
        (a * b - c * d) / e
    }
    fn sign(&self) -> i32 {
        sign_of(self)
    }
    fn negate(&self) -> Self {
        -self
    }
    fn compare_products(a: &Self, b: &Self, c: &Self, d: &Self) -> std::cmp::Ordering {
        (a * b).cmp(&(c * d))
    }
    fn bits(&self) -> u64 {
        self.magnitude().bits()
    }
    fn rounded(&self, shift: u64) -> f64 {
        // 64 bits are kept before rounding: at most one unit in the last place of a double is lost.
        let extra = self.magnitude().bits().saturating_sub(64);
        let kept = (self >> extra).to_f64().unwrap_or(0.0);
        let power = extra as f64 - shift as f64;
        if power < -1000.0 { 0.0 } else { kept * power.exp2() }
    }
}

/// The rows of a data set as integers, `m` to a row.
pub enum Integers {
    Small(Vec<i128>),
    Big(Vec<BigInt>),
}

impl Integers {
    /// Chooses the width: 128 bits when every product of elimination in `m` dimensions fits.
    #[must_use]
    pub fn of(rows: Vec<BigInt>, m: usize) -> Self {
        let bits = rows.iter().map(|v| v.magnitude().bits()).max().unwrap_or(0);
        // Hadamard: a minor of order k is below (2^bits √k)^k; a step multiplies two of order m − 1,
        // and comparing two roots multiplies two of order m − 1 as well.
        let order = m.max(1) as f64;
        let needed = 2.0 * order * (bits as f64 + order.log2() / 2.0) + 2.0;
        if needed < 126.0 {
            Integers::Small(rows.iter().map(|v| v.to_i128().unwrap_or(0)).collect())
        } else {
            Integers::Big(rows)
        }
    }
}

/// Rows eliminated so far, to reduce others by: the flat on which all of them vanish.
#[derive(Clone, Default)]
pub struct Flat<T> {
    rows: Vec<Vec<T>>,
    columns: Vec<usize>,
}

impl<T: Integer> Flat<T> {
    #[must_use]
    pub fn new() -> Self {
        Flat { rows: Vec::new(), columns: Vec::new() }
    }

    #[must_use]
    pub fn depth(&self) -> usize {
        self.rows.len()
    }

    pub fn truncate(&mut self, depth: usize) {
        self.rows.truncate(depth);
        self.columns.truncate(depth);
    }

    /// Adds an already reduced row, whose entry at `column` is not zero.
    pub fn push(&mut self, reduced: Vec<T>, column: usize) {
        self.rows.push(reduced);
        self.columns.push(column);
    }

    /// The row minus a combination of the eliminated ones, times a positive factor: zero at their
    /// columns, and zero everywhere when it depends on them.
    #[must_use]
    pub fn reduce(&self, row: &[T]) -> Vec<T> {
        let mut x = row.to_vec();
        let mut previous = T::one();
        for (pivot, &column) in self.rows.iter().zip(&self.columns) {
            let lead = pivot[column].clone();
            let factor = x[column].clone();
            for (v, p) in x.iter_mut().zip(pivot) {
                *v = T::cross(&lead, v, &factor, p, &previous);
            }
            previous = lead;
        }
        x
    }

    /// The sign by which `reduce` multiplies.
    #[must_use]
    pub fn orientation(&self) -> i32 {
        match (self.rows.last(), self.columns.last()) {
            (Some(row), Some(&column)) => row[column].sign(),
            _ => 1,
        }
    }
}

/// Integers as doubles over a common power of two that makes the largest about 1.
#[must_use]
pub fn rounded<T: Integer>(row: &[T], orientation: i32) -> Vec<f64> {
    let top = row.iter().map(Integer::bits).max().unwrap_or(0);
    row.iter().map(|v| v.rounded(top) * f64::from(orientation)).collect()
}

/// Is zero a convex combination of these rows, with every weight positive, and of no others but
/// multiples of that one? True proves that no `w` has `z·w > 0` on all of them (T11).
#[must_use]
pub fn positively_dependent(rows: &[Vec<BigInt>]) -> bool {
    let count = rows.len();
    let Some(width) = rows.first().map(Vec::len) else { return false };
    // Columns of the system are the rows; eliminate, expect rank count − 1, read the null vector.
    let mut system: Vec<Vec<BigInt>> =
        (0..width).map(|j| rows.iter().map(|r| r[j].clone()).collect::<Vec<_>>()).collect();
    let mut previous = BigInt::from(1);
    let mut rank = 0;
    for column in 0..count.saturating_sub(1) {
        let Some(found) = (rank..width).find(|&i| !system[i][column].is_zero()) else { return false };
        system.swap(rank, found);
        let pivot = system[rank].clone();
        for i in 0..width {
            if i == rank {
                continue;
            }
            let factor = system[i][column].clone();
            for j in 0..count {
                system[i][j] = (&pivot[column] * &system[i][j] - &factor * &pivot[j]) / &previous;
            }
        }
        previous = pivot[column].clone();
        rank += 1;
    }
    // Gauss–Jordan without fractions: the first `rank` rows are previous·I and a last column.
    if system[rank..].iter().any(|r| !r[count - 1].is_zero()) {
        return false;
    }
    system[..rank].iter().all(|r| sign_of(&r[count - 1]) * sign_of(&previous) < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_of_dot_products_are_exact() {
        let big = 1e16;
        assert_eq!(dot_sign([(big, 1.0), (1.0, 1.0), (-big, 1.0)].into_iter()), 1);
        assert_eq!(dot_sign([(0.1, 3.0), (-0.3, 1.0)].into_iter()), 1);
        assert_eq!(dot_sign([(0.5, 3.0), (-1.5, 1.0)].into_iter()), 0);
        assert_eq!(dot_sign([(1e-300, 1e-300), (-5e-324, 1e-300)].into_iter()), 1);
    }

    #[test]
    fn dependence_is_decided_exactly() {
        let rows = |data: &[&[f64]]| data.iter().map(|r| integers(r)).collect::<Vec<_>>();
        assert!(positively_dependent(&rows(&[&[1.0, 0.0], &[-1.0, 0.0]])));
        assert!(positively_dependent(&rows(&[&[1.0, 0.0], &[-1.0, 1.0], &[-1.0, -1.0]])));
        assert!(!positively_dependent(&rows(&[&[1.0, 0.0], &[-1.0, 1.0], &[-1.0, 2.0]])));
        assert!(!positively_dependent(&rows(&[&[0.1, 0.3], &[-0.3, -0.9]])));
    }
}
