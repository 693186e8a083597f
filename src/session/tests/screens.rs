//! A policy decides the same with its screens and without.

use super::{Desk, policy, verdict};
use crate::event::Event;
use crate::policy::Policy;
use crate::value::{Object, Value};
use proptest::prelude::*;
use std::fmt::Write as _;

/// One guard on `n` or `s`, as its author would write it.
fn guard() -> impl Strategy<Value = String> {
    let range = (0..10, 0..12).prop_map(|(min, more)| {
        format!("kind: argRange, with: {{arg: 'n', min: {min}, exclusiveMax: {}}}", min + more + 1)
    });
    let numbers = (any::<bool>(), prop::collection::btree_set(0..12, 1..6)).prop_map(|(only, values)| {
        let values: Vec<i32> = values.into_iter().collect();
        format!("kind: argOneOf, with: {{arg: 'n', {}: {values:?}}}", if only { "values" } else { "not" })
    });
    let texts = (any::<bool>(), prop::collection::btree_set("[a-e]", 1..4)).prop_map(|(only, values)| {
        let values: Vec<&String> = values.iter().collect();
        format!("kind: argOneOf, with: {{arg: s, {}: {values:?}}}", if only { "values" } else { "not" })
    });
    let check = (expression(), 0..4).prop_map(|(check, second)| {
        let check = if second == 0 { format!("{check} && args.n <= 9") } else { check };
        format!("check: \"{check}\", prose: as it says, correction: Change it.")
    });
    let action = prop_oneof![4 => Just(""), 1 => Just(", action: audit")];
    let missing = prop_oneof![3 => Just(""), 1 => Just(", missing: skip")];
    (prop_oneof![range, numbers, texts, check], action, missing)
        .prop_map(|(kind, action, missing)| format!("{kind}{action}{missing}"))
}

/// A condition on one argument, as far as such can be folded and a little beyond.
fn expression() -> impl Strategy<Value = String> {
    let compared = (prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]), -1..12)
        .prop_map(|(operator, number)| format!("args.n {operator} {number}"));
    let equal = (any::<bool>(), "[a-e]")
        .prop_map(|(equal, text)| format!("args.s {} '{text}'", if equal { "==" } else { "!=" }));
    let numbers = (any::<bool>(), prop::collection::btree_set(0..12, 1..4)).prop_map(|(only, values)| {
        let values: Vec<i32> = values.into_iter().collect();
        if only { format!("args.n in {values:?}") } else { format!("!(args.n in {values:?})") }
    });
    let texts =
        any::<bool>().prop_map(|only| if only { "args.s in ['a', 'b']" } else { "!(args.s in ['a', 'b'])" }.to_owned());
    prop_oneof![compared, equal, numbers, texts]
}

fn compiled(guards: &[String]) -> Policy {
    let mut text = "
tools: {t: {effect: read, parameters: {type: object, properties: {'n': {type: [integer, 'null']}, s: {type: string}}}}}
controls: {auto: {noDuplicateCall: false}}
guards:
  preTool:
"
    .to_owned();
    for (number, guard) in guards.iter().enumerate() {
        writeln!(text, "    - {{id: g{number}, tools: [t], {guard}}}").unwrap();
    }
    policy(&text)
}

fn without_screens(mut policy: Policy) -> Policy {
    for tool in &mut policy.tools {
        tool.screens.clear();
        tool.guards.iter_mut().for_each(|guard| guard.what.screen = None);
    }
    policy
}

proptest! {
    #[test]
    fn screens_change_no_verdict_and_no_word(
        guards in prop::collection::vec(guard(), 1..8),
        n in prop::option::of(prop::option::of(0..14_i64)),
        s in prop::option::of("[a-f]"),
    ) {
        let n = n.map(|n| n.map_or(Value::Null, Value::from));
        let args: Value<'static> = Object::of_some([("n", n), ("s", s.map(Value::from))]).into();
        let decide = |policy: &Policy| {
            let mut desk = Desk::open(policy);
            let decision = desk.event(&Event::call("e", "s1", "c", "t", args.clone()));
            format!("{:?}", verdict(&decision))
        };
        let screened = compiled(&guards);
        let plain = without_screens(compiled(&guards));
        prop_assert_eq!(decide(&screened), decide(&plain));
    }
}

#[test]
fn claims_on_one_argument_are_folded_and_a_claim_alone_is_not() {
    let range = "kind: argRange, with: {arg: 'n', min: 1}".to_owned();
    let list = "kind: argOneOf, with: {arg: 'n', not: [3]}".to_owned();
    assert_eq!(compiled(&[range.clone(), list]).tools[0].screens.len(), 1);
    assert_eq!(compiled(&[range]).tools[0].screens.len(), 0);
}

#[test]
fn a_plain_condition_on_one_argument_is_folded_and_one_that_says_more_is_not() {
    let folded = |check: &str| {
        let check = format!("check: \"{check}\", prose: as it says, correction: Change it.");
        let policy = compiled(&["kind: argRange, with: {arg: 'n', min: 1}".into(), check]);
        policy.tools[0].guards[1].what.screen.is_some()
    };
    assert!(folded("args.n <= 5") && folded("args.n in [1, 2]") && folded("args.n >= 1 && args.n < 7"));
    for more in ["args.n <= 5 || args.n == 7", "args.n != 5", "args.n <= 5 && args.s == 'a'", "has(args.n)"] {
        assert!(!folded(more), "{more}");
    }
}
