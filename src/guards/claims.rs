//! How the claims of a reply are held against the calls of its turn: which words an end bears out, which call a claim
//! may mean, and how both are put in words.
//!
//! Only what the host reported is believed. Where the values of a call were too many to keep nobody can tell, and that
//! is never a yes.

use super::Context;
use crate::acts::{Act, Claim, CoreOutcome, End, Scalars, matching};
use crate::decimal::Decimal;
use crate::expr::Compiler;
use crate::hash::SessionKey;
use crate::text::{joined, quoted, shown};
use crate::tool::{Effect, Pattern, canonical_name};
use crate::value::Value;

/// The most claims, and the most calls, that are paired.
pub(super) const MAX_PAIRED: usize = 256;

/// The most things that a correction names one by one.
pub(super) const MAX_NAMED: usize = 3;

/// Whether a call bears a claim out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    No,
    Yes,
    /// Its values were too many to keep.
    Unsure,
}

impl Fit {
    fn of(held: Option<bool>) -> Fit {
        match held {
            Some(true) => Fit::Yes,
            Some(false) => Fit::No,
            None => Fit::Unsure,
        }
    }

    fn and(self, other: Fit) -> Fit {
        match (self, other) {
            (Fit::No, _) | (_, Fit::No) => Fit::No,
            (Fit::Yes, Fit::Yes) => Fit::Yes,
            _ => Fit::Unsure,
        }
    }
}

/// What came of giving each on the left its own on the right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pairing {
    /// Each has one.
    Whole,
    /// These have none, even if all that nobody can tell were so.
    Lacks(Vec<usize>),
    /// It depends on what nobody can tell.
    Unsure,
}

/// Pairs as many as can be.
pub(super) fn paired(left: usize, right: usize, fit: impl Fn(usize, usize) -> Fit) -> Pairing {
    let fits: Vec<Fit> =
        (0..left).flat_map(|one| (0..right).map(move |two| (one, two))).map(|(a, b)| fit(a, b)).collect();
    let at = |one: usize, two: usize| fits.get(one.saturating_mul(right).saturating_add(two));
    let lacking = |pairs: Vec<Option<usize>>| {
        let alone = pairs.into_iter().enumerate().filter(|(_, pair)| pair.is_none());
        alone.map(|(one, _)| one).collect::<Vec<usize>>()
    };
    let sure = lacking(matching(left, right, |one, two| at(one, two) == Some(&Fit::Yes)));
    if sure.is_empty() {
        return Pairing::Whole;
    }
    if !fits.contains(&Fit::Unsure) {
        return Pairing::Lacks(sure);
    }
    let open = lacking(matching(left, right, |one, two| at(one, two).is_some_and(|fit| *fit != Fit::No)));
    if open.is_empty() { Pairing::Unsure } else { Pairing::Lacks(open) }
}

/// The names of an agent's tools, in small letters, as an operation may be called after them.
#[derive(Clone, Debug)]
pub(super) struct ToolNames {
    patterns: Vec<Pattern>,
}

impl ToolNames {
    /// Those that are declared. A family of any name makes no word a name.
    pub(super) fn of(compiler: &Compiler<'_, '_>) -> ToolNames {
        let small = compiler.tools().iter().map(|tool| tool.name.to_ascii_lowercase());
        let both = small.flat_map(|name| [Some(last_part(&name).to_owned()).filter(|part| *part != name), Some(name)]);
        ToolNames { patterns: both.flatten().filter(|name| name != "*").map(|name| Pattern::key(&name)).collect() }
    }

    /// True if an operation is called after a tool: one that is declared, or one that was called.
    fn name(&self, op: &str, acts: &[Act]) -> bool {
        let small = canonical_name(op).to_ascii_lowercase();
        self.patterns.iter().any(|pattern| pattern.matches(&small)) || acts.iter().any(|act| is_name_of(op, &act.tool))
    }
}

/// True if an operation is called after this tool, in whatever case.
fn is_name_of(op: &str, tool: &str) -> bool {
    canonical_name(op).eq_ignore_ascii_case(tool) || last_part(tool).eq_ignore_ascii_case(op)
}

fn last_part(tool: &str) -> &str {
    tool.rsplit('/').next().unwrap_or(tool)
}

/// A claim beside the calls that it may mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claimed<'a> {
    pub(super) claim: &'a Claim<'a>,
    /// True if its operation is called after a tool.
    is_named: bool,
}

