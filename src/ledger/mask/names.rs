//! Which names are names of secrets. Case, `-`, `_` and a trailing number or plural do not matter.
//!
//! A name matches as a whole or by its end, so `SHOP_API_KEY` does and `tokens_used`, `secretary` and `max_tokens` do
//! not. Names that have a harmless meaning too only cover what looks like the other one.

use crate::decimal::Decimal;

/// What a name covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// Whatever stands there.
    All,
    /// A text of 8 or more characters without white space: a `token` may also be a count or a coin.
    Opaque,
    /// 3 to 8 digits: a `pin` may also be a place on a map.
    Code,
    /// 12 to 19 digits, which may be grouped.
    Card,
    /// A text that is no path: `pwd` is also the working directory.
    NoPath,
}

/// Where a name may stand in a longer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    /// At its end.
    End,
    /// At its end, as a word of its own: `pin` is not in `shopping`.
    Word,
    /// Nowhere: it must be the whole name.
    Whole,
}

/// The shipped names, normalised. `key`, `auth`, `code` and `session_id` are not among them: mostly they are ids.
const NAMES: &[(&str, Fit, Cover)] = &[
    ("password", Fit::End, Cover::All),
    ("passwd", Fit::End, Cover::All),
    ("passphrase", Fit::End, Cover::All),
    ("passcode", Fit::End, Cover::All),
    ("pwd", Fit::Word, Cover::NoPath),
    ("dbpass", Fit::End, Cover::All),
    ("userpass", Fit::End, Cover::All),
    ("secret", Fit::End, Cover::All),
    ("apikey", Fit::End, Cover::All),
    ("accesskey", Fit::End, Cover::All),
    ("secretkey", Fit::End, Cover::All),
    ("privatekey", Fit::End, Cover::All),
    ("signingkey", Fit::End, Cover::All),
    ("encryptionkey", Fit::End, Cover::All),
    ("masterkey", Fit::End, Cover::All),
    ("accountkey", Fit::End, Cover::All),
    ("subscriptionkey", Fit::End, Cover::All),
    ("sshkey", Fit::End, Cover::All),
    ("accesstoken", Fit::End, Cover::All),
    ("refreshtoken", Fit::End, Cover::All),
    ("idtoken", Fit::Word, Cover::All),
    ("authtoken", Fit::End, Cover::All),
    ("apitoken", Fit::End, Cover::All),
    ("sessiontoken", Fit::End, Cover::All),
    ("bearertoken", Fit::End, Cover::All),
    ("token", Fit::Word, Cover::Opaque),
    ("bearer", Fit::Whole, Cover::All),
    ("authorization", Fit::Whole, Cover::All),
    ("proxyauthorization", Fit::Whole, Cover::All),
    ("xauthorization", Fit::Whole, Cover::All),
    ("httpauthorization", Fit::Whole, Cover::All),
    ("cookie", Fit::Word, Cover::All),
    ("credential", Fit::End, Cover::All),
    ("recoverycode", Fit::End, Cover::All),
    ("backupcode", Fit::End, Cover::All),
    ("seedphrase", Fit::End, Cover::All),
    ("recoveryphrase", Fit::End, Cover::All),
    ("mnemonic", Fit::Whole, Cover::All),
    ("cvv", Fit::Word, Cover::All),
    ("cvc", Fit::Word, Cover::All),
    ("securitycode", Fit::Word, Cover::All),
    ("pin", Fit::Word, Cover::Code),
    ("otp", Fit::Word, Cover::Code),
    ("cardnumber", Fit::End, Cover::Card),
];

/// Words before `token` that make it a place in a list or a piece of text.
const HARMLESS_TOKENS: &[&str] = &[
    "page",
    "next",
    "previous",
    "prev",
    "continuation",
    "continue",
    "cursor",
    "sync",
    "delta",
    "change",
    "pad",
    "eos",
    "bos",
    "unk",
    "sep",
    "cls",
    "mask",
    "special",
    "stop",
    "start",
    "end",
    "max",
    "min",
    "per",
    "first",
    "last",
];

/// Values of secret names that are words of a protocol.
const HARMLESS_VALUES: &[&str] = &["include", "omit", "same-origin"];

