//! Contract patterns that match nothing: in a contract that is an error only where it holds for every spec that
//! shares it, so it takes all linted specs to see.

use crate::judged::Judged;
use flyball::diagnostic::{self, Diagnostic};
use flyball::source::{FileId, Span};
use flyball::spec::Spec;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Places in a contract, as bytes of its file: each spec numbers its files anew.
type Places = BTreeSet<(u32, u32)>;

/// Adds an error for every such pattern to each spec that shares the contract. Nothing is said of a contract one of
/// whose specs could not be read.
pub(crate) fn add_unmatched_patterns(judged: &mut [Judged]) {
    let mut unmatched: BTreeMap<PathBuf, Places> = BTreeMap::new();
    for (judged, spec) in judged.iter().filter_map(|judged| judged.spec.as_ref().map(|spec| (judged, spec))) {
        let Some((_, contract)) = contract_of(judged, spec) else { continue };
        let here: Places = spec.unmatched_contract_patterns().iter().map(|span| (span.start, span.end)).collect();
        let common = unmatched.get(&contract).map(|common| common & &here);
        unmatched.insert(contract, common.unwrap_or(here));
    }
    for unread in judged.iter().filter(|judged| judged.spec.is_none()) {
        unread.files().for_each(|file| _ = unmatched.remove(&file));
    }
    for judged in judged {
        let Some((id, contract)) = judged.spec.as_ref().and_then(|spec| contract_of(judged, spec)) else { continue };
        for (start, end) in unmatched.get(&contract).into_iter().flatten() {
            let problem = matches_nothing(judged, Span { file: id, start: *start, end: *end });
            judged.diagnostics.push(problem);
        }
        diagnostic::sort(&mut judged.diagnostics);
    }
}

/// The contract of a spec: its number among the files of the spec, and where it is on disk.
fn contract_of(judged: &Judged, spec: &Spec) -> Option<(FileId, PathBuf)> {
    let id = spec.contract.as_ref()?.span.file;
    Some((id, judged.file(judged.sources.file(id)?.path())))
}

fn matches_nothing(judged: &Judged, span: Span) -> Diagnostic {
    let pattern = judged.sources.slice(span);
    let message = format!("`{pattern}` matches no tool of any spec that shares this contract");
    let help = "correct the name, or lint together with the spec it is meant for";
    Diagnostic::error("matches-nothing", span, message).help(help)
}
