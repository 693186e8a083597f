//! Every key of specs and contracts in constant tables: the decoder checks against them, `flyball schema` prints them.

mod approvals;
mod packs;
mod words;

use crate::decode::{Field, Later, Shape, Type};
use crate::guards::requires_before::SAME;

pub use approvals::{APPROVALS, APPROVER, USER, WORDS};
pub use packs::{CASE, EXPRESSION_PARAMETER, PACK, PACK_KIND};
pub use words::{DIRECTIVE, NEIGHBOUR, SCOPE, WORDING};

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
    fields: &[
        Field::optional(
            "schema",
            Type::Either(&[Type::Text, Type::Map(&Type::Any)]),
            "The world's JSON Schema: a file, or the schema itself; absent: unchecked.",
        ),
        Field::optional(
            "stale",
            Type::Word(&["allow", "deny"]),
            "`deny`: after a write, what is read of the world is missing until the host sends it again; absent: `allow`.",
        ),
        Field::optional(
            "untrusted",
            Type::List(&Type::Text),
            "Paths to what outsiders can write, such as `tickets.*.body`; absent: none.",
        ),
    ],
};

/// `destructive`, written out.
pub const DESTRUCTIVE: Shape = Shape {
    name: "`destructive`",
    fields: &[Field::required("when", Type::Expression, "Which calls cannot be undone.")],
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
        Field::optional(
            "destructive",
            Type::Either(&[Type::Bool, Type::Shape(&DESTRUCTIVE)]),
            "True if it cannot be undone: it asks the user, and at most one such call a turn.",
        ),
        Field::optional(
            "label",
            Type::Text,
            "What a person is asked about a call, such as `refunding {args.amount}`; absent: its name and arguments.",
        ),
        Field::optional("outcome", Type::Text, "The contract's word for its success, as claims and the record use it."),
        Field::optional("ends", Type::Word(&["session"]), "`session`: after its success every call is denied."),
        Field::optional("cost", Type::Amount, "What one call costs, for whoever plans with it; absent: unknown."),
        Field::optional(
            "parameters",
            Type::Map(&Type::Any),
            "The JSON Schema of its arguments, or `{$ref: file}`; absent: unchecked.",
        ),
        Field::optional(
            "declares",
            Type::Map(&Type::Map(&Type::Any)),
            "What the model says beside the arguments, by name, each a JSON Schema: judged and shown, never sent to the tool.",
        ),
        Field::optional(
            "returns",
            Type::Map(&Type::Any),
            "The JSON Schema of its result, which types `result` in expressions; absent: untyped.",
        ),
        Field::optional(
            "errorWhen",
            Type::Expression,
            "What of a result says that the call failed and changed nothing.",
        ),
        Field::optional("idempotency", Type::Shape(&IDEMPOTENCY), "Which calls are one, and run once."),
        Field::optional(
            "untrusted",
            Type::List(&Type::Text),
            "Paths of its result that outsiders can write, `''` all of it; absent: none, of a server's tool all.",
        ),
        Field::optional(
            "sensitive",
            Type::List(&Type::Text),
            "Where secrets and private data stand: `args.card`, `result.password`.",
        ),
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
        Field::optional("when", Type::Expression, "Whether it applies; absent: it does."),
        Field::optional(
            "forEach",
            Type::Text,
            "`item in args.items`, or `index, item in …`: asks once for each element, so that texts can name the one.",
        ),
        Field::optional(
            "check",
            Type::Expression,
            "What must be true; absent, and no `kind`: it fires whenever it applies.",
        ),
        Field::optional(
            "kind",
            Type::Text,
            "A kind of the catalog (`flyball guards`) or of a pack (`NAME/KIND`), in place of a `check`.",
        ),
        Field::optional("with", Type::Map(&Type::Any), "The kind's parameters; `params.NAME` stands for a constant."),
        Field::optional(
            "action",
            Type::Word(&["deny", "ask", "warn", "audit", "allow"]),
            "What firing does; absent: `deny`, under `postTool` `warn`.",
        ),
        Field::optional(
            "redact",
            Type::Map(&Type::Expression),
            "Under `postTool`, in place of an `action`: what stands at each of these paths of the result instead.",
        ),
        Field::optional("by", Type::Word(&["user", "approver"]), "Who is asked by `action: ask`; absent: `approver`."),
        Field::optional(
            "missing",
            Type::Word(&["deny", "skip"]),
            "What an absent, null or wrongly typed value does; absent: `deny`.",
        ),
        Field::optional(
            "onFailure",
            Type::Word(&["deny", "ask"]),
            "What a guard does that cannot judge; absent: `deny`.",
        ),
        Field::optional(
            "interim",
            Type::Bool,
            "Under `onReply`: whether it also judges text beside calls; absent: as its kind does.",
        ),
        Field::optional("prose", Type::Text, "The rule for the prompt, in place of the kind's; constants only."),
        Field::optional(
            "correction",
            Type::Text,
            "What to do instead, in place of the kind's; `{args.amount}` shows a value.",
        ),
        Field::optional("publicReason", Type::Text, "The sentence a person may see."),
    ],
};

