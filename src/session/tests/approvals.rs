//! Laws of approvals: nothing runs without a yes to exactly it, and nothing runs twice on one, in any order of events and
//! across restarts.

use super::policy;
use super::restored::Recorded;
use crate::policy::Policy;
use proptest::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

static DESK: LazyLock<Policy> = LazyLock::new(|| {
    policy(
        "
tools:
  pay: {effect: external, parameters: {type: object, properties: {to: {type: string}, n: {type: integer}}}}
  drop: {effect: write, parameters: {type: object, properties: {to: {type: string}, n: {type: integer}}}}
controls: {auto: {noDuplicateCall: false}}
guards:
  preTool:
    - {id: approver, tools: [pay], action: ask, prose: payments are approved}
    - {id: user, tools: [drop], action: ask, by: user, prose: the user agrees}
    - {id: closed, when: world.closed, missing: skip, prose: it is open, correction: It is closed.}
",
    )
});

/// What happens next.
#[derive(Clone, Debug)]
enum Act {
    /// A call is proposed, under an id, with one of three arguments and one of two numbers.
    Propose(u8, bool, u8, u8),
    /// Somebody answers about a call: granted or not, with the right digest or another's, edited or not.
    Decide(u8, bool, u8, bool),
    /// The user types the code of a call, or something beside it.
    Type(u8, bool),
    /// Minutes pass.
    Wait(u8),
    /// The world closes or opens.
    World(bool),
    /// The process stops, and goes on from its ledger.
    Restart,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (0..4_u8, any::<bool>(), 0..3_u8, 1..3_u8)
            .prop_map(|(call, pays, args, number)| Act::Propose(call, pays, args, number)),
        3 => (0..4_u8, any::<bool>(), 0..4_u8, prop::bool::weighted(0.2))
            .prop_map(|(call, granted, of, edits)| Act::Decide(call, granted, of, edits)),
        2 => (0..4_u8, prop::bool::weighted(0.8)).prop_map(|(call, whole)| Act::Type(call, whole)),
        1 => (1..20_u8).prop_map(Act::Wait),
        1 => prop::bool::weighted(0.3).prop_map(Act::World),
        1 => Just(Act::Restart),
    ];
    prop::collection::vec(act, 1..40)
}

/// What was asked and answered, as a reader of the wire sees it.
#[derive(Default)]
struct Seen {
    minute: u32,
    said: u32,
    /// By call: the digest that was asked about last, the code, tool and arguments.
    asked: BTreeMap<String, (String, Option<String>, String)>,
    /// The digests to which somebody said yes.
    granted: BTreeSet<String>,
    /// The digests that a call ran on.
    spent: BTreeSet<String>,
}

