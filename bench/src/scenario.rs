//! Every row of the bench: its name, what it is judged by, and the work itself.
//!
//! A [`Task`] separates what is prepared (never timed) from what is run. One table, [`SCENARIOS`], serves times and
//! instruction counts alike.

use crate::floor::Floor;
use crate::workload::{self, Workload};
use flyball::canon::Digest;
use flyball::event::{Body, Claims, Event, Said, read};
use flyball::json::{Limits, parse};
use flyball::ledger::verify::Verifier;
use flyball::ledger::{Chain, Durability, RecordKind};
use flyball::render::Prompt;
use flyball::session::{Session, decide};
use flyball::source::Sources;
use flyball::spec::Spec;
use std::hint::black_box;

/// Work to be measured.
pub trait Task {
    /// Before each batch, untimed.
    fn prepare(&mut self) {}

    /// The work, so many times.
    fn run(&mut self, times: usize);

    /// The most times in one batch.
    fn most(&self) -> usize {
        usize::MAX
    }
}

/// One row.
#[derive(Clone, Copy)]
pub struct Scenario {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// What it is judged by; empty for rows that explain others.
    pub target: Target,
    /// Sets it up.
    pub make: fn() -> Box<dyn Task>,
}

impl std::fmt::Debug for Scenario {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// What a row is judged by.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// Nothing: it explains other rows.
    None,
    /// At most so many nanoseconds.
    Nanoseconds(f64),
    /// At most so many times another row.
    Times(&'static str, f64),
    /// At most so many nanoseconds for each of so many further rules over another row.
    EachOver(&'static str, f64, f64),
}

impl Target {
    /// The row it is measured against.
    pub fn other(self) -> Option<&'static str> {
        match self {
            Target::Times(other, _) | Target::EachOver(other, _, _) => Some(other),
            Target::None | Target::Nanoseconds(_) => None,
        }
    }
}

/// The row that ratios are against.
pub const FLOOR: &str = "p-floor";

/// Every row, in the order of the report.
pub const SCENARIOS: &[Scenario] = &[
    row(FLOOR, "P by hand on the same value tree: schema, 20 rules", Target::None, || Box::new(ByHand::new())),
    row("p-decide", "P, event parsed, to the step", Target::Times(FLOOR, 3.0), || p(workload::P_SPEC)),
    row("p-decide-commit", "the same, committed", Target::None, || Box::new(Committed::new())),
    row("p-read", "P, bytes to event", Target::None, || Box::new(FromBytes::new(false))),
    row("p-bytes", "P, bytes to the step", Target::None, || Box::new(FromBytes::new(true))),
    row("p-record", "P, bytes to the step with its hashed record", Target::Nanoseconds(2000.0), || {
        Box::new(FromBytes::recorded())
    }),
    row("sha-256", "SHA-256 over the bytes of 1,000 records, per record", Target::None, || {
        Box::new(Hashing::new(false))
    }),
    row("verify", "verify over the same bytes, per record", Target::Times("sha-256", 3.5), || {
        Box::new(Hashing::new(true))
    }),
    row("p-turn", "an event without rules, to the step: the fixed part", Target::None, || Box::new(Decide::turn())),
    row("p-10000-rules", "P with 9,980 rules for other tools", Target::Times("p-decide", 1.2), || {
        p(&workload::p_among_others())
    }),
    row("p-more", "P with 40 rules of the same mixture", Target::EachOver("p-decide", 20.0, 12.0), || {
        p(&workload::p_further(workload::mixed))
    }),
    row("p-more-ranges", "P with 20 further ranges", Target::EachOver("p-decide", 20.0, 12.0), || {
        p(&workload::p_further(workload::range))
    }),
    row("p-more-lists", "P with 20 further lists", Target::EachOver("p-decide", 20.0, 12.0), || {
        p(&workload::p_further(workload::list))
    }),
    row("p-more-orderings", "P with 20 further orderings", Target::EachOver("p-decide", 20.0, 12.0), || {
        p(&workload::p_further(workload::ordering))
    }),
    row("p-deny-10", "P with a deny list of 10", Target::None, || p(&workload::p_denying(10))),
    row("p-deny-10000", "P with a deny list of 10,000", Target::Nanoseconds(500.0), || p(&workload::p_denying(10_000))),
    row("p-expression", "P with its amount rule as an expression", Target::Times(FLOOR, 3.0), || {
        p(&workload::p_expression())
    }),
    row("p-constant", "the same, against a constant", Target::Times(FLOOR, 3.0), || p(&workload::p_constant())),
    row("p-one-field", "P with a further expression of one field", Target::EachOver("p-decide", 1.0, 300.0), || {
        p(&workload::p_checking("args.amount <= 400"))
    }),
    row("p-two-fields", "P with a further expression of two fields", Target::EachOver("p-decide", 1.0, 300.0), || {
        p(&workload::p_checking("args.currency == 'EUR' && args.amount <= 400"))
    }),
    row("p-let", "P with eight further expressions of one let", Target::None, || p(&workload::p_let())),
    row("p-sum", "P with a budget of its amounts", Target::None, || p(&workload::p_sum())),
    row("p-key", "P with an idempotency key", Target::None, || p(&workload::p_key())),
    row("nested", "comprehensions in one another, until fuel ends", Target::Nanoseconds(1_000_000.0), || {
        Box::new(Decide::new(Workload::nested(), "call", false))
    }),
    row("w-expression", "W with seven kinds as expressions, allowed", Target::Nanoseconds(1000.0), || {
        Box::new(Decide::new(Workload::w_of_expressions(10), "allow", true))
    }),
    row("w-allow-10", "W, allowed, after 10 calls", Target::Nanoseconds(1000.0), || w(10, "allow")),
    row("w-allow-100", "W, allowed, after 100 calls", Target::Times("w-allow-10", 1.2), || w(100, "allow")),
    row("w-allow-1000", "W, allowed, after 1,000 calls", Target::Times("w-allow-10", 1.2), || w(1_000, "allow")),
    row("w-allow-10000", "W, allowed, after 10,000 calls", Target::Times("w-allow-10", 1.2), || w(10_000, "allow")),
    row("w-deny-10", "W, denied, after 10 calls", Target::Nanoseconds(1000.0), || w(10, "deny")),
    row("w-deny-10000", "W, denied, after 10,000 calls", Target::Times("w-deny-10", 1.2), || w(10_000, "deny")),
    row("w-known-10", "w-allow-10 of a known customer", Target::None, || w(10, "known")),
    row(
        "w-from-10",
        "the same, the customer from one of three sources",
        Target::EachOver("w-known-10", 1.0, 300.0),
        || Box::new(Decide::new(Workload::w_from(10), "known", true)),
    ),
    row("w-from-10000", "the same after 10,000 calls", Target::Times("w-from-10", 1.2), || {
        Box::new(Decide::new(Workload::w_from(10_000), "known", true))
    }),
    row("w-reply", "W, a reply of 2 kB that passes: a mutator and six judges", Target::Nanoseconds(5_000.0), || {
        Box::new(Decide::reply(false))
    }),
    row("w-reply-claims", "the same with claims, of which one must be borne out by a call", Target::None, || {
        Box::new(Decide::reply(true))
    }),
    row("w-compile", "the 15-tool spec, text to policy", Target::Nanoseconds(4_000_000.0), || Box::new(Compile)),
    row("w-lint", "the 15-tool spec, text to what the linter says of it", Target::Nanoseconds(5_000_000.0), || {
        Box::new(Lint { sources: Sources::new("spec.yaml", workload::W_SPEC) })
    }),
    row("w-prompt", "the prompt of W and its 15 cards, from the parsed spec", Target::Nanoseconds(30_000.0), || {
        Box::new(Render::new())
    }),
    row("w-tail", "the prompt again, and the tail of a turn", Target::Nanoseconds(1_000.0), || {
        Box::new(Again { workload: Workload::w(10) })
    }),
    row("airline-parse", "specs/airline.yaml and its files to a spec", Target::None, || {
        Box::new(CompileFiles::new("specs/airline.yaml", false))
    }),
    row("airline", "the same to a policy", Target::Nanoseconds(4_000_000.0), || {
        Box::new(CompileFiles::new("specs/airline.yaml", true))
    }),
    row("retail-parse", "specs/retail.yaml and its files to a spec", Target::None, || {
        Box::new(CompileFiles::new("specs/retail.yaml", false))
    }),
    row("retail", "the same to a policy", Target::Nanoseconds(4_000_000.0), || {
        Box::new(CompileFiles::new("specs/retail.yaml", true))
    }),
];

const fn row(name: &'static str, about: &'static str, target: Target, make: fn() -> Box<dyn Task>) -> Scenario {
    Scenario { name, about, target, make }
}

fn p(spec: &str) -> Box<dyn Task> {
    Box::new(Decide::new(Workload::p(spec), "call", true))
}

fn w(calls: usize, which: &str) -> Box<dyn Task> {
    Box::new(Decide::new(Workload::w(calls), which, which != "deny"))
}

/// The floor.
struct ByHand {
    floor: Floor,
    event: Event<'static>,
}

impl ByHand {
    fn new() -> ByHand {
        let task = ByHand { floor: Floor::new(), event: Workload::p(workload::P_SPEC).event("call", 1) };
        assert!(task.broken().is_some_and(|broken| broken.is_empty()), "the floor allows the call");
        task
    }

