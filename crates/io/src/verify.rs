//! The files of a run on disk, read and verified: its segments, its head file, its values.
//!
//! [`verify_file`] judges one run, [`runs`] lists those of a folder, [`read_ledger`] keeps the lines and values besides,
//! for who wants to decide them again. What a line is worth is the library's to say (`flyball::ledger::verify`).
//!
//! Nothing is written, and nothing is repaired. Lines come one at a time: no file is too large.

mod values;

pub use values::Values;
pub(crate) use values::parts as value_line;

use crate::error::{IoError, reason};
use flyball::ledger::MAX_LINE;
use flyball::ledger::verify::{Anchor, Code, HEAD_LINE, Problem, Report, Verdict, Verifier};
use flyball::replay::ledger::StoredValues;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use values::Named;

/// The files of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFiles {
    /// The path without `.jsonl`.
    base: PathBuf,
    /// The segments that are there, by number; 0 is the first.
    segments: BTreeMap<u32, PathBuf>,
}

/// What came of verifying the files of a run.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The files.
    pub files: RunFiles,
    /// The records.
    pub chain: Report,
    /// What anchors there were: the words of the command line, the head file.
    pub anchors: Vec<String>,
    /// Why the head file beside is none.
    pub bad_head: Option<Found>,
    /// The values file.
    pub values: Values,
}

/// One thing that is wrong, with the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file's name.
    pub file: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// A ledger with all that is in it.
#[derive(Clone, Debug)]
pub struct ReadLedger {
    /// What it is worth.
    pub checked: Checked,
    /// Its complete lines, without line feeds.
    pub lines: Vec<Vec<u8>>,
    /// The sound values of its values file.
    pub values: StoredValues,
}

impl RunFiles {
    /// The files of the run that a path is a segment of.
    #[must_use]
    pub fn of(path: &Path) -> RunFiles {
        let alone = || RunFiles { base: path.to_owned(), segments: BTreeMap::from([(0, path.to_owned())]) };
        let Some((base, _)) = segment(path) else { return alone() };
        let folder = base.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let found =
            all_runs(folder).unwrap_or_default().into_iter().find(|run| run.base.file_name() == base.file_name());
        let Some(run) = found else { return RunFiles { base, ..alone() } };
        // The path stays as it was given.
        let segments = run.segments.into_iter().map(|(number, path)| (number, rebased(&base, &path))).collect();
        RunFiles { base, segments }
    }

    /// The first file, whether it is there or not.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let is_named_otherwise = self.segments.get(&0) == Some(&self.base);
        if is_named_otherwise { self.base.clone() } else { self.beside(".jsonl") }
    }

    /// The segments that are there, in order.
    pub fn segments(&self) -> impl Iterator<Item = &Path> {
        self.segments.values().map(PathBuf::as_path)
    }

    /// The names of segments that must have been there.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        let last = self.segments.keys().next_back().copied().unwrap_or(0);
        let gone = (0..last).filter(|number| !self.segments.contains_key(number));
        gone.map(|number| name(&self.beside(&ending(number)))).collect()
    }

    /// The head file.
    #[must_use]
    pub fn head(&self) -> PathBuf {
        self.beside(".head")
    }

    /// The values file.
    #[must_use]
    pub fn values(&self) -> PathBuf {
        self.beside(".values.jsonl")
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.base.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    fn segment_name(&self, segment: u32) -> String {
        let place = usize::try_from(segment).unwrap_or(usize::MAX);
        self.segments.values().nth(place).map(|path| name(path)).unwrap_or_default()
    }
}

impl Checked {
    /// All that is wrong: the chain's problems, then the head file's, then the values'. The first is the verdict.
    #[must_use]
    pub fn problems(&self) -> Vec<Found> {
        let of_chain =
            |problem: &Problem| Found { file: self.files.segment_name(problem.segment), problem: problem.clone() };
        let chain = self.chain.problems.iter().map(of_chain);
        chain.chain(self.bad_head.clone()).chain(self.values.problems.iter().cloned()).collect()
    }

