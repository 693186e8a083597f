//! Phrases that an author declares, and how they are looked for in a reply.
//!
//! A phrase is found whole: what is no letter or digit on either side ends it, and where a script has no spaces any
//! character does. Case, kinds of white space and of apostrophes, emphasis and invisible characters make no difference.
//! Nothing is judged here, and nothing is allocated by a search.

use super::reply::{asks, sentences};
use crate::decode::{Decoder, Type};
use crate::diagnostic::Diagnostic;
use crate::text::{is_invisible, joined, quoted};
use crate::value::Value;
use crate::yaml::Node;

/// What a parameter of phrases holds.
pub(super) const PHRASES: Type = Type::OneOrMany(&Type::Text);

/// Some phrases, none of them empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Phrases {
    all: Vec<Phrase>,
}

#[derive(Clone, Debug)]
struct Phrase {
    written: String,
    folded: Box<[char]>,
}

impl Phrases {
    /// Reads one or a list; `None` after a problem.
    pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Phrases> {
        let before = decoder.problems();
        let items = decoder.one_or_many(node);
        let items = decoder.some(node, items, "write the words that are looked for, or leave the key out");
        let mut all: Vec<Phrase> = Vec::new();
        for item in items {
            let Some(text) = decoder.sentence(item) else { continue };
            let folded: String = Folded::of(&text.value).collect();
            let folded: Box<[char]> = folded.trim().chars().collect();
            if folded.is_empty() {
                let problem = Diagnostic::error("blank-text", text.span, "nothing is left of it to look for");
                decoder.report(problem.help("write letters, digits or signs that can be seen"));
            } else if all.iter().any(|known| known.folded == folded) {
                let message = format!("`{}` stands in the list twice", text.value);
                let problem = Diagnostic::error("repeated-value", text.span, message);
                decoder.report(problem.help("case and emphasis make no difference; take one out"));
            } else {
                all.push(Phrase { written: text.value, folded });
            }
        }
        (decoder.problems() == before).then_some(Phrases { all })
    }

    /// Reads a parameter that may be absent: then there are no phrases.
    pub(super) fn decode_some(decoder: &mut Decoder<'_>, node: Option<&Node>) -> Option<Phrases> {
        node.map_or_else(|| Some(Phrases::default()), |node| Phrases::decode(decoder, node))
    }

    /// As a parameter's value; `None` where there is none.
    pub(super) fn value(&self) -> Option<Value<'static>> {
        let all = self.all.iter().map(|phrase| Value::from(phrase.written.clone())).collect();
        (!self.all.is_empty()).then_some(Value::Array(all))
    }

    /// The first that a text has, as its author wrote it.
    pub(super) fn found_in(&self, text: &str) -> Option<&str> {
        self.all.iter().find(|phrase| phrase.is_in(text)).map(|phrase| phrase.written.as_str())
    }

    /// True if a text has one.
    pub(super) fn any_in(&self, text: &str) -> bool {
        self.found_in(text).is_some()
    }

    /// `"a"`, `"b"` or `"c"`, for a prompt.
    pub(super) fn words(&self) -> String {
        joined(&self.all.iter().map(|phrase| quoted(&phrase.written)).collect::<Vec<_>>(), "or")
    }

    /// The same behind other words; nothing where there is none.
    pub(super) fn behind(&self, words: &str) -> String {
        if self.all.is_empty() { String::new() } else { format!("{words} {}", self.words()) }
    }
}

/// The first sentence that states, asks nothing and has none of `except`, and that has one of some phrases: the phrase,
/// and the sentence.
pub(super) fn stated<'t, 'p>(text: &'t str, phrases: &'p Phrases, except: &Phrases) -> Option<(&'p str, &'t str)> {
    let states = sentences(text).filter(|sentence| !asks(sentence) && !except.any_in(sentence));
    states.filter_map(|sentence| Some((phrases.found_in(sentence)?, sentence))).next()
}

impl Phrase {
    fn is_in(&self, text: &str) -> bool {
        let (Some(first), Some(last)) = (self.folded.first(), self.folded.last()) else { return false };
        let (mut rest, mut before) = (Folded::of(text), None);
        loop {
            let mut behind = rest.clone();
            if ends_word(before, *first)
                && self.folded.iter().all(|wanted| behind.next() == Some(*wanted))
                && ends_word(behind.next(), *last)
            {
                return true;
            }
            before = rest.next();
            if before.is_none() {
                return false;
            }
        }
    }
}

/// True if what stands beside a phrase does not go on with its word.
fn ends_word(beside: Option<char>, edge: char) -> bool {
    let Some(beside) = beside else { return true };
    !(beside.is_alphanumeric() && edge.is_alphanumeric()) || is_unspaced(beside) || is_unspaced(edge)
}

/// True for a letter of a script that sets no spaces between words.
fn is_unspaced(letter: char) -> bool {
    matches!(u32::from(letter),
        // Thai and Lao, Myanmar, Khmer, kana, Han, Hangul, whose particles are written on.
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0x20000..=0x323AF)
}

/// A text as it is compared.
#[derive(Clone, Debug)]
struct Folded<'t> {
    characters: std::str::Chars<'t>,
    lower: Option<std::char::ToLowercase>,
    is_behind_space: bool,
}

impl<'t> Folded<'t> {
    fn of(text: &'t str) -> Folded<'t> {
        Folded { characters: text.chars(), lower: None, is_behind_space: false }
    }
}

impl Iterator for Folded<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        loop {
            if let Some(next) = self.lower.as_mut().and_then(Iterator::next) {
                return Some(next);
            }
            let character = self.characters.next()?;
            if character.is_whitespace() {
                if !std::mem::replace(&mut self.is_behind_space, true) {
                    return Some(' ');
                }
                continue;
            }
            if is_invisible(character) || matches!(character, '*' | '_' | '`' | '~') {
                continue;
            }
            self.is_behind_space = false;
            let plain = if matches!(character, '’' | '‘' | 'ʼ') { '\'' } else { character };
            self.lower = Some(plain.to_lowercase());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(written: &[&str]) -> Phrases {
        let of = |written: &&str| Phrase { written: (*written).into(), folded: Folded::of(written).collect() };
        Phrases { all: written.iter().map(of).collect() }
    }

    #[test]
    fn a_phrase_is_found_whole_and_however_it_is_dressed() {
        let cases = [
            ("refunded", "It was REFUNDED.", true),
            ("refunded", "It was refundedish.", false),
            ("refunded", "unrefunded", false),
            ("has been refunded", "It has **been**\n  refunded!", true),
            ("couldn't", "I couldn’t do it", true),
            ("refunded", "re\u{200b}funded", true),
            ("已退款", "您的订单已退款。", true),
            ("✅", "Order✅done", true),
            ("no", "not a note", false),
            ("aab", "aaab aab", true),
            ("done", "", false),
        ];
        for (phrase, text, wanted) in cases {
            assert_eq!(phrases(&[phrase]).any_in(text), wanted, "{phrase:?} in {text:?}");
        }
    }

    #[test]
    fn a_question_states_nothing_and_neither_does_an_exception() {
        let (claims, offers) = (phrases(&["refunded"]), phrases(&["once you confirm"]));
        let text = "Shall it be refunded? It is refunded once you confirm. Ok. It is refunded.";
        assert_eq!(stated(text, &claims, &offers), Some(("refunded", "It is refunded.")));
        assert_eq!(stated("Refunded?", &claims, &offers), None);
    }
}
