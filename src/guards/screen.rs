//! Screens: what several checks say of one argument, folded into one test when the policy is compiled.
//!
//! A check that only looks at one argument says so in a [`Claim`]. Where all claims on a slot hold, which one
//! comparison and one look-up tell, none of their checks need run; where they do not, each runs by itself as ever, so
//! findings and corrections are the same with screens and without.

use super::arg_one_of::Listed;
use super::arg_range::Bounds;
use crate::expr::{Limit, Program};
use crate::schema::{Bound, Slot};
use crate::value::Value;

/// What a check claims of one argument: it passes if the argument is there, not null, and among these.
#[derive(Clone, Debug)]
pub struct Claim {
    pub(crate) slot: Slot,
    pub(crate) among: Among,
}

/// The values a claim lets pass.
#[derive(Clone, Debug)]
pub(crate) enum Among {
    /// Numbers within bounds.
    Range(Bounds),
    /// These values.
    Only(Vec<Value<'static>>),
    /// Every scalar but these.
    Not(Vec<Value<'static>>),
}

impl Claim {
    /// What an expression claims that is about one argument only; all of it together is the expression.
    pub(crate) fn of_program(program: &Program) -> Vec<Claim> {
        let Some((slot, limits)) = program.limits() else { return Vec::new() };
        limits.into_iter().map(|limit| Claim { slot, among: Among::of(limit) }).collect()
    }
}

impl Among {
    fn of(limit: Limit) -> Among {
        let none = Bounds::default();
        match limit {
            Limit::AtLeast(number) => Among::Range(Bounds { min: Some(number), ..none }),
            Limit::MoreThan(number) => Among::Range(Bounds { exclusive_min: Some(number), ..none }),
            Limit::AtMost(number) => Among::Range(Bounds { max: Some(number), ..none }),
            Limit::LessThan(number) => Among::Range(Bounds { exclusive_max: Some(number), ..none }),
            Limit::OneOf(values) => Among::Only(values),
            Limit::NoneOf(values) => Among::Not(values),
        }
    }
}

/// The claims on one slot together.
#[derive(Debug)]
pub(crate) struct Screen {
    slot: Slot,
    range: Option<Bounds>,
    only: Option<Listed>,
    not: Option<Listed>,
}

impl Screen {
    /// The claims on a slot as one test.
    pub(crate) fn of(slot: Slot, claims: &[&Claim]) -> Screen {
        let mut range: Option<Bounds> = None;
        let mut only: Option<Vec<Value<'static>>> = None;
        let mut not: Vec<Value<'static>> = Vec::new();
        for claim in claims {
            match &claim.among {
                Among::Range(bounds) => range = Some(range.map_or(*bounds, |range| range.and(bounds))),
                Among::Only(values) => {
                    only = Some(match only {
                        None => values.clone(),
                        Some(only) => only.into_iter().filter(|value| values.contains(value)).collect(),
                    });
                }
                Among::Not(values) => not.extend(values.iter().cloned()),
            }
        }
        let only = only.map(|only| only.into_iter().filter(|value| !not.contains(value)).collect::<Vec<_>>());
        let not = (only.is_none() && !not.is_empty()).then(|| Listed::of(not.iter()));
        Screen { slot, range, only: only.map(|only| Listed::of(only.iter())), not }
    }

    /// True if every claim holds; false tells nothing of any one of them.
    #[inline]
    pub(crate) fn passes(&self, args: &Bound<'_>) -> bool {
        let Some(value) = args.get(self.slot) else { return false };
        !value.is_null()
            && self.range.is_none_or(|range| range.contains(value))
            && self.only.as_ref().is_none_or(|only| only.contains(value))
            && self.not.as_ref().is_none_or(|not| !not.contains(value))
    }
}
