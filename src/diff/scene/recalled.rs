//! Values of earlier calls, and sums: `last('look', {'id': args.id}).result.total`, `(args.amount + 5)`.

use super::staging::{SOMEBODY, SPEAKER, Stage, at, put_at};
use super::{BTreeMap, Maker, Value};
use crate::decimal::Decimal;
use crate::proof::{Domain, Known, pick};

/// A part of the result of an earlier call, as a term names it.
struct Recalled<'t> {
    tool: &'t str,
    /// The path in its result.
    path: &'t str,
}

fn recalled(text: &str) -> Option<Recalled<'_>> {
    let rest = text.strip_prefix("last('").or_else(|| text.strip_prefix("first('"))?;
    let (tool, rest) = rest.split_once('\'')?;
    let (_, path) = rest.split_once(").result")?;
    let is_path = path.chars().all(|character| character.is_alphanumeric() || "._".contains(character));
    is_path.then(|| Recalled { tool, path: path.trim_start_matches('.') })
}

/// True for a term that is read of an earlier call.
pub(super) fn is_recalled(text: &str) -> bool {
    recalled(text).is_some()
}

/// The arguments that an earlier call is asked for by: `{'id': args.id}`.
pub(super) fn keys(text: &str, stage: &Stage) -> BTreeMap<String, Option<Value<'static>>> {
    let inner = text.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map_or("", |(inner, _)| inner);
    let pairs = inner.split(", ").filter_map(|pair| pair.split_once(": "));
    let pairs =
        pairs.filter_map(|(key, value)| Some((key.trim_matches('\'').to_owned(), Some(stage.value(value.trim())?))));
    pairs.collect()
}

impl Maker<'_, '_> {
    /// Lets an earlier call have come back with something of what is left.
    pub(super) fn recall(&self, known: &Known, left: &Domain, stage: &mut Stage) {
        let Some(Recalled { tool, .. }) = recalled(&known.text).filter(|_| !left.absent || left.yes) else { return };
        if !stage.earlier.iter().any(|one| one.tool == tool) {
            let wanted = keys(&known.text, stage);
            let mut before = Vec::new();
            self.call_before(tool, wanted, &[], 1, &mut before);
            stage.earlier.extend(before);
        }
        let is_right = |now: Value<'static>| !Domain::of_values([&now]).and(left).is_empty(None);
        if let Some(value) = pick(left, known.step, || None).filter(|_| !stage.value(&known.text).is_some_and(is_right))
        {
            stage.set(&known.text, value);
        }
    }
}

impl Stage {
    /// The part of an earlier call's result that a text names.
    pub(super) fn recalled(&self, text: &str) -> Option<Value<'static>> {
        let Recalled { tool, path } = recalled(text)?;
        let one = self.earlier.iter().rev().find(|one| one.tool == tool)?;
        at(&one.result, path)
    }

    pub(super) fn set_recalled(&mut self, text: &str, value: Value<'static>) {
        let Some(Recalled { tool, path }) = recalled(text) else { return };
        if let Some(one) = self.earlier.iter_mut().rev().find(|one| one.tool == tool) {
            put_at(&mut one.result, path, value);
        }
    }

    /// The value of a sum, a difference or a product.
    pub(super) fn computed(&self, text: &str) -> Option<Value<'static>> {
        let inner = text.strip_prefix('(')?.strip_suffix(')')?;
        let (left, operator, right) = split(inner)?;
        let number = |text: &str| self.value(text)?.as_number();
        let (left, right): (Decimal, Decimal) = (number(left)?, number(right)?);
        let computed = match operator {
            " + " => left.checked_add(&right),
            " - " => left.checked_sub(&right),
            _ => left.checked_mul(&right),
        };
        computed.map(Value::Number)
    }
}

/// The two sides of the operator that stands in no brackets.
fn split(text: &str) -> Option<(&str, &'static str, &str)> {
    let operators = [" + ", " - ", " * "].into_iter();
    operators.filter_map(|operator| between(text, operator).map(|(one, two)| (one, operator, two))).next()
}

/// The sides of `equal(a, b, false)`, of one that may be absent (`(a or b)`) what stands for it first, and whether it says
/// that they differ.
pub(super) fn equality(text: &str) -> Option<(&str, &str, bool)> {
    let inner = text.strip_prefix("equal(")?;
    let (inner, negated) = match inner.strip_suffix(", false)") {
        Some(inner) => (inner, false),
        None => (inner.strip_suffix(", true)")?, true),
    };
    let (left, right) = between(inner, ", ")?;
    Some((first_of(left), first_of(right), negated))
}

/// A let with a text of its own is `given …`.
pub(super) fn first_of(text: &str) -> &str {
    let text = text.strip_prefix("given ").unwrap_or(text);
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.and_then(|inner| between(inner, " or ")).map_or(text, |(first, _)| first)
}

/// The two parts of a text around the first of these that stands in no brackets.
fn between<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let mut depth = 0_u32;
    for (place, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth = depth.saturating_add(1),
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(rest) = text.get(place..).and_then(|rest| rest.strip_prefix(separator)).filter(|_| depth == 0) {
            return Some((text.get(..place)?, rest));
        }
    }
    None
}

impl Stage {
    /// Lets two values be equal, or differ.
    pub(super) fn set_equal(&mut self, (one, two, negated): (&str, &str, bool), holds: bool) {
        let is_same = holds != negated;
        let known = |stage: &Stage, text: &str| {
            let somebody = (text == SPEAKER).then(|| Value::from(SOMEBODY.to_owned()));
            stage.value(text).or(somebody)
        };
        let value = known(self, one).or_else(|| known(self, two)).unwrap_or_else(|| Value::from(SOMEBODY.to_owned()));
        let other = if is_same { value.clone() } else { super::staging::beside(&value, 1) };
        // An argument stays what it is.
        let (kept, moved) = if two.starts_with("args.") || self.value(two).is_some() { (two, one) } else { (one, two) };
        self.set(kept, value);
        self.set(moved, other);
    }
}
