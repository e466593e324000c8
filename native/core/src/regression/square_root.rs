//! Ridge regression online in square-root form: O(d²) a round, stable for ever.
//!
//! Kept are the upper triangle `R` and the vector `z` with `RᵀR = αI + Σ x xᵀ` and `Rᵀz = Σ y x`.
//! A round is
//!
//! ```text
//! p = R⁻ᵀx                         forward substitution
//! predict p·z                      recursive ridge: w_{t−1}·x
//!      or p·z / (1 + p·p)          Vovk–Azoury–Warmuth: x is counted before y is seen
//! rotate (xᵀ, y) into (R, z)       one Givens rotation a row
//! ```
//!
//! Orthogonal rotations are all that ever touches `R`, so that its error grows no faster than the root
//! of the number of rounds; updating `(αI + Σxxᵀ)⁻¹` itself (Sherman–Morrison) loses symmetry and then
//! definiteness. What the rotations leave of `y` is a term of the best offline loss:
//! `min_u Σ(u·x − y)² + α‖u‖² = Σ left²`, with nothing subtracted.

use super::simd;

/// What one round showed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    pub prediction: f64,
}

/// A row is so large that its square overflows; the state is as before the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the squares of the values overflow a double")
    }
}

impl std::error::Error for Overflow {}

/// The plain numbers of a state, for saving.
#[derive(Clone, Debug, PartialEq)]
pub struct Saved {
    pub triangle: Vec<f64>,
    pub target: Vec<f64>,
    /// rounds, loss, its compensation, best offline loss, its compensation, largest |y|, Σ‖x‖².
    pub counters: [f64; 7],
}

/// Recursive ridge (or, `forecaster`, Vovk–Azoury–Warmuth) and its ledger.
#[derive(Clone, Debug)]
pub struct SquareRoot {
    columns: usize,
    alpha: f64,
    forecaster: bool,
    /// Rows of the upper triangle one after another: row i has `columns − i` entries.
    triangle: Vec<f64>,
    target: Vec<f64>,
    row: Vec<f64>,
    solved: Vec<f64>,
    rounds: u64,
    loss: Compensated,
    best: Compensated,
    largest_target: f64,
    squares: f64,
}

/// A sum of many terms that loses none of them (Neumaier).
#[derive(Clone, Copy, Debug, Default)]
struct Compensated {
    sum: f64,
    lost: f64,
}

impl Compensated {
    fn add(&mut self, term: f64) {
        let (sum, lost) = super::double_double::two_sum(self.sum, term);
        self.sum = sum;
        self.lost += lost;
    }

    fn value(self) -> f64 {
        self.sum + self.lost
    }
}

impl SquareRoot {
    /// `alpha` must be positive and finite.
    #[must_use]
    pub fn new(columns: usize, alpha: f64, forecaster: bool) -> Option<Self> {
        if !(alpha > 0.0 && alpha.is_finite()) {
            return None;
        }
        let mut state = SquareRoot {
            columns: 0,
            alpha,
            forecaster,
            triangle: Vec::new(),
            target: Vec::new(),
            row: Vec::new(),
            solved: Vec::new(),
            rounds: 0,
            loss: Compensated::default(),
            best: Compensated::default(),
            largest_target: 0.0,
            squares: 0.0,
        };
        state.grow(columns);
        Some(state)
    }

    /// More columns, which were zero in every row so far.
    pub fn grow(&mut self, columns: usize) {
        if columns <= self.columns {
            return;
        }
        let mut triangle = Vec::with_capacity(columns * (columns + 1) / 2);
        let mut rest = self.triangle.as_slice();
        for i in 0..columns {
            if i < self.columns {
                let (row, after) = rest.split_at(self.columns - i);
                rest = after;
                triangle.extend_from_slice(row);
                triangle.extend(std::iter::repeat_n(0.0, columns - self.columns));
            } else {
                triangle.push(self.alpha.sqrt());
                triangle.extend(std::iter::repeat_n(0.0, columns - i - 1));
            }
        }
        self.triangle = triangle;
        self.target.resize(columns, 0.0);
        self.row.resize(columns, 0.0);
        self.solved.resize(columns, 0.0);
        self.columns = columns;
    }

    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// The row that the next call works on: fill it (it holds what the last call left).
    pub fn row_mut(&mut self) -> &mut [f64] {
        &mut self.row
    }

