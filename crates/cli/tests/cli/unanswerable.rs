//! `flyball approvals` where requests cannot be had or answered: each run is named with what is wrong, and the exit says
//! whether the run is at fault or could not be looked at. And what is listed of runs that need nobody.

use crate::approvals::{approvals, digest, folder, line, open, propose, server};
use crate::support::{Folder, Run};
use std::fs;
use std::path::{Path, PathBuf};

/// A folder in which the call `c1` of `run-1` waits, and no server runs.
fn waiting(name: &str) -> Folder {
    let place = folder(name);
    let mut running = server(place.path());
    open(&mut running);
    propose(&mut running, "e1", "c1");
    assert_eq!(running.end().code, 0);
    place
}

fn ledger(place: &Folder) -> PathBuf {
    place.path().join("ledger")
}

fn list(at: &Path, more: &[&str]) -> Run {
    approvals(at, &[&["list", "ledger"], more].concat())
}

/// What every way to the one request of `run-1` ends with.
fn each_way(at: &Path) -> [Run; 3] {
    let grant = ["grant", "ledger/run-1", "c1", "--digest", "0123456789ab", "--by", "ana"];
    [
        approvals(at, &["show", "ledger/run-1", "c1"]),
        approvals(at, &grant),
        approvals(at, &["revoke", "ledger/run-1", "x"]),
    ]
}

