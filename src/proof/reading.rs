//! What a compiled expression says, as conditions on terms: when it is true, when it is false, and when it has no value.
//!
//! The reading follows `expr/evaluate.rs` step by step, strictly from left to right. What it cannot follow (a list, a
//! computed value, an earlier call) becomes a term of its own that may be anything; so what is proved impossible is.

use super::domain::{Domain, Numbers, Texts};
use super::formula::{Formula, Space, Term};
use super::text::constant_text;
use crate::expr::program::{Chain, Node, Root, Set};
use crate::expr::{Lets, Operator, Program, Val};
use crate::observed::IndexPlan;
use crate::policy::{Policy, ToolPolicy};
use crate::schema::{ArgSchema, Slot, TypeSet};
use crate::tool::Effect;
use crate::value::Value;

/// Where a condition holds, where it does not, and where nobody can say.
#[derive(Clone, Debug)]
pub(crate) struct Truth {
    pub(crate) yes: Formula,
    pub(crate) no: Formula,
    pub(crate) faults: Faults,
}

/// Why there is no value.
#[derive(Clone, Debug)]
pub(crate) struct Faults {
    /// Something is absent, null or of another type.
    pub(crate) missing: Formula,
    /// A let with a text for that is.
    pub(crate) lets: Formula,
    /// Something else: too many steps, a number too large.
    pub(crate) fails: Formula,
}

impl Faults {
    pub(crate) const NONE: Faults = Faults { missing: Formula::Never, lets: Formula::Never, fails: Formula::Never };

    /// These, and others that are met only where something holds.
    fn or_where(self, holds: &Formula, other: Faults) -> Faults {
        Faults {
            missing: self.missing.or(holds.clone().and(other.missing)),
            lets: self.lets.or(holds.clone().and(other.lets)),
            fails: self.fails.or(holds.clone().and(other.fails)),
        }
    }
}

impl Truth {
    pub(crate) fn always() -> Truth {
        Truth { yes: Formula::Always, no: Formula::Never, faults: Faults::NONE }
    }

    fn not(self) -> Truth {
        Truth { yes: self.no, no: self.yes, ..self }
    }
}

/// What a value can be: one of some leaves, each where something holds, or no value.
struct Cases<'p> {
    leaves: Vec<(Formula, Leaf<'p>)>,
    faults: Faults,
}

#[derive(Clone, Copy)]
enum Leaf<'p> {
    Const(&'p Val<'static>),
    Term(Term),
}

/// Reads the expressions of one tool.
pub(crate) struct Reader<'p, 's> {
    pub(crate) space: &'s mut Space,
    pub(crate) args: &'p ArgSchema,
    pub(super) lets: &'p Lets,
    /// What earlier calls are kept by.
    pub(super) plan: &'p IndexPlan,
    /// What a call of it has as `call.tool`, `call.server` and `call.effect`; the first two only where one name is meant.
    pub(super) name: Option<Box<str>>,
    pub(super) effect: Effect,
    /// Whether a let with a text for where it is missing was read since somebody last asked.
    pub(super) read_let: bool,
}

impl<'p, 's> Reader<'p, 's> {
    /// For a tool, or for one member of a family by its name.
    pub(crate) fn of(
        space: &'s mut Space,
        policy: &'p Policy,
        tool: &'p ToolPolicy,
        name: Option<&str>,
    ) -> Reader<'p, 's> {
        let own = tool.name.is_exact().then(|| tool.name.text());
        let name = name.or(own).map(Box::from);
        let (args, lets, plan) = (&tool.args, &tool.lets, &policy.plan);
        Reader { space, args, lets, plan, name, effect: tool.effect, read_let: false }
    }
    /// What a condition says.
    pub(crate) fn condition(&mut self, program: &'p Program) -> Truth {
        self.truth(&program.node)
    }

    /// The term of an argument.
    pub(crate) fn slot(&mut self, slot: Slot) -> Term {
        let text = self.slot_text(slot);
        let args = self.args;
        self.space.term(&text, || base_of(args, slot))
    }

