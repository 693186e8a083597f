//! The ledger's bytes: records, their chain, and what is written where a value may not stand in the open. No I/O.
//!
//! A line is `{"body":<canonical JSON>,"hash":"<64 hex>"}` and a line feed. The hash is SHA-256 over the body's bytes
//! as they are stored; `prev` inside the body is the hash of the record before. `docs/ledger-format.md` is the whole
//! format, byte by byte.

mod chain;
pub mod mask;
mod record;
mod value;
pub mod verify;

pub use chain::Chain;
pub use record::{Durability, MAX_LINE, Record, RecordKind};
pub use value::{INLINE_BYTES, Salt, SaltSource, StoredValue, Values};

/// The version of this library, as a run's first record names it.
#[expect(clippy::disallowed_macros, reason = "fixed when the crate is built, and nothing of the machine it runs on")]
pub const CORE_VERSION: &str = env!("CARGO_PKG_VERSION");
