//! The whole answer: separable and by how much, weakly, or not; proved.

use super::ascent::ascend;
use super::certify::{integer_signs, margin_above, margin_below, prove_separator, radius};
use super::conflict::{Conflict, conflict, prove_conflict};
use super::duplicates::plain_conflict;
use super::minimum_norm::{Goal, Nearest, first_rows, minimum_norm};
use super::newton::newton;
use super::perceptron::perceptron;
use super::rows::SignedRows;
use super::settle::settle_exactly;
use super::weak::{Weak, weak};
use super::wolfe::End;
use crate::exact::double_double::DoubleDouble;
use crate::matrix::Matrix;
use num_bigint::BigInt;

/// What to answer.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Append a constant 1 to each row.
    pub bias: bool,
    /// Stop at yes or no: any separator will do, and the margin is not sought.
    pub only_decide: bool,
}

/// The three answers of T11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Some `w` has `z_i·w > 0` on every row.
    Separable,
    /// None has, but some `w` has `z_i·w ≥ 0` on every row and `> 0` on at least one.
    WeaklySeparable,
    /// Every `w` has `z_i·w < 0` on some row, or `= 0` on all of them.
    NotSeparable,
}

/// A vector in doubles, or (up to a positive factor) in integers where doubles are too coarse.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    Doubles(Vec<f64>),
    Integers(Vec<BigInt>),
}

/// Positive weights of rows, of any sum.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// Unevaluated sums of two doubles.
    Doubles(Vec<(f64, f64)>),
    Integers(Vec<BigInt>),
}

/// The answer and what proves it.
#[derive(Clone, Debug)]
pub struct Separation {
    pub answer: Answer,
    /// A lower bound attained by `w`, and an upper bound, on the largest margin.
    pub margin: Option<(f64, f64)>,
    pub radius: f64,
    /// The separator, strict or weak.
    pub w: Option<Vector>,
    /// Rows that hold the largest margin, and their convex weights.
    pub support: Vec<usize>,
    pub support_weights: Weights,
    pub conflict: Option<Conflict>,
    /// Whether the answer is proved in full. If not, what is given is proved still, where it is given.
    pub exact: bool,
    /// Major cycles and passes over the data.
    pub cycles: usize,
    pub passes: usize,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The labels do not fit the rows, or are not ±1.
    Labels(String),
    /// The caller asked to stop.
    Stopped,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Labels(message) => f.write_str(message),
            Failure::Stopped => f.write_str("stopped before the answer was known"),
        }
    }
}

impl std::error::Error for Failure {}

/// Relative gap between the two bounds on the margin at which it counts as found.
const MARGIN_GAP: f64 = 1e-10;
/// Perceptron passes before more is tried, where yes or no is all that is asked.
const PASSES: usize = 30;
/// Beyond as many rows and columns, active sets are not what finds the answer.
const LARGE: usize = 8000;
/// Entries that Newton's method may visit there, and then the ascent for the margin: some seconds each.
const NEWTON_ENTRIES: usize = 3_000_000_000;
const ASCENT_ENTRIES: usize = 2_500_000_000;
/// The largest conflict that is searched for there.
const LARGE_ACTIVE: usize = 1500;
/// The largest active set: its factor takes 8 k²/2 bytes.
const MOST_ACTIVE: usize = 6000;

/// Decides whether `signs_i (x_i, 1)·w > 0` for all rows has a solution, and how well it can be solved.
///
/// `stop` is asked now and then whether to give up.
pub fn separate(
    matrix: &Matrix,
    signs: &[f64],
    options: &Options,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Separation, Failure> {
    if signs.len() != matrix.rows() {
        return Err(Failure::Labels(format!("{} rows need as many labels, found {}", matrix.rows(), signs.len())));
    }
    if let Some(row) = signs.iter().position(|s| s.abs() != 1.0) {
        return Err(Failure::Labels(format!("row {row}: expected a label of +1 or -1, found {}", signs[row])));
    }
    let z = SignedRows { matrix, signs, bias: options.bias };
    let mut stopped = false;
    let answer = {
        let mut stop = || {
            stopped |= stop();
            stopped
        };
        Search { z, radius: radius(&z), cycles: 0, passes: 0 }.run(options.only_decide, &mut stop)
    };
    if stopped { Err(Failure::Stopped) } else { Ok(answer) }
}

struct Search<'a> {
    z: SignedRows<'a>,
    radius: f64,
    cycles: usize,
    passes: usize,
}

