//! Hashing with a known key: maps whose behaviour never differs between runs, and fingerprints of values.
//!
//! [`Map`] and [`Set`] are for keys an author chose, [`KeyedMap`] and [`KeyedSet`] for keys an outsider can choose,
//! [`Hash128`] for what a session remembers of a value. The only file that may name the standard hash maps.
//!
//! No key comes from entropy, and nothing may depend on the order of a map.

use crate::canon::Digest;
use crate::decimal::Decimal;
use crate::value::Value;
use siphasher::sip::SipHasher13;
use siphasher::sip128::{self, Hasher128};
use std::fmt;
use std::hash::{BuildHasher, Hasher};

/// A map with keys from the author's files or from this program.
#[expect(clippy::disallowed_types, reason = "the hasher is fixed, not random")]
pub type Map<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A set with members from the author's files or from this program.
#[expect(clippy::disallowed_types, reason = "the hasher is fixed, not random")]
pub type Set<K> = std::collections::HashSet<K, FixedState>;

/// A map with keys an outsider can choose: make it with `KeyedMap::with_hasher(KeyedState::new(&key))`.
#[expect(clippy::disallowed_types, reason = "the hasher is keyed by the session")]
pub type KeyedMap<K, V> = std::collections::HashMap<K, V, KeyedState>;

/// A set with members an outsider can choose.
#[expect(clippy::disallowed_types, reason = "the hasher is keyed by the session")]
pub type KeyedSet<K> = std::collections::HashSet<K, KeyedState>;

/// Builds [`FixedHasher`]s; the default seed is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FixedState {
    seed: u64,
}

impl FixedState {
    /// A state with another seed, for tests that want another order.
    #[must_use]
    pub const fn with_seed(seed: u64) -> FixedState {
        FixedState { seed }
    }
}

impl BuildHasher for FixedState {
    type Hasher = FixedHasher;

    fn build_hasher(&self) -> FixedHasher {
        FixedHasher { state: self.seed ^ FIRST }
    }
}

/// Digits of pi, as good as any odd numbers without a pattern.
const FIRST: u64 = 0x243f_6a88_85a3_08d3;
const SECOND: u64 = 0x1319_8a2e_0370_7345;

/// Fast, and open to anybody who can choose keys: each word is mixed in with one 64 × 64 → 128 bit multiplication
/// whose halves are folded together.
#[derive(Clone, Copy, Debug)]
pub struct FixedHasher {
    state: u64,
}

impl FixedHasher {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.state ^ word).wrapping_mul(u128::from(SECOND));
        self.state = (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(32);
    }
}

impl Hasher for FixedHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, tail) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let last = tail.iter().rev().fold(0_u64, |word, byte| (word << 8) | u64::from(*byte));
        // The length keeps "a" and "a\0" apart.
        self.mix(last ^ (bytes.len() as u64).rotate_left(56));
    }

    fn write_u8(&mut self, number: u8) {
        self.mix(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.mix(number);
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        let product = u128::from(self.state ^ SECOND).wrapping_mul(u128::from(FIRST));
        (product as u64) ^ ((product >> 64) as u64)
    }
}

/// The key of a session's hashes: 128 bits that an outsider does not know before the session opens.
///
/// Its `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SessionKey([u8; 16]);

impl SessionKey {
    /// A key from its bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 16]) -> SessionKey {
        SessionKey(bytes)
    }

    /// The key that belongs to a session's nonce.
    #[must_use]
    pub fn from_nonce(nonce: &[u8]) -> SessionKey {
        let digest = Digest::of_parts(&[b"flyball/session-key/v1\n", nonce]);
        SessionKey(digest.0.first_chunk::<16>().copied().unwrap_or_default())
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(..)")
    }
}

/// Builds SipHash-1-3 with a session's key, for tables an outsider fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedState {
    key: SessionKey,
}

impl KeyedState {
    /// A state with a session's key.
    #[must_use]
    pub const fn new(key: &SessionKey) -> KeyedState {
        KeyedState { key: *key }
    }
}

impl BuildHasher for KeyedState {
    type Hasher = SipHasher13;

    fn build_hasher(&self) -> SipHasher13 {
        SipHasher13::new_with_key(&self.key.0)
    }
}

/// A table keyed by fingerprints, which are hashes already: their own low word is the table's hash.
#[expect(clippy::disallowed_types, reason = "the state is deterministic")]
pub type FingerprintMap<V> = std::collections::HashMap<u128, V, FingerprintState>;

