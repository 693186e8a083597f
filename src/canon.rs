//! The canonical bytes of a value, and their digest.
//!
//! Order and escapes are RFC 8785's; numbers are written in their normal form without exponent, so they stay exact.
//! [`write()`] gives the bytes of a [`Value`], [`ObjectWriter`] those of a typed record, [`Digest`] names them.
//!
//! Nothing here depends on a crate's map order or number printing, and nothing can fail.

use crate::decimal::Decimal;
use crate::value::{Value, compare_keys};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// The canonical bytes of a value.
///
/// ```
/// use flyball::{canon, json};
///
/// let value = json::parse(br#" {"b": 1.50, "a": "\u20ac\/"} "#, &json::Limits::default()).unwrap();
/// assert_eq!(canon::to_vec(&value), r#"{"a":"€/","b":1.5}"#.as_bytes());
/// ```
#[must_use]
pub fn to_vec(value: &Value<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    write(value, &mut out);
    out
}

/// The canonical text of a value.
#[must_use]
pub fn to_text(value: &Value<'_>) -> String {
    String::from_utf8(to_vec(value)).unwrap_or_default()
}

/// The digest of a value's canonical bytes.
#[must_use]
pub fn digest(value: &Value<'_>) -> Digest {
    Digest::of(&to_vec(value))
}

/// Appends the canonical bytes of a value.
pub fn write(value: &Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(truth) => write_bool(*truth, out),
        Value::Number(number) => number.write_text(out),
        Value::String(text) => write_string(text, out),
        Value::Array(elements) => write_array(elements, out, write),
        Value::Object(object) => {
            out.push(b'{');
            for (position, (key, member)) in object.iter().enumerate() {
                if position > 0 {
                    out.push(b',');
                }
                write_string(key, out);
                out.push(b':');
                write(member, out);
            }
            out.push(b'}');
        }
    }
}

/// Appends `true` or `false`.
pub fn write_bool(truth: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if truth { b"true" } else { b"false" });
}

/// Appends an array whose elements `element` writes.
pub fn write_array<T>(elements: impl IntoIterator<Item = T>, out: &mut Vec<u8>, element: impl Fn(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (position, item) in elements.into_iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        element(item, out);
    }
    out.push(b']');
}

/// Appends a string with its quotes, escaped as RFC 8785 says.
pub fn write_string(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len().saturating_add(2));
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, after) = rest.split_at_checked(plain_run(rest)).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        let [special, after @ ..] = after else { break };
        write_escape(*special, out);
        rest = after;
    }
    out.push(b'"');
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => return out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 15)]),
    };
    out.extend_from_slice(&[b'\\', short]);
}

const fn hex(digit: u8) -> u8 {
    if digit < 10 { b'0'.wrapping_add(digit) } else { b'a'.wrapping_add(digit).wrapping_sub(10) }
}

/// How many bytes stand before the first that a JSON string must escape: a quote, a backslash, a control character.
///
/// Eight bytes at a time. In each test the lowest set bit is exact (a borrow can only spoil bits above a true one).
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    let (chunks, tail) = bytes.as_chunks::<8>();
    let mut at = 0_usize;
    for chunk in chunks {
        let special = specials(u64::from_le_bytes(*chunk));
        if special != 0 {
            return at.wrapping_add((special.trailing_zeros() / 8) as usize);
        }
        at = at.wrapping_add(8);
    }
    let plain = |byte: &&u8| **byte >= 0x20 && **byte != b'"' && **byte != b'\\';
    at.wrapping_add(tail.iter().take_while(plain).count())
}

/// The high bit of each byte that is special.
const fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    const QUOTES: u64 = 0x2222_2222_2222_2222;
    const SLASHES: u64 = 0x5c5c_5c5c_5c5c_5c5c;
    const SPACES: u64 = 0x2020_2020_2020_2020;
    // Below 0x80 each subtraction sets the high bit of just the bytes it looks for; the rest `!word` takes out.
    let control = word.wrapping_sub(SPACES);
    let quote = (word ^ QUOTES).wrapping_sub(ONES);
    let slash = (word ^ SLASHES).wrapping_sub(ONES);
    (control | quote | slash) & !word & HIGH
}