/// The names of secrets, and a filter over their last two characters that turns most names away at once.
#[derive(Clone, Debug)]
pub(super) struct Names {
    added: Vec<String>,
    /// By last character: the bits of the characters before it.
    tails: [u32; 27],
}

impl Default for Names {
    fn default() -> Names {
        Names::with(&[])
    }
}

impl Names {
    /// The shipped names and these.
    pub(super) fn with(keys: &[String]) -> Names {
        let mut names = Names { added: Vec::new(), tails: [0; 27] };
        for key in keys {
            let joined = Words::of(key).joined;
            // `keys` and `key` are one name, so the filter looks at the singular.
            names.added.push(joined.strip_suffix('s').unwrap_or(&joined).to_owned());
        }
        names.added.retain(|name| !name.is_empty());
        let shipped: Vec<&str> = NAMES.iter().map(|(name, ..)| *name).collect();
        let added = names.added.clone();
        for name in shipped.into_iter().chain(added.iter().map(String::as_str)) {
            let mut ends = name.bytes().rev().map(letter);
            let (last, before) = (ends.next().unwrap_or(26), ends.next());
            if let Some(bits) = names.tails.get_mut(last) {
                // A name of one character says nothing of the one before it.
                *bits |= before.map_or(u32::MAX, |before| 1 << before);
            }
        }
        names
    }

    /// What a name covers; `None` for an ordinary one.
    pub(super) fn find(&self, name: &str) -> Option<Cover> {
        if self.may_be(name) { self.look_up(name) } else { None }
    }

    fn may_be(&self, name: &str) -> bool {
        // Nearly every name ends with two letters.
        if let [.., before, last] = name.as_bytes()
            && before.is_ascii_alphabetic()
            && last.is_ascii_alphabetic()
            && !matches!(last, b's' | b'S')
        {
            return self.meets(*last, Some(*before));
        }
        self.may_be_spelled(name)
    }

    fn meets(&self, last: u8, before: Option<u8>) -> bool {
        let bits = self.tails.get(letter(last)).copied().unwrap_or_default();
        bits >> before.map_or(26, letter) & 1 == 1 || bits == u32::MAX
    }

    /// Past separators, numbers and the plural.
    fn may_be_spelled(&self, name: &str) -> bool {
        let kept = name.bytes().rev().filter(|byte| !is_separator(*byte));
        let mut ends = kept.skip_while(u8::is_ascii_digit);
        let (Some(last), before) = (ends.next(), ends.next()) else { return self.added_numbers() };
        let plural = matches!(last, b's' | b'S');
        self.meets(last, before) || plural && before.is_some_and(|before| self.meets(before, ends.next()))
    }

