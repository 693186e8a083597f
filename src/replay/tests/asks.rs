//! What is declared, asked and simulated, in a ledger: what is recorded of it, and that it comes out the same again.

use super::rederived::{recorded, rederived};
use crate::policy::{Policy, compile};
use crate::replay::ledger::Rederived;
use crate::source::Sources;

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
tools:
  wipe:
    effect: write
    destructive: true
    label: wiping {args.id}
    parameters: {type: object, required: [id], properties: {id: {type: string}, simulate: {type: boolean}}}
    declares: {reason: {enum: [old, wrong]}}
guards: {preTool: [{id: old, tools: [wipe], check: declared.reason == 'old', prose: only what is old, correction: Only what is old.}]}
";

fn policy() -> Policy {
    let parsed = crate::spec::parse(&Sources::new("desk.yaml", SPEC));
    compile(&parsed.spec.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))).unwrap()
}

fn proposed(call: &str, args: &str) -> String {
    format!(r#""type":"toolProposed","call":"{call}","tool":"wipe","args":{args}"#)
}

#[test]
fn what_is_declared_is_recorded_as_sent_and_decided_with_again() {
    let policy = policy();
    let finished = |call: &str, end: &str| format!(r#""type":"toolFinished","call":"{call}",{end}"#);
    let conversation = [
        proposed("c1", r#"{"id":"a","reason":"wrong","simulate":true}"#),
        proposed("c2", r#"{"id":"a","reason":"old","simulate":true}"#),
        finished("c2", r#""result":{"rows":4},"effect":false"#),
        proposed("c3", r#"{"id":"b","reason":"old","simulate":true}"#),
        finished("c3", r#""result":{"rows":4}"#),
        proposed("c4", r#"{"id":"c","reason":"old","simulate":true}"#),
        r#""type":"turnStarted""#.to_owned(),
        proposed("c5", r#"{"id":"c","reason":"old"}"#),
    ];
    let conversation: Vec<&str> = conversation.iter().map(String::as_str).collect();
    let (lines, values) = recorded(&policy, &conversation);
    let wanted = [
        (1, r#""args":{"value":{"id":"a","reason":"wrong","simulate":true}}"#),
        (1, r#""matched":["old"]"#),
        (2, r#""args":{"value":{"id":"a","reason":"old","simulate":true}}"#),
        (3, r#""effect":false"#),
        (4, r#""decision":"allow""#),
        (6, r#""matched":["auto/destructiveThrottle"]"#),
        (8, r#""decision":"ask""#),
        (8, r#""matched":["auto/confirmFirst"]"#),
    ];
    for (at, text) in wanted {
        assert!(lines[at].contains(text), "{text}: {}", lines[at]);
    }
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 9]);
}
