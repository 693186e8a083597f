//! Budgets as their author wrote them: what is measured, for how long, and what happens once it is used up.
//!
//! Terms that contradict each other are refused here; what an expression may read is judged where it meets a tool.

use super::duration;
use super::{Action, Layer, Selection, known_word};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Fields};
use crate::diagnostic::Diagnostic;
use crate::expr::Expression;
use crate::guards::max_calls::{Limit, Scope};
use crate::source::Spanned;
use crate::time::Duration;
use crate::yaml::Node;

/// A budget.
#[derive(Clone, Debug)]
pub struct BudgetSpec {
    /// Its id, the wire's `code`.
    pub id: Spanned<String>,
    /// Contract or spec.
    pub layer: Layer,
    /// Whose calls it is about.
    pub selection: Selection,
    /// What it allows.
    pub terms: Terms,
}

/// What a budget allows.
#[derive(Clone, Debug)]
pub struct Terms {
    /// What is measured.
    pub measure: Measure,
    /// Which calls; absent: all that it is about.
    pub when: Option<Expression>,
    /// What keeps a count of its own for each of its values.
    pub per: Option<Expression>,
    /// How long the count lasts.
    pub scope: Scope,
    /// How far it looks back; absent: as far as its scope.
    pub window: Option<Duration>,
    /// True to measure only calls that did not succeed, once they ended.
    pub failed: bool,
    /// True if a success sets it to 0.
    pub streak: bool,
    /// True if a turn sets it to 0.
    pub reset_on_turn: bool,
    /// What happens once it is used up.
    pub action: OnSpent,
    /// How much is allowed; 0 allows none.
    pub max: Decimal,
}

/// What a budget measures.
#[derive(Clone, Debug)]
pub enum Measure {
    /// Calls that may run.
    Calls,
    /// Proposals, denied ones too.
    Attempts,
    /// An amount of each call.
    Sum(Expression),
}

impl Measure {
    const COUNTS: &'static [(&'static str, bool)] = &[("calls", false), ("attempts", true)];
    const LATER: &'static [&'static str] = &["tokens", "cost", "wallMs", "iterations"];
}

/// What happens to a call that a budget has no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnSpent {
    /// It does not run.
    #[default]
    Deny,
    /// Somebody is asked.
    Ask,
    /// It does not run, and no later call of the session either.
    Stop,
    /// It runs, and is told that it had no room.
    Warn,
    /// It runs; that it had no room is recorded.
    Audit,
}

impl OnSpent {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, OnSpent)] =
        &[("deny", OnSpent::Deny), ("ask", OnSpent::Ask), ("stop", OnSpent::Stop)];

    /// What happens where the count of a guard is used up.
    pub(crate) fn of(action: Action) -> OnSpent {
        match action {
            Action::Deny => OnSpent::Deny,
            Action::Ask => OnSpent::Ask,
            Action::Warn => OnSpent::Warn,
            Action::Audit | Action::Allow => OnSpent::Audit,
        }
    }

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }
}

impl Terms {
    /// The terms of a count of calls.
    #[must_use]
    pub fn of(limit: Limit, action: OnSpent) -> Terms {
        Terms {
            measure: Measure::Calls,
            when: None,
            per: None,
            scope: limit.scope,
            window: None,
            failed: false,
            streak: false,
            reset_on_turn: false,
            action,
            max: Decimal::from(limit.max),
        }
    }

    /// Every expression in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let sum = if let Measure::Sum(sum) = &self.measure { Some(sum) } else { None };
        sum.into_iter().chain(&self.when).chain(&self.per)
    }
}

/// Reads the terms of a budget.
pub(super) fn terms(decoder: &mut Decoder<'_>, fields: &Fields<'_>) -> Option<Terms> {
    let before = decoder.problems();
    let measure = measure(decoder, fields);
    let when = fields.get("when").and_then(|node| Expression::decode(decoder, node));
    let per = fields.get("per").and_then(|node| Expression::decode(decoder, node));
    let scope = fields.get("scope").and_then(|node| scope(decoder, node));
    let window = fields.get("window").and_then(|node| duration::decode(decoder, node));
    let failed = fields.get("outcome").and_then(|node| decoder.word(node, &[("failed", true)]));
    let streak = fields.get("streak").and_then(|node| decoder.bool(node));
    let reset_on_turn = fields.get("resetOn").is_some_and(|node| resets(decoder, node));
    let action = fields.get("action").and_then(|node| decoder.word(node, OnSpent::WORDS));
    let max = fields.get("max").and_then(|node| max(decoder, node, measure.as_ref()));
    let terms = Terms {
        measure: measure?,
        when,
        per,
        scope: scope.unwrap_or(Scope::Session),
        window,
        failed: failed.unwrap_or(false),
        streak: streak.unwrap_or(false),
        reset_on_turn,
        action: action.unwrap_or_default(),
        max: max?,
    };
    consistent(decoder, fields, &terms);
    (decoder.problems() == before).then_some(terms)
}

