//! The residual of the normal equations in double-double, with a bound on its own error.
//!
//! For `θ = high + low` (features first, the intercept last), rows `a_i` and weights `s_i`:
//!
//! ```text
//! r_i = y_i − a_i·θ          in double-double
//! g   = Σ_i s_i r_i a_i      in double-double, each row's r_i used before it is rounded
//! ```
//!
//! This is the residual of the augmented system `[I S; Sᵀ 0]` whose first block is kept at zero by
//! computing `r` anew from `θ`: nothing of length `rows` is stored.
//!
//! *The bound.* With `u` the unit roundoff, a row's sum of `m` products errs by at most
//! `(3m + 40)(m + 20)·2u²·Σ|a_ij θ_j|` (the errors of the transformations are each at most `u` times a
//! partial sum, and are themselves added in doubles), and adding row after row to a double-double `g`
//! errs by at most `8u²` of the largest partial sum a row. What is reported is the sum of these terms
//! over the data, not a worst case over all data; it is enlarged by a thousandth, which is more than the
//! rounding in computing the bound itself.

use super::double_double::{UNIT, quick_two_sum, two_product, two_sum};
use super::simd;
use crate::matrix::Matrix;

const LANES: usize = 8;

/// One target's residual to compute. `high` and `low` have one entry a column, and one more for the
/// intercept if there is one; `weights` is empty for all ones.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub matrix: Matrix<'a>,
    pub targets: &'a [f64],
    pub weights: &'a [f64],
    pub high: &'a [f64],
    pub low: &'a [f64],
    pub intercept: bool,
}

/// `g = high + low`, exact to within `bound`; `squares` is `Σ s_i r_i²` (to double-double's accuracy,
/// rounded).
#[derive(Clone, Debug, PartialEq)]
pub struct Residual {
    pub high: Vec<f64>,
    pub low: Vec<f64>,
    pub bound: Vec<f64>,
    pub squares: f64,
}

/// Why a residual cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLength(pub String);

impl std::fmt::Display for BadLength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadLength {}

/// Computes `g` for one target; see the top of the file.
pub fn residual(request: &Request<'_>) -> Result<Residual, BadLength> {
    let (rows, unknowns) = (request.matrix.rows(), request.matrix.columns() + usize::from(request.intercept));
    for (what, found, wanted) in [
        ("targets", request.targets.len(), rows),
        ("weights", if request.weights.is_empty() { rows } else { request.weights.len() }, rows),
        ("high", request.high.len(), unknowns),
        ("low", request.low.len(), unknowns),
    ] {
        if found != wanted {
            return Err(BadLength(format!("{what}: expected {wanted} values, found {found}")));
        }
    }
    Ok(simd::residual(request))
}

/// A running sum kept as an unevaluated pair.
#[derive(Clone, Copy, Default)]
struct Pair {
    high: f64,
    low: f64,
}

impl Pair {
    #[inline(always)]
    fn add<const FUSED: bool>(&mut self, a: f64, high: f64, low: f64) {
        let (product, error) = two_product::<FUSED>(a, high);
        let (sum, lost) = two_sum(self.high, product);
        let low = self.low + ((error + lost) + a * low);
        (self.high, self.low) = quick_two_sum(sum, low);
    }
}

