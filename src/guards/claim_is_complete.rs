//! `claimIsComplete`: what took effect is claimed.

use super::claims::{Claimed, Fit, MAX_PAIRED, Pairing, ToolNames, claimable, listed, operations, paired};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::Act;
use crate::context::{Context, Failure, Finding, Reply};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `claimIsComplete`.
#[derive(Debug)]
pub struct ClaimIsComplete;

static ABOUT: About = About {
    name: "claimIsComplete",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: true,
    parameters: &Shape { name: "the parameters of `claimIsComplete`", fields: &[] },
    docs: "\
## What it checks
Each call of this turn that took effect has a claim of its own with an outcome that it bears out (`claimIsGrounded`
says which): `success`, or `failure` where it failed and had an effect all the same. A claim that names a target or an
amount must name one of the call's own. Which claim belongs to which call is chosen so that as many calls as possible
have one.

A call of which nobody knows whether it took effect, or that is not back yet, needs no claim: no outcome would be true
of it. What the host shows of the turn names it. Where a host sends no claims there is nothing to check.

## Why
A model that did more than it was asked tends not to say so. A person learns of every change from the reply.

## Example
Every spec with a tool that writes has it. To switch it off:
```yaml
controls: {auto: {claimIsComplete: false}}
```

## Correction
The reply does not claim what took effect: `refund` (refunding 12 for \"ORD-1\") took effect, which is \"success\". Add
a claim for each, and say it in the text.
",
};

impl Kind for ClaimIsComplete {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Complete))
    }
}

#[derive(Debug)]
struct Complete;

impl Rule for Complete {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "claim every call that took effect in this turn, each on its own".into()
    }

    fn concerns(&self, tool: &ToolFacts<'_>) -> bool {
        tool.effect != Effect::Read
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        compiler.plan().keep_act_values();
        Ok(Some(Box::new(Bound { names: ToolNames::of(compiler) })))
    }
}

#[derive(Debug)]
struct Bound {
    names: ToolNames,
}

/// The calls that must be claimed.
fn effects<'c>(reply: &Reply<'c>) -> Vec<&'c Act> {
    reply.acts.iter().filter(|act| act.took_effect()).collect()
}

