//! Macros and `forEach`: an expression for each element of a list or member of a map.
//!
//! Every element costs a step, so nothing here runs for longer than fuel allows.

use super::evaluate::{Evaluation, evaluate, truth, wrong};
use super::program::{Comprehension, MacroKind, Program};
use super::val::{Items, Val};
use super::{Fault, MAX_STEPS, Outcome};
use crate::decimal::Decimal;
use std::ops::ControlFlow;
use std::sync::Arc;

impl<'c> Evaluation<'c> {
    /// Sets the variables of a `forEach` to the elements of its program's value, one after another, and asks of each;
    /// stops at the first that `visit` breaks at.
    ///
    /// # Errors
    /// There is no list or map to go over.
    pub fn each<B>(
        &mut self,
        over: &Program,
        mut visit: impl FnMut(&mut Evaluation<'c>) -> ControlFlow<B>,
    ) -> Outcome<Option<B>> {
        let elements = over.value(self)?;
        let elements = Elements::of(&elements).ok_or_else(|| wrong(&over.node, &elements, "a list or a map"))?;
        if elements.len() > MAX_STEPS as usize {
            return Err(Fault::OutOfFuel);
        }
        let before = self.locals.len();
        self.is_shared = true;
        let mut answer = ControlFlow::Continue(());
        for at in 0..elements.len() {
            elements.set(at, over.variables, &mut self.locals);
            answer = visit(self);
            self.locals.truncate(before);
            if answer.is_break() {
                break;
            }
        }
        self.is_shared = false;
        Ok(answer.break_value())
    }
}

/// What a macro or a `forEach` goes over.
enum Elements<'c> {
    List(Items<'c>),
    Map(Val<'c>, usize),
}

impl<'c> Elements<'c> {
    fn of(value: &Val<'c>) -> Option<Elements<'c>> {
        match value.as_list() {
            Some(items) => Some(Elements::List(items)),
            None => value.map_len().map(|len| Elements::Map(value.clone(), len)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Elements::List(items) => items.len(),
            Elements::Map(_, len) => *len,
        }
    }

    /// Index and element, or key and value.
    fn pair(&self, at: usize) -> Option<(Val<'c>, Val<'c>)> {
        match self {
            Elements::List(items) => Some((Val::Number(Decimal::from(u64::try_from(at).ok()?)), items.get(at)?)),
            Elements::Map(map, _) => map.member_at(at),
        }
    }

    /// What one variable is.
    fn single(&self, at: usize) -> Option<Val<'c>> {
        match self {
            Elements::List(items) => items.get(at),
            Elements::Map(map, _) => map.member_at(at).map(|(key, _)| key),
        }
    }

    fn set(&self, at: usize, variables: usize, locals: &mut Vec<Val<'c>>) {
        if variables == 2 {
            let (first, second) = self.pair(at).unwrap_or((Val::Null, Val::Null));
            locals.extend([first, second]);
        } else {
            locals.push(self.single(at).unwrap_or(Val::Null));
        }
    }
}

/// The value of a macro.
pub(super) fn comprehend<'c>(comprehension: &Comprehension, evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    let over = evaluate(&comprehension.over, evaluation)?;
    let elements = Elements::of(&over).ok_or_else(|| wrong(&comprehension.over, &over, "a list or a map"))?;
    let before = evaluation.locals.len();
    let mut state = State::default();
    for at in 0..elements.len() {
        evaluation.spend(1)?;
        elements.set(at, comprehension.variables, &mut evaluation.locals);
        let goes_on = state.visit(comprehension, evaluation);
        evaluation.locals.truncate(before);
        if !goes_on? {
            break;
        }
    }
    Ok(match comprehension.kind {
        MacroKind::All => Val::Bool(!state.stopped),
        MacroKind::Exists => Val::Bool(state.stopped),
        MacroKind::ExistsOne => Val::Bool(state.found == 1),
        MacroKind::Collect => Val::List(Arc::new(state.items)),
    })
}

/// What a macro has come to so far.
#[derive(Default)]
struct State<'c> {
    stopped: bool,
    found: usize,
    items: Vec<Val<'c>>,
}

impl<'c> State<'c> {
    /// Looks at the element that the variables are set to; false if the rest does not matter.
    fn visit(&mut self, comprehension: &Comprehension, evaluation: &mut Evaluation<'c>) -> Outcome<bool> {
        let holds = comprehension.test.as_ref().map_or(Ok(true), |test| truth(test, evaluation))?;
        match comprehension.kind {
            MacroKind::All => self.stopped = !holds,
            MacroKind::Exists => self.stopped = holds,
            MacroKind::ExistsOne => self.found = self.found.saturating_add(usize::from(holds)),
            MacroKind::Collect if holds => {
                let item = match &comprehension.body {
                    Some(body) => evaluate(body, evaluation)?,
                    None => evaluation.locals.last().cloned().unwrap_or(Val::Null),
                };
                self.items.push(item);
            }
            MacroKind::Collect => {}
        }
        Ok(!self.stopped)
    }
}
