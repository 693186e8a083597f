//! What a tool says of its own arguments and repeats: declared rewrites and the key of a call that must not run twice.

use super::duration;
use crate::decimal::Decimal;
use crate::decode::{Decoder, Fields};
use crate::diagnostic::Diagnostic;
use crate::expr::Expression;
use crate::guards::ArgumentPath;
use crate::observed::{CallPath, Root};
use crate::path::Path;
use crate::source::Spanned;
use crate::spec::shapes::{CLAMP, IDEMPOTENCY, REWRITE};
use crate::time::Duration;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use crate::yaml::Node;

/// When two calls are one.
#[derive(Clone, Debug)]
pub struct Idempotency {
    /// What they agree on.
    pub key: Expression,
    /// For how long; absent: for the session.
    pub window: Option<Duration>,
}

/// One change of an argument before it is judged.
#[derive(Clone, Debug)]
pub struct Rewrite {
    /// The argument.
    pub arg: ArgumentPath,
    /// What becomes of it.
    pub change: ArgChange,
}

/// What becomes of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgChange {
    /// It is this, whatever was sent.
    Set(Value<'static>),
    /// A number, moved between two bounds.
    Clamp {
        /// The lower bound.
        min: Option<Decimal>,
        /// The upper bound.
        max: Option<Decimal>,
    },
    /// It is this where it is absent.
    Default(Value<'static>),
    /// A text, in one form.
    Normalise(Vec<Form>),
}

/// A form of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// No white space at its ends.
    Trim,
    /// The letters A to Z small.
    Lower,
    /// The letters a to z capital.
    Upper,
    /// One space for each run of white space, none at the ends.
    Spaces,
}

impl Form {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Form)] =
        &[("trim", Form::Trim), ("lower", Form::Lower), ("upper", Form::Upper), ("spaces", Form::Spaces)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }
}

/// Reads `cost`.
pub(super) fn cost(decoder: &mut Decoder<'_>, node: &Node) -> Option<Decimal> {
    let cost = decoder.number(node)?.value;
    if cost.is_negative() {
        let problem = Diagnostic::error("bad-count", node.span, format!("`{cost}` is below 0"));
        decoder.report(problem.help("write what one call costs, 0 or above"));
        return None;
    }
    Some(cost)
}

/// Reads `idempotency`.
pub(super) fn idempotency(decoder: &mut Decoder<'_>, node: &Node) -> Option<Idempotency> {
    let fields = decoder.open(node, &IDEMPOTENCY)?;
    let before = decoder.problems();
    let key = fields.get("key").and_then(|node| Expression::decode(decoder, node));
    let window = fields.get("window").and_then(|node| duration::decode(decoder, node));
    let idempotency = Idempotency { key: key?, window };
    (decoder.problems() == before).then_some(idempotency)
}

/// Reads `rewrite`.
pub(super) fn rewrites(decoder: &mut Decoder<'_>, node: &Node) -> Vec<Rewrite> {
    let items = decoder.list(node);
    decoder.some(node, items, "name an argument, or leave `rewrite` out");
    let rewrites: Vec<Rewrite> = items.iter().filter_map(|item| rewrite(decoder, item)).collect();
    decoder.distinct(rewrites.iter().map(|rewrite| (rewrite.arg.text(), rewrite.arg.span())));
    rewrites
}

const CHANGES: [&str; 4] = ["set", "clamp", "default", "normalise"];

fn rewrite(decoder: &mut Decoder<'_>, node: &Node) -> Option<Rewrite> {
    let fields = decoder.open(node, &REWRITE)?;
    let before = decoder.problems();
    let arg = fields.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
    let said: Vec<&str> = CHANGES.into_iter().filter(|change| fields.entry(change).is_some()).collect();
    let [change] = said.as_slice() else {
        let found = if said.is_empty() { "it says none".to_owned() } else { format!("it says {}", said.len()) };
        let message = format!("a rewrite is one of `set`, `clamp`, `default` and `normalise`, and {found}");
        let problem = Diagnostic::error("bad-rewrite", fields.head(), message);
        decoder.report(problem.help("make each change an entry of its own, and each argument at most one"));
        return None;
    };
    let change = fields.get(change).and_then(|node| read_change(decoder, node, change));
    let rewrite = Rewrite { arg: arg?, change: change? };
    one_place(decoder, &rewrite);
    (decoder.problems() == before).then_some(rewrite)
}

fn read_change(decoder: &mut Decoder<'_>, node: &Node, word: &str) -> Option<ArgChange> {
    match word {
        "set" => decoder.value(node).map(ArgChange::Set),
        "default" => decoder.value(node).map(ArgChange::Default),
        "clamp" => {
            let fields = decoder.open(node, &CLAMP)?;
            clamp(decoder, &fields)
        }
        _ => {
            let items = decoder.one_or_many(node);
            decoder.some(node, items, "name a form");
            let forms: Option<Vec<Form>> = items.iter().map(|item| decoder.word(item, Form::WORDS)).collect();
            forms.map(ArgChange::Normalise)
        }
    }
}

