//! What a token is, and the hash of a run of them.
//!
//! A text is cut at white space, and nowhere inside a word of a script that has spaces: `ORD-000017`, an e-mail address,
//! a URL and an IBAN without spaces are one token each, so that no value is found inside a longer one. What a text then
//! says in other signs than its words is dealt with so:
//!
//! * Quotes and brackets before a word, and these and sentence signs behind it, may be there or not in what was *typed*:
//!   `"Spotify Premium".` says `Spotify Premium`. A value's own signs count: `Premium.` is said only where the full stop is.
//! * A comma or semicolon inside a value may be missing on either side: `12 Main St, Springfield`.
//! * A currency sign before or behind a number is a token of its own: `$500`, `500€`.
//! * Han, kana and their signs are a token each, for these scripts have no spaces between words.
//!
//! Tokens are the same by their letters, large or small, within one letter's own script: a letter is folded only to one
//! that it comes back from, so neither a look-alike of another script nor a compatibility form (the Kelvin sign, full
//! width) is ever the same as another, and nothing is composed or decomposed. Invisible characters count.
//!
//! A token of the form `-?digits[.digits]` without leading zeros is a number and the same by its value: `1000.50` and
//! `1000.5`. `1,000`, `1.000,50`, `1e3`, `007` and `5%` are words; a date is the word it is written as, `2031-03-04`.

use crate::decimal::Decimal;
use crate::hash::{Hash128, SessionKey};
use std::borrow::Cow;
use std::ops::Range;

/// What may stand before a word and not belong to it.
const BEFORE: &str = "\"'([{<`«„“”‘’‚‹¿¡";

/// What may stand behind a word and not belong to it.
const BEHIND: &str = "\"')]}>`»“”‘’›.,;:!?…،؛؟।";

/// As many signs at each end of a word may be left out.
const MAX_SIGNS: usize = 4;

/// The tokens of a text.
pub(super) struct Tokens {
    tokens: Vec<Token>,
}

/// The hashes of a token by its place in a run. The first of each is the token as it is written.
struct Token {
    alone: Box<[u128]>,
    first: Box<[u128]>,
    inner: u128,
    last: Box<[u128]>,
}

impl Tokens {
    /// The tokens of a text; `None` if there are more than `most`.
    pub(super) fn of(key: &SessionKey, text: &str, most: usize) -> Option<Tokens> {
        let mut tokens = Vec::new();
        for piece in pieces(text) {
            if tokens.len() == most {
                return None;
            }
            tokens.push(Token::of(key, text, &piece));
        }
        Some(Tokens { tokens })
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Every run of as many tokens that is said, until one is not taken; false then.
    pub(super) fn runs(&self, length: usize, take: &mut impl FnMut(u128) -> bool) -> bool {
        self.tokens.windows(length).all(|window| match window {
            [one] => one.alone.iter().all(|run| take(*run)),
            [first, inner @ .., last] => first.first.iter().all(|start| {
                let start = inner.iter().fold(*start, |run, token| joined(run, token.inner));
                last.last.iter().all(|end| take(joined(start, *end)))
            }),
            [] => true,
        })
    }

    /// The whole as written, in stretches of at most as many tokens, each with its length, until one is not taken.
    pub(super) fn stretches(&self, most: usize, take: &mut impl FnMut(u128, usize) -> bool) {
        let (length, end) = (self.tokens.len().min(most), self.tokens.len());
        for (at, window) in self.tokens.windows(length.max(1)).enumerate() {
            let is_last = at.saturating_add(length) == end;
            let run = match window {
                [one] => one.alone.first().copied().unwrap_or_default(),
                [first, inner @ .., last] => {
                    let start = if at == 0 { first.first.first().copied() } else { Some(first.inner) };
                    let run = inner.iter().fold(start.unwrap_or_default(), |run, token| joined(run, token.inner));
                    let end = if is_last { last.last.first().copied() } else { Some(last.inner) };
                    joined(run, end.unwrap_or_default())
                }
                [] => return,
            };
            if !take(run, length) {
                return;
            }
        }
    }
}

/// The hash of a run that is one token longer.
fn joined(run: u128, token: u128) -> u128 {
    crate::observed::entry_key([run, token])
}

/// A token in its text: the signs before it, itself, the signs behind.
struct Piece {
    before: Range<usize>,
    behind: Range<usize>,
}

impl Piece {
    fn whole(range: Range<usize>) -> Piece {
        Piece { before: range.start..range.start, behind: range.end..range.end }
    }
}

impl Token {
    fn of(key: &SessionKey, text: &str, piece: &Piece) -> Token {
        let hash = |start: usize, end: usize| hash(key, text.get(start..end).unwrap_or_default());
        let signs = |range: &Range<usize>| text.get(range.clone()).unwrap_or_default();
        let starts: Vec<usize> = boundaries(signs(&piece.before), piece.before.start).collect();
        let mut ends: Vec<usize> = boundaries(signs(&piece.behind), piece.behind.start).collect();
        ends.reverse();
        let start = piece.before.start;
        let comma = signs(&piece.behind).trim_end_matches([',', ';']).len();
        let inner_end = piece.behind.start.saturating_add(comma);
        Token {
            alone: starts.iter().flat_map(|start| ends.iter().map(|end| hash(*start, *end))).collect(),
            first: starts.iter().map(|start| hash(*start, inner_end)).collect(),
            inner: hash(start, inner_end),
            last: ends.iter().map(|end| hash(start, *end)).collect::<Vec<_>>().into(),
        }
    }
}

/// The places between the signs of a text, the first before all of them, the last behind.
fn boundaries(signs: &str, at: usize) -> impl Iterator<Item = usize> {
    let inner = signs.char_indices().map(move |(offset, _)| at.saturating_add(offset));
    inner.chain([at.saturating_add(signs.len())])
}

/// The hash of a token as it is written.
fn hash(key: &SessionKey, token: &str) -> u128 {
    match plain_number(token) {
        Some(found) => number(key, &found),
        None => Hash128::new(key).str(&folded(token)).finish(),
    }
}

/// The hash of a number.
pub(super) fn number(key: &SessionKey, number: &Decimal) -> u128 {
    Hash128::new(key).number(number).finish()
}

/// A number in the one form that is taken for one.
fn plain_number(token: &str) -> Option<Decimal> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let are_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
    if !are_digits(whole) || !are_digits(fraction) || has_leading_zero {
        return None;
    }
    Decimal::parse_plain(token).ok()
}

