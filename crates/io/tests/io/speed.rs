//! What appending durably costs beside the least that the same bytes can cost. Not run by default: it measures a disk.

use crate::support::{Scratch, record};
use flyball::ledger::{Chain, Durability, Record};
use flyball_io::ledger::LedgerFolder;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::{Duration, Instant};

const GROUPS: usize = 100;
const ROUNDS: usize = 21;
const GROUP: usize = 64;

/// The same lines, one write and one fdatasync per group, and nothing else.
fn ideal(groups: &[Vec<Record>], scratch: &Scratch, round: usize) -> Duration {
    let path = scratch.join(&format!("ideal-{round}"));
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    let groups: Vec<Vec<u8>> =
        groups.iter().map(|group| group.iter().flat_map(Record::line).copied().collect()).collect();
    let start = Instant::now();
    for bytes in &groups {
        file.write_all(bytes).unwrap();
        file.sync_data().unwrap();
    }
    start.elapsed()
}

fn ours(groups: &[Vec<Record>], scratch: &Scratch, one_by_one: bool) -> Duration {
    let run = groups[0][0].line();
    let run = String::from_utf8_lossy(run).split("\"run\":\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let folder = LedgerFolder::open(&scratch.0).unwrap();
    let mut writer = folder.create(&run).unwrap();
    let start = Instant::now();
    for group in groups {
        if one_by_one {
            group.iter().for_each(|record| writer.append(std::slice::from_ref(record), &[]).unwrap());
        } else {
            writer.append(group, &[]).unwrap();
        }
    }
    start.elapsed()
}

fn groups(run: &str) -> Vec<Vec<Record>> {
    let mut chain = Chain::genesis(run).unwrap();
    (0..GROUPS).map(|_| (0..GROUP).map(|_| record(&mut chain, Durability::Group, 180)).collect()).collect()
}

#[test]
#[ignore = "measures the disk"]
fn appending_in_groups_is_near_the_ideal() {
    let scratch = Scratch::on_disk();
    let rate = |time: Duration| (GROUPS * GROUP) as f64 / time.as_secs_f64();
    let (mut least, mut grouped, mut single) = (Vec::new(), Vec::new(), Vec::new());
    // In turns, and the best of each: what the neighbours do to the disk hits all alike.
    for round in 0..ROUNDS {
        least.push(ideal(&groups("a"), &scratch, round));
        grouped.push(ours(&groups(&format!("g{round}")), &scratch, false));
        single.push(ours(&groups(&format!("s{round}")), &scratch, true));
    }
    for times in [&mut least, &mut grouped, &mut single] {
        times.sort_unstable();
    }
    for (name, at) in [("best", 0), ("median", ROUNDS / 2)] {
        let [least, grouped, single] = [&least, &grouped, &single].map(|times| rate(times[at]));
        println!(
            "durable records/s, {name} of {ROUNDS}: ideal {least:.0}, groups of {GROUP} {grouped:.0} ({:.2}), \
             one write each {single:.0} ({:.2})",
            grouped / least,
            single / least,
        );
    }
}
