//! `--fix`: applies the edits that findings carry, lints again, and goes on until nothing is left to apply.
//!
//! All of it happens in memory; only what came out is written, and only a file that is YAML afterwards. Bytes outside
//! an edit stay as they are: comments, layout, line ends, a byte order mark.

#![expect(clippy::disallowed_methods, reason = "what is mended is read again and written")]

use crate::config::Configuration;
use crate::error::CliError;
use crate::judged::Judged;
use crate::settled::{self, settle};
use flyball::diagnostic::Edit;
use flyball::source::Sources;
use flyball::yaml;
use flyball_io::sources::is_yaml;
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The most times that everything is linted anew.
const MAX_PASSES: usize = 10;

/// What begins a file that says in which order its bytes come.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Which edits are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// Those that guess nothing.
    Safe,
    /// Guesses too.
    Guesses,
}

/// A file that edits changed.
#[derive(Debug)]
pub(crate) struct Mended {
    /// The path as a person would write it.
    shown: String,
    place: PathBuf,
    before: Vec<u8>,
    after: Vec<u8>,
    /// How often each rule's edit was applied.
    rules: BTreeMap<&'static str, usize>,
}

/// An edit within one file, and the rule whose finding carries it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    start: usize,
    end: usize,
    text: String,
    rule: &'static str,
}

/// The edits of a file.
struct Changes {
    shown: String,
    bytes: Vec<u8>,
    changes: Vec<Change>,
}

/// Applies edits to settled files, and settles what came out.
pub(crate) fn fix(judged: &mut Vec<Judged>, configuration: &Configuration, wanted: Applied) -> Vec<Mended> {
    let mut mended: BTreeMap<PathBuf, Mended> = BTreeMap::new();
    for _ in 0..MAX_PASSES {
        let mut progress = false;
        for (place, changes) in changes(judged, wanted) {
            let (after, applied) = applied(&changes.bytes, &changes.changes);
            progress |= !applied.is_empty();
            if applied.is_empty() {
                continue;
            }
            let file = mended.entry(place.clone()).or_insert_with(|| Mended {
                shown: changes.shown,
                place,
                before: changes.bytes,
                after: Vec::new(),
                rules: BTreeMap::new(),
            });
            file.after = after;
            for change in applied {
                let count = file.rules.entry(change.rule).or_default();
                *count = count.saturating_add(1);
            }
        }
        if !progress {
            break;
        }
        let changed = mended.iter().map(|(place, file)| (place.clone(), file.after.clone())).collect();
        judge_again(judged, &changed, configuration);
    }
    let (kept, given_up): (Vec<Mended>, Vec<Mended>) =
        mended.into_values().partition(|file| soundness(&file.after).0 && file.after != file.before);
    if !given_up.is_empty() {
        let kept = kept.iter().map(|file| (file.place.clone(), file.after.clone()));
        let given_up = given_up.into_iter().map(|file| (file.place, file.before));
        judge_again(judged, &kept.chain(given_up).collect(), configuration);
    }
    kept
}

fn judge_again(judged: &mut Vec<Judged>, changed: &BTreeMap<PathBuf, Vec<u8>>, configuration: &Configuration) {
    *judged = judged.iter().map(|one| one.with(changed)).collect();
    settle(judged, configuration);
}

/// What the findings want changed, by file.
fn changes(judged: &[Judged], wanted: Applied) -> BTreeMap<PathBuf, Changes> {
    let mut by_file: BTreeMap<PathBuf, Changes> = BTreeMap::new();
    for finding in settled::findings(judged) {
        let is_wanted = |edit: &&Edit| edit.is_safe || wanted == Applied::Guesses;
        let Some(edit) = finding.diagnostic.edit.as_ref().filter(is_wanted) else { continue };
        let Some(file) = finding.judged.sources.file(edit.span.file) else { continue };
        let place = finding.judged.file(file.path());
        if !is_yaml(&place) {
            continue;
        }
        let (start, end) = (edit.span.start as usize, edit.span.end as usize);
        let change = Change { start, end, text: edit.text.clone(), rule: finding.diagnostic.rule };
        let entry = by_file.entry(place).or_insert_with(|| Changes {
            shown: finding.judged.workspace.shown(file.path()),
            bytes: file.bytes().to_vec(),
            changes: Vec::new(),
        });
        entry.changes.push(change);
    }
    for file in by_file.values_mut() {
        file.changes.sort();
        let mut free_from = 0_usize;
        file.changes.retain(|change| {
            // What overlaps an earlier edit, or inserts at its end, waits for the next pass.
            let is_free = change.start >= free_from;
            free_from = if is_free { change.end.max(change.start.saturating_add(1)) } else { free_from };
            is_free
        });
    }
    by_file
}

