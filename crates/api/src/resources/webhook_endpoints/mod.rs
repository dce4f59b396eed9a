//! Webhook endpoints: those of a key's organization, or those of an application that authenticates
//! with its own credentials (`docs/contract.md#manage-webhook-endpoints`).

pub mod create;
pub mod delete;
pub mod deliveries;
pub mod get;
pub mod list;
pub mod replay;
pub mod rotate;
pub mod test;
pub mod update;

use api_types::sample;
use api_types::schema::{IdOf, Instant, OneOf, UrlText};
use domain::event::EventKind;
use domain::id::{self, WebhookEndpointId};
use domain::keyword::Keyword as _;
use domain::violation::{Fault, Field, Violations};
use domain::webhook::{DisabledReason, EndpointState, InvalidSelection, Selection};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Endpoint, Owner, UnreadableRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::endpoints::{self, EndpointError, EndpointFault};

/// The URL of the examples.
const EXAMPLE_URL: &str = "https://example.com/webhooks/switchboard";

/// A webhook endpoint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpoint")]
pub struct EndpointRecord {
    /// The id of the endpoint.
    #[schemars(with = "IdOf<id::WebhookEndpoint>")]
    id: String,
    /// The URL that events are posted to.
    #[schemars(with = "UrlText")]
    url: String,
    /// The purpose of the endpoint; null if none was given.
    description: Option<String>,
    /// The types of events that the endpoint gets; `["*"]` for all, including types that are added
    /// later.
    events: Vec<String>,
    /// Whether the endpoint gets events.
    #[schemars(with = "OneOf<EndpointState>")]
    state: &'static str,
    /// Why the endpoint is disabled; null if it is not.
    #[schemars(with = "Option<OneOf<DisabledReason>>")]
    disabled_reason: Option<&'static str>,
    /// When the endpoint was disabled; null if it is not.
    #[schemars(with = "Option<Instant>")]
    disabled_at: Option<String>,
    /// Since when every attempt has failed; null if the last one succeeded.
    #[schemars(with = "Option<Instant>")]
    failing_since: Option<String>,
    /// When the endpoint was created.
    #[schemars(with = "Instant")]
    created_at: String,
}

impl EndpointRecord {
    fn new(it: &Endpoint) -> Result<Self, Problem> {
        let unreadable =
            |why: InvalidSelection| UnreadableRow::new("webhook endpoint", &it.id, why);
        let selection = Selection::stored(&it.events).map_err(unreadable);
        let selection = selection.map_err(|row| Problem::from(persistence::Error::from(row)))?;
        Ok(Self {
            id: it.id.to_string(),
            url: it.url.clone(),
            description: it.description.clone(),
            events: selection.written().split(' ').map(str::to_owned).collect(),
            state: it.state.as_str(),
            disabled_reason: it.disabled_reason.map(DisabledReason::as_str),
            disabled_at: it.disabled_at.map(|at| at.to_string()),
            failing_since: it.failing_since.map(|at| at.to_string()),
            created_at: it.created_at.to_string(),
        })
    }

    fn sample() -> Self {
        Self {
            id: sample::ENDPOINT.to_string(),
            url: EXAMPLE_URL.to_owned(),
            description: Some("Order status".to_owned()),
            events: [EventKind::MessageReceived, EventKind::MessageFailed]
                .map(|kind| kind.as_str().to_owned())
                .into(),
            state: EndpointState::Enabled.as_str(),
            disabled_reason: None,
            disabled_at: None,
            failing_since: None,
            created_at: sample::noon().to_string(),
        }
    }
}

/// A webhook endpoint with its secret, which is shown only here.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookEndpointWithSecret")]
pub struct EndpointWithSecret {
    #[serde(flatten)]
    endpoint: EndpointRecord,
    /// The secret that signs the requests (Standard Webhooks). It is shown only here.
    secret: String,
}

impl EndpointWithSecret {
    fn sample() -> Self {
        Self { endpoint: EndpointRecord::sample(), secret: "whsec_…".to_owned() }
    }
}

/// The webhook endpoint.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct EndpointPath {
    /// The id of the endpoint.
    #[schemars(with = "IdOf<id::WebhookEndpoint>")]
    id: String,
}

impl EndpointPath {
    fn sample() -> Self {
        Self { id: sample::ENDPOINT.to_string() }
    }

    fn parse(&self) -> Result<WebhookEndpointId, Problem> {
        self.id.parse().map_err(|_| unknown())
    }
}

fn unknown() -> Problem {
    Problem::not_found("webhook endpoint")
}

/// Returns the endpoint in the path, if it is one of the caller's.
async fn find(deps: &ServerDeps, owner: Owner, path: &EndpointPath) -> Result<Endpoint, Problem> {
    endpoints::find(deps, owner, path.parse()?).await?.ok_or_else(unknown)
}

fn selection(events: &[String], faults: &mut Violations) -> Option<Selection> {
    let at = Field::root("events");
    match Selection::parse(events.iter().map(String::as_str)) {
        Ok(selection) => Some(selection),
        Err(wrong @ InvalidSelection::Empty) => {
            faults.add(&at, Fault::Empty, wrong.to_string());
            None
        }
        Err(wrong @ InvalidSelection::Unknown(_)) => {
            faults.add(&at, Fault::NotOneOf, wrong.to_string());
            None
        }
    }
}

/// Returns the answer to input that the use case refuses.
fn problem(error: EndpointError) -> Problem {
    match error {
        EndpointError::Input(all) => {
            let mut faults = Violations::default();
            for fault in all {
                let field = match &fault {
                    EndpointFault::Url(_) | EndpointFault::Unreachable(_) => "url",
                    EndpointFault::Description(_) => "description",
                    EndpointFault::Events(_) => "events",
                };
                faults.add(&Field::root(field), Fault::InvalidFormat, fault.to_string());
            }
            faults.into()
        }
        EndpointError::TooMany => Problem::too_many_endpoints(),
        EndpointError::Sealing(error) => Problem::internal(&error),
        EndpointError::Database(error) => error.into(),
    }
}
