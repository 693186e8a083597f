//! `value-in-text`: a value in a text that must stay the same. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F603",
    name: "value-in-text",
    severity: Severity::Error,
    docs: r"
## What it does
Finds something other than a constant in a text that is written once, before any call: the persona, `voice`, `rules`,
`facts`, `behavior`, the prose of a guard, the wording of a contract, `exhaustionReply`. The prose of a pack's kind is
found where a guard gives a value for a parameter that the prose shows. A few texts have slots of their own, such as
`{label}` in `consentQuestion`. For a brace write `{{`.

## Why
These texts make up the part of the prompt that is the same in every turn, which model providers cache, and the lines
that the engine says when nothing else can be said. There is no call whose values they could show, and a text of an
outsider that got into one of them would speak to the model with the author's voice.

## Example
```yaml
- id: closed
  tools: [refund]
  prose: '{args.amount} is too much'
  correction: Nothing is paid back now.
```

## Use instead
```yaml
- id: closed
  tools: [refund]
  prose: nothing is paid back now
  correction: Write {{amount} as the customer said it.
```
",
    check: Check::Loading,
};
