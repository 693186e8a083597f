//! The conditions agree with the engine: whatever a guard says of a call, its condition says too.

use super::*;
use crate::decision::{CallDecision, Decision, Verdict};
use crate::event::{Body, Event, Opening};
use crate::json::{Limits, parse};
use crate::session::{Session, decide};
use crate::source::Sources;
use crate::value::Value;
use domain::Domain;
use proptest::prelude::*;

const HEAD: &str = "agentspec: 1\nid: a\npersona: A.\ncontrols: {auto: {noDuplicateCall: false}}\ntools:\n  pay:\n    effect: external\n    parameters:\n      type: object\n      required: [c]\n      properties:\n        a: {type: [integer, 'null'], minimum: 0, maximum: 3}\n        b: {enum: [x, y]}\n        c: {type: boolean}\n        d: {type: number}\nlet:\n  half: {value: args.d, missing: Send d.}\n  most: 2\n";

/// Conditions that are decided exactly.
pub(crate) fn conditions() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (prop_oneof!["<", "<=", ">", ">=", "==", "!="], 0..4_i32).prop_map(|(op, at)| format!("args.a {op} {at}")),
        (prop_oneof!["<", ">="], 0..3_i32).prop_map(|(op, at)| format!("{at} {op} args.d")),
        prop_oneof!["<", ">=", "=="].prop_map(|op| format!("half {op} 1")),
        prop_oneof!["==", "!="].prop_map(|op| format!("args.b {op} 'x'")),
        Just("args.b in ['x', 'y']".to_owned()),
        Just("args.a in [0, 3]".to_owned()),
        Just("args.c".to_owned()),
        Just("args.a == null".to_owned()),
        Just("has(args.a)".to_owned()),
        Just("has(args.b)".to_owned()),
        Just("args.?a.orValue(2) > most".to_owned()),
        Just("args.?b.orValue('y') == 'y'".to_owned()),
        Just("(args.c ? args.a : 1) >= 1".to_owned()),
        Just("args.b.matches('^[x]$')".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one} && {two})")),
            (inner.clone(), inner.clone()).prop_map(|(one, two)| format!("({one} || {two})")),
            inner.prop_map(|one| format!("!({one})")),
        ]
    })
}

/// Every call of the tool with a few values of `d`.
pub(crate) fn calls() -> Vec<String> {
    let mut calls = Vec::new();
    for a in ["", r#""a":null,"#, r#""a":0,"#, r#""a":1,"#, r#""a":2,"#, r#""a":3,"#] {
        for b in ["", r#""b":"x","#, r#""b":"y","#] {
            for c in ["true", "false"] {
                for d in ["", r#","d":0"#, r#","d":1"#, r#","d":1.5"#] {
                    calls.push(format!("{{{a}{b}\"c\":{c}{d}}}"));
                }
            }
        }
    }
    calls
}

