//! The linter: what is wrong with a spec that loads, and one registry of every rule that a finding can name.
//!
//! ```text
//! Sources ── spec::parse, policy::compile ──► Spec, Policy, what loading found
//!                                                 │
//!        every rule's check ── check(&Linted) ────┤
//!                                                 ▼
//!            settle: suppressions in comments, levels of the caller, one order ──► findings
//! ```
//!
//! A rule is one file under `rules/`: its code, its name, how bad it is, its documentation, and its check. Rules whose
//! findings come out of reading or compiling a file have no check here; what they report stops the spec from loading, or
//! is one of [`Policy::warnings`]. Checks read a spec that compiled, so none of them has to guess what a broken one means.
//!
//! ```
//! use flyball::lint::{Levels, Linted, lint, settle};
//! use flyball::source::Sources;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "agentspec: 1\nid: desk\npersona: You are the desk.\nmode: observe\ntools:\n  look: {description: Look., effect: read}\n";
//! let sources = Sources::new("desk.yaml", text);
//! let spec = flyball::spec::parse(&sources).spec.ok_or("it has errors")?;
//! let policy = flyball::policy::compile(&spec).map_err(|problems| format!("{problems:?}"))?;
//! let found = lint(&Linted::of(&sources, &spec, &policy));
//! let found = settle(&sources, found, &Levels::default());
//! assert_eq!(found[0].rule, "left-observing");
//! # Ok(())
//! # }
//! ```

mod about;
mod arguments;
mod bounds;
mod checks;
mod expressions;
mod rules;
mod suppress;
mod walk;
mod writing;

use crate::diagnostic::{self, Diagnostic, Severity};
use crate::policy::Policy;
use crate::proof::Proofs;
use crate::source::{FileId, Sources, Span};
use crate::spec::Spec;
use crate::yaml::Node;
use std::collections::BTreeMap;

pub use rules::RULES;

/// What a rule is, and its check.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// `F` and three digits; a code is never given to another rule. The first digit is the family: 0 files and YAML, 1
    /// keys, values and names, 2 expressions, 3 tools and their schemas, 4 guards, 5 order, chains and budgets, 6 what
    /// models and people read, 7 replies, 8 trust, 9 the linter itself.
    pub code: &'static str,
    /// Its name, which reads right after "allow".
    pub name: &'static str,
    /// How bad a finding is where nobody says otherwise.
    pub severity: Severity,
    /// Markdown in fixed sections: *What it does*, *Why*, *Example*, *Use instead*. The lines of the example stand in
    /// `specs/bad` under the rule's name, those to use instead in `specs/ok`.
    pub docs: &'static str,
    /// What finds it.
    pub check: Check,
}

/// What finds the breaches of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Reading or compiling the files.
    Loading,
    /// A look at a spec that compiled.
    Spec(fn(&Linted<'_>, &mut Vec<Diagnostic>)),
    /// Settling what was found: [`settle`] reports it itself.
    Settling,
}

impl Rule {
    /// The rule of a name or a code.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Rule> {
        RULES.iter().copied().find(|rule| rule.name == name || rule.code == name)
    }

    /// True if a comment may allow its findings: not where they keep a spec from loading, and not where they are about
    /// such comments.
    #[must_use]
    pub fn may_be_allowed(&self) -> bool {
        match self.check {
            Check::Loading => self.severity != Severity::Error,
            Check::Spec(_) => true,
            Check::Settling => false,
        }
    }

    /// A finding of this rule, as bad as its default says.
    pub(crate) fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: self.severity, ..Diagnostic::error(self.name, span, message) }
    }
}

/// A spec that compiled, as checks see it.
#[derive(Debug)]
pub struct Linted<'l> {
    /// The files.
    pub sources: &'l Sources,
    /// What its author wrote.
    pub spec: &'l Spec,
    /// What that compiled to.
    pub policy: &'l Policy,
    /// The spec's own file as a tree, for the places of keys that the spec keeps no place of.
    tree: Option<Node>,
    /// The other files that it is made of, as trees.
    others: Vec<Node>,
    /// What its guards say of calls.
    pub(crate) proofs: Proofs<'l>,
}

impl<'l> Linted<'l> {
    /// A spec and its policy, for every check.
    #[must_use]
    pub fn of(sources: &'l Sources, spec: &'l Spec, policy: &'l Policy) -> Linted<'l> {
        let own = spec.id.span.file;
        let read = |file| crate::yaml::read(file, sources, &mut Vec::new());
        let ids = (0_u32..).zip(sources.files()).map(|(number, _)| FileId(number));
        let others = ids.filter(|id| *id != own).filter_map(read).collect();
        Linted { sources, spec, policy, tree: read(own), others, proofs: Proofs::of(spec, policy) }
    }

    /// The value that the spec's own file has at a path of keys.
    pub(crate) fn node(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self.tree.as_ref()?, |node, key| node.get(key))
    }

