//! `requiresBefore`: a call that needs an earlier one. Flow edges compile to it.

mod bound;

use super::argument::{Argument, ArgumentPath};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::BindProblem;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, ToolTypes};
use crate::observed::{CallPath, Form, IndexDefinition, IndexPlan, KeyPart, Root, Writes};
use crate::path::Step;
use crate::schema::{Located, PathProblem, Subject, TypeSet};
use crate::source::{Span, Spanned};
use crate::tool::{Pattern, Selector};
use crate::value::{Object, Value};
use crate::yaml::{Data, Node};
use std::sync::Arc;

use bound::{Bound, Dep, Indexes, Key, Named, Set, with};

/// The kind `requiresBefore`.
#[derive(Debug)]
pub struct RequiresBefore;

static ABOUT: About = About {
    name: "requiresBefore",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Spatial,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `requiresBefore`",
        fields: &[
            Field::required(
                "deps",
                Type::OneOrMany(&Type::OneOrMany(&Type::Text)),
                "The tools that must have succeeded before, all of them; an inner list means any one of it.",
            ),
            Field::optional("same", SAME, "What both calls must agree on: an argument, or a map of paths."),
            Field::optional("within", Type::Text, "How recent: `turn`, or `3 turns` (this one and the two before)."),
            Field::optional("emptyCounts", Type::Bool, "True if a success with an empty result counts."),
        ],
    },
    docs: "\
## What it checks
Before the call, each tool in `deps` has succeeded in this session (an inner list: any one of it). With `same` the
earlier call was about the same record: `same: order_id` compares the argument of both calls; a map compares paths,
`{id: 'result[].id'}` the argument `id` with the ids an earlier result listed. A denied call, a failed one, one whose
outcome is unknown and, unless `emptyCounts: true`, one with an empty result do not count. Calls of the same batch
have no results yet, so they do not count either.

## Why
An agent that acts on a record it has not read acts on a guess.

## Example
```yaml
- id: look-first
  tools: [refund]
  kind: requiresBefore
  with: {deps: lookup_order, same: order_id}
```
As an edge of `flow` the same reads `{id: look-first, from: lookup_order, to: refund, same: order_id}`. A tool named
in an edge's `from` does not wait for itself where `to` is a glob: `{from: sign_in, to: '*'}` stands before all others.

## Correction
First call `lookup_order` with the same `order_id`; only after it succeeded call `refund`.
Where it has been called and that does not count, what to do about it: the last result was empty, it is too many turns
ago, this call has no `order_id`.
",
};

/// The forms of `same`.
pub(crate) const SAME: Type = Type::Either(&[Type::OneOrMany(&Type::Text), Type::Map(&Type::Text)]);

/// What both calls must agree on: a path in this call's arguments, and one in the earlier call.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    left: ArgumentPath,
    right: CallPath,
    /// Where the earlier call's side stands.
    right_span: Span,
}

impl Pair {
    fn is_single(&self, located: &Located) -> bool {
        located.tail.iter().all(|step| matches!(step, Step::Key(_))) && self.right.path.is_single()
    }

    /// Why no call of a tool has the earlier call's side.
    fn lacks(&self, tool: &ToolTypes<'_>) -> Option<PathProblem> {
        let path = &self.right.path;
        match (self.right.root, tool.returns) {
            (Root::Args, _) => tool.args.locate(path, Subject::Tool(tool.name)).err(),
            (Root::Result, Some(returns)) => returns.locate(path, Subject::Result(tool.name)).err(),
            (Root::Result, None) => None,
        }
    }

    fn words(&self) -> String {
        let left = self.left.text();
        match self.right.root {
            Root::Args if self.right.path.to_string() == left => format!("the same `{left}`"),
            Root::Args => format!("`{}` equal to this `{left}`", self.right.path),
            Root::Result => format!("this `{left}` in its result"),
        }
    }
}

/// How recent the earlier call must be: within this many turns, the current one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Within(u32);

