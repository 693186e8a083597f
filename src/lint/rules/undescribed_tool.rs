//! `undescribed-tool`: a tool that says nothing of what it does.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F350",
    name: "undescribed-tool",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a tool without a `description`. A glob stands for tools that their host describes, and is not looked at.

## Why
The description is all that a model knows of a tool besides its name and its arguments. Without one it guesses when to call
it, and what comes of that is refused by rules that one sentence would have spared.

## Example
```yaml
check_stock: {effect: read}
```

## Use instead
```yaml
check_stock: {description: Read how many of an article are left., effect: read}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let tools = linted.spec.tools.iter().filter(|tool| tool.name.value.is_exact());
    for tool in tools.filter(|tool| tool.description.as_ref().is_none_or(|text| text.trim().is_empty())) {
        let problem = RULE.at(tool.name.span, format!("`{}` has no description", tool.name.value));
        found.push(problem.help("say in `description`, in one sentence, what a call of it does"));
    }
}