    /// What the run is worth.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.problems().first() {
            Some(found) if found.problem.code.cannot_judge() => Verdict::CannotJudge,
            Some(_) => Verdict::Broken,
            None => self.chain.verdict(),
        }
    }
}

/// Verifies a run: all its segments, against an anchor and the head file beside, and its values.
#[must_use]
pub fn verify_file(path: &Path, anchor: Option<&Anchor>) -> Checked {
    verify_run(&RunFiles::of(path), anchor)
}

/// As [`verify_file`], for files that were found before.
#[must_use]
pub fn verify_run(files: &RunFiles, anchor: Option<&Anchor>) -> Checked {
    check(files, anchor, &mut |_| (), &mut |_, _, _| ())
}

/// Reads a run with its values, and verifies it on the way.
#[must_use]
pub fn read_ledger(path: &Path, anchor: Option<&Anchor>) -> ReadLedger {
    let (mut lines, mut values) = (Vec::new(), StoredValues::new());
    let checked =
        check(&RunFiles::of(path), anchor, &mut |line| lines.push(line.to_vec()), &mut |reference, salt, bytes| {
            values.insert(reference, (salt, bytes.to_vec()));
        });
    ReadLedger { checked, lines, values }
}

/// The runs whose files lie in a folder, by name.
///
/// # Errors
/// The folder cannot be read.
pub fn runs(folder: &Path) -> Result<Vec<RunFiles>, IoError> {
    all_runs(folder).map_err(|error| IoError::unreadable_file(folder, &error))
}

fn all_runs(folder: &Path) -> io::Result<Vec<RunFiles>> {
    let mut runs: BTreeMap<PathBuf, BTreeMap<u32, PathBuf>> = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some((base, number)) = segment(&path) {
            runs.entry(base).or_default().insert(number, path);
        }
    }
    Ok(runs.into_iter().map(|(base, segments)| RunFiles { base, segments }).collect())
}

/// The base and the number of a file that is named as a segment: `<run>.jsonl`, `<run>.000001.jsonl` …
fn segment(path: &Path) -> Option<(PathBuf, u32)> {
    let stem = path.file_name()?.to_str()?.strip_suffix(".jsonl").filter(|stem| !stem.is_empty())?;
    let (run, number) = match stem.rsplit_once('.') {
        Some((_, "values" | "answers")) => return None,
        Some((run, digits)) if digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            let is_written = |number: &u32| *number > 0 && format!("{number:06}") == digits;
            (run, digits.parse().ok().filter(is_written)?)
        }
        _ => (stem, 0),
    };
    Some((path.with_file_name(run), number))
}

fn ending(number: u32) -> String {
    if number == 0 { ".jsonl".into() } else { format!(".{number:06}.jsonl") }
}

