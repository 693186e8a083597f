//! Reading a text by bytes without ever stepping outside it: the small words that the finders share.
//!
//! A range that a finder gives begins and ends at ASCII bytes or at the ends of the text, so cutting there never
//! splits a character.

use std::ops::Range;

/// The byte at a place.
pub(super) fn at(text: &str, place: usize) -> Option<u8> {
    text.as_bytes().get(place).copied()
}

/// The byte before a place.
pub(super) fn before(text: &str, place: usize) -> Option<u8> {
    at(text, place.checked_sub(1)?)
}

/// The text between two places; empty where they do not name one.
pub(super) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The text from a place on.
pub(super) fn tail(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

/// Where a run of bytes that fit ends.
pub(super) fn run(text: &str, from: usize, fits: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let length = rest.iter().position(|byte| !fits(*byte)).unwrap_or(rest.len());
    from.saturating_add(length)
}

/// Where a run of bytes that fit begins, of at most `most`, that ends at a place.
pub(super) fn run_back(text: &str, end: usize, most: usize, fits: impl Fn(u8) -> bool) -> usize {
    let head = text.as_bytes().get(..end).unwrap_or_default();
    let length = head.iter().rev().take(most).position(|byte| !fits(*byte)).unwrap_or(head.len().min(most));
    end.saturating_sub(length)
}

/// True if a word may begin at a place: no letter or digit is before it, unless an escaped line break is.
pub(super) fn begins_word(text: &str, place: usize) -> bool {
    match before(text, place) {
        None => true,
        Some(b'n' | b'r' | b't') => before(text, place.saturating_sub(1)) == Some(b'\\'),
        Some(byte) => !byte.is_ascii_alphanumeric() && byte != b'_' && byte < 0x80,
    }
}

/// Space within a line.
pub(super) fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// The bytes of standard or URL-safe base64, padded or not; `None` where it is none.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte.wrapping_sub(b'A'),
            b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(digit)) & 0xffff;
        held = held.saturating_add(6);
        if held >= 8 {
            held = held.saturating_sub(8);
            out.push(u8::try_from(bits >> held & 0xff).unwrap_or_default());
        }
    }
    Some(out)
}
