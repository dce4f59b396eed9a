//! `PATCH /api/v1/webhook-endpoints/{id}` (`docs/contract.md#webhooks`).

use super::{EndpointPath, EndpointRecord, find, problem, selection};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::schema::{OneOf, UrlText};
use domain::application::MAX_DESCRIPTION_LENGTH;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use domain::webhook::{EndpointState, Selection};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::endpoints::{self, EndpointUpdate};

/// Changes a webhook endpoint.
pub struct UpdateEndpoint;

/// The fields to change. Fields that are omitted stay as they are.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UpdateWebhookEndpoint")]
pub struct UpdateEndpointBody {
    /// The URL that events are posted to.
    #[schemars(with = "Option<UrlText>")]
    url: Option<String>,
    /// The purpose of the endpoint; an empty text removes it.
    #[schemars(length(max = MAX_DESCRIPTION_LENGTH))]
    description: Option<String>,
    /// The types of events to send; `["*"]` for all.
    events: Option<Vec<String>>,
    /// Whether the endpoint receives events. Events that occur while it is disabled are delivered once
    /// it is enabled, as long as they are kept.
    #[schemars(with = "Option<OneOf<EndpointState>>")]
    state: Option<String>,
}

struct ParsedUpdate {
    events: Option<Selection>,
    state: Option<EndpointState>,
}

impl Operation for UpdateEndpoint {
    const ID: &'static str = "update_webhook_endpoint";
    const SUMMARY: &'static str = "Change a webhook endpoint.";
    const DESCRIPTION: &'static str = "\
Changes a webhook endpoint, disables it or enables it again, and returns it. Deliveries that are pending when it is disabled are
sent once it is enabled.";
    const METHOD: Method = Method::PATCH;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = UpdateEndpointBody;
    type Reply = EndpointRecord;

    fn example() -> ExampleOf<Self> {
        let input = UpdateEndpointBody {
            description: Some("Order status".to_owned()),
            state: Some(EndpointState::Enabled.as_str().to_owned()),
            ..UpdateEndpointBody::default()
        };
        let reply = EndpointRecord::sample();
        Example { path: EndpointPath::sample(), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<EndpointRecord>, Problem> {
        let ParsedUpdate { events, state } = call.parse(UpdateEndpointBody::parse)?;
        let (deps, owner) = (&call.deps, call.caller.owner());
        let found = find(deps, owner, &call.path).await?;
        let UpdateEndpointBody { url, description, .. } = &call.input;
        let update =
            EndpointUpdate { url: url.as_deref(), description: description.as_deref(), events };
        endpoints::change(deps, owner, found.id, update).await.map_err(problem)?;
        match state.filter(|state| *state != found.state) {
            Some(EndpointState::Enabled) => endpoints::enable(deps, owner, found.id).await?,
            Some(EndpointState::Disabled) => endpoints::disable(deps, owner, found.id).await?,
            None => true,
        };
        let changed = find(deps, owner, &call.path).await?;
        Answer::new(Self::SUCCESS, &EndpointRecord::new(&changed)?)
    }
}

impl UpdateEndpointBody {
    fn parse(&self, faults: &mut Violations) -> Option<ParsedUpdate> {
        let events = match &self.events {
            Some(events) => selection(events, faults).map(Some),
            None => Some(None),
        };
        let state = faults.optional_word(&Field::root("state"), self.state.as_deref());
        Some(ParsedUpdate { events: events?, state })
    }
}
