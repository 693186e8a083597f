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
//! clock, no entropy and no way to a person's text in here: of an argument one may ask whether it was typed.

mod among;
mod arithmetic;
mod asks;
mod ast;
mod calls;
mod check;
mod comprehend;
mod earlier;
mod evaluate;
mod form;
mod functions;
mod lex;
mod limits;
mod names;
mod operators;
mod parse;
mod place;
pub(crate) mod program;
mod provenance;
mod reads;
mod said;
mod secrets;
mod template;
mod types;
mod unasked;
mod val;
mod worst;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use crate::context::LetId;
pub(crate) use ast::Operator;
pub use check::Compiler;
pub use evaluate::Evaluation;
pub(crate) use form::{Limited, ReadPath};
pub(crate) use limits::Limit;
pub use program::{Program, Text};
pub(crate) use provenance::serving;
pub use reads::Reading;
pub(crate) use secrets::Secret;
pub use template::Template;
pub(crate) use unasked::{Keys, Unasked};
pub use val::Val;
pub use vocabulary::{Sort, Term, VOCABULARY};
pub(crate) use worst::{Sizes, Worst};

use crate::context::{BindProblem, Hook};
use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::observed::CallPath;
use crate::path::Path;
use crate::schema::ArgSchema;
use crate::source::{Span, Spanned};
use crate::value::Value;
use crate::yaml::{Data, Node};
use ast::{Expr, Kind};
use lex::Problem;
use place::Places;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The most evaluation steps of one expression.
pub const MAX_STEPS: u32 = 10_000;

/// An expression as its author wrote it: parsed, not yet typed.
#[derive(Clone, Debug)]
pub struct Expression {
    root: Expr,
    span: Span,
}

impl Expression {
    /// Reads the expression at a node: a text, or a bare number, `true` or `false`. Problems (`bad-expression`) go to the
    /// decoder, each at its place inside the YAML text, be it plain, quoted or folded.
    pub(crate) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Expression> {
        let value = match &node.data {
            Data::Bool(truth) => Value::Bool(*truth),
            Data::Number(_) => Value::Number(decoder.number(node)?.value),
            Data::List(_) if decoder.sources.slice(node.span).starts_with('[') => {
                let problem = Diagnostic::error("wrong-type", node.span, "expected an expression, found a list");
                decoder.report(problem.help("quote it: `'[…]'`; conditions are joined by `&&`"));
                return None;
            }
            _ => return Expression::read(decoder, node),
        };
        Some(Expression::constant(value, node.span))
    }

    fn read(decoder: &mut Decoder<'_>, node: &Node) -> Option<Expression> {
        let text = decoder.text(node)?.value;
        let places = Places::of(node, decoder.sources);
        if text.len() > parse::MAX_BYTES {
            let message = format!("the expression is longer than {} bytes", parse::MAX_BYTES);
            decoder.report(Diagnostic::error(RULE, node.span, message).help("name its parts under `let`"));
            return None;
        }
        match parse::whole(&text, &places) {
            Ok(root) => Some(Expression { root, span: places.whole() }),
            Err(problem) => {
                report(decoder, &places, problem);
                None
            }
        }
    }

    /// The expression that is always this value: a pack's parameter written as a literal.
    pub(crate) fn constant(value: Value<'static>, span: Span) -> Expression {
        Expression { root: Expr::new(Kind::Literal(value), span), span }
    }

    /// The expression that reads a constant by its name.
    pub(crate) fn parameter(name: String, span: Span) -> Expression {
        let params = Box::new(Expr::new(Kind::Name("params".into()), span));
        let kind = Kind::Select(params, Spanned::new(name, span), ast::Access::Plain);
        Expression { root: Expr::new(kind, span), span }
    }

    /// The value of one that is a literal.
    pub(crate) fn value(&self) -> Option<&Value<'static>> {
        if let Kind::Literal(value) = &self.root.kind { Some(value) } else { None }
    }

    /// Its text in one spelling, for the effective spec, prose and messages. Reads back to an equal expression.
    #[must_use]
    pub fn text(&self) -> String {
        self.root.text()
    }

    /// Where it stands, as a whole.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span
    }

    /// The same expression with `params.NAME` replaced by what a guard gives its pack's kind. Errors keep the places of
    /// what was put in.
    pub(crate) fn with_parameters(&self, given: &Given) -> Expression {
        let mut expression = self.clone();
        given.put_into(&mut expression.root);
        expression
    }

    /// How many parts stand inside each other.
    pub(crate) fn depth(&self) -> usize {
        self.root.depth()
    }

    /// True if its text can be read again: what was put in place of parameters can make it too large.
    pub(crate) fn is_readable(&self) -> bool {
        self.root.size() <= parse::MAX_NODES
            && self.root.depth() <= parse::MAX_DEPTH
            && self.text().len() <= parse::MAX_BYTES
    }

    /// Both of two conditions: this one first.
    pub(crate) fn and(&self, other: &Expression) -> Expression {
        let parts = vec![self.root.clone(), other.root.clone()];
        Expression { root: Expr::new(Kind::And(parts), self.span), span: self.span }
    }

    /// The names it reads that are no variables of its own: `args`, `world`, a let, `done`.
    pub(crate) fn roots(&self) -> Vec<Spanned<String>> {
        let mut found = Vec::new();
        self.root.roots(&mut Vec::new(), &mut found);
        found
    }

    /// The places where it reads `params` other than by the name of one parameter.
    pub(crate) fn bare_parameters(&self) -> Vec<Span> {
        let mut found = Vec::new();
        self.root.bare_parameters(&mut found);
        found
    }

    /// The names of the parameters it reads: `limit` of `params.limit`.
    pub(crate) fn parameters(&self) -> Vec<Spanned<String>> {
        let mut found = Vec::new();
        self.root.parameters(&mut found);
        found
    }
}

