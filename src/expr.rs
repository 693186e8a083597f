//! Expressions: the subset of CEL that checks, conditions and values in texts are written in (FORMAT 5,
//! `docs/expressions.md`).
//!
//! ```text
//! text ── lex, parse ──► Expression     a tree, every node with its place in the file
//!                           │  Compiler: types from schemas, names to slots, lets, indexes of earlier calls
//!                           ▼
//!                        Program ── evaluate(&mut Evaluation) ──► Outcome<Val>      pure, bounded by fuel
//! ```
//!
//! Numbers are one exact type, evaluation goes strictly from left to right, and an error is never absorbed. There is no
//! clock, no entropy and no way to a person's text in here.

use crate::context::{BindProblem, Context, Hook};
use crate::decode::Decoder;
use crate::observed::IndexPlan;
use crate::schema::ArgSchema;
use crate::source::{Span, Spanned};
use crate::value::Value;
use crate::yaml::Node;
use std::collections::BTreeMap;

/// The most evaluation steps of one expression.
pub const MAX_STEPS: u32 = 10_000;

/// An expression as its author wrote it: parsed, not yet typed.
#[derive(Clone, Debug)]
pub struct Expression {}

impl Expression {
    /// Reads the expression at a node: a text, or a bare number, `true` or `false`. Problems (`bad-expression`) go to the
    /// decoder, each at its place inside the YAML text, be it plain, quoted or folded.
    pub(crate) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Expression> {
        todo!()
    }

    /// The expression that is always this value: a pack's parameter written as a literal.
    pub(crate) fn constant(value: Value<'static>, span: Span) -> Expression {
        todo!()
    }

    /// Its text in one spelling, for the effective spec, prose and messages. Reads back to an equal expression.
    pub fn text(&self) -> String {
        todo!()
    }

    /// Where it stands, as a whole.
    pub fn span(&self) -> Span {
        todo!()
    }

    /// The same expression with `params.NAME` replaced by what a guard gives its pack's kind. Errors keep the places of
    /// what was put in.
    pub(crate) fn with_parameters(&self, parameters: &BTreeMap<String, Expression>) -> Expression {
        todo!()
    }

    /// The names of the parameters it reads: `limit` of `params.limit`.
    pub(crate) fn parameters(&self) -> Vec<Spanned<String>> {
        todo!()
    }
}

/// A text with `{expr}` in it: a correction, a public reason, a let's `missing`. `{{` stands for a brace.
#[derive(Clone, Debug)]
pub struct Template {}

impl Template {
    /// Reads the text at a node; it must be a sentence, and what stands in braces an expression.
    pub(crate) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Template> {
        todo!()
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        todo!()
    }

    /// As [`Expression::with_parameters`].
    pub(crate) fn with_parameters(&self, parameters: &BTreeMap<String, Expression>) -> Template {
        todo!()
    }
}

/// A named expression of a spec or a contract.
#[derive(Clone, Debug)]
pub struct Let {
    /// Its name.
    pub name: Spanned<String>,
    /// What it stands for.
    pub value: Expression,
    /// What the model is told where the value is missing; then one deny stands for every guard that reads it.
    pub missing: Option<Template>,
}

/// What the types of a tool's calls are.
#[derive(Clone, Copy, Debug)]
pub struct ToolTypes<'s> {
    /// The canonical name, or the glob of a family.
    pub name: &'s str,
    /// Its arguments.
    pub args: &'s ArgSchema,
    /// Its result; `None`: anything.
    pub returns: Option<&'s ArgSchema>,
}

/// What the expressions of one tool under one hook may read.
#[derive(Clone, Copy, Debug)]
pub struct Scope<'s> {
    /// Where the guard stands.
    pub hook: Hook,
    /// The tool it is about; `None` under `onInput` and `onReply`.
    pub tool: Option<ToolTypes<'s>>,
    /// The declared world; `None`: anything.
    pub world: Option<&'s ArgSchema>,
    /// The constants.
    pub params: &'s Value<'static>,
    /// The lets of contract and spec, in order; one sees only those before it.
    pub lets: &'s [Let],
    /// Every declared tool, for `done`, `first`, `last` and `count`.
    pub tools: &'s [ToolTypes<'s>],
    /// The offset of times without one, in minutes east of UTC; `None`: such a time is missing.
    pub offset: Option<i32>,
}

/// Compiles the expressions that one tool meets under one hook. All of them share the lets they read.
#[derive(Debug)]
pub struct Compiler<'s, 'p> {
    scope: Scope<'s>,
    plan: &'p mut IndexPlan,
}

