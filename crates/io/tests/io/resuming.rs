//! A governor stops anywhere and another goes on: the same answers, the same bytes, or a no that says why.

use crate::sim::{Fault, Plan, SimDisk};
use crate::support::{Dice, Scratch, again, bytes_of, chain_of, policy};
use flyball::ledger::verify::Verdict;
use flyball::replay::restore::Unrestorable;
use flyball::session::Status;
use flyball_io::Governor;
use flyball_io::entropy::Entropy;
use flyball_io::ledger::{LedgerError, LedgerFolder, Roll};
use flyball_io::restore::ResumeError;
use flyball_io::verify::verify_file;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
grants: {effects: [read, external]}
tools:
  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  pay: {effect: external, parameters: {type: object, properties: {id: {type: string}, amount: {type: number}}}}
flow: [{id: look-first, from: look, to: pay, same: id}]
budgets: [{id: spend, sum: args.amount, tools: [pay], max: 100}]
";

fn governor_of(spec: &str, folder: LedgerFolder) -> Governor {
    let (policy, sources) = policy(spec);
    Governor::with_ledger(policy, &sources, folder).unwrap().resuming(true)
}

fn governor(path: &Path) -> Governor {
    governor_of(SPEC, LedgerFolder::open(path).unwrap())
}

fn tell(governor: &Governor, line: &str) -> String {
    governor.handle(line.as_bytes()).to_line()
}

