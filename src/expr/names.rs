//! What names mean: variables, roots, lets, types; and their members.

use super::ast::{Access, Expr, Kind};
use super::check::{Compiler, LetState, Local, Origin, ReadLet, Trail, Typed, named, short};
use super::parse::is_name;
use super::program::{Node, Root};
use super::types::{Kinds, NoMember, Ty};
use super::val::Val;
use crate::context::Hook;
use crate::diagnostic::did_you_mean;
use crate::source::{Span, Spanned};
use crate::value::Value;

/// Names at the start of a path.
pub(super) const ROOTS: &[&str] =
    &["args", "call", "declared", "input", "now", "params", "reply", "result", "session", "world"];

/// What a later version of the language knows.
const LATER: &[&str] = &["runs"];

/// What `type()` gives, by the names that CEL has for them.
pub(super) const TYPES: &[&str] =
    &["bool", "double", "duration", "int", "list", "map", "null_type", "string", "timestamp", "type"];

impl<'s> Compiler<'s, '_> {
    pub(super) fn name(&mut self, name: &str, span: Span) -> Typed<'s> {
        if let Some(at) = self.locals.iter().rposition(|local| local.name == name) {
            let ty = self.locals.get(at).map_or_else(Ty::any, |local| local.ty.clone());
            return Typed::new(Node::Local(at, name.into()), ty);
        }
        if ROOTS.contains(&name) {
            return self.root(name, span);
        }
        let visible = self.scope.lets.get(..self.visible).unwrap_or_default();
        if let Some(at) = visible.iter().position(|known| known.name.value == name) {
            return self.read_let(at);
        }
        if let Some(known) = TYPES.iter().find(|known| **known == name) {
            return Typed::new(Node::Const(Val::Type(known)), Ty::of(Kinds::TYPE));
        }
        self.unknown_name(name, span);
        Typed::anything()
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        let is_argument = || self.scope.tool.is_some_and(|tool| tool.args.spots().names().any(|known| known == name));
        let help = if LATER.contains(&name) {
            Some(format!("a later version brings `{name}`"))
        } else if self.scope.lets.iter().any(|known| known.name.value == name) {
            Some("a let sees only lets that do not read it".to_owned())
        } else if is_argument() {
            Some(format!("write `args.{name}`"))
        } else {
            let lets = self.scope.lets.iter().take(self.visible).map(|known| known.name.value.as_str());
            let locals = self.locals.iter().map(|local| local.name.as_str());
            let known = ROOTS.iter().copied().chain(lets).chain(locals);
            did_you_mean(name, known).or_else(|| Some("text stands in quotes: `'…'`".to_owned()))
        };
        self.problem("unknown-name", span, format!("nothing is called `{name}`"), help);
    }

    fn root(&mut self, name: &str, span: Span) -> Typed<'s> {
        let trail = |origin| Some(Trail { origin, keys: Vec::new() });
        let tool = self.scope.tool;
        match (name, tool) {
            ("now", _) => {
                self.plan.keep_time();
                Typed::new(Node::Root(Root::Now), Ty::of(Kinds::TIME))
            }
            ("params", _) => {
                let params = self.scope.params;
                let node = Node::Const(Val::Null);
                Typed { node, ty: Ty::of(Kinds::MAP), trail: trail(Origin::Params(params)) }
            }
            ("world", _) => {
                let ty = self.scope.world.map_or_else(|| Ty::of(Kinds::MAP), |world| Ty::schema(world.spots()));
                Typed { node: Node::Root(Root::World), ty, trail: trail(Origin::World) }
            }
            ("session", _) => Typed { node: Node::Root(Root::Session), ty: session(), trail: trail(Origin::Session) },
            ("args", Some(tool)) => {
                self.reads_args = true;
                let ty = Ty::schema(tool.args.spots());
                Typed { node: Node::Root(Root::Args), ty, trail: trail(Origin::Args) }
            }
            ("declared", Some(tool)) if self.scope.hook == Hook::PreTool => {
                let ty = tool.declared.map_or_else(|| Ty::members(Vec::new()), |known| Ty::schema(known.spots()));
                Typed { node: Node::Root(Root::Declared), ty, trail: trail(Origin::Declared) }
            }
            ("call", Some(_)) => Typed { node: Node::Const(Val::Null), ty: call(), trail: trail(Origin::Call) },
            ("result", Some(tool)) if self.scope.hook == Hook::PostTool => {
                let ty = tool.returns.map_or_else(Ty::any, |returns| Ty::schema(returns.spots()));
                Typed::new(Node::Root(Root::Result), ty)
            }
            ("input", _) if self.scope.hook == Hook::OnInput => Typed::new(Node::Root(Root::Input), input()),
            ("reply", _) if self.scope.hook == Hook::OnReply => Typed::new(Node::Root(Root::Reply), reply()),
            _ => {
                let places = match name {
                    "input" => "onInput",
                    "reply" => "onReply",
                    "result" => "postTool",
                    "declared" => "preTool",
                    _ => "preTool and postTool",
                };
                let message = format!("`{name}` is not known in {}", self.scope.hook.name());
                self.problem("unknown-name", span, message, Some(format!("it is known in {places}")));
                Typed::anything()
            }
        }
    }

    /// A let, compiled when it is first read; it sees the lets before it, and no variables.
    pub(super) fn read_let(&mut self, at: usize) -> Typed<'s> {
        let Some(read) = self.scope.lets.get(at) else { return Typed::anything() };
        if matches!(self.lets.get(at), Some(LetState::Unread)) {
            let locals = std::mem::take(&mut self.locals);
            let problems = std::mem::take(&mut self.problems);
            let visible = std::mem::replace(&mut self.visible, at);
            let value = self.compile(&read.value.root);
            let missing = read.missing.as_ref().map(|template| self.template(template));
            self.visible = visible;
            self.locals = locals;
            let found = std::mem::replace(&mut self.problems, problems);
            let state = if found.is_empty() {
                LetState::Read(Box::new(ReadLet { node: value.node, ty: value.ty, missing }))
            } else {
                LetState::Failed(found)
            };
            if let Some(place) = self.lets.get_mut(at) {
                *place = state;
            }
        }
        match self.lets.get(at) {
            Some(LetState::Read(known)) => {
                // A constant let needs no look-up.
                let node = match known.node.constant().filter(|value| !value.is_null()) {
                    Some(value) => Node::Const(value.clone()),
                    None => Node::Let(u16::try_from(at).unwrap_or(u16::MAX), read.name.value.as_str().into()),
                };
                Typed::new(node, known.ty.clone())
            }
            Some(LetState::Failed(problems)) => {
                self.problems.extend(
                    problems.iter().filter(|problem| !self.problems.contains(problem)).cloned().collect::<Vec<_>>(),
                );
                Typed::anything()
            }
            _ => Typed::anything(),
        }
    }

    /// Names variables over what has elements of a type, which is an argument of the call or not.
    pub(super) fn declare(&mut self, variables: &[Spanned<String>], over: &Ty<'s>, argument: Option<String>) {
        let (is_list, is_map) = (over.kinds.meets(Kinds::LIST), over.kinds.meets(Kinds::MAP));
        let key = || match (is_list, is_map) {
            (true, false) => Ty::of(Kinds::INTEGER),
            (false, true) => Ty::of(Kinds::TEXT),
            _ => Ty::of(Kinds::INTEGER.or(Kinds::TEXT)),
        };
        let value = || match (is_list, is_map) {
            (true, false) => over.element(),
            (false, true) => over.values(),
            _ => Ty::any(),
        };
        let types = match variables.len() {
            1 if is_list && is_map => vec![Ty::any()],
            1 if is_list => vec![over.element()],
            1 => vec![key()],
            _ => vec![key(), value()],
        };
        for (at, (variable, ty)) in variables.iter().zip(types).enumerate() {
            let is_twice = at > 0 && variables.first().is_some_and(|first| first.value == variable.value);
            self.check_variable(variable, is_twice);
            // Of two the first is an index or a key, which says where a part stands.
            let argument = argument.clone().filter(|_| at.saturating_add(1) == variables.len());
            self.locals.push(Local { name: variable.value.clone(), ty, argument });
        }
    }

    /// A variable may hide another one, as in CEL, but nothing else that has a name.
    fn check_variable(&mut self, variable: &Spanned<String>, is_twice: bool) {
        let name = variable.value.as_str();
        let taken = if ROOTS.contains(&name) || LATER.contains(&name) || TYPES.contains(&name) || !is_name(name) {
            "a word of the language"
        } else if self.scope.lets.iter().any(|known| known.name.value == name) {
            "a let"
        } else if is_twice {
            "the other variable"
        } else {
            return;
        };
        let message = format!("`{name}` already names something: {taken}");
        self.problem("bad-expression", variable.span, message, Some("take another name".into()));
    }

    /// `base.name`.
    pub(super) fn select(&mut self, base_expr: &Expr, name: &Spanned<String>, expr: &Expr) -> Typed<'s> {
        let base = self.open(base_expr);
        self.step(base, base_expr, &name.value, name.span, expr)
    }

    /// One constant step further.
    fn step(&mut self, base: Typed<'s>, base_expr: &Expr, name: &str, span: Span, expr: &Expr) -> Typed<'s> {
        if let Some(Trail { origin: Origin::Params(value), .. }) = &base.trail {
            return self.parameter(value, name, span, base_expr);
        }
        let ty = match base.ty.member(name) {
            Ok(ty) => ty,
            Err(problem) => {
                self.no_member(&problem, &base.ty, base_expr, name, span);
                return Typed::anything();
            }
        };
        let Typed { node, trail, .. } = base;
        let trail = trail.map(|mut trail| {
            trail.keys.push(name.to_owned());
            trail
        });
        if let Some(root) = computed_root(trail.as_ref(), name) {
            return Typed::new(Node::Root(root), ty);
        }
        let slot = ty.spots().and_then(|spots| spots.slot());
        let is_argument = matches!(trail, Some(Trail { origin: Origin::Args, .. }));
        let node = match (node, slot) {
            (_, Some(slot)) if is_argument => Node::Slot(slot, short(expr).into()),
            (Node::Const(value), _) => match value.member(name) {
                Ok(Some(value)) => Node::Const(value),
                _ => Node::Path {
                    base: Box::new(Node::Const(value)),
                    keys: [name.into()].into(),
                    what: short(expr).into(),
                },
            },
            (Node::Path { base, keys, .. }, _) => {
                let keys = keys.into_iter().chain([Box::from(name)]).collect();
                Node::Path { base, keys, what: short(expr).into() }
            }
            (base, _) => Node::Path { base: Box::new(base), keys: [name.into()].into(), what: short(expr).into() },
        };
        Typed { node, ty, trail }
    }

    /// A member of a constant map.
    fn parameter(&mut self, value: &'s Value<'static>, name: &str, span: Span, base_expr: &Expr) -> Typed<'s> {
        if let Some(found) = value.get(name) {
            let trail = Some(Trail { origin: Origin::Params(found), keys: Vec::new() });
            return Typed { node: Node::Const(Val::Null), ty: Ty::constant(found), trail };
        }
        let ty = Ty::constant(value);
        let problem = match value.as_object() {
            Some(object) => NoMember::Unknown(object.iter().map(|(key, _)| key.to_owned()).collect()),
            // A spec without `params`.
            None if value.is_null() => NoMember::Unknown(Vec::new()),
            None => NoMember::NoMap,
        };
        self.no_member(&problem, &ty, base_expr, name, span);
        Typed::anything()
    }

    pub(super) fn no_member(&mut self, problem: &NoMember, ty: &Ty<'s>, base: &Expr, name: &str, span: Span) {
        match problem {
            NoMember::Unknown(known) => {
                let message = format!("no field `{name}` in {}", self.owner(base));
                let help = did_you_mean(name, known.iter().map(String::as_str)).or_else(|| known_names(known));
                self.problem("unknown-field", span, message, help);
            }
            NoMember::NoMap => {
                let message = format!("{} is {}; it has no `{name}`", named(base), ty.kinds);
                let help =
                    ty.kinds.meets(Kinds::LIST).then(|| format!("write `{}.exists(x, x.{name} …)`", short(base)));
                self.problem("type-mismatch", span, message, help);
            }
        }
    }

    /// Whose members they are, as a message names it.
    fn owner(&self, base: &Expr) -> String {
        let tool = self.scope.tool.map(|tool| tool.name);
        match (&base.kind, tool) {
            (Kind::Name(root), Some(tool)) if root == "args" => format!("the arguments of `{tool}`"),
            (Kind::Name(root), Some(tool)) if root == "declared" => format!("what `{tool}` declares"),
            (Kind::Name(root), Some(tool)) if root == "result" => format!("the result of `{tool}`"),
            (_, Some(tool)) if base.text().starts_with("args.") => format!("{} of `{tool}`", named(base)),
            _ => named(base),
        }
    }

    /// `base[key]`.
    pub(super) fn index(&mut self, base_expr: &Expr, key_expr: &Expr, expr: &Expr) -> Typed<'s> {
        let base = self.open(base_expr);
        let key = self.compile(key_expr);
        if base.ty.kinds.meets(Kinds::MAP)
            && let Some(name) = key.node.constant().and_then(Val::as_text).map(String::from)
        {
            return self.step(base, base_expr, &name, key_expr.span, expr);
        }
        let base = self.close(base, base_expr);
        let ty = self.indexed(&base.ty, &key, base_expr, key_expr);
        if base.node.constant().is_some() && key.node.constant().is_some() {
            let node = Node::Index { base: Box::new(base.node), key: Box::new(key.node), what: short(expr).into() };
            return Typed::new(self.folded(node, expr, "bad-call"), ty);
        }
        let node = Node::Index { base: Box::new(base.node), key: Box::new(key.node), what: short(expr).into() };
        Typed::new(node, ty)
    }

    /// The type of what stands at a key.
    pub(super) fn indexed(&mut self, base: &Ty<'s>, key: &Typed<'s>, base_expr: &Expr, key_expr: &Expr) -> Ty<'s> {
        let as_list = base.kinds.meets(Kinds::LIST) && key.ty.kinds.meets(Kinds::INTEGER);
        let as_map = base.kinds.meets(Kinds::MAP) && key.ty.kinds.meets(Kinds::TEXT);
        if !as_list && !as_map {
            let message = if base.kinds.meets(Kinds::LIST.or(Kinds::MAP)) {
                format!("{} is {}, which is no key of {}", named(key_expr), key.ty.kinds, named(base_expr))
            } else {
                format!("{} is {}; it has no elements", named(base_expr), base.kinds)
            };
            self.problem("type-mismatch", key_expr.span, message, None);
        }
        match (as_list, as_map) {
            (true, false) => base.element(),
            (false, true) => base.values(),
            _ => Ty::any(),
        }
    }

    /// The steps of a path from the first that may be absent: the base, and each step's key.
    pub(super) fn steps<'e>(expr: &'e Expr) -> (&'e Expr, Vec<(&'e Expr, StepKey<'e>)>) {
        let (mut at, mut steps, mut last) = (expr, Vec::new(), 0_usize);
        let mut base = expr;
        loop {
            let (next, key, access) = match &at.kind {
                Kind::Select(next, name, access) => (next, StepKey::Name(name), access),
                Kind::Index(next, key, access) => (next, StepKey::Key(key), access),
                _ => break,
            };
            steps.push((at, key));
            if *access == Access::Optional {
                (base, last) = (next, steps.len());
            }
            at = next;
        }
        steps.truncate(last);
        steps.reverse();
        (base, steps)
    }
}

