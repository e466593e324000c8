//! T12's recursion inside one box of directions: pivots down to the angular sweep, with bounds.
//!
//! A box is a set of directions `u` with one coordinate fixed at ±1 and the others in intervals. On
//! it each row is an affine function that is positive (right), negative (an error) or *crossing*.
//!
//! ```text
//! best(box) = min over: errors at a reference point c of the box,
//!                       best(box ∩ q⊥) + lighter side of q's class, for each row q wrong at c
//! ```
//!
//! Why the rows wrong at c suffice: walk from a best cell towards c. The first plane met bounds the
//! cell; crossing it cannot pay, so its row is right in the cell, and c lies beyond, where it is wrong.
//! Why a row already tried need not be tried again deeper in its siblings' subtrees: a best cell that
//! has a facet on it would have been found there. Classes (rows that vanish on the same flat) make
//! both arguments hold for degenerate data: a ridge of a cell lies on exactly two of its facets, so
//! that the class met deeper contains a facet of the cell itself, which is not yet tried.
//!
//! Rows are doubles with proven error bounds. What they cannot decide (does a row vanish on this
//! flat? which of two roots comes first?) is decided in integers.

use super::exact::Flat;
use super::level::{FENCE, Level, drop_broken_fences};
use super::rows::Rows;
use super::sweep::Root;
use super::weights::Weight;

/// One class of rows on the way down: which was the pivot, and who shares its plane there.
#[derive(Clone)]
pub struct Step {
    pub pivot: u32,
    pub(super) column: usize,
    /// Row of the level above, to find the dropped coordinate again.
    pub(super) row: Vec<f64>,
    pub(super) columns: Vec<usize>,
    /// Members with their side: +1 along the pivot.
    pub class: Vec<(u32, i8)>,
    /// The side taken: +1 or −1.
    pub side: i8,
}

/// A cell that counts fewer errors than the incumbent: a direction on its border, and the rows that
/// are on the border with the side they are on inside.
pub struct Found {
    pub errors: Weight,
    pub direction: Vec<f64>,
    pub sides: Vec<(u32, i8)>,
}

/// What is asked about a cell that looks better than the incumbent.
pub trait Judge {
    fn judge(&mut self, found: &Found) -> Verdict;
}

pub enum Verdict {
    /// A direction in doubles errs no more than the cell, counted exactly.
    Made(Weight),
    /// The cell exists, but no direction in doubles was found in it.
    TooThin,
    Unclear,
}

pub struct Search<'a> {
    pub rows: &'a Rows,
    pub face: usize,
    pub side: f64,
    pub levels: Vec<Level>,
    pub path: Vec<Step>,
    pub best: Weight,
    /// Cells seen with fewer errors than `best` of which no direction could be made.
    pub unresolved: Option<Weight>,
    /// The least errors of a cell that exists and holds no direction in doubles that was found.
    pub thin: Option<Weight>,
    pub work: u64,
    pub limit: u64,
    pub patience: f64,
    pub exhausted: bool,
    /// Stop at the first unresolved cell: a smaller box will show whether it exists.
    pub strict: bool,
    stopped: &'a dyn Fn() -> bool,
    asked: u64,
    tried: Vec<bool>,
    pub(super) small: Flat<i128>,
    pub(super) big: Flat<num_bigint::BigInt>,
    pub(super) exact_depth: usize,
    pub(super) roots: Vec<Root>,
}

impl<'a> Search<'a> {
    #[must_use]
    pub fn new(rows: &'a Rows, best: Weight, stopped: &'a dyn Fn() -> bool) -> Self {
        Search {
            rows,
            face: 0,
            side: 1.0,
            levels: vec![Level::default(); rows.m + 1],
            path: Vec::new(),
            best,
            unresolved: None,
            thin: None,
            work: 0,
            limit: u64::MAX,
            patience: 3000.0,
            exhausted: false,
            strict: true,
            stopped,
            asked: 0,
            tried: vec![false; rows.count()],
            small: Flat::new(),
            big: Flat::new(),
            exact_depth: 0,
            roots: Vec::new(),
        }
    }

    pub(super) fn weight(&self, id: u32) -> Weight {
        if id == FENCE { 0 } else { self.rows.weights[id as usize] }
    }

    /// Is the recursion below level 0 likely to take less than splitting the box?
    #[must_use]
    pub fn looks_cheap(&self) -> bool {
        let level = &self.levels[0];
        let wide = level.columns.len();
        let crossing = level.ids.len() as f64;
        let wrong = (0..level.ids.len())
            .filter(|i| level.at(level.row(*i), &level.reference) <= level.slack[*i])
            .count() as f64;
        // Pivots are chosen `wide − 1` times, each time among fewer; a sweep sees the crossing rows.
        let mut cost = crossing;
        for t in 0..wide.saturating_sub(1) {
            cost *= (wrong / (t as f64 + 1.0)).max(1.0);
        }
        wide <= 1 || cost < self.patience
    }

    /// The coordinate whose interval moves the crossing rows most.
    #[must_use]
    pub fn widest_axis(&self) -> usize {
        let level = &self.levels[0];
        let mut reach = vec![0.0; level.columns.len()];
        for i in 0..level.ids.len() {
            let row = level.row(i);
            let (_, radius) = level.range(row);
            for j in 0..reach.len() {
                reach[j] += row[j + 1].abs() * (level.high[j] - level.low[j]) / radius.max(1e-300);
            }
        }
        (0..reach.len()).max_by(|a, b| reach[*a].total_cmp(&reach[*b]).then(b.cmp(a))).unwrap_or(0)
    }

