//! The files that a run of the linter is about.

use crate::config::Configuration;
use crate::error::CliError;
use crate::judged::Judged;
use crate::output::Output;
use crate::report::human;
use flyball_io::sources::{self, FileKind, Found};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of the format among some paths.
#[derive(Debug, Default)]
pub(crate) struct Files {
    specs: BTreeSet<PathBuf>,
    contracts: BTreeSet<PathBuf>,
    packs: BTreeSet<PathBuf>,
}

impl Files {
    /// The named files, and those below the named folders that the configuration does not exclude. A file that is named
    /// is a spec unless it says otherwise.
    pub(crate) fn of(paths: &[PathBuf], configuration: &Configuration) -> Result<Files, CliError> {
        let mut files = Files::default();
        for path in paths {
            let found = if path.is_dir() {
                sources::find(path)?.into_iter().filter(|found| !configuration.excludes(&found.path)).collect()
            } else {
                let kind = sources::kind_of(path)?.unwrap_or(FileKind::Spec);
                vec![Found { path: path.clone(), kind }]
            };
            for Found { path, kind } in found {
                let path = path.strip_prefix(".").map_or_else(|_| path.clone(), Path::to_owned);
                match kind {
                    FileKind::Spec => files.specs.insert(path),
                    FileKind::Contract => files.contracts.insert(path),
                    FileKind::Pack => files.packs.insert(path),
                };
            }
        }
        if files.specs.is_empty() && files.contracts.is_empty() && files.packs.is_empty() {
            let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(CliError::NothingToLint(paths.join(", ")));
        }
        Ok(files)
    }

    /// Each spec, then each pack. A contract is judged with the specs that share it.
    pub(crate) fn judge(&self, root: Option<&Path>, configuration: &Configuration) -> Result<Vec<Judged>, CliError> {
        let root_of = |path: &Path| root.map(Path::to_owned).or_else(|| configuration.root_of(path));
        let specs = self.specs.iter().map(|path| Judged::of(path, root_of(path).as_deref()));
        let packs = self.packs.iter().map(|path| Judged::of_pack(path, root_of(path).as_deref()));
        specs.chain(packs).collect()
    }

    /// Says which contracts no spec was judged with.
    pub(crate) fn note_unused_contracts(&self, judged: &[Judged], output: &mut Output) -> Result<(), CliError> {
        let files = judged.iter().flat_map(Judged::files);
        let used: BTreeSet<PathBuf> = files.filter_map(|path| path.canonicalize().ok()).collect();
        for path in &self.contracts {
            if !path.canonicalize().is_ok_and(|path| used.contains(&path)) {
                let text = format!("`{}` is not checked: no linted spec shares this contract", path.display());
                write!(output.err, "{}", human::note(&text))?;
            }
        }
        Ok(())
    }
}
