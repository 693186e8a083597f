//! What a verdict tells of the rules that were matched.

use super::*;

fn matched(id: usize) -> Match {
    let guard: Arc<str> = format!("rule-{id}").into();
    let code = guard.clone();
    let outcome = StepOutcome::GuardDenied;
    Match { guard, code, outcome, correction: String::new(), public_reason: None, failure: None, is_final: false }
}

fn denied(rules: usize) -> Verdict {
    Verdict::Deny(Box::new(Deny::of(matched(0), (1..rules).map(matched).collect())))
}

#[test]
fn a_deny_names_every_rule_up_to_the_limit_the_shown_one_first() {
    for (rules, named) in [(1, 1), (255, 255), (256, 256), (257, 256), (1_000, 256)] {
        let verdict = denied(rules);
        let expected: Vec<String> = (0..named).map(|id| format!("rule-{id}")).collect();
        assert_eq!(verdict.matched(), expected, "{rules} rules");
    }
}

#[test]
fn an_observed_deny_names_its_rules_within_the_same_limit() {
    let allow =
        Allow { would: Some(Box::new(denied(255))), audited: vec![matched(255), matched(256)], ..Allow::default() };
    let verdict = Verdict::Allow(allow);
    let expected: Vec<String> = (0..256).map(|id| format!("rule-{id}")).collect();
    assert_eq!(verdict.matched(), expected);
}

#[test]
fn a_judge_gets_its_evidence_beside_the_question() {
    let evidence = crate::value::Object::of([("text", crate::value::Value::from("Done."))]).into();
    let judge = Question::Judge { question: "Is it so?".into(), evidence };
    let mut out = Vec::new();
    write_query(&Query { id: "g".into(), question: judge }, &mut out);
    let wanted = r#"{"ask":"judge","evidence":{"text":"Done."},"id":"g","question":"Is it so?"}"#;
    assert_eq!(String::from_utf8(out).unwrap(), wanted);
}
