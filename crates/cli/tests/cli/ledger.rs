//! Ledgers from outside: the same bytes twice, every decision made again, and what another spec would have said.

use crate::support::{Folder, assert_snapshot, corpora, flyball_in, repository};
use std::collections::BTreeMap;
use std::path::Path;

/// Every file below a folder with its bytes.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.insert(
                path.display().to_string().replace(&folder.display().to_string(), ""),
                std::fs::read(path).unwrap(),
            );
        }
    }
    found
}

fn runs(folder: &Path) -> Vec<String> {
    let is_run = |name: &String| name.ends_with(".jsonl") && !name.ends_with(".values.jsonl");
    files(folder).into_keys().filter(is_run).map(|name| format!("{}{name}", folder.display())).collect()
}

fn record(spec: &str, trace: &str, folder: &Path) {
    let folder = folder.to_str().unwrap();
    let run = flyball_in(&repository(), &["replay", spec, trace, "--summary", "--ledger", folder]);
    assert_eq!(run.code, 0, "{run}");
}

#[test]
fn two_runs_write_the_same_bytes() {
    let folder = Folder::of("twice", &[("keep", b"")]);
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &one);
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &two);
    assert!(files(&one).len() > 4);
    assert_eq!(files(&one), files(&two));
}

#[test]
fn a_run_that_exists_is_not_recorded_again() {
    let folder = Folder::of("exists", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &ledger);
    let first = files(&ledger);
    let arguments = ["replay", "specs/refunds.yaml", "specs/refunds.trace.jsonl", "--summary", "--ledger"];
    let again = flyball_in(&repository(), &[&arguments[..], &[ledger.to_str().unwrap()]].concat());
    assert_eq!((again.code, again.stdout.as_str()), (2, ""), "{again}");
    assert!(again.stderr.contains("the run `s-1` cannot be recorded"), "{again}");
    assert!(again.stderr.contains("new folder"), "{again}");
    assert!(files(&ledger) == first);
}

#[test]
fn a_run_with_a_bad_name_is_not_counted_as_recorded() {
    let trace = br#"{"v":"flyball/1","type":"sessionOpened","id":"e1","session":"s1","run":"a b"}"#;
    let folder = Folder::of("badly-named", &[("trace.jsonl", trace)]);
    let (trace, ledger) = (folder.path().join("trace.jsonl"), folder.path().join("ledger"));
    let arguments = ["replay", "specs/refunds.yaml", trace.to_str().unwrap(), "--ledger", ledger.to_str().unwrap()];
    let run = flyball_in(&repository(), &arguments);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("the run `a b` cannot be recorded"), "{run}");
}

/// The bytes do not depend on how a crate orders its maps or prints its numbers: the gate runs this test in a second
/// build, with `serde_json/preserve_order`. A change of these files is a change of the format or of the policy.
#[test]
fn the_bytes_of_a_ledger_are_those_that_were_reviewed() {
    let folder = Folder::of("golden", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &ledger);
    let reviewed = repository().join("tests/ledgers/refunds");
    if std::env::var_os("FLYBALL_UPDATE_DOCS").is_some() && std::env::var_os("CI").is_none() {
        std::fs::create_dir_all(&reviewed).unwrap();
        for run in ["s-1.jsonl", "s-2.jsonl"] {
            std::fs::copy(ledger.join(run), reviewed.join(run)).unwrap();
        }
    }
    for run in ["s-1.jsonl", "s-2.jsonl"] {
        let (written, wanted) = (std::fs::read(ledger.join(run)).unwrap(), std::fs::read(reviewed.join(run)).unwrap());
        assert!(written == wanted, "{run} differs: FLYBALL_UPDATE_DOCS=1 cargo test -p flyball-cli writes it anew");
    }
}

