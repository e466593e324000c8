//! Winnow (T6–T8): predict positive when w·x reaches the threshold θ, from w = 1.
//!
//! On a missed positive every weight is promoted, w_i ← w_i β^(x_i); on a false alarm demoted,
//! w_i ← w_i β^(−x_i), or set to 0 where x_i > 0 (elimination). β = 2 and θ = n are the lectures' rule
//! for disjunctions, β = 1 + 1/(2k) that for k-of-r, β = 1 + δ/2 the one for general thresholds.
//!
//! What is kept of a weight is its exponent, the sum of ±x_i over its updates: exact for x in {0,1}
//! and never under- or overflowing, however often a weight goes down before it comes up again. The
//! weight itself is worked out from it when it changes.
//!
//! With more than two classes each has its vector; the true class's is promoted, the predicted one's
//! demoted, and the threshold, the same for all, decides nothing.

use super::{Change, Demotion, OutOfDomain, Rule, Weights};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

/// Above β^e = e^600 a weight stays there. Only values far outside [0, 1] lead so far (T8: w ≤ βθ).
const LARGEST_LOGARITHM: f64 = 600.0;

#[derive(Clone, Debug)]
pub struct Winnow {
    has_bias: bool,
    threshold: f64,
    factor: f64,
    demotion: Demotion,
    /// log_β of the weights; −∞ where eliminated.
    exponents: Weights,
    weights: Weights,
}

impl Winnow {
    #[must_use]
    pub fn new(vectors: usize, has_bias: bool, threshold: f64, factor: f64, demotion: Demotion) -> Self {
        let mut weights = Weights::zeros(vectors);
        if has_bias {
            weights.biases.fill(1.0);
        }
        Winnow { has_bias, threshold, factor, demotion, exponents: Weights::zeros(vectors), weights }
    }
}

/// β^e, no larger than e^600.
fn power(factor: f64, exponent: f64) -> f64 {
    let ceiling = LARGEST_LOGARITHM / factor.ln();
    factor.powf(exponent.min(ceiling))
}

/// The exponent after one update by `x`.
fn moved(exponent: f64, x: f64, direction: f64, demotion: Demotion) -> f64 {
    match demotion {
        Demotion::Eliminate if direction < 0.0 => {
            if x > 0.0 {
                f64::NEG_INFINITY
            } else {
                exponent
            }
        }
        _ => exponent + direction * x,
    }
}

impl Rule for Winnow {
    #[inline(always)]
    fn scoring(&self) -> &Weights {
        &self.weights
    }

    fn threshold(&self) -> f64 {
        self.threshold
    }

    fn grow(&mut self, columns: usize) {
        self.exponents.grow(columns, 0.0);
        self.weights.grow(columns, 1.0);
    }

    fn bytes_per_column(&self) -> usize {
        16 * self.vectors()
    }

    #[inline]
    fn admit<R: Row>(&self, row: &R) -> Result<(), OutOfDomain> {
        let mut stranger = None;
        row.for_each(|column, value| {
            if value < 0.0 {
                stranger.get_or_insert((column, value));
            }
        });
        match stranger {
            None => Ok(()),
            Some((column, value)) => Err(OutOfDomain {
                column,
                value,
                expected: "Negative values in data: Winnow's rows lie in [0, 1], balanced Winnow takes any sign",
            }),
        }
    }

    fn change<R: Row>(&mut self, row: &R, changes: &[Change], _round: u64) {
        for change in changes {
            let (exponents, weights) = (&mut self.exponents.vectors[change.of], &mut self.weights.vectors[change.of]);
            row.for_each(|column, x| {
                exponents[column] = moved(exponents[column], x, change.direction, self.demotion);
                weights[column] = power(self.factor, exponents[column]);
            });
            if self.has_bias {
                let bias = &mut self.exponents.biases[change.of];
                *bias = moved(*bias, 1.0, change.direction, self.demotion);
                self.weights.biases[change.of] = power(self.factor, *bias);
            }
        }
    }

    fn norm(&self) -> Option<f64> {
        Some(f64::INFINITY)
    }

    fn unseen(&self) -> f64 {
        1.0
    }

    fn save(&self, tensors: &mut Tensors) {
        self.exponents.save("exponents", tensors);
    }

    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        let exponents = tensors.allowing_minus_infinity(|t| Weights::load("exponents", fresh.vectors(), t))?;
        let work_out = |e: &Vec<f64>| e.iter().map(|e| power(fresh.factor, *e)).collect::<Vec<f64>>();
        let vectors = exponents.vectors.iter().map(work_out).collect();
        let biases = if fresh.has_bias { work_out(&exponents.biases) } else { fresh.weights.biases };
        Ok(Winnow { exponents, weights: Weights { vectors, biases }, ..fresh })
    }
}
