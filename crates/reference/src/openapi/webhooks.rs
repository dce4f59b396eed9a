//! Outgoing webhooks, as the `webhooks` of the document.

use super::document::{
    JSON, OpenApiContent, OpenApiExample, OpenApiOperation, OpenApiParameter, OpenApiResponse,
    Ordered, PREFIX, RequestBody,
};
use api_types::event::{example, schema_name};
use api_types::json;
use domain::event::EventKind;
use domain::keyword::Keyword as _;
use schemars::json_schema;

/// Returns the description of the webhook for each event. The schema of its body is one branch of
/// the union of events in `GET /api/v1/events`.
pub fn webhooks() -> Ordered<Ordered<OpenApiOperation>> {
    let called = |kind: &EventKind| {
        let calls = Ordered(vec![("post".to_owned(), operation(*kind))]);
        (kind.as_str().to_owned(), calls)
    };
    Ordered(EventKind::ALL.iter().map(called).collect())
}

fn operation(kind: EventKind) -> OpenApiOperation {
    let content = OpenApiContent {
        schema: json_schema!({ "$ref": format!("{PREFIX}{}", schema_name(kind)) }),
        example: Some(json::value(&example(kind))),
        examples: Ordered::<OpenApiExample>::default(),
    };
    let taken = OpenApiResponse {
        description: "Any 2xx within 15 seconds: it is not sent again.".to_owned(),
        headers: Ordered::default(),
        content: Ordered::default(),
    };
    OpenApiOperation {
        operation_id: format!("on_{}", kind.as_str().replace('.', "_")),
        tags: vec!["webhooks".to_owned()],
        summary: kind.plain_description().to_owned(),
        description: String::new(),
        security: Vec::new(),
        required_scope: None,
        other_scope: None,
        parameters: signed(),
        request_body: Some(RequestBody {
            required: true,
            content: Ordered(vec![(JSON.to_owned(), content)]),
        }),
        responses: Ordered(vec![("2XX".to_owned(), taken)]),
    }
}

/// Returns the headers that authenticate a webhook (Standard Webhooks 1.0).
fn signed() -> Vec<OpenApiParameter> {
    let header = |name: &str, description: &str| OpenApiParameter {
        name: name.to_owned(),
        place: "header",
        description: description.to_owned(),
        required: true,
        schema: json_schema!({ "type": "string" }),
        example: None,
    };
    vec![
        header("webhook-id", "The event's id; the same for every delivery of the event."),
        header("webhook-timestamp", "The time of this attempt, in seconds since 1970."),
        header(
            "webhook-signature",
            "`v1,` and the base64 of an HMAC-SHA256 over `id.timestamp.body`.",
        ),
    ]
}
