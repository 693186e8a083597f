//! How many steps an expression takes in the worst case that its schemas let happen, as the linter counts them.
//!
//! It counts what evaluation pays for, but for the bytes of texts. A list of which nothing is known has [`ASSUMED`]
//! elements.

use super::ast::{Expr, Kind, Operator};
use super::{Expression, Let};
use crate::path::Step;
use crate::schema::{Spots, TypeSet};
use crate::source::Span;
use crate::value::Value;

/// The elements of a list that no schema bounds.
pub(crate) const ASSUMED: u64 = 100;

/// What is known of the lists that an expression goes over.
pub(crate) struct Sizes<'e> {
    /// The named expressions.
    pub(crate) lets: &'e [Let],
    /// The constants.
    pub(crate) params: &'e Value<'static>,
    /// The arguments of the calls it is about.
    pub(crate) args: Spots<'e>,
    /// The host's world.
    pub(crate) world: Spots<'e>,
}

/// The worst case of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Worst {
    /// The steps.
    pub(crate) steps: u64,
    /// The first list whose length was assumed.
    pub(crate) assumed: Option<Span>,
}

/// A variable, and what is known of its value.
type Variable<'e> = (&'e str, Spots<'e>);

/// A count that goes on.
struct Count<'c, 'e> {
    sizes: &'c Sizes<'e>,
    variables: Vec<Variable<'e>>,
    assumed: Option<Span>,
}

impl<'e> Sizes<'e> {
    /// The worst case of an expression by itself.
    pub(crate) fn worst(&self, expression: &'e Expression) -> Worst {
        let mut count = Count { sizes: self, variables: Vec::new(), assumed: None };
        let steps = count.steps(&expression.root);
        Worst { steps, assumed: count.assumed }
    }

