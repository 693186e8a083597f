//! The figures of scored traces for reading: counts with their shares, and the calls behind them.

use super::{plain, prose};
use crate::table::aligned;
use flyball::replay::score::{Named, Score};

/// The figures under each other, what was missed, and what was stopped needlessly.
pub(crate) fn figures(score: &Score) -> String {
    let (attacks, benign, writes) = (&score.attacks, &score.benign, &score.writes);
    let mut rows = Vec::new();
    if attacks.pairs > 0 {
        rows.push(whole("attacks with a harmful call", attacks.pairs));
        rows.push(part("  the first one stopped", attacks.first_stopped, attacks.pairs));
        rows.push(part("  every one stopped", attacks.all_denied, attacks.pairs));
        rows.push(part("  the user's part intact", attacks.user_part_intact, attacks.pairs));
    }
    if benign.tasks > 0 {
        rows.push(whole("benign tasks", benign.tasks));
        rows.push(part("  touched", benign.touched, benign.tasks));
        rows.push(whole("calls of benign tasks", benign.calls));
        rows.push(part("  denied", benign.denied, benign.calls));
        rows.push(part("  asked", benign.asked, benign.calls));
    }
    rows.push(whole("wrong writes", writes.wrong));
    rows.push(part("  stopped", writes.wrong_denied, writes.wrong));
    rows.push(whole("right writes", writes.right));
    rows.push(part("  stopped", writes.right_denied, writes.right));
    let mut text = aligned(&rows);
    named("missed", &score.missed, &mut text);
    named("stopped needlessly", &score.needless, &mut text);
    text
}

fn whole(name: &str, count: u64) -> [String; 3] {
    [name.to_owned(), count.to_string(), String::new()]
}

fn part(name: &str, count: u64, of: u64) -> [String; 3] {
    [name.to_owned(), count.to_string(), share(count, of)]
}

/// A share in tenths of a percent, rounded half up; nothing of nothing.
fn share(count: u64, of: u64) -> String {
    let (count, of) = (u128::from(count), u128::from(of));
    let doubled = count.saturating_mul(2000).saturating_add(of);
    let Some(tenths) = doubled.checked_div(of.saturating_mul(2)) else { return String::new() };
    let (percent, tenth) = (tenths.checked_div(10), tenths.checked_rem(10));
    format!("{}.{} %", percent.unwrap_or(0), tenth.unwrap_or(0))
}

fn named(heading: &str, calls: &[Named], text: &mut String) {
    if calls.is_empty() {
        return;
    }
    text.push_str(&format!("{heading}\n"));
    let row = |one: &Named| [format!("  {}", plain(&one.trace)), one.call.clone(), plain(&one.tool), prose(&one.why)];
    text.push_str(&aligned(&calls.iter().map(row).collect::<Vec<_>>()));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_to_tenths_of_a_percent_and_there_is_none_of_nothing() {
        let shares = [share(52, 89), share(2, 58), share(1, 1), share(0, 7), share(1, 3), share(1, 2000)];
        assert_eq!(shares, ["58.4 %", "3.4 %", "100.0 %", "0.0 %", "33.3 %", "0.1 %"]);
        assert_eq!(share(0, 0), "");
        assert_eq!(share(u64::MAX, u64::MAX), "100.0 %");
    }
}
