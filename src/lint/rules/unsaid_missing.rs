//! `unsaid-missing`: a guard on an argument that a call may leave out.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::{Expression, Keys, Unasked};
use crate::lint::{Check, Linted, Rule, about, checks};
use crate::path::{Path, Step};
use crate::policy::covers;
use crate::source::Spanned;
use crate::spec::{Action, ArgChange, GuardSpec, ToolSpec};
use crate::value::Value;
use crate::yaml::{Data, Style};

pub(super) static RULE: Rule = Rule {
    code: "F473",
    name: "unsaid-missing",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard that reads an argument which a call of one of its tools may leave out, and that does not say `missing`. It is
silent where the guard asks with `has(args.x)` first, or reads `args.?x.orValue(…)`, about kinds that say themselves what an
absent argument means, and where a guard of kind `argRequired` denies every call without it.

## Why
Where what a guard reads is absent, it denies. That is right for a limit, and blocks every call where the argument is one
that callers leave out for good reason. The spec should say which of the two is meant.

## Example
```yaml
- id: few
  tools: [export]
  check: args.rows <= 1000
```

## Use instead
```yaml
- id: few
  tools: [export]
  missing: skip
  check: args.rows <= 1000
```
",
    check: Check::Spec(check),
};

/// The kinds to which an absent argument is missing. Others are about absence, or find nothing in what is not there.
const KINDS: &[&str] =
    &["argFormat", "argFrom", "argLength", "argOneOf", "argRange", "distinctTargets", "valueFromUser"];

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let stops = |guard: &&GuardSpec| !matches!(guard.action, Action::Allow | Action::Audit);
    for guard in linted.spec.guards.iter().filter(|guard| !guard.says_missing).filter(stops) {
        let checks = checks::of(linted, guard);
        let about = linted.spec.selected(&guard.selection);
        let first = about.filter_map(|tool| Some((tool, lacking(linted, guard, checks.as_ref(), tool)?))).next();
        if let Some((tool, keys)) = first {
            found.push(problem(linted, guard, tool, &keys));
        }
    }
}

fn problem(linted: &Linted<'_>, guard: &GuardSpec, tool: &ToolSpec, keys: &Spanned<Keys>) -> Diagnostic {
    let name = keys.value.join(".");
    let message = format!(
        "a call of `{}` may leave `{name}` out, and `{}` does not say what that means",
        tool.name.value, guard.id.value
    );
    let entry = linted.entry(guard.id.span);
    let is_inside = entry.is_none_or(|entry| entry.span.start <= keys.span.start && keys.span.end <= entry.span.end);
    let is_here = is_inside && keys.span.file == guard.id.span.file;
    let (at, other, said) =
        if is_here { (keys.span, guard.id.span, "this guard") } else { (guard.id.span, keys.span, "it is read here") };
    let problem = RULE.at(at, message);
    let help = format!("write `missing: deny` or `missing: skip`, or ask with `has(args.{name})` first");
    let problem = if at == other { problem } else { problem.label(other, said) };
    let problem = problem.help(help);
    let Some((entry, Data::Map(entries))) = entry.map(|entry| (entry, &entry.data)) else {
        return problem;
    };
    let Some(id) = entries.iter().find(|entry| entry.value.span == guard.id.span) else { return problem };
    let written = linted.sources.slice(guard.id.span);
    let between = match (entry.style, linted.sources.file(guard.id.span.file)) {
        (Style::Block, Some(file)) => {
            let column = file.line_column(id.key_span.start).column.saturating_sub(1);
            format!("\n{}", " ".repeat(usize::try_from(column).unwrap_or_default()))
        }
        _ => ", ".to_owned(),
    };
    problem.edit(guard.id.span, format!("{written}{between}missing: deny"))
}

/// What a guard reads that a call of a tool may leave out.
fn lacking(
    linted: &Linted<'_>,
    guard: &GuardSpec,
    check: Option<&Expression>,
    tool: &ToolSpec,
) -> Option<Spanned<Keys>> {
    let schema = linted.policy.args_of(&tool.name.value)?;
    let may_lack = |keys: &[String]| !is_set(tool, keys) && !is_required(linted, tool, keys) && schema.may_lack(keys);
    let mut look = Unasked::new(&linted.spec.lets, &may_lack);
    if let Some(when) = &guard.when {
        look.condition(when);
    }
    if let Some(each) = &guard.each {
        look.value(&each.over);
    }
    if let Some(check) = check {
        look.value(check);
    }
    if guard.kind.is_some_and(|kind| KINDS.contains(&kind)) {
        let parameters = guard.rule.as_ref()?.parameters();
        let one = parameters.get("arg").and_then(Value::as_str);
        let many = parameters.get("args").and_then(Value::as_array).unwrap_or_default();
        for path in one.into_iter().chain(many.iter().filter_map(Value::as_str)) {
            look.path(&first_keys(path), linted.said(guard.id.span, &["with", "arg"]));
        }
    }
    look.found()
}

/// The names that a path begins with, up to the elements of a list.
fn first_keys(path: &str) -> Keys {
    let path = Path::parse(path).unwrap_or_default();
    path.steps().iter().map_while(|step| if let Step::Key(key) = step { Some(key.clone()) } else { None }).collect()
}

/// True if a guard of its own denies every call without the argument.
fn is_required(linted: &Linted<'_>, tool: &ToolSpec, keys: &[String]) -> bool {
    let requires = |guard: &GuardSpec| {
        let is_plain = guard.kind == Some("argRequired") && guard.action == Action::Deny && guard.when.is_none();
        let with =
            guard.rule.as_ref().filter(|_| is_plain && covers(&guard.selection, tool)).map(|rule| rule.parameters());
        with.is_some_and(|with| with.get("arg").and_then(Value::as_str).is_some_and(|path| first_keys(path) == keys))
    };
    about::guards(linted, tool).any(requires)
}

/// True if the tool gives the argument a value where a call has none.
fn is_set(tool: &ToolSpec, keys: &[String]) -> bool {
    let sets =
        tool.rewrites.iter().filter(|rewrite| matches!(rewrite.change, ArgChange::Set(_) | ArgChange::Default(_)));
    let mut paths = sets.map(|rewrite| first_keys(&rewrite.arg.text()));
    paths.any(|path| path == keys)
}
