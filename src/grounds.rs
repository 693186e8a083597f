//! What a reply may name because it came up: the amounts, ids and dates of results and of the world, as keyed hashes.
//!
//! [`Grounds::gathered`] says what a value adds, [`Grounds::keep`] keeps it; each set is bounded, and one that is full
//! cannot tell of what it misses. An amount is asked for with its currency: one that came up without agrees with every
//! currency, one that came up with one agrees with that. What cannot be read where it came up grounds only itself, as it
//! is written there.
//!
//! Texts are not kept. Nothing is judged here.

mod gather;

use crate::decimal::Decimal;
use crate::figures::{Currency, Date, canonical};
use crate::hash::{FingerprintMap, Hash128, SessionKey};
use crate::observed::{GroundPlan, ReadingId, SourceId};
use crate::value::Value;

/// The most amounts, ids and dates that are kept, of each; beyond, one that is not found may have come up all the same.
pub const MAX_FIGURES: usize = 65_536;

/// Whether a figure came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// It did.
    Yes,
    /// It did not.
    No,
    /// More came up than can be kept, and this is not among what was.
    CannotTell,
}

/// What came up in a session so far, as far as some guard asks.
#[derive(Clone, Debug, Default)]
pub struct Grounds {
    amounts: Kept,
    ids: Kept,
    dates: Kept,
}

#[derive(Clone, Debug, Default)]
struct Kept {
    hashes: FingerprintMap<()>,
    /// True once something was left out.
    is_full: bool,
}

impl Kept {
    fn keep(&mut self, fresh: &Fresh) {
        let room = MAX_FIGURES.saturating_sub(self.hashes.len());
        self.is_full |= fresh.is_cut || fresh.hashes.len() > room;
        self.hashes.extend(fresh.hashes.iter().take(room).map(|hash| (*hash, ())));
    }

    /// Whether one of some hashes is kept.
    fn has(&self, hashes: impl IntoIterator<Item = u128>) -> Known {
        match hashes.into_iter().any(|hash| self.hashes.contains_key(&hash)) {
            true => Known::Yes,
            false if self.is_full => Known::CannotTell,
            false => Known::No,
        }
    }
}

/// What a value adds to what came up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gathered {
    amounts: Fresh,
    ids: Fresh,
    dates: Fresh,
}

/// What is new of one sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fresh {
    hashes: Vec<u128>,
    /// True if there was no room for all of it.
    is_cut: bool,
}

impl Gathered {
    /// True if nothing is new.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        [&self.amounts, &self.ids, &self.dates].iter().all(|fresh| fresh.hashes.is_empty() && !fresh.is_cut)
    }
}

/// Where a figure came from, as far as that tells what it grounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Anywhere, and it reads the same everywhere.
    Any,
    /// Anywhere, and these languages read it so.
    Read(ReadingId),
    /// A source of amounts.
    From(SourceId),
}

impl Scope {
    fn start(self, key: &SessionKey) -> Hash128 {
        let (sort, number) = match self {
            Scope::Any => ("any", 0),
            Scope::Read(ReadingId(number)) => ("read", number),
            Scope::From(SourceId(number)) => ("from", number),
        };
        Hash128::new(key).str(sort).number(&Decimal::from(u32::from(number)))
    }

    fn amount(self, key: &SessionKey, currency: &str, number: &Decimal) -> u128 {
        self.start(key).str(currency).number(number).finish()
    }

    /// A figure as it is written.
    fn text(self, key: &SessionKey, text: &str) -> u128 {
        self.start(key).str(&canonical(text)).finish()
    }

    fn date(self, key: &SessionKey, date: &Date) -> u128 {
        let part = |number: u16| Decimal::from(u32::from(number));
        let start = self.start(key).number(&part(date.month.into())).number(&part(date.day.into()));
        date.year.map_or(start, |year| start.number(&part(year))).finish()
    }
}

/// The currency of an amount that came up without one.
const UNSAID: &str = "";
/// Put behind a sign that several currencies share: one of these came up by its code.
const BY_CODE: [(Currency, &str); 5] = [
    (Currency::Dollar, "$ by code"),
    (Currency::Yen, "¥ by code"),
    (Currency::Crown, "kr by code"),
    (Currency::Pound, "£ by code"),
    (Currency::Rupee, "Rs by code"),
];
/// The currency of an amount that came up with any.
const SAID: &str = "any";

fn by_code(currency: Currency) -> Option<&'static str> {
    BY_CODE.iter().find(|(shared, _)| *shared == currency).map(|(_, name)| *name)
}

fn id_hash(key: &SessionKey, id: &str) -> u128 {
    Hash128::new(key).str(&canonical(id)).finish()
}

impl Grounds {
    /// What a value adds: a result of a tool, or (`None`) the world. Pure; nothing is kept.
    #[must_use]
    pub fn gathered(&self, key: &SessionKey, plan: &GroundPlan, tool: Option<&str>, value: &Value<'_>) -> Gathered {
        gather::gathered(self, key, plan, tool, value)
    }

    /// Keeps what a value added.
    pub fn keep(&mut self, gathered: &Gathered) {
        self.amounts.keep(&gathered.amounts);
        self.ids.keep(&gathered.ids);
        self.dates.keep(&gathered.dates);
    }

    /// Whether an amount came up in one of some scopes. One that is asked for without a currency did in any.
    #[must_use]
    pub fn amount(&self, key: &SessionKey, scopes: &[Scope], currency: Option<Currency>, number: &Decimal) -> Known {
        let shared = currency.and_then(|currency| currency.shared());
        let names = [
            Some(UNSAID),
            currency.is_none().then_some(SAID),
            currency.as_ref().map(Currency::name),
            shared.as_ref().map(Currency::name),
            currency.and_then(by_code),
        ];
        let hash = |scope: &Scope, name: &str| scope.amount(key, name, number);
        let names = || names.iter().flatten();
        self.amounts.has(scopes.iter().flat_map(|scope| names().map(|name| hash(scope, name))))
    }

    /// Whether an amount that nobody can read came up as it is written.
    #[must_use]
    pub fn amount_text(&self, key: &SessionKey, scopes: &[Scope], text: &str) -> Known {
        self.amounts.has(scopes.iter().map(|scope| scope.text(key, text)))
    }

    /// Whether an id came up, as a whole token, in small or capital letters.
    #[must_use]
    pub fn id(&self, key: &SessionKey, id: &str) -> Known {
        self.ids.has([id_hash(key, id)])
    }

    /// Whether a date came up; one without a year did in any year.
    #[must_use]
    pub fn date(&self, key: &SessionKey, scopes: &[Scope], date: &Date) -> Known {
        self.dates.has(scopes.iter().map(|scope| scope.date(key, date)))
    }

    /// Whether a date that nobody can read came up as it is written.
    #[must_use]
    pub fn date_text(&self, key: &SessionKey, scopes: &[Scope], text: &str) -> Known {
        self.dates.has(scopes.iter().map(|scope| scope.text(key, text)))
    }
}

#[cfg(test)]
mod tests;
