//! Guards under `onInput`: they judge the turn, whatever was typed, in any order, and what was typed stays.

use super::{Desk, policy, verdict};
use crate::decision::{Decision, TurnDecision, Verdict};
use crate::event::{Attachment, Body, Event};
use crate::facts::Typed;
use proptest::prelude::*;
use std::collections::BTreeSet;

const RULES: &str = "
world: {schema: {type: object, properties: {open: {type: boolean}, load: {type: number}}}}
let: {busy: world.load > 5}
tools:
  send: {effect: external, parameters: {type: object, properties: {to: {type: string}}}}
";

const GUARDS: &[&str] = &[
    "{id: open, check: world.open, prose: while it is open, correction: We are closed.}",
    "{id: calm, check: '!busy', prose: while it is calm, correction: 'The load is {world.load}.'}",
    "{id: small, forEach: a in input.attachments, check: a.size < 10, prose: small files, correction: '{a.size} bytes are too many.'}",
    "{id: kinds, forEach: a in input.attachments, check: \"a.kind != 'exe'\", action: audit}",
    "{id: lost, check: world.missing.deeper == 1, prose: x, correction: X.}",
];

fn rules(guards: &[&str]) -> String {
    let listed: String = guards.iter().map(|guard| format!("    - {guard}\n")).collect();
    let world = RULES.replace("load: {type: number}", "load: {type: number}, missing: {type: object}");
    format!(
        "{world}guards:\n  onInput:\n{listed}  preTool:\n    - {{id: payee, tools: [send], kind: valueFromUser, with: {{arg: to}}}}\n"
    )
}

const WORLDS: &[&str] = &[
    r#"{"open":true,"load":1,"missing":{"deeper":1}}"#,
    r#"{"open":false,"load":9,"missing":{"deeper":1}}"#,
    r#"{"open":true,"load":9}"#,
    "{}",
];

fn files(sizes: &[u64]) -> Vec<Attachment<'static>> {
    sizes
        .iter()
        .map(|size| Attachment { kind: if size % 2 == 0 { "exe" } else { "png" }.into(), size: *size })
        .collect()
}

/// The decision on a turn that begins in a world, with a message and what came with it.
fn begun(desk: &mut Desk<'_>, world: &str, typed: Option<&str>, sizes: &[u64]) -> Decision {
    desk.say(&format!(r#""type":"worldChanged","world":{world}"#));
    desk.said += 1;
    let typed = typed.map(|text| Typed::new(text.to_owned()));
    let body = Body::TurnStarted { typed, attachments: files(sizes) };
    Decision::clone(&desk.event(&Event::new(format!("t{}", desk.said), "s1", body)))
}

fn turn(decision: &Decision) -> TurnDecision {
    if let Decision::Turn(turn) = decision { (**turn).clone() } else { TurnDecision::default() }
}

proptest! {
    #[test]
    fn whatever_is_typed_the_turn_is_decided_alike(
        earlier in ".{0,40}", text in ".{0,40}", world in 0..WORLDS.len(), sizes in prop::collection::vec(0_u64..20, 0..4),
    ) {
        let policy = policy(&rules(GUARDS));
        let decided = |earlier: Option<&str>, typed: Option<&str>| {
            let mut desk = Desk::open(&policy);
            begun(&mut desk, WORLDS[0], earlier, &[]);
            begun(&mut desk, WORLDS[world], typed, &sizes)
        };
        prop_assert_eq!(decided(Some(&earlier), Some(&text)), decided(None, None));
    }

    #[test]
    fn the_order_of_guards_changes_no_decision_and_no_set_of_codes(
        order in Just((0..GUARDS.len()).collect::<Vec<_>>()).prop_shuffle(),
        world in 0..WORLDS.len(),
        sizes in prop::collection::vec(0_u64..20, 0..4),
    ) {
        let shuffled: Vec<&str> = order.iter().map(|at| GUARDS[*at]).collect();
        let of = |guards: &[&str]| {
            let policy = policy(&rules(guards));
            let turn = turn(&begun(&mut Desk::open(&policy), WORLDS[world], None, &sizes));
            let matched: BTreeSet<String> = turn.matched().into_iter().map(String::from).collect();
            (turn.refused.is_some(), matched)
        };
        prop_assert_eq!(of(GUARDS), of(&shuffled));
    }
}

#[test]
fn each_world_refuses_for_its_reasons() {
    let policy = policy(&rules(GUARDS));
    let wanted: [(&[u64], &[&str]); 4] = [
        (&[], &[]),
        (&[11, 4], &["open", "calm", "small", "kinds"]),
        (&[3], &["calm", "lost"]),
        (&[4], &["open", "calm", "lost", "kinds"]),
    ];
    for (world, (sizes, matched)) in WORLDS.iter().zip(wanted) {
        let turn = turn(&begun(&mut Desk::open(&policy), world, Some("Hello."), sizes));
        assert_eq!(turn.matched(), matched, "{world}");
        assert_eq!(turn.refused.is_some(), !matched.is_empty(), "{world}");
    }
}

#[test]
fn what_was_typed_in_a_refused_turn_was_typed() {
    let policy = policy(&rules(&GUARDS[..1]));
    let mut desk = Desk::open(&policy);
    let refused = begun(&mut desk, r#"{"open":false}"#, Some("Send it to bob."), &[]);
    assert_eq!(refused.reply(), Some("We are closed."));
    assert_eq!((desk.session.turn(), refused.to_run(&crate::value::Value::Null)), (1, None));
    assert!(
        matches!(desk.call("c1", "send", r#"{"to":"bob"}"#), Verdict::Deny(deny) if &*deny.first.code == "turn_refused")
    );
    assert_eq!(begun(&mut desk, r#"{"open":true}"#, None, &[]), Decision::Proceed);
    let allowed = desk.say(r#""type":"toolProposed","call":"c2","tool":"send","args":{"to":"bob"}"#);
    assert!(matches!(verdict(&allowed), Verdict::Allow(_)));
    assert!(matches!(desk.call("c3", "send", r#"{"to":"eve"}"#), Verdict::Deny(_)));
}

#[test]
fn a_turn_that_no_guard_judges_proceeds_as_ever() {
    let policy = policy(RULES.replace("let: {busy: world.load > 5}", "").as_str());
    let mut desk = Desk::open(&policy);
    assert_eq!(begun(&mut desk, WORLDS[1], Some("Hello."), &[4]), Decision::Proceed);
}
