//! What a session remembers of its calls, indexed as it arrives (section 6): constant time to ask, whatever the
//! length of the conversation.
//!
//! The policy plans which indexes exist; the session fills them. A set that is full answers "cannot tell", never
//! a guess. Nothing here decides anything.

use crate::hash::{FingerprintMap, Hash128, SessionKey};
use crate::path::Path;
use crate::schema::Located;
use crate::time::Timestamp;
use crate::tool::{Effect, Pattern};
use crate::value::Value;
use std::collections::BTreeMap;

/// The most entries of one index; beyond it a look-up that misses cannot be answered.
pub const MAX_ENTRIES: usize = 65_536;

/// Number of an index in its [`IndexPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub u16);

/// Number of an argument among those that are hashed once a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HashId(pub u16);

impl HashId {
    /// The number of an argument in a list, which it joins where it is new.
    pub(crate) fn of(hashed: &mut Vec<Located>, argument: &Located) -> HashId {
        let same = |known: &Located| known.slot == argument.slot && known.tail == argument.tail;
        let number = hashed.iter().position(same).unwrap_or_else(|| {
            hashed.push(argument.clone());
            hashed.len().saturating_sub(1)
        });
        HashId(u16::try_from(number).unwrap_or(u16::MAX))
    }
}

/// Where a part of an index's key is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Root {
    /// The arguments of the earlier call.
    Args,
    /// Its result.
    Result,
}

/// One part of an index's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// Arguments or result.
    pub root: Root,
    /// The path below it.
    pub path: Path,
}

/// An index over the successful calls of some tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Whose calls are kept.
    pub tools: Vec<Pattern>,
    /// What they are kept by. All scalar parts form one key; a part that reaches many values makes one key each
    /// and then stands alone.
    pub parts: Vec<KeyPart>,
}

/// Earlier calls as an expression asks for them: of some tools, by the values of some arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallsBy {
    /// Whose calls, each in its one spelling.
    pub tools: Vec<Pattern>,
    /// The arguments they are asked by, in the order of their names.
    pub keys: Vec<Path>,
}

/// Number of an index of kept calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecallId(pub u16);

/// Number of an index of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TallyId(pub u16);

/// How long a tally lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TallyScope {
    /// The turn.
    Turn,
    /// The session.
    Session,
}

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

/// The indexes that the guards of a policy ask.
#[derive(Clone, Debug, Default)]
pub struct IndexPlan {
    definitions: Vec<IndexDefinition>,
    repeats: bool,
    destructive: bool,
    hashed: Vec<Located>,
}

impl IndexPlan {
    /// The number of an index, new or already planned.
    pub fn index(&mut self, definition: IndexDefinition) -> IndexId {
        let found = self.definitions.iter().position(|known| *known == definition);
        let number = found.unwrap_or_else(|| {
            self.definitions.push(definition);
            self.definitions.len().saturating_sub(1)
        });
        IndexId(u16::try_from(number).unwrap_or(u16::MAX))
    }

    /// The number of an index that keeps the first and the latest success of each entry, new or already planned. What
    /// is named of their arguments and results, each a path of constant keys (empty: all of it), is kept as well.
    pub fn recall(&mut self, calls: CallsBy, args: &[Vec<String>], result: &[Vec<String>]) -> RecallId {
        todo!()
    }

    /// The number of an index that counts the calls that were allowed and are not known to have failed, new or already
    /// planned.
    pub fn tally(&mut self, calls: CallsBy, scope: TallyScope) -> TallyId {
        todo!()
    }

    /// Plans to hash an argument of the tool at hand once a call, for all who ask by it.
    pub fn hash(&mut self, argument: &Located) -> HashId {
        HashId::of(&mut self.hashed, argument)
    }

    /// The arguments to hash of the tool at hand; the next tool begins anew.
    pub fn take_hashed(&mut self) -> Vec<Located> {
        std::mem::take(&mut self.hashed)
    }

    /// Plans to know the calls of a turn by all their arguments.
    pub fn keep_repeats(&mut self) {
        self.repeats = true;
    }

    /// True if some guard asks whether a call is a repeat.
    #[must_use]
    pub fn keeps_repeats(&self) -> bool {
        self.repeats
    }

