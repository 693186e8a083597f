//! Conditions over what calls and facts can be, and whether there is anything that meets them all.
//!
//! A condition is built of two sorts of statement: a term lies in a set of values, and a fact holds. What is not a
//! statement about one term alone (`args.amount <= order.total`, a pattern, what was done before) is a term or a fact of
//! its own, known by its text. So "impossible" is a proof; "possible" is only as good as what stands behind such texts,
//! and whoever claims it tries it.

use super::domain::Domain;
use crate::decimal::Decimal;
use std::collections::{BTreeMap, BTreeSet};

/// What a statement is about, by its number in a [`Space`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Term(usize);

/// What may hold, by its number in a [`Space`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fact(usize);

/// A condition, with every "not" at its leaves.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Formula {
    /// Nothing meets it.
    Never,
    /// Everything does.
    Always,
    /// The term is among these values.
    In(Term, Box<Domain>),
    /// The fact is as said.
    Holds(Fact, bool),
    /// All of these.
    All(Vec<Formula>),
    /// One of these.
    Any(Vec<Formula>),
}

impl Formula {
    pub(crate) fn of(truth: bool) -> Formula {
        if truth { Formula::Always } else { Formula::Never }
    }

    pub(crate) fn within(term: Term, domain: Domain) -> Formula {
        if domain == Domain::NONE {
            Formula::Never
        } else if domain == Domain::ALL {
            Formula::Always
        } else {
            Formula::In(term, Box::new(domain))
        }
    }

    pub(crate) fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut joined = Vec::new();
        for part in parts {
            match part {
                Formula::Always => {}
                Formula::Never => return Formula::Never,
                Formula::All(inner) => joined.extend(inner),
                other => joined.push(other),
            }
        }
        joined.sort_unstable();
        joined.dedup();
        match joined.len() {
            0 => Formula::Always,
            1 => joined.remove(0),
            _ => Formula::All(joined),
        }
    }

    pub(crate) fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        let mut joined = Vec::new();
        for part in parts {
            match part {
                Formula::Never => {}
                Formula::Always => return Formula::Always,
                Formula::Any(inner) => joined.extend(inner),
                other => joined.push(other),
            }
        }
        joined.sort_unstable();
        joined.dedup();
        match joined.len() {
            0 => Formula::Never,
            1 => joined.remove(0),
            _ => Formula::Any(joined),
        }
    }

    pub(crate) fn and(self, other: Formula) -> Formula {
        Formula::all([self, other])
    }

    pub(crate) fn or(self, other: Formula) -> Formula {
        Formula::any([self, other])
    }

    pub(crate) fn not(&self) -> Formula {
        match self {
            Formula::Never => Formula::Always,
            Formula::Always => Formula::Never,
            Formula::In(term, domain) => Formula::within(*term, domain.not()),
            Formula::Holds(fact, truth) => Formula::Holds(*fact, !truth),
            Formula::All(parts) => Formula::any(parts.iter().map(Formula::not)),
            Formula::Any(parts) => Formula::all(parts.iter().map(Formula::not)),
        }
    }

    /// True if the two speak of something in common; where they do not, neither follows from the other.
    pub(crate) fn meets(&self, other: &Formula) -> bool {
        let mut mine = Vec::new();
        self.visit(&mut |leaf| mine.push(subject(leaf)));
        let mut meets = false;
        other.visit(&mut |leaf| meets |= mine.contains(&subject(leaf)));
        meets
    }

    /// Goes through the statements.
    pub(crate) fn visit<'f>(&'f self, see: &mut impl FnMut(&'f Formula)) {
        match self {
            Formula::All(parts) | Formula::Any(parts) => parts.iter().for_each(|part| part.visit(see)),
            Formula::Never | Formula::Always => {}
            leaf => see(leaf),
        }
    }
}

/// What a statement is about.
type Subject = (Option<Term>, Option<Fact>);

fn subject(leaf: &Formula) -> Subject {
    match leaf {
        Formula::In(term, _) => (Some(*term), None),
        Formula::Holds(fact, _) => (None, Some(*fact)),
        _ => (None, None),
    }
}

/// What is known of a term whatever the call.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its text: `args.amount`, `world.open`.
    pub(crate) text: String,
    /// The values that it can have at all.
    pub(crate) base: Domain,
    /// What its numbers are multiples of.
    pub(crate) step: Option<Decimal>,
}

