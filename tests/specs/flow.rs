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

/// The tools that are reported as never callable, a text a circle.
fn stuck(text: &str) -> Vec<String> {
    let loaded = load_text(text);
    assert!(loaded.rules().iter().all(|rule| *rule == "flow-cycle"), "{:#?}", loaded.lines());
    let circle = |message: &str| {
        let (tools, reason) = message.split_once(" can never be called: ").unwrap();
        assert!(reason.contains(" needs "), "{message}");
        tools.replace('`', "")
    };
    loaded.diagnostics.iter().map(|problem| circle(&problem.message)).collect()
}

/// Against the way the tools are listed, so that one pass over them frees one tool only.
#[test]
fn a_long_chain_and_a_long_circle_are_read_in_steps_that_grow_with_their_edges() {
    let tools: String = (0..400).map(|at| format!("  t{at}: {{effect: read}}\n")).collect();
    let edge = |(from, to): (usize, usize)| format!("  - {{id: e{from}, from: t{from}, to: t{to}}}\n");
    let chain: String = (1..400).map(|at| edge((at, at - 1))).collect();
    let text = format!("agentspec: 1\nid: flow\npersona: You are the desk.\ntools:\n{tools}flow:\n{chain}");
    assert!(stuck(&text).is_empty());
    let told = stuck(&format!("{text}{}", edge((0, 399))));
    assert_eq!((told.len(), told[0].ends_with("and 392 more")), (1, true), "{told:?}");
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
        ("a tool that must come before all others", &[("a", "'*'")]),
        ("two tools of which one must come before all others", &[("[a, b]", "['*', c]")]),
    ];
    for (name, case) in cases {
        assert_eq!(stuck(&edges(case)), [""; 0], "{name}");
    }
}

#[test]
fn edges_that_wait_for_each_other_are_reported_once_a_circle_without_what_hangs_behind() {
    let cases: &[(&str, Edges, &[&str])] = &[
        ("a self loop", &[("b", "b")], &["b"]),
        ("a self loop by name in a list with a glob", &[("b", "[b, '*']")], &["b"]),
        ("a two-cycle", &[("a", "b"), ("b", "a")], &["a and b"]),
        ("a three-cycle", &[("a", "b"), ("b", "c"), ("c", "a")], &["a, b and c"]),
        ("what hangs behind a cycle", &[("a", "b"), ("b", "a"), ("b", "c"), ("c", "d")], &["a and b"]),
        ("what lies between two cycles", &[("a", "a"), ("a", "b"), ("b", "c"), ("c", "c")], &["a", "c"]),
        ("a join with one end in a cycle", &[("a", "d"), ("b", "c"), ("c", "b"), ("c", "d")], &["b and c"]),
        ("alternatives that are all in the cycle", &[("[b, c]", "a"), ("a", "[b, c]")], &["a, b and c"]),
        ("an alternative is no help for another edge", &[("[a, d]", "b"), ("b", "a"), ("a", "b")], &["a and b"]),
        ("every tool waits for any", &[("'*'", "'*'")], &["a, b, c, d and crm/x"]),
        ("a glob within a server", &[("'crm/*'", "'crm/*'")], &["crm/x"]),
    ];
    for (name, case, wanted) in cases {
        let mut found = stuck(&edges(case));
        found.sort();
        assert_eq!(found, *wanted, "{name}");
    }
}

#[test]
fn a_family_of_tools_waits_only_for_what_stands_before_all_of_it() {
    let family = |to: &str| {
        let tools = "tools: {'crm/*': {effect: read}}";
        format!("agentspec: 1\nid: flow\npersona: x\n{tools}\nflow:\n  - {{id: e, from: crm/sign_in, to: {to}}}\n")
    };
    assert_eq!(stuck(&family("crm/delete_lead")), [""; 0]);
    assert_eq!(stuck(&family("'crm/*'")), [""; 0]);
    assert_eq!(stuck(&family("crm/sign_in").replace("crm/sign_in, to", "'crm/*', to")), [""; 0]);
    assert_eq!(stuck(&family("'crm/*'").replace("crm/sign_in, to", "'crm/*', to")), ["crm/*"]);
}

