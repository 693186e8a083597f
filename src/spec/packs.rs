//! Packs: files of guard kinds as data, each with its parameters, its words and its own cases (FORMAT 8).
//!
//! A guard that names a pack's kind is that kind's check with the guard's parameters put in, so nothing of a pack is
//! left once a spec is read. A pack stands alone too: [`parse_pack`] reads one, [`Pack::run_cases`] runs what it says of itself.

mod cases;

use super::Expected;
use super::parse::kind_of_file;
use super::shapes::{CASE, EXPRESSION_PARAMETER, PACK, PACK_KIND};
use crate::decode::{Decoder, Fields, suggest};
use crate::diagnostic::{self, Diagnostic};
use crate::expr::{Expression, Template};
use crate::guards::Hook;
use crate::schema::{ArgSchema, SchemaSources};
use crate::source::{FileId, Sources, Span, Spanned};
use crate::value::{Object, Value};
use crate::yaml::{Entry, Node};
use std::collections::BTreeMap;

pub use cases::{CaseResult, Want};

/// A file of guard kinds.
#[derive(Clone, Debug)]
pub struct Pack {
    /// Its id.
    pub id: Spanned<String>,
    /// Its kinds, in the order of the file.
    pub kinds: Vec<PackKind>,
}

/// One kind of a pack.
#[derive(Clone, Debug)]
pub struct PackKind {
    /// Its name; a spec that calls the pack `money` names it `money/NAME`.
    pub name: Spanned<String>,
    /// Where it stands.
    pub hook: Hook,
    /// Parameters that are expressions of the guard's place, with the type they are said to have.
    pub expressions: Vec<ExpressionParameter>,
    /// The schema of those that are values; an object.
    values: ArgSchema,
    value_names: Vec<String>,
    /// Whether it applies.
    pub when: Option<Expression>,
    /// What must be true.
    pub check: Expression,
    /// The rule for the prompt.
    pub prose: Template,
    /// What to do instead.
    pub correction: Template,
    /// The sentence a person may see.
    pub public_reason: Option<Template>,
    cases: Vec<cases::Case>,
}

/// A parameter that is an expression of the guard's place.
#[derive(Clone, Debug)]
pub struct ExpressionParameter {
    /// Its name.
    pub name: String,
    /// Its type, in the words of CEL: `number`, `string`, `list(string)`.
    pub ty: String,
    /// What it is where a guard does not say.
    pub default: Option<Expression>,
}

/// What [`parse_pack`] makes of its sources.
#[derive(Debug)]
pub struct ParsedPack {
    /// The pack, unless an error prevents it.
    pub pack: Option<Pack>,
    /// Every problem, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the pack that is the first file of `sources`.
///
/// ```
/// use flyball::source::Sources;
///
/// let text = "\
/// pack: 1
/// id: money
/// kinds:
///   cap:
///     hook: preTool
///     params: {amount: {expr: number}, max: {type: number}}
///     check: params.amount <= params.max
///     prose: 'at most {params.max}'
///     correction: 'Use at most {params.max}.'
///     cases:
///       - {with: {amount: 5, max: 5}, want: allow}
///       - {with: {amount: 6, max: 5}, want: deny, correction: Use at most 5.}
/// ";
/// let pack = flyball::spec::parse_pack(&Sources::new("money.yaml", text)).pack.unwrap();
/// assert!(pack.run_cases().iter().all(|case| case.problem.is_none()));
/// ```
#[must_use]
pub fn parse_pack(sources: &Sources) -> ParsedPack {
    let mut decoder = Decoder::new(sources);
    decoder.later = super::shapes::LATER;
    let pack = read(&mut decoder, FileId(0), Span::default());
    let mut diagnostics = decoder.diagnostics;
    if let Some(pack) = pack.as_ref().filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) {
        diagnostics.extend(pack.problems());
    }
    diagnostic::sort(&mut diagnostics);
    let sound = !diagnostics.iter().any(Diagnostic::is_error);
    ParsedPack { pack: pack.filter(|_| sound), diagnostics }
}

