//! An AgentSpec as plain data, every part with the place where its author wrote it.
//!
//! [`parse`] reads a spec, its contract and the schema files they name from [`Sources`](crate::source::Sources), and collects every problem.
//! What the parts mean together (does this glob match a tool, can this edge be walked) is judged by
//! [`compile`](crate::policy::compile).

mod approvals;
mod budgets;
mod controls;
mod duration;
mod effective;
mod extends;
mod packs;
mod parse;
mod schemas;
pub mod shapes;
mod tools;
pub mod words;

use crate::canon::Digest;
use crate::decimal::Decimal;
use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expression, Let, Template};
use crate::guards::{Hook, Rule};
use crate::observed::CallPath;
use crate::path::Path;
use crate::schema::SchemaSources;
use crate::source::{Span, Spanned};
use crate::tool::{Effect, Pattern, Selector};
use crate::value::Value;
use crate::yaml::Node;
use std::sync::Arc;

pub use approvals::{Approvals, UserAnswers};
pub(crate) use approvals::{REQUIRE, Required};
pub use budgets::{BudgetSpec, Measure, OnSpent, Terms};
pub(crate) use controls::calls as calls_text;
pub use controls::{Controls, Profile, Streaming, Terminal, TextWithCalls};
pub(crate) use duration::spelled as duration_text;
pub(crate) use packs::packs_among;
pub use packs::{CaseResult, ExpressionParameter, Pack, PackKind, ParsedPack, Want, parse_pack};
#[cfg(test)]
pub(crate) use parse::parse_with;
pub use parse::{parse, parse_contract};
pub use schemas::Definitions;
pub use tools::{ArgChange, Form, Idempotency, Rewrite};
use words::{Directive, Lane, SharedWords};

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
    pub persona: Spanned<Template>,
    /// What it is for, and who does the rest.
    pub lane: Option<Lane>,
    /// How it goes about its work.
    pub behavior: Vec<Spanned<Template>>,
    /// What it is told where something holds.
    pub directives: Vec<Directive>,
    /// The contract it shares with others, by id.
    pub contract: Option<Spanned<String>>,
    /// What the contract gives all of them to say.
    pub words: SharedWords,
    /// What this layer permits.
    pub grants: Grants,
    /// The verdict where no guard has an opinion.
    pub default: DefaultVerdict,
    /// Whether decisions are enforced.
    pub mode: Mode,
    /// The schema of the host's world.
    pub world: Option<Spanned<Value<'static>>>,
    /// The paths of the world that outsiders can write.
    pub untrusted_world: Vec<Spanned<Path>>,
    /// The constants of contract and spec, an object.
    pub params: Value<'static>,
    /// The named expressions of contract and spec, in that order.
    pub lets: Vec<Let>,
    /// The offset of times without a zone, in minutes east of UTC.
    pub offset: Option<i32>,
    /// True if what is read of the world is missing from a write on, until the host sends it again.
    pub world_goes_stale: bool,
    /// What the schemas of tools and world refer to.
    pub definitions: Definitions,
    /// The tools, in the order of the file.
    pub tools: Vec<ToolSpec>,
    /// The guards of contract and spec, in that order; edges and automatic guards are not among them.
    pub guards: Vec<GuardSpec>,
    /// The flow edges.
    pub flow: Vec<EdgeSpec>,
    /// What is owed after what, before a reply.
    pub chains: Vec<ChainSpec>,
    /// The budgets of contract and spec, in that order.
    pub budgets: Vec<BudgetSpec>,
    /// How somebody is asked before a call runs, in the words of the spec or of its contract.
    pub approvals: Approvals,
    /// What the ledger keeps.
    pub ledger: LedgerSpec,
    /// How the run is governed.
    pub controls: Controls,
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
    /// The call runs, or its result is accepted, and the correction goes with the answer.
    Warn,
    /// Somebody is asked before the call runs.
    Ask,
    /// The call does not run, or its result is withheld.
    #[default]
    Deny,
}

impl Action {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Action)] = &[
        ("deny", Action::Deny),
        ("ask", Action::Ask),
        ("warn", Action::Warn),
        ("audit", Action::Audit),
        ("allow", Action::Allow),
    ];

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
            Hook::PreTool => &[Action::Deny, Action::Ask, Action::Warn, Action::Audit, Action::Allow],
            Hook::PostTool => &[Action::Warn, Action::Deny, Action::Audit],
            Hook::OnInput | Hook::OnReply => &[Action::Deny, Action::Audit],
        }
    }
}

/// Who answers an ask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// The person in the conversation.
    User,
    /// Somebody who may approve.
    #[default]
    Approver,
}

impl By {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, By)] = &[("user", By::User), ("approver", By::Approver)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        word_of(Self::WORDS, self)
    }
}

/// What a guard does that cannot judge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It denies.
    #[default]
    Deny,
    /// It asks.
    Ask,
}

