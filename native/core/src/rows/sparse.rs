//! Sparse rows: column numbers that rise strictly, and their values.

use std::ops::Range;

use super::{AHEAD, CHECKED_TOGETHER, Engine, Index, Row, Rows, Scan, Value};

/// One sparse row. Its indices rise strictly: whoever makes one has checked that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SparseRow<'a, I, V> {
    pub indices: &'a [I],
    pub values: &'a [V],
    pub engine: Engine,
}

impl<I: Index, V: Value> Row for SparseRow<'_, I, V> {
    #[inline(always)]
    fn scan(&self, w: &[f64]) -> Scan {
        self.engine.sparse_scan(self.indices, self.values, w)
    }

    #[inline(always)]
    fn add_to(&self, w: &mut [f64], scale: f64) {
        for (index, value) in self.indices.iter().zip(self.values) {
            w[index.get()] += scale * value.get();
        }
    }

    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        for (index, value) in self.indices.iter().zip(self.values) {
            visit(index.get(), value.get());
        }
    }

    fn columns(&self) -> usize {
        self.indices.last().map_or(0, |i| i.get() + 1)
    }

    fn truncated(&self, columns: usize) -> Self {
        let kept = self.indices.partition_point(|i| i.get() < columns);
        SparseRow { indices: &self.indices[..kept], values: &self.values[..kept], engine: self.engine }
    }
}

/// Compressed sparse rows. `S` is the type of the row starts.
pub struct SparseRows<'a, S, I, V> {
    starts: &'a [S],
    indices: &'a [I],
    values: &'a [V],
    columns: usize,
    engine: Engine,
    /// Whoever made the rows has looked at every index.
    checked: bool,
}

/// Why three arrays are not sparse rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSparseRows(String);

impl std::fmt::Display for NotSparseRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'a, S: Index, I: Index, V: Value> SparseRows<'a, S, I, V> {
    /// Checks that the arrays belong together. Each row is checked just before it is played
    /// ([`Rows::check`]), so that its indices come from far memory once and not twice.
    pub fn new(starts: &'a [S], indices: &'a [I], values: &'a [V], columns: usize) -> Result<Self, NotSparseRows> {
        let bad = |found: String| Err(NotSparseRows(found));
        if indices.len() != values.len() {
            return bad(format!("{} column indices but {} values", indices.len(), values.len()));
        }
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else {
            return bad("no row starts at all".into());
        };
        let (first, last, entries) = (first.get(), last.get(), indices.len());
        if first != 0 || last > entries {
            return bad(format!("row starts run from {first} to {last}, the entries from 0 to {entries}"));
        }
        Ok(SparseRows { starts, indices, values, columns, engine: Engine::best(), checked: false })
    }

    /// Whether rows rise from not negative to below the number of columns.
    fn all_rise(&self, rows: Range<usize>) -> bool {
        let bounds = |row: usize| (self.starts[row].get(), self.starts[row + 1].get());
        if rows.clone().map(bounds).any(|(from, to)| from > to || to > self.indices.len()) {
            return false;
        }
        // Where an index does not rise, a new row must begin. All neighbours are compared in one go,
        // which vectorises; then those at the rows' ends are taken off.
        let begin = self.starts[rows.start].get();
        let mut falls = self.engine.falls(&self.indices[begin..self.starts[rows.end].get()]);
        for (from, to) in rows.map(bounds).filter(|(from, to)| from < to) {
            if self.indices[from].get() == usize::MAX || self.indices[to - 1].get() >= self.columns {
                return false;
            }
            falls -= usize::from(from > begin && self.indices[from - 1] >= self.indices[from]);
        }
        falls == 0
    }

    #[inline(always)]
    fn prefetch_row<T>(&self, of: &[T], row: usize) {
        // A row that is not checked yet may begin and end anywhere.
        if let Some([from, to]) = self.starts.get(row..row + 2)
            && let Some(soon) = of.get(from.get()..to.get())
        {
            self.engine.prefetch(soon.as_ptr(), size_of_val(soon));
        }
    }

    /// The same rows, computed with another engine: for the tests that compare them.
    #[must_use]
    pub fn with(self, engine: Engine) -> Self {
        SparseRows { engine, ..self }
    }
}

impl<'a, V: Value> SparseRows<'a, usize, u32, V> {
    /// Rows that the text reader made: it has checked them while it read.
    #[must_use]
    pub fn trusted(starts: &'a [usize], indices: &'a [u32], values: &'a [V], columns: usize) -> Self {
        SparseRows { starts, indices, values, columns, engine: Engine::best(), checked: true }
    }
}

impl<S: Index, I: Index, V: Value> Rows for SparseRows<'_, S, I, V> {
    type Row<'b>
        = SparseRow<'b, I, V>
    where
        Self: 'b;

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline(always)]
    fn row_on(&self, at: usize, engine: Engine) -> SparseRow<'_, I, V> {
        let (from, to) = (self.starts[at].get(), self.starts[at + 1].get());
        SparseRow { indices: &self.indices[from..to], values: &self.values[from..to], engine }
    }

    #[inline(always)]
    fn engine(&self) -> Engine {
        self.engine
    }

    #[inline(always)]
    fn look_ahead(&self, at: usize) {
        // Indices are looked at twice: by the check of the next rows together, then by the game.
        self.prefetch_row(self.indices, at + CHECKED_TOGETHER + AHEAD);
        self.prefetch_row(self.values, at + AHEAD);
    }

    fn check(&self, rows: Range<usize>) -> Result<(), usize> {
        if self.checked || rows.is_empty() || self.all_rise(rows.clone()) {
            return Ok(());
        }
        Err(rows.clone().find(|row| !self.all_rise(*row..row + 1)).unwrap_or(rows.start))
    }

    fn columns(&self) -> usize {
        self.columns
    }
}
