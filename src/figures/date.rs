//! Dates as people write them: with a month's name, year first, or as numbers whose order only a language tells.
//!
//! A day and a month without a year are a date of any year. What looks like a date and cannot be one is not read.

use super::locale::{Locales, Order};
use super::number::{digit, is_digit, run};
use super::{char_at, char_before};

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    /// `None` for one of any year.
    pub year: Option<u16>,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

impl Date {
    /// A day that there is.
    #[must_use]
    pub fn of(year: Option<u16>, month: u8, day: u8) -> Option<Date> {
        let is_leap = year.is_none_or(|year| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => return None,
        };
        (1..=days).contains(&day).then_some(Date { year, month, day })
    }

    /// The ways to write it in words and as ISO 8601 does; as numbers in the order of these languages, if they have one.
    #[must_use]
    pub fn spellings(&self, locales: &Locales) -> Vec<String> {
        let Date { year, month, day } = self;
        let mut all = Vec::new();
        let tail = |joint: &str| year.map_or(String::new(), |year| format!("{joint}{year}"));
        for (name, _, _) in MONTHS.iter().filter(|(_, number, _)| number == month) {
            for form in ["{d} {m}", "{d}. {m}", "{d}{o} {m}", "{d} de {m}", "{d}{o} of {m}"] {
                all.push(format!(
                    "{}{}",
                    filled(form, *day, name),
                    tail(if form.contains(" de ") { " de " } else { " " })
                ));
            }
            for form in ["{m} {d}", "{m} {d}{o}"] {
                all.push(format!("{}{}", filled(form, *day, name), tail(", ")));
            }
        }
        let Some(year) = year else { return all };
        all.push(format!("{year:04}-{month:02}-{day:02}"));
        let (first, second) = match locales.order() {
            Some(Order::DayFirst) => (day, month),
            Some(Order::MonthFirst) => (month, day),
            None => return all,
        };
        for mark in ['/', '.', '-'] {
            all.push(format!("{first}{mark}{second}{mark}{year}"));
            all.push(format!("{first:02}{mark}{second:02}{mark}{year}"));
        }
        all
    }
}

fn filled(form: &str, day: u8, name: &str) -> String {
    let ordinal = match (day, day % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    form.replace("{d}", &day.to_string()).replace("{m}", name).replace("{o}", ordinal)
}

/// A date as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenDate {
    kind: Kind,
    /// The last day of `4–6 March`.
    last: Option<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Fixed(Date),
    /// Day and month in either order.
    Numeric {
        first: u8,
        second: u8,
        year: u16,
    },
    /// No day of any calendar.
    Impossible,
}

impl WrittenDate {
    fn of(kind: Kind) -> WrittenDate {
        WrittenDate { kind, last: None }
    }

    /// `None` for what does not even look like a day.
    fn fixed(year: Option<u16>, month: u8, day: u8) -> Option<WrittenDate> {
        let looks_like = (1..=31).contains(&day) && month <= 31;
        let date = Date::of(year, month, day);
        looks_like.then_some(WrittenDate::of(date.map_or(Kind::Impossible, Kind::Fixed)))
    }

    /// Which days it names under these languages, the second where it is a stretch of days; `None` where nobody can say.
    #[must_use]
    pub fn read(&self, locales: &Locales) -> Option<(Date, Option<Date>)> {
        let date = match self.kind {
            Kind::Impossible => None,
            Kind::Fixed(date) => Some(date),
            Kind::Numeric { first, second, year } => {
                let day_first = Date::of(Some(year), second, first);
                let month_first = Date::of(Some(year), first, second);
                match (day_first, month_first, locales.order()) {
                    (Some(one), Some(other), _) if one == other => Some(one),
                    (Some(day_first), Some(_), Some(Order::DayFirst)) => Some(day_first),
                    (Some(_), Some(month_first), Some(Order::MonthFirst)) => Some(month_first),
                    (Some(_), Some(_), None) => None,
                    (one, other, _) => one.or(other),
                }
            }
        }?;
        match self.last {
            None => Some((date, None)),
            Some(last) => Some((date, Some(Date::of(date.year, date.month, last)?))),
        }
    }
}

