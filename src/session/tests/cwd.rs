//! The directory of a call: read by checks before and after it, also when the host was asked in between.

use super::{Desk, is_allowed, policy_with, verdict, verdicts};
use crate::context::{BindProblem, Context, Finding, Query, Question};
use crate::decision::Verdict;
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::guards::{About, Check, Dimension, Hook, Kind, Registry, Rule, ToolFacts};
use crate::policy::Policy;
use crate::value::{Object, Value};
use std::sync::Arc;

/// Asks the host once, then fires where a call runs below `/etc`; where nothing says where it runs, that is missing.
#[derive(Debug)]
struct OutsideEtc;

static ABOUT: About = About {
    name: "outsideEtc",
    hooks: &[Hook::PreTool, Hook::PostTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape { name: "the parameters of `outsideEtc`", fields: &[] },
    docs: "",
};

#[derive(Debug)]
struct Outside;

impl Kind for OutsideEtc {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Outside))
    }
}

impl Rule for Outside {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "outside `/etc`".into()
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Outside)))
    }
}

impl Check for Outside {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        if context.tool == "ask" && context.answers.is_empty() {
            let question = Question::Judge { question: "Is it right?".into(), evidence: Value::from("n") };
            return Finding::Needs(Query { id: "q".into(), question });
        }
        match context.cwd {
            None => Finding::Missing,
            Some(cwd) if cwd.starts_with("/etc") => Finding::Fires,
            Some(_) => Finding::Pass,
        }
    }

    fn correction(&self, _: &Context<'_>) -> String {
        "Not there.".into()
    }
}

fn policy(rules: &str) -> Policy {
    let kinds: &[&dyn Kind] = &[&OutsideEtc];
    policy_with(rules, Registry::of(kinds))
}

const BEFORE: &str = "
tools: {ask: {effect: write}, run: {effect: write}}
guards: {preTool: [{id: outside, kind: outsideEtc}]}
";

fn propose(desk: &mut Desk<'_>, call: &str, tool: &str, cwd: &str) -> Verdict {
    let cwd = if cwd.is_empty() { String::new() } else { format!(r#","cwd":"{cwd}""#) };
    verdict(
        &desk.say(&format!(r#""type":"toolProposed","call":"{call}","tool":"{tool}","args":{{"n":"{call}"}}{cwd}"#)),
    )
}

#[test]
fn a_check_reads_where_a_call_would_run_and_misses_it_where_nobody_says() {
    let policy = policy(BEFORE);
    let mut desk = Desk::open(&policy);
    assert!(is_allowed(&propose(&mut desk, "c1", "run", "/home/a")));
    assert_eq!(propose(&mut desk, "c2", "run", "/etc/x").denied_by(), Some("outside"));
    assert_eq!(propose(&mut desk, "c3", "run", "").denied_by(), Some("outside"));
    assert_eq!(desk.session.call("c1").unwrap().cwd(), None, "nobody asks for it later");
}

#[test]
fn each_call_of_a_batch_has_its_own() {
    let policy = policy(BEFORE);
    let calls = r#""type":"modelTurn","calls":[{"id":"c1","tool":"run","args":{"n":1},"cwd":"/etc"},{"id":"c2","tool":"run","args":{"n":2},"cwd":"/a"},{"id":"c3","tool":"run","args":{"n":3}}]"#;
    let decided = verdicts(&Desk::open(&policy).say(calls));
    let codes: Vec<Option<&str>> = decided.iter().map(|(_, verdict)| verdict.denied_by()).collect();
    assert_eq!(codes, [Some("outside"), None, Some("outside")]);
}

#[test]
fn a_call_that_waited_for_an_answer_goes_on_where_it_was_proposed() {
    let policy = policy(BEFORE);
    for (cwd, denied) in [("/home/a", None), ("/etc", Some("outside"))] {
        let mut desk = Desk::open(&policy);
        assert!(matches!(propose(&mut desk, "c1", "ask", cwd), Verdict::Need(_)));
        let answer = desk.say(r#""type":"answers","call":"c1","answers":[{"query":"q","value":true}]"#);
        assert_eq!(verdict(&answer).denied_by(), denied);
    }
}

#[test]
fn a_check_of_the_result_reads_where_the_call_ran() {
    let policy = policy(
        "
tools: {run: {effect: write}}
guards: {postTool: [{id: outside, kind: outsideEtc, action: deny}]}
",
    );
    for (cwd, told) in [("/home/a", "accept"), ("/etc", "withhold")] {
        let mut desk = Desk::open(&policy);
        propose(&mut desk, "c1", "run", cwd);
        let answer =
            desk.line(br#"{"v":"flyball/1","id":"x","session":"s1","type":"toolFinished","call":"c1","result":1}"#);
        assert!(answer.contains(&format!(r#""decision":"{told}""#)), "{answer}");
        assert_eq!(desk.session.call("c1").unwrap().cwd(), None);
    }
}
