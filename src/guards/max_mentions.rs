//! `maxMentions`: of some words only so many different ones in one reply.

use super::lexicon::{Case, Lexicon, named, words};
use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `maxMentions`.
#[derive(Debug)]
pub struct MaxMentions;

static ABOUT: About = About {
    name: "maxMentions",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `maxMentions`",
        fields: &[
            Field::required("words", Type::List(&Type::Text), "The words that count."),
            Field::required("max", Type::CountFromOne, "How many different ones a reply may have."),
        ],
    },
    docs: "\
## What it checks
The reply has at most `max` different ones of the words, as whole words in small or capital letters. The same word again
costs nothing.

## Why
One call to action is read, four are not; one offer helps, a list of them is advertising.

## Example
```yaml
- {id: one-offer, kind: maxMentions, with: {words: [gift card, newsletter, premium plan], max: 1}}
```

## Correction
The reply mentions \"gift card\" and \"newsletter\". Mention at most one of them.
",
};

#[derive(Clone, Debug)]
struct Most {
    words: Vec<String>,
    lexicon: Lexicon,
    max: usize,
}

impl Kind for MaxMentions {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let max = with.get("max").and_then(|node| decoder.count(node));
        let empty = "list a word, or take the guard out";
        let words = with.get("words").map(|node| words(decoder, node, Case::Any, empty)).unwrap_or_default();
        let max = max?;
        let problem = |message: String, help: &str| Diagnostic::error("bad-count", max.span, message).help(help);
        let most = usize::try_from(max.value).unwrap_or(usize::MAX);
        if most == 0 {
            let help = "the kind `mustNotMention` allows none of its words";
            decoder.report(problem("`max` of `maxMentions` is from 1".to_owned(), help));
        } else if most >= words.len() && decoder.problems() == before {
            let message = format!("`max` is {most}, and there are only {} words", words.len());
            decoder.report(problem(message, "lower it, or list more words"));
        }
        let lexicon = Lexicon::new(&words, Case::Any);
        (decoder.problems() == before).then(|| Arc::new(Most { words, lexicon, max: most }) as Arc<dyn Rule>)
    }
}

impl Most {
    fn how_many(&self) -> String {
        if self.max == 1 { "one".to_owned() } else { self.max.to_string() }
    }
}

impl Rule for Most {
    fn parameters(&self) -> Value<'static> {
        let words = self.words.iter().map(|word| Value::from(word.clone())).collect();
        let max = Value::from(i64::try_from(self.max).unwrap_or(i64::MAX));
        Object::of([("words", Value::Array(words)), ("max", max)]).into()
    }

    fn prose(&self) -> String {
        format!("a reply mentions at most {} of {}", self.how_many(), named(self.words.iter(), "and"))
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for Most {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.lexicon.found(text).count() > self.max)
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let found = self.lexicon.found(text(context));
        let said = self.words.iter().enumerate().filter(|(index, _)| found.has(*index)).map(|(_, word)| word);
        format!("The reply mentions {}. Mention at most {} of them.", named(said, "and"), self.how_many())
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(text: &str) -> Result<(), String> {
        judge("{kind: maxMentions, with: {words: [gift card, newsletter, plan], max: 1}}", &Told::of(text))
    }

    #[test]
    fn different_words_count_and_the_same_again_does_not() {
        assert_eq!(judged("A gift card. Gift card! A GIFT CARD?"), Ok(()));
        assert_eq!(judged("A plan, planned by plane."), Ok(()));
        let wanted = "The reply mentions \"gift card\" and \"newsletter\". Mention at most one of them.";
        assert_eq!(judged("Our newsletter has a gift card.").unwrap_err(), wanted);
    }

    #[test]
    fn a_limit_that_never_or_always_holds_is_refused() {
        for (with, wanted) in [
            ("{words: [a, b], max: 0}", "bad-count: `max` of `maxMentions` is from 1"),
            ("{words: [a, b], max: 2}", "bad-count: `max` is 2, and there are only 2 words"),
            ("{words: [], max: 1}", "empty-list"),
            ("{words: [a, b], max: -1}", "bad-count"),
            ("{words: [a, a], max: 1}", "repeated-value"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: maxMentions, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
