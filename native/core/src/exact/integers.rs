//! Rows of doubles as rows of integers.

use super::sum::decode;
use num_bigint::BigInt;

/// Rows of integers that span what given rows of doubles span: each column is scaled by a power of two,
/// which changes no dependency among rows. Columns that are zero throughout are left out.
pub struct IntegerRows {
    /// Odd parts and shifts: entry = mantissa · 2^shift.
    entries: Vec<Vec<(i64, u32)>>,
    /// Bits of the largest entry.
    pub width: u32,
    /// Which columns of the doubles remain.
    pub columns: Vec<usize>,
    /// The exponent of each one's unit: the double is the integer times 2^unit.
    pub units: Vec<i32>,
}

impl IntegerRows {
    /// From rows given as `(column, value)` entries.
    #[must_use]
    pub fn new(rows: &[Vec<(usize, f64)>], columns: usize) -> Self {
        let mut unit = vec![i32::MAX; columns];
        let parts = |value: f64| {
            let (mantissa, exponent) = decode(value);
            let zeros = mantissa.trailing_zeros();
            (mantissa >> zeros, exponent + zeros as i32)
        };
        for (column, value) in rows.iter().flatten().filter(|(_, v)| *v != 0.0) {
            unit[*column] = unit[*column].min(parts(*value).1);
        }
        let kept: Vec<usize> = (0..columns).filter(|j| unit[*j] != i32::MAX).collect();
        let mut place = vec![usize::MAX; columns];
        kept.iter().enumerate().for_each(|(k, j)| place[*j] = k);
        let mut width = 0;
        let entries = rows
            .iter()
            .map(|row| {
                let mut integers = vec![(0, 0); kept.len()];
                for (column, value) in row.iter().filter(|(_, v)| *v != 0.0) {
                    let (odd, exponent) = parts(*value);
                    let shift = (exponent - unit[*column]) as u32;
                    width = width.max(64 - odd.unsigned_abs().leading_zeros() + shift);
                    integers[place[*column]] = (odd, shift);
                }
                integers
            })
            .collect();
        let units = kept.iter().map(|j| unit[*j]).collect();
        IntegerRows { entries, width, columns: kept, units }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Row `i` modulo a prime.
    #[must_use]
    pub fn modulo(&self, i: usize, prime: u64) -> Vec<u64> {
        let mut powers = vec![1u64];
        self.entries[i]
            .iter()
            .map(|(odd, shift)| {
                while powers.len() <= *shift as usize {
                    powers.push(powers[powers.len() - 1] * 2 % prime);
                }
                odd.rem_euclid(prime as i64) as u64 * powers[*shift as usize] % prime
            })
            .collect()
    }

    /// An entry, where `width` says that it fits.
    #[must_use]
    pub fn wide(&self, row: usize, column: usize) -> i128 {
        let (odd, shift) = self.entries[row][column];
        i128::from(odd) << shift
    }

    #[must_use]
    pub fn big(&self, row: usize, column: usize) -> BigInt {
        let (odd, shift) = self.entries[row][column];
        BigInt::from(odd) << shift
    }

    /// Whether `Σ weights_i · row_i = 0`, exactly.
    #[must_use]
    pub fn sum_to_zero(&self, weights: &[BigInt]) -> bool {
        (0..self.columns.len()).all(|column| {
            let mut total = BigInt::default();
            for (row, weight) in self.entries.iter().zip(weights) {
                let (odd, shift) = row[column];
                if odd != 0 {
                    total += (weight * odd) << shift;
                }
            }
            total == BigInt::default()
        })
    }
}
