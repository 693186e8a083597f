//! `flyball.toml`: what a folder lints, and how bad each rule is there.
//!
//! It is looked for where the command runs and in the folders above, up to the root of the repository. Its paths are
//! relative to its own folder. A key nobody knows is an error, and so is a level that a rule cannot have.

#![expect(clippy::disallowed_methods, reason = "the configuration is a file, looked for from the current directory")]

mod paths;

use crate::error::CliError;
use flyball::diagnostic::{Severity, nearest};
use flyball::lint::{Check, Levels, RULES, Rule};
pub(crate) use paths::{Glob, Wanted};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The name of the file.
pub(crate) const NAME: &str = "flyball.toml";

/// What holds for a run of the linter.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    /// The folder of the file, without symbolic links; `None` where there is no file.
    folder: Option<PathBuf>,
    /// The file, as a person in the current directory would write it.
    file: String,
    /// What is linted where nobody names anything.
    pub(crate) paths: Vec<Wanted>,
    /// True if warnings are findings.
    pub(crate) denies_warnings: bool,
    exclude: Vec<Glob>,
    rules: Vec<Setting>,
    files: Vec<(Vec<Glob>, Vec<Setting>)>,
    named: Vec<Setting>,
}

/// A rule and how bad it is; `None`: its findings are not told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    rule: &'static Rule,
    severity: Option<Severity>,
}

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    paths: Vec<Spanned<String>>,
    #[serde(default)]
    exclude: Vec<Spanned<String>>,
    deny: Option<Spanned<String>>,
    #[serde(default)]
    rules: WrittenRules,
    #[serde(default)]
    files: Vec<WrittenFiles>,
}

type WrittenRules = BTreeMap<Spanned<String>, Spanned<String>>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFiles {
    paths: Vec<Spanned<String>>,
    rules: WrittenRules,
}

/// What is wrong at a place of the file, and what to do.
#[derive(Debug)]
struct Problem {
    at: Range<usize>,
    message: String,
    help: Option<String>,
}

impl Configuration {
    /// The configuration of a file, or of the one that is found; settings of the command line win.
    pub(crate) fn of(file: Option<&Path>, named: &[Setting]) -> Result<Configuration, CliError> {
        let found = file.map(Path::to_owned).or_else(find);
        let mut configuration =
            found.map_or_else(|| Ok(Configuration::default()), |file| Configuration::read(&file))?;
        configuration.named = named.to_vec();
        if configuration.paths.is_empty() {
            let folder = configuration.folder.as_deref().map_or_else(|| PathBuf::from("."), from_here);
            configuration.paths.push(Wanted::named(&folder));
        }
        Ok(configuration)
    }

    /// The configuration that holds for a file, for who does not go by the current directory; one with errors is none.
    pub(crate) fn around(file: &Path) -> Configuration {
        let found = file.parent().and_then(find_from);
        found.and_then(|file| Configuration::read(&file).ok()).unwrap_or_default()
    }

    fn read(file: &Path) -> Result<Configuration, CliError> {
        let unreadable = |error: std::io::Error| CliError::ConfigUnreadable {
            path: file.to_owned(),
            reason: match error.kind() {
                ErrorKind::NotFound => "there is no such file".to_owned(),
                kind => kind.to_string(),
            },
        };
        let text = std::fs::read_to_string(file).map_err(unreadable)?;
        let folder = file.canonicalize().map_err(unreadable)?.parent().map_or_else(PathBuf::new, Path::to_owned);
        let shown = from_here(file).display().to_string();
        let read = Configuration::parse(&text, folder).map_err(|problem| {
            let (line, column) = line_column(&text, problem.at.start);
            CliError::Config { place: format!("{shown}:{line}:{column}"), message: problem.message, help: problem.help }
        })?;
        Ok(Configuration { file: shown, ..read })
    }

