//! The keys of the object that is being read, to refuse the second of two equal ones.
//!
//! A few keys stay on the stack; many go into a tree, which no choice of keys can slow down.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Keys kept on the stack.
const FEW: usize = 16;

#[derive(Debug)]
pub(super) struct Seen<'a> {
    /// One bit per key by its length and ends; a clear bit proves a key new.
    filter: u64,
    few: [&'a str; FEW],
    count: usize,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> Seen<'a> {
    pub(super) const fn new() -> Seen<'a> {
        Seen { filter: 0, few: [""; FEW], count: 0, many: BTreeSet::new() }
    }

    /// Takes a key in; false if it was there already.
    #[expect(clippy::ptr_arg, reason = "a borrowed key is kept without a copy")]
    pub(super) fn insert(&mut self, key: &Cow<'a, str>) -> bool {
        let bit = 1_u64 << (mark(key.as_bytes()) & 63);
        if self.filter & bit != 0 && self.contains(key) {
            return false;
        }
        self.filter |= bit;
        match (key, self.few.get_mut(self.count)) {
            (Cow::Borrowed(text), Some(slot)) => {
                *slot = text;
                self.count = self.count.wrapping_add(1);
            }
            _ => {
                self.many.insert(key.clone());
            }
        }
        true
    }

    fn contains(&self, key: &str) -> bool {
        self.few.iter().take(self.count).any(|seen| *seen == key) || self.many.contains(key)
    }
}

fn mark(key: &[u8]) -> usize {
    let end = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
    key.len().wrapping_mul(7).wrapping_add(end(key.first())).wrapping_add(end(key.last()).wrapping_mul(5))
}
