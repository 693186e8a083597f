//! Each rule's reads and changes, and the laws of an explanation: it tells of the very decision, and a change it names
//! works.

use super::*;
use crate::event::{Opening, Outcome, WorldChange};
use crate::json::{Limits, parse};
use crate::policy::compile;
use crate::session::decide;
use crate::source::Sources;
use crate::value::Value;
use proptest::prelude::*;

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
grants: {effects: [read, external], scopes: [pay:in]}
tools:
  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  wipe: {effect: write}
  pay:
    effect: external
    parameters:
      type: object
      properties:
        id: {type: string}
        amount: {type: number}
        count: {type: integer}
        step: {enum: [1, 5, 10]}
        kind: {type: string}
        note: {type: [string, 'null']}
        token: {type: string}
        lines: {type: array, items: {type: object, properties: {n: {type: number}}}}
flow: [{id: look-first, from: look, to: pay, same: id}]
guards:
  postTool:
    - {id: whole, tools: [look], kind: resultInvariant, with: {check: result.total == 40}}
  preTool:
    - {id: short, tools: [pay], kind: argLength, missing: skip, with: {arg: note, max: 9}}
    - {id: bare, tools: [pay], kind: argAbsent, with: {arg: token}}
    - {id: open, tools: [pay], kind: precondition, with: {check: world.desk.open}}
    - {id: cap, tools: [pay], kind: argRange, with: {arg: amount, min: -2.5, max: 500}}
    - {id: few, tools: [pay], kind: argRange, missing: skip, with: {arg: count, exclusiveMin: 0, max: 7.5}}
    - {id: steps, tools: [pay], kind: argRange, missing: skip, with: {arg: step, exclusiveMin: 1, exclusiveMax: 10}}
    - {id: below, tools: [pay], kind: argRange, action: audit, with: {arg: amount, exclusiveMax: 100}}
    - {id: kinds, tools: [pay], kind: argOneOf, with: {arg: kind, values: [EUR, USD, GBP]}}
    - {id: never, tools: [pay], kind: argOneOf, missing: skip, with: {arg: kind, not: [XXX]}}
    - {id: says, tools: [pay], kind: argRequired, with: {arg: note}}
    - {id: each, tools: [pay], kind: argRange, missing: skip, with: {arg: 'lines[].n', max: 3}}
    - {id: form, tools: [pay], kind: argFormat, missing: skip, with: {arg: id, pattern: 'A[0-9]'}}
budgets: [{id: twice, count: calls, tools: [look], scope: turn, max: 2}]
";

const WHOLE: &str = r#"{"id": "A7", "amount": 40, "count": 1, "step": 5, "kind": "EUR", "note": "asked"}"#;

fn policy() -> Policy {
    compile(&crate::spec::parse(&Sources::new("desk.yaml", SPEC)).spec.unwrap()).unwrap()
}

fn json(text: &str) -> Value<'static> {
    parse(text.as_bytes(), &Limits::default()).unwrap().into_owned()
}

