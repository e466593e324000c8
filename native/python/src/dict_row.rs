//! Rows that come as dicts: features by name or by column number.
//!
//! Most of the time such a row takes is spent on finding the columns of its keys, so what was found
//! is kept. A `str` object that was met before is recognised by its address. And a row whose keys are
//! the very objects of the row before, in the same order (a row predicted, then learnt; rows of one
//! schema), needs its values only. An address stands for an object as long as the object lives, so
//! whatever is recognised by address is kept alive here; and only `str` and `int` themselves are, not
//! their subclasses, so that the object cannot change what it is equal to.

#![allow(unsafe_code)]

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};
use separatrix_core::rows::{Engine, Tidy};

use crate::errors;
use crate::names::NameMap;

/// Column numbers of names, the names in their order, and what helps to find them fast.
#[derive(Default)]
pub struct Names {
    map: NameMap,
    met: Met,
    row: Entries,
    last: Pattern,
}

/// Columns by the address of the str object that named them first.
#[derive(Default)]
struct Met {
    /// Open addressing, at most three quarters full, 0 in a free slot. Half the size is half the way
    /// to memory: an address is a multiple of 16 below 2^47, so it and a column below 2^21 are one word.
    slots: Vec<u64>,
    /// Keeps the objects alive.
    objects: Vec<Py<PyString>>,
}

const COLUMN_BITS: u32 = 21;

impl Met {
    #[inline(always)]
    fn start(&self, address: u64) -> usize {
        // The product's high bits depend on all of the address.
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & self.slots.len().wrapping_sub(1)
    }

    /// Asks for the memory where an address will soon be looked for.
    #[inline(always)]
    fn look_ahead(&self, address: usize) {
        if let Some(slot) = self.slots.get(self.start(address as u64 >> 4)) {
            prefetch(slot);
        }
    }

