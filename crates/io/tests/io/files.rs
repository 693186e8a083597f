//! What stands in the folder, and what an opener makes of files that others have touched (case A40).

use crate::support::{Scratch, bytes_of, chain_of, record};
use flyball::canon::Digest;
use flyball::ledger::verify::{Anchor, Code};
use flyball::ledger::{Chain, Durability, Record};
use flyball::source::Sources;
use flyball_io::ledger::{LedgerError, LedgerFolder, Roll};
use std::fs;

/// A closed run of three durable records, and the fourth that a crash interrupts.
fn three(scratch: &Scratch) -> (LedgerFolder, Record) {
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let mut writer = folder.create("run").unwrap();
    let mut chain = Chain::genesis("run").unwrap();
    for _ in 0..3 {
        writer.append(&[record(&mut chain, Durability::Sync, 60)], &[]).unwrap();
    }
    (folder, record(&mut chain, Durability::Group, 60))
}

fn torn_tail_is_set_aside(fragment: impl Fn(&[u8]) -> Vec<u8>) {
    let scratch = Scratch::new();
    let (folder, fourth) = three(&scratch);
    let path = scratch.join("run.jsonl");
    let sound = fs::read(&path).unwrap();
    let torn = fragment(fourth.line());
    fs::write(&path, [&*sound, &*torn].concat()).unwrap();

    let (mut writer, mut chain, recovered) = folder.resume("run").unwrap();
    let recovered = recovered.unwrap();
    assert_eq!((recovered.offset, recovered.bytes), (sound.len() as u64, torn.len() as u64));
    assert_eq!(recovered.path, scratch.join(&format!("run.jsonl.torn-{}", sound.len())));
    assert_eq!(fs::read(&recovered.path).unwrap(), torn);
    writer.append(&[record(&mut chain, Durability::Sync, 5)], &[]).unwrap();
    drop(writer);
    let bytes = bytes_of(&scratch.0, "run");
    assert_eq!(chain_of(&bytes, "run").unwrap()[3..], ["log.recovered", "tool.outcome"]);
    let text = String::from_utf8(bytes).unwrap();
    let data = format!("{{\"bytes\":{},\"offset\":{},\"sha256\":\"{}\"}}", torn.len(), sound.len(), Digest::of(&torn));
    assert!(text.contains(&data), "{text}");
    // It is recorded once.
    assert_eq!(folder.resume_checking_all("run").unwrap().2, None);
}

#[test]
fn a40_v1_a_record_without_its_line_feed_is_set_aside_and_not_joined_to() {
    torn_tail_is_set_aside(|line| line[..line.len() - 1].to_vec());
}

#[test]
fn a40_v2_half_a_record_is_set_aside() {
    torn_tail_is_set_aside(|line| line[..40].to_vec());
}

#[test]
fn a_tail_of_zeros_is_set_aside() {
    torn_tail_is_set_aside(|_| vec![0; 700_000]);
}

#[test]
fn a_recovery_that_was_interrupted_is_finished() {
    let scratch = Scratch::new();
    let (folder, _) = three(&scratch);
    let offset = fs::read(scratch.join("run.jsonl")).unwrap().len();
    // The tail was cut, and then the machine stopped.
    fs::write(scratch.join(&format!("run.jsonl.torn-{offset}")), b"half").unwrap();
    // Another tail was torn at the same place, of the record that was to tell of the first.
    fs::write(scratch.join("run.jsonl"), [bytes_of(&scratch.0, "run"), b"{\"bo".to_vec()].concat()).unwrap();
    let (writer, chain, _) = folder.resume("run").unwrap();
    drop(writer);
    assert_eq!(chain.len(), 5);
    assert_eq!(chain_of(&bytes_of(&scratch.0, "run"), "run").unwrap()[3..], ["log.recovered", "log.recovered"]);
    assert_eq!(fs::read(scratch.join(&format!("run.jsonl.torn-{offset}.2"))).unwrap(), b"{\"bo");
}

#[test]
fn a40_v3_a_missing_segment_is_named() {
    let scratch = Scratch::new();
    let folder = segments(&scratch, 3);
    fs::rename(scratch.join("run.000001.jsonl"), scratch.join("away")).unwrap();
    let gone = |path: &str| format!("there is no `{}`", scratch.join(path).display());
    assert_eq!(folder.resume("run").unwrap_err().to_string(), gone("run.000001.jsonl"));
    fs::rename(scratch.join("away"), scratch.join("run.000001.jsonl")).unwrap();
    fs::remove_file(scratch.join("run.jsonl")).unwrap();
    assert_eq!(folder.resume("run").unwrap_err().to_string(), gone("run.jsonl"));
}

