//! What two versions say that is no matter of which calls run: it is named where it differs, and not compared.
//!
//! What says the same, but by a let or a constant that is another one, differs too.

use crate::spec::Spec;
use crate::value::{Object, Value};
use std::collections::BTreeSet;

/// Keys of a spec that only words depend on, or that are compared as calls.
const COMPARED: &[&str] = &[
    "agentspec",
    "behavior",
    "budgets",
    "contract",
    "default",
    "facts",
    "flow",
    "grants",
    "id",
    "language",
    "let",
    "mode",
    "params",
    "persona",
    "rules",
    "scope",
    "voice",
    "wording",
];

/// The same of a tool.
const COMPARED_OF_TOOL: &[&str] = &["description", "destructive", "effect", "label", "outcome", "parameters", "scopes"];

/// Keys under which only words stand.
const WORDS: &[&str] = &["correction", "description", "label", "prose", "publicReason", "say"];

/// A line for everything else that differs, and the tools that some are about.
pub(super) fn not_compared(old: &Spec, new: &Spec) -> (Vec<String>, BTreeSet<String>) {
    let (old, new) = (old.effective(), new.effective());
    let mut facts = Facts::of(&old, &new);
    facts.differing(&old, &new, "", COMPARED);
    let none: Value<'static> = Object::new().into();
    let contract = |spec: &'_ Value<'static>| spec.get("contract").unwrap_or(&none).to_owned_value();
    facts.differing(&contract(&old), &contract(&new), "contract.", COMPARED);
    (facts.lines, facts.tools)
}

/// A line for what else differs between a tool of one version and the family that has it in the other.
pub(super) fn not_compared_of_member(old: (&Spec, &str), new: (&Spec, &str), name: &str) -> Vec<String> {
    let mut facts = Facts::of(&old.0.effective(), &new.0.effective());
    let of = |(spec, tool): (&Spec, &str)| {
        spec.effective().get("tools").and_then(|tools| tools.get(tool)).map(Value::to_owned_value)
    };
    if let (Some(one), Some(two)) = (of(old), of(new)) {
        facts.of_tool(&one, &two, name);
    }
    facts.lines
}

struct Facts {
    /// The lets, and the constants after `params.`, that are others than they were.
    renamed: BTreeSet<String>,
    lines: Vec<String>,
    /// The tools that some lines are about.
    tools: BTreeSet<String>,
}

impl Facts {
    fn of(old: &Value<'_>, new: &Value<'_>) -> Facts {
        Facts { renamed: renamed(old, new), lines: Vec::new(), tools: BTreeSet::new() }
    }

    fn differing(&mut self, old: &Value<'_>, new: &Value<'_>, whose: &str, compared: &[&str]) {
        for key in keys(old, new).into_iter().filter(|key| !compared.contains(&key.as_str())) {
            let (one, two) = (old.get(&key), new.get(&key));
            match (key.as_str(), one, two) {
                ("guards", ..) => {
                    for hook in ["onInput", "postTool", "onReply"] {
                        let of = |value: Option<&Value<'_>>| {
                            value.and_then(|guards| guards.get(hook).map(Value::to_owned_value))
                        };
                        if self.differ(of(one).as_ref(), of(two).as_ref()) {
                            self.lines.push(format!("`{whose}guards.{hook}` differs, and only calls are compared"));
                        }
                    }
                }
                ("tools", Some(one), Some(two)) => {
                    for name in keys(one, two) {
                        if let (Some(one), Some(two)) = (one.get(&name), two.get(&name)) {
                            self.of_tool(one, two, &name);
                        }
                    }
                }
                ("approvals", ..) => {
                    let differ = self.differ(answering(one).as_ref(), answering(two).as_ref());
                    let line = format!("`{whose}approvals` differs, and how a question is answered is not compared");
                    self.lines.extend(differ.then_some(line));
                }
                _ if self.differ(one, two) => self.lines.push(format!("`{whose}{key}` differs, and is not compared")),
                _ => {}
            }
        }
    }

    fn of_tool(&mut self, one: &Value<'_>, two: &Value<'_>, name: &str) {
        let before = self.lines.len();
        for key in keys(one, two).into_iter().filter(|key| !COMPARED_OF_TOOL.contains(&key.as_str())) {
            if self.differ(one.get(&key), two.get(&key)) {
                self.lines.push(format!("`{key}` of `{name}` differs, and is not compared"));
            }
        }
        let reads = |tool: &Value<'_>| tool.get("effect").and_then(Value::as_str) == Some("read");
        if reads(one) != reads(two) {
            self.lines.push(format!(
                "`effect` of `{name}` differs, and what its calls make old or let repeat is not compared"
            ));
        }
        if self.lines.len() > before {
            self.tools.insert(name.to_owned());
        }
    }

    /// True if the two are not the same, or read what is not.
    fn differ(&self, one: Option<&Value<'_>>, two: Option<&Value<'_>>) -> bool {
        one != two || two.is_some_and(|two| reads(two, &self.renamed))
    }
}

