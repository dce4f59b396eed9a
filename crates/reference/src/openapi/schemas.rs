//! The schema definitions of requests and responses, combined in one list.

use super::document::PREFIX;
use api::registry::Registry;
use schemars::Schema;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The definitions of a registry, under unique names.
pub struct Schemas {
    definitions: Map<String, Value>,
    shared: BTreeSet<String>,
    /// One object for each union of objects with the same fields. Tables show this object instead
    /// of the union.
    merged: Map<String, Value>,
}

impl Schemas {
    /// Collects the definitions. A type whose schema differs between requests and responses gets a
    /// name of its own in requests.
    #[must_use]
    pub fn new(registry: &Registry) -> Self {
        let (inputs, replies) = registry.schemas();
        let (inputs, mut definitions) = (inputs.definitions(), replies.definitions().clone());
        let both = inputs.keys().filter(|name| definitions.contains_key(*name));
        let both: BTreeSet<String> = both.cloned().collect();
        let alike = alike(&both, inputs, &definitions);
        definitions.values_mut().for_each(say_growing);
        let shared = both.difference(&alike).cloned().collect();
        let mut schemas = Self { definitions: Map::new(), shared, merged: Map::new() };
        for name in &alike {
            if let Some(schema) = definitions.get_mut(name) {
                omit_instead_of_null(schema);
            }
        }
        for (name, schema) in inputs.iter().filter(|(name, _)| !alike.contains(*name)) {
            let name = schemas.name_of_input(name);
            let mut schema = schema.clone();
            omit_instead_of_null(&mut schema);
            schemas.deny_extra(&mut schema);
            definitions.insert(name, schema);
        }
        schemas.definitions = definitions;
        let unions = schemas.definitions.iter();
        let merged = unions.filter_map(|(name, it)| Some((name.clone(), schemas.merge(it)?)));
        schemas.merged = merged.collect();
        schemas
    }

    /// Merges a union of objects into one object, if all objects have the same fields.
    fn merge(&self, union: &Value) -> Option<Value> {
        let branches = union.get("oneOf")?.as_array()?.iter().map(|it| self.resolved(it));
        let objects: Vec<&Map<String, Value>> =
            branches.map(|it| it.get("properties")?.as_object()).collect::<Option<_>>()?;
        let (first, rest) = objects.split_first()?;
        if rest.is_empty() || rest.iter().any(|it| !it.keys().eq(first.keys())) {
            return None;
        }
        let fields = first.keys().map(|name| {
            let variants: Vec<&Value> = objects.iter().filter_map(|it| it.get(name)).collect();
            (name.clone(), one_of(&variants))
        });
        let required = self.resolved(union.pointer("/oneOf/0")?).get("required");
        Some(json!({
            "type": "object",
            "description": union.get("description"),
            "properties": fields.collect::<Map<String, Value>>(),
            "required": required,
        }))
    }

    fn name_of_input(&self, name: &str) -> String {
        if self.shared.contains(name) { format!("{name}Input") } else { name.to_owned() }
    }

    /// Changes a schema so that it allows no unknown fields, at any depth.
    fn deny_extra(&self, schema: &mut Value) {
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
                fields.values_mut().for_each(|inner| self.deny_extra(inner));
            }
            Value::Array(entries) => entries.iter_mut().for_each(|inner| self.deny_extra(inner)),
            _ => {}
        }
    }

    /// Returns the schema of a request, as the document shows it.
    #[must_use]
    pub fn input(&self, schema: &Schema) -> Schema {
        let mut value = schema.clone().to_value();
        omit_instead_of_null(&mut value);
        self.deny_extra(&mut value);
        #[expect(clippy::disallowed_methods, reason = "a schema stays a schema")]
        Schema::try_from(value).unwrap_or_default()
    }

    pub fn add(&mut self, name: &str, schema: Schema) {
        self.definitions.insert(name.to_owned(), schema.to_value());
    }

    /// Adds a schema of responses.
    pub fn add_response(&mut self, name: &str, schema: Schema) {
        let mut schema = schema.to_value();
        say_growing(&mut schema);
        self.definitions.insert(name.to_owned(), schema);
    }

    /// Returns the definition that a schema refers to, or the schema itself.
    pub fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let to = schema.get("$ref").and_then(Value::as_str);
        let name = to.and_then(|to| to.strip_prefix(PREFIX));
        name.and_then(|name| self.definitions.get(name)).unwrap_or(schema)
    }

    /// Resolves a schema for readers: a union of objects with the same fields becomes one object.
    pub fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let to = schema.get("$ref").and_then(Value::as_str);
        let name = to.and_then(|to| to.strip_prefix(PREFIX));
        name.and_then(|name| self.merged.get(name)).unwrap_or_else(|| self.resolved(schema))
    }

    /// Returns a definition's name for readers. The request and response schemas of a type share
    /// it.
    #[must_use]
    pub fn display_name_of(&self, name: &str) -> String {
        let plain = name.strip_suffix("Input").filter(|plain| self.shared.contains(*plain));
        plain.unwrap_or(name).to_owned()
    }

    /// Returns the definitions that `document` refers to, directly or indirectly.
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

