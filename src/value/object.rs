//! The members of a JSON object, always sorted and unique.

use super::Value;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Up to this many members a look-up compares each key: lengths differ first, which is cheaper than halving.
const SCAN: usize = 8;

/// Members by key, in the order of RFC 8785.
///
/// ```
/// use flyball::value::{Object, Value};
///
/// let mut object = Object::new();
/// object.insert("b".into(), Value::from(2));
/// object.insert("a".into(), Value::from(1));
/// let keys: Vec<&str> = object.iter().map(|(key, _)| key).collect();
/// assert_eq!(keys, ["a", "b"]);
/// ```
// INVARIANT: `members` is strictly ascending by `compare_keys`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Value<'a>)>,
}

/// The key that stands twice in one object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the key `{0}` stands twice in one object")]
pub struct DuplicateKey(pub String);

impl<'a> Object<'a> {
    /// An object of these members; of a key that stands twice the last counts.
    #[must_use]
    pub fn of<const N: usize>(members: [(&'static str, Value<'a>); N]) -> Object<'a> {
        Object::of_some(members.map(|(key, value)| (key, Some(value))))
    }

    /// An object of the members that have a value.
    #[must_use]
    pub fn of_some<const N: usize>(members: [(&'static str, Option<Value<'a>>); N]) -> Object<'a> {
        let mut object = Object::with_capacity(N);
        for (key, value) in members {
            if let Some(value) = value {
                object.insert(Cow::Borrowed(key), value);
            }
        }
        object
    }

    /// An object without members.
    #[must_use]
    pub const fn new() -> Object<'a> {
        Object { members: Vec::new() }
    }

    /// An object with room for members.
    #[must_use]
    pub fn with_capacity(members: usize) -> Object<'a> {
        Object { members: Vec::with_capacity(members) }
    }

    /// Sorts members into an object.
    ///
    /// # Errors
    /// A key stands twice.
    pub fn from_members(mut members: Vec<(Cow<'a, str>, Value<'a>)>) -> Result<Object<'a>, DuplicateKey> {
        if !members.is_sorted_by(|(left, _), (right, _)| compare_keys(left, right).is_lt()) {
            members.sort_by(|(left, _), (right, _)| compare_keys(left, right));
            if let Some([(key, _), _]) = members.array_windows().find(|[(left, _), (right, _)]| left == right) {
                return Err(DuplicateKey(key.as_ref().to_owned()));
            }
        }
        Ok(Object { members })
    }

    fn position(&self, key: &str) -> Option<usize> {
        if self.members.len() <= SCAN {
            return self.members.iter().position(|(member, _)| member == key);
        }
        self.search(key).ok()
    }

    fn search(&self, key: &str) -> Result<usize, usize> {
        self.members.binary_search_by(|(member, _)| compare_keys(member, key))
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.position(key).and_then(|at| self.members.get(at)).map(|(_, value)| value)
    }

    /// The value of a key, to change.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut Value<'a>> {
        self.position(key).and_then(|at| self.members.get_mut(at)).map(|(_, value)| value)
    }

    /// True if the key has a value, also `null`.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.position(key).is_some()
    }

    /// Sets a key and gives the value it had.
    pub fn insert(&mut self, key: Cow<'a, str>, value: Value<'a>) -> Option<Value<'a>> {
        match self.search(&key) {
            Ok(at) => self.members.get_mut(at).map(|(_, old)| std::mem::replace(old, value)),
            Err(at) => {
                self.members.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes a key and gives the value it had.
    pub fn remove(&mut self, key: &str) -> Option<Value<'a>> {
        let at = self.position(key)?;
        Some(self.members.remove(at).1)
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&str, &Value<'a>)> + ExactSizeIterator {
        self.members.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// The values in the order of their keys, to change.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Value<'a>> {
        self.members.iter_mut().map(|(_, value)| value)
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// True without members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members in order.
    #[must_use]
    pub fn members(&self) -> &[(Cow<'a, str>, Value<'a>)] {
        &self.members
    }

    /// The members in order, given away.
    #[must_use]
    pub fn into_members(self) -> Vec<(Cow<'a, str>, Value<'a>)> {
        self.members
    }

    /// The object with all text owned.
    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        let own = |(key, value): (Cow<'a, str>, Value<'a>)| (Cow::Owned(key.into_owned()), value.into_owned());
        Object { members: self.members.into_iter().map(own).collect() }
    }

    /// A copy with all text owned.
    #[must_use]
    pub fn to_owned_object(&self) -> Object<'static> {
        let own = |(key, value): (&str, &Value<'a>)| (Cow::Owned(key.to_owned()), value.to_owned_value());
        Object { members: self.iter().map(own).collect() }
    }
}

/// The order of two keys by UTF-16 code units, which is not the order of their bytes.
///
/// ```
/// use flyball::value::compare_keys;
///
/// assert!(compare_keys("a", "b").is_lt());
/// // U+1F600 begins with the unit D83D, below U+FB33.
/// assert!(compare_keys("\u{1f600}", "\u{fb33}").is_lt());
/// ```
#[must_use]
pub fn compare_keys(left: &str, right: &str) -> Ordering {
    let differs = left.bytes().zip(right.bytes()).find(|(left, right)| left != right);
    match differs {
        Some((left, right)) => rank(left).cmp(&rank(right)),
        None => left.len().cmp(&right.len()),
    }
}

/// UTF-8 sorts like UTF-16 but for one thing: what UTF-16 writes with surrogates (first byte F0 to F4) comes before
/// U+E000 to U+FFFF (first byte EE or EF).
const fn rank(byte: u8) -> u8 {
    if byte & 0xfe == 0xee { byte | 0x10 } else { byte }
}
