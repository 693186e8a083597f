//! Ledgers that were changed, and what the verifier says of them: every change is told, and the first bad record is right.

#![expect(clippy::arithmetic_side_effects, clippy::disallowed_macros, reason = "tests count, and print the counts")]

mod changes;
mod sample;

use crate::disk::{files, stem, text_of};
use flyball::canon::Digest;
use flyball::ledger::verify::{Anchor, Verdict, Verifier, verify_records};
use flyball::ledger::{Salt, verify};
use sample::{Sample, joined};

/// The blocks of JSON in the page that defines the format.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```json\n").skip(1).map(|rest| rest.split("\n```").next().unwrap()).collect()
}

#[test]
fn the_worked_example_of_the_page_is_right_in_every_byte() {
    let page = text_of("docs/ledger-format.md");
    let [body, line, head, value] = blocks(&page)[..] else { panic!("the page has other blocks") };
    let hash = Digest::of(body.as_bytes());
    assert!(page.contains(&format!("SHA-256 of these bytes: `{hash}`")));
    assert_eq!(line, format!("{{\"body\":{body},\"hash\":\"{hash}\"}}"));
    assert!(page.contains(&format!("The line has {} bytes", line.len() + 1)));
    let report = verify_records(Verifier::genesis(), [line]);
    assert_eq!((report.problems, report.head), (Vec::new(), Some((0, hash))));

    let anchor = Anchor { seq: 0, hash, run: Some("01JB8Z6T2V9Q4M7X3N5K1H0RWE".into()) };
    let written = String::from_utf8(anchor.head_line("01JB8Z6T2V9Q4M7X3N5K1H0RWE")).unwrap();
    assert_eq!((written.trim_end(), written.len()), (head, 256));

    let salt = Salt::from_hex("000102030405060708090a0b0c0d0e0f").unwrap();
    let bytes = value.split_once("\"value\":").unwrap().1.strip_suffix('}').unwrap();
    assert_eq!(
        value,
        format!("{{\"ref\":\"{}\",\"salt\":\"{salt}\",\"value\":{bytes}}}", salt.reference(bytes.as_bytes()))
    );
    assert!(page.contains(&format!("{{\"n\":{},\"ref\":REF}}", bytes.len())));

    for (from, to, code) in [
        ("\"seq\":0", "\"seq\":0.0", "missing_fields"),
        ("{\"data\"", "{\"at\":null,\"data\"", "missing_fields"),
        ("\"seq\":0", "\"seq\": 0", "unserialisable_payload"),
    ] {
        let body = body.replace(from, to);
        let line = format!("{{\"body\":{body},\"hash\":\"{}\"}}", Digest::of(body.as_bytes()));
        assert_eq!(verify::Line::read(line.as_bytes()).unwrap_err().0.as_str(), code);
    }
    let upper = line.replace(&hash.to_string(), &hash.to_string().to_uppercase());
    assert_eq!(verify::Line::read(upper.as_bytes()).unwrap_err().0.as_str(), "bad_envelope");
}

#[test]
fn every_code_of_the_page_is_one_of_ours_and_in_our_order() {
    let page = text_of("docs/ledger-format.md");
    let listed = page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` |"));
    let listed: Vec<&str> = listed.map(|(code, _)| code).filter(|code| code.contains('_')).collect();
    let per_line = listed.iter().position(|code| *code == "bad_json").unwrap();
    let want = "bad_json bad_envelope not_an_object unknown_version missing_fields unserialisable_payload hash_mismatch \
                seq_gap prev_mismatch anchor_mismatch cannot_judge";
    assert_eq!(listed[per_line..].join(" "), want);
}

#[test]
fn the_ledgers_on_disk_are_what_the_writer_writes_today() {
    let small = sample::with_values();
    assert_eq!(text_of("tests/ledgers/good/small.jsonl"), joined(&small.lines));
    assert_eq!(text_of("tests/ledgers/good/small.values.jsonl"), joined(&small.values));
    assert_eq!(text_of("tests/ledgers/good/small.head"), String::from_utf8(small.head_line()).unwrap());
    let rotated = Sample::of("run-2", 9);
    let segments = ["rotated.jsonl", "rotated.000001.jsonl", "rotated.000002.jsonl"];
    for (place, name) in segments.into_iter().enumerate() {
        let lines = &rotated.lines[place * 3..place * 3 + 3];
        assert_eq!(text_of(&format!("tests/ledgers/good/{name}")), joined(lines));
    }
    assert_eq!(text_of("tests/ledgers/good/rotated.head"), String::from_utf8(rotated.head_line()).unwrap());
}

#[test]
fn each_bad_ledger_on_disk_has_the_problem_it_is_named_after() {
    let bad = files("tests/ledgers/bad", ".jsonl");
    assert!(bad.len() >= 9, "{bad:?}");
    for path in bad {
        let text = text_of(&path);
        let report = verify_records(Verifier::genesis(), text.lines());
        assert_eq!(report.problems.first().map(|problem| problem.code.as_str()), Some(stem(&path)), "{path}");
    }
}

#[test]
fn the_limit_a_cut_tail_verifies_as_unanchored_and_only_a_head_shows_it() {
    let sample = Sample::of("run-1", 50);
    for kept in 1..50 {
        let lines = &sample.lines[..kept];
        let report = verify_records(Verifier::genesis(), lines);
        assert_eq!((report.verdict(), report.problems.len()), (Verdict::Unanchored, 0), "{kept} records kept");
        let report = verify_records(Verifier::genesis().with_anchor(sample.anchor()), lines);
        let first = &report.problems[0];
        assert_eq!((report.verdict(), first.code.as_str()), (Verdict::Broken, "size_less_than_anchor"));
        assert_eq!(first.record, u64::try_from(kept).unwrap());
    }
    println!("tail cuts: 49, told without a head: 0, with one: 49");
}
