//! `separate` on integer grids full of ties: every claim checked in integers, from the data alone.

use num_bigint::BigInt;
use proptest::prelude::*;
use separatrix_core::geometry::{Answer, Failure, Options, Vector, separate};
use separatrix_core::matrix::Matrix;

fn products(rows: &[Vec<i64>], w: &[BigInt]) -> Vec<BigInt> {
    rows.iter().map(|z| z.iter().zip(w).map(|(a, b)| b * a).sum()).collect()
}

proptest! {
    #[test]
    fn every_answer_on_a_grid_is_proved(
        width in 1usize..5,
        entries in prop::collection::vec(-2i32..3, 4 * 14),
        labels in prop::collection::vec(any::<bool>(), 14),
        rows in 1usize..15,
        bias in any::<bool>(),
        only_decide in any::<bool>(),
    ) {
        let values: Vec<f64> = entries[..rows * width].iter().map(|v| f64::from(*v)).collect();
        let signs: Vec<f64> = labels[..rows].iter().map(|l| if *l { 1.0 } else { -1.0 }).collect();
        let matrix = Matrix::dense(&values, rows, width).unwrap();
        let found = separate(&matrix, &signs, &Options { bias, only_decide }, &mut || false).unwrap();
        prop_assert!(found.exact);
        let z: Vec<Vec<i64>> = values
            .chunks(width)
            .zip(&signs)
            .map(|(row, sign)| row.iter().copied().chain(bias.then_some(1.0)).map(|v| (v * sign) as i64).collect())
            .collect();
        let zero = BigInt::default();
        let along = found.w.as_ref().map(|w| match w {
            Vector::Integers(w) => products(&z, w),
            // Scaled to integers, exactly: these doubles are far above 2^-900.
            Vector::Doubles(w) => {
                let scaled = w.iter().map(|v| {
                    let (mantissa, exponent) = separatrix_core::exact::sum::decode(*v);
                    BigInt::from(mantissa) << (exponent + 1074)
                });
                products(&z, &scaled.collect::<Vec<_>>())
            }
        });
        match found.answer {
            Answer::Separable => prop_assert!(along.unwrap().iter().all(|v| *v > zero)),
            Answer::WeaklySeparable => {
                let along = along.unwrap();
                prop_assert!(along.iter().all(|v| *v >= zero) && along.iter().any(|v| *v > zero));
            }
            Answer::NotSeparable => prop_assert!(along.is_none()),
        }
        prop_assert_eq!(found.answer == Answer::Separable, found.conflict.is_none());
        if let Some(conflict) = found.conflict {
            prop_assert!(conflict.weights.iter().all(|w| *w > zero) && !conflict.rows.is_empty());
            prop_assert!(conflict.rows.len() <= width + usize::from(bias) + 1);
            for column in 0..z[0].len() {
                let terms = conflict.rows.iter().zip(&conflict.weights);
                let total: BigInt = terms.map(|(row, weight)| weight * z[*row][column]).sum();
                prop_assert_eq!(total, BigInt::default());
            }
        }
    }
}

#[test]
fn labels_are_checked_and_searches_stop() {
    let values = [1.0, 2.0, 3.0];
    let matrix = Matrix::dense(&values, 3, 1).unwrap();
    let options = Options { bias: true, only_decide: false };
    let labels = |signs: &[f64]| separate(&matrix, signs, &options, &mut || false).unwrap_err();
    assert_eq!(labels(&[1.0]).to_string(), "3 rows need as many labels, found 1");
    assert_eq!(labels(&[1.0, 0.0, 1.0]).to_string(), "row 1: expected a label of +1 or -1, found 0");
    let stopped = separate(&matrix, &[1.0, 1.0, -1.0], &options, &mut || true);
    assert_eq!(stopped.unwrap_err(), Failure::Stopped);
}
