//! Branch and bound over boxes of directions, in rounds that do not depend on the number of threads.
//!
//! A round takes the boxes with the lowest bounds, works on each for a fixed number of operations with
//! the incumbent known when the round began, and merges what came back in the order it was given out.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Limits;
use super::flats::Search;
use super::open::Open;
use super::rows::Rows;
use super::weights::Weight;
use super::witness::{Incumbent, Witness};

/// A set of directions: coordinate `face` is `side`, the others lie between `low` and `high`.
#[derive(Clone, Debug)]
pub struct Region {
    face: usize,
    side: f64,
    low: Vec<f64>,
    high: Vec<f64>,
    bound: Weight,
    /// A cell was seen here that no direction could be made of.
    stubborn: bool,
}

/// Below this width a box is searched to the end, whatever it costs.
const NARROW: f64 = 1e-7;
/// Operations a flat search may take before its box is split instead.
const PATIENCE: u64 = 400_000;
/// Boxes kept; beyond it the search goes deep first.
const MOST: usize = 400_000;

/// What is left of a search.
pub struct Frontier {
    open: Open<Region>,
}

impl Frontier {
    #[must_use]
    pub fn everything(m: usize) -> Self {
        let mut frontier = Frontier { open: Open::new() };
        for face in 0..m {
            for side in [1.0, -1.0] {
                let wide = m - 1;
                frontier.push(Region {
                    face,
                    side,
                    low: vec![-1.0; wide],
                    high: vec![1.0; wide],
                    bound: 0,
                    stubborn: false,
                });
            }
        }
        frontier
    }

    fn push(&mut self, region: Region) {
        self.open.push(region.bound, region);
    }

    /// No cell has fewer errors than this, or than the incumbent.
    #[must_use]
    pub fn bound(&self) -> Option<Weight> {
        self.open.bound()
    }

    #[must_use]
    pub fn is_done(&self) -> bool {
        self.open.is_done()
    }

    /// One round; `best` is the number of errors to beat.
    pub fn round(
        &mut self,
        rows: &Rows,
        incumbent: &mut Incumbent,
        best: Weight,
        limits: &Limits,
        tasks: usize,
        budget: u64,
    ) {
        let taken = self.open.take(tasks, MOST, best);
        let results: Vec<Mutex<Option<Returned>>> = taken.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let work = || {
            let reached = || limits.reached();
            let mut search = Search::new(rows, best, &reached);
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some((_, region)) = taken.get(at) else { break };
                let mut witness = Witness { rows, limits, incumbent: incumbent.clone() };
                let returned = task(&mut search, region, best, budget, limits, &mut witness);
                if let Ok(mut slot) = results[at].lock() {
                    *slot = Some(returned);
                }
            }
        };
        let threads = limits.threads.min(taken.len());
        if threads <= 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(work);
                }
                work();
            });
        }
        for ((_, region), slot) in taken.into_iter().zip(results) {
            let Ok(Some(returned)) = slot.into_inner() else {
                self.push(region);
                continue;
            };
            if returned.incumbent.errors < incumbent.errors {
                *incumbent = returned.incumbent;
            }
            if let Some(bound) = returned.stuck {
                self.open.give_up(bound);
            }
            for region in returned.open {
                self.push(region);
            }
        }
        self.open.cut(best.min(incumbent.errors));
    }
}

struct Returned {
    open: Vec<Region>,
    incumbent: Incumbent,
    stuck: Option<Weight>,
}

/// Works on one box and its parts, deepest first, until the budget is spent.
fn task(
    search: &mut Search,
    region: &Region,
    best: Weight,
    budget: u64,
    limits: &Limits,
    witness: &mut Witness,
) -> Returned {
    search.best = best;
    search.thin = None;
    let start = search.work;
    let mut open = vec![region.clone()];
    let mut stuck: Option<Weight> = None;
    while search.work - start < budget && !limits.reached() {
        let Some(mut region) = open.pop() else { break };
        if region.bound >= search.best {
            continue;
        }
        let errors = search.enter(region.face, region.side, &region.low, &region.high);
        if errors >= search.best {
            continue;
        }
        let Some(errors) = search.contract(0, errors) else { continue };
        region.low.clone_from(&search.levels[0].low);
        region.high.clone_from(&search.levels[0].high);
        region.bound = region.bound.max(errors);
        let widest = region.low.iter().zip(&region.high).fold(0.0f64, |a, (l, h)| a.max(h - l));
        let narrow = widest < NARROW;
        if narrow || (!region.stubborn && search.looks_cheap()) {
            search.unresolved = None;
            search.exhausted = false;
            search.strict = !narrow;
            search.limit = if narrow { u64::MAX } else { search.work + PATIENCE };
            search.explore(0, errors, witness);
            if limits.reached() {
                open.push(region);
                break;
            }
            if narrow {
                if let Some(bound) = search.unresolved {
                    stuck = Some(stuck.map_or(bound, |s| s.min(bound)));
                }
                continue;
            }
            if !search.exhausted && search.unresolved.is_none() {
                continue;
            }
            // An unclear cell or too much work: look closer, and do not try again at once.
            if region.bound >= search.best {
                continue;
            }
        }
        region.stubborn = false;
        let axis = search.widest_axis();
        let middle = 0.5 * (region.low[axis] + region.high[axis]);
        let mut upper = region.clone();
        upper.low[axis] = middle;
        region.high[axis] = middle;
        open.push(upper);
        open.push(region);
    }
    open.retain(|r| r.bound < search.best);
    if let Some(bound) = search.thin {
        stuck = Some(stuck.map_or(bound, |s| s.min(bound)));
    }
    Returned { open, incumbent: witness.incumbent.clone(), stuck }
}
