//! Durations as specs write them: `30s`, `15m`, `24h`, `7d`.

use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::time::Duration;
use crate::yaml::{Data, Node};

/// Nanoseconds of each unit, the largest first.
const UNITS: [(char, i128); 4] =
    [('d', 86_400_000_000_000), ('h', 3_600_000_000_000), ('m', 60_000_000_000), ('s', 1_000_000_000)];

/// Reads a duration above nothing.
pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Duration> {
    let Some(written) = written(node) else {
        decoder.wrong_type(node, "a duration");
        return None;
    };
    let read = parse(written);
    if read.is_none() {
        let problem = Diagnostic::error("bad-duration", node.span, format!("`{written}` is not a duration"));
        let help = "write a whole number above 0 and its unit: `30s`, `15m`, `24h`, `7d`";
        decoder.report(problem.help(help));
    }
    read
}

fn written(node: &Node) -> Option<&str> {
    match &node.data {
        Data::Text(text) => Some(text),
        Data::Number(number) => Some(number.as_str()),
        _ => None,
    }
}

/// The duration that a node is, if it is one.
pub(super) fn of(node: &Node) -> Option<Duration> {
    written(node).and_then(parse)
}

fn parse(text: &str) -> Option<Duration> {
    let (unit, nanoseconds) = *UNITS.iter().find(|(unit, _)| text.ends_with(*unit))?;
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || digits.len() > 9 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: i128 = digits.parse().ok()?;
    count.checked_mul(nanoseconds).filter(|total| *total > 0).map(Duration)
}

/// The one spelling of a duration: in the largest unit that takes a whole number of it.
pub(crate) fn spelled(duration: Duration) -> String {
    let fits = |(_, nanoseconds): &&(char, i128)| duration.0.checked_rem(*nanoseconds) == Some(0);
    let (unit, nanoseconds) = UNITS.iter().find(fits).copied().unwrap_or(('s', 1_000_000_000));
    format!("{}{unit}", duration.0.checked_div(nanoseconds).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_whole_number_and_a_unit() {
        for (text, spelling) in
            [("30s", "30s"), ("15m", "15m"), ("24h", "1d"), ("7d", "7d"), ("90m", "90m"), ("60s", "1m")]
        {
            assert_eq!(parse(text).map(spelled).as_deref(), Some(spelling), "{text}");
        }
        for text in ["", "h", "0s", "-1h", "1.5h", "24", "24 h", "1h30m", "1w", "9999999999d"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