fn pairing(context: &Context<'_>, effects: &[&Act], claims: &[Claimed<'_>]) -> Pairing {
    paired(effects.len(), claims.len(), |one, two| match (effects.get(one), claims.get(two)) {
        (Some(act), Some(claim)) => claim.fits(act, context.key),
        _ => Fit::No,
    })
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let Some((reply, claims)) = context.reply.and_then(|reply| Some((reply, reply.claims?))) else {
            return Finding::Pass;
        };
        if !reply.acts.iter().any(Act::took_effect) {
            return Finding::Pass;
        }
        let (effects, claims) = (effects(reply), operations(claims, &self.names, reply.acts));
        if effects.len() > claims.len() {
            return Finding::Fires;
        }
        if claims.len() > MAX_PAIRED {
            return Finding::Fails(Failure::IndexFull);
        }
        match pairing(context, &effects, &claims) {
            Pairing::Whole => Finding::Pass,
            Pairing::Lacks(_) => Finding::Fires,
            Pairing::Unsure => Finding::Fails(Failure::IndexFull),
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some((reply, claims)) = context.reply.and_then(|reply| Some((reply, reply.claims?))) else {
            return String::new();
        };
        let (mut effects, claims) = (effects(reply), operations(claims, &self.names, reply.acts));
        effects.truncate(MAX_PAIRED);
        let Pairing::Lacks(lacking) = pairing(context, &effects, &claims) else {
            return "Add a claim for each call that took effect, and say it in the text.".into();
        };
        let named = lacking.iter().filter_map(|at| effects.get(*at)).map(|act| claimable(act, true));
        let named = listed(lacking.len(), named);
        format!("The reply does not claim what took effect: {named}. Add a claim for each, and say it in the text.")
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, End};
    use crate::guards::claims::tests::{act, full, read};
    use crate::guards::reply::tests::{Told, judge};

    const SPEC: &str = "tools: {refund: {effect: external}, note: {effect: write}, look: {effect: read}}";

    fn told(acts: Vec<Act>, claims: &str) -> Result<(), String> {
        judge("{kind: claimIsComplete}", &Told { acts, spec: SPEC, ..Told::of("Done.").with_claims(claims) })
    }

    #[test]
    fn what_took_effect_and_is_not_claimed_is_told() {
        let refund =
            Act { label: Some("refunding 12 for \"ORD-1\"".into()), ..act("refund", End::Done, r#"["ORD-1"]"#) };
        assert_eq!(
            told(vec![refund.clone()], "[]").unwrap_err(),
            "The reply does not claim what took effect: `refund` (refunding 12 for \"ORD-1\") took effect, which is \"success\". Add a claim for each, and say it in the text."
        );
        for unfit in [
            r#"[{"op":"inform"}]"#,
            r#"[{"op":"refund"}]"#,
            r#"[{"op":"refund","outcome":"failure"}]"#,
            r#"[{"op":"refund","outcome":"done"}]"#,
            r#"[{"op":"refund","target":"ORD-2","outcome":"success"}]"#,
            r#"[{"op":"note","outcome":"success"}]"#,
        ] {
            assert!(told(vec![refund.clone()], unfit).is_err(), "{unfit}");
        }
        assert_eq!(told(vec![refund], r#"[{"op":"refund","target":"ORD-1","outcome":"success"}]"#), Ok(()));
    }

    #[test]
    fn each_effect_needs_a_claim_of_its_own_in_whatever_order() {
        let acts = || vec![act("refund", End::Done, r#"["ORD-1"]"#), act("refund", End::Done, r#"["ORD-2"]"#)];
        let one = r#"{"op":"refund","outcome":"success"}"#;
        let first = r#"{"op":"refund","target":"ORD-1","outcome":"success"}"#;
        assert!(told(acts(), &format!("[{one}]")).is_err());
        assert!(told(acts(), &format!("[{first},{first}]")).is_err());
        assert_eq!(told(acts(), &format!("[{one},{first}]")), Ok(()));
        assert_eq!(told(acts(), &format!("[{first},{one}]")), Ok(()));
    }

    #[test]
    fn a_failure_with_an_effect_is_told_as_one() {
        let acts = || vec![act("refund", End::FailedWithEffect, "[]")];
        assert!(told(acts(), r#"[{"op":"refund","outcome":"success"}]"#).is_err());
        assert_eq!(told(acts(), r#"[{"op":"refund","outcome":"failure"}]"#), Ok(()));
    }

    #[test]
    fn what_changed_nothing_or_is_not_known_needs_no_claim() {
        let ends = [End::Denied, End::Refused, End::Asked, End::Running, End::NoEffect, End::Failed, End::Unknown];
        for end in ends {
            assert_eq!(told(vec![act("refund", end, "[]")], "[]"), Ok(()), "{end:?}");
        }
        assert_eq!(told(vec![read("look", "[]")], "[]"), Ok(()));
        let silent = Told { acts: vec![act("refund", End::Done, "[]")], spec: SPEC, ..Told::of("Hello.") };
        assert_eq!(judge("{kind: claimIsComplete}", &silent), Ok(()), "a host that sends no claims");
    }

    #[test]
    fn what_nobody_can_tell_is_no_yes() {
        let claim = r#"[{"op":"refund","target":"ORD-1","outcome":"success"}]"#;
        assert_eq!(told(vec![full("refund", End::Done)], claim).unwrap_err(), "Fails(IndexFull)");
        assert_eq!(told(vec![full("refund", End::Done)], r#"[{"op":"refund","outcome":"success"}]"#), Ok(()));
    }
}
