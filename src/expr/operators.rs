//! Operators: what goes together, what can never be equal, and what is constant.

use super::ast::{Expr, Kind, Operator};
use super::check::{Compiler, Typed, fold, named};
use super::program::{Node, Set};
use super::types::{Kinds, Ty};
use super::val::Val;
use crate::diagnostic::nearest;
use crate::value::Value;

const ORDERED: Kinds = Kinds::NUMBER.or(Kinds::TEXT).or(Kinds::BOOL).or(Kinds::TIME).or(Kinds::SPAN);

/// What the operands of each arithmetic operator may be, and what comes out.
const ARITHMETIC: &[(Operator, Kinds, Kinds, Kinds)] = &[
    (Operator::Add, Kinds::INTEGER, Kinds::INTEGER, Kinds::INTEGER),
    (Operator::Add, Kinds::NUMBER, Kinds::NUMBER, Kinds::NUMBER),
    (Operator::Add, Kinds::TEXT, Kinds::TEXT, Kinds::TEXT),
    (Operator::Add, Kinds::LIST, Kinds::LIST, Kinds::LIST),
    (Operator::Add, Kinds::TIME, Kinds::SPAN, Kinds::TIME),
    (Operator::Add, Kinds::SPAN, Kinds::TIME, Kinds::TIME),
    (Operator::Add, Kinds::SPAN, Kinds::SPAN, Kinds::SPAN),
    (Operator::Subtract, Kinds::INTEGER, Kinds::INTEGER, Kinds::INTEGER),
    (Operator::Subtract, Kinds::NUMBER, Kinds::NUMBER, Kinds::NUMBER),
    (Operator::Subtract, Kinds::TIME, Kinds::TIME, Kinds::SPAN),
    (Operator::Subtract, Kinds::TIME, Kinds::SPAN, Kinds::TIME),
    (Operator::Subtract, Kinds::SPAN, Kinds::SPAN, Kinds::SPAN),
    (Operator::Multiply, Kinds::INTEGER, Kinds::INTEGER, Kinds::INTEGER),
    (Operator::Multiply, Kinds::NUMBER, Kinds::NUMBER, Kinds::NUMBER),
    (Operator::Divide, Kinds::NUMBER, Kinds::NUMBER, Kinds::INTEGER),
    (Operator::Remainder, Kinds::NUMBER, Kinds::NUMBER, Kinds::INTEGER),
];

