//! The compiled tree against the `jsonschema` crate, on the closed set; and no input panics.

use proptest::prelude::*;

use super::value;
use crate::schema::{ArgSchema, SchemaSources};

/// JSON texts that both sides read alike: numbers are exact as 64-bit floats.
fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::from("null")),
        any::<bool>().prop_map(|truth| truth.to_string()),
        (-8_i32..8).prop_map(|n| n.to_string()),
        (-16_i32..16).prop_map(|n| format!("{}", f64::from(n) / 4.0)),
        prop::sample::select(vec!["", "a", "ab", "abc", "é", "😀b", "2031-03-04", "a@b.example", "1", "::1"])
            .prop_map(|text| format!("{text:?}")),
    ]
}

fn instance() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(members),
        ]
    })
}

fn members(map: std::collections::BTreeMap<String, String>) -> String {
    let members: Vec<String> = map.into_iter().map(|(key, value)| format!("{key:?}:{value}")).collect();
    format!("{{{}}}", members.join(","))
}

/// One keyword with its value; objects are closed explicitly, as the format does implicitly.
fn scalar_keyword() -> impl Strategy<Value = (String, String)> {
    let name = |name: &'static str| move |value: String| (String::from(name), value);
    let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let one_type = prop::sample::select(types.to_vec()).prop_map(|name| format!("{name:?}"));
    let small = (0_u32..4).prop_map(|n| n.to_string());
    let quarter = (-8_i32..8).prop_map(|n| format!("{}", f64::from(n) / 4.0));
    prop_oneof![
        4 => one_type.prop_map(name("type")),
        1 => prop::sample::subsequence(types.to_vec(), 1..4).prop_map(|names| (String::from("type"), format!("{names:?}"))),
        1 => prop::collection::vec(scalar(), 1..4).prop_map(|values| (String::from("enum"), format!("[{}]", values.join(",")))),
        1 => scalar().prop_map(name("const")),
        1 => small.clone().prop_map(name("minLength")),
        1 => small.prop_map(name("maxLength")),
        1 => quarter.clone().prop_map(name("minimum")),
        1 => quarter.clone().prop_map(name("maximum")),
        1 => quarter.clone().prop_map(name("exclusiveMinimum")),
        1 => quarter.prop_map(name("exclusiveMaximum")),
        1 => prop::sample::select(vec!["0.5", "2", "3", "0.25"]).prop_map(|n| (String::from("multipleOf"), n.into())),
        1 => prop::sample::select(vec!["^a", "b$", "^[a-z]*$", "[0-9]", "^\\\\w+$"]).prop_map(|p| (String::from("pattern"), format!("\"{p}\""))),
        1 => prop::sample::select(vec!["date", "email", "ipv6", "uuid", "uri"]).prop_map(|f| (String::from("format"), format!("{f:?}"))),
    ]
}

fn schema_text() -> impl Strategy<Value = String> {
    let leaf = prop::collection::btree_map(Just(()), scalar_keyword(), 0..1)
        .prop_flat_map(|_| prop::collection::vec(scalar_keyword(), 0..3))
        .prop_map(|keywords| members(keywords.into_iter().collect()));
    leaf.prop_recursive(3, 24, 3, |inner| {
        let list = prop::collection::vec(inner.clone(), 1..3).prop_map(|forms| format!("[{}]", forms.join(",")));
        let keyword = prop_oneof![
            2 => scalar_keyword(),
            1 => inner.clone().prop_map(|items| (String::from("items"), items)),
            1 => (0_u32..3).prop_map(|n| (String::from("minItems"), n.to_string())),
            1 => (0_u32..3).prop_map(|n| (String::from("maxItems"), n.to_string())),
            1 => Just((String::from("uniqueItems"), String::from("true"))),
            1 => list.clone().prop_map(|forms| (String::from("anyOf"), forms)),
            1 => list.prop_map(|forms| (String::from("oneOf"), forms)),
        ];
        let object = (
            prop::collection::btree_map("[abc]", inner.clone(), 1..3),
            prop::option::of(prop::sample::select(vec!["a", "b"])),
            prop_oneof![3 => Just(String::from("false")), 1 => Just(String::from("true")), 1 => inner],
        )
            .prop_map(|(properties, required, additional)| {
                let required = required.filter(|name| properties.contains_key(*name) || additional != "false");
                let required = required.map(|name| format!(",\"required\":[{name:?}]")).unwrap_or_default();
                format!("{{\"properties\":{},\"additionalProperties\":{additional}{required}}}", members(properties))
            });
        prop_oneof![
            1 => object,
            1 => prop::collection::vec(keyword, 0..4).prop_map(|keywords| members(keywords.into_iter().collect())),
        ]
    })
}

