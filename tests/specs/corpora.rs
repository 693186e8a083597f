//! The published τ-bench airline calls against `specs/airline.yaml`: its schemas take what real agents rightly send.

use crate::disk::{corpora, load, trace_lines};
use flyball::json::{Limits, parse};
use flyball::schema::{ArgSchema, SchemaSources, correction};
use flyball::value::Value;
use std::collections::BTreeMap;

/// Gate 5 of each tool of the spec.
fn schemas() -> BTreeMap<String, ArgSchema> {
    let (spec, _) = load("specs/airline.yaml").clean();
    let schema = |value: &Value<'_>| ArgSchema::compile(value, &SchemaSources::none()).unwrap();
    let tools = spec.tools.iter();
    tools.map(|tool| (tool.name.value.text().to_owned(), schema(&tool.parameters.as_ref().unwrap().schema))).collect()
}

/// How many calls a file of traces has, and what is wrong with those that are refused.
fn judge(file: &str) -> Option<(usize, Vec<String>)> {
    let path = corpora()?.join("tau1").join(file);
    let schemas = schemas();
    let (mut calls, mut refused) = (0, Vec::new());
    for line in trace_lines(&path) {
        let trace = parse(line.as_bytes(), &Limits::default()).unwrap();
        let steps = trace.get("steps").and_then(Value::as_array).unwrap();
        for step in steps.iter().filter(|step| step.get("tool").is_some()) {
            calls += 1;
            let tool = step.get("tool").and_then(Value::as_str).unwrap();
            if let Err(problems) = schemas[tool].bind(step.get("args").unwrap()) {
                refused.push(format!("{tool}: {}", correction(&problems)));
            }
        }
    }
    refused.sort();
    Some((calls, refused))
}

#[test]
fn every_ground_truth_call_passes_the_schemas() {
    let Some((calls, refused)) = judge("airline_gt_test.jsonl.gz") else { return };
    assert_eq!(refused, [""; 0]);
    assert_eq!(calls, 158);
}

#[test]
fn three_of_the_recorded_calls_are_mistakes_and_are_told_so() {
    let Some((calls, refused)) = judge("airline_gpt4o_trajectories.jsonl.gz") else { return };
    assert_eq!(calls, 1164);
    let [negative, zero, undeclared] = refused.as_slice() else { panic!("{refused:#?}") };
    assert!(negative.contains("`payment_methods[1].amount` must be more than 0, not the number -305"), "{negative}");
    assert!(zero.contains("`payment_methods[2].amount` must be more than 0, not the number 0"), "{zero}");
    assert!(undeclared.contains("unknown argument `flights[0].destination`"), "{undeclared}");
}
