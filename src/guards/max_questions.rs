//! `maxQuestions`: how many questions a reply asks.

use super::markdown::questions;
use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `maxQuestions`.
#[derive(Debug)]
pub struct MaxQuestions;

static ABOUT: About = About {
    name: "maxQuestions",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `maxQuestions`",
        fields: &[
            Field::required("max", Type::Count, "How many questions a reply may ask; 0 allows none."),
            Field::optional("min", Type::Count, "How many it must ask; absent: none."),
        ],
    },
    docs: "\
## What it checks
The reply asks at most `max` questions, and at least `min`. A question is a question mark of any script (`?`, `？`, `؟`); a
run of them such as `?!?` is one. A question mark inside an address or inside code is none. With `{max: 1, min: 1}` every
reply asks exactly one.

## Why
Of three questions at once a user answers one. A bot that guides step by step ends each reply with one question.

## Example
```yaml
- {id: one-question, kind: maxQuestions, with: {max: 1}}
```

## Correction
The reply asks 3 questions; ask at most 1 question. Keep the one that matters most.
",
};

#[derive(Clone, Copy, Debug)]
struct Questions {
    min: u64,
    max: u64,
}

impl Kind for MaxQuestions {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let max = with.get("max").and_then(|node| decoder.count(node));
        let min = match with.get("min") {
            Some(node) => decoder.count(node)?.value,
            None => 0,
        };
        let max = max?.value;
        if max < min {
            let message = format!("no reply asks at least {min} and at most {max} questions");
            let problem = Diagnostic::error("impossible-range", with.head(), message);
            decoder.report(problem.help("raise `max` or lower `min`"));
            return None;
        }
        Some(Arc::new(Questions { min, max }))
    }
}

impl Questions {
    fn range(self) -> String {
        match (self.min, self.max) {
            (_, 0) => "no question".into(),
            (min, max) if min == max => format!("exactly {max} question{}", if max == 1 { "" } else { "s" }),
            (0, max) => format!("at most {max} question{}", if max == 1 { "" } else { "s" }),
            (min, max) => format!("{min} to {max} questions"),
        }
    }

    fn holds(self, text: &str) -> bool {
        let asked = u64::try_from(questions(text)).unwrap_or(u64::MAX);
        (self.min..=self.max).contains(&asked)
    }
}

impl Rule for Questions {
    fn parameters(&self) -> Value<'static> {
        let count = |count: u64| Value::from(i64::try_from(count).unwrap_or(i64::MAX));
        Object::of_some([("max", Some(count(self.max))), ("min", (self.min > 0).then(|| count(self.min)))]).into()
    }

    fn prose(&self) -> String {
        format!("a reply asks {}", self.range())
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(*self)))
    }
}

impl Check for Questions {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| !self.holds(text))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let asked = questions(text(context));
        let asks = match asked {
            0 => "no question".to_owned(),
            1 => "1 question".to_owned(),
            asked => format!("{asked} questions"),
        };
        let is_many = u64::try_from(asked).unwrap_or(u64::MAX) > self.max;
        let keep = match (is_many, self.max) {
            (true, 1) => " Keep the one that matters most.",
            (true, max) if max > 1 => " Keep those that matter most.",
            _ => "",
        };
        format!("The reply asks {asks}; ask {}.{keep}", self.range())
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(with: &str, text: &str) -> Result<(), String> {
        judge(&format!("{{kind: maxQuestions, with: {with}}}"), &Told::of(text))
    }

    #[test]
    fn more_than_the_most_or_less_than_the_least_fires() {
        let wanted = "The reply asks 2 questions; ask at most 1 question. Keep the one that matters most.";
        assert_eq!(judged("{max: 1}", "Which? When?").unwrap_err(), wanted);
        let wanted = "The reply asks no question; ask exactly 1 question.";
        assert_eq!(judged("{max: 1, min: 1}", "Done.").unwrap_err(), wanted);
        assert_eq!(judged("{max: 0}", "Well？").unwrap_err(), "The reply asks 1 question; ask no question.");
        assert_eq!(judged("{max: 1}", "Done."), Ok(()));
    }

    #[test]
    fn a_run_of_signs_is_one_question_and_an_address_none() {
        let text = "Really?!? See https://a.example/x?y=1 or `a ? b : c`.";
        assert_eq!(judged("{max: 1, min: 1}", text), Ok(()));
    }

    #[test]
    fn a_range_without_a_number_is_refused() {
        for (with, wanted) in [
            ("{max: 1, min: 2}", "impossible-range: no reply asks at least 2 and at most 1 questions"),
            ("{min: 1}", "missing-key: missing key `max`"),
            ("{max: 1.5}", "bad-count"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: maxQuestions, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
