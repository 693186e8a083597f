//! From a [`Spec`] to a [`Policy`]: names to ids, guards to the tools they are about, every problem collected.

use super::{
    BoundBudget, BoundGuard, BoundKey, Counter, FeedPart, Planned, PlannedFeed, Policy, ToolPolicy, budgets, flow,
};
use crate::decode::{node_at, offer, reference_or_head, suggest};
use crate::diagnostic::{self, Diagnostic};
use crate::expr::{self, Lets, Scope, ToolTypes};
use crate::guards::screen::Screen;
use crate::guards::{Claim, Hook, Kind, Rule, ToolFacts};
use crate::hash::Map;
use crate::ledger::mask::Masker;
use crate::observed::{HashId, IndexPlan, KeyPart, Root};
use crate::schema::{ArgSchema, Located, SchemaProblem, Slot, Subject};
use crate::source::{Span, Spanned};
use crate::spec::{Action, EdgeSpec, GuardSpec, Layer, OnMissing, Selection, Spec, ToolSpec};
use crate::tool::{Effect, Pattern};
use crate::value::{Object, Value};
use crate::yaml::{Data, Node};
use std::sync::Arc;

/// Compiles a spec, or says everything that is wrong with it.
///
/// # Errors
/// Every problem that keeps the spec from deciding, sorted by place. [`Policy::warnings`] has those that do not.
pub fn compile(spec: &Spec) -> Result<Policy, Vec<Diagnostic>> {
    let mut compiler = Compiler { spec, diagnostics: Vec::new(), plan: IndexPlan::default() };
    let policy = compiler.policy();
    let mut diagnostics = compiler.diagnostics;
    diagnostic::sort(&mut diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(Policy { warnings: diagnostics, ..policy })
}

struct Compiler<'s> {
    spec: &'s Spec,
    diagnostics: Vec<Diagnostic>,
    plan: IndexPlan,
}

/// A rule on its way to the tools it is about.
struct Source<'s> {
    code: Arc<str>,
    span: Span,
    selection: &'s Selection,
    rule: Option<&'s Arc<dyn Rule>>,
    action: Action,
    missing: OnMissing,
    correction: Option<Arc<str>>,
    public_reason: Option<Arc<str>>,
}

impl Source<'_> {
    /// Whether a call repeats another is up to the key of its tool, where it has one.
    fn is_left_to_key(&self, tool: &ToolSpec) -> bool {
        tool.idempotency.is_some() && &*self.code == "auto/noDuplicateCall"
    }
}

/// What gates 7 and 8 ask of the calls of a tool.
#[derive(Default)]
struct Bound {
    budgets: Vec<Planned<BoundBudget>>,
    key: Option<BoundKey>,
    lets: Lets,
}

fn tool_types<'t>((tool, args): (&'t ToolSpec, &'t ArgSchema)) -> ToolTypes<'t> {
    ToolTypes { name: tool.name.value.text(), args, returns: None }
}

impl<'s> Compiler<'s> {
    fn policy(&mut self) -> Policy {
        self.check_selections();
        self.diagnostics.extend(flow::circles(self.spec));
        let world = self.spec.world.as_ref().and_then(|schema| self.world(schema));
        let schemas: Vec<ArgSchema> = self.spec.tools.iter().map(|tool| self.schema(tool)).collect();
        let automatic = self.automatic();
        let every_tool = Selection::default();
        let before = self.sources(Hook::PreTool, &automatic, &every_tool);
        let after = self.sources(Hook::PostTool, &[], &every_tool);
        let budgets = budgets::all(self.spec);
        let types: Vec<ToolTypes<'_>> = self.spec.tools.iter().zip(&schemas).map(tool_types).collect();
        let (mut tools, mut world_paths) = (Vec::new(), Vec::new());
        for (tool, types_of) in self.spec.tools.iter().zip(&types) {
            let (bound, mut paths) = self.money(tool, types_of, world.as_ref(), &types, &budgets);
            world_paths.append(&mut paths);
            tools.push(self.tool(tool, types_of.args, world.as_ref(), [&before, &after], bound));
        }
        self.feed(&mut tools);
        let effects = self.effects();
        let counters: Vec<Counter> = budgets.into_iter().map(|budget| budget.counter).collect();
        let turn_counters = counters.iter().enumerate().filter(|(_, counter)| counter.is_turnly);
        let turn_counters = turn_counters.map(|(number, _)| number).collect();
        let of_guards = self.spec.guards.iter().filter_map(|guard| guard.rule.as_ref());
        world_paths.extend(of_guards.flat_map(|rule| rule.world_paths()));
        Policy {
            id: self.spec.id.value.clone(),
            digest: self.spec.digest(),
            sources_digest: self.spec.sources_digest,
            default: self.spec.default,
            mode: self.spec.mode,
            effects,
            scopes: self.spec.grants.scopes.clone(),
            by_name: by_name(&tools),
            families: families(&tools),
            tools,
            counters,
            turn_counters,
            world_paths,
            plan: std::mem::take(&mut self.plan),
            masker: Masker::new(&self.spec.ledger.secret_keys),
            keep_secrets: self.spec.ledger.keep_secrets,
            warnings: Vec::new(),
        }
    }

