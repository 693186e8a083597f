//! From a spec to its prompt: which line stands where. A rule that names tools stands on their cards, every other one in
//! the prompt; a rule of the contract stands in the trunk, where all agents have it, whichever tools they have.

use super::prose::{self, Constant, Told};
use super::{Line, Prompt, Section, ToolCard};
use crate::acts::CoreOutcome;
use crate::expr::Template;
use crate::guards::Hook;
use crate::source::{Span, Spanned};
use crate::spec::words::Directive;
use crate::spec::{BudgetSpec, GuardSpec, Layer, REQUIRE, Selection, Spec, ToolSpec};
use crate::text::{capitalised, joined};
use crate::value::{Object, Value};

/// A guard that every spec has.
#[derive(Debug)]
pub(super) struct Automatic {
    /// Its id.
    pub(super) code: String,
    /// What it teaches.
    pub(super) prose: String,
    /// Whether it is about each of the tools, in their order.
    pub(super) concerns: Vec<bool>,
}

impl Automatic {
    /// True if it is told once, to all tools.
    fn is_of_all(&self) -> bool {
        self.concerns.iter().all(|concerns| *concerns)
    }
}

/// What a prompt is made of.
#[derive(Debug)]
pub(super) struct Source<'s> {
    /// The spec.
    pub(super) spec: &'s Spec,
    /// The guards that it has without asking.
    pub(super) automatic: &'s [Automatic],
    /// Those that judge its replies.
    pub(super) of_replies: &'s [Automatic],
}

/// The prompt of a spec.
pub(super) fn prompt(source: &Source<'_>, constant: Constant<'_>) -> Prompt {
    let spec = source.spec;
    let mut page = Page::default();
    page.text.reserve(4096);
    trunk(source, &mut page, constant);
    let trunk = page.text.len();
    scope_and_flow(spec, &mut page, constant);
    tool_rules(source, &mut page, constant);
    let rest = [(Hook::OnInput, Section::InputRules), (Hook::OnReply, Section::ReplyRules)];
    for (hook, section) in rest {
        for guard in spec.guards.iter().filter(|guard| guard.layer == Layer::Spec && guard.hook == hook) {
            page.guard(spec, guard, section, constant);
        }
    }
    // What only some tools make a rule of stands where the spec has one of them.
    for guard in source.of_replies.iter().filter(|guard| guard.concerns.contains(&true)) {
        page.line(Section::ReplyRules, Some(&guard.code), spec.id.span, &guard.prose);
    }
    controls(spec, &mut page, Section::ReplyRules);
    directives(&spec.directives, &mut page, constant);
    page.paragraph(Section::Role, &spec.persona, constant);
    page.texts(Section::Role, &spec.behavior, constant);
    if let Some(language) = &spec.words.language {
        page.paragraph(Section::Language, language, constant);
    }
    let exact = spec.tools.iter().enumerate().filter(|(_, tool)| tool.name.value.is_exact());
    let rules = card_rules(spec, constant);
    let cards = exact.map(|(number, tool)| card(source, number, tool, &page, &rules)).collect();
    let families = spec.tools.iter().filter(|tool| !tool.name.value.is_exact());
    Prompt {
        trunk,
        tools: cards,
        families: families.map(|tool| tool.name.value.text().to_owned()).collect(),
        system: page.text,
        lines: page.lines,
    }
}

/// What is the same for every agent of the contract.
fn trunk(source: &Source<'_>, page: &mut Page<'_>, constant: Constant<'_>) {
    let (spec, words) = (source.spec, &source.spec.words);
    if let Some(voice) = &words.voice {
        page.paragraph(Section::Voice, voice, constant);
    }
    page.texts(Section::CoreRules, &words.rules, constant);
    for guard in spec.guards.iter().filter(|guard| guard.layer == Layer::Contract && !names_tools(&guard.selection)) {
        page.guard(spec, guard, Section::CoreRules, constant);
    }
    for budget in spec.budgets.iter().filter(|one| one.layer == Layer::Contract && !names_tools(&one.selection)) {
        page.budget(spec, budget, Section::CoreRules);
    }
    page.required(spec, Layer::Contract, Section::CoreRules);
    page.texts(Section::Facts, &words.facts, constant);
    for (core, meaning) in MEANINGS {
        let said = words.outcomes.iter().filter(|(_, outcome)| outcome == core);
        let (spans, said): (Vec<Span>, Vec<String>) =
            said.map(|(word, _)| (word.span, format!("`{}`", word.value))).unzip();
        if let Some(first) = spans.first() {
            let verb = if said.len() == 1 { "means" } else { "mean" };
            page.line(Section::Outcomes, None, *first, &format!("{} {verb} that {meaning}", joined(&said, "and")));
        }
    }
}

