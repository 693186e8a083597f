//! Secrets in values, found by key name and by structure, at every depth.
//!
//! A walk over the value asks `names` about each key and `text` about each string. Under a key that names a secret
//! the whole value becomes `[masked]`; in a string only the secret part does. A value without secrets is not copied.
//!
//! The call itself is never touched: what is masked is the copy in the record. Ordinary ids, times and hashes stay.

mod assign;
mod bytes;
mod card;
mod find;
mod names;
mod text;
mod token;

pub use find::Structure;

use crate::value::{Object, Value};
use names::{Cover, Names};
use std::borrow::Cow;
use std::fmt::Write as _;

/// What stands in place of a secret.
pub const MASK: &str = "[masked]";

/// How often a value is gone over: what is covered can, rarely, bring to light what is beside it.
const ROUNDS: usize = 8;

/// A value with its secrets covered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// The value to show.
    pub value: Value<'static>,
    /// Where something was covered, to be read: `headers.cookie`, `retry[0].auth`; empty for the value itself.
    pub paths: Vec<String>,
}

/// Finds secrets.
///
/// ```
/// use flyball::json::{Limits, parse};
/// use flyball::ledger::mask::Masker;
///
/// let args = parse(br#"{"headers": {"Cookie": "sid=1"}, "command": "SHOP_API_KEY=abc ./run.sh"}"#, &Limits::default());
/// let masked = Masker::default().mask(&args.unwrap()).unwrap();
/// assert_eq!(masked.paths, ["command", "headers.Cookie"]);
/// assert_eq!(masked.value.get("command").unwrap().as_str(), Some("SHOP_API_KEY=[masked] ./run.sh"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Masker {
    names: Names,
}

impl Masker {
    /// The shipped key names and structures, and these key names besides.
    #[must_use]
    pub fn new(keys: &[String]) -> Masker {
        Masker { names: Names::with(keys) }
    }

    /// The value with its secrets covered; `None` where there are none.
    #[must_use]
    pub fn mask(&self, value: &Value<'_>) -> Option<Masked> {
        let mut masked = self.round(value)?;
        // A name that was part of a secret can, once covered, tell of the value beside it.
        for _ in 0..ROUNDS {
            let Some(more) = self.round(&masked.value) else { break };
            let new = more.paths.into_iter().filter(|path| !masked.paths.contains(path)).collect::<Vec<_>>();
            masked = Masked { value: more.value, paths: masked.paths.into_iter().chain(new).collect() };
        }
        Some(masked)
    }

    /// True if a text holds a secret.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        text::has_secret(text, &self.names)
    }

    fn round(&self, value: &Value<'_>) -> Option<Masked> {
        if !self.touches(value) {
            return None;
        }
        let mut walk = Walk { names: &self.names, paths: Vec::new() };
        let value = walk.value(value, &mut String::new());
        Some(Masked { value, paths: walk.paths })
    }

    /// True if anything would be covered: the same questions as [`Walk`] asks, without a copy.
    fn touches(&self, value: &Value<'_>) -> bool {
        match value {
            Value::Null | Value::Bool(_) => false,
            Value::Number(number) => card::is_number(*number),
            Value::String(text) => text::has_secret(text, &self.names),
            Value::Array(items) => items.iter().enumerate().any(|(at, item)| {
                before(items, at).is_some_and(|flag| flag_covers(&self.names, flag, item)) || self.touches(item)
            }),
            Value::Object(object) => object.iter().any(|(key, member)| {
                key_covers(&self.names, object, key, member)
                    || text::has_secret(key, &self.names)
                    || self.touches(member)
            }),
        }
    }
}

