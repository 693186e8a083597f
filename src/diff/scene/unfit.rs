//! Arguments against what a schema says beside types and ranges: one of two schemas says it, and the other does not.

use super::staging::{at, put_at};
use crate::decimal::Decimal;
use crate::json::{Limits, parse};
use crate::value::Value;

/// As long as texts and lists are made.
const LONGEST: u64 = 4096;

/// Changes arguments so that they break `note maxLength 200`: a path, a keyword and its value.
pub(super) fn against(said: &str, args: &mut Value<'static>) {
    let Some((path, rest)) = said.split_once(' ') else { return };
    if rest == "is closed" {
        let place = if path.is_empty() { "more".to_owned() } else { format!("{path}.more") };
        put_at(args, &place, Value::from("a"));
        return;
    }
    let Some((keyword, value)) = rest.split_once(' ') else { return };
    let Ok(value) = parse(value.as_bytes(), &Limits::default()) else { return };
    let now = at(args, path);
    let length = |more: bool| {
        let length = value.as_number().and_then(|length| length.to_u64()).filter(|length| *length < LONGEST);
        length.map(|length| if more { length.saturating_add(1) } else { length.saturating_sub(1) })
    };
    let text = |length: u64| Value::from((0..length).map(|_| 'a').collect::<String>());
    let list = |length: u64| {
        let one = now.as_ref().and_then(|now| now.as_array()?.first().cloned()).unwrap_or_else(|| Value::from("a"));
        Value::Array((0..length).map(|_| one.clone()).collect())
    };
    let other = match keyword {
        "maxLength" => length(true).map(text),
        "minLength" => length(false).map(text),
        "maxItems" => length(true).map(list),
        "minItems" => length(false).map(list),
        "multipleOf" => value.as_number().and_then(|step| beside(now.as_ref(), step)),
        "type" if value.as_str() == Some("integer") => beside(now.as_ref(), Decimal::ONE),
        "format" => Some(Value::from("a")),
        _ => None,
    };
    if let Some(other) = other {
        put_at(args, path, other);
    }
}

/// A number that is no multiple of a step.
fn beside(now: Option<&Value<'static>>, step: Decimal) -> Option<Value<'static>> {
    let two = Decimal::from(2);
    let half = (1..12).find_map(|places| {
        step.checked_div_round(&two, places).filter(|half| half.checked_mul(&two).is_some_and(|whole| whole == step))
    })?;
    let now = now.and_then(|now| now.as_number()).unwrap_or(step);
    let whole = now.checked_div_round(&step, 0)?.checked_mul(&step)?;
    whole.checked_add(&half).map(Value::Number)
}
