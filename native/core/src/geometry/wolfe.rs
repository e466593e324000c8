//! Wolfe's minimum norm point over a working set of rows.
//!
//! ```text
//! p ← the shortest z_i;  S ← {i}
//! repeat
//!     j ← argmin_j z_j·p;  stop if z_j·p ≥ p·p                  (p is nearest to the origin)
//!     S ← S ∪ {j}
//!     repeat
//!         v ← weights of the point of aff{z_i : i ∈ S} nearest to the origin
//!         if v > 0: λ ← v, p ← Σ λ_i z_i, leave the inner loop
//!         move λ towards v until a weight is 0; take its rows out of S
//! ```
//!
//! Source: P. Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11 (1976).
//! Departures: `v` solves `(c·11ᵀ + Z Zᵀ) u = 1`, `v = u/Σu`, by an updated Cholesky factor; what
//! rounding that costs (the matrix has the square of the rows' condition) is made good by iterative
//! refinement on `p` itself, whose residuals `z_i·p − p·p` pricing has computed anyway.

use super::factor::Factor;
use super::rows::Gathered;
use super::scalar::Scalar;

/// How a run over the working set ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// No row of the working set improves the point, up to rounding.
    Nearest,
    /// The point is the origin, up to rounding.
    Origin,
    /// Rounding keeps the method from going on.
    Stuck,
    /// The caller asked to stop, or the active set outgrew its limit.
    Stopped,
}

/// A row on its way into the active set: its row of the factor, the square of its distance from the
/// set's span, and the coefficients of the point of the span nearest to it.
struct Joining<F> {
    row: Vec<F>,
    rest: F,
    coefficients: Vec<F>,
}

/// The state: rows, active set, its weights, the point.
pub struct Wolfe<T, F> {
    pub rows: Gathered,
    pub support: Vec<usize>,
    pub weights: Vec<T>,
    pub point: Vec<T>,
    /// The point rounded to doubles.
    pub rounded: Vec<f64>,
    /// `p·p`.
    pub square: T,
    factor: Factor<F>,
    /// The constant `c`, of the size of the rows' squares so that neither part drowns the other.
    constant: F,
    scratch: Vec<f64>,
    /// The largest norm of a row of the working set.
    pub largest: f64,
    /// No more rows than this in the active set.
    pub limit: usize,
    pub cycles: usize,
}

impl<T: Scalar, F: Scalar> Wolfe<T, F> {
    #[must_use]
    pub fn new(rows: Gathered, scale: f64, limit: usize) -> Self {
        let width = rows.width;
        Wolfe {
            rows,
            support: Vec::new(),
            weights: Vec::new(),
            point: vec![T::default(); width],
            rounded: vec![0.0; width],
            square: T::default(),
            factor: Factor::new(),
            constant: F::from_f64(if scale > 0.0 { scale } else { 1.0 }),
            scratch: vec![0.0; width],
            largest: 0.0,
            limit,
            cycles: 0,
        }
    }

    /// `‖p‖`.
    #[must_use]
    pub fn norm(&self) -> f64 {
        self.square.to_f64().max(0.0).sqrt()
    }

    /// Starts from weights found elsewhere; rows that depend on earlier ones are left out.
    pub fn start(&mut self, support: &[usize], weights: &[(f64, f64)]) {
        for (i, weight) in support.iter().zip(weights) {
            let joining = self.approach(*i);
            self.join(*i, joining, T::from_parts(*weight));
        }
        let total = self.weights.iter().fold(T::default(), |sum, w| sum + *w);
        for w in &mut self.weights {
            *w = *w / total;
        }
        self.settle();
    }

    /// How row `i` stands to the active set.
    fn approach(&mut self, i: usize) -> Joining<F> {
        let (mut column, square) = self.rows.products::<F>(i, &self.support, &mut self.scratch);
        for value in &mut column {
            *value = *value + self.constant;
        }
        let diagonal = square + self.constant;
        let (row, rest) = self.factor.project(&column, diagonal);
        let coefficients = self.factor.backward(row.clone());
        let mut joining = Joining { row, rest, coefficients };
        if rest.to_f64() < 1e-4 * diagonal.to_f64() {
            self.approach_closer(i, &mut joining);
        }
        joining
    }

