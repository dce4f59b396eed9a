//! The stored data of events. An event stores the data that may change or be deleted before the
//! event is read.
//!
//! The data is the JSON of version 1 of the API and is returned to readers unchanged. Each type here
//! is written to the database, shown by the API and described by its schema in the reference.
use crate::schema::{IdOf, Instant, OneOf, PhoneNumberText, UserIdText};
use domain::account::pace::Rate;
use domain::account::{AccountQuality, ChannelKind, HealthReason, HealthState, HealthSummary};
use domain::agent::TurnState;
use domain::connection::EndReason;
use domain::contact::{ChannelUserId, ContactChange, ContactMerge, ContactSnapshot, Identity};
use domain::content::MessageKind;
use domain::conversation::Agent;
use domain::event::{
    AccountSnapshot, ClosingWindow, ConnectionSnapshot, ConversationUpdate, EndpointSnapshot,
    EventPayload, HandoverRequest, KeyExpiry, NoteSnapshot, ScheduledSnapshot, TemplateChange,
    TemplateSnapshot, TurnSnapshot,
};
use domain::id::{self, ContactId};
use domain::inbox::{
    AgentStatus, ConversationStatus, InboxState, NoteAuthor, NoteAuthorKind, PauseCause,
};
use domain::keyword::Keyword as _;
use domain::message::{Recipient, ScheduleState};
use domain::phone::PhoneNumber;
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use domain::template::{
    Category, ChangedPart, ParameterFormat, RejectionReason, TemplateQuality, TemplateStatus,
};
use domain::time::Timestamp;
use domain::webhook::{DisabledReason, EndpointState};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A contact: a person outside the organization, as one account knows them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Contact")]
pub struct ContactData {
    /// The id of the contact.
    pub id: IdOf<id::Contact>,
    /// The id of the account (the business's number).
    pub account_id: IdOf<id::Account>,
    /// The phone number. Null until it is known: since 2026, people may show a username instead.
    #[schemars(with = "Option<PhoneNumberText>")]
    pub phone_number: Option<String>,
    /// The channel's id of the contact, the same for all numbers of a business portfolio. Null
    /// until it is known.
    #[schemars(with = "Option<UserIdText>")]
    pub channel_user_id: Option<String>,
    /// The channel's id of the contact that linked portfolios share. Null until it is known.
    #[schemars(with = "Option<UserIdText>")]
    pub channel_parent_user_id: Option<String>,
    /// The username. Null until it is known.
    pub username: Option<String>,
    /// The name that the contact chose. Null until it is known.
    pub name: Option<String>,
    /// When the contact opted out of marketing messages; null if they have not.
    pub opted_out_at: Option<Instant>,
    /// When the contact was created.
    pub created_at: Instant,
}

/// A contact whose details changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContactUpdateData {
    #[serde(flatten)]
    contact: ContactData,
    /// The previous values of the fields that changed.
    #[schemars(with = "PreviousContact")]
    previous: BTreeMap<&'static str, Option<String>>,
}

/// The previous values of a contact. Fields that did not change are omitted.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "its JSON is a map, whose fields are in alphabetical order")]
struct PreviousContact {
    /// The previous phone number; null if it was not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The previous channel id of the contact; null if it was not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The previous id that linked portfolios share; null if it was not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<UserIdText>")]
    channel_parent_user_id: Option<String>,
    /// The previous username; null if it was not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// The previous name; null if it was not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// When the contact had opted out of marketing messages; null if they had not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Instant>")]
    opted_out_at: Option<String>,
}

/// The contact that a message was exchanged with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageContact")]
pub struct MessageContactData<'a> {
    /// The id of the contact.
    pub id: IdOf<id::Contact>,
    /// The phone number, in the form that the channel uses. Null until it is known.
    #[schemars(with = "Option<PhoneNumberText>")]
    pub phone_number: Option<Cow<'a, str>>,
    /// The channel's user id of the contact. Null until it is known.
    #[schemars(with = "Option<UserIdText>")]
    pub channel_user_id: Option<Cow<'a, str>>,
    /// The username. Null until it is known.
    pub username: Option<Cow<'a, str>>,
    /// The name that the contact chose. Null until it is known.
    pub name: Option<Cow<'a, str>>,
}