    fn truth(&mut self, node: &'p Node) -> Truth {
        match node {
            Node::And(parts) => self.chain(parts, true),
            Node::Or(parts) => self.chain(parts, false),
            Node::Not(part) => self.truth(part).not(),
            Node::CompareNumber { left, operator, number } => {
                let set = compared(*operator, *number);
                let numbers = Domain::any_number();
                self.where_in(left, Domain::of_numbers(set), &numbers)
            }
            Node::EqualText { left, text, negated } => {
                let only = Domain { texts: Texts::only([text.clone()]), ..Domain::NONE };
                self.equal_to(left, only, *negated)
            }
            Node::InSet { left, set } => self.equal_to(left, domain_of(set), false),
            Node::Equal { sides, negated } => self.equality(node, sides, *negated),
            Node::Compare { operator, sides } => self.comparison(*operator, sides),
            Node::Has { chain, key } => self.has(chain, key),
            Node::HasRoot(root) => {
                let text = self.root_text(*root);
                let base = self.base_of_root(*root);
                let there = Formula::within(self.space.term(&text, || (base, None)), Domain::missing().not());
                Truth { no: there.not(), yes: there, faults: Faults::NONE }
            }
            Node::Matches { text, regex } => self.matches(node, text, regex),
            _ => self.where_in(node, Domain::truth(true), &Domain::truth(true).or(&Domain::truth(false))),
        }
    }

    /// `&&` where all must be true, `||` where none may be.
    fn chain(&mut self, parts: &'p [Node], all: bool) -> Truth {
        let (mut reached, mut ended, mut faults) = (Formula::Always, Formula::Never, Faults::NONE);
        for part in parts {
            let Truth { yes, no, faults: own } = self.truth(part);
            let (on, off) = if all { (yes, no) } else { (no, yes) };
            faults = faults.or_where(&reached, own);
            ended = ended.or(reached.clone().and(off));
            reached = reached.and(on);
        }
        let (yes, no) = if all { (reached, ended) } else { (ended, reached) };
        Truth { yes, no, faults }
    }

    /// A value is among some, of those that the question is about; others are missing.
    fn where_in(&mut self, node: &'p Node, wanted: Domain, asked: &Domain) -> Truth {
        let others = asked.and(&wanted.not());
        let missing = asked.not();
        let mut truth = Truth { yes: Formula::Never, no: Formula::Never, faults: Faults::NONE };
        let Cases { leaves, faults } = self.cases(node);
        truth.faults = faults;
        for (holds, leaf) in leaves {
            let at = |domain: &Domain| holds.clone().and(leaf_in(leaf, domain));
            truth.yes = truth.yes.or(at(&wanted));
            truth.no = truth.no.or(at(&others));
            truth.faults.missing = truth.faults.missing.or(at(&missing));
        }
        truth
    }

    /// A value equals one of some; only what is absent is missing.
    fn equal_to(&mut self, node: &'p Node, wanted: Domain, negated: bool) -> Truth {
        let truth = self.where_in(node, wanted, &Domain::missing().not());
        if negated { truth.not() } else { truth }
    }

    fn equality(&mut self, node: &'p Node, sides: &'p [Node; 2], negated: bool) -> Truth {
        let [left, right] = sides;
        if let Some(constant) = right.constant()
            && let Some(wanted) = domain_of_constant(constant)
        {
            return self.equal_to(left, wanted, negated);
        }
        let (Some(one), Some(two)) = (self.only_term(left), self.only_term(right)) else {
            return self.where_in(node, Domain::truth(true), &Domain::truth(true).or(&Domain::truth(false)));
        };
        let (order, _) = self.order(one, two);
        let defined = |term| Formula::within(term, Domain::missing().not());
        let both = defined(one).and(defined(two));
        let faults = self.undefined(left, one).or_where(&defined(one), self.undefined(right, two));
        // Of two lists, or of values of two types, there is no order, but they are the same or not.
        let text = self.space.known(order).map(|known| format!("{} are one", known.text)).unwrap_or_default();
        let alike = Formula::Holds(self.space.fact(&text), true);
        let unordered = Formula::within(order, Domain { null: true, ..Domain::NONE });
        let same = Formula::within(order, number_domain(0)).or(unordered.and(alike));
        let truth = Truth { yes: both.clone().and(same.clone()), no: both.and(same.not()), faults };
        if negated { truth.not() } else { truth }
    }

