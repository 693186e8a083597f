//! Which indexes the guards of a policy ask, by number. Nothing of a session is in here.

use super::grounding::GroundPlan;
use crate::path::Path;
use crate::schema::Located;
use crate::tool::{Pattern, Selector};
use std::fmt;

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

/// A path into a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPath {
    /// Arguments or result.
    pub root: Root,
    /// The path below it.
    pub path: Path,
}

impl CallPath {
    /// Reads `args.a.b` or `result.a[].b`; `args` and `result` alone are all of it. `None` if the text is neither.
    #[must_use]
    pub fn parse(text: &str) -> Option<CallPath> {
        let (root, rest) = match (text.strip_prefix("args"), text.strip_prefix("result")) {
            (Some(rest), _) => (Root::Args, rest),
            (_, Some(rest)) => (Root::Result, rest),
            _ => return None,
        };
        let path = match rest.strip_prefix('.') {
            Some(path) if !path.is_empty() => Path::parse(path).ok()?,
            None if rest.is_empty() || rest.starts_with('[') => Path::parse(rest).ok()?,
            _ => return None,
        };
        Some(CallPath { root, path })
    }
}

impl fmt::Display for CallPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = match self.root {
            Root::Args => "args",
            Root::Result => "result",
        };
        let path = self.path.to_string();
        let dot = if path.is_empty() || path.starts_with('[') { "" } else { "." };
        write!(f, "{root}{dot}{path}")
    }
}

/// One part of an index's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPart {
    /// Where it stands.
    pub at: CallPath,
    /// What of it makes keys.
    pub form: Form,
}

impl KeyPart {
    /// The values at a place, each as a whole.
    #[must_use]
    pub fn whole(root: Root, path: Path) -> KeyPart {
        KeyPart { at: CallPath { root, path }, form: Form::Whole }
    }
}

/// What of the values at a place makes keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each value as a whole.
    Whole,
    /// Each scalar, those in lists one by one.
    Scalars,
    /// The words of each scalar, those of lists and maps one by one.
    Words,
}

/// An index over the successful calls of some tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexDefinition {
    /// Whose calls are kept.
    pub tools: Vec<Pattern>,
    /// What they are kept by. All scalar parts form one key; a part that reaches many values makes one key each
    /// and then stands alone.
    pub parts: Vec<KeyPart>,
    /// The writes after which an entry is gone until the next success; `None`: it stays.
    pub forgotten_by: Option<Writes>,
}

/// The calls that change the record an entry is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writes {
    /// Whose.
    pub of: Selector,
    /// Where each part of the entry's key stands in their arguments.
    pub parts: Vec<Path>,
}

/// Earlier calls as an expression asks for them: of some tools, by the values of some arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallsBy {
    /// Whose calls, each in its one spelling.
    pub tools: Vec<Pattern>,
    /// The arguments they are asked by, in the order of their names.
    pub keys: Vec<Path>,
}

impl CallsBy {
    /// The same with the tools in one order, each once.
    fn spelled(mut self) -> CallsBy {
        self.tools.sort();
        self.tools.dedup();
        self
    }

    /// True if the calls of a tool, or of some tool of a family, are among them.
    pub(crate) fn may_be_of(&self, name: &Pattern) -> bool {
        self.tools.iter().any(|pattern| pattern.overlaps(name))
    }

    /// True if the calls of the tool of this canonical name are among them.
    pub(crate) fn are_of(&self, name: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.matches(name))
    }
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

/// An index that keeps the first and the latest success of each entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecallDefinition {
    /// Whose calls, by what.
    pub calls: CallsBy,
    /// What is kept of their arguments: paths of constant keys, none of which begins with another.
    pub args: Vec<Vec<String>>,
    /// What is kept of their results.
    pub result: Vec<Vec<String>>,
}

