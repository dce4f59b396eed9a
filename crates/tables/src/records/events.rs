//! Events of organizations.
use super::{Contact, ConversationWithContact, Message};
use crate::schema::events;
use crate::types::Document;
use domain::event::EventKind;
use domain::id::{AccountId, ConnectionId, EventId, OrganizationId, SubjectId, WebhookEndpointId};
use domain::time::Timestamp;
use std::sync::Arc;

record! {
    /// An event, as it is kept.
    pub struct Event of events {
        pub organization_id: OrganizationId,
        pub sequence: i64,
        pub id: EventId,
        pub kind: EventKind,
        pub account_id: Option<AccountId>,
        pub subject: Option<SubjectId>,
        pub connection_id: Option<ConnectionId>,
        pub endpoint_id: Option<WebhookEndpointId>,
        pub data: Option<Document>,
        pub at: Timestamp,
        pub contact: Option<Document>,
    }
}

/// An event with the row that it is about.
#[derive(Clone, Debug)]
pub struct EventWithSubject {
    /// The event.
    pub event: Event,
    /// The row in its present state, if the event does not hold its data.
    pub subject: Option<Subject>,
    /// The person that a message is with, as they are known now, if the event does not hold them.
    pub person: Option<Arc<Contact>>,
    /// The connection through which whoever reads it may know of it, if it is one's.
    pub connection: Option<ConnectionId>,
}

/// The row that an event is about, which others may be about too.
#[derive(Clone, Debug)]
pub enum Subject {
    /// A message.
    Message(Arc<Message>),
    /// A conversation, and the person in it.
    Conversation(Arc<ConversationWithContact>),
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
