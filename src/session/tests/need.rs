//! Questions to the host: asked at once where nothing else denies, answered once, and never a silent yes.

use super::{Desk, code, is_allowed, policy_with, verdict};
use crate::context::{BindProblem, Context, Failure, Finding, Query, Question};
use crate::decision::{Decision, Verdict};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::guards::{About, Check, Dimension, Hook, Kind, Registry, Rule, ToolFacts, arg_range, forbid};
use crate::policy::Policy;
use crate::session::Status;
use crate::value::{Object, Value};
use std::sync::Arc;

/// A kind that asks the host a fixed question and takes `true` for yes.
#[derive(Debug)]
struct AskHost;

static ABOUT: About = About {
    name: "askHost",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `askHost`",
        fields: &[Field::required("query", Type::Text, "The query's id.")],
    },
    docs: "",
};

#[derive(Clone, Debug)]
struct Asks {
    query: String,
}

impl Kind for AskHost {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let query = decoder.text(with.get("query")?)?.value;
        Some(Arc::new(Asks { query }))
    }
}

impl Rule for Asks {
    fn parameters(&self) -> Value<'static> {
        Object::of([("query", Value::from(self.query.clone()))]).into()
    }

    fn prose(&self) -> String {
        "only if the host says yes".into()
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for Asks {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match context.answers.iter().find(|answer| answer.query == self.query).map(|answer| &answer.value) {
            None => Finding::Needs(Query {
                id: self.query.clone(),
                question: Question::Judge { question: "Is it right?".into(), evidence: Value::from("n") },
            }),
            Some(Some(Value::Bool(true))) => Finding::Pass,
            Some(Some(Value::Bool(false))) => Finding::Fires,
            Some(_) => Finding::Fails(Failure::NoAnswer("not a boolean".into())),
        }
    }

    fn correction(&self, _: &Context<'_>) -> String {
        "The host says no.".into()
    }
}

pub(super) fn asking(rules: &str) -> Policy {
    let kinds: &[&dyn Kind] = &[&AskHost, &arg_range::ArgRange, &forbid::Forbid];
    policy_with(rules, Registry::of(kinds))
}

pub(super) const TWO: &str = "
tools: {pay: {effect: external}, look: {effect: read}}
guards:
  preTool:
    - {id: first, tools: [pay], kind: askHost, with: {query: q1}}
    - {id: cap, tools: [pay], kind: argRange, with: {arg: n, max: 5}}
    - {id: second, tools: [pay], kind: askHost, with: {query: q2}}
budgets: [{id: once, count: calls, tools: [pay], max: 1}]
";

