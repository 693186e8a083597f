//! What the reader refuses and accepts, and that it agrees with serde_yaml on everything it accepts.

mod cases;

use proptest::prelude::*;
use serde_yaml::Value;

use self::cases::{ACCEPTED, REFUSED};
use super::*;
use crate::diagnostic::{self, Severity};

fn read_text(text: &str) -> (Option<Node>, Vec<Diagnostic>, Sources) {
    let sources = Sources::new("f", text);
    let mut diagnostics = Vec::new();
    let root = read(FileId(0), &sources, &mut diagnostics);
    diagnostic::sort(&mut diagnostics);
    (root, diagnostics, sources)
}

fn lines(bytes: &[u8]) -> Vec<String> {
    let sources = Sources::new("f", bytes);
    let mut diagnostics = Vec::new();
    read(FileId(0), &sources, &mut diagnostics);
    diagnostic::sort(&mut diagnostics);
    diagnostics.iter().map(|diagnostic| diagnostic.one_line(&sources)).collect()
}

#[test]
fn what_is_refused_says_where_and_what_to_write_instead() {
    for (input, want) in REFUSED {
        assert_eq!(lines(input.as_bytes()), *want, "{input:?}");
    }
}

#[test]
fn every_problem_has_help() {
    for (input, _) in REFUSED {
        let (_, diagnostics, _) = read_text(input);
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()), "{input:?}");
    }
}

#[test]
fn the_harmless_twins_pass_without_a_word() {
    for input in ACCEPTED {
        assert_eq!(lines(input.as_bytes()), [""; 0], "{input:?}");
    }
}

#[test]
fn an_edit_mends_what_it_is_attached_to() {
    for (input, _) in REFUSED {
        let mut text = input.trim_start_matches('\u{feff}').to_owned();
        for _ in 0..12 {
            let (_, diagnostics, _) = read_text(&text);
            let Some(edit) = diagnostics.iter().find_map(|diagnostic| diagnostic.edit.clone()) else { break };
            text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        }
        let (_, diagnostics, _) = read_text(&text);
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.edit.is_none()), "{input:?} became {text:?}");
    }
}

#[test]
fn a_repeated_key_names_both_places_and_the_first_stays() {
    let (root, diagnostics, sources) = read_text("a:\n  b: 1\n  c: 2\n  b: 3\n");
    assert_eq!(diagnostics[0].place(&sources), "f:4:3");
    assert_eq!(sources.file(FileId(0)).unwrap().line_column(diagnostics[0].labels[0].span.start).line, 2);
    assert_eq!(diagnostics[0].labels[0].message, "first set here");
    let map = root.unwrap().get("a").cloned().unwrap();
    assert_eq!(map.get("b").unwrap().data, Data::Number(Number::new("1")));
    assert!(matches!(map.data, Data::Map(entries) if entries.len() == 2));
}

#[test]
fn two_policies_in_one_file_do_not_load() {
    let input = "tools: [read_file]\nguards: [{id: g1, tool: \"*\", deny: \"args.country == no\"}]\ntools: [shell]\n";
    assert_eq!(
        lines(input.as_bytes()),
        ["f:3:1: error: the key `tools` is set twice [duplicate-key]; keep one of them"]
    );
}

#[test]
fn words_that_another_loader_changes_stay_texts_and_are_pointed_out() {
    let input = "mode: off\ndenied: [no, se]\nenabled: \"false\"\nlimits: {start: 12:30, max: 1_000, code: 0123}\n";
    let (root, diagnostics, sources) = read_text(input);
    let root = root.unwrap();
    let limits = root.get("limits").unwrap();
    let texts = [root.get("mode"), root.get("enabled"), limits.get("start"), limits.get("max"), limits.get("code")];
    assert_eq!(texts.map(|node| node.unwrap().text().unwrap()), ["off", "false", "12:30", "1_000", "0123"]);
    assert!(diagnostics.iter().all(|found| found.severity == Severity::Warning && found.rule == "ambiguous-scalar"));
    let places: Vec<_> = diagnostics.iter().map(|found| found.place(&sources)).collect();
    assert_eq!(places, ["f:1:7", "f:2:10", "f:4:17", "f:4:29", "f:4:42"]);
}

