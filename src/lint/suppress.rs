//! Comments that allow findings: `# flyball: allow RULE[, RULE] -- reason`.
//!
//! Behind something on a line, a comment is about what begins on that line. Alone on its line it is about the entry that
//! begins below it: that line and those behind it that stand deeper. It must take at least one finding away for each rule
//! it names, and give a reason; a spec that does not load is not made to load.

use super::Rule;
use super::rules::unused_suppression;
use super::walk;
use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, SourceFile, Sources, Span};

const MARK: &str = "# flyball:";

/// One rule that a comment allows.
struct Allowance {
    rule: &'static str,
    span: Span,
    /// The lines it is about, from 1.
    lines: std::ops::RangeInclusive<u32>,
    is_used: bool,
}

/// The findings that no comment allows, and those about comments.
pub(super) fn suppressed(sources: &Sources, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept = Vec::new();
    let mut allowances = Vec::new();
    // Of a spec that does not load most rules were not asked, so nobody knows what its comments allow.
    let is_loaded = !found.iter().any(Diagnostic::is_fatal);
    let files = sources.files().enumerate();
    for (number, file) in files.filter(|(_, file)| file.text().is_some_and(|text| text.contains(MARK))) {
        let file_id = FileId(u32::try_from(number).unwrap_or(u32::MAX));
        read(file_id, file, sources, &mut allowances, &mut kept);
    }
    for diagnostic in found {
        let line = sources.file(diagnostic.span.file).map_or(0, |file| file.line_column(diagnostic.span.start).line);
        let allows = |one: &&mut Allowance| {
            one.rule == diagnostic.rule && one.span.file == diagnostic.span.file && one.lines.contains(&line)
        };
        let mut allowing = allowances.iter_mut().filter(allows).peekable();
        if diagnostic.is_fatal() || allowing.peek().is_none() {
            kept.push(diagnostic);
        } else {
            allowing.for_each(|one| one.is_used = true);
        }
    }
    let idle = allowances.into_iter().filter(|one| is_loaded && !one.is_used);
    kept.extend(idle.map(|one| {
        let problem = unused_suppression::RULE.at(one.span, format!("nothing here breaks `{}`", one.rule));
        problem.help("take it out of the comment, so that what comes later is told")
    }));
    kept
}

/// The comments of a file.
fn read(id: FileId, file: &SourceFile, sources: &Sources, into: &mut Vec<Allowance>, found: &mut Vec<Diagnostic>) {
    let text = file.text().unwrap_or_default();
    let mut texts = Vec::new();
    if let Some(tree) = crate::yaml::read(id, sources, &mut Vec::new()) {
        // What looks like a comment in a text is none.
        walk::texts(&tree, &mut |_, span| texts.push(span));
    }
    let mut start = 0_usize;
    for (number, line) in (1_u32..).zip(text.split_inclusive('\n')) {
        let comment = line.find(MARK).map(|at| (at, line.split_at(at)));
        if let Some((at, (before, comment))) = comment {
            let place = start.saturating_add(at);
            let is_text = texts.iter().any(|span| (span.start as usize) <= place && place < span.end as usize);
            if !is_text && (before.is_empty() || before.ends_with(char::is_whitespace)) {
                let lines = if before.trim().is_empty() { entry_below(text, number) } else { number..=number };
                let comment = comment.trim_end();
                let span = Span::new(id, place, place.saturating_add(comment.len()));
                match rules(comment) {
                    Ok(rules) => into.extend(rules.into_iter().map(|rule| Allowance {
                        rule,
                        span,
                        lines: lines.clone(),
                        is_used: false,
                    })),
                    Err((message, help)) => found.push(unused_suppression::RULE.at(span, message).help(help)),
                }
            }
        }
        start = start.saturating_add(line.len());
    }
}

/// The lines of the entry that begins below a line.
fn entry_below(text: &str, line: u32) -> std::ops::RangeInclusive<u32> {
    let is_said = |text: &str| !text.trim().is_empty() && !text.trim_start().starts_with('#');
    let depth = |text: &str| text.len().saturating_sub(text.trim_start().len());
    let mut below = (1_u32..).zip(text.lines()).skip(line as usize).filter(|(_, text)| is_said(text));
    let Some((first, head)) = below.next() else { return line..=line };
    let last = below.take_while(|(_, text)| depth(text) > depth(head)).last().map_or(first, |(last, _)| last);
    first..=last
}

