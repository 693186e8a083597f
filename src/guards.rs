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
pub mod block_pattern;
pub mod claim_is_complete;
pub mod claim_is_grounded;
mod claims;
pub(crate) mod condition;
pub mod confirm_first;
pub mod consent_required;
pub mod content_from;
pub mod dates_grounded;
pub mod degeneration_guard;
pub mod destructive_claim_requires_success;
pub mod destructive_throttle;
pub mod disclosure;
pub mod distinct_targets;
pub mod empty_reply;
pub mod forbid;
mod grounded;
pub mod ids_grounded;
pub mod jargon_scrub;
mod lexicon;
pub mod lie_check;
pub mod llm_check;
mod markdown;
pub mod mask_pattern;
pub mod max_calls;
pub mod max_length;
pub mod max_mentions;
pub mod max_questions;
pub mod minimal_disclosure;
pub mod must_account_for;
pub mod must_mention;
pub mod must_not_mention;
pub mod no_competitor_claim;
pub mod no_duplicate_call;
pub mod no_fabricated_success;
pub mod no_false_failure_claim;
pub mod no_out_of_surface_action_claim;
pub mod no_secrets_out;
pub mod no_ungrounded_regulated_figure;
mod pattern;
pub mod pending_confirm_must_ask;
mod phrases;
pub mod precondition;
pub mod purge_pattern;
pub mod question_answered;
mod reading;
pub mod redact_result;
mod replace;
mod reply;
pub mod requires_before;
pub mod result_invariant;
pub(crate) mod screen;
pub mod script;
pub mod secrets_in_reply;
mod sources;
pub mod swap_terms;
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

/// What becomes of what a guard stops, as far as words depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Firing {
    /// The message is not taken up.
    RefusesTurn,
    /// The call does not run, or its result is withheld.
    Denies,
    /// The user is asked first.
    AsksUser,
    /// Somebody who may approve it is asked first.
    AsksApprover,
    /// It goes on, with words beside it.
    Warns,
}

/// A guard as its author wrote it, before it meets a tool.
pub trait Rule: fmt::Debug + Send + Sync {
    /// Its parameters, as `with:` would say them.
    fn parameters(&self) -> Value<'static>;

    /// The rule as one sentence for the prompt, without a full stop. Constant: it reads no call and no world.
    fn prose(&self) -> String;

    /// The same where a guard says what becomes of what it stops; most kinds say what holds, whatever becomes of the rest.
    fn prose_where(&self, _: Firing) -> String {
        self.prose()
    }

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
    &block_pattern::BlockPattern,
    &claim_is_complete::ClaimIsComplete,
    &claim_is_grounded::ClaimIsGrounded,
    &confirm_first::ConfirmFirst,
    &consent_required::ConsentRequired,
    &content_from::ContentFrom,
    &dates_grounded::DatesGrounded,
    &degeneration_guard::DegenerationGuard,
    &destructive_claim_requires_success::DestructiveClaimRequiresSuccess,
    &destructive_throttle::DestructiveThrottle,
    &disclosure::Disclosure,
    &distinct_targets::DistinctTargets,
    &empty_reply::EmptyReply,
    &forbid::Forbid,
    &ids_grounded::IdsGrounded,
    &jargon_scrub::JargonScrub,
    &lie_check::LieCheck,
    &llm_check::LlmCheck,
    &mask_pattern::MaskPattern,
    &max_calls::MaxCalls,
    &max_length::MaxLength,
    &max_mentions::MaxMentions,
    &max_questions::MaxQuestions,
    &minimal_disclosure::MinimalDisclosure,
    &must_account_for::MustAccountFor,
    &must_mention::MustMention,
    &must_not_mention::MustNotMention,
    &no_competitor_claim::NoCompetitorClaim,
    &no_duplicate_call::NoDuplicateCall,
    &no_fabricated_success::NoFabricatedSuccess,
    &no_false_failure_claim::NoFalseFailureClaim,
    &no_out_of_surface_action_claim::NoOutOfSurfaceActionClaim,
    &no_secrets_out::NoSecretsOut,
    &no_ungrounded_regulated_figure::NoUngroundedRegulatedFigure,
    &pending_confirm_must_ask::PendingConfirmMustAsk,
    &precondition::Precondition,
    &purge_pattern::PurgePattern,
    &question_answered::QuestionAnswered,
    &redact_result::RedactResult,
    &requires_before::RequiresBefore,
    &result_invariant::ResultInvariant,
    &script::Script,
    &secrets_in_reply::SecretsInReply,
    &swap_terms::SwapTerms,
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