/// The claims of operations, as far as they say that something came of one.
pub(super) fn operations<'a>(claims: &'a [Claim<'a>], names: &ToolNames, acts: &[Act]) -> Vec<Claimed<'a>> {
    let of_calls = claims.iter().filter(|claim| claim.is_operation());
    let of_calls =
        of_calls.filter(|claim| claim.outcome != Some(CoreOutcome::OtherQuestion) && !has_unknown_word(claim));
    of_calls.map(|claim| Claimed { claim, is_named: names.name(claim.op, acts) }).collect()
}

/// True for a claim of an operation whose outcome is a word that nobody knows.
pub(super) fn has_unknown_word(claim: &Claim<'_>) -> bool {
    claim.is_operation() && claim.word.is_some() && claim.outcome.is_none()
}

impl Claimed<'_> {
    /// Whether a call bears it out.
    pub(super) fn fits(&self, act: &Act, key: &SessionKey) -> Fit {
        if !self.means(act) || !self.is_supported(act) {
            return Fit::No;
        }
        self.target(act, key).and(self.amount(act, key))
    }

    /// True if its operation may be this call.
    fn means(&self, act: &Act) -> bool {
        !self.is_named || is_name_of(self.claim.op, &act.tool)
    }

    /// True if the call ended as it says.
    fn is_supported(&self, act: &Act) -> bool {
        let Some(outcome) = self.claim.outcome else { return is_open(act) };
        supported(act, self.is_named).contains(&outcome) && !(outcome == CoreOutcome::Success && self.misnames(act))
    }

    /// True if it calls a success by another word of the domain than the tool's own.
    fn misnames(&self, act: &Act) -> bool {
        let is_core = |word: &str| CoreOutcome::WORDS.iter().any(|(known, _)| *known == word);
        match (self.claim.word.filter(|word| !is_core(word)), &act.word) {
            (Some(said), Some(own)) => !said.eq_ignore_ascii_case(own),
            _ => false,
        }
    }

    fn target(&self, act: &Act, key: &SessionKey) -> Fit {
        match self.claim.target {
            None | Some(Value::Null) => Fit::Yes,
            // One claim is about one record.
            Some(Value::Array(_) | Value::Object(_)) => Fit::No,
            Some(target) => Fit::of(holds(act, key, target)),
        }
    }

    fn amount(&self, act: &Act, key: &SessionKey) -> Fit {
        self.claim
            .amount
            .map_or(Fit::Yes, |amount| Fit::of(act.scalars().map(|scalars| scalars.hold_number(key, amount))))
    }

    /// The claim in words.
    pub(super) fn words(&self) -> String {
        let Claim { op, target, outcome, word, amount } = self.claim;
        let target = target.filter(|target| !target.is_null()).map(|target| format!(" on {}", shown(target)));
        let amount = amount.map(|amount| format!(" of {amount}"));
        let outcome = match (word, outcome) {
            (Some(word), _) => format!(" with outcome {}", quoted(word)),
            (None, Some(outcome)) => format!(" with outcome \"{}\"", outcome.name()),
            (None, None) => " without an outcome".to_owned(),
        };
        format!("{}{}{}{outcome}", quoted(op), target.unwrap_or_default(), amount.unwrap_or_default())
    }

    /// What is true instead, in words.
    pub(super) fn truth(&self, context: &Context<'_>, acts: &[Act]) -> String {
        let meant: Vec<&Act> = acts.iter().filter(|act| self.means(act)).collect();
        if meant.is_empty() {
            return match self.is_named {
                true => format!("{} was not called in this turn", quoted(self.claim.op)),
                false => "nothing was called in this turn".to_owned(),
            };
        }
        let about: Vec<&Act> = meant.into_iter().filter(|act| self.target(act, context.key) != Fit::No).collect();
        if about.is_empty() {
            return match self.claim.target {
                Some(Value::Array(_) | Value::Object(_)) => {
                    "a target is one text or number: make one claim for each record".to_owned()
                }
                target => format!("no such call of this turn was about {}", target.map(shown).unwrap_or_default()),
            };
        }
        if let (Some(last), None) = (about.last(), about.iter().find(|act| self.is_supported(act))) {
            return claimable(last, self.is_named);
        }
        match self.claim.amount {
            Some(amount) if about.iter().all(|act| self.amount(act, context.key) == Fit::No) => {
                format!("no such call of this turn has the amount {amount}")
            }
            _ => "each call bears out one claim only".to_owned(),
        }
    }
}

/// True if a call holds a value, a number being the same as its digits; `None` where nobody can tell.
pub(super) fn holds(act: &Act, key: &SessionKey, value: &Value<'_>) -> Option<bool> {
    act.scalars().map(|scalars| hold(scalars, key, value))
}

/// The same of some scalars.
pub(super) fn hold(scalars: Scalars<'_>, key: &SessionKey, value: &Value<'_>) -> bool {
    scalars.hold(key, value) || other_form(value).is_some_and(|other| scalars.hold(key, &other))
}

