//! The keys of what spec and contract say to the model and to people.

use crate::decode::{Field, Shape, Type};

/// `scope` of a spec.
pub const SCOPE: Shape = Shape {
    name: "`scope`",
    fields: &[
        Field::required("lane", Type::Text, "What the agent does, and nothing else; constants only."),
        Field::optional("others", Type::List(&Type::Shape(&NEIGHBOUR)), "Who does what lies beside it."),
    ],
};

/// One of the others of `scope`.
pub const NEIGHBOUR: Shape = Shape {
    name: "one of `others`",
    fields: &[
        Field::required("label", Type::Text, "Who, such as `the other desk`; constants only."),
        Field::required("covers", Type::Text, "What they do; constants only."),
    ],
};

/// One directive.
pub const DIRECTIVE: Shape = Shape {
    name: "a directive",
    fields: &[
        Field::required("id", Type::Id, "Unique over spec and contract."),
        Field::optional("when", Type::Expression, "Where it holds, asked when a turn begins; absent: always."),
        Field::required("say", Type::Text, "What the model is told; `{world.plan}` shows a value."),
    ],
};

/// `wording` of a contract.
pub const WORDING: Shape = Shape {
    name: "`wording`",
    fields: &[
        Field::optional(
            "refused",
            Type::Text,
            "Said where a message is refused and the guard has no words of its own; constants only.",
        ),
        Field::optional(
            "consentQuestion",
            Type::Text,
            "Asks a person: `{label}` is what is asked about, `{code}` what they answer with.",
        ),
        Field::optional("closing", Type::Text, "Closes a reply that the engine writes; constants only."),
        Field::optional(
            "nothingChanged",
            Type::Text,
            "The same, where it is known that nothing took effect; constants only.",
        ),
        Field::optional("exhausted", Type::Text, "Said where a run stops before it is done; constants only."),
        Field::optional("done", Type::Text, "Tells that something took effect: `{label}` is what."),
        Field::optional("noEffect", Type::Text, "Tells that it ran and changed nothing: `{label}` is what."),
        Field::optional("failed", Type::Text, "Tells that it failed and changed nothing: `{label}` is what."),
        Field::optional("unknown", Type::Text, "Tells that nobody knows whether it took effect: `{label}` is what."),
        Field::optional("running", Type::Text, "Tells that it has not ended: `{label}` is what."),
        Field::optional("waiting", Type::Text, "Tells that somebody must agree first: `{label}` is what."),
        Field::optional(
            "owed",
            Type::Text,
            "Tells that something that was to follow has not been done: `{label}` is what.",
        ),
    ],
};
