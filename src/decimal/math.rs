//! Arithmetic on [`Decimal`]: exact or refused, with one stated exception for quotients.
//!
//! `None` means the exact result needs more than 34 digits or lies outside the exponents. Whole numbers that fit
//! `i64` never leave the first lines of each function.

use super::{Decimal, LIMIT, POWERS, scale, strip};

impl Decimal {
    /// The exact sum.
    ///
    /// ```
    /// use flyball::decimal::Decimal;
    ///
    /// let number = |text: &str| Decimal::parse_json(text).unwrap();
    /// assert_eq!(number("0.1").checked_add(&number("0.2")), Some(number("0.3")));
    /// assert_eq!(number("1e40").checked_add(&number("1")), None);
    /// ```
    #[must_use]
    pub fn checked_add(&self, other: &Decimal) -> Option<Decimal> {
        if self.exponent == other.exponent {
            // Two coefficients below 10^34 cannot overflow.
            let sum = self.coefficient().wrapping_add(other.coefficient());
            return Decimal::from_parts(sum, self.exponent()).ok();
        }
        if self.is_zero() || other.is_zero() {
            return Some(if self.is_zero() { *other } else { *self });
        }
        // Beside a number from 10^34 the zeros of a smaller whole number are not worth their digits.
        let wide = self.exponent > 0 || other.exponent > 0;
        let parts = |number: &Decimal| {
            let parts = (number.coefficient(), number.exponent());
            if wide { strip(parts.0, parts.1) } else { parts }
        };
        let ((left, left_exponent), (right, right_exponent)) = (parts(self), parts(other));
        // What does not fit after scaling ends in a digit that is not zero, so no shorter form would fit.
        let exponent = left_exponent.min(right_exponent);
        let left = scale(left, left_exponent.saturating_sub(exponent))?;
        let right = scale(right, right_exponent.saturating_sub(exponent))?;
        Decimal::from_parts(left.checked_add(right)?, exponent).ok()
    }

    /// The exact difference.
    #[must_use]
    pub fn checked_sub(&self, other: &Decimal) -> Option<Decimal> {
        self.checked_add(&other.neg())
    }

    /// The exact product.
    ///
    /// ```
    /// use flyball::decimal::Decimal;
    ///
    /// let number = |text: &str| Decimal::parse_json(text).unwrap();
    /// assert_eq!(number("12.5").checked_mul(&number("0.8")), Some(Decimal::from(10_u64)));
    /// ```
    #[must_use]
    pub fn checked_mul(&self, other: &Decimal) -> Option<Decimal> {
        let (left, right) = (self.coefficient(), other.coefficient());
        let exponent = self.exponent().saturating_add(other.exponent());
        if let (Some(left), Some(right)) = (self.word(), other.word()) {
            return Decimal::from_parts(i128::from(left).wrapping_mul(i128::from(right)), exponent).ok();
        }
        if let Some(product) = left.checked_mul(right) {
            return Decimal::from_parts(product, exponent).ok();
        }
        let (left, left_exponent) = strip(left, self.exponent());
        let (right, right_exponent) = strip(right, other.exponent());
        // 5^48 × 2^48 is 10^48: pairs of a five and a two leave the coefficients before they overflow.
        let (left, right, first) = pair_off(left, right);
        let (right, left, second) = pair_off(right, left);
        let exponent = left_exponent.saturating_add(right_exponent).saturating_add(first).saturating_add(second);
        Decimal::from_parts(left.checked_mul(right)?, exponent).ok()
    }

    /// The number with the other sign.
    #[must_use]
    pub fn neg(&self) -> Decimal {
        Decimal::small(self.coefficient().wrapping_neg(), self.exponent)
    }

    /// The number with the other sign; there always is one.
    #[must_use]
    pub fn checked_neg(&self) -> Option<Decimal> {
        Some(self.neg())
    }

    /// The number without its sign.
    #[must_use]
    pub fn abs(&self) -> Decimal {
        Decimal::small(self.coefficient().wrapping_abs(), self.exponent)
    }

    /// True if `self` is a whole number of times `divisor`, exactly; nothing is a multiple of zero.
    ///
    /// ```
    /// use flyball::decimal::Decimal;
    ///
    /// let number = |text: &str| Decimal::parse_json(text).unwrap();
    /// assert!(number("19.99").is_multiple_of(&number("0.01")));
    /// assert!(!number("19.999").is_multiple_of(&number("0.01")));
    /// ```
    #[must_use]
    pub fn is_multiple_of(&self, divisor: &Decimal) -> bool {
        let (number, step) = (self.coefficient().unsigned_abs(), divisor.coefficient().unsigned_abs());
        if step == 0 || number == 0 {
            return step != 0;
        }
        let shift = self.exponent().saturating_sub(divisor.exponent());
        if shift < 0 {
            // Either `self` ends in a digit below the last one of `divisor`, or it is the smaller of the two.
            return false;
        }
        step == 1 || divides_power_of_ten(step.checked_div(common_divisor(number, step)).unwrap_or(0), shift)
    }

