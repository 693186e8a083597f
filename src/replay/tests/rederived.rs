//! A conversation to records, and the records back to the same decisions, byte for byte.

use super::SPEC;
use crate::event::read;
use crate::policy::{Policy, compile};
use crate::replay::ledger::{Events, Rederived, Rederiver, StoredValues};
use crate::session::{Session, Step, decide};
use crate::source::Sources;

fn policy() -> Policy {
    compile(&crate::spec::parse(&Sources::new("desk.yaml", SPEC)).spec.unwrap()).unwrap()
}

/// The lines and the values that a conversation leaves.
pub(super) fn recorded(policy: &Policy, events: &[&str]) -> (Vec<String>, StoredValues) {
    let (mut lines, mut values) = (Vec::new(), StoredValues::new());
    let mut note = |step: &Step| {
        let records = step.records().unwrap();
        lines.extend(records.records.iter().map(|record| String::from_utf8(record.line().to_vec()).unwrap()));
        values.extend(records.values.iter().map(|value| (value.reference, (value.salt, value.bytes.clone()))));
    };
    let opening = read(br#"{"v":"flyball/1","type":"sessionOpened","id":"e0","session":"s1","nonce":"n"}"#).unwrap();
    let (mut session, step) = Session::open_recorded(policy, &opening).unwrap();
    note(&step);
    session.commit(step).unwrap();
    for (number, members) in (1..).zip(events) {
        let line = format!(r#"{{"v":"flyball/1","id":"e{}","session":"s1",{members}}}"#, number);
        let step = decide(policy, &session, &read(line.as_bytes()).unwrap());
        note(&step);
        session.commit(step).unwrap();
    }
    (lines, values)
}

pub(super) fn rederived(policy: &Policy, lines: &[String], values: &StoredValues) -> Vec<Rederived> {
    let (mut events, mut rederiver) = (Events::default(), Rederiver::new(policy));
    let told = lines.iter().flat_map(|line| events.push(line.trim_end().as_bytes(), values).unwrap());
    told.map(|event| rederiver.push(&event)).collect()
}

#[test]
fn the_directory_of_a_call_is_recorded_and_decided_with_again() {
    let policy = policy();
    let long =
        format!(r#""type":"toolProposed","call":"c4","tool":"look","args":{{"id":"B"}},"cwd":"/{}""#, "x".repeat(5000));
    let conversation = [
        r#""type":"toolProposed","call":"c1","tool":"look","args":{"id":"A"},"cwd":"/home/a""#,
        r#""type":"modelTurn","calls":[{"id":"c2","tool":"look","args":{"id":"C"},"cwd":"/b"},{"id":"c3","tool":"write"}]"#,
        &long,
    ];
    let (lines, values) = recorded(&policy, &conversation);
    assert!(lines[1].contains(r#""call":"c1","cwd":{"value":"/home/a"},"decision":"allow""#), "{}", lines[1]);
    assert!(lines[3].contains(r#""cwd":{"value":"/b"}"#) && !lines[4].contains("cwd"), "{lines:?}");
    assert!(lines[5].contains(r#""cwd":{"n":5003,"ref":""#), "{}", lines[5]);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 4]);
}

#[test]
fn a_record_without_a_directory_is_as_it_was() {
    let policy = policy();
    let (lines, values) = recorded(&policy, &[r#""type":"toolProposed","call":"c1","tool":"look","args":{"id":"A"}"#]);
    assert!(lines[1].contains(r#""call":"c1","decision":"allow""#), "{}", lines[1]);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 2]);
}
