//! What `approvals` may say, what it comes to, and what is told of the rest.

use super::*;
use crate::canon::to_text;
use crate::source::Sources;
use crate::spec::{Parsed, parse};

const TOOLS: &str = "tools: {look: {effect: read}, pay: {effect: external}}\n";

fn text_of(contract: &str, approvals: &str) -> String {
    let key = |text: &str| if text.is_empty() { String::new() } else { format!("approvals: {{{text}}}") };
    let comma = if contract.is_empty() { "" } else { ", " };
    format!(
        "agentspec: 1\nid: desk\ncontract: {{contract: 1, id: shop{comma}{}}}\npersona: You are the desk.\n{TOOLS}{}\n",
        key(contract),
        key(approvals)
    )
}

fn parsed(contract: &str, approvals: &str) -> Parsed {
    parse(&Sources::new("desk.yaml", text_of(contract, approvals)))
}

#[track_caller]
fn approvals(text: &str) -> Approvals {
    let parsed = parsed("", text);
    parsed.spec.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics)).approvals
}

#[test]
fn what_is_not_said_is_a_button_a_code_and_some_minutes() {
    for text in ["", "user: {}", "approver: {}", "user: {accept: [code, button], ttl: 15m}, approver: {ttl: 1h}"] {
        let found = approvals(text);
        assert_eq!(found.user, UserAnswers::default(), "{text}");
        assert_eq!((found.approver_ttl, found.require), (APPROVER_TTL, vec![]), "{text}");
    }
    assert_eq!(UserAnswers::default().ttl, Duration(900_000_000_000));
    assert_eq!(APPROVER_TTL, Duration(3_600_000_000_000));
}

#[test]
fn what_is_said_is_kept() {
    let found = approvals(
        "user: {accept: [{words: ['yes', Go ahead]}], ttl: 90s}, approver: {ttl: 7d}, require: [external, write]",
    );
    let user = UserAnswers {
        button: false,
        code: false,
        words: vec!["yes".into(), "Go ahead".into()],
        ttl: Duration(90_000_000_000),
    };
    assert_eq!(found.user, user);
    assert_eq!(found.approver_ttl, Duration(7 * 24 * 60 * MINUTE));
    assert_eq!(found.require, [Effect::External, Effect::Write]);
    assert_eq!(found.layer, Layer::Spec);
}

#[test]
fn a_contract_says_it_for_its_agents_unless_the_spec_does() {
    let found = parsed("user: {ttl: 5m}, require: [external]", "").spec.unwrap().approvals;
    assert_eq!((found.layer, found.user.ttl), (Layer::Contract, Duration(5 * MINUTE)));
    let both = parsed("user: {ttl: 5m}", "require: [external]");
    assert_eq!(both.diagnostics.iter().map(|problem| problem.rule).collect::<Vec<_>>(), ["shadowed-name"]);
    assert!(both.spec.is_none());
}

