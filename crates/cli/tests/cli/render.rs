//! `flyball render` and `flyball snapshot`: the prompt as a person, a program and a reviewer get it.

use crate::support::{Folder, assert_snapshot, flyball, flyball_in, repository};
use serde_json::Value;

fn json(arguments: &[&str]) -> Value {
    let run = flyball_in(&repository(), arguments);
    assert_eq!(run.code, 0, "{run}");
    serde_json::from_str(&run.stdout).unwrap()
}

#[test]
fn the_prompt_of_a_spec_is_its_system_prompt_its_tools_and_its_state() {
    assert_snapshot("render", &flyball(&["render", "specs/refunds.yaml"]));
}

#[test]
fn a_part_alone_is_that_part_of_the_whole() {
    let whole = json(&["render", "specs/refunds.yaml", "--format", "json"]);
    for (part, key) in [("trunk", "trunk"), ("system", "system"), ("tools", "tools"), ("tail", "tail")] {
        assert_eq!(json(&["render", "specs/refunds.yaml", "--format", "json", "--part", part]), whole[key], "{part}");
        if part != "tools" {
            let text = flyball_in(&repository(), &["render", "specs/refunds.yaml", "--part", part]);
            assert_eq!(text.stdout.trim_end(), whole[key].as_str().unwrap().trim_end(), "{part}");
        }
    }
    assert!(whole["system"].as_str().unwrap().starts_with(whole["trunk"].as_str().unwrap()));
    let refund = whole["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "refund").unwrap();
    assert_eq!(refund["effect"], "external");
    assert_eq!(refund["scopes"][0], "payments:write");
    assert_eq!(refund["schema"]["additionalProperties"], false);
}

#[test]
fn every_line_says_where_it_came_from() {
    assert_snapshot("render-origins", &flyball(&["render", "specs/refunds.yaml", "--origins"]));
    let all = json(&["render", "specs/refunds.yaml", "--format", "json", "--origins"]);
    let lines = all["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["at"].as_str().unwrap().contains(".yaml:")), "{lines:#?}");
}

#[test]
fn the_world_is_seen_in_the_tail_and_nowhere_else() {
    let folder = Folder::of("render-world", &[("world.json", br#"{"shopOpen": false, "unread": "nobody"}"#)]);
    let world = folder.path().join("world.json");
    let with = json(&["render", "specs/refunds.yaml", "--format", "json", "--world", world.to_str().unwrap()]);
    let without = json(&["render", "specs/refunds.yaml", "--format", "json"]);
    assert!(with["tail"].as_str().unwrap().contains("- `world.shopOpen`: false"), "{}", with["tail"]);
    assert!(!with.to_string().contains("nobody"));
    for part in ["system", "trunk", "tools"] {
        assert_eq!(with[part], without[part], "{part}");
    }
}

#[test]
fn a_request_has_the_tail_as_the_first_part_of_the_message() {
    let openai = json(&["render", "specs/refunds.yaml", "--format", "openai"]);
    let anthropic = json(&["render", "specs/refunds.yaml", "--format", "anthropic"]);
    let tail = json(&["render", "specs/refunds.yaml", "--format", "json", "--part", "tail"]);
    assert_eq!(openai["messages"][0]["role"], "system");
    assert_eq!(openai["messages"][1]["content"][0]["text"], tail);
    assert_eq!(anthropic["messages"][0]["content"][0]["text"], tail);
    assert_eq!(anthropic["system"][0]["cache_control"]["type"], "ephemeral");
    let tools = json(&["render", "specs/refunds.yaml", "--format", "anthropic", "--part", "tools"]);
    assert_eq!(tools, anthropic["tools"]);
}

#[test]
fn the_bytes_that_prompts_share_are_printed() {
    let run = flyball_in(&repository(), &["render", "specs/refunds.yaml", "--shared", "specs/airline.yaml"]);
    assert_eq!(run.code, 0, "{run}");
    let trunk = json(&["render", "specs/refunds.yaml", "--format", "json", "--part", "trunk"]);
    assert!(trunk.as_str().unwrap().starts_with(run.stdout.trim_end()), "of two contracts next to nothing is shared");
    let own = flyball_in(&repository(), &["render", "specs/refunds.yaml", "--shared", "specs/refunds.yaml"]);
    assert!(own.stderr.contains("(100 %)"), "{own}");
}

#[test]
fn a_spec_with_errors_has_no_prompt() {
    let run = flyball(&["render", "bad/specs/keys.yaml"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("flyball lint bad/specs/keys.yaml"), "{run}");
}

const SPEC: &str = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {send: {effect: external, parameters: {properties: {n: {type: number}}}}}\n\
                    guards: {preTool: [{id: cap, tools: [send], kind: argRange, with: {arg: n, max: 5}}]}\n";

#[test]
fn a_snapshot_is_written_once_and_then_only_when_the_prompt_changes() {
    let folder =
        Folder::of("snapshot", &[("specs/desk.yaml", SPEC.as_bytes()), ("specs/more/desk.yaml", SPEC.as_bytes())]);
    let at = folder.path();
    let new = flyball_in(at, &["snapshot", "--check", "specs"]);
    assert_eq!(new.code, 1, "{new}");
    assert!(new.stdout.contains("specs/desk.yaml has no snapshot"), "{new}");
    let written = flyball_in(at, &["snapshot", "specs"]);
    assert_eq!((written.code, written.stdout.lines().count()), (0, 2), "{written}");
    assert!(written.stdout.contains("new snapshots/more/desk.prompt.txt"), "{written}");
    let again = flyball_in(at, &["snapshot", "specs"]);
    assert_eq!((again.code, again.stdout.as_str()), (0, ""), "{again}");
    let checked = flyball_in(at, &["snapshot", "--check", "specs"]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""), "{checked}");

    std::fs::write(at.join("specs/desk.yaml"), SPEC.replace("max: 5", "max: 6")).unwrap();
    assert_snapshot("snapshot-differs", &flyball_in(at, &["snapshot", "--check", "specs"]));
    std::fs::remove_file(at.join("specs/more/desk.yaml")).unwrap();
    let gone = flyball_in(at, &["snapshot", "--check", "specs"]);
    assert!(gone.stdout.contains("snapshots/more/desk.prompt.txt belongs to no spec"), "{gone}");
    let changed = flyball_in(at, &["snapshot", "specs/desk.yaml"]);
    assert_eq!(changed.stdout, "changed snapshots/desk.prompt.txt\n", "{changed}");
}

#[test]
fn two_specs_with_one_snapshot_are_told() {
    let folder = Folder::of("snapshot-two", &[("a/desk.yaml", SPEC.as_bytes()), ("b/desk.yaml", SPEC.as_bytes())]);
    let run = flyball_in(folder.path(), &["snapshot", "a/desk.yaml", "b/desk.yaml"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("two specs have the snapshot"), "{run}");
}
