//! Sets of JSON types, as a schema allows them.

use std::fmt;

use crate::value::Value;

/// A set of JSON types. A number is an integer or not; `number` is both.
///
/// ```
/// use flyball::schema::TypeSet;
///
/// assert!(TypeSet::INTEGER.within(TypeSet::NUMBER));
/// assert_eq!(TypeSet::INTEGER.or(TypeSet::NULL).to_string(), "null or an integer");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeSet(u8);

impl TypeSet {
    /// No type: what a schema `false` allows.
    pub const NONE: TypeSet = TypeSet(0);
    /// Null.
    pub const NULL: TypeSet = TypeSet(1);
    /// True and false.
    pub const BOOLEAN: TypeSet = TypeSet(2);
    /// Numbers without a fraction, `1.0` among them.
    pub const INTEGER: TypeSet = TypeSet(4);
    /// All numbers.
    pub const NUMBER: TypeSet = TypeSet(4 | 8);
    /// Strings.
    pub const STRING: TypeSet = TypeSet(16);
    /// Arrays.
    pub const ARRAY: TypeSet = TypeSet(32);
    /// Objects.
    pub const OBJECT: TypeSet = TypeSet(64);
    /// Every type.
    pub const ANY: TypeSet = TypeSet(127);

    /// The names JSON Schema uses.
    pub(super) const NAMES: [(&'static str, TypeSet); 7] = [
        ("null", TypeSet::NULL),
        ("boolean", TypeSet::BOOLEAN),
        ("integer", TypeSet::INTEGER),
        ("number", TypeSet::NUMBER),
        ("string", TypeSet::STRING),
        ("array", TypeSet::ARRAY),
        ("object", TypeSet::OBJECT),
    ];

    /// The type that JSON Schema calls so.
    #[must_use]
    pub fn named(name: &str) -> Option<TypeSet> {
        TypeSet::NAMES.iter().find(|(known, _)| *known == name).map(|(_, types)| *types)
    }

    /// The type of a value.
    #[must_use]
    pub fn of(value: &Value<'_>) -> TypeSet {
        match value {
            Value::Null => TypeSet::NULL,
            Value::Bool(_) => TypeSet::BOOLEAN,
            Value::Number(number) if number.is_integer() => TypeSet::INTEGER,
            Value::Number(_) => TypeSet(8),
            Value::String(_) => TypeSet::STRING,
            Value::Array(_) => TypeSet::ARRAY,
            Value::Object(_) => TypeSet::OBJECT,
        }
    }

    /// Types in either.
    #[must_use]
    pub const fn or(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 | other.0)
    }

    /// Types in both.
    #[must_use]
    pub fn and(self, other: TypeSet) -> TypeSet {
        TypeSet(self.0 & other.0)
    }

    /// True if every type of this set is in `other`: `within(NUMBER)` is "surely a number".
    #[must_use]
    pub fn within(self, other: TypeSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// True if some type is in both: `meets(NUMBER)` is "may be a number".
    #[must_use]
    pub fn meets(self, other: TypeSet) -> bool {
        self.0 & other.0 != 0
    }

    /// True if the value's type is in the set.
    #[must_use]
    pub fn accepts(self, value: &Value<'_>) -> bool {
        TypeSet::of(value).within(self)
    }
}

impl fmt::Display for TypeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = if TypeSet::NUMBER.within(*self) { "a number" } else { "an integer" };
        let names = [
            (TypeSet::NULL, "null"),
            (TypeSet::BOOLEAN, "true or false"),
            (TypeSet::NUMBER, number),
            (TypeSet::STRING, "a string"),
            (TypeSet::ARRAY, "an array"),
            (TypeSet::OBJECT, "an object"),
        ];
        let names: Vec<&str> =
            names.into_iter().filter(|(types, _)| self.meets(*types)).map(|(_, name)| name).collect();
        match names.split_last() {
            None => f.write_str("left out"),
            Some((last, [])) => f.write_str(last),
            Some((last, rest)) => write!(f, "{} or {last}", rest.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;

    #[test]
    fn one_point_zero_is_an_integer_and_one_and_a_half_is_not() {
        let number = |text| Value::Number(Decimal::parse_json(text).unwrap());
        assert!(TypeSet::INTEGER.accepts(&number("1.0")));
        assert!(!TypeSet::INTEGER.accepts(&number("1.5")));
        assert!(TypeSet::NUMBER.accepts(&number("1.5")) && TypeSet::NUMBER.accepts(&number("1")));
    }

    #[test]
    fn every_name_reads_back() {
        for (name, types) in TypeSet::NAMES {
            assert_eq!(TypeSet::named(name), Some(types));
        }
        assert_eq!(TypeSet::named("int"), None);
    }

    #[test]
    fn a_set_reads_as_words() {
        assert_eq!(TypeSet::NUMBER.or(TypeSet::NULL).or(TypeSet::STRING).to_string(), "null, a number or a string");
        assert_eq!(TypeSet::INTEGER.to_string(), "an integer");
        assert_eq!(TypeSet::NONE.to_string(), "left out");
    }
}
