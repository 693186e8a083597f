//! `mustNotMention`: words that a reply may not have.

use super::lexicon::{Case, Lexicon, named, words};
use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `mustNotMention`.
#[derive(Debug)]
pub struct MustNotMention;

static ABOUT: About = About {
    name: "mustNotMention",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `mustNotMention`",
        fields: &[Field::required("words", Type::List(&Type::Text), "The words that a reply may not have.")],
    },
    docs: "\
## What it checks
The reply has none of the words, in small or capital letters. A word may be several words. It counts where it stands whole:
`rate` is not in `corporate`, and `50` is not in `150` or `3.50`. In scripts that run words together (Chinese, Japanese,
Thai …) it counts anywhere. It also checks text beside calls.

## Why
Names of partners under negotiation, of people, of internal systems: what may not be said at all. What has a right word
instead is better replaced (`jargonScrub`).

## Example
```yaml
- {id: no-internals, kind: mustNotMention, with: {words: [Project Heron, backoffice]}}
```

## Correction
The reply mentions \"Project Heron\". Write it without.
",
};

#[derive(Clone, Debug)]
struct MustNot {
    words: Vec<String>,
    lexicon: Lexicon,
}

impl Kind for MustNotMention {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let words = words(decoder, with.get("words")?, Case::Any, "list a word, or take the guard out");
        let lexicon = Lexicon::new(&words, Case::Any);
        (decoder.problems() == before).then(|| Arc::new(MustNot { words, lexicon }) as Arc<dyn Rule>)
    }
}

impl Rule for MustNot {
    fn parameters(&self) -> Value<'static> {
        let words = self.words.iter().map(|word| Value::from(word.clone())).collect();
        Object::of([("words", Value::Array(words))]).into()
    }

    fn prose(&self) -> String {
        format!("never mention {}", named(self.words.iter(), "or"))
    }

    fn is_interim(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for MustNot {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.lexicon.first(text).is_some())
    }

    fn window(&self) -> Option<usize> {
        Some(self.lexicon.window())
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let found = self.lexicon.found(text(context));
        let said = self.words.iter().enumerate().filter(|(index, _)| found.has(*index)).map(|(_, word)| word);
        format!("The reply mentions {}. Write it without.", named(said, "and"))
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(text: &str) -> Result<(), String> {
        judge("{kind: mustNotMention, with: {words: [Project Heron, rate, '50']}}", &Told::of(text))
    }

    #[test]
    fn a_word_is_found_whole_in_any_case() {
        assert_eq!(judged("See project\nHERON.").unwrap_err(), {
            "The reply mentions \"Project Heron\". Write it without."
        });
        assert_eq!(judged("rate: 50").unwrap_err(), "The reply mentions \"rate\" and \"50\". Write it without.");
        assert!(judged("ra\u{200b}te").is_err());
    }

    #[test]
    fn a_longer_word_or_number_is_another_one() {
        assert_eq!(judged("Corporate herons project 150, 3.50, 50.2 and 1,500."), Ok(()));
    }

    #[test]
    fn lists_that_say_nothing_are_refused() {
        for (with, wanted) in [
            ("{words: []}", "empty-list: the list is empty"),
            ("{words: ['']}", "blank-text: a blank text says nothing"),
            ("{words: [a b, 'A  b']}", "repeated-value: `a b` stands in the list twice"),
            ("{}", "missing-key: missing key `words`"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: mustNotMention, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