/// True for a word that means something to expressions, so that no let can have it.
pub(crate) fn is_word(name: &str) -> bool {
    !parse::is_name(name) || names::TYPES.contains(&name)
}

/// The rule that a text breaks which is no expression.
const RULE: &str = "bad-expression";

/// What a guard gives for the parameters of its pack's kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    parameters: BTreeMap<String, Expr>,
    /// What has a name where the guard stands. A variable of the pack that is called so gets another name, so that it
    /// never stands for what the guard means.
    taken: BTreeSet<String>,
}

impl Given {
    /// What is given, and the names of the lets of the guard's spec.
    pub(crate) fn new(parameters: &BTreeMap<String, Expression>, lets: &BTreeSet<String>) -> Given {
        let mut taken = lets.clone();
        parameters.values().for_each(|expression| expression.root.names(&mut taken));
        let own = parameters.iter().map(|(name, expression)| (name.clone(), expression.root.clone()));
        Given { parameters: own.collect(), taken }
    }

    fn put_into(&self, expr: &mut Expr) {
        let mut names = BTreeSet::new();
        expr.names(&mut names);
        let mut renamed = BTreeMap::new();
        for name in names.iter().filter(|name| self.taken.contains(*name) && is_variable(name)) {
            let mut other = format!("{name}_");
            while self.taken.contains(&other) || names.contains(&other) {
                other.push('_');
            }
            renamed.insert(name.clone(), other);
        }
        expr.rename(&renamed);
        expr.replace(&self.parameters);
    }
}

/// True for what can only be a variable in the check of a pack, which reads nothing but its parameters.
fn is_variable(name: &str) -> bool {
    name != "params" && !names::TYPES.contains(&name)
}

/// Reports a problem of a text at its place in the file.
fn report(decoder: &mut Decoder<'_>, places: &Places, problem: Problem) {
    let diagnostic = Diagnostic::error(RULE, places.span(problem.start, problem.end), problem.message);
    decoder.report(match problem.help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    });
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
    /// What is declared beside them; `None`: nothing.
    pub declared: Option<&'s ArgSchema>,
    /// Its result; `None`: anything.
    pub returns: Option<&'s ArgSchema>,
    /// The paths of its result that outsiders can write.
    pub untrusted: &'s [Spanned<Path>],
    /// Where secrets and private data stand.
    pub sensitive: &'s [Spanned<CallPath>],
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
    /// The paths of the world that outsiders can write.
    pub untrusted_world: &'s [Spanned<Path>],
    /// The constants.
    pub params: &'s Value<'static>,
    /// What the author tells the agent besides its tools, for those who ask what a reply may repeat of it.
    pub authored: &'s [Value<'s>],
    /// The lets of contract and spec, in order; one sees only those before it.
    pub lets: &'s [Let],
    /// Every declared tool, for `done`, `first`, `last` and `count`.
    pub tools: &'s [ToolTypes<'s>],
    /// The offset of times without one, in minutes east of UTC; `None`: such a time is missing.
    pub offset: Option<i32>,
}

/// What a tool's programs share.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The lets that are read, in order.
    pub lets: Lets,
    /// The paths of the world that are read, up to the first step that is no constant key.
    pub world_paths: Vec<Vec<String>>,
    /// True if some program reads the arguments.
    pub reads_args: bool,
    /// The fields that may be absent, and whether this tool has them.
    pub asked: Vec<Asked>,
    /// The arguments of which it is asked whether the user typed them, and where.
    pub typed: Vec<(Span, String)>,
}

/// Where a field is asked for that a tool may lack, and what is wrong if no tool has it.
pub type Asked = (Span, Option<BindProblem>);

/// The lets of one tool under one hook, compiled.
#[derive(Debug, Default)]
pub struct Lets {
    /// Those that are read, each at its place among all.
    entries: Vec<Option<CompiledLet>>,
}

/// A let that something reads.
#[derive(Debug)]
struct CompiledLet {
    name: Box<str>,
    node: program::Node,
    missing: Option<Text>,
}

impl Lets {
    /// The name of a let; empty for one that nothing reads.
    #[must_use]
    pub fn name(&self, id: LetId) -> &str {
        self.get(id).map_or("", |entry| &entry.name)
    }

    /// What the model is told where a let is missing; `None` for one without such a text.
    #[must_use]
    pub fn missing(&self, id: LetId, evaluation: &mut Evaluation<'_>) -> Option<String> {
        self.get(id)?.missing.as_ref().map(|text| text.show(evaluation))
    }

    /// What a let computes, and whether it has a text for where that is missing.
    pub(crate) fn program(&self, id: u16) -> Option<(&program::Node, bool)> {
        self.get(LetId(id)).map(|entry| (&entry.node, entry.missing.is_some()))
    }

    fn get(&self, id: LetId) -> Option<&CompiledLet> {
        self.entries.get(usize::from(id.0)).and_then(Option::as_ref)
    }

    fn push(&mut self, entry: Option<(Box<str>, program::Node, Option<Text>)>) {
        self.entries.push(entry.map(|(name, node, missing)| CompiledLet { name, node, missing }));
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Missing(what) => f.write_str(what),
            Fault::Let(_) => f.write_str("a let is missing"),
            Fault::IndexFull => f.write_str("an index is full"),
            Fault::OutOfFuel => write!(f, "it takes more than {MAX_STEPS} steps"),
            Fault::OutOfRange(what) => f.write_str(what),
        }
    }
}

/// A value or the reason why there is none.
pub type Outcome<T> = Result<T, Fault>;
