//! `requiresBefore` bound to a tool: earlier calls are looked up, and what lacks is told.

use super::{Pair, Within};
use crate::context::{Context, Failure, Finding};
use crate::expr::Evaluation;
use crate::guards::argument::Argument;
use crate::guards::{Check, Read};
use crate::observed::{HashId, IndexId, Lookup, Root, Seen, part_hash, whole_entry_key};
use crate::path::Reach;
use crate::schema::Located;
use crate::value::Value;

/// Where an earlier call is looked up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indexes {
    pub(super) asked: IndexId,
    /// With the calls that a write made old.
    pub(super) ever: Option<IndexId>,
}

/// An argument that an earlier call must agree with, for texts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    name: String,
    root: Root,
}

impl Named {
    pub(super) fn of(pair: &Pair) -> Named {
        Named { name: pair.left.text(), root: pair.right.root }
    }
}

/// Arguments of one value each, which form one key.
#[derive(Debug)]
pub(super) struct Key {
    pub(super) index: Indexes,
    pub(super) left: Vec<HashId>,
    /// As many as `left`.
    pub(super) named: Vec<Named>,
}

/// An argument of many values, each of which must be known.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) index: Indexes,
    pub(super) located: Located,
    pub(super) named: Named,
}

impl Key {
    /// The entry to look up; `None` where an argument it is made of is missing.
    fn entry(&self, context: &Context<'_>) -> Option<u128> {
        whole_entry_key(self.left.iter().map(|id| hash(context, *id)))
    }
}

#[derive(Debug)]
pub(super) struct Dep {
    pub(super) words: String,
    pub(super) same: Vec<String>,
    pub(super) key: Key,
    pub(super) sets: Vec<Set>,
}

#[derive(Debug)]
pub(super) struct Bound {
    pub(super) deps: Vec<Dep>,
    /// This call's side of what both must agree on.
    pub(super) same: Vec<Argument>,
    pub(super) within: Option<Within>,
    pub(super) empty_counts: bool,
}

/// What became of one dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met<'d> {
    Yes,
    /// There was no such call.
    No,
    /// There was one, in an earlier turn than counts.
    Old,
    /// There was one, and a write made it old.
    Changed,
    /// There was one, and its result was empty.
    Empty,
    /// There was one, and its result does not have the value of this argument.
    Unlisted(&'d Named),
    /// This call lacks an argument to look it up by.
    Missing(&'d Named),
    Full,
}

/// What is said of an entry that is not there: a write made it old, or it never was.
#[cold]
fn known_before<'d>(context: &Context<'_>, index: Indexes, entry: u128) -> Met<'d> {
    let is_old = index.ever.is_some_and(|ever| matches!(context.observed.find(ever, entry), Lookup::Found(_)));
    if is_old { Met::Changed } else { Met::No }
}

#[inline]
fn hash(context: &Context<'_>, id: HashId) -> Option<u128> {
    context.hashes.get(usize::from(id.0)).copied().flatten()
}

impl Bound {
    #[inline(always)]
    fn look_up<'d>(&self, context: &Context<'_>, index: Indexes, entry: u128) -> Met<'d> {
        match context.observed.find(index.asked, entry) {
            Lookup::Found(seen) => self.counts(seen, context),
            Lookup::Missing => known_before(context, index, entry),
            Lookup::Full => Met::Full,
        }
    }

    /// What a success is worth by its turn and by what it said.
    #[inline]
    fn counts<'d>(&self, seen: Seen, context: &Context<'_>) -> Met<'d> {
        let recent = |turn: Option<u32>| {
            turn.is_some_and(|turn| self.within.is_none_or(|within| within.counts(turn, context.turn)))
        };
        match (recent(seen.full), recent(seen.empty)) {
            (true, _) => Met::Yes,
            (_, true) if self.empty_counts => Met::Yes,
            (_, true) => Met::Empty,
            _ if seen.full.is_some() || self.empty_counts => Met::Old,
            _ => Met::No,
        }
    }

    /// Asked of every call, so it stands where it is asked, with the look-up in it.
    #[inline(always)]
    fn met<'d>(&self, dep: &'d Dep, context: &Context<'_>) -> Met<'d> {
        let Some(key) = dep.key.entry(context) else { return dep.key.missing(context) };
        let met = self.look_up(context, dep.key.index, key);
        if met != Met::Yes || dep.sets.is_empty() {
            return met;
        }
        dep.sets.iter().map(|set| self.every(set, context)).find(|met| *met != Met::Yes).unwrap_or(Met::Yes)
    }

    #[inline(never)]
    fn every<'d>(&self, set: &'d Set, context: &Context<'_>) -> Met<'d> {
        let mut met = Met::Yes;
        let reach = set.located.each(context.args, |value| {
            if met == Met::Yes {
                met = match value {
                    Value::Null => Met::Missing(&set.named),
                    value => self.look_up(context, set.index, part_hash(context.key, value)),
                };
            }
        });
        match met {
            Met::Yes if reach == Reach::Partial => Met::Missing(&set.named),
            Met::No if set.named.root == Root::Result => Met::Unlisted(&set.named),
            met => met,
        }
    }

    /// What to do about one dependency; `None` where it is to be called first, as any other.
    fn told(&self, dep: &Dep, met: Met<'_>, tool: &str) -> Option<String> {
        let words = &dep.words;
        let with = with(&dep.same);
        Some(match met {
            Met::Missing(Named { name, root: Root::Args }) => {
                format!("`{name}` is missing in this call of `{tool}`. Pass the one that {words} succeeded with.")
            }
            Met::Missing(Named { name, root: Root::Result }) => {
                format!("`{name}` is missing in this call of `{tool}`. Pass one that {words} returned.")
            }
            Met::Unlisted(Named { name, .. }) => {
                format!("No result of {words} has this `{name}`. Use one that it returned, or ask for another.")
            }
            Met::Empty => {
                let cure = match dep.key.named.first() {
                    Some(Named { name, .. }) => format!("Check the `{name}`, or ask for another."),
                    None => "Call it with other arguments, or say that nothing was found.".to_owned(),
                };
                format!("The last result of {words}{with} was empty and does not count. {cure}")
            }
            Met::Old => {
                let within = self.within.map(Within::words).unwrap_or_default();
                format!("Call {words}{with} again: it must have succeeded {within}. Then call `{tool}`.")
            }
            Met::Changed => {
                format!("Call {words}{with} again: there was a change since it last succeeded. Then call `{tool}`.")
            }
            Met::Yes | Met::No | Met::Full => return None,
        })
    }
}

