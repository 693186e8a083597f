//! `flyball approvals`: what waits is listed, and answered while a server runs, after it was killed, and from several
//! processes at once (cases A21 and A23).

use crate::serve::Server;
use crate::support::{Folder, Run, assert_snapshot, flyball_in};
use std::path::Path;
use std::process::{Command, Stdio};

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
tools:
  valve:
    effect: external
    sensitive: [args.pin]
    label: opening valve {args.id}
    parameters: {type: object, properties: {id: {type: string}, pin: {type: string}}}
approvals: {require: [external]}
controls: {auto: {noDuplicateCall: false}}
";

pub(crate) fn folder(name: &str) -> Folder {
    Folder::of(name, &[("specs/desk.yaml", SPEC.as_bytes())])
}

pub(crate) fn server(folder: &Path) -> Server {
    Server::with(folder, &["specs/desk.yaml", "--ledger", "ledger", "--resume"])
}

pub(crate) fn line(id: &str, members: &str) -> String {
    format!(r#"{{"v":"flyball/1","id":"{id}","session":"s1","at":"2131-03-04T09:00:00Z",{members}}}"#)
}

pub(crate) fn open(server: &mut Server) {
    server.ask(&line("e0", r#""type":"sessionOpened","run":"run-1","nonce":"n""#));
}

pub(crate) fn propose(server: &mut Server, id: &str, call: &str) -> String {
    let args = r#"{"id":"V2\u202e","pin":"4711"}"#;
    server.ask(&line(id, &format!(r#""type":"toolProposed","call":"{call}","tool":"valve","args":{args}"#)))
}

pub(crate) fn approvals(folder: &Path, arguments: &[&str]) -> Run {
    flyball_in(folder, &[&["approvals"], arguments].concat())
}

fn decision(answer: &str) -> &str {
    let verdicts = ["allow", "ask", "deny"];
    let found = verdicts.into_iter().find(|word| answer.contains(&format!(r#""decision":"{word}""#)));
    found.unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn what_waits_is_listed_and_shown_without_secrets_and_a_grant_lets_it_run_once() {
    let place = folder("approvals-grant");
    let at = place.path();
    let mut running = server(at);
    open(&mut running);
    assert_eq!(decision(&propose(&mut running, "e1", "c1")), "ask");
    assert_snapshot("approvals-list", &approvals(at, &["list", "ledger"]));
    let shown = approvals(at, &["show", "ledger/run-1", "c1"]);
    assert!(shown.code == 0 && shown.stdout.contains("opening valve") && !shown.stdout.contains("4711"), "{shown}");
    assert!(!shown.stdout.contains('\u{202e}'), "what cannot be seen is escaped: {shown}");
    let granted = approvals(at, &["grant", "ledger/run-1", "c1", "--by", "ana"]);
    assert_eq!(granted.code, 0, "{granted}");
    let late = approvals(at, &["deny", "ledger/run-1", "c1", "--by", "ben"]);
    assert!(late.code == 1 && late.to_string().contains("granted"), "{late}");
    assert_eq!(approvals(at, &["grant", "ledger/run-1", "ghost", "--by", "ana"]).code, 2);
    assert_eq!(decision(&propose(&mut running, "e2", "c1")), "allow");
    assert_eq!(decision(&propose(&mut running, "e3", "c1")), "deny");
    assert_eq!(running.end().code, 0);
    let verified = flyball_in(at, &["verify", "ledger"]);
    assert_eq!(verified.code, 0, "{verified}");
    let replayed = flyball_in(at, &["replay", "ledger/run-1.jsonl"]);
    assert_eq!(replayed.code, 0, "{replayed}");
}

#[test]
fn an_answer_is_edited_remembered_and_revoked() {
    let place = folder("approvals-remember");
    let at = place.path();
    let mut running = server(at);
    open(&mut running);
    propose(&mut running, "e1", "c1");
    let refused = approvals(at, &["grant", "ledger/run-1", "c1", "--by", "ana", "--edit", r#"{"id": 7}"#]);
    assert!(refused.code == 1 && refused.to_string().contains("invalid_arguments"), "{refused}");
    let remembered = approvals(at, &["deny", "ledger/run-1", "c1", "--by", "ana", "--remember", "--args", "id"]);
    assert_eq!(remembered.code, 0, "{remembered}");
    assert_eq!(decision(&propose(&mut running, "e2", "c2")), "deny");
    let revoked = approvals(at, &["revoke", "ledger/run-1", "c1-0"]);
    assert_eq!(revoked.code, 0, "{revoked}");
    assert_eq!(decision(&propose(&mut running, "e3", "c3")), "ask");
    running.kill();
}

#[test]
fn what_an_edited_call_runs_with_is_not_printed() {
    let place = folder("approvals-masked");
    let at = place.path();
    let mut running = server(at);
    open(&mut running);
    propose(&mut running, "e1", "c1");
    let edit = ["--edit", r#"{"id":"V9"}"#, "--format", "json"];
    let granted = approvals(at, &[&["grant", "ledger/run-1", "c1", "--by", "ana"][..], &edit].concat());
    assert!(granted.code == 0 && granted.stdout.contains(r#""decision":"accepted""#), "{granted}");
    assert!(!granted.stdout.contains("4711") && !granted.stdout.contains("args"), "{granted}");
    let args = r#""type":"toolProposed","call":"c1","tool":"valve","args":{"id":"V9","pin":"4711"}"#;
    assert_eq!(decision(&running.ask(&line("e2", args))), "allow");
    running.kill();
}

/// Killed before the request is answered, after, and after the call was let run: it runs at most once.
#[test]
fn a23_killed_between_request_grant_and_run_the_call_runs_at_most_once() {
    for granted in [true, false] {
        for kills in 0..8_u8 {
            let place = folder("approvals-kill");
            let at = place.path();
            let mut running = server(at);
            let stop = |running: Server, point: u8| match kills & (1 << point) {
                0 => running,
                _ => {
                    running.kill();
                    server(at)
                }
            };
            open(&mut running);
            assert_eq!(decision(&propose(&mut running, "e1", "c1")), "ask");
            running = stop(running, 0);
            let listed = approvals(at, &["list", "ledger"]);
            assert!(listed.stdout.contains("c1"), "{listed}");
            let verb = if granted { "grant" } else { "deny" };
            assert_eq!(approvals(at, &[verb, "ledger/run-1", "c1", "--by", "ana"]).code, 0);
            running = stop(running, 1);
            let first = propose(&mut running, "e2", "c1");
            running = stop(running, 2);
            let second = propose(&mut running, "e3", "c1");
            assert_eq!([decision(&first), decision(&second)], [if granted { "allow" } else { "deny" }, "deny"]);
            running.kill();
        }
    }
}

/// Three processes answer one request at once: one of them is taken, and the call runs as that one says.
///
/// Ten sessions of twenty races each: every answer reads its run's whole ledger, so that one long run is only slower.
#[test]
fn a21_of_three_processes_that_answer_at_once_one_is_taken() {
    for _ in 0..10 {
        let place = folder("approvals-race");
        let mut running = server(place.path());
        open(&mut running);
        for round in 0..20 {
            race(place.path(), &mut running, round);
        }
        assert_eq!(running.end().code, 0);
    }
}

fn race(at: &Path, running: &mut Server, round: usize) {
    let (call, other) = (format!("c{round}"), format!("d{round}"));
    propose(running, &format!("p{round}"), &call);
    let verbs = if round.is_multiple_of(2) { ["grant", "grant", "deny"] } else { ["deny", "grant", "grant"] };
    let children = ["ana", "ana", "ben"].into_iter().zip(verbs).map(|(by, verb)| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyball"));
        command.args(["approvals", verb, "ledger/run-1", &call, "--by", by]).current_dir(at).env_clear();
        (verb, command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    });
    let children: Vec<_> = children.collect();
    let ended = children.into_iter().map(|(verb, mut child)| (verb, child.wait().unwrap().code()));
    let taken: Vec<&str> = ended.filter(|(_, code)| *code == Some(0)).map(|(verb, _)| verb).collect();
    let wanted = match taken[..] {
        ["grant"] => "allow",
        ["deny"] => "deny",
        _ => panic!("round {round}: one of three answers is taken, not {taken:?}"),
    };
    let first = propose(running, &format!("q{round}"), &call);
    let second = propose(running, &format!("r{round}"), &call);
    assert_eq!([decision(&first), decision(&second)], [wanted, "deny"], "round {round}");
    let equal = propose(running, &format!("s{round}"), &other);
    assert_eq!(decision(&equal), "ask", "an equal call is another one");
}
