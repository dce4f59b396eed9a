//! The answers of an operation: its responses on success, and all errors that it can return.

use super::Addresses;
use super::document::{JSON, PREFIX};
use super::document::{OpenApiContent, OpenApiExample, OpenApiHeader, OpenApiResponse, Ordered};
use super::schemas::Schemas;
use actix_web::http::{Method, StatusCode};
use api::admission::Access;
use api::operation::EXAMPLE_BASE_URL;
use api::registry::Specification;
use domain::scope::Scope;
use http_layer::problem::{Code, SampleContext, details};
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::Value;
use std::collections::BTreeMap;

/// The request id in examples.
pub const REQUEST_ID: &str = "req_01jd7qkz5v0m6h2r8e4t1w9y3b";

/// Returns all answers of an operation, by status.
pub fn responses(
    specification: &Specification,
    addresses: Addresses<'_>,
) -> Ordered<OpenApiResponse> {
    let reply = specification.example.reply.replace(EXAMPLE_BASE_URL, addresses.base_url);
    let mut answers = Ordered::default();
    for (status, schema) in &specification.replies {
        let has_example = *status == specification.success && !specification.answers_with_file();
        let example = has_example.then(|| serde_json::from_str(&reply).ok());
        // All success statuses share one schema. A generated client decodes every answer by the
        // first schema that it finds. With several schemas, it would take the answer of another one
        // for a failure and send the message again.
        let content = OpenApiContent {
            schema: specification.reply.clone(),
            example: example.flatten(),
            examples: Ordered::default(),
        };
        answers.add(
            status.as_str(),
            OpenApiResponse {
                description: meaning(*status, specification) + &which(specification, schema),
                headers: headers(specification, *status),
                content: Ordered(vec![(specification.content_type.to_owned(), content)]),
            },
        );
    }
    let headers = |status| headers(specification, status);
    let scope = specification.access.scope();
    errors(&specification.all_problems(), addresses, scope, headers, &mut answers);
    answers
}

fn meaning(status: StatusCode, specification: &Specification) -> String {
    let text = if status == specification.success {
        "It worked."
    } else {
        "It would have worked: `dry_run` was set, and nothing was sent or stored."
    };
    text.to_owned()
}

/// Names the body of a status, if there are several success statuses.
fn which(specification: &Specification, schema: &Schema) -> String {
    let name = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(PREFIX));
    match name {
        Some(name) if specification.replies.len() > 1 => format!(" The body is the `{name}`."),
        _ => String::new(),
    }
}

/// Returns an example of an error's body.
#[must_use]
pub fn error_example(code: Code, of: &SampleContext<'_>) -> Value {
    code.sample(of).json(REQUEST_ID)
}

/// Adds the answers for these errors, one per status. `scope` is the scope that the operation
/// requires.
pub fn errors(
    codes: &[Code],
    addresses: Addresses<'_>,
    scope: Option<Scope>,
    headers: impl Fn(StatusCode) -> Ordered<OpenApiHeader>,
    answers: &mut Ordered<OpenApiResponse>,
) {
    let mut by_status: BTreeMap<u16, (StatusCode, Vec<Code>)> = BTreeMap::new();
    for code in codes {
        let status = code.status();
        by_status.entry(status.as_u16()).or_insert((status, Vec::new())).1.push(*code);
    }
    for (status, codes) in by_status.into_values() {
        let lines = codes.iter().map(|code| format!("`{}`: {}", code.as_str(), code.about()));
        let examples = codes.iter().map(|code| {
            let value =
                error_example(*code, &SampleContext { upgrade_url: addresses.upgrade_url, scope });
            (code.as_str().to_owned(), OpenApiExample { summary: code.about(), value })
        });
        let content = OpenApiContent {
            schema: one_of(&codes),
            example: None,
            examples: Ordered(examples.collect()),
        };
        answers.add(
            status.as_str(),
            OpenApiResponse {
                description: lines.collect::<Vec<_>>().join("\n\n"),
                headers: headers(status),
                content: Ordered(vec![(JSON.to_owned(), content)]),
            },
        );
    }
}

/// Returns the schema of an answer with one of these errors. Errors with fields of their own come
/// first, because generated clients decode an answer by the first schema that it fits.
fn one_of(codes: &[Code]) -> Schema {
    let mut generator = generator();
    let mut names: Vec<String> = codes
        .iter()
        .filter(|code| details::schema(**code, &mut generator).is_some())
        .map(|code| name(*code))
        .collect();
    if names.len() < codes.len() {
        names.push(COMMON.to_owned());
    }
    let reference = |name: &String| json_schema!({ "$ref": format!("{PREFIX}{name}") });
    match names.as_slice() {
        [only] => reference(only),
        several => {
            let all: Vec<Schema> = several.iter().map(reference).collect();
            json_schema!({ "oneOf": all })
        }
    }
}

/// The name of the schema of all errors without fields of their own.
const COMMON: &str = "Error";

