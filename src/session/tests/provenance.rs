//! Laws of provenance: what was only ever seen where outsiders write licenses nothing, whatever the order, and what is
//! taken out of a result is as if it had never been there.

use super::{Desk, is_allowed, policy};
use proptest::prelude::*;

const KNOWN: &str = r#"
tools:
  get: {effect: read, untrusted: ['[].note']}
  page: {effect: read, untrusted: ['']}
  pay: {effect: external, parameters: {properties: {to: {type: array}, n: {type: integer}}}}
guards:
  preTool:
    - {id: known, tools: [pay], kind: argFrom, with: {arg: to, from: [user, {tool: get, path: '[].id'}]}}
  postTool:
    - {id: hide, tools: [get], when: 'size(result) > 2', redact: {'[].id': "'-'"}, prose: long lists are hidden}
    - {id: drop, tools: [get], check: 'size(result) > 0', action: deny, prose: p, correction: c}
"#;

/// Something that happens, with small values that often meet.
#[derive(Clone, Debug)]
enum Happens {
    Typed(u8),
    /// A result with these ids, and notes.
    Got(Vec<(u8, u8)>),
    Read(u8),
    Paid(Vec<u8>),
}

fn happens() -> impl Strategy<Value = Happens> {
    let value = 0..6_u8;
    prop_oneof![
        value.clone().prop_map(Happens::Typed),
        prop::collection::vec((value.clone(), value.clone()), 0..4).prop_map(Happens::Got),
        value.clone().prop_map(Happens::Read),
        prop::collection::vec(value, 0..3).prop_map(Happens::Paid),
    ]
}

fn name(value: u8) -> String {
    format!("V{value}")
}

proptest! {
    #[test]
    fn a_call_runs_just_where_each_of_its_values_was_typed_or_trusted_and_seen(all in prop::collection::vec(happens(), 0..24)) {
        let policy = policy(KNOWN);
        let mut desk = Desk::open(&policy);
        let mut licensed = std::collections::BTreeSet::new();
        for (at, one) in all.iter().enumerate() {
            let call = format!("c{at}");
            match one {
                Happens::Typed(value) => {
                    desk.say(&format!(r#""type":"turnStarted","text":"use {} now""#, name(*value)));
                    licensed.insert(*value);
                }
                Happens::Got(items) => {
                    let args = format!(r#"{{"n":{at}}}"#);
                    prop_assert!(is_allowed(&desk.call(&call, "get", &args)));
                    let items_text: Vec<String> = items
                        .iter()
                        .map(|(id, note)| format!(r#"{{"id":"{}","note":"{}"}}"#, name(*id), name(*note)))
                        .collect();
                    desk.result(&call, &format!("[{}]", items_text.join(",")));
                    // A long list is rewritten.
                    if items.len() <= 2 {
                        licensed.extend(items.iter().map(|(id, _)| *id));
                    }
                }
                Happens::Read(value) => {
                    let args = format!(r#"{{"n":{at}}}"#);
                    prop_assert!(is_allowed(&desk.call(&call, "page", &args)));
                    desk.result(&call, &format!(r#""{}""#, name(*value)));
                }
                Happens::Paid(values) => {
                    let to: Vec<String> = values.iter().map(|value| format!(r#""{}""#, name(*value))).collect();
                    let verdict = desk.call(&call, "pay", &format!(r#"{{"to":[{}],"n":{at}}}"#, to.join(",")));
                    let wanted = values.iter().all(|value| licensed.contains(value));
                    prop_assert_eq!(is_allowed(&verdict), wanted, "{:?} of {:?} after {:?}", values, licensed, &all[..at]);
                }
            }
        }
    }
}
