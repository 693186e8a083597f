//! An AgentSpec as plain data, every part with the place where its author wrote it.
//!
//! [`parse`] reads a spec, its contract and the schema files they name from [`Sources`](crate::source::Sources), and collects every problem.
//! What the parts mean together (does this glob match a tool, can this edge be walked) is judged by
//! [`compile`](crate::policy::compile).

mod budgets;
mod duration;
mod effective;
mod extends;
mod parse;
mod schemas;
pub mod shapes;
mod tools;

use crate::canon::Digest;
use crate::diagnostic::Diagnostic;
use crate::guards::{Hook, Rule};
use crate::schema::SchemaSources;
use crate::source::{Span, Spanned};
use crate::tool::{Effect, Pattern, Selector};
use crate::value::Value;
use std::sync::Arc;

pub use budgets::{BudgetSpec, Measure, OnSpent, Terms};
pub(crate) use duration::spelled as duration_text;
pub use parse::parse;
#[cfg(test)]
pub(crate) use parse::parse_with;
pub use schemas::Definitions;
pub use tools::{ArgChange, Form, Idempotency, Rewrite};

/// What [`parse`] makes of its sources.
#[derive(Debug)]
pub struct Parsed {
    /// The spec, unless an error or a missing file prevents it.
    pub spec: Option<Spec>,
    /// Every problem found, in the order of the files.
    pub diagnostics: Vec<Diagnostic>,
    /// Paths that are referred to and not among the sources. Add them and parse again.
    pub missing: Vec<String>,
}

/// One agent's contract.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The spec's id.
    pub id: Spanned<String>,
    /// Who the agent is, in the words of the prompt.
    pub persona: Spanned<String>,
    /// The contract it shares with others, by id.
    pub contract: Option<Spanned<String>>,
    /// What this layer permits.
    pub grants: Grants,
    /// The verdict where no guard has an opinion.
    pub default: DefaultVerdict,
    /// Whether decisions are enforced.
    pub mode: Mode,
    /// The schema of the host's world.
    pub world: Option<Spanned<Value<'static>>>,
    /// What the schemas of tools and world refer to.
    pub definitions: Definitions,
    /// The tools, in the order of the file.
    pub tools: Vec<ToolSpec>,
    /// The guards of contract and spec, in that order; edges and automatic guards are not among them.
    pub guards: Vec<GuardSpec>,
    /// The flow edges.
    pub flow: Vec<EdgeSpec>,
    /// The budgets of contract and spec, in that order.
    pub budgets: Vec<BudgetSpec>,
    /// What the ledger keeps.
    pub ledger: LedgerSpec,
    /// Automatic guards that are switched off.
    pub off: Vec<&'static str>,
    /// The SHA-256 over the paths and bytes of every file read.
    pub sources_digest: Digest,
}

/// What a layer permits; everything absent from it is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// The effects; `None`: those the tools declare.
    pub effects: Option<Vec<Effect>>,
    /// The scopes.
    pub scopes: Vec<String>,
}

/// What the ledger keeps of secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerSpec {
    /// True if the values file keeps what the line does not show.
    pub keep_secrets: bool,
    /// Names of secrets besides the shipped ones.
    pub secret_keys: Vec<String>,
}

impl Default for LedgerSpec {
    fn default() -> LedgerSpec {
        LedgerSpec { keep_secrets: true, secret_keys: Vec::new() }
    }
}

/// The verdict where no guard has an opinion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultVerdict {
    /// The call runs.
    #[default]
    Allow,
    /// Somebody is asked.
    Ask,
    /// The call does not run.
    Deny,
    /// The host's own prompt decides.
    Defer,
}

impl DefaultVerdict {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, DefaultVerdict)] = &[
        ("allow", DefaultVerdict::Allow),
        ("ask", DefaultVerdict::Ask),
        ("deny", DefaultVerdict::Deny),
        ("defer", DefaultVerdict::Defer),
    ];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

/// Whether decisions are enforced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// They are.
    #[default]
    Enforce,
    /// Every answer is allow, and what would have been is said beside it.
    Observe,
}

impl Mode {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Mode)] = &[("enforce", Mode::Enforce), ("observe", Mode::Observe)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

/// What firing does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Lifts `default`, never a deny.
    Allow,
    /// Is recorded; the call goes on.
    Audit,
    /// The result is accepted, and what to say of it goes with the answer; only after a call.
    Warn,
    /// The call does not run, or its result is withheld.
    #[default]
    Deny,
}

impl Action {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Action)] =
        &[("deny", Action::Deny), ("warn", Action::Warn), ("audit", Action::Audit), ("allow", Action::Allow)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        word_of(Self::WORDS, self)
    }

    /// What firing does where the guard does not say.
    #[must_use]
    pub fn default_of(hook: Hook) -> Action {
        if hook == Hook::PostTool { Action::Warn } else { Action::Deny }
    }

    /// The words a guard under this hook may say.
    #[must_use]
    pub fn of(hook: Hook) -> &'static [Action] {
        match hook {
            Hook::PreTool => &[Action::Deny, Action::Audit, Action::Allow],
            Hook::PostTool => &[Action::Warn, Action::Deny, Action::Audit],
            Hook::OnInput | Hook::OnReply => &[Action::Deny, Action::Audit],
        }
    }
}

/// What a guard does where the value it reads is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// It fires.
    #[default]
    Deny,
    /// It has no opinion.
    Skip,
}

