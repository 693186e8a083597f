//! Keywords outside the closed set: checked by the `jsonschema` crate, in addition to the compiled tree.
//!
//! The only file that names the crate. Patterns run in linear time, formats are asserted, nothing is fetched. Numbers are
//! compared as 64-bit floats here, which is why this is an addition and never a replacement.

#[cfg(feature = "full-json-schema")]
pub(super) use with::{Checker, compile};
#[cfg(all(test, feature = "full-json-schema"))]
pub(super) use with::{oracle, oracle_format};
#[cfg(not(feature = "full-json-schema"))]
pub(super) use without::{Checker, compile};

#[cfg(feature = "full-json-schema")]
mod with {
    use std::borrow::Cow;
    use std::collections::BTreeSet;
    use std::str::FromStr;

    use jsonschema::{Draft, PatternOptions, ValidationOptions, Validator};

    use crate::schema::keywords::{self, Shape};
    use crate::schema::problem::{MOST, escaped};
    use crate::schema::{ArgProblem, SchemaProblem};
    use crate::value::{Object, Value};

    /// A schema as the crate compiled it.
    #[derive(Clone, Debug)]
    pub(in crate::schema) struct Checker(Validator);

    /// Patterns stay below this many bytes once compiled.
    const PATTERN_SIZE: usize = 1 << 18;

    fn options() -> ValidationOptions<'static> {
        jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE))
            .should_validate_formats(true)
            .offline()
    }

    /// Compiles a schema without references.
    pub(in crate::schema) fn compile(
        tree: &Value<'static>,
        _: &BTreeSet<String>,
    ) -> Result<Checker, Vec<SchemaProblem>> {
        let schema = to_json(&sealed(tree, true));
        options().build(&schema).map(Checker).map_err(|error| {
            let path = error.instance_path().to_string();
            let path = path.split('/').skip(1).map(|part| part.replace("~1", "/").replace("~0", "~")).collect();
            vec![SchemaProblem { path, message: escaped(&error.to_string()), help: None }]
        })
    }

    impl Checker {
        /// True if the arguments satisfy the schema.
        pub(in crate::schema) fn fits(&self, args: &Value<'_>) -> bool {
            self.0.is_valid(&to_json(args))
        }

        /// Every problem the crate finds.
        pub(in crate::schema) fn explain(&self, args: &Value<'_>) -> Vec<ArgProblem> {
            let args = to_json(args);
            let problem = |error: jsonschema::ValidationError<'_>| {
                let path = dotted(&error.instance_path().to_string());
                let place = if path.is_empty() { String::new() } else { format!("`{}`: ", escaped(&path)) };
                ArgProblem { path, code: "schema", message: format!("{place}{}", escaped(&error.to_string())) }
            };
            self.0.iter_errors(&args).take(MOST).map(problem).collect()
        }
    }

    /// What the crate says about values of a schema, as it stands: the other opinion in the property test.
    #[cfg(test)]
    pub(in crate::schema) fn oracle(schema: &Value<'static>) -> impl Fn(&Value<'_>) -> bool + use<> {
        let validator = options().build(&to_json(schema)).unwrap();
        move |args| validator.is_valid(&to_json(args))
    }

    /// What the crate says about texts of a format.
    #[cfg(test)]
    pub(in crate::schema) fn oracle_format(name: &str) -> impl Fn(&str) -> bool + use<> {
        let validator = options().build(&serde_json::json!({ "format": name })).unwrap();
        move |text| validator.is_valid(&serde_json::Value::from(text))
    }

    /// `/a/0/b` as `a[0].b`.
    fn dotted(pointer: &str) -> String {
        let mut out = String::new();
        for part in pointer.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            match part.parse::<usize>() {
                Ok(at) => out.push_str(&format!("[{at}]")),
                Err(_) if out.is_empty() => out.push_str(&part),
                Err(_) => out.extend([".", &part]),
            }
        }
        out
    }

    /// The schema with its objects closed as the format says. `fresh` is false for schemas that speak of the same value
    /// as the one around them: there the outermost closes for all.
    fn sealed(schema: &Value<'static>, fresh: bool) -> Value<'static> {
        let Value::Object(object) = schema else { return schema.clone() };
        let mut out = Object::with_capacity(object.len());
        for (key, value) in object.iter().filter(|(key, _)| !matches!(*key, "$schema" | "$id" | "default")) {
            let inner = matches!(
                key,
                "properties" | "items" | "additionalProperties" | "patternProperties" | "prefixItems" | "contains"
            );
            let value = match (keywords::shape(key), value) {
                (Shape::Schema, value) => sealed(value, inner),
                (Shape::Map, Value::Object(map)) => {
                    let mut sealed_map = Object::with_capacity(map.len());
                    for (name, schema) in map.iter() {
                        sealed_map.insert(Cow::Owned(name.into()), sealed(schema, inner));
                    }
                    Value::Object(sealed_map)
                }
                (Shape::List, Value::Array(items)) => {
                    Value::Array(items.iter().map(|item| sealed(item, inner)).collect())
                }
                (_, other) => other.clone(),
            };
            out.insert(Cow::Owned(key.into()), value);
        }
        let stated = ["additionalProperties", "unevaluatedProperties"].iter().any(|key| object.contains_key(key));
        if fresh && object.contains_key("properties") && !stated {
            out.insert(Cow::Borrowed("unevaluatedProperties"), Value::Bool(false));
        }
        Value::Object(out)
    }

    /// The same value for `serde_json`.
    pub(in crate::schema) fn to_json(value: &Value<'_>) -> serde_json::Value {
        use serde_json::Value as Json;
        match value {
            Value::Null => Json::Null,
            Value::Bool(truth) => Json::Bool(*truth),
            Value::Number(number) => serde_json::Number::from_str(&number.to_string()).map_or(Json::Null, Json::Number),
            Value::String(text) => Json::String(text.to_string()),
            Value::Array(items) => Json::Array(items.iter().map(to_json).collect()),
            Value::Object(object) => {
                Json::Object(object.iter().map(|(key, value)| (String::from(key), to_json(value))).collect())
            }
        }
    }
}

#[cfg(not(feature = "full-json-schema"))]
mod without {
    use std::collections::BTreeSet;

    use crate::schema::{ArgProblem, SchemaProblem};
    use crate::value::Value;

    /// Without the feature there is none.
    #[derive(Clone, Debug)]
    pub(in crate::schema) enum Checker {}

    /// Refuses every keyword outside the closed set.
    pub(in crate::schema) fn compile(
        _: &Value<'static>,
        beyond: &BTreeSet<String>,
    ) -> Result<Checker, Vec<SchemaProblem>> {
        let problem = |keyword: &String| SchemaProblem {
            path: Vec::new(),
            message: format!("`{keyword}` is outside the keywords that this build checks"),
            help: Some(String::from("build with the feature `full-json-schema`, or say it as a guard")),
        };
        Err(beyond.iter().map(problem).collect())
    }

    impl Checker {
        pub(in crate::schema) fn fits(&self, _: &Value<'_>) -> bool {
            match *self {}
        }

        pub(in crate::schema) fn explain(&self, _: &Value<'_>) -> Vec<ArgProblem> {
            match *self {}
        }
    }
}
