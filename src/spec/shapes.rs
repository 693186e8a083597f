//! Every key of specs and contracts in constant tables: the decoder checks against them, `flyball schema` prints them.

use crate::decode::{Field, Later, Shape, Type};
use crate::guards::requires_before::SAME;

const PATTERNS: Type = Type::OneOrMany(&Type::Text);
const EFFECT: Type = Type::Word(&["read", "write", "external"]);
const EFFECTS: Type = Type::List(&EFFECT);

const TOOLS: Field = Field::optional("tools", PATTERNS, "The tools it is about, by name or glob; absent: every tool.");
const EXCEPT: Field = Field::optional("except", PATTERNS, "Tools it is not about.");
const ABOUT_EFFECTS: Field = Field::optional("effects", EFFECTS, "Only tools with one of these effects.");

/// `grants`.
pub const GRANTS: Shape = Shape {
    name: "`grants`",
    fields: &[
        Field::optional("effects", EFFECTS, "The effects permitted; absent: those the tools declare."),
        Field::optional("scopes", Type::List(&Type::Text), "The scopes granted; absent: none."),
    ],
};

/// `world`.
pub const WORLD: Shape = Shape {
    name: "`world`",
    fields: &[Field::required(
        "schema",
        Type::Either(&[Type::Text, Type::Map(&Type::Any)]),
        "The world's JSON Schema: a file, or the schema itself.",
    )],
};

/// `idempotency` of a tool.
pub const IDEMPOTENCY: Shape = Shape {
    name: "`idempotency`",
    fields: &[
        Field::required("key", Type::Expression, "What two calls agree on that are one: `[args.id, args.date]`."),
        Field::optional("window", Type::Text, "For how long, such as `24h`; absent: for the session."),
    ],
};

/// `clamp` of a rewrite.
pub const CLAMP: Shape = Shape {
    name: "`clamp`",
    fields: &[
        Field::optional("min", Type::Number, "What is below becomes this."),
        Field::optional("max", Type::Number, "What is above becomes this."),
    ],
};

const FORM: Type = Type::Word(&["trim", "lower", "upper", "spaces"]);

/// One rewrite of a tool.
pub const REWRITE: Shape = Shape {
    name: "a rewrite",
    fields: &[
        Field::required("arg", Type::Text, "The argument: `note`, `options.limit`, `lines[].sku`."),
        Field::optional("set", Type::Any, "It is this, whatever was sent."),
        Field::optional("clamp", Type::Shape(&CLAMP), "A number, moved between two bounds."),
        Field::optional("default", Type::Any, "It is this where it is absent."),
        Field::optional(
            "normalise",
            Type::OneOrMany(&FORM),
            "A text in one form: `trim` its ends, `spaces` (one for each run of white space), `lower` or `upper` A to Z.",
        ),
    ],
};

/// One entry of `tools`.
pub const TOOL: Shape = Shape {
    name: "a tool",
    fields: &[
        Field::optional("description", Type::Text, "What the tool does, for the model."),
        Field::optional(
            "effect",
            EFFECT,
            "`read`, `write` (the host's own data) or `external` (leaves the system); absent: `external`.",
        ),
        Field::optional("scopes", Type::List(&Type::Text), "Scopes that must be granted."),
        Field::optional(
            "rewrite",
            Type::List(&Type::Shape(&REWRITE)),
            "Changes of arguments, once, in this order, before they are judged.",
        ),
        Field::optional("coerce", Type::Bool, "True to convert arguments faithfully: '300' for an integer."),
        Field::optional("destructive", Type::Bool, "True if it cannot be undone: at most one such call a turn."),
        Field::optional(
            "parameters",
            Type::Map(&Type::Any),
            "The JSON Schema of its arguments, or `{$ref: file}`; absent: unchecked.",
        ),
        Field::optional("idempotency", Type::Shape(&IDEMPOTENCY), "Which calls are one, and run once."),
    ],
};

