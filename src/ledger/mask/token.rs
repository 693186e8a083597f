//! Secrets that show by themselves: tokens with a known prefix, length and alphabet, JSON web tokens, private key
//! blocks, and what follows `Bearer` or `Basic`.

use super::bytes::{at, base64, begins_word, is_blank, run, slice, tail};
use std::ops::Range;

/// The alphabet of a token behind its prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// Letters and digits.
    Alphanumeric,
    /// Capitals and digits.
    Capitals,
    /// Letters, digits, `-` and `_`.
    Url,
    /// The same and `.`.
    Dotted,
    /// As `Url`, but random: a digit in it, and a capital or 16 letters and digits in one run. `sk-learn-…` is none.
    Random,
}

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            Body::Alphanumeric => byte.is_ascii_alphanumeric(),
            Body::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Body::Url | Body::Random => byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_',
            Body::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
        }
    }
}

/// Prefix, alphabet, and the least and greatest length behind the prefix.
const PREFIXES: &[(&str, Body, usize, usize)] = &[
    ("sk-", Body::Random, 20, 400),
    ("sk_live_", Body::Alphanumeric, 10, 400),
    ("sk_test_", Body::Alphanumeric, 10, 400),
    ("rk_live_", Body::Alphanumeric, 10, 400),
    ("rk_test_", Body::Alphanumeric, 10, 400),
    ("whsec_", Body::Alphanumeric, 20, 400),
    ("ghp_", Body::Alphanumeric, 36, 255),
    ("gho_", Body::Alphanumeric, 36, 255),
    ("ghu_", Body::Alphanumeric, 36, 255),
    ("ghs_", Body::Alphanumeric, 36, 255),
    ("ghr_", Body::Alphanumeric, 36, 255),
    ("github_pat_", Body::Url, 36, 255),
    ("glpat-", Body::Url, 20, 255),
    ("xoxa-", Body::Url, 10, 400),
    ("xoxb-", Body::Url, 10, 400),
    ("xoxp-", Body::Url, 10, 400),
    ("xoxr-", Body::Url, 10, 400),
    ("xoxs-", Body::Url, 10, 400),
    ("xapp-", Body::Url, 20, 400),
    ("AKIA", Body::Capitals, 16, 16),
    ("ASIA", Body::Capitals, 16, 16),
    ("AIza", Body::Url, 35, 35),
    ("ya29.", Body::Dotted, 20, 4000),
    ("GOCSPX-", Body::Url, 20, 100),
    ("npm_", Body::Alphanumeric, 36, 36),
    ("pypi-AgEIcHlwaS5vcmc", Body::Url, 40, 4000),
    ("SG.", Body::Dotted, 60, 80),
    ("hf_", Body::Alphanumeric, 30, 60),
    ("gsk_", Body::Alphanumeric, 40, 80),
    ("shpat_", Body::Alphanumeric, 32, 32),
    ("dop_v1_", Body::Alphanumeric, 64, 64),
    ("lin_api_", Body::Alphanumeric, 32, 80),
];

/// The shortest of all: `xoxb-` and ten characters.
pub(super) const SHORTEST: usize = 15;

/// Finds every token of the table, and JSON web tokens.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while place < text.len() {
        let end =
            match at(text, place) {
                Some(
                    b's' | b'r' | b'w' | b'g' | b'x' | b'A' | b'y' | b'G' | b'n' | b'p' | b'S' | b'h' | b'd' | b'l',
                ) if begins_word(text, place) => token_end(text, place),
                Some(b'e') if begins_word(text, place) => web_token_end(text, place),
                _ => None,
            };
        if let Some(end) = end {
            found.push(place..end);
        }
        place = end.unwrap_or_else(|| place.saturating_add(1));
    }
}

