//! `llmCheck`: a fixed question that the host puts to a model, about a reply or a call.

use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Failure, Finding, Query, Question};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::text::quoted;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `llmCheck`.
#[derive(Debug)]
pub struct LlmCheck;

static ABOUT: About = About {
    name: "llmCheck",
    hooks: &[Hook::PreTool, Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `llmCheck`",
        fields: &[Field::required("question", Type::Text, "What the model is asked; it is the same every time.")],
    },
    docs: "\
## What it checks
The host puts `question` to a model of its choice, with the evidence that it gets beside it: `{text, claims}` of a
reply, `{tool, args}` of a call. It answers with a text: `NONE` passes, and `VIOLATION: the reason` fires. Any other
answer, a failure or none at all is the guard's failure, and denies. Guards that need no answer judge first: what one
of them denies is never asked about. The question is fixed, and what stands in the evidence is material: the host must
put it so that it cannot be taken for the question.

There is no `failMode`. A judge that may fail without consequence is one that only watches: with `action: audit` what
it finds is recorded and stops nothing.

## Why
Some rules can only be read, not computed. The verdict is an input like any other: it is recorded, and a replay asks
nobody.

## Example
```yaml
- {id: no-advice, kind: llmCheck, with: {question: Does the reply give medical advice?}}
```

## Correction
A judge was asked \"Does the reply give medical advice?\" and objects: \"it names a dose\". Change the reply so that
this no longer holds.
",
};

impl Kind for LlmCheck {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let question = decoder.sentence(with.get("question")?)?.value;
        Some(Arc::new(Asks { question: question.trim().into() }))
    }
}

#[derive(Debug)]
struct Asks {
    question: Arc<str>,
}

impl Rule for Asks {
    fn parameters(&self) -> Value<'static> {
        Object::of([("question", Value::from(self.question.to_string()))]).into()
    }

    fn prose(&self) -> String {
        format!("a judge is asked {} and must find nothing to object to", quoted(&self.question))
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Judge { query: tool.rule.to_owned(), question: self.question.clone(), evidence })))
    }
}

