//! The author's text around a place: where an unquoted text was meant to end, and the same in quotes.
//!
//! Only looks at characters; what is wrong with them is decided elsewhere.

/// The text in single quotes.
pub(super) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// How far a text is followed at most, in bytes: a file may be one line.
const MAX_MEANT: usize = 4096;

/// One past the text that the author meant to begin at `start`: to the end of the line or to a comment behind two
/// spaces; inside brackets, to the comma or bracket that ends it.
pub(super) fn meant_end(text: &str, start: usize, in_flow: bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let rest = rest.get(..rest.floor_char_boundary(MAX_MEANT)).unwrap_or_default();
    let line = rest.split(['\n', '\r']).next().unwrap_or_default();
    let line = line.split_once("  #").map_or(line, |(before, _)| before);
    let meant = if in_flow { line.get(..flow_end(line)).unwrap_or(line) } else { line };
    start.saturating_add(meant.trim_end().len())
}

fn flow_end(line: &str) -> usize {
    let mut depth = 0_u32;
    for (offset, byte) in line.bytes().enumerate() {
        match byte {
            b'[' | b'{' | b'(' => depth = depth.saturating_add(1),
            b',' | b']' | b'}' if depth == 0 => return offset,
            b']' | b'}' | b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    line.len()
}

/// Where the value begins that the reader gave up on at `fault`; `read` is the end of what it had read before.
pub(super) fn value_start(text: &str, read: usize, fault: usize) -> usize {
    let line_start = text.get(..fault).and_then(|before| before.rfind('\n')).map_or(0, |at| at.saturating_add(1));
    let from = read.max(line_start).min(fault);
    let rest = text.get(from..fault).unwrap_or_default();
    let value = rest.trim_start_matches([' ', '\t', ':', '-', ',', '[', '{']);
    fault.saturating_sub(value.len())
}

/// What to do about a quote inside a text in the same quotes, where the text does not begin with a literal of its own:
/// `"a == "x""`, or a text further on in its line.
pub(super) fn nested_quote(text: &str, start: usize, fault: usize) -> Option<&'static str> {
    let before = text.get(start..fault)?.trim_end();
    let quote = before.chars().next_back().filter(|last| matches!(last, '"' | '\''))?;
    let rest = line_from(text, fault);
    let closes_twice = match quote {
        '"' => rest.contains("\"\""),
        _ => rest.contains("''"),
    };
    (!before.starts_with(quote) || closes_twice).then_some(match quote {
        '"' => "write the inner quotes as `'`, or put the text in single quotes",
        _ => "write the inner quotes as `''`, or put the text in double quotes",
    })
}

/// True if both places lie on one line.
pub(super) fn on_one_line(text: &str, start: usize, end: usize) -> bool {
    text.get(start..end).is_some_and(|between| !between.contains(['\n', '\r']))
}

/// The rest of the line that `start` lies in.
pub(super) fn line_from(text: &str, start: usize) -> &str {
    let rest = text.get(start..).unwrap_or_default();
    rest.split(['\n', '\r']).next().unwrap_or_default()
}
