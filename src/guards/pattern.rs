//! Regular expressions that an author gives to be searched for: in linear time, of bounded size, and not found in everything.

use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::yaml::Node;
use regex::{Regex, RegexBuilder};

/// The largest program of a pattern once compiled.
const MAX_PATTERN: usize = 1 << 20;

/// Texts without anything in common: what matches in all of them matches in every reply.
const ANYTHING: &[&str] = &["a", "Z", "7", " ", "-", "é", "中"];

/// Reads the pattern at a node.
pub(super) fn search(decoder: &mut Decoder<'_>, node: &Node) -> Option<Regex> {
    let text = decoder.text(node)?;
    let (message, help) = match RegexBuilder::new(&text.value).size_limit(MAX_PATTERN).build() {
        Ok(regex) if matches_nothing(&regex) => {
            (format!("`{}` matches nothing at all as well", text.value), "write what must at least be there")
        }
        Ok(regex) if ANYTHING.iter().all(|any| regex.is_match(any)) => {
            (format!("`{}` matches every text", text.value), "write what the text to be found looks like")
        }
        Ok(regex) => return Some(regex),
        Err(regex::Error::CompiledTooBig(_)) => {
            ("the pattern is too large once compiled".to_owned(), "repeat less, or less often")
        }
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
            (format!("the pattern cannot be read: {reason}"), "look-around and back-references are not known")
        }
    };
    decoder.report(Diagnostic::error("bad-pattern", text.span, message).help(help));
    None
}

/// True if a match can be empty: such a one is at every place, or says nothing of what stands there.
fn matches_nothing(regex: &Regex) -> bool {
    regex.is_match("") || regex.find_iter("a 1\n").any(|found| found.is_empty())
}
