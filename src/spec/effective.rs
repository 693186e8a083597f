//! The effective spec: one value that says all a spec, its contract and their files mean together, and reads back to
//! itself. Its canonical bytes are what the policy's digest is taken over.
//!
//! Defaults are left out and every short form is spelled out, so two spellings of one meaning have one digest. Rules
//! of the contract that name only tools which this agent does not have are left out too.

use super::parse::names::{is_empty, offset_text};
use super::words::{Directive, Lane, Neighbour};
use super::{
    Action, Approvals, BudgetSpec, By, ChainSpec, DefaultVerdict, Destructive, GuardSpec, Idempotency, Layer,
    LedgerSpec, Measure, Mode, OnFailure, OnMissing, OnSpent, Parameters, Profile, Rewrite, Selection, Spec, Streaming,
    Terminal, ToolSpec,
};
use crate::decimal::Decimal;
use crate::expr::{Expression, Let, Template};
use crate::guards::Hook;
use crate::path::Path;
use crate::schema::without_references;
use crate::source::Spanned;
use crate::tool::{Effect, Pattern};
use crate::value::{Object, Value};

pub(super) fn effective(spec: &Spec) -> Value<'static> {
    let tools = spec.tools.iter().map(|tool| (tool.name.value.text(), tool_value(spec, tool)));
    let flow: Vec<Value<'static>> = spec.flow.iter().map(|edge| edge.written.clone()).collect();
    object([
        ("agentspec", Some(Value::from(1))),
        ("id", Some(text(&spec.id.value))),
        ("contract", contract_value(spec)),
        ("persona", Some(said(&spec.persona))),
        ("scope", spec.lane.as_ref().map(lane_value)),
        ("grants", grants_value(spec)),
        ("default", (spec.default != DefaultVerdict::Allow).then(|| text(spec.default.name()))),
        ("mode", (spec.mode != Mode::Enforce).then(|| text(spec.mode.name()))),
        ("time", spec.offset.map(|offset| object([("offset", Some(Value::from(offset_text(offset))))]))),
        ("world", world_value(spec)),
        ("params", (!is_empty(&spec.params)).then(|| spec.params.clone())),
        ("let", lets_value(spec)),
        ("tools", Some(object_of(tools))),
        ("flow", list(flow)),
        ("guards", guards_value(spec, Layer::Spec)),
        ("chains", list(spec.chains.iter().map(chain_value).collect())),
        ("budgets", budgets_value(spec, Layer::Spec)),
        ("approvals", approvals_value(spec, Layer::Spec)),
        ("behavior", all_said(&spec.behavior)),
        ("directives", list(spec.directives.iter().map(directive_value).collect())),
        ("ledger", ledger_value(spec)),
        ("controls", controls_value(spec)),
    ])
}

fn text(text: &str) -> Value<'static> {
    Value::from(text.to_owned())
}

fn object<const N: usize>(members: [(&'static str, Option<Value<'static>>); N]) -> Value<'static> {
    Object::of_some(members).into()
}

fn object_of<'k>(members: impl Iterator<Item = (&'k str, Value<'static>)>) -> Value<'static> {
    let mut object = Object::new();
    for (key, value) in members {
        object.insert(key.to_owned().into(), value);
    }
    object.into()
}

fn list(items: Vec<Value<'static>>) -> Option<Value<'static>> {
    (!items.is_empty()).then_some(Value::Array(items))
}

fn texts(items: impl Iterator<Item = impl Into<String>>) -> Option<Value<'static>> {
    list(items.map(|item| Value::from(item.into())).collect())
}

fn effects(effects: &[Effect]) -> Value<'static> {
    Value::Array(effects.iter().map(|effect| text(effect.name())).collect())
}

fn grants_value(spec: &Spec) -> Option<Value<'static>> {
    let granted = object([
        ("effects", spec.grants.effects.as_deref().map(effects)),
        ("scopes", texts(spec.grants.scopes.iter().map(String::as_str))),
    ]);
    granted.as_object().is_some_and(|members| !members.is_empty()).then_some(granted)
}

fn world_value(spec: &Spec) -> Option<Value<'static>> {
    let schema = spec.world.as_ref().map(|schema| without_references(&schema.value, &spec.schema_sources()));
    let stale = spec.world_goes_stale.then(|| text("deny"));
    let untrusted = texts(spec.untrusted_world.iter().map(|path| path.value.to_string()));
    (schema.is_some() || stale.is_some() || untrusted.is_some())
        .then(|| object([("schema", schema), ("stale", stale), ("untrusted", untrusted)]))
}

