//! `POST /api/v1/webhook-endpoints/{id}/test` (`docs/contract.md#webhooks`).

use super::deliveries::DeliveryRecord;
use super::{EndpointPath, find, problem, unknown};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use service::endpoints;

/// Sends a test event.
pub struct TestEndpoint;

impl Operation for TestEndpoint {
    const ID: &'static str = "test_webhook_endpoint";
    const SUMMARY: &'static str = "Test a webhook endpoint.";
    const DESCRIPTION: &'static str = "\
Sends the event `webhook.test` to the endpoint, even if it does not select it, waits up to two seconds for the answer, and returns the
delivery.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}/test";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = Nothing;
    type Reply = DeliveryRecord;

    fn example() -> ExampleOf<Self> {
        Example { path: EndpointPath::sample(), input: None, reply: DeliveryRecord::sample() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<DeliveryRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let (deps, owner) = (&call.deps, call.caller.owner());
        let found = find(deps, owner, &call.path).await?;
        let delivery = endpoints::send_test(deps, owner, call.caller.organization(), &found)
            .await
            .map_err(problem)?
            .ok_or_else(unknown)?;
        endpoints::next_attempt(deps, owner, found.id, delivery, 0).await?;
        let record = DeliveryRecord::find(deps, owner, found.id, delivery).await?;
        Answer::new(Self::SUCCESS, &record)
    }
}
