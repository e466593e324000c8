//! Wolfe's method on integers: no rounding, so that it always ends, and with the truth.
//!
//! The same method as `geometry::wolfe`, each step in exact rationals kept as integers with a common
//! denominator. It costs what big integers cost, and is called only where floating point has failed, on
//! sets of tens of columns.

use super::elimination::null_space;
use super::modular::{PRIMES, independent_rows};
use num_bigint::{BigInt, Sign};

/// `point = Σ weights_i · row_i` over `support`, weights positive: a multiple of the nearest point.
#[derive(Debug)]
pub struct ExactNearest {
    pub support: Vec<usize>,
    pub weights: Vec<BigInt>,
    /// Zero throughout if the origin is in the hull.
    pub point: Vec<BigInt>,
}

fn dot(a: &[BigInt], b: &[BigInt]) -> BigInt {
    a.iter().zip(b).filter(|(x, y)| x.sign() != Sign::NoSign && y.sign() != Sign::NoSign).map(|(x, y)| x * y).sum()
}

fn is_zero(v: &BigInt) -> bool {
    v.sign() == Sign::NoSign
}

/// Rows of a start that are affinely independent (proved modulo a prime).
fn independent(rows: &[Vec<BigInt>], start: &[usize]) -> Vec<usize> {
    let prime = PRIMES[0];
    let modulus = BigInt::from(prime);
    let reduced: Vec<Vec<u64>> = start
        .iter()
        .map(|i| {
            let residue = |v: &BigInt| {
                let rest = v % &modulus;
                let rest = if rest.sign() == Sign::Minus { rest + &modulus } else { rest };
                rest.iter_u64_digits().next().unwrap_or(0)
            };
            rows[*i].iter().map(residue).chain([1]).collect()
        })
        .collect();
    independent_rows(&reduced, prime).rows.into_iter().map(|k| start[k]).collect()
}

/// The nearest point of the hull of the rows to the origin; with `decide`, any point that shows whether the
/// origin is in the hull. None where the caller asks to stop.
pub fn nearest(
    rows: &[Vec<BigInt>],
    start: &[usize],
    decide: bool,
    stop: &mut dyn FnMut() -> bool,
) -> Option<ExactNearest> {
    let width = rows.first()?.len();
    let mut support = independent(rows, start);
    if support.is_empty() {
        support.push((0..rows.len()).min_by_key(|i| dot(&rows[*i], &rows[*i]))?);
    }
    let mut weights = vec![BigInt::from(1); support.len()];
    loop {
        settle(rows, &mut support, &mut weights, stop)?;
        let mut point = vec![BigInt::default(); width];
        for (i, weight) in support.iter().zip(&weights) {
            point.iter_mut().zip(&rows[*i]).for_each(|(p, v)| *p += weight * v);
        }
        if point.iter().all(is_zero) {
            return Some(ExactNearest { support, weights, point });
        }
        let total: BigInt = weights.iter().sum();
        let square = dot(&point, &point);
        // With p = point/total: z·p < p·p  ⇔  (z·point)·total < point·point.
        let (lowest, product) = rows.iter().map(|row| dot(row, &point)).enumerate().min_by(|a, b| a.1.cmp(&b.1))?;
        let enough = if decide { product.sign() == Sign::Plus } else { product * total >= square };
        if enough {
            return Some(ExactNearest { support, weights, point });
        }
        support.push(lowest);
        weights.push(BigInt::default());
    }
}

/// Wolfe's inner loop.
fn settle(
    rows: &[Vec<BigInt>],
    support: &mut Vec<usize>,
    weights: &mut Vec<BigInt>,
    stop: &mut dyn FnMut() -> bool,
) -> Option<()> {
    loop {
        if stop() {
            return None;
        }
        // (G | −1)(v, μ) = 0: the point Σ v z has the same product with every row of the support.
        let system: Vec<Vec<BigInt>> = support
            .iter()
            .map(|i| support.iter().map(|j| dot(&rows[*i], &rows[*j])).chain([BigInt::from(-1)]).collect())
            .collect();
        let mut towards = null_space(system, support.len() + 1).0.pop()?;
        towards.pop();
        let mut towards_total: BigInt = towards.iter().sum();
        if towards_total.sign() == Sign::Minus {
            towards.iter_mut().for_each(|v| *v = -&*v);
            towards_total = -towards_total;
        }
        let total: BigInt = weights.iter().sum();
        // The step to each bound, weight·T / (weight·T − v·W), as numerator and positive denominator.
        let mut step: Option<(BigInt, BigInt)> = None;
        for (weight, v) in weights.iter().zip(&towards) {
            if v.sign() != Sign::Plus {
                let numerator = weight * &towards_total;
                let denominator = &numerator - v * &total;
                if step.as_ref().is_none_or(|(n, d)| &numerator * d < n * &denominator) {
                    step = Some((numerator, denominator));
                }
            }
        }
        let Some((a, b)) = step else {
            *weights = towards;
            return Some(());
        };
        // λ + (a/b)(v − λ), scaled by the common denominator.
        let rest = (&b - &a) * &towards_total;
        let gain = a * &total;
        for (weight, v) in weights.iter_mut().zip(&towards) {
            *weight = &*weight * &rest + v * &gain;
        }
        let keep: Vec<bool> = weights.iter().map(|w| w.sign() == Sign::Plus).collect();
        let mut kept = keep.iter();
        support.retain(|_| kept.next().copied().unwrap_or(false));
        weights.retain(|w| w.sign() == Sign::Plus);
    }
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_point_is_nearest(entries in prop::collection::vec(-3i64..4, 24), decide in any::<bool>()) {
            let rows: Vec<Vec<BigInt>> =
                entries.chunks(3).map(|r| r.iter().map(|v| BigInt::from(*v)).collect()).collect();
            let found = nearest(&rows, &[0, 1, 2, 3, 4], decide, &mut || false).unwrap();
            let zero = BigInt::default();
            prop_assert!(found.weights.iter().all(|w| *w > zero) && found.support.len() <= 4);
            for c in 0..3 {
                let total: BigInt = found.support.iter().zip(&found.weights).map(|(i, w)| &rows[*i][c] * w).sum();
                prop_assert_eq!(&total, &found.point[c]);
            }
            let weight: BigInt = found.weights.iter().sum();
            let square: BigInt = found.point.iter().map(|p| p * p).sum();
            for row in &rows {
                let product: BigInt = row.iter().zip(&found.point).map(|(a, b)| a * b).sum();
                if decide {
                    prop_assert!(square == zero || product > zero);
                } else {
                    prop_assert!(product * &weight >= square);
                }
            }
        }
    }
}
