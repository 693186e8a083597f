//! `unconfirmed-destruction`: a tool that by its name takes something away, and nobody is asked.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, about, arguments};

pub(super) static RULE: Rule = Rule {
    code: "F351",
    name: "unconfirmed-destruction",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a tool that writes and whose name begins or ends with a word such as `delete`, `remove`, `purge`, `erase` or `revoke`,
where nobody is asked before it runs: it is not `destructive`, no guard or budget with `action: ask` is about it, no
`confirmFirst` or `consentRequired`, and neither `approvals.require` nor `default` asks. A tool that is denied outright is
not looked at, and neither is a `remove_tag` beside an `add_tag`, which puts back what was taken.

## Why
What is gone cannot be checked afterwards. A model that mistakes one record for another is found out by the person who is
asked, and by nobody else. `destructive: true` asks the user, and lets at most one such call run in a turn.

## Example
```yaml
delete_list: {description: Delete a shopping list., effect: write}
```

## Use instead
```yaml
delete_list: {description: Delete a shopping list., effect: write, destructive: true}
```
",
    check: Check::Spec(check),
};

/// Words that take something away, as the first or the last word of a name.
const WORDS: [&str; 9] = ["delete", "remove", "purge", "destroy", "erase", "wipe", "revoke", "terminate", "drop"];

/// First words behind which such a word says what is not done, or is undone.
const LIFTING: [&str; 11] =
    ["restore", "undo", "cancel", "stop", "abort", "revert", "preview", "plan", "reject", "disable", "prevent"];

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for tool in linted.spec.tools.iter().filter(|tool| arguments::writes(tool)) {
        let name = tool.name.value.text();
        if !takes_away(name)
            || has_opposite(linted, name)
            || about::is_asked_about(linted, tool)
            || about::barred(linted, tool).is_some()
        {
            continue;
        }
        let problem =
            RULE.at(tool.name.span, format!("`{name}` takes something away, and nobody is asked before it runs"));
        found.push(problem.help("write `destructive: true`, or a guard with `action: ask`"));
    }
}

/// True for a name that begins or ends with such a word.
fn takes_away(name: &str) -> bool {
    let words = words(name.rsplit('/').next().unwrap_or(name));
    let is_one = |word: &String| WORDS.contains(&word.as_str());
    match words.as_slice() {
        // To drop off is to bring, and a drop at the end is a thing.
        [first, second, ..] if first == "drop" => !matches!(second.as_str(), "off" | "in" | "by"),
        [first, .., last] => is_one(first) || is_one(last) && last != "drop" && !LIFTING.contains(&first.as_str()),
        [only] => is_one(only),
        [] => false,
    }
}

/// True if another tool puts back what this one removes: `add_tag` for `remove_tag`.
fn has_opposite(linted: &Linted<'_>, name: &str) -> bool {
    let opposite = |word: String| if word == "remove" { "add".to_owned() } else { word };
    let removing = words(name);
    let adding: Vec<String> = removing.iter().cloned().map(opposite).collect();
    let mut names = linted.spec.tools.iter().map(|tool| &tool.name.value).filter(|name| name.is_exact());
    adding != removing && names.any(|name| words(name.text()) == adding)
}

/// The words of a name in small letters: of `deleteOrder`, `delete-order` and `delete_order` the same two.
fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (was_small && letter.is_uppercase()) {
            words.push(std::mem::take(&mut word));
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase() || letter.is_numeric();
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::takes_away;

    #[test]
    fn a_name_takes_away_by_its_first_or_its_last_word() {
        let cases = [
            ("delete_file", true),
            ("deleteFile", true),
            ("crm/lead-remove", true),
            ("bulkDelete", true),
            ("purge", true),
            ("*/delete_*", true),
            ("drop_table", true),
            ("drop_off_parcel", false),
            ("schedule_drop", false),
            ("undelete_file", false),
            ("undo_delete", false),
            ("restore_delete", false),
            ("list_deleted", false),
            ("get_removed_items", false),
            ("wiper_blades", false),
        ];
        for (name, wanted) in cases {
            assert_eq!(takes_away(name), wanted, "{name}");
        }
    }
}
