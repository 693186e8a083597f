//! The keys of packs: kinds of guard as data, with their cases.

use crate::decode::{Field, Shape, Type};

/// One case of a pack's kind.
pub const CASE: Shape = Shape {
    name: "a case",
    fields: &[
        Field::optional("note", Type::Text, "What it shows."),
        Field::optional("with", Type::Map(&Type::Any), "The parameters, as values."),
        Field::required("want", Type::Word(&["allow", "deny", "error"]), "What the kind must say."),
        Field::optional("correction", Type::Text, "What the correction must be, word for word."),
    ],
};

/// A parameter of a pack's kind that is an expression of the guard's place.
pub const EXPRESSION_PARAMETER: Shape = Shape {
    name: "a parameter",
    fields: &[
        Field::required(
            "expr",
            Type::Text,
            "Its type: `number`, `string`, `list(string)`, `map(string, dyn)`, `dyn` …",
        ),
        Field::optional("default", Type::Expression, "What it is where a guard does not say."),
    ],
};

/// One kind of a pack.
pub const PACK_KIND: Shape = Shape {
    name: "a kind",
    fields: &[
        Field::required("hook", Type::Word(&["onInput", "preTool", "postTool"]), "Where it stands."),
        Field::optional(
            "params",
            Type::Map(&Type::Map(&Type::Any)),
            "Each `{expr: TYPE}`, an expression of the guard's place, or a JSON Schema, a value; with `default`.",
        ),
        Field::optional("when", Type::Expression, "Whether it applies; it reads only `params.NAME`."),
        Field::required("check", Type::Expression, "What must be true; it reads only `params.NAME`."),
        Field::required("prose", Type::Text, "The rule for the prompt."),
        Field::required("correction", Type::Text, "What to do instead."),
        Field::optional("publicReason", Type::Text, "The sentence a person may see."),
        Field::optional(
            "cases",
            Type::List(&Type::Shape(&CASE)),
            "What it must say of some parameters: both verdicts.",
        ),
    ],
};

/// A pack.
pub const PACK: Shape = Shape {
    name: "a pack",
    fields: &[
        Field::required("pack", Type::Count, "The version of the format: 1."),
        Field::required("id", Type::Id, "The pack's id."),
        Field::required("kinds", Type::Map(&Type::Shape(&PACK_KIND)), "The kinds, by name."),
    ],
};
