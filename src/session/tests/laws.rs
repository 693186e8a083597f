//! Laws of deciding, each over many conversations: purity, order, repeats, budgets, replay.

use super::{Desk, is_allowed, opened, policy, undigested, unplaced, verdict, verdicts};
use crate::decision::{Decision, Verdict};
use crate::event::{Event, read};
use crate::json::{Limits, parse};
use crate::observed::part_hash;
use crate::policy::Policy;
use crate::session::{Session, decide};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

const RULES: &str = "
world: {stale: deny}
grants: {effects: [read, write]}
tools:
  get: {effect: read, parameters: {type: object, properties: {id: {type: string}, n: {type: integer, default: 1}}}}
  list: {effect: read}
  pay: {effect: write, coerce: true, parameters: {type: object, properties: {id: {type: string}, n: {type: integer}}}}
  send: {effect: external}
  mail: {effect: write, idempotency: {key: args.?id.orValue('none')}}
flow:
  - {id: look-first, from: get, to: pay, same: id}
  - {id: listed, from: list, to: pay, same: {id: 'result[].id'}, within: 2 turns}
  - {id: look-again, from: [get, list], to: pay, same: id, fresh: true}
";

const GUARDS: &[&str] = &[
    "{id: cap, tools: [pay], kind: argRange, with: {arg: n, max: 2}}",
    "{id: form, tools: [pay, get], kind: argFormat, missing: skip, with: {arg: id, pattern: '[AB]'}}",
    "{id: some, tools: [pay], kind: argRequired, with: {arg: id}}",
    "{id: open, tools: [pay], kind: precondition, missing: skip, with: {check: world.open}}",
    "{id: few, tools: [pay], kind: maxCalls, with: {max: 2}}",
    "{id: watch, kind: argOneOf, action: audit, missing: skip, with: {arg: id, not: [B]}}",
    "{id: quiet, tools: [send], kind: forbid}",
    "{id: big, tools: [pay, mail], kind: argRange, missing: skip, action: ask, with: {arg: n, max: 1}}",
    "{id: user-b, tools: [get, mail], when: args.id == 'B', missing: skip, action: ask, by: user, prose: B is asked about}",
    "{id: told, kind: argOneOf, missing: skip, action: warn, with: {arg: id, not: [A]}}",
    "{id: unsure, tools: [mail], when: args.n > 0, action: warn, onFailure: ask, prose: a number, correction: Give a number.}",
];

/// What judges results and replies: a reply is refused for its words, for its claims, and by a guard that cannot judge.
const REPLIES: &str = "
  postTool: [{id: none, tools: [list], check: size(result) > 0, prose: something is listed, correction: Say that there is none.}]
  onReply:
    - {id: plain, check: '!reply.text.contains(\"promise\")', prose: promise nothing, correction: Promise nothing.}
    - {id: brief, action: audit, check: size(reply.text) < 9}
    - {id: while-open, when: has(world.open), check: world.open, prose: only while open, correction: Say that it is closed.}
chains: [{after: mail, call: list}]
";

const BUDGETS: &str = "budgets: [{id: all, count: calls, max: 12}, {id: tries, count: attempts, tools: [pay], max: 9}]";

fn with_guards<'g>(guards: impl IntoIterator<Item = &'g str>) -> Policy {
    let listed: String = guards.into_iter().map(|guard| format!("    - {guard}\n")).collect();
    policy(&format!("{RULES}guards:\n  preTool:\n{listed}{REPLIES}{BUDGETS}\n"))
}

pub(super) static POLICY: LazyLock<Policy> = LazyLock::new(|| with_guards(GUARDS.iter().copied()));