/// The bytes with the changes, from the last place to the first, and those that were applied. A change that would make
/// the file worse YAML than it is stays out.
fn applied<'c>(bytes: &[u8], changes: &'c [Change]) -> (Vec<u8>, Vec<&'c Change>) {
    let (mark, text) = bytes.strip_prefix(BYTE_ORDER_MARK).map_or((&[][..], bytes), |text| (BYTE_ORDER_MARK, text));
    let is_no_worse = |before: &[u8], after: &[u8]| {
        let ((was_yaml, problems), (is_yaml, left)) = (soundness(before), soundness(after));
        (is_yaml || !was_yaml) && left <= problems
    };
    let spliced = |text: &[u8], change: &Change| {
        let (head, tail) = (text.get(..change.start)?, text.get(change.end..)?);
        Some([head, change.text.as_bytes(), tail].concat())
    };
    let whole = changes.iter().rev().try_fold(text.to_vec(), |text, change| spliced(&text, change));
    if let Some(whole) = whole.filter(|whole| is_no_worse(text, whole)) {
        return ([mark, &whole].concat(), changes.iter().collect());
    }
    let (mut left, mut kept) = (text.to_vec(), Vec::new());
    for change in changes.iter().rev() {
        if let Some(after) = spliced(&left, change).filter(|after| is_no_worse(&left, after)) {
            left = after;
            kept.push(change);
        }
    }
    ([mark, &left].concat(), kept)
}

/// Whether a text is YAML, and how many errors the reader finds in it.
fn soundness(bytes: &[u8]) -> (bool, usize) {
    let sources = Sources::new("mended.yaml", bytes);
    let mut problems = Vec::new();
    let tree = sources.find("mended.yaml").and_then(|file| yaml::read(file, &sources, &mut problems));
    (tree.is_some(), problems.iter().filter(|problem| problem.is_error()).count())
}

impl Mended {
    /// What was fixed, in words.
    pub(crate) fn words(&self, verb: &str) -> String {
        let rules: Vec<String> = self.rules.iter().map(|(rule, count)| format!("{count} × {rule}")).collect();
        format!("{verb} `{}`: {}", self.shown, rules.join(", "))
    }

    /// The difference, as a patch.
    pub(crate) fn difference(&self) -> String {
        let (before, after) = (String::from_utf8_lossy(&self.before), String::from_utf8_lossy(&self.after));
        let (before, after) = (before.as_ref(), after.as_ref());
        TextDiff::from_lines(before, after).unified_diff().header(&self.shown, &self.shown).to_string()
    }

    /// Writes the file whole beside its place and moves it there, unless somebody changed it meanwhile.
    pub(crate) fn write(&self) -> Result<(), CliError> {
        let failed = |error: std::io::Error| self.not_written(error.to_string());
        let place = self.place.canonicalize().map_err(failed)?;
        if std::fs::read(&place).map_err(failed)? != self.before {
            return Err(self.not_written("it was changed while it was linted".to_owned()));
        }
        let name = place.file_name().unwrap_or_default().to_string_lossy();
        let beside = place.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
        let moved = self.write_to(&beside, &place).and_then(|()| std::fs::rename(&beside, &place));
        if moved.is_err() {
            // What is half written helps nobody; that it cannot be removed changes nothing about the failure.
            _ = std::fs::remove_file(&beside);
        }
        moved.map_err(failed)
    }

    fn not_written(&self, reason: String) -> CliError {
        CliError::NotFixed { path: self.shown.clone(), reason }
    }

    fn write_to(&self, beside: &Path, place: &Path) -> std::io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(beside)?;
        file.write_all(&self.after)?;
        file.set_permissions(std::fs::metadata(place)?.permissions())?;
        file.sync_all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(start: usize, end: usize, text: &str) -> Change {
        Change { start, end, text: text.to_owned(), rule: "wrong-type" }
    }

    #[test]
    fn edits_are_applied_from_the_last_to_the_first_and_a_mark_stays() {
        let bytes = "\u{feff}a: '1'\r\nb: '2' # x\r\n".as_bytes();
        let changes = [change(3, 6, "1"), change(11, 14, "22")];
        let (after, applied) = applied(bytes, &changes);
        assert_eq!(String::from_utf8(after).unwrap(), "\u{feff}a: 1\r\nb: 22 # x\r\n");
        assert_eq!(applied.len(), 2);
    }

    #[test]
    fn an_edit_that_breaks_the_file_stays_out_and_the_others_do_not() {
        let text = b"a: 1\nb: 2\nc: 3\n";
        let changes = [change(3, 4, "x"), change(5, 6, "a"), change(13, 14, "{")];
        let (after, applied) = applied(text, &changes);
        assert_eq!(String::from_utf8(after).unwrap(), "a: x\nb: 2\nc: 3\n");
        assert_eq!(applied, [&changes[0]]);
        let beyond = [change(90, 99, "x")];
        assert!(super::applied(text, &beyond).1.is_empty());
    }

    #[test]
    fn a_file_that_was_changed_meanwhile_or_is_gone_is_not_written() {
        let place = std::env::temp_dir().join(format!("flyball-fix-{}.yaml", std::process::id()));
        std::fs::write(&place, "a: 3\n").unwrap();
        let mended = Mended {
            shown: "a.yaml".to_owned(),
            place: place.clone(),
            before: b"a: '1'\n".to_vec(),
            after: b"a: 1\n".to_vec(),
            rules: BTreeMap::new(),
        };
        let error = mended.write().unwrap_err().to_string();
        assert_eq!(error, "`a.yaml` cannot be mended: it was changed while it was linted");
        assert_eq!(std::fs::read(&place).unwrap(), b"a: 3\n");
        std::fs::write(&place, &mended.before).unwrap();
        mended.write().unwrap();
        assert_eq!(std::fs::read(&place).unwrap(), mended.after);
        std::fs::remove_file(&place).unwrap();
        assert!(mended.write().unwrap_err().to_string().starts_with("`a.yaml` cannot be mended: "));
    }
}
