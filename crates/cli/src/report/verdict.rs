//! Decisions for reading: one line a call, one call explained, and the counts of a whole run.

use anstyle::{AnsiColor, Style};
use flyball::decision::{Ask, Deny, Judged, Match, ReplyDecision, ReplyVerdict, TurnDecision, TurnRefusal, Verdict};
use flyball::replay::Summary;

use super::{plain, prose};
use crate::table::aligned;

/// A call's line in a replay: session, call, tool, verdict, and what denied it.
pub(crate) fn line(session: &str, call: &str, tool: &str, verdict: &Verdict) -> String {
    let why = match verdict {
        Verdict::Deny(deny) => {
            let also = deny.also.iter().map(also);
            format!("  {}: {}{}", code(&deny.first), prose(&deny.first.correction), also.collect::<String>())
        }
        Verdict::Ask(ask) => format!("  {}", asked(ask)),
        Verdict::Answer(repeat) => format!("  as {}", plain(&repeat.of)),
        Verdict::Allow(allow) => match allow.would.as_deref() {
            Some(would) => {
                let by = if let Verdict::Ask(ask) = would { Some(&*ask.guard) } else { would.denied_by() };
                format!("  would {}{}", would.name(), by.map(|code| format!(" ({code})")).unwrap_or_default())
            }
            None => String::new(),
        },
        Verdict::Defer(_) | Verdict::Need(_) => String::new(),
    };
    let (session, call, tool) = (plain(session), plain(call), plain(tool));
    format!("{session}  {call:<5} {tool:<30} {}{why}\n", word(verdict))
}

/// The line of an event that is no call, where there is something to say.
pub(crate) fn other(session: &str, decision: &flyball::decision::Decision) -> String {
    use flyball::decision::Decision;
    let (word, code, message) = match decision {
        Decision::Reject { code, message } => ("reject", code, message),
        Decision::Refuse { code, message } => ("refuse", code, message),
        Decision::Withhold { code, message } => ("withhold", code, message),
        Decision::Judged(judged) => return judged_result(session, judged),
        Decision::Turn(turn) => return judged_turn(session, turn),
        Decision::Reply(reply) => return decided_reply(session, reply),
        Decision::Accepted(accepted) => {
            let word = |granted| if granted { "granted" } else { "refused" };
            let line =
                |one: &flyball::decision::Accepted| format!("{session}  {}  {}\n", word(one.granted), plain(&one.call));
            return accepted.iter().map(line).collect();
        }
        Decision::Proceed
        | Decision::Accept
        | Decision::Hold
        | Decision::Release(_)
        | Decision::Call(_)
        | Decision::Calls { .. } => return String::new(),
    };
    said(session, word, code, message)
}

fn said(session: &str, word: &str, code: &str, message: &str) -> String {
    format!("{}  {}  {code}: {}\n", plain(session), painted(word, AnsiColor::Magenta), prose(message))
}

/// What guards said of a result, a line each.
fn judged_result(session: &str, judged: &Judged) -> String {
    let line = |word: &str, one: &Match, message: &str| said(session, word, &code(one), message);
    let withheld = judged.withheld.iter().map(|deny| line("withhold", &deny.first, &deny.correction));
    let would = judged.would.iter().map(|deny| line("would withhold", &deny.first, &deny.correction));
    let warnings = judged.warnings.iter().map(|one| line("warn", one, &one.correction));
    withheld.chain(would).chain(warnings).collect()
}

/// What guards said of a turn.
fn judged_turn(session: &str, turn: &TurnDecision) -> String {
    let line = |word: &str, refusal: &TurnRefusal| {
        let also = refusal.also.iter().map(also).collect::<String>();
        said(session, word, &code(&refusal.first), &format!("{}{also}", refusal.reply))
    };
    let refused = turn.refused.iter().map(|refusal| line("refuse", refusal));
    refused.chain(turn.would.iter().map(|refusal| line("would refuse", refusal))).collect()
}

/// What became of a reply, and below it what stood against it, what the model or the user is told, and what was corrected.
fn decided_reply(session: &str, reply: &ReplyDecision) -> String {
    let word = match reply.verdict {
        ReplyVerdict::Deliver { .. } => painted("deliver", AnsiColor::Green),
        ReplyVerdict::Redrive { .. } => painted("redrive", AnsiColor::Yellow),
        ReplyVerdict::Abstain { .. } => painted("abstain", AnsiColor::Red),
        ReplyVerdict::Need(_) => painted("need", AnsiColor::Yellow),
    };
    let would = reply.would.map(|would| format!("  would {would}")).unwrap_or_default();
    let salvaged = matches!(reply.verdict, ReplyVerdict::Deliver { salvaged: true, .. });
    let salvaged = if salvaged { "  an earlier reply of the turn" } else { "" };
    let mut text = format!("{}  reply {word}{salvaged}{would}\n", plain(session));
    for one in &reply.violations {
        text.push_str(&format!("    {}: {}\n", code(one), prose(&one.correction)));
    }
    for one in &reply.audited {
        text.push_str(&format!("    watched by {}: {}\n", code(one), prose(&one.correction)));
    }
    for line in reply.verdict.text().into_iter().flat_map(str::lines) {
        text.push_str(&format!("    | {}\n", prose(line)));
    }
    let corrections = reply.turn.as_deref().map(|turn| turn.corrections.as_slice()).unwrap_or_default();
    if !corrections.is_empty() {
        text.push_str(&format!("    corrected: {}\n", plain(&corrections.join(", "))));
    }
    text
}

