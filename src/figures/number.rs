//! Numbers as people write them: where one ends in a text, and what it is in a form.
//!
//! A form is tried from the first digit to the last; what it has no place for, it does not read. No value is ever chosen
//! among several.

use super::locale::{Form, Locales};
use crate::decimal::Decimal;

/// What stands between digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `.`
    Point,
    /// `,`
    Comma,
    /// `'` and its typographic forms.
    Apostrophe,
    /// A plain space, which may also stand between two numbers.
    Space,
    /// A space at which no line breaks.
    Fixed,
    /// `٫`
    ArabicDecimal,
    /// `٬`
    ArabicGroup,
}

impl Mark {
    fn of(sign: char) -> Option<Mark> {
        Some(match sign {
            '.' | '．' => Mark::Point,
            ',' | '，' => Mark::Comma,
            '\'' | '’' | '‘' | 'ʼ' | '＇' => Mark::Apostrophe,
            ' ' => Mark::Space,
            '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{2007}' => Mark::Fixed,
            '\u{66b}' => Mark::ArabicDecimal,
            '\u{66c}' => Mark::ArabicGroup,
            _ => return None,
        })
    }

    fn is_space(self) -> bool {
        matches!(self, Mark::Space | Mark::Fixed)
    }

    fn sign(self) -> char {
        match self {
            Mark::Point => '.',
            Mark::Comma => ',',
            Mark::Apostrophe => '\'',
            Mark::Space => ' ',
            Mark::Fixed => '\u{a0}',
            Mark::ArabicDecimal => '\u{66b}',
            Mark::ArabicGroup => '\u{66c}',
        }
    }
}

/// Where the digits of the scripts begin that are read.
const ZEROS: [u32; 5] = [0x30, 0x660, 0x6f0, 0x966, 0xff10];

/// A digit, and which script's it is.
pub(super) fn digit(sign: char) -> Option<(u8, u32)> {
    let code = u32::from(sign);
    if sign.is_ascii() {
        let value = u8::try_from(code).ok().filter(u8::is_ascii_digit)?.wrapping_sub(b'0');
        return Some((value, u32::from(b'0')));
    }
    let zero = ZEROS.into_iter().find(|zero| (*zero..zero.wrapping_add(10)).contains(&code))?;
    Some((u8::try_from(code.wrapping_sub(zero)).ok()?, zero))
}

pub(super) fn is_digit(sign: char) -> bool {
    digit(sign).is_some()
}

/// How many digits a text begins with, and their length.
pub(super) fn run(text: &str) -> (usize, usize) {
    let digits = text.chars().take_while(|sign| is_digit(*sign));
    digits.fold((0, 0), |(count, length), sign| (count.saturating_add(1), length.saturating_add(sign.len_utf8())))
}

/// The length of the number that a text begins with; groups that stand behind a plain space belong to it if `spaces`.
pub(super) fn length(text: &str, spaces: bool) -> usize {
    let (first, mut end) = run(text);
    // Groups between spaces are of three digits, and nothing but such spaces comes before them.
    let mut by_space = (1..=3).contains(&first);
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let mut signs = rest.chars();
        let Some((sign, mark)) = signs.next().and_then(|sign| Some((sign, Mark::of(sign)?))) else { return end };
        let (count, length) = run(signs.as_str());
        let is_group = by_space && count == 3 && (spaces || mark == Mark::Fixed);
        if count == 0 || (mark.is_space() && !is_group) {
            return end;
        }
        by_space &= mark.is_space();
        end = end.saturating_add(sign.len_utf8()).saturating_add(length);
    }
}

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numeral<'t> {
    /// Its digits and the marks between them.
    pub text: &'t str,
    /// True for one below zero.
    pub is_negative: bool,
    /// True if what stands with it leaves open which number is meant: `5k`, `$5 €`.
    pub is_unclear: bool,
}

impl Numeral<'_> {
    /// What it is under these languages; `None` where none of them has such a form, or two read it differently.
    ///
    /// ```
    /// use flyball::figures::{Locale, Locales, Numeral};
    ///
    /// let numeral = Numeral { text: "1.234", is_negative: false, is_unclear: false };
    /// let german = Locales::of(Locale::find("de-DE").into_iter().collect());
    /// assert_eq!(numeral.read(&german).unwrap().to_string(), "1234");
    /// assert_eq!(numeral.read(&Locales::default()), None);
    /// ```
    #[must_use]
    pub fn read(&self, locales: &Locales) -> Option<Decimal> {
        if self.is_unclear {
            return None;
        }
        let mut read = None;
        for number in locales.forms().filter_map(|form| form.read(self.text)) {
            if read.is_some_and(|known| known != number) {
                return None;
            }
            read = Some(number);
        }
        read.map(|number| if self.is_negative { number.neg() } else { number })
    }

    /// True if it is nothing but digits.
    pub(super) fn is_run(&self) -> bool {
        self.text.chars().all(is_digit)
    }
}

