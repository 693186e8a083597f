//! Exact decimal numbers: the one number type of foreign values, expressions, money and ledger bytes.
//!
//! A [`Decimal`] is `coefficient × 10^exponent` in one form per number, so equal numbers are equal bits and derived
//! equality is numeric equality. `scan.rs` reads text, `math.rs` computes.
//!
//! No float may come in here, and nothing rounds unless the caller says to how many places.

mod math;
mod scan;

use std::cmp::Ordering;
use std::fmt;

/// The most significant digits a number may have.
pub const MAX_DIGITS: u32 = 34;

/// The largest distance of the last significant digit from the decimal point.
pub const MAX_EXPONENT: i32 = 400;

const POWERS: [i128; 39] = powers();

/// One more than the largest coefficient.
const LIMIT: i128 = 10_000_000_000_000_000_000_000_000_000_000_000;

#[expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "evaluated by the compiler")]
const fn powers() -> [i128; 39] {
    let mut powers = [1; 39];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
}

/// An exact decimal of at most 34 significant digits.
///
/// ```
/// use flyball::decimal::Decimal;
///
/// let one = Decimal::parse_json("1").unwrap();
/// assert_eq!(one, Decimal::parse_json("1.0").unwrap());
/// assert_eq!(one, Decimal::parse_json("10e-1").unwrap());
/// assert_eq!(Decimal::parse_json("1.20e3").unwrap().to_string(), "1200");
/// assert!(Decimal::parse_json("0.1").unwrap() < one);
/// ```
// INVARIANT: one form per number. Whole numbers below 10^34 have exponent 0; a fraction, and a whole number from
// 10^34, has a coefficient without trailing zeros. Only `Decimal::from_parts` and `Decimal::small` build one.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    high: i64,
    low: u64,
    exponent: i16,
}

/// Why a text or a result is not a [`Decimal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecimalError {
    /// The text does not follow the grammar.
    #[error("not a number")]
    Grammar,
    /// A minus sign before zero.
    #[error("negative zero is not a number here")]
    NegativeZero,
    /// More than 34 significant digits.
    #[error("the number has more than 34 significant digits")]
    TooManyDigits,
    /// The last significant digit lies more than 400 places from the decimal point.
    #[error("the exponent of the number is outside -400 to 400")]
    ExponentOutOfRange,
}

impl DecimalError {
    /// What the sender can do about it.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            DecimalError::Grammar => "write digits, with one point between digits if it is a fraction",
            DecimalError::NegativeZero => "send 0",
            DecimalError::TooManyDigits | DecimalError::ExponentOutOfRange => "send it as a string",
        }
    }
}

impl Decimal {
    /// The number 0.
    pub const ZERO: Decimal = Decimal { high: 0, low: 0, exponent: 0 };
    /// The number 1.
    pub const ONE: Decimal = Decimal { high: 0, low: 1, exponent: 0 };

    /// Joins coefficient and exponent whose form is already the normal one.
    const fn small(coefficient: i128, exponent: i16) -> Decimal {
        Decimal { high: (coefficient >> 64) as i64, low: coefficient as u64, exponent }
    }

    /// `coefficient × 10^exponent` in normal form.
    fn from_parts(coefficient: i128, exponent: i32) -> Result<Decimal, DecimalError> {
        if exponent == 0 && coefficient.unsigned_abs() < LIMIT.unsigned_abs() {
            return Ok(Decimal::small(coefficient, 0));
        }
        let (coefficient, exponent) = strip(coefficient, exponent);
        if coefficient.unsigned_abs() >= LIMIT.unsigned_abs() {
            return Err(DecimalError::TooManyDigits);
        }
        let short = i16::try_from(exponent).map_err(|_| DecimalError::ExponentOutOfRange)?;
        if exponent.abs() > MAX_EXPONENT {
            return Err(DecimalError::ExponentOutOfRange);
        }
        if exponent > 0
            && let Some(whole) = scale(coefficient, exponent)
            && whole.unsigned_abs() < LIMIT.unsigned_abs()
        {
            return Ok(Decimal::small(whole, 0));
        }
        Ok(Decimal::small(coefficient, short))
    }

    /// The coefficient; the number is this times ten to the [`exponent`](Decimal::exponent).
    #[must_use]
    pub const fn coefficient(&self) -> i128 {
        ((self.high as i128) << 64) | self.low as i128
    }

    /// The power of ten: 0 for every whole number below 10^34, negative for a fraction.
    #[must_use]
    pub const fn exponent(&self) -> i32 {
        self.exponent as i32
    }

    /// True for a whole number, however it was written.
    #[must_use]
    pub const fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// True below zero.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        self.high < 0
    }

    /// True for zero.
    #[must_use]
    pub const fn is_zero(&self) -> bool {
        self.high == 0 && self.low == 0
    }

    /// The number as `i64`, if it is whole and fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        if self.exponent != 0 {
            return None;
        }
        i64::try_from(self.coefficient()).ok()
    }

    /// The number as `u64`, if it is whole, not negative, and fits.
    #[must_use]
    pub const fn to_u64(&self) -> Option<u64> {
        if self.exponent == 0 && self.high == 0 { Some(self.low) } else { None }
    }

    /// Appends the text of the number: normal form, no exponent.
    pub fn write_text(&self, out: &mut Vec<u8>) {
        let mut buffer = [b'0'; 40];
        if let Some(small) = self.to_u64() {
            return out.extend_from_slice(digits(u128::from(small), &mut buffer));
        }
        if self.is_negative() {
            out.push(b'-');
        }
        let digits = digits(self.coefficient().unsigned_abs(), &mut buffer);
        let places = usize::from(self.exponent.unsigned_abs());
        if self.exponent >= 0 {
            out.extend_from_slice(digits);
            out.resize(out.len().saturating_add(places), b'0');
            return;
        }
        let whole = digits.len().saturating_sub(places);
        let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((digits, &[]));
        out.extend_from_slice(if whole.is_empty() { b"0" } else { whole });
        out.push(b'.');
        out.resize(out.len().saturating_add(places.saturating_sub(fraction.len())), b'0');
        out.extend_from_slice(fraction);
    }

    /// The coefficient, if it fits one word.
    #[inline]
    const fn word(&self) -> Option<i64> {
        let low = self.low.cast_signed();
        if self.high == low >> 63 { Some(low) } else { None }
    }
}

