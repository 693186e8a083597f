//! From a [`Spec`] to a [`Policy`]: names to ids, guards to the tools they are about, every problem collected.

use super::authored::authored;
use super::bind::{Binder, BoundReply, BoundTool, BoundTurn, Constants, Source, of_edge, of_guard};
use super::screens::screens;
use super::unread::Unread;
use super::unwritten::Unwritten;
use super::{BoundGuard, Counter, FeedPart, PlannedAsk, PlannedFeed, Policy, ToolPolicy, budgets, controls, flow};
use crate::acts::CoreOutcome;
use crate::decode::{node_at, offer, reference_or_head, suggest};
use crate::diagnostic::{self, Diagnostic};
use crate::expr::{Compiler, Scope, ToolTypes};
use crate::guards::Hook;
use crate::guards::confirm_first::simulation_of;
use crate::hash::Map;
use crate::ledger::mask::Masker;
use crate::observed::{CallsBy, Form, HashId, IndexPlan, KeyPart, Root};
use crate::path::Path;
use crate::schema::{ArgSchema, Located, SchemaProblem, Subject};
use crate::source::{Span, Spanned};
use crate::spec::{Action, DefaultVerdict, EdgeSpec, Layer, OnFailure, OnSpent, Selection, Spec, ToolSpec};
use crate::tool::{Effect, Pattern};
use crate::value::Value;
use crate::yaml::{Data, Node};

/// Compiles a spec, or says everything that is wrong with it.
///
/// # Errors
/// Every problem that keeps the spec from deciding, sorted by place. [`Policy::warnings`] has those that do not.
pub fn compile(spec: &Spec) -> Result<Policy, Vec<Diagnostic>> {
    let mut compiler =
        PolicyCompiler { spec, diagnostics: Vec::new(), plan: IndexPlan::default(), unread: Unread::of(spec) };
    let policy = compiler.policy();
    let mut diagnostics = compiler.diagnostics;
    diagnostic::sort(&mut diagnostics);
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Err(diagnostics);
    }
    Ok(Policy { warnings: diagnostics, ..policy })
}

pub(super) struct PolicyCompiler<'s> {
    pub(super) spec: &'s Spec,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) plan: IndexPlan,
    pub(super) unread: Unread<'s>,
}

impl<'s> PolicyCompiler<'s> {
    fn policy(&mut self) -> Policy {
        self.check_selections();
        self.diagnostics.extend(flow::circles(self.spec));
        let world = self.spec.world.as_ref().and_then(|schema| self.world(schema));
        let args: Vec<ArgSchema> = self.spec.tools.iter().map(|tool| self.schema(tool)).collect();
        let declared = self.all_declared(&args);
        let returns: Vec<Option<ArgSchema>> = self.spec.tools.iter().map(|tool| self.returns(tool)).collect();
        self.check_marks(world.as_ref(), &args, &returns);
        let unwritten = Unwritten::of(self.spec);
        let sources = Hook::OF_GUARDS.map(|hook| self.sources(hook, &unwritten));
        let budgets = budgets::all(self.spec);
        let types = types(self.spec, &args, &declared, &returns);
        let authored = authored(self.spec);
        let scope = Scope {
            hook: Hook::PreTool,
            tool: None,
            world: world.as_ref(),
            untrusted_world: &self.spec.untrusted_world,
            params: &self.spec.params,
            authored: &authored,
            lets: &self.spec.lets,
            tools: &types,
            offset: self.spec.offset,
        };
        let (turn, reply, bound) = self.bind_all(scope, sources.each_ref().map(Vec::as_slice), &budgets);
        let world_paths = world_paths(&turn, &reply, &bound);
        let words = crate::render::words(self.spec, &world_paths, &mut self.diagnostics);
        let tools = self.spec.tools.iter().zip(args).zip(declared).zip(bound);
        let tools = tools.map(|(((tool, args), declared), bound)| tool_policy(tool, (args, declared), bound));
        let mut tools: Vec<ToolPolicy> = tools.collect();
        self.feed(&mut tools);
        self.keep_time_to_ask(&tools, &budgets);
        let counters: Vec<Counter> = budgets.into_iter().map(|budget| budget.counter).collect();
        Policy {
            id: self.spec.id.value.clone(),
            digest: self.spec.digest(),
            sources_digest: self.spec.sources_digest,
            default: self.spec.default,
            mode: self.spec.mode,
            effects: self.effects(),
            scopes: self.spec.grants.scopes.clone(),
            by_name: by_name(&tools),
            families: families(&tools),
            turn: turn.policy,
            reply: reply.policy,
            tools,
            turn_counters: turnly(&counters),
            counters,
            approvals: self.spec.approvals.clone(),
            outcomes: outcomes(self.spec),
            bounds: controls::bounds(&self.spec.controls, words.texts.exhausted()),
            words,
            world_paths,
            world_goes_stale: self.spec.world_goes_stale,
            plan: std::mem::take(&mut self.plan),
            masker: Masker::new(&self.spec.ledger.secret_keys),
            keep_secrets: self.spec.ledger.keep_secrets,
            warnings: Vec::new(),
        }
    }

