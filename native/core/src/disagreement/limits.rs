//! When a search ends before its proof does.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Time, the caller's wish to stop, and how many threads may work until then.
pub struct Limits<'a> {
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
    pub threads: usize,
}

impl Limits<'_> {
    #[must_use]
    pub fn reached(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}
