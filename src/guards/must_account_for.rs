//! `mustAccountFor`: records that a reply says something of, as data.

use super::arg_one_of::scalars;
use super::claims::{is_same, listed};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::{Claim, CoreOutcome};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::text::{joined, shown};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `mustAccountFor`.
#[derive(Debug)]
pub struct MustAccountFor;

/// The words of `outcome`: `any`, or one of all.
const OUTCOMES: &[(&str, Option<CoreOutcome>)] = &[
    ("any", None),
    ("success", Some(CoreOutcome::Success)),
    ("failure", Some(CoreOutcome::Failure)),
    ("not_found", Some(CoreOutcome::NotFound)),
    ("blocked", Some(CoreOutcome::Blocked)),
    ("refused", Some(CoreOutcome::Refused)),
    ("no_op", Some(CoreOutcome::NoOp)),
    ("tool_called_request_approval", Some(CoreOutcome::Asked)),
    ("any_other_question", Some(CoreOutcome::OtherQuestion)),
];

static ABOUT: About = About {
    name: "mustAccountFor",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `mustAccountFor`",
        fields: &[
            Field::required("records", Type::List(&Type::Any), "The records, each a text, a number or a boolean."),
            Field::optional(
                "outcome",
                Type::Word(&[
                    "any",
                    "success",
                    "failure",
                    "not_found",
                    "blocked",
                    "refused",
                    "no_op",
                    "tool_called_request_approval",
                    "any_other_question",
                ]),
                "With which outcome; absent: `any` that there is.",
            ),
        ],
    },
    docs: "\
## What it checks
Each record is the `target` of some claim of the reply, as a whole value: texts in any case and without the space
around them, numbers by value, and a number is its digits. With `outcome` the claim ends so, a word of the domain
counting as the outcome that the contract gives it; without, it has an outcome at all. Claims that only speak
(`inform`, `greet`, `refuse`, `ask`) account for nothing. Whether a claim is true is not asked here: `claimIsGrounded`
asks it of the same claims. Where the host sends no claims nothing is accounted for; `missing: skip` lets
that pass.

## Why
Of five records that a job is about a model reports the four that went well.

## Example
```yaml
- {id: all-three, kind: mustAccountFor, with: {records: [ORD-1, ORD-2, ORD-3]}}
```

## Correction
The reply does not account for \"ORD-2\". Say what became of each, and add a claim with it as `target`.
",
};

#[derive(Clone, Debug)]
struct Account {
    records: Arc<[Value<'static>]>,
    outcome: Option<CoreOutcome>,
}

impl Kind for MustAccountFor {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let node = with.get("records")?;
        let records = scalars(decoder, node, "name a record")?;
        let outcome = with.get("outcome").and_then(|node| decoder.word(node, OUTCOMES)).flatten();
        let records = records.into_iter().map(|record| record.value).collect();
        (decoder.problems() == before).then(|| Arc::new(Account { records, outcome }) as Arc<dyn Rule>)
    }
}

impl Account {
    fn has(&self, claims: &[Claim<'_>], record: &Value<'_>) -> bool {
        let is_so = |claim: &Claim<'_>| match self.outcome {
            Some(wanted) => claim.outcome == Some(wanted),
            None => claim.outcome.is_some(),
        };
        let mut of_calls = claims.iter().filter(|claim| claim.is_operation());
        of_calls.any(|claim| is_so(claim) && claim.target.is_some_and(|target| is_same(record, target)))
    }

    fn with_outcome(&self) -> String {
        self.outcome.map(|outcome| format!(" with outcome \"{}\"", outcome.name())).unwrap_or_default()
    }
}

impl Rule for Account {
    fn parameters(&self) -> Value<'static> {
        let outcome = self.outcome.map(|outcome| Value::from(outcome.name()));
        Object::of_some([("outcome", outcome), ("records", Some(Value::Array(self.records.to_vec())))]).into()
    }

    fn prose(&self) -> String {
        let records: Vec<String> = self.records.iter().map(shown).collect();
        format!("account for {} in every reply: claim each as a target{}", joined(&records, "and"), self.with_outcome())
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for Account {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        match evaluation.context.reply.and_then(|reply| reply.claims) {
            None => Finding::Missing,
            Some(claims) if self.records.iter().all(|record| self.has(claims, record)) => Finding::Pass,
            Some(_) => Finding::Fires,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let claims = context.reply.and_then(|reply| reply.claims).unwrap_or_default();
        let lacking = || self.records.iter().filter(|record| !self.has(claims, record));
        format!(
            "The reply does not account for {}. Say what became of each, and add a claim with it as `target`{}.",
            listed(lacking().count(), lacking().map(shown)),
            self.with_outcome()
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::CoreOutcome;
    use crate::guards::reply::tests::{Told, judge, policy};

    fn told(with: &str, claims: &str) -> Result<(), String> {
        judge(&format!("{{kind: mustAccountFor, with: {{{with}}}}}"), &Told::of("Done.").with_claims(claims))
    }

    #[test]
    fn each_record_is_the_target_of_a_claim() {
        let with = "records: [ORD-1, 42]";
        let both = r#"[{"op":"a","target":" ord-1","outcome":"failure"},{"op":"b","target":"42","outcome":"success"}]"#;
        assert_eq!(told(with, both), Ok(()));
        let one = r#"[{"op":"a","target":"ORD-1","outcome":"success"},{"op":"b","target":421,"outcome":"success"}]"#;
        assert_eq!(
            told(with, one).unwrap_err(),
            "The reply does not account for 42. Say what became of each, and add a claim with it as `target`."
        );
        assert!(told(with, "[]").unwrap_err().contains("\"ORD-1\"; 42."));
        assert!(told("records: [ORD-1]", r#"[{"op":"a","target":"ORD-1"}]"#).is_err(), "a claim without an outcome");
        for speech in ["inform", "refuse"] {
            let claims = format!(r#"[{{"op":"{speech}","target":"ORD-1","outcome":"success"}}]"#);
            assert!(told("records: [ORD-1]", &claims).is_err(), "what is only said is checked by nobody");
        }
    }

    #[test]
    fn with_an_outcome_the_claim_ends_so() {
        let claims = r#"[{"op":"a","target":"A","outcome":"failure"}]"#;
        assert_eq!(told("records: [A], outcome: failure", claims), Ok(()));
        assert_eq!(told("records: [A], outcome: any", claims), Ok(()));
        assert!(told("records: [A], outcome: success", claims).unwrap_err().ends_with("with outcome \"success\"."));
    }

    #[test]
    fn every_outcome_can_be_asked_for() {
        let known: Vec<_> = super::OUTCOMES.iter().filter_map(|(word, one)| Some((*word, (*one)?))).collect();
        assert_eq!(known, CoreOutcome::WORDS);
    }

    #[test]
    fn a_host_without_claims_accounts_for_nothing() {
        assert_eq!(judge("{kind: mustAccountFor, with: {records: [A]}}", &Told::of("A")).unwrap_err(), "Missing");
    }

    #[test]
    fn nonsense_is_refused() {
        for with in ["records: []", "records: [[A]]", "records: [A, A]", "records: [A], outcome: done", "outcome: any"]
        {
            assert!(
                policy("tools: {look: {effect: read}}", &format!("{{kind: mustAccountFor, with: {{{with}}}}}"))
                    .is_err(),
                "{with}"
            );
        }
    }
}