/// What a contract says and decides; constants, lets and schemas of it stand with those of the spec.
fn contract_value(spec: &Spec) -> Option<Value<'static>> {
    let words = &spec.words;
    let wording = words.wording.entries().filter_map(|(key, text)| Some((key, said(text?))));
    let wording = object_of(wording);
    let outcomes = words.outcomes.iter().map(|(word, outcome)| (word.value.as_str(), text(outcome.name())));
    let hidden = words.sensitive.iter().map(|(field, hiding)| (field.value.as_str(), text(hiding.name())));
    let some = |value: Value<'static>| (!is_empty(&value)).then_some(value);
    let said = object([
        ("voice", words.voice.as_ref().map(said)),
        ("rules", all_said(&words.rules)),
        ("facts", all_said(&words.facts)),
        ("language", words.language.as_ref().map(said)),
        ("outcomes", some(object_of(outcomes))),
        ("wording", some(wording)),
        ("sensitive", some(object_of(hidden))),
        ("guards", guards_value(spec, Layer::Contract)),
        ("budgets", budgets_value(spec, Layer::Contract)),
        ("approvals", approvals_value(spec, Layer::Contract)),
    ]);
    let Value::Object(mut contract) = said else { return None };
    if contract.is_empty() {
        return None;
    }
    contract.insert("contract".into(), Value::from(1));
    contract.insert("id".into(), text(spec.contract.as_ref().map_or("contract", |id| id.value.as_str())));
    Some(contract.into())
}

fn said(words: &Spanned<Template>) -> Value<'static> {
    template(&words.value)
}

fn all_said(words: &[Spanned<Template>]) -> Option<Value<'static>> {
    list(words.iter().map(said).collect())
}

fn lane_value(lane: &Lane) -> Value<'static> {
    let other =
        |other: &Neighbour| object([("label", Some(said(&other.label))), ("covers", Some(said(&other.covers)))]);
    object([("lane", Some(said(&lane.lane))), ("others", list(lane.others.iter().map(other).collect()))])
}

fn directive_value(directive: &Directive) -> Value<'static> {
    object([
        ("id", Some(text(&directive.id.value))),
        ("when", directive.when.as_ref().map(expression)),
        ("say", Some(said(&directive.say))),
    ])
}

fn guards_value(spec: &Spec, layer: Layer) -> Option<Value<'static>> {
    let under = |hook| {
        let guards = spec.guards.iter().filter(|guard| guard.hook == hook && guard.layer == layer);
        list(guards.filter_map(|guard| guard_value(spec, guard)).collect())
    };
    let guards = Object::of_some(Hook::OF_GUARDS.map(|hook| (hook.name(), under(hook))));
    (!guards.is_empty()).then(|| guards.into())
}

fn chain_value(chain: &ChainSpec) -> Value<'static> {
    object([
        ("after", Some(text(chain.after.value.text()))),
        ("call", Some(text(chain.call.value.text()))),
        ("when", chain.when.as_ref().map(expression)),
    ])
}

fn budgets_value(spec: &Spec, layer: Layer) -> Option<Value<'static>> {
    let budgets = spec.budgets.iter().filter(|budget| budget.layer == layer);
    list(budgets.filter_map(|budget| budget_value(spec, budget)).collect())
}

fn approvals_value(spec: &Spec, layer: Layer) -> Option<Value<'static>> {
    let (said, taken) = (&spec.approvals, Approvals::default());
    let some = |value: Value<'static>| (!is_empty(&value)).then_some(value);
    let ttl = |ttl, taken| (ttl != taken).then(|| Value::from(super::duration::spelled(ttl)));
    let ways = [("button", said.user.button), ("code", said.user.code)];
    let ways = ways.into_iter().filter(|(_, is_accepted)| *is_accepted).map(|(way, _)| text(way));
    let words = texts(said.user.words.iter().map(String::as_str)).map(|words| object([("words", Some(words))]));
    let is_taken = said.user.button && said.user.code && said.user.words.is_empty();
    let accept = (!is_taken).then(|| Value::Array(ways.chain(words).collect()));
    let user = object([("accept", accept), ("ttl", ttl(said.user.ttl, taken.user.ttl))]);
    let approver = object([("ttl", ttl(said.approver_ttl, taken.approver_ttl))]);
    let require = (!said.require.is_empty()).then(|| effects(&said.require));
    let approvals = object([("user", some(user)), ("approver", some(approver)), ("require", require)]);
    some(approvals).filter(|_| said.layer == layer)
}