    #[inline(always)]
    fn find(&self, address: usize) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        // Addresses that do not fit a slot are in none; their bits beyond would be found in none either.
        let address = address as u64;
        let short = if address & 15 == 0 { address >> 4 } else { return None };
        let mut at = self.start(short);
        loop {
            let slot = self.slots[at];
            if slot >> COLUMN_BITS == short {
                return Some((slot & ((1 << COLUMN_BITS) - 1)) as u32);
            }
            if slot == 0 {
                return None;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Remembers the first object that named a column, if it fits.
    fn remember(&mut self, name: &Bound<'_, PyString>, column: u32) {
        let address = name.as_ptr() as u64;
        if address & 15 != 0 || address >> 47 != 0 || column >> COLUMN_BITS != 0 {
            return;
        }
        self.objects.push(name.clone().unbind());
        if 4 * self.objects.len() > 3 * self.slots.len() {
            let doubled = (2 * self.slots.len()).max(1024);
            let old = std::mem::replace(&mut self.slots, vec![0; doubled]);
            for slot in old.into_iter().filter(|slot| *slot != 0) {
                self.put(slot);
            }
        }
        self.put((address >> 4) << COLUMN_BITS | u64::from(column));
    }

    fn put(&mut self, slot: u64) {
        let mut at = self.start(slot >> COLUMN_BITS);
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }
}

/// A dict's entries, each with no more than its key's address and its value as a number.
///
/// Three short loops instead of one long: the dict's table, the values and the columns are each far in
/// memory, and a short loop waits for many of them at a time.
#[derive(Default)]
struct Entries {
    /// In the dict's order.
    keys: Vec<usize>,
    values: Vec<usize>,
    numbers: Vec<f64>,
}

impl Entries {
    /// Lists the entries. The keys live as long as what is returned, and as no foreign code runs.
    fn list(&mut self, dict: &Bound<'_, PyDict>, met: &Met) -> PyResult<Vec<Py<PyAny>>> {
        self.keys.resize(dict.len(), 0);
        self.values.resize(dict.len(), 0);
        self.numbers.resize(dict.len(), 0.0);
        let mut position = 0;
        for (key_at, value_at) in self.keys.iter_mut().zip(&mut self.values) {
            let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: the dict is a dict, the position is 0 or what this function made of it, and nothing
            // between two calls changes the dict, which has so many entries.
            unsafe { ffi::PyDict_Next(dict.as_ptr(), &raw mut position, &raw mut key, &raw mut value) };
            prefetch(value);
            met.look_ahead(key as usize);
            (*key_at, *value_at) = (key as usize, value as usize);
        }
        for (value, number) in self.values.iter().zip(&mut self.numbers) {
            // SAFETY: no foreign code has run since the dict was listed, so the value lives; for a float
            // itself the function only reads it.
            unsafe {
                let value = *value as *mut ffi::PyObject;
                if ffi::PyFloat_CheckExact(value) == 0 {
                    return self.numbers_of_objects(dict.py());
                }
                *number = ffi::PyFloat_AsDouble(value);
            }
        }
        Ok(Vec::new())
    }

    /// Values that are not all floats may run foreign code when they are asked for their number: all
    /// objects are held before.
    #[inline(never)]
    fn numbers_of_objects(&mut self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let held: Vec<Py<PyAny>> = self
            .keys
            .iter()
            .chain(&self.values)
            // SAFETY: as in `list`.
            .map(|object| unsafe { Borrowed::from_ptr(py, *object as *mut ffi::PyObject) }.to_owned().unbind())
            .collect();
        let (keys, values) = held.split_at(self.keys.len());
        for ((key, value), at) in keys.iter().zip(values).zip(&mut self.numbers) {
            *at = number(value.bind(py), key.bind(py))?;
        }
        Ok(held)
    }
}

/// Asks for memory that will soon be read.
#[inline(always)]
fn prefetch<T>(object: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(object.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = object;
}

fn number(value: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract::<f64>().map_err(|_| {
        errors::input(format!(
            "feature {key}: expected a number, found {}",
            value.repr().map_or_else(|_| "?".into(), |r| r.to_string())
        ))
    })
}

/// Of so few columns it is faster to count how many are smaller than each than to sort them.
const RANKED: usize = 192;

/// The keys of the row before, and where their values go.
#[derive(Default)]
struct Pattern {
    /// Addresses, in the dict's order. Empty where the row is not to be recognised.
    keys: Vec<usize>,
    /// Those of the keys that nothing else here keeps alive.
    held: Vec<Py<PyAny>>,
    /// Names that were not columns when they were read: they have the columns after all others, and
    /// these become theirs if the row is learnt.
    strangers: Vec<Py<PyAny>>,
    /// The column of each key.
    found: Vec<u32>,
    /// The place of each key's column among the sorted ones.
    places: Vec<u32>,
    /// Sorted.
    columns: Vec<u32>,
    numbered: bool,
    /// Room for sorting.
    sorted: Vec<u64>,
}

impl Pattern {
    fn clear(&mut self) {
        self.keys.clear();
        self.held.clear();
        self.strangers.clear();
        self.found.clear();
    }

    /// Whether the row has the keys of the row before.
    fn is_of(&self, row: &Entries) -> bool {
        !self.keys.is_empty() && self.keys == row.keys
    }

    /// Sorts the columns found.
    fn arrange(&mut self) -> PyResult<()> {
        let Pattern { places, columns, found, sorted, .. } = self;
        columns.clear();
        places.clear();
        if found.is_sorted_by(|a, b| a < b) {
            columns.extend_from_slice(found);
            places.extend(0..found.len() as u32);
            return Ok(());
        }
        places.resize(found.len(), 0);
        if found.len() <= RANKED {
            Engine::best().ranks(found, places);
        } else {
            sorted.clear();
            sorted.extend(found.iter().zip(0u64..).map(|(column, k)| u64::from(*column) << 32 | k));
            sorted.sort_unstable();
            for (place, entry) in (0..).zip(sorted.iter()) {
                places[*entry as u32 as usize] = place;
            }
        }
        columns.resize(found.len(), 0);
        for (column, place) in found.iter().zip(places.iter()) {
            columns[*place as usize] = *column;
        }
        // A column that came twice has one rank only: it leaves the place behind it at 0.
        match columns.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(errors::input(format!("column {} comes twice in the row", pair[0].max(pair[1])))),
            None => Ok(()),
        }
    }

    /// Fills `room` with a row of these keys.
    fn fill(&self, row: &Entries, room: &mut Tidy) {
        let values = room.with_columns(&self.columns);
        for (number, place) in row.numbers.iter().zip(&self.places) {
            values[*place as usize] = *number;
        }
    }
}

impl Names {
    pub fn of(list: &[String]) -> Self {
        let mut names = Names::default();
        for name in list {
            names.map.add(name, false);
        }
        names
    }

    pub fn list(&self) -> &[String] {
        self.map.list()
    }

    /// The column of a name, where it has one; a new name gets the next one if `grow`.
    #[inline(always)]
    fn column(&mut self, key: &Bound<'_, PyAny>, grow: bool) -> PyResult<Option<u32>> {
        let name = key
            .cast::<PyString>()
            .map_err(|_| PyTypeError::new_err("expected a row whose keys are all str, or all int (column numbers)"))?;
        let text = name.to_str()?;
        match self.map.find(text) {
            Some(found) => {
                // The first object of each name only: a stream of new objects must not fill the memory.
                if !found.noted && name.is_exact_instance_of::<PyString>() {
                    self.map.note(found);
                    self.met.remember(name, found.column);
                }
                Ok(Some(found.column))
            }
            None if grow => {
                let exact = name.is_exact_instance_of::<PyString>();
                let column = self.map.add(text, exact);
                if exact {
                    self.met.remember(name, column);
                }
                Ok(Some(column))
            }
            None => Ok(None),
        }
    }

    /// Reads the row into `room`; answers whether its columns are named. `may_be_named`: the learner's
    /// columns have names, or will have. `grow`: new names become columns.
    pub fn read(
        &mut self,
        dict: &Bound<'_, PyDict>,
        may_be_named: bool,
        grow: bool,
        room: &mut Tidy,
    ) -> PyResult<bool> {
        // Alive until the row is read.
        let _held = self.row.list(dict, &self.met)?;
        if (self.last.numbered || may_be_named) && self.last.is_of(&self.row) {
            if grow {
                for name in std::mem::take(&mut self.last.strangers) {
                    self.column(name.bind(dict.py()), true)?;
                }
            }
        } else {
            let numbered = dict.iter().next().is_some_and(|(key, _)| key.is_instance_of::<PyInt>());
            if !numbered && !may_be_named && !dict.is_empty() {
                return Err(errors::input(
                    "this learner's columns have numbers, not names: expected int keys (from 0), found names",
                ));
            }
            self.last.clear();
            let row = std::mem::take(&mut self.row);
            let found = self.find_columns(dict.py(), &row.keys, numbered, grow);
            self.row = row;
            if found.is_err() {
                self.last.clear();
            }
            found?;
        }
        self.last.fill(&self.row, room);
        Ok(!self.last.numbered)
    }

    /// Finds the column of every key, and keeps them if a row of the same keys will be the same.
    fn find_columns(&mut self, py: Python<'_>, keys: &[usize], numbered: bool, grow: bool) -> PyResult<()> {
        let mut plain = true;
        self.last.numbered = numbered;
        self.last.found.reserve(keys.len());
        // Where the first key is a new object the others mostly are: no use looking for their addresses.
        let mut by_address = !numbered;
        for address in keys {
            if by_address && let Some(column) = self.met.find(*address) {
                self.last.found.push(column);
                continue;
            }
            by_address &= !self.last.found.is_empty();
            // SAFETY: `Entries::list` says why the keys live: strings and whole numbers are asked here,
            // which runs no foreign code.
            let key = unsafe { Borrowed::from_ptr(py, *address as *mut ffi::PyObject) }.to_owned();
            plain &= key.is_exact_instance_of::<PyString>() || key.is_exact_instance_of::<PyInt>();
            let column = if numbered {
                key.extract::<u32>()
                    .map_err(|_| errors::input(format!("expected int keys from 0 to 4294967295, found {key}")))?
            } else if let Some(column) = self.column(&key, grow)? {
                column
            } else {
                self.last.strangers.push(key.clone().unbind());
                (self.map.list().len() + self.last.strangers.len() - 1) as u32
            };
            self.last.held.push(key.unbind());
            self.last.found.push(column);
        }
        self.last.arrange()?;
        if plain {
            self.last.keys.extend_from_slice(keys);
        }
        Ok(())
    }
}
