//! `extends`: a spec over another one, merged as trees before anything is read, so that every place stays where its
//! author wrote it.
//!
//! Entries merge by id. The extending file may add; it may lower `max`, widen `tools`, strengthen `action` and
//! `default`, remove tools (`name: null`) and replace texts. Anything else is an error at the extending file: who reads
//! the base may rely on it.

use super::approvals::{APPROVER_TTL, USER_TTL, accepts_no_more, is_no_longer};
use super::parse::{kind_of_file, locate};
use crate::decimal::Decimal;
use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::guards::Hook;
use crate::source::FileId;
use crate::spec::{Action, Profile};
use crate::time::Duration;
use crate::tool::{Effect, Pattern};
use crate::yaml::{Data, Entry, Node};
use std::collections::BTreeSet;

const HELP: &str = "an extending file may add, lower `max`, widen `tools`, strengthen `action` and `default`, remove \
                    tools and replace texts";

const HELP_ASKING: &str = "an extending file may shorten a `ttl` and take answers out of `accept`";

/// The tree of a spec with all that it extends merged in; `None` after a problem, or where a file is missing.
pub(super) fn merged(
    decoder: &mut Decoder<'_>,
    missing: &mut BTreeSet<String>,
    mut over: Node,
    opened: &mut Vec<FileId>,
) -> Option<Node> {
    let Some(extends) = take(&mut over, "extends") else { return Some(over) };
    let path = decoder.text(&extends.value)?;
    let file = locate(decoder, missing, &path.value, path.span)?;
    if opened.contains(&file) {
        let problem = Diagnostic::error("extends-cycle", path.span, format!("`{}` extends this file", path.value));
        decoder.report(problem.help("a spec cannot be its own base"));
        return None;
    }
    opened.push(file);
    let base = decoder.read(file)?;
    if let Some((kind, span)) = kind_of_file(&base).filter(|(kind, _)| *kind != "a spec") {
        let problem = Diagnostic::error("wrong-file", path.span, format!("`{}` is {kind}, not a spec", path.value));
        decoder.report(problem.label(span, "it says so here").help("name a spec: its first key is `agentspec`"));
        return None;
    }
    let base = merged(decoder, missing, base, opened)?;
    let mut merge = Merge { decoder, base: path.value };
    Some(merge.spec(base, over))
}

fn take(node: &mut Node, key: &str) -> Option<Entry> {
    let Data::Map(entries) = &mut node.data else { return None };
    let at = entries.iter().position(|entry| &*entry.key == key)?;
    Some(entries.remove(at))
}

/// What an extending file may do with a value.
#[derive(Clone, Copy)]
enum May {
    /// Replace it.
    Replace,
    /// Leave it as it is.
    Keep,
    /// Only a smaller number.
    Lower,
    /// Only a list with all that was there.
    Widen,
    /// Only a list of what was there.
    Narrow,
    /// Only a later word of these; where the base says nothing it means the second.
    Strengthen(&'static [&'static str], &'static str),
    /// Only a shorter time; where the base says nothing it means this one.
    Shorten(Duration),
    /// Only answers that were some before.
    Accept,
}

const ACTIONS: &[&str] = &["allow", "audit", "warn", "ask", "deny"];

/// What an extending file may do with a key of a budget.
fn with_budget(key: &str) -> May {
    match key {
        "tools" => May::Widen,
        "max" => May::Lower,
        "action" => May::Strengthen(&["ask", "deny", "stop"], "deny"),
        _ => May::Keep,
    }
}

struct Merge<'d, 's> {
    decoder: &'d mut Decoder<'s>,
    /// The base, as the extending file names it.
    base: String,
}

