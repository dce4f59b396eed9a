//! `GET /api/v1/webhook-endpoints/{id}` (`docs/contract.md#webhooks`).

use super::{EndpointPath, EndpointRecord, find};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};

/// Reads a webhook endpoint.
pub struct GetEndpoint;

impl Operation for GetEndpoint {
    const ID: &'static str = "get_webhook_endpoint";
    const SUMMARY: &'static str = "Read a webhook endpoint.";
    const DESCRIPTION: &'static str = "Returns a webhook endpoint. The secret is not shown.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = Nothing;
    type Reply = EndpointRecord;

    fn example() -> ExampleOf<Self> {
        Example { path: EndpointPath::sample(), input: None, reply: EndpointRecord::sample() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<EndpointRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let found = find(&call.deps, call.caller.owner(), &call.path).await?;
        Answer::new(Self::SUCCESS, &EndpointRecord::new(&found)?)
    }
}
