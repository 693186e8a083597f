//! What a reply may name: the figures of results that the model saw, and of the world as the host sends it.
//!
//! Errors that the model sees count too; what is withheld does not. The world counts before it is pruned to what guards
//! read, for the model is told of it by the host.

use super::{Change, Session};
use crate::event::{Outcome, WorldChange};
use crate::policy::Policy;
use crate::value::Value;

/// Gathers an outcome that the model sees, where some guard asks.
pub(super) fn result(policy: &Policy, session: &Session, tool: &str, shown: &Outcome<'_>, changes: &mut Vec<Change>) {
    match shown {
        Outcome::Ok { result, .. } => changes.extend(gathered(policy, session, Some(tool), result)),
        Outcome::Failed { error, .. } => changes.extend(gathered(policy, session, Some(tool), error)),
        Outcome::Unknown(_) => {}
    }
}

/// The same of what an event says of the world.
pub(super) fn world(policy: &Policy, session: &Session, change: &WorldChange<'_>) -> Option<Change> {
    match change {
        WorldChange::None => None,
        WorldChange::Whole(world) | WorldChange::Patch(world) => gathered(policy, session, None, world),
    }
}

fn gathered(policy: &Policy, session: &Session, tool: Option<&str>, value: &Value<'_>) -> Option<Change> {
    let plan = policy.plan.grounds();
    if !plan.asks() {
        return None;
    }
    let gathered = session.grounds.gathered(&session.key, plan, tool, value);
    (!gathered.is_empty()).then(|| Change::Grounded(Box::new(gathered)))
}

#[cfg(test)]
mod tests {
    use crate::decimal::Decimal;
    use crate::event::{Body, Event, Opening, Outcome, WorldChange};
    use crate::grounds::{Known, Scope};
    use crate::json::{Limits, parse};
    use crate::policy::{Policy, compile};
    use crate::replay::ledger::StoredValues;
    use crate::replay::restore::Restorer;
    use crate::session::{Change, Session, Step, decide};
    use crate::source::Sources;
    use crate::value::Value;

    fn policy(guards: &str) -> Policy {
        let text = format!(
            "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {{look: {{effect: read, parameters: {{type: object, properties: {{n: {{type: string}}}}}}}}}}\nguards:\n  \
            postTool: [{{id: hide, check: \"!has(result.hide)\", action: deny, prose: p, correction: c}},\n    \
            {{id: cut, check: \"!has(result.cut)\", redact: {{cut: '0'}}, prose: p, correction: c}}]\n{guards}"
        );
        compile(&crate::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap()).unwrap()
    }

    const GUARDED: &str = "  onReply: [{id: g, kind: amountsGrounded}]\n";

    fn value(text: &str) -> Value<'static> {
        parse(text.as_bytes(), &Limits::default()).unwrap().into_owned()
    }

    fn open(policy: &Policy) -> (Session, Vec<Step>) {
        let opening = Event::new("e0", "s1", Body::SessionOpened(Opening::default()))
            .with_world(WorldChange::Whole(value(r#"{"unread": {"price": 11}}"#)));
        let (mut session, step) = Session::open_recorded(policy, &opening).unwrap();
        session.commit(step.clone()).unwrap();
        (session, vec![step])
    }

    fn tell(policy: &Policy, session: &mut Session, steps: &mut Vec<Step>, event: &Event<'_>) {
        let step = decide(policy, session, event);
        session.commit(step.clone()).unwrap();
        steps.push(step);
    }

    fn finish(policy: &Policy, session: &mut Session, steps: &mut Vec<Step>, outcome: Outcome<'static>) {
        let call = format!("c{}", steps.len());
        let propose = format!("p{call}");
        tell(
            policy,
            session,
            steps,
            &Event::call(&propose, "s1", &call, "look", value(&format!(r#"{{"n": "{call}"}}"#))),
        );
        let body = Body::ToolFinished { call: call.clone().into(), outcome };
        tell(policy, session, steps, &Event::new(format!("f{call}"), "s1", body));
    }

    fn ok(result: &str) -> Outcome<'static> {
        Outcome::Ok { result: value(result), effect: None }
    }

    fn has(session: &Session, number: i64) -> bool {
        session.grounds.amount(&session.key, &[Scope::Any], None, &Decimal::from(number)) == Known::Yes
    }

    #[test]
    fn what_the_model_saw_and_the_world_as_sent_ground_a_reply_for_the_whole_session() {
        let policy = policy(GUARDED);
        let (mut session, mut steps) = open(&policy);
        assert!(has(&session, 11), "the world is not pruned before");
        finish(&policy, &mut session, &mut steps, ok(r#"{"total": 21, "lines": [{"text": "It is 22 EUR"}]}"#));
        finish(&policy, &mut session, &mut steps, ok(r#"{"hide": true, "total": 31}"#));
        finish(&policy, &mut session, &mut steps, ok(r#"{"cut": 41, "total": 42}"#));
        let failed = Outcome::Failed { error: value(r#""at most 51""#), effect: None };
        finish(&policy, &mut session, &mut steps, failed);
        tell(&policy, &mut session, &mut steps, &Event::new("t", "s1", Body::turn(None)));
        let patch = Event::new("w", "s1", Body::WorldChanged).with_world(WorldChange::Patch(value(r#"{"more": 61}"#)));
        tell(&policy, &mut session, &mut steps, &patch);
        for (number, wanted) in [(21, true), (22, true), (31, false), (41, false), (42, true), (51, true), (61, true)] {
            assert_eq!(has(&session, number), wanted, "{number}");
        }

        let mut restorer = Restorer::new(&policy);
        let values = StoredValues::new();
        for record in steps.iter().filter_map(Step::records).flat_map(|records| &records.records) {
            restorer.push(record.line().strip_suffix(b"\n").unwrap(), &values).unwrap();
        }
        let restored = restorer.finish(&values).unwrap().session;
        assert!((0..100).all(|number| has(&restored, number) == has(&session, number)));
    }

    #[test]
    fn where_nobody_asks_nothing_is_gathered() {
        let policy = policy("");
        let (mut session, mut steps) = open(&policy);
        finish(&policy, &mut session, &mut steps, ok(r#"{"total": 21}"#));
        let is_grounded = |change: &Change| matches!(change, Change::Grounded(_));
        assert!(!steps.iter().flat_map(Step::changes).any(is_grounded) && !has(&session, 21));
    }

    #[test]
    fn an_event_that_is_not_acted_on_grounds_nothing() {
        let policy = policy(GUARDED);
        let (mut session, mut steps) = open(&policy);
        let body = Body::ToolFinished { call: "none".into(), outcome: ok("{}") };
        let event = Event::new("x", "s1", body).with_world(WorldChange::Patch(value(r#"{"a": 71}"#)));
        tell(&policy, &mut session, &mut steps, &event);
        assert!(!has(&session, 71));
    }
}
