//! Decimal text to doubles, correctly rounded.

/// Powers of ten that doubles hold exactly.
pub(super) const TENS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Why a word is not a number to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotANumber {
    /// It is not `[+-] digits [. digits] [e [+-] digits]` with a digit before or after the point:
    /// NaN, infinity, hexadecimal, underscores and trailing junk end here.
    Grammar,
    /// It is beyond the largest double.
    TooLarge,
}

/// The double nearest to a decimal number, ties to even, as Python's `float` has it.
///
/// Clinger's observation carries most numbers: a whole number below 2^53 and a power of ten up to
/// 10^22 are doubles exactly, so one multiplication or division rounds once, which is correctly. All
/// others go to the standard library, whose conversion is correctly rounded, once the grammar here,
/// which is narrower than the library's, has passed them.
pub fn exact(word: &[u8]) -> Result<f64, NotANumber> {
    let mut at = usize::from(matches!(word.first(), Some(b'+' | b'-')));
    let negative = word.first() == Some(&b'-');
    let mut mantissa: u64 = 0;
    // Digits beyond the 19 that always fit make `exact` false.
    let mut digits = 0usize;
    let mut fraction = 0usize;
    let mut fits = true;
    let mut seen_point = false;
    let start = at;
    while let Some(b) = word.get(at) {
        match b {
            b'0'..=b'9' => {
                if digits > 0 || *b != b'0' {
                    digits += 1;
                }
                if digits <= 19 {
                    mantissa = mantissa * 10 + u64::from(b - b'0');
                } else {
                    fits = false;
                }
                fraction += usize::from(seen_point);
            }
            b'.' if !seen_point => seen_point = true,
            _ => break,
        }
        at += 1;
    }
    if at - start == usize::from(seen_point) {
        return Err(NotANumber::Grammar);
    }
    let mut exponent: i64 = 0;
    if let Some(b'e' | b'E') = word.get(at) {
        at += 1;
        let down = word.get(at) == Some(&b'-');
        at += usize::from(matches!(word.get(at), Some(b'+' | b'-')));
        let first = at;
        while let Some(b @ b'0'..=b'9') = word.get(at) {
            exponent = exponent.saturating_mul(10).saturating_add(i64::from(b - b'0'));
            at += 1;
        }
        if at == first {
            return Err(NotANumber::Grammar);
        }
        if down {
            exponent = -exponent;
        }
    }
    if at != word.len() {
        return Err(NotANumber::Grammar);
    }
    if fits && mantissa < 1 << 53 {
        let power = exponent.saturating_sub(fraction as i64);
        if mantissa == 0 || power.unsigned_abs() <= 22 {
            let whole = mantissa as f64;
            let size = if mantissa == 0 {
                0.0
            } else if power < 0 {
                whole / TENS[power.unsigned_abs() as usize]
            } else {
                whole * TENS[power as usize]
            };
            return Ok(if negative { -size } else { size });
        }
    }
    // Only ASCII characters of the grammar are left, so neither step can fail.
    let value: f64 = std::str::from_utf8(word).ok().and_then(|text| text.parse().ok()).ok_or(NotANumber::Grammar)?;
    if value.is_finite() { Ok(value) } else { Err(NotANumber::TooLarge) }
}
