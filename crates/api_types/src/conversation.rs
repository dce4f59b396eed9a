//! Conversations, as the API shows them.

use crate::pagination::TimeCursor;
use crate::schema::{IdOf, Instant, OneOf, PhoneNumberText};
use domain::conversation::{Agent, window_expires_at};
use domain::id;
use domain::inbox::ConversationStatus;
use domain::keyword::Keyword as _;
use domain::time::Timestamp;
use persistence::content::event_data::ConversationAgentData;
use persistence::records::{InboxConversation, InboxCursor, UnreadableRow};
use schemars::JsonSchema;
use serde::Serialize;

/// A conversation: all messages between one of your numbers and one contact.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Conversation")]
pub struct ConversationRecord {
    /// The id of the conversation.
    #[schemars(with = "IdOf<id::Conversation>")]
    id: String,
    /// The id of the account (the business's number).
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The id of the contact.
    #[schemars(with = "IdOf<id::Contact>")]
    contact_id: String,
    /// The contact's phone number; null until it is known.
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The name that the contact chose; null until it is known.
    name: Option<String>,
    /// The status in the inbox. A message from the contact opens the conversation.
    #[schemars(with = "OneOf<ConversationStatus>")]
    status: &'static str,
    /// When a snoozed conversation opens; null if it is not snoozed.
    #[schemars(with = "Option<Instant>")]
    snoozed_until: Option<String>,
    /// The id of the member who answers; null if there is none.
    #[schemars(with = "Option<IdOf<id::Member>>")]
    assignee_id: Option<String>,
    /// The labels, in alphabetical order.
    labels: Vec<String>,
    /// Since when a person of your organization has to answer; null if nobody has to.
    #[schemars(with = "Option<Instant>")]
    needs_person_since: Option<String>,
    /// Whether the AI agent answers: `running` or `paused`.
    #[schemars(with = "OneOf<Agent>")]
    ai_agent: &'static str,
    /// The AI agent in this conversation.
    agent: ConversationAgentData,
    /// The end of the customer service window; null if the contact never wrote. Until then you can
    /// send free-form messages.
    #[schemars(with = "Option<Instant>")]
    window_closes_at: Option<String>,
    /// When the last message was accepted or received.
    #[schemars(with = "Instant")]
    last_message_at: String,
    /// Number of messages.
    #[schemars(range(min = 0))]
    message_count: i64,
    /// When the conversation began.
    #[schemars(with = "Instant")]
    created_at: String,
}

fn text(at: Option<Timestamp>) -> Option<String> {
    at.map(|at| at.to_string())
}

impl TryFrom<&InboxConversation> for ConversationRecord {
    type Error = UnreadableRow;

    fn try_from(it: &InboxConversation) -> Result<Self, UnreadableRow> {
        let state = it.entry.state()?;
        let InboxConversation { conversation, contact, .. } = it;
        Ok(Self {
            id: conversation.id.to_string(),
            account_id: conversation.account_id.to_string(),
            contact_id: conversation.contact_id.to_string(),
            phone_number: contact.phone_number.clone(),
            name: contact.name.clone(),
            status: state.status.keyword().as_str(),
            snoozed_until: text(state.status.snoozed_until()),
            assignee_id: state.assignee.map(|id| id.to_string()),
            labels: state.labels.iter().map(str::to_owned).collect(),
            needs_person_since: text(state.needs_person_since),
            ai_agent: it.agent().as_str(),
            agent: ConversationAgentData::from(&it.agent_status()),
            window_closes_at: text(window_expires_at(conversation.last_inbound_at)),
            last_message_at: conversation.last_message_at.to_string(),
            message_count: conversation.message_count,
            created_at: conversation.created_at.to_string(),
        })
    }
}

/// A position in the list of conversations.
pub type ConversationCursor = TimeCursor<id::Conversation>;

impl From<InboxCursor> for ConversationCursor {
    fn from(it: InboxCursor) -> Self {
        Self { at: it.last_message_at, id: it.conversation }
    }
}

impl From<ConversationCursor> for InboxCursor {
    fn from(it: ConversationCursor) -> Self {
        Self { last_message_at: it.at, conversation: it.id }
    }
}