/// How a call ended, in words.
const MEANINGS: &[(CoreOutcome, &str)] = &[
    (CoreOutcome::Success, "it was done"),
    (CoreOutcome::Failure, "it went wrong"),
    (CoreOutcome::NotFound, "there was nothing to act on"),
    (CoreOutcome::Blocked, "a rule stopped it"),
    (CoreOutcome::Refused, "a person said no"),
    (CoreOutcome::NoOp, "it changed nothing"),
    (CoreOutcome::Asked, "a person is asked first"),
    (CoreOutcome::OtherQuestion, "something else is asked"),
];

fn scope_and_flow(spec: &Spec, page: &mut Page<'_>, constant: Constant<'_>) {
    if let Some(lane) = &spec.lane {
        let text = format!("your only work is {}", bare(&constant(&lane.lane.value)));
        page.line(Section::Scope, None, lane.lane.span, &text);
        for other in &lane.others {
            let (label, covers) = (constant(&other.label.value), constant(&other.covers.value));
            let text = format!("for {}, name {} and do nothing yourself", bare(&covers), bare(&label));
            page.line(Section::Scope, None, other.label.span, &text);
        }
    }
    for edge in &spec.flow {
        page.line(Section::Flow, Some(&edge.id.value), edge.id.span, &prose::of_edge(edge));
    }
}

fn tool_rules(source: &Source<'_>, page: &mut Page<'_>, constant: Constant<'_>) {
    let spec = source.spec;
    let is_of_tools = |guard: &&GuardSpec| matches!(guard.hook, Hook::PreTool | Hook::PostTool);
    for guard in
        spec.guards.iter().filter(is_of_tools).filter(|guard| is_everywhere(spec, guard.layer, &guard.selection))
    {
        page.guard(spec, guard, Section::ToolRules, constant);
    }
    for budget in spec.budgets.iter().filter(|budget| is_everywhere(spec, budget.layer, &budget.selection)) {
        page.budget(spec, budget, Section::ToolRules);
    }
    page.required(spec, Layer::Spec, Section::ToolRules);
    controls(spec, page, Section::ToolRules);
    for guard in source.automatic {
        let families: Vec<String> = spec
            .tools
            .iter()
            .zip(&guard.concerns)
            .filter(|(tool, concerns)| **concerns && !tool.name.value.is_exact())
            .map(|(tool, _)| prose::quoted(&tool.name.value))
            .collect();
        let is_of_all = guard.is_of_all();
        if is_of_all || !families.is_empty() {
            let whom = if is_of_all { String::new() } else { format!("for {}: ", joined(&families, "and")) };
            let text = format!("{whom}{}", guard.prose);
            page.line(Section::ToolRules, Some(&guard.code), spec.id.span, &text);
        }
    }
}

/// The controls of a section: how a turn may end is about the reply, the others are about calls.
fn controls(spec: &Spec, page: &mut Page<'_>, section: Section) {
    for (key, text) in spec.controls.prose() {
        if (section == Section::ReplyRules) == (key == "terminal") {
            // A guard may be called as a control is.
            page.line(section, Some(&format!("controls/{key}")), spec.controls.span, &text);
        }
    }
}

/// True for a rule that stands behind the trunk and on no card alone: the spec's own about no tool by name, and any that
/// names a family of tools, which has no card.
fn is_everywhere(spec: &Spec, layer: Layer, selection: &Selection) -> bool {
    if !names_tools(selection) {
        return layer == Layer::Spec;
    }
    spec.selected(selection).any(|tool| !tool.name.value.is_exact())
}

/// True if a rule is about some tools by name.
fn names_tools(selection: &Selection) -> bool {
    let tools = &selection.selector.tools;
    !tools.is_empty() && !tools.iter().any(prose::is_every)
}

/// Where the directives that hold on some turns only stand, so that the model looks for them.
const HEED_TAIL: &str = "what stands under `## Directives` at the end of a message holds for that message";

fn directives(directives: &[Directive], page: &mut Page<'_>, constant: Constant<'_>) {
    for directive in directives.iter().filter(|directive| directive.is_constant()) {
        let text = constant(&directive.say.value);
        page.line(Section::Directives, Some(&directive.id.value), directive.say.span, &text);
    }
    if let Some(first) = directives.iter().find(|directive| !directive.is_constant()) {
        page.line(Section::Directives, None, first.say.span, HEED_TAIL);
    }
}

/// A rule that names tools, on its way to their cards.
struct CardRule<'s> {
    id: &'s Spanned<String>,
    selection: &'s Selection,
    words: CardWords<'s>,
}

