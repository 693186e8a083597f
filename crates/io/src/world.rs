//! A host's state from a file: one JSON object, a line `{"table": NAME, "rows": …}` for each of its members, or an object
//! `world` beside texts that say where it comes from.

use crate::error::{IoError, reason};
use crate::lines::open;
use flyball::json::{JsonError, Limits, parse};
use flyball::value::{Object, Value};
use std::io::Read;
use std::path::Path;

/// Reads a world, packed with gzip or not.
///
/// # Errors
/// The file cannot be read, or is none of these forms.
pub fn load(path: &Path) -> Result<Value<'static>, IoError> {
    let unreadable = |error: &std::io::Error| IoError::unreadable(path, reason(error));
    let most = u64::try_from(Limits::default().bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let stream = open(path).map_err(|error| unreadable(&error))?;
    stream.take(most).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    let bad = |reason: String| IoError::BadJson { path: path.to_owned(), reason };
    match whole(&bytes) {
        Ok(Value::Object(object)) if !is_table(&object) => Ok(described(object)),
        Ok(other) if other.as_object().is_none() => Err(bad(format!("a world is an object, not {}", other.kind()))),
        _ => tables(&bytes).map_err(bad),
    }
}

fn whole(bytes: &[u8]) -> Result<Value<'static>, JsonError> {
    parse(bytes, &Limits::default()).map(Value::into_owned)
}

fn is_table(object: &Object<'_>) -> bool {
    object.len() == 2 && object.contains_key("table") && object.contains_key("rows")
}

/// The state in a file that says of it what it is; another object is the state itself.
fn described(mut file: Object<'static>) -> Value<'static> {
    let is_said = |(key, member): (&str, &Value<'_>)| key == "world" || member.as_str().is_some();
    let is_described = file.len() > 1 && file.iter().all(is_said);
    match file.remove("world") {
        Some(world) if is_described && world.as_object().is_some() => world,
        Some(world) => {
            file.insert("world".into(), world);
            file.into()
        }
        None => file.into(),
    }
}

fn tables(bytes: &[u8]) -> Result<Value<'static>, String> {
    let mut world = Object::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let place = format!("line {}", number.saturating_add(1));
        let table = whole(line).map_err(|error| format!("{place}: {error}"))?;
        let Value::Object(mut table) = table else { return Err(format!("{place}: a table is an object")) };
        let (Some(Value::String(name)), Some(rows)) = (table.remove("table"), table.remove("rows")) else {
            return Err(format!("{place}: a table has `table`, its name, and `rows`"));
        };
        if world.insert(name.clone(), rows).is_some() {
            return Err(format!("{place}: the table `{name}` stands twice"));
        }
    }
    Ok(world.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_may_stand_beside_texts_that_describe_it() {
        let read = |text: &str| match whole(text.as_bytes()).unwrap() {
            Value::Object(file) => flyball::canon::to_text(&described(file)),
            other => panic!("{other:?}"),
        };
        assert_eq!(read(r#"{"suite": "bank", "world": {"balance": 1}}"#), r#"{"balance":1}"#);
        for state in
            [r#"{"size":1,"world":{"a":1}}"#, r#"{"world":{"a":1}}"#, r#"{"name":"x","world":"y"}"#, r#"{"a":"b"}"#]
        {
            assert_eq!(read(state), state);
        }
    }

    #[test]
    fn tables_become_members_and_faults_name_their_line() {
        let text = b"{\"table\":\"a\",\"rows\":{\"x\":1}}\n\n{\"table\":\"b\",\"rows\":[]}\n";
        assert_eq!(flyball::canon::to_text(&tables(text).unwrap()), r#"{"a":{"x":1},"b":[]}"#);
        let twice = b"{\"table\":\"a\",\"rows\":{}}\n{\"table\":\"a\",\"rows\":{}}\n";
        assert_eq!(tables(twice).unwrap_err(), "line 2: the table `a` stands twice");
        assert!(tables(b"{\"table\":\"a\"}\n").unwrap_err().starts_with("line 1: "));
    }
}
