//! A scene: who speaks, what the world is, what came before, and the call; made out of what a search left, and played on
//! an engine.
//!
//! What is made here is a try. Only what the engines say of it is told.

use super::Answer;
use super::regions::Version;
use crate::decision::{CallDecision, Decision, Verdict};
use crate::event::{Body, Event, Opening, Principal, WorldChange};
use crate::facts::Typed;
use crate::policy::Policy;
use crate::proof::{Model, Space, arguments};
use crate::schema::ArgSchema;
use crate::session::{Session, decide};
use crate::spec::Spec;
use crate::value::{Object, Value};
use std::collections::BTreeMap;
use std::fmt;

mod recalled;
mod staging;
mod texts;
mod unfit;

/// A call, and what must be so for it to be decided as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scene {
    /// The host's state: an object, empty where it does not matter.
    pub world: Value<'static>,
    /// Who is speaking, as `session.user`.
    pub user: Option<String>,
    /// Their roles.
    pub roles: Vec<String>,
    /// What else the host knows of them, an object.
    pub attributes: Value<'static>,
    /// True if the user typed the arguments of the call.
    pub is_typed: bool,
    /// What ran before the call.
    pub earlier: Vec<Earlier>,
    /// The tool that is called.
    pub tool: String,
    /// What with.
    pub args: Value<'static>,
    /// True if a turn of its own begins with the call.
    pub in_new_turn: bool,
}

/// A call that ran before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Earlier {
    /// Its tool.
    pub tool: String,
    /// What it ran with.
    pub args: Value<'static>,
    /// What it came back with.
    pub result: Value<'static>,
    /// True if a turn of its own began with it.
    pub in_new_turn: bool,
}

impl Scene {
    /// The call as a person writes it: `pay {"amount":600}`.
    #[must_use]
    pub fn call(&self) -> String {
        format!("{} {}", self.tool, crate::canon::to_text(&self.args))
    }
}

/// The call, and in further lines what it takes.
impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.call())?;
        const SHOWN: usize = 3;
        for one in self.earlier.iter().take(SHOWN) {
            write!(f, "\n  after {} {}", one.tool, crate::canon::to_text(&one.args))?;
            // What it came back with is told where it is more than that it did.
            if one.result.get("ok").is_none() {
                write!(f, ", which gave {}", crate::canon::to_text(&one.result))?;
            }
        }
        let more = self.earlier.len().saturating_sub(SHOWN);
        if let Some(last) = self.earlier.last().filter(|_| more > 0) {
            let calls = if more == 1 { "call" } else { "calls" };
            write!(f, "\n  and {more} more {calls}, at last of `{}`", last.tool)?;
        }
        if self.world.as_object().is_some_and(|world| !world.is_empty()) {
            write!(f, "\n  where the world is {}", crate::canon::to_text(&self.world))?;
        }
        if let Some(user) = &self.user {
            write!(f, "\n  where `session.user` is {}", crate::text::quoted(user))?;
        }
        if !self.roles.is_empty() {
            write!(f, "\n  where `session.roles` are {}", self.roles.join(", "))?;
        }
        if self.attributes.as_object().is_some_and(|attributes| !attributes.is_empty()) {
            write!(f, "\n  where `session.attributes` are {}", crate::canon::to_text(&self.attributes))?;
        }
        if self.is_typed {
            f.write_str("\n  which the user typed")?;
        }
        Ok(())
    }
}

/// Makes scenes of one tool, of which there are two versions.
pub(super) struct Maker<'m, 'v> {
    pub(super) old: &'m Version<'v>,
    pub(super) new: &'m Version<'v>,
    pub(super) space: &'m Space,
}

impl Maker<'_, '_> {
    /// A scene in which the old policy says the one thing and the new one the other.
    pub(super) fn scene(&self, model: &Model, (from, to): (Answer, Answer)) -> Option<Scene> {
        let says =
            |scene: &Scene| played(self.old.policy, scene) == Some(from) && played(self.new.policy, scene) == Some(to);
        self.tries(model).into_iter().find(says)
    }

