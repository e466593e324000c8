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
use separatrix_core::rows::Tidy;

use crate::errors;
use crate::names::NameMap;

/// Column numbers of names, the names in their order, and what helps to find them fast.
#[derive(Default)]
pub struct Names {
    map: NameMap,
    met: Met,
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
        (address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.slots.len() - 1)
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

/// The keys of the row before, and where their values go.
#[derive(Default)]
struct Pattern {
    /// Addresses, in the dict's order. Empty where the row is not to be recognised.
    addresses: Vec<usize>,
    /// Those of the keys that nothing else here keeps alive.
    held: Vec<Py<PyAny>>,
    /// Names that were not columns when they were read: they have the columns after all others, and
    /// these become theirs if the row is learnt.
    strangers: Vec<Py<PyAny>>,
    /// The place of each key's column among the sorted ones.
    places: Vec<u32>,
    /// Sorted.
    columns: Vec<u32>,
    numbered: bool,
    /// Room for what was found, in the dict's order, and for sorting.
    found: Vec<(usize, u32, f64)>,
    sorted: Vec<u64>,
}

impl Pattern {
    fn clear(&mut self) {
        self.addresses.clear();
        self.held.clear();
        self.strangers.clear();
        self.found.clear();
    }

    /// Fills `room` if the dict's keys are those of the row before; answers whether they were.
    fn fill(&self, dict: &Bound<'_, PyDict>, room: &mut Tidy) -> PyResult<bool> {
        if self.addresses.is_empty() || self.addresses.len() != dict.len() {
            return Ok(false);
        }
        let values = room.with_columns(&self.columns);
        let mut entries = Entries::of(dict);
        for (address, place) in self.addresses.iter().zip(&self.places) {
            match entries.next() {
                Some(entry) if entry.key.as_ptr() as usize == *address => {
                    values[*place as usize] = entry.number()?;
                }
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Sorts what was found, and fills `room`.
    fn arrange(&mut self, room: &mut Tidy) -> PyResult<()> {
        let Pattern { addresses, places, columns, found, sorted, .. } = self;
        addresses.clear();
        addresses.extend(found.iter().map(|(address, ..)| *address));
        columns.clear();
        places.clear();
        if found.is_sorted_by(|a, b| a.1 < b.1) {
            columns.extend(found.iter().map(|(_, column, _)| *column));
            places.extend(0..found.len() as u32);
        } else {
            sorted.clear();
            sorted.extend(found.iter().enumerate().map(|(k, (_, column, _))| u64::from(*column) << 32 | k as u64));
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] >> 32 == pair[1] >> 32) {
                return Err(errors::input(format!("column {} comes twice in the row", pair[0] >> 32)));
            }
            columns.extend(sorted.iter().map(|entry| (entry >> 32) as u32));
            places.resize(found.len(), 0);
            for (place, entry) in sorted.iter().enumerate() {
                places[*entry as u32 as usize] = place as u32;
            }
        }
        let values = room.with_columns(columns);
        for ((_, _, value), place) in found.iter().zip(places.iter()) {
            values[*place as usize] = *value;
        }
        Ok(())
    }
}

/// A dict's entries without a reference counted for each.
struct Entries<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    position: ffi::Py_ssize_t,
}

/// One entry. Its objects live as long as the dict is not changed: until code of the user's runs.
struct Entry<'a, 'py> {
    key: Borrowed<'a, 'py, PyAny>,
    value: Borrowed<'a, 'py, PyAny>,
}

impl<'a, 'py> Entries<'a, 'py> {
    fn of(dict: &'a Bound<'py, PyDict>) -> Self {
        Entries { dict, position: 0 }
    }

    /// The next entry. The one before must not be used any more.
    #[inline(always)]
    fn next(&mut self) -> Option<Entry<'a, 'py>> {
        let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
        let py = self.dict.py();
        // SAFETY: the dict is a dict, and the position is 0 or what this function made of it. It
        // checks the position against the dict as it is, changed or not. The borrowed objects live
        // until the dict changes; an `Entry` runs no foreign code before it owns what it uses after.
        unsafe {
            if ffi::PyDict_Next(self.dict.as_ptr(), &raw mut self.position, &raw mut key, &raw mut value) == 0 {
                return None;
            }
            Some(Entry { key: Borrowed::from_ptr(py, key), value: Borrowed::from_ptr(py, value) })
        }
    }
}

impl Entry<'_, '_> {
    /// The value as a number. Uses up the entry, as it may run foreign code.
    #[inline(always)]
    fn number(self) -> PyResult<f64> {
        // SAFETY: the value is an object that lives; for a float itself the function only reads it.
        unsafe {
            if ffi::PyFloat_CheckExact(self.value.as_ptr()) != 0 {
                return Ok(ffi::PyFloat_AsDouble(self.value.as_ptr()));
            }
        }
        number(&self.value.to_owned(), &self.key.to_owned())
    }
}

#[inline(never)]
fn number(value: &Bound<'_, PyAny>, key: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract::<f64>().map_err(|_| {
        errors::input(format!(
            "feature {key}: expected a number, found {}",
            value.repr().map_or_else(|_| "?".into(), |r| r.to_string())
        ))
    })
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
        if (self.last.numbered || may_be_named) && self.last.fill(dict, room)? {
            if grow {
                for name in std::mem::take(&mut self.last.strangers) {
                    self.column(name.bind(dict.py()), true)?;
                }
            }
            return Ok(!self.last.numbered);
        }
        let numbered = dict.iter().next().is_some_and(|(key, _)| key.is_instance_of::<PyInt>());
        if !numbered && !may_be_named && !dict.is_empty() {
            return Err(errors::input(
                "this learner's columns have numbers, not names: expected int keys (from 0), found names",
            ));
        }
        self.last.clear();
        let answer = self.read_anew(dict, numbered, grow, room);
        if !matches!(answer, Ok(true)) {
            self.last.clear();
        }
        answer.map(|_| !numbered)
    }

    /// Finds the column of every key; answers whether a row of the same keys will be the same.
    fn read_anew(&mut self, dict: &Bound<'_, PyDict>, numbered: bool, grow: bool, room: &mut Tidy) -> PyResult<bool> {
        // Where the first key is a new object the others mostly are: no use looking for their addresses.
        let (mut plain, mut by_address) = (true, !numbered);
        self.last.numbered = numbered;
        self.last.found.reserve(dict.len());
        let mut entries = Entries::of(dict);
        while let Some(entry) = entries.next() {
            let address = entry.key.as_ptr() as usize;
            let met = if by_address { self.met.find(address) } else { None };
            let (column, value) = match met {
                Some(column) => (column, entry.number()?),
                None => {
                    by_address &= !self.last.found.is_empty();
                    let key = entry.key.to_owned();
                    let value = entry.number()?;
                    plain &= key.is_exact_instance_of::<PyString>() || key.is_exact_instance_of::<PyInt>();
                    let column = if numbered {
                        key.extract::<u32>().map_err(|_| {
                            errors::input(format!("expected int keys from 0 to 4294967295, found {key}"))
                        })?
                    } else if let Some(column) = self.column(&key, grow)? {
                        column
                    } else {
                        self.last.strangers.push(key.clone().unbind());
                        (self.map.list().len() + self.last.strangers.len() - 1) as u32
                    };
                    self.last.held.push(key.unbind());
                    (column, value)
                }
            };
            self.last.found.push((address, column, value));
        }
        self.last.arrange(room)?;
        Ok(plain)
    }
}
