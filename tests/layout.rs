//! What holds of the test files themselves.

use crate::disk::{files_below, stem, text_of};

#[test]
fn no_file_of_tests_is_forgotten() {
    for path in files_below("tests", ".rs") {
        if path == "tests/main.rs" {
            continue;
        }
        let folder = path.rsplit_once('/').unwrap().0;
        let parent = if folder == "tests" { "tests/main.rs".to_owned() } else { format!("{folder}.rs") };
        let declared = format!("mod {};", stem(&path));
        assert!(text_of(&parent).lines().any(|line| line.trim() == declared), "`{parent}` has no `{declared}`");
    }
}
