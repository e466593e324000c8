//! The specification of a libsvm row, byte by byte.
//!
//! ```text
//! line    = [ row ] [ "#" anything ] [ "\r" ] "\n"
//! row     = blanks [ label ] [ blanks "qid:" integer ] { blanks index ":" [ blanks ] number } blanks
//! label   = number              required, unless Labels::Optional and the first word has a colon
//! index   = digits              at most 2^32 − 1; each at most once in a row, in any order
//! number  = [ "+" | "-" ] ( digits [ "." [ digits ] ] | "." digits ) [ ( "e" | "E" ) [ "+" | "-" ] digits ]
//! blanks  = { " " | tab | vertical tab | form feed }
//! ```
//!
//! A line without a row (empty, blanks, a comment) is passed over. Numbers must be finite doubles;
//! those too small for a double are zero or subnormal, as they are to Python.

use super::batch::Batch;
use super::number::{NotANumber, exact};
use super::refusal::Why;
use super::{Labels, Rules};

/// Where a row is wrong: the byte in the line from 0, and what.
pub type Wrong = (usize, Why);

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

/// Reads one line (without its newline). `Ok(true)`: its row is the batch's last; `Ok(false)`: it has
/// none. Nothing of a refused row stays in the batch.
pub fn row(line: &[u8], number: u64, rules: Rules, batch: &mut Batch) -> Result<bool, Wrong> {
    let mark = batch.mark();
    let first = batch.indices.len();
    match Scanner::new(line).row(rules, batch) {
        Ok(None) => Ok(false),
        Ok(Some((label, sorted))) => {
            if !sorted && let Err(wrong) = sort(line, rules, batch, first) {
                batch.restore(mark);
                return Err(wrong);
            }
            batch.finish_row(mark, label, number);
            Ok(true)
        }
        Err(wrong) => {
            batch.restore(mark);
            Err(wrong)
        }
    }
}

struct Scanner<'a> {
    /// The line up to its comment or carriage return.
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn new(line: &'a [u8]) -> Self {
        let text = match line.iter().position(|b| *b == b'#') {
            Some(comment) => &line[..comment],
            None => line.strip_suffix(b"\r").unwrap_or(line),
        };
        Scanner { text, at: 0 }
    }

    fn skip_blanks(&mut self) {
        while self.text.get(self.at).is_some_and(|b| is_blank(*b)) {
            self.at += 1;
        }
    }

    /// The word that begins here, up to a blank or the end.
    fn word(&self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        &rest[..rest.iter().position(|b| is_blank(*b)).unwrap_or(rest.len())]
    }

    /// The label and whether the indices came in rising order; `None` if there is no row.
    fn row(mut self, rules: Rules, batch: &mut Batch) -> Result<Option<(f64, bool)>, Wrong> {
        self.skip_blanks();
        if self.at == self.text.len() {
            return Ok(None);
        }
        let label = self.label(rules)?;
        self.skip_blanks();
        if self.text[self.at..].starts_with(b"qid:") {
            let id = self.query_id()?;
            batch.qids.push((batch.rows(), id));
        }
        let mut sorted = true;
        let mut least = 0u64;
        while let Some((index, value)) = self.pair(rules)? {
            sorted &= u64::from(index) >= least;
            least = u64::from(index) + 1;
            batch.indices.push(index);
            batch.values.push(value);
        }
        Ok(Some((label, sorted)))
    }

    fn label(&mut self, rules: Rules) -> Result<f64, Wrong> {
        let word = self.word();
        if rules.labels == Labels::Optional && word.contains(&b':') {
            return Ok(f64::NAN);
        }
        let label = exact(word).map_err(|e| match e {
            NotANumber::Grammar => (self.at, Why::Label),
            NotANumber::TooLarge => (self.at, Why::LabelTooLarge),
        })?;
        self.at += word.len();
        Ok(label)
    }

    fn query_id(&mut self) -> Result<i64, Wrong> {
        let word = self.word();
        let digits = &word[b"qid:".len()..];
        let id = std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or((self.at, Why::QueryId))?;
        self.at += word.len();
        Ok(id)
    }

    /// The next `index:value`, or `None` at the end of the row.
    fn pair(&mut self, rules: Rules) -> Result<Option<(u32, f64)>, Wrong> {
        self.skip_blanks();
        let start = self.at;
        if start == self.text.len() {
            return Ok(None);
        }
        let mut index = 0u64;
        while let Some(b @ b'0'..=b'9') = self.text.get(self.at) {
            index = index.saturating_mul(10).saturating_add(u64::from(b - b'0'));
            self.at += 1;
        }
        if self.at == start || self.text.get(self.at) != Some(&b':') {
            let word = &self.text[start..];
            let word = &word[..word.iter().position(|b| is_blank(*b)).unwrap_or(word.len())];
            return Err((
                start,
                if word.starts_with(b"qid:") {
                    Why::QueryIdPlace
                } else if word.contains(&b':') {
                    Why::Index
                } else {
                    Why::Pair
                },
            ));
        }
        if index > u64::from(u32::MAX) {
            return Err((start, Why::IndexTooLarge));
        }
        if index < u64::from(rules.base) {
            return Err((start, Why::IndexZero));
        }
        let index = index as u32 - rules.base;
        if rules.column_limit != u32::MAX && index >= rules.column_limit {
            return Err((start, Why::ColumnLimit(rules.column_limit)));
        }
        self.at += 1;
        self.skip_blanks();
        let word = self.word();
        let value = exact(word).map_err(|e| match e {
            NotANumber::Grammar => (self.at, Why::Value),
            NotANumber::TooLarge => (self.at, Why::ValueTooLarge),
        })?;
        self.at += word.len();
        Ok(Some((index, value)))
    }
}

/// Sorts the entries from `first` on by index; an index met twice is wrong where it stands again.
fn sort(line: &[u8], rules: Rules, batch: &mut Batch, first: usize) -> Result<(), Wrong> {
    let mut entries: Vec<(u32, f64)> =
        batch.indices[first..].iter().copied().zip(batch.values[first..].iter().copied()).collect();
    entries.sort_by_key(|entry| entry.0);
    if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err((second_place(line, rules, pair[0].0), Why::Repeated));
    }
    for (k, (index, value)) in entries.into_iter().enumerate() {
        batch.indices[first + k] = index;
        batch.values[first + k] = value;
    }
    Ok(())
}

/// Where `index` stands for the second time in a line that is otherwise good.
fn second_place(line: &[u8], rules: Rules, index: u32) -> usize {
    let mut scanner = Scanner::new(line);
    scanner.skip_blanks();
    let mut place = scanner.at;
    let mut times = 0;
    if scanner.label(rules).is_ok() {
        scanner.skip_blanks();
        if scanner.text[scanner.at..].starts_with(b"qid:") {
            scanner.at += scanner.word().len();
        }
        loop {
            scanner.skip_blanks();
            let start = scanner.at;
            match scanner.pair(rules) {
                Ok(Some((i, _))) if i == index => {
                    times += 1;
                    place = start;
                    if times == 2 {
                        break;
                    }
                }
                Ok(Some(_)) => {}
                _ => break,
            }
        }
    }
    place
}