fn answers(desk: &mut Desk<'_>, call: &str, answers: &str) -> Arc<Decision> {
    desk.say(&format!(r#""type":"answers","call":"{call}","answers":[{answers}]"#))
}

fn ids(verdict: &Verdict) -> Vec<&str> {
    let Verdict::Need(queries) = verdict else { panic!("nothing is asked: {verdict:?}") };
    queries.iter().map(|query| query.id.as_str()).collect()
}

const YES: &str = r#"{"query":"q1","value":true},{"query":"q2","value":true}"#;

#[test]
fn everything_is_asked_at_once_and_the_call_goes_on_with_the_answers() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    assert_eq!(ids(&desk.call("c1", "pay", r#"{"n":1}"#)), ["q1", "q2"]);
    assert_eq!(desk.session.call("c1").unwrap().status, Status::Waiting);
    assert_eq!(code(&desk.result("c1", "1")), Some("unknown_call"));
    assert!(is_allowed(&verdict(&answers(&mut desk, "c1", YES))));
    assert_eq!(desk.session.call("c1").unwrap().status, Status::Allowed);
    assert!(desk.session.waiting_call("c1").is_none());
    assert_eq!(*desk.result("c1", "1"), Decision::Accept);
}

#[test]
fn a_no_is_the_guards_deny_and_a_tool_nobody_asks_about_is_not_asked_about() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    assert!(is_allowed(&desk.call("c0", "look", "{}")));
    desk.call("c1", "pay", r#"{"n":1}"#);
    let no = r#"{"query":"q1","value":true},{"query":"q2","value":false}"#;
    let Verdict::Deny(deny) = verdict(&answers(&mut desk, "c1", no)) else { panic!("not denied") };
    assert_eq!((&*deny.first.code, deny.correction.as_str()), ("second", "The host says no."));
}

#[test]
fn a_deny_elsewhere_ends_it_without_asking() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    assert_eq!(desk.call("c1", "pay", r#"{"n":9}"#).denied_by(), Some("cap"));
    assert_eq!(code(&answers(&mut desk, "c1", YES)), Some("unknown_call"));
}

#[test]
fn what_was_asked_reserves_nothing_until_it_is_answered() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    desk.call("c1", "pay", r#"{"n":1}"#);
    desk.call("c2", "pay", r#"{"n":2}"#);
    assert!(is_allowed(&verdict(&answers(&mut desk, "c2", YES))));
    assert_eq!(verdict(&answers(&mut desk, "c1", YES)).denied_by(), Some("once"));
}

#[test]
fn a_failed_missing_or_malformed_answer_is_the_guards_failure() {
    let policy = asking(TWO);
    for given in [
        "",
        r#"{"query":"q1","value":true}"#,
        r#"{"query":"q1","value":true},{"query":"q3","value":true}"#,
        r#"{"query":"q1","value":true},{"query":"q2","failure":"timeout"}"#,
        r#"{"query":"q1","value":true},{"query":"q2","value":"true"}"#,
        r#"{"query":"q1","value":true},{"query":"q2","value":null}"#,
    ] {
        let mut desk = Desk::open(&policy);
        desk.call("c1", "pay", r#"{"n":1}"#);
        let verdict = verdict(&answers(&mut desk, "c1", given));
        assert_eq!(verdict.denied_by(), Some("guard_failure"), "{given}");
        let Verdict::Deny(deny) = verdict else { panic!("not denied") };
        assert!(deny.correction.starts_with("A guard is unavailable"), "{}", deny.correction);
        assert_eq!(deny.first.failure, Some("no_answer"));
        assert_eq!(code(&answers(&mut desk, "c1", YES)), Some("unknown_call"), "an answer comes once");
    }
}

#[test]
fn a_guard_that_watches_lets_the_call_go_on_when_it_fails() {
    let policy = asking(
        "
tools: {pay: {effect: external}}
guards: {preTool: [{id: watch, kind: askHost, action: audit, with: {query: q1}}]}
",
    );
    let mut desk = Desk::open(&policy);
    assert_eq!(ids(&desk.call("c1", "pay", "{}")), ["q1"]);
    let Verdict::Allow(allow) = verdict(&answers(&mut desk, "c1", r#"{"query":"q1","failure":"down"}"#)) else {
        panic!("not allowed")
    };
    assert_eq!((&*allow.audited[0].code, &*allow.audited[0].guard), ("guard_failure", "watch"));
}

#[test]
fn answers_for_a_call_that_waits_for_none_are_rejected_and_change_nothing() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    desk.call("c1", "look", "{}");
    desk.call("c2", "pay", r#"{"n":9}"#);
    for call in ["c1", "c2", "ghost"] {
        assert_eq!(code(&answers(&mut desk, call, YES)), Some("unknown_call"), "{call}");
    }
    desk.call("c3", "pay", r#"{"n":1}"#);
    answers(&mut desk, "c3", YES);
    assert_eq!(code(&answers(&mut desk, "c3", YES)), Some("unknown_call"));
}

#[test]
fn a_call_that_was_asked_about_is_one_attempt() {
    let policy = asking(
        "
tools: {pay: {effect: external}}
guards: {preTool: [{id: host, kind: askHost, with: {query: q1}}]}
budgets: [{id: tries, count: attempts, max: 2}]
",
    );
    let mut desk = Desk::open(&policy);
    for call in ["c1", "c2"] {
        desk.call(call, "pay", &format!(r#"{{"n":"{call}"}}"#));
        let decision = answers(&mut desk, call, r#"{"query":"q1","value":true}"#);
        assert!(is_allowed(&verdict(&decision)), "{call}: {decision:?}");
    }
    assert_eq!(desk.call("c3", "pay", "{}").denied_by(), Some("tries"));
}

#[test]
fn a_waiting_call_of_a_batch_does_not_hold_its_siblings_back() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    let batch = r#""type":"modelTurn","calls":[{"id":"c1","tool":"pay","args":{"n":1}},{"id":"c2","tool":"look"}]"#;
    let verdicts = super::verdicts(&desk.say(batch));
    assert_eq!(ids(&verdicts[0].1), ["q1", "q2"]);
    assert!(is_allowed(&verdicts[1].1));
    assert!(is_allowed(&verdict(&answers(&mut desk, "c1", YES))));
}

#[test]
fn a_question_is_written_with_its_id_and_words() {
    let policy = asking(TWO);
    let mut desk = Desk::open(&policy);
    let line =
        r#"{"v":"flyball/1","type":"toolProposed","id":"x","session":"s1","call":"c1","tool":"pay","args":{"n":1}}"#;
    let answer = desk.line(line.as_bytes());
    assert!(answer.contains(r#""decision":"need""#), "{answer}");
    assert!(answer.contains(r#"{"ask":"judge","evidence":"n","id":"q1","question":"Is it right?"}"#), "{answer}");
}

#[test]
fn where_the_spec_only_observes_nothing_is_asked() {
    let policy = asking(&format!("mode: observe\n{}", TWO.trim_start()));
    let mut desk = Desk::open(&policy);
    let Verdict::Allow(allow) = desk.call("c1", "pay", r#"{"n":1}"#) else { panic!("not allowed") };
    assert!(matches!(allow.would.as_deref(), Some(Verdict::Need(_))));
}

/// A call that a person must approve and of which the host is asked: the approval stands while the host answers.
#[test]
fn what_a_person_decided_still_holds_when_the_host_has_answered() {
    let policy = asking(
        "
tools: {pay: {effect: external}}
guards:
  preTool:
    - {id: host, tools: [pay], when: world.unsure, kind: askHost, with: {query: q1}}
    - {id: person, tools: [pay], action: ask, prose: all are approved}
",
    );
    for (granted, wanted) in [(true, "allow"), (false, "deny")] {
        let mut desk = Desk::open(&policy);
        let at = r#""at":"2031-03-04T09:00:00Z""#;
        desk.say(&format!(r#""type":"worldChanged","world":{{"unsure":false}},{at}"#));
        let propose = format!(r#""type":"toolProposed","call":"c1","tool":"pay",{at}"#);
        let Verdict::Ask(ask) = verdict(&desk.say(&propose)) else { panic!("nobody is asked") };
        let digest = ask.request.unwrap().digest;
        desk.say(&format!(r#""type":"worldChanged","world":{{"unsure":true}},{at}"#));
        assert_eq!(ids(&verdict(&desk.say(&propose))), ["q1"]);
        let answer = format!(
            r#""type":"approvalDecided","call":"c1","digest":"{digest}","granted":{granted},"approver":"ana",{at}"#
        );
        assert!(matches!(*desk.say(&answer), Decision::Accepted(_)));
        let told = desk.say(&format!(r#""type":"answers","call":"c1","answers":[{{"query":"q1","value":true}}],{at}"#));
        assert_eq!(verdict(&told).name(), wanted);
        assert_eq!(desk.session.call("c1").unwrap().status, if granted { Status::Allowed } else { Status::Denied });
        assert_eq!(code(&desk.say(&propose)).or(verdict(&desk.say(&propose)).denied_by()), Some("duplicate_call_id"));
    }
}
