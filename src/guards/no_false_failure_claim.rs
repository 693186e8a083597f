//! `noFalseFailureClaim`: words that say it went wrong, although all of it went well.

use super::phrases::{PHRASES, Phrases, stated};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::{Act, End};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::text::{joined, quoted};
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `noFalseFailureClaim`.
#[derive(Debug)]
pub struct NoFalseFailureClaim;

static ABOUT: About = About {
    name: "noFalseFailureClaim",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `noFalseFailureClaim`",
        fields: &[
            Field::required("claims", PHRASES, "Phrases that say it went wrong, such as `could not`."),
            Field::optional("exempt", PHRASES, "Phrases of replies that are not looked at."),
        ],
    },
    docs: "\
## What it checks
In a turn in which every call did what it is for and at least one took effect, no sentence of the reply that is not a
question has one of `claims`. One call that was denied, failed, found nothing, changed nothing, waits or is not known to
have ended is reason enough to speak of failure; so is a phrase of `exempt` anywhere in the reply. Phrases are found
whole, in any case and with any emphasis.

## Why
A model that says it could not, after it did, makes a person do it a second time.

## Example
```yaml
- {id: no-false-alarm, kind: noFalseFailureClaim, with: {claims: [could not, was unable to, failed]}}
```

## Correction
The reply says \"could not\", but every call of this turn succeeded and `refund` took effect. Say what was done.
",
};

#[derive(Clone, Debug)]
struct FalseFailure {
    claims: Phrases,
    exempt: Phrases,
}

impl Kind for NoFalseFailureClaim {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let claims = with.get("claims").and_then(|node| Phrases::decode(decoder, node));
        let exempt = Phrases::decode_some(decoder, with.get("exempt"));
        Some(Arc::new(FalseFailure { claims: claims?, exempt: exempt? }))
    }
}

impl Rule for FalseFailure {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([("claims", self.claims.value()), ("exempt", self.exempt.value())]).into()
    }

    fn prose(&self) -> String {
        let exempt = self.exempt.behind(", unless beside");
        format!("do not say {} where every call of the turn succeeded{exempt}", self.claims.words())
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

/// True if there is nothing to regret of a call: it changed what it was to change; of a read, it found something.
fn is_well(act: &Act) -> bool {
    match act.effect {
        Effect::Read => !act.is_empty && matches!(act.end, End::Done | End::NoEffect),
        Effect::Write | Effect::External => act.end == End::Done,
    }
}

impl Check for FalseFailure {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let Some(reply) = evaluation.context.reply else { return Finding::Pass };
        let went_well = reply.acts.iter().all(is_well) && reply.acts.iter().any(Act::took_effect);
        let is_said = || stated(reply.text, &self.claims, &Phrases::none()).is_some();
        if went_well && is_said() && !self.exempt.any_in(reply.text) { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some(reply) = context.reply else { return String::new() };
        let said = stated(reply.text, &self.claims, &Phrases::none()).unwrap_or_default();
        let mut tools: Vec<String> = Vec::new();
        for act in reply.acts.iter().filter(|act| act.took_effect()) {
            let name = format!("`{}`", act.tool);
            if !tools.contains(&name) {
                tools.push(name);
            }
        }
        format!(
            "The reply says {}, but every call of this turn succeeded and {} took effect. Say what was done.",
            quoted(said),
            joined(&tools, "and")
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, End};
    use crate::guards::claims::tests::{act, read};
    use crate::guards::reply::tests::{Told, judge, policy};

    fn told(text: &str, acts: Vec<Act>) -> Result<(), String> {
        let guard = "{kind: noFalseFailureClaim, with: {claims: [couldn't, failed], exempt: the other one}}";
        judge(guard, &Told { acts, ..Told::of(text) })
    }

    #[test]
    fn what_went_well_did_not_fail() {
        let look = || Act { end: End::NoEffect, ..read("look", "[]") };
        let went_well = || vec![read("look", "[]"), look(), act("refund", End::Done, "[]")];
        assert_eq!(
            told("Sorry, I couldn’t do it.", went_well()).unwrap_err(),
            "The reply says \"couldn't\", but every call of this turn succeeded and `refund` took effect. Say what was done."
        );
        for text in ["It is done.", "What failed?", "This worked; the other one failed."] {
            assert_eq!(told(text, went_well()), Ok(()), "{text}");
        }
    }

    #[test]
    fn where_something_did_not_go_well_failure_may_be_said() {
        let others = [
            End::Denied,
            End::Refused,
            End::Asked,
            End::Running,
            End::Failed,
            End::FailedWithEffect,
            End::Unknown,
            End::NoEffect,
        ];
        for end in others {
            let acts = vec![act("refund", End::Done, "[]"), act("refund", end, "[]")];
            assert_eq!(told("It failed.", acts), Ok(()), "{end:?}");
        }
        let nothing_found = Act { is_empty: true, ..read("look", "[]") };
        assert_eq!(told("It failed.", vec![act("refund", End::Done, "[]"), nothing_found]), Ok(()));
        assert_eq!(told("It failed.", vec![read("look", "[]")]), Ok(()), "nothing took effect");
        assert_eq!(told("It failed.", vec![]), Ok(()));
    }

    #[test]
    fn nonsense_is_refused() {
        for with in ["exempt: a", "claims: []", "claims: a, exempt: []", "claims: 7"] {
            assert!(
                policy("tools: {look: {effect: read}}", &format!("{{kind: noFalseFailureClaim, with: {{{with}}}}}"))
                    .is_err(),
                "{with}"
            );
        }
    }
}