/// A session in which A7 was looked at.
fn session(policy: &Policy) -> Session {
    let opening = Event::new("open", "s", Body::SessionOpened(Opening::default()));
    let world = WorldChange::Whole(json(r#"{"desk": {"open": true}}"#));
    let (mut session, step) = Session::open(policy, &opening.with_world(world)).unwrap();
    session.commit(step).unwrap();
    for event in [
        Event::new("turn", "s", Body::turn(None)),
        Event::call("e1", "s", "c1", "look", json(r#"{"id": "A7"}"#)),
        Event::result("e2", "s", "c1", json(r#"{"total": 40}"#)),
    ] {
        session.commit(decide(policy, &session, &event)).unwrap();
    }
    session
}

fn explained(policy: &Policy, session: &Session, tool: &str, args: Value<'static>) -> CallExplanation {
    explain(policy, session, &Event::call("e9", "s", "c9", tool, args)).calls.remove(0)
}

fn of<'e>(explanation: &'e CallExplanation, rule: &str) -> &'e Judgement {
    explanation.judgements.iter().find(|judgement| &*judgement.by == rule).unwrap()
}

/// The change a rule names for a call to `pay` whose arguments differ in these members.
fn flips(rule: &str, members: &str) -> Option<String> {
    let policy = policy();
    let mut args = json(WHOLE);
    args.merge_patch(&json(members));
    of(&explained(&policy, &session(&policy), "pay", args), rule).flips.clone()
}

#[test]
fn each_rule_says_the_nearest_change_with_which_it_passes() {
    let cases = [
        ("cap", r#"{"amount": 620}"#, "`amount` 620 → 500"),
        ("cap", r#"{"amount": -3}"#, "`amount` -3 → -2.5"),
        ("cap", r#"{"amount": null}"#, "`amount` absent → a number at least -2.5 and at most 500"),
        ("below", r#"{"amount": 120}"#, "`amount` 120 → a number below 100"),
        ("few", r#"{"count": 9}"#, "`count` 9 → 7"),
        ("few", r#"{"count": -4}"#, "`count` -4 → 1"),
        ("steps", r#"{"step": 10}"#, "`step` 10 → 5"),
        ("kinds", r#"{"kind": "CHF"}"#, "`kind` \"CHF\" → \"EUR\""),
        ("kinds", r#"{"kind": "GPB"}"#, "`kind` \"GPB\" → \"GBP\""),
        ("never", r#"{"kind": "XXX"}"#, "`kind` \"XXX\" → any other value"),
        ("says", r#"{"note": " "}"#, "`note` \" \" → any text that is not blank"),
        ("short", r#"{"note": "0123456789"}"#, "`note` 10 characters → at most 9"),
        ("each", r#"{"lines": [{"n": 1}, {"n": 4}]}"#, "`lines[].n` 4 → 3"),
        ("look-first", r#"{"id": "B1"}"#, "a successful `look` with the same `id` \"B1\" before it"),
    ];
    for (rule, members, wanted) in cases {
        assert_eq!(flips(rule, members).as_deref(), Some(wanted), "{rule} {members}");
    }
    for (rule, members) in [
        ("form", r#"{"id": "17"}"#),
        ("each", r#"{"lines": [{"n": 5}, {"n": 4}]}"#),
        ("each", r#"{"lines": [{"n": 4}, {}]}"#),
        ("look-first", r#"{"id": null}"#),
        ("cap", "{}"),
        ("kinds", "{}"),
    ] {
        assert_eq!(flips(rule, members), None, "{rule} {members}");
    }
}

#[test]
fn what_is_read_is_told_whether_it_passes_or_not() {
    let policy = policy();
    let session = session(&policy);
    let explanation = explained(&policy, &session, "pay", json(WHOLE));
    assert_eq!(explanation.decided.verdict.name(), "allow");
    assert!(explanation.judgements.iter().all(|judgement| matches!(judgement.said, Said::Pass | Said::Skips)));
    let read = |rule: &str| {
        let reads = of(&explanation, rule).reads.iter();
        reads.map(|read| format!("{} {}", read.what, read.value)).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(read("cap"), "amount 40");
    assert_eq!(read("open"), "world.desk.open true");
    assert_eq!(read("look-first"), "id \"A7\"; `look` succeeded in turn 1");
    assert_eq!(read("effect_denied"), "effect external; granted external, read");
    let look = explained(&policy, &session, "look", json("{}"));
    assert_eq!(of(&look, "twice").reads, [Read::words("calls of `look` in this turn", "1 of 2")]);
}

#[test]
fn a_look_up_that_is_too_old_or_came_back_empty_is_told_as_that() {
    let recent = SPEC.replace("same: id}", "same: id, within: turn}");
    let policy = compile(&crate::spec::parse(&Sources::new("desk.yaml", recent)).spec.unwrap()).unwrap();
    let mut session = session(&policy);
    let step = decide(&policy, &session, &Event::new("later", "s", Body::turn(None)));
    session.commit(step).unwrap();
    let look_first = |session: &Session| {
        let explanation = explained(&policy, session, "pay", json(WHOLE));
        let judgement = of(&explanation, "look-first");
        (judgement.reads[1].value.clone(), judgement.flips.clone())
    };
    let (seen, flips) = look_first(&session);
    assert_eq!(seen, "succeeded in turn 1, and this is turn 2");
    assert_eq!(flips.as_deref(), Some("a successful `look` with the same `id` \"A7\" before it in this turn"));
    for event in
        [Event::call("e3", "s", "c2", "look", json(r#"{"id": "A7"}"#)), Event::result("e4", "s", "c2", json("[]"))]
    {
        let step = decide(&policy, &session, &event);
        session.commit(step).unwrap();
    }
    assert_eq!(look_first(&session), ("succeeded with an empty result".to_owned(), None));
}

#[test]
fn the_world_budgets_grants_and_repeats_say_what_would_have_passed() {
    let policy = policy();
    let mut session = session(&policy);
    let closed =
        Event::new("w", "s", Body::WorldChanged).with_world(WorldChange::Whole(json(r#"{"desk": {"open": false}}"#)));
    session.commit(decide(&policy, &session, &closed)).unwrap();
    let pay = explained(&policy, &session, "pay", json(WHOLE));
    assert_eq!(of(&pay, "open").flips.as_deref(), Some("`world.desk.open` false → true"));
    let again = explained(&policy, &session, "look", json(r#"{"id": "A7"}"#));
    let repeat = of(&again, "auto/noDuplicateCall");
    assert_eq!((repeat.said, repeat.flips.as_deref()), (Said::Fires, Some("another argument, or the next turn")));
    session.commit(decide(&policy, &session, &Event::call("e3", "s", "c3", "look", json("{}")))).unwrap();
    let third = explained(&policy, &session, "look", json(r#"{"id": "B"}"#));
    let twice = of(&third, "twice");
    assert_eq!((twice.said, twice.flips.as_deref()), (Said::Fires, Some("one call fewer in this turn")));
    let wipe = explained(&policy, &session, "wipe", json("{}"));
    assert_eq!(of(&wipe, "effect_denied").flips.as_deref(), Some("a grant of the effect `write`"));
}

#[test]
fn a_secret_that_was_read_is_not_told_and_neither_is_a_change_of_it() {
    let policy = policy();
    let mut args = json(WHOLE);
    args.merge_patch(&json(r#"{"token": "Xq7hidden", "amount": 620}"#));
    let explanation = explained(&policy, &session(&policy), "pay", args);
    let bare = of(&explanation, "bare");
    assert_eq!((bare.said, bare.flips.as_deref(), bare.reads[0].value.as_str()), (Said::Fires, None, "masked"));
    assert!(of(&explanation, "cap").flips.is_some());
    assert_eq!(explanation.told, None, "a correction may repeat what was read");
    assert!(!format!("{:?}{:?}", explanation.judgements, explanation.told).contains("Xq7hidden"));
}

#[test]
fn what_judged_a_result_is_explained() {
    let policy = policy();
    let mut session = session(&policy);
    session.commit(decide(&policy, &session, &Event::call("e8", "s", "c8", "look", json("{}")))).unwrap();
    let said = |result: &str| {
        let explanation = explain(&policy, &session, &Event::result("e9", "s", "c8", json(result)));
        assert_eq!((explanation.calls.len(), explanation.result.len()), (0, 1));
        (explanation.result[0].said, explanation.result[0].flips.clone())
    };
    assert_eq!(said(r#"{"total": 40}"#), (Said::Pass, None));
    assert_eq!(said(r#"{"total": 41}"#), (Said::Fires, Some("`result.total` 41 → 40".to_owned())));
    assert_eq!(said("[]"), (Said::Missing, Some("`result.total` absent → 40".to_owned())));
}

#[test]
fn a_gate_that_stops_a_call_leaves_the_rest_unasked() {
    let policy = policy();
    let session = session(&policy);
    let bad = explained(&policy, &session, "pay", json(r#"{"amount": "40"}"#));
    let said = |rule: &str| of(&bad, rule).said;
    assert_eq!([said("unknown_tool"), said("invalid_arguments")], [Said::Pass, Said::Fires]);
    assert_eq!([said("effect_denied"), said("cap"), said("look-first")], [Said::NotAsked; 3]);
    let unknown = explained(&policy, &session, "pya", json("{}"));
    assert_eq!(of(&unknown, "unknown_tool").flips.as_deref(), Some("`tool` \"pya\" → \"pay\""));
    assert_eq!(unknown.judgements.len(), 2);
    let repeated = Event::call("e9", "s", "c1", "look", json("{}"));
    let repeated = explain(&policy, &session, &repeated).calls.remove(0);
    assert_eq!(repeated.decided.verdict.denied_by(), Some("duplicate_call_id"));
    assert_eq!(of(&repeated, "duplicate_call_id").said, Said::Fires);
}

#[test]
fn an_event_without_calls_and_a_closed_session_are_explained_too() {
    let policy = policy();
    let mut session = session(&policy);
    let turn = explain(&policy, &session, &Event::new("e9", "s", Body::TurnEnded));
    assert_eq!((&*turn.decision, turn.calls.len()), (&Decision::Proceed, 0));
    let outcome = Outcome::Ok { result: Value::Null, effect: None };
    let finished = Event::new("e9", "s", Body::ToolFinished { call: "c9".into(), outcome });
    assert!(explain(&policy, &session, &finished).calls.is_empty());
    session.commit(decide(&policy, &session, &Event::new("end", "s", Body::SessionClosed))).unwrap();
    let late = explained(&policy, &session, "look", json("{}"));
    assert_eq!(late.tool, "look");
    assert_eq!(late.judgements, [Judgement::gate("session_closed", Said::Fires)]);
}

#[test]
fn each_call_of_a_batch_is_explained_over_what_the_earlier_ones_took() {
    let policy = policy();
    let call =
        |id: &'static str, about: &str| Call { id: id.into(), tool: "look".into(), args: json(about), cwd: None };
    let calls = vec![call("b1", r#"{"id": "B"}"#), call("b2", r#"{"id": "C"}"#)];
    let explanation = explain(
        &policy,
        &session(&policy),
        &Event::new("e9", "s", Body::ModelTurn { calls, text: crate::event::Beside::Nothing }),
    );
    let counts = explanation.calls.iter().map(|call| of(call, "twice").reads[0].value.as_str());
    assert_eq!(counts.collect::<Vec<_>>(), ["1 of 2", "2 of 2"]);
    assert_eq!(explanation.calls[1].decided.verdict.denied_by(), Some("twice"));
}

/// Arguments of `pay`, right and wrong in every member.
fn arguments() -> impl Strategy<Value = Value<'static>> {
    let number = |range: std::ops::Range<i64>| proptest::option::of(range.prop_map(Value::from));
    let text =
        |texts: &'static [&'static str]| proptest::option::of(proptest::sample::select(texts).prop_map(Value::from));
    let step = proptest::option::of(proptest::sample::select(&[1_i64, 5, 10][..]).prop_map(Value::from));
    let texts = (text(&["A7", "B1", "17"]), text(&["EUR", "CHF", "XXX", "usd"]), text(&["", " ", "asked"]));
    ((number(-9..900), number(-3..12), step), texts).prop_map(|((amount, count, step), (id, kind, note))| {
        let members =
            [("amount", amount), ("count", count), ("step", step), ("id", id), ("kind", kind), ("note", note)];
        crate::value::Object::of_some(members).into()
    })
}

/// The arguments with the change that a rule names, if it names a value.
fn changed(args: &Value<'static>, flips: &str) -> Option<Value<'static>> {
    let (change, to) = flips.split_once(" → ")?;
    let name = change.strip_prefix('`')?.split_once('`')?.0;
    let to = if to.starts_with("any text") {
        Value::from("x")
    } else {
        parse(to.as_bytes(), &Limits::default()).ok()?.into_owned()
    };
    let mut args = args.clone();
    if let Value::Object(members) = &mut args {
        members.insert(name.to_owned().into(), to);
    }
    Some(args)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_value_that_a_rule_names_makes_it_pass(args in arguments()) {
        let policy = policy();
        let session = session(&policy);
        let explanation = explained(&policy, &session, "pay", args.clone());
        for judgement in &explanation.judgements {
            let Some(args) = judgement.flips.as_deref().and_then(|flips| changed(&args, flips)) else { continue };
            let after = explained(&policy, &session, "pay", args.clone());
            prop_assert_eq!(of(&after, &judgement.by).said, Said::Pass, "{:?} {:?}", judgement, args);
        }
    }

    #[test]
    fn who_denies_is_the_first_judgement_that_objects(args in arguments()) {
        let policy = policy();
        let session = session(&policy);
        let event = Event::call("e9", "s", "c9", "pay", args);
        let explanation = explain(&policy, &session, &event);
        let step = decide(&policy, &session, &event);
        prop_assert_eq!(&*explanation.decision, step.decision());
        let call = &explanation.calls[0];
        let objects = |judgement: &&Judgement| {
            judgement.action == Action::Deny && matches!(judgement.said, Said::Fires | Said::Missing | Said::Fails(_))
        };
        let first = call.judgements.iter().find(objects).map(|judgement| &*judgement.by);
        prop_assert_eq!(first, call.decided.verdict.denied_by());
    }
}

#[test]
fn what_writes_made_old_and_what_ends_a_session_is_told_as_such() {
    let text = "agentspec: 1\nid: desk\npersona: You are the desk.\nworld: {stale: deny}\n\
        tools: {look: {effect: read}, pay: {effect: write}, leave: {effect: external, ends: session}}\n\
        flow: [{id: look-first, from: look, to: pay, same: id, fresh: true}]\n\
        guards: {preTool: [{id: open, tools: [pay], kind: precondition, with: {check: world.open}}]}\n";
    let policy = compile(&crate::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap()).unwrap();
    let opening = Event::new("open", "s", Body::SessionOpened(Opening::default()));
    let world = WorldChange::Whole(json(r#"{"open": true}"#));
    let (mut session, step) = Session::open(&policy, &opening.with_world(world)).unwrap();
    session.commit(step).unwrap();
    for event in [
        Event::call("e1", "s", "c1", "look", json(r#"{"id": "A"}"#)),
        Event::result("e2", "s", "c1", json("[1]")),
        Event::call("e3", "s", "c2", "pay", json(r#"{"id": "A"}"#)),
        Event::result("e4", "s", "c2", json("[1]")),
    ] {
        session.commit(decide(&policy, &session, &event)).unwrap();
    }
    let explained = explain(&policy, &session, &Event::call("e5", "s", "c3", "pay", json(r#"{"id": "A", "n": 2}"#)));
    let told = |by: &str| {
        let judgement = explained.calls[0].judgements.iter().find(|judgement| &*judgement.by == by).unwrap();
        let read = judgement.reads.last().map(|read| read.value.clone()).unwrap_or_default();
        (judgement.said, read, judgement.flips.clone().unwrap_or_default())
    };
    let (said, read, flips) = told("open");
    assert_eq!(
        (said, read.as_str(), flips.as_str()),
        (Said::Missing, "not known since the last write", "the world, sent again")
    );
    let (said, read, flips) = told("look-first");
    assert_eq!((said, read.as_str()), (Said::Fires, "succeeded, and a write came after it"));
    assert!(flips.starts_with("a successful `look` with the same `id`"), "{flips}");

    let ended = [Event::call("e6", "s", "c4", "leave", json("{}")), Event::result("e7", "s", "c4", json("{}"))];
    for event in ended {
        session.commit(decide(&policy, &session, &event)).unwrap();
    }
    let explained = explain(&policy, &session, &Event::call("e8", "s", "c5", "look", json("{}")));
    let by: Vec<(&str, Said)> =
        explained.calls[0].judgements.iter().map(|judgement| (&*judgement.by, judgement.said)).collect();
    assert_eq!(by, [("duplicate_call_id", Said::Pass), ("session_ended", Said::Fires)]);
}
