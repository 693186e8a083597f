//! One rule, one line: what changes in a guard changes there and nowhere else, for every kind and every parameter.

use super::{lines, policy};
use crate::disk::text_of;
use flyball::decode::Type;
use flyball::guards::KINDS;
use serde_yaml::{Mapping, Value};
use std::collections::BTreeSet;

fn table() -> Value {
    serde_yaml::from_str(&text_of("tests/prompt/kinds.yaml")).unwrap()
}

/// A spec of the table's tools with one guard.
fn spec(tools: &Value, kind: &str, case: &Value, with: &Mapping) -> String {
    let (hook, tool) = (case["hook"].as_str().unwrap_or("preTool"), case["tools"].as_str().unwrap_or("send"));
    let rendered = serde_json::to_string(with).unwrap();
    // A guard on replies is about no tool.
    let about = if hook == "onReply" { String::new() } else { format!("tools: [{tool}], ") };
    let guard = format!("{{id: rule, {about}kind: {kind}, with: {rendered}}}");
    let tools = serde_json::to_string(tools).unwrap();
    format!(
        "agentspec: 1\nid: desk\npersona: You are the desk.\nparams: {{known: [a, b]}}\ntools: {tools}\nguards: {{{hook}: [{guard}]}}\n\
         controls: {{auto: {{noDuplicateCall: false, confirmFirst: false, destructiveThrottle: false}}}}\n"
    )
}

/// The parameters with some of them changed.
fn changed(with: &Mapping, change: &Mapping) -> Mapping {
    let mut with = with.clone();
    for (key, value) in change {
        if value.is_null() {
            with.remove(key);
        } else {
            with.insert(key.clone(), value.clone());
        }
    }
    with
}

#[test]
fn changing_one_parameter_changes_exactly_the_line_of_its_guard() {
    let table = table();
    for kind in KINDS {
        let name = kind.about().name;
        let case = &table["kinds"][name];
        let with = case["with"].as_mapping().unwrap_or_else(|| panic!("{name} is not in tests/prompt/kinds.yaml"));
        let before = lines(policy(&spec(&table["tools"], name, case, with)).prompt());
        let own: Vec<_> = before.iter().filter(|(_, rule, _)| rule == "rule").collect();
        assert_eq!(own.len(), 1, "{name}: one line of its own in {before:#?}");
        for change in case["changes"].as_sequence().unwrap() {
            let with = changed(with, change.as_mapping().unwrap());
            let after = lines(policy(&spec(&table["tools"], name, case, &with)).prompt());
            assert_eq!(after.len(), before.len(), "{name}: {change:?}");
            let differing: Vec<_> = before.iter().zip(&after).filter(|(one, other)| one != other).collect();
            assert_eq!(differing.len(), 1, "{name}: {change:?} is seen in {differing:#?}");
            let ((place, rule, _), (new_place, new_rule, _)) = differing[0];
            assert_eq!((place, rule.as_str()), (new_place, "rule"), "{name}: {change:?}");
            assert_eq!(new_rule, "rule");
        }
    }
}

#[test]
fn every_parameter_of_every_kind_is_changed_once() {
    let table = table();
    for kind in KINDS {
        let about = kind.about();
        let changes = table["kinds"][about.name]["changes"].as_sequence().unwrap();
        let varied: BTreeSet<&str> =
            changes.iter().flat_map(|change| change.as_mapping().unwrap().keys().filter_map(Value::as_str)).collect();
        for field in about.parameters.fields {
            // A word that has no other stands for itself.
            let is_fixed = matches!(field.ty, Type::Word([_]));
            assert!(is_fixed || varied.contains(field.key), "no case changes `{}` of `{}`", field.key, about.name);
        }
    }
}

/// What a kind lacks of the pair that every rule is: the check that stops, and the words that teach and mend.
fn lacking(name: &str, docs: &str, taught: Option<&str>, cases: &str) -> Vec<String> {
    let correction = docs.split("## Correction\n").nth(1).unwrap_or_default();
    let stops = ["deny", "warn", "ask", "rewrite", "withhold"].iter().any(|verdict| cases.contains(verdict));
    let passes = ["allow", "accept"].iter().any(|verdict| cases.contains(verdict));
    let found = [
        (taught.is_none_or(|text| text.len() < 10 || !text.ends_with('.')), "teaches nothing"),
        (correction.trim().len() < 10, "does not say what to do instead"),
        (!stops, "is never seen to stop anything"),
        (!passes, "is never seen to let anything pass"),
    ];
    found.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| format!("{name} {what}")).collect()
}

