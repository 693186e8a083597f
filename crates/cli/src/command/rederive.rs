//! `flyball replay LEDGER`: every recorded decision made again, or made anew under another spec.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::report::{Format, plain};
use crate::table::aligned;
use flyball::canon::{ObjectWriter, write_array, write_string};
use flyball::decision::{CallDecision, Decision, TurnDecision};
use flyball::ledger::verify::Verdict;
use flyball::replay::ledger::{LedgerEvent, Rederived, Rederiver};
use flyball::session::Session;
use flyball_io::run::Run;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// What became of a run's events.
#[derive(Debug, Default)]
struct Counts {
    same: usize,
    differs: Vec<u64>,
    lost: BTreeMap<&'static str, usize>,
}

/// Makes every decision of a run again and compares the records byte by byte.
pub(super) fn rederive(path: &Path, format: Format, output: &mut Output) -> Result<Exit, CliError> {
    let run = read(path, output)?;
    let policy = run.policy()?;
    let mut counts = Counts::default();
    let mut rederiver = Rederiver::new(&policy);
    for event in run.events()? {
        match rederiver.push(&event) {
            Rederived::Same => counts.same = counts.same.saturating_add(event.lines.len()),
            Rederived::Differs { seq, .. } => counts.differs.push(seq),
            Rederived::Lost(lost) => {
                let count = counts.lost.entry(lost.name()).or_default();
                *count = count.saturating_add(event.lines.len());
            }
        }
    }
    print(&counts, format, output)?;
    Ok(match (counts.differs.is_empty(), counts.lost.is_empty()) {
        (false, _) => Exit::Findings,
        (true, false) => Exit::CouldNot,
        (true, true) => Exit::Done,
    })
}

/// Reads a run; one that does not verify is read all the same, and that is said.
fn read(path: &Path, output: &mut Output) -> Result<Run, CliError> {
    let run = open(path)?;
    note(&run, path, output)?;
    Ok(run)
}

/// Reads a run; of a folder its runs are named.
pub(super) fn open(path: &Path) -> Result<Run, CliError> {
    if path.is_dir() {
        let runs = flyball_io::verify::runs(path)?;
        return Err(if runs.is_empty() {
            CliError::NoLedger(path.to_owned())
        } else {
            super::verify::many(path, &runs)
        });
    }
    Ok(Run::of(path)?)
}

/// Says so where a run does not verify.
pub(super) fn note(run: &Run, path: &Path, output: &mut Output) -> Result<(), CliError> {
    if run.checked().verdict() >= Verdict::CannotJudge {
        let text = format!("this ledger does not verify: `flyball verify {}` says why", path.display());
        write!(output.err, "{}", crate::report::human::note(&text))?;
    }
    Ok(())
}

fn print(counts: &Counts, format: Format, output: &mut Output) -> Result<(), CliError> {
    let lost: usize = counts.lost.values().sum();
    if format == Format::Json {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let mut line = Vec::new();
        let mut object = ObjectWriter::new(&mut line);
        object.field("differs", |out| {
            write_array(&counts.differs, out, |seq, out| out.extend_from_slice(seq.to_string().as_bytes()));
        });
        object.field("notRederivable", |out| {
            let mut reasons = ObjectWriter::new(out);
            for (reason, count) in &counts.lost {
                reasons.number(reason, number(*count));
            }
            reasons.finish();
        });
        object.number("rederived", number(counts.same));
        object.finish();
        line.push(b'\n');
        output.out.write_all(&line)?;
        return Ok(());
    }
    let mut rows = vec![["records made again, byte for byte".to_owned(), counts.same.to_string()]];
    rows.push(["records that came out differently".to_owned(), counts.differs.len().to_string()]);
    rows.push(["records that cannot be made again".to_owned(), lost.to_string()]);
    rows.extend(counts.lost.iter().map(|(reason, count)| [format!("  {reason}"), count.to_string()]));
    write!(output.out, "{}", aligned(&rows))?;
    for seq in counts.differs.iter().take(10) {
        writeln!(output.out, "record {seq} came out differently")?;
    }
    Ok(())
}

