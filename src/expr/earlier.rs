//! What asks for earlier calls: `done`, `first`, `last`, `count`. Each call site is one index.

use super::ToolTypes;
use super::ast::{Expr, Kind};
use super::check::{Compiler, Origin, Trail, Typed, named, short};
use super::program::Node;
use super::types::{Kinds, Ty};
use super::val::Val;
use crate::context::Hook;
use crate::diagnostic::did_you_mean;
use crate::observed::{CallsBy, IndexDefinition, KeyPart, Root, TallyScope};
use crate::path::{Path, Step};
use crate::schema::Spots;
use crate::source::Spanned;
use crate::tool::Pattern;
use crate::value::Value;

/// The functions that read what the session keeps.
pub(super) const NAMES: &[&str] = &["done", "first", "last", "count"];

impl<'s> Compiler<'s, '_> {
    pub(super) fn earlier_call(&mut self, name: &Spanned<String>, parts: &[Expr], expr: &Expr) -> Typed<'s> {
        let is_count = name.value == "count";
        let most = if is_count { 3 } else { 2 };
        let (Some(tools_expr), true) = (parts.first(), parts.len() <= most) else {
            let example =
                if is_count { "count('tool', {'id': args.id}, 'turn')" } else { "first('tool', {'id': args.id})" };
            self.problem(
                "bad-call",
                name.span,
                format!("`{}` takes a tool and the arguments to ask by", name.value),
                Some(format!("write `{}`", example.replace("first", &name.value))),
            );
            return Typed::anything();
        };
        let known = self.problems.len();
        let tools = self.tool_patterns(tools_expr);
        let meant = self.meant(&tools);
        let mut keys = parts.get(1).map(|keys| self.keys(keys, &meant)).unwrap_or_default();
        let scope = parts.get(2).map_or(TallyScope::Session, |scope| self.tally_scope(scope));
        if self.problems.len() > known {
            return Typed::anything();
        }
        keys.sort_by(|(left, _), (right, _)| left.cmp(right));
        let (names, nodes): (Vec<String>, Vec<Node>) = keys.into_iter().unzip();
        let paths: Vec<Path> = names.into_iter().map(|name| Path::from_steps(vec![Step::Key(name)])).collect();
        let keys = nodes.into();
        let what = short(expr).into();
        match name.value.as_str() {
            "done" => {
                let parts = paths.into_iter().map(|path| KeyPart::whole(Root::Args, path)).collect();
                let index = self.plan.index(IndexDefinition { tools, parts, forgotten_by: None });
                Typed::bool(Node::Done { index, keys, what })
            }
            // A turn that only begins has no call yet.
            "count" if scope == TallyScope::Turn && self.scope.hook == Hook::OnInput => {
                Typed::constant(&Value::from(0))
            }
            "count" => {
                let index = self.plan.tally(CallsBy { tools, keys: paths }, scope);
                Typed::new(Node::Count { index, keys, what }, Ty::of(Kinds::INTEGER))
            }
            which => {
                let calls = CallsBy { tools, keys: paths };
                let index = self.plan.recall(calls.clone(), &[], &[]);
                let node = Node::Recall { index, is_first: which == "first", keys, what };
                let trail = Some(Trail { origin: Origin::Recall(calls), keys: Vec::new() });
                Typed { node, ty: call_type(&meant), trail }
            }
        }
    }

    /// Notes what is read of an earlier call.
    pub(super) fn read_call(&mut self, calls: &CallsBy, keys: &[String]) {
        if keys.first().is_none_or(|first| first == "at") {
            self.plan.keep_time();
        }
        let all = || vec![Vec::new()];
        let (args, result) = match keys.split_first() {
            None => (all(), all()),
            Some((first, rest)) if first == "args" => (vec![rest.to_vec()], Vec::new()),
            Some((first, rest)) if first == "result" => (Vec::new(), vec![rest.to_vec()]),
            Some(_) => return,
        };
        self.plan.recall(calls.clone(), &args, &result);
    }

    /// The tools that a call site names, in one order.
    fn tool_patterns(&mut self, expr: &Expr) -> Vec<Pattern> {
        let typed = self.compile(expr);
        let names: Option<Vec<String>> = match typed.node.constant() {
            Some(Val::List(items)) => items.iter().map(|item| item.as_text().map(String::from)).collect(),
            Some(value) => value.as_text().map(|name| vec![name.to_owned()]),
            None => None,
        };
        let Some(names) = names.filter(|names| !names.is_empty()) else {
            let help = "write `'tool'` or `['one', 'other']`".to_owned();
            self.problem("bad-call", expr.span, format!("{} is no constant name of a tool", named(expr)), Some(help));
            return Vec::new();
        };
        let mut patterns: Vec<Pattern> = Vec::with_capacity(names.len());
        for (at, name) in names.iter().enumerate() {
            let pattern = Pattern::selector(name);
            if !self.scope.tools.iter().any(|tool| pattern.overlaps(&Pattern::key(tool.name))) {
                let span = match &expr.kind {
                    Kind::List(elements) => elements.get(at).map_or(expr.span, |element| element.span),
                    _ => expr.span,
                };
                let help = did_you_mean(name, self.scope.tools.iter().map(|tool| tool.name));
                self.problem("unknown-tool", span, format!("no tool is called `{name}`"), help);
            }
            patterns.push(pattern);
        }
        patterns.sort();
        patterns.dedup();
        patterns
    }

    fn meant(&self, tools: &[Pattern]) -> Vec<ToolTypes<'s>> {
        let is_meant = |tool: &&ToolTypes<'s>| tools.iter().any(|pattern| pattern.overlaps(&Pattern::key(tool.name)));
        self.scope.tools.iter().filter(is_meant).copied().collect()
    }

    /// The arguments that a call site asks by, with their values.
    fn keys(&mut self, expr: &Expr, meant: &[ToolTypes<'s>]) -> Vec<(String, Node)> {
        let Kind::Map(entries) = &expr.kind else {
            let help = "write `{'id': args.id}`".to_owned();
            self.problem("bad-call", expr.span, format!("{} is no map of arguments", named(expr)), Some(help));
            return Vec::new();
        };
        let mut keys: Vec<(String, Node)> = Vec::with_capacity(entries.len());
        for (key_expr, value_expr) in entries {
            let key = self.compile(key_expr);
            let value = self.compile(value_expr);
            let Some(name) = key.node.constant().and_then(Val::as_text).map(String::from) else {
                let help = "write the argument's name in quotes".to_owned();
                self.problem("bad-call", key_expr.span, format!("{} is no constant name", named(key_expr)), Some(help));
                continue;
            };
            if keys.iter().any(|(known, _)| *known == name) {
                let message = format!("the key `{name}` stands in the map twice");
                self.problem("bad-call", key_expr.span, message, Some("take one out".into()));
            }
            self.check_key(&name, key_expr, &value, value_expr, meant);
            keys.push((name, value.node));
        }
        keys
    }

    /// Every tool that is meant has the argument, and it can be the value.
    fn check_key(
        &mut self,
        name: &str,
        key_expr: &Expr,
        value: &Typed<'s>,
        value_expr: &Expr,
        meant: &[ToolTypes<'s>],
    ) {
        for tool in meant {
            match Ty::schema(tool.args.spots()).member(name) {
                Err(_) => {
                    let message = format!("no field `{name}` in the arguments of `{}`", tool.name);
                    let help = did_you_mean(name, tool.args.spots().names());
                    self.problem("unknown-field", key_expr.span, message, help);
                }
                Ok(ty) if ty.never_equals(&value.ty) => {
                    let message =
                        format!("`{name}` of `{}` is {}, and never equals {}", tool.name, ty.kinds, named(value_expr));
                    self.problem("never-equal", value_expr.span, message, None);
                }
                Ok(_) => {}
            }
        }
    }

    fn tally_scope(&mut self, expr: &Expr) -> TallyScope {
        let typed = self.compile(expr);
        match typed.node.constant().and_then(Val::as_text) {
            Some("turn") => TallyScope::Turn,
            Some("session") => TallyScope::Session,
            _ => {
                let help = "write `'turn'` or `'session'`".to_owned();
                self.problem("bad-call", expr.span, format!("{} is no scope of a count", named(expr)), Some(help));
                TallyScope::Session
            }
        }
    }
}

/// What is known of an earlier call of some tools.
fn call_type<'s>(meant: &[ToolTypes<'s>]) -> Ty<'s> {
    let of = |spots: &dyn Fn(&ToolTypes<'s>) -> Spots<'s>| {
        let all = meant.iter().map(spots).reduce(|sum, next| sum.or(&next));
        Ty::schema(all.unwrap_or_else(Spots::unknown))
    };
    Ty::members(vec![
        ("args".into(), of(&|tool| tool.args.spots())),
        ("result".into(), of(&|tool| tool.returns.map_or_else(Spots::unknown, |returns| returns.spots()))),
        ("turn".into(), Ty::of(Kinds::INTEGER)),
        ("at".into(), Ty::of(Kinds::TIME)),
    ])
}
