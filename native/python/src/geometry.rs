//! Separability and margins.

use crate::arrays::MatrixArgument;
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use separatrix_core::geometry::{self, Answer, Failure, Options, Vector, Weights};
use std::time::{Duration, Instant};

/// Decides whether signed rows are separable; `signs` are +1 or -1. What is found comes as a dict.
#[pyfunction]
fn separate<'py>(
    py: Python<'py>,
    matrix: MatrixArgument<'py>,
    signs: PyReadonlyArray1<'py, f64>,
    bias: bool,
    only_decide: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let owned = matrix.checked()?;
    let matrix = owned.matrix()?;
    let signs = signs.as_slice()?;
    let mut interrupt = None;
    let mut asked = Instant::now();
    let mut stop = || {
        if interrupt.is_none() && asked.elapsed() > Duration::from_millis(50) {
            asked = Instant::now();
            interrupt = Python::attach(|py| py.check_signals()).err();
        }
        interrupt.is_some()
    };
    let options = Options { bias, only_decide };
    let found = py.detach(|| geometry::separate(&matrix, signs, &options, &mut stop));
    if let Some(interrupt) = interrupt {
        return Err(interrupt);
    }
    let found = found.map_err(|failure: Failure| PyValueError::new_err(failure.to_string()))?;
    let result = PyDict::new(py);
    let answer = match found.answer {
        Answer::Separable => "separable",
        Answer::WeaklySeparable => "weakly separable",
        Answer::NotSeparable => "not separable",
    };
    result.set_item("answer", answer)?;
    result.set_item("margin", found.margin)?;
    result.set_item("radius", found.radius)?;
    match found.w {
        None => result.set_item("w", py.None())?,
        Some(Vector::Doubles(w)) => result.set_item("w", w.to_pyarray(py))?,
        Some(Vector::Integers(w)) => result.set_item("w", w)?,
    }
    result.set_item("support_rows", found.support)?;
    match found.support_weights {
        Weights::Doubles(weights) => result.set_item("support_weights", weights)?,
        Weights::Integers(weights) => result.set_item("support_weights", weights)?,
    }
    let (rows, weights) = found.conflict.map_or((Vec::new(), Vec::new()), |c| (c.rows, c.weights));
    result.set_item("conflict_rows", rows)?;
    result.set_item("conflict_weights", weights)?;
    result.set_item("exact", found.exact)?;
    result.set_item("cycles", found.cycles)?;
    result.set_item("passes", found.passes)?;
    Ok(result)
}

/// The stored values of a matrix, each divided by its row's norm.
#[pyfunction]
fn unit_values<'py>(py: Python<'py>, matrix: MatrixArgument<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let owned = matrix.checked()?;
    let matrix = owned.matrix()?;
    Ok(py.detach(|| geometry::unit_values(&matrix)).into_pyarray(py))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(separate, module)?)?;
    module.add_function(wrap_pyfunction!(unit_values, module)?)
}
