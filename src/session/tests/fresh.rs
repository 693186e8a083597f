//! What was read is fresh until a write to the same record: as a reader of the whole conversation would say.

use super::{Desk, is_allowed, policy, verdicts};
use crate::policy::Policy;
use proptest::prelude::*;
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    policy(
        "
tools: {get: {effect: read}, put: {effect: write}, 'send_*': {effect: external}}
flow: [{id: look-first, from: get, to: [put, 'send_*'], same: id, fresh: true, emptyCounts: true}]
controls: {auto: {noDuplicateCall: false}}
",
    )
});

const TOOLS: [&str; 3] = ["get", "put", "send_it"];

const ENDS: [&str; 5] = [
    r#""result":1"#,
    r#""error":1"#,
    r#""error":1,"effect":false"#,
    r#""error":1,"effect":true"#,
    r#""outcome":"timed_out""#,
];

/// A call of a tool about an id, or the end of an earlier one.
#[derive(Clone, Debug)]
enum Said {
    Calls(Vec<(usize, usize)>),
    Ends(usize, usize),
}

fn said() -> impl Strategy<Value = Said> {
    prop_oneof![
        prop::collection::vec((0..TOOLS.len(), 0..2_usize), 1..3).prop_map(Said::Calls),
        (0..16_usize, 0..ENDS.len()).prop_map(|(call, end)| Said::Ends(call, end)),
        (0..16_usize).prop_map(|call| Said::Ends(call, 0)),
    ]
}

proptest! {
    #[test]
    fn an_earlier_call_counts_exactly_until_a_write_that_may_have_changed_the_record(steps in prop::collection::vec(said(), 1..50)) {
        let mut desk = Desk::open(&POLICY);
        let mut calls: Vec<(usize, usize, bool)> = Vec::new();
        let mut fresh = [false; 2];
        for step in steps {
            match step {
                Said::Calls(said) => {
                    let listed = said.iter().enumerate().map(|(n, (tool, id))| {
                        format!(r#"{{"id":"c{}","tool":"{}","args":{{"id":{id}}}}}"#, calls.len() + n, TOOLS[*tool])
                    });
                    let listed: Vec<String> = listed.collect();
                    let decision = desk.say(&format!(r#""type":"modelTurn","calls":[{}]"#, listed.join(",")));
                    for ((tool, id), (_, verdict)) in said.into_iter().zip(verdicts(&decision)) {
                        prop_assert_eq!(is_allowed(&verdict), tool == 0 || fresh[id], "{} {}", tool, id);
                        calls.push((tool, id, is_allowed(&verdict)));
                    }
                }
                Said::Ends(call, end) => {
                    desk.say(&format!(r#""type":"toolFinished","call":"c{call}",{}"#, ENDS[end]));
                    if let Some((tool, id, runs)) = calls.get_mut(call).filter(|(_, _, runs)| *runs) {
                        *runs = false;
                        match (*tool, end) {
                            (0, 0) => fresh[*id] = true,
                            (1 | 2, 0 | 3 | 4) => fresh[*id] = false,
                            _ => {}
                        }
                    }
                }
            }
        }
    }
}
