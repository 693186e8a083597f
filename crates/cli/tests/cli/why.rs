//! `flyball why`: one decision of a ledger, explained.

use crate::support::{Folder, Run, assert_snapshot, corpora, flyball_in, repository};
use std::path::{Path, PathBuf};

/// Replays a file under a spec of this repository into a ledger.
fn recorded(name: &str, spec: &str, trace: &Path) -> Folder {
    let folder = Folder::of(name, &[("README", b"")]);
    let ledger = folder.path().join("ledger");
    let arguments = ["replay", spec, trace.to_str().unwrap(), "--ledger", ledger.to_str().unwrap(), "--summary"];
    assert_eq!(flyball_in(&repository(), &arguments).code, 0);
    folder
}

fn refunds(name: &str, trace: &str) -> Folder {
    recorded(name, "specs/refunds.yaml", &repository().join("specs").join(trace))
}

fn why(folder: &Folder, run: &str, seq: u64, more: &[&str]) -> Run {
    let (run, seq) = (format!("ledger/{run}.jsonl"), seq.to_string());
    flyball_in(folder.path(), &[&["why", &run, &seq], more].concat())
}

/// The records of a run: number, kind and data.
fn records(folder: &Folder, run: &str) -> Vec<(u64, String, serde_json::Value)> {
    let text = std::fs::read_to_string(folder.path().join(format!("ledger/{run}.jsonl"))).unwrap();
    let record = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let body = &line["body"];
        (body["seq"].as_u64().unwrap(), body["kind"].as_str().unwrap().to_owned(), body["data"].clone())
    };
    text.lines().map(record).collect()
}

#[test]
fn a_deny_is_explained_by_all_that_judged_it() {
    let folder = refunds("why-large", "refunds.anthropic.jsonl");
    let run = why(&folder, "large-1", 5, &[]);
    assert_snapshot("why-deny", &run);
    let document = std::fs::read_to_string(repository().join("docs/replay.md")).unwrap();
    let shown = format!("```text\n$ flyball why ledger/large-1.jsonl 5\n{}```\n", run.stdout);
    assert!(document.contains(&shown), "docs/replay.md shows another explanation");
    let json: serde_json::Value =
        serde_json::from_str(&why(&folder, "large-1", 5, &["--format", "json"]).stdout).unwrap();
    assert_eq!((&json["seq"], &json["code"], &json["recorded"]), (&5.into(), &"cap".into(), &"deny".into()));
    let judgements = json["judgements"].as_array().unwrap();
    let cap = judgements.iter().find(|judgement| judgement["by"] == "cap").unwrap();
    assert_eq!((&cap["said"], &cap["flips"]), (&"fires".into(), &"`args.amount` 620 → 500".into()));
    assert_eq!(cap["reads"], serde_json::json!([{"value": "620", "what": "args.amount"}]));
}

#[test]
fn a_record_of_many_calls_explains_each_and_one_of_a_call_only_it() {
    let folder = refunds("why-batch", "refunds.openai.json");
    let records = records(&folder, "broken-1");
    let turn = records.iter().find(|(_, kind, _)| kind == "model.turn").unwrap().0;
    assert_snapshot("why-batch", &why(&folder, "broken-1", turn, &[]));
    let one = why(&folder, "broken-1", turn + 2, &[]);
    assert_eq!((one.code, one.stdout.matches("record ").count()), (0, 1), "{one}");
    assert!(one.stdout.starts_with(&format!("record {}  call_2  refund  deny  look-first\n", turn + 2)), "{one}");
}