fn ledger_value(spec: &Spec) -> Option<Value<'static>> {
    let ledger = &spec.ledger;
    let keys = texts(ledger.secret_keys.iter().map(String::as_str));
    (*ledger != LedgerSpec::default())
        .then(|| object([("keepSecrets", (!ledger.keep_secrets).then_some(Value::Bool(false))), ("secretKeys", keys)]))
}

fn controls_value(spec: &Spec) -> Option<Value<'static>> {
    let controls = &spec.controls;
    let off = object_of(controls.off.iter().map(|name| (*name, Value::Bool(false))));
    let number = |count: u64| Value::Number(Decimal::from(count));
    let controls = object([
        ("vetoStreak", controls.veto_streak.map(number)),
        ("callsPerStep", controls.calls_per_step.map(number)),
        // Said, it stands in the prompt.
        ("textWithCalls", controls.text_with_calls.map(|with| text(with.name()))),
        ("redrives", controls.redrives.map(number)),
        ("stream", (controls.stream != Streaming::default()).then(|| text(controls.stream.name()))),
        ("profile", (controls.profile != Profile::default()).then(|| text(controls.profile.name()))),
        ("terminal", terminal_value(&controls.terminal)),
        ("exhaustionReply", controls.exhaustion_reply.as_ref().map(template)),
        ("auto", (!controls.off.is_empty()).then_some(off)),
    ]);
    controls.as_object().is_some_and(|members| !members.is_empty()).then_some(controls)
}

fn terminal_value(terminal: &Terminal) -> Option<Value<'static>> {
    match terminal {
        Terminal::Any => None,
        Terminal::ReplyOnly => Some(text("replyOnly")),
        Terminal::ReplyOnlyWhen(when) => Some(object([("replyOnly", Some(expression(when)))])),
    }
}

fn tool_value(spec: &Spec, tool: &ToolSpec) -> Value<'static> {
    let schema = |parameters: &Parameters| without_references(&parameters.schema, &spec.schema_sources());
    object([
        ("description", tool.description.as_deref().map(text)),
        ("effect", Some(text(tool.effect.name()))),
        ("scopes", texts(tool.scopes.iter().map(|scope| scope.value.as_str()))),
        ("rewrite", list(tool.rewrites.iter().map(Rewrite::value).collect())),
        ("coerce", tool.coerce.then_some(Value::Bool(true))),
        ("destructive", destructive_value(&tool.destructive)),
        ("label", tool.label.as_ref().map(template)),
        ("outcome", tool.outcome.as_ref().map(|outcome| text(&outcome.value))),
        ("ends", tool.ends.then(|| text("session"))),
        ("cost", tool.cost.map(Value::Number)),
        ("parameters", tool.parameters.as_ref().map(schema)),
        ("declares", tool.declares.as_ref().map(schema).and_then(|schema| schema.get("properties").cloned())),
        ("returns", tool.returns.as_ref().map(schema)),
        ("errorWhen", tool.error_when.as_ref().map(expression)),
        ("idempotency", tool.idempotency.as_ref().map(Idempotency::value)),
        ("untrusted", untrusted_value(tool)),
        ("sensitive", texts(tool.sensitive.iter().map(|place| place.value.to_string()))),
    ])
}

/// What its author says of outsiders, where that is not what is taken of such a tool.
fn untrusted_value(tool: &ToolSpec) -> Option<Value<'static>> {
    let said: Vec<&Path> = tool.untrusted.iter().map(|path| &path.value).collect();
    let taken = super::tools::untrusted_by_default(&tool.name.value);
    (said != taken.iter().collect::<Vec<_>>())
        .then(|| Value::Array(said.into_iter().map(|path| Value::from(path.to_string())).collect()))
}

fn destructive_value(destructive: &Destructive) -> Option<Value<'static>> {
    match destructive {
        Destructive::Never => None,
        Destructive::Always => Some(Value::Bool(true)),
        Destructive::When(when) => Some(object([("when", Some(expression(when)))])),
    }
}

fn expression(expression: &Expression) -> Value<'static> {
    Value::from(expression.text())
}

fn template(template: &Template) -> Value<'static> {
    text(template.text())
}

