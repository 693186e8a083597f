//! What is told of all linted files together: comments and levels heeded, and of a file that several specs share, each
//! finding once.

use crate::config::Configuration;
use crate::contracts;
use crate::judged::{Judged, UNUSED_SUPPRESSION};
use crate::parallel;
use flyball::diagnostic::{self, Diagnostic};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A finding, and whose files it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding<'j> {
    pub(crate) judged: &'j Judged,
    pub(crate) diagnostic: &'j Diagnostic,
}

/// A finding by its place on disk: each spec numbers its files anew.
type Key = (PathBuf, u32, u32, &'static str, String);

/// Lints what was judged, and gives each finding the level that the configuration wants in its file.
pub(crate) fn settle(judged: &mut [Judged], configuration: &Configuration) {
    contracts::add_unmatched_patterns(judged);
    let found = parallel::map(judged, Judged::linted);
    judged.iter_mut().zip(found).for_each(|(one, found)| one.diagnostics = found);
    leave_to_those_that_extend(judged);
    keep_comments_that_somebody_needs(judged);
    for one in judged {
        let found = std::mem::take(&mut one.diagnostics);
        let levelled =
            found.into_iter().filter_map(|found| configuration.levels_of(&file_of(one, &found)).apply(found));
        let mut levelled: Vec<Diagnostic> = levelled.collect();
        diagnostic::sort(&mut levelled);
        one.diagnostics = levelled;
    }
}

/// Every finding once.
pub(crate) fn findings(judged: &[Judged]) -> Vec<Finding<'_>> {
    let mut seen = BTreeSet::new();
    let all = judged.iter().flat_map(|judged| judged.diagnostics.iter().map(move |diagnostic| (judged, diagnostic)));
    let all = all.map(|(judged, diagnostic)| Finding { judged, diagnostic });
    all.filter(|finding| seen.insert(key(finding.judged, finding.diagnostic))).collect()
}

/// What a base has and does not use is there for the specs that extend it.
fn leave_to_those_that_extend(judged: &mut [Judged]) {
    const RULES: [&str; 4] = ["unused-definition", "unused-grant", "unused-pack", "unused-param"];
    let own = |one: &Judged| Some(one.file(one.sources.file(one.spec.as_ref()?.id.span.file)?.path()));
    let of_others = |one: &Judged| one.files().filter(|file| Some(file) != own(one).as_ref()).collect::<Vec<_>>();
    let extended: BTreeSet<PathBuf> = judged.iter().flat_map(of_others).collect();
    for one in judged.iter_mut().filter(|one| own(one).is_some_and(|file| extended.contains(&file))) {
        one.diagnostics.retain(|found| !RULES.contains(&found.rule));
    }
}

/// A comment in a shared file takes nothing away only if it does so for none of the specs.
fn keep_comments_that_somebody_needs(judged: &mut [Judged]) {
    let mut readers: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut idle: BTreeMap<Key, usize> = BTreeMap::new();
    let count = |counter: &mut usize| *counter = counter.saturating_add(1);
    for one in &*judged {
        one.files().for_each(|file| count(readers.entry(file).or_default()));
        let comments = one.diagnostics.iter().filter(|found| found.rule == UNUSED_SUPPRESSION);
        comments.for_each(|found| count(idle.entry(key(one, found)).or_default()));
    }
    for one in judged {
        let found = std::mem::take(&mut one.diagnostics);
        let is_told = |found: &Diagnostic| {
            found.rule != UNUSED_SUPPRESSION || idle.get(&key(one, found)) == readers.get(&file_of(one, found))
        };
        one.diagnostics = found.into_iter().filter(is_told).collect();
    }
}

fn key(judged: &Judged, found: &Diagnostic) -> Key {
    (file_of(judged, found), found.span.start, found.span.end, found.rule, found.message.clone())
}

/// The file that a finding stands in, on disk.
pub(crate) fn file_of(judged: &Judged, found: &Diagnostic) -> PathBuf {
    judged.sources.file(found.span.file).map_or_else(PathBuf::new, |file| judged.file(file.path()))
}
