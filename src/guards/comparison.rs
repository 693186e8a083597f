//! One comparison of a path with a constant: the check of `precondition`, `consentRequired` and `resultInvariant`.
//!
//! A text is parsed into a [`Test`] with the place of each part, fitted to the schema of what it reads, and asked of
//! each call. It reads one root and nothing else.

use crate::context::{BindProblem, Context, Finding};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Field, Type};
use crate::diagnostic::Diagnostic;
use crate::guards::Read;
use crate::path::{Path, Step};
use crate::schema::{ArgSchema, Located, Subject, TypeSet};
use crate::source::{Span, Spanned};
use crate::value::{Object, Value};
use crate::yaml::Node;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

/// What a comparison's path begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// The host's state.
    World,
    /// The result of the call.
    Result,
}

impl Root {
    fn name(self) -> &'static str {
        match self {
            Root::World => "world",
            Root::Result => "result",
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Root::World => "a path that begins with `world.`",
            Root::Result => "`result`, or a path that begins with `result.`",
        }
    }

    /// The check in a help.
    fn what(self) -> &'static str {
        match self {
            Root::World => "a precondition",
            Root::Result => "an invariant",
        }
    }
}

/// The parameter that holds a comparison on the world.
pub(super) const WORLD_CHECK: Field = Field::required(
    "check",
    Type::Text,
    "What must be true: `world.a`, `!world.a`, or one comparison `world.a == 'text'` (`==`, `!=`, `<`, `<=`, `>`, `>=`, `in [...]`).",
);

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
}

const OPERATORS: &[(&str, Operator)] = &[
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessOrEqual),
    (">=", Operator::GreaterOrEqual),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("in ", Operator::In),
    ("in[", Operator::In),
];

/// One comparison, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Comparison {
    path: Vec<String>,
    operator: Operator,
    literals: Vec<Literal>,
}

/// A literal and the bytes of the text where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Literal {
    value: Value<'static>,
    at: Range<usize>,
}

/// Why a comparison does not parse: the bytes at fault, and what was expected there.
struct Unparsed {
    at: Range<usize>,
    expected: &'static str,
}

/// A cursor over the text of a comparison.
struct Cursor<'t> {
    text: &'t str,
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    fn at(&self) -> usize {
        self.text.len().saturating_sub(self.rest.len())
    }

    /// What stands here, up to the next space, is not what was expected.
    fn fail<T>(&self, expected: &'static str) -> Result<T, Unparsed> {
        let token = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        Err(Unparsed { at: self.at()..self.at().saturating_add(token), expected })
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn word(&mut self) -> &'t str {
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        word
    }

    fn path(&mut self, root: Root) -> Result<Vec<String>, Unparsed> {
        let start = Cursor { ..*self };
        if self.word() != root.name() {
            return start.fail(root.expected());
        }
        let mut path = Vec::new();
        while self.eat(".") {
            let word = self.word();
            if word.is_empty() {
                return self.fail("a field name");
            }
            path.push(word.to_owned());
        }
        // A result may be a scalar; the world is always an object.
        if path.is_empty() && root == Root::World { self.fail("a field of `world`") } else { Ok(path) }
    }

    fn literal(&mut self) -> Result<Literal, Unparsed> {
        self.skip_space();
        let start = self.at();
        let value = self.scalar()?;
        Ok(Literal { value, at: start..self.at() })
    }

    fn scalar(&mut self) -> Result<Value<'static>, Unparsed> {
        if let Some(quote @ ('\'' | '"')) = self.rest.chars().next() {
            self.rest = self.rest.strip_prefix(quote).unwrap_or(self.rest);
            let Some((text, rest)) = self.rest.split_once(quote) else { return self.fail("a closing quote") };
            if text.contains('\\') {
                return self.fail("a text without `\\`");
            }
            self.rest = rest;
            return Ok(Value::from(text.to_owned()));
        }
        let end = self.rest.find(|c: char| c.is_whitespace() || matches!(c, ',' | ']')).unwrap_or(self.rest.len());
        let (token, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        let value = match token {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            number => match Decimal::parse_json(number) {
                Ok(number) => Value::Number(number),
                Err(_) => return self.fail("a literal: `'text'`, a number, `true` or `false`"),
            },
        };
        self.rest = rest;
        Ok(value)
    }

    fn list(&mut self) -> Result<Vec<Literal>, Unparsed> {
        let mut literals = vec![self.literal()?];
        loop {
            self.skip_space();
            if self.eat("]") {
                return Ok(literals);
            }
            if !self.eat(",") {
                return self.fail("`,` or `]`");
            }
            literals.push(self.literal()?);
        }
    }
}

