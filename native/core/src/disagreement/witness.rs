//! From a cell that the search believes in to a direction in doubles whose errors are counted exactly.

use super::exact::dot_sign;
use super::flats::{Found, Judge};
use super::nearest::{Nearest, dot, nearest_point};
use super::rows::{Rows, Weight};

/// The incumbent: coefficients for the data as given, and the net errors they make on merged rows.
#[derive(Clone)]
pub struct Incumbent {
    pub errors: Weight,
    pub given: Vec<f64>,
}

/// Is `z·w > 0`, exactly?
#[must_use]
pub fn is_right(row: &[f64], w: &[f64]) -> bool {
    sign(row, w) > 0
}

/// The exact sign of `z·w`.
#[must_use]
pub fn sign(row: &[f64], w: &[f64]) -> i32 {
    let (mut value, mut size) = (0.0, 0.0);
    for (a, b) in row.iter().zip(w) {
        value += a * b;
        size += (a * b).abs();
    }
    let doubt = (row.len() as f64 + 2.0) * f64::EPSILON * size + 1e-300;
    if value > doubt {
        1
    } else if value < -doubt {
        -1
    } else {
        dot_sign(row.iter().copied().zip(w.iter().copied()))
    }
}

/// Net errors of coefficients on the merged rows, counted exactly, a tie being an error.
#[must_use]
pub fn net_errors(rows: &Rows, w: &[f64]) -> Weight {
    let mut total = 0;
    for k in 0..rows.count() {
        if !is_right(rows.given_row(k), w) {
            total += rows.weights[k];
        }
    }
    total
}

/// Makes directions of cells; keeps the best.
pub struct Witness<'a> {
    pub rows: &'a Rows,
    pub incumbent: Incumbent,
}

impl Witness<'_> {
    /// Takes coefficients if they err less.
    pub fn offer(&mut self, given: &[f64]) -> Weight {
        let errors = net_errors(self.rows, given);
        if errors < self.incumbent.errors {
            self.incumbent = Incumbent { errors, given: given.to_vec() };
        }
        errors
    }
}

impl Judge for Witness<'_> {
    fn judge(&mut self, found: &Found) -> Option<Weight> {
        let rows = self.rows;
        let mut right: Vec<bool> = (0..rows.count()).map(|i| dot(rows.row(i), &found.direction) > 0.0).collect();
        for (id, side) in &found.sides {
            right[*id as usize] = *side > 0;
        }
        let wrong: Weight = (0..rows.count()).filter(|i| !right[*i]).map(|i| rows.weights[i]).sum();
        if wrong > found.errors {
            return None;
        }
        let kept: Vec<usize> = (0..rows.count()).filter(|i| right[*i]).collect();
        if kept.is_empty() {
            return None;
        }
        let limit = 200 + 40 * rows.m;
        match nearest_point(rows.m, kept.len(), |i| rows.row(kept[i]), limit) {
            Nearest::Separates(u) => Some(self.offer(&rows.to_given(&u))),
            Nearest::Conflict(_) | Nearest::Unclear => None,
        }
    }
}
