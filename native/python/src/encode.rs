//! Labels of whole arrays as class numbers, in one pass.

use numpy::{Element, IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Beyond so many different values the caller sorts instead.
const MOST: usize = 64; // A code is a byte.

#[derive(FromPyObject)]
enum LabelArray<'py> {
    F64(PyReadonlyArray1<'py, f64>),
    I64(PyReadonlyArray1<'py, i64>),
    I32(PyReadonlyArray1<'py, i32>),
    I8(PyReadonlyArray1<'py, i8>),
    U8(PyReadonlyArray1<'py, u8>),
    Bool(PyReadonlyArray1<'py, bool>),
    F32(PyReadonlyArray1<'py, f32>),
}

/// Numbers values; `None` where there are too many.
fn number<T: Copy + PartialOrd>(values: &[T]) -> Option<(Vec<T>, Vec<u8>)> {
    if let Some(two) = number_two(values) {
        return Some(two);
    }
    let mut distinct: Vec<T> = Vec::new();
    let mut codes = Vec::with_capacity(values.len());
    let mut last = 0;
    for value in values {
        // The same label as before, or one of the few: a short search, mostly of one step.
        if distinct.get(last) != Some(value) {
            last = match distinct.iter().position(|d| d == value) {
                Some(at) => at,
                None if distinct.len() == MOST => return None,
                None => {
                    distinct.push(*value);
                    distinct.len() - 1
                }
            };
        }
        codes.push(last as u8);
    }
    Some((distinct, codes))
}

/// The common case of two labels, numbered by value: without a branch that depends on which one a row
/// has, and in blocks, so that it vectorises.
fn number_two<T: Copy + PartialOrd>(values: &[T]) -> Option<(Vec<T>, Vec<u8>)> {
    let first = *values.first()?;
    let second = *values.iter().find(|value| **value != first)?;
    let (low, high) = if second < first { (second, first) } else { (first, second) };
    let mut codes = vec![0; values.len()];
    for (codes, values) in codes.chunks_mut(64).zip(values.chunks(64)) {
        let mut known = true;
        for (code, value) in codes.iter_mut().zip(values) {
            *code = u8::from(*value == high);
            known &= (*value == high) | (*value == low);
        }
        if !known {
            return None;
        }
    }
    Some((vec![low, high], codes))
}

type Encoded<'py> = Option<(Vec<usize>, Bound<'py, PyArray1<u8>>)>;

/// The codes of labels, numbered by value.
fn encode<'py, T: Copy + PartialOrd + Element>(
    py: Python<'py>,
    array: &PyReadonlyArray1<'py, T>,
) -> PyResult<Encoded<'py>> {
    let Ok(values) = array.as_slice() else { return Ok(None) };
    let numbered = py.detach(|| {
        let (distinct, mut codes) = number(values)?;
        // A value that is not even equal to itself is NaN: somebody else explains that better.
        let mut order: Vec<usize> = (0..distinct.len()).collect();
        order.sort_by(|a, b| distinct[*a].partial_cmp(&distinct[*b]).unwrap_or(std::cmp::Ordering::Equal));
        let mut rank = vec![0u8; order.len()];
        for (at, first) in order.iter().enumerate() {
            rank[*first] = at as u8;
        }
        if rank.iter().enumerate().any(|(at, r)| at as u8 != *r) {
            for code in &mut codes {
                *code = rank[*code as usize];
            }
        }
        // Where each value stands in the array, so that Python shows its own objects.
        let mut places = vec![usize::MAX; order.len()];
        let mut missing = order.len();
        for (at, code) in codes.iter().enumerate() {
            if places[*code as usize] == usize::MAX {
                places[*code as usize] = at;
                missing -= 1;
                if missing == 0 {
                    break;
                }
            }
        }
        Some((places, codes))
    });
    Ok(numbered.map(|(places, codes)| (places, codes.into_pyarray(py))))
}

/// (where each different label stands first, the labels' numbers), labels sorted; None where there are
/// many different ones, or the array is of a type that is not known here.
#[pyfunction]
fn encode_labels<'py>(py: Python<'py>, labels: &Bound<'py, PyAny>) -> PyResult<Encoded<'py>> {
    let Ok(labels) = labels.extract::<LabelArray>() else { return Ok(None) };
    match &labels {
        LabelArray::F64(array) => encode(py, array),
        LabelArray::I64(array) => encode(py, array),
        LabelArray::I32(array) => encode(py, array),
        LabelArray::I8(array) => encode(py, array),
        LabelArray::U8(array) => encode(py, array),
        LabelArray::Bool(array) => encode(py, array),
        LabelArray::F32(array) => encode(py, array),
    }
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(encode_labels, module)?)
}
