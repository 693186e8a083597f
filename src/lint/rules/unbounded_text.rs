//! `unbounded-text`: a text of any length goes into a tool that writes.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::arguments::{self, Bounded};
use crate::lint::bounds::Bounds;
use crate::lint::{Check, Linted, Rule};
use crate::value::Value;

pub(super) static RULE: Rule = Rule {
    code: "F353",
    name: "unbounded-text",
    severity: Severity::Note,
    docs: r"
## What it does
Finds texts among the arguments of a tool that writes which may be of any length: without `maxLength`, `enum`, `const`,
`format` or a pattern from `^` to `$`, and without a guard that denies and says as much of them: a kind, or a check that asks
for their `size`, matches them, or looks them up. What `same` of a flow edge ties to an earlier call is bounded too.

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
        let bounds = Bounds::of(linted, tool);
        paths.retain(|path| !bounds.are_about(path));
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
