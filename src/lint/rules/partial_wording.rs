//! `partial-wording`: a wording of which the engine has to add the rest. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F605",
    name: "partial-wording",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a contract whose `wording` has some of its keys and not all. What is left out the engine says itself, in
English.

## Why
A person would be asked for consent in Spanish and told in English what became of it, in the one message where it
matters most that nothing is misunderstood.

## Example
```yaml
contract:
  contract: 1
  id: tienda
  wording:
    refused: Vuelva a escribirnos más tarde.
    closing: Eso es todo lo que hemos hecho.
    nothingChanged: No se ha cambiado nada.
```

## Use instead
```yaml
contract:
  contract: 1
  id: tienda
  wording:
    refused: Vuelva a escribirnos más tarde.
    consentQuestion: '¿Seguimos con lo siguiente: {label}? Responda con el código {code}.'
    closing: Eso es todo lo que hemos hecho.
    nothingChanged: No se ha cambiado nada.
    exhausted: No hemos podido terminar.
    done: '{label}: hecho.'
    noEffect: '{label}: no se ha cambiado nada.'
    failed: '{label}: no ha funcionado y no se ha cambiado nada.'
    unknown: '{label}: no sabemos si se ha hecho.'
    running: '{label}: todavía está en curso.'
    waiting: '{label}: espera a que alguien lo apruebe.'
    owed: '{label}: todavía no se ha hecho.'
```
",
    check: Check::Loading,
};
