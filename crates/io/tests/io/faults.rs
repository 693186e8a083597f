//! A disk that fails at its n-th call, for every n: what was acknowledged is there, what was refused is not.

use crate::sim::{Fault, Plan, SimDisk};
use crate::support::{chain_of, record, record_of, value};
use flyball::ledger::{Chain, Durability, Record};
use flyball_io::ledger::{LedgerError, LedgerFolder, LedgerWriter, Roll};
use std::path::Path;
use std::sync::Arc;

const DIR: &str = "/ledgers";

fn open(disk: &SimDisk) -> Result<LedgerFolder, LedgerError> {
    let roll = Roll { bytes: u64::MAX, records: 6 };
    LedgerFolder::open_on(Arc::new(disk.clone()), DIR).map(|folder| folder.with_roll(roll))
}

/// The work of a host that keeps its state as the governor does: a record that is refused never was.
fn work(disk: &SimDisk, chain: &mut Chain, kept: &mut Vec<Record>) -> Result<bool, LedgerError> {
    let folder = open(disk)?;
    let mut writer = folder.create("run")?;
    for number in 0..12 {
        let mut ahead = chain.clone();
        _ = rotate(&mut writer, &mut ahead, chain);
        let durability = [Durability::Async, Durability::Group, Durability::Sync][number % 3];
        let (stored, data) = value(&format!("e{number}"), b"{\"secret\":1}");
        let records = [record_of(&mut ahead, durability, &data), record(&mut ahead, Durability::Async, 900)];
        if writer.append(&records, &[stored]).is_ok() {
            *chain = ahead;
            kept.extend(records);
        }
    }
    _ = writer.sync();
    Ok(writer.is_poisoned())
}

fn rotate(writer: &mut LedgerWriter, ahead: &mut Chain, chain: &mut Chain) -> Result<(), LedgerError> {
    writer.rotate_if_due(ahead)?;
    *chain = ahead.clone();
    Ok(())
}

/// The lines that are no seals or recoveries.
fn host_lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let kinds = chain_of(bytes, "run").unwrap();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    lines.zip(kinds).filter(|(_, kind)| kind == "tool.outcome").map(|(line, _)| line.to_vec()).collect()
}

/// Fails one call; true if there was such a call.
fn fail_at(plan: Plan) -> bool {
    let disk = SimDisk::new();
    disk.plan(Some(plan));
    let (mut chain, mut kept) = (Chain::genesis("run").unwrap(), Vec::new());
    let is_poisoned = work(&disk, &mut chain, &mut kept).unwrap_or(false);
    let has_failed = disk.calls() > plan.call;
    disk.restart();

    let folder = open(&disk).unwrap();
    match folder.resume_checking_all("run") {
        Ok((mut writer, mut resumed, _)) => {
            let more = record(&mut resumed, Durability::Sync, 10);
            writer.append(&[more], &[]).unwrap_or_else(|error| panic!("{plan:?}: {error}"));
        }
        Err(LedgerError::Missing(_)) if kept.is_empty() => _ = folder.create("run").unwrap(),
        Err(error) => panic!("{plan:?}: {error}"),
    }
    let mut found = host_lines(&disk.bytes_of(Path::new(DIR), "run"));
    found.pop();
    let wanted: Vec<Vec<u8>> = kept.iter().map(|record| record.line().to_vec()).collect();
    // Where a refused write could not be cut back, what is whole of it stays: at most that one event.
    assert!(found.starts_with(&wanted), "{plan:?}: {} of {}", found.len(), wanted.len());
    assert!(found.len() - wanted.len() <= if is_poisoned { 2 } else { 0 }, "{plan:?}");
    if !is_poisoned {
        let values = disk.contents(&folder.values_path("run")).unwrap_or_default();
        assert_eq!(values.iter().filter(|byte| **byte == b'\n').count() * 2, kept.len(), "{plan:?}");
    }
    assert!(has_failed || kept.len() == 24);
    has_failed
}

#[test]
fn state_and_file_are_equal_whichever_call_fails() {
    for fault in [Fault::Error, Fault::Short] {
        for is_lasting in [false, true] {
            let calls = (0..).take_while(|call| fail_at(Plan { call: *call, fault, is_lasting })).count();
            assert!(calls > 50, "{calls}");
        }
    }
}

#[test]
fn a_failed_sync_is_never_tried_again() {
    let disk = SimDisk::new();
    let folder = open(&disk).unwrap();
    let mut writer = folder.create("run").unwrap();
    let mut chain = Chain::genesis("run").unwrap();
    let first = record(&mut chain, Durability::Async, 10);
    writer.append(&[first], &[]).unwrap();
    disk.plan(Some(Plan { call: 0, fault: Fault::Error, is_lasting: false }));
    let error = writer.sync().unwrap_err();
    assert_eq!(error.to_string(), "`fdatasync` failed on `/ledgers/run.jsonl`: Input/output error (os error 5)");

    let second = record(&mut chain, Durability::Async, 10);
    assert!(matches!(writer.append(&[second], &[]), Err(LedgerError::Poisoned(_))));
    assert!(matches!(writer.sync(), Err(LedgerError::Poisoned(_))));
    drop(writer);
    assert_eq!(disk.calls(), 1, "nothing was asked of the disk after the failed sync");
    // Opened anew, the run goes on from what the disk has.
    let (writer, resumed, _) = folder.resume("run").unwrap();
    assert_eq!((writer.head().map(|head| head.seq), resumed.len()), (Some(0), 1));
}

#[test]
fn a_full_disk_refuses_and_takes_again_once_there_is_room() {
    let disk = SimDisk::new();
    let folder = open(&disk).unwrap();
    let mut writer = folder.create("run").unwrap();
    let chain = Chain::genesis("run").unwrap();
    let mut ahead = chain.clone();
    let first = record(&mut ahead, Durability::Sync, 900);
    disk.plan(Some(Plan { call: 0, fault: Fault::Short, is_lasting: false }));
    assert!(matches!(writer.append(std::slice::from_ref(&first), &[]), Err(LedgerError::Full(_))));
    assert_eq!(disk.contents(Path::new("/ledgers/run.jsonl")).unwrap(), b"", "half a line was cut back");
    assert!(!writer.is_poisoned());

    let mut ahead = chain;
    let again = record(&mut ahead, Durability::Sync, 900);
    writer.append(&[again], &[]).unwrap();
    assert_eq!(chain_of(&disk.bytes_of(Path::new(DIR), "run"), "run").unwrap().len(), 1);
}
