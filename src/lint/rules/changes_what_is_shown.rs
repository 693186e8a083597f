//! `changes-what-is-shown`: a guard that changes replies of which part is shown. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F703",
    name: "changes-what-is-shown",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a guard of a kind that changes replies, such as `jargonScrub` or `maskPattern`, in a spec with `stream: window`.

## Why
With `window` all but the last part of a reply is shown while the rest is being written. A guard that replaces words
works on the whole reply, so people would have read the words that it takes out, and the record would hold another
reply than they saw.

## Example
```yaml
controls: {stream: window}
guards:
  onReply:
    - {id: plain-words, kind: jargonScrub, with: {map: {AR_OPEN: unpaid}}}
```

## Use instead
```yaml
controls: {stream: window}
guards:
  onReply:
    - {id: no-status-words, kind: mustNotMention, with: {words: [AR_OPEN]}}
```
",
    check: Check::Loading,
};