/// The names of the months and their usual short forms; a name that is also another word counts only beside a year, or
/// behind `of` or `de`.
const MONTHS: &[(&str, u8, bool)] = &[
    ("january", 1, false),
    ("januar", 1, false),
    ("jänner", 1, false),
    ("janvier", 1, false),
    ("janeiro", 1, false),
    ("januari", 1, false),
    ("enero", 1, false),
    ("gennaio", 1, false),
    ("janv", 1, false),
    ("jan", 1, false),
    ("ene", 1, true),
    ("gen", 1, true),
    ("february", 2, false),
    ("februar", 2, false),
    ("februari", 2, false),
    ("febrero", 2, false),
    ("febbraio", 2, false),
    ("fevereiro", 2, false),
    ("février", 2, false),
    ("fevrier", 2, false),
    ("févr", 2, false),
    ("feb", 2, false),
    ("fev", 2, false),
    ("march", 3, false),
    ("märz", 3, false),
    ("maerz", 3, false),
    ("marzo", 3, false),
    ("mars", 3, false),
    ("março", 3, false),
    ("marco", 3, true),
    ("maart", 3, false),
    ("mär", 3, false),
    ("mrz", 3, false),
    ("mrt", 3, false),
    ("mar", 3, true),
    ("april", 4, false),
    ("abril", 4, false),
    ("aprile", 4, false),
    ("avril", 4, false),
    ("apr", 4, false),
    ("abr", 4, false),
    ("avr", 4, false),
    ("may", 5, true),
    ("mai", 5, false),
    ("mayo", 5, false),
    ("maggio", 5, false),
    ("maio", 5, false),
    ("mei", 5, false),
    ("mag", 5, true),
    ("june", 6, false),
    ("juni", 6, false),
    ("junio", 6, false),
    ("juin", 6, false),
    ("giugno", 6, false),
    ("junho", 6, false),
    ("jun", 6, false),
    ("giu", 6, false),
    ("july", 7, false),
    ("juli", 7, false),
    ("julio", 7, false),
    ("juillet", 7, false),
    ("luglio", 7, false),
    ("julho", 7, false),
    ("juil", 7, false),
    ("jul", 7, false),
    ("lug", 7, true),
    ("august", 8, false),
    ("augustus", 8, false),
    ("agosto", 8, false),
    ("août", 8, false),
    ("aout", 8, false),
    ("aug", 8, false),
    ("ago", 8, true),
    ("september", 9, false),
    ("septiembre", 9, false),
    ("setiembre", 9, false),
    ("septembre", 9, false),
    ("settembre", 9, false),
    ("setembro", 9, false),
    ("sept", 9, false),
    ("sep", 9, false),
    ("set", 9, true),
    ("october", 10, false),
    ("oktober", 10, false),
    ("octubre", 10, false),
    ("octobre", 10, false),
    ("ottobre", 10, false),
    ("outubro", 10, false),
    ("oct", 10, false),
    ("okt", 10, false),
    ("ott", 10, false),
    ("out", 10, true),
    ("november", 11, false),
    ("noviembre", 11, false),
    ("novembre", 11, false),
    ("novembro", 11, false),
    ("nov", 11, false),
    ("december", 12, false),
    ("dezember", 12, false),
    ("diciembre", 12, false),
    ("décembre", 12, false),
    ("decembre", 12, false),
    ("dicembre", 12, false),
    ("dezembro", 12, false),
    ("déc", 12, false),
    ("dec", 12, false),
    ("dez", 12, false),
    ("dic", 12, false),
];

/// The longest name in letters, and room for one more.
const MOST_LETTERS: usize = 12;

/// A month's name.
#[derive(Clone, Copy)]
struct Month {
    number: u8,
    /// True if it is another word as well, as it is written.
    is_shy: bool,
    is_capital: bool,
}

impl Month {
    /// What a whole word names.
    fn of(word: &str) -> Option<Month> {
        let first = word.as_bytes().first()?.to_ascii_lowercase();
        let begins = |name: &str| name.as_bytes().first() == Some(&first);
        let is_it = |name: &str| begins(name) && word.chars().flat_map(char::to_lowercase).eq(name.chars());
        let (name, number, is_shy) = MONTHS.iter().find(|(name, ..)| is_it(name))?;
        let is_capital = word.starts_with(char::is_uppercase);
        // In English a month is written with a capital letter, and `may` and `mar` are then none other.
        Some(Month { number: *number, is_shy: *is_shy && !(is_capital && matches!(*name, "may" | "mar")), is_capital })
    }

