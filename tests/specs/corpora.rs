//! The published τ-bench traces against `specs/airline.yaml` and `specs/retail.yaml`: the schemas take what real agents
//! rightly send, and the figures of `docs/measured.md` are what the specs do.

use crate::disk::{corpora, load, trace_lines};
use flyball::json::{Limits, parse};
use flyball::replay::score::{Benign, Judged, Labels, Score, Writes};
use flyball::replay::{Player, Trace};
use flyball::schema::{ArgSchema, correction};
use flyball::session::{Session, decide};
use flyball::value::{Object, Value};
use std::collections::BTreeMap;

const AIRLINE: &str = "specs/airline.yaml";
const RETAIL: &str = "specs/retail.yaml";
const GPT_4O: &str = "airline_gpt4o_trajectories.jsonl.gz";

/// The tasks whose published solution breaks the written policy.
const NOISE: [&str; 8] = ["test_10", "test_19", "test_23", "test_26", "test_27", "test_34", "test_45", "test_46"];

/// When the conversations took place: 15:00 at the host.
const AT: &str = "2024-05-15T20:00:00.000000Z";

/// Gate 5 of each tool of the spec.
fn schemas(spec: &str) -> BTreeMap<String, ArgSchema> {
    let (spec, _) = load(spec).clean();
    let schema = |value: &Value<'_>| ArgSchema::compile(value, &spec.schema_sources()).unwrap();
    let tools = spec.tools.iter();
    tools.map(|tool| (tool.name.value.text().to_owned(), schema(&tool.parameters.as_ref().unwrap().schema))).collect()
}

/// Whether each call of a file of traces is taken, and else what is wrong with it.
fn judge(spec: &str, file: &str) -> Option<Vec<Result<(), String>>> {
    let path = corpora()?.join("tau1").join(file);
    let schemas = schemas(spec);
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
    let files = ["retail_gt_test.jsonl.gz", "retail_gt_train.jsonl.gz", "retail_gt_dev.jsonl.gz"];
    let Some(airline) = judge(AIRLINE, "airline_gt_test.jsonl.gz") else { return };
    let retail: Vec<Result<(), String>> = files.iter().filter_map(|file| judge(RETAIL, file)).flatten().collect();
    assert_eq!((airline.len(), retail.len()), (158, 1375));
    assert_eq!((refused(airline), refused(retail)), (Vec::new(), Vec::new()));
}

#[test]
fn three_of_the_recorded_calls_are_mistakes_and_are_told_so() {
    let Some(calls) = judge(AIRLINE, GPT_4O) else { return };
    assert_eq!(calls.len(), 1164);
    let refused = refused(calls);
    let [negative, zero, undeclared] = refused.as_slice() else { panic!("{refused:#?}") };
    assert!(negative.contains("`payment_methods[1].amount` must be more than 0, not the number -305"), "{negative}");
    assert!(zero.contains("`payment_methods[2].amount` must be more than 0, not the number 0"), "{zero}");
    assert!(undeclared.contains("unknown argument `flights[0].destination`"), "{undeclared}");
}

/// The host's tables.
fn world(file: &str) -> Option<Value<'static>> {
    let path = corpora()?.join("tau1").join(file);
    let mut world = Object::new();
    for line in trace_lines(&path) {
        let table = parse(line.as_bytes(), &Limits::default()).unwrap().into_owned();
        world.insert(
            table.get("table").unwrap().as_str().unwrap().to_owned().into(),
            table.get("rows").unwrap().clone(),
        );
    }
    Some(world.into())
}

/// The score of a spec over files of traces, without the traces of some tasks.
fn score(spec: &str, tables: &str, files: &[&str], except: &[&str]) -> Option<Score> {
    let (folder, world) = (corpora()?.join("tau1"), world(tables)?);
    let (_, policy) = load(spec).clean();
    let world = policy.prune_world(&world);
    let (mut score, mut number) = (Score::default(), 0);
    for line in files.iter().flat_map(|file| trace_lines(&folder.join(file))) {
        let labels = Labels::read(line.as_bytes()).unwrap();
        if except.contains(&labels.task()) {
            continue;
        }
        number += 1;
        let trace = Trace::read(line.as_bytes()).unwrap();
        let mut player = Player::new(&trace, &policy, number, Some(&world)).at(Some(AT));
        let (mut session, step) = Session::open(&policy, &player.next_event().unwrap()).unwrap();
        player.decided(&session.commit(step).unwrap());
        let mut judged = Vec::new();
        while let Some(event) = player.next_event() {
            let decision = session.commit(decide(&policy, &session, &event)).unwrap();
            player.decided(&decision);
            judged.extend(Judged::on(&policy, &event, &decision));
        }
        score.add(player.session(), &labels, &judged);
    }
    Some(score)
}

fn named(calls: &[flyball::replay::score::Named]) -> Vec<String> {
    calls.iter().map(|one| format!("{} {} {}: {}", one.trace, one.call, one.tool, one.why)).collect()
}

#[test]
fn wrong_writes_of_real_airline_conversations_are_denied_and_right_ones_are_not() {
    let Some(all) = score(AIRLINE, "world_airline.jsonl.gz", &[GPT_4O], &[]) else { return };
    let sound = score(AIRLINE, "world_airline.jsonl.gz", &[GPT_4O], &NOISE).unwrap();
    assert_eq!(
        all.writes,
        Writes { wrong: 89, wrong_denied: 52, right: 88, right_denied: 20 },
        "{:#?}",
        named(&all.missed)
    );
    assert_eq!((sound.writes.right, sound.writes.right_denied), (58, 2), "{:#?}", named(&sound.needless));
}

#[test]
fn of_the_published_retail_solutions_only_the_one_on_somebody_elses_account_is_denied() {
    let files = ["retail_gt_test.jsonl.gz", "retail_gt_train.jsonl.gz", "retail_gt_dev.jsonl.gz"];
    let Some(score) = score(RETAIL, "world_retail.jsonl.gz", &files, &[]) else { return };
    let sound = |one: &&flyball::replay::score::Named| !one.trace.starts_with("test_64-");
    assert_eq!(
        score.writes,
        Writes { right: 950, right_denied: 2, ..Writes::default() },
        "{:#?}",
        named(&score.needless)
    );
    assert_eq!(score.needless.iter().filter(sound).count(), 24);
    assert_eq!(score.benign, Benign { tasks: 635, touched: 25, calls: 1375, denied: 29, asked: 0 });
}
