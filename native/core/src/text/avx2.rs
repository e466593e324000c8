//! The engine for AVX2 and the bit instructions that came with it (Haswell, Zen and later).
//!
//! [`super::windows`] has the plan. Here, 64 bytes are scanned at a time in two halves, and two pairs
//! converted. It takes the same text as [`super::avx512`], for the same reasons, and finds a value in
//! the fifteen bytes before its end; as there is no cheap way from a bit to a byte here, tables of
//! sixteen bytes say which bytes to keep and where to move them.
//!
//! # Unsafe code
//!
//! Loads from and stores to slices of the size that the instruction has, one `set_len` per vector after
//! its elements were stored, and the call of functions that need CPU features, after asking for them.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::block::{PAD, Window};
use super::number::TENS;
use super::windows::{self, CHUNK, Found, Kernel, Open, PAIRS, ROWS, Separators};
use super::{Batch, Block, Refusal, Rules};

/// Whether this machine has what the engine needs.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt")
}

struct Avx2;

/// Reads a block's rows; only to be called where [`available`].
pub(super) fn rows(block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
    debug_assert!(available());
    // SAFETY: the engine is only chosen where `available` said that the features are there.
    unsafe { rows_with_features(block, rules, batch, refused) }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn rows_with_features(block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
    windows::rows::<Avx2>(block, rules, batch, refused)
}

impl Kernel for Avx2 {
    fn scan(window: &Window, length: usize, found: &mut Found) {
        // SAFETY: only `rows_with_features` uses this type.
        unsafe { scan(window, length, found) }
    }

    fn convert(window: &Window, found: &Found, pairs: usize, base: u32, batch: &mut Batch) -> usize {
        // SAFETY: only `rows_with_features` uses this type.
        unsafe { convert(window, found, pairs, base, batch) }
    }
}

/// Finds separators.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn scan(window: &Window, length: usize, found: &mut Found) {
    let mut colons = 0;
    let mut ends = 0;
    let mut rows = 0;
    let mut odd = usize::MAX;
    let mut open = Open::default();
    let mut at = 0;
    while at < length && colons <= PAIRS && rows <= ROWS {
        let (low, high) = (load32(window, PAD + at), load32(window, PAD + at + 32));
        let inside = if length - at < CHUNK { (1 << (length - at)) - 1 } else { u64::MAX };
        let separators = Separators {
            blanks: equal(low, high, b' ') & inside,
            colons: equal(low, high, b':') & inside,
            newlines: equal(low, high, b'\n') & inside,
        };
        let (ends_here, odd_here) = separators.ends_and_odd(&mut open);
        if odd_here != 0 && odd == usize::MAX {
            odd = at + odd_here.trailing_zeros() as usize;
        }
        let mut rest = separators.newlines;
        while rest != 0 {
            let bit = rest & rest.wrapping_neg();
            let before = (ends_here & (bit | (bit - 1))).count_ones() as usize;
            found.newlines[rows] = ((at + rest.trailing_zeros() as usize) as u16, (ends + before) as u16);
            rows += 1;
            rest ^= bit;
        }
        list(separators.colons, at, &mut found.colons, &mut colons);
        list(ends_here, at, &mut found.ends, &mut ends);
        at += CHUNK;
    }
    found.rows = rows;
    found.odd = odd;
}

/// A bit for each of the 64 bytes that is this one.
#[target_feature(enable = "avx2")]
#[inline]
fn equal(low: __m256i, high: __m256i, byte: u8) -> u64 {
    let wanted = _mm256_set1_epi8(byte as i8);
    let half = |bytes: __m256i| u64::from(_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, wanted)) as u32);
    half(low) | half(high) << 32
}

