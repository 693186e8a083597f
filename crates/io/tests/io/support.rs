//! Folders, records, policies, and an own reading of ledgers that shares nothing with the code under test but the hash.

use flyball::canon::Digest;
use flyball::json::{Limits, parse};
use flyball::ledger::{Chain, Durability, Record, RecordKind, Salt, StoredValue};
use flyball::policy::Policy;
use flyball::source::Sources;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed with the value.
#[derive(Debug)]
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// A folder in memory where there is one: a killed process loses the same there, and the disk is spared.
    pub(crate) fn new() -> Scratch {
        let memory = Path::new("/dev/shm");
        Scratch::below(&if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() })
    }

    pub(crate) fn on_disk() -> Scratch {
        Scratch::below(Path::new(env!("CARGO_TARGET_TMPDIR")))
    }

    fn below(above: &Path) -> Scratch {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = above.join(format!("flyball-io-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A spec's policy, and its text as a ledger keeps it.
pub(crate) fn policy(spec: &str) -> (Arc<Policy>, Sources) {
    let sources = Sources::new("desk.yaml", spec);
    let parsed = flyball::spec::parse(&sources);
    let spec = parsed.spec.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    (Arc::new(flyball::policy::compile(&spec).unwrap()), sources)
}

/// Numbers that look random and are the same for a seed.
#[derive(Clone, Debug)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.roll() % most
    }

    pub(crate) fn one_in(&mut self, sides: u64) -> bool {
        self.below(sides) == 0
    }
}

/// Adds a record with a text of this length.
pub(crate) fn record(chain: &mut Chain, durability: Durability, length: usize) -> Record {
    chain.append(None, RecordKind::ToolOutcome, durability, |out| {
        out.extend_from_slice(format!("{{\"text\":\"{}\"}}", "x".repeat(length)).as_bytes());
    })
}

/// A value for the values file, and the `data` of a record that names it.
pub(crate) fn value(event: &str, bytes: &[u8]) -> (StoredValue, Vec<u8>) {
    let salt = Salt::derived(b"nonce", event, 0);
    let stored = StoredValue { reference: salt.reference(bytes), salt, bytes: bytes.to_vec() };
    let data = format!("{{\"result\":{{\"n\":{},\"ref\":\"{}\"}}}}", bytes.len(), stored.reference);
    (stored, data.into_bytes())
}

pub(crate) fn record_of(chain: &mut Chain, durability: Durability, data: &[u8]) -> Record {
    chain.append(None, RecordKind::ToolOutcome, durability, |out| out.extend_from_slice(data))
}

/// The bytes of all segments of a run, one behind the other.
pub(crate) fn bytes_of(folder: &Path, run: &str) -> Vec<u8> {
    let mut bytes = std::fs::read(folder.join(format!("{run}.jsonl"))).unwrap_or_default();
    for number in 1.. {
        match std::fs::read(folder.join(format!("{run}.{number:06}.jsonl"))) {
            Ok(more) => bytes.extend(more),
            Err(_) => break,
        }
    }
    bytes
}

/// The kinds of the records, if every line is whole and they are one chain.
pub(crate) fn chain_of(bytes: &[u8], run: &str) -> Result<Vec<String>, String> {
    let mut prev = "0".repeat(64);
    let mut kinds = Vec::new();
    let Some(lines) = bytes.strip_suffix(b"\n") else {
        return if bytes.is_empty() { Ok(kinds) } else { Err("torn".into()) };
    };
    for (number, line) in lines.split(|byte| *byte == b'\n').enumerate() {
        let text = std::str::from_utf8(line).map_err(|error| error.to_string())?;
        let (body, hash) =
            text.strip_prefix("{\"body\":").and_then(|rest| rest.split_once(",\"hash\":\"")).ok_or(text)?;
        if hash.strip_suffix("\"}") != Some(&Digest::of(body.as_bytes()).to_string()) {
            return Err(format!("record {number}: hash"));
        }
        let body = parse(body.as_bytes(), &Limits::default()).map_err(|error| error.to_string())?;
        let text_of = |key: &str| body.get(key).unwrap().as_str().unwrap().to_owned();
        let seq = body.get("seq").unwrap().as_number().unwrap().to_i64().unwrap();
        if text_of("prev") != prev || text_of("run") != run || seq != i64::try_from(number).unwrap() {
            return Err(format!("record {number}: fork, gap or stranger"));
        }
        kinds.push(text_of("kind"));
        prev = hash.trim_end_matches("\"}").to_owned();
    }
    Ok(kinds)
}

/// Runs this program again as the test `name` with these variables; that test sees them and does a child's work.
pub(crate) fn again(name: &str, variables: &[(&str, &str)]) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    command.envs(variables.iter().copied()).stdout(std::process::Stdio::piped());
    command
}

/// The numbers that a child acknowledged.
pub(crate) fn acknowledged(output: &str) -> Vec<u64> {
    // The test harness begins the first line.
    output.lines().filter_map(|line| line.split_once("ack ")).map(|(_, seq)| seq.parse().unwrap()).collect()
}
