//! From what a search left of terms and facts to a world, a speaker and earlier calls.
//!
//! Terms are known by their texts (`world.orders[args.order_id].total`), so this reads texts. What it cannot stage it
//! leaves out; the engines then say that the scene shows nothing.

use super::recalled::{equality, first_of, is_recalled, keys};
use super::{ArgSchema, BTreeMap, Earlier, Maker, Model, Object, Scene, Spec, Value};
use crate::decimal::Decimal;
use crate::json::{Limits, parse};
use crate::policy::ToolPolicy;
use crate::proof::Known;

/// How far earlier calls have earlier calls of their own.
const MOST_BEFORE: usize = 4;

impl Maker<'_, '_> {
    /// The scene in which a call with these arguments is as a model says, as far as that can be staged.
    pub(super) fn stage(&self, model: &Model, args: Value<'static>) -> Scene {
        let tool = self.new.name.replace('*', "any");
        let mut stage = Stage { world: Object::new().into(), session: Object::new().into(), args, earlier: Vec::new() };
        // What stands deeper first: what stands around it is then there.
        let mut terms: Vec<(&Known, &crate::proof::Domain)> =
            model.terms.iter().filter_map(|(term, left)| Some((self.space.known(*term)?, left))).collect();
        terms.sort_by_key(|(known, _)| std::cmp::Reverse(known.text.len()));
        for (known, left) in &terms {
            stage.set_term(known, left);
        }
        for (known, left) in &terms {
            self.before_term(known, left, &mut stage);
        }
        for (fact, truth) in &model.facts {
            if let Some(text) = self.space.text_of(*fact).strip_prefix("schema ").filter(|_| !truth) {
                super::unfit::against(text, &mut stage.args);
            }
            if let Some(parameters) = self.space.text_of(*fact).strip_prefix("requiresBefore ").filter(|_| !truth) {
                let args = stage.args.clone();
                self.before(parameters, &args, MOST_BEFORE, &mut stage.earlier);
            }
        }
        for (known, left) in &terms {
            self.recall(known, left, &mut stage);
        }
        for (known, left) in &terms {
            stage.order(known, left);
        }
        stage.scene(tool)
    }

    /// The calls that an ordering asks for before one with these arguments.
    fn before(&self, parameters: &str, args: &Value<'static>, depth: usize, earlier: &mut Vec<Earlier>) {
        let Ok(parameters) = parse(parameters.as_bytes(), &Limits::default()) else { return };
        let groups = parameters.get("deps").and_then(Value::as_array).unwrap_or_default();
        for group in groups {
            let name = group.as_str().or_else(|| group.as_array().and_then(|all| all.first()).and_then(Value::as_str));
            let Some(name) = name else { continue };
            let (of_args, of_result) = same(parameters.get("same"), args);
            self.call_before(name, of_args, &of_result, depth, earlier);
        }
    }

