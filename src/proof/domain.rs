//! Sets of values: what one argument, or one fact of the world, can still be.
//!
//! Exact for numbers, texts, booleans, null and absence. Of lists and maps it is only known whether the value may be one.

use crate::decimal::Decimal;
use crate::value::Value;
use std::collections::BTreeSet;

/// A set of values, and whether there may be none at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Domain {
    pub(crate) absent: bool,
    pub(crate) null: bool,
    pub(crate) no: bool,
    pub(crate) yes: bool,
    pub(crate) numbers: Numbers,
    pub(crate) texts: Texts,
    /// Lists and maps.
    pub(crate) parts: bool,
}

impl Domain {
    pub(crate) const ALL: Domain = Domain {
        absent: true,
        null: true,
        no: true,
        yes: true,
        numbers: Numbers { from_below: true, cuts: Vec::new() },
        texts: Texts { among: false, listed: BTreeSet::new() },
        parts: true,
    };
    pub(crate) const NONE: Domain = Domain {
        absent: false,
        null: false,
        no: false,
        yes: false,
        numbers: Numbers { from_below: false, cuts: Vec::new() },
        texts: Texts { among: true, listed: BTreeSet::new() },
        parts: false,
    };

    /// No value at all.
    pub(crate) fn missing() -> Domain {
        Domain { absent: true, ..Domain::NONE }
    }

    /// Absent or null.
    pub(crate) fn nothing() -> Domain {
        Domain { null: true, ..Domain::missing() }
    }

    /// Every text.
    pub(crate) fn any_text() -> Domain {
        Domain { texts: Domain::ALL.texts, ..Domain::NONE }
    }

    /// Every number.
    pub(crate) fn any_number() -> Domain {
        Domain { numbers: Domain::ALL.numbers, ..Domain::NONE }
    }

    /// Every list and map.
    pub(crate) fn any_parts() -> Domain {
        Domain { parts: true, ..Domain::NONE }
    }

    /// One boolean.
    pub(crate) fn truth(truth: bool) -> Domain {
        Domain { yes: truth, no: !truth, ..Domain::NONE }
    }

    /// Numbers alone.
    pub(crate) fn of_numbers(numbers: Numbers) -> Domain {
        Domain { numbers, ..Domain::NONE }
    }

    /// These scalars; lists and maps among them are left out, so that the set may be too small.
    pub(crate) fn of_values<'v>(values: impl IntoIterator<Item = &'v Value<'v>>) -> Domain {
        let mut domain = Domain::NONE;
        for value in values {
            match value {
                Value::Null => domain.null = true,
                Value::Bool(true) => domain.yes = true,
                Value::Bool(false) => domain.no = true,
                Value::Number(number) => domain.numbers = domain.numbers.or(&Numbers::only(*number)),
                Value::String(text) => _ = domain.texts.listed.insert(text.as_ref().into()),
                Value::Array(_) | Value::Object(_) => {}
            }
        }
        domain
    }

    /// The values in both.
    pub(crate) fn and(&self, other: &Domain) -> Domain {
        self.combined(other, |one, two| one && two)
    }

    /// The values in either.
    pub(crate) fn or(&self, other: &Domain) -> Domain {
        self.combined(other, |one, two| one || two)
    }

    /// All other values.
    pub(crate) fn not(&self) -> Domain {
        self.combined(&Domain::NONE, |one, _| !one)
    }

    fn combined(&self, other: &Domain, join: fn(bool, bool) -> bool) -> Domain {
        Domain {
            absent: join(self.absent, other.absent),
            null: join(self.null, other.null),
            no: join(self.no, other.no),
            yes: join(self.yes, other.yes),
            numbers: self.numbers.combined(&other.numbers, join),
            texts: self.texts.combined(&other.texts, join),
            parts: join(self.parts, other.parts),
        }
    }

    /// True if no value is left, where numbers are multiples of a step.
    pub(crate) fn is_empty(&self, step: Option<Decimal>) -> bool {
        let has_other = self.absent || self.null || self.no || self.yes || self.parts;
        !has_other && self.texts.is_empty() && self.numbers.pick(step).is_none()
    }
}

