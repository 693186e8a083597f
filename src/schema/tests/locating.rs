//! Paths against schemas and bound arguments.

use super::{schema, value};
use crate::path::{Path, Reach};
use crate::schema::{ArgSchema, Located, PathProblem, Subject, TypeSet};

fn order() -> ArgSchema {
    schema(
        r#"{"required":["id","lines"],"properties":{
            "id":{"type":"string"},
            "kind":{"enum":["a","b"]},
            "lines":{"type":"array","items":{"type":"object","required":["sku"],"properties":{"sku":{"type":"string"},"n":{"type":"integer"}}}},
            "ship":{"type":"object","required":["to"],"properties":{"to":{"type":"object","properties":{"zip":{"type":["string","null"]}}}}},
            "tags":{"type":"object","additionalProperties":{"type":"number"}},
            "note":{"anyOf":[{"type":"object","properties":{"text":{"type":"string"}}},{"type":"null"}]},
            "free":{"type":"object"},
            "a.b":{"type":"string"}}}"#,
    )
}

fn locate(path: &str) -> Result<Located, PathProblem> {
    order().locate(&Path::parse(path).unwrap(), Subject::Tool("order"))
}

#[test]
fn every_path_without_arrays_has_a_slot() {
    let order = order();
    let paths: Vec<&str> = order.paths().collect();
    assert_eq!(paths, ["free", "id", "kind", "lines", "note", "ship", "ship.to", "ship.to.zip", "tags"]);
    for (at, path) in paths.iter().enumerate() {
        assert_eq!(order.slot(path).unwrap().index(), at);
    }
    assert_eq!(order.slot("lines[].sku"), None);
    assert_eq!(order.slot("a.b"), None);
}

#[test]
fn a_path_is_a_slot_and_a_rest_with_types() {
    for (path, slot, tail, types, required) in [
        ("id", Some("id"), 0, TypeSet::STRING, true),
        ("kind", Some("kind"), 0, TypeSet::STRING, false),
        ("lines[].sku", Some("lines"), 2, TypeSet::STRING, true),
        ("lines[].n", Some("lines"), 2, TypeSet::INTEGER, false),
        ("ship.to.zip", Some("ship.to.zip"), 0, TypeSet::STRING.or(TypeSet::NULL), false),
        ("ship.to", Some("ship.to"), 0, TypeSet::OBJECT, false),
        ("tags.*", Some("tags"), 1, TypeSet::NUMBER, false),
        ("tags.any", Some("tags"), 1, TypeSet::NUMBER, false),
        ("note.text", Some("note"), 1, TypeSet::STRING, false),
        ("free.what.ever[]", Some("free"), 3, TypeSet::ANY, false),
        ("", None, 0, TypeSet::OBJECT, true),
    ] {
        let located = locate(path).unwrap_or_else(|problem| panic!("{path}: {problem:?}"));
        let order = order();
        assert_eq!(located.slot, slot.and_then(|slot| order.slot(slot)), "{path}");
        assert_eq!((located.tail.len(), located.types, located.required), (tail, types, required), "{path}");
        assert_eq!(order.required_at(&Path::parse(path).unwrap()), required, "{path}");
    }
    assert_eq!(locate("kind").unwrap().choices.unwrap().len(), 2);
    assert_eq!(locate("id").unwrap().choices, None);
}

#[test]
fn a_step_that_cannot_be_is_named_with_the_nearest_name() {
    for (path, message, help) in [
        ("idd", "`order` has no argument `idd`", Some("did you mean `id`?")),
        ("args.id", "`order` has no argument `args`", Some("a path has no root; leave `args.` out")),
        (
            "zzzzzz",
            "`order` has no argument `zzzzzz`",
            Some("it has `a.b`, `free`, `id`, `kind`, `lines`, `note`, `ship`, `tags`"),
        ),
        ("ship.too.zip", "`ship` of `order` has no `too`", Some("did you mean `to`?")),
        ("lines.sku", "`lines` of `order` is an array; it has no `sku`", Some("write `lines[].sku` for every element")),
        ("lines[].skuu", "`lines[]` of `order` has no `skuu`", Some("did you mean `sku`?")),
        ("id[]", "`id` of `order` is a string, not an array", None),
        ("id.*", "`id` of `order` is a string, not an object with members", None),
        ("note.txt", "`note` of `order` has no `txt`", Some("did you mean `text`?")),
    ] {
        let problem = locate(path).unwrap_err();
        assert_eq!((problem.message.as_str(), problem.help.as_deref()), (message, help), "{path}");
    }
}

#[test]
fn a_located_path_visits_what_it_reaches_and_tells_of_gaps() {
    let order = order();
    let args = value(r#"{"id":"o","lines":[{"sku":"a","n":1},{"sku":"b"}],"tags":{"x":1,"y":2},"note":{"text":"t"}}"#);
    let bound = order.bind(&args).unwrap();
    for (path, count, reach) in [
        ("id", 1, Reach::Complete),
        ("lines[].sku", 2, Reach::Complete),
        ("lines[].n", 1, Reach::Partial),
        ("tags.*", 2, Reach::Complete),
        ("note.text", 1, Reach::Complete),
        ("ship.to.zip", 0, Reach::Partial),
        ("free", 0, Reach::Partial),
        ("", 1, Reach::Complete),
    ] {
        let mut seen = 0;
        let located = locate(path).unwrap();
        assert_eq!((located.each(&bound, |_| seen += 1), seen), (reach, count), "{path}");
    }
    assert_eq!(locate("note.text").unwrap().get(&bound), args.get("note").unwrap().get("text"));
    assert_eq!(locate("kind").unwrap().get(&bound), None);
}

#[test]
fn a_star_over_declared_members_is_not_the_slot_of_one() {
    let schema = schema(r#"{"properties":{"a":{"properties":{"b":{}}}}}"#);
    for path in ["*", "*.b", "a.*"] {
        let located = schema.locate(&Path::parse(path).unwrap(), Subject::Tool("order")).unwrap();
        assert_eq!(located.slot, if path == "a.*" { schema.slot("a") } else { None }, "{path}");
    }
}

#[test]
fn a_tool_that_only_its_host_knows_has_any_path() {
    let located = ArgSchema::any().locate(&Path::parse("a.b[]").unwrap(), Subject::Tool("order")).unwrap();
    assert_eq!((located.slot, located.tail.len(), located.types), (None, 3, TypeSet::ANY));
}
