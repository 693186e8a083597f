//! Each check of a peer's linter, and what evades it, has its counterpart here: a rule that catches it in any words, or an
//! error because our format cannot say it.

use super::user_cases::spec;
use crate::disk::linted;

const TOOLS: &str = "tools:\n  look_up: {description: Look a record up., effect: read, parameters: {type: object, required: [id], properties: {id: {type: string, maxLength: 9}}}}\n  pay: {description: Pay., effect: external, parameters: {type: object, required: [id], properties: {id: {type: string, maxLength: 9}}}}\n";

/// What the peer calls it, what a spec says that breaks it, and the rule that is told here.
const CASES: &[(&str, &str, &str)] = &[
    (
        "tool-surface-over-15",
        "tools: {t1: {effect: read}, t2: {effect: read}, t3: {effect: read}, t4: {effect: read}, t5: {effect: read}, t6: {effect: read}, t7: {effect: read}, t8: {effect: read}, t9: {effect: read}, t10: {effect: read}, t11: {effect: read}, t12: {effect: read}, t13: {effect: read}, t14: {effect: read}, t15: {effect: read}, t16: {effect: read}}\n",
        "too-many-tools",
    ),
    (
        "UNSAT-RISK",
        "TOOLSguards: {onReply: [{id: say, kind: mustMention, with: {all: [refund]}}, {id: never, kind: mustNotMention, with: {words: [refund]}}]}\n",
        "unsatisfiable-reply",
    ),
    (
        "ORDER-CYCLE",
        "TOOLSflow: [{id: one, from: pay, to: look_up}, {id: two, from: look_up, to: pay}]\n",
        "flow-cycle",
    ),
    ("SURFACE-UNRESOLVABLE", "TOOLSflow: [{id: one, from: lok_up, to: pay}]\n", "matches-nothing"),
    ("GUARD-TARGET-OFF-SURFACE", "TOOLSguards: {preTool: [{id: g, tools: [pey], kind: forbid}]}\n", "matches-nothing"),
    (
        "PROSE-NAMES-ABSENT-TOOL",
        "TOOLSguards: {preTool: [{id: g, tools: [pay], check: world.open, prose: never call `pay` while `look_upp` runs, correction: Wait.}]}\n",
        "prose-names-absent-tool",
    ),
    (
        "PROSE-ORDERS-OFF-SURFACE-CALL",
        "TOOLSbehavior: ['Call `look_ups` before you pay.']\n",
        "prose-names-absent-tool",
    ),
    ("PROSE-ORDERING-WITHOUT-GATE", "TOOLSbehavior: ['Call `look_up` before `pay`.']\n", "unenforced-order"),
    (
        "DESTRUCTIVE-WITHOUT-CONFIRM",
        "tools: {delete_record: {description: Delete it., effect: write}}\n",
        "unconfirmed-destruction",
    ),
    (
        "DESTRUCTIVE-WITHOUT-CONFIRM, the word at the end, in camel case, behind a server",
        "tools: {'crm/recordPurge': {description: Purge it., effect: write}}\n",
        "unconfirmed-destruction",
    ),
    ("GUARD-NEVER-TARGETED", "TOOLS", "unguarded-tool"),
    ("GUARD-ID-POSITIONAL", "TOOLSguards: {preTool: [{tools: [pay], kind: forbid}]}\n", "missing-key"),
    ("ARMED-SEAM-WITHOUT-PROSE", "TOOLSguards: {preTool: [{id: g, tools: [pay], check: world.open}]}\n", "missing-key"),
    (
        "stateful regex: a flag that keeps a place between two looks",
        "TOOLSguards: {preTool: [{id: g, tools: [pay], kind: argFormat, with: {arg: id, pattern: '^[a-z]+$', flags: gy}}]}\n",
        "unknown-key",
    ),
    ("persona in a contract", "TOOLSvoice: x\n", "unknown-key"),
    (
        "accepts any preset: an expression on a message",
        "TOOLSlet: {x: input.text == 'refund'}\nguards: {preTool: [{id: g, tools: [pay], check: x, prose: p, correction: Do c.}]}\n",
        "unknown-name",
    ),
];

#[test]
fn what_a_peer_looks_for_is_told_here_by_name() {
    let missed = CASES.iter().filter_map(|(peer, text, rule)| {
        let loaded = linted(spec(&text.replace("TOOLS", TOOLS)));
        (!loaded.rules().contains(rule)).then(|| format!("{peer}: {:?}", loaded.lines()))
    });
    assert_eq!(missed.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_spec_that_does_none_of_it_hears_nothing_of_it() {
    let text = format!(
        "{TOOLS}flow: [{{id: look-first, from: look_up, to: pay, same: id}}]\nbehavior: ['Call `look_up` before `pay`.']\n\
         guards:\n  preTool: [{{id: g, tools: [pay], check: world.open, prose: pay only while the desk is open, correction: Say that the desk is closed.}}]\n  \
         onReply: [{{id: say, kind: mustMention, with: {{all: [record]}}}}]\n"
    );
    let loaded = linted(spec(&text));
    assert!(loaded.policy.is_some(), "{:?}", loaded.lines());
    for (_, _, rule) in CASES {
        assert!(!loaded.rules().contains(rule), "{rule}: {:?}", loaded.lines());
    }
}
