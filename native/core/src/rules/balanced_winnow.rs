//! Balanced Winnow: Winnow for targets whose weights have both signs.
//!
//! Each column has two weights, w⁺ and w⁻, both 1 at first, and counts w⁺ − w⁻; on a mistake
//! w⁺ ← w⁺ β^(y x) and w⁻ ← w⁻ β^(−y x). One is always the inverse of the other, so one exponent e, the
//! sum of y x over the mistakes, stands for both: the column's weight is β^e − β^(−e). The threshold
//! is 0, so a common factor changes nothing, and this is the multiplicative (exponentiated gradient)
//! member of T9's family: with η = ln β, ‖x‖_∞ ≤ X and ‖u‖₁ = 1 of margin γ,
//!
//!     M ≤ ln(2n) / (η γ − η² X² / 2)
//!
//! because Σ(w⁺ + w⁻) starts at 2n, grows by at most e^(η²X²/2) a mistake after the prediction's
//! sign is used (Hoeffding), and is at least e^(η γ M).
//!
//! To keep β^e finite, all weights are divided by β^s once an exponent passes s + 300 / ln β.

use super::{Change, Rule, Weights};
use crate::model::tensors::{BadTensors, Tensors};
use crate::rows::Row;

/// A weight may reach e^300 before the scale moves: products and sums of such stay finite.
const ROOM: f64 = 300.0;

#[derive(Clone, Debug)]
pub struct BalancedWinnow {
    has_bias: bool,
    factor: f64,
    exponents: Weights,
    weights: Weights,
    /// s: weights are kept divided by β^s. Shared by all classes, and only grows.
    shift: f64,
}

impl BalancedWinnow {
    #[must_use]
    pub fn new(vectors: usize, has_bias: bool, factor: f64) -> Self {
        BalancedWinnow {
            has_bias,
            factor,
            exponents: Weights::zeros(vectors),
            weights: Weights::zeros(vectors),
            shift: 0.0,
        }
    }

    fn work_out_all(&mut self) {
        let pairs = self.exponents.vectors.iter().flatten().zip(self.weights.vectors.iter_mut().flatten());
        for (exponent, weight) in pairs.chain(self.exponents.biases.iter().zip(self.weights.biases.iter_mut())) {
            *weight = difference(self.factor, *exponent, self.shift);
        }
    }
}

/// (β^e − β^(−e)) / β^s, exactly odd in e.
fn difference(factor: f64, exponent: f64, shift: f64) -> f64 {
    factor.powf(exponent - shift) - factor.powf(-exponent - shift)
}

impl Rule for BalancedWinnow {
    #[inline(always)]
    fn scoring(&self) -> &Weights {
        &self.weights
    }

    fn grow(&mut self, columns: usize) {
        self.exponents.grow(columns, 0.0);
        self.weights.grow(columns, 0.0);
    }

    fn bytes_per_column(&self) -> usize {
        16 * self.vectors()
    }

    fn change<R: Row>(&mut self, row: &R, changes: &[Change], _round: u64) {
        let mut largest = 0.0f64;
        for change in changes {
            self.exponents.add(change.of, row, change.direction, self.has_bias);
            let exponents = &self.exponents.vectors[change.of];
            row.for_each(|column, _| largest = largest.max(exponents[column].abs()));
            largest = largest.max(self.exponents.biases[change.of].abs());
        }
        if (largest - self.shift) * self.factor.ln() > ROOM {
            self.shift = largest;
            self.work_out_all();
            return;
        }
        for change in changes {
            let (exponents, weights) = (&self.exponents.vectors[change.of], &mut self.weights.vectors[change.of]);
            row.for_each(|column, _| weights[column] = difference(self.factor, exponents[column], self.shift));
            if self.has_bias {
                self.weights.biases[change.of] = difference(self.factor, self.exponents.biases[change.of], self.shift);
            }
        }
    }

    fn norm(&self) -> Option<f64> {
        Some(f64::INFINITY)
    }

    fn save(&self, tensors: &mut Tensors) {
        self.exponents.save("exponents", tensors);
        tensors.put("shift", vec![self.shift]);
    }

    fn load(fresh: Self, tensors: &mut Tensors) -> Result<Self, BadTensors> {
        let exponents = Weights::load("exponents", fresh.vectors(), tensors)?;
        let shift = tensors.take::<f64>("shift", Some(1))?[0];
        if !(shift.is_finite() && shift >= 0.0) {
            return Err(BadTensors(format!("shift must be finite and not negative, but is {shift}")));
        }
        let mut rule = BalancedWinnow { weights: exponents.clone(), exponents, shift, ..fresh };
        rule.work_out_all();
        Ok(rule)
    }
}