#[test]
fn a40_v4_a_run_that_was_cut_back_is_refused() {
    let scratch = Scratch::new();
    let (folder, _) = three(&scratch);
    let path = scratch.join("run.jsonl");
    let sound = fs::read(&path).unwrap();
    let third = sound.split_inclusive(|byte| *byte == b'\n').next_back().unwrap().len();
    for cut in [third, third - 40, 1] {
        fs::write(&path, &sound[..sound.len() - cut]).unwrap();
        assert!(matches!(folder.resume("run"), Err(LedgerError::HeadAhead { head: 2, .. })), "{cut}");
        assert_eq!(fs::read(&path).unwrap().len(), sound.len() - cut, "nothing was changed");
    }
    fs::write(&path, b"").unwrap();
    assert!(matches!(folder.create("run"), Err(LedgerError::HeadAhead { head: 2, .. })));
    fs::write(&path, &sound).unwrap();
    folder.resume("run").unwrap();
}

#[test]
fn a40_v5_a_complete_line_that_is_wrong_is_refused_and_left_as_it_is() {
    let scratch = Scratch::new();
    let (folder, _) = three(&scratch);
    let path = scratch.join("run.jsonl");
    let sound = fs::read(&path).unwrap();
    let edited = |from: &str, to: &str| String::from_utf8(sound.clone()).unwrap().replacen(from, to, 1).into_bytes();
    let garbage = [&*sound, b"\0\0\0\0\n"].concat();
    let cases = [
        (edited("xx", "xy"), 1, "hash_mismatch"),
        (garbage, 4, "bad_json"),
        ([&*sound, b"{\"a\":1}\n"].concat(), 4, "bad_envelope"),
        ([&sound[..], &sound[..sound.len() / 3]].concat(), 4, "seq_gap"),
    ];
    for (bytes, wanted, code) in cases {
        fs::write(&path, &bytes).unwrap();
        let error = folder.resume_checking_all("run").unwrap_err();
        let expected = format!("`{}:{wanted}` is broken: `{code}`", path.display());
        assert_eq!(error.to_string(), expected);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(error.help().is_some());
    }
}

#[test]
fn a_head_that_names_another_record_is_refused() {
    let scratch = Scratch::new();
    let (folder, _) = three(&scratch);
    let wrong = Anchor { seq: 2, hash: Digest::of(b"another"), run: None };
    fs::write(scratch.join("run.head"), wrong.head_line("run")).unwrap();
    assert!(matches!(folder.resume("run"), Err(LedgerError::Broken { line: 3, code: Code::AnchorMismatch, .. })));
    fs::write(scratch.join("run.head"), [b' '; 256]).unwrap();
    assert!(matches!(folder.resume("run"), Err(LedgerError::Unreadable { .. })));
    // Without a head there is nothing to go by but the chain from its beginning.
    fs::remove_file(scratch.join("run.head")).unwrap();
    folder.resume("run").unwrap();
    assert_eq!(folder.head("run").unwrap().unwrap().seq, 2);
}

#[test]
fn the_head_file_is_one_line_of_256_bytes() {
    let scratch = Scratch::new();
    let (folder, _) = three(&scratch);
    let bytes = fs::read(scratch.join("run.head")).unwrap();
    assert_eq!((bytes.len(), bytes.last()), (256, Some(&b'\n')));
    let text = String::from_utf8(bytes).unwrap();
    let head = folder.head("run").unwrap().unwrap();
    assert_eq!(text.trim_end(), format!("{{\"hash\":\"{}\",\"run\":\"run\",\"seq\":2}}", head.hash));
}

/// A run of `count` segments, each of three records and a seal but the last.
fn segments(scratch: &Scratch, count: usize) -> LedgerFolder {
    let folder = LedgerFolder::open(&scratch.0).unwrap().with_roll(Roll { bytes: u64::MAX, records: 3 });
    let mut writer = folder.create("run").unwrap();
    let mut chain = Chain::genesis("run").unwrap();
    for number in 0..count * 3 {
        let sealed = writer.rotate_if_due(&mut chain).unwrap();
        assert_eq!(sealed, number > 0 && number % 3 == 0);
        writer.append(&[record(&mut chain, Durability::Group, 20)], &[]).unwrap();
    }
    folder
}

#[test]
fn segments_carry_one_chain_on() {
    let scratch = Scratch::new();
    let folder = segments(&scratch, 3);
    let names: Vec<_> =
        folder.segments("run").unwrap().iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["run.jsonl", "run.000001.jsonl", "run.000002.jsonl"]);
    let kinds = chain_of(&bytes_of(&scratch.0, "run"), "run").unwrap();
    assert_eq!((kinds.len(), &*kinds[3], &*kinds[7]), (11, "segment.seal", "segment.seal"));
    let first = fs::read_to_string(scratch.join("run.jsonl")).unwrap();
    assert!(first.lines().last().unwrap().contains("\"data\":{\"count\":4},\"kind\":\"segment.seal\""));

    // An opener goes on where the writer stopped: within a segment, and behind a seal.
    let (mut writer, mut chain, _) = folder.resume_checking_all("run").unwrap();
    assert!(writer.rotate_if_due(&mut chain).unwrap());
    drop(writer);
    let (mut writer, mut chain, _) = folder.resume("run").unwrap();
    assert!(!writer.rotate_if_due(&mut chain).unwrap());
    writer.append(&[record(&mut chain, Durability::Sync, 20)], &[]).unwrap();
    drop(writer);
    assert_eq!(folder.segments("run").unwrap().len(), 4);
    assert_eq!(chain_of(&bytes_of(&scratch.0, "run"), "run").unwrap().len(), 13);
    assert_eq!(folder.resume("run").unwrap().1, chain);
}

