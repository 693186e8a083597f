//! `flyball verify`: what it says of whole, damaged and cut ledgers, and that the second verifier says the same.

use crate::support::{Folder, Run, assert_snapshot, flyball_in, repository};
use std::path::PathBuf;
use std::process::Command;

fn good() -> PathBuf {
    repository().join("tests/ledgers/good")
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(good().join(name)).unwrap()
}

/// The lines of a good ledger, line feeds included.
fn lines(name: &str) -> Vec<Vec<u8>> {
    bytes(name).split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

fn verify(name: &str, files: &[(&str, &[u8])]) -> Run {
    let folder = Folder::of(&format!("verify-{name}"), files);
    flyball_in(folder.path(), &["verify", files.first().unwrap().0])
}

#[test]
fn a_whole_ledger_is_intact_by_its_head_file() {
    assert_snapshot("verify-intact", &flyball_in(&good(), &["verify", "small.jsonl"]));
    let folder = flyball_in(&good(), &["verify", ".", "--format", "json"]);
    assert_eq!((folder.code, folder.stdout.lines().count()), (0, 2), "{folder}");
    assert_snapshot("verify-json", &folder);
}

#[test]
fn what_a_replay_writes_is_intact_for_both_verifiers() {
    let folder = Folder::of("verify-replay", &[("readme", b"")]);
    let ledger = folder.path().join("ledger");
    let arguments = ["replay", "specs/refunds.yaml", "specs/refunds.trace.jsonl", "--ledger"];
    let run = flyball_in(&repository(), &[arguments.as_slice(), &[ledger.to_str().unwrap()]].concat());
    assert_eq!(run.code, 0, "{run}");
    let run = flyball_in(&ledger, &["verify", "."]);
    assert!(run.code == 0 && run.stdout.contains("intact"), "{run}");
    let second = Command::new("python3").arg(repository().join("scripts/verify.py")).arg(&ledger).output();
    assert!(second.is_err() || second.is_ok_and(|output| output.status.success()));
}

#[test]
fn a_head_from_the_command_line_is_asked_for() {
    let head = String::from_utf8(bytes("small.head")).unwrap();
    let hash = head.split('"').nth(3).unwrap();
    let ledger = bytes("small.jsonl");
    let folder = Folder::of("verify-head", &[("small.jsonl", &ledger)]);
    let with = |head: &str| flyball_in(folder.path(), &["verify", "small.jsonl", "--head", head]);
    assert_eq!(with(&format!("11:{hash}")).code, 0);
    assert_eq!(with(&format!("10:{hash}")).code, 1);
    let cut = with(&format!("12:{hash}"));
    assert!(cut.code == 1 && cut.stdout.contains("size_less_than_anchor"), "{cut}");
    assert_eq!(with("11").code, 2);
    assert_eq!(flyball_in(folder.path(), &["verify", "small.jsonl"]).code, 3);
}

#[test]
fn a_hash_belongs_to_one_run_and_of_a_folder_one_must_be_named() {
    let (small, whole) = (bytes("small.jsonl"), lines("small.jsonl").len() - 1);
    let folder =
        Folder::of("verify-many", &[("two/a.jsonl", &small), ("two/b.jsonl", &small), ("one/a.jsonl", &small)]);
    let head = format!("{whole}:{}", "0".repeat(64));
    let run = flyball_in(folder.path(), &["verify", "two", "--head", &head]);
    let told = "error: name one run of `two`\n |\n = help: it has `two/a.jsonl`, `two/b.jsonl`\n";
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (2, "", told));
    assert_eq!(flyball_in(folder.path(), &["verify", "one", "--head", &head]).code, 1);
    for command in [&["replay", "two"][..], &["why", "two", "1"]] {
        let run = flyball_in(folder.path(), command);
        assert_eq!((run.code, run.stderr.as_str()), (2, told), "{run}");
    }
    assert_eq!(
        flyball_in(folder.path(), &["replay", "."]).stderr.lines().next(),
        Some("error: there is no ledger in `.`")
    );
}

#[test]
fn of_a_file_that_is_no_ledger_only_the_first_problems_are_shown() {
    let run = verify("text", &[("notes.txt", "one line\n".repeat(500).as_bytes())]);
    assert_eq!(run.code, 1, "{run}");
    assert_eq!(run.stdout.matches("notes.txt:").count(), 21, "the headline and 20 problems: {run}");
    assert!(run.stdout.contains("  and 480 more; `--format json` lists them all\n"), "{run}");
}

