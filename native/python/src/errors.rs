//! The core's errors as Python's: one table.

use pyo3::prelude::*;
use separatrix_core::learner::LearnError;
use separatrix_core::model::BadModel;

/// An instance of a class of `separatrix.errors` with this message.
fn raise(class: &str, message: String) -> PyErr {
    Python::attach(|py| {
        let made = py.import("separatrix.errors").and_then(|errors| errors.getattr(class)?.call1((message,)));
        match made {
            Ok(error) => PyErr::from_value(error),
            Err(error) => error,
        }
    })
}

pub fn usage(message: impl Into<String>) -> PyErr {
    raise("UsageError", message.into())
}

pub fn input(message: impl Into<String>) -> PyErr {
    raise("InputError", message.into())
}

pub fn learning(error: LearnError) -> PyErr {
    if is_about_usage(&error) { usage(error.to_string()) } else { input(error.to_string()) }
}

/// Whether a parameter is to blame, and not the data.
pub fn is_about_usage(error: &LearnError) -> bool {
    match error {
        LearnError::Settings(_)
        | LearnError::ColumnsUnknown
        | LearnError::Memory { .. }
        | LearnError::NoMemory { .. }
        | LearnError::RowsTooLarge { .. } => true,
        LearnError::Refused { .. } | LearnError::Labels(_) | LearnError::NewLabel { .. } => false,
    }
}

pub fn model(name: &str, error: BadModel) -> PyErr {
    raise("ModelError", format!("{name}: {error}"))
}