/// Two contacts that were merged because they are the same person. The ids of both contacts and of
/// both conversations remain valid.
#[derive(Debug, Serialize, JsonSchema)]
#[expect(clippy::struct_field_names, reason = "these are field names of the API")]
pub struct ContactMergeData {
    /// The id of the contact that remains.
    contact_id: IdOf<id::Contact>,
    /// The id of the contact that was merged into it.
    merged_contact_id: IdOf<id::Contact>,
    /// The id of the conversation that remains.
    conversation_id: IdOf<id::Conversation>,
    /// The id of the conversation that was merged into it.
    merged_conversation_id: IdOf<id::Conversation>,
}

/// A contact that was deleted. Both ids remain valid.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContactDeletionData {
    /// The id of the contact.
    contact_id: IdOf<id::Contact>,
    /// The id of the conversation with the contact.
    conversation_id: IdOf<id::Conversation>,
}

/// A template in an event. It has no schema of its own. The reference shows the schema of the API's
/// `TemplateRecord`, because the schema of the components is part of the API's requests. A test
/// compares the two.
#[derive(Serialize)]
struct EventTemplate<'a> {
    id: IdOf<id::Template>,
    name: &'a str,
    language: &'a str,
    category: OneOf<Category>,
    status: OneOf<TemplateStatus>,
    rejection_reason: Option<OneOf<RejectionReason>>,
    rejection_detail: Option<&'a str>,
    parameter_format: OneOf<ParameterFormat>,
    components: &'a RawValue,
    message_send_ttl_seconds: Option<i32>,
    quality: Option<OneOf<TemplateQuality>>,
    account_id: IdOf<id::Account>,
    external_id: Option<&'a str>,
    submitted_at: Option<Instant>,
    reviewed_at: Option<Instant>,
    created_at: Instant,
    updated_at: Instant,
}

/// A change that the channel made to a template.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TemplateChangeData {
    /// The id of the template.
    id: IdOf<id::Template>,
    /// The account that the template was created for.
    account_id: IdOf<id::Account>,
    /// The name of the template.
    name: String,
    /// The language of the template.
    language: String,
    /// The part of the template that was changed.
    change: OneOf<ChangedPart>,
    /// The previous value: a keyword, or the components. Null if it was not known.
    #[schemars(with = "Option<serde_json::Value>")]
    previous: Option<Box<RawValue>>,
    /// The value after the change.
    #[schemars(with = "serde_json::Value")]
    current: Box<RawValue>,
}

/// An account: a number of the business that is connected to a channel.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AccountData {
    /// The id of the account.
    id: IdOf<id::Account>,
    /// The phone number.
    #[schemars(with = "PhoneNumberText")]
    phone_number: String,
    /// The name that recipients see.
    display_name: String,
    /// The channel behind the account.
    channel: OneOf<ChannelKind>,
    /// Whether the account can send messages.
    health: AccountHealthData,
}

/// The ability of an account to send messages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AccountHealth")]
pub struct AccountHealthData {
    /// The state: `ok`; `held` while the channel refuses the account and its messages wait; or
    /// `restricted`.
    state: OneOf<HealthState>,
    /// The reason for `held` or `restricted`.
    reason: Option<OneOf<HealthReason>>,
    /// The channel's explanation.
    message: Option<String>,
    /// When the account entered this state; null if it has always been in it.
    since: Option<Instant>,
    /// The quality rating of the account's messages by the channel; null until the channel reports
    /// one.
    quality: Option<OneOf<AccountQuality>>,
    /// The number of contacts that the account may write to first in 24 hours, as the channel's
    /// name for the tier, such as `TIER_1K`; null until the channel reports it.
    limit: Option<String>,
    /// The number of messages per second that the account sends since the channel slowed it down;
    /// null if it is not slowed down.
    pace: Option<f64>,
}