impl OnFailure {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, OnFailure)] = &[("deny", OnFailure::Deny), ("ask", OnFailure::Ask)];
}

/// When what a tool does cannot be undone.
#[derive(Clone, Debug, Default)]
pub enum Destructive {
    /// It can.
    #[default]
    Never,
    /// Whatever the call.
    Always,
    /// Where this holds of the call.
    When(Expression),
}

impl Destructive {
    /// True if some call may be.
    #[must_use]
    pub fn may_be(&self) -> bool {
        !matches!(self, Destructive::Never)
    }
}

/// A guard's `forEach`: the variables, and the list or map they go over.
#[derive(Clone, Debug)]
pub struct Each {
    /// One or two names.
    pub variables: Vec<Spanned<String>>,
    /// The list or map.
    pub over: Expression,
}

impl Each {
    /// The one spelling.
    #[must_use]
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.variables.iter().map(|name| name.value.as_str()).collect();
        format!("{} in {}", names.join(", "), self.over.text())
    }

    /// True if an expression reads one of the variables.
    pub(crate) fn is_read_by(&self, expression: &Expression) -> bool {
        let read = expression.roots();
        self.variables.iter().any(|variable| read.iter().any(|root| root.value == variable.value))
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

/// One of some words; of others it is known that a later version acts on them.
fn known_word<T: Copy>(
    decoder: &mut Decoder<'_>,
    node: &Node,
    words: &[(&'static str, T)],
    later: &[&'static str],
) -> Option<T> {
    if let Some(text) = node.text().filter(|text| later.contains(text)) {
        let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        let message = format!("`{text}` is none of {}", crate::decode::quoted_list(&known));
        let problem = Diagnostic::error("unknown-word", node.span, message);
        decoder.report(problem.help(format!("this version does not act on `{text}` yet")));
        return None;
    }
    decoder.word(node, words)
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
    /// When what it does cannot be undone.
    pub destructive: Destructive,
    /// How a person is asked about a call of it, in place of its name and arguments.
    pub label: Option<Template>,
    /// True if no call is allowed after its success.
    pub ends: bool,
    /// The contract's word for its success.
    pub outcome: Option<Spanned<String>>,
    /// What one call of it costs, in the unit of the budgets.
    pub cost: Option<Decimal>,
    /// The schema of its arguments.
    pub parameters: Option<Parameters>,
    /// What the model declares beside them: an object with a property for each.
    pub declares: Option<Parameters>,
    /// The schema of its result.
    pub returns: Option<Parameters>,
    /// What of a result says that the call failed, besides the host's own flag.
    pub error_when: Option<Expression>,
    /// Which of its calls are one, and run once.
    pub idempotency: Option<Idempotency>,
    /// The paths of its result that outsiders can write; those of a tool of a server are all of it, unless it says.
    pub untrusted: Vec<Spanned<Path>>,
    /// Where secrets and private data stand in its arguments and its result.
    pub sensitive: Vec<Spanned<CallPath>>,
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
    /// Whether it applies; absent: it does.
    pub when: Option<Expression>,
    /// What it is asked once for each of.
    pub each: Option<Each>,
    /// What must be true, where it is written out.
    pub check: Option<Expression>,
    /// What it gives its pack's kind, with the types that the kind asks for.
    pub expected: Vec<Expected>,
    /// The kind by name; `None` for a guard with a written check, or one that fires whenever it applies.
    pub kind: Option<&'static str>,
    /// The kind's rule; a guard without a kind has none.
    pub rule: Option<Arc<dyn Rule>>,
    /// What firing does.
    pub action: Action,
    /// What stands at these paths of a result instead, where it fires.
    pub redact: Vec<(Spanned<Path>, Expression)>,
    /// Who is asked, where it asks.
    pub by: By,
    /// Whether it also judges text beside calls, where it says.
    pub interim: Option<bool>,
    /// What a missing value does.
    pub missing: OnMissing,
    /// True if its author said so.
    pub says_missing: bool,
    /// What a failure of its own does.
    pub on_failure: OnFailure,
    /// The rule for the prompt, in place of the kind's. It reads constants only.
    pub prose: Option<Template>,
    /// What to do instead, in place of the kind's.
    pub correction: Option<Template>,
    /// The sentence a person may see.
    pub public_reason: Option<Template>,
}

/// An expression that a guard gives for a parameter of its pack's kind.
#[derive(Clone, Debug)]
pub struct Expected {
    /// The parameter.
    pub name: String,
    /// The type it must have, in the words of CEL.
    pub ty: String,
    /// What is given.
    pub given: Expression,
}

/// A chain: after one tool succeeded a call of another is owed.
#[derive(Clone, Debug)]
pub struct ChainSpec {
    /// The tool after whose success it is owed.
    pub after: Spanned<Pattern>,
    /// The tool that is owed.
    pub call: Spanned<Pattern>,
    /// Whether it is; absent: it is.
    pub when: Option<Expression>,
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
    pub correction: Option<Template>,
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
