//! `noFabricatedSuccess`: words that say a tool did its work, although it did not.

use super::claims::{ended, succeeded};
use super::phrases::{PHRASES, Phrases, stated};
use super::requires_before::decode_patterns;
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::Act;
use crate::context::{Context, Finding, Reply};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::source::{Span, Spanned};
use crate::text::{joined, quoted};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `noFabricatedSuccess`.
#[derive(Debug)]
pub struct NoFabricatedSuccess;

static ABOUT: About = About {
    name: "noFabricatedSuccess",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `noFabricatedSuccess`",
        fields: &[
            Field::required(
                "tool",
                Type::OneOrMany(&Type::Text),
                "The tool that must have done it; of a list any one.",
            ),
            Field::required("words", PHRASES, "Phrases that say it is done, such as `has been booked`."),
            Field::optional("offers", PHRASES, "Phrases of sentences that do not say so: an offer, a denial."),
            Field::optional("exempt", PHRASES, "Phrases of replies that are not looked at, such as `earlier today`."),
        ],
    },
    docs: "\
## What it checks
A sentence of the reply has one of `words`, and no call of `tool` in this turn did its work: took effect or, of a tool
that reads, came back. A question says nothing was done, and neither does a sentence with one of `offers`; a reply with
one of `exempt` is not looked at. Of a call of which nobody knows the effect nobody may say that it is done.

Phrases are found whole, in any case and with any emphasis, never inside a word. There are no patterns here: for ids
and figures that no result has there is `noUngroundedRegulatedFigure`, for words that are never right a `check` on
`reply.text`, and where the host sends claims, `claimIsGrounded` reads no words at all.

## Why
\"Your ticket has been opened\" is what a model writes where a ticket is talked about, whether or not one was opened.

## Example
```yaml
- id: no-phantom-ticket
  kind: noFabricatedSuccess
  with: {tool: open_ticket, words: [has been opened, I opened a ticket]}
```

## Correction
The reply says \"has been opened\", but `open_ticket` was not called in this turn. Call it, or say that it is not done.
",
};

#[derive(Clone, Debug)]
struct Fabricated {
    tools: Vec<Spanned<Pattern>>,
    words: Phrases,
    offers: Phrases,
    exempt: Phrases,
}

impl Kind for NoFabricatedSuccess {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let tools = decode_patterns(decoder, with.get("tool")?, "name the tool that does it");
        let words = with.get("words").and_then(|node| Phrases::decode(decoder, node));
        let offers = Phrases::decode_some(decoder, with.get("offers"));
        let exempt = Phrases::decode_some(decoder, with.get("exempt"));
        let rule = Fabricated { tools, words: words?, offers: offers?, exempt: exempt? };
        (decoder.problems() == before).then(|| Arc::new(rule) as Arc<dyn Rule>)
    }
}

/// Patterns as a parameter's value.
pub(super) fn names_of(tools: &[Spanned<Pattern>]) -> Value<'static> {
    match tools {
        [one] => Value::from(one.value.text().to_owned()),
        many => Value::Array(many.iter().map(|one| Value::from(one.value.text().to_owned())).collect()),
    }
}

/// `a` or `b`, in backticks.
pub(super) fn any_of(tools: &[Spanned<Pattern>]) -> String {
    joined(&tools.iter().map(|tool| format!("`{}`", tool.value)).collect::<Vec<_>>(), "or")
}

/// The calls of this turn that are of some tools.
pub(super) fn calls_of<'c>(reply: &Reply<'c>, tools: &'c [Spanned<Pattern>]) -> impl Iterator<Item = &'c Act> {
    reply.acts.iter().filter(move |act| tools.iter().any(|tool| tool.value.matches(&act.tool)))
}

/// The patterns for whoever checks that each matches something.
pub(super) fn patterns_of(tools: &[Spanned<Pattern>]) -> Vec<(Pattern, Span)> {
    tools.iter().map(|tool| (tool.value.clone(), tool.span)).collect()
}