/// The digits of a number, at the end of the buffer.
fn digits(number: u128, buffer: &mut [u8; 40]) -> &[u8] {
    let mut start = buffer.len();
    let mut rest = number;
    for slot in buffer.iter_mut().rev() {
        // A division of one word is far cheaper than one of two, and nearly every number has one.
        let digit = match u64::try_from(rest) {
            Ok(word) => {
                rest = u128::from(word / 10);
                word % 10
            }
            Err(_) => {
                let digit = (rest % 10) as u64;
                rest /= 10;
                digit
            }
        };
        *slot = b'0'.wrapping_add(digit as u8);
        start = start.wrapping_sub(1);
        if rest == 0 {
            break;
        }
    }
    buffer.get(start..).unwrap_or_default()
}

/// Moves trailing zeros from the coefficient to the exponent.
fn strip(coefficient: i128, exponent: i32) -> (i128, i32) {
    if coefficient == 0 {
        return (0, 0);
    }
    let (mut coefficient, mut exponent) = (coefficient, exponent);
    while i64::try_from(coefficient).is_err() && coefficient % 10 == 0 {
        coefficient /= 10;
        exponent = exponent.saturating_add(1);
    }
    if let Ok(mut small) = i64::try_from(coefficient) {
        while small % 10 == 0 {
            small /= 10;
            exponent = exponent.saturating_add(1);
        }
        coefficient = i128::from(small);
    }
    (coefficient, exponent)
}

/// `coefficient × 10^places`, if it fits.
fn scale(coefficient: i128, places: i32) -> Option<i128> {
    let power = POWERS.get(usize::try_from(places).ok()?)?;
    match (i64::try_from(coefficient), i64::try_from(*power)) {
        (Ok(left), Ok(right)) => Some(i128::from(left).wrapping_mul(i128::from(right))),
        _ => coefficient.checked_mul(*power),
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        if self.exponent == other.exponent {
            // The words of a two's complement number compare from the high one, which has the sign.
            return self.high.cmp(&other.high).then(self.low.cmp(&other.low));
        }
        let (left, right) = (self.coefficient(), other.coefficient());
        if left.signum() != right.signum() {
            return left.cmp(&right);
        }
        if let (Some(left), Some(right)) = (self.word(), other.word())
            && let Some(order) = compare_words(left, right, self.exponent().saturating_sub(other.exponent()))
        {
            return order;
        }
        let by_size = compare_sizes(left.unsigned_abs(), self.exponent(), right.unsigned_abs(), other.exponent());
        if self.is_negative() { by_size.reverse() } else { by_size }
    }
}

/// Compares `left × 10^shift` to `right`, if the power fits a word.
#[inline]
fn compare_words(left: i64, right: i64, shift: i32) -> Option<Ordering> {
    let power = *POWERS.get(shift.unsigned_abs() as usize).filter(|_| shift.abs() <= 18)?;
    if let Ok(power) = i64::try_from(power)
        && let Some(scaled) = if shift > 0 { left } else { right }.checked_mul(power)
    {
        return Some(if shift > 0 { scaled.cmp(&right) } else { left.cmp(&scaled) });
    }
    let scaled = |number: i64| i128::from(number).wrapping_mul(power);
    Some(if shift > 0 { scaled(left).cmp(&i128::from(right)) } else { i128::from(left).cmp(&scaled(right)) })
}

/// Compares two numbers above zero.
fn compare_sizes(left: u128, left_exponent: i32, right: u128, right_exponent: i32) -> Ordering {
    let places = |number: u128, exponent: i32| {
        i32::try_from(number.checked_ilog10().unwrap_or(0)).unwrap_or(0).saturating_add(exponent)
    };
    let by_places = places(left, left_exponent).cmp(&places(right, right_exponent));
    if by_places != Ordering::Equal {
        return by_places;
    }
    // Both have as many digits before the point, so the shorter one scales to at most 34 digits.
    let lift = |number: u128, by: i32| {
        let power = POWERS.get(usize::try_from(by).unwrap_or(0)).copied().unwrap_or(1);
        number.saturating_mul(power.unsigned_abs())
    };
    let difference = left_exponent.saturating_sub(right_exponent);
    lift(left, difference).cmp(&lift(right, difference.saturating_neg()))
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Decimal {
        Decimal::small(i128::from(number), 0)
    }
}

impl From<u64> for Decimal {
    fn from(number: u64) -> Decimal {
        Decimal { high: 0, low: number, exponent: 0 }
    }
}

impl From<i32> for Decimal {
    fn from(number: i32) -> Decimal {
        Decimal::from(i64::from(number))
    }
}

impl From<u32> for Decimal {
    fn from(number: u32) -> Decimal {
        Decimal::from(u64::from(number))
    }
}

impl std::str::FromStr for Decimal {
    type Err = DecimalError;

    /// The JSON grammar, as [`Decimal::parse_json`].
    fn from_str(text: &str) -> Result<Decimal, DecimalError> {
        Decimal::parse_json(text)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(24);
        self.write_text(&mut text);
        f.pad(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
pub(crate) mod tests;