/// The most digits that are read, more than any number here may have.
const MOST_DIGITS: usize = 64;

/// The digits before the fraction, as they come.
#[derive(Default)]
struct Whole {
    /// How many the first group has, and the one that is being read.
    first: usize,
    current: usize,
    mark: Option<Mark>,
    /// How many groups between the first and the last have two digits, and how many three.
    pairs: usize,
    threes: usize,
}

impl Whole {
    /// A mark behind a group.
    fn separate(&mut self, mark: Mark) -> Option<()> {
        match (self.mark, self.current) {
            (None, 1..=3) => self.first = self.current,
            (Some(known), 2) if known == mark => self.pairs = self.pairs.saturating_add(1),
            (Some(known), 3) if known == mark => self.threes = self.threes.saturating_add(1),
            _ => return None,
        }
        self.mark = Some(mark);
        self.current = 0;
        Some(())
    }

    /// Whether the groups are such as a form has; without groups there is one of any length.
    fn fits(&self, pairs: bool, starts_with_zero: bool) -> bool {
        if self.mark.is_none() {
            return self.current == 1 || (self.current > 1 && !starts_with_zero);
        }
        let by_pairs = pairs && self.threes == 0 && self.first <= 2;
        self.current == 3 && !starts_with_zero && (self.pairs == 0 || by_pairs)
    }
}

impl Form {
    /// What a number is that is written in this form.
    fn read(&self, text: &str) -> Option<Decimal> {
        let (mut plain, mut used) = ([0_u8; MOST_DIGITS], 0_usize);
        let mut push = |byte: u8| {
            *plain.get_mut(used)? = byte;
            used = used.saturating_add(1);
            Some(())
        };
        let (mut whole, mut in_fraction, mut script) = (Whole::default(), false, None);
        for sign in text.chars() {
            if let Some((value, zero)) = digit(sign) {
                // Digits of two scripts in one number are a disguise.
                if *script.get_or_insert(zero) != zero {
                    return None;
                }
                push(value.wrapping_add(b'0'))?;
                if !in_fraction {
                    whole.current = whole.current.saturating_add(1);
                }
                continue;
            }
            let mark = Mark::of(sign).filter(|_| !in_fraction)?;
            if mark == self.decimal || mark == Mark::ArabicDecimal {
                in_fraction = true;
                push(b'.')?;
            } else if self.groups.contains(&mark) || matches!(mark, Mark::Fixed | Mark::ArabicGroup) {
                whole.separate(mark)?;
            } else {
                return None;
            }
        }
        let plain = plain.get(..used)?;
        let fits = whole.fits(self.pairs, plain.first() == Some(&b'0'));
        std::str::from_utf8(plain).ok().filter(|_| fits).and_then(|plain| Decimal::parse_plain(plain).ok())
    }

    /// A number in this form, with at least so many places.
    fn write(&self, number: &Decimal, is_grouped: bool, places: usize) -> String {
        let plain = number.abs().to_string();
        let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
        let mut out = if number.is_negative() { String::from("-") } else { String::new() };
        let mark = self.groups.first().filter(|_| is_grouped);
        for (at, digit) in whole.chars().enumerate() {
            let left = whole.len().saturating_sub(at);
            let starts = match self.pairs {
                true => left == 3 || (left > 3 && left % 2 == 1),
                false => left.is_multiple_of(3),
            };
            out.extend(mark.filter(|_| at > 0 && starts).map(|mark| mark.sign()));
            out.push(digit);
        }
        if places > 0 || !fraction.is_empty() {
            out.push(self.decimal.sign());
            out.push_str(fraction);
            out.extend(std::iter::repeat_n('0', places.saturating_sub(fraction.len())));
        }
        out
    }
}

/// The ways to write a number that read as it under these languages, the first with two places and groups.
#[must_use]
pub fn spellings(number: &Decimal, locales: &Locales) -> Vec<String> {
    let mut all = Vec::new();
    for form in locales.forms() {
        for (is_grouped, places) in [(true, 2), (false, 2), (true, 0), (false, 0)] {
            let text = form.write(number, is_grouped, places);
            let (is_negative, digits) = (number.is_negative(), text.trim_start_matches('-'));
            let numeral = Numeral { text: digits, is_negative, is_unclear: false };
            if numeral.read(locales) == Some(*number) && !all.contains(&text) {
                all.push(text);
            }
        }
    }
    all
}
