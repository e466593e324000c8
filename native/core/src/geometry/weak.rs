//! Whether data that is not strictly separable is weakly so: `z_i·w ≥ 0` for all rows, `> 0` for some.
//!
//! A conflict forces `z_i·w = 0` on its rows for any such `w`. So `w` lies in the space orthogonal to them:
//!
//! ```text
//! L ← the conflict's rows
//! repeat
//!     V ← a basis of the vectors orthogonal to L;  z'_i ← Vᵀ z_i
//!     no z'_i ≠ 0: not weakly separable
//!     the z'_i ≠ 0 are separated by w': weakly separable, w = V w' (on as many rows as can be)
//!     they are in conflict: their rows join L
//! ```

use super::certify::integer_signs;
use super::conflict::{Conflict, integer_rows};
use super::rows::SignedRows;
use crate::exact::elimination::null_space;
use crate::exact::integers::IntegerRows;
use crate::exact::modular::{PRIMES, independent_rows};
use crate::exact::nearest::nearest;
use num_bigint::{BigInt, Sign};
use std::collections::HashSet;

/// The answer for data with a conflict.
#[derive(Debug)]
pub enum Weak {
    /// `w`, in integers: proved.
    Separated(Vec<BigInt>),
    /// No such `w` exists: proved.
    Not,
    /// Not settled within the limits.
    Unsettled,
}

/// Beyond these sizes exact elimination is not tried.
const MOST_COLUMNS: usize = 150;
const MOST_ENTRIES: usize = 3_000_000;

/// Decides for data with a proved conflict.
pub fn weak(z: &SignedRows, conflict: &Conflict, stop: &mut dyn FnMut() -> bool) -> Weak {
    let signs = column_signs(z);
    if let Some(column) = signs.iter().position(|(plus, minus)| plus != minus) {
        let mut w = vec![BigInt::default(); z.width()];
        w[column] = BigInt::from(if signs[column].0 { 1 } else { -1 });
        return Weak::Separated(w);
    }
    let columns = signs.iter().filter(|(plus, _)| *plus).count();
    let integers = integer_rows(z, &conflict.rows);
    let prime = PRIMES[0];
    let reduced: Vec<Vec<u64>> = (0..integers.len()).map(|i| integers.modulo(i, prime)).collect();
    if independent_rows(&reduced, prime).rows.len() == columns {
        // The conflict spans everything, so w would be orthogonal to every row.
        return Weak::Not;
    }
    if columns > MOST_COLUMNS || columns.saturating_mul(z.len()) > MOST_ENTRIES {
        return Weak::Unsettled;
    }
    reduce(z, conflict, stop)
}

/// Which signs the entries of each column of the signed rows have: (some positive, some negative).
fn column_signs(z: &SignedRows) -> Vec<(bool, bool)> {
    let mut signs = vec![(false, false); z.width()];
    for row in 0..z.len() {
        z.for_each(row, |j, v| {
            signs[j].0 |= v > 0.0;
            signs[j].1 |= v < 0.0;
        });
    }
    signs
}

/// The method above, exactly, on distinct rows.
fn reduce(z: &SignedRows, conflict: &Conflict, stop: &mut dyn FnMut() -> bool) -> Weak {
    let all: Vec<usize> = (0..z.len()).collect();
    let integers = integer_rows(z, &all);
    let width = integers.columns.len();
    let mut forced: Vec<usize> = conflict.rows.clone();
    loop {
        let orthogonal = basis(&integers, &forced);
        let mut seen = HashSet::new();
        let mut rows = Vec::new();
        let mut origin = Vec::new();
        for i in 0..integers.len() {
            if i % 256 == 0 && stop() {
                return Weak::Unsettled;
            }
            let row: Vec<BigInt> = (0..width).map(|c| integers.big(i, c)).collect();
            let image: Vec<BigInt> = orthogonal.iter().map(|v| row.iter().zip(v).map(|(a, b)| a * b).sum()).collect();
            if image.iter().any(|v: &BigInt| v.sign() != Sign::NoSign) && seen.insert(image.clone()) {
                rows.push(image);
                origin.push(i);
            }
        }
        if rows.is_empty() {
            return Weak::Not;
        }
        let Some(found) = nearest(&rows, &[], true, stop) else { return Weak::Unsettled };
        if found.point.iter().all(|v| v.sign() == Sign::NoSign) {
            forced.extend(found.support.iter().map(|k| origin[*k]));
            continue;
        }
        let mut w = vec![BigInt::default(); z.width()];
        // Column c of the integers is that of the doubles over 2^unit: undo it in w, times a power of two.
        let largest = integers.units.iter().copied().max().unwrap_or(0);
        for (c, column) in integers.columns.iter().enumerate() {
            let value: BigInt = orthogonal.iter().zip(&found.point).map(|(v, p)| &v[c] * p).sum();
            w[*column] = value << (largest - integers.units[c]);
        }
        let (zeros, negative) = integer_signs(z, &w);
        return if negative.is_none() && zeros < z.len() { Weak::Separated(w) } else { Weak::Unsettled };
    }
}

/// Integer vectors that span what is orthogonal to the given rows, each without common powers of two.
fn basis(integers: &IntegerRows, rows: &[usize]) -> Vec<Vec<BigInt>> {
    let width = integers.columns.len();
    let matrix = rows.iter().map(|r| (0..width).map(|c| integers.big(*r, c)).collect()).collect();
    let (mut vectors, _) = null_space(matrix, width);
    for vector in &mut vectors {
        let zeros = vector.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        vector.iter_mut().for_each(|v| *v >>= zeros);
    }
    vectors
}
