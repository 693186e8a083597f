//! `declares` of a tool: what a model says beside the arguments, read as properties, and the schema that they make.

use super::Parser;
use crate::diagnostic::Diagnostic;
use crate::spec::{Parameters, Spec, ToolSpec};
use crate::value::{Object, Value};
use crate::yaml::{Data, Entry, Node};
use std::sync::Arc;

impl Parser<'_, '_> {
    /// Each entry is a property and its schema.
    pub(super) fn declares(&mut self, node: &Node) -> Option<Parameters> {
        if self.decoder.entries(node).is_empty() {
            if matches!(node.data, Data::Map(_)) {
                let problem = Diagnostic::error("empty-list", node.span, "`declares` names nothing");
                self.decoder.report(problem.help("name what the model declares, or leave `declares` out"));
            }
            return None;
        }
        let properties = Entry { key: "properties".into(), key_span: node.span, value: node.clone() };
        let whole = Node { data: Data::Map(vec![properties]), ..node.clone() };
        let schema = self.schemas().read(&whole)?;
        Some(Parameters { schema, node: Arc::new(whole) })
    }
}

impl ToolSpec {
    /// The schema of what a model declares with a call: an object in which all is required that has no default.
    #[must_use]
    pub fn declared(&self, spec: &Spec) -> Option<Value<'static>> {
        let Value::Object(mut schema) = self.declares.as_ref()?.schema.clone() else { return None };
        let resolved = crate::schema::without_references(&schema.clone().into(), &spec.schema_sources());
        let properties = resolved.get("properties").and_then(Value::as_object);
        let required = properties.into_iter().flat_map(Object::iter);
        let required = required.filter(|(_, property)| property.get("default").is_none());
        let required = required.map(|(name, _)| Value::from(name.to_owned())).collect();
        schema.insert("type".into(), Value::from("object"));
        schema.insert("required".into(), Value::Array(required));
        Some(schema.into())
    }
}