/// Appends the positions of the set bits.
#[target_feature(enable = "bmi1,popcnt")]
#[inline]
fn list(mut bits: u64, at: usize, positions: &mut [u16; PAIRS + CHUNK], count: &mut usize) {
    let found = bits.count_ones() as usize;
    if let Some(room) = positions.get_mut(*count..).and_then(|rest| rest.first_chunk_mut::<CHUNK>()) {
        // Eight at a time, wanted or not, for that is cheaper than to foretell how many there are.
        for eight in room.as_chunks_mut::<8>().0 {
            for position in eight {
                *position = (at + bits.trailing_zeros() as usize) as u16;
                bits &= bits.wrapping_sub(1);
            }
            if bits == 0 {
                break;
            }
        }
    }
    *count += found;
}

/// Converts the first `pairs` pairs, appending them to the batch; returns the first that is not for
/// this engine.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn convert(window: &Window, found: &Found, pairs: usize, base: u32, batch: &mut Batch) -> usize {
    let groups = pairs.div_ceil(2);
    batch.indices.reserve(groups * 2);
    batch.values.reserve(groups * 2);
    let mut flagged = usize::MAX;
    {
        let indices = &mut batch.indices.spare_capacity_mut().as_chunks_mut::<2>().0[..groups];
        let values = &mut batch.values.spare_capacity_mut().as_chunks_mut::<2>().0[..groups];
        let colons = &found.colons.as_chunks::<2>().0[..groups];
        let ends = &found.ends.as_chunks::<2>().0[..groups];
        for group in 0..groups {
            let index = convert_indices(window, &colons[group], base, &mut indices[group]);
            let value = convert_values(window, &colons[group], &ends[group], &mut values[group]);
            let (one, two) = (index.0 | value.0, index.1 | value.1);
            if one | two != 0 && flagged == usize::MAX {
                flagged = group * 2 + usize::from(one == 0);
            }
        }
    }
    // SAFETY: the loop stored `groups * 2 >= pairs` elements of either into the reserved room.
    unsafe {
        batch.indices.set_len(batch.indices.len() + pairs);
        batch.values.set_len(batch.values.len() + pairs);
    }
    flagged
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// Converts the indices before two colons; not zero for each that is not for this engine.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn convert_indices(window: &Window, colons: &[u16; 2], base: u32, out: &mut [MaybeUninit<u32>; 2]) -> (u32, u32) {
    let (one, one_bad) = index_digits(window, colons[0]);
    let (two, two_bad) = index_digits(window, colons[1]);
    let fours = four_digits(_mm_set_epi64x(two as i64, one as i64));
    let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10_000));
    let indices = _mm_sub_epi32(eights, _mm_set1_epi32(base as i32));
    // SAFETY: `out` has room for 2 × 4 bytes.
    unsafe { _mm_storel_epi64(out.as_mut_ptr().cast(), indices) };
    (one_bad, two_bad)
}

/// The digits right before a colon, as bytes of 0 to 9 with zeros before them; and not zero if there are
/// none or something else than a blank is before them.
#[inline(always)]
fn index_digits(window: &Window, colon: u16) -> (u64, u32) {
    let at = usize::from(colon) + PAD;
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&window[at - 8..at]);
    let digits = u64::from_le_bytes(bytes) ^ (ONES * 0x30);
    let others = (((digits & (ONES * 0x7f)) + ONES * 0x76) | digits) & (ONES * 0x80);
    let length = others.leading_zeros();
    let before = window[at - 1 - length as usize / 8];
    // No digits at all are wrong anyhow, whatever is kept of them.
    let below = (u64::MAX >> 1).wrapping_shr(length.wrapping_sub(1));
    (digits & !below, u32::from(before ^ b' ') | u32::from(length == 0))
}

/// Sixteen digits become four groups of four.
#[target_feature(enable = "avx2")]
#[inline]
fn four_digits(digits: __m128i) -> __m128i {
    _mm_madd_epi16(_mm_maddubs_epi16(digits, _mm_set1_epi16(1 << 8 | 10)), _mm_set1_epi32(1 << 16 | 100))
}

