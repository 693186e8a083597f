//! The rules about calls that no author writes out one by one: what `approvals.require` and a profile ask, and the automatic guards.

use super::bind::{Source, of_automatic};
use crate::guards::Rule;
use crate::spec::{Action, Layer, REQUIRE, Required, Selection, Spec};
use std::sync::Arc;

/// What such rules are made of.
pub(super) struct Unwritten {
    /// The calls that wait for an approver.
    required: Vec<Required>,
    automatic: Vec<(&'static str, Arc<dyn Rule>)>,
    /// Whom the automatic ones are about.
    every_tool: Selection,
}

impl Unwritten {
    pub(super) fn of(spec: &Spec) -> Unwritten {
        Unwritten {
            required: spec.required().collect(),
            automatic: crate::guards::automatic(&spec.controls.off),
            every_tool: Selection::default(),
        }
    }

    /// The rules, in the order in which they are judged.
    pub(super) fn sources<'u>(&'u self, spec: &'u Spec) -> impl Iterator<Item = Source<'u>> {
        let required = self.required.iter().map(|required| Source {
            code: REQUIRE.into(),
            is_shared: required.layer == Layer::Contract,
            action: Action::Ask,
            ..Source::plain(required.span, &required.selection)
        });
        let automatic = self.automatic.iter();
        let automatic = automatic.map(|(name, rule)| of_automatic(name, rule, spec.id.span, &self.every_tool));
        required.chain(automatic)
    }
}
