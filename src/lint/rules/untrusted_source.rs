//! `untrusted-source`: an outsider's text that vouches for a value. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F807",
    name: "untrusted-source",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a source of `argFrom` and its like that outsiders can write: a path of a result or of the world that meets one
marked `untrusted`, and an expression that gives such a value or an argument of the call itself. All of a server's
tool is untrusted unless the tool says which paths are. Filtering by an untrusted value is fine.

## Why
The point of these guards is that a payee or an address was not made up by somebody who wrote to the agent. If the
body of a mail could vouch for the account in it, the mail would only have to name one.

## Example
```yaml
tools:
  get_mails: {effect: read, untrusted: ['[].body']}
  web/read_page: {effect: read}
  pay: {effect: external, parameters: {type: object, properties: {to: {type: string}}}}
guards:
  preTool:
    - {id: known, tools: [pay], kind: argFrom, with: {arg: to, from: [{tool: get_mails, path: '[].body'}, {tool: get_mails, path: ''}]}}
```

## Use instead
```yaml
tools:
  get_mails: {effect: read, untrusted: ['[].body']}
  web/read_page: {effect: read, untrusted: [text]}
  pay: {effect: external, parameters: {type: object, properties: {to: {type: string}}}}
guards:
  preTool:
    - {id: known, tools: [pay], kind: argFrom, with: {arg: to, from: [{tool: get_mails, path: '[].sender'}]}}
```
",
    check: Check::Loading,
};