    fn parse(text: &str, folder: PathBuf) -> Result<Configuration, Problem> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            let at = error.span().unwrap_or_default();
            let key = key_before(text, at.start).filter(|_| message.starts_with("invalid "));
            let message = key.map_or_else(|| message.clone(), |key| format!("`{key}`: {message}"));
            Problem { at, message, help: None }
        })?;
        let globs = |written: &[Spanned<String>]| -> Result<Vec<Glob>, Problem> {
            written.iter().map(|one| Glob::of(one, text)).collect()
        };
        let files = written.files.iter().map(|files| Ok((globs(&files.paths)?, settings(&files.rules)?)));
        let paths = written.paths.iter().map(|path| Wanted::of(path, &folder, text));
        Ok(Configuration {
            paths: paths.collect::<Result<_, Problem>>()?,
            denies_warnings: written.deny.as_ref().map_or(Ok(false), denies)?,
            exclude: globs(&written.exclude)?,
            file: NAME.to_owned(),
            rules: settings(&written.rules)?,
            files: files.collect::<Result<_, Problem>>()?,
            named: Vec::new(),
            folder: Some(folder),
        })
    }

    /// The workspace root of a spec that nobody gave another: the folder of the configuration, for a spec in it that
    /// does not lie below the current directory.
    pub(crate) fn root_of(&self, spec: &Path) -> Option<PathBuf> {
        let (folder, spec) = (self.folder.as_ref()?, spec.canonicalize().ok()?);
        let here = std::env::current_dir().ok()?.canonicalize().ok()?;
        (spec.starts_with(folder) && !spec.starts_with(&here)).then(|| from_here(folder))
    }

    /// True for a file that is passed over where a folder is linted.
    pub(crate) fn excludes(&self, file: &Path) -> bool {
        file.canonicalize().is_ok_and(|file| self.is_among(&self.exclude, &file))
    }

    /// How bad the rules are in a file, which is named without symbolic links: later settings win.
    pub(crate) fn levels_of(&self, file: &Path) -> Levels {
        let of_files = self.files.iter().filter(|(globs, _)| self.is_among(globs, file)).flat_map(|(_, rules)| rules);
        let mut levels = Levels::default();
        for setting in self.rules.iter().chain(of_files).chain(&self.named) {
            levels.set(setting.rule, setting.severity);
        }
        levels
    }

    /// True if one of the globs matches the file or a folder that it lies in.
    fn is_among(&self, globs: &[Glob], file: &Path) -> bool {
        globs.iter().any(|glob| self.matches(glob, file))
    }

    /// True if a glob matches a file, which is named without symbolic links.
    pub(crate) fn matches(&self, glob: &Glob, file: &Path) -> bool {
        let below = self.folder.as_ref().and_then(|folder| file.strip_prefix(folder).ok());
        below.is_some_and(|below| glob.matches(below))
    }

    /// What is wrong with an entry of `paths` that nothing was found for; `None` for a path that somebody named.
    pub(crate) fn found_nothing(&self, wanted: &Wanted) -> Option<CliError> {
        let (written, (line, column)) = wanted.written.as_ref()?;
        let what = if wanted.glob.is_some() { "it matches no YAML file" } else { "there is no such file or folder" };
        Some(CliError::Config {
            place: format!("{}:{line}:{column}", self.file),
            message: format!("`paths` names `{written}`, and {what}"),
            help: Some(format!("paths and globs are relative to the folder of `{NAME}`")),
        })
    }

    /// The file's name, for a message.
    pub(crate) fn shown(&self) -> &str {
        &self.file
    }

    /// The globs that match nothing, each in words: those of `exclude` among the YAML files that were seen, those of
    /// `[[files]]` among what was linted. Files are named without symbolic links.
    pub(crate) fn idle_globs(&self, seen: &BTreeSet<PathBuf>, linted: &BTreeSet<PathBuf>) -> Vec<String> {
        let folder = self.folder.as_deref().unwrap_or(Path::new("."));
        let is_idle = |glob: &&Glob, among: &BTreeSet<PathBuf>| {
            !glob.names_what_exists(folder) && !among.iter().any(|file| self.matches(glob, file))
        };
        let excluded = self.exclude.iter().filter(|glob| is_idle(glob, seen));
        let of_files = self.files.iter().flat_map(|(globs, _)| globs).filter(|glob| is_idle(glob, linted));
        let told = excluded.map(|glob| glob.told(&self.file, "exclude") + ", which matches no YAML file");
        told.chain(of_files.map(|glob| glob.told(&self.file, "paths") + ", which matches nothing that is linted"))
            .collect()
    }
}