/// The number that a text is, or the text that a number is.
fn other_form(value: &Value<'_>) -> Option<Value<'static>> {
    match value {
        Value::String(text) => Decimal::parse_json(text.trim()).ok().map(Value::Number),
        Value::Number(number) => Some(Value::from(number.to_string())),
        _ => None,
    }
}

/// True if two scalars are one as claims name them: texts in any case and without space around them, numbers by value.
pub(super) fn is_same(one: &Value<'_>, two: &Value<'_>) -> bool {
    let equal = |one: &Value<'_>, two: &Value<'_>| match (one, two) {
        (Value::String(one), Value::String(two)) => one.trim().eq_ignore_ascii_case(two.trim()),
        (one, two) => one == two,
    };
    equal(one, two) || other_form(one).is_some_and(|one| equal(&one, two))
}

/// True if nobody has heard how a call ended: it is claimed without an outcome.
fn is_open(act: &Act) -> bool {
    matches!(act.end, End::Running | End::Unknown)
}

/// The outcomes that a call bears out. That a read succeeded is no news under any name but its own: it makes nobody's
/// booking.
fn supported(act: &Act, is_named: bool) -> &'static [CoreOutcome] {
    use CoreOutcome::{Asked, Blocked, Failure, NoOp, NotFound, Refused, Success};
    match (act.end, act.effect, act.is_empty) {
        (End::Denied, ..) => &[Blocked, Refused],
        (End::Refused, ..) => &[Refused, Blocked],
        (End::Asked, ..) => &[Asked],
        (End::Running | End::Unknown, ..) => &[],
        (End::Done | End::NoEffect, Effect::Read, true) if is_named => &[NotFound, Success, NoOp],
        (End::Done | End::NoEffect, Effect::Read, true) => &[NotFound, NoOp],
        (End::Done | End::NoEffect, Effect::Read, false) if is_named => &[Success, NoOp],
        (End::Done | End::NoEffect, Effect::Read, false) => &[NoOp],
        (End::Done, ..) => &[Success],
        (End::NoEffect, _, true) => &[NoOp, NotFound],
        (End::NoEffect, _, false) => &[NoOp],
        // Why it failed stands in a text that nobody here reads.
        (End::Failed, ..) => &[Failure, NotFound, Blocked, Refused],
        (End::FailedWithEffect, ..) => &[Failure],
    }
}

/// `` `refund` (refunding 12) took effect ``: how a call ended.
pub(super) fn ended(act: &Act) -> String {
    let how = match (act.end, act.effect) {
        (End::Denied, _) => "was stopped by a rule",
        (End::Refused, _) => "was refused by a person",
        (End::Asked, _) => "waits for a person's answer",
        (End::Running, _) => "has not come back",
        (End::Done | End::NoEffect, Effect::Read) if act.is_empty => "only read, and found nothing",
        (End::Done | End::NoEffect, Effect::Read) => "only read, and changed nothing",
        (End::Done, _) => "took effect",
        (End::NoEffect, _) => "changed nothing",
        (End::Failed, _) => "failed and changed nothing",
        (End::FailedWithEffect, _) => "failed, and had an effect all the same",
        (End::Unknown, _) => "may or may not have taken effect",
    };
    let label = act.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
    format!("`{}`{label} {how}", act.tool)
}

/// How a call ended, and what to claim of it.
pub(super) fn claimable(act: &Act, is_named: bool) -> String {
    let supported = supported(act, is_named);
    let word = act.word.as_ref().filter(|_| supported.contains(&CoreOutcome::Success));
    let word = word.map(|word| format!("\"{word}\""));
    let outcomes = supported.iter().map(|one| format!("\"{}\"", one.name()));
    let outcomes: Vec<String> = word.into_iter().chain(outcomes).collect();
    match outcomes.is_empty() {
        true => format!("{}: say so, and claim it without an outcome or not at all", ended(act)),
        false => format!("{}, which is {}", ended(act), joined(&outcomes, "or")),
    }
}

/// The words of outcomes, for a correction.
pub(super) fn outcome_words() -> String {
    joined(&CoreOutcome::WORDS.iter().map(|(word, _)| format!("\"{word}\"")).collect::<Vec<_>>(), "or")
}

/// `a; b; c; and 2 more`: the first few of what is wrong.
pub(super) fn listed(all: usize, named: impl Iterator<Item = String>) -> String {
    let named: Vec<String> = named.take(MAX_NAMED).collect();
    match all.saturating_sub(named.len()) {
        0 => named.join("; "),
        more => format!("{}; and {more} more", named.join("; ")),
    }
}

