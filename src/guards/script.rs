//! `script`: a reply is written in the letters it should be.

use super::lexicon::{Case, Lexicon, words};
use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use regex::Regex;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

/// The kind `script`.
#[derive(Debug)]
pub struct Script;

/// The scripts that may be allowed, by their names in Unicode.
const NAMES: &[&str] = &[
    "Arabic",
    "Armenian",
    "Bengali",
    "Bopomofo",
    "Cherokee",
    "Cyrillic",
    "Devanagari",
    "Ethiopic",
    "Georgian",
    "Greek",
    "Gujarati",
    "Gurmukhi",
    "Han",
    "Hangul",
    "Hebrew",
    "Hiragana",
    "Kannada",
    "Katakana",
    "Khmer",
    "Lao",
    "Latin",
    "Malayalam",
    "Mongolian",
    "Myanmar",
    "Oriya",
    "Sinhala",
    "Syriac",
    "Tamil",
    "Telugu",
    "Thaana",
    "Thai",
    "Tibetan",
];

static ABOUT: About = About {
    name: "script",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `script`",
        fields: &[
            Field::required("allow", Type::List(&Type::Word(NAMES)), "The scripts of the letters that a reply may have."),
            Field::optional("except", Type::List(&Type::Text), "Words that may stand in other letters, such as names."),
        ],
    },
    docs: "\
## What it checks
Every letter of the reply is of a script in `allow`, by its Unicode name; Japanese is `[Han, Hiragana, Katakana]`. Digits,
punctuation, emoji, symbols and the letters of units (`μ`, `Ω`) are of no script. One letter is enough to fire: a Cyrillic
`а` inside a Latin word looks the same and is not. Words in `except` may stand as they are, whole and in small or capital
letters.

## Why
A model that was trained in many languages falls into another one, for a word or for a whole reply; and a look-alike letter
makes an address another one.

## Example
```yaml
- {id: latin-only, kind: script, with: {allow: [Latin], except: [Яндекс]}}
```

## Correction
The reply has \"привет\" in Cyrillic letters. Write it in Latin letters.
",
};

#[derive(Clone, Debug)]
struct Written {
    allow: Vec<&'static str>,
    except: Vec<String>,
    lexicon: Lexicon,
    /// A letter of another script.
    foreign: Regex,
}

/// Letters of other scripts. `scx` has a letter that several scripts share in each of them; micro and ohm stand in every one.
fn foreign(allow: &[&str]) -> Result<Regex, regex::Error> {
    let allowed: String = allow.iter().map(|name| format!(r"\p{{scx={name}}}")).collect();
    Regex::new(&format!(r"[\p{{L}}--[\p{{sc=Common}}\p{{sc=Inherited}}μΩ\x{{2126}}{allowed}]]"))
}

impl Kind for Script {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let known: Vec<(&'static str, &'static str)> = NAMES.iter().map(|name| (*name, *name)).collect();
        let node = with.get("allow")?;
        let items = decoder.list(node);
        let items = decoder.some(node, items, "name a script: `Latin`");
        let read: Vec<_> = items.iter().filter_map(|item| Some((decoder.word(item, &known)?, item.span))).collect();
        decoder.distinct(read.iter().map(|(name, span)| ((*name).to_owned(), *span)));
        let allow: Vec<&'static str> = read.into_iter().map(|(name, _)| name).collect();
        let empty = "list a word, or leave `except` out";
        let except = with.get("except").map(|node| words(decoder, node, Case::Any, empty)).unwrap_or_default();
        if decoder.problems() != before {
            return None;
        }
        let lexicon = Lexicon::new(&except, Case::Any);
        let foreign = foreign(&allow).ok()?;
        Some(Arc::new(Written { allow, except, lexicon, foreign }))
    }
}

impl Rule for Written {
    fn parameters(&self) -> Value<'static> {
        let allow = self.allow.iter().map(|name| Value::from(*name)).collect();
        let except = self.except.iter().map(|word| Value::from(word.clone())).collect();
        let except = (!self.except.is_empty()).then_some(Value::Array(except));
        Object::of_some([("allow", Some(Value::Array(allow))), ("except", except)]).into()
    }

    fn prose(&self) -> String {
        let except = match self.except.as_slice() {
            [] => String::new(),
            except => format!(", but for {}", super::lexicon::named(except.iter(), "and")),
        };
        format!("write replies in {} letters only{except}", crate::text::joined(&self.allow, "and"))
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Written {
    /// The first letter of another script outside the words that may have one.
    fn found(&self, text: &str) -> Option<Range<usize>> {
        let mut from = 0;
        let within = |from: usize, to: usize| {
            let found = self.foreign.find(text.get(from..to)?)?;
            Some(from.saturating_add(found.start())..from.saturating_add(found.end()))
        };
        let found = self.lexicon.each(text, |mention| {
            if let Some(found) = within(from, mention.at.start) {
                return ControlFlow::Break(found);
            }
            from = from.max(mention.at.end);
            ControlFlow::Continue(())
        });
        found.break_value().or_else(|| within(from, text.len()))
    }
}

/// The script of a letter.
fn script_of(letter: &str) -> Option<&'static str> {
    // Only a reply that is wrong already gets here.
    NAMES.iter().copied().find(|name| Regex::new(&format!(r"\p{{sc={name}}}")).is_ok_and(|of| of.is_match(letter)))
}

