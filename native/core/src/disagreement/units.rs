//! Columns in units of their own: powers of two as exponents, since they may lie beyond the doubles.

use super::exact::split;

pub fn scaled(value: f64, power: i32) -> (i64, i32) {
    let (mantissa, exponent) = split(value);
    (mantissa, exponent + power)
}

/// The power of two nearest to a positive number.
pub fn magnitude(value: f64) -> i32 {
    value.abs().log2().round() as i32
}

/// `value · 2^power`, though `2^power` itself may lie beyond the doubles.
#[must_use]
pub fn times_power(mut value: f64, mut power: i32) -> f64 {
    while power.abs() > 1000 {
        let step = power.clamp(-1000, 1000);
        value *= f64::from(step).exp2();
        power -= step;
    }
    value * f64::from(power).exp2()
}

/// Powers of two and shifts that bring each column's spread to about 1 around 0.
pub fn coordinates(given: &[f64], m: usize, bias: bool) -> (Vec<i32>, Vec<f64>) {
    let (mut scale, mut shift) = (vec![0; m], vec![0.0; m]);
    let n = given.len() / m.max(1);
    for j in 0..m - usize::from(bias) {
        let top = (0..n).fold(0.0f64, |a, i| a.max(given[i * m + j].abs()));
        if top == 0.0 {
            continue;
        }
        let unit = -magnitude(top);
        let at = |i: usize| times_power(given[i * m + j], unit) * if bias { given[i * m + m - 1] } else { 1.0 };
        // Differences from the first value are exact where a column hardly varies: years, time stamps.
        let first = if bias { at(0) } else { 0.0 };
        let mean = if bias { (0..n).map(|i| at(i) - first).sum::<f64>() / n as f64 } else { 0.0 };
        let spread = ((0..n).map(|i| (at(i) - first - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        if spread == 0.0 {
            // A constant column: a multiple of the bias, or all there is.
            scale[j] = unit;
            continue;
        }
        // A few bits of the mean are enough, and keep the integers short.
        let grid = magnitude(spread);
        shift[j] = times_power(times_power(first + mean, -grid).round(), grid - unit);
        scale[j] = unit - grid;
        if !shift[j].is_finite() {
            (shift[j], scale[j]) = (0.0, unit);
        }
    }
    (scale, shift)
}
