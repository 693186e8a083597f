//! The question about a call, in the words a person reads.

use super::question_label;
use crate::context::{Context, NOTHING_DECLARED, Nothing};
use crate::event::{Body, Event, Opening};
use crate::expr::Evaluation;
use crate::json::{Limits, parse};
use crate::policy::{Policy, compile};
use crate::session::{Session, declared};
use crate::source::Sources;

fn policy(tools: &str, contract: &str) -> Policy {
    let text = format!("agentspec: 1\nid: desk\npersona: You are the desk.\n{contract}tools: {tools}\n");
    let parsed = crate::spec::parse(&Sources::new("desk.yaml", text));
    compile(&parsed.spec.unwrap_or_else(|| panic!("{tools}: {:?}", parsed.diagnostics))).unwrap()
}

/// What is asked about a call of a tool.
fn question(policy: &Policy, tool: &str, args: &str) -> String {
    let (_session, _) = Session::open(policy, &Event::new("e", "s", Body::SessionOpened(Opening::default()))).unwrap();
    let sent = parse(args.as_bytes(), &Limits::default()).unwrap().into_owned();
    let called = policy.tool(tool).unwrap();
    let taken = declared::taken(called, &sent);
    let args = taken.as_ref().and_then(|taken| taken.args.as_ref()).unwrap_or(&sent);
    let bound = declared::bind(called, args, taken.as_ref()).unwrap();
    let nothing = Nothing::new();
    let context = Context {
        tool,
        effect: called.effect,
        args: &bound,
        declared: taken.as_ref().map_or(&NOTHING_DECLARED, |taken| &taken.values),
        ..nothing.context()
    };
    question_label(called, &mut Evaluation::new(context, &called.lets))
}

#[test]
fn a_tool_without_a_label_is_asked_about_by_its_name_and_arguments() {
    let tools = "{refund: {parameters: {type: object, properties: {order_id: {type: string}, amount: {type: number}, lines: {type: array}, to: {}, sure: {type: boolean}}}}, wipe: {effect: write}, 'db/*': {effect: write}}";
    let policy = policy(tools, "");
    let cases = [
        ("refund", r#"{"order_id":"A7","amount":40.50}"#, r#"`refund` with amount 40.5, order_id "A7""#.to_owned()),
        ("refund", "{}", "`refund`".to_owned()),
        (
            "refund",
            r#"{"lines":[1,2],"to":{"a":1},"sure":true}"#,
            "`refund` with lines a list of 2, sure true, to an object with 1 members".to_owned(),
        ),
        ("refund", r#"{"to":null}"#, "`refund` with to null".to_owned()),
        // What a model writes can neither close the quotes nor hide.
        (
            "refund",
            "{\"order_id\":\"A7\\\" (approved)\\u202e\\n\"}",
            r#"`refund` with order_id "A7\" (approved)\u{202e}\u{a}""#.to_owned(),
        ),
        ("wipe", r#"{"a, approved":1}"#, r#"`wipe` with "a, approved" 1"#.to_owned()),
        ("wipe", &format!(r#"{{"a":"{}"}}"#, "x".repeat(90)), format!("`wipe` with a \"{}…\"", "x".repeat(80))),
        ("db/drop", "{}", "`db/drop`".to_owned()),
        ("db/a`b", "{}", "\"db/a`b\"".to_owned()),
    ];
    for (tool, args, wanted) in cases {
        assert_eq!(question(&policy, tool, args), wanted, "{args}");
    }
    let many: Vec<String> = (0..40).map(|number| format!(r#""k{number:02}":{number}"#)).collect();
    let asked = question(&policy, "wipe", &format!("{{{}}}", many.join(",")));
    assert!(asked.starts_with("`wipe` with k00 0, k01 1, ") && asked.ends_with("k31 31 and 8 more"), "{asked}");
}

#[test]
fn what_is_sensitive_is_hidden() {
    let contract = "contract: {contract: 1, id: shop, sensitive: {email: mask, pin: omit}}\n";
    let tools = "{pay: {sensitive: [args.card], parameters: {type: object, properties: {amount: {type: number}, card: {type: string}, email: {type: string}}}, declares: {pin: {type: string}}}, open: {sensitive: ['args.*']}}";
    let policy = policy(tools, contract);
    let asked = question(&policy, "pay", r#"{"amount":4,"card":"4111","email":"a@b.c","pin":"0000"}"#);
    assert_eq!(asked, "`pay` with amount 4, card [hidden], email [hidden] (pin [hidden])");
    assert_eq!(question(&policy, "open", r#"{"a":"4111"}"#), "`open` with a [hidden]");
}

#[test]
fn a_label_words_the_question_and_what_is_declared_stands_behind_it() {
    let properties = "parameters: {type: object, properties: {amount: {type: number}, id: {type: string}}}";
    let declares = "declares: {reason: {enum: [damaged, late]}, sure: {type: boolean, default: false}}";
    let tools = format!(
        "{{refund: {{label: 'refunding {{args.amount}} for {{args.id}}', {properties}}}, declared: {{label: 'refunding {{args.amount}}', {properties}, {declares}}}, shown: {{label: 'refunding {{args.amount}}, {{declared.reason}}', {properties}, {declares}}}, plain: {{{properties}, {declares}}}}}"
    );
    let policy = policy(&tools, "");
    let args = r#"{"amount":40,"id":"A7"}"#;
    let with = r#"{"amount":40,"id":"A7","reason":"late"}"#;
    let cases = [
        ("refund", args, r#"refunding 40 for "A7""#),
        ("refund", r#"{"amount":40}"#, "refunding 40 for …"),
        ("declared", with, r#"refunding 40 (reason "late", sure false)"#),
        ("shown", with, r#"refunding 40, "late""#),
        ("plain", with, r#"`plain` with amount 40, id "A7" (reason "late", sure false)"#),
    ];
    for (tool, args, wanted) in cases {
        assert_eq!(question(&policy, tool, args), wanted, "{tool}");
    }
}
