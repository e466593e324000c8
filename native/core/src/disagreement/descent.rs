//! Good incumbents before the proof: logistic regression at several strengths, the pocket Perceptron,
//! then exact line searches of the 0-1 error along coordinates, rows and random directions.
//!
//! A line search is T12 in two dimensions: along `u + t v` each row changes its side once, at
//! `t = −z·u / z·v`; sorting these roots gives the best piece of the whole line.

use super::Limits;
use super::nearest::dot;
use super::rows::Rows;
use super::weights::Weight;

/// A small generator with a fixed seed (splitmix64): the same moves on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound.max(1) as u64) as usize
    }

    /// Roughly normal: the sum of four uniform numbers, centred.
    pub fn bell(&mut self) -> f64 {
        (0..4).map(|_| (self.draw() >> 11) as f64 / (1u64 << 53) as f64 - 0.5).sum()
    }
}

/// A local search that only ever improves.
pub struct Descent<'a> {
    rows: &'a Rows,
    pub u: Vec<f64>,
    pub errors: Weight,
    scores: Vec<f64>,
    slopes: Vec<f64>,
    roots: Vec<(f64, u32)>,
    pub work: u64,
}

impl<'a> Descent<'a> {
    #[must_use]
    pub fn new(rows: &'a Rows, u: Vec<f64>) -> Self {
        let n = rows.count();
        let mut new =
            Descent { rows, u, errors: 0, scores: vec![0.0; n], slopes: vec![0.0; n], roots: Vec::new(), work: 0 };
        new.restart();
        new
    }

    pub fn set(&mut self, u: &[f64]) {
        self.u.copy_from_slice(u);
        self.restart();
    }

    fn restart(&mut self) {
        // The scale of u is free; 1 keeps the steps comparable.
        let size = super::nearest::norm(&self.u);
        if size > 0.0 && size.is_finite() {
            self.u.iter_mut().for_each(|v| *v /= size);
        }
        self.errors = 0;
        for i in 0..self.rows.count() {
            self.scores[i] = dot(self.rows.row(i), &self.u);
            if self.scores[i] <= self.rows.slack[i] {
                self.errors += self.rows.weights[i];
            }
        }
        self.work += (self.rows.count() * self.rows.m) as u64;
    }

    /// Goes to the best piece of the line `u + t v`, if it is better.
    pub fn along(&mut self, v: &[f64]) -> bool {
        let rows = self.rows;
        self.roots.clear();
        let mut running: Weight = 0;
        for i in 0..rows.count() {
            let slope = dot(rows.row(i), v);
            self.slopes[i] = slope;
            if slope == 0.0 {
                if self.scores[i] <= rows.slack[i] {
                    running += rows.weights[i];
                }
                continue;
            }
            // At t = −∞ a rising row is wrong.
            if slope > 0.0 {
                running += rows.weights[i];
            }
            self.roots.push((-self.scores[i] / slope, i as u32));
        }
        self.work += (rows.count() * (rows.m + 12)) as u64;
        self.roots.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(Weight, f64)> = None;
        let consider = |errors: Weight, from: f64, to: f64, best: &mut Option<(Weight, f64)>| {
            if errors >= self.errors || best.is_some_and(|b| b.0 <= errors) {
                return;
            }
            let t = match (from.is_finite(), to.is_finite()) {
                (true, true) => 0.5 * (from + to),
                (true, false) => from + 1.0 + from.abs(),
                (false, true) => to - 1.0 - to.abs(),
                (false, false) => 0.0,
            };
            if t > from && t < to {
                *best = Some((errors, t));
            }
        };
        let mut from = f64::NEG_INFINITY;
        for &(at, i) in &self.roots {
            // A piece too thin for doubles is not worth a line search.
            if at - from > 1e-13 * (1.0 + at.abs()) {
                consider(running, from, at, &mut best);
            }
            from = at;
            let weight = rows.weights[i as usize];
            running += if self.slopes[i as usize] > 0.0 { -weight } else { weight };
        }
        consider(running, from, f64::INFINITY, &mut best);
        let Some((_, t)) = best else { return false };
        let before = (self.errors, self.u.clone());
        for (a, b) in self.u.iter_mut().zip(v) {
            *a += t * b;
        }
        self.restart();
        if self.errors < before.0 {
            return true;
        }
        // Rounding ate the gain.
        self.u = before.1;
        self.restart();
        false
    }

    /// Line searches until the work is spent or many in a row have not helped.
    pub fn improve(&mut self, dice: &mut Dice, budget: u64, limits: &Limits) {
        let end = self.work + budget;
        let (n, m) = (self.rows.count(), self.rows.m);
        if n == 0 {
            return;
        }
        let mut v = vec![0.0; m];
        let mut idle = 0;
        let mut turn = 0;
        while self.work < end && idle < 4 * m + 40 && !limits.reached() {
            v.fill(0.0);
            if turn < m {
                v[turn] = 1.0;
            } else if turn % 2 == 0 {
                // Towards a random row that is wrong: the pivot move.
                let start = dice.below(n);
                let wrong = (0..n).map(|k| (start + k) % n).find(|&i| self.scores[i] <= 0.0);
                let Some(i) = wrong else { return };
                v.copy_from_slice(self.rows.row(i));
            } else {
                v.iter_mut().for_each(|a| *a = dice.bell());
            }
            turn += 1;
            if self.along(&v) {
                idle = 0;
                if turn >= m {
                    turn = dice.below(m);
                }
            } else {
                idle += 1;
            }
        }
    }
}

