//! Cells too thin for the search's doubles: decimal grids (0.1 · 3 is not 0.3) are full of them.
//!
//! T11 in integers says whether the cell exists, and gives the point in its middle. Its coefficients must
//! be rounded, and one rounding in ten may stay inside a cell that is thinner than the spacing of
//! doubles: so multiples of the point are rounded until one does.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::Limits;
use super::descent::Dice;
use super::exact::rounded;
use super::nearest::dot;
use super::rows::Rows;
use super::units::times_power;
use super::witness::sign;
use crate::exact::nearest::nearest;

/// Multiples of a point that are rounded.
const MULTIPLES: usize = 1000;

/// A point of a cell in integers, in the search's coordinates, and the rows that are close to it.
pub struct Middle {
    point: Vec<BigInt>,
    close: Vec<usize>,
}

/// The middle of the cell in which the rows `kept` are right; `near` is about where it should be.
pub fn middle(rows: &Rows, kept: &[usize], near: &[f64], limits: &Limits) -> Option<Middle> {
    let height = |i: usize, u: &[f64]| {
        let row = rows.row(i);
        let size: f64 = row.iter().zip(u).map(|(a, b)| (a * b).abs()).sum();
        (dot(row, u), size)
    };
    let mut order: Vec<(f64, usize)> = kept.iter().map(|&i| (height(i, near).0, i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut close: Vec<usize> = order.iter().take(4 * rows.m + 8).map(|o| o.1).collect();
    let mut start = Vec::new();
    while !limits.reached() {
        let integers: Vec<Vec<BigInt>> = close.iter().map(|i| levelled(rows.integer_row(*i))).collect();
        let found = nearest(&integers, &start, false, &mut || limits.reached())?;
        if found.point.iter().all(Zero::is_zero) {
            return None;
        }
        let u = rounded(&found.point, 1);
        let mut below: Vec<(f64, usize)> = Vec::new();
        for &i in kept {
            let (value, size) = height(i, &u);
            if value > 1e-13 * size + 4.0 * rows.slack[i] {
                continue;
            }
            let exact: BigInt = rows.integer_row(i).iter().zip(&found.point).map(|(a, b)| a * b).sum();
            if !exact.is_positive() {
                below.push((value, i));
            }
        }
        if below.is_empty() {
            return Some(Middle { point: found.point, close });
        }
        below.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        close.extend(below.iter().take(50).map(|b| b.1));
        start = found.support;
    }
    None
}

/// Brings a row's largest entry to a common length: what is in the middle should not depend on it.
fn levelled(row: Vec<BigInt>) -> Vec<BigInt> {
    let longest = row.iter().map(BigInt::bits).max().unwrap_or(0);
    let shift = LENGTH.saturating_sub(longest);
    row.into_iter().map(|v| v << shift).collect()
}

/// Bits of most rows of doubles, shifts included.
const LENGTH: u64 = 80;

impl Middle {
    /// Coefficients in doubles that get all the close rows right, if some multiple rounds to them.
    #[must_use]
    pub fn in_doubles(&self, rows: &Rows) -> Option<Vec<f64>> {
        let exact = rows.to_given_exactly(&self.point);
        let longest = exact.iter().map(BigInt::bits).max()?;
        let shortest = exact.iter().map(BigInt::bits).filter(|b| *b > 0).min()?;
        // A wide range of sizes starts high, so that the smallest keeps its bits.
        let top = if longest - shortest > 900 { 1000 } else { 0 };
        let mut dice = Dice(11);
        (0..MULTIPLES).find_map(|_| {
            let factor = BigInt::from(dice.draw() | 1 << 63);
            let w: Vec<f64> = exact.iter().map(|v| nearest_double(&(v * &factor), longest + 64, top)).collect();
            self.close.iter().all(|i| sign(rows.given_row(*i), &w) > 0).then_some(w)
        })
    }
}

/// `value · 2^(top − bits)`, rounded.
fn nearest_double(value: &BigInt, bits: u64, top: i32) -> f64 {
    let extra = value.bits().saturating_sub(64);
    let kept = (value >> extra).to_f64().unwrap_or(0.0);
    times_power(kept, top + extra as i32 - bits as i32)
}
