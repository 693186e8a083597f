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
`additionalProperties: true`, or one without `properties`. A branch of `anyOf` and its like is open only where what stands
around it names no members. Read tools are not looked at, and neither is a tool without `parameters`, nor what a glob says of
the arguments of all its tools.

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
        let mut open = Open::default();
        open.walk(&schema, &[], Around::Open);
        // The arguments of a family are as different as its tools.
        if !tool.name.value.is_exact() {
            open.paths.retain(|path| !path.is_empty());
        }
        let what = match open.paths.as_slice() {
            [] => continue,
            [whole, ..] if whole.is_empty() => format!("the arguments of `{}` take", tool.name.value),
            [_] => format!("{} of `{}` takes", arguments::listed(&open.paths), tool.name.value),
            _ => format!("{} of `{}` take", arguments::listed(&open.paths), tool.name.value),
        };
        let problem = RULE.at(tool.name.span, format!("{what} members that no schema names, so no guard sees them"));
        let help = if open.says_so {
            "name them under `properties`, and take `additionalProperties` out"
        } else {
            "name them under `properties`; `properties: {}` says that there are none"
        };
        found.push(problem.help(help));
    }
}

/// The places that take any member.
#[derive(Default)]
struct Open {
    paths: Vec<String>,
    /// True if one of them does so by its own words.
    says_so: bool,
}

/// What schemas around say of the same place.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    /// Nothing of its members.
    Open,
    /// There are those that it names, and those that its branches describe.
    Named,
    /// There are those that it names.
    Closed,
}

impl Open {
    fn walk(&mut self, schema: &Value<'_>, steps: &[String], around: Around) {
        let parts = arguments::list(schema, "allOf");
        let around = parts.iter().chain([schema]).fold(around, |around, part| {
            match (around, part.get("additionalProperties")) {
                (_, Some(Value::Bool(false))) | (Around::Closed, _) => Around::Closed,
                (Around::Open, None) if part.get("properties").is_some() => Around::Named,
                (around, _) => around,
            }
        });
        let says_so = match schema.get("additionalProperties") {
            Some(Value::Bool(any)) => *any,
            // What every member must be is said; whether it says anything is looked at there.
            Some(Value::Object(members)) => members.is_empty(),
            _ => false,
        };
        let is_one = schema.get("enum").or_else(|| schema.get("const")).is_some();
        let takes_any =
            says_so && around != Around::Closed || around == Around::Open && is_bare(schema, steps.is_empty());
        let path = arguments::text(steps);
        if takes_any && !is_one && !self.paths.contains(&path) {
            self.paths.push(path);
            self.says_so |= says_so;
        }
        for branch in ["anyOf", "oneOf"].into_iter().flat_map(|key| arguments::list(schema, key)).chain(parts) {
            self.walk(branch, steps, around);
        }
        arguments::inside(schema, steps, |schema, steps| self.walk(schema, steps, Around::Open));
    }
}

/// True for an object of which nothing is said.
fn is_bare(schema: &Value<'_>, is_whole: bool) -> bool {
    const SAYING: [&str; 7] =
        ["additionalProperties", "properties", "patternProperties", "anyOf", "oneOf", "allOf", "unevaluatedProperties"];
    // Arguments are an object, even where their schema does not say so.
    let is_object = schema.get("type").map_or(is_whole, |ty| arguments::has_type(ty, "object"));
    is_object && SAYING.iter().all(|key| schema.get(key).is_none())
}
