//! Compiled expressions: a tree of nodes whose names are slots, places and numbers of indexes.
//!
//! Data only; `evaluate.rs` gives it its meaning.

use super::ast::Operator;
use super::functions::Function;
use super::val::Val;
use crate::decimal::Decimal;
use crate::observed::{IndexId, RecallId, TallyId};
use crate::schema::Slot;

/// A compiled expression.
#[derive(Debug)]
pub struct Program {
    pub(crate) node: Node,
    /// How many variables it sets, where it is what a `forEach` goes over.
    pub(crate) variables: usize,
}

impl Program {
    /// What a condition is whatever the call: it can never hold, or always does.
    #[must_use]
    pub fn always(&self) -> Option<bool> {
        if let Node::Const(value) = &self.node { value.as_bool() } else { None }
    }
}

/// A compiled text.
#[derive(Debug)]
pub struct Text {
    pub(crate) parts: Box<[Part]>,
}

/// A part of a text.
#[derive(Debug)]
pub(crate) enum Part {
    Words(Box<str>),
    Value(Node),
}

/// One step of the evaluation.
#[derive(Debug)]
pub(crate) enum Node {
    Const(Val<'static>),
    /// An argument.
    Slot(Slot, Box<str>),
    Root(Root),
    /// A root that may be absent, and what stands for it then.
    RootOr(Root, Box<Node>),
    HasRoot(Root),
    /// A let, by its number.
    Let(u16, Box<str>),
    /// A variable, by its place among those that are set.
    Local(usize, Box<str>),
    /// Members of constant names, one inside the other.
    Path {
        base: Box<Node>,
        keys: Box<[Box<str>]>,
        what: Box<str>,
    },
    Index {
        base: Box<Node>,
        key: Box<Node>,
        what: Box<str>,
    },
    /// What may be absent or null, and what stands for it then.
    OrValue {
        chain: Chain,
        default: Box<Node>,
    },
    Has {
        chain: Chain,
        key: Box<str>,
    },
    List(Box<[Node]>),
    Map(Box<[(Node, Node)]>),
    Not(Box<Node>),
    Negate(Box<Node>),
    And(Box<[Node]>),
    Or(Box<[Node]>),
    Conditional(Box<[Node; 3]>),
    Equal {
        sides: Box<[Node; 2]>,
        negated: bool,
    },
    EqualText {
        left: Box<Node>,
        text: Box<str>,
        negated: bool,
    },
    Compare {
        operator: Operator,
        sides: Box<[Node; 2]>,
    },
    CompareNumber {
        left: Box<Node>,
        operator: Operator,
        number: Decimal,
    },
    In(Box<[Node; 2]>),
    InSet {
        left: Box<Node>,
        set: Box<Set>,
    },
    Arithmetic {
        operator: Operator,
        sides: Box<[Node; 2]>,
    },
    /// `round(a / b, places)`.
    DivideRound(Box<[Node; 3]>),
    Apply {
        function: &'static Function,
        parts: Box<[Node]>,
        offset: Option<i32>,
    },
    Matches {
        text: Box<Node>,
        regex: Box<regex::Regex>,
    },
    Macro(Box<Comprehension>),
    /// Whether a call succeeded.
    Done {
        index: IndexId,
        keys: Box<[Node]>,
        what: Box<str>,
    },
    /// The first or the last call that succeeded.
    Recall {
        index: RecallId,
        is_first: bool,
        keys: Box<[Node]>,
        what: Box<str>,
    },
    Count {
        index: TallyId,
        keys: Box<[Node]>,
        what: Box<str>,
    },
    /// Whether the user typed an argument.
    Said(Box<Node>),
}

/// What a name at the start of a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    Args,
    Declared,
    Result,
    Input,
    Reply,
    World,
    Session,
    Turn,
    Now,
    CallTool,
    CallServer,
    CallEffect,
    CallDirectory,
}

impl Root {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Root::Args => "args",
            Root::Declared => "declared",
            Root::Result => "result",
            Root::Input => "input",
            Root::Reply => "reply",
            Root::World => "world",
            Root::Session => "session",
            Root::Turn => "session.turn",
            Root::Now => "now",
            Root::CallTool => "call.tool",
            Root::CallServer => "call.server",
            Root::CallEffect => "call.effect",
            Root::CallDirectory => "call.cwd",
        }
    }
}

/// A value, and the steps from the first that may be absent.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) base: Box<Node>,
    pub(crate) steps: Box<[Node]>,
    pub(crate) what: Box<str>,
}

/// A constant list of scalars.
#[derive(Debug, Default)]
pub(crate) struct Set {
    /// Sorted.
    pub(crate) texts: Vec<Box<str>>,
    /// Sorted.
    pub(crate) numbers: Vec<Decimal>,
    pub(crate) has_true: bool,
    pub(crate) has_false: bool,
    pub(crate) has_null: bool,
}

/// A macro over a list or a map.
#[derive(Debug)]
pub(crate) struct Comprehension {
    pub(crate) kind: MacroKind,
    pub(crate) over: Node,
    pub(crate) variables: usize,
    pub(crate) test: Option<Node>,
    /// What is built of each; nothing: the element itself.
    pub(crate) body: Option<Node>,
}

/// What a macro makes of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MacroKind {
    All,
    Exists,
    ExistsOne,
    Collect,
}

impl Node {
    /// What it is, in words, for what is said of a missing value.
    pub(crate) fn what(&self) -> String {
        match self {
            Node::Slot(_, what)
            | Node::Let(_, what)
            | Node::Local(_, what)
            | Node::Path { what, .. }
            | Node::Index { what, .. }
            | Node::Done { what, .. }
            | Node::Recall { what, .. }
            | Node::Count { what, .. } => format!("`{what}`"),
            Node::Const(value) => {
                value.to_value().map_or_else(|| value.kind().into(), |value| crate::text::shown(&value))
            }
            Node::Root(root) => format!("`{}`", root.text()),
            Node::OrValue { chain, .. } => format!("`{}`", chain.what),
            Node::Apply { function, .. } => format!("the value of `{}`", function.name),
            _ => String::from("a computed value"),
        }
    }

    pub(crate) fn constant(&self) -> Option<&Val<'static>> {
        if let Node::Const(value) = self { Some(value) } else { None }
    }
}

impl Set {
    /// The set of a constant list; `None` if it holds more than scalars.
    pub(crate) fn of(items: &[Val<'static>]) -> Option<Set> {
        let mut set = Set::default();
        for item in items {
            match item {
                Val::Null => set.has_null = true,
                Val::Bool(true) => set.has_true = true,
                Val::Bool(false) => set.has_false = true,
                Val::Number(number) => set.numbers.push(*number),
                Val::Text(text) => set.texts.push(text.as_ref().into()),
                _ => return None,
            }
        }
        set.texts.sort_unstable();
        set.numbers.sort_unstable();
        Some(set)
    }

    pub(crate) fn contains(&self, value: &Val<'_>) -> bool {
        if let Some(text) = value.as_text() {
            return self.texts.binary_search_by(|known| (**known).cmp(text)).is_ok();
        }
        if let Some(number) = value.as_number() {
            return self.numbers.binary_search(&number).is_ok();
        }
        match value.as_bool() {
            Some(true) => self.has_true,
            Some(false) => self.has_false,
            None => self.has_null && value.is_null(),
        }
    }
}