impl Comparison {
    fn parse(text: &str, root: Root) -> Result<Comparison, Unparsed> {
        let mut cursor = Cursor { text, rest: text };
        cursor.skip_space();
        let negated = cursor.eat("!");
        let start = cursor.at();
        let path = cursor.path(root)?;
        cursor.skip_space();
        let comparison = if negated || cursor.rest.is_empty() {
            let literal = Literal { value: Value::Bool(!negated), at: start..cursor.at() };
            Comparison { path, operator: Operator::Equal, literals: vec![literal] }
        } else {
            let Some((token, operator)) = OPERATORS.iter().find(|(token, _)| cursor.rest.starts_with(token)) else {
                return cursor.fail("one comparison: `==`, `!=`, `<`, `<=`, `>`, `>=` or `in`");
            };
            cursor.eat(token.trim_end_matches([' ', '[']));
            cursor.skip_space();
            let literals = match operator {
                Operator::In if cursor.eat("[") => cursor.list()?,
                Operator::In => return cursor.fail("a list in `[` and `]`"),
                _ => vec![cursor.literal()?],
            };
            Comparison { path, operator: *operator, literals }
        };
        cursor.skip_space();
        if cursor.rest.is_empty() { Ok(comparison) } else { cursor.fail("the end") }
    }

    /// What stands at the path.
    fn value<'r>(&self, root: &'r Value<'r>) -> Option<&'r Value<'r>> {
        let mut value = root;
        for step in &self.path {
            value = value.get(step)?;
        }
        Some(value)
    }

    /// What would hold at the path.
    fn wanted(&self) -> Option<String> {
        let literal = crate::text::shown(&self.literals.first()?.value);
        Some(match self.operator {
            Operator::Equal | Operator::LessOrEqual | Operator::GreaterOrEqual | Operator::In => literal,
            Operator::NotEqual => format!("anything but {literal}"),
            Operator::Less => format!("less than {literal}"),
            Operator::Greater => format!("more than {literal}"),
        })
    }

    /// `None` where the root does not say.
    fn holds(&self, root: &Value<'_>) -> Option<bool> {
        let value = self.value(root)?;
        if self.operator == Operator::In {
            let comparable: Vec<bool> =
                self.literals.iter().filter_map(|literal| Some(compare(value, &literal.value)?.is_eq())).collect();
            return (!comparable.is_empty()).then(|| comparable.contains(&true));
        }
        let ordering = compare(value, &self.literals.first()?.value)?;
        Some(match self.operator {
            Operator::Equal | Operator::In => ordering.is_eq(),
            Operator::NotEqual => ordering.is_ne(),
            Operator::Less => ordering.is_lt(),
            Operator::LessOrEqual => ordering.is_le(),
            Operator::Greater => ordering.is_gt(),
            Operator::GreaterOrEqual => ordering.is_ge(),
        })
    }
}

