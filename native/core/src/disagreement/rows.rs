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
use super::exact::{Flat, Integers, integers, split};
use crate::matrix::Matrix;

/// Beyond so many columns their independence is not looked into.
const MOST_RANKED: usize = 64;

/// Weights as exact multiples of one power of two.
pub type Weight = i128;

/// Why a data set cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRows {
    Lengths { rows: usize, labels: usize, weights: usize },
    Label { row: usize },
    Weight { row: usize },
    WeightRange,
    Start { expected: usize, found: usize },
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
        }
    }
}

impl std::error::Error for BadRows {}

/// Signed rows as given, dense, with their weights: what a result is verified against.
pub struct Signed01 {
    /// Columns, the bias's 1 counted.
    pub m: usize,
    pub values: Vec<f64>,
    pub weights: Vec<Weight>,
    /// A weight of 1 is `2^unit`.
    pub unit: i32,
    pub bias: bool,
}

impl Signed01 {
    pub fn new(x: &Matrix, labels: &[f64], weights: Option<&[f64]>, bias: bool) -> Result<Self, BadRows> {
        let n = x.rows();
        let found = weights.map_or(n, <[f64]>::len);
        if labels.len() != n || found != n {
            return Err(BadRows::Lengths { rows: n, labels: labels.len(), weights: found });
        }
        if let Some(row) = labels.iter().position(|y| y.abs() != 1.0) {
            return Err(BadRows::Label { row });
        }
        let m = x.columns() + usize::from(bias);
        let mut values = vec![0.0; n * m];
        for (i, &y) in labels.iter().enumerate() {
            let row = &mut values[i * m..(i + 1) * m];
            x.for_each_entry(i, |j, v| row[j] = y * v + 0.0);
            if bias {
                row[m - 1] = y;
            }
        }
        let (weights, unit) = fixed_point(weights, n)?;
        Ok(Signed01 { m, values, weights, unit, bias })
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    #[must_use]
    pub fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.m..(i + 1) * self.m]
    }

    /// The weight, as a double.
    #[must_use]
    pub fn in_units(&self, weight: Weight) -> f64 {
        let (mut value, mut unit) = (weight, self.unit);
        while unit > 0 && value & 1 == 0 && value != 0 {
            value >>= 1;
            unit -= 1;
        }
        value as f64 * (-f64::from(unit)).exp2()
    }
}

fn fixed_point(weights: Option<&[f64]>, n: usize) -> Result<(Vec<Weight>, i32), BadRows> {
    let Some(weights) = weights else { return Ok((vec![1; n], 0)) };
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(BadRows::Weight { row });
    }
    let parts: Vec<(i64, i32)> = weights.iter().map(|w| split(*w)).collect();
    let least = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(0).min(0);
    let mut fixed = Vec::with_capacity(n);
    for (mantissa, exponent) in parts {
        let shift = if mantissa == 0 { 0 } else { exponent - least };
        let bits = 64 - mantissa.leading_zeros() as i32;
        // 2^116 leaves room for the sum of 2^10 rows of full width, or 2^60 of weight one.
        if bits + shift > 116 - (usize::BITS - n.leading_zeros()) as i32 {
            return Err(BadRows::WeightRange);
        }
        fixed.push(Weight::from(mantissa) << shift);
    }
    Ok((fixed, -least))
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
    scale: Vec<f64>,
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
    pub fn merged(signed: &Signed01) -> Self {
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
            self.values.extend(self.kept.iter().map(|&j| (row[j] - self.shift[j] * anchor) * self.scale[j]));
            let own = &mut self.values[start..];
            let top = own.iter().fold(0.0f64, |a, v| a.max(v.abs()));
            // Without a bias rows may have any length; a power of two brings each to about 1.
            if !self.bias && top > 0.0 {
                let power = power_of_two(1.0 / top);
                own.iter_mut().for_each(|v| *v *= power);
            }
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
        let mut w = vec![0.0; self.wide];
        for (a, &j) in u.iter().zip(&self.kept) {
            w[j] = a * self.scale[j];
        }
        if self.bias {
            let moved: f64 = (0..self.wide - 1).map(|j| self.shift[j] * w[j]).sum();
            w[self.wide - 1] -= moved;
        }
        w
    }

    /// Coefficients moved at random in every column, by about `step` in the search's coordinates.
    #[must_use]
    pub fn nudged(&self, w: &[f64], step: f64, dice: &mut Dice) -> Vec<f64> {
        let move_by: Vec<f64> = self.scale.iter().map(|s| step * dice.bell() * s).collect();
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
        self.kept.iter().map(|&j| moved[j] / self.scale[j]).collect()
    }
}

fn scaled(value: f64, power: f64) -> (i64, i32) {
    let (mantissa, exponent) = split(value);
    (mantissa, exponent + split(power).1)
}

fn power_of_two(value: f64) -> f64 {
    value.log2().round().clamp(-1000.0, 1000.0).exp2()
}

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

/// Powers of two and shifts that bring each column's spread to about 1 around 0.
fn coordinates(given: &[f64], m: usize, bias: bool) -> (Vec<f64>, Vec<f64>) {
    let (mut scale, mut shift) = (vec![1.0; m], vec![0.0; m]);
    let n = given.len() / m.max(1);
    for j in 0..m - usize::from(bias) {
        let top = (0..n).fold(0.0f64, |a, i| a.max(given[i * m + j].abs()));
        if top == 0.0 {
            continue;
        }
        let unit = power_of_two(1.0 / top);
        let at = |i: usize| given[i * m + j] * if bias { given[i * m + m - 1] } else { 1.0 } * unit;
        let mean = if bias { (0..n).map(at).sum::<f64>() / n as f64 } else { 0.0 };
        let spread = ((0..n).map(|i| (at(i) - mean).powi(2)).sum::<f64>() / n as f64).sqrt();
        if spread < 1e-9 {
            // A constant column: a multiple of the bias, or all there is.
            scale[j] = unit;
            continue;
        }
        // A few bits of the mean are enough, and keep the integers short.
        let grid = power_of_two(spread);
        shift[j] = (mean / grid).round() * grid / unit;
        scale[j] = unit / grid;
        if !shift[j].is_finite() || !scale[j].is_finite() || scale[j] == 0.0 {
            (shift[j], scale[j]) = (0.0, unit);
        }
    }
    (scale, shift)
}
