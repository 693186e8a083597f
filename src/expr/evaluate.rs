//! What a compiled expression is worth: strictly from left to right, every step paid for, an error never absorbed.
//!
//! What is absent, null or of another type is a fault with its name; it is never false. Nothing here loops or recurses
//! further than the program's own tree, over more than fuel allows.

use super::ast::Operator;
use super::comprehend::comprehend;
use super::program::{Chain, Node, Part, Program, Root, Text};
use super::val::{Val, missing};
use super::{Fault, LetId, Lets, MAX_STEPS, Outcome};
use crate::context::Context;
use crate::decimal::Decimal;
use crate::observed::{Lookup, Recalled, entry_key, part_hash};
use crate::value::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The longest text that is built.
pub(super) const MAX_TEXT: usize = 65_536;

/// Bytes of text that are looked at for one step.
const BYTES_PER_STEP: usize = 64;

/// One event's evaluation: what expressions read, and the values of the lets that were read, each computed once.
#[derive(Debug)]
pub struct Evaluation<'c> {
    /// What may be read.
    pub context: Context<'c>,
    lets: &'c Lets,
    values: Vec<Option<Outcome<Val<'c>>>>,
    pub(super) locals: Vec<Val<'c>>,
    fuel: u32,
    /// True while all that is asked for each element has one measure of fuel together.
    pub(super) is_shared: bool,
}

impl<'c> Evaluation<'c> {
    /// Nothing computed yet.
    #[must_use]
    pub fn new(context: Context<'c>, lets: &'c Lets) -> Evaluation<'c> {
        Evaluation { context, lets, values: Vec::new(), locals: Vec::new(), fuel: MAX_STEPS, is_shared: false }
    }

    /// Fuel for another program, but where it is shared.
    #[inline]
    pub(super) fn refuel(&mut self) {
        if !self.is_shared {
            self.fuel = MAX_STEPS;
        }
    }

    /// Pays for steps.
    #[inline]
    pub(super) fn spend(&mut self, steps: u32) -> Outcome<()> {
        match self.fuel.checked_sub(steps) {
            Some(rest) => {
                self.fuel = rest;
                Ok(())
            }
            None => Err(Fault::OutOfFuel),
        }
    }

    /// Pays for looking at a text.
    pub(super) fn spend_text(&mut self, bytes: usize) -> Outcome<()> {
        self.spend(u32::try_from(bytes / BYTES_PER_STEP).unwrap_or(u32::MAX))
    }

    /// Pays for looking at some elements.
    pub(super) fn spend_each(&mut self, elements: usize) -> Outcome<()> {
        self.spend(u32::try_from(elements).unwrap_or(u32::MAX))
    }

    /// The value of a let, computed when it is first read, with fuel of its own and without the variables around it.
    fn let_value(&mut self, id: u16) -> Outcome<Val<'c>> {
        let at = usize::from(id);
        if let Some(Some(known)) = self.values.get(at) {
            return known.clone();
        }
        let lets = self.lets;
        let Some(entry) = lets.get(LetId(id)) else { return Err(missing("a let that is not compiled")) };
        let fuel = std::mem::replace(&mut self.fuel, MAX_STEPS);
        let locals = std::mem::take(&mut self.locals);
        let value = evaluate(&entry.node, self);
        (self.fuel, self.locals) = (fuel, locals);
        let value = match value {
            Err(Fault::Missing(_)) if entry.missing.is_some() => Err(Fault::Let(LetId(id))),
            Ok(value) if value.is_null() && entry.missing.is_some() => Err(Fault::Let(LetId(id))),
            value => value,
        };
        if self.values.len() <= at {
            self.values.resize(at.saturating_add(1), None);
        }
        if let Some(place) = self.values.get_mut(at) {
            *place = Some(value.clone());
        }
        value
    }
}

impl Program {
    /// The value of a condition.
    ///
    /// # Errors
    /// There is none.
    #[inline]
    pub fn test(&self, evaluation: &mut Evaluation<'_>) -> Outcome<bool> {
        evaluation.refuel();
        truth(&self.node, evaluation)
    }

    /// The value of any program.
    ///
    /// # Errors
    /// There is none.
    pub fn value<'c>(&self, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
        evaluation.refuel();
        evaluate(&self.node, evaluation)
    }

    /// The value as JSON: of `number`, `value` and what texts show. A list or map may be one too.
    ///
    /// # Errors
    /// There is none.
    pub fn json(&self, evaluation: &mut Evaluation<'_>) -> Outcome<Value<'static>> {
        let value = self.value(evaluation)?;
        value.spend_whole(evaluation)?;
        value.to_value().ok_or_else(|| wrong(&self.node, &value, "a value"))
    }
}

