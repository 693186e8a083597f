//! Each code with the lines that have it, what follows a fault, and that the quick look and the slow one agree.

#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use super::*;
use crate::ledger::{Chain, Durability, RecordKind};
use proptest::prelude::*;

fn lines_of(run: &str, count: usize) -> Vec<Vec<u8>> {
    let mut chain = Chain::genesis(run).unwrap();
    let line = |number: usize| {
        let data = format!(r#"{{"call":"c{number}","args":{{"value":[1.5,"é\n\u0001",null,{{}}]}}}}"#);
        let at = number.is_multiple_of(2).then_some("2031-03-04T09:00:00.000000Z");
        let data = crate::canon::to_vec(&crate::json::parse(data.as_bytes(), &Default::default()).unwrap());
        chain.append(at, RecordKind::ToolOutcome, Durability::Async, |out| out.extend_from_slice(&data)).line
    };
    (0..count).map(line).map(|line| line.strip_suffix(b"\n").unwrap().to_vec()).collect()
}

/// A line around any body, with the hash it needs.
fn enclosed(body: &str) -> Vec<u8> {
    format!("{{\"body\":{body},\"hash\":\"{}\"}}", Digest::of(body.as_bytes())).into_bytes()
}

/// A sound body but for one replacement.
fn with(from: &str, to: &str) -> Vec<u8> {
    let zeros = "0".repeat(64);
    let body = format!(r#"{{"data":{{"a":1,"b":[]}},"kind":"x.y","prev":"{zeros}","run":"r","seq":0,"v":1}}"#);
    assert!(body.contains(from), "{from}");
    enclosed(&body.replacen(from, to, 1))
}

fn code(line: &[u8]) -> Option<Code> {
    let found = Line::read(line).err().map(|(code, _)| code);
    assert_eq!(Verifier::genesis().push_line(line).err().map(|problem| problem.code), found);
    found
}

fn report(lines: &[Vec<u8>]) -> Vec<(u64, Code)> {
    let report = verify_records(Verifier::genesis(), lines);
    report.problems.iter().map(|problem| (problem.record, problem.code)).collect()
}

#[test]
fn a_line_of_the_right_form_is_read() {
    assert_eq!(code(&with("1", "1")), None);
    let line = with(r#"{"data""#, r#"{"at":"2031-03-04T09:00:00.000000Z","data""#);
    let read = Line::read(&line).unwrap();
    assert_eq!((read.at, read.data), (Some("2031-03-04T09:00:00.000000Z"), r#"{"a":1,"b":[]}"#));
    assert_eq!((read.kind, read.run, read.seq, read.prev), ("x.y", "r", 0, Digest::ZERO));
}

#[test]
fn bad_json_is_what_the_grammar_refuses() {
    for line in ["", "\u{feff}{}", "{", "NaN", "\0\0\0", "{}{}"] {
        assert_eq!(code(line.as_bytes()), Some(Code::BadJson), "{line:?}");
    }
    assert_eq!(code(&with("1", "NaN")), Some(Code::BadJson));
    assert_eq!(code(b"\"\xff\""), Some(Code::BadJson));
    let deep = |depth: usize| with("[]", &format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    assert_eq!((code(&deep(125)), code(&deep(126))), (Some(Code::UnserialisablePayload), Some(Code::BadJson)));
    let long = |length: usize| with("[]", &format!("\"{}\"", "x".repeat(length)));
    let room = crate::ledger::MAX_LINE - 1 - long(0).len();
    assert_eq!((code(&long(room)), code(&long(room + 1))), (None, Some(Code::BadJson)));
}

#[test]
fn bad_envelope_is_json_of_another_form() {
    let sound = String::from_utf8(with("1", "1")).unwrap();
    let hash = sound.get(sound.len() - 66..sound.len() - 2).unwrap();
    let changed = [
        "{}".to_owned(),
        format!("{sound}\r"),
        format!(" {sound}"),
        sound.replacen(":{", ": {", 1),
        sound.replacen("},\"hash", "} ,\"hash", 1),
        sound.replacen(",\"hash", ",\"more\":1,\"hash", 1),
        sound.replace(hash, &hash.to_uppercase()),
        sound.replace(hash, hash.get(1..).unwrap()),
        format!("{{\"hash\":\"{hash}\",\"body\":{{}}}}"),
        "{\"body\":{}}".to_owned(),
    ];
    for line in changed {
        assert_eq!(code(line.as_bytes()), Some(Code::BadEnvelope), "{line}");
    }
}

#[test]
fn a_body_that_is_no_object_is_not_an_object() {
    for body in ["[]", "1", "null", "\"{}\"", "true"] {
        assert_eq!(code(&enclosed(body)), Some(Code::NotAnObject), "{body}");
    }
}

#[test]
fn missing_fields_are_members_that_are_not_as_they_must_be() {
    let changes = [
        (r#""seq":0"#, r#""seq":0.0"#),
        (r#""seq":0"#, r#""seq":-0"#),
        (r#""seq":0"#, r#""seq":9007199254740992"#),
        (r#""seq":0"#, r#""seq":"0""#),
        (r#"{"data""#, r#"{"at":null,"data""#),
        (r#"{"data""#, r#"{"at":"2031-03-04T09:00:00Z","data""#),
        (r#"{"a":1,"b":[]}"#, "[]"),
        ("x.y", "X.y"),
        ("x.y", ""),
        (r#""prev":"00"#, r#""prev":"0A"#),
        (r#""prev":"00"#, r#""prev":"0"#),
        (r#""run":"r""#, r#""run":"r r""#),
        (r#""run":"r","#, ""),
        (r#""run":"r","#, r#""run":"r","run":"r","#),
        (r#""v":1"#, r#""v":1.0"#),
        (r#""v":1"#, r#""v":"1""#),
        (r#""v":1"#, r#""v":1,"v":1"#),
        (r#""v":1"#, r#""v":1,"w":1"#),
        (r#","v":1"#, ""),
    ];
    for (from, to) in changes {
        assert_eq!(code(&with(from, to)), Some(Code::MissingFields), "{from} -> {to}");
    }
    assert_eq!(code(&enclosed("{}")), Some(Code::MissingFields));
}

#[test]
fn another_version_is_not_judged_unless_the_hash_says_it_was_changed() {
    assert_eq!(code(&with(r#""v":1"#, r#""v":2"#)), Some(Code::UnknownVersion));
    assert_eq!(code(&enclosed(r#"{"v":2,"what":"ever"}"#)), Some(Code::UnknownVersion));
    let forged = String::from_utf8(with("1", "1")).unwrap().replace(r#""v":1"#, r#""v":2"#);
    assert_eq!(code(forged.as_bytes()), Some(Code::HashMismatch));
    let report = verify_records(Verifier::genesis(), [with(r#""v":1"#, r#""v":2"#)]);
    assert_eq!(report.verdict(), Verdict::CannotJudge);
}

#[test]
fn a_payload_that_is_not_canonical_is_unserialisable() {
    let values = [
        "1.0",
        "1e2",
        "-0",
        "0.10",
        "1e400",
        "12345678901234567890123456789012345",
        "\"\\ud800\"",
        "\"\\u0041\"",
        "\"\\/\"",
        "\"\\u000a\"",
        "\"\\u001F\"",
        " 1",
        r#"{"b":1,"a":1}"#,
        r#"{"a":1,"a":1}"#,
        r#"{"\u0061":1}"#,
    ];
    for value in values {
        assert_eq!(code(&with("1", value)), Some(Code::UnserialisablePayload), "{value}");
    }
    for value in ["1234567890123456789012345678901234", "-0.5", "\"\\u001f\\n€\"", r#"{"\n":1,"a":1}"#, "null"] {
        assert_eq!(code(&with("1", value)), None, "{value}");
    }
    let deep = |depth: usize| with("[]", &format!("{}{}", "[".repeat(depth), "]".repeat(depth)));
    assert_eq!((code(&deep(78)), code(&deep(79))), (None, Some(Code::UnserialisablePayload)));
    assert_eq!(code(&with(r#""run":"r""#, r#""run":"\u0072""#)), Some(Code::UnserialisablePayload));
}

#[test]
fn a_changed_body_is_told_once_and_what_follows_is_measured_against_what_stands() {
    let mut lines = lines_of("r", 5);
    let at = lines[2].windows(2).position(|pair| pair == b"c2").unwrap();
    lines[2][at] = b'd';
    assert_eq!(report(&lines), [(2, Code::HashMismatch)]);
    lines[2].truncate(40);
    assert_eq!(report(&lines), [(2, Code::BadJson)]);
    lines.remove(2);
    assert_eq!(report(&lines), [(2, Code::SeqGap)]);
}

#[test]
fn a_record_of_another_run_does_not_go_on_from_this_one() {
    let mut lines = lines_of("r", 3);
    lines[1] = lines_of("s", 2)[1].clone();
    assert_eq!(report(&lines), [(1, Code::PrevMismatch), (2, Code::PrevMismatch)]);
    let mut chain = Chain::after("s", 0, Line::read(&lines[0]).unwrap().hash).unwrap();
    let forged = chain.append(None, RecordKind::RunClose, Durability::Sync, |out| out.extend_from_slice(b"{}"));
    let forged = [lines[0].clone(), forged.line().strip_suffix(b"\n").unwrap().to_vec()];
    assert_eq!(report(&forged), [(1, Code::PrevMismatch)]);
}

#[test]
fn an_anchor_shows_a_cut_and_another_history() {
    let lines = lines_of("r", 4);
    let head = Line::read(&lines[3]).unwrap().hash;
    let with_anchor = |seq: u64, run: Option<&str>, lines: &[Vec<u8>]| {
        let anchor = Anchor { seq, hash: head, run: run.map(Into::into) };
        let report = verify_records(Verifier::genesis().with_anchor(anchor), lines);
        (report.verdict(), report.problems.first().map(|problem| (problem.record, problem.code)))
    };
    assert_eq!(with_anchor(3, Some("r"), &lines), (Verdict::Intact, None));
    assert_eq!(with_anchor(3, None, &lines[..3]).1, Some((3, Code::SizeLessThanAnchor)));
    assert_eq!(with_anchor(3, None, &[]).1, Some((0, Code::SizeLessThanAnchor)));
    assert_eq!(with_anchor(2, None, &lines).1, Some((2, Code::AnchorMismatch)));
    assert_eq!(with_anchor(3, Some("s"), &lines).1, Some((0, Code::PrevMismatch)));
}

#[test]
fn the_limit_without_an_anchor_nobody_sees_a_cut_tail() {
    let report = verify_records(Verifier::genesis(), &lines_of("r", 4)[..3]);
    assert_eq!((report.verdict(), report.problems), (Verdict::Unanchored, Vec::new()));
    assert_eq!(verify_records(Verifier::genesis(), [b""; 0]).verdict(), Verdict::CannotJudge);
}

#[test]
fn a_head_file_has_one_form() {
    let anchor = Anchor { seq: 3, hash: Digest::of(b""), run: Some("r".into()) };
    let bytes = anchor.head_line("r");
    assert_eq!(Anchor::from_head_line(&bytes), Ok(anchor.clone()));
    for changed in [&bytes[..255], &[bytes.as_slice(), b"\n"].concat(), b"", &[b'0'; 256]] {
        assert_eq!(Anchor::from_head_line(changed), Err(BadAnchor::HeadLine));
    }
    assert_eq!(Anchor::from_head_line(&anchor.head_line("r r")), Err(BadAnchor::HeadLine));
    for text in ["", "3", "3:", "03:0", &format!("+3:{}", Digest::ZERO), &format!("3:{}0", Digest::ZERO)] {
        assert_eq!(text.parse::<Anchor>(), Err(BadAnchor::Text), "{text}");
    }
}

/// Pieces that a change may put in.
const PIECES: &[&str] = &[
    " ",
    "\r",
    "\0",
    "\u{feff}",
    "\"",
    "\\",
    "\\u0061",
    "\\ud800",
    "\\n",
    "\\/",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "1",
    "-",
    "-0",
    "1e400",
    ".0",
    ".5",
    "e1",
    "null",
    "true",
    "NaN",
    "\"a\":1,",
    "\"a\":1",
    "é",
    "\u{e000}",
    "\u{1f600}",
    "\"ref\":1",
    ",\"v\":1",
    "\"hash\":\"",
];

fn changed(line: &[u8], changes: &[(prop::sample::Index, usize, usize)]) -> Vec<u8> {
    let mut line = line.to_vec();
    for (place, piece, removed) in changes {
        let at = place.index(line.len() + 1);
        let end = (at + removed).min(line.len());
        line.splice(at..end, PIECES.get(*piece).copied().unwrap_or("").bytes());
    }
    line
}

proptest! {
    #[test]
    fn the_quick_look_and_the_slow_one_accept_the_same_lines(
        number in 0_usize..3,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..PIECES.len() + 8, 0_usize..3), 0..4),
    ) {
        let line = changed(&lines_of("r", 3)[number], &changes);
        prop_assert_eq!(scan::line(&line).is_some(), fault::of(&line).is_none(), "{}", String::from_utf8_lossy(&line));
    }

    #[test]
    fn canonical_is_what_the_writer_would_write(
        text in r#"\{("a":|"b":|"\\n":|"é":|"":|1|0|-|\.5|\.50|e1|,|\{|\}|\[|\]|"x"|"\\u0001"|"\\u0041"|null| ){0,12}\}"#,
    ) {
        let limits = crate::json::Limits { depth: BODY_DEPTH, ..Default::default() };
        let written = crate::json::parse(text.as_bytes(), &limits).map(|value| crate::canon::to_text(&value));
        prop_assert_eq!(scan::is_canonical_object(&text), written.as_deref() == Ok(&text));
    }

    #[test]
    fn values_as_the_writer_writes_them_are_canonical(value in crate::value::tests::values()) {
        let text = format!("{{\"value\":{}}}", crate::canon::to_text(&value));
        prop_assert!(scan::is_canonical_object(&text), "{}", text);
    }

    #[test]
    fn a_verification_goes_on_from_its_state(cut in 0_usize..6, changes in proptest::collection::vec((any::<prop::sample::Index>(), 0..PIECES.len(), 0_usize..2), 0..3)) {
        let mut lines = lines_of("r", 6);
        for (place, piece, removed) in &changes {
            let at = place.index(lines.len());
            lines[at] = changed(&lines[at], &[(*place, *piece, *removed)]);
        }
        let anchor = Anchor { seq: 5, hash: Line::read(&lines_of("r", 6)[5]).unwrap().hash, run: Some("r".into()) };
        let whole = verify_records(Verifier::genesis().with_anchor(anchor.clone()), &lines);
        let mut first = Verifier::genesis().with_anchor(anchor);
        let mut problems: Vec<Problem> = lines[..cut].iter().filter_map(|line| first.push_line(line).err()).collect();
        let rest = verify_records(Verifier::from_line(&first.to_line()).unwrap(), &lines[cut..]);
        problems.extend(rest.problems.iter().cloned());
        prop_assert_eq!(Report { problems, ..rest }, whole);
    }
}

#[test]
fn a_state_that_was_changed_is_refused() {
    let mut verifier = Verifier::after("r", 6, Digest::of(b"x"));
    verifier.push_line(b"no").unwrap_err();
    let line = String::from_utf8(verifier.to_line()).unwrap();
    assert_eq!(Verifier::from_line(line.as_bytes()), Ok(verifier));
    for (from, to) in [("\"v\":1", "\"v\":2"), ("\"next\":8,", ""), ("\"v\":1", "\"v\":1,\"x\":1"), (":8", ": 8")] {
        assert!(line.contains(from), "{line}");
        assert!(Verifier::from_line(line.replacen(from, to, 1).as_bytes()).is_err(), "{from}");
    }
}