/// Returns the names of the types whose schema is the same in requests and responses. The schemas
/// that it refers to must also be the same.
fn alike(
    both: &BTreeSet<String>,
    inputs: &Map<String, Value>,
    replies: &Map<String, Value>,
) -> BTreeSet<String> {
    let is_same = |name: &&String| inputs.get(*name) == replies.get(*name);
    let mut alike: BTreeSet<String> = both.iter().filter(is_same).cloned().collect();
    loop {
        let differs = |name: &&String| {
            let referred = inputs.get(*name).map(references).unwrap_or_default();
            referred.iter().any(|it| both.contains(it) && !alike.contains(it))
        };
        let different: Vec<String> = alike.iter().filter(differs).cloned().collect();
        if different.is_empty() {
            return alike;
        }
        alike.retain(|name| !different.contains(name));
    }
}

/// Removes null from the optional fields of a request, because a client omits a field instead. A
/// field whose description gives null a meaning keeps it.
fn omit_instead_of_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let required: Vec<Value> =
                fields.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                for (name, property) in properties {
                    let says_null = property
                        .get("description")
                        .and_then(Value::as_str)
                        .is_some_and(|text| text.to_lowercase().contains("null"));
                    if !says_null && !required.contains(&Value::String(name.clone())) {
                        drop_null(property);
                    }
                }
            }
            fields.values_mut().for_each(omit_instead_of_null);
        }
        Value::Array(entries) => entries.iter_mut().for_each(omit_instead_of_null),
        _ => {}
    }
}

/// Removes null from the types of a schema.
fn drop_null(schema: &mut Value) {
    let Value::Object(fields) = schema else { return };
    if let Some(Value::Array(types)) = fields.get_mut("type") {
        types.retain(|it| it != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = fields.get_mut("enum") {
        words.retain(|it| !it.is_null());
    }
    let Some(Value::Array(branches)) = fields.get_mut("anyOf") else { return };
    branches.retain(|it| it.get("type").is_none_or(|kind| kind != "null"));
    let [only] = branches.as_slice() else { return };
    let only = only.clone();
    fields.remove("anyOf");
    if let Value::Object(only) = only {
        for (name, value) in only {
            fields.entry(name).or_insert(value);
        }
    }
}

/// Adds to the description of each enumeration in a response that values may be added.
fn say_growing(schema: &mut Value) {
    const GROWS: &str = "More values may be added.";
    match schema {
        Value::Object(fields) => {
            let is_list = fields.get("enum").and_then(Value::as_array).is_some_and(|words| {
                words.iter().all(|word| word.is_string() || word.is_null()) && words.len() > 1
            });
            if is_list {
                let text = fields.get("description").and_then(Value::as_str).unwrap_or_default();
                if !text.contains(GROWS) {
                    let text = format!("{text} {GROWS}");
                    fields.insert("description".to_owned(), text.trim_start().into());
                }
            }
            fields.values_mut().for_each(say_growing);
        }
        Value::Array(entries) => entries.iter_mut().for_each(say_growing),
        _ => {}
    }
}

/// Merges the schemas of a field that differs between the branches of a union. The result allows
/// the words, or the types, of all branches.
fn one_of(variants: &[&Value]) -> Value {
    let mut distinct: Vec<&Value> = Vec::new();
    for variant in variants {
        if !distinct.contains(variant) {
            distinct.push(variant);
        }
    }
    let words: Option<Vec<&Value>> = distinct.iter().map(|it| it.get("const")).collect();
    match (distinct.as_slice(), words) {
        ([only], _) => (*only).clone(),
        ([first, ..], Some(words)) => {
            json!({ "type": "string", "enum": words, "description": first.get("description") })
        }
        _ => {
            json!({ "oneOf": distinct, "description": "The content by `type`, as of the time of the event." })
        }
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
