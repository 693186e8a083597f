//! What an extending file may do and what it may not, and what comes of it.

use crate::diagnostic::Diagnostic;
use crate::source::Sources;
use crate::spec::{Parsed, Spec, parse};

const BASE: &str = "\
agentspec: 1
id: base
persona: You are the desk.
mode: enforce
default: defer
grants: {effects: [read, write], scopes: [a, b]}
$defs: {id: {type: integer}}
params: {top: 50}
tools:
  look: {effect: read, description: Look., parameters: {properties: {id: {$ref: '#/$defs/id'}, sum: {type: number}}}}
  pay: {effect: write, scopes: [a]}
  drop: {effect: write}
  keyed: {effect: write, idempotency: {key: args.id}}
flow: [{id: first, from: look, to: [pay, drop], same: id}]
guards:
  onInput:
    - {id: turns, check: session.turn < 9, action: audit}
    - {id: files, check: size(input.attachments) < 3, prose: two files, correction: Two files.}
  preTool:
    - {id: cap, tools: [pay], kind: argRange, with: {arg: sum, max: 500.00}}
    - {id: named, tools: [pay], kind: argRange, with: {arg: sum, max: params.top}}
    - {id: watched, tools: [pay, drop], kind: forbid, action: audit}
    - {id: dropped, tools: drop, kind: forbid, correction: Keep it.}
  postTool:
    - {id: ok, tools: [pay], kind: resultInvariant, with: {check: result.ok}}
budgets: [{id: few, count: calls, tools: [pay], max: 5}]
ledger: {secretKeys: [door]}
";

const HEAD: &str = "agentspec: 1\nid: mine\nextends: base.yaml\n";

fn sources(base: &str, over: &str) -> Sources {
    let mut sources = Sources::new("mine.yaml", format!("{HEAD}{over}"));
    sources.insert("base.yaml", base);
    sources
}

fn merged(over: &str) -> (Parsed, Sources) {
    let sources = sources(BASE, over);
    (parse(&sources), sources)
}

fn allowed(over: &str) -> Spec {
    let (parsed, _) = merged(over);
    let spec = parsed.spec.unwrap_or_else(|| panic!("{over}: {:?}", parsed.diagnostics));
    let compiled = crate::policy::compile(&spec);
    assert!(compiled.is_ok(), "{over}: {:?}", compiled.err());
    spec
}

fn refused(over: &str) -> Vec<Diagnostic> {
    let (parsed, _) = merged(over);
    assert!(parsed.spec.is_none(), "{over} is allowed");
    parsed.diagnostics
}

/// The effective spec as text.
fn effective(over: &str) -> String {
    crate::canon::to_text(&allowed(over).effective())
}

