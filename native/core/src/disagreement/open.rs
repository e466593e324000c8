//! What a branch and bound has left to look at.

use std::collections::BTreeMap;

use super::weights::Weight;

/// Open parts of a search by bound, and by the order of their making.
pub struct Open<T> {
    parts: BTreeMap<(Weight, u64), T>,
    made: u64,
    /// The least bound of what could not be resolved at all.
    stuck: Option<Weight>,
}

impl<T> Open<T> {
    #[must_use]
    pub fn new() -> Self {
        Open { parts: BTreeMap::new(), made: 0, stuck: None }
    }

    pub fn push(&mut self, bound: Weight, part: T) {
        self.made += 1;
        self.parts.insert((bound, self.made), part);
    }

    /// Up to `count` parts of the lowest bounds, none of `best` or more; of the highest, so that the search
    /// goes deep first, while more than `most` are open.
    pub fn take(&mut self, count: usize, most: usize, best: Weight) -> Vec<(Weight, T)> {
        let mut taken = Vec::new();
        while taken.len() < count {
            let deep = self.parts.len() > most;
            let next = if deep { self.parts.pop_last() } else { self.parts.pop_first() };
            let Some(((bound, _), part)) = next else { break };
            if bound < best {
                taken.push((bound, part));
            }
        }
        taken
    }

    /// A part of this bound could not be resolved.
    pub fn give_up(&mut self, bound: Weight) {
        self.stuck = Some(self.stuck.map_or(bound, |s| s.min(bound)));
    }

    /// Forgets what an incumbent of so many errors beats.
    pub fn cut(&mut self, errors: Weight) {
        drop(self.parts.split_off(&(errors, 0)));
        if self.stuck.is_some_and(|s| s >= errors) {
            self.stuck = None;
        }
    }

    /// No cell has fewer errors than this, or than the incumbent.
    #[must_use]
    pub fn bound(&self) -> Option<Weight> {
        self.parts.keys().next().map(|k| k.0).into_iter().chain(self.stuck).min()
    }

    #[must_use]
    pub fn is_done(&self) -> bool {
        self.parts.is_empty()
    }
}