/// Writes one JSON object field by field, for records whose type is known.
///
/// The caller names the fields in key order, by plain words; a test run stops where it does not.
///
/// ```
/// use flyball::canon::ObjectWriter;
///
/// let mut out = Vec::new();
/// let mut object = ObjectWriter::new(&mut out);
/// object.string("code", "cap").bool("ok", false);
/// object.finish();
/// assert_eq!(out, br#"{"code":"cap","ok":false}"#);
/// ```
#[derive(Debug)]
pub struct ObjectWriter<'o> {
    out: &'o mut Vec<u8>,
    last: Option<&'o str>,
}

impl<'o> ObjectWriter<'o> {
    /// Opens the object.
    pub fn new(out: &'o mut Vec<u8>) -> ObjectWriter<'o> {
        out.push(b'{');
        ObjectWriter { out, last: None }
    }

    /// Writes a key and lets `write` append its value.
    pub fn field(&mut self, key: &'o str, write: impl FnOnce(&mut Vec<u8>)) -> &mut Self {
        // INVARIANT: keys ascend, or the bytes are not canonical.
        debug_assert!(self.last.is_none_or(|last| compare_keys(last, key).is_lt()), "`{key}` is out of order");
        if self.last.replace(key).is_some() {
            self.out.push(b',');
        }
        // A key is a plain word, so nothing in it is escaped.
        debug_assert!(plain_run(key.as_bytes()) == key.len(), "`{key}` is no plain word");
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        write(self.out);
        self
    }

    /// Writes a field that may be absent.
    pub fn optional<T>(&mut self, key: &'o str, value: Option<T>, write: impl FnOnce(T, &mut Vec<u8>)) -> &mut Self {
        if let Some(value) = value {
            self.field(key, |out| write(value, out));
        }
        self
    }

    /// Writes a string field.
    pub fn string(&mut self, key: &'o str, text: &str) -> &mut Self {
        self.field(key, |out| write_string(text, out))
    }

    /// Writes a boolean field.
    pub fn bool(&mut self, key: &'o str, truth: bool) -> &mut Self {
        self.field(key, |out| write_bool(truth, out))
    }

    /// Writes a number field.
    pub fn number(&mut self, key: &'o str, number: impl Into<Decimal>) -> &mut Self {
        self.field(key, |out| number.into().write_text(out))
    }

    /// Writes a field that holds any value.
    pub fn value(&mut self, key: &'o str, value: &Value<'_>) -> &mut Self {
        self.field(key, |out| write(value, out))
    }

    /// Closes the object.
    pub fn finish(self) {
        self.out.push(b'}');
    }
}

/// A SHA-256 digest; its text is 64 lower-case hex digits.
///
/// ```
/// use flyball::canon::Digest;
///
/// let digest = Digest::of(b"abc");
/// assert_eq!(digest.to_string(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

/// A text that is not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is 64 lower-case hex digits")]
pub struct BadDigest;

impl Digest {
    /// 32 zero bytes: what stands for the digest before the first.
    pub const ZERO: Digest = Digest([0; 32]);

    /// The digest of bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// The digest of parts that stand one behind the other.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Digest {
        let mut hasher = Sha256::new();
        parts.iter().for_each(|part| hasher.update(part));
        Digest(hasher.finalize().into())
    }

    /// The text as bytes.
    #[must_use]
    pub fn to_hex(&self) -> [u8; 64] {
        let mut text = [b'0'; 64];
        for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [hex(byte >> 4), hex(byte & 15)];
        }
        text
    }

    /// Appends the text as a JSON string.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'"');
        out.extend_from_slice(&self.to_hex());
        out.push(b'"');
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.to_hex()).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Digest, BadDigest> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(BadDigest);
        }
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Ok(Digest(bytes))
    }
}

const fn digit(byte: u8) -> Result<u8, BadDigest> {
    match byte {
        b'0'..=b'9' => Ok(byte.wrapping_sub(b'0')),
        b'a'..=b'f' => Ok(byte.wrapping_sub(b'a').wrapping_add(10)),
        _ => Err(BadDigest),
    }
}

#[cfg(test)]
mod tests;
