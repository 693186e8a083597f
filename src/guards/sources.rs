//! Where a value may come from, as `from:` of the kinds of provenance says it: the user, a trusted part of earlier
//! results, an expression.
//!
//! Nothing that an outsider can write is ever a source: a path into an untrusted part does not bind, nor does an
//! expression into which one flows. Results are asked by value, one look-up a source, whatever the session has seen.

use super::argument::Argument;
use super::condition::finding_of;
use super::requires_before::decode_patterns;
use super::{ArgumentPath, ToolFacts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation, Expression, Fault, Program, serving};
use crate::facts::Said;
use crate::observed::words::{among, has_run};
use crate::observed::{CallPath, Form, IndexDefinition, IndexId, KeyPart, Lookup, Root, part_hash};
use crate::path::{Path, Step};
use crate::schema::{PathProblem, Subject, TypeSet};
use crate::source::{Span, Spanned};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use crate::yaml::{Data, Node};

/// One source, written out.
pub(super) const SOURCE: Shape = Shape {
    name: "a source",
    fields: &[
        Field::optional("tool", Type::OneOrMany(&Type::Text), "Earlier successes of these tools, by name or glob."),
        Field::optional("path", Type::Text, "The path in their results: `id`, `[].id`, `''` for all of it."),
        Field::optional("expr", Type::Expression, "An expression that gives a value or a list of values."),
    ],
};

/// `from` of a kind.
pub(super) const FROM: Type = Type::OneOrMany(&Type::Either(&[Type::Word(&["user"]), Type::Shape(&SOURCE)]));

/// A source as its author wrote it.
#[derive(Clone, Debug)]
enum Source {
    User,
    Result { tools: Vec<Spanned<Pattern>>, path: Spanned<Path> },
    Given(Expression),
}

/// What sources are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum For {
    /// They vouch for a value, so no outsider may write them.
    Vouching,
    /// They are what a value may not come from.
    Barring,
}

/// Sources as their author wrote them.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    all: Vec<Source>,
}

impl Sources {
    /// Reads `from`; `None` after a problem.
    pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Sources> {
        let before = decoder.problems();
        let items = decoder.one_or_many(node);
        let items = decoder.some(node, items, "name a source: `user`, `{tool, path}` or `{expr}`");
        let all: Vec<Source> = items.iter().filter_map(|item| source(decoder, item)).collect();
        (decoder.problems() == before).then_some(Sources { all })
    }

    /// The sources as `from` would say them.
    pub(super) fn value(&self) -> Value<'static> {
        Value::Array(self.all.iter().map(Source::value).collect())
    }

    /// `the user typed or that …`: what follows `a value that`.
    pub(super) fn words(&self) -> String {
        let words: Vec<String> = self.all.iter().map(Source::words).collect();
        crate::text::joined(&words, "or")
    }

    pub(super) fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        let tools = self.all.iter().flat_map(|source| match source {
            Source::Result { tools, .. } => tools.as_slice(),
            Source::User | Source::Given(_) => &[],
        });
        tools.map(|pattern| (pattern.value.clone(), pattern.span)).collect()
    }

    /// The sources ready to be asked.
    ///
    /// # Errors
    /// A source that outsiders can write, or that is none.
    pub(super) fn bind(
        &self,
        what_for: For,
        form: Form,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<BoundSources, Vec<BindProblem>> {
        let (mut bound, mut problems) = (BoundSources { form, ..BoundSources::default() }, Vec::new());
        for source in &self.all {
            match source {
                Source::User => {
                    compiler.plan().keep_typed();
                    bound.user = true;
                }
                Source::Result { tools, path } => {
                    problems.extend(untold(what_for, tools, path, compiler));
                    let at = CallPath { root: Root::Result, path: path.value.clone() };
                    let tools = tools.iter().map(|pattern| pattern.value.clone()).collect();
                    let parts = vec![KeyPart { at, form }];
                    let index = compiler.plan().index(IndexDefinition { tools, parts, forgotten_by: None });
                    bound.results.push((index, source.words()));
                }
                Source::Given(expression) => match compiler.values(expression) {
                    Err(found) => problems.extend(found),
                    Ok(program) => {
                        let untrusted = compiler.untrusted_in(expression).filter(|_| what_for == For::Vouching);
                        problems.extend(untrusted.map(|what| untrusted_expression(expression, &what)));
                        bound.given.push((program, source.words()));
                    }
                },
            }
        }
        if problems.is_empty() { Ok(bound) } else { Err(problems) }
    }
}

