//! Flyball, a governor for agent loops.
pub mod source;

pub mod diagnostic;

pub mod decimal;

pub mod value;

pub mod canon;

pub mod hash;

pub mod json;

pub mod path;

pub mod schema;
