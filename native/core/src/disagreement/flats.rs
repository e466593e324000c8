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

use std::cmp::Ordering;

use super::exact::{Flat, Integer, Integers, rounded};
use super::rows::{Rows, Weight};

/// A constraint that keeps a flat inside its box: never counted, only used to discard.
const FENCE: u32 = u32::MAX;

/// The rows that cross one flat within its box.
#[derive(Clone, Default)]
pub struct Level {
    /// Free coordinates; a row is `[constant, one coefficient for each]`.
    pub columns: Vec<usize>,
    pub low: Vec<f64>,
    pub high: Vec<f64>,
    pub ids: Vec<u32>,
    pub values: Vec<f64>,
    pub slack: Vec<f64>,
    /// A point of the box, in the free coordinates.
    pub reference: Vec<f64>,
}

impl Level {
    pub fn clear(&mut self) {
        self.ids.clear();
        self.values.clear();
        self.slack.clear();
    }

    fn stride(&self) -> usize {
        self.columns.len() + 1
    }

    fn row(&self, i: usize) -> &[f64] {
        let stride = self.stride();
        &self.values[i * stride..(i + 1) * stride]
    }

    /// Value at the middle of the box and largest deviation from it.
    fn range(&self, row: &[f64]) -> (f64, f64) {
        let (mut middle, mut radius) = (row[0], 0.0);
        for j in 0..self.columns.len() {
            let half = 0.5 * (self.high[j] - self.low[j]);
            middle += row[j + 1] * (self.low[j] + half);
            radius += row[j + 1].abs() * half;
        }
        (middle, radius)
    }

    fn at(&self, row: &[f64], point: &[f64]) -> f64 {
        row[0] + row[1..].iter().zip(point).map(|(a, u)| a * u).sum::<f64>()
    }
}

/// One class of rows on the way down: which was the pivot, and who shares its plane there.
#[derive(Clone)]
pub struct Step {
    pub pivot: u32,
    column: usize,
    /// Row of the level above, to find the dropped coordinate again.
    row: Vec<f64>,
    columns: Vec<usize>,
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
    small: Flat<i128>,
    big: Flat<num_bigint::BigInt>,
    exact_depth: usize,
    roots: Vec<Root>,
}

#[derive(Clone, Copy)]
struct Root {
    at: f64,
    within: f64,
    row: u32,
    rising: bool,
}

enum Refined {
    Vanishes,
    Row(Vec<f64>),
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

