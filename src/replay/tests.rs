//! Conversations of each form through a player, both ways: what runs, and what is left out.

mod asks;
mod controls;
mod input;
mod rederived;
mod repeats;
mod typed;

use super::*;
use crate::policy::compile;
use crate::session::{Session, decide};
use crate::source::Sources;

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
tools:
  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  write: {effect: write, parameters: {type: object, properties: {id: {type: string}}}}
flow: [{id: look-first, from: look, to: write, same: id}]
";

/// The events of a conversation with a word for each answer, and how many results were left out.
fn played(conversation: &str) -> (Vec<String>, usize) {
    let policy = compile(&crate::spec::parse(&Sources::new("desk.yaml", SPEC)).spec.unwrap()).unwrap();
    let trace = Trace::read(conversation.as_bytes()).unwrap();
    let mut player = Player::new(&trace, &policy, 1, None);
    let opening = player.next_event().unwrap();
    let (mut session, step) = Session::open(&policy, &opening).unwrap();
    player.decided(&session.commit(step).unwrap());
    let (mut told, mut left_out) = (Vec::new(), Vec::new());
    while let Some(event) = player.next_event() {
        let step = decide(&policy, &session, &event);
        let decision = session.commit(step).unwrap();
        left_out.push(player.decided(&decision));
        told.push(word(&event.body, &decision));
    }
    (told, left_out.iter().sum())
}

fn word(body: &Body<'_>, decision: &Decision) -> String {
    let verdict = |call: &CallDecision| {
        let code = call.verdict.denied_by().map(|code| format!(" {code}")).unwrap_or_default();
        format!("{} {}{code}", call.call, call.verdict.name())
    };
    match (body, decision) {
        (_, Decision::Call(call)) => verdict(call),
        (_, Decision::Calls { calls, .. }) => format!("[{}]", calls.iter().map(verdict).collect::<Vec<_>>().join(", ")),
        (Body::ToolFinished { call, outcome }, Decision::Accept) => match outcome {
            Outcome::Ok { result, .. } => format!("{call} = {}", crate::canon::to_text(result)),
            Outcome::Failed { error, .. } => format!("{call} failed {}", crate::canon::to_text(error)),
            Outcome::Unknown(_) => panic!("no transcript says so"),
        },
        (Body::ReplyProposed(said), Decision::Reply(reply)) => format!("{} {}", reply.verdict.name(), said.text),
        (body, Decision::Proceed) => body.name().to_owned(),
        (body, other) => panic!("{body:?} got {other:?}"),
    }
}

