//! Labels between Python and the core.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use separatrix_core::learner::Label;

use crate::errors;

/// A label from a bool, an int, a float, a str, or a NumPy scalar of these.
pub fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Label> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Label::Text(text.to_string()));
    }
    if let Ok(truth) = object.cast::<PyBool>() {
        return Ok(Label::Bool(truth.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        let value = object.extract();
        return value
            .map(Label::Integer)
            .map_err(|_| errors::input("expected a label of at most 64 bits, found a larger one"));
    }
    if object.is_instance_of::<PyFloat>() {
        let value: f64 = object.extract()?;
        if !value.is_finite() {
            return Err(errors::input(format!("expected a finite label, found {value}")));
        }
        // −0 and 0 are one label.
        return Ok(Label::Number(value + 0.0));
    }
    if let Ok(scalar) = object.call_method0("item")
        && !scalar.get_type().is(object.get_type())
    {
        return from_python(&scalar);
    }
    Err(PyTypeError::new_err(format!(
        "expected a label that is a bool, an int, a float or a str, found {}",
        object.get_type().name()?
    )))
}

pub fn to_python<'py>(py: Python<'py>, label: &Label) -> PyResult<Bound<'py, PyAny>> {
    Ok(match label {
        Label::Bool(truth) => PyBool::new(py, *truth).to_owned().into_any(),
        Label::Integer(value) => value.into_pyobject(py)?.into_any(),
        Label::Number(value) => PyFloat::new(py, *value).into_any(),
        Label::Text(text) => PyString::new(py, text).into_any(),
    })
}
