//! From a schema without references to the tree that is checked, with all problems collected.

use std::collections::{BTreeMap, BTreeSet};

use super::expand::{Expanded, expand};
use super::keywords::{self, Fate};
use super::{
    Additional, ArgSchema, Choices, Format, ListRules, Node, NumberRules, ObjectRules, Pattern, Property,
    SchemaProblem, SchemaSources, Slot, TextRules, TypeSet, check, full, pattern,
};
use crate::decimal::Decimal;
use crate::diagnostic::did_you_mean;
use crate::value::{Object, Value, compare_keys};

/// Compiles a schema of arguments, or of whatever a call comes back with.
pub(super) fn compile(
    schema: &Value<'_>,
    sources: &SchemaSources<'_>,
    are_arguments: bool,
) -> Result<ArgSchema, Vec<SchemaProblem>> {
    let Expanded { tree, problems, hops } = expand(schema, sources);
    let mut compiler =
        Compiler { path: Vec::new(), problems, slots: Vec::new(), beyond: BTreeSet::new(), defaults: false };
    let mut root = compiler.node(&tree, Some(""));
    if are_arguments && !root.types.meets(TypeSet::OBJECT) {
        compiler.problem(
            "the arguments of a call are an object; this schema allows none",
            Some("write `type: object`".into()),
        );
    }
    if are_arguments {
        root.types = root.types.and(TypeSet::OBJECT);
    }
    let mut problems = compiler.problems;
    let checker = if compiler.beyond.is_empty() { Ok(None) } else { full::compile(&tree, &compiler.beyond).map(Some) };
    let checker = checker.unwrap_or_else(|more| {
        problems.extend(more);
        None
    });
    if !problems.is_empty() {
        // Of references on references at one place, the first is the author's.
        let hops: BTreeMap<Vec<String>, String> = hops.into_iter().rev().collect();
        return Err(problems.into_iter().map(|problem| placed(problem, &hops)).collect());
    }
    let beyond = compiler.beyond.into_iter().collect();
    Ok(ArgSchema { root, slots: compiler.slots, beyond, full: checker, defaults: compiler.defaults })
}

/// A problem behind a `$ref` is shown at the `$ref`, and says where it is.
fn placed(mut problem: SchemaProblem, hops: &BTreeMap<Vec<String>, String>) -> SchemaProblem {
    let outermost = (0..problem.path.len()).find_map(|length| Some((length, hops.get(problem.path.get(..length)?)?)));
    if let Some((length, reference)) = outermost {
        let rest = problem.path.split_off(length).join("/");
        problem.message = format!("{} (at `/{rest}` of `{reference}`)", problem.message);
    }
    problem
}

struct Compiler {
    path: Vec<String>,
    problems: Vec<SchemaProblem>,
    slots: Vec<String>,
    beyond: BTreeSet<String>,
    defaults: bool,
}

/// What the keywords of one schema said so far.
#[derive(Default)]
struct Draft<'s> {
    types: Option<TypeSet>,
    choices: Option<Vec<Value<'static>>>,
    constant: Option<Value<'static>>,
    required: Vec<&'s str>,
    properties: Option<Vec<Property>>,
    additional: Option<Additional>,
    number: Option<NumberRules>,
    text: Option<TextRules>,
    list: Option<ListRules>,
    any_of: Option<Vec<Node>>,
    one_of: Option<Vec<Node>>,
    default: Option<Value<'static>>,
}

impl Compiler {
    fn problem(&mut self, message: impl Into<String>, help: Option<String>) {
        self.problems.push(SchemaProblem { path: self.path.clone(), message: message.into(), help });
    }

    /// `name` is the path of the value in the arguments, while that path has one value only.
    fn node(&mut self, schema: &Value<'static>, name: Option<&str>) -> Node {
        let slot = self.slot(name);
        match schema {
            Value::Bool(true) => Node { slot, ..Node::any() },
            Value::Bool(false) => Node { slot, declared: TypeSet::NONE, types: TypeSet::NONE, ..Node::any() },
            Value::Object(object) => self.object(object, name, slot),
            other => {
                self.problem(format!("a schema is an object, not {}", other.kind()), None);
                Node::any()
            }
        }
    }

