//! Sources become batches of rows, in order, in constant memory.
//!
//! [`Stream::for_each`] hands every batch to a visitor, with one thread or several;
//! [`Stream::next_batch`] is the same by pulling. Rows, batches, errors and their order depend on the
//! text and on [`Options::block`], never on threads or on the pieces that a pipe delivers. When a run
//! stops at a row, every row before it has been handed out.
//!
//! With one thread, reading, parsing and visiting take turns on a block that stays in the processor's
//! cache. With several, each worker reads a block under a lock, parses it in parallel with the others,
//! and waits for its turn to visit; the calling thread looks after progress and stopping.

mod blocks;
mod error;
mod ledger;
mod source;
mod turns;
mod wait;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub use error::{Failure, StreamError};
pub use source::Source;

use crate::text::{BadRow, BadRows, Batch, Block, Libsvm, Options, Refusal, Tokenise};
use blocks::{Blocks, Next};
use ledger::Ledger;

/// How often the caller is told of progress and asked whether to stop.
const TICK: Duration = Duration::from_millis(50);

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read of the underlying sources, compressed as they may be.
    pub bytes_read: u64,
    /// Their total, if all are plain files.
    pub bytes_total: Option<u64>,
    pub rows: u64,
    pub rows_refused: u64,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub rows: u64,
    pub rows_refused: u64,
    /// The first few rows refused.
    pub first_bad: Vec<BadRow>,
    /// 0 or 1, as told or as found; `None` if no row had an index.
    pub index_base: Option<u32>,
    /// The largest index plus one.
    pub columns: usize,
    pub bytes: u64,
    /// Whether the caller ended it.
    pub stopped: bool,
}

/// Sources being read.
pub struct Stream {
    options: Options,
    names: Vec<String>,
    tokeniser: Arc<dyn Tokenise>,
    blocks: Blocks,
    ledger: Ledger,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
    block: Block,
    refused: Vec<Refusal>,
    /// An error to return once the rows before it have been visited.
    pending: Option<StreamError>,
    ended: bool,
}

impl Stream {
    /// Checks the sources and settings, and creates the quarantine file. Reads libsvm text.
    pub fn open(sources: Vec<Source>, options: Options) -> Result<Stream, StreamError> {
        Stream::open_as(Arc::new(Libsvm::default()), sources, options)
    }

    /// The same with another tokeniser.
    pub fn open_as(
        tokeniser: Arc<dyn Tokenise>,
        sources: Vec<Source>,
        options: Options,
    ) -> Result<Stream, StreamError> {
        for (name, value) in
            [("threads", options.threads), ("block", options.block), ("max_line_bytes", options.line_limit)]
        {
            if value == 0 {
                return Err(StreamError::Setting(format!("{name} must be at least 1, but is 0")));
            }
        }
        let names: Vec<String> = sources.iter().map(Source::name).collect();
        let mut bytes_total = Some(0u64);
        for source in &sources {
            let size = source.check()?;
            bytes_total = bytes_total.zip(size).map(|(total, size)| total.saturating_add(size));
        }
        if let BadRows::Quarantine(path) = &options.bad_rows
            && sources.iter().any(|source| source.is_file(path))
        {
            return Err(StreamError::QuarantineIsSource { name: path.display().to_string() });
        }
        let bytes_read = Arc::new(AtomicU64::new(0));
        Ok(Stream {
            blocks: Blocks::new(sources, &options, bytes_read.clone()),
            ledger: Ledger::new(&options, names.clone())?,
            options,
            names,
            tokeniser,
            bytes_read,
            bytes_total,
            block: Block::default(),
            refused: Vec::new(),
            pending: None,
            ended: false,
        })
    }

    /// What messages call each source; [`Batch::file`] counts in it.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub fn progress(&self) -> Progress {
        self.ledger.progress(self.bytes_read.load(Ordering::Relaxed), self.bytes_total)
    }

    /// Hands every batch, in order, to `visit`, on one thread at a time.
    ///
    /// `tick` is called about every 50 ms, in the calling thread; when it breaks, the run ends after
    /// the batch being visited, which counts. Batches without rows are not visited.
    pub fn for_each<E: Send>(
        mut self,
        mut visit: impl FnMut(&Batch) -> Result<(), E> + Send,
        mut tick: impl FnMut(&Progress) -> ControlFlow<()>,
    ) -> Result<Summary, Failure<E>> {
        if self.options.threads > 1 {
            return turns::for_each(self, visit, tick);
        }
        let mut batch = Batch::new();
        let mut told = Instant::now();
        let mut stopped = false;
        loop {
            if told.elapsed() >= TICK {
                told = Instant::now();
                if tick(&self.progress()).is_break() {
                    stopped = true;
                    break;
                }
            }
            let progress = self.progress();
            let look = || {
                stopped = tick(&progress).is_break();
                stopped
            };
            if !self.next_batch_or_stop(&mut batch, look)? {
                break;
            }
            visit(&batch).map_err(Failure::Visit)?;
        }
        Ok(self.close(stopped)?)
    }

    /// The next batch with rows; `false` at the end.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, StreamError> {
        self.next_batch_or_stop(batch, || false)
    }

    /// The same; when a source is silent, `stop` is asked now and then, and `true` ends the wait with
    /// `Ok(false)`. Nothing is lost: the next call goes on.
    pub fn next_batch_or_stop(
        &mut self,
        batch: &mut Batch,
        mut stop: impl FnMut() -> bool,
    ) -> Result<bool, StreamError> {
        batch.clear();
        loop {
            if let Some(error) = self.pending.take() {
                self.ended = true;
                return Err(error);
            }
            if self.ended {
                return Ok(false);
            }
            match self.blocks.next(&mut self.block, &mut stop) {
                Ok(Next::Block) => {}
                Ok(Next::End) => {
                    self.ended = true;
                    self.ledger.close(0, false)?;
                    return Ok(false);
                }
                Ok(Next::Stopped) => return Ok(false),
                Err(error) => {
                    self.ended = true;
                    return Err(self.ledger.locate(error, self.block.file));
                }
            }
            let rules = self.ledger.settle(&*self.tokeniser, &self.block, batch);
            batch.clear();
            self.refused.clear();
            let lines = self.tokeniser.rows(&self.block, rules, batch, &mut self.refused);
            self.pending = self.ledger.take(&self.block, batch, &self.refused, lines).err();
            if batch.rows() > 0 {
                return Ok(true);
            }
        }
    }

    /// What has been read so far.
    pub fn so_far(&self) -> Summary {
        self.ledger.summary(self.bytes_read.load(Ordering::Relaxed), false)
    }

    /// Ends the run and sums up what was read.
    pub fn close(mut self, stopped: bool) -> Result<Summary, StreamError> {
        self.ledger.close(self.bytes_read.load(Ordering::Relaxed), stopped)
    }
}
