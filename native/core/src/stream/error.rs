//! What can go wrong with a stream as a whole.

use std::fmt;
use std::io;

use crate::text::BadRow;

/// A stream that cannot be read on. Each variant names the source.
#[derive(Debug)]
pub enum StreamError {
    /// A file could not be opened.
    Open { name: String, error: io::Error },
    /// A directory where a file was expected.
    Directory { name: String },
    /// Reading failed, or a reader that was handed in failed.
    Read { name: String, error: io::Error },
    /// Compressed data is damaged or ends too early.
    Corrupt { name: String, error: io::Error },
    /// A line is longer than [`crate::text::Options::line_limit`] allows.
    LongLine { name: String, line: u64, limit: usize },
    /// A bad row, where bad rows are to stop the run.
    BadRow(BadRow),
    /// An index 0 after rows were handed out as one-based.
    LateZero(BadRow),
    /// The quarantine file cannot be written.
    Quarantine { name: String, error: io::Error },
    /// The quarantine file is one of the sources.
    QuarantineIsSource { name: String },
    /// A setting breaks its rule.
    Setting(String),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Open { name, error } => write!(f, "{name}: cannot be opened: {error}"),
            StreamError::Directory { name } => write!(f, "{name}: expected a file, found a directory"),
            StreamError::Read { name, error } => write!(f, "{name}: cannot be read: {error}"),
            StreamError::Corrupt { name, error } => {
                write!(f, "{name}: expected whole gzip data, found it damaged or cut off: {error}")
            }
            StreamError::LongLine { name, line, limit } => write!(
                f,
                "{name}:{line}: expected a line of at most {limit} bytes, found a longer one \
                 (max_line_bytes, --max-line-bytes)"
            ),
            StreamError::BadRow(row) => row.fmt(f),
            StreamError::LateZero(row) => write!(
                f,
                "{}:{}:{}: expected indices from 1, as the rows before were read, found an index 0; \
                 say how indices count: index_base=0 (--index-base 0), or 1 if this row is bad",
                row.file, row.line, row.column
            ),
            StreamError::Quarantine { name, error } => write!(f, "{name}: cannot write refused rows there: {error}"),
            StreamError::QuarantineIsSource { name } => {
                write!(f, "{name}: expected another file for refused rows, found one that is being read")
            }
            StreamError::Setting(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for StreamError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StreamError::Open { error, .. }
            | StreamError::Read { error, .. }
            | StreamError::Corrupt { error, .. }
            | StreamError::Quarantine { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// Why [`super::Stream::for_each`] ended early.
#[derive(Debug)]
pub enum Failure<E> {
    Stream(StreamError),
    /// What the visitor returned.
    Visit(E),
}

impl<E> From<StreamError> for Failure<E> {
    fn from(error: StreamError) -> Self {
        Failure::Stream(error)
    }
}

impl<E: fmt::Display> fmt::Display for Failure<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stream(error) => error.fmt(f),
            Failure::Visit(error) => error.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for Failure<E> {}