impl Merge<'_, '_> {
    fn spec(&mut self, mut base: Node, over: Node) -> Node {
        remove_tools(&mut base, &over);
        let profile = base.get("controls").and_then(|controls| controls.get("profile")).and_then(Node::text);
        let granted = Profile::WORDS.iter().find(|(word, _)| Some(*word) == profile);
        let granted = granted.and_then(|(_, profile)| profile.granted());
        self.members(base, over, |merge, entry, old| match &*entry.key {
            "agentspec" | "id" | "persona" | "scope" => merge.judge(entry, old, May::Replace, "the spec"),
            "behavior" => merge.added(entry, old),
            "directives" => merge.list(entry, old, |key| if key == "say" { May::Replace } else { May::Keep }),
            "tools" => merge.tools(entry, old),
            "guards" | "flow" | "budgets" => merge.rules(entry, old),
            "chains" => merge.added(entry, old),
            // What a rule of the base reads by name stays what it is.
            "$defs" | "params" | "let" | "packs" => {
                let whose = format!("`{}`", entry.key);
                merge.nested(entry, old, |merge, entry, old| match old {
                    Some(_) => merge.judge(entry, old, May::Keep, &whose),
                    None => entry.value,
                })
            }
            "default" => {
                merge.judge(entry, old, May::Strengthen(&["allow", "defer", "ask", "deny"], "allow"), "the spec")
            }
            "mode" => merge.judge(entry, old, May::Strengthen(&["observe", "enforce"], "enforce"), "the spec"),
            "grants" => merge.nested(entry, old, |merge, entry, old| match (&*entry.key, &old) {
                // Without a list of effects those that the tools declare are granted, so any list only narrows.
                ("effects", None) if granted.is_none_or(|granted| grants_no_more(&entry.value, granted)) => entry.value,
                _ => merge.judge(entry, old, May::Narrow, "`grants`"),
            }),
            "ledger" => merge.nested(entry, old, |merge, entry, old| match &*entry.key {
                "keepSecrets" => merge.judge(entry, old, May::Strengthen(&["true", "false"], "true"), "`ledger`"),
                _ if old.is_none() => entry.value,
                _ => merge.judge(entry, old, May::Widen, "`ledger`"),
            }),
            "controls" => merge.nested(entry, old, Self::control),
            "approvals" => merge.nested(entry, old, Self::asking),
            "world" => merge.nested(entry, old, |merge, entry, old| match &*entry.key {
                "stale" => merge.judge(entry, old, May::Strengthen(&["allow", "deny"], "allow"), "`world`"),
                "untrusted" if old.is_some() => merge.judge(entry, old, May::Widen, "`world`"),
                _ if old.is_none() => entry.value,
                _ => merge.judge(entry, old, May::Keep, "`world`"),
            }),
            "contract" | "time" if old.is_none() => entry.value,
            _ => merge.judge(entry, old, May::Keep, "the spec"),
        })
    }

    /// One of the keys of `approvals`.
    fn asking(&mut self, entry: Entry, old: Option<Node>) -> Node {
        let ttl = match &*entry.key {
            "user" => USER_TTL,
            "approver" => APPROVER_TTL,
            "require" if old.is_some() => return self.judge(entry, old, May::Widen, "`approvals`"),
            // A new one is added; an unknown one is left to be refused when it is read.
            _ => return entry.value,
        };
        let whose = format!("`approvals.{}`", entry.key);
        self.nested(entry, old, |merge, entry, old| match &*entry.key {
            "ttl" => merge.judge(entry, old, May::Shorten(ttl), &whose),
            "accept" => merge.judge(entry, old, May::Accept, &whose),
            _ => entry.value,
        })
    }

    /// One of the controls.
    fn control(&mut self, entry: Entry, old: Option<Node>) -> Node {
        let may = match &*entry.key {
            "auto" => {
                return self.nested(entry, old, |merge, entry, old| {
                    merge.judge(entry, old, May::Strengthen(&["false", "true"], "true"), "`controls`")
                });
            }
            "vetoStreak" | "callsPerStep" | "redrives" => May::Lower,
            "stream" => May::Strengthen(&["after", "window", "hold"], "hold"),
            "profile" => May::Strengthen(&["flyball", "scikitplot"], "flyball"),
            "textWithCalls" => May::Strengthen(&["drop", "check", "deny"], "drop"),
            // A condition is weaker than always, and no other than it was.
            "terminal" if is_condition(&entry.value) && old.as_ref().is_some_and(|old| old.text() != Some("any")) => {
                May::Keep
            }
            "terminal" if old.as_ref().is_some_and(is_condition) => May::Strengthen(&["any", "replyOnly"], "replyOnly"),
            "terminal" => May::Strengthen(&["any", "replyOnly"], "any"),
            "exhaustionReply" => May::Replace,
            // Left to be refused when it is read.
            _ => return entry.value,
        };
        self.judge(entry, old, may, "`controls`")
    }

