//! `unused-pack`: a pack of which no guard has a kind.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, walk};
use crate::yaml::{Data, Node};

pub(super) static RULE: Rule = Rule {
    code: "F172",
    name: "unused-pack",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a pack under `packs` of which no guard has a kind. Those of a spec that another linted spec extends are not looked at.

## Why
A pack guards nothing by being named: each of its kinds has to stand on a guard. Who reads the spec takes its rules for
enforced.

## Example
```yaml
packs: {money: ../../guards/money.yaml}
kind: argRange
```

## Use instead
```yaml
packs: {money: ../../guards/money.yaml}
kind: money/cap
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let Some(Node { data: Data::Map(packs), .. }) = linted.node(&["packs"]) else { return };
    let mut named = Vec::new();
    for tree in linted.trees() {
        walk::under(tree, "kind", &mut |kind| {
            named.extend(kind.text().and_then(|kind| kind.split_once('/')).map(|(pack, _)| pack));
        });
    }
    for pack in packs.iter().filter(|pack| !named.contains(&&*pack.key)) {
        let problem = RULE.at(pack.key_span, format!("no guard has a kind of the pack `{}`", pack.key));
        found.push(problem.help(format!("write `kind: {}/NAME` on a guard, or take the pack out", pack.key)));
    }
}
