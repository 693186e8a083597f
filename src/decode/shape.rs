//! What a map may hold, as constant tables: types, fields, shapes.
//!
//! Data only; nothing here reads a node.

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// Any text.
    Text,
    /// An expression: a text, or `true`, `false` or a number alone.
    Expression,
    /// An id: `[a-z0-9-]{1,64}`.
    Id,
    /// `true` or `false`.
    Bool,
    /// A whole number from 0.
    Count,
    /// A whole number from 1.
    CountFromOne,
    /// An exact number.
    Number,
    /// An exact number from 0.
    Amount,
    /// Any value, kept as it is written.
    Any,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of one type.
    List(&'static Type),
    /// One value, or a list of such values.
    OneOrMany(&'static Type),
    /// A map whose keys the author chooses.
    Map(&'static Type),
    /// A map with known keys.
    Shape(&'static Shape),
    /// Any of these forms.
    Either(&'static [Type]),
}

impl Type {
    /// The type in words, as a message and a documentation table say it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Type::Text => "text".into(),
            Type::Expression => "an expression".into(),
            Type::Id => "an id (`a` to `z`, `0` to `9`, `-`; at most 64)".into(),
            Type::Bool => "`true` or `false`".into(),
            Type::Count => "a whole number from 0".into(),
            Type::CountFromOne => "a whole number from 1".into(),
            Type::Number => "a number".into(),
            Type::Amount => "a number from 0".into(),
            Type::Any => "any value".into(),
            Type::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                quoted.join(" | ")
            }
            Type::List(item) => format!("a list of {}", item.words()),
            Type::OneOrMany(item) => format!("{} or a list of such", item.words()),
            Type::Map(item) => format!("a map of {}", item.words()),
            Type::Shape(shape) => format!("a map ({})", shape.name),
            Type::Either(forms) => {
                let forms: Vec<String> = forms.iter().map(Type::words).collect();
                forms.join(", or ")
            }
        }
    }
}

/// One key of a map.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// True if a map without it is an error.
    pub required: bool,
    /// What it holds.
    pub ty: Type,
    /// One sentence for the reader of the documentation.
    pub doc: &'static str,
}

impl Field {
    /// A key that may be left out.
    #[must_use]
    pub const fn optional(key: &'static str, ty: Type, doc: &'static str) -> Field {
        Field { key, required: false, ty, doc }
    }

    /// A key that must be there.
    #[must_use]
    pub const fn required(key: &'static str, ty: Type, doc: &'static str) -> Field {
        Field { key, required: true, ty, doc }
    }

    /// The sentence of the documentation as a help: without its capital and its full stop.
    #[must_use]
    pub fn help(&self) -> String {
        let mut letters = self.doc.chars();
        let first = letters.next().map(|first| first.to_lowercase().to_string()).unwrap_or_default();
        let rest = letters.as_str();
        let is_acronym = rest.starts_with(char::is_uppercase);
        let whole = if is_acronym { self.doc.to_owned() } else { format!("{first}{rest}") };
        whole.trim_end_matches('.').to_owned()
    }
}

/// A map with known keys.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What the map is, for messages: `a tool`.
    pub name: &'static str,
    /// Its keys, in the order of the documentation.
    pub fields: &'static [Field],
}

impl Shape {
    /// What makes a text such a map: the braces and the key of the one field that must be there and takes a text.
    pub(super) fn around_text(&self) -> Option<(String, &'static str)> {
        let takes_text = |ty: &Type| match ty {
            Type::Text | Type::Expression => true,
            Type::Either(forms) => forms.iter().any(|form| matches!(form, Type::Text)),
            _ => false,
        };
        let mut required = self.fields.iter().filter(|field| field.required);
        match (required.next(), required.next()) {
            (Some(field), None) if takes_text(&field.ty) => Some((format!("{{{}: ", field.key), "}")),
            _ => None,
        }
    }
}