impl Key {
    /// The first of its arguments that the call lacks.
    fn missing(&self, context: &Context<'_>) -> Met<'_> {
        let lacking = self.left.iter().zip(&self.named).find(|(id, _)| hash(context, **id).is_none());
        lacking.map_or(Met::No, |(_, named)| Met::Missing(named))
    }
}

pub(super) fn with(same: &[String]) -> String {
    if same.is_empty() { String::new() } else { format!(" with {}", crate::text::joined(same, "and")) }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let mut finding = Finding::Pass;
        for dep in &self.deps {
            match self.met(dep, context) {
                Met::Yes => {}
                Met::No | Met::Old | Met::Changed | Met::Empty | Met::Unlisted(_) => return Finding::Fires,
                Met::Missing(_) => finding = Finding::Missing,
                Met::Full => return Finding::Fails(Failure::IndexFull),
            }
        }
        finding
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let met = self.deps.iter().map(|dep| (dep, self.met(dep, context)));
        let unmet: Vec<(&Dep, Met<'_>)> = met.filter(|(_, met)| *met != Met::Yes).collect();
        let mut told: Vec<String> = unmet.iter().filter_map(|(dep, met)| self.told(dep, *met, context.tool)).collect();
        let mut never = unmet.iter().filter(|(_, met)| *met == Met::No).map(|(dep, _)| *dep).peekable();
        if let Some(first) = never.peek().copied() {
            let calls: Vec<&str> = never.map(|dep| &*dep.words).collect();
            let within = self.within.map(|within| format!(" {}", within.words())).unwrap_or_default();
            let (calls, with) = (crate::text::joined(&calls, "and"), with(&first.same));
            told.push(format!("First call {calls}{with}; only after it succeeded{within} call `{}`.", context.tool));
        }
        crate::text::spaced(told)
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let mut reads: Vec<Read> = self.same.iter().flat_map(|argument| argument.reads(context)).collect();
        reads.extend(self.deps.iter().map(|dep| Read::words(dep.words.clone(), self.seen(dep, context))));
        reads
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let unmet: Vec<(&Dep, Met<'_>)> = self.deps.iter().map(|dep| (dep, self.met(dep, context))).collect();
        let mut unmet = unmet.into_iter().filter(|(_, met)| *met != Met::Yes);
        let (Some((dep, Met::No | Met::Old | Met::Changed | Met::Unlisted(_))), None) = (unmet.next(), unmet.next())
        else {
            return None;
        };
        let value = |argument: &Argument| match argument.reads(context).as_slice() {
            [one] => format!(" {}", one.value),
            _ => String::new(),
        };
        let same = dep.same.iter().zip(&self.same).map(|(words, argument)| format!("{words}{}", value(argument)));
        let same = crate::text::joined(&same.collect::<Vec<_>>(), "and");
        let with = if same.is_empty() { "" } else { " with " };
        let within = self.within.map(|within| format!(" {}", within.words())).unwrap_or_default();
        Some(format!("a successful {}{with}{same} before it{within}", dep.words))
    }
}

impl Bound {
    /// The turn of the latest success that counts, where one does.
    fn latest(&self, seen: Seen) -> u32 {
        seen.full.max(seen.empty.filter(|_| self.empty_counts)).unwrap_or_default()
    }

    /// What is known of the earlier call, in words.
    fn seen(&self, dep: &Dep, context: &Context<'_>) -> String {
        let found = dep.key.entry(context).map(|entry| context.observed.find(dep.key.index.asked, entry));
        match (self.met(dep, context), found) {
            (Met::Yes, Some(Lookup::Found(seen))) => format!("succeeded in turn {}", self.latest(seen)),
            (Met::Old, Some(Lookup::Found(seen))) => {
                format!("succeeded in turn {}, and this is turn {}", self.latest(seen), context.turn)
            }
            (Met::Changed, _) => "succeeded, and a write came after it".into(),
            (Met::Empty, _) => "succeeded with an empty result".into(),
            (Met::Unlisted(_), _) => "succeeded, and its result does not have the value".into(),
            (Met::Yes | Met::No | Met::Old, _) if dep.same.is_empty() => "has not succeeded".into(),
            (Met::Yes | Met::No | Met::Old, _) => {
                format!("has not succeeded with {}", crate::text::joined(&dep.same, "and"))
            }
            (Met::Missing(_), _) => "not asked: an argument is missing".into(),
            (Met::Full, _) => "nobody can tell: too many calls".into(),
        }
    }
}
