//! A run of whole lines, with room around it.

/// Bytes before and after the text that engines may load, though never act upon.
pub const PAD: usize = 64;

/// How far a [`Window`] reaches: whatever a 16-bit position can name.
pub const REACH: usize = 1 << 16;

/// A view of a block from some byte on, which stands at `PAD` in it. Its size is known to the type, so
/// that a load at `PAD` plus or minus a little from a 16-bit position needs no check.
pub type Window = [u8; PAD + REACH + PAD];

/// A block's bytes besides its text.
const SPARE: usize = PAD + REACH + PAD;

/// Whole lines of one file, the last one ended by a newline too, in a buffer with room to spare on
/// both sides so that vector loads need no special case at the ends.
#[derive(Clone, Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
    len: usize,
    /// Which source it is from.
    pub file: usize,
}

impl Block {
    /// A block with this text; a last line without a newline gets one.
    pub fn of(text: &[u8]) -> Self {
        let mut block = Block::default();
        block.room(text.len() + 1)[..text.len()].copy_from_slice(text);
        block.set_len(text.len());
        block.close_line();
        block
    }

    pub fn text(&self) -> &[u8] {
        self.bytes.get(PAD..PAD + self.len).unwrap_or_default()
    }

    /// The text and, behind it, at least [`PAD`] bytes that mean nothing.
    pub fn text_and_more(&self) -> &[u8] {
        self.bytes.get(PAD..).unwrap_or_default()
    }

    /// The window on the text from `at` on; what lies outside the text is there, but means nothing.
    ///
    /// # Panics
    /// If `at` is not in the text.
    pub fn window(&self, at: usize) -> &Window {
        let from = &self.bytes[at.min(self.len)..];
        match from.first_chunk() {
            Some(window) => window,
            None => unreachable!("a block that has text has a window's room behind it"),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Room for this many bytes of text, those already there included.
    pub(crate) fn room(&mut self, capacity: usize) -> &mut [u8] {
        let whole = capacity + SPARE;
        if self.bytes.len() < whole {
            self.bytes.reserve_exact(whole - self.bytes.len());
            self.bytes.resize(whole, 0);
        }
        let end = self.bytes.len() - (SPARE - PAD);
        &mut self.bytes[PAD..end]
    }

    pub(crate) fn set_len(&mut self, len: usize) {
        debug_assert!(len == 0 || len + SPARE <= self.bytes.len());
        self.len = len;
    }

    /// Ends the last line if it has no newline; needs room for one byte.
    pub(crate) fn close_line(&mut self) {
        if self.text().last().is_some_and(|b| *b != b'\n') {
            let len = self.len;
            self.room(len + 1)[len] = b'\n';
            self.len = len + 1;
        }
    }
}
