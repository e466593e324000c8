//! The Perceptron (T2–T4): w ← w + y x on a mistake.
//!
//! With more than two classes the true class's vector gains x and the predicted one's loses it. For
//! two classes that is the same game: the two vectors are w and −w.

use super::{Change, Rule, Weights};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

#[derive(Clone, Debug)]
pub struct Perceptron {
    pub(super) weights: Weights,
    pub(super) has_bias: bool,
}

impl Perceptron {
    #[must_use]
    pub fn new(vectors: usize, has_bias: bool) -> Self {
        Perceptron { weights: Weights::zeros(vectors), has_bias }
    }
}

impl Rule for Perceptron {
    #[inline(always)]
    fn scoring(&self) -> &Weights {
        &self.weights
    }

    fn grow(&mut self, columns: usize) {
        self.weights.grow(columns, 0.0);
    }

    fn bytes_per_column(&self) -> usize {
        8 * self.vectors()
    }

    #[inline]
    fn change<R: Row>(&mut self, row: &R, changes: &[Change], _round: u64) {
        for change in changes {
            self.weights.add(change.of, row, change.direction, self.has_bias);
        }
    }

    fn save(&self, tensors: &mut Tensors) {
        self.weights.save("weights", tensors);
    }

    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        Ok(Perceptron { weights: Weights::load("weights", fresh.vectors(), tensors)?, ..fresh })
    }
}
