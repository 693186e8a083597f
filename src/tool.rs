//! Tool names, effects, and the globs that select tools (FORMAT 3): one small language, anchored, case-sensitive.
//!
//! `*` matches any run of characters but never crosses a `/`, so a pattern for one server cannot reach another.
//! `*` alone means every tool. Nothing here knows which tools a spec declares.

use std::borrow::Cow;
use std::fmt;

/// What a tool does to the world outside the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes the host's own data.
    Write,
    /// Leaves the system: money, messages, other people's data.
    External,
}

impl Effect {
    /// The word of the format for each effect.
    pub const WORDS: &'static [(&'static str, Effect)] =
        &[("read", Effect::Read), ("write", Effect::Write), ("external", Effect::External)];

    /// `read`, `write` or `external`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::External => "external",
        }
    }
}

/// The one spelling of a tool's name: `name`, or `server/name`. `mcp__server__name` is read as the latter.
///
/// ```
/// use flyball::tool::canonical_name;
///
/// assert_eq!(canonical_name("mcp__crm__get_lead"), "crm/get_lead");
/// assert_eq!(canonical_name("mcp__crm"), "mcp__crm");
/// ```
#[must_use]
pub fn canonical_name(name: &str) -> Cow<'_, str> {
    match name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, tool)) if !server.is_empty() && !tool.is_empty() => Cow::Owned(format!("{server}/{tool}")),
        _ => Cow::Borrowed(name),
    }
}

/// True if the `mcp__` spelling of a name could be cut in two places.
#[must_use]
pub fn is_ambiguous_mcp_name(name: &str) -> bool {
    name.strip_prefix("mcp__").is_some_and(|rest| rest.matches("__").count() > 1)
}

/// A glob over tool names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    text: Box<str>,
    every: bool,
    exact: bool,
}

impl Pattern {
    /// A pattern of a selector, where `*` alone means every tool.
    #[must_use]
    pub fn selector(text: &str) -> Pattern {
        Pattern { every: text == "*", ..Pattern::key(text) }
    }

    /// A key of `tools`, where `*` alone means the host's own tools and `*/*` those of its servers.
    #[must_use]
    pub fn key(text: &str) -> Pattern {
        let text = canonical_name(text).into_owned();
        Pattern { exact: !text.contains('*'), text: text.into(), every: false }
    }

    /// The pattern in its one spelling.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if it names one tool.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// How many characters it fixes: of two that match, the one with more of them wins.
    #[must_use]
    pub fn literal_characters(&self) -> usize {
        self.text.chars().filter(|character| *character != '*').count()
    }

    /// True if the canonical name is one of those meant.
    ///
    /// ```
    /// use flyball::tool::Pattern;
    ///
    /// let crm = Pattern::selector("mcp__crm__*");
    /// assert!(crm.matches("crm/get_lead"));
    /// assert!(!crm.matches("crm-eu/get_lead"));
    /// assert!(Pattern::selector("*").matches("crm/get_lead"));
    /// assert!(!Pattern::key("*").matches("crm/get_lead"));
    /// ```
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.every || if self.exact { &*self.text == name } else { glob(self.text.as_bytes(), name.as_bytes()) }
    }

    /// True if some name is matched by both.
    #[must_use]
    pub fn overlaps(&self, other: &Pattern) -> bool {
        self.every || other.every || both(self.text.as_bytes(), other.text.as_bytes())
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Greedy matching with one point to come back to: a later `*` makes the earlier one's choice irrelevant within
/// the same `/` segment, and `/` itself pins the segments, so this is linear in practice and never exponential.
fn glob(pattern: &[u8], name: &[u8]) -> bool {
    let (mut pattern_rest, mut name_rest) = (pattern, name);
    let mut star: Option<(&[u8], &[u8])> = None;
    loop {
        match (pattern_rest.split_first(), name_rest.split_first()) {
            (Some((b'*', after)), _) => {
                star = Some((after, name_rest));
                pattern_rest = after;
            }
            (Some((wanted, after)), Some((found, left))) if wanted == found => {
                (pattern_rest, name_rest) = (after, left);
            }
            (None, None) => return true,
            _ => match star {
                Some((after, from)) => match from.split_first() {
                    Some((byte, left)) if *byte != b'/' => {
                        star = Some((after, left));
                        (pattern_rest, name_rest) = (after, left);
                    }
                    _ => return false,
                },
                None => return false,
            },
        }
    }
}

/// Whether two globs share a name: every pair of positions is visited once.
fn both(left: &[u8], right: &[u8]) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    let mut open = vec![(left, right)];
    while let Some((left, right)) = open.pop() {
        if !seen.insert((left.len(), right.len())) {
            continue;
        }
        match (left.split_first(), right.split_first()) {
            (None, None) => return true,
            (Some((b'*', after)), other) => {
                open.push((after, right));
                if let Some((byte, rest)) = other
                    && *byte != b'/'
                {
                    open.push((left, rest));
                }
            }
            (other, Some((b'*', after))) => {
                open.push((left, after));
                if let Some((byte, rest)) = other
                    && *byte != b'/'
                {
                    open.push((rest, right));
                }
            }
            (Some((one, left)), Some((two, right))) if one == two => open.push((left, right)),
            _ => {}
        }
    }
    false
}

