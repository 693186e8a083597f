//! `flyball init`: what it writes lints clean, and what is there already stays.

use crate::support::{Folder, Run, assert_snapshot, flyball_in};
use serde_json::Value;
use std::path::Path;

fn clean(folder: &Path) -> Run {
    flyball_in(folder, &["lint", "--deny", "warnings"])
}

fn text(folder: &Folder, path: &str) -> String {
    std::fs::read_to_string(folder.path().join(path)).unwrap()
}

#[test]
fn what_is_written_into_a_repository_lints_clean() {
    let folder = Folder::of("init", &[("Front Desk 2/.git/HEAD", b"")]);
    let run = flyball_in(folder.path(), &["init", "Front Desk 2"]);
    assert_snapshot("init", &run);
    let desk = folder.path().join("Front Desk 2");
    let spec = text(&folder, "Front Desk 2/specs/front-desk-2.yaml");
    assert!(spec.starts_with("# yaml-language-server: $schema=../schemas/agentspec-1.json\n"), "{spec}");
    assert!(desk.join("schemas/agentspec-1.json").is_file());
    let lint = clean(&desk);
    assert_eq!((lint.code, lint.stderr.as_str()), (0, ""), "{lint}");
    assert!(lint.stdout.starts_with("1 spec, 0 errors, 0 warnings"), "{lint}");
    let denied = r#"{"note_id": "n1", "text": "see https://a.example"}"#;
    let check = flyball_in(&desk, &["check", "specs/front-desk-2.yaml", "--tool", "replace_note", "--args", denied]);
    assert!(check.code == 1 && check.stdout.contains("look-first"), "{check}");
    let workflow: Value = serde_yaml::from_str(&text(&folder, "Front Desk 2/.github/workflows/flyball.yml")).unwrap();
    let steps = workflow["jobs"]["lint"]["steps"].as_array().unwrap();
    assert!(steps.iter().any(|step| step["run"] == "flyball lint --format github"), "{workflow}");
    let key = steps.iter().find_map(|step| step["with"]["key"].as_str()).unwrap();
    assert!(key.ends_with("-${{ runner.os }}") && !key.contains("VERSION"), "{key}");
}

#[test]
fn what_is_there_stays_and_specs_that_are_there_are_linted() {
    let spec = b"agentspec: 1\nid: there\npersona: x\ntools: {look: {effect: read}}\n";
    let folder = Folder::of("init-kept", &[("agents/there.yaml", spec), ("flyball.toml", b"deny = \"warnings\"\n")]);
    let run = flyball_in(folder.path(), &["init"]);
    assert_eq!((run.code, run.stdout.lines().next()), (0, Some("kept  flyball.toml")), "{run}");
    assert!(run.stderr.contains("`.` is not the root of a git repository"), "{run}");
    assert_eq!(text(&folder, "flyball.toml"), "deny = \"warnings\"\n");
    assert!(!folder.path().join("specs").exists() && !folder.path().join(".github").exists());
    std::fs::remove_file(folder.path().join("flyball.toml")).unwrap();
    assert_eq!(flyball_in(folder.path(), &["init"]).code, 0);
    assert!(text(&folder, "flyball.toml").contains("\npaths = [\"agents\"]\n"));
}

const OPENAI: &str = r#"[{"type": "function", "function": {"name": "get_note", "description": "Get: one note.", "strict": true,
    "parameters": {"type": "object", "properties": {"note_id": {"type": "string", "maxLength": 9}}, "required": ["note_id"]}}},
    {"type": "function", "name": "delete_note", "description": "Delete one note.",
    "parameters": {"type": "object", "properties": {"note_id": {"type": "string", "maxLength": 9}}, "required": ["note_id"]}}]"#;

const ANTHROPIC: &str = r#"{"tools": [{"name": "find_rooms", "description": "Find free rooms.",
    "input_schema": {"type": "object", "properties": {"seats": {"type": "integer", "minimum": 1}}}}]}"#;

const MCP: &str = r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [
    {"name": "move", "description": "Move a file.", "annotations": {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
     "inputSchema": {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                     "properties": {"from": {"type": "string", "maxLength": 99}, "to": {"type": "string", "maxLength": 99}}}},
    {"name": "stat", "description": "Say how large a file is.", "annotations": {"readOnlyHint": true},
     "inputSchema": {"type": "object", "properties": {"no": {"type": "string", "maxLength": 99}}}}]}}"#;