fn rebased(base: &Path, path: &Path) -> PathBuf {
    path.file_name().map_or_else(|| path.to_owned(), |name| base.with_file_name(name))
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

type KeepLine<'k> = &'k mut dyn FnMut(&[u8]);

fn check(files: &RunFiles, anchor: Option<&Anchor>, keep: KeepLine<'_>, keep_value: values::Keep<'_>) -> Checked {
    let mut anchors = Vec::new();
    let mut verifier = Verifier::genesis();
    if let Some(anchor) = anchor {
        anchors.push(format!("`{}:{}`", anchor.seq, anchor.hash));
        verifier = verifier.with_anchor(anchor.clone());
    }
    let head = read_head(&files.head());
    if let Some(Ok(head)) = &head {
        anchors.push(format!("the head file `{}`", name(&files.head())));
        verifier = verifier.with_anchor(head.clone());
    }
    let mut named = Named::default();
    let chain = check_chain(files, &mut verifier, &mut named, keep);
    let is_whole = chain.problems.last().is_none_or(|problem| problem.code != Code::Unreadable);
    let bad_head = head.and_then(Result::err).filter(|_| is_whole).map(|reason| Found {
        file: name(&files.head()),
        problem: Problem { record: chain.records, line: 0, segment: 0, code: Code::Unreadable, message: reason },
    });
    let values = if is_whole { named.check(&files.values(), chain.records, keep_value) } else { Values::default() };
    Checked { files: files.clone(), chain, anchors, bad_head, values }
}

fn check_chain(files: &RunFiles, verifier: &mut Verifier, named: &mut Named, keep: KeepLine<'_>) -> Report {
    let mut problems = Vec::new();
    let mut torn_tail = 0;
    let last = files.segments.len().saturating_sub(1);
    for (place, path) in files.segments().enumerate() {
        if place > 0 {
            verifier.next_segment();
        }
        match check_segment(path, place == last, verifier, named, &mut problems, keep) {
            Ok(torn) => torn_tail = torn,
            Err(error) => {
                let segment = u32::try_from(place).unwrap_or(u32::MAX);
                let message = format!("the file cannot be read: {}", reason(&error));
                let record = verifier.records();
                problems.push(Problem { record, line: 0, segment, code: Code::Unreadable, message });
                return Report::of_part(verifier, problems);
            }
        }
    }
    Report::of(verifier, problems, torn_tail)
}

/// Pushes the lines of one file; gives the length of the torn tail.
fn check_segment(
    path: &Path,
    is_last: bool,
    verifier: &mut Verifier,
    named: &mut Named,
    problems: &mut Vec<Problem>,
    keep: KeepLine<'_>,
) -> io::Result<u64> {
    let mut lines = RawLines::open(path, MAX_LINE)?;
    while let Some(line) = lines.next()? {
        match line {
            RawLine::Whole(line) => {
                let index = verifier.records();
                keep(line);
                match verifier.push_line(line) {
                    Ok(line) => named.note(&line, index),
                    Err(problem) => problems.push(problem),
                }
            }
            RawLine::Torn(length) if is_last => return Ok(length),
            RawLine::Torn(_) => problems.push(verifier.push_unended()),
        }
    }
    Ok(0)
}

/// The anchor of a head file that is there, or why it is none.
fn read_head(path: &Path) -> Option<Result<Anchor, String>> {
    let most = u64::try_from(HEAD_LINE).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(format!("the head file cannot be read: {}", reason(&error)))),
        // It can have its length before its bytes: no head yet.
        Ok(_) if bytes.iter().all(|byte| *byte == 0) => None,
        Ok(_) => Some(Anchor::from_head_line(&bytes).map_err(|error| error.to_string())),
    }
}

/// Lines as they stand, told apart from what no line feed ends.
pub(crate) struct RawLines {
    stream: BufReader<File>,
    line: Vec<u8>,
    most: u64,
}

/// One line of a file.
pub(crate) enum RawLine<'l> {
    /// A line, without its line feed; of one that is too long only as much as shows that.
    Whole(&'l [u8]),
    /// How many bytes stand behind the last line feed.
    Torn(u64),
}

