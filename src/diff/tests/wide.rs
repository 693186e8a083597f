//! Pairs of small specs that differ in a rule or two of any sort, and what a grid of scenes says of them.
//!
//! Whatever the engines decide otherwise in some scene is told as a change of that sort, or something is undecided; and
//! what is proved of the guards of one spec holds in every scene.

#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use crate::decision::{CallDecision, Decision, Verdict};
use crate::diff::scene::{Earlier, Play, Scene};
use crate::diff::{Answer, Comparison, compare};
use crate::event::{Body, Call};
use crate::json::{Limits, parse};
use crate::policy::Policy;
use crate::proof::Proofs;
use crate::source::Sources;
use crate::spec::Spec;
use crate::value::Value;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeSet;

/// What stands at each place of a spec, by its number among the choices.
type Draft = Vec<usize>;

/// As many pairs are tried, the same in every run: a hunt for more takes more cases and another seed.
const CASES: u32 = 32;
const SEED: u64 = 1;

/// The conditions of guards, with `#` for a small number.
const CONDITIONS: &[&str] = &[
    "args.amount <= #",
    "args.amount >= #",
    "args.amount < params.cap",
    "args.amount <= half",
    "args.amount <= row.total",
    "args.amount * 2 <= 10 + #",
    "round(args.amount / args.to.x, 0) > #",
    "row.open",
    "!row.open || args.amount < #",
    "row == null",
    "type(row) == map",
    "row.?total.orValue(#) > 2",
    "has(row.total)",
    "args.?note.orValue('x') == 'x'",
    "args.?note.orValue(session.user) == 'a'",
    "has(args.note)",
    "args.note.startsWith('a')",
    "args.note.matches('^a+$')",
    "args.note == world.name",
    "args.note <= world.name",
    "args.tags == world.tags",
    "size(args.tags) <= #",
    "size(args.note) > #",
    "args.tags.all(t, t != 'b')",
    "args.tags.exists(t, t == 'b')",
    "'a' in args.tags",
    "args.tags == ['a']",
    "args.to.x == #",
    "has(args.to.x)",
    "has(args.to)",
    "args.to.?x.orValue(#) > 1",
    "world.?limit.orValue(#) >= args.amount",
    "has(world.limit)",
    "world.limit == args.amount",
    "world['a.b'] == #",
    "world.a.b == #",
    "args.flag",
    "args.flag == null",
    "args.flag != true",
    "args.?flag.orValue(true)",
    "'boss' in session.roles",
    "session.user == 'u1'",
    "session.?user.orValue('none') == 'u1'",
    "call.effect != 'external'",
    "call.tool == 'pay'",
    "has(call.server)",
    "done('look')",
    "done(params.looks)",
    "done('look', {'id': args.note})",
    "count('look') < #",
    "count('look', {}, 'turn') < #",
    "first('look').result.ok == true",
    "first('look').?args.?id.orValue('none') == args.note",
    "last('look', {'id': args.note}).args.id == 'a'",
    "saidByUser(args.note)",
    "now < timestamp('2031-03-04T10:00:00Z')",
    "args.kind in ['a', 2]",
    "args.kind == #",
    "args.kind != 'a'",
    "args.kind == true || args.amount == #",
    "(args.flag ? args.amount : world.limit) <= #",
    "args.note + 'b' == 'ab'",
];

/// What a guard is asked, with `@` for a condition and `%` for another one.
const GUARDS: &[&str] = &[
    "check: \"@\", prose: p, correction: Do c.",
    "check: \"@ || %\", prose: p, correction: Do c.",
    "check: \"@ && %\", prose: p, correction: Do c.",
    "check: \"!(@)\", prose: p, correction: Do c.",
    "when: \"@\", check: \"%\", prose: p, correction: Do c.",
    "when: \"@\", prose: p, correction: Do c.",
    "forEach: t in args.tags, check: \"t != 'b' || @\", prose: p, correction: Do c.",
    "forEach: t in world.tags, check: \"size(t) <= #\", prose: p, correction: Do c.",
    "kind: argRange, with: {arg: amount, max: #}",
    "kind: argRange, with: {arg: to.x, min: #}",
    "kind: argOneOf, with: {arg: kind, values: [a, #]}",
    "kind: argOneOf, with: {arg: note, not: [b]}",
    "kind: argRequired, with: {arg: note}",
    "kind: argAbsent, with: {arg: flag}",
    "kind: argLength, with: {arg: note, max: #}",
    "kind: argFrom, with: {arg: note, from: [user, {expr: names}]}",
    "kind: argNotFrom, with: {arg: note, from: [{expr: world.names}]}",
    "kind: valueFromUser, with: {arg: note}",
    "kind: precondition, with: {check: world.limit > #}",
    "kind: requiresBefore, with: {deps: look, same: {note: args.id}}",
    "kind: maxCalls, with: {max: #}",
    "kind: distinctTargets, with: {arg: note, max: 1}",
    "kind: forbid, when: \"@\"",
];

