//! `flyball replay`: recorded conversations decided anew.

use crate::support::{Folder, Run, assert_snapshot, corpora, flyball_in, repository};
use std::io::Write;
use std::path::PathBuf;

const TRACE: &str = "specs/refunds.trace.jsonl";

/// A spec in which a look must come before a write that the world permits.
const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
tools:
  look: {effect: read}
  write: {effect: write}
flow: [{id: look-first, from: look, to: write}]
guards:
  preTool:
    - {id: open, tools: [write], kind: precondition, with: {check: world.status.open}, correction: It is closed.}
budgets: [{id: once, count: calls, tools: [write], scope: turn, max: 1}]
";

/// Replays files under [`SPEC`].
fn replay(name: &str, files: &[(&str, &[u8])], arguments: &[&str]) -> Run {
    let folder = Folder::of(name, &[&[("desk.yaml", SPEC.as_bytes())], files].concat());
    flyball_in(folder.path(), &[&["replay", "desk.yaml"], arguments].concat())
}

fn refunds(arguments: &[&str]) -> Run {
    flyball_in(&repository(), &[&["replay", "specs/refunds.yaml", TRACE], arguments].concat())
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

#[test]
fn every_call_has_its_line_and_the_counts_follow() {
    let run = refunds(&[]);
    assert_eq!(run.code, 0);
    assert_snapshot("replay-refunds", &run);
}

#[test]
fn nine_turns_of_the_refunds_desk_are_told_with_their_replies() {
    let run = flyball_in(&repository(), &["replay", "specs/refunds.yaml", "specs/refunds.turns.jsonl"]);
    assert_eq!(run.code, 0);
    assert_snapshot("replay-refunds-turns", &run);
}

#[test]
fn the_second_desk_of_the_shop_is_held_to_its_own_rules_and_to_those_of_the_contract() {
    let arguments = ["replay", "specs/delivery.yaml", "specs/delivery.trace.jsonl"];
    let run = flyball_in(&repository(), &arguments);
    assert_eq!(run.code, 0);
    assert_snapshot("replay-delivery", &run);
}

#[test]
fn a_summary_has_the_counts_alone() {
    assert_snapshot("replay-summary", &refunds(&["--summary"]));
    assert_snapshot("replay-summary-json", &refunds(&["--summary", "--format", "json"]));
}

#[test]
fn as_json_every_event_has_the_line_that_serve_answers() {
    let run = refunds(&["--format", "json"]);
    let events = std::fs::read_to_string(repository().join(TRACE)).unwrap();
    assert_eq!(run.stdout.lines().count(), events.lines().count());
    let served = crate::serve::serve(&repository(), "specs/refunds.yaml", &events);
    assert_eq!(run.stdout, served.stdout);
}

#[test]
fn it_fails_on_what_it_is_told_to_and_on_nothing_else() {
    let world: (&str, &[u8]) = ("world.json", br#"{"status": {"open": true}}"#);
    let looks: &[u8] = br#"{"task_id": "t", "steps": [{"tool": "look", "args": {}, "result": 1}]}"#;
    let writes: &[u8] = br#"{"task_id": "t", "steps": [{"tool": "write", "args": {}, "result": 1}]}"#;
    let fails = |name: &str, line: &[u8]| {
        ["deny", "ask", "reject"].map(|what| {
            let files = [world, ("trace.jsonl", line)];
            replay(name, &files, &["trace.jsonl", "--world", "world.json", "--fail-on", what]).code
        })
    };
    assert_eq!(fails("fail-none", looks), [0, 0, 0]);
    assert_eq!(fails("fail-deny", writes), [1, 0, 0]);
    assert_eq!(fails("fail-reject", b"{\"v\": 1"), [0, 0, 1]);
    let asking = SPEC.replace("flow:", "default: ask\nflow:");
    let folder = Folder::of("fail-ask", &[("desk.yaml", asking.as_bytes()), ("trace.jsonl", looks)]);
    let ask = |more: &[&str]| flyball_in(folder.path(), &[&["replay", "desk.yaml", "trace.jsonl"], more].concat()).code;
    assert_eq!([ask(&["--fail-on", "ask"]), ask(&["--fail-on", "deny"]), ask(&[])], [1, 0, 0]);
    assert_eq!(ask(&["--fail-on", "deny", "--fail-on", "ask"]), 1);
}

#[test]
fn a_packed_file_is_the_same_as_a_plain_one() {
    let text = std::fs::read(repository().join(TRACE)).unwrap();
    let folder = Folder::of("packed", &[("trace.jsonl.gz", &packed(&text)), ("named-otherwise", &packed(&text))]);
    for file in ["trace.jsonl.gz", "named-otherwise"] {
        let path = folder.path().join(file);
        let run = flyball_in(&repository(), &["replay", "specs/refunds.yaml", path.to_str().unwrap()]);
        assert_eq!((run.code, run.stdout), (0, refunds(&[]).stdout), "{file}");
    }
    let torn = packed(&text);
    let folder = Folder::of("torn", &[("trace.jsonl.gz", &torn[..torn.len() / 2])]);
    let path = folder.path().join("trace.jsonl.gz");
    let run = flyball_in(&repository(), &["replay", "specs/refunds.yaml", path.to_str().unwrap(), "--summary"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert!(run.stderr.contains("cannot be read"), "{run}");
}

#[test]
fn a_file_that_is_not_there_could_not_be_replayed() {
    let run = replay("gone", &[], &["gone.jsonl"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: `gone.jsonl` cannot be read: there is no such file\n"));
    let run = replay("gone-world", &[("t.jsonl", b"")], &["t.jsonl", "--world", "gone.json"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: `gone.json` cannot be read: there is no such file\n"));
    let run = replay("no-spec", &[("desk.yaml", b"agentspec: 1\n"), ("t.jsonl", b"")], &["t.jsonl"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`flyball lint desk.yaml` lists them"), "{run}");
}

#[test]
fn a_trace_that_is_none_is_named_by_its_line() {
    let lines = b"{\"task_id\": \"t\", \"steps\": []}\n\n{\"task_id\": \"t\", \"steps\": [{\"type\": \"thought\"}]}\n";
    let run = replay("bad-trace", &[("t.jsonl", lines)], &["t.jsonl"]);
    assert_eq!(run.code, 2);
    assert!(
        run.stderr.contains("`t.jsonl:3`: a step of type `thought`; known are `user`, `reply` and `call`"),
        "{run}"
    );
}

#[test]
fn a_line_that_is_no_event_is_rejected_and_the_rest_goes_on() {
    let lines = b"not json\n{\"v\": \"flyball/1\", \"type\": \"sessionOpened\", \"id\": \"e1\", \"session\": \"s\"}\n";
    let run = replay("bad-line", &[("t.jsonl", lines)], &["t.jsonl", "--format", "json"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run}");
    assert!(lines[0].contains(r#""code":"bad_json","decision":"reject""#), "{run}");
    assert!(lines[1].contains(r#""decision":"proceed""#), "{run}");
}

/// One conversation of writes, with user steps between them or without.
fn conversation(between: &str) -> Vec<u8> {
    let write = r#"{"tool": "write", "args": {"n": 1}, "result": "done"}"#;
    let other = write.replace('1', "2");
    let look = r#"{"tool": "look", "args": {}, "result": [1]}"#;
    format!(
        r#"{{"task_id": "t", "user_id": "u", "prompt": "Write it.", "world": {{"status": {{"open": true}}}}, "steps": [{between}{look}, {write}, {between}{other}, {{"type": "reply", "text": "Done."}}]}}"#
    )
    .into_bytes()
}

#[test]
fn a_turn_begins_with_each_user_step_and_with_the_prompt_where_there_are_none() {
    let user = r#"{"type": "user", "text": "Write it."}, "#;
    let with = replay("turns-with", &[("t.jsonl", &conversation(user))], &["t.jsonl"]);
    assert!(!with.stdout.contains("deny"), "two turns, a write in each: {with}");
    let without = replay("turns-without", &[("t.jsonl", &conversation(""))], &["t.jsonl"]);
    assert!(without.stdout.contains("t-1  c2    write                          deny  once: "), "one turn: {without}");
}

#[test]
fn the_world_is_the_traces_or_else_the_one_given_as_an_object_or_as_tables() {
    let own = conversation("");
    let none = String::from_utf8(own.clone()).unwrap().replace(r#""world""#, r#""score""#);
    let object: (&str, &[u8]) = ("object.json", br#"{"status": {"open": true}, "other": 1}"#);
    let tables: (&str, &[u8]) = (
        "tables.jsonl",
        b"{\"table\": \"status\", \"rows\": {\"open\": true}}\n{\"table\": \"other\", \"rows\": {\"a\": 1}}\n",
    );
    let closed: (&str, &[u8]) = ("closed.json", br#"{"status": {"open": false}}"#);
    let opens = |name: &str, trace: &[u8], world: &[&str]| {
        let files = [("t.jsonl", trace), object, tables, closed];
        let run = replay(name, &files, &[&["t.jsonl", "--summary"], world].concat());
        assert_eq!(run.code, 0, "{run}");
        !run.stdout.contains("  open ")
    };
    assert!(!opens("world-none", none.as_bytes(), &[]));
    assert!(opens("world-object", none.as_bytes(), &["--world", "object.json"]));
    assert!(opens("world-tables", none.as_bytes(), &["--world", "tables.jsonl"]));
    assert!(!opens("world-closed", none.as_bytes(), &["--world", "closed.json"]));
    assert!(opens("world-own", &own, &["--world", "closed.json"]));
}

#[test]
fn what_a_denied_call_is_recorded_to_have_returned_is_left_out_and_the_summary_says_so() {
    let call = |tool: &str, n: u32| format!(r#"{{"tool": "{tool}", "args": {{"n": {n}}}, "result": "done"}}"#);
    let steps = [call("write", 1), call("look", 1), call("look", 1)].join(", ");
    let trace = format!(r#"{{"task_id": "t", "world": {{"status": {{"open": true}}}}, "steps": [{steps}]}}"#);
    let files: [(&str, &[u8]); 1] = [("t.jsonl", trace.as_bytes())];
    assert_snapshot("replay-left-out", &replay("left-out", &files, &["t.jsonl"]));
    let counts = replay("left-out-json", &files, &["t.jsonl", "--summary", "--format", "json"]);
    let counts: serde_json::Value = serde_json::from_str(&counts.stdout).unwrap();
    assert_eq!((&counts["denied"], &counts["rejected"], &counts["resultsLeftOut"]), (&2.into(), &0.into(), &2.into()));
}

#[test]
fn the_replies_of_the_published_airline_runs_name_what_came_up() {
    let Some(folder) = corpora() else { return };
    let path: PathBuf = folder.join("tau1/airline_gpt4o_trajectories.jsonl.gz");
    let run = flyball_in(
        &repository(),
        &["replay", "specs/measured/airline-replies.yaml", path.to_str().unwrap(), "--format", "json"],
    );
    let mut lines = flyball_io::lines::Lines::new(flyball_io::lines::open(&path).unwrap());
    let (mut rewarded, mut number) = (std::collections::BTreeSet::new(), 0);
    while let Some((_, line)) = lines.next_line().unwrap() {
        number += 1;
        let trace: serde_json::Value = serde_json::from_slice(line).unwrap();
        if trace["reward"] == 1.0 {
            rewarded.insert(format!("{}-{number}", trace["task_id"].as_str().unwrap()));
        }
    }
    let (mut replies, mut loud, mut conversations) = ([0, 0], [0, 0], std::collections::BTreeSet::new());
    for line in run.stdout.lines() {
        let answer: serde_json::Value = serde_json::from_str(line).unwrap();
        if answer["decision"] != "deliver" {
            continue;
        }
        let session = answer["session"].as_str().unwrap();
        let among = usize::from(rewarded.contains(session));
        let watched = answer["audited"].as_array().into_iter().flatten().map(|one| one["guard"].as_str().unwrap());
        replies[among] += 1;
        if watched.into_iter().any(|guard| matches!(guard, "amounts" | "ids")) {
            loud[among] += 1;
            conversations.insert(session.to_owned());
        }
    }
    assert_eq!((replies, loud, conversations.len()), ([808, 482], [52, 10], 35));
}

#[test]
fn the_published_airline_runs_are_decided_whole() {
    let Some(folder) = corpora() else { return };
    let trace: PathBuf = folder.join("tau1/airline_gpt4o_trajectories.jsonl.gz");
    let arguments = ["replay", "specs/airline.yaml", trace.to_str().unwrap(), "--summary", "--format", "json"];
    let run = flyball_in(&repository(), &arguments);
    let counts: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&counts["conversations"], &counts["calls"]), (&200.into(), &1164.into()));
    let sum: u64 = ["allowed", "denied", "asked"].iter().map(|key| counts[key].as_u64().unwrap()).sum();
    assert_eq!(sum, 1164);
    assert_eq!(counts["resultsLeftOut"], counts["denied"]);
}

#[test]
fn a_transcript_is_the_same_over_many_lines_on_one_and_packed() {
    let text = std::fs::read_to_string(repository().join("specs/refunds.openai.json")).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (line, bare) = (value.to_string(), value["messages"].to_string());
    let world: (&str, &[u8]) = ("world.json", br#"{"shopOpen": true}"#);
    let files = [("many.json", text.as_bytes()), ("many.gz", &packed(text.as_bytes())), ("one.jsonl", line.as_bytes())];
    let folder = Folder::of("transcripts", &[&files[..], &[("bare.json", bare.as_bytes()), world]].concat());
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let decided = |name: &str| {
        let arguments = ["replay", "specs/refunds.yaml", &path(name), "--world", &path("world.json")];
        let run = flyball_in(&repository(), &arguments);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{name}: {run}");
        run.stdout.replace("chat-1", "broken-1")
    };
    let many = decided("many.json");
    assert!(many.contains("call_2 refund                         deny  look-first: "), "{many}");
    for name in ["many.gz", "one.jsonl", "bare.json"] {
        assert_eq!(decided(name), many, "{name}");
    }
}

#[test]
fn a_first_line_that_is_cut_costs_no_other_line() {
    let lines = b"{\"v\": \"flyball/1\",\n{\"v\": \"flyball/1\", \"type\": \"sessionOpened\", \"id\": \"e1\", \"session\": \"s\"}\n";
    let run = replay("cut-line", &[("t.jsonl", lines)], &["t.jsonl", "--format", "json"]);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{run}");
    assert!(lines[0].contains(r#""decision":"reject""#) && lines[1].contains(r#""decision":"proceed""#), "{run}");
}

#[test]
fn a_transcript_that_is_none_is_named_by_its_line() {
    let lines = b"[]\n[{\"role\": \"critic\"}]\n";
    let run = replay("bad-chat", &[("t.jsonl", lines)], &["t.jsonl"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`t.jsonl:2`: a message of role `critic`; known are `system`"), "{run}");
    let run = replay("bad-chat-whole", &[("t.json", b"[\n{\"role\": \"critic\"}\n]\n")], &["t.json"]);
    assert!(run.code == 2 && run.stderr.contains("`t.json:1`: a message of role `critic`"), "{run}");
}

#[test]
fn a_spec_alone_asks_for_its_traces() {
    for spec in ["specs/refunds.yaml", "specs/none.yml"] {
        let run = flyball_in(&repository(), &["replay", spec]);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.starts_with(&format!("error: name a trace to decide by `{spec}`\n")), "{run}");
        assert!(run.stderr.contains(&format!("`flyball replay {spec} TRACE…`")), "{run}");
    }
}
