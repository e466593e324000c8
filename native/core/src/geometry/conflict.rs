//! From rows that floating point takes for a conflict to a proof that they are one.

use super::rows::SignedRows;
use crate::exact::dependency::{Dependency, dependency};
use crate::exact::integers::IntegerRows;
use num_bigint::{BigInt, Sign};

/// Rows whose signed sum with these positive integer weights is zero, exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub rows: Vec<usize>,
    pub weights: Vec<BigInt>,
}

/// Larger supports are not lifted: the answer would have tens of millions of digits.
const MOST_ROWS: usize = 2500;

/// The rows as integers.
#[must_use]
pub fn integer_rows(z: &SignedRows, rows: &[usize]) -> IntegerRows {
    let entries: Vec<Vec<(usize, f64)>> = rows
        .iter()
        .map(|row| {
            let mut entries = Vec::new();
            z.for_each(*row, |j, v| entries.push((j, v)));
            entries
        })
        .collect();
    IntegerRows::new(&entries, z.width())
}

/// Proves a conflict among `rows`, or fails: where they have no dependency, more than one, or one whose
/// weights differ in sign. Rows of weight zero are left out.
pub fn prove_conflict(z: &SignedRows, rows: &[usize], stop: &mut dyn FnMut() -> bool) -> Option<Conflict> {
    if rows.len() > MOST_ROWS {
        return None;
    }
    let Dependency::Unique(mut weights) = dependency(&integer_rows(z, rows), stop) else { return None };
    if weights.iter().any(|w| w.sign() == Sign::Minus) {
        weights.iter_mut().for_each(|w| *w = -&*w);
    }
    if weights.iter().any(|w| w.sign() == Sign::Minus) {
        return None;
    }
    Some(conflict(rows, weights))
}

/// Orders by row and drops what has no weight.
#[must_use]
pub fn conflict(rows: &[usize], weights: Vec<BigInt>) -> Conflict {
    let mut pairs: Vec<(usize, BigInt)> =
        rows.iter().copied().zip(weights).filter(|(_, w)| w.sign() == Sign::Plus).collect();
    pairs.sort_unstable_by_key(|(row, _)| *row);
    let (rows, weights) = pairs.into_iter().unzip();
    Conflict { rows, weights }
}
