//! What a host tells Flyball: one event a message (`flyball/1`), as data that borrows from the bytes it was read from.
//!
//! The text a person typed is a [`Typed`], which nobody can read (law 2). What a model says is data like any other: its
//! reply, and what it says beside calls.

mod approval;
mod attachment;
mod read;
mod reply;
mod write;

use crate::canon::Digest;
use crate::context::Answer;
use crate::decimal::Decimal;
use crate::facts::Typed;
use crate::ledger::Salt;
use crate::value::Value;
use std::borrow::Cow;

pub use approval::{Approval, Remember};
pub use attachment::Attachment;
pub(crate) use attachment::{attachments_of, attachments_value};
pub use read::{Rejection, read, utc};
pub(crate) use reply::said_value;
pub use reply::{Claims, Said};

pub(crate) use approval::approvals_of;

/// The version of the wire in every message.
pub const WIRE: &str = "flyball/1";

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Unique in its session. The same id with the same bytes gets the recorded answer again.
    pub id: Cow<'a, str>,
    /// The session it belongs to.
    pub session: Cow<'a, str>,
    /// The agent, where the host names it.
    pub agent: Option<Cow<'a, str>>,
    /// The turn, where the host names it; it must be the session's.
    pub turn: Option<u32>,
    /// The host's clock, RFC 3339 in UTC.
    pub at: Option<Cow<'a, str>>,
    /// Entropy from the host for references to values of this event.
    pub salt: EventSalt<'a>,
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// What it changes of the world.
    pub world: WorldChange<'a>,
    /// What happened.
    pub body: Body<'a>,
}

