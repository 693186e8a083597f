//! `flyball replay --score`: decisions held against labels.

use crate::support::{Folder, Run, assert_snapshot, flyball_in, repository};

const CORPUS: &str = "specs/refunds.scored.jsonl";

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
tools: {look: {effect: read}, write: {effect: write}}
flow: [{id: look-first, from: look, to: write}]
";

/// Scores files under [`SPEC`].
fn score(name: &str, files: &[(&str, &[u8])], arguments: &[&str]) -> Run {
    let folder = Folder::of(name, &[&[("desk.yaml", SPEC.as_bytes())], files].concat());
    flyball_in(folder.path(), &[&["replay", "desk.yaml", "--score"], arguments].concat())
}

fn refunds(arguments: &[&str]) -> Run {
    flyball_in(&repository(), &[&["replay", "specs/refunds.yaml", "--score", CORPUS], arguments].concat())
}

const RIGHT: &[u8] = br#"{"task_id": "right", "kind": "benign", "steps": [{"tool": "look", "result": 1}, {"tool": "write", "result": 1}]}"#;
const WRONG: &[u8] =
    br#"{"task_id": "wrong", "kind": "observed", "steps": [{"tool": "write", "result": 1, "gt_match": false}]}"#;

fn lines(traces: &[&[u8]]) -> Vec<u8> {
    traces.join(&b'\n')
}

#[test]
fn the_figures_stand_under_each_other_and_the_calls_behind_them_follow() {
    assert_snapshot("score-refunds", &refunds(&[]));
}

#[test]
fn as_json_the_figures_are_one_line_the_same_every_time() {
    let run = refunds(&["--format", "json"]);
    assert_snapshot("score-refunds-json", &run);
    assert_eq!(refunds(&["--format", "json"]).stdout, run.stdout);
}

#[test]
fn traces_that_are_left_out_count_nowhere_whether_named_or_listed_in_a_file() {
    let corpus = lines(&[RIGHT, WRONG]);
    let files: [(&str, &[u8]); 2] = [("t.jsonl", &corpus), ("noise.txt", b"wrong\n\n")];
    let all = score("score-all", &files, &["t.jsonl", "--format", "json"]);
    assert!(all.stdout.contains(r#""writes":{"right":1,"rightDenied":0,"wrong":1,"wrongDenied":1}"#), "{all}");
    for except in ["wrong", "@noise.txt"] {
        let run = score("score-except", &files, &["t.jsonl", "--except", except, "--format", "json"]);
        assert!(run.stdout.contains(r#""writes":{"right":1,"rightDenied":0,"wrong":0,"wrongDenied":0}"#), "{run}");
    }
    let run = score("score-none", &files, &["t.jsonl", "--except", "right,wrong", "--format", "json"]);
    assert!(run.stdout.contains(r#""writes":{"right":0,"rightDenied":0,"wrong":0,"wrongDenied":0}"#), "{run}");
    let run = score("score-unknown", &files, &["t.jsonl", "--except", "wrogn"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert!(run.stderr.starts_with("error: no trace has the id `wrogn`\n"), "{run}");
}

#[test]
fn a_line_that_is_no_scored_trace_is_named() {
    for (name, line, reason) in [
        (
            "no-kind",
            r#"{"task_id": "t", "steps": []}"#,
            "a scored trace says its `kind`: `benign`, `attack` or `observed`",
        ),
        ("no-steps", r#"{"kind": "benign", "messages": []}"#, "a scored trace has an array `steps`"),
        ("no-json", "{", "found the end of the input"),
        ("event", r#"{"v": "flyball/1", "type": "turnStarted"}"#, "a scored trace has an array `steps`"),
        (
            "label",
            r#"{"kind": "attack", "steps": [{"tool": "look", "harm": 1}]}"#,
            "step 0: `harm` is true or false, not a number",
        ),
        ("step", r#"{"kind": "attack", "steps": [{"args": {}}]}"#, "a call names its `tool`"),
    ] {
        let run = score(name, &[("t.jsonl", &lines(&[RIGHT, b"", line.as_bytes()]))], &["t.jsonl"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{name}: {run}");
        assert!(run.stderr.starts_with("error: `t.jsonl:3`: "), "{name}: {run}");
        assert!(run.stderr.contains(reason), "{name}: {run}");
    }
}

#[test]
fn a_time_that_is_none_is_told() {
    let run = score("score-time", &[("t.jsonl", RIGHT)], &["t.jsonl", "--at", "2024-05-15 15:00"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.starts_with("error: `--at` is `2024-05-15 15:00`, which is no time\n"), "{run}");
    let bad = br#"{"kind": "benign", "at": "noon", "steps": []}"#;
    let run = score("score-at", &[("t.jsonl", bad)], &["t.jsonl"]);
    assert!(run.stderr.contains("`t.jsonl:1`: `at` is \"noon\", not a time like `2031-03-04T09:00:00Z`"), "{run}");
}

#[test]
fn it_fails_on_what_it_is_told_to() {
    let fails = |line: &[u8]| score("score-fails", &[("t.jsonl", line)], &["t.jsonl", "--fail-on", "deny"]).code;
    assert_eq!([fails(RIGHT), fails(WRONG)], [0, 1]);
}
