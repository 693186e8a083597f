//! What is wrong with the documents that are open, by file, with what mends it.
//!
//! A spec is judged with everything it refers to, so a finding may be about a file that is not open. What two specs find
//! in one contract is told once.

use super::files::{Files, Format};
use super::project::Project;
use super::text::Text;
use crate::config::Configuration;
use crate::judged::UNUSED_SUPPRESSION;
use flyball::diagnostic::{self, Diagnostic, Severity};
use flyball::lint::{Check, Levels, Linted, Rule, lint, settle};
use flyball::outline::{Outline, Part, Step};
use flyball::source::{Sources, Span};
use flyball_io::sources::Workspace;
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString, Range, TextEdit, Uri,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What judging one open document found.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// Every file that was looked at or for: where one of them changes, this is out of date.
    pub(crate) files: BTreeSet<PathBuf>,
    /// Whether some file was not there: then any change may mend it.
    pub(crate) is_incomplete: bool,
    /// Whether a spec was judged, with all that it shares with others.
    pub(crate) is_spec: bool,
    /// The findings by file; a file without any is here too.
    pub(crate) found: BTreeMap<PathBuf, Vec<Found>>,
    /// How far a spec came.
    depth: Depth,
    /// What was found in the files that a spec refers to, when it came farthest with these texts of theirs.
    others: BTreeMap<PathBuf, Other>,
}

/// How far errors let a spec come; farther on, more is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    #[default]
    Read,
    Compiled,
    Linted,
}

/// What was found in a file that a spec refers to.
#[derive(Debug)]
struct Other {
    depth: Depth,
    text: String,
    found: Vec<Found>,
}

/// One finding as an editor shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) shown: lsp_types::Diagnostic,
    pub(crate) fix: Option<Fix>,
    /// The comment that allows it, where one may.
    pub(crate) allow: Option<TextEdit>,
}

/// An edit that mends a finding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fix {
    pub(crate) title: String,
    pub(crate) uri: Uri,
    pub(crate) edit: TextEdit,
    pub(crate) is_safe: bool,
}

/// Judges an open document; nothing is said of one that is not of the format. A mistake in a spec takes nothing away from
/// what was found in the files that it refers to.
pub(crate) fn judge_again(files: &Files, path: &Path, earlier: Option<Judged>) -> Judged {
    let mut judged = judge(files, path);
    let workspace = files.workspace(path).filter(|_| judged.is_spec && judged.depth < Depth::Linted);
    let (Some(workspace), Some(earlier)) = (workspace, earlier) else { return judged };
    // What it refers to is seen through any mistake.
    let project = Project::of(files, path);
    let named: Vec<&Path> = project.iter().flat_map(|project| &project.units).map(|unit| unit.path.as_path()).collect();
    for (file, other) in earlier.others {
        let text = workspace.logical(&file).and_then(|logical| files.text(&workspace, &logical));
        let (is_same, now) = (text.as_ref() == Some(&other.text), judged.others.get(&file));
        // Of a spec that is not read to its end it is not known what else it refers to.
        let is_deeper = now.map_or(judged.depth == Depth::Read, |now| now.depth < other.depth);
        if !is_same || !is_deeper {
            continue;
        }
        if named.contains(&file.as_path()) {
            judged.files.insert(file.clone());
            judged.found.entry(file.clone()).or_default().extend(other.found.iter().cloned());
        }
        judged.others.insert(file, other);
    }
    judged
}

