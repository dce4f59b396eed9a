//! Data of events that no endpoint returns.

use crate::schema::{IdOf, Instant, OneOf, PhoneNumberText, UserIdText};
use domain::conversation::Agent;
use domain::id;
use domain::id::WebhookEndpointId;
use domain::inbox::AgentStatus;
use domain::keyword::Keyword as _;
use persistence::Document;
use persistence::content::event_data::ConversationAgentData;
use persistence::records::ConversationWithContact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A conversation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ConversationData {
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
    /// Whether the AI agent replies from this event on: `running` or `paused`.
    #[schemars(with = "OneOf<Agent>")]
    ai_agent: &'static str,
    /// The AI agent from this event on. The cause of a pause is null in an event of an earlier version.
    #[schemars(with = "ConversationAgentData")]
    agent: AgentThen,
    /// When the conversation was created.
    created_at: Instant,
}

/// The AI agent in a conversation, as it was at the time of an event.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum AgentThen {
    /// The state that is stored with the event.
    Stored(Box<RawValue>),
    /// The state that follows from the kind of the event.
    Implied(ConversationAgentData),
}

impl ConversationData {
    /// Returns the data of a conversation, with the state that the agent had at the event.
    pub fn from_conversation(row: &ConversationWithContact, agent: Agent) -> Self {
        let ConversationWithContact { conversation: row, contact } = row;
        Self {
            id: IdOf(row.id),
            account_id: IdOf(row.account_id),
            contact_id: IdOf(row.contact_id),
            phone_number: contact.phone_number.clone(),
            channel_user_id: contact.channel_user_id.clone(),
            ai_agent: agent.as_str(),
            agent: AgentThen::Implied(ConversationAgentData::from(&AgentStatus::new(agent))),
            created_at: Instant(row.created_at),
        }
    }

    /// Replaces the agent with the one that was stored with the event.
    pub fn with_agent(self, stored: &Document) -> Self {
        match serde_json::from_str(&stored.0) {
            Ok(StoredAgent { agent }) => Self { agent: AgentThen::Stored(agent), ..self },
            Err(error) => {
                tracing::error!(%error, "the agent that is stored with an event cannot be read");
                self
            }
        }
    }

    /// Replaces the contact with the one that was stored with the event.
    pub fn then(self, person: &Document) -> Self {
        let Ok(PersonThen { id, phone_number, channel_user_id }) = serde_json::from_str(&person.0)
        else {
            return self;
        };
        // This program wrote the id. If the id cannot be parsed, it is ignored.
        let contact_id = id.parse().ok().map_or(self.contact_id, IdOf);
        Self { contact_id, phone_number, channel_user_id, ..self }
    }
}

/// The AI agent of a conversation, as stored with an event.
#[derive(Deserialize)]
struct StoredAgent {
    agent: Box<RawValue>,
}

/// The contact of a conversation, as stored with an event.
#[derive(Deserialize)]
struct PersonThen {
    id: String,
    phone_number: Option<String>,
    channel_user_id: Option<String>,
}

/// The webhook endpoint that is tested.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EndpointData {
    /// The id of the endpoint.
    endpoint_id: String,
    /// A sentence that explains the event.
    message: &'static str,
}

impl EndpointData {
    /// Returns the data of a test event for that endpoint.
    pub fn from_id(id: WebhookEndpointId) -> Self {
        let message = "Sent from the dashboard to test this endpoint.";
        Self { endpoint_id: id.to_string(), message }
    }
}
