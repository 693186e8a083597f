//! `unused-param`: a constant that no expression and no text reads.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, walk};
use crate::yaml::{Data, Node};

pub(super) static RULE: Rule = Rule {
    code: "F170",
    name: "unused-param",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a constant under `params` that nothing in the spec reads as `params.NAME`. Constants of a contract are shared, and
are not looked at, nor are those of a spec that another linted spec extends.

## Why
A limit that nobody reads limits nothing, and looks as if it did. Most often the rule that was to read it holds a number of
its own.

## Example
```yaml
params: {most: 500}
check: args.amount <= 50
```

## Use instead
```yaml
params: {most: 500}
check: args.amount <= params.most
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let Some(Node { data: Data::Map(params), .. }) = linted.node(&["params"]) else { return };
    let mut read = Read::default();
    // The parameters of a pack's kinds are called so too, and are not these.
    for tree in linted.trees().filter(|tree| tree.get("pack").is_none()) {
        walk::texts(tree, &mut |text, _| read.add(text));
    }
    for param in params.iter().filter(|param| !read.is_read(&param.key)) {
        let problem = RULE.at(param.key_span, format!("nothing reads the constant `{}`", param.key));
        found.push(problem.help(format!("read it as `params.{}` where it is meant, or take it out", param.key)));
    }
}

/// The names that stand behind `params.`.
#[derive(Default)]
struct Read<'t> {
    names: Vec<&'t str>,
    /// True if some text reads the constants as a whole, or by a name that is worked out.
    reads_any: bool,
}

impl<'t> Read<'t> {
    fn add(&mut self, text: &'t str) {
        for rest in text.split("params").skip(1) {
            let name = rest.strip_prefix(".?").or_else(|| rest.strip_prefix('.')).map(word);
            match name.filter(|name| !name.is_empty()) {
                Some(name) => self.names.push(name),
                // The key itself is no look at all of them.
                None => self.reads_any |= text != "params",
            }
        }
    }

    fn is_read(&self, name: &str) -> bool {
        self.reads_any || self.names.contains(&name)
    }
}

/// The name that a text begins with.
fn word(text: &str) -> &str {
    let end = text.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}