/// The packs among the trees of some files, each with its tree.
pub(crate) fn packs_among<'t>(sources: &Sources, trees: impl Iterator<Item = &'t Node>) -> Vec<(Pack, &'t Node)> {
    let mut decoder = Decoder::new(sources);
    let packs = trees.filter(|tree| tree.get("pack").is_some());
    packs.filter_map(|tree| Some((read(&mut decoder, tree.span.file, Span::default())?, tree))).collect()
}

/// The pack in a file that is named at a place.
pub(super) fn read(decoder: &mut Decoder<'_>, file: FileId, named: Span) -> Option<Pack> {
    let node = decoder.read(file)?;
    if let Some((kind, span)) = kind_of_file(&node).filter(|(kind, _)| *kind != "a pack") {
        let at = if named == Span::default() { span } else { named };
        let problem = Diagnostic::error("wrong-file", at, format!("this file is {kind}, not a pack"));
        decoder.report(problem.label(span, "it says so here").help("name a pack: its first key is `pack`"));
        return None;
    }
    let fields = decoder.open(&node, &PACK)?;
    if let Some(version) = fields.get("pack").and_then(|node| decoder.count(node)).filter(|version| version.value != 1)
    {
        let message = format!("this is version {} of the format, and this program knows version 1", version.value);
        decoder.report(Diagnostic::error("unknown-version", version.span, message).help("write `pack: 1`"));
    }
    let id = fields.get("id").and_then(|node| decoder.id(node));
    let kinds = fields.get("kinds").map(|node| decoder.entries(node)).unwrap_or_default();
    let kinds = kinds.iter().filter_map(|entry| kind(decoder, entry)).collect();
    Some(Pack { id: id?, kinds })
}

fn kind(decoder: &mut Decoder<'_>, entry: &Entry) -> Option<PackKind> {
    let before = decoder.problems();
    let sound = entry.key.starts_with(|first: char| first.is_ascii_alphabetic())
        && entry.key.chars().all(|letter| letter.is_ascii_alphanumeric());
    if !sound {
        let problem = Diagnostic::error("bad-name", entry.key_span, format!("`{}` cannot be a kind", entry.key));
        decoder.report(problem.help("write letters and digits, a letter first"));
    }
    let fields = decoder.open(&entry.value, &PACK_KIND)?;
    let hook = fields.get("hook").and_then(|node| decoder.word(node, HOOKS));
    let (expressions, values, value_names) = parameters(decoder, &fields);
    let mut expression = |key| fields.get(key).and_then(|node| Expression::decode(decoder, node));
    let (when, check) = (expression("when"), expression("check"));
    let mut template = |key| fields.get(key).and_then(|node| Template::decode(decoder, node));
    let (prose, correction, public_reason) = (template("prose"), template("correction"), template("publicReason"));
    let cases = fields.get("cases").map(|node| decoder.list(node)).unwrap_or_default();
    let cases = cases.iter().filter_map(|node| cases::decode(decoder, node, &CASE)).collect();
    let kind = PackKind {
        name: Spanned::new(entry.key.to_string(), entry.key_span),
        hook: hook?,
        expressions,
        values: values?,
        value_names,
        when,
        check: check?,
        prose: prose?,
        correction: correction?,
        public_reason,
        cases,
    };
    kind.reads_parameters_only(decoder);
    (decoder.problems() == before).then_some(kind)
}

const HOOKS: &[(&str, Hook)] =
    &[("onInput", Hook::OnInput), ("preTool", Hook::PreTool), ("postTool", Hook::PostTool), ("onReply", Hook::OnReply)];

/// The types that `expr:` may say.
const TYPES: &[&str] = &["number", "int", "string", "bool", "timestamp", "duration", "dyn"];