    /// Plans to know the destructive calls of a turn.
    pub fn keep_destructive(&mut self) {
        self.destructive = true;
    }

    /// True if some guard asks for destructive calls.
    #[must_use]
    pub fn keeps_destructive(&self) -> bool {
        self.destructive
    }

    /// Every index with its number.
    pub fn iter(&self) -> impl Iterator<Item = (IndexId, &IndexDefinition)> {
        self.definitions
            .iter()
            .enumerate()
            .map(|(n, definition)| (IndexId(u16::try_from(n).unwrap_or(u16::MAX)), definition))
    }

    /// The definition of an index.
    #[must_use]
    pub fn get(&self, id: IndexId) -> Option<&IndexDefinition> {
        self.definitions.get(usize::from(id.0))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.definitions.len()
    }

    /// True if no guard asks about earlier calls.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.definitions.is_empty()
    }
}

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
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    parts.into_iter().fold(0, |key: u128, part| key.wrapping_mul(ODD) ^ part)
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
    this_turn: FingerprintMap<Repeatable>,
    /// The destructive calls of this turn that may have had an effect, each with its tool.
    destructive: BTreeMap<Box<str>, Box<str>>,
    writes: u64,
}

impl Observed {
    /// Empty indexes for a plan.
    #[must_use]
    pub fn new(plan: &IndexPlan) -> Observed {
        let sets = plan.definitions.iter().map(|_| FingerprintMap::default()).collect();
        let this_turn = FingerprintMap::default();
        Observed { sets, this_turn, destructive: BTreeMap::new(), writes: 0 }
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

    /// A call with an effect beyond reading succeeded.
    pub fn wrote(&mut self) {
        self.writes = self.writes.saturating_add(1);
    }

    /// Starts a turn: what was kept for the last one is gone.
    pub fn start_turn(&mut self) {
        self.this_turn.clear();
        self.destructive.clear();
    }
}

/// What the calls before this one in the same batch add to what is committed.
///
/// A call without siblings leaves it empty.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    siblings: bool,
    allowed: std::collections::BTreeSet<u128>,
    destructive: Option<Box<str>>,
    ids: std::collections::BTreeSet<Box<str>>,
}

impl Batch {
    /// Nothing yet; `siblings` says whether anybody will ask.
    #[must_use]
    pub fn new(siblings: bool) -> Batch {
        Batch { siblings, ..Batch::default() }
    }

    /// Remembers an allowed sibling.
    pub fn allow(&mut self, call: u128) {
        if self.siblings {
            self.allowed.insert(call);
        }
    }

    /// Remembers the tool of an allowed destructive sibling.
    pub fn destroys(&mut self, tool: &str) {
        if self.siblings {
            self.destructive.get_or_insert_with(|| tool.into());
        }
    }

    /// Takes a call id; false if a sibling has it.
    pub fn take_id(&mut self, id: &str) -> bool {
        !self.siblings || self.ids.insert(id.into())
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

impl<'s> View<'s> {
    /// Asks an index. Siblings have no results yet, so they add nothing to it.
    #[must_use]
    pub fn find(&self, index: IndexId, entry: u128) -> Lookup {
        self.observed.find(index, entry)
    }

    /// True if the call repeats one of this turn, siblings included.
    #[must_use]
    pub fn repeats(&self, call: u128) -> bool {
        self.observed.repeats(call) || self.batch.allowed.contains(&call)
    }

    /// The kept calls of an entry.
    #[must_use]
    pub fn recall(&self, index: RecallId, entry: u128) -> Recalled<'s> {
        todo!()
    }

    /// How many calls of an entry count, siblings included; `None` where the index is full and cannot tell.
    #[must_use]
    pub fn tally(&self, index: TallyId, entry: u128) -> Option<u64> {
        todo!()
    }

    /// The tool of a destructive call of this turn, siblings included.
    #[must_use]
    pub fn destructive(&self) -> Option<&str> {
        self.observed.destructive().or(self.batch.destructive.as_deref())
    }

    /// True if no further call of this turn can be remembered.
    #[must_use]
    pub fn turn_is_full(&self) -> bool {
        self.observed.turn_is_full()
    }
}
