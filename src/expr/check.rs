//! From a tree to a program: names to slots and roots, types checked, constants folded, what is read of the world noted.
//!
//! `names.rs` knows names and members, `operators.rs` operators, `calls.rs` functions and macros, `earlier.rs` what asks
//! for earlier calls. A problem is noted with its place and the rest is checked as if anything could stand there.

use super::ast::{Access, Expr, Kind};
use super::evaluate::{Evaluation, evaluate};
use super::program::{Node, Part, Program, Text};
use super::template::{Piece, Template};
use super::types::{Kinds, Ty};
use super::val::Val;
use super::{Asked, Compiled, Expression, Lets, Outcome, Scope, ToolTypes};
use crate::context::{BindProblem, Nothing};
use crate::observed::{CallsBy, IndexPlan};
use crate::source::{Span, Spanned};
use crate::value::Value;
use std::collections::BTreeSet;

/// Compiles the expressions that one tool meets under one hook. All of them share the lets they read.
#[derive(Debug)]
pub struct Compiler<'s, 'p> {
    pub(super) scope: Scope<'s>,
    pub(super) plan: &'p mut IndexPlan,
    pub(super) locals: Vec<Local<'s>>,
    /// How many variables there were before each `forEach` that is open.
    eaches: Vec<usize>,
    pub(super) lets: Vec<LetState<'s>>,
    /// How many lets can be seen: a let sees only those before it.
    pub(super) visible: usize,
    world_paths: BTreeSet<Vec<String>>,
    pub(super) problems: Vec<BindProblem>,
    pub(super) reads_args: bool,
    pub(super) asked: Vec<Asked>,
    pub(super) typed: Vec<(Span, String)>,
}

/// A variable.
#[derive(Debug)]
pub(super) struct Local<'s> {
    pub(super) name: String,
    pub(super) ty: Ty<'s>,
    /// The argument of the call that it stands for a part of.
    pub(super) argument: Option<String>,
}

/// What is known of a let.
#[derive(Debug)]
pub(super) enum LetState<'s> {
    Unread,
    Read(Box<ReadLet<'s>>),
    Failed(Vec<BindProblem>),
}

/// A let that something reads.
#[derive(Debug)]
pub(super) struct ReadLet<'s> {
    pub(super) node: Node,
    pub(super) ty: Ty<'s>,
    pub(super) missing: Option<Text>,
}

/// A compiled node, its type and where its value comes from.
#[derive(Debug)]
pub(super) struct Typed<'s> {
    pub(super) node: Node,
    pub(super) ty: Ty<'s>,
    pub(super) trail: Option<Trail<'s>>,
}

/// A path of constant names that is still being read.
#[derive(Debug)]
pub(super) struct Trail<'s> {
    pub(super) origin: Origin<'s>,
    pub(super) keys: Vec<String>,
}

/// Where a path starts.
#[derive(Debug)]
pub(super) enum Origin<'s> {
    Args,
    Declared,
    World,
    Session,
    Call,
    /// A constant, read only as far as it is named.
    Params(&'s Value<'static>),
    /// An earlier call.
    Recall(CallsBy),
}

impl<'s> Typed<'s> {
    pub(super) fn new(node: Node, ty: Ty<'s>) -> Typed<'s> {
        Typed { node, ty, trail: None }
    }

    /// What stands in for what is wrong, so that the rest is still checked.
    pub(super) fn anything() -> Typed<'s> {
        Typed::new(Node::Root(super::program::Root::Now), Ty::any())
    }

    pub(super) fn bool(node: Node) -> Typed<'s> {
        Typed::new(node, Ty::of(Kinds::BOOL))
    }

    pub(super) fn constant(value: &Value<'_>) -> Typed<'s> {
        Typed::new(Node::Const(Val::of(value)), Ty::constant(value))
    }
}

impl<'s, 'p> Compiler<'s, 'p> {
    /// A compiler for one place; indexes it needs are planned in `plan`.
    pub fn new(scope: Scope<'s>, plan: &'p mut IndexPlan) -> Compiler<'s, 'p> {
        Compiler {
            scope,
            plan,
            locals: Vec::new(),
            eaches: Vec::new(),
            lets: scope.lets.iter().map(|_| LetState::Unread).collect(),
            visible: scope.lets.len(),
            world_paths: BTreeSet::new(),
            problems: Vec::new(),
            reads_args: false,
            asked: Vec::new(),
            typed: Vec::new(),
        }
    }

