//! Rules bound to one tool, or to the beginning of a turn: expressions compiled, kinds bound, words with their values.
//!
//! What a guard says is fitted to each tool it can meet; where a turn begins there is none. What holds or fails of all of
//! them, whatever the call, is a mistake of its author.

use super::{
    BoundBudget, BoundChain, BoundGuard, BoundKey, Planned, Question, QuestionView, ReplyPolicy, TurnPolicy, Undoing,
};
use crate::context::BindProblem;
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Expression, Lets, Program, Scope, Template, Text};
use crate::guards::screen::Screen;
use crate::guards::{About, Dimension, Hook, Registry, Rule, ToolFacts};
use crate::path::Path;
use crate::schema::{Located, PathProblem, Subject};
use crate::source::{Span, Spanned};
use crate::spec::{
    Action, By, Destructive, Each, EdgeSpec, Expected, GuardSpec, Layer, OnFailure, OnMissing, Selection, ToolSpec,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A rule on its way to the tools it is about.
#[derive(Clone)]
pub(super) struct Source<'s> {
    pub(super) code: Arc<str>,
    /// Its kind, and what that looks at.
    pub(super) kind: (&'static str, Dimension),
    /// Whether it judges text beside calls, where it says.
    pub(super) interim: Option<bool>,
    pub(super) span: Span,
    pub(super) hook: Hook,
    pub(super) selection: &'s Selection,
    /// True for a rule of the contract, which may say nothing to some of its agents.
    pub(super) is_shared: bool,
    pub(super) when: Option<&'s Expression>,
    pub(super) each: Option<&'s Each>,
    pub(super) check: Option<&'s Expression>,
    pub(super) expected: &'s [Expected],
    pub(super) rule: Option<&'s Arc<dyn Rule>>,
    pub(super) action: Action,
    pub(super) redact: &'s [(Spanned<Path>, Expression)],
    pub(super) by: By,
    pub(super) missing: OnMissing,
    pub(super) on_failure: OnFailure,
    pub(super) correction: Option<&'s Template>,
    pub(super) public_reason: Option<&'s Template>,
}

impl<'s> Source<'s> {
    /// Whether a call repeats another is up to the key of its tool, where it has one.
    fn is_left_to_key(&self, tool: &ToolSpec) -> bool {
        tool.idempotency.is_some() && &*self.code == "auto/noDuplicateCall"
    }

    /// True if it changes replies instead of judging them.
    pub(super) fn is_mutator(&self) -> bool {
        self.rule.is_some_and(|rule| rule.is_mutator())
    }

    /// A rule that denies, and says nothing else yet.
    pub(super) fn plain(span: Span, selection: &'s Selection) -> Source<'s> {
        Source {
            code: Arc::from(""),
            kind: (WRITTEN, Dimension::Run),
            interim: None,
            span,
            hook: Hook::PreTool,
            selection,
            is_shared: false,
            when: None,
            each: None,
            check: None,
            expected: &[],
            rule: None,
            action: Action::Deny,
            redact: &[],
            by: By::default(),
            missing: OnMissing::Deny,
            on_failure: OnFailure::Deny,
            correction: None,
            public_reason: None,
        }
    }
}

/// The word for a rule that is of no kind.
const WRITTEN: &str = "custom";

pub(super) fn of_guard(guard: &GuardSpec) -> Source<'_> {
    let dimension = match guard.hook {
        Hook::OnInput | Hook::PreTool => Dimension::Run,
        Hook::PostTool => Dimension::Output,
        Hook::OnReply => Dimension::Behavior,
    };
    let known = guard.kind.and_then(|kind| Registry::native().find(kind)).map(|kind| kind.about());
    Source {
        code: guard.id.value.as_str().into(),
        kind: known.map_or((WRITTEN, dimension), |about| (about.name, about.dimension)),
        interim: guard.interim,
        hook: guard.hook,
        is_shared: guard.layer == Layer::Contract,
        when: guard.when.as_ref(),
        each: guard.each.as_ref(),
        check: guard.check.as_ref(),
        expected: &guard.expected,
        rule: guard.rule.as_ref(),
        action: guard.action,
        redact: &guard.redact,
        by: guard.by,
        missing: guard.missing,
        on_failure: guard.on_failure,
        correction: guard.correction.as_ref(),
        public_reason: guard.public_reason.as_ref(),
        ..Source::plain(guard.id.span, &guard.selection)
    }
}

pub(super) fn of_edge(edge: &EdgeSpec) -> Source<'_> {
    Source {
        code: edge.id.value.as_str().into(),
        kind: ("requiresBefore", Dimension::Spatial),
        rule: Some(&edge.rule),
        correction: edge.correction.as_ref(),
        ..Source::plain(edge.id.span, &edge.selection)
    }
}

