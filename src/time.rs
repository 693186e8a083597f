//! Points in time and spans of it, exact to the nanosecond. There is no clock in here: every time is an input.

/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i128);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i128);

impl Timestamp {
    /// Reads a time in UTC, as RFC 3339 writes it: `2031-03-04T09:00:00.25Z`.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let rest = text.strip_suffix('Z')?;
        let is_digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let number = |from: usize, to: usize| rest.get(from..to).filter(is_digits)?.parse::<i128>().ok();
        let has = |at: usize, mark: u8| rest.as_bytes().get(at) == Some(&mark);
        let is_shaped = has(4, b'-') && has(7, b'-') && has(10, b'T') && has(13, b':') && has(16, b':');
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let is_fraction = rest.len() == 19 || has(19, b'.') && rest.get(20..).filter(is_digits).is_some();
        let is_sound = (1..=12).contains(&month) && (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
        if !(is_shaped && is_fraction && is_sound) {
            return None;
        }
        let fraction: String = rest.get(20..).unwrap_or_default().chars().chain("000000000".chars()).take(9).collect();
        let minutes =
            days(year, month, day)?.checked_mul(24)?.checked_add(hour)?.checked_mul(60)?.checked_add(minute)?;
        let seconds = minutes.checked_mul(60)?.checked_add(second)?;
        Some(Timestamp(seconds.checked_mul(1_000_000_000)?.checked_add(fraction.parse().ok()?)?))
    }
}

/// Days since 1970-01-01, by years that begin in March: the leap day is then their last.
fn days(year: i128, month: i128, day: i128) -> Option<i128> {
    let year = if month > 2 { year } else { year.checked_sub(1)? };
    let month = month.checked_add(9)?.checked_rem(12)?;
    let of_year = month.checked_mul(153)?.checked_add(2)?.checked_div(5)?.checked_add(day)?.checked_sub(1)?;
    let leaps = year.div_euclid(4).checked_sub(year.div_euclid(100))?.checked_add(year.div_euclid(400))?;
    year.checked_mul(365)?.checked_add(leaps)?.checked_add(of_year)?.checked_sub(719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_nanoseconds_since_1970() {
        let cases = [
            ("1970-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00.000000001Z", 1),
            ("2000-02-29T12:00:00Z", 951_825_600_000_000_000),
            ("2031-03-04T09:00:00.250000Z", 1_930_381_200_250_000_000),
            ("1969-12-31T23:59:59Z", -1_000_000_000),
        ];
        for (text, wanted) in cases {
            assert_eq!(Timestamp::parse(text), Some(Timestamp(wanted)), "{text}");
        }
        for text in ["", "now", "2031-13-01T00:00:00Z", "2031-03-04", "2031-03-04T09:00:00", "2031-03-04T09:00:00.Z"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
