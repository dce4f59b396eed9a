//! What events tell, where no endpoint answers with the same.

use crate::schema::{IdOf, Instant, Number, OneOf, UserIdText};
use domain::connection::EndReason;
use domain::conversation::Agent;
use domain::id;
use domain::id::WebhookEndpointId;
use domain::keyword::Keyword as _;
use domain::plan::Meter;
use domain::scope::Scope;
use domain::template::ChangedPart;
use persistence::Document;
use persistence::records::ConversationWithContact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConversationData {
    /// Its id.
    id: IdOf<id::Conversation>,
    /// The number of the business.
    account_id: IdOf<id::Account>,
    /// The person.
    contact_id: IdOf<id::Contact>,
    /// The person's phone number; null until it is known.
    #[schemars(with = "Option<Number>")]
    phone_number: Option<String>,
    /// The channel's user id of the person; null until it is known.
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// Whether the AI agent replies from then on: `running` or `paused`.
    #[schemars(with = "OneOf<Agent>")]
    ai_agent: &'static str,
    /// When it was created.
    created_at: Instant,
}

impl ConversationData {
    /// The conversation, in which the agent stood so.
    pub fn of(row: &ConversationWithContact, agent: Agent) -> Self {
        let ConversationWithContact { conversation: row, contact } = row;
        Self {
            id: IdOf(row.id),
            account_id: IdOf(row.account_id),
            contact_id: IdOf(row.contact_id),
            phone_number: contact.phone_number.clone(),
            channel_user_id: contact.channel_user_id.clone(),
            ai_agent: agent.as_str(),
            created_at: Instant(row.created_at),
        }
    }

    /// The same with the person as they were known then, as it was stored.
    pub fn then(self, person: &Document) -> Self {
        let Ok(PersonThen { id, phone_number, channel_user_id }) = serde_json::from_str(&person.0)
        else {
            return self;
        };
        let contact_id = id.parse().map_or(self.contact_id, IdOf);
        Self { contact_id, phone_number, channel_user_id, ..self }
    }
}

/// The person in a conversation, as they were stored with an event.
#[derive(Deserialize)]
struct PersonThen {
    id: String,
    phone_number: Option<String>,
    channel_user_id: Option<String>,
}

/// The connection of an application.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it stands for its schema: what is stored is shown as it is")]
pub struct ConnectionData {
    /// Its id.
    #[schemars(with = "IdOf<id::Connection>")]
    id: String,
    /// The application.
    application: ApplicationData,
    /// The client id of the connection's key.
    client_id: String,
    /// The number that it is bound to; null if it is not bound.
    #[schemars(with = "Option<IdOf<id::Account>>")]
    account_id: Option<String>,
    /// The scopes that it was granted.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    scopes: Vec<String>,
    /// When it was created.
    #[schemars(with = "Instant")]
    connected_at: String,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Instant>")]
    disconnected_at: Option<String>,
    /// Who or what ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<OneOf<EndReason>>")]
    reason: Option<&'static str>,
}

/// The application of a connection.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it stands for its schema")]
struct ApplicationData {
    /// Its client id.
    client_id: String,
    /// Its name.
    name: String,
}

/// What the channel changed of a template by itself.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it stands for its schema: what is stored is shown as it is")]
pub struct TemplateChangeData {
    /// The template's id.
    #[schemars(with = "IdOf<id::Template>")]
    id: String,
    /// The number that it was made for.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// Its name.
    name: String,
    /// Its language.
    language: String,
    /// What was changed.
    #[schemars(with = "OneOf<ChangedPart>")]
    change: &'static str,
    /// What it was: a word, or the components. Null if it was not known.
    previous: Option<serde_json::Value>,
    /// What it is.
    current: serde_json::Value,
}

/// A limit of the plan.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it stands for its schema: what is stored is shown as it is")]
pub struct LimitData {
    /// The limit that is meant: API requests per day, or messages per month.
    #[schemars(with = "OneOf<Meter>")]
    resource: &'static str,
    /// The limit.
    limit: Option<u32>,
    /// How much of it has been used.
    used: u32,
    /// When the usage is reset.
    #[schemars(with = "Instant")]
    resets_at: String,
}

/// The endpoint that is tested.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndpointData {
    /// The endpoint's id.
    endpoint_id: String,
    /// A sentence for people.
    message: &'static str,
}

impl EndpointData {
    /// A test of that endpoint.
    pub fn of(id: WebhookEndpointId) -> Self {
        let message = "Sent from the dashboard to test this endpoint.";
        Self { endpoint_id: id.to_string(), message }
    }
}
