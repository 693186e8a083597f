//! `unbounded-text`: a text of any length goes into a tool that writes.

use crate::diagnostic::{Diagnostic, Severity};
use crate::guards::Hook;
use crate::lint::arguments::{self, Bounded};
use crate::lint::{Check, Linted, Rule, about};
use crate::spec::{Action, ToolSpec};
use crate::value::Value;

pub(super) static RULE: Rule = Rule {
    code: "F353",
    name: "unbounded-text",
    severity: Severity::Note,
    docs: r"
## What it does
Finds texts among the arguments of a tool that writes which may be of any length: without `maxLength`, `enum`, `const`,
`format` or a pattern from `^` to `$`, and without a guard that says as much of them.

## Why
What a tool writes is kept, shown and paid for. A model that repeats itself, or copies a document where a word was meant,
fills such an argument, and the host's own limit answers too late and in its own words.

## Example
```yaml
note: {type: string, description: What the courier should know.}
```

## Use instead
```yaml
note: {type: string, maxLength: 200, description: What the courier should know.}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let bounds = |schema: &Value<'_>| {
        schema.get("maxLength").is_some() || schema.get("format").is_some() || arguments::has_form(schema)
    };
    for tool in linted.spec.tools.iter().filter(|tool| arguments::writes(tool)) {
        let Some(schema) = arguments::schema(linted, tool) else { continue };
        let mut paths = arguments::unbounded(&schema, Bounded { ty: "string", bounds });
        paths.retain(|path| !is_guarded(linted, tool, path));
        if !paths.is_empty() {
            let help = if paths.len() == 1 {
                "give it a `maxLength`, a closed `pattern` or an `enum`"
            } else {
                "give each a `maxLength`, a closed `pattern` or an `enum`"
            };
            let message = format!("{} of `{}` may be of any length", arguments::listed(&paths), tool.name.value);
            found.push(RULE.at(tool.name.span, message).help(help));
        }
    }
}

/// True if a guard bounds what stands at a path, or a rewrite puts it there.
pub(super) fn is_guarded(linted: &Linted<'_>, tool: &ToolSpec, path: &str) -> bool {
    const BOUNDING: [&str; 5] = ["argLength", "argOneOf", "argFormat", "argFrom", "valueFromUser"];
    let guards =
        about::guards(linted, tool).filter(|guard| guard.action == Action::Deny && guard.hook == Hook::PreTool);
    let mut guards = guards.filter(|guard| {
        let bounds = guard.kind.is_some_and(|kind| BOUNDING.contains(&kind));
        let parameters = guard.rule.as_ref().filter(|_| bounds).map(|rule| rule.parameters());
        let by_kind = parameters.is_some_and(|with| names(&with, path));
        by_kind || guard.check.as_ref().is_some_and(|check| check.text().contains(&format!("size(args.{path})")))
    });
    guards.next().is_some() || tool.rewrites.iter().any(|rewrite| is_set(rewrite, path))
}

fn is_set(rewrite: &crate::spec::Rewrite, path: &str) -> bool {
    rewrite.arg.text() == path && matches!(rewrite.change, crate::spec::ArgChange::Set(_))
}

/// True if the parameters of a kind name an argument, and say what is enough.
fn names(with: &Value<'_>, path: &str) -> bool {
    let is_it = |value: &Value<'_>| value.as_str() == Some(path);
    let is_named = with.get("arg").is_some_and(is_it) || arguments::list(with, "args").iter().any(is_it);
    let is_lower_bound = with.get("min").is_some() && with.get("max").is_none();
    is_named && !is_lower_bound && with.get("not").is_none()
}
