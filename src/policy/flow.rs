//! The flow graph: can every tool still be called, or do edges wait for each other?
//!
//! A tool is callable once, for every requirement into it, some tool that meets it is callable. What is left when
//! nothing more becomes callable waits for a circle or is on one; the circles are reported, what hangs behind them is
//! not. Branches (`from` with several tools) and joins (several edges into one tool) need no special case.

use crate::diagnostic::Diagnostic;
use crate::source::Span;
use crate::spec::{Action, Selection, Spec, ToolSpec};
use crate::tool::Pattern;
use std::collections::VecDeque;

/// A requirement into a tool: any of these before it.
#[derive(Debug)]
pub(crate) struct Requirement {
    pub(crate) span: Span,
    pub(crate) any_of: Vec<Pattern>,
    /// The tools that meet it, by number.
    pub(crate) met_by: Vec<usize>,
    /// True if it does not depend on the call.
    pub(crate) is_constant: bool,
}

/// How many tools of a circle are named.
const NAMED: usize = 8;

/// Circles of requirements that can never be met, as diagnostics.
pub(super) fn circles(spec: &Spec) -> Vec<Diagnostic> {
    let requirements: Vec<Vec<Requirement>> = spec.tools.iter().map(|tool| into_tool(spec, tool)).collect();
    let callable = callable(&requirements);
    let waits: Vec<Vec<usize>> = requirements.iter().map(|all| waits_for(all, &callable)).collect();
    let waited: Vec<Vec<usize>> = reversed(&waits);
    let mut told = vec![false; spec.tools.len()];
    let mut diagnostics = Vec::new();
    for start in 0..spec.tools.len() {
        if told.get(start) == Some(&true) || waits.get(start).is_none_or(Vec::is_empty) {
            continue;
        }
        let before = reach(&waits, start);
        if before.get(start) != Some(&true) {
            continue;
        }
        let after = reach(&waited, start);
        let both = before.iter().zip(&after).map(|(before, after)| *before && *after);
        let circle: Vec<usize> = both.enumerate().filter(|(_, both)| *both).map(|(number, _)| number).collect();
        circle.iter().filter_map(|number| told.get_mut(*number).map(|told| *told = true)).count();
        diagnostics.extend(diagnostic(spec, &requirements, &callable, &circle, &way_round(&waits, start)));
    }
    diagnostics
}

/// What must come before the calls of a tool: its edges, and `requiresBefore` guards that deny. A requirement that no
/// declared tool can meet is reported as a pattern that matches nothing.
pub(crate) fn into_tool(spec: &Spec, tool: &ToolSpec) -> Vec<Requirement> {
    let edges = spec.flow.iter().map(|edge| (&edge.selection, &edge.rule, edge.id.span, true));
    let guards = spec.guards.iter().filter(|guard| guard.action == Action::Deny);
    let guards =
        guards.filter_map(|guard| Some((&guard.selection, guard.rule.as_ref()?, guard.id.span, guard.when.is_none())));
    edges
        .chain(guards)
        .filter(|(selection, ..)| covers(selection, tool))
        .flat_map(|(_, rule, span, is_constant)| {
            rule.requires().into_iter().map(move |any_of| (span, any_of, is_constant))
        })
        .map(|(span, any_of, is_constant)| Requirement { span, met_by: meeting(spec, &any_of), any_of, is_constant })
        .filter(|requirement| !requirement.met_by.is_empty())
        .collect()
}

/// True if every call of a tool is meant; of a family, whose names are not known, no part is enough.
pub(crate) fn covers(selection: &Selection, tool: &ToolSpec) -> bool {
    let (name, selector) = (&tool.name.value, &selection.selector);
    let is_whole = |pattern: &Pattern| pattern == name || *pattern == Pattern::selector("*");
    let whole_family = selector.tools.is_empty() || selector.tools.iter().any(is_whole);
    selection.may_match(tool)
        && (name.is_exact() || whole_family && !selector.except.iter().any(|pattern| pattern.overlaps(name)))
}

fn meeting(spec: &Spec, any_of: &[Pattern]) -> Vec<usize> {
    // A declared name is that tool, never a member of a family beside it.
    let is_declared = |pattern: &Pattern| spec.tools.iter().any(|tool| tool.name.value == *pattern);
    let any_of: Vec<(&Pattern, bool)> =
        any_of.iter().map(|pattern| (pattern, pattern.is_exact() && is_declared(pattern))).collect();
    let meets = |tool: &ToolSpec| {
        let name = &tool.name.value;
        any_of.iter().any(|(pattern, is_tool)| if *is_tool { *pattern == name } else { pattern.overlaps(name) })
    };
    spec.tools.iter().enumerate().filter(|(_, tool)| meets(tool)).map(|(number, _)| number).collect()
}

