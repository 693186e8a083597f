//! `claimIsGrounded`: what a reply claims was done is what the host reported.

use super::claims::{
    Claimed, MAX_PAIRED, Pairing, ToolNames, has_unknown_word, listed, operations, outcome_words, paired,
};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Failure, Finding, Reply};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::text::quoted;
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `claimIsGrounded`.
#[derive(Debug)]
pub struct ClaimIsGrounded;

static ABOUT: About = About {
    name: "claimIsGrounded",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: true,
    parameters: &Shape { name: "the parameters of `claimIsGrounded`", fields: &[] },
    docs: "\
## What it checks
Each claim of an operation is borne out by a call of this turn, and each call bears out one claim. Which claim belongs
to which call is chosen so that as many as possible have one; the order of neither matters. Claims that only speak
(`inform`, `greet`, `refuse`, `ask`) and those of `any_other_question` are not looked at, and a host that sends no
claims passes: what it shows of the turn is made of calls.

| the call | bears out |
| --- | --- |
| denied by a rule | `blocked`, `refused` |
| refused by a person | `refused`, `blocked` |
| a person is asked | `tool_called_request_approval` |
| a read that came back | `success` where `op` is the name of its tool, `no_op`; `not_found` if it came back with nothing |
| took effect | `success` |
| came back, and changed nothing | `no_op`; `not_found` if it came back with nothing |
| failed, and changed nothing | `failure`, `not_found`, `blocked`, `refused`: why it failed is not known here |
| failed, and had an effect | `failure` |
| not back yet, or nobody knows whether it took effect | none: a claim without an outcome, which no other call bears out |

That a call failed, succeeded or changed nothing is not known of the last, so it is neither `failure` nor `success` nor
`no_op`. A read is no success of anything but itself: \"book\" with `success` is not borne out by having looked.

An `op` that is the name of a tool, whole or without its server, means that tool; any other word may mean any. A
`target` and an `amount` must stand, as whole values, in the call's arguments or result; a number and its digits are
one. Where a tool has a word of its own for its success, another word of the domain does not fit it. A word that is no
outcome fires. Where a call had more values than are kept and it depends on them, the guard cannot judge.

## Why
A model says that it booked, paid or asked because the talk went that way. What it says it did is checked against what
was done, so that it is not believed because it reads well.

## Example
Every spec with a tool that writes has it. To switch it off:
```yaml
controls: {auto: {claimIsGrounded: false}}
```

## Correction
The reply claims what no call bears out: \"refund\" on \"ORD-1\" with outcome \"success\": `refund` was stopped by a
rule, which is \"blocked\" or \"refused\". Change the claims and the text so that
both say what happened.
",
};

impl Kind for ClaimIsGrounded {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Grounded))
    }
}

#[derive(Debug)]
struct Grounded;

impl Rule for Grounded {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "claim an operation only as what came of it in this turn: its tool, its record, its amount and how it ended"
            .into()
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

impl Bound {
    fn pairing(context: &Context<'_>, claims: &[Claimed<'_>], reply: &Reply<'_>) -> Pairing {
        paired(claims.len(), reply.acts.len(), |one, two| match (claims.get(one), reply.acts.get(two)) {
            (Some(claim), Some(act)) => claim.fits(act, context.key),
            _ => super::claims::Fit::No,
        })
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let Some((reply, claims)) = context.reply.and_then(|reply| Some((reply, reply.claims?))) else {
            return Finding::Pass;
        };
        if claims.iter().any(has_unknown_word) {
            return Finding::Fires;
        }
        let claims = operations(claims, &self.names, reply.acts);
        if claims.len() > reply.acts.len() {
            return Finding::Fires;
        }
        if reply.acts.len() > MAX_PAIRED && !claims.is_empty() {
            return Finding::Fails(Failure::IndexFull);
        }
        match Bound::pairing(context, &claims, reply) {
            Pairing::Whole => Finding::Pass,
            Pairing::Lacks(_) => Finding::Fires,
            Pairing::Unsure => Finding::Fails(Failure::IndexFull),
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some((reply, all)) = context.reply.and_then(|reply| Some((reply, reply.claims?))) else {
            return String::new();
        };
        let mut told = Vec::new();
        let unknown: Vec<&str> =
            all.iter().filter(|claim| has_unknown_word(claim)).filter_map(|claim| claim.word).collect();
        if !unknown.is_empty() {
            let words = listed(unknown.len(), unknown.iter().map(|word| quoted(word)));
            told.push(format!("No outcome is called {words}: write {}.", outcome_words()));
        }
        let mut claims = operations(all, &self.names, reply.acts);
        claims.truncate(MAX_PAIRED);
        if let Pairing::Lacks(lacking) = Bound::pairing(context, &claims, reply) {
            let named = lacking.iter().filter_map(|at| claims.get(*at));
            let named = named.map(|claim| format!("{}: {}", claim.words(), claim.truth(context, reply.acts)));
            let named = listed(lacking.len(), named);
            told.push(format!("The reply claims what no call bears out: {named}."));
        }
        told.push(
            "Change the claims and the text so that both say what happened; what is only said is claimed as `inform`."
                .into(),
        );
        crate::text::spaced(told)
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, CoreOutcome, End};
    use crate::guards::claims::tests::{act, full, read};
    use crate::guards::reply::tests::{Told, judge};

