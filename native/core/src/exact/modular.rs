//! Linear algebra modulo a prime, to learn ranks cheaply and to start p-adic lifting.

/// A prime below 2^28: products stay below 2^56, so that 256 of them add up in 64 bits.
pub const PRIMES: [u64; 4] = [268_435_399, 268_435_367, 268_435_361, 268_435_337];

/// `base^exponent mod prime`.
fn power(mut base: u64, mut exponent: u64, prime: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * base % prime;
        }
        base = base * base % prime;
        exponent >>= 1;
    }
    result
}

/// `1/value mod prime`; `value` must not be 0.
#[must_use]
pub fn inverse(value: u64, prime: u64) -> u64 {
    power(value, prime - 2, prime)
}

/// Rows and columns that a rank decomposition modulo a prime selects.
pub struct Pivots {
    /// Rows of the input that are independent modulo the prime, each with the column it was pivoted on.
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

/// `row += factor · other`, modulo the prime; `factor < prime`.
#[inline]
fn add_multiple(row: &mut [u64], factor: u64, other: &[u64], prime: u64) {
    // Barrett's quotient in doubles: exact to one unit for values below 2^56.
    let reciprocal = 1.0 / prime as f64;
    for (r, o) in row.iter_mut().zip(other) {
        let value = *r + factor * o;
        let quotient = (value as i64 as f64 * reciprocal) as i64;
        let mut rest = value as i64 - quotient * prime as i64;
        rest += (rest >> 63) & prime as i64;
        rest -= prime as i64;
        rest += (rest >> 63) & prime as i64;
        *r = rest as u64;
    }
}

/// Independent rows, found one by one (each reduced by those before it).
#[must_use]
pub fn independent_rows(rows: &[Vec<u64>], prime: u64) -> Pivots {
    let mut pivots = Pivots { rows: Vec::new(), columns: Vec::new() };
    let mut basis: Vec<Vec<u64>> = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        let mut row = row.clone();
        for (known, column) in basis.iter().zip(&pivots.columns) {
            let factor = row[*column];
            if factor != 0 {
                add_multiple(&mut row, prime - factor, known, prime);
            }
        }
        let Some(column) = row.iter().position(|v| *v != 0) else { continue };
        let scale = inverse(row[column], prime);
        row.iter_mut().for_each(|v| *v = *v * scale % prime);
        basis.push(row);
        pivots.rows.push(i);
        pivots.columns.push(column);
    }
    pivots
}

/// The inverse of a square matrix modulo a prime, by rows; none where it is singular.
#[must_use]
pub fn inverse_matrix(mut matrix: Vec<Vec<u64>>, prime: u64) -> Option<Vec<Vec<u64>>> {
    let size = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.resize(2 * size, 0);
        row[size + i] = 1;
    }
    for k in 0..size {
        let pivot = (k..size).find(|r| matrix[*r][k] != 0)?;
        matrix.swap(k, pivot);
        let scale = inverse(matrix[k][k], prime);
        matrix[k].iter_mut().for_each(|v| *v = *v * scale % prime);
        let chosen = std::mem::take(&mut matrix[k]);
        for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[k];
            if factor != 0 {
                // Columns before k are done, columns beyond size + k (of the inverse, in pivoted
                // order) may be anything: all from k on take part.
                add_multiple(&mut row[k..], prime - factor, &chosen[k..], prime);
            }
        }
        matrix[k] = chosen;
    }
    Some(matrix.into_iter().map(|row| row[size..].to_vec()).collect())
}

/// `matrix · vector` modulo the prime.
#[must_use]
pub fn multiply(matrix: &[Vec<u64>], vector: &[u64], prime: u64) -> Vec<u64> {
    matrix
        .iter()
        .map(|row| {
            let mut total = 0;
            for (r, v) in row.chunks(128).zip(vector.chunks(128)) {
                total = (total + r.iter().zip(v).map(|(a, b)| a * b).sum::<u64>()) % prime;
            }
            total
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{PRIMES, independent_rows, inverse_matrix, multiply};
    use proptest::prelude::*;

    #[test]
    fn the_primes_are_primes() {
        for p in PRIMES {
            assert!(p < 1 << 28);
            assert!((2..).take_while(|q| q * q <= p).all(|q| p % q != 0), "{p}");
        }
    }

    proptest! {
        #[test]
        fn an_inverse_inverts(seed in prop::collection::vec(0u64..268_435_399, 36), x in prop::collection::vec(0u64..1000, 6)) {
            let prime = PRIMES[0];
            let matrix: Vec<Vec<u64>> = seed.chunks(6).map(<[u64]>::to_vec).collect();
            if let Some(inverse) = inverse_matrix(matrix.clone(), prime) {
                prop_assert_eq!(multiply(&inverse, &multiply(&matrix, &x, prime), prime), x);
            }
        }

        #[test]
        fn dependent_rows_are_left_out(a in prop::collection::vec(0u64..5, 4), b in prop::collection::vec(0u64..5, 4)) {
            let sum: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
            let pivots = independent_rows(&[a, b, sum], PRIMES[1]);
            prop_assert!(pivots.rows.len() <= 2);
            prop_assert!(!pivots.rows.contains(&2) || pivots.rows.len() < 3);
        }
    }
}
