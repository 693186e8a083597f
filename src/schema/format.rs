//! `format`: the eight named formats, all asserted.
//!
//! Each follows the RFC that JSON Schema 2020-12 names. A value that is not a string is none of a format's business.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A format that is checked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// RFC 3339 `full-date`.
    Date,
    /// RFC 3339 `date-time`: the offset is part of it.
    DateTime,
    /// RFC 3339 `full-time`: the offset is part of it.
    Time,
    /// RFC 5321 mailbox, ASCII.
    Email,
    /// RFC 3986 URI with a scheme.
    Uri,
    /// RFC 4122 UUID.
    Uuid,
    /// Dotted quad.
    Ipv4,
    /// RFC 4291 address, no zone.
    Ipv6,
}

impl Format {
    /// Every format with the name it has in a schema.
    pub(super) const NAMES: [(&'static str, Format); 8] = [
        ("date", Format::Date),
        ("date-time", Format::DateTime),
        ("time", Format::Time),
        ("email", Format::Email),
        ("uri", Format::Uri),
        ("uuid", Format::Uuid),
        ("ipv4", Format::Ipv4),
        ("ipv6", Format::Ipv6),
    ];

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::NAMES.iter().find(|(known, _)| *known == name).map(|(_, format)| *format)
    }

    /// What to send, with an example.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Format::Date => "a date like 2031-03-04",
            Format::DateTime => "a date and time with offset like 2031-03-04T09:00:00Z",
            Format::Time => "a time with offset like 09:00:00Z",
            Format::Email => "an email address",
            Format::Uri => "a URI with its scheme like https://example.com/a",
            Format::Uuid => "a UUID like 123e4567-e89b-12d3-a456-426614174000",
            Format::Ipv4 => "an IPv4 address like 192.0.2.1",
            Format::Ipv6 => "an IPv6 address like 2001:db8::1",
        }
    }

    /// True if the text has the format.
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        match self {
            Format::Date => date(text.as_bytes()),
            Format::DateTime => date_time(text.as_bytes()),
            Format::Time => time(text.as_bytes()),
            Format::Email => email(text),
            Format::Uri => uri(text),
            Format::Uuid => uuid(text.as_bytes()),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
        }
    }
}

/// The number that two or four digits are.
fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0_u32, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u32::from(byte.wrapping_sub(b'0')))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

fn date(text: &[u8]) -> bool {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else { return false };
    let (Some(year), Some(month), Some(day)) =
        (digits(&[*y1, *y2, *y3, *y4]), digits(&[*m1, *m2]), digits(&[*d1, *d2]))
    else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    (1..=last).contains(&day)
}

fn date_time(text: &[u8]) -> bool {
    text.split_at_checked(10).is_some_and(|(day, rest)| match rest {
        [b'T' | b't', clock @ ..] => date(day) && time(clock),
        _ => false,
    })
}

fn time(text: &[u8]) -> bool {
    let [h1, h2, b':', m1, m2, b':', s1, s2, rest @ ..] = text else { return false };
    let (Some(hour), Some(minute), Some(second)) = (digits(&[*h1, *h2]), digits(&[*m1, *m2]), digits(&[*s1, *s2]))
    else {
        return false;
    };
    let Some(offset) = offset(fraction(rest)) else { return false };
    // A leap second is the last one of the day in UTC.
    let utc =
        (i64::from(hour).saturating_mul(60).saturating_add(minute.into())).saturating_sub(offset).rem_euclid(1440);
    hour < 24 && minute < 60 && (second < 60 || (second == 60 && utc == 1439))
}

/// What follows an optional fraction; a dot without digits stays and fails as an offset.
fn fraction(text: &[u8]) -> &[u8] {
    let [b'.', rest @ ..] = text else { return text };
    let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    match rest.split_at_checked(end) {
        Some((digits, after)) if !digits.is_empty() => after,
        _ => text,
    }
}

/// The minutes of `Z` or `+hh:mm`.
fn offset(text: &[u8]) -> Option<i64> {
    match text {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hour, minute) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            let minutes = i64::from(hour).checked_mul(60)?.checked_add(minute.into())?;
            (hour < 24 && minute < 60).then_some(if *sign == b'-' { minutes.saturating_neg() } else { minutes })
        }
        _ => None,
    }
}

/// A dot-atom or a quoted local part, `@`, and a host name or an address in brackets.
fn email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let literal = domain.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let domain = match literal.map(|inside| (inside, inside.strip_prefix("IPv6:"))) {
        Some((_, Some(v6))) => v6.parse::<Ipv6Addr>().is_ok(),
        Some((v4, None)) => v4.parse::<Ipv4Addr>().is_ok(),
        None => hostname(domain),
    };
    domain && local.len() <= 64 && (atoms(local) || quoted(local))
}