/// What approvals say of how a question is answered; of which calls one is asked is compared as calls.
fn answering(approvals: Option<&Value<'_>>) -> Option<Value<'static>> {
    let members = approvals?.as_object()?.iter().filter(|(key, _)| *key != "require");
    let mut kept = Object::new();
    for (key, value) in members {
        kept.insert(key.to_owned().into(), value.to_owned_value());
    }
    (!kept.is_empty()).then(|| kept.into())
}

/// The lets and constants that are others, also because of what they read.
fn renamed(old: &Value<'_>, new: &Value<'_>) -> BTreeSet<String> {
    let none: Value<'static> = Object::new().into();
    let part = |spec: &Value<'_>, key: &str| spec.get(key).unwrap_or(&none).to_owned_value();
    let mut renamed = BTreeSet::new();
    let (one, two) = (part(old, "params"), part(new, "params"));
    let params = keys(&one, &two).into_iter().filter(|key| one.get(key) != two.get(key));
    renamed.extend(params.map(|key| format!("params.{key}")));
    let (one, two) = (part(old, "let"), part(new, "let"));
    // A let reads those before it only, so this ends as soon as nothing is added.
    loop {
        let known = renamed.len();
        for key in keys(&one, &two) {
            if one.get(&key).map(meant) != two.get(&key).map(meant)
                || two.get(&key).is_some_and(|value| reads(value, &renamed))
            {
                renamed.insert(key);
            }
        }
        if renamed.len() == known {
            return renamed;
        }
    }
}

/// What a let computes, and whether it says what to do where that is missing; with which words does not matter.
fn meant<'v>(one: &'v Value<'v>) -> (&'v Value<'v>, bool) {
    (one.get("value").unwrap_or(one), one.get("missing").is_some())
}

/// True if an expression in a value names one of some lets and constants.
fn reads(value: &Value<'_>, names: &BTreeSet<String>) -> bool {
    match value {
        Value::String(text) => names.iter().any(|name| is_named(text, name)),
        Value::Array(items) => items.iter().any(|item| reads(item, names)),
        Value::Object(members) => members.iter().any(|(key, member)| !WORDS.contains(&key) && reads(member, names)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// True if a name stands in a text as a whole.
fn is_named(text: &str, name: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at.saturating_add(name.len())..).and_then(|after| after.chars().next());
        !before.is_some_and(|one| is_part(one) || one == '.') && !after.is_some_and(is_part)
    })
}

/// The keys of two objects, each once, sorted.
fn keys(old: &Value<'_>, new: &Value<'_>) -> Vec<String> {
    let of = |value: &Value<'_>| {
        let members = value.as_object().into_iter().flat_map(|object| object.iter());
        members.map(|(key, _)| key.to_owned()).collect::<Vec<_>>()
    };
    let mut keys = [of(old), of(new)].concat();
    keys.sort();
    keys.dedup();
    keys
}
