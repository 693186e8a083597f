//! What the engine says itself, below a reply or in its place: what took effect, what is asked, what failed and what nobody
//! knows. It is made of what hosts reported, in the words of the contract; of what a model claims nothing is here to read.

use super::Session;
use crate::acts::{Act, End};
use crate::decision::RecordLine;
use crate::policy::Policy;
use crate::spec::words::EndWord;
use crate::text::quoted;
use crate::time::Timestamp;
use crate::tool::Effect;
use std::borrow::Cow;

/// The most lines that the engine puts below a reply.
const MAX_LINES: usize = 20;

/// Who tells, and when.
pub(super) struct Telling<'a> {
    pub(super) policy: &'a Policy,
    pub(super) session: &'a Session,
    pub(super) now: Option<Timestamp>,
}

impl Telling<'_> {
    /// What became of the calls that were to change something, a line each.
    pub(super) fn lines(&self, acts: &[Act]) -> Vec<RecordLine> {
        let texts = self.policy.engine_texts();
        let line = |act: &Act| {
            let end = match act.end {
                End::Done | End::FailedWithEffect => EndWord::Done,
                End::NoEffect => EndWord::NoEffect,
                End::Failed => EndWord::Failed,
                End::Unknown => EndWord::Unknown,
                End::Running => EndWord::Running,
                // A question that is put below needs no line of its own.
                End::Asked if self.session.is_asked_below(&act.call, self.now) => return None,
                End::Asked => EndWord::Waiting,
                End::Denied | End::Refused => return None,
            };
            let label = label(act);
            let text = match (end, &act.word) {
                (EndWord::Done, Some(word)) => format!("{label}: {word}."),
                _ => texts.ended(end, &label),
            };
            Some(RecordLine { call: act.call.clone(), tool: act.tool.clone(), end: act.end, text })
        };
        acts.iter().filter(|act| act.effect != Effect::Read).filter_map(line).collect()
    }

    /// What the engine says where no reply passed.
    pub(super) fn abstention(&self, acts: &[Act], lines: &[RecordLine]) -> String {
        let texts = self.policy.engine_texts();
        let mut said = bounded(lines);
        let owed = self.session.replying.open.iter().filter_map(|one| one.owes.as_deref());
        said.extend(owed.map(|tool| texts.ended(EndWord::Owed, &named(tool))));
        let mut reasons: Vec<&str> = acts.iter().filter_map(|act| act.public_reason.as_deref()).collect();
        reasons.dedup();
        said.extend(reasons.into_iter().take(MAX_LINES).map(str::to_owned));
        if acts.iter().any(Act::took_effect) {
            said.push(texts.closing().to_owned());
        } else if acts.iter().all(Act::changed_nothing) {
            said.push(texts.nothing_changed().to_owned());
        }
        said.push(texts.exhausted().to_owned());
        self.with_questions(said.join("\n"))
    }

    /// A reply with what the engine puts below it.
    pub(super) fn with_below(&self, text: &str, lines: &[RecordLine]) -> String {
        let mut full = text.trim_end().to_owned();
        let lines = bounded(lines);
        if !lines.is_empty() {
            full.push_str("\n\n");
            full.push_str(&lines.join("\n"));
        }
        self.with_questions(full)
    }

    /// The questions that the user can still answer stand below whatever is said.
    fn with_questions(&self, mut text: String) -> String {
        let questions = self.session.questions_at(self.policy, self.now);
        if !questions.is_empty() {
            text.push_str("\n\n");
            text.push_str(&questions.join("\n"));
        }
        text
    }
}

impl Session {
    /// True if a call's question stands below the reply.
    fn is_asked_below(&self, call: &str, now: Option<Timestamp>) -> bool {
        let request = self.approvals.requests.get(call);
        request.is_some_and(|request| request.code.is_some() && !request.is_expired(now))
    }
}

/// How a person is told of a call.
fn label(act: &Act) -> Cow<'_, str> {
    act.label.as_deref().map_or_else(|| Cow::Owned(named(&act.tool)), Cow::Borrowed)
}

fn named(tool: &str) -> String {
    let is_plain = tool.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte));
    if is_plain { format!("`{tool}`") } else { quoted(tool) }
}

/// The lines, as many as are shown, and how many more there are.
fn bounded(lines: &[RecordLine]) -> Vec<String> {
    let mut shown: Vec<String> = lines.iter().take(MAX_LINES).map(|line| line.text.clone()).collect();
    let more = lines.len().saturating_sub(shown.len());
    if more > 0 {
        shown.push(format!("… {more}"));
    }
    shown
}
