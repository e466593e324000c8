//! What double-doubles leave open, settled in integers.

use super::certify::integer_product;
use super::conflict::Conflict;
use super::minimum_norm::Nearest;
use super::rows::SignedRows;
use super::separate::{Vector, checked_conflict, separates};
use crate::exact::nearest::{ExactNearest, nearest};
use crate::exact::sum::{decode, enclose};
use num_bigint::BigInt;

/// The largest margin and its separator, exactly.
pub struct ExactMargin {
    pub margin: (f64, f64),
    pub w: Vector,
    pub support: Vec<usize>,
    pub weights: Vec<BigInt>,
}

/// Beyond these sizes integers grow too long: nothing is settled.
const MOST_COLUMNS: usize = 80;
const MOST_WORKING: usize = 2000;
/// Entries far apart in size make every integer as long: bits an integer, times columns.
const MOST_BITS: usize = 24_000;

/// Runs Wolfe's method in integers from where floating point stopped. None beyond the sizes above.
pub fn settle_exactly(
    z: &SignedRows,
    from: &Nearest,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Result<Conflict, ExactMargin>> {
    if from.rows.len() > MOST_COLUMNS || from.working.len() > MOST_WORKING {
        return None;
    }
    let unit = least_exponent(z)?;
    let mut working = from.working.clone();
    let mut inside = vec![false; z.len()];
    working.iter().for_each(|i| inside[*i] = true);
    let mut start: Vec<usize> = from.rows.iter().filter_map(|row| working.iter().position(|w| w == row)).collect();
    loop {
        let rows: Vec<Vec<BigInt>> = working.iter().map(|i| integers(z, *i, unit)).collect();
        let found = nearest(&rows, &start, false, stop)?;
        let in_data: Vec<usize> = found.support.iter().map(|k| working[*k]).collect();
        if found.point.iter().all(|v| *v == BigInt::default()) {
            return checked_conflict(z, &in_data, found.weights).map(Ok);
        }
        let violators = below(z, &found, unit);
        if violators.is_empty() {
            return separates(z, &found.point).then(|| Err(exact_margin(found, in_data, unit)));
        }
        for row in violators.into_iter().take(50) {
            if !inside[row] {
                inside[row] = true;
                working.push(row);
            }
        }
        start = found.support;
        if working.len() > MOST_WORKING || stop() {
            return None;
        }
    }
}

fn least_exponent(z: &SignedRows) -> Option<i32> {
    let (mut least, mut most) = (i32::MAX, i32::MIN);
    for row in 0..z.len() {
        z.for_each(row, |_, v| {
            let (mantissa, exponent) = decode(v);
            if mantissa != 0 {
                least = least.min(exponent + mantissa.trailing_zeros() as i32);
                most = most.max(exponent);
            }
        });
    }
    let bits = usize::try_from(i64::from(most) + 53 - i64::from(least)).ok()?;
    (bits.saturating_mul(z.width()) <= MOST_BITS).then_some(least)
}

/// `z_i` in units of `2^unit`.
fn integers(z: &SignedRows, row: usize, unit: i32) -> Vec<BigInt> {
    let mut integers = vec![BigInt::default(); z.width()];
    z.for_each(row, |j, v| {
        let (mantissa, exponent) = decode(v);
        if mantissa != 0 {
            let zeros = mantissa.trailing_zeros();
            integers[j] = BigInt::from(mantissa >> zeros) << (exponent + zeros as i32 - unit);
        }
    });
    integers
}

/// Rows with `z_i·p < p·p`, exactly, worst first. In units, `p = point/total`.
fn below(z: &SignedRows, found: &ExactNearest, unit: i32) -> Vec<usize> {
    let total: BigInt = found.weights.iter().sum();
    let square: BigInt = found.point.iter().map(|v| v * v).sum();
    let longest = found.point.iter().map(BigInt::bits).max().unwrap_or(0) as i64;
    let near: Vec<f64> = found.point.iter().map(|v| enclose(v, -longest).0).collect();
    // p·p over the same power of two and unit: what products are compared with.
    let level = {
        let shift = 128u32;
        let (low, high) = enclose(&((&square << shift) / &total), i64::from(unit) - longest - i64::from(shift));
        low.abs().max(high.abs())
    };
    let size: f64 = near.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut violators: Vec<(f64, usize)> = Vec::new();
    for row in 0..z.len() {
        let product = z.dot(row, &near);
        let count = z.width() as f64 + 10.0;
        // What underflows errs by no more than the smallest double.
        let error = count * (1e-15 * size * z.square(row).sqrt() + f64::from_bits(4));
        if product - error > level * (1.0 + 1e-12) {
            continue;
        }
        let (value, value_unit) = integer_product(z, row, &found.point);
        // value·2^value_unit is z·point; in units it is value·2^(value_unit − unit).
        let scaled = if value == BigInt::default() {
            value
        } else if value_unit >= unit {
            value << (value_unit - unit)
        } else {
            value >> (unit - value_unit)
        };
        if scaled * &total < square {
            violators.push((product, row));
        }
    }
    violators.sort_by(|a, b| a.0.total_cmp(&b.0));
    violators.into_iter().map(|(_, row)| row).collect()
}

fn exact_margin(found: ExactNearest, support: Vec<usize>, unit: i32) -> ExactMargin {
    let total: BigInt = found.weights.iter().sum();
    let square: BigInt = found.point.iter().map(|v| v * v).sum();
    // ‖point‖/total: the root of the square, taken with 64 bits to spare.
    let spare = 2 * (64 + total.bits() / 2);
    let root = (square << spare).sqrt();
    let exponent = i64::from(unit) - spare as i64 / 2 - 128;
    let (low, _) = enclose(&((&root << 128u32) / &total), exponent);
    let (_, high) = enclose(&((((root + 1) << 128u32) / &total) + 1), exponent);
    let mut pairs: Vec<(usize, BigInt)> = support.into_iter().zip(found.weights).collect();
    pairs.sort_unstable_by_key(|(row, _)| *row);
    let (support, weights) = pairs.into_iter().unzip();
    ExactMargin { margin: (low, high), w: Vector::Integers(found.point), support, weights }
}
