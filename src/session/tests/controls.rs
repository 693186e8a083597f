//! The controls of a run: refused calls in a row, calls of one step, and text beside calls.

use super::{Desk, policy, unplaced, verdicts};
use crate::decision::{Decision, Verdict};
use crate::event::{Body, Event, Opening, read};
use crate::policy::Policy;
use crate::session::{Change, Said, Session, decide, explain};
use proptest::prelude::*;
use std::sync::LazyLock;

const RULES: &str = "\
tools:
  pay: {effect: external, parameters: {type: object, properties: {n: {type: integer}}}}
  look: {effect: read, idempotency: {key: args.id}}
guards:
  preTool:
    - {id: cap, tools: [pay], kind: argRange, with: {arg: n, max: 5}}
    - {id: big, tools: [pay], kind: argRange, action: ask, with: {arg: n, max: 3}}
";

fn with(controls: &str) -> Policy {
    policy(&format!("{RULES}controls: {{auto: {{noDuplicateCall: false}}, {controls}}}\n"))
}

fn observing(controls: &str) -> Policy {
    policy(&format!("mode: observe\n{RULES}controls: {{auto: {{noDuplicateCall: false}}, {controls}}}\n"))
}

/// What a call is to come to.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Allowed,
    Capped,
    Asked,
    Unknown,
    Misfit,
    /// It repeats a success and is answered.
    Answered,
}

impl Kind {
    fn is_refused(self) -> bool {
        matches!(self, Kind::Capped | Kind::Unknown | Kind::Misfit)
    }

