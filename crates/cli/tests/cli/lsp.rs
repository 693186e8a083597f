//! `flyball lsp` as an editor meets it: messages in, findings and answers out.

mod answers;
mod editor;
mod random;
mod shared;

use crate::support::Folder;
use editor::{Editor, marked};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

/// A desk with a contract, a pack and a schema of its own.
pub(crate) const SPEC: &str = "\
agentspec: 1
id: desk
contract: ../contracts/shop.yaml
packs: {money: ../guards/money.yaml}
persona: You are the desk.
params: {limit: 500, codes: [a, b]}
let:
  record: world.records[args.record_id]
$defs:
  recordId: {type: string, maxLength: 20}
tools:
  look_up:
    description: Look a record up.
    effect: read
    parameters: {type: object, required: [record_id], properties: {record_id: {$ref: '#/$defs/recordId'}}}
  pay_back:
    description: Pay money back.
    effect: write
    parameters:
      type: object
      required: [record_id, amount]
      properties:
        record_id: {$ref: '#/$defs/recordId'}
        amount: {type: number, description: In the currency of the record.}
        lines: {type: array, maxItems: 9, items: {type: object, properties: {sku: {type: string, maxLength: 9}}}}
guards:
  preTool:
    - id: cap
      tools: [pay_back]
      when: '!(args.record_id in params.codes)'
      check: args.amount <= params.limit && record.open
      prose: at most {params.limit} is paid back
      correction: Pay back at most {params.limit}.
    - id: cap-of-pack
      tools: [pay_back]
      kind: money/cap
      with: {amount: args.amount, max: 400}
";

pub(crate) const CONTRACT: &str = "\
contract: 1
id: shop
rules: [Be brief.]
guards:
  preTool:
    - id: typed
      effects: [write]
      check: saidByUser(args.record_id)
      prose: the user names the record
      correction: Ask for the record.
";

pub(crate) const PACK: &str = "\
pack: 1
id: money
kinds:
  cap:
    hook: preTool
    params:
      amount: {expr: number}
      max: {type: number}
    check: params.amount <= params.max
    prose: 'at most {params.max}'
    correction: 'Use at most {params.max}.'
    cases:
      - {with: {amount: 5, max: 5}, want: allow}
      - {with: {amount: 6, max: 5}, want: deny, correction: Use at most 5.}
";

/// The desk on disk.
pub(crate) fn desk(name: &str) -> Folder {
    let files = [("specs/desk.yaml", SPEC), ("contracts/shop.yaml", CONTRACT), ("guards/money.yaml", PACK)];
    Folder::of(&format!("lsp-{name}"), &files.map(|(path, text)| (path, text.as_bytes())))
}

