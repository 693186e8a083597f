//! What can be proved of a spec without running it: which calls a guard can fire on, and what follows from what.
//!
//! ```text
//! Policy ── reading, opinion ──► a condition for each guard of a tool: where it denies, asks, lifts
//!                                     │
//!            schema of the tool ──────┤ formula: is there anything that meets all of these?
//!                                     ▼
//!                     impossible (a proof)  ·  possible (with an example)  ·  undecided
//! ```
//!
//! Decided exactly: ranges of numbers, sets of values, equality, presence, null, types and patterns as they stand, over
//! arguments, the world, the session and lets, joined by `&&`, `||`, `!` and conditionals. Everything else (lists, computed
//! values, two values compared, earlier calls, kinds that judge more than one argument) stands for itself: the same text is
//! the same thing, two texts may be anything. So what is called impossible is, and what is called possible is tried on
//! the engine before anyone is told.

mod domain;
mod example;
mod fitting;
mod formula;
mod opinion;
mod reading;
#[cfg(test)]
pub(crate) mod tests;
mod text;

use crate::policy::{Policy, ToolPolicy};
use crate::spec::Spec;
pub(crate) use domain::Domain;
pub(crate) use example::{arguments, pick};
pub(crate) use fitting::{fit, seed};
pub(crate) use formula::{Formula, Known, Model, Solution, Space};
pub(crate) use opinion::{Calls, Opinion, of_tool};
pub(crate) use reading::Reader;

/// What the guards of a spec say of the calls of each tool.
#[derive(Debug)]
pub(crate) struct Proofs<'p> {
    /// In the order of the file.
    pub(crate) tools: Vec<(&'p ToolPolicy, Calls)>,
}

impl<'p> Proofs<'p> {
    /// Reads every guard of every tool.
    pub(crate) fn of(spec: &Spec, policy: &'p Policy) -> Proofs<'p> {
        Proofs { tools: policy.tools.iter().zip(opinion::of_spec(spec, policy)).collect() }
    }
}

impl Calls {
    /// True if no call that the schema lets through meets all of these.
    pub(crate) fn is_impossible(&self, conditions: &[&Formula]) -> bool {
        let all: Vec<&Formula> = std::iter::once(&self.fit).chain(conditions.iter().copied()).collect();
        self.space.is_impossible(&all)
    }

    /// A call that meets them, as a person writes it: `pay {"amount":7}`; `None` where none is found that the schema
    /// lets through.
    pub(crate) fn example(&self, tool: &ToolPolicy, conditions: &[&Formula]) -> Option<String> {
        let all: Vec<&Formula> = std::iter::once(&self.fit).chain(conditions.iter().copied()).collect();
        let Solution::Possible(model) = self.space.solve(&all) else { return None };
        let args = arguments(&self.space, &model, &tool.args);
        tool.args.bind(&args).is_ok().then(|| format!("`{} {}`", tool.name, crate::canon::to_text(&args)))
    }
}
