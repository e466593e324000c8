//! From a cell that the search believes in to a direction in doubles whose errors are counted exactly.

use super::Limits;
use super::descent::Dice;
use super::exact::dot_sign;
use super::flats::{Found, Judge, Verdict};
use super::nearest::{Nearest, dot, nearest_point, norm};
use super::rows::Rows;
use super::thin::middle;
use super::weights::Weight;

/// The incumbent: coefficients for the data as given, and the net errors they make on merged rows.
#[derive(Clone)]
pub struct Incumbent {
    pub errors: Weight,
    pub given: Vec<f64>,
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
        match sign(rows.given_row(k), w) {
            1 => {}
            0 => total += rows.weights[k] + rows.lighter[k],
            _ => total += rows.weights[k],
        }
    }
    total + rows.balanced().iter().filter(|(row, _)| sign(row, w) == 0).map(|(_, weight)| weight).sum::<Weight>()
}

/// Is some row that matters exactly on the plane?
fn has_tie(rows: &Rows, w: &[f64]) -> bool {
    (0..rows.count()).any(|k| sign(rows.given_row(k), w) == 0)
        || rows.balanced().iter().any(|(row, _)| sign(row, w) == 0)
}

/// Makes directions of cells; keeps the best.
pub struct Witness<'a> {
    pub rows: &'a Rows,
    pub limits: &'a Limits<'a>,
    pub incumbent: Incumbent,
}

impl Witness<'_> {
    /// Takes coefficients if they err less. Those that pass exactly through rows are moved a little as
    /// well: off the planes a tie costs no more.
    pub fn offer(&mut self, given: &[f64]) -> Weight {
        let mut errors = self.take(given);
        // Zero is on every plane, and nowhere near a direction.
        let nowhere = given.iter().all(|v| *v == 0.0) || !given.iter().all(|v| v.is_finite());
        if !nowhere && has_tie(self.rows, given) {
            let mut dice = Dice(7);
            let u = self.rows.from_given(given);
            let size = norm(&u).max(1e-300);
            for step in [1e-12, 1e-9, 1e-6, 1e-3] {
                for _ in 0..3 {
                    errors = errors.min(self.take(&self.rows.nudged(given, step * size, &mut dice)));
                }
            }
        }
        errors
    }

    fn take(&mut self, given: &[f64]) -> Weight {
        if !given.iter().all(|v| v.is_finite()) {
            return Weight::MAX;
        }
        let errors = net_errors(self.rows, given);
        if errors < self.incumbent.errors {
            self.incumbent = Incumbent { errors, given: given.to_vec() };
        }
        errors
    }
}

impl Judge for Witness<'_> {
    fn judge(&mut self, found: &Found) -> Verdict {
        let rows = self.rows;
        let mut right: Vec<bool> = (0..rows.count()).map(|i| dot(rows.row(i), &found.direction) > 0.0).collect();
        for (id, side) in &found.sides {
            right[*id as usize] = *side > 0;
        }
        let wrong: Weight = (0..rows.count()).filter(|i| !right[*i]).map(|i| rows.weights[i]).sum();
        let kept: Vec<usize> = (0..rows.count()).filter(|i| right[*i]).collect();
        if wrong > found.errors || kept.is_empty() {
            return Verdict::Unclear;
        }
        let limit = 200 + 40 * rows.m;
        if let Nearest::Separates(u) = nearest_point(rows.m, kept.len(), |i| rows.row(kept[i]), limit, self.limits) {
            let errors = self.offer(&rows.to_given(&u));
            if errors <= found.errors {
                return Verdict::Made(errors);
            }
        }
        let Some(middle) = middle(rows, &kept, &found.direction, self.limits) else { return Verdict::Unclear };
        match middle.in_doubles(rows).map(|w| self.take(&w)) {
            Some(errors) if errors <= found.errors => Verdict::Made(errors),
            _ => Verdict::TooThin,
        }
    }
}