/// What a rule says on a card.
enum CardWords<'s> {
    /// The same on each.
    Same(String),
    /// What it shares with other tools, which are others on each.
    Counted(&'s GuardSpec),
    /// The same of a budget.
    Budget(&'s BudgetSpec),
}

/// Every rule that names tools, in the order of the cards: guards of the contract, of the spec, budgets.
fn card_rules<'s>(spec: &'s Spec, constant: Constant<'_>) -> Vec<CardRule<'s>> {
    let mut rules = Vec::new();
    for layer in [Layer::Contract, Layer::Spec] {
        for guard in spec.guards.iter().filter(|guard| guard.layer == layer && names_tools(&guard.selection)) {
            let is_count = guard.prose.is_none() && guard.rule.as_ref().is_some_and(|rule| rule.limit().is_some());
            let words = match is_count {
                true => Some(CardWords::Counted(guard)),
                false => {
                    let text = prose::of_guard(spec, guard, Told::OnCard(""), constant);
                    text.map(|text| CardWords::Same(prose::sentence(&text)))
                }
            };
            rules.extend(words.map(|words| CardRule { id: &guard.id, selection: &guard.selection, words }));
        }
    }
    let budgets = spec.budgets.iter().filter(|budget| names_tools(&budget.selection));
    rules.extend(budgets.map(|budget| CardRule {
        id: &budget.id,
        selection: &budget.selection,
        words: CardWords::Budget(budget),
    }));
    rules
}

/// A tool with the rules that name it.
fn card(source: &Source<'_>, number: usize, tool: &ToolSpec, prompt: &Page<'_>, rules: &[CardRule<'_>]) -> ToolCard {
    let (spec, name) = (source.spec, tool.name.value.text());
    let mut page = Page { before: Some(prompt), ..Page::default() };
    page.text.reserve(512);
    page.text.push_str(tool.description.as_deref().map(str::trim).unwrap_or_default());
    if prompt.speaks_of_effects {
        let space = if page.text.is_empty() { "" } else { " " };
        page.text.push_str(&format!("{space}Effect: `{}`.", tool.effect.name()));
    }
    let told = Told::OnCard(name);
    for rule in rules.iter().filter(|rule| rule.selection.may_match(tool)) {
        let made = match &rule.words {
            CardWords::Same(sentence) => {
                page.sentence(Section::Tool, Some(&rule.id.value), rule.id.span, sentence);
                continue;
            }
            // A count has no texts of constants in it.
            CardWords::Counted(guard) => prose::of_guard(spec, guard, told, &mut |text| text.text().to_owned()),
            CardWords::Budget(budget) => Some(super::budget::of_budget(spec, budget, told)),
        };
        if let Some(text) = made {
            page.line(Section::Tool, Some(&rule.id.value), rule.id.span, &text);
        }
    }
    let of_some = source.automatic.iter().filter(|guard| !guard.is_of_all());
    for guard in of_some.filter(|guard| guard.concerns.get(number) == Some(&true)) {
        page.line(Section::Tool, Some(&guard.code), tool.name.span, &guard.prose);
    }
    for text in own_rules(tool) {
        page.line(Section::Tool, None, tool.name.span, &text);
    }
    ToolCard {
        name: name.to_owned(),
        parameters: parameters(spec, tool),
        description: page.text,
        lines: page.lines,
        effect: tool.effect,
        scopes: tool.scopes.iter().map(|scope| scope.value.clone()).collect(),
        cost: tool.cost,
    }
}

/// What a tool itself says of its calls.
fn own_rules(tool: &ToolSpec) -> Vec<String> {
    let mut rules = Vec::new();
    if let Some(idempotency) = &tool.idempotency {
        let window = idempotency.window.map(|window| format!(" in {}", crate::spec::duration_text(window)));
        let window = window.unwrap_or_default();
        let key = idempotency.key.text();
        rules.push(format!("a second call with the same `{key}`{window} does not run; it gets the first one's result"));
    }
    if tool.ends {
        rules.push("it ends the session: once it succeeded no tool can be called".to_owned());
    }
    rules
}

/// The schema as a model should see it: without references, and closed where it is closed.
fn parameters(spec: &Spec, tool: &ToolSpec) -> Value<'static> {
    let resolved = |schema: &Value<'_>| crate::schema::without_references(schema, &spec.schema_sources());
    let mut schema = match tool.parameters.as_ref().map(|one| resolved(&one.schema)) {
        Some(Value::Object(schema)) => schema,
        _ => Object::new(),
    };
    if !schema.contains_key("type") {
        schema.insert("type".into(), Value::from("object"));
    }
    close(&mut schema);
    if let Some(declared) = tool.declared(spec) {
        declare(&mut schema, resolved(&declared));
    }
    schema.into()
}

/// Puts what is declared beside the arguments.
fn declare(schema: &mut Object<'static>, declared: Value<'static>) {
    let Value::Object(mut declared) = declared else { return };
    close(&mut declared);
    let mut properties = match schema.remove("properties") {
        Some(Value::Object(properties)) => properties,
        _ => Object::new(),
    };
    if let Some(Value::Object(more)) = declared.remove("properties") {
        for (name, property) in more.into_members() {
            properties.insert(name, property);
        }
    }
    let mut required = match schema.remove("required") {
        Some(Value::Array(required)) => required,
        _ => Vec::new(),
    };
    if let Some(Value::Array(more)) = declared.remove("required") {
        required.extend(more);
    }
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), Value::Array(required));
    }
}

