//! Static types: what an expression can be, from the schemas of arguments, results and world.
//!
//! A type is a set of kinds, what is known of elements and members, and the values that an enum or a constant allows. What
//! no schema describes is anything, and is judged when it is evaluated.

use crate::path::Step;
use crate::schema::{Spots, TypeSet};
use crate::value::Value;
use std::fmt;
use std::rc::Rc;

/// Kinds of value: those of JSON, and those that are only computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds {
    json: TypeSet,
    /// Times, spans, types, calls.
    other: u8,
}

impl Kinds {
    pub(super) const NULL: Kinds = Kinds::json(TypeSet::NULL);
    pub(super) const BOOL: Kinds = Kinds::json(TypeSet::BOOLEAN);
    pub(super) const INTEGER: Kinds = Kinds::json(TypeSet::INTEGER);
    pub(super) const NUMBER: Kinds = Kinds::json(TypeSet::NUMBER);
    pub(super) const TEXT: Kinds = Kinds::json(TypeSet::STRING);
    pub(super) const LIST: Kinds = Kinds::json(TypeSet::ARRAY);
    pub(super) const MAP: Kinds = Kinds::json(TypeSet::OBJECT);
    pub(super) const TIME: Kinds = Kinds { json: TypeSet::NONE, other: 1 };
    pub(super) const SPAN: Kinds = Kinds { json: TypeSet::NONE, other: 2 };
    pub(super) const TYPE: Kinds = Kinds { json: TypeSet::NONE, other: 4 };
    /// What JSON can hold.
    pub(super) const ANY: Kinds = Kinds::json(TypeSet::ANY);
    /// What a text may show.
    pub(super) const SCALAR: Kinds =
        Kinds::NULL.or(Kinds::BOOL).or(Kinds::NUMBER).or(Kinds::TEXT).or(Kinds::TIME).or(Kinds::SPAN);

    const fn json(json: TypeSet) -> Kinds {
        Kinds { json, other: 0 }
    }

    pub(super) const fn or(self, other: Kinds) -> Kinds {
        Kinds { json: self.json.or(other.json), other: self.other | other.other }
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds { json: self.json.and(other.json), other: self.other & other.other }
    }

    pub(super) fn meets(self, other: Kinds) -> bool {
        self.json.meets(other.json) || self.other & other.other != 0
    }

    pub(super) fn within(self, other: Kinds) -> bool {
        self.json.within(other.json) && self.other & !other.other == 0
    }

    /// The kind of a scalar constant.
    fn of_constant(value: &Value<'_>) -> Kinds {
        if let Value::Number(number) = value
            && !number.is_integer()
        {
            return Kinds::NUMBER;
        }
        Kinds::json(TypeSet::of(value))
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = [(Kinds::TIME, "a timestamp"), (Kinds::SPAN, "a duration"), (Kinds::TYPE, "a type")];
        let mut words: Vec<String> = Vec::new();
        if self.json != TypeSet::NONE {
            words.push(self.json.to_string());
        }
        words.extend(others.iter().filter(|(kind, _)| self.meets(*kind)).map(|(_, word)| (*word).to_owned()));
        f.write_str(&words.join(" or "))
    }
}

/// What an expression can be.
#[derive(Clone, Debug)]
pub(super) struct Ty<'s> {
    pub(super) kinds: Kinds,
    inner: Inner<'s>,
    /// The only values there can be, where they are known.
    pub(super) choices: Option<Rc<[Value<'static>]>>,
    /// It was computed of something that no schema describes, so that a number may well be whole.
    unsure: bool,
}

