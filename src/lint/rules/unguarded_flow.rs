//! `unguarded-flow`: what outsiders wrote can leave through a tool that nobody watches for it.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Expression;
use crate::lint::arguments::{self, Bounded};
use crate::lint::bounds::Bounds;
use crate::lint::{Check, Linted, Rule, about, expressions};
use crate::source::Span;
use crate::spec::ToolSpec;
use crate::tool::Effect;
use crate::value::Value;

pub(super) static RULE: Rule = Rule {
    code: "F852",
    name: "unguarded-flow",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a tool with the effect `external` that takes free text (no `enum`, `const`, closed `pattern` or format), where the
results of another tool or a part of the world are untrusted, and no rule about that tool asks where the text comes from: no
guard of kind `argFrom`, `argNotFrom`, `valueFromUser`, `contentFrom`, `afterUntrusted`, `trifecta` or `noSecretsOut`, no
`saidByUser` in a check, and nobody who is asked. A text of which a guard that denies says what it may be is not free: it is
one of a list, it is looked up, it ends in a domain of your own, or a flow edge ties it to an earlier call. Results of a server's tools are untrusted unless the spec says otherwise.

## Why
A model follows instructions wherever it reads them. One in a mail or on a web page tells it to send what it knows to
somebody else, and a tool whose text nobody checks is how that is done.

## Example
```yaml
send_sms: {effect: external, description: Send a text message., parameters: {$ref: '#/$defs/message'}}
```

## Use instead
```yaml
- {id: only-typed, tools: [send_sms], kind: valueFromUser, with: {arg: text}}
```
",
    check: Check::Spec(check),
};

const KINDS: [&str; 7] =
    ["argFrom", "argNotFrom", "valueFromUser", "contentFrom", "afterUntrusted", "trifecta", "noSecretsOut"];

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for tool in linted.spec.tools.iter().filter(|tool| tool.effect == Effect::External) {
        let Some(schema) = arguments::schema(linted, tool) else { continue };
        let mut free = arguments::unbounded(&schema, Bounded { ty: "string", bounds: leaves_no_room });
        let bounds = Bounds::of(linted, tool);
        free.retain(|path| !bounds.are_pinning(path));
        let Some((place, source)) = untrusted_beside(linted, tool).filter(|_| !free.is_empty()) else { continue };
        if !is_watched(linted, tool) {
            let (name, free) = (&tool.name.value, arguments::listed(&free));
            let message = format!("`{name}` takes free text in {free}, and no guard asks whether an outsider wrote it");
            let help =
                "write a guard of kind `argFrom`, `argNotFrom`, `contentFrom` or `noSecretsOut` about it, or ask";
            found.push(RULE.at(tool.name.span, message).label(place, source).help(help));
        }
    }
}

/// True for a text whose form leaves no room for words: one of any characters has no such form.
fn leaves_no_room(schema: &Value<'_>) -> bool {
    let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
    arguments::has_form(schema) && !pattern.trim_start_matches('^').starts_with('.')
}

/// Where outsiders' text comes from, besides the tool itself.
fn untrusted_beside<'l>(linted: &Linted<'l>, tool: &ToolSpec) -> Option<(Span, &'l str)> {
    let others = linted.spec.tools.iter().filter(|other| other.name != tool.name && !other.untrusted.is_empty());
    let mut readable = others.filter(|other| about::barred(linted, other).is_none());
    let of_tool = readable.next().map(|other| (other.name.span, "outsiders write what this returns"));
    let of_world = || linted.spec.untrusted_world.first().map(|path| (path.span, "outsiders write what stands here"));
    of_tool.or_else(of_world)
}

fn is_watched(linted: &Linted<'_>, tool: &ToolSpec) -> bool {
    let asks_user = |expression: &Expression| {
        let all = expressions::with_lets(linted.spec, expression);
        all.iter().any(|expression| expression.calls("saidByUser"))
    };
    about::is_asked_about(linted, tool)
        || about::barred(linted, tool).is_some()
        || about::guards(linted, tool).any(|guard| {
            let by_kind = guard.kind.is_some_and(|kind| KINDS.contains(&kind));
            by_kind || expressions::of_guard(linted, guard).iter().any(asks_user)
        })
}
