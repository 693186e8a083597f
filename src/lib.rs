//! Flyball, a governor for agent loops.

pub mod source;

pub mod diagnostic;

pub mod decimal;

pub mod value;

pub mod canon;

pub mod hash;

pub mod json;

pub mod tool;

pub mod yaml;

pub mod decode;

pub mod text;

pub mod ledger;

pub mod path;

pub mod schema;

pub mod observed;

pub mod context;

pub mod guards;

pub mod spec;

pub mod policy;

pub mod event;

pub mod decision;

pub mod session;

pub mod replay;
