//! Points in time and spans of it, exact to the nanosecond. There is no clock in here: every time is an input.
//!
//! A time is read as RFC 3339 writes it; one without a zone only with an offset that the caller knows. There are no
//! zone names, whose meaning changes from year to year, and no leap seconds.

use std::fmt;

const SECOND: i128 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// From the year 1 to the end of 9999, as CEL has it.
const FIRST: i128 = -62_135_596_800 * SECOND;
const LAST: i128 = 253_402_300_800 * SECOND - 1;

/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i128);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i128);

/// A point in time as a calendar and a clock show it, at some offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The year.
    pub year: i64,
    /// The month, from 1.
    pub month: i64,
    /// The day of the month, from 1.
    pub day: i64,
    /// Days since Sunday.
    pub weekday: i64,
    /// Days since the first of January.
    pub day_of_year: i64,
    /// Nanoseconds since midnight.
    pub clock: i64,
}

impl Timestamp {
    /// Reads a time with its zone, as RFC 3339 writes it.
    ///
    /// ```
    /// use flyball::time::Timestamp;
    ///
    /// let time = Timestamp::parse("2031-03-04T09:00:00.5+01:00").unwrap();
    /// assert_eq!(time.to_string(), "2031-03-04T08:00:00.5Z");
    /// assert_eq!(Timestamp::parse("2031-03-04T09:00:00"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Timestamp> {
        let (local, offset) = read(text)?;
        local.shift(offset?)
    }

    /// Reads a time that may lack a zone; `offset` is then that of the place it was written, in minutes east of UTC.
    ///
    /// ```
    /// use flyball::time::Timestamp;
    ///
    /// let time = Timestamp::parse_at("2031-03-04T09:00:00", Some(-300)).unwrap();
    /// assert_eq!(time.to_string(), "2031-03-04T14:00:00Z");
    /// assert_eq!(Timestamp::parse_at("2031-03-04T09:00:00", None), None);
    /// ```
    #[must_use]
    pub fn parse_at(text: &str, offset: Option<i32>) -> Option<Timestamp> {
        let (local, own) = read(text)?;
        local.shift(own.or(offset.map(i128::from))?)
    }

    /// The time some span later, if it is within the years 1 to 9999.
    #[must_use]
    pub fn checked_add(self, span: Duration) -> Option<Timestamp> {
        self.0.checked_add(span.0).filter(|time| (FIRST..=LAST).contains(time)).map(Timestamp)
    }

    /// The span since an earlier time.
    #[must_use]
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// What calendar and clock show at an offset, in minutes east of UTC.
    #[must_use]
    pub fn parts(self, offset: i32) -> Parts {
        let local = self.0.saturating_add(i128::from(offset).saturating_mul(60 * SECOND));
        let days = i64::try_from(local.div_euclid(DAY)).unwrap_or(0);
        let clock = i64::try_from(local.rem_euclid(DAY)).unwrap_or(0);
        let (year, month, day) = civil(days);
        let day_of_year = days.saturating_sub(days_of(year, 1, 1));
        Parts { year, month, day, weekday: days.saturating_add(4).rem_euclid(7), day_of_year, clock }
    }

    /// From the time at a place to the time of UTC.
    fn shift(self, offset: i128) -> Option<Timestamp> {
        self.checked_add(Duration(offset.checked_mul(-60 * SECOND)?))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { year, month, day, clock, .. } = self.parts(0);
        let (seconds, rest) = (clock / 1_000_000_000, clock % 1_000_000_000);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        write_fraction(f, rest)?;
        f.write_str("Z")
    }
}

