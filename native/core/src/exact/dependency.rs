//! The one linear dependency among rows, exactly.

use super::elimination::null_space;
use super::integers::IntegerRows;
use super::lifting::{Rational, solve};
use super::modular::{PRIMES, independent_rows};
use num_bigint::BigInt;

/// What is known of the dependencies among rows.
#[derive(Debug)]
pub enum Dependency {
    /// There is none: proved, as rows that are independent modulo a prime are independent.
    Independent,
    /// `Σ weights_i · row_i = 0`, checked exactly, and (modulo a prime) no other dependency but multiples.
    Unique(Vec<BigInt>),
    /// More than one, it seems.
    Several,
    /// Not settled within the limits, or the caller asked to stop.
    Unsettled,
}

/// Up to this many rows, elimination is faster than lifting's start.
const FEW: usize = 12;

/// Finds the dependency of rows that are expected to have exactly one.
#[must_use]
pub fn dependency(rows: &IntegerRows, stop: &mut dyn FnMut() -> bool) -> Dependency {
    for prime in PRIMES {
        let reduced: Vec<Vec<u64>> = (0..rows.len()).map(|i| rows.modulo(i, prime)).collect();
        let pivots = independent_rows(&reduced, prime);
        if pivots.rows.len() == rows.len() {
            return Dependency::Independent;
        }
        if pivots.rows.len() + 1 < rows.len() {
            return Dependency::Several;
        }
        let weights =
            if rows.len() <= FEW { eliminated(rows) } else { lifted(rows, &pivots.rows, &pivots.columns, prime, stop) };
        if let Some(weights) = weights
            && rows.sum_to_zero(&weights)
        {
            return Dependency::Unique(weights);
        }
        if stop() {
            break;
        }
    }
    Dependency::Unsettled
}

fn eliminated(rows: &IntegerRows) -> Option<Vec<BigInt>> {
    let transposed = (0..rows.columns.len()).map(|c| (0..rows.len()).map(|r| rows.big(r, c)).collect()).collect();
    null_space(transposed, rows.len()).0.pop()
}

/// Solves for the weights of the independent rows that give minus the remaining one.
fn lifted(
    rows: &IntegerRows,
    independent: &[usize],
    columns: &[usize],
    prime: u64,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Vec<BigInt>> {
    let left_out = (0..rows.len()).find(|i| !independent.contains(i))?;
    let room = rows.width + 31 + (rows.len() as u32).ilog2();
    let Rational { numerators, denominator } = if room < 63 {
        let entry = |row, column| rows.wide(row, column) as i64;
        let matrix: Vec<Vec<i64>> =
            columns.iter().map(|c| independent.iter().map(|r| entry(*r, *c)).collect()).collect();
        let right: Vec<i64> = columns.iter().map(|c| -entry(left_out, *c)).collect();
        solve(&matrix, &right, prime, stop)?
    } else if room < 127 {
        let matrix: Vec<Vec<i128>> =
            columns.iter().map(|c| independent.iter().map(|r| rows.wide(*r, *c)).collect()).collect();
        let right: Vec<i128> = columns.iter().map(|c| -rows.wide(left_out, *c)).collect();
        solve(&matrix, &right, prime, stop)?
    } else {
        // Exponents far apart: rare, and only elimination takes entries of any length.
        return (rows.len() <= 200).then(|| eliminated(rows)).flatten();
    };
    let mut weights = vec![BigInt::default(); rows.len()];
    for (row, numerator) in independent.iter().zip(numerators) {
        weights[*row] = numerator;
    }
    weights[left_out] = denominator;
    Some(weights)
}

#[cfg(test)]
mod tests {
    use super::{Dependency, dependency};
    use crate::exact::integers::IntegerRows;
    use proptest::prelude::*;

    fn rows(values: &[f64], width: usize) -> IntegerRows {
        let rows: Vec<Vec<(usize, f64)>> =
            values.chunks(width).map(|r| r.iter().copied().enumerate().collect()).collect();
        IntegerRows::new(&rows, width)
    }

    #[test]
    fn exponents_may_be_far_apart() {
        let tiny = f64::from_bits(3);
        let values = [1e300, tiny, 0.0, -1e300, tiny, 0.0, 0.0, -tiny, 0.0];
        let Dependency::Unique(weights) = dependency(&rows(&values, 3), &mut || false) else { panic!("one") };
        let signs: Vec<bool> = weights.iter().map(|w| w.sign() == weights[0].sign()).collect();
        assert_eq!(signs, [true, true, true]);
        assert_eq!(&weights[2], &(&weights[0] * 2));
    }

    proptest! {
        #[test]
        fn one_row_too_many_has_one_dependency(values in prop::collection::vec(-1.0f64..1.0, 20 * 19)) {
            let all = rows(&values, 19);
            match dependency(&all, &mut || false) {
                Dependency::Unique(weights) => prop_assert!(all.sum_to_zero(&weights)),
                other => prop_assert!(false, "{other:?}"),
            }
            let fewer = rows(&values[..19 * 19], 19);
            prop_assert!(matches!(dependency(&fewer, &mut || false), Dependency::Independent));
        }
    }
}
