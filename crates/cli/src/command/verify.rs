//! `flyball verify`: whether a ledger is the one that was written, what proves it, and what nobody can know.

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::report::{Format, plain};
use crate::table::aligned;
use anstyle::{AnsiColor, Style};
use flyball::ledger::verify::{Anchor, Code, Verdict};
use flyball_io::verify::{Checked, Found, RunFiles, runs, verify_run};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball verify ledger                       every run of a folder
  flyball verify ledger/run-1.jsonl --head 49:5f1c… --format json

Exit 0: every record is the one that was written, and an anchor says where the end is \
(`--head`, or the file `<run>.head` beside)
Exit 1: a record or a value is not the one that was written, or not there
Exit 2: cannot be judged: no record, an unreadable file, an unknown version
Exit 3: the records fit each other, but there is no anchor, or the last line is torn
Of several runs the worst counts: 1, then 2, then 3";

/// Prove that a ledger was not changed, and name the first record that was
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Verify {
    /// Verify this run with all its segments, or every run of this folder
    ledger: PathBuf,
    /// Require that record SEQ has this hash
    #[arg(long, value_name = "SEQ:HASH")]
    head: Option<Anchor>,
    /// Write the result this way
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Verify {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let runs = if self.ledger.is_dir() { runs(&self.ledger)? } else { vec![RunFiles::of(&self.ledger)] };
        if runs.is_empty() {
            return Err(CliError::NoLedger(self.ledger.clone()));
        }
        if runs.len() > 1 && self.head.is_some() {
            return Err(many(&self.ledger, &runs));
        }
        let mut worst = Verdict::Intact;
        for files in &runs {
            let checked = verify_run(files, self.head.as_ref());
            worst = worst.max(checked.verdict());
            match self.format {
                Format::Human => write!(output.out, "{}", human(&checked))?,
                Format::Json => writeln!(output.out, "{}", json(&checked))?,
            }
        }
        Ok(exit(worst))
    }
}

/// Says that one run of a folder must be named.
pub(super) fn many(folder: &Path, runs: &[RunFiles]) -> CliError {
    CliError::ManyRuns { folder: folder.to_owned(), runs: runs.iter().map(RunFiles::path).collect() }
}

fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Intact => Exit::Done,
        Verdict::Broken => Exit::Findings,
        Verdict::CannotJudge => Exit::CouldNot,
        Verdict::Unanchored => Exit::Uncertain,
    }
}

/// The most problems that are shown to a person.
const SHOWN: usize = 20;

fn human(checked: &Checked) -> String {
    let problems = checked.problems();
    let mut text = format!("{}: {}\n", checked.files.path().display(), headline(checked, problems.first()));
    for (place, found) in problems.iter().take(SHOWN).enumerate() {
        text.push_str(&format!("  {} {}\n", if place == 0 { "first" } else { "then " }, problem(found)));
    }
    if let Some(more) = problems.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        text.push_str(&format!("  and {more} more; `--format json` lists them all\n"));
    }
    for gone in checked.files.missing() {
        text.push_str(&format!("  the file `{gone}` is not there\n"));
    }
    let rows = aligned(&facts(checked));
    text.extend(rows.lines().map(|row| format!("  {row}\n")));
    text.extend(limits(checked, problems.is_empty()).iter().map(|line| format!("  {line}\n")));
    text
}

fn headline(checked: &Checked, first: Option<&Found>) -> String {
    let verdict = checked.verdict();
    let colour = match verdict {
        Verdict::Intact => AnsiColor::Green,
        Verdict::Broken => AnsiColor::Red,
        Verdict::CannotJudge | Verdict::Unanchored => AnsiColor::Yellow,
    };
    let style = Style::new().fg_color(Some(colour.into())).bold();
    let words = match (verdict, first, checked.chain.anchored) {
        (Verdict::Intact, _, Some(seq)) => format!("intact up to record {seq}, by {}", checked.anchors.join(" and ")),
        (Verdict::Broken, Some(found), _) if found.problem.code == Code::ValueMismatch => {
            format!(
                "a value of record {} is another; the records are {}",
                found.problem.record,
                checked.chain.verdict().name()
            )
        }
        (Verdict::Broken, Some(found), _) => format!("broken at record {}", found.problem.record),
        (Verdict::CannotJudge, None, _) => "cannot be judged: there is no record".into(),
        (Verdict::CannotJudge, ..) => "cannot be judged".into(),
        (_, _, Some(_)) => "the records fit each other; the last line is torn".into(),
        _ => "the records fit each other; no anchor says where the end is".into(),
    };
    format!("{style}{words}{style:#}")
}

