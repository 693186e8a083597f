//! The flow graph as a table: which edges can be walked, and which wait for each other.

use crate::disk::load_text;

/// Pairs of `from` and `to`.
type Edges = &'static [(&'static str, &'static str)];

/// Five tools without requirements of their own, and the edges or guards of the case.
fn spec(rest: &str) -> String {
    let tools = "{a: {effect: read}, b: {effect: read}, c: {effect: read}, d: {effect: read}, crm/x: {effect: read}}";
    format!("agentspec: 1\nid: flow\npersona: You are the desk.\ntools: {tools}\n{rest}\n")
}

fn edges(edges: Edges) -> String {
    let edge =
        |(number, (from, to)): (usize, &(&str, &str))| format!("  - {{id: e{number}, from: {from}, to: {to}}}\n");
    spec(&format!("flow:\n{}", edges.iter().enumerate().map(edge).collect::<String>()))
}

/// The tools that are reported as never callable.
fn stuck(text: &str) -> Vec<String> {
    let loaded = load_text(text);
    assert!(loaded.rules().iter().all(|rule| *rule == "flow-cycle"), "{:#?}", loaded.lines());
    let tool = |message: &str| message.split('`').nth(1).map(str::to_owned);
    loaded.diagnostics.iter().filter_map(|problem| tool(&problem.message)).collect()
}

#[test]
fn edges_that_can_be_walked_are_no_cycle() {
    let cases: &[(&str, Edges)] = &[
        ("a chain", &[("a", "b"), ("b", "c"), ("c", "d")]),
        ("a branch: one edge, two ends", &[("a", "[b, c]")]),
        ("a branch: any one of two before", &[("[a, b]", "c")]),
        ("a join: two edges into one tool", &[("a", "c"), ("b", "c")]),
        ("a diamond", &[("a", "[b, c]"), ("b", "d"), ("c", "d")]),
        ("two edges between the same tools", &[("a", "b"), ("a", "b")]),
        ("a two-cycle with another way in", &[("[b, a]", "c"), ("c", "b")]),
        ("a self loop with another way in", &[("[a, b]", "b")]),
        ("a three-cycle that one alternative opens", &[("[c, d]", "a"), ("a", "b"), ("b", "c")]),
        ("a glob that some tool outside the circle meets", &[("'*'", "b")]),
        ("a glob of another server", &[("'crm/*'", "[a, b]")]),
    ];
    for (name, case) in cases {
        assert_eq!(stuck(&edges(case)), [""; 0], "{name}");
    }
}

#[test]
fn edges_that_wait_for_each_other_are_reported_with_every_tool_they_block() {
    let cases: &[(&str, Edges, &[&str])] = &[
        ("a self loop", &[("b", "b")], &["b"]),
        ("a two-cycle", &[("a", "b"), ("b", "a")], &["b", "a"]),
        ("a three-cycle", &[("a", "b"), ("b", "c"), ("c", "a")], &["b", "c", "a"]),
        ("what hangs behind a cycle", &[("a", "b"), ("b", "a"), ("b", "c")], &["b", "a", "c"]),
        ("a join with one end in a cycle", &[("a", "d"), ("b", "c"), ("c", "b"), ("c", "d")], &["c", "b", "d"]),
        ("alternatives that are all in the cycle", &[("[b, c]", "a"), ("a", "[b, c]")], &["a", "b", "c"]),
        ("an alternative is no help for another edge", &[("[a, d]", "b"), ("b", "a"), ("a", "b")], &["a", "b"]),
        ("every tool waits for any", &[("'*'", "'*'")], &["a", "b", "c", "d", "crm/x"]),
        ("a glob within a server", &[("'crm/*'", "'crm/*'")], &["crm/x"]),
    ];
    for (name, case, wanted) in cases {
        let mut found = stuck(&edges(case));
        let mut wanted: Vec<String> = wanted.iter().map(|tool| (*tool).to_owned()).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{name}");
    }
}

#[test]
fn ordering_guards_are_part_of_the_graph_unless_they_only_watch() {
    let guards = |action: &str| {
        spec(&format!(
            "guards:\n  preTool:\n    - {{id: g, tools: [a], kind: requiresBefore, with: {{deps: b}}, action: {action}}}\nflow:\n  - {{id: e, from: a, to: b}}"
        ))
    };
    assert_eq!(stuck(&guards("deny")), ["a", "b"]);
    assert_eq!(stuck(&guards("audit")), [""; 0]);
}

#[test]
fn a_cycle_is_told_the_way_round() {
    let loaded = load_text(&edges(&[("a", "b"), ("b", "c"), ("c", "a")]));
    assert_eq!(loaded.diagnostics[0].message, "`b` can never be called: `b` needs `a`, `a` needs `c`, `c` needs `b`");
}
