//! How numbers and numeric dates are written where, by language tag: data, and sets of it.
//!
//! Nothing here reads a text. A language whose regions differ has the forms of all of them, or no order of day and month.

use super::number::Mark;

/// One way to write a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// What stands before the fraction.
    pub(super) decimal: Mark,
    /// What may stand between groups of digits, besides what does so everywhere.
    pub(super) groups: &'static [Mark],
    /// True if all groups but the last may have two digits.
    pub(super) pairs: bool,
}

/// Which part of a numeric date comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// `4.3.2031`, `04/03/2031`.
    DayFirst,
    /// `3/4/2031`.
    MonthFirst,
}

/// What is written where one language is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Locale {
    tag: &'static str,
    forms: &'static [Form],
    date: Option<Order>,
}

const fn form(decimal: Mark, groups: &'static [Mark]) -> Form {
    Form { decimal, groups, pairs: false }
}

/// `1,234.56`
const POINT: Form = form(Mark::Point, &[Mark::Comma]);
/// `12,34,567.89`
const POINT_PAIRS: Form = Form { pairs: true, ..POINT };
/// `1'234.56`
const POINT_APOSTROPHE: Form = form(Mark::Point, &[Mark::Apostrophe]);
/// `1.234,56`
const COMMA: Form = form(Mark::Comma, &[Mark::Point]);
/// `1 234,56`
const COMMA_SPACE: Form = form(Mark::Comma, &[Mark::Space]);
/// `1'234,56`
const COMMA_APOSTROPHE: Form = form(Mark::Comma, &[Mark::Apostrophe]);

/// Every form, for what reads the same in all of them. A plain space may also stand between two numbers, so it groups
/// nowhere unless a language says so.
const EVERY: &[Form] =
    &[POINT, POINT_PAIRS, POINT_APOSTROPHE, COMMA, COMMA_APOSTROPHE, form(Mark::ArabicDecimal, &[Mark::ArabicGroup])];

const fn locale(tag: &'static str, forms: &'static [Form], date: Option<Order>) -> Locale {
    Locale { tag, forms, date }
}

const DAY: Option<Order> = Some(Order::DayFirst);
const MONTH: Option<Order> = Some(Order::MonthFirst);

/// Every language, by tag. A region that is not here is written as its language is.
static LOCALES: &[Locale] = &[
    locale("ar", &[POINT, COMMA], DAY),
    locale("bg", &[COMMA_SPACE], DAY),
    locale("cs", &[COMMA_SPACE], DAY),
    locale("da", &[COMMA], DAY),
    locale("de", &[COMMA], DAY),
    locale("de-ch", &[POINT_APOSTROPHE, COMMA_APOSTROPHE], DAY),
    locale("de-li", &[POINT_APOSTROPHE, COMMA_APOSTROPHE], DAY),
    locale("el", &[COMMA], DAY),
    locale("en", &[POINT], None),
    locale("en-au", &[POINT], DAY),
    locale("en-gb", &[POINT], DAY),
    locale("en-ie", &[POINT], DAY),
    locale("en-in", &[POINT_PAIRS], DAY),
    locale("en-nz", &[POINT], DAY),
    locale("en-us", &[POINT], MONTH),
    locale("es", &[COMMA], DAY),
    locale("es-419", &[POINT], DAY),
    locale("es-do", &[POINT], DAY),
    locale("es-gt", &[POINT], DAY),
    locale("es-hn", &[POINT], DAY),
    locale("es-mx", &[POINT], DAY),
    locale("es-ni", &[POINT], DAY),
    locale("es-pa", &[POINT], None),
    locale("es-pe", &[POINT], DAY),
    locale("es-pr", &[POINT], None),
    locale("es-sv", &[POINT], DAY),
    locale("es-us", &[POINT], None),
    locale("et", &[COMMA_SPACE], DAY),
    locale("fa", &[POINT], DAY),
    locale("fi", &[COMMA_SPACE], DAY),
    locale("fr", &[COMMA_SPACE], DAY),
    locale("fr-ch", &[COMMA_SPACE, POINT_APOSTROPHE, COMMA_APOSTROPHE], DAY),
    locale("he", &[POINT], DAY),
    locale("hi", &[POINT_PAIRS], DAY),
    locale("hr", &[COMMA], DAY),
    locale("hu", &[COMMA_SPACE], DAY),
    locale("id", &[COMMA], DAY),
    locale("it", &[COMMA], DAY),
    locale("it-ch", &[POINT_APOSTROPHE, COMMA_APOSTROPHE], DAY),
    locale("ja", &[POINT], None),
    locale("ko", &[POINT], None),
    locale("lt", &[COMMA_SPACE], None),
    locale("lv", &[COMMA_SPACE], DAY),
    locale("nb", &[COMMA_SPACE], DAY),
    locale("nl", &[COMMA], DAY),
    locale("nn", &[COMMA_SPACE], DAY),
    locale("no", &[COMMA_SPACE], DAY),
    locale("pl", &[COMMA_SPACE], DAY),
    locale("pt", &[COMMA], DAY),
    locale("pt-pt", &[COMMA, COMMA_SPACE], DAY),
    locale("ro", &[COMMA], DAY),
    locale("ru", &[COMMA_SPACE], DAY),
    locale("sk", &[COMMA_SPACE], DAY),
    locale("sl", &[COMMA], DAY),
    locale("sr", &[COMMA], DAY),
    locale("sv", &[COMMA_SPACE], None),
    locale("th", &[POINT], DAY),
    locale("tr", &[COMMA], DAY),
    locale("uk", &[COMMA_SPACE], DAY),
    locale("vi", &[COMMA], DAY),
    locale("zh", &[POINT], None),
];