    /// The one that a text begins with, and its length with the point of a short form.
    fn at_start(text: &str) -> Option<(Month, usize)> {
        let letters = text.chars().take(MOST_LETTERS).take_while(|sign| sign.is_alphabetic());
        let end: usize = letters.map(char::len_utf8).sum();
        let behind = char_at(text, end);
        if behind.is_some_and(|sign| sign.is_alphanumeric() || sign == '_') {
            return None;
        }
        let month = Month::of(text.get(..end)?)?;
        // A point that more words follow belongs to a short form.
        let has_point =
            behind == Some('.') && text.get(end..).is_some_and(|rest| run(rest.trim_start_matches(['.', ' '])).0 > 0);
        Some((month, end.saturating_add(usize::from(has_point))))
    }

    /// The one that a text ends with, and where it begins.
    fn at_end(text: &str) -> Option<(Month, usize)> {
        let word = text.strip_suffix('.').unwrap_or(text);
        let letters = word.chars().rev().take(MOST_LETTERS).take_while(|sign| sign.is_alphabetic());
        let start = word.len().saturating_sub(letters.map(char::len_utf8).sum());
        if char_before(word, start).is_some_and(|sign| sign.is_alphanumeric() || sign == '_') {
            return None;
        }
        Some((Month::of(word.get(start..)?)?, start))
    }
}

/// Reads on from a place in a text.
#[derive(Clone, Copy)]
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next_is(&self, is_it: impl Fn(char) -> bool) -> bool {
        self.rest().starts_with(is_it)
    }

    /// Takes a text that stands here, whatever its case.
    fn take(&mut self, wanted: &str) -> bool {
        let found = self.rest().get(..wanted.len());
        let is_there = found.is_some_and(|found| found.eq_ignore_ascii_case(wanted));
        self.at = self.at.saturating_add(if is_there { wanted.len() } else { 0 });
        is_there
    }

    fn take_any(&mut self, wanted: &[&str]) -> bool {
        wanted.iter().any(|wanted| self.take(wanted))
    }

    /// Takes one of some signs.
    fn sign(&mut self, signs: &[char]) -> Option<char> {
        let sign = self.rest().chars().next().filter(|sign| signs.contains(sign))?;
        self.at = self.at.saturating_add(sign.len_utf8());
        Some(sign)
    }

    /// Takes a whole number of so many digits.
    fn number(&mut self, digits: std::ops::RangeInclusive<usize>) -> Option<u16> {
        let (count, length) = run(self.rest());
        if !digits.contains(&count) {
            return None;
        }
        let value = self
            .rest()
            .chars()
            .map_while(digit)
            .fold(0_u16, |value, (digit, _)| value.saturating_mul(10).saturating_add(u16::from(digit)));
        self.at = self.at.saturating_add(length);
        Some(value)
    }

    fn small(&mut self) -> Option<u8> {
        self.number(1..=2).and_then(|value| u8::try_from(value).ok())
    }

    /// True where neither a letter nor a digit goes on, nor a mark with a digit behind it.
    fn is_end(&self) -> bool {
        let mut signs = self.rest().chars();
        match signs.next() {
            None => true,
            Some(sign) if sign.is_alphanumeric() || sign == '_' => super::is_unspaced(sign),
            Some('.' | ',' | '/' | '-' | ':') => !signs.next().is_some_and(is_digit),
            Some(_) => true,
        }
    }
}

const HYPHENS: [char; 5] = ['-', '\u{2010}', '\u{2011}', '–', '—'];

/// The date whose first number stands at `at`, what of a text it is, and where it begins; nothing before `floor` is its.
pub(super) fn read(text: &str, at: usize, floor: usize) -> Option<(usize, usize, WrittenDate)> {
    let cursor = Cursor { text, at };
    let whole = |(end, date)| (at, end, date);
    year_first(cursor).map(whole).or_else(|| numeric(cursor).map(whole)).or_else(|| named(cursor, floor))
}

/// `2031-03-04`, also with a time behind it.
fn year_first(mut cursor: Cursor<'_>) -> Option<(usize, WrittenDate)> {
    let year = cursor.number(4..=4)?;
    let mark = cursor.sign(&['-', '\u{2010}', '\u{2011}', '/', '.'])?;
    let month = cursor.small()?;
    cursor.sign(&[mark])?;
    let day = cursor.small()?;
    let date = WrittenDate::fixed(Some(year), month, day)?;
    let mut time = cursor;
    if (time.take("t") || time.take(" ")) && time.small().is_some() && time.sign(&[':']).is_some() {
        let length =
            time.rest().chars().take_while(|sign| is_digit(*sign) || matches!(sign, ':' | '.' | '+' | '-' | 'Z' | 'z'));
        let length: usize = length.map(char::len_utf8).sum();
        let told = time.rest().get(..length)?.trim_end_matches(['.', ':', '-', '+']);
        return Some((time.at.saturating_add(told.len()), date));
    }
    cursor.is_end().then_some((cursor.at, date))
}

