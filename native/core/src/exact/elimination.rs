//! Fraction-free elimination (Bareiss 1968): exact null spaces of matrices of tens of rows.

use num_bigint::BigInt;

/// A basis of `{x : matrix · x = 0}` in integers, one vector for each column without a pivot, and the
/// columns with one.
///
/// Gauss–Jordan, each step `(pivot · entry − factor · other) / previous pivot`: the division is exact, and
/// no entry is ever longer than a minor of the matrix.
#[must_use]
pub fn null_space(mut matrix: Vec<Vec<BigInt>>, columns: usize) -> (Vec<Vec<BigInt>>, Vec<usize>) {
    let zero = BigInt::default();
    let mut previous = BigInt::from(1);
    let mut pivots = Vec::new();
    for column in 0..columns {
        let top = pivots.len();
        // The shortest pivot keeps the numbers short.
        let Some(pivot) =
            (top..matrix.len()).filter(|r| matrix[*r][column] != zero).min_by_key(|r| matrix[*r][column].bits())
        else {
            continue;
        };
        matrix.swap(top, pivot);
        let chosen = std::mem::take(&mut matrix[top]);
        for (r, row) in matrix.iter_mut().enumerate() {
            if r == top {
                continue;
            }
            let factor = row[column].clone();
            for (c, entry) in row.iter_mut().enumerate() {
                // Before `column` only the pivots' own columns are other than zero above the diagonal.
                if *entry == zero && (factor == zero || chosen[c] == zero) {
                    continue;
                }
                let mut value = &*entry * &chosen[column];
                if factor != zero && chosen[c] != zero {
                    value -= &factor * &chosen[c];
                }
                *entry = value / &previous;
            }
        }
        previous.clone_from(&chosen[column]);
        matrix[top] = chosen;
        pivots.push(column);
        if pivots.len() == matrix.len() {
            break;
        }
    }
    let basis = (0..columns)
        .filter(|c| !pivots.contains(c))
        .map(|free| {
            let mut vector = vec![zero.clone(); columns];
            vector[free].clone_from(&previous);
            for (row, pivot) in pivots.iter().enumerate() {
                vector[*pivot] = -matrix[row][free].clone();
            }
            vector
        })
        .collect();
    (basis, pivots)
}

#[cfg(test)]
mod tests {
    use super::null_space;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn null_vectors_are_null_and_as_many_as_they_must(
            entries in prop::collection::vec(-3i64..4, 20),
            copies in 0usize..4,
        ) {
            let mut matrix: Vec<Vec<BigInt>> =
                entries.chunks(5).map(|r| r.iter().map(|v| BigInt::from(*v)).collect()).collect();
            for k in 0..copies {
                matrix[k] = matrix[3].iter().map(|v| v * (k + 1)).collect();
            }
            let (basis, pivots) = null_space(matrix.clone(), 5);
            prop_assert_eq!(basis.len() + pivots.len(), 5);
            prop_assert!(pivots.len() <= 4 - copies);
            for vector in &basis {
                prop_assert!(vector.iter().any(|v| *v != BigInt::default()));
                for row in &matrix {
                    let total: BigInt = row.iter().zip(vector).map(|(a, b)| a * b).sum();
                    prop_assert_eq!(total, BigInt::default());
                }
            }
        }
    }
}
