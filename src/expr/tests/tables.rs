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
