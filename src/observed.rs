//! What a session remembers of its calls, indexed as it arrives (section 6): constant time to ask, whatever the
//! length of the conversation.
//!
//! The policy plans which indexes exist; the session fills them. A set that is full answers "cannot tell", never
//! a guess. Nothing here decides anything.

mod batch;
mod grounding;
mod plan;
mod recall;
pub(crate) mod words;

use crate::hash::{FingerprintMap, Hash128, SessionKey};
use crate::tool::Effect;
use crate::value::Value;
use std::collections::BTreeMap;

use recall::{Recalls, Tally};

pub use batch::{Batch, View};
pub use grounding::{AmountSource, GroundPlan, ReadingId, SourceId};
pub use plan::{
    CallPath, CallsBy, Form, HashId, IndexDefinition, IndexId, IndexPlan, KeyPart, RecallDefinition, RecallId, Root,
    TallyDefinition, TallyId, TallyScope, Writes,
};
pub use recall::{Kept, Recalled, kept_args};

/// The most entries of one index; beyond it a look-up that misses cannot be answered.
pub const MAX_ENTRIES: usize = 65_536;

/// The keyed hash of one value of a key.
#[must_use]
pub fn part_hash(key: &SessionKey, value: &Value<'_>) -> u128 {
    Hash128::new(key).value(value).finish()
}

/// The key of an entry: its parts' hashes, in order. No parts: the one key of an index that only asks whether.
///
/// The parts are keyed fingerprints, which nobody outside can choose or see; any mixing that keeps their order will do.
#[must_use]
pub fn entry_key(parts: impl IntoIterator<Item = u128>) -> u128 {
    parts.into_iter().fold(0, with_part)
}

/// The same of parts that may be missing: one of them is, and there is no entry.
#[must_use]
#[inline]
pub fn whole_entry_key(parts: impl IntoIterator<Item = Option<u128>>) -> Option<u128> {
    parts.into_iter().try_fold(0, |key, part| Some(with_part(key, part?)))
}

#[inline]
fn with_part(key: u128, part: u128) -> u128 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    key.wrapping_mul(ODD) ^ part
}

/// The latest successful calls of an entry, by their turns. Whether an empty result counts is up to who asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The latest whose result says something.
    pub full: Option<u32>,
    /// The latest whose result is empty.
    pub empty: Option<u32>,
}

impl Seen {
    /// A success in a turn.
    #[must_use]
    pub fn of(turn: u32, is_empty: bool) -> Seen {
        if is_empty { Seen { full: None, empty: Some(turn) } } else { Seen { full: Some(turn), empty: None } }
    }

    fn renewed(self, by: Seen) -> Seen {
        Seen { full: by.full.or(self.full), empty: by.empty.or(self.empty) }
    }
}

/// What a look-up finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// The entry.
    Found(Seen),
    /// No such call.
    Missing,
    /// The index is full, so it cannot tell.
    Full,
}

/// The place of an allowed call among those of its turn. Equal calls of other turns or steps have other places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The hash of its tool and arguments.
    pub call: u128,
    /// The version of the session on which it was allowed.
    pub version: u64,
}

/// A call of this turn that a repeat would duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeatable {
    /// The version of the session on which it was allowed.
    pub version: u64,
    /// Its effect.
    pub effect: Effect,
    /// How many writes had succeeded when it was allowed.
    pub writes: u64,
    /// True once it ended and nobody knows whether it took effect.
    pub is_unknown: bool,
}

/// The indexes of one session.
#[derive(Clone, Debug)]
pub struct Observed {
    sets: Vec<FingerprintMap<Seen>>,
    recalls: Vec<Recalls>,
    tallies: Vec<Tally>,
    this_turn: FingerprintMap<Repeatable>,
    /// The destructive calls of this turn that may have had an effect, each with its tool.
    destructive: BTreeMap<Box<str>, Box<str>>,
    writes: u64,
    exposure: Exposure,
}

/// The latest turns in which the model read what guards of the flow of information ask about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Text that outsiders can write.
    pub untrusted: Option<u32>,
    /// Private data.
    pub private: Option<u32>,
}

impl Observed {
    /// Empty indexes for a plan.
    #[must_use]
    pub fn new(plan: &IndexPlan) -> Observed {
        Observed {
            sets: plan.iter().map(|_| FingerprintMap::default()).collect(),
            recalls: plan.recalls().map(|_| Recalls::default()).collect(),
            tallies: plan.tallies().map(|(_, definition)| Tally::new(definition.scope)).collect(),
            this_turn: FingerprintMap::default(),
            destructive: BTreeMap::new(),
            writes: 0,
            exposure: Exposure::default(),
        }
    }

    /// Asks an index.
    #[must_use]
    pub fn find(&self, index: IndexId, entry: u128) -> Lookup {
        let Some(set) = self.sets.get(usize::from(index.0)) else { return Lookup::Missing };
        match set.get(&entry) {
            Some(seen) => Lookup::Found(*seen),
            None if set.len() >= MAX_ENTRIES => Lookup::Full,
            None => Lookup::Missing,
        }
    }

