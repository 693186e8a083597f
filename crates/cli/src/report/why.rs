//! A decision of a ledger explained: what judged it, what each rule read and answered, and what would have passed.

use super::{Format, plain, prose, verdict};
use crate::command::why::{Before, Gone, Told};
use crate::table::aligned;
use flyball::canon::{ObjectWriter, write_array, write_string};
use flyball::decision::{TurnRefusal, Verdict};
use flyball::guards::Read;
use flyball::ledger::RecordKind;
use flyball::session::{CallExplanation, Judgement, Said};
use flyball::spec::Action;

/// What is recorded: the verdict, and the rules that were matched where they come out otherwise.
type Recorded<'r> = (&'r str, Option<&'r [&'r str]>);

/// One call of a decision.
pub(crate) fn call(format: Format, seq: u64, recorded: Recorded<'_>, call: &CallExplanation) -> String {
    match format {
        Format::Human => human(seq, recorded, call),
        Format::Json => line(|object| {
            let told = call.told.as_deref();
            object.string("call", &call.decided.call).optional("code", code(call), write_string);
            object.optional("correction", told, write_string).string("decision", call.decided.verdict.name());
            object.field("judgements", |out| write_array(&call.judgements, out, judgement));
            object.string("recorded", recorded.0);
            object.optional("recordedMatched", recorded.1, |codes, out| {
                write_array(codes, out, |code, out| write_string(code, out))
            });
            object.number("seq", seq).string("tool", &call.tool);
            object.optional("would", would(call).map(Verdict::name), write_string);
        }),
    }
}

/// What would have been decided, where the spec only observes.
fn would(call: &CallExplanation) -> Option<&Verdict> {
    if let Verdict::Allow(allow) = &call.decided.verdict { allow.would.as_deref() } else { None }
}

/// The code of a deny, also of one that would have been.
fn code(call: &CallExplanation) -> Option<&str> {
    would(call).unwrap_or(&call.decided.verdict).denied_by()
}

fn line(write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
    let mut out = Vec::new();
    let mut object = ObjectWriter::new(&mut out);
    write(&mut object);
    object.finish();
    out.push(b'\n');
    String::from_utf8(out).unwrap_or_default()
}

fn judgement(judgement: &Judgement, out: &mut Vec<u8>) {
    let failure = if let Said::Fails(code) = judgement.said { Some(code) } else { None };
    let mut object = ObjectWriter::new(out);
    object.string("action", judgement.action.name()).string("by", &judgement.by);
    object.optional("failure", failure, write_string);
    object.optional("flips", judgement.flips.as_deref(), write_string);
    object.field("reads", |out| {
        write_array(&judgement.reads, out, |read, out| {
            let mut object = ObjectWriter::new(out);
            object.string("value", &read.value).string("what", &read.what);
            object.finish();
        });
    });
    object.string("said", judgement.said.name()).string("sort", judgement.sort.name());
    object.finish();
}

fn human(seq: u64, (recorded, other): Recorded<'_>, call: &CallExplanation) -> String {
    let word = verdict::word(&call.decided.verdict);
    let would_be = would(call).map(|would| format!("  would {}", would.name())).unwrap_or_default();
    let code = code(call).map(|code| format!("  {code}")).unwrap_or_default();
    let (name, tool) = (plain(&call.decided.call), plain(&call.tool));
    let mut text = format!("record {seq}  {name}  {tool}  {word}{would_be}{code}\n");
    if recorded != call.decided.verdict.name() {
        text.push_str(&format!("  recorded is {}: it comes out otherwise now\n", plain(recorded)));
    }
    if let Some(codes) = other {
        let (then, now) = (listed(codes), listed(&call.decided.verdict.matched()));
        text.push_str(&format!("  recorded as matched is {then}: it comes out as {now} now\n"));
    }
    if let Some(told) = &call.told {
        let was = if would(call).is_some() { "would be" } else { "was" };
        text.push_str(&format!("  the model {was} told: {}\n", prose(told)));
    }
    text.push_str(&table(&call.judgements));
    text
}

fn listed(codes: &[&str]) -> String {
    if codes.is_empty() { "nothing".to_owned() } else { plain(&codes.join(", ")) }
}

fn table(judgements: &[Judgement]) -> String {
    let rows: Vec<[String; 4]> = judgements.iter().flat_map(rows).map(|row| row.map(|cell| plain(&cell))).collect();
    aligned(&rows).lines().map(|row| format!("  {row}\n")).collect()
}

/// A row of the rule, and one of what would have passed.
fn rows(judgement: &Judgement) -> Vec<[String; 4]> {
    let read = |read: &Read| format!("{} {}", read.what, read.value);
    let reads: Vec<String> = judgement.reads.iter().map(read).collect();
    let sort = judgement.sort.name().to_owned();
    let mut rows = vec![[sort, judgement.by.to_string(), answer(judgement), reads.join("; ")]];
    if let Some(flips) = &judgement.flips {
        rows.push([String::new(), String::new(), String::new(), format!("would pass: {flips}")]);
    }
    rows
}

fn answer(judgement: &Judgement) -> String {
    let said = match judgement.said {
        Said::NotAsked => "not asked".to_owned(),
        Said::Fails(code) => format!("guard_failure: {code}"),
        said => said.name().to_owned(),
    };
    let counts = matches!(judgement.said, Said::Fires | Said::Missing | Said::Fails(_));
    if counts && judgement.action != Action::Deny { format!("{said} ({})", judgement.action.name()) } else { said }
}