/// The terms and facts that conditions are about.
#[derive(Debug, Default)]
pub(crate) struct Space {
    terms: Vec<Known>,
    by_text: BTreeMap<String, Term>,
    facts: Vec<String>,
    by_fact: BTreeMap<String, Fact>,
}

impl Space {
    /// The term of a text; what is known of it is what whoever came first knew.
    pub(crate) fn term(&mut self, text: &str, base: impl FnOnce() -> (Domain, Option<Decimal>)) -> Term {
        if let Some(known) = self.by_text.get(text) {
            return *known;
        }
        let term = Term(self.terms.len());
        let (base, step) = base();
        self.terms.push(Known { text: text.to_owned(), base, step });
        self.by_text.insert(text.to_owned(), term);
        term
    }

    /// The fact of a text.
    pub(crate) fn fact(&mut self, text: &str) -> Fact {
        if let Some(known) = self.by_fact.get(text) {
            return *known;
        }
        let fact = Fact(self.facts.len());
        self.facts.push(text.to_owned());
        self.by_fact.insert(text.to_owned(), fact);
        fact
    }

    /// The term of a text, where there is one.
    #[cfg(test)]
    pub(crate) fn find(&self, text: &str) -> Option<Term> {
        self.by_text.get(text).copied()
    }

    pub(crate) fn known(&self, term: Term) -> Option<&Known> {
        self.terms.get(term.0)
    }

    /// That whatever is computed has a value, and two values that are compared have an order.
    pub(crate) fn computed_have_values(&self) -> Formula {
        let facts = (0_usize..).zip(&self.facts).filter(|(_, text)| text.ends_with(" fails"));
        let facts = facts.map(|(number, _)| Formula::Holds(Fact(number), false));
        let is_computed = |text: &str| text.contains('(') && !text.contains(ORDERED);
        let terms = (0_usize..).zip(&self.terms).filter_map(|(number, known)| match &known.text {
            text if text.contains(ORDERED) => Some((number, Domain::any_number())),
            text if is_computed(text) => Some((number, Domain::missing().not())),
            _ => None,
        });
        let terms = terms.map(|(number, domain)| Formula::within(Term(number), domain));
        Formula::all(facts.chain(terms))
    }

    pub(crate) fn text_of(&self, fact: Fact) -> &str {
        self.facts.get(fact.0).map_or("", String::as_str)
    }

    /// Something that meets all of some conditions, a proof that nothing does, or neither.
    pub(crate) fn solve(&self, conditions: &[&Formula]) -> Solution {
        let mut search = Search { space: self, steps: MAX_STEPS };
        let mut model = Model::default();
        let mut open = Vec::new();
        if !conditions.iter().all(|condition| search.assume(&mut model, condition, &mut open)) {
            return Solution::Impossible;
        }
        match search.run(model, open) {
            Some(model) => Solution::Possible(model),
            None if search.steps == 0 => Solution::Undecided,
            None => Solution::Impossible,
        }
    }

    /// True if it is proved that nothing meets all of some conditions.
    pub(crate) fn is_impossible(&self, conditions: &[&Formula]) -> bool {
        matches!(self.solve(conditions), Solution::Impossible)
    }
}

/// What stands between two values in the text of their order.
const ORDERED: &str = " <=> ";

/// The most alternatives that are tried.
const MAX_STEPS: u32 = 20_000;

/// What a search comes to.
#[derive(Clone, Debug)]
pub(crate) enum Solution {
    /// All conditions are met by what is left.
    Possible(Model),
    /// Nothing meets them.
    Impossible,
    /// There were too many alternatives to try.
    Undecided,
}

/// What is left of terms and facts; of those that are not in it everything is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) terms: BTreeMap<Term, Domain>,
    pub(crate) facts: BTreeMap<Fact, bool>,
}

struct Search<'s> {
    space: &'s Space,
    steps: u32,
}

