//! The session's clock: the events' `at`, which never goes back and costs nothing where no rule reads it.

use super::{Desk, code, policy};
use crate::event::read;
use crate::policy::Policy;
use crate::session::Change;
use crate::session::decide;
use crate::time::Timestamp;

fn timed() -> Policy {
    let mut policy = policy("tools: {get: {effect: read}}");
    policy.plan.keep_time();
    policy
}

fn at(text: &str) -> Option<Timestamp> {
    Some(Timestamp::parse(text).unwrap())
}

const NINE: &str = "2031-03-04T09:00:00Z";
const TEN: &str = "2031-03-04T10:00:00Z";

fn turn_at(desk: &mut Desk<'_>, time: &str) {
    desk.say(&format!(r#""type":"turnStarted","at":"{time}""#));
}

#[test]
fn a_time_that_goes_back_is_treated_as_the_last() {
    let policy = timed();
    let mut desk = Desk::open(&policy);
    assert_eq!(desk.session.clock, None);
    for (time, clock) in [(NINE, NINE), (TEN, TEN), (NINE, TEN), (TEN, TEN)] {
        turn_at(&mut desk, time);
        assert_eq!(desk.session.clock, at(clock));
    }
}

#[test]
fn an_event_without_a_time_leaves_the_clock_as_it_is() {
    let policy = timed();
    let mut desk = Desk::open(&policy);
    turn_at(&mut desk, NINE);
    desk.say(r#""type":"turnEnded""#);
    assert_eq!(desk.session.clock, at(NINE));
}

#[test]
fn a_rejected_event_does_not_move_the_clock() {
    let policy = timed();
    let mut desk = Desk::open(&policy);
    turn_at(&mut desk, NINE);
    let decision = desk.say(&format!(r#""type":"turnStarted","turn":9,"at":"{TEN}""#));
    assert_eq!(code(&decision), Some("wrong_turn"));
    let decision = desk.say(&format!(r#""type":"toolFinished","call":"ghost","result":1,"at":"{TEN}""#));
    assert_eq!(code(&decision), Some("unknown_call"));
    assert_eq!(desk.session.clock, at(NINE));
}

#[test]
fn where_no_rule_reads_times_none_is_kept() {
    let policy = policy("tools: {get: {effect: read}}");
    let desk = Desk::open(&policy);
    let line = format!(r#"{{"v":"flyball/1","id":"e1","session":"s1","type":"turnEnded","at":"{NINE}"}}"#);
    let step = decide(&policy, &desk.session, &read(line.as_bytes()).unwrap());
    assert!(!step.changes().iter().any(|change| matches!(change, Change::Clock(_))));
}
