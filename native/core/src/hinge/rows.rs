//! Dot products with a row, and steps along it: all that the solver does with the data.

use crate::matrix::Matrix;

/// The rows of a matrix, each with a constant appended when `bias` is not zero.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    matrix: Matrix<'a>,
    bias: f64,
}

impl<'a> Rows<'a> {
    pub fn new(matrix: Matrix<'a>, bias: f64) -> Self {
        Rows { matrix, bias }
    }

    pub fn len(&self) -> usize {
        self.matrix.rows()
    }

    /// Columns with the appended one, which always exists and stays zero without a bias.
    pub fn width(&self) -> usize {
        self.matrix.columns() + 1
    }

    pub fn dot(&self, row: usize, w: &[f64]) -> f64 {
        let (weights, appended) = w.split_at(self.matrix.columns());
        let constant = self.bias * appended[0];
        match self.matrix {
            Matrix::Dense { values, columns, .. } => {
                let x = &values[row * columns..(row + 1) * columns];
                // Four sums instead of one: additions need not wait for each other.
                let mut sums = [0.0f64; 4];
                let (quads, rest) = x.as_chunks::<4>();
                let (weight_quads, weight_rest) = weights.as_chunks::<4>();
                for (a, b) in quads.iter().zip(weight_quads) {
                    for lane in 0..4 {
                        sums[lane] += a[lane] * b[lane];
                    }
                }
                let tail: f64 = rest.iter().zip(weight_rest).map(|(a, b)| a * b).sum();
                constant + tail + (sums[0] + sums[1]) + (sums[2] + sums[3])
            }
            Matrix::Sparse { starts, indices, values, .. } => {
                let (from, to) = (starts[row], starts[row + 1]);
                let entries = indices[from..to].iter().zip(&values[from..to]);
                constant + entries.map(|(j, v)| weights[*j as usize] * v).sum::<f64>()
            }
        }
    }

    /// `w ← w + step · x_row`.
    pub fn add(&self, row: usize, step: f64, w: &mut [f64]) {
        let (weights, appended) = w.split_at_mut(self.matrix.columns());
        appended[0] += step * self.bias;
        match self.matrix {
            Matrix::Dense { values, columns, .. } => {
                let x = &values[row * columns..(row + 1) * columns];
                for (weight, v) in weights.iter_mut().zip(x) {
                    *weight += step * v;
                }
            }
            Matrix::Sparse { starts, indices, values, .. } => {
                let (from, to) = (starts[row], starts[row + 1]);
                for (j, v) in indices[from..to].iter().zip(&values[from..to]) {
                    weights[*j as usize] += step * v;
                }
            }
        }
    }

    pub fn squared_norm(&self, row: usize) -> f64 {
        let mut sum = self.bias * self.bias;
        self.matrix.for_each_entry(row, |_, v| sum += v * v);
        sum
    }
}
