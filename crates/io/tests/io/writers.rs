//! Several writers of one run: one chain, or a clean refusal.

use crate::support::{Scratch, acknowledged, again, bytes_of, chain_of, record};
use flyball::ledger::{Chain, Durability, MAX_LINE};
use flyball_io::ledger::{Disk, DiskFile, LedgerError, LedgerFolder, Mode, RealDisk};
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

/// Not a test of its own: what each of several processes does.
#[test]
fn child() {
    let Ok(dir) = std::env::var("FLYBALL_WRITERS_DIR") else { return };
    let folder = LedgerFolder::open(dir).unwrap();
    for _ in 0..25 {
        println!("ack {}", append_one(&folder));
    }
}

/// Appends one record as soon as nobody else has the run; its number.
fn append_one(folder: &LedgerFolder) -> u64 {
    loop {
        match folder.resume("run") {
            Ok((mut writer, mut chain, _)) => {
                let record = record(&mut chain, Durability::Sync, 30);
                writer.append(std::slice::from_ref(&record), &[]).unwrap();
                return record.seq();
            }
            Err(LedgerError::Busy(_)) => std::thread::yield_now(),
            Err(error) => panic!("{error}"),
        }
    }
}

fn begun(scratch: &Scratch) -> LedgerFolder {
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let mut writer = folder.create("run").unwrap();
    let mut chain = Chain::genesis("run").unwrap();
    writer.append(&[record(&mut chain, Durability::Sync, 30)], &[]).unwrap();
    folder
}

#[test]
fn four_processes_write_one_chain() {
    let scratch = Scratch::new();
    begun(&scratch);
    let variables = [("FLYBALL_WRITERS_DIR", scratch.0.to_str().unwrap())];
    let children: Vec<_> = (0..4).map(|_| again("writers::child", &variables).spawn().unwrap()).collect();
    let mut numbers = BTreeSet::new();
    for mut child in children {
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        assert!(child.wait().unwrap().success());
        numbers.extend(acknowledged(&output));
    }
    assert_eq!(numbers, (1..=100).collect());
    assert_eq!(chain_of(&bytes_of(&scratch.0, "run"), "run").unwrap().len(), 101);
}

#[test]
fn eight_threads_write_one_chain() {
    let scratch = Scratch::new();
    let folder = begun(&scratch);
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let folder = folder.clone();
            std::thread::spawn(move || (0..100).map(|_| append_one(&folder)).collect::<Vec<u64>>())
        })
        .collect();
    let numbers: BTreeSet<u64> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert_eq!(numbers, (1..=800).collect());
    assert_eq!(chain_of(&bytes_of(&scratch.0, "run"), "run").unwrap().len(), 801);
}

#[test]
fn a_second_writer_is_told_that_the_run_is_busy() {
    let scratch = Scratch::new();
    let folder = begun(&scratch);
    let (writer, _, _) = folder.resume("run").unwrap();
    assert!(matches!(folder.resume("run"), Err(LedgerError::Busy(_))));
    assert!(matches!(folder.create("run"), Err(LedgerError::Busy(_))));
    assert!(matches!(folder.erase("run", 0), Err(LedgerError::Busy(_))));
    drop(writer);
    folder.resume("run").unwrap();
}

/// The control: a disk whose lock holds nobody off.
#[derive(Debug)]
struct Unlocked(RealDisk);

#[derive(Debug)]
struct UnlockedFile(Box<dyn DiskFile>);

#[test]
fn without_the_lock_the_chain_forks() {
    let scratch = Scratch::new();
    begun(&scratch);
    let folder = LedgerFolder::open_on(Arc::new(Unlocked(RealDisk)), &scratch.0).unwrap();
    let (mut one, mut one_chain, _) = folder.resume("run").unwrap();
    let (mut two, mut two_chain, _) = folder.resume("run").unwrap();
    one.append(&[record(&mut one_chain, Durability::Sync, 1)], &[]).unwrap();
    two.append(&[record(&mut two_chain, Durability::Sync, 2)], &[]).unwrap();
    assert_eq!(chain_of(&bytes_of(&scratch.0, "run"), "run"), Err("record 2: fork, gap or stranger".into()));
    drop((one, two));
    let refused = LedgerFolder::open(&scratch.0).unwrap().resume_checking_all("run").unwrap_err();
    assert!(matches!(refused, LedgerError::Broken { .. }), "{refused}");
}

#[test]
fn records_of_another_chain_are_not_taken() {
    let scratch = Scratch::new();
    let folder = begun(&scratch);
    let (mut writer, chain, _) = folder.resume("run").unwrap();
    let mut stranger = Chain::genesis("run").unwrap();
    record(&mut stranger, Durability::Sync, 5);
    let forked = record(&mut stranger, Durability::Sync, 5);
    assert!(matches!(writer.append(&[forked], &[]), Err(LedgerError::Fork { seq: 1, .. })));
    let mut ahead = chain.clone();
    let (first, second) = (record(&mut ahead, Durability::Sync, 5), record(&mut ahead, Durability::Sync, 5));
    assert!(matches!(writer.append(&[second.clone(), first.clone()], &[]), Err(LedgerError::Fork { seq: 2, .. })));
    writer.append(&[first, second], &[]).unwrap();
}

impl Disk for Unlocked {
    fn create_folder(&self, path: &Path) -> io::Result<()> {
        self.0.create_folder(path)
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn DiskFile>> {
        self.0.open(path, mode).map(|file| Box::new(UnlockedFile(file)) as Box<dyn DiskFile>)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.0.names(folder)
    }

    fn sync_folder(&self, path: &Path) -> io::Result<()> {
        self.0.sync_folder(path)
    }
}

impl DiskFile for UnlockedFile {
    fn try_lock(&mut self) -> io::Result<bool> {
        Ok(true)
    }

    fn size(&self) -> io::Result<u64> {
        self.0.size()
    }

    fn read_at(&mut self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)
    }

    fn write_at(&mut self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        self.0.write_at(bytes, offset)
    }

    fn sync_data(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.0.truncate(length)
    }
}

#[test]
fn a_line_of_the_most_bytes_is_written_and_one_byte_more_is_refused() {
    let scratch = Scratch::new();
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let (mut writer, mut chain) = (folder.create("run").unwrap(), Chain::genesis("run").unwrap());
    let room = MAX_LINE - record(&mut chain.clone(), Durability::Sync, 0).line().len();
    let over = record(&mut chain.clone(), Durability::Sync, room + 1);
    let refused = writer.append(&[over], &[]);
    assert!(matches!(refused, Err(LedgerError::TooLong { seq: 0 })), "{refused:?}");
    assert!(bytes_of(&scratch.0, "run").is_empty() && !writer.is_poisoned());
    let longest = record(&mut chain, Durability::Sync, room);
    assert_eq!(longest.line().len(), MAX_LINE);
    writer.append(&[longest], &[]).unwrap();
    assert_eq!(bytes_of(&scratch.0, "run").len(), MAX_LINE);
}
