//! What the vector engines share: windows of text, rows put together and checked.
//!
//! A window of text is scanned for blanks, colons and newlines. A `label i:v i:v` row has a *pair* for
//! each colon: the index ends there, the value ends at the next separator. All pairs of a window are
//! then converted, several together and without a branch. Last, rows are put together and checked.
//!
//! A pair that is not as the engine takes it is *flagged*, a word without a colon after a blank is
//! *odd*; the row of either is read by the other engines, and the window begins anew after it.

use super::block::{PAD, REACH, Window};
use super::{Batch, Block, Refusal, Rules, fast, libsvm};

/// The most text scanned at a time: with the lists and the rows it makes, it fits a first-level cache.
const SPAN: usize = 16 << 10;
/// The least, where many rows are not for the engine.
const LEAST_SPAN: usize = 1 << 10;
/// Pairs and rows noted at a time; less text is scanned where it is denser than this.
pub(super) const PAIRS: usize = SPAN / 4;
pub(super) const ROWS: usize = SPAN / 16;
/// Bytes scanned together, hence the most of either that are added before the count is looked at.
pub(super) const CHUNK: usize = 64;

const _: () = assert!(SPAN < REACH && PAIRS + CHUNK <= u16::MAX as usize);

/// What a scan found in a window. Positions count from the window's text.
pub(super) struct Found {
    /// Where each pair's colon is, and the separator after it.
    pub colons: [u16; PAIRS + CHUNK],
    pub ends: [u16; PAIRS + CHUNK],
    /// Where each row's newline is, and the pairs up to there.
    pub newlines: [(u16, u16); ROWS + CHUNK],
    pub rows: usize,
    /// The first separator that follows a blank and is no colon.
    pub odd: usize,
}

impl Found {
    fn pairs(&self) -> usize {
        self.rows.checked_sub(1).map_or(0, |last| usize::from(self.newlines[last].1))
    }
}

/// The separators among 64 bytes, a bit each.
pub(super) struct Separators {
    pub blanks: u64,
    pub colons: u64,
    pub newlines: u64,
}

/// What is open where a chunk begins: a value, and a word after a blank.
#[derive(Default)]
pub(super) struct Open {
    value: u64,
    word: u64,
}

impl Separators {
    /// The separator after each colon, and those that follow a blank and are no colon.
    #[inline(always)]
    pub(super) fn ends_and_odd(&self, open: &mut Open) -> (u64, u64) {
        let separators = self.blanks | self.colons | self.newlines;
        // Adding a bit at the beginning of a run of ones carries it to the end of the run.
        let (carried, over) = (!separators).overflowing_add(self.colons << 1 | open.value);
        let ends = carried & separators;
        open.value = u64::from(over) | self.colons >> 63;
        let (carried, over) = (!separators).overflowing_add(self.blanks << 1 | open.word);
        let odd = carried & separators & !self.colons;
        open.word = u64::from(over) | self.blanks >> 63;
        (ends, odd)
    }
}

/// The part of an engine that is made of vectors.
pub(super) trait Kernel {
    /// Finds the separators of the first `length` bytes, or of fewer where they are dense.
    fn scan(window: &Window, length: usize, found: &mut Found);
    /// Converts the first `pairs` pairs, appending exactly so many to the batch's indices and values.
    /// Returns the first that is not for this engine, or `usize::MAX`.
    fn convert(window: &Window, found: &Found, pairs: usize, base: u32, batch: &mut Batch) -> usize;
}

/// Reads a block's rows as the other engines do; see [`super::Tokenise`].
#[inline(always)]
pub(super) fn rows<K: Kernel>(block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
    let text = block.text();
    let mut found = Found {
        colons: [0; PAIRS + CHUNK],
        ends: [0; PAIRS + CHUNK],
        newlines: [(0, 0); ROWS + CHUNK],
        rows: 0,
        odd: 0,
    };
    let mut at = 0;
    let mut line = 0;
    let mut span = SPAN;
    // Rows to read by the other engines before this one is tried again; doubled while it fails, so
    // that text which is not for it costs little more than without it.
    let mut pause = 1;
    while at < text.len() {
        let before = line;
        let (taken, whole) =
            take::<K>(block.window(at), span.min(text.len() - at), rules, batch, &mut line, &mut found);
        at += taken;
        if whole {
            span = SPAN;
            continue;
        }
        if found.rows == 0 && span < SPAN {
            span = SPAN;
            continue;
        }
        // What was scanned behind the bad row was for nothing: scan no more than is likely to be of use.
        span = (2 * taken).clamp(LEAST_SPAN, SPAN);
        pause = if line - before > pause { 1 } else { (2 * pause).min(64) };
        for _ in 0..pause {
            if at == text.len() {
                break;
            }
            line += 1;
            at = match fast::row(block, at, line, rules, batch) {
                Some(next) => next,
                None => libsvm::careful_row(text, at, line, rules, batch, refused),
            };
        }
    }
    line
}

/// Takes the rows at the window's beginning up to the first that is not for this engine. Returns the
/// bytes they had, and whether they were all that the window has, and any.
#[inline(always)]
fn take<K: Kernel>(
    window: &Window,
    length: usize,
    rules: Rules,
    batch: &mut Batch,
    line: &mut u64,
    found: &mut Found,
) -> (usize, bool) {
    K::scan(window, length, found);
    let before = batch.indices.len();
    let flagged = K::convert(window, found, found.pairs(), rules.base, batch);

    let mut start = 0;
    let mut first = 0;
    for (newline, end) in &found.newlines[..found.rows] {
        let (newline, end) = (usize::from(*newline), usize::from(*end));
        let indices = &batch.indices[before + first..before + end];
        let good = end <= flagged
            && newline < found.odd
            && indices.iter().zip(indices.iter().skip(1)).fold(true, |rising, (a, b)| rising & (a < b))
            // The greatest is last, and an index 0 of one-based text has become the greatest of all.
            && indices.last().is_none_or(|greatest| *greatest < rules.column_limit);
        let label = if good { fast::label(&window[PAD + start..]) } else { None };
        let Some(label) = label else {
            batch.indices.truncate(before + first);
            batch.values.truncate(before + first);
            return (start, false);
        };
        if let Some(greatest) = indices.last() {
            batch.columns = batch.columns.max(*greatest as usize + 1);
        }
        *line += 1;
        batch.labels.push(label);
        batch.lines.push(*line);
        batch.starts.push(before + end);
        start = newline + 1;
        first = end;
    }
    (start, found.rows > 0)
}