impl Within {
    /// True if what was in a turn counts in another.
    pub(super) fn counts(self, turn: u32, now: u32) -> bool {
        now.saturating_sub(turn) < self.0
    }

    pub(super) fn words(self) -> String {
        match self.0 {
            1 => "in this turn".into(),
            turns => format!("within {turns} turns"),
        }
    }

    pub(super) fn text(self) -> String {
        match self.0 {
            1 => "turn".into(),
            turns => format!("{turns} turns"),
        }
    }
}

/// The rule, as `with:` or a flow edge gives it.
#[derive(Clone, Debug)]
pub(crate) struct Requires {
    /// All of these; of an inner list any one.
    pub(crate) deps: Vec<Vec<Spanned<Pattern>>>,
    /// What both calls agree on.
    pub(crate) same: Vec<Pair>,
    /// How recent.
    pub(crate) within: Option<Within>,
    /// Whether an empty result counts.
    pub(crate) empty_counts: bool,
    /// The writes after which the earlier call does not count; only of an edge.
    pub(crate) fresh: Option<Selector>,
}

/// A tool or a list of tools; of an empty list, what to write instead.
pub(crate) fn decode_patterns(decoder: &mut Decoder<'_>, node: &Node, empty: &str) -> Vec<Spanned<Pattern>> {
    let items = decoder.one_or_many(node);
    let items = decoder.some(node, items, empty);
    let patterns: Vec<Spanned<Pattern>> = items.iter().filter_map(|item| decoder.tool_pattern(item)).collect();
    decoder.distinct(patterns.iter().map(|pattern| (pattern.value.text().to_owned(), pattern.span)));
    patterns
}

pub(crate) fn decode_same(decoder: &mut Decoder<'_>, node: &Node) -> Option<Vec<Pair>> {
    let empty = "name an argument, or leave `same` out";
    if let Data::Map(entries) = &node.data {
        if entries.is_empty() {
            decoder.report(Diagnostic::error("empty-list", node.span, "the map is empty").help(empty));
        }
        let pairs: Vec<Option<Pair>> = entries
            .iter()
            .map(|entry| {
                let left = ArgumentPath::parse(decoder, &Spanned::new(entry.key.to_string(), entry.key_span));
                let right = decode_right(decoder, &entry.value);
                Some(Pair { left: left?, right: right?, right_span: entry.value.span })
            })
            .collect();
        return pairs.into_iter().collect();
    }
    let items = decoder.one_or_many(node);
    let pairs: Vec<Option<Pair>> = decoder
        .some(node, items, empty)
        .iter()
        .map(|item| {
            let left = ArgumentPath::decode(decoder, item)?;
            let right = CallPath { root: Root::Args, path: left.path().clone() };
            Some(Pair { right_span: left.span(), left, right })
        })
        .collect();
    pairs.into_iter().collect()
}

fn decode_right(decoder: &mut Decoder<'_>, node: &Node) -> Option<CallPath> {
    let text = decoder.text(node)?;
    let path = CallPath::parse(&text.value);
    if path.is_none() {
        let message = format!("`{}` is not a path into the earlier call", text.value);
        let help = "write `args.…` or `result.…`, with `[]` for every element: `result[].id`";
        decoder.report(Diagnostic::error("bad-path", text.span, message).help(help));
    }
    path
}

pub(crate) fn decode_within(decoder: &mut Decoder<'_>, node: &Node) -> Option<Within> {
    let (Data::Text(_) | Data::Number(_)) = &node.data else {
        decoder.wrong_type(node, "`turn` or a number of turns");
        return None;
    };
    let written = node.text().unwrap_or_else(|| decoder.sources.slice(node.span));
    let (digits, unit) = written.split_once(' ').unwrap_or((written, ""));
    let is_count = digits.starts_with(|first: char| ('1'..='9').contains(&first));
    let count = digits.parse::<u32>().ok().filter(|_| is_count);
    match (written, count, unit) {
        ("turn", _, _) | (_, Some(1), "turn") => return Some(Within(1)),
        (_, Some(turns), "turns") if turns > 1 => return Some(Within(turns)),
        _ => {}
    }
    let problem = Diagnostic::error("bad-within", node.span, format!("`{written}` is not a number of turns"));
    decoder.report(match (count, unit) {
        (Some(1), "" | "turns") => problem.help("write `turn`").safe_edit(node.span, "turn"),
        (Some(turns), "" | "turn") => {
            problem.help(format!("write `{turns} turns`")).safe_edit(node.span, format!("{turns} turns"))
        }
        _ => problem.help("write `turn` or `3 turns`"),
    });
    None
}

