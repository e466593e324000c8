//! The signed rows `z_i = y_i (x_i, 1)` that separability is about, and copies of a few of them.

use super::scalar::Scalar;
use super::vector::{add_scaled, dot};
use crate::matrix::Matrix;

/// All the signed rows of a data set, seen through its matrix.
#[derive(Clone, Copy)]
pub struct SignedRows<'a> {
    pub matrix: &'a Matrix<'a>,
    /// +1 or −1 for each row.
    pub signs: &'a [f64],
    /// Whether a constant 1 is appended to each row (before its sign is applied).
    pub bias: bool,
}

impl<'a> SignedRows<'a> {
    #[must_use]
    pub fn len(&self) -> usize {
        self.signs.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.signs.is_empty()
    }

    /// The length of a signed row, the bias's column included.
    #[must_use]
    pub fn width(&self) -> usize {
        self.matrix.columns() + usize::from(self.bias)
    }

    /// The stored entries of `x_i`: their columns (none if dense) and values.
    #[inline]
    #[must_use]
    pub fn entries(&self, row: usize) -> (Option<&'a [u32]>, &'a [f64]) {
        match *self.matrix {
            Matrix::Dense { values, columns, .. } => (None, &values[row * columns..(row + 1) * columns]),
            Matrix::Sparse { starts, indices, values, .. } => {
                let range = starts[row]..starts[row + 1];
                (Some(&indices[range.clone()]), &values[range])
            }
        }
    }

    /// Calls `visit(column, value)` for the entries of `z_i` that may be nonzero, columns rising.
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let sign = self.signs[row];
        self.matrix.for_each_entry(row, |j, v| visit(j, sign * v));
        if self.bias {
            visit(self.matrix.columns(), sign);
        }
    }

    /// `z_i · w` in doubles.
    #[inline]
    #[must_use]
    pub fn dot(&self, row: usize, w: &[f64]) -> f64 {
        let (indices, values) = self.entries(row);
        let sum = match indices {
            None => dot(values, &w[..values.len()]),
            Some(indices) => indices.iter().zip(values).map(|(j, v)| w[*j as usize] * v).sum(),
        };
        let constant = if self.bias { w[self.matrix.columns()] } else { 0.0 };
        self.signs[row] * (sum + constant)
    }

    /// `z_i · w` in the numbers of `w`.
    #[must_use]
    pub fn dot_in<T: Scalar>(&self, row: usize, w: &[T]) -> T {
        let (indices, values) = self.entries(row);
        let mut sum = match indices {
            None => T::dot_data(values, &w[..values.len()]),
            Some(indices) => {
                indices.iter().zip(values).fold(T::default(), |sum, (j, v)| sum + w[*j as usize] * T::from_f64(*v))
            }
        };
        if self.bias {
            sum = sum + w[self.matrix.columns()];
        }
        if self.signs[row] < 0.0 { -sum } else { sum }
    }

    /// `w += factor · z_i`.
    pub fn add_to(&self, row: usize, factor: f64, w: &mut [f64]) {
        let factor = factor * self.signs[row];
        let (indices, values) = self.entries(row);
        match indices {
            None => add_scaled(w, factor, values),
            Some(indices) => indices.iter().zip(values).for_each(|(j, v)| w[*j as usize] += factor * v),
        }
        if self.bias {
            w[self.matrix.columns()] += factor;
        }
    }

    /// `‖z_i‖²` in doubles.
    #[must_use]
    pub fn square(&self, row: usize) -> f64 {
        let (_, values) = self.entries(row);
        dot(values, values) + if self.bias { 1.0 } else { 0.0 }
    }
}

/// Copies of some signed rows, laid out for many passes over them: dense while that costs no more
/// than a few times their entries, else sparse.
pub struct Gathered {
    pub width: usize,
    /// Which rows of the data these are.
    pub rows: Vec<usize>,
    dense: Option<Vec<f64>>,
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    pub squares: Vec<f64>,
}

impl Gathered {
    #[must_use]
    pub fn new(z: &SignedRows) -> Self {
        let dense = match z.matrix {
            Matrix::Dense { .. } => true,
            Matrix::Sparse { values, .. } => values.len().saturating_mul(4) >= z.len() * z.width(),
        };
        Gathered {
            width: z.width(),
            rows: Vec::new(),
            dense: dense.then(Vec::new),
            starts: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
            squares: Vec::new(),
        }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn push(&mut self, z: &SignedRows, row: usize) {
        self.rows.push(row);
        self.squares.push(z.square(row));
        if let Some(dense) = &mut self.dense {
            let start = dense.len();
            dense.resize(start + self.width, 0.0);
            z.for_each(row, |j, v| dense[start + j] = v);
        } else {
            z.for_each(row, |j, v| {
                self.indices.push(j as u32);
                self.values.push(v);
            });
            self.starts.push(self.values.len());
        }
    }

    fn sparse(&self, i: usize) -> (&[u32], &[f64]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    #[inline]
    #[must_use]
    pub fn dot<T: Scalar>(&self, i: usize, w: &[T]) -> T {
        match &self.dense {
            Some(dense) => T::dot_data(&dense[i * self.width..(i + 1) * self.width], w),
            None => {
                let (indices, values) = self.sparse(i);
                indices.iter().zip(values).fold(T::default(), |sum, (j, v)| sum + w[*j as usize] * T::from_f64(*v))
            }
        }
    }

    pub fn add_to<T: Scalar>(&self, i: usize, factor: T, w: &mut [T]) {
        match &self.dense {
            Some(dense) => T::add_scaled_data(w, factor, &dense[i * self.width..(i + 1) * self.width]),
            None => {
                let (indices, values) = self.sparse(i);
                for (j, v) in indices.iter().zip(values) {
                    w[*j as usize] = w[*j as usize] + factor * T::from_f64(*v);
                }
            }
        }
    }

    /// `z_i · z_j` for each `j` of `others`, then `z_i · z_i`. `scratch` holds `width` zeros, and does again.
    pub fn products<T: Scalar>(&self, i: usize, others: &[usize], scratch: &mut [f64]) -> (Vec<T>, T) {
        match &self.dense {
            Some(dense) => {
                let row = |k: usize| &dense[k * self.width..(k + 1) * self.width];
                let products = others.iter().map(|j| T::dot_rows(row(*j), row(i))).collect();
                (products, T::dot_rows(row(i), row(i)))
            }
            None => {
                let (indices, values) = self.sparse(i);
                for (j, v) in indices.iter().zip(values) {
                    scratch[*j as usize] = *v;
                }
                let product = |k: usize| {
                    let (indices, values) = self.sparse(k);
                    indices
                        .iter()
                        .zip(values)
                        .fold(T::default(), |sum, (j, v)| sum + T::product(*v, scratch[*j as usize]))
                };
                let products = others.iter().map(|j| product(*j)).collect();
                let square = product(i);
                for j in indices {
                    scratch[*j as usize] = 0.0;
                }
                (products, square)
            }
        }
    }
}
