//! Foreign values in records: small ones in the line, large and secret ones as a reference to the values file.
//!
//! A reference is SHA-256 over a salt and the value's canonical bytes. Deleting the value's line from the values file
//! erases it; the record, and the chain, stay as they are.

use super::mask::Masker;
use crate::canon::{self, Digest, ObjectWriter, write_array, write_string};
use crate::value::Value;
use std::fmt;

/// The most canonical bytes of a value that stands in the line itself.
pub const INLINE_BYTES: usize = 4096;

/// What is mixed into a reference, so that a value cannot be guessed from it once it is erased.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; 16]);

impl Salt {
    /// The salt of the `number`th value of an event, from entropy. What comes from the run's nonce, which stands in the
    /// ledger, keeps replays identical, and lets who has the ledger test a guess; an event's own `salt` does not.
    #[must_use]
    pub fn derived(from: &[u8], event: &str, number: usize) -> Salt {
        let number = u64::try_from(number).unwrap_or(u64::MAX).to_le_bytes();
        let length = u64::try_from(from.len()).unwrap_or(u64::MAX).to_le_bytes();
        let digest = Digest::of_parts(&[b"flyball/salt/v1\n", &length, from, &number, event.as_bytes()]);
        Salt(digest.0.first_chunk::<16>().copied().unwrap_or_default())
    }

    /// The salt from its 32 hex digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Salt> {
        let number = (text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
            .then(|| u128::from_str_radix(text, 16).ok())??;
        Some(Salt(number.to_be_bytes()))
    }

    /// The reference to a value of these canonical bytes.
    #[must_use]
    pub fn reference(&self, bytes: &[u8]) -> Digest {
        Digest::of_parts(&[&self.0, bytes])
    }
}

impl fmt::Display for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(..)")
    }
}

/// Where the salts of an event's values come from.
#[derive(Clone, Copy, Debug)]
pub enum SaltSource<'s> {
    /// From entropy of the host, or of the run.
    Entropy(&'s [u8]),
    /// The salts that were used before, in order: the event is decided again.
    Known(&'s [Salt]),
}

impl SaltSource<'_> {
    /// The salt of the digest of an event's bytes.
    #[must_use]
    pub fn of_event(&self, event: &str) -> Salt {
        self.salt(event, usize::MAX)
    }

    fn salt(&self, event: &str, number: usize) -> Salt {
        match self {
            SaltSource::Entropy(from) => Salt::derived(from, event, number),
            SaltSource::Known(salts) => salts.get(number).copied().unwrap_or_else(|| Salt::derived(&[], event, number)),
        }
    }
}

/// A value on its way to the values file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredValue {
    /// Its reference in the record.
    pub reference: Digest,
    /// Its salt.
    pub salt: Salt,
    /// Its canonical bytes.
    pub bytes: Vec<u8>,
}

impl StoredValue {
    /// Its line in the values file, line feed included: `{"ref":…,"salt":…,"value":…}`.
    #[must_use]
    pub fn line(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(self.bytes.len().saturating_add(160));
        let salt = self.salt.to_string();
        let mut object = ObjectWriter::new(&mut line);
        object.field("ref", |out| self.reference.write_json(out)).string("salt", &salt);
        object.field("value", |out| out.extend_from_slice(&self.bytes));
        object.finish();
        line.push(b'\n');
        line
    }
}

/// Writes the foreign values of one event's records and collects those that go to the values file.
#[derive(Debug)]
pub struct Values<'v> {
    masker: &'v Masker,
    keep_secrets: bool,
    salts: SaltSource<'v>,
    event: &'v str,
    stored: Vec<StoredValue>,
}

impl<'v> Values<'v> {
    /// Values of an event.
    #[must_use]
    pub fn new(masker: &'v Masker, keep_secrets: bool, salts: SaltSource<'v>, event: &'v str) -> Values<'v> {
        Values { masker, keep_secrets, salts, event, stored: Vec::new() }
    }

    /// The values for the values file.
    #[must_use]
    pub fn into_stored(self) -> Vec<StoredValue> {
        self.stored
    }

    /// Writes a value: `{"value":…}` as it is, `{"n":…,"ref":…}` where it is large, and both with the `masked` paths
    /// where it holds secrets; without `n` and `ref` where secrets are not kept.
    pub fn write(&mut self, value: &Value<'_>, out: &mut Vec<u8>) {
        self.write_where(value, false, out);
    }

    /// The same of a value of which nothing may stand in the line, however small it is: `{"n":…,"ref":…}`.
    pub fn write_apart(&mut self, value: &Value<'_>, out: &mut Vec<u8>) {
        self.write_where(value, true, out);
    }

    fn write_where(&mut self, value: &Value<'_>, apart: bool, out: &mut Vec<u8>) {
        let masked = self.masker.mask(value);
        let shown = masked.as_ref().map_or(value, |masked| &masked.value);
        let mut object = ObjectWriter::new(out);
        let inline = canon::to_vec(shown);
        let is_large = apart || inline.len() > INLINE_BYTES;
        if let Some(masked) = &masked {
            object.field("masked", |out| write_array(&masked.paths, out, |path, out| write_string(path, out)));
        }
        if is_large || masked.is_some() && self.keep_secrets {
            let original = if masked.is_some() && !self.keep_secrets { inline.clone() } else { canon::to_vec(value) };
            let stored = self.store(original);
            object.number("n", stored.0).field("ref", |out| stored.1.write_json(out));
        }
        if !is_large {
            object.field("value", |out| out.extend_from_slice(&inline));
        }
        object.finish();
    }

    fn store(&mut self, bytes: Vec<u8>) -> (u64, Digest) {
        let salt = self.salts.salt(self.event, self.stored.len());
        let reference = salt.reference(&bytes);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.stored.push(StoredValue { reference, salt, bytes });
        (length, reference)
    }
}
