//! NumPy arrays in, rows out: without a copy, whatever their types.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use separatrix_core::rows::{DenseRows, SparseRows};

/// A C-contiguous matrix, or (indptr, indices, data, columns) of a CSR matrix with sorted indices.
#[derive(FromPyObject)]
pub enum RowsArgument<'py> {
    Dense64(PyReadonlyArray2<'py, f64>),
    Dense32(PyReadonlyArray2<'py, f32>),
    Sparse32x64(Csr<'py, i32, f64>),
    Sparse32x32(Csr<'py, i32, f32>),
    Sparse64x64(Csr<'py, i64, f64>),
    Sparse64x32(Csr<'py, i64, f32>),
}

type Csr<'py, I, V> = (PyReadonlyArray1<'py, I>, PyReadonlyArray1<'py, I>, PyReadonlyArray1<'py, V>, usize);

pub fn dense<'a, V: separatrix_core::rows::Value + numpy::Element>(
    array: &'a PyReadonlyArray2<'_, V>,
) -> PyResult<DenseRows<'a, V>> {
    let shape = array.shape();
    DenseRows::new(array.as_slice()?, shape[0], shape[1])
        .ok_or_else(|| pyo3::exceptions::PyValueError::new_err("the array's shape does not fit its data"))
}

pub fn sparse<'a, I, V>(csr: &'a Csr<'_, I, V>) -> PyResult<SparseRows<'a, I, I, V>>
where
    I: separatrix_core::rows::Index + numpy::Element,
    V: separatrix_core::rows::Value + numpy::Element,
{
    SparseRows::new(csr.0.as_slice()?, csr.1.as_slice()?, csr.2.as_slice()?, csr.3)
        .map_err(|e| pyo3::exceptions::PyValueError::new_err(e.to_string()))
}

/// Runs the same expression on rows of whichever storage.
#[macro_export]
macro_rules! each_rows {
    ($argument:expr, $rows:ident => $body:expr) => {
        match $argument {
            $crate::rows::RowsArgument::Dense64(array) => {
                let $rows = &$crate::rows::dense(array)?;
                $body
            }
            $crate::rows::RowsArgument::Dense32(array) => {
                let $rows = &$crate::rows::dense(array)?;
                $body
            }
            $crate::rows::RowsArgument::Sparse32x64(csr) => {
                let $rows = &$crate::rows::sparse(csr)?;
                $body
            }
            $crate::rows::RowsArgument::Sparse32x32(csr) => {
                let $rows = &$crate::rows::sparse(csr)?;
                $body
            }
            $crate::rows::RowsArgument::Sparse64x64(csr) => {
                let $rows = &$crate::rows::sparse(csr)?;
                $body
            }
            $crate::rows::RowsArgument::Sparse64x32(csr) => {
                let $rows = &$crate::rows::sparse(csr)?;
                $body
            }
        }
    };
}
