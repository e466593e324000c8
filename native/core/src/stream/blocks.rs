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
    stage: Stage,
}

/// How much of a source's beginning has been looked at. What was read for it so far is in the carry.
#[derive(PartialEq)]
enum Stage {
    Compression,
    Mark,
    Text,
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
            if self.current.is_none() && !self.open()? {
                return Ok(Next::End);
            }
            let Some(current) = &mut self.current else { continue };
            if let Filled::Stopped = current.begin(&mut self.carry, stop)? {
                return Ok(Next::Stopped);
            }
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

    /// Opens the next source, if there is one.
    fn open(&mut self) -> Result<bool, StreamError> {
        let Some((file, source)) = self.sources.pop_front() else { return Ok(false) };
        let name = source.name();
        let read = source.open(self.counter.clone())?;
        self.current = Some(Current { file, name, read, compressed: false, ended: false, stage: Stage::Compression });
        Ok(true)
    }
}

impl Current {
    /// Looks at how the source begins: undoes its compression, passes over a byte order mark.
    fn begin(&mut self, carry: &mut Vec<u8>, stop: &mut dyn FnMut() -> bool) -> Result<Filled, StreamError> {
        if self.stage == Stage::Compression {
            if let Filled::Stopped = self.fill_up_to(MAGIC, carry, stop)? {
                return Ok(Filled::Stopped);
            }
            let raw = std::mem::replace(&mut self.read, Box::new(std::io::empty()));
            (self.read, self.compressed) = decoded(std::mem::take(carry), raw);
            self.ended = false;
            self.stage = Stage::Mark;
        }
        if self.stage == Stage::Mark {
            if let Filled::Stopped = self.fill_up_to(BYTE_ORDER_MARK.len(), carry, stop)? {
                return Ok(Filled::Stopped);
            }
            if carry == BYTE_ORDER_MARK {
                carry.clear();
            }
            self.stage = Stage::Text;
        }
        Ok(Filled::Full)
    }

    /// Reads until `carry` has `count` bytes or the source ends.
    fn fill_up_to(
        &mut self,
        count: usize,
        carry: &mut Vec<u8>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Filled, StreamError> {
        let mut len = carry.len();
        carry.resize(count, 0);
        let filled = self.fill(carry, &mut len, stop);
        carry.truncate(len);
        filled
    }

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
