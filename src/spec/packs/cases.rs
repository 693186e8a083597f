//! A pack's own cases: parameters as values, and what its kind must say of them.

use super::{Pack, PackKind};
use crate::context::{Hook, Nothing};
use crate::decode::{Decoder, Shape};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiled, Compiler, Evaluation, Expression, Given, Program, Scope, Text};
use crate::observed::IndexPlan;
use crate::source::Span;
use crate::value::{Object, Value};
use crate::yaml::{Entry, Node};
use std::collections::BTreeSet;

/// One case as its author wrote it.
#[derive(Clone, Debug)]
pub(super) struct Case {
    note: Option<String>,
    with: Vec<Entry>,
    want: Want,
    correction: Option<String>,
    span: Span,
}

/// What a case wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// The check is true, or the kind does not apply.
    Allow,
    /// The check is false.
    Deny,
    /// The check has no value: something is missing or of another type.
    Error,
}

impl Want {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Want)] =
        &[("allow", Want::Allow), ("deny", Want::Deny), ("error", Want::Error)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        Want::WORDS.iter().find(|(_, want)| *want == self).map_or("", |(word, _)| word)
    }
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// The kind it is of.
    pub kind: String,
    /// Its note, or its number among the kind's cases, from 1.
    pub case: String,
    /// Where it stands.
    pub span: Span,
    /// What is not as the case wants it.
    pub problem: Option<String>,
}

pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node, shape: &Shape) -> Option<Case> {
    let fields = decoder.open(node, shape)?;
    let note = fields.get("note").and_then(|node| decoder.sentence(node)).map(|note| note.value);
    let with = fields.get("with").map(|node| decoder.entries(node).to_vec()).unwrap_or_default();
    let want = fields.get("want").and_then(|node| decoder.word(node, Want::WORDS));
    let correction = fields.get("correction").and_then(|node| decoder.sentence(node)).map(|text| text.value);
    Some(Case { note, with, want: want?, correction, span: fields.head() })
}

/// A kind with a case's parameters, compiled.
struct Bench {
    when: Option<Program>,
    check: Program,
    correction: Text,
    compiled: Compiled,
}

impl Pack {
    /// What is wrong with its kinds beside their spelling: a case that does not compile, a verdict that no case shows.
    pub(super) fn problems(&self) -> Vec<Diagnostic> {
        self.kinds.iter().flat_map(PackKind::problems).collect()
    }

    /// Runs every case.
    #[must_use]
    pub fn run_cases(&self) -> Vec<CaseResult> {
        self.kinds.iter().flat_map(PackKind::run_cases).collect()
    }
}

impl PackKind {
    fn problems(&self) -> Vec<Diagnostic> {
        // What a case gives that is of another type than the check reads is an error that a case may want.
        let sound = self.cases.iter().filter(|case| case.want != Want::Error);
        let mut problems: Vec<Diagnostic> = sound.filter_map(|case| self.bench(case).err()).flatten().collect();
        for want in [Want::Allow, Want::Deny] {
            if !self.cases.iter().any(|case| case.want == want) {
                let message = format!("no case of `{}` wants `{}`", self.name.value, want.name());
                let problem = Diagnostic::error("untested-kind", self.name.span, message);
                problems.push(problem.help("a kind shows both what it lets pass and what it stops"));
            }
        }
        problems
    }

    fn run_cases(&self) -> Vec<CaseResult> {
        let run = |(number, case): (usize, &Case)| CaseResult {
            kind: self.name.value.clone(),
            case: case.note.clone().unwrap_or_else(|| number.saturating_add(1).to_string()),
            span: case.span,
            problem: self.run(case),
        };
        self.cases.iter().enumerate().map(run).collect()
    }

    /// What of a case is not as it wants.
    fn run(&self, case: &Case) -> Option<String> {
        let bench = match self.bench(case) {
            Ok(bench) => bench,
            Err(_) if case.want == Want::Error => return None,
            Err(problems) => return problems.first().map(|problem| problem.message.clone()),
        };
        bench.judge(|found, correction| match (&case.correction, found == case.want) {
            (_, false) => Some(format!("wants `{}`, got `{}`", case.want.name(), found.name())),
            (Some(wanted), true) if *wanted != correction => Some(format!("the correction is `{correction}`")),
            _ => None,
        })
    }

    /// The kind with the case's values in place of its parameters.
    fn bench(&self, case: &Case) -> Result<Bench, Vec<Diagnostic>> {
        let sources = crate::source::Sources::default();
        let mut decoder = Decoder::new(&sources);
        // A case gives values, also where a guard gives an expression.
        let read = |decoder: &mut Decoder<'_>, node: &Node| {
            decoder.value(node).map(|value| Expression::constant(value, node.span))
        };
        let parameters = self.given(&mut decoder, &case.with, case.span, read).ok_or(decoder.diagnostics)?;
        self.compiled(&Given::new(&parameters, &BTreeSet::new()), case.span)
    }

    fn compiled(&self, given: &Given, at: Span) -> Result<Bench, Vec<Diagnostic>> {
        let mut plan = IndexPlan::default();
        let none = Value::Object(Object::new());
        let scope = Scope {
            hook: Hook::PreTool,
            tool: None,
            world: None,
            untrusted_world: &[],
            params: &none,
            authored: &[],
            lets: &[],
            tools: &[],
            offset: Some(0),
        };
        let mut compiler = Compiler::new(scope, &mut plan);
        let mut bench = || {
            let when = self.when.as_ref().map(|when| compiler.condition(&when.with_parameters(given))).transpose()?;
            let check = compiler.condition(&self.check.with_parameters(given))?;
            let correction = compiler.text(&self.correction.with_parameters(given))?;
            Ok((when, check, correction))
        };
        let built = bench();
        let (when, check, correction) = built.map_err(|problems: Vec<crate::context::BindProblem>| {
            let said = problems.into_iter().map(|problem| {
                let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message);
                problem.help.into_iter().fold(diagnostic.label(at, "in this case"), Diagnostic::help)
            });
            said.collect::<Vec<_>>()
        })?;
        Ok(Bench { when, check, correction, compiled: compiler.finish() })
    }
}

impl Bench {
    /// What the kind says, and its correction.
    fn judge<T>(&self, tell: impl FnOnce(Want, String) -> T) -> T {
        let nothing = Nothing::new();
        let mut evaluation = Evaluation::new(nothing.context(), &self.compiled.lets);
        let applies = self.when.as_ref().map_or(Ok(true), |when| when.test(&mut evaluation));
        let holds = applies.and_then(|applies| if applies { self.check.test(&mut evaluation) } else { Ok(true) });
        let found = match holds {
            Ok(true) => Want::Allow,
            Ok(false) => Want::Deny,
            Err(_) => Want::Error,
        };
        let correction = self.correction.show(&mut evaluation);
        tell(found, correction)
    }
}
