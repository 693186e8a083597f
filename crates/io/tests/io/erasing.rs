//! Values are erased: they are gone from every file, and the chain is as sound as before.

use crate::sim::{Fault, Plan, SimDisk};
use crate::support::{Scratch, bytes_of, chain_of, record_of, value};
use flyball::ledger::{Chain, Durability};
use flyball_io::ledger::{LedgerError, LedgerFolder};
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// A run of four records: the first three each name a value; the last quotes the first's reference in foreign data.
fn run(folder: &LedgerFolder) -> Vec<String> {
    let mut writer = folder.create("run").unwrap();
    let mut chain = Chain::genesis("run").unwrap();
    let mut references = Vec::new();
    for number in 0..3 {
        let (stored, data) = value(&format!("e{number}"), format!("{{\"card\":\"4000-{number}\"}}").as_bytes());
        references.push(stored.reference.to_string());
        writer.append(&[record_of(&mut chain, Durability::Sync, &data)], &[stored]).unwrap();
    }
    let quoted = format!("{{\"result\":{{\"value\":{{\"n\":1,\"ref\":\"{}\"}}}}}}", references[0]);
    writer.append(&[record_of(&mut chain, Durability::Sync, quoted.as_bytes())], &[]).unwrap();
    references
}

#[test]
fn an_erased_value_is_in_no_file_and_the_erasure_is_in_the_chain() {
    let scratch = Scratch::new();
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let references = run(&folder);
    let erased = folder.erase("run", 1).unwrap();
    assert_eq!((erased.record, erased.refs[0].to_string()), (Some(4), references[1].clone()));

    let bytes = bytes_of(&scratch.0, "run");
    assert_eq!(chain_of(&bytes, "run").unwrap()[4], "data.erased");
    let data = format!("\"data\":{{\"refs\":[\"{}\"],\"seq\":1}}", references[1]);
    assert!(String::from_utf8(bytes).unwrap().contains(&data));
    for entry in fs::read_dir(&scratch.0).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_dir() || !fs::read_to_string(&path).unwrap().contains("4000-1"), "{path:?}");
    }
    let values = fs::read_to_string(folder.values_path("run")).unwrap();
    assert!(values.contains("4000-0") && values.contains("4000-2"));
    folder.resume_checking_all("run").unwrap();
    // Twice is once, and a record without values, or one that only quotes a reference, erases nothing.
    for seq in [1, 3, 4] {
        assert_eq!(folder.erase("run", seq).unwrap().record, None);
    }
    assert!(fs::read_to_string(folder.values_path("run")).unwrap().contains("4000-0"));
    let missing = folder.erase("run", 9).unwrap_err();
    assert_eq!(missing.to_string(), "`run` has no record 9");
}

#[test]
fn an_erasure_that_fails_at_any_call_can_be_done_again() {
    let dir = Path::new("/ledgers");
    for call in 0.. {
        let disk = SimDisk::new();
        let folder = LedgerFolder::open_on(Arc::new(disk.clone()), dir).unwrap();
        run(&folder);
        disk.plan(Some(Plan { call, fault: Fault::Error, is_lasting: true }));
        let is_done = folder.erase("run", 1).is_ok();
        let has_failed = disk.calls() > call;
        disk.restart();
        let values = || String::from_utf8(disk.contents(&folder.values_path("run")).unwrap()).unwrap();
        assert!(!is_done || !values().contains("4000-1"), "call {call}");
        folder.erase("run", 1).unwrap();
        assert!(!values().contains("4000-1") && values().contains("4000-2"), "call {call}");
        assert!(disk.contents(&dir.join("run.values.jsonl.tmp")).is_none(), "call {call}");
        chain_of(&disk.bytes_of(dir, "run"), "run").unwrap();
        if !has_failed {
            return assert!(call > 30, "{call}");
        }
    }
}

#[test]
fn half_a_value_is_not_kept() {
    let scratch = Scratch::new();
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    run(&folder);
    let path = folder.values_path("run");
    let sound = fs::read(&path).unwrap();
    fs::write(&path, [&*sound, b"{\"ref\":\"12"].concat()).unwrap();
    drop(folder.resume("run").unwrap());
    assert_eq!(fs::read(&path).unwrap(), sound);
    fs::remove_file(&path).unwrap();
    assert!(matches!(folder.erase("run", 0), Ok(erased) if erased.refs.is_empty()));
    assert!(!matches!(folder.resume("run"), Err(LedgerError::Missing(_))));
}