    /// Every declared tool.
    #[must_use]
    pub fn tools(&self) -> &'s [ToolTypes<'s>] {
        self.scope.tools
    }

    /// What the author tells the agent besides its tools.
    #[must_use]
    pub fn authored(&self) -> &'s [Value<'s>] {
        self.scope.authored
    }

    /// What the session must remember for the tool at hand.
    pub fn plan(&mut self) -> &mut IndexPlan {
        self.plan
    }

    /// Names the variables of a `forEach` for what is compiled next, until [`Compiler::leave_each`]: over a list one
    /// variable is the element, two are index and element; over a map key, or key and value.
    ///
    /// # Errors
    /// As [`Compiler::condition`]. The variables are then set to anything, and `leave_each` ends them as well.
    pub fn each(&mut self, variables: &[Spanned<String>], over: &Expression) -> Result<Program, Vec<BindProblem>> {
        let anything = (Node::Const(Val::Null), Ty::any());
        let (node, ty) = if self.sized(&over.root) { self.elements_of(&over.root) } else { anything };
        self.eaches.push(self.locals.len());
        self.declare(variables, &ty, self.argument(&over.root));
        self.finished(node, variables.len())
    }

    /// Ends the innermost `each`.
    pub fn leave_each(&mut self) {
        if let Some(before) = self.eaches.pop() {
            self.locals.truncate(before);
        }
    }

    /// A program that is true or false.
    ///
    /// # Errors
    /// Every problem, with its place: `unknown-field` (did you mean), `unknown-name`, `unknown-tool`, `type-mismatch`,
    /// `never-equal`, `bad-call`, `bad-expression`.
    pub fn condition(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        let node = self.sized(&expression.root).then(|| self.truth(&expression.root));
        self.finished(node.unwrap_or(Node::Const(Val::Null)), 0)
    }

    /// A program whose value is a number.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn number(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        self.value_of(expression, Kinds::NUMBER)
    }

    /// A program whose value is any JSON value: a key.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn value(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        self.value_of(expression, Kinds::ANY.or(Kinds::TIME).or(Kinds::SPAN))
    }

    /// Checks that an expression can have a type, said in the words of CEL.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn expected(&mut self, expression: &Expression, ty: &str) -> Result<(), Vec<BindProblem>> {
        if self.sized(&expression.root) {
            let typed = self.compile(&expression.root);
            if !typed.ty.may_be(ty) {
                let message = format!("{} is {}, not {}", named(&expression.root), typed.ty.kinds, Ty::said(ty));
                self.problem("type-mismatch", expression.root.span, message, None);
            }
        }
        self.finished(Node::Const(Val::Null), 0).map(|_| ())
    }

    /// A text; each of its values must be a scalar.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn text(&mut self, template: &Template) -> Result<Text, Vec<BindProblem>> {
        let text = self.template(template);
        match std::mem::take(&mut self.problems) {
            problems if problems.is_empty() => Ok(text),
            problems => Err(problems),
        }
    }

    /// The lets that nothing has read so far, and so nothing has checked.
    #[must_use]
    pub fn unread_lets(&self) -> Vec<&'s str> {
        let named = self.scope.lets.iter().zip(&self.lets);
        let unread = named.filter(|(_, state)| matches!(state, LetState::Unread));
        unread.map(|(read, _)| read.name.value.as_str()).collect()
    }

    /// The lets that were read, and the paths of the world that all of it reads, up to the first step that is no
    /// constant key.
    #[must_use]
    pub fn finish(self) -> Compiled {
        let mut lets = Lets::default();
        for (state, named) in self.lets.into_iter().zip(self.scope.lets) {
            lets.push(match state {
                LetState::Read(read) => Some((named.name.value.as_str().into(), read.node, read.missing)),
                LetState::Unread | LetState::Failed(_) => None,
            });
        }
        let world_paths = self.world_paths.into_iter().collect();
        Compiled { lets, world_paths, reads_args: self.reads_args, asked: self.asked, typed: self.typed }
    }

    pub(super) fn value_of(&mut self, expression: &Expression, kinds: Kinds) -> Result<Program, Vec<BindProblem>> {
        if !self.sized(&expression.root) {
            return self.finished(Node::Const(Val::Null), 0);
        }
        let typed = self.wanted(&expression.root, kinds);
        self.finished(typed.node, 0)
    }

    fn finished(&mut self, node: Node, variables: usize) -> Result<Program, Vec<BindProblem>> {
        match std::mem::take(&mut self.problems) {
            problems if problems.is_empty() => Ok(Program { node, variables }),
            problems => Err(problems),
        }
    }

    /// False, and a problem, if what was put in place of parameters made the tree too large.
    fn sized(&mut self, root: &Expr) -> bool {
        let is_small =
            root.size() <= super::parse::MAX_NODES && root.depth() <= super::parse::MAX_DEPTH.saturating_mul(2);
        if !is_small {
            let message = "with its parameters put in, the expression is too large";
            self.problem("bad-expression", root.span, message, Some("name its parts under `let`".into()));
        }
        is_small
    }

    pub(super) fn template(&mut self, template: &Template) -> Text {
        let pieces = template.pieces.iter().map(|piece| match piece {
            Piece::Words(words) => Part::Words(words.as_str().into()),
            Piece::Value(expression) if self.sized(expression) => {
                Part::Value(self.wanted(expression, Kinds::SCALAR).node)
            }
            Piece::Value(_) => Part::Words(Box::default()),
        });
        Text { parts: pieces.collect() }
    }

    pub(super) fn problem(&mut self, rule: &'static str, span: Span, message: impl Into<String>, help: Option<String>) {
        self.problems.push(BindProblem { rule, span, message: message.into(), help });
    }

    /// A part that must be of some kinds.
    pub(super) fn wanted(&mut self, expr: &Expr, kinds: Kinds) -> Typed<'s> {
        let typed = self.compile(expr);
        if !typed.ty.kinds.meets(kinds) {
            let help = match kinds {
                Kinds::BOOL => Some("compare it with something".to_owned()),
                Kinds::SCALAR => Some("a text shows single values, such as `{size(list)}`".to_owned()),
                _ => None,
            };
            let message = format!("{} is {}, not {}", named(expr), typed.ty.kinds, words_of(kinds));
            self.problem("type-mismatch", expr.span, message, help);
        }
        typed
    }

    /// A part that must be true or false.
    pub(super) fn truth(&mut self, expr: &Expr) -> Node {
        self.wanted(expr, Kinds::BOOL).node
    }

    /// A part, read as a whole.
    pub(super) fn compile(&mut self, expr: &Expr) -> Typed<'s> {
        let typed = self.open(expr);
        self.close(typed, expr)
    }

    /// Ends the path that leads to a value: the value is used as a whole.
    pub(super) fn close(&mut self, mut typed: Typed<'s>, expr: &Expr) -> Typed<'s> {
        let Some(Trail { origin, keys }) = typed.trail.take() else { return typed };
        match origin {
            Origin::World => self.read_world(keys),
            Origin::Params(value) => return Typed::constant(value),
            Origin::Recall(calls) => self.read_call(&calls, &keys),
            Origin::Call if keys.is_empty() => {
                let help = Some("read `call.tool`, `call.server`, `call.effect` or `call.cwd`".to_owned());
                self.problem("type-mismatch", expr.span, "`call` is no value of its own", help);
            }
            Origin::Args | Origin::Declared | Origin::Session | Origin::Call => {}
        }
        typed
    }

    /// Notes a path of the world; what lies below a path that is read anyway needs no note.
    fn read_world(&mut self, keys: Vec<String>) {
        if (0..keys.len()).any(|length| keys.get(..length).is_some_and(|above| self.world_paths.contains(above))) {
            return;
        }
        self.world_paths.retain(|below| !below.starts_with(&keys));
        self.world_paths.insert(keys);
    }

    /// A part whose path may still go on.
    pub(super) fn open(&mut self, expr: &Expr) -> Typed<'s> {
        match &expr.kind {
            Kind::Literal(value) => Typed::constant(value),
            Kind::Name(name) => self.name(name, expr.span),
            Kind::Select(base, name, Access::Plain) if !has_optional(base) => self.select(base, name, expr),
            Kind::Index(base, key, Access::Plain) if !has_optional(base) => self.index(base, key, expr),
            Kind::Select(..) | Kind::Index(..) => {
                let message = format!("{} may be absent, and nothing says what stands for it then", named(expr));
                self.problem("bad-call", expr.span, message, Some("end it with `.orValue(…)`".into()));
                Typed::anything()
            }
            Kind::Call(name, parts) => self.call(name, parts, expr),
            Kind::Method(base, name, parts) => self.method(base, name, parts, expr),
            Kind::List(parts) => self.list(parts),
            Kind::Map(entries) => self.map(entries),
            _ => self.operator(expr),
        }
    }

    fn list(&mut self, parts: &[Expr]) -> Typed<'s> {
        let literals: Option<Vec<Value<'static>>> = parts.iter().map(literal).collect();
        if let Some(literals) = literals {
            return Typed::constant(&Value::Array(literals));
        }
        let (nodes, types): (Vec<Node>, Vec<Ty<'s>>) =
            parts.iter().map(|part| self.compile(part)).map(|typed| (typed.node, typed.ty)).unzip();
        let ty = Ty::list(Ty::any_of(types.into_iter()));
        Typed::new(folded_list(nodes), ty)
    }

    fn map(&mut self, entries: &[(Expr, Expr)]) -> Typed<'s> {
        let mut nodes = Vec::with_capacity(entries.len());
        let mut members = Some(Vec::new());
        let mut seen = BTreeSet::new();
        for (key_expr, value) in entries {
            let (key, value) = (self.wanted(key_expr, Kinds::TEXT), self.compile(value));
            match key.node.constant().and_then(Val::as_text).map(String::from) {
                Some(text) if !seen.insert(text.clone()) => {
                    let message = format!("the key {} stands in the map twice", key_expr.text());
                    self.problem("bad-call", key_expr.span, message, Some("take one out".into()));
                }
                Some(text) => _ = members.as_mut().map(|members| members.push((text, value.ty))),
                None => members = None,
            }
            nodes.push((key.node, value.node));
        }
        let is_constant = nodes.iter().all(|(key, value)| key.constant().is_some() && value.constant().is_some());
        let ty = members.map_or_else(|| Ty::of(Kinds::MAP), Ty::members);
        let node = Node::Map(nodes.into());
        Typed::new(if is_constant { fold(node).unwrap_or_else(|(node, _)| node) } else { node }, ty)
    }
}

