//! Gate 8: whether the budgets about a call have room for it, and what to say where they have not.
//!
//! Nothing is spent here: what a call would spend is an [`Entry`] that the session takes in once the call may run.

use super::call::{Proposals, Ready};
use super::explain::Judgement;
use super::found::Found;
use super::spent::{Entry, begins};
use super::step::Change;
use crate::context::Failure;
use crate::decimal::Decimal;
use crate::decision::{Match, StepOutcome};
use crate::expr::{Evaluation, Fault};
use crate::guards::max_calls::{Scope, times};
use crate::observed::part_hash;
use crate::policy::{BoundBudget, Counted, Counter, Unit};
use crate::spec::{OnFailure, OnSpent, duration_text};
use crate::text::capitalised;
use crate::tool::Effect;
use crate::value::Value;
use std::sync::Arc;

/// Why a budget cannot tell what a call would spend.
enum Unreadable {
    /// An expression has no value.
    Fault(Fault),
    /// The amount is below 0.
    Negative(Decimal),
    /// The amount is no number.
    NotANumber(String),
    /// Something it needs is null.
    Null(&'static str),
}

impl From<Fault> for Unreadable {
    fn from(fault: Fault) -> Unreadable {
        Unreadable::Fault(fault)
    }
}

/// What is left of a budget for a call.
struct Room {
    used: Decimal,
    max: Decimal,
    amount: Decimal,
}

impl Room {
    fn is_enough(&self) -> bool {
        self.used.checked_add(&self.amount).is_some_and(|total| total <= self.max)
    }

    fn left(&self) -> Decimal {
        self.max.checked_sub(&self.used).filter(|left| !left.is_negative()).unwrap_or_default()
    }
}

impl Proposals<'_> {
    /// Asks every budget about a call. A call that goes on with answers was an attempt when it was proposed, and is none
    /// again.
    pub(super) fn find_budgets(
        &self,
        ready: &Ready<'_>,
        goes_on: bool,
        evaluation: &mut Evaluation<'_>,
        found: &mut Found,
    ) {
        for (bound, counter) in self.policy.counters_of(ready.tool, ready.name) {
            if goes_on && counter.unit == Unit::Attempts {
                found.hear(|| Judgement::budget_not_asked(counter));
                continue;
            }
            match self.entry(bound, counter, evaluation) {
                Ok(Some(entry)) => self.find_room(ready, (bound, counter), entry, evaluation, found),
                Ok(None) => found.hear(|| Judgement::budget_passes(counter)),
                Err(Unreadable::Fault(Fault::Let(id))) => {
                    found.hear(|| Judgement::budget_not_run(counter));
                    // Only who watches lets the call go on without it.
                    if counter.action != OnSpent::Audit {
                        found.lets.push(id);
                    }
                }
                Err(why) => {
                    let matched = worded(unreadable(counter, &why), bound, evaluation);
                    failed(counter, matched, found);
                }
            }
        }
    }

