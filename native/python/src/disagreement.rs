//! The fewest errors any hyperplane makes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use separatrix_core::disagreement::{Options, minimise, score_signs as core_score_signs};

use crate::arrays::MatrixArgument;

/// (coefficients, errors, lower bound, unit, interrupted): the two are in units of 2^-unit.
type Answer<'py> = (Bound<'py, PyArray1<f64>>, i128, i128, i32, bool);

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
    // More seconds than a duration holds are no limit.
    let time_limit = time_limit.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let options = Options { bias, time_limit, at_most, threads };
    let stop = AtomicBool::new(false);
    let mut failure: Option<PyErr> = None;
    let outcome = py.detach(|| {
        thread::scope(|scope| {
            let (told, news) = mpsc::channel();
            let (matrix, starts, options, stop) = (&matrix, &starts, &options, &stop);
            let search = scope.spawn(move || {
                let mut tell = |errors: f64, bound: f64| {
                    // Nobody listens any more only where this thread is about to end, too.
                    let _ = told.send((errors, bound));
                };
                minimise(matrix, labels, weights, starts, options, stop, &mut tell)
            });
            // The search works in threads of its own: this one is Python's, which alone learns of Ctrl-C.
            loop {
                let latest = match news.recv_timeout(Duration::from_millis(50)) {
                    Ok(first) => Some(news.try_iter().last().unwrap_or(first)),
                    Err(RecvTimeoutError::Timeout) => None,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if stop.load(Ordering::Relaxed) {
                    continue;
                }
                let heard = Python::attach(|py| {
                    // Ctrl-C ends the search; both bounds are still returned.
                    if py.check_signals().is_err() {
                        stop.store(true, Ordering::Relaxed);
                        return Ok(());
                    }
                    let (Some(bounds), Some(call)) = (latest, &progress) else { return Ok(()) };
                    match call.call1(py, bounds) {
                        Err(error) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
                            stop.store(true, Ordering::Relaxed);
                            Ok(())
                        }
                        answer => answer.map(drop),
                    }
                });
                if let Err(error) = heard {
                    failure = Some(error);
                    stop.store(true, Ordering::Relaxed);
                }
            }
            search.join()
        })
    });
    if let Some(error) = failure {
        return Err(error);
    }
    let outcome = outcome
        .map_err(|_| PyRuntimeError::new_err("the search for the fewest errors failed"))?
        .map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok((outcome.coefficients.into_pyarray(py), outcome.errors, outcome.lower_bound, outcome.unit, stop.into_inner()))
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