/// The letters around a place, up to what is none.
fn word_at(text: &str, at: &Range<usize>) -> String {
    let head = text.get(..at.start).unwrap_or_default();
    let head = head.get(head.trim_end_matches(char::is_alphanumeric).len()..).unwrap_or_default();
    let tail = text.get(at.clone()).unwrap_or_default();
    let rest = text.get(at.end..).unwrap_or_default();
    let rest = rest.get(..rest.len().saturating_sub(rest.trim_start_matches(char::is_alphanumeric).len()));
    format!("{head}{tail}{}", rest.unwrap_or_default())
}

impl Check for Written {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.found(text).is_some())
    }

    fn window(&self) -> Option<usize> {
        let of_except = if self.except.is_empty() { 0 } else { self.lexicon.window() };
        Some(of_except.max(char::MAX.len_utf8()))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let text = text(context);
        let allowed = crate::text::joined(&self.allow, "or");
        let Some(at) = self.found(text) else { return format!("Write the reply in {allowed} letters.") };
        let letter = text.get(at.clone()).unwrap_or_default();
        let word = word_at(text, &at);
        let script = script_of(letter).unwrap_or("other");
        let is_mixed =
            word.chars().any(|one| one.is_alphabetic() && !self.foreign.is_match(one.encode_utf8(&mut [0; 4])));
        let word = crate::text::quoted(&word);
        if is_mixed {
            let code = letter.chars().next().map_or(0, u32::from);
            return format!(
                "The reply has the {script} letter `{letter}` (U+{code:04X}) in {word}. Write it in {allowed} letters."
            );
        }
        format!("The reply has {word} in {script} letters. Write it in {allowed} letters.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(with: &str, text: &str) -> Result<(), String> {
        judge(&format!("{{kind: script, with: {with}}}"), &Told::of(text))
    }

    #[test]
    fn a_letter_of_another_script_fires_and_is_named() {
        let latin = "{allow: [Latin]}";
        let wanted = "The reply has \"привет\" in Cyrillic letters. Write it in Latin letters.";
        assert_eq!(judged(latin, "Hello, привет!").unwrap_err(), wanted);
        let wanted = "The reply has the Cyrillic letter `а` (U+0430) in \"pаypal\". Write it in Latin letters.";
        assert_eq!(judged(latin, "Open p\u{430}ypal now").unwrap_err(), wanted);
        for (text, script) in [("好", "Han"), ("ก", "Thai"), ("שלום", "Hebrew"), ("ひ", "Hiragana"), ("λ", "Greek")]
        {
            assert!(judged(latin, text).unwrap_err().contains(script), "{text}");
        }
        assert!(judged(latin, "\u{10330}").unwrap_err().contains("in other letters"));
    }

    #[test]
    fn what_is_no_letter_is_of_no_script() {
        let text = "Straße, naïve café: 5 €, 20 %, ½, №, ™, 👍🏽, ١٢٣, “–”, 3 µm, 3 μg, 4 kΩ, 4 \u{2126}, ①\u{301}";
        assert_eq!(judged("{allow: [Latin]}", text), Ok(()));
        assert_eq!(judged("{allow: [Cyrillic]}", "Привет, 5 € 👍"), Ok(()));
        assert_eq!(judged("{allow: [Han, Hiragana, Katakana]}", "東京へようこそ。コーヒー々"), Ok(()));
        assert_eq!(judged("{allow: [Devanagari]}", "नमस्ते, आप कैसे हैं?"), Ok(()));
    }

    #[test]
    fn words_that_are_excepted_stand_whole() {
        let with = "{allow: [Latin], except: [Яндекс, 淘宝]}";
        assert_eq!(judged(with, "Ask ЯНДЕКС or 淘宝."), Ok(()));
        assert!(judged(with, "Ask Яндекса.").is_err());
        assert!(judged(with, "Ask Яндекс или us.").unwrap_err().contains("\"или\""));
        assert!(judged(with, "Да, Яндекс").unwrap_err().contains("\"Да\""));
    }

    #[test]
    fn every_name_is_a_script_and_others_are_refused() {
        for name in NAMES {
            assert!(foreign(&[name]).is_ok(), "{name}");
        }
        for (with, wanted) in [
            ("{allow: []}", "empty-list"),
            ("{allow: [Klingon]}", "unknown-word: `Klingon` is none of"),
            ("{allow: [Latin, Latin]}", "repeated-value"),
            ("{allow: [Latin], except: ['']}", "blank-text"),
            ("{}", "missing-key: missing key `allow`"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: script, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
