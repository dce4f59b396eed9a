//! Events of organizations.
use super::{Application, Connection, Conversation, Message};
use crate::schema::events;
use crate::types::{Col, Document};
use diesel::prelude::*;
use domain::event::{EventKind, Payload};
use domain::id::{
    AccountId, ConnectionId, ContactId, ConversationId, EventId, MessageId, OrganizationId,
    SubjectId, TemplateId, WebhookEndpointId,
};
use domain::time::Timestamp;
use uuid::Uuid;

/// A new event, recorded in the transaction that causes it.
#[derive(Clone, Debug)]
pub struct NewEvent {
    /// The organization whose event it is.
    pub organization: OrganizationId,
    /// The number that it has to do with.
    pub account: Option<AccountId>,
    /// What happened.
    pub kind: EventKind,
    /// To what.
    pub about: About,
    /// The event's data, if the row that it is about may change or be deleted.
    pub data: Option<Document>,
    /// When it was noted.
    pub at: Timestamp,
}

impl NewEvent {
    /// What happened to something of a number's.
    #[must_use]
    pub const fn of_account(
        organization: OrganizationId,
        account: AccountId,
        kind: EventKind,
        about: About,
        at: Timestamp,
    ) -> Self {
        Self { organization, account: Some(account), kind, about, data: None, at }
    }

    /// A limit of the plan is reached.
    #[must_use]
    pub const fn of_limit(organization: OrganizationId, data: Document, at: Timestamp) -> Self {
        let (kind, about) = (EventKind::PlanLimitReached, About::Organization);
        Self { organization, account: None, kind, about, data: Some(data), at }
    }
}

impl From<domain::event::Event> for NewEvent {
    fn from(event: domain::event::Event) -> Self {
        let domain::event::Event { organization, account, kind, payload, at } = event;
        let about = match payload {
            Payload::Message(id) => About::Message(id),
            Payload::Conversation(id) => About::Conversation(id),
            Payload::Contact(id) => About::Contact(id),
        };
        Self { organization, account, kind, about, data: None, at }
    }
}

/// The object that an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum About {
    Message(MessageId),
    Template(TemplateId),
    Conversation(ConversationId),
    Contact(ContactId),
    Connection(ConnectionId),
    Endpoint(WebhookEndpointId),
    /// The organization itself.
    Organization,
}

impl About {
    /// The id, whatever it is one of.
    pub(crate) const fn uuid(&self, organization: &OrganizationId) -> Uuid {
        match self {
            Self::Message(id) => *id.uuid(),
            Self::Template(id) => *id.uuid(),
            Self::Conversation(id) => *id.uuid(),
            Self::Contact(id) => *id.uuid(),
            Self::Connection(id) => *id.uuid(),
            Self::Endpoint(id) => *id.uuid(),
            Self::Organization => *organization.uuid(),
        }
    }
}

/// An event, as it is kept.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = events, treat_none_as_default_value = false)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Event {
    pub organization_id: Col<OrganizationId>,
    pub sequence: i64,
    pub id: Col<EventId>,
    pub kind: Col<EventKind>,
    pub account_id: Option<Col<AccountId>>,
    pub subject: Option<Col<SubjectId>>,
    pub connection_id: Option<Col<ConnectionId>>,
    pub endpoint_id: Option<Col<WebhookEndpointId>>,
    pub data: Option<Document>,
    pub at: Col<Timestamp>,
}

/// An event with the row that it is about.
#[derive(Clone, Debug)]
pub struct EventWithSubject {
    /// The event.
    pub event: Event,
    /// The row in its present state, if the event does not hold its data.
    pub subject: Option<Subject>,
}

/// The row that an event is about.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A message.
    Message(Box<Message>),
    /// A conversation, which also tells who the person in it is.
    Conversation(Box<Conversation>),
}

/// Which events are wanted.
#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Only those of this number, and those that concern all numbers.
    pub account: Option<AccountId>,
    /// Only these kinds.
    pub kinds: Option<Vec<EventKind>>,
}

/// The result of scanning a part of an organization's events.
#[derive(Clone, Debug)]
pub struct EventScan {
    /// The wanted ones, in order.
    pub found: Vec<EventWithSubject>,
    /// The sequence up to which events were looked at.
    pub until: i64,
    /// The last sequence there is.
    pub last: i64,
}

/// Renders the event data of a connection: the connection, the client id of its key (which no longer exists when
/// the connection has ended), and its application.
pub type ConnectionEvent = fn(&Connection, &str, &Application) -> Document;
