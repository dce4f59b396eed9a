//! The `OpenAPI` document as the clients need it: named types, and operations. Bounds and patterns
//! are left out, because the server checks them.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

/// A JSON type.
#[derive(Clone, Debug, PartialEq)]
pub enum JsonType {
    Text,
    Integer,
    Number,
    Boolean,
    Null,
    Anything,
    /// One of these values.
    Literals(Vec<Value>),
    /// The named type.
    Reference(String),
    List(Box<JsonType>),
    /// An object with any keys.
    Map(Box<JsonType>),
    Object(Vec<Field>),
    OneOf(Vec<JsonType>),
}

/// A field of an object, or a parameter of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub name: String,
    pub json_type: JsonType,
    pub is_required: bool,
    pub description: String,
}

/// A type with its name in the document.
pub struct NamedType {
    pub name: String,
    pub json_type: JsonType,
    pub description: String,
}

/// An endpoint.
pub struct ClientOperation {
    pub id: String,
    pub method: String,
    pub path: String,
    pub summary: String,
    pub description: String,
    pub path_parameters: Vec<String>,
    pub query: Vec<Field>,
    pub body: Option<RequestBody>,
    /// Whether a repeated call can be recognized by its `Idempotency-Key`.
    pub takes_idempotency_key: bool,
    /// The type of the answer; none if the answer is a file.
    pub reply: Option<String>,
    pub paging: Option<Paging>,
}

pub struct RequestBody {
    pub type_name: String,
    pub is_required: bool,
}

/// How a list continues.
pub struct Paging {
    pub kind: PagingKind,
    /// The type of an entry.
    pub entry: JsonType,
    /// The name of the iterator, in snake case.
    pub iterator: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagingKind {
    /// `after` is the `next_after` of the page.
    Position,
    /// `offset` is the `pagination.next_offset` of the page.
    Offset,
}

pub struct ClientDocument {
    pub types: Vec<NamedType>,
    pub operations: Vec<ClientOperation>,
}

impl ClientDocument {
    pub fn parse(document: &Value) -> Result<Self> {
        let schemas = object(at(document, "/components/schemas"))?;
        let types = schemas.iter().map(|(name, schema)| {
            let context = || format!("the schema {name} cannot be read");
            let json_type = parse_type(schema).with_context(context)?;
            Ok(NamedType {
                name: name.clone(),
                json_type,
                description: text(schema, "description"),
            })
        });
        let types = types.collect::<Result<_>>()?;
        let mut operations = Vec::new();
        for (path, methods) in object(&document["paths"])? {
            // The exchange of a code, and files, are not called with a key.
            if !path.starts_with("/api/v1/") {
                continue;
            }
            for (method, operation) in object(methods)? {
                let parsed = parse_operation(path, method, operation, schemas);
                operations.push(parsed.with_context(|| format!("{method} {path}"))?);
            }
        }
        Ok(Self { types, operations })
    }
}

/// The JSON pointer to the schema of a body.
const JSON_SCHEMA: &str = "/content/application~1json/schema";

/// Returns the value at a JSON pointer, or null.
fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}

fn object(value: &Value) -> Result<&Map<String, Value>> {
    value.as_object().context("not an object")
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

fn reference(schema: &Value) -> Option<String> {
    let target = schema["$ref"].as_str()?;
    target.strip_prefix("#/components/schemas/").map(str::to_owned)
}

fn parse_type(schema: &Value) -> Result<JsonType> {
    if let Some(name) = reference(schema) {
        return Ok(JsonType::Reference(name));
    }
    for union in ["oneOf", "anyOf"] {
        if let Some(branches) = schema[union].as_array() {
            return Ok(JsonType::OneOf(branches.iter().map(parse_type).collect::<Result<_>>()?));
        }
    }
    if let Some(value) = schema.get("const") {
        return Ok(JsonType::Literals(vec![value.clone()]));
    }
    if let Some(values) = schema["enum"].as_array() {
        return Ok(JsonType::Literals(values.clone()));
    }
    match &schema["type"] {
        Value::String(name) => parse_named(name, schema),
        Value::Array(names) => {
            let names = names.iter().filter_map(Value::as_str);
            Ok(JsonType::OneOf(names.map(|name| parse_named(name, schema)).collect::<Result<_>>()?))
        }
        _ => Ok(JsonType::Anything),
    }
}

fn parse_named(name: &str, schema: &Value) -> Result<JsonType> {
    Ok(match name {
        "string" => JsonType::Text,
        "integer" => JsonType::Integer,
        "number" => JsonType::Number,
        "boolean" => JsonType::Boolean,
        "null" => JsonType::Null,
        "array" => JsonType::List(Box::new(parse_type(&schema["items"])?)),
        "object" => match schema["properties"].as_object() {
            Some(properties) if !properties.is_empty() => {
                JsonType::Object(parse_fields(properties, &schema["required"])?)
            }
            _ => JsonType::Map(Box::new(match &schema["additionalProperties"] {
                values @ Value::Object(_) => parse_type(values)?,
                _ => JsonType::Anything,
            })),
        },
        _ => bail!("the type {name} is not known"),
    })
}

fn parse_fields(properties: &Map<String, Value>, required: &Value) -> Result<Vec<Field>> {
    let required: Vec<&str> =
        required.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let field = |(name, schema): (&String, &Value)| {
        Ok(Field {
            name: name.clone(),
            json_type: parse_type(schema).with_context(|| format!("the field {name}"))?,
            is_required: required.contains(&name.as_str()),
            description: text(schema, "description"),
        })
    };
    properties.iter().map(field).collect()
}

fn parse_operation(
    path: &str,
    method: &str,
    operation: &Value,
    schemas: &Map<String, Value>,
) -> Result<ClientOperation> {
    let id = text(operation, "operationId");
    let (mut path_parameters, mut query, mut takes_idempotency_key) =
        (Vec::new(), Vec::new(), false);
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        let name = text(parameter, "name");
        match parameter["in"].as_str() {
            Some("path") => path_parameters.push(name),
            Some("query") => query.push(Field {
                json_type: parse_type(&parameter["schema"])?,
                is_required: parameter["required"] == true,
                description: text(parameter, "description"),
                name,
            }),
            Some("header") if name == "Idempotency-Key" => takes_idempotency_key = true,
            _ => bail!("the parameter {name} is not supported"),
        }
    }
    let body = match operation.get("requestBody") {
        None => None,
        Some(body) => {
            let schema = at(body, JSON_SCHEMA);
            let type_name = reference(schema).context("the body has no named type")?;
            Some(RequestBody { type_name, is_required: body["required"] == true })
        }
    };
    let mut replies = object(&operation["responses"])?
        .iter()
        .filter(|(status, _)| status.starts_with('2'))
        .map(|(_, answer)| answer);
    let answer = replies.next().context("there is no answer")?;
    let reply = match at(answer, JSON_SCHEMA) {
        Value::Null => None,
        schema => Some(reference(schema).context("the answer has no named type")?),
    };
    let paging = match (method, &reply) {
        ("get", Some(reply)) => paging(&id, &schemas[reply])?,
        _ => None,
    };
    let (method, path) = (method.to_uppercase(), path.to_owned());
    let (summary, description) = (text(operation, "summary"), text(operation, "description"));
    Ok(ClientOperation {
        id,
        method,
        path,
        summary,
        description,
        path_parameters,
        query,
        body,
        takes_idempotency_key,
        reply,
        paging,
    })
}