fn callable(requirements: &[Vec<Requirement>]) -> Vec<bool> {
    let mut callable: Vec<bool> = requirements.iter().map(Vec::is_empty).collect();
    let met_by = |all: &Vec<Requirement>| all.iter().flat_map(|one| one.met_by.iter().copied()).collect();
    let meets = reversed(&requirements.iter().map(met_by).collect::<Vec<Vec<usize>>>());
    let mut open: Vec<usize> = (0..callable.len()).filter(|number| callable.get(*number) == Some(&true)).collect();
    while let Some(at) = open.pop() {
        // Only what waits for a tool can become callable with it.
        for next in meets.get(at).into_iter().flatten() {
            let waits = callable.get(*next) == Some(&false);
            if waits && requirements.get(*next).is_some_and(|all| all.iter().all(|one| is_met(&callable, one))) {
                callable.get_mut(*next).into_iter().for_each(|callable| *callable = true);
                open.push(*next);
            }
        }
    }
    callable
}

fn is_met(callable: &[bool], requirement: &Requirement) -> bool {
    requirement.met_by.iter().any(|number| callable.get(*number) == Some(&true))
}

/// The tools of which one must become callable first; none for a callable tool.
fn waits_for(requirements: &[Requirement], callable: &[bool]) -> Vec<usize> {
    let unmet = requirements.iter().filter(|one| !is_met(callable, one));
    unmet.flat_map(|one| one.met_by.iter().copied()).collect()
}

fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (from, tos) in edges.iter().enumerate() {
        for to in tos {
            reversed.get_mut(*to).into_iter().for_each(|back: &mut Vec<usize>| back.push(from));
        }
    }
    reversed
}

/// What is reached from a tool in one step or more.
fn reach(edges: &[Vec<usize>], start: usize) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for next in edges.get(at).into_iter().flatten() {
            if let Some(seen) = reached.get_mut(*next)
                && !*seen
            {
                *seen = true;
                open.push(*next);
            }
        }
    }
    reached
}

/// The shortest way from a tool back to itself: each tool on it, the first one not repeated.
fn way_round(edges: &[Vec<usize>], start: usize) -> Vec<usize> {
    let mut came_from: Vec<Option<usize>> = vec![None; edges.len()];
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in edges.get(at).into_iter().flatten() {
            if let Some(from @ None) = came_from.get_mut(*next) {
                *from = Some(at);
                open.push_back(*next);
            }
        }
    }
    let mut way = vec![start];
    let mut at = start;
    while let Some(from) = came_from.get(at).copied().flatten().filter(|from| *from != start) {
        way.push(from);
        at = from;
    }
    if let Some(rest) = way.get_mut(1..) {
        rest.reverse();
    }
    way
}

/// `a` needs `b`, `b` needs `a`: at the first edge of the way, with the others beside it.
fn diagnostic(
    spec: &Spec,
    requirements: &[Vec<Requirement>],
    callable: &[bool],
    circle: &[usize],
    way: &[usize],
) -> Option<Diagnostic> {
    let name =
        |number: &usize| spec.tools.get(*number).map(|tool| format!("`{}`", tool.name.value)).unwrap_or_default();
    let mut names: Vec<String> = circle.iter().take(NAMED).map(name).collect();
    if let more @ 1.. = circle.len().saturating_sub(NAMED) {
        names.push(format!("{more} more"));
    }
    let next = way.iter().cycle().skip(1);
    let steps = way.iter().zip(next).filter_map(|(at, next)| {
        let unmet = requirements.get(*at)?.iter().filter(|one| !is_met(callable, one));
        let needed = unmet.into_iter().find(|one| one.met_by.contains(next))?;
        let any_of: Vec<String> = needed.any_of.iter().map(|pattern| format!("`{pattern}`")).collect();
        Some((needed.span, format!("{} needs {}", name(at), crate::text::joined(&any_of, "or"))))
    });
    let steps: Vec<(Span, String)> = steps.collect();
    let told: Vec<&str> = steps.iter().map(|(_, step)| step.as_str()).collect();
    let message = format!("{} can never be called: {}", crate::text::joined(&names, "and"), told.join(", "));
    let (span, _) = steps.first()?;
    let problem = Diagnostic::error("flow-cycle", *span, message);
    let elsewhere = steps.iter().filter(|(other, _)| other != span);
    let problem = elsewhere.fold(problem, |problem, (span, step)| problem.label(*span, step));
    Some(problem.help("take one edge out, or let `from` name another tool too"))
}
