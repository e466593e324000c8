//! In which order rows in memory are shown, and when a run ends.

use super::{Game, Refusal, check};
use crate::rows::{Rows, Tidy};
use crate::rules::Rule;

/// In which order the rows of a pass are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As they stand.
    File,
    /// Each pass in a new order drawn from the seed.
    Shuffle { seed: u64 },
    /// Always the first row that is still misclassified, until there is none.
    Misclassified,
}

/// When a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passes {
    Fixed(u64),
    /// At the first pass without a mistake, or after `limit` passes.
    UntilClean {
        limit: u64,
    },
}

impl Passes {
    #[must_use]
    pub fn limit(self) -> u64 {
        match self {
            Passes::Fixed(n) => n,
            Passes::UntilClean { limit } => limit,
        }
    }

    /// Whether the run is over after this many passes, the last of them with so many mistakes.
    #[must_use]
    pub fn over(self, passes: u64, mistakes: u64) -> bool {
        passes >= self.limit() || (mistakes == 0 && matches!(self, Passes::UntilClean { .. }))
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Played {
    /// The clean one counted.
    pub passes: u64,
    /// The last pass made no mistake.
    pub clean: bool,
    /// Someone asked to stop.
    pub stopped: bool,
}

/// Why a run ended early: a row was refused.
pub type Stop = (usize, Refusal);

/// A fresh order for each pass, drawn by Fisher and Yates from SplitMix64, so that the same seed shows
/// the same rows on every machine and in every version.
pub struct Shuffle {
    state: u64,
    pub order: Vec<u32>,
}

impl Shuffle {
    #[must_use]
    pub fn new(seed: u64, rows: usize) -> Self {
        Shuffle { state: seed, order: (0..rows as u32).collect() }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Draws the next pass's order.
    pub fn draw(&mut self) {
        for last in (1..self.order.len()).rev() {
            // The high half of a 128-bit product: a number from 0 to `last`, as good as fair.
            let at = ((u128::from(self.next()) * (last as u128 + 1)) >> 64) as usize;
            self.order.swap(last, at);
        }
    }
}

impl<R: Rule> Game<R> {
    /// Plays passes over rows in memory. `go_on` is asked every now and then.
    pub fn run<X: Rows>(
        &mut self,
        rows: &X,
        class_of: impl Fn(usize) -> usize,
        order: Order,
        passes: Passes,
        mut go_on: impl FnMut(&Self) -> bool,
    ) -> Result<Played, Stop> {
        let mut room = Tidy::default();
        self.rule.grow(rows.columns());
        let mut played = Played::default();
        if order != Order::File {
            check(rows, 0..rows.len())?;
        }
        if order == Order::Misclassified {
            return self.run_misclassified(rows, class_of, passes, go_on);
        }
        let mut shuffle = match order {
            Order::Shuffle { seed } => Some(Shuffle::new(seed, rows.len())),
            _ => None,
        };
        // Rows between two questions: a fraction of a second, whatever the rows' length.
        let stretch = 4096;
        let mut until_asked = stretch;
        while played.passes < passes.limit() {
            let before = self.counters.mistakes;
            if let Some(shuffle) = &mut shuffle {
                shuffle.draw();
            }
            let mut from = 0;
            while from < rows.len() {
                let to = rows.len().min(from + until_asked);
                match &shuffle {
                    None => self.play(rows, from..to, &class_of, &mut room)?,
                    Some(shuffle) => {
                        for at in &shuffle.order[from..to] {
                            let at = *at as usize;
                            self.round(&rows.row(at), class_of(at), &mut room).map_err(|refusal| (at, refusal))?;
                        }
                    }
                }
                until_asked -= to - from;
                from = to;
                if until_asked == 0 {
                    until_asked = stretch;
                    if !go_on(self) {
                        played.stopped = true;
                        return Ok(played);
                    }
                }
            }
            played.passes += 1;
            let mistakes = self.counters.mistakes - before;
            played.clean = mistakes == 0;
            if passes.over(played.passes, mistakes) {
                break;
            }
        }
        Ok(played)
    }

    /// Shows the first misclassified row again and again. Every round is a mistake; one pass is as many
    /// rounds as there are rows, so that a limit on passes means the same as in file order.
    fn run_misclassified<X: Rows>(
        &mut self,
        rows: &X,
        class_of: impl Fn(usize) -> usize,
        passes: Passes,
        mut go_on: impl FnMut(&Self) -> bool,
    ) -> Result<Played, Stop> {
        let mut room = Tidy::default();
        let most = passes.limit().saturating_mul(rows.len() as u64);
        let start = self.counters.rounds;
        let played = |rounds: u64, clean, stopped| Played {
            passes: rounds.div_ceil((rows.len() as u64).max(1)).max(1),
            clean,
            stopped,
        };
        loop {
            let shown = self.counters.rounds - start;
            let mut at = 0;
            while at < rows.len()
                && !self.would_err(&rows.row(at), class_of(at), &mut room).map_err(|refusal| (at, refusal))?
            {
                at += 1;
                if at % 4096 == 0 && !go_on(self) {
                    return Ok(played(shown, false, true));
                }
            }
            if at == rows.len() || shown >= most {
                return Ok(played(shown, at == rows.len(), false));
            }
            self.round(&rows.row(at), class_of(at), &mut room).map_err(|refusal| (at, refusal))?;
            if shown % 4096 == 4095 && !go_on(self) {
                return Ok(played(shown + 1, false, true));
            }
        }
    }
}