impl Text {
    /// The text, where all its values are constants.
    #[must_use]
    pub fn constant(&self) -> Option<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Words(words) => out.push_str(words),
                Part::Value(node) => out.push_str(&crate::text::shown(&node.constant()?.to_value()?)),
            }
        }
        Some(out)
    }

    /// The text with all its values in it, for who must not say half of it.
    ///
    /// # Errors
    /// A value is missing, or is none that a text shows.
    pub fn whole(&self, evaluation: &mut Evaluation<'_>) -> Outcome<String> {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Words(words) => out.push_str(words),
                Part::Value(node) => {
                    evaluation.refuel();
                    let value = evaluate(node, evaluation)?;
                    let scalar = if value.has_parts() || value.is_null() { None } else { value.to_value() };
                    let scalar = scalar.ok_or_else(|| wrong(node, &value, "a text, a number or a boolean"))?;
                    out.push_str(&crate::text::shown(&scalar));
                }
            }
        }
        Ok(out)
    }

    /// The text with its values in it, written as DESIGN 4 says; `…` in place of a value that is missing.
    pub fn show(&self, evaluation: &mut Evaluation<'_>) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Words(words) => out.push_str(words),
                Part::Value(node) => {
                    evaluation.fuel = MAX_STEPS;
                    let value = evaluate(node, evaluation).ok().filter(|value| !value.has_parts());
                    match value.and_then(|value| value.to_value()) {
                        None | Some(Value::Null | Value::Array(_) | Value::Object(_)) => out.push('…'),
                        Some(scalar) => out.push_str(&crate::text::shown(&scalar)),
                    }
                }
            }
        }
        out
    }
}

/// A value that is of another type than what is done with it asks for.
pub(super) fn wrong(node: &Node, value: &Val<'_>, wanted: &str) -> Fault {
    let what = node.what();
    missing(if value.is_null() {
        format!("{what} is null")
    } else {
        format!("{what} is {}, not {wanted}", value.kind())
    })
}

fn absent(what: &str) -> Fault {
    missing(format!("`{what}` is absent"))
}

/// True or false.
pub(super) fn truth(node: &Node, evaluation: &mut Evaluation<'_>) -> Outcome<bool> {
    evaluation.spend(1)?;
    match node {
        Node::And(parts) => every(parts, true, evaluation),
        Node::Or(parts) => every(parts, false, evaluation).map(|none| !none),
        Node::Not(part) => truth(part, evaluation).map(|truth| !truth),
        Node::CompareNumber { left, operator, number } => {
            let left = number_of(left, evaluation)?;
            Ok(holds(*operator, left.cmp(number)))
        }
        Node::EqualText { left, text, negated } => {
            if let Node::Slot(slot, what) = &**left {
                evaluation.spend(1)?;
                let value = evaluation.context.args.get(*slot).ok_or_else(|| absent(what))?;
                return Ok((value.as_str() == Some(text)) != *negated);
            }
            let value = evaluate(left, evaluation)?;
            Ok((value.as_text() == Some(text)) != *negated)
        }
        Node::InSet { left, set } => {
            if let Node::Slot(slot, what) = &**left {
                evaluation.spend(1)?;
                let value = evaluation.context.args.get(*slot).ok_or_else(|| absent(what))?;
                return Ok(set.contains(&Val::Json(value)));
            }
            Ok(set.contains(&evaluate(left, evaluation)?))
        }
        Node::Equal { sides, negated } => equal(sides, evaluation).map(|equal| equal != *negated),
        _ => {
            let value = step(node, evaluation)?;
            value.as_bool().ok_or_else(|| wrong(node, &value, "true or false"))
        }
    }
}

/// True if both sides are the same value.
fn equal(sides: &[Node; 2], evaluation: &mut Evaluation<'_>) -> Outcome<bool> {
    let [left, right] = sides;
    let left = evaluate(left, evaluation)?;
    // Most conditions on the world compare with true or false.
    if let Node::Const(Val::Bool(wanted)) = right {
        evaluation.spend(1)?;
        return Ok(left.as_bool() == Some(*wanted));
    }
    let right = evaluate(right, evaluation)?;
    left.equals(&right, evaluation)
}

