//! The fastest engine: AVX-512 with byte permutes (Ice Lake, Zen 4 and later).
//!
//! [`super::windows`] has the plan. Here, 64 bytes are scanned at a time, and eight pairs converted:
//! the eight bytes before each colon and the fifteen before each value's end are brought to the right
//! of a lane, what does not belong there is masked, and three multiply-adds make a number of the digits.
//!
//! # What it takes
//!
//! Indices of at most eight digits after one blank; values of at most 15 bytes, `[-] digits [. digits]`
//! with a digit somewhere; one blank between words and none at the end; `\n`; rising indices. Such a
//! value is a whole number below 10^15 over a power of ten up to 10^15, both exact doubles, so the
//! quotient is correctly rounded, as [`super::number::exact`] has it.
//!
//! # Unsafe code
//!
//! Memory is only touched by loads from arrays whose size the type has, stores to
//! arrays of the same kind, and one `set_len` per vector after its elements were stored. The only
//! other unsafe step is the call of a function that needs CPU features, after asking for them.
#![allow(unsafe_code)]

use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::block::{PAD, Window};
use super::windows::{self, CHUNK, Found, Kernel, Open, PAIRS, ROWS, Separators};
use super::{Batch, Block, Refusal, Rules};

/// Whether this machine has what the engine needs.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("avx512vpopcntdq")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

struct Avx512;

/// Reads a block's rows; only to be called where [`available`].
pub(super) fn rows(block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
    debug_assert!(available());
    // SAFETY: the engine is only chosen where `available` said that the features are there.
    unsafe { rows_with_features(block, rules, batch, refused) }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt"
)]
fn rows_with_features(block: &Block, rules: Rules, batch: &mut Batch, refused: &mut Vec<Refusal>) -> u64 {
    windows::rows::<Avx512>(block, rules, batch, refused)
}

impl Kernel for Avx512 {
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
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt"
)]
fn scan(window: &Window, length: usize, found: &mut Found) {
    let (blank, colon, newline) =
        (_mm512_set1_epi8(b' ' as i8), _mm512_set1_epi8(b':' as i8), _mm512_set1_epi8(b'\n' as i8));
    let mut colons = 0;
    let mut ends = 0;
    let mut rows = 0;
    let mut odd = usize::MAX;
    let mut open = Open::default();
    let mut at = 0;
    while at < length && colons <= PAIRS && rows <= ROWS {
        let bytes = load64(window, PAD + at);
        let inside = if length - at < CHUNK { (1 << (length - at)) - 1 } else { u64::MAX };
        let separators = Separators {
            blanks: _mm512_cmpeq_epi8_mask(bytes, blank) & inside,
            colons: _mm512_cmpeq_epi8_mask(bytes, colon) & inside,
            newlines: _mm512_cmpeq_epi8_mask(bytes, newline) & inside,
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

/// Appends the positions of the set bits.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
#[inline]
fn list(bits: u64, at: usize, positions: &mut [u16; PAIRS + CHUNK], count: &mut usize) {
    let bytes = _mm512_maskz_compress_epi8(bits, iota());
    let base = _mm512_set1_epi16(at as i16);
    let found = bits.count_ones() as usize;
    if let Some(room) = positions.get_mut(*count..).and_then(|rest| rest.first_chunk_mut::<CHUNK>()) {
        let (low, high) = room.split_at_mut(CHUNK / 2);
        let wide = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(bytes)), base);
        store32(low, wide);
        if found > CHUNK / 2 {
            let wide = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(bytes)), base);
            store32(high, wide);
        }
    }
    *count += found;
}

const FIELDS: u64 = 0x0001_0001_0001_0001;
const TOPS: u64 = FIELDS << 15;

/// Converts the first `pairs` pairs, appending them to the batch; returns the first that is not for
/// this engine.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt"
)]
fn convert(window: &Window, found: &Found, pairs: usize, base: u32, batch: &mut Batch) -> usize {
    let groups = pairs.div_ceil(8);
    batch.indices.reserve(groups * 8);
    batch.values.reserve(groups * 8);
    let mut flagged = usize::MAX;
    {
        let indices = &mut batch.indices.spare_capacity_mut().as_chunks_mut::<8>().0[..groups];
        let values = &mut batch.values.spare_capacity_mut().as_chunks_mut::<8>().0[..groups];
        let colons = &found.colons.as_chunks::<8>().0[..groups];
        let ends = &found.ends.as_chunks::<8>().0[..groups];
        for group in 0..groups {
            let index = convert_indices(window, &colons[group], base, &mut indices[group]);
            let bad = index | convert_values(window, &colons[group], &ends[group], &mut values[group]);
            if bad != 0 && flagged == usize::MAX {
                flagged = group * 8 + bad.trailing_zeros() as usize;
            }
        }
    }
    // SAFETY: the loop stored `groups * 8 >= pairs` elements of either into the reserved room.
    unsafe {
        batch.indices.set_len(batch.indices.len() + pairs);
        batch.values.set_len(batch.values.len() + pairs);
    }
    flagged
}

