//! `flyball serve --stdio`: one event a line in, one decision a line out.

use crate::support::{Folder, Run, assert_decisions, corpora, flyball_in, repository};
use flyball::event::Event;
use flyball::policy::Policy;
use flyball::replay::{Player, Trace};
use flyball_io::Governor;
use flyball_io::lines::{Lines, open};
use flyball_io::sources::Workspace;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;

/// A server that is spoken to a line at a time.
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Server {
    fn of(folder: &Path, spec: &str) -> Server {
        Server::with(folder, &[spec])
    }

    pub(crate) fn with(folder: &Path, arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyball"));
        command.args(["serve", "--stdio"]).args(arguments).current_dir(folder).env_clear();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Server { child, input, output }
    }

    /// The answer to a line, read before anything else is written.
    pub(crate) fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }

    /// Kills it where it stands, as `kill -9` does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// What it leaves behind once its input ends.
    pub(crate) fn end(self) -> Run {
        drop(self.input);
        let rest = std::io::read_to_string(self.output).unwrap();
        let ended = self.child.wait_with_output().unwrap();
        Run { code: ended.status.code().unwrap(), stdout: rest, stderr: String::from_utf8(ended.stderr).unwrap() }
    }
}

/// Everything that is answered to these lines.
pub(crate) fn serve(folder: &Path, spec: &str, lines: &str) -> Run {
    let mut server = Server::of(folder, spec);
    let answers: Vec<String> = lines.lines().map(|line| server.ask(line) + "\n").collect();
    let ended = server.end();
    assert_eq!(ended.stdout, "", "one answer a line");
    Run { stdout: answers.concat(), ..ended }
}

fn refunds(lines: &str) -> Run {
    serve(&repository(), "specs/refunds.yaml", lines)
}

/// The trace of the running example.
fn trace() -> String {
    std::fs::read_to_string(repository().join("specs/refunds.trace.jsonl")).unwrap()
}

#[test]
fn every_line_is_answered_before_the_next_is_written() {
    let run = refunds(&trace());
    assert_eq!(run.code, 0);
    assert_decisions("refunds", &run);
}

#[test]
fn sessions_that_interleave_are_answered_as_if_each_were_alone() {
    let named =
        |name: &str| trace().replace("\"s-1\"", &format!("\"{name}-1\"")).replace("\"s-2\"", &format!("\"{name}-2\""));
    let texts: Vec<String> = ["a", "b", "c"].map(named).into();
    let mut mixed = String::new();
    for number in 0..trace().lines().count() {
        for text in &texts {
            mixed.push_str(text.lines().nth(number).unwrap());
            mixed.push('\n');
        }
    }
    let answers = refunds(&mixed).stdout;
    for (number, text) in texts.iter().enumerate() {
        let own: String = answers.lines().skip(number).step_by(3).map(|line| format!("{line}\n")).collect();
        assert_eq!(own, refunds(text).stdout);
    }
}

