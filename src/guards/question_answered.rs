//! `questionAnswered`: who asked gets more than a word.

use super::markdown::{outside_code, words};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `questionAnswered`.
#[derive(Debug)]
pub struct QuestionAnswered;

static ABOUT: About = About {
    name: "questionAnswered",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `questionAnswered`",
        fields: &[Field::optional("minWords", Type::CountFromOne, "How many words an answer has at least; absent: 2.")],
    },
    docs: "\
## What it checks
Where the message that began the turn has a question mark, the reply has `minWords` words at least. What stands in backticks,
such as the name of a tool, is no word of an answer. In scripts that run words together (Chinese, Japanese, Thai …) each
character is one.

That a question mark was typed is all that it knows of the message, and the only fact of it that is no value. It can only
cause a redrive: it judges no call, allows nothing, and no phrasing of a message switches another guard on or off.

## Why
After a call a model may answer a question with `Done.` or with the name of the tool.

## Example
```yaml
- {id: answer, kind: questionAnswered, with: {minWords: 4}}
```

## Correction
The user asked something, and the reply has 1 word. Answer the question in at least 4 words.
",
};

/// How many words an answer has where the author says nothing.
const MIN_WORDS: usize = 2;

#[derive(Clone, Copy, Debug)]
struct Answer {
    min_words: usize,
}

impl Kind for QuestionAnswered {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let Some(node) = with.get("minWords") else { return Some(Arc::new(Answer { min_words: MIN_WORDS })) };
        let count = decoder.count(node)?;
        if count.value == 0 {
            let problem = Diagnostic::error("bad-count", count.span, "`minWords` of `questionAnswered` is from 1");
            decoder.report(problem.help("take the guard out where no answer is needed"));
            return None;
        }
        Some(Arc::new(Answer { min_words: usize::try_from(count.value).unwrap_or(usize::MAX) }))
    }
}

fn counted(count: usize) -> String {
    format!("{count} word{}", if count == 1 { "" } else { "s" })
}

fn words_of_answer(text: &str) -> usize {
    outside_code(text).map(words).fold(0, usize::saturating_add)
}

impl Rule for Answer {
    fn parameters(&self) -> Value<'static> {
        let min = Value::from(i64::try_from(self.min_words).unwrap_or(i64::MAX));
        Object::of_some([("minWords", (self.min_words != MIN_WORDS).then_some(min))]).into()
    }

    fn prose(&self) -> String {
        format!("answer what the user asks, in at least {}", counted(self.min_words))
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(*self)))
    }
}

impl Check for Answer {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let reply = evaluation.context.reply;
        let fires = reply.is_some_and(|reply| reply.question_typed && words_of_answer(reply.text) < self.min_words);
        if fires { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let (has, min) = (counted(words_of_answer(super::reply::text(context))), counted(self.min_words));
        format!("The user asked something, and the reply has {has}. Answer the question in at least {min}.")
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(guard: &str, typed: &str, text: &str) -> Result<(), String> {
        judge(guard, &Told { typed, ..Told::of(text) })
    }

    #[test]
    fn a_word_or_the_name_of_a_tool_is_no_answer() {
        let guard = "{kind: questionAnswered}";
        let wanted = "The user asked something, and the reply has 1 word. Answer the question in at least 2 words.";
        assert_eq!(judged(guard, "is it open?", "Done.").unwrap_err(), wanted);
        assert_eq!(judged(guard, "is it open?", "Done: `look_up order`!").unwrap_err(), wanted);
        assert_eq!(judged(guard, "is it open?", "Yes, today."), Ok(()));
        assert_eq!(judged(guard, "开门吗?", "开门。"), Ok(()));
    }

    #[test]
    fn without_a_question_a_word_is_enough() {
        assert_eq!(judged("{kind: questionAnswered}", "close it", "Done."), Ok(()));
    }

    #[test]
    fn how_many_words_is_the_authors_choice() {
        let guard = "{kind: questionAnswered, with: {minWords: 4}}";
        assert!(judged(guard, "open?", "Yes, today only.").is_err());
        assert_eq!(judged(guard, "open?", "Yes, today until five."), Ok(()));
        let problems = policy(TOOLS, "{kind: questionAnswered, with: {minWords: 0}}").unwrap_err();
        assert_eq!(problems, "bad-count: `minWords` of `questionAnswered` is from 1");
    }
}
