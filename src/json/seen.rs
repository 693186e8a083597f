//! The keys of the object that is being read, to refuse the second of two equal ones.
//!
//! A few keys stay on the stack; many go into a tree, which no choice of keys can slow down.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// Keys kept on the stack.
const FEW: usize = 16;

#[derive(Debug)]
pub(super) struct Seen<'a> {
    input: &'a str,
    /// One bit per key by its length and ends; a clear bit proves a key new.
    filter: u64,
    /// Where the few keys begin, each just behind its quote.
    few: [u32; FEW],
    count: usize,
    many: BTreeSet<Cow<'a, str>>,
}

impl<'a> Seen<'a> {
    pub(super) const fn new(input: &'a str) -> Seen<'a> {
        Seen { input, filter: 0, few: [0; FEW], count: 0, many: BTreeSet::new() }
    }

    /// Takes in the key whose quote stands at `at`; false if it was there already.
    #[expect(clippy::ptr_arg, reason = "a borrowed key is kept without a copy")]
    #[inline]
    pub(super) fn insert(&mut self, key: &Cow<'a, str>, at: usize) -> bool {
        let bit = 1_u64 << (mark(key.as_bytes()) & 63);
        if self.filter & bit != 0 && self.contains(key) {
            return false;
        }
        self.filter |= bit;
        match (key, u32::try_from(at), self.few.get_mut(self.count)) {
            (Cow::Borrowed(_), Ok(at), Some(slot)) => {
                *slot = at.wrapping_add(1);
                self.count = self.count.wrapping_add(1);
            }
            _ => self.keep(key),
        }
        true
    }

    #[cold]
    #[expect(clippy::ptr_arg, reason = "a borrowed key is kept without a copy")]
    fn keep(&mut self, key: &Cow<'a, str>) {
        self.many.insert(key.clone());
    }

    fn contains(&self, key: &str) -> bool {
        // A few keys stand in the input as they are, so the quote behind one ends it.
        let is_key = |start: &u32| {
            let rest = self.input.as_bytes().get(*start as usize..).unwrap_or_default();
            rest.strip_prefix(key.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'"'))
        };
        self.few.iter().take(self.count).any(is_key) || self.many.contains(key)
    }
}

#[inline]
fn mark(key: &[u8]) -> usize {
    let end = |byte: Option<&u8>| usize::from(byte.copied().unwrap_or(0));
    key.len().wrapping_mul(7).wrapping_add(end(key.first())).wrapping_add(end(key.last()).wrapping_mul(5))
}