/// A guard that every spec has without asking.
pub(super) fn of_automatic<'s>(
    about: &About,
    rule: &'s Arc<dyn Rule>,
    span: Span,
    every_tool: &'s Selection,
) -> Source<'s> {
    let (action, by) = if rule.asks_user() { (Action::Ask, By::User) } else { (Action::Deny, By::default()) };
    Source {
        code: format!("auto/{}", about.name).into(),
        kind: (about.name, about.dimension),
        rule: Some(rule),
        action,
        by,
        ..Source::plain(span, every_tool)
    }
}

/// What is bound to one tool.
pub(super) struct BoundTool {
    pub(super) guards: Vec<Planned<BoundGuard>>,
    pub(super) screens: Vec<Screen>,
    pub(super) after: Vec<Planned<BoundGuard>>,
    pub(super) destructive: Undoing,
    pub(super) question: QuestionView,
    pub(super) error_when: Option<Program>,
    pub(super) chains: Vec<BoundChain>,
    pub(super) budgets: Vec<Planned<BoundBudget>>,
    pub(super) key: Option<BoundKey>,
    pub(super) hashed: Vec<Located>,
    pub(super) lets: Lets,
    pub(super) lets_after: Lets,
    pub(super) keeps_args: bool,
    pub(super) world_paths: Vec<Vec<String>>,
}

/// What is bound to the beginning of a turn.
pub(super) struct BoundTurn {
    pub(super) policy: TurnPolicy,
    pub(super) world_paths: Vec<Vec<String>>,
}

/// What is bound to a reply.
pub(super) struct BoundReply {
    pub(super) policy: ReplyPolicy,
    pub(super) world_paths: Vec<Vec<String>>,
}

/// What the conditions of each rule come to where no call decides it, tool by tool.
#[derive(Default)]
pub(super) struct Constants {
    by_rule: BTreeMap<Arc<str>, Folded>,
}

#[derive(Default)]
struct Folded {
    when: Vec<Option<bool>>,
    check: Vec<Option<bool>>,
}

impl Constants {
    fn of(&mut self, source: &Source<'_>) -> &mut Folded {
        self.by_rule.entry(source.code.clone()).or_default()
    }

    /// Rules of which no call of any tool decides whether they apply or fire.
    pub(super) fn problems(&self, hooks: [&[Source<'_>]; 4]) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        for source in hooks.into_iter().flatten() {
            let Some(folded) = self.by_rule.get(&source.code) else { continue };
            let what = match source.hook {
                Hook::OnInput => "turn",
                Hook::PreTool | Hook::PostTool => "call",
                Hook::OnReply => "reply",
            };
            let all = |seen: &[Option<bool>], value| !seen.is_empty() && seen.iter().all(|one| *one == Some(value));
            let mut say = |at: Span, message: &str, help: &str| {
                let message = format!("`{}` {message} whatever the {what}", source.code);
                let problem = Diagnostic::error("constant-condition", at, message);
                problems.push(problem.help(help));
            };
            match source.when.map(Expression::span) {
                Some(_) if all(&folded.when, false) && source.is_shared => continue,
                Some(at) if all(&folded.when, false) => {
                    say(at, "never applies: `when` is false", "mend the condition, or take the guard out");
                    continue;
                }
                Some(at) if all(&folded.when, true) && !source.is_shared => {
                    say(at, "always applies: `when` is true", "take `when` out")
                }
                _ => {}
            }
            match source.check.map(Expression::span) {
                Some(_) if all(&folded.check, true) && source.is_shared => {}
                Some(at) if all(&folded.check, true) => {
                    say(at, "never fires: `check` is true", "mend the check, or take the guard out");
                }
                Some(at) if all(&folded.check, false) => {
                    say(at, "fires whenever it applies: `check` is false", "take `check` out to say so");
                }
                _ => {}
            }
        }
        problems
    }
}

/// Binds rules to one tool, or to the beginning of a turn.
pub(super) struct Binder<'b, 's, 'p> {
    /// `None` where a turn begins.
    pub(super) tool: Option<&'b ToolSpec>,
    pub(super) compiler: &'b mut Compiler<'s, 'p>,
    pub(super) diagnostics: &'b mut Vec<Diagnostic>,
    pub(super) constants: &'b mut Constants,
}

