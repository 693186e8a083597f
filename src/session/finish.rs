//! What became of an allowed call: the outcomes table of section 5, and what guards say of its result.
//!
//! Only a success that the model saw licenses later calls. What had no effect may be tried again, and a read never has
//! one; what nobody knows of a write stays spent.

use super::decide::{Moment, unknown_call};
use super::explain::{Judgement, Recorder};
use super::judge::{failure_of, is_skipped, judge, no_let};
use super::{CallState, Change, Feed, Session, Status};
use crate::context::{Context, Failure, Finding};
use crate::decision::{Decision, Deny, Judged, Match};
use crate::event::{Outcome, Unknown};
use crate::expr::Evaluation;
use crate::observed::{Batch, IndexDefinition, Root, Seen, View, entry_key, part_hash};
use crate::policy::{Policy, ToolPolicy};
use crate::schema::Bound;
use crate::spec::{Action, Mode};
use crate::tool::Effect;
use crate::value::Value;
use std::collections::BTreeSet;

pub(super) fn started(session: &Session, call: &str, changes: &mut Vec<Change>) -> Decision {
    match session.calls.get(call).map(|state| state.status) {
        Some(Status::Allowed) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Started });
            Decision::Accept
        }
        Some(Status::Started) => unknown_call(call, "was started before"),
        _ => unknown_call(call, "is not allowed to start"),
    }
}

pub(super) fn finished(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    call: &str,
    outcome: &Outcome<'_>,
    changes: &mut Vec<Change>,
    recorder: &mut Recorder,
) -> Decision {
    let state = match session.calls.get(call) {
        Some(state) if matches!(state.status, Status::Allowed | Status::Started) => state,
        Some(state) if matches!(state.status, Status::Succeeded | Status::Ended) => {
            return unknown_call(call, "has ended before");
        }
        _ => return unknown_call(call, "was not allowed to run; its result is ignored"),
    };
    let effect = policy.tool(&state.tool).map_or(Effect::External, |tool| tool.effect);
    match outcome {
        Outcome::Ok(result) => {
            let after = After { policy, session, moment, state, result };
            let failed = after.says_failed();
            if failed != Some(false) {
                // An author who says how a failure looks says that it changed nothing.
                let took = failed.map(|_| false);
                changes.push(Change::Moved { call: call.into(), status: Status::Ended });
                again(policy, state, call, took, changes);
                return Decision::Accept;
            }
            changes.push(Change::Moved { call: call.into(), status: Status::Succeeded });
            if effect != Effect::Read {
                changes.push(Change::Wrote);
            }
            let judged = after.judge(recorder);
            // What the model does not see licenses nothing; that it took place still counts.
            if judged.withheld.is_none() {
                keep(policy, session, state, result, changes);
            }
            if judged == Judged::default() { Decision::Accept } else { Decision::Judged(Box::new(judged)) }
        }
        Outcome::Failed { effect: took, .. } => {
            changes.push(Change::Moved { call: call.into(), status: Status::Ended });
            again(policy, state, call, *took, changes);
            Decision::Accept
        }
        Outcome::Unknown(why) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Ended });
            again(policy, state, call, None, changes);
            match why {
                Unknown::Unreadable => Decision::Withhold { code: why.name(), message: unreadable(effect).into() },
                Unknown::TimedOut | Unknown::Interrupted => Decision::Accept,
            }
        }
    }
}

/// Whether a call that did not succeed may be tried again; `took` is what the host knows of its effect.
fn again(policy: &Policy, state: &CallState, call: &str, took: Option<bool>, changes: &mut Vec<Change>) {
    let (effect, destructive) =
        policy.tool(&state.tool).map_or((Effect::External, false), |tool| (tool.effect, tool.destructive.may_be()));
    match (took.or((effect == Effect::Read).then_some(false)), state.repeat) {
        (Some(false), place) => {
            changes.extend(place.map(Change::Forgotten));
            changes.extend(destructive.then(|| Change::Spared(call.into())));
        }
        (None, Some(place)) => changes.push(Change::Unknown(place)),
        (Some(true), _) | (None, None) => {}
    }
}

fn unreadable(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => {
            "The result cannot be read. The call changed nothing: try once more, or say that you do not know."
        }
        Effect::Write | Effect::External => {
            "The result cannot be read. Whether the call took effect is unknown: do not say that it did, and do not repeat it."
        }
    }
}

/// What the guards on results say of one, once more is known of it than that it came.
struct After<'a> {
    policy: &'a Policy,
    session: &'a Session,
    moment: Moment<'a>,
    state: &'a CallState,
    result: &'a Value<'a>,
}