/// One entry of `let`, written out.
pub const LET: Shape = Shape {
    name: "a let",
    fields: &[
        Field::required("value", Type::Expression, "What the name stands for."),
        Field::optional(
            "missing",
            Type::Text,
            "What the model is told where the value is missing: one deny in place of every guard that reads it.",
        ),
    ],
};

/// `time`.
pub const TIME: Shape = Shape {
    name: "`time`",
    fields: &[Field::required(
        "offset",
        Type::Text,
        "The offset from UTC of times without a zone, such as `'-05:00'`.",
    )],
};

/// `guards`.
pub const GUARDS: Shape = Shape {
    name: "`guards`",
    fields: &[
        Field::optional("onInput", Type::List(&Type::Shape(&GUARD)), "When a message comes in, before any model call."),
        Field::optional("preTool", Type::List(&Type::Shape(&GUARD)), "Before a tool runs."),
        Field::optional("postTool", Type::List(&Type::Shape(&GUARD)), "When a tool has a result."),
        Field::optional("onReply", Type::List(&Type::Shape(&GUARD)), "Before a reply goes out."),
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
        Field::optional(
            "fresh",
            Type::Bool,
            "True: later than the last write by one of these tools to the same record, the one `same` names.",
        ),
        Field::optional("emptyCounts", Type::Bool, "True if a success with an empty result counts."),
        Field::optional("correction", Type::Text, "What to do instead, in place of the generated words."),
    ],
};

/// One chain.
pub const CHAIN: Shape = Shape {
    name: "a chain",
    fields: &[
        Field::required("after", Type::Text, "The tool after whose success something is owed."),
        Field::required("call", Type::Text, "The tool that is then to be called before the reply."),
        Field::optional("when", Type::Expression, "Whether it is owed: reads the call and its result. Absent: it is."),
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

const TEXTS: Type = Type::List(&Type::Text);
const HIDING: Type = Type::Word(&["omit", "mask"]);
const OUTCOME: Type = Type::Word(&[
    "success",
    "failure",
    "not_found",
    "blocked",
    "refused",
    "no_op",
    "tool_called_request_approval",
    "any_other_question",
]);

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
        Field::optional("confirmFirst", Type::Bool, "False switches the automatic guard off."),
        Field::optional("destructiveThrottle", Type::Bool, "False switches the automatic guard off."),
        Field::optional("emptyReply", Type::Bool, "False switches the automatic guard off."),
        Field::optional("degenerationGuard", Type::Bool, "False switches the automatic guard off."),
        Field::optional("claimIsGrounded", Type::Bool, "False switches the automatic guard off."),
        Field::optional("claimIsComplete", Type::Bool, "False switches the automatic guard off."),
    ],
};

/// `controls.terminal`, written out.
pub const TERMINAL: Shape = Shape {
    name: "`controls.terminal`",
    fields: &[Field::required("replyOnly", Type::Expression, "Where a turn ends only with a reply.")],
};