/// The order of two scalars of one type.
fn compare(value: &Value<'_>, literal: &Value<'_>) -> Option<Ordering> {
    match (value, literal) {
        (Value::Number(left), Value::Number(right)) => Some(left.cmp(right)),
        (Value::String(left), Value::String(right)) => Some(left.as_ref().cmp(right.as_ref())),
        (Value::Bool(left), Value::Bool(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn type_of(literal: &Value<'_>) -> TypeSet {
    match literal {
        Value::Bool(_) => TypeSet::BOOLEAN,
        Value::Number(_) => TypeSet::NUMBER,
        _ => TypeSet::STRING,
    }
}

/// Where the text of a check stands in its file.
#[derive(Clone, Copy, Debug)]
struct Place {
    whole: Span,
    /// The text byte for byte, if it is written so.
    verbatim: Option<Span>,
}

impl Place {
    /// Some bytes of the text.
    fn of(self, bytes: &Range<usize>) -> Span {
        let Some(text) = self.verbatim else { return self.whole };
        let offset = |at: usize| (text.start as usize).saturating_add(at);
        Span::new(text.file, offset(bytes.start), offset(bytes.end))
    }
}

/// What to write instead of an expression that goes beyond one comparison.
fn cure(found: &str, expected: &str, root: Root) -> String {
    let (what, name) = (root.what(), root.name());
    if found.starts_with("&&") {
        format!("{what} is one comparison; write two guards")
    } else if found.starts_with("||") {
        format!("{what} is one comparison; for several values of one path write `in [...]`")
    } else if found.starts_with('=') {
        "write `==`".into()
    } else if found.starts_with("args") {
        format!("{what} reads the {name}; kinds such as `argRange` and `argOneOf` read arguments")
    } else if expected.starts_with("a literal") {
        "compare with a constant; a text stands in quotes".into()
    } else {
        format!("write `{name}.a`, `!{name}.a`, `{name}.a == 'text'` or `{name}.a in [1, 2]`")
    }
}

/// How many characters of what was not expected are told; its place is shown whole.
const SHOWN: usize = 80;

fn told(found: &str) -> String {
    let cut = if found.chars().nth(SHOWN).is_some() { "…" } else { "" };
    let shown: String = found.chars().take(SHOWN).collect();
    if shown.is_empty() { "the end".to_owned() } else { format!("`{shown}{cut}`") }
}

/// A comparison as its author wrote it.
#[derive(Clone, Debug)]
pub(super) struct Test {
    root: Root,
    check: Spanned<String>,
    place: Place,
    comparison: Arc<Comparison>,
}

impl Test {
    /// Reads the comparison at a node.
    pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node, root: Root) -> Option<Test> {
        let check = decoder.text(node)?;
        let place = Place { whole: check.span, verbatim: node.verbatim(decoder.sources) };
        match Comparison::parse(&check.value, root) {
            Ok(comparison) => Some(Test { root, check, place, comparison: Arc::new(comparison) }),
            Err(Unparsed { at, expected }) => {
                let found = check.value.get(at.clone()).unwrap_or_default();
                let message = format!("expected {expected}, found {}", told(found));
                let problem = Diagnostic::error("bad-expression", place.of(&at), message);
                decoder.report(problem.help(cure(found, expected, root)));
                None
            }
        }
    }

    /// The text, for prose and corrections.
    pub(super) fn text(&self) -> &str {
        self.check.value.trim()
    }

    /// The parameters, as `with:` would say them.
    pub(super) fn parameters(&self) -> Value<'static> {
        Object::of([("check", Value::from(self.check.value.clone()))]).into()
    }

    /// The path it reads, below its root.
    pub(super) fn path(&self) -> Vec<String> {
        self.comparison.path.clone()
    }

    /// Passes where it holds; what is absent, null or of another type is missing.
    pub(super) fn ask(&self, root: &Value<'_>) -> Finding {
        match self.comparison.holds(root) {
            Some(true) => Finding::Pass,
            Some(false) => Finding::Fires,
            None => Finding::Missing,
        }
    }

    /// The same of the world; all of it is missing while the world is old.
    pub(super) fn ask_world(&self, context: &Context<'_>) -> Finding {
        if context.world_is_stale { Finding::Missing } else { self.ask(context.world) }
    }

    /// What it reads of the world, for an explanation.
    pub(super) fn read_world(&self, context: &Context<'_>) -> Read {
        let read = self.read(context.world);
        if context.world_is_stale { Read::words(read.what, "not known since the last write") } else { read }
    }

    /// The change of the world with which it holds.
    pub(super) fn flip_world(&self, context: &Context<'_>) -> Option<String> {
        if context.world_is_stale { Some("the world, sent again".to_owned()) } else { self.flip(context.world) }
    }

    /// What it reads of its root, for an explanation.
    pub(super) fn read(&self, root: &Value<'_>) -> Read {
        let path = std::iter::once(self.root.name()).chain(self.comparison.path.iter().map(String::as_str));
        let path = path.collect::<Vec<_>>().join(".");
        match self.comparison.value(root) {
            Some(value) => Read::of(path, value),
            None => Read::words(path, "absent"),
        }
    }

    /// The change with which it holds.
    pub(super) fn flip(&self, root: &Value<'_>) -> Option<String> {
        let Read { what, value, .. } = self.read(root);
        Some(format!("`{what}` {value} → {}", self.comparison.wanted()?))
    }

    /// The path is declared, and holds what each literal can equal.
    pub(super) fn fits(&self, world: &ArgSchema) -> Result<(), Vec<BindProblem>> {
        let path = Path::from_steps(self.comparison.path.iter().cloned().map(Step::Key).collect());
        let located = world.locate(&path, Subject::World).map_err(|found| {
            let start = self.check.value.find("world").unwrap_or_default();
            let bytes = start..start.saturating_add("world.".len()).saturating_add(path.to_string().len());
            let span = self.place.of(&bytes);
            vec![BindProblem { rule: "does-not-fit", span, message: found.message, help: found.help }]
        })?;
        let literals = self.comparison.literals.iter();
        let problems: Vec<BindProblem> =
            literals.filter_map(|literal| self.refused(literal, &located, &path)).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    /// Why a literal says nothing about what stands at the path.
    fn refused(&self, literal: &Literal, located: &Located, path: &Path) -> Option<BindProblem> {
        let span = self.place.of(&literal.at);
        let what = format!("`world.{path}`");
        if matches!(self.comparison.operator, Operator::Equal | Operator::NotEqual | Operator::In) {
            let (message, help) = located.never_equals(&literal.value, &what)?;
            return Some(BindProblem { rule: "never-equal", span, message, help });
        }
        let shown = crate::text::shown(&literal.value);
        let message = format!("{what} is {}, which never compares with {shown}", located.types);
        let problem = BindProblem { rule: "does-not-fit", span, message, help: None };
        (!located.types.meets(type_of(&literal.value))).then_some(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(check: &str, world: &str) -> Option<bool> {
        let world = crate::json::parse(world.as_bytes(), &crate::json::Limits::default()).unwrap();
        Comparison::parse(check, Root::World).ok().unwrap().holds(&world)
    }

    #[test]
    fn a_comparison_holds_fails_or_cannot_tell() {
        let world = r#"{"open": true, "shop": {"level": 3, "plan": "pro", "none": null}}"#;
        let cases = [
            ("world.open", Some(true)),
            ("!world.open", Some(false)),
            ("world.open == true", Some(true)),
            ("world.open != true", Some(false)),
            ("world.shop.level >= 3", Some(true)),
            ("world.shop.level < 3.0", Some(false)),
            ("world.shop.level <= 2.5", Some(false)),
            ("world.shop.level>2", Some(true)),
            ("world.shop.plan == 'pro'", Some(true)),
            ("world.shop.plan in ['free', \"pro\"]", Some(true)),
            ("world.shop.plan in['free']", Some(false)),
            ("world.shop.none == 'x'", None),
            ("world.absent", None),
            ("world.shop.level == '3'", None),
        ];
        for (check, wanted) in cases {
            assert_eq!(holds(check, world), wanted, "{check}");
        }
    }

    #[test]
    fn what_is_not_one_comparison_is_refused_with_its_place() {
        let cases = [
            ("args.amount > 3", "a path that begins with `world.`"),
            ("world", "a field of `world`"),
            ("world.a = 1", "one comparison: `==`, `!=`, `<`, `<=`, `>`, `>=` or `in`"),
            ("world.a == no", "a literal: `'text'`, a number, `true` or `false`"),
            ("world.a == 'x", "a closing quote"),
            ("world.a == 1 && world.b", "the end"),
            ("world.a in 3", "a list in `[` and `]`"),
        ];
        for (check, expected) in cases {
            assert_eq!(
                Comparison::parse(check, Root::World).err().map(|problem| problem.expected),
                Some(expected),
                "{check}"
            );
        }
    }

    #[test]
    fn a_long_text_that_is_not_expected_is_cut_in_the_message() {
        assert_eq!(told(""), "the end");
        assert_eq!(told(&"é".repeat(80)), format!("`{}`", "é".repeat(80)));
        assert_eq!(told(&"é".repeat(81)), format!("`{}…`", "é".repeat(80)));
    }

    #[test]
    fn a_result_may_be_a_scalar_itself() {
        let holds =
            |check: &str, result: Value<'static>| Comparison::parse(check, Root::Result).ok().unwrap().holds(&result);
        assert_eq!(holds("result == 'ok'", Value::from("ok")), Some(true));
        assert_eq!(holds("result.status == 'ok'", Value::from("ok")), None);
        assert!(Comparison::parse("world.a", Root::Result).is_err());
    }
}
