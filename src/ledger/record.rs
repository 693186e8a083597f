//! One record: its kind, its line, and how durable it must be before anybody hears of it.

use crate::canon::Digest;

/// The most bytes of a line, its line feed included.
pub const MAX_LINE: usize = 65_536;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// What a record tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum RecordKind { $($(#[$doc])* $variant),* }

        impl RecordKind {
            /// Every kind.
            pub const ALL: &'static [RecordKind] = &[$(RecordKind::$variant),*];

            /// The word in the record.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(RecordKind::$variant => $name),* }
            }
        }
    };
}

kinds! {
    /// A session began.
    RunOpen = "run.open",
    /// A turn began.
    TurnOpen = "turn.open",
    /// A model answered with calls.
    ModelTurn = "model.turn",
    /// A call was decided; an allow of an effect beyond reading is the intent.
    GuardDecision = "guard.decision",
    /// An allowed call began.
    ToolStarted = "tool.started",
    /// A call ended.
    ToolOutcome = "tool.outcome",
    /// A reply was decided.
    ReplyDecision = "reply.decision",
    /// The host answered.
    QueryAnswer = "query.answer",
    /// Somebody let calls run that waited for them.
    ApprovalGrant = "approval.grant",
    /// Somebody refused calls that waited for them, or took an answer back.
    ApprovalDeny = "approval.deny",
    /// The world changed.
    WorldChange = "world.change",
    /// An event was refused.
    EventRejected = "event.rejected",
    /// A turn ended.
    TurnClose = "turn.close",
    /// A session ended.
    RunClose = "run.close",
    /// The file goes on in another.
    SegmentSeal = "segment.seal",
    /// Values were erased.
    DataErased = "data.erased",
    /// A torn tail was set aside.
    LogRecovered = "log.recovered",
}

impl RecordKind {
    /// The kind of a word.
    #[must_use]
    pub fn named(name: &str) -> Option<RecordKind> {
        RecordKind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}

/// When a record may be acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Once it is written; the next group makes it durable.
    Async,
    /// With the next group.
    Group,
    /// Only when it is on the disk.
    Sync,
}

/// One finished record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub(super) kind: RecordKind,
    pub(super) seq: u64,
    pub(super) hash: Digest,
    pub(super) line: Vec<u8>,
    pub(super) durability: Durability,
}

impl Record {
    /// What it tells.
    #[must_use]
    pub fn kind(&self) -> RecordKind {
        self.kind
    }

    /// Its number in the run, from 0.
    #[must_use]
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// SHA-256 of its body.
    #[must_use]
    pub fn hash(&self) -> Digest {
        self.hash
    }

    /// Its line, line feed included.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    /// How durable it must be before the answer goes out.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.durability
    }
}
