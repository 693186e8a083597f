//! Paths against a schema: which slot a path starts at, what is left of it, and what it can reach.

use super::{Additional, ArgSchema, Bound, Node, Slot, TypeSet};
use crate::diagnostic::{did_you_mean, nearest};
use crate::path::{Path, Reach, Step, walk};
use crate::value::Value;
use std::collections::BTreeSet;

/// A path that a schema knows.
#[derive(Clone, Debug)]
pub struct Located {
    /// The slot the path starts at; `None` if it starts at the arguments as a whole.
    pub slot: Option<Slot>,
    /// The steps from there.
    pub tail: Vec<Step>,
    /// The types that can stand at the end.
    pub types: TypeSet,
    /// The values that can stand there, if `enum` or `const` lists them.
    pub choices: Option<Vec<Value<'static>>>,
    /// True if the path is never missing in arguments that satisfy the schema.
    pub required: bool,
}

impl Located {
    /// Visits every value the path reaches.
    pub fn each<'v>(&self, bound: &Bound<'v>, mut visit: impl FnMut(&'v Value<'v>)) -> Reach {
        let start = match self.slot {
            None => Some(bound.args()),
            Some(slot) => bound.get(slot),
        };
        start.map_or(Reach::Partial, |start| walk(&self.tail, start, &mut visit))
    }

    /// Why no value at the path, which messages call `what`, can equal a scalar, and what to write; `None` if one can.
    #[must_use]
    pub fn never_equals(&self, value: &Value<'_>, what: &str) -> Option<(String, Option<String>)> {
        let shown = crate::text::shown(value);
        if !self.types.meets(TypeSet::of(value)) {
            return Some((format!("{what} is {}, which never equals {shown}", self.types), None));
        }
        let choices = self.choices.as_deref()?;
        if choices.contains(value) {
            return None;
        }
        let near = value.as_str().and_then(|text| nearest(text, choices.iter().filter_map(Value::as_str)));
        let help = near.map(|near| format!("did you mean `{near}`?")).unwrap_or_else(|| {
            let all: Vec<String> = choices.iter().map(crate::text::shown).collect();
            format!("it is one of {}", all.join(", "))
        });
        Some((format!("{what} is never {shown}"), Some(help)))
    }

    /// The one value of a path without `[]` and `*`.
    #[must_use]
    pub fn get<'v>(&self, bound: &Bound<'v>) -> Option<&'v Value<'v>> {
        let mut found = None;
        self.each(bound, |value| found = Some(value));
        found
    }
}

/// Whose value a schema describes, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'n> {
    /// The arguments of this tool.
    Tool(&'n str),
    /// The result of this tool.
    Result(&'n str),
    /// The host's world.
    World,
}

/// A path that the schema does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathProblem {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl ArgSchema {
    /// Finds where a path leads, or the first step that cannot be.
    pub fn locate(&self, path: &Path, subject: Subject<'_>) -> Result<Located, PathProblem> {
        let mut at = self.spots();
        let (mut slot, mut tail) = (None, path.steps());
        let (mut rest, mut single) = (path.steps(), true);
        let mut done = Vec::new();
        while let Some((step, after)) = rest.split_first() {
            at = at.step(step).ok_or_else(|| refused(&at, &done, step, subject))?;
            done.push(step.clone());
            rest = after;
            // A slot holds one member; behind a `*` the same schema stands for others too.
            single &= matches!(step, Step::Key(_));
            if let ([Node { slot: Some(found), .. }], true) = (at.nodes.as_slice(), single && !at.unknown) {
                (slot, tail) = (Some(*found), after);
            }
        }
        Ok(Located { slot, tail: tail.to_vec(), types: at.types(), choices: at.choices(), required: at.required })
    }

    /// True if a number below 0 may stand at the path; also where the schema says nothing of it.
    #[must_use]
    pub fn may_be_negative(&self, path: &Path) -> bool {
        let mut at = self.spots();
        for step in path.steps() {
            let Some(next) = at.step(step) else { return false };
            at = next;
        }
        at.unknown || at.nodes.iter().any(|node| may_be_negative(node))
    }

    /// Where a walk over the schema starts: the arguments as a whole.
    pub(crate) fn spots(&self) -> Spots<'_> {
        Spots { nodes: vec![&self.root], unknown: false, required: true }
    }

    /// True if the schema declares the member that these keys lead to, and a call may leave it out: it is not required and has
    /// no default. What the keys on the way lead to is taken to be there.
    pub(crate) fn may_lack(&self, keys: &[String]) -> bool {
        let Some((last, way)) = keys.split_last() else { return false };
        let mut at = self.spots();
        for key in way {
            let Some(next) = at.step(&Step::Key(key.clone())) else { return false };
            at = next;
        }
        let [Node { object: Some(rules), any_of: None, one_of: None, .. }] = at.nodes.as_slice() else { return false };
        let property = rules.get(last).filter(|_| !at.unknown);
        property.is_some_and(|property| !property.required && property.node.default.is_none())
    }

    /// True if the path is never missing in arguments that satisfy the schema.
    #[must_use]
    pub fn required_at(&self, path: &Path) -> bool {
        self.locate(path, Subject::World).is_ok_and(|located| located.required)
    }
}