/// What the engine says of a call as the first of a session.
pub(crate) fn verdict(policy: &Policy, args: Value<'_>) -> &'static str {
    let opening = Event::new("open", "s", Body::SessionOpened(Opening::default()));
    let (mut session, step) = Session::open(policy, &opening).unwrap();
    session.commit(step).unwrap();
    let step = decide(policy, &session, &Event::call("e", "s", "c", "pay", args));
    let decided = session.commit(step).unwrap();
    let Decision::Call(CallDecision { verdict, .. }) = &*decided else { panic!("{decided:?}") };
    match verdict {
        Verdict::Allow(_) => "allow",
        Verdict::Deny(_) => "deny",
        Verdict::Ask(_) => "ask",
        other => panic!("{other:?}"),
    }
}

/// The condition that the arguments are these.
fn point(calls: &Calls, args: &Value<'_>) -> Vec<Formula> {
    let mut point = Vec::new();
    for name in ["a", "b", "c", "d"] {
        let domain = args.get(name).map_or_else(Domain::missing, |value| Domain::of_values([value]));
        point.extend(calls.space.find(&format!("args.{name}")).map(|term| Formula::within(term, domain)));
    }
    point
}

pub(crate) fn compiled(guards: &str) -> Option<(Spec, Policy)> {
    let text = format!("{HEAD}guards:\n  preTool:\n{guards}");
    let spec = crate::spec::parse(&Sources::new("a.yaml", text)).spec?;
    let policy = crate::policy::compile(&spec).ok()?;
    Some((spec, policy))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_condition_says_of_every_call_what_the_engine_says(
        when in proptest::option::of(conditions()),
        check in conditions(),
        action in prop_oneof!["deny", "ask"],
        missing in prop_oneof!["deny", "skip"],
        on_failure in prop_oneof!["deny", "ask"],
    ) {
        let when = when.map(|when| format!("      when: \"{when}\"\n")).unwrap_or_default();
        let guard = format!("    - id: g\n{when}      check: \"{check}\"\n      action: {action}\n      missing: {missing}\n      onFailure: {on_failure}\n      prose: p\n      correction: Do c.\n");
        // What is constant is an error.
        let Some((spec, policy)) = compiled(&guard) else { return Ok(()) };
        let proofs = Proofs::of(&spec, &policy);
        let (_, calls) = &proofs.tools[0];
        let Some(opinion) = calls.opinions.iter().find(|opinion| &*opinion.code == "g") else { return Ok(()) };
        for text in self::calls() {
            let args = parse(text.as_bytes(), &Limits::default()).unwrap();
            let said = verdict(&policy, args.clone());
            let point = point(calls, &args);
            let holds = |formula: &Formula| {
                let all: Vec<&Formula> = point.iter().chain([formula]).collect();
                !calls.is_impossible(&all)
            };
            let (denies, asks) = (holds(&opinion.denies), holds(&opinion.asks));
            let expected = if denies { "deny" } else if asks { "ask" } else { "allow" };
            prop_assert_eq!(said, expected, "{} {} {}", guard, text, check);
        }
    }
}

#[test]
fn what_kinds_say_of_one_argument_is_what_the_engine_says() {
    for kind in [
        "kind: argRange, with: {arg: a, min: 1, exclusiveMax: 3}",
        "kind: argRange, with: {arg: d, exclusiveMin: 0, max: 1}",
        "kind: argOneOf, with: {arg: b, values: [x]}",
        "kind: argOneOf, with: {arg: a, not: [0, 3]}",
        "kind: argRequired, with: {arg: a}",
        "kind: argAbsent, with: {arg: d}",
        "kind: forbid, when: args.c",
        "kind: argRange, with: {arg: a, max: 1}, missing: skip",
        "kind: argRange, with: {arg: a, max: 1}, action: ask",
    ] {
        let (spec, policy) = compiled(&format!("    - {{id: g, {kind}}}\n")).unwrap();
        let proofs = Proofs::of(&spec, &policy);
        let (_, calls) = &proofs.tools[0];
        let opinion = calls.opinions.iter().find(|opinion| &*opinion.code == "g").unwrap();
        for text in self::calls() {
            let args = parse(text.as_bytes(), &Limits::default()).unwrap();
            let point = point(calls, &args);
            let holds = |formula: &Formula| {
                let all: Vec<&Formula> = point.iter().chain([formula]).collect();
                !calls.is_impossible(&all)
            };
            let expected = if holds(&opinion.denies) {
                "deny"
            } else if holds(&opinion.asks) {
                "ask"
            } else {
                "allow"
            };
            assert_eq!(verdict(&policy, args.clone()), expected, "{kind}: {text}");
        }
    }
}

#[test]
fn what_is_said_in_other_words_is_the_same_and_what_is_not_decided_is_never_impossible() {
    let pairs = [
        ("args.a <= 2", "!(args.a > 2)", true),
        ("args.d <= world.limit", "!(args.d > world.limit)", true),
        ("args.d <= world.limit", "world.limit >= args.d", true),
        ("world.open && args.c", "!(!world.open || !args.c)", true),
        ("size(world.rows) <= 3", "!(size(world.rows) > 3)", true),
        ("args.b == 'x' || args.b == 'y'", "args.b in ['x', 'y']", true),
        ("args.d * 2 <= world.limit", "!(args.d * 2 > world.limit)", true),
        ("args.d <= world.limit", "args.d < world.limit", false),
        ("world.rows.all(r, r.ok)", "world.rows.exists(r, r.ok)", false),
        ("done('pay', {'d': args.d})", "done('pay')", false),
    ];
    for (one, two, same) in pairs {
        let guards =
            [one, two].map(|check| format!("    - {{id: g, check: \"{check}\", prose: p, correction: Do c.}}\n"));
        let specs = guards.map(|guard| compiled(&guard).unwrap_or_else(|| panic!("{guard}")));
        let mut space = formula::Space::default();
        fitting::seed(&mut space, &specs.each_ref().map(|(_, policy)| &policy.tools[0].args));
        let opinions = specs.each_ref().map(|(spec, policy)| {
            opinion::of_tool(&mut space, (spec, policy), &policy.tools[0], None)
                .into_iter()
                .find(|one| &*one.code == "g")
                .unwrap()
        });
        let [one_denies, two_denies] = opinions.map(|opinion| opinion.denies);
        let follows = |from: &Formula, to: &Formula| space.is_impossible(&[from, &to.not()]);
        let are_same = follows(&one_denies, &two_denies) && follows(&two_denies, &one_denies);
        assert_eq!(are_same, same, "{one} and {two}");
    }
}

/// Guards that can stand against a call, or do not stand where another one does, however much their texts are alike.
#[test]
fn what_can_happen_is_not_called_impossible() {
    let guard =
        |id: &str, check: &str| format!("    - {{id: {id}, check: \"{check}\", prose: p, correction: Do c.}}\n");
    for check in [
        "!(has(call.cwd) && call.cwd == 'x')",
        "world['a.b'] != 1 || world.a.b == 1",
        "args.b != 'y' || done('pay') || count('pay', {}, 'turn') > count('pay')",
        "!(args.a == null && args.?a.orValue(1) == 1)",
    ] {
        let Some((spec, policy)) = compiled(&guard("g", check)) else { panic!("{check}") };
        let proofs = Proofs::of(&spec, &policy);
        let (_, calls) = &proofs.tools[0];
        let opinion = calls.opinions.iter().find(|opinion| &*opinion.code == "g").unwrap();
        assert!(!calls.is_impossible(&[&opinion.fires]), "{check}");
    }
    // Of two that are null, or of two lists, the second holds and the first has no value.
    let guards = [guard("g", "args.a <= world.a"), guard("h", "args.a == world.a")].concat();
    let (spec, policy) = compiled(&guards).unwrap();
    let proofs = Proofs::of(&spec, &policy);
    let (_, calls) = &proofs.tools[0];
    let [g, h] = ["g", "h"].map(|code| calls.opinions.iter().find(|opinion| &*opinion.code == code).unwrap());
    assert!(!calls.is_impossible(&[&g.denies, &h.denies.not()]));
    assert!(calls.is_impossible(&[&h.denies.not(), &g.fires]));
}

#[test]
fn what_an_element_lacks_denies_although_its_guard_asks() {
    let guard = "    - {id: g, forEach: r in world.rows, check: r.ok, action: ask, prose: p}\n";
    let (spec, policy) = compiled(guard).unwrap();
    let proofs = Proofs::of(&spec, &policy);
    let (_, calls) = &proofs.tools[0];
    let opinion = calls.opinions.iter().find(|opinion| &*opinion.code == "g").unwrap();
    assert!(!calls.is_impossible(&[&opinion.denies]) && !calls.is_impossible(&[&opinion.asks]));
}
