//! A step is of one version of a session: of two decided on one, the second is not committed.

#![expect(clippy::disallowed_types, reason = "two hosts share a session through a lock")]

use super::{Desk, opened, policy};
use crate::event::{Event, read};
use crate::session::{Stale, decide};
use crate::value::{Object, Value};
use std::sync::{Barrier, Mutex};

const ONE: &str = "
tools: {pay: {effect: external}}
budgets: [{id: one, count: calls, max: 1}]
";

fn pay(id: &'static str) -> Event<'static> {
    Event::call(id, "s1", id, "pay", Object::of([("n", Value::from(id))]).into())
}

#[test]
fn the_second_step_of_one_version_is_stale_and_changes_nothing() {
    let policy = policy(ONE);
    let mut session = opened(&policy, "s1");
    let (first, second) = (decide(&policy, &session, &pay("a")), decide(&policy, &session, &pay("b")));
    session.commit(first).unwrap();
    let before = format!("{session:?}");
    assert_eq!(session.commit(second), Err(Stale::Version { decided: 1, current: 2 }));
    assert_eq!(format!("{session:?}"), before);
    assert!(session.call("b").is_none());
    let again = decide(&policy, &session, &pay("b"));
    assert_eq!(super::verdict(&session.commit(again).unwrap()).denied_by(), Some("one"));
}

#[test]
fn a_step_is_not_committed_on_another_session() {
    let policy = policy(ONE);
    let (first, mut second) = (opened(&policy, "s1"), opened(&policy, "s2"));
    let step = decide(&policy, &first, &pay("a"));
    let before = format!("{second:?}");
    assert_eq!(second.commit(step.clone()), Err(Stale::Session));
    assert_eq!(format!("{second:?}"), before);
    assert!(first.clone().commit(step).is_ok(), "a copy of it is the same session");
}

#[test]
fn the_answer_given_again_changes_nothing_so_what_was_decided_beside_it_stands() {
    let policy = policy(ONE);
    let mut session = opened(&policy, "s1");
    let step = decide(&policy, &session, &pay("a"));
    let answer = session.commit(step).unwrap();
    let (beside, again) = (decide(&policy, &session, &pay("b")), decide(&policy, &session, &pay("a")));
    assert_eq!(session.commit(again).unwrap(), answer);
    assert_eq!(session.version(), 2);
    assert_eq!(super::verdict(&session.commit(beside).unwrap()).denied_by(), Some("one"));
    assert_eq!(session.version(), 3);
}

#[test]
fn a_step_decided_and_not_committed_changes_nothing() {
    let policy = policy(ONE);
    let desk = Desk::open(&policy);
    let before = format!("{:?}", desk.session);
    for id in ["a", "b", "c"] {
        let _ = decide(&policy, &desk.session, &pay(id));
    }
    assert_eq!(format!("{:?}", desk.session), before);
}

#[test]
fn of_two_threads_that_decide_on_one_session_one_commits() {
    let policy = policy(ONE);
    for _ in 0..50 {
        let session = Mutex::new(opened(&policy, "s1"));
        let both_decided = Barrier::new(2);
        let commit = |id: &'static str| {
            let step = decide(&policy, &session.lock().unwrap(), &pay(id));
            both_decided.wait();
            session.lock().unwrap().commit(step).is_ok()
        };
        let committed = std::thread::scope(|scope| {
            let (one, two) = (scope.spawn(|| commit("a")), scope.spawn(|| commit("b")));
            [one.join().unwrap(), two.join().unwrap()]
        });
        assert_eq!(committed.iter().filter(|committed| **committed).count(), 1);
        assert_eq!(session.lock().unwrap().version(), 2);
    }
}

#[test]
fn threads_that_decide_again_when_stale_never_overshoot() {
    let policy = policy(
        "
tools: {pay: {effect: external}}
budgets: [{id: six, count: calls, max: 6}]
",
    );
    let session = Mutex::new(opened(&policy, "s1"));
    let propose = |thread: usize| {
        let mut allowed = 0;
        for number in 0..10 {
            let line = format!(
                r#"{{"v":"flyball/1","type":"toolProposed","id":"{thread}-{number}","session":"s1","call":"{thread}-{number}","tool":"pay","args":{{"n":"{thread}-{number}"}}}}"#
            );
            let event = read(line.as_bytes()).unwrap();
            let decision = loop {
                let step = decide(&policy, &session.lock().unwrap(), &event);
                if let Ok(decision) = session.lock().unwrap().commit(step) {
                    break decision;
                }
            };
            allowed += usize::from(super::is_allowed(&super::verdict(&decision)));
        }
        allowed
    };
    let allowed: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || propose(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(allowed, 6);
}
