//! `POST /api/v1/webhook-endpoints/{id}/rotate` (`docs/contract.md#webhooks`).

use super::{EndpointPath, EndpointRecord, EndpointWithSecret, find, problem, unknown};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use service::endpoints;

/// Gives a webhook endpoint a new secret.
pub struct RotateSecret;

impl Operation for RotateSecret {
    const ID: &'static str = "rotate_webhook_secret";
    const SUMMARY: &'static str = "Rotate the secret of a webhook endpoint.";
    const DESCRIPTION: &'static str = "\
Gives the endpoint a new secret and returns it. For 24 hours, requests are signed with the previous secret as well, so that you
can switch your server to the new secret without losing a delivery.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}/rotate";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    const SHOWS_SECRET: bool = true;
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = Nothing;
    type Reply = EndpointWithSecret;

    fn example() -> ExampleOf<Self> {
        Example { path: EndpointPath::sample(), input: None, reply: EndpointWithSecret::sample() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<EndpointWithSecret>, Problem> {
        call.parse(|_, _| Some(()))?;
        let (deps, owner) = (&call.deps, call.caller.owner());
        let found = find(deps, owner, &call.path).await?;
        let secret =
            endpoints::rotate(deps, owner, found.id).await.map_err(problem)?.ok_or_else(unknown)?;
        let reply = EndpointWithSecret {
            endpoint: EndpointRecord::new(&found)?,
            secret: secret.reveal().clone(),
        };
        Answer::new(Self::SUCCESS, &reply)
    }
}