impl Rule for Fabricated {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([
            ("exempt", self.exempt.value()),
            ("offers", self.offers.value()),
            ("tool", Some(names_of(&self.tools))),
            ("words", self.words.value()),
        ])
        .into()
    }

    fn prose(&self) -> String {
        let (offers, exempt) = (self.offers.behind(", or in a sentence with"), self.exempt.behind(", or beside"));
        format!("say {} only where {} did it in this turn{offers}{exempt}", self.words.words(), any_of(&self.tools))
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        patterns_of(&self.tools)
    }
}

impl Check for Fabricated {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let Some(reply) = evaluation.context.reply else { return Finding::Pass };
        let is_said = || stated(reply.text, &self.words, &self.offers).is_some() && !self.exempt.any_in(reply.text);
        if !calls_of(reply, &self.tools).any(succeeded) && is_said() { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some(reply) = context.reply else { return String::new() };
        let said = stated(reply.text, &self.words, &self.offers).unwrap_or_default();
        match calls_of(reply, &self.tools).last() {
            Some(act) => {
                let why = ended(act);
                format!("The reply says {}, but {why}. Say what became of it instead.", quoted(said))
            }
            None => format!(
                "The reply says {}, but {} was not called in this turn. Call it, or say that it is not done.",
                quoted(said),
                any_of(&self.tools)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, End};
    use crate::guards::claims::tests::{act, read};
    use crate::guards::reply::tests::{Told, judge, policy};

    const SPEC: &str = "tools: {open_ticket: {effect: write}, look: {effect: read}}";
    const WITH: &str = "tool: open_ticket, words: [has been opened, I opened], offers: not yet, exempt: earlier today";

    fn told(text: &str, acts: Vec<Act>) -> Result<(), String> {
        let guard = format!("{{kind: noFabricatedSuccess, with: {{{WITH}}}}}");
        judge(&guard, &Told { acts, spec: SPEC, ..Told::of(text) })
    }

    #[test]
    fn what_no_call_did_is_not_said() {
        let text = "Your ticket HAS been **opened**. Anything else?";
        assert_eq!(
            told(text, vec![]).unwrap_err(),
            "The reply says \"has been opened\", but `open_ticket` was not called in this turn. Call it, or say that it is not done."
        );
        let failed = told(text, vec![act("open_ticket", End::Failed, "[]")]).unwrap_err();
        assert!(failed.contains("but `open_ticket` failed and changed nothing"), "{failed}");
        for end in [End::Denied, End::Refused, End::Asked, End::Running, End::NoEffect, End::Unknown] {
            assert!(told(text, vec![act("open_ticket", end, "[]")]).is_err(), "{end:?}");
        }
        assert!(told(text, vec![act("other", End::Done, "[]")]).is_err());
        assert_eq!(
            told(text, vec![act("open_ticket", End::Failed, "[]"), act("open_ticket", End::Done, "[]")]),
            Ok(())
        );
    }

    #[test]
    fn a_question_an_offer_and_another_word_say_nothing_was_done() {
        for text in [
            "Has it been opened?",
            "It has been opened not yet.",
            "Reopened.",
            "Earlier today a ticket has been opened.",
        ] {
            assert_eq!(told(text, vec![]), Ok(()), "{text}");
        }
        assert!(told("Has been opened? Yes, I opened it.", vec![]).is_err());
    }

    #[test]
    fn of_a_tool_that_reads_coming_back_is_enough() {
        let guard = "{kind: noFabricatedSuccess, with: {tool: look, words: I checked}}";
        let told = |acts| judge(guard, &Told { acts, spec: SPEC, ..Told::of("I checked your order.") });
        assert!(told(vec![]).is_err());
        assert_eq!(told(vec![read("look", "[]")]), Ok(()));
    }

    #[test]
    fn nonsense_is_refused() {
        let cases = [
            ("tool: open_ticket, words: []", "empty-list"),
            ("tool: open_ticket, words: ['**']", "blank-text"),
            ("tool: open_ticket, words: [Done, done]", "repeated-value"),
            ("tool: open_tickets, words: done", "matches-nothing"),
            ("tool: [], words: done", "empty-list"),
            ("words: done", "missing-key"),
        ];
        for (with, rule) in cases {
            let problems = policy(SPEC, &format!("{{kind: noFabricatedSuccess, with: {{{with}}}}}")).unwrap_err();
            assert!(problems.starts_with(rule), "{with}: {problems}");
        }
    }
}
