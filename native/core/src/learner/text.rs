//! Playing batches of text: labels are numbers, known, or learnt on the way.

use super::{Label, LearnError, Learner};
use crate::rows::{Row, Rows, SparseRow, SparseRows, Tidy};
use crate::text::Batch;

/// A batch that was not played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct TextError {
    /// The row of the batch at which it stopped; none if none is to blame.
    pub row: Option<usize>,
    pub error: LearnError,
}

impl From<LearnError> for TextError {
    fn from(error: LearnError) -> Self {
        TextError { row: None, error }
    }
}

/// The rows of a batch.
#[must_use]
pub fn rows_of(batch: &Batch) -> SparseRows<'_, usize, u32, f64> {
    SparseRows::trusted(&batch.starts, &batch.indices, &batch.values, batch.columns)
}

impl Learner {
    /// Plays a batch. The rows before one that is refused, or has a label that may not be, were learnt.
    pub fn play_text(&mut self, batch: &Batch) -> Result<(), TextError> {
        if batch.rows() == 0 {
            return Ok(());
        }
        self.reserve(batch.columns).map_err(|error| {
            let widest = (0..batch.rows()).find(|row| rows_of(batch).row(*row).columns() == batch.columns);
            TextError { row: widest, error }
        })?;
        let mut from = 0;
        while from < batch.rows() {
            // The stretch that the known labels cover; the row after it brings a new one.
            let numbers = self.numbers();
            let known = batch.labels[from..].iter().position(|label| class_among(&numbers, *label).is_none());
            let to = known.map_or(batch.rows(), |at| from + at);
            let refused = |e: LearnError| {
                let row = if let LearnError::Refused { row, .. } = e { Some(row) } else { None };
                TextError { row, error: e }
            };
            self.play(&rows_of(batch), from..to, |row| class_among(&numbers, batch.labels[row]).unwrap_or(0))
                .map_err(refused)?;
            if to < batch.rows() {
                self.meet(&Label::Number(batch.labels[to])).map_err(|error| TextError { row: Some(to), error })?;
            }
            from = to;
        }
        Ok(())
    }

    /// The labels as numbers; text labels are none that a number could equal.
    fn numbers(&self) -> Vec<f64> {
        self.labels.iter().map(|label| label.number().unwrap_or(f64::NAN)).collect()
    }

    /// Predicts every row of a batch: calls `each(row, class, scores)`.
    pub fn predict_text(
        &self,
        batch: &Batch,
        room: &mut Tidy,
        mut each: impl FnMut(usize, usize, &[f64]),
    ) -> Result<(), TextError> {
        let rows = rows_of(batch);
        let mut scores = vec![0.0; self.scores_per_row()];
        for at in 0..rows.len() {
            let row: SparseRow<'_, u32, f64> = rows.row(at);
            debug_assert!(row.columns() <= batch.columns);
            let class = self
                .predict_one(&row, &mut scores, room)
                .map_err(|refusal| TextError { row: Some(at), error: LearnError::Refused { row: at, refusal } })?;
            each(at, class, &scores);
        }
        Ok(())
    }
}

/// The class of a numeric label. Labels are sorted; two are the common case.
#[inline]
pub(super) fn class_among(numbers: &[f64], label: f64) -> Option<usize> {
    match *numbers {
        [negative, positive] => {
            if label == positive {
                Some(1)
            } else if label == negative {
                Some(0)
            } else {
                None
            }
        }
        _ => numbers.binary_search_by(|known| known.total_cmp(&(label + 0.0))).ok(),
    }
}
