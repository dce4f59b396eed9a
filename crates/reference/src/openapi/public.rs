//! Endpoints outside the REST API: the token endpoint, and uploaded files.

use super::Addresses;
use super::answers::{self, REQUEST_ID, plain_headers};
use super::document::{
    JSON, OpenApiContent, OpenApiHeader, OpenApiOperation, OpenApiParameter, OpenApiResponse,
    Ordered, PREFIX, RequestBody,
};
use super::schemas::Schemas;
use actix_web::http::StatusCode;
use api_types::json;
use http_layer::problem::Code;
use pages::connect::TOKEN_PATH;
use pages::connect::token_answer::{Connected, ExchangeFailure, TokenRequest};
use pages::files::MEDIA_PATH;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::Value;

/// The schemas of the code exchange.
pub struct ExchangeSchemas {
    /// The request.
    pub asked: Schema,
    /// The answer on success.
    pub connected: Schema,
    /// The answer on failure.
    pub refused: Schema,
}

impl ExchangeSchemas {
    /// Adds the schemas and returns references to them.
    pub fn new(schemas: &mut Schemas) -> Self {
        Self {
            asked: object::<TokenRequest>(schemas, false),
            connected: object::<Connected>(schemas, true),
            refused: object::<ExchangeFailure>(schemas, true),
        }
    }
}

/// Returns the path, the method and the description of each endpoint outside the REST API.
pub fn describe(
    schemas: &mut Schemas,
    addresses: Addresses<'_>,
) -> Vec<(&'static str, &'static str, OpenApiOperation)> {
    let exchange = exchange(ExchangeSchemas::new(schemas), addresses);
    vec![(TOKEN_PATH, "post", exchange), (MEDIA_PATH, "get", file(addresses))]
}

/// Adds the schema of `T` and returns a reference to it.
fn object<T: JsonSchema>(schemas: &mut Schemas, is_reply: bool) -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let settings = if is_reply { settings.for_serialize() } else { settings.for_deserialize() };
    let name = T::schema_name();
    let schema = T::json_schema(&mut settings.into_generator());
    let add = if is_reply { Schemas::add_response } else { Schemas::add };
    add(schemas, &name, schema);
    json_schema!({ "$ref": format!("{PREFIX}{name}") })
}

fn content(schema: Schema) -> OpenApiContent {
    OpenApiContent { schema, example: None, examples: Ordered::default() }
}

fn with_example(schema: Schema, example: Value) -> OpenApiContent {
    OpenApiContent { example: Some(example), ..content(schema) }
}

/// Returns an example of a failed exchange.
#[must_use]
pub fn exchange_failure() -> Value {
    json::value(&ExchangeFailure::grant(REQUEST_ID.to_owned()))
}

fn exchange(exchange: ExchangeSchemas, addresses: Addresses<'_>) -> OpenApiOperation {
    let answer = |status: StatusCode, description: &str, schema, example| {
        let (description, mut headers) = (description.to_owned(), plain_headers(status));
        let about = "The answer must not be stored: it holds a secret, or might have.";
        let schema_of = json_schema!({ "type": "string", "const": "no-store" });
        let no_store = OpenApiHeader { description: about, required: true, schema: schema_of };
        headers.add("Cache-Control", no_store);
        let content = Ordered(vec![(JSON.to_owned(), with_example(schema, example))]);
        (status.as_str().to_owned(), OpenApiResponse { description, headers, content })
    };
    let refusal = "`invalid_grant`: a check failed; the answer does not say which one. `invalid_request`: a value is missing or \
                   cannot be read. Either way a code that the request names is no longer valid: start a new handshake.";
    let mut responses = Ordered(vec![
        answer(
            StatusCode::OK,
            "The connection, with its key.",
            exchange.connected,
            json::value(&Connected::sample()),
        ),
        answer(StatusCode::BAD_REQUEST, refusal, exchange.refused, exchange_failure()),
    ]);
    let codes = [Code::MethodNotAllowed, Code::InternalError, Code::Unavailable];
    answers::errors(&codes, addresses, None, plain_headers, &mut responses);
    let request = json::value(&TokenRequest::sample());
    let body =
        |kind: &str| (kind.to_owned(), with_example(exchange.asked.clone(), request.clone()));
    let bodies = vec![body(JSON), body("application/x-www-form-urlencoded")];
    OpenApiOperation {
        operation_id: "exchange_code".to_owned(),
        tags: vec!["connect".to_owned()],
        summary: "Exchange an authorization code for the key of a connection.".to_owned(),
        description:
            "From the application's server, within 60 seconds of the approval, exactly once. The application's own pair is in \
             the body, or in HTTP Basic (RFC 6749, 2.3.1), but not in both."
                .to_owned(),
        security: Vec::new(),
        required_scope: None,
        other_scope: None,
        parameters: Vec::new(),
        request_body: Some(RequestBody { required: true, content: Ordered(bodies) }),
        responses,
    }
}

fn file(addresses: Addresses<'_>) -> OpenApiOperation {
    let text = || json_schema!({ "type": "string" });
    let parameter = |name: &str, description: &str| OpenApiParameter {
        name: name.to_owned(),
        place: "path",
        description: description.to_owned(),
        required: true,
        schema: text(),
        example: None,
    };
    let bytes = |status: StatusCode, description: &str| {
        let content = Ordered(vec![("*/*".to_owned(), content(json_schema!({})))]);
        let (description, headers) = (description.to_owned(), plain_headers(status));
        (status.as_str().to_owned(), OpenApiResponse { description, headers, content })
    };
    let unchanged = OpenApiResponse {
        description: "The file has not changed.".to_owned(),
        headers: plain_headers(StatusCode::NOT_MODIFIED),
        content: Ordered::default(),
    };
    let mut responses = Ordered(vec![
        bytes(StatusCode::OK, "The file."),
        bytes(StatusCode::PARTIAL_CONTENT, "The part of it that `Range` asks for."),
        (StatusCode::NOT_MODIFIED.as_str().to_owned(), unchanged),
    ]);
    let codes = [Code::NotFound, Code::MethodNotAllowed, Code::RangeNotSatisfiable];
    let codes = [codes.as_slice(), &[Code::InternalError, Code::Unavailable]].concat();
    answers::errors(&codes, addresses, None, plain_headers, &mut responses);
    OpenApiOperation {
        operation_id: "get_file".to_owned(),
        tags: vec!["media".to_owned()],
        summary: "Read an uploaded file. It is public for anyone who knows its address.".to_owned(),
        description: "Answers `Range` and `If-None-Match`. A file that is no longer kept is a 404."
            .to_owned(),
        security: Vec::new(),
        required_scope: None,
        other_scope: None,
        parameters: vec![parameter("id", "The file's id."), parameter("name", "The file's name.")],
        request_body: None,
        responses,
    }
}
