//! Events of organizations: the one list of events (`docs/contract.md#events`).
//!
//! The reference, the dashboard's tick boxes, the schema of the envelope and the dispatcher all read it.

pub use crate::account::AccountSnapshot;
pub use crate::template::TemplateChange;

use crate::connection::EndReason;
use crate::contact::{ContactChange, ContactMerge, ContactSnapshot};
use crate::conversation::Agent;
use crate::id::{
    AccountId, ConnectionId, ConversationId, EventId, MessageId, OrganizationId, TemplateId,
    WebhookEndpointId,
};
use crate::keyword::keywords;
use crate::message::Status;
use crate::plan::{Meter, Usage};
use crate::template::{Category, ParameterFormat, Review, TemplateQuality, TemplateStatus};
use crate::time::Timestamp;
use std::sync::Arc;
use uuid::Uuid;

keywords! {
    /// A kind of event.
    pub enum EventKind {
        /// A person wrote.
        MessageReceived = "message.received",
        /// A message was accepted and waits for the channel.
        MessageQueued = "message.queued",
        /// The channel took it.
        MessageSent = "message.sent",
        /// It reached the person's device.
        MessageDelivered = "message.delivered",
        /// The person read it.
        MessageRead = "message.read",
        /// It will not arrive.
        MessageFailed = "message.failed",
        /// Its sender edited it.
        MessageEdited = "message.edited",
        /// Its sender deleted it.
        MessageDeleted = "message.deleted",
        /// A template was submitted for review.
        TemplateSubmitted = "template.submitted",
        /// The reviewer approved it.
        TemplateApproved = "template.approved",
        /// The reviewer rejected it.
        TemplateRejected = "template.rejected",
        /// The channel paused it.
        TemplatePaused = "template.paused",
        /// The channel disabled it.
        TemplateDisabled = "template.disabled",
        /// The channel changed its category or its parts, or people rate it otherwise.
        TemplateUpdated = "template.updated",
        /// A number can send no longer, or again, or the channel rates or limits it otherwise.
        AccountUpdated = "account.updated",
        /// A conversation began.
        ConversationCreated = "conversation.created",
        /// The AI agent no longer answers in a conversation.
        ConversationAgentPaused = "conversation.agent_paused",
        /// It answers again.
        ConversationAgentResumed = "conversation.agent_resumed",
        /// A contact was created.
        ContactCreated = "contact.created",
        /// What is known of a contact changed.
        ContactUpdated = "contact.updated",
        /// Two contacts turned out to be one person.
        ContactMerged = "contact.merged",
        /// An application was connected.
        ConnectionCreated = "connection.created",
        /// A connection ended.
        ConnectionDisconnected = "connection.disconnected",
        /// A limit of the plan was reached.
        PlanLimitReached = "plan.limit_reached",
        /// Sent from the dashboard, to try an endpoint out.
        WebhookTest = "webhook.test",
    }
}

