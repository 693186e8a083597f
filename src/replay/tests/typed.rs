//! What the user typed, in records and out of them again.

use super::rederived::{recorded, rederived};
use crate::event::{Body, read};
use crate::policy::{Policy, compile};
use crate::replay::ledger::{Lost, Rederived, StoredValues};
use crate::replay::{Player, Trace};
use crate::session::{Session, decide};
use crate::source::Sources;

fn policy() -> Policy {
    let spec = "agentspec: 1\nid: desk\npersona: You are the desk.\n\
        tools: {send: {effect: external, parameters: {type: object, properties: {to: {type: string}}}}}\n\
        guards: {preTool: [{id: payee, tools: [send], kind: valueFromUser, with: {arg: to}}]}\n";
    compile(&crate::spec::parse(&Sources::new("desk.yaml", spec)).spec.unwrap()).unwrap()
}

const CALL: &str = r#""type":"toolProposed","call":"c1","tool":"send","args":{"to":"ada@example.com"}"#;

#[test]
fn a_decision_that_depends_on_what_was_typed_is_made_again() {
    let policy = policy();
    let (lines, values) = recorded(&policy, &[r#""type":"turnStarted","text":"pay ada@example.com","turn":1"#, CALL]);
    assert!(lines[1].contains(r#""text":{"value":"pay ada@example.com"}"#), "{}", lines[1]);
    assert!(lines[2].contains(r#""decision":"allow""#), "{}", lines[2]);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 3]);
    let other = lines[1].replace("ada@", "eve@");
    let changed = vec![lines[0].clone(), other, lines[2].clone()];
    assert!(matches!(rederived(&policy, &changed, &values)[2], Rederived::Differs { .. }));
}

#[test]
fn a_text_that_is_erased_leaves_its_decisions_unproven_and_the_others_as_they_were() {
    let policy = policy();
    let long = format!(r#""type":"turnStarted","text":"pay ada@example.com {}""#, "x".repeat(5_000));
    let denied = CALL.replace("c1", "c2").replace("ada@", "eve@");
    let turn = r#""type":"turnStarted","turn":2"#;
    let (lines, values) = recorded(&policy, &[&long, CALL, &denied, turn]);
    assert!(lines[1].contains(r#""text":{"n":"#) && !lines[1].contains("ada@"), "{}", lines[1]);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 5]);
    let erased = rederived(&policy, &lines, &StoredValues::new());
    let lost = |lost| Rederived::Lost(lost);
    let wanted = [Rederived::Same, lost(Lost::Erased), lost(Lost::BehindGap), Rederived::Same, Rederived::Same];
    assert_eq!(erased, wanted);
}

#[test]
fn a_turn_without_a_text_is_recorded_as_it_was() {
    let policy = policy();
    let (lines, values) = recorded(&policy, &[r#""type":"turnStarted""#, CALL]);
    assert!(!lines[1].contains("text"), "{}", lines[1]);
    assert_eq!(rederived(&policy, &lines, &values), vec![Rederived::Same; 3]);
}

/// The verdicts on the calls of a trace.
fn played(line: &str) -> Vec<bool> {
    let (policy, trace) = (policy(), Trace::read(line.as_bytes()).unwrap());
    let mut player = Player::new(&trace, &policy, 0, None);
    let (mut session, step) = Session::open(&policy, &player.next_event().unwrap()).unwrap();
    session.commit(step).unwrap();
    let mut allowed = Vec::new();
    while let Some(event) = player.next_event() {
        let read_again = event.to_line();
        assert_eq!(read(read_again.as_bytes()).unwrap(), event);
        let before = player.clone().decided(&session.commit(decide(&policy, &session, &event)).unwrap());
        if matches!(event.body, Body::ToolProposed(_)) {
            allowed.push(before == 0);
        }
    }
    allowed
}

#[test]
fn a_trace_types_its_prompt_or_what_its_users_say_and_never_its_goal() {
    let step = r#"{"tool":"send","args":{"to":"ada@example.com"},"result":1}"#;
    let (typed, other) = ("Pay ada@example.com.", "Pay bob@example.com.");
    let with = |prompt: &str, goal: &str, steps: &str| {
        played(&format!(r#"{{"prompt":"{prompt}","goal":"{goal}","steps":[{steps}{step}]}}"#))
    };
    assert_eq!(with(typed, "", ""), [true]);
    assert_eq!(with(other, typed, ""), [false]);
    assert_eq!(with(other, "", &format!(r#"{{"type":"user","text":"{typed}"}},"#)), [true]);
    assert_eq!(
        with(typed, "", &format!(r#"{{"type":"user","text":"{other}"}},"#)),
        [false],
        "the prompt is another's then"
    );
}

#[test]
fn a_transcript_types_what_its_users_say_and_not_what_tools_return() {
    let call = r#"{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"send","input":{"to":"ada@example.com"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"ada@example.com"}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"b","name":"send","input":{"to":"ada@example.com"}}]}"#;
    let after = |content: &str| played(&format!(r#"[{{"role":"user","content":{content}}},{call}]"#));
    assert!(after(r#""Pay ada@example.com.""#)[0]);
    assert!(after(r#"[{"type":"text","text":"Pay"},{"type":"text","text":"ada@example.com"}]"#)[0]);
    assert!(!after(r#""Pay them.""#)[0]);
}
