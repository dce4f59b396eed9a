//! A Postman collection of the API, made from the `OpenAPI` document.

use serde_json::{Map, Value, json};

/// The format of the collection.
const SCHEMA: &str = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";

/// The methods of an `OpenAPI` path.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Returns a collection with a folder for each tag of the document, and in it a request for each
/// example of an operation. The credentials are variables.
pub fn collection(document: &Value, base_url: &str) -> Value {
    let folders = members(document, "tags").iter().filter_map(|tag| {
        let name = text(tag, "name");
        let requests: Vec<Value> = operations(document)
            .filter(|(_, _, operation)| members(operation, "tags").iter().any(|it| it == name))
            .flat_map(|(path, method, operation)| requests(path, method, operation))
            .collect();
        let description = text(tag, "description");
        (!requests.is_empty())
            .then(|| json!({ "name": name, "description": description, "item": requests }))
    });
    let variable = |key: &str, value: &str| json!({ "key": key, "value": value });
    json!({
        "info": {
            "name": "Switchboard",
            "schema": SCHEMA,
            "description": "Set the variables `client_id` and `client_secret` to those of a key, and the variables of \
                            the application to its own.",
        },
        "auth": {
            "type": "bearer",
            "bearer": [{ "key": "token", "value": "{{client_id}}.{{client_secret}}", "type": "string" }],
        },
        "variable": [
            variable("base_url", base_url),
            variable("client_id", ""),
            variable("client_secret", ""),
            variable("application_client_id", ""),
            variable("application_client_secret", ""),
        ],
        "item": folders.collect::<Vec<Value>>(),
    })
}

fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let paths = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    paths.flat_map(|(path, methods)| {
        METHODS
            .iter()
            .filter_map(move |method| Some((path.as_str(), *method, methods.get(*method)?)))
    })
}

/// Returns one request for each example of the operation's body. Returns a single request for an
/// operation without a body.
fn requests(path: &str, method: &str, operation: &Value) -> Vec<Value> {
    let summary = text(operation, "summary").trim_end_matches('.');
    let body = operation.pointer("/requestBody/content/application~1json");
    let examples = body.and_then(|it| it.get("examples")).and_then(Value::as_object);
    let request = |name: &str, example: Option<&Value>| json!({ "name": name, "request": request(path, method, operation, example) });
    match examples {
        Some(examples) => examples
            .values()
            .enumerate()
            .map(|(place, it)| {
                let title = text(it, "summary");
                let further = format!("{summary}: {}", title.to_lowercase());
                request(if place == 0 { summary } else { &further }, it.get("value"))
            })
            .collect(),
        None => vec![request(summary, body.and_then(|it| it.get("example")))],
    }
}

fn request(path: &str, method: &str, operation: &Value, example: Option<&Value>) -> Value {
    let mut request = Map::new();
    request.insert("method".to_owned(), json!(method.to_uppercase()));
    request.insert("description".to_owned(), json!(text(operation, "description")));
    request.insert("header".to_owned(), headers(operation, example.is_some()));
    request.insert("url".to_owned(), url(path, operation));
    if let Some(auth) = auth(operation) {
        request.insert("auth".to_owned(), auth);
    }
    if let Some(example) = example {
        let options = json!({ "raw": { "language": "json" } });
        let body = json!({ "mode": "raw", "raw": format!("{example:#}"), "options": options });
        request.insert("body".to_owned(), body);
    }
    Value::Object(request)
}

/// Returns the authentication of an operation, if it differs from that of the collection.
fn auth(operation: &Value) -> Option<Value> {
    let schemes = members(operation, "security");
    match schemes {
        [] => Some(json!({ "type": "noauth" })),
        [only] if only.get("applicationPair").is_some() => Some(json!({
            "type": "basic",
            "basic": [
                { "key": "username", "value": "{{application_client_id}}", "type": "string" },
                { "key": "password", "value": "{{application_client_secret}}", "type": "string" },
            ],
        })),
        _ => None,
    }
}

fn headers(operation: &Value, has_body: bool) -> Value {
    let mut headers = Vec::new();
    if has_body {
        headers.push(json!({ "key": "Content-Type", "value": "application/json" }));
    }
    if parameters(operation, "header").any(|it| text(it, "name") == "Idempotency-Key") {
        headers.push(json!({ "key": "Idempotency-Key", "value": "{{$guid}}" }));
    }
    Value::Array(headers)
}

