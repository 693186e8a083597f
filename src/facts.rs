//! What the user typed: the only place that reads it (law 2), and what leaves it are exact matches.
//!
//! A session keeps keyed hashes of the runs of tokens that were typed, never the text, and [`Facts::said`] answers one
//! question: was this value typed, as whole tokens? No phrasing can change the answer: a value that is quoted, negated
//! or told of somebody else is typed, and any other text than the value's own is not looked at. `tokens` says what a
//! token is.
//!
//! A message can also be an answer: [`Typed::is_code`] and [`Typed::is_word`] say whether it is one, whole. A message that
//! quotes an answer, negates it or adds a word to it is another message.
//!
//! Nothing here decides anything, and no text comes out but through `Typed::for_record`, for the ledger and the wire.

mod answer;
mod tokens;

use crate::consent::Code;
use crate::hash::{FingerprintMap, SessionKey};
use crate::value::Value;
use std::borrow::Cow;
use std::fmt;
use tokens::Tokens;

pub(crate) use answer::word as answer_word;

/// The most tokens of a run that is kept as one.
pub const MAX_TOKENS: usize = 16;

/// The most hashes of a session; beyond, a value that is not found may have been typed all the same.
pub const MAX_HASHES: usize = 65_536;

/// The text of a message, which nobody can read.
///
/// Its `Debug` shows its length. No guard gets to it, nor to anything that holds it:
///
/// ```compile_fail,E0599
/// fn check(context: &flyball::context::Context<'_>) -> bool {
///     context.facts.text().contains("approved")
/// }
/// ```
///
/// ```compile_fail,E0624
/// let typed = flyball::facts::Typed::new("approved");
/// assert!(typed.for_record().contains("approved"));
/// ```
///
/// ```compile_fail,E0616
/// let typed = flyball::facts::Typed::new("approved");
/// assert_eq!(typed.0, "approved");
/// ```
///
/// ```
/// let typed = flyball::facts::Typed::new("approved");
/// assert_eq!(format!("{typed:?}"), "Typed(8 bytes)");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Typed<'a>(Cow<'a, str>);

impl<'a> Typed<'a> {
    /// What somebody typed.
    #[must_use]
    pub fn new(text: impl Into<Cow<'a, str>>) -> Typed<'a> {
        Typed(text.into())
    }

    /// True if the message is this code, whole: nothing stands before it, and behind it at most a `.` or `!`.
    ///
    /// ```
    /// use flyball::consent::Code;
    /// use flyball::facts::Typed;
    ///
    /// let code = Code::read("K7M2Q-9XWTD").unwrap();
    /// assert!(Typed::new(" k7m2q 9xwtd.\n").is_code(&code));
    /// assert!(!Typed::new("Do not do it! K7M2Q-9XWTD").is_code(&code));
    /// assert!(!Typed::new("yes K7M2Q-9XWTD").is_code(&code));
    /// ```
    ///
    /// Nothing is done to make every comparison last equally long, for nothing needs to be: how a message is read depends
    /// on the message alone, and what it reads as is compared with the code as one number, not digit by digit. What a
    /// guesser could measure is a turn of the conversation besides.
    #[must_use]
    pub fn is_code(&self, code: &Code) -> bool {
        Code::read(answer::whole(&self.0)) == Some(*code)
    }

    /// True if the message is one of these words, whole, in small or capital letters.
    ///
    /// ```
    /// let words = ["yes".to_owned()];
    /// assert!(flyball::facts::Typed::new("Yes!").is_word(&words));
    /// assert!(!flyball::facts::Typed::new("yes, but not now").is_word(&words));
    /// ```
    #[must_use]
    pub fn is_word(&self, words: &[String]) -> bool {
        let said = answer::word(&self.0);
        !said.is_empty() && words.iter().any(|word| answer::word(word) == said)
    }

    /// True if there is a question mark in it: the one fact that is no value. A reply that answers nothing can be asked for
    /// again because of it, and nothing else can come of it.
    ///
    /// ```
    /// use flyball::facts::Typed;
    ///
    /// assert!(Typed::new("When?").has_question_mark() && !Typed::new("Tell me when.").has_question_mark());
    /// ```
    #[must_use]
    pub fn has_question_mark(&self) -> bool {
        self.0.contains(['?', '？', '؟'])
    }

    /// The text as an event's line and the ledger hold it, and nobody else.
    pub(crate) fn for_record(&self) -> &str {
        &self.0
    }

    /// The same text, without borrows.
    #[must_use]
    pub fn into_owned(self) -> Typed<'static> {
        Typed(Cow::Owned(self.0.into_owned()))
    }
}

