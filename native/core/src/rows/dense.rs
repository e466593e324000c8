//! Dense rows: every column stored.

use super::{AHEAD, Engine, Row, Rows, Scan, Value};

/// One dense row.
#[derive(Clone, Copy)]
pub struct DenseRow<'a, V> {
    pub values: &'a [V],
    pub engine: Engine,
}

impl<V: Value> Row for DenseRow<'_, V> {
    #[inline(always)]
    fn scan(&self, w: &[f64]) -> Scan {
        self.engine.dense_scan(self.values, w)
    }

    #[inline(always)]
    fn add_to(&self, w: &mut [f64], scale: f64) {
        self.engine.dense_add(self.values, w, scale);
    }

    #[inline(always)]
    fn for_each(&self, mut visit: impl FnMut(usize, f64)) {
        for (column, value) in self.values.iter().enumerate() {
            visit(column, value.get());
        }
    }

    fn columns(&self) -> usize {
        self.values.len()
    }

    fn truncated(&self, columns: usize) -> Self {
        DenseRow { values: &self.values[..columns.min(self.values.len())], engine: self.engine }
    }
}

/// A row-major matrix.
pub struct DenseRows<'a, V> {
    values: &'a [V],
    rows: usize,
    columns: usize,
    engine: Engine,
}

impl<'a, V: Value> DenseRows<'a, V> {
    /// `rows` rows of `columns` values; `None` where the slice is of another size.
    #[must_use]
    pub fn new(values: &'a [V], rows: usize, columns: usize) -> Option<Self> {
        (rows.checked_mul(columns) == Some(values.len())).then(|| DenseRows {
            values,
            rows,
            columns,
            engine: Engine::best(),
        })
    }

    /// The same rows, computed with another engine: for the tests that compare them.
    #[must_use]
    pub fn with(self, engine: Engine) -> Self {
        DenseRows { engine, ..self }
    }
}

impl<V: Value> Rows for DenseRows<'_, V> {
    type Row<'b>
        = DenseRow<'b, V>
    where
        Self: 'b;

    fn len(&self) -> usize {
        self.rows
    }

    #[inline(always)]
    fn row_on(&self, at: usize, engine: Engine) -> DenseRow<'_, V> {
        DenseRow { values: &self.values[at * self.columns..(at + 1) * self.columns], engine }
    }

    #[inline(always)]
    fn engine(&self) -> Engine {
        self.engine
    }

    #[inline(always)]
    fn look_ahead(&self, at: usize) {
        // Beyond the last row it asks for what nobody reads.
        let soon = self.values.as_ptr().wrapping_add((at + AHEAD) * self.columns);
        self.engine.prefetch(soon, self.columns * size_of::<V>());
    }

    fn columns(&self) -> usize {
        self.columns
    }
}
