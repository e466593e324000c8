//! Sources become blocks of whole lines.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use memchr::{memchr, memrchr};

use super::error::StreamError;
use super::source::{MAGIC, Source, decoded};
use crate::text::{Block, Options};

/// What [`Blocks::next`] found.
pub(super) enum Next {
    Block,
    End,
    /// The source was silent and `stop` said to stop.
    Stopped,
}

/// Cuts the sources, one after the other, into blocks of at most `block` bytes; a single line that is
/// longer is a block of its own. Where the cuts fall depends on the text alone.
pub(super) struct Blocks {
    sources: VecDeque<(usize, Source)>,
    current: Option<Current>,
    /// Text read but not handed out: `carry[taken..]`.
    carry: Vec<u8>,
    taken: usize,
    block: usize,
    line_limit: usize,
    counter: Arc<AtomicU64>,
}

struct Current {
    file: usize,
    name: String,
    read: Box<dyn Read + Send>,
    compressed: bool,
    ended: bool,
}

/// The Unicode mark that some programs put before their text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

enum Filled {
    Full,
    Stopped,
}

impl Blocks {
    pub(super) fn new(sources: Vec<Source>, options: &Options, counter: Arc<AtomicU64>) -> Self {
        Blocks {
            sources: sources.into_iter().enumerate().collect(),
            current: None,
            carry: Vec::new(),
            taken: 0,
            // No larger, so that a line over the limit never fits into a block unseen.
            block: options.block.max(1).min(options.line_limit.saturating_add(1)),
            line_limit: options.line_limit,
            counter,
        }
    }

    /// Fills `block`. `stop` is asked when a source has nothing to give for the moment.
    pub(super) fn next(&mut self, block: &mut Block, stop: &mut dyn FnMut() -> bool) -> Result<Next, StreamError> {
        loop {
            let Some(current) = &mut self.current else {
                match self.open(stop)? {
                    Some(Filled::Full) => continue,
                    Some(Filled::Stopped) => return Ok(Next::Stopped),
                    None => return Ok(Next::End),
                }
            };
            block.file = current.file;
            block.set_len(0);
            let mut len = 0;
            let mut want = self.block;
            loop {
                let room = block.room(want);
                let waiting = &self.carry[self.taken..];
                let count = waiting.len().min(want - len);
                room[len..len + count].copy_from_slice(&waiting[..count]);
                self.taken += count;
                len += count;
                if let Filled::Stopped = current.fill(&mut room[..want], &mut len, stop)? {
                    // Keep what came: a pull may be tried again.
                    self.carry = room[..len].to_vec();
                    self.taken = 0;
                    return Ok(Next::Stopped);
                }
                // A block grown for one long line ends with that line, so that none has many lines and
                // many bytes.
                let text = &room[..len];
                let newline = if want > self.block { memchr(b'\n', text) } else { memrchr(b'\n', text) };
                let cut = newline.map_or(0, |at| at + 1);
                if len - cut > self.line_limit || cut > self.line_limit.saturating_add(1) && want > self.block {
                    let name = current.name.clone();
                    return Err(StreamError::LongLine { name, line: 0, limit: self.line_limit });
                }
                if cut > 0 {
                    let rest = &text[cut..];
                    if self.taken < self.carry.len() {
                        self.taken -= rest.len();
                    } else {
                        self.carry.clear();
                        self.carry.extend_from_slice(rest);
                        self.taken = 0;
                    }
                    block.set_len(cut);
                    return Ok(Next::Block);
                }
                if len < want {
                    // The end of the source, in the middle of a line.
                    block.room(len + 1);
                    block.set_len(len);
                    block.close_line();
                    break;
                }
                block.set_len(len);
                want = (want * 2).min(self.line_limit.saturating_add(1));
            }
            self.current = None;
            self.carry.clear();
            self.taken = 0;
            if !block.is_empty() {
                return Ok(Next::Block);
            }
        }
    }

    /// Opens the next source, if there is one, and looks at how it begins.
    fn open(&mut self, stop: &mut dyn FnMut() -> bool) -> Result<Option<Filled>, StreamError> {
        let Some((file, source)) = self.sources.pop_front() else { return Ok(None) };
        let name = source.name();
        let raw = source.open(self.counter.clone())?;
        let mut current = Current { file, name, read: raw, compressed: false, ended: false };
        let mut head = vec![0; MAGIC];
        let mut len = 0;
        if let Filled::Stopped = current.fill(&mut head, &mut len, stop)? {
            return Ok(Some(Filled::Stopped));
        }
        head.truncate(len);
        (current.read, current.compressed) = decoded(head, current.read);
        current.ended = false;

        self.carry.resize(BYTE_ORDER_MARK.len(), 0);
        self.taken = 0;
        len = 0;
        if let Filled::Stopped = current.fill(&mut self.carry, &mut len, stop)? {
            return Ok(Some(Filled::Stopped));
        }
        self.carry.truncate(len);
        if self.carry == BYTE_ORDER_MARK {
            self.carry.clear();
        }
        self.current = Some(current);
        Ok(Some(Filled::Full))
    }
}

impl Current {
    /// Reads until `buffer` is full or the source ends.
    fn fill(
        &mut self,
        buffer: &mut [u8],
        len: &mut usize,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Filled, StreamError> {
        while *len < buffer.len() && !self.ended {
            match self.read.read(&mut buffer[*len..]) {
                Ok(0) => self.ended = true,
                Ok(count) => *len += count.min(buffer.len() - *len),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted | ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                        if stop() {
                            return Ok(Filled::Stopped);
                        }
                    }
                    ErrorKind::InvalidInput | ErrorKind::InvalidData | ErrorKind::UnexpectedEof if self.compressed => {
                        return Err(StreamError::Corrupt { name: self.name.clone(), error });
                    }
                    _ => return Err(StreamError::Read { name: self.name.clone(), error }),
                },
            }
        }
        Ok(Filled::Full)
    }
}