impl EventKind {
    /// When it happens, in a sentence for people.
    #[must_use]
    pub const fn plain_description(self) -> &'static str {
        match self {
            Self::MessageReceived => "A person wrote to one of your numbers.",
            Self::MessageQueued => "A message was accepted and waits for the channel.",
            Self::MessageSent => "The channel took a message.",
            Self::MessageDelivered => "A message reached the person's device.",
            Self::MessageRead => "The person read a message.",
            Self::MessageFailed => "A message will not arrive, and its error says why.",
            Self::MessageEdited => "A message was edited; previous_versions holds what it said.",
            Self::MessageDeleted => "A message was deleted; what it said is kept here.",
            Self::TemplateSubmitted => "A template was handed to the reviewer.",
            Self::TemplateApproved => "The reviewer approved a template: it can be sent.",
            Self::TemplateRejected => "The reviewer rejected a template, and said why.",
            Self::TemplatePaused => "The channel paused a template: it cannot be sent for now.",
            Self::TemplateDisabled => "The channel disabled a template for good.",
            Self::TemplateUpdated => {
                "The channel changed a template: its category, its components, or what people make of it."
            }
            Self::AccountUpdated => {
                "One of your numbers can send no longer, or again; or the channel rates or limits it otherwise."
            }
            Self::ConversationCreated => "A conversation began, from either side.",
            Self::ConversationAgentPaused => "The AI agent stopped answering in a conversation.",
            Self::ConversationAgentResumed => "The AI agent answers in a conversation again.",
            Self::ContactCreated => "A contact was created.",
            Self::ContactUpdated => {
                "A contact has another phone number, user id, username or name; previous holds what it was before."
            }
            Self::ContactMerged => {
                "Two contacts turned out to be one person: the messages of one joined the conversation of the other."
            }
            Self::ConnectionCreated => "An application was connected through Connect.",
            Self::ConnectionDisconnected => {
                "A connection ended. The reason is business, application, superseded or revoked."
            }
            Self::PlanLimitReached => {
                "A limit of the plan was reached: calls or messages are refused."
            }
            Self::WebhookTest => "Sent from the dashboard to test an endpoint.",
        }
    }

    /// What it tells of, and how that stood then, where the kind says so.
    #[must_use]
    pub const fn topic(self) -> Topic {
        match self {
            Self::MessageReceived => Topic::Message(Status::Received),
            Self::MessageQueued => Topic::Message(Status::Queued),
            Self::MessageSent => Topic::Message(Status::Sent),
            Self::MessageDelivered => Topic::Message(Status::Delivered),
            Self::MessageRead => Topic::Message(Status::Read),
            Self::MessageFailed => Topic::Message(Status::Failed),
            Self::MessageEdited | Self::MessageDeleted => Topic::MessageRevision,
            Self::TemplateSubmitted
            | Self::TemplateApproved
            | Self::TemplateRejected
            | Self::TemplatePaused
            | Self::TemplateDisabled => Topic::Template,
            Self::TemplateUpdated => Topic::TemplateChange,
            Self::AccountUpdated => Topic::Account,
            Self::ConversationCreated | Self::ConversationAgentResumed => {
                Topic::Conversation(Agent::Running)
            }
            Self::ConversationAgentPaused => Topic::Conversation(Agent::Paused),
            Self::ContactCreated => Topic::Contact,
            Self::ContactUpdated => Topic::ContactUpdate,
            Self::ContactMerged => Topic::ContactMerge,
            Self::ConnectionCreated | Self::ConnectionDisconnected => Topic::Connection,
            Self::PlanLimitReached => Topic::Plan,
            Self::WebhookTest => Topic::Endpoint,
        }
    }

    /// A message came to this.
    #[must_use]
    pub const fn of_message(status: Status) -> Self {
        match status {
            Status::Received => Self::MessageReceived,
            Status::Queued => Self::MessageQueued,
            Status::Sent => Self::MessageSent,
            Status::Delivered => Self::MessageDelivered,
            Status::Read => Self::MessageRead,
            Status::Failed => Self::MessageFailed,
        }
    }

    /// The event of a template that reached this status; a draft has none.
    #[must_use]
    pub const fn of_template(status: TemplateStatus) -> Option<Self> {
        match status {
            TemplateStatus::Draft => None,
            TemplateStatus::Pending => Some(Self::TemplateSubmitted),
            TemplateStatus::Approved => Some(Self::TemplateApproved),
            TemplateStatus::Rejected => Some(Self::TemplateRejected),
            TemplateStatus::Paused => Some(Self::TemplatePaused),
            TemplateStatus::Disabled => Some(Self::TemplateDisabled),
        }
    }

    /// Whether it concerns all of an organization's numbers: templates, which every number may send,
    /// and the plan's limits, which stop every number.
    #[must_use]
    pub const fn concerns_all_numbers(self) -> bool {
        matches!(self.topic(), Topic::Template | Topic::TemplateChange | Topic::Plan)
    }
}

/// Something that happened, recorded in the transaction that makes it so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The organization that it belongs to.
    pub organization: OrganizationId,
    /// Its number that this has to do with.
    pub account: Option<AccountId>,
    /// What happened.
    pub kind: EventKind,
    /// To what.
    pub payload: Payload,
    /// When it was noted.
    pub at: Timestamp,
}

/// What an event is about, and all that it tells of what may change or be gone by the time it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A message, which tells the rest when the event is read, and the person as they were known.
    Message(MessageId, Option<Arc<ContactSnapshot>>),
    /// A conversation, which does too.
    Conversation(ConversationId, Option<Arc<ContactSnapshot>>),
    /// A person as they were known.
    Contact(Box<ContactSnapshot>),
    /// A person of whom something else is known now.
    ContactUpdate(Box<ContactChange>),
    /// Two contacts that became one.
    ContactMerge(ContactMerge),
    /// A template as it stood.
    Template(Box<TemplateSnapshot>),
    /// What the channel changed of a template.
    TemplateChange(Box<TemplateChange>),
    /// A number as it stood.
    Account(Box<AccountSnapshot>),
    /// A connection as it stood.
    Connection(Box<ConnectionSnapshot>),
    /// A limit of the plan that is reached, and what counts against it.
    Limit(Meter, Usage),
    /// An address that events are sent to.
    Endpoint(WebhookEndpointId),
}

