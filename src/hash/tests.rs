//! What `hash` promises, as behaviour.

use super::*;
use crate::canon;
use crate::json::{Limits, parse};
use crate::value::tests::values;
use proptest::prelude::*;

const KEY: SessionKey = SessionKey::new([7; 16]);

fn hash(text: &str) -> u128 {
    Hash128::new(&KEY).value(&parse(text.as_bytes(), &Limits::default()).unwrap()).finish()
}

#[test]
fn equal_values_have_one_fingerprint() {
    assert_eq!(hash(r#"{"a":1,"b":[1.50]}"#), hash(r#" {"b":[15e-1], "\u0061":1.0} "#));
}

#[test]
fn values_that_look_alike_have_different_fingerprints() {
    let texts = [
        "null",
        "false",
        "true",
        "0",
        "1",
        "-1",
        "10",
        "0.1",
        "1e40",
        "1e41",
        r#""""#,
        r#""1""#,
        r#""null""#,
        "[]",
        "{}",
        "[[]]",
        "[null]",
        "[1,[2]]",
        "[[1],2]",
        "[[1,2]]",
        "[1,2]",
        r#"["ab","c"]"#,
        r#"["a","bc"]"#,
        r#"{"a":"b"}"#,
        r#"["a","b"]"#,
    ];
    for (position, left) in texts.iter().enumerate() {
        for right in &texts[..position] {
            assert_ne!(hash(left), hash(right), "{left} and {right}");
        }
    }
}

#[test]
fn another_key_gives_another_fingerprint() {
    let other = SessionKey::from_nonce(b"n1");
    assert_eq!(other, SessionKey::from_nonce(b"n1"));
    assert_ne!(other, SessionKey::from_nonce(b"n2"));
    assert_ne!(Hash128::new(&KEY).str("a").finish(), Hash128::new(&other).str("a").finish());
    assert_eq!(format!("{other:?} {:?}", Hash128::new(&other)), "SessionKey(..) Hash128(..)");
}

#[test]
fn a_part_is_the_same_typed_or_as_a_value() {
    let (text, number) = (Hash128::new(&KEY).str("x").finish(), Hash128::new(&KEY).number(&Decimal::ONE).finish());
    assert_eq!(text, hash(r#""x""#));
    assert_eq!(number, hash("1.0"));
}

#[test]
fn the_fingerprint_is_siphash_2_4_128_of_the_documented_parts() {
    let mut bytes = ((3_u64 << 8) | 3).to_le_bytes().to_vec();
    bytes.extend_from_slice(b"abc");
    let want = siphasher::sip128::SipHasher13::new_with_key(&[7; 16]).hash(&bytes).as_u128();
    assert_eq!(Hash128::new(&KEY).str("abc").finish(), want);
}

#[test]
fn maps_are_the_same_in_every_run() {
    let order = || {
        let mut map: Map<String, usize> = Map::default();
        for number in 0..100 {
            map.insert(format!("key{number}"), number);
        }
        map.get("key42").copied().zip(Some(FixedState::default().hash_one("key42")))
    };
    assert_eq!(order(), order());
    assert_ne!(FixedState::default().hash_one("a"), FixedState::with_seed(1).hash_one("a"));
    let mut keyed: KeyedSet<u128> = KeyedSet::with_hasher(KeyedState::new(&KEY));
    assert!(keyed.insert(1) && !keyed.insert(1));
}

#[test]
fn the_fixed_hash_spreads_what_authors_write() {
    let mut low: Set<u64> = Set::default();
    for number in 0..4096_u64 {
        low.insert(FixedState::default().hash_one(format!("tool_{number}")) & 0xffff);
        low.insert(0x1_0000 | (FixedState::default().hash_one(number) & 0xffff));
    }
    // 4,096 draws from 65,536 leave about 3,970 different ones; two series.
    assert!(low.len() > 7_800, "{}", low.len());
}

proptest! {
    #[test]
    fn equal_values_and_equal_fingerprints_are_the_same_thing(left in values(), right in values()) {
        let hash = |value: &Value<'_>| Hash128::new(&KEY).value(value).finish();
        prop_assert_eq!(left == right, hash(&left) == hash(&right));
        let bytes = canon::to_vec(&left);
        prop_assert_eq!(hash(&parse(&bytes, &Limits::default()).unwrap()), hash(&left));
    }

    #[test]
    fn the_fixed_hash_separates_lengths(bytes: Vec<u8>) {
        let hash = |bytes: &[u8]| {
            let mut hasher = FixedState::default().build_hasher();
            hasher.write(bytes);
            hasher.finish()
        };
        let mut longer = bytes.clone();
        longer.push(0);
        prop_assert_ne!(hash(&bytes), hash(&longer));
    }
}
