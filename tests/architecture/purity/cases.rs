//! The plants: one for every ban of `clippy.toml` and every lint of `Cargo.toml`. `f` is documented when it is written out.

/// A ban (a path of `clippy.toml`) or a lint (of `Cargo.toml`), code that breaks it, code that does not.
pub(super) struct Case {
    pub(super) ban: &'static str,
    pub(super) bad: &'static str,
    pub(super) good: &'static str,
}

pub(super) const fn case(ban: &'static str, bad: &'static str, good: &'static str) -> Case {
    Case { ban, bad, good }
}

pub(super) const CASES: &[Case] = &[
    // Types.
    case(
        "std::collections::HashMap",
        "pub fn f(_: std::collections::HashMap<u8, u8>) {}",
        "pub fn f(_: std::collections::BTreeMap<u8, u8>) {}",
    ),
    case(
        "std::collections::HashSet",
        "pub fn f(_: std::collections::HashSet<u8>) {}",
        "pub fn f(_: std::collections::BTreeSet<u8>) {}",
    ),
    case(
        "std::hash::RandomState",
        "pub fn f(_: std::hash::RandomState) {}",
        "pub fn f(_: std::hash::DefaultHasher) {}",
    ),
    case("std::time::Instant", "pub fn f(_: std::time::Instant) {}", "pub fn f(_: std::time::Duration) {}"),
    case("std::time::SystemTime", "pub fn f(_: std::time::SystemTime) {}", "pub fn f(_: u64) {}"),
    case("std::fs::File", "pub fn f(_: std::fs::File) {}", "pub fn f(_: &[u8]) {}"),
    case("std::net::TcpStream", "pub fn f(_: std::net::TcpStream) {}", "pub fn f(_: std::net::IpAddr) {}"),
    case("std::net::UdpSocket", "pub fn f(_: std::net::UdpSocket) {}", "pub fn f(_: std::net::IpAddr) {}"),
    case("std::cell::Cell", "pub fn f(_: std::cell::Cell<u8>) {}", "pub fn f(_: &mut u8) {}"),
    case("std::cell::RefCell", "pub fn f(_: std::cell::RefCell<u8>) {}", "pub fn f(_: &mut u8) {}"),
    case("std::sync::Mutex", "pub fn f(_: std::sync::Mutex<u8>) {}", "pub fn f(_: std::sync::Arc<u8>) {}"),
    case("std::sync::RwLock", "pub fn f(_: std::sync::RwLock<u8>) {}", "pub fn f(_: std::sync::Arc<u8>) {}"),
    // Functions.
    case(
        "std::time::Instant::now",
        "pub fn f() { _ = std::time::Instant::now(); }",
        "pub fn f() { _ = std::time::Duration::ZERO; }",
    ),
    case(
        "std::time::SystemTime::now",
        "pub fn f() { _ = std::time::SystemTime::now(); }",
        "pub fn f() { _ = std::time::Duration::ZERO; }",
    ),
    case("std::env::var", "pub fn f() { _ = std::env::var(\"A\"); }", "pub fn f(var: &str) { _ = var; }"),
    case("std::env::var_os", "pub fn f() { _ = std::env::var_os(\"A\"); }", "pub fn f(var: &str) { _ = var; }"),
    case("std::env::vars", "pub fn f() { _ = std::env::vars(); }", "pub fn f(vars: &[&str]) { _ = vars; }"),
    case("std::env::args", "pub fn f() { _ = std::env::args(); }", "pub fn f(args: &[&str]) { _ = args; }"),
    case("std::env::current_dir", "pub fn f() { _ = std::env::current_dir(); }", "pub fn f(dir: &str) { _ = dir; }"),
    case("std::fs::read", "pub fn f() { _ = std::fs::read(\"a\"); }", "pub fn f(bytes: &[u8]) { _ = bytes.first(); }"),
    case(
        "std::fs::read_to_string",
        "pub fn f() { _ = std::fs::read_to_string(\"a\"); }",
        "pub fn f(bytes: &[u8]) { _ = std::str::from_utf8(bytes); }",
    ),
    case(
        "std::fs::write",
        "pub fn f() { _ = std::fs::write(\"a\", \"b\"); }",
        "pub fn f() -> String { String::from(\"b\") }",
    ),
    case(
        "std::fs::read_dir",
        "pub fn f() { _ = std::fs::read_dir(\"a\"); }",
        "pub fn f(paths: &[&str]) { _ = paths.iter(); }",
    ),
    case(
        "std::fs::metadata",
        "pub fn f() { _ = std::fs::metadata(\"a\"); }",
        "pub fn f(bytes: &[u8]) { _ = bytes.len(); }",
    ),
    case(
        "std::path::Path::exists",
        "pub fn f() { _ = std::path::Path::new(\"a\").exists(); }",
        "pub fn f() { _ = std::path::Path::new(\"a\").file_name(); }",
    ),
    case(
        "std::thread::spawn",
        "pub fn f() { _ = std::thread::spawn(|| 1); }",
        "pub fn f() -> impl Fn() -> u8 { || 1 }",
    ),
    case(
        "std::thread::sleep",
        "pub fn f() { std::thread::sleep(std::time::Duration::ZERO); }",
        "pub fn f() { _ = std::time::Duration::ZERO; }",
    ),
    case("std::process::exit", "pub fn f() { std::process::exit(1); }", "pub fn f() -> u8 { 1 }"),
    case(
        "std::process::Command::new",
        "pub fn f() { _ = std::process::Command::new(\"a\"); }",
        "pub fn f() -> Vec<String> { vec![\"a\".to_owned()] }",
    ),
    case(
        "std::io::stdin",
        "pub fn f() { _ = std::io::stdin(); }",
        "pub fn f(input: impl std::io::Read) { _ = input.take(1); }",
    ),
    case(
        "std::io::stdout",
        "pub fn f() { _ = std::io::stdout(); }",
        "pub fn f(output: &mut impl std::io::Write) { _ = output.flush(); }",
    ),
    case(
        "std::io::stderr",
        "pub fn f() { _ = std::io::stderr(); }",
        "pub fn f(output: &mut impl std::io::Write) { _ = output.flush(); }",
    ),
    // Macros.
    case("std::println", "pub fn f() { println!(\"a\"); }", "pub fn f(x: u8) -> String { format!(\"{x}\") }"),
    case("std::eprintln", "pub fn f() { eprintln!(\"a\"); }", "pub fn f(x: u8) -> String { format!(\"{x}\") }"),
    case("std::print", "pub fn f() { print!(\"a\"); }", "pub fn f(x: u8) -> String { format!(\"{x}\") }"),
    case("std::eprint", "pub fn f() { eprint!(\"a\"); }", "pub fn f(x: u8) -> String { format!(\"{x}\") }"),
    case("std::env", "pub fn f() { _ = env!(\"CARGO_PKG_NAME\"); }", "pub fn f() { _ = stringify!(A); }"),
    case("std::option_env", "pub fn f() { _ = option_env!(\"A\"); }", "pub fn f() { _ = stringify!(A); }"),
    // Lints of the compiler.
    case(
        "unsafe_code",
        "pub fn f(x: &[u8]) -> u8 { unsafe { *x.as_ptr() } }",
        "pub fn f(x: &[u8]) -> Option<u8> { x.first().copied() }",
    ),
    case("missing_docs", "pub mod undocumented {}", "/// Said.\npub mod documented {}"),
    case("missing_debug_implementations", "/// A.\npub struct A(u8);", "/// A.\n#[derive(Debug)]\npub struct A;"),
    case(
        "unreachable_pub",
        "mod inner { pub fn g() {} } pub fn f() { inner::g() }",
        "mod inner { pub(super) fn g() {} } pub fn f() { inner::g() }",
    ),
    // Lints of clippy.
    case(
        "unwrap_used",
        "pub fn f(x: Option<u8>) -> u8 { x.unwrap() }",
        "pub fn f(x: Option<u8>) -> u8 { x.unwrap_or(1) }",
    ),
    case(
        "expect_used",
        "pub fn f(x: Option<u8>) -> u8 { x.expect(\"a\") }",
        "pub fn f(x: Option<u8>) -> u8 { x.unwrap_or(1) }",
    ),
    case("panic", "pub fn f() { panic!(\"a\") }", "pub fn f() -> Result<(), u8> { Err(1) }"),
    case("unreachable", "pub fn f() { unreachable!() }", "pub fn f() -> Result<(), u8> { Err(1) }"),
    case("todo", "pub fn f() { todo!() }", "pub fn f() -> Result<(), u8> { Err(1) }"),
    case("unimplemented", "pub fn f() { unimplemented!() }", "pub fn f() -> Result<(), u8> { Err(1) }"),
    case("indexing_slicing", "pub fn f(x: &[u8]) -> u8 { x[0] }", "pub fn f(x: &[u8]) -> Option<&u8> { x.get(1) }"),
    case("string_slice", "pub fn f(x: &str) -> &str { &x[..1] }", "pub fn f(x: &str) -> Option<&str> { x.get(..1) }"),
    case("arithmetic_side_effects", "pub fn f(x: u8) -> u8 { x + 1 }", "pub fn f(x: u8) -> u8 { x.saturating_add(1) }"),
    case(
        "allow_attributes",
        "#[allow(clippy::unwrap_used, reason = \"a\")]\npub fn f(x: Option<u8>) -> u8 { x.unwrap() }",
        "#[expect(clippy::unwrap_used, reason = \"a\")]\npub fn f(x: Option<u8>) -> u8 { x.unwrap() }",
    ),
    case(
        "allow_attributes_without_reason",
        "#[expect(clippy::unwrap_used)]\npub fn f(x: Option<u8>) -> u8 { x.unwrap() }",
        "#[expect(clippy::unwrap_used, reason = \"a\")]\npub fn f(x: Option<u8>) -> u8 { x.unwrap() }",
    ),
    case(
        "iter_over_hash_type",
        "#[expect(clippy::disallowed_types, reason = \"a\")]\npub fn f(x: &std::collections::HashSet<u8>) { for y in x { _ = y; } }",
        "pub fn f(x: &std::collections::BTreeSet<u8>) { for y in x { _ = y; } }",
    ),
    case("dbg_macro", "pub fn f() { dbg!(1); }", "pub fn f() -> String { format!(\"{}\", 1) }"),
];
