//! The rules: how each learner scores a row, and how it changes on a mistake. One rule a file.
//!
//! A rule keeps one weight vector for two classes (class 1 is positive), or one a class for more. It
//! knows nothing of rounds, ties or mistakes: the game asks for scores and says when to change.

mod averaged;
mod balanced_winnow;
mod perceptron;
mod pnorm;
mod settings;
mod voted;
mod winnow;

pub use averaged::AveragedPerceptron;
pub use balanced_winnow::BalancedWinnow;
pub use perceptron::Perceptron;
pub use pnorm::PNorm;
pub use settings::{BadSettings, Demotion, RuleSettings, Settings, Tie};
pub use voted::VotedPerceptron;
pub use winnow::Winnow;

use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

/// A row that a rule does not take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfDomain {
    pub column: usize,
    pub value: f64,
    /// What is wrong and what the rule takes, in words.
    pub expected: &'static str,
}

/// One change: vector `of` moves towards the row (`direction` +1) or away from it (−1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    pub of: usize,
    pub direction: f64,
}

/// What every rule can do.
pub trait Rule: Clone + Send {
    /// What the game scores with: one vector where there are two classes, else one a class.
    fn scoring(&self) -> &Weights;

    #[inline(always)]
    fn weights(&self, vector: usize) -> &[f64] {
        &self.scoring().vectors[vector]
    }

    /// The weight of the constant 1; 0 where there is no bias.
    #[inline(always)]
    fn bias(&self, vector: usize) -> f64 {
        self.scoring().biases[vector]
    }

    /// How many vectors there are.
    #[inline(always)]
    fn vectors(&self) -> usize {
        self.scoring().biases.len()
    }

    /// Subtracted from every score.
    fn threshold(&self) -> f64 {
        0.0
    }

    /// Makes room for columns up to `columns`, as if they had been there from the start.
    fn grow(&mut self, columns: usize);

    /// Bytes that a column takes.
    fn bytes_per_column(&self) -> usize;

    /// Bytes that the rule keeps beside its columns.
    fn bytes_beside(&self) -> usize {
        0
    }

    /// Says whether the rule takes a row of such values. Most take any.
    fn admit<R: Row>(&self, _row: &R) -> Result<(), OutOfDomain> {
        Ok(())
    }

    /// Learns from a mistake made at `round` (the first is 1).
    fn change<R: Row>(&mut self, row: &R, changes: &[Change], round: u64);

    /// The p of the norm that this rule's bound speaks of, where that is not 2.
    fn norm(&self) -> Option<f64> {
        None
    }

    /// Whether `decide` is the score that the game is played with: then one look at a row is enough.
    const DECIDES_AS_IT_PLAYS: bool = true;

    /// The score that predicts after `rounds` rounds. The online hypothesis, for most.
    fn decide<R: Row>(&self, row: &R, scores: &mut [f64], _rounds: u64, _tie: Tie) {
        for (vector, score) in scores.iter_mut().enumerate() {
            *score = row.dot(self.weights(vector)) + self.bias(vector) - self.threshold();
        }
    }

    /// The coefficients behind `decide`, the bias last; `None` where no single vector is.
    fn coefficients(&self, vector: usize, _rounds: u64) -> Option<Vec<f64>> {
        let mut all = self.weights(vector).to_vec();
        all.push(self.bias(vector) - self.threshold());
        Some(all)
    }

    /// What an unseen column weighs: 0, but for Winnow.
    fn unseen(&self) -> f64 {
        0.0
    }

    /// Everything that the next round needs, by name.
    fn save(&self, tensors: &mut Tensors);

    /// The rule as it was saved. `fresh` is a new rule of the same settings.
    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors>
    where
        Self: Sized;
}

/// One weight vector a class, or one in all, and the weights of the constant 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    pub vectors: Vec<Vec<f64>>,
    pub biases: Vec<f64>,
}

impl Weights {
    #[must_use]
    pub fn zeros(vectors: usize) -> Self {
        Weights { vectors: vec![Vec::new(); vectors], biases: vec![0.0; vectors] }
    }

    pub fn grow(&mut self, columns: usize, value: f64) {
        for vector in &mut self.vectors {
            if vector.len() < columns {
                vector.resize(columns, value);
            }
        }
    }

    /// Adds `scale` times the row, and to the bias `scale` times 1 if there is one.
    #[inline]
    pub fn add<R: Row>(&mut self, vector: usize, row: &R, scale: f64, bias: bool) {
        row.add_to(&mut self.vectors[vector], scale);
        if bias {
            self.biases[vector] += scale;
        }
    }

    pub fn save(&self, name: &str, tensors: &mut Tensors) {
        tensors.put_matrix(name, &self.vectors);
        tensors.put(&format!("{name}_bias"), self.biases.clone());
    }

    pub fn load(name: &str, vectors: usize, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        Ok(Weights {
            vectors: tensors.take_matrix(name, vectors)?,
            biases: tensors.take(&format!("{name}_bias"), Some(vectors))?,
        })
    }
}
