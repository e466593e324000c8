//! Rows that cannot be read, and how to say so.

use std::fmt;
use std::ops::Range;

use super::careful::is_blank;

/// What is wrong with a row. Small, for a hostile block may hold very many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    Label,
    LabelTooLarge,
    QueryId,
    QueryIdPlace,
    Pair,
    Index,
    IndexTooLarge,
    IndexZero,
    ColumnLimit(u32),
    Value,
    ValueTooLarge,
    Repeated,
}

impl Why {
    /// What would have been right.
    pub fn expected(self) -> String {
        let text = match self {
            Why::Label => "a finite number as the label",
            Why::LabelTooLarge => "a label within the range of a double",
            Why::QueryId => "qid: and a whole number",
            Why::QueryIdPlace => "qid: right after the label, once",
            Why::Pair => "index:value",
            Why::Index => "an index of digits only before the colon",
            Why::IndexTooLarge => "an index of at most 4294967295",
            Why::IndexZero => "an index of at least 1, for indices count from 1 (--index-base 0 if they count from 0)",
            Why::ColumnLimit(limit) => {
                return format!(
                    "an index within the first {limit} columns, which is what the memory limit allows \
                     (memory_limit, --memory-limit)"
                );
            }
            Why::Value => "a finite number as the value",
            Why::ValueTooLarge => "a value within the range of a double",
            Why::Repeated => "each index once in a row",
        };
        text.to_owned()
    }
}

/// A refused row within its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Counted from 1 at the block's first line.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: usize,
    /// The line in the block's text, its newline included.
    pub span: Range<usize>,
    pub why: Why,
}

/// A refused row as people are told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRow {
    pub file: String,
    /// From 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: usize,
    pub expected: String,
    pub found: String,
}

/// The longest piece of the input that a message repeats, in characters.
const SHOWN: usize = 40;

impl BadRow {
    /// `line` is the raw line; `number` its number in the file.
    pub fn new(file: &str, number: u64, line: &[u8], refusal: &Refusal) -> Self {
        BadRow {
            file: file.to_owned(),
            line: number,
            column: refusal.column,
            expected: refusal.why.expected(),
            found: found(line, refusal.column),
        }
    }
}

/// The word at this column, quoted, shortened, with unprintable bytes escaped.
fn found(line: &[u8], column: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let rest = line.get(column - 1..).unwrap_or_default();
    let word = rest.split(|b| is_blank(*b)).next().unwrap_or_default();
    if word.is_empty() {
        return if rest.is_empty() { "the end of the line" } else { "a blank" }.to_owned();
    }
    // Cut bytes before making text of them: a word may be megabytes long.
    let cut = &word[..word.len().min(4 * SHOWN)];
    let text: String = String::from_utf8_lossy(cut).chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if String::from_utf8_lossy(cut).chars().count() > SHOWN || cut.len() < word.len() {
        format!("\"{text}…\"")
    } else {
        format!("\"{text}\"")
    }
}

impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: expected {}, found {}", self.file, self.line, self.column, self.expected, self.found)
    }
}