    /// Two values in their order; where they have none they are missing.
    fn comparison(&mut self, operator: Operator, sides: &'p [Node; 2]) -> Truth {
        let [left, right] = sides;
        let (Some(one), Some(two)) = (self.only_term(left), self.only_term(right)) else {
            let (text, reads_let) = self.noted(|reader| reader.compared_text(operator, sides));
            return self.unknown(&text, reads_let);
        };
        let (order, is_flipped) = self.order(one, two);
        let operator = if is_flipped { operator.flipped() } else { operator };
        let set = Domain::of_numbers(compared(operator, 0.into()));
        let numbers = Domain::any_number();
        let defined = |term| Formula::within(term, Domain::missing().not());
        let both = defined(one).and(defined(two));
        let orderable = both.clone().and(Formula::within(order, numbers.clone()));
        let mut faults = self.undefined(left, one).or_where(&defined(one), self.undefined(right, two));
        faults.missing = faults.missing.or(both.and(orderable.not()));
        Truth {
            yes: orderable.clone().and(Formula::within(order, set.clone())),
            no: orderable.and(Formula::within(order, numbers.and(&set.not()))),
            faults,
        }
    }

    /// Why the value of a term is not there.
    fn undefined(&mut self, node: &'p Node, term: Term) -> Faults {
        let absent = Formula::within(term, Domain::missing());
        let (text, reads_let) = self.noted(|reader| reader.key(node));
        self.split(&text, absent, self.is_plain(node), reads_let)
    }

    /// Of which sort a fault is: what is only read is missing, or a let that has a text for that is; what is computed may
    /// fail too.
    fn split(&mut self, text: &str, absent: Formula, is_plain: bool, reads_let: bool) -> Faults {
        let mut fact = |may_be: bool, what: &str| match may_be {
            true => Formula::Holds(self.space.fact(&format!("{text} {what}")), true),
            false => Formula::Never,
        };
        let fails = fact(!is_plain, "fails");
        let lacks = fact(reads_let, "lacks a let");
        Faults {
            missing: Formula::all([absent.clone(), fails.not(), lacks.not()]),
            lets: Formula::all([absent.clone(), fails.not(), lacks]),
            fails: absent.and(fails),
        }
    }

    /// The term that says how two others are ordered: -1, 0, 1, or null where they are not. True if it is of the second
    /// and the first.
    fn order(&mut self, one: Term, two: Term) -> (Term, bool) {
        let text = |space: &Space, term| space.known(term).map_or_else(String::new, |known| known.text.clone());
        let (left, right) = (text(self.space, one), text(self.space, two));
        let is_flipped = left > right;
        let text = if is_flipped { format!("{right} <=> {left}") } else { format!("{left} <=> {right}") };
        let base = || {
            let numbers = Numbers::at_least((-1).into()).and(&Numbers::at_most(1.into()));
            (Domain { null: true, ..Domain::of_numbers(numbers) }, Some(1.into()))
        };
        (self.space.term(&text, base), is_flipped)
    }

    /// The term of a value that is one, and not a constant or one of several.
    fn only_term(&mut self, node: &'p Node) -> Option<Term> {
        if matches!(node, Node::OrValue { .. } | Node::Conditional(_)) {
            return None;
        }
        if let Some(constant) = node.constant() {
            let text = constant_text(constant);
            let value = domain_of_constant(constant);
            return Some(self.space.term(&text, || (value.unwrap_or(Domain::any_parts()), None)));
        }
        // A let with a text of its own is missing otherwise than what stands in it.
        if let Node::Let(id, _) = node
            && self.lets.program(*id).is_none_or(|(_, has_text)| has_text)
        {
            return None;
        }
        match node {
            Node::Let(id, _) => self.lets.program(*id).and_then(|(inner, _)| self.only_term(inner)),
            Node::Slot(slot, _) => Some(self.slot(*slot)),
            _ => {
                let text = self.key(node);
                let base = self.base_of_node(node);
                Some(self.space.term(&text, || (base, step_of(node))))
            }
        }
    }