impl After<'_> {
    /// Asks of the result, with what the call ran with.
    fn ask<T>(&self, ask: impl FnOnce(&ToolPolicy, &mut Evaluation<'_>) -> T) -> Option<T> {
        let tool = self.policy.tool(&self.state.tool)?;
        let bound = match &self.state.args {
            Some(args) => tool.args.bind(args).ok()?,
            None => Bound::none(),
        };
        let batch = Batch::default();
        let context = Context {
            tool: &self.state.tool,
            effect: tool.effect,
            is_destructive: false,
            args: &bound,
            hashes: &[],
            result: Some(self.result),
            world: self.moment.world,
            world_is_stale: self.moment.world_is_stale,
            session: &self.session.facts,
            now: self.moment.now,
            cwd: None,
            observed: View { observed: &self.session.observed, batch: &batch },
            turn: self.session.turn,
            repeat: None,
            key: &self.session.key,
            answers: &[],
        };
        Some(ask(tool, &mut Evaluation::new(context, &tool.lets_after)))
    }

    /// Whether the result itself says that the call failed; `None` where nobody can tell.
    fn says_failed(&self) -> Option<bool> {
        let asked = self.ask(|tool, evaluation| match &tool.error_when {
            Some(error_when) => error_when.test(evaluation).ok(),
            None => Some(false),
        });
        asked.unwrap_or(Some(false))
    }

    fn judge(&self, recorder: &mut Recorder) -> Judged {
        recorder.begin();
        let judged = self.ask(|tool, evaluation| judged(tool, &self.state.tool, evaluation, recorder));
        let (judged, denies) = judged.unwrap_or_default();
        let mut denies = denies.into_iter();
        let deny = denies.next().map(|first| Deny::of(first, denies.collect()));
        match self.policy.mode {
            Mode::Observe => Judged { would: deny, ..judged },
            Mode::Enforce => Judged { withheld: deny, ..judged },
        }
    }
}

/// What the guards say, and those that withhold.
fn judged(
    tool: &ToolPolicy,
    name: &str,
    evaluation: &mut Evaluation<'_>,
    recorder: &mut Recorder,
) -> (Judged, Vec<Match>) {
    let (mut said, mut lets, mut denies) = (Judged::default(), BTreeSet::new(), Vec::new());
    for guard in tool.after.iter().filter_map(|planned| planned.about(name, tool.effect)) {
        let (finding, matched) = judge(guard, evaluation);
        recorder.hear(|| Judgement::guard(guard, &evaluation.context, &finding, true));
        let failed = |failure: &Failure| failure_of(guard, failure, UNJUDGED);
        let (matched, is_failure) = match finding {
            Finding::Pass => continue,
            finding if is_skipped(guard, &finding) => continue,
            Finding::NoLet(id) => {
                if guard.action != Action::Audit {
                    lets.insert(id);
                }
                continue;
            }
            Finding::Fires | Finding::Missing => match matched {
                Some(matched) => (matched, false),
                None => continue,
            },
            Finding::Fails(failure) => (failed(&failure), true),
            // Nothing is asked of a host once a call has ended.
            Finding::Needs(_) => (failed(&Failure::NoAnswer("not asked".into())), true),
        };
        match guard.action {
            Action::Audit | Action::Allow => said.audited.push(matched),
            Action::Warn if !is_failure => said.warnings.push(matched),
            Action::Warn | Action::Ask | Action::Deny => denies.push(matched),
        }
    }
    let missing = lets.into_iter().map(|id| no_let(&tool.lets_after, id, evaluation));
    (said, missing.collect::<Vec<_>>().into_iter().chain(denies).collect())
}

/// What the model gets where a guard could not judge a result.
const UNJUDGED: &str = "A guard is unavailable, so the result is withheld. The call ran; do not repeat it.";

/// Enters a success into the indexes that it feeds.
fn keep(policy: &Policy, session: &Session, state: &CallState, result: &Value<'_>, changes: &mut Vec<Change>) {
    let seen = Seen::of(session.turn, is_empty(result));
    for feed in &state.feeds {
        let Some(definition) = policy.plan.get(feed.index) else { continue };
        for entry in entries(session, definition, feed, result) {
            changes.push(Change::Kept { index: feed.index, entry, seen });
        }
    }
}

/// A result that says nothing: null, an empty text, list or object. A record of empty fields is not empty.
fn is_empty(result: &Value<'_>) -> bool {
    match result {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The entries of a success in one index: one of all its single parts, or one per value of its only part.
fn entries(session: &Session, definition: &IndexDefinition, feed: &Feed, result: &Value<'_>) -> Vec<u128> {
    let mut parts: Vec<Vec<u128>> = Vec::with_capacity(definition.parts.len());
    for (part, from_args) in definition.parts.iter().zip(&feed.parts) {
        let mut hashes = from_args.to_vec();
        if part.root == Root::Result {
            part.path.each(result, |value| {
                if !value.is_null() {
                    hashes.push(part_hash(&session.key, value));
                }
            });
        }
        parts.push(hashes);
    }
    if let [only] = parts.as_slice() {
        return only.clone();
    }
    let single: Option<Vec<u128>> =
        parts.iter().map(|hashes| if let [one] = hashes.as_slice() { Some(*one) } else { None }).collect();
    single.map(|single| vec![entry_key(single)]).unwrap_or_default()
}
