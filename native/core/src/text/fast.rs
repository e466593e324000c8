//! The portable engine: rows as programs write them, eight bytes at a time in ordinary registers.
//!
//! It reads `label index:value …` with one blank between words and perhaps one at the end, indices of
//! at most nine digits in rising order, and numbers that end at a blank or the end of the line;
//! whatever else a row has is "not mine".
//!
//! What costs time in a plain loop over digits is that nobody can foretell where it ends. Here, eight
//! bytes are looked at together, the first that is no digit is found by arithmetic, and three
//! multiplications make a number of those before it, without a branch on their count.

use super::Rules;
use super::batch::Batch;
use super::block::Block;
use super::number::{TENS, exact};

/// Reads the row that begins at `at`. Returns where the next one begins, or `None`, with the batch as
/// it was, if the row is not for this engine.
pub(super) fn row(block: &Block, at: usize, number: u64, rules: Rules, batch: &mut Batch) -> Option<usize> {
    let mark = batch.mark();
    // The text's last newline stops whatever comes before it, so what follows is never acted upon.
    match parse(block.text_and_more(), at, rules, batch) {
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
fn parse(text: &[u8], at: usize, rules: Rules, batch: &mut Batch) -> Option<(f64, usize)> {
    let (label, mut at) = label_at(text, at)?;
    // One more than the last index, so that the first may be 0.
    let mut least = 0u32;
    loop {
        let word: &[u8; 10] = text.get(at..)?.first_chunk()?;
        if word[0] != b' ' {
            return end(text, at).map(|next| (label, next));
        }
        let eight = eight_of(word, 1);
        let digits = digits(eight);
        let mut index = value_of(eight, digits) as u32;
        let mut stop = word[1 + digits];
        at += 1 + digits;
        if digits == 8 && stop.is_ascii_digit() {
            index = index * 10 + u32::from(stop - b'0');
            at += 1;
            stop = *text.get(at)?;
        }
        if digits == 0 || stop != b':' {
            // A blank before the end of the line, as LIBSVM's own tools write, or no pair.
            return if digits == 0 { end(text, at).map(|next| (label, next)) } else { None };
        }
        let index = index.checked_sub(rules.base)?;
        if index < least || index >= rules.column_limit {
            return None;
        }
        least = index + 1;
        let value;
        (value, at) = number(text, at + 1)?;
        batch.indices.push(index);
        batch.values.push(value);
    }
}

/// Where the next line begins, if this one ends here.
#[inline(always)]
fn end(text: &[u8], at: usize) -> Option<usize> {
    match *text.get(at)? {
        b'\n' => Some(at + 1),
        b'\r' if *text.get(at + 1)? == b'\n' => Some(at + 2),
        _ => None,
    }
}

/// The label that `text` begins with, if a blank or a newline ends it.
#[inline(always)]
pub(super) fn label(text: &[u8]) -> Option<f64> {
    let (label, end) = label_at(text, 0)?;
    matches!(text.get(end)?, b' ' | b'\n').then_some(label)
}

/// The label at `at` and where it ends.
#[inline(always)]
fn label_at(text: &[u8], at: usize) -> Option<(f64, usize)> {
    if *text.get(at)? == b'+' {
        return if text.get(at + 1)?.is_ascii_digit() { number(text, at + 1) } else { None };
    }
    number(text, at)
}

/// Eight bytes of `word` from `at` on.
#[inline(always)]
fn eight_of<const N: usize>(word: &[u8; N], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&word[at..at + 8]);
    u64::from_le_bytes(eight)
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// How many digits the eight bytes begin with.
#[inline(always)]
fn digits(eight: u64) -> usize {
    let values = eight ^ (ONES * 0x30);
    // The high bit of each byte that is above 9. A carry out of a byte above 0x89 spoils only bytes
    // behind the first that is no digit.
    let others = (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80);
    others.trailing_zeros() as usize / 8
}

/// The number that the first `count` bytes are the digits of; with none, it means nothing.
#[inline(always)]
fn value_of(eight: u64, count: usize) -> u64 {
    // The digits move to the end, with zeros before them; then pairs, fours, eights are put together.
    let digits = (eight ^ (ONES * 0x30)).wrapping_shl(64u32.wrapping_sub(8 * count as u32));
    let pairs = (digits.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    fours.wrapping_mul(10_000 << 32 | 1) >> 32
}

/// Whether a number may end before this byte.
#[inline(always)]
fn ends_word(byte: u8) -> bool {
    // One comparison for nearly all bytes; a control character that slips through is met again where
    // the next word should begin.
    byte <= b' '
}

const WHOLE_TENS: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// The number at `start` and where it ends.
#[inline(always)]
fn number(text: &[u8], start: usize) -> Option<(f64, usize)> {
    let negative = *text.get(start)? == b'-';
    let first = start + usize::from(negative);
    let word: &[u8; 12] = text.get(first..)?.first_chunk()?;
    let digit = word[0].wrapping_sub(b'0');
    // Most numbers have one digit before the point, or one at all.
    let eight = eight_of(word, 2);
    let after = digits(eight);
    let size;
    let end;
    if word[1] == b'.' && digit <= 9 && after.wrapping_sub(1) < 7 && ends_word(word[2 + after]) {
        // Eight digits at most, over at most 10^7: both exact, so the quotient is correctly rounded.
        let whole = u64::from(digit) * WHOLE_TENS[after] + value_of(eight, after);
        size = whole as i64 as f64 / TENS[after];
        end = first + 2 + after;
    } else if ends_word(word[1]) && digit <= 9 {
        size = f64::from(digit);
        end = first + 1;
    } else {
        end = long_word_end(text, first)?;
        size = long_number(&text[first..end])?;
    }
    Some((f64::from_bits(size.to_bits() | u64::from(negative) << 63), end))
}

#[inline(never)]
fn long_word_end(text: &[u8], first: usize) -> Option<usize> {
    text.get(first..)?.iter().position(|b| ends_word(*b)).map(|length| first + length)
}

/// Any other number, its minus sign left out.
#[inline(never)]
fn long_number(word: &[u8]) -> Option<f64> {
    if matches!(word.first(), Some(b'+' | b'-')) { None } else { exact(word).ok() }
}