/// Says which recorded verdicts another spec would have given differently.
pub(super) fn against(
    path: &Path,
    spec: &Path,
    root: Option<&Path>,
    format: Format,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let run = read(path, output)?;
    let policy = Sound::of(spec, root)?.policy;
    let mut session: Option<Session> = None;
    let (mut compared, mut differing, mut lost) = (0_usize, 0_usize, 0_usize);
    for told in run.events()? {
        let Ok(event) = &told.event else {
            lost = lost.saturating_add(told.verdicts.len());
            continue;
        };
        let step = match &mut session {
            None => match Session::open(&policy, event) {
                Ok((opened, step)) => {
                    session = Some(opened);
                    step
                }
                Err(refusal) => return Err(CliError::Against(refusal.to_string())),
            },
            Some(session) => flyball::session::decide(&policy, session, event),
        };
        let Some(session) = &mut session else { continue };
        let Ok(decision) = session.commit(step) else { continue };
        for changed in changed(&told, &decision, &mut compared) {
            differing = differing.saturating_add(1);
            report(told.seq, &changed, format, output)?;
        }
    }
    if format == Format::Human {
        let rows = [("verdicts compared", compared), ("that differ", differing), ("whose inputs are gone", lost)];
        write!(output.out, "{}", aligned(&rows.map(|(name, count)| [name.to_owned(), count.to_string()])))?;
    }
    Ok(if differing > 0 { Exit::Findings } else { Exit::Done })
}

/// A decision that is not the recorded one.
struct Changed<'d> {
    /// The call; `None` where it is on the turn that begins.
    call: Option<&'d str>,
    then: &'d str,
    now: &'static str,
    code: &'d str,
}

/// What of an event is decided otherwise than recorded: its calls, and the turn that begins with it where either spec
/// judges turns.
fn changed<'d>(told: &'d LedgerEvent, decision: &'d Decision, compared: &mut usize) -> Vec<Changed<'d>> {
    let calls: &[CallDecision] = match decision {
        Decision::Call(call) => std::slice::from_ref(call),
        Decision::Calls { calls, .. } => calls,
        _ => &[],
    };
    let turn = if let Decision::Turn(turn) = decision { Some(&**turn) } else { None };
    let refused = turn.and_then(|turn| turn.refused.as_ref());
    let of_turn = (told.turn.is_some() || turn.is_some()).then(|| Changed {
        call: None,
        then: told.turn.as_deref().unwrap_or("proceed"),
        now: turn.map_or("proceed", TurnDecision::name),
        code: refused.map_or("", |refused| &*refused.first.code),
    });
    let of_calls = told.verdicts.iter().zip(calls).map(|((call, then), now)| Changed {
        call: Some(call),
        then,
        now: now.verdict.name(),
        code: now.verdict.denied_by().unwrap_or_default(),
    });
    let all: Vec<Changed<'_>> = of_turn.into_iter().chain(of_calls).collect();
    *compared = compared.saturating_add(all.len());
    all.into_iter().filter(|one| one.then != one.now).collect()
}

fn report(seq: u64, changed: &Changed<'_>, format: Format, output: &mut Output) -> Result<(), CliError> {
    let Changed { call, then, now, code } = *changed;
    if format == Format::Human {
        let by = if code.is_empty() { String::new() } else { format!(" ({code})") };
        let what = call.map_or_else(|| "the turn".to_owned(), plain);
        writeln!(output.out, "record {seq}  {what}  was {}, would be {now}{by}", plain(then))?;
        return Ok(());
    }
    let mut line = Vec::new();
    let mut object = ObjectWriter::new(&mut line);
    object.optional("call", call, write_string);
    object.optional("code", (!code.is_empty()).then_some(code), write_string);
    object.string("now", now).number("seq", seq).string("then", then);
    object.finish();
    line.push(b'\n');
    output.out.write_all(&line)?;
    Ok(())
}
