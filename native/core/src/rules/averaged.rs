//! The averaged Perceptron: plays the Perceptron's game, predicts with the average hypothesis.
//!
//! The average is over the hypotheses as they stood after each of the T rounds, so that one that
//! survives c rounds counts c times (Freund and Schapire's c_k). An update at round t is part of
//! T + 1 − t of them, hence
//!
//!     T · average = Σ_updates (T + 1 − t) y x = (T + 1) w − s,   s = Σ_updates t y x
//!
//! which needs one more vector and no work on rounds without a mistake.

use super::{Change, Perceptron, Rule, Tie, Weights};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

#[derive(Clone, Debug)]
pub struct AveragedPerceptron {
    plain: Perceptron,
    /// s, the updates weighted by their round.
    timed: Weights,
}

impl AveragedPerceptron {
    #[must_use]
    pub fn new(vectors: usize, has_bias: bool) -> Self {
        AveragedPerceptron { plain: Perceptron::new(vectors, has_bias), timed: Weights::zeros(vectors) }
    }
}

/// ((T + 1) now − timed) / T
fn average(now: f64, timed: f64, rounds: u64) -> f64 {
    let rounds = rounds.max(1) as f64;
    ((rounds + 1.0) * now - timed) / rounds
}

impl Rule for AveragedPerceptron {
    #[inline(always)]
    fn scoring(&self) -> &Weights {
        self.plain.scoring()
    }

    const DECIDES_AS_IT_PLAYS: bool = false;

    fn grow(&mut self, columns: usize) {
        self.plain.grow(columns);
        self.timed.grow(columns, 0.0);
    }

    fn bytes_per_column(&self) -> usize {
        16 * self.vectors()
    }

    #[inline]
    fn change<R: Row>(&mut self, row: &R, changes: &[Change], round: u64) {
        self.plain.change(row, changes, round);
        for change in changes {
            self.timed.add(change.of, row, change.direction * round as f64, self.plain.has_bias);
        }
    }

    fn decide<R: Row>(&self, row: &R, scores: &mut [f64], rounds: u64, _tie: Tie) {
        for (vector, score) in scores.iter_mut().enumerate() {
            let now = row.dot(self.weights(vector)) + self.bias(vector);
            let timed = row.dot(&self.timed.vectors[vector]) + self.timed.biases[vector];
            *score = average(now, timed, rounds);
        }
    }

    fn coefficients(&self, vector: usize, rounds: u64) -> Option<Vec<f64>> {
        let pairs = self.weights(vector).iter().zip(&self.timed.vectors[vector]);
        let mut all: Vec<f64> = pairs.map(|(now, timed)| average(*now, *timed, rounds)).collect();
        all.push(average(self.bias(vector), self.timed.biases[vector], rounds));
        Some(all)
    }

    fn save(&self, tensors: &mut Tensors) {
        self.plain.save(tensors);
        self.timed.save("timed", tensors);
    }

    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        let vectors = fresh.vectors();
        let plain = Perceptron::load(fresh.plain, tensors)?;
        let timed = Weights::load("timed", vectors, tensors)?;
        tensors.must_match("timed", timed.vectors[0].len(), plain.weights(0).len())?;
        Ok(AveragedPerceptron { plain, timed })
    }
}
