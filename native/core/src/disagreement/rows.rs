//! The data as the search sees it: signed rows `z_i = y_i (x_i, 1)`, merged, centred and scaled.
//!
//! `w` is right on row i when `z_i·w > 0`. A positive multiple of a row asks the same, and a negative
//! multiple the opposite, so that rows on one line through the origin become one row of the net
//! weight, and the smaller side of the line is an error that no `w` avoids. A zero row always errs.
//!
//! Columns are scaled by powers of two and, when there is a bias, moved by a multiple of it. That is
//! a linear change of `w`, made exactly, and lets one cube hold every direction that matters.

use std::collections::HashMap;
use std::sync::OnceLock;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::descent::Dice;
use super::exact::{Flat, Integers, integers};
use super::units::{coordinates, magnitude, scaled, times_power};
use super::weights::{Weight, Weights};
use crate::matrix::Matrix;

/// Dense values that are searched: some 5 GB.
const MOST_VALUES: usize = 200_000_000;
/// Beyond so many columns their independence is not looked into.
const MOST_RANKED: usize = 64;

/// Why a data set cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRows {
    Lengths { rows: usize, labels: usize, weights: usize },
    Label { row: usize },
    Weight { row: usize },
    WeightRange,
    Start { expected: usize, found: usize },
    Size { rows: usize, columns: usize },
}

impl std::fmt::Display for BadRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            BadRows::Lengths { rows, labels, weights } => {
                write!(f, "{rows} rows need as many labels and weights, found {labels} and {weights}")
            }
            BadRows::Label { row } => write!(f, "row {row}: expected a label of -1 or +1"),
            BadRows::Weight { row } => write!(f, "row {row}: expected a finite sample weight of at least 0"),
            BadRows::WeightRange => {
                f.write_str("sample weights must lie within a factor of about 2^60 of each other to be added exactly")
            }
            BadRows::Start { expected, found } => {
                write!(f, "a starting point must have {expected} coefficients, found {found}")
            }
            BadRows::Size { rows, columns } => write!(
                f,
                "X should have at most 200,000,000 values unless its rows are soon seen to be separable, found {rows} \
                 rows of {columns}; sx.Pocket streams over larger data"
            ),
        }
    }
}

impl std::error::Error for BadRows {}

/// Signed rows as given, dense, with their weights: what a result is verified against.
pub struct Signed01<'a> {
    /// Columns, the bias's 1 counted.
    pub m: usize,
    pub values: Vec<f64>,
    pub weights: &'a [Weight],
    pub bias: bool,
}

impl<'a> Signed01<'a> {
    /// From rows, their labels ±1 and their checked weights.
    pub fn new(x: &Matrix, labels: &[f64], weights: &'a Weights, bias: bool) -> Result<Self, BadRows> {
        let n = x.rows();
        let m = x.columns() + usize::from(bias);
        if n.saturating_mul(m) > MOST_VALUES {
            return Err(BadRows::Size { rows: n, columns: m });
        }
        let mut values = vec![0.0; n * m];
        for (i, &y) in labels.iter().enumerate() {
            let row = &mut values[i * m..(i + 1) * m];
            x.for_each_entry(i, |j, v| row[j] = y * v + 0.0);
            if bias {
                row[m - 1] = y;
            }
        }
        Ok(Signed01 { m, values, weights: &weights.fixed, bias })
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.m..(i + 1) * self.m]
    }
}

/// Distinct lines through the origin with their net weights, in the search's coordinates.
pub struct Rows {
    pub m: usize,
    /// `n × m` doubles, each within one rounding of the exact row.
    pub values: Vec<f64>,
    /// Row i's value at any `u` in the cube `[−1, 1]^m` is within `slack[i]` of the exact one.
    pub slack: Vec<f64>,
    pub weights: Vec<Weight>,
    /// Errors that no `w` avoids.
    pub base: Weight,
    /// What a direction on row i's plane errs beyond `weights[i]`: the lighter side of its line.
    pub lighter: Vec<Weight>,
    /// Lines whose sides weigh the same, as given, with that weight: they only cost where `z·w = 0`.
    balanced: Vec<(Vec<f64>, Weight)>,
    /// Each column's unit: the search sees it times `2^scale`.
    scale: Vec<i32>,
    shift: Vec<f64>,
    /// Columns of the data that the others do not determine; the search sees no other.
    kept: Vec<usize>,
    /// Columns of the data, the bias's 1 counted.
    wide: usize,
    bias: bool,
    exact: OnceLock<Integers>,
    given: Vec<f64>,
}