/// A connection of an application.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectionData {
    /// The id of the connection.
    id: IdOf<id::Connection>,
    /// The application.
    application: ApplicationData,
    /// The client id of the connection's key.
    client_id: String,
    /// The account that the connection is bound to; null if it is not bound.
    account_id: Option<IdOf<id::Account>>,
    /// The permissions (scopes) that the connection was granted.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    scopes: Vec<String>,
    /// When the connection was created.
    connected_at: Instant,
    /// When the connection ended; omitted if it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    disconnected_at: Option<Instant>,
    /// Who or what ended the connection; omitted if it has not ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<OneOf<EndReason>>,
}

/// The application of a connection.
#[derive(Debug, Serialize, JsonSchema)]
struct ApplicationData {
    /// The client id of the application.
    client_id: String,
    /// The name of the application.
    name: String,
}

/// A limit of the plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LimitData {
    /// The limited resource: API requests per day, or messages per month.
    resource: OneOf<Meter>,
    /// The limit.
    limit: Option<u32>,
    /// The amount that has been used.
    used: u32,
    /// When the usage is reset.
    resets_at: Instant,
}

/// The key of a connection that ends soon.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeyExpiryData {
    /// The id of the key.
    id: IdOf<id::Key>,
    /// The client id of the key.
    client_id: String,
    /// The name of the key, which is that of the application.
    name: String,
    /// The id of the connection that the key belongs to.
    connection_id: IdOf<id::Connection>,
    /// When the key ends. Calls with it are refused from then on.
    expires_at: Instant,
}

impl From<&KeyExpiry> for KeyExpiryData {
    fn from(key: &KeyExpiry) -> Self {
        Self {
            id: IdOf(key.id),
            client_id: key.client_id.clone(),
            name: key.name.clone(),
            connection_id: IdOf(key.connection),
            expires_at: Instant(key.expires_at),
        }
    }
}

/// A webhook endpoint whose health changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndpointHealthData {
    /// The id of the endpoint.
    id: IdOf<id::WebhookEndpoint>,
    /// The URL that events are posted to.
    url: String,
    /// The purpose of the endpoint; null if none was given.
    description: Option<String>,
    /// Whether the endpoint gets events.
    state: OneOf<EndpointState>,
    /// Why the endpoint is disabled; null if it is not.
    disabled_reason: Option<OneOf<DisabledReason>>,
    /// When the endpoint was disabled; null if it is not.
    disabled_at: Option<Instant>,
    /// Since when every attempt has failed; null if the last one succeeded.
    failing_since: Option<Instant>,
}

impl From<&EndpointSnapshot> for EndpointHealthData {
    fn from(endpoint: &EndpointSnapshot) -> Self {
        let health = endpoint.health;
        Self {
            id: IdOf(endpoint.id),
            url: endpoint.url.clone(),
            description: endpoint.description.clone(),
            state: OneOf(health.state()),
            disabled_reason: health.disabled.map(|(reason, _)| OneOf(reason)),
            disabled_at: health.disabled.map(|(_, at)| Instant(at)),
            failing_since: health.failing_since.map(Instant),
        }
    }
}

/// The AI agent in a conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ConversationAgent")]
pub struct ConversationAgentData {
    /// Whether the agent answers.
    state: OneOf<Agent>,
    /// Why the agent is paused; null while it is running.
    cause: Option<OneOf<PauseCause>>,
    /// The reason that was given with the pause; null if none was.
    reason: Option<String>,
    /// The id of the member who paused the agent; null if no member did.
    by: Option<IdOf<id::Member>>,
    /// Since when the agent is paused; null while it is running.
    since: Option<Instant>,
    /// When the agent answers again by itself; null if it does not.
    until: Option<Instant>,
}