/// Who a rule is about: the three selectors of FORMAT 3, all of which must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector {
    /// Any of these; empty: every tool.
    pub tools: Vec<Pattern>,
    /// None of these.
    pub except: Vec<Pattern>,
    /// Any of these effects; empty: every effect.
    pub effects: Vec<Effect>,
}

impl Selector {
    /// Selects the tools a pattern names.
    #[must_use]
    pub fn of(tools: Vec<Pattern>) -> Selector {
        Selector { tools, ..Selector::default() }
    }

    /// True if a tool of this canonical name and effect is meant.
    #[must_use]
    pub fn matches(&self, name: &str, effect: Effect) -> bool {
        (self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.matches(name)))
            && !self.except.iter().any(|pattern| pattern.matches(name))
            && (self.effects.is_empty() || self.effects.contains(&effect))
    }

    /// True if some tool of a family of names may be meant; [`Selector::matches`] then decides by name.
    #[must_use]
    pub fn may_match(&self, family: &Pattern, effect: Effect) -> bool {
        (self.tools.is_empty() || self.tools.iter().any(|pattern| pattern.overlaps(family)))
            && !self.except.iter().any(|pattern| pattern.every || pattern == family)
            && (self.effects.is_empty() || self.effects.contains(&effect))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stays_within_its_server_and_is_anchored_at_both_ends() {
        let cases = [
            ("get_*", "get_order", true),
            ("get_*", "forget_order", false),
            ("get_*", "get_", true),
            ("*_order", "get_order", true),
            ("*_order", "get_order_now", false),
            ("crm/*", "crm/get", true),
            ("crm/*", "crm/a/b", false),
            ("*/delete_*", "crm-eu/delete_lead", true),
            ("*/delete_*", "delete_lead", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("Get", "get", false),
            ("get-*", "get_x", false),
        ];
        for (pattern, name, wanted) in cases {
            assert_eq!(Pattern::selector(pattern).matches(name), wanted, "{pattern} on {name}");
        }
    }

    #[test]
    fn two_globs_overlap_exactly_when_a_name_fits_both() {
        let cases = [
            ("crm/*", "*/get_*", true),
            ("crm/*", "get_*", false),
            ("a*", "*b", true),
            ("a*c", "ab*", true),
            ("ax*", "ab*", false),
            ("*", "crm/x", true),
        ];
        for (left, right, wanted) in cases {
            assert_eq!(Pattern::selector(left).overlaps(&Pattern::key(right)), wanted, "{left} with {right}");
        }
        assert!(!Pattern::key("*").overlaps(&Pattern::key("*/*")));
    }

    #[test]
    fn a_hostile_glob_ends_quickly() {
        let pattern = Pattern::selector(&format!("{}c", "a*".repeat(200)));
        assert!(!pattern.matches(&format!("{}b", "a".repeat(5000))));
    }
}
