//! Budgets and keys of repeats, whatever the interleaving of proposals and ends.

use super::{Desk, is_allowed, policy, verdicts};
use crate::decimal::Decimal;
use crate::decision::Verdict;
use crate::observed::part_hash;
use crate::policy::Policy;
use crate::value::Value;
use proptest::prelude::*;
use std::collections::BTreeMap;

const SPEC: &str = "\
tools: {pay: {effect: external, parameters: {type: object, required: [n, id], properties: {n: {type: number, minimum: 0}, id: {type: string}, no: {type: integer}}}}}
budgets:
  - {id: all, sum: args.n, max: 100}
  - {id: each, sum: args.n, per: args.id, max: 60}
  - {id: many, count: calls, max: 12}
controls: {auto: {noDuplicateCall: false}}
";

/// How a call of the model may end.
#[derive(Clone, Copy, Debug)]
enum End {
    Result,
    NoEffect,
    Unknown,
    Open,
}

impl End {
    fn members(self) -> Option<&'static str> {
        match self {
            End::Result => Some(r#""result":{"done":true}"#),
            End::NoEffect => Some(r#""error":"no","effect":false"#),
            End::Unknown => Some(r#""outcome":"timed_out""#),
            End::Open => None,
        }
    }
}

/// A call: the hundredths of its amount, whose it is, how it ends, and behind how many later proposals.
type Act = (u64, u8, End, usize);

fn act() -> impl Strategy<Value = Act> {
    let end = prop_oneof![Just(End::Result), Just(End::NoEffect), Just(End::Unknown), Just(End::Open)];
    (0..4_000_u64, 0..3_u8, end, 0..4_usize)
}

fn hundredths(count: u64) -> Decimal {
    Decimal::parse_json(&format!("{count}e-2")).unwrap()
}

fn args(amount: u64, id: u8) -> String {
    format!(r#"{{"n":{},"id":"i{id}"}}"#, hundredths(amount))
}

/// What the session holds of a budget.
fn held(desk: &Desk<'_>, budget: usize, id: Option<u8>) -> Decimal {
    let account = id.map(|id| part_hash(&desk.session.key, &Value::from(format!("i{id}"))));
    desk.session.spent.used(budget, account, None)
}

/// Proposes and ends calls, and asks `check` with what is rightly spent after each step.
fn run<'p>(
    policy: &'p Policy,
    acts: &[Act],
    mut check: impl FnMut(&Desk<'p>, &BTreeMap<usize, (u64, u8)>),
) -> Desk<'p> {
    let mut desk = Desk::open(policy);
    let mut spent: BTreeMap<usize, (u64, u8)> = BTreeMap::new();
    let mut open: Vec<(usize, usize, End)> = Vec::new();
    for (number, (amount, id, end, delay)) in acts.iter().enumerate() {
        if is_allowed(&desk.call(&format!("c{number}"), "pay", &args(*amount, *id))) {
            spent.insert(number, (*amount, *id));
            open.push((number, number + delay, *end));
        }
        check(&desk, &spent);
        for (call, _, end) in open.extract_if(.., |(_, due, _)| *due <= number) {
            let Some(members) = end.members() else { continue };
            desk.say(&format!(r#""type":"toolFinished","call":"c{call}",{members}"#));
            if matches!(end, End::NoEffect) {
                spent.remove(&call);
            }
            check(&desk, &spent);
        }
    }
    desk
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_held_is_what_may_have_been_spent_and_never_above_the_maximum(
        acts in prop::collection::vec(act(), 1..25),
    ) {
        let policy = policy(SPEC);
        run(&policy, &acts, |desk, spent| {
            let sum = |of: Option<u8>| {
                let amounts = spent.values().filter(|(_, id)| of.is_none_or(|of| of == *id)).map(|(amount, _)| *amount);
                hundredths(amounts.sum())
            };
            assert_eq!(held(desk, 0, None), sum(None));
            assert!(held(desk, 0, None) <= Decimal::from(100_u64));
            for id in 0..3 {
                assert_eq!(held(desk, 1, Some(id)), sum(Some(id)));
                assert!(held(desk, 1, Some(id)) <= Decimal::from(60_u64));
            }
            assert!(held(desk, 2, None) <= Decimal::from(12_u64));
        });
    }

    #[test]
    fn a_call_is_denied_only_where_it_would_pass_a_maximum(acts in prop::collection::vec(act(), 1..25)) {
        let policy = policy(SPEC);
        let desk = run(&policy, &acts, |_, _| {});
        let room = |budget, id, max: u64| Decimal::from(max).checked_sub(&held(&desk, budget, id)).unwrap();
        for id in 0..3 {
            let least = room(0, None, 100).min(room(1, Some(id), 60));
            let fits = format!(r#"{{"n":{least},"id":"i{id}"}}"#);
            let above = least.checked_add(&hundredths(1)).unwrap();
            let passes = format!(r#"{{"n":{above},"id":"i{id}"}}"#);
            let is_spent = room(2, None, 12).is_zero();
            prop_assert_eq!(is_allowed(&desk.clone().call("last", "pay", &fits)), !is_spent);
            prop_assert!(!is_allowed(&desk.clone().call("last", "pay", &passes)));
        }
    }

    #[test]
    fn a_batch_is_its_calls_one_after_another(
        before in prop::collection::vec(act(), 0..6),
        batch in prop::collection::vec((0..4_000_u64, 0..3_u8), 2..10),
    ) {
        let policy = policy(SPEC);
        let desk = run(&policy, &before, |_, _| {});
        let call = |number: usize, (amount, id): &(u64, u8)| {
            format!(r#"{{"id":"b{number}","tool":"pay","args":{}}}"#, args(*amount, *id))
        };
        let calls: Vec<String> = batch.iter().enumerate().map(|(number, one)| call(number, one)).collect();
        let mut at_once = desk.clone();
        let together = verdicts(&at_once.say(&format!(r#""type":"modelTurn","calls":[{}]"#, calls.join(","))));
        let mut alone = desk;
        for ((amount, id), (call, verdict)) in batch.iter().zip(together) {
            prop_assert_eq!(alone.call(&call, "pay", &args(*amount, *id)), verdict);
        }
        for id in [None, Some(0), Some(1), Some(2)] {
            let budget = usize::from(id.is_some());
            prop_assert_eq!(held(&alone, budget, id), held(&at_once, budget, id));
        }
    }

    #[test]
    fn a_key_runs_once_however_often_it_is_proposed(
        acts in prop::collection::vec((0..3_u8, prop_oneof![Just(End::Result), Just(End::NoEffect), Just(End::Unknown), Just(End::Open)]), 1..20),
    ) {
        let policy = policy("tools: {pay: {effect: external, idempotency: {key: args.id}}}\n");
        let mut desk = Desk::open(&policy);
        let mut took: BTreeMap<u8, End> = BTreeMap::new();
        for (number, (id, end)) in acts.iter().enumerate() {
            let call = format!("c{number}");
            let verdict = desk.call(&call, "pay", &format!(r#"{{"id":"i{id}"}}"#));
            match (took.get(id), &verdict) {
                (None, Verdict::Allow(_)) => {
                    if let Some(members) = end.members() {
                        desk.say(&format!(r#""type":"toolFinished","call":"{call}",{members}"#));
                    }
                    if !matches!(end, End::NoEffect) {
                        took.insert(*id, *end);
                    }
                }
                (Some(End::Result), Verdict::Answer(_)) | (Some(End::Unknown), Verdict::Ask(_)) => {}
                (Some(End::Open), Verdict::Deny(deny)) => prop_assert_eq!(&*deny.first.code, "in_flight"),
                (took, verdict) => panic!("{took:?}: {verdict:?}"),
            }
        }
    }
}

#[test]
fn a_result_is_given_again_up_to_a_size() {
    let policy = policy("tools: {pay: {effect: external, idempotency: {key: args.id}}}\n");
    for (length, is_given) in [(super::super::MAX_KEPT_RESULT - 2, true), (super::super::MAX_KEPT_RESULT - 1, false)] {
        let mut desk = Desk::open(&policy);
        desk.call("c1", "pay", r#"{"id":"a"}"#);
        desk.result("c1", &format!("\"{}\"", "x".repeat(length)));
        match desk.call("c2", "pay", r#"{"id":"a"}"#) {
            Verdict::Answer(repeat) => {
                assert!(is_given && repeat.result.as_str().is_some_and(|text| text.len() == length))
            }
            Verdict::Deny(deny) => assert!(!is_given && &*deny.first.code == "already_done"),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_value_too_many_of_a_budget_is_a_failure_of_the_budget() {
    let policy = policy(SPEC);
    let mut desk = Desk::open(&policy);
    for account in 0..crate::observed::MAX_ENTRIES {
        let account = Some(u128::try_from(account).unwrap());
        desk.session.spent.add(&super::super::Entry { budget: 1, account, amount: Decimal::ONE, at: None, turn: 0 });
    }
    let Verdict::Deny(deny) = desk.call("c1", "pay", &args(1, 0)) else { panic!("not denied") };
    assert_eq!(
        (&*deny.first.guard, &*deny.first.code, deny.first.failure),
        ("each", "guard_failure", Some("index_full"))
    );
}

#[test]
fn what_has_lapsed_is_looked_at_once_also_by_calls_that_are_denied() {
    use crate::event::read;
    use crate::session::{Change, decide};
    let policy = policy(
        "tools: {pay: {effect: external}}\n\
         guards: {preTool: [{id: cap, tools: [pay], kind: argRange, with: {arg: n, max: 1}}]}\n\
         budgets: [{id: daily, sum: args.n, window: 1m, max: 9}]\n",
    );
    let mut desk = Desk::open(&policy);
    let proposed = |n: u8, second: u8| {
        format!(r#""type":"toolProposed","tool":"pay","args":{{"n":{n}}},"at":"2031-03-04T09:0{second}:00Z""#)
    };
    for call in ["c1", "c2"] {
        desk.say(
            &format!(r#""call":"{call}",{}"#, proposed(1, 0)).replace("\"n\":1", &format!("\"n\":1,\"id\":\"{call}\"")),
        );
    }
    let lapses = |desk: &Desk<'_>, calls: &str| {
        let line = format!(
            r#"{{"v":"flyball/1","id":"late","session":"s1","type":"modelTurn","at":"2031-03-04T09:05:00Z","calls":[{calls}]}}"#
        );
        let step = decide(&policy, &desk.session, &read(line.as_bytes()).unwrap());
        step.changes().iter().filter(|change| matches!(change, Change::Lapsed { .. })).count()
    };
    let batch = r#"{"id":"b1","tool":"pay","args":{"n":2}},{"id":"b2","tool":"pay","args":{"n":3}}"#;
    assert_eq!(lapses(&desk, batch), 1, "once for the batch");
    assert!(!is_allowed(&super::verdict(&desk.say(&format!(r#""call":"c3",{}"#, proposed(2, 5))))));
    assert_eq!(lapses(&desk, batch), 0, "the denied call saw to it");
    assert_eq!(held(&desk, 0, None), Decimal::ZERO);
}

proptest! {
    #[test]
    fn a_batch_sees_the_same_window_as_its_calls_one_after_another(
        earlier in prop::collection::vec((0..60_u8, 1..4_u8), 0..8),
        calls in prop::collection::vec(1..5_u8, 1..6),
    ) {
        let policy = policy("tools: {pay: {effect: external}}\nbudgets: [{id: hourly, sum: args.n, window: 20m, max: 9}]\n");
        let mut desk = Desk::open(&policy);
        let mut earlier = earlier;
        earlier.sort_unstable();
        for (number, (minute, n)) in earlier.iter().enumerate() {
            desk.say(&format!(r#""type":"toolProposed","call":"e{number}","tool":"pay","args":{{"n":{n},"no":"e{number}"}},"at":"2031-03-04T09:{minute:02}:00Z""#));
        }
        let at = r#""at":"2031-03-04T10:05:00Z""#;
        let args = |number: usize, n: u8| format!(r#"{{"n":{n},"no":{number}}}"#);
        let mut single = desk.clone();
        let listed: Vec<String> = calls.iter().enumerate().map(|(number, n)| format!(r#"{{"id":"c{number}","tool":"pay","args":{}}}"#, args(number, *n))).collect();
        let at_once = desk.say(&format!(r#""type":"modelTurn",{at},"calls":[{}]"#, listed.join(",")));
        for (number, (_, decided)) in verdicts(&at_once).into_iter().enumerate() {
            let alone = single.say(&format!(r#""type":"toolProposed","call":"c{number}","tool":"pay","args":{},{at}"#, args(number, calls[number])));
            prop_assert_eq!(super::verdict(&alone), decided);
        }
        prop_assert_eq!(held(&desk, 0, None), held(&single, 0, None));
    }
}