impl From<&AgentStatus> for ConversationAgentData {
    fn from(it: &AgentStatus) -> Self {
        Self {
            state: OneOf(it.agent),
            cause: it.cause.map(OneOf),
            reason: it.reason.clone(),
            by: it.by.map(IdOf),
            since: it.since.map(Instant),
            until: it.until.map(Instant),
        }
    }
}

/// The stored data of an event about a conversation: the state of the AI agent at the time of the
/// event.
#[derive(Serialize)]
struct ConversationThen {
    agent: ConversationAgentData,
}

/// A conversation and the change of its status, assignee or labels.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConversationUpdateData {
    /// The id of the conversation.
    id: IdOf<id::Conversation>,
    /// The id of the account (the business's number).
    account_id: IdOf<id::Account>,
    /// The id of the contact.
    contact_id: IdOf<id::Contact>,
    /// The status in the inbox.
    status: OneOf<ConversationStatus>,
    /// When a snoozed conversation opens; null if it is not snoozed.
    snoozed_until: Option<Instant>,
    /// The id of the member who answers; null if there is none.
    assignee_id: Option<IdOf<id::Member>>,
    /// The labels, in alphabetical order.
    labels: Vec<String>,
    /// Since when a person of your organization has to answer; null if nobody has to.
    needs_person_since: Option<Instant>,
    /// The AI agent in this conversation after the change; omitted in an event of an earlier version.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<ConversationAgentData>,
    /// The fields that changed, with their values before and after.
    changes: ConversationChanges,
}

/// Changes of a conversation. Fields that did not change are omitted.
#[derive(Debug, Serialize, JsonSchema)]
struct ConversationChanges {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<FieldChange<OneOf<ConversationStatus>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snoozed_until: Option<FieldChange<Option<Instant>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    assignee_id: Option<FieldChange<Option<IdOf<id::Member>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<FieldChange<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_person_since: Option<FieldChange<Option<Instant>>>,
}

/// The value of a field before and after a change.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(inline)]
struct FieldChange<T> {
    /// The value before.
    previous: T,
    /// The value after.
    current: T,
}

/// A note about a conversation. Notes are never sent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Note")]
pub struct NoteData {
    /// The id of the note.
    id: IdOf<id::Note>,
    /// The id of the conversation.
    conversation_id: IdOf<id::Conversation>,
    /// The text.
    text: String,
    /// The author of the note.
    author: NoteAuthorData,
    /// When the note was written.
    created_at: Instant,
}

/// A conversation whose customer service window is about to close.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ClosingWindow")]
pub struct ClosingWindowData {
    /// The id of the conversation.
    id: IdOf<id::Conversation>,
    /// The id of the account (the business's number).
    account_id: IdOf<id::Account>,
    /// The id of the contact.
    contact_id: IdOf<id::Contact>,
    /// The contact's phone number; null until it is known.
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The channel's id of the contact; null until it is known.
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// When the customer service window closes.
    window_closes_at: Instant,
}

impl From<&ClosingWindow> for ClosingWindowData {
    fn from(it: &ClosingWindow) -> Self {
        let identity = &it.contact.identity;
        Self {
            id: IdOf(it.conversation),
            account_id: IdOf(it.contact.account),
            contact_id: IdOf(it.contact.id),
            phone_number: identity.phone_number.as_ref().map(ToString::to_string),
            channel_user_id: identity.user_id.as_ref().map(ToString::to_string),
            window_closes_at: Instant(it.closes_at),
        }
    }
}