/// What is known of elements and members.
#[derive(Clone, Debug)]
enum Inner<'s> {
    Unknown,
    Schema(Spots<'s>),
    Elements(Rc<Ty<'s>>),
    /// Exactly these members.
    Members(Rc<[(String, Ty<'s>)]>),
}

/// The types of CEL that a parameter may ask for.
const WORDS: &[(&str, Kinds, &str)] = &[
    ("number", Kinds::NUMBER, "a number"),
    ("int", Kinds::INTEGER, "a whole number"),
    ("string", Kinds::TEXT, "a string"),
    ("bool", Kinds::BOOL, "true or false"),
    ("timestamp", Kinds::TIME, "a timestamp"),
    ("duration", Kinds::SPAN, "a duration"),
];

/// Why a member cannot be read.
#[derive(Clone, Debug)]
pub(super) enum NoMember {
    /// It has other members.
    Unknown(Vec<String>),
    /// It has none at all.
    NoMap,
}

impl<'s> Ty<'s> {
    pub(super) fn of(kinds: Kinds) -> Ty<'s> {
        Ty { kinds, inner: Inner::Unknown, choices: None, unsure: false }
    }

    /// Anything of JSON.
    pub(super) fn any() -> Ty<'s> {
        Ty::of(Kinds::ANY)
    }

    pub(super) fn schema(spots: Spots<'s>) -> Ty<'s> {
        if spots.is_unknown() {
            return Ty::any();
        }
        let choices = spots.choices().filter(|choices| !choices.is_empty()).map(Rc::from);
        Ty { choices, inner: Inner::Schema(spots.clone()), ..Ty::of(Kinds::json(spots.types())) }
    }

    pub(super) fn list(element: Ty<'s>) -> Ty<'s> {
        Ty { inner: Inner::Elements(Rc::new(element)), ..Ty::of(Kinds::LIST) }
    }

    pub(super) fn members(members: Vec<(String, Ty<'s>)>) -> Ty<'s> {
        Ty { inner: Inner::Members(members.into()), ..Ty::of(Kinds::MAP) }
    }

    pub(super) fn texts(words: &[&str]) -> Ty<'s> {
        let choices = words.iter().map(|word| Value::from((*word).to_owned())).collect();
        Ty { choices: Some(choices), ..Ty::of(Kinds::TEXT) }
    }

    /// The type of a constant.
    pub(super) fn constant(value: &Value<'_>) -> Ty<'s> {
        match value {
            Value::Array(items) => Ty::list(Ty::constants(items)),
            Value::Object(object) => {
                Ty::members(object.iter().map(|(key, value)| (key.to_owned(), Ty::constant(value))).collect())
            }
            scalar => {
                let choices = Some(Rc::from([scalar.to_owned_value()]));
                Ty { choices, ..Ty::of(Kinds::of_constant(scalar)) }
            }
        }
    }

    /// The type of the elements of a constant list. Of a long one only the kinds are known.
    fn constants(items: &[Value<'_>]) -> Ty<'s> {
        const MOST: usize = 64;
        if items.iter().any(|item| matches!(item, Value::Array(_) | Value::Object(_))) {
            return if items.len() > MOST { Ty::any() } else { Ty::any_of(items.iter().map(Ty::constant)) };
        }
        let Some(kinds) = items.iter().map(Kinds::of_constant).reduce(Kinds::or) else { return Ty::any() };
        let choices = (items.len() <= MOST).then(|| items.iter().map(Value::to_owned_value).collect());
        Ty { choices, ..Ty::of(kinds) }
    }

    /// The type of what is one of several.
    pub(super) fn any_of(types: impl Iterator<Item = Ty<'s>>) -> Ty<'s> {
        types.reduce(|sum, next| sum.or(&next)).unwrap_or_else(Ty::any)
    }

    pub(super) fn or(&self, other: &Ty<'s>) -> Ty<'s> {
        let inner = match (&self.inner, &other.inner) {
            (Inner::Schema(left), Inner::Schema(right)) => Inner::Schema(left.clone().or(right)),
            (Inner::Elements(left), Inner::Elements(right)) => Inner::Elements(Rc::new(left.or(right))),
            // A scalar adds nothing to what is known of elements and members.
            (known, _) if !other.has_parts() => known.clone(),
            (_, known) if !self.has_parts() => known.clone(),
            _ => Inner::Unknown,
        };
        let choices = match (&self.choices, &other.choices) {
            (Some(left), Some(right)) => Some(left.iter().chain(right.iter()).cloned().collect()),
            _ => None,
        };
        Ty { kinds: self.kinds.or(other.kinds), inner, choices, unsure: self.unsure || other.unsure }
    }

    fn has_parts(&self) -> bool {
        self.kinds.meets(Kinds::LIST.or(Kinds::MAP))
    }

    /// The type of what is computed of others: no surer than they are.
    pub(super) fn computed(kinds: Kinds, of: &[&Ty<'s>]) -> Ty<'s> {
        Ty { unsure: of.iter().any(|ty| ty.unsure || ty.kinds == Kinds::ANY), ..Ty::of(kinds) }
    }

    /// True if a number may stand here that is not whole, and something is known of what stands here.
    pub(super) fn may_be_fraction(&self) -> bool {
        let (numbers, whole) = (Kinds::NUMBER.or(Kinds::NULL), Kinds::INTEGER.or(Kinds::NULL));
        !self.unsure && self.kinds.within(numbers) && !self.kinds.within(whole)
    }

    /// The type without null: what a member is once it is there.
    pub(super) fn present(mut self) -> Ty<'s> {
        let json = [TypeSet::BOOLEAN, TypeSet::NUMBER, TypeSet::STRING, TypeSet::ARRAY, TypeSet::OBJECT];
        let present = json.into_iter().fold(TypeSet::NONE, TypeSet::or);
        self.kinds.json = self.kinds.json.and(present);
        self.choices = self.choices.map(|choices| choices.iter().filter(|value| !value.is_null()).cloned().collect());
        self
    }

    /// The type of a member.
    pub(super) fn member(&self, name: &str) -> Result<Ty<'s>, NoMember> {
        if !self.kinds.meets(Kinds::MAP) {
            return Err(NoMember::NoMap);
        }
        match &self.inner {
            Inner::Unknown | Inner::Elements(_) => Ok(Ty::any()),
            Inner::Schema(spots) => match spots.step(&Step::Key(name.to_owned())) {
                Some(next) => Ok(Ty::schema(next)),
                None => Err(NoMember::Unknown(spots.names().map(String::from).collect())),
            },
            Inner::Members(members) => match members.iter().find(|(known, _)| known == name) {
                Some((_, ty)) => Ok(ty.clone()),
                None => Err(NoMember::Unknown(members.iter().map(|(known, _)| known.clone()).collect())),
            },
        }
    }

    /// The type of a member whose name is not constant.
    pub(super) fn values(&self) -> Ty<'s> {
        match &self.inner {
            Inner::Schema(spots) => spots.step(&Step::Values).map_or_else(Ty::any, Ty::schema),
            Inner::Members(members) => Ty::any_of(members.iter().map(|(_, ty)| ty.clone())),
            Inner::Unknown | Inner::Elements(_) => Ty::any(),
        }
    }

    /// The type of an element.
    pub(super) fn element(&self) -> Ty<'s> {
        match &self.inner {
            Inner::Schema(spots) => spots.step(&Step::Each).map_or_else(Ty::any, Ty::schema),
            Inner::Elements(ty) => (**ty).clone(),
            Inner::Unknown | Inner::Members(_) => Ty::any(),
        }
    }

    /// Where the one value is kept, if it is an argument with a slot.
    pub(super) fn spots(&self) -> Option<&Spots<'s>> {
        if let Inner::Schema(spots) = &self.inner { Some(spots) } else { None }
    }

    /// True if a value of this type can be of one that is said in the words of CEL.
    pub(super) fn may_be(&self, word: &str) -> bool {
        let inner = |prefix: &str| word.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')')).map(str::trim);
        if let Some(element) = inner("list(") {
            return self.kinds.meets(Kinds::LIST) && self.element().may_be(element);
        }
        if let Some((_, value)) = inner("map(").and_then(|parts| parts.split_once(',')) {
            return self.kinds.meets(Kinds::MAP) && self.values().may_be(value.trim());
        }
        WORDS.iter().find(|(known, ..)| *known == word).is_none_or(|(_, kinds, _)| self.kinds.meets(*kinds))
    }

    /// A type in the words of CEL, as a message says it.
    pub(super) fn said(word: &str) -> String {
        WORDS.iter().find(|(known, ..)| *known == word).map_or_else(|| format!("`{word}`"), |(.., said)| (*said).into())
    }

    /// True if no value of this type can equal one of the other.
    pub(super) fn never_equals(&self, other: &Ty<'s>) -> bool {
        if !self.kinds.meets(other.kinds) {
            return true;
        }
        match (&self.choices, &other.choices) {
            (Some(left), Some(right)) => !left.iter().any(|value| right.contains(value)),
            (Some(choices), None) => !choices.iter().any(|value| other.kinds.json.accepts(value)),
            (None, Some(choices)) => !choices.iter().any(|value| self.kinds.json.accepts(value)),
            (None, None) => false,
        }
    }
}
