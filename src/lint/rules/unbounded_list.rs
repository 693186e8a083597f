//! `unbounded-list`: a list of any length goes into a tool that writes.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::arguments::{self, Bounded};
use crate::lint::bounds::Bounds;
use crate::lint::{Check, Linted, Rule};
use crate::value::Value;

pub(super) static RULE: Rule = Rule {
    code: "F354",
    name: "unbounded-list",
    severity: Severity::Note,
    docs: r"
## What it does
Finds lists among the arguments of a tool that writes which may have any number of items: without `maxItems`, `enum` or
`const`, and without a guard that says as much of them, as [unbounded-text](#unbounded-text) does.

## Why
One call with a thousand items is one call to every budget that counts calls, and a guard with `forEach` or a macro over the
list runs out of its steps, which denies the call for a reason that nobody can act on.

## Example
```yaml
articles: {type: array, items: {type: string, maxLength: 40}}
```

## Use instead
```yaml
articles: {type: array, maxItems: 20, items: {type: string, maxLength: 40}}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let bounds = |schema: &Value<'_>| schema.get("maxItems").is_some();
    for tool in linted.spec.tools.iter().filter(|tool| arguments::writes(tool)) {
        let Some(schema) = arguments::schema(linted, tool) else { continue };
        let mut paths = arguments::unbounded(&schema, Bounded { ty: "array", bounds });
        let bounds = Bounds::of(linted, tool);
        paths.retain(|path| !bounds.are_about(path));
        if !paths.is_empty() {
            let help = if paths.len() == 1 { "give it a `maxItems`" } else { "give each a `maxItems`" };
            let message =
                format!("{} of `{}` may have any number of items", arguments::listed(&paths), tool.name.value);
            found.push(RULE.at(tool.name.span, message).help(help));
        }
    }
}