fn rules(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn a_broken_spec_is_told_mended_and_told_clean() {
    let folder = desk("mended");
    let mut editor = Editor::start(&folder);
    let broken = SPEC.replace("params.limit &&", "params.limt &&");
    editor.open("specs/desk.yaml", &broken);
    let told = editor.diagnostics("specs/desk.yaml");
    assert_eq!(rules(&told), ["unknown-field"], "{told:#?}");
    assert_eq!((&told[0]["severity"], &told[0]["source"]), (&json!(1), &json!("flyball")));
    assert!(told[0]["message"].as_str().unwrap().contains("`limt`"), "{told:#?}");
    let at = |needle: &str| editor::position(&broken, broken.find(needle).unwrap());
    assert_eq!(told[0]["range"]["start"], at("limt &&"));
    // A change of the very word, in the middle of the text.
    let range = json!({"start": at("limt &&"), "end": at(" && record")});
    editor.change("specs/desk.yaml", &[json!({"range": range, "text": "limit"})]);
    assert_eq!(rules(&editor.diagnostics("specs/desk.yaml")), [""; 0]);
    editor.end();
}

#[test]
fn what_mends_a_finding_and_what_allows_it_are_offered() {
    let folder = desk("actions");
    let mut editor = Editor::start(&folder);
    let broken = SPEC.replace("effect: write", "efect: write");
    editor.open("specs/desk.yaml", &broken);
    assert!(rules(&editor.diagnostics("specs/desk.yaml")).contains(&"unknown-key"));
    let place = broken.find("efect").unwrap();
    let actions = editor.actions("specs/desk.yaml", &broken, place);
    let action = actions.iter().find(|action| action["title"] == "Write `effect`").unwrap();
    assert_eq!(editor.applied("specs/desk.yaml", &broken, action), SPEC);
    assert!(!actions.iter().any(|action| action["title"].as_str().unwrap().starts_with("Allow")), "{actions:#?}");

    let unused = SPEC.replace("  record:", "  spare: args.amount\n  record:");
    editor.replace("specs/desk.yaml", &unused);
    assert_eq!(rules(&editor.diagnostics("specs/desk.yaml")), ["unused-let"]);
    let actions = editor.actions("specs/desk.yaml", &unused, unused.find("spare").unwrap());
    let action = actions.iter().find(|action| action["title"] == "Allow `unused-let` here").unwrap();
    let allowed = editor.applied("specs/desk.yaml", &unused, action);
    assert!(allowed.contains("let:\n  # flyball: allow unused-let -- reason\n  spare:"), "{allowed}");
    editor.replace("specs/desk.yaml", &allowed);
    assert_eq!(rules(&editor.diagnostics("specs/desk.yaml")), [""; 0]);
    editor.end();
}

#[test]
fn a_contract_that_changes_judges_the_specs_that_share_it_and_is_told_once() {
    let folder = desk("contract");
    let mut editor = Editor::start(&folder);
    editor.open("specs/desk.yaml", SPEC);
    editor.open("specs/other.yaml", &SPEC.replace("id: desk", "id: other"));
    assert_eq!(rules(&editor.diagnostics("specs/other.yaml")), [""; 0]);
    // On disk nothing is wrong; what is open counts.
    let wrong = CONTRACT.replace("saidByUser(args.record_id)", "saidByUser(args.recrd_id)");
    editor.open("contracts/shop.yaml", &wrong);
    let told = editor.diagnostics("contracts/shop.yaml");
    assert_eq!(rules(&told), ["unknown-field"], "{told:#?}");
    editor.replace("contracts/shop.yaml", CONTRACT);
    assert_eq!(rules(&editor.diagnostics("contracts/shop.yaml")), [""; 0]);
    // A spec that is closed says no more of the contract.
    editor.replace("contracts/shop.yaml", &wrong);
    assert_eq!(rules(&editor.diagnostics("contracts/shop.yaml")), ["unknown-field"]);
    editor.close("specs/desk.yaml");
    editor.close("specs/other.yaml");
    assert_eq!(rules(&editor.diagnostics("contracts/shop.yaml")), [""; 0]);
    editor.end();
}

#[test]
fn a_second_place_is_told_with_its_file() {
    let folder = desk("related");
    let mut editor = Editor::start(&folder);
    editor.open("specs/desk.yaml", &SPEC.replace("- id: cap\n", "- id: typed\n"));
    let told = editor.diagnostics("specs/desk.yaml");
    let one = told.iter().find(|one| one["code"] == "duplicate-id").unwrap();
    let related = &one["relatedInformation"][0]["location"];
    assert!(related["uri"].as_str().unwrap().ends_with("/contracts/shop.yaml"), "{one:#?}");
    assert_eq!(related["range"]["start"], json!({"line": 5, "character": 10}), "{one:#?}");
    editor.end();
}

#[test]
fn a_pack_is_judged_alone_and_what_a_file_on_disk_gets_wrong_is_told_there() {
    let folder = desk("pack");
    std::fs::write(folder.path().join("contracts/shop.yaml"), CONTRACT.replace("rules:", "ruls:")).unwrap();
    let mut editor = Editor::start(&folder);
    editor.open("guards/money.yaml", &PACK.replace("params.amount <=", "params.amout <="));
    assert_eq!(rules(&editor.diagnostics("guards/money.yaml")), ["unknown-name"]);
    editor.open("specs/desk.yaml", SPEC);
    assert!(rules(&editor.diagnostics("contracts/shop.yaml")).contains(&"unknown-key"));
    std::fs::write(folder.path().join("contracts/shop.yaml"), CONTRACT).unwrap();
    let uri = editor.uri("contracts/shop.yaml");
    editor.notify("workspace/didChangeWatchedFiles", &json!({"changes": [{"uri": uri, "type": 2}]}));
    assert_eq!(rules(&editor.diagnostics("contracts/shop.yaml")), [""; 0]);
    editor.end();
}

#[test]
fn no_file_outside_the_workspace_is_read_and_other_files_are_left_alone() {
    let folder = desk("outside");
    let outside = Folder::of("lsp-outside-secret", &[("secret.yaml", b"contract: 1\nid: secret\n")]);
    let mut editor = Editor::start(&folder);
    let secret = outside.path().join("secret.yaml");
    for reference in [secret.to_str().unwrap().to_owned(), format!("../../../..{}", secret.display())] {
        editor.open("specs/desk.yaml", &SPEC.replace("../contracts/shop.yaml", &reference));
        assert_eq!(rules(&editor.diagnostics("specs/desk.yaml")), ["path-outside"]);
        editor.close("specs/desk.yaml");
        assert_eq!(rules(&editor.diagnostics("specs/desk.yaml")), [""; 0]);
    }
    editor.open("ci.yaml", "name: [ci\n");
    editor.open("specs/new.yaml", "agentspec: 1\n");
    assert!(!editor.diagnostics("specs/new.yaml").is_empty());
    assert_eq!(editor.labels("ci.yaml", "name: [ci\n", 3), [""; 0]);
    assert!(editor.actions("ci.yaml", "name: [ci\n", 3).is_empty());
    editor.end();
}

#[test]
fn columns_are_counted_as_was_agreed() {
    let text =
        "agentspec: 1\nid: desk\npersona: 😀 You are the desk.\ntools: {look: {effect: read}}\nbehavior: [😀é, {}]\n";
    for (encodings, column) in [(json!(["utf-8", "utf-16"]), 19), (json!(["utf-16"]), 16), (Value::Null, 16)] {
        let folder = desk("columns");
        let mut editor = Editor::with(&folder, &json!({"general": {"positionEncodings": encodings}}));
        editor.open("specs/desk.yaml", text);
        let told = editor.diagnostics("specs/desk.yaml");
        assert_eq!(told[0]["range"]["start"], json!({"line": 4, "character": column}), "{encodings} {told:#?}");
        editor.end();
    }
}

#[test]
fn a_request_behind_many_changes_is_answered_from_the_newest_text() {
    let folder = desk("many");
    let mut editor = Editor::start(&folder);
    editor.open("specs/desk.yaml", SPEC);
    for number in 0..300 {
        editor.replace("specs/desk.yaml", &SPEC.replace("id: desk", &format!("id: desk-{number}")));
    }
    let (text, place) = marked(&SPEC.replace("persona: You", "mode: ¦\npersona: You"));
    editor.replace("specs/desk.yaml", &text);
    assert_eq!(editor.labels("specs/desk.yaml", &text, place), ["enforce", "observe"]);
    editor.end();
}

#[test]
fn the_protocol_is_kept_in_its_order() {
    let folder = desk("order");
    let mut editor = Editor::silent(&folder);
    assert_eq!(editor.ask("textDocument/hover", &json!({}))["error"]["code"], -32002);
    let answer = editor.ask("initialize", &json!({"capabilities": {}}));
    let capabilities = &answer["result"]["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    let kinds = &capabilities["codeActionProvider"]["codeActionKinds"];
    assert_eq!(*kinds, json!(["quickfix", "source.fixAll.flyball"]));
    assert_eq!(answer["result"]["serverInfo"]["name"], "flyball");
    editor.notify("initialized", &json!({}));
    assert_eq!(editor.ask("textDocument/rename", &json!({}))["error"]["code"], -32601);
    assert_eq!(editor.ask("textDocument/hover", &json!({"nothing": 1}))["error"]["code"], -32602);
    editor.notify("$/setTrace", &json!({"value": "off"}));
    editor.notify("textDocument/didChange", &json!({"textDocument": 7}));
    let unopened =
        json!({"textDocument": {"uri": editor.uri("specs/desk.yaml")}, "position": {"line": 1, "character": 1}});
    assert_eq!(editor.ask("textDocument/hover", &unopened)["result"], Value::Null);
    assert_eq!(editor.ask("shutdown", &Value::Null)["result"], Value::Null);
    assert_eq!(editor.ask("textDocument/hover", &unopened)["error"]["code"], -32600);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.code(), 0);

    let mut editor = Editor::start(&folder);
    editor.notify("exit", &Value::Null);
    assert_eq!(editor.code(), 1, "no shutdown before");
    assert_eq!(Editor::silent(&folder).code(), 1, "nothing said at all");
}

#[test]
fn an_editor_hears_rules_as_bad_as_the_configuration_wants_them() {
    let unused = SPEC.replace("  record:", "  spare: args.amount\n  record:");
    for (level, wanted) in [("off", None), ("note", Some(3)), ("error", Some(1))] {
        let folder = desk(&format!("levels-{level}"));
        std::fs::write(folder.path().join("flyball.toml"), format!("[rules]\nunused-let = \"{level}\"\n")).unwrap();
        let mut editor = Editor::start(&folder);
        editor.open("specs/desk.yaml", &unused);
        let told = editor.diagnostics("specs/desk.yaml");
        assert_eq!(told.first().map(|one| &one["severity"]), wanted.map(|wanted| json!(wanted)).as_ref(), "{told:#?}");
        editor.end();
    }
}

#[test]
fn a_conversation_that_is_none_ends_with_an_error_and_one_that_is_left_without() {
    for (said, code, told) in
        [("Content-Length: x\r\n\r\n{}", 2, "the conversation with the editor broke off: "), ("", 1, "")]
    {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_flyball"));
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}: {stderr}");
        assert!(stderr.contains(told) && stderr.is_empty() == told.is_empty(), "{said}: {stderr}");
    }
}