impl<'s> Compiler<'s, '_> {
    pub(super) fn operator(&mut self, expr: &Expr) -> Typed<'s> {
        match &expr.kind {
            Kind::And(parts) => self.chain(parts, true),
            Kind::Or(parts) => self.chain(parts, false),
            Kind::Not(part) => Typed::bool(match self.truth(part) {
                Node::Const(Val::Bool(truth)) => Node::Const(Val::Bool(!truth)),
                node => Node::Not(Box::new(node)),
            }),
            Kind::Negate(part) => self.negate(part, expr),
            Kind::Conditional(test, yes, no) => self.conditional(test, yes, no),
            Kind::Binary(operator, left, right) => match operator {
                Operator::Equal | Operator::NotEqual => self.equality(*operator, left, right),
                Operator::In => self.membership(left, right, expr),
                Operator::Less | Operator::LessOrEqual | Operator::Greater | Operator::GreaterOrEqual => {
                    self.comparison(*operator, left, right, expr)
                }
                _ => self.arithmetic(*operator, left, right, expr),
            },
            _ => Typed::anything(),
        }
    }

    /// `&&` and `||`: a constant in front decides or says nothing.
    fn chain(&mut self, parts: &[Expr], neutral: bool) -> Typed<'s> {
        let mut nodes = Vec::with_capacity(parts.len());
        let mut is_decided = false;
        for part in parts {
            let node = self.truth(part);
            match node.constant().and_then(Val::as_bool) {
                _ if is_decided => {}
                Some(truth) if truth == neutral => {}
                constant => {
                    is_decided = constant.is_some();
                    nodes.push(node);
                }
            }
        }
        let is_constant = nodes.first().is_none_or(|first| first.constant().is_some());
        Typed::bool(match nodes.len() {
            0 => Node::Const(Val::Bool(neutral)),
            _ if is_constant => Node::Const(Val::Bool(!neutral)),
            _ if neutral => Node::And(nodes.into()),
            _ => Node::Or(nodes.into()),
        })
    }

    fn negate(&mut self, part: &Expr, expr: &Expr) -> Typed<'s> {
        let typed = self.wanted(part, Kinds::NUMBER.or(Kinds::SPAN));
        let ty = Ty::computed(typed.ty.kinds.and(Kinds::NUMBER.or(Kinds::SPAN)), &[&typed.ty]);
        let is_constant = typed.node.constant().is_some();
        let node = Node::Negate(Box::new(typed.node));
        Typed::new(if is_constant { self.folded(node, expr, "type-mismatch") } else { node }, ty)
    }

    fn conditional(&mut self, test: &Expr, yes: &Expr, no: &Expr) -> Typed<'s> {
        let test = self.truth(test);
        let (yes, no) = (self.compile(yes), self.compile(no));
        match test.constant().and_then(Val::as_bool) {
            Some(true) => yes,
            Some(false) => no,
            None => {
                let ty = yes.ty.or(&no.ty);
                Typed::new(Node::Conditional(Box::new([test, yes.node, no.node])), ty)
            }
        }
    }

    fn equality(&mut self, operator: Operator, left_expr: &Expr, right_expr: &Expr) -> Typed<'s> {
        let (left, right) = (self.compile(left_expr), self.compile(right_expr));
        let negated = operator == Operator::NotEqual;
        let are_constant = left.node.constant().is_some() && right.node.constant().is_some();
        if !are_constant {
            self.check_equal(&left, left_expr, &right, right_expr);
        }
        // A constant stands on the right.
        let (left, right) =
            if left.node.constant().is_some() { (right.node, left.node) } else { (left.node, right.node) };
        if are_constant {
            let sides = Box::new([left, right]);
            return Typed::bool(fold(Node::Equal { sides, negated }).unwrap_or_else(|(node, _)| node));
        }
        Typed::bool(match right.constant() {
            Some(Val::Text(text)) => Node::EqualText { left: Box::new(left), text: text.as_ref().into(), negated },
            _ => Node::Equal { sides: Box::new([left, right]), negated },
        })
    }

    /// A problem if two values can never be equal.
    fn check_equal(&mut self, left: &Typed<'s>, left_expr: &Expr, right: &Typed<'s>, right_expr: &Expr) {
        if !left.ty.never_equals(&right.ty) {
            return;
        }
        let is_flipped = left.node.constant().is_some() || is_literal(left_expr);
        let (one, one_expr, other, other_expr) =
            if is_flipped { (right, right_expr, left, left_expr) } else { (left, left_expr, right, right_expr) };
        let what = named(one_expr);
        if one.ty.choices.is_none() || !one.ty.kinds.meets(other.ty.kinds) {
            let is_null = other.node.constant().is_some_and(Val::is_null);
            let shown = if is_literal(other_expr) {
                other_expr.text()
            } else {
                format!("{}, which is {}", named(other_expr), other.ty.kinds)
            };
            let help =
                is_null.then(|| "ask for an absent field with `has(…)`, for an earlier call with `done(…)`".to_owned());
            let message = format!("{what} is {}, which never equals {shown}", one.ty.kinds);
            self.problem("never-equal", other_expr.span, message, help);
            return;
        }
        let choices = one.ty.choices.as_deref().unwrap_or_default();
        let word = other.ty.choices.as_deref().and_then(|values| values.first()).and_then(Value::as_str);
        let near = word.and_then(|word| nearest(word, choices.iter().filter_map(Value::as_str)));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                let all: Vec<String> = choices.iter().take(12).map(crate::text::shown).collect();
                format!("it is one of {}", all.join(", "))
            }
        };
        let help = (!choices.is_empty()).then_some(help);
        self.problem(
            "never-equal",
            other_expr.span,
            format!("{what} is never {}", super::check::short(other_expr)),
            help,
        );
    }

    fn membership(&mut self, left_expr: &Expr, right_expr: &Expr, expr: &Expr) -> Typed<'s> {
        let left = self.compile(left_expr);
        let right = self.compile(right_expr);
        let is_bools = right.ty.element().kinds.within(Kinds::BOOL);
        if matches!(left_expr.kind, Kind::Not(_)) && !is_bools {
            let help = format!("write `!({} in {})`", inner(left_expr), right_expr.text());
            self.problem("never-equal", expr.span, "`!` belongs to the left side alone here", Some(help));
            return Typed::bool(Node::In(Box::new([left.node, right.node])));
        }
        if !right.ty.kinds.meets(Kinds::LIST.or(Kinds::MAP)) {
            let message = format!("{} is {}, not a list or a map", named(right_expr), right.ty.kinds);
            let help = right.ty.kinds.meets(Kinds::TEXT).then(|| "write `text.contains(part)`".to_owned());
            self.problem("type-mismatch", right_expr.span, message, help);
        }
        self.check_members(&left, left_expr, &right, right_expr);
        let set = match right.node.constant() {
            Some(Val::List(items)) => Set::of(items),
            _ => None,
        };
        let is_constant = left.node.constant().is_some() && right.node.constant().is_some();
        let node = match set {
            Some(set) => Node::InSet { left: Box::new(left.node), set: Box::new(set) },
            None => Node::In(Box::new([left.node, right.node])),
        };
        Typed::bool(if is_constant { fold(node).unwrap_or_else(|(node, _)| node) } else { node })
    }

    /// A problem for each written element that the value can never equal.
    fn check_members(&mut self, left: &Typed<'s>, left_expr: &Expr, right: &Typed<'s>, right_expr: &Expr) {
        if left.node.constant().is_some() && right.node.constant().is_some() {
            return;
        }
        match &right_expr.kind {
            Kind::List(elements) => {
                for element_expr in elements {
                    if let Kind::Literal(value) = &element_expr.kind {
                        self.check_equal(left, left_expr, &Typed::constant(value), element_expr);
                    }
                }
            }
            _ if right.ty.kinds.within(Kinds::LIST) => {
                let element = Typed::new(Node::Root(super::program::Root::Now), right.ty.element());
                if left.ty.never_equals(&element.ty) {
                    let message = format!("{} is never an element of {}", named(left_expr), named(right_expr));
                    self.problem("never-equal", right_expr.span, message, None);
                }
            }
            _ if right.ty.kinds.within(Kinds::MAP) && !left.ty.kinds.meets(Kinds::TEXT) => {
                let message = format!("{} is {}, and keys are strings", named(left_expr), left.ty.kinds);
                self.problem("never-equal", left_expr.span, message, Some("write `string(…)`".into()));
            }
            _ => {}
        }
    }

    fn comparison(&mut self, operator: Operator, left_expr: &Expr, right_expr: &Expr, expr: &Expr) -> Typed<'s> {
        let (left, right) = (self.compile(left_expr), self.compile(right_expr));
        if !left.ty.kinds.and(right.ty.kinds).meets(ORDERED) {
            let message = format!(
                "{} is {} and {} is {}; they cannot be compared",
                named(left_expr),
                left.ty.kinds,
                named(right_expr),
                right.ty.kinds
            );
            self.problem("type-mismatch", expr.span, message, help_to_compare(&left.ty, &right.ty));
        }
        let (left, right, operator) = match (left.node.constant().is_some(), right.node.constant().is_some()) {
            (true, false) => (right.node, left.node, operator.flipped()),
            _ => (left.node, right.node, operator),
        };
        let is_constant = left.constant().is_some();
        let node = match right.constant() {
            Some(Val::Number(number)) => {
                let number = *number;
                Node::CompareNumber { left: Box::new(left), operator, number }
            }
            _ => Node::Compare { operator, sides: Box::new([left, right]) },
        };
        Typed::bool(if is_constant { self.folded(node, expr, "type-mismatch") } else { node })
    }

    fn arithmetic(&mut self, operator: Operator, left_expr: &Expr, right_expr: &Expr, expr: &Expr) -> Typed<'s> {
        let (left, right) = (self.compile(left_expr), self.compile(right_expr));
        let ty = self.arithmetic_type(operator, (&left.ty, left_expr), (&right.ty, right_expr), expr);
        let is_whole = matches!(operator, Operator::Divide | Operator::Remainder);
        for (ty, part) in [(&left.ty, left_expr), (&right.ty, right_expr)] {
            if is_whole && ty.may_be_fraction() {
                let message =
                    format!("{} may be a fraction, and `{}` divides whole numbers", named(part), operator.text());
                let help = format!("write `round({} / {}, 2)`", left_expr.text(), right_expr.text());
                self.problem("type-mismatch", part.span, message, Some(help));
            }
        }
        let is_constant = left.node.constant().is_some() && right.node.constant().is_some();
        let node = Node::Arithmetic { operator, sides: Box::new([left.node, right.node]) };
        Typed::new(if is_constant { self.folded(node, expr, "type-mismatch") } else { node }, ty)
    }

    fn arithmetic_type(
        &mut self,
        operator: Operator,
        (left, left_expr): (&Ty<'s>, &Expr),
        (right, right_expr): (&Ty<'s>, &Expr),
        expr: &Expr,
    ) -> Ty<'s> {
        let rows = ARITHMETIC.iter().filter(|(known, ..)| *known == operator);
        let mut kinds: Option<Kinds> = None;
        for (_, one, other, result) in rows {
            // Whole numbers alone give whole numbers.
            let is_whole = *one == Kinds::INTEGER;
            let both = |kinds: Kinds| {
                left.kinds.and(Kinds::NUMBER).within(kinds) && right.kinds.and(Kinds::NUMBER).within(kinds)
            };
            if left.kinds.meets(*one) && right.kinds.meets(*other) && (!is_whole || both(Kinds::INTEGER)) {
                let next = if *result == Kinds::NUMBER && both(Kinds::INTEGER) { Kinds::INTEGER } else { *result };
                kinds = Some(kinds.map_or(next, |known| known.or(next)));
            }
        }
        match kinds {
            Some(kinds) if kinds == Kinds::LIST => Ty::list(left.element().or(&right.element())),
            Some(kinds) => Ty::computed(kinds, &[left, right]),
            None => {
                let message = format!(
                    "{} is {} and {} is {}; `{}` does not join them",
                    named(left_expr),
                    left.kinds,
                    named(right_expr),
                    right.kinds,
                    operator.text()
                );
                let help = left.kinds.meets(Kinds::TEXT) != right.kinds.meets(Kinds::TEXT);
                self.problem(
                    "type-mismatch",
                    expr.span,
                    message,
                    help.then(|| "write `string(…)` to make a text".into()),
                );
                Ty::any()
            }
        }
    }
}

fn is_literal(expr: &Expr) -> bool {
    matches!(expr.kind, Kind::Literal(_))
}

/// The text without its `!`.
fn inner(expr: &Expr) -> String {
    if let Kind::Not(part) = &expr.kind { part.text() } else { expr.text() }
}

fn help_to_compare(left: &Ty<'_>, right: &Ty<'_>) -> Option<String> {
    let kinds = left.kinds.or(right.kinds);
    if kinds.meets(Kinds::TIME) && kinds.meets(Kinds::TEXT) {
        return Some("write `timestamp(…)` for a text that is a time".into());
    }
    if kinds.meets(Kinds::SPAN) && kinds.meets(Kinds::TEXT) {
        return Some("write `duration(…)` for a text that is a span of time".into());
    }
    if kinds.meets(Kinds::LIST) {
        return Some("write `size(…)` for the number of elements".into());
    }
    (kinds.meets(Kinds::TEXT) && kinds.meets(Kinds::NUMBER)).then(|| "write the number without quotes".into())
}
