//! What the format lets stand at the end of a path of keys, from the same tables that the decoder checks against.

use super::files::Format;
use flyball::decode::{Field, Shape, Type};
use flyball::guards::KINDS;
use flyball::outline::{Node, Outline, Step};
use flyball::spec::shapes::{CONTRACT, EXPRESSION_PARAMETER, GUARD, PACK, PACK_KIND, SPEC, TOOL, WORLD};

/// One thing that may stand at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect<'o> {
    /// A value of the format.
    Type(Type),
    /// A JSON Schema.
    Schema,
    /// JSON Schemas by names that the author chooses.
    Schemas,
    /// The parameters of a pack's kind, `NAME/KIND`.
    PackWith(&'o str),
}

/// What may stand at the end of these steps.
pub(crate) fn expected<'o>(format: Format, outline: &'o Outline, path: &[Step]) -> Vec<Expect<'o>> {
    let shape = match format {
        Format::Spec => &SPEC,
        Format::Contract => &CONTRACT,
        Format::Pack => &PACK,
    };
    let mut expected = vec![Expect::Type(Type::Shape(shape))];
    let mut node = outline.root();
    for step in path {
        expected = expected.iter().flat_map(|one| next(*one, node, step)).collect();
        node = node.and_then(|node| node.step(step));
    }
    expected
}

/// The field that a key of a map at the end of these steps is.
pub(crate) fn field(format: Format, outline: &Outline, path: &[Step], key: &str) -> Option<&'static Field> {
    let expected = expected(format, outline, path);
    shapes(&expected).find_map(|shape| shape.fields.iter().find(|field| field.key == key))
}

/// The maps with known keys among what may stand at a place.
pub(crate) fn shapes<'e>(expected: &'e [Expect<'_>]) -> impl Iterator<Item = &'static Shape> + 'e {
    expected.iter().filter_map(|one| if let Expect::Type(Type::Shape(shape)) = one { Some(*shape) } else { None })
}

fn next<'o>(expect: Expect<'o>, node: Option<&'o Node>, step: &Step) -> Vec<Expect<'o>> {
    match (expect, step) {
        (Expect::Type(Type::Shape(shape)), Step::Key(key)) => of_field(shape, node, key),
        (Expect::Type(Type::Map(inner)), Step::Key(_)) | (Expect::Type(Type::List(inner)), Step::Item(_)) => {
            forms(inner)
        }
        (Expect::Schemas, Step::Key(_)) => vec![Expect::Schema],
        (Expect::Schema, Step::Key(key)) => of_keyword(key),
        // The items of `allOf`, `anyOf` and `oneOf`.
        (Expect::Schema, Step::Item(_)) => vec![Expect::Schema],
        (Expect::PackWith(_), Step::Key(_)) => vec![Expect::Type(Type::Expression)],
        _ => Vec::new(),
    }
}

fn of_field<'o>(shape: &'static Shape, node: Option<&'o Node>, key: &str) -> Vec<Expect<'o>> {
    match (shape.name, key) {
        (name, "with") if name == GUARD.name => {
            let kind = node.and_then(|guard| guard.get("kind")).and_then(Node::text).unwrap_or_default();
            let known = KINDS.iter().map(|known| known.about()).find(|about| about.name == kind);
            match known {
                Some(about) => vec![Expect::Type(Type::Shape(about.parameters))],
                None => vec![Expect::PackWith(kind)],
            }
        }
        (name, "parameters" | "returns") if name == TOOL.name => vec![Expect::Schema],
        (name, "declares") if name == TOOL.name => vec![Expect::Schemas],
        (name, "$defs") if name == SPEC.name || name == CONTRACT.name => vec![Expect::Schemas],
        (name, "schema") if name == WORLD.name => vec![Expect::Type(Type::Text), Expect::Schema],
        (name, "params") if name == PACK_KIND.name => {
            vec![Expect::Type(Type::Map(&Type::Shape(&EXPRESSION_PARAMETER)))]
        }
        _ => shape.fields.iter().find(|field| field.key == key).map(|field| forms(&field.ty)).unwrap_or_default(),
    }
}

fn of_keyword<'o>(key: &str) -> Vec<Expect<'o>> {
    match key {
        "properties" | "patternProperties" | "$defs" | "dependentSchemas" => vec![Expect::Schemas],
        "items"
        | "additionalProperties"
        | "not"
        | "contains"
        | "propertyNames"
        | "if"
        | "then"
        | "else"
        | "allOf"
        | "anyOf"
        | "oneOf" => vec![Expect::Schema],
        "type" => vec![Expect::Type(TYPES), Expect::Type(Type::List(&TYPES))],
        "format" => vec![Expect::Type(FORMATS)],
        "uniqueItems" => vec![Expect::Type(Type::Bool)],
        _ => Vec::new(),
    }
}