impl Search<'_> {
    /// Takes a condition in; what has alternatives is put off. False if it contradicts what is known.
    fn assume<'f>(&self, model: &mut Model, condition: &'f Formula, open: &mut Vec<&'f [Formula]>) -> bool {
        match condition {
            Formula::Never => false,
            Formula::Always => true,
            Formula::In(term, domain) => {
                let Some(known) = self.space.known(*term) else { return false };
                let left = model.terms.get(term).unwrap_or(&known.base).and(domain);
                let is_possible = !left.is_empty(known.step);
                model.terms.insert(*term, left);
                is_possible
            }
            Formula::Holds(fact, truth) => *model.facts.entry(*fact).or_insert(*truth) == *truth,
            Formula::All(parts) => parts.iter().all(|part| self.assume(model, part, open)),
            Formula::Any(parts) => {
                open.push(parts);
                true
            }
        }
    }

    /// True if an alternative does not contradict what is known at first sight.
    fn is_viable(&self, model: &Model, condition: &Formula) -> bool {
        match condition {
            Formula::Never => false,
            Formula::In(term, domain) => self
                .space
                .known(*term)
                .is_some_and(|known| !model.terms.get(term).unwrap_or(&known.base).and(domain).is_empty(known.step)),
            Formula::Holds(fact, truth) => model.facts.get(fact).is_none_or(|known| known == truth),
            Formula::All(parts) => parts.iter().all(|part| self.is_viable(model, part)),
            Formula::Any(parts) => parts.iter().any(|part| self.is_viable(model, part)),
            Formula::Always => true,
        }
    }

    /// True if whatever is left meets a condition.
    fn is_sure(&self, model: &Model, condition: &Formula) -> bool {
        match condition {
            Formula::Always => true,
            Formula::Never => false,
            Formula::In(term, domain) => self
                .space
                .known(*term)
                .is_some_and(|known| model.terms.get(term).unwrap_or(&known.base).and(&domain.not()).is_empty(None)),
            Formula::Holds(fact, truth) => model.facts.get(fact) == Some(truth),
            Formula::All(parts) => parts.iter().all(|part| self.is_sure(model, part)),
            Formula::Any(parts) => parts.iter().any(|part| self.is_sure(model, part)),
        }
    }

    /// Takes in every condition that has one way left; `None` if one has none.
    fn settle<'f>(&self, model: &mut Model, mut open: Vec<&'f [Formula]>) -> Option<Vec<Clause<'f>>> {
        loop {
            let (mut rest, mut more) = (Vec::new(), Vec::new());
            for parts in open {
                if parts.iter().any(|part| self.is_sure(model, part)) {
                    continue;
                }
                let ways: Vec<&Formula> = parts.iter().filter(|part| self.is_viable(model, part)).collect();
                match ways.as_slice() {
                    [] => return None,
                    [only] => {
                        if !self.assume(model, only, &mut more) {
                            return None;
                        }
                    }
                    _ => rest.push(Clause { parts, ways }),
                }
            }
            if more.is_empty() {
                return Some(rest);
            }
            open = rest.into_iter().map(|clause| clause.parts).chain(more).collect();
        }
    }

    fn run(&mut self, mut model: Model, open: Vec<&[Formula]>) -> Option<Model> {
        let clauses = self.settle(&mut model, open)?;
        let mut parts = unrelated(clauses);
        if parts.len() > 1 {
            // What has nothing in common is met one by one.
            for part in parts {
                model = self.choose(model, part)?;
            }
            return Some(model);
        }
        match parts.pop() {
            Some(part) => self.choose(model, part),
            None => Some(model),
        }
    }

    /// Tries the ways of the condition that has the fewest.
    fn choose(&mut self, model: Model, mut clauses: Vec<Clause<'_>>) -> Option<Model> {
        let fewest = clauses.iter().enumerate().min_by_key(|(_, clause)| clause.ways.len()).map(|(at, _)| at);
        let chosen = clauses.swap_remove(fewest?);
        let rest: Vec<&[Formula]> = clauses.iter().map(|clause| clause.parts).collect();
        for way in chosen.ways {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return None;
            }
            let (mut next, mut open) = (model.clone(), rest.clone());
            if self.assume(&mut next, way, &mut open)
                && let Some(found) = self.run(next, open)
            {
                return Some(found);
            }
        }
        None
    }
}

/// A condition with several ways to meet it, and those that are left.
struct Clause<'f> {
    parts: &'f [Formula],
    ways: Vec<&'f Formula>,
}

