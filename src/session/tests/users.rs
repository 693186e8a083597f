//! User cases that are made, not written down: large and broken payloads, and many sessions at once.

#![expect(clippy::disallowed_types, reason = "several hosts share an engine")]

use super::{Desk, code, is_allowed, opened, policy, verdict};
use crate::decision::{Decision, Verdict};
use crate::event::read;
use crate::policy::Policy;
use crate::session::{Session, Status, decide};
use std::sync::Mutex;

const NOTES: &str = r"
tools: {write_file: {effect: write}, read_file: {effect: read}, publish: {effect: external}}
flow: [{id: read-first, from: read_file, to: publish}]
guards: {preTool: [{id: marked, tools: [write_file], kind: argFormat, with: {arg: text, pattern: '[^!]*'}}]}
";

fn line(members: &str) -> Vec<u8> {
    format!(r#"{{"v":"flyball/1","id":"x","session":"s1",{members}}}"#).into_bytes()
}

fn write_file(text: &str) -> Vec<u8> {
    line(&format!(r#""type":"toolProposed","call":"c1","tool":"write_file","args":{{"path":"big.txt","text":{text}}}"#))
}

fn deep() -> String {
    format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000))
}

#[test]
fn a31_very_large_payloads_are_judged_to_their_end_or_refused_whole() {
    let policy = policy(NOTES);
    for size in [60_000, 131_072, 1_048_576, 8_388_608] {
        let marked = write_file(&format!("\"{} !\"", "A".repeat(size)));
        let twin = write_file(&format!("\"{} .\"", "A".repeat(size)));
        let Verdict::Deny(deny) = verdict(&Desk::open(&policy).event(&read(&marked).unwrap())) else {
            panic!("{size}")
        };
        assert_eq!(&*deny.first.code, "marked");
        assert!(deny.correction.len() < 400, "a correction shows little of what was sent");
        assert!(is_allowed(&verdict(&Desk::open(&policy).event(&read(&twin).unwrap()))), "{size}");
    }
    let mut desk = Desk::open(&policy);
    for (refused, wanted) in
        [(write_file(&format!("\"{} !\"", "A".repeat(40_000_000))), "too_large"), (write_file(&deep()), "too_deep")]
    {
        let before = format!("{:?}", desk.session);
        let answer = desk.line(&refused);
        assert!(answer.contains(&format!(r#""code":"{wanted}","decision":"reject""#)), "{answer}");
        assert!(answer.len() < 400 && answer.contains(r#""id":"x""#), "{answer}");
        assert_eq!(format!("{:?}", desk.session), before);
    }
}

/// A desk whose only call of `read_file` runs.
fn reading(policy: &Policy) -> Desk<'_> {
    let mut desk = Desk::open(policy);
    assert!(is_allowed(&desk.call("c1", "read_file", "{}")));
    desk
}

/// After a read whose result nobody could read: it licenses nothing, and may be tried again.
#[track_caller]
fn assert_unknown(desk: &mut Desk<'_>) {
    assert_eq!(desk.session.call("c1").unwrap().status, Status::Ended);
    assert_eq!(desk.call("p1", "publish", "{}").denied_by(), Some("read-first"));
    assert!(is_allowed(&desk.call("c2", "read_file", "{}")));
    assert_eq!(code(&desk.result("c1", "1")), Some("unknown_call"));
}

fn finished(result: &[u8]) -> Vec<u8> {
    [br#"{"v":"flyball/1","type":"toolFinished","id":"x","session":"s1","call":"c1","result":"#, result, b"}"].concat()
}

#[test]
fn a31_very_large_results_are_taken_or_withheld() {
    let policy = policy(NOTES);
    for size in [60_000, 131_072, 1_048_576, 8_388_608] {
        let mut desk = reading(&policy);
        let result = finished(format!("\"{}\"", "A".repeat(size)).as_bytes());
        assert_eq!(*desk.event(&read(&result).unwrap()), Decision::Accept, "{size}");
        assert!(is_allowed(&desk.call("p1", "publish", "{}")));
    }
    for result in [format!("\"{}\"", "A".repeat(40_000_000)), deep()] {
        let mut desk = reading(&policy);
        let decision = desk.event(&read(&finished(result.as_bytes())).unwrap());
        assert_eq!(code(&decision), Some("unreadable"));
        assert_unknown(&mut desk);
    }
}

/// The five payloads of case A32: the text of an argument or result, and whether it is text.
fn payloads() -> [(Vec<u8>, bool); 5] {
    [
        (b"\"caf\xe9 \xff\"".to_vec(), false),
        (br#""\ud83d alone""#.to_vec(), false),
        (format!("\"{}é🦀…\"", "a".repeat(199)).into_bytes(), true),
        (r#""日本語\\\"引用""#.as_bytes().to_vec(), true),
        (b"\"never closed".to_vec(), false),
    ]
}

#[test]
fn a32_bytes_that_are_not_text_are_refused_as_arguments() {
    let policy = policy(NOTES);
    for (text, is_text) in payloads() {
        let head = br#"{"v":"flyball/1","type":"toolProposed","id":"x","session":"s1","call":"c1","tool":"write_file","args":{"text":"#;
        let answer = Desk::open(&policy).line(&[head, text.as_slice(), b"}}"].concat());
        let wanted = if is_text { r#""decision":"allow""# } else { r#""decision":"reject""# };
        assert!(answer.contains(wanted), "{answer}");
        assert!(answer.contains(r#""id":"x""#), "{answer}");
    }
}

#[test]
fn a32_bytes_that_are_not_text_are_withheld_as_results() {
    let policy = policy(NOTES);
    for (result, is_text) in payloads() {
        let mut desk = reading(&policy);
        let answer = desk.line(&finished(&result));
        if is_text {
            assert!(answer.contains(r#""decision":"accept""#), "{answer}");
            assert!(is_allowed(&desk.call("p1", "publish", "{}")));
        } else {
            assert!(answer.contains(r#""code":"unreadable","decision":"withhold""#), "{answer}");
            assert_unknown(&mut desk);
        }
    }
}

#[test]
fn a32_what_a_correction_shows_ends_between_characters() {
    let policy = policy(NOTES);
    for length in 70..90 {
        let text = format!("\"{}é🦀日本!\"", "a".repeat(length));
        let Verdict::Deny(deny) = verdict(&Desk::open(&policy).event(&read(&write_file(&text)).unwrap())) else {
            panic!("{length}")
        };
        assert!(deny.correction.contains("you sent \"aaa"), "{}", deny.correction);
    }
}

const SHARED: &str = "
tools: {search: {effect: read}}
budgets: [{id: ten, count: calls, max: 10}]
";

/// The `number`-th event of a session: call ids are the same in all of them.
fn search(session: usize, number: usize) -> Vec<u8> {
    format!(
        r#"{{"v":"flyball/1","type":"toolProposed","id":"{number}","session":"s{session}","call":"{number}","tool":"search","args":{{"q":"{session}-{number}"}}}}"#
    )
    .into_bytes()
}

/// Whether one event of a session is allowed.
fn allowed(policy: &Policy, session: &mut Session, line: &[u8]) -> bool {
    let event = read(line).unwrap();
    let step = decide(policy, session, &event);
    is_allowed(&verdict(&session.commit(step).unwrap()))
}

/// Numbers in an order that only looks like chance.
fn shuffled(count: usize) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..count).collect();
    numbers.sort_by_cached_key(|number| crate::canon::Digest::of(&number.to_le_bytes()).0);
    numbers
}

#[test]
fn a39_two_hundred_interleaved_sessions_get_ten_calls_each() {
    let policy = policy(SHARED);
    let mut sessions: Vec<(Session, usize, usize)> =
        (0..200).map(|number| (opened(&policy, &format!("s{number}")), 0, 0)).collect();
    for event in shuffled(200 * 50) {
        let number = event % 200;
        let (session, said, ran) = &mut sessions[number];
        let is_allowed = allowed(&policy, session, &search(number, *said));
        assert_eq!(is_allowed, *said < 10, "session {number}, event {said}");
        (*said, *ran) = (*said + 1, *ran + usize::from(is_allowed));
    }
    assert!(sessions.iter().all(|(_, said, ran)| (*said, *ran) == (50, 10)));
}

#[test]
fn a39_threads_that_share_a_policy_share_no_session() {
    let policy = policy(SHARED);
    let sessions: Vec<Mutex<Session>> =
        (0..200).map(|number| Mutex::new(opened(&policy, &format!("s{number}")))).collect();
    let drive = |thread: usize| {
        let mut ran = vec![0_usize; sessions.len()];
        for event in shuffled(200 * 50).into_iter().filter(|event| event % 4 == thread) {
            let (number, said) = (event % 200, event / 200);
            let line = search(number, said);
            ran[number] += usize::from(allowed(&policy, &mut sessions[number].lock().unwrap(), &line));
        }
        ran
    };
    let per_thread: Vec<Vec<usize>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || drive(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for number in 0..sessions.len() {
        assert_eq!(per_thread.iter().map(|ran| ran[number]).sum::<usize>(), 10, "session {number}");
        assert_eq!(sessions[number].lock().unwrap().version(), 51);
    }
}

#[test]
fn a39_an_event_of_another_session_is_rejected_and_changes_nothing() {
    let policy = policy(SHARED);
    let mut session = opened(&policy, "s0");
    let before = session.clone();
    let step = decide(&policy, &session, &read(&search(1, 0)).unwrap());
    assert_eq!(code(step.decision()), Some("wrong_session"));
    session.commit(step).unwrap();
    // The ledger knows that something came; nothing else does.
    (session.version, session.chain) = (before.version, before.chain.clone());
    assert_eq!(format!("{session:?}"), format!("{before:?}"));
    assert!(allowed(&policy, &mut session, &search(0, 0)));
}