fn atoms(local: &str) -> bool {
    let atom = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte);
    local.split('.').all(|part| !part.is_empty() && part.bytes().all(atom))
}

fn quoted(local: &str) -> bool {
    let Some(inside) = local.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else { return false };
    let mut bytes = inside.bytes();
    while let Some(byte) = bytes.next() {
        let fine = match byte {
            b'\\' => bytes.next().is_some_and(|next| (32..127).contains(&next)),
            b'"' => false,
            _ => (32..127).contains(&byte),
        };
        if !fine {
            return false;
        }
    }
    true
}

fn hostname(name: &str) -> bool {
    let label = |part: &str| {
        (1..=63).contains(&part.len())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    name.len() <= 253 && name.split('.').all(label)
}

fn uuid(text: &[u8]) -> bool {
    text.len() == 36
        && text.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let named = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (hier, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match hier.strip_prefix("//") {
        Some(hier) => hier.split_at_checked(hier.find('/').unwrap_or(hier.len())).unwrap_or((hier, "")),
        None => ("", hier),
    };
    named
        && uri_authority(authority)
        && uri_text(path, b":@/")
        && uri_text(query, b":@/?")
        && uri_text(fragment, b":@/?")
}

fn uri_authority(authority: &str) -> bool {
    let (user, host) = authority.split_once('@').unwrap_or(("", authority));
    let (host, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let Some((address, port)) = rest.split_once(']') else { return false };
            if address.parse::<Ipv6Addr>().is_err() || !(port.is_empty() || port.starts_with(':')) {
                return false;
            }
            ("", port.strip_prefix(':').unwrap_or(port))
        }
        None => host.split_once(':').unwrap_or((host, "")),
    };
    uri_text(user, b":") && uri_text(host, b"") && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// Unreserved characters, sub-delimiters, `%XX` and the characters given.
fn uri_text(text: &str, more: &[u8]) -> bool {
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let fine = match byte {
            b'%' => [bytes.next(), bytes.next()].iter().all(|next| next.is_some_and(|b| b.is_ascii_hexdigit())),
            _ => byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=".contains(&byte) || more.contains(&byte),
        };
        if !fine {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn case(name: &str, yes: &[&str], no: &[&str]) {
        let format = Format::named(name).unwrap();
        for text in yes {
            assert!(format.matches(text), "{text:?} is a {name}");
        }
        for text in no {
            assert!(!format.matches(text), "{text:?} is no {name}");
        }
    }

    #[test]
    fn dates_and_times_follow_rfc_3339() {
        case(
            "date",
            &["2031-03-04", "2024-02-29", "2000-02-29"],
            &["2031-3-4", "2023-02-29", "1900-02-29", "2031-13-01", "2031-04-31", "2031-00-10", "x", ""],
        );
        case(
            "time",
            &["09:00:00Z", "23:59:60Z", "09:00:00.25+01:30", "00:29:60+00:30"],
            &["09:00:00", "9:00:00Z", "24:00:00Z", "09:60:00Z", "09:00:60Z", "09:00:00.Z", "09:00:00+24:00"],
        );
        case(
            "date-time",
            &["2031-03-04T09:00:00Z", "2031-03-04t09:00:00z"],
            &["2031-03-04", "2031-03-04T09:00:00", "2031-03-04 09:00:00Z", "2031-02-30T09:00:00Z"],
        );
    }

    #[test]
    fn addresses_are_read_whole() {
        case(
            "email",
            &["a@b.example", "a.b+c@x-y.example", "\"a b\"@c.example", "a@[192.0.2.1]"],
            &["a", "a@", "@b", "a..b@c.example", "a b@c.example", "a@-b.example", "a@b.example\n", "a@b,c@d.example"],
        );
        case("ipv4", &["192.0.2.1"], &["192.0.2", "192.0.2.256", "192.0.2.01", " 192.0.2.1"]);
        case("ipv6", &["::1", "2001:db8::1"], &["2001:db8", "::1%eth0", "[::1]"]);
        case(
            "uuid",
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567e89b12d3a456426614174000", "g23e4567-e89b-12d3-a456-426614174000"],
        );
    }

    #[test]
    fn a_uri_has_a_scheme_and_no_white_space() {
        case(
            "uri",
            &["https://example.com/a?b=c#d", "mailto:a@b.example", "urn:x:y", "http://[::1]:80/", "http://u:p@h/"],
            &[
                "example.com",
                "/a",
                "http://a b/",
                "http://a/\u{e9}",
                "http://a/%zz",
                "1http://a",
                "http://[::1/",
                "http://a:b/",
            ],
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_a_format_panic(text in ".{0,40}", at in 0_usize..8) {
            let _ = Format::NAMES[at].1.matches(&text);
        }
    }
}