/// Where the references to an event's values get their salt from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum EventSalt<'a> {
    /// From the run's nonce.
    #[default]
    OfRun,
    /// From the host's entropy.
    Host(Cow<'a, str>),
    /// From entropy that whoever governs brought; it is no part of what the host told.
    Drawn(Cow<'a, str>),
    /// The event is decided again: the salts it had.
    Known(Vec<Salt>),
}

/// What an event changes of the host's world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WorldChange<'a> {
    /// Nothing.
    #[default]
    None,
    /// A JSON Merge Patch, which stays.
    Patch(Value<'a>),
    /// A whole world in place of the old one.
    Whole(Value<'a>),
}

impl WorldChange<'_> {
    /// The same change, without borrows.
    #[must_use]
    pub fn into_owned(self) -> WorldChange<'static> {
        match self {
            WorldChange::None => WorldChange::None,
            WorldChange::Patch(patch) => WorldChange::Patch(patch.into_owned()),
            WorldChange::Whole(world) => WorldChange::Whole(world.into_owned()),
        }
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// A conversation begins.
    SessionOpened(Opening<'a>),
    /// A message came in.
    TurnStarted {
        /// What the user typed, where the host says.
        typed: Option<Typed<'a>>,
        /// What came with it.
        attachments: Vec<Attachment<'a>>,
    },
    /// A model answered with calls, all at once.
    ModelTurn {
        /// The calls in the order in which the model emitted them.
        calls: Vec<Call<'a>>,
        /// What it said beside them; blank text says nothing.
        text: Beside<'a>,
    },
    /// A tool call is proposed.
    ToolProposed(Call<'a>),
    /// An allowed call begins.
    ToolStarted {
        /// The call.
        call: Cow<'a, str>,
    },
    /// A call ended.
    ToolFinished {
        /// The call.
        call: Cow<'a, str>,
        /// How.
        outcome: Outcome<'a>,
    },
    /// A reply is about to go out.
    ReplyProposed(Said<'a>),
    /// A piece of a reply that is streamed.
    ReplyDelta {
        /// What comes next.
        text: Cow<'a, str>,
    },
    /// A streamed reply is whole.
    ReplyEnd {
        /// What it claims was done, as data.
        claims: Option<Claims<'a>>,
        /// What was streamed, where the event is made of its record; elsewhere the session has it.
        streamed: Option<Cow<'a, str>>,
    },
    /// The host answers what was asked.
    Answers {
        /// The call it was asked about; `None`: the reply.
        call: Option<Cow<'a, str>>,
        /// The answers.
        answers: Vec<Answer>,
    },
    /// Somebody answers where calls wait for them, all at once or not at all.
    ApprovalDecided(Vec<Approval<'a>>),
    /// An answer is no longer remembered.
    ApprovalRevoked {
        /// The answer, by the id under which it is remembered.
        remembered: Cow<'a, str>,
    },
    /// The world changed, and nothing else.
    WorldChanged,
    /// The reply is out.
    TurnEnded,
    /// The conversation is over.
    SessionClosed,
}

impl<'a> Body<'a> {
    /// A turn that begins with a message to which nothing is attached.
    #[must_use]
    pub fn turn(typed: Option<Typed<'a>>) -> Body<'a> {
        Body::TurnStarted { typed, attachments: Vec::new() }
    }

    /// An event of this type of which nothing else is known.
    pub(crate) fn outline(name: &str) -> Option<Body<'static>> {
        let call = || Cow::Borrowed("");
        Some(match name {
            "sessionOpened" => Body::SessionOpened(Opening::default()),
            "turnStarted" => Body::turn(None),
            "toolProposed" => Body::ToolProposed(Call { id: call(), tool: call(), args: Value::default(), cwd: None }),
            "modelTurn" => Body::ModelTurn { calls: Vec::new(), text: Beside::Nothing },
            "toolStarted" => Body::ToolStarted { call: call() },
            "toolFinished" => Body::ToolFinished { call: call(), outcome: Outcome::Unknown(Unknown::Unreadable) },
            "answers" => Body::Answers { call: None, answers: Vec::new() },
            "replyProposed" => Body::ReplyProposed(Said { text: call(), claims: None }),
            "replyDelta" => Body::ReplyDelta { text: call() },
            "replyEnd" => Body::ReplyEnd { claims: None, streamed: None },
            "worldChanged" => Body::WorldChanged,
            "turnEnded" => Body::TurnEnded,
            "sessionClosed" => Body::SessionClosed,
            _ => return None,
        })
    }

    /// The wire's `type`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Body::SessionOpened(_) => "sessionOpened",
            Body::TurnStarted { .. } => "turnStarted",
            Body::ModelTurn { .. } => "modelTurn",
            Body::ToolProposed(_) => "toolProposed",
            Body::ToolStarted { .. } => "toolStarted",
            Body::ToolFinished { .. } => "toolFinished",
            Body::ReplyProposed(_) => "replyProposed",
            Body::ReplyDelta { .. } => "replyDelta",
            Body::ReplyEnd { .. } => "replyEnd",
            Body::Answers { .. } => "answers",
            Body::ApprovalDecided(_) => "approvalDecided",
            Body::ApprovalRevoked { .. } => "approvalRevoked",
            Body::WorldChanged => "worldChanged",
            Body::TurnEnded => "turnEnded",
            Body::SessionClosed => "sessionClosed",
        }
    }
}

/// What a model says beside its calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Beside<'a> {
    /// Nothing, or nothing that can be seen.
    #[default]
    Nothing,
    /// Something that is not known: a record keeps no more where nobody reads it.
    Something,
    /// This.
    Text(Cow<'a, str>),
}

impl<'a> Beside<'a> {
    /// What a text says: nothing, where it is blank.
    #[must_use]
    pub fn of(text: impl Into<Cow<'a, str>>) -> Beside<'a> {
        let text = text.into();
        if crate::text::is_blank(&text) { Beside::Nothing } else { Beside::Text(text) }
    }

    /// True if it says something.
    #[must_use]
    pub fn says_something(&self) -> bool {
        *self != Beside::Nothing
    }

    /// What it says, where that is known.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Beside::Text(text) = self { Some(text) } else { None }
    }
}

/// How a session begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening<'a> {
    /// Whose session it is.
    pub tenant: Option<Cow<'a, str>>,
    /// The run's id.
    pub run: Option<Cow<'a, str>>,
    /// Entropy from the host: the key of the session's hashes comes from it.
    pub nonce: Option<Cow<'a, str>>,
    /// Who is speaking.
    pub principal: Principal<'a>,
    /// The scopes the host grants; `None`: those of the spec. It can only narrow.
    pub scopes: Option<Vec<Cow<'a, str>>>,
    /// What the host can do; `None`: everything. A spec that needs more does not open.
    pub capabilities: Option<Vec<Cow<'a, str>>>,
    /// Lower bounds for budgets, by id. They can only narrow.
    pub limits: Vec<(Cow<'a, str>, Decimal)>,
}

/// Who is speaking.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Principal<'a> {
    /// The person's id.
    pub id: Option<Cow<'a, str>>,
    /// Their roles.
    pub roles: Vec<Cow<'a, str>>,
    /// Anything else the host knows of them, an object.
    pub attributes: Option<Value<'a>>,
}

/// A proposed call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The model's id of the call.
    pub id: Cow<'a, str>,
    /// The tool's canonical name.
    pub tool: Cow<'a, str>,
    /// The arguments; an absent `args` is `{}`.
    pub args: Value<'a>,
    /// The directory the tool would run in, where the host says.
    pub cwd: Option<Cow<'a, str>>,
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<'a> {
    /// With a result.
    Ok {
        /// The result.
        result: Value<'a>,
        /// Whether it took effect, where the host knows; `None`: it is taken for it.
        effect: Option<bool>,
    },
    /// With the tool's error.
    Failed {
        /// The error.
        error: Value<'a>,
        /// Whether it took effect all the same; `None`: nobody knows.
        effect: Option<bool>,
    },
    /// Nobody knows.
    Unknown(Unknown),
}

/// Why nobody knows how a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// It took too long.
    TimedOut,
    /// It was broken off.
    Interrupted,
    /// Its result is not JSON the ledger can hold.
    Unreadable,
}

