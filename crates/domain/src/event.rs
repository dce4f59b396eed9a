//! The kinds of events (`docs/contract.md#events`).
//!
//! The API reference, the list of events on the dashboard, the schema of events and the delivery of
//! events all use this list.

pub use crate::account::AccountSnapshot;
pub use crate::template::TemplateChange;

use crate::agent::TurnState;
use crate::connection::EndReason;
use crate::contact::{ContactChange, ContactMerge, ContactSnapshot};
use crate::content::MessageKind;
use crate::conversation::Agent;
use crate::endpoint::EndpointHealth;
use crate::id::{
    AccountId, AiAgentId, ConnectionId, ContactId, ConversationId, EventId, KeyId, MessageId,
    NoteId, OrganizationId, TemplateId, TurnId, WebhookEndpointId,
};
use crate::inbox::{AgentStatus, InboxState, NoteAuthor};
use crate::keyword::keywords;
use crate::message::{MessageStatus, Recipient, ScheduleState};
use crate::plan::{Meter, Usage};
use crate::template::{Category, ParameterFormat, Review, TemplateQuality, TemplateStatus};
use crate::time::Timestamp;
use std::sync::Arc;
use uuid::Uuid;

keywords! {
    pub enum EventKind {
        /// A contact wrote a message.
        MessageReceived = "message.received",
        /// The service accepted a message, which now waits for the channel.
        MessageQueued = "message.queued",
        /// The channel accepted a message.
        MessageSent = "message.sent",
        /// A message reached the contact's device.
        MessageDelivered = "message.delivered",
        /// The contact read a message.
        MessageRead = "message.read",
        /// A message failed, and will not reach the contact.
        MessageFailed = "message.failed",
        /// The sender of a message edited the message.
        MessageEdited = "message.edited",
        /// The sender of a message deleted the message.
        MessageDeleted = "message.deleted",
        /// A voice message was transcribed.
        MessageTranscribed = "message.transcribed",
        /// A scheduled message was canceled before it was due.
        MessageCanceled = "message.canceled",
        /// A template was submitted for review, for the first time or after a change.
        TemplateSubmitted = "template.submitted",
        /// The reviewer approved a template.
        TemplateApproved = "template.approved",
        /// The reviewer rejected a template.
        TemplateRejected = "template.rejected",
        /// The channel paused a template.
        TemplatePaused = "template.paused",
        /// The channel disabled a template.
        TemplateDisabled = "template.disabled",
        /// The channel archived a template.
        TemplateArchived = "template.archived",
        /// A template was deleted, here or at the channel.
        TemplateDeleted = "template.deleted",
        /// The channel changed the category, the components or the quality of a template.
        TemplateUpdated = "template.updated",
        /// The health of an account changed: whether it can send, its quality, or its limits.
        AccountUpdated = "account.updated",
        /// A conversation began.
        ConversationCreated = "conversation.created",
        /// The AI agent stopped answering in a conversation.
        ConversationAgentPaused = "conversation.agent_paused",
        /// The AI agent answers in a conversation again, after a pause.
        ConversationAgentResumed = "conversation.agent_resumed",
        /// The status, the assignee or the labels of a conversation changed.
        ConversationUpdated = "conversation.updated",
        /// The customer service window of a conversation closes in an hour, and the contact wrote
        /// the last message.
        ConversationWindowClosing = "conversation.window_closing",
        /// A note was written about a conversation.
        NoteCreated = "note.created",
        /// The AI agent called for a person to take a conversation over.
        HandoverRequested = "conversation.handover_requested",
        /// A turn of an AI agent ended.
        AgentTurnFinished = "agent.turn_finished",
        ContactCreated = "contact.created",
        /// The data of a contact changed.
        ContactUpdated = "contact.updated",
        /// A contact opted out of marketing.
        ContactOptedOut = "contact.opted_out",
        /// A contact wants marketing again after an opt-out.
        ContactOptedIn = "contact.opted_in",
        /// Two contacts were merged, because they are the same person.
        ContactMerged = "contact.merged",
        /// A contact was deleted.
        ContactDeleted = "contact.deleted",
        /// An organization connected an application.
        ConnectionCreated = "connection.created",
        /// A connection between an organization and an application ended.
        ConnectionDisconnected = "connection.disconnected",
        PlanLimitReached = "plan.limit_reached",
        /// The key of a connection ends in a week.
        KeyExpiring = "key.expiring",
        /// A webhook endpoint has failed for a minute.
        EndpointFailing = "endpoint.failing",
        /// A webhook endpoint was disabled.
        EndpointDisabled = "endpoint.disabled",
        /// A webhook endpoint that failed or was disabled accepts events again.
        EndpointRecovered = "endpoint.recovered",
        /// A test event, which a member sends from the dashboard to one webhook endpoint.
        WebhookTest = "webhook.test",
    }
}