    /// A question can be answered for some time only, so where somebody may be asked the session keeps the clock.
    fn keep_time_to_ask(&mut self, tools: &[ToolPolicy], budgets: &[budgets::Budget<'_>]) {
        let may_ask = |guard: &BoundGuard| guard.action == Action::Ask || guard.on_failure == OnFailure::Ask;
        let guards = tools.iter().flat_map(|tool| &tool.guards).any(|planned| may_ask(&planned.what));
        let keys = tools.iter().any(|tool| tool.key.is_some());
        let counters = budgets.iter().map(|budget| &budget.counter);
        let mut counters = counters.filter(|one| one.action == OnSpent::Ask || one.on_failure == OnFailure::Ask);
        if guards || keys || self.spec.default == DefaultVerdict::Ask || counters.next().is_some() {
            self.plan.keep_time();
        }
    }

    fn effects(&mut self) -> Vec<Effect> {
        let declared = self.spec.tools.iter().map(|tool| tool.effect);
        let granted = self.spec.grants.effects.as_deref().or(self.spec.controls.profile.granted());
        let effects = granted.map_or_else(|| declared.collect(), <[Effect]>::to_vec);
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
        // A guard where a turn begins or ends is about no tool.
        let of_calls = spec.guards.iter().filter(|guard| !matches!(guard.hook, Hook::OnInput | Hook::OnReply));
        let guards = of_calls.map(|guard| (&guard.id, guard.layer, &guard.selection));
        let edges = spec.flow.iter().map(|edge| (&edge.id, Layer::Spec, &edge.selection));
        let budgets = spec.budgets.iter().map(|budget| (&budget.id, budget.layer, &budget.selection));
        for (id, layer, selection) in guards.chain(edges).chain(budgets) {
            if layer == Layer::Spec {
                self.check_selection(id, selection);
            }
        }
        self.check_required();
        self.check_replies();
        let of_guards =
            spec.guards.iter().filter(|guard| guard.layer == Layer::Spec).filter_map(|guard| guard.rule.as_ref());
        let rules = of_guards.chain(spec.flow.iter().map(|edge| &edge.rule));
        for (pattern, span) in rules.flat_map(|rule| rule.tool_patterns()) {
            self.check_pattern(&pattern, span);
        }
        spec.flow.iter().for_each(|edge| self.check_fresh(edge));
    }

    /// `require` of a spec must be about one of its tools.
    fn check_required(&mut self) {
        let approvals = &self.spec.approvals;
        let Some(required) = approvals.required().filter(|_| approvals.layer == Layer::Spec) else { return };
        if self.spec.selected(&required.selection).next().is_none() {
            let problem =
                Diagnostic::error("matches-nothing", approvals.span, "`require` is about no tool of this spec");
            self.diagnostics.push(problem.help("name an effect that one of its tools has, or take `require` out"));
        }
    }

    /// What a write makes old needs a tool that writes.
    fn check_fresh(&mut self, edge: &EdgeSpec) {
        let mut selected = self.spec.selected(&edge.selection).peekable();
        let reads = selected.peek().is_some() && selected.all(|tool| tool.effect == Effect::Read);
        if reads && edge.rule.parameters().get("fresh").is_some() {
            let message = format!("`fresh` of `{}` has no effect: no tool in `to` writes", edge.id.value);
            let problem = Diagnostic::error("does-not-fit", edge.id.span, message);
            self.diagnostics.push(problem.help("take `fresh` out, or name the tools that change the record in `to`"));
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

    pub(super) fn check_pattern(&mut self, pattern: &Pattern, span: Span) {
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

    pub(super) fn schema_problem(&mut self, span: Span, whose: &str, problem: SchemaProblem) {
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

    /// Paths that are marked must be such as the schemas know, where there are any.
    fn check_marks(&mut self, world: Option<&ArgSchema>, args: &[ArgSchema], returns: &[Option<ArgSchema>]) {
        let spec = self.spec;
        let marks = spec.untrusted_world.iter().map(|path| (world, Subject::World, &path.value, path.span));
        let of_tools = spec.tools.iter().zip(args).zip(returns).flat_map(|((tool, args), returns)| {
            let (name, returns) = (tool.name.value.text(), returns.as_ref());
            let untrusted =
                tool.untrusted.iter().map(move |path| (returns, Subject::Result(name), &path.value, path.span));
            untrusted.chain(tool.sensitive.iter().map(move |at| match at.value.root {
                Root::Args => (Some(args), Subject::Tool(name), &at.value.path, at.span),
                Root::Result => (returns, Subject::Result(name), &at.value.path, at.span),
            }))
        });
        for (schema, subject, path, span) in marks.chain(of_tools) {
            let Some(Err(problem)) = schema.map(|schema| schema.locate(path, subject)) else { continue };
            let diagnostic = Diagnostic::error("does-not-fit", span, problem.message);
            self.diagnostics.push(problem.help.into_iter().fold(diagnostic, Diagnostic::help));
        }
    }

    /// Every rule in the order in which its deny is shown: contract, flow, spec, `approvals`, automatic.
    fn sources<'a>(&self, hook: Hook, unwritten: &'a Unwritten) -> Vec<Source<'a>>
    where
        's: 'a,
    {
        let spec = self.spec;
        let guards =
            |layer| spec.guards.iter().filter(move |guard| guard.layer == layer && guard.hook == hook).map(of_guard);
        let is_of_calls = hook == Hook::PreTool;
        let edges = spec.flow.iter().filter(|_| is_of_calls).map(of_edge);
        let unwritten = unwritten.under(spec, hook);
        let is_checked = |source: &Source<'_>| source.rule.is_none_or(|rule| rule.limit().is_none());
        let written = guards(Layer::Contract).chain(edges).chain(guards(Layer::Spec));
        written.chain(unwritten).filter(is_checked).collect()
    }

    /// What the rules are for the beginning of a turn, for its reply, and for each tool.
    fn bind_all(
        &mut self,
        scope: Scope<'_>,
        sources: [&[Source<'_>]; 4],
        budgets: &[budgets::Budget<'_>],
    ) -> (BoundTurn, BoundReply, Vec<BoundTool>) {
        let (spec, mut constants) = (self.spec, Constants::default());
        let [input, before, after, reply] = sources;
        let turn = self.bind_turn(&scope, input, &mut constants);
        let reply = self.bind_reply(&scope, reply, &mut constants);
        let tools = spec.tools.iter().zip(scope.tools);
        let bound = tools.map(|(tool, types)| {
            let scope = Scope { tool: Some(*types), ..scope };
            self.bind_tool(tool, &scope, [before, after], budgets, &mut constants)
        });
        let bound = bound.collect();
        self.diagnostics.extend(constants.problems(sources));
        let is_sound = !self.diagnostics.iter().any(Diagnostic::is_error);
        self.diagnostics.extend(std::mem::take(&mut self.unread).problems(spec, is_sound));
        (turn, reply, bound)
    }

    /// What the rules are for the calls of one tool, and for their results.
    fn bind_tool(
        &mut self,
        tool: &ToolSpec,
        scope: &Scope<'_>,
        [before, after]: [&[Source<'_>]; 2],
        budgets: &[budgets::Budget<'_>],
        constants: &mut Constants,
    ) -> BoundTool {
        let mut compiler = Compiler::new(*scope, &mut self.plan);
        let mut binder =
            Binder { tool: Some(tool), compiler: &mut compiler, diagnostics: &mut self.diagnostics, constants };
        let mut guards = binder.guards(before, scope);
        let destructive = binder.undoing();
        let question = binder.question(self.spec);
        if let Some(types) = &scope.tool {
            budgets::check_rewrites(tool, types.args, &mut self.diagnostics);
        }
        let args = scope.tool.map(|types| types.args);
        let budgets = args.map(|args| budgets::bind(tool, args, budgets, &mut compiler, &mut self.diagnostics));
        let key = budgets::key(tool, &mut compiler, &mut self.diagnostics);
        let hashed = compiler.plan().take_hashed();
        self.unread.keep(&compiler.unread_lets());
        let asked = compiler.finish();
        let mut compiler = Compiler::new(Scope { hook: Hook::PostTool, ..*scope }, &mut self.plan);
        let mut binder =
            Binder { tool: Some(tool), compiler: &mut compiler, diagnostics: &mut self.diagnostics, constants };
        let after = binder.guards(after, scope);
        let error_when = binder.error_when();
        let chains = binder.chains(self.spec);
        self.unread.keep(&compiler.unread_lets());
        let judged = compiler.finish();
        asked.asked.iter().chain(&judged.asked).for_each(|field| self.unread.ask(field));
        let typed = asked.typed.iter().chain(&judged.typed);
        budgets::check_typed(tool, args, typed, &mut self.diagnostics);
        let screens = screens(&mut guards);
        BoundTool {
            guards,
            screens,
            after,
            destructive,
            question,
            budgets: budgets.unwrap_or_default(),
            key,
            error_when,
            chains,
            hashed,
            lets: asked.lets,
            lets_after: judged.lets,
            keeps_args: judged.reads_args,
            world_paths: [asked.world_paths, judged.world_paths].concat(),
        }
    }

    fn returns(&mut self, tool: &ToolSpec) -> Option<ArgSchema> {
        let returns = tool.returns.as_ref()?;
        match ArgSchema::compile_result(&returns.schema, &self.spec.schema_sources()) {
            Ok(schema) => Some(schema),
            Err(problems) => {
                for problem in problems {
                    let span = reference_or_head(node_at(&returns.node, &problem.path));
                    self.schema_problem(span, &format!("{}`'s result", tool.name.value), problem);
                }
                None
            }
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
            tool.forgets = forgets(&self.plan, &tool.name, tool.effect, args, hashed);
            let recalls = self.plan.recalls().map(|(index, definition)| (index, &definition.calls, false));
            tool.recalls = asks(recalls, &tool.name, args, hashed);
            let tallies = self.plan.tallies();
            let tallies = tallies.map(|(index, definition)| (index, &definition.calls, definition.distinct.is_some()));
            tool.tallies = asks(tallies, &tool.name, args, hashed);
        }
    }
}

/// The domain's words for how a call ended.
fn outcomes(spec: &Spec) -> Vec<(Box<str>, CoreOutcome)> {
    spec.words.outcomes.iter().map(|(word, outcome)| (word.value.as_str().into(), *outcome)).collect()
}

/// The policy of one tool, but for what it feeds.
fn tool_policy(tool: &ToolSpec, (args, declares): (ArgSchema, Option<ArgSchema>), bound: BoundTool) -> ToolPolicy {
    ToolPolicy {
        name: tool.name.value.clone(),
        effect: tool.effect,
        scopes: tool.scopes.iter().map(|scope| scope.value.clone()).collect(),
        coerce: tool.coerce,
        destructive: bound.destructive,
        ends: tool.ends,
        outcome: tool.outcome.as_ref().map(|word| word.value.as_str().into()),
        chains: bound.chains,
        simulate: simulation_of(&args).filter(|_| tool.destructive.may_be()),
        untrusted: tool.untrusted.iter().map(|path| path.value.clone()).collect(),
        private: private(tool),
        error_when: bound.error_when,
        lets: bound.lets,
        lets_after: bound.lets_after,
        keeps_args: bound.keeps_args,
        guards: bound.guards,
        screens: bound.screens,
        after: bound.after,
        budgets: bound.budgets,
        key: bound.key,
        rewrites: tool.rewrites.clone(),
        hashed: bound.hashed,
        question: bound.question,
        feeds: Vec::new(),
        forgets: Vec::new(),
        recalls: Vec::new(),
        tallies: Vec::new(),
        label: tool.name.value.text().into(),
        args,
        declares,
    }
}

/// The paths of the world that some rule reads.
fn world_paths(turn: &BoundTurn, reply: &BoundReply, bound: &[BoundTool]) -> Vec<Vec<String>> {
    let of_tools = bound.iter().flat_map(|bound| &bound.world_paths);
    let mut paths: Vec<Vec<String>> = of_tools.chain(&turn.world_paths).chain(&reply.world_paths).cloned().collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// What expressions may know of the tools.
fn types<'t>(
    spec: &'t Spec,
    args: &'t [ArgSchema],
    declared: &'t [Option<ArgSchema>],
    returns: &'t [Option<ArgSchema>],
) -> Vec<ToolTypes<'t>> {
    let tools = spec.tools.iter().zip(args).zip(declared).zip(returns);
    tools.map(|(((tool, args), declared), returns)| types_of(tool, args, declared, returns)).collect()
}

/// What expressions may know of a tool.
fn types_of<'t>(
    tool: &'t ToolSpec,
    args: &'t ArgSchema,
    declared: &'t Option<ArgSchema>,
    returns: &'t Option<ArgSchema>,
) -> ToolTypes<'t> {
    ToolTypes {
        name: tool.name.value.text(),
        args,
        declared: declared.as_ref(),
        returns: returns.as_ref(),
        untrusted: &tool.untrusted,
        sensitive: &tool.sensitive,
    }
}

/// The paths of a tool's result to private data.
fn private(tool: &ToolSpec) -> Vec<Path> {
    let of_result = tool.sensitive.iter().filter(|at| at.value.root == Root::Result);
    of_result.map(|at| at.value.path.clone()).collect()
}

/// The entries that the writes of a tool take away.
fn forgets(
    plan: &IndexPlan,
    tool: &Pattern,
    effect: Effect,
    args: &ArgSchema,
    hashed: &mut Vec<Located>,
) -> Vec<PlannedFeed> {
    let writes = plan.iter().filter_map(|(index, definition)| Some((index, definition.forgotten_by.as_ref()?)));
    let about = writes.filter(|(_, writes)| match tool.is_exact() {
        true => writes.of.matches(tool.text(), effect),
        false => writes.of.may_match(tool, effect),
    });
    let planned = about.map(|(index, writes)| {
        let part = |path: &Path| feed_part(&KeyPart::whole(Root::Args, path.clone()), args, hashed);
        PlannedFeed { index, parts: writes.parts.iter().map(part).collect() }
    });
    planned.collect()
}

/// Of the indexes that expressions ask those that calls of a tool enter.
fn asks<'i, I: Copy>(
    indexes: impl Iterator<Item = (I, &'i CallsBy, bool)>,
    tool: &Pattern,
    args: &ArgSchema,
    hashed: &mut Vec<Located>,
) -> Vec<PlannedAsk<I>> {
    let entered = indexes.filter(|(_, calls, _)| calls.may_be_of(tool));
    let planned = entered.filter_map(|(index, calls, is_each)| {
        let keys: Result<Vec<Located>, _> =
            calls.keys.iter().map(|path| args.locate(path, Subject::Tool(""))).collect();
        // A tool without such an argument has no call to ask for by it.
        let keys = keys.ok()?;
        if is_each {
            return Some(PlannedAsk { index, keys: Vec::new(), each: keys.into_iter().next() });
        }
        let keys = keys.iter().map(|located| HashId::of(hashed, located)).collect();
        Some(PlannedAsk { index, keys, each: None })
    });
    planned.collect()
}

fn feed_part(part: &KeyPart, args: &ArgSchema, hashed: &mut Vec<Located>) -> FeedPart {
    let path = &part.at.path;
    match (part.at.root, args.locate(path, Subject::Tool(""))) {
        (Root::Result, _) => FeedPart::Result,
        (Root::Args, Err(_)) => FeedPart::Absent,
        (Root::Args, Ok(located)) if path.is_single() && part.form == Form::Whole => {
            FeedPart::Hashed(HashId::of(hashed, &located))
        }
        (Root::Args, Ok(located)) => FeedPart::Each(located, part.form),
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

/// The budgets that a new turn sets to 0.
fn turnly(counters: &[Counter]) -> Vec<usize> {
    let turnly = counters.iter().enumerate().filter(|(_, counter)| counter.is_turnly);
    turnly.map(|(number, _)| number).collect()
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
