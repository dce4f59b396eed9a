//! `GET /api/v1/webhook-endpoints/{id}/deliveries` and `POST …/deliveries/{delivery_id}/resend`
//! (`docs/contract.md#webhooks`).

use super::{EndpointPath, find, problem};
use crate::admission::{KeyOrApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::pagination::{IdCursor, IdPagination, LIMIT_DEFAULT, MAX_LIMIT, MIN_LIMIT};
use api_types::sample;
use api_types::schema::{IdOf, Instant, OneOf};
use domain::event::EventKind;
use domain::id::{self, DeliveryId, WebhookEndpointId};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::violation::{Field, Violations};
use domain::webhook::DeliveryStatus;
use http_layer::deps::ServerDeps;
use http_layer::problem::{Code, Problem};
use persistence::Seen;
use persistence::records::{Delivery, LastAnswer, Owner};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::endpoints::{self, DeliveryPage};

/// An event on its way to a webhook endpoint.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDelivery")]
pub struct DeliveryRecord {
    /// The id of the delivery.
    #[schemars(with = "IdOf<id::Delivery>")]
    id: String,
    /// The id of the event.
    #[schemars(with = "IdOf<id::Event>")]
    event_id: String,
    /// The type of the event.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<EventKind>")]
    kind: &'static str,
    /// The result so far.
    #[schemars(with = "OneOf<DeliveryStatus>")]
    status: &'static str,
    /// Number of attempts so far.
    #[schemars(range(min = 0))]
    attempts: u32,
    /// The HTTP status of the last answer; null if there was none.
    last_status: Option<i32>,
    /// Why the last attempt got no answer, in words; null if it got one, or if there was no attempt.
    last_error: Option<String>,
    /// When the next attempt is due; null if there is none.
    #[schemars(with = "Option<Instant>")]
    next_attempt_at: Option<String>,
    /// When the delivery was created.
    #[schemars(with = "Instant")]
    created_at: String,
    /// When the delivery succeeded or failed for good; null until then.
    #[schemars(with = "Option<Instant>")]
    completed_at: Option<String>,
}

impl DeliveryRecord {
    fn new(it: &Delivery, last: LastAnswer) -> Self {
        Self {
            id: it.id.to_string(),
            event_id: it.event_id.to_string(),
            kind: it.kind.as_str(),
            status: DeliveryStatus::from_state(it.state, *it.failures).as_str(),
            attempts: *it.attempts,
            last_status: last.status,
            last_error: last.error,
            next_attempt_at: it.due_at.map(|at| at.to_string()),
            created_at: it.created_at.to_string(),
            completed_at: it.completed_at.map(|at| at.to_string()),
        }
    }

    pub async fn find(
        deps: &ServerDeps,
        owner: Owner,
        endpoint: WebhookEndpointId,
        id: DeliveryId,
    ) -> Result<Self, Problem> {
        let found = endpoints::delivery(deps, owner, Seen::UNKNOWN, endpoint, id).await?;
        let (delivery, _, attempts) = found.ok_or_else(unknown)?;
        let last = attempts.into_iter().next_back().map(LastAnswer::from).unwrap_or_default();
        Ok(Self::new(&delivery, last))
    }

    /// Returns the example of the reference.
    #[must_use]
    pub fn sample() -> Self {
        Self {
            id: "dlv_01jd7pz6e4f8k9m2n3p4q5r6s7".to_owned(),
            event_id: sample::EVENT.to_string(),
            kind: EventKind::MessageReceived.as_str(),
            status: DeliveryStatus::Succeeded.as_str(),
            attempts: 1,
            last_status: Some(200),
            last_error: None,
            next_attempt_at: None,
            created_at: sample::noon().to_string(),
            completed_at: Some(sample::later(120).to_string()),
        }
    }
}

fn unknown() -> Problem {
    Problem::not_found("delivery")
}

/// Lists the deliveries to a webhook endpoint.
pub struct ListDeliveries;

/// A filter and the page to return.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ListWebhookDeliveriesInput")]
pub struct ListDeliveriesInput {
    /// Return only deliveries with this status.
    #[schemars(with = "Option<OneOf<DeliveryStatus>>")]
    status: Option<String>,
    /// Return the deliveries after the one with this id.
    #[schemars(with = "Option<IdOf<id::Delivery>>")]
    after: Option<String>,
    /// Maximum number of entries to return.
    #[schemars(range(min = MIN_LIMIT, max = MAX_LIMIT), extend("default" = LIMIT_DEFAULT))]
    limit: Option<i64>,
}

/// A page of deliveries, newest first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "WebhookDeliveryPage")]
pub struct DeliveryRecordPage {
    /// The deliveries.
    data: Vec<DeliveryRecord>,
    #[serde(flatten)]
    pagination: IdPagination<id::Delivery>,
}

impl Operation for ListDeliveries {
    const ID: &'static str = "list_webhook_deliveries";
    const SUMMARY: &'static str = "List deliveries to a webhook endpoint.";
    const DESCRIPTION: &'static str = "\
Returns the deliveries of the last 30 days, the newest first.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}/deliveries";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyOrApplicationHolder;
    type Path = EndpointPath;
    type Input = ListDeliveriesInput;
    type Reply = DeliveryRecordPage;

    fn example() -> ExampleOf<Self> {
        let input = ListDeliveriesInput {
            status: Some(DeliveryStatus::Succeeded.as_str().to_owned()),
            limit: Some(LIMIT_DEFAULT),
            after: None,
        };
        let data = vec![DeliveryRecord::sample()];
        let reply = DeliveryRecordPage { data, pagination: IdPagination::last_page() };
        Example { path: EndpointPath::sample(), input: Some(input), reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<DeliveryRecordPage>, Problem> {
        let (status, cursor) = call.parse(ListDeliveriesInput::parse)?;
        let IdCursor { limit, after } = cursor;
        let (deps, owner) = (&call.deps, call.caller.owner());
        let found = find(deps, owner, &call.path).await?;
        let seen = call.caller.seen();
        let page = endpoints::deliveries(deps, owner, seen, found.id, status, after, limit).await?;
        let DeliveryPage { deliveries, more } = page;
        let next_after = deliveries.last().filter(|_| more).map(|(it, _)| it.id);
        let data = deliveries.into_iter().map(|(it, last)| DeliveryRecord::new(&it, last));
        let reply =
            DeliveryRecordPage { data: data.collect(), pagination: IdPagination::new(next_after) };
        Answer::new(Self::SUCCESS, &reply)
    }
}

impl ListDeliveriesInput {
    fn parse(
        &self,
        faults: &mut Violations,
    ) -> Option<(Option<DeliveryStatus>, IdCursor<DeliveryId>)> {
        let status = faults.optional_word(&Field::root("status"), self.status.as_deref());
        let cursor = IdCursor::parse(self.limit, self.after.as_deref(), faults);
        Some((status, cursor?))
    }
}

/// Sends a delivery again.
pub struct ResendDelivery;

/// The delivery.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryPath {
    /// The id of the endpoint.
    #[schemars(with = "IdOf<id::WebhookEndpoint>")]
    id: String,
    /// The id of the delivery.
    #[schemars(with = "IdOf<id::Delivery>")]
    delivery_id: String,
}

impl Operation for ResendDelivery {
    const ID: &'static str = "resend_webhook_delivery";
    const SUMMARY: &'static str = "Resend a delivery.";
    const DESCRIPTION: &'static str = "\
Sends the event of a delivery to the endpoint again, waits up to two seconds for the answer, and returns the delivery.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/webhook-endpoints/{id}/deliveries/{delivery_id}/resend";
    const ACCESS: Required<KeyOrApplicationHolder> =
        KeyOrApplicationHolder::with(Scope::WebhooksManage);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyOrApplicationHolder;
    type Path = DeliveryPath;
    type Input = Nothing;
    type Reply = DeliveryRecord;

    fn example() -> ExampleOf<Self> {
        let reply = DeliveryRecord::sample();
        let path = DeliveryPath { id: sample::ENDPOINT.to_string(), delivery_id: reply.id.clone() };
        Example { path, input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<DeliveryRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let (deps, owner) = (&call.deps, call.caller.owner());
        let found = find(deps, owner, &EndpointPath { id: call.path.id.clone() }).await?;
        let delivery: DeliveryId = call.path.delivery_id.parse().map_err(|_| unknown())?;
        let details = endpoints::delivery(deps, owner, Seen::UNKNOWN, found.id, delivery).await?;
        let (_, _, attempts) = details.ok_or_else(unknown)?;
        if !endpoints::resend_delivery(deps, owner, &found, delivery).await.map_err(problem)? {
            return Err(unknown());
        }
        endpoints::next_attempt(deps, owner, found.id, delivery, attempts.len()).await?;
        let record = DeliveryRecord::find(deps, owner, found.id, delivery).await?;
        Answer::new(Self::SUCCESS, &record)
    }
}
