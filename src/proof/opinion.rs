//! What the guards of one tool say of its calls, as conditions: when each denies, asks, lifts.
//!
//! The reading follows `session/judge.rs` and `session/found.rs`. Kinds that judge more than one argument at a time are
//! facts of their own, known by their kind and parameters.

use super::domain::{Domain, Numbers};
use super::fitting::fit;
use super::fitting::seed;
use super::formula::{Formula, Space};
use super::reading::{Faults, Reader, Truth};
use crate::guards::Check;
use crate::guards::arg_range::Bounds;
use crate::guards::screen::{Among, Claim};
use crate::policy::{BoundGuard, Policy, Question, ToolPolicy, Undoing};
use crate::spec::{Action, By, EdgeSpec, GuardSpec, OnFailure, OnMissing, Spec};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What one guard says of the calls of a tool.
#[derive(Clone, Debug)]
pub(crate) struct Opinion {
    pub(crate) code: Arc<str>,
    /// Where it applies.
    pub(crate) applies: Formula,
    /// Where it fires.
    pub(crate) fires: Formula,
    /// Where it denies, also because it cannot judge.
    pub(crate) denies: Formula,
    pub(crate) asks: Formula,
    pub(crate) lifts: Formula,
    /// Who is asked.
    pub(crate) by: By,
    /// True if it fires whenever it applies because its author says so.
    pub(crate) is_bare: bool,
}

impl Opinion {
    /// Where it stands against a call.
    pub(crate) fn opposes(&self) -> Formula {
        self.denies.clone().or(self.asks.clone())
    }

    /// True for a guard that its author did not write.
    pub(crate) fn is_automatic(&self) -> bool {
        self.code.starts_with("auto/")
    }
}

/// The calls of one tool, and what its guards say of them.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) space: Space,
    /// What the schema asks.
    pub(crate) fit: Formula,
    /// In the order in which they are shown.
    pub(crate) opinions: Vec<Opinion>,
}

/// The parameters of the rules of a spec, by their codes, for what is known of a kind by its text.
fn parameters(spec: &Spec) -> BTreeMap<&str, String> {
    let of_guard = |guard: &'_ GuardSpec| {
        let parameters = guard.rule.as_ref()?.parameters();
        let mut text = crate::canon::to_text(&parameters);
        if text.contains("\"expr\":") {
            text.push_str(&meaning(spec, &text));
        }
        // It counts what all of its tools were called with.
        if guard.kind == Some("distinctTargets") {
            text.push_str(&format!(" {:?}", guard.selection.selector));
        }
        Some(text)
    };
    let guards = spec.guards.iter().filter_map(|guard| Some((guard.id.value.as_str(), of_guard(guard)?)));
    let edges = spec.flow.iter().map(|edge| (edge.id.value.as_str(), crate::canon::to_text(&of_edge(edge))));
    guards.chain(edges).collect()
}

/// The parameters of an edge; one that is to be fresh says after whose writes.
fn of_edge(edge: &EdgeSpec) -> Value<'static> {
    let mut parameters = edge.rule.parameters();
    if let Value::Object(members) = &mut parameters
        && let Some(fresh) = members.get_mut("fresh")
    {
        *fresh = Value::from(format!("{:?}", edge.selection.selector));
    }
    parameters
}

/// What the lets and constants are that a text names.
fn meaning(spec: &Spec, text: &str) -> String {
    let mut meant = BTreeMap::new();
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        for word in text.split(|one: char| !one.is_alphanumeric() && one != '_') {
            if word == "params" {
                meant.insert("params", crate::canon::to_text(&spec.params));
            }
            let Some(one) = spec.lets.iter().find(|one| one.name.value == word) else { continue };
            let value = one.value.text();
            if meant.insert(&one.name.value, value.clone()).is_none() {
                open.push(value);
            }
        }
    }
    meant.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

/// The calls of every tool of a spec, in the order of the file.
pub(crate) fn of_spec(spec: &Spec, policy: &Policy) -> Vec<Calls> {
    let parameters = parameters(spec);
    let tools = spec.tools.iter().zip(&policy.tools);
    let calls = tools.map(|(written, tool)| {
        let mut space = Space::default();
        seed(&mut space, &[&tool.args]);
        let fit = fit(&mut space, spec, written, &tool.args, &tool.args);
        let mut reader = Reader::of(&mut space, policy, tool, None);
        let opinions = opinions(&mut reader, tool, None, &parameters);
        Calls { space, fit, opinions }
    });
    calls.collect()
}

