//! Kept calls and counts of one session, by what expressions ask for.
//!
//! Of a kept call nothing is kept but what some expression names.

use super::{MAX_ENTRIES, RecallDefinition, TallyScope};
use crate::hash::FingerprintMap;
use crate::time::Timestamp;
use crate::value::{Object, Value};

/// A successful call that is kept: of its arguments and result only what some expression names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The turn it was proposed in.
    pub turn: u32,
    /// When it finished, where the host said.
    pub at: Option<Timestamp>,
    /// Its arguments as the tool received them, as far as they are named.
    pub args: Value<'static>,
    /// Its result, as far as it is named.
    pub result: Value<'static>,
}

/// The kept calls of one entry.
#[derive(Clone, Copy, Debug)]
pub enum Recalled<'s> {
    /// The first and the latest success.
    Found {
        /// The first of the session.
        first: &'s Kept,
        /// The latest.
        last: &'s Kept,
    },
    /// No such call.
    Missing,
    /// The index is full, so it cannot tell.
    Full,
}

impl Kept {
    /// A call's success, as far as an index keeps it; `args` are what [`kept_args`] made of its arguments.
    #[must_use]
    pub fn of(
        definition: &RecallDefinition,
        turn: u32,
        at: Option<Timestamp>,
        args: Value<'static>,
        result: &Value<'_>,
    ) -> Kept {
        Kept { turn, at, args, result: pruned(result, &definition.result) }
    }
}

/// What an index keeps of a call's arguments.
#[must_use]
pub fn kept_args(definition: &RecallDefinition, args: &Value<'_>) -> Value<'static> {
    pruned(args, &definition.args)
}

/// What stands at some paths, with the objects around it; null where there is no object to go into.
fn pruned(value: &Value<'_>, paths: &[Vec<String>]) -> Value<'static> {
    let mut kept = Value::Null;
    paths.iter().for_each(|path| keep_path(&mut kept, value, path));
    kept
}

fn keep_path(kept: &mut Value<'static>, value: &Value<'_>, path: &[String]) {
    let Some((step, rest)) = path.split_first() else {
        *kept = value.to_owned_value();
        return;
    };
    let Value::Object(members) = value else { return };
    if !matches!(kept, Value::Object(_)) {
        *kept = Value::Object(Object::new());
    }
    let (Value::Object(object), Some(found)) = (kept, members.get(step)) else { return };
    if !object.contains_key(step) {
        object.insert(step.clone().into(), Value::Null);
    }
    if let Some(inner) = object.get_mut(step) {
        keep_path(inner, found, rest);
    }
}

/// The successes of one entry.
#[derive(Clone, Debug)]
struct Successes {
    first: Box<Kept>,
    /// The latest, unless it is the first.
    last: Option<Box<Kept>>,
}

/// An index of kept calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Recalls {
    entries: FingerprintMap<Successes>,
}

impl Recalls {
    pub(super) fn find(&self, entry: u128) -> Recalled<'_> {
        match self.entries.get(&entry) {
            Some(Successes { first, last }) => Recalled::Found { first, last: last.as_deref().unwrap_or(first) },
            None if self.entries.len() >= MAX_ENTRIES => Recalled::Full,
            None => Recalled::Missing,
        }
    }

    /// Keeps a success, unless the index is full.
    pub(super) fn keep(&mut self, entry: u128, kept: Kept) {
        let is_full = self.entries.len() >= MAX_ENTRIES;
        match self.entries.get_mut(&entry) {
            Some(known) => known.last = Some(Box::new(kept)),
            None if is_full => {}
            None => _ = self.entries.insert(entry, Successes { first: Box::new(kept), last: None }),
        }
    }
}

/// An index of counts.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    pub(super) scope: TallyScope,
    /// An entry stays when its count falls to nothing: a full index must not seem to have room.
    counts: FingerprintMap<u64>,
}

impl Tally {
    pub(super) fn new(scope: TallyScope) -> Tally {
        Tally { scope, counts: FingerprintMap::default() }
    }

