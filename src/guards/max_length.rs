//! `maxLength`: how long a reply may be.

use super::markdown::words;
use super::reply::{fires_if, sentences, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `maxLength`.
#[derive(Debug)]
pub struct MaxLength;

static ABOUT: About = About {
    name: "maxLength",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `maxLength`",
        fields: &[
            Field::optional("characters", Type::CountFromOne, "The most characters, spaces among them."),
            Field::optional("words", Type::CountFromOne, "The most words."),
            Field::optional("sentences", Type::CountFromOne, "The most sentences."),
        ],
    },
    docs: "\
## What it checks
The reply has at most so many `characters` (code points, without white space around the text), `words` and `sentences`. A
word is what stands between white space and has a letter or a digit; in scripts that run words together (Chinese, Japanese,
Thai …) each character is one. A sentence ends at `.`, `!`, `?` before white space, and at the end of a line. What the engine
appends to a reply does not count.

## Why
A text message, a voice, a small screen: what is too long there is cut, or not read.

## Example
```yaml
- {id: short, kind: maxLength, with: {characters: 480, sentences: 4}}
```

## Correction
The reply has 7 sentences, at most 4 are allowed. Say it in fewer.
",
};

/// A measure, and its word in one and in many.
type Measure = (&'static str, &'static str, fn(&str) -> usize);

const MEASURES: [Measure; 3] = [
    ("characters", "character", |text| text.trim().chars().count()),
    ("words", "word", words),
    ("sentences", "sentence", |text| sentences(text).filter(|one| one.chars().any(char::is_alphanumeric)).count()),
];

#[derive(Clone, Copy, Debug)]
struct Length {
    /// In the order of the measures.
    most: [Option<usize>; 3],
}

impl Kind for MaxLength {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let most = MEASURES.map(|(key, ..)| {
            let count = with.get(key).and_then(|node| decoder.count(node))?;
            if count.value == 0 {
                let problem = Diagnostic::error("bad-count", count.span, format!("`{key}` of `maxLength` is from 1"));
                decoder.report(problem.help("a blank reply is never delivered"));
            }
            Some(usize::try_from(count.value).unwrap_or(usize::MAX))
        });
        if decoder.problems() == before && most.iter().all(Option::is_none) {
            let problem = Diagnostic::error("missing-key", with.head(), "`maxLength` has no limit");
            decoder.report(problem.help("give `characters`, `words` or `sentences`"));
        }
        (decoder.problems() == before).then(|| Arc::new(Length { most }) as Arc<dyn Rule>)
    }
}

impl Length {
    /// The limits there are.
    fn limits(&self) -> impl Iterator<Item = (Measure, usize)> {
        MEASURES.into_iter().zip(self.most).filter_map(|(measure, most)| Some((measure, most?)))
    }

    fn exceeded<'t>(&self, text: &'t str) -> impl Iterator<Item = (Measure, usize, usize)> + use<'t> {
        let limits = MEASURES.into_iter().zip(self.most);
        limits.filter_map(|(measure, most)| {
            let most = most?;
            let length = (measure.2)(text);
            (length > most).then_some((measure, length, most))
        })
    }
}

fn counted((many, one, _): Measure, count: usize) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl Rule for Length {
    fn parameters(&self) -> Value<'static> {
        let value = |most: usize| Value::from(i64::try_from(most).unwrap_or(i64::MAX));
        let [characters, words, sentences] = self.most.map(|most| most.map(value));
        Object::of_some([("characters", characters), ("words", words), ("sentences", sentences)]).into()
    }

    fn prose(&self) -> String {
        let limits: Vec<String> = self.limits().map(|(measure, most)| counted(measure, most)).collect();
        format!("a reply has at most {}", crate::text::joined(&limits, "and"))
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(*self)))
    }
}

impl Check for Length {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.exceeded(text).next().is_some())
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let told = self.exceeded(text(context)).map(|(measure, length, most)| {
            let are = if most == 1 { "is" } else { "are" };
            format!("{}, at most {most} {are} allowed", counted(measure, length))
        });
        format!("The reply has {}. Say it in fewer.", told.collect::<Vec<_>>().join("; it has "))
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(with: &str, text: &str) -> Result<(), String> {
        judge(&format!("{{kind: maxLength, with: {with}}}"), &Told::of(text))
    }

    #[test]
    fn each_measure_has_its_own_limit() {
        assert_eq!(judged("{characters: 4}", " héé! \n"), Ok(()));
        let wanted = "The reply has 5 characters, at most 4 are allowed. Say it in fewer.";
        assert_eq!(judged("{characters: 4}", "a bcd").unwrap_err(), wanted);
        assert_eq!(judged("{words: 2}", "two — words"), Ok(()));
        assert!(judged("{words: 2}", "not two words").is_err());
        assert_eq!(judged("{sentences: 1}", "It costs 3.50 at a.example!"), Ok(()));
        let wanted = "The reply has 2 sentences, at most 1 is allowed. Say it in fewer.";
        assert_eq!(judged("{sentences: 1}", "One. Two.").unwrap_err(), wanted);
    }

    #[test]
    fn whatever_is_too_long_is_named() {
        let wanted =
            "The reply has 3 words, at most 2 are allowed; it has 3 sentences, at most 1 is allowed. Say it in fewer.";
        assert_eq!(judged("{words: 2, sentences: 1, characters: 90}", "A. B. C.").unwrap_err(), wanted);
    }

    #[test]
    fn a_limit_that_says_nothing_is_refused() {
        for (with, wanted) in [
            ("{}", "missing-key: `maxLength` has no limit"),
            ("{words: 0}", "bad-count: `words` of `maxLength` is from 1"),
            ("{words: many}", "wrong-type"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: maxLength, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
