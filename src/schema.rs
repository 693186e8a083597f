//! Argument schemas: a JSON Schema compiled into a tree that checks a call's arguments and binds them to slots.
//!
//! `compile` resolves every reference (`expand`), reads the closed set of keywords (`compile`) and refuses what it does
//! not know; keywords beyond the set go to `full`, in addition. `bind` walks value and tree side by side once: what comes
//! out either satisfies every keyword, with each declared property in its slot, or is a list of problems a model can act
//! on. Guards, budgets and expressions read slots, never names.
//!
//! Numbers are compared exactly. Nothing here fetches, and nothing accepts a key that is not declared.

mod check;
mod compile;
mod convert;
mod expand;
mod format;
mod full;
mod keywords;
mod locate;
mod order;
mod pattern;
mod possible;
mod problem;
mod types;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use format::Format;
pub(crate) use locate::Spots;
pub use locate::{Located, PathProblem, Subject};
pub(crate) use possible::matching;
pub use problem::{ArgProblem, correction, quoted};
pub use types::TypeSet;

use crate::decimal::Decimal;
use crate::value::{Object, Value};

/// The place of one declared property among the arguments of its tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u16);

impl Slot {
    /// The slot's number; slots of one schema are numbered from zero.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Where references lead.
#[derive(Clone, Copy, Debug)]
pub struct SchemaSources<'s> {
    /// Shared definitions, in the order they are looked up, after the schema's own: the spec's `$defs`, the contract's.
    pub defs: &'s [Object<'static>],
    /// Files of the workspace, by the path that a `$ref` names them with.
    pub files: &'s BTreeMap<String, Value<'static>>,
}

/// No files at all.
static NO_FILES: BTreeMap<String, Value<'static>> = BTreeMap::new();

impl SchemaSources<'static> {
    /// No shared definitions and no files.
    #[must_use]
    pub fn none() -> SchemaSources<'static> {
        SchemaSources { defs: &[], files: &NO_FILES }
    }
}

/// The schema with every reference replaced by what it names; a reference that leads nowhere becomes `true`, and
/// [`ArgSchema::compile`] says so.
#[must_use]
pub fn without_references(schema: &Value<'_>, sources: &SchemaSources<'_>) -> Value<'static> {
    if refers(schema) { expand::expand(schema, sources).tree } else { schema.to_owned_value() }
}

/// True if some reference may stand in a schema, or what one names.
fn refers(schema: &Value<'_>) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(key, member)| key == "$ref" || key == "$defs" || refers(member)),
        Value::Array(items) => items.iter().any(refers),
        _ => false,
    }
}

/// One thing that is wrong with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Keys and indexes from the top of the schema; inside a reference, the path of its `$ref`'s schema.
    pub path: Vec<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// The compiled schema of one tool's arguments.
///
/// ```
/// use flyball::json::{Limits, parse};
/// use flyball::schema::{ArgSchema, SchemaSources, correction};
///
/// let schema = parse(br#"{
///     "type": "object",
///     "required": ["order_id", "amount"],
///     "properties": {"order_id": {"type": "string"}, "amount": {"type": "number", "maximum": 500}}
/// }"#, &Limits::default()).unwrap();
/// let schema = ArgSchema::compile(&schema, &SchemaSources::none()).unwrap();
/// let amount = schema.slot("amount").unwrap();
///
/// let args = parse(br#"{"amount": 20.5, "order_id": "ORD-1"}"#, &Limits::default()).unwrap();
/// assert_eq!(schema.bind(&args).unwrap().get(amount).unwrap().as_number().unwrap().to_string(), "20.5");
///
/// let args = parse(br#"{"amount": 501, "orderid": "ORD-1"}"#, &Limits::default()).unwrap();
/// assert_eq!(
///     correction(&schema.bind(&args).unwrap_err()),
///     "Invalid arguments: `amount` must be 500 or less, not the number 501; `order_id` is missing; \
///      unknown argument `orderid`; did you mean `order_id`?."
/// );
/// ```
#[derive(Clone, Debug)]
pub struct ArgSchema {
    root: Node,
    /// Path of each slot, by its number.
    slots: Vec<String>,
    beyond: Vec<String>,
    full: Option<full::Checker>,
    defaults: bool,
}

