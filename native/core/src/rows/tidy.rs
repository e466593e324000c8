//! A row put in order: stored zeros dropped, values checked, length made 1 if asked.

use super::{Engine, Row, SparseRow};
use crate::exact::sum::decode;

/// Why a row cannot be played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Untidy {
    /// This column holds NaN or an infinity.
    NotFinite { column: usize, value: f64 },
    /// The values are finite, their squares add up to infinity.
    TooLong,
}

/// Room for one tidied row; reused from row to row.
#[derive(Default)]
pub struct Tidy {
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Tidy {
    /// Copies the row without its zeros. With `unit` each value is divided by ‖x‖, the square root
    /// of the sum of squares in column order; a row of zeros stays as it is.
    pub fn tidy(&mut self, row: &impl Row, unit: bool) -> Result<SparseRow<'_, u32, f64>, Untidy> {
        self.indices.clear();
        self.values.clear();
        let (mut bad, mut squares) = (None, 0.0);
        row.for_each(|column, value| {
            if !value.is_finite() && bad.is_none() {
                bad = Some(Untidy::NotFinite { column, value });
            }
            if value != 0.0 {
                // A column fits in 32 bits: the weights' memory limit is far below.
                self.indices.push(column as u32);
                self.values.push(value);
                squares += value * value;
            }
        });
        if let Some(bad) = bad {
            return Err(bad);
        }
        if unit {
            unit_length(&mut self.values);
            self.drop_zeros();
        } else if !squares.is_finite() {
            return Err(Untidy::TooLong);
        }
        Ok(self.row())
    }

    /// Takes the entries of a row as they come, in any order of columns. Answers a column that came twice.
    pub fn gather(&mut self, entries: impl Iterator<Item = (u32, f64)>) -> Result<SparseRow<'_, u32, f64>, u32> {
        self.indices.clear();
        self.values.clear();
        let mut rising = true;
        for (index, value) in entries {
            rising &= self.indices.last().is_none_or(|last| *last < index);
            self.indices.push(index);
            self.values.push(value);
        }
        if !rising {
            let mut both: Vec<(u32, f64)> = self.indices.iter().copied().zip(self.values.iter().copied()).collect();
            both.sort_by_key(|(index, _)| *index);
            if let Some(pair) = both.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(pair[0].0);
            }
            for (k, (index, value)) in both.into_iter().enumerate() {
                (self.indices[k], self.values[k]) = (index, value);
            }
        }
        Ok(self.row())
    }

    /// Begins a row of these columns, which rise strictly. The caller fills in the values.
    pub fn with_columns(&mut self, columns: &[u32]) -> &mut [f64] {
        self.indices.clear();
        self.indices.extend_from_slice(columns);
        self.values.resize(columns.len(), 0.0);
        &mut self.values
    }

    /// The row that was made last.
    #[must_use]
    pub fn row(&self) -> SparseRow<'_, u32, f64> {
        SparseRow { indices: &self.indices, values: &self.values, engine: Engine::best() }
    }

    /// Division by the length may underflow to zero.
    fn drop_zeros(&mut self) {
        let mut kept = 0;
        for k in 0..self.values.len() {
            if self.values[k] != 0.0 {
                self.values[kept] = self.values[k];
                self.indices[kept] = self.indices[k];
                kept += 1;
            }
        }
        self.values.truncate(kept);
        self.indices.truncate(kept);
    }
}

/// Divides finite values by their norm: squares added in order, one square root, one division.
/// Zeros alone stay as they are.
pub fn unit_length(values: &mut [f64]) {
    let sum_of_squares = |values: &[f64]| values.iter().fold(0.0, |sum, v| sum + v * v);
    let mut squares = sum_of_squares(values);
    // Far from 1 the squares would over- or underflow; a power of two changes no digit.
    if !(1e-280..=1e280).contains(&squares) {
        let largest = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        if largest == 0.0 {
            return;
        }
        let (mantissa, unit) = decode(largest);
        let exponent = mantissa.ilog2() as i32 + unit;
        // 2^1074 is no double: half of it twice.
        let half = -exponent.min(0) / 2;
        let (first, second) = (2f64.powi(half), 2f64.powi(-exponent - half));
        values.iter_mut().for_each(|v| *v = *v * first * second);
        squares = sum_of_squares(values);
    }
    let length = squares.sqrt();
    values.iter_mut().for_each(|v| *v /= length);
}