/// One guard.
pub const GUARD: Shape = Shape {
    name: "a guard",
    fields: &[
        Field::required("id", Type::Id, "Unique over spec and contract; the `code` of its denies."),
        TOOLS,
        EXCEPT,
        ABOUT_EFFECTS,
        Field::optional(
            "kind",
            Type::Text,
            "A kind of the catalog (`flyball guards`); absent: it fires whenever it applies.",
        ),
        Field::optional("with", Type::Map(&Type::Any), "The kind's parameters."),
        Field::optional(
            "action",
            Type::Word(&["deny", "warn", "audit", "allow"]),
            "What firing does; absent: `deny`, under `postTool` `warn`.",
        ),
        Field::optional("missing", Type::Word(&["deny", "skip"]), "What a missing value does; absent: `deny`."),
        Field::optional("prose", Type::Text, "The rule for the prompt, in place of the kind's."),
        Field::optional("correction", Type::Text, "What to do instead, in place of the kind's."),
        Field::optional("publicReason", Type::Text, "The sentence a person may see."),
    ],
};

/// `guards`.
pub const GUARDS: Shape = Shape {
    name: "`guards`",
    fields: &[
        Field::optional("preTool", Type::List(&Type::Shape(&GUARD)), "Before a tool runs."),
        Field::optional("postTool", Type::List(&Type::Shape(&GUARD)), "When a tool has a result."),
    ],
};

/// One flow edge.
pub const EDGE: Shape = Shape {
    name: "a flow edge",
    fields: &[
        Field::required("id", Type::Id, "Unique over spec and contract; the `code` of its denies."),
        Field::required("from", PATTERNS, "One of these tools must have succeeded before."),
        Field::required(
            "to",
            PATTERNS,
            "The tools it stands before; a glob leaves out the tools that `from` names, which do not wait for themselves.",
        ),
        EXCEPT,
        Field::optional("same", SAME, "What both calls must agree on: an argument, or a map of paths."),
        Field::optional("within", Type::Text, "How recent: `turn` or `3 turns` (this one and the two before)."),
        Field::optional("emptyCounts", Type::Bool, "True if a success with an empty result counts."),
        Field::optional("correction", Type::Text, "What to do instead, in place of the generated words."),
    ],
};

/// One budget.
pub const BUDGET: Shape = Shape {
    name: "a budget",
    fields: &[
        Field::required("id", Type::Id, "Unique over spec and contract; the `code` of its denies."),
        Field::optional(
            "count",
            Type::Word(&["calls", "attempts"]),
            "`calls` (allowed ones) or `attempts` (every proposal).",
        ),
        Field::optional("sum", Type::Expression, "An amount of each call, such as `args.amount`, in place of a count."),
        TOOLS,
        EXCEPT,
        ABOUT_EFFECTS,
        Field::optional("when", Type::Expression, "Which of their calls; absent: all."),
        Field::optional("per", Type::Expression, "Keeps one count for each value of this, such as `args.id`."),
        Field::optional("scope", Type::Word(&["turn", "session"]), "How long the count lasts; absent: `session`."),
        Field::optional(
            "window",
            Type::Text,
            "How far the count looks back, such as `24h`; absent: as far as its scope.",
        ),
        Field::optional("outcome", Type::Word(&["failed"]), "`failed`: only calls that ended without success count."),
        Field::optional("streak", Type::Bool, "True if a success sets the count to 0."),
        Field::optional("resetOn", Type::List(&Type::Word(&["turn"])), "What sets the count to 0: a new `turn`."),
        Field::optional(
            "action",
            Type::Word(&["deny", "ask", "stop"]),
            "What becomes of a call beyond it; `stop` also ends the run. Absent: `deny`.",
        ),
        Field::required("max", Type::Amount, "How much is allowed, of a count a whole number; 0 allows none."),
    ],
};

/// `ledger`.
pub const LEDGER: Shape = Shape {
    name: "`ledger`",
    fields: &[
        Field::optional("keepSecrets", Type::Bool, "False: secrets are not kept beside the ledger either."),
        Field::optional("secretKeys", Type::List(&Type::Text), "Names of secrets besides the shipped ones."),
    ],
};

/// `controls.auto`.
pub const AUTO: Shape = Shape {
    name: "`controls.auto`",
    fields: &[
        Field::optional("noDuplicateCall", Type::Bool, "False switches the automatic guard off."),
        Field::optional("destructiveThrottle", Type::Bool, "False switches the automatic guard off."),
    ],
};

/// `controls`.
pub const CONTROLS: Shape =
    Shape { name: "`controls`", fields: &[Field::optional("auto", Type::Shape(&AUTO), "Guards that every spec has.")] };

