//! `costly-expression`: one that runs out of fuel where its lists are long.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::{Expression, MAX_STEPS, Sizes, Worst};
use crate::lint::{Check, Linted, Rule, checks};
use crate::schema::{ArgSchema, Spots};
use crate::source::Span;
use crate::spec::GuardSpec;

pub(super) static RULE: Rule = Rule {
    code: "F270",
    name: "costly-expression",
    severity: Severity::Warning,
    docs: r"
## What it does
Counts the steps of the expressions of guards and of lets where every list is as long as its schema lets it be. A list that
no schema bounds counts as 100. Warns where that is more than the 10000 steps that one expression may take.

## Why
An expression that runs out of steps fails, and a guard that fails denies. It does so on the one call with long lists, long
after everybody has seen it work.

## Example
```yaml
lines: {type: array, items: {type: string}}
codes: {type: array, items: {type: string}}
check: args.lines.all(line, args.codes.exists(code, code == line))
```

## Use instead
```yaml
lines: {type: array, maxItems: 20, items: {type: string}}
codes: {type: array, maxItems: 20, items: {type: string}}
check: args.lines.all(line, args.codes.exists(code, code == line))
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let spec = linted.spec;
    let schema = spec.world.as_ref().and_then(|world| ArgSchema::compile(&world.value, &spec.schema_sources()).ok());
    let world = schema.as_ref().map_or_else(Spots::unknown, ArgSchema::spots);
    let sizes = |args| Sizes { lets: &spec.lets, params: &spec.params, args, world: world.clone() };
    let of_all = sizes(args_of(linted, None));
    for named in &spec.lets {
        report(&format!("the let `{}`", named.name.value), named.value.span(), of_all.worst(&named.value), found);
    }
    for guard in &spec.guards {
        let sizes = sizes(args_of(linted, Some(guard)));
        let whose = format!("`{}`", guard.id.value);
        let checks = checks::of(linted, guard);
        let Some(each) = &guard.each else {
            for one in guard.when.iter().chain(&checks) {
                report(&whose, one.span(), sizes.worst(one), found);
            }
            continue;
        };
        let names: Vec<&str> = each.variables.iter().map(|name| name.value.as_str()).collect();
        let (inside, outside): (Vec<&Expression>, Vec<&Expression>) =
            guard.when.iter().partition(|when| each.is_read_by(when));
        for one in outside {
            report(&whose, one.span(), sizes.worst(one), found);
        }
        let asked = inside.into_iter().chain(&checks);
        report(&whose, each.over.span(), sizes.worst_each(&each.over, &names, asked), found);
    }
}

/// What the schemas say of the arguments of the tools that a guard is about; of all tools for no guard.
fn args_of<'l>(linted: &Linted<'l>, guard: Option<&GuardSpec>) -> Spots<'l> {
    let about = linted.spec.tools.iter().filter(|tool| guard.is_none_or(|guard| guard.selection.may_match(tool)));
    let args = about.filter_map(|tool| linted.policy.args_of(&tool.name.value));
    let args = args.map(ArgSchema::spots).reduce(|one, other| one.or(&other));
    args.unwrap_or_else(Spots::unknown)
}

fn report(whose: &str, span: Span, worst: Worst, found: &mut Vec<Diagnostic>) {
    if worst.steps <= u64::from(MAX_STEPS) {
        return;
    }
    let message =
        format!("with long lists {whose} takes about {} steps, and an expression may take {MAX_STEPS}", worst.steps);
    let problem =
        RULE.at(span, message).help("bound its lists with `maxItems`, or look things up in a map by their id");
    found.push(match worst.assumed {
        Some(list) => problem.label(list, "nothing says how long this can be, so 100 is assumed"),
        None => problem,
    });
}
