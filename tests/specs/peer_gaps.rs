//! What a peer's linter misses or its engine drops, by the numbers of the report on it: here it is caught, or cannot be
//! written.

use super::user_cases::{spec, told};
use flyball::decision::{CallDecision, Decision, Verdict};
use flyball::event::{Body, Event, Opening};
use flyball::json::{Limits, parse};
use flyball::session::{Session, decide};

const TOOLS: &str = "tools:\n  look: {effect: read}\n  ask: {effect: read}\n  pay: {effect: external}\n";

#[test]
fn d11_every_edge_into_a_tool_holds_and_none_is_dropped() {
    let (_, policy) = spec(&format!(
        "{TOOLS}flow:\n  - {{id: look-first, from: look, to: pay}}\n  - {{id: ask-first, from: ask, to: pay}}\n"
    ))
    .clean();
    let opening = Event::new("open", "s", Body::SessionOpened(Opening::default()));
    let (mut session, step) = Session::open(&policy, &opening).unwrap();
    session.commit(step).unwrap();
    let object = || parse(b"{}", &Limits::default()).unwrap();
    let mut call = |id: &str, tool: &str| {
        let step = decide(&policy, &session, &Event::call(id, "s", id, tool, object()));
        let decided = session.commit(step).unwrap();
        let Decision::Call(CallDecision { verdict, .. }) = &*decided else { panic!("{decided:?}") };
        if let Verdict::Deny(deny) = verdict {
            return deny.first.guard.to_string();
        }
        let done = format!("done-{id}");
        let result = parse(br#"{"id":1}"#, &Limits::default()).unwrap();
        session.commit(decide(&policy, &session, &Event::result(&done, "s", id, result))).unwrap();
        "ran".to_owned()
    };
    let ran: Vec<String> = [("1", "pay"), ("2", "look"), ("3", "pay"), ("4", "ask"), ("5", "pay")]
        .into_iter()
        .map(|(id, tool)| call(id, tool))
        .collect();
    assert_eq!(ran, ["look-first", "ran", "ask-first", "ran", "ran"]);
}

#[test]
fn d12_the_condition_of_a_directive_decides_whether_it_is_said() {
    let (_, policy) =
        spec(&format!("{TOOLS}directives: [{{id: vip, when: world.tier == 'gold', say: Offer express handling.}}]\n"))
            .clean();
    let tail = |tier: &str| {
        let world = parse(format!(r#"{{"tier":"{tier}"}}"#).as_bytes(), &Limits::default()).unwrap().into_owned();
        let opening = Event::new("open", "s", Body::SessionOpened(Opening::default()));
        let opening = opening.with_world(flyball::event::WorldChange::Whole(world));
        let (mut session, step) = Session::open(&policy, &opening).unwrap();
        session.commit(step).unwrap();
        let step = decide(&policy, &session, &Event::new("turn", "s", Body::turn(None)));
        let decided = session.commit(step).unwrap();
        format!("{decided:?}")
    };
    assert!(tail("gold").contains("Offer express handling"), "{}", tail("gold"));
    assert!(!tail("plain").contains("Offer express handling"), "{}", tail("plain"));
}

/// The ten lines that a search for forbidden names in the source of guards does not see, as a check would say them.
const IMPURE: [&str; 10] = [
    "Date() != ''",
    "Date['now']() > 0",
    "setTimeout(0) == null",
    "process.env.HOME == 'x'",
    "require('fs').size() > 0",
    "import('fs') != null",
    "counter++ > 3",
    "Intl.DateTimeFormat() != null",
    "Math['random']() < 0.5",
    "globalThis['fe' + 'tch']('x') != null",
];

#[test]
fn d16_a_check_has_no_way_to_a_clock_to_chance_to_the_machine_or_to_memory() {
    for check in IMPURE {
        let quoted = check.replace('\'', "''");
        let loaded = spec(&format!(
            "{TOOLS}guards: {{preTool: [{{id: g, tools: [pay], check: '{quoted}', prose: p, correction: Do c.}}]}}\n"
        ));
        let rules = loaded.rules();
        let is_refused = rules.iter().any(|rule| ["unknown-name", "bad-expression", "bad-call"].contains(rule));
        assert!(is_refused && loaded.policy.is_none(), "{check}: {:?}", told(&loaded));
    }
    // What it may know of time is an input.
    let now = "'now < timestamp(''2031-03-04T09:00:00Z'')'";
    spec(&format!(
        "{TOOLS}guards: {{preTool: [{{id: g, tools: [pay], check: {now}, prose: p, correction: Do c.}}]}}\n"
    ))
    .clean();
}
