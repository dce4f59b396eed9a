//! Webhook endpoints and their deliveries.
use crate::schema::webhooks::{
    application_events, endpoint_work, webhook_attempts, webhook_deliveries, webhook_endpoints,
    webhook_feeds,
};
use crate::types::Attempts;
use diesel::prelude::*;
use domain::event::EventKind;
use domain::id::{
    AccountId, ApplicationId, ConnectionId, DeliveryId, EventId, OrganizationId, OwnerId,
    SubjectId, WebhookEndpointId,
};
use domain::time::Timestamp;
use domain::webhook::{
    AttemptResult, DeliveryState, DisabledReason, EndpointHealth, EndpointState, ReportedHealth,
};

/// The owner of a webhook endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An organization, whose endpoint receives its own events.
    Organization(OrganizationId),
    /// An application, whose endpoint receives the events that its connections may see.
    Application(ApplicationId),
}

impl Owner {
    /// Returns the owner's id, whatever its kind.
    #[must_use]
    pub const fn id(self) -> OwnerId {
        match self {
            Self::Organization(id) => OwnerId::from_uuid(*id.uuid()),
            Self::Application(id) => OwnerId::from_uuid(*id.uuid()),
        }
    }

    /// Returns the organization, if the owner is one.
    #[must_use]
    pub const fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Organization(id) => Some(id),
            Self::Application(_) => None,
        }
    }

    /// Returns the application, if the owner is one.
    #[must_use]
    pub const fn application(self) -> Option<ApplicationId> {
        match self {
            Self::Organization(_) => None,
            Self::Application(id) => Some(id),
        }
    }
}

/// A webhook endpoint, read from `webhook_endpoints` joined with `endpoint_work`.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = webhook_endpoints)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct Endpoint {
    pub id: WebhookEndpointId,
    pub owner_id: OwnerId,
    pub organization_id: Option<OrganizationId>,
    pub application_id: Option<ApplicationId>,
    pub url: String,
    pub description: Option<String>,
    pub events: String,
    pub state: EndpointState,
    pub disabled_reason: Option<DisabledReason>,
    pub disabled_at: Option<Timestamp>,
    pub secret: Vec<u8>,
    pub previous_secret: Option<Vec<u8>>,
    pub previous_until: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Whether this endpoint is an application's log. Events are not posted to a log; the
    /// application reads them.
    pub is_log: bool,
    #[diesel(select_expression = endpoint_work::failing_since)]
    pub failing_since: Option<Timestamp>,
}

impl Endpoint {
    #[must_use]
    pub fn health(&self) -> EndpointHealth {
        let disabled = self.disabled_reason.zip(self.disabled_at);
        EndpointHealth { disabled, failing_since: self.failing_since }
    }
}

/// The columns of an endpoint that change with its deliveries, except the time at which its next
/// work is due.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = endpoint_work)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct EndpointWork {
    pub owner_id: OwnerId,
    pub endpoint_id: WebhookEndpointId,
    pub state: EndpointState,
    pub failing_since: Option<Timestamp>,
    pub claimed_until: Option<Timestamp>,
    /// The health that the last event about the endpoint reported.
    pub reported: Option<ReportedHealth>,
    /// The last sequence in the log, if the endpoint is an application's log.
    pub last_sequence: i64,
}

/// The columns of an endpoint that are changed. `None` leaves a column as it is.
#[derive(Clone, Debug, AsChangeset)]
#[diesel(table_name = webhook_endpoints)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct EndpointChange {
    pub url: Option<String>,
    pub description: Option<Option<String>>,
    pub events: Option<String>,
}

/// A feed: an endpoint's position in the events of an organization.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = webhook_feeds)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Feed {
    pub id: i64,
    pub endpoint_id: WebhookEndpointId,
    pub organization_id: OrganizationId,
    pub connection_id: Option<ConnectionId>,
    pub starts_after: i64,
    pub ends_with: Option<i64>,
    pub position: i64,
    pub replay: bool,
}