fn judge(files: &Files, path: &Path) -> Judged {
    let mut judged = Judged::default();
    let Some(document) = files.open.get(path) else { return judged };
    let Some(format) = Format::of(&Outline::read(document.text.as_str(), None)) else { return judged };
    let Some(workspace) = files.workspace(path) else { return judged };
    let Some(logical) = workspace.logical(path) else { return judged };
    let text = document.text.as_str();
    let (sources, found) = match format {
        Format::Spec => {
            let (sources, found, depth) =
                of_spec(&workspace, &logical, text, &|logical| files.open_text(&workspace, logical));
            judged.is_spec = true;
            judged.depth = depth;
            (sources, found)
        }
        Format::Contract => {
            // What it means is judged with the specs that share it, and so is which of its comments are of use.
            let sources = Sources::new(&*logical, text);
            let mut found = settle(&sources, flyball::spec::parse_contract(&sources), &Levels::default());
            found.retain(|one| one.rule != UNUSED_SUPPRESSION);
            (sources, found)
        }
        Format::Pack => {
            let sources = Sources::new(&*logical, text);
            let parsed = flyball::spec::parse_pack(&sources);
            let found = settle(&sources, parsed.diagnostics, &Levels::default());
            (sources, found)
        }
    };
    let levels = Configuration::around(path);
    let in_file = |found: &Diagnostic| {
        sources.file(found.span.file).map_or_else(PathBuf::new, |file| workspace.root().join(file.path()))
    };
    let found = found.into_iter().filter_map(|found| levels.levels_of(&in_file(&found)).apply(found));
    let found: Vec<Diagnostic> = found.collect();
    judged.is_incomplete = found.iter().any(|one| one.rule == "missing-file");
    let shown = Shown::of(files, &workspace, &sources);
    for file in &shown.files {
        judged.files.insert(file.path.clone());
        judged.found.entry(file.path.clone()).or_default();
    }
    for diagnostic in &found {
        if let Some((path, found)) = shown.found(diagnostic) {
            judged.found.entry(path).or_default().push(found);
        }
    }
    let others = shown.files.into_iter().filter(|file| judged.is_spec && file.path != path);
    let others = others.filter_map(|file| {
        let found = judged.found.get(&file.path)?.clone();
        Some((file.path, Other { depth: judged.depth, text: file.text.as_str().to_owned(), found }))
    });
    judged.others = others.collect();
    judged
}

/// Everything to be said of a spec: of reading, of compiling, of every rule; and how far it came.
fn of_spec(
    workspace: &Workspace,
    logical: &str,
    text: &str,
    open: &dyn Fn(&str) -> Option<String>,
) -> (Sources, Vec<Diagnostic>, Depth) {
    let loaded = workspace.load_over(logical, text, open);
    let (sources, mut found) = (loaded.sources, loaded.parsed.diagnostics);
    let spec = loaded.parsed.spec;
    let compiled = spec.as_ref().map(flyball::policy::compile);
    let depth = match compiled {
        None => Depth::Read,
        Some(Err(_)) => Depth::Compiled,
        Some(Ok(_)) => Depth::Linted,
    };
    match compiled {
        Some(Ok(policy)) => {
            found.extend_from_slice(policy.warnings());
            found.extend(spec.iter().flat_map(|spec| lint(&Linted::of(&sources, spec, &policy))));
        }
        Some(Err(problems)) => found.extend(problems),
        None => {}
    }
    diagnostic::sort(&mut found);
    let found = settle(&sources, found, &Levels::default());
    (sources, found, depth)
}

/// A file of the sources as an editor counts in it.
struct ShownFile {
    path: PathBuf,
    uri: Option<Uri>,
    text: Text,
}

/// The files of some sources, by number.
struct Shown<'f> {
    files: Vec<ShownFile>,
    of: &'f Files,
}