    /// Every file as a tree, the spec's own first.
    pub(crate) fn trees(&self) -> impl Iterator<Item = &Node> {
        self.tree.iter().chain(&self.others)
    }

    /// The entry of a list that has its id at a place: a guard, an edge, a directive.
    pub(crate) fn entry(&self, id: Span) -> Option<&Node> {
        self.trees().filter(|tree| tree.span.file == id.file).find_map(|tree| walk::holder(tree, id))
    }

    /// Where such an entry says something, by the keys that lead there; where it does not, its id.
    pub(crate) fn said(&self, id: Span, keys: &[&str]) -> Span {
        let node = self.entry(id).and_then(|entry| keys.iter().try_fold(entry, |node, key| node.get(key)));
        node.map_or(id, |node| node.span)
    }

    /// True for a place in the spec's own file: what stands elsewhere is shared, and others may need it.
    pub(crate) fn is_own(&self, span: Span) -> bool {
        span.file == self.spec.id.span.file
    }

    /// Where that stands; where the file does not say it, the spec's id.
    pub(crate) fn place(&self, path: &[&str]) -> Span {
        self.node(path).map_or(self.spec.id.span, |node| node.span)
    }
}

/// What every check finds in a spec, without what loading it found.
#[must_use]
pub fn lint(linted: &Linted<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for rule in RULES {
        if let Check::Spec(check) = rule.check {
            check(linted, &mut found);
        }
    }
    found
}

/// What a caller makes of rules: how bad each one's findings are, or that they are not told.
///
/// A rule that keeps a spec from loading stays an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    of: BTreeMap<&'static str, Option<Severity>>,
}

impl Levels {
    /// Findings of this rule are as bad as this; `None`: they are not told. An error of loading is not changed.
    pub fn set(&mut self, rule: &'static Rule, severity: Option<Severity>) {
        self.of.insert(rule.name, severity);
    }

    /// A finding as bad as its rule is here; `None` if it is not told.
    #[must_use]
    pub fn apply(&self, mut diagnostic: Diagnostic) -> Option<Diagnostic> {
        match self.of.get(diagnostic.rule) {
            Some(severity) if !diagnostic.is_fatal() => {
                diagnostic.severity = (*severity)?;
                Some(diagnostic)
            }
            _ => Some(diagnostic),
        }
    }
}

impl Diagnostic {
    /// True for an error that keeps the spec from loading: no comment and no level changes it.
    fn is_fatal(&self) -> bool {
        self.is_error() && Rule::find(self.rule).is_none_or(|rule| matches!(rule.check, Check::Loading))
    }
}

/// Takes out what comments of the files allow, reports comments that allow nothing, gives each finding its level, and
/// sorts. `found` is all there is to say of these files: of loading, of compiling, of [`lint`].
#[must_use]
pub fn settle(sources: &Sources, found: Vec<Diagnostic>, levels: &Levels) -> Vec<Diagnostic> {
    let settled = suppress::suppressed(sources, found);
    let mut settled: Vec<Diagnostic> = settled.into_iter().filter_map(|found| levels.apply(found)).collect();
    diagnostic::sort(&mut settled);
    settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_sorted_by_code_and_no_code_or_name_stands_twice() {
        let codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
        assert!(codes.is_sorted_by(|one, next| one < next), "{codes:?}");
        assert!(codes.iter().all(|code| code.len() == 4 && code.starts_with('F')));
        let names: std::collections::BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), RULES.len());
    }

    #[test]
    fn every_rule_is_documented_in_the_fixed_sections() {
        for rule in RULES {
            let places: Vec<usize> = ["## What it does\n", "## Why\n", "## Example\n", "## Use instead\n"]
                .iter()
                .map(|section| rule.docs.find(section).unwrap_or_else(|| panic!("{}: no `{section}`", rule.name)))
                .collect();
            assert!(places.is_sorted(), "{}", rule.name);
        }
    }

    #[test]
    fn no_file_of_a_rule_is_forgotten() {
        let source = include_str!("lint/rules.rs");
        let files = source.lines().filter(|line| line.ends_with(";") && line.contains("mod "));
        // Those that prove something share one.
        assert_eq!(files.filter(|line| *line != "mod proved;").count(), RULES.len());
    }
}