const ACTIONS: &[&str] = &["", ", action: ask", ", action: ask, by: user", ", action: warn"];
const MISSING: &[&str] = &["", ", missing: skip", ", onFailure: ask", ", missing: skip, onFailure: ask"];
const ABOUT: &[&str] = &["tools: [pay]", "effects: [external, write, read]", "except: [look, view]", "tools: ['p*']"];

/// The schema of the tool.
const SCHEMAS: &[&str] = &[
    "amount: {type: number}",
    "amount: {type: integer}",
    "amount: {type: number, default: #}",
    "amount: {type: number, minimum: #}",
    "amount: {type: number, multipleOf: 2}",
    "amount: {enum: [0, 1, 7, 'a']}",
];
const REQUIRED: &[&str] = &["[]", "[amount]", "[note]", "[amount, to]"];
const NOTES: &[&str] =
    &["{type: string}", "{type: string, pattern: '^a'}", "{enum: [a, b]}", "{type: [string, 'null']}"];
const OBJECTS: &[&str] = &[
    "{type: object, required: [x], properties: {x: {type: number}}}",
    "{type: object, properties: {x: {type: integer, minimum: 1}}}",
    "{type: object, additionalProperties: true, properties: {x: {type: number}}}",
    "{type: [object, 'null'], properties: {x: {type: number}}}",
];
const KINDS: &[&str] =
    &["{}", "{enum: [a, 2, true]}", "{anyOf: [{type: string}, {type: number, maximum: #}]}", "{const: 2}"];
const CLOSED: &[&str] = &["", ", additionalProperties: true", ", additionalProperties: false"];
const EFFECTS: &[&str] = &["external", "write", "read"];
const NAMES: &[&str] = &["pay", "'p*'"];
const EXTRAS: &[&str] = &[
    "",
    ", destructive: true",
    ", destructive: {when: args.amount > #}",
    ", rewrite: [{arg: amount, clamp: {max: #}}]",
    ", coerce: true",
    ", scopes: [money]",
];
const TOPS: &[&str] = &[
    "",
    "default: ask\n",
    "default: deny\n",
    "default: defer\n",
    "mode: observe\n",
    "approvals: {require: [external, read]}\n",
    "grants: {effects: [read, external]}\n",
    "controls: {auto: {noDuplicateCall: false}}\n",
];
const FLOWS: &[&str] = &[
    "",
    "flow: [{id: e, from: look, to: pay}]\n",
    "flow: [{id: e, from: look, to: pay, same: {note: args.id}}]\n",
    "flow: [{id: e, from: look, to: pay, within: turn}]\n",
    "flow: [{id: e, from: look, to: pay, emptyCounts: true}]\n",
    "flow: [{id: e, from: look, to: pay, same: {note: args.id}, fresh: true}]\n",
];
const BUDGETS: &[&str] = &[
    "",
    "budgets: [{id: b, count: calls, tools: [pay], max: #}]\n",
    "budgets: [{id: b, sum: args.amount, tools: [pay], max: #}]\n",
    "budgets: [{id: b, count: calls, tools: [pay], per: args.note, max: #}]\n",
    "budgets: [{id: b, count: calls, tools: [pay, look], max: #}]\n",
    "budgets: [{id: b, count: calls, tools: [pay], when: args.flag, max: #}]\n",
    "budgets: [{id: b, count: attempts, tools: [pay], scope: turn, action: ask, max: #}]\n",
];
const ROWS: &[&str] = &[
    "'world.rows[args.note]'",
    "{value: 'world.rows[args.note]', missing: There is none.}",
    "{value: 'world.?rows.?a.orValue(null)', missing: There is none.}",
    "'world.?rows.?a.orValue(null)'",
];
const HALVES: &[&str] = &["world.limit", "args.to.x", "#", "{value: world.limit, missing: There is no limit.}"];
const LISTS: &[&str] = &["world.names", "world.others", "{value: world.names, missing: There are none.}"];