/// Law 3: check and prose are one object.
#[test]
fn every_kind_teaches_what_it_checks_and_says_what_to_do_instead() {
    let table = table();
    for kind in KINDS {
        let about = kind.about();
        let case = &table["kinds"][about.name];
        let policy = policy(&spec(&table["tools"], about.name, case, case["with"].as_mapping().unwrap()));
        let taught = lines(policy.prompt()).into_iter().find(|(_, rule, _)| rule == "rule").map(|(_, _, text)| text);
        let cases = text_of(&format!("tests/cases/guards/{}.yaml", about.name));
        assert_eq!(lacking(about.name, about.docs, taught.as_deref(), &cases), [""; 0]);
    }
}

#[test]
fn half_a_kind_is_found() {
    let docs = "## Correction\nUse another amount.\n";
    assert_eq!(lacking("whole", docs, Some("Never more than 5."), "want: [allow, deny whole]"), [""; 0]);
    for (docs, taught, cases, wanted) in [
        (docs, None, "allow deny", "half teaches nothing"),
        (docs, Some(""), "allow deny", "half teaches nothing"),
        ("## Example\nx\n", Some("Never more than 5."), "allow deny", "half does not say what to do instead"),
        (docs, Some("Never more than 5."), "want: [allow]", "half is never seen to stop anything"),
        (docs, Some("Never more than 5."), "want: [deny half]", "half is never seen to let anything pass"),
    ] {
        assert_eq!(lacking("half", docs, taught, cases), [wanted]);
    }
}

/// The same rule, said of everything and of one tool.
const QUALIFIED: &[(&str, &str, &str)] = &[
    ("{id: r, kind: argRange, tools: [send], with: {arg: n, max: 5}}", "send", "`n` must be at most 5."),
    ("{id: r, kind: argRange, with: {arg: n, max: 5}}", "tool rules", "`n` must be at most 5."),
    (
        "{id: r, kind: argRange, effects: [external], with: {arg: n, max: 5}}",
        "tool rules",
        "For every tool with the effect `external`: `n` must be at most 5.",
    ),
    (
        "{id: r, kind: argRange, except: [pay], with: {arg: n, max: 5}}",
        "tool rules",
        "For every tool but `pay`: `n` must be at most 5.",
    ),
    (
        "{id: r, kind: argRange, tools: [send], when: args.to == 'a', with: {arg: n, max: 5}}",
        "send",
        "Where `args.to == 'a'`: `n` must be at most 5.",
    ),
    (
        "{id: r, kind: argRange, tools: [send], action: ask, by: user, with: {arg: n, max: 5}}",
        "send",
        "`n` must be at most 5; otherwise the user is asked first.",
    ),
    (
        "{id: r, kind: argRange, tools: [send], action: ask, with: {arg: n, max: 5}}",
        "send",
        "`n` must be at most 5; otherwise somebody who may approve it is asked first.",
    ),
    (
        "{id: r, kind: argRange, tools: [send], with: {arg: n, max: 5}, prose: 'never  more\n   than {params.five};'}",
        "send",
        "Never more than 5.",
    ),
    ("{id: r, kind: maxCalls, tools: [send], with: {max: 2}}", "send", "Call it at most twice a turn."),
    (
        "{id: r, kind: maxCalls, tools: [send, pay], with: {max: 2}}",
        "send",
        "At most 2 calls a turn, together with `pay`.",
    ),
    ("{id: r, kind: maxCalls, with: {max: 2}}", "tool rules", "At most 2 tool calls a turn."),
    ("{id: r, tools: [send], kind: forbid, with: {}, action: warn}", "send", "Do not call this tool, not even once."),
];

fn desk(guard: &str, more: &str) -> Desk {
    Desk(policy(&format!(
        "agentspec: 1\nid: desk\npersona: You are the desk.\nparams: {{five: 5}}\ntools:\n  \
         send: {{effect: external, parameters: {{properties: {{n: {{type: number}}, to: {{type: string}}}}}}}}\n  \
         pay: {{effect: external, parameters: {{properties: {{n: {{type: number}}, to: {{type: string}}}}}}}}\n\
         guards: {{preTool: [{guard}]}}\n{more}"
    )))
}

/// The desk's policy, whose lines are asked for.
struct Desk(flyball::policy::Policy);

impl Desk {
    fn of(&self, rule: &str) -> Vec<(String, String)> {
        let lines = lines(self.0.prompt()).into_iter().filter(|(_, id, _)| id == rule);
        lines.map(|(place, _, text)| (place, text)).collect()
    }
}

