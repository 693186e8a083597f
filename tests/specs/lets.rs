//! Lets: how many there may be and how far they carry each other, what they may be called, and what a contract shares.

use crate::disk::load_text;
use flyball::event::{Body, Event, Opening, read};
use flyball::policy::compile;
use flyball::session::{Session, decide};
use flyball::source::Sources;
use flyball::spec::parse;

/// A spec with these lets, of which a guard reads the one called `last_one`.
fn spec(lets: &[String]) -> String {
    format!(
        "agentspec: 1\nid: a\npersona: You are the desk.\nlet:\n{}tools: {{pay: {{effect: write, parameters: {{type: object, required: [amount], properties: {{amount: {{type: number}}}}}}}}}}\nguards: {{preTool: [{{id: cap, check: last_one < 5, prose: little, correction: Less.}}]}}\n",
        lets.concat()
    )
}

fn said(lets: &[String]) -> Vec<String> {
    load_text(&spec(lets)).lines()
}

fn chain(length: usize) -> Vec<String> {
    let mut lets = vec!["  l0: args.amount\n".to_owned()];
    lets.extend((1..length).zip(0..).map(|(n, before): (usize, usize)| format!("  l{n}: l{before} + 1\n")));
    lets.push(format!("  last_one: l{}\n", length.saturating_sub(1)));
    lets
}

#[test]
fn lets_that_read_each_other_end_before_the_stack_does() {
    assert_eq!(said(&chain(250 / 2)), [""; 0]);
    let told = said(&chain(400));
    assert!(told.first().is_some_and(|line| line.contains("nests deeper than 256 [bad-expression]")), "{told:?}");
    let told = said(&chain(20_000));
    assert!(told.iter().any(|line| line.contains("there are 20001 lets, and 1024 are the most")), "{told:?}");
}

#[test]
fn a_let_of_the_deepest_expression_behind_the_deepest_lets_is_computed() {
    let deep = format!("{}args.amount{}", "(1 + ".repeat(14), ")".repeat(14));
    let mut lets = vec![format!("  l0: {deep}\n")];
    let (open, close) = ("(1 + ".repeat(14), ")".repeat(14));
    lets.extend((1..14).zip(0..).map(|(n, before): (usize, usize)| format!("  l{n}: {open}l{before}{close}\n")));
    lets.push("  last_one: l13\n".to_owned());
    let (_, policy) = load_text(&spec(&lets)).clean();
    let opening = Event::new("e1", "s1", Body::SessionOpened(Opening::default()));
    let (mut session, step) = Session::open(&policy, &opening).unwrap();
    session.commit(step).unwrap();
    let step = decide(&policy, &session, &Event::new("e2", "s1", Body::turn(None)));
    session.commit(step).unwrap();
    let line = r#"{"v": "flyball/1", "type": "toolProposed", "id": "e3", "session": "s1", "call": "c1", "tool": "pay", "args": {"amount": 1}}"#;
    let step = decide(&policy, &session, &read(line.as_bytes()).unwrap());
    assert!(format!("{step:?}").contains("cap"), "{step:?}");
}

#[test]
fn a_let_may_be_called_as_what_asks_for_earlier_calls() {
    let lets =
        ["  last_one: first + 1\n", "  first: \"count('pay', {}, 'turn')\"\n", "  last: \"first('pay').result\"\n"];
    let told = said(&lets.map(String::from));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("nothing reads the let `last`"), "{told:?}");
}

#[test]
fn a_rule_of_the_contract_may_say_nothing_to_an_agent() {
    let contract = "contract: 1\nid: c\nlet: {shared: args.nothing}\nguards: {preTool: [{id: noted, when: has(args.reason), check: args.reason != '', prose: say why, correction: Say why.}, {id: open, check: '!has(args.closed)', prose: open, correction: Open.}]}\n";
    let spec = "agentspec: 1\nid: a\ncontract: c.yaml\npersona: You are the desk.\ntools: {pay: {effect: write, parameters: {type: object, properties: {amount: {type: number}}}}}\n";
    let mut sources = Sources::new("a.yaml", spec);
    sources.insert("c.yaml", contract);
    let parsed = parse(&sources);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let policy = compile(&parsed.spec.unwrap()).unwrap();
    assert!(policy.warnings().is_empty(), "{:?}", policy.warnings());
}
