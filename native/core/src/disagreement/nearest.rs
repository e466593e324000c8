//! T11 in doubles: Wolfe's method for the point of `conv{z_i}` nearest to the origin.
//!
//! Its answer is a proposal: a direction is verified by exact signs, a conflict in exact arithmetic.

use super::Limits;

/// What the nearest point shows.
pub enum Nearest {
    /// A direction that is positive on every row, as far as doubles tell.
    Separates(Vec<f64>),
    /// Rows whose convex hull holds the origin, as far as doubles tell.
    Conflict(Vec<usize>),
    /// The iterations or the time ran out.
    Unclear,
}

/// `rows` gives `count` rows of width `m`; they are normalised here.
#[must_use]
pub fn nearest_point<'a>(
    m: usize,
    count: usize,
    row: impl Fn(usize) -> &'a [f64],
    iterations: usize,
    limits: &Limits,
) -> Nearest {
    if count == 0 {
        return Nearest::Unclear;
    }
    let norms: Vec<f64> = (0..count).map(|i| norm(row(i))).collect();
    let inverse = |i: usize| if norms[i] > 0.0 { 1.0 / norms[i] } else { 0.0 };
    let mut corral: Vec<usize> = vec![0];
    let mut weights: Vec<f64> = vec![1.0];
    let mut point: Vec<f64> = row(0).iter().map(|v| v * inverse(0)).collect();
    for _ in 0..iterations {
        if limits.reached() {
            break;
        }
        let square = dot(&point, &point);
        if square < 1e-26 {
            return Nearest::Conflict(corral);
        }
        let mut least = f64::INFINITY;
        let mut entering = 0;
        for i in 0..count {
            let value = dot(row(i), &point) * inverse(i);
            if value < least {
                least = value;
                entering = i;
            }
        }
        if least >= square * (1.0 - 1e-6) || (corral.contains(&entering) && least > 0.0) {
            return Nearest::Separates(point);
        }
        if corral.contains(&entering) {
            return if square < 1e-18 { Nearest::Conflict(corral) } else { Nearest::Unclear };
        }
        corral.push(entering);
        weights.push(0.0);
        loop {
            let Some(affine) = affine_minimiser(m, &corral, |i| row(i), &norms) else {
                // The newcomer depends on the corral in doubles: take the lightest old one out.
                let lightest = (0..corral.len() - 1).min_by(|a, b| weights[*a].total_cmp(&weights[*b]));
                let Some(at) = lightest else { return Nearest::Unclear };
                corral.remove(at);
                weights.remove(at);
                continue;
            };
            if affine.iter().all(|a| *a > 1e-12) {
                weights = affine;
                break;
            }
            let mut step = 1.0f64;
            for (w, a) in weights.iter().zip(&affine) {
                if *a <= 1e-12 && w - a > 0.0 {
                    step = step.min(w / (w - a));
                }
            }
            for (w, a) in weights.iter_mut().zip(&affine) {
                *w += step * (a - *w);
            }
            let before = corral.len();
            let mut k = 0;
            while k < corral.len() {
                if weights[k] <= 1e-12 {
                    corral.remove(k);
                    weights.remove(k);
                } else {
                    k += 1;
                }
            }
            if corral.is_empty() || corral.len() == before {
                return Nearest::Unclear;
            }
        }
        point.fill(0.0);
        for (k, &i) in corral.iter().enumerate() {
            let factor = weights[k] * inverse(i);
            for (p, v) in point.iter_mut().zip(row(i)) {
                *p += factor * v;
            }
        }
    }
    Nearest::Unclear
}

/// The weights, of sum 1, of the point of the rows' affine hull nearest to the origin.
fn affine_minimiser<'a>(
    m: usize,
    corral: &[usize],
    row: impl Fn(usize) -> &'a [f64],
    norms: &[f64],
) -> Option<Vec<f64>> {
    // Orthogonalise (1, z_i) rows by modified Gram–Schmidt: minimise ‖Σ a z‖ over Σ a = 1 is
    // (G + 11ᵀ) a ∝ 1, whose Cholesky factor is that of the extended rows.
    let s = corral.len();
    let wide = m + 1;
    let mut q = vec![0.0; s * wide];
    let mut r = vec![0.0; s * s];
    for (k, &i) in corral.iter().enumerate() {
        let mut v = vec![0.0; wide];
        v[0] = 1.0;
        for (a, b) in v[1..].iter_mut().zip(row(i)) {
            *a = b / norms[i].max(1e-300);
        }
        let size = norm(&v);
        for _ in 0..2 {
            for t in 0..k {
                let c = dot(&q[t * wide..(t + 1) * wide], &v);
                r[t * s + k] += c;
                for (a, b) in v.iter_mut().zip(&q[t * wide..(t + 1) * wide]) {
                    *a -= c * b;
                }
            }
        }
        let length = norm(&v);
        if length < 1e-11 * size {
            return None;
        }
        r[k * s + k] = length;
        for (a, b) in q[k * wide..(k + 1) * wide].iter_mut().zip(&v) {
            *a = b / length;
        }
    }
    // Rᵀ y = 1, R a = y.
    let mut y = vec![1.0; s];
    for k in 0..s {
        for t in 0..k {
            y[k] -= r[t * s + k] * y[t];
        }
        y[k] /= r[k * s + k];
    }
    for k in (0..s).rev() {
        for t in k + 1..s {
            y[k] -= r[k * s + t] * y[t];
        }
        y[k] /= r[k * s + k];
    }
    let total: f64 = y.iter().sum();
    (total.is_finite() && total > 0.0).then(|| y.iter().map(|a| a / total).collect())
}

#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[must_use]
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicBool;

    fn run(rows: &[[f64; 2]]) -> Nearest {
        let limits = Limits { deadline: None, stop: &AtomicBool::new(false), threads: 1 };
        nearest_point(2, rows.len(), |i| &rows[i], 100, &limits)
    }

    #[test]
    fn a_direction_or_a_conflict() {
        let Nearest::Separates(w) = run(&[[1.0, 0.0], [0.0, 1.0], [1.0, -0.5]]) else { panic!("separable") };
        assert!(w[0] > 0.0 && w[1] > 0.0);
        let Nearest::Conflict(rows) = run(&[[1.0, 0.0], [-1.0, 1.0], [3.0, 1.0], [-1.0, -1.0]]) else {
            panic!("not separable")
        };
        assert!(rows.len() <= 3);
    }
}
