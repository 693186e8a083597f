//! A spec as every command needs it: loaded, parsed, compiled, with every problem in one order.

use crate::error::CliError;
use flyball::diagnostic::{self, Diagnostic};
use flyball::lint::{Levels, Linted, lint, settle};
use flyball::policy::{self, Policy};
use flyball::source::{Sources, Span};
use flyball::spec::{Pack, ParsedPack, Spec};
use flyball_io::Governor;
use flyball_io::ledger::LedgerFolder;
use flyball_io::sources::{Loaded, Workspace};
use std::collections::BTreeMap;
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
    /// What the file is to be, whatever is wrong with it.
    pub(crate) role: Role,
}

/// What a judged file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A spec.
    Spec,
    /// A pack.
    Pack,
    /// A contract that no linted spec shares, of which only what reading it alone tells is known.
    Contract,
    /// None of the format, which somebody named.
    Stray,
}

/// The rule about comments that allow nothing.
pub(crate) const UNUSED_SUPPRESSION: &str = "unused-suppression";

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
        Ok(Judged::compiled(workspace, loaded))
    }

    fn compiled(workspace: Workspace, loaded: Loaded) -> Judged {
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
        name_root(&workspace, &mut diagnostics);
        diagnostic::sort(&mut diagnostics);
        Judged { workspace, sources: loaded.sources, diagnostics, spec, policy, pack: None, role: Role::Spec }
    }

    /// Loads a pack.
    pub(crate) fn of_pack(path: &Path, root: Option<&Path>) -> Result<Judged, CliError> {
        let workspace = Workspace::of(path, root)?;
        let (sources, parsed) = workspace.load_pack(path)?;
        Ok(Judged::read(workspace, sources, Role::Pack, parsed))
    }

    /// Loads a file that is no spec and refers to no other file as far as it is read.
    pub(crate) fn of_one(path: &Path, root: Option<&Path>, role: Role) -> Result<Judged, CliError> {
        let workspace = Workspace::of(path, root)?;
        let (sources, _) = workspace.load_pack(path)?;
        Ok(Judged::alone(workspace, sources, role))
    }

    fn alone(workspace: Workspace, sources: Sources, role: Role) -> Judged {
        let parsed = match role {
            Role::Pack => flyball::spec::parse_pack(&sources),
            Role::Contract => {
                let mut diagnostics = flyball::spec::parse_contract(&sources);
                name_root(&workspace, &mut diagnostics);
                ParsedPack { pack: None, diagnostics }
            }
            Role::Spec | Role::Stray => ParsedPack { pack: None, diagnostics: vec![is_stray()] },
        };
        Judged::read(workspace, sources, role, parsed)
    }

    /// What is no spec.
    fn read(workspace: Workspace, sources: Sources, role: Role, parsed: ParsedPack) -> Judged {
        let ParsedPack { pack, diagnostics } = parsed;
        Judged { workspace, sources, diagnostics, spec: None, policy: None, pack, role }
    }

    /// The same with other bytes for some of its files, by their place on disk.
    pub(crate) fn with(&self, changed: &BTreeMap<PathBuf, Vec<u8>>) -> Judged {
        let (workspace, mut sources) = (self.workspace.clone(), self.sources.clone());
        let paths: Vec<String> = sources.files().map(|file| file.path().to_owned()).collect();
        for path in paths {
            if let Some(bytes) = changed.get(&self.file(&path)) {
                sources.insert(path, bytes.clone());
            }
        }
        match self.role {
            Role::Spec => {
                let loaded = workspace.complete(sources);
                Judged::compiled(workspace, loaded)
            }
            role => Judged::alone(workspace, sources, role),
        }
    }

    /// What was found with what the linter finds, without what comments allow.
    pub(crate) fn linted(&self) -> Vec<Diagnostic> {
        let mut found = self.diagnostics.clone();
        if let (Some(spec), Some(policy)) = (&self.spec, &self.policy) {
            found.extend(lint(&Linted::of(&self.sources, spec, policy)));
        }
        let mut found = settle(&self.sources, found, &Levels::default());
        if self.policy.is_none() && self.pack.is_none() {
            // The checks did not run, so nobody knows which comments take nothing away.
            found.retain(|found| found.rule != UNUSED_SUPPRESSION);
        }
        found
    }

    /// A file of its sources on disk, the same for every spec that refers to it.
    pub(crate) fn file(&self, logical: &str) -> PathBuf {
        self.workspace.root().join(logical)
    }

    /// Every file it was read from.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.sources.files().map(|file| self.file(file.path()))
    }
}

fn is_stray() -> Diagnostic {
    let message = "this file is no spec, no contract and no pack";
    let help = "a key at its top says what a file is: `agentspec: 1`, `contract: 1` or `pack: 1`";
    Diagnostic::error("wrong-file", Span::default(), message).help(help)
}

/// Says of a path that leaves the workspace which folder that is: the library does not know.
fn name_root(workspace: &Workspace, diagnostics: &mut [Diagnostic]) {
    let shown = workspace.shown("");
    let root = match shown.trim_end_matches(std::path::MAIN_SEPARATOR) {
        "" => ".",
        root => root,
    };
    for found in diagnostics.iter_mut().filter(|found| found.rule == "path-outside") {
        let help = "use a relative path with `/` that stays below the workspace root";
        found.help = Some(format!("{help}, which is `{root}` here; `--root DIR` names another"));
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