#[test]
fn what_is_written_reads_back_and_defaults_are_left_out() {
    let cases = [
        ("user: {accept: [button, code], ttl: 900s}, approver: {ttl: 1h}", None),
        ("user: {accept: [code, button]}, approver: {}", None),
        ("user: {ttl: 5m}", Some(r#"{"user":{"ttl":"5m"}}"#)),
        ("approver: {ttl: 48h}, require: [external]", Some(r#"{"approver":{"ttl":"2d"},"require":["external"]}"#)),
        (
            "user: {accept: [{words: ['Yes', ok]}, button]}",
            Some(r#"{"user":{"accept":["button",{"words":["Yes","ok"]}]}}"#),
        ),
        ("user: {accept: [code]}", Some(r#"{"user":{"accept":["code"]}}"#)),
    ];
    for (text, wanted) in cases {
        for (contract, own) in [("", text), (text, "")] {
            let spec = parsed(contract, own).spec.unwrap();
            let effective = spec.effective();
            let place = if contract.is_empty() { Some(&effective) } else { effective.get("contract") };
            let written = place.and_then(|place| place.get("approvals")).map(to_text);
            assert_eq!(written.as_deref(), wanted, "{text}");
            let again = parse(&Sources::new("again.yaml", to_text(&effective))).spec.unwrap();
            assert_eq!(to_text(&again.effective()), to_text(&effective), "{text}");
            assert_eq!(again.approvals.user, spec.approvals.user, "{text}");
        }
    }
}

#[test]
fn what_is_no_approval_is_told_with_its_place() {
    let cases = [
        ("user: {ttl: 15}", "bad-duration", "`15` is not a duration"),
        ("approver: {ttl: 0m}", "bad-duration", "`0m` is not a duration"),
        ("approver: {ttl: [1h]}", "wrong-type", "expected a duration"),
        ("user: {accept: button}", "wrong-type", "expected a list"),
        ("user: {accept: []}", "empty-list", "the list is empty"),
        ("user: {accept: [button, button]}", "repeated-value", "`button` stands in the list twice"),
        ("user: {accept: [sure]}", "unknown-word", "`sure` is none of `button`, `code`"),
        ("user: {accept: [7]}", "wrong-type", "expected `button`, `code`"),
        ("user: {accept: [{words: ['yes']}, {words: [ok]}]}", "repeated-value", "`words` stands in the list twice"),
        ("user: {accept: [{words: []}]}", "empty-list", "the list is empty"),
        ("user: {accept: [{words: ['yes', 'YES']}]}", "repeated-value", "`yes` stands in the list twice"),
        ("user: {accept: [{words: ['Yes!', ' yes ']}]}", "repeated-value", "`yes` stands in the list twice"),
        ("user: {accept: [{words: [' ']}]}", "blank-text", "a blank text says nothing"),
        ("user: {accept: [{words: ['!']}]}", "blank-text", "a blank text says nothing"),
        ("user: {accept: [{words: ok}]}", "wrong-type", "expected a list"),
        ("user: {accept: [{word: ok}]}", "unknown-key", "word"),
        ("require: []", "empty-list", "the list is empty"),
        ("require: [external, external]", "repeated-value", "`external` stands in the list twice"),
        ("require: [extern]", "unknown-word", "`extern` is none of `read`, `write`, `external`"),
        ("require: external", "wrong-type", "expected a list"),
        ("by: user", "unknown-key", "by"),
    ];
    for (text, rule, message) in cases {
        let parsed = parsed("", text);
        let told: Vec<&str> = parsed.diagnostics.iter().map(|problem| problem.rule).collect();
        assert!(told.contains(&rule), "{text}: {told:?}");
        assert!(
            parsed.diagnostics.iter().any(|problem| problem.message.contains(message)),
            "{text}: {:?}",
            parsed.diagnostics
        );
        assert!(parsed.spec.is_none(), "{text}");
    }
}

#[test]
fn what_is_required_is_asked_of_an_approver_behind_the_specs_own_guards() {
    let text = text_of("", "require: [external]")
        + "guards: {preTool: [{id: own, effects: [external], action: ask, by: user, prose: a payment is asked about}]}\n";
    let spec = parse(&Sources::new("desk.yaml", text)).spec.unwrap();
    let policy = crate::policy::compile(&spec).unwrap();
    assert_eq!(policy.rules_about("pay").unwrap(), ["own", "approvals/require", "auto/noDuplicateCall"]);
    assert_eq!(policy.rules_about("look").unwrap(), ["auto/noDuplicateCall"]);
    assert_eq!(*policy.approvals(), spec.approvals);
}

#[test]
fn the_prompt_says_what_waits_and_each_card_its_effect() {
    let line = "For every tool with the effect `external`: a call waits until somebody who may approve it has done so.";
    for (contract, own) in [("", "require: [external]"), ("require: [external]", "")] {
        let policy = crate::policy::compile(&parsed(contract, own).spec.unwrap()).unwrap();
        let prompt = policy.prompt();
        assert_eq!(prompt.system().matches(line).count(), 1, "{}", prompt.system());
        assert_eq!(prompt.trunk().contains(line), own.is_empty());
        assert!(prompt.lines().iter().any(|line| line.rule.as_deref() == Some(REQUIRE)));
        assert!(prompt.tools()[1].description().contains("Effect: `external`."), "{:?}", prompt.tools()[1]);
    }
    let policy = crate::policy::compile(&parsed("", "user: {ttl: 5m}").spec.unwrap()).unwrap();
    assert!(!policy.prompt().system().contains("waits until"));
}

#[test]
fn what_a_profile_asks_stands_apart_from_what_is_required() {
    let waits = |effects: &str| format!("For every tool with the effect {effects}: a call waits until");
    let strict = |contract: &str, own: &str| {
        let text = text_of(contract, own) + "grants: {effects: [read, external]}\ncontrols: {profile: scikitplot}\n";
        parse(&Sources::new("desk.yaml", text)).spec.unwrap()
    };
    for (contract, own, trunk, rest) in [
        ("", "", 0, 1),
        ("user: {ttl: 5m}", "", 0, 1),
        ("require: [external]", "", 1, 0),
        ("require: [write]", "", 0, 1),
        ("", "require: [external]", 0, 1),
    ] {
        let spec = strict(contract, own);
        let policy = crate::policy::compile(&spec).unwrap();
        let line = waits("`external`");
        let count = |text: &str| text.matches(&line).count();
        let prompt = policy.prompt();
        assert_eq!((count(prompt.trunk()), count(prompt.own())), (trunk, rest), "{contract}{own}\n{}", prompt.system());
        assert_eq!(policy.rules_about("pay").unwrap(), [REQUIRE, "auto/noDuplicateCall"], "{contract}{own}");
        let written = crate::canon::to_text(&spec.effective());
        assert_eq!(written.contains("require"), contract.contains("require") || own.contains("require"), "{written}");
    }
    let one = strict("require: [write]", "");
    let system = crate::policy::compile(&one).unwrap().prompt().system().to_owned();
    assert!(system.contains(&waits("`write`")), "the contract says it to whatever agent: {system}");
}

#[test]
fn a_contract_may_require_what_one_of_its_agents_has_no_tool_for() {
    let reads_only = |contract: &str, own: &str| {
        let text = text_of(contract, own).replace(", pay: {effect: external}", "");
        crate::policy::compile(&parse(&Sources::new("desk.yaml", text)).spec.unwrap())
    };
    assert!(reads_only("require: [external]", "").is_ok());
    let told = reads_only("", "require: [external]").unwrap_err();
    assert_eq!(told.iter().map(|problem| problem.rule).collect::<Vec<_>>(), ["matches-nothing"]);
    assert!(told[0].message.contains("`require` is about no tool"));
}