fn source(decoder: &mut Decoder<'_>, node: &Node) -> Option<Source> {
    if !matches!(node.data, Data::Map(_)) {
        return decoder.word(node, &[("user", ())]).map(|()| Source::User);
    }
    let fields = decoder.open(node, &SOURCE)?;
    match (fields.get("tool"), fields.get("path"), fields.get("expr")) {
        (Some(tool), Some(path), None) => {
            let tools = decode_patterns(decoder, tool, "name a tool");
            let text = decoder.text(path)?;
            match Path::parse(&text.value) {
                Ok(path) => Some(Source::Result { tools, path: Spanned::new(path, text.span) }),
                Err(error) => {
                    let help = "a path is `a`, `a.b`, `a[].b` (every element), `a.*.b` (every value) or `''`";
                    decoder.report(Diagnostic::error("bad-path", text.span, error.to_string()).help(help));
                    None
                }
            }
        }
        // A list stands here where the author named a constant.
        (None, None, Some(expr)) if matches!(expr.data, Data::List(_)) => {
            decoder.value(expr).map(|value| Source::Given(Expression::constant(value, expr.span)))
        }
        (None, None, Some(expr)) => Expression::decode(decoder, expr).map(Source::Given),
        _ => {
            let message = "a source is `user`, a `tool` with a `path`, or an `expr`";
            let problem = Diagnostic::error("bad-source", fields.head(), message);
            decoder.report(problem.help("write `{tool: get_contacts, path: '[].id'}` or `{expr: world.accounts}`"));
            None
        }
    }
}

impl Source {
    fn value(&self) -> Value<'static> {
        match self {
            Source::User => Value::from("user"),
            Source::Result { tools, path } => {
                let name = |pattern: &Spanned<Pattern>| Value::from(pattern.value.text().to_owned());
                let tools = match tools.as_slice() {
                    [one] => name(one),
                    many => Value::Array(many.iter().map(name).collect()),
                };
                Object::of([("tool", tools), ("path", Value::from(path.value.to_string()))]).into()
            }
            Source::Given(expression) => {
                let list = expression.value().filter(|value| matches!(value, Value::Array(_)));
                Object::of([("expr", list.cloned().unwrap_or_else(|| Value::from(expression.text())))]).into()
            }
        }
    }

    fn words(&self) -> String {
        match self {
            Source::User => "the user typed".into(),
            Source::Result { tools, path } => {
                let names: Vec<String> = tools.iter().map(|pattern| format!("`{}`", pattern.value)).collect();
                let names = crate::text::joined(&names, "or");
                if path.value.is_whole() {
                    format!("{names} returned")
                } else {
                    format!("{names} returned in `{}`", path.value)
                }
            }
            Source::Given(expression) => format!("is among `{}`", expression.text()),
        }
    }
}

fn untrusted(span: Span, message: String, help: impl Into<String>) -> BindProblem {
    BindProblem { rule: "untrusted-source", span, message, help: Some(help.into()) }
}

fn untrusted_expression(expression: &Expression, what: &str) -> BindProblem {
    let message = format!("`{}` gives {what}, and that vouches for nothing", expression.text());
    untrusted(expression.span(), message, "give only what no outsider can write; filtering by it is fine")
}

