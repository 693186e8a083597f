//! What is under a cursor, `¦`, in texts that are whole, half-written or wrong.

use super::*;

/// The text without its mark, and where that was.
fn marked(text: &str) -> (String, usize) {
    let place = text.find('¦').unwrap();
    (text.replace('¦', ""), place)
}

/// What is at the mark: place, part and text.
fn at(text: &str) -> String {
    let (text, place) = marked(text);
    let Some(cursor) = Outline::read(&text, Some(place)).at(place) else { return "nothing".to_owned() };
    assert!(text.get(cursor.range.clone()).is_some(), "{text}");
    format!("{} {:?} `{}`", cursor.place(), cursor.part, cursor.text)
}

#[test]
fn the_keys_that_lead_to_a_place_are_found() {
    let rows = [
        ("¦", " Value ``"),
        ("agentspec: 1\n¦", " Key ``"),
        ("agentspec: 1\nto¦", " Key `to`"),
        ("agentspec: 1\n¦\nid: a\n", " Key ``"),
        ("agents¦pec: 1\n", " Key `agentspec`"),
        ("mode: ¦", "mode Value ``"),
        ("mode: ¦\nid: a\n", "mode Value ``"),
        ("mode: ob¦serve\n", "mode Value `observe`"),
        ("mode: 'ob¦serve'\n", "mode Value `observe`"),
        ("mode:¦", "mode Value ``"),
        ("mode: a  # co¦mment\n", "nothing"),
        ("a:\n  ¦\n", "a Value ``"),
        ("a:\n  b¦\n", "a Value `b`"),
        ("a:\n  b¦\n  c: 1\n", "a Key `b`"),
        ("a:\n  c: 1\n  b¦\nd: 1\n", "a Key `b`"),
        ("a:\n  c: 1\n  ¦\nd: 1\n", "a Key ``"),
        ("a:\n  c: 1\n¦\n  d: 1\n", " Key ``"),
        ("a:\n  c: 1\n ¦\nd: 1\n", " Key ``"),
        ("a:\n  c:\n    ¦\n", "a.c Value ``"),
        ("a:\n  - ¦\n", "a[0] Value ``"),
        ("a:\n  - x\n  - ¦\n", "a[1] Value ``"),
        ("a:\n- x\n- ¦y\n", "a[1] Value `y`"),
        ("a:\n  - id: x\n    ki¦\n", "a[0] Key `ki`"),
        ("a:\n  - id: x\n    ¦\n", "a[0] Key ``"),
        ("a:\n  - id: x\n    ¦\n  - id: y\n", "a[0] Key ``"),
        ("a:\n  - id: x\n    kind: ¦\n  - id: y\n", "a[0].kind Value ``"),
        ("a:\n  - id: x\n  - id: ¦y\n", "a[1].id Value `y`"),
        ("a:\n  - id: x\n    with:\n      ar¦g: z\n", "a[0].with Key `arg`"),
        ("a:\n  -\n    id: ¦x\n", "a[0].id Value `x`"),
        ("a: {¦}", "a Key ``"),
        ("a: {b: 1, ¦}", "a Key ``"),
        ("a: {b: 1, ¦", "a Key ``"),
        ("a: {b: ¦}", "a.b Value ``"),
        ("a: {b: ¦\nc: d\n", "a.b Value ``"),
        ("a: {b: x¦, c: d}", "a.b Value `x`"),
        ("a: {b: [x, ¦], c: d}", "a.b[1] Value ``"),
        ("a: {b: [x, y¦", "a.b[1] Value `y`"),
        ("a: [x, {b: ¦y}]", "a[1].b Value `y`"),
        ("- {id: x, wi¦}", "[0] Key `wi`"),
        ("a:\n  - {id: x,\n     kind: ¦y}\nb: 1\n", "a[0].kind Value `y`"),
        ("a: {b: 1\nc: ¦d\n", "c Value `d`"),
        ("a: {b: ¦\nc: d\n", "a.b Value ``"),
        ("a: {b:¦\r\nc: d\n", "a.b Value ``"),
        ("a: {b: ¦\n  c: d}\n", "a.b Value ``"),
        ("a: {b: 1,\n  c:\n    ¦}\n", "a.c Value ``"),
        ("a: {b: x,\n  c:\n    d¦}\n", "a.c Value `d`"),
        ("a: 'open\nc: ¦d\n", "c Value `d`"),
        ("a: {b: 'open, c: d\ne: ¦f\n", "e Value `f`"),
        ("a: >-\n  ¦", "a Value `>-\n  `"),
        ("a: >-\n  x &&\n  ¦\nb: 1\n", "a Value `>-\n  x &&\n  `"),
        ("a: >-\n  x\nb: ¦1\n", "b Value `1`"),
        ("a: |\n  b: 1\n\n  c¦: 2\nd: 1\n", "a Value `|\n  b: 1\n\n  c: 2`"),
        ("a: >-\n  x\n¦\n", " Key ``"),
        ("a: x\n  y¦ z\nb: 1\n", "a Value `x\n  y z`"),
        ("check: ¦ > a\nb: 1\n", "check Value `> a`"),
        ("check: a > ¦\nb: 1\n", "check Value `a > `"),
        ("- {check: a > ¦}\n", "[0].check Value `a > `"),
        ("'*/*': {¦}\n", "*/* Key ``"),
        ("a:\r\n  - id: x\r\n    kind: ¦y\r\n", "a[0].kind Value `y`"),
        ("{\"a\": {\"b\": ¦1}}", "a.b Value `1`"),
        ("{\n \"a\": [\n  {\"b\": \"¦x\"}\n ]\n}\n", "a[0].b Value `x`"),
        ("a: 'it''s ¦x'\n", "a Value `it's x`"),
        ("a: b:c//x.¦y\n", "a Value `b:c//x.y`"),
        ("ä: {ö: ¦ü}\n", "ä.ö Value `ü`"),
    ];
    let wrong = rows.iter().filter(|(text, expected)| at(text) != *expected);
    let wrong: Vec<String> = wrong.map(|(text, _)| format!("{text:?}: {}", at(text))).collect();
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn values_are_found_by_their_keys() {
    let text = "a:\n  b: [x, 'y']\n  c: {d: \"z\"}\ne:\n- f: 1\n- g\n";
    let outline = Outline::read(text, None);
    let texts = |path: &[&str]| -> Vec<String> {
        let items = outline.get(path).map(Node::one_or_many).unwrap_or_default();
        items.iter().filter_map(|item| item.text().map(str::to_owned)).collect()
    };
    assert_eq!(texts(&["a", "b"]), ["x", "y"]);
    assert_eq!(texts(&["a", "c", "d"]), ["z"]);
    assert_eq!(texts(&["e"]), ["g"]);
    assert_eq!(outline.find(&[Step::Key("e".into()), Step::Item(0), Step::Key("f".into())]).unwrap().text(), Some("1"));
}

/// What is at the mark of an expression that is the whole text.
fn word(text: &str) -> String {
    let (text, place) = marked(text);
    let quote = usize::from(text.starts_with('\''));
    match spot(&text, quote..text.len().saturating_sub(quote), place) {
        None => "nothing".to_owned(),
        Some(Spot::Word(word)) => {
            format!("{}|{}{}", word.before.join(" "), word.text, if word.is_call { "(" } else { "" })
        }
        Some(Spot::Text { function, range }) => {
            format!("{}'{}'", function.unwrap_or_default(), text.get(range).unwrap())
        }
    }
}

#[test]
fn the_name_under_the_cursor_is_found_with_what_leads_to_it() {
    let rows = [
        ("¦", "|"),
        ("ar¦gs", "|args"),
        ("args.¦", "args|"),
        ("args.am¦ount <= 5", "args|amount"),
        ("1 < args.lines[0].s¦ku", "args lines []|sku"),
        ("args.?note.¦orValue('')", "args note|orValue("),
        ("world.orders[args.id].st¦", "world orders []|st"),
        ("world.orders[args.¦id].st", "args|id"),
        ("done('¦')", "done''"),
        ("done(['a', 'b¦'], {})", "done'b'"),
        ("last('get', {'id': args.¦})", "args|"),
        ("args.a == 'x¦ y'", "'x y'"),
        ("args.a == 'x' && args.¦", "args|"),
        ("'args.a == ''x¦'' && b'", "'x'"),
        ("'args.a == ''x'' && args.¦b'", "args|b"),
        ("first('a').result.¦", "first('a') result|"),
        ("b && last('a', {'id': args.id})\n  .result.¦", "last('a', {'id': args.id}) result|"),
        ("world.rows.filter(r, r.a)[0].¦b", "world rows filter() []|b"),
        ("args.ids.map(i, i.¦x)", "i|x"),
        ("si¦ze(args.x)", "|size("),
        ("ä == args.¦", "args|"),
    ];
    for (text, expected) in rows {
        assert_eq!(word(text), expected, "{text:?}");
    }
}

#[test]
fn an_expression_in_a_text_stands_between_braces() {
    let inside = |text: &str| {
        let (text, place) = marked(text);
        expression_in_text(&text, 0..text.len(), place).map(|range| text.get(range).unwrap().to_owned())
    };
    assert_eq!(inside("Use {args.¦a} now").as_deref(), Some("args.a"));
    assert_eq!(inside("Use {args.¦").as_deref(), Some("args."));
    assert_eq!(inside("Use {a} n¦ow"), None);
    assert_eq!(inside("Use {{a¦}} now"), None);
}

#[test]
fn a_comment_begins_behind_white_space() {
    let comment = |text: &str| {
        let (text, place) = marked(text);
        comment_at(&text, place).map(|range| text.get(range).unwrap().to_owned())
    };
    assert_eq!(comment("a: b  # say¦ it\nc: d").as_deref(), Some("# say it"));
    assert_eq!(comment("a: ¦b  # say it"), None);
    assert_eq!(comment("a: b#c¦"), None);
}

#[test]
fn no_text_is_too_deep_and_every_place_has_an_answer() {
    for text in ["- ".repeat(100_000), "[".repeat(100_000), "{a: ".repeat(50_000), "{".repeat(9) + &"}".repeat(99)] {
        _ = Outline::read(&text, Some(text.len())).at(text.len());
    }
    let text = "a: {b: 'x, c: [\n  - ä: >-\n\t: : '\"{{}]\n#\n- - {,,:,}\r\n  \"k\": |\n   x\n  y\n: z\n";
    for (place, _) in text.char_indices() {
        let outline = Outline::read(text, Some(place));
        if let Some(cursor) = outline.at(place) {
            assert!(text.get(cursor.range.clone()).is_some());
            _ = spot(text, cursor.range.clone(), place);
            _ = expression_in_text(text, cursor.range, place);
        }
        _ = comment_at(text, place);
        _ = Outline::read(text.get(..place).unwrap(), Some(place)).at(place);
    }
}
