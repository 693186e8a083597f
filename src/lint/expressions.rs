//! The expressions of a spec and of its contract, those inside the parameters of kinds among them.
//!
//! A kind keeps its parameters to itself, so those are read again where they stand, by the shape that the kind says.

use super::Linted;
use crate::decode::{Decoder, Type};
use crate::expr::{Expression, Let};
use crate::guards::Registry;
use crate::spec::{Destructive, GuardSpec, Spec, Terminal, ToolSpec};
use crate::yaml::{Data, Node};

/// Every expression that decides something; values that texts show are not among them.
pub(super) fn all(linted: &Linted<'_>) -> Vec<Expression> {
    let spec = linted.spec;
    let lets = spec.lets.iter().map(|named| &named.value);
    let directives = spec.directives.iter().filter_map(|directive| directive.when.as_ref());
    let chains = spec.chains.iter().filter_map(|chain| chain.when.as_ref());
    let budgets = spec.budgets.iter().flat_map(|budget| budget.terms.expressions());
    let terminal = if let Terminal::ReplyOnlyWhen(when) = &spec.controls.terminal { Some(when) } else { None };
    let tools = spec.tools.iter().flat_map(of_tool);
    let single = lets.chain(directives).chain(chains).chain(budgets).chain(terminal).chain(tools);
    single.cloned().chain(spec.guards.iter().flat_map(|guard| of_guard(linted, guard))).collect()
}

/// The expressions of one guard.
pub(super) fn of_guard(linted: &Linted<'_>, guard: &GuardSpec) -> Vec<Expression> {
    let written = guard.when.iter().chain(guard.each.as_ref().map(|each| &each.over)).chain(&guard.check);
    let redacted = guard.redact.iter().map(|(_, with)| with);
    let mut found: Vec<Expression> = written.chain(redacted).cloned().collect();
    let kind = guard.kind.and_then(|kind| Registry::native().find(kind));
    let shape = kind.map(|kind| Type::Shape(kind.about().parameters)).filter(has_expressions);
    let with = || linted.entry(guard.id.span)?.get("with");
    if let Some((shape, with)) = shape.and_then(|shape| Some((shape, with()?))) {
        inside(with, &shape, &mut Decoder::new(linted.sources), &mut found);
    }
    found
}

fn of_tool(tool: &ToolSpec) -> impl Iterator<Item = &Expression> {
    let destructive = if let Destructive::When(when) = &tool.destructive { Some(when) } else { None };
    let key = tool.idempotency.as_ref().map(|idempotency| &idempotency.key);
    destructive.into_iter().chain(&tool.error_when).chain(key)
}

/// An expression and the lets that it reads, through other lets too.
pub(super) fn with_lets<'e>(spec: &'e Spec, expression: &'e Expression) -> Vec<&'e Expression> {
    let mut found = vec![expression];
    let mut names: Vec<String> = Vec::new();
    let mut next = 0_usize;
    while let Some(expression) = found.get(next).copied() {
        for root in expression.roots() {
            if let Some(named) = named(spec, &root.value).filter(|_| !names.contains(&root.value)) {
                found.push(&named.value);
                names.push(root.value);
            }
        }
        next = next.saturating_add(1);
    }
    found
}

/// The let of a name.
pub(super) fn named<'s>(spec: &'s Spec, name: &str) -> Option<&'s Let> {
    spec.lets.iter().find(|named| named.name.value == name)
}

fn has_expressions(ty: &Type) -> bool {
    match ty {
        Type::Expression => true,
        Type::List(item) | Type::OneOrMany(item) | Type::Map(item) => has_expressions(item),
        Type::Shape(shape) => shape.fields.iter().any(|field| has_expressions(&field.ty)),
        Type::Either(forms) => forms.iter().any(has_expressions),
        _ => false,
    }
}

/// Adds the expressions of a node of a type.
fn inside(node: &Node, ty: &Type, decoder: &mut Decoder<'_>, found: &mut Vec<Expression>) {
    match (ty, &node.data) {
        (Type::Expression, Data::Map(_) | Data::List(_) | Data::Null | Data::Refused) => {}
        (Type::Expression, _) => found.extend(Expression::decode(decoder, node)),
        (Type::List(item) | Type::OneOrMany(item), Data::List(items)) => {
            items.iter().for_each(|node| inside(node, item, decoder, found));
        }
        (Type::OneOrMany(item), _) => inside(node, item, decoder, found),
        (Type::Map(item), Data::Map(entries)) => {
            entries.iter().for_each(|entry| inside(&entry.value, item, decoder, found));
        }
        (Type::Shape(shape), Data::Map(_)) => {
            let fields = shape.fields.iter().filter_map(|field| Some((node.get(field.key)?, &field.ty)));
            fields.for_each(|(node, ty)| inside(node, ty, decoder, found));
        }
        (Type::Either(forms), _) => forms.iter().for_each(|form| inside(node, form, decoder, found)),
        _ => {}
    }
}