/// `controls`.
pub const CONTROLS: Shape = Shape {
    name: "`controls`",
    fields: &[
        Field::optional(
            "vetoStreak",
            Type::CountFromOne,
            "How many refused calls in a row end the turn; absent: no limit.",
        ),
        Field::optional(
            "callsPerStep",
            Type::CountFromOne,
            "How many calls of one model turn are judged; the others are refused. Absent: no limit.",
        ),
        Field::optional(
            "textWithCalls",
            Type::Word(&["drop", "check", "deny"]),
            "What becomes of text beside calls: `drop` does not show it, `check` shows what the guards with `interim` let pass, `deny` refuses its calls too. Absent: `drop`.",
        ),
        Field::optional(
            "redrives",
            Type::Count,
            "How many times a reply that did not pass is asked for again, before the engine speaks in its place. Absent: 1.",
        ),
        Field::optional(
            "stream",
            Type::Word(&["hold", "window", "after"]),
            "When a streamed reply is shown: `hold` once it passed, `window` but for the last part of it, in which a forbidden pattern may still be growing, `after` at once. Absent: `hold`.",
        ),
        Field::optional(
            "profile",
            Type::Word(&["flyball", "scikitplot"]),
            "Whose rules hold where the spec says nothing: `scikitplot` grants reading alone, and what more is granted waits for an approver. Absent: `flyball`.",
        ),
        Field::optional(
            "terminal",
            Type::Either(&[Type::Word(&["any", "replyOnly"]), Type::Shape(&TERMINAL)]),
            "How a turn may end: `replyOnly` only with a reply, not with a question; absent: `any`.",
        ),
        Field::optional(
            "exhaustionReply",
            Type::Text,
            "What the host says where a limit ends the run and the model has said nothing; constants only.",
        ),
        Field::optional("auto", Type::Shape(&AUTO), "Guards that every spec has."),
    ],
};

/// Keys of the format that this version does not act on: unknown like any other, but told in other words.
pub const LATER: Later = &[
    ("a spec", &["roots"]),
    ("a contract", &["disclosure", "world"]),
    ("a tool", &["replay", "touches", "timeout"]),
    ("`controls`", &["maxSteps", "sentinel"]),
];

const TIMES: Field = Field::optional("time", Type::Shape(&TIME), "How times without a zone are read.");
const PARAMS: Field = Field::optional("params", Type::Map(&Type::Any), "Constants, read as `params.NAME`.");
const LETS: Field = Field::optional(
    "let",
    Type::Map(&Type::Either(&[Type::Expression, Type::Shape(&LET)])),
    "Named expressions, each of which may read others, wherever it stands.",
);
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
        Field::optional(
            "contract",
            Type::Either(&[Type::Text, Type::Shape(&CONTRACT)]),
            "The file of the contract it shares, or the contract itself.",
        ),
        Field::optional(
            "packs",
            Type::Map(&Type::Text),
            "Files of guard kinds, by the name that `kind: NAME/KIND` calls them.",
        ),
        Field::required("persona", Type::Text, "Who the agent is, for the prompt; constants only."),
        Field::optional("scope", Type::Shape(&SCOPE), "What it does, and who does the rest."),
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
        TIMES,
        Field::optional("world", Type::Shape(&WORLD), "The host's state."),
        PARAMS,
        LETS,
        DEFS,
        Field::required(
            "tools",
            Type::Map(&Type::Shape(&TOOL)),
            "By name, `server/name`, or a glob for host-owned tools.",
        ),
        Field::optional("flow", Type::List(&Type::Shape(&EDGE)), "Which call must come before which."),
        Field::optional(
            "chains",
            Type::List(&Type::Shape(&CHAIN)),
            "Which call is owed after which, before the reply.",
        ),
        ALL_GUARDS,
        BUDGETS,
        approvals::KEY,
        Field::optional("behavior", TEXTS, "How it goes about its work, where no guard can check it; constants only."),
        Field::optional("directives", Type::List(&Type::Shape(&DIRECTIVE)), "What it is told where something holds."),
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
        Field::optional("voice", Type::Text, "How its agents speak; constants only."),
        Field::optional("rules", TEXTS, "What holds for all of them, and no guard can check; constants only."),
        Field::optional("facts", TEXTS, "What all of them know; constants only."),
        Field::optional("language", Type::Text, "In which language they reply; constants only."),
        Field::optional("outcomes", Type::Map(&OUTCOME), "The domain's own words for how a call ended."),
        Field::optional("wording", Type::Shape(&WORDING), "What the engine says, in place of its English."),
        Field::optional(
            "sensitive",
            Type::Map(&HIDING),
            "Fields that no text shows, by name, wherever they stand: left out, or a mark in their place.",
        ),
        TIMES,
        PARAMS,
        LETS,
        DEFS,
        ALL_GUARDS,
        BUDGETS,
        approvals::KEY,
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_acted_on_is_not_called_later() {
        let shapes = [
            &SPEC,
            &CONTRACT,
            &WORLD,
            &TOOL,
            &DESTRUCTIVE,
            &GUARD,
            &LET,
            &SCOPE,
            &DIRECTIVE,
            &WORDING,
            &TIME,
            &GUARDS,
            &EDGE,
            &BUDGET,
            &CONTROLS,
            &AUTO,
        ];
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