const TYPES: Type = Type::Word(&["string", "number", "integer", "boolean", "array", "object", "null"]);
const FORMATS: Type = Type::Word(&["date", "date-time", "time", "email", "uri", "uuid", "ipv4", "ipv6"]);

/// The keywords of a schema that an author meets most, and what they say.
pub(crate) const KEYWORDS: &[(&str, &str)] = &[
    ("type", "`string`, `number`, `integer`, `boolean`, `array`, `object` or `null`."),
    ("description", "What the model is told of it."),
    ("properties", "The members of an object, by name; others are refused unless `additionalProperties: true`."),
    ("required", "The members that must be there."),
    ("additionalProperties", "Whether other members may be there, or their schema."),
    ("items", "The schema of the elements of an array."),
    ("minItems", "The least number of elements."),
    ("maxItems", "The greatest number of elements."),
    ("uniqueItems", "Whether no two elements may be equal."),
    ("enum", "The values it may have."),
    ("const", "The one value it may have."),
    ("default", "What it is where it is left out."),
    ("pattern", "A regular expression that a text must have in it; `^…$` asks for all of it."),
    ("format", "`date`, `date-time`, `time`, `email`, `uri`, `uuid`, `ipv4` or `ipv6`."),
    ("minLength", "The least number of characters."),
    ("maxLength", "The greatest number of characters."),
    ("minimum", "The least number."),
    ("maximum", "The greatest number."),
    ("exclusiveMinimum", "A number it must be above."),
    ("exclusiveMaximum", "A number it must be below."),
    ("multipleOf", "A number it must be a multiple of: `0.01` for cents."),
    ("anyOf", "Schemas of which one or more must hold."),
    ("oneOf", "Schemas of which exactly one must hold."),
    ("allOf", "Schemas that must all hold."),
    ("$ref", "A schema of `$defs`, `'#/$defs/NAME'`, or of a file."),
];

/// The forms of a type, each by itself.
fn forms<'o>(ty: &Type) -> Vec<Expect<'o>> {
    match ty {
        Type::Either(forms_of) => forms_of.iter().flat_map(forms).collect(),
        Type::OneOrMany(item) => forms(item).into_iter().chain([Expect::Type(Type::List(item))]).collect(),
        other => vec![Expect::Type(*other)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may stand under the cursor `¦`.
    fn at(format: Format, text: &str) -> String {
        let place = text.find('¦').unwrap();
        let text = text.replace('¦', "");
        let outline = Outline::read(&text, Some(place));
        let cursor = outline.at(place).unwrap();
        let expected = expected(format, &outline, &cursor.path);
        let words: Vec<String> = expected
            .iter()
            .map(|one| match one {
                Expect::Type(ty) => ty.words(),
                Expect::PackWith(kind) => format!("parameters of {kind}"),
                other => format!("{other:?}"),
            })
            .collect();
        words.join("; ")
    }

    #[test]
    fn a_path_of_keys_leads_to_what_may_stand_there() {
        let rows = [
            ("mode: ¦", "`enforce` | `observe`"),
            ("¦", "a map (a spec)"),
            ("tools:\n  look:\n    ¦", "a map (a tool)"),
            ("tools:\n  look:\n    effect: ¦", "`read` | `write` | `external`"),
            ("tools: {look: {parameters: {properties: {a: {¦}}}}}", "Schema"),
            (
                "tools: {look: {parameters: {properties: {a: {type: ¦}}}}}",
                "`string` | `number` | `integer` | `boolean` | `array` | `object` | `null`; a list of `string` | `number` | `integer` | `boolean` | `array` | `object` | `null`",
            ),
            ("tools: {look: {declares: {a: {¦}}}}", "Schema"),
            ("$defs: {a: {¦}}", "Schema"),
            ("guards:\n  preTool:\n    - ¦", "a map (a guard)"),
            ("guards:\n  preTool:\n    - check: ¦", "an expression"),
            (
                "guards:\n  preTool:\n    - kind: argRange\n      with:\n        ¦",
                "a map (the parameters of `argRange`)",
            ),
            ("guards:\n  preTool:\n    - kind: a/b\n      with: {¦}", "parameters of a/b"),
            ("guards:\n  preTool:\n    - tools: [¦]", "text"),
            ("guards:\n  preTool:\n    - redact: {a: ¦}", "an expression"),
            ("let:\n  a: ¦", "an expression; a map (a let)"),
            ("let:\n  a: {value: ¦}", "an expression"),
            ("nothing: {of: ¦}", ""),
        ];
        for (text, wanted) in rows {
            assert_eq!(at(Format::Spec, text), wanted, "{text:?}");
        }
        assert_eq!(at(Format::Pack, "kinds:\n  cap:\n    check: ¦"), "an expression");
        assert_eq!(at(Format::Contract, "sensitive: {a: ¦}"), "`omit` | `mask`");
    }
}