impl Binder<'_, '_, '_> {
    /// The rules that can be about the tool, in their order.
    pub(super) fn guards(&mut self, sources: &[Source<'_>], scope: &Scope<'_>) -> Vec<Planned<BoundGuard>> {
        let (Some(tool), Some(types)) = (self.tool, scope.tool) else { return Vec::new() };
        let facts = ToolFacts {
            rule: "",
            name: types.name,
            effect: tool.effect,
            destructive: tool.destructive.may_be(),
            args: types.args,
            world: scope.world,
        };
        let about = sources.iter().filter(|source| source.selection.may_match(tool) && !source.is_left_to_key(tool));
        let bound = about.filter_map(|source| {
            let guard = self.guard(source, &ToolFacts { rule: &source.code, ..facts })?;
            Some(planned(tool, source.selection, guard))
        });
        bound.collect()
    }

    pub(super) fn guard(&mut self, source: &Source<'_>, facts: &ToolFacts<'_>) -> Option<BoundGuard> {
        if source.rule.is_some_and(|rule| !rule.concerns(facts)) {
            self.does_not_concern(source, facts);
            return None;
        }
        let always = |program: &Option<Program>| program.as_ref().and_then(Program::always);
        // Whether it applies at all is asked before it is asked of each, unless that depends on the element.
        let of_each = source.each.filter(|each| source.when.is_some_and(|when| each.is_read_by(when)));
        let when = if of_each.is_none() { self.applies(source)? } else { None };
        // What it asks is not about a tool to which it never applies.
        if always(&when) == Some(false) {
            return None;
        }
        let Some(each) = source.each else {
            return self.asked(source, facts, when);
        };
        let over = self.said(source, |compiler| compiler.each(&each.variables, &each.over));
        let guard = over.and_then(|over| {
            let each_when = if of_each.is_some() { self.applies(source)? } else { None };
            let is_silent = always(&each_when) == Some(false);
            let guard = if is_silent { None } else { self.asked(source, facts, when) };
            guard.map(|guard| BoundGuard { each: Some(over), each_when, ..guard })
        });
        self.compiler.leave_each();
        guard
    }

    /// Whether it applies.
    fn applies(&mut self, source: &Source<'_>) -> Option<Option<Program>> {
        let when = self.condition(source, source.when)?;
        if let Some(when) = &when {
            self.constants.of(source).when.push(when.always());
        }
        Some(when)
    }

    /// The guard, once the variables of its `forEach` are named; `None` too where no call of this tool can break it.
    fn asked(&mut self, source: &Source<'_>, facts: &ToolFacts<'_>, when: Option<Program>) -> Option<BoundGuard> {
        let always = |program: &Option<Program>| program.as_ref().and_then(Program::always);
        for Expected { ty, given, .. } in source.expected {
            self.said(source, |compiler| compiler.expected(given, ty))?;
        }
        let check = self.condition(source, source.check)?;
        if source.check.is_some() {
            self.constants.of(source).check.push(always(&check));
        }
        let correction = self.text(source, source.correction)?;
        let public_reason = self.text(source, source.public_reason)?;
        let redact = self.redact(source, facts)?;
        if always(&check) == Some(true) {
            return None;
        }
        let question = match (source.rule, check) {
            (_, Some(check)) => Question::Holds(check),
            (None, None) => Question::Nothing,
            (Some(rule), None) => match self.said(source, |compiler| rule.bind(facts, compiler))? {
                Some(check) => Question::Kind(check),
                None => return None,
            },
        };
        let (kind, dimension) = source.kind;
        let is_interim = source.interim.unwrap_or_else(|| source.rule.is_some_and(|rule| rule.is_interim()));
        Some(BoundGuard {
            code: source.code.clone(),
            kind,
            dimension,
            is_interim,
            action: source.action,
            by: source.by,
            missing: source.missing,
            on_failure: source.on_failure,
            screen: None,
            when,
            each: None,
            each_when: None,
            question,
            redact,
            correction,
            public_reason,
        })
    }

    /// What it puts into results.
    fn redact(&mut self, source: &Source<'_>, facts: &ToolFacts<'_>) -> Option<Vec<(Path, Program)>> {
        let mut redact = Vec::new();
        for (path, with) in source.redact {
            let returns = self.compiler.tools().iter().find(|tool| tool.name == facts.name)?.returns;
            let located = returns.map(|returns| returns.locate(&path.value, Subject::Result(facts.name)));
            if let Some(Err(problem)) = located {
                let PathProblem { message, help } = problem;
                let problem = BindProblem { rule: "does-not-fit", span: path.span, message, help };
                self.report(vec![problem], source.span, &format!("`{}` is about `{}`", source.code, facts.name));
                return None;
            }
            let program = self.said(source, |compiler| compiler.value(with))?;
            redact.push((path.value.clone(), program));
        }
        Some(redact)
    }

    /// What compiles, or its problems as diagnostics that name the tool.
    fn said<T>(
        &mut self,
        source: &Source<'_>,
        compile: impl FnOnce(&mut Compiler<'_, '_>) -> Result<T, Vec<BindProblem>>,
    ) -> Option<T> {
        let whose = self.whose(source);
        self.compiled(&whose, source.span, compile)
    }

    fn whose(&self, source: &Source<'_>) -> String {
        match self.tool {
            Some(tool) => format!("`{}` is about `{}`", source.code, tool.name.value),
            None if source.hook == Hook::OnReply => format!("`{}` judges every reply", source.code),
            None => format!("`{}` judges every turn", source.code),
        }
    }

    /// What compiles, or its problems as diagnostics that say at a place whose it is.
    fn compiled<T>(
        &mut self,
        whose: &str,
        at: Span,
        compile: impl FnOnce(&mut Compiler<'_, '_>) -> Result<T, Vec<BindProblem>>,
    ) -> Option<T> {
        match compile(self.compiler) {
            Ok(compiled) => Some(compiled),
            Err(problems) => {
                self.report(problems, at, whose);
                None
            }
        }
    }

    /// A condition of what is no guard.
    pub(super) fn condition_of(&mut self, whose: &str, at: Span, condition: &Expression) -> Option<Program> {
        self.compiled(whose, at, |compiler| compiler.condition(condition))
    }

    /// A text of a guard, or of something else.
    pub(super) fn text_of(&mut self, whose: &str, at: Span, text: &Template) -> Option<Text> {
        self.compiled(whose, at, |compiler| compiler.text(text))
    }

    /// A problem of a shared expression is told once, whichever rule reads it for whichever tool.
    fn report(&mut self, problems: Vec<BindProblem>, span: Span, whose: &str) {
        for problem in problems {
            let known = self.diagnostics.iter().any(|known| {
                known.rule == problem.rule && known.span == problem.span && known.message == problem.message
            });
            if !known {
                let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message).label(span, whose);
                self.diagnostics.push(problem.help.into_iter().fold(diagnostic, Diagnostic::help));
            }
        }
    }

    /// `Some(None)` where there is none to compile.
    fn condition(&mut self, source: &Source<'_>, condition: Option<&Expression>) -> Option<Option<Program>> {
        let Some(condition) = condition else { return Some(None) };
        self.said(source, |compiler| compiler.condition(condition)).map(Some)
    }

    fn text(&mut self, source: &Source<'_>, text: Option<&Template>) -> Option<Option<Text>> {
        let Some(text) = text else { return Some(None) };
        let whose = self.whose(source);
        self.text_of(&whose, source.span, text).map(Some)
    }

    /// Which calls of the tool cannot be undone.
    pub(super) fn undoing(&mut self) -> Undoing {
        let Some(tool) = self.tool else { return Undoing::Never };
        match &tool.destructive {
            Destructive::Never => Undoing::Never,
            Destructive::Always => Undoing::Always,
            Destructive::When(when) => match self.of_tool(tool, "destructive", when) {
                Some(program) => Undoing::When(program),
                None => Undoing::Always,
            },
        }
    }

    /// What of a result says that the call failed.
    pub(super) fn error_when(&mut self) -> Option<Program> {
        let tool = self.tool?;
        self.of_tool(tool, "errorWhen", tool.error_when.as_ref()?)
    }

    /// A condition of the tool itself.
    fn of_tool(&mut self, tool: &ToolSpec, key: &str, condition: &Expression) -> Option<Program> {
        let whose = format!("`{key}` of `{}`", tool.name.value);
        let program = self.condition_of(&format!("{whose} reads it"), tool.name.span, condition)?;
        if let Some(always) = program.always() {
            let message = format!("{whose} is {always} whatever the call");
            let problem = Diagnostic::error("constant-condition", condition.span(), message);
            self.diagnostics.push(problem.help("compare something of the call, or take the key out"));
        }
        Some(program)
    }

    /// A rule that is only about some tools is silent on others, unless its author named one.
    fn does_not_concern(&mut self, source: &Source<'_>, facts: &ToolFacts<'_>) {
        let patterns = source.selection.patterns.iter();
        let mut named = patterns.filter(|pattern| source.selection.selector.tools.contains(&pattern.value));
        if let Some(pattern) = named.find(|pattern| pattern.value.text() == facts.name) {
            let message = format!("`{}` is never about `{}`, which is not destructive", source.code, facts.name);
            let problem = Diagnostic::error("does-not-fit", pattern.span, message);
            self.diagnostics.push(problem.help("write `destructive: true` on the tool, or take its name out"));
        }
    }
}

/// Within one tool the selection is decided here; within a family the name decides.
pub(super) fn planned<T>(tool: &ToolSpec, selection: &Selection, what: T) -> Planned<T> {
    let selector = (!tool.name.value.is_exact()).then(|| selection.selector.clone());
    Planned { selector, what }
}
