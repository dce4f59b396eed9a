//! `POST /api/v1/webhook-endpoints` (`docs/contract.md#webhooks`).

use super::{EXAMPLE_URL, EndpointRecord, EndpointWithSecret, problem, selection};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::schema::UrlText;
use domain::application::MAX_DESCRIPTION_LENGTH;
use domain::event::EventKind;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use domain::webhook::Selection;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::endpoints::{self, EndpointInput};

/// Creates a webhook endpoint.
pub struct CreateEndpoint;

/// A webhook endpoint.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CreateWebhookEndpoint")]
pub struct CreateEndpointBody {
    /// The URL that events are posted to.
    #[schemars(required, with = "UrlText")]
    url: Option<String>,
    /// The purpose of the endpoint, for your colleagues.
    #[schemars(length(max = MAX_DESCRIPTION_LENGTH))]
    description: Option<String>,
    /// The types of events to send; `["*"]`, which is the default, for all.
    events: Option<Vec<String>>,
}

struct NewEndpoint {
    url: String,
    description: String,
    events: Selection,
}

impl Operation for CreateEndpoint {
    const ID: &'static str = "create_webhook_endpoint";
    const SUMMARY: &'static str = "Create a webhook endpoint.";
    const DESCRIPTION: &'static str = "\
Creates an endpoint that receives the events of your organization. With an application's own client id and secret it receives the events of
that application's connections. The response has the secret for [verifying requests](#webhooks); it is not shown again.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/webhook-endpoints";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::CREATED;
    const PROBLEMS: &'static [Code] = &[Code::NotFound, Code::TooManyEndpoints];
    const SHOWS_SECRET: bool = true;
    type Caller = KeyOrApplicationHolder;
    type Path = Nothing;
    type Input = CreateEndpointBody;
    type Reply = EndpointWithSecret;

    fn example() -> ExampleOf<Self> {
        let events = [EventKind::MessageReceived, EventKind::MessageFailed];
        let input = CreateEndpointBody {
            url: Some(EXAMPLE_URL.to_owned()),
            description: Some("Order status".to_owned()),
            events: Some(events.map(|kind| kind.as_str().to_owned()).into()),
        };
        Example { path: Nothing {}, input: Some(input), reply: EndpointWithSecret::sample() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<EndpointWithSecret>, Problem> {
        let NewEndpoint { url, description, events } = call.parse(CreateEndpointBody::parse)?;
        let input = EndpointInput { url: &url, description: &description, events };
        let (endpoint, secret) =
            endpoints::create(&call.deps, call.caller.owner(), input).await.map_err(problem)?;
        let reply = EndpointWithSecret {
            endpoint: EndpointRecord::new(&endpoint)?,
            secret: secret.reveal().clone(),
        };
        Answer::new(Self::SUCCESS, &reply)
    }
}

impl CreateEndpointBody {
    fn parse(&self, faults: &mut Violations) -> Option<NewEndpoint> {
        let url = faults.require(&Field::root("url"), self.url.clone());
        let events = match &self.events {
            Some(events) => selection(events, faults),
            None => Some(Selection::All),
        };
        let description = self.description.clone().unwrap_or_default();
        Some(NewEndpoint { url: url?, description, events: events? })
    }
}
