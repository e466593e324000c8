//! What errors cost, added without rounding.

use super::exact::split;
use super::rows::BadRows;

/// Weights as exact multiples of one power of two.
pub type Weight = i128;

/// What errors cost: whole multiples of one power of two.
pub struct Weights {
    pub fixed: Vec<Weight>,
    /// A weight of 1 is `2^unit`.
    pub unit: i32,
}

impl Weights {
    /// Checks the labels, and the weights if there are any.
    pub fn new(rows: usize, labels: &[f64], weights: Option<&[f64]>) -> Result<Self, BadRows> {
        let found = weights.map_or(rows, <[f64]>::len);
        if labels.len() != rows || found != rows {
            return Err(BadRows::Lengths { rows, labels: labels.len(), weights: found });
        }
        if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
            return Err(BadRows::Label { row });
        }
        let Some(weights) = weights else { return Ok(Weights { fixed: vec![1; rows], unit: 0 }) };
        if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            return Err(BadRows::Weight { row });
        }
        let parts: Vec<(i64, i32)> = weights.iter().map(|w| split(*w)).collect();
        let least = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0).min(0);
        let mut fixed = Vec::with_capacity(rows);
        for (mantissa, exponent) in parts {
            let shift = if mantissa == 0 { 0 } else { exponent - least };
            let bits = 64 - mantissa.leading_zeros() as i32;
            // 2^116 leaves room for the sum of 2^10 rows of full width, or 2^60 of weight one.
            if bits + shift > 116 - (usize::BITS - rows.leading_zeros()) as i32 {
                return Err(BadRows::WeightRange);
            }
            fixed.push(Weight::from(mantissa) << shift);
        }
        Ok(Weights { fixed, unit: -least })
    }

    /// The weight, as a double.
    #[must_use]
    pub fn in_units(&self, weight: Weight) -> f64 {
        let (mut value, mut unit) = (weight, self.unit);
        while unit > 0 && value & 1 == 0 && value != 0 {
            value >>= 1;
            unit -= 1;
        }
        value as f64 * (-f64::from(unit)).exp2()
    }
}