fn problem(found: &Found) -> String {
    let Found { file, problem } = found;
    let line = if problem.line > 0 { format!(":{}", problem.line) } else { String::new() };
    format!("{}{line}: record {}: {}", plain(file), problem.record, plain(&problem.to_string()))
}

fn facts(checked: &Checked) -> Vec<[String; 2]> {
    let row = |name: &str, value: String| [name.to_owned(), value];
    let (chain, values) = (&checked.chain, &checked.values);
    let mut rows = vec![row("records", chain.records.to_string())];
    rows.extend(chain.run.as_deref().map(|run| row("run", plain(run))));
    rows.extend(chain.head.map(|(seq, hash)| row("last", format!("{seq}:{hash}"))));
    if chain.torn_tail > 0 {
        rows.push(row("torn tail", format!("{} bytes, which are no record", chain.torn_tail)));
    }
    if values.named > 0 {
        let missing = values.missing.len();
        rows.push(row(
            "values",
            format!("{} named, {} there and right, {missing} not there", values.named, values.sound),
        ));
    }
    for (record, reference) in values.missing.iter().take(SHOWN) {
        rows.push(row("  not there", format!("record {record}: {reference}")));
    }
    rows
}

/// What was proved, and what was not.
fn limits(checked: &Checked, is_sound: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if let (true, Some(seq)) = (is_sound, checked.chain.anchored) {
        lines.push(format!(
            "proved: no record up to {seq} was changed, removed, added or moved since its anchor was made"
        ));
        if checked.chain.head.is_some_and(|(last, _)| last > seq) {
            lines.push(format!("not proved: that no record behind {seq} was cut off"));
        }
    } else if is_sound && checked.chain.records > 0 {
        lines.push("proved: the records are one chain from the first to the last that is here".into());
        lines.push("not proved: that no record was cut off at the end, or the whole chain written anew".into());
    }
    if !lines.is_empty() {
        lines.push("not proved: that all that happened was recorded, that it is true, who wrote it and when".into());
    }
    lines
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'r> {
    file: String,
    verdict: &'static str,
    exit: u8,
    run: Option<&'r str>,
    records: u64,
    head: Option<Head>,
    anchored: Option<u64>,
    anchored_by: &'r [String],
    torn_tail: u64,
    problems: Vec<Problem<'r>>,
    values: Values,
}

#[derive(Serialize)]
struct Head {
    seq: u64,
    hash: String,
}

#[derive(Serialize)]
struct Problem<'r> {
    code: &'static str,
    file: &'r str,
    line: u64,
    record: u64,
    message: &'r str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Values {
    named: u64,
    sound: u64,
    missing: Vec<Missing>,
    torn_tail: u64,
}

#[derive(Serialize)]
struct Missing {
    record: u64,
    #[serde(rename = "ref")]
    reference: String,
}

fn json(checked: &Checked) -> String {
    let (chain, values) = (&checked.chain, &checked.values);
    let problems = checked.problems();
    let run = Run {
        file: name(&checked.files.path()),
        verdict: checked.verdict().name(),
        exit: exit(checked.verdict()).code(),
        run: chain.run.as_deref(),
        records: chain.records,
        head: chain.head.map(|(seq, hash)| Head { seq, hash: hash.to_string() }),
        anchored: chain.anchored,
        anchored_by: &checked.anchors,
        torn_tail: chain.torn_tail,
        problems: problems.iter().map(told).collect(),
        values: Values {
            named: values.named,
            sound: values.sound,
            missing: values.missing.iter().map(missing).collect(),
            torn_tail: values.torn_tail,
        },
    };
    // Text and whole numbers under text keys: nothing here that JSON cannot say.
    serde_json::to_string(&run).unwrap_or_default()
}

fn told(found: &Found) -> Problem<'_> {
    let Found { file, problem } = found;
    let code = problem.code.as_str();
    Problem { code, file, line: problem.line, record: problem.record, message: &problem.message }
}

fn missing((record, reference): &(u64, flyball::canon::Digest)) -> Missing {
    Missing { record: *record, reference: reference.to_string() }
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}
