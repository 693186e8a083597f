//! The laws and shapes of the source itself, each held by a check over text and proven by a planted violation.
//!
//! Every check is a function from files, or from what cargo says, to the violations it found: on the repository it
//! finds none, on a planted fault it finds that one. Nothing here runs a decision, but for the firewall's marker.

mod code;
mod dependencies;
mod firewall;
mod intent;
mod modules;
mod names;
mod purity;
mod sizes;
mod words;

/// Fails with every violation on a line of its own.
fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}

/// Fails unless each planted fault, in order, is found as the violation that begins with its text.
fn assert_found(violations: &[String], beginnings: &[&str]) {
    let as_wanted = violations.iter().zip(beginnings).all(|(found, wanted)| found.starts_with(wanted));
    assert!(violations.len() == beginnings.len() && as_wanted, "found {violations:#?}, wanted {beginnings:#?}");
}