#[test]
fn every_decision_of_a_ledger_is_made_again_and_refused_events_are_said() {
    let folder = Folder::of("again", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &ledger);
    assert_snapshot("ledger-again", &flyball_in(&ledger, &["replay", "s-1.jsonl"]));
    let clean = flyball_in(&ledger, &["replay", "s-2.jsonl", "--format", "json"]);
    assert_eq!((clean.code, clean.stdout.contains(r#""differs":[]"#)), (0, true), "{clean}");
}

#[test]
fn a_decision_that_was_changed_does_not_come_out_the_same() {
    let folder = Folder::of("changed", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &ledger);
    let path = ledger.join("s-2.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("scope_denied"));
    std::fs::write(&path, text.replacen("scope_denied", "scope_granted", 1)).unwrap();
    let again = flyball_in(&ledger, &["replay", "s-2.jsonl"]);
    assert_eq!(again.code, 1, "{again}");
}

/// What was typed and what the model saw after a redaction decide again as they did.
#[test]
fn what_was_typed_and_what_was_redacted_decide_again_as_they_did() {
    let spec = br#"agentspec: 1
id: mails
persona: You read mail.
tools:
  get: {effect: read}
  send: {effect: external, parameters: {properties: {to: {type: string}}}}
guards:
  preTool: [{id: known, tools: [send], kind: argFrom, with: {arg: to, from: [user, {tool: get, path: '[]'}]}}]
  postTool: [{id: clean, tools: [get], kind: redactResult, with: {of: cards}}]
"#;
    let events = [
        r#""type":"sessionOpened","nonce":"9f1c2e7a5b3d4860""#,
        r#""type":"turnStarted","text":"Send it to bob, please.""#,
        r#""type":"toolProposed","call":"c1","tool":"get","args":{}"#,
        r#""type":"toolFinished","call":"c1","result":["eve","4111 1111 1111 1111"]"#,
        r#""type":"toolProposed","call":"bob","tool":"send","args":{"to":"bob"}"#,
        r#""type":"toolProposed","call":"eve","tool":"send","args":{"to":"eve"}"#,
        r#""type":"toolProposed","call":"card","tool":"send","args":{"to":"4111 1111 1111 1111"}"#,
    ];
    let line =
        |(number, event): (usize, &&str)| format!(r#"{{"v":"flyball/1","id":"e{number}","session":"s",{event}}}"#);
    let trace: Vec<String> = events.iter().enumerate().map(line).collect();
    let folder = Folder::of("seen", &[("spec.yaml", spec), ("trace.jsonl", trace.join("\n").as_bytes())]);
    let run = flyball_in(folder.path(), &["replay", "spec.yaml", "trace.jsonl", "--ledger", "ledger"]);
    let verdicts = ["bob allow", "eve allow", "card deny"];
    let said = run.stdout.replace("send", "").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(verdicts.iter().all(|verdict| said.contains(verdict)), "{run}");
    let again = flyball_in(folder.path(), &["replay", "ledger/s.jsonl", "--format", "json"]);
    assert_eq!((again.code, again.stdout.contains(r#""differs":[]"#)), (0, true), "{again}");
    let why = flyball_in(folder.path(), &["why", "ledger/s.jsonl", "3"]);
    assert!(why.stdout.contains("clean  fires"), "{why}");
}

#[test]
fn another_spec_says_what_it_would_have_decided_differently() {
    let folder = Folder::of("against", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    record("specs/refunds.yaml", "specs/refunds.trace.jsonl", &ledger);
    let run = ledger.join("s-1.jsonl");
    let against = |spec: &str| flyball_in(&repository(), &["replay", run.to_str().unwrap(), "--against", spec]);
    let same = against("specs/refunds.yaml");
    assert_eq!(same.code, 0, "{same}");
    let text = std::fs::read_to_string(repository().join("specs/refunds.yaml")).unwrap();
    let looser = text
        .replace("max: 500.00", "max: 900.00")
        .replace("../contracts/", "contracts/")
        .replace("../guards/", "guards/")
        .replace("schemas/", "specs/schemas/");
    let place = folder.path().join("workspace");
    std::fs::create_dir_all(place.join("specs/schemas")).unwrap();
    std::fs::create_dir_all(place.join("contracts")).unwrap();
    std::fs::create_dir_all(place.join("guards")).unwrap();
    for file in
        ["contracts/shop.yaml", "guards/money.yaml", "specs/schemas/refund.json", "specs/schemas/shop-world.json"]
    {
        std::fs::copy(repository().join(file), place.join(file)).unwrap();
    }
    assert_ne!(looser, text);
    std::fs::write(place.join("looser.yaml"), looser).unwrap();
    let other = flyball_in(&place, &["--root", ".", "replay", run.to_str().unwrap(), "--against", "looser.yaml"]);
    assert_eq!(other.code, 1, "{other}");
    assert!(other.stdout.contains("was deny, would be ask"), "{other}");
}

#[test]
fn every_recorded_airline_decision_is_made_again() {
    let Some(corpora) = corpora() else { return };
    let folder = Folder::of("airline", &[("keep", b"")]);
    let ledger = folder.path().join("ledger");
    let traces = corpora.join("tau1/airline_gpt4o_trajectories.jsonl.gz");
    record("specs/airline.yaml", traces.to_str().unwrap(), &ledger);
    let runs = runs(&ledger);
    assert_eq!(runs.len(), 200);
    for run in runs {
        let again = flyball_in(&ledger, &["replay", &run, "--format", "json"]);
        assert_eq!(again.code, 0, "{run}: {again}");
    }
}

/// Turns that are refused: shown by a replay, decided again from the ledger, explained, and held against another spec.
#[test]
fn a_refused_turn_is_shown_recorded_explained_and_decided_again() {
    let spec = r#"agentspec: 1
id: desk
persona: You are the desk.
tools: {look: {effect: read}}
guards:
  onInput:
    - {id: few, check: size(input.attachments) < 2, prose: one file, correction: Send one file at a time.}
    - {id: pictures, forEach: a in input.attachments, check: a.kind == 'png', prose: pictures, correction: 'Not {a.kind}.'}
"#;
    let trace = r#"{"task_id": "t", "steps": [
        {"type": "user", "text": "These.", "attachments": [{"kind": "png", "size": 1}, {"kind": "exe", "size": 2}]},
        {"tool": "look", "args": {}, "result": 1},
        {"type": "user", "text": "This.", "attachments": [{"kind": "png", "size": 1}]},
        {"tool": "look", "args": {}, "result": 1}]}"#;
    let looser = spec.replace("< 2", "< 3").replace("'png'", "'png' || a.kind == 'exe'");
    let files = [("spec.yaml", spec.as_bytes()), ("looser.yaml", looser.as_bytes()), ("trace.json", trace.as_bytes())];
    let folder = Folder::of("input", &files);
    let run = |arguments: &[&str]| flyball_in(folder.path(), arguments);
    assert_snapshot("input-replay", &run(&["replay", "spec.yaml", "trace.json", "--ledger", "ledger"]));
    assert_eq!(run(&["replay", "spec.yaml", "trace.json", "--summary", "--fail-on", "deny"]).code, 1);
    let again = run(&["replay", "ledger/t-1.jsonl", "--format", "json"]);
    assert_eq!((again.code, again.stdout.contains(r#""differs":[]"#)), (0, true), "{again}");
    assert_snapshot("input-why", &run(&["why", "ledger/t-1.jsonl", "1"]));
    assert_snapshot("input-against", &run(&["replay", "ledger/t-1.jsonl", "--against", "looser.yaml"]));
    let rules = run(&["guards", "--of", "spec.yaml"]);
    assert!(rules.stdout.contains("pictures  check  every turn"), "{rules}");
    let path = folder.path().join("ledger/t-1.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen(r#""decision":"refuse""#, r#""decision":"proceed""#, 1)).unwrap();
    let other = run(&["why", "ledger/t-1.jsonl", "1"]);
    assert_eq!((other.code, other.stdout.contains("decided again it is refuse")), (1, true), "{other}");
}
