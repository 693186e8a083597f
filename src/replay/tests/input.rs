//! Turns that guards judge, in records and out of them again, and in traces.

use super::rederived::{recorded, rederived};
use crate::event::{Body, read};
use crate::policy::{Policy, compile};
use crate::replay::ledger::{Lost, Rederived, StoredValues};
use crate::replay::{Player, Summary, Trace};
use crate::session::{Session, decide};
use crate::source::Sources;

fn policy_of(mode: &str) -> Policy {
    let spec = format!(
        "agentspec: 1\nid: desk\npersona: You are the desk.\nmode: {mode}\n\
        world: {{schema: {{type: object, properties: {{open: {{type: boolean}}}}}}}}\n\
        tools: {{look: {{effect: read}}}}\n\
        guards:\n  onInput:\n\
        \x20   - {{id: open, check: world.open, prose: while it is open, correction: We are closed.}}\n\
        \x20   - {{id: small, forEach: a in input.attachments, check: a.size < 10, prose: small files, correction: 'Too large: {{a.size}}.'}}\n\
        \x20   - {{id: seen, check: session.turn < 3, action: audit}}\n"
    );
    compile(&crate::spec::parse(&Sources::new("desk.yaml", spec)).spec.unwrap()).unwrap()
}

const OPEN: &str = r#""world":{"open":true}"#;

fn conversation() -> Vec<String> {
    let turn = |members: &str| format!(r#""type":"turnStarted",{members}"#);
    let call = |id: &str| format!(r#""type":"toolProposed","call":"{id}","tool":"look","args":{{}}"#);
    vec![
        turn(OPEN),
        turn(r#""world":{"open":false},"text":"Hello.","attachments":[{"size":12,"kind":"png"}]"#),
        call("c1"),
        turn(r#""world":{}"#),
        turn(OPEN),
        call("c2"),
    ]
}

fn run(policy: &Policy) -> (Vec<String>, StoredValues) {
    let events = conversation();
    recorded(policy, &events.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn a_turn_that_was_judged_is_recorded_and_decided_again() {
    let policy = policy_of("enforce");
    let (lines, values) = run(&policy);
    for (line, part) in [
        (1, r#""data":{"decision":"proceed","event":"#),
        (2, r#""data":{"attachments":{"value":[{"kind":"png","size":12}]},"decision":"refuse","event":"#),
        (2, r#""matched":["open","small"],"outcome":"guard_denied","text":{"value":"Hello."},"world":"#),
        (3, r#""matched":["turn_refused"]"#),
        (4, r#""failure":"missing","matched":["open","seen"],"outcome":"guard_denied","world":"#),
        (5, r#""decision":"proceed","event":"#),
        (5, r#""matched":["seen"],"world":"#),
    ] {
        assert!(lines[line].contains(part), "{part}: {}", lines[line]);
    }
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 7]);
    let mut changed = lines.clone();
    changed[2] = changed[2].replace(r#""size":12"#, r#""size":9"#);
    assert!(matches!(rederived(&policy, &changed, &values)[2], Rederived::Differs { seq: 2, .. }));
}

#[test]
fn what_is_only_observed_is_recorded_and_decided_again() {
    let policy = policy_of("observe");
    let (lines, values) = run(&policy);
    assert!(
        lines[2].contains(r#""decision":"proceed""#) && lines[2].contains(r#""would":"would_refuse""#),
        "{}",
        lines[2]
    );
    assert!(lines[3].contains(r#""decision":"allow""#), "{}", lines[3]);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 7]);
}

#[test]
fn a_refused_turn_whose_text_is_erased_still_refuses_its_calls() {
    let policy = policy_of("enforce");
    let long = format!(r#""type":"turnStarted","world":{{"open":false}},"text":"{}""#, "x".repeat(5_000));
    let call = r#""type":"toolProposed","call":"c1","tool":"look","args":{}"#;
    let (lines, _) = recorded(&policy, &[&long, call]);
    let erased = rederived(&policy, &lines, &StoredValues::new());
    assert_eq!(erased, [Rederived::Same, Rederived::Lost(Lost::Erased), Rederived::Same]);
}

#[test]
fn a_trace_says_what_came_with_a_message_and_a_refused_turn_is_counted() {
    let policy = policy_of("enforce");
    let line = r#"{"world":{"open":true},"steps":[
        {"type":"user","text":"Here.","attachments":[{"kind":"png","size":12}]},
        {"tool":"look","args":{},"result":1},
        {"type":"user","text":"Smaller.","attachments":[{"kind":"png","size":2}]},
        {"tool":"look","args":{},"result":1}]}"#;
    let trace = Trace::read(line.as_bytes()).unwrap();
    let mut player = Player::new(&trace, &policy, 0, None);
    let (mut session, step) = Session::open(&policy, &player.next_event().unwrap()).unwrap();
    session.commit(step).unwrap();
    let (mut summary, mut replies) = (Summary::default(), Vec::new());
    while let Some(event) = player.next_event() {
        assert_eq!(read(event.to_line().as_bytes()).unwrap(), event);
        let decision = session.commit(decide(&policy, &session, &event)).unwrap();
        player.decided(&decision);
        summary.add(&decision);
        if matches!(event.body, Body::TurnStarted { .. }) {
            replies.push(decision.reply().map(String::from));
        }
    }
    assert_eq!(replies, [Some("Too large: 12.".to_owned()), None]);
    assert_eq!((summary.turns_refused, summary.denied, summary.allowed), (1, 1, 1));
    for attachments in ["7", r#"[{"kind":"png"}]"#, r#"[{"kind":"png","size":1,"text":"x"}]"#] {
        let line = format!(r#"{{"steps":[{{"type":"user","attachments":{attachments}}}]}}"#);
        assert!(Trace::read(line.as_bytes()).is_err(), "{attachments}");
    }
}
