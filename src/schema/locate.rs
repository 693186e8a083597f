//! Paths against a schema: which slot a path starts at, what is left of it, and what it can reach.

use super::{Additional, ArgSchema, Bound, Node, Slot, TypeSet};
use crate::diagnostic::did_you_mean;
use crate::path::{Path, Reach, Step, walk};
use crate::value::Value;

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

    /// The one value of a path without `[]` and `*`.
    #[must_use]
    pub fn get<'v>(&self, bound: &Bound<'v>) -> Option<&'v Value<'v>> {
        let mut found = None;
        self.each(bound, |value| found = Some(value));
        found
    }
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
    pub fn locate(&self, path: &Path) -> Result<Located, PathProblem> {
        let mut at = Spots { nodes: vec![&self.root], unknown: false, required: true };
        let (mut slot, mut tail) = (None, path.steps());
        let (mut rest, mut single) = (path.steps(), true);
        let mut done = Vec::new();
        while let Some((step, after)) = rest.split_first() {
            at = at.step(step).ok_or_else(|| refused(&at, &done, step))?;
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

    /// True if the path is never missing in arguments that satisfy the schema.
    #[must_use]
    pub fn required_at(&self, path: &Path) -> bool {
        self.locate(path).is_ok_and(|located| located.required)
    }
}

/// The schemas that may describe the values reached so far.
struct Spots<'n> {
    nodes: Vec<&'n Node>,
    /// Some of the values have no schema.
    unknown: bool,
    required: bool,
}

impl<'n> Spots<'n> {
    fn types(&self) -> TypeSet {
        let start = if self.unknown { TypeSet::ANY } else { TypeSet::NONE };
        self.nodes.iter().fold(start, |sum, node| sum.or(node.types))
    }

    fn choices(&self) -> Option<Vec<Value<'static>>> {
        if self.unknown {
            return None;
        }
        let lists: Option<Vec<_>> = self.nodes.iter().map(|node| node.choices.as_ref()).collect();
        Some(lists?.into_iter().flat_map(|choices| choices.values.iter().cloned()).collect())
    }

    /// One step further; `None` if no value can be there.
    fn step(&self, step: &Step) -> Option<Spots<'n>> {
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

/// Why a step cannot be taken.
fn refused(at: &Spots<'_>, done: &[Step], step: &Step) -> PathProblem {
    let here = Path::from_steps(done.to_vec());
    let whole = if here.is_whole() { String::from("the arguments") } else { format!("`{here}`") };
    let types = at.types();
    let names = || {
        let forms = at.nodes.iter().flat_map(|node| std::iter::once(*node).chain(node.forms()));
        forms.filter_map(|node| node.object.as_deref()).flat_map(|rules| rules.names())
    };
    match step {
        Step::Key(name) if types.meets(TypeSet::OBJECT) => {
            let rootless =
                (name == "args" && here.is_whole()).then(|| String::from("a path has no root; leave `args.` out"));
            let help = rootless.or_else(|| did_you_mean(name, names()));
            let message = match here.is_whole() {
                true => format!("there is no argument `{name}`"),
                false => format!("{whole} has no `{name}`"),
            };
            PathProblem { message, help }
        }
        Step::Key(name) => {
            let help = types.meets(TypeSet::ARRAY).then(|| format!("write `{here}[].{name}` for every element"));
            PathProblem { message: format!("{whole} is {types}; it has no `{name}`"), help }
        }
        Step::Each => PathProblem { message: format!("{whole} is {types}, not an array"), help: None },
        Step::Values => PathProblem { message: format!("{whole} is {types}, not an object with members"), help: None },
    }
}
