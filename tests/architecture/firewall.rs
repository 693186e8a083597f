//! Law 2: what a person typed is nowhere in an event, a step, a session, a decision or a rejection.

use super::{assert_found, assert_none};
use flyball::event::{Rejection, read};
use flyball::policy::{Policy, compile};
use flyball::session::{Session, decide};
use flyball::source::Sources;

/// What the person types; it occurs nowhere else.
const TYPED: &str = "Xq7typed";

/// Which of some renderings hold the typed text.
fn holders(renderings: &[(&str, String)]) -> Vec<String> {
    let holding = renderings.iter().filter(|(_, text)| text.contains(TYPED));
    holding.map(|(name, text)| format!("{name} holds what was typed: {text}")).collect()
}

fn policy() -> Policy {
    let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n";
    compile(&flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap()).unwrap()
}

/// Everything that comes of one event after the opening.
fn trace(line: &str) -> Vec<(&'static str, String)> {
    let policy = policy();
    let opening = br#"{"v":"flyball/1","type":"sessionOpened","id":"e1","session":"s1","nonce":"n"}"#;
    let (mut session, step) = Session::open(&policy, &read(opening).unwrap()).unwrap();
    session.commit(step).unwrap();
    let event = read(line.as_bytes()).unwrap();
    let step = decide(&policy, &session, &event);
    let before = [("event", format!("{event:?}")), ("line", event.to_line()), ("step", format!("{step:?}"))];
    let decision = session.commit(step).unwrap();
    let after = [("decision", format!("{decision:?}")), ("session", format!("{session:?}"))];
    before.into_iter().chain(after).collect()
}

fn line(members: &str) -> String {
    format!(r#"{{"v":"flyball/1","id":"e2","session":"s1",{members}}}"#)
}

#[test]
fn typed_text_is_dropped_while_it_is_read() {
    for members in [
        format!(r#""type":"turnStarted","text":"please {TYPED} now""#),
        format!(r#""text":"{TYPED}","attachments":[{{"name":"{TYPED}"}}],"type":"turnStarted""#),
        format!(r#""type":"modelTurn","text":"{TYPED}","calls":[]"#),
        format!(r#""type":"turnStarted","text":"","ext":{{"text":"{TYPED}"}}"#),
    ] {
        assert_none(&holders(&trace(&line(&members))));
    }
}

#[test]
fn a_rejection_does_not_repeat_typed_text() {
    for members in [
        format!(r#""type":"turnStarted","text":"{TYPED}","text":"{TYPED}""#),
        format!(r#""type":"turnStarted","text":"{TYPED}\ud800""#),
        format!(r#""type":"turnStarted","text":"{TYPED}"#),
        format!(r#""type":"turnStarted","text":["{TYPED}"]"#),
        format!(r#""type":"toolProposed","call":"c1","tool":"look","text":"{TYPED}""#),
    ] {
        let rejection: Rejection = read(line(&members).as_bytes()).unwrap_err();
        assert_none(&holders(&[("rejection", format!("{rejection:?}"))]));
    }
}

#[test]
fn text_that_is_kept_is_found() {
    let kept = trace(&line(&format!(r#""type":"toolProposed","call":"{TYPED}","tool":"look","args":{{}}"#)));
    let holders = holders(&kept);
    assert_found(&holders[..2], &["event holds what was typed", "line holds"]);
    assert!(holders.iter().any(|holder| holder.starts_with("session holds")), "{holders:#?}");
}
