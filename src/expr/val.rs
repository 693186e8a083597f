//! Values while they are computed: borrowed from the call, the world or the session wherever they can be, shared where
//! they were computed.
//!
//! JSON and computed values read alike here: a list is a list whether the host sent it or a macro built it.

use super::{Evaluation, Fault, Outcome};
use crate::decimal::Decimal;
use crate::observed::Kept;
use crate::time::{Duration, Timestamp};
use crate::value::{Object, Value, compare_keys};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

/// A value while it is computed: borrowed from the call, the world or the spec wherever it can be.
#[derive(Clone, Debug)]
pub enum Val<'c> {
    /// A value of the call, the world or the session.
    Json(&'c Value<'c>),
    /// Null.
    Null,
    /// True or false.
    Bool(bool),
    /// An exact number.
    Number(Decimal),
    /// A text that stands elsewhere.
    Str(&'c str),
    /// A computed text.
    Text(Arc<str>),
    /// A point in time.
    Time(Timestamp),
    /// A span of time.
    Span(Duration),
    /// A computed list.
    List(Arc<Vec<Val<'c>>>),
    /// A computed map, in the order of its keys.
    Map(Arc<Vec<(Arc<str>, Val<'c>)>>),
    /// An earlier call.
    Call(&'c Kept),
    /// The type of a value.
    Type(&'static str),
}

impl<'c> Val<'c> {
    /// The value of a constant.
    pub(super) fn of(value: &Value<'_>) -> Val<'static> {
        match value {
            Value::Null => Val::Null,
            Value::Bool(truth) => Val::Bool(*truth),
            Value::Number(number) => Val::Number(*number),
            Value::String(text) => Val::Text(Arc::from(text.as_ref())),
            Value::Array(items) => Val::List(Arc::new(items.iter().map(Val::of).collect())),
            Value::Object(object) => {
                Val::Map(Arc::new(object.iter().map(|(key, value)| (Arc::from(key), Val::of(value))).collect()))
            }
        }
    }

    /// The value for as long as a program lives; `None` for an earlier call.
    pub(super) fn into_static(self) -> Option<Val<'static>> {
        Some(match self {
            Val::Json(value) => Val::of(value),
            Val::Null => Val::Null,
            Val::Bool(truth) => Val::Bool(truth),
            Val::Number(number) => Val::Number(number),
            Val::Str(text) => Val::Text(text.into()),
            Val::Text(text) => Val::Text(text),
            Val::Time(time) => Val::Time(time),
            Val::Span(span) => Val::Span(span),
            Val::Type(name) => Val::Type(name),
            Val::List(items) => {
                Val::List(Arc::new(items.iter().cloned().map(Val::into_static).collect::<Option<_>>()?))
            }
            Val::Map(members) => {
                let own = |(key, value): &(Arc<str>, Val<'c>)| Some((Arc::clone(key), value.clone().into_static()?));
                Val::Map(Arc::new(members.iter().map(own).collect::<Option<_>>()?))
            }
            Val::Call(_) => return None,
        })
    }

    /// The computed value without a detour over JSON, where it is a scalar.
    fn plain(&self) -> Val<'c> {
        match self {
            Val::Json(Value::Null) => Val::Null,
            Val::Json(Value::Bool(truth)) => Val::Bool(*truth),
            Val::Json(Value::Number(number)) => Val::Number(*number),
            Val::Json(Value::String(text)) => Val::Str(text),
            other => other.clone(),
        }
    }

    /// True for null.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, Val::Null | Val::Json(Value::Null))
    }

    pub(super) fn as_bool(&self) -> Option<bool> {
        match self {
            Val::Bool(truth) | Val::Json(Value::Bool(truth)) => Some(*truth),
            _ => None,
        }
    }

    pub(super) fn as_number(&self) -> Option<Decimal> {
        match self {
            Val::Number(number) | Val::Json(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Val::Json(Value::String(text)) => Some(text),
            Val::Str(text) => Some(text),
            Val::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The kind as it stands in a message.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Val::Json(value) => value.kind(),
            Val::Null => "null",
            Val::Bool(_) => "a boolean",
            Val::Number(_) => "a number",
            Val::Str(_) | Val::Text(_) => "a string",
            Val::Time(_) => "a timestamp",
            Val::Span(_) => "a duration",
            Val::List(_) => "an array",
            Val::Map(_) | Val::Call(_) => "an object",
            Val::Type(_) => "a type",
        }
    }

    /// What `type()` says.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Val::Json(Value::Null) | Val::Null => "null_type",
            Val::Json(Value::Bool(_)) | Val::Bool(_) => "bool",
            Val::Json(Value::Number(number)) | Val::Number(number) if number.is_integer() => "int",
            Val::Json(Value::Number(_)) | Val::Number(_) => "double",
            Val::Json(Value::String(_)) | Val::Str(_) | Val::Text(_) => "string",
            Val::Json(Value::Array(_)) | Val::List(_) => "list",
            Val::Json(Value::Object(_)) | Val::Map(_) | Val::Call(_) => "map",
            Val::Time(_) => "timestamp",
            Val::Span(_) => "duration",
            Val::Type(_) => "type",
        }
    }

    /// The elements of a list.
    pub(super) fn as_list(&self) -> Option<Items<'c>> {
        match self {
            Val::Json(Value::Array(items)) => Some(Items::Json(items)),
            Val::List(items) => Some(Items::Computed(Arc::clone(items))),
            _ => None,
        }
    }

    /// How many members a map has.
    pub(super) fn map_len(&self) -> Option<usize> {
        match self {
            Val::Json(Value::Object(object)) => Some(object.len()),
            Val::Map(members) => Some(members.len()),
            _ => None,
        }
    }

    /// The member of a map at a place in the order of its keys.
    pub(super) fn member_at(&self, at: usize) -> Option<(Val<'c>, Val<'c>)> {
        match self {
            Val::Json(Value::Object(object)) => {
                object.members().get(at).map(|(key, value)| (Val::Str(key), Val::Json(value)))
            }
            Val::Map(members) => members.get(at).map(|(key, value)| (Val::Text(Arc::clone(key)), value.clone())),
            _ => None,
        }
    }

    /// The member of a map; `Err` if this is none.
    pub(super) fn member(&self, key: &str) -> Result<Option<Val<'c>>, ()> {
        match self {
            Val::Json(Value::Object(object)) => Ok(object.get(key).map(Val::Json)),
            Val::Map(members) => {
                let found = members.binary_search_by(|(known, _)| compare_keys(known, key)).ok();
                Ok(found.and_then(|at| members.get(at)).map(|(_, value)| value.clone()))
            }
            Val::Call(call) => Ok(match key {
                "args" => Some(Val::Json(&call.args)),
                "result" => Some(Val::Json(&call.result)),
                "turn" => Some(Val::Number(Decimal::from(call.turn))),
                "at" => call.at.map(Val::Time),
                _ => None,
            }),
            _ => Err(()),
        }
    }

    /// The value as JSON; times and spans as their texts. `None` for what is no value of JSON.
    pub(crate) fn to_value(&self) -> Option<Value<'static>> {
        Some(match self {
            Val::Json(value) => value.to_owned_value(),
            Val::Null => Value::Null,
            Val::Bool(truth) => Value::Bool(*truth),
            Val::Number(number) => Value::Number(*number),
            Val::Str(text) => Value::from((*text).to_owned()),
            Val::Text(text) => Value::from(text.as_ref().to_owned()),
            Val::Time(time) => Value::from(time.to_string()),
            Val::Span(span) => Value::from(span.to_string()),
            Val::List(items) => Value::Array(items.iter().map(Val::to_value).collect::<Option<_>>()?),
            Val::Map(members) => {
                let mut object = Object::with_capacity(members.len());
                for (key, value) in members.iter() {
                    object.insert(Cow::Owned(key.as_ref().to_owned()), value.to_value()?);
                }
                Value::Object(object)
            }
            Val::Call(call) => {
                let mut object = Object::of([("args", call.args.clone()), ("result", call.result.clone())]);
                object.insert("turn".into(), Value::Number(Decimal::from(call.turn)));
                if let Some(at) = call.at {
                    object.insert("at".into(), Value::from(at.to_string()));
                }
                Value::Object(object)
            }
            Val::Type(_) => return None,
        })
    }

    /// True for a list, a map or an earlier call.
    pub(super) fn has_parts(&self) -> bool {
        matches!(self, Val::Json(Value::Array(_) | Value::Object(_)) | Val::List(_) | Val::Map(_) | Val::Call(_))
    }

    /// Pays for walking over a whole value: a step for each part, and for 64 bytes of text. What is built of few steps
    /// may hold one large part many times.
    pub(super) fn spend_whole(&self, evaluation: &mut Evaluation<'c>) -> Outcome<()> {
        match self {
            Val::Json(value) => spend_json(value, evaluation),
            Val::Call(call) => {
                spend_json(&call.args, evaluation)?;
                spend_json(&call.result, evaluation)
            }
            Val::List(items) => items.iter().try_for_each(|item| {
                evaluation.spend(1)?;
                item.spend_whole(evaluation)
            }),
            Val::Map(members) => members.iter().try_for_each(|(_, value)| {
                evaluation.spend(1)?;
                value.spend_whole(evaluation)
            }),
            other => evaluation.spend_text(other.as_text().map_or(0, str::len)),
        }
    }

    /// As [`Val::order`], paid for.
    pub(super) fn paid_order(&self, other: &Val<'_>, evaluation: &mut Evaluation<'_>) -> Outcome<Option<Ordering>> {
        if let (Some(left), Some(right)) = (self.as_text(), other.as_text()) {
            evaluation.spend_text(left.len().min(right.len()))?;
        }
        Ok(self.order(other))
    }

    /// The order of two values of one orderable type.
    pub(super) fn order(&self, other: &Val<'_>) -> Option<Ordering> {
        if let (Some(left), Some(right)) = (self.as_number(), other.as_number()) {
            return Some(left.cmp(&right));
        }
        if let (Some(left), Some(right)) = (self.as_text(), other.as_text()) {
            return Some(left.cmp(right));
        }
        match (self, other) {
            (Val::Time(left), Val::Time(right)) => Some(left.cmp(right)),
            (Val::Span(left), Val::Span(right)) => Some(left.cmp(right)),
            _ => Some(self.as_bool()?.cmp(&other.as_bool()?)),
        }
    }

    /// True if both are the same value; values of different types are not. Elements and members cost a step each.
    pub(super) fn equals(&self, other: &Val<'c>, evaluation: &mut Evaluation<'c>) -> Outcome<bool> {
        match (self.plain(), other.plain()) {
            (Val::Null, Val::Null) => Ok(true),
            (Val::Bool(left), Val::Bool(right)) => Ok(left == right),
            (Val::Number(left), Val::Number(right)) => Ok(left == right),
            (Val::Time(left), Val::Time(right)) => Ok(left == right),
            (Val::Span(left), Val::Span(right)) => Ok(left == right),
            (Val::Type(left), Val::Type(right)) => Ok(left == right),
            (Val::Call(left), Val::Call(right)) => Ok(left == right),
            (left, right) => {
                if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
                    evaluation.spend_text(left.len().min(right.len()))?;
                    return Ok(left == right);
                }
                if let (Some(left), Some(right)) = (left.as_list(), right.as_list()) {
                    return equal_lists(&left, &right, evaluation);
                }
                equal_maps(&left, &right, evaluation)
            }
        }
    }
}

