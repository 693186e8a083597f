//! Paths to values: `a.b`, `a[].b` (every element), `m.*.b` (every value), `''` (all of it).
//!
//! A path is parsed once and then either walked over a value or, for arguments, resolved by
//! [`crate::schema::ArgSchema::locate`] into a slot and a short rest. It has no root and no index: "the first one" is
//! never meant silently.

use std::fmt;

use crate::value::Value;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The member with this name.
    Key(String),
    /// Every element of an array.
    Each,
    /// Every value of an object.
    Values,
}

/// A parsed path.
///
/// ```
/// use flyball::path::{Path, Step};
///
/// let path = Path::parse("items[].note").unwrap();
/// assert_eq!(path.steps(), [Step::Key("items".into()), Step::Each, Step::Key("note".into())]);
/// assert_eq!(path.to_string(), "items[].note");
/// assert!(Path::parse("items[0].note").is_err());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path {
    steps: Vec<Step>,
}

/// Why a text is not a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Two dots in a row, or one at an end.
    #[error("`{0}` has an empty name in it")]
    EmptyName(String),
    /// `[0]`, `[*]`, `[` or `]` where only `[]` is known.
    #[error("`{0}` has a bracket that is not `[]`; a path has no index, `[]` is every element")]
    Bracket(String),
    /// A star beside other characters.
    #[error("`{0}` has a `*` beside other characters; alone it is every value of an object")]
    Star(String),
    /// More steps than a value can be deep.
    #[error("`{0}` has more than {MAX_STEPS} steps")]
    TooLong(String),
}

/// The deepest value has this many levels.
const MAX_STEPS: usize = 64;

/// Whether a walk found all that its path names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Every branch of the path ended at a value.
    Complete,
    /// Somewhere a name was absent, or what stood there was not an array or object.
    Partial,
}

impl Path {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        let mut steps = Vec::new();
        if !text.is_empty() {
            text.split('.').enumerate().try_for_each(|(at, part)| segment(text, at, part, &mut steps))?;
        }
        if steps.len() > MAX_STEPS {
            return Err(PathError::TooLong(text.into()));
        }
        Ok(Path { steps })
    }

    /// A path of these steps.
    #[must_use]
    pub fn from_steps(steps: Vec<Step>) -> Path {
        Path { steps }
    }

    /// The steps in order; none for the whole value.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// True for `''`.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.steps.is_empty()
    }

    /// True if the path can reach at most one value.
    #[must_use]
    pub fn is_single(&self) -> bool {
        self.steps.iter().all(|step| matches!(step, Step::Key(_)))
    }

    /// Puts a value in place of every one that the path reaches; true if there was one.
    pub fn replace(&self, value: &mut Value<'static>, with: &Value<'static>) -> bool {
        replace(&self.steps, value, with)
    }

    /// Visits every value the path reaches, in order.
    ///
    /// ```
    /// use flyball::path::{Path, Reach};
    /// use flyball::value::Value;
    ///
    /// let value = Value::Array(vec![Value::Bool(true), Value::Null]);
    /// let mut seen = 0;
    /// assert_eq!(Path::parse("[]").unwrap().each(&value, |_| seen += 1), Reach::Complete);
    /// assert_eq!(seen, 2);
    /// ```
    pub fn each<'v>(&self, value: &'v Value<'v>, mut visit: impl FnMut(&'v Value<'v>)) -> Reach {
        walk(&self.steps, value, &mut visit)
    }
}

/// Visits every value that the steps reach from `value`.
pub(crate) fn walk<'v>(steps: &[Step], value: &'v Value<'v>, visit: &mut impl FnMut(&'v Value<'v>)) -> Reach {
    let Some((step, rest)) = steps.split_first() else {
        visit(value);
        return Reach::Complete;
    };
    match (step, value) {
        (Step::Key(name), Value::Object(object)) => match object.get(name) {
            Some(member) => walk(rest, member, visit),
            None => Reach::Partial,
        },
        (Step::Each, Value::Array(items)) => all(items.iter().map(|item| walk(rest, item, visit))),
        (Step::Values, Value::Object(object)) => {
            all(object.members().iter().map(|(_, member)| walk(rest, member, visit)))
        }
        _ => Reach::Partial,
    }
}

fn replace(steps: &[Step], value: &mut Value<'static>, with: &Value<'static>) -> bool {
    let Some((step, rest)) = steps.split_first() else {
        *value = with.clone();
        return true;
    };
    let any = |found: bool, inner: &mut Value<'static>| replace(rest, inner, with) || found;
    match (step, value) {
        (Step::Key(name), Value::Object(object)) => {
            object.get_mut(name).is_some_and(|member| replace(rest, member, with))
        }
        (Step::Each, Value::Array(items)) => items.iter_mut().fold(false, any),
        (Step::Values, Value::Object(object)) => {
            let names: Vec<String> = object.iter().map(|(name, _)| name.to_owned()).collect();
            names
                .iter()
                .filter_map(|name| object.get_mut(name).map(|member| replace(rest, member, with)))
                .fold(false, |sum, one| sum | one)
        }
        _ => false,
    }
}

