//! kill -9 at random moments: what was acknowledged stays, at most one tail is torn, no line is joined to another.

use crate::support::{Dice, Scratch, acknowledged, again, bytes_of, chain_of, record};
use flyball::ledger::{Chain, Durability};
use flyball_io::ledger::{LedgerError, LedgerFolder, Roll};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;

const CHILD: &str = "kill::child";
const KILLS: u64 = 200;

/// Not a test of its own: what the killed process does.
#[test]
fn child() {
    let Ok(dir) = std::env::var("FLYBALL_KILL_DIR") else { return };
    say("ready");
    match std::env::var("FLYBALL_KILL_BUFFERED") {
        Ok(_) => append_buffered(Path::new(&dir)),
        Err(_) => append(Path::new(&dir)),
    }
}

/// Past the test harness's capture, at once.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}").and_then(|()| out.flush()).unwrap();
}

fn append(dir: &Path) {
    let folder = LedgerFolder::open(dir).unwrap().with_roll(Roll { bytes: u64::MAX, records: 500 });
    let (mut writer, mut chain) = match folder.resume("run") {
        Ok((writer, chain, _)) => (writer, chain),
        Err(LedgerError::Missing(_)) => (folder.create("run").unwrap(), Chain::genesis("run").unwrap()),
        Err(error) => panic!("{error}"),
    };
    let mut dice = Dice(chain.len());
    loop {
        writer.rotate_if_due(&mut chain).unwrap();
        let class = if dice.one_in(8) { Durability::Sync } else { Durability::Group };
        // Long lines are torn more often: a write stops between pages.
        let length = if dice.one_in(20) { 50_000 } else { 300 };
        let records = [record(&mut chain, class, length), record(&mut chain, class, 300)];
        writer.append(&records, &[]).unwrap();
        say(&format!("ack {}", chain.len() - 1));
    }
}

/// The control: acknowledges before the bytes have left the process.
fn append_buffered(dir: &Path) {
    let file = OpenOptions::new().append(true).create(true).open(dir.join("run.jsonl")).unwrap();
    let mut file = BufWriter::with_capacity(64 << 10, file);
    let mut chain = Chain::genesis("run").unwrap();
    loop {
        file.write_all(record(&mut chain, Durability::Group, 300).line()).unwrap();
        say(&format!("ack {}", chain.len() - 1));
    }
}

/// Runs a child and kills it some time after it said a word; the last number it acknowledged.
fn kill_one(dir: &Path, word: &str, after: Duration, more: &[(&str, &str)]) -> Option<u64> {
    let mut variables = vec![("FLYBALL_KILL_DIR", dir.to_str().unwrap())];
    variables.extend(more);
    let mut child = again(CHILD, &variables).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let mut said = String::new();
    while !line.contains(word) {
        line.clear();
        assert!(out.read_line(&mut line).unwrap() > 0, "the child ended");
        said.push_str(&line);
    }
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    out.read_to_string(&mut said).unwrap();
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    acknowledged(whole).pop()
}

#[test]
fn a40_v6_nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let mut dice = Dice(9);
    let (mut records, mut torn) = (0, 0);
    for _ in 0..KILLS / 10 {
        let scratch = Scratch::new();
        let mut last = None;
        for kill in 0..10 {
            // While it opens the run, or while it writes.
            let word = if dice.one_in(4) { "ready" } else { "ack" };
            let after = Duration::from_micros(dice.below(20_000));
            last = kill_one(&scratch.0, word, after, &[]).or(last);
            let bytes = bytes_of(&scratch.0, "run");
            let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            torn += usize::from(whole < bytes.len());
            let kinds = chain_of(&bytes[..whole], "run").unwrap_or_else(|error| panic!("kill {kill}: {error}"));
            let there = kinds.len() as u64;
            assert!(last.is_none_or(|last| last < there), "kill {kill}: acknowledged {last:?}, there are {there}");
        }
        records += last.unwrap_or(0);
        let folder = LedgerFolder::open(&scratch.0).unwrap();
        folder.resume_checking_all("run").unwrap();
    }
    println!("kill -9: {KILLS} kills, at least {records} acknowledged, 0 lost, {torn} torn tails");
    assert!(records > KILLS / 2, "{records}");
}

#[test]
fn a_writer_that_buffers_does_lose() {
    let mut lost = 0;
    for _ in 0..10 {
        let scratch = Scratch::new();
        let last = kill_one(&scratch.0, "ack", Duration::from_millis(8), &[("FLYBALL_KILL_BUFFERED", "1")]);
        let bytes = bytes_of(&scratch.0, "run");
        let there = bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        lost += last.map_or(0, |last| (last + 1).saturating_sub(there));
    }
    println!("kill -9 of a buffering writer: {lost} acknowledged records lost");
    assert!(lost > 0);
}