    fn broken(&self) -> Option<Vec<&'static str>> {
        let Body::ToolProposed(call) = &black_box(&self.event).body else { return None };
        if call.tool != "refund_payment" {
            return None;
        }
        Some(self.floor.check(&Floor::read(&call.args)?))
    }
}

impl Task for ByHand {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            black_box(self.broken());
        }
    }
}

/// `decide` on one event again and again: it is pure, so nothing grows.
struct Decide {
    workload: Workload,
    event: Event<'static>,
}

impl Decide {
    fn new(workload: Workload, which: &str, allowed: bool) -> Decide {
        let event = workload.event(which, 1);
        workload.expect(&event, allowed);
        Decide { workload, event }
    }

    fn reply(claims: bool) -> Decide {
        let sentence = "Your booking is confirmed, and the crane will be at the site before the crew arrives. ";
        let text: String = sentence.chars().cycle().take(2_048).enumerate().map(line).collect();
        let claims = claims.then(|| {
            let claim = br#"[{"op":"inform"},{"op":"getBooking","outcome":"no_op"}]"#;
            Claims::of(parse(claim, &Limits::default()).expect("it is JSON")).expect("they are claims")
        });
        let event = Event::new("evt-000001", "s1", Body::ReplyProposed(Said { text: text.into(), claims }));
        Decide { workload: Workload::w_replies(), event }
    }

