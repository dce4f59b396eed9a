//! The schemas that others refer to: those of inputs and of answers in one list.

use super::document::PREFIX;
use crate::registry::Registry;
use schemars::Schema;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The definitions of a registry, under names that do not collide.
pub struct Schemas {
    definitions: Map<String, Value>,
    shared: BTreeSet<String>,
}

impl Schemas {
    /// Takes them together. What is in both an input and an answer differs in what must be there, and in
    /// what may be: so the input's gets a name of its own.
    #[must_use]
    pub fn of(registry: &Registry) -> Self {
        let (inputs, replies) = registry.schemas();
        let (inputs, mut definitions) = (inputs.definitions(), replies.definitions().clone());
        let both = inputs.keys().filter(|name| definitions.contains_key(*name));
        let shared: BTreeSet<String> = both.cloned().collect();
        let mut schemas = Self { definitions: Map::new(), shared };
        for (name, schema) in inputs {
            let name = schemas.name_of_input(name);
            let mut schema = schema.clone();
            schemas.mend_input(&mut schema);
            definitions.insert(name, schema);
        }
        schemas.definitions = definitions;
        schemas
    }

    fn name_of_input(&self, name: &str) -> String {
        if self.shared.contains(name) { format!("{name}Input") } else { name.to_owned() }
    }

    /// Unknown fields are refused, at any depth.
    fn mend_input(&self, schema: &mut Value) {
        match schema {
            Value::Object(fields) => {
                if let Some(Value::String(to)) = fields.get_mut("$ref")
                    && let Some(name) = to.strip_prefix(PREFIX)
                {
                    *to = format!("{PREFIX}{}", self.name_of_input(name));
                }
                if fields.contains_key("properties") {
                    fields.entry("additionalProperties").or_insert(false.into());
                }
                fields.values_mut().for_each(|inner| self.mend_input(inner));
            }
            Value::Array(entries) => entries.iter_mut().for_each(|inner| self.mend_input(inner)),
            _ => {}
        }
    }

    /// The schema of an input, as it stands in the document.
    #[must_use]
    pub fn input(&self, schema: &Schema) -> Schema {
        let mut value = schema.clone().to_value();
        self.mend_input(&mut value);
        Schema::try_from(value).unwrap_or_default()
    }

    /// Adds a definition.
    pub fn add(&mut self, name: &str, schema: Schema) {
        self.definitions.insert(name.to_owned(), schema.to_value());
    }

    /// What a schema refers to, or else itself.
    pub fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let to = schema.get("$ref").and_then(Value::as_str);
        let name = to.and_then(|to| to.strip_prefix(PREFIX));
        name.and_then(|name| self.definitions.get(name)).unwrap_or(schema)
    }

    /// What people call a definition: an input and an answer of the same shape have one name for them.
    #[must_use]
    pub fn name_for_people(&self, name: &str) -> String {
        let plain = name.strip_suffix("Input").filter(|plain| self.shared.contains(*plain));
        plain.unwrap_or(name).to_owned()
    }

    /// The definitions that `document` refers to, directly or not.
    #[must_use]
    pub fn reached_from(&self, document: &Value) -> Map<String, Value> {
        let mut reached = BTreeSet::new();
        let mut open = references(document);
        while let Some(name) = open.pop() {
            if let (Some(schema), true) = (self.definitions.get(&name), reached.insert(name)) {
                open.extend(references(schema));
            }
        }
        let kept = self.definitions.iter().filter(|(name, _)| reached.contains(*name));
        kept.map(|(name, schema)| (name.clone(), schema.clone())).collect()
    }
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let to = fields.get("$ref").and_then(Value::as_str);
            let name = to.and_then(|to| to.strip_prefix(PREFIX)).map(str::to_owned);
            name.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(entries) => entries.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}