#[test]
fn the_tools_of_a_file_are_declared_each_with_an_effect_to_review() {
    let mut shown = String::new();
    for (name, tools) in [("openai", OPENAI), ("anthropic", ANTHROPIC), ("mcp", MCP)] {
        let folder = Folder::of(name, &[("desk/.git/HEAD", b""), ("tools.json", tools.as_bytes())]);
        let run = flyball_in(folder.path(), &["init", "desk", "--tools", "tools.json"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
        let lint = clean(&folder.path().join("desk"));
        assert_eq!(lint.code, 0, "{name}: {lint}");
        shown += &format!("# {name}\n{}\n", text(&folder, "desk/specs/desk.yaml"));
    }
    assert_snapshot("init-tools", &Run { code: 0, stdout: shown, stderr: String::new() });
}

#[test]
fn what_is_no_file_of_tools_could_not_be_read_and_nothing_is_written() {
    let folder = Folder::of("init-bad", &[("tools.json", b"{\"tools\": 3}")]);
    let run = flyball_in(folder.path(), &["init", "desk", "--tools", "tools.json"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: `tools.json` is no file of tools: it is neither"), "{run}");
    assert!(!folder.path().join("desk").exists());
    let run = flyball_in(folder.path(), &["init", "--tools", "gone.json"]);
    assert!(run.stderr.starts_with("error: `gone.json` is no file of tools: there is no such file\n"), "{run}");
}

const ODD: &str = r##"[
    {"name": "refund lookup", "description": "A name with a space.", "parameters": {"type": "object"}},
    {"name": "get*", "description": "A name that would be a pattern.", "parameters": {"type": "object"}},
    {"name": "notes/list", "description": "List the notes.", "parameters": {"type": "object"}},
    {"name": "mcp__notes__list", "description": "List the notes.", "parameters": {"type": "object"}},
    {"name": "find_note", "description": "Find a note.", "parameters": {"type": "object", "x-order": 3, "required": ["id"],
        "definitions": {"Id": {"type": "string", "maxLength": 9, "example": "n1"}, "Tree": {"type": "object", "properties": {"in": {"$ref": "#/definitions/Tree"}}}},
        "properties": {"id": {"$ref": "#/definitions/Id"}, "definitions": {"type": "string", "nullable": true, "maxLength": 5},
            "code": {"type": "string", "maxLength": 9, "pattern": "^(?!0)[0-9]+$"}, "under": {"$ref": "#/definitions/Tree"},
            "file": {"$ref": "other.json"}, "most": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}}}]"##;

#[test]
fn what_a_spec_cannot_say_is_rewritten_or_left_out_and_a_comment_says_so() {
    let folder = Folder::of("odd", &[("desk/.git/HEAD", b""), ("tools.json", ODD.as_bytes())]);
    let run = flyball_in(folder.path(), &["init", "desk", "--tools", "tools.json"]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stderr.contains("note: 3 tools were left out; comments in the spec say which, and why"), "{run}");
    let lint = flyball_in(&folder.path().join("desk"), &["lint"]);
    assert!(lint.stdout.contains(" 0 errors"), "{lint}");
    let shown = text(&folder, "desk/specs/desk.yaml");
    assert_snapshot("init-odd", &Run { code: 0, stdout: shown, stderr: String::new() });
    let only_odd = Folder::of("only-odd", &[("tools.json", br#"[{"name": "a b"}]"#)]);
    let run = flyball_in(only_odd.path(), &["init", "desk", "--tools", "tools.json"]);
    assert!(run.code == 2 && run.stderr.contains("none of its tools can stand in a spec"), "{run}");
}

#[test]
fn tools_that_would_not_be_used_are_an_error_and_nothing_is_written() {
    let folder = Folder::of("init-twice", &[("desk/.git/HEAD", b""), ("tools.json", ANTHROPIC.as_bytes())]);
    assert_eq!(flyball_in(folder.path(), &["init", "desk"]).code, 0);
    let before = text(&folder, "desk/specs/desk.yaml");
    let run = flyball_in(folder.path(), &["init", "desk", "--tools", "tools.json"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    let told = "error: the tools were not used: `desk/specs/desk.yaml` is there already\n";
    assert!(run.stderr.starts_with(told), "{run}");
    assert_eq!(text(&folder, "desk/specs/desk.yaml"), before);
}

#[test]
fn what_cannot_be_written_is_named() {
    let folder = Folder::of("init-blocked", &[("specs", b"a file where a folder is to be\n")]);
    let run = flyball_in(folder.path(), &["init"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("specs` cannot be written: "), "{run}");
    assert_eq!(text(&folder, "specs"), "a file where a folder is to be\n");
}