fn lets_value(spec: &Spec) -> Option<Value<'static>> {
    let one = |one: &Let| match &one.missing {
        None => expression(&one.value),
        Some(missing) => object([("value", Some(expression(&one.value))), ("missing", Some(template(missing)))]),
    };
    let lets = object_of(spec.lets.iter().map(|known| (known.name.value.as_str(), one(known))));
    (!spec.lets.is_empty()).then_some(lets)
}

/// The selectors, without the contract's patterns that name no tool here; `None` where nothing is left.
fn selection_values(
    spec: &Spec,
    selection: &Selection,
    layer: Layer,
) -> Option<[(&'static str, Option<Value<'static>>); 3]> {
    let kept = |patterns: &[Pattern]| -> Vec<Pattern> {
        patterns.iter().filter(|pattern| layer == Layer::Spec || spec.declares(pattern)).cloned().collect()
    };
    let selector = &selection.selector;
    let (tools, except) = (kept(&selector.tools), kept(&selector.except));
    let about_nothing = tools.is_empty() && !selector.tools.is_empty();
    if layer == Layer::Contract && about_nothing {
        return None;
    }
    Some([
        ("tools", texts(tools.iter().map(Pattern::text))),
        ("except", texts(except.iter().map(Pattern::text))),
        ("effects", (!selector.effects.is_empty()).then(|| effects(&selector.effects))),
    ])
}

fn guard_value(spec: &Spec, guard: &GuardSpec) -> Option<Value<'static>> {
    let [tools, except, about_effects] = match guard.hook {
        // It is about no call.
        Hook::OnInput | Hook::OnReply => [("tools", None), ("except", None), ("effects", None)],
        _ => selection_values(spec, &guard.selection, guard.layer)?,
    };
    let with = guard.rule.as_ref().map(|rule| rule.parameters());
    Some(object([
        ("id", Some(text(&guard.id.value))),
        tools,
        except,
        about_effects,
        ("when", guard.when.as_ref().map(expression)),
        ("forEach", guard.each.as_ref().map(|each| Value::from(each.text()))),
        ("check", guard.check.as_ref().map(expression)),
        ("kind", guard.kind.map(text)),
        ("with", with.filter(|with| with.as_object().is_some_and(|members| !members.is_empty()))),
        ("action", (guard.action != Action::default_of(guard.hook)).then(|| text(guard.action.name()))),
        ("redact", redact_value(guard)),
        ("interim", guard.interim.map(Value::Bool)),
        ("by", (guard.by != By::default()).then(|| text(guard.by.name()))),
        ("missing", (guard.missing == OnMissing::Skip).then(|| text("skip"))),
        ("onFailure", (guard.on_failure == OnFailure::Ask).then(|| text("ask"))),
        ("prose", guard.prose.as_ref().map(template)),
        ("correction", guard.correction.as_ref().map(template)),
        ("publicReason", guard.public_reason.as_ref().map(template)),
    ]))
}

fn redact_value(guard: &GuardSpec) -> Option<Value<'static>> {
    let mut paths = Object::new();
    for (path, with) in &guard.redact {
        paths.insert(path.value.to_string().into(), expression(with));
    }
    (!paths.is_empty()).then(|| paths.into())
}

fn budget_value(spec: &Spec, budget: &BudgetSpec) -> Option<Value<'static>> {
    let [tools, except, about_effects] = selection_values(spec, &budget.selection, budget.layer)?;
    let terms = &budget.terms;
    let (count, sum) = match &terms.measure {
        Measure::Calls => (Some("calls"), None),
        Measure::Attempts => (Some("attempts"), None),
        Measure::Sum(sum) => (None, Some(sum)),
    };
    Some(object([
        ("id", Some(text(&budget.id.value))),
        ("count", count.map(text)),
        ("sum", sum.map(expression)),
        tools,
        except,
        about_effects,
        ("when", terms.when.as_ref().map(expression)),
        ("per", terms.per.as_ref().map(expression)),
        ("scope", Some(text(terms.scope.name()))),
        ("window", terms.window.map(|window| Value::from(super::duration::spelled(window)))),
        ("outcome", terms.failed.then(|| text("failed"))),
        ("streak", terms.streak.then_some(Value::Bool(true))),
        ("resetOn", terms.reset_on_turn.then(|| Value::Array(vec![text("turn")]))),
        ("action", (terms.action != OnSpent::Deny).then(|| text(terms.action.name()))),
        ("max", Some(Value::Number(terms.max))),
    ]))
}
