//! What an unquoted scalar is: the YAML 1.2 core schema, and the words that other readers take for something else.
//!
//! A number keeps its digits. What only YAML 1.1 takes for a number, a boolean or a date is a text here, and
//! says so. Nothing here knows places.

use super::node::Number;

/// An unquoted scalar by its look.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Plain {
    Null,
    Bool(bool),
    Number(Number),
    /// `.inf` or `.nan`, or a number in base 8 or 16 with more than 128 bits.
    Inexact,
    Text,
    /// A text that another reader takes for what is named here.
    Ambiguous(&'static str),
}

pub(super) fn resolve(text: &str) -> Plain {
    match text.as_bytes() {
        [] | [b'~'] => Plain::Null,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => number_like(text),
        bytes if bytes.len() <= 5 => word(text),
        _ => Plain::Text,
    }
}

fn word(text: &str) -> Plain {
    match text {
        "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        _ => {}
    }
    let is_one_of = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if is_one_of(&["y", "yes", "on", "true"]) {
        Plain::Ambiguous("true")
    } else if is_one_of(&["n", "no", "off", "false"]) {
        Plain::Ambiguous("false")
    } else if is_one_of(&["null"]) {
        Plain::Ambiguous("null")
    } else {
        Plain::Text
    }
}

fn number_like(text: &str) -> Plain {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Plain::Inexact;
    }
    if let Some(plain) = based(text, "0x", 16).or_else(|| based(text, "0o", 8)) {
        return plain;
    }
    if let Some(parts) = Parts::of(text) {
        return parts.plain(text);
    }
    older_form(text, unsigned).map_or(Plain::Text, Plain::Ambiguous)
}

fn based(text: &str, prefix: &str, radix: u32) -> Option<Plain> {
    let digits = text.strip_prefix(prefix)?;
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    let value = u128::from_str_radix(digits, radix).ok();
    Some(value.map_or(Plain::Inexact, |value| Plain::Number(Number::new(value.to_string()))))
}

/// The parts of a decimal number.
struct Parts<'t> {
    sign: &'t str,
    whole: &'t str,
    fraction: Option<&'t str>,
    exponent: &'t str,
}

impl<'t> Parts<'t> {
    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
    fn of(text: &'t str) -> Option<Parts<'t>> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let sign = text.strip_suffix(unsigned)?;
        let (whole, rest) = digits(unsigned);
        let (fraction, exponent) = match rest.strip_prefix('.').map(digits) {
            Some((fraction, rest)) => (Some(fraction), rest),
            None => (None, rest),
        };
        let some_digits = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
        (some_digits && is_exponent(exponent)).then_some(Parts { sign, whole, fraction, exponent })
    }

    fn plain(&self, text: &str) -> Plain {
        if self.whole.len() > 1 && self.whole.starts_with('0') {
            return Plain::Ambiguous(if self.fraction.is_none() { "a number in base 8" } else { "a number" });
        }
        let is_json = self.sign != "+" && !self.whole.is_empty() && self.fraction != Some("");
        Plain::Number(Number::new(if is_json { text.to_owned() } else { self.json() }))
    }

    fn json(&self) -> String {
        let sign = if self.sign == "-" { "-" } else { "" };
        let whole = if self.whole.is_empty() { "0" } else { self.whole };
        let fraction = self.fraction.filter(|fraction| !fraction.is_empty());
        let point = if fraction.is_some() { "." } else { "" };
        [sign, whole, point, fraction.unwrap_or_default(), self.exponent].concat()
    }
}

fn digits(text: &str) -> (&str, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

fn is_exponent(text: &str) -> bool {
    let Some(power) = text.strip_prefix(['e', 'E']) else { return text.is_empty() };
    is_digits(power.strip_prefix(['+', '-']).unwrap_or(power))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What YAML 1.1 makes of a text that begins like a number.
fn older_form(text: &str, unsigned: &str) -> Option<&'static str> {
    if is_date(text) {
        return Some("a date");
    }
    let lower = unsigned.replace('_', "").to_ascii_lowercase();
    let in_base = |prefix: &str, radix: u32| {
        lower.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.chars().all(|char| char.is_digit(radix)))
    };
    if in_base("0x", 16) || in_base("0o", 8) || in_base("0b", 2) {
        return Some("a number");
    }
    if is_base_60(&lower) {
        return Some("a number in base 60");
    }
    (unsigned.contains('_') && unsigned.starts_with(|char: char| char.is_ascii_digit()) && Parts::of(&lower).is_some())
        .then_some("a number")
}

fn is_base_60(text: &str) -> bool {
    let text =
        text.split_once('.').filter(|(_, rest)| rest.bytes().all(|byte| byte.is_ascii_digit())).map_or(text, |p| p.0);
    let mut parts = text.split(':');
    let first = parts.next().is_some_and(is_digits);
    let mut rest = parts.peekable();
    first && rest.peek().is_some() && rest.all(|part| is_digits(part) && part.len() <= 2 && part < "60")
}

/// `2031-03-04`, alone or with a time behind it.
fn is_date(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let (day, time) = digits(rest);
    let short = |part: &str| is_digits(part) && part.len() <= 2;
    let time_like = |byte: u8| byte.is_ascii_digit() || b":.+-TtZz \t".contains(&byte);
    year.len() == 4
        && is_digits(year)
        && short(month)
        && short(day)
        && (time.is_empty() || time.starts_with(['T', 't', ' ', '\t']))
        && time.bytes().all(time_like)
}
