//! Newton's method on the squared hinge: a separator of large sparse data, or the rows of a conflict.
//!
//! ```text
//! min_w  ½ Σ max(0, 1 − z_i·w)² + ½ ε‖w‖²                  (z_i scaled to length 1; ε tiny)
//! repeat
//!     A ← rows with z_i·w < 1;   r_i ← 1 − z_i·w on A, else 0
//!     p ← roughly (Σ_A z_i z_iᵀ + ε)⁻¹ (Σ r_i z_i − ε w)   by conjugate gradients
//!     w ← w + t p,  t the minimum along p
//! ```
//!
//! Source: Keerthi, DeCoste, "A modified finite Newton method for fast solution of large scale linear SVMs", JMLR
//! 2005. Departures: it stops as soon as `z_i·w > 0` on all rows, which is all that is asked; and the gradients
//! are preconditioned by the diagonal, as one column of text may have thousands of times the entries of another.
//! Where no separator exists the minimum has `Σ r_i z_i = ε w`, nearly 0: the residuals are a conflict's weights.

use super::rows::SignedRows;
use super::vector::{add_scaled, dot};

/// Where Newton's method ended.
pub struct Newton {
    pub w: Vec<f64>,
    /// `z_i·w > 0` on every row, in doubles: the caller proves it.
    pub clean: bool,
    /// Of each row, not scaled: positive where the row is not yet on its side by its own length.
    pub residuals: Vec<f64>,
}

/// ε, of rows of length 1.
const RIDGE: f64 = 1e-6;
const STEPS: usize = 100;
/// Conjugate gradients a step, and how far they take the gradient down.
const GRADIENTS: usize = 60;
const REDUCTION: f64 = 0.05;
/// A gradient so much smaller than the first is none.
const CONVERGED: f64 = 1e-9;
/// Halvings on the way to the minimum along a direction.
const HALVINGS: usize = 12;

/// Minimises until all rows are on their side, the minimum is reached, about so many `entries` were visited, or
/// the caller asks to stop.
pub fn newton(z: &SignedRows, entries: usize, stop: &mut dyn FnMut() -> bool) -> Newton {
    // Whatever length is not a usual number is left as it is: such a row is then never clean.
    let scale: Vec<f64> = (0..z.len()).map(|i| 1.0 / z.square(i).sqrt()).collect();
    let scale: Vec<f64> = scale.into_iter().map(|s| if s.is_finite() { s } else { 1.0 }).collect();
    let lengths: Vec<usize> = (0..z.len()).map(|i| z.entries(i).1.len() + 1).collect();
    let all: usize = lengths.iter().sum();
    let mut left = entries;
    let mut w = vec![0.0; z.width()];
    let mut products = vec![0.0; z.len()];
    let mut first = None;
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = w.iter().map(|v| -RIDGE * v).collect();
        let active: Vec<usize> = (0..z.len()).filter(|i| products[*i] < 1.0).collect();
        for &i in &active {
            z.add_to(i, scale[i] * (1.0 - products[i]), &mut gradient);
        }
        let size = norm(&gradient);
        let limit = CONVERGED * *first.get_or_insert(size);
        if products.iter().all(|m| *m > 0.0) || size <= limit || left < all || stop() {
            break;
        }
        let system = System { z, scale: &scale, active: &active };
        let (direction, rounds) = system.solve(gradient, stop);
        let visited: usize = active.iter().map(|i| lengths[*i]).sum();
        left = left.saturating_sub(2 * all + 2 * rounds * visited);
        let change: Vec<f64> = (0..z.len()).map(|i| scale[i] * z.dot(i, &direction)).collect();
        let step = along(&products, &change, &w, &direction);
        add_scaled(&mut w, step, &direction);
        // Anew, not moved along: these signs are the answer.
        products.iter_mut().enumerate().for_each(|(i, m)| *m = scale[i] * z.dot(i, &w));
    }
    let clean = products.iter().all(|m| *m > 0.0);
    let residuals = (0..z.len()).map(|i| scale[i] * f64::max(0.0, 1.0 - products[i])).collect();
    Newton { w, clean, residuals }
}

/// `Σ_A z_i z_iᵀ + ε`, of scaled rows.
struct System<'a> {
    z: &'a SignedRows<'a>,
    scale: &'a [f64],
    active: &'a [usize],
}