    /// Fills level 0 with the rows that cross a box; returns the errors certain on it.
    pub fn enter(&mut self, face: usize, side: f64, low: &[f64], high: &[f64]) -> Weight {
        self.face = face;
        self.side = side;
        self.path.clear();
        self.exact_depth = 0;
        let m = self.rows.m;
        let mut level = std::mem::take(&mut self.levels[0]);
        level.clear();
        level.columns = (0..m).filter(|j| *j != face).collect();
        level.low = low.to_vec();
        level.high = high.to_vec();
        level.reference = low.iter().zip(high).map(|(a, b)| 0.5 * (a + b)).collect();
        let mut errors = 0;
        let mut row = vec![0.0; m];
        for i in 0..self.rows.count() {
            let given = self.rows.row(i);
            row[0] = side * given[face];
            for (k, &j) in level.columns.iter().enumerate() {
                row[k + 1] = given[j];
            }
            let (middle, radius) = level.range(&row);
            let slack = self.rows.slack[i];
            if middle > radius + slack {
                continue;
            }
            if middle < -radius - slack {
                errors += self.rows.weights[i];
                continue;
            }
            level.ids.push(i as u32);
            level.values.extend_from_slice(&row);
            level.slack.push(slack);
        }
        self.work += (self.rows.count() * m) as u64;
        self.levels[0] = level;
        errors
    }

    /// The least errors of any cell that meets this level's flat within its box go to `best`.
    pub fn explore(&mut self, depth: usize, errors: Weight, judge: &mut impl Judge) {
        if errors >= self.best || self.exhausted {
            return;
        }
        if self.work > self.limit {
            self.exhausted = true;
            return;
        }
        if self.work > self.asked {
            // Every few milliseconds.
            self.asked = self.work + 1_000_000;
            self.exhausted |= (self.stopped)();
        }
        let wide = self.levels[depth].columns.len();
        if wide == 1 {
            self.sweep(depth, errors, judge);
            return;
        }
        let errors = if depth > 0 && self.levels[depth].ids.len() > 6 {
            let Some(errors) = self.contract(depth, errors) else { return };
            drop_broken_fences(&mut self.levels[depth]);
            errors
        } else {
            errors
        };
        let level = &self.levels[depth];
        let mut wrong: Vec<(u32, f64)> = Vec::new();
        let mut here = errors;
        for i in 0..level.ids.len() {
            let value = level.at(level.row(i), &level.reference);
            if level.ids[i] != FENCE && value <= level.slack[i] {
                here += self.rows.weights[level.ids[i] as usize];
                wrong.push((i as u32, value));
            }
        }
        if here < self.best {
            let point = level.reference.clone();
            let sides = level
                .ids
                .iter()
                .enumerate()
                .filter(|(_, id)| **id != FENCE)
                .map(|(i, id)| (*id, if level.at(level.row(i), &point) > level.slack[i] { 1 } else { -1 }))
                .collect();
            self.report(depth, here, &point, sides, judge);
        }
        // Deepest wrong first: their planes cut the least from the box, and are done with sooner.
        wrong.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        let mut done: Vec<u32> = Vec::new();
        for (index, _) in wrong {
            let id = self.levels[depth].ids[index as usize];
            if self.tried[id as usize] {
                continue;
            }
            if let Some(below) = self.pivot(depth, index as usize, errors) {
                self.explore(depth + 1, below, judge);
            }
            if let Some(step) = self.path.pop() {
                for (member, _) in step.class {
                    if !self.tried[member as usize] {
                        self.tried[member as usize] = true;
                        done.push(member);
                    }
                }
            }
            self.exact_depth = self.exact_depth.min(self.path.len());
            if self.exhausted || errors >= self.best {
                break;
            }
        }
        for id in done {
            self.tried[id as usize] = false;
        }
    }

    /// Turns a piece of a flat into a direction with sides, and asks the judge.
    pub(super) fn report(
        &mut self,
        depth: usize,
        errors: Weight,
        point: &[f64],
        mut sides: Vec<(u32, i8)>,
        judge: &mut impl Judge,
    ) {
        let mut u = vec![0.0; self.rows.m];
        u[self.face] = self.side;
        for (k, j) in self.levels[depth].columns.iter().enumerate() {
            u[*j] = point[k];
        }
        for step in self.path[..depth].iter().rev() {
            let mut total = step.row[0];
            let mut lead = 1.0;
            for (k, j) in step.columns.iter().enumerate() {
                if *j == step.column {
                    lead = step.row[k + 1];
                } else {
                    total += step.row[k + 1] * u[*j];
                }
            }
            u[step.column] = -total / lead;
            sides.extend(step.class.iter().map(|(id, side)| (*id, side * step.side)));
        }
        let found = Found { errors, direction: u, sides };
        self.work += 2000;
        match judge.judge(&found) {
            Verdict::Made(verified) => self.best = self.best.min(verified),
            Verdict::TooThin => {
                self.best = self.best.min(errors);
                self.thin = Some(self.thin.map_or(errors, |v| v.min(errors)));
            }
            Verdict::Unclear => {
                self.unresolved = Some(self.unresolved.map_or(errors, |v| v.min(errors)));
                self.exhausted |= self.strict;
            }
        }
    }
}