/// A line of session `s1`.
fn line(id: &str, members: &str) -> String {
    format!(r#"{{"v":"flyball/1","id":"{id}","session":"s1",{members}}}"#)
}

const OPENING: &str = r#""type":"sessionOpened","nonce":"n""#;
const LOOK: &str = r#""type":"toolProposed","call":"c1","tool":"look","args":{"id":"A"}"#;
const LOOKED: &str = r#""type":"toolFinished","call":"c1","result":{"open":true}"#;

fn pay(call: &str, amount: u32) -> String {
    format!(r#""type":"toolProposed","call":"{call}","tool":"pay","args":{{"id":"A","amount":{amount}}}"#)
}

/// A conversation with every kind of record: texts in the values file, batches, repeats, refusals, bytes that are no event.
fn conversation() -> Vec<String> {
    let long = format!(r#""type":"turnStarted","text":"{}""#, "Please look at A. ".repeat(300));
    let batch = r#""type":"modelTurn","salt":"grain","calls":[{"id":"c2","tool":"pay","args":{"id":"A","amount":40}},{"id":"c3","tool":"pay","args":{"id":"B","amount":1}},{"id":"c4","tool":"pay","args":{"id":"A","amount":70}}]"#;
    let mut lines = vec![
        line("e0", OPENING),
        line("e1", &long),
        line("e2", LOOK),
        line("e3", r#""type":"toolStarted","call":"c1""#),
    ];
    lines.extend([line("e4", LOOKED), line("e5", batch), line("e5", batch), line("e5", LOOK)]);
    lines.extend([
        line("e6", OPENING),
        line("e7", r#""type":"turnStarted","turn":7"#),
        r#"{"session":"s1""#.to_owned(),
    ]);
    lines.push(line("e8", r#""type":"toolFinished","call":"c2","error":"no such account","effect":false"#));
    lines.extend([
        line("e9", &pay("c5", 90)),
        line("e10", r#""type":"toolFinished","call":"c5","outcome":"timed_out""#),
    ]);
    lines.extend([line("e11", r#""type":"turnEnded""#), line("e12", r#""type":"turnStarted","agent":"other""#)]);
    lines.extend([
        line("e13", r#""type":"turnStarted","text":"And now?""#),
        line("e14", &pay("c6", 10)),
        line("e15", &pay("c7", 1)),
    ]);
    lines
}

/// The answers and the bytes of a governor that never stops.
fn uninterrupted() -> (Vec<String>, Vec<u8>) {
    let scratch = Scratch::new();
    let governor = governor(&scratch.0);
    let answers = conversation().iter().map(|line| tell(&governor, line)).collect();
    drop(governor);
    (answers, bytes_of(&scratch.0, "s1"))
}

fn is_intact(path: &Path) -> bool {
    verify_file(&path.join("s1.jsonl"), None).verdict() == Verdict::Intact
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&path, &to);
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

#[test]
fn stopped_between_any_two_events_it_goes_on_with_the_same_answers_and_bytes() {
    let (answers, bytes) = uninterrupted();
    let lines = conversation();
    for stop in 1..lines.len() {
        let scratch = Scratch::new();
        let first = governor(&scratch.0);
        lines[..stop].iter().for_each(|line| _ = tell(&first, line));
        drop(first);
        let second = governor(&scratch.0);
        for (line, answer) in lines[stop..].iter().zip(&answers[stop..]) {
            assert_eq!(&tell(&second, line), answer, "stopped before {stop}");
        }
        drop(second);
        assert!(is_intact(&scratch.0) && bytes_of(&scratch.0, "s1") == bytes, "stopped before {stop}");
    }
}

#[test]
fn a_new_governor_for_every_event_is_as_one_for_all() {
    let (answers, bytes) = uninterrupted();
    let scratch = Scratch::new();
    for (line, answer) in conversation().iter().zip(&answers) {
        assert_eq!(&tell(&governor(&scratch.0), line), answer);
    }
    assert!(is_intact(&scratch.0) && bytes_of(&scratch.0, "s1") == bytes);
}

#[test]
fn stopped_between_any_two_records_of_an_event_the_event_is_told_again() {
    let (answers, _) = uninterrupted();
    let lines = conversation();
    let (before, after) = (Scratch::new(), Scratch::new());
    let mut cuts = 0;
    for (number, line) in lines.iter().enumerate() {
        let records = |path: &Path| {
            bytes_of(path, "s1").split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        copy(&before.0, &after.0);
        tell(&governor(&after.0), line);
        let (had, has) = (records(&before.0), records(&after.0));
        for cut in had.len() + 1..has.len() {
            cuts += 1;
            let torn = Scratch::new();
            copy(&before.0, &torn.0);
            copy_values(&after.0, &torn.0);
            fs::write(torn.join("s1.jsonl"), has[..cut].concat()).unwrap();
            let restored = governor(&torn.0).resume("s1").unwrap();
            assert_eq!((restored.unanswered, restored.recovered), (Some(had.len() as u64), None));
            let governor = governor(&torn.0);
            let told: Vec<String> = lines[number..].iter().map(|line| tell(&governor, line)).collect();
            assert_eq!(told, answers[number..], "cut in event {number}");
            drop(governor);
            assert!(is_intact(&torn.0), "cut in event {number}");
        }
        copy(&after.0, &before.0);
    }
    assert_eq!(cuts, 3, "the batch has four records");
}

fn copy_values(from: &Path, to: &Path) {
    let name = "s1.values.jsonl";
    if from.join(name).exists() {
        fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

/// Not a test of its own: what the killed process does. It tells all lines from one on, and says which are answered.
#[test]
fn child() {
    let Ok(dir) = std::env::var("FLYBALL_RESUME_DIR") else { return };
    let from: usize = std::env::var("FLYBALL_RESUME_FROM").unwrap().parse().unwrap();
    let governor = governor(Path::new(&dir));
    let mut out = std::io::stdout().lock();
    for (number, line) in conversation().iter().enumerate().skip(from) {
        let answer = tell(&governor, line);
        writeln!(out, "ack {number} {answer}").and_then(|()| out.flush()).unwrap();
        std::thread::sleep(Duration::from_micros(300));
    }
}

/// Kills a child some time after its first answer; what it answered.
fn killed(dir: &Path, from: usize, after: Duration) -> Vec<String> {
    let from = from.to_string();
    let variables = [("FLYBALL_RESUME_DIR", dir.to_str().unwrap()), ("FLYBALL_RESUME_FROM", &from)];
    let mut child = again("resuming::child", &variables).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    while !said.contains("ack ") && out.read_line(&mut said).unwrap() > 0 {}
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    std::io::Read::read_to_string(&mut out, &mut said).unwrap();
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let answers = whole.lines().filter_map(|line| line.split_once("ack ")?.1.split_once(' '));
    answers.map(|(_, answer)| answer.to_owned()).collect()
}

#[test]
fn killed_at_any_moment_it_goes_on_with_the_same_answers_and_bytes() {
    let (answers, bytes) = uninterrupted();
    let mut dice = Dice(3);
    let (mut kills, mut same) = (0, 0);
    for _ in 0..12 {
        let scratch = Scratch::new();
        let mut told: Vec<String> = Vec::new();
        while told.len() < answers.len() {
            let before = told.len();
            told.extend(killed(&scratch.0, before, Duration::from_micros(dice.below(2_500))));
            kills += 1;
            assert!(told.len() > before, "it got no answer");
        }
        assert_eq!(told, answers);
        assert!(is_intact(&scratch.0));
        let found = bytes_of(&scratch.0, "s1");
        let kinds = chain_of(&found, "s1").unwrap();
        // What was rejected and not yet answered is rejected, and recorded, once more.
        let is_plain = kinds.len() == chain_of(&bytes, "s1").unwrap().len();
        assert!(!is_plain || found == bytes);
        same += usize::from(is_plain);
    }
    println!("kill -9: {kills} kills of 12 runs, {same} with the bytes of one that was not killed");
    assert!(kills > 20 && same > 0, "{kills} {same}");
}

#[test]
fn a_torn_tail_is_set_aside_and_the_session_goes_on() {
    let scratch = Scratch::new();
    let first = governor(&scratch.0);
    conversation()[..5].iter().for_each(|line| _ = tell(&first, line));
    drop(first);
    let path = scratch.join("s1.jsonl");
    fs::write(&path, [&fs::read(&path).unwrap()[..], br#"{"body":{"da"#].concat()).unwrap();
    let second = governor(&scratch.0);
    let restored = second.resume("s1").unwrap();
    assert_eq!((restored.records, restored.turn, restored.unanswered), (6, 1, None));
    assert_eq!(restored.recovered.unwrap().bytes, 12);
    assert!(tell(&second, &line("e5", &pay("c2", 40))).contains(r#""decision":"allow""#));
    drop(second);
    assert!(is_intact(&scratch.0));
    let third = governor(&scratch.0).resume("s1").unwrap();
    let open: Vec<(&str, Status)> = third.open_calls.iter().map(|open| (&*open.call, open.status)).collect();
    assert_eq!((open, third.recovered), (vec![("c2", Status::Allowed)], None));
}

#[test]
fn what_was_allowed_is_never_allowed_twice_and_its_end_is_taken() {
    let scratch = Scratch::new();
    let first = governor(&scratch.0);
    for event in [line("e0", OPENING), line("e1", LOOK), line("e2", LOOKED), line("e3", &pay("c2", 70))] {
        assert!(!tell(&first, &event).contains("deny"));
    }
    drop(first);
    let second = governor(&scratch.0);
    let again = tell(&second, &line("e4", &pay("c3", 70)));
    assert!(again.contains(r#""code":"spend","#) || again.contains("duplicate"), "{again}");
    assert!(tell(&second, &line("e5", r#""type":"toolFinished","call":"c2","result":1"#)).contains("accept"));
    assert!(tell(&second, &line("e6", &pay("c4", 30))).contains(r#""decision":"allow""#));
}

/// A run of five events.
fn begun(scratch: &Scratch) {
    let governor = governor(&scratch.0);
    conversation()[..5].iter().for_each(|line| _ = tell(&governor, line));
}

/// The answer to a call that must be denied, and why the run is not taken up.
fn denied(governor: &Governor) -> (String, ResumeError) {
    let call = tell(governor, &line("x1", &pay("x1", 1)));
    assert!(call.contains(r#""decision":"deny""#), "{call}");
    let batch = tell(governor, &line("x2", r#""type":"modelTurn","calls":[{"id":"x2","tool":"look"}]"#));
    assert!(batch.contains(r#""decision":"deny""#) && !batch.contains("allow"), "{batch}");
    let told = tell(governor, &line("x3", r#""type":"turnStarted""#));
    assert!(told.contains(r#""decision":"refuse""#), "{told}");
    (call, governor.resume("s1").unwrap_err())
}

#[test]
fn an_altered_record_a_changed_policy_and_erased_values_are_denied_with_the_reason() {
    let scratch = Scratch::new();
    begun(&scratch);
    let changed = format!("{SPEC}controls: {{vetoStreak: 5}}\n");
    let (call, error) = denied(&governor_of(&changed, LedgerFolder::open(&scratch.0).unwrap()));
    assert!(call.contains(r#""code":"cannot_resume""#) && call.contains("record 0 names the policy"), "{call}");
    assert!(matches!(error, ResumeError::Unrestorable { reason: Unrestorable::Policy { .. }, .. }), "{error}");

    let scratch = Scratch::new();
    begun(&scratch);
    LedgerFolder::open(&scratch.0).unwrap().erase("s1", 1).unwrap();
    let (call, error) = denied(&governor(&scratch.0));
    assert!(call.contains("the inputs of record 1 are gone (`erased`)"), "{call}");
    assert_eq!(error.help(), Some("what was erased or never kept cannot be decided with: go on under another run"));

    let scratch = Scratch::new();
    begun(&scratch);
    let path = scratch.join("s1.jsonl");
    let altered = fs::read_to_string(&path).unwrap().replacen(r#""id":"A""#, r#""id":"B""#, 1);
    fs::write(&path, altered).unwrap();
    let (call, error) = denied(&governor(&scratch.0));
    assert!(call.contains(r#""code":"ledger_unavailable""#) && !call.contains("s1.jsonl"), "{call}");
    assert!(matches!(error, ResumeError::Ledger(LedgerError::Broken { line: 3, .. })), "{error}");
}

#[test]
fn a_closed_run_and_one_that_is_not_there_are_no_open_sessions() {
    let scratch = Scratch::new();
    begun(&scratch);
    tell(&governor(&scratch.0), &line("e9", r#""type":"sessionClosed""#));
    let (call, error) = denied(&governor(&scratch.0));
    assert!(call.contains(r#""code":"session_closed""#), "{call}");
    assert_eq!(error.to_string(), "the run `s1` cannot go on: record 5 closes it");
    let other = governor(&scratch.0);
    assert!(matches!(other.resume("s2"), Err(ResumeError::NoRun(_))));
    assert!(tell(&other, &line("y", LOOK).replace("s1", "s2")).contains(r#""code":"session_closed""#));
    assert!(matches!(other.resume("../s1"), Err(ResumeError::NoRun(_))));
    let plain = governor(&scratch.0).resuming(false);
    assert!(tell(&plain, &line("y", LOOK)).contains(r#""code":"session_closed""#));
}

/// Every file of a folder, and what it holds.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else {
            files.insert(path.clone(), fs::read(path).unwrap());
        }
    }
    files
}

#[test]
fn an_event_to_a_closed_run_changes_no_byte_of_its_folder() {
    let scratch = Scratch::new();
    begun(&scratch);
    tell(&governor(&scratch.0), &line("e9", r#""type":"sessionClosed""#));
    // What a stopped process may leave: half a line, half a value, and no head.
    for (file, torn) in [("s1.jsonl", "{\"body\":"), ("s1.values.jsonl", "{"), ("s1.answers.jsonl", "{")] {
        let mut bytes = fs::read(scratch.join(file)).unwrap_or_default();
        bytes.extend_from_slice(torn.as_bytes());
        fs::write(scratch.join(file), bytes).unwrap();
    }
    fs::remove_file(scratch.join("s1.head")).unwrap();
    let first = governor(&scratch.0);
    let before = files(&scratch.0);
    let opening = line("e0", OPENING);
    let events = [line("x1", &pay("x1", 1)), line("e9", r#""type":"sessionClosed""#), opening, line("x2", "\"x\":1")];
    for event in &events {
        let answer = tell(&first, event);
        assert!(answer.contains("session_closed") || answer.contains(r#""decision":"reject""#), "{answer}");
        assert!(files(&scratch.0) == before, "{event}");
    }
    assert_eq!(first.resume("s1").unwrap_err().to_string(), "the run `s1` cannot go on: record 5 closes it");
    assert!(files(&scratch.0) == before);
    // That it was closed is not asked of the file again.
    fs::write(scratch.join("s1.jsonl"), &bytes_of(&scratch.0, "s1")[..200]).unwrap();
    let answer = tell(&first, &line("x3", &pay("x3", 1)));
    assert!(answer.contains(r#""code":"session_closed""#), "{answer}");
}

#[test]
fn of_two_governors_one_goes_on_and_the_other_is_told_that_it_is_taken() {
    let scratch = Scratch::new();
    begun(&scratch);
    let (one, two) = (governor(&scratch.0), governor(&scratch.0));
    one.resume("s1").unwrap();
    assert_eq!(one.resume("s1").unwrap().records, 5, "it is open here already");
    let (call, error) = denied(&two);
    assert!(call.contains(r#""code":"ledger_unavailable""#), "{call}");
    assert!(matches!(error, ResumeError::Ledger(LedgerError::Busy(_))), "{error}");
    assert!(tell(&one, &line("e5", &pay("c2", 40))).contains(r#""decision":"allow""#));
    drop(one);
    assert_eq!(two.resume("s1").unwrap().records, 6);
}

#[test]
fn a_session_is_found_by_its_name_whatever_its_run_is_called() {
    let scratch = Scratch::new();
    let opening = |run: &str| line("e0", &format!(r#"{OPENING},"run":"{run}""#));
    let first = governor(&scratch.0);
    tell(&first, &opening("run-1"));
    tell(&first, &line("e1", r#""type":"sessionClosed""#));
    drop(first);
    tell(&governor(&scratch.0), &opening("run-2"));
    let second = governor(&scratch.0);
    assert!(tell(&second, &line("e1", LOOK)).contains(r#""decision":"allow""#));
    assert_eq!(second.resume("s1").unwrap().run, "run-2");
    assert!(matches!(second.resume("run-1"), Err(ResumeError::Open { .. })));
    drop(second);

    tell(&governor(&scratch.0), &opening("run-3"));
    let third = governor(&scratch.0);
    let told = tell(&third, &line("e2", r#""type":"turnStarted""#));
    assert!(
        told.contains(r#""code":"cannot_resume""#) && told.contains("`run-2`, `run-3`; resume one by its name"),
        "{told}"
    );
    assert!(tell(&third, &opening("run-2")).contains("proceed"), "the opening is a repeat");
    assert!(tell(&third, &line("e2", LOOKED)).contains("accept"));
    let other = line("e0", &format!(r#"{OPENING},"run":"run-2""#)).replace("s1", "s2");
    let refused = tell(&third, &other);
    assert!(refused.contains("the run `run-2` is of the session `s1`, not of `s2`"), "{refused}");
}

#[test]
fn segments_are_one_run() {
    let lines = conversation();
    let rolled = |scratch: &Scratch| {
        let folder = LedgerFolder::open(&scratch.0).unwrap();
        governor_of(SPEC, folder.with_roll(Roll { bytes: u64::MAX, records: 3 }))
    };
    let (whole, stopped) = (Scratch::new(), Scratch::new());
    let governor = rolled(&whole);
    for line in &lines {
        assert_eq!(tell(&rolled(&stopped), line), tell(&governor, line));
    }
    drop(governor);
    assert!(whole.join("s1.000003.jsonl").exists());
    assert!(bytes_of(&stopped.0, "s1") == bytes_of(&whole.0, "s1") && is_intact(&stopped.0));
}

#[test]
fn with_entropy_a_repeat_is_answered_after_a_restart_too() {
    let scratch = Scratch::new();
    let salted = || governor(&scratch.0).with_entropy(Entropy::of_system().unwrap());
    let lines = conversation();
    let first = salted();
    let answers: Vec<String> = lines.iter().map(|line| tell(&first, line)).collect();
    drop(first);
    let second = salted();
    for (line, answer) in lines.iter().zip(&answers).filter(|(_, answer)| !answer.contains("reject")) {
        assert_eq!(&tell(&second, line), answer);
    }
    assert!(tell(&second, &line("e9", &pay("c5", 91))).contains("duplicate_event"));
    drop(second);
    assert!(is_intact(&scratch.0));
    salted().resume("s1").unwrap();
}

#[test]
fn whatever_call_to_the_disk_fails_the_event_is_denied_or_goes_on_whole() {
    let dir = Path::new("/ledgers");
    let on = |disk: &SimDisk| governor_of(SPEC, LedgerFolder::open_on(Arc::new(disk.clone()), dir).unwrap());
    for fault in [Fault::Error, Fault::PowerLoss] {
        for call in 0.. {
            let disk = SimDisk::new();
            let first = on(&disk);
            conversation()[..5].iter().for_each(|line| _ = tell(&first, line));
            drop(first);
            let second = on(&disk);
            disk.plan(Some(Plan { call, fault, is_lasting: fault == Fault::PowerLoss }));
            let event = line("e5", &pay("c2", 40));
            let answer = tell(&second, &event);
            let is_over = disk.calls() <= call;
            let is_allowed = answer.contains(r#""decision":"allow""#);
            assert!(is_allowed || answer.contains(r#""decision":"deny""#), "call {call}: {answer}");
            drop(second);
            disk.reboot(&mut Dice(call));
            let third = on(&disk);
            let again = tell(&third, &event);
            assert!(again.contains(r#""decision":"allow""#), "call {call}: {again}");
            // The payment is one, however often it was tried.
            let spent = tell(&third, &line("e6", &pay("c3", 70)));
            assert!(spent.contains(r#""code":"spend""#), "call {call}: {spent}");
            if is_over {
                assert!(is_allowed && call > 10, "{call}");
                break;
            }
        }
    }
}
