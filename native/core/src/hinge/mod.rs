//! The soft-margin comparator: dual coordinate descent for the hinge loss.
//!
//! Given rows `x_i`, labels `y_i` in {−1, +1} and `C > 0`, find `u` that minimises
//!
//! ```text
//!     ½‖u‖² + C · Σ_i max(0, 1 − y_i u·x_i)
//! ```
//!
//! by its dual, `min_α ½‖Σ α_i y_i x_i‖² − Σ α_i` over `0 ≤ α_i ≤ C`, one coordinate at a time
//! (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008, Algorithm 3):
//!
//! ```text
//!     repeat, for i in a random order:
//!         G ← y_i u·x_i − 1
//!         α' ← clamp(α_i − G/‖x_i‖², 0, C);   u ← u + (α' − α_i) y_i x_i;   α_i ← α'
//! ```
//!
//! Departures: coordinates stuck at a bound are left out until the rest has converged (their
//! "shrinking"); a bias is a constant appended to every row; `α` and `u` are kept between calls, so
//! that a path of rising `C` starts each problem from the last one's answer; and every limit (passes,
//! seconds, the caller's wish) is looked at between chunks of work. Any `u` is a valid comparator in
//! T4, so a solve that was cut short still is of use.

mod rows;

use std::time::{Duration, Instant};

use crate::matrix::Matrix;
use rows::Rows;

/// Why a problem cannot be solved.
#[derive(Clone, Debug, PartialEq)]
pub enum HingeError {
    Labels { expected: usize, found: usize },
    Label { row: usize, found: f64 },
    Penalty(f64),
    Bias(f64),
}

impl std::fmt::Display for HingeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HingeError::Labels { expected, found } => {
                write!(f, "{expected} rows need as many labels, found {found}")
            }
            HingeError::Label { row, found } => write!(f, "row {row}: a label should be -1 or +1, but is {found}"),
            HingeError::Penalty(c) => write!(f, "penalty should be positive and finite, but is {c}"),
            HingeError::Bias(b) => write!(f, "bias should be finite, but is {b}"),
        }
    }
}

impl std::error::Error for HingeError {}

/// How far a solve may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest violation of optimality that counts as none.
    pub tolerance: f64,
    pub passes: usize,
    pub time: Duration,
}

/// What a solve came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub passes: usize,
    pub converged: bool,
    pub squared_norm: f64,
    pub hinge: f64,
}

/// How many coordinates are visited between two looks at the clock.
const CHUNK: usize = 1024;

/// The problem with its current dual and primal points.
pub struct Hinge<'a> {
    rows: Rows<'a>,
    labels: &'a [f64],
    curvature: Vec<f64>,
    alpha: Vec<f64>,
    u: Vec<f64>,
    random: u64,
}

impl<'a> Hinge<'a> {
    /// A problem at `u = 0`. `bias` is the constant appended to each row; 0 for none.
    pub fn new(matrix: Matrix<'a>, labels: &'a [f64], bias: f64, seed: u64) -> Result<Self, HingeError> {
        if labels.len() != matrix.rows() {
            return Err(HingeError::Labels { expected: matrix.rows(), found: labels.len() });
        }
        if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
            return Err(HingeError::Label { row, found: labels[row] });
        }
        if !bias.is_finite() {
            return Err(HingeError::Bias(bias));
        }
        let rows = Rows::new(matrix, bias);
        let curvature = (0..rows.len()).map(|i| rows.squared_norm(i)).collect();
        // Multiplying by an odd constant and setting a bit keeps xorshift away from its fixed point 0.
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        Ok(Hinge { rows, labels, curvature, alpha: vec![0.0; labels.len()], u: vec![0.0; rows.width()], random })
    }

    /// The comparator, the bias's weight last (0 without a bias).
    #[must_use]
    pub fn u(&self) -> &[f64] {
        &self.u
    }

    /// Moves towards the optimum for the penalty `c`, from where the last call ended. `stop` is asked
    /// every so often whether the caller has had enough.
    pub fn solve(&mut self, c: f64, limits: Limits, mut stop: impl FnMut() -> bool) -> Result<Outcome, HingeError> {
        if !(c > 0.0 && c.is_finite()) {
            return Err(HingeError::Penalty(c));
        }
        let deadline = Instant::now().checked_add(limits.time);
        let mut enough = || stop() || deadline.is_some_and(|d| Instant::now() >= d);
        self.fit_box(c);
        let all: Vec<u32> = (0..self.labels.len() as u32).filter(|i| self.curvature[*i as usize] > 0.0).collect();
        let mut active = all.clone();
        let (mut upper, mut lower) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut passes, mut converged, mut stopped) = (0, active.is_empty(), false);
        while passes < limits.passes && !converged && !stopped {
            passes += 1;
            let (mut most, mut least) = (f64::NEG_INFINITY, f64::INFINITY);
            let mut kept = active.len();
            let mut at = 0;
            while at < kept {
                if at % CHUNK == 0 && enough() {
                    stopped = true;
                    break;
                }
                // Fisher–Yates as we go: the visited part is a random sample of the rest.
                let other = at + self.next_below(kept - at);
                active.swap(at, other);
                let i = active[at] as usize;
                let gradient = self.labels[i] * self.rows.dot(i, &self.u) - 1.0;
                let alpha = self.alpha[i];
                if (alpha == 0.0 && gradient > upper) || (alpha == c && gradient < lower) {
                    kept -= 1;
                    active.swap(at, kept);
                    continue;
                }
                let projected = match alpha {
                    0.0 => gradient.min(0.0),
                    a if a == c => gradient.max(0.0),
                    _ => gradient,
                };
                most = most.max(projected);
                least = least.min(projected);
                if projected != 0.0 {
                    let moved = (alpha - gradient / self.curvature[i]).clamp(0.0, c);
                    self.alpha[i] = moved;
                    self.rows.add(i, (moved - alpha) * self.labels[i], &mut self.u);
                }
                at += 1;
            }
            if stopped {
                break;
            }
            active.truncate(kept);
            if most - least <= limits.tolerance || active.is_empty() {
                if active.len() == all.len() {
                    converged = true;
                } else {
                    // What was left out is looked at again, with nothing left out this time.
                    active.clone_from(&all);
                    (upper, lower) = (f64::INFINITY, f64::NEG_INFINITY);
                }
                continue;
            }
            upper = if most <= 0.0 { f64::INFINITY } else { most };
            lower = if least >= 0.0 { f64::NEG_INFINITY } else { least };
        }
        Ok(Outcome {
            passes,
            converged,
            squared_norm: self.u.iter().map(|v| v * v).sum(),
            hinge: (0..self.labels.len()).map(|i| (1.0 - self.labels[i] * self.rows.dot(i, &self.u)).max(0.0)).sum(),
        })
    }

    /// Brings a dual point of a larger penalty back into the box, with `u` to match.
    fn fit_box(&mut self, c: f64) {
        for i in 0..self.alpha.len() {
            if self.alpha[i] > c {
                self.rows.add(i, (c - self.alpha[i]) * self.labels[i], &mut self.u);
                self.alpha[i] = c;
            }
        }
    }

    /// xorshift64*, reduced by multiplication; `bound` is at least 1.
    fn next_below(&mut self, bound: usize) -> usize {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let bits = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D);
        ((u128::from(bits) * bound as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests;