fn measure(decoder: &mut Decoder<'_>, fields: &Fields<'_>) -> Option<Measure> {
    match (fields.get("count"), fields.get("sum")) {
        (Some(count), None) => {
            let attempts = known_word(decoder, count, Measure::COUNTS, Measure::LATER)?;
            Some(if attempts { Measure::Attempts } else { Measure::Calls })
        }
        (None, Some(sum)) => Expression::decode(decoder, sum).map(Measure::Sum),
        (Some(_), Some(_)) => {
            let at = fields.entry("sum").map_or(fields.span, |entry| entry.key_span);
            let problem = Diagnostic::error("bad-budget", at, "a budget has a `count` or a `sum`, not both");
            decoder.report(problem.help("make it two budgets"));
            None
        }
        (None, None) => {
            let problem = Diagnostic::error("missing-key", fields.head(), "a budget needs a `count` or a `sum`");
            decoder.report(problem.help("`count: calls` bounds how many, `sum: args.NAME` bounds an amount"));
            None
        }
    }
}

/// How long the count lasts; a span of time is a window.
fn scope(decoder: &mut Decoder<'_>, node: &Node) -> Option<Scope> {
    const SPANS: &[(&str, &str)] = &[("minute", "60s"), ("hour", "60m"), ("day", "24h"), ("week", "7d")];
    if let Some((span, window)) = SPANS.iter().find(|(span, _)| node.text() == Some(span)) {
        let problem = Diagnostic::error("unknown-word", node.span, format!("`{span}` is none of `turn`, `session`"));
        decoder.report(problem.help(format!("a {span} is `window: {window}`")));
        return None;
    }
    known_word(decoder, node, Scope::WORDS, &["run", "tree", "all"])
}

/// True if a turn is among what sets a budget to 0.
fn resets(decoder: &mut Decoder<'_>, node: &Node) -> bool {
    let items = decoder.list(node);
    decoder.some(node, items, "name what sets it to 0, or leave `resetOn` out");
    let words: Vec<Option<bool>> =
        items.iter().map(|item| known_word(decoder, item, &[("turn", true)], &["approval"])).collect();
    words.contains(&Some(true))
}

/// A whole number for a count, any number from 0 for a sum.
fn max(decoder: &mut Decoder<'_>, node: &Node, measure: Option<&Measure>) -> Option<Decimal> {
    let Some(Measure::Sum(_)) = measure else { return decoder.count(node).map(|count| Decimal::from(count.value)) };
    let max = decoder.number(node)?.value;
    if max.is_negative() {
        let problem = Diagnostic::error("bad-count", node.span, format!("`{max}` is below 0"));
        decoder.report(problem.help("write 0 or above; leave the budget out for no bound"));
        return None;
    }
    Some(max)
}

/// Refuses terms that contradict each other.
fn consistent(decoder: &mut Decoder<'_>, fields: &Fields<'_>, terms: &Terms) {
    let at = |key: &str| fields.entry(key).map_or(fields.span, |entry| entry.key_span);
    if terms.failed && matches!(terms.measure, Measure::Attempts) {
        let problem = Diagnostic::error("bad-budget", at("outcome"), "an attempt has no outcome");
        decoder.report(problem.help("count `calls` that failed, or take `outcome` out"));
    }
    if terms.streak && matches!(terms.measure, Measure::Sum(_)) {
        let problem = Diagnostic::error("bad-budget", at("streak"), "a streak counts calls, not an amount");
        decoder.report(problem.help("use `count`, or take `streak` out"));
    }
    let comes_back = terms.reset_on_turn || terms.window.is_some() || terms.scope == Scope::Turn;
    if terms.streak && terms.action == OnSpent::Deny && !comes_back {
        let message = "once it is used up nothing sets this streak to 0: it denies the success that would";
        let problem = Diagnostic::error("endless-streak", at("streak"), message);
        decoder.report(problem.help("write `resetOn: [turn]` or a `window`, or `action: ask` or `action: stop`"));
    }
}