/// A message that is sent later, or that was canceled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "ScheduledMessage")]
pub struct ScheduledMessageData {
    /// The id of the message, which it keeps when it is sent.
    id: IdOf<id::Message>,
    /// `scheduled` until the message is sent, `canceled` if it was canceled before.
    #[schemars(with = "OneOf<ScheduleState>")]
    status: &'static str,
    /// The type of the message.
    #[serde(rename = "type")]
    #[schemars(with = "OneOf<MessageKind>")]
    kind: &'static str,
    /// The id of the account (the business's number) that the message is sent from.
    account_id: IdOf<id::Account>,
    /// The recipient's phone number; null if the request named the recipient otherwise.
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The recipient's user id; null if the request named the recipient otherwise.
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The id of the recipient's contact; null if the request named the recipient otherwise.
    contact_id: Option<IdOf<id::Contact>>,
    /// The id of the conversation; null if the request named the recipient otherwise.
    conversation_id: Option<IdOf<id::Conversation>>,
    /// The `client_ref` of the request.
    client_ref: Option<String>,
    /// When the message is sent.
    send_at: Instant,
    /// When the message was scheduled.
    created_at: Instant,
    /// When the message was canceled; null if it was not.
    canceled_at: Option<Instant>,
}

impl From<&ScheduledSnapshot> for ScheduledMessageData {
    fn from(it: &ScheduledSnapshot) -> Self {
        let mut data = Self {
            id: IdOf(it.id),
            status: it.state.as_str(),
            kind: it.kind.as_str(),
            account_id: IdOf(it.account),
            phone_number: None,
            channel_user_id: None,
            contact_id: None,
            conversation_id: None,
            client_ref: it.client_ref.clone(),
            send_at: Instant(it.send_at),
            created_at: Instant(it.created_at),
            canceled_at: it.canceled_at.map(Instant),
        };
        match &it.recipient {
            Recipient::Phone(number) => data.phone_number = Some(number.to_string()),
            Recipient::User(id) => data.channel_user_id = Some(id.to_string()),
            Recipient::Contact(id) => data.contact_id = Some(IdOf(*id)),
            Recipient::Conversation(id) => data.conversation_id = Some(IdOf(*id)),
        }
        data
    }
}

/// The author of a note.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "NoteAuthor")]
struct NoteAuthorData {
    /// Whether a member, a program, an AI agent or the channel's own agent wrote the note.
    #[serde(rename = "type")]
    kind: OneOf<NoteAuthorKind>,
    /// The id of the member or agent, or the client id of the key; null for the channel's own agent.
    id: Option<String>,
    /// The name of the member, the key or the agent.
    name: String,
}

/// An AI agent's call for a person.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "HandoverRequest")]
pub struct HandoverData {
    /// The id of the conversation.
    conversation_id: IdOf<id::Conversation>,
    /// The id of the agent; null if no agent is set up on the number.
    agent_id: Option<IdOf<id::AiAgent>>,
    /// The id of the turn in which the agent asked; null if it asked over the API.
    turn_id: Option<IdOf<id::Turn>>,
    /// Why a person is needed.
    reason: String,
    /// What the person needs to know.
    summary: Option<String>,
}

/// A turn of an AI agent that ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Turn")]
pub struct TurnData {
    /// The id of the turn.
    id: IdOf<id::Turn>,
    /// The id of the agent.
    agent_id: IdOf<id::AiAgent>,
    /// The id of the conversation.
    conversation_id: IdOf<id::Conversation>,
    /// How the turn ended.
    state: OneOf<TurnState>,
    /// Why there is no answer; null if there is one.
    reason: Option<String>,
    /// The ids of the messages that were sent.
    message_ids: Vec<IdOf<id::Message>>,
    /// The number of tokens that a model used; null if that is unknown.
    tokens: Option<i64>,
    /// How long the agent took to answer, in milliseconds; null if it was not asked.
    duration_ms: Option<i32>,
}