impl Search<'_> {
    fn run(&mut self, only_decide: bool, stop: &mut dyn FnMut() -> bool) -> Separation {
        let z = self.z;
        if z.is_empty() {
            // Nothing contradicts any separator.
            return Separation { exact: true, ..self.answer(Answer::Separable) };
        }
        if let Some(rows) = plain_conflict(&z) {
            let weights = vec![BigInt::from(1); rows.len()];
            return self.in_conflict(Conflict { rows, weights }, stop);
        }
        let mut direction = vec![0.0; z.width()];
        if only_decide {
            let (w, clean) = perceptron(&z, PASSES, stop);
            if clean && prove_separator(&z, &w).is_ok() {
                return Separation { w: Some(Vector::Doubles(w)), exact: true, ..self.answer(Answer::Separable) };
            }
            direction = w;
        } else {
            (0..z.len()).for_each(|i| z.add_to(i, 1.0, &mut direction));
        }
        if z.len().min(z.width()) > LARGE {
            return self.run_large(only_decide, stop);
        }
        let mut goal = Goal {
            tolerance: 1e-12,
            only_decide,
            working: first_rows(&z, &direction),
            start: None,
            limit: MOST_ACTIVE,
        };
        let rough = minimum_norm::<f64, f64>(&z, &goal, stop);
        let mut best = match self.judge(&rough, only_decide, stop) {
            Ok(answer) => return answer,
            Err(best) => best,
        };
        // Weights and point in double-doubles; then the factor too.
        goal.working.clone_from(&rough.working);
        goal.start = Some(&rough);
        let finer = minimum_norm::<DoubleDouble, f64>(&z, &goal, stop);
        match self.judge(&finer, only_decide, stop) {
            Ok(answer) => return answer,
            Err(found) => best = better(best, found),
        }
        let finest = if finer.rows.len() <= 400 {
            goal.working.clone_from(&finer.working);
            goal.start = Some(&finer);
            let finest = minimum_norm::<DoubleDouble, DoubleDouble>(&z, &goal, stop);
            match self.judge(&finest, only_decide, stop) {
                Ok(answer) => return answer,
                Err(found) => best = better(best, found),
            }
            finest
        } else {
            finer
        };
        if let Some(settled) = settle_exactly(&z, &finest, stop) {
            return match settled {
                Ok(conflict) => self.in_conflict(conflict, stop),
                Err(exact) => Separation {
                    margin: (!only_decide).then_some(exact.margin),
                    w: Some(exact.w),
                    support: exact.support,
                    support_weights: Weights::Integers(exact.weights),
                    exact: true,
                    ..self.answer(Answer::Separable)
                },
            };
        }
        // A proved separator, with bounds on the margin that stay apart, or else what floating point says.
        best.map(|best| *best).unwrap_or_else(|| {
            let answer = if finest.end == End::Origin { Answer::NotSeparable } else { Answer::Separable };
            let w = (answer == Answer::Separable).then(|| Vector::Doubles(unit(&finest)));
            Separation { w, ..self.answer(answer) }
        })
    }

    /// For data whose active sets may be too large for a factor: Newton's method finds a separator or the rows in
    /// conflict, ascent the margin.
    fn run_large(&mut self, only_decide: bool, stop: &mut dyn FnMut() -> bool) -> Separation {
        let z = self.z;
        let found = newton(&z, NEWTON_ENTRIES, stop);
        if found.clean
            && let Ok(least) = prove_separator(&z, &found.w)
        {
            if !only_decide {
                return self.widened(found.w, least, stop);
            }
            let w = Some(Vector::Doubles(found.w));
            return Separation { w, exact: true, ..self.answer(Answer::Separable) };
        }
        // Where rows are in conflict, what each lacks is its weight in the conflict.
        let mut heaviest: Vec<usize> = (0..z.len()).collect();
        heaviest.sort_unstable_by(|a, b| found.residuals[*b].total_cmp(&found.residuals[*a]));
        heaviest.truncate(LARGE_ACTIVE);
        let goal = Goal { tolerance: 1e-12, only_decide: true, working: heaviest, start: None, limit: LARGE_ACTIVE };
        let rough = minimum_norm::<f64, f64>(&z, &goal, stop);
        self.judge(&rough, true, stop).unwrap_or_else(|_| self.answer(Answer::NotSeparable))
    }

    /// A separator of large data, given one: of nearly the largest margin, or else the same with bounds.
    fn widened(&self, given: Vec<f64>, least: f64, stop: &mut dyn FnMut() -> bool) -> Separation {
        let z = self.z;
        let entries: usize = (0..z.len()).map(|i| z.entries(i).1.len() + 1).sum();
        let found = ascend(&z, 1e-7, ASCENT_ENTRIES / entries.max(1), stop);
        let support: Vec<usize> = (0..z.len()).filter(|i| found.alpha[*i] > 0.0).collect();
        let support_weights: Vec<(f64, f64)> = support.iter().map(|i| (found.alpha[*i], 0.0)).collect();
        let high = margin_above(&z, &support, &support_weights);
        let low = margin_below(least, &given);
        let ascended = prove_separator(&z, &found.w).map_or(0.0, |least| margin_below(least, &found.w));
        Separation {
            margin: Some((ascended.max(low), high)),
            w: Some(Vector::Doubles(if ascended >= low { found.w } else { given })),
            support,
            support_weights: Weights::Doubles(support_weights),
            exact: true,
            ..self.answer(Answer::Separable)
        }
    }

    /// The answer if this point settles it; else the best that it proves.
    fn judge(
        &mut self,
        found: &Nearest,
        only_decide: bool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Separation, Option<Box<Separation>>> {
        self.cycles += found.cycles;
        self.passes += found.passes;
        let z = &self.z;
        if found.norm > 0.0 {
            let w = unit(found);
            if let Ok(least) = prove_separator(z, &w) {
                let low = margin_below(least, &w);
                let high = if only_decide { 0.0 } else { margin_above(z, &found.rows, &found.weights) };
                let mut pairs: Vec<(usize, (f64, f64))> =
                    found.rows.iter().copied().zip(found.weights.iter().copied()).collect();
                pairs.sort_unstable_by_key(|(row, _)| *row);
                let separation = Separation {
                    margin: (!only_decide).then_some((low, high)),
                    w: Some(Vector::Doubles(w)),
                    support: pairs.iter().map(|(row, _)| *row).collect(),
                    support_weights: Weights::Doubles(pairs.into_iter().map(|(_, weight)| weight).collect()),
                    exact: true,
                    ..self.answer(Answer::Separable)
                };
                let settled = only_decide || high - low <= MARGIN_GAP * high;
                return if settled { Ok(separation) } else { Err(Some(Box::new(separation))) };
            }
        }
        // Only a point this near can be the origin for all that doubles say.
        if found.norm <= 1e-9 * self.radius
            && let Some(conflict) = prove_conflict(&self.z, &found.rows, stop)
        {
            return Ok(self.in_conflict(conflict, stop));
        }
        Err(None)
    }

    /// Not strictly separable: weakly, then?
    fn in_conflict(&self, conflict: Conflict, stop: &mut dyn FnMut() -> bool) -> Separation {
        let (answer, w, exact) = match weak(&self.z, &conflict, stop) {
            Weak::Separated(w) => (Answer::WeaklySeparable, Some(Vector::Integers(w)), true),
            Weak::Not => (Answer::NotSeparable, None, true),
            Weak::Unsettled => (Answer::NotSeparable, None, false),
        };
        Separation { w, conflict: Some(conflict), exact, ..self.answer(answer) }
    }

    fn answer(&self, answer: Answer) -> Separation {
        Separation {
            answer,
            margin: None,
            radius: self.radius,
            w: None,
            support: Vec::new(),
            support_weights: Weights::Doubles(Vec::new()),
            conflict: None,
            exact: false,
            cycles: self.cycles,
            passes: self.passes,
        }
    }
}