/// Returns the name of the schema of an error with fields of its own: `InsufficientScopeError`.
fn name(code: Code) -> String {
    let words = code.as_str().split('_').map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    format!("{}Error", words.collect::<String>().replace("Error", ""))
}

fn generator() -> SchemaGenerator {
    SchemaGenerator::new(
        schemars::generate::SchemaSettings::draft2020_12()
            .for_serialize()
            .with(|settings| settings.inline_subschemas = true),
    )
}

/// Adds the schema that most errors share, and one for each error with fields of its own.
pub fn describe_errors(schemas: &mut Schemas) {
    let mut generator = generator();
    let mut has_fields = |code: &Code| details::schema(*code, &mut generator).is_some();
    let common: Vec<&str> =
        Code::ALL.iter().filter(|code| !has_fields(code)).map(|code| code.as_str()).collect();
    // The codes are listed, so that a client knows by its code which schema an error has.
    let common = error_schema(
        "An error. An error with further fields has a schema of its own.",
        &json_schema!({ "type": "string", "enum": common, "description": "A machine-readable error code." }),
    );
    schemas.add_response(COMMON, common);
    for code in Code::ALL {
        let Some(details) = details::schema(*code, &mut generator) else { continue };
        let mut schema = error_schema(
            code.about(),
            &json_schema!({ "type": "string", "const": code.as_str(), "description": "A machine-readable error code." }),
        );
        let fields = details.get("properties").and_then(Value::as_object).cloned();
        let required = details.get("required").and_then(Value::as_array).cloned();
        if let Some(all) = schema.pointer_mut("/properties").and_then(Value::as_object_mut) {
            all.extend(fields.unwrap_or_default());
        }
        if let Some(all) = schema.pointer_mut("/required").and_then(Value::as_array_mut) {
            all.extend(required.unwrap_or_default());
        }
        schemas.add_response(&name(*code), schema);
    }
}

/// Returns the schema of an error's body.
fn error_schema(about: &str, code: &Schema) -> Schema {
    json_schema!({
        "type": "object",
        "description": about,
        "properties": {
            "error": { "type": "string", "description": "A human-readable message." },
            "code": code,
            "request_id": { "type": "string", "minLength": 1, "description": "The request id; quote it when you contact support. Also in `X-Request-Id`." },
        },
        "required": ["error", "code", "request_id"],
    })
}

/// Returns the headers of an operation's answer.
fn headers(specification: &Specification, status: StatusCode) -> Ordered<OpenApiHeader> {
    let mut headers = plain_headers(status);
    let known = status != StatusCode::UNAUTHORIZED && status != StatusCode::METHOD_NOT_ALLOWED;
    if specification.access != Access::Application && known {
        let text = || json_schema!({ "type": "string" });
        let description = "The number of calls left, and the seconds until all are available again: `\"key\";r=97;t=12`, \
                           and a member `\"plan\"` if the plan has a daily ceiling of calls.";
        headers.add("RateLimit", OpenApiHeader { description, required: false, schema: text() });
        let description = "The limits themselves: `\"key\";q=100;w=60` is 100 calls in 60 seconds.";
        headers.add(
            "RateLimit-Policy",
            OpenApiHeader { description, required: false, schema: text() },
        );
    }
    let stored = status != StatusCode::TOO_MANY_REQUESTS && !status.is_server_error();
    if specification.method == Method::POST && known && stored {
        let description =
            "`true` if this answer repeats an earlier one to the same `Idempotency-Key`.";
        let schema = json_schema!({ "type": "string", "const": "true" });
        headers.add("Idempotent-Replayed", OpenApiHeader { description, required: false, schema });
    }
    headers
}

/// Returns the headers of every answer with this status.
pub fn plain_headers(status: StatusCode) -> Ordered<OpenApiHeader> {
    let text = || json_schema!({ "type": "string", "minLength": 1 });
    let mut headers = Ordered::default();
    let description =
        "The request, for support: yours, if you sent one of 1 to 128 visible ASCII characters.";
    headers.add("X-Request-Id", OpenApiHeader { description, required: true, schema: text() });
    match status {
        StatusCode::UNAUTHORIZED => {
            let description = "How to authenticate.";
            headers.add(
                "WWW-Authenticate",
                OpenApiHeader { description, required: true, schema: text() },
            );
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            let description = "The methods that the path has.";
            headers.add("Allow", OpenApiHeader { description, required: true, schema: text() });
        }
        StatusCode::TOO_MANY_REQUESTS => {
            let description = "The number of seconds until the next call is admitted.";
            let schema = json_schema!({ "type": "integer", "minimum": 1 });
            headers.add("Retry-After", OpenApiHeader { description, required: true, schema });
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            let description = "The number of seconds after which a retry makes sense; missing if only the \
                               operator of the service can help.";
            let schema = json_schema!({ "type": "integer", "minimum": 1 });
            headers.add("Retry-After", OpenApiHeader { description, required: false, schema });
        }
        _ => {}
    }
    headers
}