/// Complete if all are; every one is walked.
fn all(walks: impl Iterator<Item = Reach>) -> Reach {
    walks.fold(Reach::Complete, |sum, reach| if reach == Reach::Complete { sum } else { reach })
}

/// Reads what stands between two dots: a name or a star, then any number of `[]`.
fn segment(text: &str, at: usize, part: &str, steps: &mut Vec<Step>) -> Result<(), PathError> {
    let mut name = part;
    let mut arrays: usize = 0;
    while let Some(shorter) = name.strip_suffix("[]") {
        name = shorter;
        arrays = arrays.saturating_add(1);
    }
    match name {
        // A value that is a list itself is entered by a path that starts with `[]`.
        "" if at == 0 && arrays > 0 => {}
        "" => return Err(PathError::EmptyName(text.into())),
        "*" => steps.push(Step::Values),
        _ if name.contains(['[', ']']) => return Err(PathError::Bracket(text.into())),
        _ if name.contains('*') => return Err(PathError::Star(text.into())),
        _ => steps.push(Step::Key(name.into())),
    }
    steps.extend(std::iter::repeat_n(Step::Each, arrays));
    Ok(())
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.steps.iter().enumerate() {
            let dot = if at == 0 { "" } else { "." };
            match step {
                Step::Key(name) => write!(f, "{dot}{name}")?,
                Step::Values => write!(f, "{dot}*")?,
                Step::Each => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::decimal::Decimal;

    fn order() -> Value<'static> {
        crate::json::parse(
            br#"{"id":"o1","items":[{"note":"a"},{"note":null},{}],"byDay":{"mon":{"n":1},"tue":{"n":2}}}"#,
            &crate::json::Limits::default(),
        )
        .unwrap()
    }

    fn reached(path: &str) -> (Vec<Value<'static>>, Reach) {
        let (value, mut seen) = (order(), Vec::new());
        let reach = Path::parse(path).unwrap().each(&value, |v| seen.push(v.to_owned_value()));
        (seen, reach)
    }

    #[test]
    fn a_name_reaches_one_value_and_an_absent_one_none() {
        assert_eq!(reached("id"), (vec![Value::String("o1".into())], Reach::Complete));
        assert_eq!(reached("nothing"), (vec![], Reach::Partial));
        assert_eq!(reached("id.deeper"), (vec![], Reach::Partial));
    }

    #[test]
    fn brackets_reach_every_element_and_tell_of_a_missing_one() {
        assert_eq!(reached("items[].note"), (vec![Value::String("a".into()), Value::Null], Reach::Partial));
        assert_eq!(reached("items[]").1, Reach::Complete);
        assert_eq!(reached("id[]"), (vec![], Reach::Partial));
    }

    #[test]
    fn a_star_reaches_every_value() {
        let numbers = [1, 2].map(|n| Value::Number(Decimal::from(n))).to_vec();
        assert_eq!(reached("byDay.*.n"), (numbers, Reach::Complete));
        assert_eq!(reached("items.*"), (vec![], Reach::Partial));
    }

    #[test]
    fn the_empty_path_is_the_whole_value() {
        assert_eq!(reached(""), (vec![order()], Reach::Complete));
    }

    #[test]
    fn malformed_paths_are_refused_and_say_why() {
        for text in [".", "a..b", "a.", ".a", "a.[]", " .[]."] {
            assert!(matches!(Path::parse(text), Err(PathError::EmptyName(_))), "{text}");
        }
        for text in ["a[0]", "a[", "a]", "a[]b", "a[*]", "[0]"] {
            assert!(matches!(Path::parse(text), Err(PathError::Bracket(_))), "{text}");
        }
        assert!(matches!(Path::parse("a*.b"), Err(PathError::Star(_))));
        assert!(matches!(Path::parse(&"a.".repeat(80).replace(".a.", ".a.b.")), Err(PathError::EmptyName(_))));
        assert!(matches!(Path::parse(&vec!["a"; 65].join(".")), Err(PathError::TooLong(_))));
    }

    proptest! {
        #[test]
        fn parsing_never_panics_and_printing_returns_the_text(text in "[a-c.*\\[\\]]{0,12}") {
            if let Ok(path) = Path::parse(&text) {
                prop_assert_eq!(path.to_string(), text);
            }
        }
    }
}
