//! Flyball, a governor for agent loops.
pub mod source;
pub mod diagnostic;
