//! `wrong-file`: a file of another kind than is wanted. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F009",
    name: "wrong-file",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a file that says at its top that it is another kind of file than is needed where it is named: `contract` must
name a contract, `extends` a spec, each entry of `packs` a pack, and what is checked or run must be a spec. A file that
is named to be linted and says nothing of the kind is found too.

## Why
A contract and a spec have many keys in common, so the wrong one of the two would be half understood: its guards would
be read and its tools would not. The rules that all agents share would then be missing from this one, and nothing
would show it.

## Example
```yaml
agentspec: 1
id: wrong-file
contract: ../refunds.yaml
```

## Use instead
```yaml
agentspec: 1
id: wrong-file
contract: ../../contracts/shop.yaml
```
",
    check: Check::Loading,
};
