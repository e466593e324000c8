//! NumPy arrays in, [`Matrix`] out.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use separatrix_core::matrix::Matrix;

/// What Python passes for a whole data set: a C-contiguous float64 matrix, or the three arrays of a
/// canonical CSR matrix and its width. `separatrix.data.arrays.native_matrix` makes either.
#[derive(FromPyObject)]
pub enum MatrixArgument<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, usize),
}

/// The same with its row starts as the core wants them.
pub enum OwnedStarts<'py> {
    Dense(PyReadonlyArray2<'py, f64>),
    Sparse(Vec<usize>, PyReadonlyArray1<'py, u32>, PyReadonlyArray1<'py, f64>, usize),
}

impl<'py> MatrixArgument<'py> {
    pub fn checked(self) -> PyResult<OwnedStarts<'py>> {
        Ok(match self {
            MatrixArgument::Dense(array) => OwnedStarts::Dense(array),
            MatrixArgument::Sparse(starts, indices, values, columns) => {
                let starts = starts
                    .as_slice()?
                    .iter()
                    .map(|s| usize::try_from(*s).map_err(|_| PyValueError::new_err("a row start is negative")))
                    .collect::<PyResult<_>>()?;
                OwnedStarts::Sparse(starts, indices, values, columns)
            }
        })
    }
}

impl OwnedStarts<'_> {
    pub fn matrix(&self) -> PyResult<Matrix<'_>> {
        match self {
            OwnedStarts::Dense(array) => {
                let shape = array.shape();
                Matrix::dense(array.as_slice()?, shape[0], shape[1])
            }
            OwnedStarts::Sparse(starts, indices, values, columns) => {
                Matrix::sparse(starts, indices.as_slice()?, values.as_slice()?, *columns)
            }
        }
        .map_err(|e| PyValueError::new_err(e.to_string()))
    }
}
