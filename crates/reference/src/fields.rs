//! The fields of an object as tables for readers: one table for the object, and one for each object
//! in it.

use super::openapi::document::PREFIX;
use super::openapi::{Schemas, fields};
use api_types::schema::{ID, NUMBER};
use serde_json::Value;
use std::collections::{BTreeSet, VecDeque};

pub struct Table {
    /// The name of the object; empty for the outermost one.
    pub name: String,
    pub about: String,
    pub rows: Vec<FieldRow>,
}

pub struct FieldRow {
    pub name: String,
    /// The type and bounds, in words.
    pub kind: String,
    pub required: bool,
    pub about: String,
}

/// A builder of tables. It shows each object once and links to it afterwards.
pub struct Tables<'a> {
    schemas: &'a Schemas,
    shown: BTreeSet<String>,
    is_reply: bool,
    waiting: VecDeque<(String, &'a Value)>,
}

impl<'a> Tables<'a> {
    pub fn new(schemas: &'a Schemas) -> Self {
        Self { schemas, shown: BTreeSet::new(), is_reply: false, waiting: VecDeque::new() }
    }

    /// Returns the tables of a request object.
    pub fn input_tables(&mut self, schema: &'a Value) -> Vec<Table> {
        self.is_reply = false;
        self.waiting.push_back((String::new(), self.schemas.resolve(schema)));
        self.drain()
    }

    /// Returns the type of a response in words, and the tables of its objects that were not shown
    /// yet.
    pub fn reply_tables(&mut self, schema: &'a Value) -> (String, Vec<Table>) {
        self.is_reply = true;
        let kind = self.kind(schema, "");
        (kind, self.drain())
    }

    fn drain(&mut self) -> Vec<Table> {
        let mut tables = Vec::new();
        while let Some((name, schema)) = self.waiting.pop_front() {
            let about = described(schema);
            let rows: Vec<FieldRow> = fields(schema)
                .into_iter()
                .map(|(field, schema, required)| FieldRow {
                    name: field.to_owned(),
                    kind: self.kind(schema, &format!("{name}.{field}")),
                    required,
                    about: described(schema),
                })
                .collect();
            if !rows.is_empty() {
                tables.push(Table { name, about, rows });
            }
        }
        tables
    }

    /// Describes a schema's type and bounds in words. If the schema is an object, or refers to one,
    /// that object gets a table later, unless it was already shown.
    ///
    /// `place` is the path of the field. It is the name of an object that has no name of its own.
    fn kind(&mut self, schema: &'a Value, place: &str) -> String {
        if let Some(to) = schema.get("$ref").and_then(Value::as_str) {
            let name = self.schemas.display_name_of(to.strip_prefix(PREFIX).unwrap_or(to));
            let resolved = self.schemas.resolve(schema);
            if resolved.get("properties").is_none() {
                return self.kind(resolved, place);
            }
            return self.linked(&name, resolved);
        }
        if schema.get("properties").is_some() {
            let name = self.linked(place.trim_start_matches('.'), schema);
            let kinds = schema.get("type").and_then(Value::as_array);
            let or_null =
                self.is_reply && kinds.is_some_and(|kinds| kinds.iter().any(|it| it == "null"));
            return if or_null { name + " or null" } else { name };
        }
        let several = ["anyOf", "oneOf"].iter().find_map(|name| schema.get(*name)?.as_array());
        if let Some(several) = several {
            let kinds: Vec<String> = several.iter().map(|it| self.kind(it, place)).collect();
            let kinds = kinds.into_iter().filter(|it| !it.is_empty());
            return kinds.collect::<Vec<_>>().join(" or ");
        }
        let kinds = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind.as_str()],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => vec!["any JSON"],
        };
        let mut text = Vec::new();
        for kind in kinds {
            match kind {
                "null" if !self.is_reply => {}
                "array" => text.push(self.list(schema, place)),
                "object" => text.push(map(schema)),
                other => text.push(bounded(other, schema)),
            }
        }
        text.join(" or ")
    }

    /// Returns a link to an object. The object gets a table later, unless it was already shown.
    fn linked(&mut self, name: &str, schema: &'a Value) -> String {
        if self.shown.insert(name.to_owned()) {
            self.waiting.push_back((name.to_owned(), schema));
        }
        let anchor = name.to_ascii_lowercase().replace('.', "");
        format!("[{name}](#object-{anchor})")
    }

    fn list(&mut self, schema: &'a Value, place: &str) -> String {
        let of = schema.get("items").map(|items| self.kind(items, place)).unwrap_or_default();
        format!("list of {of}{}", range(schema, "minItems", "maxItems", " entries"))
    }
}

fn described(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str).unwrap_or_default();
    text.replace('\n', " ").replace('|', "\\|")
}

fn map(schema: &Value) -> String {
    let keys = range(schema, "", "maxProperties", " keys");
    let of = |part: &str| {
        let part = schema.get(part);
        part.map_or_else(String::new, |it| range(it, "minLength", "maxLength", " characters"))
    };
    let bounds = [("keys", of("propertyNames")), ("values", of("additionalProperties"))];
    let bounds = bounds.iter().filter(|(_, range)| !range.is_empty());
    let bounds: Vec<String> =
        bounds.map(|(what, range)| format!("{what} of{}", range.trim_start_matches(','))).collect();
    let stop = if bounds.is_empty() { "" } else { "; " };
    format!("object of strings{keys}{stop}{}", bounds.join(", "))
}

fn bounded(kind: &str, schema: &Value) -> String {
    let mut text = match schema.get("format").and_then(Value::as_str) {
        _ if kind == "null" => "null".to_owned(),
        Some(ID) => {
            let pattern = schema.get("pattern").and_then(Value::as_str).unwrap_or_default();
            let prefix = pattern.trim_start_matches('^').split('_').next().unwrap_or_default();
            format!("id, `{prefix}_…`")
        }
        Some(NUMBER) => "phone number".to_owned(),
        Some("date-time") => "time".to_owned(),
        Some("uri") => "address".to_owned(),
        _ => kind.to_owned(),
    };
    if kind == "null" {
        return text;
    }
    if let Some(Value::Array(words)) = schema.get("enum") {
        let words = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`"));
        return format!("one of {}", words.collect::<Vec<_>>().join(", "));
    }
    if let Some(word) = schema.get("const") {
        return format!("`{}`", word.as_str().unwrap_or_default());
    }
    text.push_str(&range(schema, "minLength", "maxLength", " characters"));
    text.push_str(&range(schema, "minimum", "maximum", ""));
    if let Some(default) = schema.get("default") {
        let default = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        text.extend([format!("; `{default}` if left out")]);
    }
    text
}

fn range(schema: &Value, least: &str, most: &str, unit: &str) -> String {
    let number = |name: &str| schema.get(name).and_then(Value::as_i64);
    match (number(least), number(most)) {
        (Some(least), Some(most)) => format!(", {least} to {most}{unit}"),
        (None, Some(most)) => format!(", at most {most}{unit}"),
        (Some(least), None) if least > 0 => format!(", at least {least}{unit}"),
        _ => String::new(),
    }
}
