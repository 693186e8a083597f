//! Names that only one file may say, and names that the library never says (law 1). The lints of `clippy.toml` see
//! single functions; this sees whole modules of the standard library.

use super::code::{File, Token, lines_of, rust_below};
use super::{assert_found, assert_none};

/// A path as tokens, and the one file that may name it.
const ONE_FILE: &[(&[&str], &str)] = &[
    (&["granit_parser"], "src/yaml.rs"),
    (&["jsonschema"], "src/schema/full.rs"),
    (&["HashMap"], "src/hash.rs"),
    (&["HashSet"], "src/hash.rs"),
];

/// What no file of the library names: the outside, shared mutable state, printing. `std::{` hides from this list.
const NEVER: &[&[&str]] = &[
    &["std", "::", "env"],
    &["std", "::", "fs"],
    &["std", "::", "io"],
    &["std", "::", "os"],
    &["std", "::", "process"],
    &["std", "::", "thread"],
    &["std", "::", "time"],
    &["std", "::", "cell"],
    &["std", "::", "sync", "::", "atomic"],
    &["std", "::", "sync", "::", "{"],
    &["std", "::", "{"],
    &["extern"],
    &["static", "mut"],
    &["TcpListener"],
    &["TcpStream"],
    &["ToSocketAddrs"],
    &["UdpSocket"],
    &["Mutex"],
    &["RwLock"],
    &["OnceLock"],
    &["LazyLock"],
    &["thread_local"],
    &["DefaultHasher"],
    &["RandomState"],
    &["print"],
    &["println"],
    &["eprint"],
    &["eprintln"],
    &["dbg"],
];

fn violations(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files {
        let code: Vec<Token<'_>> = file.code();
        let elsewhere = ONE_FILE.iter().filter(|(_, home)| *home != file.path).map(|(name, _)| *name);
        for name in elsewhere.chain(NEVER.iter().copied()) {
            let lines = lines_of(&code, name).into_iter();
            violations.extend(lines.map(|line| format!("{}:{line}: names `{}`", file.path, name.concat())));
        }
    }
    violations
}

#[test]
fn each_name_stays_in_its_file() {
    let files = rust_below("src");
    assert_none(&violations(&files));
    for (name, home) in ONE_FILE {
        let file = files.iter().find(|file| file.path == *home).unwrap();
        assert!(!lines_of(&file.code(), name).is_empty(), "`{home}` does not name `{}`: the rule is stale", name[0]);
    }
}

#[test]
fn a_name_outside_its_file_is_found() {
    let good = "//! std::fs, granit_parser\nfn f() { \"println!\"; std::mem::take(x); prints(y) }\n\
                #[cfg(test)]\nmod tests { fn t() { println!() } }";
    assert_none(&violations(&[File::new("src/a.rs", good), File::new("src/yaml.rs", "use granit_parser::Parser;")]));
    for (name, _) in ONE_FILE {
        let planted = File::new("src/a.rs", &format!("\nfn f() {{ {} }}", name.join(" ")));
        assert_found(&violations(&[planted]), &["src/a.rs:2: names"]);
    }
    for name in NEVER {
        let planted = File::new("src/a.rs", &format!("\nfn f() {{ {} }}", name.join(" ")));
        assert_found(&violations(&[planted]), &["src/a.rs:2: names"]);
    }
}
