//! One rule, one line: what changes in a guard changes there and nowhere else, for every kind and every parameter.

use super::{lines, policy};
use crate::disk::text_of;
use flyball::decode::Type;
use flyball::guards::{Hook, KINDS};
use serde_yaml::{Mapping, Value};
use std::collections::BTreeSet;

fn table() -> Value {
    serde_yaml::from_str(&text_of("tests/prompt/kinds.yaml")).unwrap()
}

/// A spec of the table's tools with one guard, before a call where its kind may stand there, and none that no author wrote.
fn spec(tools: &Value, kind: &str, case: &Value, with: &Mapping) -> String {
    let about = KINDS.iter().map(|known| known.about()).find(|about| about.name == kind).unwrap();
    let hook = if about.hooks.contains(&Hook::PreTool) { Hook::PreTool } else { about.hooks[0] };
    // A reply is about no tool.
    let tool = case["tools"].as_str().unwrap_or("send");
    let tools_of = if hook == Hook::OnReply { String::new() } else { format!("tools: [{tool}], ") };
    let rendered = serde_json::to_string(with).unwrap();
    let guard = format!("{{id: rule, {tools_of}kind: {kind}, with: {rendered}}}");
    let automatic = KINDS.iter().map(|known| known.about()).filter(|about| about.automatic);
    let off: Vec<String> = automatic.map(|about| format!("{}: false", about.name)).collect();
    let (tools, hook, off) = (serde_json::to_string(tools).unwrap(), hook.name(), off.join(", "));
    format!(
        "agentspec: 1\nid: desk\npersona: You are the desk.\nparams: {{known: [a, b]}}\ntools: {tools}\nguards: {{{hook}: [{guard}]}}\n\
         controls: {{auto: {{{off}}}}}\n"
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

/// Adds the ids of the rules of a kind, wherever they stand in a spec.
fn ids_of(kind: &str, spec: &Value, ids: &mut Vec<String>) {
    if spec["kind"] == *kind {
        ids.extend(spec["id"].as_str().map(str::to_owned));
    }
    parts(spec).for_each(|part| ids_of(kind, part, ids));
}

fn parts(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Sequence(items) => Box::new(items.iter()),
        Value::Mapping(members) => Box::new(members.values()),
        _ => Box::new(std::iter::empty()),
    }
}

/// True if some answer is wanted that one of the rules gives: `deny cap`, or a map that names it.
fn is_stopped(want: &Value, ids: &[String]) -> bool {
    let is_one = |value: &Value| value.as_str().is_some_and(|text| ids.iter().any(|id| id == text));
    let named = |key: &str| is_one(&want[key]);
    let word = want.as_str().and_then(|text| text.split_once(' '));
    word.is_some_and(|(_, code)| is_one(&code.into()))
        || ["code", "guard"].into_iter().any(named)
        // Of a mutator the correction that the turn names: `mutate:KIND`.
        || parts(&want["corrections"]).any(|tag| {
            let kind = tag.as_str().and_then(|tag| tag.strip_prefix("mutate:"));
            kind.is_some_and(|kind| is_one(&format!("auto/{kind}").into()))
        })
        || want["redacted"].as_sequence().is_some_and(|redacted| redacted.iter().any(is_one))
        || parts(want).any(|part| is_stopped(part, ids))
}

fn is_let_pass(want: &Value) -> bool {
    let passes = |value: &Value| matches!(value.as_str(), Some("allow" | "accept" | "proceed" | "deliver"));
    passes(want) || passes(&want["decision"]) || parts(want).any(is_let_pass)
}

/// Whether the cases of a kind want a rule of it to stop something, and something to pass.
fn verdicts(kind: &str, cases: &str) -> (bool, bool) {
    let (mut stops, mut passes, mut ids) = (false, false, Vec::new());
    for document in serde_yaml::Deserializer::from_str(cases) {
        let case = <Value as serde::Deserialize>::deserialize(document).unwrap();
        // A case without a spec has that of the one before it.
        if !case["spec"].is_null() {
            let written = case["spec"].as_str().map(|text| serde_yaml::from_str(text).unwrap());
            ids = vec![format!("auto/{kind}")];
            ids_of(kind, written.as_ref().unwrap_or(&case["spec"]), &mut ids);
        }
        let wants = case["want"].as_sequence().unwrap();
        stops |= wants.iter().any(|want| is_stopped(want, &ids));
        passes |= wants.iter().any(is_let_pass);
    }
    (stops, passes)
}

/// What a kind lacks of the pair that every rule is: the check that stops, and the words that teach and mend.
fn lacking(name: &str, docs: &str, taught: Option<&str>, cases: &str) -> Vec<String> {
    let correction = docs.split("## Correction\n").nth(1).unwrap_or_default();
    let (stops, passes) = verdicts(name, cases);
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
    const RULE: &str = "spec: {guards: {preTool: [{id: cap, kind: half}, {id: other, kind: whole}]}}";
    let docs = "## Correction\nUse another amount.\n";
    let taught = Some("Never more than 5.");
    for want in [
        "[allow, deny cap]",
        "[{calls: [accept, {decision: ask, guard: cap}]}]",
        "[proceed, {redacted: [cap]}, deny]",
        "[{decision: redrive, violations: [{code: cap}]}, deliver]",
        "[{decision: deliver, corrections: ['mutate:half']}]",
    ] {
        let cases = format!("note: deny, allow\n{RULE}\nwant: {want}\n");
        assert_eq!(lacking("half", docs, taught, &cases), [""; 0], "{want}");
    }
    let later = format!("note: one\n{RULE}\nwant: [allow]\n---\nnote: two\nwant: [deny cap]\n");
    assert_eq!(lacking("half", docs, taught, &later), [""; 0]);
    for (docs, taught, want, wanted) in [
        (docs, None, "[allow, deny cap]", "half teaches nothing"),
        (docs, Some(""), "[allow, deny cap]", "half teaches nothing"),
        ("## Example\nx\n", taught, "[allow, deny cap]", "half does not say what to do instead"),
        (docs, taught, "[allow]", "half is never seen to stop anything"),
        (docs, taught, "[allow, deny other, deny]", "half is never seen to stop anything"),
        (docs, taught, "[{decision: deliver, corrections: ['mutate:whole']}]", "half is never seen to stop anything"),
        (docs, taught, "[deny cap]", "half is never seen to let anything pass"),
    ] {
        let cases = format!("note: deny, allow\n{RULE}\nwant: {want}\n");
        assert_eq!(lacking("half", docs, taught, &cases), [wanted]);
    }
}

/// The same rule, said of everything and of one tool; the hook under which it stands comes first.
const QUALIFIED: &[(&str, &str, &str, &str)] = &[
    ("preTool", "{id: r, kind: argRange, tools: [send], with: {arg: n, max: 5}}", "send", "`n` must be at most 5."),
    ("preTool", "{id: r, kind: argRange, with: {arg: n, max: 5}}", "tool rules", "`n` must be at most 5."),
    (
        "preTool",
        "{id: r, kind: argRange, effects: [external], with: {arg: n, max: 5}}",
        "tool rules",
        "For every tool with the effect `external`: `n` must be at most 5.",
    ),
    (
        "preTool",
        "{id: r, kind: argRange, except: [pay], with: {arg: n, max: 5}}",
        "tool rules",
        "For every tool but `pay`: `n` must be at most 5.",
    ),
    (
        "preTool",
        "{id: r, kind: argRange, tools: [send], when: args.to == 'a', with: {arg: n, max: 5}}",
        "send",
        "Where `args.to == 'a'`: `n` must be at most 5.",
    ),
    (
        "preTool",
        "{id: r, kind: argRange, tools: [send], action: ask, by: user, with: {arg: n, max: 5}}",
        "send",
        "`n` must be at most 5; otherwise the user is asked first.",
    ),
    (
        "preTool",
        "{id: r, kind: argRange, tools: [send], action: ask, with: {arg: n, max: 5}}",
        "send",
        "`n` must be at most 5; otherwise somebody who may approve it is asked first.",
    ),
    (
        "preTool",
        "{id: r, kind: argRange, tools: [send], with: {arg: n, max: 5}, prose: 'never  more\n   than {params.five};'}",
        "send",
        "Never more than 5.",
    ),
    ("preTool", "{id: r, kind: maxCalls, tools: [send], with: {max: 2}}", "send", "Call it at most twice a turn."),
    (
        "preTool",
        "{id: r, kind: maxCalls, tools: [send, pay], with: {max: 2}}",
        "send",
        "At most 2 calls a turn, together with `pay`.",
    ),
    ("preTool", "{id: r, kind: maxCalls, with: {max: 2}}", "tool rules", "At most 2 tool calls a turn."),
    (
        "preTool",
        "{id: r, tools: [send], kind: forbid, with: {}, action: warn}",
        "send",
        "Do not call this tool, not even once.",
    ),
    (
        "preTool",
        "{id: r, kind: confirmFirst, tools: [wipe], action: ask, by: user}",
        "wipe",
        "A destructive action: make the call when it is due; it runs once the user has confirmed it, and they are asked for you. \
         With `simulate: true`, where the tool takes that, it runs unasked and changes nothing.",
    ),
    (
        "preTool",
        "{id: r, kind: confirmFirst, tools: [wipe], action: ask, by: approver}",
        "wipe",
        "A destructive action: make the call when it is due; it runs once somebody who may approve it has done so, and they are \
         asked for you. With `simulate: true`, where the tool takes that, it runs unasked and changes nothing.",
    ),
    (
        "preTool",
        "{id: r, kind: confirmFirst, tools: [wipe]}",
        "wipe",
        "A destructive action: it does not run; say what it would do. With `simulate: true`, where the tool takes that, it runs \
         and changes nothing.",
    ),
    (
        "preTool",
        "{id: r, kind: confirmFirst, tools: [wipe], action: warn}",
        "wipe",
        "A destructive action: make the call only once the user has confirmed it. With `simulate: true`, where the tool takes \
         that, it runs and changes nothing.",
    ),
    (
        "postTool",
        "{id: r, kind: redactResult, tools: [send], with: {of: [cards, tokens], patterns: ['k[0-9]']}}",
        "send",
        "In a result `[masked]` stands for card numbers, keys and tokens and what matches `k[0-9]`, which may not be read; do \
         not ask for it.",
    ),
    (
        "postTool",
        "{id: r, kind: redactResult, tools: [send], action: deny, with: {of: cards}}",
        "send",
        "A result with card numbers in it is withheld as a whole; do not ask for it.",
    ),
    (
        "onInput",
        "{id: r, kind: precondition, with: {check: world.open}}",
        "input rules",
        "A message is taken up only while `world.open`.",
    ),
    (
        "onInput",
        "{id: r, kind: precondition, when: world.late, with: {check: world.open}}",
        "input rules",
        "Where `world.late`: a message is taken up only while `world.open`.",
    ),
    ("preTool", "{id: r, kind: precondition, with: {check: world.open}}", "tool rules", "Only while `world.open`."),
];

fn desk(guard: &str, more: &str) -> Desk {
    desk_under("preTool", guard, more)
}

fn desk_under(hook: &str, guard: &str, more: &str) -> Desk {
    Desk(policy(&format!(
        "agentspec: 1\nid: desk\npersona: You are the desk.\nparams: {{five: 5}}\ntools:\n  \
         send: {{effect: external, parameters: {{properties: {{n: {{type: number}}, to: {{type: string}}}}}}}}\n  \
         pay: {{effect: external, parameters: {{properties: {{n: {{type: number}}, to: {{type: string}}}}}}}}\n  \
         wipe: {{effect: write, destructive: true, parameters: {{properties: {{n: {{type: number}}, to: {{type: string}}}}}}}}\n\
         guards: {{{hook}: [{guard}]}}\n{more}"
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
    for (hook, guard, place, text) in QUALIFIED {
        let told = desk_under(hook, guard, "").of("r");
        assert!(told.contains(&((*place).to_owned(), (*text).to_owned())), "{guard}\n{told:#?}");
    }
}

#[test]
fn a_control_is_told_from_a_guard_of_its_name() {
    let guard = "{id: terminal, kind: forbid, tools: [pay]}";
    let policy = desk(guard, "controls: {vetoStreak: 2, terminal: replyOnly}\n");
    let placed = |rule: &str| policy.of(rule).into_iter().map(|(place, _)| place).collect::<Vec<_>>();
    assert_eq!(placed("terminal"), ["pay"]);
    assert_eq!(placed("controls/vetoStreak"), ["tool rules"]);
    assert_eq!(placed("controls/terminal"), ["reply rules"]);
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
        (
            "sum: args.n, except: [pay], max: 9",
            "tool rules",
            "In one session, `n` of tool calls other than `pay` adds up to at most 9.",
        ),
        (
            "sum: args.n, effects: [external], window: 24h, max: 9",
            "tool rules",
            "Within 1d, `n` of tool calls with the effect `external` adds up to at most 9.",
        ),
        ("sum: args.n, max: 9", "tool rules", "`n` adds up to at most 9 a session."),
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
fn the_same_words_are_said_again_where_they_are_about_something_else() {
    let policy = policy(
        "agentspec: 1\nid: desk\npersona: You are the desk.\ncontract: {contract: 1, id: shop, facts: [the till is open]}\n\
         tools: {look: {effect: read}}\nguards:\n  \
         onInput: [{id: input, check: world.open, prose: the till is open, correction: c}]\n  \
         preTool: [{id: call, check: world.open, prose: the till is open, correction: c},\n            \
         {id: again, check: world.open == true, prose: The till is open., correction: c}]\n",
    );
    let told = lines(policy.prompt());
    let places: Vec<(&str, &str)> = told
        .iter()
        .filter(|(_, _, text)| text == "The till is open.")
        .map(|(place, rule, _)| (place.as_str(), rule.as_str()))
        .collect();
    assert_eq!(places, [("facts", ""), ("tool rules", "call"), ("input rules", "input")]);
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