/// Encodes the data of an event. Returns `None` for an event that needs only the row of its
/// subject, because that row is read together with the event. An event about a conversation needs
/// both the data and the row.
///
/// # Errors
///
/// The components of a template are not valid JSON.
pub fn encode(payload: &EventPayload) -> serde_json::Result<Option<String>> {
    let written = match payload {
        EventPayload::Message(..)
        | EventPayload::Conversation(_, _, None)
        | EventPayload::Endpoint(_) => return Ok(None),
        EventPayload::Conversation(_, _, Some(agent)) => {
            let agent = ConversationAgentData::from(&**agent);
            serde_json::to_string(&ConversationThen { agent })
        }
        EventPayload::Contact(it) => serde_json::to_string(&ContactData::from(&**it)),
        EventPayload::ContactUpdate(it) => serde_json::to_string(&ContactUpdateData::from(&**it)),
        EventPayload::ContactMerge(it) => serde_json::to_string(&ContactMergeData::from(it)),
        EventPayload::ContactDeletion(contact, conversation) => {
            serde_json::to_string(&ContactDeletionData {
                contact_id: IdOf(*contact),
                conversation_id: IdOf(*conversation),
            })
        }
        EventPayload::ConversationUpdate(it) => {
            serde_json::to_string(&ConversationUpdateData::from(&**it))
        }
        EventPayload::Note(it) => serde_json::to_string(&NoteData::from(&**it)),
        EventPayload::Handover(it) => serde_json::to_string(&HandoverData::from(&**it)),
        EventPayload::Turn(it) => serde_json::to_string(&TurnData::from(&**it)),
        EventPayload::ConversationWindow(it) => {
            serde_json::to_string(&ClosingWindowData::from(&**it))
        }
        EventPayload::ScheduledMessage(it) => {
            serde_json::to_string(&ScheduledMessageData::from(&**it))
        }
        EventPayload::Template(it) => template(it),
        EventPayload::TemplateChange(it) => template_change(it),
        EventPayload::Account(it) => serde_json::to_string(&AccountData::from(&**it)),
        EventPayload::Connection(it) => serde_json::to_string(&ConnectionData::from(&**it)),
        EventPayload::EndpointHealth(it) => serde_json::to_string(&EndpointHealthData::from(&**it)),
        EventPayload::Key(it) => serde_json::to_string(&KeyExpiryData::from(&**it)),
        EventPayload::Limit(meter, usage) => serde_json::to_string(&LimitData::new(*meter, usage)),
    };
    written.map(Some)
}

/// Encodes the contact of a message or conversation.
pub fn encode_person(it: &ContactSnapshot) -> serde_json::Result<String> {
    serde_json::to_string(&MessageContactData::from(it))
}

impl From<&ContactSnapshot> for ContactData {
    fn from(it: &ContactSnapshot) -> Self {
        let Identity { phone_number, user_id, parent_user_id, username, name } = &it.identity;
        Self {
            id: IdOf(it.id),
            account_id: IdOf(it.account),
            phone_number: phone_number.as_ref().map(ToString::to_string),
            channel_user_id: user_id.as_ref().map(ToString::to_string),
            channel_parent_user_id: parent_user_id.as_ref().map(ToString::to_string),
            username: username.clone(),
            name: name.clone(),
            opted_out_at: it.opted_out_at.map(Instant),
            created_at: Instant(it.created_at),
        }
    }
}

impl From<&ContactChange> for ContactUpdateData {
    fn from(it: &ContactChange) -> Self {
        let before = fields(&it.before, it.opted_out_before);
        let now = fields(&it.now.identity, it.now.opted_out_at);
        let changed = before.into_iter().zip(now).filter(|(before, now)| before != now);
        let previous = changed.map(|(before, _)| before).collect();
        Self { contact: ContactData::from(&it.now), previous }
    }
}

fn fields(
    identity: &Identity,
    opted_out_at: Option<Timestamp>,
) -> [(&'static str, Option<String>); 6] {
    let Identity { phone_number, user_id, parent_user_id, username, name } = identity;
    [
        ("phone_number", phone_number.as_ref().map(ToString::to_string)),
        ("channel_user_id", user_id.as_ref().map(ToString::to_string)),
        ("channel_parent_user_id", parent_user_id.as_ref().map(ToString::to_string)),
        ("username", username.clone()),
        ("name", name.clone()),
        ("opted_out_at", opted_out_at.map(|at| at.to_string())),
    ]
}

impl MessageContactData<'_> {
    /// Returns a contact of which only the id can be read.
    #[must_use]
    pub fn unknown(id: ContactId) -> Self {
        let (phone_number, channel_user_id, username, name) = (None, None, None, None);
        Self { id: IdOf(id), phone_number, channel_user_id, username, name }
    }

    /// Returns a copy that does not borrow from the contact.
    #[must_use]
    pub fn into_owned(self) -> MessageContactData<'static> {
        let owned = |text: Option<Cow<'_, str>>| text.map(|text| Cow::Owned(text.into_owned()));
        MessageContactData {
            id: self.id,
            phone_number: owned(self.phone_number),
            channel_user_id: owned(self.channel_user_id),
            username: owned(self.username),
            name: owned(self.name),
        }
    }
}