impl fmt::Debug for Typed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Typed({} bytes)", self.0.len())
    }
}

/// Whether a value was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It was.
    Yes,
    /// It was not.
    No,
    /// More was typed than can be kept, and this is not among what was.
    CannotTell,
}

/// What one message adds to what was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    hashes: Box<[u128]>,
    /// How long the runs are of which all are in it.
    complete: usize,
}

/// What was typed in a session so far.
#[derive(Clone, Debug)]
pub struct Facts {
    runs: FingerprintMap<()>,
    /// How long the runs are of which all are kept: the short ones are kept first.
    complete: usize,
}

impl Default for Facts {
    fn default() -> Facts {
        Facts { runs: FingerprintMap::default(), complete: MAX_TOKENS }
    }
}

impl Facts {
    /// What a message adds.
    #[must_use]
    pub fn heard(&self, key: &SessionKey, typed: &Typed<'_>) -> Runs {
        let room = MAX_HASHES.saturating_sub(self.runs.len());
        let (mut fresh, mut hashes) = (FingerprintMap::default(), Vec::new());
        let Some(tokens) = Tokens::of(key, &typed.0, MAX_HASHES) else {
            return Runs { hashes: Box::default(), complete: 0 };
        };
        for length in 1..=MAX_TOKENS {
            let is_kept = tokens.runs(length, &mut |run| {
                let is_new = !self.runs.contains_key(&run) && !fresh.contains_key(&run);
                if is_new && hashes.len() < room {
                    fresh.insert(run, ());
                    hashes.push(run);
                }
                !is_new || fresh.contains_key(&run)
            });
            if !is_kept {
                return Runs { hashes: hashes.into(), complete: length.saturating_sub(1) };
            }
        }
        Runs { hashes: hashes.into(), complete: MAX_TOKENS }
    }

    /// Keeps what a message added.
    pub fn keep(&mut self, runs: &Runs) {
        self.complete = self.complete.min(runs.complete);
        let room = MAX_HASHES.saturating_sub(self.runs.len());
        self.runs.extend(runs.hashes.iter().take(room).map(|run| (*run, ())));
    }

    /// Whether the user typed a value: a text as its tokens in their order, a number by its digits. What is empty, null, a
    /// list or a map was never typed, and neither was `true` or `false`: no word that is typed is a yes.
    #[must_use]
    pub fn said(&self, key: &SessionKey, value: &Value<'_>) -> Said {
        match value {
            Value::String(text) => self.said_text(key, text),
            Value::Number(number) => self.answer(tokens::number(key, number), 1),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Said::No,
        }
    }

    fn said_text(&self, key: &SessionKey, text: &str) -> Said {
        // What has more tokens than the session holds runs cannot have been typed as far as anybody knows.
        let Some(tokens) = Tokens::of(key, text, MAX_HASHES) else { return Said::CannotTell };
        if tokens.len() == 0 {
            return Said::No;
        }
        let mut said = Said::Yes;
        // A longer value is typed if each stretch of it is that can be kept as one.
        tokens.stretches(MAX_TOKENS, &mut |run, length| {
            match self.answer(run, length) {
                Said::Yes => {}
                Said::No => said = Said::No,
                Said::CannotTell if said == Said::Yes => said = Said::CannotTell,
                Said::CannotTell => {}
            }
            said != Said::No
        });
        said
    }

    fn answer(&self, run: u128, length: usize) -> Said {
        match self.runs.contains_key(&run) {
            true => Said::Yes,
            false if length <= self.complete => Said::No,
            false => Said::CannotTell,
        }
    }

    /// How many hashes are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// True if nothing was typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }
}

#[cfg(test)]
mod tests;