    /// What a value can be.
    fn cases(&mut self, node: &'p Node) -> Cases<'p> {
        let one = |leaf| Cases { leaves: vec![(Formula::Always, leaf)], faults: Faults::NONE };
        match node {
            Node::Const(value) => one(Leaf::Const(value)),
            Node::Slot(slot, _) => one(Leaf::Term(self.slot(*slot))),
            Node::Let(id, _) => self.let_cases(*id),
            Node::Conditional(parts) => {
                let [test, yes, no] = &**parts;
                let test = self.truth(test);
                let (yes, no) = (self.cases(yes), self.cases(no));
                let of = |holds: &Formula, cases: Vec<(Formula, Leaf<'p>)>| {
                    let holds = holds.clone();
                    cases.into_iter().map(move |(inner, leaf)| (holds.clone().and(inner), leaf)).collect::<Vec<_>>()
                };
                let faults = test.faults.or_where(&test.yes, yes.faults).or_where(&test.no, no.faults);
                let leaves = [of(&test.yes, yes.leaves), of(&test.no, no.leaves)].concat();
                Cases { leaves, faults }
            }
            Node::OrValue { chain, default } if chain.steps.len() <= 1 => self.or_value(chain, default),
            _ => {
                let (text, reads_let) = self.noted(|reader| reader.key(node));
                let base = self.base_of_node(node);
                let term = self.space.term(&text, || (base, step_of(node)));
                if self.is_plain(node) && !reads_let {
                    return one(Leaf::Term(term));
                }
                // It may have no value for other reasons than that something is missing.
                let faults = self.undefined(node, term);
                let there = Formula::within(term, Domain::missing().not());
                Cases { leaves: vec![(there, Leaf::Term(term))], faults }
            }
        }
    }

    /// A let has the value of what stands in it; one with a text says that where there is none.
    fn let_cases(&mut self, id: u16) -> Cases<'p> {
        let Some((inner, has_text)) = self.lets.program(id) else {
            let fails = Faults { fails: Formula::Always, ..Faults::NONE };
            return Cases { leaves: Vec::new(), faults: fails };
        };
        let mut cases = self.cases(inner);
        if has_text {
            let nothing = Domain::nothing();
            let missing = std::mem::replace(&mut cases.faults.missing, Formula::Never);
            let mut lets = std::mem::replace(&mut cases.faults.lets, Formula::Never).or(missing);
            for (holds, leaf) in &mut cases.leaves {
                let here = std::mem::replace(holds, Formula::Never);
                lets = lets.or(here.clone().and(leaf_in(*leaf, &nothing)));
                *holds = here.and(leaf_in(*leaf, &nothing.not()));
            }
            cases.faults.lets = lets;
        }
        cases
    }

