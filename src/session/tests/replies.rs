//! Replies: what a window releases, what a correction may not start, and that a turn comes back from its ledger.

use super::restored::Recorded;
use super::{Desk, policy};
use crate::decision::{Decision, ReplyVerdict, Verdict};
use crate::policy::Policy;
use proptest::prelude::*;
use std::sync::LazyLock;

static WINDOW: LazyLock<Policy> = LazyLock::new(|| {
    policy(
        "tools: {look: {effect: read}}
controls: {stream: window}
guards:
  onReply:
    - {id: no-iban, kind: blockPattern, with: {name: an account, pattern: 'ES[0-9]{6}', rule: name no account}}
    - {id: no-rival, kind: mustNotMention, with: {words: [Acme]}}
",
    )
});

/// A text that may hold what is forbidden, cut into pieces.
fn streams() -> impl Strategy<Value = Vec<String>> {
    let part = prop_oneof![
        6 => "[a-zé .]{0,12}",
        1 => Just("ES123456".to_owned()),
        1 => Just("ES12345".to_owned()),
        1 => Just(" Acme ".to_owned()),
        1 => Just("Acmeology".to_owned()),
    ];
    let text = prop::collection::vec(part, 1..12).prop_map(|parts| parts.concat());
    (text, prop::collection::vec(1..9_usize, 80)).prop_map(|(text, lengths)| {
        let (mut pieces, mut characters, mut lengths) =
            (Vec::new(), text.chars().peekable(), lengths.into_iter().cycle());
        while characters.peek().is_some() {
            pieces.push(characters.by_ref().take(lengths.next().unwrap()).collect());
        }
        pieces
    })
}

