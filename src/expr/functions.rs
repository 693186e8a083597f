//! Functions and methods: one table with their types, what they do, and a line that says so.
//!
//! What they are called with is of the types they ask for before they run. Macros, `has`, `orValue` and what asks for
//! earlier calls are no functions: the compiler knows them.

use super::arithmetic::{TOO_LARGE, places, text};
use super::evaluate::{Evaluation, evaluate, wrong};
use super::program::Node;
use super::types::Kinds;
use super::val::{Items, Val, missing};
use super::{Fault, Outcome};
use crate::decimal::Decimal;
use crate::time::{Duration, Timestamp};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// What a function gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    Kinds(Kinds),
    /// An element of its list.
    Element,
    /// A list as the one it was given.
    Same,
    /// A list of texts.
    Texts,
}

/// How a function computes: what it is given, the offset of times without a zone, and fuel. `None`: what it was given
/// has no such value.
type Apply = for<'c> fn(&[Val<'c>], Option<i32>, &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>>;

/// A function, or a method of a value.
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(super) is_method: bool,
    /// The types of what it takes; of a method, of its value first.
    pub(super) takes: &'static [Kinds],
    /// How many of the last ones may be left out.
    pub(super) optional: usize,
    /// What the elements of a list must be.
    pub(super) elements: Kinds,
    pub(super) gives: Gives,
    apply: Apply,
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

const ORDERED: Kinds = Kinds::NUMBER.or(Kinds::TEXT).or(Kinds::TIME).or(Kinds::SPAN);
const SIZED: Kinds = Kinds::TEXT.or(Kinds::LIST).or(Kinds::MAP);
const ANYTHING: Kinds = Kinds::ANY.or(Kinds::TIME).or(Kinds::SPAN).or(Kinds::TYPE);
const INTEGER: Gives = Gives::Kinds(Kinds::INTEGER);
const BOOL: Gives = Gives::Kinds(Kinds::BOOL);
const TEXT: Gives = Gives::Kinds(Kinds::TEXT);
const CLOCK: Kinds = Kinds::TIME.or(Kinds::SPAN);

const fn method(name: &'static str, takes: &'static [Kinds], gives: Gives, apply: Apply) -> Function {
    Function { name, is_method: true, takes, optional: 0, elements: ANYTHING, gives, apply }
}

const fn function(name: &'static str, takes: &'static [Kinds], gives: Gives, apply: Apply) -> Function {
    Function { is_method: false, ..method(name, takes, gives, apply) }
}

/// Every function and method.
pub(super) static FUNCTIONS: &[Function] = &[
    function("size", &[SIZED], INTEGER, size),
    function("type", &[ANYTHING], Gives::Kinds(Kinds::TYPE), type_of),
    function("string", &[Kinds::SCALAR], TEXT, string),
    function("int", &[Kinds::NUMBER.or(Kinds::TEXT).or(Kinds::TIME)], INTEGER, int),
    Function { optional: 1, ..function("round", &[Kinds::NUMBER, Kinds::INTEGER], Gives::Kinds(Kinds::NUMBER), round) },
    function("timestamp", &[Kinds::TEXT.or(Kinds::TIME)], Gives::Kinds(Kinds::TIME), timestamp),
    function("duration", &[Kinds::TEXT.or(Kinds::SPAN)], Gives::Kinds(Kinds::SPAN), duration),
    method("size", &[SIZED], INTEGER, size),
    Function { elements: Kinds::NUMBER, ..method("sum", &[Kinds::LIST], Gives::Kinds(Kinds::NUMBER), sum) },
    Function { elements: ORDERED, ..method("min", &[Kinds::LIST], Gives::Element, min) },
    Function { elements: ORDERED, ..method("max", &[Kinds::LIST], Gives::Element, max) },
    method("distinct", &[Kinds::LIST], Gives::Same, distinct),
    Function { optional: 1, elements: Kinds::TEXT, ..method("join", &[Kinds::LIST, Kinds::TEXT], TEXT, join) },
    method("startsWith", &[Kinds::TEXT, Kinds::TEXT], BOOL, starts_with),
    method("endsWith", &[Kinds::TEXT, Kinds::TEXT], BOOL, ends_with),
    method("contains", &[Kinds::TEXT, Kinds::TEXT], BOOL, contains),
    method("matches", &[Kinds::TEXT, Kinds::TEXT], BOOL, nothing),
    Function { optional: 1, ..method("substring", &[Kinds::TEXT, Kinds::INTEGER, Kinds::INTEGER], TEXT, substring) },
    method("split", &[Kinds::TEXT, Kinds::TEXT], Gives::Texts, split),
    method("lowerAscii", &[Kinds::TEXT], TEXT, lower_ascii),
    method("getFullYear", &[Kinds::TIME], INTEGER, |args, offset, _| calendar(args, offset, |parts| parts.year)),
    method("getMonth", &[Kinds::TIME], INTEGER, |args, offset, _| calendar(args, offset, |parts| before(parts.month))),
    method("getDate", &[Kinds::TIME], INTEGER, |args, offset, _| calendar(args, offset, |parts| parts.day)),
    method("getDayOfMonth", &[Kinds::TIME], INTEGER, |args, offset, _| {
        calendar(args, offset, |parts| before(parts.day))
    }),
    method("getDayOfWeek", &[Kinds::TIME], INTEGER, |args, offset, _| calendar(args, offset, |parts| parts.weekday)),
    method("getDayOfYear", &[Kinds::TIME], INTEGER, |args, offset, _| {
        calendar(args, offset, |parts| parts.day_of_year)
    }),
    method("getHours", &[CLOCK], INTEGER, |args, offset, _| clock(args, offset, 3_600_000_000_000, 24)),
    method("getMinutes", &[CLOCK], INTEGER, |args, offset, _| clock(args, offset, 60_000_000_000, 60)),
    method("getSeconds", &[CLOCK], INTEGER, |args, offset, _| clock(args, offset, 1_000_000_000, 60)),
    method("getMilliseconds", &[CLOCK], INTEGER, |args, offset, _| clock(args, offset, 1_000_000, 1000)),
];

