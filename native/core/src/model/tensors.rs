//! Named arrays on their way to a model file and back. Taking one checks all there is to check.

use std::collections::BTreeMap;

/// One array.
#[derive(Clone, Debug, PartialEq)]
pub enum Array {
    F64(Vec<f64>),
    U64(Vec<u64>),
    U32(Vec<u32>),
    U8(Vec<u8>),
}

/// The element types of an [`Array`].
pub trait Element: Sized {
    const NAME: &'static str;
    fn wrap(values: Vec<Self>) -> Array;
    fn unwrap(array: Array) -> Option<Vec<Self>>;
    /// The first element that no rule could have written.
    fn stranger(_values: &[Self], _minus_infinity: bool) -> Option<String> {
        None
    }
}

impl Element for f64 {
    const NAME: &'static str = "F64";
    fn wrap(values: Vec<Self>) -> Array {
        Array::F64(values)
    }
    fn unwrap(array: Array) -> Option<Vec<Self>> {
        if let Array::F64(values) = array { Some(values) } else { None }
    }
    fn stranger(values: &[Self], minus_infinity: bool) -> Option<String> {
        let fine = |v: f64| v.is_finite() || (minus_infinity && v == f64::NEG_INFINITY);
        values.iter().find(|v| !fine(**v)).map(ToString::to_string)
    }
}

macro_rules! whole_number {
    ($type:ty, $variant:ident, $name:literal) => {
        impl Element for $type {
            const NAME: &'static str = $name;
            fn wrap(values: Vec<Self>) -> Array {
                Array::$variant(values)
            }
            fn unwrap(array: Array) -> Option<Vec<Self>> {
                if let Array::$variant(values) = array { Some(values) } else { None }
            }
        }
    };
}
whole_number!(u64, U64, "U64");
whole_number!(u32, U32, "U32");
whole_number!(u8, U8, "U8");

/// Why the arrays of a file are not those of the model it says it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTensors(pub String);

impl std::fmt::Display for BadTensors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadTensors {}

/// Arrays by name. `prefix` is put before every name, so that two rules fit in one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tensors {
    pub arrays: BTreeMap<String, (Vec<usize>, Array)>,
    pub prefix: &'static str,
    minus_infinity: bool,
}

impl Tensors {
    pub fn put<T: Element>(&mut self, name: &str, values: Vec<T>) {
        self.arrays.insert(format!("{}{name}", self.prefix), (vec![values.len()], T::wrap(values)));
    }

    /// Rows of equal length as one array.
    pub fn put_matrix(&mut self, name: &str, rows: &[Vec<f64>]) {
        let columns = rows.first().map_or(0, Vec::len);
        self.arrays.insert(format!("{}{name}", self.prefix), (vec![rows.len(), columns], Array::F64(rows.concat())));
    }

    /// Takes an array out; it must be there, of this type and, where `length` says so, that long.
    pub fn take<T: Element>(&mut self, name: &str, length: Option<usize>) -> Result<Vec<T>, BadTensors> {
        let (shape, values) = self.take_any::<T>(name)?;
        match (shape.as_slice(), length) {
            ([n], None) if *n == values.len() => Ok(values),
            ([n], Some(wanted)) if *n == wanted && values.len() == wanted => Ok(values),
            (_, Some(wanted)) => Err(BadTensors(format!("tensor {name}: expected shape [{wanted}], found {shape:?}"))),
            (_, None) => Err(BadTensors(format!("tensor {name}: expected one dimension, found shape {shape:?}"))),
        }
    }

    /// Takes a matrix of so many rows out.
    pub fn take_matrix(&mut self, name: &str, rows: usize) -> Result<Vec<Vec<f64>>, BadTensors> {
        let (shape, values) = self.take_any::<f64>(name)?;
        match shape.as_slice() {
            [r, columns] if *r == rows && rows.checked_mul(*columns) == Some(values.len()) => {
                Ok((0..rows).map(|row| values[row * columns..(row + 1) * columns].to_vec()).collect())
            }
            _ => Err(BadTensors(format!("tensor {name}: expected {rows} rows, found shape {shape:?}"))),
        }
    }

    fn take_any<T: Element>(&mut self, name: &str) -> Result<(Vec<usize>, Vec<T>), BadTensors> {
        let key = format!("{}{name}", self.prefix);
        let (shape, array) =
            self.arrays.remove(&key).ok_or_else(|| BadTensors(format!("tensor {key} is missing")))?;
        let values = T::unwrap(array).ok_or_else(|| BadTensors(format!("tensor {key}: expected type {}", T::NAME)))?;
        match T::stranger(&values, self.minus_infinity) {
            Some(found) => Err(BadTensors(format!("tensor {key}: expected finite numbers, found {found}"))),
            None => Ok((shape, values)),
        }
    }

    /// Takes arrays that may hold −∞: the logarithm of a weight that was set to 0.
    pub fn allowing_minus_infinity<T>(
        &mut self,
        take: impl FnOnce(&mut Self) -> Result<T, BadTensors>,
    ) -> Result<T, BadTensors> {
        self.minus_infinity = true;
        let taken = take(self);
        self.minus_infinity = false;
        taken
    }

    /// Two arrays of one model must be equally long.
    pub fn must_match(&self, name: &str, found: usize, expected: usize) -> Result<(), BadTensors> {
        if found == expected {
            Ok(())
        } else {
            Err(BadTensors(format!("tensor {}{name}: expected {expected} columns, found {found}", self.prefix)))
        }
    }
}