/// The schemas that may describe the values reached so far.
#[derive(Clone, Debug)]
pub(crate) struct Spots<'n> {
    nodes: Vec<&'n Node>,
    /// Some of the values have no schema.
    unknown: bool,
    required: bool,
}

impl<'n> Spots<'n> {
    /// Values that no schema describes.
    pub(crate) fn unknown() -> Spots<'n> {
        Spots { nodes: Vec::new(), unknown: true, required: false }
    }

    /// True if nothing is known of any value here.
    pub(crate) fn is_unknown(&self) -> bool {
        self.unknown && self.nodes.is_empty()
    }

    /// The values here and those of another.
    pub(crate) fn or(mut self, other: &Spots<'n>) -> Spots<'n> {
        self.nodes.extend(other.nodes.iter().copied());
        self.unknown |= other.unknown;
        self.required &= other.required;
        self
    }

    /// The slot that holds the one value here, if it is an argument with a slot of its own.
    pub(crate) fn slot(&self) -> Option<Slot> {
        match self.nodes.as_slice() {
            [Node { slot, .. }] if !self.unknown => *slot,
            _ => None,
        }
    }

    /// The most elements or members of a value here; `None` where nothing bounds them.
    pub(crate) fn most_parts(&self) -> Option<u64> {
        let known = !self.unknown && !self.nodes.is_empty();
        known.then_some(())?;
        self.nodes.iter().try_fold(0, |most, node| Some(most_parts(node)?.max(most)))
    }

    /// The names of the members that the schemas declare.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'n str> {
        let forms = self.nodes.iter().flat_map(|node| std::iter::once(*node).chain(node.forms()));
        forms.filter_map(|node| node.object.as_deref()).flat_map(|rules| rules.names())
    }

    /// The types that can stand here.
    pub(crate) fn types(&self) -> TypeSet {
        let start = if self.unknown { TypeSet::ANY } else { TypeSet::NONE };
        self.nodes.iter().fold(start, |sum, node| sum.or(node.types))
    }

    /// The values that can stand here, if all schemas list them.
    pub(crate) fn choices(&self) -> Option<Vec<Value<'static>>> {
        if self.unknown {
            return None;
        }
        let lists: Option<Vec<_>> = self.nodes.iter().map(|node| node.choices.as_ref()).collect();
        Some(lists?.into_iter().flat_map(|choices| choices.values.iter().cloned()).collect())
    }

    /// One step further; `None` if no value can be there.
    pub(crate) fn step(&self, step: &Step) -> Option<Spots<'n>> {
        let mut next = Spots { nodes: Vec::new(), unknown: self.unknown, required: self.required && !self.unknown };
        let kind = if *step == Step::Each { TypeSet::ARRAY } else { TypeSet::OBJECT };
        next.required &= self.types().within(kind);
        for node in &self.nodes {
            let mut any_form = false;
            for form in node.forms() {
                any_form = true;
                next.required = false;
                enter(form, step, &mut next);
            }
            if !any_form || node.object.is_some() || node.list.is_some() {
                enter(node, step, &mut next);
            }
        }
        (next.unknown || !next.nodes.is_empty()).then_some(next)
    }
}

/// True if one schema lets a number be below 0.
fn may_be_negative(node: &Node) -> bool {
    if let Some(choices) = &node.choices {
        return choices.values.iter().filter_map(Value::as_number).any(|number| number.is_negative());
    }
    let is_bounded = node.number.as_ref().is_some_and(|rules| {
        let bounds = [rules.min, rules.above];
        bounds.into_iter().flatten().any(|bound| !bound.is_negative())
    });
    let mut forms = node.forms().peekable();
    let by_forms = forms.peek().is_none() || forms.any(may_be_negative);
    node.types.meets(TypeSet::NUMBER) && !is_bounded && by_forms
}

