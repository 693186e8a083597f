//! The values file beside a ledger: each value against the reference that its record holds.
//!
//! A value that is not there breaks nothing; it was erased, or handed on without it. One that is there and does not fit
//! its reference is told, by the first record that names it.

use super::{Found, RawLine, RawLines, name, reason};
use flyball::canon::Digest;
use flyball::json::{Limits, parse};
use flyball::ledger::Salt;
use flyball::ledger::verify::{BODY_DEPTH, Code, Line, Problem};
use flyball::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

/// What came of the values of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// How many values the records name.
    pub named: u64,
    /// How many of them are there and right.
    pub sound: u64,
    /// Those that are not there: the first record that names each, and its reference.
    pub missing: Vec<(u64, Digest)>,
    /// Lines that are no value, or another than their reference says.
    pub problems: Vec<Found>,
    /// The bytes behind the last line feed of the values file.
    pub torn_tail: u64,
}

/// Takes each sound value.
pub(super) type Keep<'k> = &'k mut dyn FnMut(Digest, Salt, &[u8]);

/// The longest line: the largest value, and what stands around it.
const MAX_VALUE_LINE: usize = (32 << 20) + 256;

/// The references that records hold, each with the first record that does.
#[derive(Debug, Default)]
pub(super) struct Named(BTreeMap<Digest, u64>);

impl Named {
    /// Takes in the references of a sound record.
    pub(super) fn note(&mut self, line: &Line<'_>, record: u64) {
        if line.names_values {
            let limits = Limits { depth: BODY_DEPTH, ..Limits::default() };
            // A sound record's data is canonical, so it reads.
            if let Ok(data) = parse(line.data.as_bytes(), &limits) {
                self.walk(&data, record);
            }
        }
    }

    /// Everywhere but inside a member `value`, where foreign values stand.
    fn walk(&mut self, value: &Value<'_>, record: u64) {
        match value {
            Value::Object(object) => {
                if let Some(reference) = reference(value) {
                    self.0.entry(reference).or_insert(record);
                }
                object.iter().filter(|(key, _)| *key != "value").for_each(|(_, member)| self.walk(member, record));
            }
            Value::Array(elements) => elements.iter().for_each(|element| self.walk(element, record)),
            _ => {}
        }
    }

    pub(super) fn check(self, path: &Path, records: u64, keep: Keep<'_>) -> Values {
        let named = u64::try_from(self.0.len()).unwrap_or(u64::MAX);
        let mut values = Values { named, ..Values::default() };
        let mut present = BTreeSet::new();
        if let Err(error) = self.read(path, records, &mut values, &mut present, keep)
            && error.kind() != io::ErrorKind::NotFound
        {
            let message = format!("the file cannot be read: {}", reason(&error));
            values.problems.push(Found {
                file: name(path),
                problem: Problem { record: records, line: 0, segment: 0, code: Code::Unreadable, message },
            });
        }
        values.missing =
            self.0.iter().filter(|(reference, _)| !present.contains(*reference)).map(|(r, s)| (*s, *r)).collect();
        values.missing.sort_unstable();
        values
    }

    fn read(
        &self,
        path: &Path,
        records: u64,
        values: &mut Values,
        present: &mut BTreeSet<Digest>,
        keep: Keep<'_>,
    ) -> io::Result<()> {
        let mut lines = RawLines::open(path, MAX_VALUE_LINE)?;
        let mut sound = BTreeSet::new();
        let mut number = 0_u64;
        while let Some(line) = lines.next()? {
            number = number.saturating_add(1);
            let line = match line {
                RawLine::Whole(line) => line,
                RawLine::Torn(length) => {
                    values.torn_tail = length;
                    break;
                }
            };
            let parts = Some(line).filter(|line| line.len() < MAX_VALUE_LINE).and_then(parts);
            let reference = parts.map(|(reference, ..)| reference);
            present.extend(reference);
            let message = match parts {
                None => "the line is not `{\"ref\":…,\"salt\":…,\"value\":…}`",
                Some((reference, salt, value)) if salt.reference(value) == reference => {
                    if self.0.contains_key(&reference) {
                        sound.insert(reference);
                    }
                    keep(reference, salt, value);
                    continue;
                }
                Some(_) => "the value is not the one its reference was made of",
            };
            let record = reference.and_then(|reference| self.0.get(&reference)).copied().unwrap_or(records);
            let code = Code::ValueMismatch;
            let problem = Problem { record, line: number, segment: 0, code, message: message.into() };
            values.problems.push(Found { file: name(path), problem });
        }
        values.sound = u64::try_from(sound.len()).unwrap_or(u64::MAX);
        Ok(())
    }
}

/// The reference that an object is: whole `n`, hex `ref`, and no member that a reference has not.
fn reference(value: &Value<'_>) -> Option<Digest> {
    let members = value.as_object()?;
    let known = members.iter().all(|(key, _)| matches!(key, "masked" | "n" | "ref" | "value"));
    let n = value.get("n").and_then(Value::as_number).is_some_and(|n| n.to_u64().is_some());
    let reference = value.get("ref").and_then(Value::as_str)?.parse().ok()?;
    (known && n).then_some(reference)
}

/// The reference, the salt and the value of a line of the values file.
pub(crate) fn parts(line: &[u8]) -> Option<(Digest, Salt, &[u8])> {
    let rest = line.strip_prefix(b"{\"ref\":\"")?;
    let (reference, rest) = rest.split_at_checked(64)?;
    let rest = rest.strip_prefix(b"\",\"salt\":\"")?;
    let (salt, rest) = rest.split_at_checked(32)?;
    let value = rest.strip_prefix(b"\",\"value\":")?.strip_suffix(b"}")?;
    let reference = std::str::from_utf8(reference).ok()?.parse().ok()?;
    Some((reference, Salt::from_hex(std::str::from_utf8(salt).ok()?)?, value))
}
