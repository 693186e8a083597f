//! Where the value of an expression comes from: whether something that an outsider may write, that the model wrote
//! itself, or that nobody is to be shown flows into it.
//!
//! A walk over the tree, which never takes less for a source than there is. What is only compared, counted in a
//! condition or filtered by does not flow out; what is returned does, also through functions, lets and lists. A value
//! that holds an untrusted part flows out with it; a member of it that is trusted does not.

use super::ast::{Expr, Kind, Operator};
use super::check::Compiler;
use super::{Expression, Scope, ToolTypes};
use crate::decimal::Decimal;
use crate::path::{Path, Step};
use crate::tool::Pattern;
use crate::value::Value;

/// One step of the way to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Key(String),
    /// Some element, or some member, nobody knows which.
    Some,
}

/// Where a way starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    World,
    /// The arguments of this call.
    Args,
    /// What the model declared beside them.
    Declared,
    /// The result of this call.
    Result,
    /// Earlier calls of some tools.
    Calls(Vec<Pattern>),
    /// What no outsider and no model writes: constants, the session, the call itself.
    Known,
}

/// A place from which a value, or a part of it, comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spring {
    pub(super) start: Start,
    pub(super) way: Vec<Way>,
    /// False for what was computed of it: a member of that is still from here.
    is_exact: bool,
}

/// What is asked of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sought {
    /// Who had a hand in it.
    Trust,
    /// What can be read off it: neither a size nor a part that an author cut out shows the whole.
    Shown,
}

impl Spring {
    fn at(start: Start) -> Vec<Spring> {
        vec![Spring { start, way: Vec::new(), is_exact: true }]
    }
}

fn stepped(mut springs: Vec<Spring>, step: &Way) -> Vec<Spring> {
    for spring in springs.iter_mut().filter(|spring| spring.is_exact) {
        spring.way.push(step.clone());
    }
    springs
}

fn computed(mut springs: Vec<Spring>) -> Vec<Spring> {
    springs.iter_mut().for_each(|spring| spring.is_exact = false);
    springs
}

/// A walk over one expression and the lets that it reads.
struct Walk<'c, 's> {
    sought: Sought,
    scope: &'c Scope<'s>,
    /// The variables that are set, each with where its value comes from.
    variables: Vec<(String, Vec<Spring>)>,
    /// How many lets can be seen.
    visible: usize,
    /// Where the values of lets come from, each walked once.
    lets: Vec<Option<Vec<Spring>>>,
}

impl Compiler<'_, '_> {
    /// What flows into the value of an expression and cannot vouch for anything, in words; `None` if all of it can.
    #[must_use]
    pub fn untrusted_in(&self, expression: &Expression) -> Option<String> {
        self.springs(Sought::Trust, &expression.root).iter().find_map(|spring| self.told(spring))
    }

    /// Where the value of a tree comes from.
    pub(super) fn springs(&self, sought: Sought, root: &Expr) -> Vec<Spring> {
        let lets = self.scope.lets.iter().map(|_| None).collect();
        Walk { sought, scope: &self.scope, variables: Vec::new(), visible: self.visible, lets }.springs(root)
    }

    fn told(&self, spring: &Spring) -> Option<String> {
        let none = [];
        match &spring.start {
            Start::Known => None,
            Start::Args | Start::Declared => Some("an argument, which the model writes".into()),
            Start::World => {
                let path = self.scope.untrusted_world.iter().find(|path| meets(&spring.way, path.value.steps()))?;
                Some(format!("`world.{}`, which is untrusted", path.value))
            }
            Start::Result => {
                let untrusted = self.scope.tool.map_or(&none[..], |tool| tool.untrusted);
                let path = untrusted.iter().find(|path| meets(&spring.way, path.value.steps()))?;
                Some(format!("{}, which is untrusted", result_path(&path.value)))
            }
            Start::Calls(tools) => {
                let rest = match spring.way.split_first() {
                    Some((Way::Key(key), _)) if key == "turn" || key == "at" => return None,
                    Some((Way::Key(key), rest)) if key == "result" => rest,
                    _ => return Some("an argument of an earlier call, which the model wrote".into()),
                };
                serving(self.scope.tools, tools).find_map(|tool| {
                    let path = tool.untrusted.iter().find(|path| meets(rest, path.value.steps()))?;
                    Some(format!("{} of `{}`, which is untrusted", result_path(&path.value), tool.name))
                })
            }
        }
    }
}

impl Walk<'_, '_> {
    /// Where the value comes from.
    fn springs(&mut self, expr: &Expr) -> Vec<Spring> {
        match &expr.kind {
            Kind::Literal(_) | Kind::Not(_) | Kind::And(_) | Kind::Or(_) => Vec::new(),
            Kind::Binary(operator, left, right) => match operator {
                Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide | Operator::Remainder => {
                    self.all([&**left, &**right])
                }
                _ => Vec::new(),
            },
            Kind::Name(name) => self.springs_of_name(name),
            Kind::Select(base, name, _) => stepped(self.springs(base), &Way::Key(name.value.clone())),
            Kind::Index(base, key, _) => {
                let step = match &key.kind {
                    Kind::Literal(Value::String(name)) => Way::Key(name.as_ref().to_owned()),
                    _ => Way::Some,
                };
                stepped(self.springs(base), &step)
            }
            Kind::Call(name, parts) => match (name.value.as_str(), parts.first()) {
                ("has" | "done" | "count" | "saidByUser" | "runs", _) => Vec::new(),
                ("size" | "type", _) if self.sought == Sought::Shown => Vec::new(),
                ("first" | "last", Some(tools)) => Spring::at(Start::Calls(patterns(tools))),
                _ => self.all(parts),
            },
            Kind::Method(base, name, parts) => self.springs_of_method(base, &name.value, parts),
            Kind::List(parts) => self.all(parts),
            Kind::Map(entries) => self.all(entries.iter().flat_map(|(key, value)| [key, value])),
            Kind::Negate(part) => self.all([&**part]),
            Kind::Conditional(_, yes, no) => {
                let mut springs = self.springs(yes);
                springs.extend(self.springs(no));
                springs
            }
        }
    }

