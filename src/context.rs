//! All that a check may read, and what it may answer.
//!
//! The fields of [`Context`] are the firewall of law 2 in types: arguments, world, observed calls, counters. There
//! is no text a person typed in it, and no way to one; [`Facts`] says of a value whether it was typed, and no more.

mod reply;

use crate::facts::Facts;
use crate::hash::SessionKey;
use crate::observed::{Batch, IndexPlan, Observed, View};
use crate::schema::Bound;
use crate::source::Span;
use crate::time::Timestamp;
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::borrow::Cow;

pub use reply::Reply;

/// Where in a turn a guard stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hook {
    /// A message came in; no model call yet.
    OnInput,
    /// A tool call is proposed.
    PreTool,
    /// A tool call has a result.
    PostTool,
    /// A reply is proposed.
    OnReply,
}

impl Hook {
    /// Those that guards stand under, in the order of a turn.
    pub const OF_GUARDS: [Hook; 4] = [Hook::OnInput, Hook::PreTool, Hook::PostTool, Hook::OnReply];

    /// The key under `guards`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Hook::OnInput => "onInput",
            Hook::PreTool => "preTool",
            Hook::PostTool => "postTool",
            Hook::OnReply => "onReply",
        }
    }
}

/// Nothing is declared.
pub(crate) static NOTHING_DECLARED: Value<'static> = Value::Object(Object::new());

/// What a check reads of the call and the session.
#[derive(Clone, Copy, Debug)]
pub struct Context<'c> {
    /// The tool's canonical name; empty where a turn begins.
    pub tool: &'c str,
    /// Its effect.
    pub effect: Effect,
    /// True if this call cannot be undone.
    pub is_destructive: bool,
    /// The arguments as the tool will receive them, by slot.
    pub args: &'c Bound<'c>,
    /// What the model declared beside them, an object, before the call runs.
    pub declared: &'c Value<'static>,
    /// What the call came back with, after it ran.
    pub result: Option<&'c Value<'c>>,
    /// What came in with the message that begins the turn, `{attachments: [{kind, size}]}`: kinds and sizes, never text.
    pub input: Option<&'c Value<'c>>,
    /// What is about to be said to the user, where a reply is judged.
    pub reply: Option<&'c Reply<'c>>,
    /// The hashes of the arguments that the tool's checks ask by; `None` where one is absent or null.
    pub hashes: &'c [Option<u128>],
    /// The part of the host's world that some guard reads.
    pub world: &'c Value<'static>,
    /// True after a write until the host sends the world again, where the spec says `stale: deny`: what is read of the
    /// world is missing then.
    pub world_is_stale: bool,
    /// Who is speaking, and where: an object `{id, user, roles, attributes, agent}`.
    pub session: &'c Value<'static>,
    /// The event's `at`, never before that of an earlier event; `None` where the host has no clock.
    pub now: Option<Timestamp>,
    /// The directory the tool would run in, where the host says.
    pub cwd: Option<&'c str>,
    /// Earlier calls and counters.
    pub observed: View<'c>,
    /// What the user typed, as far as one may ask: exact matches, never text.
    pub facts: &'c Facts,
    /// The turn.
    pub turn: u32,
    /// The call as one hash, where the policy asks about repeats.
    pub repeat: Option<u128>,
    /// The key of the session's hashes.
    pub key: &'c SessionKey,
    /// The host's answers to what this call's guards asked.
    pub answers: &'c [Answer],
}

/// Where there is neither a call nor a session: the empty ones that a [`Context`] then borrows.
#[derive(Debug)]
pub(crate) struct Nothing {
    args: Bound<'static>,
    observed: Observed,
    batch: Batch,
    facts: Facts,
    key: SessionKey,
}

impl Nothing {
    pub(crate) fn new() -> Nothing {
        Nothing {
            args: Bound::none(),
            observed: Observed::new(&IndexPlan::default()),
            batch: Batch::default(),
            facts: Facts::default(),
            key: SessionKey::new([0; 16]),
        }
    }

    pub(crate) fn context(&self) -> Context<'_> {
        Context {
            tool: "",
            effect: Effect::Read,
            is_destructive: false,
            args: &self.args,
            declared: &NOTHING_DECLARED,
            result: None,
            input: None,
            reply: None,
            hashes: &[],
            world: &Value::Null,
            world_is_stale: false,
            session: &Value::Null,
            now: None,
            cwd: None,
            observed: View { observed: &self.observed, batch: &self.batch },
            facts: &self.facts,
            turn: 0,
            repeat: None,
            key: &self.key,
            answers: &[],
        }
    }
}

/// What a check finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing to object to.
    Pass,
    /// The rule is broken.
    Fires,
    /// What the rule reads is absent, null or of another type: fires, or has no opinion under `missing: skip`.
    Missing,
    /// A let that it reads has no value, and a text for that: the text is the deny, once, and this guard did not run.
    NoLet(LetId),
    /// The guard itself cannot tell, and why.
    Fails(Failure),
    /// The host must be asked first.
    Needs(Query),
}

/// The number of a let among those of its tool, in the order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LetId(pub u16);

/// Why a guard could not judge. The model only learns that the guard is unavailable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Something an expression reads is absent, null or of another type; what, in words.
    Missing(Box<str>),
    /// An expression took too many steps.
    OutOfFuel,
    /// A number, a time or a text is beyond what can be held.
    OutOfRange(&'static str),
    /// An index reached its bound.
    IndexFull,
    /// The host's answer did not come, or cannot be used.
    NoAnswer(Cow<'static, str>),
}

impl Failure {
    /// The stable word in the record.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Missing(_) => "missing",
            Failure::OutOfFuel => "out_of_fuel",
            Failure::OutOfRange(_) => "out_of_range",
            Failure::IndexFull => "index_full",
            Failure::NoAnswer(_) => "no_answer",
        }
    }
}

/// What the pure core cannot know and asks the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// What do these paths mean where the tool runs?
    ResolvePaths {
        /// The paths as the call has them.
        paths: Vec<String>,
    },
    /// What does a model say to a fixed question?
    Judge {
        /// The question, fixed by the spec.
        question: String,
        /// What it is asked about: a reply, or a call. It is material, never a part of the question.
        evidence: Value<'static>,
    },
    /// What does an external guard answer?
    Command {
        /// The command's name in the host's configuration.
        name: String,
    },
    /// Did this call take effect?
    Reconcile {
        /// The call.
        call: String,
    },
}

impl Question {
    /// The wire's word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Question::ResolvePaths { .. } => "resolvePaths",
            Question::Judge { .. } => "judge",
            Question::Command { .. } => "command",
            Question::Reconcile { .. } => "reconcile",
        }
    }
}

/// A question with the id its answer must name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// Unique within the proposal.
    pub id: String,
    /// What is asked.
    pub question: Question,
}

/// A host's answer to one query; `None` where it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The query's id.
    pub query: String,
    /// The value, unless the host says that there is none.
    pub value: Option<Value<'static>>,
}

/// A problem of a guard with a tool it is about, at a place in the spec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindProblem {
    /// The name of the broken rule: `does-not-fit`, `never-equal`.
    pub rule: &'static str,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}