/// The key of a step that may be absent.
#[derive(Clone, Copy, Debug)]
pub(super) enum StepKey<'e> {
    Name(&'e Spanned<String>),
    Key(&'e Expr),
}

/// What stands at a name that is no member of a value of its own.
pub(super) fn computed_root(trail: Option<&Trail<'_>>, name: &str) -> Option<Root> {
    let trail = trail.filter(|trail| trail.keys.len() == 1)?;
    match (&trail.origin, name) {
        (Origin::Session, "turn") => Some(Root::Turn),
        (Origin::Call, "tool") => Some(Root::CallTool),
        (Origin::Call, "server") => Some(Root::CallServer),
        (Origin::Call, "effect") => Some(Root::CallEffect),
        (Origin::Call, "cwd") => Some(Root::CallDirectory),
        _ => None,
    }
}

fn session<'s>() -> Ty<'s> {
    let text = || Ty::of(Kinds::TEXT);
    Ty::members(vec![
        ("id".into(), text()),
        ("user".into(), text()),
        ("roles".into(), Ty::list(text())),
        ("attributes".into(), Ty::of(Kinds::MAP)),
        ("agent".into(), text()),
        ("turn".into(), Ty::of(Kinds::INTEGER)),
        ("root".into(), text()),
    ])
}

/// What came in with the message that begins a turn; of what was typed nothing stands here.
fn input<'s>() -> Ty<'s> {
    let attachment = Ty::members(vec![("kind".into(), Ty::of(Kinds::TEXT)), ("size".into(), Ty::of(Kinds::INTEGER))]);
    Ty::members(vec![("attachments".into(), Ty::list(attachment))])
}

/// What is about to be said, and what the host says it claims.
fn reply<'s>() -> Ty<'s> {
    let claim = Ty::members(vec![
        ("op".into(), Ty::of(Kinds::TEXT)),
        ("target".into(), Ty::any()),
        ("outcome".into(), Ty::of(Kinds::TEXT)),
        ("amount".into(), Ty::of(Kinds::NUMBER)),
    ]);
    Ty::members(vec![("text".into(), Ty::of(Kinds::TEXT)), ("claims".into(), Ty::list(claim))])
}

fn call<'s>() -> Ty<'s> {
    let text = || Ty::of(Kinds::TEXT);
    Ty::members(vec![
        ("tool".into(), text()),
        ("server".into(), text()),
        ("effect".into(), Ty::texts(&["read", "write", "external"])),
        ("cwd".into(), text()),
    ])
}

fn known_names(known: &[String]) -> Option<String> {
    match known {
        [] => Some("it has none".into()),
        known if known.len() <= 8 => {
            let names: Vec<&str> = known.iter().map(String::as_str).collect();
            Some(format!("it has {}", crate::decode::quoted_list(&names)))
        }
        _ => None,
    }
}
