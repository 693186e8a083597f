//! `flyball.toml`: what a folder lints, and how bad each rule is there.
//!
//! It is looked for where the command runs and in the folders above, up to the root of the repository. Its paths are
//! relative to its own folder. A key nobody knows is an error, and so is a level that a rule cannot have.

#![expect(clippy::disallowed_methods, reason = "the configuration is a file, looked for from the current directory")]

use crate::error::CliError;
use flyball::diagnostic::{Severity, nearest};
use flyball::lint::{Check, Levels, RULES, Rule};
use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use std::collections::BTreeMap;
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
    /// What is linted where nobody names anything, as a person in the current directory would write it.
    pub(crate) paths: Vec<PathBuf>,
    /// True if warnings are findings.
    pub(crate) denies_warnings: bool,
    exclude: Vec<GlobMatcher>,
    rules: Vec<Setting>,
    files: Vec<(Vec<GlobMatcher>, Vec<Setting>)>,
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
    paths: Vec<String>,
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
            configuration.paths.push(configuration.folder.as_deref().map_or_else(|| PathBuf::from("."), from_here));
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
            reason: error.kind().to_string(),
        };
        let text = std::fs::read_to_string(file).map_err(unreadable)?;
        let folder = file.canonicalize().map_err(unreadable)?.parent().map_or_else(PathBuf::new, Path::to_owned);
        Configuration::parse(&text, folder).map_err(|problem| {
            let (line, column) = line_column(&text, problem.at.start);
            let place = format!("{}:{line}:{column}", from_here(file).display());
            CliError::Config { place, message: problem.message, help: problem.help }
        })
    }

    fn parse(text: &str, folder: PathBuf) -> Result<Configuration, Problem> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let message = error.message().lines().collect::<Vec<_>>().join(" ");
            Problem { at: error.span().unwrap_or_default(), message, help: None }
        })?;
        let files = written.files.iter().map(|files| Ok((globs(&files.paths)?, settings(&files.rules)?)));
        Ok(Configuration {
            paths: written.paths.iter().map(|path| from_here(&folder.join(path))).collect(),
            denies_warnings: written.deny.as_ref().map_or(Ok(false), denies)?,
            exclude: globs(&written.exclude)?,
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
    fn is_among(&self, globs: &[GlobMatcher], file: &Path) -> bool {
        let below = self.folder.as_ref().and_then(|folder| file.strip_prefix(folder).ok());
        let mut places = below.into_iter().flat_map(Path::ancestors).filter(|place| !place.as_os_str().is_empty());
        places.any(|place| globs.iter().any(|glob| glob.is_match(place)))
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

fn globs(written: &[Spanned<String>]) -> Result<Vec<GlobMatcher>, Problem> {
    let glob = |pattern: &Spanned<String>| {
        let text = pattern.get_ref().trim_end_matches('/');
        let built = GlobBuilder::new(text.strip_prefix("./").unwrap_or(text)).literal_separator(true).build();
        let problem = |error: globset::Error| Problem {
            at: pattern.span(),
            message: format!("`{}` is no glob: {}", pattern.get_ref(), error.kind()),
            help: None,
        };
        built.map(|glob| glob.compile_matcher()).map_err(problem)
    };
    written.iter().map(glob).collect()
}

fn settings(written: &WrittenRules) -> Result<Vec<Setting>, Problem> {
    let setting = |(name, level): (&Spanned<String>, &Spanned<String>)| {
        let at = |span: Range<usize>| |(message, help)| Problem { at: span, message, help };
        let rule = rule(name.get_ref()).map_err(at(name.span()))?;
        Ok(Setting { rule, severity: severity(rule, level.get_ref()).map_err(at(level.span()))? })
    };
    written.iter().map(setting).collect()
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
            ("[rules]\nunused-let = 3\n", "2:14: invalid type: integer `3`"),
            ("[[files]]\npaths = [\"a\"]\n", "1:1: missing field `rules`"),
            ("paths = [\n", "1:10: unclosed array"),
        ] {
            assert!(problem(text).starts_with(told), "{}", problem(text));
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