    const SPEC: &str = "tools: {refund: {effect: external}, crm/note: {effect: write}, look: {effect: read}}";

    fn told(acts: Vec<Act>, claims: &str) -> Result<(), String> {
        judge("{kind: claimIsGrounded}", &Told { acts, spec: SPEC, ..Told::of("Done.").with_claims(claims) })
    }

    #[test]
    fn each_end_bears_out_its_words_and_no_other() {
        let write = |end| act("refund", end, "[]");
        let cases: [(Act, &[&str]); 14] = [
            (write(End::Denied), &["blocked", "refused"]),
            (write(End::Refused), &["refused", "blocked"]),
            (write(End::Asked), &["tool_called_request_approval"]),
            (write(End::Running), &[]),
            (write(End::Unknown), &[]),
            (write(End::Done), &["success"]),
            (write(End::NoEffect), &["no_op"]),
            (Act { is_empty: true, ..write(End::NoEffect) }, &["no_op", "not_found"]),
            (write(End::Failed), &["failure", "not_found", "blocked", "refused"]),
            (write(End::FailedWithEffect), &["failure"]),
            (read("refund", "[]"), &["success", "no_op"]),
            (Act { is_empty: true, ..read("refund", "[]") }, &["success", "no_op", "not_found"]),
            (read("look", "[]"), &["no_op"]),
            (Act { is_empty: true, ..read("look", "[]") }, &["no_op", "not_found"]),
        ];
        for (act, wanted) in cases {
            // The last two are told of by a word that names no tool.
            let op = if &*act.tool == "look" { "cancel" } else { "refund" };
            for (word, outcome) in CoreOutcome::WORDS {
                let claims = format!(r#"[{{"op":"{op}","outcome":"{word}"}}]"#);
                let is_fine = *outcome == CoreOutcome::OtherQuestion || wanted.contains(word);
                assert_eq!(told(vec![act.clone()], &claims).is_ok(), is_fine, "{:?} {word}", act.end);
            }
        }
    }

    #[test]
    fn what_is_still_open_is_claimed_without_an_outcome_and_nothing_else_is() {
        for end in [End::Running, End::Unknown] {
            assert_eq!(told(vec![act("refund", end, "[]")], r#"[{"op":"refund"}]"#), Ok(()));
        }
        let told = told(vec![act("refund", End::Done, "[]")], r#"[{"op":"refund"}]"#).unwrap_err();
        assert!(told.contains("\"refund\" without an outcome: `refund` took effect, which is \"success\""), "{told}");
    }

    #[test]
    fn claims_find_their_calls_in_whatever_order() {
        let acts = vec![act("refund", End::Done, r#"["ORD-1", 5]"#), act("refund", End::Done, r#"["ORD-2", 7]"#)];
        // The first fits both calls, the second only the first of them.
        let both = r#"[{"op":"pay back","outcome":"success"},{"op":"refund","target":"ord-1","outcome":"success"}]"#;
        assert_eq!(told(acts.clone(), both), Ok(()));
        let amounts =
            r#"[{"op":"refund","amount":7,"outcome":"success"},{"op":"refund","amount":5,"outcome":"success"}]"#;
        assert_eq!(told(acts.clone(), amounts), Ok(()));
        let twice = r#"[{"op":"refund","target":"ORD-1","outcome":"success"},{"op":"refund","target":"ORD-1","outcome":"success"}]"#;
        assert!(told(acts, twice).unwrap_err().contains("each call bears out one claim only"));
    }

    #[test]
    fn a_target_is_a_whole_value_of_the_call() {
        let acts = || vec![act("refund", End::Done, r#"{"id": "inv_12"}"#)];
        let told_of =
            |target: &str| told(acts(), &format!(r#"[{{"op":"refund","target":{target},"outcome":"success"}}]"#));
        assert_eq!(told_of(r#"" INV_12 ""#), Ok(()));
        assert_eq!(told_of("null"), Ok(()));
        for other in [r#""inv_1""#, r#""inv_123""#, r#"["inv_12"]"#, "true"] {
            assert!(told_of(other).is_err(), "{other}");
        }
        assert!(told_of(r#""inv_1""#).unwrap_err().contains("no such call of this turn was about \"inv_1\""));
    }

    #[test]
    fn a_word_means_any_tool_unless_it_is_the_name_of_one() {
        let note = || vec![act("crm/note", End::Done, "[]")];
        for op in ["note", "crm/note", "mcp__crm__note", "Note", "write it down"] {
            assert_eq!(told(note(), &format!(r#"[{{"op":"{op}","outcome":"success"}}]"#)), Ok(()), "{op}");
        }
        let other = told(note(), r#"[{"op":"REFUND","outcome":"success"}]"#).unwrap_err();
        assert!(other.contains("\"REFUND\" was not called in this turn"), "{other}");
        assert!(told(vec![], r#"[{"op":"book","outcome":"success"}]"#).unwrap_err().contains("nothing was called"));
    }

    #[test]
    fn what_was_only_looked_up_was_not_booked() {
        let looked = vec![read("look", r#"["ORD-1"]"#)];
        let booked = told(looked.clone(), r#"[{"op":"book","target":"ORD-1","outcome":"success"}]"#).unwrap_err();
        assert!(booked.contains("`look` only read, and changed nothing, which is \"no_op\""), "{booked}");
        assert_eq!(told(looked, r#"[{"op":"look","target":"ORD-1","outcome":"success"}]"#), Ok(()));
    }

    #[test]
    fn a_veto_is_told_and_the_call_behind_it_too() {
        let acts = vec![act("refund", End::Denied, r#"["ORD-1"]"#), act("refund", End::Done, r#"["ORD-1"]"#)];
        assert_eq!(told(acts, r#"[{"op":"refund","target":"ORD-1","outcome":"success"}]"#), Ok(()));
        let denied = told(
            vec![act("refund", End::Denied, r#"["ORD-1"]"#)],
            r#"[{"op":"refund","target":"ORD-1","outcome":"success"}]"#,
        );
        assert_eq!(
            denied.unwrap_err(),
            "The reply claims what no call bears out: \"refund\" on \"ORD-1\" with outcome \"success\": `refund` was stopped by a rule, which is \"blocked\" or \"refused\". Change the claims and the text so that both say what happened; what is only said is claimed as `inform`."
        );
    }

    #[test]
    fn a_word_that_is_no_outcome_is_told_with_those_that_are() {
        let told =
            told(vec![act("refund", End::Done, "[]")], r#"[{"op":"refund","outcome":"done\u202e"}]"#).unwrap_err();
        assert!(told.starts_with(r#"No outcome is called "done\u{202e}": write "success", "failure""#), "{told}");
    }

    #[test]
    fn speech_and_questions_claim_nothing_and_so_does_a_host_without_claims() {
        let speech =
            r#"[{"op":"inform"},{"op":"ask","outcome":"whatever"},{"op":"any","outcome":"any_other_question"}]"#;
        assert_eq!(told(vec![], speech), Ok(()));
        assert_eq!(judge("{kind: claimIsGrounded}", &Told { spec: SPEC, ..Told::of("I refunded it.") }), Ok(()));
    }

    #[test]
    fn what_nobody_can_tell_is_no_yes_and_a_lie_beside_it_is_one() {
        let claim = r#"[{"op":"refund","target":"ORD-1","outcome":"success"}]"#;
        assert_eq!(told(vec![full("refund", End::Done)], claim).unwrap_err(), "Fails(IndexFull)");
        assert_eq!(told(vec![full("refund", End::Done)], r#"[{"op":"refund","outcome":"success"}]"#), Ok(()));
        assert!(told(vec![full("refund", End::Failed)], claim).unwrap_err().starts_with("The reply claims"));
        let other = vec![full("refund", End::Done), act("refund", End::Done, r#"["ORD-1"]"#)];
        assert_eq!(told(other, claim), Ok(()));
    }

    #[test]
    fn a_success_is_called_by_the_word_of_its_tool() {
        // The bench knows core words only, and a core word always fits.
        let booked = Act { word: Some("booked".into()), ..act("refund", End::Done, "[]") };
        assert_eq!(told(vec![booked.clone()], r#"[{"op":"refund","outcome":"success"}]"#), Ok(()));
        let told = told(vec![booked], r#"[{"op":"refund","outcome":"failure"}]"#).unwrap_err();
        assert!(told.contains("which is \"booked\" or \"success\""), "{told}");
    }

    #[test]
    fn an_agent_that_only_reads_does_not_have_it() {
        let of = |spec: &str| {
            let policy = crate::guards::reply::tests::policy(spec, "{kind: emptyReply}").unwrap();
            policy.reply.guards.iter().any(|guard| &*guard.code == "auto/claimIsGrounded")
        };
        assert!(of(SPEC) && !of("tools: {look: {effect: read}}"));
    }
}
