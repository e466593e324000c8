//! One step down T12's recursion: the rows of a flat restricted to one row's plane.

use super::exact::{Flat, Integer, Integers, rounded};
use super::flats::{Search, Step};
use super::level::{FENCE, admit, drop_broken_fences, on_plane};
use super::weights::Weight;

pub(super) enum Refined {
    Vanishes,
    Row(Vec<f64>),
}

impl Search<'_> {
    /// Restricts the level to row `index`'s plane; returns the errors certain there, `None` when it
    /// cannot beat the incumbent. Always pushes one step.
    pub(super) fn pivot(&mut self, depth: usize, index: usize, errors: Weight) -> Option<Weight> {
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

    pub(super) fn reduced<T: Integer>(&self, all: &[T], flat: &Flat<T>, id: u32) -> Vec<T> {
        let m = self.rows.m;
        flat.reduce(&all[id as usize * m..(id as usize + 1) * m])
    }

    /// Brings the integer elimination to the first `depth` pivots of the path.
    pub(super) fn exact_upto(&mut self, depth: usize) {
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
    pub(super) fn refine(&mut self, id: u32, columns: &[usize]) -> Refined {
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
}