    fn object(&mut self, schema: &Object<'static>, name: Option<&str>, slot: Option<Slot>) -> Node {
        let mut draft = Draft::default();
        for (key, value) in schema.iter() {
            self.path.push(key.into());
            match keywords::fate(key) {
                Fate::Closed => self.keyword(&mut draft, schema, key, value, name),
                Fate::Annotation => {}
                Fate::Full => {
                    self.beyond.insert(key.into());
                }
                Fate::Refused(help) => self.problem(format!("unknown keyword `{key}`"), help),
            }
            self.path.pop();
        }
        self.finish(draft, schema, slot)
    }

    /// A slot for the value with this name; the arguments as a whole have none.
    fn slot(&mut self, name: Option<&str>) -> Option<Slot> {
        let name = name.filter(|name| !name.is_empty())?;
        let slot = u16::try_from(self.slots.len()).ok()?;
        self.slots.push(name.into());
        Some(Slot(slot))
    }

    fn keyword<'s>(
        &mut self,
        draft: &mut Draft<'s>,
        schema: &'s Object<'static>,
        key: &str,
        value: &'s Value<'static>,
        name: Option<&str>,
    ) {
        match key {
            "type" => draft.types = Some(self.types(value)),
            "enum" => draft.choices = self.choices(value),
            "const" => draft.constant = Some(value.clone()),
            "required" => draft.required = self.names(value),
            "properties" => draft.properties = self.properties(value, name),
            "additionalProperties" => draft.additional = Some(self.additional(value)),
            // Beside `prefixItems` it speaks of the rest, which is the full checker's business.
            "items" if schema.contains_key("prefixItems") => {}
            "items" => draft.list.get_or_insert_default().items = Some(self.node(value, None)),
            "minItems" => draft.list.get_or_insert_default().min = self.size(value),
            "maxItems" => draft.list.get_or_insert_default().max = self.size(value),
            "uniqueItems" => draft.list.get_or_insert_default().unique = self.truth(value),
            "minLength" => draft.text.get_or_insert_default().min = self.size(value),
            "maxLength" => draft.text.get_or_insert_default().max = self.size(value),
            "pattern" => draft.text.get_or_insert_default().pattern = self.pattern(value),
            "format" => draft.text.get_or_insert_default().format = self.format(value),
            "minimum" => draft.number.get_or_insert_default().min = self.number(value),
            "maximum" => draft.number.get_or_insert_default().max = self.number(value),
            "exclusiveMinimum" => draft.number.get_or_insert_default().above = self.number(value),
            "exclusiveMaximum" => draft.number.get_or_insert_default().below = self.number(value),
            "multipleOf" => draft.number.get_or_insert_default().multiple_of = self.step(value),
            "anyOf" => draft.any_of = self.forms(value, schema).map(|(forms, _)| forms),
            // Forms that are only known in part cannot be counted here.
            "oneOf" => draft.one_of = self.forms(value, schema).filter(|(_, exact)| *exact).map(|(forms, _)| forms),
            _ => draft.default = Some(value.clone()),
        }
    }

    fn finish(&mut self, draft: Draft<'_>, schema: &Object<'static>, slot: Option<Slot>) -> Node {
        let declared = draft.types.unwrap_or(TypeSet::ANY);
        let object = self.object_rules(draft.properties, draft.additional, &draft.required, schema);
        let choices = match (draft.choices, draft.constant) {
            (choices, None) => choices,
            (None, Some(constant)) => Some(vec![constant]),
            (Some(choices), Some(constant)) => Some(choices.into_iter().filter(|choice| *choice == constant).collect()),
        };
        let mut types = declared;
        if let Some(choices) = &choices {
            types = types.and(choices.iter().fold(TypeSet::NONE, |sum, value| sum.or(TypeSet::of(value))));
        }
        for forms in [&draft.any_of, &draft.one_of].into_iter().flatten() {
            types = types.and(forms.iter().fold(TypeSet::NONE, |sum, form| sum.or(form.types)));
        }
        let node = Node {
            declared,
            types,
            slot,
            choices: choices.map(|values| Box::new(Choices::new(values))),
            number: draft.number.map(Box::new),
            text: draft.text.map(Box::new),
            list: draft.list.map(Box::new),
            object: object.map(Box::new),
            any_of: draft.any_of,
            one_of: draft.one_of,
            default: draft.default,
        };
        self.consistent(&node);
        node
    }

    /// What no value could satisfy, and a default that does not.
    fn consistent(&mut self, node: &Node) {
        if let Some(text) = &node.text {
            self.ordered(text.min, text.max, "minLength", "maxLength");
        }
        if let Some(list) = &node.list {
            self.ordered(list.min, list.max, "minItems", "maxItems");
        }
        if let Some(number) = &node.number {
            self.ordered(number.min, number.max, "minimum", "maximum");
        }
        if node.choices.as_ref().is_some_and(|choices| !choices.values.iter().any(|value| node.declared.accepts(value)))
        {
            self.problem("no value of `enum` or `const` has the type that is declared", None);
        }
        if let Some(default) = &node.default {
            self.defaults = true;
            if !check::fits(node, default) {
                let why = check::explain(node, default, "default").into_iter().next().map(|problem| problem.message);
                self.path.push("default".into());
                self.problem("`default` does not satisfy its own schema", why);
                self.path.pop();
            }
        }
    }

    fn ordered<T: PartialOrd>(&mut self, min: Option<T>, max: Option<T>, low: &str, high: &str) {
        if min.zip(max).is_some_and(|(min, max)| min > max) {
            self.problem(format!("`{low}` is more than `{high}`; no value fits"), None);
        }
    }

    fn object_rules(
        &mut self,
        properties: Option<Vec<Property>>,
        additional: Option<Additional>,
        required: &[&str],
        schema: &Object<'static>,
    ) -> Option<ObjectRules> {
        if properties.is_none() && additional.is_none() && required.is_empty() {
            return None;
        }
        let composed = keywords::COMPOSING.iter().any(|key| schema.contains_key(key));
        let additional = match additional {
            Some(stated) if !schema.contains_key("patternProperties") => stated,
            None if properties.is_some() && !composed => Additional::Closed,
            _ => Additional::Open,
        };
        let mut properties = properties.unwrap_or_default();
        let mut also_required = Vec::new();
        for name in required {
            match properties.iter_mut().find(|property| property.name == *name) {
                Some(property) => property.required = true,
                None if matches!(additional, Additional::Closed) => {
                    let help = did_you_mean(name, properties.iter().map(|property| property.name.as_str()));
                    self.problem(format!("`{name}` is required but not among the properties"), help);
                }
                None => also_required.push(String::from(*name)),
            }
        }
        properties.sort_by(|a, b| compare_keys(&a.name, &b.name));
        Some(ObjectRules { properties, also_required, additional })
    }

    fn types(&mut self, value: &Value<'static>) -> TypeSet {
        match value {
            Value::String(name) => self.one_type(name),
            Value::Array(names) if !names.is_empty() => {
                let mut types = TypeSet::NONE;
                for name in names {
                    match name {
                        Value::String(name) => types = types.or(self.one_type(name)),
                        other => self.problem(format!("a type is a name, not {}", other.kind()), None),
                    }
                }
                types
            }
            other => {
                self.problem(format!("`type` is a name or a list of names, not {}", other.kind()), None);
                TypeSet::ANY
            }
        }
    }

    fn one_type(&mut self, name: &str) -> TypeSet {
        TypeSet::named(name).unwrap_or_else(|| {
            let help = match name {
                "int" => Some(String::from("did you mean `integer`?")),
                "float" | "double" | "decimal" => Some(String::from("did you mean `number`?")),
                "list" => Some(String::from("did you mean `array`?")),
                "dict" | "map" => Some(String::from("did you mean `object`?")),
                "str" | "text" => Some(String::from("did you mean `string`?")),
                _ => did_you_mean(name, TypeSet::NAMES.iter().map(|(known, _)| *known)),
            };
            self.problem(format!("there is no type `{name}`"), help);
            TypeSet::ANY
        })
    }

    fn choices(&mut self, value: &Value<'static>) -> Option<Vec<Value<'static>>> {
        match value {
            Value::Array(values) if !values.is_empty() => Some(values.clone()),
            _ => {
                self.problem("`enum` is a list of at least one value", None);
                None
            }
        }
    }

    fn names<'s>(&mut self, value: &'s Value<'static>) -> Vec<&'s str> {
        let names: Option<Vec<&str>> = value.as_array().and_then(|names| names.iter().map(Value::as_str).collect());
        names.unwrap_or_else(|| {
            self.problem("`required` is a list of property names", None);
            Vec::new()
        })
    }

    fn properties(&mut self, value: &Value<'static>, name: Option<&str>) -> Option<Vec<Property>> {
        let Some(object) = value.as_object() else {
            self.problem(format!("`properties` is a map from names to schemas, not {}", value.kind()), None);
            return None;
        };
        let property = |(key, schema): (&str, &Value<'static>)| {
            self.path.push(key.into());
            let path = name.filter(|_| is_plain(key)).map(|parent| super::problem::under(parent, key));
            let node = self.node(schema, path.as_deref());
            self.path.pop();
            Property { name: key.into(), node, required: false }
        };
        Some(object.iter().map(property).collect())
    }

    fn additional(&mut self, value: &Value<'static>) -> Additional {
        match value {
            Value::Bool(true) => Additional::Open,
            Value::Bool(false) => Additional::Closed,
            schema => Additional::Each(self.node(schema, None)),
        }
    }

    fn size(&mut self, value: &Value<'static>) -> Option<u64> {
        let size = value.as_number().and_then(|number| number.to_u64());
        if size.is_none() {
            self.problem("this is a whole number, zero or more", None);
        }
        size
    }

    fn truth(&mut self, value: &Value<'static>) -> bool {
        value.as_bool().unwrap_or_else(|| {
            self.problem("this is true or false", None);
            false
        })
    }

    fn number(&mut self, value: &Value<'static>) -> Option<Decimal> {
        let number = value.as_number();
        if number.is_none() {
            self.problem(format!("this is a number, not {}", value.kind()), None);
        }
        number
    }

    fn step(&mut self, value: &Value<'static>) -> Option<Decimal> {
        let step = self.number(value)?;
        if step <= Decimal::from(0) {
            self.problem("`multipleOf` is a number above zero", None);
            return None;
        }
        Some(step)
    }

    fn pattern(&mut self, value: &Value<'static>) -> Option<Pattern> {
        let Some(source) = value.as_str() else {
            self.problem("`pattern` is a string", None);
            return None;
        };
        match pattern::compile(source) {
            Ok(regex) => Some(Pattern { source: source.into(), regex }),
            Err(why) => {
                let help = why.contains("look-").then(|| {
                    String::from("say it without look-around: a longer pattern, `enum`, or a guard of kind `argOneOf`")
                });
                self.problem(format!("`{source}` is not a pattern that can be checked in linear time: {why}"), help);
                None
            }
        }
    }

    fn format(&mut self, value: &Value<'static>) -> Option<Format> {
        let name = value.as_str().unwrap_or_default();
        let format = Format::named(name);
        if format.is_none() && keywords::FULL_FORMATS.contains(&name) {
            self.beyond.insert(format!("format: {name}"));
        } else if format.is_none() {
            let known = Format::NAMES.iter().map(|(known, _)| *known).chain(keywords::FULL_FORMATS);
            let help = did_you_mean(name, known);
            self.problem(format!("there is no format `{name}`"), help);
        }
        format
    }

    /// The branches of `anyOf` or `oneOf`, and whether all of each is known here.
    fn forms(&mut self, value: &Value<'static>, schema: &Object<'static>) -> Option<(Vec<Node>, bool)> {
        let Some(list) = value.as_array().filter(|list| !list.is_empty()) else {
            self.problem("this is a list of at least one schema", None);
            return None;
        };
        let outer = std::mem::take(&mut self.beyond);
        let mut forms = Vec::new();
        for (at, form) in list.iter().enumerate() {
            self.path.push(at.to_string());
            if schema.contains_key("properties")
                && form.get("properties").is_some()
                && form.get("additionalProperties").is_none()
            {
                let help = "write `additionalProperties: true` in the branch, or describe the object there as a whole";
                self.problem(
                    "a branch with `properties` beside the object's own would refuse the object's own",
                    Some(help.into()),
                );
            }
            forms.push(self.node(form, None));
            self.path.pop();
        }
        let exact = self.beyond.is_empty();
        self.beyond.extend(outer);
        Some((forms, exact))
    }
}

/// True for a name that a path can spell.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['.', '[', ']', '*'])
}
