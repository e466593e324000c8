//! The libsvm tokeniser: a fast engine where it can, the careful one where it must.

use memchr::memchr;

use super::{Batch, Block, Refusal, Rules, Tokenise, careful, fast};

/// libsvm / svmlight text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Libsvm;

impl Tokenise for Libsvm {
    fn rows(&self, block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
        let text = block.text();
        let mut at = 0;
        let mut line = 0;
        while at < text.len() {
            line += 1;
            at = match fast::row(text, at, line, rules, batch) {
                Some(next) => next,
                None => careful_row(text, at, line, rules, batch, refused),
            };
        }
        line
    }
}

/// Gives the line at `at` to the specification; returns where the next one begins.
pub(super) fn careful_row(
    text: &[u8],
    at: usize,
    line: u64,
    rules: Rules,
    batch: &mut Batch,
    refused: &mut Vec<Refusal>,
) -> usize {
    let end = memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline);
    let next = (end + 1).min(text.len());
    if let Err((place, why)) = careful::row(&text[at..end], line, rules, batch) {
        refused.push(Refusal { line, column: place + 1, span: at..next, why });
    }
    next
}

/// The specification alone, for comparison and measurement.
#[derive(Clone, Copy, Debug, Default)]
pub struct CarefulLibsvm;

impl Tokenise for CarefulLibsvm {
    fn rows(&self, block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
        let text = block.text();
        let mut at = 0;
        let mut line = 0;
        while at < text.len() {
            line += 1;
            at = careful_row(text, at, line, rules, batch, refused);
        }
        line
    }
}
