//! Events as lines of the wire: canonical JSON, read back to the same event.

use super::{Approval, Beside, Body, Call, Event, EventSalt, Opening, Outcome, WIRE, WorldChange, attachments_value};
use crate::canon;
use crate::context::Answer;
use crate::value::{Object, Value};
use std::borrow::Cow;

impl Event<'_> {
    /// The event as one line, without its line end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut object = Object::new();
        let mut put = |key: &'static str, value: Value<'_>| _ = object.insert(key.into(), value.to_owned_value());
        put("v", WIRE.into());
        put("type", self.body.name().into());
        put("id", text(&self.id));
        put("session", text(&self.session));
        self.agent.iter().for_each(|agent| put("agent", text(agent)));
        self.turn.iter().for_each(|turn| put("turn", i64::from(*turn).into()));
        self.at.iter().for_each(|at| put("at", text(at)));
        if let EventSalt::Host(salt) = &self.salt {
            put("salt", text(salt));
        }
        match &self.world {
            WorldChange::None => {}
            WorldChange::Patch(patch) => put("worldPatch", patch.to_owned_value()),
            WorldChange::Whole(world) => put("world", world.to_owned_value()),
        }
        write_body(&self.body, &mut put);
        canon::to_text(&object.into())
    }
}

/// The members that only events of its type have.
fn write_body(body: &Body<'_>, put: &mut impl FnMut(&'static str, Value<'_>)) {
    match body {
        Body::SessionOpened(opening) => write_opening(opening, put),
        Body::ModelTurn { calls, text: beside } => {
            put("calls", Value::Array(calls.iter().map(call_value).collect()));
            match beside {
                Beside::Nothing => {}
                Beside::Something => put("text", text("…")),
                Beside::Text(said) => put("text", text(said)),
            }
        }
        Body::ToolProposed(call) => {
            put("call", text(&call.id));
            put("tool", text(&call.tool));
            put("args", call.args.to_owned_value());
            call.cwd.iter().for_each(|cwd| put("cwd", text(cwd)));
        }
        Body::ToolStarted { call } => put("call", text(call)),
        Body::ToolFinished { call, outcome } => {
            put("call", text(call));
            write_outcome(outcome, put);
        }
        Body::ReplyProposed(said) => {
            put("text", text(&said.text));
            said.claims.iter().for_each(|claims| put("claims", claims.value().to_owned_value()));
        }
        Body::ReplyDelta { text: piece } => put("text", text(piece)),
        Body::ReplyEnd { claims, .. } => {
            claims.iter().for_each(|claims| put("claims", claims.value().to_owned_value()));
        }
        Body::Answers { call, answers } => {
            call.iter().for_each(|call| put("call", text(call)));
            put("answers", Value::Array(answers.iter().map(answer_value).collect()));
        }
        Body::TurnStarted { typed, attachments } => {
            typed.iter().for_each(|typed| put("text", text(typed.for_record())));
            if !attachments.is_empty() {
                put("attachments", attachments_value(attachments));
            }
        }
        Body::ApprovalDecided(approvals) => {
            put("decisions", Value::Array(approvals.iter().map(Approval::to_value).collect()));
        }
        Body::ApprovalRevoked { remembered } => put("remembered", text(remembered)),
        Body::WorldChanged | Body::TurnEnded | Body::SessionClosed => {}
    }
}

fn text(text: &str) -> Value<'_> {
    Value::from(text)
}

fn texts(texts: &[Cow<'_, str>]) -> Value<'static> {
    Value::Array(texts.iter().map(|one| text(one).into_owned()).collect())
}

fn write_opening(opening: &Opening<'_>, put: &mut impl FnMut(&'static str, Value<'_>)) {
    opening.tenant.iter().for_each(|tenant| put("tenant", text(tenant)));
    opening.run.iter().for_each(|run| put("run", text(run)));
    opening.nonce.iter().for_each(|nonce| put("nonce", text(nonce)));
    opening.scopes.iter().for_each(|scopes| put("scopes", texts(scopes)));
    opening.capabilities.iter().for_each(|words| put("capabilities", texts(words)));
    let principal = &opening.principal;
    let who = Object::of_some([
        ("id", principal.id.as_deref().map(text)),
        ("roles", (!principal.roles.is_empty()).then(|| texts(&principal.roles))),
        ("attributes", principal.attributes.as_ref().map(Value::to_owned_value)),
    ]);
    if !who.is_empty() {
        put("principal", who.into());
    }
    if !opening.limits.is_empty() {
        let mut limits = Object::new();
        for (budget, max) in &opening.limits {
            limits.insert(budget.as_ref().into(), Value::Number(*max));
        }
        put("limits", limits.into());
    }
}

fn call_value(call: &Call<'_>) -> Value<'static> {
    Object::of_some([
        ("id", Some(text(&call.id))),
        ("tool", Some(text(&call.tool))),
        ("args", Some(call.args.to_owned_value())),
        ("cwd", call.cwd.as_deref().map(text)),
    ])
    .into_owned()
    .into()
}

fn write_outcome(outcome: &Outcome<'_>, put: &mut impl FnMut(&'static str, Value<'_>)) {
    match outcome {
        Outcome::Ok { result, effect } => {
            put("result", result.to_owned_value());
            effect.iter().for_each(|effect| put("effect", Value::Bool(*effect)));
        }
        Outcome::Failed { error, effect } => {
            put("error", error.to_owned_value());
            effect.iter().for_each(|effect| put("effect", Value::Bool(*effect)));
        }
        Outcome::Unknown(unknown) => put("outcome", unknown.name().into()),
    }
}

fn answer_value(answer: &Answer) -> Value<'static> {
    let failure = answer.value.is_none().then_some(Value::Bool(true));
    Object::of_some([
        ("query", Some(Value::from(answer.query.clone()))),
        ("value", answer.value.clone()),
        ("failure", failure),
    ])
    .into()
}
