//! `file-too-large`: a file beyond the size that is read. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F003",
    name: "file-too-large",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a file of more than 1 MiB (1,048,576 bytes). It is not read at all, so nothing else in it is reported.

## Why
A spec is read by people and checked as a whole before it runs. A file of that size is nearly always a generated one,
a recorded conversation or a table of data, and reading it would let anybody who can write the file slow down every
start of the agent.

## Example
A file of 1,052,047 bytes, most of them in one comment.

## Use instead
Split it: contracts and packs are files of their own, and schemas can stand in JSON files that `$ref` names. Data that changes
belongs in the world, which the host sends.
",
    check: Check::Loading,
};