    fn effects(&mut self) -> Vec<Effect> {
        let declared = self.spec.tools.iter().map(|tool| tool.effect);
        let effects = self.spec.grants.effects.clone().unwrap_or_else(|| declared.collect());
        for tool in &self.spec.tools {
            let refused = (!effects.contains(&tool.effect)).then(|| format!("the effect `{}`", tool.effect.name()));
            let scopes = tool.scopes.iter().filter(|scope| !self.spec.grants.scopes.contains(&scope.value));
            for what in refused.into_iter().chain(scopes.map(|scope| format!("the scope `{}`", scope.value))) {
                let message = format!("every call of `{}` is denied: {what} is not granted", tool.name.value);
                let warning = Diagnostic::warning("ungranted-tool", tool.name.span, message);
                self.diagnostics.push(warning.help("grant it under `grants`, or take the tool out"));
            }
        }
        effects
    }

    fn check_selections(&mut self) {
        let spec = self.spec;
        let guards = spec.guards.iter().map(|guard| (&guard.id, guard.layer, &guard.selection));
        let edges = spec.flow.iter().map(|edge| (&edge.id, Layer::Spec, &edge.selection));
        let budgets = spec.budgets.iter().map(|budget| (&budget.id, budget.layer, &budget.selection));
        for (id, layer, selection) in guards.chain(edges).chain(budgets) {
            if layer == Layer::Spec {
                self.check_selection(id, selection);
            }
        }
        let of_guards =
            spec.guards.iter().filter(|guard| guard.layer == Layer::Spec).filter_map(|guard| guard.rule.as_ref());
        let rules = of_guards.chain(spec.flow.iter().map(|edge| &edge.rule));
        for (pattern, span) in rules.flat_map(|rule| rule.tool_patterns()) {
            self.check_pattern(&pattern, span);
        }
    }

    fn check_selection(&mut self, id: &Spanned<String>, selection: &Selection) {
        let before = self.diagnostics.len();
        for pattern in &selection.patterns {
            self.check_pattern(&pattern.value, pattern.span);
        }
        if self.diagnostics.len() == before && self.spec.selected(selection).next().is_none() {
            let message = format!("`{}` is about no tool of this spec", id.value);
            let problem = Diagnostic::error("matches-nothing", id.span, message);
            self.diagnostics.push(problem.help("`tools`, `except` and `effects` must leave at least one"));
        }
    }

    fn check_pattern(&mut self, pattern: &Pattern, span: Span) {
        if self.spec.declares(pattern) {
            return;
        }
        let names: Vec<&str> = self.spec.tools.iter().map(|tool| tool.name.value.text()).collect();
        let what = if pattern.is_exact() {
            format!("there is no tool `{pattern}`")
        } else {
            format!("`{pattern}` matches no tool")
        };
        let problem = Diagnostic::error("matches-nothing", span, what);
        let server = server_of(pattern.text());
        let is_server = names.iter().any(|name| name.split_once('/').is_some_and(|(known, _)| known == server));
        self.diagnostics.push(match on_server(pattern, &names) {
            _ if is_server => problem.help(format!("for every tool of that server write `{server}/*`")),
            Some(name) => offer(problem, &name),
            None => suggest(problem, pattern.text(), &names),
        });
    }

