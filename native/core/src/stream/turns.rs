//! Several threads read and parse; one at a time, in the order of the text, visits.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::blocks::{Blocks, Next};
use super::error::Failure;
use super::ledger::Ledger;
use super::{Progress, Stream, Summary, TICK};
use crate::text::{Batch, Block, Options, Refusal, Tokenise};

/// A worker that panicked may leave a lock poisoned; what it guards is never left half-changed by us,
/// and the panic itself goes on to the caller when the threads are joined.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Reading {
    blocks: Blocks,
    /// The number of the next block.
    number: u64,
    ended: bool,
}

struct Visiting<V, E> {
    /// The number of the block whose turn it is.
    number: u64,
    ledger: Ledger,
    visit: V,
    failure: Option<Failure<E>>,
    closed: bool,
}

struct Shared<V, E> {
    options: Options,
    tokeniser: std::sync::Arc<dyn Tokenise>,
    reading: Mutex<Reading>,
    visiting: Mutex<Visiting<V, E>>,
    turned: Condvar,
    /// The index base once it is known, else [`OPEN`].
    base: AtomicU32,
    stop: AtomicBool,
    rows: AtomicU64,
    refused: AtomicU64,
    working: Mutex<usize>,
    rested: Condvar,
}

const OPEN: u32 = u32::MAX;

pub(super) fn for_each<V, E>(
    stream: Stream,
    visit: V,
    mut tick: impl FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Summary, Failure<E>>
where
    V: FnMut(&Batch) -> Result<(), E> + Send,
    E: Send,
{
    let threads = stream.options.threads;
    let bytes_read = stream.bytes_read;
    let bytes_total = stream.bytes_total;
    let shared = Shared {
        base: AtomicU32::new(stream.ledger.base().unwrap_or(OPEN)),
        options: stream.options,
        tokeniser: stream.tokeniser,
        reading: Mutex::new(Reading { blocks: stream.blocks, number: 0, ended: false }),
        visiting: Mutex::new(Visiting { number: 0, ledger: stream.ledger, visit, failure: None, closed: false }),
        turned: Condvar::new(),
        stop: AtomicBool::new(false),
        rows: AtomicU64::new(0),
        refused: AtomicU64::new(0),
        working: Mutex::new(threads),
        rested: Condvar::new(),
    };
    let mut stopped = false;
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let rest = Rest(&shared);
                shared.work();
                drop(rest);
            });
        }
        let mut working = lock(&shared.working);
        while *working > 0 {
            let waited = shared.rested.wait_timeout(working, TICK).unwrap_or_else(PoisonError::into_inner);
            working = waited.0;
            if *working > 0 && waited.1.timed_out() && !stopped {
                drop(working);
                let progress = Progress {
                    bytes_read: bytes_read.load(Ordering::Relaxed),
                    bytes_total,
                    rows: shared.rows.load(Ordering::Relaxed),
                    rows_refused: shared.refused.load(Ordering::Relaxed),
                };
                if tick(&progress).is_break() {
                    stopped = true;
                    shared.close();
                }
                working = lock(&shared.working);
            }
        }
    });
    let mut visiting = shared.visiting.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = visiting.failure {
        return Err(failure);
    }
    Ok(visiting.ledger.close(bytes_read.load(Ordering::Relaxed), stopped)?)
}

/// Counts a worker out, and lets nobody wait for one that panicked.
struct Rest<'a, V: FnMut(&Batch) -> Result<(), E>, E>(&'a Shared<V, E>);

impl<V: FnMut(&Batch) -> Result<(), E>, E> Drop for Rest<'_, V, E> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.close();
        }
        *lock(&self.0.working) -= 1;
        self.0.rested.notify_all();
    }
}

impl<V: FnMut(&Batch) -> Result<(), E>, E> Shared<V, E> {
    /// Lets the batch being visited end, and no other begin.
    fn close(&self) {
        self.stop.store(true, Ordering::Relaxed);
        lock(&self.visiting).closed = true;
        self.turned.notify_all();
    }

    fn work(&self) {
        let mut block = Block::default();
        let mut batch = Batch::new();
        let mut refused: Vec<Refusal> = Vec::new();
        loop {
            let (number, next) = {
                let mut reading = lock(&self.reading);
                if reading.ended || self.stop.load(Ordering::Relaxed) {
                    return;
                }
                let next = reading.blocks.next(&mut block, &mut || self.stop.load(Ordering::Relaxed));
                reading.ended = !matches!(next, Ok(Next::Block));
                reading.number += 1;
                (reading.number - 1, next)
            };
            match next {
                Ok(Next::Block) => {}
                Ok(Next::End | Next::Stopped) => return,
                Err(error) => {
                    if let Some(mut visiting) = self.turn(number) {
                        let error = visiting.ledger.locate(error, block.file);
                        self.fail(&mut visiting, Failure::Stream(error));
                    }
                    return;
                }
            }
            let known = match self.base.load(Ordering::Acquire) {
                OPEN => None,
                base => Ledger::rules(&self.options, Some(base)),
            };
            let rules = match known {
                Some(rules) => rules,
                None => {
                    // The base is still open: whether it is settled here is for the text to say, so the
                    // blocks before must have had their say.
                    let Some(mut visiting) = self.turn(number) else { return };
                    let rules = visiting.ledger.settle(&*self.tokeniser, &block, &mut batch);
                    self.base.store(visiting.ledger.base().unwrap_or(OPEN), Ordering::Release);
                    rules
                }
            };
            batch.clear();
            refused.clear();
            let lines = self.tokeniser.rows(&block, rules, &mut batch, &mut refused);
            let Some(mut visiting) = self.turn(number) else { return };
            if !self.visit(&mut visiting, &block, &mut batch, &refused, lines) {
                return;
            }
            visiting.number += 1;
            drop(visiting);
            self.turned.notify_all();
        }
    }

    /// Waits until it is this block's turn; `None` if the run has ended.
    fn turn(&self, number: u64) -> Option<MutexGuard<'_, Visiting<V, E>>> {
        let mut visiting = lock(&self.visiting);
        while !visiting.closed && visiting.number != number {
            visiting = self.turned.wait(visiting).unwrap_or_else(PoisonError::into_inner);
        }
        if visiting.closed { None } else { Some(visiting) }
    }

    fn visit(
        &self,
        visiting: &mut Visiting<V, E>,
        block: &Block,
        batch: &mut Batch,
        refused: &[Refusal],
        lines: u64,
    ) -> bool {
        let outcome = visiting.ledger.take(block, batch, refused, lines);
        if batch.rows() > 0
            && let Err(error) = (visiting.visit)(batch)
        {
            self.fail(visiting, Failure::Visit(error));
            return false;
        }
        self.rows.store(visiting.ledger.rows, Ordering::Relaxed);
        self.refused.store(visiting.ledger.refused, Ordering::Relaxed);
        if let Err(error) = outcome {
            self.fail(visiting, Failure::Stream(error));
            return false;
        }
        true
    }

    fn fail(&self, visiting: &mut Visiting<V, E>, failure: Failure<E>) {
        visiting.failure = Some(failure);
        visiting.closed = true;
        self.stop.store(true, Ordering::Relaxed);
        self.turned.notify_all();
    }
}
