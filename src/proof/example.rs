//! A call out of what a search left: arguments that satisfy the schema, most likely.

use super::domain::Domain;
use super::formula::{Model, Space};
use crate::decimal::Decimal;
use crate::schema::ArgSchema;
use crate::value::Value;
use std::collections::BTreeMap;

/// Arguments of a tool that are as a model says; whoever relies on them asks the schema, or the engine.
pub(crate) fn arguments(space: &Space, model: &Model, args: &ArgSchema) -> Value<'static> {
    let mut wanted = BTreeMap::new();
    for (term, left) in &model.terms {
        let Some(known) = space.known(*term) else { continue };
        let Some(path) = known.text.strip_prefix("args.").filter(|path| args.slot(path).is_some()) else { continue };
        let text = || args.slot(path).and_then(|slot| args.example_text(slot));
        let is_free = *left == Domain::ALL;
        // What stands in an object that is not asked for is not asked for either.
        if is_free || left.absent {
            wanted.insert(path.to_owned(), None);
        } else if left.parts && !has_scalar(left, known.step) {
            continue;
        } else if let Some(value) = pick(left, known.step, text) {
            wanted.insert(path.to_owned(), Some(value));
        }
    }
    args.example(&wanted)
}

fn has_scalar(domain: &Domain, step: Option<Decimal>) -> bool {
    !Domain { parts: false, ..domain.clone() }.is_empty(step)
}

/// A value of a set, as plain as there is one; `None` where only absence, a list or a map is in it.
pub(crate) fn pick(
    domain: &Domain,
    step: Option<Decimal>,
    text: impl FnOnce() -> Option<String>,
) -> Option<Value<'static>> {
    // Who says which texts it is not means one.
    let is_text = domain.texts.listed().is_none() && !domain.texts.is_all();
    if let Some(number) = domain.numbers.pick(step).filter(|_| !is_text) {
        return Some(Value::Number(number));
    }
    if let Some(listed) = domain.texts.listed() {
        if let Some(first) = listed.first() {
            return Some(Value::from(first.to_string()));
        }
    } else {
        let made = text().filter(|made| domain.texts.contains(made));
        let plain = || ["a", "b", "c", "d"].into_iter().find(|plain| domain.texts.contains(plain)).map(str::to_owned);
        return made.or_else(plain).map(Value::from);
    }
    match domain {
        Domain { yes: true, .. } => Some(Value::Bool(true)),
        Domain { no: true, .. } => Some(Value::Bool(false)),
        Domain { null: true, .. } => Some(Value::Null),
        _ => None,
    }
}