impl Unknown {
    /// The wire's words, but for `unreadable`, which only the reader finds.
    pub const WORDS: &'static [(&'static str, Unknown)] =
        &[("timed_out", Unknown::TimedOut), ("interrupted", Unknown::Interrupted)];

    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Unknown::TimedOut => "timed_out",
            Unknown::Interrupted => "interrupted",
            Unknown::Unreadable => "unreadable",
        }
    }
}

impl Opening<'_> {
    /// The capability to show nothing of a reply before it was decided.
    pub const HOLD: &'static str = "hold";

    /// The capabilities that a host may name.
    pub const CAPABILITIES: &'static [&'static str] = &[Opening::HOLD];
}

impl<'a> Event<'a> {
    /// An event made in the host's own process, without bytes to read: its digest is that of the line
    /// [`Event::to_line`] writes.
    ///
    /// ```
    /// use flyball::event::{Body, Event, read};
    ///
    /// let event = Event::new("e1", "s1", Body::turn(None));
    /// assert_eq!(read(event.to_line().as_bytes()).unwrap(), event);
    /// ```
    #[must_use]
    pub fn new(id: impl Into<Cow<'a, str>>, session: impl Into<Cow<'a, str>>, body: Body<'a>) -> Event<'a> {
        let (id, session) = (id.into(), session.into());
        let event = Event {
            id,
            session,
            agent: None,
            turn: None,
            at: None,
            salt: EventSalt::OfRun,
            digest: Digest::ZERO,
            world: WorldChange::None,
            body,
        };
        event.sealed()
    }

    /// The same event with a change of the world.
    #[must_use]
    pub fn with_world(self, world: WorldChange<'a>) -> Event<'a> {
        Event { world, ..self }.sealed()
    }

    /// The same event at a time of the host's clock, in the form that [`utc`] gives.
    #[must_use]
    pub fn with_time(self, at: Option<Cow<'a, str>>) -> Event<'a> {
        Event { at, ..self }.sealed()
    }

    /// A proposed call.
    #[must_use]
    pub fn call(id: &'a str, session: &'a str, call: &'a str, tool: &'a str, args: Value<'a>) -> Event<'a> {
        let tool = crate::tool::canonical_name(tool);
        Event::new(id, session, Body::ToolProposed(Call { id: call.into(), tool, args, cwd: None }))
    }

    /// A call that ended with a result.
    #[must_use]
    pub fn result(id: &'a str, session: &'a str, call: &'a str, result: Value<'a>) -> Event<'a> {
        Event::new(id, session, Body::ToolFinished { call: call.into(), outcome: Outcome::Ok { result, effect: None } })
    }

    /// What is known of an event that was refused: its envelope, and the type of what it told.
    pub(crate) fn outline(&self) -> Option<Event<'_>> {
        let (id, session) = (Cow::Borrowed(&*self.id), Cow::Borrowed(&*self.session));
        let (agent, at) = (self.agent.as_deref().map(Cow::Borrowed), self.at.as_deref().map(Cow::Borrowed));
        let (salt, world, body) = (EventSalt::OfRun, WorldChange::None, Body::outline(self.body.name())?);
        Some(Event { id, session, agent, turn: self.turn, at, salt, digest: self.digest, world, body })
    }

    fn sealed(self) -> Event<'a> {
        Event { digest: Digest::of(self.to_line().as_bytes()), ..self }
    }
}

#[cfg(test)]
mod tests;