    /// True if a name of digits only was added.
    fn added_numbers(&self) -> bool {
        self.added.iter().any(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    }

    fn look_up(&self, name: &str) -> Option<Cover> {
        let words = Words::of(name);
        let whole = words.joined.as_str();
        let bare = whole.trim_end_matches(|c: char| c.is_ascii_digit());
        let forms = [whole, bare, bare.strip_suffix('s').unwrap_or(bare)];
        let added = self.added.iter().any(|added| forms.iter().any(|form| form.ends_with(added.as_str())));
        if added {
            return Some(Cover::All);
        }
        let shipped = NAMES.iter().find(|(name, fit, _)| forms.iter().any(|form| words.fits(form, name, *fit)));
        let (name, _, cover) = shipped?;
        let harmless = *name == "token" && words.before_token().is_some_and(|word| HARMLESS_TOKENS.contains(&word));
        (!harmless).then_some(*cover)
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.' | b' ' | b'[' | b']')
}

fn letter(byte: u8) -> usize {
    let lower = byte.to_ascii_lowercase();
    if lower.is_ascii_lowercase() { usize::from(lower.wrapping_sub(b'a')) } else { 26 }
}

/// A name in lower case without separators, and where its words began.
struct Words {
    joined: String,
    starts: Vec<usize>,
}

impl Words {
    fn of(name: &str) -> Words {
        let mut words = Words { joined: String::with_capacity(name.len()), starts: vec![0] };
        let mut previous = '_';
        for character in name.chars() {
            let separates = |c: char| c.is_ascii() && u8::try_from(c).is_ok_and(is_separator);
            if !separates(character) {
                let rises = previous.is_lowercase() && character.is_uppercase();
                if separates(previous) || rises {
                    words.starts.push(words.joined.len());
                }
                words.joined.extend(character.to_lowercase());
            }
            previous = character;
        }
        words
    }

    fn fits(&self, form: &str, name: &str, fit: Fit) -> bool {
        let Some(head) = form.strip_suffix(name) else { return false };
        match fit {
            Fit::End => true,
            Fit::Word => self.starts.contains(&head.len()),
            Fit::Whole => head.is_empty(),
        }
    }

    /// The word before a `token` at the end.
    fn before_token(&self) -> Option<&str> {
        let bare = self.joined.trim_end_matches(|c: char| c.is_ascii_digit());
        let head = bare.strip_suffix('s').unwrap_or(bare).strip_suffix("token")?;
        let start = self.starts.iter().rev().find(|start| **start < head.len())?;
        head.get(*start..)
    }
}

impl Cover {
    /// True if a text under the name is a secret.
    pub(super) fn covers_text(self, text: &str) -> bool {
        let digits = || text.bytes().filter(u8::is_ascii_digit).count();
        match self {
            Cover::All => !HARMLESS_VALUES.contains(&text),
            Cover::Opaque => text.chars().count() >= 8 && !text.contains(char::is_whitespace),
            Cover::Code => (3..=8).contains(&text.len()) && digits() == text.len(),
            Cover::Card => {
                (12..=19).contains(&digits())
                    && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ' || byte == b'-')
            }
            Cover::NoPath => !text.starts_with(['/', '~', '.', '\\']) && !text.contains(":\\"),
        }
    }

    /// True if a number under the name is a secret.
    pub(super) fn covers_number(self, number: Decimal) -> bool {
        match self {
            Cover::All => true,
            Cover::Opaque | Cover::NoPath => false,
            Cover::Code | Cover::Card => self.covers_text(&number.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_matches_as_a_whole_or_by_its_end() {
        let names = Names::default();
        let secret = [
            "password",
            "PASSWORD",
            "Pass-Word",
            "db_password",
            "userPassword",
            "SHOP_API_KEY",
            "apiKey",
            "x-api-key",
            "x_Api_Keys",
            "client_secret",
            "CLIENTSECRET",
            "aws_secret_access_key",
            "Authorization",
            "proxy-authorization",
            "Cookie",
            "set-cookie",
            "cookies",
            "private_key",
            "privateKey",
            "credentials",
            "bot_token",
            "token",
            "card_cvv",
            "cvv2",
            "cvc",
            "user.pin",
            "cardPin",
            "otp",
            "password_2",
            "card_number",
            "refreshToken",
        ];
        for name in secret {
            assert!(names.find(name).is_some(), "{name}");
        }
        let ordinary = [
            "tokens_used",
            "max_tokens",
            "secretary",
            "amount",
            "currency",
            "order_id",
            "passenger",
            "passport_number",
            "shopping",
            "spin",
            "keyboard",
            "key",
            "public_key",
            "next_page_token",
            "eos_token",
            "pageToken",
            "author",
            "authorization_id",
            "cookie_policy",
            "secret_name",
            "password_hint_shown",
            "code",
            "session_id",
            "",
            "_",
            "123",
            "boarding_pass",
            "pinned",
            "address",
            "monkey",
            "turkeys",
            "card_id",
        ];
        for name in ordinary {
            assert_eq!(names.find(name), None, "{name}");
        }
    }

    #[test]
    fn names_of_the_spec_are_added() {
        let names = Names::with(&["Loyalty-Number".into(), "keys".into(), "№".into(), "7".into()]);
        for name in ["loyalty_number", "loyaltyNumbers", "key", "map_keys", "№", "7"] {
            assert_eq!(names.find(name), Some(Cover::All), "{name}");
        }
        assert_eq!(Names::default().find("loyalty_number"), None);
    }

    #[test]
    fn a_name_with_two_meanings_covers_one_of_them() {
        assert!(Cover::Opaque.covers_text("a8f5f167f44f4964"));
        assert!(!Cover::Opaque.covers_text("BTC"));
        assert!(Cover::Code.covers_text("0420"));
        assert!(!Cover::Code.covers_text("top left"));
        assert!(Cover::NoPath.covers_text("hunter2"));
        assert!(!Cover::NoPath.covers_text("/home/ada"));
    }
}
