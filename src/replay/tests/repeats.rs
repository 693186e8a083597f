//! Answers, sums, windows and rewrites in a ledger: what is recorded of them, and that it comes out the same again.

use super::rederived::{recorded, rederived};
use crate::policy::{Policy, compile};
use crate::replay::ledger::{Lost, Rederived};
use crate::source::Sources;

fn policy(rules: &str) -> Policy {
    let text = format!("agentspec: 1\nid: desk\npersona: You are the desk.\n{rules}");
    compile(&crate::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap()).unwrap()
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
