//! The plain kernels: they define what the vector ones must return.

use super::{Index, Scan, Value};

/// Adds the eight lanes in the one order.
#[inline(always)]
pub fn fold(lanes: [f64; 8]) -> f64 {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

/// w·x and ‖x‖² of a dense row; `w` may be longer than the row.
#[inline(always)]
pub fn dense_scan<V: Value>(values: &[V], w: &[f64]) -> Scan {
    let w = &w[..values.len()];
    let (mut dot, mut squares) = ([0.0; 8], [0.0; 8]);
    let mut zero = [false; 8];
    let (full, rest) = values.as_chunks::<8>();
    let (w_full, w_rest) = w.as_chunks::<8>();
    for (x, w) in full.iter().zip(w_full) {
        for k in 0..8 {
            let value = x[k].get();
            dot[k] += value * w[k];
            squares[k] += value * value;
            zero[k] |= value == 0.0;
        }
    }
    for k in 0..rest.len() {
        let value = rest[k].get();
        dot[k] += value * w_rest[k];
        squares[k] += value * value;
        zero[k] |= value == 0.0;
    }
    Scan { dot: fold(dot), squares: fold(squares), plain: zero == [false; 8] }
}

/// w += scale · x
#[inline(always)]
pub fn dense_add<V: Value>(values: &[V], w: &mut [f64], scale: f64) {
    for (weight, value) in w.iter_mut().zip(values) {
        *weight += scale * value.get();
    }
}

/// w·x and ‖x‖² of a sparse row.
#[inline(always)]
pub fn sparse_scan<I: Index, V: Value>(indices: &[I], values: &[V], w: &[f64]) -> Scan {
    let (mut dot, mut squares) = ([0.0; 8], [0.0; 8]);
    let mut zero = false;
    let (i_full, i_rest) = indices.as_chunks::<8>();
    let (v_full, v_rest) = values.as_chunks::<8>();
    for (i, v) in i_full.iter().zip(v_full) {
        for k in 0..8 {
            let value = v[k].get();
            dot[k] += value * w[i[k].get()];
            squares[k] += value * value;
            zero |= value == 0.0;
        }
    }
    for (k, (i, v)) in i_rest.iter().zip(v_rest).enumerate() {
        let value = v.get();
        dot[k] += value * w[i.get()];
        squares[k] += value * value;
        zero |= value == 0.0;
    }
    Scan { dot: fold(dot), squares: fold(squares), plain: !zero }
}

/// How many neighbours do not rise. Counted in 32 bits a block, so that a register holds many counts.
#[inline(always)]
pub fn falls<I: Index>(indices: &[I]) -> usize {
    let mut falls = 0;
    for start in (0..indices.len().saturating_sub(1)).step_by(1 << 14) {
        let end = indices.len().min(start + (1 << 14) + 1);
        let (before, after) = (&indices[start..end - 1], &indices[start + 1..end]);
        let in_block: u32 = before.iter().zip(after).map(|(a, b)| u32::from(*a >= *b)).sum();
        falls += in_block as usize;
    }
    falls
}

/// How many of the columns are smaller, for each. Few columns are meant: it takes the square of their number, but
/// no branch.
#[inline(always)]
pub fn ranks(columns: &[u32], ranks: &mut [u32]) {
    for (rank, column) in ranks.iter_mut().zip(columns) {
        *rank = columns.iter().map(|other| u32::from(other < column)).sum();
    }
}
