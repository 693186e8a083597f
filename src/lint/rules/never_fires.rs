//! `never-fires`: a guard that no call of its tools can break.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::rules::proved::{Bound, bound};
use crate::lint::{Check, Linted, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F440",
    name: "never-fires",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard on calls that can never fire: whatever a call carries that the schema of its tool lets through, the guard
passes. It is proved, not guessed: from the ranges, lists and types of the schema and of the conditions, as far as each is
about one value. What compares two values, goes over a list or asks for earlier calls is not decided, and nothing is said.
Guards of a contract or a base are shared, and are not looked at.

## Why
Such a guard looks like protection and is none. Most often a bound or a word in it is wrong, or the schema was tightened
since and says the same already.

## Example
```yaml
amount: {type: number, exclusiveMinimum: 0, maximum: 100}
check: args.amount <= 500
```

## Use instead
```yaml
amount: {type: number, exclusiveMinimum: 0, maximum: 1000}
check: args.amount <= 500
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    // What a contract or a base guards others may need.
    for Bound { guard, on } in bound(linted).filter(|bound| linted.is_own(bound.guard.id.span)) {
        // What is missing may still break it: that it then denies is what it is good for.
        let is_idle = |(_, calls, opinion): &(_, &crate::proof::Calls, &crate::proof::Opinion)| {
            calls.is_impossible(&[&opinion.fires]) && calls.is_impossible(&[&opinion.opposes()])
        };
        if !on.is_empty() && on.iter().all(is_idle) {
            let problem = RULE.at(guard.id.span, format!("no call can break `{}`", guard.id.value));
            let condition = guard.check.as_ref().or(guard.when.as_ref());
            let problem = match condition {
                Some(condition) => {
                    problem.label(condition.span(), "this is never broken by what the schema lets through")
                }
                None => problem,
            };
            found.push(problem.help("mend the condition, or take the guard out"));
        }
    }
}
