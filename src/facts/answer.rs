//! What of a message is the answer to a question: all of it.
//!
//! White space around it and one full stop or exclamation mark behind it say nothing; whatever else is there makes it
//! another message, which answers nothing.

use super::tokens::folded;

/// The message without what says nothing.
pub(super) fn whole(text: &str) -> &str {
    let text = text.trim();
    text.strip_suffix(['.', '!']).map_or(text, str::trim_end)
}

/// The same in small letters: what two spellings of one word have in common. Empty for a word that says nothing.
pub(crate) fn word(text: &str) -> String {
    folded(whole(text)).into_owned()
}
