//! `duplicate-guard`: two guards that judge the same.

use crate::canon;
use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};
use crate::spec::{Action, Each, GuardSpec};
use crate::tool::{Effect, Pattern, Selector};
use std::collections::BTreeMap;

pub(super) static RULE: Rule = Rule {
    code: "F470",
    name: "duplicate-guard",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard that judges what an earlier one of the same hook judges: the same tools, the same conditions, the same check or
kind with the same parameters, the same action. Only their ids and their words differ.

## Why
Both always fire together, so the model is corrected twice for one mistake. Most often one of them was copied and was to
say something else.

## Example
```yaml
- id: small
  check: args.amount <= 500
- id: also-small
  check: args.amount <= 500
```

## Use instead
```yaml
- id: small
  check: args.amount <= 500
- id: also-small
  check: args.amount > 0
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let mut known: BTreeMap<Meaning, &GuardSpec> = BTreeMap::new();
    // What a lift without a condition repeats is told as a lift of nothing.
    let lifts_all = |guard: &GuardSpec| guard.action == Action::Allow && guard.when.is_none();
    for guard in linted.spec.guards.iter().filter(|guard| !lifts_all(guard)) {
        match known.entry(meaning(guard)) {
            std::collections::btree_map::Entry::Vacant(place) => _ = place.insert(guard),
            std::collections::btree_map::Entry::Occupied(first) => {
                let first = first.get();
                let message = format!("`{}` judges what `{}` judges", guard.id.value, first.id.value);
                let problem = RULE.at(guard.id.span, message).label(first.id.span, "the first of the two");
                found.push(problem.help("take one of them out, or let it say what it was to say"));
            }
        }
    }
}

/// True if one guard judges what another judges.
pub(super) fn is_copy(one: &GuardSpec, other: &GuardSpec) -> bool {
    meaning(one) == meaning(other)
}

/// Everything of a guard but its id and its words.
type Meaning = (String, Vec<Option<String>>, (Vec<String>, Vec<String>, Vec<Effect>));

fn meaning(guard: &GuardSpec) -> Meaning {
    let parameters = guard.rule.as_ref().map(|rule| canon::to_text(&rule.parameters()));
    let conditions = [&guard.when, &guard.check].map(|one| one.as_ref().map(|one| one.text()));
    let redact = guard.redact.iter().map(|(path, with)| format!("{}: {}", path.value, with.text())).collect::<Vec<_>>();
    let flags = format!("{:?}", (guard.hook, guard.action, guard.by, guard.interim, guard.missing, guard.on_failure));
    let texts = conditions.into_iter().chain([
        guard.each.as_ref().map(Each::text),
        guard.kind.map(str::to_owned),
        parameters,
        Some(redact.join(", ")),
    ]);
    (flags, texts.collect(), selected(&guard.selection.selector))
}

/// A selector, however its patterns are arranged.
fn selected(selector: &Selector) -> (Vec<String>, Vec<String>, Vec<Effect>) {
    let sorted = |patterns: &[Pattern]| {
        let mut texts: Vec<String> = patterns.iter().map(|pattern| pattern.text().to_owned()).collect();
        texts.sort();
        texts
    };
    let mut effects = selector.effects.clone();
    effects.sort();
    (sorted(&selector.tools), sorted(&selector.except), effects)
}