/// How many choices there are at each place.
fn places() -> Vec<usize> {
    let mut places = vec![SCHEMAS.len(), REQUIRED.len(), NOTES.len(), OBJECTS.len(), KINDS.len(), CLOSED.len()];
    places.extend([EFFECTS.len(), NAMES.len(), EXTRAS.len(), TOPS.len(), FLOWS.len(), BUDGETS.len()]);
    places.extend([ROWS.len(), HALVES.len(), LISTS.len(), 4, 2, 4]);
    for _ in 0..3 {
        places.extend([GUARDS.len() + 6, CONDITIONS.len(), CONDITIONS.len(), ACTIONS.len(), MISSING.len()]);
        places.extend([ABOUT.len(), 4]);
    }
    places
}

fn drafts() -> impl Strategy<Value = Draft> {
    places().into_iter().map(|most| 0..most).collect::<Vec<_>>()
}

/// The text of a spec.
fn written(draft: &Draft) -> String {
    let mut at = 0;
    let mut next = || {
        at += 1;
        draft[at - 1]
    };
    let schema = SCHEMAS[next()];
    let (required, note, object, kind, closed) =
        (REQUIRED[next()], NOTES[next()], OBJECTS[next()], KINDS[next()], CLOSED[next()]);
    let (effect, name, extra, top, flow, budget) =
        (EFFECTS[next()], NAMES[next()], EXTRAS[next()], TOPS[next()], FLOWS[next()], BUDGETS[next()]);
    let (row, half, list, number, looks, cap) =
        (ROWS[next()], HALVES[next()], LISTS[next()], next(), ["look", "view"][next()], next());
    let numbered = |text: &str, number: usize| text.replace('#', &number.to_string());
    let mut text = format!(
        "agentspec: 1\nid: desk\npersona: A.\nparams: {{cap: {cap}, looks: {looks}}}\nlet:\n  row: {row}\n  half: {half}\n  names: {list}\n{top}"
    );
    text += &format!(
        "tools:\n  look: {{effect: read, parameters: {{type: object, properties: {{id: {{type: string}}}}}}}}\n  view: {{effect: read, parameters: {{type: object, properties: {{id: {{type: string}}}}}}}}\n  {name}:\n    {{effect: {effect}{extra}, parameters: {{type: object{closed}, required: {required}, properties: {{{schema}, note: {note}, flag: {{type: [boolean, 'null']}}, tags: {{type: array, items: {{type: string}}}}, to: {object}, kind: {kind}}}}}}}\n"
    );
    text = numbered(&text, number);
    text += flow;
    text += &numbered(budget, number);
    text += "guards:\n  preTool:\n    - {id: odd, tools: [look], check: \"args.?id.orValue('a') != 'odd'\", prose: p, correction: Do c.}\n";
    for id in ["g", "h", "i"] {
        let (guard, one, two) = (next(), CONDITIONS[next()], CONDITIONS[next()]);
        let (action, missing, about, number) = (ACTIONS[next()], MISSING[next()], ABOUT[next()], next());
        let Some(guard) = GUARDS.get(guard) else { continue };
        let guard = numbered(guard, number).replace('@', &format!("({})", numbered(one, number)));
        let guard = guard.replace('%', &format!("({})", numbered(two, number)));
        text += &format!("    - {{id: {id}, {about}, {guard}{action}{missing}}}\n");
    }
    text
}

fn compiled(text: &str) -> Result<(Spec, Policy), String> {
    let sources = Sources::new("desk.yaml", text.to_owned());
    let parsed = crate::spec::parse(&sources);
    let told = || parsed.diagnostics.iter().map(|problem| problem.one_line(&sources)).collect::<Vec<_>>().join("\n");
    let spec = parsed.spec.as_ref().ok_or_else(told)?;
    let policy = crate::policy::compile(spec)
        .map_err(|problems| problems.iter().map(|problem| problem.one_line(&sources)).collect::<Vec<_>>().join("\n"))?;
    Ok((parsed.spec.unwrap(), policy))
}

fn json(text: &str) -> Value<'static> {
    parse(text.as_bytes(), &Limits::default()).unwrap().into_owned()
}

