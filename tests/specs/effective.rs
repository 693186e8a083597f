//! The effective spec is a spec of the same meaning: it reads back to its digest, and two specs share a digest exactly
//! if they mean the same.

use super::examples;
use crate::disk::{load, load_bytes, load_text, text_of};
use flyball::canon::{Digest, to_text};
use flyball::decimal::Decimal;
use flyball::source::Sources;
use flyball::spec::parse;
use flyball::value::Value;
use proptest::prelude::*;
use serde_yaml::Value as Yaml;

/// The digest of a text that stands where `path` does; `None` if it is no spec.
fn digest_at(path: &str, text: &str) -> Option<Digest> {
    load_bytes(path, text).policy.map(|policy| policy.digest())
}

fn digest(text: &str) -> Digest {
    let loaded = load_text(text);
    loaded.policy.as_ref().unwrap_or_else(|| panic!("{:#?}", loaded.lines())).digest()
}

#[test]
fn the_effective_spec_of_every_example_reads_back_to_its_digest() {
    for path in examples() {
        let (spec, policy) = load(&path).clean();
        let written = to_text(&spec.effective());
        let (again, _) = load_text(&written).clean();
        assert_eq!(again.digest(), policy.digest(), "{path}");
        assert_eq!(to_text(&again.effective()), written, "{path}");
    }
}

#[test]
fn serde_yaml_writes_the_effective_spec_to_the_same_digest() {
    for path in examples() {
        let (spec, policy) = load(&path).clean();
        let value: Yaml = serde_yaml::from_str(&to_text(&spec.effective())).unwrap();
        assert_eq!(digest(&serde_yaml::to_string(&value).unwrap()), policy.digest(), "{path}");
    }
}