#[cfg(feature = "full-json-schema")]
mod agreement {
    use super::*;
    use crate::schema::Format;

    /// Texts that nearly have a format: pieces of good and bad ones, put together.
    fn nearly() -> impl Strategy<Value = String> {
        let pieces = vec![
            "2031",
            "03",
            "29",
            "-",
            "-02-",
            "T",
            "09:00",
            ":00",
            ":60",
            "Z",
            "z",
            "+01:30",
            "-23:59",
            ".5",
            "a",
            "b.example",
            "@",
            ".",
            "..",
            "\"",
            "[",
            "]",
            "::1",
            "192.0.2.1",
            "255",
            ":",
            "/",
            "//",
            "?",
            "#",
            "%41",
            "%",
            "http:",
            " ",
            "\u{e9}",
            "\u{661}",
            "IPv6:",
            "123e4567",
            "-e89b-12d3-a456-",
            "426614174000",
            "00",
            "23:59:60",
        ];
        prop_oneof![
            prop::collection::vec(prop::sample::select(pieces), 0..7).prop_map(|pieces| pieces.concat()),
            (1890_u32..2110, 0_u32..14, 0_u32..33).prop_map(|(year, month, day)| format!("{year}-{month:02}-{day:02}")),
            (0_u32..25, 0_u32..61, 57_u32..62, 0_u32..25)
                .prop_map(|(h, m, s, o)| format!("{h:02}:{m:02}:{s:02}+{o:02}:30")),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

        #[test]
        fn formats_agree_with_the_jsonschema_crate(text in nearly()) {
            for (name, format) in Format::NAMES {
                let theirs = crate::schema::full::oracle_format(name);
                prop_assert_eq!(format.matches(&text), theirs(&text), "{} {:?}", name, text);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

        #[test]
        fn the_tree_and_the_jsonschema_crate_agree_on_the_closed_set(
            x in schema_text(),
            instances in prop::collection::vec(instance(), 12),
        ) {
            let text = format!("{{\"properties\":{{\"x\":{x}}},\"additionalProperties\":false}}");
            // What no value satisfies is refused here and allowed there.
            let Ok(schema) = ArgSchema::compile(&value(&text), &SchemaSources::none()) else { return Ok(()) };
            prop_assert!(schema.beyond_closed_set().is_empty());
            let oracle = crate::schema::full::oracle(&value(&text).into_owned());
            for instance in instances {
                let args = format!("{{\"x\":{instance}}}");
                let args = value(&args);
                let ours = schema.bind(&args).map(|_| ());
                prop_assert_eq!(ours.is_ok(), oracle(&args), "{} on {:?}: {:?}", text, args, ours);
            }
        }
    }
}

proptest! {
    #[test]
    fn binding_explaining_converting_and_locating_never_panic(
        schema in prop_oneof![schema_text(), instance()],
        args in instance(),
        path in "[abx.\\[\\]*]{0,8}",
    ) {
        let text = format!("{{\"properties\":{{\"a\":{schema}}}}}");
        for text in [&text, &schema] {
            let Ok(schema) = ArgSchema::compile(&value(text), &SchemaSources::none()) else { continue };
            let args = value(&args);
            let good = schema.bind(&args).is_ok();
            prop_assert_eq!(good, schema.bind(&args).map_err(|problems| problems.len()).is_ok());
            if let Err(problems) = schema.bind(&args) {
                prop_assert!(!problems.is_empty());
                let _ = crate::schema::correction(&problems);
            }
            let _ = (schema.coerce(&args), schema.with_defaults(&args));
            if let (Ok(path), Ok(bound)) = (crate::path::Path::parse(&path), schema.bind(&args))
                && let Ok(located) = schema.locate(&path, crate::schema::Subject::World)
            {
                let mut seen = Vec::new();
                let reach = located.each(&bound, |value| seen.push(value));
                prop_assert!(seen.iter().all(|value| located.types.accepts(value)));
                prop_assert!(!located.required || reach == crate::path::Reach::Complete);
            }
        }
    }
}
