//! Flyball, a governor for agent loops.
pub mod diagnostic;
pub mod source;
pub mod yaml;
