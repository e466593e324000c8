//! What is claimed about a separator, proved on the floats of the data themselves.
//!
//! Each product `z_i·w` is first computed in doubles with a bound on its error; only where the bound does
//! not settle the sign is it summed exactly. So a proof costs about one pass over the data.

use super::rows::SignedRows;
use crate::exact::sum::{ExactSum, decode, enclose};
use num_bigint::{BigInt, Sign};
use std::cmp::Ordering;

/// `z_i·w` in doubles, and a bound on how far that is from the truth (infinite if unknown).
fn product_with_error(z: &SignedRows, row: usize, w: &[f64]) -> (f64, f64) {
    let (indices, values) = z.entries(row);
    let (mut sums, mut sizes) = ([0.0; 8], [0.0; 8]);
    match indices {
        None => {
            let (value_blocks, value_rest) = values.as_chunks::<8>();
            let (w_blocks, w_rest) = w[..values.len()].as_chunks::<8>();
            for (v, w) in value_blocks.iter().zip(w_blocks) {
                for l in 0..8 {
                    let product = v[l] * w[l];
                    sums[l] += product;
                    sizes[l] += product.abs();
                }
            }
            for (v, w) in value_rest.iter().zip(w_rest) {
                sums[0] += v * w;
                sizes[0] += (v * w).abs();
            }
        }
        Some(indices) => {
            for (j, v) in indices.iter().zip(values) {
                let product = v * w[*j as usize];
                sums[0] += product;
                sizes[0] += product.abs();
            }
        }
    }
    let mut sum: f64 = sums.iter().sum();
    let mut size: f64 = sizes.iter().sum();
    if z.bias {
        sum += w[z.matrix.columns()];
        size += w[z.matrix.columns()].abs();
    }
    // n products and at most n + 8 additions, each within half a unit; twice that covers the rounding of
    // `size` too. A product that underflows errs by less than the smallest double.
    let count = values.len() as f64 + 10.0;
    let error = size * count * f64::EPSILON + count * f64::from_bits(1);
    if sum.is_finite() && error.is_finite() { (z.signs[row] * sum, error) } else { (0.0, f64::INFINITY) }
}

/// `z_i·w`, exactly.
#[must_use]
pub fn exact_product(z: &SignedRows, row: usize, w: &[f64]) -> ExactSum {
    let mut sum = ExactSum::default();
    z.for_each(row, |j, v| sum.add_product(v, w[j]));
    sum
}

/// Proves `z_i·w > 0` for every row and returns a lower bound on the least of them, or the first row where
/// it is not so. Every number of `w` must be finite.
pub fn prove_separator(z: &SignedRows, w: &[f64]) -> Result<f64, usize> {
    let mut found = Vec::with_capacity(z.len());
    let mut least_above = f64::INFINITY;
    for row in 0..z.len() {
        let (product, error) = product_with_error(z, row, w);
        if product <= error && exact_product(z, row, w).sign() != Ordering::Greater {
            return Err(row);
        }
        least_above = least_above.min(product + error);
        found.push(product - error);
    }
    // Only rows that may be the lowest need exact values: about as many as support the margin.
    let mut least = f64::INFINITY;
    for (row, below) in found.iter().enumerate() {
        if *below <= least_above {
            least = least.min(exact_product(z, row, w).enclosure().0);
        }
    }
    Ok(least)
}

/// A lower bound on the margin of a separator whose least product is at least `least`.
#[must_use]
pub fn margin_below(least: f64, w: &[f64]) -> f64 {
    let mut squares = ExactSum::default();
    w.iter().for_each(|v| squares.add_product(*v, *v));
    let norm = squares.enclosure().1.sqrt().next_up();
    (least / norm).next_down().max(0.0)
}

/// An upper bound on the margin of any separator: the norm of a convex combination of the rows.
///
/// For unit `u` and weights of sum 1, `‖Σ λ_i z_i‖ ≥ Σ λ_i z_i·u ≥ min z_i·u`. Weights are unevaluated sums
/// of two doubles, and must be positive; they are divided by their sum here.
#[must_use]
pub fn margin_above(z: &SignedRows, rows: &[usize], weights: &[(f64, f64)]) -> f64 {
    let mut point = vec![ExactSum::default(); z.width()];
    let mut total = ExactSum::default();
    for (row, (high, low)) in rows.iter().zip(weights) {
        if *high + *low <= 0.0 || !high.is_finite() || !low.is_finite() {
            return f64::INFINITY;
        }
        total.add(*high);
        total.add(*low);
        z.for_each(*row, |j, v| {
            point[j].add_product(v, *high);
            if *low != 0.0 {
                point[j].add_product(v, *low);
            }
        });
    }
    let squares: f64 = point
        .iter_mut()
        .map(|sum| {
            let (low, high) = sum.enclosure();
            let size = low.abs().max(high.abs());
            size * size
        })
        .sum();
    // Sum, square root and division round, each term of the sum at most once a term.
    let widened = squares * (1.0 + (z.width() as f64 + 4.0) * f64::EPSILON) + f64::MIN_POSITIVE * f64::EPSILON;
    (widened.sqrt().next_up() / total.enclosure().0).next_up()
}

/// `R`, the largest norm of a row: within a few roundings, infinite where it is beyond doubles.
#[must_use]
pub fn radius(z: &SignedRows) -> f64 {
    let largest = (0..z.len()).map(|i| z.square(i)).fold(0.0, f64::max);
    if (1e-280..=1e280).contains(&largest) {
        return largest.sqrt();
    }
    // Squares of so long, or so short, rows over- or underflow: the largest entry is made 1.
    let mut top = 0.0f64;
    (0..z.len()).for_each(|i| z.for_each(i, |_, v| top = top.max(v.abs())));
    let mut most = 0.0f64;
    for i in 0..z.len() {
        let mut square = 0.0;
        z.for_each(i, |_, v| square += (v / top) * (v / top));
        most = most.max(square);
    }
    top * most.sqrt()
}

/// `z_i·w` for `w` in integers: its sign and, scaled by some power of two, its value.
#[must_use]
pub fn integer_product(z: &SignedRows, row: usize, w: &[BigInt]) -> (BigInt, i32) {
    let mut parts = Vec::new();
    let mut unit = i32::MAX;
    z.for_each(row, |j, v| {
        let (mantissa, exponent) = decode(v);
        if mantissa != 0 && w[j].sign() != Sign::NoSign {
            parts.push((j, mantissa, exponent));
            unit = unit.min(exponent);
        }
    });
    let total = parts.into_iter().map(|(j, mantissa, exponent)| (&w[j] * mantissa) << (exponent - unit)).sum();
    (total, unit)
}

/// How `z_i·w` stands over all rows, for `w` in integers: the number of rows where it is 0, and the first
/// where it is negative, if any.
#[must_use]
pub fn integer_signs(z: &SignedRows, w: &[BigInt]) -> (usize, Option<usize>) {
    // Doubles near the integers settle most rows.
    let longest = w.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
    let near: Vec<f64> = w.iter().map(|v| enclose(v, -longest).0).collect();
    let mut zeros = 0;
    for row in 0..z.len() {
        let (product, error) = product_with_error(z, row, &near);
        // `near` errs by a unit in the last place of each entry: as much again as one rounding.
        if product > 2.0 * error {
            continue;
        }
        match integer_product(z, row, w).0.sign() {
            Sign::Minus => return (zeros, Some(row)),
            Sign::NoSign => zeros += 1,
            Sign::Plus => {}
        }
    }
    (zeros, None)
}