/// Rows between looks at the clock.
const OFTEN: usize = 256;

/// Directions of some convex losses: starting points that see all the rows at once.
#[must_use]
pub fn convex_starts(rows: &Rows, limits: &Limits) -> Vec<Vec<f64>> {
    let m = rows.m;
    let mut starts = Vec::new();
    if rows.count() == 0 || m > 400 {
        return starts;
    }
    let mut u = vec![0.0; m];
    for ridge in [1.0, 1e-2, 1e-5] {
        newton(rows, &mut u, ridge, limits, |s| {
            let p = 1.0 / (1.0 + s.exp());
            (-p, (p * (1.0 - p)).max(1e-9))
        });
        starts.push(u.clone());
    }
    u.fill(0.0);
    for ridge in [1.0, 1e-3] {
        // The squared hinge: LIBLINEAR's default machine.
        newton(rows, &mut u, ridge, limits, |s| if s < 1.0 { (s - 1.0, 1.0) } else { (0.0, 0.0) });
        starts.push(u.clone());
    }
    starts
}

/// Damped Newton steps on `Σ weight·loss(z·u) + ridge/2 ‖u‖²`; `loss` gives slope and curvature.
fn newton(rows: &Rows, u: &mut [f64], ridge: f64, limits: &Limits, loss: impl Fn(f64) -> (f64, f64)) {
    let m = rows.m;
    let top = rows.weights.iter().copied().max().unwrap_or(1).max(1) as f64;
    for _ in 0..12 {
        let mut gradient: Vec<f64> = u.iter().map(|v| ridge * v).collect();
        let mut hessian = vec![0.0; m * m];
        for j in 0..m {
            hessian[j * m + j] = ridge + 1e-9;
        }
        for i in 0..rows.count() {
            if i % OFTEN == 0 && limits.reached() {
                return;
            }
            let row = rows.row(i);
            let (slope, curve) = loss(dot(row, u));
            let weight = rows.weights[i] as f64 / top;
            if slope == 0.0 && curve == 0.0 {
                continue;
            }
            for j in 0..m {
                gradient[j] += weight * slope * row[j];
                let factor = weight * curve * row[j];
                if factor != 0.0 {
                    for k in 0..=j {
                        hessian[j * m + k] += factor * row[k];
                    }
                }
            }
        }
        let Some(step) = cholesky_solve(&mut hessian, &gradient) else { return };
        let size = super::nearest::norm(&step);
        if !size.is_finite() {
            return;
        }
        // A full step may overshoot far from the optimum; a bounded one cannot run away.
        let damp = (4.0 / size).min(1.0);
        u.iter_mut().zip(&step).for_each(|(a, s)| *a -= damp * s);
        if size < 1e-8 {
            break;
        }
    }
}

fn cholesky_solve(a: &mut [f64], b: &[f64]) -> Option<Vec<f64>> {
    let m = b.len();
    for j in 0..m {
        for k in 0..=j {
            let mut sum = a[j * m + k];
            for t in 0..k {
                sum -= a[j * m + t] * a[k * m + t];
            }
            if j == k {
                if sum <= 0.0 {
                    return None;
                }
                a[j * m + j] = sum.sqrt();
            } else {
                a[j * m + k] = sum / a[k * m + k];
            }
        }
    }
    let mut x = b.to_vec();
    for j in 0..m {
        for k in 0..j {
            x[j] -= a[j * m + k] * x[k];
        }
        x[j] /= a[j * m + j];
    }
    for j in (0..m).rev() {
        for k in j + 1..m {
            x[j] -= a[k * m + j] * x[k];
        }
        x[j] /= a[j * m + j];
    }
    Some(x)
}

/// The pocket Perceptron: passes over the rows in a shuffled order, the best direction seen kept.
#[must_use]
pub fn pocket(rows: &Rows, dice: &mut Dice, passes: usize, limits: &Limits) -> Vec<f64> {
    let (n, m) = (rows.count(), rows.m);
    let mut u = vec![0.0; m];
    let mut sum = vec![0.0; m];
    let mut best = (Weight::MAX, u.clone());
    let mut order: Vec<usize> = (0..n).collect();
    for _ in 0..passes {
        for k in (1..n).rev() {
            order.swap(k, dice.below(k + 1));
        }
        for (turn, &i) in order.iter().enumerate() {
            if turn % OFTEN == 0 && limits.reached() {
                return best.1;
            }
            let row = rows.row(i);
            if dot(row, &u) <= 0.0 {
                u.iter_mut().zip(row).for_each(|(a, b)| *a += b);
            }
            sum.iter_mut().zip(&u).for_each(|(a, b)| *a += b);
        }
        for candidate in [&u, &sum] {
            let errors: Weight = (0..n).filter(|i| dot(rows.row(*i), candidate) <= 0.0).map(|i| rows.weights[i]).sum();
            if errors < best.0 {
                best = (errors, candidate.clone());
            }
        }
    }
    best.1
}
