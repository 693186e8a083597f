//! The order of the `mod` lines in `src/lib.rs` is the order of the data: a module uses only modules above it.

#![expect(clippy::arithmetic_side_effects, reason = "places in short lists")]

use super::code::{File, Token, rust_below};
use super::{assert_found, assert_none};

/// Every use of a module that stands below the one that uses it, or nowhere.
fn violations(files: &[File]) -> Vec<String> {
    let lib = files.iter().find(|file| file.path == "src/lib.rs").unwrap();
    let order = declared(&lib.code());
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| file.path != "src/lib.rs") {
        let own = file.path.split(['/', '.']).nth(1).unwrap();
        let Some(place) = order.iter().position(|module| module == own) else {
            violations.push(format!("{}: `{own}` is no module of src/lib.rs", file.path));
            continue;
        };
        for (line, used) in used(file) {
            let place_of_used = order.iter().position(|module| *module == used);
            if place_of_used.is_none_or(|used| used > place) {
                violations.push(format!("{}:{line}: `{own}` uses `{used}`, which is not above it", file.path));
            }
        }
    }
    violations
}

/// The modules that a file declares, in order.
fn declared(code: &[Token<'_>]) -> Vec<String> {
    let windows = code.windows(3).filter(|window| window[0].text == "mod" && window[2].text == ";");
    windows.map(|window| window[1].text.to_owned()).collect()
}

/// What each path from the root begins with: `crate::NAME`, or as many `super::` as lead there.
fn used(file: &File) -> Vec<(usize, String)> {
    let depth = file.path.matches('/').count();
    let code = file.code();
    let mut used = Vec::new();
    for (at, token) in code.iter().enumerate() {
        let after = |steps: usize| code.get(at + steps).map_or("", |token| token.text);
        let follows_super = at >= 2 && code[at - 2].text == "super";
        let steps = match token.text {
            "crate" if after(1) == "::" => 2,
            "super" if !follows_super => {
                let supers = (0..).take_while(|n| after(2 * n) == "super" && after(2 * n + 1) == "::").count();
                if supers < depth {
                    continue;
                }
                2 * supers
            }
            _ => continue,
        };
        used.push((token.line, after(steps).to_owned()));
    }
    used
}

#[test]
fn a_module_uses_only_modules_above_it() {
    assert_none(&violations(&rust_below("src")));
}

#[test]
fn a_use_of_a_module_below_is_found() {
    let lib = File::new("src/lib.rs", "//! x\npub mod first;\npub mod second;\n#[cfg(test)]\nmod tests;\n");
    let good = [
        File::new(
            "src/first.rs",
            "//! [`crate::second`]\nmod part;\n#[cfg(test)]\nmod tests { use crate::second::A; }",
        ),
        File::new("src/first/part.rs", "use super::A; use crate::first::B;"),
        File::new("src/first/tests.rs", "use crate::second::A;"),
        File::new("src/second.rs", "use crate::first::A; use super::first; pub(in crate::second) fn f() {}"),
    ];
    assert_none(&violations(&[vec![lib.clone()], good.to_vec()].concat()));
    let bad = [
        File::new("src/first.rs", "\nfn f() { crate::second::g() }"),
        File::new("src/first/part.rs", "use super::super::second::A;"),
        File::new("src/first/more.rs", "use crate::{second::A};"),
        File::new("src/third.rs", ""),
    ];
    assert_found(
        &violations(&[vec![lib], bad.to_vec()].concat()),
        &[
            "src/first.rs:2: `first` uses `second`",
            "src/first/part.rs:1: `first` uses `second`",
            "src/first/more.rs:1: `first` uses `{`",
            "src/third.rs: `third` is no module",
        ],
    );
}