/// The function or method of a name.
pub(super) fn find(name: &str, is_method: bool) -> Option<&'static Function> {
    FUNCTIONS.iter().find(|function| function.name == name && function.is_method == is_method)
}

impl Function {
    /// Evaluates what it is given, from left to right, and computes.
    pub(super) fn call<'c>(
        &self,
        parts: &[Node],
        offset: Option<i32>,
        evaluation: &mut Evaluation<'c>,
    ) -> Outcome<Val<'c>> {
        let mut given = Vec::with_capacity(parts.len());
        for (node, kinds) in parts.iter().zip(self.takes) {
            let value = evaluate(node, evaluation)?;
            if !Kinds::of(&value).within(*kinds) || (value.is_null() && *kinds != ANYTHING) {
                return Err(wrong(node, &value, &kinds.to_string()));
            }
            given.push(value);
        }
        (self.apply)(&given, offset, evaluation)?.ok_or_else(|| {
            let what = parts.first().map(Node::what).unwrap_or_default();
            missing(format!("`{}` has no value for {what}", self.name))
        })
    }
}

impl Kinds {
    /// The kind of a value.
    pub(super) fn of(value: &Val<'_>) -> Kinds {
        if value.as_text().is_some() {
            return Kinds::TEXT;
        }
        if let Some(number) = value.as_number() {
            return if number.is_integer() { Kinds::INTEGER } else { Kinds::NUMBER };
        }
        match value {
            _ if value.is_null() => Kinds::NULL,
            Val::Time(_) => Kinds::TIME,
            Val::Span(_) => Kinds::SPAN,
            Val::Type(_) => Kinds::TYPE,
            _ if value.as_bool().is_some() => Kinds::BOOL,
            _ if value.as_list().is_some() => Kinds::LIST,
            _ => Kinds::MAP,
        }
    }
}

fn whole(number: usize) -> Val<'static> {
    Val::Number(Decimal::from(u64::try_from(number).unwrap_or(u64::MAX)))
}

fn nothing<'c>(_: &[Val<'c>], _: Option<i32>, _: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    Ok(None)
}

fn list<'c>(args: &[Val<'c>]) -> Option<Items<'c>> {
    args.first().and_then(Val::as_list)
}

/// The text at a place, paid for.
fn text_at<'v>(args: &'v [Val<'_>], at: usize, evaluation: &mut Evaluation<'_>) -> Outcome<&'v str> {
    let text = args.get(at).and_then(Val::as_text).unwrap_or_default();
    evaluation.spend_text(text.len())?;
    Ok(text)
}

