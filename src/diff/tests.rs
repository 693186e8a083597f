//! What is not told as changed or undecided is not: every call of a small space is decided the same.

use super::*;
use crate::json::{Limits, parse};
use crate::proof::tests::{calls, compiled, conditions, verdict};
use proptest::prelude::*;

fn guard((check, action, missing): &(String, &str, &str)) -> String {
    format!(
        "    - id: g\n      check: \"{check}\"\n      action: {action}\n      missing: {missing}\n      prose: p\n      correction: Do c.\n"
    )
}

fn guards() -> impl Strategy<Value = (String, &'static str, &'static str)> {
    (conditions(), prop_oneof![Just("deny"), Just("ask")], prop_oneof![Just("deny"), Just("skip")])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_decided_otherwise_is_told(old in guards(), new in guards(), is_same in any::<bool>()) {
        let new = if is_same { (format!("!(!({}))", old.0), old.1, old.2) } else { new };
        let (Some(one), Some(two)) = (compiled(&guard(&old)), compiled(&guard(&new))) else { return Ok(()) };
        let comparison = compare((&one.0, &one.1), (&two.0, &two.1));
        let differ = calls().into_iter().find(|text| {
            let args = parse(text.as_bytes(), &Limits::default()).unwrap();
            verdict(&one.1, args.clone()) != verdict(&two.1, args.clone())
        });
        let is_told = !comparison.changes.is_empty() || !comparison.undecided.is_empty();
        if let Some(call) = differ {
            prop_assert!(is_told, "{:?} {:?} {}", old, new, call);
        } else if is_same {
            prop_assert!(!is_told, "{:?} {:?} {:?}", old, new, comparison);
        }
        for change in &comparison.changes {
            prop_assert!(change.scene.earlier.is_empty());
            let said = |policy| verdict(policy, change.scene.args.clone());
            prop_assert!(said(&one.1) != said(&two.1));
        }
    }
}

/// Specs of many sorts of rule at once, against the calls of a grid.
mod wide;
