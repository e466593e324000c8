//! The numbers that the floating-point solver is written over: doubles first, double-doubles where
//! those leave the answer open.

use super::vector::{add_scaled, dot};
use crate::exact::double_double::{DoubleDouble, two_product};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// What Wolfe's method needs of a number.
pub trait Scalar:
    Copy
    + Default
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The unit of relative rounding error, a little enlarged.
    const ROUNDING: f64;
    fn from_f64(value: f64) -> Self;
    /// The nearest double.
    fn to_f64(self) -> f64;
    /// `self = high + low` exactly.
    fn parts(self) -> (f64, f64);
    /// The nearest to `high + low`.
    fn from_parts(parts: (f64, f64)) -> Self;
    fn square_root(self) -> Self;
    fn dot(a: &[Self], b: &[Self]) -> Self;
    /// `Σ a_j b_j` with `a` in doubles.
    fn dot_data(a: &[f64], b: &[Self]) -> Self;
    /// `a · b`, both doubles.
    fn product(a: f64, b: f64) -> Self;
    /// `Σ a_j b_j`, both rows of the data.
    fn dot_rows(a: &[f64], b: &[f64]) -> Self;
    /// `target += factor · row`.
    fn add_scaled(target: &mut [Self], factor: Self, row: &[Self]) {
        for (t, r) in target.iter_mut().zip(row) {
            *t = *t + factor * *r;
        }
    }
    /// `target += factor · row` with the row in doubles.
    fn add_scaled_data(target: &mut [Self], factor: Self, row: &[f64]) {
        for (t, r) in target.iter_mut().zip(row) {
            *t = *t + factor * Self::from_f64(*r);
        }
    }
}

impl Scalar for f64 {
    const ROUNDING: f64 = 2.3e-16;
    #[inline]
    fn from_f64(value: f64) -> Self {
        value
    }
    #[inline]
    fn to_f64(self) -> f64 {
        self
    }
    fn parts(self) -> (f64, f64) {
        (self, 0.0)
    }
    fn from_parts(parts: (f64, f64)) -> Self {
        parts.0 + parts.1
    }
    fn square_root(self) -> Self {
        self.sqrt()
    }
    #[inline]
    fn dot(a: &[Self], b: &[Self]) -> Self {
        dot(a, b)
    }
    #[inline]
    fn dot_data(a: &[f64], b: &[Self]) -> Self {
        dot(a, b)
    }
    #[inline]
    fn product(a: f64, b: f64) -> Self {
        a * b
    }
    #[inline]
    fn dot_rows(a: &[f64], b: &[f64]) -> Self {
        dot(a, b)
    }
    #[inline]
    fn add_scaled(target: &mut [Self], factor: Self, row: &[Self]) {
        add_scaled(target, factor, row);
    }
    #[inline]
    fn add_scaled_data(target: &mut [Self], factor: Self, row: &[f64]) {
        add_scaled(target, factor, row);
    }
}

impl Scalar for DoubleDouble {
    const ROUNDING: f64 = 1e-31;
    fn from_f64(value: f64) -> Self {
        DoubleDouble::new(value)
    }
    fn to_f64(self) -> f64 {
        self.high
    }
    fn parts(self) -> (f64, f64) {
        (self.high, self.low)
    }
    fn from_parts(parts: (f64, f64)) -> Self {
        DoubleDouble { high: parts.0, low: parts.1 }
    }
    fn square_root(self) -> Self {
        self.sqrt()
    }
    fn dot(a: &[Self], b: &[Self]) -> Self {
        a.iter().zip(b).fold(Self::default(), |sum, (x, y)| sum + *x * *y)
    }
    fn dot_data(a: &[f64], b: &[Self]) -> Self {
        let mut sum = Self::default();
        for (x, y) in a.iter().zip(b) {
            let (product, error) = two_product(*x, y.high);
            sum = sum + DoubleDouble { high: product, low: error + x * y.low };
        }
        sum
    }
    fn product(a: f64, b: f64) -> Self {
        let (high, low) = two_product(a, b);
        DoubleDouble { high, low }
    }
    fn dot_rows(a: &[f64], b: &[f64]) -> Self {
        a.iter().zip(b).fold(Self::default(), |sum, (x, y)| sum + Self::product(*x, *y))
    }
}