impl<'s, 'p> Compiler<'s, 'p> {
    /// A compiler for one place; indexes it needs are planned in `plan`.
    pub fn new(scope: Scope<'s>, plan: &'p mut IndexPlan) -> Compiler<'s, 'p> {
        todo!()
    }

    /// Names the variables of a `forEach` for what is compiled next, until [`Compiler::leave_each`]: over a list one
    /// variable is the element, two are index and element; over a map key, or key and value.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn each(&mut self, variables: &[Spanned<String>], over: &Expression) -> Result<Program, Vec<BindProblem>> {
        todo!()
    }

    /// Ends the innermost `each`.
    pub fn leave_each(&mut self) {
        todo!()
    }

    /// A program that is true or false.
    ///
    /// # Errors
    /// Every problem, with its place: `unknown-field` (did you mean), `unknown-name`, `type-mismatch`, `never-equal`,
    /// `bad-call`, `constant-condition` ...
    pub fn condition(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        todo!()
    }

    /// A program whose value is a number.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn number(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        todo!()
    }

    /// A program whose value is any JSON value: a key.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn value(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        todo!()
    }

    /// A text; each of its values must be a scalar.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn text(&mut self, template: &Template) -> Result<Text, Vec<BindProblem>> {
        todo!()
    }

    /// The lets that were read, and the paths of the world that all of it reads (`*` for what is not a constant key).
    pub fn finish(self) -> Compiled {
        todo!()
    }
}

/// What a tool's programs share.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The lets that are read, in order.
    pub lets: Lets,
    /// The paths of the world that are read, up to the first step that is no constant key.
    pub world_paths: Vec<Vec<String>>,
}

/// The lets of one tool under one hook, compiled.
#[derive(Debug, Default)]
pub struct Lets {}

impl Lets {
    /// The name of a let, and whether it has a text for when it is missing.
    pub fn name(&self, id: LetId) -> &str {
        todo!()
    }

    /// What the model is told where a let is missing; `None` for one without such a text.
    pub fn missing(&self, id: LetId, evaluation: &mut Evaluation<'_>) -> Option<String> {
        todo!()
    }
}

/// The number of a let among those of its tool, in the order of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LetId(pub u16);

/// A compiled expression.
#[derive(Debug)]
pub struct Program {}

impl Program {
    /// The value of a condition.
    pub fn test(&self, evaluation: &mut Evaluation<'_>) -> Outcome<bool> {
        todo!()
    }

    /// The value of any program.
    pub fn value<'c>(&self, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
        todo!()
    }

    /// The value as JSON: of `number`, `value` and what texts show. A list or map may be one too.
    pub fn json(&self, evaluation: &mut Evaluation<'_>) -> Outcome<Value<'static>> {
        todo!()
    }

    /// What a condition is whatever the call: it can never hold, or always does.
    pub fn always(&self) -> Option<bool> {
        todo!()
    }
}

/// A compiled text.
#[derive(Debug)]
pub struct Text {}

impl Text {
    /// The text with its values in it, written as DESIGN 4 says; `…` in place of a value that is missing.
    pub fn show(&self, evaluation: &mut Evaluation<'_>) -> String {
        todo!()
    }
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Something it reads is absent, null or of another type; what, in words.
    Missing(Box<str>),
    /// A let with a text for that is missing.
    Let(LetId),
    /// An index reached its bound.
    IndexFull,
    /// It took more than [`MAX_STEPS`].
    OutOfFuel,
    /// A number beyond 34 digits, a division by zero, a duration or a text too long.
    OutOfRange(&'static str),
}

/// A value or the reason why there is none.
pub type Outcome<T> = Result<T, Fault>;

/// A value while it is computed: borrowed from the call, the world or the spec wherever it can be.
#[derive(Clone, Debug)]
pub enum Val<'c> {
    /// A value of the call, the world or the spec.
    Json(&'c Value<'c>),
}

/// One event's evaluation: what expressions read, and the values of the lets that were read, each computed once.
#[derive(Debug)]
pub struct Evaluation<'c> {
    /// What may be read.
    pub context: Context<'c>,
    lets: &'c Lets,
}

impl<'c> Evaluation<'c> {
    /// Nothing computed yet.
    pub fn new(context: Context<'c>, lets: &'c Lets) -> Evaluation<'c> {
        todo!()
    }

    /// Sets the variables of a `forEach` to the elements of its program's value, one after another, and asks of each;
    /// stops at the first that `visit` breaks at.
    pub fn each<B>(
        &mut self,
        over: &Program,
        visit: impl FnMut(&mut Evaluation<'c>) -> std::ops::ControlFlow<B>,
    ) -> Outcome<Option<B>> {
        todo!()
    }
}
