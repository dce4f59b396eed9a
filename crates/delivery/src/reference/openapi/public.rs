//! What is no operation of the REST API and yet is called: the exchange of a code, and uploaded files.

use super::answers::{self, plain_headers};
use super::document::{
    Content, JSON, Operation, Ordered, PREFIX, Parameter, RequestBody, Response,
};
use super::schemas::Schemas;
use crate::connect::TOKEN_PATH;
use crate::connect::token_answer::{Connected, Refusal, TokenRequest};
use crate::files::MEDIA_PATH;
use crate::problem::Code;
use actix_web::http::StatusCode;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, json_schema};

/// Describes them: path, method and operation.
pub fn describe(
    schemas: &mut Schemas,
    upgrade_url: &str,
) -> Vec<(&'static str, &'static str, Operation)> {
    let form = "application/x-www-form-urlencoded";
    let asked = object::<TokenRequest>(schemas, false);
    let connected = object::<Connected>(schemas, true);
    let refused = object::<Refusal>(schemas, true);
    vec![
        (
            TOKEN_PATH,
            "post",
            exchange([(JSON, asked.clone()), (form, asked)], connected, refused, upgrade_url),
        ),
        (MEDIA_PATH, "get", file(upgrade_url)),
    ]
}

/// A reference to the schema of `T`, which is added.
fn object<T: JsonSchema>(schemas: &mut Schemas, is_reply: bool) -> Schema {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let settings = if is_reply { settings.for_serialize() } else { settings.for_deserialize() };
    let name = T::schema_name();
    schemas.add(&name, T::json_schema(&mut settings.into_generator()));
    json_schema!({ "$ref": format!("{PREFIX}{name}") })
}

fn content(schema: Schema) -> Content {
    Content { schema, example: None, examples: Ordered::default() }
}

fn exchange(
    bodies: [(&str, Schema); 2],
    connected: Schema,
    refused: Schema,
    upgrade_url: &str,
) -> Operation {
    let json = |schema| Ordered(vec![(JSON.to_owned(), content(schema))]);
    let answer = |status: StatusCode, description: &str, schema| {
        let (description, headers) = (description.to_owned(), plain_headers(status));
        (status.as_str().to_owned(), Response { description, headers, content: json(schema) })
    };
    let refusal = "`invalid_grant`: a check failed, and nobody is told which. `invalid_request`: something is missing or \
                   cannot be read. Either way a code that the request names is burnt: start the handshake anew.";
    let mut responses = Ordered(vec![
        answer(StatusCode::OK, "The connection, with its credentials.", connected),
        answer(StatusCode::BAD_REQUEST, refusal, refused),
    ]);
    let codes = [Code::MethodNotAllowed, Code::InternalError, Code::Unavailable];
    answers::errors(&codes, upgrade_url, plain_headers, &mut responses);
    let bodies = bodies.map(|(kind, schema)| (kind.to_owned(), content(schema)));
    Operation {
        operation_id: "exchange_code".to_owned(),
        tags: vec!["connect".to_owned()],
        summary: "Exchange an authorization code for the credentials of a connection.".to_owned(),
        description:
            "From the application's server, within 60 seconds of the approval, exactly once."
                .to_owned(),
        security: Vec::new(),
        parameters: Vec::new(),
        request_body: Some(RequestBody { required: true, content: Ordered(bodies.into()) }),
        responses,
    }
}

fn file(upgrade_url: &str) -> Operation {
    let text = || json_schema!({ "type": "string" });
    let parameter = |name: &str, description: &str| Parameter {
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
        (status.as_str().to_owned(), Response { description, headers, content })
    };
    let unchanged = Response {
        description: "You have it already.".to_owned(),
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
    answers::errors(&codes, upgrade_url, plain_headers, &mut responses);
    Operation {
        operation_id: "get_file".to_owned(),
        tags: vec!["media".to_owned()],
        summary: "Read an uploaded file: public, for whoever knows its address.".to_owned(),
        description: String::new(),
        security: Vec::new(),
        parameters: vec![parameter("id", "The file's id."), parameter("name", "The file's name.")],
        request_body: None,
        responses,
    }
}
