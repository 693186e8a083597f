//! Answers, sums, windows and rewrites in a ledger: what is recorded of them, and that it comes out the same again.

use super::rederived::{recorded, rederived};
use crate::policy::{Policy, compile};
use crate::replay::ledger::{Lost, Rederived};
use crate::source::Sources;
use proptest::prelude::*;

fn policy(rules: &str) -> Policy {
    let text = format!("agentspec: 1\nid: desk\npersona: You are the desk.\n{rules}");
    let parsed = crate::spec::parse(&Sources::new("desk.yaml", text));
    compile(&parsed.spec.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))).unwrap()
}

fn proposed(call: &str, tool: &str, args: &str) -> String {
    format!(r#""type":"toolProposed","call":"{call}","at":"2031-03-04T09:00:00Z","tool":"{tool}","args":{args}"#)
}

#[test]
fn answers_stops_and_rewrites_are_recorded_and_come_out_the_same() {
    let policy = policy(
        "tools:\n  pay:\n    effect: external\n    rewrite: [{arg: id, normalise: trim}]\n    \
         idempotency: {key: args.id, window: 24h}\n  look: {effect: read}\n\
         budgets:\n  - {id: spend, sum: args.sum, tools: [pay], per: args.id, window: 7d, max: 20}\n  \
         - {id: looks, count: calls, tools: [look], action: stop, max: 0}\n",
    );
    let finished = |call: &str, end: &str| format!(r#""type":"toolFinished","call":"{call}",{end}"#);
    let conversation = [
        proposed("c1", "pay", r#"{"id":" a ","sum":6}"#),
        finished("c1", r#""outcome":"timed_out""#),
        proposed("c2", "pay", r#"{"id":"a","sum":6}"#),
        finished("c1", r#""result":{"receipt":7}"#),
        proposed("c3", "pay", r#"{"id":"a","sum":6}"#),
        proposed("c4", "pay", r#"{"id":"b","sum":21}"#),
        proposed("c5", "look", "{}"),
        proposed("c6", "pay", r#"{"id":"c","sum":1}"#),
    ];
    let conversation: Vec<&str> = conversation.iter().map(String::as_str).collect();
    let (lines, values) = recorded(&policy, &conversation);
    assert!(lines[1].contains(r#""args":{"value":{"id":" a ","sum":6}}"#), "what the model sent: {}", lines[1]);
    assert!(lines[3].contains(r#""decision":"ask""#) && lines[3].contains(r#""matched":["outcome_unknown"]"#));
    assert!(lines[5].contains(r#""decision":"answer""#) && lines[5].contains(r#""of":"c1""#), "{}", lines[5]);
    assert!(!lines[5].contains("receipt"), "the result stands in its own record: {}", lines[5]);
    assert!(lines[6].contains(r#""matched":["spend"],"outcome":"budget_denied","tool":"pay""#), "{}", lines[6]);
    for line in &lines[7..] {
        assert!(line.contains(r#""stop":"max_tool_calls""#) && line.contains(r#""matched":["looks"]"#), "{line}");
    }
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 9]);
}

#[test]
fn an_amount_that_is_gone_is_not_counted_and_what_differs_behind_it_proves_nothing() {
    let policy = policy(
        "tools: {pay: {effect: external}}\n\
         budgets:\n  - {id: spend, sum: args.sum, max: 10}\n  - {id: three, count: calls, max: 3}\n",
    );
    let long = format!(r#"{{"sum":9,"note":"{}"}}"#, "x".repeat(5000));
    let conversation = [
        proposed("c1", "pay", &long),
        proposed("c2", "pay", r#"{"sum":1}"#),
        proposed("c3", "pay", r#"{"sum":1.5}"#),
        proposed("c4", "pay", r#"{"sum":0}"#),
        proposed("c5", "pay", r#"{"sum":0,"no":5}"#),
    ];
    let conversation: Vec<&str> = conversation.iter().map(String::as_str).collect();
    let (lines, mut values) = recorded(&policy, &conversation);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 6]);
    values.clear();
    let again = rederived(&policy, &lines, &values);
    let behind = Rederived::Lost(Lost::BehindGap);
    assert_eq!(again[..4], [Rederived::Same, Rederived::Lost(Lost::Erased), Rederived::Same, behind]);
    // The count needs no argument, so it still stands; but the call before now runs where it did not.
    assert_eq!(again[4..], [Rederived::Lost(Lost::BehindGap), Rederived::Same]);
}

const REPEATS: &str = "\
tools:
  pay:
    effect: external
    rewrite: [{arg: id, normalise: trim}, {arg: sum, clamp: {max: 30}}]
    idempotency: {key: args.id, window: 1h}
    errorWhen: result.failed
    parameters: {type: object, required: [id, sum], properties: {id: {type: string}, sum: {type: number}, token: {type: string}}}
  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  close: {effect: write, ends: session}
world: {stale: deny}
budgets:
  - {id: spend, sum: args.sum, tools: [pay], per: args.id, window: 2h, max: 40.5}
  - {id: turnly, sum: args.sum, tools: [pay], scope: turn, max: 60, action: ask}
  - {id: failing, count: calls, tools: [pay], outcome: failed, streak: true, action: stop, max: 4}
guards:
  preTool:
    - {id: told, tools: [pay], when: args.sum > 20, action: warn, prose: large, correction: Say that it is large.}
    - {id: seen, tools: [pay], check: \"done('look', {'id': args.id})\", action: ask, prose: looked, correction: Look first.}
  postTool:
    - {id: receipt, tools: [pay], check: result.receipt > 0, action: deny, prose: a receipt, correction: It has no receipt.}
";

/// What a host says of such a desk.
fn steps() -> impl Strategy<Value = String> {
    let amount = prop_oneof![Just("0"), Just("7.25"), Just("20.5"), Just("90"), Just("-1"), Just("1e30"), Just("null")];
    let id = prop_oneof![Just("a"), Just(" a "), Just("b")];
    let token = prop_oneof![3 => Just(""), 1 => Just(r#","token":"sk-0123456789abcdef0123456789abcdef""#)];
    let pay = (0..40_u8, id, amount, token, 0..6_u8).prop_map(|(call, id, sum, token, hour)| {
        let args = format!(r#"{{"id":"{id}","sum":{sum}{token}}}"#);
        (format!("c{call}"), args, hour)
    });
    let ended = prop_oneof![
        3 => Just(r#""result":{"failed":false,"receipt":7}"#),
        1 => Just(r#""result":{"failed":false,"receipt":0}"#),
        1 => Just(r#""result":{"failed":true}"#),
        1 => Just(r#""result":"neither""#),
        1 => Just(r#""error":"no""#),
        1 => Just(r#""error":"no","effect":false"#),
        1 => Just(r#""outcome":"timed_out""#),
        1 => Just(r#""result":{"a":1,"a":2}"#),
    ];
    prop_oneof![
        8 => pay.clone().prop_map(|(call, args, hour)| format!(
            r#""type":"toolProposed","call":"{call}","tool":"pay","args":{args},"cwd":"/home","at":"2031-03-04T0{hour}:00:00Z""#
        )),
        2 => prop::collection::vec(pay, 1..4).prop_map(|calls| {
            let calls: Vec<String> = calls.iter().map(|(call, args, _)| format!(r#"{{"id":"{call}","tool":"pay","args":{args}}}"#)).collect();
            format!(r#""type":"modelTurn","calls":[{}]"#, calls.join(","))
        }),
        2 => (40..50_u8).prop_map(|call| format!(r#""type":"toolProposed","call":"c{call}","tool":"look","args":{{"id":"a"}}"#)),
        8 => (0..50_u8, ended).prop_map(|(call, ended)| format!(r#""type":"toolFinished","call":"c{call}",{ended}"#)),
        1 => Just(r#""type":"turnStarted""#.to_owned()),
        1 => Just(r#""type":"worldChanged","world":{"a":1}"#.to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whole_conversations_come_out_of_their_ledger_the_same_and_without_values_none_differs(
        conversation in prop::collection::vec(steps(), 1..40),
        observes in any::<bool>(),
    ) {
        let policy = policy(&format!("{REPEATS}{}", if observes { "mode: observe\n" } else { "" }));
        // What cannot be read is told by another way than an event.
        let readable = |step: &&String| crate::event::read(format!(r#"{{"v":"flyball/1","id":"e","session":"s1",{step}}}"#).as_bytes()).is_ok();
        let conversation: Vec<&str> = conversation.iter().filter(readable).map(String::as_str).collect();
        let (lines, mut values) = recorded(&policy, &conversation);
        for (said, line) in rederived(&policy, &lines, &values).iter().zip(&lines) {
            let is_known = matches!(said, Rederived::Same | Rederived::Lost(Lost::Refused));
            prop_assert!(is_known, "{:?}: {}", said, line);
        }
        values.clear();
        for said in rederived(&policy, &lines, &values) {
            prop_assert!(!matches!(said, Rederived::Differs { .. }), "{:?}", said);
        }
    }
}
