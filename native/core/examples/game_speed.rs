//! Nanoseconds per number of one pass of the Perceptron's game over rows in memory, by engine.
//!
//!     cargo run --release -p separatrix-core --example game_speed
//!
//! The least of many short runs: what the code takes when nobody else wants the processor.

use std::time::Instant;

use separatrix_core::game::{AnyGame, Order, Passes};
use separatrix_core::learner::{Label, Learner};
use separatrix_core::rows::{DenseRows, Engine, Rows, SparseRows};
use separatrix_core::rules::{RuleSettings, Settings, Tie};

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 53) as f64
}

fn time<X: Rows>(name: &str, rows: &X, labels: &[usize], numbers: usize) {
    let settings = Settings {
        rule: RuleSettings::Perceptron,
        bias: true,
        normalize: false,
        tie: Tie::Mistake,
        memory_limit: 1 << 30,
    };
    let (mut best, mut mistakes) = (f64::INFINITY, 0);
    for _ in 0..60 {
        let Ok(mut learner) = Learner::new(settings) else { return };
        if learner.begin(rows.columns()).is_err()
            || learner.declare(vec![Label::Integer(0), Label::Integer(1)]).is_err()
        {
            return;
        }
        let start = Instant::now();
        let played = learner.run(rows, |row| labels[row], Order::File, Passes::Fixed(1), |_| true);
        best = best.min(start.elapsed().as_secs_f64());
        assert!(played.is_ok());
        mistakes = learner.game().map_or(0, |game: &AnyGame| game.counters().mistakes);
    }
    println!("{name:<28} {:7.3} ns a number   {mistakes} mistakes", best * 1e9 / numbers as f64);
}

fn main() {
    let mut state = 1;
    let (n, d) = (20_000, 100);
    let target: Vec<f64> = (0..d).map(|_| random(&mut state) - 0.5).collect();
    let dense: Vec<f32> = (0..n * d).map(|_| (random(&mut state) - 0.5) as f32).collect();
    let labels: Vec<usize> = dense
        .chunks(d)
        .map(|row| {
            usize::from(
                (row.iter().zip(&target).map(|(x, w)| f64::from(*x) * w).sum::<f64>() > 0.0)
                    != (random(&mut state) < 0.05),
            )
        })
        .collect();
    for engine in Engine::available() {
        if let Some(rows) = DenseRows::new(&dense, n, d) {
            time(&format!("dense f32 {engine:?}"), &rows.with(engine), &labels, n * d);
        }
    }
    let (n, d, each) = (5_000, 47_236, 73);
    let (mut starts, mut indices, mut values) = (vec![0usize], Vec::new(), Vec::new());
    for _ in 0..n {
        let mut row: Vec<u32> =
            (0..each).map(|_| ((d as f64).powf(random(&mut state)) as u32 * 7919) % d as u32).collect();
        row.sort_unstable();
        row.dedup();
        values.extend(row.iter().map(|_| random(&mut state) as f32 + 0.01));
        indices.extend(row.iter().map(|i| *i as i32));
        starts.push(indices.len());
    }
    let target: Vec<f64> = (0..d).map(|_| random(&mut state) - 0.5).collect();
    let labels: Vec<usize> = starts
        .windows(2)
        .map(|r| (r[0]..r[1]).map(|k| target[indices[k] as usize] * f64::from(values[k])).sum::<f64>())
        .map(|s| usize::from((s > 0.0) != (random(&mut state) < 0.05)))
        .collect();
    let doubles: Vec<f64> = values.iter().map(|v| f64::from(*v)).collect();
    for engine in Engine::available() {
        if let Ok(rows) = SparseRows::new(&starts, &indices, &values, d) {
            time(&format!("sparse f32 {engine:?}"), &rows.with(engine), &labels, values.len());
        }
        if let Ok(rows) = SparseRows::new(&starts, &indices, &doubles, d) {
            time(&format!("sparse f64 {engine:?}"), &rows.with(engine), &labels, values.len());
        }
    }
    let start = Instant::now();
    let checked = (0..50)
        .filter(|_| SparseRows::new(&starts, &indices, &values, d).is_ok_and(|rows| rows.check(0..n).is_ok()))
        .count();
    println!(
        "checking sparse rows         {:7.3} ns a number",
        start.elapsed().as_secs_f64() * 1e9 / 50.0 / values.len() as f64
    );
    assert_eq!(checked, 50);
}
