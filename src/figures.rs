//! Amounts, ids and dates in prose: where they stand, and what they say.
//!
//! [`Figures`] finds them in one pass from left to right, each piece of a text being one figure at most: a date before an
//! amount before an id. What a figure says depends on where it was written, so it is read under [`Locales`]; what has no
//! form there, or two values, has none. Nothing is guessed, nothing is looked up, and nothing is kept.

mod currency;
mod date;
mod locale;
mod number;

pub use currency::Currency;
pub use date::{Date, WrittenDate};
pub use locale::{Form, Locale, Locales, Order};
pub use number::{Mark, Numeral, spellings};

use number::{is_digit, run};
use regex::Regex;
use std::borrow::Cow;

/// A number as it is written, with its currency if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenAmount<'t> {
    /// The number.
    pub numeral: Numeral<'t>,
    /// The currency beside it.
    pub currency: Option<Currency>,
}

/// What a figure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figure<'t> {
    /// A number with a currency, or one that stands for itself. A percentage, a time of day, an ordinal or a number in
    /// front of its unit is none.
    Amount(WrittenAmount<'t>),
    /// A day.
    Date(WrittenDate),
    /// A token that looks like an id.
    Id,
}

/// A figure and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'t> {
    /// As it is written, with its sign and currency.
    pub text: &'t str,
    /// What it is.
    pub figure: Figure<'t>,
}

impl<'t> Found<'t> {
    /// The id that it can be: a token of that shape, or a long number without currency.
    #[must_use]
    pub fn id(&self) -> Option<&'t str> {
        match self.figure {
            Figure::Id => Some(self.text),
            Figure::Amount(WrittenAmount { numeral, currency: None }) if numeral.is_run() => {
                Some(numeral.text).filter(|text| text.chars().count() >= LONG_RUN)
            }
            Figure::Amount(_) | Figure::Date(_) => None,
        }
    }
}

/// As many digits in a row are an id, if they are nothing else.
pub const LONG_RUN: usize = 6;

/// More digits than a number may have are none.
const LONGEST_RUN: usize = 34;

/// A shorter token is no id.
pub const SHORTEST_ID: usize = 5;

/// True if a text can hold a figure at all.
#[must_use]
pub fn has_digit(text: &str) -> bool {
    next_digit(text).is_some()
}

/// Where the next digit of a text stands.
fn next_digit(text: &str) -> Option<usize> {
    let mut at = 0_usize;
    loop {
        // Only these bytes begin a digit.
        let rest = text.as_bytes().get(at..)?;
        let found = rest.iter().position(|byte| byte.is_ascii_digit() || matches!(byte, 0xd9 | 0xdb | 0xe0 | 0xef))?;
        at = at.saturating_add(found);
        if char_at(text, at).is_some_and(is_digit) {
            return Some(at);
        }
        at = at.saturating_add(1);
    }
}

/// The parts of an id between its hyphens and underscores that look like ids themselves: `123456` of `card_123456`.
pub fn id_parts(id: &str) -> impl Iterator<Item = &str> {
    id.split(is_joint).filter(move |part| part.len() < id.len() && is_id(part))
}

/// What a pattern matches in a text as whole tokens: nothing that goes on to either side.
pub fn whole_matches<'t>(pattern: &Regex, text: &'t str) -> impl Iterator<Item = &'t str> {
    let goes_on = |inner: Option<char>, outer: Option<char>| inner.is_some_and(is_token) && outer.is_some_and(is_token);
    pattern.find_iter(text).filter_map(move |found| {
        let one = found.as_str();
        let before = goes_on(one.chars().next(), char_before(text, found.start()));
        let behind = goes_on(one.chars().next_back(), char_at(text, found.end()));
        (!one.is_empty() && !before && !behind).then_some(one)
    })
}

/// A figure's text in the one form in which it is compared: small letters, plain digits, hyphens and spaces.
#[must_use]
pub fn canonical(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let plain = |sign: char| match number::digit(sign) {
        Some((digit, _)) => char::from(digit.wrapping_add(b'0')),
        None if is_hyphen(sign) => '-',
        None if sign.is_whitespace() => ' ',
        None => sign,
    };
    Cow::Owned(text.chars().flat_map(char::to_lowercase).map(plain).collect())
}

