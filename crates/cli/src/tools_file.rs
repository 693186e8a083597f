//! A file of tools as a model's interface or a server lists them, read as tools of a spec.
//!
//! Three shapes are known: OpenAI's (`{"type": "function", "function": {…}}`, or the same without the inner object),
//! Anthropic's (`input_schema`) and MCP's (`inputSchema`, `annotations`). What a tool does to the world is the strictest
//! that nothing speaks against, and says where it comes from, so that somebody looks at it.

mod adapt;

use crate::report::plain;
use flyball::json::{Limits, parse};
use flyball::value::{Object, Value};
use std::collections::BTreeSet;

/// First words of names that only look.
const LOOKING: &[&str] = &[
    "check", "count", "describe", "fetch", "find", "get", "list", "lookup", "query", "read", "search", "show", "view",
];

/// Words of names that take something away for good.
const DESTROYING: &[&str] = &["delete", "destroy", "drop", "erase", "purge", "remove", "revoke", "terminate", "wipe"];

/// Words of names that do something, wherever they stand.
const ACTING: &[&str] = &[
    "accept", "activate", "add", "approve", "archive", "assign", "buy", "cancel", "change", "clear", "close", "create",
    "disable", "edit", "enable", "execute", "insert", "invite", "make", "merge", "modify", "move", "pay", "post",
    "publish", "put", "register", "reject", "rename", "replace", "reserve", "reset", "restart", "run", "save",
    "schedule", "sell", "send", "set", "start", "stop", "store", "submit", "sync", "transfer", "trigger", "update",
    "upload", "upsert", "write",
];

/// Words between two things that a tool does.
const BETWEEN: &[&str] = &["and", "or", "then"];

pub(crate) use adapt::problem_of;

/// The tools of a file as the entries of `tools` in a spec.
#[derive(Debug)]
pub(crate) struct Tools {
    /// Indented by two spaces, with a comment behind each effect.
    pub(crate) yaml: String,
    /// The effects among them that are more than a look.
    pub(crate) acts: BTreeSet<&'static str>,
    /// How many tools cannot stand in a spec.
    pub(crate) left_out: usize,
}

/// What a tool does, and why that is thought.
struct Effect {
    word: &'static str,
    why: &'static str,
    is_destructive: bool,
}

impl Tools {
    /// Reads a file of tools; an error says what is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Tools, String> {
        let file = parse(bytes, &Limits::default()).map_err(|error| format!("it is no JSON: {error}"))?;
        let listed = [Some(&file), file.get("tools"), file.get("result").and_then(|result| result.get("tools"))];
        let tools = listed.into_iter().flatten().find_map(Value::as_array);
        let tools = tools.ok_or("it is neither a list of tools nor an object with `tools`")?;
        let (mut yaml, mut names, mut acts) = (String::new(), Vec::new(), BTreeSet::new());
        let mut kept = 0_usize;
        for (number, tool) in (1_usize..).zip(tools) {
            let function = tool.get("function").unwrap_or(tool);
            let name = function.get("name").and_then(Value::as_str);
            let name = name.ok_or_else(|| format!("tool {number} of {} has no `name`", tools.len()))?;
            if names.contains(&name) {
                return Err(format!("two tools have the name `{name}`"));
            }
            let is_spelt_twice = names.iter().any(|earlier| whole(earlier) == whole(name));
            names.push(name);
            if is_spelt_twice {
                yaml.push_str(&format!(
                    "  # review: the tool `{}` is left out: it is another spelling of one above\n",
                    plain(name)
                ));
                continue;
            }
            let effect = effect(name, function.get("annotations"));
            match adapt::entry(name, entry(function, &effect), &effect) {
                Ok(entry) => {
                    if effect.word != "read" {
                        acts.insert(effect.word);
                    }
                    yaml.push_str(&entry);
                    kept = kept.saturating_add(1);
                }
                Err(problem) => {
                    yaml.push_str(&format!(
                        "  # review: the tool `{}` is left out: {}\n",
                        plain(name),
                        plain(&problem)
                    ));
                }
            }
        }
        match (names.len(), kept) {
            (0, _) => Err("it has no tools".to_owned()),
            (_, 0) => Err(format!("none of its tools can stand in a spec\n{}", yaml.trim_end())),
            _ => Ok(Tools { yaml, acts, left_out: names.len().saturating_sub(kept) }),
        }
    }
}

