//! Budgets and keys of repeats, bound to the tools they are about.
//!
//! What a budget is stands once, in a [`Counter`]; what it reads of a call is compiled for each tool, in a
//! [`BoundBudget`]. Nothing is counted here.

use super::Planned;
use super::bind::planned;
use crate::context::BindProblem;
use crate::decimal::Decimal;
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Expression, Program, Text};
use crate::guards::max_calls::Scope;
use crate::path::Path;
use crate::schema::ArgSchema;
use crate::source::Span;
use crate::spec::{
    BudgetSpec, By, GuardSpec, Layer, Measure, OnFailure, OnMissing, OnSpent, Selection, Spec, Terms, ToolSpec,
};
use crate::time::Duration;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// A budget.
#[derive(Debug)]
pub(crate) struct Counter {
    pub(crate) code: Arc<str>,
    pub(crate) unit: Unit,
    pub(crate) max: Decimal,
    pub(crate) scope: Scope,
    pub(crate) window: Option<Duration>,
    /// True if a new turn sets it to 0.
    pub(crate) is_turnly: bool,
    /// True to count only calls that ended without success.
    pub(crate) failed: bool,
    /// True if a success sets it to 0.
    pub(crate) streak: bool,
    /// What each count is kept by, as its author wrote it.
    pub(crate) per: Option<String>,
    pub(crate) action: OnSpent,
    /// Who is asked, where it asks.
    pub(crate) by: By,
    /// What it does where it cannot judge.
    pub(crate) on_failure: OnFailure,
    /// True if a condition that reads what is missing does not hold.
    pub(crate) skips: bool,
    pub(crate) counted: Counted,
}

/// What a budget measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Calls that may run.
    Calls,
    /// Proposals.
    Attempts,
    /// An amount of each call.
    Amount,
}

/// What a budget counts, in words.
#[derive(Debug)]
pub(crate) enum Counted {
    /// Calls of whatever tool.
    Calls {
        /// ` with the effect …`, where it is about some effects only.
        of: String,
    },
    /// The calls of some tools.
    Tools {
        /// Their names.
        names: String,
        /// True if more than one tool shares the count.
        are_many: bool,
    },
}

/// A budget as the calls of one tool meet it.
#[derive(Debug)]
pub(crate) struct BoundBudget {
    /// The number of its counter.
    pub(crate) number: usize,
    pub(crate) when: Option<Program>,
    pub(crate) amount: Option<Program>,
    pub(crate) per: Option<Program>,
    /// What to do instead, in place of the generated words.
    pub(crate) correction: Option<Text>,
    pub(crate) public_reason: Option<Text>,
}

/// What makes two calls of one tool one.
#[derive(Debug)]
pub(crate) struct BoundKey {
    pub(crate) key: Program,
    pub(crate) window: Option<Duration>,
}

/// A budget on its way to the tools it is about.
pub(super) struct Budget<'s> {
    pub(super) counter: Counter,
    written: Written<'s>,
    selection: &'s Selection,
    span: Span,
}

/// Where the expressions of a budget stand.
enum Written<'s> {
    /// In a budget.
    Budget(&'s Terms),
    /// In a guard that compiles to one.
    Guard(&'s GuardSpec),
}

/// Budgets, and the guards that compile to one, in the order contract, spec, file.
pub(super) fn all(spec: &Spec) -> Vec<Budget<'_>> {
    let mut budgets = Vec::new();
    for layer in [Layer::Contract, Layer::Spec] {
        let guards = spec.guards.iter().filter(|guard| guard.layer == layer);
        budgets.extend(guards.filter_map(of_guard));
        budgets.extend(spec.budgets.iter().filter(|budget| budget.layer == layer).map(of_budget));
    }
    budgets
}

fn of_guard(guard: &GuardSpec) -> Option<Budget<'_>> {
    let limit = guard.rule.as_ref()?.limit()?;
    let action = OnSpent::of(guard.action);
    let counter = Counter {
        by: guard.by,
        on_failure: guard.on_failure,
        skips: guard.missing == OnMissing::Skip,
        ..counter(&guard.id.value, &Terms::of(limit, action), &guard.selection)
    };
    Some(Budget { counter, written: Written::Guard(guard), selection: &guard.selection, span: guard.id.span })
}

fn of_budget(budget: &BudgetSpec) -> Budget<'_> {
    Budget {
        counter: counter(&budget.id.value, &budget.terms, &budget.selection),
        written: Written::Budget(&budget.terms),
        selection: &budget.selection,
        span: budget.id.span,
    }
}

