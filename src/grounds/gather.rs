//! What a value adds to the grounds: every scalar in it, and every key.
//!
//! A number is an amount of any currency; a text is one of them if it is a plain number as a whole, and is else searched
//! for figures. A date grounds its day and month in any year.

use super::{Fresh, Gathered, Grounds, Kept, MAX_FIGURES, SAID, Scope, UNSAID, by_code, id_hash};
use crate::decimal::Decimal;
use crate::figures::{
    Currency, Date, Figure, Figures, Found, LONG_RUN, Locales, WrittenAmount, WrittenDate, has_digit, id_parts,
    whole_matches,
};
use crate::hash::{FingerprintMap, SessionKey};
use crate::observed::words::scalars;
use crate::observed::{AmountSource, GroundPlan};
use crate::path::{Step, walk};
use crate::value::Value;

pub(super) fn gathered(
    grounds: &Grounds,
    key: &SessionKey,
    plan: &GroundPlan,
    tool: Option<&str>,
    value: &Value<'_>,
) -> Gathered {
    let locales = plan.readings().fold(Locales::default(), |all, (_, locales)| all.with(locales));
    let mut gatherer = Gatherer {
        key,
        plan,
        locales,
        amounts: Gathering::of(&grounds.amounts),
        ids: Gathering::of(&grounds.ids),
        dates: Gathering::of(&grounds.dates),
    };
    if plan.asks_amounts() || plan.asks_ids() || plan.asks_dates() {
        gatherer.value(value);
    }
    for (number, source) in plan.sources(tool) {
        gatherer.source(Scope::From(number), source, value);
    }
    Gathered { amounts: gatherer.amounts.done(), ids: gatherer.ids.done(), dates: gatherer.dates.done() }
}

/// What is new of one sort, while it is gathered.
struct Gathering<'g> {
    kept: &'g Kept,
    seen: FingerprintMap<()>,
    fresh: Fresh,
}

impl<'g> Gathering<'g> {
    fn of(kept: &'g Kept) -> Gathering<'g> {
        Gathering { kept, seen: FingerprintMap::default(), fresh: Fresh::default() }
    }

    fn add(&mut self, hash: u128) {
        if self.kept.hashes.contains_key(&hash) || self.seen.contains_key(&hash) {
            return;
        }
        if self.kept.hashes.len().saturating_add(self.fresh.hashes.len()) >= MAX_FIGURES {
            self.fresh.is_cut = true;
            return;
        }
        self.seen.insert(hash, ());
        self.fresh.hashes.push(hash);
    }

    fn done(self) -> Fresh {
        self.fresh
    }
}

struct Gatherer<'g> {
    key: &'g SessionKey,
    plan: &'g GroundPlan,
    /// Those of all guards.
    locales: Locales,
    amounts: Gathering<'g>,
    ids: Gathering<'g>,
    dates: Gathering<'g>,
}

