//! `always-fires`: a guard that every call it applies to breaks.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::rules::proved::{Bound, bound};
use crate::lint::{Check, Linted, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F441",
    name: "always-fires",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard on calls that fires on every call it applies to, although it has a check or a kind that could pass: the
schema of its tool lets no call through that would. Of a guard that has only a `when` it finds that every call meets it. It is proved as [never-fires](#never-fires) is, and names a call.

## Why
The tool is switched off, and neither the author nor the model is told so: the model gets a correction that asks for
something it cannot send. A tool that is to be off is better left out, or forbidden in so many words.

## Example
```yaml
amount: {type: number, minimum: 100}
- {id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 50}}
```

## Use instead
```yaml
amount: {type: number, minimum: 1}
- {id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 50}}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for Bound { guard, on } in bound(linted) {
        let passes = |(_, calls, opinion): &(_, &crate::proof::Calls, &crate::proof::Opinion)| {
            // One without a check fires wherever it applies, and is meant to; not if that is everywhere although it has a `when`.
            let spared =
                if opinion.is_bare { opinion.fires.not() } else { opinion.applies.clone().and(opinion.fires.not()) };
            opinion.is_bare && guard.when.is_none() || !calls.is_impossible(&[&spared])
        };
        let first = on.iter().find(|(_, calls, opinion)| !calls.is_impossible(&[&opinion.fires]));
        let Some((tool, calls, opinion)) = first.filter(|_| !on.iter().any(passes)) else { continue };
        let example = calls.example(tool, &[&opinion.fires]);
        let such = example.map(|call| format!(", such as {call}")).unwrap_or_default();
        let message = format!("`{}` fires on every call it applies to{such}", guard.id.value);
        let problem = if linted.is_own(guard.id.span) {
            RULE.at(guard.id.span, message)
        } else {
            // What is shared may be right for the tools of others.
            let written = linted.spec.tools.iter().find(|written| written.name.value == tool.name);
            let at = written.map_or(guard.id.span, |written| written.name.span);
            RULE.at(at, message).label(guard.id.span, "this guard fires")
        };
        found.push(
            problem.help("mend its condition or the schema; to switch a tool off take it out, or write `kind: forbid`"),
        );
    }
}
