//! `idle-correction`: a correction that does not say what to do.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Template;
use crate::lint::{Check, Linted, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F475",
    name: "idle-correction",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a correction that is the guard's prose again, or its public reason again, whatever the capitals and signs, and one that
only says no: `Not allowed.`

## Why
The model learns from a correction what to do instead. Where it only hears once more that it may not, it tries the same call
with other words.

## Example
```yaml
prose: never move more than 500
correction: Never move more than 500!
```

## Use instead
```yaml
prose: never move more than 500
correction: Move at most 500, and say that the rest needs a colleague.
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let guards = linted.spec.guards.iter();
    let of_guards = guards.map(|guard| (&guard.id, &guard.correction, &guard.prose, &guard.public_reason));
    let of_edges = linted.spec.flow.iter().map(|edge| (&edge.id, &edge.correction, &None, &None));
    for (id, correction, prose, reason) in of_guards.chain(of_edges) {
        let Some(correction) = correction else { continue };
        let repeats = |text: &Option<Template>| text.as_ref().is_some_and(|text| bare(text) == bare(correction));
        let (message, key) = match (repeats(prose), repeats(reason)) {
            (true, _) => ("says its `prose` again, so it tells the model nothing new", Some("prose")),
            (_, true) => ("says its `publicReason` again, and not what to do instead", Some("publicReason")),
            _ if only_refuses(correction.text()) => ("only says no, and not what to do instead", None),
            _ => continue,
        };
        let at = linted.said(id.span, &["correction"]);
        let problem = RULE.at(at, format!("the correction of `{}` {message}", id.value));
        let problem = problem.help("say what to call, to ask or to tell the user instead");
        found.push(match key.map(|key| linted.said(id.span, &[key])) {
            Some(first) if first != id.span => problem.label(first, "it says so here"),
            _ => problem,
        });
    }
}

/// The letters and digits of a text.
fn bare(text: &Template) -> String {
    text.text().chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Words that say no.
const REFUSALS: &[&str] = &[
    "blocked",
    "cannot",
    "cant",
    "denied",
    "disallowed",
    "error",
    "failed",
    "failure",
    "forbidden",
    "illegal",
    "impossible",
    "invalid",
    "no",
    "not",
    "prohibited",
    "refused",
    "rejected",
    "unauthorised",
    "unauthorized",
];

/// Words that add nothing to them.
const FILLERS: &[&str] = &[
    "a",
    "access",
    "action",
    "allowed",
    "an",
    "and",
    "are",
    "argument",
    "arguments",
    "be",
    "been",
    "can",
    "do",
    "has",
    "have",
    "input",
    "is",
    "it",
    "operation",
    "permission",
    "permitted",
    "possible",
    "request",
    "sorry",
    "that",
    "the",
    "this",
    "to",
    "was",
    "you",
    "your",
];

/// True if a text has a word that says no, and none that says more.
fn only_refuses(text: &str) -> bool {
    let text = text.to_lowercase().replace(['\'', '’'], "");
    let words: Vec<&str> =
        text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.iter().any(|word| REFUSALS.contains(word))
        && words.iter().all(|word| REFUSALS.contains(word) || FILLERS.contains(word))
}