    fn call(self) -> (&'static str, &'static str) {
        match self {
            Kind::Allowed => ("pay", r#"{"n":1}"#),
            Kind::Capped => ("pay", r#"{"n":9}"#),
            Kind::Asked => ("pay", r#"{"n":4}"#),
            Kind::Unknown => ("sell", "{}"),
            Kind::Misfit => ("pay", r#"{"n":"x"}"#),
            Kind::Answered => ("look", r#"{"id":"A"}"#),
        }
    }
}

/// What happens: a batch of calls, or a new turn.
type Act = Option<Vec<Kind>>;

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let kind = prop_oneof![
        2 => Just(Kind::Allowed),
        4 => Just(Kind::Capped),
        1 => Just(Kind::Asked),
        2 => Just(Kind::Unknown),
        1 => Just(Kind::Misfit),
        1 => Just(Kind::Answered),
    ];
    let batch = prop::collection::vec(kind, 1..5).prop_map(Some);
    prop::collection::vec(prop_oneof![6 => batch, 1 => Just(None)], 1..12)
}

/// A desk whose `look` of A has succeeded.
fn desk(policy: &Policy) -> Desk<'_> {
    let mut desk = Desk::open(policy);
    desk.call("first", "look", r#"{"id":"A"}"#);
    desk.result("first", "1");
    desk
}

fn batch(kinds: &[Kind], number: usize) -> String {
    let calls: Vec<String> = kinds
        .iter()
        .enumerate()
        .map(|(at, kind)| {
            let (tool, args) = kind.call();
            format!(r#"{{"id":"c{number}-{at}","tool":"{tool}","args":{args}}}"#)
        })
        .collect();
    calls.join(",")
}

/// The name, the code and the stop of a verdict, and of what it would be.
fn told(verdict: &Verdict) -> (&'static str, &str, Option<&'static str>) {
    match verdict {
        Verdict::Deny(deny) => ("deny", &deny.first.code, deny.stop_reason()),
        other => (other.name(), "", None),
    }
}

/// What is seen of a call by the rules of refused calls in a row.
fn streak_of(verdict: &Verdict, observes: bool) -> (bool, bool) {
    let seen = match verdict {
        Verdict::Allow(allow) if observes => allow.would.as_deref(),
        other => Some(other),
    };
    let (_, code, stop) = seen.map(told).unwrap_or_default();
    (code == "veto_streak", stop == Some("veto_streak"))
}

/// The model of the rule: whether each call is denied for the streak, and whether the run stops with it.
fn modelled(acts: &[Act], most: u64) -> Vec<(bool, bool)> {
    let (mut row, mut seen) = (0, Vec::new());
    for act in acts {
        let Some(kinds) = act else {
            row = 0;
            continue;
        };
        for kind in kinds {
            let is_over = row >= most;
            if !is_over && kind.is_refused() {
                row += 1;
            }
            if !is_over && *kind == Kind::Allowed {
                row = 0;
            }
            seen.push((is_over, row >= most));
        }
    }
    seen
}

fn seen(policy: &Policy, acts: &[Act], at_once: bool, observes: bool) -> Vec<(bool, bool)> {
    let (mut desk, mut seen) = (desk(policy), Vec::new());
    for (number, act) in acts.iter().enumerate() {
        match act {
            None => _ = desk.say(r#""type":"turnStarted""#),
            Some(kinds) if at_once => {
                let decision = desk.say(&format!(r#""type":"modelTurn","calls":[{}]"#, batch(kinds, number)));
                seen.extend(verdicts(&decision).iter().map(|(_, verdict)| streak_of(verdict, observes)));
            }
            Some(kinds) => {
                for (at, kind) in kinds.iter().enumerate() {
                    let (tool, args) = kind.call();
                    seen.push(streak_of(&desk.call(&format!("c{number}-{at}"), tool, args), observes));
                }
            }
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn refused_calls_in_a_row_end_the_turn_as_the_model_of_the_rule_says(acts in acts(), most in 1..5_u64) {
        let policy = with(&format!("vetoStreak: {most}"));
        let wanted = modelled(&acts, most);
        prop_assert_eq!(seen(&policy, &acts, true, false), wanted.clone(), "at once");
        prop_assert_eq!(seen(&policy, &acts, false, false), wanted, "one after another");
    }

    #[test]
    fn observing_says_the_same_and_lets_every_call_run(acts in acts(), most in 1..5_u64) {
        // A repeat is not answered where nothing is kept from running, and an ask is none.
        let acts: Vec<Act> = acts.into_iter().map(|act| act.map(|kinds| {
            kinds.into_iter().filter(|kind| !matches!(kind, Kind::Answered | Kind::Asked)).collect()
        })).collect();
        let policy = observing(&format!("vetoStreak: {most}"));
        prop_assert_eq!(seen(&policy, &acts, true, true), modelled(&acts, most));
        let mut desk = desk(&policy);
        for (number, kinds) in acts.iter().enumerate().filter_map(|(number, act)| Some((number, act.as_ref()?))) {
            let decision = desk.say(&format!(r#""type":"modelTurn","text":"So.","calls":[{}]"#, batch(kinds, number)));
            prop_assert!(verdicts(&decision).iter().all(|(_, verdict)| verdict.name() == "allow"));
            let drops = matches!(&*decision, Decision::Calls { beside: Some(_), .. });
            prop_assert!(!drops);
        }
    }

    #[test]
    fn of_a_step_the_first_calls_are_judged_as_if_they_were_all(kinds in prop::collection::vec(acts(), 1), most in 1..4_usize) {
        let (bounded, free) = (with(&format!("callsPerStep: {most}")), with(""));
        let (mut one, mut two) = (desk(&bounded), desk(&free));
        for (number, kinds) in kinds.concat().iter().enumerate().filter_map(|(number, act)| Some((number, act.as_ref()?))) {
            let first = &kinds[..kinds.len().min(most)];
            let bounded = one.say(&format!(r#""type":"modelTurn","calls":[{}]"#, batch(kinds, number)));
            let free = two.say(&format!(r#""type":"modelTurn","calls":[{}]"#, batch(first, number)));
            let (bounded, free) = (verdicts(&bounded), verdicts(&free));
            let same = |all: &[(String, Verdict)]| all.iter().map(|(call, one)| (call.clone(), unplaced(one))).collect::<Vec<_>>();
            prop_assert_eq!(same(&bounded[..first.len()]), same(&free));
            prop_assert!(bounded[first.len()..].iter().all(|(_, verdict)| told(verdict) == ("deny", "calls_per_step", None)));
        }
    }
}

#[test]
fn without_the_control_no_row_is_too_long_and_nothing_is_kept_of_it() {
    let policy = with("");
    let mut desk = desk(&policy);
    for number in 0..50 {
        let (tool, args) = Kind::Capped.call();
        assert_eq!(told(&desk.call(&format!("c{number}"), tool, args)), ("deny", "cap", None));
    }
    let event = Event::call("last", "s1", "last", "sell", crate::value::Value::Object(crate::value::Object::new()));
    let step = decide(&policy, &desk.session, &event);
    assert!(!step.changes().iter().any(|change| matches!(change, Change::Vetoes(_))));
}

#[test]
fn an_allowed_call_changes_nothing_of_a_row_that_is_none() {
    let policy = with("vetoStreak: 2");
    let desk = Desk::open(&policy);
    let line =
        br#"{"v":"flyball/1","id":"e1","session":"s1","type":"toolProposed","call":"c1","tool":"pay","args":{"n":1}}"#;
    let step = decide(&policy, &desk.session, &read(line).unwrap());
    assert!(!step.changes().iter().any(|change| matches!(change, Change::Vetoes(_))));
}

#[test]
fn the_reply_of_a_stop_is_the_authors_else_one_that_is_always_there() {
    let reply = |rules: &str| {
        let policy = policy(&format!("params: {{line: 17}}\n{RULES}{rules}"));
        let mut desk = Desk::open(&policy);
        let (tool, args) = Kind::Capped.call();
        let Verdict::Deny(deny) = desk.call("c1", tool, args) else { panic!("not denied") };
        deny.stop.map(|stop| (stop.reason, stop.reply.to_string()))
    };
    let own = "vetoStreak: 1, exhaustionReply: 'Call {params.line}, {{always} please.'";
    assert_eq!(reply(&format!("controls: {{{own}}}\n")), Some(("veto_streak", "Call 17, {always} please.".to_owned())));
    let (reason, built_in) = reply("controls: {vetoStreak: 1}\n").unwrap();
    assert!(reason == "veto_streak" && built_in.starts_with("I could not finish this"), "{built_in}");
    let spent = "budgets: [{id: none, count: calls, max: 0, action: stop}]\ncontrols: {exhaustionReply: Enough.}\n";
    assert_eq!(reply(spent), Some(("max_tool_calls", "Enough.".to_owned())));
    assert_eq!(reply("controls: {vetoStreak: 2, exhaustionReply: Enough.}\n"), None);
}

#[test]
fn what_a_control_denies_is_explained() {
    let policy = with("vetoStreak: 2, callsPerStep: 2, textWithCalls: deny");
    let mut desk = Desk::open(&policy);
    let line = |id: &str, members: &str| {
        format!(r#"{{"v":"flyball/1","id":"{id}","session":"s1","type":"modelTurn",{members}}}"#)
    };
    let explained = |session: &Session, line: &str| -> Vec<Vec<(String, Said, String)>> {
        let explanation = explain(&policy, session, &read(line.as_bytes()).unwrap());
        let controls = ["veto_streak", "calls_per_step", "text_with_calls"];
        let of = |call: &crate::session::CallExplanation| {
            let judgements = call.judgements.iter().filter(|judgement| controls.contains(&&*judgement.by));
            judgements.map(|one| (one.by.to_string(), one.said, one.reads[0].value.clone())).collect()
        };
        explanation.calls.iter().map(of).collect()
    };
    let told = |by: &str, said, read: &str| (by.to_owned(), said, read.to_owned());
    let both = [Kind::Allowed, Kind::Capped, Kind::Allowed];
    assert_eq!(
        explained(&desk.session, &line("x1", &format!(r#""calls":[{}]"#, batch(&both, 1)))),
        [
            vec![told("calls_per_step", Said::Pass, "1, at most 2")],
            vec![told("calls_per_step", Said::Pass, "2, at most 2"), told("veto_streak", Said::Pass, "1 of 2")],
            vec![told("calls_per_step", Said::Fires, "3, at most 2")],
        ]
    );
    let beside = line("x2", &format!(r#""text":"So.","calls":[{}]"#, batch(&both[..1], 2)));
    assert_eq!(
        explained(&desk.session, &beside),
        [[told("text_with_calls", Said::Fires, "yes"), told("veto_streak", Said::Pass, "1 of 2")]]
    );
    for number in [3, 4] {
        let (tool, args) = Kind::Capped.call();
        desk.call(&format!("c{number}"), tool, args);
    }
    let later = line("x3", &format!(r#""calls":[{}]"#, batch(&both[..1], 5)));
    assert_eq!(explained(&desk.session, &later), [[told("veto_streak", Said::Fires, "2 of 2")]]);
}

#[test]
fn an_event_that_the_session_refuses_counts_for_no_row() {
    let policy = with("vetoStreak: 1");
    let opening = Event::new("open", "s1", Body::SessionOpened(Opening::default()));
    let (mut session, step) = Session::open(&policy, &opening).unwrap();
    session.commit(step).unwrap();
    session.commit(decide(&policy, &session, &Event::new("e1", "s1", Body::SessionClosed))).unwrap();
    let line = br#"{"v":"flyball/1","id":"e2","session":"s1","type":"modelTurn","text":"So.","calls":[{"id":"c1","tool":"pay"}]}"#;
    let step = decide(&policy, &session, &read(line).unwrap());
    assert!(!step.changes().iter().any(|change| matches!(change, Change::Vetoes(_))));
    assert_eq!(told(&verdicts(step.decision())[0].1), ("deny", "session_closed", None));
    assert!(matches!(step.decision(), Decision::Calls { beside: Some(_), .. }));
}

static DROPPING: LazyLock<Policy> = LazyLock::new(|| with("textWithCalls: drop"));

#[test]
fn text_is_dropped_only_where_there_is_text_and_a_call() {
    let cases = [
        (r#""calls":[{"id":"c1","tool":"pay"}]"#, false),
        (r#""text":"","calls":[{"id":"c1","tool":"pay"}]"#, false),
        (r#""text":" \n\t\u200b","calls":[{"id":"c1","tool":"pay"}]"#, false),
        (r#""text":"Let me look.","calls":[]"#, false),
        (r#""text":"Let me look.","calls":[{"id":"c1","tool":"pay"}]"#, true),
        (r#""calls":[{"id":"c1","tool":"sell"}],"text":".""#, true),
    ];
    let plain = with("");
    for (members, wanted) in cases {
        for policy in [&plain, &DROPPING] {
            let line = format!(r#"{{"v":"flyball/1","id":"e9","session":"s1","type":"modelTurn",{members}}}"#);
            let answer = Desk::open(policy).line(line.as_bytes());
            assert_eq!(answer.contains(r#""text":"drop""#), wanted, "{members}: {answer}");
        }
    }
}
