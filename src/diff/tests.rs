//! What is not told as changed or undecided is not: every call of a small space is decided the same.

use super::*;
use crate::json::{Limits, parse};
use crate::proof::tests::{calls, compiled, conditions, verdict};
use proptest::prelude::*;

fn guard((check, action, missing): &(String, &str, &str)) -> String {
    format!(
        "    - id: g\n      check: \"{check}\"\n      action: {action}\n      missing: {missing}\n      prose: p\n      correction: Do c.\n"
    )
}

fn guards() -> impl Strategy<Value = (String, &'static str, &'static str)> {
    (conditions(), prop_oneof![Just("deny"), Just("ask")], prop_oneof![Just("deny"), Just("skip")])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_decided_otherwise_is_told(old in guards(), new in guards(), is_same in any::<bool>()) {
        let new = if is_same { (format!("!(!({}))", old.0), old.1, old.2) } else { new };
        let (Some(one), Some(two)) = (compiled(&guard(&old)), compiled(&guard(&new))) else { return Ok(()) };
        let comparison = compare((&one.0, &one.1), (&two.0, &two.1));
        let differ = calls().into_iter().find(|text| {
            let args = parse(text.as_bytes(), &Limits::default()).unwrap();
            verdict(&one.1, args.clone()) != verdict(&two.1, args.clone())
        });
        let is_told = !comparison.changes.is_empty() || !comparison.undecided.is_empty();
        if let Some(call) = differ {
            prop_assert!(is_told, "{:?} {:?} {}", old, new, call);
        } else if is_same {
            prop_assert!(!is_told, "{:?} {:?} {:?}", old, new, comparison);
        }
        for change in &comparison.changes {
            prop_assert!(change.scene.earlier.is_empty());
            let said = |policy| verdict(policy, change.scene.args.clone());
            prop_assert!(said(&one.1) != said(&two.1));
        }
    }
}

/// Two versions of a spec that differ in a part or two.
fn versions(old: &str, new: &str) -> Comparison {
    let [one, two] = [old, new].map(|rules| {
        let text = format!("agentspec: 1\nid: desk\npersona: A.\n{rules}");
        let sources = crate::source::Sources::new("desk.yaml", text);
        let parsed = crate::spec::parse(&sources);
        let lines = |problems: &[crate::diagnostic::Diagnostic]| {
            problems.iter().map(|problem| problem.one_line(&sources)).collect::<Vec<_>>().join("\n")
        };
        let spec = parsed.spec.unwrap_or_else(|| panic!("{}\n{rules}", lines(&parsed.diagnostics)));
        let policy = crate::policy::compile(&spec).unwrap_or_else(|problems| panic!("{}\n{rules}", lines(&problems)));
        (spec, policy)
    });
    compare((&one.0, &one.1), (&two.0, &two.1))
}

const TOOLS: &str = "tools:\n  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}\n  pay: {effect: external, parameters: {type: object, required: [amount], properties: {amount: {type: number}, note: {type: string}, tags: {type: array, items: {type: string}}}}}\n";

fn guarded(guard: &str) -> String {
    format!("{TOOLS}guards: {{preTool: [{{id: g, tools: [pay], {guard}, prose: p, correction: Do c.}}]}}\n")
}

