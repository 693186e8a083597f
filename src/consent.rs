//! The code by which a person agrees to one call: made of the session's nonce and the digest of what was asked, shown as
//! `K7M2Q-9XWTD`, and read back as people write it.
//!
//! A code says which question is answered, and that who answers was shown it. It is 50 bits of a SHA-256 over an input
//! that nobody outside knows, so no other code and no call helps to guess it. `docs/approvals.md` has the argument.
//!
//! Nothing here reads what was typed: [`Typed::is_code`](crate::facts::Typed::is_code) does, and answers yes or no.

use crate::canon::Digest;
use std::fmt;

/// A code of 50 bits.
///
/// ```
/// use flyball::canon::Digest;
/// use flyball::consent::Code;
///
/// let code = Code::mint(b"2a6d0e7c", &Digest::of(b"this call")).unwrap();
/// assert_eq!(code.to_string(), "WQ6BB-72CGQ");
/// assert_eq!(Code::read("wq6bb 72cgq"), Some(code));
/// assert_ne!(Code::mint(b"2a6d0e7d", &Digest::of(b"this call")), Some(code));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(u64);

/// What is hashed before the nonce, so that no other digest of this program is a code.
const DOMAIN: &[u8] = b"flyball/consent-code/v1\n";

/// Crockford's digits: no `I`, `L`, `O`, which read as others, and no `U`.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The digits on each side of the hyphen.
const GROUP: usize = 5;

/// What may stand between the groups.
const BETWEEN: &[&[u8]] = &[b"", b"-", b" ", b" -", b"- ", b" - "];

const BITS: u32 = 50;

impl Code {
    /// The code of a question, given the digest of all that it is about; `None` without a nonce, for then nobody can
    /// promise that an outsider could not have made it.
    ///
    /// The nonce is what the host sent, and nothing that others know stands in for it. The digest has one length and
    /// stands last, so two pairs are never hashed as the same bytes.
    #[must_use]
    pub fn mint(nonce: &[u8], digest: &Digest) -> Option<Code> {
        if nonce.is_empty() {
            return None;
        }
        let hash = Digest::of_parts(&[DOMAIN, nonce, &digest.0]);
        let head = hash.0.first_chunk::<8>().copied().unwrap_or_default();
        Some(Code(u64::from_be_bytes(head) >> (u64::BITS - BITS)))
    }

    /// The code that a text is, whole: in small or capital letters, the groups apart or not, `O` for `0`, `I` and `L`
    /// for `1`.
    #[must_use]
    pub fn read(text: &str) -> Option<Code> {
        let (first, rest) = text.as_bytes().split_at_checked(GROUP)?;
        let (between, last) = rest.split_at_checked(rest.len().checked_sub(GROUP)?)?;
        if !BETWEEN.contains(&between) {
            return None;
        }
        let bits = first.iter().chain(last).try_fold(0, |bits: u64, letter| Some((bits << 5) | value(*letter)?));
        bits.map(Code)
    }

    /// Its digits, the first group and the last.
    fn digits(self) -> [u8; 2 * GROUP] {
        let mut digits = [b'0'; 2 * GROUP];
        let mut rest = self.0;
        for digit in digits.iter_mut().rev() {
            *digit = usize::try_from(rest & 31).ok().and_then(|at| DIGITS.get(at)).copied().unwrap_or(b'0');
            rest >>= 5;
        }
        digits
    }
}

/// What a digit stands for, as people read it.
fn value(letter: u8) -> Option<u64> {
    let digit = match letter.to_ascii_uppercase() {
        b'O' => b'0',
        b'I' | b'L' => b'1',
        digit => digit,
    };
    let at = DIGITS.iter().position(|known| *known == digit)?;
    u64::try_from(at).ok()
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, digit) in self.digits().into_iter().enumerate() {
            let hyphen = if at == GROUP { "-" } else { "" };
            write!(f, "{hyphen}{}", char::from(digit))?;
        }
        Ok(())
    }
}

/// What is logged by the way does not answer a question.
impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(..)")
    }
}

#[cfg(test)]
mod tests;