#[test]
fn numbers_keep_their_digits_and_lose_only_their_notation() {
    let cases = [
        ("500.00", "500.00"),
        ("+3", "3"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5"),
        ("+5.e2", "5e2"),
        ("1e3", "1e3"),
        ("0x1F", "31"),
        ("0o17", "15"),
        ("-0", "-0"),
        ("12345678901234567890.123456789", "12345678901234567890.123456789"),
    ];
    for (written, want) in cases {
        let (root, _, _) = read_text(&format!("a: {written}\n"));
        assert_eq!(root.unwrap().get("a").unwrap().data, Data::Number(Number::new(want)), "{written}");
        assert!(serde_json::from_str::<serde_json::Number>(want).is_ok(), "{want}");
    }
}

fn rules(bytes: &[u8]) -> Vec<String> {
    lines(bytes).iter().map(|line| line.split(['[', ']']).nth(1).unwrap().to_owned()).collect()
}

#[test]
fn files_too_large_too_deep_or_not_utf8_are_refused_and_their_twins_are_read() {
    assert_eq!(rules(&vec![b'a'; MAX_BYTES + 1]), ["file-too-large"]);
    assert_eq!(rules(&vec![b'a'; MAX_BYTES]), [""; 0]);
    let bad = lines(b"a: b\n\xc3\xa9\xff");
    assert_eq!(bad, ["f:2:2: error: the text is not UTF-8 from here on [not-utf8]; save the file as UTF-8"]);
    for (open, close) in [("[", "]"), ("- ", "")] {
        let nested = |depth: usize| format!("{}a{}\n", open.repeat(depth), close.repeat(depth));
        assert_eq!(rules(nested(32).as_bytes()), [""; 0]);
        for depth in [33, 64, 65, 300] {
            assert_eq!(rules(nested(depth).as_bytes()), ["too-deep"], "{open} {depth}");
        }
    }
}

#[test]
fn a_file_of_nothing_but_problems_is_not_reported_to_the_end() {
    for (open, item, close) in [("[", "!a,", "]"), ("{", "a: b, a: c,", "}"), ("{", "a: b, c,", "}"), ("[", "no,", "]")]
    {
        let (_, diagnostics, _) = read_text(&[open, &item.repeat(20_000), close].concat());
        assert_eq!(diagnostics.len(), traps::MAX_PROBLEMS, "{item}");
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_change_neither_values_nor_columns() {
    let text = "a: b\nc:\n  - d: no\n    é: é é\n  - >-\n    e\n    f\ng: !h\n";
    let (plain, wanted) = (read_text(text).0.unwrap(), lines(text.as_bytes()));
    let crlf = text.replace('\n', "\r\n");
    for other in [crlf.clone(), format!("\u{feff}{text}"), format!("\u{feff}{crlf}")] {
        assert!(same(&plain, &read_text(&other).0.unwrap()), "{other:?}");
        assert_eq!(lines(other.as_bytes()), wanted);
    }
}

#[test]
fn spans_cover_what_was_written() {
    let (root, _, sources) = read_text("a: 'b c'\nd:\n  - e\n  - {f: g}\n\n# end\nh: >-\n  i\n  j\n\n");
    let root = root.unwrap();
    let slice = |key: &str| sources.slice(root.get(key).unwrap().span);
    assert_eq!([slice("a"), slice("d"), slice("h")], ["'b c'", "- e\n  - {f: g}", "i\n  j"]);
    assert_eq!(sources.slice(root.get("a").unwrap().verbatim(&sources).unwrap()), "b c");
    assert_eq!(root.get("h").unwrap().verbatim(&sources), None);
    let Data::Map(entries) = &root.data else { panic!("a map") };
    assert_eq!(entries.iter().map(|entry| sources.slice(entry.key_span)).collect::<String>(), "adh");
}

/// Equal values, wherever and however they are written.
fn same(a: &Node, b: &Node) -> bool {
    match (&a.data, &b.data) {
        (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Data::Map(a), Data::Map(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.key == b.key && same(&a.value, &b.value))
        }
        (a, b) => a == b,
    }
}

/// The same value as serde_yaml has, which keeps numbers as floats unless they look whole.
fn agrees(node: &Node, value: &Value) -> bool {
    match (&node.data, value) {
        (Data::Null, Value::Null) => true,
        (Data::Bool(a), Value::Bool(b)) => a == b,
        (Data::Number(a), Value::Number(b)) => {
            a.as_str() == b.to_string() || a.as_str().parse::<f64>().ok() == b.as_f64()
        }
        (Data::Text(a), Value::String(b)) => **a == **b,
        (Data::List(a), Value::Sequence(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agrees(a, b)),
        (Data::Map(a), Value::Mapping(b)) => {
            let same_entry =
                |(a, (key, b)): (&Entry, (&Value, &Value))| key.as_str() == Some(&a.key) && agrees(&a.value, b);
            a.len() == b.len() && a.iter().zip(b).all(same_entry)
        }
        _ => false,
    }
}

#[test]
fn serde_yaml_reads_the_same_values_from_everything_accepted() {
    for input in ACCEPTED {
        let want: Value = serde_yaml::from_str(input.trim_start_matches('\u{feff}')).unwrap();
        assert!(agrees(&read_text(input).0.unwrap(), &want), "{input:?}");
    }
}

const SPEC: &str = "agentspec: 1
id: refunds
packs: {money: ../guards/money.yaml}
let:
  order: {value: 'world.orders[args.order_id]', missing: 'There is no order {args.order_id}. Ask again.'}
  paid: order.payments.map(p, p.amount).sum()
tools:
  refund:
    description: >-
      Pay money back
      for one order.
    effect: external  # it leaves the system
    destructive: {when: args.amount > 100}
    parameters: {type: object, required: [order_id], properties: {order_id: {type: string, pattern: '^ORD-[0-9]{6}$'}}}
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500.00}}
    - id: disputed
      check: '!order.disputed'
      correction: |
        Order \"{args.order_id}\" is disputed.
        Say so: offer the disputes desk.
";

/// Any YAML that serde_yaml can write.
fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-100_000_i32..100_000).prop_map(|cents| Value::from(f64::from(cents) / 100.0)),
        any_text().prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        let map =
            prop::collection::btree_map(any_text().prop_filter("a merge key", |key| key != "<<"), inner.clone(), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            map.prop_map(|map| Value::Mapping(map.into_iter().map(|(key, value)| (Value::from(key), value)).collect())),
        ]
    })
}