/// The same tree as one line of YAML, with every map in another order.
fn shuffled(tree: &Yaml, seed: &mut u32) -> String {
    match tree {
        Yaml::Mapping(map) => {
            let mut members: Vec<(u32, String)> = Vec::new();
            for (key, value) in map {
                *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let order = *seed;
                members.push((order, format!("{}: {}", shuffled(key, seed), shuffled(value, seed))));
            }
            members.sort();
            let members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
            format!("{{{}}}", members.join(", "))
        }
        Yaml::Sequence(items) => {
            let items: Vec<String> = items.iter().map(|item| shuffled(item, seed)).collect();
            format!("[{}]", items.join(", "))
        }
        scalar => serde_json::to_string(scalar).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_order_of_keys_means_nothing(seed in any::<u32>()) {
        for path in examples() {
            let tree: Yaml = serde_yaml::from_str(&text_of(&path)).unwrap();
            let text = shuffled(&tree, &mut seed.clone());
            prop_assert_eq!(digest_at(&path, &text), digest_at(&path, &text_of(&path)), "{}", text);
        }
    }
}

/// A spec in which every spelling below can be put another way.
const PLAIN: &str = "\
agentspec: 1
id: spellings
persona: You are the desk.
tools:
  crm/find: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  crm/pay:
    effect: external
    rewrite: [{arg: id, normalise: trim}, {arg: amount, clamp: {max: 900}}]
    idempotency: {key: '[args.id]', window: 24h}
    parameters: {type: object, properties: {id: {type: string}, amount: {type: number, minimum: 0}}}
flow:
  - {id: look-first, from: [crm/find], to: [crm/pay], same: id}
guards:
  preTool:
    - {id: cap, tools: [crm/pay], kind: argRange, with: {arg: amount, max: 500}}
    - {id: once, tools: [crm/pay], kind: maxCalls, with: {max: 1, scope: turn}}
    - {id: ask-first, tools: [crm/pay], kind: requiresBefore, with: {deps: [crm/find]}}
budgets:
  - {id: spend, sum: args.amount, tools: [crm/pay], when: args.amount > 1, per: args.id, window: 7d, max: 1.50}
  - {id: fails, count: calls, outcome: failed, streak: true, resetOn: [turn], max: 3}
  - {id: calls, count: calls, scope: session, max: 9}
";

#[test]
fn two_spellings_of_one_meaning_have_one_digest() {
    let cases = [
        ("  crm/pay:", "  mcp__crm__pay:"),
        ("tools: [crm/pay], kind: argRange", "tools: [mcp__crm__pay], kind: argRange"),
        ("tools: [crm/pay], kind: argRange", "tools: crm/pay, kind: argRange"),
        ("from: [crm/find], to: [crm/pay]", "from: mcp__crm__find, to: crm/pay"),
        ("same: id", "same: [id]"),
        ("same: id", "same: {id: args.id}"),
        ("max: 500}", "max: 500.00}"),
        ("max: 500}", "max: 5e2}"),
        ("max: 500}", "max: 0x1F4}"),
        ("with: {max: 1, scope: turn}", "with: {max: 1}"),
        ("deps: [crm/find]", "deps: crm/find"),
        ("deps: [crm/find]", "deps: [[mcp__crm__find]]"),
        ("scope: session, max: 9", "max: 9"),
        ("max: 500}}", "max: 500}, action: deny, missing: deny}"),
        ("persona: You are the desk.", "persona: >-\n  You are\n  the desk."),
        ("id: spellings", "id: 'spellings'\nmode: enforce\ndefault: allow"),
        ("agentspec: 1", "# a comment\nagentspec: 1.0"),
        ("scope: session, max: 9}", "scope: session, max: 9}\ncontrols: {auto: {noDuplicateCall: true}}"),
        ("scope: session, max: 9}", "scope: session, max: 9}\ncontrols: {terminal: any}"),
        ("same: id}", "same: id, emptyCounts: false}"),
        ("window: 24h", "window: 1d"),
        ("window: 7d", "window: 168h"),
        ("max: 1.50", "max: 1.5, action: deny"),
        ("sum: args.amount", "sum: '(args.amount)'"),
        ("normalise: trim", "normalise: [trim]"),
        ("clamp: {max: 900}", "clamp: {max: 900.0}"),
        ("outcome: failed, streak: true", "streak: true, outcome: failed"),
    ];
    for (one, other) in cases {
        assert!(PLAIN.contains(one), "{one}");
        assert_eq!(digest(&PLAIN.replacen(one, other, 1)), digest(PLAIN), "{other}");
    }
}

#[test]
fn two_meanings_have_two_digests() {
    let cases = [
        ("max: 500}", "max: 500.01}"),
        ("max: 500}}", "max: 500}, action: audit}"),
        ("max: 500}}", "max: 500}, missing: skip}"),
        ("max: 500}", "exclusiveMax: 500}"),
        ("scope: turn}", "scope: session}"),
        ("count: calls, scope", "count: attempts, scope"),
        ("same: id}", "same: id, within: turn}"),
        ("same: id}", "same: id, emptyCounts: true}"),
        ("same: id}", "same: {id: result.id}}"),
        ("from: [crm/find]", "from: [crm/find, crm/pay]"),
        ("effect: external", "effect: write"),
        ("to: [crm/pay], same: id}", "to: [crm/pay]}"),
        ("persona: You are the desk.", "persona: You are the  desk."),
        ("persona:", "mode: observe\npersona:"),
        ("persona:", "default: deny\npersona:"),
        ("persona:", "controls: {auto: {noDuplicateCall: false}}\npersona:"),
        ("persona:", "controls: {vetoStreak: 3}\npersona:"),
        ("persona:", "controls: {callsPerStep: 3}\npersona:"),
        ("persona:", "controls: {textWithCalls: deny}\npersona:"),
        ("persona:", "controls: {exhaustionReply: Enough.}\npersona:"),
        ("persona:", "controls: {terminal: replyOnly}\npersona:"),
        ("persona:", "world: {schema: {type: object}}\npersona:"),
        ("window: 24h", "window: 25h"),
        ("key: '[args.id]'", "key: args.id"),
        ("normalise: trim", "normalise: spaces"),
        (
            "[{arg: id, normalise: trim}, {arg: amount, clamp: {max: 900}}]",
            "[{arg: amount, clamp: {max: 900}}, {arg: id, normalise: trim}]",
        ),
        ("per: args.id, ", ""),
        ("when: args.amount > 1, ", ""),
        ("window: 7d, ", ""),
        ("max: 1.50", "max: 1.50, action: ask"),
        ("outcome: failed, ", ""),
        ("streak: true, ", ""),
        ("resetOn: [turn], max", "scope: turn, max"),
    ];
    for (one, other) in cases {
        assert!(PLAIN.contains(one), "{one}");
        assert_ne!(digest(&PLAIN.replacen(one, other, 1)), digest(PLAIN), "{other}");
    }
}

/// The tree once for each scalar in it and each key, with that one changed.
fn changes(value: &Value<'static>) -> Vec<Value<'static>> {
    match value {
        Value::Bool(truth) => vec![Value::Bool(!truth)],
        Value::Number(number) => vec![Value::Number(number.checked_add(&Decimal::from(1)).unwrap())],
        Value::String(text) => vec![Value::from(format!("{text}x"))],
        Value::Null => vec![Value::Bool(true)],
        Value::Array(items) => {
            let place = |(at, item): (usize, &Value<'static>)| {
                let put = move |changed| {
                    let mut items = items.clone();
                    items[at] = changed;
                    Value::Array(items)
                };
                changes(item).into_iter().map(put).collect::<Vec<_>>()
            };
            items.iter().enumerate().flat_map(place).collect()
        }
        Value::Object(members) => {
            let mut all = Vec::new();
            for (key, member) in members.iter() {
                for changed in changes(member) {
                    let mut members = members.clone();
                    members.insert(key.to_owned().into(), changed);
                    all.push(members.into());
                }
                let mut renamed = members.clone();
                renamed.remove(key);
                renamed.insert(format!("{key}x").into(), member.clone());
                all.push(renamed.into());
            }
            all
        }
    }
}

#[test]
fn no_word_of_an_effective_spec_can_change_without_its_digest() {
    for path in examples() {
        let (spec, policy) = load(&path).clean();
        let changes = changes(&spec.effective());
        let mut loaded = 0;
        let mut unmoved = Vec::new();
        for changed in changes.iter().map(to_text) {
            let Some(spec) = parse(&Sources::new("test.yaml", changed.as_str())).spec else { continue };
            loaded += 1;
            if spec.digest() == policy.digest() {
                unmoved.push(changed);
            }
        }
        assert!(loaded > changes.len() / 8, "{path}: {loaded} of {} load", changes.len());
        assert_eq!(unmoved, [""; 0], "{path}");
    }
}

#[test]
fn families_that_tie_are_chosen_by_name_so_that_the_order_of_the_file_means_nothing() {
    let spec = |tools: &str| {
        load_text(&format!(
            "agentspec: 1\nid: ties\npersona: x\ntools: {tools}\nguards: {{preTool: [{{id: g, effects: [read], kind: forbid}}]}}\n"
        ))
    };
    let (one, first) = spec("{'get_*': {effect: read}, '*_get': {effect: external}}").clean();
    let (two, second) = spec("{'*_get': {effect: external}, 'get_*': {effect: read}}").clean();
    assert_eq!(one.digest(), two.digest());
    assert_eq!(first.rules_about("get_get"), second.rules_about("get_get"));
    assert_eq!(first.rules_about("get_get").unwrap(), ["auto/noDuplicateCall"]);
    assert_eq!(first.rules_about("get_x").unwrap(), ["g", "auto/noDuplicateCall"]);
}

#[test]
fn the_kinds_of_a_pack_read_back_with_all_that_was_put_into_them() {
    let codes: Vec<String> = (0..2000).map(|n| format!("C{n}")).collect();
    let pack = "pack: 1\nid: p\nkinds:\n  cap:\n    hook: preTool\n    params: {amount: {expr: number}, max: {type: number}, codes: {type: array, items: {type: string}}, code: {expr: string}}\n    check: params.amount <= params.max && params.codes.exists(cap, cap == params.code)\n    prose: 'at most {params.max}, {{never} more'\n    correction: 'Not {params.amount}, at most {params.max}.'\n    cases: [{with: {amount: 1, max: 1, codes: [a], code: a}, want: allow}, {with: {amount: 2, max: 1, codes: [a], code: a}, want: deny}]\n";
    let spec = format!(
        "agentspec: 1\nid: a\npersona: You are the desk.\npacks: {{p: pack.yaml}}\nparams: {{max: 7, codes_of_one: 3}}\nlet: {{cap: args.amount}}\ntools: {{pay: {{effect: write, parameters: {{type: object, required: [amount, code], properties: {{amount: {{type: number}}, code: {{type: string}}}}}}}}}}\nguards: {{preTool: [{{id: one, kind: p/cap, with: {{amount: cap + params.max, max: 12, code: args.code, codes: [{}]}}}}]}}\n",
        codes.join(", ")
    );
    let mut sources = Sources::new("a.yaml", spec);
    sources.insert("pack.yaml", pack);
    let parsed = parse(&sources);
    let said: Vec<String> = parsed.diagnostics.iter().map(|problem| problem.one_line(&sources)).collect();
    assert_eq!(said, [""; 0]);
    let spec = parsed.spec.unwrap();
    let policy = flyball::policy::compile(&spec).unwrap();
    assert!(policy.warnings().is_empty());
    let written = to_text(&spec.effective());
    assert!(written.contains("Not {cap + params.max}, at most {12}."), "{written}");
    assert!(written.contains("at most {12}, {{never} more"), "{written}");
    let (again, _) = load_text(&written).clean();
    assert_eq!(again.digest(), policy.digest());
    assert_eq!(to_text(&again.effective()), written);
}

#[test]
fn guards_of_turns_read_back_with_those_of_the_contract_whatever_tools_there_are() {
    let spec = "agentspec: 1\nid: a\npersona: You are the desk.\ncontract: c.yaml\nworld: {schema: {type: object, properties: {open: {type: boolean}}}}\ntools: {}\nguards:\n  onInput:\n    - {id: open, kind: precondition, with: {check: world.open}, missing: skip, publicReason: We are closed.}\n    - {id: small, forEach: 'i, a in input.attachments', when: a.kind != 'png', check: a.size < 9, action: audit}\n";
    let contract = "contract: 1\nid: c\nguards: {onInput: [{id: few, check: session.turn < 9, prose: nine turns, correction: That was all.}]}\n";
    let mut sources = Sources::new("a.yaml", spec);
    sources.insert("c.yaml", contract);
    let parsed = parse(&sources);
    let said: Vec<String> = parsed.diagnostics.iter().map(|problem| problem.one_line(&sources)).collect();
    assert_eq!(said, [""; 0]);
    let spec = parsed.spec.unwrap();
    let written = to_text(&spec.effective());
    assert!(written.contains(r#""guards":{"onInput":[{"check":"session.turn < 9","#), "{written}");
    let (again, policy) = load_text(&written).clean();
    assert_eq!((again.digest(), to_text(&again.effective())), (spec.digest(), written));
    assert_eq!(policy.digest(), flyball::policy::compile(&spec).unwrap().digest());
}
