//! Recorded calls of real agents: every one whose tool's schema is exported must bind.

use std::io::Read;

use super::value;
use crate::hash::Map;
use crate::schema::{ArgSchema, SchemaSources};
use crate::value::Value;

#[expect(
    clippy::disallowed_methods,
    reason = "the corpora lie outside the project; their folder is named by the environment"
)]
fn folder() -> Option<std::path::PathBuf> {
    std::env::var_os("FLYBALL_CORPORA").map(Into::into)
}

#[expect(clippy::disallowed_methods, reason = "a test reads its material")]
fn read(path: &std::path::Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn unzipped(path: &std::path::Path) -> String {
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(read(path).as_slice()).read_to_string(&mut text).unwrap();
    text
}

fn schemas(path: &std::path::Path) -> Map<String, ArgSchema> {
    let text = String::from_utf8(read(path)).unwrap();
    let tools = value(&text);
    let tool = |tool: &Value<'_>| {
        let name = tool.get("name").unwrap().as_str().unwrap();
        let schema = ArgSchema::compile(tool.get("parameters").unwrap(), &SchemaSources::none());
        let schema = schema.unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        assert!(schema.beyond_closed_set().is_empty(), "{name}");
        (String::from(name), schema)
    };
    tools.get("tools").unwrap().as_array().unwrap().iter().map(tool).collect()
}

#[test]
#[expect(clippy::disallowed_macros, reason = "the count is what the test is for")]
fn every_recorded_call_binds() {
    let Some(folder) = folder() else {
        println!("FLYBALL_CORPORA is not set: recorded calls not checked");
        return;
    };
    let (mut bound, mut skipped, mut refused) = (0, 0, Vec::new());
    for (tools, traces) in [
        ("tau1/tools_airline.json", "tau1/airline_gpt4o_trajectories.jsonl.gz"),
        ("tau1/tools_airline.json", "tau1/airline_gt_test.jsonl.gz"),
        ("tau1/tools_retail.json", "tau1/retail_gt_dev.jsonl.gz"),
        ("tau1/tools_retail.json", "tau1/retail_gt_test.jsonl.gz"),
        ("tau1/tools_retail.json", "tau1/retail_gt_train.jsonl.gz"),
        ("agentdojo/tools_banking.json", "agentdojo/combined_banking.jsonl.gz"),
        ("agentdojo/tools_workspace.json", "agentdojo/combined_workspace.jsonl.gz"),
        ("agentdojo/tools_banking.json", "agentdojo/benign.jsonl.gz"),
        ("agentdojo/tools_workspace.json", "agentdojo/benign.jsonl.gz"),
        ("agentdojo/tools_banking.json", "agentdojo/injection.jsonl.gz"),
        ("agentdojo/tools_workspace.json", "agentdojo/injection.jsonl.gz"),
    ] {
        let schemas = schemas(&folder.join(tools));
        let suite = tools.rsplit('_').next().unwrap().trim_end_matches(".json");
        for line in unzipped(&folder.join(traces)).lines() {
            let trace = value(line);
            if trace.get("suite").unwrap().as_str() != Some(suite) {
                continue;
            }
            for step in trace.get("steps").unwrap().as_array().unwrap() {
                let (Some(Value::String(tool)), Some(args)) = (step.get("tool"), step.get("args")) else { continue };
                match schemas.get(&**tool).map(|schema| schema.bind(args)) {
                    None => skipped += 1,
                    Some(Ok(_)) => bound += 1,
                    Some(Err(problems)) => refused.push((tool.to_string(), problems)),
                }
            }
        }
    }
    println!("{bound} calls bound, {skipped} of tools without a schema, {} refused", refused.len());
    assert!(bound > 7_000 && skipped == 0);
    // Their schemas do not close objects, ours do: one real call carries members that no schema declares.
    let undeclared = refused.iter().filter(|(_, problems)| problems.iter().all(|problem| problem.code == "unknown"));
    assert_eq!((undeclared.count(), refused.len()), (1, 1), "{:#?}", refused.get(..5).unwrap_or(&refused));
}