/// Returns how the list continues, if the answer is a page of one.
fn paging(id: &str, reply: &Value) -> Result<Option<Paging>> {
    let kind = if reply.pointer("/properties/next_after").is_some() {
        PagingKind::Position
    } else if reference(at(reply, "/properties/pagination")).as_deref() == Some("Pagination") {
        PagingKind::Offset
    } else {
        return Ok(None);
    };
    let entry = parse_type(at(reply, "/properties/data/items"))?;
    let name = id.split_once('_').map_or(id, |(_, name)| name);
    Ok(Some(Paging { kind, entry, iterator: format!("iterate_{name}") }))
}

impl Field {
    /// Returns the type without null.
    pub fn without_null(&self) -> JsonType {
        match &self.json_type {
            JsonType::OneOf(branches) => {
                let rest: Vec<JsonType> =
                    branches.iter().filter(|it| **it != JsonType::Null).cloned().collect();
                match <[JsonType; 1]>::try_from(rest) {
                    Ok([only]) => only,
                    Err(rest) => JsonType::OneOf(rest),
                }
            }
            other => other.clone(),
        }
    }
}

/// Returns the words of a name in camel case, the first one capitalized or not.
pub fn camel_case(name: &str, capitalized: bool) -> String {
    let words = name.split(|it: char| !it.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut text = String::new();
    for (index, word) in words.enumerate() {
        let (first, rest) = word.split_at(1);
        if index > 0 || capitalized {
            text += &first.to_uppercase();
        } else {
            text += first;
        }
        text += rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_read_without_their_bounds() {
        let parsed = parse_type(&json!({
            "type": ["object", "null"],
            "properties": {
                "id": {"type": "string", "pattern": "^x$", "description": "The id."},
                "labels": {"type": "array", "items": {"$ref": "#/components/schemas/Label"}},
                "kind": {"enum": ["a", null]},
            },
            "required": ["id"],
        }));
        let field = |name: &str, json_type, is_required, description: &str| Field {
            name: name.to_owned(),
            json_type,
            is_required,
            description: description.to_owned(),
        };
        let labels = JsonType::List(Box::new(JsonType::Reference("Label".to_owned())));
        let fields = vec![
            field("id", JsonType::Text, true, "The id."),
            field("labels", labels, false, ""),
            field("kind", JsonType::Literals(vec![json!("a"), Value::Null]), false, ""),
        ];
        assert_eq!(
            parsed.unwrap(),
            JsonType::OneOf(vec![JsonType::Object(fields), JsonType::Null])
        );
        assert!(parse_type(&json!({"type": "tuple"})).is_err());
    }

    #[test]
    fn a_list_continues_as_its_page_says() {
        let page = |properties: Value| json!({"properties": properties});
        let data = json!({"type": "array", "items": {"$ref": "#/components/schemas/Message"}});
        let by_id = page(json!({"data": data, "next_after": {"type": "string"}}));
        let found = paging("list_messages", &by_id).unwrap().unwrap();
        assert_eq!(found.kind, PagingKind::Position);
        assert_eq!(found.iterator, "iterate_messages");
        assert_eq!(found.entry, JsonType::Reference("Message".to_owned()));
        let pagination = json!({"$ref": "#/components/schemas/Pagination"});
        let by_offset = page(json!({"data": data, "pagination": pagination}));
        let found = paging("get_history", &by_offset).unwrap().unwrap();
        assert_eq!(found.kind, PagingKind::Offset);
        let pagination = json!({"$ref": "#/components/schemas/CursorPagination"});
        let events = page(json!({
            "data": data, "next_after": {"type": "integer"}, "pagination": pagination,
        }));
        let found = paging("list_events", &events).unwrap().unwrap();
        assert_eq!(found.kind, PagingKind::Position);
        assert!(paging("get_me", &page(json!({"key": {}}))).unwrap().is_none());
    }

    #[test]
    fn names_are_written_in_camel_case() {
        assert_eq!(camel_case("send_message", false), "sendMessage");
        assert_eq!(camel_case("error-detail", true), "ErrorDetail");
    }
}
