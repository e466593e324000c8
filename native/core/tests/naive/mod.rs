//! libsvm text as one would read it in an afternoon: split, split, parse. Slow, and plainly right.

use separatrix_core::text::number::NotANumber;
use separatrix_core::text::{Labels, Rules};

pub struct Row {
    pub label: f64,
    pub indices: Vec<u32>,
    pub values: Vec<f64>,
}

/// A number by its characters and the standard library.
pub fn number(text: &str) -> Result<f64, NotANumber> {
    let plain = text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let value: f64 =
        if plain { text.parse().map_err(|_| NotANumber::Grammar)? } else { return Err(NotANumber::Grammar) };
    if value.is_finite() { Ok(value) } else { Err(NotANumber::TooLarge) }
}

/// The lines that have a row or should: `None` for a bad one.
pub fn rows(text: &[u8], rules: Rules) -> Vec<(u64, Option<Row>)> {
    let mut rows = Vec::new();
    for (number, line) in text.split(|b| *b == b'\n').enumerate() {
        let line = match line.iter().position(|b| *b == b'#') {
            Some(comment) => &line[..comment],
            None => line.strip_suffix(b"\r").unwrap_or(line),
        };
        let words: Vec<&[u8]> = line.split(|b| b" \t\x0b\x0c".contains(b)).filter(|word| !word.is_empty()).collect();
        if !words.is_empty() {
            rows.push((number as u64 + 1, row(&words, rules)));
        }
    }
    rows
}

fn row(words: &[&[u8]], rules: Rules) -> Option<Row> {
    let words: Vec<&str> = words.iter().map(|word| std::str::from_utf8(word).ok()).collect::<Option<_>>()?;
    let mut words = words.into_iter().peekable();
    let label = match words.peek() {
        Some(word) if rules.labels == Labels::Optional && word.contains(':') => f64::NAN,
        _ => number(words.next()?).ok()?,
    };
    if let Some(id) = words.peek().and_then(|word| word.strip_prefix("qid:")) {
        id.parse::<i64>().ok()?;
        words.next();
    }
    let mut entries = Vec::new();
    while let Some(word) = words.next() {
        let (index, value) = word.split_once(':')?;
        if index.is_empty() || !index.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let index: u32 = index.parse().ok()?;
        let index = index.checked_sub(rules.base)?;
        if rules.column_limit != u32::MAX && index >= rules.column_limit {
            return None;
        }
        let value = if value.is_empty() { words.next()? } else { value };
        entries.push((index, number(value).ok()?));
    }
    entries.sort_by_key(|entry| entry.0);
    if entries.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let (indices, values) = entries.into_iter().unzip();
    Some(Row { label, indices, values })
}
