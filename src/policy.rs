//! A compiled spec: immutable, `Send + Sync`, shared by every session of its agent.
//!
//! [`compile`] is the only way to one, so a spec with errors never decides. Names become ids, each tool gets the list
//! of guards and counters that can be about it, and what a session must remember is planned here.

mod authored;
mod bind;
mod budgets;
mod compile;
mod controls;
mod declared;
mod flow;
mod question;
mod reply;
mod screens;
mod turn;
mod unread;
mod unwritten;

use crate::acts::CoreOutcome;
use crate::canon::Digest;
use crate::diagnostic::Diagnostic;
use crate::expr::{Evaluation, Lets, Program, Text};
use crate::guards::screen::Screen;
use crate::guards::{Check, Dimension};
use crate::hash::Map;
use crate::ledger::mask::Masker;
use crate::observed::{Form, HashId, IndexId, IndexPlan, RecallId, TallyId};
use crate::path::Path;
use crate::render::{EngineTexts, Prompt, Words};
use crate::schema::{ArgSchema, Located, Slot};
use crate::spec::{Action, Approvals, By, DefaultVerdict, Mode, OnFailure, OnMissing, Rewrite};
use crate::tool::{Effect, Pattern, Selector};
use crate::value::{Object, Value};
use std::sync::Arc;

pub(crate) use budgets::{BoundBudget, BoundKey, Counted, Counter, Unit};
pub use compile::compile;
pub(crate) use controls::Bounds;
pub(crate) use flow::{Requirement, covers, into_tool};
pub(crate) use question::QuestionView;

