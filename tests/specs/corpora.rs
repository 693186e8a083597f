//! The published τ-bench traces against `specs/airline.yaml` and `specs/retail.yaml`: the schemas take what real agents
//! rightly send, and the figures of `docs/measured.md` are what the specs do.

use crate::disk::{Loaded, corpora, load, load_bytes, text_of, trace_lines};
use flyball::json::{Limits, parse};
use flyball::replay::score::{Benign, Judged, Labels, Named, Score, Writes};
use flyball::replay::{Player, Trace};
use flyball::schema::{ArgSchema, correction};
use flyball::session::{Session, decide};
use flyball::value::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const AIRLINE: &str = "specs/airline.yaml";
const RETAIL: &str = "specs/retail.yaml";
const GPT_4O: &str = "airline_gpt4o_trajectories.jsonl.gz";
const RETAIL_SOLUTIONS: [&str; 3] = ["retail_gt_test.jsonl.gz", "retail_gt_train.jsonl.gz", "retail_gt_dev.jsonl.gz"];

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
    let Some(airline) = judge(AIRLINE, "airline_gt_test.jsonl.gz") else { return };
    let retail: Vec<Result<(), String>> =
        RETAIL_SOLUTIONS.iter().filter_map(|file| judge(RETAIL, file)).flatten().collect();
    assert_eq!((airline.len(), retail.len()), (158, 1375));
    assert_eq!((refused(airline), refused(retail)), (Vec::new(), Vec::new()));
}

#[test]
fn two_of_the_recorded_calls_are_mistakes_and_are_told_so() {
    let Some(calls) = judge(AIRLINE, GPT_4O) else { return };
    assert_eq!(calls.len(), 1164);
    let refused = refused(calls);
    let [negative, zero] = refused.as_slice() else { panic!("{refused:#?}") };
    assert!(negative.contains("`payment_methods[1].amount` must be more than 0, not the number -305"), "{negative}");
    assert!(zero.contains("`payment_methods[2].amount` must be more than 0, not the number 0"), "{zero}");
}

/// The host's tables, by name.
fn tables(file: &Path) -> Vec<(String, Object<'static>)> {
    let table = |line: String| {
        let table = parse(line.as_bytes(), &Limits::default()).unwrap().into_owned();
        let name = table.get("table").unwrap().as_str().unwrap().to_owned();
        (name, table.get("rows").unwrap().as_object().unwrap().clone())
    };
    trace_lines(file).into_iter().map(table).collect()
}

/// Every key and every text in a value.
fn words(value: &Value<'_>, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => _ = found.insert(text.to_string()),
        Value::Array(elements) => elements.iter().for_each(|element| words(element, found)),
        Value::Object(object) => object.iter().for_each(|(key, member)| {
            found.insert(key.to_string());
            words(member, found);
        }),
        _ => {}
    }
}

/// The rows that a trace names, and those that they name in turn. A world may be a slice, and all of it takes long.
fn slice(tables: &[(String, Object<'static>)], trace: &Value<'_>) -> Value<'static> {
    let (mut named, mut known) = (BTreeSet::new(), 0);
    words(trace, &mut named);
    while named.len() > known {
        known = named.len();
        let rows = tables.iter().flat_map(|(_, rows)| rows.iter()).filter(|(key, _)| named.contains(*key));
        rows.map(|(_, row)| row).collect::<Vec<_>>().into_iter().for_each(|row| words(row, &mut named));
    }
    let mut world = Object::new();
    for (name, rows) in tables {
        let mut kept = Object::new();
        for (key, row) in rows.iter().filter(|(key, _)| named.contains(*key)) {
            kept.insert(key.to_owned().into(), row.clone());
        }
        world.insert(name.clone().into(), kept.into());
    }
    world.into()
}

/// The score of a spec over files of traces, and the score without the traces of some tasks.
fn score(spec: Loaded, world: &str, files: &[&str], except: &[&str]) -> Option<(Score, Score)> {
    let folder = corpora()?.join("tau1");
    let (_, policy) = spec.clean();
    let tables = tables(&folder.join(world));
    let (mut all, mut some) = (Score::default(), Score::default());
    for (number, line) in files.iter().flat_map(|file| trace_lines(&folder.join(file))).enumerate() {
        let world = slice(&tables, &parse(line.as_bytes(), &Limits::default()).unwrap());
        let labels = Labels::read(line.as_bytes()).unwrap();
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
        all.add(player.session(), &labels, &judged);
        if !except.contains(&labels.task()) {
            some.add(player.session(), &labels, &judged);
        }
    }
    Some((all, some))
}

fn named(calls: &[Named]) -> Vec<String> {
    calls.iter().map(|one| format!("{} {} {}: {}", one.trace, one.call, one.tool, one.why)).collect()
}

#[test]
fn wrong_writes_of_real_airline_conversations_are_denied_and_right_ones_are_not() {
    let Some((all, sound)) = score(load(AIRLINE), "world_airline.jsonl.gz", &[GPT_4O], &NOISE) else { return };
    let (missed, needless) = (named(&all.missed), named(&sound.needless));
    assert_eq!(all.writes, Writes { wrong: 89, wrong_denied: 52, right: 88, right_denied: 20 }, "{missed:#?}");
    assert_eq!(sound.writes, Writes { wrong: 76, wrong_denied: 45, right: 58, right_denied: 2 }, "{needless:#?}");
}

#[test]
fn without_the_look_ups_that_published_solutions_leave_out_the_airline_denies_only_the_eight_that_break_the_policy() {
    let whole = text_of(AIRLINE);
    let (head, tail) = whole.split_once("\nflow:\n").unwrap();
    let (_, guards) = tail.split_once("\nguards:\n").unwrap();
    let free = load_bytes(AIRLINE, format!("{head}\nguards:\n{guards}"));
    let Some((all, _)) = score(free, "world_airline.jsonl.gz", &["airline_gt_test.jsonl.gz"], &[]) else { return };
    let denied: BTreeSet<&str> = all.needless.iter().filter_map(|one| one.trace.split('-').next()).collect();
    assert_eq!(denied, BTreeSet::from(NOISE), "{:#?}", named(&all.needless));
}

#[test]
fn of_the_published_retail_solutions_only_a_write_on_somebody_elses_account_is_denied() {
    let Some((all, _)) = score(load(RETAIL), "world_retail.jsonl.gz", &RETAIL_SOLUTIONS, &[]) else { return };
    let needless = named(&all.needless);
    assert_eq!(all.writes, Writes { right: 951, right_denied: 1, ..Writes::default() }, "{needless:#?}");
    assert_eq!(all.benign, Benign { tasks: 635, touched: 25, calls: 1375, denied: 32, asked: 0 }, "{needless:#?}");
    let on_test_64 = all.needless.iter().filter(|one| one.trace.starts_with("test_64-"));
    assert_eq!(on_test_64.count(), 6, "{needless:#?}");
    let repeats = all.needless.iter().filter(|one| one.why.contains("auto/noDuplicateCall"));
    assert_eq!(repeats.count(), 7, "{needless:#?}");
}