/// An index that counts calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TallyDefinition {
    /// Whose calls, by what.
    pub calls: CallsBy,
    /// How long it lasts.
    pub scope: TallyScope,
    /// The rule that asks how many entries there are, one for each scalar at its only key; `None` for a count of calls.
    pub distinct: Option<Box<str>>,
}

/// The indexes that the guards of a policy ask.
#[derive(Clone, Debug, Default)]
pub struct IndexPlan {
    definitions: Vec<IndexDefinition>,
    recalls: Vec<RecallDefinition>,
    tallies: Vec<TallyDefinition>,
    repeats: bool,
    destructive: bool,
    time: bool,
    exposure: bool,
    typed: bool,
    act_values: bool,
    hashed: Vec<Located>,
    grounds: GroundPlan,
}

impl IndexPlan {
    /// The number of an index, new or already planned.
    pub fn index(&mut self, definition: IndexDefinition) -> IndexId {
        IndexId(number_in(&mut self.definitions, |known| *known == definition, || definition.clone()))
    }

    /// The number of an index that keeps the first and the latest success of each entry, new or already planned. What
    /// is named of their arguments and results, each a path of constant keys (empty: all of it), is kept as well.
    pub fn recall(&mut self, calls: CallsBy, args: &[Vec<String>], result: &[Vec<String>]) -> RecallId {
        let calls = calls.spelled();
        let fresh = || RecallDefinition { calls: calls.clone(), args: Vec::new(), result: Vec::new() };
        let number = number_in(&mut self.recalls, |known| known.calls == calls, fresh);
        if let Some(definition) = self.recalls.get_mut(usize::from(number)) {
            args.iter().for_each(|path| name_path(&mut definition.args, path));
            result.iter().for_each(|path| name_path(&mut definition.result, path));
        }
        RecallId(number)
    }

    /// The number of an index that counts the calls that were allowed and are not known to have failed, new or already
    /// planned.
    pub fn tally(&mut self, calls: CallsBy, scope: TallyScope) -> TallyId {
        let definition = TallyDefinition { calls: calls.spelled(), scope, distinct: None };
        TallyId(number_in(&mut self.tallies, |known| *known == definition, || definition.clone()))
    }

