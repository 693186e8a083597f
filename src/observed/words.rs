//! What of a value makes keys of an index, and how a text is asked for the keys of its words.
//!
//! A word is a run of letters and digits in one case; a key is that of up to [`MOST_WORDS`] of them in a row, so that a
//! value is found inside a text whatever stands around it and between its words. Keys are keyed hashes: no text is kept.

use super::{Form, Lookup, Seen, part_hash};
use crate::hash::{Hash128, SessionKey};
use crate::value::Value;

/// The most words of one key. Of a longer value each run of so many words is one.
pub(crate) const MOST_WORDS: usize = 16;

/// What has fewer letters and digits is too common to be looked for inside a text.
pub(crate) const FEWEST_LETTERS: usize = 4;

impl Form {
    /// Adds the keys that a value makes. Null makes none.
    pub(crate) fn keys(self, key: &SessionKey, value: &Value<'_>, keys: &mut Vec<u128>) {
        match self {
            Form::Whole if value.is_null() => {}
            Form::Whole => keys.push(part_hash(key, value)),
            Form::Scalars => scalars(value, &mut |scalar| keys.push(part_hash(key, scalar))),
            Form::Words => leaves(value, &mut |leaf| keys.extend(value_keys(key, leaf))),
        }
    }
}

/// Visits a scalar, or those in a list one by one; the members of a map must be named, so it gives none.
pub(crate) fn scalars<'v>(value: &'v Value<'v>, visit: &mut impl FnMut(&'v Value<'v>)) {
    match value {
        Value::Null | Value::Object(_) => {}
        Value::Array(items) => items.iter().for_each(|item| scalars(item, visit)),
        scalar => visit(scalar),
    }
}

/// Visits every scalar at any depth.
pub(crate) fn leaves<'v>(value: &'v Value<'v>, visit: &mut impl FnMut(&'v Value<'v>)) {
    match value {
        Value::Null => {}
        Value::Array(items) => items.iter().for_each(|item| leaves(item, visit)),
        Value::Object(object) => object.iter().for_each(|(_, member)| leaves(member, visit)),
        scalar => visit(scalar),
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The hash of each word of a scalar, whatever its case. A truth value has no word of its own.
fn word_hashes(key: &SessionKey, scalar: &Value<'_>) -> Vec<(u128, usize)> {
    let hash = |word: &str| (Hash128::new(key).str(&word.to_lowercase()).finish(), word.chars().count());
    match scalar {
        Value::String(text) => words(text).map(hash).collect(),
        Value::Number(number) => words(&number.to_string()).map(hash).collect(),
        _ => Vec::new(),
    }
}

/// The key of some words in a row; another number of them has another key.
fn run_key(words: &[(u128, usize)]) -> u128 {
    super::entry_key(words.iter().map(|(hash, _)| *hash))
}

/// The key of a short value, which is only found where it stands alone.
fn whole_key(words: &[(u128, usize)]) -> u128 {
    super::next_key(run_key(words), 1)
}

/// The keys of a value that is to be found again: one, or one for each run of [`MOST_WORDS`].
fn value_keys(key: &SessionKey, scalar: &Value<'_>) -> Vec<u128> {
    let words = word_hashes(key, scalar);
    if words.is_empty() {
        return Vec::new();
    }
    let letters = words.iter().fold(0_usize, |sum, (_, letters)| sum.saturating_add(*letters));
    if letters < FEWEST_LETTERS {
        return vec![whole_key(&words)];
    }
    let runs = words.windows(words.len().min(MOST_WORDS));
    runs.flat_map(|run| [run.first().map(start_key), Some(run_key(run))]).flatten().collect()
}

/// The key that says that some value starts with a word, so that no longer run is tried where none does.
fn start_key((hash, _): &(u128, usize)) -> u128 {
    super::next_key(*hash, 2)
}

/// Whether some run of words in a scalar has a key that an index has; `None` where it has none and cannot tell.
pub(crate) fn has_run(key: &SessionKey, scalar: &Value<'_>, mut find: impl FnMut(u128) -> Lookup) -> Option<bool> {
    let words = word_hashes(key, scalar);
    let mut is_full = false;
    let mut is_known = |key| match find(key) {
        Lookup::Found(_) => true,
        Lookup::Missing => false,
        Lookup::Full => {
            is_full = true;
            false
        }
    };
    let is_whole = !words.is_empty() && is_known(whole_key(&words));
    let found = is_whole
        || (0..words.len()).any(|start| {
            let run = words.get(start..).unwrap_or_default();
            let is_start = run.first().is_some_and(|first| is_known(start_key(first)));
            // The keys of longer and longer runs, each from the one before.
            let mut sum = 0;
            is_start
                && run.iter().take(MOST_WORDS).any(|(hash, _)| {
                    sum = super::next_key(sum, *hash);
                    is_known(sum)
                })
        });
    (found || !is_full).then_some(found)
}

/// The answer of a list of keys, as an index would give it.
pub(crate) fn among(keys: &[u128], key: u128) -> Lookup {
    if keys.contains(&key) { Lookup::Found(Seen::default()) } else { Lookup::Missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> SessionKey {
        SessionKey::from_nonce(b"words")
    }

    fn holds(text: &str, value: &str) -> bool {
        let (key, mut keys) = (key(), Vec::new());
        Form::Words.keys(&key, &Value::from(value), &mut keys);
        has_run(&key, &Value::from(text), |run| among(&keys, run)) == Some(true)
    }

    #[test]
    fn a_value_is_found_as_whole_words_whatever_stands_around_and_between() {
        for text in ["my pin is 4711-aB", "(4711 AB)", "x 4711/ab, y", "4711-aB"] {
            assert!(holds(text, "4711-aB"), "{text}");
        }
        for text in ["4711", "14711-aB", "4711-aBc", "aB-4711", ""] {
            assert!(!holds(text, "4711-aB"), "{text}");
        }
    }

    #[test]
    fn what_is_short_is_not_looked_for_inside_a_text_and_what_is_long_is_found_by_a_part() {
        assert!(!holds("the 12 of them", "12") && holds("the 1234 of them", "1234"));
        assert!(holds("(12)", "12") && !holds("", "") && !holds("--", "!"));
        let long: Vec<String> = (0..40).map(|number| format!("word{number}")).collect();
        assert!(holds(&long[10..26].join(" "), &long.join("\n")));
        assert!(!holds(&long[10..25].join(" "), &long.join("\n")));
    }

    #[test]
    fn lists_are_entered_and_maps_only_for_words() {
        let object = Value::Object(crate::value::Object::of([("a", Value::from("inner")), ("b", Value::Null)]));
        let value = Value::Array(vec![Value::from("one"), Value::Array(vec![Value::from(2)]), object]);
        let count = |form: Form| {
            let mut keys = Vec::new();
            form.keys(&key(), &value, &mut keys);
            keys.len()
        };
        assert_eq!((count(Form::Whole), count(Form::Scalars), count(Form::Words)), (1, 2, 4));
    }
}