#[test]
fn a_declared_tool_is_not_met_by_a_family_that_its_name_would_fit() {
    let text = "agentspec: 1\nid: flow\npersona: x\ntools: {a: {effect: read}, 'a*': {effect: read}}\n";
    assert_eq!(stuck(&format!("{text}flow:\n  - {{id: e, from: a, to: a}}\n")), ["a"]);
    assert_eq!(stuck(&format!("{text}flow:\n  - {{id: e, from: ab, to: a}}\n")), [""; 0]);
}

#[test]
fn what_must_come_before_all_others_does_not_wait_for_itself_and_the_others_do() {
    let (_, policy) = load_text(&edges(&[("a", "'*'")])).clean();
    assert!(!policy.rules_about("a").unwrap().contains(&"e0"));
    assert!(policy.rules_about("b").unwrap().contains(&"e0"));
    assert!(policy.rules_about("crm/x").unwrap().contains(&"e0"));
}

#[test]
fn a_pattern_that_matches_nothing_is_told_as_such_and_not_as_a_circle() {
    assert_eq!(load_text(&edges(&[("nowhere", "a"), ("a", "b")])).rules(), ["matches-nothing"]);
}

#[test]
fn ordering_guards_are_part_of_the_graph_unless_they_only_watch() {
    let guards = |action: &str| {
        spec(&format!(
            "guards:\n  preTool:\n    - {{id: g, tools: [a], kind: requiresBefore, with: {{deps: b}}, action: {action}}}\nflow:\n  - {{id: e, from: a, to: b}}"
        ))
    };
    assert_eq!(stuck(&guards("deny")), ["a and b"]);
    assert_eq!(stuck(&guards("audit")), [""; 0]);
}

#[test]
fn a_cycle_is_told_the_way_round() {
    let loaded = load_text(&edges(&[("a", "b"), ("b", "c"), ("[c, b]", "a")]));
    let message = "`a`, `b` and `c` can never be called: `a` needs `c` or `b`, `b` needs `a`";
    assert_eq!(loaded.diagnostics[0].message, message);
    assert_eq!(loaded.diagnostics[0].labels[0].message, "`b` needs `a`");
}

#[test]
fn an_earlier_call_that_can_never_agree_is_refused() {
    let schema = |name: &str| format!("{{type: object, properties: {{{name}: {{type: string}}}}}}");
    let (id, key) = (schema("id"), schema("key"));
    let tools = format!(
        "tools:\n  get_one: {{effect: read, parameters: {key}, returns: {id}}}\n  get_all: {{effect: read, parameters: {id}}}\n  \
         open: {{effect: read}}\n  act: {{effect: write, parameters: {id}}}\n"
    );
    let rules = |edge: &str| {
        let text =
            format!("agentspec: 1\nid: flow\npersona: You are the desk.\n{tools}flow: [{{id: e, to: act, {edge}}}]\n");
        load_text(&text).rules()
    };
    for edge in [
        "from: get_one, same: id",
        "from: [get_all, get_one], same: id",
        "from: get_one, same: {id: args.id}",
        "from: get_one, same: {id: result.key}",
        "from: get_one, same: {id: 'result[].id'}",
        "from: 'get_*', same: {id: args.nothing}",
    ] {
        assert!(rules(edge).iter().all(|rule| *rule == "does-not-fit") && !rules(edge).is_empty(), "{edge}");
    }
    for edge in [
        "from: get_all, same: id",
        "from: open, same: id",
        "from: get_one, same: {id: args.key}",
        "from: get_one, same: {id: result.id}",
        "from: get_all, same: {id: 'result[].anything'}",
        "from: 'get_*', same: id",
    ] {
        assert!(rules(edge).is_empty(), "{edge}: {:?}", rules(edge));
    }
}
