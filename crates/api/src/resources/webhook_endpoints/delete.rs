//! `DELETE /api/v1/webhook-endpoints/{id}` (`docs/contract.md#webhooks`).

use super::{EndpointPath, unknown};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::IdOf;
use domain::id;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use service::endpoints;

/// Deletes a webhook endpoint.
pub struct DeleteEndpoint;

/// A webhook endpoint that was deleted.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DeletedWebhookEndpoint")]
pub struct DeletedEndpoint {
    /// The id of the endpoint.
    #[schemars(with = "IdOf<id::WebhookEndpoint>")]
    id: String,
    /// Always true.
    deleted: bool,
}

impl Operation for DeleteEndpoint {
    const ID: &'static str = "delete_webhook_endpoint";
    const SUMMARY: &'static str = "Delete a webhook endpoint.";
    const DESCRIPTION: &'static str = "\
Deletes a webhook endpoint with its log of deliveries. Nothing more is sent to it.";
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = Nothing;
    type Reply = DeletedEndpoint;

    fn example() -> ExampleOf<Self> {
        let reply = DeletedEndpoint { id: sample::ENDPOINT.to_string(), deleted: true };
        Example { path: EndpointPath::sample(), input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<DeletedEndpoint>, Problem> {
        call.parse(|_, _| Some(()))?;
        let id = call.path.parse()?;
        if !endpoints::delete(&call.deps, call.caller.owner(), id).await? {
            return Err(unknown());
        }
        Answer::new(Self::SUCCESS, &DeletedEndpoint { id: id.to_string(), deleted: true })
    }
}
