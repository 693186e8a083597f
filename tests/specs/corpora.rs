//! The published τ-bench airline calls against `specs/airline.yaml`: its schemas take what real agents rightly send.

use crate::disk::{corpora, load, trace_lines};
use flyball::json::{Limits, parse};
use flyball::schema::{ArgSchema, correction};
use flyball::value::Value;
use std::collections::BTreeMap;

/// Gate 5 of each tool of the spec.
fn schemas() -> BTreeMap<String, ArgSchema> {
    let (spec, _) = load("specs/airline.yaml").clean();
    let schema = |value: &Value<'_>| ArgSchema::compile(value, &spec.schema_sources()).unwrap();
    let tools = spec.tools.iter();
    tools.map(|tool| (tool.name.value.text().to_owned(), schema(&tool.parameters.as_ref().unwrap().schema))).collect()
}

/// Whether each call of a file of traces is taken, and else what is wrong with it.
fn judge(file: &str) -> Option<Vec<Result<(), String>>> {
    let path = corpora()?.join("tau1").join(file);
    let schemas = schemas();
    let judge = |step: &Value<'_>| {
        let tool = step.get("tool")?.as_str()?;
        let outcome = schemas[tool].bind(step.get("args")?).map(drop);
        Some(outcome.map_err(|problems| format!("{tool}: {}", correction(&problems))))
    };
    let calls = trace_lines(&path).into_iter().flat_map(|line| {
        let trace = parse(line.as_bytes(), &Limits::default()).unwrap();
        let steps = trace.get("steps").and_then(Value::as_array).unwrap();
        steps.iter().filter_map(judge).collect::<Vec<_>>()
    });
    Some(calls.collect())
}

/// The refused ones of the calls, sorted.
fn refused(calls: Vec<Result<(), String>>) -> Vec<String> {
    let mut refused: Vec<String> = calls.into_iter().filter_map(Result::err).collect();
    refused.sort();
    refused
}

#[test]
fn every_ground_truth_call_passes_the_schemas() {
    let Some(calls) = judge("airline_gt_test.jsonl.gz") else { return };
    assert_eq!(calls.len(), 158);
    assert_eq!(refused(calls), [""; 0]);
}

#[test]
fn three_of_the_recorded_calls_are_mistakes_and_are_told_so() {
    let Some(calls) = judge("airline_gpt4o_trajectories.jsonl.gz") else { return };
    assert_eq!(calls.len(), 1164);
    let refused = refused(calls);
    let [negative, zero, undeclared] = refused.as_slice() else { panic!("{refused:#?}") };
    assert!(negative.contains("`payment_methods[1].amount` must be more than 0, not the number -305"), "{negative}");
    assert!(zero.contains("`payment_methods[2].amount` must be more than 0, not the number 0"), "{zero}");
    assert!(undeclared.contains("unknown argument `flights[0].destination`"), "{undeclared}");
}
