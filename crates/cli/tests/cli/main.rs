//! The binary from outside: what it prints, and how it ends. What it decides is tested in the library.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic, and this one runs a program on files"
)]

mod approvals;
mod check;
mod diff;
mod docs;
mod erase;
mod examples;
mod guards;
mod help;
mod init;
mod ledger;
mod lint;
mod lint_config;
mod lint_fix;
mod lint_formats;
mod lsp;
mod packs;
mod recipes;
mod render;
mod replay;
mod resolve;
mod rules;
mod schema;
mod score;
mod serve;
mod support;
mod unanswerable;
mod verify;
mod why;
mod wire;

#[test]
fn no_test_file_is_forgotten() {
    let here = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        // The parts of a module are its own.
        let Some(module) = name.strip_suffix(".rs") else { continue };
        assert!(module == "main" || here.contains(&format!("\nmod {module};")), "`{name}` is not run");
    }
}
