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
//! *The bound.* With `u` the unit roundoff, `k` products added to a sum `s` with all rounding errors caught
//! in a second sum `c` err by at most `1.1(k + 8)²u²` of the sum of sizes: each error caught is at most `u`
//! times a partial sum, and there are `k` of them, added in doubles. So does a lane of a row's dot product
//! (`k = columns/8`), and so does a chunk of 64 rows. Adding a pair to a pair that stands at `s` errs by at
//! most `u²(4|s| + 9|t|)`; chunks are added up by 64, and these in turn, so that both chains stay short.
//! What is reported is the sum of these terms over the data, not a worst case over all data; it is
//! enlarged by a thousandth, which is more than the rounding in computing the bound itself.

use super::double_double::{UNIT, two_product, two_sum};
use super::simd;
use crate::matrix::Matrix;

const LANES: usize = 8;

/// Rows added up before they are added to the rest, and chunks likewise.
const CHUNK: usize = 64;

/// One target's residual to compute. `high` and `low` have one entry a column, and one more for the
/// intercept if there is one, and `low` is at most a rounding error of `high`; `weights` is empty for all
/// ones.
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
        (self.high, self.low) = two_sum(sum, self.low + ((error + lost) + a * low));
    }

    #[inline(always)]
    fn add_pair(&mut self, high: f64, low: f64) {
        let (sum, lost) = two_sum(self.high, high);
        (self.high, self.low) = two_sum(sum, self.low + (lost + low));
    }
}

#[inline(always)]
pub(super) fn compute<const FUSED: bool>(request: &Request<'_>) -> Residual {
    let Request { matrix, targets, weights, high, low, intercept } = *request;
    let (rows, columns) = (matrix.rows(), matrix.columns());
    let of_row = match &matrix {
        Matrix::Dense { .. } => 1.1 * ((columns as f64 / LANES as f64).ceil() + 12.0).powi(2) + 60.0,
        Matrix::Sparse { .. } => 4.0 * columns as f64 + 60.0,
    } * (UNIT * UNIT);
    let chunks = (rows as f64 / (CHUNK * CHUNK) as f64).ceil();
    let in_chunk = (rows.min(CHUNK) as f64 + 8.0).powi(2) * 1.1;
    let of_sum = (in_chunk + 4.0 * CHUNK as f64 + 4.0 * chunks + 40.0) * (UNIT * UNIT);
    let unknowns = columns + usize::from(intercept);
    let mut levels = [Columns::new(unknowns), Columns::new(unknowns), Columns::new(unknowns)];
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
        let lowest = &mut levels[0];
        if intercept {
            lowest.add_one::<FUSED>(columns, 1.0, weighed, weighed_low, wrong);
        }
        match &matrix {
            Matrix::Dense { values, .. } => {
                let values = &values[row * columns..(row + 1) * columns];
                lowest.add_dense::<FUSED>(values, weighed, weighed_low, wrong);
            }
            Matrix::Sparse { starts, indices, values, .. } => {
                for k in starts[row]..starts[row + 1] {
                    lowest.add_one::<FUSED>(indices[k] as usize, values[k], weighed, weighed_low, wrong);
                }
            }
        }
        if (row + 1) % CHUNK == 0 {
            fold(&mut levels, 0);
            if (row + 1) % (CHUNK * CHUNK) == 0 {
                fold(&mut levels, 1);
            }
        }
    }
    fold(&mut levels, 0);
    fold(&mut levels, 1);
    let [_, _, total] = levels;
    // An underflowing product loses less than the smallest normal double.
    let underflow = f64::MIN_POSITIVE * (rows as f64 + 1.0) * (columns as f64 + 2.0);
    let enlarged = |bound: f64| if bound == 0.0 { 0.0 } else { bound * 1.001 + underflow };
    Residual {
        bound: total.bound.into_iter().map(enlarged).collect(),
        high: total.high,
        low: total.low,
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
    for j in whole..values.len() {
        let lane = j - whole;
        let (product, error) = two_product::<FUSED>(values[j], high[j]);
        let (total, lost) = two_sum(sums[lane], product);
        sums[lane] = total;
        errors[lane] += (error + lost) + values[j] * low[j];
        sizes[lane] += product.abs();
    }
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            let (total, lost) = two_sum(sums[lane], sums[lane + width]);
            sums[lane] = total;
            errors[lane] += errors[lane + width] + lost;
            sizes[lane] += sizes[lane + width];
        }
        width /= 2;
    }
    sum.add_pair(-sums[0], -errors[0]);
    sizes[0]
}