/// A name as a spec spells it: `mcp__server__tool` is `server/tool`.
fn whole(name: &str) -> String {
    let parts = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"));
    parts.map_or_else(|| name.to_owned(), |(server, tool)| format!("{server}/{tool}"))
}

/// What a file says of a tool, under the keys of a spec.
fn entry(function: &Value<'_>, effect: &Effect) -> Object<'static> {
    let schema = |keys: &[&str]| keys.iter().find_map(|key| function.get(key)).filter(|schema| !schema.is_null());
    let described = function.get("description").and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let tool = Object::of_some([
        ("description", described.map(|text| Value::from(text.to_owned()))),
        ("destructive", effect.is_destructive.then_some(Value::Bool(true))),
        ("effect", Some(Value::from(effect.word))),
        ("parameters", schema(&["parameters", "input_schema", "inputSchema"]).map(Value::to_owned_value)),
        ("returns", schema(&["outputSchema"]).map(Value::to_owned_value)),
    ]);
    tool.into_owned()
}

fn effect(name: &str, annotations: Option<&Value<'_>>) -> Effect {
    let hint = |key: &str| annotations.and_then(|annotations| annotations.get(key)).and_then(Value::as_bool);
    let words = words(name);
    let is_look = words.first().is_some_and(|word| LOOKING.contains(&word.as_str()));
    let rest = words.iter().skip(1);
    let is_look =
        is_look && !rest.clone().any(|word| ACTING.contains(&word.as_str()) || BETWEEN.contains(&word.as_str()));
    let destroys = words.iter().any(|word| DESTROYING.contains(&word.as_str()));
    let told = |word, why| Effect { word, why, is_destructive: hint("destructiveHint").unwrap_or(destroys) };
    match (hint("readOnlyHint"), hint("destructiveHint")) {
        (Some(true), _) => Effect { word: "read", why: "it is annotated as read-only", is_destructive: false },
        (_, Some(true)) => told("external", "it is annotated as destructive"),
        (None, None) if is_look && !destroys => told("read", "its name says that it looks"),
        (None, None) if destroys => told("external", "its name says that it takes something away"),
        _ if hint("openWorldHint") == Some(false) => told("write", "it is annotated as no open world"),
        _ => told("external", "the strictest, as nothing says what it does"),
    }
}

/// The words of a name in any of the common spellings, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        let begins = !character.is_alphanumeric() || (character.is_uppercase() && was_lower);
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_come_from_annotations_then_from_names_and_are_strict_otherwise() {
        let effect_of = |name: &str, annotations: &str| {
            let annotations = parse(annotations.as_bytes(), &Limits::default()).unwrap();
            let effect = effect(name, Some(&annotations));
            (effect.word, effect.is_destructive)
        };
        for (name, annotations, wanted) in [
            ("get_note", "{}", ("read", false)),
            ("listNotes", "{}", ("read", false)),
            ("get_and_delete", "{}", ("external", true)),
            ("searchAndBuy", "{}", ("external", false)),
            ("find_or_create", "{}", ("external", false)),
            ("getOrCreateNote", "{}", ("external", false)),
            ("check_update", "{}", ("external", false)),
            ("find_rooms", "{}", ("read", false)),
            ("getaway", "{}", ("external", false)),
            ("send_note", "{}", ("external", false)),
            ("removeNote", "{}", ("external", true)),
            ("removeNote", r#"{"destructiveHint": false}"#, ("external", false)),
            ("send_note", r#"{"readOnlyHint": true}"#, ("read", false)),
            ("get_note", r#"{"readOnlyHint": false}"#, ("external", false)),
            ("put_note", r#"{"destructiveHint": false, "openWorldHint": false}"#, ("write", false)),
            ("put_note", r#"{"destructiveHint": true, "openWorldHint": false}"#, ("external", true)),
        ] {
            assert_eq!(effect_of(name, annotations), wanted, "{name} {annotations}");
        }
    }

    #[test]
    fn what_is_no_file_of_tools_is_refused() {
        for (text, told) in [
            ("{", "it is no JSON"),
            ("{\"a\": 1}", "neither a list of tools nor an object"),
            ("[]", "it has no tools"),
            ("[{\"type\": \"function\"}]", "tool 1 of 1 has no `name`"),
            ("[{\"name\": \"a\"}, {\"name\": \"a\"}]", "two tools have the name `a`"),
        ] {
            let error = Tools::read(text.as_bytes()).unwrap_err();
            assert!(error.contains(told), "{error}");
        }
    }
}