/// `03/04/2031`, `4.3.2031`, `4. 3. 2031`, `3/4/31`.
fn numeric(mut cursor: Cursor<'_>) -> Option<(usize, WrittenDate)> {
    let start = cursor.at;
    let first = cursor.small()?;
    let mark = cursor.sign(&['/', '.', '-', '\u{2010}', '\u{2011}'])?;
    let is_spaced = mark == '.' && cursor.sign(&[' ', '\u{a0}', '\u{202f}']).is_some();
    let second = cursor.small()?;
    cursor.sign(&[mark])?;
    if is_spaced {
        cursor.sign(&[' ', '\u{a0}', '\u{202f}'])?;
    }
    let before = cursor.at;
    let year = match run(cursor.rest()).0 {
        4 => cursor.number(4..=4)?,
        // Three pairs of digits between points can be a version; single digits surely are one.
        2 if mark == '/' || (mark == '.' && !is_spaced && before.saturating_sub(start) == 6) => {
            cursor.number(2..=2)?.saturating_add(2000)
        }
        _ => return None,
    };
    let looks_like = (1..=31).contains(&first) && (1..=31).contains(&second);
    let date = WrittenDate::of(Kind::Numeric { first, second, year });
    (looks_like && cursor.is_end()).then_some((cursor.at, date))
}

const ORDINALS: [&str; 10] = ["st", "nd", "rd", "th", "ère", "er", "ème", "º", "ª", "."];

/// `4 March 2031`, `March 4th, 2031`, `4–6 March`.
fn named(cursor: Cursor<'_>, floor: usize) -> Option<(usize, usize, WrittenDate)> {
    let before = cursor.text.get(floor..cursor.at)?;
    let word = before.strip_suffix([' ', '\u{a0}', '\u{202f}', '-']).unwrap_or(before);
    let month = if word.len() == before.len() { None } else { Month::at_end(word) };
    let led = month.and_then(|(month, start)| {
        let (end, date) = month_first(cursor, month)?;
        Some((floor.saturating_add(start), end, date))
    });
    led.or_else(|| day_first(cursor).map(|(end, date)| (cursor.at, end, date)))
}

/// The last day of a stretch.
fn last_day(cursor: &mut Cursor<'_>) -> Option<u8> {
    let mut ahead = *cursor;
    ahead.take(" ");
    ahead.sign(&HYPHENS)?;
    ahead.take(" ");
    let last = ahead.small()?;
    *cursor = ahead;
    Some(last)
}

fn month_first(mut cursor: Cursor<'_>, month: Month) -> Option<(usize, WrittenDate)> {
    let day = cursor.small()?;
    cursor.take_any(&["st", "nd", "rd", "th"]);
    let last = last_day(&mut cursor);
    let mut ahead = cursor;
    let is_apart = ahead.take(", ") || ahead.take(" ") || ahead.take(",");
    let year = if is_apart { ahead.number(4..=4).filter(|year| *year >= 1000 && ahead.is_end()) } else { None };
    let end = if year.is_some() { ahead } else { cursor };
    let is_month = if month.is_shy { year.is_some() } else { month.is_capital || year.is_some() };
    let date = WrittenDate { last, ..WrittenDate::fixed(year, month.number, day)? };
    (is_month && end.is_end() && !end.next_is(|sign| sign == '%')).then_some((end.at, date))
}

fn day_first(mut cursor: Cursor<'_>) -> Option<(usize, WrittenDate)> {
    let day = cursor.small()?;
    let last = last_day(&mut cursor);
    cursor.take_any(&ORDINALS);
    cursor.sign(&[' ', '\u{a0}', '\u{202f}', '-', '/'])?;
    let is_joined = cursor.take_any(&["of ", "de ", "di "]);
    let (month, length) = Month::at_start(cursor.rest())?;
    cursor.at = cursor.at.saturating_add(length);
    let mut ahead = cursor;
    let is_apart = ahead.take_any(&[" de ", " del ", ", ", " ", "-", "/"]);
    let year = if is_apart { ahead.number(4..=4).filter(|year| *year >= 1000 && ahead.is_end()) } else { None };
    let end = if year.is_some() { ahead } else { cursor };
    let is_month = !month.is_shy || is_joined || year.is_some();
    let date = WrittenDate { last, ..WrittenDate::fixed(year, month.number, day)? };
    is_month.then_some((end.at, date))
}