    /// Guards, edges or budgets.
    fn rules(&mut self, entry: Entry, old: Option<Node>) -> Node {
        match &*entry.key {
            "guards" => self.nested(entry, old, |merge, entry, old| {
                let hook = Hook::OF_GUARDS.into_iter().find(|hook| hook.name() == &*entry.key);
                let default = Action::default_of(hook.unwrap_or(Hook::PreTool)).name();
                merge.list(entry, old, |key| match key {
                    "tools" => May::Widen,
                    "action" => May::Strengthen(ACTIONS, default),
                    "onFailure" => May::Strengthen(&["ask", "deny"], "deny"),
                    "missing" => May::Strengthen(&["skip", "deny"], "deny"),
                    "prose" | "correction" | "publicReason" => May::Replace,
                    _ => May::Keep,
                })
            }),
            "flow" => self.list(entry, old, |key| match key {
                "to" => May::Widen,
                "fresh" => May::Strengthen(&["false", "true"], "false"),
                "correction" => May::Replace,
                _ => May::Keep,
            }),
            _ => self.list(entry, old, with_budget),
        }
    }

    /// The members of a map over those of another. Where one is no map the extending file's stands, and is refused when
    /// it is read.
    fn members(
        &mut self,
        base: Node,
        over: Node,
        mut rule: impl FnMut(&mut Self, Entry, Option<Node>) -> Node,
    ) -> Node {
        let (Data::Map(mut entries), Data::Map(news)) = (base.data, over.data.clone()) else { return over };
        for new in news {
            let (key, key_span) = (new.key.clone(), new.key_span);
            let at = entries.iter().position(|entry| entry.key == key);
            let old = at.and_then(|at| entries.get(at)).map(|entry| entry.value.clone());
            let entry = Entry { key, key_span, value: rule(self, new, old) };
            match at.and_then(|at| entries.get_mut(at)) {
                Some(place) => *place = entry,
                None => entries.push(entry),
            }
        }
        Node { data: Data::Map(entries), ..over }
    }

    fn nested(
        &mut self,
        entry: Entry,
        old: Option<Node>,
        rule: impl FnMut(&mut Self, Entry, Option<Node>) -> Node,
    ) -> Node {
        let old = old.unwrap_or_else(|| Node { data: Data::Map(Vec::new()), ..entry.value.clone() });
        self.members(old, entry.value, rule)
    }

    fn tools(&mut self, entry: Entry, old: Option<Node>) -> Node {
        let mut tools = self.nested(entry, old, |merge, entry, old| match old {
            Some(old) if entry.value.data != Data::Null => {
                let (key, name) = (entry.key.clone(), format!("`{}`", entry.key));
                merge.members(old, entry.value, |merge, entry, old| {
                    let is_new = matches!(&*entry.key, "declares" | "ends" | "sensitive") && old.is_none();
                    // All that a server's tool returns is untrusted already.
                    let is_of_server = Pattern::key(&key).text().contains('/');
                    if is_new || (&*entry.key == "untrusted" && old.is_none() && !is_of_server) {
                        return entry.value;
                    }
                    let may = match &*entry.key {
                        // A call that is one with another does not run, so a key only takes away.
                        "idempotency" if old.is_none() => May::Replace,
                        "description" | "label" => May::Replace,
                        "untrusted" | "sensitive" => May::Widen,
                        // A condition is weaker than always, and no other than it was.
                        "destructive" if is_condition(&entry.value) && old.as_ref().is_some_and(is_ever) => May::Keep,
                        "destructive" => May::Strengthen(&["false", "true"], "false"),
                        _ => May::Keep,
                    };
                    merge.judge(entry, old, may, &name)
                })
            }
            None if entry.value.data == Data::Null => {
                let message = format!("there is no tool `{}` in `{}` to take out", entry.key, merge.base);
                let problem = Diagnostic::error("matches-nothing", entry.key_span, message);
                merge.decoder.report(problem.help("`name: null` takes a tool of the base out"));
                entry.value
            }
            _ => entry.value,
        });
        if let Data::Map(entries) = &mut tools.data {
            entries.retain(|entry| entry.value.data != Data::Null);
        }
        tools
    }