    /// What a call would spend of a budget; `None` where the budget is not about it.
    fn entry(
        &self,
        bound: &BoundBudget,
        counter: &Counter,
        evaluation: &mut Evaluation<'_>,
    ) -> Result<Option<Entry>, Unreadable> {
        match bound.when.as_ref().map(|when| when.test(evaluation)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false)) => return Ok(None),
            Some(Err(Fault::Missing(_) | Fault::Let(_))) if counter.skips => return Ok(None),
            Some(Err(fault)) => return Err(fault.into()),
        }
        let amount = match &bound.amount {
            None => Decimal::ONE,
            Some(program) => match program.json(evaluation)? {
                Value::Number(amount) if amount.is_negative() => return Err(Unreadable::Negative(amount)),
                Value::Number(amount) => amount,
                Value::Null => return Err(Unreadable::Null("the amount")),
                other => return Err(Unreadable::NotANumber(crate::text::shown(&other))),
            },
        };
        let account = match &bound.per {
            None => None,
            Some(program) => match program.json(evaluation)? {
                Value::Null => return Err(Unreadable::Null("what it is counted by")),
                value => Some(part_hash(&self.session.key, &value)),
            },
        };
        let at = counter.window.and(self.moment.now);
        Ok(Some(Entry { budget: bound.number, account, amount, at, turn: self.session.turn }))
    }

    fn find_room(
        &self,
        ready: &Ready<'_>,
        (bound, counter): (&BoundBudget, &Counter),
        entry: Entry,
        evaluation: &mut Evaluation<'_>,
        found: &mut Found,
    ) {
        let begins = begins(counter.window, self.moment.now);
        let spent = &self.session.spent;
        if self.pending.is_full(spent, &entry) {
            return failed(counter, unavailable(counter, Failure::IndexFull.code()), found);
        }
        let max = self.session.opened.limits.get(entry.budget).copied().unwrap_or(counter.max);
        // A sum that does not add up exactly is above whatever its parts are within.
        let used = self.pending.used(spent, &entry, begins).unwrap_or(max);
        let room = Room { used, max, amount: entry.amount };
        found.hear(|| Judgement::budget(counter, used, max, room.is_enough()));
        found.entries.push(entry);
        if room.is_enough() {
            return;
        }
        let matched = match &bound.correction {
            Some(text) => Match { correction: text.show(evaluation), ..matched(counter, String::new()) },
            None => beyond(counter, &room, ready.tool.effect),
        };
        let matched = worded(matched, bound, evaluation);
        match counter.action {
            OnSpent::Deny => found.denies.push(matched),
            OnSpent::Ask => found.asks.push((counter.by, matched)),
            OnSpent::Warn => found.warnings.push(matched),
            OnSpent::Audit => found.audited.push(matched),
            OnSpent::Stop => {
                found.stops = found.stops.take().or_else(|| Some(counter.code.clone()));
                found.denies.push(matched);
            }
        }
    }

    /// Forgets what lies before the windows of what a call asked about, whatever becomes of it: no later call looks at it
    /// again.
    pub(super) fn forget_lapsed(&mut self, entries: &[Entry]) {
        for entry in entries {
            let window = self.counter(entry).and_then(|counter| counter.window);
            let Some(before) = begins(window, self.moment.now) else { continue };
            if self.pending.lapses(&self.session.spent, entry, before) {
                self.changes.push(Change::Lapsed { budget: entry.budget, account: entry.account, before });
            }
        }
    }

    /// Every proposal whose arguments fit is an attempt, whatever becomes of it.
    pub(super) fn count_attempts(&mut self, found: &Found) {
        let of = |entry: &&Entry| self.counter(entry).is_some_and(|counter| counter.unit == Unit::Attempts);
        let attempts: Vec<Entry> = found.entries.iter().filter(of).copied().collect();
        attempts.into_iter().for_each(|entry| self.spend(entry));
    }

    /// An attempt whose arguments do not fit counts where nothing of it has to be read.
    pub(super) fn count_unfit(&mut self, ready_tool: &crate::policy::ToolPolicy, name: &str) {
        let policy = self.policy;
        for (bound, counter) in policy.counters_of(ready_tool, name) {
            if counter.unit == Unit::Attempts && bound.when.is_none() && bound.per.is_none() {
                let (at, turn) = (counter.window.and(self.moment.now), self.session.turn);
                let entry = Entry { budget: bound.number, account: None, amount: Decimal::ONE, at, turn };
                self.forget_lapsed(&[entry]);
                self.spend(entry);
            }
        }
    }

    /// Takes the place of a call that may run in its budgets, and gives what its end will settle.
    pub(super) fn reserve_budgets(&mut self, entries: &[Entry]) -> Box<[Entry]> {
        let mut settled = Vec::new();
        for entry in entries {
            let Some(counter) = self.counter(entry) else { continue };
            if counter.failed || counter.streak || counter.unit == Unit::Amount {
                settled.push(*entry);
            }
            if counter.unit != Unit::Attempts && !counter.failed {
                self.spend(*entry);
            }
        }
        settled.into()
    }

    fn counter(&self, entry: &Entry) -> Option<&Counter> {
        self.policy.counters.get(entry.budget)
    }

    fn spend(&mut self, entry: Entry) {
        self.pending.add(&self.session.spent, &entry);
        self.changes.push(Change::Spent(entry));
    }
}

/// A budget that cannot judge denies, or asks where its author says so; one that only watches says so.
fn failed(counter: &Counter, matched: Match, found: &mut Found) {
    found.hear(|| Judgement::budget_fails(counter, matched.failure));
    match counter.action {
        OnSpent::Audit => found.audited.push(matched),
        _ if counter.on_failure == OnFailure::Ask => found.asks.push((counter.by, matched)),
        OnSpent::Deny | OnSpent::Ask | OnSpent::Stop | OnSpent::Warn => found.denies.push(matched),
    }
}

/// The match of a budget.
fn matched(counter: &Counter, correction: String) -> Match {
    Match {
        guard: counter.code.clone(),
        code: counter.code.clone(),
        outcome: StepOutcome::BudgetDenied,
        correction,
        public_reason: None,
        failure: None,
        is_final: true,
    }
}

/// The match with the sentence that a person may see.
fn worded(matched: Match, bound: &BoundBudget, evaluation: &mut Evaluation<'_>) -> Match {
    let public_reason = bound.public_reason.as_ref().map(|text| text.show(evaluation).into());
    Match { public_reason, ..matched }
}

/// The match of a budget that ended the run before.
pub(super) fn ended(budget: Arc<str>) -> Match {
    let correction = "This run has ended: a limit is used up. Stop calling tools, and say what is left undone.";
    Match {
        guard: budget.clone(),
        code: budget,
        outcome: StepOutcome::BudgetDenied,
        correction: correction.to_owned(),
        public_reason: None,
        failure: None,
        is_final: true,
    }
}