    /// The number of an index of the different values of an argument, which all tools of a rule share.
    pub fn distinct(&mut self, rule: &str, tool: Pattern, arg: &Path, scope: TallyScope) -> TallyId {
        let is_it = |known: &TallyDefinition| known.distinct.as_deref() == Some(rule);
        let number = number_in(&mut self.tallies, is_it, || TallyDefinition {
            calls: CallsBy { tools: Vec::new(), keys: vec![arg.clone()] },
            scope,
            distinct: Some(rule.into()),
        });
        if let Some(definition) = self.tallies.get_mut(usize::from(number)) {
            definition.calls.tools.push(tool);
        }
        TallyId(number)
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

    /// Plans to know whether the model read untrusted text or private data.
    pub fn keep_exposure(&mut self) {
        self.exposure = true;
    }

    /// True if some guard asks what the model read.
    #[must_use]
    pub fn keeps_exposure(&self) -> bool {
        self.exposure
    }

    /// Plans to read the time of events: without it there is no `now`, and kept calls have no `at`.
    pub fn keep_time(&mut self) {
        self.time = true;
    }

    /// Plans to keep what stands in the arguments and results of a turn's calls, which claims are compared with.
    pub fn keep_act_values(&mut self) {
        self.act_values = true;
    }

    /// True if some guard compares claims with calls.
    #[must_use]
    pub fn keeps_act_values(&self) -> bool {
        self.act_values
    }

    /// Plans to keep what the user types.
    pub fn keep_typed(&mut self) {
        self.typed = true;
    }

    /// True if some rule asks what the user typed.
    #[must_use]
    pub fn keeps_typed(&self) -> bool {
        self.typed
    }

    /// True if some rule reads the time.
    #[must_use]
    pub fn keeps_time(&self) -> bool {
        self.time
    }

    /// What guards of replies ask of the figures that came up.
    #[must_use]
    pub fn grounds(&self) -> &GroundPlan {
        &self.grounds
    }

    /// The same, to ask for more.
    pub fn grounds_mut(&mut self) -> &mut GroundPlan {
        &mut self.grounds
    }

    /// Every index of kept calls with its number.
    pub fn recalls(&self) -> impl Iterator<Item = (RecallId, &RecallDefinition)> {
        self.recalls.iter().enumerate().map(|(n, definition)| (RecallId(short(n)), definition))
    }

    /// The definition of an index of kept calls.
    #[must_use]
    pub fn recalled(&self, id: RecallId) -> Option<&RecallDefinition> {
        self.recalls.get(usize::from(id.0))
    }

    /// Every index of counts with its number.
    pub fn tallies(&self) -> impl Iterator<Item = (TallyId, &TallyDefinition)> {
        self.tallies.iter().enumerate().map(|(n, definition)| (TallyId(short(n)), definition))
    }

    /// The definition of an index of counts.
    #[must_use]
    pub fn tallied(&self, id: TallyId) -> Option<&TallyDefinition> {
        self.tallies.get(usize::from(id.0))
    }

    /// Every index with its number.
    pub fn iter(&self) -> impl Iterator<Item = (IndexId, &IndexDefinition)> {
        self.definitions.iter().enumerate().map(|(n, definition)| (IndexId(short(n)), definition))
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

fn short(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

/// The number of an entry of a list, which a new one joins.
pub(super) fn number_in<T>(list: &mut Vec<T>, is_it: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> u16 {
    let number = list.iter().position(is_it).unwrap_or_else(|| {
        list.push(new());
        list.len().saturating_sub(1)
    });
    short(number)
}

/// Adds a path to those of which none begins with another.
fn name_path(paths: &mut Vec<Vec<String>>, path: &[String]) {
    if paths.iter().any(|known| path.starts_with(known)) {
        return;
    }
    paths.retain(|known| !known.starts_with(path));
    paths.push(path.to_vec());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('.').filter(|step| !step.is_empty()).map(str::to_owned).collect()
    }

    fn calls(tools: &[&str], keys: &[&str]) -> CallsBy {
        CallsBy {
            tools: tools.iter().map(|name| Pattern::selector(name)).collect(),
            keys: keys.iter().map(|key| Path::parse(key).unwrap()).collect(),
        }
    }

    #[test]
    fn one_question_is_one_index_and_what_is_named_of_its_calls_adds_up() {
        let mut plan = IndexPlan::default();
        let first = plan.recall(calls(&["get", "find"], &["id"]), &[], &[path("a.b"), path("a.c")]);
        assert_eq!(plan.recall(calls(&["find", "get"], &["id"]), &[path("id")], &[path("a"), path("d")]), first);
        assert_ne!(plan.recall(calls(&["get"], &["id"]), &[], &[]), first);
        assert_ne!(plan.recall(calls(&["get", "find"], &["name"]), &[], &[]), first);
        let kept = plan.recalled(first).unwrap();
        assert_eq!((&kept.args, &kept.result), (&vec![path("id")], &vec![path("a"), path("d")]));
        plan.recall(calls(&["get", "find"], &["id"]), &[], &[path("a.b.c"), path("")]);
        assert_eq!(plan.recalled(first).unwrap().result, [path("")], "all of it covers every part");
    }

    #[test]
    fn a_count_of_a_turn_and_one_of_the_session_are_two() {
        let mut plan = IndexPlan::default();
        let turn = plan.tally(calls(&["get"], &[]), TallyScope::Turn);
        assert_ne!(plan.tally(calls(&["get"], &[]), TallyScope::Session), turn);
        assert_eq!(plan.tally(calls(&["get"], &[]), TallyScope::Turn), turn);
        assert_eq!(plan.tallies().count(), 2);
    }
}
