use std::time::Duration;

use proptest::prelude::*;

use super::{Hinge, HingeError, Limits};
use crate::matrix::Matrix;

fn limits(passes: usize) -> Limits {
    Limits { tolerance: 1e-10, passes, time: Duration::from_secs(10) }
}

#[test]
fn two_points_have_the_margin_between_them() {
    // The maximum-margin separator of ±(2, 0) is u = (1/2, 0).
    let values = [2.0, 0.0, -2.0, 0.0];
    let matrix = Matrix::dense(&values, 2, 2).unwrap();
    let mut hinge = Hinge::new(matrix, &[1.0, -1.0], 0.0, 1).unwrap();
    let outcome = hinge.solve(100.0, limits(100), || false).unwrap();
    assert!(outcome.converged);
    assert!((hinge.u()[0] - 0.5).abs() < 1e-9 && hinge.u()[1].abs() < 1e-12 && hinge.u()[2] == 0.0);
    assert!(outcome.hinge < 1e-9 && (outcome.squared_norm - 0.25).abs() < 1e-9);
}

#[test]
fn a_bias_is_an_appended_constant() {
    let plain = Matrix::dense(&[3.0, 1.0, 1.0, 1.0], 2, 2).unwrap();
    let short = Matrix::dense(&[3.0, 1.0], 2, 1).unwrap();
    let labels = [1.0, -1.0];
    let mut with_column = Hinge::new(plain, &labels, 0.0, 3).unwrap();
    let mut with_bias = Hinge::new(short, &labels, 1.0, 3).unwrap();
    let a = with_column.solve(10.0, limits(10_000), || false).unwrap();
    let b = with_bias.solve(10.0, limits(10_000), || false).unwrap();
    assert!((a.squared_norm - b.squared_norm).abs() < 1e-8);
    assert!((with_column.u()[1] - with_bias.u()[1]).abs() < 1e-8);
}

#[test]
fn what_is_wrong_is_named() {
    let matrix = Matrix::dense(&[1.0], 1, 1).unwrap();
    assert_eq!(Hinge::new(matrix, &[], 0.0, 0).err(), Some(HingeError::Labels { expected: 1, found: 0 }));
    assert_eq!(Hinge::new(matrix, &[2.0], 0.0, 0).err(), Some(HingeError::Label { row: 0, found: 2.0 }));
    assert!(Hinge::new(matrix, &[1.0], f64::NAN, 0).is_err());
    let mut hinge = Hinge::new(matrix, &[1.0], 0.0, 0).unwrap();
    assert_eq!(hinge.solve(0.0, limits(1), || false).err(), Some(HingeError::Penalty(0.0)));
}

#[test]
fn a_solve_stops_when_it_is_told_to_and_goes_on_from_there() {
    let values: Vec<f64> = (0..4000).map(|i| f64::from(i * 7919 % 1009) / 1009.0 - 0.5).collect();
    let labels: Vec<f64> = (0..1000).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let matrix = Matrix::dense(&values, 1000, 4).unwrap();
    let mut hinge = Hinge::new(matrix, &labels, 1.0, 5).unwrap();
    let outcome = hinge.solve(1.0, limits(1000), || true).unwrap();
    assert!(!outcome.converged && outcome.hinge == 1000.0);
    let later = hinge.solve(1.0, limits(1000), || false).unwrap();
    assert!(later.hinge < 1000.0);
    let no_time = Limits { time: Duration::ZERO, ..limits(1000) };
    assert!(!hinge.solve(2.0, no_time, || false).unwrap().converged);
}

/// The duality gap, relative to the primal value: zero exactly at the optimum, so it is the whole test.
fn relative_gap(hinge: &Hinge, c: f64, squared_norm: f64, loss: f64) -> f64 {
    let primal = 0.5 * squared_norm + c * loss;
    // A zero row costs 1 whatever u is: its multiplier would be C, and moves nothing.
    let multiplier = |i: usize| if hinge.curvature[i] > 0.0 { hinge.alpha[i] } else { c };
    let dual = (0..hinge.alpha.len()).map(multiplier).sum::<f64>() - 0.5 * squared_norm;
    (primal - dual) / (1.0 + primal.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_duality_gap_closes_along_a_warm_path(
        grid in prop::collection::vec(-3i8..=3, 3..90),
        flips in prop::collection::vec(any::<bool>(), 30),
        bias in prop::sample::select(vec![0.0, 1.0]),
    ) {
        let rows = grid.len() / 3;
        let values: Vec<f64> = grid[..rows * 3].iter().map(|v| f64::from(*v)).collect();
        let labels: Vec<f64> = flips[..rows].iter().map(|f| if *f { 1.0 } else { -1.0 }).collect();
        let starts: Vec<usize> = (0..=rows).map(|r| (0..r * 3).filter(|k| values[*k] != 0.0).count()).collect();
        let indices: Vec<u32> = (0..rows * 3).filter(|k| values[*k] != 0.0).map(|k| (k % 3) as u32).collect();
        let stored: Vec<f64> = values.iter().copied().filter(|v| *v != 0.0).collect();
        let dense = Matrix::dense(&values, rows, 3).unwrap();
        let sparse = Matrix::sparse(&starts, &indices, &stored, 3).unwrap();
        for matrix in [dense, sparse] {
            let mut hinge = Hinge::new(matrix, &labels, bias, 11).unwrap();
            // Down as well as up: a dual point of a larger penalty has to be brought back.
            for c in [0.01, 0.1, 1.0, 0.3] {
                let outcome = hinge.solve(c, limits(20_000), || false).unwrap();
                prop_assert!(hinge.alpha.iter().all(|a| (0.0..=c).contains(a)));
                let gap = relative_gap(&hinge, c, outcome.squared_norm, outcome.hinge);
                prop_assert!(gap < 1e-6, "gap {gap} at C = {c}");
            }
        }
    }
}