/// What is wrong with a path as a source: the tools' schemas do not know it, or an outsider can write what is there.
pub(super) fn untold(
    what_for: For,
    tools: &[Spanned<Pattern>],
    path: &Spanned<Path>,
    compiler: &Compiler<'_, '_>,
) -> Vec<BindProblem> {
    let mut problems = Vec::new();
    for pattern in tools {
        let meant: Vec<_> = serving(compiler.tools(), std::slice::from_ref(&pattern.value)).collect();
        let lacking: Vec<_> = meant
            .iter()
            .filter_map(|tool| tool.returns?.locate(&path.value, Subject::Result(tool.name)).err())
            .collect();
        if lacking.len() == meant.len() {
            let lacks = |problem: PathProblem| BindProblem {
                rule: "does-not-fit",
                span: path.span,
                message: problem.message,
                help: problem.help,
            };
            problems.extend(lacking.into_iter().next().map(lacks));
        }
        if what_for == For::Barring {
            continue;
        }
        let untrusted = meant.iter().find_map(|tool| {
            let is_met = |marked: &&Spanned<Path>| meets(path.value.steps(), marked.value.steps());
            Some((tool.name, tool.untrusted.iter().find(is_met)?))
        });
        problems.extend(untrusted.map(|(tool, marked)| untrusted_path(tool, path, &marked.value)));
    }
    problems
}

fn untrusted_path(tool: &str, path: &Spanned<Path>, marked: &Path) -> BindProblem {
    let whose = if path.value.is_whole() { "the whole of it".to_owned() } else { format!("`{}`", path.value) };
    if marked.is_whole() {
        let message = format!("outsiders can write all of the result of `{tool}`, so {whose} is no source");
        let help = format!("say under `untrusted` of `{tool}` which paths outsiders can write, if the others are safe");
        return untrusted(path.span, message, help);
    }
    let message = format!("outsiders can write `{marked}` in the result of `{tool}`, so {whose} is no source");
    untrusted(path.span, message, "name a path beside it")
}

/// True if one path leads into what the other names.
fn meets(left: &[Step], right: &[Step]) -> bool {
    left.iter().zip(right).all(|steps| match steps {
        (Step::Key(left), Step::Key(right)) => left == right,
        (Step::Each, Step::Each) => true,
        (Step::Each, _) | (_, Step::Each) => false,
        (Step::Values, _) | (_, Step::Values) => true,
    })
}

/// Sources ready to be asked.
#[derive(Debug)]
pub(super) struct BoundSources {
    user: bool,
    results: Vec<(IndexId, String)>,
    given: Vec<(Program, String)>,
    form: Form,
}

impl Default for BoundSources {
    fn default() -> BoundSources {
        BoundSources { user: false, results: Vec::new(), given: Vec::new(), form: Form::Scalars }
    }
}

/// What sources say of a value without an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told<'s> {
    /// This one has it.
    Has(&'s str),
    /// None has it.
    None,
    /// None that can still tell has it.
    Full,
}

