//! The p-norm Perceptron (T9): θ ← θ + y x on a mistake, w_i = sgn(θ_i) |θ_i|^(p−1).
//!
//! p = 2 is the Perceptron. Only the sign of w·x matters, so w may be scaled by any positive number:
//! it is kept as sgn(θ_i) (|θ_i| / s)^(p−1) with s a power of two, the same for all classes and never
//! below the largest |θ_i| there has been, so that no power overflows and the largest weights stay
//! near 1. s only grows, and w is worked out anew when it does: at most once a doubling.

use super::{Change, Rule, Weights};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

#[derive(Clone, Debug)]
pub struct PNorm {
    p: f64,
    has_bias: bool,
    /// θ
    sums: Weights,
    /// w, what the game scores with.
    weights: Weights,
    /// s; 0 before the first update.
    scale: f64,
}

/// sgn(θ) (|θ| / s)^(p−1)
#[inline]
fn link(sum: f64, scale: f64, p: f64) -> f64 {
    if p == 2.0 { sum / scale } else { (sum.abs() / scale).powf(p - 1.0).copysign(sum) }
}

impl PNorm {
    #[must_use]
    pub fn new(vectors: usize, has_bias: bool, p: f64) -> Self {
        PNorm { p, has_bias, sums: Weights::zeros(vectors), weights: Weights::zeros(vectors), scale: 0.0 }
    }

    fn link_all(&mut self) {
        let pairs = self.sums.vectors.iter().flatten().zip(self.weights.vectors.iter_mut().flatten());
        for (sum, weight) in pairs.chain(self.sums.biases.iter().zip(self.weights.biases.iter_mut())) {
            *weight = if self.scale > 0.0 { link(*sum, self.scale, self.p) } else { 0.0 };
        }
    }
}

/// The smallest power of two that is not below a positive value; the largest there is for huge ones.
fn power_of_two_from(value: f64) -> f64 {
    let power = 2f64.powi((value.log2().ceil() as i32).clamp(-1022, 1023));
    if power < value { power * 2.0 } else { power }
}

impl Rule for PNorm {
    #[inline(always)]
    fn scoring(&self) -> &Weights {
        &self.weights
    }

    fn grow(&mut self, columns: usize) {
        self.sums.grow(columns, 0.0);
        self.weights.grow(columns, 0.0);
    }

    fn bytes_per_column(&self) -> usize {
        16 * self.vectors()
    }

    fn change<R: Row>(&mut self, row: &R, changes: &[Change], _round: u64) {
        let mut largest = 0.0f64;
        for change in changes {
            self.sums.add(change.of, row, change.direction, self.has_bias);
            let sums = &self.sums.vectors[change.of];
            row.for_each(|column, _| largest = largest.max(sums[column].abs()));
            largest = largest.max(self.sums.biases[change.of].abs());
        }
        if largest > self.scale {
            self.scale = power_of_two_from(largest);
            self.link_all();
        } else if self.scale > 0.0 {
            for change in changes {
                let (sums, weights) = (&self.sums.vectors[change.of], &mut self.weights.vectors[change.of]);
                row.for_each(|column, _| weights[column] = link(sums[column], self.scale, self.p));
                self.weights.biases[change.of] = link(self.sums.biases[change.of], self.scale, self.p);
            }
        }
    }

    fn norm(&self) -> Option<f64> {
        Some(self.p)
    }

    fn save(&self, tensors: &mut Tensors) {
        self.sums.save("sums", tensors);
        tensors.put("scale", vec![self.scale]);
    }

    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        let sums = Weights::load("sums", fresh.vectors(), tensors)?;
        let scale = tensors.take::<f64>("scale", Some(1))?[0];
        if !(scale.is_finite() && scale >= 0.0) {
            return Err(BadTensors(format!("scale must be finite and not negative, but is {scale}")));
        }
        let mut rule = PNorm { weights: sums.clone(), sums, scale, ..fresh };
        rule.link_all();
        Ok(rule)
    }
}