fn counter(code: &str, terms: &Terms, selection: &Selection) -> Counter {
    Counter {
        code: code.into(),
        unit: match terms.measure {
            Measure::Calls => Unit::Calls,
            Measure::Attempts => Unit::Attempts,
            Measure::Sum(_) => Unit::Amount,
        },
        max: terms.max,
        scope: terms.scope,
        window: terms.window,
        is_turnly: terms.scope == Scope::Turn || terms.reset_on_turn,
        failed: terms.failed,
        streak: terms.streak,
        per: terms.per.as_ref().map(Expression::text),
        action: terms.action,
        by: By::Approver,
        on_failure: OnFailure::Deny,
        skips: false,
        counted: counted(selection),
    }
}

fn counted(selection: &Selection) -> Counted {
    let selector = &selection.selector;
    let names: Vec<String> = selector.tools.iter().map(|pattern| format!("`{pattern}`")).collect();
    if !names.is_empty() {
        let are_many = names.len() > 1 || !selector.tools.iter().all(Pattern::is_exact);
        return Counted::Tools { names: crate::text::joined(&names, "and"), are_many };
    }
    let effects: Vec<String> = selector.effects.iter().map(|effect| format!("`{}`", effect.name())).collect();
    let of = if effects.is_empty() {
        String::new()
    } else {
        format!(" with the effect {}", crate::text::joined(&effects, "or"))
    };
    Counted::Calls { of }
}

