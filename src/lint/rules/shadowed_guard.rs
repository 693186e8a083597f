//! `shadowed-guard`: a guard that stands only against calls that another one denies anyway.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::rules::duplicate_guard;
use crate::lint::rules::proved::{Bound, bound, guard_of};
use crate::lint::{Check, Linted, Rule};
use crate::proof::{Calls, Opinion};
use crate::spec::Action;

pub(super) static RULE: Rule = Rule {
    code: "F442",
    name: "shadowed-guard",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard that denies or asks only where another guard denies: one that comes before it, so that the other's correction
is what the model is shown, or for a guard that asks one anywhere, since a deny rules out the question. It is proved as
[never-fires](#never-fires) is, for every tool that the guard is about, and names a call that both stand against. A guard that
denies every call of a tool switches it off, and hides nothing; one that says the same as another is
[duplicate-guard](#duplicate-guard).

## Why
Nobody will ever see its correction or its question, so changing it changes nothing. Of two bounds on one value the
stricter one holds, and a reader who finds the other first believes that one. A narrower rule that has words of its own
belongs before the wider one; then both have their say, and this rule is quiet.

## Example
```yaml
- {id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 500}}
- {id: large, tools: [pay], kind: argRange, with: {arg: amount, max: 900}}
```

## Use instead
```yaml
- {id: large, tools: [pay], kind: argRange, with: {arg: amount, max: 900}}
- {id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 500}}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    // What a contract or a base guards others may need.
    for Bound { guard, on } in bound(linted).filter(|bound| linted.is_own(bound.guard.id.span)) {
        let Some((tool, calls, opinion)) = on.first() else { continue };
        let opposes = opinion.opposes();
        if calls.is_impossible(&[&opposes]) {
            continue;
        }
        let guards = &linted.spec.guards;
        let is_copy = |other: &Opinion| {
            guards.iter().any(|one| *one.id.value == *other.code && duplicate_guard::is_copy(one, guard))
        };
        let by = calls.opinions.iter().filter(|other| !is_copy(other)).find(|other| {
            let is_of_all = |(_, calls, opinion): &(_, &Calls, &Opinion)| {
                let same = calls.opinions.iter().find(|one| one.code == other.code);
                same.is_some_and(|other| hides(calls, other, opinion, guard.action))
            };
            on.iter().all(is_of_all)
        });
        let Some(by) = by else { continue };
        let example = calls.example(tool, &[&opposes]);
        let such = example.map(|call| format!(", as it does of {call}")).unwrap_or_default();
        let message =
            format!("`{}` is shadowed: `{}` denies every call that it stands against{such}", guard.id.value, by.code);
        let problem = RULE.at(guard.id.span, message);
        let problem = match guard_of(linted, &by.code) {
            Some(place) => problem.label(place, "this guard denies them all"),
            None => problem,
        };
        found.push(problem.help(match guard.action {
            Action::Ask => "take it out, or let the other deny less: nobody is asked about a call that is denied",
            _ => "take it out, or let it stand before the other with words of its own",
        }));
    }
}

/// True if a guard denies wherever another opposes, and is the one that is shown.
fn hides(calls: &Calls, by: &Opinion, opinion: &Opinion, action: Action) -> bool {
    let place = |code| calls.opinions.iter().position(|one| one.code == code);
    let is_before = place(by.code.clone()) < place(opinion.code.clone()) || action == Action::Ask;
    let opposes = opinion.opposes();
    by.code != opinion.code
        && !by.is_automatic()
        && is_before
        && by.denies.meets(&opposes)
        && calls.is_impossible(&[&opposes, &by.denies.not()])
        && !calls.is_impossible(&[&by.denies.not()])
}
