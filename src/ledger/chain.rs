//! The chain of one run: every record carries the hash of the one before.

use super::record::{Durability, Record, RecordKind};
use crate::canon::{Digest, ObjectWriter};
use crate::decimal::Decimal;
use std::sync::Arc;

/// Where a chain stands: the number of the next record, and the hash it will carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    run: Arc<str>,
    next: u64,
    prev: Digest,
}

const BODY: &[u8] = b"{\"body\":";
const HASH: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}\n";

impl Chain {
    /// The beginning of a run's chain. A run is named with 1 to 64 of `0-9A-Za-z_-`; other names give `None`.
    #[must_use]
    pub fn genesis(run: &str) -> Option<Chain> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let named = (1..=64).contains(&run.len()) && run.bytes().all(fits);
        named.then(|| Chain { run: run.into(), next: 0, prev: Digest::ZERO })
    }

    /// A chain that goes on behind the record `seq` of this hash.
    #[must_use]
    pub fn after(run: &str, seq: u64, hash: Digest) -> Option<Chain> {
        Chain::genesis(run).map(|chain| Chain { next: seq.saturating_add(1), prev: hash, ..chain })
    }

    /// The run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// How many records it has.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.next
    }

    /// True before the first record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }

    /// The hash of the last record; 64 zeros before the first.
    #[must_use]
    pub fn head(&self) -> Digest {
        self.prev
    }

    /// Adds a record; `data` writes the canonical bytes of its data.
    ///
    /// ```
    /// use flyball::ledger::{Chain, Durability, RecordKind};
    ///
    /// let mut chain = Chain::genesis("run-1").unwrap();
    /// let record = chain.append(None, RecordKind::TurnOpen, Durability::Group, |out| out.extend_from_slice(b"{}"));
    /// assert!(record.line().starts_with(br#"{"body":{"data":{},"kind":"turn.open","prev":"0000"#));
    /// assert_eq!(chain.head(), record.hash());
    /// ```
    pub fn append(
        &mut self,
        at: Option<&str>,
        kind: RecordKind,
        durability: Durability,
        data: impl FnOnce(&mut Vec<u8>),
    ) -> Record {
        let mut line = Vec::with_capacity(1024);
        line.extend_from_slice(BODY);
        let mut body = ObjectWriter::new(&mut line);
        body.optional("at", at, crate::canon::write_string).field("data", data).string("kind", kind.name());
        body.field("prev", |out| self.prev.write_json(out)).string("run", &self.run);
        body.number("seq", Decimal::from(self.next)).number("v", 1);
        body.finish();
        let hash = Digest::of(line.get(BODY.len()..).unwrap_or_default());
        line.extend_from_slice(HASH);
        line.extend_from_slice(&hash.to_hex());
        line.extend_from_slice(END);
        let record = Record { kind, seq: self.next, hash, line, durability };
        self.next = self.next.saturating_add(1);
        self.prev = hash;
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vector_v1_is_reproduced_byte_for_byte() {
        let mut chain = Chain::genesis("01JB8Z6T2V9Q4M7X3N5K1H0RWE").unwrap();
        let record = chain.append(None, RecordKind::RunOpen, Durability::Sync, |out| {
            let mut data = ObjectWriter::new(out);
            data.string("alg", "sha-256").string("nonce", "000102030405060708090a0b0c0d0e0f");
            data.string("spec", &"0".repeat(64));
            data.finish();
        });
        assert_eq!(record.line().len(), 368);
        assert_eq!(record.hash().to_string(), "61fd29170a3fece4173098ceb9367bccc1e03c52e38748a89e6ef64a2afa4b08");
    }

    #[test]
    fn each_record_carries_the_hash_of_the_one_before() {
        let mut chain = Chain::genesis("r").unwrap();
        let empty = |out: &mut Vec<u8>| out.extend_from_slice(b"{}");
        let first = chain.append(None, RecordKind::TurnOpen, Durability::Async, empty);
        let second = chain.append(Some("2031-03-04T09:00:00.000000Z"), RecordKind::TurnClose, Durability::Async, empty);
        let text = String::from_utf8(second.line().to_vec()).unwrap();
        assert!(text.contains(&format!("\"prev\":\"{}\"", first.hash())));
        assert!(text.starts_with("{\"body\":{\"at\":\"2031-03-04T09:00:00.000000Z\",\"data\":{},"));
        assert_eq!(Chain::after("r", 1, second.hash()), Some(chain));
    }

    #[test]
    fn a_run_has_a_plain_name() {
        for name in ["", "a b", "a/b", "é", &"a".repeat(65)] {
            assert_eq!(Chain::genesis(name), None, "{name}");
        }
        assert!(Chain::genesis("a-B_9").is_some());
    }
}
