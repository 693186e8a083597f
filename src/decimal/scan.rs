//! Text to [`Decimal`]: the JSON grammar, and the plain one for money.
//!
//! A short number goes through one loop over `u64`; everything else through [`general`], which keeps at most 34
//! significant digits and never multiplies past them, however long the text is.

use super::{Decimal, DecimalError, MAX_DIGITS, POWERS};

/// Digits that surely fit an `i64`.
const SHORT: usize = 18;

impl Decimal {
    /// Reads a JSON number.
    ///
    /// # Errors
    /// Says whether the grammar, a negative zero, the digits or the exponent is the reason.
    ///
    /// ```
    /// use flyball::decimal::{Decimal, DecimalError};
    ///
    /// assert_eq!(Decimal::parse_json("-12.50").unwrap().to_string(), "-12.5");
    /// assert_eq!(Decimal::parse_json("-0"), Err(DecimalError::NegativeZero));
    /// assert_eq!(Decimal::parse_json("1e401"), Err(DecimalError::ExponentOutOfRange));
    /// assert_eq!(Decimal::parse_json("01"), Err(DecimalError::Grammar));
    /// ```
    pub fn parse_json(text: &str) -> Result<Decimal, DecimalError> {
        let (number, used) = Decimal::scan_json(text.as_bytes())?;
        if used == text.len() { Ok(number) } else { Err(DecimalError::Grammar) }
    }

    /// Reads `-?digits[.digits]`, the form of money in a string: no exponent, no spaces, no separators.
    ///
    /// # Errors
    /// As [`Decimal::parse_json`].
    ///
    /// ```
    /// use flyball::decimal::{Decimal, DecimalError};
    ///
    /// assert_eq!(Decimal::parse_plain("500.00").unwrap(), Decimal::from(500_u64));
    /// assert_eq!(Decimal::parse_plain("5e2"), Err(DecimalError::Grammar));
    /// assert_eq!(Decimal::parse_plain("1,000"), Err(DecimalError::Grammar));
    /// ```
    pub fn parse_plain(text: &str) -> Result<Decimal, DecimalError> {
        let parts = split(text.as_bytes());
        if parts.exponent.is_some() || parts.used != text.len() {
            return Err(DecimalError::Grammar);
        }
        general(&parts)
    }

    /// The JSON number at the start of `bytes`, and how many bytes it takes.
    pub(crate) fn scan_json(bytes: &[u8]) -> Result<(Decimal, usize), DecimalError> {
        if let Some(short) = short(bytes) {
            return Ok(short);
        }
        let parts = split(bytes);
        if parts.whole.len() > 1 && parts.whole.first() == Some(&b'0') {
            return Err(DecimalError::Grammar);
        }
        Ok((general(&parts)?, parts.used))
    }
}

/// A number of at most 18 digits without an exponent; `None` leaves the work, and every refusal, to [`general`].
#[inline]
fn short(bytes: &[u8]) -> Option<(Decimal, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let mut rest = if negative { bytes.get(1..)? } else { bytes };
    let leading_zero = rest.first() == Some(&b'0');
    let (whole, count) = digits_of(&mut rest, 0);
    if count == 0 || count > SHORT || (count > 1 && leading_zero) {
        return None;
    }
    let (mut number, mut places) = (whole, 0_i16);
    if let [b'.', after @ ..] = rest {
        rest = after;
        let (all, more) = digits_of(&mut rest, whole);
        if more == 0 || count.wrapping_add(more) > SHORT {
            return None;
        }
        (number, places) = (all, i16::try_from(more).ok()?.wrapping_neg());
        while places < 0 && number % 10 == 0 {
            number /= 10;
            places = places.wrapping_add(1);
        }
    }
    if matches!(rest.first(), Some(b'e' | b'E')) || (negative && number == 0) {
        return None;
    }
    let signed = if negative { i128::from(number).wrapping_neg() } else { i128::from(number) };
    Some((Decimal::small(signed, places), bytes.len().wrapping_sub(rest.len())))
}