fn openai(messages: &str) -> String {
    format!(r#"{{"model": "m", "messages": [{{"role": "system", "content": "Be kind."}}, {messages}]}}"#)
}

fn call(id: &str, tool: &str, arguments: &str) -> String {
    let arguments = crate::canon::to_text(&Value::from(arguments.to_owned()));
    format!(r#"{{"id": "{id}", "type": "function", "function": {{"name": "{tool}", "arguments": {arguments}}}}}"#)
}

fn assistant(calls: &[String]) -> String {
    format!(r#"{{"role": "assistant", "content": null, "tool_calls": [{}]}}"#, calls.join(", "))
}

fn tool(id: &str, content: &str) -> String {
    format!(r#"{{"role": "tool", "tool_call_id": "{id}", "content": {content}}}"#)
}

const USER: &str = r#"{"role": "user", "content": "Write it."}"#;
const REPLY: &str = r#"{"role": "assistant", "content": "Done."}"#;
const ID: &str = r#"{"id": "A7"}"#;

#[test]
fn an_openai_transcript_is_turns_calls_and_results() {
    let messages = [
        USER,
        &assistant(&[call("x1", "look", ID)]),
        &tool("x1", r#""{\"total\": 40}""#),
        &assistant(&[call("x2", "write", ID)]),
        &tool("x2", r#""written""#),
        REPLY,
    ];
    let wanted = [
        "turnStarted",
        "x1 allow",
        r#"x1 = {"total":40}"#,
        "x2 allow",
        r#"x2 = "written""#,
        "turnEnded",
        "sessionClosed",
    ];
    let (told, left_out) = played(&openai(&messages.join(", ")));
    assert_eq!((told, left_out), (wanted.map(str::to_owned).to_vec(), 0));
    let bare = format!("[{}]", messages.join(", "));
    assert_eq!(played(&bare).0, wanted, "a bare list of messages is the same");
}

#[test]
fn the_calls_of_one_message_are_a_batch_and_license_nothing_for_each_other() {
    let messages = [
        USER,
        &assistant(&[call("x1", "look", ID), call("x2", "write", ID)]),
        &tool("x2", r#""written""#),
        &tool("x1", r#""[1]""#),
        &assistant(&[call("x3", "write", ID)]),
    ];
    let (told, left_out) = played(&openai(&messages.join(", ")));
    let batch = "[x1 allow, x2 deny look-first]";
    assert_eq!(told, ["turnStarted", batch, "x1 = [1]", "x3 allow", "sessionClosed"]);
    assert_eq!(left_out, 1, "the write did not run, so its result is left out");
}

#[test]
fn a_call_without_a_result_never_finished_and_licenses_nothing() {
    let messages = [USER, &assistant(&[call("x1", "look", ID)]), &assistant(&[call("x2", "write", ID)])];
    let (told, left_out) = played(&openai(&messages.join(", ")));
    assert_eq!(told, ["turnStarted", "x1 allow", "x2 deny look-first", "sessionClosed"]);
    assert_eq!(left_out, 0, "there was no result to leave out");
}

#[test]
fn a_step_without_a_result_never_finished_and_one_whose_result_is_null_did() {
    let steps = |end: &str| {
        let look = format!(r#"{{"tool": "look", "args": {{"id": "7"}}{end}}}"#);
        played(&format!(r#"{{"steps": [{look}, {{"tool": "write", "args": {{"id": "7"}}}}]}}"#))
    };
    let unfinished = ["turnStarted", "c0 allow", "c1 deny look-first", "sessionClosed"].map(str::to_owned).to_vec();
    assert_eq!(steps(""), (unfinished.clone(), 0), "neither call has a result that could be left out");
    assert_eq!(steps(r#", "error": null"#), (unfinished, 0));
    let finished = steps(r#", "result": null"#).0;
    assert_eq!(finished[1..3], ["c0 allow", "c0 = null"]);
    assert_eq!(steps(r#", "error": "gone""#).0[2], r#"c0 failed "gone""#);
}

#[test]
fn only_a_result_that_was_recorded_is_left_out() {
    let write = |end: &str| played(&format!(r#"{{"steps": [{{"tool": "write", "args": {{"id": "7"}}{end}}}]}}"#)).1;
    assert_eq!((write(""), write(r#", "result": null"#), write(r#", "error": "gone""#)), (0, 1, 1));
}

#[test]
fn arguments_that_are_no_object_are_denied_by_their_gate_and_blank_ones_are_none() {
    let verdict = |arguments: &str| {
        let messages = [USER, &assistant(&[call("x1", "look", arguments)])];
        played(&openai(&messages.join(", "))).0.remove(1)
    };
    for bad in ["{\"id\": ", "not json", "[1]", "17", "null"] {
        assert_eq!(verdict(bad), "x1 deny invalid_arguments", "{bad}");
    }
    for good in ["", " ", "{}", ID] {
        assert_eq!(verdict(good), "x1 allow", "{good}");
    }
    let object = r#"{"role": "assistant", "tool_calls": [{"id": "x1", "function": {"name": "look", "arguments": {"id": "A"}}}]}"#;
    assert_eq!(played(&openai(object)).0[1], "x1 allow", "arguments that are an object already");
}

#[test]
fn an_anthropic_transcript_is_turns_calls_and_results() {
    let used =
        |id: &str, tool: &str| format!(r#"{{"type": "tool_use", "id": "{id}", "name": "{tool}", "input": {ID}}}"#);
    let assistant = |blocks: &str| {
        format!(r#"{{"role": "assistant", "content": [{{"type": "text", "text": "I see."}}, {blocks}]}}"#)
    };
    let ended = |id: &str, rest: &str| format!(r#"{{"type": "tool_result", "tool_use_id": "{id}", {rest}}}"#);
    let user = |blocks: &str| format!(r#"{{"role": "user", "content": [{blocks}]}}"#);
    let messages = [
        user(r#"{"type": "text", "text": "Write it."}"#),
        assistant(&[used("t1", "look"), used("t2", "write")].join(", ")),
        user(
            &[
                ended("t1", r#""content": [{"type": "text", "text": "[4"}, {"type": "text", "text": "0]"}]"#),
                ended("t2", r#""content": "written""#),
                r#"{"type": "text", "text": "And now?"}"#.to_owned(),
            ]
            .join(", "),
        ),
        assistant(&used("t3", "write")),
        user(&ended("t3", r#""is_error": true, "content": "it broke""#)),
        r#"{"role": "assistant", "content": [{"type": "text", "text": "Sorry."}]}"#.to_owned(),
    ];
    let wanted = [
        "turnStarted",
        "[t1 allow, t2 deny look-first]",
        "t1 = [40]",
        "turnStarted",
        "t3 allow",
        r#"t3 failed "it broke""#,
        "turnEnded",
        "sessionClosed",
    ];
    let conversation = format!(r#"{{"system": "Be kind.", "messages": [{}]}}"#, messages.join(", "));
    let (told, left_out) = played(&conversation);
    assert_eq!((told, left_out), (wanted.map(str::to_owned).to_vec(), 1));
}

#[test]
fn an_id_that_is_used_again_is_another_call() {
    let messages = [
        USER,
        &assistant(&[call("x", "look", r#"{"id": "A"}"#)]),
        &tool("x", r#""one""#),
        &assistant(&[call("x", "look", r#"{"id": "B"}"#)]),
        &tool("x", r#""two""#),
        &assistant(&[call("call-1", "look", r#"{"id": "C"}"#), call("", "look", r#"{"id": "D"}"#)]),
    ];
    let (told, _) = played(&openai(&messages.join(", ")));
    let batch = "[call-2 allow, call-3 allow]";
    let wanted =
        ["turnStarted", "x allow", r#"x = "one""#, "call-1 allow", r#"call-1 = "two""#, batch, "sessionClosed"];
    assert_eq!(told, wanted);
}

#[test]
fn what_is_no_transcript_says_what_is_wrong() {
    let wrong = [
        (r#"{"role": "critic", "content": ""}"#.to_owned(), "a message of role `critic`"),
        ("17".to_owned(), "a message is an object"),
        (r#"{"content": ""}"#.to_owned(), "a message has a `role`"),
        (tool("x9", r#""?""#), "a result of the call \"x9\", which nobody made"),
        (r#"{"role": "tool", "content": ""}"#.to_owned(), "names its call in `tool_call_id`"),
        (r#"{"role": "assistant", "tool_calls": [{"id": "x"}]}"#.to_owned(), "a tool call has a `function`"),
        (r#"{"role": "assistant", "content": [{"type": "tool_use"}]}"#.to_owned(), "names its tool"),
    ];
    for (message, reason) in wrong {
        let error = Trace::read(openai(&message).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(reason), "{message}: {error}");
    }
    assert!(Trace::read(b"{}").is_err() && Trace::read(b"17").is_err());
}

#[test]
fn nothing_that_is_said_can_be_read() {
    let said = format!(r#"[{}, {}]"#, USER.replace("Write it.", "Xq7typed"), REPLY.replace("Done.", "Xq7typed"));
    assert!(!format!("{:?}", Trace::read(said.as_bytes()).unwrap()).contains("Xq7typed"));
    let blocks = r#"[{"role": "user", "content": [{"type": "text", "text": "Xq7typed"}]}]"#;
    assert!(!format!("{:?}", Trace::read(blocks.as_bytes()).unwrap()).contains("Xq7typed"));
}

#[test]
fn a_value_over_several_lines_is_seen_by_its_first() {
    for first in ["{", "[", " {", "[{\"role\": \"user\",", "{\"messages\": [", "{ \r"] {
        assert!(goes_on(first.as_bytes()), "{first:?}");
    }
    for first in ["", "{}", "[]", "x", "\"a", "{]", "{\"v\": 1}"] {
        assert!(!goes_on(first.as_bytes()), "{first:?}");
    }
}
