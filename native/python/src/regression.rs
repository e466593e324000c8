//! Bindings of `separatrix_core::regression`.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use separatrix_core::matrix::Matrix;
use separatrix_core::regression::residual::{Request, residual};
use separatrix_core::regression::square_root::{Saved, SquareRoot};

use crate::arrays::MatrixArgument;

type Residual<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

/// `(high, low, bound, squares)` of the residual of the normal equations; see the core.
#[pyfunction]
fn regression_residual<'py>(
    py: Python<'py>,
    matrix: MatrixArgument<'py>,
    targets: PyReadonlyArray1<'py, f64>,
    weights: PyReadonlyArray1<'py, f64>,
    high: PyReadonlyArray1<'py, f64>,
    low: PyReadonlyArray1<'py, f64>,
    intercept: bool,
) -> PyResult<Residual<'py>> {
    let owned = matrix.checked()?;
    let request = Request {
        matrix: owned.matrix()?,
        targets: targets.as_slice()?,
        weights: weights.as_slice()?,
        high: high.as_slice()?,
        low: low.as_slice()?,
        intercept,
    };
    let found = py.detach(|| residual(&request)).map_err(|e| PyValueError::new_err(e.to_string()))?;
    Ok((found.high.into_pyarray(py), found.low.into_pyarray(py), found.bound.into_pyarray(py), found.squares))
}

/// Online ridge regression in square-root form; see the core.
#[pyclass(module = "separatrix._native")]
struct SquareRootRidge {
    state: SquareRoot,
    alpha: f64,
    forecaster: bool,
    bias: bool,
}

type State<'py> = (usize, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, [f64; 7]);

#[pymethods]
impl SquareRootRidge {
    /// `columns` of the data; with `bias`, a column of ones stands before them.
    #[new]
    fn new(columns: usize, alpha: f64, forecaster: bool, bias: bool) -> PyResult<Self> {
        let state = SquareRoot::new(columns + usize::from(bias), alpha, forecaster)
            .ok_or_else(|| PyValueError::new_err(format!("alpha must be positive and finite, found {alpha}")))?;
        Ok(SquareRootRidge { state, alpha, forecaster, bias })
    }

    /// Predict and learn each row in turn; returns the predictions, each made before its target was seen.
    fn play<'py>(
        &mut self,
        py: Python<'py>,
        matrix: MatrixArgument<'py>,
        targets: PyReadonlyArray1<'py, f64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let owned = matrix.checked()?;
        let matrix = owned.matrix()?;
        let targets = targets.as_slice()?;
        if targets.len() != matrix.rows() {
            return Err(PyValueError::new_err(format!(
                "{} rows need as many targets, found {}",
                matrix.rows(),
                targets.len()
            )));
        }
        self.check(&matrix)?;
        let (state, bias) = (&mut self.state, self.bias);
        let played: Result<Vec<f64>, String> = py.detach(|| {
            let mut predictions = Vec::with_capacity(targets.len());
            for (row, y) in targets.iter().enumerate() {
                load(state, bias, &matrix, row);
                let round = state.learn(*y).map_err(|e| format!("row {row}: {e}"))?;
                predictions.push(round.prediction);
            }
            Ok(predictions)
        });
        Ok(played.map_err(PyOverflowError::new_err)?.into_pyarray(py))
    }

    /// What it would predict for each row, learning nothing.
    fn predict<'py>(&mut self, py: Python<'py>, matrix: MatrixArgument<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let owned = matrix.checked()?;
        let matrix = owned.matrix()?;
        self.check(&matrix)?;
        let (state, bias) = (&mut self.state, self.bias);
        let predictions: Vec<f64> = py.detach(|| {
            (0..matrix.rows())
                .map(|row| {
                    load(state, bias, &matrix, row);
                    state.predict()
                })
                .collect()
        });
        Ok(predictions.into_pyarray(py))
    }

    /// Widen to this many columns of data.
    fn grow(&mut self, columns: usize) {
        self.state.grow(columns + usize::from(self.bias));
    }

    #[getter]
    fn columns(&self) -> usize {
        self.state.columns() - usize::from(self.bias)
    }

    /// The ridge solution on all rounds so far, the bias first if there is one.
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.state.weights().into_pyarray(py)
    }

    /// `(rounds, loss, best offline loss, largest |target|, log determinant)`.
    fn ledger(&self) -> (u64, f64, f64, f64, f64) {
        let s = &self.state;
        (s.rounds(), s.loss(), s.best_offline(), s.largest_target(), s.log_determinant())
    }

    fn __getnewargs__(&self) -> (usize, f64, bool, bool) {
        (self.columns(), self.alpha, self.forecaster, self.bias)
    }

    fn __getstate__<'py>(&self, py: Python<'py>) -> State<'py> {
        let saved = self.state.save();
        let (triangle, target) = (saved.triangle.into_pyarray(py), saved.target.into_pyarray(py));
        (self.state.columns(), triangle, target, saved.counters)
    }

    fn __setstate__(
        &mut self,
        state: (usize, PyReadonlyArray1<'_, f64>, PyReadonlyArray1<'_, f64>, [f64; 7]),
    ) -> PyResult<()> {
        let (columns, triangle, target, counters) = state;
        let saved = Saved { triangle: triangle.as_slice()?.to_vec(), target: target.as_slice()?.to_vec(), counters };
        self.state = SquareRoot::restore(columns, self.alpha, self.forecaster, saved)
            .filter(|state| state.columns() >= usize::from(self.bias))
            .ok_or_else(|| PyValueError::new_err("the numbers are not the state of an online ridge regression"))?;
        Ok(())
    }
}

impl SquareRootRidge {
    fn check(&self, matrix: &Matrix<'_>) -> PyResult<()> {
        if matrix.columns() > self.columns() {
            return Err(PyValueError::new_err(format!(
                "expected at most {} columns, found {}",
                self.columns(),
                matrix.columns()
            )));
        }
        Ok(())
    }
}

fn load(state: &mut SquareRoot, bias: bool, matrix: &Matrix<'_>, row: usize) {
    let offset = usize::from(bias);
    let into = state.row_mut();
    into.fill(0.0);
    if bias {
        into[0] = 1.0;
    }
    matrix.for_each_entry(row, |j, value| into[offset + j] = value);
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<SquareRootRidge>()?;
    module.add_function(wrap_pyfunction!(regression_residual, module)?)
}
