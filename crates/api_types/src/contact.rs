//! Contacts, as the API and events show them.

use crate::schema::{IdOf, Instant, PhoneNumberText, UserIdText};
use domain::contact::{ContactSnapshot, Identity};
use domain::id::{self, ContactId};
use persistence::records::{Contact, ConversationWithContact};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::sync::Arc;

/// A contact: a person outside the organization, as one account knows them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Contact")]
pub struct ContactRecord {
    /// The id of the contact.
    #[schemars(with = "IdOf<id::Contact>")]
    id: String,
    /// The id of the account (the business's number).
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The phone number. Null until it is known: since 2026, people may show a username instead.
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The channel's id of the contact, the same for all numbers of a business portfolio. Null
    /// until it is known.
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The channel's id of the contact that linked portfolios share. Null until it is known.
    #[schemars(with = "Option<UserIdText>")]
    channel_parent_user_id: Option<String>,
    /// The username. Null until it is known.
    username: Option<String>,
    /// The name that the contact chose. Null until it is known.
    name: Option<String>,
    /// When the contact opted out of marketing messages; null if they have not.
    #[schemars(with = "Option<Instant>")]
    opted_out_at: Option<String>,
    /// When the contact was created.
    #[schemars(with = "Instant")]
    created_at: String,
}

/// The contact that a message was exchanged with.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "MessageContact")]
pub struct PersonRecord {
    /// The id of the contact.
    #[schemars(with = "IdOf<id::Contact>")]
    id: String,
    /// The phone number, in the form that the channel uses. Null until it is known.
    #[schemars(with = "Option<PhoneNumberText>")]
    phone_number: Option<String>,
    /// The channel's user id of the contact. Null until it is known.
    #[schemars(with = "Option<UserIdText>")]
    channel_user_id: Option<String>,
    /// The username. Null until it is known.
    username: Option<String>,
    /// The name that the contact chose. Null until it is known.
    name: Option<String>,
}

/// A contact as known now, or as it was when an event was recorded.
#[derive(Clone, Debug)]
pub enum Person {
    /// Now.
    Now(Box<PersonRecord>),
    /// JSON: stored with an event, or rendered once for all messages of a page of history.
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

impl PersonRecord {
    /// Renders the contact once, for an answer that shows it many times. If it cannot be
    /// serialized, serializing the answer fails with the same error.
    #[must_use]
    pub fn render(self) -> Person {
        match serde_json::value::to_raw_value(&self) {
            Ok(json) => Person::Rendered(json.into()),
            Err(_) => Person::Now(Box::new(self)),
        }
    }

    /// Returns a contact of which only the id can be read.
    #[must_use]
    pub fn unknown(id: ContactId) -> Self {
        let (phone_number, channel_user_id, username, name) = (None, None, None, None);
        Self { id: id.to_string(), phone_number, channel_user_id, username, name }
    }
}

impl From<&Contact> for PersonRecord {
    fn from(row: &Contact) -> Self {
        match row.snapshot() {
            Ok(person) => Self::from(&person),
            Err(error) => {
                tracing::error!(%error, "an answer does not say who a person is");
                Self::unknown(row.id)
            }
        }
    }
}

impl From<&ContactSnapshot> for PersonRecord {
    fn from(it: &ContactSnapshot) -> Self {
        let Identity { phone_number, user_id, username, name, .. } = &it.identity;
        Self {
            id: it.id.to_string(),
            phone_number: phone_number.as_ref().map(ToString::to_string),
            channel_user_id: user_id.as_ref().map(ToString::to_string),
            username: username.clone(),
            name: name.clone(),
        }
    }
}

/// A contact with the time of the last message, as lists show it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListedContact")]
pub struct ListedContactRecord {
    #[serde(flatten)]
    contact: ContactRecord,
    /// The conversation with the contact.
    #[schemars(with = "IdOf<id::Conversation>")]
    conversation_id: String,
    /// The time at which the last message was accepted or received.
    #[schemars(with = "Instant")]
    last_message_at: String,
}

impl From<&ConversationWithContact> for ListedContactRecord {
    fn from(it: &ConversationWithContact) -> Self {
        Self {
            contact: ContactRecord::from(&it.contact),
            conversation_id: it.conversation.id.to_string(),
            last_message_at: it.conversation.last_message_at.to_string(),
        }
    }
}

/// A contact whose details changed.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used; stored JSON is shown unchanged")]
pub struct ContactUpdateData {
    #[serde(flatten)]
    contact: ContactRecord,
    /// The previous values of the fields that changed.
    previous: PreviousContact,
}

/// The previous values of a contact. Fields that did not change are omitted.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
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

/// Two contacts that were merged because they are the same person. The ids of both contacts and of
/// both conversations remain valid.
#[derive(JsonSchema)]
#[expect(clippy::struct_field_names, reason = "these are field names of the API")]
#[expect(dead_code, reason = "only its schema is used; stored JSON is shown unchanged")]
pub struct ContactMergeData {
    /// The id of the contact that remains.
    #[schemars(with = "IdOf<id::Contact>")]
    contact_id: String,
    /// The id of the contact that was merged into it.
    #[schemars(with = "IdOf<id::Contact>")]
    merged_contact_id: String,
    /// The id of the conversation that remains.
    #[schemars(with = "IdOf<id::Conversation>")]
    conversation_id: String,
    /// The id of the conversation that was merged into it.
    #[schemars(with = "IdOf<id::Conversation>")]
    merged_conversation_id: String,
}

impl From<&Contact> for ContactRecord {
    fn from(row: &Contact) -> Self {
        Self {
            id: row.id.to_string(),
            account_id: row.account_id.to_string(),
            phone_number: row.phone_number.clone(),
            channel_user_id: row.channel_user_id.clone(),
            channel_parent_user_id: row.channel_parent_user_id.clone(),
            username: row.username.clone(),
            name: row.name.clone(),
            opted_out_at: row.opted_out_at.map(|at| at.to_string()),
            created_at: row.created_at.to_string(),
        }
    }
}