#[inline(always)]
pub(super) fn compute<const FUSED: bool>(request: &Request<'_>) -> Residual {
    let Request { matrix, targets, weights, high, low, intercept } = *request;
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let terms = (columns + 2) as f64;
    let of_row = (3.0 * terms + 40.0) * (terms + 20.0) * 2.0 * UNIT * UNIT;
    let of_sum = (8.0 * rows as f64 + 100.0) * UNIT * UNIT;
    let mut g = Columns::new(columns);
    let mut at_intercept = Pair::default();
    let mut at_intercept_bound = 0.0;
    let mut squares = Pair::default();
    for row in 0..rows {
        let mut sum = Pair { high: targets[row], low: 0.0 };
        let mut magnitude = targets[row].abs();
        if intercept {
            sum.add::<FUSED>(-1.0, high[columns], low[columns]);
            magnitude += high[columns].abs();
        }
        match &matrix {
            Matrix::Dense { values, .. } => {
                let values = &values[row * columns..(row + 1) * columns];
                magnitude += subtract_dense::<FUSED>(values, &high[..columns], &low[..columns], &mut sum);
            }
            Matrix::Sparse { starts, indices, values, .. } => {
                for k in starts[row]..starts[row + 1] {
                    let j = indices[k] as usize;
                    sum.add::<FUSED>(-values[k], high[j], low[j]);
                    magnitude += (values[k] * high[j]).abs();
                }
            }
        }
        let weight = if weights.is_empty() { 1.0 } else { weights[row] };
        let (weighed, error) = two_product::<FUSED>(weight, sum.high);
        let weighed_low = error + weight * sum.low;
        let wrong = weighed.abs() * of_sum + weight.abs() * (magnitude * of_row);
        squares.add::<FUSED>(sum.high, weighed, weighed_low);
        squares.add::<FUSED>(sum.low, weighed, 0.0);
        if intercept {
            at_intercept.add::<FUSED>(1.0, weighed, weighed_low);
            at_intercept_bound += wrong;
        }
        match &matrix {
            Matrix::Dense { values, .. } => {
                let values = &values[row * columns..(row + 1) * columns];
                g.add_dense::<FUSED>(values, weighed, weighed_low, wrong);
            }
            Matrix::Sparse { starts, indices, values, .. } => {
                for k in starts[row]..starts[row + 1] {
                    g.add_one::<FUSED>(indices[k] as usize, values[k], weighed, weighed_low, wrong);
                }
            }
        }
    }
    if intercept {
        g.high.push(at_intercept.high);
        g.low.push(at_intercept.low);
        g.bound.push(at_intercept_bound);
    }
    // An underflowing product loses less than the smallest normal double.
    let underflow = f64::MIN_POSITIVE * (rows as f64 + 1.0) * terms;
    let enlarged = |bound: f64| if bound == 0.0 { 0.0 } else { bound * 1.001 + underflow };
    Residual {
        bound: g.bound.into_iter().map(enlarged).collect(),
        high: g.high,
        low: g.low,
        squares: squares.high + squares.low,
    }
}

/// `sum −= values·θ`; returns `Σ |values_j θ_j|`.
#[inline(always)]
fn subtract_dense<const FUSED: bool>(values: &[f64], high: &[f64], low: &[f64], sum: &mut Pair) -> f64 {
    let (mut sums, mut errors, mut sizes) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
    let whole = values.len() - values.len() % LANES;
    for at in (0..whole).step_by(LANES) {
        let (a, h, l) = (&values[at..at + LANES], &high[at..at + LANES], &low[at..at + LANES]);
        for lane in 0..LANES {
            let (product, error) = two_product::<FUSED>(a[lane], h[lane]);
            let (total, lost) = two_sum(sums[lane], product);
            sums[lane] = total;
            errors[lane] += (error + lost) + a[lane] * l[lane];
            sizes[lane] += product.abs();
        }
    }
    let mut size = 0.0;
    for lane in 0..LANES {
        sum.add::<FUSED>(-1.0, sums[lane], errors[lane]);
        size += sizes[lane];
    }
    for j in whole..values.len() {
        sum.add::<FUSED>(-values[j], high[j], low[j]);
        size += (values[j] * high[j]).abs();
    }
    size
}

/// `g`, one pair and one bound a column, as three arrays so that columns are worked on side by side.
struct Columns {
    high: Vec<f64>,
    low: Vec<f64>,
    bound: Vec<f64>,
}

impl Columns {
    fn new(columns: usize) -> Self {
        let zeros = || {
            let mut zeros = Vec::with_capacity(columns + 1);
            zeros.resize(columns, 0.0);
            zeros
        };
        Columns { high: zeros(), low: zeros(), bound: zeros() }
    }

    #[inline(always)]
    fn add_dense<const FUSED: bool>(&mut self, values: &[f64], weighed: f64, weighed_low: f64, wrong: f64) {
        let columns = values.len();
        let (high, low, bound) = (&mut self.high[..columns], &mut self.low[..columns], &mut self.bound[..columns]);
        for j in 0..columns {
            let a = values[j];
            let mut pair = Pair { high: high[j], low: low[j] };
            pair.add::<FUSED>(a, weighed, weighed_low);
            high[j] = pair.high;
            low[j] = pair.low;
            bound[j] += a.abs() * wrong;
        }
    }

