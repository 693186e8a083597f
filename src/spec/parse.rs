//! From YAML trees to a [`Spec`]: every key read once, every problem collected, every name defined once.
//!
//! Whether the parts fit each other, a rule its tools or an expression a schema, is judged where a policy is compiled.

mod chains;
mod contract;
mod declares;
mod flow;
mod guards;
pub(super) mod names;
mod words;

use super::schemas::{Definitions, Schemas};
use super::shapes::{AUTO, BUDGET, CONTROLS, DESTRUCTIVE, GRANTS, LATER, LEDGER, SPEC, TERMINAL, TOOL, WORLD};
use super::words::SharedWords;
use super::{
    Approvals, BudgetSpec, Controls, DefaultVerdict, Destructive, Grants, GuardSpec, Layer, LedgerSpec, Mode, Pack,
    Parameters, Parsed, Profile, Selection, Spec, Streaming, Terminal, TextWithCalls, ToolSpec,
};
use crate::canon::Digest;
use crate::decode::{Decoder, Fields};
use crate::diagnostic::Diagnostic;
use crate::expr::Let;
use crate::guards::Registry;
use crate::guards::requires_before::decode_patterns;
use crate::path::Path;
use crate::source::{FileId, Sources, Span, Spanned};
use crate::tool::{Effect, Pattern, Selector};
use crate::value::{Object, Value};
use crate::yaml::{Data, Entry, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use contract::parse_contract;

/// Reads the spec that is the first file of `sources`.
///
/// Nothing is fetched: [`Parsed::missing`] lists the files that are referred to and not there. Add them, or say with
/// [`Sources::insert_unreadable`] why they cannot be read, and parse again.
///
/// ```
/// use flyball::source::Sources;
///
/// let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n";
/// let parsed = flyball::spec::parse(&Sources::new("desk.yaml", text));
/// assert!(parsed.diagnostics.is_empty());
/// assert_eq!(parsed.spec.unwrap().tools.len(), 1);
/// ```
#[must_use]
pub fn parse(sources: &Sources) -> Parsed {
    parse_with(sources, Registry::native())
}

/// As [`parse`], with another catalog of kinds.
pub(crate) fn parse_with(sources: &Sources, registry: Registry<'_>) -> Parsed {
    let mut parser = Parser::new(sources, registry);
    let spec = parser.spec(FileId(0));
    let mut diagnostics = parser.decoder.diagnostics;
    crate::diagnostic::sort(&mut diagnostics);
    let missing: Vec<String> = parser.missing.into_iter().collect();
    let sound = missing.is_empty() && !diagnostics.iter().any(Diagnostic::is_error);
    Parsed { spec: spec.filter(|_| sound), diagnostics, missing }
}

/// The file that a reference at a place names, or a problem, or an entry among the missing.
pub(super) fn locate(
    decoder: &mut Decoder<'_>,
    missing: &mut BTreeSet<String>,
    reference: &str,
    span: Span,
) -> Option<FileId> {
    let from = decoder.sources.file(span.file).map(crate::source::SourceFile::path).unwrap_or_default();
    let Some(path) = decoder.sources.resolve(from, reference) else {
        let problem = Diagnostic::error("path-outside", span, format!("`{reference}` leaves the workspace"));
        decoder.report(problem.help("use a relative path with `/` that stays below the workspace root"));
        return None;
    };
    if let Some(reason) = decoder.sources.unreadable(&path) {
        let problem = Diagnostic::error("missing-file", span, format!("`{reference}` cannot be read: {reason}"));
        decoder.report(problem.help("a path is relative to the file it stands in"));
        return None;
    }
    let found = decoder.sources.find(&path);
    if found.is_none() {
        missing.insert(path);
    }
    found
}

/// What a file says it is, and where. A spec has a key `contract` too, which is a path and no version.
pub(super) fn kind_of_file(node: &Node) -> Option<(&'static str, Span)> {
    const KINDS: [(&str, &str); 4] =
        [("agentspec", "a spec"), ("contract", "a contract"), ("pack", "a pack"), ("scenario", "a scenario")];
    let Data::Map(entries) = &node.data else { return None };
    KINDS.iter().find_map(|(key, kind)| {
        let entry = entries.iter().find(|entry| *key == &*entry.key)?;
        let is_version = *kind == "a spec" || matches!(entry.value.data, Data::Number(_));
        is_version.then_some((*kind, entry.key_span))
    })
}

struct Parser<'s, 'k> {
    decoder: Decoder<'s>,
    registry: Registry<'k>,
    missing: BTreeSet<String>,
    ids: BTreeMap<String, Span>,
    definitions: Definitions,
    /// The constants so far, as values and as written.
    params: Object<'static>,
    constants: Vec<Entry>,
    /// The names of the lets so far.
    lets: BTreeSet<String>,
    /// The packs, by the names that this spec gives them.
    packs: Vec<(Box<str>, Pack)>,
}

/// What `world` says.
#[derive(Default)]
struct World {
    schema: Option<Spanned<Value<'static>>>,
    goes_stale: bool,
    untrusted: Vec<Spanned<Path>>,
}

/// What a contract gives its agents.
#[derive(Default)]
struct Shared {
    id: Option<Spanned<String>>,
    words: SharedWords,
    named: BTreeMap<String, Span>,
    offset: Option<i32>,
    lets: Vec<Let>,
    guards: Vec<GuardSpec>,
    budgets: Vec<BudgetSpec>,
    approvals: Option<Approvals>,
}

impl<'s, 'k> Parser<'s, 'k> {
    fn new(sources: &'s Sources, registry: Registry<'k>) -> Parser<'s, 'k> {
        let mut decoder = Decoder::new(sources);
        decoder.later = LATER;
        Parser {
            decoder,
            registry,
            missing: BTreeSet::new(),
            ids: BTreeMap::new(),
            definitions: Definitions::default(),
            params: Object::new(),
            constants: Vec::new(),
            lets: BTreeSet::new(),
            packs: Vec::new(),
        }
    }

    /// The tree of a file that is a spec.
    fn spec_file(&mut self, file: FileId) -> Option<Node> {
        let node = self.decoder.read(file)?;
        if let Some((kind, span)) = kind_of_file(&node).filter(|(kind, _)| *kind != "a spec") {
            let problem = Diagnostic::error("wrong-file", span, format!("this file is {kind}, not a spec"));
            self.decoder.report(problem.help("name a spec: its first key is `agentspec`"));
            return None;
        }
        Some(node)
    }

    fn spec(&mut self, file: FileId) -> Option<Spec> {
        let node = self.spec_file(file)?;
        let node = super::extends::merged(&mut self.decoder, &mut self.missing, node, &mut vec![file])?;
        let fields = self.decoder.open(&node, &SPEC)?;
        self.version(&fields, "agentspec");
        let shared = fields.get("contract").and_then(|node| self.contract(node)).unwrap_or_default();
        let mut named = shared.named;
        self.packs(&fields);
        self.definitions(&fields, &mut named);
        self.params(&fields, &mut named);
        let mut lets = shared.lets;
        lets.extend(self.lets(&fields, &mut named));
        let lets = names::arranged(lets);
        self.check_lets(&lets);
        let offset = self.offset(&fields);
        let tools = fields.get("tools").map(|node| self.tools(node)).unwrap_or_default();
        let (mut guards, mut budgets) = (shared.guards, shared.budgets);
        guards.extend(self.guards(&fields, Layer::Spec));
        let flow = self.edges(&fields);
        budgets.extend(self.budgets(&fields, Layer::Spec));
        let chains = self.chains(&fields);
        let world = fields.get("world").map(|node| self.world(node)).unwrap_or_default();
        let id = fields.get("id").and_then(|node| self.decoder.id(node));
        let persona = self.words(&fields, "persona");
        let lane = fields.get("scope").and_then(|node| self.lane(node));
        let behavior = self.word_list(&fields, "behavior");
        let directives = self.directives(&fields);
        let controls = fields.get("controls").map(|node| self.controls(node)).unwrap_or_default();
        let approvals = super::approvals::of_spec(&mut self.decoder, &fields, shared.approvals);
        let grants = fields.get("grants").map(|node| self.grants(node)).unwrap_or_default();
        Some(Spec {
            grants,
            default: self.word(&fields, "default", DefaultVerdict::WORDS),
            mode: self.word(&fields, "mode", Mode::WORDS),
            world: world.schema,
            untrusted_world: world.untrusted,
            world_goes_stale: world.goes_stale,
            params: std::mem::take(&mut self.params).into(),
            lets,
            offset: offset.or(shared.offset),
            approvals,
            ledger: fields.get("ledger").map(|node| self.ledger(node)).unwrap_or_default(),
            controls,
            id: id?,
            persona: persona?,
            lane,
            behavior,
            directives,
            contract: shared.id,
            words: shared.words,
            definitions: std::mem::take(&mut self.definitions),
            tools,
            guards,
            flow,
            chains,
            budgets,
            sources_digest: digest_of(self.decoder.sources),
        })
    }

    fn version(&mut self, fields: &Fields<'_>, key: &str) {
        let Some(node) = fields.get(key) else { return };
        if let Some(version) = self.decoder.count(node)
            && version.value != 1
        {
            let message = format!("this is version {} of the format, and this program knows version 1", version.value);
            let problem = Diagnostic::error("unknown-version", version.span, message);
            self.decoder.report(problem.help(format!("write `{key}: 1`")).edit(version.span, "1"));
        }
    }

    fn word<T: Copy + Default>(&mut self, fields: &Fields<'_>, key: &str, words: &[(&'static str, T)]) -> T {
        fields.get(key).and_then(|node| self.decoder.word(node, words)).unwrap_or_default()
    }

    fn text(&mut self, fields: &Fields<'_>, key: &str) -> Option<String> {
        fields.get(key).and_then(|node| self.decoder.sentence(node)).map(|text| text.value)
    }

    fn id(&mut self, fields: &Fields<'_>) -> Option<Spanned<String>> {
        let id = self.decoder.id(fields.get("id")?)?;
        if let Some(first) = self.ids.get(&id.value) {
            let problem = Diagnostic::error("duplicate-id", id.span, format!("`{}` is the id of two rules", id.value));
            self.decoder.report(
                problem.label(*first, "first used here").help("a deny names its rule by this id; give each its own"),
            );
            return None;
        }
        self.ids.insert(id.value.clone(), id.span);
        Some(id)
    }

    fn packs(&mut self, fields: &Fields<'_>) {
        let entries = fields.get("packs").map(|node| self.decoder.entries(node)).unwrap_or_default();
        for entry in entries {
            let Some(path) = self.decoder.text(&entry.value) else { continue };
            let file = locate(&mut self.decoder, &mut self.missing, &path.value, path.span);
            if let Some(pack) = file.and_then(|file| super::packs::read(&mut self.decoder, file, path.span)) {
                self.packs.push((entry.key.clone(), pack));
            }
        }
    }

    fn definitions(&mut self, fields: &Fields<'_>, named: &mut BTreeMap<String, Span>) {
        let Some(node) = fields.get("$defs") else { return };
        for entry in self.decoder.entries(node) {
            if let Some(earlier) = named.insert(entry.key.to_string(), entry.key_span) {
                let message = format!("`{}` is defined in the contract too", entry.key);
                let problem = Diagnostic::error("shadowed-name", entry.key_span, message);
                self.decoder
                    .report(problem.label(earlier, "defined here").help("rename one: a name never shadows another"));
            }
        }
        if let Some(Value::Object(shared)) = self.schemas().read(node) {
            self.definitions.shared.insert(0, shared);
        }
    }

    fn schemas(&mut self) -> Schemas<'_, 's> {
        Schemas { decoder: &mut self.decoder, files: &mut self.definitions.files, missing: &mut self.missing }
    }

    fn grants(&mut self, node: &Node) -> Grants {
        let Some(fields) = self.decoder.open(node, &GRANTS) else { return Grants::default() };
        Grants {
            effects: fields.get("effects").map(|node| self.effects(node)),
            scopes: fields
                .get("scopes")
                .map(|node| self.texts(node))
                .unwrap_or_default()
                .into_iter()
                .map(|text| text.value)
                .collect(),
        }
    }

    fn ledger(&mut self, node: &Node) -> LedgerSpec {
        let Some(fields) = self.decoder.open(node, &LEDGER) else { return LedgerSpec::default() };
        let keys = fields.get("secretKeys").map(|node| self.texts(node)).unwrap_or_default();
        for key in keys.iter().filter(|key| !key.value.chars().any(char::is_alphanumeric)) {
            let problem = Diagnostic::error("bad-name", key.span, format!("`{}` names no key", key.value));
            self.decoder.report(problem.help("write a name with letters or digits in it"));
        }
        LedgerSpec {
            keep_secrets: fields.get("keepSecrets").and_then(|node| self.decoder.bool(node)).unwrap_or(true),
            secret_keys: keys.into_iter().map(|key| key.value).collect(),
        }
    }

    fn effects(&mut self, node: &Node) -> Vec<Effect> {
        let items = self.decoder.list(node);
        self.decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
        items.iter().filter_map(|item| self.decoder.word(item, Effect::WORDS)).collect()
    }

    fn texts(&mut self, node: &Node) -> Vec<Spanned<String>> {
        let items = self.decoder.list(node);
        self.decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
        items.iter().filter_map(|item| self.decoder.text(item)).collect()
    }

    fn world(&mut self, node: &Node) -> World {
        if !matches!(node.data, Data::Map(_)) {
            self.decoder.wrong_type_with(node, "a map (`world`)", Some(("{schema: ".into(), "}")));
            return World::default();
        }
        let Some(fields) = self.decoder.open(node, &WORLD) else { return World::default() };
        World {
            schema: fields.get("schema").and_then(|schema| self.world_schema(schema)),
            goes_stale: self.word(&fields, "stale", &[("allow", false), ("deny", true)]),
            untrusted: match fields.get("untrusted") {
                Some(node) => super::tools::untrusted(&mut self.decoder, node),
                None => Vec::new(),
            },
        }
    }

    fn world_schema(&mut self, schema: &Node) -> Option<Spanned<Value<'static>>> {
        let value = match &schema.data {
            Data::Text(path) => self.schemas().refer(schema, path),
            _ => self.schemas().read(schema),
        };
        Some(Spanned::new(value?, schema.span))
    }

    fn tools(&mut self, node: &Node) -> Vec<ToolSpec> {
        let mut tools: Vec<ToolSpec> = Vec::new();
        for entry in self.decoder.entries(node) {
            let key = Node::text_at(&entry.key, entry.key_span);
            let name = self.decoder.tool_pattern(&key).map(|_| Spanned::new(Pattern::key(&entry.key), entry.key_span));
            let tool = self.tool(name, &entry.value);
            if let Some(tool) = tool {
                if let Some(first) = tools.iter().find(|first| first.name.value == tool.name.value) {
                    let message = format!("`{}` is declared twice", tool.name.value);
                    let problem = Diagnostic::error("duplicate-tool", tool.name.span, message)
                        .label(first.name.span, "first here");
                    self.decoder.report(problem.help("`mcp__server__name` is another spelling of `server/name`"));
                }
                tools.push(tool);
            }
        }
        tools
    }

    fn tool(&mut self, name: Option<Spanned<Pattern>>, node: &Node) -> Option<ToolSpec> {
        let fields = self.decoder.open(node, &TOOL)?;
        let effect = fields.get("effect").map_or(Some(Effect::External), |node| self.decoder.word(node, Effect::WORDS));
        let description = self.text(&fields, "description");
        let scopes = fields.get("scopes").map(|node| self.texts(node)).unwrap_or_default();
        let rewrites = fields.get("rewrite").map(|node| super::tools::rewrites(&mut self.decoder, node));
        let coerce = fields.get("coerce").and_then(|node| self.decoder.bool(node)).unwrap_or(false);
        let destructive = match fields.get("destructive") {
            Some(node) => self.destructive(node)?,
            None => Destructive::Never,
        };
        let error_when = self.expression(&fields, "errorWhen");
        let label = self.template(&fields, "label");
        let returns = match fields.get("returns") {
            Some(node) => Some(self.parameters(node)?),
            None => None,
        };
        let ends = self.word(&fields, "ends", &[("session", true)]);
        let outcome = fields.get("outcome").and_then(|node| self.decoder.text(node));
        let cost = fields.get("cost").and_then(|node| super::tools::cost(&mut self.decoder, node));
        let parameters = match fields.get("parameters") {
            Some(node) => Some(self.parameters(node)?),
            None => None,
        };
        let declares = match fields.get("declares") {
            Some(node) => Some(self.declares(node)?),
            None => None,
        };
        let idempotency = fields.get("idempotency").and_then(|node| super::tools::idempotency(&mut self.decoder, node));
        let untrusted = fields.get("untrusted").map(|node| super::tools::untrusted(&mut self.decoder, node));
        let sensitive = fields.get("sensitive").map(|node| super::tools::sensitive(&mut self.decoder, node));
        let name = name?;
        let taken = || super::tools::untrusted_by_default(&name.value).into_iter();
        Some(ToolSpec {
            untrusted: untrusted.unwrap_or_else(|| taken().map(|path| Spanned::new(path, name.span)).collect()),
            sensitive: sensitive.unwrap_or_default(),
            name,
            description,
            effect: effect?,
            scopes,
            rewrites: rewrites.unwrap_or_default(),
            coerce,
            destructive,
            label,
            ends,
            outcome,
            cost,
            parameters,
            declares,
            returns,
            error_when,
            idempotency,
        })
    }

    fn destructive(&mut self, node: &Node) -> Option<Destructive> {
        if !matches!(node.data, Data::Map(_)) {
            let always = self.decoder.bool(node)?;
            return Some(if always { Destructive::Always } else { Destructive::Never });
        }
        let fields = self.decoder.open(node, &DESTRUCTIVE)?;
        self.expression(&fields, "when").map(Destructive::When)
    }

    fn parameters(&mut self, node: &Node) -> Option<Parameters> {
        if !matches!(node.data, Data::Map(_)) {
            self.decoder.wrong_type_with(node, "a map (a JSON Schema)", Some(("{$ref: ".into(), "}")));
            return None;
        }
        let schema = self.schemas().read(node)?;
        Some(Parameters { schema, node: Arc::new(node.clone()) })
    }

    /// The selectors of a rule: `tools`, `except`, `effects`.
    fn selection(&mut self, fields: &Fields<'_>, tools: &str) -> Selection {
        let mut patterns = |key: &str, empty: &str| {
            fields.get(key).map(|node| decode_patterns(&mut self.decoder, node, empty)).unwrap_or_default()
        };
        let empty = if tools == "to" { "name a tool" } else { "name a tool, or leave `tools` out for every tool" };
        let of = patterns(tools, empty);
        let except = patterns("except", "name a tool, or leave `except` out");
        let effects = fields.get("effects").map(|node| self.effects(node)).unwrap_or_default();
        if let Some(node) = fields.get("effects")
            && let Data::List(items) = &node.data
        {
            self.decoder.some(node, items, "name an effect, or leave `effects` out for every effect");
        }
        let bare = |patterns: &[Spanned<Pattern>]| patterns.iter().map(|pattern| pattern.value.clone()).collect();
        let selector = Selector { tools: bare(&of), except: bare(&except), effects };
        Selection { selector, patterns: of.into_iter().chain(except).collect() }
    }

    fn budgets(&mut self, fields: &Fields<'_>, layer: Layer) -> Vec<BudgetSpec> {
        let items = fields.get("budgets").map(|node| self.decoder.list(node)).unwrap_or_default();
        items.iter().filter_map(|item| self.budget(item, layer)).collect()
    }

    fn budget(&mut self, node: &Node, layer: Layer) -> Option<BudgetSpec> {
        let fields = self.decoder.open(node, &BUDGET)?;
        let id = self.id(&fields);
        let selection = self.selection(&fields, "tools");
        let terms = super::budgets::terms(&mut self.decoder, &fields);
        Some(BudgetSpec { id: id?, layer, selection, terms: terms? })
    }

    fn controls(&mut self, node: &Node) -> Controls {
        let Some(fields) = self.decoder.open(node, &CONTROLS) else { return Controls::default() };
        let exhaustion_reply = self.template(&fields, "exhaustionReply");
        self.constant_text(&fields, "exhaustionReply", exhaustion_reply.as_ref());
        let mut limit =
            |key: &str| fields.get(key).and_then(|node| super::controls::limit(&mut self.decoder, node, key));
        Controls {
            span: node.span,
            veto_streak: limit("vetoStreak"),
            calls_per_step: limit("callsPerStep"),
            text_with_calls: fields
                .get("textWithCalls")
                .and_then(|node| TextWithCalls::decode(&mut self.decoder, node)),
            redrives: fields.get("redrives").and_then(|node| self.decoder.count(node)).map(|count| count.value),
            stream: self.word(&fields, "stream", Streaming::WORDS),
            profile: self.word(&fields, "profile", Profile::WORDS),
            terminal: fields.get("terminal").and_then(|node| self.terminal(node)).unwrap_or_default(),
            exhaustion_reply,
            off: fields.get("auto").map(|node| self.switched_off(node)).unwrap_or_default(),
        }
    }

    fn terminal(&mut self, node: &Node) -> Option<Terminal> {
        if !matches!(node.data, Data::Map(_)) {
            let replies = self.decoder.word(node, Terminal::WORDS)?;
            return Some(if replies { Terminal::ReplyOnly } else { Terminal::Any });
        }
        let fields = self.decoder.open(node, &TERMINAL)?;
        self.expression(&fields, "replyOnly").map(Terminal::ReplyOnlyWhen)
    }

    fn switched_off(&mut self, node: &Node) -> Vec<&'static str> {
        let Some(auto) = self.decoder.open(node, &AUTO) else { return Vec::new() };
        let known = AUTO.fields.iter().map(|field| field.key);
        known.filter(|key| auto.get(key).and_then(|node| self.decoder.bool(node)) == Some(false)).collect()
    }
}

/// SHA-256 over every file's path and bytes, each with its length before it.
fn digest_of(sources: &Sources) -> Digest {
    let mut bytes = Vec::new();
    let mut files: Vec<_> = sources.files().collect();
    files.sort_by_key(|file| file.path());
    for file in files {
        for part in [file.path().as_bytes(), file.bytes()] {
            bytes.extend_from_slice(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            bytes.extend_from_slice(part);
        }
    }
    Digest::of(&bytes)
}