impl Kind for RequiresBefore {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let deps = with.get("deps")?;
        let groups = decoder.one_or_many(deps);
        let empty = "name a tool that must come before";
        let groups = decoder.some(deps, groups, empty);
        let deps: Vec<_> = groups.iter().map(|group| decode_patterns(decoder, group, empty)).collect();
        let same = with.get("same").and_then(|node| decode_same(decoder, node)).unwrap_or_default();
        let within = with.get("within").and_then(|node| decode_within(decoder, node));
        let empty_counts = with.get("emptyCounts").and_then(|node| decoder.bool(node)).unwrap_or(false);
        let whole = decoder.problems() == before;
        whole.then(|| Arc::new(Requires { deps, same, within, empty_counts, fresh: None }) as Arc<dyn Rule>)
    }
}

fn any_of(group: &[Spanned<Pattern>]) -> String {
    let names: Vec<String> = group.iter().map(|pattern| format!("`{}`", pattern.value)).collect();
    crate::text::joined(&names, "or")
}

impl Requires {
    fn same_value(&self) -> Option<Value<'static>> {
        let plain = self.same.iter().all(|pair| pair.right.root == Root::Args && pair.right.path == *pair.left.path());
        match (self.same.as_slice(), plain) {
            ([], _) => None,
            ([one], true) => Some(one.left.value()),
            (many, true) => Some(Value::Array(many.iter().map(|pair| pair.left.value()).collect())),
            (many, false) => {
                let mut map = Object::new();
                for pair in many {
                    map.insert(pair.left.text().into(), Value::from(pair.right.to_string()));
                }
                Some(map.into())
            }
        }
    }

    fn after(&self) -> String {
        let groups: Vec<String> = self.deps.iter().map(|group| any_of(group)).collect();
        crate::text::joined(&groups, "and")
    }
}

