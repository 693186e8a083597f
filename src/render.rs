//! The prompt: every rule that is checked, taught by the object that checks it (law 3).
//!
//! A prompt is made once, when a policy is compiled, and is the same on every turn (law 7): nothing of the world, the
//! session or a message is in it. It opens with what all agents of a contract say alike, so that their prompts share
//! their first bytes; what is only one agent's comes behind that. What changes from turn to turn is the [`tail`], which
//! rides at the end of the user's message.
//!
//! Nothing here decides anything, and no check reads what is made here.

mod budget;
mod form;
mod layout;
mod prose;
pub mod tail;
mod wording;
mod words;

use crate::decimal::Decimal;
use crate::source::Span;
use crate::tool::Effect;
use crate::value::Value;
use std::ops::Range;

pub use form::{Api, UnnameableTool};
pub use wording::EngineTexts;

pub(crate) use words::{view, words};

/// What a model is told before it is asked anything.
///
/// ```
/// use flyball::source::Sources;
///
/// let text = "
/// agentspec: 1
/// id: desk
/// persona: You are the refunds desk.
/// tools: {refund: {description: Pay money back., parameters: {type: object, properties: {amount: {type: number}}}}}
/// guards: {preTool: [{id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}]}
/// ";
/// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
/// let policy = flyball::policy::compile(&spec).unwrap();
/// let prompt = policy.prompt();
///
/// assert!(prompt.system().contains("You are the refunds desk."));
/// assert!(prompt.tools()[0].description().ends_with("- `amount` must be at most 500."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    system: String,
    trunk: usize,
    lines: Vec<Line>,
    tools: Vec<ToolCard>,
    families: Vec<String>,
}

impl Prompt {
    /// The whole system prompt.
    #[must_use]
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The head that every agent of the contract has, byte for byte; empty without a contract that says something.
    #[must_use]
    pub fn trunk(&self) -> &str {
        self.system.get(..self.trunk).unwrap_or_default()
    }

    /// What comes behind the trunk.
    #[must_use]
    pub fn own(&self) -> &str {
        self.system.get(self.trunk..).unwrap_or_default()
    }

    /// Every line of the system prompt that somebody wrote or some rule teaches, in order.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The declared tools, in the order of the file; a family of tools, which only its host can list, is not among them.
    #[must_use]
    pub fn tools(&self) -> &[ToolCard] {
        &self.tools
    }

    /// The families of tools, as their globs.
    #[must_use]
    pub fn families(&self) -> &[String] {
        &self.families
    }
}

/// One line of a prompt and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Where in the prompt it stands.
    pub section: Section,
    /// The rule that it teaches, by id; `None` for words that nothing checks.
    pub rule: Option<String>,
    /// Where its author wrote it, or named what it says.
    pub origin: Span,
    /// The place of its text: in [`Prompt::system`], of a card in [`ToolCard::description`].
    pub place: Range<usize>,
}

/// The parts of a prompt, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// How all agents of the contract speak.
    Voice,
    /// What holds for all of them.
    CoreRules,
    /// What all of them know.
    Facts,
    /// The words of the domain for how a call ended.
    Outcomes,
    /// What this agent is for; it outranks what follows.
    Scope,
    /// Which call comes after which.
    Flow,
    /// What holds for more tools than it names.
    ToolRules,
    /// When a message is not taken up.
    InputRules,
    /// What a reply must be.
    ReplyRules,
    /// What the agent is told to do.
    Directives,
    /// Who the agent is, and how it works.
    Role,
    /// In which language it replies.
    Language,
    /// The rules of one tool, beside its schema.
    Tool,
}

impl Section {
    /// The word in `--origins`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Section::Voice => "voice",
            Section::CoreRules => "core rules",
            Section::Facts => "facts",
            Section::Outcomes => "outcomes",
            Section::Scope => "scope",
            Section::Flow => "flow",
            Section::ToolRules => "tool rules",
            Section::InputRules => "input rules",
            Section::ReplyRules => "reply rules",
            Section::Directives => "directives",
            Section::Role => "role",
            Section::Language => "language",
            Section::Tool => "tool",
        }
    }

    /// The heading above it; the first and the last section have none.
    #[must_use]
    pub fn heading(self) -> Option<&'static str> {
        match self {
            Section::Voice | Section::Language | Section::Tool => None,
            Section::CoreRules => Some("## Core rules"),
            Section::Facts => Some("## Facts"),
            Section::Outcomes => Some("## Words for how a call ended"),
            Section::Scope => Some("## Scope (outranks every rule below)"),
            Section::Flow => Some("## Order of calls"),
            Section::ToolRules => Some("## Rules for tool calls"),
            Section::InputRules => Some("## When a message is not taken up"),
            Section::ReplyRules => Some("## Rules for replies"),
            Section::Directives => Some("## Directives"),
            Section::Role => Some("## Your role"),
        }
    }
}

/// A tool as a model is shown it: its rules stand in its description, beside its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCard {
    name: String,
    description: String,
    lines: Vec<Line>,
    parameters: Value<'static>,
    effect: Effect,
    scopes: Vec<String>,
    cost: Option<Decimal>,
}

impl ToolCard {
    /// Its canonical name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, and the rules for calling it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The lines of its description that some rule teaches.
    #[must_use]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The JSON Schema of its arguments, without references; what is closed says so.
    #[must_use]
    pub fn parameters(&self) -> &Value<'static> {
        &self.parameters
    }

    /// What it does to the world.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The scopes it needs.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// What one call costs, where its author says.
    #[must_use]
    pub fn cost(&self) -> Option<Decimal> {
        self.cost
    }
}