    /// The same from the residual itself, as the difference of squares in `project` loses what is small:
    /// one step of the corrected seminormal equations (Björck 1987).
    fn approach_closer(&self, i: usize, joining: &mut Joining<F>) {
        let root = self.constant.square_root();
        let mut left = vec![F::default(); self.rows.width];
        self.rows.add_to(i, F::from_f64(1.0), &mut left);
        let mut left_constant = root;
        let mut take = |coefficients: &[F]| {
            for (j, c) in self.support.iter().zip(coefficients) {
                self.rows.add_to(*j, -*c, &mut left);
                left_constant = left_constant - root * *c;
            }
            let products: Vec<F> =
                self.support.iter().map(|j| self.rows.dot(*j, &left) + root * left_constant).collect();
            (products, F::dot(&left, &left) + left_constant * left_constant)
        };
        let (products, _) = take(&joining.coefficients);
        let correction = self.factor.forward(&products);
        for (r, c) in joining.row.iter_mut().zip(&correction) {
            *r = *r + *c;
        }
        let correction = self.factor.backward(correction);
        joining.rest = take(&correction).1;
        for (s, c) in joining.coefficients.iter_mut().zip(&correction) {
            *s = *s + *c;
        }
    }

    /// Adds row `i`, of weight `weight`, unless it depends on the active set up to rounding.
    fn join(&mut self, i: usize, joining: Joining<F>, weight: T) -> bool {
        let size = self.rows.squares[i] + self.constant.to_f64();
        let fits = joining.rest.to_f64() > (1e3 * F::ROUNDING).powi(2) * size;
        if fits {
            self.factor.append(joining.row, joining.rest);
            self.support.push(i);
            self.weights.push(weight);
        }
        fits
    }

    /// Takes in row `i`, which lies below `p·p` by `gap`, and settles.
    ///
    /// From the nearest point `λ = u/Σu` of the present face, the new one is `(U λ − η s, η)` but for
    /// scale, with `s` the row's coefficients on the face, `ρ` its distance from it, `U = 1/(c + p·p)` and
    /// `η = U gap/ρ²`. Where a weight reaches zero on the way there, its row leaves *before* the new one
    /// joins: all of them together may be dependent up to rounding, as when the face has full dimension.
    fn enter(&mut self, i: usize, gap: T) -> bool {
        let joining = self.approach(i);
        let up = |value: F| T::from_parts(value.parts());
        let level = T::from_f64(1.0) / (up(self.constant) + self.square);
        let eta = level * gap / up(joining.rest);
        let total = level + eta * eta * up(joining.rest);
        let towards: Vec<T> = (self.weights.iter().zip(&joining.coefficients))
            .map(|(weight, s)| (*weight * level - eta * up(*s)) / total)
            .collect();
        let Some((step, blocking)) = self.blocked(&towards) else {
            return self.join(i, joining, T::default()) && self.settle();
        };
        let weight = step * eta / total;
        self.step(&towards, step, blocking);
        let joining = self.approach(i);
        let joined = self.join(i, joining, weight);
        self.settle();
        joined
    }

    /// How far the weights may move towards others before one, which is named, is zero.
    fn blocked(&self, towards: &[T]) -> Option<(T, usize)> {
        let mut found: Option<(T, usize)> = None;
        for (k, (v, weight)) in towards.iter().zip(&self.weights).enumerate() {
            if *v <= T::default() {
                let reach = *weight / (*weight - *v);
                if found.is_none_or(|(least, _)| reach < least) {
                    found = Some((reach, k));
                }
            }
        }
        found
    }

    /// Moves the weights by `step` of the way towards others, and drops the rows whose weight is then zero.
    fn step(&mut self, towards: &[T], step: T, blocking: usize) {
        for (weight, v) in self.weights.iter_mut().zip(towards) {
            *weight = *weight + step * (*v - *weight);
        }
        self.weights[blocking] = T::default();
        for k in (0..self.support.len()).rev() {
            if self.weights[k] <= T::default() {
                self.remove(k);
            }
        }
    }

    fn remove(&mut self, k: usize) {
        self.factor.remove(k);
        self.support.remove(k);
        self.weights.remove(k);
    }

    fn recompute_point(&mut self) {
        self.point.fill(T::default());
        for (i, weight) in self.support.iter().zip(&self.weights) {
            self.rows.add_to(*i, *weight, &mut self.point);
        }
        self.measure_point();
    }

    fn measure_point(&mut self) {
        self.square = T::dot(&self.point, &self.point);
        self.rounded.clear();
        self.rounded.extend(self.point.iter().map(|v| v.to_f64()));
    }

    /// The inner loop: from weights λ ≥ 0 on S to the nearest point of a face, with λ > 0. Always true.
    fn settle(&mut self) -> bool {
        while !self.support.is_empty() {
            let mut nearest: Vec<T> = self.factor.solve_ones().iter().map(|u| T::from_parts(u.parts())).collect();
            let total = nearest.iter().fold(T::default(), |sum, u| sum + *u);
            for u in &mut nearest {
                *u = *u / total;
            }
            let Some((step, blocking)) = self.blocked(&nearest) else {
                self.weights = nearest;
                break;
            };
            self.step(&nearest, step, blocking);
        }
        self.recompute_point();
        true
    }

