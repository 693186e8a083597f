//! The steps that the linter counts, against what evaluation pays for.

use super::*;
use crate::schema::Spots;

const WORLD: &str = r#"{"type": "object", "properties": {"items": {"type": "array", "items": {"type": "number"}}}}"#;

/// A tenth more or less is no matter: what is told is a list ten times as long.
fn agrees(text: &str) -> bool {
    let expression = read(text).unwrap();
    let (params, world) = (Value::Object(crate::value::Object::new()), schema(WORLD));
    let sizes = Sizes { lets: &[], params: &params, args: Spots::unknown(), world: world.spots() };
    let steps = sizes.worst(&expression).steps;
    let mut fixture = Fixture::new();
    let items: Vec<Value<'static>> = (0..100_i64).map(Value::from).collect();
    fixture.world_schema = Some(schema(WORLD));
    fixture.world = Value::Object(crate::value::Object::of([("items", Value::Array(items))]));
    let ran_out = fixture.run(text) == "fault: it takes more than 10000 steps";
    let told = steps > u64::from(MAX_STEPS);
    told == ran_out || steps.abs_diff(u64::from(MAX_STEPS)) < u64::from(MAX_STEPS) / 10
}

#[test]
fn what_runs_out_is_told_and_what_does_not_is_not() {
    for inner in [
        "world.items.all(x, LIST.all(y, x + y >= 0))",
        "world.items.map(x, LIST.filter(y, y == x)).size() >= 0",
        "LIST.all(y, y + 1000 in world.items || y >= 0)",
        "world.items.filter(x, x in LIST.map(y, y + 1)).size() < 101",
        "world.items.all(x, (x > 5 ? LIST.map(y, y * 2).sum() : LIST.map(y, y * 2).max()) < 100000)",
        "world.items.transformList(i, x, LIST.map(y, [x, y, i].sum()).distinct().size()).sum() >= 0",
        "world.items.all(x, LIST.all(y, !(x == y && x != y) && {'a': x}.a == x))",
    ] {
        for length in [1_u32, 4, 10, 16, 25, 40, 64, 100, 160] {
            let list = format!("[{}]", (0..length).map(|one| one.to_string()).collect::<Vec<_>>().join(","));
            let text = inner.replace("LIST", &list);
            assert!(agrees(&text), "{length}: {inner}");
        }
    }
}
