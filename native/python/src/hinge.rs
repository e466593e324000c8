//! Dual coordinate descent along the soft-margin path.

use std::time::{Duration, Instant};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use separatrix_core::hinge::{Hinge, Limits};

use crate::arrays::MatrixArgument;

/// How often Python is asked whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// (penalty, u with the bias's weight last, hinge, passes, converged).
type Step<'py> = (f64, Bound<'py, PyArray1<f64>>, f64, usize, bool);

/// Solves for each penalty in turn, each from where the last one ended, and returns what was reached
/// before `seconds` had passed.
#[pyfunction]
#[pyo3(signature = (matrix, labels, penalties, *, bias, tolerance, passes, seconds, seed))]
fn hinge_path<'py>(
    py: Python<'py>,
    matrix: MatrixArgument<'py>,
    labels: PyReadonlyArray1<'py, f64>,
    penalties: Vec<f64>,
    bias: f64,
    tolerance: f64,
    passes: usize,
    seconds: f64,
    seed: u64,
) -> PyResult<Vec<Step<'py>>> {
    let owned = matrix.checked()?;
    let (matrix, labels) = (owned.matrix()?, labels.as_slice()?);
    // More seconds than a duration holds are no limit.
    let budget = if seconds > 1e18 { Ok(Duration::MAX) } else { Duration::try_from_secs_f64(seconds) };
    let budget = budget.map_err(|e| PyValueError::new_err(e.to_string()))?;
    let (mut signal, mut steps) = (Ok(()), Vec::new());
    py.detach(|| -> PyResult<()> {
        let refuse = |e: separatrix_core::hinge::HingeError| PyValueError::new_err(e.to_string());
        let begun = Instant::now();
        let mut looked = begun;
        let mut hinge = Hinge::new(matrix, labels, bias, seed).map_err(refuse)?;
        for penalty in penalties {
            let time = budget.saturating_sub(begun.elapsed());
            let limits = Limits { tolerance, passes, time };
            let stop = || {
                if signal.is_ok() && looked.elapsed() >= LOOK {
                    looked = Instant::now();
                    signal = Python::attach(|py| py.check_signals());
                }
                signal.is_err()
            };
            let outcome = hinge.solve(penalty, limits, stop).map_err(refuse)?;
            steps.push((penalty, hinge.u().to_vec(), outcome));
            if begun.elapsed() >= budget || signal.is_err() {
                break;
            }
        }
        Ok(())
    })?;
    signal?;
    Ok(steps
        .into_iter()
        .map(|(penalty, u, outcome)| {
            (penalty, PyArray1::from_vec(py, u), outcome.hinge, outcome.passes, outcome.converged)
        })
        .collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hinge_path, module)?)
}
