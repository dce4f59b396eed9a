//! `GET /api/v1/webhook-endpoints` (`docs/contract.md#webhooks`).

use super::EndpointRecord;
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::pagination::{IdCursor, IdPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use api_types::schema::IdOf;
use domain::id::{self, WebhookEndpointId};
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::endpoints;

/// Lists the caller's webhook endpoints.
pub struct ListEndpoints;

/// The page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListWebhookEndpointsInput")]
pub struct ListEndpointsInput {
    /// Return the endpoints after the one with this id.
    #[schemars(with = "Option<IdOf<id::WebhookEndpoint>>")]
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of webhook endpoints, the oldest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpointPage")]
pub struct EndpointPage {
    /// The endpoints.
    data: Vec<EndpointRecord>,
    #[serde(flatten)]
    pagination: IdPagination<id::WebhookEndpoint>,
}

impl Operation for ListEndpoints {
    const ID: &'static str = "list_webhook_endpoints";
    const SUMMARY: &'static str = "List webhook endpoints.";
    const DESCRIPTION: &'static str = "\
Returns the webhook endpoints, in the order in which they were created. Secrets are not shown.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/webhook-endpoints";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyOrApplicationHolder;
    type Path = Nothing;
    type Input = ListEndpointsInput;
    type Reply = EndpointPage;

    fn example() -> ExampleOf<Self> {
        let input = ListEndpointsInput { limit: Some(LIMIT_DEFAULT), after: None };
        let data = vec![EndpointRecord::sample()];
        let reply = EndpointPage { data, pagination: IdPagination::last_page() };
        Example { path: Nothing {}, input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<EndpointPage>, Problem> {
        let cursor: IdCursor<WebhookEndpointId> = call
            .parse(|input, faults| IdCursor::parse(input.limit, input.after.as_deref(), faults))?;
        let found = endpoints::list(&call.deps, call.caller.owner(), call.caller.seen()).await?;
        let page = cursor.page(found, |it| it.id);
        let next_after = page.data.last().filter(|_| page.has_more).map(|it| it.id);
        let data = page.data.iter().map(EndpointRecord::new).collect::<Result<_, _>>()?;
        let reply = EndpointPage { data, pagination: IdPagination::new(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}