    /// `p = R⁻ᵀ row` into `solved`; returns the prediction.
    #[inline(always)]
    fn predict_loaded(&mut self) -> f64 {
        self.solved.copy_from_slice(&self.row);
        let mut rest = self.triangle.as_slice();
        let (mut ridge, mut leverage) = (0.0, 0.0);
        for i in 0..self.columns {
            let (row, after) = rest.split_at(self.columns - i);
            rest = after;
            let p = self.solved[i] / row[0];
            ridge += p * self.target[i];
            leverage += p * p;
            if p != 0.0 {
                for (value, r) in self.solved[i + 1..].iter_mut().zip(&row[1..]) {
                    *value -= p * r;
                }
            }
        }
        if self.forecaster { ridge / (1.0 + leverage) } else { ridge }
    }

    /// What the learner would say of the loaded row.
    pub fn predict(&mut self) -> f64 {
        self.predict_loaded()
    }

    /// Predicts the loaded row, then learns its target.
    pub fn learn(&mut self, y: f64) -> Result<Round, Overflow> {
        simd::learn(self, y)
    }

    #[inline(always)]
    pub(super) fn learn_loaded(&mut self, y: f64) -> Result<Round, Overflow> {
        let squares = self.squares + self.row.iter().map(|x| x * x).sum::<f64>();
        let prediction = self.predict_loaded();
        let miss = prediction - y;
        if !(squares.is_finite() && (miss * miss).is_finite() && (y * y).is_finite()) {
            return Err(Overflow);
        }
        self.squares = squares;
        let mut left = y;
        let mut rest = self.triangle.as_mut_slice();
        for i in 0..self.columns {
            let (row, after) = rest.split_at_mut(self.columns - i);
            rest = after;
            let x = self.row[i];
            if x == 0.0 {
                continue;
            }
            let diagonal = row[0];
            let length = length_of(diagonal, x);
            let (cosine, sine) = (diagonal / length, x / length);
            row[0] = length;
            for (r, x) in row[1..].iter_mut().zip(&mut self.row[i + 1..]) {
                let (old_r, old_x) = (*r, *x);
                *r = cosine * old_r + sine * old_x;
                *x = cosine * old_x - sine * old_r;
            }
            let old = self.target[i];
            self.target[i] = cosine * old + sine * left;
            left = cosine * left - sine * old;
        }
        self.rounds += 1;
        self.loss.add(miss * miss);
        self.best.add(left * left);
        self.largest_target = self.largest_target.max(y.abs());
        Ok(Round { prediction })
    }

