//! The files that a run of the linter is about.

use crate::config::{Configuration, Wanted};
use crate::error::CliError;
use crate::judged::{Judged, Role};
use crate::output::Output;
use crate::parallel;
use crate::report::human;
use flyball_io::IoError;
use flyball_io::sources::{self, FileKind, Found, Look, Survey};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The files of the format among some paths, and what became of the others.
#[derive(Debug, Default)]
pub(crate) struct Files {
    specs: BTreeSet<PathBuf>,
    contracts: BTreeSet<PathBuf>,
    packs: BTreeSet<PathBuf>,
    /// Contracts that no linted spec shares.
    unshared: Vec<PathBuf>,
    /// Files that somebody named and that are none of the format.
    strays: BTreeSet<PathBuf>,
    /// YAML files below the folders that are none of the format.
    others: BTreeSet<PathBuf>,
    /// What could not be read.
    pub(crate) failed: Vec<CliError>,
    /// Every YAML file that was met below the folders, excluded or not, without symbolic links.
    seen: BTreeSet<PathBuf>,
    /// The folders in which everything is excluded.
    excluded: Vec<String>,
}

impl Files {
    /// The named files, and those below the named folders that the configuration does not exclude.
    pub(crate) fn of(paths: &[Wanted], configuration: &Configuration) -> Result<Files, CliError> {
        let mut files = Files::default();
        for wanted in paths {
            if wanted.path.is_dir() {
                files.add_folder(wanted, configuration)?;
            } else if let Some(error) = configuration.found_nothing(wanted).filter(|_| !wanted.path.is_file()) {
                return Err(error);
            } else {
                files.add_file(&wanted.path);
            }
        }
        if files.is_empty() && files.failed.is_empty() {
            if !files.excluded.is_empty() {
                let configuration = configuration.shown().to_owned();
                return Err(CliError::AllExcluded { paths: files.excluded.join(", "), configuration });
            }
            let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.shown())).collect();
            return Err(CliError::NothingToLint(paths.join(", ")));
        }
        Ok(files)
    }

    fn is_empty(&self) -> bool {
        [&self.specs, &self.contracts, &self.packs, &self.strays].iter().all(|files| files.is_empty())
    }

    /// A file that is named: one that cannot be read as YAML, or in which nothing stands, is a spec with that problem.
    fn add_file(&mut self, path: &Path) {
        match sources::look_at(path) {
            Ok(Look::Is(kind) | Look::Seems(kind)) => self.add(path, kind),
            Ok(Look::Empty | Look::Broken) => self.add(path, FileKind::Spec),
            Ok(Look::Other) => _ = self.strays.insert(plain(path)),
            Err(error) => self.failed.push(error.into()),
        }
    }

    /// What seems to be meant as a file of the format is judged as one, and so is an empty file beside such: what is wrong
    /// with it is then told.
    fn add_folder(&mut self, wanted: &Wanted, configuration: &Configuration) -> Result<(), CliError> {
        let Survey { found, seeming, empty, others, unreadable } = sources::survey(&wanted.path);
        let (was, mut is_any) = (self.count(), false);
        let folders: BTreeSet<PathBuf> = found.iter().filter_map(|one| one.path.parent().map(Path::to_owned)).collect();
        for Found { path, kind } in found.into_iter().chain(seeming) {
            if self.keeps(&path, wanted, configuration, &mut is_any) {
                self.add(&path, kind);
            }
        }
        for path in empty {
            if !self.keeps(&path, wanted, configuration, &mut is_any) {
                continue;
            }
            if path.parent().is_some_and(|folder| folders.contains(folder)) {
                self.add(&path, FileKind::Spec);
            } else {
                self.others.insert(plain(&path));
            }
        }
        for path in others {
            if self.keeps(&path, wanted, configuration, &mut is_any) {
                self.others.insert(plain(&path));
            }
        }
        for error in unreadable {
            let is_kept = match &error {
                IoError::Unreadable { path, .. } => self.keeps(path, wanted, configuration, &mut is_any),
                _ => true,
            };
            if is_kept {
                self.failed.push(error.into());
            }
        }
        if !is_any && wanted.glob.is_some() {
            return configuration.found_nothing(wanted).map_or(Ok(()), Err);
        }
        if is_any && self.count() == was {
            self.excluded.push(format!("`{}`", wanted.shown()));
        }
        Ok(())
    }

    /// True for a YAML file that is wanted and not excluded.
    fn keeps(&mut self, path: &Path, wanted: &Wanted, configuration: &Configuration, is_any: &mut bool) -> bool {
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_wanted = wanted.glob.as_ref().is_none_or(|glob| configuration.matches(glob, &place));
        self.seen.insert(place);
        *is_any |= is_wanted;
        is_wanted && !configuration.excludes(path)
    }

    /// How many files are not excluded.
    fn count(&self) -> usize {
        let sets = [&self.specs, &self.contracts, &self.packs, &self.others];
        sets.iter().fold(self.failed.len(), |sum, files| sum.saturating_add(files.len()))
    }

    fn add(&mut self, path: &Path, kind: FileKind) {
        match kind {
            FileKind::Spec => self.specs.insert(plain(path)),
            FileKind::Contract => self.contracts.insert(plain(path)),
            FileKind::Pack => self.packs.insert(plain(path)),
        };
    }

    /// How many YAML files below the folders are none of the format.
    pub(crate) fn passed_over(&self) -> usize {
        self.others.len()
    }

    /// Each spec, each pack, and what is neither. A contract is judged with the specs that share it, and read where none
    /// does. What cannot be read is put to what failed, and the rest is judged all the same.
    pub(crate) fn judge(&mut self, root: Option<&Path>, configuration: &Configuration) -> Vec<Judged> {
        let root_of = |path: &Path| root.map(Path::to_owned).or_else(|| configuration.root_of(path));
        let paths: Vec<&PathBuf> = self.specs.iter().collect();
        let specs = parallel::map(&paths, |path| Judged::of(path, root_of(path).as_deref()));
        let packs = self.packs.iter().map(|path| Judged::of_pack(path, root_of(path).as_deref()));
        let strays = self.strays.iter().map(|path| Judged::of_one(path, root_of(path).as_deref(), Role::Stray));
        let mut judged = Vec::new();
        for one in specs.into_iter().chain(packs).chain(strays) {
            match one {
                Ok(one) => judged.push(one),
                Err(error) => self.failed.push(error),
            }
        }
        let used: BTreeSet<PathBuf> =
            judged.iter().flat_map(Judged::files).filter_map(|path| path.canonicalize().ok()).collect();
        let is_used = |path: &&PathBuf| path.canonicalize().is_ok_and(|path| used.contains(&path));
        for path in self.contracts.iter().filter(|path| !is_used(path)) {
            match Judged::of_one(path, root_of(path).as_deref(), Role::Contract) {
                Ok(one) => {
                    judged.push(one);
                    self.unshared.push(path.clone());
                }
                Err(error) => self.failed.push(error),
            }
        }
        judged
    }

    /// Says which contracts no spec was judged with.
    pub(crate) fn note_unshared_contracts(&self, output: &mut Output) -> Result<(), CliError> {
        for path in &self.unshared {
            let text = format!(
                "`{}` was only read, not checked: no linted spec that could be read shares this contract",
                path.display()
            );
            write!(output.err, "{}", human::note(&text))?;
        }
        Ok(())
    }

    /// Says which globs of the configuration match nothing, where it is the configuration that says what is linted.
    pub(crate) fn warn_of_idle_globs(
        &self,
        judged: &[Judged],
        configuration: &Configuration,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let files = judged.iter().flat_map(Judged::files);
        let linted = files.filter_map(|path| path.canonicalize().ok()).collect();
        for text in configuration.idle_globs(&self.seen, &linted) {
            let help = "correct it, or take it out; `*` stops at `/`, and `**` does not";
            write!(output.err, "{}", human::warning(&text, help))?;
        }
        Ok(())
    }

    /// Says which folders were named in vain beside others.
    pub(crate) fn note_excluded(&self, configuration: &Configuration, output: &mut Output) -> Result<(), CliError> {
        for folder in &self.excluded {
            let text = format!("everything below {folder} is excluded by `{}`", configuration.shown());
            write!(output.err, "{}", human::note(&text))?;
        }
        Ok(())
    }
}

/// A path as a person would write it.
fn plain(path: &Path) -> PathBuf {
    path.strip_prefix(".").map_or_else(|_| path.to_owned(), Path::to_owned)
}