impl Duration {
    /// Reads a span: `90s`, `1h30m`, `1.5h`, `250ms`, `7d`; the units are `d h m s ms us ns`.
    ///
    /// ```
    /// use flyball::time::Duration;
    ///
    /// assert_eq!(Duration::parse("1h30m"), Duration::parse("5400s"));
    /// assert_eq!(Duration::parse("-1.5s").unwrap().to_string(), "-1.5s");
    /// assert_eq!(Duration::parse("90"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Duration> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (mut rest, mut sum) = (unsigned, 0_i128);
        while !rest.is_empty() {
            let (part, after) = measure(rest)?;
            sum = sum.checked_add(part)?;
            rest = after;
        }
        let signed = if unsigned.len() == text.len() { sum } else { sum.checked_neg()? };
        (!unsigned.is_empty()).then_some(Duration(signed)).filter(|span| span.0.abs() <= LAST.saturating_sub(FIRST))
    }

    /// The sum, if it is no longer than the years 1 to 9999.
    #[must_use]
    pub fn checked_add(self, other: Duration) -> Option<Duration> {
        self.0.checked_add(other.0).filter(|span| span.abs() <= LAST.saturating_sub(FIRST)).map(Duration)
    }

    /// The same span the other way.
    #[must_use]
    pub fn reversed(self) -> Duration {
        Duration(self.0.saturating_neg())
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        write!(f, "{sign}{}", size / 1_000_000_000)?;
        write_fraction(f, i64::try_from(size % 1_000_000_000).unwrap_or(0))?;
        f.write_str("s")
    }
}

fn write_fraction(f: &mut fmt::Formatter<'_>, nanoseconds: i64) -> fmt::Result {
    if nanoseconds == 0 {
        return Ok(());
    }
    let digits = format!("{nanoseconds:09}");
    write!(f, ".{}", digits.trim_end_matches('0'))
}

