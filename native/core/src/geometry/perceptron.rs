//! A Perceptron over the rows in file order: often the cheapest proof that they are separable.

use super::rows::SignedRows;

/// Passes until one is clean, or until `passes` are done or the caller asks to stop. The weights, and
/// whether the last pass was clean (in doubles: the caller proves what is claimed).
pub fn perceptron(z: &SignedRows, passes: usize, stop: &mut dyn FnMut() -> bool) -> (Vec<f64>, bool) {
    let mut w = vec![0.0; z.width()];
    for _ in 0..passes {
        let mut mistakes = 0usize;
        for row in 0..z.len() {
            if z.dot(row, &w) <= 0.0 {
                z.add_to(row, 1.0, &mut w);
                mistakes += 1;
            }
        }
        if mistakes == 0 {
            return (w, true);
        }
        if stop() {
            break;
        }
    }
    (w, false)
}
