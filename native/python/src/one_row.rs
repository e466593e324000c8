//! One row as Python has it: a dict of named values, a sparse pair, a dense array.

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString, PyTuple};
use separatrix_core::rows::{Index, SparseRow, Tidy, Value};

use crate::errors;

/// Column numbers of names, and the names in their order.
#[derive(Default)]
pub struct Names {
    /// Python's own dict is the fastest map from a str, whose hash it keeps.
    columns: Option<Py<PyDict>>,
    pub list: Vec<String>,
}

impl Names {
    pub fn of(py: Python<'_>, list: Vec<String>) -> PyResult<Self> {
        let columns = PyDict::new(py);
        for (column, name) in list.iter().enumerate() {
            columns.set_item(name, column)?;
        }
        Ok(Names { columns: Some(columns.unbind()), list })
    }

    /// The column of a name; a new name gets the next one if `grow`, else one beyond all columns.
    fn column(&mut self, py: Python<'_>, name: &Bound<'_, PyAny>, grow: bool, strangers: &mut u32) -> PyResult<u32> {
        let columns = self.columns.get_or_insert_with(|| PyDict::new(py).unbind()).bind(py);
        if let Some(column) = columns.get_item(name)? {
            return column.extract();
        }
        let text = name
            .cast::<PyString>()
            .map_err(|_| PyTypeError::new_err("expected a row whose keys are all str, or all int (column numbers)"))?;
        let next = self.list.len() as u32;
        if !grow {
            *strangers += 1;
            return Ok(next + *strangers - 1);
        }
        columns.set_item(text, next)?;
        self.list.push(text.to_string());
        Ok(next)
    }
}

/// What reading a row may do.
pub struct Reader<'a> {
    pub names: &'a mut Names,
    /// The learner's columns have names (or will have: it has none yet).
    pub may_be_named: bool,
    /// New names become columns.
    pub grow: bool,
}

fn number(value: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract::<f64>().map_err(|_| {
        errors::input(format!("feature {key}: expected a number, found {}", value.repr().map_or_else(|_| "?".into(), |r| r.to_string())))
    })
}

impl Reader<'_> {
    /// Reads the row into `room`; answers whether its columns are named.
    pub fn read(&mut self, x: &Bound<'_, PyAny>, room: &mut Tidy) -> PyResult<bool> {
        if let Ok(dict) = x.cast::<PyDict>() {
            return self.read_dict(dict, room);
        }
        if let Ok(pair) = x.cast::<PyTuple>()
            && pair.len() == 2
        {
            return read_pair(&pair.get_item(0)?, &pair.get_item(1)?, room).map(|()| false);
        }
        read_dense(x, room).map(|()| false)
    }

    fn read_dict(&mut self, dict: &Bound<'_, PyDict>, room: &mut Tidy) -> PyResult<bool> {
        let py = dict.py();
        let numbered = dict.iter().next().is_some_and(|(key, _)| key.is_instance_of::<PyInt>());
        if !numbered && !self.may_be_named && !dict.is_empty() {
            return Err(errors::input(
                "this learner's columns have numbers, not names: expected int keys (from 0), found names",
            ));
        }
        let (mut failed, mut strangers) = (None, 0);
        let entries = dict.iter().map_while(|(key, value)| {
            let entry = (|| {
                let value = number(&value, &key)?;
                let column = if numbered {
                    key.extract::<u32>().map_err(|_| {
                        errors::input(format!("expected int keys from 0 to 4294967295, found {key}"))
                    })?
                } else {
                    self.names.column(py, &key, self.grow, &mut strangers)?
                };
                Ok((column, value))
            })();
            match entry {
                Ok(entry) => Some(entry),
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        let gathered = room.gather(entries).map(|_| ());
        match (failed, gathered) {
            (Some(error), _) => Err(error),
            (None, Err(column)) => Err(errors::input(format!("column {column} comes twice in the row"))),
            (None, Ok(())) => Ok(!numbered),
        }
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
    if !names.list.is_empty() && columns > names.list.len() {
        return Err(errors::input(format!("expected at most {} columns, as many as have names, found {columns}", names.list.len())));
    }
    Ok(())
}

