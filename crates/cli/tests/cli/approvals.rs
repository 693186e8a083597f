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

/// The digest in the answer to an event, or in what a command printed as JSON.
pub(crate) fn digest(said: &str) -> &str {
    let (_, digest) = said.split_once(r#""digest":""#).unwrap_or_else(|| panic!("{said}"));
    digest.get(..64).unwrap()
}

/// So many digits of a digest.
fn first(digest: &str, digits: usize) -> &str {
    digest.get(..digits).unwrap()
}

/// Grants a call of `run-1` as ana.
fn grant(at: &Path, call: &str, digest: &str, more: &[&str]) -> Run {
    approvals(at, &[&["grant", "ledger/run-1", call, "--digest", digest, "--by", "ana"], more].concat())
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
    let asked = propose(&mut running, "e1", "c1");
    assert_eq!(decision(&asked), "ask");
    let listed = approvals(at, &["list", "ledger"]);
    // The head of the ledger is in the digest, and salts of the system are in the head.
    let stdout = listed.stdout.replace(first(digest(&asked), 12), "0123456789ab");
    assert_snapshot("approvals-list", &Run { stdout, ..listed });
    let shown = approvals(at, &["show", "ledger/run-1", "c1"]);
    assert!(shown.code == 0 && shown.stdout.contains("opening valve") && !shown.stdout.contains("\"4711\""), "{shown}");
    assert!(!shown.stdout.contains('\u{202e}'), "what cannot be seen is escaped: {shown}");
    assert!(shown.stdout.contains(digest(&asked)), "{shown}");
    let granted = grant(at, "c1", digest(&asked), &[]);
    assert_eq!(granted.code, 0, "{granted}");
    let late = approvals(at, &["deny", "ledger/run-1", "c1", "--by", "ben"]);
    assert!(late.code == 1 && late.to_string().contains("granted"), "{late}");
    assert_eq!(grant(at, "ghost", digest(&asked), &[]).code, 2);
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
    let asked = propose(&mut running, "e1", "c1");
    let refused = grant(at, "c1", digest(&asked), &["--edit", r#"{"id": 7}"#]);
    assert!(refused.code == 1 && refused.to_string().contains("invalid_arguments"), "{refused}");
    let remembered = approvals(at, &["deny", "ledger/run-1", "c1", "--by", "ana", "--remember", "--args", "id"]);
    assert_eq!(remembered.code, 0, "{remembered}");
    assert_eq!(decision(&propose(&mut running, "e2", "c2")), "deny");
    let revoked = approvals(at, &["revoke", "ledger/run-1", "c1-0"]);
    assert_eq!(revoked.code, 0, "{revoked}");
    assert_eq!(decision(&propose(&mut running, "e3", "c3")), "ask");
    running.kill();
}

/// Between `show` and `grant` the same call can be asked about anew, with other arguments.
#[test]
fn a_grant_names_the_digest_that_was_shown_and_no_other_is_taken() {
    let place = folder("approvals-digest");
    let at = place.path();
    let mut running = server(at);
    open(&mut running);
    propose(&mut running, "e1", "c1");
    let listed = approvals(at, &["list", "ledger", "--format", "json"]);
    let shown = digest(&listed.stdout).to_owned();
    assert!(approvals(at, &["list", "ledger"]).stdout.contains(&format!("  {}  ", first(&shown, 12))));
    let none = approvals(at, &["grant", "ledger/run-1", "c1", "--by", "ana"]);
    assert!(none.code == 2 && none.stderr.contains("--digest"), "{none}");
    let long = format!("{shown}0");
    for malformed in ["", first(&shown, 11), &first(&shown, 12).replace(|_| true, "g"), "ABCDEFABCDEF", &long] {
        let refused = grant(at, "c1", malformed, &[]);
        assert!(refused.code == 2 && refused.stderr.contains("first 12 or more"), "{refused}");
    }
    let args = r#""type":"toolProposed","call":"c1","tool":"valve","args":{"id":"V3"}"#;
    let anew = running.ask(&line("e2", args));
    assert_eq!(decision(&anew), "ask");
    for stale in [&*shown, first(&shown, 12)] {
        let refused = grant(at, "c1", stale, &[]);
        assert!(refused.code == 1 && refused.stderr.contains("approval_stale"), "{refused}");
        let denied = approvals(at, &["deny", "ledger/run-1", "c1", "--digest", stale, "--by", "ben"]);
        assert!(denied.code == 1 && denied.stderr.contains("approval_stale"), "{denied}");
    }
    assert_eq!(grant(at, "c1", first(digest(&anew), 12), &[]).code, 0);
    assert_eq!(decision(&running.ask(&line("e3", args))), "allow");
    running.kill();
}

#[test]
fn what_an_edited_call_runs_with_is_not_printed() {
    let place = folder("approvals-masked");
    let at = place.path();
    let mut running = server(at);
    open(&mut running);
    let asked = propose(&mut running, "e1", "c1");
    let granted = grant(at, "c1", digest(&asked), &["--edit", r#"{"id":"V9"}"#, "--format", "json"]);
    assert!(granted.code == 0 && granted.stdout.contains(r#""decision":"accepted""#), "{granted}");
    assert!(!granted.stdout.contains("\"4711\"") && !granted.stdout.contains("args"), "{granted}");
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
            let asked = propose(&mut running, "e1", "c1");
            assert_eq!(decision(&asked), "ask");
            running = stop(running, 0);
            let listed = approvals(at, &["list", "ledger"]);
            assert!(listed.stdout.contains("run-1  c1"), "{listed}");
            let answered = match granted {
                true => grant(at, "c1", digest(&asked), &[]),
                false => approvals(at, &["deny", "ledger/run-1", "c1", "--by", "ana"]),
            };
            assert_eq!(answered.code, 0, "{answered}");
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
    let asked = propose(running, &format!("p{round}"), &call);
    let verbs = if round.is_multiple_of(2) { ["grant", "grant", "deny"] } else { ["deny", "grant", "grant"] };
    let children = ["ana", "ana", "ben"].into_iter().zip(verbs).map(|(by, verb)| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyball"));
        command.args(["approvals", verb, "ledger/run-1", &call, "--by", by, "--digest", digest(&asked)]);
        command.current_dir(at).env_clear();
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