/// A template as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateSnapshot {
    /// Its id.
    pub id: TemplateId,
    /// The number that it was made for.
    pub account: AccountId,
    /// Its name.
    pub name: String,
    /// Its language.
    pub language: String,
    /// What it is for.
    pub category: Category,
    /// Where it stands with the reviewer.
    pub review: Review,
    /// How its variables are written.
    pub parameter_format: ParameterFormat,
    /// Its parts, as they are stored.
    pub components: String,
    /// For how many seconds the channel tries to deliver a message of it.
    pub message_send_ttl_seconds: Option<i32>,
    /// What people make of it, by the channel's measure.
    pub quality: Option<TemplateQuality>,
    /// The reviewer's id of it.
    pub external_id: Option<String>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A connection as an event tells of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionSnapshot {
    /// Its id.
    pub id: ConnectionId,
    /// The client id of its application.
    pub application: String,
    /// The application's name.
    pub application_name: String,
    /// The client id of its key, which is gone when the connection has ended.
    pub client_id: String,
    /// The number that it is for; `None` is any.
    pub account: Option<AccountId>,
    /// What it may do, in the words that are stored: a connection with a scope that this version does not
    /// know can still be ended.
    pub scopes: Vec<String>,
    /// Since when it is connected.
    pub connected_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// Who or what ended it.
    pub ending: Option<EndReason>,
}

impl Event {
    /// What happened to something of a number's.
    #[must_use]
    pub const fn of_account(
        organization: OrganizationId,
        account: AccountId,
        kind: EventKind,
        payload: Payload,
        at: Timestamp,
    ) -> Self {
        Self { organization, account: Some(account), kind, payload, at }
    }

    /// A limit of the plan is reached.
    #[must_use]
    pub const fn of_limit(
        organization: OrganizationId,
        (meter, usage): (Meter, Usage),
        at: Timestamp,
    ) -> Self {
        let (kind, payload) = (EventKind::PlanLimitReached, Payload::Limit(meter, usage));
        Self { organization, account: None, kind, payload, at }
    }

    /// The person that a message or a conversation is with, as they were known.
    #[must_use]
    pub fn person(&self) -> Option<&ContactSnapshot> {
        match &self.payload {
            Payload::Message(_, person) | Payload::Conversation(_, person) => person.as_deref(),
            _ => None,
        }
    }

    /// The id of what it is about: of a limit, the organization's own.
    #[must_use]
    pub fn subject(&self) -> Uuid {
        match &self.payload {
            Payload::Message(id, _) => *id.uuid(),
            Payload::Conversation(id, _) => *id.uuid(),
            Payload::Contact(contact) => *contact.id.uuid(),
            Payload::ContactUpdate(change) => *change.now.id.uuid(),
            Payload::ContactMerge(merge) => *merge.contact.uuid(),
            Payload::Template(template) => *template.id.uuid(),
            Payload::TemplateChange(change) => *change.id.uuid(),
            Payload::Account(account) => *account.id.uuid(),
            Payload::Connection(connection) => *connection.id.uuid(),
            Payload::Endpoint(id) => *id.uuid(),
            Payload::Limit(..) => *self.organization.uuid(),
        }
    }
}

/// The object that an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A message, which had come to this status.
    Message(Status),
    /// A message that was changed or deleted.
    MessageRevision,
    /// A template.
    Template,
    /// What the channel changed of a template.
    TemplateChange,
    /// A number.
    Account,
    /// A conversation, in which the AI agent stood so.
    Conversation(Agent),
    /// A person.
    Contact,
    /// A person, and what was known of them before.
    ContactUpdate,
    /// Two contacts that became one.
    ContactMerge,
    /// An application's connection.
    Connection,
    /// A limit of the plan.
    Plan,
    /// An address that events are sent to.
    Endpoint,
}

/// The id of the event that has this `sequence` in its organization and tells of `subject`.
///
/// It follows from what is known, so that anyone who numbers events needs no randomness: the subject's own
/// random bits make it unique among organizations, the sequence within one.
#[must_use]
pub fn event_id(at: Timestamp, subject: &Uuid, sequence: i64) -> EventId {
    let mut bits = [0; 10];
    let sequence = sequence.to_be_bytes();
    let of_subject = subject.as_bytes().iter().skip(6);
    let of_sequence = [0, 0].iter().chain(&sequence);
    for (bit, (one, other)) in bits.iter_mut().zip(of_subject.zip(of_sequence)) {
        *bit = one ^ other;
    }
    EventId::new(at, bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyword::Keyword as _;
    use std::collections::BTreeSet;

    #[test]
    fn a_status_and_its_event_name_each_other() {
        for status in Status::ALL.iter().copied() {
            assert_eq!(EventKind::of_message(status).topic(), Topic::Message(status));
        }
        for status in TemplateStatus::ALL.iter().copied() {
            let kind = EventKind::of_template(status);
            assert!(kind.is_none_or(|kind| kind.topic() == Topic::Template), "{status}");
        }
    }

    #[test]
    fn events_of_one_subject_in_one_instant_have_ids_of_their_own() {
        let at = Timestamp::from_seconds(1_795_262_400);
        let (one, other) = (MessageId::new(at, [7; 10]), MessageId::new(at, [8; 10]));
        let ids: BTreeSet<EventId> = (1..=1000)
            .flat_map(|sequence| [one, other].map(|message| event_id(at, message.uuid(), sequence)))
            .collect();
        assert_eq!(ids.len(), 2000);
        assert!(ids.iter().all(|id| id.uuid().get_version_num() == 7));
    }
}