    /// A call of a tool with these arguments, after those that it needs itself.
    pub(super) fn call_before(
        &self,
        pattern: &str,
        wanted: BTreeMap<String, Option<Value<'static>>>,
        result: &[(String, Value<'static>)],
        depth: usize,
        earlier: &mut Vec<Earlier>,
    ) {
        let pattern = crate::tool::Pattern::selector(pattern);
        let found = [self.new, self.old].into_iter().find_map(|version| {
            let tool = version.policy.tools.iter().find(|tool| pattern.overlaps(&tool.name))?;
            Some((version.spec, tool))
        });
        let Some((spec, tool)) = found else { return };
        let args = tool.args.example(&wanted);
        if depth > 0 {
            for parameters in needed(spec, tool) {
                self.before(&parameters, &args, depth.saturating_sub(1), earlier);
            }
        }
        let one = Earlier {
            tool: tool.name.text().replace('*', "any"),
            args,
            result: result_of(spec, tool, result),
            in_new_turn: false,
        };
        if !earlier.contains(&one) {
            earlier.push(one);
        }
    }

    /// `done('look', {'id': args.id})(…)` that is to be true, and `count(…)` that is to be some number.
    fn before_term(&self, known: &Known, left: &crate::proof::Domain, stage: &mut Stage) {
        let is_done = known.text.starts_with("done(") && !left.no && left.yes;
        let counted = known.text.starts_with("count(").then(|| left.numbers.pick(known.step)).flatten();
        let times = if is_done { 1 } else { counted.and_then(|number| number.to_u64()).unwrap_or(0).min(64) };
        let Some(name) = known.text.split('\'').nth(1).filter(|_| times > 0) else { return };
        let wanted = keys(&known.text, stage);
        for _ in 0..times {
            let mut one = Vec::new();
            self.call_before(name, wanted.clone(), &[], MOST_BEFORE, &mut one);
            // A tool may not be called twice alike in one turn.
            let is_again = one.last().is_some_and(|one| stage.earlier.iter().any(|known| known.tool == one.tool));
            one.iter_mut().for_each(|one| one.in_new_turn = is_again);
            stage.earlier.extend(one);
        }
    }
}

/// What an ordering says must agree: arguments and parts of the result of the earlier call, with the values that this one has.
#[expect(clippy::type_complexity, reason = "two lists of paths and values")]
fn same(
    same: Option<&Value<'_>>,
    args: &Value<'static>,
) -> (BTreeMap<String, Option<Value<'static>>>, Vec<(String, Value<'static>)>) {
    let (mut of_args, mut of_result) = (BTreeMap::new(), Vec::new());
    let mut pair = |left: &str, right: &str| {
        let Some(value) = at(args, left) else { return };
        match right.split_once('.') {
            Some(("args", path)) => _ = of_args.insert(path.to_owned(), Some(value)),
            _ => of_result
                .push((right.strip_prefix("result").unwrap_or(right).trim_start_matches('.').to_owned(), value)),
        }
    };
    match same {
        Some(Value::String(path)) => pair(path, &format!("args.{path}")),
        Some(Value::Array(paths)) => {
            paths.iter().filter_map(Value::as_str).for_each(|path| pair(path, &format!("args.{path}")));
        }
        Some(Value::Object(pairs)) => {
            pairs
                .iter()
                .filter_map(|(left, right)| Some((left, right.as_str()?)))
                .for_each(|(left, right)| pair(left, right));
        }
        _ => {}
    }
    (of_args, of_result)
}

/// The orderings of the calls of a tool.
fn needed(spec: &Spec, tool: &ToolPolicy) -> Vec<String> {
    let ordered = tool.guards.iter().filter(|planned| planned.what.kind == "requiresBefore");
    let rules = ordered.filter_map(|planned| {
        let edge = spec.flow.iter().find(|edge| edge.id.value == *planned.what.code).map(|edge| &edge.rule);
        edge.or_else(|| spec.guards.iter().find(|guard| guard.id.value == *planned.what.code)?.rule.as_ref())
    });
    rules.map(|rule| crate::canon::to_text(&rule.parameters())).collect()
}

/// What a call comes back with: something, with these values in it.
fn result_of(spec: &Spec, tool: &ToolPolicy, wanted: &[(String, Value<'static>)]) -> Value<'static> {
    let written = spec.tools.iter().find(|written| written.name.value == tool.name);
    let schema = written.and_then(|written| written.returns.as_ref());
    let schema = schema.and_then(|returns| ArgSchema::compile_result(&returns.schema, &spec.schema_sources()).ok());
    let mut result = schema
        .map_or_else(|| Object::of([("ok", Value::Bool(true))]).into(), |schema| schema.example(&BTreeMap::new()));
    for (path, value) in wanted {
        let steps: Vec<String> = path.split('.').map(str::to_owned).filter(|step| !step.is_empty()).collect();
        put(&mut result, &steps, value.clone());
    }
    result
}

/// Puts a value at a path of names; `name[]` is a list with that one element.
fn put(into: &mut Value<'static>, steps: &[String], value: Value<'static>) {
    let Some((step, rest)) = steps.split_first() else {
        *into = value;
        return;
    };
    if let Some(name) = step.strip_suffix("[]") {
        let mut element = Value::Object(Object::new());
        put(&mut element, rest, value);
        let list = Value::Array(vec![element]);
        if name.is_empty() {
            *into = list
        } else {
            put(into, &[name.to_owned()], list)
        }
        return;
    }
    if into.as_object().is_none() {
        *into = Object::new().into();
    }
    let Value::Object(members) = into else { return };
    if !members.contains_key(step) {
        members.insert(step.clone().into(), Value::Null);
    }
    if let Some(member) = members.get_mut(step) {
        put(member, rest, value);
    }
}

/// Puts a value at a path of names.
pub(super) fn put_at(into: &mut Value<'static>, path: &str, value: Value<'static>) {
    let steps: Vec<String> = path.split('.').map(str::to_owned).collect();
    put(into, &steps, value);
}

/// The value at a path of names.
pub(super) fn at(value: &Value<'static>, path: &str) -> Option<Value<'static>> {
    path.split('.').try_fold(value, |value, name| value.get(name)).cloned()
}

/// What is staged so far.
pub(super) struct Stage {
    world: Value<'static>,
    session: Value<'static>,
    args: Value<'static>,
    pub(super) earlier: Vec<Earlier>,
}

impl Stage {
    fn scene(self, tool: String) -> Scene {
        let user = self.session.get("user").and_then(|user| user.as_str().map(str::to_owned));
        let roles = self.session.get("roles").and_then(Value::as_array).unwrap_or_default();
        let roles = roles.iter().filter_map(|role| role.as_str().map(str::to_owned)).collect();
        let attributes = self.session.get("attributes").cloned().unwrap_or_else(|| Object::new().into());
        Scene {
            world: self.world,
            user,
            roles,
            attributes,
            is_typed: false,
            earlier: self.earlier,
            tool,
            args: self.args,
            in_new_turn: false,
        }
    }

    /// Lets a term of the world or the session have a value of those that are left.
    fn set_term(&mut self, known: &Known, left: &crate::proof::Domain) {
        if known.text.contains(" <=> ") || is_recalled(&known.text) || left.absent && !left.yes {
            return;
        }
        let Some(value) =
            crate::proof::pick(left, known.step, || None).or_else(|| left.parts.then(|| Object::new().into()))
        else {
            return;
        };
        if let Some(sides) = equality(&known.text) {
            self.set_equal(sides, value == Value::Bool(true));
        } else if let Some(list) = known.text.strip_prefix("size(").and_then(|rest| rest.split_once(')')) {
            self.set_size(list.0, &value);
        } else if let Some((member, list)) = known.text.strip_prefix("in(").and_then(|rest| rest.rsplit_once(", ")) {
            self.set_members(member, list.trim_end_matches(')'), value == Value::Bool(true));
        } else if let Some((list, _)) = known.text.split_once('(').and_then(|(_, rest)| rest.split_once(", ")) {
            // Of nothing all is true and nothing exists.
            let is_all = known.text.starts_with("All(");
            if (is_all || known.text.starts_with("Exists(")) && (value == Value::Bool(true)) == is_all {
                self.set(list, Value::Array(Vec::new()));
            }
        } else if self.value(&known.text).is_none() {
            self.set(&known.text, value);
        }
    }

    fn set_size(&mut self, of: &str, size: &Value<'_>) {
        let size = size.as_number().and_then(|size| size.to_u64()).unwrap_or(0).min(1024);
        let current = self.value(of);
        let list = || Value::Array((0..size).map(|_| Value::from("a")).collect());
        let sized = match current {
            Some(Value::String(_)) => Value::from((0..size).map(|_| 'a').collect::<String>()),
            Some(Value::Array(items)) => {
                let one = items.first().cloned().unwrap_or_else(|| Value::from("a"));
                Value::Array((0..size).map(|_| one.clone()).collect())
            }
            _ => list(),
        };
        self.set(of, sized);
    }

    fn set_members(&mut self, member: &str, list: &str, is_in: bool) {
        let members = if is_in { self.value(member).into_iter().collect() } else { Vec::new() };
        self.set(list, Value::Array(members));
    }

    /// Two values in an order: the one that is free follows the other.
    fn order(&mut self, known: &Known, left: &crate::proof::Domain) {
        let Some((one, two)) = known.text.split_once(" <=> ") else { return };
        let Some(order) = left.numbers.pick(known.step).and_then(|order| order.to_i64()) else { return };
        let is_free = |text: &str| text.starts_with("world.") || text.starts_with("session.") || is_recalled(text);
        match (self.value(one), self.value(two)) {
            (Some(value), _) if is_free(two) => self.set(two, beside(&value, order.saturating_neg())),
            (_, Some(value)) if is_free(one) => self.set(one, beside(&value, order)),
            (None, None) if is_free(one) && is_free(two) => {
                self.set(one, Value::Number(Decimal::ONE));
                self.set(two, beside(&Value::Number(Decimal::ONE), order.saturating_neg()));
            }
            _ => {}
        }
    }

    /// The value of a text: a constant, an argument, or what is staged.
    pub(super) fn value(&self, text: &str) -> Option<Value<'static>> {
        if let Some(path) = text.strip_prefix("args.") {
            return at(&self.args, path);
        }
        match self.steps(text) {
            Some((root, steps)) => steps.iter().try_fold(self.root(root)?, |value, step| value.get(step)).cloned(),
            None if is_recalled(text) => self.recalled(text),
            None => {
                let constant =
                    || parse(text.replace('\'', "\"").as_bytes(), &Limits::default()).ok().map(Value::into_owned);
                self.computed(text).or_else(constant)
            }
        }
    }

    fn root(&self, root: &str) -> Option<&Value<'static>> {
        match root {
            "world" => Some(&self.world),
            "session" => Some(&self.session),
            _ => None,
        }
    }

    pub(super) fn set(&mut self, text: &str, value: Value<'static>) {
        if let Some(path) = text.strip_prefix("args.") {
            put_at(&mut self.args, path, value);
            return;
        }
        match self.steps(text) {
            Some(("world", steps)) => put(&mut self.world, &steps, value),
            Some(("session", steps)) => put(&mut self.session, &steps, value),
            _ => self.set_recalled(text, value),
        }
    }

    /// The root and the names of a path into the world or the session, with what stands in brackets looked up.
    fn steps<'t>(&self, text: &'t str) -> Option<(&'t str, Vec<String>)> {
        let end = text.find(['.', '['])?;
        let (root, mut rest) = text.split_at(end);
        if !matches!(root, "world" | "session") {
            return None;
        }
        let mut steps = Vec::new();
        while !rest.is_empty() {
            if let Some(inside) = rest.strip_prefix('[') {
                let close = closing(inside)?;
                let (inner, after) = inside.split_at(close);
                steps.push(self.key(inner)?);
                rest = after.strip_prefix(']')?;
            } else {
                let name = rest.strip_prefix('.')?;
                let end = name.find(['.', '[', '(', ' ', ')']).unwrap_or(name.len());
                let (name, after) = name.split_at(end);
                steps.push(name.to_owned());
                rest = after;
            }
        }
        Some((root, steps))
    }

    fn key(&self, text: &str) -> Option<String> {
        match self.value(first_of(text)) {
            Some(Value::String(text)) => Some(text.into_owned()),
            Some(_) => None,
            // Somebody speaks, whoever it is.
            None => (first_of(text) == SPEAKER).then(|| SOMEBODY.to_owned()),
        }
    }
}

/// Who speaks, and the name of somebody.
pub(super) const SPEAKER: &str = "session.user";
pub(super) const SOMEBODY: &str = "u-1";

/// Where the bracket closes that was opened before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (place, character) in text.char_indices() {
        match character {
            '[' => depth = depth.saturating_add(1),
            ']' if depth == 0 => return Some(place),
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// A value that another one is above (1), equal to (0) or below (-1) of.
pub(super) fn beside(value: &Value<'static>, order: i64) -> Value<'static> {
    match value {
        Value::Number(number) => {
            let other = number.checked_add(&Decimal::from(order));
            Value::Number(other.unwrap_or(*number))
        }
        Value::String(text) if order > 0 => Value::from(format!("{text}a")),
        Value::String(_) if order < 0 => Value::from(""),
        Value::Bool(truth) if order != 0 => Value::Bool(!truth),
        other => other.clone(),
    }
}
