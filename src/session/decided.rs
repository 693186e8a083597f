//! What a person answers about calls that wait: taken whole or not at all, and only as an answer to what was asked.

use super::approvals::{Remembered, Request, RequestState, equal};
use super::call::{Proposal, Proposals};
use super::decide::Moment;
use super::explain::Recorder;
use super::{Change, Session};
use crate::context::NOTHING_DECLARED;
use crate::decision::{Accepted, Decision, Verdict};
use crate::event::{Approval, Call};
use crate::policy::{Policy, ToolPolicy};
use crate::spec::By;
use crate::time::Timestamp;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why an answer is not taken: a stable word, and the reason in words.
type Refused = (&'static str, String);

/// Takes the answers of one event, all or none.
pub(super) fn decided(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    approvals: &[Approval<'_>],
    changes: &mut Vec<Change>,
) -> Decision {
    let mut named = BTreeSet::new();
    let (mut accepted, mut made) = (Vec::new(), Vec::new());
    for approval in approvals {
        let taken = match named.insert(&*approval.call) {
            true => answer(policy, session, moment, approval, accepted.len()),
            false => Err(("repeated_call", format!("`{}` is answered twice; send one answer a call", approval.call))),
        };
        match taken {
            Ok((answer, change)) => {
                accepted.push(answer);
                made.extend(change);
            }
            Err((code, message)) => return Decision::Refuse { code, message },
        }
    }
    changes.extend(made);
    Decision::Accepted(accepted)
}

/// Forgets an answer that stood for later calls.
pub(super) fn revoked(session: &Session, remembered: &str, changes: &mut Vec<Change>) -> Decision {
    match session.approvals.remembered.iter().find(|one| &*one.id == remembered) {
        Some(one) => {
            changes.push(Change::RevokedAnswer(one.id.clone()));
            Decision::Proceed
        }
        None => {
            Decision::Refuse { code: "unknown_request", message: format!("no answer is remembered as `{remembered}`") }
        }
    }
}

/// One answer, and what it changes.
fn answer(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    approval: &Approval<'_>,
    place: usize,
) -> Result<(Accepted, Vec<Change>), Refused> {
    let request = asked(policy, session, moment.now, approval)?;
    let edited = match &approval.edit {
        Some(_) if !approval.granted => {
            return Err(("edit_of_refusal", "a call that is refused runs with no arguments; take `edit` out".into()));
        }
        Some(edit) => {
            let mut args = request.args.clone();
            args.merge_patch(edit);
            Some(tried(policy, session, moment, Request { args, ..request.clone() })?)
        }
        None => None,
    };
    let state = if approval.granted { RequestState::Granted } else { RequestState::Refused };
    let remembered = remembered(policy, session, approval, edited.as_ref().unwrap_or(request), place)?;
    let mut changes = Vec::new();
    let digest = edited.as_ref().unwrap_or(request).digest;
    let args = edited.as_ref().map(|edited| edited.args.clone());
    changes.extend(edited.map(|edited| Change::Edited(Box::new(edited))));
    changes.push(Change::RequestMoved { call: request.call.clone(), state });
    let id = remembered.as_ref().map(|remembered| remembered.id.clone());
    changes.extend(remembered.map(|remembered| Change::RememberedAnswer(Box::new(remembered))));
    let call = request.call.clone();
    Ok((Accepted { call, granted: approval.granted, args, digest, remembered: id }, changes))
}

/// The request that an answer is to, if it may still be answered so.
fn asked<'s>(
    policy: &Policy,
    session: &'s Session,
    now: Option<Timestamp>,
    approval: &Approval<'_>,
) -> Result<&'s Request, Refused> {
    let call = &approval.call;
    let Some(request) = session.approvals.requests.get(&**call) else {
        return Err(("unknown_request", format!("nobody is asked about the call `{call}`")));
    };
    if request.digest != approval.digest {
        return Err(("approval_stale", format!("what was asked about `{call}` has another digest; show it again")));
    }
    if request.state != RequestState::Open {
        return Err(("already_decided", format!("the request about `{call}` is {}", request.state.name())));
    }
    if request.is_expired(now) {
        let why = match now {
            Some(_) => "came too late",
            None => "has no time: the host sends no `at`",
        };
        return Err(("approval_expired", format!("the answer about `{call}` {why}; the call is denied")));
    }
    if request.by == By::User && approval.granted && !policy.approvals.user.button {
        return Err(("not_accepted", format!("`{call}` waits for what the user types; a button is no answer here")));
    }
    if request.by == By::Approver && approval.granted && approval.approver.is_none() {
        return Err(("no_approver", format!("`{call}` waits for somebody who may approve it; say who in `approver`")));
    }
    Ok(request)
}