#[test]
fn what_only_tightens_or_adds_is_allowed_and_merged() {
    let cases = [
        ("", r#""id":"mine""#),
        ("persona: You are another desk.", "another desk"),
        ("default: deny", r#""default":"deny""#),
        ("grants: {effects: [read, write], scopes: [a]}", r#""scopes":["a"]"#),
        ("$defs: {other: {type: string}}", r#""id":"mine""#),
        ("tools: {mail: {effect: write}}", r#""mail":{"effect":"write"}"#),
        ("tools: {look: {description: Read one.}}", "Read one."),
        ("tools: {look: {effect: read}}", r#""look""#),
        ("tools: {drop: {destructive: true}}", r#""destructive":true"#),
        ("tools: {drop: {ends: session}}", r#""ends":"session""#),
        ("tools: {drop: {label: dropping it}}", r#""label":"dropping it""#),
        ("tools: {drop: {declares: {why: {type: string}}}}", r#""declares":{"why":{"type":"string"}}"#),
        ("controls: {profile: scikitplot}", r#""controls":{"profile":"scikitplot"}"#),
        ("controls: {profile: flyball}", r#""id":"mine""#),
        ("world: {stale: deny}", r#""world":{"stale":"deny"}"#),
        ("world: {schema: {type: object}, stale: allow}", r#""world":{"schema":"#),
        ("guards: {preTool: [{id: cap, with: {max: 100}}]}", r#""max":100"#),
        ("guards: {preTool: [{id: cap, with: {max: 500}}]}", r#""max":500"#),
        ("guards: {preTool: [{id: named, with: {max: params.top}}]}", r#""max":50"#),
        ("guards: {preTool: [{id: cap, tools: [drop, pay]}]}", r#""tools":["drop","pay"]"#),
        ("guards: {preTool: [{id: cap, tools: '*'}]}", r#""tools":["*"]"#),
        ("guards: {preTool: [{id: watched, action: deny}]}", r#""id":"watched","kind":"forbid","tools""#),
        (
            "guards: {onInput: [{id: files, correction: Send two.}, {id: more, check: session.turn < 5, action: audit}]}",
            "Send two.",
        ),
        ("guards: {postTool: [{id: ok, action: deny}]}", r#""action":"deny","id":"ok""#),
        ("guards: {preTool: [{id: cap, prose: new words, correction: Other words.}]}", "Other words."),
        ("guards: {preTool: [{id: more, tools: [look], kind: forbid}]}", r#""id":"more""#),
        ("flow: [{id: first, to: [pay, drop], correction: Look first.}]", "Look first."),
        ("flow: [{id: again, from: look, to: drop}]", r#""id":"again""#),
        ("budgets: [{id: few, max: 0}]", r#""max":0"#),
        ("budgets: [{id: few, tools: [pay, drop]}]", r#""tools":["pay","drop"]"#),
        ("budgets: [{id: new, count: calls, max: 9}]", r#""id":"new""#),
        ("budgets: [{id: few, action: stop}]", r#""action":"stop""#),
        ("budgets: [{id: few, action: deny}]", r#""id":"few""#),
        ("tools: {pay: {idempotency: {key: args.id}}}", r#""idempotency":{"key":"args.id"}"#),
        ("ledger: {keepSecrets: false, secretKeys: [door, gate]}", r#""secretKeys":["door","gate"]"#),
        ("controls: {auto: {noDuplicateCall: true}}", r#""id":"mine""#),
        ("controls: {vetoStreak: 3, callsPerStep: 2}", r#""controls":{"callsPerStep":2,"vetoStreak":3}"#),
        ("controls: {textWithCalls: deny, terminal: replyOnly}", r#"{"terminal":"replyOnly","textWithCalls":"deny"}"#),
        ("controls: {terminal: {replyOnly: world.x}, exhaustionReply: Enough.}", r#""exhaustionReply":"Enough.""#),
        ("controls: {textWithCalls: drop, terminal: any}", r#""controls":{"textWithCalls":"drop"}"#),
    ];
    for (over, wanted) in cases {
        let text = effective(over);
        assert!(text.contains(wanted), "{over}: {text}");
    }
}

#[test]
fn what_loosens_is_refused_at_the_extending_file() {
    let cases = [
        "mode: observe",
        "default: allow",
        "grants: {scopes: [a, b, c]}",
        "grants: {effects: [read, write, external]}",
        "$defs: {id: {type: string}}",
        "tools: {look: {effect: write}}",
        "tools: {look: {parameters: {}}}",
        "tools: {pay: {scopes: []}}",
        "tools: {pay: {coerce: true}}",
        "guards: {preTool: [{id: cap, with: {max: 500.01}}]}",
        "guards: {preTool: [{id: cap, with: {max: params.top}}]}",
        "guards: {preTool: [{id: named, with: {max: 900}}]}",
        "guards: {preTool: [{id: named, with: {max: params.high}}]}",
        "guards: {preTool: [{id: cap, with: {min: 0}}]}",
        "guards: {preTool: [{id: cap, with: {arg: m}}]}",
        "guards: {preTool: [{id: cap, tools: [drop]}]}",
        "guards: {preTool: [{id: cap, except: [pay]}]}",
        "guards: {preTool: [{id: cap, action: audit}]}",
        "guards: {preTool: [{id: cap, missing: skip}]}",
        "guards: {preTool: [{id: cap, kind: forbid}]}",
        "guards: {onInput: [{id: files, action: audit}]}",
        "guards: {onInput: [{id: files, missing: skip}]}",
        "guards: {onInput: [{id: files, check: true}]}",
        "guards: {postTool: [{id: ok, action: audit}]}",
        "flow: [{id: first, from: [look, pay]}]",
        "flow: [{id: first, to: [pay]}]",
        "flow: [{id: first, emptyCounts: true}]",
        "budgets: [{id: few, max: 6}]",
        "budgets: [{id: few, scope: turn}]",
        "budgets: [{id: few, action: ask}]",
        "budgets: [{id: few, window: 24h}]",
        "budgets: [{id: few, outcome: failed}]",
        "budgets: [{id: few, when: args.n > 1}]",
        "budgets: [{id: few, per: args.id}]",
        "tools: {pay: {rewrite: [{arg: sum, set: 1}]}}",
        "tools: {keyed: {idempotency: {key: args.id, window: 24h}}}",
        "budgets: [{id: few, effects: [read]}]",
        "ledger: {secretKeys: [gate]}",
        "controls: {auto: {noDuplicateCall: false}}",
    ];
    for over in cases {
        let found = refused(over);
        assert_eq!(
            found.iter().map(|problem| problem.rule).collect::<Vec<_>>(),
            ["loosened-base"],
            "{over}: {found:?}"
        );
        assert_eq!(found[0].span.file, crate::source::FileId(0), "{over}");
    }
}

#[test]
fn over_a_base_of_least_privilege_only_reading_is_granted() {
    let base = "agentspec: 1\nid: base\npersona: p\ntools: {look: {effect: read}, pay: {effect: write, declares: {why: {type: string}}}}\ncontrols: {profile: scikitplot}\n";
    let rules = |over: &str| {
        let parsed = parse(&sources(base, over));
        parsed.diagnostics.iter().map(|problem| problem.rule).collect::<Vec<_>>()
    };
    let allowed = ["", "grants: {effects: [read]}\n", "grants: {effects: []}\n", "controls: {profile: scikitplot}\n"];
    for over in allowed {
        assert_eq!(rules(over), [""; 0], "{over}");
    }
    let refused = [
        "grants: {effects: [read, write]}\n",
        "controls: {profile: flyball}\n",
        "tools: {pay: {declares: {why: {type: integer}}}}\n",
    ];
    for over in refused {
        assert_eq!(rules(over), ["loosened-base"], "{over}");
    }
}

#[test]
fn a_removed_tool_leaves_the_rules_about_it() {
    let text = effective("tools: {drop: null}");
    assert!(!text.contains("drop"), "{text}");
    assert!(text.contains(r#""id":"watched""#) && text.contains(r#""to":["pay"]"#), "{text}");
    assert_eq!(refused("tools: {gone: null}")[0].rule, "matches-nothing");
}

#[test]
fn an_id_twice_in_one_file_is_still_refused() {
    let found = refused("budgets: [{id: few, max: 4}, {id: few, count: calls, max: 9}]");
    assert_eq!(found[0].rule, "duplicate-id");
}

#[test]
fn bases_may_have_bases_and_circles_end() {
    let middle = "agentspec: 1\nid: base\nextends: deep.yaml\nbudgets: [{id: few, max: 3}]\n";
    let mut deep = sources(middle, "budgets: [{id: few, max: 2}]\n");
    deep.insert("deep.yaml", BASE);
    let spec = parse(&deep).spec.unwrap();
    assert_eq!(spec.budgets[0].terms.max, 2_u64.into());
    let mut deep = sources(middle, "budgets: [{id: few, max: 4}]\n");
    deep.insert("deep.yaml", BASE);
    assert_eq!(parse(&deep).diagnostics[0].rule, "loosened-base");
    let circle = parse(&sources("agentspec: 1\nid: base\nextends: mine.yaml\n", ""));
    assert_eq!(circle.diagnostics.iter().map(|problem| problem.rule).collect::<Vec<_>>(), ["extends-cycle"]);
}

#[test]
fn a_base_that_is_not_there_is_asked_for() {
    let parsed = parse(&Sources::new("mine.yaml", HEAD));
    assert_eq!((parsed.missing, parsed.diagnostics.len()), (vec!["base.yaml".to_owned()], 0));
    assert!(parsed.spec.is_none());
}

#[test]
fn files_of_the_base_are_found_beside_the_base() {
    let mut sources = Sources::new("agents/mine.yaml", "agentspec: 1\nid: mine\nextends: ../base/base.yaml\n");
    let base = "agentspec: 1\nid: base\npersona: p\ntools: {pay: {parameters: {$ref: pay.json}}}\n";
    sources.insert("base/base.yaml", base);
    sources.insert("base/pay.json", "{\"properties\": {\"n\": {\"type\": \"integer\"}}}");
    let parsed = parse(&sources);
    assert!(parsed.spec.is_some(), "{:?} {:?}", parsed.diagnostics, parsed.missing);
}

#[test]
fn a_spec_without_extends_is_as_it_was() {
    let alone = parse(&Sources::new("base.yaml", BASE)).spec.unwrap();
    let mut over = allowed("").effective();
    if let crate::value::Value::Object(object) = &mut over {
        object.insert("id".into(), crate::value::Value::from("base"));
    }
    assert_eq!(over, alone.effective());
}

#[test]
fn what_ends_a_session_and_makes_the_world_old_stays() {
    let base = "agentspec: 1\nid: base\npersona: You are the desk.\nworld: {schema: {type: object}, stale: deny}\n\
        tools: {pay: {effect: write, ends: session}}\n";
    let told = |over: &str| -> Vec<&'static str> {
        parse(&sources(base, over)).diagnostics.iter().map(|problem| problem.rule).collect()
    };
    for over in ["world: {stale: deny}", "tools: {pay: {ends: session}}", "tools: {pay: {destructive: true}}"] {
        assert_eq!(told(over), [""; 0], "{over}");
    }
    for over in ["world: {stale: allow}", "world: {schema: {}}"] {
        assert_eq!(told(over), ["loosened-base"], "{over}");
    }
    assert!(!told("tools: {pay: {ends: null}}").is_empty());
}

#[test]
fn controls_may_only_be_tightened() {
    let controls = "vetoStreak: 3, callsPerStep: 2, textWithCalls: deny, exhaustionReply: Enough.";
    let base = |terminal: &str| {
        format!(
            "agentspec: 1\nid: base\npersona: You are the desk.\ntools: {{look: {{effect: read}}}}\ncontrols: {{{controls}, {terminal}}}\n"
        )
    };
    let told = |terminal: &str, over: &str| -> Vec<&'static str> {
        let sources = sources(&base(terminal), &format!("controls: {{{over}}}"));
        parse(&sources).diagnostics.iter().map(|problem| problem.rule).collect()
    };
    let (any, always) = ("terminal: any", "terminal: replyOnly");
    let where_closed = "terminal: {replyOnly: world.closed}";
    for (terminal, over) in [
        (any, "vetoStreak: 3, callsPerStep: 1"),
        (any, "vetoStreak: 1, exhaustionReply: Other words."),
        (any, "textWithCalls: deny, auto: {noDuplicateCall: true}"),
        (any, where_closed),
        (any, always),
        (where_closed, where_closed),
        (where_closed, always),
        (always, always),
    ] {
        assert_eq!(told(terminal, over), [""; 0], "{terminal}: {over}");
    }
    for (terminal, over) in [
        (any, "vetoStreak: 4"),
        (any, "callsPerStep: 3"),
        (any, "textWithCalls: drop"),
        (where_closed, any),
        (where_closed, "terminal: {replyOnly: world.open}"),
        (always, any),
        (always, where_closed),
    ] {
        assert_eq!(told(terminal, over), ["loosened-base"], "{terminal}: {over}");
    }
    assert_eq!(told(any, "stream: hold, redrives: 0"), [""; 0]);
    assert_eq!(told(any, "stream: after"), ["loosened-base"]);
    assert_eq!(told(any, "sentinel: DONE"), ["unknown-key"]);
    assert_eq!(told(any, "vetoStreak: 0"), ["bad-count"]);
    assert_eq!(told(any, "textWithCalls: check"), ["loosened-base"]);
}

const ASKING: &str = "approvals: {user: {accept: [code, {words: ['Yes', ok]}], ttl: 10m}, require: [write]}\n";

/// What a spec over one with some `approvals` comes to, or the rules of its problems.
fn asking(base: &str, over: &str) -> Result<Spec, Vec<&'static str>> {
    let parsed = parse(&sources(&format!("{BASE}{base}"), &format!("approvals: {{{over}}}\n")));
    parsed.spec.ok_or_else(|| parsed.diagnostics.iter().map(|problem| problem.rule).collect())
}

#[test]
fn approvals_may_be_asked_for_more_often_answered_in_fewer_ways_and_sooner() {
    for over in [
        "user: {ttl: 10m}",
        "user: {ttl: 599s}, approver: {ttl: 60m}",
        "user: {accept: [code]}",
        "user: {accept: [{words: [OK.]}]}",
        "require: [external, write]",
        "approver: {ttl: 5m}",
    ] {
        let spec = asking(ASKING, over).unwrap_or_else(|told| panic!("{over}: {told:?}"));
        assert!(spec.approvals.require.contains(&crate::tool::Effect::Write), "{over}");
        assert!(!spec.approvals.user.button, "{over}");
    }
    for over in ["user: {ttl: 1m, accept: [button]}", "require: [external]", "approver: {ttl: 1h}"] {
        assert!(asking("", over).is_ok(), "{over}");
    }
}

#[test]
fn approvals_may_not_be_loosened() {
    for (base, over) in [
        (ASKING, "user: {ttl: 11m}"),
        (ASKING, "user: {accept: [code, button]}"),
        (ASKING, "user: {accept: [{words: ['yes', fine]}]}"),
        (ASKING, "require: [external]"),
        (ASKING, "approver: {ttl: 61m}"),
        ("", "user: {ttl: 16m}"),
        ("", "user: {accept: [code, {words: ['yes']}]}"),
        ("", "approver: {ttl: 1d}"),
    ] {
        assert_eq!(asking(base, over).unwrap_err(), ["loosened-base"], "{over}");
    }
    assert_eq!(asking(ASKING, "user: {accept: [buton]}").unwrap_err(), ["unknown-word"]);
    assert_eq!(asking(ASKING, "user: {ttl: soon}").unwrap_err(), ["bad-duration"]);
    assert_eq!(asking(ASKING, "users: {ttl: 1m}").unwrap_err(), ["unknown-key"]);
}
