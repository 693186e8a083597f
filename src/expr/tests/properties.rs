//! Laws: whatever is generated neither panics nor runs for long, and what is printed reads back as it was.

use super::*;
use proptest::prelude::*;

/// Names and fields that mean something here, and some that do not.
fn leaf() -> impl Strategy<Value = String> {
    let words = [
        "1",
        "0",
        "2.5",
        "-3",
        "'a'",
        "'USD'",
        "\"it's\"",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        "now",
        "order",
        "total",
        "twice",
        "args.amount",
        "args.count",
        "args.currency",
        "args.note",
        "args.urgent",
        "args.lines",
        "args.ids",
        "args.tags",
        "args.extra",
        "args.lacking",
        "world.open",
        "world.orders",
        "world.rows",
        "world.free",
        "result",
        "params.limit",
        "params.codes",
        "session.turn",
        "call.effect",
        "string",
        "x",
        "y",
        "args.extra.deep",
    ];
    prop::sample::select(words.to_vec()).prop_map(String::from)
}

/// Texts of the grammar, most of them without a meaning.
pub(super) fn expression() -> impl Strategy<Value = String> {
    leaf().prop_recursive(5, 60, 4, |inner| {
        let operators = ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "in"];
        let methods = ["size", "sum", "min", "max", "distinct", "join", "lowerAscii", "getHours"];
        let macros = ["all", "exists", "exists_one", "filter", "map"];
        let pairs = ["all", "exists", "existsOne", "transformList"];
        let functions = ["size", "type", "string", "int", "round", "timestamp", "duration"];
        prop_oneof![
            4 => (inner.clone(), prop::sample::select(operators.to_vec()), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left}) {operator} {right}")),
            2 => (inner.clone(), prop::sample::select(macros.to_vec()), inner.clone())
                .prop_map(|(base, name, body)| format!("({base}).{name}(x, {body})")),
            2 => (inner.clone(), prop::sample::select(pairs.to_vec()), inner.clone())
                .prop_map(|(base, name, body)| format!("({base}).{name}(y, x, {body})")),
            1 => (inner.clone(), prop::sample::select(methods.to_vec())).prop_map(|(base, name)| format!("({base}).{name}()")),
            1 => (prop::sample::select(functions.to_vec()), inner.clone()).prop_map(|(name, part)| format!("{name}({part})")),
            1 => (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a}) ? ({b}) : {c}")),
            1 => inner.clone().prop_map(|part| format!("!({part})")),
            1 => inner.clone().prop_map(|part| format!("-({part})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(base, key)| format!("({base})[{key}]")),
            1 => (inner.clone(), inner.clone()).prop_map(|(base, key)| format!("({base})[?{key}].orValue({key})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(base, other)| format!("({base}).?k.orValue({other})")),
            1 => inner.clone().prop_map(|base| format!("has(({base}).k)")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{'k': {a}, 'j': {b}}}")),
            1 => inner.clone().prop_map(|part| format!("({part}).startsWith('a') || ({part}).matches('a+')")),
            1 => inner.prop_map(|part| format!("done('refund', {{'order_id': {part}}})")),
        ]
    })
}

/// A tree whose nodes are all at one place, so that trees compare by what they say.
fn placeless(text: &str) -> Option<Expr> {
    parse::whole(text, &Places::at(Span::default())).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn no_expression_panics_and_every_one_ends(text in expression()) {
        let mut fixture = Fixture::new();
        let found = fixture.run(&text);
        prop_assert!(!found.is_empty());
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_it_was(text in expression()) {
        let Some(tree) = placeless(&text) else { return Err(TestCaseError::fail(text)) };
        let printed = tree.text();
        prop_assert_eq!(placeless(&printed), Some(tree), "{}", printed);
    }

    #[test]
    fn no_text_panics(text in "[-a-z0-9 .?\\[\\](){}'\"\\\\+*/%<>=!&|,:_é]{0,40}") {
        let _ = Fixture::new().run(&text);
        let _ = template(&format!("x{text}"));
    }

    #[test]
    fn a_text_stands_for_itself(text in "\\PC{0,20}|[\u{0}-\u{20}]{0,5}") {
        let printed = Expression::constant(Value::from(text.clone()), Span::default()).text();
        let tree = placeless(&printed).unwrap();
        prop_assert_eq!(tree.kind, Kind::Literal(Value::from(text)));
    }

    #[test]
    fn an_expression_is_the_same_twice(text in expression()) {
        prop_assert_eq!(Fixture::new().run(&text), Fixture::new().run(&text));
    }
}