impl Rows {
    #[must_use]
    pub fn merged(signed: &Signed01<'_>) -> Self {
        let m = signed.m;
        let mut base: Weight = 0;
        let mut seen: HashMap<Vec<u8>, usize> = HashMap::new();
        let mut lines: Vec<(usize, Weight, Weight, bool)> = Vec::new();
        for i in 0..signed.count() {
            let weight = signed.weights[i];
            if weight == 0 {
                continue;
            }
            let Some((key, negative)) = line_key(signed.row(i), signed.bias) else {
                base += weight;
                continue;
            };
            let at = *seen.entry(key).or_insert_with(|| {
                lines.push((i, 0, 0, negative));
                lines.len() - 1
            });
            let line = &mut lines[at];
            if line.3 == negative {
                line.1 += weight;
            } else {
                line.2 += weight;
            }
        }
        let mut given = Vec::new();
        let mut weights = Vec::new();
        let mut lighter = Vec::new();
        let mut balanced = Vec::new();
        for (i, along, against, _) in lines {
            base += along.min(against);
            if along == against {
                balanced.push((signed.row(i).to_vec(), along));
                continue;
            }
            let sign = if along > against { 1.0 } else { -1.0 };
            given.extend(signed.row(i).iter().map(|v| v * sign));
            weights.push((along - against).abs());
            lighter.push(along.min(against));
        }
        let (scale, shift) = coordinates(&given, m, signed.bias);
        let mut rows = Rows {
            m,
            values: Vec::new(),
            slack: Vec::new(),
            weights,
            base,
            lighter,
            balanced,
            scale,
            shift,
            kept: (0..m).collect(),
            wide: m,
            bias: signed.bias,
            exact: OnceLock::new(),
            given,
        };
        if m <= MOST_RANKED {
            rows.kept = rows.independent_columns();
            rows.m = rows.kept.len();
        }
        rows.approximate();
        rows
    }

    /// The pivot columns of an exact elimination: what the other columns add, these can say as well.
    fn independent_columns(&self) -> Vec<usize> {
        let mut flat: Flat<BigInt> = Flat::new();
        let mut columns = Vec::new();
        for i in 0..self.count() {
            let row = flat.reduce(&self.integer_row(i));
            // The bias last: a column that is constant must not displace it.
            let found = (0..self.wide).rev().find(|j| !row[*j].is_zero());
            if let Some(column) = found {
                flat.push(row, column);
                columns.push(column);
                if columns.len() == self.wide {
                    break;
                }
            }
        }
        columns.sort_unstable();
        columns
    }

