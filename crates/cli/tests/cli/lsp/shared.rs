//! Files that several others read: what is told of them, and what is no longer.

use super::editor::Editor;
use super::{CONTRACT, SPEC, desk, rules};
use serde_json::{Value, json};

const NONE: [&str; 0] = [];
const SHOP: &str = "contracts/shop.yaml";
const DESK: &str = "specs/desk.yaml";

/// What was told of a file, once everything is judged.
fn settled(editor: &mut Editor, path: &str) -> Vec<Value> {
    editor.actions(path, "", 0);
    editor.told(path).as_array().cloned().unwrap_or_default()
}

fn changed(editor: &mut Editor, path: &str, kind: u8) {
    let uri = editor.uri(path);
    editor.notify("workspace/didChangeWatchedFiles", &json!({"changes": [{"uri": uri, "type": kind}]}));
}

#[test]
fn a_contract_alone_is_told_what_reading_it_finds() {
    let folder = desk("alone");
    let mut editor = Editor::start(&folder);
    let rows = [
        (CONTRACT.replace("rules:", "ruls:"), "unknown-key"),
        (CONTRACT.replace("[Be brief.]", "Be brief."), "wrong-type"),
        (CONTRACT.replace("preTool", "preTol"), "unknown-key"),
        (CONTRACT.replace("saidByUser(args.record_id)", "saidByUser(args.record_id"), "bad-expression"),
        (CONTRACT.replace("Be brief.", "'At most {params.limit}.'"), "unknown-field"),
        (CONTRACT.replace("[Be brief.]", "[Be brief."), "yaml-syntax"),
    ];
    editor.open(SHOP, CONTRACT);
    assert_eq!(rules(&editor.diagnostics(SHOP)), NONE);
    for (text, rule) in rows {
        editor.replace(SHOP, &text);
        let told = editor.diagnostics(SHOP);
        assert!(rules(&told).contains(&rule), "{rule}: {told:#?}");
    }
    // What its comments allow may be found with a spec only.
    let allowing =
        CONTRACT.replace("    - id: typed", "    # flyball: allow unguarded-tool -- reason\n    - id: typed");
    editor.replace(SHOP, &allowing);
    assert_eq!(rules(&editor.diagnostics(SHOP)), NONE);
    // With a spec each is told once.
    editor.replace(SHOP, &CONTRACT.replace("rules:", "ruls:"));
    editor.open(DESK, SPEC);
    assert_eq!(rules(&settled(&mut editor, SHOP)), ["unknown-key"]);
    editor.end();
}

#[test]
fn a_mistake_in_a_spec_takes_no_finding_of_its_contract_away() {
    let folder = desk("kept");
    let wrong = CONTRACT.replace("args.record_id", "args.recrd_id");
    std::fs::write(folder.path().join(SHOP), &wrong).unwrap();
    let mut editor = Editor::start(&folder);
    editor.open(DESK, SPEC);
    assert_eq!(rules(&editor.diagnostics(SHOP)), ["unknown-field"]);
    let broken = [
        SPEC.replace("persona: You", "persona: [You"),
        SPEC.replace("persona:", "prsona:"),
        SPEC.replace("contract: ../contracts/shop.yaml", "contract: ../contracts/shop.yaml\nmode: 'x"),
    ];
    for text in &broken {
        editor.replace(DESK, text);
        assert_eq!(rules(&settled(&mut editor, SHOP)), ["unknown-field"], "{text}");
        assert!(!rules(&settled(&mut editor, DESK)).is_empty());
    }
    // Opened as it is, or mended and broken again: what is told goes with the text.
    editor.open(SHOP, &wrong);
    assert_eq!(rules(&settled(&mut editor, SHOP)), ["unknown-field"]);
    editor.replace(SHOP, CONTRACT);
    assert_eq!(rules(&settled(&mut editor, SHOP)), NONE);
    editor.replace(DESK, SPEC);
    assert_eq!(rules(&settled(&mut editor, SHOP)), NONE);
    editor.replace(SHOP, &wrong);
    assert_eq!(rules(&settled(&mut editor, SHOP)), ["unknown-field"]);
    // A spec that has another contract now, or none, says no more of this one.
    editor.replace(DESK, &SPEC.replace("contract: ../contracts/shop.yaml\n", "").replace("persona:", "prsona:"));
    assert_eq!(rules(&settled(&mut editor, SHOP)), NONE);
    editor.end();
}

