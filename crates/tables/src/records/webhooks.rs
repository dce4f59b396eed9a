//! Endpoints, and what was or is to be delivered to them.
use crate::schema::webhooks::{
    endpoint_work, webhook_attempts, webhook_deliveries, webhook_endpoints, webhook_feeds,
};
use crate::types::Attempts;
use diesel::prelude::*;
use domain::event::EventKind;
use domain::id::{
    AccountId, ApplicationId, ConnectionId, DeliveryId, EventId, OrganizationId, OwnerId,
    WebhookEndpointId,
};
use domain::time::Timestamp;
use domain::webhook::{AttemptResult, DeliveryState, DisabledReason, EndpointState, Health};

/// Whose an endpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Told of its own events.
    Organization(OrganizationId),
    /// Told of what its connections may know.
    Application(ApplicationId),
}

impl Owner {
    /// Its id, of whichever kind it is.
    #[must_use]
    pub const fn id(self) -> OwnerId {
        match self {
            Self::Organization(id) => OwnerId::from_uuid(*id.uuid()),
            Self::Application(id) => OwnerId::from_uuid(*id.uuid()),
        }
    }

    /// The organization, if it is one.
    #[must_use]
    pub const fn organization(self) -> Option<OrganizationId> {
        match self {
            Self::Organization(id) => Some(id),
            Self::Application(_) => None,
        }
    }

    /// The application, if it is one.
    #[must_use]
    pub const fn application(self) -> Option<ApplicationId> {
        match self {
            Self::Organization(_) => None,
            Self::Application(id) => Some(id),
        }
    }
}

/// An endpoint, read from `webhook_endpoints` joined with `endpoint_work`.
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
    #[diesel(select_expression = endpoint_work::failing_since)]
    pub failing_since: Option<Timestamp>,
}

impl Endpoint {
    /// Its status.
    #[must_use]
    pub fn health(&self) -> Health {
        let disabled = self.disabled_reason.zip(self.disabled_at);
        Health { disabled, failing_since: self.failing_since }
    }
}

/// What changes with the deliveries to an endpoint, but for when there is next something to do.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = endpoint_work)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct EndpointWork {
    pub owner_id: OwnerId,
    pub endpoint_id: WebhookEndpointId,
    pub state: EndpointState,
    pub failing_since: Option<Timestamp>,
    pub claimed_until: Option<Timestamp>,
}

/// What of an endpoint a member changes.
#[derive(Clone, Debug, AsChangeset)]
#[diesel(table_name = webhook_endpoints, treat_none_as_null = true)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct EndpointChange {
    pub url: String,
    pub description: Option<String>,
    pub events: String,
}

/// An endpoint's position in the events of an organization.
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

/// A feed that has unprocessed events.
#[derive(Clone, Debug)]
pub struct LaggingFeed {
    /// The feed.
    pub feed: Feed,
    /// Whose endpoint it is.
    pub owner: OwnerId,
    /// The events that its endpoint wants.
    pub events: String,
    /// Since when the endpoint is disabled.
    pub disabled_at: Option<Timestamp>,
    /// The number and the scopes of the connection, where it is told through one.
    pub connection: Option<(Option<AccountId>, String)>,
    /// The last event that there is for it now.
    pub last: i64,
}

/// A feed's new position, and the deliveries that follow.
#[derive(Clone, Debug)]
pub struct FeedProgress {
    /// Of whose events.
    pub organization: OrganizationId,
    /// Which feed.
    pub feed: i64,
    /// Where it stood: should somebody else have moved it since, this is dropped.
    pub from: i64,
    /// Where it stands now.
    pub to: i64,
    /// Whether it delivers again.
    pub replay: bool,
    /// Whether that was all it was made for.
    pub done: bool,
    /// What its endpoint is sent.
    pub deliveries: Vec<Delivery>,
}

record! {
    /// One event on its way to one endpoint.
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

/// What an attempt makes of a delivery.
#[derive(Clone, Debug)]
pub struct DeliveryUpdate {
    /// The attempt.
    pub attempt: Attempt,
    /// What it came to.
    pub answer: AttemptResult,
    /// When the answer was in.
    pub at: Timestamp,
    /// When it is retried; never, if it has come to its end.
    pub again_at: Option<Timestamp>,
}

impl DeliveryUpdate {
    /// Where the delivery stands now.
    #[must_use]
    pub const fn state(&self) -> DeliveryState {
        match (self.answer, self.again_at) {
            (AttemptResult::Taken, _) => DeliveryState::Succeeded,
            (_, Some(_)) => DeliveryState::Pending,
            (_, None) => DeliveryState::Failed,
        }
    }
}

/// The result of some of the deliveries of a claimed endpoint.
#[derive(Clone, Debug)]
pub struct DeliverySettlement {
    /// Whose endpoint.
    pub owner: OwnerId,
    /// Which endpoint.
    pub endpoint: WebhookEndpointId,
    /// Of the claim: should somebody else have claimed it since, it is left to them.
    pub until: Timestamp,
    /// Now.
    pub at: Timestamp,
    /// In the order in which the answers came.
    pub tried: Vec<DeliveryUpdate>,
    /// Whether the claim is let go.
    pub release: bool,
}
