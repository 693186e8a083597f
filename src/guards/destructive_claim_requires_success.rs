//! `destructiveClaimRequiresSuccess`: words that say something irrevocable happened, although it was only tried.

use super::claims::ended;
use super::no_fabricated_success::{any_of, calls_of, names_of, patterns_of};
use super::phrases::{PHRASES, Phrases, stated};
use super::requires_before::decode_patterns;
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::Act;
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::source::{Span, Spanned};
use crate::text::quoted;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `destructiveClaimRequiresSuccess`.
#[derive(Debug)]
pub struct DestructiveClaimRequiresSuccess;

static ABOUT: About = About {
    name: "destructiveClaimRequiresSuccess",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `destructiveClaimRequiresSuccess`",
        fields: &[
            Field::required("tools", Type::OneOrMany(&Type::Text), "The tools that do what cannot be undone."),
            Field::required("claims", PHRASES, "Phrases that say it happened, such as `has been deleted`."),
            Field::optional(
                "offers",
                PHRASES,
                "Phrases of sentences that only propose it, such as `once you confirm`.",
            ),
            Field::optional("exempt", PHRASES, "Phrases of replies not looked at, such as `nothing was deleted`."),
        ],
    },
    docs: "\
## What it checks
In a turn in which one of `tools` was called and none of these calls took effect, no sentence of the reply has one of
`claims`. A question is no claim, a sentence with one of `offers` is none, and a reply with one of `exempt` is not
looked at. A call that waits for a person's answer has not happened either. Without a call of these tools in the turn
the guard is silent: the reply may speak of what was done before, and `noFabricatedSuccess` is there for what never
was.

Phrases are found whole, in any case and with any emphasis.

## Why
A call that was refused, failed, or still waits for a yes is easily told as done; of what cannot be undone that is
believed and acted on.

## Example
```yaml
- id: deleted-is-deleted
  kind: destructiveClaimRequiresSuccess
  with: {tools: [delete_account], claims: [has been deleted, is gone], offers: [once you confirm]}
```

## Correction
The reply says \"has been deleted\", but `delete_account` waits for a person's answer. Say that it has not happened.
",
};

#[derive(Clone, Debug)]
struct Destructive {
    tools: Vec<Spanned<Pattern>>,
    claims: Phrases,
    offers: Phrases,
    exempt: Phrases,
}

impl Kind for DestructiveClaimRequiresSuccess {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let tools = decode_patterns(decoder, with.get("tools")?, "name the tools that do it");
        let claims = with.get("claims").and_then(|node| Phrases::decode(decoder, node));
        let offers = Phrases::decode_some(decoder, with.get("offers"));
        let exempt = Phrases::decode_some(decoder, with.get("exempt"));
        let rule = Destructive { tools, claims: claims?, offers: offers?, exempt: exempt? };
        (decoder.problems() == before).then(|| Arc::new(rule) as Arc<dyn Rule>)
    }
}

impl Rule for Destructive {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([
            ("claims", self.claims.value()),
            ("exempt", self.exempt.value()),
            ("offers", self.offers.value()),
            ("tools", Some(names_of(&self.tools))),
        ])
        .into()
    }

    fn prose(&self) -> String {
        let (offers, exempt) = (self.offers.behind(", or in a sentence with"), self.exempt.behind(", or beside"));
        let (tools, claims) = (any_of(&self.tools), self.claims.words());
        format!("where {tools} was called, say {claims} only if it took effect{offers}{exempt}")
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        patterns_of(&self.tools)
    }
}

impl Check for Destructive {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let Some(reply) = evaluation.context.reply else { return Finding::Pass };
        let mut calls = calls_of(reply, &self.tools).peekable();
        if calls.peek().is_none() || calls.any(Act::took_effect) {
            return Finding::Pass;
        }
        let is_said = stated(reply.text, &self.claims, &self.offers).is_some() && !self.exempt.any_in(reply.text);
        if is_said { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some(reply) = context.reply else { return String::new() };
        let said = stated(reply.text, &self.claims, &self.offers).unwrap_or_default();
        let why = calls_of(reply, &self.tools).last().map(ended).unwrap_or_default();
        format!("The reply says {}, but {why}. Say that it has not happened.", quoted(said))
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, End};
    use crate::guards::claims::tests::act;
    use crate::guards::reply::tests::{Told, judge, policy};

    const SPEC: &str = "tools: {delete_a: {effect: write, destructive: true}, delete_b: {effect: write}}";
    const WITH: &str =
        "tools: [delete_*], claims: [has been deleted], offers: [once you confirm], exempt: [nothing was deleted]";

    fn told(text: &str, acts: Vec<Act>) -> Result<(), String> {
        let guard = format!("{{kind: destructiveClaimRequiresSuccess, with: {{{WITH}}}}}");
        judge(&guard, &Told { acts, spec: SPEC, ..Told::of(text) })
    }

    #[test]
    fn what_was_only_tried_is_not_said_to_have_happened() {
        let text = "The account has been deleted. Anything else?";
        for end in [End::Denied, End::Refused, End::Asked, End::Running, End::NoEffect, End::Failed, End::Unknown] {
            assert!(told(text, vec![act("delete_a", end, "[]")]).is_err(), "{end:?}");
        }
        assert_eq!(
            told(text, vec![act("delete_a", End::Refused, "[]")]).unwrap_err(),
            "The reply says \"has been deleted\", but `delete_a` was refused by a person. Say that it has not happened."
        );
        assert_eq!(told(text, vec![act("delete_a", End::Denied, "[]"), act("delete_b", End::Done, "[]")]), Ok(()));
        assert_eq!(told(text, vec![]), Ok(()), "of what was done before one may speak");
        assert_eq!(told(text, vec![act("other", End::Failed, "[]")]), Ok(()));
    }

    #[test]
    fn a_question_or_an_offer_says_nothing_happened() {
        for text in [
            "Has it been deleted?",
            "It has been deleted once you confirm.",
            "It has been deleted, no: nothing was deleted.",
            "It will be deleted.",
        ] {
            assert_eq!(told(text, vec![act("delete_a", End::Asked, "[]")]), Ok(()), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for with in
            ["tools: delete_a", "claims: gone", "tools: delete_z, claims: gone", "tools: delete_a, claims: ['']"]
        {
            let guard = format!("{{kind: destructiveClaimRequiresSuccess, with: {{{with}}}}}");
            assert!(policy(SPEC, &guard).is_err(), "{with}");
        }
    }
}
