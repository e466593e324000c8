//! Sparse rows: column numbers that rise strictly, and their values.

use super::{AHEAD, Engine, Index, Row, Rows, Scan, Value};

/// Rows checked in one go: their indices stay in the nearest memory between two looks at them.
const CHECKED_TOGETHER: usize = 256;

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
}

/// Why three arrays are not sparse rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSparseRows {
    pub row: usize,
    pub found: String,
}

impl std::fmt::Display for NotSparseRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "row {}: {}", self.row, self.found)
    }
}

impl<'a, S: Index, I: Index, V: Value> SparseRows<'a, S, I, V> {
    /// Checks that starts rise and fit, and that indices rise strictly and are below `columns`.
    pub fn new(starts: &'a [S], indices: &'a [I], values: &'a [V], columns: usize) -> Result<Self, NotSparseRows> {
        let bad = |row, found: String| Err(NotSparseRows { row, found });
        if indices.len() != values.len() {
            return bad(0, format!("{} column indices but {} values", indices.len(), values.len()));
        }
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else {
            return bad(0, "no row starts at all".into());
        };
        if first.get() != 0 || last.get() > indices.len() {
            return bad(
                0,
                format!(
                    "row starts run from {} to {}, the entries from 0 to {}",
                    first.get(),
                    last.get(),
                    indices.len()
                ),
            );
        }
        let engine = Engine::best();
        let rows = starts.len() - 1;
        for first in (0..rows).step_by(CHECKED_TOGETHER) {
            let last = rows.min(first + CHECKED_TOGETHER);
            for row in first..last {
                let (from, to) = (starts[row].get(), starts[row + 1].get());
                if from > to || to > indices.len() {
                    return bad(row, format!("its start {from} and its end {to} are not in order"));
                }
            }
            // Where an index does not rise, a new row must begin. All neighbours are compared in one go,
            // which vectorises; then those at the rows' ends are taken off.
            let begin = starts[first].get();
            let mut falls = engine.falls(&indices[begin..starts[last].get()]);
            for row in first..last {
                let (from, to) = (starts[row].get(), starts[row + 1].get());
                if from < to {
                    // Rising from not negative to below `columns`: so are all between.
                    if indices[from].get() == usize::MAX || indices[to - 1].get() >= columns {
                        return Self::explain(starts, indices, columns);
                    }
                    falls -= usize::from(from > begin && indices[from - 1] >= indices[from]);
                }
            }
            if falls > 0 {
                return Self::explain(starts, indices, columns);
            }
        }
        Ok(SparseRows { starts, indices, values, columns, engine })
    }

    /// Finds the row that is not in order.
    fn explain(starts: &[S], indices: &[I], columns: usize) -> Result<Self, NotSparseRows> {
        let sound = |entries: &[I]| {
            entries.windows(2).all(|pair| pair[0] < pair[1])
                && entries.first().is_none_or(|i| i.get() != usize::MAX)
                && entries.last().is_none_or(|i| i.get() < columns)
        };
        let row = (0..starts.len() - 1).find(|row| {
            let (from, to) = (starts[*row].get(), starts[row + 1].get().min(indices.len()));
            from <= to && !sound(&indices[from..to])
        });
        Err(NotSparseRows {
            row: row.unwrap_or(0),
            found: format!("column indices must rise strictly from 0 and be below {columns}"),
        })
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
        SparseRows { starts, indices, values, columns, engine: Engine::best() }
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
    fn row(&self, at: usize) -> SparseRow<'_, I, V> {
        let (from, to) = (self.starts[at].get(), self.starts[at + 1].get());
        SparseRow { indices: &self.indices[from..to], values: &self.values[from..to], engine: self.engine }
    }

    #[inline(always)]
    fn look_ahead(&self, at: usize) {
        if let Some([from, to]) = self.starts.get(at + AHEAD..at + AHEAD + 2) {
            let soon = from.get()..to.get();
            self.engine.prefetch(&self.indices[soon.clone()]);
            self.engine.prefetch(&self.values[soon]);
        }
    }

    fn columns(&self) -> usize {
        self.columns
    }
}