/// The request with other arguments, if such a call would not be denied.
fn tried(policy: &Policy, session: &Session, moment: Moment<'_>, edited: Request) -> Result<Request, Refused> {
    let call = Call {
        id: edited.call.as_ref().into(),
        tool: edited.tool.as_ref().into(),
        args: edited.args.clone(),
        cwd: edited.cwd.as_deref().map(Into::into),
    };
    let (mut scratch, mut recorder) = (Vec::new(), Recorder::default());
    let mut proposals = Proposals::new(policy, session, moment, &mut scratch, &mut recorder);
    let verdict = proposals.judge(&Proposal::new(&call), &edited.call, false);
    let prepared = match &verdict {
        Verdict::Deny(deny) => {
            return Err((
                "edit_denied",
                format!("the edited call is denied by `{}`: {}", deny.first.code, deny.correction),
            ));
        }
        Verdict::Need(_) | Verdict::Answer(_) => {
            return Err(("edit_denied", "the edited call cannot be judged before it is proposed anew".into()));
        }
        Verdict::Allow(_) | Verdict::Ask(_) | Verdict::Defer(_) => {
            verdict.args().unwrap_or(&call.args).to_owned_value()
        }
    };
    let tool = tool_of(policy, &edited)?;
    let declared = super::declared::taken(tool, &call.args);
    let declared = declared.map_or_else(|| NOTHING_DECLARED.clone(), |declared| declared.values);
    let edited = Request { prepared, declared, ..edited.clone() };
    let about = edited.about(tool);
    let digest = proposals.digest(&about, edited.by, &edited.place, edited.not_after);
    let canonical = equal(session, &about, None);
    Ok(Request { digest, canonical, ..edited })
}

/// What is to be remembered of an answer.
fn remembered(
    policy: &Policy,
    session: &Session,
    approval: &Approval<'_>,
    request: &Request,
    place: usize,
) -> Result<Option<Remembered>, Refused> {
    let Some(remember) = &approval.remember else { return Ok(None) };
    let names = remember.args.as_ref().map(|names| names.iter().map(|name| name.to_string()).collect::<Vec<String>>());
    let tool = tool_of(policy, request)?;
    let unknown = names.iter().flatten().find(|name| tool.args.slot(name).is_none());
    if let Some(name) = unknown {
        return Err(("unknown_argument", format!("`{}` has no argument `{name}` to remember", request.tool)));
    }
    let until = match &remember.until {
        Some(until) => Some(Timestamp::parse(until).ok_or(("bad_time", format!("`{until}` is no time")))?),
        None => None,
    };
    let number = session.approvals.remembered.len().saturating_add(place);
    let id: Arc<str> = format!("{}-{number}", request.call).into();
    Ok(Some(Remembered {
        id,
        tool: request.tool.clone(),
        equal: equal(session, &request.about(tool).for_answer(approval.granted), names.as_deref()),
        args: names,
        by: request.by,
        granted: approval.granted,
        until,
        approver: approval.approver.as_ref().map(ToString::to_string),
    }))
}

fn tool_of<'p>(policy: &'p Policy, request: &Request) -> Result<&'p ToolPolicy, Refused> {
    let gone = || ("unknown_request", format!("there is no tool `{}` any more", request.tool));
    policy.tool(&request.tool).ok_or_else(gone)
}
