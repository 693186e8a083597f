//! What the controls decided is decided again from the records, byte for byte.

use super::rederived::{recorded, rederived};
use crate::policy::{Policy, compile};
use crate::replay::ledger::{Rederived, StoredValues};
use crate::source::Sources;
use proptest::prelude::*;

fn policy(head: &str) -> Policy {
    let text = format!(
        "agentspec: 1\nid: desk\npersona: You are the desk.\n{head}tools: {{pay: {{effect: external, parameters: {{type: object, properties: {{n: {{type: integer}}}}}}}}}}\n\
         guards: {{preTool: [{{id: cap, kind: argRange, with: {{arg: n, max: 5}}}}]}}\n\
         controls: {{vetoStreak: 2, callsPerStep: 2, textWithCalls: deny, auto: {{noDuplicateCall: false}}}}\n"
    );
    compile(&crate::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap()).unwrap()
}

fn batch(number: usize, amounts: &[u8], text: &str) -> String {
    let calls: Vec<String> = amounts
        .iter()
        .enumerate()
        .map(|(at, n)| format!(r#"{{"id":"c{number}-{at}","tool":"pay","args":{{"n":{n}}}}}"#))
        .collect();
    format!(r#""type":"modelTurn"{text},"calls":[{}]"#, calls.join(","))
}

#[test]
fn that_a_model_said_something_is_recorded_and_what_it_said_is_not() {
    let policy = policy("");
    let (lines, _) = recorded(
        &policy,
        &[
            &batch(1, &[1], r#","text":"Let me see.""#),
            &batch(2, &[1], r#","text":" ""#),
            &batch(3, &[], r#","text":"Done.""#),
        ],
    );
    let turns: Vec<&String> = lines.iter().filter(|line| line.contains(r#""kind":"model.turn""#)).collect();
    let says: Vec<bool> = turns.iter().map(|line| line.contains(r#""text":true"#)).collect();
    assert_eq!(says, [true, false, true]);
    assert!(!lines.concat().contains("Let me see"));
}

#[test]
fn a_row_goes_on_behind_calls_whose_arguments_are_gone() {
    let policy = policy("");
    let (mut lines, values) = recorded(&policy, &[&batch(1, &[9], ""), &batch(2, &[9], ""), &batch(3, &[1], "")]);
    let at = lines.iter().position(|line| line.contains(r#""call":"c1-0""#)).unwrap();
    assert!(lines[at + 2].contains(r#""stop":"veto_streak""#), "{lines:?}");
    lines[at] = lines[at].replace(r#""args":{"value":{"n":9}}"#, r#""args":{"masked":[""]}"#);
    let told = rederived(&policy, &lines, &values);
    let lost = told.iter().filter(|told| !matches!(told, Rederived::Same)).count();
    assert_eq!((told.len(), lost), (4, 1), "{told:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_byte_is_made_again(
        acts in prop::collection::vec(prop::option::of((prop::collection::vec(0..9_u8, 0..4), any::<bool>())), 1..14),
        observes in any::<bool>(),
    ) {
        let policy = policy(if observes { "mode: observe\n" } else { "" });
        let said: Vec<String> = acts.iter().enumerate().map(|(number, act)| match act {
            None => r#""type":"turnStarted""#.to_owned(),
            Some((amounts, text)) => batch(number, amounts, if *text { r#","text":"So.""# } else { "" }),
        }).collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        let (lines, values): (Vec<String>, StoredValues) = recorded(&policy, &said);
        let again = rederived(&policy, &lines, &values);
        prop_assert_eq!(again.len().checked_sub(1), Some(said.len()));
        prop_assert!(again.iter().all(|one| *one == Rederived::Same), "{:?}", again);
    }
}