fn close(schema: &mut Object<'static>) {
    if schema.contains_key("properties") && !schema.contains_key("additionalProperties") {
        schema.insert("additionalProperties".into(), Value::Bool(false));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut() {
            if let Value::Object(property) = property {
                close(property);
            }
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        close(items);
    }
}

/// A text inside another sentence.
fn bare(text: &str) -> &str {
    text.trim().trim_end_matches('.')
}

/// The section that stands for all under whose headings the same words say the same: what holds for a call holds neither
/// for a message nor for a reply, and what is known is no rule.
fn subject(section: Section) -> Section {
    match section {
        Section::InputRules | Section::ReplyRules => section,
        Section::Facts | Section::Outcomes => Section::Facts,
        _ => Section::ToolRules,
    }
}

/// A text that grows by lines, each of which knows where it came from.
#[derive(Default)]
struct Page<'p> {
    text: String,
    lines: Vec<Line>,
    open: Option<Section>,
    /// The prompt, where this is a card: no sentence is said twice.
    before: Option<&'p Page<'p>>,
    /// True if some line tells tools apart by their effect, so that each card must say its own.
    speaks_of_effects: bool,
}

/// Above the rules on a tool's card.
const CARD_HEADING: &str = "Rules for calling it:";

impl Page<'_> {
    fn guard(&mut self, spec: &Spec, guard: &GuardSpec, section: Section, constant: Constant<'_>) {
        if let Some(text) = prose::of_guard(spec, guard, Told::Everywhere, constant) {
            self.speaks_of_effects |= guard.prose.is_none() && !guard.selection.selector.effects.is_empty();
            self.line(section, Some(&guard.id.value), guard.id.span, &text);
        }
    }

    fn budget(&mut self, spec: &Spec, budget: &BudgetSpec, section: Section) {
        let text = super::budget::of_budget(spec, budget, Told::Everywhere);
        self.speaks_of_effects |= !budget.selection.selector.effects.is_empty();
        self.line(section, Some(&budget.id.value), budget.id.span, &text);
    }

    /// What waits for an approver whatever the call, where this layer says so.
    fn required(&mut self, spec: &Spec, layer: Layer, section: Section) {
        for required in spec.required().filter(|required| required.layer == layer) {
            self.speaks_of_effects = true;
            self.line(section, Some(REQUIRE), required.span, &prose::of_required(&required.selection));
        }
    }

    fn texts(&mut self, section: Section, texts: &[Spanned<Template>], constant: Constant<'_>) {
        for text in texts {
            let said = constant(&text.value);
            self.line(section, None, text.span, &said);
        }
    }

    /// A text that stands by itself.
    fn paragraph(&mut self, section: Section, text: &Spanned<Template>, constant: Constant<'_>) {
        let said = constant(&text.value);
        self.begin(section);
        self.put(section, None, text.span, &capitalised(said.trim()));
    }

    /// A sentence of a list.
    fn line(&mut self, section: Section, rule: Option<&str>, origin: Span, text: &str) {
        self.sentence(section, rule, origin, &prose::sentence(text));
    }

    fn sentence(&mut self, section: Section, rule: Option<&str>, origin: Span, sentence: &str) {
        if self.says(section, sentence) || self.before.is_some_and(|before| before.says(section, sentence)) {
            return;
        }
        self.begin(section);
        self.text.push_str("- ");
        self.put(section, rule, origin, sentence);
    }

    /// True if a section says it already under which it means the same.
    fn says(&self, section: Section, sentence: &str) -> bool {
        let lines = self.lines.iter().filter(|line| subject(line.section) == subject(section));
        let mut said = lines.filter_map(|line| self.text.get(line.place.clone()));
        said.any(|said| prose::is_same(said, sentence))
    }

    /// The place for the next line of a section.
    fn begin(&mut self, section: Section) {
        if self.open == Some(section) {
            self.text.push('\n');
            return;
        }
        self.open = Some(section);
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let heading = if section == Section::Tool { Some(CARD_HEADING) } else { section.heading() };
        if let Some(heading) = heading {
            self.text.push_str(heading);
            self.text.push('\n');
        }
    }

    fn put(&mut self, section: Section, rule: Option<&str>, origin: Span, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        let place = start..self.text.len();
        self.lines.push(Line { section, rule: rule.map(str::to_owned), origin, place });
    }
}
