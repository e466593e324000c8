//! T11 before the search: rows that can be separated are, and a conflict is the first lower bound.

use super::Limits;
use super::weights::{Weight, Weights};
use crate::geometry::{self, Answer, Options, Separation, Vector};
use crate::matrix::Matrix;

/// What T11 says about the rows that weigh anything.
pub enum Separability {
    /// Coefficients that get all of them right.
    Separable(Vec<f64>),
    /// One row of a conflict errs, which costs at least this.
    Costs(Weight),
    /// Time is up, or doubles are too coarse.
    Unknown,
}

/// Decides, then looks for the largest margin: it does not depend on the order of the rows.
#[must_use]
pub fn separability(x: &Matrix, labels: &[f64], weights: &Weights, bias: bool, limits: &Limits) -> Separability {
    let weighing: Vec<usize> = (0..x.rows()).filter(|i| weights.fixed[*i] > 0).collect();
    if weighing.len() == x.rows() {
        return of_all(x, labels, &weights.fixed, bias, limits);
    }
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for &i in &weighing {
        x.for_each_entry(i, |j, v| {
            indices.push(j as u32);
            values.push(v);
        });
        starts.push(indices.len());
    }
    let labels: Vec<f64> = weighing.iter().map(|i| labels[*i]).collect();
    let fixed: Vec<Weight> = weighing.iter().map(|i| weights.fixed[*i]).collect();
    match Matrix::sparse(&starts, &indices, &values, x.columns()) {
        Ok(matrix) => of_all(&matrix, &labels, &fixed, bias, limits),
        Err(_) => Separability::Unknown,
    }
}

fn of_all(x: &Matrix, labels: &[f64], weights: &[Weight], bias: bool, limits: &Limits) -> Separability {
    let ask =
        |only_decide| geometry::separate(x, labels, &Options { bias, only_decide }, &mut || limits.reached()).ok();
    // Only what is proved on the doubles themselves.
    let separator = |found: &Separation| match &found.w {
        Some(Vector::Doubles(w)) if found.exact && found.answer == Answer::Separable => Some(w.clone()),
        _ => None,
    };
    let Some(decided) = ask(true) else { return Separability::Unknown };
    match (separator(&decided), decided.conflict) {
        (Some(some), _) => Separability::Separable(ask(false).and_then(|widest| separator(&widest)).unwrap_or(some)),
        (_, Some(conflict)) => Separability::Costs(conflict.rows.iter().map(|i| weights[*i]).min().unwrap_or(0)),
        _ => Separability::Unknown,
    }
}
