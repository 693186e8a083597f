//! The quick look at a line: one pass that accepts exactly the bytes a writer would have written.
//!
//! No tree, nothing kept but where the parts stand. What it does not accept it does not explain; that is `fault.rs`.

use super::{BODY_DEPTH, Line};
use crate::canon::{Digest, plain_run};
use crate::decimal::Decimal;
use crate::json::{Limits, Reader};
use crate::value::compare_keys;

/// The largest `seq`.
pub(super) const MAX_SEQ: u64 = (1 << 53) - 1;

/// The body and the hash of a line that begins and ends as one.
pub(super) fn envelope(line: &[u8]) -> Option<(&[u8], Digest)> {
    let rest = line.strip_prefix(b"{\"body\":")?.strip_suffix(b"\"}")?;
    let (rest, hash) = rest.split_last_chunk::<64>()?;
    Some((rest.strip_suffix(b",\"hash\":\"")?, digest(hash)?))
}

/// What each byte stands for as a hex digit of our form; 16 and more for none.
const HEX: [u8; 256] = hex_digits();

#[expect(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated by the compiler")]
const fn hex_digits() -> [u8; 256] {
    let mut table = [0x10; 256];
    let mut digit = 0;
    while digit < 16 {
        table[b"0123456789abcdef"[digit] as usize] = digit as u8;
        digit += 1;
    }
    table
}

fn digest(hex: &[u8; 64]) -> Option<Digest> {
    let mut bytes = [0; 32];
    let mut bad = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(hex.as_chunks::<2>().0) {
        // A byte is a place in a table of 256.
        let [high, low] = [high, low].map(|digit| HEX.get(usize::from(*digit)).copied().unwrap_or(0x10));
        bad |= high | low;
        *byte = (high << 4) | low;
    }
    (bad < 0x10).then_some(Digest(bytes))
}

/// The record of a line whose form is right in every byte; its hash is as it is written.
pub(super) fn line(line: &[u8]) -> Option<Line<'_>> {
    let (body, hash) = envelope(line)?;
    let text = std::str::from_utf8(body).ok()?;
    let mut scan = Scan { text, rest: body, names_values: false };
    scan.word(b"{")?;
    let at = match scan.word(b"\"at\":\"") {
        Some(()) => Some(scan.part(is_time)?),
        None => None,
    };
    if at.is_some() {
        scan.word(b"\",")?;
    }
    scan.word(b"\"data\":")?;
    let start = scan.place();
    scan.object(2)?;
    let data = text.get(start..scan.place())?;
    scan.word(b",\"kind\":\"")?;
    let kind = scan.part(is_kind)?;
    scan.word(b"\",\"prev\":\"")?;
    let prev = scan.digest()?;
    scan.word(b"\",\"run\":\"")?;
    let run = scan.part(is_run)?;
    scan.word(b"\",\"seq\":")?;
    let seq = scan.seq()?;
    scan.word(b",\"v\":1}")?;
    let line = Line { at, data, kind, prev, run, seq, hash, body, names_values: scan.names_values };
    scan.rest.is_empty().then_some(line)
}

/// True for the canonical bytes of one JSON object, nested no deeper than a body may be.
#[cfg(test)]
pub(super) fn is_canonical_object(text: &str) -> bool {
    let mut scan = Scan { text, rest: text.as_bytes(), names_values: false };
    scan.object(1).is_some() && scan.rest.is_empty()
}

/// `YYYY-MM-DDTHH:MM:SS.ffffffZ`, with any digits.
pub(super) fn is_time(text: &str) -> bool {
    const FORM: &[u8; 27] = b"0000-00-00T00:00:00.000000Z";
    let fits = |(byte, form): (u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == *form };
    text.len() == FORM.len() && text.bytes().zip(FORM).all(fits)
}

/// 1 to 64 of `a-z`, `0-9`, `.` and `_`.
pub(super) fn is_kind(text: &str) -> bool {
    let fits = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'_');
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
}

/// 1 to 64 of `0-9`, `A-Z`, `a-z`, `_` and `-`.
pub(super) fn is_run(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=64).contains(&text.len()) && text.bytes().all(fits)
}

/// A whole number in digits alone, up to [`MAX_SEQ`].
pub(super) fn seq(digits: &str) -> Option<u64> {
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    digits.parse().ok().filter(|seq| is_plain && *seq <= MAX_SEQ)
}

/// What is left of a text. Every method takes its part off the front, or answers `None`.
// INVARIANT: `rest` is the end of `text`.
struct Scan<'a> {
    text: &'a str,
    rest: &'a [u8],
    names_values: bool,
}

/// A string as it stands between its quotes.
#[derive(Clone, Copy)]
struct Raw<'a> {
    text: &'a str,
    has_escape: bool,
}

