//! The Cholesky factor of a Gram matrix whose rows come and go one at a time.

use super::scalar::Scalar;

/// `L` with `L Lᵀ = K`, and `y` with `L y = (1, …, 1)`.
///
/// A row joins at the end at the cost of one triangular solve; a row leaves by plane rotations.
/// Both cost O(k²). `L` is kept by rows, so that every inner loop runs along memory.
pub struct Factor<T> {
    rows: Vec<Vec<T>>,
    ones: Vec<T>,
}

impl<T: Scalar> Factor<T> {
    #[must_use]
    pub fn new() -> Self {
        Factor { rows: Vec::new(), ones: Vec::new() }
    }

    /// The row of `L` of one whose products with the present ones are `column` and whose square is
    /// `diagonal`, and the square of its last entry: how far the row is from depending on them.
    #[must_use]
    pub fn project(&self, column: &[T], diagonal: T) -> (Vec<T>, T) {
        let row = self.forward(column);
        let rest = diagonal - T::dot(&row, &row);
        (row, rest)
    }

    /// Adds a row as `project` found it.
    pub fn append(&mut self, mut row: Vec<T>, square: T) {
        let pivot = square.square_root();
        let one = (T::from_f64(1.0) - T::dot(&row, &self.ones)) / pivot;
        row.push(pivot);
        self.rows.push(row);
        self.ones.push(one);
    }

    /// Takes row `i` out.
    pub fn remove(&mut self, i: usize) {
        self.rows.remove(i);
        let mut turns: Vec<(T, T)> = Vec::with_capacity(self.rows.len() - i);
        let turn = |(cosine, sine): (T, T), a: T, b: T| (cosine * a + sine * b, cosine * b - sine * a);
        for row in &mut self.rows[i..] {
            let mut carried = row[i];
            for (k, t) in turns.iter().enumerate() {
                (row[i + k], carried) = turn(*t, carried, row[i + k + 1]);
            }
            // `carried` is now the diagonal, and the last entry what stands to its right.
            let last = row.len() - 1;
            let right = row[last];
            let length = (carried * carried + right * right).square_root();
            turns.push((carried / length, right / length));
            row.pop();
            row[last - 1] = length;
        }
        for (k, t) in turns.iter().enumerate() {
            let (a, b) = turn(*t, self.ones[i + k], self.ones[i + k + 1]);
            self.ones[i + k] = a;
            self.ones[i + k + 1] = b;
        }
        self.ones.pop();
    }

    /// `L x = b`.
    #[must_use]
    pub fn forward(&self, b: &[T]) -> Vec<T> {
        let mut x = Vec::with_capacity(b.len() + 1);
        for (row, value) in self.rows.iter().zip(b) {
            let k = x.len();
            x.push((*value - T::dot(&row[..k], &x)) / row[k]);
        }
        x
    }

    /// `Lᵀ x = b`.
    #[must_use]
    pub fn backward(&self, mut b: Vec<T>) -> Vec<T> {
        for (k, row) in self.rows.iter().enumerate().rev() {
            let x = b[k] / row[k];
            b[k] = x;
            T::add_scaled(&mut b[..k], -x, &row[..k]);
        }
        b
    }

    /// `K x = (1, …, 1)`.
    #[must_use]
    pub fn solve_ones(&self) -> Vec<T> {
        self.backward(self.ones.clone())
    }

    /// `K x = b`.
    #[must_use]
    pub fn solve(&self, b: &[T]) -> Vec<T> {
        self.backward(self.forward(b))
    }
}

#[cfg(test)]
mod tests {
    use super::Factor;
    use crate::exact::double_double::DoubleDouble;
    use crate::geometry::scalar::Scalar;

    fn check<T: Scalar>(tolerance: f64) {
        // K = I + vvᵀ-like, of distinct rows.
        let gram = |i: usize, j: usize| (if i == j { 3.0 } else { 0.5 }) + (i as f64 - 2.0) * (j as f64 - 2.0);
        let mut factor = Factor::<T>::new();
        let mut present: Vec<usize> = Vec::new();
        for i in 0..8 {
            let column: Vec<T> = present.iter().map(|j| T::from_f64(gram(i, *j))).collect();
            let (row, square) = factor.project(&column, T::from_f64(gram(i, i)));
            factor.append(row, square);
            present.push(i);
        }
        for gone in [3, 0, 5] {
            factor.remove(gone);
            present.remove(gone);
            let b: Vec<T> = present.iter().map(|i| T::from_f64(1.0 + *i as f64)).collect();
            for (x, b) in [(factor.solve(&b), b), (factor.solve_ones(), vec![T::from_f64(1.0); present.len()])] {
                for (r, i) in present.iter().enumerate() {
                    let row: Vec<T> = present.iter().map(|j| T::from_f64(gram(*i, *j))).collect();
                    assert!((T::dot(&row, &x) - b[r]).to_f64().abs() < tolerance);
                }
            }
        }
        assert_eq!(factor.rows.len(), 5);
        let column: Vec<T> = present.iter().map(|j| T::from_f64(gram(1, *j))).collect();
        let (_, square) = factor.project(&column, T::from_f64(gram(1, 1)));
        assert!(square.to_f64().abs() < tolerance, "row 1 is there already");
    }

    #[test]
    fn rows_come_and_go() {
        check::<f64>(1e-12);
        check::<DoubleDouble>(1e-28);
    }
}
