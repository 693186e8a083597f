//! Every case of the tables: an expression and what it is.

use super::*;

/// The cases of a table: expression and what it is, with the line.
fn cases(yaml: &'static str) -> Vec<(String, String)> {
    let sources = Sources::new("cases.yaml", yaml);
    let mut decoder = Decoder::new(&sources);
    let tree = decoder.read(FileId(0)).unwrap();
    assert_eq!(decoder.diagnostics, [], "the table itself");
    let text = |node: &Node| decoder.sources.slice(node.span).len();
    assert!(text(&tree) > 0);
    let Data::List(cases) = &tree.data else { panic!("a list of cases") };
    let one = |case: &Node| {
        let text = |key: &str| match &case.get(key).unwrap().data {
            Data::Text(text) => text.trim_end().to_string(),
            Data::Number(number) => number.as_str().to_owned(),
            Data::Bool(truth) => truth.to_string(),
            Data::Null => "null".to_owned(),
            other => panic!("{other:?}"),
        };
        (text("e"), text("is"))
    };
    cases.iter().map(one).collect()
}

fn check(yaml: &'static str) {
    let mut wrong = Vec::new();
    for (expression, wanted) in cases(yaml) {
        let found = Fixture::new().run(&expression);
        if found != wanted {
            wrong.push(format!("{expression}\n  wanted {wanted}\n  found  {found}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The examples of the documentation: what stands in its tables under `expression` and `is`.
fn examples(document: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if !line.starts_with('|') {
            inside = false;
        } else if line == "| expression | is |" {
            inside = true;
        } else if inside && !line.starts_with("| --- |") {
            let line = line.replace("\\|", "\u{0}");
            let cells: Vec<String> = line.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect();
            found.push((cells[1].trim_matches('`').to_owned(), cells[2].trim_matches('`').to_owned()));
        }
    }
    found
}

#[test]
fn the_documentation_is_right() {
    let document = include_str!("../../../docs/expressions.md");
    let facts = value(document.split("```json").nth(1).unwrap().split("```").next().unwrap());
    let of = |key: &str| facts.get(key).unwrap().to_owned_value();
    let mut wrong = Vec::new();
    let examples = examples(document);
    assert!(examples.len() > 80, "the tables were not read");
    for (expression, wanted) in examples {
        let mut fixture = Fixture::new();
        (fixture.args, fixture.world, fixture.params) = (of("args"), of("world"), of("params"));
        (fixture.result, fixture.session) = (Some(of("result")), of("session"));
        let typed = document.split_once("the user having typed `").unwrap().1.split('`').next().unwrap();
        fixture.hear(typed);
        let found = fixture.run(&expression);
        let rule = found.split([' ', ':']).next().unwrap_or_default();
        if found != wanted && (rule != wanted || rule == found) {
            wrong.push(format!("{expression}\n  wanted {wanted}\n  found  {found}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_documentation_names_every_function_and_macro() {
    let document = include_str!("../../../docs/expressions.md");
    let functions = functions::FUNCTIONS.iter().map(|function| function.name);
    let macros = parse::MACROS.iter().map(|(name, _)| *name);
    for name in functions.chain(macros).chain(["has", "orValue", "done", "first", "last", "count", "saidByUser"]) {
        assert!(document.contains(name), "{name}");
    }
}

#[test]
fn values_are_what_cel_and_the_format_say() {
    check(include_str!("values.yaml"));
}

#[test]
fn what_is_missing_is_never_false_and_says_its_name() {
    check(include_str!("faults.yaml"));
}

#[test]
fn what_cannot_be_meant_is_refused_at_its_place_with_the_cure() {
    check(include_str!("problems.yaml"));
}