impl EventKind {
    /// Returns a sentence that tells members when an event of this kind happens.
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
            Self::MessageTranscribed => {
                "A person's voice message was transcribed; transcript holds its words."
            }
            Self::MessageCanceled => "A scheduled message was canceled before its time.",
            Self::TemplateSubmitted => {
                "A template was handed to the reviewer, for the first time or after a change."
            }
            Self::TemplateApproved => "The reviewer approved a template: it can be sent.",
            Self::TemplateRejected => "The reviewer rejected a template, and said why.",
            Self::TemplatePaused => "The channel paused a template: it cannot be sent for now.",
            Self::TemplateDisabled => "The channel disabled a template: it cannot be sent.",
            Self::TemplateArchived => "The channel archived a template: it cannot be sent.",
            Self::TemplateDeleted => {
                "A template was deleted, here or at the channel: it cannot be sent."
            }
            Self::TemplateUpdated => {
                "The channel changed a template: its category, its components, or its quality rating."
            }
            Self::AccountUpdated => {
                "A number was held, restricted or released, or its quality rating or limit changed."
            }
            Self::ConversationCreated => "A conversation began, from either side.",
            Self::ConversationAgentPaused => "The AI agent stopped answering in a conversation.",
            Self::ConversationAgentResumed => "The AI agent answers in a conversation again.",
            Self::ConversationUpdated => {
                "The status, the assignee or the labels of a conversation changed; changes holds the values before and after."
            }
            Self::NoteCreated => {
                "A member, a program or an AI agent wrote a note about a conversation."
            }
            Self::HandoverRequested => {
                "The AI agent asked for a person to take a conversation over, and said why."
            }
            Self::AgentTurnFinished => {
                "An AI agent answered, or did not; state and reason say how it ended."
            }
            Self::ConversationWindowClosing => {
                "The customer service window closes in an hour, and the person's last message has no answer."
            }
            Self::ContactCreated => "A contact was created.",
            Self::ContactUpdated => {
                "A contact has another phone number, user id, username or name; previous holds what it was before."
            }
            Self::ContactOptedOut => {
                "A person wants no marketing: templates of that category to them are refused."
            }
            Self::ContactOptedIn => "A person who had opted out of marketing wants it again.",
            Self::ContactMerged => {
                "Two contacts turned out to be one person: the messages of one joined the conversation of the other."
            }
            Self::ContactDeleted => {
                "A contact was deleted: texts, files, names and numbers of this person are gone within a minute."
            }
            Self::ConnectionCreated => "An application was connected through Connect.",
            Self::ConnectionDisconnected => {
                "A connection ended. The reason is business, application, superseded or revoked."
            }
            Self::PlanLimitReached => {
                "A limit of the plan was reached: calls or messages are refused."
            }
            Self::KeyExpiring => {
                "The key of a connection ends in seven days, at the date that the business set."
            }
            Self::EndpointFailing => {
                "Every attempt to deliver events to a webhook endpoint has failed for a minute. The endpoint itself does not receive this event."
            }
            Self::EndpointDisabled => {
                "A webhook endpoint was disabled: by a member, because it answered 410, or after five days of failures. The endpoint itself does not receive this event."
            }
            Self::EndpointRecovered => {
                "A webhook endpoint that failed or was disabled accepts events again."
            }
            Self::WebhookTest => "Sent from the dashboard to test an endpoint.",
        }
    }

    /// Returns the topic of events of this kind: their subject, and the status that they imply, if
    /// any.
    #[must_use]
    pub const fn topic(self) -> Topic {
        match self {
            Self::MessageReceived => Topic::Message(MessageStatus::Received),
            Self::MessageQueued => Topic::Message(MessageStatus::Queued),
            Self::MessageSent => Topic::Message(MessageStatus::Sent),
            Self::MessageDelivered => Topic::Message(MessageStatus::Delivered),
            Self::MessageRead => Topic::Message(MessageStatus::Read),
            Self::MessageFailed => Topic::Message(MessageStatus::Failed),
            Self::MessageEdited | Self::MessageDeleted | Self::MessageTranscribed => {
                Topic::MessageRevision
            }
            Self::MessageCanceled => Topic::ScheduledMessage,
            Self::TemplateSubmitted
            | Self::TemplateApproved
            | Self::TemplateRejected
            | Self::TemplatePaused
            | Self::TemplateDisabled
            | Self::TemplateArchived
            | Self::TemplateDeleted => Topic::Template,
            Self::TemplateUpdated => Topic::TemplateChange,
            Self::AccountUpdated => Topic::Account,
            Self::ConversationCreated | Self::ConversationAgentResumed => {
                Topic::Conversation(Agent::Running)
            }
            Self::ConversationAgentPaused => Topic::Conversation(Agent::Paused),
            Self::ConversationUpdated => Topic::ConversationUpdate,
            Self::ConversationWindowClosing => Topic::ConversationWindow,
            Self::NoteCreated => Topic::Note,
            Self::HandoverRequested => Topic::Handover,
            Self::AgentTurnFinished => Topic::Turn,
            Self::ContactCreated | Self::ContactOptedOut | Self::ContactOptedIn => Topic::Contact,
            Self::ContactUpdated => Topic::ContactUpdate,
            Self::ContactMerged => Topic::ContactMerge,
            Self::ContactDeleted => Topic::ContactDeletion,
            Self::ConnectionCreated | Self::ConnectionDisconnected => Topic::Connection,
            Self::PlanLimitReached => Topic::Plan,
            Self::KeyExpiring => Topic::Key,
            Self::EndpointFailing | Self::EndpointDisabled | Self::EndpointRecovered => {
                Topic::EndpointHealth
            }
            Self::WebhookTest => Topic::Endpoint,
        }
    }

    /// Returns the kind of the events that report this status of a message.
    #[must_use]
    pub const fn from_message_status(status: MessageStatus) -> Self {
        match status {
            MessageStatus::Received => Self::MessageReceived,
            MessageStatus::Queued => Self::MessageQueued,
            MessageStatus::Sent => Self::MessageSent,
            MessageStatus::Delivered => Self::MessageDelivered,
            MessageStatus::Read => Self::MessageRead,
            MessageStatus::Failed => Self::MessageFailed,
        }
    }

    /// Returns the kind of the events that report this status of a template. A draft has no event.
    #[must_use]
    pub const fn from_template_status(status: TemplateStatus) -> Option<Self> {
        match status {
            TemplateStatus::Draft => None,
            TemplateStatus::Pending => Some(Self::TemplateSubmitted),
            TemplateStatus::Approved => Some(Self::TemplateApproved),
            TemplateStatus::Rejected => Some(Self::TemplateRejected),
            TemplateStatus::Paused => Some(Self::TemplatePaused),
            TemplateStatus::Disabled => Some(Self::TemplateDisabled),
            TemplateStatus::Archived => Some(Self::TemplateArchived),
            TemplateStatus::Deleted => Some(Self::TemplateDeleted),
        }
    }

    /// Whether events of this kind concern all accounts of an organization. Events about a template
    /// do, because every account may send the template. Events about a limit of the plan do,
    /// because the limit stops every account.
    #[must_use]
    pub const fn concerns_all_numbers(self) -> bool {
        matches!(self.topic(), Topic::Template | Topic::TemplateChange | Topic::Plan)
    }
}

