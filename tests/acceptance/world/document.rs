//! Checks each response in a test against the server's own `OpenAPI` document.

use jsonschema::Validator;
use reference::Reference;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

static DOCUMENT: LazyLock<Document> = LazyLock::new(Document::of_this_program);

/// The `OpenAPI` document, with the schemas compiled so far.
struct Document {
    paths: Value,
    components: Value,
    /// The schema of one status of an operation that has several success responses, by path, method
    /// and status.
    exact: HashMap<(String, String, u16), Value>,
    compiled: Mutex<HashMap<String, Arc<Validator>>>,
}

/// Panics unless the document allows this response.
#[track_caller]
pub fn allows(method: &str, path: &str, status: u16, headers: &HeaderMap, body: &Value) {
    // The document covers only the API and the token endpoint. A response to HEAD has no body to
    // check.
    if (path.starts_with("/api/v1/") || path == "/connect/token") && method != "HEAD" {
        let wrong = DOCUMENT.judge(method, path, status, headers, body);
        assert!(
            wrong.is_empty(),
            "the document does not allow {method} {path} → {status} {body}: {}",
            wrong.join("; ")
        );
    }
}

/// Returns the differences between a value and a schema of the document.
pub fn faults(name: &str, schema: &Value, value: &Value) -> Vec<String> {
    DOCUMENT.faults(name, schema, value)
}

impl Document {
    fn of_this_program() -> Self {
        let reference = Reference::new("https://api.example.com", "https://example.com/upgrade");
        let mut document = reference.openapi();
        close(&mut document["components"]["schemas"]);
        let (paths, components) = (document["paths"].take(), document["components"].take());
        Self { paths, components, exact: schemas_by_status(), compiled: Mutex::default() }
    }

    fn judge(
        &self,
        method: &str,
        path: &str,
        status: u16,
        headers: &HeaderMap,
        body: &Value,
    ) -> Vec<String> {
        let Some((template, operations)) = self.operations(path) else {
            let nowhere = json!({ "$ref": "#/components/schemas/Error" });
            return self.faults("not found", &nowhere, body);
        };
        let declared = operations.get(method.to_ascii_lowercase());
        // A 405 is the response to an undeclared method, so it is checked against any operation of
        // the path.
        let other = operations.as_object().and_then(|all| all.values().next());
        let (Some(operation), true) = (declared.or(other), declared.is_some() || status == 405)
        else {
            return vec!["no such method is declared".to_owned()];
        };
        let Some(response) = operation["responses"].get(status.to_string()) else {
            return vec!["the status is not declared".to_owned()];
        };
        let mut wrong = missing(&response["headers"], headers);
        let kind = headers.get("content-type").map_or("", |value| value.to_str().unwrap());
        let Some(content) = response["content"].get(kind) else {
            return vec![format!("the content type {kind} is not declared")];
        };
        if kind != "application/json" {
            return wrong;
        }
        wrong.extend(self.faults(
            &format!("{method} {template} {status}"),
            &content["schema"],
            body,
        ));
        let place = (template.clone(), method.to_owned(), status);
        if let Some(exact) = self.exact.get(&place) {
            wrong.extend(self.faults(&format!("{place:?} exactly"), exact, body));
        }
        wrong
    }

    /// Returns the path's template and its operations.
    fn operations(&self, path: &str) -> Option<(&String, &Value)> {
        let fits = |template: &str| {
            let (wanted, given) = (template.split('/'), path.split('/'));
            wanted.clone().count() == given.clone().count()
                && wanted.zip(given).all(|(wanted, given)| {
                    wanted == given || (wanted.starts_with('{') && !given.is_empty())
                })
        };
        let all = self.paths.as_object()?;
        let exact = all.iter().find(|(template, _)| *template == path);
        exact.or_else(|| all.iter().find(|(template, _)| fits(template)))
    }

    fn faults(&self, name: &str, schema: &Value, body: &Value) -> Vec<String> {
        let validator = self.compiled.lock().unwrap().get(name).cloned();
        let validator = validator.unwrap_or_else(|| {
            let mut whole = schema.clone();
            whole["components"] = self.components.clone();
            let options = jsonschema::options().should_validate_formats(true);
            let made = Arc::new(options.build(&whole).expect("the schema is one"));
            self.compiled.lock().unwrap().insert(name.to_owned(), made.clone());
            made
        });
        validator
            .iter_errors(body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect()
    }
}

/// For generated clients the document merges the success responses of an operation into one schema.
/// The registry still knows the schema of each status.
fn schemas_by_status() -> HashMap<(String, String, u16), Value> {
    let mut exact = HashMap::new();
    for it in api::registry().specifications() {
        for (status, schema) in it.replies.iter().filter(|_| it.replies.len() > 1) {
            let place = (it.path.to_owned(), it.method.to_string(), status.as_u16());
            exact.insert(place, schema.clone().to_value());
        }
    }
    exact
}

fn missing(declared: &Value, headers: &HeaderMap) -> Vec<String> {
    let all = declared.as_object().into_iter().flatten();
    let required = all.filter(|(_, header)| header["required"] == true);
    let missing = required.filter(|(name, _)| !headers.contains_key(name.as_str()));
    missing.map(|(name, _)| format!("the header {name} is missing")).collect()
}

/// Forbids properties that the document does not declare, in all object schemas.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("type").is_some_and(|kind| kind == "object")
                && fields.contains_key("properties")
            {
                fields.entry("additionalProperties").or_insert(false.into());
            }
            fields.values_mut().for_each(close);
        }
        Value::Array(entries) => entries.iter_mut().for_each(close),
        _ => {}
    }
}