impl std::str::FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let (name, level) = text.split_once('=').ok_or("write `NAME=LEVEL`")?;
        let joined = |(message, help): (String, Option<String>)| {
            help.into_iter().fold(message, |message, help| format!("{message}; {help}"))
        };
        let rule = rule(name).map_err(joined)?;
        Ok(Setting { rule, severity: severity(rule, level).map_err(joined)? })
    }
}

/// The file of the current directory or of the nearest folder above that has one, within a repository.
fn find() -> Option<PathBuf> {
    find_from(&std::env::current_dir().ok()?)
}

/// The same of any folder.
fn find_from(folder: &Path) -> Option<PathBuf> {
    for folder in folder.ancestors() {
        let file = folder.join(NAME);
        if file.is_file() {
            return Some(file);
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}

/// A file's path from the root of the repository it lies in; `None` outside one. The file is named without symbolic links.
pub(crate) fn below_repository(file: &Path) -> Option<&Path> {
    let root = file.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
    file.strip_prefix(root).ok()
}

/// A place as a person in the current directory would write it.
fn from_here(place: &Path) -> PathBuf {
    let Some(here) = std::env::current_dir().ok().and_then(|here| here.canonicalize().ok()) else {
        return place.to_owned();
    };
    let place = if place.is_relative() { here.join(place) } else { place.to_owned() };
    for (up, folder) in here.ancestors().enumerate() {
        if let Ok(below) = place.strip_prefix(folder) {
            let written: PathBuf = std::iter::repeat_n("..", up).collect::<PathBuf>().join(below);
            let is_far = folder.parent().is_none();
            return if is_far {
                place
            } else if written.as_os_str().is_empty() {
                PathBuf::from(".")
            } else {
                written
            };
        }
    }
    place
}

fn denies(word: &Spanned<String>) -> Result<bool, Problem> {
    if word.get_ref() == "warnings" {
        return Ok(true);
    }
    let message = format!("`deny` is `{}`, and only `warnings` can be denied", word.get_ref());
    Err(Problem { at: word.span(), message, help: None })
}

fn settings(written: &WrittenRules) -> Result<Vec<Setting>, Problem> {
    let setting = |(name, level): (&Spanned<String>, &Spanned<String>)| {
        let at = |span: Range<usize>| |(message, help)| Problem { at: span, message, help };
        let rule = rule(name.get_ref()).map_err(at(name.span()))?;
        Ok(Setting { rule, severity: severity(rule, level.get_ref()).map_err(at(level.span()))? })
    };
    let mut in_order: Vec<_> = written.iter().collect();
    in_order.sort_by_key(|(name, _)| name.span().start);
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    let mut settings = Vec::new();
    for (name, level) in in_order {
        let one = setting((name, level))?;
        if let Some(earlier) = first.insert(one.rule.name, name.get_ref()) {
            let message =
                format!("`{}` is the rule `{earlier}`, whose level is set in this table already", name.get_ref());
            return Err(Problem { at: name.span(), message, help: Some("keep one of the two".into()) });
        }
        settings.push(one);
    }
    Ok(settings)
}

/// The key whose value begins at a place, if it stands on the same line.
fn key_before(text: &str, at: usize) -> Option<&str> {
    let line = text.get(..at)?.lines().next_back()?;
    let (before, rest) = line.rsplit_once('=')?;
    let key = before.rsplit(['{', ',']).next()?.trim();
    (rest.trim_matches(['[', ' ', '\t']).is_empty() && !key.is_empty()).then_some(key)
}

fn rule(name: &str) -> Result<&'static Rule, (String, Option<String>)> {
    Rule::find(name).ok_or_else(|| (format!("there is no rule `{name}`"), Some(near_rule(name))))
}

/// What to do about a name that is no rule's.
pub(crate) fn near_rule(name: &str) -> String {
    let near = nearest(name, RULES.iter().map(|rule| rule.name));
    near.map_or_else(|| "`flyball rules` lists them".to_owned(), |near| format!("did you mean `{near}`?"))
}

fn severity(rule: &Rule, level: &str) -> Result<Option<Severity>, (String, Option<String>)> {
    let severity = match level {
        "off" => None,
        "note" => Some(Severity::Note),
        "warning" => Some(Severity::Warning),
        "error" => Some(Severity::Error),
        _ => return Err((format!("`{level}` is no level"), Some("write `off`, `note`, `warning` or `error`".into()))),
    };
    if keeps_from_loading(rule) && severity != Some(Severity::Error) {
        let message = format!("`{}` cannot be lowered: what it finds keeps a spec from loading", rule.name);
        return Err((message, Some("mend what it finds, or exclude the file".into())));
    }
    Ok(severity)
}

/// True for a rule whose findings are errors whatever anybody says.
pub(crate) fn keeps_from_loading(rule: &Rule) -> bool {
    matches!(rule.check, Check::Loading) && rule.severity == Severity::Error
}

/// Line and column from 1, columns in characters.
fn line_column(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
    let column = before.get(line_start..).unwrap_or_default().chars().count();
    (before.matches('\n').count().saturating_add(1), column.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        let problem = Configuration::parse(text, PathBuf::from("/w")).unwrap_err();
        let (line, column) = line_column(text, problem.at.start);
        format!("{line}:{column}: {}", problem.message)
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, told) in [
            ("deny = \"warnings\"\nexclud = []\n", "2:1: unknown field `exclud`"),
            ("deny = \"notes\"\n", "1:8: `deny` is `notes`, and only `warnings` can be denied"),
            ("exclude = [\"specs/[\"]\n", "1:12: `specs/[` is no glob"),
            ("[rules]\nunused-lett = \"off\"\n", "2:1: there is no rule `unused-lett`"),
            ("[rules]\nunused-let = \"of\"\n", "2:14: `of` is no level"),
            ("[rules]\nunused-let = 3\n", "2:14: `unused-let`: invalid type: integer `3`"),
            ("deny = true\n", "1:8: `deny`: invalid type: boolean `true`"),
            (
                "[rules]\nunused-let = \"off\"\nCODE = \"off\"\n",
                "3:1: `CODE` is the rule `unused-let`, whose level is set",
            ),
            ("[[files]]\npaths = [\"a\"]\n", "1:1: missing field `rules`"),
            ("paths = [\n", "1:10: unclosed array"),
        ] {
            let with_code = |text: &str| text.replace("CODE", Rule::find("unused-let").unwrap().code);
            let problem = problem(&with_code(text));
            assert!(problem.starts_with(&with_code(told)), "{problem}");
        }
    }

    #[test]
    fn later_settings_win_and_globs_take_folders() {
        let code = Rule::find("unused-let").unwrap().code;
        let text = "exclude = [\"specs/bad\", \"**/draft.yaml\"]\n[rules]\nCODE = \"error\"\n\
                    [[files]]\npaths = [\"specs/old\"]\nrules = {unused-let = \"off\"}\n";
        let mut configuration = Configuration::parse(&text.replace("CODE", code), PathBuf::from("/w")).unwrap();
        let excluded = |file: &str| configuration.is_among(&configuration.exclude, Path::new(file));
        assert!(excluded("/w/specs/bad/x/y.yaml") && excluded("/w/a/draft.yaml") && excluded("/w/draft.yaml"));
        assert!(!excluded("/w/specs/badly.yaml") && !excluded("/v/specs/bad/x.yaml"));
        let level = |configuration: &Configuration, file: &str| {
            let found = flyball::diagnostic::Diagnostic::warning("unused-let", flyball::source::Span::default(), "x");
            configuration.levels_of(Path::new(file)).apply(found).map(|found| found.severity)
        };
        assert_eq!(level(&configuration, "/w/specs/new.yaml"), Some(Severity::Error));
        assert_eq!(level(&configuration, "/w/specs/old/a.yaml"), None);
        configuration.named = vec!["unused-let=note".parse().unwrap()];
        assert_eq!(level(&configuration, "/w/specs/old/a.yaml"), Some(Severity::Note));
    }
}