fn any_text() -> impl Strategy<Value = String> {
    const ODD: &[&str] = &[
        "no",
        "012",
        "12:30",
        "2031-03-04",
        "~",
        "",
        " a ",
        "a # b",
        "!a",
        "{a}",
        "a: b",
        "<<",
        "- a",
        "a\n\n b\n",
        "'",
    ];
    prop_oneof![prop::sample::select(ODD).prop_map(str::to_owned), "[ -~é日\n]{0,12}", "\\PC{0,6}"]
        .prop_map(|text| text.replace(['\u{85}', '\u{2028}', '\u{2029}'], ""))
}

/// The spec with pieces replaced by what is awkward in YAML.
fn any_mutation() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "", "!", "&a ", "*", "*a", "{", "}", "[", "]", ": ", " #", "  #", ", ", "'", "\"", "\n", "\n  ", "\t", "\r",
        "- ", "? ", "| ", ">", "<<: ", "é", "---\n", "%", "@", "\\", "\u{feff}", "\u{0}", ".inf", "{{", "~", "\u{85}",
    ];
    let mutation = (0..SPEC.len(), 0..6_usize, prop::sample::select(PIECES));
    prop::collection::vec(mutation, 1..5).prop_map(|mutations| {
        mutations.into_iter().fold(SPEC.to_owned(), |mut text, (at, length, piece)| {
            let start = text.floor_char_boundary(at);
            let end = text.floor_char_boundary(start.saturating_add(length)).max(start);
            text.replace_range(start..end, piece);
            text
        })
    })
}

/// Every place must lie in the file, between characters.
fn check_places(root: Option<&Node>, diagnostics: &[Diagnostic], sources: &Sources) {
    let text = sources.file(FileId(0)).unwrap().text().unwrap();
    let check =
        |span: Span| assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
    for found in diagnostics {
        let edit = found.edit.iter().map(|edit| edit.span);
        found.labels.iter().map(|label| label.span).chain(edit).chain([found.span]).for_each(check);
    }
    let mut nodes: Vec<&Node> = root.into_iter().collect();
    while let Some(node) = nodes.pop() {
        check(node.span);
        match &node.data {
            Data::List(items) => nodes.extend(items),
            Data::Map(entries) => nodes.extend(entries.iter().map(|entry| &entry.value)),
            _ => {}
        }
    }
}

fn check_any(text: &str) {
    let (root, diagnostics, sources) = read_text(text);
    check_places(root.as_ref(), &diagnostics, &sources);
    assert!(root.is_some() || diagnostics.iter().any(Diagnostic::is_error), "no tree and no error: {text:?}");
}

#[test]
fn the_spec_of_the_mutations_is_good() {
    assert_eq!(lines(SPEC.as_bytes()), [""; 0]);
    assert!(agrees(&read_text(SPEC).0.unwrap(), &serde_yaml::from_str(SPEC).unwrap()));
}

proptest! {
    #[test]
    fn no_text_panics_and_a_missing_tree_has_an_error(text in "[ -~\n\té]{0,60}|\\PC{0,60}") {
        check_any(&text);
    }

    #[test]
    fn no_mutation_of_a_spec_panics(text in any_mutation()) {
        check_any(&text);
    }

    #[test]
    fn what_is_accepted_after_a_mutation_is_what_serde_yaml_reads(text in any_mutation()) {
        let (root, diagnostics, _) = read_text(&text);
        if let (Some(root), true, Ok(value)) = (root, diagnostics.is_empty(), serde_yaml::from_str::<Value>(&text)) {
            prop_assert!(agrees(&root, &value), "{:?}", root);
        }
    }

    #[test]
    fn what_serde_yaml_writes_is_read_as_the_same_tree(value in any_value()) {
        let wrapped = Value::Sequence(vec![value]);
        let text = serde_yaml::to_string(&wrapped).unwrap();
        let (root, diagnostics, sources) = read_text(&text);
        let errors: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).map(|d| d.one_line(&sources)).collect();
        prop_assert_eq!(errors, Vec::<String>::new(), "{}", text);
        prop_assert!(agrees(&root.unwrap(), &wrapped), "{}", text);
    }
}
