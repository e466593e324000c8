//! The fewest errors any hyperplane makes.

use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use separatrix_core::disagreement::{Options, minimise, score_signs as core_score_signs};

use crate::arrays::MatrixArgument;

/// (coefficients, errors, lower bound, optimal)
type Answer<'py> = (Bound<'py, PyArray1<f64>>, f64, f64, bool);

#[pyfunction]
#[pyo3(signature = (x, labels, weights, starts, bias, time_limit, at_most, threads, progress))]
fn min_disagreement<'py>(
    py: Python<'py>,
    x: MatrixArgument<'py>,
    labels: PyReadonlyArray1<'py, f64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    starts: Vec<Vec<f64>>,
    bias: bool,
    time_limit: Option<f64>,
    at_most: Option<f64>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer<'py>> {
    let owned = x.checked()?;
    let matrix = owned.matrix()?;
    let labels = labels.as_slice()?;
    let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
    let options = Options { bias, time_limit: time_limit.map(Duration::from_secs_f64), at_most, threads };
    let mut failure: Option<PyErr> = None;
    let outcome = py
        .detach(|| {
            let mut tell = |errors: f64, bound: f64| {
                Python::attach(|py| {
                    // Ctrl-C ends the search; both bounds are still returned.
                    if py.check_signals().is_err() {
                        return false;
                    }
                    match &progress {
                        Some(call) => match call.call1(py, (errors, bound)) {
                            Ok(_) => true,
                            Err(error) => {
                                failure = Some(error);
                                false
                            }
                        },
                        None => true,
                    }
                })
            };
            minimise(&matrix, labels, weights, &starts, &options, &mut tell)
        })
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
    if let Some(error) = failure {
        return Err(error);
    }
    Ok((outcome.coefficients.into_pyarray(py), outcome.errors, outcome.lower_bound, outcome.optimal))
}

/// The exact sign of each row's score.
#[pyfunction]
fn score_signs<'py>(
    py: Python<'py>,
    x: MatrixArgument<'py>,
    coefficients: PyReadonlyArray1<'py, f64>,
    intercept: f64,
) -> PyResult<Bound<'py, PyArray1<i8>>> {
    let owned = x.checked()?;
    let matrix = owned.matrix()?;
    let coefficients = coefficients.as_slice()?;
    Ok(py.detach(|| core_score_signs(&matrix, coefficients, intercept)).into_pyarray(py))
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(min_disagreement, module)?)?;
    module.add_function(wrap_pyfunction!(score_signs, module)?)
}
