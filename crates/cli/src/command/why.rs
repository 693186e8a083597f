//! `flyball why LEDGER SEQ`: one recorded decision made again, with all that judged it.
//!
//! The run is decided again up to the event that the record belongs to; the event itself is explained. A record that is
//! no decision is named. Where inputs are gone, what is recorded is told, and which are gone.

use super::rederive::{note, open};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::report::{Format, why};
use flyball::canon::Digest;
use flyball::decision::{Decision, TurnDecision};
use flyball::json::{Limits, parse};
use flyball::ledger::RecordKind;
use flyball::ledger::verify::Code;
use flyball::replay::ledger::{LedgerEvent, Lost, Rederived, Rederiver, StoredValues};
use flyball::session::{CallExplanation, Judgement, explain};
use flyball::value::{Object, Value};
use flyball_io::run::Run;
use flyball_io::verify::Found;
use std::io::Write;
use std::path::PathBuf;

const EXAMPLE: &str = "Example: flyball why ledger/s-1.jsonl 12

SEQ is the number of a record, as `flyball replay` and `flyball verify` name it. Of a `model.turn` every call is \
explained. What would have passed is the nearest change of one thing that the rule read, where its kind can say.

Exit 0 explained, 1 it comes out otherwise than recorded or the ledger is broken up to there, 2 its inputs are gone \
or there is no such record.";

/// Explain one decision of a ledger: what judged it, what was read, and what would have passed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Why {
    /// Look in this ledger
    ledger: PathBuf,
    /// Explain the record of this number
    seq: u64,
    /// Print for people, or as JSON lines
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// A record of a ledger, as far as it is told here.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) seq: u64,
    pub(crate) kind: RecordKind,
    pub(crate) data: Object<'static>,
}

/// A field of a record whose value is gone.
#[derive(Debug)]
pub(crate) struct Gone {
    pub(crate) seq: u64,
    pub(crate) field: String,
    pub(crate) reason: &'static str,
}

/// What came before the event did not all come out as it is recorded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    /// Events whose inputs are gone.
    pub(crate) lost: usize,
    /// Events that came out otherwise.
    pub(crate) differ: usize,
}

impl Why {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let run = open(&self.ledger)?;
        let broken = broken(&run, self.seq);
        match &broken {
            Some(found) => self.doubt(found, output)?,
            None => note(&run, &self.ledger, output)?,
        }
        let told = self.tell(&run, output);
        match (told, broken) {
            // What is broken may be beyond reading; that it is broken was found all the same.
            (Err(error @ CliError::Run(_)), Some(found)) if !found.problem.code.cannot_judge() => {
                write!(output.err, "{}", crate::report::human::error(&error))?;
                Ok(Exit::Findings)
            }
            (Ok(_), Some(found)) if !found.problem.code.cannot_judge() => Ok(Exit::Findings),
            (Ok(Exit::Done), Some(_)) => Ok(Exit::CouldNot),
            (told, _) => told,
        }
    }

    /// Says that what is told is not proved.
    fn doubt(&self, found: &Found, output: &mut Output) -> Result<(), CliError> {
        let (record, code, seq) = (found.problem.record, found.problem.code.as_str(), self.seq);
        let text = format!(
            "record {record} does not verify ({code}), so what is told of record {seq} is not proved: \
             `flyball verify {}` says why",
            self.ledger.display()
        );
        write!(output.err, "{}", crate::report::human::note(&text))?;
        Ok(())
    }

    fn tell(&self, run: &Run, output: &mut Output) -> Result<Exit, CliError> {
        let policy = run.policy()?;
        let events = run.events()?;
        let Some((earlier, told)) = holding(&events, self.seq) else {
            return Err(self.no_event(&events));
        };
        let records = records(told);
        let mut rederiver = Rederiver::new(&policy);
        let before = earlier.iter().fold(Before::default(), |before, event| before.and(&rederiver.push(event)));
        let decides = records.iter().any(|record| record.kind == RecordKind::GuardDecision);
        let asked = records.iter().find(|record| record.seq == self.seq);
        match (&told.event, rederiver.session(), asked) {
            (Ok(event), Some(session), Some(asked)) if decides => {
                let explained = explain(&policy, session, event).calls;
                self.explained(&wanted(explained, asked), &records, before, output)
            }
            (Err(_), _, Some(asked)) if decides || asked.decides_turn() => {
                self.gone(asked, &records, run.values(), output)
            }
            (Ok(event), Some(session), Some(asked)) => {
                let explained = explain(&policy, session, event);
                self.other(asked, earlier, &explained.result, output)?;
                if is_as_recorded(asked, &explained.decision) {
                    return Ok(Exit::Done);
                }
                if self.format == Format::Human {
                    writeln!(output.out, "  decided again it is {}", name_of(&explained.decision))?;
                }
                Ok(before.otherwise())
            }
            (_, _, Some(asked)) => {
                self.other(asked, earlier, &[], output)?;
                Ok(Exit::Done)
            }
            (_, _, None) => Err(self.no_event(&events)),
        }
    }

    fn no_event(&self, events: &[LedgerEvent]) -> CliError {
        let last = events.last().map_or(0, last_of);
        let reason = match self.seq > last {
            true => format!("the last record of an event is {last}"),
            false => "it tells of the file itself, and nothing was decided with it".to_owned(),
        };
        CliError::NoDecision { seq: self.seq, reason }
    }

    fn explained(
        &self,
        calls: &[CallExplanation],
        records: &[Told],
        before: Before,
        output: &mut Output,
    ) -> Result<Exit, CliError> {
        let mut same = true;
        for call in calls {
            let record = records.iter().find(|record| {
                record.text("call") == Some(&call.decided.call) && record.kind == RecordKind::GuardDecision
            });
            let recorded = record.and_then(|record| record.text("decision")).unwrap_or("?");
            let were = record.map(Told::matched).unwrap_or_default();
            let other = (were != call.decided.verdict.matched()).then_some(&*were);
            same &= recorded == call.decided.verdict.name() && other.is_none();
            let seq = record.map_or(self.seq, |record| record.seq);
            write!(output.out, "{}", why::call(self.format, seq, (recorded, other), call))?;
        }
        if self.format == Format::Human {
            write!(output.out, "{}", why::before(before))?;
        }
        Ok(if same { Exit::Done } else { before.otherwise() })
    }

    fn gone(
        &self,
        asked: &Told,
        records: &[Told],
        values: &StoredValues,
        output: &mut Output,
    ) -> Result<Exit, CliError> {
        let gone: Vec<Gone> = records.iter().flat_map(|record| record.gone(values)).collect();
        write!(output.out, "{}", why::gone(self.format, asked, &gone))?;
        Ok(Exit::CouldNot)
    }

    fn other(
        &self,
        asked: &Told,
        earlier: &[LedgerEvent],
        result: &[Judgement],
        output: &mut Output,
    ) -> Result<(), CliError> {
        let decided = asked.text("call").and_then(|call| {
            let records = earlier.iter().rev().flat_map(records);
            records
                .into_iter()
                .find(|record| record.kind == RecordKind::GuardDecision && record.text("call") == Some(call))
        });
        write!(output.out, "{}", why::other(self.format, asked, decided.map(|record| record.seq), result))?;
        Ok(())
    }
}