#[test]
fn a_file_that_is_no_run_is_named_and_the_other_runs_are_listed() {
    let place = waiting("unanswerable-stray");
    let at = place.path();
    fs::write(ledger(&place).join("stray.jsonl"), "{}\n").unwrap();
    let listed = list(at, &[]);
    assert!(listed.code == 1 && listed.stdout.contains("run-1  c1"), "{listed}");
    assert!(listed.stderr.contains("the requests of `stray` are lost"), "{listed}");
    let lines = list(at, &["--format", "json"]);
    assert!(lines.code == 1 && lines.stdout.starts_with(r#"{"error":""#), "{lines}");
    assert!(lines.stdout.contains(r#""run":"stray"}"#) && lines.stdout.contains(r#""call":"c1""#), "{lines}");
    let one = list(at, &["--run", "run-1"]);
    assert!(one.code == 0 && one.stderr.is_empty() && one.stdout.contains("run-1  c1"), "{one}");
    let stray = list(at, &["--run", "stray"]);
    assert!(stray.code == 2 && stray.stderr.contains("stray` is no ledger"), "{stray}");
}

#[test]
fn where_a_run_is_lost_nobody_is_told_that_nothing_waits() {
    let place = waiting("unanswerable-broken");
    let at = place.path();
    let file = ledger(&place).join("run-1.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("4711", "4712").replace("V2", "V3")).unwrap();
    for more in [&[][..], &["--all"], &["--run", "run-1"]] {
        let listed = list(at, more);
        assert!(listed.code == 1 && listed.stdout.is_empty(), "{listed}");
        assert!(listed.stderr.contains("the requests of `run-1` are lost"), "{listed}");
    }
    for ended in each_way(at) {
        assert!(ended.code == 1 && ended.stderr.contains("nothing of this run can be granted"), "{ended}");
    }
}

#[test]
fn of_a_run_whose_policy_is_gone_nothing_is_granted() {
    let place = waiting("unanswerable-policy");
    fs::remove_dir_all(ledger(&place).join("policy")).unwrap();
    for ended in each_way(place.path()) {
        assert!(ended.code == 1 && ended.stderr.contains("cannot be had from the ledger folder"), "{ended}");
    }
    let listed = list(place.path(), &[]);
    assert!(listed.code == 1 && listed.stdout.is_empty(), "{listed}");
}

#[test]
fn what_cannot_be_read_could_not_be_done() {
    let place = waiting("unanswerable-unread");
    let at = place.path();
    fs::write(ledger(&place).join("stray.jsonl"), "{}\n").unwrap();
    fs::create_dir(ledger(&place).join("run-1.answers.jsonl")).unwrap();
    for ended in each_way(at) {
        assert!(ended.code == 2 && ended.stderr.contains("run-1.answers.jsonl"), "{ended}");
    }
    let listed = list(at, &[]);
    assert!(listed.code == 2 && listed.stderr.contains("the requests of `run-1` cannot be read"), "{listed}");
    assert!(listed.stderr.contains("`stray` are lost") && listed.stdout.is_empty(), "{listed}");
    assert_eq!(approvals(at, &["show", "ledger/ghost", "c1"]).code, 2);
    assert_eq!(list(at, &["--run", "ghost"]).code, 2);
    assert_eq!(approvals(at, &["list", "nowhere"]).code, 2);
}

#[test]
fn of_a_closed_run_nothing_waits_and_nothing_is_granted() {
    let place = waiting("unanswerable-closed");
    let at = place.path();
    let mut running = server(at);
    running.ask(&line("e2", r#""type":"sessionClosed""#));
    assert_eq!(running.end().code, 0);
    for more in [&[][..], &["--run", "run-1"], &["--all"]] {
        let listed = list(at, more);
        assert!(listed.code == 0 && listed.stdout == "nothing waits\n" && listed.stderr.is_empty(), "{listed}");
    }
    for ended in each_way(at) {
        assert!(ended.code == 1 && ended.stderr.contains("cannot go on: record") && ended.stderr.contains("closes it"));
    }
}

#[test]
fn lines_that_are_no_answer_are_counted_for_who_looks() {
    let place = waiting("unanswerable-passed-over");
    let at = place.path();
    let file = ledger(&place).join("run-1.answers.jsonl");
    fs::write(&file, "{\n").unwrap();
    let note = "1 line of `ledger/run-1.answers.jsonl` is no answer to this session and is passed over";
    let listed = list(at, &[]);
    assert!(listed.code == 0 && listed.stderr.contains(note) && listed.stdout.contains("run-1  c1"), "{listed}");
    fs::write(&file, "{\n\n{").unwrap();
    let note = "2 lines of `ledger/run-1.answers.jsonl` are no answers to this session and are passed over";
    let shown = approvals(at, &["show", "ledger/run-1", "c1"]);
    assert!(shown.code == 0 && shown.stderr.contains(note), "{shown}");
}

#[test]
fn what_was_answered_is_listed_only_where_all_are_asked_for() {
    let place = waiting("unanswerable-all");
    let at = place.path();
    let denied = approvals(at, &["deny", "ledger/run-1", "c1", "--by", "ana"]);
    assert_eq!(denied.code, 0, "{denied}");
    let waits = list(at, &[]);
    assert!(waits.stdout.contains("open, answered, not taken yet: refused by ana"), "{waits}");
    let mut running = server(at);
    propose(&mut running, "e2", "c1");
    assert_eq!(running.end().code, 0);
    assert_eq!(list(at, &[]).stdout, "nothing waits\n");
    let all = list(at, &["--all"]);
    assert!(all.code == 0 && all.stdout.contains("run-1  c1") && all.stdout.contains("spent"), "{all}");
}

#[test]
fn an_answer_that_cannot_be_read_is_not_put_down() {
    let place = waiting("unanswerable-bad");
    let at = place.path();
    let listed = list(at, &["--format", "json"]);
    let file = ledger(&place).join("run-1.answers.jsonl");
    let grant = |more: &[&str]| {
        let head = ["grant", "ledger/run-1", "c1", "--digest", digest(&listed.stdout), "--by"];
        let granted = approvals(at, &[&head[..], more].concat());
        assert_eq!(fs::read_to_string(&file).unwrap_or_default(), "");
        granted
    };
    let until = grant(&["ana", "--remember", "--until", "tomorrow"]);
    assert!(until.code == 2 && until.stderr.contains("`--until` is `tomorrow`, which is no time"), "{until}");
    let edit = grant(&["ana", "--edit", "{"]);
    assert!(edit.code == 2 && edit.stderr.contains("`--edit` is no JSON"), "{edit}");
    assert_eq!(grant(&["ana", "--until", "2131-03-04T09:00:00Z"]).code, 2, "it says nothing without `--remember`");
    let nobody = grant(&[""]);
    assert!(nobody.code == 1 && nobody.stderr.contains("not taken (missing_member): `approver` is empty"), "{nobody}");
    let deep = format!(r#"{{"id":{}1{}}}"#, "[".repeat(62), "]".repeat(62));
    let deep = grant(&["ana", "--edit", &deep]);
    assert!(deep.code == 1 && deep.stderr.contains("not taken (too_deep)"), "{deep}");
}
