//! What the source looks like: every file says first what it is, and neither files nor functions grow past reading.

#![expect(clippy::arithmetic_side_effects, reason = "counts of lines")]

use super::code::{File, Token, item_length, rust_below};
use super::{assert_found, assert_none};

/// More lines than this need a reason.
const FILE_LINES: usize = 600;
/// More lines than this need a reason.
const FUNCTION_LINES: usize = 60;
/// Half of all functions are at most this long.
const MEDIAN_LINES: usize = 10;

/// Files and functions (`path` or `path name`) that are longer, and why that reads best.
const REASONS: &[(&str, &str)] = &[];

fn violations(files: &[File], reasons: &[(&str, &str)]) -> Vec<String> {
    let mut long = Vec::new();
    let mut violations = Vec::new();
    for file in files {
        let lines = file.text.lines().count();
        if !file.text.starts_with("//!") {
            violations.push(format!("{}: does not open with `//!` and what it is", file.path));
        }
        if lines > FILE_LINES {
            long.push((file.path.clone(), lines));
        }
        let functions = functions(&file.code()).into_iter().filter(|(_, lines)| *lines > FUNCTION_LINES);
        long.extend(functions.map(|(name, lines)| (format!("{} {name}", file.path), lines)));
    }
    let excused = |name: &str| reasons.iter().any(|(known, _)| *known == name);
    violations.extend(
        long.iter()
            .filter(|(name, _)| !excused(name))
            .map(|(name, lines)| format!("{name}: {lines} lines without a reason")),
    );
    let stale = reasons.iter().filter(|(known, _)| long.iter().all(|(name, _)| name != known));
    violations.extend(stale.map(|(known, _)| format!("{known}: is no longer long; take its reason away")));
    violations
}

/// The functions with a body and the lines from `fn` to the closing brace.
fn functions(code: &[Token<'_>]) -> Vec<(String, usize)> {
    let mut functions = Vec::new();
    for (at, window) in code.windows(2).enumerate() {
        let is_named = window[1].text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if window[0].text != "fn" || !is_named {
            continue;
        }
        let last = code[at + item_length(&code[at..]) - 1];
        if last.text == "}" {
            functions.push((window[1].text.to_owned(), last.line - window[0].line + 1));
        }
    }
    functions
}

fn median(files: &[File]) -> usize {
    let mut lines: Vec<usize> = files.iter().flat_map(|file| functions(&file.code())).map(|(_, lines)| lines).collect();
    lines.sort_unstable();
    lines[lines.len() / 2]
}

fn all_files() -> Vec<File> {
    ["src", "crates", "bench", "tests"].into_iter().flat_map(rust_below).collect()
}

#[test]
fn files_say_what_they_are_and_are_of_readable_size() {
    assert_none(&violations(&all_files(), REASONS));
}

#[test]
fn half_of_all_functions_fit_at_a_glance() {
    let median = median(&all_files());
    assert!(median <= MEDIAN_LINES, "the median function has {median} lines");
}

#[test]
fn what_is_too_long_or_says_nothing_is_found() {
    let file = |lines: usize| File::new("src/a.rs", &format!("//! A.\n{}", "\n".repeat(lines - 1)));
    let function =
        |lines: usize| format!("//! A.\nfn f() -> [u8; 2] {{{}}}\ntrait T {{ fn g(); }}\n", "\n".repeat(lines - 1));
    let with = |text: String| File::new("src/b.rs", &text);
    assert_none(&violations(&[file(FILE_LINES), with(function(FUNCTION_LINES))], &[]));
    assert_found(&violations(&[file(FILE_LINES + 1)], &[]), &["src/a.rs: 601 lines"]);
    assert_found(&violations(&[with(function(FUNCTION_LINES + 1))], &[]), &["src/b.rs f: 61 lines"]);
    assert_none(&violations(&[file(FILE_LINES + 1)], &[("src/a.rs", "one table")]));
    assert_found(&violations(&[file(9)], &[("src/a.rs", "one table")]), &["src/a.rs: is no longer long"]);
    assert_found(&violations(&[File::new("src/a.rs", "use x::y;\n")], &[]), &["src/a.rs: does not open"]);
    assert_eq!(functions(&with(function(7)).code()), [("f".to_owned(), 7)]);
    assert_eq!(median(&[with(function(3)), with(function(5)), with(function(90))]), 5);
}