impl ArgSchema {
    /// Compiles a schema, or says everything that is wrong with it.
    pub fn compile(schema: &Value<'_>, sources: &SchemaSources<'_>) -> Result<ArgSchema, Vec<SchemaProblem>> {
        compile::compile(schema, sources, true)
    }

    /// Compiles the schema of a result, which may be of any type. It says what expressions may read; nothing is bound
    /// to it.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn compile_result(schema: &Value<'_>, sources: &SchemaSources<'_>) -> Result<ArgSchema, Vec<SchemaProblem>> {
        compile::compile(schema, sources, false)
    }

    /// Accepts any object: for tools whose arguments only their host knows.
    #[must_use]
    pub fn any() -> ArgSchema {
        let root = Node { declared: TypeSet::OBJECT, types: TypeSet::OBJECT, ..Node::any() };
        ArgSchema { root, slots: Vec::new(), beyond: Vec::new(), full: None, defaults: false }
    }

    /// Checks the arguments and binds them, in one pass; or tells every problem (the first hundred of a flood).
    pub fn bind<'v>(&self, args: &'v Value<'v>) -> Result<Bound<'v>, Vec<ArgProblem>> {
        let mut bound = Bound::new(args, self.slots.len());
        if args.as_object().is_some() && check::walk(&self.root, args, &mut check::Fast(&mut bound)) {
            match &self.full {
                Some(full) if !full.fits(args) => Err(full.explain(args)),
                _ => Ok(bound),
            }
        } else {
            Err(self.explain(args))
        }
    }

    #[cold]
    fn explain(&self, args: &Value<'_>) -> Vec<ArgProblem> {
        if args.as_object().is_none() {
            let message = format!("the arguments must be an object, not {}", quoted(args));
            return vec![ArgProblem { path: String::new(), code: "type", message }];
        }
        check::explain(&self.root, args, "")
    }

    /// The slot of a declared property: `amount`, `options.bcc`.
    #[must_use]
    pub fn slot(&self, path: &str) -> Option<Slot> {
        let at = self.slots.iter().position(|known| known == path)?;
        u16::try_from(at).ok().map(Slot)
    }

    /// The paths of all slots, in the order of their numbers.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &str> {
        self.slots.iter().map(String::as_str)
    }

    /// The keywords that only the full checker knows; empty for a schema of the closed set.
    #[must_use]
    pub fn beyond_closed_set(&self) -> &[String] {
        &self.beyond
    }

    /// True if some property has a default.
    #[must_use]
    pub fn has_defaults(&self) -> bool {
        self.defaults
    }

    /// The arguments with absent properties set to their defaults, if that changes anything.
    #[must_use]
    pub fn with_defaults(&self, args: &Value<'_>) -> Option<Value<'static>> {
        if self.defaults { convert::with_defaults(&self.root, args) } else { None }
    }

    /// The arguments with strings turned into what the schema wants, where that loses nothing; `None` if nothing
    /// changed. What cannot be turned stays, for `bind` to refuse.
    #[must_use]
    pub fn coerce(&self, args: &Value<'_>) -> Option<Value<'static>> {
        convert::coerce(&self.root, args)
    }
}

/// As many slots are kept without allocating.
const INLINE: usize = 16;

/// Arguments that satisfy their schema, by slot.
#[derive(Clone, Debug)]
pub struct Bound<'v> {
    args: &'v Value<'v>,
    first: [Option<&'v Value<'v>>; INLINE],
    rest: Vec<Option<&'v Value<'v>>>,
}