/// A compiled spec.
#[derive(Debug)]
pub struct Policy {
    pub(crate) id: String,
    pub(crate) digest: Digest,
    pub(crate) sources_digest: Digest,
    pub(crate) default: DefaultVerdict,
    pub(crate) mode: Mode,
    pub(crate) effects: Vec<Effect>,
    pub(crate) scopes: Vec<String>,
    /// What is judged when a turn begins.
    pub(crate) turn: TurnPolicy,
    /// What is judged before a reply goes out.
    pub(crate) reply: ReplyPolicy,
    pub(crate) tools: Vec<ToolPolicy>,
    pub(crate) by_name: Map<Box<str>, usize>,
    /// Families of host-owned tools, those with the most literal characters first.
    pub(crate) families: Vec<usize>,
    pub(crate) counters: Vec<Counter>,
    pub(crate) turn_counters: Vec<usize>,
    pub(crate) bounds: Bounds,
    /// The domain's words for how a call ended.
    pub(crate) outcomes: Vec<(Box<str>, CoreOutcome)>,
    /// How somebody is asked before a call runs.
    pub(crate) approvals: Approvals,
    pub(crate) plan: IndexPlan,
    pub(crate) world_paths: Vec<Vec<String>>,
    /// Whether a write makes what is known of the world old.
    pub(crate) world_goes_stale: bool,
    /// Finds what the ledger may not show.
    pub(crate) masker: Masker,
    /// Whether what is masked is kept in the values file.
    pub(crate) keep_secrets: bool,
    /// What the model and people are told of all this.
    pub(crate) words: Words,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// What is planned for the beginning of a turn, where there is no tool.
#[derive(Debug)]
pub(crate) struct TurnPolicy {
    /// Those that judge whether it may begin.
    pub(crate) guards: Vec<BoundGuard>,
    /// What the model is told where it holds.
    pub(crate) directives: Vec<BoundDirective>,
    /// Whether the turn must end with a reply.
    pub(crate) reply_only: ReplyOnly,
    /// The lets that are read then.
    pub(crate) lets: Lets,
}

/// What is planned for a reply, where there is no tool.
#[derive(Debug)]
pub(crate) struct ReplyPolicy {
    /// Those that change it, in their order, and then those that judge what they left.
    pub(crate) mutators: Vec<BoundGuard>,
    /// Those that judge it.
    pub(crate) guards: Vec<BoundGuard>,
    /// The lets that are read then.
    pub(crate) lets: Lets,
    /// The most bytes of one thing that those look for which judge a text of which more is to come.
    pub(crate) window: usize,
}

/// A directive that does not hold on every turn, or shows a value.
#[derive(Debug)]
pub(crate) struct BoundDirective {
    pub(crate) id: Arc<str>,
    pub(crate) when: Option<Program>,
    pub(crate) say: Text,
}

/// Whether a turn must end with a reply, and not with a question.
#[derive(Debug)]
pub(crate) enum ReplyOnly {
    /// It need not.
    Never,
    /// It must.
    Always,
    /// Where this holds, or nobody can say.
    When(Program),
}

/// What is planned for the calls of one tool, or of one family of tools.
#[derive(Debug)]
pub(crate) struct ToolPolicy {
    pub(crate) name: Pattern,
    pub(crate) effect: Effect,
    pub(crate) scopes: Vec<String>,
    pub(crate) coerce: bool,
    pub(crate) destructive: Undoing,
    pub(crate) ends: bool,
    /// The domain's word for its success.
    pub(crate) outcome: Option<Arc<str>>,
    /// What is owed once a call of it succeeded.
    pub(crate) chains: Vec<BoundChain>,
    /// The argument that makes a call of it a simulation.
    pub(crate) simulate: Option<Slot>,
    pub(crate) args: ArgSchema,
    /// What the model declares beside them.
    pub(crate) declares: Option<ArgSchema>,
    /// The paths of its result that outsiders can write, and those of private data.
    pub(crate) untrusted: Vec<Path>,
    pub(crate) private: Vec<Path>,
    /// What of its result says that the call failed.
    pub(crate) error_when: Option<Program>,
    /// The lets that are read before a call, and of its result.
    pub(crate) lets: Lets,
    pub(crate) lets_after: Lets,
    /// Whether the guards on its result read what it ran with.
    pub(crate) keeps_args: bool,
    /// Those that judge a proposed call.
    pub(crate) guards: Vec<Planned<BoundGuard>>,
    pub(crate) screens: Vec<Screen>,
    /// Those that judge its result.
    pub(crate) after: Vec<Planned<BoundGuard>>,
    pub(crate) budgets: Vec<Planned<BoundBudget>>,
    /// What makes two of its calls one.
    pub(crate) key: Option<BoundKey>,
    /// Changes of its arguments before they are judged.
    pub(crate) rewrites: Vec<Rewrite>,
    /// The arguments that are hashed once a call.
    pub(crate) hashed: Vec<Located>,
    pub(crate) feeds: Vec<PlannedFeed>,
    /// The entries that its writes take away.
    pub(crate) forgets: Vec<PlannedFeed>,
    pub(crate) recalls: Vec<PlannedAsk<RecallId>>,
    pub(crate) tallies: Vec<PlannedAsk<TallyId>>,
    /// How a person is asked about a call of it.
    pub(crate) question: QuestionView,
    /// The name as decisions and sessions share it; of a family the glob.
    pub(crate) label: Arc<str>,
}

/// What is owed once a call succeeded.
#[derive(Debug)]
pub(crate) struct BoundChain {
    /// The tool of that call: one of a family only has it by name.
    pub(crate) after: Box<str>,
    /// `chain/` and the tool that is owed.
    pub(crate) code: Arc<str>,
    /// The tool that is owed.
    pub(crate) call: Arc<str>,
    /// Whether it is; what cannot be judged is.
    pub(crate) when: Option<Program>,
}

/// What a call's success gives to one index.
#[derive(Debug)]
pub(crate) struct PlannedFeed {
    pub(crate) index: IndexId,
    pub(crate) parts: Vec<FeedPart>,
}

/// An index of earlier calls as expressions ask for them, which the tool's calls enter.
#[derive(Debug)]
pub(crate) struct PlannedAsk<I> {
    pub(crate) index: I,
    /// The arguments its entries are made of; a call that lacks one enters none.
    pub(crate) keys: Vec<HashId>,
    /// The argument of which each scalar makes an entry, in place of keys.
    pub(crate) each: Option<Located>,
}

/// Where one part of an index's key comes from.
#[derive(Debug)]
pub(crate) enum FeedPart {
    /// An argument that is hashed once a call.
    Hashed(HashId),
    /// What every value makes that a path reaches in the arguments.
    Each(Located, Form),
    /// The result, once it is there.
    Result,
    /// The tool has no such argument.
    Absent,
}

/// Something about a tool; within a family of tools the selector still has to agree with the name.
#[derive(Debug)]
pub(crate) struct Planned<T> {
    pub(crate) selector: Option<Selector>,
    pub(crate) what: T,
}

impl<T> Planned<T> {
    /// What is planned, if it is about the tool of this name.
    pub(crate) fn about(&self, name: &str, effect: Effect) -> Option<&T> {
        match &self.selector {
            Some(selector) if !selector.matches(name, effect) => None,
            _ => Some(&self.what),
        }
    }
}

/// When a call cannot be undone.
#[derive(Debug)]
pub(crate) enum Undoing {
    /// It can.
    Never,
    /// Whatever the call.
    Always,
    /// Where this holds, or nobody can say.
    When(Program),
}

impl Undoing {
    /// True if some call may be.
    pub(crate) fn may_be(&self) -> bool {
        !matches!(self, Undoing::Never)
    }

    /// True if this one cannot be undone; what cannot be judged is taken for it.
    pub(crate) fn holds(&self, evaluation: &mut Evaluation<'_>) -> bool {
        match self {
            Undoing::Never => false,
            Undoing::Always => true,
            Undoing::When(when) => when.test(evaluation).unwrap_or(true),
        }
    }
}

/// What a bound guard is asked.
#[derive(Debug)]
pub(crate) enum Question {
    /// Nothing: it fires whenever it applies.
    Nothing,
    /// The check of its kind.
    Kind(Box<dyn Check>),
    /// Whether this is true.
    Holds(Program),
}

impl Question {
    /// The check of its kind.
    pub(crate) fn kind(&self) -> Option<&dyn Check> {
        if let Question::Kind(check) = self { Some(&**check) } else { None }
    }

