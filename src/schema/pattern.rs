//! `pattern`: the regular expressions of JSON Schema, run by the linear-time `regex` crate.
//!
//! JSON Schema writes ECMA-262, where `\d`, `\w` and `\b` are ASCII and `[` inside a class is a letter. Both are
//! translated, so that `^\d{6}$` never admits a look-alike digit. A pattern that needs backtracking (look-around,
//! back references) is refused when the schema is read, not when a call comes.

use regex::{Regex, RegexBuilder};

/// The compiled program of one pattern stays below this many bytes.
const SIZE_LIMIT: usize = 1 << 18;
/// The longest pattern.
const SOURCE_LIMIT: usize = 4096;

/// Compiles a pattern, or says in one line why it cannot be.
pub(super) fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.len() > SOURCE_LIMIT {
        return Err(format!("the pattern is longer than {SOURCE_LIMIT} bytes"));
    }
    let translated = translate(pattern)?;
    RegexBuilder::new(&translated).size_limit(SIZE_LIMIT).build().map_err(|error| reason(&error))
}

/// The last line of the crate's message is the reason; the lines above draw the pattern.
fn reason(error: &regex::Error) -> String {
    match error {
        regex::Error::CompiledTooBig(_) => String::from("the pattern is too large once compiled"),
        _ => {
            let text = error.to_string();
            let line = text.lines().last().unwrap_or_default();
            String::from(line.strip_prefix("error: ").unwrap_or(line))
        }
    }
}

/// ECMA-262 to the syntax of the `regex` crate.
fn translate(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut class = false;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(chars.next().ok_or("it ends with a backslash")?, class, &mut out)?,
            '[' if class => out.push_str("\\["),
            '[' => {
                class = true;
                out.push('[');
                if chars.next_if_eq(&'^').is_some() {
                    out.push('^');
                }
                if chars.peek() == Some(&']') {
                    return Err(String::from("`[]` is an empty class"));
                }
            }
            ']' if class => {
                class = false;
                out.push(']');
            }
            // Doubled, these are set operations of the other syntax.
            '&' | '~' if class => out.extend(['\\', c]),
            '-' if class && chars.peek() == Some(&'-') => {
                return Err(String::from("`--` in a class; escape the hyphens"));
            }
            '.' if !class => out.push_str(r"[^\n\r\u{2028}\u{2029}]"),
            _ => out.push(c),
        }
    }
    Ok(out)
}

/// One escape; what is not listed means the same in both syntaxes or is refused by the compiler.
fn escape(c: char, class: bool, out: &mut String) -> Result<(), &'static str> {
    const SPACE: &str = r"\t\n\x0B\x0C\r \u{A0}\u{FEFF}\u{2028}\u{2029}\p{Zs}";
    match c {
        'd' => out.push_str("[0-9]"),
        'D' => out.push_str("[^0-9]"),
        'w' => out.push_str("[0-9A-Za-z_]"),
        'W' => out.push_str("[^0-9A-Za-z_]"),
        's' => out.extend(["[", SPACE, "]"]),
        'S' => out.extend(["[^", SPACE, "]"]),
        'b' if class => out.push_str("\\x08"),
        'b' => out.push_str("(?-u:\\b)"),
        // ASCII `\B` can fall inside a character, which the engine refuses.
        'B' => return Err("`\\B` is not supported"),
        _ => out.extend(['\\', c]),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn case(pattern: &str, yes: &[&str], no: &[&str]) {
        let regex = compile(pattern).unwrap();
        for text in yes {
            assert!(regex.is_match(text), "{pattern} should match {text:?}");
        }
        for text in no {
            assert!(!regex.is_match(text), "{pattern} should not match {text:?}");
        }
    }

    #[test]
    fn a_pattern_searches_unless_anchored() {
        case("[0-9]{3}", &["123", "a1234"], &["12", ""]);
        case("^ORD-[0-9]{6}$", &["ORD-000001"], &["ORD-000001\n", "xORD-000001", "ord-000001"]);
    }

    #[test]
    fn classes_are_ascii_as_in_ecma() {
        case(r"^\d+$", &["12"], &["\u{0661}\u{0662}"]);
        case(r"^\w+$", &["a_1"], &["\u{e9}"]);
        case(r"^[\d\-]+$", &["1-2"], &["\u{0661}"]);
        case(r"^\S+$", &["ab"], &["a\u{a0}b"]);
        case(r"\bcat\b", &["a cat"], &["concat"]);
    }

    #[test]
    fn brackets_inside_a_class_are_letters() {
        case("^[[a]+$", &["[a"], &["b"]);
        case("^[&&b]+$", &["&b"], &["a"]);
    }

    #[test]
    fn a_dot_does_not_cross_a_line() {
        case("^.$", &["x", "\u{1f600}"], &["\n", "\u{2028}"]);
    }

    #[test]
    fn what_needs_backtracking_or_too_much_room_is_refused() {
        for pattern in ["(?=x)y", r"(a)\1", "[", "(", "a{1000}{1000}", "[]", "a\\", r"\B"] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
        assert_eq!(
            compile("(?=x)y").unwrap_err(),
            "look-around, including look-ahead and look-behind, is not supported"
        );
    }

    proptest! {
        #[test]
        fn compiling_never_panics(pattern in "[\\[\\]\\\\a-c^&~.*+(){}|dwsbDWSB?0-3-]{0,16}") {
            let _ = compile(&pattern);
        }
    }
}