#[test]
fn what_stands_beside_a_kind_is_said_with_it() {
    for (guard, place, text) in QUALIFIED {
        let told = desk(guard, "").of("r");
        assert!(told.contains(&((*place).to_owned(), (*text).to_owned())), "{guard}\n{told:#?}");
    }
}

#[test]
fn a_guard_that_only_watches_teaches_nothing() {
    let watching = desk("{id: r, kind: argRange, tools: [send], action: audit, with: {arg: n, max: 5}}", "");
    assert_eq!(watching.of("r"), []);
}

#[test]
fn a_budget_says_how_much_of_what_for_how_long_and_what_then() {
    let cases = [
        ("sum: args.n, tools: [send], max: 10.50", "send", "`n` adds up to at most 10.5 a session."),
        (
            "sum: args.n, tools: [send], per: args.to, max: 9",
            "send",
            "`n` adds up to at most 9 a session for each `to`.",
        ),
        ("sum: args.n, tools: [send], window: 24h, max: 9", "send", "`n` adds up to at most 9 in 1d."),
        ("count: calls, tools: [send], scope: turn, max: 1", "send", "At most one call a turn."),
        ("count: attempts, scope: turn, max: 9", "tool rules", "At most 9 tool calls a turn, denied ones included."),
        (
            "count: calls, outcome: failed, streak: true, resetOn: [turn], tools: [send], max: 3",
            "send",
            "At most 3 failed calls in a row a turn.",
        ),
        (
            "count: calls, tools: [send], when: args.n > 5, action: ask, max: 3",
            "send",
            "At most 3 calls a session, counting where `args.n > 5`; beyond that somebody is asked.",
        ),
        (
            "count: calls, action: stop, max: 3",
            "tool rules",
            "At most 3 tool calls a session; beyond that the run ends.",
        ),
        (
            "count: calls, effects: [external], max: 3",
            "tool rules",
            "In one session, at most 3 tool calls with the effect `external`.",
        ),
        (
            "count: calls, except: [pay], window: 24h, max: 3",
            "tool rules",
            "Within 1d, at most 3 tool calls other than `pay`.",
        ),
    ];
    for (terms, place, text) in cases {
        let told = desk("{id: other, kind: forbid, tools: [pay]}", &format!("budgets: [{{id: r, {terms}}}]\n")).of("r");
        assert_eq!(told, [(place.to_owned(), text.to_owned())], "{terms}");
    }
}

#[test]
fn a_sentence_is_said_once_however_it_is_spelled() {
    let guards = "{id: r, tools: [send], when: args.n > 1, prose: Be  careful., correction: c}, \
                  {id: s, tools: [send], when: args.n > 2, prose: be careful, correction: d}";
    let policy = desk(guards, "");
    assert_eq!(policy.of("r").len(), 1);
    assert_eq!(policy.of("s"), []);
    let shared = "{id: r, when: args.n > 1, prose: be careful, correction: c}, \
                  {id: s, tools: [send], when: args.n > 2, prose: be careful, correction: d}";
    let policy = desk(shared, "");
    assert_eq!(policy.of("r"), [("tool rules".to_owned(), "Be careful.".to_owned())]);
    assert_eq!(policy.of("s"), [], "the prompt says it already");
}

#[test]
fn a_rule_about_a_family_of_tools_stands_in_the_prompt_because_it_has_no_card() {
    let policy = policy(
        "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {'crm/*': {effect: read}}\n\
         guards: {preTool: [{id: r, tools: ['crm/*'], kind: forbid}]}\n",
    );
    let told = lines(policy.prompt());
    assert!(
        told.iter().any(|(_, rule, text)| rule == "r" && text == "For `crm/*`: do not call this tool, not even once."),
        "{told:#?}"
    );
    assert_eq!(policy.prompt().families(), ["crm/*"]);
}

#[test]
fn every_line_knows_its_place_in_the_files() {
    let text = text_of("specs/refunds.yaml");
    let loaded = crate::disk::load("specs/refunds.yaml");
    let policy = loaded.policy.as_ref().unwrap();
    let cap =
        policy.prompt().tools().iter().flat_map(|card| card.lines()).find(|line| line.rule.as_deref() == Some("cap"));
    let line = text.get(..usize::try_from(cap.unwrap().origin.start).unwrap()).unwrap().matches('\n').count();
    assert!(text.lines().nth(line).unwrap().contains("id: cap"));
    for line in policy.prompt().lines() {
        assert!(loaded.sources.file(line.origin.file).is_some() && line.origin.end > line.origin.start, "{line:?}");
    }
}