    /// The expression that it asks, written out or of its kind.
    pub(crate) fn program(&self) -> Option<&Program> {
        match self {
            Question::Nothing => None,
            Question::Kind(check) => check.program(),
            Question::Holds(program) => Some(program),
        }
    }
}

/// A guard bound to a tool, or to the beginning of a turn.
#[derive(Debug)]
pub(crate) struct BoundGuard {
    pub(crate) code: Arc<str>,
    /// Its kind, and what that looks at; `custom` for a written check.
    pub(crate) kind: &'static str,
    pub(crate) dimension: Dimension,
    /// Whether it also judges text beside calls.
    pub(crate) is_interim: bool,
    pub(crate) action: Action,
    pub(crate) by: By,
    pub(crate) missing: OnMissing,
    pub(crate) on_failure: OnFailure,
    /// The screen that speaks for it, of those of its tool.
    pub(crate) screen: Option<u8>,
    /// Whether it applies.
    pub(crate) when: Option<Program>,
    /// What it is asked once for each of.
    pub(crate) each: Option<Program>,
    /// Whether it applies to an element, where that depends on it.
    pub(crate) each_when: Option<Program>,
    pub(crate) question: Question,
    /// What stands at these paths of a result instead, where it fires.
    pub(crate) redact: Vec<(Path, Program)>,
    pub(crate) correction: Option<Text>,
    pub(crate) public_reason: Option<Text>,
}

impl ToolPolicy {
    /// The kind of a guard on its results.
    pub(crate) fn kind_of_result(&self, code: &str) -> &'static str {
        self.after.iter().find(|planned| *planned.what.code == *code).map_or("custom", |planned| planned.what.kind)
    }

    /// The kind of a rule that judges a proposed call, and what it looks at: of a gate or a budget its own name.
    pub(crate) fn kind_of(&self, code: &str) -> Option<(Dimension, &'static str)> {
        let guard = self.guards.iter().find(|planned| *planned.what.code == *code);
        guard.map(|planned| (planned.what.dimension, planned.what.kind))
    }
}

impl Policy {
    /// The spec's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The digest of the meaning: two spellings of one effective spec have one.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The digest of the files it was read from.
    #[must_use]
    pub fn sources_digest(&self) -> Digest {
        self.sources_digest
    }

    /// What somebody should look at although the policy stands.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The tool of a canonical name: declared by it, or a member of the family with the most literal characters.
    pub(crate) fn tool(&self, name: &str) -> Option<&ToolPolicy> {
        if let Some(number) = self.by_name.get(name) {
            return self.tools.get(*number);
        }
        self.families.iter().filter_map(|number| self.tools.get(*number)).find(|tool| tool.name.matches(name))
    }

    /// The ids of the guards and budgets that judge calls of a tool, in the order in which they are shown; `None` for
    /// a tool that is not declared.
    #[must_use]
    pub fn rules_about(&self, tool: &str) -> Option<Vec<&str>> {
        let name = crate::tool::canonical_name(tool);
        let tool = self.tool(&name)?;
        let counters = self.counters_of(tool, &name).map(|(_, counter)| &*counter.code);
        let guards = tool.guards.iter().chain(&tool.after);
        let guards = guards.filter_map(|planned| planned.about(&name, tool.effect)).map(|guard| &*guard.code);
        Some(counters.chain(guards).collect())
    }

    /// The budgets about a call, in their order.
    pub(crate) fn counters_of<'p>(
        &'p self,
        tool: &'p ToolPolicy,
        name: &str,
    ) -> impl Iterator<Item = (&'p BoundBudget, &'p Counter)> {
        let about = tool.budgets.iter().filter_map(move |planned| planned.about(name, tool.effect));
        about.filter_map(|bound| Some((bound, self.counters.get(bound.number)?)))
    }

    /// What a model is told before it is asked anything; made once, when the spec was compiled.
    #[must_use]
    pub fn prompt(&self) -> &Prompt {
        &self.words.prompt
    }

    /// What the engine itself says to a person, in the words of the contract.
    #[must_use]
    pub fn engine_texts(&self) -> &EngineTexts {
        &self.words.texts
    }

    /// The declared names of tools and families.
    pub fn tool_names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name.text())
    }

    /// Who answers a question before a call runs, how, and for how long.
    #[must_use]
    pub fn approvals(&self) -> &Approvals {
        &self.approvals
    }

    /// The part of a world that some guard reads: all that a session keeps of it.
    #[must_use]
    pub fn prune_world(&self, world: &Value<'_>) -> Value<'static> {
        let mut kept = Value::Object(Object::new());
        for path in &self.world_paths {
            keep_path(&mut kept, world, path);
        }
        kept
    }
}

/// Copies what stands at a path, with the objects around it.
fn keep_path(kept: &mut Value<'static>, world: &Value<'_>, path: &[String]) {
    let Some((step, rest)) = path.split_first() else {
        *kept = world.to_owned_value();
        return;
    };
    let (Value::Object(object), Some(found)) = (kept, world.get(step)) else { return };
    if !object.contains_key(step) {
        object.insert(step.clone().into(), Value::Object(Object::new()));
    }
    if let Some(inner) = object.get_mut(step) {
        keep_path(inner, found, rest);
    }
}
