//! Rows of unit length, as rounded doubles.

use crate::matrix::Matrix;
use crate::rows::unit_length;

/// The stored values of a matrix, each divided by its row's norm, as a learner's `normalize` does it.
#[must_use]
pub fn unit_values(matrix: &Matrix) -> Vec<f64> {
    let mut unit = Vec::new();
    for row in 0..matrix.rows() {
        let start = unit.len();
        matrix.for_each_entry(row, |_, v| unit.push(v));
        unit_length(&mut unit[start..]);
    }
    unit
}

#[cfg(test)]
mod tests {
    use super::unit_values;
    use crate::matrix::Matrix;

    #[test]
    fn rows_become_unit_rows_however_long_or_short() {
        let values = [3.0, 4.0, 0.0, 0.0, 1e200, 0.0, 3.0 * f64::from_bits(1), -4.0 * f64::from_bits(1)];
        let wanted = vec![0.6, 0.8, 0.0, 0.0, 1.0, 0.0, 0.6, -0.8];
        assert_eq!(unit_values(&Matrix::dense(&values, 4, 2).unwrap()), wanted);
    }
}