impl<'v> Bound<'v> {
    /// No arguments: for what judges a call that is over.
    #[must_use]
    pub fn none() -> Bound<'v> {
        Bound::new(&Value::Null, 0)
    }

    fn new(args: &'v Value<'v>, slots: usize) -> Bound<'v> {
        Bound { args, first: [None; INLINE], rest: vec![None; slots.saturating_sub(INLINE)] }
    }

    fn set(&mut self, slot: Slot, value: &'v Value<'v>) {
        let at = slot.index();
        let place = match self.first.get_mut(at) {
            Some(place) => Some(place),
            None => self.rest.get_mut(at.saturating_sub(INLINE)),
        };
        if let Some(place) = place {
            *place = Some(value);
        }
    }

    /// The value in a slot: `None` if absent; null is a value.
    #[must_use]
    pub fn get(&self, slot: Slot) -> Option<&'v Value<'v>> {
        let at = slot.index();
        match self.first.get(at) {
            Some(place) => *place,
            None => self.rest.get(at.saturating_sub(INLINE)).copied().flatten(),
        }
    }

    /// The arguments as a whole.
    #[must_use]
    pub fn args(&self) -> &'v Value<'v> {
        self.args
    }
}

/// One schema, compiled.
#[derive(Clone, Debug)]
struct Node {
    /// What `type` allows.
    declared: TypeSet,
    /// What all keywords together can allow.
    types: TypeSet,
    slot: Option<Slot>,
    text: Option<Box<TextRules>>,
    number: Option<Box<NumberRules>>,
    list: Option<Box<ListRules>>,
    object: Option<Box<ObjectRules>>,
    choices: Option<Box<Choices>>,
    any_of: Option<Vec<Node>>,
    one_of: Option<Vec<Node>>,
    default: Option<Value<'static>>,
}

impl Node {
    /// The schema `true`.
    fn any() -> Node {
        Node {
            declared: TypeSet::ANY,
            types: TypeSet::ANY,
            slot: None,
            text: None,
            number: None,
            list: None,
            object: None,
            choices: None,
            any_of: None,
            one_of: None,
            default: None,
        }
    }

    /// True if only the type and its own keywords say anything.
    fn is_simple(&self) -> bool {
        self.choices.is_none() && self.any_of.is_none() && self.one_of.is_none()
    }

    /// The branches of `anyOf` and `oneOf`.
    fn forms(&self) -> impl Iterator<Item = &Node> {
        [&self.any_of, &self.one_of].into_iter().flatten().flatten()
    }
}

/// `enum` and `const`.
#[derive(Clone, Debug)]
struct Choices {
    values: Vec<Value<'static>>,
    /// The strings among them, sorted.
    strings: Vec<String>,
}

impl Choices {
    fn new(values: Vec<Value<'static>>) -> Choices {
        let mut strings: Vec<String> = values.iter().filter_map(|value| value.as_str().map(String::from)).collect();
        strings.sort_unstable();
        Choices { values, strings }
    }
}

#[derive(Clone, Debug, Default)]
struct TextRules {
    min: Option<u64>,
    max: Option<u64>,
    pattern: Option<Pattern>,
    format: Option<Format>,
}

#[derive(Clone, Debug)]
struct Pattern {
    source: String,
    regex: regex::Regex,
}

#[derive(Clone, Debug, Default)]
struct NumberRules {
    min: Option<Decimal>,
    max: Option<Decimal>,
    above: Option<Decimal>,
    below: Option<Decimal>,
    multiple_of: Option<Decimal>,
}

#[derive(Clone, Debug, Default)]
struct ListRules {
    min: Option<u64>,
    max: Option<u64>,
    unique: bool,
    items: Option<Node>,
}

#[derive(Clone, Debug)]
struct ObjectRules {
    /// Sorted as the members of an object are.
    properties: Vec<Property>,
    /// Required names that are no property of an open object.
    also_required: Vec<String>,
    additional: Additional,
}

impl ObjectRules {
    fn get(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|property| property.name == name)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.properties.iter().map(|property| property.name.as_str())
    }
}

#[derive(Clone, Debug)]
struct Property {
    name: String,
    node: Node,
    required: bool,
}

/// What members beside the declared ones must be.
#[derive(Clone, Debug)]
enum Additional {
    Open,
    Closed,
    Each(Node),
}