/// True if the member's key, or the name beside a `value`, says that the whole member is a secret.
fn key_covers(names: &Names, object: &Object<'_>, key: &str, member: &Value<'_>) -> bool {
    let by = |name: &str| names.find(name).is_some_and(|cover| covers(cover, member));
    if by(key) {
        return true;
    }
    // A list of headers or variables: `{name: Cookie, value: …}`.
    key.eq_ignore_ascii_case("value")
        && ["name", "key", "header", "Name", "Key"]
            .iter()
            .any(|word| object.get(word).and_then(Value::as_str).is_some_and(by))
}

/// True if the word before an element of a list is an option whose value is a secret: `[--password, …]`.
fn flag_covers(names: &Names, flag: &Value<'_>, value: &Value<'_>) -> bool {
    let Some(name) = flag.as_str().and_then(|flag| flag.strip_prefix('-')) else { return false };
    let is_value = value.as_str().is_none_or(|text| !text.starts_with('-'));
    is_value && assign::option(name, names).is_some_and(|cover| covers(cover, value))
}

fn before<'v, 'a>(items: &'v [Value<'a>], at: usize) -> Option<&'v Value<'a>> {
    items.get(at.checked_sub(1)?)
}

/// True if there is something to cover. Truth values and what is empty hide nothing.
fn covers(cover: Cover, value: &Value<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => cover.covers_number(*number),
        Value::String(text) => text != MASK && !text.is_empty() && cover.covers_text(text),
        Value::Array(items) => !items.is_empty() && cover == Cover::All,
        Value::Object(members) => !members.is_empty() && cover == Cover::All,
    }
}

struct Walk<'m> {
    names: &'m Names,
    paths: Vec<String>,
}

impl Walk<'_> {
    fn cover(&mut self, path: &str) -> Value<'static> {
        self.paths.push(path.to_owned());
        Value::from(MASK.to_owned())
    }

    fn value(&mut self, value: &Value<'_>, path: &mut String) -> Value<'static> {
        match value {
            Value::Number(number) if card::is_number(*number) => self.cover(path),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_owned_value(),
            Value::String(text) => match text::masked(text, self.names) {
                Some(masked) => {
                    self.paths.push(path.clone());
                    Value::from(masked)
                }
                None => value.to_owned_value(),
            },
            Value::Array(items) => self.array(items, path),
            Value::Object(object) => self.object(object, path),
        }
    }

    fn array(&mut self, items: &[Value<'_>], path: &mut String) -> Value<'static> {
        let length = path.len();
        let each = items.iter().enumerate().map(|(at, item)| {
            // Writing to a String cannot fail.
            let _ = write!(path, "[{at}]");
            let covered = before(items, at).is_some_and(|flag| flag_covers(self.names, flag, item));
            let masked = if covered { self.cover(path) } else { self.value(item, path) };
            path.truncate(length);
            masked
        });
        Value::Array(each.collect())
    }

    fn object(&mut self, object: &Object<'_>, path: &mut String) -> Value<'static> {
        let length = path.len();
        let mut masked = Object::with_capacity(object.len());
        for (key, member) in object.iter() {
            let shown = self.key(key, object, &masked);
            let dot = if path.is_empty() { "" } else { "." };
            path.push_str(dot);
            path.push_str(&shown);
            let covered = key_covers(self.names, object, key, member);
            let value = if covered { self.cover(path) } else { self.value(member, path) };
            if shown != key && self.paths.last() != Some(path) {
                self.paths.push(path.clone());
            }
            path.truncate(length);
            masked.insert(Cow::Owned(shown), value);
        }
        masked.into()
    }

    /// A key that is a secret itself is covered too, and numbered where that makes two alike.
    fn key(&self, key: &str, object: &Object<'_>, masked: &Object<'_>) -> String {
        let Some(shown) = text::masked(key, self.names) else { return key.to_owned() };
        let is_taken = |name: &str| object.contains_key(name) || masked.contains_key(name);
        let numbered = (2_u32..).map(|number| format!("{shown} {number}"));
        std::iter::once(shown.clone()).chain(numbered).find(|name| !is_taken(name)).unwrap_or(shown)
    }
}

#[cfg(test)]
mod tests;
