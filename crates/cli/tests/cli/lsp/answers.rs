//! What is answered of a place: completion, documentation, definition. The cursor is the mark `¦`.

use super::editor::{Editor, edited, marked};
use super::{PACK, SPEC, desk};

/// The desk with a part of it replaced; the rest of the text stands as it is.
fn with(old: &str, new: &str) -> String {
    assert!(SPEC.contains(old), "{old}");
    SPEC.replacen(old, new, 1)
}

/// An editor that has the texts open one after another.
fn each(name: &str, path: &str, texts: Vec<String>, mut look: impl FnMut(&mut Editor, &str, usize, usize)) {
    let folder = desk(name);
    let mut editor = Editor::start(&folder);
    editor.open(path, "");
    for (number, text) in texts.iter().enumerate() {
        let (text, place) = marked(text);
        editor.replace(path, &text);
        look(&mut editor, &text, place, number);
    }
    editor.end();
}

#[test]
fn what_may_be_written_is_offered() {
    let rows: &[(&str, &str, &[&str], &[&str])] = &[
        ("id: desk\n", "id: desk\nmo¦\n", &["mode"], &["id", "enforce"]),
        ("id: desk\n", "id: desk\nmode: ¦\n", &["enforce", "observe"], &["mode"]),
        ("id: desk\n", "id: desk\nmode:¦\n", &["enforce"], &[]),
        ("    effect: write\n", "    effect: ¦\n", &["external", "read", "write"], &["amount"]),
        ("    effect: write\n", "    effect: write\n    coerce: ¦\n", &["true", "false"], &[]),
        ("    effect: write\n", "    effect: write\n    ¦\n", &["destructive", "untrusted"], &["effect", "id"]),
        ("    - id: cap\n", "    - id: cap\n      ¦\n", &["action", "missing"], &["check", "effect"]),
        ("    - id: cap\n", "    - id: new\n      ¦\n    - id: cap\n", &["check", "kind"], &["id"]),
        ("    - id: cap\n", "    - ¦\n    - id: cap\n", &["id", "kind"], &["effect"]),
        ("    - id: cap\n", "    - id: new\n      action: ¦\n    - id: cap\n", &["ask", "deny"], &["params.limit"]),
        (
            "    - id: cap\n",
            "    - id: new\n      kind: ¦\n    - id: cap\n",
            &["argRange", "money/cap"],
            &["maxLength"],
        ),
        ("  preTool:\n", "  onReply: [{id: r, kind: ¦}]\n  preTool:\n", &["maxLength"], &["argRange", "money/cap"]),
        (
            "    - id: cap\n",
            "    - id: new\n      kind: argRange\n      with:\n        ¦\n    - id: cap\n",
            &["arg", "max"],
            &["id"],
        ),
        (
            "    - id: cap\n",
            "    - {id: new, kind: argRange, with: {arg: ¦}}\n    - id: cap\n",
            &["amount", "lines"],
            &["arg"],
        ),
        (
            "    - id: cap\n",
            "    - {id: new, kind: argRange, with: {arg: ¦\n    - id: cap\n",
            &["amount", "lines"],
            &["arg"],
        ),
        (
            "    - id: cap\n",
            "    - id: new\n      tools: [look_up]\n      kind: argRange\n      with: {arg: ¦\n      action: ask\n    - id: cap\n",
            &["record_id"],
            &["arg", "amount"],
        ),
        (
            "    - id: cap\n",
            "    - id: new\n      tools: [pay_back]\n      with: {arg: ¦\n      kind: argRange\n    - id: cap\n",
            &["amount"],
            &["arg"],
        ),
        (
            "    - id: cap\n",
            "    - id: new\n      tools: [pay_back]\n      kind: argRange\n      with: {arg: am¦\n    - id: cap\n",
            &["amount"],
            &["arg"],
        ),
        (
            "      kind: money/cap\n      with: {amount: args.amount, max: 400}\n",
            "      kind: argRange\n      with: {arg: ¦",
            &["amount"],
            &["arg"],
        ),
        (
            "      kind: money/cap\n      with: {amount: args.amount, max: 400}\n",
            "      kind: argRange\n      with: {max: 5, arg: ¦\n",
            &["amount"],
            &["arg"],
        ),
        (
            "      kind: money/cap\n      with: {amount: args.amount, max: 400}\n",
            "      kind: argRange\n      with: {arg:¦\n",
            &["amount"],
            &["arg"],
        ),
        (
            "    - id: cap\n",
            "    - {id: new, kind: argRange, with: {arg: amount, max: ¦}}\n    - id: cap\n",
            &["params.limit"],
            &[],
        ),
        ("      with: {amount: args.amount, max: 400}", "      with: {¦}", &["amount", "max"], &["id"]),
        (
            "      with: {amount: args.amount, max: 400}",
            "      with: {amount: ¦",
            &["args", "record", "size"],
            &["max"],
        ),
        ("      tools: [pay_back]\n", "      tools: [¦]\n", &["look_up", "pay_back"], &["id"]),
        ("      tools: [pay_back]\n", "      tools:\n        - ¦\n", &["look_up", "pay_back"], &["id"]),
        ("guards:\n", "flow: [{id: f, from: look_up, to: ¦}]\nguards:\n", &["pay_back"], &[]),
        ("guards:\n", "chains:\n  - after: ¦\nguards:\n", &["pay_back"], &[]),
        ("      check: args.amount", "      check: args.¦", &["amount", "lines", "record_id"], &["args", "params"]),
        (
            "      check: args.amount",
            "      check: ¦",
            &["args", "call", "record", "has", "session"],
            &["result", "sum", "amount"],
        ),
        (
            "      check: args.amount <= params.limit",
            "      check: args.amount <= params.¦",
            &["limit", "codes"],
            &["amount"],
        ),
        ("      check: args.amount <=", "      check: args.lines.¦ <=", &["all", "size"], &["amount", "args"]),
        ("      check: args.amount <=", "      check: args.lines.all(l, l.¦", &["sku"], &["amount"]),
        ("      check: args.amount <=", "      check: args.lines[0].¦", &["sku"], &["amount"]),
        ("      check: args.amount <=", "      forEach: p in args.lines\n      check: p.¦", &["sku"], &["amount"]),
        ("      check: args.amount <=", "      forEach: p in args.¦\n      check: p", &["lines"], &["sku"]),
        (
            "      check: args.amount <=",
            "      check: done('¦') && args.amount <=",
            &["look_up", "pay_back"],
            &["args"],
        ),
        ("      check: args.amount <=", "      check: session.¦", &["user", "roles"], &["amount"]),
        (
            "      correction: Pay back at most {params.limit}.",
            "      correction: Pay {args.¦}",
            &["amount"],
            &["args"],
        ),
        ("      correction: Pay back at most {params.limit}.", "      correction: Pay ¦", &[], &["args", "amount"]),
        ("  preTool:\n", "  onInput:\n    ¦\n  preTool:\n", &["- id"], &["id"]),
        ("contract: ../contracts/shop.yaml", "contract: ¦", &["../contracts/shop.yaml"], &["../guards/money.yaml"]),
        ("{money: ../guards/money.yaml}", "{money: ../¦}", &["../guards/money.yaml"], &["desk.yaml"]),
        ("        amount: {type: number,", "        amount: {type: ¦,", &["integer", "number"], &["type"]),
        (
            "        amount: {type: number,",
            "        amount: {¦ type: number,",
            &["maximum", "multipleOf"],
            &["type", "effect"],
        ),
        ("      required: [record_id, amount]", "      required: [¦]", &["amount", "record_id"], &[]),
        ("        record_id: {$ref: '#/$defs/recordId'}", "        record_id: {$ref: '¦'}", &["#/$defs/recordId"], &[]),
        (
            "let:\n",
            "# flyball: allow ¦ -- reason\nlet:\n",
            &["unused-let", "left-observing"],
            &["let", "unknown-key", "unused-suppression"],
        ),
        ("let:\n", "let:\n  other: args.¦\n", &["amount", "record_id"], &[]),
        ("persona: You are the desk.\n", "persona: You ¦\n", &[], &["args", "mode"]),
    ];
    let texts = rows.iter().map(|(old, new, ..)| with(old, new)).collect();
    let mut wrong = Vec::new();
    each("complete", "specs/desk.yaml", texts, |editor, text, place, number| {
        let (_, new, wanted, unwanted) = rows[number];
        let labels = editor.labels("specs/desk.yaml", text, place);
        let has = |label: &&&str| labels.iter().any(|known| known == **label);
        let (missing, extra): (Vec<_>, Vec<_>) =
            (wanted.iter().filter(|label| !has(label)).collect(), unwanted.iter().filter(has).collect());
        if !missing.is_empty() || !extra.is_empty() {
            wrong.push(format!("{new:?}: not offered {missing:?}, offered {extra:?} of {labels:?}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A desk that reads what earlier calls and the world say.
fn reading(check: &str) -> String {
    let returns = "{type: object, properties: {status: {type: string, description: How far it is.}, lines: {type: array, items: {type: object, properties: {sku: {type: string}}}}}}";
    let lets = "\
world: {schema: world.json}
let:
  order: 'last(''look_up'', {''record_id'': args.record_id}).result'
  earlier: first(['look_up', 'pay_back'])
  unsure: last('look_up').?result.orValue({})
  bought: order.lines
  row: >-
    world.rows.filter(r, r.id == args.record_id)
      [0]
  account: {value: 'world.accounts[args.record_id]', missing: There is none.}
  either: order.open || account.owner
";
    let text = SPEC.replacen("let:\n", lets, 1);
    let text = text.replacen("effect: read\n", &format!("effect: read\n    returns: {returns}\n"), 1);
    text.replacen("args.amount <= params.limit && record.open", check, 1)
}

const WORLD: &str = r##"{
  "type": "object",
  "properties": {
    "accounts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/account"}},
    "rows": {"type": "array", "items": {"type": "object", "properties": {"shelf": {"type": "integer"}}}},
    "days": {"type": "object", "patternProperties": {"^d": {"type": "object", "properties": {"hour": {"type": "string"}}}}}
  },
  "$defs": {"account": {"type": "object", "properties": {"owner": {"type": "string", "description": "Whose it is."}}}}
}"##;

#[test]
fn what_an_earlier_call_and_the_world_lead_to_is_known() {
    let folder = desk("earlier");
    std::fs::write(folder.path().join("specs/world.json"), WORLD).unwrap();
    let mut editor = Editor::start(&folder);
    editor.open("specs/desk.yaml", "");
    let rows: &[(&str, &[&str])] = &[
        ("order.¦", &["lines", "status"]),
        ("order.st¦ == 'open'", &["lines", "status"]),
        ("unsure.¦", &["lines", "status"]),
        ("bought[0].¦", &["sku"]),
        ("bought.all(l, l.¦", &["sku"]),
        ("earlier.¦", &["args", "at", "result", "turn"]),
        ("earlier.args.¦", &["amount", "lines", "record_id"]),
        ("last('look_up').¦", &["args", "at", "result", "turn"]),
        ("last('look_up', {'record_id': args.record_id}).result.¦", &["lines", "status"]),
        ("world.¦", &["accounts", "days", "rows"]),
        ("world.accounts['a'].¦", &["owner"]),
        ("world.days['d1'].¦", &["hour"]),
        ("account.¦", &["owner"]),
        ("row.¦", &["shelf"]),
        ("either.¦", &[]),
        ("count('look_up').¦", &[]),
    ];
    for (check, wanted) in rows {
        let (text, place) = marked(&reading(check));
        editor.replace("specs/desk.yaml", &text);
        let items = editor.at("textDocument/completion", "specs/desk.yaml", &text, place);
        let fields = items.as_array().unwrap().iter().filter(|item| item["kind"] == 5);
        let mut labels: Vec<&str> = fields.map(|item| item["label"].as_str().unwrap()).collect();
        labels.sort_unstable();
        assert_eq!(labels, *wanted, "{check}");
    }
    for (check, wanted) in [
        ("ord¦er.status == ''", "**its type**\n\n```yaml\n{type: object, properties: {status:"),
        ("order.sta¦tus == ''", "How far it is."),
        ("acc¦ount.owner == ''", "Whose it is."),
        ("account.own¦er == ''", "Whose it is."),
        ("last('look_up').result.sta¦tus == ''", "How far it is."),
    ] {
        let (text, place) = marked(&reading(check));
        editor.replace("specs/desk.yaml", &text);
        let hover = editor.at("textDocument/hover", "specs/desk.yaml", &text, place);
        assert!(hover["contents"]["value"].as_str().unwrap_or_default().contains(wanted), "{check}: {hover}");
    }
    let (text, place) = marked(&reading("account.own¦er == ''"));
    editor.replace("specs/desk.yaml", &text);
    let found = editor.at("textDocument/definition", "specs/desk.yaml", &text, place);
    assert!(found[0]["uri"].as_str().unwrap().ends_with("/specs/world.json"), "{found}");
    editor.end();
}

#[test]
fn what_is_offered_is_written_where_it_belongs() {
    let rows = [
        ("id: desk\n", "id: desk\nmo¦\n", "mode", "id: desk\nmode: \n"),
        ("id: desk\n", "id: desk\ncon¦: x\n", "controls", "id: desk\ncontrols: x\n"),
        ("id: desk\n", "id: desk\nmode:¦\n", "observe", "id: desk\nmode: observe\n"),
        ("id: desk\n", "id: desk\nmode: 'ob¦'\n", "observe", "id: desk\nmode: 'observe'\n"),
        ("guards:\n", "bud¦\nguards:\n", "budgets", "budgets:\nguards:\n"),
        ("      check: args.amount <=", "      check: args.am¦ <=", "amount", "      check: args.amount <="),
        ("      check: args.amount <=", "      check: si¦ <=", "size", "      check: size( <="),
        ("      check: args.amount <=", "      check: si¦(args.lines) <=", "size", "      check: size(args.lines) <="),
        (
            "record_id: {$ref: '#/$defs/recordId'}}}",
            "record_id: {$ref: ¦}}}",
            "#/$defs/recordId",
            "record_id: {$ref: '#/$defs/recordId'}}}",
        ),
    ];
    let texts = rows.iter().map(|(old, new, ..)| with(old, new)).collect();
    each("write", "specs/desk.yaml", texts, |editor, text, place, number| {
        let (old, new, label, wanted) = rows[number];
        let items = editor.at("textDocument/completion", "specs/desk.yaml", text, place);
        let item =
            items.as_array().unwrap().iter().find(|item| item["label"] == label).unwrap_or_else(|| panic!("{new:?}"));
        assert_eq!(edited(text, &[item["textEdit"].clone()]), with(old, wanted), "{new:?}");
    });
}

#[test]
fn what_stands_under_the_cursor_is_explained() {
    let rows = [
        ("persona: You", "per¦sona: You", "Who the agent is"),
        ("      kind: money/cap", "      kind: mon¦ey/cap", "check: params.amount <= params.max"),
        ("      kind: money/cap", "      kind: arg¦Range", "## What it checks"),
        ("      kind: money/cap", "      ki¦nd: argRange", "A kind of the catalog"),
        ("      tools: [pay_back]", "      tools: [pay¦_back]", "Pay money back."),
        ("      tools: [pay_back]", "      tools: [pay¦_back]", "* `amount` number, required: In the currency"),
        ("      tools: [pay_back]", "      tools: ['¦*']", "* `look_up`"),
        ("  pay_back:\n", "  pay¦_back:\n", "**pay_back**: write"),
        ("args.amount <=", "args.am¦ount <=", "In the currency of the record."),
        ("args.amount <=", "args.record¦_id <=", "maxLength: 20"),
        ("args.amount <=", "ar¦gs.amount <=", "The arguments as the tool will get them."),
        ("args.amount <=", "si¦ze(args.lines) <=", "elements of a list"),
        ("args.amount <=", "args.lines.si¦ze() <=", "elements of a list"),
        ("args.amount <=", "args.lines[0].sk¦u <=", "maxLength: 9"),
        ("args.amount <=", "done('look¦_up') <=", "Look a record up."),
        ("<= params.limit", "<= params.li¦mit", "500"),
        ("&& record.open", "&& rec¦ord.open", "world.records[args.record_id]"),
        ("most {params.limit}.", "most {params.li¦mit}.", "500"),
        ("effect: write", "effect: wr¦ite", "absent: `external`"),
        ("        amount: {type: number", "        amount: {ty¦pe: number", "`array`"),
        ("max: 400}", "m¦ax: 400}", "type: number"),
        ("let:\n", "# flyball: allow unused¦-let -- reason\nlet:\n", "## Use instead"),
    ];
    let texts = rows.iter().map(|(old, new, _)| with(old, new)).collect();
    let mut wrong = Vec::new();
    each("hover", "specs/desk.yaml", texts, |editor, text, place, number| {
        let (_, new, wanted) = rows[number];
        let hover = editor.at("textDocument/hover", "specs/desk.yaml", text, place);
        if !hover["contents"]["value"].as_str().unwrap_or_default().contains(wanted) {
            wrong.push(format!("{new:?}: {hover}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_way_to_what_a_name_stands_for_is_known() {
    let rows = [
        ("contract: ../contracts", "contract: ../¦contracts", "shop.yaml 0:0"),
        ("packs: {money: ../guards", "packs: {money: ../¦guards", "money.yaml 0:0"),
        ("kind: money/cap", "kind: mon¦ey/cap", "money.yaml 3:2"),
        ("      tools: [pay_back]", "      tools: [pay¦_back]", "desk.yaml 15:2"),
        ("args.amount <=", "done('look¦_up') <=", "desk.yaml 11:2"),
        ("args.amount <=", "args.am¦ount <=", "desk.yaml 23:8"),
        ("<= params.limit", "<= params.li¦mit", "desk.yaml 5:9"),
        ("&& record.open", "&& rec¦ord.open", "desk.yaml 7:2"),
        ("record_id: {$ref: '#/$defs/recordId'}}}", "record_id: {$ref: '#/$de¦fs/recordId'}}}", "desk.yaml 9:2"),
        ("persona: You", "persona: Y¦ou", ""),
    ];
    let texts = rows.iter().map(|(old, new, _)| with(old, new)).collect();
    let mut wrong = Vec::new();
    each("define", "specs/desk.yaml", texts, |editor, text, place, number| {
        let (_, new, wanted) = rows[number];
        let found = editor.at("textDocument/definition", "specs/desk.yaml", text, place);
        let shown = found.get(0).map(|one| {
            let file = one["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{file} {}:{}", one["range"]["start"]["line"], one["range"]["start"]["character"])
        });
        if shown.as_deref().unwrap_or_default() != wanted {
            wrong.push(format!("{new:?}: {found}"));
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_contract_knows_the_tools_of_an_open_spec_and_a_pack_its_own_parameters() {
    let folder = desk("shared");
    let mut editor = Editor::start(&folder);
    editor.open("specs/desk.yaml", SPEC);
    let contract = "contract: 1\nid: shop\nguards:\n  preTool:\n    - {id: a, tools: ¦}\n";
    let (text, place) = marked(contract);
    editor.open("contracts/shop.yaml", &text);
    assert_eq!(editor.labels("contracts/shop.yaml", &text, place), ["look_up", "pay_back"]);
    let (text, place) = marked(&PACK.replace("check: params.amount", "check: params.¦"));
    editor.open("guards/money.yaml", &text);
    let labels = editor.labels("guards/money.yaml", &text, place);
    assert_eq!(labels[..2], ["amount", "max"]);
    let (text, place) = marked(&PACK.replace("check: params.amount", "check: ¦params.amount"));
    editor.replace("guards/money.yaml", &text);
    let labels = editor.labels("guards/money.yaml", &text, place);
    assert!(labels.iter().any(|label| label == "params") && !labels.iter().any(|label| label == "args"), "{labels:?}");
    editor.end();
}

#[test]
fn what_a_base_and_a_file_of_schemas_declare_is_known() {
    let folder = desk("extends");
    let schema = br#"{"type": "object", "properties": {"token": {"type": "string", "maxLength": 8}}}"#;
    std::fs::write(folder.path().join("specs/token.json"), schema).unwrap();
    let mut editor = Editor::start(&folder);
    let text = "agentspec: 1\nid: night-desk\nextends: desk.yaml\ntools:\n  check_in:\n    effect: write\n    parameters: {$ref: token.json}\n\
                guards:\n  preTool:\n    - {id: a, tools: ¦}\n    - {id: b, tools: check_in, check: args.token != ''}\n";
    let (text, place) = marked(text);
    editor.open("specs/night.yaml", &text);
    assert_eq!(editor.labels("specs/night.yaml", &text, place), ["check_in", "look_up", "pay_back"]);
    let token = text.find("token !=").unwrap();
    let found = editor.at("textDocument/definition", "specs/night.yaml", &text, token);
    assert!(found[0]["uri"].as_str().unwrap().ends_with("/specs/token.json"), "{found}");
    let hover = editor.at("textDocument/hover", "specs/night.yaml", &text, token);
    assert!(hover["contents"]["value"].as_str().unwrap().contains("\"maxLength\": 8"), "{hover}");
    editor.end();
}
