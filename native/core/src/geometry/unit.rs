//! Rows of unit length, as rounded doubles.

use crate::matrix::Matrix;

/// The stored values of a matrix, each divided by its row's norm: squares added in index order, one square
/// root, one division. Rows of zeros stay as they are. An error names a row (from 0) whose norm leaves the
/// range of doubles.
pub fn unit_values(matrix: &Matrix) -> Result<Vec<f64>, usize> {
    let mut unit = Vec::new();
    for row in 0..matrix.rows() {
        let start = unit.len();
        let (mut squares, mut zero) = (0.0, true);
        matrix.for_each_entry(row, |_, v| {
            squares += v * v;
            zero &= v == 0.0;
            unit.push(v);
        });
        if zero {
            continue;
        }
        let norm = f64::sqrt(squares);
        if norm == 0.0 || !norm.is_finite() {
            return Err(row);
        }
        unit[start..].iter_mut().for_each(|v| *v /= norm);
    }
    Ok(unit)
}

#[cfg(test)]
mod tests {
    use super::unit_values;
    use crate::matrix::Matrix;

    #[test]
    fn rows_become_unit_rows() {
        let values = [3.0, 4.0, 0.0, 0.0];
        assert_eq!(unit_values(&Matrix::dense(&values, 2, 2).unwrap()), Ok(vec![0.6, 0.8, 0.0, 0.0]));
        let values = [1.0, 1.0, 1e200, 1.0];
        assert_eq!(unit_values(&Matrix::dense(&values, 2, 2).unwrap()), Err(1));
    }
}