#[test]
fn damage_in_a_sealed_segment_is_found_when_everything_is_checked() {
    let scratch = Scratch::new();
    let folder = segments(&scratch, 3);
    let path = scratch.join("run.000001.jsonl");
    let text = fs::read_to_string(&path).unwrap().replacen("xx", "xy", 1);
    fs::write(&path, text).unwrap();
    folder.resume("run").unwrap();
    let error = folder.resume_checking_all("run").unwrap_err();
    assert!(matches!(error, LedgerError::Broken { line: 1, code: Code::HashMismatch, .. }), "{error}");
}

#[test]
fn a_long_run_is_opened_at_its_end() {
    let scratch = Scratch::new();
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let mut writer = folder.create("run").unwrap();
    let mut chain = Chain::genesis("run").unwrap();
    let records: Vec<Record> = (0..63).map(|_| record(&mut chain, Durability::Group, 30_000)).collect();
    writer.append(&records, &[]).unwrap();
    // The head names none of them yet, so that the walk back passes many lines.
    assert_eq!(writer.head(), None);
    writer.sync().unwrap();
    drop(writer);
    let head = fs::read(scratch.join("run.head")).unwrap();
    let (mut writer, mut chain, _) = folder.resume("run").unwrap();
    let more: Vec<Record> = (0..50).map(|_| record(&mut chain, Durability::Group, 60_000)).collect();
    writer.append(&more, &[]).unwrap();
    drop(writer);
    fs::write(scratch.join("run.head"), head).unwrap();
    let (_, resumed, _) = folder.resume("run").unwrap();
    assert_eq!(resumed, chain);
}

#[test]
fn a_run_begins_once() {
    let scratch = Scratch::new();
    let (folder, _) = three(&scratch);
    assert!(matches!(folder.create("run"), Err(LedgerError::Exists(_))));
    assert!(matches!(folder.create("a/b"), Err(LedgerError::BadRun(_))));
    assert!(matches!(folder.resume("other"), Err(LedgerError::Missing(_))));
    // Made, and stopped before the first record, or in it.
    fs::write(scratch.join("new.jsonl"), b"").unwrap();
    drop(folder.create("new").unwrap());
    fs::write(scratch.join("new.jsonl"), b"{\"body\":{").unwrap();
    drop(folder.create("new").unwrap());
    assert_eq!(fs::read(scratch.join("new.jsonl.torn-0")).unwrap(), b"{\"body\":{");
    let (_, chain, recovered) = folder.resume("new").unwrap();
    assert_eq!((chain.len(), recovered.map(|torn| torn.offset)), (0, Some(0)));
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_what_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    let folder = segments(&scratch, 2);
    folder.keep_policy(Digest::ZERO, &Sources::new("specs/a.yaml", "x")).unwrap();
    let (stored, _) = crate::support::value("e1", b"1");
    let (mut writer, mut chain, _) = folder.resume("run").unwrap();
    writer.append(&[record(&mut chain, Durability::Sync, 1)], &[stored]).unwrap();
    drop(writer);
    fs::write(scratch.join("run.000001.jsonl"), [&*fs::read(scratch.join("run.000001.jsonl")).unwrap(), b"{"].concat())
        .unwrap();
    folder.resume("run").unwrap();
    let mut seen = 0;
    for folder in [scratch.0.clone(), scratch.join("policy")] {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            let wanted = if entry.file_type().unwrap().is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, wanted, "{:?}", entry.path());
            seen += 1;
        }
    }
    assert_eq!(seen, 7, "two segments, values, head, torn, the policy and its folder");
}

#[test]
fn the_sources_of_a_policy_come_back_byte_for_byte() {
    let scratch = Scratch::new();
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let mut sources = Sources::new("specs/b.yaml", "\u{feff}agentspec: 1\r\n");
    sources.insert("contracts/a.yaml", "contract: 1\n");
    let digest = Digest::of(b"policy");
    folder.keep_policy(digest, &sources).unwrap();
    let path = scratch.join(&format!("policy/{digest}.json"));
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        "{\"files\":{\"contracts/a.yaml\":\"contract: 1\\n\",\"specs/b.yaml\":\"\u{feff}agentspec: 1\\r\\n\"},\
         \"root\":\"specs/b.yaml\"}"
    );
    // It is written once.
    folder.keep_policy(digest, &Sources::new("specs/b.yaml", "other")).unwrap();
    let loaded = folder.load_policy(digest).unwrap();
    let files: Vec<_> = loaded.files().map(|file| (file.path(), file.bytes())).collect();
    assert_eq!(
        files,
        [("specs/b.yaml", "\u{feff}agentspec: 1\r\n".as_bytes()), ("contracts/a.yaml", b"contract: 1\n")]
    );
    assert!(matches!(folder.load_policy(Digest::ZERO), Err(LedgerError::Missing(_))));
    fs::write(path, "{}").unwrap();
    assert!(matches!(folder.load_policy(digest), Err(LedgerError::Unreadable { .. })));
}