/// True if all conditions are as wanted, up to the first that is not.
fn every(parts: &[Node], wanted: bool, evaluation: &mut Evaluation<'_>) -> Outcome<bool> {
    for part in parts {
        if truth(part, evaluation)? != wanted {
            return Ok(false);
        }
    }
    Ok(true)
}

#[inline]
fn holds(operator: Operator, order: std::cmp::Ordering) -> bool {
    match operator {
        Operator::Less => order.is_lt(),
        Operator::LessOrEqual => order.is_le(),
        Operator::Greater => order.is_gt(),
        Operator::GreaterOrEqual => order.is_ge(),
        Operator::NotEqual => order.is_ne(),
        _ => order.is_eq(),
    }
}

#[inline]
fn number_of(node: &Node, evaluation: &mut Evaluation<'_>) -> Outcome<Decimal> {
    if let Node::Slot(slot, what) = node {
        evaluation.spend(1)?;
        return match evaluation.context.args.get(*slot) {
            Some(Value::Number(number)) => Ok(*number),
            Some(other) => Err(wrong(node, &Val::Json(other), "a number")),
            None => Err(absent(what)),
        };
    }
    let value = evaluate(node, evaluation)?;
    value.as_number().ok_or_else(|| wrong(node, &value, "a number"))
}

/// The value of a node.
pub(super) fn evaluate<'c>(node: &Node, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    evaluation.spend(1)?;
    step(node, evaluation)
}

fn step<'c>(node: &Node, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    match node {
        Node::Const(value) => Ok(value.clone()),
        Node::Slot(slot, what) => evaluation.context.args.get(*slot).map(Val::Json).ok_or_else(|| absent(what)),
        Node::Root(root) => read_root(*root, &evaluation.context),
        Node::RootOr(root, default) => match read_root(*root, &evaluation.context) {
            Ok(value) => Ok(value),
            Err(_) => evaluate(default, evaluation),
        },
        Node::HasRoot(root) => Ok(Val::Bool(read_root(*root, &evaluation.context).is_ok())),
        Node::Let(id, _) => evaluation.let_value(*id),
        Node::Local(at, what) => evaluation.locals.get(*at).cloned().ok_or_else(|| absent(what)),
        Node::Path { base, keys, what } => read_path(base, keys, what, evaluation),
        Node::Index { base, key, what } => {
            let from = evaluate(base, evaluation)?;
            let key = evaluate(key, evaluation)?;
            member(&from, &key).map_err(|()| wrong(base, &from, "a list or a map"))?.ok_or_else(|| absent(what))
        }
        Node::OrValue { chain, default } => {
            // An earlier call that there was not is what may be absent, too.
            if let Node::Recall { index, keys, .. } = &*chain.base {
                let entry = entry_of(keys, evaluation)?;
                if matches!(evaluation.context.observed.recall(*index, entry), Recalled::Missing) {
                    return evaluate(default, evaluation);
                }
            }
            match follow(chain, evaluation)?.filter(|value| !value.is_null()) {
                Some(value) => Ok(value),
                None => evaluate(default, evaluation),
            }
        }
        Node::Has { chain, key } => {
            let base = follow(chain, evaluation)?.filter(|base| chain.steps.is_empty() || !base.is_null());
            let Some(base) = base else { return Ok(Val::Bool(false)) };
            let found = base.member(key).map_err(|()| wrong_chain(chain, &base))?;
            Ok(Val::Bool(found.is_some()))
        }
        Node::List(parts) => {
            let items: Outcome<Vec<_>> = parts.iter().map(|part| evaluate(part, evaluation)).collect();
            items.map(|items| Val::List(Arc::new(items)))
        }
        Node::Map(entries) => build_map(entries, evaluation),
        Node::Conditional(parts) => {
            let [test, yes, no] = &**parts;
            if truth(test, evaluation)? { evaluate(yes, evaluation) } else { evaluate(no, evaluation) }
        }
        Node::Macro(comprehension) => comprehend(comprehension, evaluation),
        Node::Done { .. } | Node::Recall { .. } | Node::Count { .. } => earlier(node, evaluation),
        _ => operate(node, evaluation),
    }
}

