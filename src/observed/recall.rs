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