#[test]
fn every_record_of_a_run_is_a_decision_or_named_as_what_it_is() {
    let folder = refunds("why-every", "refunds.trace.jsonl");
    for (seq, kind, data) in records(&folder, "s-1") {
        let run = why(&folder, "s-1", seq, &[]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{seq} {kind}: {run}");
        let decides = matches!(kind.as_str(), "guard.decision" | "model.turn");
        assert_eq!(run.stdout.contains("  gate  "), decides, "{seq} {kind}: {run}");
        let code = data["matched"][0].as_str().unwrap_or_default();
        assert!(run.stdout.contains(if decides { code } else { &kind }), "{seq} {kind}: {run}");
        assert!(!run.stdout.contains(" before it c"), "nothing is gone: {run}");
        if kind == "tool.outcome" {
            assert!(run.stdout.contains("its call was decided in record "), "{run}");
        }
    }
    assert_snapshot("why-turn", &why(&folder, "s-1", 1, &[]));
    let json = why(&folder, "s-1", 1, &["--format", "json"]);
    let photos = r#"{"action":"deny","by":"photos","reads":[{"value":"a list of 0","what":"input.attachments"}],"said":"pass","sort":"guard"}"#;
    assert_eq!(json.stdout, format!("{{\"judgements\":[{photos}],\"kind\":\"turn.open\",\"seq\":1}}\n"));
}

#[test]
fn a_record_that_is_not_there_and_a_file_that_is_no_ledger_could_not_be_explained() {
    let folder = refunds("why-gone", "refunds.trace.jsonl");
    let run = why(&folder, "s-1", 9_999, &[]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(
        run.stderr.starts_with("error: there is no decision in record 9999: the last record of an event is "),
        "{run}"
    );
    assert_eq!(why(&folder, "s-9", 1, &[]).code, 2);
}

#[test]
fn where_inputs_are_gone_it_says_which_and_what_is_recorded() {
    let long = "x".repeat(5_000);
    let call = |id: &str| {
        format!(
            r#"{{"tool": "refund", "args": {{"order_id": "{id}", "amount": 900, "currency": "EUR", "reason": "{long}"}}}}"#
        )
    };
    let trace = format!(
        r#"{{"task_id": "t", "world": {{"shopOpen": true}}, "steps": [{}, {}]}}"#,
        call("ORD-000017"),
        call("ORD-000018")
    );
    let files = Folder::of("why-erased-trace", &[("t.jsonl", trace.as_bytes())]);
    let folder = recorded("why-erased", "specs/refunds.yaml", &files.path().join("t.jsonl"));
    let first = records(&folder, "t-1").into_iter().find(|(_, kind, _)| kind == "guard.decision").unwrap().0;
    assert_eq!(why(&folder, "t-1", first, &[]).code, 0);
    let values: PathBuf = folder.path().join("ledger/t-1.values.jsonl");
    let kept = std::fs::read_to_string(&values).unwrap();
    std::fs::write(&values, kept.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    assert_snapshot("why-erased", &why(&folder, "t-1", first, &[]));
    let json: serde_json::Value =
        serde_json::from_str(&why(&folder, "t-1", first, &["--format", "json"]).stdout).unwrap();
    assert_eq!(json["gone"], serde_json::json!([{"field": "args", "reason": "erased", "seq": first}]));
    let behind = why(&folder, "t-1", first + 1, &[]);
    assert_eq!(behind.code, 0, "{behind}");
    assert!(behind.stdout.contains("1 event before it cannot be made again"), "{behind}");
}

#[test]
fn every_deny_of_the_published_airline_runs_is_explained_by_its_code() {
    let Some(corpora) = corpora() else { return };
    let trace = corpora.join("tau1/airline_gpt4o_trajectories.jsonl.gz");
    let folder = recorded("why-airline", "specs/airline.yaml", &trace);
    let mut explained = 0;
    for entry in std::fs::read_dir(folder.path().join("ledger")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(run) = name.strip_suffix(".jsonl").filter(|run| !run.ends_with(".values")) else { continue };
        for (seq, _, data) in records(&folder, run).iter().filter(|(_, _, data)| data["decision"] == "deny") {
            let told = why(&folder, run, *seq, &[]);
            let code = data["matched"][0].as_str().unwrap();
            assert_eq!(told.code, 0, "{run} {seq}: {told}");
            // The runs are played without the host's tables, so a record that a rule reads is missing.
            let objects = [" fires", " missing"];
            let fires =
                |line: &&str| line.contains(&format!(" {code} ")) && objects.iter().any(|word| line.contains(word));
            assert!(told.stdout.lines().any(|line| fires(&line)), "{run} {seq} {code}: {told}");
            explained += 1;
        }
    }
    assert!(explained >= 20, "only {explained} denies");
}

#[test]
fn a_spec_that_only_observes_is_explained_by_what_it_would_do() {
    let spec = "agentspec: 1\nid: desk\npersona: You are the desk.\nmode: observe\ntools: {send: {effect: external}}\n\
                guards: {preTool: [{id: never, tools: [send], kind: forbid}]}\n";
    let trace: &[u8] = br#"{"task_id": "t", "steps": [{"tool": "send", "args": {}, "result": 1}]}"#;
    let folder = Folder::of("why-observe", &[("desk.yaml", spec.as_bytes()), ("t.jsonl", trace)]);
    let replayed = flyball_in(folder.path(), &["replay", "desk.yaml", "t.jsonl", "--ledger", "ledger"]);
    assert_eq!(replayed.code, 0, "{replayed}");
    assert_snapshot("why-observe", &why(&folder, "t-1", 2, &[]));
    let json: serde_json::Value = serde_json::from_str(&why(&folder, "t-1", 2, &["--format", "json"]).stdout).unwrap();
    assert_eq!((&json["decision"], &json["would"], &json["code"]), (&"allow".into(), &"deny".into(), &"never".into()));
}

#[test]
fn names_that_a_model_chose_cannot_steer_the_terminal() {
    let spec = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {send: {effect: read}}\n";
    let events = [
        r#"{"v":"flyball/1","type":"sessionOpened","id":"e1","session":"s\u001b[2J","run":"r"}"#,
        r#"{"v":"flyball/1","type":"toolProposed","id":"e2","session":"s\u001b[2J","call":"c\u202e","tool":"t\u001b[2J\u202e","args":{"a\u009b":1}}"#,
        r#"{"v":"flyball/1","type":"toolProposed","id":"e3","session":"s\u001b[2J","call":"d\u202e","tool":"send","args":{}}"#,
        r#"{"v":"flyball/1","type":"toolStarted","id":"e4","session":"s\u001b[2J","call":"d\u202e"}"#,
        r#"{"v":"flyball/1","type":"toolStarted","id":"e5","session":"s\u001b[2J","call":"g\u202e"}"#,
    ];
    let folder = Folder::of("why-names", &[("desk.yaml", spec.as_bytes()), ("t.jsonl", events.join("\n").as_bytes())]);
    let replayed = flyball_in(folder.path(), &["replay", "desk.yaml", "t.jsonl", "--ledger", "ledger"]);
    let checked = flyball_in(folder.path(), &["check", "desk.yaml", "--tool", "t\u{1b}[2J\u{202e}"]);
    let explained: Vec<Run> = records(&folder, "r").iter().map(|(seq, ..)| why(&folder, "r", *seq, &[])).collect();
    let shown: String = [&replayed, &checked].into_iter().chain(&explained).map(Run::to_string).collect();
    let is_raw = |character: char| matches!(character, '\u{1b}' | '\u{202e}' | '\u{9b}');
    assert!(!shown.contains(is_raw), "{shown:?}");
    assert!(replayed.stdout.contains(r"s\u{1b}[2J  c\u{202e} t\u{1b}[2J\u{202e} "), "{replayed}");
    assert!(checked.stdout.starts_with("deny t\\u{1b}[2J\\u{202e}\n"), "{checked}");
    assert!(shown.contains(r"the call `d\u{202e}` began"), "{shown}");
}

/// Changes the file of a run.
fn changed(folder: &Folder, run: &str, from: &str, to: &str) {
    let path = folder.path().join(format!("ledger/{run}.jsonl"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_ledger_that_does_not_verify_up_to_the_record_is_told_and_exits_1() {
    let folder = refunds("why-broken", "refunds.anthropic.jsonl");
    assert_eq!(why(&folder, "large-1", 5, &[]).stderr, "");
    let last = records(&folder, "large-1").pop().unwrap().0;
    changed(&folder, "large-1", "\"amount\":620,\"currency\"", "\"amount\":621,\"currency\"");
    let run = why(&folder, "large-1", 5, &[]);
    assert_eq!(run.code, 1, "{run}");
    let note = "note: record 5 does not verify (hash_mismatch), so what is told of record 5 is not proved: \
                `flyball verify ledger/large-1.jsonl` says why\n";
    assert_eq!(run.stderr, note);
    assert_eq!(why(&folder, "large-1", last, &[]).code, 1);
    let before = why(&folder, "large-1", 2, &[]);
    assert_eq!(before.code, 0, "{before}");
    assert!(before.stderr.starts_with("note: this ledger does not verify"), "{before}");
}

#[test]
fn a_line_that_is_no_record_and_an_anchor_of_other_records_exit_1() {
    let folder = refunds("why-garbage", "refunds.anthropic.jsonl");
    let head = folder.path().join("ledger/large-1.head");
    let sound = std::fs::read_to_string(&head).unwrap();
    let other = sound.replacen(&anchored(&sound), &"0".repeat(64), 1);
    std::fs::write(&head, other).unwrap();
    let run = why(&folder, "large-1", 5, &[]);
    assert_eq!((run.code, run.stderr.contains("(anchor_mismatch), so what is told of record 5 ")), (1, true), "{run}");
    std::fs::write(&head, sound).unwrap();
    changed(&folder, "large-1", "{\"body\"", "\u{1b}[2J{\"body\"");
    let run = why(&folder, "large-1", 5, &[]);
    assert_eq!((run.code, run.stderr.contains('\u{1b}')), (1, false), "{run}");
    assert!(run.stderr.starts_with("note: record 0 does not verify (bad_json)"), "{run}");
}

/// The hash that a head file names.
fn anchored(head: &str) -> String {
    let head: serde_json::Value = serde_json::from_str(head.trim_end()).unwrap();
    head["hash"].as_str().unwrap().to_owned()
}

#[test]
fn matched_rules_that_come_out_otherwise_are_told_and_exit_1() {
    let folder = refunds("why-matched", "refunds.anthropic.jsonl");
    changed(&folder, "large-1", "\"matched\":[\"cap\"]", "\"matched\":[\"open\"]");
    let run = why(&folder, "large-1", 5, &[]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("\n  recorded as matched is open: it comes out as cap now\n"), "{run}");
    let json: serde_json::Value =
        serde_json::from_str(&why(&folder, "large-1", 5, &["--format", "json"]).stdout).unwrap();
    assert_eq!((&json["recordedMatched"], &json["code"]), (&serde_json::json!(["open"]), &"cap".into()));
}

#[test]
fn what_is_asked_of_earlier_calls_is_told_with_its_answer() {
    let spec = "\
agentspec: 1
id: desk
persona: You are the desk.
tools:
  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  act: {effect: write, parameters: {type: object, properties: {id: {type: string}, n: {type: integer}}}}
guards:
  preTool:
    - {id: seen, tools: [act], check: \"done('look', {'id': args.id})\", prose: look first, correction: Look first.}
    - {id: once, tools: [act], check: \"count('act', {'id': args.id}) < 1\", prose: once, correction: Once.}
";
    let steps = r#"{"task_id": "t", "steps": [{"tool": "look", "args": {"id": "a"}, "result": {"x": 1}},
        {"tool": "act", "args": {"id": "a", "n": 1}, "result": 1}, {"tool": "act", "args": {"id": "b", "n": 2}},
        {"tool": "act", "args": {"id": "a", "n": 3}}]}"#;
    let folder = Folder::of("why-earlier", &[("desk.yaml", spec.as_bytes()), ("t.json", steps.as_bytes())]);
    let replay = ["replay", "desk.yaml", "t.json", "--ledger", "ledger", "--summary"];
    assert_eq!(flyball_in(folder.path(), &replay).code, 0);
    let decisions: Vec<u64> = records(&folder, "t-1")
        .into_iter()
        .filter_map(|(seq, kind, _)| (kind == "guard.decision").then_some(seq))
        .collect();
    let line = |number: usize, guard: &str| {
        let told = why(&folder, "t-1", decisions[number], &[]).stdout;
        let mut lines = told.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.find(|words| words.starts_with(&["guard", guard])).unwrap()[2..].join(" ")
    };
    assert_eq!(line(1, "seen"), r#"pass done('look', {'id': args.id}) true; args.id "a""#);
    assert_eq!(line(1, "once"), r#"pass count('act', {'id': args.id}) 0; args.id "a""#);
    assert_eq!(line(2, "seen"), r#"fires done('look', {'id': args.id}) false; args.id "b""#);
    assert_eq!(line(3, "once"), r#"fires count('act', {'id': args.id}) 1; args.id "a""#);
}
