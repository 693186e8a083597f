//! What two versions say that is no matter of which calls run: it is named where it differs, and not compared.

use crate::spec::Spec;
use crate::value::Value;

/// Keys of a spec that only words depend on, or that are compared as calls.
const COMPARED: &[&str] = &[
    "agentspec",
    "approvals",
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

/// A line for everything else that differs.
pub(super) fn not_compared(old: &Spec, new: &Spec) -> Vec<String> {
    let (old, new) = (old.effective(), new.effective());
    let mut lines = Vec::new();
    differing(&old, &new, "", COMPARED, &mut lines);
    if let (Some(old), Some(new)) = (old.get("contract"), new.get("contract")) {
        differing(old, new, "contract.", COMPARED, &mut lines);
    }
    lines
}

fn differing(old: &Value<'_>, new: &Value<'_>, whose: &str, compared: &[&str], lines: &mut Vec<String>) {
    for key in keys(old, new).into_iter().filter(|key| !compared.contains(&key.as_str())) {
        let (one, two) = (old.get(&key), new.get(&key));
        match key.as_str() {
            _ if one == two => {}
            "guards" => {
                for hook in ["onInput", "postTool", "onReply"] {
                    let of = |value: Option<&Value<'_>>| {
                        value.and_then(|guards| guards.get(hook).map(Value::to_owned_value))
                    };
                    if of(one) != of(two) {
                        lines.push(format!("`{whose}guards.{hook}` differs, and only calls are compared"));
                    }
                }
            }
            "tools" => {
                if let (Some(one), Some(two)) = (one, two) {
                    of_tools(one, two, lines);
                }
            }
            _ => lines.push(format!("`{whose}{key}` differs, and is not compared")),
        }
    }
}

fn of_tools(old: &Value<'_>, new: &Value<'_>, lines: &mut Vec<String>) {
    for name in keys(old, new) {
        let (Some(one), Some(two)) = (old.get(&name), new.get(&name)) else { continue };
        let rest = keys(one, two).into_iter().filter(|key| !COMPARED_OF_TOOL.contains(&key.as_str()));
        let differ = rest.filter(|key| one.get(key) != two.get(key));
        lines.extend(differ.map(|key| format!("`{key}` of `{name}` differs, and is not compared")));
    }
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