    /// A list of texts behind another one.
    fn added(&mut self, entry: Entry, old: Option<Node>) -> Node {
        match (old.map(|old| old.data), entry.value.data.clone()) {
            (Some(Data::List(mut texts)), Data::List(news)) => {
                texts.extend(news);
                Node { data: Data::List(texts), ..entry.value }
            }
            _ => entry.value,
        }
    }

    /// A list of rules over another: those of one id merge, the others are added behind.
    fn list(&mut self, entry: Entry, old: Option<Node>, may: impl Fn(&str) -> May) -> Node {
        let Some(Node { data: Data::List(mut rules), .. }) = old else { return entry.value };
        let Data::List(news) = entry.value.data.clone() else { return entry.value };
        let mut merged = BTreeSet::new();
        for new in news {
            let id = new.get("id").and_then(Node::text).map(str::to_owned);
            let same = |rule: &&mut Node| id.is_some() && rule.get("id").and_then(Node::text) == id.as_deref();
            match rules.iter_mut().find(same) {
                // A second one of the same id in one file is left to be refused as a duplicate.
                Some(rule) if merged.insert(id.clone()) => {
                    let old = rule.clone();
                    *rule = self.rule(old, new, &may);
                }
                _ => rules.push(new),
            }
        }
        Node { data: Data::List(rules), ..entry.value }
    }

    fn rule(&mut self, old: Node, new: Node, may: &impl Fn(&str) -> May) -> Node {
        let name = format!("`{}`", new.get("id").and_then(Node::text).unwrap_or_default());
        self.members(old, new, |merge, entry, old| match &*entry.key {
            "with" => merge.nested(entry, old, |merge, entry, old| {
                let may = if &*entry.key == "max" { May::Lower } else { May::Keep };
                merge.judge(entry, old, may, &name)
            }),
            key => {
                let may = may(key);
                merge.judge(entry, old, may, &name)
            }
        })
    }

    /// The value of the extending file, or that of the base after a problem.
    fn judge(&mut self, entry: Entry, old: Option<Node>, may: May, whose: &str) -> Node {
        let (fits, wish) = match may {
            May::Replace => (true, ""),
            May::Keep => (old.as_ref().is_some_and(|old| is_same(old, &entry.value)), "is fixed"),
            May::Lower => (old.as_ref().is_none_or(|old| is_lower(&entry.value, old)), "may only be lowered"),
            May::Widen => (widens(old.as_ref(), &entry.value), "may only be widened"),
            May::Narrow => (
                old.as_ref().map_or_else(|| is_empty(&entry.value), |old| has_all(old, &entry.value)),
                "may only be narrowed",
            ),
            May::Strengthen(words, absent) => {
                (is_stronger(old.as_ref(), &entry.value, words, absent), "may only be strengthened")
            }
            May::Shorten(absent) => (is_no_longer(&entry.value, old.as_ref(), absent), "may only be shortened"),
            May::Accept => (accepts_no_more(&entry.value, old.as_ref()), "may only be narrowed"),
        };
        if fits {
            return entry.value;
        }
        let by = if matches!(may, May::Keep) { format!(" by `{}`", self.base) } else { String::new() };
        let message = format!("`{}` of {whose} {wish}{by}", entry.key);
        let help = if matches!(may, May::Shorten(_) | May::Accept) { HELP_ASKING } else { HELP };
        let problem = Diagnostic::error("loosened-base", entry.value.span, message).help(help);
        let problem = old.iter().fold(problem, |problem, old| problem.label(old.span, "in the base"));
        self.decoder.report(problem);
        old.unwrap_or(entry.value)
    }
}