/// An event that is recorded in the same transaction as the change that the event reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    pub organization: OrganizationId,
    /// The account that the event is about, or `None` if the event is not about a single account.
    pub account: Option<AccountId>,
    pub kind: EventKind,
    /// The subject of the event, and the data about it.
    pub payload: EventPayload,
    /// The time at which the event is recorded.
    pub at: Timestamp,
}

/// The subject of an event. It includes a copy of the data that may change or be deleted before
/// somebody reads the event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventPayload {
    /// A message, with its contact as it was when the event was recorded. The other data of the
    /// message is read from the database together with the event.
    Message(MessageId, Option<Arc<ContactSnapshot>>),
    /// A scheduled message, as it was when the event was recorded.
    ScheduledMessage(Box<ScheduledSnapshot>),
    /// A conversation, with its contact and its AI agent as they were when the event was recorded.
    /// The other data of the conversation is read from the database together with the event.
    Conversation(ConversationId, Option<Arc<ContactSnapshot>>, Option<Box<AgentStatus>>),
    /// A change of a conversation's status, assignee or labels.
    ConversationUpdate(Box<ConversationUpdate>),
    /// A conversation whose customer service window is about to close.
    ConversationWindow(Box<ClosingWindow>),
    /// A note, as it was when the event was recorded.
    Note(Box<NoteSnapshot>),
    /// An AI agent's call for a person to take the conversation over.
    Handover(Box<HandoverRequest>),
    /// A turn of an AI agent that ended.
    Turn(Box<TurnSnapshot>),
    /// A contact, as it was when the event was recorded.
    Contact(Box<ContactSnapshot>),
    /// A contact after a change, with its previous data.
    ContactUpdate(Box<ContactChange>),
    /// Two contacts that were merged.
    ContactMerge(ContactMerge),
    /// A contact that was deleted, and the contact's conversation.
    ContactDeletion(ContactId, ConversationId),
    /// A template, as it was when the event was recorded.
    Template(Box<TemplateSnapshot>),
    /// A change that the channel made to a template.
    TemplateChange(Box<TemplateChange>),
    /// An account, as it was when the event was recorded.
    Account(Box<AccountSnapshot>),
    /// A connection, as it was when the event was recorded.
    Connection(Box<ConnectionSnapshot>),
    /// A limit of the plan that was reached, and the usage at that time.
    Limit(Meter, Usage),
    /// A webhook endpoint, to which a test event is sent.
    Endpoint(WebhookEndpointId),
    /// A webhook endpoint whose health changed.
    EndpointHealth(Box<EndpointSnapshot>),
    /// The key of a connection that is about to end.
    Key(Box<KeyExpiry>),
}