    /// The weights `w = R⁻¹z`: the ridge solution on all rounds so far.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let mut w = self.target.clone();
        let mut end = self.triangle.len();
        for i in (0..self.columns).rev() {
            let row = &self.triangle[end - (self.columns - i)..end];
            end -= self.columns - i;
            let known: f64 = row[1..].iter().zip(&w[i + 1..]).map(|(r, w)| r * w).sum();
            w[i] = (w[i] - known) / row[0];
        }
        w
    }

    /// `Σ (prediction − y)²` over all rounds.
    #[must_use]
    pub fn loss(&self) -> f64 {
        self.loss.value()
    }

    /// `min_u Σ (u·x − y)² + α‖u‖²` over the same rounds.
    #[must_use]
    pub fn best_offline(&self) -> f64 {
        self.best.value()
    }

    /// `max |y|` over all rounds.
    #[must_use]
    pub fn largest_target(&self) -> f64 {
        self.largest_target
    }

    /// `Σ_i ln(1 + λ_i/α)`, λ the eigenvalues of `Σ x xᵀ`.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        let (mut at, mut sum) = (0, 0.0);
        for i in 0..self.columns {
            let r = self.triangle[at];
            at += self.columns - i;
            sum += 2.0 * r.ln() - self.alpha.ln();
        }
        sum.max(0.0)
    }

    #[must_use]
    pub fn save(&self) -> Saved {
        Saved {
            triangle: self.triangle.clone(),
            target: self.target.clone(),
            counters: [
                self.rounds as f64,
                self.loss.sum,
                self.loss.lost,
                self.best.sum,
                self.best.lost,
                self.largest_target,
                self.squares,
            ],
        }
    }

    /// A state as it was saved; `None` if the numbers cannot be one.
    #[must_use]
    pub fn restore(columns: usize, alpha: f64, forecaster: bool, saved: Saved) -> Option<Self> {
        let wanted = columns.checked_mul(columns.checked_add(1)?)? / 2;
        let counters = saved.counters;
        if saved.triangle.len() != wanted
            || saved.target.len() != columns
            || !saved.triangle.iter().chain(&saved.target).chain(&counters).all(|v| v.is_finite())
            || !(0.0..9e15).contains(&counters[0])
        {
            return None;
        }
        let mut state = SquareRoot::new(columns, alpha, forecaster)?;
        let mut at = 0;
        for i in 0..columns {
            if saved.triangle[at] <= 0.0 {
                return None;
            }
            at += columns - i;
        }
        state.triangle = saved.triangle;
        state.target = saved.target;
        state.rounds = counters[0] as u64;
        state.loss = Compensated { sum: counters[1], lost: counters[2] };
        state.best = Compensated { sum: counters[3], lost: counters[4] };
        state.largest_target = counters[5];
        state.squares = counters[6];
        Some(state)
    }
}