    /// `a.?b.orValue(d)`.
    fn or_value(&mut self, chain: &'p Chain, default: &'p Node) -> Cases<'p> {
        let (text, reads_let) = self.noted(|reader| reader.chain_text(chain));
        let term = self.optional(chain, &text);
        let there = Formula::within(term, Domain::nothing().not());
        let Cases { leaves, faults } = self.cases(default);
        // What stands around it may be missing too, which is no default; of an argument the schema says that it is not.
        let around = match self.is_argument(chain) {
            true => Formula::Never,
            false => there.not().and(Formula::Holds(self.space.fact(&format!("{text} is in nothing")), true)),
        };
        let absent = there.not().and(around.not());
        let outside = self.split(&text, around, self.is_plain_chain(chain), reads_let);
        let rest = leaves.into_iter().map(|(holds, leaf)| (absent.clone().and(holds), leaf));
        let leaves = std::iter::once((there, Leaf::Term(term))).chain(rest).collect();
        Cases { leaves, faults: outside.or_where(&absent, faults) }
    }

    /// True for a member of the arguments by its name.
    fn is_argument(&self, chain: &Chain) -> bool {
        matches!(*chain.base, Node::Root(Root::Args)) && chain.steps.iter().all(|step| step.constant().is_some())
    }

    /// True for what is read and not computed: where it has no value it is missing, or a let in it is.
    fn is_plain(&self, node: &Node) -> bool {
        match node {
            Node::Root(_) | Node::Slot(..) | Node::Const(_) => true,
            Node::Let(id, _) => self.lets.program(*id).is_some_and(|(inner, _)| self.is_plain(inner)),
            Node::Path { base, .. } => self.is_plain(base),
            Node::Index { base, key, .. } => self.is_plain(base) && self.is_plain(key),
            _ => false,
        }
    }

    fn is_plain_chain(&self, chain: &Chain) -> bool {
        self.is_plain(&chain.base) && chain.steps.iter().all(|step| self.is_plain(step))
    }

    /// The term of a member that may be absent: of an argument its slot's.
    fn optional(&mut self, chain: &'p Chain, text: &str) -> Term {
        let slot = text.strip_prefix("args.").filter(|_| self.is_argument(chain));
        match slot.and_then(|path| self.args.slot(path)) {
            Some(slot) => self.slot(slot),
            None => self.space.term(text, || (Domain::ALL, None)),
        }
    }

    /// `has(a.b)`: the key is there, also if null.
    fn has(&mut self, chain: &'p Chain, key: &str) -> Truth {
        let (text, reads_let) = self.noted(|reader| reader.has_text(chain, key));
        let term = self.optional(chain, &text);
        let there = Formula::within(term, Domain::missing().not());
        let is_sure = self.is_argument(chain) && chain.steps.is_empty();
        let around = if is_sure {
            Formula::Never
        } else {
            Formula::Holds(self.space.fact(&format!("{text} is in nothing")), true)
        };
        let absent = there.not();
        let no = absent.clone().and(around.not());
        let faults = self.split(&text, absent.and(around), self.is_plain_chain(chain), reads_let);
        Truth { no, faults, yes: there }
    }

    fn matches(&mut self, node: &'p Node, text: &'p Node, regex: &regex::Regex) -> Truth {
        let Some(term) = self.only_term(text) else {
            let (key, reads_let) = self.noted(|reader| reader.key(node));
            return self.unknown(&key, reads_let);
        };
        let texts = Domain::any_text();
        let allowed = if let Node::Slot(slot, _) = text { allowed(self.args, *slot) } else { Domain::ALL };
        let is_text = Formula::within(term, texts);
        let mut faults = self.undefined(text, term);
        let is_other = Formula::within(term, Domain::any_text().or(&Domain::missing()).not());
        faults.missing = faults.missing.or(is_other);
        if let Some(listed) = allowed.texts.listed() {
            let (yes, no): (Vec<_>, Vec<_>) = listed.iter().cloned().partition(|text| regex.is_match(text));
            let within = |texts| Formula::within(term, Domain { texts: Texts::only(texts), ..Domain::NONE });
            return Truth { yes: within(yes), no: within(no), faults };
        }
        let key = self.key(node);
        let holds = Formula::Holds(self.space.fact(&key), true);
        Truth { yes: is_text.clone().and(holds.clone()), no: is_text.and(holds.not()), faults }
    }

    /// What is true, false or missing, and nobody here knows when.
    fn unknown(&mut self, text: &str, reads_let: bool) -> Truth {
        let bools = Domain::truth(true).or(&Domain::truth(false));
        let term = self.space.term(text, || (bools.or(&Domain::missing()), None));
        let absent = Formula::within(term, Domain::missing());
        Truth {
            yes: Formula::within(term, Domain::truth(true)),
            no: Formula::within(term, Domain::truth(false)),
            faults: self.split(text, absent, false, reads_let),
        }
    }

    /// What a computed value can be, where its function says.
    fn base_of_node(&self, node: &Node) -> Domain {
        match node {
            Node::Count { .. } => Domain::of_numbers(Numbers::at_least(0.into())).or(&Domain::missing()),
            Node::Apply { function, .. } if function.name == "size" => {
                Domain::of_numbers(Numbers::at_least(0.into())).or(&Domain::missing())
            }
            Node::Root(root) => self.base_of_root(*root),
            _ => Domain::ALL,
        }
    }

    /// What a root can be: what a call is named is known.
    fn base_of_root(&self, root: Root) -> Domain {
        let only = |text: &str| Domain { texts: Texts::only([text.into()]), ..Domain::NONE };
        let name = self.name.as_deref();
        let server = name.map(|name| name.split_once('/'));
        match (root, server) {
            (Root::CallEffect, _) => only(self.effect.name()),
            (Root::CallTool, Some(server)) => only(server.map_or(name.unwrap_or_default(), |(_, tool)| tool)),
            (Root::CallServer, Some(Some((server, _)))) => only(server),
            (Root::CallServer, Some(None)) => Domain::missing(),
            _ => Domain::ALL,
        }
    }
}