impl Rule for Requires {
    fn parameters(&self) -> Value<'static> {
        let name = |pattern: &Spanned<Pattern>| Value::from(pattern.value.text().to_owned());
        let group = |group: &Vec<Spanned<Pattern>>| match group.as_slice() {
            [one] => name(one),
            many => Value::Array(many.iter().map(name).collect()),
        };
        Object::of_some([
            ("deps", Some(Value::Array(self.deps.iter().map(group).collect()))),
            ("same", self.same_value()),
            ("within", self.within.map(|within| Value::from(within.text()))),
            ("fresh", self.fresh.as_ref().map(|_| Value::Bool(true))),
            ("emptyCounts", self.empty_counts.then_some(Value::Bool(true))),
        ])
        .into()
    }

    fn prose(&self) -> String {
        let same: Vec<String> = self.same.iter().map(Pair::words).collect();
        let with = with(&same);
        let within = self.within.map(|within| format!(" {}", within.words())).unwrap_or_default();
        let fresh = if self.fresh.is_some() { ", and again after each change" } else { "" };
        let empty = if self.empty_counts { ", with an empty result too" } else { "" };
        format!("only after {} succeeded{with}{within}{fresh}{empty}", self.after())
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let mut problems = Vec::new();
        let mut arguments = Vec::new();
        for pair in &self.same {
            match pair.left.locate(tool, TypeSet::ANY) {
                Ok(argument) => arguments.push(argument),
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() {
            problems.extend(self.never_agreed(compiler.tools()));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let located: Vec<Located> = arguments.iter().cloned().map(Argument::into_located).collect();
        let deps = self.deps.iter().map(|group| self.bind_group(group, &located, compiler)).collect();
        let bound = Bound { deps, same: arguments, within: self.within, empty_counts: self.empty_counts };
        Ok(Some(Box::new(bound)))
    }

    fn requires(&self) -> Vec<Vec<Pattern>> {
        self.deps.iter().map(|group| group.iter().map(|pattern| pattern.value.clone()).collect()).collect()
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        self.deps.iter().flatten().map(|pattern| (pattern.value.clone(), pattern.span)).collect()
    }
}

impl Requires {
    /// What no call of an earlier tool can agree on, since neither its arguments nor its result have such a field.
    fn never_agreed(&self, tools: &[ToolTypes<'_>]) -> Vec<BindProblem> {
        let mut problems = Vec::new();
        for pattern in self.deps.iter().flatten() {
            let meant: Vec<_> = tools.iter().filter(|tool| pattern.value.overlaps(&Pattern::key(tool.name))).collect();
            for pair in &self.same {
                let mut found: Vec<PathProblem> = meant.iter().filter_map(|tool| pair.lacks(tool)).collect();
                // Of a glob some have the field and license, and the others do not.
                if !pattern.value.is_exact() && found.len() < meant.len() {
                    found.clear();
                }
                problems.extend(found.into_iter().map(|PathProblem { message, help }| BindProblem {
                    rule: "does-not-fit",
                    span: pair.right_span,
                    message,
                    help,
                }));
            }
        }
        problems
    }

    /// The pairs that reach one value each form one key; each that reaches many has an index of its own.
    fn bind_group(&self, group: &[Spanned<Pattern>], located: &[Located], compiler: &mut Compiler<'_, '_>) -> Dep {
        let tools: Vec<Pattern> = group.iter().map(|pattern| pattern.value.clone()).collect();
        let pairs = self.same.iter().zip(located);
        let (single, many): (Vec<_>, Vec<_>) = pairs.partition(|(pair, located)| pair.is_single(located));
        let left = single.iter().map(|(_, located)| compiler.plan().hash(located)).collect();
        let named = single.iter().map(|(pair, _)| Named::of(pair)).collect();
        // The record is what the one key names; only where there is none, the values of the many.
        let key_names = !single.is_empty() || many.is_empty();
        let of_key: Vec<&Pair> = single.iter().map(|(pair, _)| *pair).collect();
        let index = self.indexes(&tools, &of_key, key_names, compiler.plan());
        let mut set = |(pair, located): &(&Pair, &Located)| Set {
            index: self.indexes(&tools, &[*pair], !key_names, compiler.plan()),
            located: (*located).clone(),
            named: Named::of(pair),
        };
        let sets = many.iter().map(&mut set).collect();
        let same = self.same.iter().map(Pair::words).collect();
        Dep { words: any_of(group), same, key: Key { index, left, named }, sets }
    }
}

impl Requires {
    /// The index of what some pairs agree on; where writes make its entries old, another that keeps them for texts.
    fn indexes(&self, tools: &[Pattern], pairs: &[&Pair], names_record: bool, plan: &mut IndexPlan) -> Indexes {
        let part = |pair: &&Pair| KeyPart { at: pair.right.clone(), form: Form::Whole };
        let parts: Vec<KeyPart> = pairs.iter().map(part).collect();
        let ever = IndexDefinition { tools: tools.to_vec(), parts, forgotten_by: None };
        let Some(of) = self.fresh.as_ref().filter(|_| names_record) else {
            return Indexes { asked: plan.index(ever), ever: None };
        };
        let parts = pairs.iter().map(|pair| pair.left.path().clone()).collect();
        let fresh = IndexDefinition { forgotten_by: Some(Writes { of: of.clone(), parts }), ..ever.clone() };
        Indexes { asked: plan.index(fresh), ever: Some(plan.index(ever)) }
    }
}
