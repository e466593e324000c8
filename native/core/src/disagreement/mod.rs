//! The fewest errors any hyperplane makes (T12): exact search, with both bounds when time runs out.

pub mod boxes;
pub mod descent;
pub mod exact;
pub mod flats;
pub mod nearest;
pub mod rows;
pub mod witness;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::matrix::Matrix;
use boxes::{Frontier, Limits};
use descent::{Descent, Dice, convex_starts, pocket};
use rows::{BadRows, Rows, Signed01, Weight};
use witness::{Incumbent, Witness, net_errors};

/// What is asked.
pub struct Options {
    pub bias: bool,
    pub time_limit: Option<Duration>,
    /// Stop once some direction makes at most this many weighted errors, or none can.
    pub at_most: Option<f64>,
    pub threads: usize,
}

/// What was found, a tie being an error.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub coefficients: Vec<f64>,
    pub errors: f64,
    pub lower_bound: f64,
    pub optimal: bool,
    pub rounds: u64,
}

/// Progress, told between rounds: errors, lower bound. Answers whether to go on.
pub type Progress<'a> = dyn FnMut(f64, f64) -> bool + 'a;

/// The direction with the fewest errors.
pub fn minimise(
    x: &Matrix,
    labels: &[f64],
    weights: Option<&[f64]>,
    starts: &[Vec<f64>],
    options: &Options,
    progress: &mut Progress,
) -> Result<Outcome, BadRows> {
    let begun = Instant::now();
    let signed = Signed01::new(x, labels, weights, options.bias)?;
    let rows = Rows::merged(&signed);
    let m = signed.m;
    let nothing = vec![0.0; m];
    let mut witness =
        Witness { rows: &rows, incumbent: Incumbent { errors: net_errors(&rows, &nothing), given: nothing } };
    for start in starts {
        if start.len() != m {
            return Err(BadRows::Start { expected: m, found: start.len() });
        }
        witness.offer(start);
    }
    let mut dice = Dice(20);
    first_incumbents(&mut witness, &mut dice);
    let mut incumbent = witness.incumbent;
    let stop = AtomicBool::new(false);
    let limits = Limits { deadline: options.time_limit.map(|t| begun + t), stop: &stop, threads: options.threads.max(1) };
    let mut frontier = Frontier::everything(rows.m);
    let mut rounds = 0;
    let told = |errors: Weight| signed.in_units(errors + rows.base);
    while rows.count() > 0 && !frontier.is_done() && !limits.reached() {
        let tasks = if rounds < 2 { 2 * rows.m } else { 64 };
        let best = incumbent.errors;
        frontier.round(&rows, &mut incumbent, best, &limits, tasks, 3_000_000);
        rounds += 1;
        let bound = frontier.bound().unwrap_or(incumbent.errors).min(incumbent.errors);
        if !progress(told(incumbent.errors), told(bound)) {
            break;
        }
    }
    let bound = if rows.count() == 0 { incumbent.errors } else { frontier.bound().unwrap_or(incumbent.errors).min(incumbent.errors) };
    Ok(Outcome {
        errors: told(incumbent.errors),
        lower_bound: told(bound),
        optimal: bound == incumbent.errors,
        coefficients: incumbent.given,
        rounds,
    })
}

/// Convex losses, the pocket Perceptron and a line search from each.
fn first_incumbents(witness: &mut Witness, dice: &mut Dice) {
    let rows = witness.rows;
    if rows.count() == 0 {
        return;
    }
    let mut starts = convex_starts(rows);
    starts.push(pocket(rows, dice, 5));
    if witness.incumbent.given.iter().any(|v| *v != 0.0) {
        starts.push(rows.from_given(&witness.incumbent.given));
    }
    let mut last = vec![0.0; rows.m];
    if let Some(v) = last.last_mut() {
        *v = 1.0;
    }
    starts.push(last);
    let each = 20 * (rows.count() * (rows.m + 20)) as u64 + 20_000;
    let mut descent = Descent::new(rows, starts[0].clone());
    for start in starts {
        descent.set(&start);
        descent.improve(dice, each);
        witness.offer(&rows.to_given(&descent.u));
    }
}