/// `sqrt(a² + b²)` for values whose squares are known not to overflow. `f64::hypot`, which guards against
/// that too, takes ten times as long; it is asked only where the squares would underflow.
#[inline(always)]
fn length_of(a: f64, b: f64) -> f64 {
    let squares = a * a + b * b;
    if squares > 1e-280 { squares.sqrt() } else { a.hypot(b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Solves `A w = b` by Gaussian elimination, `A` symmetric positive definite.
    fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let d = b.len();
        for i in 0..d {
            for k in i + 1..d {
                let factor = a[k][i] / a[i][i];
                for j in i..d {
                    a[k][j] -= factor * a[i][j];
                }
                b[k] -= factor * b[i];
            }
        }
        for i in (0..d).rev() {
            for j in i + 1..d {
                b[i] -= a[i][j] * b[j];
            }
            b[i] /= a[i][i];
        }
        b
    }

    proptest! {
        #[test]
        fn a_game_is_the_lecture_s(
            (alpha, rows) in (0.1f64..3.0, (1usize..5).prop_flat_map(|d|
                prop::collection::vec((prop::collection::vec(-3i8..4, d), -5i8..6), 1..20)))
        ) {
            let d = rows[0].0.len();
            for forecaster in [false, true] {
                let mut state = SquareRoot::new(d, alpha, forecaster).unwrap();
                let mut a = vec![vec![0.0; d]; d];
                for i in 0..d { a[i][i] = alpha; }
                let mut b = vec![0.0; d];
                let mut loss = 0.0;
                for (x, y) in &rows {
                    let x: Vec<f64> = x.iter().map(|v| f64::from(*v)).collect();
                    let y = f64::from(*y);
                    let mut with = a.clone();
                    for i in 0..d { for j in 0..d { with[i][j] += x[i] * x[j]; } }
                    let w = solve(if forecaster { with.clone() } else { a.clone() }, b.clone());
                    let expected: f64 = w.iter().zip(&x).map(|(w, x)| w * x).sum();
                    state.row_mut().copy_from_slice(&x);
                    let round = state.learn(y).unwrap();
                    prop_assert!((round.prediction - expected).abs() < 1e-8 * (1.0 + expected.abs()));
                    loss += (round.prediction - y).powi(2);
                    a = with;
                    for i in 0..d { b[i] += y * x[i]; }
                }
                let w = solve(a.clone(), b);
                for (found, expected) in state.weights().iter().zip(&w) {
                    prop_assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()));
                }
                let best: f64 = rows.iter().map(|(x, y)| {
                    let f: f64 = w.iter().zip(x).map(|(w, x)| w * f64::from(*x)).sum();
                    (f - f64::from(*y)).powi(2)
                }).sum::<f64>() + alpha * w.iter().map(|w| w * w).sum::<f64>();
                prop_assert!((state.best_offline() - best).abs() < 1e-8 * (1.0 + best));
                prop_assert!((state.loss() - loss).abs() < 1e-8 * (1.0 + loss));
                if forecaster {
                    let bound = state.largest_target().powi(2) * state.log_determinant();
                    prop_assert!(loss - best <= bound * (1.0 + 1e-9) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn columns_may_come_later() {
        let mut late = SquareRoot::new(1, 0.5, true).unwrap();
        let mut early = SquareRoot::new(2, 0.5, true).unwrap();
        for (x, y) in [([1.0, 0.0], 2.0), ([3.0, 0.0], -1.0)] {
            late.row_mut().copy_from_slice(&x[..1]);
            early.row_mut().copy_from_slice(&x);
            assert_eq!(late.learn(y), early.learn(y));
        }
        late.grow(2);
        for state in [&mut late, &mut early] {
            state.row_mut().copy_from_slice(&[1.0, -2.0]);
        }
        assert_eq!(late.learn(1.0), early.learn(1.0));
        assert_eq!(late.save(), early.save());
    }

    #[test]
    fn a_saved_state_goes_on_and_a_damaged_one_is_refused() {
        let mut state = SquareRoot::new(2, 1.0, false).unwrap();
        state.row_mut().copy_from_slice(&[1.0, 2.0]);
        state.learn(3.0).unwrap();
        let saved = state.save();
        let again = SquareRoot::restore(2, 1.0, false, saved.clone()).unwrap();
        assert_eq!(again.save(), saved);
        let mut damaged = saved.clone();
        damaged.triangle[0] = -1.0;
        assert!(SquareRoot::restore(2, 1.0, false, damaged).is_none());
        assert!(SquareRoot::restore(3, 1.0, false, saved).is_none());
        assert!(SquareRoot::new(2, 0.0, false).is_none());
        assert!(SquareRoot::new(2, f64::NAN, false).is_none());
    }

    #[test]
    fn an_overflowing_row_changes_nothing() {
        let mut state = SquareRoot::new(1, 1.0, false).unwrap();
        state.row_mut()[0] = 1e200;
        let before = state.save();
        assert_eq!(state.learn(1.0), Err(Overflow));
        assert_eq!(state.save(), before);
    }

    #[test]
    fn two_hundred_thousand_rounds_leave_no_trace_of_rounding() {
        // Rows of small integers: the sums are exact in integers, and the state must agree with them.
        let (mut state, mut seed) = (SquareRoot::new(3, 1.0, true).unwrap(), 1u64);
        let mut a = [[0i64; 3]; 3];
        let mut b = [0i64; 3];
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 60) as i64 - 8
        };
        for _ in 0..200_000 {
            let x = [next(), next(), next()];
            let y = x[0] - 2 * x[2] + next();
            for i in 0..3 {
                for j in 0..3 {
                    a[i][j] += x[i] * x[j];
                }
                b[i] += y * x[i];
                state.row_mut()[i] = x[i] as f64;
            }
            state.learn(y as f64).unwrap();
        }
        let dense = (0..3).map(|i| (0..3).map(|j| a[i][j] as f64 + f64::from(u8::from(i == j))).collect());
        let w = solve(dense.collect(), b.iter().map(|b| *b as f64).collect());
        for (found, expected) in state.weights().iter().zip(&w) {
            assert!((found - expected).abs() < 1e-12 * expected.abs(), "{found} {expected}");
        }
    }
}