/// The value of a constant as it is written.
fn literal(expr: &Expr) -> Option<Value<'static>> {
    if let Kind::Literal(value) = &expr.kind { Some(value.clone()) } else { None }
}

/// A list of constants is a constant.
fn folded_list(nodes: Vec<Node>) -> Node {
    match nodes.iter().map(|node| node.constant().cloned()).collect::<Option<Vec<_>>>() {
        Some(items) => Node::Const(Val::List(items.into())),
        None => Node::List(nodes.into()),
    }
}

/// True if some step on the way may be absent.
pub(super) fn has_optional(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Select(_, _, Access::Optional) | Kind::Index(_, _, Access::Optional) => true,
        Kind::Select(base, ..) | Kind::Index(base, ..) => has_optional(base),
        _ => false,
    }
}

/// A part as a message names it.
pub(super) fn named(expr: &Expr) -> String {
    format!("`{}`", short(expr))
}

/// The text of a part, cut where it is long.
pub(super) fn short(expr: &Expr) -> String {
    const LENGTH: usize = 60;
    let text = expr.text();
    if text.chars().count() <= LENGTH {
        return text;
    }
    text.chars().take(LENGTH).chain(['…']).collect()
}

fn words_of(kinds: Kinds) -> String {
    if kinds == Kinds::SCALAR { "a single value".into() } else { kinds.to_string() }
}

/// The constant that a node of constants is, or the node and the reason why it has no value.
pub(super) fn fold(node: Node) -> Result<Node, (Node, super::Fault)> {
    let value: Outcome<Option<Val<'static>>> =
        with_nothing(|evaluation| evaluate(&node, evaluation).map(Val::into_static));
    match value {
        Ok(Some(value)) => Ok(Node::Const(value)),
        Ok(None) => Err((node, super::Fault::OutOfFuel)),
        Err(fault) => Err((node, fault)),
    }
}

/// An evaluation in which there is nothing to read.
fn with_nothing<R>(evaluate: impl FnOnce(&mut Evaluation<'_>) -> R) -> R {
    let (nothing, lets) = (Nothing::new(), Lets::default());
    evaluate(&mut Evaluation::new(nothing.context(), &lets))
}
