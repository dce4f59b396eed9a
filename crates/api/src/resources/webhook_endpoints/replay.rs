//! `POST /api/v1/webhook-endpoints/{id}/replay` (`docs/contract.md#webhooks`).

use super::{EndpointPath, find, problem};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::Instant;
use domain::scope::Scope;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::endpoints;

/// Delivers the events of a period again.
pub struct ReplayEvents;

/// The period.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReplayEvents")]
pub struct ReplayBody {
    /// Replay the events from this time on.
    #[schemars(required, with = "Instant")]
    since: Option<String>,
    /// Replay the events before this time; now, if omitted.
    #[schemars(with = "Option<Instant>")]
    until: Option<String>,
}

/// A replay that has begun.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Replay {
    /// The number of events in the period. Those that the endpoint selects are delivered again.
    events: i64,
}

impl Operation for ReplayEvents {
    const ID: &'static str = "replay_webhook_events";
    const SUMMARY: &'static str = "Replay events.";
    const DESCRIPTION: &'static str = "\
Delivers the events of a period to the endpoint again: those of the last 30 days that the endpoint selects. Each event keeps its id,
so that your server can detect duplicates.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}/replay";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = ReplayBody;
    type Reply = Replay;

    fn example() -> ExampleOf<Self> {
        let (since, until) = (sample::earlier().to_string(), sample::noon().to_string());
        let input = ReplayBody { since: Some(since), until: Some(until) };
        let reply = Replay { events: 12 };
        Example { path: EndpointPath::sample(), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<Replay>, Problem> {
        let now = call.now;
        let (since, until) = call.parse(|body, faults| body.parse(now, faults))?;
        let (deps, owner) = (&call.deps, call.caller.owner());
        let found = find(deps, owner, &call.path).await?;
        let events = endpoints::replay(deps, owner, &found, since, until).await.map_err(problem)?;
        Answer::new(Self::SUCCESS, &Replay { events })
    }
}

impl ReplayBody {
    /// Returns the beginning and the end of the period.
    fn parse(&self, now: Timestamp, faults: &mut Violations) -> Option<(Timestamp, Timestamp)> {
        let since = faults.require(&Field::root("since"), self.since.as_deref());
        let since = since.and_then(|text| faults.time(&Field::root("since"), text));
        let until = match self.until.as_deref() {
            Some(text) => faults.time(&Field::root("until"), text),
            None => Some(now),
        };
        let (since, until) = (since?, until?);
        if since >= until {
            faults.add(&Field::root("until"), Fault::OutOfRange, "must be later than since");
            return None;
        }
        Some((since, until))
    }
}