impl System<'_> {
    fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = v.iter().map(|v| RIDGE * v).collect();
        for &i in self.active {
            let factor = self.scale[i] * self.scale[i] * self.z.dot(i, v);
            self.z.add_to(i, factor, &mut product);
        }
        product
    }

    fn diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![RIDGE; self.z.width()];
        for &i in self.active {
            self.z.for_each(i, |j, v| diagonal[j] += (self.scale[i] * v) * (self.scale[i] * v));
        }
        diagonal
    }

    /// Preconditioned conjugate gradients from 0; answers how many rounds they took, too.
    fn solve(&self, right: Vec<f64>, stop: &mut dyn FnMut() -> bool) -> (Vec<f64>, usize) {
        let diagonal = self.diagonal();
        let conditioned = |r: &[f64]| r.iter().zip(&diagonal).map(|(r, d)| r / d).collect::<Vec<f64>>();
        let goal = REDUCTION * norm(&right);
        let mut solution = vec![0.0; right.len()];
        let mut residual = right;
        let mut direction = conditioned(&residual);
        let mut level = dot(&residual, &direction);
        let mut rounds = 0;
        while rounds < GRADIENTS && norm(&residual) > goal && !stop() {
            let product = self.times(&direction);
            let curvature = dot(&direction, &product);
            if curvature <= 0.0 {
                // Only where rounding has the word.
                break;
            }
            let length = level / curvature;
            add_scaled(&mut solution, length, &direction);
            add_scaled(&mut residual, -length, &product);
            let next = conditioned(&residual);
            let next_level = dot(&residual, &next);
            direction.iter_mut().zip(&next).for_each(|(d, n)| *d = n + next_level / level * *d);
            level = next_level;
            rounds += 1;
        }
        (solution, rounds)
    }
}

/// The step to the minimum along a direction: where the slope, which rises, passes 0.
fn along(products: &[f64], change: &[f64], w: &[f64], direction: &[f64]) -> f64 {
    let (inner, square) = (dot(w, direction), dot(direction, direction));
    let slope = |step: f64| {
        let hinge: f64 = products.iter().zip(change).map(|(m, d)| f64::max(0.0, 1.0 - m - step * d) * d).sum();
        RIDGE * (inner + step * square) - hinge
    };
    let (mut low, mut high) = (0.0, 1.0);
    while slope(high) < 0.0 && high < 1e6 {
        (low, high) = (high, 2.0 * high);
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

fn norm(v: &[f64]) -> f64 {
    dot(v, v).sqrt()
}

#[cfg(test)]
mod tests {
    use super::newton;
    use crate::geometry::rows::SignedRows;
    use crate::matrix::Matrix;

    #[test]
    fn it_separates_columns_of_any_scale() {
        let values = [3e5, 1e-4, 2e5, -1e-4, -3e5, 1e-4, 2e5, 2e-4];
        let matrix = Matrix::dense(&values, 4, 2).unwrap();
        for signs in [[1.0, 1.0, -1.0, 1.0], [1.0, -1.0, 1.0, 1.0]] {
            let z = SignedRows { matrix: &matrix, signs: &signs, bias: false };
            let found = newton(&z, 1 << 20, &mut || false);
            assert!(found.clean);
            assert!((0..4).all(|i| z.dot(i, &found.w) > 0.0));
        }
    }

    #[test]
    fn residuals_are_a_conflict() {
        let values = [0.0, 1.0, 2.0, 5.0];
        let matrix = Matrix::dense(&values, 4, 1).unwrap();
        let z = SignedRows { matrix: &matrix, signs: &[1.0, -1.0, 1.0, 1.0], bias: true };
        let found = newton(&z, 1 << 20, &mut || false);
        assert!(!found.clean);
        let mut sum = vec![0.0; 2];
        (0..4).for_each(|i| z.add_to(i, found.residuals[i], &mut sum));
        assert!(sum.iter().all(|v| v.abs() < 1e-5), "{sum:?}");
        assert!(found.residuals[..3].iter().all(|r| *r > 0.1));
    }

    #[test]
    fn it_stops() {
        let matrix = Matrix::dense(&[1.0, 1.0], 2, 1).unwrap();
        let z = SignedRows { matrix: &matrix, signs: &[1.0, -1.0], bias: false };
        assert!(!newton(&z, usize::MAX, &mut || true).clean);
        assert!(!newton(&z, 0, &mut || false).clean);
    }
}
