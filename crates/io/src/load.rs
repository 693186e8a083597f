//! From a path to a policy: the short way for a host that only wants to govern.
//!
//! What draws the problems of a spec for their author takes [`crate::sources`] and the compiler apart instead.

use crate::IoError;
use crate::sources::{Loaded, load};
use flyball::diagnostic::{self, Diagnostic};
use flyball::policy::{Policy, compile};
use flyball::source::Sources;
use std::path::{Path, PathBuf};

/// Why there is no policy.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The spec cannot be read.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The spec has errors.
    #[error("`{}` has errors: {}", path.display(), shown(problems))]
    Spec {
        /// The spec's path as it was given.
        path: PathBuf,
        /// Every problem as one line, the first by its place first.
        problems: Vec<String>,
    },
}

fn shown(problems: &[String]) -> String {
    match problems {
        [] => "it cannot be read as a spec".into(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    }
}

/// Reads a spec with all it refers to, and compiles it. The sources are what [`crate::Governor::with_ledger`] keeps beside
/// its ledgers. `root` is the folder that its files may not leave; see [`crate::sources::Workspace::of`].
///
/// # Errors
/// The spec cannot be read, or has errors.
pub fn load_policy(path: &Path, root: Option<&Path>) -> Result<(Policy, Sources), LoadError> {
    let Loaded { sources, parsed } = load(path, root)?;
    let compiled = parsed.spec.as_ref().map(compile);
    let mut problems = parsed.diagnostics;
    match compiled {
        Some(Ok(policy)) => return Ok((policy, sources)),
        Some(Err(found)) => problems.extend(found),
        None => {}
    }
    diagnostic::sort(&mut problems);
    let lines =
        problems.iter().filter(|problem| problem.is_error()).map(|problem: &Diagnostic| problem.one_line(&sources));
    Err(LoadError::Spec { path: path.to_owned(), problems: lines.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs() -> PathBuf {
        PathBuf::from("../../specs")
    }

    #[test]
    fn a_spec_becomes_a_policy_and_keeps_its_sources() {
        let (policy, sources) = load_policy(&specs().join("refunds.yaml"), None).unwrap();
        assert_eq!(policy.id(), "refunds");
        assert!(sources.files().count() > 1, "with the contract and the schemas it refers to");
    }

    #[test]
    fn what_is_wrong_is_said_in_one_line() {
        let error = load_policy(&specs().join("bad/unknown-key.yaml"), None).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, LoadError::Spec { .. }), "{text}");
        assert!(text.contains("unknown-key.yaml") && text.contains("[unknown-key]") && !text.contains('\n'), "{text}");
        let gone = load_policy(Path::new("gone.yaml"), None).unwrap_err();
        assert!(matches!(gone, LoadError::Io(_)), "{gone}");
    }
}