impl Locale {
    /// The entry of a language tag: `de-AT` is `de`, for it has none of its own. `None` for a language that is not known.
    ///
    /// ```
    /// use flyball::figures::Locale;
    ///
    /// assert_eq!(Locale::find("de_AT").map(|locale| locale.tag()), Some("de"));
    /// assert_eq!(Locale::find("de-CH").map(|locale| locale.tag()), Some("de-ch"));
    /// assert_eq!(Locale::find("xx"), None);
    /// ```
    #[must_use]
    pub fn find(tag: &str) -> Option<Locale> {
        let tag = tag.replace('_', "-").to_ascii_lowercase();
        let of = |tag: &str| LOCALES.iter().find(|known| known.tag == tag).copied();
        of(&tag).or_else(|| of(tag.split('-').next().unwrap_or_default()))
    }

    /// Its tag, in small letters.
    #[must_use]
    pub fn tag(&self) -> &'static str {
        self.tag
    }

    /// Every known tag, for suggestions.
    pub fn tags() -> impl Iterator<Item = &'static str> {
        LOCALES.iter().map(|locale| locale.tag)
    }

    /// How it writes numbers.
    #[must_use]
    pub fn forms(&self) -> &'static [Form] {
        self.forms
    }
}

/// The languages that are declared; without any only that counts which reads the same in all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locales {
    all: Vec<Locale>,
}

impl Locales {
    /// These languages.
    #[must_use]
    pub fn of(all: Vec<Locale>) -> Locales {
        Locales { all }
    }

    /// True if none is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// They, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Locale> {
        self.all.iter()
    }

    /// How numbers may be written.
    pub(super) fn forms(&self) -> impl Iterator<Item = &'static Form> {
        let every = if self.all.is_empty() { EVERY } else { &[] };
        every.iter().chain(self.all.iter().flat_map(|locale| locale.forms))
    }

    /// Which part of a numeric date comes first; `None` where nobody says, or two say different things.
    #[must_use]
    pub fn order(&self) -> Option<Order> {
        let (first, rest) = self.all.split_first()?;
        first.date.filter(|order| rest.iter().all(|locale| locale.date == Some(*order)))
    }

    /// True if a plain space may group digits.
    pub(super) fn groups_by_space(&self) -> bool {
        self.all.iter().flat_map(|locale| locale.forms).any(|form| form.groups.contains(&Mark::Space))
    }

    /// Those of both.
    #[must_use]
    pub fn with(&self, other: &Locales) -> Locales {
        let mut all = self.all.clone();
        all.extend(other.all.iter().filter(|locale| !self.all.contains(locale)));
        Locales { all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_each_tag_stands_once() {
        assert!(LOCALES.is_sorted_by(|one, next| one.tag < next.tag));
    }

    #[test]
    fn two_orders_are_none() {
        let locales = |tags: &[&str]| Locales::of(tags.iter().map(|tag| Locale::find(tag).unwrap()).collect());
        assert_eq!(locales(&["de", "fr"]).order(), DAY);
        assert_eq!(locales(&["de", "en-US"]).order(), None);
        assert_eq!(locales(&["de", "en"]).order(), None);
        assert_eq!(locales(&[]).order(), None);
    }
}