impl<'a> From<&'a ContactSnapshot> for MessageContactData<'a> {
    fn from(it: &'a ContactSnapshot) -> Self {
        let Identity { phone_number, user_id, username, name, .. } = &it.identity;
        Self {
            id: IdOf(it.id),
            phone_number: phone_number.as_ref().map(PhoneNumber::as_str).map(Cow::from),
            channel_user_id: user_id.as_ref().map(ChannelUserId::as_str).map(Cow::from),
            username: username.as_deref().map(Cow::from),
            name: name.as_deref().map(Cow::from),
        }
    }
}

impl From<&ContactMerge> for ContactMergeData {
    fn from(it: &ContactMerge) -> Self {
        Self {
            contact_id: IdOf(it.contact),
            merged_contact_id: IdOf(it.merged_contact),
            conversation_id: IdOf(it.conversation),
            merged_conversation_id: IdOf(it.merged_conversation),
        }
    }
}

fn template(it: &TemplateSnapshot) -> serde_json::Result<String> {
    serde_json::to_string(&EventTemplate {
        id: IdOf(it.id),
        name: &it.name,
        language: &it.language,
        category: OneOf(it.category),
        status: OneOf(it.review.status),
        rejection_reason: it.review.rejection_reason.map(OneOf),
        rejection_detail: it.review.rejection_detail.as_deref(),
        parameter_format: OneOf(it.parameter_format),
        components: serde_json::from_str(&it.components)?,
        message_send_ttl_seconds: it.message_send_ttl_seconds,
        quality: it.quality.map(OneOf),
        account_id: IdOf(it.account),
        external_id: it.external_id.as_deref(),
        submitted_at: it.review.submitted_at.map(Instant),
        reviewed_at: it.review.reviewed_at.map(Instant),
        created_at: Instant(it.created_at),
        updated_at: Instant(it.updated_at),
    })
}

impl From<&ConversationUpdate> for ConversationUpdateData {
    fn from(it: &ConversationUpdate) -> Self {
        let InboxState { status, assignee, labels, needs_person_since, .. } = &it.now;
        Self {
            id: IdOf(it.id),
            account_id: IdOf(it.account),
            contact_id: IdOf(it.contact),
            status: OneOf(status.keyword()),
            snoozed_until: status.snoozed_until().map(Instant),
            assignee_id: assignee.map(IdOf),
            labels: labels.iter().map(str::to_owned).collect(),
            needs_person_since: needs_person_since.map(Instant),
            agent: Some(ConversationAgentData::from(&it.agent)),
            changes: ConversationChanges::between(&it.before, &it.now),
        }
    }
}

impl ConversationChanges {
    fn between(before: &InboxState, now: &InboxState) -> Self {
        let labels = |it: &InboxState| it.labels.iter().map(str::to_owned).collect::<Vec<_>>();
        let until = |it: &InboxState| it.status.snoozed_until();
        Self {
            status: change(before.status.keyword(), now.status.keyword(), OneOf),
            snoozed_until: change(until(before), until(now), |at| at.map(Instant)),
            assignee_id: change(before.assignee, now.assignee, |id| id.map(IdOf)),
            labels: change(labels(before), labels(now), |labels| labels),
            needs_person_since: change(before.needs_person_since, now.needs_person_since, |at| {
                at.map(Instant)
            }),
        }
    }
}

