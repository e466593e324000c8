//! The rows that still matter on one flat within its box, as affine functions of its free coordinates.

use super::flats::Search;
use super::rows::Rows;
use super::weights::Weight;

/// A constraint that keeps a flat inside its box: never counted, only used to discard.
pub const FENCE: u32 = u32::MAX;

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

    pub fn stride(&self) -> usize {
        self.columns.len() + 1
    }

    pub fn row(&self, i: usize) -> &[f64] {
        let stride = self.stride();
        &self.values[i * stride..(i + 1) * stride]
    }

    /// Value at the middle of the box and largest deviation from it.
    pub fn range(&self, row: &[f64]) -> (f64, f64) {
        let (mut middle, mut radius) = (row[0], 0.0);
        for j in 0..self.columns.len() {
            let half = 0.5 * (self.high[j] - self.low[j]);
            middle += row[j + 1] * (self.low[j] + half);
            radius += row[j + 1].abs() * half;
        }
        (middle, radius)
    }

    pub fn at(&self, row: &[f64], point: &[f64]) -> f64 {
        row[0] + row[1..].iter().zip(point).map(|(a, u)| a * u).sum::<f64>()
    }
}

impl Search<'_> {
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
}

/// Adds a row to a level if it crosses: `Some(true)` when certainly right, `Some(false)` certainly
/// wrong, both left out.
pub fn admit(level: &mut Level, id: u32, row: &[f64], slack: f64) -> Option<bool> {
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
pub fn on_plane(level: &Level, pivot: &[f64], kept: &[usize]) -> Vec<f64> {
    let corner: Vec<f64> =
        (0..level.columns.len()).map(|j| if pivot[j + 1] > 0.0 { level.high[j] } else { level.low[j] }).collect();
    let (here, there) = (level.at(pivot, &level.reference), level.at(pivot, &corner));
    let t = if there > here { (-here / (there - here)).clamp(0.0, 1.0) } else { 0.0 };
    kept.iter().map(|&j| level.reference[j] + t * (corner[j] - level.reference[j])).collect()
}

/// The walk towards the reference must stay inside: a fence that the reference is outside of goes,
/// which only enlarges the region.
pub fn drop_broken_fences(level: &mut Level) {
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
