//! The portable engine: rows as programs write them, in one pass over the bytes.
//!
//! It reads `label index:value …` with one blank between words, indices of at most nine digits in
//! rising order, and plain decimals; whatever else a row has is "not mine".

use super::Rules;
use super::batch::Batch;
use super::number::{TENS, exact};

/// Reads the row that begins at `at`; `text` ends with a newline. Returns where the next one begins,
/// or `None`, with the batch as it was, if the row is not for this engine.
pub(super) fn row(text: &[u8], at: usize, number: u64, rules: Rules, batch: &mut Batch) -> Option<usize> {
    let mark = batch.mark();
    match parse(text, at, rules, batch) {
        Some((label, next)) => {
            batch.finish_row(mark, label, number);
            Some(next)
        }
        None => {
            batch.restore(mark);
            None
        }
    }
}

#[inline(always)]
fn parse(text: &[u8], mut at: usize, rules: Rules, batch: &mut Batch) -> Option<(f64, usize)> {
    let label;
    (label, at) = label_at(text, at)?;
    let limit = rules.column_limit;
    // One more than the last index, so that the first may be 0.
    let mut least = 0u32;
    loop {
        match *text.get(at)? {
            b'\n' => return Some((label, at + 1)),
            b' ' => at += 1,
            b'\r' if *text.get(at + 1)? == b'\n' => return Some((label, at + 2)),
            _ => return None,
        }
        let start = at;
        let mut index = 0u32;
        loop {
            let digit = text.get(at)?.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            index = index.wrapping_mul(10).wrapping_add(u32::from(digit));
            at += 1;
        }
        let digits = at - start;
        if digits == 0 {
            // A blank before the newline, as LIBSVM's own tools write.
            return if text[at] == b'\n' { Some((label, at + 1)) } else { None };
        }
        if digits > 9 || text[at] != b':' {
            return None;
        }
        let index = index.checked_sub(rules.base)?;
        if index < least || index >= limit {
            return None;
        }
        least = index + 1;
        let value;
        (value, at) = number(text, at + 1)?;
        batch.indices.push(index);
        batch.values.push(value);
    }
}

/// The label that `text` begins with, if a blank or a newline ends it.
#[inline(always)]
pub(super) fn label(text: &[u8]) -> Option<f64> {
    let (label, end) = label_at(text, 0)?;
    matches!(text[end], b' ' | b'\n').then_some(label)
}

/// The label at `at` and where it ends.
#[inline(always)]
fn label_at(text: &[u8], at: usize) -> Option<(f64, usize)> {
    if *text.get(at)? == b'+' {
        return if text.get(at + 1)?.is_ascii_digit() { number(text, at + 1) } else { None };
    }
    number(text, at)
}

/// The number at `at` and where it ends.
#[inline(always)]
fn number(text: &[u8], start: usize) -> Option<(f64, usize)> {
    let negative = *text.get(start)? == b'-';
    let first = start + usize::from(negative);
    let mut at = first;
    let mut mantissa = 0u64;
    let mut point = usize::MAX;
    loop {
        let byte = *text.get(at)?;
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        } else if byte == b'.' && point == usize::MAX {
            point = at;
        } else {
            break;
        }
        at += 1;
    }
    let (digits, fraction) = if point == usize::MAX { (at - first, 0) } else { (at - first - 1, at - point - 1) };
    let simple = matches!(text[at], b' ' | b'\n' | b'\r');
    // Nineteen digits cannot wrap a u64; then the mantissa says itself whether it is exact.
    if digits == 0 || digits > 19 || mantissa >= 1 << 53 || !simple {
        return slow_number(text, start, at);
    }
    let size = mantissa as f64 / TENS[fraction];
    Some((if negative { -size } else { size }, at))
}

#[cold]
fn slow_number(text: &[u8], start: usize, mut at: usize) -> Option<(f64, usize)> {
    while !matches!(text.get(at)?, b' ' | b'\n' | b'\r') {
        at += 1;
    }
    exact(&text[start..at]).ok().map(|value| (value, at))
}