/// A feed with unprocessed events.
#[derive(Clone, Debug)]
pub struct LaggingFeed {
    pub feed: Feed,
    /// The owner of the endpoint.
    pub owner: OwnerId,
    /// The events that the endpoint receives.
    pub events: String,
    /// The time at which the endpoint was disabled.
    pub disabled_at: Option<Timestamp>,
    /// The account and the scopes of the connection, if the endpoint receives events through one.
    pub connection: Option<(Option<AccountId>, String)>,
    /// The expiry time of the connection's key, if the business set one.
    pub connection_ends_at: Option<Timestamp>,
    /// The closed periods of the connection, whose events the application may not read, as they are
    /// stored.
    pub connection_closed: Option<String>,
    /// The time at which the connection began, if the endpoint is an application's log. Older
    /// events are left out.
    pub logs_since: Option<Timestamp>,
    /// The sequence up to which the feed can advance now.
    pub last: i64,
}

/// A feed's new position, and the deliveries up to it.
#[derive(Clone, Debug)]
pub struct FeedProgress {
    /// The organization whose events the feed reads.
    pub organization: OrganizationId,
    pub feed: i64,
    /// The old position. If another worker has moved the feed since, this progress is discarded.
    pub from: i64,
    pub to: i64,
    /// Whether the feed is a replay.
    pub replay: bool,
    /// Whether a replay has reached its end.
    pub done: bool,
    pub deliveries: Vec<Delivery>,
    /// The events for an application's log. Their sequences in the log are assigned when they are
    /// stored.
    pub logged: Vec<(WebhookEndpointId, LoggedEvent)>,
}

record! {
    /// An event in the log of an application.
    pub struct LoggedEvent of application_events {
        pub owner_id: OwnerId,
        pub sequence: i64,
        pub organization_id: OrganizationId,
        pub event_sequence: i64,
        pub connection_id: ConnectionId,
        pub kind: EventKind,
        pub at: Timestamp,
    }
}

record! {
    /// One event on its way to one webhook endpoint.
    pub struct Delivery of webhook_deliveries {
        pub owner_id: OwnerId,
        pub id: DeliveryId,
        pub endpoint_id: WebhookEndpointId,
        pub organization_id: OrganizationId,
        pub sequence: i64,
        pub event_id: EventId,
        pub kind: EventKind,
        pub state: DeliveryState,
        pub attempts: Attempts,
        pub failures: Attempts,
        pub due_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub completed_at: Option<Timestamp>,
        /// The subject of the event, such as a message.
        pub subject: Option<SubjectId>,
    }
}

record! {
    /// One attempt at a delivery.
    pub struct Attempt of webhook_attempts {
        pub owner_id: OwnerId,
        pub delivery_id: DeliveryId,
        pub number: Attempts,
        pub at: Timestamp,
        pub took_ms: i32,
        pub signature: String,
        pub status: Option<i32>,
        pub error: Option<String>,
        pub response: Option<String>,
    }
}

/// The result of the last attempt of a delivery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastAnswer {
    /// The HTTP status of the answer; `None` if no answer came.
    pub status: Option<i32>,
    /// The reason why no answer came.
    pub error: Option<String>,
}

impl From<Attempt> for LastAnswer {
    fn from(it: Attempt) -> Self {
        Self { status: it.status, error: it.error }
    }
}

/// The results of some deliveries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryResults {
    /// The number of deliveries with at least one attempt.
    pub attempted: i64,
    /// The number of those that succeeded.
    pub succeeded: i64,
}

/// An attempt and its effect on the delivery.
#[derive(Clone, Debug)]
pub struct DeliveryUpdate {
    pub attempt: Attempt,
    /// The result of the attempt.
    pub answer: AttemptResult,
    /// The time at which the response was complete.
    pub at: Timestamp,
    /// The time of the next attempt; none if the delivery has ended.
    pub again_at: Option<Timestamp>,
}

impl DeliveryUpdate {
    /// Returns the new state of the delivery.
    #[must_use]
    pub const fn state(&self) -> DeliveryState {
        match (self.answer, self.again_at) {
            (AttemptResult::Taken, _) => DeliveryState::Succeeded,
            (_, Some(_)) => DeliveryState::Pending,
            (_, None) => DeliveryState::Failed,
        }
    }
}

/// The results of some deliveries to a claimed endpoint.
#[derive(Clone, Debug)]
pub struct DeliverySettlement {
    /// The owner of the endpoint.
    pub owner: OwnerId,
    pub endpoint: WebhookEndpointId,
    /// The end of the claim, which identifies it. If another worker has claimed the endpoint since,
    /// nothing is stored.
    pub until: Timestamp,
    /// The current time.
    pub at: Timestamp,
    /// The attempts, in the order in which the responses came.
    pub tried: Vec<DeliveryUpdate>,
    /// Whether the claim is released.
    pub release: bool,
}
