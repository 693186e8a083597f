//! `bad-pattern`: a regular expression that cannot be used. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F131",
    name: "bad-pattern",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a regular expression of a kind's parameters that does not compile, is too large once compiled, or cannot tell
one text from another: an empty one, and for a search one that matches everything or the empty text. Look-around and
back-references are not known, because patterns run in linear time.

## Why
A pattern that matches every text withholds every reply, and one that matches only the empty text refuses every
argument. A pattern with look-around could be made to run for minutes by a text that somebody chose for it.

## Example
```yaml
guards:
  preTool:
    - {id: no-digits, tools: [refund], kind: argFormat, with: {arg: note, pattern: '(?!.*[0-9]).*'}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: no-digits, tools: [refund], kind: argFormat, with: {arg: note, pattern: '[^0-9]*'}}
```
",
    check: Check::Loading,
};
