//! `keyed-to-intent`: a rule that depends on what a message was taken to mean.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::ReadPath;
use crate::lint::{Check, Linted, Rule, expressions};
use crate::spec::Spec;

pub(super) static RULE: Rule = Rule {
    code: "F850",
    name: "keyed-to-intent",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds an expression that reads from the world or the session what a message was taken to mean, or the message itself: a
member named `intent`, `userIntent`, `utterance`, `userMessage`, `userText` or `lastMessage`, in any spelling of case, also
through a `let`. A value that a text only shows is not looked at, and neither is a member that says something else of it, such
as `lastMessage.at`.

## Why
Whoever reads a message to choose which rules hold can be talked out of them: the same request in other words, or in
another language, meets other rules. A rule is about the call that is proposed, the state it meets, and what was done
before. Whether the user typed a value is asked with `saidByUser`, which no wording changes.

## Example
```yaml
when: world.chat.user_intent == 'return'
```

## Use instead
```yaml
when: world.cases[args.case_id].status == 'open'
```
",
    check: Check::Spec(check),
};

/// Names of what a message was taken to mean, small and without marks between words.
const READINGS: [&str; 7] =
    ["intent", "userintent", "utterance", "usermessage", "usertext", "lastmessage", "lastusermessage"];

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for expression in expressions::all(linted) {
        let paths = expression.read_paths();
        for path in &paths {
            let Some(name) = path.steps.last().filter(|name| is_reading(name)) else { continue };
            let mut members = paths.iter().filter_map(|longer| member(path, longer)).peekable();
            if members.peek().is_some() && !members.any(says_it) {
                continue;
            }
            if is_of_host(linted.spec, path) {
                let message = format!("a rule reads `{name}`: a message, or what one was taken to mean");
                let help = "ask about the call, the state it meets, or what was done; `saidByUser(args.x)` asks what was typed";
                found.push(RULE.at(path.span, message).help(help));
            }
        }
    }
}

/// The member of one path that another goes on to.
fn member<'p>(path: &ReadPath, longer: &'p ReadPath) -> Option<&'p str> {
    let behind = longer.steps.strip_prefix(path.steps.as_slice()).filter(|_| longer.root == path.root)?;
    behind.first().map(String::as_str)
}

/// True for a member that says what was written or meant, not when or by whom.
fn says_it(member: &str) -> bool {
    const SAYING: [&str; 11] =
        ["[]", "body", "category", "class", "confidence", "content", "label", "name", "score", "text", "value"];
    SAYING.contains(&member)
}

fn is_reading(name: &str) -> bool {
    let bare: String = name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    READINGS.contains(&bare.as_str())
}

/// True for what the host says of the world or the session, itself or through lets.
fn is_of_host(spec: &Spec, path: &ReadPath) -> bool {
    let mut root = path.root.clone();
    // A let reads only those before it, so no way through them is longer than there are lets.
    for _ in 0..=spec.lets.len() {
        if root == "world" || root == "session" {
            return true;
        }
        let Some(through) = expressions::named(spec, &root).and_then(|named| named.value.path()) else { return false };
        root = through.root;
    }
    false
}