fn size<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(value) = args.first() else { return Ok(None) };
    if value.as_text().is_some() {
        return Ok(Some(whole(text_at(args, 0, evaluation)?.chars().count())));
    }
    Ok(value.as_list().map(|items| items.len()).or(value.map_len()).map(whole))
}

fn type_of<'c>(args: &[Val<'c>], _: Option<i32>, _: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    Ok(args.first().map(|value| Val::Type(value.type_name())))
}

fn string<'c>(args: &[Val<'c>], _: Option<i32>, _: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(value) = args.first() else { return Ok(None) };
    if value.as_text().is_some() {
        return Ok(Some(value.clone()));
    }
    Ok(match value {
        Val::Time(time) => Some(time.to_string()),
        Val::Span(span) => Some(span.to_string()),
        _ => value.as_number().map(|number| number.to_string()).or(value.as_bool().map(|truth| truth.to_string())),
    }
    .map(|text| Val::Text(text.into())))
}

fn int<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(value) = args.first() else { return Ok(None) };
    if let Val::Time(time) = value {
        return Ok(i64::try_from(time.0.div_euclid(1_000_000_000)).ok().map(|seconds| Val::Number(seconds.into())));
    }
    if let Some(text) = value.as_text() {
        evaluation.spend_text(text.len())?;
        return Ok(text.parse::<i64>().ok().map(|number| Val::Number(number.into())));
    }
    let Some(number) = value.as_number() else { return Ok(None) };
    let rounded = number.round(0).ok_or(TOO_LARGE)?;
    let is_too_far = rounded.abs() > number.abs();
    let one = if number.is_negative() { Decimal::ONE.neg() } else { Decimal::ONE };
    Ok(if is_too_far { rounded.checked_sub(&one) } else { Some(rounded) }.map(Val::Number))
}

fn round<'c>(args: &[Val<'c>], _: Option<i32>, _: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let places = args.get(1).and_then(Val::as_number).map_or(Ok(0), places)?;
    let Some(number) = args.first().and_then(Val::as_number) else { return Ok(None) };
    number.round(places).map(|number| Some(Val::Number(number))).ok_or(TOO_LARGE)
}

fn timestamp<'c>(args: &[Val<'c>], offset: Option<i32>, _: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    Ok(match args.first() {
        Some(Val::Time(time)) => Some(Val::Time(*time)),
        Some(value) => value.as_text().and_then(|text| Timestamp::parse_at(text, offset)).map(Val::Time),
        None => None,
    })
}

fn duration<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    Ok(match args.first() {
        Some(Val::Span(span)) => Some(Val::Span(*span)),
        Some(_) => Duration::parse(text_at(args, 0, evaluation)?).map(Val::Span),
        None => None,
    })
}

fn sum<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(items) = list(args) else { return Ok(None) };
    evaluation.spend_each(items.len())?;
    let mut sum = Decimal::ZERO;
    for item in items.iter() {
        let Some(number) = item.as_number() else { return Ok(None) };
        sum = sum.checked_add(&number).ok_or(TOO_LARGE)?;
    }
    Ok(Some(Val::Number(sum)))
}

fn min<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    extreme(args, Ordering::Less, evaluation)
}

fn max<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    extreme(args, Ordering::Greater, evaluation)
}

fn extreme<'c>(args: &[Val<'c>], wanted: Ordering, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(items) = list(args) else { return Ok(None) };
    evaluation.spend_each(items.len())?;
    let Some(mut best) = items.get(0).filter(|first| Kinds::of(first).within(ORDERED)) else { return Ok(None) };
    for item in items.iter().skip(1) {
        let Some(order) = item.paid_order(&best, evaluation)? else { return Ok(None) };
        if order == wanted {
            best = item;
        }
    }
    Ok(Some(best))
}

fn distinct<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(items) = list(args) else { return Ok(None) };
    let (mut seen, mut kept) = (BTreeSet::new(), Vec::new());
    for item in items.iter() {
        evaluation.spend(1)?;
        item.spend_whole(evaluation)?;
        let Some(value) = item.to_value() else { return Ok(None) };
        let bytes = crate::canon::to_vec(&value);
        // A time and its text are not the same.
        if seen.insert((item.type_name(), bytes)) {
            kept.push(item);
        }
    }
    Ok(Some(Val::List(Arc::new(kept))))
}