fn spend_json(value: &Value<'_>, evaluation: &mut Evaluation<'_>) -> Outcome<()> {
    match value {
        Value::String(text) => evaluation.spend_text(text.len()),
        Value::Array(items) => items.iter().try_for_each(|item| {
            evaluation.spend(1)?;
            spend_json(item, evaluation)
        }),
        Value::Object(object) => object.iter().try_for_each(|(_, member)| {
            evaluation.spend(1)?;
            spend_json(member, evaluation)
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn equal_lists<'c>(left: &Items<'c>, right: &Items<'c>, evaluation: &mut Evaluation<'c>) -> Outcome<bool> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for at in 0..left.len() {
        evaluation.spend(1)?;
        let (Some(left), Some(right)) = (left.get(at), right.get(at)) else { return Ok(false) };
        if !left.equals(&right, evaluation)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_maps<'c>(left: &Val<'c>, right: &Val<'c>, evaluation: &mut Evaluation<'c>) -> Outcome<bool> {
    let (Some(size), Some(other)) = (left.map_len(), right.map_len()) else { return Ok(false) };
    if size != other {
        return Ok(false);
    }
    for at in 0..size {
        evaluation.spend(1)?;
        let Some((key, value)) = left.member_at(at) else { return Ok(false) };
        let Ok(Some(other)) = right.member(key.as_text().unwrap_or_default()) else { return Ok(false) };
        if !value.equals(&other, evaluation)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The elements of a list.
#[derive(Clone, Debug)]
pub(super) enum Items<'c> {
    Json(&'c [Value<'c>]),
    Computed(Arc<Vec<Val<'c>>>),
}

impl<'c> Items<'c> {
    pub(super) fn len(&self) -> usize {
        match self {
            Items::Json(items) => items.len(),
            Items::Computed(items) => items.len(),
        }
    }

    pub(super) fn get(&self, at: usize) -> Option<Val<'c>> {
        match self {
            Items::Json(items) => items.get(at).map(Val::Json),
            Items::Computed(items) => items.get(at).cloned(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Val<'c>> {
        (0..self.len()).map_while(|at| self.get(at))
    }
}

/// A fault that says what is missing, and why.
pub(super) fn missing(what: impl Into<String>) -> Fault {
    Fault::Missing(what.into().into_boxed_str())
}