/// The token in small letters.
pub(super) fn folded(token: &str) -> Cow<'_, str> {
    if token.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return Cow::Borrowed(token);
    }
    Cow::Owned(token.chars().map(small).collect())
}

/// The small letter that this one is the large one of, and nothing else.
fn small(letter: char) -> char {
    // The sigma at the end of a word is the same letter.
    if letter == 'ς' {
        return 'σ';
    }
    let mut small = letter.to_lowercase();
    let (Some(found), None) = (small.next(), small.next()) else { return letter };
    if found.to_uppercase().eq([letter]) { found } else { letter }
}

/// The tokens of a text, in order.
fn pieces(text: &str) -> impl Iterator<Item = Piece> {
    words(text)
        .flat_map(|(start, word)| unspaced(word).flat_map(move |(at, part)| of_word(start.saturating_add(at), part)))
}

/// What stands between white space, each part with its place.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0_usize;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = rest.find(|letter: char| !letter.is_whitespace())?;
        let rest = rest.get(start..)?;
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let from = at.saturating_add(start);
        at = from.saturating_add(length);
        Some((from, rest.get(..length)?))
    })
}

/// A word cut at each letter of a script without spaces.
fn unspaced(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0_usize;
    std::iter::from_fn(move || {
        let rest = word.get(at..).filter(|rest| !rest.is_empty())?;
        let first = rest.chars().next().filter(|first| is_unspaced(*first));
        let length = match first {
            Some(first) => first.len_utf8(),
            None => rest.find(is_unspaced).unwrap_or(rest.len()),
        };
        let start = at;
        at = at.saturating_add(length);
        Some((start, rest.get(..length)?))
    })
}

/// The tokens of a part without space: one, or two where one is a currency sign.
fn of_word(start: usize, part: &str) -> impl Iterator<Item = Piece> + use<> {
    let core = trimmed(part);
    let (from, to) = (start.saturating_add(core.start), start.saturating_add(core.end));
    let end = start.saturating_add(part.len());
    let inner = part.get(core).unwrap_or_default();
    let cut = if inner.is_empty() { None } else { currency(inner).map(|cut| from.saturating_add(cut)) };
    match cut {
        _ if inner.is_empty() => [Some(Piece::whole(start..end)), None],
        Some(cut) => {
            [Some(Piece { before: start..from, behind: cut..cut }), Some(Piece { before: cut..cut, behind: to..end })]
        }
        None => [Some(Piece { before: start..from, behind: to..end }), None],
    }
    .into_iter()
    .flatten()
}

/// Where a word is without the signs around it; empty where it is nothing but signs.
fn trimmed(part: &str) -> Range<usize> {
    let is_in = |signs: &'static str| move |(_, sign): &(usize, char)| signs.contains(*sign);
    let before = part.char_indices().take(MAX_SIGNS).take_while(is_in(BEFORE)).last();
    let start = before.map_or(0, |(at, sign)| at.saturating_add(sign.len_utf8()));
    let behind = part.char_indices().rev().take(MAX_SIGNS).take_while(is_in(BEHIND)).last();
    let end = behind.map_or(part.len(), |(at, _)| at);
    start..end.max(start)
}

/// Where a number and a currency sign meet.
fn currency(word: &str) -> Option<usize> {
    let (first, last) = (word.chars().next()?, word.chars().next_back()?);
    if is_currency(first) {
        let cut = first.len_utf8();
        return plain_number(word.get(cut..)?).map(|_| cut);
    }
    let cut = word.len().checked_sub(last.len_utf8()).filter(|_| is_currency(last))?;
    plain_number(word.get(..cut)?).map(|_| cut)
}

fn is_currency(sign: char) -> bool {
    matches!(sign, '$' | '¢'..='¥' | '֏' | '؋' | '৲' | '৳' | '૱' | '௹' | '฿' | '៛' | '₠'..='\u{20cf}' | '\u{fdfc}' | '\u{ffe5}' | '\u{ffe6}')
}

/// True for letters and signs of scripts without spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        0x2E80..=0x2FDF | 0x3000..=0x30FF | 0x31C0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF
        | 0xFF01..=0xFF03 | 0xFF05..=0xFF0F | 0xFF1A..=0xFF20 | 0xFF3B..=0xFF40 | 0xFF5B..=0xFF9F | 0x1B000..=0x1B16F
        | 0x20000..=0x3FFFF)
}
