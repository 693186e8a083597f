//! Behaviour of sessions, a file for each topic; what needs no private access stands as data in `tests/cases`.

#![expect(clippy::arithmetic_side_effects, reason = "tests")]

mod approvals;
mod bounds;
mod budgets;
mod clock;
mod controls;
mod cwd;
mod fresh;
mod input;
mod laws;
mod need;
mod provenance;
mod recall;
mod replies;
mod restored;
mod screens;
mod stale;
mod typed;
mod users;

use super::{Session, decide};
use crate::decision::{Answered, Decision, Verdict};
use crate::event::{Body, Event, Opening, read};
use crate::guards::Registry;
use crate::policy::{Policy, compile};
use crate::source::Sources;
use crate::spec::parse_with;
use std::sync::Arc;

/// The policy of a spec that must compile, with these kinds.
#[track_caller]
fn policy_with(rules: &str, registry: Registry<'_>) -> Policy {
    let sources = Sources::new("desk.yaml", format!("agentspec: 1\nid: desk\npersona: You are the desk.\n{rules}"));
    let parsed = parse_with(&sources, registry);
    let told: Vec<String> = parsed.diagnostics.iter().map(|problem| problem.one_line(&sources)).collect();
    let spec = parsed.spec.unwrap_or_else(|| panic!("{}", told.join("\n")));
    compile(&spec).unwrap_or_else(|problems| {
        panic!("{:?}", problems.iter().map(|problem| problem.one_line(&sources)).collect::<Vec<_>>())
    })
}

#[track_caller]
fn policy(rules: &str) -> Policy {
    policy_with(rules, Registry::native())
}

fn opened(policy: &Policy, session: &str) -> Session {
    let opening = Event::new("open", session.to_owned(), Body::SessionOpened(Opening::default()));
    let (mut session, step) = Session::open_recorded(policy, &opening).unwrap();
    session.commit(step).unwrap();
    session
}

/// One session and the policy it is under.
#[derive(Clone, Debug)]
struct Desk<'p> {
    policy: &'p Policy,
    session: Session,
    said: usize,
}

impl<'p> Desk<'p> {
    fn open(policy: &'p Policy) -> Desk<'p> {
        Desk { policy, session: opened(policy, "s1"), said: 0 }
    }

    /// Says an event of the session, which gets an id of its own.
    #[track_caller]
    fn say(&mut self, members: &str) -> Arc<Decision> {
        self.said += 1;
        let line = format!(r#"{{"v":"flyball/1","id":"e{}","session":"s1",{members}}}"#, self.said);
        self.event(&read(line.as_bytes()).unwrap_or_else(|rejection| panic!("{rejection}: {line}")))
    }

    fn event(&mut self, event: &Event<'_>) -> Arc<Decision> {
        let step = decide(self.policy, &self.session, event);
        self.session.commit(step).unwrap()
    }

    /// Proposes a call.
    #[track_caller]
    fn call(&mut self, id: &str, tool: &str, args: &str) -> Verdict {
        let call = format!(r#""type":"toolProposed","call":"{id}","tool":"{tool}","args":{args}"#);
        verdict(&self.say(&call))
    }

    /// Ends a call with a result.
    #[track_caller]
    fn result(&mut self, id: &str, result: &str) -> Arc<Decision> {
        self.say(&format!(r#""type":"toolFinished","call":"{id}","result":{result}"#))
    }

    /// The answer to a line of the wire, as a line.
    fn line(&mut self, bytes: &[u8]) -> String {
        let answered = match read(bytes) {
            Ok(event) => Answered {
                id: Some(event.id.to_string()),
                session: Some(event.session.to_string()),
                decision: self.event(&event),
            },
            Err(rejection) => Answered::rejected(rejection),
        };
        answered.to_line()
    }
}

#[track_caller]
fn verdict(decision: &Decision) -> Verdict {
    match decision {
        Decision::Call(call) => call.verdict.clone(),
        other => panic!("no verdict on a call: {other:?}"),
    }
}

/// The verdicts on a batch, each with its call.
#[track_caller]
fn verdicts(decision: &Decision) -> Vec<(String, Verdict)> {
    match decision {
        Decision::Calls { calls, .. } => {
            calls.iter().map(|call| (call.call.to_string(), call.verdict.clone())).collect()
        }
        other => panic!("no verdicts on a batch: {other:?}"),
    }
}

/// The code of a reject or a refusal.
fn code(decision: &Decision) -> Option<&'static str> {
    match decision {
        Decision::Reject { code, .. } | Decision::Refuse { code, .. } | Decision::Withhold { code, .. } => Some(code),
        _ => None,
    }
}

fn is_allowed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Allow(_))
}

/// A verdict without what depends on where it stands, and under which policy: the digest of a question.
fn unplaced(verdict: &Verdict) -> Verdict {
    match verdict {
        Verdict::Ask(ask) => Verdict::Ask(Box::new(crate::decision::Ask { request: None, ..(**ask).clone() })),
        other => other.clone(),
    }
}

/// An answer without the digests in it.
fn undigested(answer: &str) -> String {
    regex::Regex::new("[0-9a-f]{64}").unwrap().replace_all(answer, "DIGEST").into_owned()
}
