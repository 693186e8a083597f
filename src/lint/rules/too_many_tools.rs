//! `too-many-tools`: more tools than a model chooses among well.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F357",
    name: "too-many-tools",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a spec that declares more than 15 tools. A glob for tools of the host counts as one.

## Why
Every tool is offered to the model on every turn, so each one costs tokens, and the more there are the more often a model
takes one that is only similar. An agent with a lane of its own and the tools of that lane also needs fewer rules.

## Example
```yaml
get_hours: {description: Read the opening hours., effect: read}
get_route: {description: Read how to get there., effect: read}
```

## Use instead
```yaml
get_visit: {description: Read the opening hours and how to get there., effect: read}
```
",
    check: Check::Spec(check),
};

/// So many are quiet.
const MOST: usize = 15;

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let tools = &linted.spec.tools;
    let Some(next) = tools.get(MOST) else { return };
    let message = format!("{} tools are declared, and a model chooses well among at most {MOST}", tools.len());
    let problem = RULE.at(next.name.span, message);
    found.push(problem.help("give a lane of its own to another agent, with its tools, or make one tool of several"));
}