/// The key of a connection that is about to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyExpiry {
    pub id: KeyId,
    pub client_id: String,
    pub name: String,
    pub connection: ConnectionId,
    pub expires_at: Timestamp,
}

/// A webhook endpoint as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointSnapshot {
    pub id: WebhookEndpointId,
    pub url: String,
    pub description: Option<String>,
    pub health: EndpointHealth,
}

/// A change of a conversation's status, assignee or labels, as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationUpdate {
    pub id: ConversationId,
    pub account: AccountId,
    pub contact: ContactId,
    pub before: InboxState,
    pub now: InboxState,
    /// The state of the AI agent after the change.
    pub agent: AgentStatus,
}

/// A note as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoteSnapshot {
    pub id: NoteId,
    pub conversation: ConversationId,
    pub text: String,
    pub author: NoteAuthor,
    pub created_at: Timestamp,
}

/// An AI agent's call for a person, as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandoverRequest {
    pub conversation: ConversationId,
    /// The agent, or `None` if a program asked on a number for which no agent is set up.
    pub agent: Option<AiAgentId>,
    /// The turn in which the agent asked, or `None` if the agent asked over the API.
    pub turn: Option<TurnId>,
    pub reason: String,
    /// The agent's summary of the conversation for the person who takes over.
    pub summary: Option<String>,
}

/// A turn that ended, as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnSnapshot {
    pub id: TurnId,
    pub agent: AiAgentId,
    pub conversation: ConversationId,
    pub state: TurnState,
    /// The reason why the turn ended without an answer.
    pub reason: Option<String>,
    /// The messages that were sent as the answer.
    pub messages: Vec<MessageId>,
    pub tokens: Option<i64>,
    /// The time that the agent took for its answer, in milliseconds.
    pub took_ms: Option<i32>,
}

/// A template as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateSnapshot {
    pub id: TemplateId,
    /// The account that the template was created for.
    pub account: AccountId,
    pub name: String,
    pub language: String,
    pub category: Category,
    /// The state of the template's review.
    pub review: Review,
    pub parameter_format: ParameterFormat,
    /// The components of the template, as JSON, in the form in which they are stored.
    pub components: String,
    /// The number of seconds for which the channel tries to deliver a message of this template.
    pub message_send_ttl_seconds: Option<i32>,
    /// The quality of the template, as the channel measures it.
    pub quality: Option<TemplateQuality>,
    /// The id that the reviewer has given the template.
    pub external_id: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// A conversation whose customer service window is about to close.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingWindow {
    pub conversation: ConversationId,
    pub contact: ContactSnapshot,
    pub closes_at: Timestamp,
}

/// A scheduled message as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledSnapshot {
    pub id: MessageId,
    pub account: AccountId,
    pub recipient: Recipient,
    pub kind: MessageKind,
    /// The sender's own id of the message.
    pub client_ref: Option<String>,
    pub state: ScheduleState,
    pub send_at: Timestamp,
    pub created_at: Timestamp,
    pub canceled_at: Option<Timestamp>,
}

/// A connection as events contain it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionSnapshot {
    pub id: ConnectionId,
    /// The client ID of the application.
    pub application: String,
    pub application_name: String,
    /// The client ID of the connection's key. The key is deleted when the connection ends.
    pub client_id: String,
    /// The account that the connection is bound to, or `None` if it is not bound to one account.
    pub account: Option<AccountId>,
    /// The scopes that the connection has, as stored texts. A connection can thus be ended even if
    /// this version of Switchboard does not know one of the scopes.
    pub scopes: Vec<String>,
    pub connected_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// The cause of the connection's end, if it has ended.
    pub ending: Option<EndReason>,
}

