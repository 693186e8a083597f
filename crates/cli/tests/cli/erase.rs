//! `flyball erase`: what it deletes, and what it leaves.

use crate::support::{Folder, flyball_in};
use flyball::ledger::{Chain, Durability, RecordKind, Salt, StoredValue};
use flyball_io::ledger::LedgerFolder;

/// A run of two records; the first names a value.
fn ledger(name: &str) -> (Folder, StoredValue) {
    let place = Folder::of(name, &[]);
    let folder = LedgerFolder::open(place.path()).unwrap();
    let mut chain = Chain::genesis("run-1").unwrap();
    let salt = Salt::derived(b"nonce", "e1", 0);
    let bytes = b"\"4000-1234\"".to_vec();
    let stored = StoredValue { reference: salt.reference(&bytes), salt, bytes };
    let data = format!("{{\"result\":{{\"n\":11,\"ref\":\"{}\"}}}}", stored.reference);
    let records = [data, "{}".to_owned()]
        .map(|data| chain.append(None, RecordKind::ToolOutcome, Durability::Sync, |out| out.extend(data.bytes())));
    folder.create("run-1").unwrap().append(&records, std::slice::from_ref(&stored)).unwrap();
    (place, stored)
}

#[test]
fn the_values_of_a_record_are_erased_and_the_records_stay() {
    let (place, stored) = ledger("erase");
    let before = std::fs::read_to_string(place.path().join("run-1.jsonl")).unwrap();
    let erased = flyball_in(place.path(), &["erase", "run-1.jsonl", "--seq", "0"]);
    assert_eq!((erased.code, &*erased.stdout), (0, "record 0: 1 value erased, as record 2 says\n"), "{erased}");
    assert_eq!(std::fs::read_to_string(place.path().join("run-1.values.jsonl")).unwrap(), "");
    let after = std::fs::read_to_string(place.path().join("run-1.jsonl")).unwrap();
    let added = after.strip_prefix(&before).unwrap();
    assert!(added.contains(&format!("\"data\":{{\"refs\":[\"{}\"],\"seq\":0}}", stored.reference)), "{added}");
    LedgerFolder::open(place.path()).unwrap().resume_checking_all("run-1").unwrap();

    for (seq, wanted) in [("0", 0), ("1", 0)] {
        let nothing = flyball_in(place.path(), &["erase", "run-1.jsonl", "--seq", seq]);
        assert_eq!(nothing.code, wanted);
        assert_eq!(nothing.stdout, format!("record {seq}: it has no value that could be erased\n"));
    }
    assert_eq!(std::fs::read_to_string(place.path().join("run-1.jsonl")).unwrap(), after);
}

#[test]
fn what_cannot_be_erased_is_said() {
    let (place, _) = ledger("erase-not");
    let could_not = |path: &str, seq: &str, reason: &str| {
        let run = flyball_in(place.path(), &["erase", path, "--seq", seq]);
        assert_eq!(run.code, 2, "{run}");
        assert!(run.stderr.contains(reason), "{run}");
    };
    could_not("run-1.jsonl", "9", "`run-1` has no record 9");
    could_not("run-2.jsonl", "0", "`run-2.jsonl` is no ledger");
    let writer = LedgerFolder::open(place.path()).unwrap().resume("run-1").unwrap();
    could_not("run-1.jsonl", "0", "another writer has `./run-1.jsonl`");
    drop(writer);
    assert!(std::fs::read_to_string(place.path().join("run-1.values.jsonl")).unwrap().contains("4000-1234"));
}