impl<'a> Scan<'a> {
    fn place(&self) -> usize {
        self.text.len().wrapping_sub(self.rest.len())
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    #[inline]
    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    /// The text up to the next quote, if it has the form.
    fn part(&mut self, has_form: impl Fn(&str) -> bool) -> Option<&'a str> {
        let start = self.place();
        self.advance(plain_run(self.rest));
        self.text.get(start..self.place()).filter(|text| has_form(text))
    }

    fn digest(&mut self) -> Option<Digest> {
        let (hex, rest) = self.rest.split_first_chunk::<64>()?;
        self.rest = rest;
        digest(hex)
    }

    fn seq(&mut self) -> Option<u64> {
        let start = self.place();
        self.advance(digits(self.rest));
        seq(self.text.get(start..self.place())?)
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        match *self.rest.first()? {
            b'"' => self.string().map(drop),
            b'{' => self.object(depth),
            b'[' => self.array(depth),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<()> {
        self.word(b"{")?;
        if depth > BODY_DEPTH {
            return None;
        }
        if self.word(b"}").is_some() {
            return Some(());
        }
        let mut last: Option<Raw<'a>> = None;
        loop {
            let key = self.string()?;
            if last.is_some_and(|last| !ascends(last, key)) {
                return None;
            }
            self.names_values |= key.text == "ref";
            last = Some(key);
            self.word(b":")?;
            self.value(depth.wrapping_add(1))?;
            if self.word(b",").is_none() {
                return self.word(b"}");
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<()> {
        self.word(b"[")?;
        if depth > BODY_DEPTH {
            return None;
        }
        if self.word(b"]").is_some() {
            return Some(());
        }
        loop {
            self.value(depth.wrapping_add(1))?;
            if self.word(b",").is_none() {
                return self.word(b"]");
            }
        }
    }

    fn string(&mut self) -> Option<Raw<'a>> {
        self.word(b"\"")?;
        let start = self.place();
        let mut has_escape = false;
        loop {
            self.advance(plain_run(self.rest));
            match *self.rest {
                [b'"', ..] => break,
                [b'\\', b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.advance(2),
                [b'\\', b'u', b'0', b'0', high, low, ..] if has_no_short_form(high, low) => self.advance(6),
                _ => return None,
            }
            has_escape = true;
        }
        let text = self.text.get(start..self.place())?;
        self.advance(1);
        Some(Raw { text, has_escape })
    }

    fn number(&mut self) -> Option<()> {
        let token = self.rest;
        let unsigned = token.strip_prefix(b"-").unwrap_or(token);
        let whole = digits(unsigned);
        self.rest = unsigned.get(whole..)?;
        let mut places = 0;
        if let [b'.', fraction @ ..] = self.rest {
            places = digits(fraction);
            self.rest = fraction.get(places..)?;
            if fraction.get(places.wrapping_sub(1)).is_none_or(|last| *last == b'0') {
                return None;
            }
        }
        let length = token.len().wrapping_sub(self.rest.len());
        match (whole, unsigned) {
            (0, _) => None,
            (1, [b'0', ..]) if places == 0 && length == 2 => None,
            (2.., [b'0', ..]) => None,
            // Up to 34 digits are exact, whatever they are.
            _ if length <= 34 => Some(()),
            _ => is_normal(token.get(..length)?).then_some(()),
        }
    }
}

fn digits(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// The control characters that are escaped with four digits: those without a letter of their own.
fn has_no_short_form(high: u8, low: u8) -> bool {
    match (high, low) {
        (b'0', b'8' | b'9' | b'a' | b'c' | b'd') => false,
        (b'0' | b'1', b'0'..=b'9' | b'a'..=b'f') => true,
        _ => false,
    }
}

#[cold]
fn is_normal(number: &[u8]) -> bool {
    let number = std::str::from_utf8(number).unwrap_or_default();
    Decimal::parse_json(number).is_ok_and(|exact| exact.to_string() == number)
}

/// True if the second key stands behind the first in canonical order, and is another.
fn ascends(first: Raw<'_>, second: Raw<'_>) -> bool {
    if first.has_escape || second.has_escape {
        return unescaped_ascend(first.text, second.text).unwrap_or(false);
    }
    compare_keys(first.text, second.text).is_lt()
}

#[cold]
fn unescaped_ascend(first: &str, second: &str) -> Option<bool> {
    let [first, second] = [first, second].map(|text| format!("\"{text}\""));
    let text = |quoted: &str| Some(Reader::new(quoted.as_bytes(), Limits::default()).ok()?.string().ok()?.into_owned());
    Some(compare_keys(&text(&first)?, &text(&second)?).is_lt())
}