/// The parameters: those that are expressions, and the schema of those that are values, with their names.
fn parameters(
    decoder: &mut Decoder<'_>,
    fields: &Fields<'_>,
) -> (Vec<ExpressionParameter>, Option<ArgSchema>, Vec<String>) {
    let entries = fields.get("params").map(|node| decoder.entries(node)).unwrap_or_default();
    let (mut expressions, mut names, mut properties, mut required) =
        (Vec::new(), Vec::new(), Object::new(), Vec::new());
    for entry in entries {
        if entry.value.get("expr").is_some() {
            expressions.extend(expression_parameter(decoder, entry));
            continue;
        }
        let Some(schema) = decoder.value(&entry.value) else { continue };
        if schema.get("default").is_none() {
            required.push(Value::from(entry.key.to_string()));
        }
        names.push(entry.key.to_string());
        properties.insert(entry.key.to_string().into(), schema);
    }
    let schema = Object::of([
        ("type", Value::from("object")),
        ("required", Value::Array(required)),
        ("properties", properties.into()),
    ]);
    let values = match ArgSchema::compile(&schema.into(), &SchemaSources::none()) {
        Ok(values) => Some(values),
        Err(problems) => {
            let at = fields.entry("params").map_or(fields.head(), |entry| entry.key_span);
            for problem in problems {
                let place = problem.path.get(1..).unwrap_or_default().join("/");
                let diagnostic = Diagnostic::error("bad-schema", at, format!("`params/{place}`: {}", problem.message));
                decoder.report(problem.help.into_iter().fold(diagnostic, Diagnostic::help));
            }
            None
        }
    };
    (expressions, values, names)
}

fn expression_parameter(decoder: &mut Decoder<'_>, entry: &Entry) -> Option<ExpressionParameter> {
    let fields = decoder.open(&entry.value, &EXPRESSION_PARAMETER)?;
    let ty = fields.get("expr").and_then(|node| decoder.text(node))?;
    if !is_type(&ty.value) {
        let problem = Diagnostic::error("unknown-word", ty.span, format!("`{}` is no type of an expression", ty.value));
        decoder.report(problem.help("write `number`, `int`, `string`, `bool`, `timestamp`, `duration`, `list(string)`, `map(string, dyn)` or `dyn`"));
        return None;
    }
    let default = match fields.get("default") {
        Some(node) => Some(Expression::decode(decoder, node)?),
        None => None,
    };
    Some(ExpressionParameter { name: entry.key.to_string(), ty: ty.value, default })
}

fn is_type(text: &str) -> bool {
    let inner = |prefix: &str| text.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(')'));
    if let Some(item) = inner("list(") {
        return is_type(item.trim());
    }
    if let Some(rest) = inner("map(") {
        return rest.split_once(',').is_some_and(|(key, value)| key.trim() == "string" && is_type(value.trim()));
    }
    TYPES.contains(&text)
}

impl PackKind {
    /// Every parameter, and in words what a guard gives for it.
    pub fn parameters(&self) -> impl Iterator<Item = (&str, String)> {
        let default = |default: &Option<Expression>| {
            default.as_ref().map(|default| format!("; absent: `{}`", default.text())).unwrap_or_default()
        };
        let expressions = self.expressions.iter();
        let expressions = expressions
            .map(move |known| (known.name.as_str(), format!("an expression, {}{}", known.ty, default(&known.default))));
        expressions.chain(self.value_names.iter().map(|name| (name.as_str(), "a value".to_owned())))
    }

    /// The names of every parameter.
    pub fn parameter_names(&self) -> impl Iterator<Item = &str> {
        let expressions = self.expressions.iter().map(|parameter| parameter.name.as_str());
        expressions.chain(self.value_names.iter().map(String::as_str))
    }

    /// What the check and the texts read is what the guard gives them, and nothing else.
    fn reads_parameters_only(&self, decoder: &mut Decoder<'_>) {
        let names: Vec<&str> = self.parameter_names().collect();
        let checks = self.when.iter().chain([&self.check]).flat_map(Expression::roots);
        let texts = [&self.prose, &self.correction].into_iter().chain(&self.public_reason).flat_map(Template::roots);
        for root in checks.chain(texts).filter(|root| root.value != "params") {
            let message = format!("`{}` is not there for a kind of a pack", root.value);
            let problem = Diagnostic::error("unknown-name", root.span, message);
            decoder.report(problem.help("read `params.NAME`, and let the guard say what it is"));
        }
        let checks = self.when.iter().chain([&self.check]).flat_map(Expression::bare_parameters);
        let texts = [&self.prose, &self.correction].into_iter().chain(&self.public_reason);
        for span in checks.chain(texts.flat_map(Template::bare_parameters)) {
            let message = "a kind of a pack reads its parameters one by one, each by its name";
            decoder.report(Diagnostic::error("unknown-name", span, message).help("write `params.NAME`"));
        }
        let defaults = self.expressions.iter().filter_map(|parameter| parameter.default.as_ref());
        for root in defaults.flat_map(Expression::roots).filter(|root| root.value == "params") {
            let message = "a default reads no `params`: it would be those of the spec";
            let problem = Diagnostic::error("unknown-name", root.span, message);
            decoder.report(problem.help("write the value, or let the guard give it"));
        }
        let checks = self.when.iter().chain([&self.check]).flat_map(Expression::parameters);
        let texts = [&self.prose, &self.correction].into_iter().chain(&self.public_reason);
        for read in checks.chain(texts.flat_map(Template::parameters)) {
            if !names.contains(&read.value.as_str()) {
                let message = format!("`{}` has no parameter `{}`", self.name.value, read.value);
                let problem = Diagnostic::error("unknown-name", read.span, message);
                decoder.report(suggest(problem, &read.value, &names));
            }
        }
    }