/// Keys of the format that this version does not act on: unknown like any other, but told in other words.
pub const LATER: Later = &[
    ("a spec", &["packs", "scope", "time", "roots", "params", "let", "approvals", "chains", "behavior", "directives"]),
    (
        "a contract",
        &[
            "voice",
            "rules",
            "language",
            "facts",
            "wording",
            "outcomes",
            "sensitive",
            "disclosure",
            "time",
            "world",
            "params",
            "let",
            "approvals",
        ],
    ),
    ("`world`", &["stale", "untrusted"]),
    (
        "a tool",
        &[
            "replay",
            "returns",
            "declares",
            "errorWhen",
            "untrusted",
            "sensitive",
            "touches",
            "label",
            "outcome",
            "ends",
            "timeout",
            "cost",
        ],
    ),
    ("`guards`", &["onInput", "onReply"]),
    ("a guard", &["when", "forEach", "check", "by", "onFailure", "interim", "redact"]),
    ("a flow edge", &["fresh"]),
    (
        "`controls`",
        &[
            "maxSteps",
            "redrives",
            "vetoStreak",
            "sentinel",
            "profile",
            "callsPerStep",
            "terminal",
            "textWithCalls",
            "stream",
            "exhaustionReply",
        ],
    ),
    ("`controls.auto`", &["confirmFirst", "emptyReply", "degenerationGuard", "claimIsGrounded", "claimIsComplete"]),
];

const DEFS: Field =
    Field::optional("$defs", Type::Map(&Type::Map(&Type::Any)), "Schemas that `$ref: '#/$defs/NAME'` names.");
const ALL_GUARDS: Field = Field::optional("guards", Type::Shape(&GUARDS), "Rules, by hook.");
const BUDGETS: Field = Field::optional("budgets", Type::List(&Type::Shape(&BUDGET)), "Bounds on what the run may do.");

/// A spec.
pub const SPEC: Shape = Shape {
    name: "a spec",
    fields: &[
        Field::required("agentspec", Type::Count, "The version of the format: 1."),
        Field::required("id", Type::Id, "The agent's id."),
        Field::optional("extends", Type::Text, "The file of the spec it adds to, and may only tighten."),
        Field::optional("contract", Type::Text, "The file of the contract it shares."),
        Field::required("persona", Type::Text, "Who the agent is, for the prompt."),
        Field::optional("grants", Type::Shape(&GRANTS), "What this layer permits."),
        Field::optional(
            "default",
            Type::Word(&["allow", "ask", "deny", "defer"]),
            "The verdict where no guard has an opinion; absent: `allow`.",
        ),
        Field::optional(
            "mode",
            Type::Word(&["enforce", "observe"]),
            "`observe` allows everything and says what would have been.",
        ),
        Field::optional("world", Type::Shape(&WORLD), "The host's state."),
        DEFS,
        Field::required(
            "tools",
            Type::Map(&Type::Shape(&TOOL)),
            "By name, `server/name`, or a glob for host-owned tools.",
        ),
        Field::optional("flow", Type::List(&Type::Shape(&EDGE)), "Which call must come before which."),
        ALL_GUARDS,
        BUDGETS,
        Field::optional("ledger", Type::Shape(&LEDGER), "What the ledger keeps of secrets."),
        Field::optional("controls", Type::Shape(&CONTROLS), "How the run is governed."),
    ],
};

/// A contract.
pub const CONTRACT: Shape = Shape {
    name: "a contract",
    fields: &[
        Field::required("contract", Type::Count, "The version of the format: 1."),
        Field::required("id", Type::Id, "The contract's id."),
        DEFS,
        ALL_GUARDS,
        BUDGETS,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_acted_on_is_not_called_later() {
        let shapes = [&SPEC, &CONTRACT, &WORLD, &TOOL, &GUARD, &GUARDS, &EDGE, &BUDGET, &CONTROLS, &AUTO];
        for (name, keys) in LATER {
            let shape = shapes.iter().find(|shape| shape.name == *name);
            let fields = shape.unwrap_or_else(|| panic!("{name} is no shape")).fields;
            assert!(!fields.iter().any(|field| keys.contains(&field.key)), "{name}");
        }
    }

    #[test]
    fn a_sentence_of_the_documentation_is_a_help() {
        let help = |doc| Field::optional("key", Type::Text, doc).help();
        assert_eq!(help("The spec's id."), "the spec's id");
        assert_eq!(help("`calls` (allowed ones)."), "`calls` (allowed ones)");
        assert_eq!(help("JSON Schemas."), "JSON Schemas");
    }
}