fn url(path: &str, operation: &Value) -> Value {
    let place = |segment: &str| match segment.strip_prefix('{').and_then(|it| it.strip_suffix('}'))
    {
        Some(name) => format!(":{name}"),
        None => segment.to_owned(),
    };
    let segments: Vec<String> = path.split('/').skip(1).map(place).collect();
    let example = |it: &Value| match it.get("example") {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let described = |it: &Value| {
        let (name, description) = (text(it, "name"), text(it, "description"));
        json!({ "key": name, "value": example(it), "description": description })
    };
    // In Postman, a parameter without an example is disabled until the user enables it.
    let query = parameters(operation, "query").map(|it| {
        let mut shown = described(it);
        if let (true, Value::Object(fields)) = (it.get("example").is_none(), &mut shown) {
            fields.insert("disabled".to_owned(), Value::Bool(true));
        }
        shown
    });
    json!({
        "raw": format!("{{{{base_url}}}}/{}", segments.join("/")),
        "host": ["{{base_url}}"],
        "path": segments,
        "query": query.collect::<Vec<Value>>(),
        "variable": parameters(operation, "path").map(described).collect::<Vec<Value>>(),
    })
}

fn parameters<'a>(operation: &'a Value, place: &'a str) -> impl Iterator<Item = &'a Value> {
    members(operation, "parameters").iter().filter(move |it| text(it, "in") == place)
}

fn members<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_has_a_request_for_each_example() {
        let operation = json!({
            "tags": ["notes"],
            "summary": "Write a note.",
            "description": "A note.",
            "security": [{ "clientId": [], "clientSecret": [] }, { "accessToken": [] }],
            "parameters": [
                { "name": "id", "in": "path", "required": true, "example": "conv_1" },
                { "name": "limit", "in": "query", "required": false, "example": 20 },
                { "name": "after", "in": "query", "required": false },
                { "name": "Idempotency-Key", "in": "header", "required": false },
            ],
            "requestBody": { "content": { "application/json": { "examples": {
                "a": { "summary": "Write a note.", "value": { "text": "One" } },
                "b": { "summary": "A long one", "value": { "text": "Two" } },
            } } } },
        });
        let document = json!({
            "tags": [{ "name": "notes", "description": "Notes." }, { "name": "empty" }],
            "paths": { "/api/v1/conversations/{id}/notes": { "post": operation } },
        });
        let made = collection(&document, "https://api.example");
        assert_eq!(members(&made, "item").len(), 1, "{made:#}");
        let requests = members(&made["item"][0], "item");
        let names: Vec<&str> = requests.iter().map(|it| text(it, "name")).collect();
        assert_eq!(names, ["Write a note", "Write a note: a long one"]);
        let first = &requests[0]["request"];
        assert_eq!(first["url"]["raw"], "{{base_url}}/api/v1/conversations/:id/notes");
        assert_eq!(first["url"]["variable"][0]["value"], "conv_1");
        assert_eq!(first["url"]["query"][0]["value"], "20");
        assert!(first["url"]["query"][0].get("disabled").is_none());
        assert_eq!(first["url"]["query"][1]["disabled"], true);
        assert_eq!(first["header"][1]["key"], "Idempotency-Key");
        let body: Value = serde_json::from_str(text(&first["body"], "raw")).unwrap();
        assert_eq!(body, json!({ "text": "One" }));
        assert!(first.get("auth").is_none(), "the credentials are those of the collection");
    }

    #[test]
    fn every_operation_of_the_document_is_in_the_collection() {
        let reference = crate::Reference::new("https://api.example", "https://api.example/plan");
        let (document, collection) = (reference.openapi(), reference.postman());
        let folders = members(&collection, "item").iter();
        let requests: Vec<&Value> = folders.flat_map(|it| members(it, "item")).collect();
        for (path, method, operation) in operations(&document) {
            let raw = format!("{{{{base_url}}}}{}", path.replace('{', ":").replace('}', ""));
            let is_it = |it: &&&Value| {
                it["request"]["url"]["raw"] == raw.as_str()
                    && it["request"]["method"] == method.to_uppercase().as_str()
            };
            let found = requests.iter().find(is_it);
            let found = found.unwrap_or_else(|| panic!("{method} {path} is missing"));
            let has_body = operation.get("requestBody").is_some();
            assert_eq!(found["request"].get("body").is_some(), has_body, "{method} {path}");
        }
    }
}