/// Takes the leading digits off `rest`: the number they continue, and how many they are.
///
/// The number is right while all digits together are at most 19; the callers give up at more than 18.
#[inline]
fn digits_of(rest: &mut &[u8], start: u64) -> (u64, usize) {
    let (mut number, mut count) = (start, 0_usize);
    while let [digit @ b'0'..=b'9', after @ ..] = *rest {
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit.wrapping_sub(b'0')));
        count = count.wrapping_add(1);
        *rest = after;
    }
    (number, count)
}

/// A number taken apart by its grammar; `whole` may still have leading zeros.
struct Parts<'t> {
    negative: bool,
    whole: &'t [u8],
    fraction: Option<&'t [u8]>,
    exponent: Option<(bool, &'t [u8])>,
    used: usize,
}

fn split(bytes: &[u8]) -> Parts<'_> {
    let negative = bytes.first() == Some(&b'-');
    let mut rest = bytes.get(usize::from(negative)..).unwrap_or(&[]);
    let whole = run_of_digits(&mut rest);
    let mut parts = Parts { negative, whole, fraction: None, exponent: None, used: 0 };
    if let [b'.', after @ ..] = rest {
        rest = after;
        parts.fraction = Some(run_of_digits(&mut rest));
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let signed = matches!(after.first(), Some(b'+' | b'-'));
        rest = after.get(usize::from(signed)..).unwrap_or(&[]);
        parts.exponent = Some((after.first() == Some(&b'-'), run_of_digits(&mut rest)));
    }
    parts.used = bytes.len().saturating_sub(rest.len());
    parts
}

fn run_of_digits<'t>(rest: &mut &'t [u8]) -> &'t [u8] {
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, after) = rest.split_at_checked(count).unwrap_or((&[], rest));
    *rest = after;
    digits
}

/// Any number: only significant digits are multiplied in, so a long run of zeros costs nothing.
fn general(parts: &Parts<'_>) -> Result<Decimal, DecimalError> {
    let fraction = parts.fraction.unwrap_or(&[]);
    let empty = |digits: &[u8]| digits.is_empty();
    if empty(parts.whole) || parts.fraction.is_some_and(empty) || parts.exponent.is_some_and(|(_, e)| empty(e)) {
        return Err(DecimalError::Grammar);
    }
    let (coefficient, zeros) = coefficient(parts.whole.iter().chain(fraction))?;
    if coefficient == 0 {
        return if parts.negative { Err(DecimalError::NegativeZero) } else { Ok(Decimal::ZERO) };
    }
    let written = parts.exponent.map_or(0, |(negative, digits)| exponent(negative, digits));
    let exponent = written.saturating_add(length(zeros)).saturating_sub(length(fraction.len()));
    let exponent = i32::try_from(exponent).map_err(|_| DecimalError::ExponentOutOfRange)?;
    Decimal::from_parts(if parts.negative { coefficient.wrapping_neg() } else { coefficient }, exponent)
}

fn length(digits: usize) -> i64 {
    i64::try_from(digits).unwrap_or(i64::MAX)
}

/// The digits without leading and trailing zeros, and how many trailing zeros there are.
fn coefficient<'t>(digits: impl Iterator<Item = &'t u8>) -> Result<(i128, usize), DecimalError> {
    let (mut number, mut kept, mut zeros) = (0_i128, 0_usize, 0_usize);
    for digit in digits.map(|byte| byte.wrapping_sub(b'0')) {
        if digit == 0 {
            zeros = zeros.saturating_add(usize::from(number != 0));
            continue;
        }
        let step = zeros.saturating_add(1);
        kept = kept.saturating_add(step);
        let power = POWERS.get(step).filter(|_| kept <= MAX_DIGITS as usize).ok_or(DecimalError::TooManyDigits)?;
        number = number.wrapping_mul(*power).wrapping_add(i128::from(digit));
        zeros = 0;
    }
    Ok((number, zeros))
}

/// A written exponent, held at a size that is out of range anyway.
fn exponent(negative: bool, digits: &[u8]) -> i64 {
    let size = digits.iter().fold(0_i64, |size, digit| {
        size.saturating_mul(10).saturating_add(i64::from(digit.wrapping_sub(b'0'))).min(i64::MAX / 4)
    });
    if negative { size.wrapping_neg() } else { size }
}
