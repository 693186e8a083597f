//! The flow graph: can every tool still be called, or do edges wait for each other?
//!
//! A tool is callable once, for every requirement into it, some tool that meets it is callable. What is left when
//! nothing more becomes callable waits in a circle. Branches (`from` with several tools) and joins (several edges into
//! one tool) need no special case.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spec::{Action, Spec, ToolSpec};
use crate::tool::Pattern;

/// One requirement into a tool: any of these before it.
struct Requirement {
    span: Span,
    any_of: Vec<Pattern>,
}

/// Requirements that can never be met, as diagnostics.
pub(super) fn circles(spec: &Spec) -> Vec<Diagnostic> {
    let requirements: Vec<Vec<Requirement>> = spec.tools.iter().map(|tool| into_tool(spec, tool)).collect();
    let callable = callable(spec, &requirements);
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for (number, tool) in spec.tools.iter().enumerate() {
        let open = callable.get(number) == Some(&false);
        let waits = requirements.get(number).into_iter().flatten().find(|one| !is_met(spec, &callable, one));
        if let (true, Some(requirement)) = (open, waits) {
            let circle = circle_from(spec, &requirements, &callable, number);
            let message = format!("`{}` can never be called: {circle}", tool.name.value);
            diagnostics.push(
                Diagnostic::error("flow-cycle", requirement.span, message)
                    .help("take one edge out, or let `from` name another tool too"),
            );
        }
    }
    diagnostics
}

/// What must come before the calls of a tool: its edges, and `requiresBefore` guards that deny.
fn into_tool(spec: &Spec, tool: &ToolSpec) -> Vec<Requirement> {
    let edges = spec.flow.iter().map(|edge| (&edge.selection, &edge.rule, edge.id.span));
    let guards = spec.guards.iter().filter(|guard| guard.action == Action::Deny);
    let guards = guards.filter_map(|guard| Some((&guard.selection, guard.rule.as_ref()?, guard.id.span)));
    edges
        .chain(guards)
        .filter(|(selection, _, _)| selection.may_match(tool))
        .flat_map(|(_, rule, span)| rule.requires().into_iter().map(move |any_of| Requirement { span, any_of }))
        .collect()
}

fn callable(spec: &Spec, requirements: &[Vec<Requirement>]) -> Vec<bool> {
    let mut callable: Vec<bool> = requirements.iter().map(Vec::is_empty).collect();
    loop {
        let next: Vec<bool> = requirements
            .iter()
            .zip(&callable)
            .map(|(all, known)| *known || all.iter().all(|one| is_met(spec, &callable, one)))
            .collect();
        if next == callable {
            return callable;
        }
        callable = next;
    }
}

fn is_met(spec: &Spec, callable: &[bool], requirement: &Requirement) -> bool {
    candidates(spec, requirement).any(|number| callable.get(number) == Some(&true))
}

fn candidates<'s>(spec: &'s Spec, requirement: &'s Requirement) -> impl Iterator<Item = usize> + 's {
    let meets = |tool: &ToolSpec| requirement.any_of.iter().any(|pattern| pattern.overlaps(&tool.name.value));
    spec.tools.iter().enumerate().filter(move |(_, tool)| meets(tool)).map(|(number, _)| number)
}

/// `a` needs `b`, `b` needs `a`: one way round, for the message.
fn circle_from(spec: &Spec, requirements: &[Vec<Requirement>], callable: &[bool], start: usize) -> String {
    let name = |number: usize| spec.tools.get(number).map_or("", |tool| tool.name.value.text());
    let mut steps = Vec::new();
    let mut seen = vec![start];
    let mut at = start;
    loop {
        let waits = requirements.get(at).into_iter().flatten().find(|one| !is_met(spec, callable, one));
        let Some(next) = waits.and_then(|one| candidates(spec, one).next()) else { break };
        steps.push(format!("`{}` needs `{}`", name(at), name(next)));
        if seen.contains(&next) {
            break;
        }
        seen.push(next);
        at = next;
    }
    steps.join(", ")
}