/// `p/‖p‖` in doubles.
fn unit(found: &Nearest) -> Vec<f64> {
    found.point.iter().map(|(high, low)| high / found.norm + low / found.norm).collect()
}

/// The proved separator of larger margin.
fn better(a: Option<Box<Separation>>, b: Option<Box<Separation>>) -> Option<Box<Separation>> {
    let low = |s: &Option<Box<Separation>>| s.as_ref().and_then(|s| s.margin).map_or(-1.0, |m| m.0);
    let high = |s: &Option<Box<Separation>>| s.as_ref().and_then(|s| s.margin).map_or(f64::INFINITY, |m| m.1);
    let least = high(&a).min(high(&b));
    let mut best = if low(&b) >= low(&a) { b } else { a };
    if let Some(margin) = best.as_mut().and_then(|s| s.margin.as_mut()) {
        margin.1 = least;
    }
    best
}

/// Checks a conflict that was made elsewhere, as `settle` does.
pub(super) fn checked_conflict(z: &SignedRows, rows: &[usize], weights: Vec<BigInt>) -> Option<Conflict> {
    let integers = super::conflict::integer_rows(z, rows);
    integers.sum_to_zero(&weights).then(|| conflict(rows, weights))
}

/// Whether integers separate strictly.
pub(super) fn separates(z: &SignedRows, w: &[BigInt]) -> bool {
    integer_signs(z, w) == (0, None)
}
