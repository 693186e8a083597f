//! What the guards of one tool say of its calls, as conditions: when each denies, asks, lifts.
//!
//! The reading follows `session/judge.rs` and `session/found.rs`. Kinds that judge more than one argument at a time are
//! facts of their own, known by their kind and parameters.

use super::domain::{Domain, Numbers};
use super::formula::{Formula, Space};
use super::reading::{Faults, Reader, Truth, allowed};
use crate::decimal::Decimal;
use crate::guards::Check;
use crate::guards::arg_range::Bounds;
use crate::guards::screen::{Among, Claim};
use crate::policy::{BoundGuard, Policy, Question, ToolPolicy, Undoing};
use crate::schema::{ArgSchema, without_references};
use crate::spec::{Action, OnFailure, OnMissing, Spec, ToolSpec};
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
    let text = |rule: &Arc<dyn crate::guards::Rule>| crate::canon::to_text(&rule.parameters());
    let guards = spec.guards.iter().filter_map(|guard| Some((guard.id.value.as_str(), text(guard.rule.as_ref()?))));
    let edges = spec.flow.iter().map(|edge| (edge.id.value.as_str(), text(&edge.rule)));
    guards.chain(edges).collect()
}

/// The calls of every tool of a spec, in the order of the file.
pub(crate) fn of_spec(spec: &Spec, policy: &Policy) -> Vec<Calls> {
    let parameters = parameters(spec);
    let tools = spec.tools.iter().zip(&policy.tools);
    let calls = tools.map(|(written, tool)| {
        let mut space = Space::default();
        seed(&mut space, &[&tool.args]);
        let fit = fit(&mut space, spec, written, &tool.args, &tool.args);
        let opinions = opinions(&mut space, tool, &parameters);
        Calls { space, fit, opinions }
    });
    calls.collect()
}

/// One tool of a spec, in a space that it may share with the same tool of another.
pub(crate) fn of_tool(space: &mut Space, spec: &Spec, tool: &ToolPolicy) -> Vec<Opinion> {
    opinions(space, tool, &parameters(spec))
}

/// Makes the terms of arguments known: where several schemas have one, a step is known only if they agree.
pub(crate) fn seed(space: &mut Space, schemas: &[&ArgSchema]) {
    let step = |schema: &ArgSchema, path: &str| {
        schema.slot(path).and_then(|slot| schema.possible(slot)).and_then(|possible| possible.step)
    };
    for path in schemas.iter().flat_map(|schema| schema.paths()) {
        let mut steps = schemas.iter().map(|schema| step(schema, path));
        let first: Option<Decimal> = steps.next().flatten();
        let common = first.filter(|first| steps.all(|other| other == Some(*first)));
        space.term(&format!("args.{path}"), || (Domain::ALL, common));
    }
}

/// What the schema of a tool asks of the arguments that it or another one declares.
pub(crate) fn fit(space: &mut Space, spec: &Spec, written: &ToolSpec, args: &ArgSchema, other: &ArgSchema) -> Formula {
    let mut conditions = Vec::new();
    for path in args.paths() {
        let Some(slot) = args.slot(path) else { continue };
        let term = space.term(&format!("args.{path}"), || (Domain::ALL, None));
        let allowed = allowed(args, slot);
        if let Some(pattern) = args.possible(slot).and_then(|possible| possible.pattern) {
            let fact = space.fact(&format!("matches(args.{path}, {:?})", pattern.as_str()));
            let is_text = Formula::within(term, Domain::any_text());
            conditions.push(is_text.not().or(Formula::Holds(fact, true)));
        }
        conditions.push(Formula::within(term, allowed));
    }
    if args.is_closed() {
        for path in other.paths().filter(|path| args.slot(path).is_none()) {
            let term = space.term(&format!("args.{path}"), || (Domain::ALL, None));
            conditions.push(Formula::within(term, Domain::missing()));
        }
    }
    if let Some(parameters) = &written.parameters {
        let schema = without_references(&parameters.schema, &spec.schema_sources());
        let mut rest = Vec::new();
        unread(&schema, "", &mut rest);
        conditions.extend(rest.iter().map(|text| Formula::Holds(space.fact(text), true)));
    }
    Formula::all(conditions)
}

/// What a schema says beside what terms and patterns tell: each place as a fact.
fn unread(schema: &Value<'_>, path: &str, found: &mut Vec<String>) {
    const TOLD: [&str; 15] = [
        "$comment",
        "$defs",
        "$schema",
        "const",
        "default",
        "description",
        "enum",
        "examples",
        "exclusiveMaximum",
        "exclusiveMinimum",
        "maximum",
        "minimum",
        "pattern",
        "properties",
        "title",
    ];
    let Some(members) = schema.as_object() else { return };
    // Of types terms know no difference between whole numbers and others, lists and maps.
    let is_told = |key: &str, value: &Value<'_>| match key {
        "type" => matches!(value.as_str(), Some("string" | "number" | "boolean" | "null")) || path.is_empty(),
        "required" => path.is_empty(),
        "additionalProperties" => *value == Value::Bool(false),
        _ => TOLD.contains(&key),
    };
    let rest = members.iter().filter(|(key, value)| !is_told(key, value));
    found.extend(rest.map(|(key, value)| format!("schema {path} {key} {}", crate::canon::to_text(value))));
    for (name, property) in members.get("properties").and_then(Value::as_object).into_iter().flat_map(|all| all.iter())
    {
        unread(property, &if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }, found);
    }
}

fn opinions(space: &mut Space, tool: &ToolPolicy, parameters: &BTreeMap<&str, String>) -> Vec<Opinion> {
    let mut reader = Reader { space, args: &tool.args, lets: &tool.lets };
    let destructive = match &tool.destructive {
        Undoing::Never => Formula::Never,
        Undoing::Always => Formula::Always,
        // What cannot be judged is taken for it.
        Undoing::When(when) => reader.condition(when).no.not(),
    };
    let mut opinions = Vec::new();
    for planned in &tool.guards {
        let parameters = parameters.get(&*planned.what.code).map_or("", String::as_str);
        let mut opinion =
            Opining { reader: &mut reader, tool, destructive: &destructive, parameters }.of(&planned.what);
        // Of a family the guard may be about some members only.
        if let Some(selector) = &planned.selector {
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
                Asked::where_fires(self.fact(&text))
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
            _ => {
                let fires = self.fact(&format!("{kind} {}", self.parameters));
                // Whether a call cannot be undone is no part of the kind's own parameters.
                let about = if kind == "destructiveThrottle" { self.destructive.clone() } else { Formula::Always };
                Asked::where_fires(about.and(fires))
            }
        }
    }

    /// The term of the one argument that a kind names.
    fn argument(&mut self) -> Option<super::formula::Term> {
        let parameters = crate::json::parse(self.parameters.as_bytes(), &crate::json::Limits::default()).ok()?;
        let slot = self.tool.args.slot(parameters.get("arg")?.as_str()?)?;
        Some(self.reader.slot(slot))
    }

    fn claim(&mut self, claim: &Claim) -> Asked {
        let term = self.reader.slot(claim.slot);
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
