//! The keys of `approvals`, of a spec and of a contract.

use super::EFFECTS;
use crate::decode::{Field, Shape, Type};

/// `approvals`.
pub const APPROVALS: Shape = Shape {
    name: "`approvals`",
    fields: &[
        Field::optional("user", Type::Shape(&USER), "How the person in the conversation answers."),
        Field::optional("approver", Type::Shape(&APPROVER), "How somebody who may approve answers."),
        Field::optional(
            "require",
            EFFECTS,
            "Calls of tools with one of these effects wait for an approver; absent: none.",
        ),
    ],
};

/// `approvals.user`.
pub const USER: Shape = Shape {
    name: "`approvals.user`",
    fields: &[
        Field::optional(
            "accept",
            Type::List(&Type::Either(&[Type::Word(&["button", "code"]), Type::Shape(&WORDS)])),
            "What counts as an answer; absent: `button` and `code`.",
        ),
        Field::optional("ttl", Type::Text, "How long a question stays open, such as `5m`; absent: `15m`."),
    ],
};

/// `approvals.approver`.
pub const APPROVER: Shape = Shape {
    name: "`approvals.approver`",
    fields: &[Field::optional("ttl", Type::Text, "How long a question stays open, such as `24h`; absent: `60m`.")],
};

/// Words of `accept`.
pub const WORDS: Shape = Shape {
    name: "`approvals.user.accept`",
    fields: &[Field::required(
        "words",
        Type::List(&Type::Text),
        "Messages that are a yes, each of them whole, right after the only open question.",
    )],
};

/// The key itself.
pub(super) const KEY: Field =
    Field::optional("approvals", Type::Shape(&APPROVALS), "How somebody is asked before a call runs.");