/// True for two nodes of one meaning, wherever they stand.
fn is_same(left: &Node, right: &Node) -> bool {
    match (&left.data, &right.data) {
        (Data::Number(left), Data::Number(right)) => {
            number(left.as_str()).is_some_and(|left| Some(left) == number(right.as_str()))
        }
        (Data::List(left), Data::List(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Data::Map(left), Data::Map(entries)) => {
            left.len() == entries.len()
                && left.iter().all(|entry| right.get(&entry.key).is_some_and(|value| is_same(&entry.value, value)))
        }
        (left, right) => left == right,
    }
}

fn number(text: &str) -> Option<Decimal> {
    Decimal::parse_json(text).ok()
}

/// True for a list of nothing but these effects.
fn grants_no_more(effects: &Node, granted: &[Effect]) -> bool {
    words(effects).iter().all(|word| granted.iter().any(|effect| effect.name() == *word))
}

/// `destructive: {when: …}`, `terminal: {replyOnly: …}`.
fn is_condition(node: &Node) -> bool {
    matches!(node.data, Data::Map(_))
}

/// `destructive: true`, or a condition.
fn is_ever(node: &Node) -> bool {
    node.data != Data::Bool(false)
}

/// Of two numbers the lower; what a constant or an expression comes to is not known here, so it stays what it is. Another
/// value is left to be refused when it is read.
fn is_lower(new: &Node, old: &Node) -> bool {
    match (&new.data, &old.data) {
        (Data::Number(new), Data::Number(old)) => {
            number(new.as_str()).zip(number(old.as_str())).is_none_or(|(new, old)| new <= old)
        }
        (Data::Text(_), _) | (_, Data::Text(_)) => is_same(new, old),
        _ => true,
    }
}

/// The words of a value that is one text or a list of them.
fn words(node: &Node) -> Vec<&str> {
    match &node.data {
        Data::List(items) => items.iter().filter_map(Node::text).collect(),
        _ => node.text().into_iter().collect(),
    }
}

fn is_empty(node: &Node) -> bool {
    matches!(&node.data, Data::List(items) if items.is_empty())
}

fn has_all(wide: &Node, narrow: &Node) -> bool {
    let canonical = |node| words(node).into_iter().map(crate::tool::canonical_name).collect::<BTreeSet<_>>();
    canonical(narrow).is_subset(&canonical(wide))
}

/// Without a list it is every tool, which only `'*'` says again.
fn widens(old: Option<&Node>, new: &Node) -> bool {
    words(new).contains(&"*") || old.is_some_and(|old| has_all(new, old))
}

/// A word that is none of the list is left to be refused when it is read.
fn is_stronger(old: Option<&Node>, new: &Node, order: &[&str], absent: &str) -> bool {
    let rank = |word: &str| order.iter().position(|known| *known == word);
    let word = |node: &Node| match &node.data {
        Data::Bool(value) => Some(value.to_string()),
        _ => node.text().map(str::to_owned),
    };
    let old = old.and_then(word).unwrap_or_else(|| absent.to_owned());
    let new = word(new).and_then(|word| rank(&word));
    new.is_none_or(|new| rank(&old).is_none_or(|old| new >= old))
}

/// Takes the names of removed tools out of the base's rules, and rules that are then about nothing.
fn remove_tools(base: &mut Node, over: &Node) {
    let Some(Node { data: Data::Map(tools), .. }) = over.get("tools") else { return };
    let removed: Vec<Pattern> =
        tools.iter().filter(|entry| entry.value.data == Data::Null).map(|entry| Pattern::key(&entry.key)).collect();
    if removed.is_empty() {
        return;
    }
    if let Data::Map(entries) = &mut base.data {
        for entry in entries {
            match (&*entry.key, &mut entry.value.data) {
                ("guards", Data::Map(hooks)) => hooks.iter_mut().for_each(|hook| forget(&mut hook.value, &removed)),
                ("flow" | "budgets" | "chains", _) => forget(&mut entry.value, &removed),
                _ => {}
            }
        }
    }
}

fn forget(rules: &mut Node, removed: &[Pattern]) {
    let Data::List(rules) = &mut rules.data else { return };
    rules.retain_mut(|rule| {
        let Data::Map(entries) = &mut rule.data else { return true };
        let mut is_about = true;
        entries.retain_mut(|entry| {
            let selects = matches!(&*entry.key, "tools" | "to" | "except" | "after" | "call");
            let left = !selects || keep_others(&mut entry.value, removed);
            is_about &= left || &*entry.key == "except";
            left
        });
        is_about
    });
}

/// True if something is left of a list of tools.
fn keep_others(names: &mut Node, removed: &[Pattern]) -> bool {
    let is_removed = |node: &Node| node.text().is_some_and(|name| removed.contains(&Pattern::key(name)));
    match &mut names.data {
        Data::List(items) => {
            let before = items.len();
            items.retain(|item| !is_removed(item));
            !items.is_empty() || before == 0
        }
        _ => !is_removed(names),
    }
}

#[cfg(test)]
mod tests;