/// Converts the values between two colons and their ends; not zero for each that is not for this engine.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn convert_values(window: &Window, colons: &[u16; 2], ends: &[u16; 2], out: &mut [MaybeUninit<f64>; 2]) -> (u32, u32) {
    let one = mantissa(window, colons[0], ends[0]);
    let two = mantissa(window, colons[1], ends[1]);
    let eights = _mm_madd_epi16(_mm_packus_epi32(one.fours, two.fours), _mm_set1_epi32(1 << 16 | 10_000));
    let high = _mm_mul_epu32(eights, _mm_set1_epi64x(100_000_000));
    let whole = _mm_add_epi64(high, _mm_srli_epi64::<32>(eights));
    // Below 2^52, so that it can be put into the digits of 2^52 and that be taken away again.
    let magic = _mm_set1_pd((1u64 << 52) as f64);
    let whole = _mm_sub_pd(_mm_castsi128_pd(_mm_or_si128(whole, _mm_castpd_si128(magic))), magic);
    let size = _mm_div_pd(whole, _mm_set_pd(TENS[15 - two.point], TENS[15 - one.point]));
    let sign = _mm_set_epi64x((two.negative << 63) as i64, (one.negative << 63) as i64);
    let values = _mm_or_pd(size, _mm_castsi128_pd(sign));
    // SAFETY: `out` has room for 2 × 8 bytes.
    unsafe { _mm_storeu_pd(out.as_mut_ptr().cast(), values) };
    (one.wrong, two.wrong)
}

/// A number in the making.
struct Mantissa {
    /// Four groups of four digits.
    fours: __m128i,
    /// The byte of the lane where the decimal point is; 15 if there is none.
    point: usize,
    negative: u64,
    /// Not zero where this is not a number for this engine.
    wrong: u32,
}

/// Sixteen bytes of this, from `16 - n` on, keep what is at `n` and behind it.
static KEEP: [u8; 32] = {
    let mut keep = [0; 32];
    let mut at = 16;
    while at < 32 {
        keep[at] = 0xff;
        at += 1;
    }
    keep
};

/// For each place of the point: the digits before it move up by a byte and close the gap; those behind
/// it stay, so that the last place is a zero, which the power of ten makes up for.
static CLOSE: [[u8; 16]; 16] = {
    const ZERO: u8 = 0x80;
    let mut close = [[ZERO; 16]; 16];
    let mut point = 0;
    while point < 16 {
        let mut to = 1;
        while to < 16 {
            if to <= point {
                close[point][to] = to as u8 - 1;
            } else if to < 15 {
                close[point][to] = to as u8;
            }
            to += 1;
        }
        point += 1;
    }
    close
};

/// The digits of the value between a colon and its end.
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
#[inline]
fn mantissa(window: &Window, colon: u16, end: u16) -> Mantissa {
    let length = usize::from(end.wrapping_sub(colon).wrapping_sub(1));
    let bytes = load16(&window[usize::from(end) + PAD - 15..]);
    let negative = window[usize::from(colon) + PAD + 1] == b'-';
    // The lane ends with the separator; the digits begin here. Too long a value is wrong anyhow.
    let first = 15usize.wrapping_sub(length).wrapping_add(usize::from(negative)) & 15;
    let points = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'.' as i8))) as u32;
    let point = (points >> first << first | 1 << 15).trailing_zeros() as usize & 15;
    let digits = _mm_and_si128(_mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8)), load16(&KEEP[16 - first..]));
    let digits = _mm_shuffle_epi8(digits, load16(&CLOSE[point]));
    let others = _mm_movemask_epi8(_mm_adds_epu8(digits, _mm_set1_epi8(0x76)));
    // Without a point the last digit is at 14, as it is with one; then the point takes one place more.
    let none = first > 14 - usize::from(point < 15);
    Mantissa {
        fours: four_digits(digits),
        point,
        negative: u64::from(negative),
        wrong: others as u32 | length as u32 >> 4 | u32::from(none),
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load32(window: &Window, at: usize) -> __m256i {
    let bytes: &[u8] = &window[at..at + 32];
    // SAFETY: the slice has 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline(always)]
fn load16(bytes: &[u8]) -> __m128i {
    let bytes: &[u8] = &bytes[..16];
    // SAFETY: the slice has 16 bytes, and every x86-64 has this instruction.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}