    fn schema(&mut self, tool: &ToolSpec) -> ArgSchema {
        let Some(parameters) = &tool.parameters else { return ArgSchema::any() };
        match ArgSchema::compile(&parameters.schema, &self.spec.schema_sources()) {
            Ok(schema) => {
                if let [first, ..] = schema.beyond_closed_set() {
                    let message = format!("`{first}` is beyond what is compiled; every call is checked a second time");
                    let at = keyword(&parameters.node, first).unwrap_or_else(|| reference_or_head(&parameters.node));
                    let warning = Diagnostic::warning("slow-schema", at, message);
                    self.diagnostics
                        .push(warning.help("say it with the keywords of the closed set if it can be said so"));
                }
                schema
            }
            Err(problems) => {
                for problem in problems {
                    let span = reference_or_head(node_at(&parameters.node, &problem.path));
                    self.schema_problem(span, &tool.name.value.to_string(), problem);
                }
                ArgSchema::any()
            }
        }
    }

    fn schema_problem(&mut self, span: Span, whose: &str, problem: SchemaProblem) {
        let place = if problem.path.is_empty() { String::new() } else { format!(" at `/{}`", problem.path.join("/")) };
        let message = format!("the schema of `{whose}`{place}: {}", problem.message);
        let diagnostic = Diagnostic::error("bad-schema", span, message);
        self.diagnostics.push(problem.help.into_iter().fold(diagnostic, Diagnostic::help));
    }

    fn world(&mut self, schema: &Spanned<Value<'static>>) -> Option<ArgSchema> {
        match ArgSchema::compile(&schema.value, &self.spec.schema_sources()) {
            Ok(world) => Some(world),
            Err(problems) => {
                for problem in problems {
                    self.schema_problem(schema.span, "world", problem);
                }
                None
            }
        }
    }

    /// Guards that every spec has, unless it switched them off.
    fn automatic(&self) -> Vec<(&'static str, Arc<dyn Rule>)> {
        let kinds = crate::guards::KINDS.iter().filter(|kind| kind.about().automatic);
        let kinds = kinds.filter(|kind| !self.spec.off.contains(&kind.about().name));
        kinds.filter_map(|kind| Some((kind.about().name, automatic_rule(*kind)?))).collect()
    }