/// The conditions in groups that have no term and no fact in common.
fn unrelated(clauses: Vec<Clause<'_>>) -> Vec<Vec<Clause<'_>>> {
    let mut groups: Vec<(BTreeSet<Subject>, Vec<Clause<'_>>)> = Vec::new();
    for clause in clauses {
        let mut subjects = BTreeSet::new();
        clause.ways.iter().for_each(|way| way.visit(&mut |leaf| _ = subjects.insert(subject(leaf))));
        let (near, far): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(known, _)| !known.is_disjoint(&subjects));
        let mut joined = vec![clause];
        for (known, clauses) in near {
            subjects.extend(known);
            joined.extend(clauses);
        }
        groups = far;
        groups.push((subjects, joined));
    }
    groups.into_iter().map(|(_, clauses)| clauses).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proof::domain::Numbers;
    use proptest::prelude::*;

    /// Two terms of the numbers 0 to 3 and two facts.
    fn space() -> (Space, [Term; 2], [Fact; 2]) {
        let mut space = Space::default();
        let base = || {
            let numbers = Numbers::at_least(0.into()).and(&Numbers::at_most(3.into()));
            (Domain::of_numbers(numbers), Some(Decimal::ONE))
        };
        let terms = ["a", "b"].map(|text| space.term(text, base));
        let facts = ["p", "q"].map(|text| space.fact(text));
        (space, terms, facts)
    }

    fn formulas() -> impl Strategy<Value = Formula> {
        let (_, terms, facts) = space();
        let numbers = (0..2_usize, 0..4_i32, 0..3_u8).prop_map(move |(term, at, form)| {
            let at = Decimal::from(at);
            let set = match form {
                0 => Numbers::at_most(at),
                1 => Numbers::above(at),
                _ => Numbers::only(at),
            };
            Formula::within(terms[term], Domain::of_numbers(set))
        });
        let leaf = prop_oneof![
            numbers,
            (0..2_usize, any::<bool>()).prop_map(move |(fact, truth)| { Formula::Holds(facts[fact], truth) })
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 1..4).prop_map(Formula::all),
                proptest::collection::vec(inner.clone(), 1..4).prop_map(Formula::any),
                inner.prop_map(|formula| formula.not()),
            ]
        })
    }

    fn holds(formula: &Formula, numbers: [i32; 2], truths: [bool; 2], terms: [Term; 2]) -> bool {
        match formula {
            Formula::Never => false,
            Formula::Always => true,
            Formula::In(term, domain) => {
                let value = numbers[usize::from(*term == terms[1])];
                !domain.and(&Domain::of_numbers(Numbers::only(value.into()))).is_empty(None)
            }
            Formula::Holds(fact, truth) => truths[fact.0] == *truth,
            Formula::All(parts) => parts.iter().all(|part| holds(part, numbers, truths, terms)),
            Formula::Any(parts) => parts.iter().any(|part| holds(part, numbers, truths, terms)),
        }
    }

    proptest! {
        #[test]
        fn a_search_agrees_with_trying_everything(one in formulas(), two in formulas()) {
            let (space, terms, _) = space();
            let all = (0..4).flat_map(|a| (0..4).map(move |b| [a, b]));
            let all = all.flat_map(|n| [false, true].into_iter().flat_map(move |p| [(n, [p, false]), (n, [p, true])]));
            let found = all.clone().any(|(n, t)| holds(&one, n, t, terms) && holds(&two, n, t, terms));
            match space.solve(&[&one, &two]) {
                Solution::Possible(_) => prop_assert!(found),
                Solution::Impossible => prop_assert!(!found),
                Solution::Undecided => prop_assert!(false, "of so few alternatives"),
            }
            for (n, t) in all {
                prop_assert_eq!(holds(&one.not(), n, t, terms), !holds(&one, n, t, terms));
            }
        }

        #[test]
        fn what_meets_a_condition_meets_it_wherever_it_is_picked(one in formulas()) {
            let (space, terms, facts) = space();
            if let Solution::Possible(model) = space.solve(&[&one]) {
                let number = |term: Term| {
                    let left = model.terms.get(&term).cloned();
                    let base = Domain::of_numbers(Numbers::only(Decimal::ONE));
                    left.unwrap_or(base).numbers.pick(Some(Decimal::ONE)).and_then(|one| one.to_i64()).unwrap()
                };
                let numbers = terms.map(|term| i32::try_from(number(term)).unwrap());
                let truths = facts.map(|fact| model.facts.get(&fact).copied().unwrap_or(false));
                prop_assert!(holds(&one, numbers, truths, terms));
            }
        }
    }
}