/// The match of a budget that cannot judge, for a reason that is none of the model's.
fn unavailable(counter: &Counter, failure: &'static str) -> Match {
    let correction = "A budget is unavailable, so this call cannot run now. Say so; do not try another way.";
    Match { code: "guard_failure".into(), failure: Some(failure), ..matched(counter, correction.to_owned()) }
}

/// The match of a budget that cannot tell what a call would spend.
fn unreadable(counter: &Counter, why: &Unreadable) -> Match {
    let told =
        |failure, correction: String| Match { failure: Some(failure), is_final: false, ..matched(counter, correction) };
    let limit = format!("The limit `{}` cannot be judged", counter.code);
    match why {
        Unreadable::Negative(amount) => {
            let text = format!(
                "The amount is {amount}, and nothing may be taken back from a limit. Use an amount of 0 or above."
            );
            told("negative", text)
        }
        Unreadable::NotANumber(shown) => {
            told("not_a_number", format!("{limit}: {shown} is not a number. Give a number."))
        }
        Unreadable::Null(what) => told("missing", format!("{limit}: {what} is null. Give it.")),
        Unreadable::Fault(Fault::Missing(what)) => told("missing", format!("{limit}: {what}. Give it.")),
        // A let with a text is denied once, for all who read it.
        Unreadable::Fault(Fault::Let(_)) => told("missing", format!("{limit}.")),
        Unreadable::Fault(Fault::IndexFull) => unavailable(counter, Failure::IndexFull.code()),
        Unreadable::Fault(Fault::OutOfFuel) => unavailable(counter, "out_of_fuel"),
        Unreadable::Fault(Fault::OutOfRange(_)) => unavailable(counter, "out_of_range"),
    }
}

/// The match of a budget without room for a call.
fn beyond(counter: &Counter, room: &Room, effect: Effect) -> Match {
    let correction = match counter.unit {
        Unit::Amount => over(counter, room, effect),
        Unit::Calls | Unit::Attempts => used_up(counter, room.max, effect),
    };
    let is_final = counter.unit != Unit::Amount || room.left().is_zero();
    Match { is_final, ..matched(counter, correction) }
}

fn cure(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "go on without it.",
        Effect::Write | Effect::External => "say what is left undone.",
    }
}

/// `in this turn`, `within 1d`, and whatever each count is kept by.
fn scope(counter: &Counter) -> String {
    let scope = match (counter.window, counter.scope) {
        (Some(window), _) => format!("within {}", duration_text(window)),
        (None, Scope::Turn) => "in this turn".to_owned(),
        (None, Scope::Session) => "in this session".to_owned(),
    };
    match &counter.per {
        Some(per) => format!("{scope} for the same `{per}`"),
        None => scope,
    }
}

/// What a sum without room tells the model: how much is left.
fn over(counter: &Counter, room: &Room, effect: Effect) -> String {
    let (scope, cure, left) = (scope(counter), cure(effect), room.left());
    let who = match &counter.counted {
        Counted::Calls { of } => format!("Tool calls{of}"),
        Counted::Tools { names, are_many: false } => names.clone(),
        Counted::Tools { names, are_many: true } => format!("{names} together"),
    };
    let (max, amount) = (room.max, room.amount);
    if left.is_zero() {
        return format!("{who} may use up to {max} {scope}, and nothing of it is left. Do not call it again; {cure}");
    }
    format!(
        "{who} may use up to {max} {scope}; {left} is left, and this call uses {amount}. Use at most {left}, or {cure}"
    )
}

/// What a spent count tells the model, and how to go on.
fn used_up(counter: &Counter, max: Decimal, effect: Effect) -> String {
    let (scope, cure, max) = (scope(counter), cure(effect), max.to_u64().unwrap_or(u64::MAX));
    let row = if counter.streak { " in a row" } else { "" };
    if max > 0 && (counter.failed || counter.streak) {
        let who = match &counter.counted {
            Counted::Calls { of } => format!("Tool calls{of}"),
            Counted::Tools { names, .. } => names.clone(),
        };
        let what = if counter.failed { "failed" } else { "ran without success" };
        let times = times(max);
        return format!("{who} {what} {times}{row} {scope}, and may not be tried again. {}", capitalised(cure));
    }
    let (made, called) = if counter.unit == Unit::Attempts { ("tried", "tried") } else { ("made", "called") };
    match (&counter.counted, max) {
        (Counted::Calls { of }, 0) => format!("No tool call{of} may be {made} {scope}. {}", capitalised(cure)),
        (Counted::Calls { of }, max) => {
            let calls = if max == 1 { "call" } else { "calls" };
            format!("At most {max} tool {calls}{of} may be {made} {scope}, and that is used up. Make no more; {cure}")
        }
        (Counted::Tools { names, .. }, 0) => format!("{names} may not be {called} {scope}. {}", capitalised(cure)),
        (Counted::Tools { names, are_many }, max) => {
            let together = if *are_many { " together" } else { "" };
            let times = times(max);
            format!(
                "{names} may be {called} {times} {scope}{together}, and that is used up. Do not call it again; {cure}"
            )
        }
    }
}