impl BoundSources {
    /// The first of user and results that has a value.
    pub(super) fn told(&self, context: &Context<'_>, value: &Value<'_>) -> Told<'_> {
        let mut told = Told::None;
        let is_hashed = self.form != Form::Words && !self.results.is_empty();
        let hash = is_hashed.then(|| part_hash(context.key, value));
        for (index, words) in &self.results {
            let find = |key| context.observed.find(*index, key);
            let found = match (self.form, hash.map(find)) {
                (Form::Words, _) | (_, None) => has_run(context.key, value, find),
                (_, Some(Lookup::Found(_))) => Some(true),
                (_, Some(Lookup::Missing)) => Some(false),
                (_, Some(Lookup::Full)) => None,
            };
            match found {
                Some(true) => return Told::Has(words),
                Some(false) => {}
                None => told = Told::Full,
            }
        }
        if !self.user {
            return told;
        }
        match typed(context, value) {
            Some(true) => Told::Has("the user typed"),
            Some(false) => told,
            None => Told::Full,
        }
    }

    /// Takes out of some values those that an expression gives. One that gives nothing has none.
    pub(super) fn strike_out<'c>(
        &self,
        values: &mut Vec<&'c Value<'c>>,
        evaluation: &mut Evaluation<'c>,
    ) -> Result<(), Finding> {
        for (program, _) in &self.given {
            match program.strike_out(values, evaluation) {
                Ok(()) | Err(Fault::Missing(_)) => {}
                Err(fault) => return Err(finding_of(fault)),
            }
            if values.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// True if an expression gives a value, or one that stands in it as whole words.
    pub(super) fn gives(&self, value: &Value<'_>, evaluation: &mut Evaluation<'_>) -> Result<bool, Finding> {
        for (program, _) in &self.given {
            let given = match program.each_value(evaluation) {
                Ok(given) => given,
                Err(Fault::Missing(_)) => continue,
                Err(fault) => return Err(finding_of(fault)),
            };
            let key = evaluation.context.key;
            let mut keys = Vec::new();
            given.iter().for_each(|one| self.form.keys(key, one, &mut keys));
            let has = match self.form {
                Form::Words => has_run(key, value, |run| among(&keys, run)) == Some(true),
                Form::Whole | Form::Scalars => keys.contains(&part_hash(key, value)),
            };
            if has {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if some source can only be asked by evaluating it.
    pub(super) fn evaluates(&self) -> bool {
        !self.given.is_empty()
    }
}

/// Whether the user typed a value; `None` where nobody can tell.
fn typed(context: &Context<'_>, value: &Value<'_>) -> Option<bool> {
    match context.facts.said(context.key, value) {
        Said::Yes => Some(true),
        Said::No => Some(false),
        Said::CannotTell => None,
    }
}

/// What is found where no source could tell.
pub(super) const FULL: Finding = Finding::Fails(Failure::IndexFull);

/// The arguments that a kind is about: `arg` or `args`, not both.
pub(super) fn arguments(decoder: &mut Decoder<'_>, with: &Fields<'_>, kind: &str) -> Option<Vec<ArgumentPath>> {
    let node = match (with.get("arg"), with.get("args")) {
        (Some(node), None) | (None, Some(node)) => node,
        _ => {
            let message = format!("`{kind}` takes `arg` or `args`");
            let problem = Diagnostic::error("missing-key", with.head(), message);
            decoder.report(problem.help("name one argument with `arg`, several with `args: [to, cc]`"));
            return None;
        }
    };
    let items = decoder.one_or_many(node);
    let items = decoder.some(node, items, "name an argument");
    let paths: Vec<Option<ArgumentPath>> = items.iter().map(|item| ArgumentPath::decode(decoder, item)).collect();
    paths.into_iter().collect()
}

/// `arg` and `args` of the kinds that are about arguments.
pub(super) const ARG: Field = Field::optional("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`.");

/// As [`ARG`], for several.
pub(super) const ARGS: Field =
    Field::optional("args", Type::List(&Type::Text), "The arguments, where there are several.");

/// The arguments as parameters say them.
pub(super) fn arguments_value(args: &[ArgumentPath]) -> (&'static str, Value<'static>) {
    match args {
        [one] => ("arg", one.value()),
        many => ("args", Value::Array(many.iter().map(ArgumentPath::value).collect())),
    }
}

/// The arguments in words: `` `to` and `cc` ``.
pub(super) fn arguments_words(args: &[ArgumentPath]) -> String {
    let names: Vec<String> = args.iter().map(|arg| format!("`{}`", arg.text())).collect();
    crate::text::joined(&names, "and")
}

/// The places of arguments in one tool's calls, which must have all of them.
pub(super) fn locate(args: &[ArgumentPath], tool: &ToolFacts<'_>) -> Result<Vec<Argument>, Vec<BindProblem>> {
    let (mut located, mut problems) = (Vec::new(), Vec::new());
    for arg in args {
        match arg.locate(tool, TypeSet::ANY) {
            Ok(argument) => located.push(argument),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(located) } else { Err(problems) }
}