    /// A scene in which a version says something, and what another policy says there.
    pub(super) fn scene_in(
        &self,
        (version, answer): (&Version<'_>, Answer),
        other: &Policy,
        model: &Model,
    ) -> Option<(Scene, Answer)> {
        let says = |scene: &Scene| played(version.policy, scene) == Some(answer);
        let scene = self.tries(model).into_iter().find(says)?;
        let other = played(other, &scene)?;
        Some((scene, other))
    }

    /// What is worth a try: with the arguments of either schema, typed by the user or not.
    pub(super) fn tries(&self, model: &Model) -> Vec<Scene> {
        let schemas = [&self.new.tool.args, &self.old.tool.args];
        let args = schemas.map(|schema| arguments(self.space, model, schema));
        let [of_new, of_old] = args;
        let mut tries = vec![of_new.clone()];
        if of_old != of_new {
            tries.push(of_old);
        }
        let staged = tries.into_iter().map(|args| self.stage(model, self.with_texts(model, args)));
        staged.flat_map(|scene| [scene.clone(), Scene { is_typed: true, ..scene }]).collect()
    }
}

/// The time of every event: rules on time need one.
const AT: &str = "2031-03-04T09:00:00Z";

/// What a policy says of the call of a scene; `None` where it does not come to that.
pub(super) fn played(policy: &Policy, scene: &Scene) -> Option<Answer> {
    Play::before(policy, scene)?.propose(&scene.tool, &scene.args).map(|(answer, _)| answer)
}

/// A session that events are told to, one after the other.
pub(super) struct Play<'p> {
    policy: &'p Policy,
    session: Session,
    events: u32,
}

impl<'p> Play<'p> {
    /// A session in which all has happened that comes before the call of a scene; `None` where some of it does not run.
    pub(super) fn before(policy: &'p Policy, scene: &Scene) -> Option<Play<'p>> {
        let mut play = Play::begin(policy, scene)?;
        for one in &scene.earlier {
            if one.in_new_turn {
                play.turn(None);
            }
            let (answer, call) = play.propose(&one.tool, &one.args)?;
            if !matches!(answer, Answer::Allow | Answer::Defer) {
                return None;
            }
            play.finish(&call, &one.result);
        }
        if scene.in_new_turn {
            play.turn(None);
        }
        Some(play)
    }

    /// A session of whoever speaks in a scene, in its first turn.
    fn begin(policy: &'p Policy, scene: &Scene) -> Option<Play<'p>> {
        let principal = Principal {
            id: scene.user.clone().map(Into::into),
            roles: scene.roles.iter().cloned().map(Into::into).collect(),
            attributes: Some(scene.attributes.clone())
                .filter(|value| value.as_object().is_some_and(|all| !all.is_empty())),
        };
        let opening = Body::SessionOpened(Opening { principal, ..Opening::default() });
        let opening = Event::new("e0", "scene", opening).with_world(WorldChange::Whole(scene.world.clone()));
        let (mut session, step) = Session::open(policy, &opening.with_time(Some(AT.into()))).ok()?;
        session.commit(step).ok()?;
        let mut play = Play { policy, session, events: 1 };
        let typed = scene.is_typed.then(|| typed(&scene.args));
        play.turn(typed.as_deref());
        Some(play)
    }

    /// A turn begins.
    pub(super) fn turn(&mut self, typed: Option<&str>) {
        self.tell(Body::turn(typed.map(|text| Typed::new(text.to_owned()))));
    }

    /// What is said of a call, and the call's id.
    pub(super) fn propose(&mut self, tool: &str, args: &Value<'static>) -> Option<(Answer, String)> {
        let call = format!("c{}", self.events);
        let proposed =
            crate::event::Call { id: call.clone().into(), tool: tool.to_owned().into(), args: args.clone(), cwd: None };
        let decided = self.tell(Body::ToolProposed(proposed))?;
        let Decision::Call(CallDecision { verdict, .. }) = &*decided else { return None };
        let answer = match verdict {
            Verdict::Allow(_) => Answer::Allow,
            Verdict::Defer(_) => Answer::Defer,
            Verdict::Ask(_) => Answer::Ask,
            Verdict::Deny(_) => Answer::Deny,
            Verdict::Answer(_) | Verdict::Need(_) => return None,
        };
        Some((answer, call))
    }

    /// A call came back.
    pub(super) fn finish(&mut self, call: &str, result: &Value<'static>) {
        let outcome = crate::event::Outcome::Ok { result: result.clone(), effect: None };
        self.tell(Body::ToolFinished { call: call.to_owned().into(), outcome });
    }

    pub(super) fn tell(&mut self, body: Body<'static>) -> Option<std::sync::Arc<Decision>> {
        let id = format!("e{}", self.events);
        self.events = self.events.saturating_add(1);
        let event = Event::new(id, "scene", body).with_time(Some(AT.into()));
        let step = decide(self.policy, &self.session, &event);
        self.session.commit(step).ok()
    }
}

/// The scalars of some arguments as a person types them.
fn typed(args: &Value<'_>) -> String {
    fn scalars(value: &Value<'_>, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(_, member)| scalars(member, found)),
            Value::Array(items) => items.iter().for_each(|item| scalars(item, found)),
            Value::String(text) => found.push(text.to_string()),
            Value::Number(number) => found.push(number.to_string()),
            Value::Null | Value::Bool(_) => {}
        }
    }
    let mut found = Vec::new();
    scalars(args, &mut found);
    found.join(" , ")
}