#[test]
fn what_is_not_there_cannot_be_judged() {
    let folder = Folder::of("verify-nothing", &[("empty.jsonl", b""), ("none/readme", b"")]);
    let code = |path: &str| flyball_in(folder.path(), &["verify", path]).code;
    assert_eq!((code("gone.jsonl"), code("empty.jsonl"), code("none"), code("nowhere")), (2, 2, 2, 2));
    let run = flyball_in(folder.path(), &["verify", "gone.jsonl"]);
    assert!(run.stdout.contains("unreadable"), "{run}");
}

#[test]
fn a40_v2_a_torn_last_line_is_told_and_is_no_record() {
    let whole = bytes("small.jsonl");
    let torn = [whole.as_slice(), &lines("small.jsonl")[0][..40]].concat();
    let run = verify("torn", &[("small.jsonl", &torn), ("small.head", &bytes("small.head"))]);
    assert_eq!(run.code, 3);
    assert_snapshot("verify-torn", &run);
}

#[test]
fn a40_v3_a_segment_that_is_gone_is_a_gap_with_its_range() {
    let (second, third) = (bytes("rotated.000001.jsonl"), bytes("rotated.000002.jsonl"));
    let folder = Folder::of("verify-gap", &[("rotated.000001.jsonl", &second), ("rotated.000002.jsonl", &third)]);
    let run = flyball_in(folder.path(), &["verify", "rotated.jsonl"]);
    assert_eq!(run.code, 1);
    assert_snapshot("verify-gap", &run);
    let first = bytes("rotated.jsonl");
    let run = verify("middle-gone", &[("rotated.jsonl", &first), ("rotated.000002.jsonl", &third)]);
    assert!(run.code == 1 && run.stdout.contains("records 3 to 5 are missing"), "{run}");
    let run = verify("last-gone", &[("rotated.jsonl", &first), ("rotated.000001.jsonl", &second)]);
    assert_eq!(run.code, 3);
}

#[test]
fn a40_v4_a_ledger_that_was_cut_back_is_told_by_its_head() {
    let mut cut = lines("small.jsonl");
    cut.pop();
    let head = bytes("small.head");
    let run = verify("cut", &[("small.jsonl", &cut.concat()), ("small.head", &head)]);
    assert!(run.code == 1 && run.stdout.contains("size_less_than_anchor"), "{run}");
    assert_eq!(verify("cut-no-head", &[("small.jsonl", &cut.concat())]).code, 3);

    // Cut back, and another record written where the last one stood.
    use flyball::ledger::{Chain, Durability, RecordKind, verify::Line};
    let last = Line::read(cut[10].strip_suffix(b"\n").unwrap()).unwrap();
    let mut chain = Chain::after(last.run, last.seq, last.hash).unwrap();
    let other = chain.append(None, RecordKind::RunClose, Durability::Sync, |out| out.extend_from_slice(b"{}"));
    let again = [cut.concat().as_slice(), other.line()].concat();
    let run = verify("cut-again", &[("small.jsonl", &again), ("small.head", &head)]);
    assert!(run.code == 1 && run.stdout.contains("record 11: anchor_mismatch"), "{run}");
}

#[test]
fn a40_v5_a_decision_that_was_changed_is_told_at_its_record() {
    let ledger = String::from_utf8(bytes("small.jsonl")).unwrap();
    let changed = ledger.replacen("\"allow\"", "\"deny!\"", 1);
    assert_ne!(ledger, changed);
    let run = verify("altered", &[("small.jsonl", changed.as_bytes()), ("small.head", &bytes("small.head"))]);
    assert_eq!(run.code, 1);
    assert_snapshot("verify-altered", &run);
}

#[test]
fn an_erased_value_breaks_nothing_and_a_changed_one_is_told() {
    let (ledger, head) = (bytes("small.jsonl"), bytes("small.head"));
    let values = lines("small.values.jsonl");
    let of = |name: &str, values: &[u8]| {
        verify(name, &[("small.jsonl", &ledger), ("small.head", &head), ("small.values.jsonl", values)])
    };
    let erased = of("erased", &values[1..].concat());
    assert_eq!(erased.code, 0);
    assert_snapshot("verify-erased", &erased);
    let changed = String::from_utf8(values.concat()).unwrap().replacen("value 6", "value 7", 1);
    let changed = of("changed", changed.as_bytes());
    assert!(changed.code == 1 && changed.stdout.contains("record 6: value_mismatch"), "{changed}");
}

#[test]
fn the_second_verifier_agrees_and_the_control_does_not() {
    let mut agreement = Command::new("python3");
    agreement.arg(repository().join("scripts/verify-agreement")).arg(env!("CARGO_BIN_EXE_flyball"));
    match agreement.args(["--cases", "600", "--seed", "test"]).output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
            assert!(text.contains("600 ledgers, 0 differences"), "{text}");
        }
        Err(error) => eprintln!("skipped: there is no python3: {error}"),
    }
}
