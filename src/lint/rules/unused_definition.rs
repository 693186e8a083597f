//! `unused-definition`: a shared schema that nothing refers to.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, walk};
use crate::yaml::{Data, Entry, Node};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: "F171",
    name: "unused-definition",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a schema under `$defs` that no `$ref` of a tool, of the world or of another file leads to. One that only unused ones
refer to is unused too. Those of a contract are shared, and are not looked at, nor are
those of a spec that another linted spec extends.

## Why
It looks as if some argument had to fit it. Most often a tool still has a looser schema of its own.

## Example
```yaml
$defs: {ticket: {type: string, pattern: '^T-[0-9]+$'}}
id: {type: string}
```

## Use instead
```yaml
$defs: {ticket: {type: string, pattern: '^T-[0-9]+$'}}
id: {$ref: '#/$defs/ticket'}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let Some(Node { data: Data::Map(definitions), .. }) = linted.node(&["$defs"]) else { return };
    let mut used = BTreeSet::new();
    for tree in linted.trees() {
        match &tree.data {
            Data::Map(entries) if linted.is_own(tree.span) => {
                let outside = entries.iter().filter(|entry| &*entry.key != "$defs");
                outside.for_each(|entry| referred(&entry.value, &mut used));
            }
            _ => referred(tree, &mut used),
        }
    }
    follow(definitions, &mut used);
    for unused in definitions.iter().filter(|entry| !used.contains(&*entry.key) && !is_named_otherwise(&entry.value)) {
        let problem = RULE.at(unused.key_span, format!("nothing refers to the schema `{}`", unused.key));
        found.push(problem.help(format!("refer to it with `$ref: '#/$defs/{}'`, or take it out", unused.key)));
    }
}

/// Adds the names that references lead to.
fn referred(node: &Node, names: &mut BTreeSet<String>) {
    walk::under(node, "$ref", &mut |reference| {
        let behind = reference.text().and_then(|text| text.split_once("/$defs/"));
        let name = behind.and_then(|(_, behind)| behind.split('/').next());
        names.extend(name.map(|name| name.replace("~1", "/").replace("~0", "~")));
    });
}

/// Adds what the used ones refer to themselves.
fn follow(definitions: &[Entry], used: &mut BTreeSet<String>) {
    loop {
        let before = used.len();
        let mut more = BTreeSet::new();
        let reached = definitions.iter().filter(|entry| used.contains(&*entry.key));
        reached.for_each(|entry| referred(&entry.value, &mut more));
        used.extend(more);
        if used.len() == before {
            return;
        }
    }
}

/// True for a schema that has a name of its own, by which others may refer to it.
fn is_named_otherwise(schema: &Node) -> bool {
    ["$id", "$anchor", "$dynamicAnchor"].iter().any(|key| schema.get(key).is_some())
}
