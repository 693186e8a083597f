//! `contradicting-guards`: guards that together let no call of a tool through.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::rules::proved::guard_of;
use crate::lint::{Check, Linted, Rule};
use crate::proof::{Calls, Opinion};

pub(super) static RULE: Rule = Rule {
    code: "F443",
    name: "contradicting-guards",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds guards that together deny every call of a tool, while each of them lets some through. It is proved as
[never-fires](#never-fires) is, for the fewest guards that do so, and names a call that the first lets through and another
denies.

## Why
The model is sent in circles: what one correction asks for another one forbids, and every turn ends in refused calls. The
tool is off, and nothing in the spec says so.

## Example
```yaml
- {id: least, tools: [pay], kind: argRange, with: {arg: amount, min: 100}}
- {id: most, tools: [pay], check: args.amount < 100, prose: pay less than a hundred, correction: Pay less than 100.}
```

## Use instead
```yaml
- {id: least, tools: [pay], kind: argRange, with: {arg: amount, min: 10}}
- {id: most, tools: [pay], check: args.amount < 100, prose: pay less than a hundred, correction: Pay less than 100.}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for ((tool, calls), written) in linted.proofs.tools.iter().zip(&linted.spec.tools) {
        let against = contradiction(calls);
        let [first, second, ..] = against.as_slice() else { continue };
        let codes: Vec<String> = against.iter().map(|opinion| format!("`{}`", opinion.code)).collect();
        let message = format!("{} let no call of `{}` through together", crate::text::joined(&codes, "and"), tool.name);
        let example = calls.example(tool, &[&first.denies.not(), &second.denies]);
        let help = "loosen one of them, or narrow with `when` where it applies";
        let help = match example {
            Some(call) => format!("`{}` lets {call} through, and `{}` denies it; {help}", first.code, second.code),
            None => help.to_owned(),
        };
        // What is shared may be right for the tools of others.
        let own = |opinion: &Opinion| guard_of(linted, &opinion.code).filter(|place| linted.is_own(*place));
        let at = own(second).or_else(|| own(first)).unwrap_or(written.name.span);
        let mut problem = RULE.at(at, message).help(help);
        let places = against.iter().filter_map(|opinion| guard_of(linted, &opinion.code));
        for place in places.filter(|place| *place != at) {
            problem = problem.label(place, "together with this guard");
        }
        found.push(problem);
    }
}

/// The fewest guards that deny every call; none where some call passes them all, or one of them alone denies every one.
fn contradiction(calls: &Calls) -> Vec<&Opinion> {
    let mut against: Vec<&Opinion> = calls.opinions.iter().filter(|opinion| !opinion.is_automatic()).collect();
    let passes: Vec<_> = against.iter().map(|opinion| opinion.denies.not()).collect();
    if !calls.is_impossible(&passes.iter().collect::<Vec<_>>()) || calls.is_impossible(&[]) {
        return Vec::new();
    }
    // Those without which there still is none are not part of it.
    let mut at = against.len();
    while at > 0 {
        at = at.saturating_sub(1);
        let mut fewer = against.clone();
        fewer.remove(at);
        let passes: Vec<_> = fewer.iter().map(|opinion| opinion.denies.not()).collect();
        if calls.is_impossible(&passes.iter().collect::<Vec<_>>()) {
            against = fewer;
        }
    }
    against
}
