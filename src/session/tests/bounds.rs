//! What a session remembers is bounded; beyond the bound it says that it cannot tell, never a guess.

use super::{Desk, code, is_allowed, policy};
use crate::canon::Digest;
use crate::decision::{Decision, Verdict};
use crate::observed::{IndexId, MAX_ENTRIES, Place, Seen, part_hash};
use crate::session::{CallState, MAX_REMEMBERED, Remembered, Session, Status};
use crate::tool::Effect;
use crate::value::Value;
use std::sync::Arc;

const FLOW: &str = "
tools: {get: {effect: read}, pay: {effect: external}}
flow: [{id: seen, from: get, to: pay, same: id}]
";

fn fill_index(session: &mut Session, entries: usize) {
    for entry in 0..entries {
        session.observed.keep(IndexId(0), u128::try_from(entry).unwrap(), Seen::of(0, false));
    }
}

#[test]
fn a_full_index_fails_where_it_misses_and_still_finds() {
    let policy = policy(FLOW);
    let mut desk = Desk::open(&policy);
    let known = part_hash(&desk.session.key, &Value::from("A"));
    desk.session.observed.keep(IndexId(0), known, Seen::of(0, false));
    fill_index(&mut desk.session, MAX_ENTRIES - 2);
    assert_eq!(desk.call("c1", "pay", r#"{"id":"B"}"#).denied_by(), Some("seen"), "one place is left");

    desk.call("c2", "get", r#"{"id":"C"}"#);
    desk.result("c2", "[1]");
    assert!(is_allowed(&desk.call("c3", "pay", r#"{"id":"A"}"#)));
    assert!(is_allowed(&desk.call("c4", "pay", r#"{"id":"C"}"#)));
    let Verdict::Deny(deny) = desk.call("c5", "pay", r#"{"id":"B"}"#) else { panic!("not denied") };
    assert_eq!(
        (&*deny.first.code, &*deny.first.guard, deny.first.failure),
        ("guard_failure", "seen", Some("index_full"))
    );

    desk.call("c6", "get", r#"{"id":"B"}"#);
    desk.result("c6", "[1]");
    assert_eq!(desk.call("c7", "pay", r#"{"id":"B"}"#).denied_by(), Some("guard_failure"), "it is not kept any more");
}

#[test]
fn a_known_entry_of_a_full_index_is_still_renewed() {
    let policy = policy(
        "
tools: {get: {effect: read}, pay: {effect: external}}
flow: [{id: seen, from: get, to: pay, same: id, within: turn}]
",
    );
    let mut desk = Desk::open(&policy);
    desk.call("c1", "get", r#"{"id":"A"}"#);
    desk.result("c1", "[1]");
    fill_index(&mut desk.session, MAX_ENTRIES);
    desk.say(r#""type":"turnStarted""#);
    assert_eq!(desk.call("c2", "pay", r#"{"id":"A"}"#).denied_by(), Some("seen"));
    desk.call("c3", "get", r#"{"id":"A"}"#);
    desk.result("c3", "[1]");
    assert!(is_allowed(&desk.call("c4", "pay", r#"{"id":"A"}"#)));
}

#[test]
fn a_turn_with_more_calls_than_can_be_told_apart_allows_no_more_until_the_next() {
    let policy = policy("tools: {get: {effect: read}}");
    let mut desk = Desk::open(&policy);
    for call in 0..MAX_ENTRIES {
        let place = Place { call: u128::try_from(call).unwrap(), version: 0 };
        desk.session.observed.allow(place, Effect::Read);
    }
    let Verdict::Deny(deny) = desk.call("c1", "get", "{}") else { panic!("not denied") };
    assert_eq!((&*deny.first.guard, deny.first.failure), ("auto/noDuplicateCall", Some("index_full")));
    desk.say(r#""type":"turnStarted""#);
    assert!(is_allowed(&desk.call("c2", "get", "{}")));
}

#[test]
fn a_session_that_remembers_no_more_allows_no_more_and_can_be_closed() {
    let policy = policy(FLOW);
    let mut desk = Desk::open(&policy);
    let left = 2;
    for event in 0..MAX_REMEMBERED - left - 1 {
        let decision = Arc::new(Decision::Proceed);
        desk.session.answered.insert(format!("x{event}").into(), Remembered { digest: Digest::ZERO, decision });
    }
    assert!(is_allowed(&desk.call("c1", "get", r#"{"n":1}"#)));
    assert!(is_allowed(&desk.call("c2", "get", r#"{"n":2}"#)));
    assert_eq!(desk.call("c3", "get", r#"{"n":3}"#).denied_by(), Some("index_full"));
    assert_eq!(code(&desk.say(r#""type":"turnStarted""#)), Some("index_full"));
    assert_eq!(*desk.say(r#""type":"sessionClosed""#), Decision::Proceed);
    assert!(!desk.session.is_open());
}

/// Fills what a session remembers of calls, but for some places.
fn leave_calls(session: &mut Session, left: usize) {
    for call in session.calls.len()..MAX_REMEMBERED - left {
        let state = CallState::new(Status::Denied, "get".into());
        session.calls.insert(format!("x{call}").into(), state);
    }
}

#[test]
fn a_batch_does_not_push_the_calls_past_the_bound() {
    let policy = policy("tools: {get: {effect: read}}");
    let batch = r#""type":"modelTurn","calls":[{"id":"c1","tool":"get","args":{"n":1}},{"id":"c2","tool":"none"},{"id":"c3","tool":"get","args":{"n":3}}]"#;
    let mut desk = Desk::open(&policy);
    leave_calls(&mut desk.session, 2);
    let verdicts = super::verdicts(&desk.say(batch));
    let codes: Vec<Option<&str>> = verdicts.iter().map(|(_, verdict)| verdict.denied_by()).collect();
    assert_eq!(codes, [None, Some("unknown_tool"), Some("index_full")]);
    let Verdict::Deny(deny) = &verdicts[2].1 else { panic!("not denied") };
    assert!(deny.correction.starts_with("This conversation is too long"), "{}", deny.correction);
    assert_eq!(desk.session.calls.len(), MAX_REMEMBERED);

    let mut closed = Desk::open(&policy);
    closed.say(r#""type":"sessionClosed""#);
    leave_calls(&mut closed.session, 2);
    closed.say(batch);
    assert_eq!(closed.session.calls.len(), MAX_REMEMBERED);
}