    /// Keeps a successful call under an entry, unless the index is full.
    pub fn keep(&mut self, index: IndexId, entry: u128, seen: Seen) {
        let Some(set) = self.sets.get_mut(usize::from(index.0)) else { return };
        let known = set.get(&entry).copied();
        if known.is_some() || set.len() < MAX_ENTRIES {
            set.insert(entry, known.unwrap_or_default().renewed(seen));
        }
    }

    /// Forgets the calls of an entry: what they told has changed. A full index has room again then; what it did not take
    /// meanwhile is missing, which denies as well.
    pub fn drop_entry(&mut self, index: IndexId, entry: u128) {
        if let Some(set) = self.sets.get_mut(usize::from(index.0)) {
            set.remove(&entry);
        }
    }

    /// The kept calls of an entry.
    #[must_use]
    pub fn recall(&self, index: RecallId, entry: u128) -> Recalled<'_> {
        self.recalls.get(usize::from(index.0)).map_or(Recalled::Missing, |recalls| recalls.find(entry))
    }

    /// Keeps a success for what expressions ask, unless the index is full.
    pub fn remember(&mut self, index: RecallId, entry: u128, kept: Kept) {
        if let Some(recalls) = self.recalls.get_mut(usize::from(index.0)) {
            recalls.keep(entry, kept);
        }
    }

    fn tally(&self, index: TallyId) -> Option<&Tally> {
        self.tallies.get(usize::from(index.0))
    }

    /// Counts an allowed call for what expressions ask, unless it is a new entry of a full index.
    pub fn count_call(&mut self, index: TallyId, entry: u128) {
        if let Some(tally) = self.tallies.get_mut(usize::from(index.0)) {
            tally.add(entry);
        }
    }

    /// Takes a counted call back: it failed.
    pub fn discount_call(&mut self, index: TallyId, entry: u128) {
        if let Some(tally) = self.tallies.get_mut(usize::from(index.0)) {
            tally.take_back(entry);
        }
    }

    /// The call of this turn that this one would repeat; a read may repeat once a write succeeded in between.
    #[must_use]
    pub fn repeats(&self, call: u128) -> bool {
        let stale = |earlier: &Repeatable| earlier.effect == Effect::Read && self.writes > earlier.writes;
        self.this_turn.get(&call).is_some_and(|earlier| !stale(earlier))
    }

    /// True if no further call of this turn can be remembered.
    #[must_use]
    pub fn turn_is_full(&self) -> bool {
        self.this_turn.len() >= MAX_ENTRIES
    }

    /// Remembers an allowed call of this turn.
    pub fn allow(&mut self, place: Place, effect: Effect) {
        let writes = self.writes;
        self.this_turn.insert(place.call, Repeatable { version: place.version, effect, writes, is_unknown: false });
    }

    /// Notes that nobody knows whether a call took effect.
    pub fn lose(&mut self, place: Place) {
        if let Some(known) = self.this_turn.get_mut(&place.call).filter(|known| known.version == place.version) {
            known.is_unknown = true;
        }
    }

    /// True if nobody knows whether the call of this turn that this one would repeat took effect.
    #[must_use]
    pub fn is_unknown(&self, call: u128) -> bool {
        self.this_turn.get(&call).is_some_and(|earlier| earlier.is_unknown)
    }

    /// Forgets a call that had no effect, so that it may be tried again; not an equal one that came after it.
    pub fn forget(&mut self, place: Place) {
        if self.this_turn.get(&place.call).is_some_and(|known| known.version == place.version) {
            self.this_turn.remove(&place.call);
        }
    }

    /// Remembers an allowed destructive call of this turn.
    pub fn destroys(&mut self, call: Box<str>, tool: Box<str>) {
        self.destructive.insert(call, tool);
    }

    /// Forgets a destructive call that had no effect.
    pub fn spare(&mut self, call: &str) {
        self.destructive.remove(call);
    }

    /// The tool of a destructive call of this turn.
    #[must_use]
    pub fn destructive(&self) -> Option<&str> {
        self.destructive.values().next().map(|tool| &**tool)
    }

    /// The model read something in a turn.
    pub fn expose(&mut self, turn: u32, untrusted: bool, private: bool) {
        let latest = |known: Option<u32>, is_read: bool| known.max(is_read.then_some(turn));
        let Exposure { untrusted: of_outsiders, private: of_others } = self.exposure;
        self.exposure = Exposure { untrusted: latest(of_outsiders, untrusted), private: latest(of_others, private) };
    }

    /// What the model has read.
    #[must_use]
    pub fn exposure(&self) -> Exposure {
        self.exposure
    }

    /// A call with an effect beyond reading succeeded.
    pub fn wrote(&mut self) {
        self.writes = self.writes.saturating_add(1);
    }

    /// Starts a turn: what was kept for the last one is gone.
    pub fn start_turn(&mut self) {
        self.this_turn.clear();
        self.destructive.clear();
        self.tallies.iter_mut().filter(|tally| tally.scope == TallyScope::Turn).for_each(Tally::clear);
    }
}