/// Operators and functions.
fn operate<'c>(node: &Node, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    match node {
        Node::Equal { sides, negated } => equal(sides, evaluation).map(|equal| Val::Bool(equal != *negated)),
        Node::Compare { operator, sides } => {
            let (left, right) = both(sides, evaluation)?;
            let order = left.paid_order(&right, evaluation)?.ok_or_else(|| {
                let [left_node, right_node] = &**sides;
                if is_orderable(&left) {
                    wrong(right_node, &right, left.kind())
                } else {
                    wrong(left_node, &left, "a value that can be compared")
                }
            })?;
            Ok(Val::Bool(holds(*operator, order)))
        }
        Node::In(sides) => {
            let (left, right) = both(sides, evaluation)?;
            is_in(&left, &right, evaluation)?.map(Val::Bool).ok_or_else(|| {
                let [_, node] = &**sides;
                wrong(node, &right, "a list or a map")
            })
        }
        Node::Negate(part) => negated(part, evaluation),
        Node::Arithmetic { operator, sides } => {
            let (left, right) = both(sides, evaluation)?;
            super::arithmetic::compute(*operator, &left, &right, evaluation)?.ok_or_else(|| {
                let [left_node, right_node] = &**sides;
                let is_left = left.as_number().is_none() && !matches!(left, Val::Time(_) | Val::Span(_));
                let (node, value, other) =
                    if is_left { (left_node, &left, &right) } else { (right_node, &right, &left) };
                missing(format!("{} is {}, which does not go with {}", node.what(), value.kind(), other.kind()))
            })
        }
        Node::DivideRound(parts) => divided(parts, evaluation),
        Node::Apply { function, parts, offset } => function.call(parts, *offset, evaluation),
        Node::Matches { text, regex } => {
            let value = evaluate(text, evaluation)?;
            let Some(found) = value.as_text() else { return Err(wrong(text, &value, "a string")) };
            evaluation.spend_text(found.len())?;
            Ok(Val::Bool(regex.is_match(found)))
        }
        Node::Said(argument) => super::said::said(argument, evaluation).map(Val::Bool),
        condition => truth(condition, evaluation).map(Val::Bool),
    }
}

fn negated<'c>(part: &Node, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    let value = evaluate(part, evaluation)?;
    match (&value, value.as_number()) {
        (Val::Span(span), _) => Ok(Val::Span(span.reversed())),
        (_, Some(number)) => Ok(Val::Number(number.neg())),
        _ => Err(wrong(part, &value, "a number")),
    }
}

/// `round(a / b, places)`.
fn divided<'c>(parts: &[Node; 3], evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    let [left, right, places] = parts;
    let (left, right) = (number_of(left, evaluation)?, number_of(right, evaluation)?);
    let places = super::arithmetic::places(number_of(places, evaluation)?)?;
    if right.is_zero() {
        return Err(Fault::OutOfRange("a division by zero"));
    }
    left.checked_div_round(&right, places).map(Val::Number).ok_or(super::arithmetic::TOO_LARGE)
}

fn both<'c>(sides: &[Node; 2], evaluation: &mut Evaluation<'c>) -> Outcome<(Val<'c>, Val<'c>)> {
    let [left, right] = sides;
    Ok((evaluate(left, evaluation)?, evaluate(right, evaluation)?))
}

fn is_orderable(value: &Val<'_>) -> bool {
    value.order(value).is_some()
}

fn read_root<'c>(root: Root, context: &Context<'c>) -> Outcome<Val<'c>> {
    let server = || context.tool.split_once('/');
    let found = match root {
        Root::Args => Some(Val::Json(context.args.args())),
        Root::Declared => Some(Val::Json(context.declared)),
        Root::Result => context.result.map(Val::Json),
        Root::Input => context.input.map(Val::Json),
        Root::Reply => context.reply.map(|reply| Val::Json(reply.value)),
        Root::World if context.world_is_stale => {
            return Err(missing("`world` is older than the last write"));
        }
        Root::World => Some(Val::Json(context.world)),
        Root::Session => Some(Val::Json(context.session)),
        Root::Turn => Some(Val::Number(Decimal::from(context.turn))),
        Root::Now => context.now.map(Val::Time),
        Root::CallTool => Some(Val::Str(server().map_or(context.tool, |(_, tool)| tool))),
        Root::CallServer => server().map(|(server, _)| Val::Str(server)),
        Root::CallEffect => Some(Val::Str(context.effect.name())),
        Root::CallDirectory => context.cwd.map(Val::Str),
    };
    found.ok_or_else(|| absent(root.text()))
}

/// Members of constant names, without a copy on the way.
fn read_path<'c>(base: &Node, keys: &[Box<str>], what: &str, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    let mut value = evaluate(base, evaluation)?;
    for key in keys {
        value = match value.member(key) {
            Ok(Some(next)) => next,
            Ok(None) => return Err(absent(what)),
            Err(()) => return Err(missing(format!("`{what}` is not there: {} has no members", value.kind()))),
        };
    }
    Ok(value)
}