/// Another rule that was matched, behind the first.
fn also(one: &Match) -> String {
    format!("  also {}: {}", code(one), prose(&one.correction))
}

/// One call with all that was matched, and the rules that judged it.
pub(crate) fn explained(tool: &str, verdict: &Verdict, rules: &[&str]) -> String {
    let mut text = format!("{} {}\n", word(verdict), plain(tool));
    if let Some(args) = verdict.args() {
        let runs = if matches!(verdict, Verdict::Allow(_)) { "runs" } else { "would run" };
        text.push_str(&format!("  {runs} with {}\n", plain(&flyball::canon::to_text(args))));
    }
    match verdict {
        Verdict::Deny(deny) => text.push_str(&denied(deny)),
        Verdict::Ask(ask) => {
            text.push_str(&format!("  {}\n", asked(ask)));
            ask.also.iter().for_each(|one| text.push_str(&matched("so does", one)));
        }
        Verdict::Answer(repeat) => text.push_str(&format!("  with the result of {}\n", plain(&repeat.of))),
        Verdict::Allow(allow) | Verdict::Defer(allow) => {
            allow.warnings.iter().for_each(|one| text.push_str(&matched("warned by", one)));
            allow.audited.iter().for_each(|one| text.push_str(&matched("watched by", one)));
            if let Some(would) = &allow.would {
                text.push_str(&format!("  would be {}: the spec only observes\n", would.name()));
                if let Verdict::Deny(deny) = &**would {
                    text.push_str(&denied(deny));
                }
            }
        }
        Verdict::Need(_) => {}
    }
    if !rules.is_empty() {
        text.push_str(&format!("  judged by {}\n", rules.join(", ")));
    }
    text
}

fn denied(deny: &Deny) -> String {
    let mut text = format!("  {}: {}\n", code(&deny.first), prose(&deny.first.correction));
    if let Some(reason) = &deny.first.public_reason {
        text.push_str(&format!("  for a person: {}\n", prose(reason)));
    }
    deny.also.iter().for_each(|one| text.push_str(&matched("also", one)));
    if let Some(stop) = &deny.stop {
        text.push_str(&format!("  the run stops: {}\n  it ends with: {}\n", stop.reason, prose(&stop.reply)));
    }
    text
}

fn matched(how: &str, one: &Match) -> String {
    format!("  {how} {}: {}\n", code(one), prose(&one.correction))
}

/// The code of a match; of a guard that could not judge also which one, and why.
fn code(one: &Match) -> String {
    match one.failure {
        Some(failure) if one.code != one.guard => format!("{} of `{}` ({failure})", one.code, one.guard),
        _ => one.code.to_string(),
    }
}

fn asked(ask: &Ask) -> String {
    let why = ask.failure.map(|failure| format!(", as it cannot judge ({failure})")).unwrap_or_default();
    format!("{} asks the {}{why}", ask.guard, ask.by)
}

/// The counts of a run, under each other.
pub(crate) fn summary(summary: &Summary) -> String {
    let row = |name: &str, count: u64| [name.to_owned(), count.to_string()];
    let mut rows = vec![
        row("conversations", summary.conversations),
        row("calls", summary.calls),
        row("  allowed", summary.allowed),
        row("  denied", summary.denied),
        row("  asked", summary.asked),
    ];
    if summary.answered > 0 {
        rows.push(row("  answered as before", summary.answered));
    }
    if summary.turns_refused > 0 {
        rows.push(row("turns refused", summary.turns_refused));
    }
    let replies = [
        ("replies delivered", summary.replies_delivered),
        ("replies asked for again", summary.replies_redriven),
        ("replies that the engine spoke instead of", summary.replies_abstained),
    ];
    if replies.iter().any(|(_, count)| *count > 0) {
        rows.extend(replies.map(|(name, count)| row(name, count)));
    }
    rows.push(row("rejected", summary.rejected));
    if summary.results_left_out > 0 {
        rows.push(row("recorded results of denied calls, left out", summary.results_left_out));
    }
    if !summary.by_guard.is_empty() {
        rows.push([String::from("denied by"), String::new()]);
    }
    let mut guards: Vec<(&String, &u64)> = summary.by_guard.iter().collect();
    guards.sort_by(|left, right| right.1.cmp(left.1).then(left.0.cmp(right.0)));
    rows.extend(guards.into_iter().map(|(code, count)| row(&format!("  {code}"), *count)));
    aligned(&rows)
}

/// The verdict's word, in its colour.
pub(crate) fn word(verdict: &Verdict) -> String {
    let colour = match verdict {
        Verdict::Allow(_) | Verdict::Answer(_) => AnsiColor::Green,
        Verdict::Deny(_) => AnsiColor::Red,
        Verdict::Ask(_) | Verdict::Need(_) | Verdict::Defer(_) => AnsiColor::Yellow,
    };
    painted(verdict.name(), colour)
}

fn painted(word: &str, colour: AnsiColor) -> String {
    let style = Style::new().fg_color(Some(colour.into())).bold();
    format!("{style}{word}{style:#}")
}