/// `g`, one sum, one sum of errors and one bound a column, as three arrays so that columns are worked on
/// side by side.
struct Columns {
    high: Vec<f64>,
    low: Vec<f64>,
    bound: Vec<f64>,
}

impl Columns {
    fn new(columns: usize) -> Self {
        Columns { high: vec![0.0; columns], low: vec![0.0; columns], bound: vec![0.0; columns] }
    }

    #[inline(always)]
    fn add_dense<const FUSED: bool>(&mut self, values: &[f64], weighed: f64, weighed_low: f64, wrong: f64) {
        let columns = values.len();
        let (high, low, bound) = (&mut self.high[..columns], &mut self.low[..columns], &mut self.bound[..columns]);
        for j in 0..columns {
            let a = values[j];
            let (product, error) = two_product::<FUSED>(a, weighed);
            let (sum, lost) = two_sum(high[j], product);
            high[j] = sum;
            low[j] += (error + lost) + a * weighed_low;
            bound[j] += a.abs() * wrong;
        }
    }

    #[inline(always)]
    fn add_one<const FUSED: bool>(&mut self, j: usize, a: f64, weighed: f64, weighed_low: f64, wrong: f64) {
        let (product, error) = two_product::<FUSED>(a, weighed);
        let (sum, lost) = two_sum(self.high[j], product);
        self.high[j] = sum;
        self.low[j] += (error + lost) + a * weighed_low;
        self.bound[j] += a.abs() * wrong;
    }
}

/// Adds a level to the one above it and empties it.
#[inline(always)]
fn fold(levels: &mut [Columns; 3], level: usize) {
    let (below, above) = levels.split_at_mut(level + 1);
    let (from, to) = (&mut below[level], &mut above[0]);
    for j in 0..from.high.len() {
        let mut pair = Pair { high: to.high[j], low: to.low[j] };
        pair.add_pair(from.high[j], from.low[j]);
        to.high[j] = pair.high;
        to.low[j] = pair.low;
        to.bound[j] += from.bound[j];
    }
    from.high.fill(0.0);
    from.low.fill(0.0);
    from.bound.fill(0.0);
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
                prop::collection::vec(-(1i64 << 20)..(1i64 << 20), n * d),
                prop::collection::vec(-(1i64 << 40)..(1i64 << 40), n),
                prop::collection::vec(0i64..5, n),
                prop::collection::vec(-(1i64 << 33)..(1i64 << 33), d + 1),
                prop::collection::vec(-3i64..4, d + 1),
            ))
        ) {
            let theta: Vec<i64> = theta.iter().map(|t| t << 25).collect();
            let low: Vec<i64> = theta.iter().zip(&low).map(|(t, l)| if t.abs() >> 53 >= l.abs() { *l } else { 0 }).collect();
            let whole: Vec<i64> = theta.iter().zip(&low).map(|(t, l)| t + l).collect();
            let expected = exact(&values, &y, &weights, &whole, columns);
            let (values, y, weights) = (floats(&values), floats(&y), floats(&weights));
            let (theta, low) = (floats(&theta), floats(&low));
            let dense = Matrix::dense(&values, rows, columns).unwrap();
            let starts: Vec<usize> = (0..=rows).map(|i| i * columns).collect();
            let indices: Vec<u32> = (0..rows * columns).map(|k| (k % columns) as u32).collect();
            let sparse = Matrix::sparse(&starts, &indices, &values, columns).unwrap();
            for matrix in [dense, sparse] {
                {
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
