//! The power goes at a random call, a thousand times: no record that had to be durable is lost.

use crate::sim::{Fault, Plan, SimDisk};
use crate::support::{Dice, chain_of, record, record_of, value};
use flyball::canon::Digest;
use flyball::ledger::{Chain, Durability, Record};
use flyball::source::Sources;
use flyball_io::ledger::{LedgerError, LedgerFolder, Roll};
use std::path::Path;
use std::sync::Arc;

const DIR: &str = "/ledgers";

/// What a host was told before the power went.
#[derive(Debug, Default)]
struct Told {
    lines: Vec<Record>,
    /// Below this number they are durable.
    durable: u64,
    /// The values, with the numbers of the records that name them.
    values: Vec<(u64, Digest)>,
    has_policy: bool,
}

fn open(disk: &SimDisk) -> Result<LedgerFolder, LedgerError> {
    let roll = Roll { bytes: u64::MAX, records: 25 };
    LedgerFolder::open_on(Arc::new(disk.clone()), DIR).map(|folder| folder.with_roll(roll))
}

fn sources() -> Sources {
    Sources::new("specs/a.yaml", "agentspec: 1\n".repeat(100))
}

fn work(disk: &SimDisk, dice: &mut Dice, told: &mut Told) -> Result<(), LedgerError> {
    let folder = open(disk)?;
    folder.keep_policy(Digest::ZERO, &sources())?;
    told.has_policy = true;
    let mut writer = folder.create("run")?;
    let mut chain = Chain::genesis("run").unwrap();
    for number in 0..40 {
        writer.rotate_if_due(&mut chain)?;
        let class = [Durability::Sync, Durability::Group, Durability::Async][usize::try_from(dice.below(3)).unwrap()];
        let mut records = Vec::new();
        let mut stored = Vec::new();
        if dice.one_in(3) {
            let (large, data) = value(&format!("e{number}"), "7".repeat(600).as_bytes());
            records.push(record_of(&mut chain, class, &data));
            stored.push(large);
        }
        for _ in 0..=dice.below(3) {
            let length = usize::try_from(dice.below(900)).unwrap();
            records.push(record(&mut chain, class, length));
        }
        writer.append(&records, &stored)?;
        let first = chain.len() - records.len() as u64;
        told.values.extend(stored.iter().map(|value| (first, value.reference)));
        told.lines.extend(records);
        told.durable = writer.head().map_or(0, |head| head.seq + 1);
        assert!(class != Durability::Sync || told.durable == chain.len());
    }
    Ok(())
}

/// What came of one power loss.
#[derive(Debug, Default)]
struct Outcome {
    /// Durable records, values and policies that are gone.
    lost: usize,
    has_torn_tail: bool,
    /// A line that was never durable is broken, and the run is not opened.
    is_refused: bool,
}

fn lose_power(seed: u64, disk: &SimDisk) -> Outcome {
    let mut dice = Dice(seed);
    let mut told = Told::default();
    disk.plan(Some(Plan { call: dice.below(260), fault: Fault::PowerLoss, is_lasting: true }));
    _ = work(disk, &mut dice, &mut told);
    disk.reboot(&mut dice);

    let folder = open(disk).unwrap();
    let mut outcome = Outcome { lost: lost(disk, &folder, &told), ..Outcome::default() };
    match folder.resume("run") {
        Ok((mut writer, mut chain, recovered)) => {
            outcome.has_torn_tail = recovered.is_some();
            writer.append(&[record(&mut chain, Durability::Sync, 10)], &[]).unwrap();
            drop(writer);
            chain_of(&disk.bytes_of(Path::new(DIR), "run"), "run")
                .unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        Err(LedgerError::Broken { .. }) => outcome.is_refused = true,
        Err(LedgerError::Missing(_)) if told.durable == 0 => {}
        Err(error) if outcome.lost == 0 => panic!("seed {seed}: {error}"),
        Err(_) => {}
    }
    outcome
}

fn lost(disk: &SimDisk, folder: &LedgerFolder, told: &Told) -> usize {
    let bytes = disk.bytes_of(Path::new(DIR), "run");
    let mut found = bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_own(line));
    let durable = told.lines.iter().filter(|record| record.seq() < told.durable);
    let records = durable.filter(|record| found.next() != Some(record.line())).count();
    let stored = String::from_utf8_lossy(&disk.contents(&folder.values_path("run")).unwrap_or_default()).into_owned();
    let durable = told.values.iter().filter(|(seq, _)| *seq < told.durable);
    let values = durable.filter(|(_, value)| !stored.contains(&value.to_string())).count();
    let kept = folder.load_policy(Digest::ZERO).map(|kept| kept.files().map(|file| file.bytes().to_vec()).collect());
    let policies = told.has_policy && kept.ok() != Some(vec![sources().files().next().unwrap().bytes().to_vec()]);
    records + values + usize::from(policies)
}

fn is_own(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    text.contains("\"kind\":\"segment.seal\"") || text.contains("\"kind\":\"log.recovered\"")
}

#[test]
fn no_durable_record_is_lost_with_the_power() {
    let (mut torn, mut refused) = (0, 0);
    for seed in 0..1000 {
        let outcome = lose_power(seed, &SimDisk::new());
        assert_eq!(outcome.lost, 0, "seed {seed}");
        torn += usize::from(outcome.has_torn_tail);
        refused += usize::from(outcome.is_refused);
    }
    println!("power loss: 1000 seeds, 0 durable records lost, {torn} torn tails, {refused} refused behind the head");
    assert!(torn > 5 && refused < 250, "{torn} torn, {refused} refused");
}

#[test]
fn a_disk_whose_syncs_do_nothing_does_lose() {
    let lost = (0..100).filter(|seed| lose_power(*seed, &SimDisk::lying()).lost > 0).count();
    println!("power loss without fdatasync: durable records lost in {lost} of 100 seeds");
    assert!(lost > 50, "{lost}");
}
