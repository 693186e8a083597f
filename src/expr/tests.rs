//! Tests of expressions: tables of cases in `tests/*.yaml`, the examples of `docs/expressions.md`, and laws.

mod limits;
mod oracle;
mod properties;
mod tables;
mod worst;

use super::*;
use crate::context::{BindProblem, Context};
use crate::facts::{Facts, Typed};
use crate::hash::SessionKey;
use crate::json::{Limits, parse as json};
use crate::observed::{Batch, IndexId, IndexPlan, Observed, View};
use crate::schema::SchemaSources;
use crate::source::{FileId, Sources};
use crate::time::Timestamp;
use crate::tool::Effect;

/// What a test's expressions meet: a tool, a world, constants, lets, and one call.
pub(super) struct Fixture {
    pub(super) tools: Vec<(&'static str, ArgSchema, Option<ArgSchema>)>,
    pub(super) world_schema: Option<ArgSchema>,
    pub(super) params: Value<'static>,
    pub(super) lets: Vec<Let>,
    pub(super) args: Value<'static>,
    pub(super) world: Value<'static>,
    pub(super) result: Option<Value<'static>>,
    pub(super) session: Value<'static>,
    pub(super) now: Option<Timestamp>,
    pub(super) input: Option<Value<'static>>,
    pub(super) stale: bool,
    pub(super) declares: Option<ArgSchema>,
    pub(super) declared: Value<'static>,
    pub(super) hook: Hook,
    pub(super) offset: Option<i32>,
    pub(super) observed: Observed,
    pub(super) plan: IndexPlan,
    pub(super) facts: Facts,
}

pub(super) fn value(text: &str) -> Value<'static> {
    json(text.as_bytes(), &Limits::default()).unwrap().into_owned()
}

pub(super) fn schema(text: &str) -> ArgSchema {
    ArgSchema::compile(&value(text), &SchemaSources::none()).unwrap()
}

/// The expression in a YAML text, or why it is none.
pub(super) fn read(text: &str) -> Result<Expression, String> {
    let yaml = format!("e: {}\n", serde_json::to_string(text).unwrap());
    let sources = Sources::new("e.yaml", yaml);
    let mut decoder = Decoder::new(&sources);
    let node = decoder.read(FileId(0)).unwrap();
    let expression = Expression::decode(&mut decoder, node.get("e").unwrap());
    let line = |problem: &Diagnostic| {
        let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{} at `{}`: {}{help}", problem.rule, sources.slice(problem.span), problem.message)
    };
    expression.ok_or_else(|| decoder.diagnostics.iter().map(line).collect::<Vec<_>>().join("\n"))
}

pub(super) fn named_let(name: &str, text: &str, missing: Option<&str>) -> Let {
    let missing = missing.map(|text| template(text).unwrap());
    Let { name: Spanned::new(name.to_owned(), Span::default()), value: read(text).unwrap(), missing }
}

pub(super) fn template(text: &str) -> Result<Template, String> {
    let yaml = format!("e: {}\n", serde_json::to_string(text).unwrap());
    let sources = Sources::new("e.yaml", yaml);
    let mut decoder = Decoder::new(&sources);
    let node = decoder.read(FileId(0)).unwrap();
    let template = Template::decode(&mut decoder, node.get("e").unwrap());
    template.ok_or_else(|| {
        let first = decoder.diagnostics.first().unwrap();
        format!("{} at `{}`: {}", first.rule, sources.slice(first.span), first.message)
    })
}