impl Seen {
    fn tell(&mut self, desk: &mut Recorded<'_>, members: &str) -> Value {
        self.said += 1;
        let at = format!("2031-03-04T{:02}:{:02}:00Z", 9 + self.minute / 60, self.minute % 60);
        serde_json::from_str(&desk.say(&format!("e{}", self.said), &format!(r#"{members},"at":"{at}""#))).unwrap()
    }

    fn propose(&mut self, desk: &mut Recorded<'_>, call: u8, pays: bool, args: u8) {
        self.propose_numbered(desk, call, pays, args, 1);
    }

    fn propose_numbered(&mut self, desk: &mut Recorded<'_>, call: u8, pays: bool, args: u8, number: u8) {
        let (tool, to) = (if pays { "pay" } else { "drop" }, ["A", "B", "C"][usize::from(args)]);
        let told =
            format!(r#""type":"toolProposed","call":"c{call}","tool":"{tool}","args":{{"to":"{to}","n":{number}}}"#);
        let answer = self.tell(desk, &told);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        if let Some(digest) = text(&answer["request"]["digest"]) {
            self.asked.insert(format!("c{call}"), (digest, text(&answer["request"]["code"]), format!("{tool} {to}")));
        }
        if answer["decision"] == "allow" {
            let digest = text(&answer["approval"]).expect("everything here is asked about");
            assert!(self.granted.contains(&digest), "nobody said yes to {digest}");
            assert!(self.spent.insert(digest), "a second call on one approval: {answer}");
        }
    }

    fn decide(&mut self, desk: &mut Recorded<'_>, call: u8, granted: bool, of: u8, edits: bool) {
        let Some((digest, _, _)) = self.asked.get(&format!("c{of}")).cloned() else { return };
        let edit = if granted && edits { r#","edit":{"n":2}"# } else { "" };
        let answer = self.tell(
            desk,
            &format!(
                r#""type":"approvalDecided","call":"c{call}","digest":"{digest}","granted":{granted},"approver":"ana"{edit}"#
            ),
        );
        for accepted in answer["calls"].as_array().into_iter().flatten().filter(|one| one["granted"] == true) {
            assert_eq!(call, of, "an answer to another request was taken");
            self.granted.insert(accepted["digest"].as_str().unwrap().to_owned());
        }
    }

    fn types(&mut self, desk: &mut Recorded<'_>, call: u8, whole: bool) {
        let asked = self.asked.get(&format!("c{call}")).and_then(|(_, code, _)| code.clone());
        let text = asked.map_or_else(|| "hello".to_owned(), |code| if whole { code } else { format!("not {code}") });
        let answer = self.tell(desk, &format!(r#""type":"turnStarted","text":"{text}""#));
        for consented in answer["consents"].as_array().into_iter().flatten() {
            assert!(whole, "`{text}` was taken for a consent");
            let (digest, _, _) = &self.asked[consented.as_str().unwrap()];
            self.granted.insert(digest.clone());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn nothing_runs_without_a_yes_to_it_and_nothing_twice_on_one(acts in acts()) {
        let (mut desk, mut seen) = (Recorded::open(&DESK), Seen::default());
        for act in acts {
            match act {
                Act::Propose(call, pays, args, number) => seen.propose_numbered(&mut desk, call, pays, args, number),
                Act::Decide(call, granted, of, edits) => seen.decide(&mut desk, call, granted, of, edits),
                Act::Type(call, whole) => seen.types(&mut desk, call, whole),
                Act::Wait(minutes) => seen.minute += u32::from(minutes),
                Act::World(closed) => _ = seen.tell(&mut desk, &format!(r#""type":"worldChanged","worldPatch":{{"closed":{closed}}}"#)),
                Act::Restart => desk = desk.again(),
            }
        }
    }
}

#[test]
fn the_law_sees_calls_that_run() {
    let (mut desk, mut seen) = (Recorded::open(&DESK), Seen::default());
    seen.propose(&mut desk, 0, true, 0);
    seen.decide(&mut desk, 0, true, 0, false);
    desk = desk.again();
    seen.propose(&mut desk, 0, true, 0);
    seen.propose(&mut desk, 1, false, 1);
    seen.types(&mut desk, 1, true);
    seen.propose(&mut desk, 2, false, 1);
    assert_eq!(seen.spent.len(), 2);
    // An edited call runs as it was edited.
    seen.propose(&mut desk, 3, true, 2);
    seen.decide(&mut desk, 3, true, 3, true);
    seen.propose(&mut desk, 3, true, 2);
    assert_eq!(seen.spent.len(), 2);
    desk = desk.again();
    seen.propose_numbered(&mut desk, 3, true, 2, 2);
    assert_eq!(seen.spent.len(), 3);
}

#[test]
fn a_question_stands_until_it_is_answered_or_runs_out() {
    let (mut desk, mut seen) = (Recorded::open(&DESK), Seen::default());
    assert!(desk.session.open_questions(&DESK).is_empty());
    seen.propose(&mut desk, 1, false, 1);
    seen.propose(&mut desk, 2, true, 1);
    let questions = desk.session.open_questions(&DESK);
    assert_eq!(questions.len(), 1, "an approver types no code");
    assert!(
        questions[0].starts_with("Shall I go on with `drop` with n 1, to \"B\"? To confirm, answer with the code ")
    );
    seen.minute += 16;
    seen.tell(&mut desk, r#""type":"turnStarted","text":"hello""#);
    assert!(desk.session.open_questions(&DESK).is_empty(), "it ran out");
    seen.propose(&mut desk, 3, false, 1);
    seen.types(&mut desk, 3, true);
    seen.propose(&mut desk, 0, false, 1);
    assert!(desk.session.open_questions(&DESK).is_empty(), "it was answered, and the call ran");
    let open: Vec<String> =
        desk.session.open_calls().iter().map(|open| format!("{} {}", open.call, open.status.name())).collect();
    assert_eq!(open, ["c0 allowed", "c2 asked"], "of c1 and c3 nothing is to come");
}

/// What a digest is taken over, one thing changed at a time.
#[test]
fn every_part_of_a_question_changes_its_digest() {
    let digest = |policy: &Policy, opening: &str, members: &str| {
        let mut desk = Recorded::open_with(policy, opening);
        let answer: Value = serde_json::from_str(&desk.say("e1", members)).unwrap();
        answer["request"]["digest"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let opening = r#""session":"s1","nonce":"n""#;
    let call = r#""type":"toolProposed","call":"c1","tool":"pay","args":{"to":"A","n":1},"at":"2031-03-04T09:00:00Z""#;
    let first = digest(&DESK, opening, call);
    assert_eq!(digest(&DESK, opening, &call.replace(r#""n":1"#, r#""n":1.0"#)), first, "one value, two spellings");
    let stricter = policy(
        "
tools: {pay: {effect: external, parameters: {type: object, properties: {to: {type: string}, n: {type: integer, maximum: 9}}}}}
guards: {preTool: [{id: approver, tools: [pay], action: ask, prose: payments are approved}]}
",
    );
    let [told, by_user] = ["approver", "user"].map(|by| {
        policy(&format!(
            "
tools: {{pay: {{effect: external, declares: {{why: {{type: string}}}}, parameters: {{type: object, properties: {{to: {{type: string}}, n: {{type: integer}}}}}}}}}}
guards: {{preTool: [{{id: asks, tools: [pay], action: ask, by: {by}, prose: payments are approved}}]}}
"
        ))
    });
    let declared = |policy: &Policy, why: &str| {
        digest(policy, opening, &call.replace(r#""n":1"#, &format!(r#""n":1,"why":"{why}""#)))
    };
    let at = |cwd: &str| digest(&DESK, opening, &format!(r#"{call},"cwd":"{cwd}""#));
    let others = [
        declared(&told, "old"),
        declared(&told, "new"),
        declared(&by_user, "old"),
        at("/a"),
        at("/b"),
        digest(&DESK, &opening.replace(r#""nonce":"n""#, r#""nonce":"m""#), call),
        digest(&DESK, opening, &call.replace(r#""n":1"#, r#""n":2"#)),
        digest(&DESK, opening, &call.replace("c1", "c2")),
        digest(&DESK, opening, &call.replace(r#""pay""#, r#""drop""#)),
        digest(&DESK, opening, &call.replace("09:00:00", "09:00:01")),
        digest(&stricter, opening, call),
    ];
    let all: BTreeSet<&String> = others.iter().chain([&first]).collect();
    assert_eq!(all.len(), others.len() + 1);
}

/// An answer that was refused stays refused, whatever the world is like after a restart, and leaves no second record.
#[test]
fn a_refused_answer_is_refused_again_after_a_restart() {
    let (mut desk, mut seen) = (Recorded::open(&DESK), Seen::default());
    seen.propose(&mut desk, 0, true, 0);
    seen.tell(&mut desk, r#""type":"worldChanged","worldPatch":{"closed":true}"#);
    let digest = seen.asked["c0"].0.clone();
    let at = r#""at":"2031-03-04T09:00:00Z""#;
    let edit = format!(
        r#""type":"approvalDecided","call":"c0","digest":"{digest}","granted":true,"approver":"ana","edit":{{"to":"Z"}},{at}"#
    );
    let revoked = format!(r#""type":"approvalRevoked","remembered":"c9-0",{at}"#);
    let ghost = format!(r#""type":"approvalDecided","call":"ghost","digest":"{digest}","granted":false,{at}"#);
    let cases = [("x1", &edit, "edit_denied"), ("x2", &revoked, "unknown_request"), ("x3", &ghost, "unknown_request")];
    let told = cases.map(|(id, line, code)| {
        let answer = desk.say(id, line);
        assert!(answer.contains(&format!(r#""code":"{code}""#)), "{answer}");
        answer
    });
    let again = desk.say("x3", r#""type":"toolProposed","call":"c7","tool":"pay""#);
    assert!(again.contains("duplicate_event"), "{again}");
    desk = desk.again();
    seen.tell(&mut desk, r#""type":"worldChanged","worldPatch":{"closed":false}"#);
    let records = desk.session.chain().unwrap().len();
    for ((id, line, _), told) in cases.iter().zip(told) {
        assert_eq!(desk.say(id, line), told);
    }
    assert_eq!(desk.session.chain().unwrap().len(), records);
    assert!(desk.say("x4", &edit).contains(r#""decision":"accepted""#), "told anew it is another answer");
}