fn token_end(text: &str, start: usize) -> Option<usize> {
    let rest = tail(text, start);
    // Most words are told apart by their first two letters.
    let head = rest.as_bytes().first_chunk::<2>()?;
    let known = |prefix: &str| prefix.as_bytes().first_chunk::<2>() == Some(head) && rest.starts_with(prefix);
    let (prefix, body, least, most) = PREFIXES.iter().find(|(prefix, ..)| known(prefix))?;
    let from = start.saturating_add(prefix.len());
    let end = run(text, from, |byte| body.has(byte));
    let length = end.saturating_sub(from);
    let fits = (*least..=*most).contains(&length) && (*body != Body::Random || is_random(slice(text, from..end)));
    fits.then_some(end)
}

fn is_random(body: &str) -> bool {
    let longest = body.split(['-', '_']).map(str::len).max().unwrap_or_default();
    let has = |fits: fn(&u8) -> bool| body.bytes().any(|byte| fits(&byte));
    has(u8::is_ascii_digit) && (has(u8::is_ascii_uppercase) || longest >= 16)
}

/// A token of three parts (five, if encrypted) whose first is a JSON object with an `alg`.
fn web_token_end(text: &str, start: usize) -> Option<usize> {
    if !tail(text, start).starts_with("eyJ") {
        return None;
    }
    let is_part = |byte: u8| Body::Url.has(byte);
    let header = run(text, start, is_part);
    let payload = run(text, header.saturating_add(1), is_part);
    let dots = at(text, header) == Some(b'.') && at(text, payload) == Some(b'.');
    if !dots || payload <= header.saturating_add(1) {
        return None;
    }
    let decoded = base64(slice(text, start..header))?;
    let json = crate::json::parse(&decoded, &crate::json::Limits::default()).ok()?;
    json.get("alg")?;
    let mut end = run(text, payload.saturating_add(1), is_part);
    while at(text, end) == Some(b'.') && at(text, end.saturating_add(1)).is_some_and(is_part) {
        end = run(text, end.saturating_add(1), is_part);
    }
    Some(end)
}

const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";

/// Finds private key blocks; one without an end reaches to the end of the text.
pub(super) fn find_keys(text: &str, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(offset) = tail(text, place).find(BEGIN) {
        let start = place.saturating_add(offset);
        let label = start.saturating_add(BEGIN.len());
        let after = tail(text, label).find(DASHES).map_or(text.len(), |at| label.saturating_add(at));
        place = label;
        let name = slice(text, label..after);
        if !name.contains("PRIVATE KEY") || name.len() > 60 {
            continue;
        }
        let end_line = format!("-----END {name}-----");
        let end = tail(text, after).find(&end_line);
        place = end.map_or(text.len(), |at| after.saturating_add(at).saturating_add(end_line.len()));
        found.push(start..place);
    }
}

/// Finds what follows `Bearer` or `Basic` where it can only be a credential.
pub(super) fn find_schemes(text: &str, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(offset) = tail(text, place).bytes().position(|byte| byte | 0x20 == b'b') {
        let start = place.saturating_add(offset);
        place = start.saturating_add(1);
        let Some(word) = scheme(text, start).filter(|_| begins_word(text, start)) else { continue };
        let from = run(text, start.saturating_add(word.len()), is_blank);
        let end = run(text, from, is_token68);
        let value = slice(text, from..end);
        if from > start.saturating_add(word.len()) && is_credential(word, value) {
            found.push(from..end);
            place = end;
        }
    }
}

fn scheme(text: &str, start: usize) -> Option<&'static str> {
    ["bearer", "basic"]
        .into_iter()
        .find(|word| slice(text, start..start.saturating_add(word.len())).eq_ignore_ascii_case(word))
}

fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~' | b'+' | b'/' | b'=')
}

fn is_credential(scheme: &str, value: &str) -> bool {
    if scheme == "bearer" {
        return value.len() >= 16 && value.bytes().any(|byte| byte.is_ascii_digit());
    }
    let decoded = if value.len() >= 4 { base64(value) } else { None };
    decoded.is_some_and(|bytes| bytes.contains(&b':') && std::str::from_utf8(&bytes).is_ok())
}
