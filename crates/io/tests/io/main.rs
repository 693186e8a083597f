//! The ledger's files under everything that may happen to them: kills, faults, power loss, other writers, other hands.

#![expect(
    clippy::arithmetic_side_effects,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "these tests run processes, threads and files, and say what they measured"
)]

mod approving;
mod erasing;
mod faults;
mod files;
mod governed;
mod kill;
mod power;
mod resuming;
mod secrets;
mod sim;
mod speed;
mod support;
mod writers;

#[test]
fn no_test_file_is_forgotten() {
    let here = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/io")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let module = name.strip_suffix(".rs").unwrap();
        assert!(module == "main" || here.contains(&format!("\nmod {module};")), "`{name}` is not run");
    }
}
