//! The minimum norm point of all rows, by growing a working set until no row outside improves it.
//!
//! ```text
//! W ← the rows a rough direction finds lowest
//! repeat
//!     p ← nearest point of conv{z_i : i ∈ W}                       (`wolfe`)
//!     t ← z·p over all rows                                        (one pass)
//!     stop if min t ≥ p·p
//!     W ← W ∪ {the rows of lowest t}
//! ```
//!
//! A pass over the data costs as much as a hundred cycles over W, so each pass takes in many rows.

use super::rows::{Gathered, SignedRows};
use super::scalar::Scalar;
use super::wolfe::{End, Wolfe};

/// A point of the hull near the origin, as convex weights on some rows.
#[derive(Clone, Debug)]
pub struct Nearest {
    pub rows: Vec<usize>,
    /// Weights as unevaluated sums of two doubles.
    pub weights: Vec<(f64, f64)>,
    pub point: Vec<(f64, f64)>,
    pub norm: f64,
    pub end: End,
    /// The working set at the end, worth starting again from.
    pub working: Vec<usize>,
    /// Wolfe's major cycles over all working sets.
    pub cycles: usize,
    /// Passes over all rows.
    pub passes: usize,
}

/// What to reach, and where to begin.
pub struct Goal<'a> {
    /// Relative gap in `p·p` at which to stop.
    pub tolerance: f64,
    /// Stop as soon as some `p` has `z·p > 0` on every row.
    pub only_decide: bool,
    /// The first working set.
    pub working: Vec<usize>,
    /// Rows and convex weights to start from.
    pub start: Option<&'a Nearest>,
    /// No more rows than this in the active set.
    pub limit: usize,
}

/// How many rows join the working set after a pass: enough that passes are few, few enough that
/// cycles over the set stay cheap.
fn batch(width: usize, rows: usize) -> usize {
    (width / 2).clamp(32, 512).min(rows)
}

/// Rows that a rough direction finds lowest, from each sign's side: where the search begins.
#[must_use]
pub fn first_rows(z: &SignedRows, direction: &[f64]) -> Vec<usize> {
    let count = (2 * batch(z.width(), z.len())).min(z.len());
    let values: Vec<f64> = (0..z.len()).map(|i| z.dot(i, direction)).collect();
    lowest((0..z.len()).collect(), &values, count)
}

fn lowest(mut rows: Vec<usize>, values: &[f64], count: usize) -> Vec<usize> {
    if rows.len() > count && count > 0 {
        rows.select_nth_unstable_by(count - 1, |a, b| values[*a].total_cmp(&values[*b]));
        rows.truncate(count);
    }
    rows
}

/// Runs to the goal with weights and points of type `T`, factors of type `F`. `stop` is asked now and then whether to give up.
pub fn minimum_norm<T: Scalar, F: Scalar>(z: &SignedRows, goal: &Goal, stop: &mut dyn FnMut() -> bool) -> Nearest {
    let mut inside = vec![false; z.len()];
    let mut gathered = Gathered::new(z);
    let begin = goal.start.map_or(&[][..], |s| &s.rows);
    for row in begin.iter().chain(&goal.working) {
        if !inside[*row] {
            inside[*row] = true;
            gathered.push(z, *row);
        }
    }
    let scale = gathered.squares.iter().copied().fold(0.0, f64::max);
    let mut wolfe = Wolfe::<T, F>::new(gathered, scale, goal.limit);
    if let Some(start) = goal.start {
        wolfe.start(&(0..start.rows.len()).collect::<Vec<_>>(), &start.weights);
    }
    let mut products = vec![0.0; z.len()];
    let mut passes = 0;
    // Nearest to what precision: far from the end, a rough point chooses rows just as well.
    let mut tolerance = if goal.start.is_some() { goal.tolerance } else { 0.1 };
    let end = loop {
        let end = wolfe.run(tolerance, stop);
        if end == End::Origin || end == End::Stopped {
            break end;
        }
        if stop() {
            break End::Stopped;
        }
        passes += 1;
        let mut least = f64::INFINITY;
        for (i, product) in products.iter_mut().enumerate() {
            *product = z.dot(i, &wolfe.rounded);
            least = least.min(*product);
        }
        let square = wolfe.square.to_f64();
        let norm = wolfe.norm();
        if goal.only_decide && least > 1e-12 * norm {
            break End::Nearest;
        }
        if end == End::Stuck {
            break end;
        }
        // In higher precision a double's product only says which rows are worth a closer look.
        let blur = if T::ROUNDING < f64::ROUNDING { 16.0 * f64::ROUNDING * norm } else { 0.0 };
        let wanted = |i: usize| goal.tolerance * square + 2.0 * T::ROUNDING * norm * z.square(i).sqrt();
        let candidates: Vec<usize> = (0..z.len())
            .filter(|i| {
                if inside[*i] || products[*i] >= square + blur * z.square(*i).sqrt() {
                    return false;
                }
                let gap = if blur > 0.0 {
                    (wolfe.square - z.dot_in(*i, &wolfe.point)).to_f64()
                } else {
                    square - products[*i]
                };
                gap > wanted(*i)
            })
            .collect();
        if candidates.is_empty() {
            if tolerance <= goal.tolerance {
                break end;
            }
            tolerance = goal.tolerance;
            continue;
        }
        tolerance = tolerance.min(0.05 * (square - least) / square).max(goal.tolerance);
        for row in lowest(candidates, &products, batch(z.width(), z.len())) {
            inside[row] = true;
            wolfe.rows.push(z, row);
        }
    };
    Nearest {
        rows: wolfe.support.iter().map(|i| wolfe.rows.rows[*i]).collect(),
        weights: wolfe.weights.iter().map(|w| w.parts()).collect(),
        point: wolfe.point.iter().map(|v| v.parts()).collect(),
        norm: wolfe.norm(),
        end,
        cycles: wolfe.cycles,
        passes,
        working: wolfe.rows.rows,
    }
}
