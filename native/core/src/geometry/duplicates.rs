//! Conflicts that need no search: a zero row, or two rows that point opposite ways.

use super::rows::SignedRows;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Mixes a word into a running hash: one multiplication, as data sets are large and not hostile to it.
#[inline]
fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// The hash of `x_i` (without sign or bias), and whether it is zero throughout. Dense rows mix four lanes.
fn hash(z: &SignedRows, row: usize) -> (u64, bool) {
    let (indices, values) = z.entries(row);
    let mut zero = true;
    let mut total = 0;
    let mut take = |lane: u64, index: usize, value: f64| {
        zero &= value == 0.0;
        // Zeros, stored or not, of either sign, must not count.
        if value == 0.0 { lane } else { mix(mix(lane, value.to_bits()), index as u64) }
    };
    match indices {
        Some(indices) => {
            for (j, v) in indices.iter().zip(values) {
                total = take(total, *j as usize, *v);
            }
        }
        None => {
            for (j, v) in values.iter().enumerate() {
                total = take(total, j, *v);
            }
        }
    }
    (total, zero)
}

fn same(z: &SignedRows, a: usize, b: usize) -> bool {
    let nonzero = |row: usize| {
        let mut entries = Vec::new();
        z.matrix.for_each_entry(row, |j, v| {
            if v != 0.0 {
                entries.push((j, v));
            }
        });
        entries
    };
    nonzero(a) == nonzero(b)
}

/// A row that no hyperplane puts on its positive side (zero, without bias), or else two equal rows with
/// different labels; the first found in row order.
#[must_use]
pub fn plain_conflict(z: &SignedRows) -> Option<Vec<usize>> {
    let mut seen: HashMap<u64, (usize, Option<usize>)> = HashMap::with_capacity(z.len());
    for row in 0..z.len() {
        let (hash, zero) = hash(z, row);
        if zero && !z.bias {
            return Some(vec![row]);
        }
        // For each hash the first row of each sign.
        match seen.entry(hash) {
            Entry::Vacant(place) => {
                place.insert((row, None));
            }
            Entry::Occupied(mut place) => {
                let (first, other) = *place.get();
                if z.signs[first] != z.signs[row] {
                    if same(z, first, row) {
                        return Some(vec![first, row]);
                    }
                    place.insert((first, other.or(Some(row))));
                } else if let Some(other) = other
                    && same(z, other, row)
                {
                    return Some(vec![other, row]);
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::plain_conflict;
    use crate::geometry::rows::SignedRows;
    use crate::matrix::Matrix;

    #[test]
    fn zeros_and_contradictions_are_found() {
        let values = [1.0, 2.0, 0.0, -0.0, 1.0, 2.0, 0.0, 0.0];
        let matrix = Matrix::dense(&values, 4, 2).unwrap();
        let rows = |signs| SignedRows { matrix: &matrix, signs, bias: true };
        assert_eq!(plain_conflict(&rows(&[1.0, 1.0, -1.0, 1.0])), Some(vec![0, 2]));
        assert_eq!(plain_conflict(&rows(&[1.0, 1.0, 1.0, -1.0])), Some(vec![1, 3]));
        assert_eq!(plain_conflict(&rows(&[1.0, 1.0, 1.0, 1.0])), None);
        let bare = SignedRows { bias: false, ..rows(&[1.0, 1.0, 1.0, 1.0]) };
        assert_eq!(plain_conflict(&bare), Some(vec![1]));
        let sparse = Matrix::sparse(&[0, 2, 3, 4], &[0, 2, 0, 0], &[1.0, 0.0, 1.0, 2.0], 3).unwrap();
        let rows = SignedRows { matrix: &sparse, signs: &[1.0, -1.0, 1.0], bias: false };
        assert_eq!(plain_conflict(&rows), Some(vec![0, 1]), "a stored zero is a zero");
    }
}