/// True if a call did what it is for: it took effect; of a read, it came back, also where the host says that it had none.
pub(super) fn succeeded(act: &Act) -> bool {
    act.took_effect() || act.effect == Effect::Read && matches!(act.end, End::Done | End::NoEffect)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::guards::reply::tests::key;

    /// An act of a write that took effect, and holds these values.
    pub(crate) fn act(tool: &str, end: End, values: &str) -> Act {
        let limits = crate::json::Limits::default();
        let values = crate::json::parse(values.as_bytes(), &limits).unwrap();
        Act {
            call: "c".into(),
            tool: tool.into(),
            effect: Effect::Write,
            end,
            is_empty: false,
            word: None,
            label: None,
            public_reason: None,
            values: crate::acts::value_hashes(&key(), &values).map(std::sync::Arc::from),
            arguments: 0,
        }
    }

    /// The same of a read.
    pub(crate) fn read(tool: &str, values: &str) -> Act {
        Act { effect: Effect::Read, ..act(tool, End::Done, values) }
    }

    /// The same with more values than are kept.
    pub(crate) fn full(tool: &str, end: End) -> Act {
        Act { values: None, ..act(tool, end, "[]") }
    }

    #[test]
    fn what_nobody_can_tell_decides_only_where_the_rest_does_not() {
        let of = |rows: &[&[Fit]]| paired(rows.len(), rows[0].len(), |one, two| rows[one][two]);
        use Fit::{No, Unsure, Yes};
        assert_eq!(of(&[&[Unsure, Yes], &[Yes, No]]), Pairing::Whole);
        assert_eq!(of(&[&[Unsure, No], &[No, Yes]]), Pairing::Unsure);
        assert_eq!(of(&[&[Unsure, No], &[No, No]]), Pairing::Lacks(vec![1]));
        assert_eq!(of(&[&[Yes], &[Yes]]), Pairing::Lacks(vec![1]));
    }

    #[test]
    fn a_word_of_the_domain_fits_the_success_of_its_own_tool() {
        let own = Act { word: Some("Booked".into()), ..act("book", End::Done, "[]") };
        let fits = |word, act: &Act| {
            let outcome = Some(CoreOutcome::Success);
            let claim = Claim { op: "it", target: None, outcome, word: Some(word), amount: None };
            Claimed { claim: &claim, is_named: false }.fits(act, &key())
        };
        assert_eq!([fits("booked", &own), fits("success", &own), fits("paid", &own)], [Fit::Yes, Fit::Yes, Fit::No]);
        assert_eq!(fits("paid", &act("pay", End::Done, "[]")), Fit::Yes);
    }

    #[test]
    fn an_amount_is_found_however_its_decimals_are_spelled_and_a_target_is_not() {
        let paid = act("pay", End::Done, r#"{"sum": "12.50", "version": "1.10"}"#);
        let claim = |target: Option<&'static str>, amount: Option<&str>| {
            let target = target.map(Value::from);
            let amount = amount.map(|amount| amount.parse().unwrap());
            let outcome = Some(CoreOutcome::Success);
            let claim = Claim { op: "pay", target: target.as_ref(), outcome, word: None, amount };
            Claimed { claim: &claim, is_named: true }.fits(&paid, &key())
        };
        assert_eq!([claim(None, Some("12.5")), claim(None, Some("12.500")), claim(Some("1.10"), None)], [Fit::Yes; 3]);
        assert_eq!([claim(None, Some("12")), claim(Some("1.1"), None)], [Fit::No; 2]);
    }

    #[test]
    fn a_read_that_had_no_effect_did_what_it_is_for() {
        assert!(succeeded(&Act { end: End::NoEffect, ..read("look", "[]") }));
        assert!(!succeeded(&Act { end: End::Failed, ..read("look", "[]") }));
        assert!(!succeeded(&act("pay", End::NoEffect, "[]")) && succeeded(&act("pay", End::FailedWithEffect, "[]")));
    }

    #[test]
    fn a_number_is_its_digits() {
        let acts = act("pay", End::Done, r#"{"id": 1042, "of": "12.5", "sku": " AB-1 "}"#);
        for (value, wanted) in [
            (Value::from("1042"), true),
            (Value::from("ab-1"), true),
            (Value::Number("12.50".parse().unwrap()), true),
            (Value::from("104"), false),
            (Value::from("01042"), false),
        ] {
            assert_eq!(holds(&acts, &key(), &value), Some(wanted), "{value:?}");
        }
        assert!(
            is_same(&Value::from("7"), &Value::Number(7.into())) && !is_same(&Value::from("7"), &Value::from("07"))
        );
    }
}