    /// Every rule in the order in which its deny is shown: contract, flow, spec, automatic.
    fn sources<'a>(
        &self,
        hook: Hook,
        automatic: &'a [(&'static str, Arc<dyn Rule>)],
        every_tool: &'a Selection,
    ) -> Vec<Source<'a>>
    where
        's: 'a,
    {
        let spec = self.spec;
        let guards =
            |layer| spec.guards.iter().filter(move |guard| guard.layer == layer && guard.hook == hook).map(of_guard);
        let edges = spec.flow.iter().filter(|_| hook == Hook::PreTool).map(of_edge);
        let automatic = automatic.iter().map(|(name, rule)| Source {
            code: format!("auto/{name}").into(),
            span: spec.id.span,
            selection: every_tool,
            rule: Some(rule),
            action: Action::Deny,
            missing: OnMissing::Deny,
            correction: None,
            public_reason: None,
        });
        let is_checked = |source: &Source<'_>| source.rule.is_none_or(|rule| rule.limit().is_none());
        guards(Layer::Contract).chain(edges).chain(guards(Layer::Spec)).chain(automatic).filter(is_checked).collect()
    }

    /// The budgets of a tool and the key of its repeats, with the paths of the world that they read.
    fn money(
        &mut self,
        tool: &ToolSpec,
        types: &ToolTypes<'_>,
        world: Option<&ArgSchema>,
        tools: &[ToolTypes<'_>],
        all: &[budgets::Budget<'_>],
    ) -> (Bound, Vec<Vec<String>>) {
        budgets::check_rewrites(tool, types.args, &mut self.diagnostics);
        let params = Value::Object(Object::new());
        let scope =
            Scope { hook: Hook::PreTool, tool: Some(*types), world, params: &params, lets: &[], tools, offset: None };
        let mut compiler = budgets::are_written(tool, all).then(|| expr::Compiler::new(scope, &mut self.plan));
        let budgets = budgets::bind(tool, types.args, all, compiler.as_mut(), &mut self.diagnostics);
        let key = budgets::key(tool, compiler.as_mut(), &mut self.diagnostics);
        let compiled = compiler.map(expr::Compiler::finish).unwrap_or_default();
        (Bound { budgets, key, lets: compiled.lets }, compiled.world_paths)
    }

    fn tool(
        &mut self,
        tool: &ToolSpec,
        args: &ArgSchema,
        world: Option<&ArgSchema>,
        [before, after]: [&[Source<'_>]; 2],
        Bound { budgets, key, lets }: Bound,
    ) -> ToolPolicy {
        let (name, effect, destructive) = (tool.name.value.text(), tool.effect, tool.destructive);
        let facts = ToolFacts { rule: "", name, effect, destructive, args, world };
        let mut bound = |sources: &[Source<'_>]| -> Vec<Planned<BoundGuard>> {
            let about =
                sources.iter().filter(|source| source.selection.may_match(tool) && !source.is_left_to_key(tool));
            about.filter_map(|source| self.bind(source, tool, &facts)).collect()
        };
        let (mut guards, after) = (bound(before), bound(after));
        let screens = screens(&mut guards);
        ToolPolicy {
            name: tool.name.value.clone(),
            effect: tool.effect,
            scopes: tool.scopes.iter().map(|scope| scope.value.clone()).collect(),
            coerce: tool.coerce,
            destructive: tool.destructive,
            guards,
            screens,
            after,
            budgets,
            key,
            lets,
            rewrites: tool.rewrites.clone(),
            hashed: self.plan.take_hashed(),
            feeds: Vec::new(),
            label: tool.name.value.text().into(),
            args: args.clone(),
        }
    }

    fn bind(&mut self, source: &Source<'_>, tool: &ToolSpec, facts: &ToolFacts<'_>) -> Option<Planned<BoundGuard>> {
        let facts = &ToolFacts { rule: &source.code, ..*facts };
        if source.rule.is_some_and(|rule| !rule.concerns(facts)) {
            self.does_not_concern(source, facts);
            return None;
        }
        let check = match source.rule {
            None => None,
            Some(rule) => match rule.bind(facts, &mut self.plan) {
                Ok(check) => check,
                Err(problems) => {
                    for problem in problems {
                        let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message);
                        let diagnostic = problem.help.into_iter().fold(diagnostic, Diagnostic::help);
                        self.diagnostics.push(
                            diagnostic.label(source.span, format!("`{}` is about `{}`", source.code, facts.name)),
                        );
                    }
                    return None;
                }
            },
        };
        let guard = BoundGuard {
            code: source.code.clone(),
            action: source.action,
            missing: source.missing,
            screen: None,
            check,
            correction: source.correction.clone(),
            public_reason: source.public_reason.clone(),
        };
        Some(planned(tool, source.selection, guard))
    }

    /// A rule that is only about some tools is silent on others, unless its author named one.
    fn does_not_concern(&mut self, source: &Source<'_>, facts: &ToolFacts<'_>) {
        let patterns = source.selection.patterns.iter();
        let mut named = patterns.filter(|pattern| source.selection.selector.tools.contains(&pattern.value));
        if let Some(pattern) = named.find(|pattern| pattern.value.text() == facts.name) {
            let message = format!("`{}` is never about `{}`, which is not destructive", source.code, facts.name);
            let problem = Diagnostic::error("does-not-fit", pattern.span, message);
            self.diagnostics.push(problem.help("write `destructive: true` on the tool, or take its name out"));
        }
    }

    /// Which indexes each tool's successes go to. A family asks again by name when a call is allowed.
    fn feed(&self, tools: &mut [ToolPolicy]) {
        for tool in tools {
            let (args, hashed) = (&tool.args, &mut tool.hashed);
            let fed =
                self.plan.iter().filter(|(_, index)| index.tools.iter().any(|pattern| pattern.overlaps(&tool.name)));
            tool.feeds = fed
                .map(|(index, definition)| {
                    let parts = definition.parts.iter().map(|part| feed_part(part, args, hashed)).collect();
                    PlannedFeed { index, parts }
                })
                .collect();
        }
    }
}

/// Folds the claims that two or more guards make on one argument.
fn screens(guards: &mut [Planned<BoundGuard>]) -> Vec<Screen> {
    let claim =
        |planned: &Planned<BoundGuard>| planned.what.check.as_ref().filter(|_| planned.selector.is_none())?.claim();
    let claims: Vec<Option<Claim>> = guards.iter().map(claim).collect();
    let mut slots: Vec<Slot> = claims.iter().flatten().map(|claim| claim.slot).collect();
    slots.sort_unstable();
    slots.dedup();
    let mut screens = Vec::new();
    for slot in slots {
        let on_slot = |claim: &&Claim| claim.slot == slot;
        let folded: Vec<&Claim> = claims.iter().flatten().filter(on_slot).collect();
        let Some(number) = u8::try_from(screens.len()).ok().filter(|number| folded.len() > 1 && *number < MAX_SCREENS)
        else {
            continue;
        };
        screens.push(Screen::of(slot, &folded));
        for (guard, claim) in guards.iter_mut().zip(&claims) {
            if claim.as_ref().filter(on_slot).is_some() {
                guard.what.screen = Some(number);
            }
        }
    }
    screens
}

/// As many screens as a word has bits.
const MAX_SCREENS: u8 = 64;

fn feed_part(part: &KeyPart, args: &ArgSchema, hashed: &mut Vec<Located>) -> FeedPart {
    match (part.root, args.locate(&part.path, Subject::Tool(""))) {
        (Root::Result, _) => FeedPart::Result,
        (Root::Args, Err(_)) => FeedPart::Absent,
        (Root::Args, Ok(located)) if part.path.is_single() => FeedPart::Hashed(HashId::of(hashed, &located)),
        (Root::Args, Ok(located)) => FeedPart::Each(located),
    }
}

fn server_of(name: &str) -> &str {
    name.strip_prefix("mcp__").unwrap_or(name)
}

/// A pattern without a server that means tools of servers, with the server put in.
fn on_server(pattern: &Pattern, names: &[&str]) -> Option<String> {
    let is_meant = |tool: &str| pattern.overlaps(&Pattern::key(tool));
    let mut meant = names.iter().filter(|name| name.split_once('/').is_some_and(|(_, tool)| is_meant(tool)));
    match (meant.next()?, meant.next()) {
        _ if pattern.text().contains('/') => None,
        (only, None) if pattern.is_exact() => Some((*only).to_owned()),
        _ => Some(format!("*/{pattern}")),
    }
}

/// Where a keyword stands in a schema; a property of that name is none.
fn keyword(schema: &Node, name: &str) -> Option<Span> {
    match &schema.data {
        Data::Map(entries) => entries.iter().find_map(|entry| match (&*entry.key, &entry.value.data) {
            (key, _) if key == name => Some(entry.key_span),
            ("properties" | "patternProperties" | "$defs", Data::Map(named)) => {
                named.iter().find_map(|entry| keyword(&entry.value, name))
            }
            ("default" | "const" | "enum" | "examples", _) => None,
            _ => keyword(&entry.value, name),
        }),
        Data::List(items) => items.iter().find_map(|item| keyword(item, name)),
        _ => None,
    }
}

/// Within one tool the selection is decided here; within a family the name decides.
pub(super) fn planned<T>(tool: &ToolSpec, selection: &Selection, what: T) -> Planned<T> {
    let selector = (!tool.name.value.is_exact()).then(|| selection.selector.clone());
    Planned { selector, what }
}

fn automatic_rule(kind: &dyn Kind) -> Option<Arc<dyn Rule>> {
    let sources = crate::source::Sources::default();
    let mut decoder = crate::decode::Decoder::new(&sources);
    kind.decode(&mut decoder, &crate::decode::Fields::empty(Span::default()))
}

pub(super) fn shared(text: Option<&String>) -> Option<Arc<str>> {
    text.map(|text| text.replace("{{", "{").into())
}

fn of_guard(guard: &GuardSpec) -> Source<'_> {
    Source {
        code: guard.id.value.as_str().into(),
        span: guard.id.span,
        selection: &guard.selection,
        rule: guard.rule.as_ref(),
        action: guard.action,
        missing: guard.missing,
        correction: shared(guard.correction.as_ref()),
        public_reason: shared(guard.public_reason.as_ref()),
    }
}

fn of_edge(edge: &EdgeSpec) -> Source<'_> {
    Source {
        code: edge.id.value.as_str().into(),
        span: edge.id.span,
        selection: &edge.selection,
        rule: Some(&edge.rule),
        action: Action::Deny,
        missing: OnMissing::Deny,
        correction: shared(edge.correction.as_ref()),
        public_reason: None,
    }
}

fn by_name(tools: &[ToolPolicy]) -> Map<Box<str>, usize> {
    let exact = tools.iter().enumerate().filter(|(_, tool)| tool.name.is_exact());
    exact.map(|(number, tool)| (tool.name.text().into(), number)).collect()
}

fn families(tools: &[ToolPolicy]) -> Vec<usize> {
    let mut families: Vec<(usize, &ToolPolicy)> =
        tools.iter().enumerate().filter(|(_, tool)| !tool.name.is_exact()).collect();
    // Of two that tie the first by name, wherever they stand in the file: one digest, one meaning.
    families.sort_by_key(|(_, tool)| (std::cmp::Reverse(tool.name.literal_characters()), tool.name.text()));
    families.into_iter().map(|(number, _)| number).collect()
}
