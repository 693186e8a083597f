//! A call that waits for a person: answered from several sides at once, and across restarts (cases A21, A23).

use crate::support::{Scratch, bytes_of, policy};
use flyball::event::{Approval, Body, Remember};
use flyball::ledger::verify::Verdict;
use flyball::session::RequestState;
use flyball::source::Sources;
use flyball::value::{Object, Value};
use flyball_io::Governor;
use flyball_io::approvals::{Requests, RequestsError, answer, now};
use flyball_io::entropy::Entropy;
use flyball_io::ledger::LedgerFolder;
use flyball_io::run::Run;
use flyball_io::verify::verify_file;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Barrier};

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
grants: {effects: [read, external]}
tools:
  pay: {effect: external, parameters: {type: object, properties: {amount: {type: number}}}}
approvals: {require: [external], approver: {ttl: 60m}}
controls: {auto: {noDuplicateCall: false}}
";

fn governor(path: &Path) -> Governor {
    let (policy, sources) = policy(SPEC);
    Governor::with_ledger(policy, &sources, LedgerFolder::open(path).unwrap())
        .unwrap()
        .with_entropy(Entropy::of_system().unwrap())
        .resuming(true)
}

fn tell(governor: &Governor, id: &str, members: &str) -> String {
    let head = format!(r#"{{"v":"flyball/1","id":"{id}","session":"s1","at":"2131-03-04T09:00:00Z",{members}}}"#);
    governor.handle(head.as_bytes()).to_line()
}

fn propose(governor: &Governor, id: &str, call: &str) -> String {
    tell(governor, id, &format!(r#""type":"toolProposed","call":"{call}","tool":"pay","args":{{"amount":40}}"#))
}

fn begin(governor: &Governor) {
    tell(governor, "e0", r#""type":"sessionOpened","nonce":"n""#);
    tell(governor, "e1", r#""type":"turnStarted""#);
}

/// The digest that an answer to an ask names.
fn digest(asked: &str) -> &str {
    let digest = asked.split_once(r#""digest":""#).unwrap_or_else(|| panic!("{asked}")).1;
    digest.get(..64).unwrap()
}

fn decided(governor: &Governor, id: &str, (call, digest): (&str, &str), granted: bool, by: &str) -> String {
    let members = format!(
        r#""type":"approvalDecided","call":"{call}","digest":"{digest}","granted":{granted},"approver":"{by}""#
    );
    tell(governor, id, &members)
}

fn put(path: &Path, call: &str, granted: bool, by: &str) -> String {
    put_with(path, call, |approval| {
        (approval.granted, approval.approver) = (granted, Some(by.to_owned().into()));
    })
}

/// Puts a grant down, changed so.
fn put_with(path: &Path, call: &str, change: impl FnOnce(&mut Approval<'static>)) -> String {
    let body = |requests: &Requests| -> Result<Body<'static>, RequestsError> {
        let digest = requests.request(call).unwrap().digest;
        let (call, approver) = (call.to_owned().into(), Some("ana".into()));
        let mut approval = Approval { call, digest, granted: true, approver, edit: None, remember: None };
        change(&mut approval);
        Ok(Body::ApprovalDecided(vec![approval]))
    };
    answer(&LedgerFolder::existing(path), "s1", now(), body).unwrap().to_line()
}

fn is_intact(path: &Path) -> bool {
    verify_file(&path.join("s1.jsonl"), None).verdict() == Verdict::Intact
}

#[test]
fn a21_of_three_answers_at_once_one_is_taken_and_the_call_runs_at_most_once() {
    for round in 0..200 {
        let scratch = Scratch::new();
        let governor = governor(&scratch.0);
        begin(&governor);
        let asked = propose(&governor, "e2", "c1");
        let (digest, start) = (digest(&asked), Barrier::new(3));
        let one = |(id, granted, by): (&str, bool, &str)| {
            start.wait();
            decided(&governor, id, ("c1", digest), granted, by)
        };
        let answers = std::thread::scope(|scope| {
            let one = &one;
            let threads = [("a1", true, "ana"), ("a2", true, "ana"), ("a3", false, "ben")]
                .map(|answer| scope.spawn(move || one(answer)));
            threads.map(|thread| thread.join().unwrap())
        });
        let accepted = |answer: &&String| answer.contains(r#""decision":"accepted""#);
        assert_eq!(answers.iter().filter(accepted).count(), 1, "round {round}: {answers:?}");
        assert_eq!(answers.iter().filter(|answer| answer.contains("already_decided")).count(), 2, "{answers:?}");
        let is_granted = accepted(&&answers[0]) || accepted(&&answers[1]);
        let runs = (0..3).filter(|at| propose(&governor, &format!("r{at}"), "c1").contains(r#""decision":"allow""#));
        assert_eq!(runs.count(), usize::from(is_granted), "round {round}");
        let second = propose(&governor, "e9", "c2");
        assert!(second.contains(r#""decision":"ask""#), "the same call again is another question: {second}");
        drop(governor);
        assert!(is_intact(&scratch.0));
    }
}

#[test]
fn an_answer_beside_the_ledger_is_taken_once_before_the_next_event() {
    let scratch = Scratch::new();
    let first = governor(&scratch.0);
    begin(&first);
    propose(&first, "e2", "c1");
    assert!(put(&scratch.0, "c1", true, "ana").contains("accepted"));
    let refused = put(&scratch.0, "c1", false, "ben");
    assert!(refused.contains("already_decided"), "{refused}");
    let waiting = Requests::read(&LedgerFolder::existing(&scratch.0), "s1").unwrap();
    assert_eq!(waiting.waiting("c1").map(|answer| answer.granted), Some(true));
    assert!(propose(&first, "e3", "c1").contains(r#""decision":"allow""#));
    drop(first);
    let taken = Requests::read(&LedgerFolder::existing(&scratch.0), "s1").unwrap();
    assert_eq!((taken.waiting("c1"), taken.passed_over()), (None, 0));
    let bytes = bytes_of(&scratch.0, "s1");
    assert_eq!(String::from_utf8_lossy(&bytes).matches("approval.grant").count(), 1);
    let second = governor(&scratch.0);
    assert!(propose(&second, "e3", "c1").contains(r#""decision":"allow""#), "it is the same event");
    assert!(bytes_of(&scratch.0, "s1") == bytes, "what was taken is not taken again");
    assert!(propose(&second, "e4", "c1").contains("duplicate_call_id"));
    drop(second);
    assert!(is_intact(&scratch.0));
}

#[test]
fn what_is_no_answer_to_the_session_is_passed_over_and_a_torn_line_waits() {
    let scratch = Scratch::new();
    let governor = governor(&scratch.0);
    begin(&governor);
    let asked = propose(&governor, "e2", "c1");
    let grant = |session: &str, more: &str| {
        let digest = digest(&asked);
        format!(
            r#"{{"v":"flyball/1","type":"approvalDecided","id":"f1","session":"{session}","at":"2031-03-04T09:00:00Z","call":"c1","digest":"{digest}","granted":true,"approver":"eve"{more}}}"#
        )
    };
    let proposal = r#"{"v":"flyball/1","type":"toolProposed","id":"f2","session":"s1","call":"x","tool":"pay"}"#;
    let world = grant("s1", r#","world":{}"#);
    let torn = grant("s1", "");
    let lines = ["{", "", proposal, &grant("s2", ""), &world, &torn].join("\n");
    fs::write(scratch.join("s1.answers.jsonl"), &lines).unwrap();
    let before = bytes_of(&scratch.0, "s1").len();
    assert!(propose(&governor, "e3", "c1").contains(r#""decision":"ask""#));
    assert!(!String::from_utf8_lossy(&bytes_of(&scratch.0, "s1")[before..]).contains("approval."));
    assert_eq!(Requests::read(&LedgerFolder::existing(&scratch.0), "s1").unwrap().passed_over(), 5);
    fs::write(scratch.join("s1.answers.jsonl"), lines + "\n").unwrap();
    assert!(propose(&governor, "e4", "c1").contains(r#""decision":"allow""#));
}

/// The run would reject each of these lines: nobody is told that it stands.
#[test]
fn an_answer_whose_line_cannot_be_read_back_is_rejected_at_once_and_not_written() {
    let scratch = Scratch::new();
    let governor = governor(&scratch.0);
    begin(&governor);
    propose(&governor, "e2", "c1");
    let deep = (0..63).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let edit = Object::of([("note", deep)]).into();
    let nameless = Remember { args: Some(vec!["".into()]), until: None };
    let file = scratch.join("s1.answers.jsonl");
    let rejected = |code: &str, change: &dyn Fn(&mut Approval<'static>)| {
        let answer = put_with(&scratch.0, "c1", change);
        let code = format!(r#""code":"{code}","decision":"reject""#);
        assert!(answer.contains(&code), "{answer}");
        assert_eq!(fs::read(&file).unwrap(), b"");
    };
    rejected("missing_member", &|approval| approval.approver = Some("".into()));
    rejected("too_large", &|approval| approval.approver = Some("a".repeat(600).into()));
    rejected("too_deep", &|approval| approval.edit = Some(Value::clone(&edit)));
    rejected("missing_member", &|approval| approval.remember = Some(nameless.clone()));
    let body = |_: &Requests| -> Result<Body<'static>, RequestsError> { Ok(Body::TurnEnded) };
    let error = answer(&LedgerFolder::existing(&scratch.0), "s1", now(), body).unwrap_err();
    assert!(matches!(error, RequestsError::NoAnswer), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"");
    assert!(put(&scratch.0, "c1", true, "ana").contains("accepted"));
    assert!(propose(&governor, "e3", "c1").contains(r#""decision":"allow""#));
}

/// A line that grants what was asked about a call.
fn grant(id: &str, call: &str, asked: &str) -> String {
    let digest = digest(asked);
    format!(
        r#"{{"v":"flyball/1","type":"approvalDecided","id":"{id}","session":"s1","at":"2131-03-04T09:00:00Z","call":"{call}","digest":"{digest}","granted":true,"approver":"ana"}}"#
    ) + "\n"
}

#[test]
fn a_file_in_place_of_the_answers_is_read_from_its_start_and_what_was_taken_is_not_taken_again() {
    let scratch = Scratch::new();
    let governor = governor(&scratch.0);
    begin(&governor);
    let calls = ["c1", "c2", "c3", "c4"];
    let ask = |(number, call): (usize, &str)| {
        let args = format!(r#""type":"toolProposed","call":"{call}","tool":"pay","args":{{"amount":{number}}}"#);
        tell(&governor, &format!("p{number}"), &args)
    };
    let asked: Vec<String> = (0..).zip(calls).map(ask).collect();
    let lines: Vec<String> =
        calls.iter().zip(&asked).map(|(call, asked)| grant(&format!("f-{call}"), call, asked)).collect();
    let file = scratch.join("s1.answers.jsonl");
    let taken = |content: String| {
        _ = fs::remove_file(&file);
        fs::write(&file, content).unwrap();
        let before = bytes_of(&scratch.0, "s1").len();
        tell(&governor, "e1", r#""type":"turnStarted""#);
        let bytes = bytes_of(&scratch.0, "s1");
        let recorded = String::from_utf8_lossy(&bytes[before..]).into_owned();
        (recorded.matches("approval.grant").count(), bytes.len() - before)
    };
    assert_eq!(taken(lines[0].clone()).0, 1);
    assert_eq!(lines[0].len(), lines[1].len());
    assert_eq!(taken(lines[1].clone()).0, 1, "the new file is as long as what was taken");
    assert_eq!(taken(lines[1].clone()), (0, 0));
    assert_eq!(taken([&*lines[1], &lines[0]].concat()), (0, 0), "both are known by their ids");
    assert_eq!(taken([&*lines[0], &lines[2], &lines[1]].concat()).0, 1, "the new file is longer");
    assert_eq!(taken(lines[3].clone()).0, 1, "the new file is shorter");
    fs::remove_file(&file).unwrap();
    assert_eq!(taken(lines[3].clone()), (0, 0));
    drop(governor);
    assert!(is_intact(&scratch.0));
}

#[test]
fn a23_stopped_between_request_grant_and_run_the_call_runs_once_and_a_refused_one_never() {
    for granted in [true, false] {
        for stops in 0..16_u8 {
            let scratch = Scratch::new();
            let mut now = governor(&scratch.0);
            let stop = |at: u8, current: &mut Governor| {
                if stops & (1 << at) != 0 {
                    // The lock goes with the one that stops.
                    *current = Governor::new(Arc::new(flyball::policy::compile(&spec()).unwrap()));
                    *current = governor(&scratch.0);
                }
            };
            begin(&now);
            propose(&now, "e2", "c1");
            stop(0, &mut now);
            let found = Requests::read(&LedgerFolder::existing(&scratch.0), "s1").unwrap();
            let request = found.request("c1").unwrap();
            assert_eq!(
                (request.state, flyball::canon::to_text(&request.args)),
                (RequestState::Open, r#"{"amount":40}"#.to_owned())
            );
            put(&scratch.0, "c1", granted, "ana");
            stop(1, &mut now);
            let mut runs = 0;
            for event in ["e3", "e4"] {
                runs += usize::from(propose(&now, event, "c1").contains(r#""decision":"allow""#));
                stop(if event == "e3" { 2 } else { 3 }, &mut now);
            }
            assert_eq!(runs, usize::from(granted), "{stops}");
            drop(now);
            assert!(is_intact(&scratch.0));
        }
    }
}

fn spec() -> flyball::spec::Spec {
    flyball::spec::parse(&Sources::new("desk.yaml", SPEC)).spec.unwrap()
}

#[test]
fn of_a_ledger_that_was_cut_nothing_is_granted_and_the_call_is_denied() {
    let scratch = Scratch::new();
    let first = governor(&scratch.0);
    begin(&first);
    propose(&first, "e2", "c1");
    put(&scratch.0, "c1", true, "ana");
    drop(first);
    let bytes = bytes_of(&scratch.0, "s1");
    let end = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    fs::write(scratch.join("s1.jsonl"), &bytes[..=end]).unwrap();
    let denied = propose(&governor(&scratch.0), "e3", "c1");
    assert!(denied.contains(r#""decision":"deny""#), "{denied}");
    let error = Requests::read(&LedgerFolder::existing(&scratch.0), "s1").unwrap_err();
    assert!(error.to_string().contains("size_less_than_anchor"), "{error}");
}

/// Nobody knows what was refused while they cannot be read.
#[test]
fn while_the_answers_cannot_be_read_every_event_of_the_session_gets_a_no() {
    let scratch = Scratch::new();
    let governor = governor(&scratch.0);
    begin(&governor);
    propose(&governor, "e2", "c1");
    let (file, bytes) = (scratch.join("s1.answers.jsonl"), bytes_of(&scratch.0, "s1"));
    fs::create_dir(&file).unwrap();
    let denied = propose(&governor, "e3", "c1");
    assert!(denied.contains(r#""code":"ledger_unavailable""#) && denied.contains(r#""decision":"deny""#), "{denied}");
    let refused = tell(&governor, "e4", r#""type":"turnStarted""#);
    assert!(refused.contains(r#""code":"ledger_unavailable","decision":"refuse""#), "{refused}");
    assert!(bytes_of(&scratch.0, "s1") == bytes);
    fs::remove_dir(&file).unwrap();
    put(&scratch.0, "c1", true, "ana");
    assert!(propose(&governor, "e3", "c1").contains(r#""decision":"allow""#), "it is told again and nothing was lost");
}

#[test]
fn what_another_process_left_half_written_is_cut_off_before_the_next_answer() {
    let scratch = Scratch::new();
    let governor = governor(&scratch.0);
    begin(&governor);
    let asked = propose(&governor, "e2", "c1");
    let line = grant("f1", "c1", &asked);
    let file = scratch.join("s1.answers.jsonl");
    fs::write(&file, ["{\n", line.trim_end()].concat()).unwrap();
    assert!(propose(&governor, "e3", "c1").contains(r#""decision":"ask""#));
    assert!(put(&scratch.0, "c1", false, "ben").contains(r#""decision":"accepted""#));
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(
        text.starts_with("{\n{") && text.ends_with("}\n") && text.contains("ben") && !text.contains("\"f1\""),
        "{text}"
    );
    assert!(propose(&governor, "e4", "c1").contains("approval_denied"));
}

/// The one file of the folder that keeps policies.
fn kept_policy(path: &Path) -> std::path::PathBuf {
    fs::read_dir(path.join("policy")).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn of_a_policy_that_cannot_be_had_a_run_and_its_requests_say_the_same() {
    let scratch = Scratch::new();
    begin(&governor(&scratch.0));
    let file = kept_policy(&scratch.0);
    let kept = fs::read_to_string(&file).unwrap();
    let said = |wanted: &str| {
        let run = Run::of(&scratch.join("s1.jsonl")).unwrap().policy().unwrap_err();
        let requests = Requests::read(&LedgerFolder::existing(&scratch.0), "s1").unwrap_err();
        assert!(run.to_string().contains(wanted), "{run}");
        assert_eq!(run.to_string(), requests.to_string());
    };
    fs::write(&file, kept.replace("60m", "61m")).unwrap();
    said("its sources now mean something else");
    fs::write(&file, kept.replace("agentspec: 1", "agentspec: 7")).unwrap();
    said("its sources no longer parse");
    fs::write(&file, "{}").unwrap();
    said("it holds no sources of a policy");
    fs::remove_file(&file).unwrap();
    said("there is no `");
}