/// One number with its unit, in nanoseconds, and what follows.
fn measure(text: &str) -> Option<(i128, &str)> {
    const UNITS: [(&str, i128); 7] = [
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
        ("d", DAY),
        ("h", 3600 * SECOND),
        ("m", 60 * SECOND),
        ("s", SECOND),
    ];
    let (whole, mut rest) = digits(text);
    let mut fraction = "";
    if let Some(after) = rest.strip_prefix('.') {
        (fraction, rest) = digits(after);
        if fraction.is_empty() {
            return None;
        }
    }
    if whole.is_empty() || whole.len() > 18 || fraction.len() > 9 {
        return None;
    }
    let (unit, size) = UNITS.into_iter().find(|(unit, _)| rest.starts_with(unit))?;
    let mut sum = whole.parse::<i128>().ok()?.checked_mul(size)?;
    if !fraction.is_empty() {
        let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        sum = sum.checked_add(fraction.parse::<i128>().ok()?.checked_mul(size)?.checked_div(scale)?)?;
    }
    Some((sum, rest.strip_prefix(unit)?))
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// The time as written, as if it were UTC's, and its offset in minutes.
fn read(text: &str) -> Option<(Timestamp, Option<i128>)> {
    let (date, rest) = text.split_at_checked(10)?;
    let (clock, rest) = rest.strip_prefix(['T', 't'])?.split_at_checked(8)?;
    let [year, month, day] = fields(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = fields(clock, ':', [2, 2, 2])?;
    if hour > 23 || minute > 59 || second > 59 || year < 1 || !(1..=12).contains(&month) {
        return None;
    }
    let days = days_of(year, month, day);
    if civil(days) != (year, month, day) {
        return None;
    }
    let (fraction, zone) = match rest.strip_prefix('.').map(digits) {
        Some((fraction, zone)) if (1..=9).contains(&fraction.len()) => (format!("{fraction:0<9}").parse().ok()?, zone),
        Some(_) => return None,
        None => (0_i128, rest),
    };
    let seconds = days.checked_mul(86_400)?.checked_add(hour.checked_mul(3600)?)?;
    let seconds = seconds.checked_add(minute.checked_mul(60)?)?.checked_add(second)?;
    let time = i128::from(seconds).checked_mul(SECOND)?.checked_add(fraction)?;
    Some((Timestamp(time), zone_of(zone)?))
}

/// The offset that a text ends in, in minutes; an empty text has none.
fn zone_of(text: &str) -> Option<Option<i128>> {
    match text {
        "" => return Some(None),
        "Z" | "z" => return Some(Some(0)),
        _ => {}
    }
    let [hours, minutes] = fields(text.strip_prefix(['+', '-'])?, ':', [2, 2])?;
    if hours > 23 || minutes > 59 {
        return None;
    }
    let size = i128::from(hours.saturating_mul(60).saturating_add(minutes));
    Some(Some(if text.starts_with('-') { size.saturating_neg() } else { size }))
}

/// Numbers of these many digits between separators.
fn fields<const N: usize>(text: &str, separator: char, lengths: [usize; N]) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(separator);
    for (number, length) in numbers.iter_mut().zip(lengths) {
        let part = parts.next().filter(|part| part.len() == length && part.bytes().all(|b| b.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March here, so that the leap day is last.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year.saturating_sub(1) } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let since_march = month.saturating_add(9).rem_euclid(12);
    let of_year = (since_march.saturating_mul(153).saturating_add(2) / 5).saturating_add(day).saturating_sub(1);
    let leaps = (of_era / 4).saturating_sub(of_era / 100);
    let of_era = of_era.saturating_mul(365).saturating_add(leaps).saturating_add(of_year);
    era.saturating_mul(146_097).saturating_add(of_era).saturating_sub(719_468)
}

/// The date of a day counted from 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let corrected = of_era.saturating_sub(of_era / 1460).saturating_add(of_era / 36_524);
    let year = corrected.saturating_sub(of_era / 146_096) / 365;
    let before = year.saturating_mul(365).saturating_add(year / 4).saturating_sub(year / 100);
    let of_year = of_era.saturating_sub(before);
    let since_march = of_year.saturating_mul(5).saturating_add(2) / 153;
    let first = since_march.saturating_mul(153).saturating_add(2) / 5;
    let day = of_year.saturating_sub(first).saturating_add(1);
    let month = if since_march < 10 { since_march.saturating_add(3) } else { since_march.saturating_sub(9) };
    let year = year.saturating_add(era.saturating_mul(400)).saturating_add(i64::from(month <= 2));
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days_have_their_numbers() {
        for (date, days) in [((1970, 1, 1), 0), ((2000, 3, 1), 11_017), ((1969, 12, 31), -1), ((1, 1, 1), -719_162)] {
            assert_eq!(days_of(date.0, date.1, date.2), days);
            assert_eq!(civil(days), date);
        }
    }

    #[test]
    fn a_calendar_shows_weekday_and_day_of_year_at_an_offset() {
        let time = Timestamp::parse("2024-12-31T23:30:00Z").unwrap();
        let here = time.parts(0);
        assert_eq!((here.weekday, here.day_of_year), (2, 365));
        let east = time.parts(60);
        assert_eq!((east.year, east.month, east.day, east.weekday, east.day_of_year), (2025, 1, 1, 3, 0));
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "2031-02-29T00:00:00Z",
            "2031-13-01T00:00:00Z",
            "2031-01-01",
            "2031-01-01T24:00:00Z",
            "2031-01-01T00:00:60Z",
            "2031-01-01T00:00:00.Z",
            "2031-01-01 00:00:00Z",
            "0000-01-01T00:00:00Z",
            "2031-01-01T00:00:00+1:00",
            "é031-01-01T00:00:00Z",
            "0001-01-01T00:00:00+01:00",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
        for text in ["", "-", "1", "s", "1.s", "1x", "9999999999999999999s", "999999999999999999d"] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_reads_back(nanoseconds in FIRST..=LAST, size in -LAST..=LAST) {
            let (time, span) = (Timestamp(nanoseconds), Duration(size));
            prop_assert_eq!(Timestamp::parse(&time.to_string()), Some(time));
            prop_assert_eq!(Duration::parse(&span.to_string()), Some(span));
        }

        #[test]
        fn reading_never_panics(text in "\\PC{0,32}") {
            let _ = (Timestamp::parse(&text), Duration::parse(&text));
        }
    }
}