/// The most elements or members of a value of one schema.
fn most_parts(node: &Node) -> Option<u64> {
    let elements = match &node.list {
        _ if !node.types.meets(TypeSet::ARRAY) => Some(0),
        rules => rules.as_ref().and_then(|rules| rules.max),
    };
    let members = match &node.object {
        _ if !node.types.meets(TypeSet::OBJECT) => Some(0),
        Some(rules) if matches!(rules.additional, Additional::Closed) => u64::try_from(rules.properties.len()).ok(),
        _ => None,
    };
    let own = elements.zip(members).map(|(elements, members)| elements.max(members));
    let of_forms = node.forms().map(most_parts).reduce(|one, other| Some(one?.max(other?))).flatten();
    match (own, of_forms) {
        (Some(own), Some(form)) => Some(own.min(form)),
        (own, form) => own.or(form),
    }
}

/// Adds what one schema says about the step.
fn enter<'n>(node: &'n Node, step: &Step, next: &mut Spots<'n>) {
    match (step, &node.object, &node.list) {
        (Step::Each, _, Some(rules)) if node.types.meets(TypeSet::ARRAY) => match &rules.items {
            Some(items) => next.nodes.push(items),
            None => next.unknown = true,
        },
        (Step::Each, _, _) => next.unknown |= node.types.meets(TypeSet::ARRAY),
        (_, None, _) => {
            next.unknown |= node.types.meets(TypeSet::OBJECT);
            next.required = false;
        }
        (Step::Key(name), Some(rules), _) => match (rules.get(name), &rules.additional) {
            (Some(property), _) => {
                next.nodes.push(&property.node);
                next.required &= property.required;
            }
            (None, additional) => {
                next.required &= rules.also_required.contains(name);
                enter_additional(additional, next);
            }
        },
        (Step::Values, Some(rules), _) => {
            next.nodes.extend(rules.properties.iter().map(|property| &property.node));
            enter_additional(&rules.additional, next);
        }
    }
}

fn enter_additional<'n>(additional: &'n Additional, next: &mut Spots<'n>) {
    match additional {
        Additional::Open => next.unknown = true,
        Additional::Closed => {}
        Additional::Each(node) => next.nodes.push(node),
    }
}

/// The few names there are, where none is near.
fn it_has(at: &Spots<'_>) -> Option<String> {
    const FEW: usize = 8;
    let names: Vec<&str> = at.names().collect::<BTreeSet<_>>().into_iter().collect();
    (1..=FEW).contains(&names.len()).then(|| format!("it has {}", crate::decode::quoted_list(&names)))
}

/// Why a step cannot be taken.
fn refused(at: &Spots<'_>, done: &[Step], step: &Step, subject: Subject<'_>) -> PathProblem {
    let here = Path::from_steps(done.to_vec());
    let is_top = here.is_whole();
    let whole = match subject {
        Subject::Tool(tool) if is_top => format!("`{tool}`"),
        Subject::Tool(tool) => format!("`{here}` of `{tool}`"),
        Subject::Result(tool) if is_top => format!("the result of `{tool}`"),
        Subject::Result(tool) => format!("`{here}` in the result of `{tool}`"),
        Subject::World if is_top => String::from("`world`"),
        Subject::World => format!("`world.{here}`"),
    };
    let types = at.types();
    match step {
        Step::Key(name) if types.meets(TypeSet::OBJECT) => {
            let root = match subject {
                Subject::Tool(_) => "args",
                Subject::Result(_) => "result",
                Subject::World => "world",
            };
            let rootless = (name == root && is_top).then(|| format!("a path has no root; leave `{root}.` out"));
            let help = rootless.or_else(|| did_you_mean(name, at.names())).or_else(|| it_has(at));
            let what = if is_top && matches!(subject, Subject::Tool(_)) { "argument " } else { "" };
            PathProblem { message: format!("{whole} has no {what}`{name}`"), help }
        }
        Step::Key(name) => {
            let dot = if is_top { String::new() } else { here.to_string() };
            let help = types.meets(TypeSet::ARRAY).then(|| format!("write `{dot}[].{name}` for every element"));
            PathProblem { message: format!("{whole} is {types}; it has no `{name}`"), help }
        }
        Step::Each if is_top && matches!(subject, Subject::Tool(_)) => PathProblem {
            message: format!("the arguments of {whole} are an object, not an array"),
            help: Some(String::from("begin with the name of an argument")),
        },
        Step::Each => PathProblem { message: format!("{whole} is {types}, not an array"), help: None },
        Step::Values if is_top && matches!(subject, Subject::Tool(_)) => {
            PathProblem { message: format!("{whole} has no arguments"), help: None }
        }
        Step::Values => PathProblem { message: format!("{whole} is {types}, not an object with members"), help: None },
    }
}
