//! The catalog of guard kinds: a check, the prose that teaches it, and the correction that mends it, in one object
//! (law 3).
//!
//! One kind, one file. [`KINDS`] is the only registry; the decoder, the documentation, the JSON Schema and the tests
//! read it. A check is pure: it reads a [`Context`] and answers a [`Finding`].

pub mod after_untrusted;
pub mod amounts_grounded;
pub mod arg_absent;
pub mod arg_format;
pub mod arg_from;
pub mod arg_length;
pub mod arg_not_from;
pub mod arg_one_of;
pub mod arg_range;
pub mod arg_required;
mod argument;
pub(crate) mod condition;
pub mod confirm_first;
pub mod consent_required;
pub mod content_from;
pub mod dates_grounded;
pub mod destructive_throttle;
pub mod distinct_targets;
pub mod empty_reply;
pub mod forbid;
mod grounded;
pub mod ids_grounded;
pub mod max_calls;
pub mod no_duplicate_call;
pub mod no_secrets_out;
pub mod precondition;
mod reading;
pub mod redact_result;
mod reply;
pub mod requires_before;
pub mod result_invariant;
pub(crate) mod screen;
mod sources;
pub mod trifecta;
pub mod value_from_user;

use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation, Program};
use crate::schema::ArgSchema;
use crate::source::Span;
use crate::tool::Effect;
use crate::value::Value;
use std::fmt;
use std::sync::Arc;

pub use crate::context::Hook;
pub use argument::ArgumentPath;
pub use reading::Read;
pub use screen::Claim;

/// What sort of thing a kind looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Which call comes after which.
    Spatial,
    /// The arguments.
    Input,
    /// The run: counters, world, repeats.
    Run,
    /// The result.
    Output,
    /// The reply.
    Behavior,
}

impl Dimension {
    /// The word in corrections and documentation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Spatial => "spatial",
            Dimension::Input => "input",
            Dimension::Run => "run",
            Dimension::Output => "output",
            Dimension::Behavior => "behavior",
        }
    }
}

/// What the catalog says of a kind.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The word after `kind:`.
    pub name: &'static str,
    /// Where it may stand.
    pub hooks: &'static [Hook],
    /// What it looks at.
    pub dimension: Dimension,
    /// True if every spec has it without asking.
    pub automatic: bool,
    /// What stands under `with:`.
    pub parameters: &'static Shape,
    /// Markdown in fixed sections: *What it checks*, *Why*, *Example*, *Correction*.
    pub docs: &'static str,
}

/// A kind of guard.
pub trait Kind: fmt::Debug + Send + Sync {
    /// What the catalog says of it.
    fn about(&self) -> &'static About;

    /// Reads `with:`. Problems go to the decoder; `None` after at least one.
    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>>;
}

/// A guard as its author wrote it, before it meets a tool.
pub trait Rule: fmt::Debug + Send + Sync {
    /// Its parameters, as `with:` would say them.
    fn parameters(&self) -> Value<'static>;

    /// The rule as one sentence for the prompt, without a full stop. Constant: it reads no call and no world.
    fn prose(&self) -> String;

    /// True if it is about a tool that its author did not name: an automatic guard asks this.
    fn concerns(&self, _: &ToolFacts<'_>) -> bool {
        true
    }

    /// True if it changes replies instead of judging them. Such a guard takes no action.
    fn is_mutator(&self) -> bool {
        false
    }

    /// True if it also judges text beside calls where its guard does not say.
    fn is_interim(&self) -> bool {
        false
    }

    /// True if it asks the user where every spec has it without asking; others deny there.
    fn asks_user(&self) -> bool {
        false
    }

    /// The check against the calls of one tool, or why this tool cannot have it. `None` from a rule that is a
    /// [`Rule::limit`]: nothing is left to check at gate 9.
    ///
    /// # Errors
    /// A problem per parameter that does not fit the tool.
    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>>;

    /// The ordering it stands for, for the flow graph: each entry is a set of tools of which one must come first.
    fn requires(&self) -> Vec<Vec<crate::tool::Pattern>> {
        Vec::new()
    }

    /// The patterns over tools inside its parameters, each of which must match something.
    fn tool_patterns(&self) -> Vec<(crate::tool::Pattern, Span)> {
        Vec::new()
    }

    /// The count budget it compiles to, instead of a check.
    fn limit(&self) -> Option<crate::guards::max_calls::Limit> {
        None
    }
}

/// A guard ready to judge calls of one tool.
pub trait Check: fmt::Debug + Send + Sync {
    /// Judges. Allocates nothing when it passes.
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding;

    /// The expression that it asks, if it is one with words of its kind.
    fn program(&self) -> Option<&Program> {
        None
    }

