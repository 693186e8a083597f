//! Where Flyball touches the world: files in, files out.
//!
//! [`sources`] loads a spec with all it refers to. The library decides, this crate only fetches and keeps; nothing
//! here prints, and nothing here judges.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "this crate reads files so that the library need not"
)]

mod error;
pub mod sources;

pub use error::IoError;