impl Gatherer<'_> {
    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => self.number(number),
            Value::String(text) => self.text(text),
            Value::Array(items) => items.iter().for_each(|item| self.value(item)),
            Value::Object(object) => {
                for (name, member) in object.iter() {
                    self.text(name);
                    self.value(member);
                }
            }
        }
    }

    fn number(&mut self, number: &Decimal) {
        if self.plan.asks_amounts() {
            self.amount(Scope::Any, None, number);
        }
        if self.plan.asks_ids() && number.is_integer() {
            self.long_run(&number.abs().to_string());
        }
    }

    fn long_run(&mut self, digits: &str) {
        if self.plan.asks_shaped_ids() && digits.len() >= LONG_RUN {
            self.ids.add(id_hash(self.key, digits));
        }
        self.matches(digits);
    }

    /// What the patterns of ids match.
    fn matches(&mut self, text: &str) {
        for pattern in self.plan.patterns() {
            whole_matches(pattern, text).for_each(|id| self.ids.add(id_hash(self.key, id)));
        }
    }

    fn text(&mut self, text: &str) {
        if !has_digit(text) {
            // A pattern can match letters alone.
            return self.matches(text);
        }
        // A whole text that is a plain number is a machine's, and no language's.
        if let Ok(number) = Decimal::parse_plain(text) {
            if self.plan.asks_amounts() {
                self.amount(Scope::Any, None, &number);
            }
            return self.long_run(text.trim_start_matches('-'));
        }
        self.matches(text);
        for found in Figures::of(text, &self.locales) {
            self.figure(&found);
        }
    }

    fn figure(&mut self, found: &Found<'_>) {
        if let Some(id) = found.id().filter(|_| self.plan.asks_shaped_ids()) {
            self.ids.add(id_hash(self.key, id));
            id_parts(id).for_each(|part| self.ids.add(id_hash(self.key, part)));
        }
        match found.figure {
            Figure::Amount(amount) if self.plan.asks_amounts() => self.written_amount(&amount, found.text),
            Figure::Date(date) if self.plan.asks_dates() => self.written_date(&date, found.text),
            Figure::Amount(_) | Figure::Date(_) | Figure::Id => {}
        }
    }

    fn written_amount(&mut self, amount: &WrittenAmount<'_>, text: &str) {
        if let Some(number) = amount.numeral.read(&Locales::default()) {
            return self.amount(Scope::Any, amount.currency, &number);
        }
        self.amounts.add(Scope::Any.text(self.key, text));
        for (reading, locales) in self.plan.readings() {
            if let Some(number) = amount.numeral.read(locales) {
                self.amount(Scope::Read(reading), amount.currency, &number);
            }
        }
    }

    fn amount(&mut self, scope: Scope, currency: Option<Currency>, number: &Decimal) {
        let shared = currency.and_then(|currency| currency.shared()).and_then(by_code);
        let names: [Option<&str>; 3] = match &currency {
            None => [Some(UNSAID), None, None],
            Some(currency) => [Some(SAID), Some(currency.name()), shared],
        };
        // What is taken away is told as a number without its sign.
        let below_zero = number.is_negative().then(|| number.abs());
        for number in [Some(*number), below_zero].iter().flatten() {
            for name in names.iter().flatten() {
                self.amounts.add(scope.amount(self.key, name, number));
            }
        }
    }

    fn written_date(&mut self, date: &WrittenDate, text: &str) {
        if let Some(days) = date.read(&Locales::default()) {
            return self.days(Scope::Any, days);
        }
        self.dates.add(Scope::Any.text(self.key, text));
        for (reading, locales) in self.plan.readings() {
            if let Some(days) = date.read(locales) {
                self.days(Scope::Read(reading), days);
            }
        }
    }

    fn days(&mut self, scope: Scope, (first, last): (Date, Option<Date>)) {
        for date in [Some(first), last].into_iter().flatten() {
            self.dates.add(scope.date(self.key, &date));
            self.dates.add(scope.date(self.key, &Date { year: None, ..date }));
        }
    }

    /// The amounts at a source, each with the currency that stands beside it.
    fn source(&mut self, scope: Scope, source: &AmountSource, value: &Value<'_>) {
        let path = source.path.steps();
        let Some(currency_path) = &source.currency_path else {
            return self.at(scope, source, (path, source.currency), value);
        };
        let currency_path = currency_path.steps();
        let shared = path.iter().zip(currency_path).take_while(|(one, other)| one == other).count();
        let (prefix, rest) = path.split_at_checked(shared).unwrap_or((path, &[]));
        let currency_rest = currency_path.get(shared..).unwrap_or_default();
        walk(prefix, value, &mut |node| {
            // An amount whose currency nobody knows grounds none.
            if let Some(currency) = currency_at(currency_rest, node) {
                self.at(scope, source, (rest, Some(currency)), node);
            }
        });
    }

    fn at(
        &mut self,
        scope: Scope,
        source: &AmountSource,
        (path, currency): (&[Step], Option<Currency>),
        value: &Value<'_>,
    ) {
        walk(path, value, &mut |node| scalars(node, &mut |scalar| self.scalar(scope, source, currency, scalar)));
    }

    fn scalar(&mut self, scope: Scope, source: &AmountSource, currency: Option<Currency>, scalar: &Value<'_>) {
        let text = match scalar {
            Value::Number(number) => return self.minor(scope, source, currency, number),
            Value::String(text) => text,
            _ => return,
        };
        if let Ok(number) = Decimal::parse_plain(text) {
            return self.minor(scope, source, currency, &number);
        }
        for found in Figures::of(text, &source.locales) {
            let Figure::Amount(amount) = found.figure else { continue };
            let agrees = |own: Currency| currency.is_none_or(|currency| currency.agrees(&own));
            if !amount.currency.is_none_or(agrees) {
                continue;
            }
            let read = amount.numeral.read(&source.locales).or_else(|| amount.numeral.read(&Locales::default()));
            match read {
                Some(number) => self.amount(scope, currency.or(amount.currency), &number),
                None => self.amounts.add(scope.text(self.key, found.text)),
            }
        }
    }

    /// A plain number, in the units that its source counts in.
    fn minor(&mut self, scope: Scope, source: &AmountSource, currency: Option<Currency>, number: &Decimal) {
        let unit = match source.minor {
            0 => Some(Decimal::ONE),
            places => Decimal::parse_plain(&format!("0.{:0>width$}", 1, width = usize::from(places))).ok(),
        };
        if let Some(number) = unit.and_then(|unit| number.checked_mul(&unit)) {
            self.amount(scope, currency, &number);
        }
    }
}

/// The one currency at a path.
fn currency_at(path: &[Step], value: &Value<'_>) -> Option<Currency> {
    let (mut found, mut is_one) = (None, true);
    walk(path, value, &mut |node| {
        let currency = node.as_str().and_then(Currency::of_text);
        is_one &= currency.is_some() && found.is_none_or(|known| Some(known) == currency);
        found = currency;
    });
    found.filter(|_| is_one)
}