/// The member or element of a key; `Err` if the value has neither.
fn member<'c>(value: &Val<'c>, key: &Val<'_>) -> Result<Option<Val<'c>>, ()> {
    if let Some(items) = value.as_list() {
        let at = key.as_number().and_then(|number| number.to_u64()).and_then(|at| usize::try_from(at).ok());
        return Ok(at.and_then(|at| items.get(at)));
    }
    match key.as_text() {
        Some(key) => value.member(key),
        None if value.map_len().is_some() => Ok(None),
        None => Err(()),
    }
}

/// The value that optional steps lead to; `None` where one is absent, or null on the way.
fn follow<'c>(chain: &Chain, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    let mut value = evaluate(&chain.base, evaluation)?;
    for (at, step) in chain.steps.iter().enumerate() {
        if at > 0 && value.is_null() {
            return Ok(None);
        }
        let key = evaluate(step, evaluation)?;
        match member(&value, &key).map_err(|()| wrong_chain(chain, &value))? {
            Some(next) => value = next,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

fn wrong_chain(chain: &Chain, value: &Val<'_>) -> Fault {
    missing(format!("{} on the way of `{}` has no members", value.kind(), chain.what))
}

fn build_map<'c>(entries: &[(Node, Node)], evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    let mut members: Vec<(Arc<str>, Val<'c>)> = Vec::with_capacity(entries.len());
    for (key_node, value) in entries {
        let key = evaluate(key_node, evaluation)?;
        let Some(key) = key.as_text().map(Arc::from) else { return Err(wrong(key_node, &key, "a string")) };
        if members.iter().any(|(known, _)| *known == key) {
            return Err(missing("a map has one key twice"));
        }
        members.push((key, evaluate(value, evaluation)?));
    }
    members.sort_by(|(left, _), (right, _)| crate::value::compare_keys(left, right));
    Ok(Val::Map(Arc::new(members)))
}

/// Whether a value is in a list, or a key in a map; `None` if the other is neither.
fn is_in<'c>(value: &Val<'c>, whole: &Val<'c>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<bool>> {
    if let Some(items) = whole.as_list() {
        for item in items.iter() {
            evaluation.spend(1)?;
            if value.equals(&item, evaluation)? {
                return Ok(Some(true));
            }
        }
        return Ok(Some(false));
    }
    if whole.map_len().is_none() {
        return Ok(None);
    }
    let Some(key) = value.as_text() else { return Ok(Some(false)) };
    Ok(whole.member(key).ok().map(|found| found.is_some()))
}

/// What the session remembers of earlier calls.
fn earlier<'c>(node: &Node, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    match node {
        Node::Done { index, keys, .. } => {
            let entry = entry_of(keys, evaluation)?;
            match evaluation.context.observed.find(*index, entry) {
                Lookup::Found(_) => Ok(Val::Bool(true)),
                Lookup::Missing => Ok(Val::Bool(false)),
                Lookup::Full => Err(Fault::IndexFull),
            }
        }
        Node::Recall { index, is_first, keys, what } => {
            let entry = entry_of(keys, evaluation)?;
            match evaluation.context.observed.recall(*index, entry) {
                Recalled::Found { first, last } => Ok(Val::Call(if *is_first { first } else { last })),
                Recalled::Missing => Err(missing(format!("there was no call `{what}`"))),
                Recalled::Full => Err(Fault::IndexFull),
            }
        }
        Node::Count { index, keys, .. } => {
            let entry = entry_of(keys, evaluation)?;
            let count = evaluation.context.observed.tally(*index, entry).ok_or(Fault::IndexFull)?;
            Ok(Val::Number(Decimal::from(count)))
        }
        _ => Err(missing("an earlier call")),
    }
}

/// The entry that the values of some arguments make.
fn entry_of(keys: &[Node], evaluation: &mut Evaluation<'_>) -> Outcome<u128> {
    let hashes: Outcome<Vec<u128>> = keys
        .iter()
        .map(|node| {
            let value = evaluate(node, evaluation)?;
            if value.is_null() {
                return Err(wrong(node, &value, "a value"));
            }
            value.spend_whole(evaluation)?;
            let json = match &value {
                Val::Json(json) => Cow::Borrowed(*json),
                other => Cow::Owned(other.to_value().ok_or_else(|| wrong(node, other, "a value"))?),
            };
            Ok(part_hash(evaluation.context.key, &json))
        })
        .collect();
    hashes.map(entry_key)
}