    /// `self / divisor` to `places` after the point, half away from zero; `None` for a zero divisor or a result
    /// out of range.
    ///
    /// ```
    /// use flyball::decimal::Decimal;
    ///
    /// let number = |text: &str| Decimal::parse_json(text).unwrap();
    /// assert_eq!(number("2").checked_div_round(&number("3"), 2), Some(number("0.67")));
    /// assert_eq!(number("-0.5").checked_div_round(&number("1"), 0), Some(number("-1")));
    /// ```
    #[must_use]
    pub fn checked_div_round(&self, divisor: &Decimal, places: u32) -> Option<Decimal> {
        let (top, bottom) = (self.coefficient(), divisor.coefficient());
        if bottom == 0 {
            return None;
        }
        let places = i32::try_from(places).ok()?;
        let shift = self.exponent().saturating_sub(divisor.exponent()).saturating_add(places);
        let (size, unused) = divide(top.unsigned_abs(), bottom.unsigned_abs(), shift)?;
        let size = i128::try_from(size).ok()?;
        let signed = if (top < 0) == (bottom < 0) { size } else { size.wrapping_neg() };
        Decimal::from_parts(signed, unused.saturating_sub(places)).ok()
    }

    /// The number to `places` after the point, half away from zero.
    #[must_use]
    pub fn round(&self, places: u32) -> Option<Decimal> {
        self.checked_div_round(&Decimal::ONE, places)
    }
}

/// Takes as many fives from `fives` as there are twos in `twos`, and those twos: both numbers, and how many pairs.
fn pair_off(fives: i128, twos: i128) -> (i128, i128, i32) {
    let (mut fives, mut twos, mut pairs) = (fives, twos, 0_i32);
    while fives != 0 && twos != 0 && fives % 5 == 0 && twos % 2 == 0 {
        fives /= 5;
        twos /= 2;
        pairs = pairs.saturating_add(1);
    }
    (fives, twos, pairs)
}

fn common_divisor(left: u128, right: u128) -> u128 {
    let (mut left, mut right) = (left, right);
    while let Some(rest) = left.checked_rem(right) {
        (left, right) = (right, rest);
    }
    left
}

/// True if `number` divides `10^power`.
fn divides_power_of_ten(number: u128, power: i32) -> bool {
    let without = |mut number: u128, prime: u128| {
        let mut count = 0_i32;
        while number != 0 && number.checked_rem(prime) == Some(0) {
            number = number.checked_div(prime).unwrap_or(0);
            count = count.saturating_add(1);
        }
        (number, count)
    };
    let (number, twos) = without(number, 2);
    let (number, fives) = without(number, 5);
    number == 1 && twos <= power && fives <= power
}

/// `top × 10^shift / bottom` as a whole number, half up, and what of the shift an exact result left unused; `None`
/// from 10^34.
fn divide(top: u128, bottom: u128, shift: i32) -> Option<(u128, i32)> {
    let quotient = top.checked_div(bottom)?;
    if shift < 0 {
        return Some((cut(quotient, shift.unsigned_abs())?, 0));
    }
    let (mut quotient, mut rest, mut shift) = (quotient, top.checked_rem(bottom)?, shift);
    while shift > 0 && rest != 0 {
        // `rest` is below 10^34, so ten times it fits.
        let next = rest.checked_mul(10)?;
        let digit = next.checked_div(bottom)?;
        quotient = quotient.checked_mul(10)?.checked_add(digit).filter(|size| *size < LIMIT.unsigned_abs())?;
        rest = next.checked_rem(bottom)?;
        shift = shift.saturating_sub(1);
    }
    let up = rest.checked_mul(2)? >= bottom;
    Some((quotient.checked_add(u128::from(up))?, shift))
}

/// `quotient / 10^places`, half up. What was below `quotient` cannot matter: half of 10^`places` is whole.
fn cut(quotient: u128, places: u32) -> Option<u128> {
    let power = usize::try_from(places).ok().and_then(|places| POWERS.get(places)).map(|power| power.unsigned_abs());
    // Above 10^34 the quotient is less than half of one.
    let Some(power) = power else { return Some(0) };
    let up = quotient.checked_rem(power)? >= power.checked_div(2)?;
    quotient.checked_div(power)?.checked_add(u128::from(up))
}
