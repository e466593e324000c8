//! The fewest errors any hyperplane makes (T12): exact search, with both bounds when time runs out.

pub mod boxes;
pub mod conflicts;
pub mod descent;
pub mod exact;
pub mod flats;
mod level;
pub mod limits;
pub mod nearest;
mod open;
mod pivot;
pub mod rows;
mod separable;
mod sweep;
pub mod thin;
mod units;
pub mod weights;
pub mod witness;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::matrix::Matrix;
use boxes::Frontier;
use conflicts::Tree;
use descent::{Descent, Dice, convex_starts, pocket};
pub use limits::Limits;
use rows::{BadRows, Rows, Signed01};
use separable::{Separability, separability};
use weights::{Weight, Weights};
use witness::{Incumbent, Witness, net_errors};

/// What is asked.
pub struct Options {
    pub bias: bool,
    pub time_limit: Option<Duration>,
    /// Stop once some direction makes at most this many weighted errors, or none can.
    pub at_most: Option<f64>,
    pub threads: usize,
}

/// What was found, a tie being an error. Errors and bound are in units of `2^−unit`.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub coefficients: Vec<f64>,
    pub errors: Weight,
    pub lower_bound: Weight,
    pub unit: i32,
}

/// Progress, told between rounds: errors, lower bound.
pub type Progress<'a> = dyn FnMut(f64, f64) + 'a;

/// The direction with the fewest errors; `stop` ends the search as the time limit does.
pub fn minimise(
    x: &Matrix,
    labels: &[f64],
    weights: Option<&[f64]>,
    starts: &[Vec<f64>],
    options: &Options,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Result<Outcome, BadRows> {
    let begun = Instant::now();
    let m = x.columns() + usize::from(options.bias);
    if let Some(start) = starts.iter().find(|start| start.len() != m) {
        return Err(BadRows::Start { expected: m, found: start.len() });
    }
    let weights = Weights::new(x.rows(), labels, weights)?;
    let limits = |share: u32| Limits {
        deadline: options.time_limit.and_then(|t| begun.checked_add(t / share)),
        stop,
        threads: options.threads.max(1),
    };
    // Hard data must leave time for the search itself.
    let mut bound = match separability(x, labels, &weights, options.bias, &limits(4)) {
        Separability::Separable(coefficients) => {
            return Ok(Outcome { coefficients, errors: 0, lower_bound: 0, unit: weights.unit });
        }
        Separability::Costs(least) => least,
        Separability::Unknown => 0,
    };
    let limits = limits(1);
    let rows = Rows::merged(&Signed01::new(x, labels, &weights, options.bias)?);
    bound = (bound - rows.base).max(0);
    let nothing = vec![0.0; m];
    let mut witness = Witness {
        rows: &rows,
        limits: &limits,
        incumbent: Incumbent { errors: net_errors(&rows, &nothing), given: nothing },
    };
    for start in starts {
        witness.offer(start);
    }
    let mut dice = Dice(20);
    first_incumbents(&mut witness, &mut dice);
    let mut incumbent = witness.incumbent;
    let told = |errors: Weight| weights.in_units(errors + rows.base);
    // A decision needs directions of at most this many errors, and no better one.
    let wanted = options.at_most.map(|k| allowed(k, weights.unit, rows.base));
    let target = |best: Weight| wanted.map_or(best, |k| best.min(k + 1));
    let mut search = if rows.m <= MOST_BOXED {
        Method::Boxes(Frontier::everything(rows.m))
    } else {
        Method::Conflicts(Tree::default())
    };
    let mut descent = Descent::new(&rows, vec![0.0; rows.m]);
    let mut rounds = 0;
    bound = bound.min(target(incumbent.errors)).min(incumbent.errors);
    let goes_on = |incumbent: &Incumbent| wanted.is_none_or(|k| incumbent.errors > k);
    if rows.count() == 0 {
        bound = incumbent.errors.min(0);
    }
    while rows.count() > 0 && bound < target(incumbent.errors) && goes_on(&incumbent) && !limits.reached() {
        let best = target(incumbent.errors);
        let open = match &mut search {
            Method::Boxes(frontier) => {
                let tasks = if rounds < 2 { 2 * rows.m } else { 64 };
                frontier.round(&rows, &mut incumbent, best, &limits, tasks, 3_000_000);
                (frontier.bound(), frontier.is_done())
            }
            Method::Conflicts(tree) => {
                tree.round(&rows, &mut incumbent, best, &limits, &mut descent, &mut dice);
                (tree.bound(), tree.is_done())
            }
        };
        let reach = target(incumbent.errors).max(if goes_on(&incumbent) { 0 } else { bound });
        bound = bound.max(open.0.unwrap_or(reach)).min(target(incumbent.errors)).min(incumbent.errors);
        rounds += 1;
        progress(told(incumbent.errors), told(bound));
        if open.1 {
            break;
        }
    }
    Ok(Outcome {
        errors: incumbent.errors + rows.base,
        lower_bound: bound + rows.base,
        unit: weights.unit,
        coefficients: incumbent.given,
    })
}

/// Up to so many columns the search is over boxes of directions, beyond over conflicts.
const MOST_BOXED: usize = 8;

enum Method {
    Boxes(Frontier),
    Conflicts(Tree),
}

/// The net errors that `at_most` allows: −1 when the unavoidable ones are already too many.
fn allowed(at_most: f64, unit: i32, base: Weight) -> Weight {
    let units = (at_most * f64::from(unit).exp2()).floor().clamp(-1.0, 1e37) as Weight;
    (units - base).max(-1)
}

/// Convex losses, the pocket Perceptron and a line search from each.
fn first_incumbents(witness: &mut Witness, dice: &mut Dice) {
    let rows = witness.rows;
    let mut last = vec![0.0; rows.m];
    if let Some(v) = last.last_mut() {
        *v = 1.0;
    }
    if rows.count() == 0 {
        // Only lines of equal sides, if any: every direction off their planes is best.
        let width = witness.incumbent.given.len();
        for _ in 0..if rows.balanced().is_empty() { 0 } else { 20 } {
            let given: Vec<f64> = (0..width).map(|_| dice.bell()).collect();
            witness.offer(&given);
        }
        return;
    }
    // The constant classifier, at once.
    witness.offer(&rows.to_given(&last));
    let mut starts = convex_starts(rows, witness.limits);
    starts.push(pocket(rows, dice, 5, witness.limits));
    if witness.incumbent.given.iter().any(|v| *v != 0.0) {
        starts.push(rows.from_given(&witness.incumbent.given));
    }
    starts.push(last);
    let each = 20 * (rows.count() * (rows.m + 20)) as u64 + 20_000;
    let mut descent = Descent::new(rows, vec![0.0; rows.m]);
    for start in starts {
        if witness.limits.reached() {
            break;
        }
        descent.set(&start);
        descent.improve(dice, each, witness.limits);
        witness.offer(&rows.to_given(&descent.u));
    }
}

/// The exact sign of each row's score `x·w + b`.
#[must_use]
pub fn score_signs(x: &Matrix, coefficients: &[f64], intercept: f64) -> Vec<i8> {
    let mut row = Vec::new();
    let mut own = Vec::new();
    (0..x.rows())
        .map(|i| {
            row.clear();
            own.clear();
            x.for_each_entry(i, |j, v| {
                row.push(v);
                own.push(coefficients.get(j).copied().unwrap_or(0.0));
            });
            row.push(1.0);
            own.push(intercept);
            witness::sign(&row, &own) as i8
        })
        .collect()
}