fn step_of(node: &Node) -> Option<crate::decimal::Decimal> {
    let counts = match node {
        Node::Count { .. } => true,
        Node::Apply { function, .. } => function.name == "size",
        _ => false,
    };
    counts.then_some(1.into())
}

/// What an argument can be at all: whatever its schema says is a condition of its own, so that two schemas can be compared.
fn base_of(args: &ArgSchema, slot: Slot) -> (Domain, Option<crate::decimal::Decimal>) {
    let possible = args.possible(slot);
    (Domain::ALL, possible.and_then(|possible| possible.step))
}

/// The values that the schema of a slot lets it have.
pub(crate) fn allowed(args: &ArgSchema, slot: Slot) -> Domain {
    let Some(possible) = args.possible(slot) else { return Domain::ALL };
    let types = possible.types;
    let mut domain = Domain {
        absent: !possible.required,
        null: types.meets(TypeSet::NULL),
        no: types.meets(TypeSet::BOOLEAN),
        yes: types.meets(TypeSet::BOOLEAN),
        parts: types.meets(TypeSet::ARRAY.or(TypeSet::OBJECT)),
        ..Domain::NONE
    };
    if types.meets(TypeSet::STRING) {
        domain.texts = Domain::ALL.texts;
    }
    if types.meets(TypeSet::NUMBER) {
        let bounds = [
            possible.min.map(Numbers::at_least),
            possible.max.map(Numbers::at_most),
            possible.above.map(Numbers::above),
            possible.below.map(Numbers::below),
        ];
        domain.numbers = bounds.into_iter().flatten().fold(Domain::ALL.numbers, |set, bound| set.and(&bound));
    }
    match possible.choices {
        Some(choices) => {
            let listed = Domain::of_values(choices).or(&Domain::any_parts()).or(&Domain::missing());
            domain.and(&listed)
        }
        None => domain,
    }
}

fn compared(operator: Operator, number: crate::decimal::Decimal) -> Numbers {
    match operator {
        Operator::Less => Numbers::below(number),
        Operator::LessOrEqual => Numbers::at_most(number),
        Operator::Greater => Numbers::above(number),
        Operator::GreaterOrEqual => Numbers::at_least(number),
        Operator::NotEqual => Numbers::only(number).not(),
        _ => Numbers::only(number),
    }
}

fn number_domain(number: i32) -> Domain {
    Domain::of_numbers(Numbers::only(number.into()))
}

/// The set that holds one constant; `None` for a list, a map, a time.
fn domain_of_constant(constant: &Val<'_>) -> Option<Domain> {
    let value = constant.to_value()?;
    let is_scalar = !matches!(value, Value::Array(_) | Value::Object(_));
    is_scalar.then(|| Domain::of_values([&value]))
}

fn domain_of(set: &Set) -> Domain {
    let numbers = set.numbers.iter().map(|number| Value::Number(*number));
    let numbers: Vec<Value<'static>> = numbers.collect();
    let listed = Domain::of_values(&numbers);
    Domain {
        texts: Texts::only(set.texts.iter().cloned()),
        yes: set.has_true,
        no: set.has_false,
        null: set.has_null,
        ..listed
    }
}

fn leaf_in(leaf: Leaf<'_>, domain: &Domain) -> Formula {
    match leaf {
        Leaf::Term(term) => Formula::within(term, domain.clone()),
        Leaf::Const(constant) => {
            let value = domain_of_constant(constant).unwrap_or(Domain::any_parts());
            Formula::of(!value.and(domain).is_empty(None))
        }
    }
}
