//! `business-word-in-pack`: a pack, which is for any desk, speaks of one.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Template;
use crate::lint::{Check, Linted, Rule};
use crate::source::Span;
use crate::spec::{PackKind, packs_among};
use crate::yaml::{Data, Node};

pub(super) static RULE: Rule = Rule {
    code: "F450",
    name: "business-word-in-pack",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds, in the packs of a spec, a check, `prose`, `correction` or `publicReason` that names a tool of the spec, in backticks or
as a text of an expression; and a check that compares a parameter with a text, where the schema of that parameter does not
list the text under `enum`.

## Why
A pack is a rule without the business: the guard that uses it says what it is about. With a word of one business inside, the
next desk copies the pack to change the word, and from then on each copy has mistakes of its own.

## Example
```yaml
check: params.unit == 'box'
```

## Use instead
```yaml
check: params.unit == params.wanted
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for (pack, tree) in packs_among(linted.sources, linted.trees()) {
        for kind in &pack.kinds {
            let Some(node) = tree.get("kinds").and_then(|kinds| kinds.get(&kind.name.value)) else { continue };
            texts(linted, kind, node, found);
            expressions(linted, kind, node, found);
        }
    }
}

fn is_tool(linted: &Linted<'_>, word: &str) -> bool {
    linted.spec.tools.iter().any(|tool| tool.name.value.is_exact() && tool.name.value.text() == word)
}

/// What a kind says to models and people.
fn texts(linted: &Linted<'_>, kind: &PackKind, node: &Node, found: &mut Vec<Diagnostic>) {
    let texts = [
        ("prose", Some(&kind.prose)),
        ("correction", Some(&kind.correction)),
        ("publicReason", kind.public_reason.as_ref()),
    ];
    for (key, text) in texts {
        let (Some(text), Some(written)) = (text, node.get(key)) else { continue };
        let quoted = in_backticks(text).into_iter().map(|word| (word, written.span));
        for (word, span) in quoted.chain(text.literal_texts()) {
            if is_tool(linted, &word) {
                found.push(names_tool(span, &format!("the `{key}` of the kind `{}`", kind.name.value), &word));
            }
        }
    }
}

fn in_backticks(text: &Template) -> Vec<String> {
    text.words().flat_map(|words| words.split('`').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// What a kind asks.
fn expressions(linted: &Linted<'_>, kind: &PackKind, node: &Node, found: &mut Vec<Diagnostic>) {
    for expression in kind.when.iter().chain([&kind.check]) {
        let named: Vec<(String, Span)> =
            expression.literal_texts().into_iter().filter(|(word, _)| is_tool(linted, word)).collect();
        for (word, span) in &named {
            found.push(names_tool(*span, &format!("the kind `{}`", kind.name.value), word));
        }
        for compared in expression.compared_texts() {
            let is_word = compared.text.chars().any(char::is_alphabetic);
            let is_told = named.iter().any(|(_, span)| *span == compared.span);
            let Some(parameter) = compared.path.steps.first().filter(|_| compared.path.root == "params") else {
                continue;
            };
            if is_word && !is_told && !lists(node, parameter, &compared.text) {
                let text = crate::text::quoted(&compared.text);
                let message = format!("the kind `{}` compares `params.{parameter}` with {text}", kind.name.value);
                let help = "let a parameter carry the text, or list it under `enum` of the parameter that is compared";
                found.push(RULE.at(compared.span, message).help(help));
            }
        }
    }
}

/// True if a text is one of those that a parameter may be.
fn lists(kind: &Node, parameter: &str, text: &str) -> bool {
    let schema = kind.get("params").and_then(|params| params.get(parameter));
    let lists = schema
        .into_iter()
        .flat_map(|schema| [schema.get("enum"), schema.get("items").and_then(|items| items.get("enum"))]);
    let mut items =
        lists.flatten().flat_map(|node| if let Data::List(items) = &node.data { items.as_slice() } else { &[] });
    items.any(|item| item.text() == Some(text))
}

fn names_tool(span: Span, what: &str, tool: &str) -> Diagnostic {
    RULE.at(span, format!("{what} names `{tool}`, a tool of this spec"))
        .help("speak of the call, or let a parameter say it")
}