/// One tool of a spec, in a space that it may share with the same tool of another; of a family one member by its name.
pub(crate) fn of_tool(
    space: &mut Space,
    (spec, policy): (&Spec, &Policy),
    tool: &ToolPolicy,
    name: Option<&str>,
) -> Vec<Opinion> {
    opinions(&mut Reader::of(space, policy, tool, name), tool, name, &parameters(spec))
}

fn opinions<'p>(
    reader: &mut Reader<'p, '_>,
    tool: &'p ToolPolicy,
    name: Option<&str>,
    parameters: &BTreeMap<&str, String>,
) -> Vec<Opinion> {
    let destructive = match &tool.destructive {
        Undoing::Never => Formula::Never,
        Undoing::Always => Formula::Always,
        // What cannot be judged is taken for it.
        Undoing::When(when) => reader.condition(when).no.not(),
    };
    let mut opinions = Vec::new();
    for planned in &tool.guards {
        // Of a member that is known by its name it is known whether the guard is about it.
        if name.is_some_and(|name| planned.about(name, tool.effect).is_none()) {
            continue;
        }
        let parameters = parameters.get(&*planned.what.code).map_or("", String::as_str);
        let mut opinion = Opining { reader, tool, destructive: &destructive, parameters }.of(&planned.what);
        // Of a family the guard may be about some members only.
        if let Some(selector) = planned.selector.as_ref().filter(|_| name.is_none()) {
            let about = Formula::Holds(reader.space.fact(&format!("{selector:?}")), true);
            let parts =
                [&mut opinion.applies, &mut opinion.fires, &mut opinion.denies, &mut opinion.asks, &mut opinion.lifts];
            for part in parts {
                *part = about.clone().and(std::mem::replace(part, Formula::Never));
            }
        }
        opinions.push(opinion);
    }
    opinions
}

/// What the question of a guard comes to.
struct Asked {
    fires: Formula,
    /// What a kind reads is missing: it fires then, unless it is to skip that.
    missing: Formula,
    faults: Faults,
}

impl Asked {
    fn where_fires(fires: Formula) -> Asked {
        Asked { fires, missing: Formula::Never, faults: Faults::NONE }
    }
}

struct Opining<'o, 'p, 's> {
    reader: &'o mut Reader<'p, 's>,
    tool: &'p ToolPolicy,
    destructive: &'o Formula,
    parameters: &'o str,
}

impl<'p> Opining<'_, 'p, '_> {
    fn of(&mut self, guard: &'p BoundGuard) -> Opinion {
        let when = guard.when.as_ref().map_or_else(Truth::always, |when| self.reader.condition(when));
        let asked = match &guard.each {
            None => self.asked(guard),
            Some(each) => {
                let mut text = format!("each {}", self.reader.text(each));
                let inner = guard.each_when.iter().chain(guard.question.program());
                for program in inner {
                    text.push_str(&format!(" {}", self.reader.text(program)));
                }
                text.push_str(&format!(" {} {} {:?}", guard.kind, self.parameters, guard.missing));
                self.unread(&text, true)
            }
        };
        let here = |inner: &Formula| when.yes.clone().and(inner.clone());
        let keeps = |formula: Formula| if guard.missing == OnMissing::Skip { Formula::Never } else { formula };
        let fires = here(&asked.fires).or(keeps(here(&asked.missing)));
        let missing = keeps(when.faults.missing.clone().or(here(&asked.faults.missing)));
        let lets = keeps(when.faults.lets.clone().or(here(&asked.faults.lets)));
        let fails = when.faults.fails.clone().or(here(&asked.faults.fails)).or(missing);
        let on = |action, formula: &Formula| if guard.action == action { formula.clone() } else { Formula::Never };
        let is_firm = !matches!(guard.action, Action::Audit | Action::Allow);
        let failing = |on_failure| {
            if is_firm && guard.on_failure == on_failure { fails.clone() } else { Formula::Never }
        };
        let of_lets = if is_firm { lets } else { Formula::Never };
        let is_bare = matches!(guard.question, Question::Nothing) || matches!(guard.kind, "forbid" | "confirmFirst");
        Opinion {
            code: guard.code.clone(),
            denies: Formula::any([on(Action::Deny, &fires), failing(OnFailure::Deny), of_lets]),
            asks: on(Action::Ask, &fires).or(failing(OnFailure::Ask)),
            lifts: on(Action::Allow, &fires),
            applies: when.yes,
            fires,
            by: guard.by,
            is_bare,
        }
    }

