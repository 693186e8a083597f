//! A session that came back from its ledger is the one that was: the same state, answers and bytes, wherever it stopped.

use super::laws::{POLICY, conversations};
use super::need::{TWO, asking};
use super::policy;
use crate::canon::Digest;
use crate::decision::Answered;
use crate::event::{Event, EventSalt, read};
use crate::ledger::{Chain, Durability, RecordKind};
use crate::policy::Policy;
use crate::replay::ledger::{Events, Lost, Rederived, Rederiver, StoredValues};
use crate::replay::restore::{Restoration, Restorer, Unrestorable};
use crate::session::{Records, Session, Status, decide};
use proptest::prelude::*;
use regex::Regex;

/// A session, and the ledger that a writer would have of it.
#[derive(Clone)]
pub(super) struct Recorded<'p> {
    policy: &'p Policy,
    pub(super) session: Session,
    lines: Vec<Vec<u8>>,
    values: StoredValues,
}

impl<'p> Recorded<'p> {
    pub(super) fn open(policy: &'p Policy) -> Recorded<'p> {
        Recorded::open_with(policy, r#""session":"s1","nonce":"n","world":{"open":true}"#)
    }

    /// The same with other members of the opening.
    pub(super) fn open_with(policy: &'p Policy, members: &str) -> Recorded<'p> {
        let line = format!(r#"{{"v":"flyball/1","type":"sessionOpened","id":"open",{members}}}"#);
        let line = line.as_bytes();
        let (mut session, step) = Session::open_recorded(policy, &read(line).unwrap()).unwrap();
        let records = step.records().cloned();
        session.commit(step).unwrap();
        let mut recorded = Recorded { policy, session, lines: Vec::new(), values: StoredValues::new() };
        recorded.write(records);
        recorded
    }

    fn write(&mut self, records: Option<Records>) {
        let Some(records) = records else { return };
        self.lines.extend(records.records.iter().map(|record| record.line().to_vec()));
        self.values.extend(records.values.into_iter().map(|value| (value.reference, (value.salt, value.bytes))));
    }

    /// The answer to a line of the wire, its records written.
    fn tell(&mut self, line: &str) -> String {
        match read(line.as_bytes()) {
            Ok(event) => self.event(&event),
            Err(rejection) => {
                let step = self.session.reject(&rejection);
                self.write(step.records().cloned());
                self.session.commit(step).unwrap();
                Answered::rejected(rejection).to_line()
            }
        }
    }

    fn event(&mut self, event: &Event<'_>) -> String {
        let step = decide(self.policy, &self.session, event);
        self.write(step.records().cloned());
        let decision = self.session.commit(step).unwrap();
        Answered { id: Some(event.id.to_string()), session: Some(event.session.to_string()), decision }.to_line()
    }

    pub(super) fn say(&mut self, id: &str, members: &str) -> String {
        self.tell(&format!(r#"{{"v":"flyball/1","id":"{id}","session":"s1",{members}}}"#))
    }

    fn restored(&self) -> Result<Restoration, Unrestorable> {
        restored(self.policy, &self.lines, &self.values)
    }

    /// True if a text stands in some line of the ledger; the values file is another.
    pub(super) fn shows(&self, text: &str) -> bool {
        self.lines.iter().any(|line| String::from_utf8_lossy(line).contains(text))
    }

    /// How many records there are.
    pub(super) fn records(&self) -> usize {
        self.lines.len()
    }

    /// The same, after a restart.
    #[track_caller]
    pub(super) fn again(&self) -> Recorded<'p> {
        Recorded { session: self.restored().unwrap().session, ..self.clone() }
    }
}

fn restored(policy: &Policy, lines: &[Vec<u8>], values: &StoredValues) -> Result<Restoration, Unrestorable> {
    let mut restorer = Restorer::new(policy);
    lines.iter().try_for_each(|line| restorer.push(line.strip_suffix(b"\n").unwrap(), values))?;
    restorer.finish(values)
}

/// What a session holds, but for how it knows the events it was told.
fn state(session: &Session) -> String {
    let mut told: Vec<String> = session.answered.iter().map(|(id, told)| format!("{id} {:?}", told.decision)).collect();
    told.sort_unstable();
    let mut session = session.clone();
    session.answered.clear();
    session.retold.clear();
    format!("{told:?} {session:?}")
}

/// A conversation with texts, salts, times, repeats, used ids and lines that are none.
fn lines() -> impl Strategy<Value = Vec<String>> {
    (conversations(), prop::collection::vec((0..12_u8, any::<prop::sample::Index>()), 43)).prop_map(|(lines, dice)| {
        let mut told: Vec<String> = Vec::new();
        for (number, (line, (die, earlier))) in lines.into_iter().zip(dice).enumerate() {
            let head = line.strip_suffix('}').unwrap();
            let more = match die {
                0 => r#","salt":"grain"}"#.to_owned(),
                1 => format!(r#","at":"2031-03-04T09:{number:02}:00Z"}}"#),
                2 if line.contains("turnStarted") => format!(r#","text":"{}"}}"#, "pay A ".repeat(900)),
                3 => r#","agent":"other"}"#.to_owned(),
                _ => "}".to_owned(),
            };
            told.push(format!("{head}{more}"));
            match die {
                4 => told.push(earlier.get(&told).clone()),
                5 => told.push(format!("{} ", earlier.get(&told))),
                6 => told.push(head.to_owned()),
                _ => {}
            }
        }
        told
    })
}

/// An answer without what depends on where its record stands: the digests of questions, and their codes.
fn unplaced(answer: &str) -> String {
    let digests = Regex::new("[0-9a-f]{64}").unwrap();
    let codes = Regex::new("[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}").unwrap();
    codes.replace_all(&digests.replace_all(answer, "DIGEST"), "CODE").into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn restored_after_any_event_a_session_is_the_same_and_goes_on_the_same(lines in lines(), stop in any::<prop::sample::Index>()) {
        let mut whole = Recorded::open(&POLICY);
        let stop = stop.index(lines.len());
        let mut late = None;
        for (number, line) in lines.iter().enumerate() {
            if !whole.session.is_open() {
                let closed = matches!(whole.restored(), Err(Unrestorable::Closed { .. }));
                prop_assert!(closed);
                break;
            }
            let mut next = whole.again();
            prop_assert_eq!(state(&next.session), state(&whole.session));
            if number == stop {
                late = Some(next.clone());
            }
            prop_assert_eq!(next.tell(line), whole.tell(line));
            prop_assert_eq!(&next.lines, &whole.lines);
            prop_assert_eq!(&next.values, &whole.values);
        }
        if let Some(mut late) = late {
            lines[stop..].iter().for_each(|line| _ = late.tell(line));
            let mut all = Recorded::open(&POLICY);
            lines.iter().for_each(|line| _ = all.tell(line));
            prop_assert_eq!(&late.lines, &all.lines);
            prop_assert_eq!(state(&late.session), state(&all.session));
        }
    }

    #[test]
    fn all_that_was_told_is_answered_again_after_a_restart(lines in lines()) {
        let mut whole = Recorded::open(&POLICY);
        lines.iter().filter(|line| !line.contains("sessionClosed")).for_each(|line| _ = whole.tell(line));
        let mut again = whole.again();
        for line in &lines {
            prop_assert_eq!(again.tell(line), whole.tell(line));
        }
        prop_assert_eq!(&again.lines, &whole.lines);
    }

    #[test]
    fn cut_inside_an_event_a_run_goes_on_as_if_it_had_not_been_told(lines in lines()) {
        let mut whole = Recorded::open(&POLICY);
        for line in &lines {
            let before = whole.clone();
            whole.tell(line);
            if !whole.session.is_open() {
                break;
            }
            for cut in before.lines.len() + 1..whole.lines.len() {
                let torn = Recorded { lines: whole.lines[..cut].to_vec(), ..whole.clone() };
                let restored = torn.restored().unwrap();
                prop_assert_eq!(restored.unanswered, Some(before.lines.len() as u64));
                let mut torn = Recorded { session: restored.session, ..torn };
                let mut untold = before.clone();
                prop_assert_eq!(unplaced(&torn.tell(line)), unplaced(&untold.tell(line)));
                torn = torn.again();
                let next = r#"{"v":"flyball/1","id":"next","session":"s1","type":"toolProposed","call":"next","tool":"get","args":{"id":"A"}}"#;
                prop_assert_eq!(unplaced(&torn.tell(next)), unplaced(&untold.tell(next)));
                prop_assert_eq!(torn.restored().unwrap().unanswered, None);
            }
        }
    }

    #[test]
    fn a_change_of_any_record_is_found(lines in lines(), at in any::<prop::sample::Index>(), byte in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut whole = Recorded::open(&POLICY);
        lines.iter().filter(|line| !line.contains("sessionClosed")).for_each(|line| _ = whole.tell(line));
        let at = at.index(whole.lines.len());
        let line = &mut whole.lines[at];
        let place = byte.index(line.len() - 1);
        prop_assume!(line[place] != to);
        line[place] = to;
        let error = whole.restored().err();
        let is_found = matches!(error, Some(Unrestorable::Broken { .. }));
        prop_assert!(is_found, "{:?}", error);
    }
}

/// The records of a run with other bytes in their data, chained anew by who can write the whole file.
fn forged(recorded: &Recorded<'_>, from: &str, to: &str) -> Vec<Vec<u8>> {
    let mut chain = Chain::genesis("s1").unwrap();
    let mut forged = Vec::new();
    for line in &recorded.lines {
        let text = String::from_utf8(line.clone()).unwrap();
        let line = crate::ledger::verify::Line::read(text.trim_end().as_bytes()).unwrap();
        let kind = RecordKind::named(line.kind).unwrap();
        let data = line.data.replace(from, to);
        let record = chain.append(line.at, kind, Durability::Async, |out| out.extend_from_slice(data.as_bytes()));
        forged.push(record.line().to_vec());
    }
    forged
}

const DESK: &str = "
tools:
  look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}
  write: {effect: write, parameters: {type: object, properties: {id: {type: string}}}}
grants: {effects: [read, write]}
flow: [{id: look-first, from: look, to: write, same: id}]
";

const TURN: &str = r#""type":"turnStarted""#;
const LOOK: &str = r#""type":"toolProposed","call":"c1","tool":"look","args":{"id":"A"}"#;
const WRITE: &str = r#""type":"toolProposed","call":"c2","tool":"write","args":{"id":"A"}"#;

fn looked(policy: &Policy) -> Recorded<'_> {
    let mut recorded = Recorded::open(policy);
    recorded.say("e1", TURN);
    recorded.say("e2", LOOK);
    recorded.say("e3", r#""type":"toolFinished","call":"c1","result":{"total":40}"#);
    recorded.say("e4", WRITE);
    recorded
}

#[test]
fn what_was_allowed_and_did_not_end_stays_so_and_its_end_is_still_taken() {
    let policy = policy(DESK);
    let mut again = looked(&policy).again();
    let open: Vec<String> = again
        .session
        .open_calls()
        .iter()
        .map(|open| format!("{} {} {}", open.call, open.tool, open.status.name()))
        .collect();
    assert_eq!(open, ["c2 write allowed"]);
    let lines = again.lines.len();
    assert!(again.say("e4", WRITE).contains(r#""decision":"allow""#));
    assert_eq!(again.lines.len(), lines, "a repeat is answered and not decided");
    assert!(again.say("e5", r#""type":"toolFinished","call":"c2","result":true"#).contains("accept"));
    assert_eq!(again.session.call("c2").unwrap().status, Status::Succeeded);
    assert_eq!(again.session.open_calls(), []);
}

#[test]
fn a_call_that_waits_for_the_host_goes_on_with_its_answers() {
    let policy = asking(TWO);
    let mut recorded = Recorded::open(&policy);
    recorded.say("e1", r#""type":"toolProposed","call":"c1","tool":"pay","args":{"n":1},"cwd":"/a""#);
    let mut again = recorded.again();
    assert_eq!(again.session.open_calls()[0].status, Status::Waiting);
    let answers = r#""type":"answers","call":"c1","answers":[{"query":"q1","value":true},{"query":"q2","value":true}]"#;
    assert!(again.say("e2", answers).contains(r#""decision":"allow""#));
    recorded.say("e2", answers);
    assert_eq!(again.lines, recorded.lines);
    let cut = Recorded { lines: again.lines[..3].to_vec(), ..again.clone() };
    let restored = cut.restored().unwrap();
    assert_eq!((restored.unanswered, restored.session.call("c1").unwrap().status), (Some(2), Status::Waiting));
}

#[test]
fn a_repeat_with_another_salt_of_the_governor_is_known_by_what_it_tells() {
    let policy = policy(DESK);
    let mut recorded = Recorded::open(&policy);
    let lines = [
        TURN,
        LOOK,
        r#""type":"sessionOpened""#,
        r#""type":"turnStarted","text":"A""#,
        r#""type":"modelTurn","text":"Hm.","calls":[]"#,
    ];
    let line = |number: usize, more: &str| {
        format!(r#"{{"v":"flyball/1","id":"e{number}","session":"s1",{}{more}}}"#, lines[number])
    };
    let tell = |recorded: &mut Recorded<'_>, line: &str, salt: &'static str| {
        recorded.event(&Event { salt: EventSalt::Drawn(salt.into()), ..read(line.as_bytes()).unwrap() })
    };
    let first: Vec<String> = (0..lines.len()).map(|number| tell(&mut recorded, &line(number, ""), "one")).collect();
    let mut again = recorded.again();
    for (number, first) in first.iter().enumerate() {
        assert_eq!(&tell(&mut again, &line(number, ""), "two"), first);
        let other = tell(&mut again, &line(number, r#","agent":"desk""#), "two");
        assert!(other.contains("duplicate_event"), "{other}");
    }
    assert_eq!(again.lines.len(), recorded.lines.len() + lines.len(), "only what was rejected is written");
    again.again();
}

#[test]
fn a_run_that_cannot_be_proved_the_same_does_not_go_on() {
    let (desk, other) = (policy(DESK), policy(&format!("{DESK}budgets: [{{id: few, count: calls, max: 9}}]\n")));
    let recorded = looked(&desk);
    let failed = |lines: &[Vec<u8>]| restored(&desk, lines, &recorded.values).unwrap_err();
    assert_eq!(failed(&[]), Unrestorable::Empty);
    let other_input =
        forged(&recorded, r#""args":{"value":{"id":"A"}},"call":"c1""#, r#""args":{"value":{"id":"B"}},"call":"c1""#);
    assert_eq!(failed(&other_input), Unrestorable::Differs { seq: 4 }, "what was looked up was another");
    let other_verdict = forged(&recorded, r#""call":"c1","decision":"allow""#, r#""call":"c1","decision":"deny""#);
    assert_eq!(failed(&other_verdict).to_string(), "record 2 came out differently");
    assert_eq!(
        failed(&forged(&recorded, r#""core":""#, r#""core":"9"#)).to_string().split(',').next(),
        Some("record 0 was written by version 90.1.0")
    );
    assert!(matches!(
        failed(&forged(&recorded, r#""policy":""#, r#""policy":"x"#)),
        Unrestorable::Unreadable { seq: 0, .. }
    ));
    assert!(matches!(failed(&recorded.lines[1..]), Unrestorable::Broken { seq: 0, .. }));
    let given = other.digest();
    assert_eq!(
        restored(&other, &recorded.lines, &recorded.values).unwrap_err(),
        Unrestorable::Policy { recorded: desk.digest(), given }
    );
    let mut chain = recorded.session.chain().unwrap().clone();
    let text = chain.append(None, RecordKind::TurnOpen, Durability::Async, |out| out.extend_from_slice(b"{}"));
    let body = String::from_utf8(text.line().to_vec()).unwrap().replace("turn.open", "turn.skip");
    let body = body.strip_prefix(r#"{"body":"#).unwrap().split_once(r#","hash":"#).unwrap().0.to_owned();
    let unknown = format!("{{\"body\":{body},\"hash\":\"{}\"}}\n", Digest::of(body.as_bytes()));
    let lines = [recorded.lines.clone(), vec![unknown.into_bytes()]].concat();
    assert_eq!(failed(&lines), Unrestorable::UnknownKind { seq: 5, kind: "turn.skip".into() });
    let mut closed = recorded.clone();
    closed.say("e5", r#""type":"sessionClosed""#);
    closed.say("e6", LOOK);
    assert_eq!(closed.restored().unwrap_err(), Unrestorable::Closed { seq: 5 });
}

#[test]
fn a_run_whose_inputs_are_gone_does_not_go_on() {
    let kept = policy(DESK);
    let mut recorded = Recorded::open(&kept);
    recorded.say("e1", &format!(r#""type":"turnStarted","text":"{}""#, "x".repeat(5_000)));
    recorded.say("e2", LOOK);
    assert!(recorded.restored().is_ok());
    recorded.values.clear();
    assert_eq!(recorded.restored().unwrap_err(), Unrestorable::Lost { seq: 1, lost: Lost::Erased });
    let masked = policy(&format!("{DESK}ledger: {{keepSecrets: false}}\n"));
    let mut recorded = Recorded::open(&masked);
    recorded.say("e1", r#""type":"turnStarted","text":"My card is 4111 1111 1111 1111.""#);
    let error = recorded.restored().unwrap_err();
    assert_eq!(error, Unrestorable::Lost { seq: 1, lost: Lost::Masked });
    assert_eq!(error.to_string(), "the inputs of record 1 are gone (`masked`)");
}

#[test]
fn the_files_own_records_change_nothing_and_the_chain_stands_behind_them() {
    let policy = policy(DESK);
    let mut recorded = looked(&policy);
    let mut chain = recorded.session.chain().unwrap().clone();
    for kind in [RecordKind::SegmentSeal, RecordKind::LogRecovered, RecordKind::DataErased] {
        let record = chain.append(None, kind, Durability::Sync, |out| out.extend_from_slice(b"{}"));
        recorded.lines.push(record.line().to_vec());
    }
    let mut again = recorded.again();
    assert_eq!(again.session.chain(), Some(&chain));
    again.say("e5", TURN);
    assert_eq!(again.again().session.turn(), 2);
}

#[test]
fn an_event_that_was_cut_short_is_told_apart_when_a_ledger_is_decided_again() {
    let policy = policy(DESK);
    let mut recorded = Recorded::open(&policy);
    let batch =
        r#""type":"modelTurn","calls":[{"id":"c1","tool":"look","args":{"id":"A"}},{"id":"c2","tool":"write"}]"#;
    recorded.say("e1", batch);
    recorded.lines.truncate(2);
    let mut again = recorded.again();
    again.say("e2", r#""type":"toolProposed","call":"c1","tool":"look","args":{"id":"A"}"#);
    again.say("e1", batch);
    again.lines.truncate(5);
    let (mut events, mut rederiver) = (Events::default(), Rederiver::new(&policy));
    let mut told = Vec::new();
    for line in &again.lines {
        told.extend(events.push(line.strip_suffix(b"\n").unwrap(), &again.values).unwrap());
    }
    told.extend(events.end(&again.values));
    let rederived: Vec<Rederived> = told.iter().map(|event| rederiver.push(event)).collect();
    let unanswered = Rederived::Lost(Lost::Unanswered);
    assert_eq!(rederived, [Rederived::Same, unanswered.clone(), Rederived::Same, unanswered]);
    assert_eq!(told.iter().map(|event| event.seq).collect::<Vec<_>>(), [0, 1, 2, 3]);
}
