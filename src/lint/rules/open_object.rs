//! `open-object`: an argument of a tool that writes takes whatever is put into it.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, arguments};
use crate::value::Value;

pub(super) static RULE: Rule = Rule {
    code: "F352",
    name: "open-object",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds an object among the arguments of a tool that writes which takes members that its schema does not name: one with
`additionalProperties: true`, or one without `properties`. Read tools are not looked at, and neither is a tool without
`parameters`.

## Why
No guard sees what stands in such a member, no budget counts it, and nothing but the tool itself checks it. A model that is
told to smuggle something out puts it there.

## Example
```yaml
details: {type: object, additionalProperties: true}
```

## Use instead
```yaml
details: {type: object, properties: {colour: {type: string, maxLength: 40}}}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for tool in linted.spec.tools.iter().filter(|tool| arguments::writes(tool)) {
        let Some(schema) = arguments::schema(linted, tool) else { continue };
        let mut paths: Vec<String> = Vec::new();
        for (steps, schema) in arguments::places(&schema) {
            let path = arguments::text(&steps);
            if is_open(schema, steps.is_empty()) && !paths.contains(&path) {
                paths.push(path);
            }
        }
        let what = match paths.as_slice() {
            [] => continue,
            [whole, ..] if whole.is_empty() => format!("the arguments of `{}` take", tool.name.value),
            [_] => format!("{} of `{}` takes", arguments::listed(&paths), tool.name.value),
            _ => format!("{} of `{}` take", arguments::listed(&paths), tool.name.value),
        };
        let problem = RULE.at(tool.name.span, format!("{what} members that no schema names, so no guard sees them"));
        found.push(problem.help("name them under `properties`, and take `additionalProperties` out"));
    }
}

/// True for an object that takes any member, by its own words or for lack of any.
fn is_open(schema: &Value<'_>, is_whole: bool) -> bool {
    if schema.get("enum").is_some() || schema.get("const").is_some() {
        return false;
    }
    match schema.get("additionalProperties") {
        Some(Value::Bool(true)) => true,
        // What every member must be is said; whether it says anything is looked at there.
        Some(Value::Object(members)) => members.is_empty(),
        Some(_) => false,
        None => {
            // Arguments are an object, even where their schema does not say so.
            let is_object = schema.get("type").map_or(is_whole, |ty| arguments::has_type(ty, "object"));
            let says = ["properties", "patternProperties", "anyOf", "oneOf", "allOf", "unevaluatedProperties"];
            is_object && says.iter().all(|key| schema.get(key).is_none())
        }
    }
}