    fn turn() -> Decide {
        Decide { workload: Workload::p(workload::P_SPEC), event: Event::new("evt-000001", "s1", Body::TurnEnded) }
    }
}

/// A line break every 256 characters, each line different from the one before.
fn line((number, character): (usize, char)) -> char {
    if number % 256 == 255 { '\n' } else { character }
}

impl Task for Decide {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            black_box(decide(black_box(&self.workload.policy), &self.workload.session, black_box(&self.event)));
        }
    }
}

/// Different events on one session, which grows through a batch and is put back before the next.
struct Committed {
    workload: Workload,
    events: Vec<Event<'static>>,
    session: Session,
}

/// How many calls a batch of commits adds.
const POOL: usize = 512;

impl Committed {
    fn new() -> Committed {
        let workload = Workload::p(workload::P_SPEC);
        let events = (0..POOL).map(|number| workload.event("call", number)).collect();
        let session = workload.session.clone();
        Committed { workload, events, session }
    }
}

impl Task for Committed {
    fn prepare(&mut self) {
        self.session = self.workload.session.clone();
    }

    fn run(&mut self, times: usize) {
        for event in self.events.iter().take(times) {
            let step = decide(&self.workload.policy, &self.session, event);
            let _ = black_box(self.session.commit(step));
        }
    }

    fn most(&self) -> usize {
        POOL
    }
}

/// From the bytes of one line.
struct FromBytes {
    workload: Workload,
    line: String,
    decides: bool,
}

