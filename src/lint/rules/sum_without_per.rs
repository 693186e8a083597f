//! `sum-without-per`: amounts of several currencies are added up as if they were of one.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Expression;
use crate::figures::Currency;
use crate::lint::{Check, Linted, Rule, about, arguments, expressions};
use crate::spec::{Action, ArgChange, BudgetSpec, Measure, ToolSpec};
use crate::value::Value;

pub(super) static RULE: Rule = Rule {
    code: "F552",
    name: "sum-without-per",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a budget with a `sum` over an amount beside which the tool takes a currency, where nothing of the budget reads the
currency. An argument is a currency by its values: two codes of ISO 4217 or more, and nothing else, under `enum` or `const`
or in a guard of kind `argOneOf`; or three capital letters, with such codes as `default` or `examples`. It is not told where a
guard that denies lets one currency through only, and not where the tool takes another number beside the currency that the
budget leaves out: then the currency may be that of the other one. A currency with a name such as `to` or `target_currency`
is what an amount is turned into, and not told.

## Why
100 JPY and 100 EUR make 200 of nothing. A limit that is right for one currency is a hundred times too wide for another, and
whoever proposes the call chooses which.

## Example
```yaml
- {id: paid-out, sum: args.amount, tools: [pay_out], max: 500}
```

## Use instead
```yaml
- {id: paid-out, sum: args.amount, per: args.currency, tools: [pay_out], max: 500}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for budget in &linted.spec.budgets {
        let Measure::Sum(sum) = &budget.terms.measure else { continue };
        let tools = linted.spec.selected(&budget.selection);
        let mixed = tools.filter_map(|tool| Some((tool, mixing(linted, budget, sum, tool)?)));
        if let Some((tool, currency)) = mixed.into_iter().next() {
            let (id, name, path) = (&budget.id.value, &tool.name.value, arguments::text(&currency));
            let message = format!("`{id}` adds amounts of `{name}` up across currencies, which `{path}` names");
            let help = if currency.iter().any(|step| step == "[]") {
                "keep one sum for each currency with `per`, or name the currency in `when`".to_owned()
            } else {
                format!("write `per: args.{path}`: one sum for each currency")
            };
            found.push(
                RULE.at(budget.id.span, message).label(tool.name.span, "this tool takes the currency").help(help),
            );
        }
    }
}

/// The currency that stands beside an amount of the sum and is read by nothing of the budget.
fn mixing(linted: &Linted<'_>, budget: &BudgetSpec, sum: &Expression, tool: &ToolSpec) -> Option<Vec<String>> {
    let schema = arguments::schema(linted, tool)?;
    let amounts = argument_paths(linted, sum);
    let read: Vec<Vec<String>> =
        budget.terms.expressions().flat_map(|expression| argument_paths(linted, expression)).collect();
    let mut paths: Vec<Vec<String>> = arguments::places(&schema).into_iter().map(|(steps, _)| steps).collect();
    paths.dedup();
    paths.into_iter().find(|path| {
        let beside = path.split_last().map_or(&[][..], |(_, above)| above);
        !path.is_empty()
            && !is_target(path)
            && !read.contains(path)
            && amounts.iter().any(|amount| amount.len() > beside.len() && amount.starts_with(beside))
            && is_currency(linted, tool, &schema, path)
            && !has_other_amounts(&schema, beside, &amounts)
            && !is_fixed(linted, tool, path)
    })
}

/// True for a currency that, by its name, the amount is turned into.
fn is_target(path: &[String]) -> bool {
    let name = path.last().map(|name| name.to_lowercase()).unwrap_or_default();
    matches!(name.as_str(), "to" | "into")
        || ["target", "to_", "tocurr", "display"].iter().any(|word| name.starts_with(word))
}

/// True if a currency may be that of a number which is not added up. A whole number beside amounts with fractions is taken
/// for a count.
fn has_other_amounts(schema: &Value<'_>, beside: &[String], amounts: &[Vec<String>]) -> bool {
    let is_of = |schema: &Value<'_>, ty: &str| schema.get("type").is_some_and(|types| arguments::has_type(types, ty));
    let places = arguments::places(schema);
    let adds_fractions = places.iter().any(|(path, schema)| amounts.contains(path) && is_of(schema, "number"));
    places.iter().any(|(path, schema)| {
        let is_amount = is_of(schema, "number") || !adds_fractions && is_of(schema, "integer");
        is_amount && path.starts_with(beside) && !amounts.contains(path)
    })
}

/// The arguments that an expression reads, itself or through lets.
fn argument_paths(linted: &Linted<'_>, expression: &Expression) -> Vec<Vec<String>> {
    let all = expressions::with_lets(linted.spec, expression).into_iter().flat_map(Expression::read_paths);
    all.filter(|path| path.root == "args" && !path.steps.is_empty()).map(|path| path.steps).collect()
}

fn is_currency(linted: &Linted<'_>, tool: &ToolSpec, schema: &Value<'_>, path: &[String]) -> bool {
    let mut said: Vec<&Value<'_>> = Vec::new();
    let mut shown: Vec<&Value<'_>> = Vec::new();
    for (_, place) in arguments::places(schema).into_iter().filter(|(steps, _)| steps == path) {
        said.extend(arguments::list(place, "enum").iter().chain(place.get("const")));
        if is_three_capitals(place) {
            shown.extend(arguments::list(place, "examples").iter().chain(place.get("default")));
        }
    }
    let allowed = allowed(linted, tool, path);
    said.extend(&allowed);
    said.retain(|value| !matches!(value, Value::Null));
    let are_codes = |values: &[&Value<'_>]| {
        values.iter().all(|value| value.as_str().is_some_and(|text| Currency::of_code(text).is_some()))
    };
    let has_several = said.first().is_some_and(|first| said.iter().any(|value| value != first));
    has_several && are_codes(&said) || said.is_empty() && !shown.is_empty() && are_codes(&shown)
}

/// The values that guards of kind `argOneOf` let through.
fn allowed(linted: &Linted<'_>, tool: &ToolSpec, path: &[String]) -> Vec<Value<'static>> {
    let path = arguments::text(path);
    let guards = about::guards(linted, tool);
    let guards = guards.filter(|guard| guard.action == Action::Deny && guard.kind == Some("argOneOf"));
    let with = guards.filter_map(|guard| guard.rule.as_ref()).map(|rule| rule.parameters());
    let with = with.filter(|with| with.get("arg").and_then(Value::as_str) == Some(path.as_str()));
    let owned =
        |with: Value<'static>| arguments::list(&with, "values").iter().map(Value::to_owned_value).collect::<Vec<_>>();
    with.flat_map(owned).collect()
}

/// True for three capital letters and nothing else.
fn is_three_capitals(schema: &Value<'_>) -> bool {
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let length = |key: &str| schema.get(key).and_then(Value::as_number).and_then(|number| number.to_i64());
    pattern.is_some_and(|pattern| matches!(pattern, "^[A-Z]{3}$" | "^[A-Z][A-Z][A-Z]$"))
        || (length("minLength"), length("maxLength")) == (Some(3), Some(3))
}

/// True if a rewrite puts one value there, or a guard denies all but one that does not come from the call.
fn is_fixed(linted: &Linted<'_>, tool: &ToolSpec, path: &[String]) -> bool {
    let text = arguments::text(path);
    let is_set =
        tool.rewrites.iter().any(|rewrite| rewrite.arg.text() == text && matches!(rewrite.change, ArgChange::Set(_)));
    let guards = about::guards(linted, tool).filter(|guard| guard.action == Action::Deny);
    let mut checks = guards.filter_map(|guard| guard.check.as_ref());
    is_set
        || checks.any(|check| {
            let equalities = check.equalities().into_iter();
            equalities
                .filter(|equality| equality.path.root == "args" && equality.path.steps == path)
                .any(|equality| !equality.roots.iter().any(|root| reads_call(linted, root)))
        })
}

/// True for what may differ from call to call.
fn reads_call(linted: &Linted<'_>, root: &str) -> bool {
    let of_let = expressions::named(linted.spec, root);
    let through = of_let.into_iter().flat_map(|named| expressions::with_lets(linted.spec, &named.value));
    root == "args" || root == "declared" || through.flat_map(Expression::roots).any(|root| root.value == "args")
}
