//! Which calls two versions of a spec decide otherwise, with a call that shows it.
//!
//! ```text
//! old Spec, Policy ──┐
//!                    ├─► for each tool: where each denies, asks, allows (proof) ──► calls in two different places?
//! new Spec, Policy ──┘                                                                   │
//!                                          none: proved unchanged  ◄── impossible ───────┤
//!                            a scene with a call, decided by both engines  ◄── possible ─┘
//! ```
//!
//! A change is only told with a [`Scene`] in which the old policy says one thing and the new one another: the engine of
//! each decided it. What may have changed and has no such scene is in [`Comparison::undecided`], in words. Compared are
//! calls: tools, schemas, grants, flow, guards on calls, budgets, approvals. What else differs is named there too.
//!
//! ```
//! use flyball::diff::{Answer, compare};
//! use flyball::source::Sources;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let version = |max: u32| -> Result<_, Box<dyn std::error::Error>> {
//!     let text = format!(
//!         "agentspec: 1\nid: desk\npersona: You are the desk.\ntools:\n  pay:\n    effect: external\n    parameters: {{type: object, required: [amount], properties: {{amount: {{type: number}}}}}}\nguards: {{preTool: [{{id: cap, tools: [pay], kind: argRange, with: {{arg: amount, max: {max}}}}}]}}\n"
//!     );
//!     let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.ok_or("it has errors")?;
//!     let policy = flyball::policy::compile(&spec).map_err(|problems| format!("{problems:?}"))?;
//!     Ok((spec, policy))
//! };
//! let (old, new) = (version(500)?, version(600)?);
//! let comparison = compare((&old.0, &old.1), (&new.0, &new.1));
//! let [change] = comparison.changes.as_slice() else { return Err("one change".into()) };
//! assert_eq!((change.from, change.to), (Answer::Deny, Answer::Allow));
//! assert_eq!(change.scene.call(), r#"pay {"amount":600}"#);
//! assert!(comparison.is_loosened() && comparison.undecided.is_empty());
//! # Ok(())
//! # }
//! ```

mod budgets;
mod facts;
mod regions;
mod scene;
#[cfg(test)]
mod tests;

use crate::policy::Policy;
use crate::spec::Spec;
use regions::{Version, Versions};
pub use scene::{Earlier, Scene};
use std::collections::BTreeSet;

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Answer {
    /// It runs.
    Allow,
    /// The host's own prompt decides.
    Defer,
    /// Somebody is asked first.
    Ask,
    /// It does not run.
    Deny,
}

impl Answer {
    /// The wire's word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Answer::Allow => "allow",
            Answer::Defer => "defer",
            Answer::Ask => "ask",
            Answer::Deny => "deny",
        }
    }

    /// `allowed`, `left to the host`, `asked`, `denied`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Answer::Allow => "allowed",
            Answer::Defer => "left to the host",
            Answer::Ask => "asked",
            Answer::Deny => "denied",
        }
    }
}

/// Calls of a tool that are decided otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The tool.
    pub tool: String,
    /// What the old version said of the call.
    pub from: Answer,
    /// What the new one says.
    pub to: Answer,
    /// What made the stricter one stand against it: a guard, a budget, a gate.
    pub by: String,
    /// A call of which both are so, and what came before it.
    pub scene: Scene,
}

impl Change {
    /// True if more may be done than before without anybody being asked more.
    #[must_use]
    pub fn loosens(&self) -> bool {
        self.to < self.from
    }
}

/// What two versions come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// What is decided otherwise, tool by tool.
    pub changes: Vec<Change>,
    /// What may be, and why nobody can say.
    pub undecided: Vec<String>,
    /// How many tools are proved to be decided as before.
    pub unchanged: usize,
}

impl Comparison {
    /// True if some call is allowed, or asked about, that was not.
    #[must_use]
    pub fn is_loosened(&self) -> bool {
        self.changes.iter().any(Change::loosens)
    }
}

/// Compares two versions of a spec, each with its policy.
#[must_use]
pub fn compare(old: (&Spec, &Policy), new: (&Spec, &Policy)) -> Comparison {
    let mut comparison = Comparison::default();
    let (beside, tools_beside) = facts::not_compared(old.0, new.0);
    let names = |policy: &Policy| policy.tool_names().map(str::to_owned).collect::<BTreeSet<_>>();
    for name in names(old.1).union(&names(new.1)) {
        let version = |(spec, policy)| Version::of(spec, policy, name);
        let before = (comparison.changes.len(), comparison.undecided.len());
        match (version(old), version(new)) {
            (Some(old), Some(new)) => Versions::of(old, new).compare(&mut comparison),
            (Some(one), None) => match Version::serving(new.0, new.1, &one) {
                Some(family) => Versions::of(one, family).compare(&mut comparison),
                None => regions::taken_out(&one, new, &mut comparison),
            },
            (None, Some(two)) => match Version::serving(old.0, old.1, &two) {
                Some(family) => Versions::of(family, two).compare(&mut comparison),
                None => regions::put_in(old, &two, &mut comparison),
            },
            (None, None) => {}
        }
        if before == (comparison.changes.len(), comparison.undecided.len()) && !tools_beside.contains(name) {
            comparison.unchanged = comparison.unchanged.saturating_add(1);
        }
    }
    comparison.undecided.extend(beside);
    comparison
}
