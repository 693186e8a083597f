//! Where Flyball touches the world: files in, files out.
//!
//! [`load_policy`] is the short way from a path to a policy, [`sources`] loads a spec with all it refers to, [`lines`] reads streams, [`world`] reads a host's state, and
//! [`Governor`] is the one way from an event to an answer. The library decides, this crate only fetches, locks and
//! keeps; nothing here prints, and nothing here judges.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate reads files and takes locks so that the library need not"
)]

pub mod approvals;
pub mod entropy;
mod error;
pub mod governor;
pub mod ledger;
mod load;
pub mod lines;
pub mod restore;
pub mod run;
pub mod sources;
pub mod verify;
pub mod world;

pub use error::IoError;
pub use governor::Governor;
pub use load::{LoadError, load_policy};
