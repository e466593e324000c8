//! A run of whole lines, with room around it.

/// Bytes before and after the text that engines may load, though never act upon.
pub const PAD: usize = 64;

/// Whole lines of one file, the last one ended by a newline too, in a buffer with [`PAD`] bytes to
/// spare on both sides so that vector loads need no special case at the ends.
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

    /// The buffer: [`PAD`] bytes, the text, at least [`PAD`] bytes.
    pub fn padded(&self) -> &[u8] {
        &self.bytes
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Room for this many bytes of text, those already there included.
    pub(crate) fn room(&mut self, capacity: usize) -> &mut [u8] {
        let whole = capacity + 2 * PAD;
        if self.bytes.len() < whole {
            self.bytes.reserve_exact(whole - self.bytes.len());
            self.bytes.resize(whole, 0);
        }
        let end = self.bytes.len() - PAD;
        &mut self.bytes[PAD..end]
    }

    pub(crate) fn set_len(&mut self, len: usize) {
        debug_assert!(len == 0 || len + 2 * PAD <= self.bytes.len());
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
