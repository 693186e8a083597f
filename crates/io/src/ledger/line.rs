//! One stored line, checked by itself and against the one before it.
//!
//! The bytes are judged as they are stored; nothing is written again to be compared.

use super::head::Head;
use flyball::canon::Digest;
use flyball::json::{Limits, parse};
use flyball::ledger::{Chain, RecordKind};
use flyball::value::Value;

const BODY: &[u8] = b"{\"body\":";
const HASH: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}";
const HEX: usize = 64;

/// A line whose hash is that of its body.
#[derive(Debug)]
pub(super) struct StoredRecord<'a> {
    pub(super) hash: Digest,
    pub(super) prev: Digest,
    pub(super) run: String,
    pub(super) seq: u64,
    pub(super) is_seal: bool,
    pub(super) body: Value<'a>,
}

/// Reads a line without its line feed; a code of `verify` where it is none.
pub(super) fn read(line: &[u8]) -> Result<StoredRecord<'_>, &'static str> {
    let (bytes, hash) = split(line).ok_or_else(|| malformed(line))?;
    let body = parse(bytes, &Limits::default()).map_err(|_| "bad_json")?;
    if Digest::of(bytes) != hash {
        return Err("hash_mismatch");
    }
    if body.as_object().is_none() {
        return Err("not_an_object");
    }
    record(body, hash).ok_or("missing_fields")
}

fn record(body: Value<'_>, hash: Digest) -> Option<StoredRecord<'_>> {
    let prev = body.get("prev")?.as_str()?.parse().ok()?;
    let run = body.get("run")?.as_str()?.to_owned();
    let seq = u64::try_from(body.get("seq")?.as_number()?.to_i64()?).ok()?;
    let is_seal = body.get("kind")?.as_str()? == RecordKind::SegmentSeal.name();
    Some(StoredRecord { hash, prev, run, seq, is_seal, body })
}

/// The body and the hash of a line.
fn split(line: &[u8]) -> Option<(&[u8], Digest)> {
    let inner = line.strip_prefix(BODY)?.strip_suffix(END)?;
    let (rest, hex) = inner.split_at_checked(inner.len().checked_sub(HEX)?)?;
    let body = rest.strip_suffix(HASH)?;
    Some((body, std::str::from_utf8(hex).ok()?.parse().ok()?))
}

fn malformed(line: &[u8]) -> &'static str {
    if parse(line, &Limits::default()).is_ok() { "bad_envelope" } else { "bad_json" }
}

/// Lines one behind the other, from the beginning of a run or from anywhere in it.
#[derive(Debug)]
pub(super) struct Follow<'r> {
    run: &'r str,
    head: Option<Head>,
    /// Where the chain stands; nowhere yet if it is entered in the middle.
    pub(super) chain: Option<Chain>,
    /// True if the last line was a seal.
    pub(super) sealed: bool,
}

impl<'r> Follow<'r> {
    pub(super) fn new(run: &'r str, chain: Option<Chain>, head: Option<Head>) -> Follow<'r> {
        Follow { run, head, chain, sealed: false }
    }

    /// The next line, without its line feed: its number, or what is wrong with it.
    pub(super) fn line(&mut self, line: &[u8]) -> Result<u64, &'static str> {
        let record = read(line)?;
        if let Some(chain) = &self.chain {
            if record.seq != chain.len() {
                return Err("seq_gap");
            }
            if record.prev != chain.head() {
                return Err("prev_mismatch");
            }
        }
        if record.run != self.run {
            return Err("bad_envelope");
        }
        if self.head.is_some_and(|head| head.seq == record.seq && head.hash != record.hash) {
            return Err("head_mismatch");
        }
        self.chain = Chain::after(self.run, record.seq, record.hash);
        self.sealed = record.is_seal;
        Ok(record.seq)
    }
}
