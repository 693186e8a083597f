//! The calls of one batch that were decided already, and the committed indexes with them laid over.

use super::recall::Tally;
use super::{IndexId, Lookup, MAX_ENTRIES, Observed, RecallId, Recalled, TallyId};
use std::collections::{BTreeMap, BTreeSet};

/// What the calls before this one in the same batch add to what is committed.
///
/// A call without siblings has nothing of it.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    siblings: Option<Box<Siblings>>,
}

#[derive(Clone, Debug, Default)]
struct Siblings {
    allowed: BTreeSet<u128>,
    destructive: Option<Box<str>>,
    tallies: BTreeMap<TallyId, BTreeMap<u128, u64>>,
    ids: BTreeSet<Box<str>>,
}

impl Batch {
    /// Nothing yet; `siblings` says whether anybody will ask.
    #[must_use]
    pub fn new(siblings: bool) -> Batch {
        Batch { siblings: siblings.then(Box::default) }
    }

    /// Counts an allowed sibling for what expressions ask, unless it is a new entry of a full index.
    pub fn tally(&mut self, observed: &Observed, index: TallyId, entry: u128) {
        let Some((siblings, tally)) = self.siblings.as_mut().zip(observed.tally(index)) else { return };
        let counts = siblings.tallies.entry(index).or_default();
        let is_known = tally.get(entry).is_some() || counts.contains_key(&entry);
        if is_known || new_entries(tally, counts).saturating_add(tally.len()) < MAX_ENTRIES {
            let count = counts.entry(entry).or_default();
            *count = count.saturating_add(1);
        }
    }

    /// Remembers an allowed sibling.
    #[inline]
    pub fn allow(&mut self, call: u128) {
        if let Some(siblings) = &mut self.siblings {
            siblings.allowed.insert(call);
        }
    }

    /// Remembers the tool of an allowed destructive sibling.
    pub fn destroys(&mut self, tool: &str) {
        if let Some(siblings) = &mut self.siblings {
            siblings.destructive.get_or_insert_with(|| tool.into());
        }
    }

    /// Takes a call id; false if a sibling has it.
    #[inline]
    pub fn take_id(&mut self, id: &str) -> bool {
        self.siblings.as_mut().is_none_or(|siblings| siblings.ids.insert(id.into()))
    }
}

/// The committed indexes with the siblings of the batch laid over them.
#[derive(Clone, Copy, Debug)]
pub struct View<'s> {
    /// What is committed.
    pub observed: &'s Observed,
    /// What the batch adds.
    pub batch: &'s Batch,
}

/// How many entries of siblings an index does not have yet.
fn new_entries(tally: &Tally, counts: &BTreeMap<u128, u64>) -> usize {
    counts.keys().filter(|entry| tally.get(**entry).is_none()).count()
}

impl<'s> View<'s> {
    fn siblings(&self) -> Option<&'s Siblings> {
        self.batch.siblings.as_deref()
    }

    /// Asks an index. Siblings have no results yet, so they add nothing to it.
    #[must_use]
    pub fn find(&self, index: IndexId, entry: u128) -> Lookup {
        self.observed.find(index, entry)
    }

    /// True if the call repeats one of this turn, siblings included.
    #[must_use]
    pub fn repeats(&self, call: u128) -> bool {
        self.observed.repeats(call) || self.siblings().is_some_and(|siblings| siblings.allowed.contains(&call))
    }

    /// The kept calls of an entry. Siblings have no results yet, so they add nothing to it.
    #[must_use]
    pub fn recall(&self, index: RecallId, entry: u128) -> Recalled<'s> {
        self.observed.recall(index, entry)
    }

    /// How many calls of an entry count, siblings included; `None` where the index is full and cannot tell.
    #[must_use]
    pub fn tally(&self, index: TallyId, entry: u128) -> Option<u64> {
        let Some(tally) = self.observed.tally(index) else { return Some(0) };
        let none = BTreeMap::new();
        let siblings = self.siblings().and_then(|siblings| siblings.tallies.get(&index)).unwrap_or(&none);
        match (tally.get(entry), siblings.get(&entry)) {
            (None, None) if new_entries(tally, siblings).saturating_add(tally.len()) >= MAX_ENTRIES => None,
            (committed, added) => Some(committed.unwrap_or(0).saturating_add(added.copied().unwrap_or(0))),
        }
    }

    /// How many entries an index has with some more, siblings included.
    #[must_use]
    pub fn distinct(&self, index: TallyId, more: &[u128]) -> usize {
        let Some(tally) = self.observed.tally(index) else { return more.len() };
        let none = BTreeMap::new();
        let siblings = self.siblings().and_then(|siblings| siblings.tallies.get(&index)).unwrap_or(&none);
        let is_new = |entry: &&u128| tally.get(**entry).is_none() && !siblings.contains_key(entry);
        tally.len().saturating_add(new_entries(tally, siblings)).saturating_add(more.iter().filter(is_new).count())
    }

    /// The tool of a destructive call of this turn, siblings included.
    #[must_use]
    pub fn destructive(&self) -> Option<&str> {
        self.observed.destructive().or_else(|| self.siblings()?.destructive.as_deref())
    }

    /// True if no further call of this turn can be remembered.
    #[must_use]
    pub fn turn_is_full(&self) -> bool {
        self.observed.turn_is_full()
    }
}
