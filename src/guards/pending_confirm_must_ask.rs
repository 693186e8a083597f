//! `pendingConfirmMustAsk`: a reply says what waits for an answer.

use super::phrases::{PHRASES, Phrases, does_ask};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::{Act, End};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `pendingConfirmMustAsk`.
#[derive(Debug)]
pub struct PendingConfirmMustAsk;

static ABOUT: About = About {
    name: "pendingConfirmMustAsk",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `pendingConfirmMustAsk`",
        fields: &[Field::optional("asks", PHRASES, "Phrases that ask without a question mark: `please confirm`.")],
    },
    docs: "\
## What it checks
In a turn in which a call waits for a person's answer, some sentence of the reply is a question, or the reply has one
of `asks`. Phrases are found whole, in any case and with any emphasis. It does not ask who is to answer: where that is
an approver and not the user, give `asks` the words in which the reply says so.

## Why
A call that waits for a yes nobody was asked for waits for ever. The host shows the question itself; with this guard
the talk around it asks too.

## Example
```yaml
- {id: relay-the-question, kind: pendingConfirmMustAsk, with: {asks: [please confirm, waiting for approval]}}
```

## Correction
`delete_account` waits for a person's answer. Ask for it: say what would be done, and end with a question.
",
};

#[derive(Clone, Debug)]
struct MustAsk {
    asks: Phrases,
}

impl Kind for PendingConfirmMustAsk {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(MustAsk { asks: Phrases::decode_some(decoder, with.get("asks"))? }))
    }
}

impl Rule for MustAsk {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([("asks", self.asks.value())]).into()
    }

    fn prose(&self) -> String {
        let asks = self.asks.behind(", with a question or with");
        format!("when a call waits for a person's answer, ask for that answer in the reply{asks}")
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

fn waits(act: &Act) -> bool {
    act.end == End::Asked
}

impl Check for MustAsk {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let Some(reply) = evaluation.context.reply else { return Finding::Pass };
        let does_ask = || does_ask(reply.text) || self.asks.any_in(reply.text);
        if reply.acts.iter().any(waits) && !does_ask() { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let waiting = context.reply.and_then(|reply| reply.acts.iter().find(|act| waits(act)));
        let Some(act) = waiting else { return String::new() };
        let label = act.label.as_ref().map(|label| format!(" ({label})")).unwrap_or_default();
        format!(
            "`{}`{label} waits for a person's answer. Ask for it: say what would be done, and end with a question.",
            act.tool
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, End};
    use crate::guards::claims::tests::act;
    use crate::guards::reply::tests::{Told, judge, policy};

    fn told(text: &str, end: End) -> Result<(), String> {
        let acts = vec![Act { label: Some("deleting 7".into()), ..act("delete", end, "[]") }];
        judge("{kind: pendingConfirmMustAsk, with: {asks: please confirm}}", &Told { acts, ..Told::of(text) })
    }

    #[test]
    fn what_waits_for_an_answer_is_asked_for() {
        assert_eq!(
            told("I am on it.", End::Asked).unwrap_err(),
            "`delete` (deleting 7) waits for a person's answer. Ask for it: say what would be done, and end with a question."
        );
        assert!(told("See https://example.org/?a=b for more.", End::Asked).is_err());
        for text in ["**Shall I?** It cannot be undone.", "PLEASE **confirm**."] {
            assert_eq!(told(text, End::Asked), Ok(()), "{text}");
        }
    }

    #[test]
    fn where_nothing_waits_nothing_is_asked() {
        for end in [End::Denied, End::Refused, End::Running, End::Done, End::Unknown] {
            assert_eq!(told("I am on it.", end), Ok(()), "{end:?}");
        }
        assert!(policy("tools: {look: {effect: read}}", "{kind: pendingConfirmMustAsk, with: {asks: []}}").is_err());
        assert!(policy("tools: {look: {effect: read}}", "{kind: pendingConfirmMustAsk}").is_ok());
    }
}
