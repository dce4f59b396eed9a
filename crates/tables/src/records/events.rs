//! Events of organizations.
use super::{Attempt, Contact, ConversationWithContact, Delivery, Message};
use crate::schema::events;
use crate::types::Document;
use domain::event::EventKind;
use domain::id::{AccountId, ConnectionId, EventId, OrganizationId, SubjectId, WebhookEndpointId};
use domain::time::Timestamp;
use std::sync::Arc;

record! {
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

/// A delivery with its event and its attempts. The event is missing once it is deleted.
pub type DeliveryDetails = (Delivery, Option<EventWithSubject>, Vec<Attempt>);

/// An event and the row that it is about.
#[derive(Clone, Debug)]
pub struct EventWithSubject {
    pub event: Event,
    /// The row in its present state, if the event does not hold its data.
    pub subject: Option<Subject>,
    /// The contact of a message in its present state, if the event does not hold the contact's
    /// data.
    pub person: Option<Arc<Contact>>,
    /// The connection through which the reader may see the event, if the reader is an application.
    pub connection: Option<ConnectionId>,
}

/// The row that an event is about. Several events may share it.
#[derive(Clone, Debug)]
pub enum Subject {
    Message(Arc<Message>),
    /// A conversation and its contact.
    Conversation(Arc<ConversationWithContact>),
}

/// A request to deliver past events again: those with the sequences from `first` to `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventResend {
    /// The consecutive number of the request in its organization, in the order of commits.
    pub number: i64,
    pub first: i64,
    pub last: i64,
}

#[derive(Clone, Debug, Default)]
pub struct EventFilter {
    /// Only events of this account, and events that concern all accounts.
    pub account: Option<AccountId>,
    /// Only events of these kinds.
    pub kinds: Option<Vec<EventKind>>,
}

/// The result of scanning a part of an organization's events.
#[derive(Clone, Debug)]
pub struct EventScan {
    /// The events that match, in order.
    pub found: Vec<EventWithSubject>,
    /// The last sequence that was scanned.
    pub until: i64,
    /// The last sequence that exists.
    pub last: i64,
}

/// A part of an application's log.
#[derive(Clone, Debug, Default)]
pub struct LogPart {
    /// The events with their sequences in the log, in order.
    pub found: Vec<(i64, EventWithSubject)>,
    /// The last sequence that was read, and the last one that exists.
    pub until: i64,
    pub last: i64,
    /// Whether the log is being created: it does not contain the events of every connection yet.
    pub is_incomplete: bool,
}