/// Builds [`FingerprintHasher`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FingerprintState;

impl BuildHasher for FingerprintState {
    type Hasher = FingerprintHasher;

    fn build_hasher(&self) -> FingerprintHasher {
        FingerprintHasher(0)
    }
}

/// Takes a fingerprint for its own hash. For keys of [`Hash128`] only.
#[derive(Clone, Copy, Debug)]
pub struct FingerprintHasher(u64);

impl Hasher for FingerprintHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        let word = bytes.first_chunk::<8>().copied().unwrap_or_default();
        self.0 ^= u64::from_le_bytes(word);
    }

    fn write_u128(&mut self, fingerprint: u128) {
        self.0 ^= fingerprint as u64;
    }
}

/// A keyed 128-bit fingerprint (SipHash-1-3-128) of a sequence of values. The key and the fingerprints stay within the
/// session, so nobody outside can look for two values with one fingerprint.
///
/// What goes in is prefix-free: each part opens with its type and its length, so two sequences have equal input only
/// if they are equal part by part. Numbers go in by their one form: `1` and `1.0` are the same part.
///
/// ```
/// use flyball::hash::{Hash128, SessionKey};
/// use flyball::value::Value;
///
/// let key = SessionKey::from_nonce(b"nonce of the session");
/// let typed = Hash128::new(&key).str("refund").str("ORD-000017").finish();
/// assert_eq!(typed, Hash128::new(&key).value(&"refund".into()).value(&"ORD-000017".into()).finish());
/// assert_ne!(typed, Hash128::new(&key).str("refundORD").str("-000017").finish());
/// ```
#[derive(Clone, Copy)]
pub struct Hash128 {
    hasher: sip128::SipHasher13,
}

/// The most bytes of a text that is hashed with its head in one go.
const SHORT_TEXT: usize = 56;

impl fmt::Debug for Hash128 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash128(..)")
    }
}

impl Hash128 {
    /// Starts with a session's key.
    #[must_use]
    pub fn new(key: &SessionKey) -> Hash128 {
        Hash128 { hasher: sip128::SipHasher13::new_with_key(&key.0) }
    }

    /// Adds a text; the same part as a string value.
    #[must_use]
    pub fn str(mut self, text: &str) -> Hash128 {
        self.add_text(text);
        self
    }

    /// Adds a number; the same part as a number value.
    #[must_use]
    pub fn number(mut self, number: &Decimal) -> Hash128 {
        self.add_number(number);
        self
    }

    /// Adds a value.
    #[must_use]
    pub fn value(mut self, value: &Value<'_>) -> Hash128 {
        self.add(value);
        self
    }

    /// The fingerprint.
    #[must_use]
    pub fn finish(&self) -> u128 {
        self.hasher.finish128().as_u128()
    }

    fn add(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => self.hasher.write(&[0]),
            Value::Bool(truth) => self.hasher.write(&[1, u8::from(*truth)]),
            Value::Number(number) => self.add_number(number),
            Value::String(text) => self.add_text(text),
            Value::Array(elements) => {
                self.add_head(4, elements.len() as u64);
                elements.iter().for_each(|element| self.add(element));
            }
            Value::Object(object) => {
                self.add_head(5, object.len() as u64);
                for (key, member) in object.iter() {
                    self.add_text(key);
                    self.add(member);
                }
            }
        }
    }

    fn add_number(&mut self, number: &Decimal) {
        self.add_head(2, number.exponent() as u16 as u64);
        self.hasher.write(&number.coefficient().to_le_bytes());
    }

    fn add_text(&mut self, text: &str) {
        // One write of head and text costs half of two; the bytes are the same.
        let mut both = [0; 8 + SHORT_TEXT];
        match both.get_mut(8..text.len().saturating_add(8)) {
            Some(short) => {
                short.copy_from_slice(text.as_bytes());
                let head = (text.len() as u64) << 8 | 3;
                both.first_chunk_mut::<8>().iter_mut().for_each(|place| **place = head.to_le_bytes());
                self.hasher.write(both.get(..text.len().saturating_add(8)).unwrap_or_default());
            }
            None => {
                self.add_head(3, text.len() as u64);
                self.hasher.write(text.as_bytes());
            }
        }
    }

    /// One word: the type in its lowest byte, the length (of a number: the exponent) above it.
    fn add_head(&mut self, kind: u8, length: u64) {
        self.hasher.write(&((length << 8) | u64::from(kind)).to_le_bytes());
    }
}

#[cfg(test)]
mod tests;
