//! One row as Python has it: a dict of named values, a sparse pair, a dense array.

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use separatrix_core::rows::{Index, SparseRow, Tidy, Value};

use crate::dict_row::Names;
use crate::errors;

/// What reading a row may do.
pub struct Reader<'a> {
    pub names: &'a mut Names,
    /// The learner's columns have names (or will have: it has none yet).
    pub may_be_named: bool,
    /// New names become columns.
    pub grow: bool,
}

impl Reader<'_> {
    /// Reads the row into `room`; answers whether its columns are named.
    pub fn read(&mut self, x: &Bound<'_, PyAny>, room: &mut Tidy) -> PyResult<bool> {
        if let Ok(dict) = x.cast::<PyDict>() {
            return self.names.read(dict, self.may_be_named, self.grow, room);
        }
        if let Ok(pair) = x.cast::<PyTuple>()
            && pair.len() == 2
        {
            return read_pair(&pair.get_item(0)?, &pair.get_item(1)?, room).map(|()| false);
        }
        read_dense(x, room).map(|()| false)
    }
}

/// (indices, values): two arrays of equal length.
fn read_pair(indices: &Bound<'_, PyAny>, values: &Bound<'_, PyAny>, room: &mut Tidy) -> PyResult<()> {
    if let Ok(values) = values.cast::<PyArray1<f64>>() {
        return with_indices(indices, values, room);
    }
    if let Ok(values) = values.cast::<PyArray1<f32>>() {
        return with_indices(indices, values, room);
    }
    gather(&indices.extract::<Vec<i64>>()?, &values.extract::<Vec<f64>>()?, room)
}

fn with_indices<V: Value + Element>(
    indices: &Bound<'_, PyAny>,
    values: &Bound<'_, PyArray1<V>>,
    room: &mut Tidy,
) -> PyResult<()> {
    let values = values.readonly();
    let values = values.as_slice()?;
    if let Ok(indices) = indices.cast::<PyArray1<i64>>() {
        return gather(indices.readonly().as_slice()?, values, room);
    }
    if let Ok(indices) = indices.cast::<PyArray1<i32>>() {
        return gather(indices.readonly().as_slice()?, values, room);
    }
    gather(&indices.extract::<Vec<i64>>()?, values, room)
}

fn gather<I: Index + std::fmt::Display, V: Value>(indices: &[I], values: &[V], room: &mut Tidy) -> PyResult<()> {
    if indices.len() != values.len() {
        return Err(errors::input(format!("a sparse row has {} indices but {} values", indices.len(), values.len())));
    }
    if let Some(stranger) = indices.iter().find(|i| u32::try_from(i.get()).is_err()) {
        return Err(errors::input(format!("expected column numbers from 0 to 4294967295, found {stranger}")));
    }
    let entries = indices.iter().zip(values).map(|(i, v)| (i.get() as u32, v.get()));
    room.gather(entries).map(|_| ()).map_err(|column| errors::input(format!("column {column} comes twice in the row")))
}

fn read_dense(x: &Bound<'_, PyAny>, room: &mut Tidy) -> PyResult<()> {
    fn fill<V: Value>(values: &[V], room: &mut Tidy) {
        // Columns rise, so none comes twice.
        let _ = room.gather(values.iter().enumerate().map(|(column, v)| (column as u32, v.get())));
    }
    if let Ok(array) = x.cast::<PyArray1<f64>>() {
        fill(array.readonly().as_slice()?, room);
    } else if let Ok(array) = x.cast::<PyArray1<f32>>() {
        fill(array.readonly().as_slice()?, room);
    } else {
        let values: Vec<f64> = x.extract().map_err(|_| {
            PyTypeError::new_err(
                "expected a row: a dict of feature values, a pair (indices, values), or a sequence of numbers",
            )
        })?;
        fill(&values, room);
    }
    Ok(())
}

/// The names that a row of so many columns needs beyond those it has: none may be missing.
pub fn check_width(row: &SparseRow<'_, u32, f64>, names: &Names) -> PyResult<()> {
    use separatrix_core::rows::Row;
    let columns = row.columns();
    if !names.list().is_empty() && columns > names.list().len() {
        return Err(errors::input(format!(
            "expected at most {} columns, as many as have names, found {columns}",
            names.list().len()
        )));
    }
    Ok(())
}
