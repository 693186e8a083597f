//! Ledgers to change, built by the library's own writer.

use flyball::canon::Digest;
use flyball::ledger::verify::Anchor;
use flyball::ledger::{Chain, Durability, RecordKind, Salt, StoredValue};

/// A run: its lines without line feeds.
pub(super) struct Sample {
    pub(super) run: String,
    pub(super) lines: Vec<Vec<u8>>,
    pub(super) hashes: Vec<Digest>,
    pub(super) values: Vec<Vec<u8>>,
}

pub(super) fn joined(lines: &[Vec<u8>]) -> String {
    lines.iter().map(|line| String::from_utf8(line.clone()).unwrap() + "\n").collect()
}

fn bare(line: &[u8]) -> Vec<u8> {
    line.strip_suffix(b"\n").unwrap().to_vec()
}

/// The data of a record: what stands in them in a run, and what is hard to write.
fn data(number: usize) -> (RecordKind, String) {
    match number % 5 {
        0 if number == 0 => {
            (RecordKind::RunOpen, r#"{"alg":"sha-256","nonce":"000102030405060708090a0b0c0d0e0f"}"#.into())
        }
        0 => (RecordKind::TurnOpen, format!(r#"{{"event":{{"id":"e{number}","turn":{}}}}}"#, number / 5)),
        1 => (
            RecordKind::GuardDecision,
            format!(
                r#"{{"args":{{"value":{{"amount":{number}.25,"note":null}}}},"call":"c{number}","decision":"allow"}}"#
            ),
        ),
        2 => (
            RecordKind::ToolOutcome,
            format!(r#"{{"call":"c{number}","outcome":"ok","result":{{"value":["é\n\u0001",true]}}}}"#),
        ),
        3 => (RecordKind::WorldChange, format!(r#"{{"world":{{"value":{{"":[],"n":-0.{number}1}}}}}}"#)),
        _ => (RecordKind::TurnClose, format!(r#"{{"turn":{number}}}"#)),
    }
}

impl Sample {
    pub(super) fn of(run: &str, records: usize) -> Sample {
        Sample::with(run, records, |number| data(number).1)
    }

    fn with(run: &str, records: usize, data_of: impl Fn(usize) -> String) -> Sample {
        let mut chain = Chain::genesis(run).unwrap();
        let mut sample = Sample { run: run.into(), lines: Vec::new(), hashes: Vec::new(), values: Vec::new() };
        for number in 0..records {
            let at = format!("2031-03-04T09:00:{:02}.000000Z", number % 60);
            let at = (number % 3 != 0).then_some(&*at);
            let data_of = data_of(number);
            let record =
                chain.append(at, data(number).0, Durability::Async, |out| out.extend_from_slice(data_of.as_bytes()));
            sample.lines.push(bare(record.line()));
            sample.hashes.push(record.hash());
        }
        sample
    }

    pub(super) fn anchor(&self) -> Anchor {
        let seq = u64::try_from(self.lines.len() - 1).unwrap();
        Anchor { seq, hash: *self.hashes.last().unwrap(), run: Some(self.run.as_str().into()) }
    }

    pub(super) fn head_line(&self) -> Vec<u8> {
        self.anchor().head_line(&self.run)
    }
}

/// A run of 12 records, of which three name values.
pub(super) fn with_values() -> Sample {
    let stored = |number: usize| {
        let bytes = format!(r#"{{"text":"value {number}"}}"#).into_bytes();
        let salt = Salt::from_hex(&format!("{number:032x}")).unwrap();
        StoredValue { reference: salt.reference(&bytes), salt, bytes }
    };
    let names = |number: usize| number % 4 == 2;
    let mut sample = Sample::with("run-1", 12, |number| {
        if !names(number) {
            return data(number).1;
        }
        let StoredValue { reference, bytes, .. } = stored(number);
        let inside = format!(r#"{{"n":1,"ref":"{}"}}"#, Digest::of(b"no reference"));
        format!(
            r#"{{"error":{{"value":{inside}}},"result":{{"masked":["/a"],"n":{},"ref":"{reference}"}}}}"#,
            bytes.len()
        )
    });
    sample.values = (0..12).filter(|number| names(*number)).map(|number| bare(&stored(number).line())).collect();
    sample
}