    #[inline(always)]
    fn add_one<const FUSED: bool>(&mut self, j: usize, a: f64, weighed: f64, weighed_low: f64, wrong: f64) {
        let mut pair = Pair { high: self.high[j], low: self.low[j] };
        pair.add::<FUSED>(a, weighed, weighed_low);
        self.high[j] = pair.high;
        self.low[j] = pair.low;
        self.bound[j] += a.abs() * wrong;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `g` in integers, for data of small integers and `θ` of integers: exact.
    fn exact(values: &[i64], y: &[i64], weights: &[i64], theta: &[i64], columns: usize) -> Vec<i128> {
        let mut g = vec![0i128; columns + 1];
        for i in 0..y.len() {
            let row = &values[i * columns..(i + 1) * columns];
            let mut r = i128::from(y[i]) - i128::from(theta[columns]);
            for j in 0..columns {
                r -= i128::from(row[j]) * i128::from(theta[j]);
            }
            for j in 0..columns {
                g[j] += i128::from(weights[i]) * r * i128::from(row[j]);
            }
            g[columns] += i128::from(weights[i]) * r;
        }
        g
    }

    fn floats(values: &[i64]) -> Vec<f64> {
        values.iter().map(|v| *v as f64).collect()
    }

    proptest! {
        #[test]
        fn every_form_is_within_its_bound_of_the_integers(
            (rows, columns, values, y, weights, theta, low) in (1usize..9, 1usize..20).prop_flat_map(|(n, d)| (
                Just(n), Just(d),
                prop::collection::vec(-(1i64 << 30)..(1i64 << 30), n * d),
                prop::collection::vec(-(1i64 << 40)..(1i64 << 40), n),
                prop::collection::vec(0i64..5, n),
                prop::collection::vec(-(1i64 << 30)..(1i64 << 30), d + 1),
                prop::collection::vec(-3i64..4, d + 1),
            ))
        ) {
            let whole: Vec<i64> = theta.iter().zip(&low).map(|(t, l)| t + l).collect();
            let expected = exact(&values, &y, &weights, &whole, columns);
            let (values, y, weights) = (floats(&values), floats(&y), floats(&weights));
            let (theta, low) = (floats(&theta), floats(&low));
            let dense = Matrix::dense(&values, rows, columns).unwrap();
            let starts: Vec<usize> = (0..=rows).map(|i| i * columns).collect();
            let indices: Vec<u32> = (0..rows * columns).map(|k| (k % columns) as u32).collect();
            let sparse = Matrix::sparse(&starts, &indices, &values, columns).unwrap();
            for matrix in [dense, sparse] {
                let request = Request {
                    matrix, targets: &y, weights: &weights, high: &theta, low: &low, intercept: true,
                };
                let found = residual(&request).unwrap();
                prop_assert_eq!(&found, &compute::<false>(&request));
                for j in 0..=columns {
                    let wrong = expected[j] - found.high[j] as i128 - found.low[j] as i128;
                    prop_assert!(wrong.unsigned_abs() as f64 <= found.bound[j] + 1.0, "{wrong} {:?}", found);
                }
            }
        }
    }

    #[test]
    fn lengths_are_checked() {
        let values = [1.0, 2.0];
        let matrix = Matrix::dense(&values, 2, 1).unwrap();
        let request = Request { matrix, targets: &[1.0], weights: &[], high: &[0.0], low: &[0.0], intercept: false };
        assert_eq!(residual(&request), Err(BadLength("targets: expected 2 values, found 1".into())));
    }

    #[test]
    fn an_overflow_shows_in_the_bound() {
        let values = [1e300, 1e300];
        let matrix = Matrix::dense(&values, 2, 1).unwrap();
        let request =
            Request { matrix, targets: &[1.0, 1.0], weights: &[], high: &[1e300], low: &[0.0], intercept: false };
        let found = residual(&request).unwrap();
        assert!(!found.bound[0].is_finite());
    }
}