/// Where a set of numbers begins or ends: just before a number, or just behind it.
type Cut = (Decimal, bool);

/// A set of numbers: intervals that begin and end at cuts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Numbers {
    /// True if every number before the first cut is in the set.
    from_below: bool,
    cuts: Vec<Cut>,
}

impl Numbers {
    fn upto(cut: Cut) -> Numbers {
        Numbers { from_below: true, cuts: vec![cut] }
    }

    pub(crate) fn below(number: Decimal) -> Numbers {
        Numbers::upto((number, false))
    }

    pub(crate) fn at_most(number: Decimal) -> Numbers {
        Numbers::upto((number, true))
    }

    pub(crate) fn above(number: Decimal) -> Numbers {
        Numbers { from_below: false, cuts: vec![(number, true)] }
    }

    pub(crate) fn at_least(number: Decimal) -> Numbers {
        Numbers { from_below: false, cuts: vec![(number, false)] }
    }

    pub(crate) fn only(number: Decimal) -> Numbers {
        Numbers { from_below: false, cuts: vec![(number, false), (number, true)] }
    }

    pub(crate) fn and(&self, other: &Numbers) -> Numbers {
        self.combined(other, |one, two| one && two)
    }

    pub(crate) fn not(&self) -> Numbers {
        self.combined(self, |one, _| !one)
    }

    fn or(&self, other: &Numbers) -> Numbers {
        self.combined(other, |one, two| one || two)
    }

    fn combined(&self, other: &Numbers, join: fn(bool, bool) -> bool) -> Numbers {
        let mut all: Vec<Cut> = self.cuts.iter().chain(&other.cuts).copied().collect();
        all.sort_unstable();
        all.dedup();
        let (mut one, mut two) = (self.from_below, other.from_below);
        let mut inside = join(one, two);
        let mut joined = Numbers { from_below: inside, cuts: Vec::new() };
        for cut in all {
            one ^= self.cuts.binary_search(&cut).is_ok();
            two ^= other.cuts.binary_search(&cut).is_ok();
            let now = join(one, two);
            if now != inside {
                joined.cuts.push(cut);
                inside = now;
            }
        }
        joined
    }

    fn contains(&self, number: Decimal) -> bool {
        let crossed = self.cuts.iter().take_while(|(at, behind)| if *behind { *at < number } else { *at <= number });
        self.from_below ^ (crossed.count() % 2 == 1)
    }

    /// A number of the set that is a multiple of the step: the end of an interval before its beginning, as an author
    /// would name it. Every set that has one gives one.
    pub(crate) fn pick(&self, step: Option<Decimal>) -> Option<Decimal> {
        let one = step.unwrap_or(Decimal::ONE);
        let fits = |number: &Decimal| self.contains(*number) && step.is_none_or(|step| number.is_multiple_of(&step));
        if self.cuts.is_empty() {
            return Some(one).filter(fits);
        }
        let ends = self.cuts.iter().rev().map(|(number, _)| *number);
        let mut near: Vec<Decimal> = ends.flat_map(|end| around(end, step, one)).collect();
        let between = self.cuts.windows(2).filter_map(|pair| match pair {
            [(low, _), (high, _)] if step.is_none() => middle(*low, *high),
            _ => None,
        });
        near.extend(between);
        near.into_iter().find(fits)
    }
}

/// The number itself and those beside it: every interval that has a multiple of the step has one of these of its ends.
fn around(number: Decimal, step: Option<Decimal>, one: Decimal) -> Vec<Decimal> {
    let beside =
        |number: Decimal| [Some(number), number.checked_sub(&one), number.checked_add(&one)].into_iter().flatten();
    match step {
        None => beside(number).collect(),
        Some(step) => {
            let whole = number.checked_div_round(&step, 0).and_then(|times| times.checked_mul(&step));
            std::iter::once(number).chain(whole.into_iter().flat_map(beside)).collect()
        }
    }
}

fn middle(low: Decimal, high: Decimal) -> Option<Decimal> {
    let two = Decimal::ONE.checked_add(&Decimal::ONE)?;
    (8..30).step_by(7).find_map(|places| {
        let half = low.checked_add(&high)?.checked_div_round(&two, places)?;
        (low < half && half < high).then_some(half)
    })
}