impl FromBytes {
    fn new(decides: bool) -> FromBytes {
        let workload = Workload::p(workload::P_SPEC);
        let line = workload.line("call", 1);
        FromBytes { workload, line, decides }
    }

    fn recorded() -> FromBytes {
        let workload = Workload::p_recorded();
        let line = workload.line("call", 1);
        FromBytes { workload, line, decides: true }
    }
}

impl Task for FromBytes {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            let Ok(event) = read(black_box(self.line.as_bytes())) else { continue };
            if self.decides {
                black_box(decide(&self.workload.policy, &self.workload.session, &event));
            } else {
                black_box(event);
            }
        }
    }
}

/// The lines of a ledger, hashed or verified; one time is one record.
struct Hashing {
    lines: Vec<Vec<u8>>,
    verifies: bool,
}

impl Hashing {
    fn new(verifies: bool) -> Hashing {
        let mut workload = Workload::p_recorded();
        let run = workload.session.chain().expect("a recorded session has a chain").run().to_owned();
        let mut lines = Vec::new();
        let mut chain = Chain::genesis(&run).expect("the run has a plain name");
        for number in 0..RECORDS {
            let event = workload.event("call", number);
            let step = decide(&workload.policy, &workload.session, &event);
            let data = step.records().map(|records| records.records[0].line().to_vec()).unwrap_or_default();
            let body = String::from_utf8(data).expect("a line is text");
            let data = body.split_once("\"data\":").and_then(|(_, rest)| rest.split_once(",\"kind\"")).expect("data").0;
            let record = chain.append(None, RecordKind::GuardDecision, Durability::Group, |out| {
                out.extend_from_slice(data.as_bytes())
            });
            lines.push(record.line()[..record.line().len() - 1].to_vec());
            let _ = workload.session.commit(step);
        }
        Hashing { lines, verifies }
    }
}

/// How many records are hashed or verified in turn.
const RECORDS: usize = 1_000;

impl Task for Hashing {
    fn run(&mut self, times: usize) {
        for lines in (0..times.div_ceil(RECORDS)).map(|_| &self.lines) {
            if self.verifies {
                let mut verifier = Verifier::genesis();
                for line in lines.iter().take(times) {
                    assert!(black_box(verifier.push_line(line)).is_ok());
                }
            } else {
                for line in lines.iter().take(times) {
                    black_box(Digest::of(line));
                }
            }
        }
    }

    fn most(&self) -> usize {
        RECORDS
    }
}

/// W's spec from text to policy.
struct Compile;

impl Task for Compile {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            black_box(workload::policy(black_box(workload::W_SPEC)));
        }
    }
}

/// The prompt of W, made anew.
struct Render {
    spec: Spec,
}

impl Render {
    fn new() -> Render {
        let spec = flyball::spec::parse(&Sources::new("w.yaml", workload::W_SPEC)).spec;
        Render { spec: spec.expect("W has no errors") }
    }
}

impl Task for Render {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            black_box(Prompt::of(black_box(&self.spec))).expect("W has no errors");
        }
    }
}

/// What a host asks for on every turn: the prompt that is there already, and the tail.
struct Again {
    workload: Workload,
}

impl Task for Again {
    fn run(&mut self, times: usize) {
        let Workload { policy, session, .. } = &self.workload;
        for _ in 0..times {
            black_box(black_box(policy).prompt().system());
            black_box(session.tail(black_box(policy)));
        }
    }
}

/// The 15-tool spec as the linter takes it.
struct Lint {
    sources: Sources,
}

impl Task for Lint {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            black_box(workload::findings(black_box(&self.sources)));
        }
    }
}

/// An example spec, from its files.
struct CompileFiles {
    sources: Sources,
    compiles: bool,
}

impl CompileFiles {
    fn new(spec: &str, compiles: bool) -> CompileFiles {
        CompileFiles { sources: workload::files(spec), compiles }
    }
}

impl Task for CompileFiles {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            if self.compiles {
                black_box(workload::policy_of(black_box(&self.sources)));
            } else {
                black_box(flyball::spec::parse(black_box(&self.sources)));
            }
        }
    }
}