fn clamp(decoder: &mut Decoder<'_>, fields: &Fields<'_>) -> Option<ArgChange> {
    let before = decoder.problems();
    let mut bound = |key: &str| fields.get(key).and_then(|node| decoder.number(node)).map(|number| number.value);
    let (min, max) = (bound("min"), bound("max"));
    if decoder.problems() > before {
        return None;
    }
    if min.is_none() && max.is_none() {
        let problem = Diagnostic::error("range-without-bounds", fields.span, "`clamp` needs `min`, `max` or both");
        decoder.report(problem.help("give it a bound"));
        return None;
    }
    if let Some((min, max)) = min.zip(max).filter(|(min, max)| min > max) {
        let problem = Diagnostic::error("impossible-range", fields.head(), format!("`min` {min} is above `max` {max}"));
        decoder.report(problem.help("no number is between them; exchange the two"));
        return None;
    }
    Some(ArgChange::Clamp { min, max })
}

/// What outsiders can write of the results of a tool that does not say: nothing of the host's own, all of a server's.
pub(super) fn untrusted_by_default(tool: &Pattern) -> Vec<Path> {
    if tool.text().contains('/') { vec![Path::default()] } else { Vec::new() }
}

/// Reads `untrusted`.
pub(super) fn untrusted(decoder: &mut Decoder<'_>, node: &Node) -> Vec<Spanned<Path>> {
    let items = decoder.list(node);
    decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
    let mut paths = Vec::new();
    for item in items {
        let Some(text) = decoder.text(item) else { continue };
        match Path::parse(&text.value) {
            Ok(path) => paths.push(Spanned::new(path, text.span)),
            Err(error) => {
                let help = "a path is `a`, `a.b`, `a[].b` (every element), `a.*.b` (every value) or `''` (all of it)";
                decoder.report(Diagnostic::error("bad-path", text.span, error.to_string()).help(help));
            }
        }
    }
    paths
}

/// Reads `sensitive`.
pub(super) fn sensitive(decoder: &mut Decoder<'_>, node: &Node) -> Vec<Spanned<CallPath>> {
    let items = decoder.list(node);
    decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
    let mut places = Vec::new();
    for item in items {
        let Some(text) = decoder.text(item) else { continue };
        match CallPath::parse(&text.value) {
            Some(place) if place.root == Root::Result || !place.path.is_whole() => {
                places.push(Spanned::new(place, text.span));
            }
            _ => {
                let message = format!("`{}` is no path into arguments or a result", text.value);
                let help = "write `args.card`, `result.password`, `result[].email`, or `result` for all of it";
                decoder.report(Diagnostic::error("bad-path", text.span, message).help(help));
            }
        }
    }
    places
}

/// A value is put in one place, never behind `[]` or `*`.
fn one_place(decoder: &mut Decoder<'_>, rewrite: &Rewrite) {
    let is_put = matches!(rewrite.change, ArgChange::Set(_) | ArgChange::Default(_));
    if is_put && !rewrite.arg.path().is_single() {
        let message = format!("`{}` is many places, and a value is put in one", rewrite.arg.text());
        let problem = Diagnostic::error("bad-rewrite", rewrite.arg.span(), message);
        decoder.report(problem.help("name one argument: `note`, `options.limit`"));
    }
}

impl Rewrite {
    /// The rewrite in its one spelling.
    pub(super) fn value(&self) -> Value<'static> {
        let arg = Value::from(self.arg.text());
        let (key, value) = match &self.change {
            ArgChange::Set(value) => ("set", value.clone()),
            ArgChange::Default(value) => ("default", value.clone()),
            ArgChange::Clamp { min, max } => {
                let bound = |bound: &Option<Decimal>| bound.map(Value::Number);
                ("clamp", Object::of_some([("min", bound(min)), ("max", bound(max))]).into())
            }
            ArgChange::Normalise(forms) => match forms.as_slice() {
                [form] => ("normalise", Value::from(form.name())),
                forms => ("normalise", Value::Array(forms.iter().map(|form| Value::from(form.name())).collect())),
            },
        };
        Object::of([("arg", arg), (key, value)]).into()
    }
}

impl Idempotency {
    /// The key and its window in their one spelling.
    pub(super) fn value(&self) -> Value<'static> {
        let window = self.window.map(|window| Value::from(duration::spelled(window)));
        Object::of_some([("key", Some(Value::from(self.key.text()))), ("window", window)]).into()
    }
}