fn join<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let Some(items) = list(args) else { return Ok(None) };
    evaluation.spend_each(items.len())?;
    let items: Vec<Val<'c>> = items.iter().collect();
    let Some(texts) = items.iter().map(Val::as_text).collect::<Option<Vec<&str>>>() else { return Ok(None) };
    let between = args.get(1).and_then(Val::as_text).unwrap_or_default();
    let mut parts = Vec::with_capacity(texts.len().saturating_mul(2));
    for (at, part) in texts.into_iter().enumerate() {
        parts.extend((at > 0).then_some(between));
        parts.push(part);
    }
    text(&parts, evaluation).map(Some)
}

fn starts_with<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    compare_texts(args, evaluation, |whole, part| whole.starts_with(part))
}

fn ends_with<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    compare_texts(args, evaluation, |whole, part| whole.ends_with(part))
}

fn contains<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    compare_texts(args, evaluation, |whole, part| whole.contains(part))
}

fn compare_texts<'c>(
    args: &[Val<'c>],
    evaluation: &mut Evaluation<'c>,
    holds: impl Fn(&str, &str) -> bool,
) -> Outcome<Option<Val<'c>>> {
    let (whole, part) = (text_at(args, 0, evaluation)?, text_at(args, 1, evaluation)?);
    Ok(Some(Val::Bool(holds(whole, part))))
}

fn substring<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let whole = text_at(args, 0, evaluation)?;
    // The byte that a number of characters ends at.
    let offset = |at: usize| {
        let count = args.get(at)?.as_number()?.to_u64().and_then(|count| usize::try_from(count).ok())?;
        whole.char_indices().map(|(offset, _)| offset).chain([whole.len()]).nth(count)
    };
    let start = offset(1);
    let end = if args.len() > 2 { offset(2) } else { Some(whole.len()) };
    let Some(part) = start.zip(end).and_then(|(start, end)| whole.get(start..end)) else { return Ok(None) };
    Ok(Some(Val::Text(part.into())))
}

fn split<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let (whole, between) = (text_at(args, 0, evaluation)?, text_at(args, 1, evaluation)?);
    let parts: Vec<Val<'c>> = if between.is_empty() {
        evaluation.spend_each(whole.len())?;
        whole.char_indices().filter_map(|(at, one)| whole.get(at..)?.get(..one.len_utf8())).map(own).collect()
    } else {
        evaluation.spend_each(whole.matches(between).count())?;
        whole.split(between).map(own).collect()
    };
    Ok(Some(Val::List(Arc::new(parts))))
}

fn own(part: &str) -> Val<'static> {
    Val::Text(part.into())
}

fn lower_ascii<'c>(args: &[Val<'c>], _: Option<i32>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let whole = text_at(args, 0, evaluation)?;
    if whole.len() > super::evaluate::MAX_TEXT {
        return Err(Fault::OutOfRange("a text longer than 64 KiB"));
    }
    Ok(Some(Val::Text(whole.to_ascii_lowercase().into())))
}

/// CEL counts months and days of the month from 0.
fn before(number: i64) -> i64 {
    number.saturating_sub(1)
}

fn calendar<'c>(
    args: &[Val<'c>],
    offset: Option<i32>,
    part: impl Fn(crate::time::Parts) -> i64,
) -> Outcome<Option<Val<'c>>> {
    let Some(Val::Time(time)) = args.first() else { return Ok(None) };
    Ok(Some(Val::Number(part(time.parts(offset.unwrap_or(0))).into())))
}

/// A unit of the clock: of a time within the next larger one, of a span all of them.
fn clock<'c>(args: &[Val<'c>], offset: Option<i32>, unit: i64, within: i64) -> Outcome<Option<Val<'c>>> {
    Ok(match args.first() {
        Some(Val::Time(time)) => {
            let units = time.parts(offset.unwrap_or(0)).clock.checked_div(unit);
            units.and_then(|units| units.checked_rem(within)).map(|number| Val::Number(number.into()))
        }
        Some(Val::Span(span)) if within == 1000 => {
            let units = (span.0 % 1_000_000_000).checked_div(i128::from(unit));
            units.and_then(|units| i64::try_from(units).ok()).map(|number| Val::Number(number.into()))
        }
        Some(Val::Span(span)) => {
            let units = span.0.checked_div(i128::from(unit)).and_then(|units| i64::try_from(units).ok());
            units.map(|number| Val::Number(number.into()))
        }
        _ => None,
    })
}