#[test]
fn a_line_that_cannot_be_read_gets_reject_and_changes_nothing() {
    let opening = r#"{"v":"flyball/1","type":"sessionOpened","id":"e1","session":"s"}"#;
    let broken = [
        ("{", "bad_json"),
        ("[]", "bad_json"),
        (r#"{"v":"flyball/1","type":"turnStarted","id":"e2","session":"s","text":"\ud800"}"#, "bad_text"),
        (r#"{"v":"flyball/1","type":"turnStarted","id":"e2","id":"e3","session":"s"}"#, "duplicate_key"),
        (r#"{"v":"flyball/1","type":"turnStarted","id":"e2","session":"s","mood":1}"#, "unknown_member"),
        (r#"{"v":"flyball/1","type":"turnStarted","id":"e2"}"#, "missing_member"),
        (r#"{"v":"flyball/1","type":"turnStarted","id":"e2","session":"s","turn":1.5}"#, "bad_number"),
    ];
    let mut lines = vec![opening];
    lines.extend(broken.iter().map(|(line, _)| *line));
    // The id that the broken lines named is still free, and no turn was counted.
    lines.push(r#"{"v":"flyball/1","type":"turnStarted","id":"e2","session":"s","turn":1}"#);
    let run = refunds(&lines.join("\n"));
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for ((line, code), answer) in broken.iter().zip(&answers[1..]) {
        assert_eq!((&answer["decision"], &answer["code"]), (&"reject".into(), &(*code).into()), "{line}: {answer}");
    }
    assert_eq!(answers.last().unwrap()["decision"], "proceed");
}

#[test]
fn a_spec_with_errors_serves_nothing() {
    let run = flyball_in(&repository(), &["serve", "--stdio", "specs/bad/unknown-key.yaml"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("`flyball lint specs/bad/unknown-key.yaml` lists them"), "{run}");
}

#[test]
fn a_server_that_is_stopped_and_started_again_goes_on() {
    let whole = refunds(&trace()).stdout;
    let folder = Folder::of("resume", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    let arguments = ["specs/refunds.yaml", "--ledger", ledger.to_str().unwrap(), "--resume"];
    let mut answers = String::new();
    for lines in trace().lines().collect::<Vec<_>>().chunks(3) {
        let mut server = Server::with(&repository(), &arguments);
        answers.extend(lines.iter().map(|line| server.ask(line) + "\n"));
        assert_eq!(server.end().code, 0);
    }
    assert_eq!(answers, whole);
    let mut server = Server::with(&repository(), &arguments);
    let opened = server.ask(&trace().lines().next().unwrap().replace("\"s-1\"", "\"s-9\""));
    assert!(opened.contains(r#""decision":"proceed""#), "{opened}");
    assert_eq!(server.end().code, 0);
    let other = ["specs/delivery.yaml", "--ledger", ledger.to_str().unwrap(), "--resume"];
    let mut server = Server::with(&repository(), &other);
    for (session, code) in [("s-9", "cannot_resume"), ("s-1", "session_closed")] {
        let call = format!(r#""session":"{session}","call":"x","tool":"lookup_order""#);
        let denied = server.ask(&format!(r#"{{"v":"flyball/1","type":"toolProposed","id":"x",{call}}}"#));
        assert!(denied.contains(&format!(r#""code":"{code}""#)) && denied.contains(r#""decision":"deny""#), "{denied}");
        assert_eq!(denied.contains("names the policy"), session == "s-9", "{denied}");
    }
    let run = flyball_in(&repository(), &["serve", "--stdio", "specs/refunds.yaml", "--resume"]);
    assert!(run.code == 2 && run.stderr.contains("--ledger"), "{run}");
}

fn policy_of(spec: &str) -> Arc<Policy> {
    let path = repository().join(spec);
    let spec = Workspace::of(&path, None).unwrap().load(&path).unwrap().parsed.spec.unwrap();
    Arc::new(flyball::policy::compile(&spec).unwrap())
}

/// The verdict in an answer: what is decided, and by which rule.
fn verdict(answer: &Value) -> (String, String) {
    let text = |key: &str| answer[key].as_str().unwrap_or_default().to_owned();
    (text("decision"), text("code"))
}

/// The events of the published conversations, with the verdicts that `replay` gives them.
fn played(spec: &str, path: &Path) -> (Vec<String>, Vec<String>) {
    let governor = Governor::new(policy_of(spec));
    let mut lines = Lines::new(open(path).unwrap());
    let (mut events, mut answers, mut number) = (Vec::new(), Vec::new(), 0);
    while let Some((_, line)) = lines.next_line().unwrap() {
        let trace = Trace::read(line).unwrap();
        number += 1;
        let mut player = Player::new(&trace, governor.policy(), number, None);
        while let Some(event) = player.next_event() {
            let event: Event<'_> = event;
            let answer = governor.answer(&event);
            player.decided(&answer.decision);
            events.push(event.to_line());
            answers.push(answer.to_line());
        }
    }
    (events, answers)
}

#[test]
fn the_published_airline_runs_get_the_same_verdicts_as_in_a_replay() {
    let Some(folder) = corpora() else { return };
    let path = folder.join("tau1/airline_gpt4o_trajectories.jsonl.gz");
    let (events, decided) = played("specs/airline.yaml", &path);
    let served = serve(&repository(), "specs/airline.yaml", &events.join("\n"));
    let parsed = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let mut calls = 0;
    for (answer, wanted) in served.stdout.lines().zip(&decided) {
        assert_eq!(verdict(&parsed(answer)), verdict(&parsed(wanted)));
        calls += usize::from(parsed(answer)["call"].is_string());
    }
    assert_eq!((served.stdout.lines().count(), calls), (decided.len(), 1164));
    let arguments = ["replay", "specs/airline.yaml", path.to_str().unwrap(), "--format", "json"];
    let replayed = flyball_in(&repository(), &arguments);
    assert!(replayed.stdout == served.stdout, "`replay` and `serve` differ");
}

/// Whole turns: a refused message, a veto and its recovery, consent asked for, refused and given, a lie that is asked for
/// again, one that ends in what the engine says itself, and a clean turn.
#[test]
fn nine_turns_with_their_replies_are_served_as_they_are_replayed_and_can_be_decided_again() {
    let path = repository().join("specs/refunds.turns.jsonl");
    let (events, decided) = played("specs/refunds.yaml", &path);
    assert_eq!(events.iter().filter(|event| event.contains(r#""type":"turnStarted""#)).count(), 9);
    let served = serve(&repository(), "specs/refunds.yaml", &events.join("\n"));
    assert_eq!(served.stdout.lines().collect::<Vec<_>>(), decided);
    let replayed =
        flyball_in(&repository(), &["replay", "specs/refunds.yaml", path.to_str().unwrap(), "--format", "json"]);
    assert!(replayed.stdout == served.stdout, "`replay` and `serve` differ");
    let folder = Folder::of("nine-turns", &[("kept", b"")]);
    let ledger = folder.path().join("ledger");
    let recorded = flyball_in(
        &repository(),
        &["replay", "specs/refunds.yaml", path.to_str().unwrap(), "--ledger", ledger.to_str().unwrap()],
    );
    assert_eq!(recorded.code, 0, "{}", recorded.stderr);
    let run = std::fs::read_dir(&ledger).unwrap().map(|entry| entry.unwrap().path());
    let run = run.filter(|path| path.to_str().unwrap().ends_with("-1.jsonl")).last().unwrap();
    let again = flyball_in(&repository(), &["replay", run.to_str().unwrap()]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    // Of what was not shown nothing stands in the ledger's lines.
    let lines = std::fs::read_to_string(&run).unwrap();
    assert!(!lines.contains("postage back") && lines.contains("RF-2042"));
}
