//! The governor over a disk that fails: what cannot be recorded does not happen (case A40, v7).

use crate::sim::{Fault, Plan, SimDisk};
use crate::support::{chain_of, policy};
use flyball_io::Governor;
use flyball_io::ledger::LedgerFolder;
use std::path::Path;
use std::sync::Arc;

const SPEC: &str = "\
agentspec: 1
id: desk
persona: You are the desk.
grants: {effects: [external]}
tools:
  pay: {effect: external, parameters: {type: object, properties: {amount: {type: number}}}}
budgets: [{id: one-payment, count: calls, tools: [pay], max: 1}]
";

fn governor(disk: &SimDisk) -> Governor {
    let (policy, sources) = policy(SPEC);
    let folder = LedgerFolder::open_on(Arc::new(disk.clone()), "/ledgers").unwrap();
    Governor::with_ledger(policy, &sources, folder).unwrap()
}

fn tell(governor: &Governor, event: &str) -> String {
    governor.handle(format!("{{\"v\":\"flyball/1\",\"session\":\"s1\",{event}}}").as_bytes()).to_line()
}

fn pay(governor: &Governor, number: u32) -> String {
    tell(
        governor,
        &format!(
            "\"type\":\"toolProposed\",\"id\":\"e{number}\",\"call\":\"c{number}\",\"tool\":\"pay\",\"args\":{{}}"
        ),
    )
}

#[test]
fn a40_v7_what_cannot_be_recorded_is_denied_and_changes_nothing() {
    for is_lasting in [false, true] {
        let calls = (0..).take_while(|call| fill_at(*call, is_lasting)).count();
        assert!(calls > 2, "{calls}");
    }
}

/// Fills the disk at one call while a payment is recorded; true if there was such a call.
fn fill_at(call: u64, is_lasting: bool) -> bool {
    let disk = SimDisk::new();
    let governor = governor(&disk);
    assert!(tell(&governor, "\"type\":\"sessionOpened\",\"id\":\"e0\"").contains("proceed"));
    let records = || {
        let bytes = disk.bytes_of(Path::new("/ledgers"), "s1");
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        chain_of(&bytes[..whole], "s1").unwrap().len()
    };
    let before = records();
    disk.plan(Some(Plan { call, fault: Fault::Short, is_lasting }));
    let first = pay(&governor, 1);
    let is_full = disk.calls() > call;
    disk.plan(None);
    if first.contains("\"decision\":\"allow\"") {
        assert_eq!(records(), before + 1, "call {call}");
        return is_full;
    }
    assert!(first.contains("\"code\":\"ledger_unavailable\"") && first.contains("\"decision\":\"deny\""), "{first}");
    assert!(is_full && is_lasting || records() == before, "call {call}");
    // The one payment of the budget is still to be had where the writer could take the failed one back.
    let second = pay(&governor, 2);
    let is_allowed = second.contains("\"decision\":\"allow\"");
    assert!(is_allowed || second.contains("\"code\":\"ledger_unavailable\""), "call {call}: {second}");
    assert!(!is_allowed || records() == before + 1, "call {call}");
    is_full
}

#[test]
fn after_a_refused_opening_a_call_is_denied_as_in_a_session_that_is_not_there() {
    let disk = SimDisk::new();
    let governor = governor(&disk);
    let refused = tell(&governor, "\"type\":\"sessionOpened\",\"id\":\"e0\",\"limits\":{\"one-payment\":7}");
    assert!(refused.contains("\"code\":\"widens\",\"decision\":\"refuse\""), "{refused}");
    let denied = pay(&governor, 1);
    assert!(denied.contains("\"code\":\"session_closed\"") && denied.contains("\"decision\":\"deny\""), "{denied}");
    let started = tell(&governor, "\"type\":\"turnStarted\",\"id\":\"e2\"");
    assert!(started.contains("\"code\":\"session_closed\",\"decision\":\"refuse\""), "{started}");
    assert!(tell(&governor, "\"type\":\"sessionOpened\",\"id\":\"e0\"").contains("proceed"));
    assert!(pay(&governor, 2).contains("\"decision\":\"allow\""));
}
