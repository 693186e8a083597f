//! Secrets that a text shows by their structure alone, by sort: for who takes them out of what a model reads.

use super::{card, text, token};
use std::ops::Range;

/// A sort of secret with a structure of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// A payment card's number: an issuer's prefix and length, and the Luhn check.
    Card,
    /// An international bank account number: a country, two check digits, and the check over all of it.
    Iban,
    /// A key of a known form, a bearer token, a private key.
    Token,
}

impl Structure {
    /// The text with such secrets covered; `None` where there are none.
    #[must_use]
    pub fn masked(self, text: &str) -> Option<String> {
        let mut found = Vec::new();
        match self {
            Structure::Card => card::find(text, &mut found),
            Structure::Iban => find_ibans(text, &mut found),
            Structure::Token => {
                token::find(text, &mut found);
                token::find_keys(text, &mut found);
                token::find_schemes(text, &mut found);
            }
        }
        text::merge(&mut found);
        text::cover(text, &found)
    }
}

/// The shortest and the longest.
const IBAN: std::ops::RangeInclusive<usize> = 15..=34;

/// Finds account numbers, in one piece or in groups of four.
fn find_ibans(text: &str, found: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let mut place = 0;
    while let Some(offset) = bytes.get(place..).and_then(|rest| rest.iter().position(u8::is_ascii_uppercase)) {
        let start = place.saturating_add(offset);
        place = start.saturating_add(1);
        let is_first = start.checked_sub(1).is_none_or(|before| !is_word(before));
        if let Some(end) = is_first.then(|| iban_end(bytes, start)).flatten() {
            found.push(start..end);
            place = end;
        }
    }
}

/// Where the longest account number ends that begins at a place.
fn iban_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut code, mut at, mut best) = (Vec::new(), start, None);
    while code.len() < *IBAN.end() {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_uppercase() || byte.is_ascii_digit() => code.push(*byte),
            Some(b' ') if !code.is_empty() && code.len() % 4 == 0 => {}
            _ => break,
        }
        at = at.saturating_add(1);
        let ends = !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
        if ends && bytes.get(at.saturating_sub(1)) != Some(&b' ') && is_iban(&code) {
            best = Some(at);
        }
    }
    best
}

/// ISO 13616: the first four behind the rest, letters as 10 to 35, modulo 97 is 1.
fn is_iban(code: &[u8]) -> bool {
    let (Some([a, b, c, d]), Some(rest)) = (code.first_chunk::<4>(), code.get(4..)) else { return false };
    let has_head = a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_digit() && d.is_ascii_digit();
    let remainder = rest.iter().chain([a, b, c, d]).fold(0_u32, |sum, byte| {
        let digit = char::from(*byte).to_digit(36).unwrap_or_default();
        let shift = if digit > 9 { 100 } else { 10 };
        sum.saturating_mul(shift).saturating_add(digit) % 97
    });
    IBAN.contains(&code.len()) && has_head && remainder == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn account_numbers_are_found_by_their_check() {
        let masked = |text| Structure::Iban.masked(text);
        assert_eq!(masked("to DE89370400440532013000.").as_deref(), Some("to [masked]."));
        assert_eq!(masked("to DE89 3704 0044 0532 0130 00, now").as_deref(), Some("to [masked], now"));
        for text in ["DE89370400440532013001", "XDE89370400440532013000", "DE89", "GB DE 12", ""] {
            assert_eq!(masked(text), None, "{text}");
        }
    }

    #[test]
    fn cards_and_tokens_are_told_apart() {
        assert_eq!(Structure::Card.masked("card 4111 1111 1111 1111").as_deref(), Some("card [masked]"));
        assert_eq!(Structure::Card.masked("card 4111 1111 1111 1112"), None);
        assert_eq!(Structure::Token.masked("card 4111 1111 1111 1111"), None);
    }
}