    /// The worst case of what is asked for each element of a list: all of it together has the fuel of one expression.
    pub(crate) fn worst_each(
        &self,
        over: &'e Expression,
        variables: &[&'e str],
        asked: impl Iterator<Item = &'e Expression>,
    ) -> Worst {
        let mut count = Count { sizes: self, variables: Vec::new(), assumed: None };
        let (own, many) = (count.steps(&over.root), count.length(&over.root));
        let element = count.element(&over.root);
        count.declare(variables, element);
        let each = asked.fold(0_u64, |sum, one| sum.saturating_add(count.steps(&one.root)));
        Worst { steps: own.saturating_add(many.saturating_mul(each)), assumed: count.assumed }
    }
}

impl<'e> Count<'_, 'e> {
    fn sum<'x>(&mut self, parts: impl IntoIterator<Item = &'x Expr>) -> u64
    where
        'e: 'x,
        'x: 'e,
    {
        parts.into_iter().fold(0, |sum, part| sum.saturating_add(self.steps(part)))
    }

    /// The steps that a part takes.
    fn steps(&mut self, expr: &'e Expr) -> u64 {
        let below = match &expr.kind {
            Kind::Literal(_) | Kind::Name(_) => 0,
            // Members of members are one step, and an argument is where its first name leads.
            Kind::Select(base, ..) => match &base.kind {
                Kind::Name(root) if root == "args" => 0,
                Kind::Select(..) => return self.steps(base).max(2),
                _ => self.steps(base),
            },
            Kind::Binary(Operator::In, left, right) => self.steps(left).saturating_add(self.steps_among(right)),
            Kind::Binary(_, left, right) if matches!(right.kind, Kind::Literal(_)) => self.steps(left),
            Kind::Conditional(test, yes, no) => self.steps(test).saturating_add(self.steps(yes).max(self.steps(no))),
            Kind::Method(base, name, parts) if super::parse::is_macro(&name.value) => {
                return self.comprehension(base, &name.value, parts);
            }
            Kind::Method(base, name, parts) => {
                let goes_over = match name.value.as_str() {
                    "sum" | "min" | "max" | "join" => self.length(base),
                    "distinct" => self.length(base).saturating_mul(2),
                    _ => 0,
                };
                self.steps(base).saturating_add(self.sum(parts)).saturating_add(goes_over)
            }
            _ => self.sum(expr.parts()),
        };
        below.saturating_add(1)
    }

    /// The steps of a look into a list; a map or a constant is looked up at once. What may be either is taken for a map.
    fn steps_among(&mut self, expr: &'e Expr) -> u64 {
        if matches!(expr.kind, Kind::Literal(_) | Kind::List(_) | Kind::Map(_)) || is_constant(expr) {
            return 0;
        }
        let looks = if self.may_be_map(expr) { 0 } else { self.length(expr) };
        self.steps(expr).saturating_add(looks)
    }

    fn may_be_map(&mut self, expr: &'e Expr) -> bool {
        match &expr.kind {
            Kind::Name(name) if self.variable(name).is_none() && self.named(name).is_some() => {
                let value = self.named(name);
                value.is_none_or(|value| self.outside(|count| count.may_be_map(value)))
            }
            Kind::Method(_, name, _) if super::parse::is_macro(&name.value) => false,
            _ => {
                let spots = self.spots(expr);
                spots.is_unknown() || spots.types().meets(TypeSet::OBJECT)
            }
        }
    }

    fn comprehension(&mut self, base: &'e Expr, name: &str, parts: &'e [Expr]) -> u64 {
        let (own, many) = (self.steps(base), self.length(base));
        let count = if super::parse::has_two_variables(name, parts.len()) { 2 } else { 1 };
        let names: Vec<&'e str> = parts.iter().take(count).filter_map(name_of).collect();
        let before = self.variables.len();
        let element = self.element(base);
        self.declare(&names, element);
        let each = self.sum(parts.iter().skip(count)).saturating_add(1);
        self.variables.truncate(before);
        many.saturating_mul(each).saturating_add(own).saturating_add(1)
    }

    /// Of two variables the second is the element. Of one over a map it is the key, of which nothing is known anyway.
    fn declare(&mut self, names: &[&'e str], element: Spots<'e>) {
        match names {
            [only] => self.variables.push((only, element)),
            [first, second] => self.variables.extend([(*first, Spots::unknown()), (*second, element)]),
            _ => {}
        }
    }

    /// How many elements or members a value has at most; what nothing bounds has as many as is assumed.
    fn length(&mut self, expr: &'e Expr) -> u64 {
        let known = self.known_length(expr);
        if known.is_none() && self.assumed.is_none() {
            self.assumed = Some(expr.span);
        }
        known.unwrap_or(ASSUMED)
    }

    fn known_length(&mut self, expr: &'e Expr) -> Option<u64> {
        match &expr.kind {
            Kind::Literal(value) => parts_of(value),
            Kind::List(parts) => u64::try_from(parts.len()).ok(),
            Kind::Map(entries) => u64::try_from(entries.len()).ok(),
            Kind::Name(name) if self.variable(name).is_none() => match self.named(name) {
                Some(value) => self.outside(|count| count.known_length(value)),
                None => None,
            },
            Kind::Select(base, name, _) if is_root(base, "params") => parts_of(self.sizes.params.get(&name.value)?),
            Kind::Conditional(_, yes, no) => Some(self.known_length(yes)?.max(self.known_length(no)?)),
            Kind::Binary(Operator::Add, left, right) => {
                Some(self.known_length(left)?.saturating_add(self.known_length(right)?))
            }
            Kind::Method(base, name, parts) => match name.value.as_str() {
                "filter" | "map" | "transformList" | "distinct" => self.known_length(base),
                "orValue" => Some(self.known_length(base)?.max(self.known_length(parts.first()?)?)),
                _ => None,
            },
            _ => self.spots(expr).most_parts(),
        }
    }

    fn variable(&self, name: &str) -> Option<&Spots<'e>> {
        self.variables.iter().rev().find(|(known, _)| *known == name).map(|(_, spots)| spots)
    }

    fn named(&self, name: &str) -> Option<&'e Expr> {
        self.sizes.lets.iter().find(|one| one.name.value == name).map(|one| &one.value.root)
    }

    /// Looks at a let, which sees none of the variables around it.
    fn outside<T>(&mut self, look: impl FnOnce(&mut Self) -> T) -> T {
        let variables = std::mem::take(&mut self.variables);
        let found = look(self);
        self.variables = variables;
        found
    }

    /// What the schemas say of the elements of a value.
    fn element(&mut self, expr: &'e Expr) -> Spots<'e> {
        let whole = self.spots(expr);
        whole.step(&Step::Each).or_else(|| whole.step(&Step::Values)).unwrap_or_else(Spots::unknown)
    }

    /// What the schemas say of a value.
    fn spots(&mut self, expr: &'e Expr) -> Spots<'e> {
        let found = match &expr.kind {
            Kind::Name(name) => match (self.variable(name), self.named(name), name.as_str()) {
                (Some(spots), ..) => Some(spots.clone()),
                (None, Some(value), _) => Some(self.outside(|count| count.spots(value))),
                (None, None, "args") => Some(self.sizes.args.clone()),
                (None, None, "world") => Some(self.sizes.world.clone()),
                _ => None,
            },
            Kind::Select(base, name, _) => self.spots(base).step(&Step::Key(name.value.clone())),
            Kind::Index(base, key, _) => {
                let whole = self.spots(base);
                match &key.kind {
                    Kind::Literal(Value::String(name)) => whole.step(&Step::Key(name.to_string())),
                    _ => whole.step(&Step::Values).or_else(|| whole.step(&Step::Each)),
                }
            }
            Kind::Method(base, name, _) if matches!(name.value.as_str(), "filter" | "orValue" | "distinct") => {
                Some(self.spots(base))
            }
            _ => None,
        };
        found.unwrap_or_else(Spots::unknown)
    }
}

fn name_of(expr: &Expr) -> Option<&str> {
    if let Kind::Name(name) = &expr.kind { Some(name) } else { None }
}

fn is_root(expr: &Expr, name: &str) -> bool {
    name_of(expr) == Some(name)
}

/// True for a constant of `params`, which is looked up in one step.
fn is_constant(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Select(base, ..) => is_root(base, "params") || is_constant(base),
        _ => false,
    }
}

fn parts_of(value: &Value<'_>) -> Option<u64> {
    let parts = value.as_array().map(<[_]>::len).or_else(|| value.as_object().map(|members| members.len()));
    parts.and_then(|parts| u64::try_from(parts).ok())
}