/// Each changes a decision, and no text of a condition as it was once read.
#[test]
fn what_decides_otherwise_under_the_same_words_is_never_proved_unchanged() {
    let with = |head: &str, guard: &str| format!("{head}{}", guarded(guard));
    let of_tool = |tool: &str| {
        format!(
            "tools: {{pay: {tool}}}\nguards: {{preTool: [{{id: g, tools: [pay], kind: argRange, with: {{arg: amount, max: 9}}, missing: skip}}]}}\n"
        )
    };
    let row =
        |text: &str, check: &str| with(&format!("let: {{row: {text}}}\n"), &format!("check: {check}, onFailure: ask"));
    let names = "kind: argFrom, with: {arg: note, from: [{expr: names}]}";
    let long = |last: &str| {
        with("", &format!("check: \"done(['look', 'look', 'look', 'look', 'look', 'look', 'look', '{last}'])\""))
    };
    let pairs = [
        ("a let says what to do where it is missing", row("world.row", "row.open"), row("{value: world.row, missing: No row.}", "row.open")),
        ("null is a value, or none", row("world.row", "\"type(row) != bool\""), row("{value: world.row, missing: No row.}", "\"type(row) != bool\"")),
        ("a name with a point in it", with("", "check: \"world['a.b'] == 1\""), with("", "check: world.a.b == 1")),
        ("the tools of a constant", with("params: {of: look}\n", "check: done(params.of)"), with("params: {of: pay}\n", "check: done(params.of)")),
        ("the end of a long list", long("look"), long("pay")),
        ("a let that a source names", with("let: {names: world.a}\n", names), with("let: {names: world.b}\n", names)),
        ("an element that lacks something", guarded("forEach: t in args.tags, check: t != world.no, action: ask"), guarded("forEach: t in args.tags, check: t != world.no, action: ask, onFailure: ask")),
        ("a kind that lacks something", guarded("kind: valueFromUser, with: {arg: note}"), guarded("kind: valueFromUser, with: {arg: note}, missing: skip")),
        ("the effect of a call", guarded("check: call.effect == 'external' || args.amount < 5"), guarded("check: call.effect == 'external' || args.amount < 5").replace("external, par", "write, par")),
        ("who is asked", guarded("when: args.amount > 5, action: ask"), guarded("when: args.amount > 5, action: ask, by: user")),
        ("who is asked by default", with("default: ask\n", "when: args.amount > 5, action: ask, by: user"), with("", "when: args.amount > 5, action: ask, by: user")),
        ("a default", of_tool("{effect: external, parameters: {type: object, properties: {amount: {type: number, default: 5}}}}"), of_tool("{effect: external, parameters: {type: object, properties: {amount: {type: number, default: 50}}}}")),
        ("an object without properties is closed", "tools: {pay: {effect: external, parameters: {type: object}}}\n".to_owned(), "tools: {pay: {effect: external, parameters: {type: object, additionalProperties: false}}}\n".to_owned()),
        ("an object is opened", of_tool("{effect: external, parameters: {type: object, properties: {amount: {type: number}}}}"), of_tool("{effect: external, parameters: {type: object, additionalProperties: true, properties: {amount: {type: number}}}}")),
        ("lists among the values", of_tool("{effect: external, parameters: {type: object, properties: {amount: {type: number}, l: {enum: [[1], [2]]}}}}"), of_tool("{effect: external, parameters: {type: object, properties: {amount: {type: number}, l: {enum: [[1], [3]]}}}}")),
        ("what must be there is not declared", of_tool("{effect: external, parameters: {type: object, additionalProperties: true, properties: {amount: {type: number}}}}"), of_tool("{effect: external, parameters: {type: object, additionalProperties: true, required: [other], properties: {amount: {type: number}}}}")),
        ("a tool moved to a family", guarded("when: args.amount > 5"), "tools: {'*': {effect: external}}\nguards: {preTool: [{id: g, tools: [pay], when: has(args.amount) && args.amount > 6, prose: p, correction: Do c.}]}\n".to_owned()),
        ("a family that is narrower", "tools: {'*/*': {effect: external}}\n".to_owned(), "tools: {'a*/*': {effect: external}}\n".to_owned()),
        ("after whose writes it is not fresh", format!("{TOOLS}  change: {{effect: external, parameters: {{type: object, properties: {{note: {{type: string}}}}}}}}\nflow: [{{id: e, from: look, to: pay, same: {{note: args.id}}, fresh: true}}]\n"), format!("{TOOLS}  change: {{effect: external, parameters: {{type: object, properties: {{note: {{type: string}}}}}}}}\nflow: [{{id: e, from: look, to: [pay, change], same: {{note: args.id}}, fresh: true}}]\n")),
        ("how a question is answered", with("approvals: {user: {accept: [code]}}\n", "when: args.amount > 5, action: ask, by: user"), with("", "when: args.amount > 5, action: ask, by: user")),
        ("a constant that something else reads", format!("params: {{a: 1}}\n{TOOLS}guards: {{postTool: [{{id: g, tools: [pay], check: result.n != params.a, correction: Do c., prose: p}}]}}\n"), format!("params: {{a: 2}}\n{TOOLS}guards: {{postTool: [{{id: g, tools: [pay], check: result.n != params.a, correction: Do c., prose: p}}]}}\n")),
        ("a budget that cannot judge", guarded("kind: maxCalls, when: args.note == 'a', with: {max: 9}").replace(", prose: p", ""), guarded("kind: maxCalls, when: args.note == 'a', with: {max: 9}, missing: skip").replace(", prose: p", "")),
        ("who is asked by a budget", guarded("kind: maxCalls, action: ask, with: {max: 1}").replace(", correction: Do c.", ""), guarded("kind: maxCalls, action: ask, by: user, with: {max: 1}").replace(", correction: Do c.", "")),
        ("the effect of another tool", TOOLS.to_owned(), TOOLS.replace("effect: external", "effect: read")),
    ];
    for (what, old, new) in pairs {
        for (old, new) in [(&old, &new), (&new, &old)] {
            let comparison = versions(old, new);
            assert!(!comparison.changes.is_empty() || !comparison.undecided.is_empty(), "{what}\n{old}\n{new}");
        }
        assert!(versions(&old, &old).undecided.is_empty() && versions(&old, &old).changes.is_empty(), "{what}");
    }
}

/// Specs of many sorts of rule at once, against the calls of a grid.
mod wide;
