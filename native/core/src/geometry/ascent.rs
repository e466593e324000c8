//! Dual coordinate ascent: the margin of large sparse data that is separable, where active sets grow too large.
//!
//! ```text
//! max_α  Σ α_i − ½‖Σ α_i z_i‖²,  α ≥ 0                     (the dual of min ½‖w‖²: z_i·w ≥ 1)
//! repeat, over rows in random order:
//!     α_i ← max(0, α_i + (1 − z_i·w)/‖z_i‖²),  w moves along
//! ```
//!
//! Source: Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual coordinate descent method for large-scale
//! linear SVM", ICML 2008, without a bound on α. Departure: rows that are far from active sit out until the
//! others are clean.

use super::rows::SignedRows;

/// Where an ascent ended: `w = Σ α_i z_i`.
pub struct Ascent {
    pub w: Vec<f64>,
    pub alpha: Vec<f64>,
}

/// Ascends until the margin of `w` is within `gap` (relative) of the bound that α gives, `passes` are done, or the
/// caller asks to stop. Whether `w` separates is for the caller to prove.
pub fn ascend(z: &SignedRows, gap: f64, passes: usize, stop: &mut dyn FnMut() -> bool) -> Ascent {
    let squares: Vec<f64> = (0..z.len()).map(|i| z.square(i)).collect();
    let mut alpha = vec![0.0; z.len()];
    let mut w = vec![0.0; z.width()];
    let mut order: Vec<usize> = (0..z.len()).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut active = order.len();
    let mut clean = false;
    for pass in 1..=passes {
        let mut active_clean = true;
        let mut at = 0;
        while at < active {
            // Xorshift: any order that is no pattern will do, and the same one each time.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let other = at + (state % (active - at) as u64) as usize;
            order.swap(at, other);
            let row = order[at];
            let product = z.dot(row, &w);
            active_clean &= product > 0.0;
            if alpha[row] == 0.0 && product > 2.0 {
                // It sits out, behind the active ones.
                active -= 1;
                order.swap(at, active);
                continue;
            }
            // A row whose square underflows to 0, or overflows, has no step that doubles can say.
            let raised = f64::max(0.0, alpha[row] + (1.0 - product) / squares[row]);
            if raised != alpha[row] && raised.is_finite() {
                z.add_to(row, raised - alpha[row], &mut w);
                alpha[row] = raised;
            }
            at += 1;
        }
        if (active_clean && !clean) || pass % 8 == 0 || active == 0 {
            // A product that is not a number is on no side: f64::min would pass over it.
            let lower = |least: f64, product: f64| if product > 0.0 { least.min(product) } else { 0.0 };
            let least = (0..z.len()).map(|i| z.dot(i, &w)).fold(f64::INFINITY, lower);
            clean = least > 0.0;
            active = order.len();
            // min z·w/‖w‖ ≤ γ* ≤ ‖w‖/Σα.
            let square: f64 = w.iter().map(|v| v * v).sum();
            if clean && least * alpha.iter().sum::<f64>() >= (1.0 - gap) * square {
                break;
            }
        }
        if stop() {
            break;
        }
    }
    Ascent { w, alpha }
}

#[cfg(test)]
mod tests {
    use super::ascend;
    use crate::geometry::rows::SignedRows;
    use crate::matrix::Matrix;

    #[test]
    fn it_separates_and_finds_the_margin() {
        let values = [3.0, 4.0, 0.0, 0.0];
        let matrix = Matrix::dense(&values, 2, 2).unwrap();
        let z = SignedRows { matrix: &matrix, signs: &[1.0, -1.0], bias: true };
        let found = ascend(&z, 1e-9, 10_000, &mut || false);
        let norm = found.w.iter().map(|v| v * v).sum::<f64>().sqrt();
        let least = (0..2).map(|i| z.dot(i, &found.w)).fold(f64::INFINITY, f64::min);
        assert!((least / norm - (25.0f64 / 29.0).sqrt()).abs() < 1e-6);
        let z = SignedRows { matrix: &matrix, signs: &[1.0, -1.0], bias: false };
        let found = ascend(&z, 1.0, 10, &mut || false);
        assert!(z.dot(1, &found.w) <= 0.0, "a zero row is on no side");
    }
}