    fn asked(&mut self, guard: &'p BoundGuard) -> Asked {
        match &guard.question {
            Question::Nothing => Asked::where_fires(Formula::Always),
            Question::Holds(check) => {
                let Truth { no, faults, .. } = self.reader.condition(check);
                Asked { fires: no, missing: Formula::Never, faults }
            }
            Question::Kind(check) => self.kind(guard.kind, &**check),
        }
    }

    fn kind(&mut self, kind: &str, check: &'p dyn Check) -> Asked {
        if let Some(program) = check.program() {
            let Truth { no, faults, .. } = self.reader.condition(program);
            let missing = faults.missing.clone();
            return Asked { fires: no, missing, faults: Faults { missing: Formula::Never, ..faults } };
        }
        if let Some(claim) = check.claim() {
            return self.claim(&claim);
        }
        match (kind, self.argument()) {
            ("forbid", _) => Asked::where_fires(Formula::Always),
            ("confirmFirst", _) => {
                let simulate = self.tool.simulate.map(|slot| self.reader.slot(slot));
                let simulates = simulate.map_or(Formula::Never, |term| Formula::within(term, Domain::truth(true)));
                Asked::where_fires(self.destructive.clone().and(simulates.not()))
            }
            ("argAbsent", Some(term)) => Asked::where_fires(Formula::within(term, Domain::nothing().not())),
            ("argRequired", Some(term)) => {
                let blank = self.fact(&format!("blank {}", self.parameters));
                let may_be = Domain::any_text().or(&Domain::any_parts());
                let fires = Formula::within(term, Domain::nothing()).or(Formula::within(term, may_be).and(blank));
                Asked::where_fires(fires)
            }
            // Whether a call cannot be undone is no part of the kind's own parameters.
            ("destructiveThrottle", _) => {
                let fires = self.fact("destructiveThrottle ");
                Asked::where_fires(self.destructive.clone().and(fires))
            }
            _ => self.unread(&format!("{kind} {}", self.parameters), kind != "noDuplicateCall"),
        }
    }

    /// What is only known by its text: it fires, or something that it reads is missing, or it fails.
    fn unread(&mut self, text: &str, may_lack: bool) -> Asked {
        let fires = self.fact(text);
        let mut fact = |may_be: bool, what: &str| match may_be {
            true => self.fact(&format!("{text} {what}")),
            false => Formula::Never,
        };
        let fails = fact(true, "fails");
        let (missing, lets) = (fact(may_lack, "lacks"), fact(may_lack, "lacks a let"));
        let is_each = text.starts_with("each ");
        let (kind, written) = if is_each { (Formula::Never, missing) } else { (missing, Formula::Never) };
        Asked { fires, missing: kind, faults: Faults { missing: written, lets, fails } }
    }

    /// The term of the one argument that a kind names.
    fn argument(&mut self) -> Option<super::formula::Term> {
        let parameters = crate::json::parse(self.parameters.as_bytes(), &crate::json::Limits::default()).ok()?;
        let slot = self.tool.args.slot(parameters.get("arg")?.as_str()?)?;
        Some(self.reader.slot(slot))
    }

    fn claim(&mut self, claim: &Claim) -> Asked {
        let term = self.reader.slot(claim.slot);
        // Lists and maps among the values are known by their text only.
        if let Among::Only(values) | Among::Not(values) = &claim.among
            && values.iter().any(|value| matches!(value, Value::Array(_) | Value::Object(_)))
        {
            return self.unread(&format!("{claim:?}"), true);
        }
        let there = Domain::nothing().not();
        let fires = match &claim.among {
            Among::Range(bounds) => there.and(&Domain::of_numbers(within(bounds)).not()),
            Among::Only(values) => there.and(&Domain::of_values(values).not()),
            Among::Not(values) => Domain::of_values(values),
        };
        let missing = Formula::within(term, Domain::nothing());
        Asked { fires: Formula::within(term, fires), missing, faults: Faults::NONE }
    }

    fn fact(&mut self, text: &str) -> Formula {
        Formula::Holds(self.reader.space.fact(text), true)
    }
}

fn within(bounds: &Bounds) -> Numbers {
    let parts = [
        bounds.min.map(Numbers::at_least),
        bounds.max.map(Numbers::at_most),
        bounds.exclusive_min.map(Numbers::above),
        bounds.exclusive_max.map(Numbers::below),
    ];
    parts.into_iter().flatten().fold(Domain::ALL.numbers, |set, bound| set.and(&bound))
}