/// What the judge sees of a reply, or of a call.
fn evidence(context: &Context<'_>) -> Value<'static> {
    match context.reply {
        Some(reply) => reply.value.to_owned_value(),
        None => {
            Object::of([("args", context.args.args().to_owned_value()), ("tool", Value::from(context.tool.to_owned()))])
                .into()
        }
    }
}

/// Asks the host one question, and takes its answer.
#[derive(Debug)]
pub(super) struct Judge {
    /// The query's id: that of the guard, of which one proposal meets each once.
    pub(super) query: String,
    pub(super) question: Arc<str>,
    pub(super) evidence: fn(&Context<'_>) -> Value<'static>,
}

/// What a judge says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says<'a> {
    Nothing,
    Violation(&'a str),
}

/// An answer as it is understood; `None` where it is not.
fn says<'a>(answer: &'a Value<'_>) -> Option<Says<'a>> {
    let text = answer.as_str()?.trim();
    match text.strip_prefix("VIOLATION:") {
        Some(reason) => Some(Says::Violation(reason.trim())),
        None => (text == "NONE").then_some(Says::Nothing),
    }
}

impl Judge {
    /// The answer, where there is one; `Some(None)` is the host's word that there is none.
    fn answer<'c>(&self, context: &Context<'c>) -> Option<Option<&'c Value<'static>>> {
        let answer = context.answers.iter().find(|answer| answer.query == self.query)?;
        Some(answer.value.as_ref())
    }
}

impl Check for Judge {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match self.answer(context) {
            None => {
                let (question, evidence) = (self.question.to_string(), (self.evidence)(context));
                Finding::Needs(Query { id: self.query.clone(), question: Question::Judge { question, evidence } })
            }
            Some(None) => Finding::Fails(Failure::NoAnswer("the judge gave no answer".into())),
            Some(Some(answer)) => match says(answer) {
                Some(Says::Nothing) => Finding::Pass,
                Some(Says::Violation(_)) => Finding::Fires,
                None => Finding::Fails(Failure::NoAnswer("neither `NONE` nor `VIOLATION: …`".into())),
            },
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let reason = match self.answer(context).flatten().and_then(says) {
            Some(Says::Violation(reason)) if !reason.is_empty() => format!(": {}", quoted(reason)),
            _ => String::new(),
        };
        let what = if context.reply.is_some() { "Change the reply" } else { "Change the call" };
        format!(
            "A judge was asked {} and objects{reason}. {what} so that this no longer holds.",
            quoted(&self.question)
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::context::{Answer, Nothing};
    use crate::guards::reply::tests::{Told, judge, policy};

    /// What a bound judge finds with an answer, and its correction.
    pub(in crate::guards) fn answered(guard: &str, answer: Option<Value<'static>>) -> (Finding, String) {
        let policy = policy("tools: {pay: {effect: external}}", guard).unwrap();
        let guard = policy.reply.guards.iter().find(|guard| &*guard.code == "g").unwrap();
        let (nothing, check) = (Nothing::new(), guard.question.kind().unwrap());
        let answers = [Answer { query: "g".into(), value: answer }];
        let mut evaluation = Evaluation::new(Context { answers: &answers, ..nothing.context() }, &policy.reply.lets);
        (check.check(&mut evaluation), check.correction(&evaluation.context))
    }

    const ASK: &str = "{kind: llmCheck, with: {question: Is it rude?}}";

    #[test]
    fn the_host_is_asked_with_what_is_judged() {
        let told = judge(ASK, &Told::of("Hello.").with_claims(r#"[{"op":"greet"}]"#)).unwrap_err();
        for part in ["Needs(Query", r#"id: "g""#, r#"question: "Is it rude?""#, "Hello.", "greet"] {
            assert!(told.contains(part), "{told}");
        }
    }

    #[test]
    fn none_passes_a_violation_fires_and_nothing_else_is_an_answer() {
        for text in ["NONE", " NONE\n"] {
            assert_eq!(answered(ASK, Some(Value::from(text))).0, Finding::Pass, "{text:?}");
        }
        for text in ["VIOLATION: it is", "VIOLATION:"] {
            assert_eq!(answered(ASK, Some(Value::from(text))).0, Finding::Fires, "{text:?}");
        }
        let others = ["", "none", "NONE.", "NONE VIOLATION: x", "VIOLATION", "violation: x", "OK"].map(Value::from);
        let values = others.into_iter().chain([Value::Null, Value::Bool(true)]).map(Some).chain([None]);
        for value in values {
            let (found, _) = answered(ASK, value.clone());
            assert!(matches!(found, Finding::Fails(Failure::NoAnswer(_))), "{value:?}: {found:?}");
        }
    }

    #[test]
    fn the_reason_is_shown_quoted_and_cut() {
        let reason = format!("VIOLATION: it \"is\"\n{}", "x".repeat(100));
        let (_, told) = answered(ASK, Some(Value::from(reason)));
        let start = r#"A judge was asked "Is it rude?" and objects: "it \"is\"\u{a}xxx"#;
        assert!(told.starts_with(start) && told.contains("…\". Change the call so that"), "{told}");
        assert!(answered(ASK, Some(Value::from("VIOLATION:"))).1.contains("and objects. Change"));
    }

    #[test]
    fn a_call_is_judged_by_its_tool_and_its_arguments() {
        let nothing = Nothing::new();
        let evidence = evidence(&Context { tool: "pay", ..nothing.context() });
        assert_eq!(evidence.get("tool"), Some(&Value::from("pay")));
        assert!(evidence.get("args").is_some());
    }

    #[test]
    fn a_question_is_asked() {
        for with in ["{}", "{question: ''}", "{question: 7}", "{question: a, failMode: open}"] {
            let guard = format!("{{kind: llmCheck, with: {with}}}");
            assert!(policy("tools: {pay: {effect: external}}", &guard).is_err(), "{with}");
        }
    }
}