/// What is to be known of the events before the one explained.
pub(crate) fn before(before: Before) -> String {
    let mut text = String::new();
    if before.lost > 0 {
        text.push_str(&format!(
            "{} before it cannot be made again, so earlier calls and counts may be incomplete\n",
            events(before.lost)
        ));
    }
    if before.differ > 0 {
        text.push_str(&format!("{} before it came out otherwise; see `flyball replay`\n", events(before.differ)));
    }
    text
}

fn events(count: usize) -> String {
    if count == 1 { "1 event".to_owned() } else { format!("{count} events") }
}

/// A decision whose inputs are gone: what is recorded of it, and what is missing.
pub(crate) fn gone(format: Format, asked: &Told, gone: &[Gone]) -> String {
    let matched = asked.matched();
    if format == Format::Json {
        return line(|object| {
            object.optional("call", asked.text("call"), write_string);
            object.field("gone", |out| write_array(gone, out, write_gone)).string("kind", asked.kind.name());
            object.field("matched", |out| write_array(&matched, out, |code, out| write_string(code, out)));
            object.optional("recorded", asked.text("decision"), write_string).number("seq", asked.seq);
            object.optional("tool", asked.text("tool"), write_string);
        });
    }
    let word = |key: &str| asked.text(key).map(|text| format!("  {}", plain(text))).unwrap_or_default();
    let mut text = format!("record {}{}{}{}\n", asked.seq, word("call"), word("tool"), word("decision"));
    if !matched.is_empty() {
        text.push_str(&format!("  recorded as matched: {}\n", plain(&matched.join(", "))));
    }
    // Nothing is gone of an event that was cut short.
    text.push_str(if gone.is_empty() {
        "  it was never answered: its last records were not written\n"
    } else {
        "  it cannot be made again:\n"
    });
    text.extend(
        gone.iter().map(|gone| format!("  `{}` of record {} is {}\n", plain(&gone.field), gone.seq, gone.reason)),
    );
    text
}

fn write_gone(gone: &Gone, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.string("field", &gone.field).string("reason", gone.reason).number("seq", gone.seq);
    object.finish();
}

/// A record that is no decision, the decision on the call it is about, and what judged that call's result.
pub(crate) fn other(format: Format, asked: &Told, decided: Option<u64>, result: &[Judgement]) -> String {
    if format == Format::Json {
        return line(|object| {
            object.optional("call", asked.text("call"), write_string);
            object.optional("decidedBy", decided, |seq, out| out.extend_from_slice(seq.to_string().as_bytes()));
            let judged = (!result.is_empty()).then_some(result);
            object.optional("judgements", judged, |judged, out| write_array(judged, out, judgement));
            object.string("kind", asked.kind.name()).number("seq", asked.seq);
        });
    }
    let mut text = format!("record {}  {}: {}\n", asked.seq, asked.kind.name(), told(asked));
    if let Some(seq) = decided {
        text.push_str(&format!("  its call was decided in record {seq}\n"));
    }
    text.push_str(&table(result));
    text
}

/// What a record tells, in words.
fn told(record: &Told) -> String {
    let field = |key: &str| plain(record.text(key).unwrap_or("?"));
    match record.kind {
        RecordKind::RunOpen => format!("the session `{}` began", field("session")),
        RecordKind::TurnOpen if record.text("decision") == Some(TurnRefusal::WORD) => {
            format!("a turn was refused; matched: {}", plain(&record.matched().join(", ")))
        }
        RecordKind::TurnOpen => "a turn began".into(),
        RecordKind::ModelTurn => "a model answered without a call".into(),
        RecordKind::GuardDecision => "a call was decided".into(),
        RecordKind::ReplyDecision => match record.matched() {
            matched if matched.is_empty() => format!("a reply was decided: {}", field("decision")),
            matched => format!("a reply was decided: {}; matched: {}", field("decision"), plain(&matched.join(", "))),
        },
        RecordKind::ToolStarted => format!("the call `{}` began", field("call")),
        RecordKind::ToolOutcome => format!("the call `{}` ended: {}", field("call"), field("outcome")),
        RecordKind::QueryAnswer if record.text("call").is_none() => "the host answered about a reply".into(),
        RecordKind::QueryAnswer => format!("the host answered about the call `{}`", field("call")),
        RecordKind::ApprovalGrant => "somebody let calls run that waited for them".into(),
        RecordKind::ApprovalDeny if record.text("remembered").is_some() => {
            format!("the answer `{}` is no longer remembered", field("remembered"))
        }
        RecordKind::ApprovalDeny => "somebody refused calls that waited for them".into(),
        RecordKind::WorldChange => "the host's state changed".into(),
        RecordKind::EventRejected => format!("an event was refused: {}", field("code")),
        RecordKind::TurnClose => "a turn ended".into(),
        RecordKind::RunClose => "the session ended".into(),
        RecordKind::SegmentSeal => "the file goes on in another".into(),
        RecordKind::DataErased => "values were erased".into(),
        RecordKind::LogRecovered => "a torn tail was set aside".into(),
    }
}
