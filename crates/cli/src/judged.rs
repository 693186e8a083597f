//! A spec as every command needs it: loaded, parsed, compiled, with every problem in one order.

use crate::error::CliError;
use flyball::diagnostic::{self, Diagnostic};
use flyball::policy::{self, Policy};
use flyball::source::Sources;
use flyball::spec::{Pack, ParsedPack, Spec};
use flyball_io::Governor;
use flyball_io::ledger::LedgerFolder;
use flyball_io::sources::Workspace;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A spec and what is to be said of it.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) workspace: Workspace,
    pub(crate) sources: Sources,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The spec, if its files could be read as one.
    pub(crate) spec: Option<Spec>,
    /// The policy, if nothing is wrong with the spec.
    pub(crate) policy: Option<Policy>,
    /// The pack, where the file is one and nothing is wrong with it.
    pub(crate) pack: Option<Pack>,
}

/// A spec without errors, and its policy.
#[derive(Debug)]
pub(crate) struct Sound {
    pub(crate) sources: Sources,
    pub(crate) spec: Spec,
    pub(crate) policy: Policy,
}

impl Judged {
    /// Loads, parses and compiles.
    pub(crate) fn of(path: &Path, root: Option<&Path>) -> Result<Judged, CliError> {
        let workspace = Workspace::of(path, root)?;
        let loaded = workspace.load(path)?;
        let (mut diagnostics, spec) = (loaded.parsed.diagnostics, loaded.parsed.spec);
        let policy = match spec.as_ref().map(policy::compile) {
            None => None,
            Some(Ok(policy)) => {
                diagnostics.extend_from_slice(policy.warnings());
                Some(policy)
            }
            Some(Err(problems)) => {
                diagnostics.extend(problems);
                None
            }
        };
        diagnostic::sort(&mut diagnostics);
        Ok(Judged { workspace, sources: loaded.sources, diagnostics, spec, policy, pack: None })
    }

    /// Loads a pack.
    pub(crate) fn of_pack(path: &Path, root: Option<&Path>) -> Result<Judged, CliError> {
        let workspace = Workspace::of(path, root)?;
        let (sources, parsed) = workspace.load_pack(path)?;
        let ParsedPack { pack, diagnostics } = parsed;
        Ok(Judged { workspace, sources, diagnostics, spec: None, policy: None, pack })
    }
}

impl Judged {
    /// A file of its sources on disk, the same for every spec that refers to it.
    pub(crate) fn file(&self, logical: &str) -> PathBuf {
        self.workspace.root().join(logical)
    }

    /// Every file it was read from.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.sources.files().map(|file| self.file(file.path()))
    }
}

impl Sound {
    /// A governor of its policy, with a ledger in a folder where one is named.
    pub(crate) fn governor(self, ledger: Option<&Path>) -> Result<Governor, CliError> {
        let policy = Arc::new(self.policy);
        Ok(match ledger {
            None => Governor::new(policy),
            Some(folder) => Governor::with_ledger(policy, &self.sources, LedgerFolder::open(folder)?)?,
        })
    }

    /// A spec that a command can only work with if it has no errors.
    pub(crate) fn of(path: &Path, root: Option<&Path>) -> Result<Sound, CliError> {
        let Judged { sources, spec, policy, .. } = Judged::of(path, root)?;
        match (spec, policy) {
            (Some(spec), Some(policy)) => Ok(Sound { sources, spec, policy }),
            _ => Err(CliError::SpecHasErrors(path.to_owned())),
        }
    }
}