impl Fixture {
    pub(super) fn new() -> Fixture {
        let args = schema(include_str!("tests/refund.json"));
        let returns =
            schema(r#"{"type": "object", "properties": {"id": {"type": "string"}, "paid": {"type": "number"}}}"#);
        let lookup = schema(
            r#"{"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "string"}, "deep": {"type": "boolean"}}}"#,
        );
        let data = value(include_str!("tests/facts.json"));
        let of = |key: &str| data.get(key).unwrap().to_owned_value();
        let mut fixture = Fixture {
            tools: vec![("refund", args, Some(returns)), ("lookup_order", lookup, None)],
            world_schema: Some(schema(include_str!("tests/world.json"))),
            params: of("params"),
            lets: Vec::new(),
            args: of("args"),
            world: of("world"),
            result: Some(of("result")),
            input: None,
            session: of("session"),
            now: Timestamp::parse("2031-03-04T09:30:15.25Z"),
            stale: false,
            declares: None,
            declared: Value::Object(crate::value::Object::new()),
            hook: Hook::PostTool,
            offset: Some(-300),
            observed: Observed::new(&IndexPlan::default()),
            plan: IndexPlan::default(),
            facts: Facts::default(),
        };
        fixture.lets = vec![
            named_let("order", "world.orders[args.order_id]", Some("There is no order {args.order_id}.")),
            named_let("total", "order.total", None),
            named_let("twice", "total * 2", None),
            named_let("broken", "args.amont", None),
            named_let("reader", "broken + 1", None),
        ];
        fixture
    }

    /// Compiles under this fixture and hands over what came out.
    pub(super) fn compile<R>(
        &self,
        plan: &mut IndexPlan,
        work: impl FnOnce(&mut Compiler<'_, '_>) -> R,
    ) -> (R, Compiled) {
        let tools: Vec<ToolTypes<'_>> = self
            .tools
            .iter()
            .map(|(name, args, returns)| ToolTypes {
                name,
                args,
                returns: returns.as_ref(),
                declared: self.declares.as_ref(),
                untrusted: &[],
                sensitive: &[],
            })
            .collect();
        let scope = Scope {
            hook: self.hook,
            tool: matches!(self.hook, Hook::PreTool | Hook::PostTool).then(|| tools[0]),
            world: self.world_schema.as_ref(),
            untrusted_world: &[],
            params: &self.params,
            authored: &[],
            lets: &self.lets,
            tools: &tools,
            offset: self.offset,
        };
        let mut compiler = Compiler::new(scope, plan);
        let result = work(&mut compiler);
        (result, compiler.finish())
    }

    /// Evaluates with the call of this fixture.
    pub(super) fn with<R>(&self, lets: &Lets, work: impl FnOnce(&mut Evaluation<'_>) -> R) -> R {
        let bound = self.tools[0].1.bind(&self.args).unwrap();
        let (batch, key) = (Batch::new(false), SessionKey::new([7; 16]));
        let context = Context {
            tool: "shop/refund",
            effect: Effect::External,
            is_destructive: false,
            args: &bound,
            declared: &self.declared,
            result: self.result.as_ref(),
            input: self.input.as_ref(),
            reply: None,
            hashes: &[],
            world: &self.world,
            world_is_stale: self.stale,
            session: &self.session,
            now: self.now,
            cwd: None,
            observed: View { observed: &self.observed, batch: &batch },
            facts: &self.facts,
            turn: 3,
            repeat: None,
            key: &key,
            answers: &[],
        };
        work(&mut Evaluation::new(context, lets))
    }

    /// The user types something.
    pub(super) fn hear(&mut self, text: &str) {
        let runs = self.facts.heard(&SessionKey::new([7; 16]), &Typed::new(text));
        self.facts.keep(&runs);
    }

    /// What an expression is: its value as JSON, its fault, or its problems.
    pub(super) fn run(&mut self, text: &str) -> String {
        let expression = match read(text) {
            Ok(expression) => expression,
            Err(problem) => return problem,
        };
        let mut plan = std::mem::take(&mut self.plan);
        let (program, compiled) = self.compile(&mut plan, |compiler| compiler.value(&expression));
        self.plan = plan;
        let program = match program {
            Ok(program) => program,
            Err(problems) => return self.shown(&problems, text),
        };
        self.with(&compiled.lets, |evaluation| match program.json(evaluation) {
            Ok(value) => crate::canon::to_text(&value),
            Err(Fault::Missing(what)) => format!("missing: {what}"),
            Err(Fault::Let(id)) => {
                format!("let {}: {}", compiled.lets.name(id), compiled.lets.missing(id, evaluation).unwrap())
            }
            Err(fault) => format!("fault: {fault}"),
        })
    }

    pub(super) fn shown(&self, problems: &[BindProblem], text: &str) -> String {
        let yaml = format!("e: {}\n", serde_json::to_string(text).unwrap());
        let sources = Sources::new("e.yaml", yaml);
        let line = |problem: &BindProblem| {
            let help = problem.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
            format!("{} at `{}`: {}{help}", problem.rule, sources.slice(problem.span), problem.message)
        };
        problems.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}
