//! Arguments made to fit before they are checked: defaults, and strings that faithfully are something else.
//!
//! A string becomes a number only if printing the number gives the same string back, so that the guard and the tool
//! cannot read it differently: no sign `+`, exponent, separator, leading zero, trailing zero or white space.

use std::borrow::Cow;

use super::{Additional, Node, TypeSet};
use crate::decimal::Decimal;
use crate::json;
use crate::value::{Object, Value};

/// The value with its strings converted, if any could be.
pub(super) fn coerce(node: &Node, value: &Value<'_>) -> Option<Value<'static>> {
    match value {
        Value::String(text) if !node.types.meets(TypeSet::STRING) => {
            let converted = faithful(node.types, text).filter(|converted| node.types.accepts(converted))?;
            Some(coerce(node, &converted).unwrap_or(converted))
        }
        Value::Array(_) | Value::Object(_) => rebuild(node, value, coerce),
        _ => None,
    }
}

/// The value that a text is, if it is one of these types.
fn faithful(types: TypeSet, text: &str) -> Option<Value<'static>> {
    match text {
        "true" | "false" if types.meets(TypeSet::BOOLEAN) => Some(Value::Bool(text == "true")),
        _ if text.starts_with('{') && types.meets(TypeSet::OBJECT) => {
            Some(json::parse(text.as_bytes(), &json::Limits::default()).ok()?.into_owned())
        }
        _ if text.starts_with('[') && types.meets(TypeSet::ARRAY) => {
            Some(json::parse(text.as_bytes(), &json::Limits::default()).ok()?.into_owned())
        }
        _ if types.meets(TypeSet::NUMBER) => {
            let number = Decimal::parse_json(text).ok()?;
            (number.to_string() == text).then_some(Value::Number(number))
        }
        _ => None,
    }
}

/// The value with absent members set to their defaults, if any were absent.
pub(super) fn with_defaults(node: &Node, value: &Value<'_>) -> Option<Value<'static>> {
    let mut changed = rebuild(node, value, with_defaults);
    let (Some(object), Some(rules)) =
        (changed.as_ref().unwrap_or(value).as_object(), form(node, value).object.as_deref())
    else {
        return changed;
    };
    let absent = rules.properties.iter().filter(|property| !object.contains_key(&property.name));
    let absent: Vec<_> =
        absent.filter_map(|property| Some((&property.name, property.node.default.as_ref()?))).collect();
    if !absent.is_empty() {
        let mut filled: Object<'static> = object.to_owned_object();
        for (name, default) in absent {
            filled.insert(Cow::Owned(name.clone()), default.clone());
        }
        changed = Some(Value::Object(filled));
    }
    changed
}

/// The schema that speaks of this value's members: the node, or the only branch that allows the value's type.
fn form<'n>(node: &'n Node, value: &Value<'_>) -> &'n Node {
    if node.object.is_some() || node.list.is_some() {
        return node;
    }
    let mut likely = node.forms().filter(|form| form.types.accepts(value));
    match (likely.next(), likely.next()) {
        (Some(only), None) => form(only, value),
        _ => node,
    }
}

/// The value with `change` applied to its members or items, if it changed any.
fn rebuild(
    node: &Node,
    value: &Value<'_>,
    change: fn(&Node, &Value<'_>) -> Option<Value<'static>>,
) -> Option<Value<'static>> {
    let node = form(node, value);
    match value {
        Value::Object(object) => {
            let rules = node.object.as_deref()?;
            let mut changed: Option<Object<'static>> = None;
            for (key, member) in object.iter() {
                let schema = match (rules.get(key), &rules.additional) {
                    (Some(property), _) => &property.node,
                    (None, Additional::Each(node)) => node,
                    _ => continue,
                };
                if let Some(new) = change(schema, member) {
                    changed.get_or_insert_with(|| object.to_owned_object()).insert(Cow::Owned(key.into()), new);
                }
            }
            changed.map(Value::Object)
        }
        Value::Array(items) => {
            let schema = node.list.as_deref()?.items.as_ref()?;
            let new: Vec<_> = items.iter().map(|item| change(schema, item)).collect();
            new.iter().any(Option::is_some).then(|| {
                let pairs = new.into_iter().zip(items);
                Value::Array(pairs.map(|(new, old)| new.unwrap_or_else(|| old.to_owned_value())).collect())
            })
        }
        _ => None,
    }
}