    /// What is given for each parameter, defaults included; `read` reads one that is an expression. `None` after a
    /// problem.
    pub(super) fn given(
        &self,
        decoder: &mut Decoder<'_>,
        with: &[Entry],
        at: Span,
        read: fn(&mut Decoder<'_>, &Node) -> Option<Expression>,
    ) -> Option<BTreeMap<String, Expression>> {
        let before = decoder.problems();
        let names: Vec<&str> = self.parameter_names().collect();
        let (mut given, mut values) = (BTreeMap::new(), Object::new());
        for entry in with {
            if self.value_names.iter().any(|name| **name == *entry.key) {
                values.insert(entry.key.to_string().into(), decoder.value(&entry.value)?);
            } else if names.contains(&&*entry.key) {
                given.insert(entry.key.to_string(), read(decoder, &entry.value)?);
            } else {
                let message = format!("`{}` has no parameter `{}`", self.name.value, entry.key);
                let problem = Diagnostic::error("unknown-key", entry.key_span, message);
                decoder.report(suggest(problem, &entry.key, &names));
            }
        }
        self.add_values(decoder, with, values.into(), at, &mut given);
        for parameter in
            self.expressions.iter().filter(|parameter| !with.iter().any(|entry| *entry.key == parameter.name))
        {
            match &parameter.default {
                Some(default) => _ = given.insert(parameter.name.clone(), default.clone()),
                None => {
                    let message = format!("`{}` needs the parameter `{}`", self.name.value, parameter.name);
                    let help = format!(
                        "write it under `with:`, as an expression of the type `{}` such as `args.NAME`",
                        parameter.ty
                    );
                    decoder.report(Diagnostic::error("missing-key", at, message).help(help));
                }
            }
        }
        (decoder.problems() == before).then_some(given)
    }

    /// What is given for the parameters that are expressions, with the types they must have.
    pub(super) fn expected(&self, given: &BTreeMap<String, Expression>) -> Vec<Expected> {
        let of = |parameter: &ExpressionParameter| {
            let given = given.get(&parameter.name)?.clone();
            Some(Expected { name: parameter.name.clone(), ty: parameter.ty.clone(), given })
        };
        self.expressions.iter().filter_map(of).collect()
    }

    /// The parameters that are values, checked against their schema.
    fn add_values(
        &self,
        decoder: &mut Decoder<'_>,
        with: &[Entry],
        values: Value<'static>,
        at: Span,
        given: &mut BTreeMap<String, Expression>,
    ) {
        let values = self.values.with_defaults(&values).unwrap_or(values);
        if let Err(problems) = self.values.bind(&values) {
            for problem in problems {
                let of = |entry: &&Entry| problem.path.split(['.', '[']).next() == Some(&*entry.key);
                let span = with.iter().find(of).map_or(at, |entry| entry.value.span);
                decoder.report(Diagnostic::error("does-not-fit", span, format!("`with`: {}", problem.message)));
            }
            return;
        }
        for (name, value) in values.as_object().into_iter().flat_map(Object::iter) {
            let span = with.iter().find(|entry| *entry.key == *name).map_or(at, |entry| entry.value.span);
            given.insert(name.to_owned(), Expression::constant(value.to_owned_value(), span));
        }
    }
}