    /// `None` for an entry it does not have.
    pub(super) fn get(&self, entry: u128) -> Option<u64> {
        self.counts.get(&entry).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Counts a call, unless it is a new entry of a full index.
    pub(super) fn add(&mut self, entry: u128) {
        if self.counts.contains_key(&entry) || self.counts.len() < MAX_ENTRIES {
            let count = self.counts.entry(entry).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Takes a counted call back.
    pub(super) fn take_back(&mut self, entry: u128) {
        if let Some(count) = self.counts.get_mut(&entry) {
            *count = count.saturating_sub(1);
        }
    }

    pub(super) fn clear(&mut self) {
        self.counts.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values() -> impl Strategy<Value = Value<'static>> {
        let leaf =
            prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool), (0..9_i64).prop_map(Value::from)];
        leaf.prop_recursive(3, 24, 3, |inner| {
            let members = prop::collection::btree_map("[abc]", inner.clone(), 0..4);
            let object = members.prop_map(|members| {
                let mut object = Object::new();
                members.into_iter().for_each(|(key, value)| _ = object.insert(key.into(), value));
                Value::from(object)
            });
            prop_oneof![object, prop::collection::vec(inner, 0..3).prop_map(Value::Array)]
        })
    }

    fn at<'v>(value: &'v Value<'v>, path: &[String]) -> Option<&'v Value<'v>> {
        path.iter().try_fold(value, |value, step| value.get(step))
    }

    /// The paths of a definition: none begins with another.
    fn prefix_free(paths: Vec<Vec<String>>) -> Vec<Vec<String>> {
        let is_longest = |path: &&Vec<String>| paths.iter().filter(|other| path.starts_with(other)).count() == 1;
        paths.iter().filter(is_longest).cloned().collect()
    }

    fn kept(turn: u32) -> Kept {
        Kept { turn, at: None, args: Value::Null, result: Value::Null }
    }

    proptest! {
        #[test]
        fn what_is_named_reads_as_before_and_nothing_else_is_kept(
            value in values(),
            paths in prop::collection::vec(prop::collection::vec("[abc]", 0..3), 0..4),
            other in prop::collection::vec("[abc]", 1..4),
        ) {
            let paths = prefix_free(paths);
            let kept = pruned(&value, &paths);
            for path in &paths {
                prop_assert_eq!(at(&kept, path).filter(|value| !value.is_null()), at(&value, path).filter(|value| !value.is_null()));
            }
            let is_named = paths.iter().any(|path| path.starts_with(&other) || other.starts_with(path));
            prop_assert!(is_named || at(&kept, &other).is_none(), "{:?} of {:?}", other, kept);
        }

        #[test]
        fn an_entry_is_its_first_and_its_latest_success(entries in prop::collection::vec(0..4_u128, 0..30)) {
            let mut recalls = Recalls::default();
            for (turn, entry) in (0..).zip(&entries) {
                recalls.keep(*entry, kept(turn));
            }
            for wanted in 0..4 {
                let turns: Vec<u32> = (0..).zip(&entries).filter(|(_, entry)| **entry == wanted).map(|(turn, _)| turn).collect();
                let found = match recalls.find(wanted) {
                    Recalled::Found { first, last } => Some((first.turn, last.turn)),
                    Recalled::Missing | Recalled::Full => None,
                };
                prop_assert_eq!(found, turns.first().copied().zip(turns.last().copied()));
            }
        }
    }

    #[test]
    fn no_index_outgrows_its_bound() {
        let (mut recalls, mut tally) = (Recalls::default(), Tally::new(TallyScope::Turn));
        for entry in (0..).take(MAX_ENTRIES).chain([u128::MAX, u128::MAX]) {
            recalls.keep(entry, kept(0));
            tally.add(entry);
        }
        assert_eq!((recalls.entries.len(), tally.len()), (MAX_ENTRIES, MAX_ENTRIES));
        assert!(matches!(recalls.find(u128::MAX), Recalled::Full) && tally.get(u128::MAX).is_none());
        tally.clear();
        assert_eq!(tally.len(), 0);
    }
}
