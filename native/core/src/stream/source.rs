//! Where bytes come from, and what undoes their compression.

use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;

use super::error::StreamError;

/// One thing to read.
pub enum Source {
    Path(PathBuf),
    /// Anything else that gives bytes, with the name that messages use for it.
    ///
    /// It may return `Interrupted`, `WouldBlock` or `TimedOut` to have the stream look whether it
    /// should stop; it is then asked again.
    Reader {
        name: String,
        read: Box<dyn Read + Send>,
    },
}

impl Source {
    /// Standard input, which names itself `-` in messages.
    pub fn stdin() -> Self {
        Source::Reader { name: "-".to_owned(), read: Box::new(super::wait::stdin()) }
    }

    pub fn name(&self) -> String {
        match self {
            Source::Path(path) => path.display().to_string(),
            Source::Reader { name, .. } => name.clone(),
        }
    }

    /// Its size, if it is a plain file; an error if it is nothing to read.
    pub(super) fn check(&self) -> Result<Option<u64>, StreamError> {
        let Source::Path(path) = self else { return Ok(None) };
        let failed = |error| StreamError::Open { name: self.name(), error };
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Err(StreamError::Directory { name: self.name() });
        }
        if !metadata.is_file() {
            return Ok(None);
        }
        File::open(path).map_err(failed)?;
        Ok(Some(metadata.len()))
    }

    pub(super) fn is_file(&self, other: &Path) -> bool {
        let Source::Path(path) = self else { return false };
        match (fs::canonicalize(path), fs::canonicalize(other)) {
            (Ok(one), Ok(two)) => one == two || same_inode(&one, &two),
            _ => false,
        }
    }

    /// The raw bytes; `counter` counts them.
    pub(super) fn open(self, counter: Arc<AtomicU64>) -> Result<Box<dyn Read + Send>, StreamError> {
        let name = self.name();
        let read: Box<dyn Read + Send> = match self {
            Source::Path(path) => {
                let file = File::open(&path).map_err(|error| StreamError::Open { name: name.clone(), error })?;
                let plain = file.metadata().is_ok_and(|m| m.is_file());
                if plain { Box::new(file) } else { Box::new(super::wait::patient(file)) }
            }
            Source::Reader { read, .. } => read,
        };
        Ok(Box::new(Counted { read, counter }))
    }
}

#[cfg(unix)]
fn same_inode(one: &Path, two: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    matches!((fs::metadata(one), fs::metadata(two)), (Ok(a), Ok(b)) if a.dev() == b.dev() && a.ino() == b.ino())
}

#[cfg(not(unix))]
fn same_inode(_: &Path, _: &Path) -> bool {
    false
}

/// A compression is its first bytes and what undoes it; another one is another line here.
type Undo = fn(Box<dyn Read + Send>) -> Box<dyn Read + Send>;
const COMPRESSIONS: [(&[u8], Undo); 1] = [(&[0x1f, 0x8b], |read| Box::new(MultiGzDecoder::new(read)))];
/// The longest of the first bytes above.
pub(super) const MAGIC: usize = 2;

/// The text behind bytes that begin with `head`, and whether it was compressed.
pub(super) fn decoded(head: Vec<u8>, rest: Box<dyn Read + Send>) -> (Box<dyn Read + Send>, bool) {
    let undo = COMPRESSIONS.iter().find(|(magic, _)| head.starts_with(magic)).map(|(_, undo)| *undo);
    let whole: Box<dyn Read + Send> = Box::new(Cursor::new(head).chain(rest));
    match undo {
        Some(undo) => (undo(whole), true),
        None => (whole, false),
    }
}

struct Counted {
    read: Box<dyn Read + Send>,
    counter: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.read.read(buffer)?;
        self.counter.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
