//! Behaviour of argument schemas, a file for each topic.

mod calls;
mod conversions;
mod corpora;
mod keywords;
mod locating;
mod oracle;
mod references;

use super::{ArgSchema, SchemaProblem, SchemaSources};
use crate::json::{Limits, parse};
use crate::value::Value;

/// The value of a JSON text.
fn value(text: &str) -> Value<'_> {
    parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// A schema that must compile.
#[track_caller]
fn schema(text: &str) -> ArgSchema {
    ArgSchema::compile(&value(text), &SchemaSources::none()).unwrap_or_else(|problems| panic!("{text}: {problems:#?}"))
}

/// The problems of a schema that must not compile.
#[track_caller]
fn refused(text: &str) -> Vec<SchemaProblem> {
    ArgSchema::compile(&value(text), &SchemaSources::none()).expect_err(text)
}

/// A schema whose only argument is `x`.
#[track_caller]
fn schema_of_x(x: &str) -> ArgSchema {
    schema(&format!(r#"{{"properties":{{"x":{x}}}}}"#))
}
