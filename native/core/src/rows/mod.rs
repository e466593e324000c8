//! Rows: what a rule may ask of one example, whatever it is stored in.
//!
//! # The one order of summation
//!
//! Results must agree to the last bit between dense and sparse rows, between float32 and float64
//! storage, and between vector and plain instructions. So the dot product is *defined*: the k-th
//! non-zero of the row is multiplied by its weight and added to lane `k mod 8`; then
//! `((l0+l4) + (l2+l6)) + ((l1+l5) + (l3+l7))`. All in double precision, multiplied and added in
//! two roundings (never fused). The bias is added by the caller, last. Eight lanes are one AVX-512
//! register, and enough independent chains for anything smaller.
//!
//! The definition speaks of non-zeros, so a stored zero would shift the lanes of what follows it.
//! The kernels notice one (`Scan::plain` is false) and the caller then uses a [`Tidy`] copy.

mod dense;
mod dot;
mod sparse;
mod tidy;
mod vector;

pub use dense::{DenseRow, DenseRows};
pub use sparse::{SparseRow, SparseRows};
pub use tidy::{Tidy, Untidy, unit_length};
pub use vector::{Engine, Work};

mod sealed {
    /// The kernels load these types by their size: nobody else may add one.
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for i64 {}
    impl Sealed for usize {}
}

/// How many rows ahead memory is asked for: about two kilobytes of a hundred floats each.
const AHEAD: usize = 5;

/// Rows checked in one go, just before they are played: few, so that they are still near then.
pub const CHECKED_TOGETHER: usize = 32;

/// A number as stored in a row: float32 or float64.
pub trait Value: sealed::Sealed + Copy + Send + Sync + 'static {
    fn get(self) -> f64;
    #[doc(hidden)]
    const SINGLE: bool;
}

impl Value for f64 {
    fn get(self) -> f64 {
        self
    }
    const SINGLE: bool = false;
}

impl Value for f32 {
    fn get(self) -> f64 {
        f64::from(self)
    }
    const SINGLE: bool = true;
}

/// A column number as stored in a sparse row. Negative ones are not columns.
pub trait Index: sealed::Sealed + Copy + PartialOrd + Send + Sync + 'static {
    /// The column, or something larger than any column where it is negative.
    fn get(self) -> usize;
}

impl Index for u32 {
    fn get(self) -> usize {
        self as usize
    }
}

impl Index for i32 {
    fn get(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}

impl Index for usize {
    fn get(self) -> usize {
        self
    }
}

impl Index for i64 {
    fn get(self) -> usize {
        usize::try_from(self).unwrap_or(usize::MAX)
    }
}

/// What one look at a row yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scan {
    /// w·x
    pub dot: f64,
    /// ‖x‖²
    pub squares: f64,
    /// No stored zero, so that `dot` and `squares` follow the one order of summation.
    pub plain: bool,
}

/// One example.
pub trait Row: Copy {
    /// w·x and ‖x‖² together. Every column must be below `w.len()`.
    fn scan(&self, w: &[f64]) -> Scan;

    /// w·x alone.
    #[inline(always)]
    fn dot(&self, w: &[f64]) -> f64 {
        self.scan(w).dot
    }

    /// w += scale · x
    fn add_to(&self, w: &mut [f64], scale: f64);

    /// Calls `visit(column, value)` for the stored entries, columns rising.
    fn for_each(&self, visit: impl FnMut(usize, f64));

    /// The largest stored column + 1.
    fn columns(&self) -> usize;

    /// The row without the columns from `columns` on.
    fn truncated(&self, columns: usize) -> Self;
}

/// Many examples in memory.
pub trait Rows: Sync {
    type Row<'a>: Row
    where
        Self: 'a;

    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row, of those that [`Rows::check`] found sound.
    #[inline(always)]
    fn row(&self, at: usize) -> Self::Row<'_> {
        self.row_on(at, self.engine())
    }

    /// The same row, computed with this engine.
    fn row_on(&self, at: usize, engine: Engine) -> Self::Row<'_>;

    /// Looks at rows whose storage may be out of order; answers the first that is.
    fn check(&self, _rows: std::ops::Range<usize>) -> Result<(), usize> {
        Ok(())
    }

    /// What the rows are computed with.
    fn engine(&self) -> Engine;

    /// Asks for the memory of a row that is a few rows ahead of `at`, if there is one.
    #[inline(always)]
    fn look_ahead(&self, _at: usize) {}

    fn columns(&self) -> usize;
}

#[cfg(test)]
mod tests;