impl<'f> Shown<'f> {
    fn of(of: &'f Files, workspace: &Workspace, sources: &Sources) -> Shown<'f> {
        let files = sources.files().map(|file| {
            let path = workspace.root().join(file.path());
            let path = if of.open.contains_key(&path) { path } else { path.canonicalize().unwrap_or(path) };
            ShownFile { uri: of.uri(&path), path, text: Text::new(file.text().unwrap_or_default()) }
        });
        Shown { files: files.collect(), of }
    }

    fn file(&self, span: Span) -> Option<&ShownFile> {
        self.files.get(span.file.0 as usize)
    }

    fn range(&self, file: &ShownFile, span: Span) -> Range {
        file.text.range(&(span.start as usize..span.end as usize), self.of.units)
    }

    fn location(&self, span: Span) -> Option<Location> {
        let file = self.file(span)?;
        Some(Location { uri: file.uri.clone()?, range: self.range(file, span) })
    }

    /// A finding and the file it is about.
    fn found(&self, diagnostic: &Diagnostic) -> Option<(PathBuf, Found)> {
        let file = self.file(diagnostic.span)?;
        let help = diagnostic.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        let related = diagnostic.labels.iter().filter_map(|label| {
            let location = self.location(label.span)?;
            Some(DiagnosticRelatedInformation { location, message: label.message.clone() })
        });
        let related: Vec<DiagnosticRelatedInformation> = related.collect();
        let is_unused = diagnostic.rule.starts_with("unused-") && diagnostic.rule != "unused-suppression";
        let shown = lsp_types::Diagnostic {
            range: self.range(file, diagnostic.span),
            severity: Some(severity(diagnostic.severity)),
            code: Some(NumberOrString::String(diagnostic.rule.to_owned())),
            source: Some("flyball".to_owned()),
            message: format!("{}{help}", diagnostic.message),
            related_information: (!related.is_empty()).then_some(related),
            tags: is_unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
            ..lsp_types::Diagnostic::default()
        };
        let found = Found { shown, fix: self.fix(diagnostic), allow: self.allowance(file, diagnostic) };
        Some((file.path.clone(), found))
    }

    fn fix(&self, diagnostic: &Diagnostic) -> Option<Fix> {
        let edit = diagnostic.edit.as_ref()?;
        let Location { uri, range } = self.location(edit.span)?;
        let title = match (edit.text.trim(), &diagnostic.help) {
            ("", _) => format!("Mend `{}`: take it out", diagnostic.rule),
            (text, _) if text.len() <= 60 && !text.contains('\n') => format!("Write `{text}`"),
            (_, Some(help)) => format!("Mend `{}`: {help}", diagnostic.rule),
            (_, None) => format!("Mend `{}`", diagnostic.rule),
        };
        Some(Fix { title, uri, edit: TextEdit { range, new_text: edit.text.clone() }, is_safe: edit.is_safe })
    }

    /// The comment that allows a finding, above the entry that it begins in.
    fn allowance(&self, file: &ShownFile, diagnostic: &Diagnostic) -> Option<TextEdit> {
        let rule = Rule::find(diagnostic.rule)?;
        let is_fatal = diagnostic.is_error() && matches!(rule.check, Check::Loading);
        let is_about_comments = matches!(rule.check, Check::Settling);
        if is_fatal || is_about_comments || file.path.extension().is_some_and(|extension| extension == "json") {
            return None;
        }
        let text = file.text.as_str();
        let at = line_above(text, diagnostic.span.start as usize);
        let line = text.get(at..)?.lines().next().unwrap_or_default();
        let indent = line.get(..line.len().saturating_sub(line.trim_start().len())).unwrap_or_default();
        let range = file.text.range(&(at..at), self.of.units);
        let new_text = format!("{indent}# flyball: allow {} -- reason\n", diagnostic.rule);
        Some(TextEdit { range, new_text })
    }
}

/// Where the line begins that a comment about a place can stand above. A comment inside a text would be part of it, so
/// there it is the line on which the text begins, or its key.
fn line_above(text: &str, place: usize) -> usize {
    let start_of =
        |place: usize| text.get(..place).and_then(|head| head.rfind('\n')).map_or(0, |at| at.saturating_add(1));
    let outline = Outline::read(text, None);
    let Some(cursor) = outline.at(place) else { return start_of(place) };
    let first = start_of(cursor.range.start.min(place));
    let is_alone = text.get(first..cursor.range.start).is_some_and(|before| before.trim().is_empty());
    let is_value = cursor.part == Part::Value && is_alone;
    let keyed = cursor.path.split_last().filter(|_| is_value).and_then(|(last, path)| {
        let Step::Key(key) = last else { return None };
        Some(start_of(outline.find(path)?.entry(key)?.key_range.start))
    });
    keyed.unwrap_or(first)
}

fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_about_a_place_stands_above_the_entry_that_it_is_in() {
        let rows = [
            ("a: 1\nb: ¦2\n", "b: "),
            ("a: 1\n  # x\nb:\n  c: ¦2\n", "  c: "),
            ("a:\n  - id: x\n    check: >-\n      y &&\n      ¦z\n", "    check: >-"),
            ("a:\n  check:\n    x &&\n    ¦y\n", "  check:"),
            ("a:\n  - ¦x\n", "  - "),
            ("a: {b: 1,\n    c: ¦2}\n", "    c: "),
            ("a: 'x\n  ¦y'\n", "a: 'x"),
            ("¦a: 1\n", ""),
        ];
        for (text, wanted) in rows {
            let place = text.find('¦').unwrap();
            let text = text.replace('¦', "");
            let line = text.get(line_above(&text, place)..).unwrap();
            assert!(line.starts_with(wanted), "{text:?}: {line:?}");
        }
    }
}
