//! The workloads of DESIGN section 9, brought to the point where one call is to be decided.
//!
//! Text to policy, then the history through `decide` and `commit` as a host would send it. Nothing is measured here; what
//! does not fit the workload's own files stops the bench.

use flyball::canon;
use flyball::decision::{Decision, Verdict};
use flyball::diagnostic::Diagnostic;
use flyball::event::{Body, Call, Event, Opening, WorldChange, read};
use flyball::facts::Typed;
use flyball::json::{Limits, parse};
use flyball::lint::{Levels, Linted, lint, settle};
use flyball::policy::{Policy, compile};
use flyball::session::{Refusal, Session, Step, decide};
use flyball::source::Sources;
use flyball::spec;
use flyball::value::Value;
use std::sync::Arc;

/// The spec of task P.
pub const P_SPEC: &str = include_str!("../workloads/p.yaml");
/// The spec of workload W.
pub const W_SPEC: &str = include_str!("../workloads/w.yaml");

const P_CALLS: &str = include_str!("../workloads/p.json");
const W_CALLS: &str = include_str!("../workloads/w.json");

/// How a session begins: with a ledger or without.
type Begin = fn(&Policy, &Event<'_>) -> Result<(Session, Step), Refusal>;

/// After so many calls of the history a new turn begins.
const CALLS_A_TURN: usize = 10;

/// Compiles a spec, or says why it cannot be.
pub fn policy(text: &str) -> Policy {
    policy_of(&Sources::new("spec.yaml", text))
}

/// The same of files.
pub fn policy_of(sources: &Sources) -> Policy {
    let parsed = spec::parse(sources);
    let spec = parsed.spec.unwrap_or_else(|| panic!("the workload is no spec: {:?}", parsed.diagnostics));
    compile(&spec).unwrap_or_else(|problems| panic!("the workload does not compile: {problems:?}"))
}

/// What the linter says of files.
pub fn findings(sources: &Sources) -> Vec<Diagnostic> {
    let parsed = spec::parse(sources);
    let spec = parsed.spec.unwrap_or_else(|| panic!("the workload is no spec: {:?}", parsed.diagnostics));
    let policy = compile(&spec).unwrap_or_else(|problems| panic!("the workload does not compile: {problems:?}"));
    let mut found = parsed.diagnostics;
    found.extend_from_slice(policy.warnings());
    found.extend(lint(&Linted::of(sources, &spec, &policy)));
    settle(sources, found, &Levels::default())
}

/// A session with its history, and the calls to decide.
#[derive(Clone, Debug)]
pub struct Workload {
    /// The policy.
    pub policy: Arc<Policy>,
    /// The session after the history.
    pub session: Session,
    calls: Arc<Value<'static>>,
    events: usize,
}

impl Workload {
    /// Task P under a spec that has at least the tools of P.
    pub fn p(spec: &str) -> Workload {
        let mut workload = Workload::open(spec, P_CALLS, Session::open);
        workload.history(workload.count());
        workload
    }

    /// Workload W after so many calls.
    pub fn w(calls: usize) -> Workload {
        let mut workload = Workload::open(W_SPEC, W_CALLS, Session::open);
        workload.history(calls);
        workload
    }

    /// A call that has a list of 100 numbers and one guard, which goes over it once for each three of them: fuel ends it.
    pub fn nested() -> Workload {
        let spec = "\
agentspec: 1
id: nested
persona: You are the desk.
tools:
  add: {effect: read, parameters: {type: object, required: [items], properties: {items: {type: array, items: {type: number}}}}}
guards:
  preTool:
    - id: never-ends
      tools: [add]
      check: args.items.all(a, args.items.all(b, args.items.all(c, a + b + c >= 0)))
      prose: no three may be below 0
      correction: Send less.
";
        let items: Vec<String> = (0..100).map(|number: u32| number.to_string()).collect();
        let calls = format!(r#"{{"call":{{"tool":"add","args":{{"items":[{}]}}}}}}"#, items.join(","));
        Workload::open(spec, Box::leak(calls.into_boxed_str()), Session::open)
    }

    /// Workload W with seven of its kinds as expressions, after so many calls.
    pub fn w_of_expressions(calls: usize) -> Workload {
        let mut workload = Workload::open(&w_of_expressions(), W_CALLS, Session::open);
        workload.history(calls);
        workload
    }

    /// Workload W with a rule that a customer has one of three sources, after so many calls. The call `known` has the last.
    pub fn w_from(calls: usize) -> Workload {
        let rule = "{id: known, tools: [createBooking], kind: argFrom, \
                    with: {arg: customerId, from: [user, {expr: world.plan}, {tool: getCustomer, path: id}]}}";
        let spec = format!("{}    - {rule}\n", W_SPEC.trim_end().to_owned() + "\n");
        let mut workload = Workload::open(&spec, W_CALLS, Session::open);
        workload.history(calls);
        workload
    }

    /// Workload W after 10 calls with a mutator and two judges of replies beside the automatic ones, as the reference
    /// workload has them.
    pub fn w_replies() -> Workload {
        // The indentation is part of the text.
        let guards = "  onReply:
    - {id: no-jargon, kind: jargonScrub, with: {map: {CANC_PEND: waiting to be cancelled, bk_state: status, AR_OPEN: unpaid, custRef: customer, dispQ: dispatch list}}}
    - {id: no-rivals, kind: mustNotMention, with: {words: [Acme Rentals, Northside Hire, BestLift]}}
    - {id: no-day, kind: blockPattern, with: {name: a promised day, pattern: '(?i)guaranteed (on|by) [a-z]{3,6}day', rule: promise no day}}
";
        let spec = W_SPEC.replacen("guards:\n", &format!("guards:\n{guards}"), 1);
        let mut workload = Workload::open(&spec, W_CALLS, Session::open);
        workload.history(10);
        workload
    }

    /// Task P, every step with its hashed record.
    pub fn p_recorded() -> Workload {
        let mut workload = Workload::open(P_SPEC, P_CALLS, Session::open_recorded);
        workload.history(workload.count());
        workload
    }

    fn open(spec: &str, calls: &'static str, begin: Begin) -> Workload {
        let policy = Arc::new(policy(spec));
        let calls = parse(calls.as_bytes(), &Limits::default()).expect("the workload's calls are JSON");
        let opening = Opening { nonce: Some("bench".into()), ..Opening::default() };
        let mut event = Event::new("open", "s1", Body::SessionOpened(opening));
        if let Some(world) = calls.get("world") {
            event = event.with_world(WorldChange::Whole(world.clone()));
        }
        let (mut session, step) = begin(&policy, &event).expect("the session opens");
        session.commit(step).expect("an opening is not stale");
        Workload { policy, session, calls: Arc::new(calls), events: 0 }
    }

    fn count(&self) -> usize {
        self.calls.get("history").and_then(Value::as_array).map_or(0, <[_]>::len)
    }

    fn history(&mut self, calls: usize) {
        let history = self.calls.clone();
        let history = history.get("history").and_then(Value::as_array).expect("a list `history`");
        for (number, entry) in history.iter().cycle().take(calls).enumerate() {
            if number % CALLS_A_TURN == 0 {
                self.commit(Body::turn(Some(Typed::new("Book it for the customer, please."))));
            }
            let filled = |key| fill(entry.get(key).expect("a history entry has it"), number / history.len());
            let id = format!("h{number}");
            let decision = self.commit(Body::ToolProposed(Call {
                id: id.clone().into(),
                tool: tool(entry).to_owned().into(),
                args: filled("args"),
                cwd: None,
            }));
            assert!(is_allowed(&decision), "the history is allowed: {decision:?}");
            let outcome = flyball::event::Outcome::Ok { result: filled("result"), effect: None };
            self.commit(Body::ToolFinished { call: id.into(), outcome });
        }
    }

    fn commit(&mut self, body: Body<'_>) -> Arc<Decision> {
        self.events += 1;
        let event = Event::new(format!("e{}", self.events), "s1", body);
        let step = decide(&self.policy, &self.session, &event);
        self.session.commit(step).expect("nobody else commits")
    }

    /// The line of the event that proposes a call; each number is another event and another call.
    pub fn line(&self, which: &str, number: usize) -> String {
        let call = self.calls.get(which).expect("the call");
        format!(
            r#"{{"v":"flyball/1","type":"toolProposed","id":"evt-{number:06}","session":"s1","call":"call_{number:06}","tool":"{}","args":{}}}"#,
            tool(call),
            canon::to_text(call.get("args").expect("its arguments"))
        )
    }

    /// The same, read, for as long as the bench runs.
    pub fn event(&self, which: &str, number: usize) -> Event<'static> {
        let line: &'static str = Box::leak(self.line(which, number).into_boxed_str());
        read(line.as_bytes()).expect("the bench's own event")
    }

    /// Checks that the event gets the verdict the workload is about.
    pub fn expect(&self, event: &Event<'_>, allowed: bool) {
        let step = decide(&self.policy, &self.session, event);
        assert_eq!(is_allowed(step.decision()), allowed, "{:?}", step.decision());
    }
}

fn tool<'v>(call: &'v Value<'_>) -> &'v str {
    call.get("tool").and_then(Value::as_str).expect("a tool")
}

fn is_allowed(decision: &Decision) -> bool {
    matches!(decision, Decision::Call(call) if matches!(call.verdict, Verdict::Allow(_)))
}

/// Puts a number of four digits where a text says `{n}`.
fn fill(value: &Value<'_>, number: usize) -> Value<'static> {
    let text = canon::to_text(value).replace("{n}", &format!("{:04}", number % 10_000));
    parse(text.as_bytes(), &Limits::default()).expect("still JSON").into_owned()
}

/// P with further lines under `guards.preTool`.
pub fn p_with(rules: impl IntoIterator<Item = String>) -> String {
    let mut text = P_SPEC.to_owned();
    for rule in rules {
        text.push_str("    - ");
        text.push_str(&rule);
        text.push('\n');
    }
    text
}

/// A spec with the rule of an id replaced by an expression.
fn checked(spec: &str, id: &str, check: &str) -> String {
    let rule = |line: &str| match line.split_once("kind: ") {
        Some((head, _)) if line.contains(&format!("{{id: {id},")) => {
            format!("{head}check: \"{check}\", prose: as it says, correction: Change it.}}")
        }
        _ => line.to_owned(),
    };
    let text: Vec<String> = spec.lines().map(rule).collect();
    assert!(text.iter().zip(spec.lines()).any(|(new, old)| new != old), "no rule `{id}` with a kind");
    text.join("\n") + "\n"
}

/// P with its amount rule as an expression.
pub fn p_expression() -> String {
    checked(P_SPEC, "cap", "args.amount <= 500")
}

/// The same with the limit among the constants.
pub fn p_constant() -> String {
    checked(P_SPEC, "cap", "args.amount <= params.limit").replace("controls:", "params: {limit: 500.00}\ncontrols:")
}

/// P with a further rule that is an expression.
pub fn p_checking(check: &str) -> String {
    p_with([further_check(0, check)])
}

fn further_check(number: usize, check: &str) -> String {
    format!(
        "{{id: check-{number}, tools: [refund_payment], check: \"{check}\", prose: as it says, correction: Change it.}}"
    )
}

/// P with a let that eight further rules read.
pub fn p_let() -> String {
    let rules = (0..8).map(|number| further_check(number, &format!("fee <= {}", 50 + number)));
    p_with(rules).replace("controls:", "let: {fee: 'args.amount * 0.025 + 0.30'}\ncontrols:")
}

/// P with a budget of what is paid back.
pub fn p_sum() -> String {
    let budget = "budgets: [{id: spend, sum: args.amount, tools: [refund_payment], scope: session, max: 1000.00}]";
    P_SPEC.replace("controls:", &format!("{budget}\ncontrols:"))
}

/// P with a key that makes two calls one.
pub fn p_key() -> String {
    let key = "effect: external\n    idempotency: {key: '[args.order_id, args.amount]', window: 24h}";
    P_SPEC.replacen("effect: external", key, 1)
}

/// W with seven of its kinds as expressions.
fn w_of_expressions() -> String {
    let checks = [
        ("customer-given", "has(args.customerId)"),
        ("start-format", r"args.startDate.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}$')"),
        ("end-format", r"args.endDate.matches('^[0-9]{4}-[0-9]{2}-[0-9]{2}$')"),
        ("asset-given", "args.startDate <= args.endDate"),
        ("booking-cap", "world.atBookingCap == false"),
        ("asset-format", "args.assetId.startsWith('ast_')"),
        ("money-permission", "world.canMoveMoney == true"),
    ];
    checks.iter().fold(W_SPEC.to_owned(), |spec, (id, check)| checked(&spec, id, check))
}

/// The files of an example spec, the spec first.
pub fn files(spec: &str) -> Sources {
    let read = |path: &str| {
        let file = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let mut sources = Sources::new(spec, read(spec));
    loop {
        let missing = spec::parse(&sources).missing;
        if missing.is_empty() {
            return sources;
        }
        for path in missing {
            let bytes = read(&path);
            sources.insert(path, bytes);
        }
    }
}

/// P with 9,980 rules about 499 other tools, 20 each.
pub fn p_among_others() -> String {
    let mut tools = String::new();
    let mut rules = Vec::new();
    for tool in 0..499 {
        tools.push_str(&format!(
            "  t{tool}: {{effect: read, parameters: {{type: object, properties: {{a: {{type: number}}}}}}}}\n"
        ));
        let rule = |n| format!("{{id: o{tool}-{n}, tools: t{tool}, kind: argRange, with: {{arg: a, max: {n}}}}}");
        rules.extend((1..=20).map(rule));
    }
    p_with(rules).replace("controls:", &format!("{tools}controls:"))
}

/// P with a deny list of so many order ids.
pub fn p_denying(values: usize) -> String {
    let list: Vec<String> = (0..values).map(|n| format!("BAD-{n:06}")).collect();
    p_with([format!(
        "{{id: deny-list, tools: [refund_payment], kind: argOneOf, with: {{arg: order_id, not: [{}]}}}}",
        list.join(", ")
    )])
}

/// P with 20 further rules of one sort.
pub fn p_further(rule: fn(usize) -> String) -> String {
    p_with((0..20).map(|n| format!("{{id: more-{n}, tools: [refund_payment], {}}}", rule(n))))
}

/// A further range.
pub fn range(n: usize) -> String {
    format!("kind: argRange, with: {{arg: amount, max: {}.25}}", 600 + n)
}

/// A further list.
pub fn list(n: usize) -> String {
    format!("kind: argOneOf, with: {{arg: currency, not: [X{n:02}, Y{n:02}, Z{n:02}]}}")
}

/// A further ordering.
pub fn ordering(n: usize) -> String {
    let tool = ["lookup_order", "lookup_payment", "check_fraud"][n % 3];
    format!("kind: requiresBefore, with: {{deps: {tool}, same: order_id}}")
}

/// A further rule of P's own mixture: 9 ranges, 6 lists, 5 orderings.
pub fn mixed(n: usize) -> String {
    match n {
        0..9 => range(n),
        9..15 => list(n),
        _ => ordering(n),
    }
}