/// Converts the indices before eight colons; returns a bit for each that is not for this engine.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt"
)]
#[inline]
fn convert_indices(window: &Window, colons: &[u16; 8], base: u32, out: &mut [MaybeUninit<u32>; 8]) -> u8 {
    let word = |i: usize| load8(window, usize::from(colons[i]) + PAD - 8);
    let bytes = _mm512_set_epi64(word(7), word(6), word(5), word(4), word(3), word(2), word(1), word(0));
    let digits = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'0' as i8));
    let others = _mm512_movm_epi8(_mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9)));
    // Eight bits for each digit right before the colon.
    let length = _mm512_lzcnt_epi64(others);
    let before = _mm512_srli_epi64::<56>(_mm512_sllv_epi64(bytes, length));
    let mut good =
        _mm512_cmpeq_epi64_mask(before, _mm512_set1_epi64(i64::from(b' '))) & _mm512_test_epi64_mask(length, length);
    // Where all eight are digits, the byte before them is not in the lane.
    let mut full = _mm512_cmpeq_epi64_mask(length, _mm512_set1_epi64(64));
    while full != 0 {
        let pair = full.trailing_zeros() as usize;
        good |= u8::from(window[usize::from(colons[pair]) + PAD - 9] == b' ') << pair;
        full &= full - 1;
    }
    let mask = _mm512_sllv_epi64(_mm512_set1_epi64(-1), _mm512_sub_epi64(_mm512_set1_epi64(64), length));
    let digits = _mm512_and_si512(digits, mask);
    let fours = _mm512_madd_epi16(_mm512_maddubs_epi16(digits, tens()), hundreds());
    let eights = _mm512_madd_epi16(_mm512_packus_epi32(fours, fours), ten_thousands());
    let order = _mm512_setr_epi32(0, 1, 4, 5, 8, 9, 12, 13, 0, 0, 0, 0, 0, 0, 0, 0);
    let eights = _mm512_castsi512_si256(_mm512_permutexvar_epi32(order, eights));
    let indices = _mm256_sub_epi32(eights, _mm256_set1_epi32(base as i32));
    // SAFETY: `out` has room for 8 × 4 bytes.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), indices) };
    !good
}

/// Converts the values between eight colons and their ends; returns a bit for each that is not for
/// this engine.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt"
)]
#[inline]
fn convert_values(window: &Window, colons: &[u16; 8], ends: &[u16; 8], out: &mut [MaybeUninit<f64>; 8]) -> u8 {
    // Each lane ends with the separator after its value, which therefore begins at this byte of it.
    let begins = _mm_sub_epi16(_mm_set1_epi16(16), _mm_sub_epi16(load_positions(ends), load_positions(colons)));
    let too_long = _mm_movepi16_mask(begins);
    let begins = _mm512_castsi128_si512(begins);
    let even = lanes(window, [ends[0], ends[2], ends[4], ends[6]]);
    let odd = lanes(window, [ends[1], ends[3], ends[5], ends[7]]);
    let even = mantissas(even, _mm512_permutexvar_epi8(every_lane(0), begins));
    let odd = mantissas(odd, _mm512_permutexvar_epi8(every_lane(2), begins));

    let eights = _mm512_madd_epi16(_mm512_packus_epi32(even.fours, odd.fours), ten_thousands());
    let high = _mm512_mul_epu32(eights, _mm512_set1_epi64(100_000_000));
    let whole = _mm512_add_epi64(high, _mm512_srli_epi64::<32>(eights));
    let shift = _mm512_popcnt_epi64(by_pair(even.up_to_point, odd.up_to_point));
    // The point stands at byte `shift - 1`; the power wanted is 16 - shift.
    let low = _mm512_setr_pd(1e0, 1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9);
    let rest = _mm512_setr_pd(1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1);
    let power = _mm512_permutex2var_pd(low, shift, rest);
    let size = _mm512_div_pd(_mm512_cvtepu64_pd(whole), power);
    let negative = by_pair(even.negative, odd.negative);
    let negative = _mm512_test_epi64_mask(negative, negative);
    let sign = _mm512_set1_pd(-0.0);
    let values = _mm512_mask_xor_pd(size, negative, size, sign);
    // SAFETY: `out` has room for 8 × 8 bytes.
    unsafe { _mm512_storeu_pd(out.as_mut_ptr().cast(), values) };

    let wrong = even.wrong | odd.wrong;
    if wrong == 0 {
        return too_long;
    }
    let wrong = by_pair(even.wrong, odd.wrong);
    too_long | _mm512_test_epi64_mask(wrong, wrong)
}

/// Four numbers in the making. Each mask has a field of 16 bits for each.
struct Mantissas {
    /// Four groups of four digits.
    fours: __m512i,
    /// The bytes up to the decimal point, itself included; up to the end where there is none.
    up_to_point: u64,
    /// Not zero where there is a minus sign.
    negative: u64,
    /// Not zero where this is not a number for this engine.
    wrong: u64,
}