/// Scenes out of a product of what each part of one can be, in an order that mixes them.
fn grid() -> Vec<Scene> {
    let parts: [&[&str]; 6] = [
        &[r#","amount":1"#, "", r#","amount":0"#, r#","amount":2.5"#, r#","amount":7"#, r#","amount":2"#],
        &[r#","note":"a""#, "", r#","note":"b""#, r#","note":null"#, r#","note":"""#],
        &["", r#","flag":null"#, r#","flag":true"#, r#","flag":false"#],
        &["", r#","tags":[]"#, r#","tags":["a"]"#, r#","tags":["b","a"]"#],
        &[r#","to":{"x":2}"#, "", r#","to":{}"#, r#","to":{"x":0}"#, r#","to":{"x":2,"y":1}"#],
        &["", r#","kind":"a""#, r#","kind":2"#, r#","kind":true"#, r#","kind":2,"more":1"#],
    ];
    let worlds = [
        r#"{"limit":2,"rows":{"a":{"total":2,"open":true},"b":{"total":5,"open":false}},"name":"a","names":["a"],"others":["b"],"tags":["a"],"a.b":1,"a":{"b":2}}"#,
        "{}",
        r#"{"limit":7,"rows":{"a":null,"b":{"open":null}},"name":null,"names":"a","tags":"a","a":{"b":1}}"#,
        r#"{"rows":{"a":{"total":1,"open":true}},"name":"b","tags":[],"others":["a"],"a.b":0}"#,
    ];
    let look = |id: &str, in_new_turn| Earlier {
        tool: "look".to_owned(),
        args: json(&format!(r#"{{"id":"{id}"}}"#)),
        result: json(r#"{"ok":true}"#),
        in_new_turn,
    };
    let view = Earlier { tool: "view".to_owned(), ..look("a", false) };
    let befores = [vec![], vec![look("a", false)], vec![look("b", false), look("a", true)], vec![view]];
    let mut scenes = Vec::new();
    let mut seed = 7_usize;
    let mut pick = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    for number in 0..240 {
        // The plainest of each part more often than the others.
        let args: String = parts.iter().map(|part| part[pick(part.len() + 2).saturating_sub(2)]).collect();
        let mut earlier = befores[pick(befores.len())].clone();
        let args = json(&format!("{{{}}}", args.trim_start_matches(',')));
        if number % 5 == 0 {
            let again = pick(2) == 1;
            let before = json(r#"{"amount":1,"note":"a","to":{"x":2}}"#);
            let before = if again { args.clone() } else { before };
            earlier.push(Earlier {
                tool: "pay".to_owned(),
                args: before,
                result: json("{}"),
                in_new_turn: pick(2) == 1,
            });
        }
        scenes.push(Scene {
            world: json(worlds[pick(worlds.len() + 1).saturating_sub(1)]),
            user: [Some("u1".to_owned()), None, Some("a".to_owned())][pick(3)].clone(),
            roles: [vec![], vec!["boss".to_owned()]][pick(2)].clone(),
            attributes: json("{}"),
            is_typed: pick(3) == 0,
            earlier,
            tool: "pay".to_owned(),
            args,
            in_new_turn: pick(3) == 0,
        });
    }
    scenes
}

/// What is said of the call of a scene: the answer, who is asked, and what denies or asks.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    answer: Answer,
    by: String,
    codes: BTreeSet<String>,
    /// True if it came to the guards.
    is_judged: bool,
}

/// `None` where an earlier call of the scene did not run.
fn said(policy: &Policy, scene: &Scene) -> Option<Said> {
    let mut play = Play::before(policy, scene)?;
    let call = Call { id: "last".into(), tool: scene.tool.clone().into(), args: scene.args.clone(), cwd: None };
    let decided = play.tell(Body::ToolProposed(call))?;
    let Decision::Call(CallDecision { verdict, .. }) = &*decided else { return None };
    let plain = |answer| Said { answer, by: String::new(), codes: BTreeSet::new(), is_judged: true };
    Some(match verdict {
        Verdict::Allow(_) => plain(Answer::Allow),
        Verdict::Defer(_) => plain(Answer::Defer),
        Verdict::Ask(ask) => {
            let also = ask.also.iter().map(|matched| matched.guard.to_string());
            let codes = also.chain([ask.guard.to_string()]).collect();
            Said { by: ask.by.to_string(), codes, ..plain(Answer::Ask) }
        }
        Verdict::Deny(deny) => {
            let codes: BTreeSet<String> =
                std::iter::once(&deny.first).chain(&deny.also).map(|matched| matched.guard.to_string()).collect();
            let gates = ["invalid_arguments", "unknown_tool", "invalid_rewrite", "stop"];
            let is_judged = !codes.iter().any(|code| gates.contains(&code.as_str()));
            Said { codes, is_judged, ..plain(Answer::Deny) }
        }
        Verdict::Answer(_) | Verdict::Need(_) => return None,
    })
}

fn is_told(comparison: &Comparison, from: &Said, to: &Said) -> bool {
    // A budget that is told stands for whatever it stood against, and who is asked may follow from what is told.
    let is_same = from.answer == to.answer;
    let is_it = |change: &crate::diff::Change| {
        let is_budget = change.by == "b" || from.codes.union(&to.codes).any(|code| *code == change.by);
        (change.from, change.to) == (from.answer, to.answer)
            || is_budget && (is_same || change.loosens() == (to.answer < from.answer))
    };
    !comparison.undecided.is_empty() || comparison.changes.iter().any(is_it)
}

/// Two versions against the grid.
fn compared(one: &(Spec, Policy), two: &(Spec, Policy), scenes: &[Scene]) -> Result<(), String> {
    let comparison = compare((&one.0, &one.1), (&two.0, &two.1));
    for scene in scenes {
        let (Some(from), Some(to)) = (said(&one.1, scene), said(&two.1, scene)) else { continue };
        if (from.answer, &from.by) != (to.answer, &to.by) && !is_told(&comparison, &from, &to) {
            return Err(format!("{scene} in a new turn: {}\n{from:?}\n{to:?}\n{comparison:?}", scene.in_new_turn));
        }
    }
    for change in &comparison.changes {
        let (from, to) = (said(&one.1, &change.scene), said(&two.1, &change.scene));
        if from.as_ref().map(|said| said.answer) != Some(change.from) || to.map(|said| said.answer) != Some(change.to) {
            return Err(format!("{change:?}"));
        }
    }
    Ok(())
}

/// What is proved of one spec against the grid.
fn proved((spec, policy): &(Spec, Policy), scenes: &[Scene]) -> Result<(), String> {
    let proofs = Proofs::of(spec, policy);
    let Some((_, calls)) = proofs.tools.iter().find(|(tool, _)| tool.name.matches("pay")) else { return Ok(()) };
    let opinions: Vec<_> = calls.opinions.iter().filter(|one| ["g", "h", "i"].contains(&&*one.code)).collect();
    let all: Vec<Said> = scenes.iter().filter_map(|scene| said(policy, scene)).collect();
    let idle = opinions.iter().filter(|one| calls.is_impossible(&[&one.opposes()]));
    for one in idle {
        if let Some(said) = all.iter().find(|said| said.codes.contains(&*one.code)) {
            return Err(format!("{} never fires: {said:?}", one.code));
        }
    }
    for (one, other) in opinions.iter().flat_map(|one| opinions.iter().map(move |other| (one, other))) {
        if one.code == other.code || !calls.is_impossible(&[&one.opposes(), &other.denies.not()]) {
            continue;
        }
        let is_alone = |said: &&Said| said.codes.contains(&*one.code) && !said.codes.contains(&*other.code);
        if let Some(said) = all.iter().find(is_alone) {
            return Err(format!("{} is shadowed by {}: {said:?}", one.code, other.code));
        }
    }
    let passes: Vec<_> = opinions.iter().map(|one| one.denies.not()).collect();
    let is_shut = calls.is_impossible(&passes.iter().collect::<Vec<_>>());
    // A let that is missing denies under its own name.
    let runs = |said: &&Said| said.is_judged && said.answer != Answer::Deny;
    match all.iter().find(runs).filter(|_| is_shut && policy.mode == crate::spec::Mode::Enforce) {
        Some(said) => Err(format!("contradicting: {said:?}")),
        None => Ok(()),
    }
}

/// A version, and the same with what stands at one or two places replaced.
fn pairs() -> impl Strategy<Value = (Draft, Draft)> {
    let places = places().len();
    (drafts(), drafts(), proptest::collection::vec(0..places, 1..3)).prop_map(|(old, other, at)| {
        let mut new = old.clone();
        at.into_iter().for_each(|at| new[at] = other[at]);
        (old, new)
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        max_global_rejects: 4096,
        rng_seed: RngSeed::Fixed(SEED),
        ..ProptestConfig::with_cases(CASES)
    })]

    #[test]
    fn what_the_engines_decide_otherwise_is_told_and_what_is_proved_holds((old, new) in pairs()) {
        let (old, new) = (written(&old), written(&new));
        // What contradicts itself is an error, and is compared with nothing.
        let (Ok(one), Ok(two)) = (compiled(&old), compiled(&new)) else { return Err(TestCaseError::reject("has errors")) };
        let scenes = grid();
        for version in [&one, &two] {
            if let Err(problem) = proved(version, &scenes) {
                prop_assert!(false, "{}\n{}\n{}", problem, old, new);
            }
        }
        if let Err(problem) = compared(&one, &two, &scenes) {
            prop_assert!(false, "{}\n{}\n{}", problem, old, new);
        }
    }
}