/// What a host says, without the envelope.
fn steps() -> impl Strategy<Value = String> {
    let args = prop_oneof![
        Just("{}".to_owned()),
        ("[ABC]", 0..4).prop_map(|(id, n)| format!(r#"{{"id":"{id}","n":{n}}}"#)),
        ("[AB]", 1..3).prop_map(|(id, n)| format!(r#"{{"n":"{n}","id":"{id}"}}"#)),
        "[AB]".prop_map(|id| format!(r#"{{"id":"{id}"}}"#)),
    ];
    let tool = prop_oneof![3 => Just("get"), 1 => Just("list"), 4 => Just("pay"), 3 => Just("mail"), 1 => Just("send"), 1 => Just("gte")];
    let call = (0..30, tool, args).prop_map(|(id, tool, args)| (format!("c{id}"), tool, args));
    let in_batch =
        |(id, tool, args): (String, &str, String)| format!(r#"{{"id":"{id}","tool":"{tool}","args":{args}}}"#);
    let ended = prop_oneof![
        4 => Just(r#""result":[{"id":"A"},{"id":"B"}]"#),
        1 => Just(r#""result":[]"#),
        1 => Just(r#""error":"no""#),
        1 => Just(r#""error":"no","effect":false"#),
        1 => Just(r#""outcome":"timed_out""#),
        1 => Just(r#""result":{"a":1,"a":2}"#),
    ];
    let world = prop_oneof![
        Just("{}"),
        Just(r#"{"open":true}"#),
        Just(r#"{"open":false,"other":1}"#),
        Just(r#"{"open":null}"#)
    ];
    prop_oneof![
        6 => call.clone().prop_map(|(id, tool, args)| format!(r#""type":"toolProposed","call":"{id}","tool":"{tool}","args":{args}"#)),
        2 => prop::collection::vec(call.prop_map(in_batch), 0..4).prop_map(|calls| format!(r#""type":"modelTurn","calls":[{}]"#, calls.join(","))),
        6 => (0..30, ended).prop_map(|(id, ended)| format!(r#""type":"toolFinished","call":"c{id}",{ended}"#)),
        1 => (0..30).prop_map(|id| format!(r#""type":"toolStarted","call":"c{id}""#)),
        1 => (0..3).prop_map(|turn| format!(r#""type":"turnStarted","turn":{turn}"#)),
        1 => Just(r#""type":"turnStarted""#.to_owned()),
        1 => (world.clone(), any::<bool>()).prop_map(|(world, whole)| format!(r#""type":"worldChanged","{}":{world}"#, if whole { "world" } else { "worldPatch" })),
        1 => world.prop_map(|world| format!(r#""type":"sessionOpened","world":{world}"#)),
        1 => Just(r#""type":"turnEnded""#.to_owned()),
        3 => replies(),
    ]
}

/// What a model says to the user.
fn replies() -> impl Strategy<Value = String> {
    let text = prop_oneof![3 => Just("It is done."), 2 => Just("I promise."), 1 => Just(" "), 1 => Just("Done")];
    let claims = prop_oneof![
        4 => Just(""),
        1 => Just(r#","claims":[]"#),
        1 => Just(r#","claims":[{"op":"list","outcome":"no_op"},{"op":"pay","target":"A","outcome":"success","amount":1}]"#),
    ];
    prop_oneof![
        6 => (text, claims).prop_map(|(text, claims)| format!(r#""type":"replyProposed","text":"{text}"{claims}"#)),
        1 => Just(r#""type":"replyEnd""#.to_owned()),
        1 => Just(r#""type":"answers","answers":[]"#.to_owned()),
    ]
}

pub(super) fn conversations() -> impl Strategy<Value = Vec<String>> {
    let closing = prop::option::weighted(0.1, Just(r#""type":"sessionClosed""#.to_owned()));
    (prop::collection::vec(steps(), 1..40), closing, prop::collection::vec(steps(), 0..3)).prop_map(
        |(steps, close, after)| {
            let all = steps.into_iter().chain(close).chain(after).enumerate();
            all.map(|(number, step)| format!(r#"{{"v":"flyball/1","id":"e{number}","session":"s1",{step}}}"#)).collect()
        },
    )
}

/// The answers to the lines of a conversation.
fn answers(policy: &Policy, lines: &[String]) -> Vec<String> {
    let mut desk = Desk::open(policy);
    lines.iter().map(|line| desk.line(line.as_bytes())).collect()
}

fn codes(verdict: &Verdict) -> BTreeSet<&str> {
    let Verdict::Deny(deny) = verdict else { return BTreeSet::new() };
    deny.matches().map(|one| &*one.code).collect()
}

/// Who is asked, and by which rules.
fn asking(verdict: &Verdict) -> Option<(&str, BTreeSet<&str>)> {
    let Verdict::Ask(ask) = verdict else { return None };
    Some((ask.by, std::iter::once(&*ask.guard).chain(ask.also.iter().map(|one| &*one.guard)).collect()))
}

fn warned(verdict: &Verdict) -> BTreeSet<&str> {
    let Verdict::Allow(allow) = verdict else { return BTreeSet::new() };
    allow.warnings.iter().map(|one| &*one.guard).collect()
}

proptest! {
    #[test]
    fn deciding_twice_gives_the_same_step_and_changes_nothing(lines in conversations()) {
        let mut desk = Desk::open(&POLICY);
        for line in &lines {
            let event = read(line.as_bytes()).unwrap();
            let before = format!("{:?}", desk.session);
            let step = decide(&POLICY, &desk.session, &event);
            prop_assert_eq!(&decide(&POLICY, &desk.session, &event), &step);
            prop_assert_eq!(&decide(&POLICY, &desk.session.clone(), &event), &step);
            prop_assert_eq!(format!("{:?}", desk.session), before);
            let decision = step.decision().clone();
            prop_assert_eq!(&*desk.session.commit(step).unwrap(), &decision);
        }
    }

    #[test]
    fn the_same_lines_give_the_same_bytes(lines in conversations()) {
        let again = with_guards(GUARDS.iter().copied());
        prop_assert_eq!(answers(&POLICY, &lines), answers(&again, &lines));
    }

    #[test]
    fn a_repeated_event_gets_the_same_answer_and_changes_nothing(lines in conversations()) {
        let mut desk = Desk::open(&POLICY);
        let mut first = Vec::new();
        for line in &lines {
            first.push(desk.line(line.as_bytes()));
            prop_assert_eq!(&desk.line(line.as_bytes()), first.last().unwrap());
        }
        let undigested = |all: &[String]| all.iter().map(|one| undigested(one)).collect::<Vec<String>>();
        prop_assert_eq!(undigested(&first), undigested(&answers(&POLICY, &lines)));
        // What was rejected was not taken, and may be told again.
        let taken = || lines.iter().zip(&first).filter(|(_, answer)| !answer.contains(r#""decision":"reject""#));
        let untouched = desk.session.clone();
        for (line, answer) in taken() {
            prop_assert_eq!(&desk.line(line.as_bytes()), answer);
        }
        prop_assert_eq!(format!("{:?}", desk.session), format!("{untouched:?}"));
        for (line, _) in taken() {
            let other = desk.line(format!("{line} ").as_bytes());
            prop_assert!(other.contains(r#""code":"duplicate_event""#), "{}", other);
        }
        // Nothing but the ledger knows of what was rejected.
        (desk.session.version, desk.session.chain) = (untouched.version, untouched.chain.clone());
        prop_assert_eq!(format!("{:?}", desk.session), format!("{untouched:?}"));
    }

    #[test]
    fn a_rejected_or_refused_event_changes_nothing(lines in conversations()) {
        let mut desk = Desk::open(&POLICY);
        for line in &lines {
            let step = decide(&POLICY, &desk.session, &read(line.as_bytes()).unwrap());
            if matches!(step.decision(), Decision::Reject { .. } | Decision::Refuse { .. }) {
                prop_assert!(step.changes().is_empty(), "{}: {:?}", line, step.changes());
            }
            desk.session.commit(step).unwrap();
        }
    }

    #[test]
    fn a_batch_is_decided_as_its_calls_one_after_another(lines in conversations(), split in 0..40_usize) {
        let (before, after) = lines.split_at(split.min(lines.len()));
        let mut batched = Desk::open(&POLICY);
        before.iter().for_each(|line| _ = batched.line(line.as_bytes()));
        let mut single = batched.clone();
        let calls = after.iter().filter_map(|line| {
            let value = parse(line.as_bytes(), &Limits::default()).ok()?;
            Some((value.get("call")?.as_str()?.to_owned(), value.get("tool")?.as_str()?.to_owned(), crate::canon::to_text(value.get("args")?)))
        });
        // A batch has each id once.
        let mut named = BTreeSet::new();
        let calls: Vec<(String, String, String)> = calls.filter(|(id, _, _)| named.insert(id.clone())).collect();
        let listed: Vec<String> = calls.iter().map(|(id, tool, args)| format!(r#"{{"id":"{id}","tool":"{tool}","args":{args}}}"#)).collect();
        let at_once = batched.event(&read(format!(r#"{{"v":"flyball/1","type":"modelTurn","id":"b","session":"s1","calls":[{}]}}"#, listed.join(",")).as_bytes()).unwrap());
        for ((id, decided), (call, tool, args)) in verdicts(&at_once).into_iter().zip(&calls) {
            prop_assert_eq!(&id, call);
            single.said += 1000;
            prop_assert_eq!(unplaced(&single.call(call, tool, args)), unplaced(&decided));
        }
    }

    #[test]
    fn the_order_of_guards_changes_no_verdict_and_no_set_of_codes(
        lines in conversations(),
        shuffled in Just(GUARDS.to_vec()).prop_shuffle(),
    ) {
        let other = with_guards(shuffled.iter().copied());
        let (mut one, mut two) = (Desk::open(&POLICY), Desk::open(&other));
        for line in &lines {
            let event = read(line.as_bytes()).unwrap();
            let (left, right) = (one.event(&event), two.event(&event));
            let pairs: Vec<(Verdict, Verdict)> = match (&*left, &*right) {
                (Decision::Call(left), Decision::Call(right)) => vec![(left.verdict.clone(), right.verdict.clone())],
                (left @ Decision::Calls { .. }, right @ Decision::Calls { .. }) => {
                    verdicts(left).into_iter().zip(verdicts(right)).map(|(left, right)| (left.1, right.1)).collect()
                }
                (Decision::Reply(left), Decision::Reply(right)) => {
                    prop_assert_eq!(&left.verdict, &right.verdict);
                    prop_assert_eq!(&left.violations, &right.violations);
                    Vec::new()
                }
                (left, right) => {
                    prop_assert_eq!(left, right);
                    Vec::new()
                }
            };
            for (left, right) in pairs {
                prop_assert_eq!(left.name(), right.name());
                prop_assert_eq!(codes(&left), codes(&right));
                prop_assert_eq!(asking(&left), asking(&right));
                prop_assert_eq!(warned(&left), warned(&right));
            }
        }
    }

    #[test]
    fn the_guard_that_is_shown_is_the_first_of_the_file(shuffled in Just(GUARDS[..4].to_vec()).prop_shuffle()) {
        let all_fire = shuffled.iter().map(|guard| guard.replace("missing: skip, ", ""));
        let guards: Vec<String> = all_fire.collect();
        let listed: String = guards.iter().map(|guard| format!("    - {guard}\n")).collect();
        let policy = policy(&format!("tools: {{pay: {{effect: write}}, get: {{effect: read}}}}\nguards:\n  preTool:\n{listed}"));
        let Verdict::Deny(deny) = Desk::open(&policy).call("c1", "pay", "{}") else { panic!("not denied") };
        let shown: Vec<&str> = deny.matches().map(|one| &*one.code).collect();
        let written: Vec<&str> = guards.iter().map(|guard| guard.trim_start_matches("{id: ").split_once(',').unwrap().0).collect();
        prop_assert_eq!(shown, written);
    }

    #[test]
    fn the_order_in_which_a_batch_completes_changes_no_later_verdict(
        outcomes in prop::collection::vec(0..5_usize, 6),
        order in Just((0..6_usize).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        const ENDED: [&str; 5] =
            [r#""result":[{"id":"A"}]"#, r#""result":[]"#, r#""error":1"#, r#""error":1,"effect":false"#, r#""outcome":"interrupted""#];
        let policy = policy("
tools: {get: {effect: read}, put: {effect: write}, pay: {effect: external}}
flow: [{id: seen, from: get, to: pay, same: id}, {id: told, from: [get, put], to: pay, same: {id: 'result[].id'}}]
");
        let after = |order: &[usize]| {
            let mut desk = Desk::open(&policy);
            let calls: Vec<String> = (0..6).map(|n| format!(r#"{{"id":"c{n}","tool":"{}","args":{{"id":"{}"}}}}"#, if n % 3 == 0 { "put" } else { "get" }, ["A", "B", "C"][n / 2])).collect();
            desk.say(&format!(r#""type":"modelTurn","calls":[{}]"#, calls.join(",")));
            for n in order {
                desk.say(&format!(r#""type":"toolFinished","call":"c{n}",{}"#, ENDED[outcomes[*n]]));
            }
            let mut verdicts = Vec::new();
            for (number, id) in ["A", "B", "C"].into_iter().enumerate() {
                for tool in ["pay", "put"] {
                    verdicts.push(desk.call(&format!("{tool}{number}"), tool, &format!(r#"{{"id":"{id}"}}"#)));
                }
            }
            verdicts
        };
        prop_assert_eq!(after(&order), after(&[0, 1, 2, 3, 4, 5]));
    }

    #[test]
    fn noise_in_any_line_is_answered_and_never_a_panic(
        lines in conversations(),
        noise in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut lines: Vec<Vec<u8>> = lines.into_iter().map(String::into_bytes).collect();
        for (line, at, byte) in noise {
            let line = line.get_mut(&mut lines);
            *at.get_mut(line) = byte;
        }
        let mut desk = Desk::open(&POLICY);
        for line in &lines {
            let answer = desk.line(line);
            prop_assert!(parse(answer.as_bytes(), &Limits::default()).is_ok(), "{}", answer);
        }
    }

    #[test]
    fn what_is_kept_of_a_world_is_what_the_guards_would_see_of_all_of_it(worlds in prop::collection::vec((any::<bool>(), 0..6_usize), 1..8)) {
        const WORLDS: [&str; 6] = ["{}", r#"{"a":{"b":true},"c":1}"#, r#"{"a":null}"#, r#"{"a":{"b":false,"x":2}}"#, r#"{"a":1}"#, r#"{"a":{"b":null}}"#];
        let policy = policy("
tools: {act: {effect: write}}
guards: {preTool: [{id: b, kind: precondition, missing: skip, with: {check: world.a.b}}, {id: c, kind: precondition, missing: skip, with: {check: world.c == 1}}]}
");
        let mut desk = Desk::open(&policy);
        let mut world = crate::value::Value::Object(crate::value::Object::new());
        for (whole, which) in worlds {
            let change = parse(WORLDS[which].as_bytes(), &Limits::default()).unwrap();
            if whole { world = change.to_owned_value() } else { world.merge_patch(&change) }
            desk.say(&format!(r#""type":"worldChanged","{}":{}"#, if whole { "world" } else { "worldPatch" }, WORLDS[which]));
            prop_assert_eq!(&*desk.session.world, &policy.prune_world(&world));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a16_no_interleaving_of_batches_overshoots_and_all_that_is_left_is_given(
        groups in prop::collection::vec((1..6_usize, any::<bool>()), 1..10),
        max in 0..12_u64,
    ) {
        let policy = policy(&format!("tools: {{search: {{effect: read}}}}\nbudgets: [{{id: few, count: calls, max: {max}}}]\n"));
        let mut desk = Desk::open(&policy);
        let mut decided = Vec::new();
        for (size, at_once) in groups {
            let ids: Vec<String> = (0..size).map(|n| format!("c{}", decided.len() + n)).collect();
            if at_once {
                let calls: Vec<String> = ids.iter().map(|id| format!(r#"{{"id":"{id}","tool":"search","args":{{"q":"{id}"}}}}"#)).collect();
                decided.extend(verdicts(&desk.say(&format!(r#""type":"modelTurn","calls":[{}]"#, calls.join(",")))));
            } else {
                decided.extend(ids.into_iter().map(|id| {
                    let verdict = desk.call(&id, "search", &format!(r#"{{"q":"{id}"}}"#));
                    (id, verdict)
                }));
            }
            let done = decided.len() / 2;
            desk.result(&format!("c{done}"), "[]");
        }
        let max = usize::try_from(max).unwrap();
        for (number, (id, verdict)) in decided.iter().enumerate() {
            prop_assert_eq!(id, &format!("c{number}"));
            prop_assert_eq!(is_allowed(verdict), number < max, "{}", number);
        }
    }
}

#[test]
fn two_sessions_hash_one_value_differently_and_decide_the_same() {
    let rules =
        "tools: {get: {effect: read}, pay: {effect: write}}\nflow: [{id: seen, from: get, to: pay, same: id}]\n";
    let policy = policy(rules);
    let hash = |session: &Session| part_hash(&session.key, &"A".into());
    assert_ne!(hash(&opened(&policy, "s1")), hash(&opened(&policy, "s2")));
    assert_eq!(hash(&opened(&policy, "s1")), hash(&opened(&policy, "s1")));
    for name in ["s1", "s2"] {
        let mut session = opened(&policy, name);
        let mut say = |event: Event<'_>| {
            let step = decide(&policy, &session, &event);
            session.commit(step).unwrap()
        };
        let args = || crate::value::Object::of([("id", "A".into())]).into();
        say(Event::call("e1", name, "c1", "get", args()));
        assert_eq!(verdict(&say(Event::call("e2", name, "c2", "pay", args()))).denied_by(), Some("seen"));
        say(Event::result("e3", name, "c1", true.into()));
        assert!(is_allowed(&verdict(&say(Event::call("e4", name, "c4", "pay", args())))));
    }
}