/// The budgets about a tool.
pub(super) fn bind(
    tool: &ToolSpec,
    args: &ArgSchema,
    budgets: &[Budget<'_>],
    compiler: &mut Compiler<'_, '_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Planned<BoundBudget>> {
    let mut bound = Vec::new();
    for (number, budget) in budgets.iter().enumerate().filter(|(_, budget)| budget.selection.may_match(tool)) {
        let mut found = Found { tool, budget, diagnostics };
        if budget.counter.window.is_some() {
            compiler.plan().keep_time();
        }
        let budget_here = match budget.written {
            Written::Budget(terms) => found.budget(number, terms, args, compiler),
            Written::Guard(guard) => found.guard(number, guard, compiler),
        };
        bound.push(planned(tool, budget.selection, budget_here));
    }
    bound
}

/// The problems of one budget with one tool.
struct Found<'f, 's> {
    tool: &'f ToolSpec,
    budget: &'f Budget<'s>,
    diagnostics: &'f mut Vec<Diagnostic>,
}

impl Found<'_, '_> {
    fn guard(&mut self, number: usize, guard: &GuardSpec, compiler: &mut Compiler<'_, '_>) -> BoundBudget {
        let when = guard.when.as_ref().and_then(|when| self.sound(compiler.condition(when)));
        let correction = guard.correction.as_ref().and_then(|text| self.sound(compiler.text(text)));
        let public_reason = guard.public_reason.as_ref().and_then(|text| self.sound(compiler.text(text)));
        BoundBudget { number, when, amount: None, per: None, correction, public_reason }
    }

    fn budget(
        &mut self,
        number: usize,
        terms: &Terms,
        args: &ArgSchema,
        compiler: &mut Compiler<'_, '_>,
    ) -> BoundBudget {
        let when = terms.when.as_ref().and_then(|when| self.sound(compiler.condition(when)));
        let amount = match &terms.measure {
            Measure::Sum(sum) => {
                self.warn_of_negatives(sum, args);
                self.sound(compiler.number(sum))
            }
            Measure::Calls | Measure::Attempts => None,
        };
        let per = terms.per.as_ref().and_then(|per| self.sound(compiler.value(per)));
        BoundBudget { number, when, amount, per, correction: None, public_reason: None }
    }

    fn sound<T>(&mut self, program: Result<T, Vec<BindProblem>>) -> Option<T> {
        let problems = match program {
            Ok(program) => return Some(program),
            Err(problems) => problems,
        };
        let about = format!("`{}` is about `{}`", self.budget.counter.code, self.tool.name.value);
        self.diagnostics.extend(problems.into_iter().map(|problem| placed(problem).label(self.budget.span, &about)));
        None
    }

    /// A negative amount is denied when it comes; a schema that refuses it teaches the model sooner.
    fn warn_of_negatives(&mut self, sum: &Expression, args: &ArgSchema) {
        let text = sum.text();
        let Some(path) = text.strip_prefix("args.").and_then(|path| Path::parse(path).ok()) else { return };
        if !args.may_be_negative(&path) {
            return;
        }
        let message = format!("the schema of `{}` lets `{path}` be negative", self.tool.name.value);
        let warning = Diagnostic::warning("negative-sum", sum.span(), message);
        self.diagnostics.push(
            warning
                .label(self.budget.span, format!("`{}` denies such a call", self.budget.counter.code))
                .help("give it `minimum: 0` or `exclusiveMinimum: 0`, so that the model is told by the schema"),
        );
    }
}

fn placed(problem: BindProblem) -> Diagnostic {
    let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message);
    problem.help.into_iter().fold(diagnostic, Diagnostic::help)
}

/// The key of a tool's repeats.
pub(super) fn key(
    tool: &ToolSpec,
    compiler: &mut Compiler<'_, '_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<BoundKey> {
    let idempotency = tool.idempotency.as_ref()?;
    if idempotency.window.is_some() {
        compiler.plan().keep_time();
    }
    match compiler.value(&idempotency.key) {
        Ok(key) => Some(BoundKey { key, window: idempotency.window }),
        Err(problems) => {
            let about = format!("the key of `{}`", tool.name.value);
            diagnostics.extend(problems.into_iter().map(|problem| placed(problem).label(tool.name.span, &about)));
            None
        }
    }
}

/// Whether the user typed it is asked of an argument that the spec itself sets: what is asked is a word of the author's.
pub(super) fn check_typed<'t>(
    tool: &ToolSpec,
    args: Option<&ArgSchema>,
    typed: impl Iterator<Item = &'t (Span, String)>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    use crate::path::Step;
    use crate::spec::ArgChange;
    let filled = args.and_then(|args| args.with_defaults(&Value::Object(Object::new())));
    let name = tool.name.value.text();
    let help = "ask about an argument that the model chooses freely";
    for (span, argument) in typed {
        if filled.as_ref().is_some_and(|filled| filled.get(argument).is_some()) {
            let message = format!("the schema of `{name}` has a default for `{argument}`, which nobody passed");
            diagnostics.push(Diagnostic::error("bad-call", *span, message).help(help));
        }
        let is_it = |step: Option<&Step>| match step {
            Some(Step::Key(name)) => name == argument,
            _ => true,
        };
        let mut rewrites = tool.rewrites.iter().filter(|rewrite| !matches!(rewrite.change, ArgChange::Normalise(_)));
        if let Some(rewrite) = rewrites.find(|rewrite| is_it(rewrite.arg.path().steps().first())) {
            let message =
                format!("a rewrite of `{name}` writes `{}`, so it is not what the model passed", rewrite.arg.text());
            let problem = Diagnostic::error("bad-call", *span, message).label(rewrite.arg.span(), "written here");
            diagnostics.push(problem.help(help));
        }
    }
}

/// Rewrites of arguments that the tool does not have, or of another type.
pub(super) fn check_rewrites(tool: &ToolSpec, args: &ArgSchema, diagnostics: &mut Vec<Diagnostic>) {
    use crate::schema::{Subject, TypeSet};
    use crate::spec::ArgChange;
    for rewrite in &tool.rewrites {
        let name = tool.name.value.text();
        let located = match args.locate(rewrite.arg.path(), Subject::Tool(name)) {
            Ok(located) => located,
            Err(found) => {
                let problem = Diagnostic::error("does-not-fit", rewrite.arg.span(), found.message);
                diagnostics.push(found.help.into_iter().fold(problem, Diagnostic::help));
                continue;
            }
        };
        let (fits, wanted) = match &rewrite.change {
            ArgChange::Clamp { .. } => (located.types.meets(TypeSet::NUMBER), "a number".to_owned()),
            // A text may be sent for another type where it is converted.
            ArgChange::Normalise(_) => (tool.coerce || located.types.meets(TypeSet::STRING), "a string".to_owned()),
            ArgChange::Set(value) | ArgChange::Default(value) => {
                let listed = located.choices.as_ref().is_none_or(|choices| choices.contains(value));
                (located.types.accepts(value) && listed, crate::text::shown(value))
            }
        };
        if !fits {
            let message = format!("`{}` of `{name}` is never {wanted}", rewrite.arg.text());
            let problem = Diagnostic::error("does-not-fit", rewrite.arg.span(), message);
            diagnostics.push(problem.help("the schema would refuse every call; mend one of the two"));
        }
    }
}