impl NewEvent {
    /// Creates an event that is about one account.
    #[must_use]
    pub const fn for_account(
        organization: OrganizationId,
        account: AccountId,
        kind: EventKind,
        payload: EventPayload,
        at: Timestamp,
    ) -> Self {
        Self { organization, account: Some(account), kind, payload, at }
    }

    /// Creates the event that reports a reached limit of the plan.
    #[must_use]
    pub const fn for_limit(
        organization: OrganizationId,
        meter: Meter,
        usage: Usage,
        at: Timestamp,
    ) -> Self {
        let (kind, payload) = (EventKind::PlanLimitReached, EventPayload::Limit(meter, usage));
        Self { organization, account: None, kind, payload, at }
    }

    /// Returns the contact of the event's message or conversation, as it was when the event was
    /// recorded. Returns `None` for other subjects.
    #[must_use]
    pub fn person(&self) -> Option<&ContactSnapshot> {
        match &self.payload {
            EventPayload::Message(_, person) | EventPayload::Conversation(_, person, _) => {
                person.as_deref()
            }
            _ => None,
        }
    }

    /// Returns the id of the event's subject. If the subject is a limit of the plan, that is the id
    /// of the organization.
    #[must_use]
    pub fn subject(&self) -> Uuid {
        match &self.payload {
            EventPayload::Message(id, _) => *id.uuid(),
            EventPayload::ScheduledMessage(message) => *message.id.uuid(),
            EventPayload::Conversation(id, ..) => *id.uuid(),
            EventPayload::ConversationUpdate(update) => *update.id.uuid(),
            EventPayload::ConversationWindow(window) => *window.conversation.uuid(),
            EventPayload::Note(note) => *note.id.uuid(),
            EventPayload::Handover(request) => *request.conversation.uuid(),
            EventPayload::Turn(turn) => *turn.id.uuid(),
            EventPayload::Contact(contact) => *contact.id.uuid(),
            EventPayload::ContactUpdate(change) => *change.now.id.uuid(),
            EventPayload::ContactMerge(merge) => *merge.contact.uuid(),
            EventPayload::ContactDeletion(contact, _) => *contact.uuid(),
            EventPayload::Template(template) => *template.id.uuid(),
            EventPayload::TemplateChange(change) => *change.id.uuid(),
            EventPayload::Account(account) => *account.id.uuid(),
            EventPayload::Connection(connection) => *connection.id.uuid(),
            EventPayload::Endpoint(id) => *id.uuid(),
            EventPayload::EndpointHealth(endpoint) => *endpoint.id.uuid(),
            EventPayload::Key(key) => *key.id.uuid(),
            EventPayload::Limit(..) => *self.organization.uuid(),
        }
    }
}

/// The topic of an event: the type of its subject, and the status that it implies, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A message that got this status.
    Message(MessageStatus),
    /// A message that was edited, deleted or transcribed.
    MessageRevision,
    /// A message whose sending was scheduled or canceled.
    ScheduledMessage,
    Template,
    /// A template that the channel changed.
    TemplateChange,
    Account,
    /// A conversation in which the AI agent is now in this state.
    Conversation(Agent),
    Contact,
    /// A contact whose data changed.
    ContactUpdate,
    /// Two contacts of the same person that were merged.
    ContactMerge,
    /// A contact that was deleted.
    ContactDeletion,
    /// A change of a conversation's status, assignee or labels.
    ConversationUpdate,
    /// A conversation whose customer service window is about to close.
    ConversationWindow,
    Note,
    /// An AI agent's call for a person to take the conversation over.
    Handover,
    /// A turn of an AI agent that ended.
    Turn,
    Connection,
    /// A limit of the plan that was reached.
    Plan,
    /// A webhook endpoint, to which a test event is sent.
    Endpoint,
    /// A webhook endpoint whose health changed.
    EndpointHealth,
    /// The key of a connection that is about to end.
    Key,
}

/// Computes the id of the event that has this `sequence` in its organization and this `subject`.
///
/// The id needs no new random bits. The random bits of the subject's id make the event's id unique
/// among organizations. The sequence makes it unique within one organization.
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
        for status in MessageStatus::ALL.iter().copied() {
            assert_eq!(EventKind::from_message_status(status).topic(), Topic::Message(status));
        }
        for status in TemplateStatus::ALL.iter().copied() {
            let kind = EventKind::from_template_status(status);
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
