//! Numbers of 106 bits as unevaluated sums of two doubles, for what doubles cannot settle.
//!
//! Error-free transformations after Dekker and Knuth; the operations are those of Hida, Li and
//! Bailey's "Library for double-double and quad-double arithmetic" (relative error a few 2^-104).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// `high + low`, with `|low| ≤ ulp(high)/2`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    pub high: f64,
    pub low: f64,
}

/// `a + b = sum + error`, exactly, unless it overflows.
#[inline]
#[must_use]
pub fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let from_b = sum - a;
    (sum, (a - (sum - from_b)) + (b - from_b))
}

/// `a + b = sum + error`, exactly, where `|a| ≥ |b|`.
#[inline]
fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a · b = product + error`, exactly, unless it overflows or the error underflows.
#[inline]
#[must_use]
pub fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}

impl DoubleDouble {
    #[must_use]
    pub fn new(value: f64) -> Self {
        DoubleDouble { high: value, low: 0.0 }
    }

    #[must_use]
    pub fn sqrt(self) -> Self {
        if self.high <= 0.0 {
            return DoubleDouble::default();
        }
        let root = DoubleDouble::new(self.high.sqrt());
        // One Newton step doubles the number of right digits.
        root + (self - root * root) / (root + root)
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let (high, error) = two_sum(self.high, other.high);
        let (low, more) = two_sum(self.low, other.low);
        let (high, error) = fast_two_sum(high, error + low);
        let (high, low) = fast_two_sum(high, error + more);
        DoubleDouble { high, low }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        DoubleDouble { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let (product, error) = two_product(self.high, other.high);
        let (high, low) = fast_two_sum(product, error + (self.high * other.low + self.low * other.high));
        DoubleDouble { high, low }
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let first = self.high / other.high;
        let rest = self - other * DoubleDouble::new(first);
        let second = rest.high / other.high;
        let rest = rest - other * DoubleDouble::new(second);
        let third = rest.high / other.high;
        let (high, low) = fast_two_sum(first, second);
        DoubleDouble { high, low } + DoubleDouble::new(third)
    }
}

impl PartialOrd for DoubleDouble {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match self.high.partial_cmp(&other.high) {
            Some(std::cmp::Ordering::Equal) => self.low.partial_cmp(&other.low),
            order => order,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DoubleDouble;

    #[test]
    fn arithmetic_has_thirty_digits() {
        let third = DoubleDouble::new(1.0) / DoubleDouble::new(3.0);
        let error = third * DoubleDouble::new(3.0) - DoubleDouble::new(1.0);
        assert!(error.high.abs() < 1e-31, "{error:?}");
        let two = DoubleDouble::new(2.0);
        let error = two.sqrt() * two.sqrt() - two;
        assert!(error.high.abs() < 1e-30, "{error:?}");
        let tiny = DoubleDouble::new(1.0) + DoubleDouble::new(1e-25) - DoubleDouble::new(1.0);
        assert!((tiny.high - 1e-25).abs() < 1e-31);
    }
}