/// The figures of a text, from left to right.
///
/// ```
/// use flyball::figures::{Figures, Locale, Locales};
///
/// let german = Locales::of(Locale::find("de").into_iter().collect());
/// let found = Figures::of("AB-10023 vom 4. März 2031 kostet 1.234,56 €.", &german);
/// assert_eq!(found.map(|one| one.text).collect::<Vec<_>>(), ["AB-10023", "4. März 2031", "1.234,56 €"]);
/// ```
#[derive(Clone, Debug)]
pub struct Figures<'t> {
    text: &'t str,
    /// Everything before is looked at.
    at: usize,
    /// Where the last figure ends: what stands before is not part of another.
    floor: usize,
    /// The currency of the last figure, for the second number of `$5-7`.
    last: Option<Currency>,
    spaces: bool,
}

impl<'t> Figures<'t> {
    /// The figures of a text. The languages only say whether a plain space groups digits.
    #[must_use]
    pub fn of(text: &'t str, locales: &Locales) -> Figures<'t> {
        Figures { text, at: 0, floor: 0, last: None, spaces: locales.groups_by_space() }
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    /// Where the next token with a digit begins and ends.
    fn token(&self) -> Option<(usize, usize)> {
        let digit = self.at.saturating_add(next_digit(self.rest(self.at))?);
        let (before, behind) = (self.text.get(self.at..digit)?, self.rest(digit));
        let start = digit.saturating_sub(before.len().saturating_sub(before.trim_end_matches(is_token).len()));
        let end = digit.saturating_add(behind.find(|sign| !is_token(sign)).unwrap_or(behind.len()));
        let core = self.text.get(start..end)?.trim_start_matches(is_joint);
        let start = end.saturating_sub(core.len());
        Some((start, start.saturating_add(core.trim_end_matches(is_joint).len())))
    }

    /// The figure of a token, if it is one; either way looks on behind it.
    fn read(&mut self, start: usize, end: usize) -> Option<Found<'t>> {
        let first = run(self.rest(start)).0;
        if first == 0 {
            return self.glued(start, end).or_else(|| self.id(start, end));
        }
        if let Some((from, to, date)) = date::read(self.text, start, self.floor) {
            return self.found(from, to, Figure::Date(date), None);
        }
        if let Some(length) = time_of_day(self.rest(start)).or_else(|| percentage(self.rest(start))) {
            self.at = start.saturating_add(length);
            return None;
        }
        match self.amount(start, self.floor) {
            Some((from, to, amount)) => self.found(from, to, Figure::Amount(amount), amount.currency),
            None => self.number(start, end).or_else(|| self.id(start, end)),
        }
    }

    fn found(&mut self, from: usize, to: usize, figure: Figure<'t>, currency: Option<Currency>) -> Option<Found<'t>> {
        (self.at, self.floor, self.last) = (to, to, currency);
        Some(Found { text: self.text.get(from..to)?, figure })
    }

    /// `EUR5`, `Rs500`: a token that begins with a currency.
    fn glued(&mut self, start: usize, end: usize) -> Option<Found<'t>> {
        let token = self.text.get(start..end)?;
        let digits = start.saturating_add(token.find(is_digit)?);
        let (at, _) = currency::at_end(self.text.get(start..digits)?, true).filter(|(at, _)| *at == 0)?;
        let (from, to, amount) = self.amount(digits, start.saturating_add(at))?;
        self.found(from, to, Figure::Amount(amount), amount.currency)
    }

    /// The number that begins here with the currency before or behind it.
    fn amount(&self, start: usize, floor: usize) -> Option<(usize, usize, WrittenAmount<'t>)> {
        let rest = self.rest(start);
        let (short, long) = (number::length(rest, false), number::length(rest, true));
        let with = |length: usize| {
            let text = rest.get(..length)?;
            let is_money = length > run(text).1;
            let before = self.before(start, floor, is_money);
            let behind = self.behind(start.saturating_add(length));
            let shared = || self.shared(start).or_else(|| self.of_stretch(start.saturating_add(length)));
            if before.currency.is_none() && behind.currency.is_none() && (length > short || shared().is_none()) {
                return None;
            }
            let (currency, is_clash) = match (before.currency, behind.currency) {
                (Some(one), Some(other)) => (one.and(other).or(Some(one)), !one.agrees(&other)),
                (one, other) => (one.or(other).or_else(shared), false),
            };
            let is_unclear = is_clash || behind.is_unclear;
            let numeral = Numeral { text, is_negative: before.is_negative, is_unclear };
            Some((before.at, behind.at, WrittenAmount { numeral, currency }))
        };
        if long > short { with(long).or_else(|| with(short)) } else { with(short) }
    }

    /// What stands before a number.
    fn before(&self, start: usize, floor: usize, is_money: bool) -> Before {
        let until = |at: usize| self.text.get(floor..at).unwrap_or_default();
        let mut at = self.minus(start, floor).unwrap_or(start);
        let is_negative = at < start;
        let gap = until(at).strip_suffix(is_gap).map_or(at, |text| floor.saturating_add(text.len()));
        let Some((cut, currency)) = currency::at_end(until(gap), is_money) else {
            return Before { at, currency: None, is_negative };
        };
        at = floor.saturating_add(cut);
        match self.minus(at, floor).filter(|_| !is_negative) {
            Some(at) => Before { at, currency: Some(currency), is_negative: true },
            None => Before { at, currency: Some(currency), is_negative },
        }
    }

    /// Where the minus sign begins that stands before a place. A dash behind a word, a number or a currency joins two things.
    fn minus(&self, at: usize, floor: usize) -> Option<usize> {
        let sign = char_before(self.text, at).filter(|sign| matches!(sign, '-' | '−' | '–' | '\u{2011}'))?;
        let start = at.checked_sub(sign.len_utf8()).filter(|start| *start >= floor)?;
        let joins = |sign: char| sign.is_alphanumeric() || matches!(sign, '-' | '–' | ')' | '_' | '%');
        let is_behind_figure = start > 0 && start == self.floor;
        (!is_behind_figure && !char_before(self.text, start).is_some_and(joins)).then_some(start)
    }

    /// What stands behind a number: its currency, and what makes it unclear.
    fn behind(&self, end: usize) -> Behind {
        let mut at = end;
        let scale = scale(self.rest(end));
        at = at.saturating_add(scale);
        let gap = self.rest(at).chars().next().filter(|sign| is_gap(*sign)).map_or(0, char::len_utf8);
        let found = currency::at_start(self.rest(at.saturating_add(gap))).filter(|(length, _)| {
            // A sign that touches the next number is that one's.
            let next = self.rest(at.saturating_add(gap).saturating_add(*length)).chars().next();
            gap == 0 || !next.is_some_and(is_digit)
        });
        let mut signs = self.rest(end).chars();
        // A character that nobody sees hides where a number ends.
        let is_hidden = signs.next().is_some_and(crate::text::is_invisible) && signs.next().is_some_and(is_digit);
        let is_unclear = scale > 0 || is_hidden;
        match found {
            Some((length, currency)) => {
                let at = at.saturating_add(gap).saturating_add(length);
                Behind { at, currency: Some(currency), is_unclear }
            }
            None => Behind { at, currency: None, is_unclear },
        }
    }

    /// The currency of the number before this one, for the second of `$5-7`.
    fn shared(&self, start: usize) -> Option<Currency> {
        let between = self.text.get(self.floor..start).filter(|between| between.len() <= 5)?.trim_matches(' ');
        let mut signs = between.chars();
        self.last.filter(|_| signs.next().is_some_and(is_dash) && signs.next().is_none())
    }

    /// The currency of the number behind this one, for the first of `5–7 €`.
    fn of_stretch(&self, end: usize) -> Option<Currency> {
        let rest = self.rest(end);
        let behind = rest.trim_start_matches(' ').strip_prefix(is_dash)?.trim_start_matches(' ');
        let length = number::length(behind, false);
        let next = end.saturating_add(rest.len().saturating_sub(behind.len()));
        if length == 0 { None } else { self.behind(next.saturating_add(length)).currency }
    }

    /// A number that stands for itself.
    fn number(&mut self, start: usize, end: usize) -> Option<Found<'t>> {
        let rest = self.rest(start);
        let length = number::length(rest, self.spaces);
        let to = start.saturating_add(length);
        let text = rest.get(..length)?;
        // What it is part of says more of it than its digits: a token with letters, a fraction, a name with points.
        let is_part = to < end || is_ratio(self.text, start, to) || enumerates(self.text, start, to);
        let is_part = is_part || goes_on(self.text, start);
        let numeral = Numeral { text, is_negative: false, is_unclear: false };
        let is_name = text.len() > 1
            && (has_points(text) || numeral.is_run())
            && (text.starts_with('0') || !text.bytes().all(|byte| byte.is_ascii_digit()) || text.len() > LONGEST_RUN)
            && numeral.read(&Locales::default()).is_none();
        if is_part || is_name {
            self.at = to;
            return None;
        }
        let (before, behind) = (self.before(start, self.floor, false), self.behind(to));
        let numeral = Numeral { is_negative: before.is_negative, is_unclear: behind.is_unclear, ..numeral };
        self.found(before.at, behind.at, Figure::Amount(WrittenAmount { numeral, currency: None }), None)
    }

