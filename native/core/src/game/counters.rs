//! What is counted while the game is played.

use serde::{Deserialize, Serialize};

/// The counters of a learner since its first round. Norms are those of the vectors played on: after
/// normalisation, with the bias's 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counters {
    pub rounds: u64,
    pub mistakes: u64,
    pub mistakes_by_class: Vec<u64>,
    /// R², the largest ‖x‖² over all rounds.
    pub radius_squared: f64,
    /// Σ‖x‖² over the mistakes.
    pub squared_norms: f64,
    /// The largest ‖x‖_p over the mistakes, where the rule's bound speaks of another norm.
    pub radius_p: f64,
    /// (round, mistakes so far) at rounds 1, 2, 4, 8, …
    pub curve: Vec<(u64, u64)>,
    next_mark: u64,
}

impl Counters {
    #[must_use]
    pub fn new(classes: usize) -> Self {
        Counters {
            rounds: 0,
            mistakes: 0,
            mistakes_by_class: vec![0; classes],
            radius_squared: 0.0,
            squared_norms: 0.0,
            radius_p: 0.0,
            curve: Vec::new(),
            next_mark: 1,
        }
    }

    #[inline(always)]
    pub(super) fn count(&mut self, class: usize, mistake: bool, squares: f64) {
        self.rounds += 1;
        if squares > self.radius_squared {
            self.radius_squared = squares;
        }
        if mistake {
            self.mistakes += 1;
            self.mistakes_by_class[class] += 1;
            self.squared_norms += squares;
        }
        if self.rounds == self.next_mark {
            self.mark();
        }
    }

    #[cold]
    fn mark(&mut self) {
        self.curve.push((self.rounds, self.mistakes));
        self.next_mark = self.next_mark.saturating_mul(2);
    }

    pub(super) fn see_norm(&mut self, norm: f64) {
        self.radius_p = self.radius_p.max(norm);
    }

    /// Whether these counters could have been counted: for files that come from outside.
    #[must_use]
    pub fn sound(&self, classes: usize) -> bool {
        let finite = |v: f64| v.is_finite() && v >= 0.0;
        let sum = self.mistakes_by_class.iter().try_fold(0u64, |sum, m| sum.checked_add(*m));
        self.mistakes_by_class.len() == classes
            && sum == Some(self.mistakes)
            && self.mistakes <= self.rounds
            && finite(self.radius_squared)
            && finite(self.squared_norms)
            && finite(self.radius_p)
            && self.next_mark > self.rounds
            && self.curve.len() <= 64
            && self.curve.iter().all(|(round, mistakes)| mistakes <= round && *round <= self.rounds)
    }
}
