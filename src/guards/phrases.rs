//! Phrases that an author declares, looked for in what a reply states.
//!
//! A [`Lexicon`] finds them, once emphasis is taken out of the text: `has been **refunded**` is `has been refunded`.
//! Nothing is judged here.

use super::lexicon::{Case, Lexicon};
use super::reply::{asks, sentences};
use crate::decode::{Decoder, Type};
use crate::diagnostic::Diagnostic;
use crate::text::{is_blank, joined, quoted};
use crate::value::Value;
use crate::yaml::Node;
use std::borrow::Cow;

/// What a parameter of phrases holds.
pub(super) const PHRASES: Type = Type::OneOrMany(&Type::Text);

/// Some phrases, none of them empty.
#[derive(Clone, Debug)]
pub(super) struct Phrases {
    written: Vec<String>,
    lexicon: Lexicon,
}

impl Phrases {
    fn new(written: Vec<String>) -> Phrases {
        let plain: Vec<String> = written.iter().map(|phrase| plain(phrase.trim()).into_owned()).collect();
        Phrases { lexicon: Lexicon::new(&plain, Case::Any), written }
    }

    /// No phrases, which nothing has.
    pub(super) fn none() -> Phrases {
        Phrases::new(Vec::new())
    }

    /// Reads one or a list; `None` after a problem.
    pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Phrases> {
        let before = decoder.problems();
        let items = decoder.one_or_many(node);
        let items = decoder.some(node, items, "write the words that are looked for, or leave the key out");
        let mut written = Vec::new();
        for item in items {
            let Some(text) = decoder.sentence(item) else { continue };
            if is_blank(&plain(&text.value)) {
                let problem = Diagnostic::error("blank-text", text.span, "nothing is left of it to look for");
                decoder.report(problem.help("write letters, digits or signs that can be seen"));
            } else {
                written.push(text);
            }
        }
        decoder.distinct(written.iter().map(|text| (plain(&text.value).to_lowercase(), text.span)));
        let written = written.into_iter().map(|text| text.value).collect();
        (decoder.problems() == before).then(|| Phrases::new(written))
    }

    /// Reads a parameter that may be absent: then there are no phrases.
    pub(super) fn decode_some(decoder: &mut Decoder<'_>, node: Option<&Node>) -> Option<Phrases> {
        node.map_or_else(|| Some(Phrases::none()), |node| Phrases::decode(decoder, node))
    }

    /// As a parameter's value; `None` where there is none.
    pub(super) fn value(&self) -> Option<Value<'static>> {
        let all = self.written.iter().cloned().map(Value::from).collect();
        (!self.written.is_empty()).then_some(Value::Array(all))
    }

    /// The first that stands in a text, as its author wrote it.
    fn found_in(&self, plain: &str) -> Option<&str> {
        let mention = self.lexicon.first(plain)?;
        self.written.get(mention.index).map(String::as_str)
    }

    /// True if a text has one.
    pub(super) fn any_in(&self, text: &str) -> bool {
        self.lexicon.first(&plain(text)).is_some()
    }

    /// `"a"`, `"b"` or `"c"`, for a prompt.
    pub(super) fn words(&self) -> String {
        joined(&self.written.iter().map(|phrase| quoted(phrase)).collect::<Vec<_>>(), "or")
    }

    /// The same behind other words; nothing where there is none.
    pub(super) fn behind(&self, words: &str) -> String {
        if self.written.is_empty() { String::new() } else { format!("{words} {}", self.words()) }
    }
}

/// What the first phrase is that some sentence states: one that asks nothing and has none of `except`.
pub(super) fn stated<'p>(text: &str, phrases: &'p Phrases, except: &Phrases) -> Option<&'p str> {
    let text = plain(text);
    let mut states = sentences(&text).filter(|sentence| !asks(sentence) && except.found_in(sentence).is_none());
    states.find_map(|sentence| phrases.found_in(sentence))
}

/// True if some sentence asks.
pub(super) fn does_ask(text: &str) -> bool {
    sentences(&plain(text)).any(asks)
}

/// The phrase of the first sentence that has one and of which something is found, and what that is.
pub(super) fn in_a_sentence<'p, T>(
    text: &str,
    phrases: &'p Phrases,
    mut find: impl FnMut(&str) -> Option<T>,
) -> Option<(&'p str, T)> {
    sentences(text).find_map(|sentence| Some((phrases.found_in(&plain(sentence))?, find(sentence)?)))
}

/// A text without the marks of emphasis and code. A `_` inside a word is a part of it.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(['*', '_', '`', '~']) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut before) = (String::with_capacity(text.len()), None);
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let beside = [before, rest.peek().copied()];
        let is_inside = beside.into_iter().all(|one: Option<char>| one.is_some_and(char::is_alphanumeric));
        if !matches!(character, '*' | '`' | '~') && (character != '_' || is_inside) {
            out.push(character);
        }
        before = Some(character);
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases(written: &[&str]) -> Phrases {
        Phrases::new(written.iter().map(|one| (*one).to_owned()).collect())
    }

    #[test]
    fn a_phrase_is_found_whole_and_however_it_is_dressed() {
        let cases = [
            ("refunded", "It was REFUNDED.", true),
            ("refunded", "It was refundedish.", false),
            ("refunded", "unrefunded", false),
            ("has been refunded", "It has **been**\n  _refunded_!", true),
            ("has been refunded", "__It has been `refunded`__", true),
            ("couldn't", "I couldn’t do it", true),
            ("refunded", "re\u{200b}funded", true),
            ("已退款", "您的订单已退款。", true),
            ("✅", "Order ✅ done", true),
            ("no", "not a note", false),
            ("no_op", "a no_op here", true),
            ("no", "a no_op here", false),
            ("aab", "aaab aab", true),
            ("done", "", false),
        ];
        for (phrase, text, wanted) in cases {
            assert_eq!(phrases(&[phrase]).any_in(text), wanted, "{phrase:?} in {text:?}");
        }
        assert!(!Phrases::none().any_in("anything"));
    }

    #[test]
    fn a_question_states_nothing_and_neither_does_an_exception() {
        let (claims, offers) = (phrases(&["refunded"]), phrases(&["once you confirm"]));
        let text = "Shall it be refunded? It is refunded once you confirm. Ok. It is **refunded**.";
        assert_eq!(stated(text, &claims, &offers), Some("refunded"));
        assert_eq!(stated("Refunded? Refunded once you confirm.", &claims, &offers), None);
    }
}