impl OnMissing {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, OnMissing)] = &[("deny", OnMissing::Deny), ("skip", OnMissing::Skip)];
}

fn word_of<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, known)| *known == value).map_or("", |(word, _)| word)
}

/// A file of the spec: the contract's rules come before the spec's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// The contract.
    Contract,
    /// The spec.
    Spec,
}

/// One entry of `tools`.
#[derive(Clone, Debug)]
pub struct ToolSpec {
    /// Its name, or the glob of a family of host-owned tools.
    pub name: Spanned<Pattern>,
    /// What it does, for the model.
    pub description: Option<String>,
    /// Its effect; of several the strictest.
    pub effect: Effect,
    /// The scopes it needs.
    pub scopes: Vec<Spanned<String>>,
    /// Changes of its arguments before they are judged, in order.
    pub rewrites: Vec<Rewrite>,
    /// Whether faithful conversions of arguments are made.
    pub coerce: bool,
    /// True if what it does cannot be undone.
    pub destructive: bool,
    /// The schema of its arguments.
    pub parameters: Option<Parameters>,
    /// Which of its calls are one, and run once.
    pub idempotency: Option<Idempotency>,
}

/// A schema with its place, so that a problem in it can be placed.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// The schema.
    pub schema: Value<'static>,
    /// Its tree in the file.
    pub node: Arc<crate::yaml::Node>,
}

/// Who a rule is about, with the place of each pattern.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The selector.
    pub selector: Selector,
    /// Every pattern in it with its place.
    pub patterns: Vec<Spanned<Pattern>>,
}

/// A guard as its author wrote it.
#[derive(Clone, Debug)]
pub struct GuardSpec {
    /// Its id, the wire's `code`.
    pub id: Spanned<String>,
    /// Contract or spec.
    pub layer: Layer,
    /// Where it stands.
    pub hook: Hook,
    /// Who it is about.
    pub selection: Selection,
    /// The kind by name; `None` for a guard that fires whenever it applies.
    pub kind: Option<&'static str>,
    /// The kind's rule; a guard without a kind has none.
    pub rule: Option<Arc<dyn Rule>>,
    /// What firing does.
    pub action: Action,
    /// What a missing value does.
    pub missing: OnMissing,
    /// The rule for the prompt, in place of the kind's.
    pub prose: Option<String>,
    /// What to do instead, in place of the kind's.
    pub correction: Option<String>,
    /// The sentence a person may see.
    pub public_reason: Option<String>,
}

/// A flow edge: before `to`, one of `from` has succeeded.
#[derive(Clone, Debug)]
pub struct EdgeSpec {
    /// Its id, the wire's `code`.
    pub id: Spanned<String>,
    /// The calls it stands before.
    pub selection: Selection,
    /// The `requiresBefore` it compiles to.
    pub rule: Arc<dyn Rule>,
    /// The edge as `flow` would say it.
    pub written: Value<'static>,
    /// What to do instead, in place of the generated words.
    pub correction: Option<String>,
}

impl Spec {
    /// The effective spec as one value: contract merged, references replaced, defaults left out. Written as YAML it
    /// reads back to the same value.
    #[must_use]
    pub fn effective(&self) -> Value<'static> {
        effective::effective(self)
    }

    /// The digest of the meaning: SHA-256 over the canonical bytes of [`Spec::effective`].
    #[must_use]
    pub fn digest(&self) -> Digest {
        crate::canon::digest(&self.effective())
    }

    /// What the references in its schemas lead to.
    #[must_use]
    pub fn schema_sources(&self) -> SchemaSources<'_> {
        SchemaSources { defs: &self.definitions.shared, files: &self.definitions.files }
    }

    /// The declared tools a selection is about.
    pub fn selected<'s>(&'s self, selection: &'s Selection) -> impl Iterator<Item = &'s ToolSpec> {
        self.tools.iter().filter(|tool| selection.may_match(tool))
    }

    /// The places of patterns in the contract that match no tool of this spec. In a contract that is an error only
    /// where it holds for every agent.
    #[must_use]
    pub fn unmatched_contract_patterns(&self) -> Vec<Span> {
        let guards = self.guards.iter().filter(|guard| guard.layer == Layer::Contract).map(|guard| &guard.selection);
        let budgets =
            self.budgets.iter().filter(|budget| budget.layer == Layer::Contract).map(|budget| &budget.selection);
        let selectors = guards.chain(budgets).flat_map(|selection| &selection.patterns);
        let selectors = selectors.map(|pattern| (pattern.value.clone(), pattern.span));
        let rules = self.guards.iter().filter(|guard| guard.layer == Layer::Contract);
        let inside = rules.filter_map(|guard| guard.rule.as_ref()).flat_map(|rule| rule.tool_patterns());
        selectors.chain(inside).filter(|(pattern, _)| !self.declares(pattern)).map(|(_, span)| span).collect()
    }

    /// True if some declared tool is meant by a pattern.
    #[must_use]
    pub fn declares(&self, pattern: &Pattern) -> bool {
        self.tools.iter().any(|tool| pattern.overlaps(&tool.name.value))
    }
}

impl Selection {
    /// True if some call of a declared tool is meant.
    #[must_use]
    pub fn may_match(&self, tool: &ToolSpec) -> bool {
        let name = &tool.name.value;
        if name.is_exact() {
            self.selector.matches(name.text(), tool.effect)
        } else {
            self.selector.may_match(name, tool.effect)
        }
    }
}