/// The rules that a comment allows, or what is wrong with it and what to do.
fn rules(comment: &str) -> Result<Vec<&'static str>, (String, String)> {
    const FORM: &str = "write `# flyball: allow RULE -- reason`";
    let said = comment.strip_prefix(MARK).unwrap_or_default().trim();
    let Some(said) = said.strip_prefix("allow ") else {
        return Err(("this comment is no allowance".to_owned(), FORM.to_owned()));
    };
    let (names, reason) = said.split_once("--").unwrap_or((said, ""));
    if reason.trim().is_empty() {
        return Err(("this comment gives no reason".to_owned(), FORM.to_owned()));
    }
    let named = names.split(',').map(str::trim).map(|name| {
        let near = || nearest(name, super::RULES.iter().map(|rule| rule.name));
        let help = || near().map_or("`flyball rules` lists them".to_owned(), |near| format!("did you mean `{near}`?"));
        Rule::find(name).map(|rule| rule.name).ok_or_else(|| (format!("there is no rule `{name}`"), help()))
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Diagnostic;
    use crate::lint::{Levels, settle};
    use crate::source::{FileId, Sources, Span};

    /// What is left of two findings, one at each `here`.
    fn left(text: &str) -> Vec<String> {
        let sources = Sources::new("a.yaml", text);
        let places =
            text.match_indices("here").map(|(at, word)| Span::new(FileId(0), at, at.saturating_add(word.len())));
        let found = places.map(|span| Diagnostic::warning("unused-let", span, "found")).collect();
        settle(&sources, found, &Levels::default()).iter().map(|one| one.one_line(&sources)).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_comment_behind_something_is_about_its_line() {
        assert_eq!(left("a: here  # flyball: allow unused-let -- kept for June\n"), NONE);
        let told = left("a: here  # flyball: allow unused-let -- kept for June\nb: here\n");
        assert_eq!(told, ["a.yaml:2:4: warning: found [unused-let]"]);
    }

    #[test]
    fn a_comment_alone_is_about_the_entry_below_it() {
        assert_eq!(left("# flyball: allow F217 -- kept for June\n# more\na:\n  b: here\n\n  c: here\n"), NONE);
        let told = left("l:\n  # flyball: allow unused-let -- kept for June\n  - a: here\n  - b: here\n");
        assert_eq!(told, ["a.yaml:4:8: warning: found [unused-let]"]);
    }

    #[test]
    fn a_comment_that_allows_nothing_is_told() {
        for (comment, told) in [
            ("allow unused-let -- so", "nothing here breaks `unused-let`"),
            ("allow unused-lett -- so", "there is no rule `unused-lett`"),
            ("allow unused-let", "gives no reason"),
            ("allow unused-let --  ", "gives no reason"),
            ("ignore unused-let -- so", "no allowance"),
        ] {
            let left = left(&format!("# flyball: {comment}\na: b\n"));
            assert!(left.len() == 1 && left[0].contains(told) && left[0].contains("[unused-suppression]"), "{left:?}");
        }
    }

    #[test]
    fn what_looks_like_a_comment_in_a_text_is_none() {
        assert_eq!(left("a: 'x # flyball: allow unused-let -- so'\nb: |\n  # flyball: allow this\n"), NONE);
    }

    #[test]
    fn an_error_of_loading_is_not_allowed() {
        let text = "a: here  # flyball: allow bad-id -- so\n";
        let sources = Sources::new("a.yaml", text);
        let found = vec![Diagnostic::error("bad-id", Span::new(FileId(0), 3, 7), "found")];
        assert!(settle(&sources, found, &Levels::default()).iter().any(|one| one.rule == "bad-id"));
    }

    #[test]
    fn what_a_spec_allows_that_does_not_load_is_not_judged() {
        let text = "a: here\nb: c  # flyball: allow left-observing -- so\n";
        let sources = Sources::new("a.yaml", text);
        let found = vec![Diagnostic::error("bad-id", Span::new(FileId(0), 3, 7), "found")];
        let told: Vec<&str> = settle(&sources, found, &Levels::default()).iter().map(|one| one.rule).collect();
        assert_eq!(told, ["bad-id"]);
    }
}
