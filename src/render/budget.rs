//! A budget as a sentence: how much, of what, for how long, and what happens then.

use super::prose::{Told, is_every, quoted, shown};
use crate::guards::max_calls::Scope;
use crate::spec::{BudgetSpec, Measure, OnSpent, Selection, Spec, Terms, duration_text};
use crate::text::joined;

/// What a budget teaches.
pub(super) fn of_budget(spec: &Spec, budget: &BudgetSpec, told: Told<'_>) -> String {
    words(spec, &budget.terms, &budget.selection, told)
}

/// The terms of a budget about some tools, in words.
pub(super) fn words(spec: &Spec, terms: &Terms, selection: &Selection, told: Told<'_>) -> String {
    let whom = of_whom(selection, told);
    let (first, last) = lasting(terms);
    // Behind words about whom it is about, how long it lasts would read as theirs.
    let (first, last) = if whom.is_empty() { (String::new(), last) } else { (first, String::new()) };
    let mut text = match &terms.measure {
        Measure::Sum(sum) => {
            // Words about whom it is about that name no tool would read as the value's own.
            let calls = if whom.is_empty() || whom.starts_with(" of ") { "" } else { " of tool calls" };
            format!("{first}{}{calls}{whom} adds up to at most {}{last}", shown(sum), terms.max)
        }
        Measure::Calls | Measure::Attempts => format!("{first}{}{whom}{last}", count(terms, told)),
    };
    if let Some(per) = &terms.per {
        text.push_str(&format!(" for each {}", shown(per)));
    }
    if matches!(terms.measure, Measure::Attempts) {
        text.push_str(", denied ones included");
    }
    if let Some(when) = &terms.when {
        text.push_str(&format!(", counting where `{}`", when.text()));
    }
    if let Told::OnCard(tool) = told {
        text.push_str(&together_with(spec, selection, tool));
    }
    text.push_str(match terms.action {
        OnSpent::Ask => "; beyond that somebody is asked",
        OnSpent::Stop => "; beyond that the run ends",
        OnSpent::Deny | OnSpent::Warn | OnSpent::Audit => "",
    });
    text
}

fn count(terms: &Terms, told: Told<'_>) -> String {
    let one = terms.max == crate::decimal::Decimal::from(1);
    let (most, plural) = if one { ("one".to_owned(), "") } else { (terms.max.to_string(), "s") };
    let failed = if terms.failed { "failed " } else { "" };
    let tool = if told == Told::Everywhere { "tool " } else { "" };
    let row = if terms.streak { " in a row" } else { "" };
    format!("at most {most} {failed}{tool}call{plural}{row}")
}

/// Whose calls they are, where no card says it.
fn of_whom(selection: &Selection, told: Told<'_>) -> String {
    let selector = &selection.selector;
    if told != Told::Everywhere {
        return String::new();
    }
    let tools: Vec<String> = selector.tools.iter().filter(|pattern| !is_every(pattern)).map(quoted).collect();
    let effects: Vec<String> = selector.effects.iter().map(|effect| format!("`{}`", effect.name())).collect();
    let except: Vec<String> = selector.except.iter().map(quoted).collect();
    let mut text = String::new();
    if !tools.is_empty() {
        text.push_str(&format!(" of {}", joined(&tools, "and")));
    }
    if !effects.is_empty() {
        text.push_str(&format!(" with the effect {}", joined(&effects, "or")));
    }
    if !except.is_empty() {
        text.push_str(&format!(" other than {}", joined(&except, "and")));
    }
    text
}

/// How long it lasts, as the head of a sentence and as its end.
fn lasting(terms: &Terms) -> (String, String) {
    let scope = match terms.scope {
        Scope::Turn => "turn",
        Scope::Session if terms.reset_on_turn => "turn",
        Scope::Session => "session",
    };
    match terms.window.map(duration_text) {
        Some(window) => (format!("within {window}, "), format!(" in {window}")),
        None => (format!("in one {scope}, "), format!(" a {scope}")),
    }
}

/// The other tools that the budget counts.
fn together_with(spec: &Spec, selection: &Selection, tool: &str) -> String {
    let others = spec.selected(selection).map(|other| &other.name.value).filter(|name| name.text() != tool);
    let others: Vec<String> = others.map(quoted).collect();
    if others.is_empty() { String::new() } else { format!(", together with {}", joined(&others, "and")) }
}