/// The digits of the four values that begin at byte `begins` of their lanes and end before the last.
#[target_feature(
    enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,avx512vbmi2,avx512vpopcntdq,bmi2,popcnt"
)]
#[inline]
fn mantissas(bytes: __m512i, begins: __m512i) -> Mantissas {
    let place = _mm512_and_si512(iota(), _mm512_set1_epi8(15));
    let value = _mm512_cmpge_epu8_mask(place, begins) & !TOPS;
    let point = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'.' as i8)) & value;
    let minus = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(b'-' as i8));
    let first = value & !(value << 1 & !FIELDS);
    let negative = minus & first;
    let unsigned = value ^ negative;
    // The lowest bit of each field and those below; a field without a point has its top bit, so that
    // nothing is borrowed from the next.
    let stops = point | TOPS;
    let up_to_point = stops ^ (stops - FIELDS);
    // The digits before the point move up by a byte and close the gap; those behind it stay, so that
    // the last place is a zero, which the power of ten makes up for.
    let closed = _mm512_mask_blend_epi8(up_to_point, bytes, _mm512_bslli_epi128::<1>(bytes));
    let digit_places = unsigned << 1 & !FIELDS & (up_to_point | !TOPS);
    let digits = _mm512_maskz_sub_epi8(digit_places, closed, _mm512_set1_epi8(b'0' as i8));
    let others = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    let none = (digit_places | digit_places << 1) & TOPS ^ TOPS;
    let fours = _mm512_madd_epi16(_mm512_maddubs_epi16(digits, tens()), hundreds());
    Mantissas { fours, up_to_point, negative, wrong: others | none }
}

/// The fields of two masks, four of the even pairs and four of the odd ones, in a lane each.
#[target_feature(enable = "avx512f,avx512vbmi")]
#[inline]
fn by_pair(even: u64, odd: u64) -> __m512i {
    let fields = _mm512_castsi128_si512(_mm_set_epi64x(odd as i64, even as i64));
    let lane = |low: i64| low | (low + 1) << 8;
    let order = _mm512_setr_epi64(lane(0), lane(8), lane(2), lane(10), lane(4), lane(12), lane(6), lane(14));
    _mm512_maskz_permutexvar_epi8(0x0303_0303_0303_0303, order, fields)
}

/// Selects, for all bytes of lane `l` of 16, byte `4 l + from`.
#[target_feature(enable = "avx512f")]
#[inline]
fn every_lane(from: i32) -> __m512i {
    let one = 0x0101_0101;
    let lane = |l: i32| (4 * l + from) * one;
    let (a, b, c, d) = (lane(0), lane(1), lane(2), lane(3));
    _mm512_setr_epi32(a, a, a, a, b, b, b, b, c, c, c, c, d, d, d, d)
}

/// The fifteen bytes before each of four positions and the one there.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn lanes(window: &Window, ends: [u16; 4]) -> __m512i {
    let lane = |i: usize| load16(window, usize::from(ends[i]) + PAD - 15);
    let low = _mm256_set_m128i(lane(1), lane(0));
    let high = _mm256_set_m128i(lane(3), lane(2));
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn iota() -> __m512i {
    _mm512_setr_epi64(
        0x0706_0504_0302_0100,
        0x0f0e_0d0c_0b0a_0908,
        0x1716_1514_1312_1110,
        0x1f1e_1d1c_1b1a_1918,
        0x2726_2524_2322_2120,
        0x2f2e_2d2c_2b2a_2928,
        0x3736_3534_3332_3130,
        0x3f3e_3d3c_3b3a_3938,
    )
}

#[target_feature(enable = "avx512f")]
#[inline]
fn tens() -> __m512i {
    _mm512_set1_epi16(1 << 8 | 10)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn hundreds() -> __m512i {
    _mm512_set1_epi32(1 << 16 | 100)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn ten_thousands() -> __m512i {
    _mm512_set1_epi32(1 << 16 | 10_000)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load64(window: &Window, at: usize) -> __m512i {
    let bytes: &[u8] = &window[at..at + 64];
    // SAFETY: the slice has 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline]
fn load16(window: &Window, at: usize) -> __m128i {
    let bytes: &[u8] = &window[at..at + 16];
    // SAFETY: the slice has 16 bytes, and every x86-64 has this instruction.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
fn load8(window: &Window, at: usize) -> i64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&window[at..at + 8]);
    i64::from_le_bytes(bytes)
}

#[inline]
fn load_positions(positions: &[u16; 8]) -> __m128i {
    // SAFETY: the array has 16 bytes, and every x86-64 has this instruction.
    unsafe { _mm_loadu_si128(positions.as_ptr().cast()) }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn store32(out: &mut [u16], positions: __m512i) {
    let out: &mut [u16] = &mut out[..32];
    // SAFETY: the slice has 64 bytes.
    unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), positions) };
}
