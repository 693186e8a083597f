//! The rules about calls that no author writes out one by one: what `approvals.require` and a profile ask, and the automatic guards.

use super::bind::{Source, of_automatic};
use crate::guards::{Hook, Kind, Rule};
use crate::spec::{Action, Layer, REQUIRE, Required, Selection, Spec};
use std::sync::Arc;

/// What such rules are made of.
pub(super) struct Unwritten {
    /// The calls that wait for an approver.
    required: Vec<Required>,
    automatic: Vec<(&'static dyn Kind, Arc<dyn Rule>)>,
    /// The same for replies.
    of_replies: Vec<(&'static dyn Kind, Arc<dyn Rule>)>,
    /// Whom the automatic ones are about.
    every_tool: Selection,
}

impl Unwritten {
    pub(super) fn of(spec: &Spec) -> Unwritten {
        Unwritten {
            required: spec.required().collect(),
            automatic: crate::guards::automatic(&spec.controls.off, Hook::PreTool),
            of_replies: crate::guards::automatic(&spec.controls.off, Hook::OnReply),
            every_tool: Selection::default(),
        }
    }

    /// The rules under a hook, in the order in which they are judged.
    pub(super) fn under<'u>(&'u self, spec: &'u Spec, hook: Hook) -> Vec<Source<'u>> {
        let of_replies = || self.of_replies.iter().map(|(kind, rule)| self.source(spec, *kind, rule));
        match hook {
            Hook::PreTool => self.of_calls(spec).collect(),
            Hook::OnReply => of_replies().map(|source| Source { hook, ..source }).collect(),
            Hook::OnInput | Hook::PostTool => Vec::new(),
        }
    }

    fn source<'u>(&'u self, spec: &'u Spec, kind: &dyn Kind, rule: &'u Arc<dyn Rule>) -> Source<'u> {
        of_automatic(kind.about(), rule, spec.id.span, &self.every_tool)
    }

    fn of_calls<'u>(&'u self, spec: &'u Spec) -> impl Iterator<Item = Source<'u>> {
        let required = self.required.iter().map(|required| Source {
            code: REQUIRE.into(),
            is_shared: required.layer == Layer::Contract,
            action: Action::Ask,
            ..Source::plain(required.span, &required.selection)
        });
        let automatic = self.automatic.iter();
        let automatic = automatic.map(|(kind, rule)| self.source(spec, *kind, rule));
        required.chain(automatic)
    }
}