    /// A result with what it finds taken out; `None` where it finds nothing, or takes nothing out.
    fn rewritten(&self, _: &Value<'_>) -> Option<Value<'static>> {
        None
    }

    /// A reply's text as a mutator leaves it; `None` where it changes nothing.
    ///
    /// # Errors
    /// What it puts in has no value.
    fn mended(&self, _: &str, _: &mut Evaluation<'_>) -> Result<Option<String>, Finding> {
        Ok(None)
    }

    /// The most bytes that one thing can have which it looks for in a reply, where it judges a reply by nothing else: text
    /// before that from the end of what is known so far can no more become what it objects to.
    fn window(&self) -> Option<usize> {
        None
    }

    /// What it claims of one argument, if that is all it looks at.
    fn claim(&self) -> Option<Claim> {
        None
    }

    /// What to do instead, for the model, after [`Check::check`] did not pass on the same context.
    fn correction(&self, context: &Context<'_>) -> String;

    /// What it reads of the call, for whoever asks why it answered as it did.
    fn reads(&self, _: &Context<'_>) -> Vec<Read> {
        Vec::new()
    }

    /// The nearest change of one thing it reads with which it passes, after it did not on the same context; `None`
    /// where there is none to name. What to write stands behind the arrow: `amount` 620 → 500.
    fn flips(&self, _: &Context<'_>) -> Option<String> {
        None
    }

    /// True if nothing the model does makes such a call possible.
    fn is_final(&self) -> bool {
        false
    }
}

/// What a guard may know of a tool at compile time.
#[derive(Clone, Copy, Debug)]
pub struct ToolFacts<'t> {
    /// The id of the guard that is bound to it.
    pub rule: &'t str,
    /// The canonical name, or the glob of a family.
    pub name: &'t str,
    /// Its effect.
    pub effect: Effect,
    /// True if what it does cannot be undone.
    pub destructive: bool,
    /// Its arguments.
    pub args: &'t ArgSchema,
    /// The declared world, if the spec has a schema for it.
    pub world: Option<&'t ArgSchema>,
}

/// Every kind, by name.
pub static KINDS: &[&dyn Kind] = &[
    &after_untrusted::AfterUntrusted,
    &amounts_grounded::AmountsGrounded,
    &arg_absent::ArgAbsent,
    &arg_format::ArgFormat,
    &arg_from::ArgFrom,
    &arg_length::ArgLength,
    &arg_not_from::ArgNotFrom,
    &arg_one_of::ArgOneOf,
    &arg_range::ArgRange,
    &arg_required::ArgRequired,
    &confirm_first::ConfirmFirst,
    &consent_required::ConsentRequired,
    &content_from::ContentFrom,
    &dates_grounded::DatesGrounded,
    &destructive_throttle::DestructiveThrottle,
    &distinct_targets::DistinctTargets,
    &empty_reply::EmptyReply,
    &forbid::Forbid,
    &ids_grounded::IdsGrounded,
    &max_calls::MaxCalls,
    &no_duplicate_call::NoDuplicateCall,
    &no_secrets_out::NoSecretsOut,
    &precondition::Precondition,
    &redact_result::RedactResult,
    &requires_before::RequiresBefore,
    &result_invariant::ResultInvariant,
    &trifecta::Trifecta,
    &value_from_user::ValueFromUser,
];

/// The guards that every spec has under a hook, unless it switched them off.
pub(crate) fn automatic(off: &[&'static str], hook: Hook) -> Vec<(&'static dyn Kind, Arc<dyn Rule>)> {
    let is_on = |about: &About| about.automatic && about.hooks.contains(&hook) && !off.contains(&about.name);
    let kinds = KINDS.iter().filter(|kind| is_on(kind.about()));
    let sources = crate::source::Sources::default();
    let rule = |kind: &&dyn Kind| kind.decode(&mut Decoder::new(&sources), &Fields::empty(Span::default()));
    kinds.filter_map(|kind| Some((*kind, rule(kind)?))).collect()
}

/// The kinds a spec may name.
#[derive(Clone, Copy, Debug)]
pub struct Registry<'k> {
    kinds: &'k [&'k dyn Kind],
}

impl Registry<'static> {
    /// The native catalog.
    #[must_use]
    pub fn native() -> Registry<'static> {
        Registry { kinds: KINDS }
    }
}

impl<'k> Registry<'k> {
    /// A catalog of these kinds.
    #[cfg(test)]
    pub(crate) fn of(kinds: &'k [&'k dyn Kind]) -> Registry<'k> {
        Registry { kinds }
    }

    /// The kind of a name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&'k dyn Kind> {
        self.kinds.iter().copied().find(|kind| kind.about().name == name)
    }

    /// Every name, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.kinds.iter().map(|kind| kind.about().name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalog_is_sorted_and_every_entry_is_documented() {
        let names: Vec<&str> = KINDS.iter().map(|kind| kind.about().name).collect();
        assert!(names.is_sorted());
        for kind in KINDS {
            let about = kind.about();
            for section in ["## What it checks", "## Why", "## Example", "## Correction"] {
                assert!(about.docs.contains(section), "{} has no section `{section}`", about.name);
            }
            assert!(!about.hooks.is_empty());
        }
    }

    #[test]
    fn no_file_of_a_kind_is_forgotten() {
        let source = include_str!("guards.rs");
        let modules = source.lines().filter_map(|line| line.strip_prefix("pub mod ")).count();
        assert_eq!(modules, KINDS.len());
    }
}
