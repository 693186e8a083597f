//! A JSON value that came from outside: exact numbers, text borrowed where it can be, members always in one order.
//!
//! `json.rs` reads one, `canon.rs` writes its bytes, `hash.rs` hashes it. Members are sorted by UTF-16 code units
//! (the order of RFC 8785) as soon as an [`Object`] exists, so equal values have equal bytes without sorting again.
//!
//! There are no floats and no duplicate keys here, and no order that a map chose.

mod object;

pub use object::{DuplicateKey, Object, compare_keys};

use crate::decimal::Decimal;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::borrow::Cow;

/// The kinds of value; two values of different kinds are never equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number
    Number,
    /// A string
    String,
    /// An array
    Array,
    /// An object
    Object,
}

impl Kind {
    /// The kind as it stands in a message: `a string`, `an object`, `null`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }
}

/// A JSON value with exact numbers.
///
/// ```
/// use flyball::json;
/// use flyball::value::Value;
///
/// let value = json::parse(br#"{"amount": 12.50, "order_id": "ORD-000017"}"#, &json::Limits::default()).unwrap();
/// assert_eq!(value.get("order_id").and_then(Value::as_str), Some("ORD-000017"));
/// assert_eq!(value.get("amount").unwrap().kind(), "a number");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Value<'a> {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An exact number
    Number(Decimal),
    /// Text
    String(Cow<'a, str>),
    /// Values in order
    Array(Vec<Value<'a>>),
    /// Members by key
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    /// The kind as an enum.
    #[must_use]
    pub fn kind_of(&self) -> Kind {
        match self {
            Value::Null => Kind::Null,
            Value::Bool(_) => Kind::Boolean,
            Value::Number(_) => Kind::Number,
            Value::String(_) => Kind::String,
            Value::Array(_) => Kind::Array,
            Value::Object(_) => Kind::Object,
        }
    }

    /// The kind as it stands in a message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind_of().name()
    }

    /// True for `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The boolean.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The number.
    #[must_use]
    pub fn as_number(&self) -> Option<Decimal> {
        match self {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The elements of an array.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The object.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of an object.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    /// How many arrays and objects stand inside each other: 0 for a scalar, 1 for `[]`.
    #[must_use]
    pub fn depth(&self) -> usize {
        let inner = match self {
            Value::Array(elements) => elements.iter().map(Value::depth).max(),
            Value::Object(object) => object.iter().map(|(_, value)| value.depth()).max(),
            _ => return 0,
        };
        inner.unwrap_or(0).saturating_add(1)
    }

    /// The value with all text owned.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(truth),
            Value::Number(number) => Value::Number(number),
            Value::String(text) => Value::String(Cow::Owned(text.into_owned())),
            Value::Array(elements) => Value::Array(elements.into_iter().map(Value::into_owned).collect()),
            Value::Object(object) => Value::Object(object.into_owned()),
        }
    }

    /// A copy with all text owned.
    #[must_use]
    pub fn to_owned_value(&self) -> Value<'static> {
        match self {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(*truth),
            Value::Number(number) => Value::Number(*number),
            Value::String(text) => Value::String(Cow::Owned(text.as_ref().to_owned())),
            Value::Array(elements) => Value::Array(elements.iter().map(Value::to_owned_value).collect()),
            Value::Object(object) => Value::Object(object.to_owned_object()),
        }
    }

    /// Applies a JSON Merge Patch (RFC 7396): `null` removes, objects merge, anything else replaces.
    ///
    /// ```
    /// use flyball::json::{Limits, parse};
    ///
    /// let limits = Limits::default();
    /// let mut world = parse(br#"{"shopOpen": true, "orders": {"a": 1, "b": 2}}"#, &limits).unwrap();
    /// world.merge_patch(&parse(br#"{"shopOpen": false, "orders": {"a": null}}"#, &limits).unwrap());
    /// assert_eq!(world, parse(br#"{"orders": {"b": 2}, "shopOpen": false}"#, &limits).unwrap());
    /// ```
    pub fn merge_patch(&mut self, patch: &Value<'_>) {
        let Value::Object(patch) = patch else {
            *self = patch.to_owned_value();
            return;
        };
        if !matches!(self, Value::Object(_)) {
            *self = Value::Object(Object::new());
        }
        let Value::Object(target) = self else { return };
        for (key, change) in patch.iter() {
            match (change, target.get_mut(key)) {
                (Value::Null, _) => {
                    target.remove(key);
                }
                (_, Some(old)) => old.merge_patch(change),
                (_, None) => {
                    let mut fresh = Value::Null;
                    fresh.merge_patch(change);
                    target.insert(Cow::Owned(key.to_owned()), fresh);
                }
            }
        }
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::String(Cow::Borrowed(text))
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Value<'a> {
        Value::String(text)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Value::String(Cow::Owned(text))
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Value::Number(Decimal::from(number))
    }
}

impl From<Decimal> for Value<'_> {
    fn from(number: Decimal) -> Self {
        Value::Number(number)
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(elements: Vec<Value<'a>>) -> Value<'a> {
        Value::Array(elements)
    }
}

impl<'a> From<Object<'a>> for Value<'a> {
    fn from(object: Object<'a>) -> Value<'a> {
        Value::Object(object)
    }
}

/// For YAML output and for test oracles, never for ledger bytes: a number that does not fit `i64` or `u64` goes out
/// as the nearest `f64`, which prints the same digits up to 15 of them.
impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(truth) => serializer.serialize_bool(*truth),
            Value::Number(number) => serialize_number(number, serializer),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(elements) => serializer.collect_seq(elements),
            Value::Object(object) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for (key, value) in object.iter() {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

fn serialize_number<S: Serializer>(number: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    if let Some(whole) = number.to_i64() {
        return serializer.serialize_i64(whole);
    }
    if let Some(whole) = number.to_u64() {
        return serializer.serialize_u64(whole);
    }
    serializer.serialize_f64(number.to_string().parse().map_err(serde::ser::Error::custom)?)
}

#[cfg(test)]
pub(crate) mod tests;
