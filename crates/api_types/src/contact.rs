//! Contacts, as the API and events show them.

use crate::schema::{IdOf, Instant};
use domain::id;
use persistence::content::event_data::{ContactData, MessageContactData};
use persistence::records::{Contact, ConversationWithContact};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::sync::Arc;

/// A contact as known now, or as known when an event was recorded.
#[derive(Clone, Debug)]
pub enum Person {
    /// The contact as known now.
    Now(Box<MessageContactData<'static>>),
    /// The contact as JSON: stored with an event, or rendered once for all messages of a page of
    /// history.
    Rendered(Arc<RawValue>),
}

impl Serialize for Person {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Now(person) => person.serialize(serializer),
            Self::Rendered(json) => json.serialize(serializer),
        }
    }
}

impl Person {
    /// Renders the contact once, for an answer that shows it many times. If it cannot be
    /// serialized, serializing the answer fails with the same error.
    #[must_use]
    pub fn render(contact: &Contact) -> Self {
        match serde_json::value::to_raw_value(&message_contact(contact)) {
            Ok(json) => Self::Rendered(json.into()),
            Err(_) => Self::from(contact),
        }
    }
}

impl From<MessageContactData<'_>> for Person {
    fn from(contact: MessageContactData<'_>) -> Self {
        Self::Now(Box::new(contact.into_owned()))
    }
}

impl From<&Contact> for Person {
    fn from(contact: &Contact) -> Self {
        Self::from(message_contact(contact))
    }
}

/// Returns a contact as messages show it. If the row cannot be read, only the id is shown.
#[must_use]
pub fn message_contact(contact: &Contact) -> MessageContactData<'_> {
    if let Err(error) = contact.identity() {
        tracing::error!(%error, "a contact cannot be read; only its id is shown");
        return MessageContactData::unknown(contact.id);
    }
    MessageContactData {
        id: IdOf(contact.id),
        phone_number: contact.phone_number.as_deref().map(Cow::from),
        channel_user_id: contact.channel_user_id.as_deref().map(Cow::from),
        username: contact.username.as_deref().map(Cow::from),
        name: contact.name.as_deref().map(Cow::from),
    }
}

/// A contact with the time of the last message, as lists show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedContact")]
pub struct ListedContactRecord {
    #[serde(flatten)]
    contact: ContactData,
    /// The conversation with the contact.
    conversation_id: IdOf<id::Conversation>,
    /// The time at which the last message was accepted or received.
    last_message_at: Instant,
    /// When the contact was deleted; null if it was not.
    deleted_at: Option<Instant>,
}

impl From<&ConversationWithContact> for ListedContactRecord {
    fn from(it: &ConversationWithContact) -> Self {
        Self {
            contact: ContactData::from(&it.contact),
            conversation_id: IdOf(it.conversation.id),
            last_message_at: Instant(it.conversation.last_message_at),
            deleted_at: it.contact.deleted_at.map(Instant),
        }
    }
}