    fn approximate(&mut self) {
        let m = self.m;
        for row in self.given.chunks_exact(self.wide.max(1)) {
            let anchor = if self.bias { row[self.wide - 1] } else { 0.0 };
            let start = self.values.len();
            // Without a bias rows may have any length; a power of two brings each to about 1.
            let of_row = if self.bias {
                0
            } else {
                let sizes = self.kept.iter().filter(|j| row[**j] != 0.0).map(|&j| magnitude(row[j]) + self.scale[j]);
                -sizes.max().unwrap_or(0)
            };
            let moved = |j: usize| times_power(row[j] - self.shift[j] * anchor, self.scale[j] + of_row);
            self.values.extend(self.kept.iter().map(|&j| moved(j)));
            let own = &self.values[start..];
            let total: f64 = own.iter().map(|v| v.abs()).sum();
            self.slack.push(total * (m as f64 + 3.0) * f64::EPSILON + 1e-290);
        }
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.m..(i + 1) * self.m]
    }

    /// A row as given, its sign that of the heavier side of its line.
    #[must_use]
    pub fn given_row(&self, i: usize) -> &[f64] {
        &self.given[i * self.wide..(i + 1) * self.wide]
    }

    /// Lines of equal sides and what each side weighs.
    #[must_use]
    pub fn balanced(&self) -> &[(Vec<f64>, Weight)] {
        &self.balanced
    }

    /// One row as integers, in the search's coordinates.
    #[must_use]
    pub fn integer_row(&self, i: usize) -> Vec<BigInt> {
        let wide = self.wide;
        let row = &self.given[i * wide..(i + 1) * wide];
        let anchor = if self.bias { row[wide - 1] } else { 0.0 };
        // value_j·scale_j − shift_j·anchor·scale_j, each an exact product of a double and ±2^k.
        let first: Vec<(i64, i32)> = self.kept.iter().map(|&j| scaled(row[j], self.scale[j])).collect();
        let second: Vec<(i64, i32)> =
            self.kept.iter().map(|&j| scaled(-self.shift[j] * anchor, self.scale[j])).collect();
        let least = first.iter().chain(&second).filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0);
        let whole =
            |p: &(i64, i32)| if p.0 == 0 { BigInt::zero() } else { BigInt::from(p.0) << ((p.1 - least) as usize) };
        let mut out: Vec<BigInt> = first.iter().zip(&second).map(|(a, b)| whole(a) + whole(b)).collect();
        let zeros = out.iter().filter_map(BigInt::trailing_zeros).min().unwrap_or(0);
        out.iter_mut().for_each(|v| *v >>= zeros);
        out
    }

    /// All rows as integers, made when first needed.
    pub fn exact(&self) -> &Integers {
        self.exact.get_or_init(|| {
            let all: Vec<BigInt> = (0..self.count()).flat_map(|i| self.integer_row(i)).collect();
            Integers::of(all, self.m)
        })
    }

    /// A direction of the search as coefficients for the data as given.
    #[must_use]
    pub fn to_given(&self, u: &[f64]) -> Vec<f64> {
        // Columns of the tiniest numbers want coefficients beyond the doubles: all are brought down.
        let sizes = u.iter().zip(&self.kept).filter(|(a, _)| **a != 0.0).map(|(a, &j)| magnitude(*a) + self.scale[j]);
        let down = sizes.max().map_or(0, |top| (top - MOST_MAGNITUDE).max(0));
        let mut w = vec![0.0; self.wide];
        for (a, &j) in u.iter().zip(&self.kept) {
            w[j] = times_power(*a, self.scale[j] - down);
        }
        if self.bias {
            let moved: f64 = (0..self.wide - 1).map(|j| self.shift[j] * w[j]).sum();
            w[self.wide - 1] -= moved;
        }
        w
    }

    /// A direction of the search, in integers, as coefficients for the data as given over a common power of two.
    #[must_use]
    pub fn to_given_exactly(&self, u: &[BigInt]) -> Vec<BigInt> {
        // With the bias's own column at the end, `shift · 2^scale` is what it loses to each other column.
        let mut terms: Vec<(usize, BigInt, i32)> = Vec::new();
        for (a, &j) in u.iter().zip(&self.kept) {
            terms.push((j, a.clone(), self.scale[j]));
            let (mantissa, exponent) = scaled(-self.shift[j], self.scale[j]);
            if mantissa != 0 {
                terms.push((self.wide - 1, a * mantissa, exponent));
            }
        }
        let least = terms.iter().map(|t| t.2).min().unwrap_or(0);
        let mut w = vec![BigInt::zero(); self.wide];
        for (j, value, exponent) in terms {
            w[j] += value << (exponent - least) as usize;
        }
        w
    }

    /// Coefficients moved at random in every column, by about `step` in the search's coordinates.
    #[must_use]
    pub fn nudged(&self, w: &[f64], step: f64, dice: &mut Dice) -> Vec<f64> {
        let move_by: Vec<f64> = self.scale.iter().map(|s| times_power(step * dice.bell(), *s)).collect();
        let mut out: Vec<f64> = w.iter().zip(&move_by).map(|(a, b)| a + b).collect();
        if self.bias {
            out[self.wide - 1] -= (0..self.wide - 1).map(|j| self.shift[j] * move_by[j]).sum::<f64>();
        }
        out
    }

    /// A direction of the search near coefficients for the data as given: the one that gives the same
    /// values when the search sees every column.
    #[must_use]
    pub fn from_given(&self, w: &[f64]) -> Vec<f64> {
        let mut moved = w.to_vec();
        if self.bias {
            moved[self.wide - 1] += (0..self.wide - 1).map(|j| self.shift[j] * w[j]).sum::<f64>();
        }
        self.kept.iter().map(|&j| times_power(moved[j], -self.scale[j])).collect()
    }
}

/// Coefficients stay below about `2^1000`: sums of a few still fit a double.
const MOST_MAGNITUDE: i32 = 1000;

/// What all rows on one line through the origin share, and which way along it this one points.
fn line_key(row: &[f64], bias: bool) -> Option<(Vec<u8>, bool)> {
    if bias {
        // The last entry is ±1: rows on one line are equal or opposite.
        let negative = row[row.len() - 1] < 0.0;
        let sign = if negative { -1.0 } else { 1.0 };
        return Some((row.iter().flat_map(|v| (v * sign + 0.0).to_bits().to_le_bytes()).collect(), negative));
    }
    let mut whole = integers(row);
    let negative = whole.iter().find(|v| !v.is_zero())?.is_negative();
    let mut divisor = BigInt::zero();
    for v in &whole {
        divisor = gcd(divisor, v.clone());
        if divisor.is_one() {
            break;
        }
    }
    if negative {
        divisor = -divisor;
    }
    whole.iter_mut().for_each(|v| *v /= &divisor);
    let mut key = Vec::new();
    for v in &whole {
        let bytes = v.to_signed_bytes_le();
        key.extend((bytes.len() as u64).to_le_bytes());
        key.extend(bytes);
    }
    Some((key, negative))
}

fn gcd(a: BigInt, b: BigInt) -> BigInt {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        let rest = &a % &b;
        a = b;
        b = rest;
    }
    a
}