/// Returns the change of a field, if its value changed.
fn change<V: PartialEq, T>(
    previous: V,
    current: V,
    shown: impl Fn(V) -> T,
) -> Option<FieldChange<T>> {
    let has_changed = previous != current;
    has_changed.then(|| FieldChange { previous: shown(previous), current: shown(current) })
}

impl From<&NoteSnapshot> for NoteData {
    fn from(it: &NoteSnapshot) -> Self {
        let (kind, id, name) = match &it.author {
            NoteAuthor::Member { id, name } => (NoteAuthorKind::Member, Some(id.to_string()), name),
            NoteAuthor::Key { client_id, name } => {
                (NoteAuthorKind::Key, Some(client_id.clone()), name)
            }
            NoteAuthor::Agent { id, name } => (NoteAuthorKind::Agent, Some(id.to_string()), name),
            NoteAuthor::Channel { name } => (NoteAuthorKind::Channel, None, name),
        };
        Self {
            id: IdOf(it.id),
            conversation_id: IdOf(it.conversation),
            text: it.text.clone(),
            author: NoteAuthorData { kind: OneOf(kind), id, name: name.clone() },
            created_at: Instant(it.created_at),
        }
    }
}

impl From<&HandoverRequest> for HandoverData {
    fn from(it: &HandoverRequest) -> Self {
        Self {
            conversation_id: IdOf(it.conversation),
            agent_id: it.agent.map(IdOf),
            turn_id: it.turn.map(IdOf),
            reason: it.reason.clone(),
            summary: it.summary.clone(),
        }
    }
}

impl From<&TurnSnapshot> for TurnData {
    fn from(it: &TurnSnapshot) -> Self {
        Self {
            id: IdOf(it.id),
            agent_id: IdOf(it.agent),
            conversation_id: IdOf(it.conversation),
            state: OneOf(it.state),
            reason: it.reason.clone(),
            message_ids: it.messages.iter().copied().map(IdOf).collect(),
            tokens: it.tokens,
            duration_ms: it.took_ms,
        }
    }
}

fn template_change(it: &TemplateChange) -> serde_json::Result<String> {
    serde_json::to_string(&TemplateChangeData {
        id: IdOf(it.id),
        account_id: IdOf(it.account),
        name: it.name.clone(),
        language: it.language.clone(),
        change: OneOf(it.part),
        previous: it.previous.clone().map(RawValue::from_string).transpose()?,
        current: RawValue::from_string(it.current.clone())?,
    })
}

impl From<&AccountSnapshot> for AccountData {
    fn from(it: &AccountSnapshot) -> Self {
        Self {
            id: IdOf(it.id),
            phone_number: it.phone_number.clone(),
            display_name: it.display_name.clone(),
            channel: OneOf(it.channel),
            health: it.health.clone().into(),
        }
    }
}

impl From<HealthSummary> for AccountHealthData {
    fn from(health: HealthSummary) -> Self {
        Self {
            state: OneOf(health.state),
            reason: health.reason.map(OneOf),
            message: health.message,
            since: health.since.map(Instant),
            quality: health.quality.map(OneOf),
            limit: health.limit,
            pace: health.pace.map(Rate::per_second),
        }
    }
}

impl From<&ConnectionSnapshot> for ConnectionData {
    fn from(it: &ConnectionSnapshot) -> Self {
        Self {
            id: IdOf(it.id),
            application: ApplicationData {
                client_id: it.application.clone(),
                name: it.application_name.clone(),
            },
            client_id: it.client_id.clone(),
            account_id: it.account.map(IdOf),
            scopes: it.scopes.clone(),
            connected_at: Instant(it.connected_at),
            disconnected_at: it.ended_at.map(Instant),
            reason: it.ending.map(OneOf),
        }
    }
}

impl LimitData {
    fn new(meter: Meter, usage: &Usage) -> Self {
        let Usage { limit, used, resets_at } = *usage;
        Self { resource: OneOf(meter), limit, used, resets_at: Instant(resets_at) }
    }
}
