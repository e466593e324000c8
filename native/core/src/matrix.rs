//! A whole data set in memory, borrowed from its owner: what the batch solvers read.

/// A matrix of `rows × columns` doubles, dense by rows or sparse by rows.
///
/// Built only by [`Matrix::dense`] and [`Matrix::sparse`], which check every index once, so that
/// the solvers behind them need not.
#[derive(Clone, Copy, Debug)]
pub enum Matrix<'a> {
    /// Row-major values, `rows * columns` of them.
    Dense { values: &'a [f64], rows: usize, columns: usize },
    /// Compressed rows: row `i` has the entries `starts[i]..starts[i + 1]`, indices rising.
    Sparse { starts: &'a [usize], indices: &'a [u32], values: &'a [f64], columns: usize },
}

/// Why arrays are not a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadMatrix(pub String);

impl std::fmt::Display for BadMatrix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadMatrix {}

impl<'a> Matrix<'a> {
    /// A dense matrix; every value must be finite.
    pub fn dense(values: &'a [f64], rows: usize, columns: usize) -> Result<Self, BadMatrix> {
        if rows.checked_mul(columns) != Some(values.len()) {
            return Err(BadMatrix(format!(
                "{rows} rows of {columns} columns need {rows} × {columns} values, found {}",
                values.len()
            )));
        }
        if let Some(at) = values.iter().position(|v| !v.is_finite()) {
            let (row, column) = (at / columns, at % columns);
            return Err(BadMatrix(format!(
                "row {row}, column {column}: expected a finite number, found {}",
                values[at]
            )));
        }
        Ok(Matrix::Dense { values, rows, columns })
    }

    /// A sparse matrix; starts must rise, indices rise strictly within a row and stay below
    /// `columns`, values be finite.
    pub fn sparse(
        starts: &'a [usize],
        indices: &'a [u32],
        values: &'a [f64],
        columns: usize,
    ) -> Result<Self, BadMatrix> {
        if starts.first() != Some(&0) || starts.last() != Some(&indices.len()) || indices.len() != values.len() {
            return Err(BadMatrix(format!(
                "row starts must run from 0 to the number of entries ({} indices, {} values)",
                indices.len(),
                values.len()
            )));
        }
        for (row, pair) in starts.windows(2).enumerate() {
            if pair[0] > pair[1] || pair[1] > indices.len() {
                return Err(BadMatrix(format!("row {row}: its start {} is after its end {}", pair[0], pair[1])));
            }
            let mut least = 0u64;
            for k in pair[0]..pair[1] {
                let index = indices[k];
                if u64::from(index) < least || index as usize >= columns {
                    return Err(BadMatrix(format!(
                        "row {row}: expected column indices that rise strictly and are below {columns}, found {index}"
                    )));
                }
                least = u64::from(index) + 1;
                if !values[k].is_finite() {
                    return Err(BadMatrix(format!(
                        "row {row}, column {index}: expected a finite number, found {}",
                        values[k]
                    )));
                }
            }
        }
        Ok(Matrix::Sparse { starts, indices, values, columns })
    }

    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Matrix::Dense { rows, .. } => *rows,
            Matrix::Sparse { starts, .. } => starts.len() - 1,
        }
    }

    #[must_use]
    pub fn columns(&self) -> usize {
        match self {
            Matrix::Dense { columns, .. } | Matrix::Sparse { columns, .. } => *columns,
        }
    }

    /// Calls `visit(column, value)` for the stored entries of a row, columns rising.
    pub fn for_each_entry(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Matrix::Dense { values, columns, .. } => {
                for (column, value) in values[row * columns..(row + 1) * columns].iter().enumerate() {
                    visit(column, *value);
                }
            }
            Matrix::Sparse { starts, indices, values, .. } => {
                for k in starts[row]..starts[row + 1] {
                    visit(indices[k] as usize, values[k]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Matrix;

    #[test]
    fn a_matrix_is_checked_when_it_is_made() {
        assert!(Matrix::dense(&[1.0, 2.0], 1, 2).is_ok());
        assert!(Matrix::dense(&[1.0, f64::NAN], 1, 2).is_err());
        assert!(Matrix::dense(&[1.0], 1, 2).is_err());
        assert!(Matrix::sparse(&[0, 2], &[0, 3], &[1.0, 2.0], 4).is_ok());
        assert!(Matrix::sparse(&[0, 2], &[0, 4], &[1.0, 2.0], 4).is_err());
        assert!(Matrix::sparse(&[0, 2], &[3, 0], &[1.0, 2.0], 4).is_err());
        assert!(Matrix::sparse(&[0, 2], &[3, 3], &[1.0, 2.0], 4).is_err());
        assert!(Matrix::sparse(&[0, 3], &[0, 1], &[1.0, 2.0], 4).is_err());
        assert!(Matrix::sparse(&[], &[], &[], 4).is_err());
    }

    #[test]
    fn dense_and_sparse_rows_show_the_same_entries() {
        let dense = Matrix::dense(&[0.0, 5.0, 7.0, 1.0], 2, 2).map_err(|e| e.0);
        let sparse = Matrix::sparse(&[0, 1, 3], &[1, 0, 1], &[5.0, 7.0, 1.0], 2).map_err(|e| e.0);
        let total = |m: &Matrix, row| {
            let mut sum = 0.0;
            m.for_each_entry(row, |j, v| sum += v * (j as f64 + 1.0));
            sum
        };
        let (Ok(dense), Ok(sparse)) = (dense, sparse) else { panic!("both are well formed") };
        for row in 0..2 {
            assert_eq!(total(&dense, row), total(&sparse, row));
        }
    }
}
