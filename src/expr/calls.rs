//! Functions, methods, `has`, `orValue` and macros.

use super::ast::{Access, Expr, Kind, Operator};
use super::check::{Compiler, Origin, Trail, Typed, fold, has_optional, named, short};
use super::functions::{FUNCTIONS, Function, Gives, find};
use super::names::{StepKey, computed_root};
use super::parse::MACROS;
use super::program::{Chain, Comprehension, MacroKind, Node};
use super::types::{Kinds, NoMember, Ty};
use super::val::Val;
use crate::context::BindProblem;
use crate::diagnostic::did_you_mean;
use crate::source::{Span, Spanned};

/// Calls that are no functions of the table.
pub(super) const SPECIAL: &[&str] = &["has", "done", "first", "last", "count", "saidByUser"];

/// The largest program of a pattern once compiled.
const MAX_PATTERN: usize = 1 << 20;

impl<'s> Compiler<'s, '_> {
    /// `name(…)`.
    pub(super) fn call(&mut self, name: &Spanned<String>, parts: &[Expr], expr: &Expr) -> Typed<'s> {
        match (name.value.as_str(), parts) {
            ("has", [part]) => self.has(part),
            ("saidByUser", _) => self.said_by_user(name, parts),
            ("done" | "first" | "last" | "count", _) => self.earlier_call(name, parts, expr),
            ("round", [Expr { kind: Kind::Binary(Operator::Divide, left, right), .. }, places @ ..])
                if places.len() <= 1 =>
            {
                self.divide_round(left, right, places.first(), expr)
            }
            _ => match find(&name.value, false) {
                Some(function) => self.apply(function, name.span, &parts.iter().collect::<Vec<_>>(), expr),
                None => self.unknown_function(name, parts, false),
            },
        }
    }

    fn unknown_function(&mut self, name: &Spanned<String>, parts: &[Expr], is_method: bool) -> Typed<'s> {
        for part in parts.iter().filter(|_| !MACROS.iter().any(|(known, _)| *known == name.value)) {
            self.compile(part);
        }
        let known = FUNCTIONS.iter().filter(|function| function.is_method == is_method).map(|function| function.name);
        let others = if is_method {
            MACROS.iter().map(|(name, _)| *name).chain(["orValue"]).collect()
        } else {
            SPECIAL.to_vec()
        };
        let (what, rule) = match name.value.as_str() {
            "has" => ("`has` takes one field, as in `has(a.b)`".to_owned(), "bad-call"),
            other if is_method => (format!("there is no method `{other}`"), "unknown-name"),
            other => (format!("there is no function `{other}`"), "unknown-name"),
        };
        let help = match name.value.as_str() {
            "runs" => Some(format!("a later version brings `{}`", name.value)),
            "length" | "len" => Some("the length is `size(x)`".to_owned()),
            "hour" | "hours" => Some("the hour is `getHours()`".to_owned()),
            "minute" | "minutes" => Some("the minutes are `getMinutes()`".to_owned()),
            "weekday" | "dayOfWeek" => {
                Some("the day of the week is `getDayOfWeek()`, from Sunday, which is 0".to_owned())
            }
            "day" | "date" => Some("the day of the month is `getDate()`".to_owned()),
            "month" => Some("the month is `getMonth()`, from January, which is 0".to_owned()),
            "year" => Some("the year is `getFullYear()`".to_owned()),
            "double" | "uint" => Some("there is one kind of number, which needs no conversion".to_owned()),
            other if find(other, !is_method).is_some() && is_method => Some(format!("write `{other}(…)`")),
            other if find(other, !is_method).is_some() => Some(format!("write `x.{other}(…)`")),
            other => did_you_mean(other, known.chain(others)),
        };
        self.problem(rule, name.span, what, help);
        Typed::anything()
    }

    /// `round(a / b, places)`.
    fn divide_round(&mut self, left: &Expr, right: &Expr, places: Option<&Expr>, expr: &Expr) -> Typed<'s> {
        let left = self.wanted(left, Kinds::NUMBER);
        let right = self.wanted(right, Kinds::NUMBER);
        let places = places.map(|places| self.wanted(places, Kinds::INTEGER).node);
        let places = places.unwrap_or(Node::Const(Val::Number(crate::decimal::Decimal::ZERO)));
        let is_constant = [&left.node, &right.node, &places].iter().all(|node| node.constant().is_some());
        let node = Node::DivideRound(Box::new([left.node, right.node, places]));
        let node = if is_constant { self.folded(node, expr, "bad-call") } else { node };
        Typed::new(node, Ty::of(Kinds::NUMBER))
    }

    /// `base.name(…)`.
    pub(super) fn method(&mut self, base: &Expr, name: &Spanned<String>, parts: &[Expr], expr: &Expr) -> Typed<'s> {
        if name.value == "orValue" {
            return self.or_value(base, name.span, parts, expr);
        }
        if let Some((_, sizes)) = MACROS.iter().find(|(known, _)| *known == name.value) {
            if sizes.contains(&parts.len()) {
                return self.comprehension(base, name, parts);
            }
            self.wrong_macro(name, sizes);
            return Typed::anything();
        }
        let Some(function) = find(&name.value, true) else {
            self.compile(base);
            return self.unknown_function(name, parts, true);
        };
        let all: Vec<&Expr> = std::iter::once(base).chain(parts).collect();
        self.apply(function, name.span, &all, expr)
    }

    fn wrong_macro(&mut self, name: &Spanned<String>, sizes: &std::ops::RangeInclusive<usize>) {
        let help = match name.value.as_str() {
            "map" => "write `list.map(x, value)` or `list.map(x, condition, value)`; with an index `list.transformList(i, x, value)`".to_owned(),
            "transformList" => "write `list.transformList(i, x, value)` or `list.transformList(i, x, condition, value)`".to_owned(),
            other if *sizes.end() == 2 => format!("write `list.{other}(x, condition)`"),
            other if *sizes.start() == 3 => format!("write `list.{other}(i, x, condition)`"),
            other => format!("write `list.{other}(x, condition)` or `list.{other}(i, x, condition)`"),
        };
        self.problem(
            "bad-call",
            name.span,
            format!("`{}` is called with too few or too many values", name.value),
            Some(help),
        );
    }

    /// A function of the table.
    fn apply(&mut self, function: &'static Function, name: Span, parts: &[&Expr], expr: &Expr) -> Typed<'s> {
        let most = function.takes.len();
        if parts.len() > most || parts.len() < most.saturating_sub(function.optional) {
            self.wrong_count(function, name);
            return Typed::anything();
        }
        let typed: Vec<Typed<'s>> =
            parts.iter().zip(function.takes).map(|(part, kinds)| self.wanted(part, *kinds)).collect();
        self.check_elements(function, parts, &typed);
        if function.name == "matches" {
            return self.matches(typed, parts);
        }
        let first = typed.first().map_or_else(Ty::any, |typed| typed.ty.clone());
        let ty = match function.gives {
            Gives::Kinds(_) if function.name == "round" && parts.len() == 1 => Ty::of(Kinds::INTEGER),
            Gives::Kinds(kinds) if first.kinds.meets(Kinds::LIST) => Ty::computed(kinds, &[&first.element()]),
            Gives::Kinds(kinds) => Ty::computed(kinds, &[&first]),
            Gives::Element => first.element(),
            Gives::Same => first,
            Gives::Texts => Ty::list(Ty::of(Kinds::TEXT)),
        };
        let is_constant = typed.iter().all(|typed| typed.node.constant().is_some());
        let parts = typed.into_iter().map(|typed| typed.node).collect();
        let node = Node::Apply { function, parts, offset: self.scope.offset };
        Typed::new(if is_constant { self.folded(node, expr, "bad-call") } else { node }, ty)
    }

    fn wrong_count(&mut self, function: &Function, name: Span) {
        let receiver = usize::from(function.is_method);
        let takes: Vec<String> = function.takes.iter().skip(receiver).map(ToString::to_string).collect();
        let help = match takes.as_slice() {
            [] => "it takes nothing".to_owned(),
            _ if function.optional > 0 => format!("it takes {}; the last may be left out", takes.join(", ")),
            _ => format!("it takes {}", takes.join(", ")),
        };
        let message = format!("`{}` is called with too few or too many values", function.name);
        self.problem("bad-call", name, message, Some(help));
    }

    fn check_elements(&mut self, function: &Function, parts: &[&Expr], typed: &[Typed<'s>]) {
        let (Some(list), Some(expr)) = (typed.first(), parts.first()) else { return };
        let element = list.ty.element().kinds;
        if function.takes.first() == Some(&Kinds::LIST) && !element.meets(function.elements) {
            let message = format!("each element of {} is {element}, not {}", named(expr), function.elements);
            self.problem(
                "type-mismatch",
                expr.span,
                message,
                Some(format!("make them so with `.map(x, …).{}(…)`", function.name)),
            );
        }
    }

    /// `text.matches(pattern)`: a search in linear time, with a constant pattern.
    fn matches(&mut self, typed: Vec<Typed<'s>>, parts: &[&Expr]) -> Typed<'s> {
        let mut nodes = typed.into_iter().map(|typed| typed.node);
        let (Some(text), Some(pattern), Some(expr)) = (nodes.next(), nodes.next(), parts.get(1)) else {
            return Typed::anything();
        };
        let Some(pattern) = pattern.constant().and_then(Val::as_text) else {
            let help = Some("write the pattern as a text, or keep it in `params`".to_owned());
            self.problem("bad-call", expr.span, "the pattern of `matches` must be a constant", help);
            return Typed::anything();
        };
        match regex::RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build() {
            Ok(regex) => Typed::bool(Node::Matches { text: Box::new(text), regex: Box::new(regex) }),
            Err(error) => {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
                let help = Some("look-around and back-references are not known".to_owned());
                self.problem("bad-call", expr.span, format!("the pattern cannot be read: {reason}"), help);
                Typed::anything()
            }
        }
    }

    /// A node of constants, computed; where it has no value, a problem.
    pub(super) fn folded(&mut self, node: Node, expr: &Expr, rule: &'static str) -> Node {
        match fold(node) {
            Ok(constant) => constant,
            Err((node, fault)) => {
                let is_time = expr.text().starts_with("timestamp(");
                let help = is_time.then(|| "write it as `2031-03-04T09:00:00Z`".to_owned());
                self.problem(rule, expr.span, format!("{} has no value: {fault}", named(expr)), help);
                node
            }
        }
    }

    /// `has(a.b)`.
    fn has(&mut self, part: &Expr) -> Typed<'s> {
        let Kind::Select(base_expr, name, Access::Plain) = &part.kind else {
            self.compile(part);
            let help = "write `has(a.b)`, or `key in map`".to_owned();
            self.problem("bad-call", part.span, "`has` asks for a field by its name", Some(help));
            return Typed::anything();
        };
        let (base, steps) = Self::steps(base_expr);
        let mut open = self.open(base);
        let is_lenient = is_lenient(&open);
        let Some(nodes) = self.follow(&mut open, base, &steps) else {
            return Typed::bool(Node::Const(Val::Bool(false)));
        };
        if let Some(Trail { origin: Origin::Params(value), .. }) = &open.trail {
            return Typed::bool(Node::Const(Val::Bool(value.get(&name.value).is_some())));
        }
        if let Err(problem) = open.ty.member(&name.value) {
            self.close(open, base);
            return match problem {
                NoMember::Unknown(known) if is_lenient => {
                    self.lacks(&known, base_expr, &name.value, name.span);
                    Typed::bool(Node::Const(Val::Bool(false)))
                }
                problem => {
                    let ty = Ty::of(Kinds::MAP);
                    self.no_member(&problem, &ty, base_expr, &name.value, name.span);
                    Typed::anything()
                }
            };
        }
        if is_lenient {
            self.asked.push((name.span, None));
        }
        if let Some(trail) = &mut open.trail {
            trail.keys.push(name.value.clone());
        }
        if let Some(root) = computed_root(open.trail.as_ref(), &name.value) {
            return Typed::bool(Node::HasRoot(root));
        }
        let open = self.close(open, part);
        let chain = Chain { base: Box::new(open.node), steps: nodes.into(), what: short(base_expr).into() };
        Typed::bool(Node::Has { chain, key: name.value.as_str().into() })
    }

    /// `a.?b.orValue(default)`.
    fn or_value(&mut self, base_expr: &Expr, name: Span, parts: &[Expr], expr: &Expr) -> Typed<'s> {
        let [default_expr] = parts else {
            self.problem("bad-call", name, "`orValue` takes one value", Some("write `a.?b.orValue(0)`".into()));
            return Typed::anything();
        };
        if !has_optional(base_expr) {
            self.compile(base_expr);
            self.compile(default_expr);
            let message = format!("{} is never absent", named(base_expr));
            self.problem(
                "bad-call",
                base_expr.span,
                message,
                Some("write `a.?b` or `m[?k]` for what may be absent".into()),
            );
            return Typed::anything();
        }
        let (base, steps) = Self::steps(base_expr);
        let mut open = self.open(base);
        if let Some(found) = self.constant_or(&open, &steps) {
            let default = self.compile(default_expr);
            return found.map_or(default, |value| Typed::constant(value));
        }
        let Some(nodes) = self.follow(&mut open, base, &steps) else { return self.compile(default_expr) };
        let root = match (&open.trail, steps.as_slice()) {
            (Some(trail), [(_, StepKey::Name(name))]) => computed_root(Some(trail), &name.value),
            _ => None,
        };
        let open = self.close(open, expr);
        let default = self.compile(default_expr);
        let ty = open.ty.present().or(&default.ty);
        if let Some(root) = root {
            return Typed::new(Node::RootOr(root, Box::new(default.node)), ty);
        }
        let chain = Chain { base: Box::new(open.node), steps: nodes.into(), what: short(base_expr).into() };
        Typed::new(Node::OrValue { chain, default: Box::new(default.node) }, ty)
    }

    /// What constant steps from `params` lead to; `None` if this is no constant, `Some(None)` if it is absent.
    fn constant_or(
        &mut self,
        open: &Typed<'s>,
        steps: &[(&Expr, StepKey<'_>)],
    ) -> Option<Option<&'s crate::value::Value<'static>>> {
        let Some(Trail { origin: Origin::Params(value), .. }) = &open.trail else { return None };
        let mut at = Some(*value);
        for (_, key) in steps {
            let name = match key {
                StepKey::Name(name) => name.value.as_str(),
                StepKey::Key(Expr { kind: Kind::Literal(crate::value::Value::String(text)), .. }) => text,
                StepKey::Key(_) => return None,
            };
            at = at.and_then(|value| value.get(name));
        }
        Some(at.filter(|value| !value.is_null()))
    }

    /// The nodes of steps that may be absent; `None` if the tool at hand has no such field, so that it always is.
    fn follow(&mut self, open: &mut Typed<'s>, base: &Expr, steps: &[(&Expr, StepKey<'_>)]) -> Option<Vec<Node>> {
        if steps.is_empty() {
            return Some(Vec::new());
        }
        if matches!(open.trail, Some(Trail { origin: Origin::Params(_), .. })) {
            let typed = std::mem::replace(open, Typed::anything());
            *open = self.close(typed, base);
        }
        let is_lenient = is_lenient(open);
        let mut nodes = Vec::with_capacity(steps.len());
        let mut before = base;
        for (expr, key) in steps {
            let key_typed = match key {
                StepKey::Name(name) => Typed::constant(&crate::value::Value::from(name.value.as_str())),
                StepKey::Key(key) => self.compile(key),
            };
            let span = match key {
                StepKey::Name(name) => name.span,
                StepKey::Key(key) => key.span,
            };
            let constant = key_typed.node.constant().and_then(Val::as_text).map(String::from);
            match constant.filter(|_| open.ty.kinds.meets(Kinds::MAP) || matches!(key, StepKey::Name(_))) {
                Some(name) => match open.ty.member(&name) {
                    Ok(ty) => {
                        if is_lenient {
                            self.asked.push((span, None));
                        }
                        open.ty = ty;
                        if let Some(trail) = &mut open.trail {
                            trail.keys.push(name);
                        }
                    }
                    Err(NoMember::Unknown(known)) if is_lenient => {
                        self.lacks(&known, before, &name, span);
                        return None;
                    }
                    Err(problem) => {
                        let ty = open.ty.clone();
                        self.no_member(&problem, &ty, before, &name, span);
                        return None;
                    }
                },
                None => {
                    let key_expr = if let StepKey::Key(key) = key { key } else { before };
                    let ty = open.ty.clone();
                    let next = self.indexed(&ty, &key_typed, before, key_expr);
                    self.end_trail(open, base);
                    open.ty = next;
                }
            }
            nodes.push(key_typed.node);
            before = expr;
        }
        Some(nodes)
    }

    /// Notes that the tool at hand lacks a field that may be absent.
    fn lacks(&mut self, known: &[String], base: &Expr, name: &str, span: Span) {
        let message = format!("no tool that this is about has a field `{name}` in {}", named(base));
        let help = did_you_mean(name, known.iter().map(String::as_str));
        self.asked.push((span, Some(BindProblem { rule: "unknown-field", span, message, help })));
    }

    /// Ends the path at a key that is not constant, and keeps the value.
    fn end_trail(&mut self, open: &mut Typed<'s>, base: &Expr) {
        let trail = open.trail.take();
        let placeholder = Typed { trail, ..Typed::anything() };
        self.close(placeholder, base);
    }

    /// What a macro or a `forEach` goes over.
    pub(super) fn elements_of(&mut self, expr: &Expr) -> (Node, Ty<'s>) {
        let typed = self.compile(expr);
        if !typed.ty.kinds.meets(Kinds::LIST.or(Kinds::MAP)) {
            let message = format!("{} is {}; it has no elements", named(expr), typed.ty.kinds);
            self.problem("type-mismatch", expr.span, message, None);
        }
        (typed.node, typed.ty)
    }

    fn comprehension(&mut self, base: &Expr, name: &Spanned<String>, parts: &[Expr]) -> Typed<'s> {
        let (over, ty) = self.elements_of(base);
        let before = self.locals.len();
        let is_pair = match name.value.as_str() {
            "transformList" => true,
            "map" => false,
            _ => parts.len() == 3,
        };
        let count = if is_pair { 2 } else { 1 };
        let (names, rest) = parts.split_at_checked(count).unwrap_or((parts, &[]));
        let variables = self.variables(names);
        self.declare(&variables, &ty, self.argument(base));
        let (kind, test, body) = match (name.value.as_str(), rest) {
            ("map" | "transformList", [body]) => (MacroKind::Collect, None, Some(self.compile(body))),
            ("map" | "transformList", [test, body]) => {
                (MacroKind::Collect, Some(self.truth(test)), Some(self.compile(body)))
            }
            ("filter", [test]) => (MacroKind::Collect, Some(self.truth(test)), None),
            ("all", [test]) => (MacroKind::All, Some(self.truth(test)), None),
            ("exists", [test]) => (MacroKind::Exists, Some(self.truth(test)), None),
            (_, rest) => (MacroKind::ExistsOne, rest.first().map(|test| self.truth(test)), None),
        };
        let element = self.locals.last().map_or_else(Ty::any, |local| local.ty.clone());
        self.locals.truncate(before);
        let ty = match (kind, &body) {
            (MacroKind::Collect, Some(body)) => Ty::list(body.ty.clone()),
            (MacroKind::Collect, None) => Ty::list(element),
            _ => Ty::of(Kinds::BOOL),
        };
        let body = body.map(|body| body.node);
        let comprehension = Comprehension { kind, over, variables: count, test, body };
        Typed::new(Node::Macro(Box::new(comprehension)), ty)
    }

    fn variables(&mut self, names: &[Expr]) -> Vec<Spanned<String>> {
        let mut variables = Vec::with_capacity(names.len());
        for expr in names {
            if let Kind::Name(name) = &expr.kind {
                variables.push(Spanned::new(name.clone(), expr.span));
            } else {
                let help = Some("write `list.all(x, …)`".to_owned());
                self.problem("bad-call", expr.span, format!("{} is no name for a variable", named(expr)), help);
                variables.push(Spanned::new("_".into(), expr.span));
            }
        }
        variables
    }
}

/// True for what differs from tool to tool, where a field may be asked for that this one lacks.
fn is_lenient(open: &Typed<'_>) -> bool {
    !matches!(
        open.trail,
        Some(Trail { origin: Origin::World | Origin::Session | Origin::Call | Origin::Params(_), .. })
    )
}