    /// All that is put together of parts.
    fn all<'e>(&mut self, parts: impl IntoIterator<Item = &'e Expr>) -> Vec<Spring> {
        let mut all = Vec::new();
        for spring in parts.into_iter().flat_map(|part| computed(self.springs(part))) {
            if !all.contains(&spring) {
                all.push(spring);
            }
        }
        all
    }

    fn springs_of_name(&mut self, name: &str) -> Vec<Spring> {
        if let Some((_, springs)) = self.variables.iter().rev().find(|(known, _)| known == name) {
            return springs.clone();
        }
        match name {
            "world" => Spring::at(Start::World),
            "args" => Spring::at(Start::Args),
            "declared" => Spring::at(Start::Declared),
            "result" => Spring::at(Start::Result),
            "params" | "session" | "call" => Spring::at(Start::Known),
            _ => self.springs_of_let(name),
        }
    }

    /// A let sees only those before it, and no variables.
    fn springs_of_let(&mut self, name: &str) -> Vec<Spring> {
        let lets = self.scope.lets.get(..self.visible).unwrap_or_default();
        let Some(at) = lets.iter().position(|known| known.name.value == name) else { return Vec::new() };
        if let Some(Some(known)) = self.lets.get(at) {
            return known.clone();
        }
        let Some(read) = self.scope.lets.get(at) else { return Vec::new() };
        let variables = std::mem::take(&mut self.variables);
        let visible = std::mem::replace(&mut self.visible, at);
        let springs = self.springs(&read.value.root);
        (self.variables, self.visible) = (variables, visible);
        if let Some(place) = self.lets.get_mut(at) {
            *place = Some(springs.clone());
        }
        springs
    }

    fn springs_of_method(&mut self, base: &Expr, name: &str, parts: &[Expr]) -> Vec<Spring> {
        match (name, parts) {
            ("all" | "exists" | "exists_one" | "existsOne", _) => Vec::new(),
            ("startsWith" | "endsWith" | "contains" | "matches", _) => Vec::new(),
            ("size", _) if self.sought == Sought::Shown => Vec::new(),
            ("substring", parts) if self.sought == Sought::Shown && is_part(parts) => Vec::new(),
            // Over a map it gives the keys, which stand where the map does.
            ("filter", _) | ("orValue", []) => self.springs(base),
            ("orValue", [default, ..]) => {
                let mut springs = self.springs(base);
                springs.extend(self.springs(default));
                springs
            }
            ("map", [variable, .., body]) => self.each_of(base, &[variable], body),
            ("transformList", [first, second, .., body]) => self.each_of(base, &[first, second], body),
            _ => self.all(std::iter::once(base).chain(parts)),
        }
    }

    /// What a macro builds of each element.
    fn each_of(&mut self, base: &Expr, names: &[&Expr], body: &Expr) -> Vec<Spring> {
        let element = stepped(self.springs(base), &Way::Some);
        let before = self.variables.len();
        for name in names {
            if let Kind::Name(name) = &name.kind {
                self.variables.push((name.clone(), element.clone()));
            }
        }
        let springs = computed(self.springs(body));
        self.variables.truncate(before);
        springs
    }
}

/// True if a text is cut at constants, and not only at its first character.
fn is_part(cuts: &[Expr]) -> bool {
    let number = |cut: &Expr| if let Kind::Literal(Value::Number(number)) = &cut.kind { Some(*number) } else { None };
    match cuts.iter().map(number).collect::<Option<Vec<_>>>().as_deref() {
        Some([from]) => *from > Decimal::ZERO,
        Some([_, _]) => true,
        _ => false,
    }
}

/// True if what stands at the end of a way is in a marked path, or holds it.
pub(super) fn meets(way: &[Way], marked: &[Step]) -> bool {
    way.iter().zip(marked).all(|(way, step)| match (way, step) {
        (Way::Some, _) | (Way::Key(_), Step::Values) => true,
        (Way::Key(key), Step::Key(name)) => key == name,
        (Way::Key(_), Step::Each) => false,
    })
}

/// The declared tools that calls meant by some patterns can be of: of a name the tool that it is, of a glob all it meets.
pub(crate) fn serving<'s>(
    tools: &'s [ToolTypes<'s>],
    patterns: &'s [Pattern],
) -> impl Iterator<Item = &'s ToolTypes<'s>> {
    tools.iter().filter(move |tool| {
        patterns.iter().any(|pattern| {
            let is_exact = pattern.is_exact() && tools.iter().any(|known| known.name == pattern.text());
            if is_exact { tool.name == pattern.text() } else { pattern.overlaps(&Pattern::key(tool.name)) }
        })
    })
}

/// The tools that a call site names.
fn patterns(expr: &Expr) -> Vec<Pattern> {
    match &expr.kind {
        Kind::Literal(Value::String(name)) => vec![Pattern::selector(name)],
        Kind::List(parts) => parts.iter().flat_map(patterns).collect(),
        Kind::Literal(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(Pattern::selector).collect(),
        // The name stands elsewhere, so it may be any tool's.
        _ => vec![Pattern::selector("*")],
    }
}

/// A path as a message writes it.
fn result_path(path: &Path) -> String {
    let text = path.to_string();
    let dot = if text.is_empty() || text.starts_with('[') { "" } else { "." };
    format!("`result{dot}{text}`")
}
