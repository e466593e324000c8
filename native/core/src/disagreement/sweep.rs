//! The end of T12's recursion: the roots of the rows along one line, in order, ties decided exactly.

use std::cmp::Ordering;

use super::exact::{Flat, Integer, Integers};
use super::flats::{Judge, Search};
use super::level::{FENCE, Level};
use super::pivot::Refined;
use super::weights::Weight;

#[derive(Clone, Copy)]
pub(super) struct Root {
    at: f64,
    within: f64,
    row: u32,
    rising: bool,
}

impl Search<'_> {
    /// m = 2: the roots along the line, sorted, ties decided exactly.
    pub(super) fn sweep(&mut self, depth: usize, errors: Weight, judge: &mut impl Judge) {
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
}