    /// A token that looks like an id.
    fn id(&mut self, start: usize, end: usize) -> Option<Found<'t>> {
        let token = self.text.get(start..end)?;
        self.at = self.at.max(end);
        if is_id(token) { self.found(start, end, Figure::Id, None) } else { None }
    }
}

impl<'t> Iterator for Figures<'t> {
    type Item = Found<'t>;

    fn next(&mut self) -> Option<Found<'t>> {
        loop {
            let (start, end) = self.token()?;
            if let Some(found) = self.read(start, end) {
                return Some(found);
            }
            // INVARIANT: each look moves on, so that a text is read once.
            self.at = if self.at <= start { end } else { self.at };
        }
    }
}

struct Before {
    at: usize,
    currency: Option<Currency>,
    is_negative: bool,
}

struct Behind {
    at: usize,
    currency: Option<Currency>,
    is_unclear: bool,
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// Letters of scripts that put no space between words.
fn is_unspaced(sign: char) -> bool {
    matches!(u32::from(sign), 0x2E80..=0x30FF | 0x31C0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

fn is_hyphen(sign: char) -> bool {
    matches!(sign, '-' | '\u{2010}' | '\u{2011}')
}

fn is_joint(sign: char) -> bool {
    sign == '_' || is_hyphen(sign)
}

fn is_dash(sign: char) -> bool {
    is_hyphen(sign) || matches!(sign, '–' | '—')
}

/// What a token is made of.
fn is_token(sign: char) -> bool {
    if sign.is_ascii() {
        return sign.is_ascii_alphanumeric() || matches!(sign, '-' | '_');
    }
    is_joint(sign) || (sign.is_alphanumeric() && !is_unspaced(sign))
}

fn is_gap(sign: char) -> bool {
    matches!(sign, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// Words and letters that make another number of the one before them; what is meant differs from place to place.
const SCALES: &[&str] = &[
    "thousand",
    "million",
    "millions",
    "billion",
    "billions",
    "trillion",
    "tsd",
    "tausend",
    "mio",
    "mrd",
    "millionen",
    "milliarden",
    "mille",
    "milliards",
    "mil",
    "millones",
    "milhões",
    "milioni",
    "miljoen",
    "miljard",
    "mln",
    "mld",
    "tys",
    "тыс",
    "млн",
    "млрд",
    "lakh",
    "lakhs",
    "crore",
    "crores",
    "k",
    "m",
    "mn",
    "b",
    "bn",
    "t",
    "tn",
    "cr",
];

/// The length of such a word that a text begins with, behind a space or directly.
fn scale(text: &str) -> usize {
    let word = text.strip_prefix(is_gap).unwrap_or(text);
    if !word.starts_with(char::is_alphabetic) {
        return 0;
    }
    let gap = text.len().saturating_sub(word.len());
    let letters: usize = word.chars().take(12).take_while(|sign| sign.is_alphabetic()).map(char::len_utf8).sum();
    let found = word.get(..letters).unwrap_or_default();
    let is_it =
        |scale: &&&str| scale.len() == found.len() && found.chars().flat_map(char::to_lowercase).eq(scale.chars());
    let is_end = !char_at(word, letters).is_some_and(|sign| sign.is_alphanumeric() || is_joint(sign));
    // A single letter behind a space is another word.
    let is_close = gap == 0 || letters > 1;
    if letters == 0 || !is_end || !is_close || SCALES.iter().find(is_it).is_none() {
        return 0;
    }
    let point = usize::from(word.get(letters..).is_some_and(|rest| rest.starts_with(". ")));
    gap.saturating_add(letters).saturating_add(point)
}

/// The length of a number and the per cent sign behind it.
fn percentage(text: &str) -> Option<usize> {
    let sign = text.get(number::length(text, false)..)?.trim_start_matches(is_gap);
    let first = sign.chars().next().filter(|first| matches!(first, '%' | '‰' | '٪' | '％'))?;
    Some(text.len().saturating_sub(sign.len()).saturating_add(first.len_utf8()))
}

/// The length of `10:30` or `10:30:15`.
fn time_of_day(text: &str) -> Option<usize> {
    let mut end = run(text).1;
    let mut parts = 0_usize;
    while let Some(rest) = text.get(end..).and_then(|rest| rest.strip_prefix(':')) {
        let (count, length) = run(rest);
        if count == 0 {
            break;
        }
        end = end.saturating_add(1).saturating_add(length);
        parts = parts.saturating_add(1);
    }
    (parts > 0).then_some(end)
}

/// True for one of two numbers with a slash between them.
fn is_ratio(text: &str, start: usize, end: usize) -> bool {
    let slash = |sign: Option<char>| matches!(sign, Some('/' | '⁄' | ':'));
    let behind =
        slash(char_at(text, end)) && text.get(end.saturating_add(1)..).is_some_and(|rest| rest.starts_with(is_digit));
    let before = slash(char_before(text, start)) && char_before(text, start.saturating_sub(1)).is_some_and(is_digit);
    before || behind
}

/// True for a number behind the point of a name: the `2` of `v1.2`.
fn goes_on(text: &str, start: usize) -> bool {
    char_before(text, start) == Some('.')
        && char_before(text, start.saturating_sub(1)).is_some_and(char::is_alphanumeric)
}

/// True for the number of an item of a list.
fn enumerates(text: &str, start: usize, end: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_end_matches([' ', '\t', '#', '*', '>']);
    let mut signs = text.get(end..).unwrap_or_default().chars();
    let is_first = before.is_empty() || before.ends_with('\n');
    is_first && matches!(signs.next(), Some('.' | ')')) && signs.next().is_none_or(char::is_whitespace)
}

/// True for digits with several points, which no form reads: a version, an address of a network.
fn has_points(text: &str) -> bool {
    text.chars().filter(|sign| !is_digit(*sign)).count() > 1
}

/// True for a token that looks like an id: letters and digits, or many digits in a row.
fn is_id(token: &str) -> bool {
    if token.chars().count() < SHORTEST_ID {
        return false;
    }
    if !token.chars().any(char::is_alphabetic) {
        return token.split(|sign| !is_digit(sign)).any(|run| run.chars().count() >= LONG_RUN);
    }
    !is_quantity(token)
}

/// Units with capital letters.
const UNITS: &[&str] = &[
    "A", "AM", "C", "F", "GB", "GHz", "GW", "Hz", "K", "KB", "L", "MB", "MHz", "MP", "MW", "MWh", "PM", "TB", "V", "W",
    "Wh", "dB", "kB", "kHz", "kW", "kWh", "mAh",
];

/// True for a number and its unit, or for small numbers and words in a row: `21st`, `20kg`, `24-hour`, `2-in-1`.
fn is_quantity(token: &str) -> bool {
    let is_small = |part: &str| part.len() <= 4 && part.chars().all(is_digit);
    let (count, length) = run(token);
    let mut parts = token.get(length..).unwrap_or_default().split(is_joint);
    let unit = parts.next().unwrap_or_default();
    let is_first = (1..=4).contains(&count) && (unit.is_empty() || is_word(unit) || UNITS.contains(&unit));
    is_first && parts.all(|part| is_word(part) || is_small(part))
}

/// True for small letters, of which the first may be a capital.
fn is_word(part: &str) -> bool {
    let mut letters = part.chars();
    let is_lower = |letter: char| letter.is_alphabetic() && !letter.is_uppercase();
    let first = letters.next().is_some_and(char::is_alphabetic);
    let is_long = part.chars().nth(2).is_some() || part.chars().all(is_lower);
    first && is_long && letters.all(is_lower)
}

#[cfg(test)]
mod tests;