    /// The rule of the one guard under `onReply`.
    fn rule(guard: &str) -> Arc<dyn Rule> {
        let head = "agentspec: 1\nid: a\npersona: A.\ntools: {look: {effect: read}}\nguards:\n  onReply:\n";
        let lines: String = guard.lines().map(|line| format!("    {line}\n")).collect();
        let parsed = crate::spec::parse(&crate::source::Sources::new("a.yaml", format!("{head}{lines}")));
        let spec = parsed.spec.unwrap_or_else(|| panic!("{guard}: {:?}", parsed.diagnostics));
        spec.guards.first().and_then(|guard| guard.rule.clone()).unwrap()
    }

    #[test]
    fn the_example_of_a_kind_about_replies_is_one_and_reads_back_as_it_is_written() {
        for about in KINDS.iter().map(|kind| kind.about()).filter(|about| about.hooks.contains(&Hook::OnReply)) {
            let example = about.docs.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
            let bare = format!("- {{id: a, kind: {}}}", about.name);
            let read = rule(if example.starts_with("- ") { example } else { &bare }).parameters();
            if read.as_object().is_some_and(|read| !read.is_empty()) {
                let mut text = Vec::new();
                crate::canon::write(&read, &mut text);
                let text = String::from_utf8(text).unwrap();
                let written = format!("- {{id: a, kind: {}, with: {text}}}", about.name);
                assert_eq!(rule(&written).parameters(), read, "{}", about.name);
            }
        }
    }

    #[test]
    fn what_a_parameter_of_a_kind_about_truth_says_is_taught_and_reads_back() {
        let fabricated = ["tool: look", "words: [done]", "offers: soon", "exempt: before"];
        let destructive = ["tools: [look]", "claims: gone", "offers: soon", "exempt: before"];
        let cases: [(&str, &[&str], &[&str]); 10] = [
            ("pendingConfirmMustAsk", &["asks: a"], &["asks: [b]"]),
            ("llmCheck", &["question: Is it so?"], &["question: Is it rude."]),
            ("mustAccountFor", &["records: [a]", "outcome: success"], &["records: [b, 7]", "outcome: failure"]),
            ("noFabricatedSuccess", &fabricated, &["tool: [a, b]", "words: did", "offers: later", "exempt: once"]),
            ("destructiveClaimRequiresSuccess", &destructive, &["tools: a", "claims: off", "offers: if", "exempt: x"]),
            ("noFalseFailureClaim", &["claims: failed", "exempt: but"], &["claims: [a, b]", "exempt: yet"]),
            (
                "noOutOfSurfaceActionClaim",
                &["actions: [{phrases: done, tool: a}]", "offers: soon"],
                &["actions: [{phrases: did, tool: b}, {phrases: saw, tool: c/d}]", "offers: later"],
            ),
            (
                "noUngroundedRegulatedFigure",
                &["pattern: '[0-9]+ mg'", "allowFromResults: false"],
                &["pattern: '[0-9]+ %'", "allowFromResults: true"],
            ),
            (
                "minimalDisclosure",
                &["fields: age", "entity: 'P-[0-9]+'", "maxEntities: 2"],
                &["fields: name", "entity: 'Q-[0-9]+'", "maxEntities: 0"],
            ),
            ("disclosure", &["after: look", "say: 'Hello {session.id}.'"], &["after: [a, b]", "say: 'Bye {{.'"]),
        ];
        for (kind, with, changes) in cases {
            let of = |with: &[&str]| rule(&format!("- {{id: a, kind: {kind}, with: {{{}}}}}", with.join(", ")));
            let before = of(with);
            for (at, change) in changes.iter().enumerate() {
                let changed: Vec<&str> =
                    with.iter().enumerate().map(|(one, had)| if one == at { change } else { had }).copied().collect();
                let after = of(&changed);
                assert_ne!(after.prose(), before.prose(), "{kind}: {change}");
                let mut text = Vec::new();
                crate::canon::write(&after.parameters(), &mut text);
                let again = rule(&format!("- {{id: a, kind: {kind}, with: {}}}", String::from_utf8(text).unwrap()));
                assert_eq!(again.prose(), after.prose(), "{kind}: {change}");
                assert_eq!(again.parameters(), after.parameters(), "{kind}: {change}");
            }
        }
    }
}
