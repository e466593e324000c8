//! Bytes become rows.
//!
//! A *block* is a run of whole lines ([`Block`]); a [`Tokenise`]r appends its rows to a [`Batch`] and
//! notes each row it refuses. Another text format is another implementation of that trait; files,
//! compression, blocks, threads, line numbers and bad rows are the business of [`crate::stream`].
//!
//! The libsvm tokeniser has one specification, [`careful`], which knows the whole grammar and says
//! what is wrong where, and optimistic engines in front of it. An engine either reads a row exactly
//! as `careful` would, bit for bit, or says "not mine" and leaves the row to `careful`.
//!
//! # Index base
//!
//! A [`Batch`] holds zero-based indices. Whether the text's are zero-based or one-based is told
//! ([`IndexBase::Zero`], [`IndexBase::One`]) or found out once a run ([`IndexBase::Auto`]):
//!
//! * the first block of the run in which any accepted row has an index decides: zero-based if one of
//!   its indices is 0, one-based otherwise. Blocks are cut by [`Options::block`] bytes of text alone,
//!   so neither threads nor the pieces a pipe delivers can change the outcome;
//! * the decision holds for all files of the run, and [`crate::stream::Summary`] reports it for the
//!   model to keep;
//! * an index 0 met later, when rows have been handed out as one-based, stops the run whatever
//!   [`BadRows`] says, and the message names the options to choose between: going on would mean that
//!   everything learnt so far was learnt from shifted features.
//!
//! Told that the base is one, an index 0 is an ordinary bad row.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
pub mod batch;
pub mod block;
pub mod careful;
mod fast;
pub mod libsvm;
pub mod number;
pub mod refusal;
#[cfg(target_arch = "x86_64")]
mod windows;

use std::path::PathBuf;

pub use batch::Batch;
pub use block::Block;
pub use libsvm::{Engine, Libsvm};
pub use refusal::{BadRow, Refusal, Why};

/// How indices in the text count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexBase {
    /// Found out from the first rows; see the module's page.
    #[default]
    Auto,
    Zero,
    One,
}

/// What becomes of a row that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BadRows {
    /// The run stops there. Every row before it has been handed out.
    #[default]
    Fail,
    /// It is counted and left out.
    Skip,
    /// As `Skip`, and its line is written to this file, as it was.
    Quarantine(PathBuf),
}

/// Whether every row must begin with a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    #[default]
    Required,
    /// A row whose first word has a colon has no label: it reads as NaN.
    Optional,
}

/// How to read.
#[derive(Clone, Debug)]
pub struct Options {
    pub base: IndexBase,
    pub bad_rows: BadRows,
    pub labels: Labels,
    /// The most columns that rows may span (`--memory-limit`); `u32::MAX` for no limit.
    pub column_limit: u32,
    /// The longest line, in bytes (`--max-line-bytes`).
    pub line_limit: usize,
    /// Threads that parse; 1 does everything in the calling thread.
    pub threads: usize,
    /// Bytes of text read and parsed at a time.
    pub block: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            base: IndexBase::Auto,
            bad_rows: BadRows::Fail,
            labels: Labels::Required,
            column_limit: u32::MAX,
            line_limit: 16 << 20,
            threads: 1,
            block: 256 << 10,
        }
    }
}

/// What a tokeniser must know of a run.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// 0 or 1: what is subtracted from every index.
    pub base: u32,
    pub column_limit: u32,
    pub labels: Labels,
}

/// A row tokeniser: one text format.
pub trait Tokenise: Send + Sync {
    /// Appends the rows of `block` to `batch` in order, and the rows refused to `refused`. Both get
    /// line numbers that count from 1 at the block's first line. Returns the number of lines.
    fn rows(&self, block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64;
}
