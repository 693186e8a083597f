//! serde_yaml as the oracle: every file that loads has the same values for it as for our reader.

use crate::disk::{files, files_below, text_of};
use flyball::decode::Decoder;
use flyball::source::{FileId, Sources};
use flyball::value::Value;
use serde_yaml::Value as Theirs;

fn ours(path: &str) -> Value<'static> {
    let sources = Sources::new(path, text_of(path));
    let mut decoder = Decoder::new(&sources);
    let root = decoder.read(FileId(0)).unwrap();
    let value = decoder.value(&root).unwrap();
    assert!(decoder.diagnostics.is_empty(), "{path}");
    value
}

/// Numbers compare as the other reader has them, in binary.
fn same(ours: &Value<'_>, theirs: &Theirs) -> bool {
    match (ours, theirs) {
        (Value::Null, Theirs::Null) => true,
        (Value::Bool(ours), Theirs::Bool(theirs)) => ours == theirs,
        (Value::Number(ours), Theirs::Number(theirs)) => ours.to_string().parse::<f64>().ok() == theirs.as_f64(),
        (Value::String(ours), Theirs::String(theirs)) => ours.as_ref() == theirs,
        (Value::Array(ours), Theirs::Sequence(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
        }
        (Value::Object(ours), Theirs::Mapping(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, ours)| theirs.get(key).is_some_and(|theirs| same(ours, theirs)))
        }
        _ => false,
    }
}

fn loadable() -> Vec<String> {
    let mut paths = files("specs", ".yaml");
    paths.extend(files_below("contracts", ".yaml"));
    paths.extend(files_below("specs/ok", ".yaml"));
    paths.extend(files_below("specs/schemas", ".json"));
    paths
}

#[test]
fn every_file_that_loads_reads_the_same_with_serde_yaml() {
    for path in loadable() {
        let theirs: Theirs = serde_yaml::from_str(&text_of(&path)).unwrap();
        assert!(same(&ours(&path), &theirs), "{path}");
    }
}

#[test]
fn the_oracle_sees_a_difference() {
    let theirs: Theirs = serde_yaml::from_str("a: 1\nb: ['no']\n").unwrap();
    let read =
        |text: &str| flyball::json::parse(text.as_bytes(), &flyball::json::Limits::default()).unwrap().into_owned();
    assert!(same(&read(r#"{"a": 1.0, "b": ["no"]}"#), &theirs));
    for other in [r#"{"a": 2, "b": ["no"]}"#, r#"{"a": 1, "b": [false]}"#, r#"{"a": 1}"#, r#"{"a": 1, "b": ["no", 1]}"#]
    {
        assert!(!same(&read(other), &theirs), "{other}");
    }
}