#[test]
fn a_schema_that_changes_judges_the_specs_that_refer_to_it() {
    let folder = desk("schema");
    let schema = |name: &str| {
        json!({"type": "object", "required": [name], "properties": {name: {"type": "number"}}}).to_string()
    };
    std::fs::write(folder.path().join("specs/pay.json"), schema("amount")).unwrap();
    let spec = SPEC.replace(
        "  pay_back:\n",
        "  pay_out: {description: Pay out., effect: read, parameters: {$ref: pay.json}}\n  pay_back:\n",
    );
    let spec = spec.replace("    - id: cap\n", "    - {id: bound, tools: pay_out, check: args.amount < 5, prose: at most 5, correction: Pay less.}\n    - id: cap\n");
    let mut editor = Editor::start(&folder);
    editor.open(DESK, &spec);
    assert_eq!(rules(&editor.diagnostics(DESK)), NONE);
    // In the editor, whatever is on disk.
    editor.open("specs/pay.json", &schema("sum"));
    assert_eq!(rules(&editor.diagnostics(DESK)), ["unknown-field"]);
    editor.replace("specs/pay.json", &schema("amount"));
    assert_eq!(rules(&editor.diagnostics(DESK)), NONE);
    editor.replace("specs/pay.json", "{\"type\": ");
    assert!(!rules(&editor.diagnostics("specs/pay.json")).is_empty());
    editor.close("specs/pay.json");
    assert_eq!(rules(&editor.diagnostics("specs/pay.json")), NONE);
    // On disk.
    std::fs::write(folder.path().join("specs/pay.json"), schema("sum")).unwrap();
    changed(&mut editor, "specs/pay.json", 2);
    assert_eq!(rules(&settled(&mut editor, DESK)), ["unknown-field"]);
    editor.end();
}

#[test]
fn a_file_that_is_moved_or_deleted_leaves_no_finding_behind() {
    let folder = desk("moved");
    let wrong = CONTRACT.replace("args.record_id", "args.recrd_id");
    std::fs::write(folder.path().join(SHOP), &wrong).unwrap();
    let mut editor = Editor::start(&folder);
    editor.open(DESK, SPEC);
    editor.open(SHOP, &wrong);
    assert_eq!(rules(&settled(&mut editor, SHOP)), ["unknown-field"]);
    // Moved: one closes, another opens, and the spec has not heard of it yet.
    std::fs::rename(folder.path().join(SHOP), folder.path().join("contracts/store.yaml")).unwrap();
    editor.close(SHOP);
    editor.open("contracts/store.yaml", &wrong);
    changed(&mut editor, SHOP, 3);
    changed(&mut editor, "contracts/store.yaml", 1);
    assert_eq!(rules(&settled(&mut editor, DESK)), ["missing-file"]);
    assert_eq!(rules(&settled(&mut editor, SHOP)), NONE);
    editor.replace(DESK, &SPEC.replace("shop.yaml", "store.yaml"));
    assert_eq!(rules(&settled(&mut editor, "contracts/store.yaml")), ["unknown-field"]);
    assert_eq!(rules(&settled(&mut editor, DESK)), NONE);
    // The whole folder is gone, of which an editor may say nothing more than that.
    editor.close("contracts/store.yaml");
    std::fs::remove_dir_all(folder.path().join("contracts")).unwrap();
    changed(&mut editor, "contracts", 3);
    assert_eq!(rules(&settled(&mut editor, DESK)), ["missing-file"]);
    assert_eq!(rules(&settled(&mut editor, "contracts/store.yaml")), NONE);
    // The spec itself, closed when its folder is gone.
    std::fs::remove_dir_all(folder.path().join("specs")).unwrap();
    editor.close(DESK);
    assert_eq!(rules(&settled(&mut editor, DESK)), NONE);
    editor.end();
}

#[test]
fn a_configuration_that_changes_judges_what_is_open() {
    let folder = desk("configured");
    let mut editor = Editor::start(&folder);
    editor.open(DESK, &SPEC.replace("  record:", "  spare: args.amount\n  record:"));
    assert_eq!(rules(&editor.diagnostics(DESK)), ["unused-let"]);
    std::fs::write(folder.path().join("flyball.toml"), "[rules]\nunused-let = \"off\"\n").unwrap();
    changed(&mut editor, "flyball.toml", 1);
    assert_eq!(rules(&editor.diagnostics(DESK)), NONE);
    editor.end();
}

#[test]
fn a_comment_that_one_spec_needs_is_not_idle_to_another() {
    let folder = desk("needed");
    let allow = "# flyball: allow unsaid-missing -- no desk pays without a record";
    let shared = CONTRACT.replace("saidByUser(args.record_id)", &format!("args.record_id != 'none'  {allow}"));
    std::fs::write(folder.path().join(SHOP), &shared).unwrap();
    let mut editor = Editor::start(&folder);
    editor.open(DESK, SPEC);
    assert_eq!(rules(&settled(&mut editor, SHOP)), ["unused-suppression"]);
    let needing = SPEC.replace("id: desk", "id: other").replace("      required: [record_id, amount]\n", "");
    editor.open("specs/other.yaml", &needing);
    assert_eq!(rules(&settled(&mut editor, SHOP)), NONE);
    editor.end();
}