fn piece(text: &str) -> String {
    format!(r#""type":"replyDelta","text":{}"#, serde_json::to_string(text).unwrap())
}

/// Where something forbidden begins.
fn forbidden(text: &str) -> Option<usize> {
    let pattern = regex::Regex::new(r"ES[0-9]{6}|\bAcme\b").unwrap();
    pattern.find(text).map(|found| found.start())
}

proptest! {
    #[test]
    fn a_window_releases_nothing_of_what_is_forbidden_and_what_it_releases_is_how_the_reply_begins(pieces in streams()) {
        let whole = pieces.concat();
        let mut desk = Desk::open(&WINDOW);
        desk.say(r#""type":"turnStarted""#);
        let mut released = String::new();
        for text in &pieces {
            match &*desk.say(&piece(text)) {
                Decision::Release(more) => released.push_str(more),
                Decision::Hold => {}
                other => panic!("{other:?}"),
            }
            prop_assert!(whole.starts_with(&released));
        }
        prop_assert!(released.len() <= forbidden(&whole).unwrap_or(whole.len()), "{released:?} of {whole:?}");
        let decision = desk.say(r#""type":"replyEnd""#);
        let Decision::Reply(reply) = &*decision else { panic!("{decision:?}") };
        match (&reply.verdict, forbidden(&whole)) {
            (ReplyVerdict::Deliver { text, .. }, None) => prop_assert_eq!(text.as_str(), whole.trim_end()),
            (ReplyVerdict::Redrive { forced, .. }, found) => {
                prop_assert_eq!(*forced, crate::text::is_blank(&whole));
                prop_assert!(found.is_some() || *forced);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_window_shows_what_is_far_enough_from_the_end() {
    let mut desk = Desk::open(&WINDOW);
    desk.say(r#""type":"turnStarted""#);
    let long = "This is a long and harmless reply, of which the beginning can be shown at once. ".repeat(8);
    let Decision::Release(released) = &*desk.say(&piece(&long)) else { panic!("held back") };
    assert!(released.len() > 400 && released.len() < long.len(), "{}", released.len());
}

/// A loop as a host writes it: a model that answers one thing after another, tools that run, and both counted.
struct Loop<'p> {
    desk: Desk<'p>,
    generations: usize,
    runs: Vec<String>,
}

impl Loop<'_> {
    fn call(&mut self, call: &str, tool: &str, n: u32) -> bool {
        let said =
            self.desk.say(&format!(r#""type":"toolProposed","call":"{call}","tool":"{tool}","args":{{"n":{n}}}"#));
        let Decision::Call(decided) = &*said else { panic!("{said:?}") };
        let runs = matches!(decided.verdict, Verdict::Allow(_));
        if runs {
            self.runs.push(call.to_owned());
            self.desk.say(&format!(r#""type":"toolFinished","call":"{call}","result":"ok""#));
        }
        runs
    }

    /// Replies until one stands. Each of them is one generation.
    fn reply(&mut self, texts: &[&str]) -> String {
        for text in texts {
            self.generations += 1;
            let said = self.desk.say(&format!(r#""type":"replyProposed","text":"{text}""#));
            if let Some(text) = said.reply() {
                return text.to_owned();
            }
            assert!(said.instruction().is_some());
        }
        panic!("no reply stands");
    }
}

/// Law 5, counted: a veto is the call's result, so the generation goes on; a redrive runs nothing.
#[test]
fn a_veto_adds_no_generation_and_a_redrive_starts_no_tool() {
    let policy = policy(
        "tools: {pay: {effect: external}}
controls: {redrives: 2}
guards:
  preTool: [{id: cap, tools: [pay], check: args.n < 5, prose: less than 5, correction: Pay less than 5.}]
  onReply: [{id: plain, check: '!reply.text.contains(\"promise\")', prose: promise nothing, correction: Promise nothing.}]
",
    );
    let mut desk = Desk::open(&policy);
    desk.say(r#""type":"turnStarted""#);
    let mut host = Loop { desk, generations: 1, runs: Vec::new() };
    // One generation with a call that is refused, its correction as the result, and one that is not.
    assert!(!host.call("c1", "pay", 9));
    assert!(host.call("c2", "pay", 4));
    assert_eq!(host.generations, 1);
    // Two replies are refused; while another is awaited the model calls again and again, and nothing runs.
    let mut texts = vec!["I promise.", "Still I promise."];
    host.desk.say(r#""type":"replyProposed","text":"I do promise.""#);
    assert!(!host.call("c3", "pay", 1) && !host.call("c4", "pay", 2));
    texts.truncate(1);
    texts.push("Paid.");
    assert_eq!(host.reply(&texts), "Paid.\n\n`pay`: done.");
    assert_eq!((host.generations, host.runs), (3, vec!["c2".to_owned()]));
}

#[test]
fn a_turn_with_every_end_of_a_reply_comes_back_from_its_ledger_wherever_it_stopped() {
    let policy = policy(
        "tools: {pay: {effect: external, label: 'paying {args.n}'}, look: {effect: read}}
controls: {textWithCalls: check}
guards:
  postTool: [{id: old, tools: [look], check: result.fresh, prose: stale results are told, correction: Say that it is old.}]
  onReply: [{id: plain, interim: true, check: '!reply.text.contains(\"promise\")', prose: promise nothing, correction: Promise nothing.}]
",
    );
    let lines = [
        r#""type":"turnStarted","text":"Pay?""#,
        r#""type":"modelTurn","text":"I promise to pay.","calls":[{"id":"c1","tool":"pay","args":{"n":1}}]"#,
        r#""type":"toolFinished","call":"c1","result":"ok""#,
        r#""type":"replyProposed","text":"I promise.""#,
        r#""type":"toolProposed","call":"c2","tool":"look""#,
        r#""type":"replyProposed","text":"Paid.","claims":[{"op":"pay","outcome":"success"}]"#,
        r#""type":"turnStarted","text":"And now""#,
        r#""type":"toolProposed","call":"c3","tool":"look""#,
        r#""type":"toolFinished","call":"c3","result":{"fresh":false}"#,
        r#""type":"replyProposed","text":"It is 5.""#,
        r#""type":"replyProposed","text":"It is 5.""#,
        r#""type":"replyProposed","text":"More.""#,
        r#""type":"turnStarted""#,
        r#""type":"replyProposed","text":"""#,
        r#""type":"replyEnd""#,
        r#""type":"replyProposed","text":"Bye.""#,
    ];
    let mut told = Recorded::open(&policy);
    let mut answers = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let mut again = told.again();
        answers.push(told.say(&format!("e{number}"), line));
        assert_eq!(again.say(&format!("e{number}"), line), answers[number], "{line}");
    }
    let words: Vec<&str> = answers
        .iter()
        .map(|answer| answer.split(r#""decision":""#).last().unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!(
        words,
        [
            "proceed", "calls", "accept", "redrive", "deny", "deliver", "proceed", "allow", "accept", "redrive",
            "abstain", "refuse", "proceed", "redrive", "redrive", "deliver"
        ]
    );
    // Of what was not shown nothing stands in the ledger's lines.
    assert!(!told.shows("promise") && told.shows("Paid."));
}

#[test]
fn a_streamed_reply_is_one_record_and_is_decided_again_from_it() {
    let policy = policy("tools: {look: {effect: read}}");
    let mut told = Recorded::open(&policy);
    told.say("t", r#""type":"turnStarted""#);
    let before = told.records();
    told.say("d1", &piece("All is "));
    told.say("d2", &piece("well."));
    assert_eq!(told.records(), before);
    let answer = told.say("d3", r#""type":"replyEnd""#);
    assert_eq!(told.records(), before + 1);
    assert!(answer.contains(r#""text":"All is well.""#), "{answer}");
    let mut again = told.again();
    assert_eq!(again.say("d3", r#""type":"replyEnd""#), answer);
}

/// The part of user case A26 that is about replies.
#[test]
fn a26_a_secret_in_a_reply_stands_in_no_line_whether_it_is_shown_or_not() {
    const SECRET: &str = "sk_live_51Habcdefghijklmno";
    for guards in ["{}", "{onReply: [{id: no-secrets, kind: secretsInReply}]}"] {
        let policy = policy(&format!("tools: {{look: {{effect: read}}}}\nguards: {guards}"));
        let mut told = Recorded::open(&policy);
        told.say("t", r#""type":"turnStarted""#);
        let answer = told.say("r1", &format!(r#""type":"replyProposed","text":"Order 4482019375: use {SECRET}.""#));
        assert_eq!(answer.contains(SECRET), guards == "{}", "{answer}");
        told.say("r2", r#""type":"replyProposed","text":"Order 4482019375 is there.""#);
        assert!(!told.shows(SECRET) && told.shows("4482019375"), "{guards}");
    }
}

#[test]
fn a_judge_that_is_not_asked_stands_in_the_record_as_one_that_did_not_run() {
    let policy = policy(
        "tools: {look: {effect: read}}
guards:
  onReply:
    - {id: rude, kind: llmCheck, with: {question: Is it rude?}}
    - {id: short, check: size(reply.text) < 20, prose: be brief, correction: Use fewer than 20 characters.}
",
    );
    let mut told = Recorded::open(&policy);
    told.say("t", r#""type":"turnStarted""#);
    told.say("r1", r#""type":"replyProposed","text":"A reply of more than 20 characters.""#);
    assert!(told.shows(r#""notRun":["rude"]"#));
    let mut asked = Recorded::open(&policy);
    asked.say("t", r#""type":"turnStarted""#);
    asked.say("r1", r#""type":"replyProposed","text":"Hello.""#);
    asked.say("a1", r#""type":"answers","answers":[{"query":"rude","value":"NONE"}]"#);
    assert!(asked.shows(r#""decision":"deliver""#) && !asked.shows("notRun"));
}