    fn weight(&self, id: u32) -> Weight {
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

    /// Shrinks the level's box to where fewer errors than the incumbent's are possible, one coordinate
    /// at a time with the others free; returns the errors now certain, `None` when nothing is left.
    pub fn contract(&mut self, depth: usize, mut errors: Weight) -> Option<Weight> {
        const BINS: usize = 24;
        let mut level = std::mem::take(&mut self.levels[depth]);
        let wide = level.columns.len();
        let mut alive = true;
        for round in 0..3 {
            let mut shrunk = false;
            for j in 0..wide {
                let width = level.high[j] - level.low[j];
                if width <= 1e-12 {
                    continue;
                }
                let mut change = [0 as Weight; BINS + 1];
                let mut fenced = [0.0f64, BINS as f64];
                let half = 0.5 * width;
                for i in 0..level.ids.len() {
                    let row = level.row(i);
                    let slope = row[j + 1];
                    let (middle, radius) = level.range(row);
                    let reach = middle + radius - slope.abs() * half + level.slack[i];
                    // Right is possible only where reach + slope (u − centre) ≥ 0.
                    if slope.abs() * half <= reach.abs() {
                        continue;
                    }
                    let edge = (half - reach / slope) / width * BINS as f64;
                    if slope > 0.0 {
                        let upto = (edge - 1e-6).floor().clamp(0.0, BINS as f64);
                        if level.ids[i] == FENCE {
                            fenced[0] = fenced[0].max(upto);
                        } else {
                            change[0] += self.weight(level.ids[i]);
                            change[upto as usize] -= self.weight(level.ids[i]);
                        }
                    } else {
                        let from = (edge + 1e-6).ceil().clamp(0.0, BINS as f64);
                        if level.ids[i] == FENCE {
                            fenced[1] = fenced[1].min(from);
                        } else {
                            change[from as usize] += self.weight(level.ids[i]);
                        }
                    }
                }
                let mut total = errors;
                let (mut first, mut last) = (BINS, 0);
                for bin in 0..BINS {
                    total += change[bin];
                    if total < self.best && bin as f64 >= fenced[0] && (bin as f64) < fenced[1] {
                        first = first.min(bin);
                        last = bin + 1;
                    }
                }
                if first >= last {
                    alive = false;
                    break;
                }
                if first > 0 || last < BINS {
                    shrunk = true;
                    let start = level.low[j];
                    if first > 0 {
                        level.low[j] = start + width * (first as f64 - 1e-6) / BINS as f64;
                    }
                    if last < BINS {
                        level.high[j] = start + width * (last as f64 + 1e-6) / BINS as f64;
                    }
                }
            }
            self.work += (level.values.len() * wide) as u64;
            if !alive || !shrunk {
                break;
            }
            errors = match sift(&mut level, self.rows, errors) {
                Some(more) if more < self.best => more,
                _ => {
                    alive = false;
                    break;
                }
            };
            if round == 2 {
                break;
            }
        }
        for j in 0..wide {
            level.reference[j] = level.reference[j].clamp(level.low[j], level.high[j]);
        }
        self.levels[depth] = level;
        alive.then_some(errors)
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

    /// Restricts the level to row `index`'s plane; returns the errors certain there, `None` when it
    /// cannot beat the incumbent. Always pushes one step.
    fn pivot(&mut self, depth: usize, index: usize, errors: Weight) -> Option<Weight> {
        let level = std::mem::take(&mut self.levels[depth]);
        let mut below = std::mem::take(&mut self.levels[depth + 1]);
        let wide = level.columns.len();
        let pivot: Vec<f64> = level.row(index).to_vec();
        let pivot_slack = level.slack[index];
        let id = level.ids[index];
        let drop = (0..wide)
            .max_by(|&a, &b| {
                let size = |j: usize| pivot[j + 1].abs() * (level.high[j] - level.low[j]).max(1e-300);
                size(a).total_cmp(&size(b)).then(b.cmp(&a))
            })
            .unwrap_or(0);
        let lead = pivot[drop + 1];
        let kept: Vec<usize> = (0..wide).filter(|j| *j != drop).collect();
        below.clear();
        below.columns = kept.iter().map(|j| level.columns[*j]).collect();
        below.low = kept.iter().map(|j| level.low[*j]).collect();
        below.high = kept.iter().map(|j| level.high[*j]).collect();
        self.path.push(Step {
            pivot: id,
            column: level.columns[drop],
            row: pivot.clone(),
            columns: level.columns.clone(),
            class: vec![(id, 1)],
            side: 1,
        });
        let mut certain = errors;
        let (mut along, mut against) = (self.weight(id), 0);
        // The plane passes the box, or it would not be crossing; a plane that all but misses it may
        // have no usable coefficient at all.
        let mut alive = lead != 0.0;
        if alive {
            below.reference = on_plane(&level, &pivot, &kept);
            let mut child = vec![0.0; wide];
            // The dropped coordinate must stay in its interval: two fences.
            for (bound, sign) in [(level.low[drop], -1.0 / lead), (level.high[drop], 1.0 / lead)] {
                // sign·(a0 + Σ a_j u_j) plus or minus the bound, ≥ 0.
                child[0] = sign * pivot[0] + if sign * lead > 0.0 { bound } else { -bound };
                for (k, j) in kept.iter().enumerate() {
                    child[k + 1] = sign * pivot[j + 1];
                }
                let slack = (pivot_slack / lead.abs()) + 1e-15 * child.iter().map(|v| v.abs()).sum::<f64>();
                alive &= admit(&mut below, FENCE, &child, slack) != Some(false);
            }
            for i in 0..level.ids.len() {
                if i == index || !alive {
                    continue;
                }
                let row = level.row(i);
                let ratio = row[drop + 1] / lead;
                child[0] = row[0] - ratio * pivot[0];
                let mut size = row[0].abs() + ratio.abs() * pivot[0].abs() + 2.0 * row[drop + 1].abs();
                let mut top = child[0].abs();
                for (k, j) in kept.iter().enumerate() {
                    child[k + 1] = row[j + 1] - ratio * pivot[j + 1];
                    size += row[j + 1].abs() + ratio.abs() * pivot[j + 1].abs();
                    top = top.max(child[k + 1].abs());
                }
                let mut slack = level.slack[i] + ratio.abs() * pivot_slack + 4.0 * f64::EPSILON * size;
                let other = level.ids[i];
                if other != FENCE && top <= 64.0 * slack {
                    match self.refine(other, &below.columns) {
                        Refined::Vanishes => {
                            let side =
                                self.class_side(id, other, ratio, level.slack[i] + ratio.abs() * pivot_slack, lead);
                            if side > 0 {
                                along += self.weight(other);
                            } else {
                                against += self.weight(other);
                            }
                            if let Some(step) = self.path.last_mut() {
                                step.class.push((other, side));
                            }
                            continue;
                        }
                        Refined::Row(exact) => {
                            child.copy_from_slice(&exact);
                            slack = 8.0 * f64::EPSILON * exact.iter().map(|v| v.abs()).sum::<f64>();
                        }
                    }
                }
                match admit(&mut below, other, &child, slack) {
                    Some(false) if other == FENCE => alive = false,
                    Some(false) => certain += self.weight(other),
                    _ => {}
                }
                if certain >= self.best {
                    alive = false;
                }
            }
            self.work += (level.values.len()) as u64;
        }
        certain += along.min(against);
        if let Some(step) = self.path.last_mut() {
            step.side = if along >= against { 1 } else { -1 };
        }
        drop_broken_fences(&mut below);
        self.levels[depth] = level;
        self.levels[depth + 1] = below;
        (alive && certain < self.best).then_some(certain)
    }

    /// The side of a row that vanishes with the pivot: it is `ratio` times the pivot there.
    fn class_side(&mut self, pivot: u32, other: u32, ratio: f64, doubt: f64, lead: f64) -> i8 {
        if ratio.abs() * lead.abs() > doubt {
            return if ratio > 0.0 { 1 } else { -1 };
        }
        // Reduced by the pivots above, the two rows are parallel: compare at any entry.
        let above = self.path.len() - 1;
        self.exact_upto(above);
        let compare = |a: i32, b: i32| if a * b >= 0 { 1i8 } else { -1 };
        match self.rows.exact() {
            Integers::Small(all) => {
                let (a, b) = (self.reduced(all, &self.small, pivot), self.reduced(all, &self.small, other));
                a.iter()
                    .zip(&b)
                    .find(|(x, _)| Integer::sign(*x) != 0)
                    .map_or(1, |(x, y)| compare(Integer::sign(x), Integer::sign(y)))
            }
            Integers::Big(all) => {
                let (a, b) = (self.reduced(all, &self.big, pivot), self.reduced(all, &self.big, other));
                a.iter()
                    .zip(&b)
                    .find(|(x, _)| Integer::sign(*x) != 0)
                    .map_or(1, |(x, y)| compare(Integer::sign(x), Integer::sign(y)))
            }
        }
    }

    fn reduced<T: Integer>(&self, all: &[T], flat: &Flat<T>, id: u32) -> Vec<T> {
        let m = self.rows.m;
        flat.reduce(&all[id as usize * m..(id as usize + 1) * m])
    }

    /// Brings the integer elimination to the first `depth` pivots of the path.
    fn exact_upto(&mut self, depth: usize) {
        let keep = self.exact_depth.min(depth);
        self.small.truncate(keep);
        self.big.truncate(keep);
        for t in keep..depth {
            let (pivot, column) = (self.path[t].pivot, self.path[t].column);
            match self.rows.exact() {
                Integers::Small(all) => {
                    let row = self.reduced(all, &self.small, pivot);
                    self.small.push(row, column);
                }
                Integers::Big(all) => {
                    let row = self.reduced(all, &self.big, pivot);
                    self.big.push(row, column);
                }
            }
        }
        self.exact_depth = depth;
    }

    /// A row's coefficients on the current flat, each correctly rounded over a common factor.
    fn refine(&mut self, id: u32, columns: &[usize]) -> Refined {
        self.exact_upto(self.path.len());
        self.work += 200;
        let whole = match self.rows.exact() {
            Integers::Small(all) => {
                let row = self.reduced(all, &self.small, id);
                if row.iter().all(|v| Integer::sign(v) == 0) {
                    return Refined::Vanishes;
                }
                rounded(&row, self.small.orientation())
            }
            Integers::Big(all) => {
                self.work += 100 * (self.rows.m * self.rows.m) as u64;
                let row = self.reduced(all, &self.big, id);
                if row.iter().all(|v| Integer::sign(v) == 0) {
                    return Refined::Vanishes;
                }
                rounded(&row, self.big.orientation())
            }
        };
        let mut out = Vec::with_capacity(columns.len() + 1);
        out.push(self.side * whole[self.face]);
        out.extend(columns.iter().map(|j| whole[*j]));
        Refined::Row(out)
    }

    /// m = 2: the roots along the line, sorted, ties decided exactly.
    fn sweep(&mut self, depth: usize, errors: Weight, judge: &mut impl Judge) {
        let mut level = std::mem::take(&mut self.levels[depth]);
        let mut roots = std::mem::take(&mut self.roots);
        roots.clear();
        let (mut low, mut high) = (level.low[0], level.high[0]);
        let mut running = errors;
        let mut constant: Vec<(u32, i8)> = Vec::new();
        for i in 0..level.ids.len() {
            let (mut a, mut b, mut slack) = (level.values[2 * i], level.values[2 * i + 1], level.slack[i]);
            let id = level.ids[i];
            if id == FENCE {
                // Permissive: a fence only discards what is certainly outside.
                if b.abs() > slack {
                    let (edge, doubt) = (-a / b, slack / b.abs() * 2.0 + 1e-15);
                    if b > 0.0 {
                        low = low.max(edge - doubt);
                    } else {
                        high = high.min(edge + doubt);
                    }
                }
                continue;
            }
            if b.abs() * 1e-3 <= slack {
                let columns = level.columns.clone();
                match self.refine(id, &columns) {
                    Refined::Vanishes => continue,
                    Refined::Row(exact) => {
                        (a, b) = (exact[0], exact[1]);
                        slack = 8.0 * f64::EPSILON * (a.abs() + b.abs());
                        level.values[2 * i] = a;
                        level.values[2 * i + 1] = b;
                    }
                }
                if b.abs() <= slack && a.abs() > slack {
                    // Its root is far outside every box: the sign is the constant's.
                    let side = if a > 0.0 { 1 } else { -1 };
                    if side < 0 {
                        running += self.weight(id);
                    }
                    constant.push((id, side));
                    continue;
                }
            }
            let at = -a / b;
            let within = (slack * 1.001 + f64::EPSILON * a.abs()) / (b.abs() - slack).max(1e-300) * (1.0 + at.abs());
            roots.push(Root { at, within, row: i as u32, rising: b > 0.0 });
            if b < 0.0 {
                continue;
            }
            running += self.weight(id);
        }
        self.work += 8 * roots.len() as u64 + 8;
        if low <= high
            && running
                - roots.iter().filter(|r| r.rising).map(|r| self.weight(level.ids[r.row as usize])).sum::<Weight>()
                < self.best
        {
            let columns = level.columns.clone();
            if roots.len() > 1 {
                let close = {
                    roots.sort_unstable_by(|x, y| x.at.total_cmp(&y.at).then(x.row.cmp(&y.row)));
                    let mut reach = f64::NEG_INFINITY;
                    let mut close = false;
                    for root in &roots {
                        close |= root.at - root.within <= reach;
                        reach = reach.max(root.at + root.within);
                    }
                    close
                };
                if close {
                    self.exact_upto(self.path.len());
                    roots.sort_by(|x, y| self.compare(&level, &columns, x, y).then(x.row.cmp(&y.row)));
                }
            }
            let mut at = 0;
            let mut left = f64::NEG_INFINITY;
            loop {
                // The open piece between the previous group of equal roots and the next.
                let right = roots.get(at).map_or(f64::INFINITY, |r| r.at + r.within);
                if running < self.best && right >= low && left <= high {
                    let from = left.max(low);
                    let to = right.min(high);
                    let point = [0.5 * (from + to)];
                    let mut sides = constant.clone();
                    for (k, root) in roots.iter().enumerate() {
                        sides.push((level.ids[root.row as usize], if (k < at) == root.rising { 1 } else { -1 }));
                    }
                    self.levels[depth].columns.clone_from(&level.columns);
                    self.report(depth, running, &point, sides, judge);
                }
                let Some(first) = roots.get(at).copied() else { break };
                left = first.at - first.within;
                while let Some(root) = roots.get(at) {
                    if root.row != first.row && self.compare(&level, &columns, &first, root) != Ordering::Equal {
                        break;
                    }
                    let weight = self.weight(level.ids[root.row as usize]);
                    running += if root.rising { -weight } else { weight };
                    at += 1;
                }
            }
        }
        self.roots = roots;
        self.levels[depth] = level;
    }

    /// Which root comes first on the line: by doubles when they are sure, in integers otherwise.
    fn compare(&mut self, level: &Level, columns: &[usize], x: &Root, y: &Root) -> Ordering {
        if x.at + x.within < y.at - y.within {
            return Ordering::Less;
        }
        if x.at - x.within > y.at + y.within {
            return Ordering::Greater;
        }
        if x.row == y.row {
            return Ordering::Equal;
        }
        let (i, j) = (level.ids[x.row as usize], level.ids[y.row as usize]);
        let (constant, free) = (self.face, columns[0]);
        self.work += if matches!(self.rows.exact(), Integers::Small(_)) { 100 } else { 10_000 };
        match self.rows.exact() {
            Integers::Small(all) => self.compare_exactly(all, &self.small, i, j, constant, free),
            Integers::Big(all) => self.compare_exactly(all, &self.big, i, j, constant, free),
        }
    }

    fn compare_exactly<T: Integer>(
        &self,
        all: &[T],
        flat: &Flat<T>,
        i: u32,
        j: u32,
        constant: usize,
        free: usize,
    ) -> Ordering {
        let (a, b) = (self.reduced(all, flat, i), self.reduced(all, flat, j));
        // −s a0/a1 against −s b0/b1, each over a positive denominator.
        let normal = |row: &[T]| {
            let flip = row[free].sign() < 0;
            let top = if flip == (self.side > 0.0) { row[constant].clone() } else { row[constant].negate() };
            (top, if flip { row[free].negate() } else { row[free].clone() })
        };
        let ((p, q), (r, s)) = (normal(&a), normal(&b));
        T::compare_products(&p, &s, &r, &q)
    }

    /// Turns a piece of a flat into a direction with sides, and asks the judge.
    fn report(
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

/// Adds a row to a level if it crosses: `Some(true)` when certainly right, `Some(false)` certainly
/// wrong, both left out.
fn admit(level: &mut Level, id: u32, row: &[f64], slack: f64) -> Option<bool> {
    let (middle, radius) = level.range(row);
    if middle > radius + slack {
        return Some(true);
    }
    if middle < -radius - slack {
        return Some(false);
    }
    level.ids.push(id);
    level.values.extend_from_slice(row);
    level.slack.push(slack);
    None
}

/// Takes out the rows that no longer cross the shrunken box; `None` when a fence shuts it out.
fn sift(level: &mut Level, rows: &Rows, mut errors: Weight) -> Option<Weight> {
    let stride = level.stride();
    let mut kept = 0;
    for i in 0..level.ids.len() {
        let (middle, radius) = level.range(level.row(i));
        let slack = level.slack[i];
        if middle > radius + slack {
            continue;
        }
        if middle < -radius - slack {
            if level.ids[i] == FENCE {
                return None;
            }
            errors += rows.weights[level.ids[i] as usize];
            continue;
        }
        level.ids[kept] = level.ids[i];
        level.slack[kept] = slack;
        level.values.copy_within(i * stride..(i + 1) * stride, kept * stride);
        kept += 1;
    }
    level.ids.truncate(kept);
    level.slack.truncate(kept);
    level.values.truncate(kept * stride);
    Some(errors)
}

/// A point of the pivot's plane in the box: from the reference, where the pivot is wrong, towards
/// the corner where it is most right.
fn on_plane(level: &Level, pivot: &[f64], kept: &[usize]) -> Vec<f64> {
    let corner: Vec<f64> =
        (0..level.columns.len()).map(|j| if pivot[j + 1] > 0.0 { level.high[j] } else { level.low[j] }).collect();
    let (here, there) = (level.at(pivot, &level.reference), level.at(pivot, &corner));
    let t = if there > here { (-here / (there - here)).clamp(0.0, 1.0) } else { 0.0 };
    kept.iter().map(|&j| level.reference[j] + t * (corner[j] - level.reference[j])).collect()
}

/// The walk towards the reference must stay inside: a fence that the reference is outside of goes,
/// which only enlarges the region.
fn drop_broken_fences(level: &mut Level) {
    let stride = level.stride();
    let mut kept = 0;
    for i in 0..level.ids.len() {
        if level.ids[i] == FENCE && level.at(level.row(i), &level.reference) < -level.slack[i] {
            continue;
        }
        level.ids[kept] = level.ids[i];
        level.slack[kept] = level.slack[i];
        level.values.copy_within(i * stride..(i + 1) * stride, kept * stride);
        kept += 1;
    }
    level.ids.truncate(kept);
    level.slack.truncate(kept);
    level.values.truncate(kept * stride);
}