impl RawLines {
    /// Lines of at most `most` bytes, line feed included.
    pub(crate) fn open(path: &Path, most: usize) -> io::Result<RawLines> {
        let stream = BufReader::with_capacity(1 << 18, File::open(path)?);
        Ok(RawLines { stream, line: Vec::new(), most: u64::try_from(most).unwrap_or(u64::MAX) })
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<RawLine<'_>>> {
        self.line.clear();
        let read = (&mut self.stream).take(self.most).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            return Ok(Some(RawLine::Whole(&self.line)));
        }
        let (more, ended) = self.pass_over()?;
        let length = u64::try_from(read).unwrap_or(u64::MAX).saturating_add(more);
        Ok(Some(if ended { RawLine::Whole(&self.line) } else { RawLine::Torn(length) }))
    }

    /// Reads to the end of a line that is too long; how many bytes, and whether a line feed was there.
    fn pass_over(&mut self) -> io::Result<(u64, bool)> {
        let mut passed = 0_u64;
        loop {
            let chunk = self.stream.fill_buf()?;
            if chunk.is_empty() {
                return Ok((passed, false));
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(chunk.len(), |end| end.saturating_add(1));
            passed = passed.saturating_add(u64::try_from(used).unwrap_or(u64::MAX));
            self.stream.consume(used);
            if end.is_some() {
                return Ok((passed, true));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, files: &[(&str, &[u8])]) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("flyball-verify-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
        folder
    }

    fn good(name: &str) -> PathBuf {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/ledgers/good")).join(name)
    }

    #[test]
    fn a_segment_is_known_by_its_name() {
        let of =
            |name: &str| segment(Path::new(name)).map(|(base, number)| (base.to_str().unwrap().to_owned(), number));
        assert_eq!(of("a/r.jsonl"), Some(("a/r".into(), 0)));
        assert_eq!(of("r.000012.jsonl"), Some(("r".into(), 12)));
        assert_eq!(of("r.1000000.jsonl"), Some(("r".into(), 1_000_000)));
        assert_eq!(of("r.00012.jsonl"), Some(("r.00012".into(), 0)));
        for other in ["r.000000.jsonl", "r.0000012.jsonl", "r.values.jsonl", ".jsonl", "r.head", "r.jsonl.torn-12"] {
            assert_eq!(of(other), None, "{other}");
        }
    }

    #[test]
    fn a_run_is_read_with_all_its_segments_whichever_is_named() {
        for name in ["rotated.jsonl", "rotated.000001.jsonl"] {
            let read = read_ledger(&good(name), None);
            assert_eq!((read.checked.verdict(), read.lines.len()), (Verdict::Intact, 9));
        }
        let read = read_ledger(&good("small.jsonl"), None);
        assert_eq!((read.values.len(), read.checked.values.sound), (3, 3));
        assert!(read.values.iter().all(|(reference, (salt, bytes))| salt.reference(bytes) == *reference));
    }

    #[test]
    fn the_end_of_a_file_is_told_apart_from_its_lines() {
        let folder = folder("lines", &[("f", b"ab\n\nabcdef\nabcd\nxyzxyz")]);
        let mut lines = RawLines::open(&folder.join("f"), 5).unwrap();
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(match line {
                RawLine::Whole(line) => String::from_utf8(line.to_vec()).unwrap(),
                RawLine::Torn(length) => format!("torn {length}"),
            });
        }
        // A line that is too long shows it by being cut at the limit.
        assert_eq!(seen, ["ab", "", "abcde", "abcd", "torn 6"]);
    }

    #[test]
    fn a_line_that_does_not_end_is_a_line_where_another_segment_follows() {
        let first = std::fs::read(good("rotated.jsonl")).unwrap();
        let second = std::fs::read(good("rotated.000001.jsonl")).unwrap();
        let cut = first.strip_suffix(b"\n").unwrap();
        let folder = folder("unended", &[("r.jsonl", cut), ("r.000001.jsonl", &second)]);
        let checked = verify_file(&folder.join("r.jsonl"), None);
        let codes: Vec<_> = checked.problems().iter().map(|found| (found.problem.record, found.problem.code)).collect();
        assert_eq!(codes, [(2, Code::BadJson)]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_not_judged() {
        let folder = folder("unreadable", &[]);
        std::fs::create_dir(folder.join("r.jsonl")).unwrap();
        let checked = verify_file(&folder.join("r.jsonl"), None);
        assert_eq!((checked.verdict(), checked.problems()[0].problem.code), (Verdict::CannotJudge, Code::Unreadable));
    }

    #[test]
    fn a_head_file_that_was_never_written_is_none_and_a_broken_one_is_not_judged() {
        let ledger = std::fs::read(good("small.jsonl")).unwrap();
        for (head, verdict) in
            [(&b""[..], Verdict::Unanchored), (&[0; 256], Verdict::Unanchored), (b"{}", Verdict::CannotJudge)]
        {
            let folder = folder("head", &[("r.jsonl", &ledger), ("r.head", head)]);
            assert_eq!(verify_file(&folder.join("r.jsonl"), None).verdict(), verdict);
        }
    }
}