/// What is decided of a turn.
fn turn_of(decision: &Decision) -> Option<&TurnDecision> {
    if let Decision::Turn(turn) = decision { Some(turn) } else { None }
}

fn name_of(decision: &Decision) -> &'static str {
    turn_of(decision).map_or("proceed", TurnDecision::name)
}

/// True if a turn comes out as it is recorded; of other records nothing was decided.
fn is_as_recorded(asked: &Told, decision: &Decision) -> bool {
    let same = || asked.text("decision") == Some(name_of(decision));
    let matches = || asked.matched() == turn_of(decision).map(TurnDecision::matched).unwrap_or_default();
    !asked.decides_turn() || same() && matches()
}

impl Before {
    /// What it says of these events that something came out otherwise behind them.
    fn otherwise(self) -> Exit {
        if self.lost == 0 { Exit::Findings } else { Exit::CouldNot }
    }

    fn and(self, rederived: &Rederived) -> Before {
        match rederived {
            // An event that was refused or never answered changed nothing.
            Rederived::Same | Rederived::Lost(Lost::Refused | Lost::Unanswered) => self,
            Rederived::Lost(_) => Before { lost: self.lost.saturating_add(1), ..self },
            Rederived::Differs { .. } => Before { differ: self.differ.saturating_add(1), ..self },
        }
    }
}

impl Told {
    fn read(seq: u64, line: &[u8]) -> Option<Told> {
        let limits = Limits { depth: Limits::DEEPEST, ..Limits::default() };
        let line = parse(line, &limits).ok()?.into_owned();
        let body = line.get("body")?;
        let kind = RecordKind::named(body.get("kind")?.as_str()?)?;
        Some(Told { seq, kind, data: body.get("data")?.as_object()?.clone() })
    }

    /// True if guards judged the turn that begins with it.
    fn decides_turn(&self) -> bool {
        self.kind == RecordKind::TurnOpen && self.text("decision").is_some()
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.data.get(key).and_then(Value::as_str)
    }

    /// The rules that it says were matched.
    pub(crate) fn matched(&self) -> Vec<&str> {
        match self.data.get("matched") {
            Some(Value::Array(rules)) => rules.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Its fields whose values are neither here nor kept.
    fn gone(&self, values: &StoredValues) -> Vec<Gone> {
        let reason = |field: &Value<'_>| {
            let reference = field.get("ref").and_then(Value::as_str).and_then(|hex| hex.parse::<Digest>().ok());
            match reference {
                Some(reference) => (!values.contains_key(&reference)).then_some("erased"),
                None => field.get("masked").map(|_| "masked"),
            }
        };
        let fields = self.data.iter().filter_map(|(name, field)| Some((name, reason(field)?)));
        fields.map(|(name, reason)| Gone { seq: self.seq, field: name.to_owned(), reason }).collect()
    }
}

/// The first thing wrong at or before a record. Where an anchor tells of another record, every one before may be another.
fn broken(run: &Run, seq: u64) -> Option<Found> {
    let reaches = |found: &Found| found.problem.record <= seq || found.problem.code == Code::AnchorMismatch;
    run.checked().problems().into_iter().find(reaches)
}

fn last_of(event: &LedgerEvent) -> u64 {
    let records = u64::try_from(event.lines.len()).unwrap_or(u64::MAX);
    event.seq.saturating_add(records.saturating_sub(1))
}

/// The event that a record belongs to, and those before it.
fn holding(events: &[LedgerEvent], seq: u64) -> Option<(&[LedgerEvent], &LedgerEvent)> {
    let at = events.iter().position(|event| (event.seq..=last_of(event)).contains(&seq))?;
    Some((events.get(..at)?, events.get(at)?))
}

fn records(event: &LedgerEvent) -> Vec<Told> {
    let numbered = (event.seq..).zip(&event.lines);
    numbered.filter_map(|(seq, line)| Told::read(seq, line)).collect()
}

/// The call of the record, or every call where the record is of all.
fn wanted(calls: Vec<CallExplanation>, asked: &Told) -> Vec<CallExplanation> {
    if asked.kind != RecordKind::GuardDecision {
        return calls;
    }
    calls.into_iter().filter(|call| asked.text("call") == Some(&call.decided.call)).collect()
}
