//! `streams-unjudged`: replies that are shown before they are judged. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F701",
    name: "streams-unjudged",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds `stream: after`, and says how many guards of the spec judge replies.

## Why
With it a reply is shown as it comes, and what is wrong with it is found when everybody has read it. A guard that
denies then comes too late: the promise that was not to be made has been made.

## Example
```yaml
controls: {stream: after}
guards:
  onReply:
    - {id: no-status-words, kind: mustNotMention, with: {words: [AR_OPEN]}}
```

## Use instead
```yaml
controls: {stream: hold}
guards:
  onReply:
    - {id: no-status-words, kind: mustNotMention, with: {words: [AR_OPEN]}}
```
",
    check: Check::Loading,
};