    /// One step of iterative refinement, given `products[k] = z_{S_k}·p`; refused where a weight would
    /// turn negative.
    fn refine(&mut self, products: &[T]) -> bool {
        fn sum<N: Scalar>(values: &[N]) -> N {
            values.iter().fold(N::default(), |sum, v| sum + *v)
        }
        let from_ones = self.factor.solve_ones();
        // Only what differs from p·p matters, and it is small where the products are nearly level.
        let excess: Vec<F> = products.iter().map(|t| F::from_parts((*t - self.square).parts())).collect();
        let from_products = self.factor.solve(&excess);
        let level = sum(&from_products) / sum(&from_ones);
        let refined: Vec<T> = (0..self.weights.len())
            .map(|k| self.weights[k] + T::from_parts((level * from_ones[k] - from_products[k]).parts()))
            .collect();
        if refined.iter().any(|w| *w <= T::default() || w.to_f64().is_nan()) {
            return false;
        }
        if T::ROUNDING < F::ROUNDING {
            self.weights = refined;
            self.recompute_point();
        } else {
            // Weights of one double each cannot say what p is to better than ROUNDING · R. The point
            // itself can: it takes the small correction, not a sum that cancels.
            for (k, i) in self.support.iter().enumerate() {
                self.rows.add_to(*i, refined[k] - self.weights[k], &mut self.point);
            }
            self.weights = refined;
            self.measure_point();
        }
        true
    }

    /// `‖p‖` below this is the origin, as far as these numbers can tell.
    fn origin(&self) -> f64 {
        64.0 * T::ROUNDING * (self.support.len() as f64).sqrt() * self.largest
    }

    /// Runs to the nearest point of the hull of the working set, to a relative gap of `tolerance` in
    /// `p·p` or as near as rounding lets it.
    pub fn run(&mut self, tolerance: f64, stop: &mut dyn FnMut() -> bool) -> End {
        self.largest = self.rows.squares.iter().copied().fold(0.0, f64::max).sqrt();
        if self.support.is_empty() {
            let shortest = (0..self.rows.len()).min_by(|a, b| self.rows.squares[*a].total_cmp(&self.rows.squares[*b]));
            let Some(shortest) = shortest else { return End::Stuck };
            let joining = self.approach(shortest);
            self.join(shortest, joining, T::from_f64(1.0));
            self.settle();
        }
        let mut products = vec![T::default(); self.rows.len()];
        let mut refused = vec![false; self.rows.len()];
        let mut idle = 0;
        let mut least = self.square;
        let mut refinements = 0;
        loop {
            self.cycles += 1;
            if self.cycles.is_multiple_of(16) && stop() {
                return End::Stopped;
            }
            if self.norm() <= self.origin() {
                return End::Origin;
            }
            for (i, product) in products.iter_mut().enumerate() {
                *product = T::from_f64(self.rows.dot(i, &self.rounded));
            }
            let square = self.square;
            // A double's product says which rows are far above p·p; the others take a closer look.
            let blur = 16.0 * f64::ROUNDING * self.largest * self.norm();
            if T::ROUNDING < f64::ROUNDING && blur > tolerance * square.to_f64() {
                for (i, product) in products.iter_mut().enumerate() {
                    if (*product - square).to_f64() < blur {
                        *product = self.rows.dot(i, &self.point);
                    }
                }
            }
            let on_support: Vec<T> = self.support.iter().map(|i| products[*i]).collect();
            let residual = on_support.iter().map(|t| (*t - square).to_f64().abs()).fold(0.0, f64::max);
            let noise = 2.0 * T::ROUNDING * self.largest * self.norm();
            let wanted = (tolerance * square.to_f64()).max(noise);
            if residual > wanted && refinements < 3 {
                refinements += 1;
                if self.refine(&on_support) {
                    continue;
                }
            }
            let mut best: Option<usize> = None;
            for i in 0..products.len() {
                if !refused[i] && best.is_none_or(|b| products[i] < products[b]) {
                    best = Some(i);
                }
            }
            let Some(best) = best else { return End::Stuck };
            let gap = (square - products[best]).to_f64();
            if gap <= wanted.max(residual) {
                return if gap <= wanted { End::Nearest } else { End::Stuck };
            }
            if self.support.len() >= self.limit {
                return End::Stopped;
            }
            if self.support.contains(&best) || !self.enter(best, square - products[best]) {
                // It depends on the active set, though it improves the point: rounding.
                refused[best] = true;
                idle += 1;
                if idle > 8 {
                    return End::Stuck;
                }
                continue;
            }
            refinements = 0;
            if self.square < least {
                least = self.square;
                idle = 0;
            } else {
                idle += 1;
                if idle > 40 {
                    return End::Stuck;
                }
            }
        }
    }
}
