//! Describes a registered operation in `OpenAPI`.

use super::document::{
    JSON, OpenApiContent, OpenApiExample, OpenApiOperation, OpenApiParameter, Ordered, RequestBody,
};
use super::schemas::Schemas;
use super::{Addresses, answers, group};
use actix_web::http::Method;
use api::admission::Access;
use api::call::MAX_IDEMPOTENCY_KEY_LENGTH;
use api::registry::Specification;
use domain::keyword::Keyword;
use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

pub fn describe(
    specification: &Specification,
    schemas: &Schemas,
    addresses: Addresses<'_>,
) -> OpenApiOperation {
    let input: Option<Map<String, Value>> = serde_json::from_str(&specification.example.input).ok();
    let mut parameters = in_path(specification, schemas);
    let mut request_body = None;
    if specification.method == Method::GET {
        parameters.extend(in_query(specification, schemas, input.as_ref()));
    } else {
        request_body = body(specification, schemas, input);
    }
    if specification.method == Method::POST {
        parameters.push(idempotency_key());
    }
    let scope = specification.access.scope().map(Keyword::as_str);
    let other_scope = specification.access.other_scope().map(Keyword::as_str);
    // OpenAPI 3.1 lists required scopes next to each credential, for any type of credential.
    let mut security = Vec::new();
    for scope in std::iter::once(scope).chain(other_scope.map(Some)) {
        let granted: Vec<&str> = scope.into_iter().collect();
        security.push(json!({ "clientId": granted, "clientSecret": granted }));
        if specification.access != Access::Application {
            security.push(json!({ "accessToken": granted }));
        }
    }
    if matches!(
        specification.access,
        Access::Application | Access::KeyOrApplication(_) | Access::AnyKeyOrApplication(_)
    ) {
        security.push(json!({ "applicationPair": [] }));
    }
    OpenApiOperation {
        operation_id: specification.id.to_owned(),
        tags: vec![group(specification).to_owned()],
        summary: specification.summary.to_owned(),
        description: format!("{}\n\n{}", specification.description, specification.access),
        security,
        required_scope: scope,
        other_scope,
        parameters,
        request_body,
        responses: answers::responses(specification, addresses),
    }
}

/// Returns the fields of an object's schema, and whether each is required.
pub fn fields(schema: &Value) -> Vec<(&str, &Value, bool)> {
    let required = schema.get("required").and_then(Value::as_array);
    let needed = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let fields = schema.get("properties").and_then(Value::as_object);
    fields.into_iter().flatten().map(|(name, it)| (name.as_str(), it, needed(name))).collect()
}

fn in_path(specification: &Specification, schemas: &Schemas) -> Vec<OpenApiParameter> {
    let schema = specification.parameters.as_value();
    let fields = fields(schemas.resolved(schema)).into_iter();
    fields
        .map(|(name, schema, _)| {
            let given = specification.example.path.iter().find(|(of, _)| *of == name);
            let example = given.map(|(_, value)| value.as_str().into());
            parameter(name, "path", true, schema, example)
        })
        .collect()
}

fn in_query(
    specification: &Specification,
    schemas: &Schemas,
    example: Option<&Map<String, Value>>,
) -> Vec<OpenApiParameter> {
    let schema = schemas.input(&specification.input).to_value();
    let fields = fields(schemas.resolved(&schema)).into_iter();
    fields
        .map(|(name, schema, required)| {
            let example = example.and_then(|fields| fields.get(name)).cloned();
            parameter(name, "query", required, schema, example)
        })
        .collect()
}

fn parameter(
    name: &str,
    place: &'static str,
    required: bool,
    schema: &Value,
    example: Option<Value>,
) -> OpenApiParameter {
    let mut schema = schema.clone();
    let mut description = String::new();
    if let Value::Object(fields) = &mut schema {
        if let Some(Value::String(text)) = fields.remove("description") {
            description = text;
        }
        never_null(fields);
    }
    #[expect(clippy::disallowed_methods, reason = "every object and every boolean is a schema")]
    let schema = Schema::try_from(schema).unwrap_or_default();
    OpenApiParameter { name: name.to_owned(), place, description, required, schema, example }
}

/// Removes null from a parameter's schema, because a value in a URL is text and cannot be null.
fn never_null(fields: &mut Map<String, Value>) {
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            fields.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(words)) = fields.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
}

fn body(
    specification: &Specification,
    schemas: &Schemas,
    example: Option<Map<String, Value>>,
) -> Option<RequestBody> {
    let schema = schemas.input(&specification.input);
    let value = schema.clone().to_value();
    let fields = fields(schemas.resolved(&value));
    if fields.is_empty() {
        return None;
    }
    let required = fields.iter().any(|(_, _, required)| *required);
    let mut content = OpenApiContent {
        schema,
        example: example.map(Value::Object),
        examples: Ordered::default(),
    };
    if !specification.variants.is_empty() {
        // OpenAPI allows either `example` or `examples`, not both.
        let first = content.example.take().map(|it| (specification.id, specification.summary, it));
        let others = specification.variants.iter().filter_map(|it| {
            serde_json::from_str(&it.input).ok().map(|input| (it.name, it.title, input))
        });
        for (name, summary, value) in first.into_iter().chain(others) {
            content.examples.add(name, OpenApiExample { summary, value });
        }
    }
    let content = Ordered(vec![(JSON.to_owned(), content)]);
    Some(RequestBody { required, content })
}

fn idempotency_key() -> OpenApiParameter {
    let description = "A unique value that you choose for this request. A request repeated with the same body within \
                       24 hours gets the first response, and nothing is done twice.";
    OpenApiParameter {
        name: "Idempotency-Key".to_owned(),
        place: "header",
        description: description.to_owned(),
        required: false,
        schema: json_schema!({
            "type": "string", "minLength": 1, "maxLength": MAX_IDEMPOTENCY_KEY_LENGTH, "pattern": "^[!-~]+$",
        }),
        example: None,
    }
}