/// A set of texts: those listed, or all but those.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Texts {
    /// True if the set is what is listed.
    among: bool,
    listed: BTreeSet<Box<str>>,
}

impl Texts {
    /// These texts.
    pub(crate) fn only(listed: impl IntoIterator<Item = Box<str>>) -> Texts {
        Texts { among: true, listed: listed.into_iter().collect() }
    }

    /// The texts, where the set lists them.
    pub(crate) fn listed(&self) -> Option<&BTreeSet<Box<str>>> {
        self.among.then_some(&self.listed)
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        self.listed.contains(text) == self.among
    }

    pub(crate) fn is_all(&self) -> bool {
        !self.among && self.listed.is_empty()
    }

    fn is_empty(&self) -> bool {
        self.among && self.listed.is_empty()
    }

    fn combined(&self, other: &Texts, join: fn(bool, bool) -> bool) -> Texts {
        // Whether texts that neither lists are in it.
        let among = !join(!self.among, !other.among);
        let all = self.listed.iter().chain(&other.listed);
        let listed = all.filter(|text| join(self.contains(text), other.contains(text)) == among).cloned();
        Texts { among, listed: listed.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number(value: i32) -> Decimal {
        Decimal::from(value)
    }

    fn numbers() -> impl Strategy<Value = Numbers> {
        let leaf = (-4..5_i32, 0..5_u8).prop_map(|(at, form)| match form {
            0 => Numbers::below(number(at)),
            1 => Numbers::at_most(number(at)),
            2 => Numbers::above(number(at)),
            3 => Numbers::at_least(number(at)),
            _ => Numbers::only(number(at)),
        });
        proptest::collection::vec((leaf, any::<bool>()), 1..5).prop_map(|parts| {
            let mut parts = parts.into_iter();
            let first = parts.next().unwrap().0;
            parts.fold(first, |set, (part, both)| if both { set.and(&part) } else { set.or(&part) })
        })
    }

    fn texts() -> impl Strategy<Value = Texts> {
        let some = proptest::collection::btree_set("[a-c]", 0..3);
        (some, any::<bool>())
            .prop_map(|(listed, among)| Texts { among, listed: listed.into_iter().map(Box::from).collect() })
    }

    /// Halves, so that what lies between whole numbers is asked for too.
    fn probes() -> Vec<Decimal> {
        let two = number(2);
        (-12..12).map(|half| number(half).checked_div_round(&two, 1).unwrap()).collect()
    }

    proptest! {
        #[test]
        fn numbers_are_joined_as_their_members_are(one in numbers(), two in numbers()) {
            for probe in probes() {
                prop_assert_eq!(one.and(&two).contains(probe), one.contains(probe) && two.contains(probe));
                prop_assert_eq!(one.or(&two).contains(probe), one.contains(probe) || two.contains(probe));
            }
            let none = Domain::of_numbers(one.clone()).and(&Domain::of_numbers(one.clone()).not());
            prop_assert!(none.is_empty(None));
        }

        #[test]
        fn what_is_picked_is_a_member_and_nothing_is_picked_only_of_nothing(set in numbers(), step in 1..4_i32) {
            match set.pick(None) {
                Some(picked) => prop_assert!(set.contains(picked)),
                None => prop_assert!(probes().into_iter().all(|probe| !set.contains(probe))),
            }
            match set.pick(Some(number(step))) {
                Some(picked) => prop_assert!(set.contains(picked) && picked.is_multiple_of(&number(step))),
                None => prop_assert!((-9..10).all(|times| !set.contains(number(i32::saturating_mul(times, step))))),
            }
        }

        #[test]
        fn texts_are_joined_as_their_members_are(one in texts(), two in texts()) {
            for probe in ["a", "b", "c", "d"] {
                let both = one.combined(&two, |one, two| one && two);
                prop_assert_eq!(both.contains(probe), one.contains(probe) && two.contains(probe));
                let either = one.combined(&two, |one, two| one || two);
                prop_assert_eq!(either.contains(probe), one.contains(probe) || two.contains(probe));
            }
        }
    }
}
