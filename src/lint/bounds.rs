//! What the rules of a spec say of the arguments of a tool, besides its schema.
//!
//! Only what denies counts. A rule that is about a part of the calls is taken to be about all of them: who looks for a gap
//! finds none there.

use super::{Linted, about, arguments, checks, expressions};
use crate::expr::{Limited, ReadPath};
use crate::spec::{Action, ArgChange, GuardSpec, ToolSpec};
use crate::value::Value;

/// The paths of arguments that rules limit.
#[derive(Default)]
pub(super) struct Bounds {
    /// Not any value may stand there.
    pinned: Vec<String>,
    /// It has some length or form.
    sized: Vec<String>,
}

impl Bounds {
    /// What guards, flow edges and rewrites say of a tool.
    pub(super) fn of(linted: &Linted<'_>, tool: &ToolSpec) -> Bounds {
        let mut bounds = Bounds::default();
        for guard in about::guards(linted, tool).filter(|guard| guard.action == Action::Deny) {
            bounds.add_kind(guard);
            bounds.add_check(linted, guard);
        }
        for edge in linted.spec.flow.iter().filter(|edge| edge.selection.may_match(tool)) {
            match edge.written.get("same") {
                Some(Value::Object(same)) => bounds.pinned.extend(same.iter().map(|(ours, _)| ours.to_owned())),
                Some(same) => bounds.pinned.extend(same.as_str().map(str::to_owned)),
                None => {}
            }
        }
        let sets = tool.rewrites.iter().filter(|rewrite| matches!(rewrite.change, ArgChange::Set(_)));
        bounds.pinned.extend(sets.map(|rewrite| rewrite.arg.text()));
        bounds
    }

    /// True if not any value may stand at a path.
    pub(super) fn are_pinning(&self, path: &str) -> bool {
        self.pinned.iter().any(|pinned| pinned == path)
    }

    /// True if a path is pinned, or of some length or form.
    pub(super) fn are_about(&self, path: &str) -> bool {
        self.are_pinning(path) || self.sized.iter().any(|sized| sized == path)
    }

    /// What a kind says, if that is enough.
    fn add_kind(&mut self, guard: &GuardSpec) {
        let Some(with) = guard.rule.as_ref().map(|rule| rule.parameters()) else { return };
        let into = match guard.kind {
            Some("argFormat" | "argFrom" | "valueFromUser") => &mut self.pinned,
            Some("argOneOf") if with.get("not").is_none() => &mut self.pinned,
            Some("argLength") if with.get("max").is_some() => &mut self.sized,
            _ => return,
        };
        let named = with.get("arg").into_iter().chain(arguments::list(&with, "args"));
        into.extend(named.filter_map(Value::as_str).map(str::to_owned));
    }

    /// What a written check says, also by lets.
    fn add_check(&mut self, linted: &Linted<'_>, guard: &GuardSpec) {
        let Some(check) = checks::of(linted, guard) else { return };
        let element = guard.each.as_ref().and_then(|each| {
            let name = each.variables.last()?.value.clone();
            let mut over = each.over.path()?;
            over.steps.push("[]".to_owned());
            Some((name, Some(over)))
        });
        let arguments = |paths: Vec<ReadPath>| {
            paths.into_iter().filter(|path| path.root == "args").map(|path| arguments::text(&path.steps))
        };
        for expression in expressions::with_lets(linted.spec, &check) {
            let Limited { pinned, sized } = expression.limited(element.as_slice());
            self.pinned.extend(arguments(pinned));
            self.sized.extend(arguments(sized));
        }
    }
}
