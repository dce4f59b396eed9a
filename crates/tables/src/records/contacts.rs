//! Contacts, and the channel's reports about them.
use super::UnreadableRow;
use crate::schema::{contact_deletions, contacts};
use crate::types::Document;
use auth::digest::Digest;
use domain::contact::{
    Address, ChannelUserId, ContactSnapshot, DeletionStage, Identity, IdentityChange,
    OutboundMatch, Preference, UnmergeableContacts,
};
use domain::id::{AccountId, ContactId, ConversationId, KeyId, MessageId, OrganizationId};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;
use stored_content::event_data::ContactData;
use stored_content::schema::{IdOf, Instant};

record! {
    /// A contact of one account.
    #[derive(diesel::QueryableByName)]
    pub struct Contact of contacts {
        pub organization_id: OrganizationId,
        pub id: ContactId,
        pub account_id: AccountId,
        pub phone_number: Option<String>,
        pub channel_user_id: Option<String>,
        pub channel_parent_user_id: Option<String>,
        pub username: Option<String>,
        pub name: Option<String>,
        pub identified_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub opted_out_at: Option<Timestamp>,
        pub preference_at: Option<Timestamp>,
        pub deleted_at: Option<Timestamp>,
        /// The time at which a member or a program chose the name.
        pub name_edited_at: Option<Timestamp>,
    }
}

record! {
    /// A contact whose personal data a worker is erasing.
    pub struct ContactDeletion of contact_deletions {
        pub organization_id: OrganizationId,
        pub contact_id: ContactId,
        pub conversation_id: ConversationId,
        pub account_id: AccountId,
        /// A JSON array: the contact's numbers and user ids.
        pub identifiers: Document,
        /// A JSON array: the ids of the files of the contact's messages.
        pub files: Document,
        pub stage: DeletionStage,
        pub round: u32,
        pub deleted_at: Timestamp,
        pub due_at: Timestamp,
    }
}

impl From<&Contact> for ContactData {
    fn from(row: &Contact) -> Self {
        Self {
            id: IdOf(row.id),
            account_id: IdOf(row.account_id),
            phone_number: row.phone_number.clone(),
            channel_user_id: row.channel_user_id.clone(),
            channel_parent_user_id: row.channel_parent_user_id.clone(),
            username: row.username.clone(),
            name: row.name.clone(),
            opted_out_at: row.opted_out_at.map(Instant),
            created_at: Instant(row.created_at),
        }
    }
}

impl Contact {
    /// Returns the contact's preference about marketing messages.
    #[must_use]
    pub fn preference(&self) -> Preference {
        let (opted_out_at, said_at) = (self.opted_out_at, self.preference_at);
        Preference { opted_out_at, said_at }
    }

    /// Returns the known number, user ids and names of the contact.
    pub fn identity(&self) -> Result<Identity, UnreadableRow> {
        let user = |stored: &Option<String>| {
            let read = stored.as_deref().map(ChannelUserId::parse).transpose();
            read.map_err(|why| UnreadableRow::new("user id", &self.id, why))
        };
        let number = self.phone_number.as_deref().map(PhoneNumber::parse).transpose();
        Ok(Identity {
            phone_number: number
                .map_err(|why| UnreadableRow::new("phone number", &self.id, why))?,
            user_id: user(&self.channel_user_id)?,
            parent_user_id: user(&self.channel_parent_user_id)?,
            username: self.username.clone(),
            name: self.name.clone(),
        })
    }

    /// Returns the contact as events show it.
    pub fn snapshot(&self) -> Result<ContactSnapshot, UnreadableRow> {
        Ok(ContactSnapshot {
            id: self.id,
            account: self.account_id,
            identity: self.identity()?,
            opted_out_at: self.opted_out_at,
            created_at: self.created_at,
        })
    }

    /// Returns this contact with another identity.
    #[must_use]
    pub fn known_as(self, identity: Identity, identified_at: Timestamp) -> Self {
        let Identity { phone_number, user_id, parent_user_id, username, name } = identity;
        Self {
            phone_number: phone_number.map(|it| it.to_string()),
            channel_user_id: user_id.map(|it| it.to_string()),
            channel_parent_user_id: parent_user_id.map(|it| it.to_string()),
            username,
            name,
            identified_at: Some(identified_at),
            ..self
        }
    }
}

/// Parses the stored address of a conversation.
pub fn address(of: ConversationId, stored: Option<&str>) -> Result<Option<Address>, UnreadableRow> {
    let wrong = || UnreadableRow::new("address", &of, "it is neither a phone number nor a user id");
    stored.map(|stored| Address::read(stored).ok_or_else(wrong)).transpose()
}

/// The merges that are allowed when two contacts are the same person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merges {
    /// Only merges that fit into the time limit of an operation.
    Short,
    All,
}

/// A report of the channel that contacts have new addresses.
#[derive(Clone, Debug)]
pub struct Identification {
    pub organization: OrganizationId,
    /// The account that knows the contacts.
    pub account: AccountId,
    pub change: IdentityChange,
    /// The time of the report.
    pub at: Timestamp,
    pub now: Timestamp,
}

/// A message report that names its recipient, which may reveal a new address of the contact.
#[derive(Clone, Debug)]
pub struct RecipientReport {
    pub organization: OrganizationId,
    /// The account that knows the contact.
    pub account: AccountId,
    /// The contact that the message was for.
    pub contact: ContactId,
    /// The number and user ids that the report names.
    pub named: Identity,
    /// The destination of the message.
    pub sent: OutboundMatch,
    /// The time of the report.
    pub at: Timestamp,
}

/// The recipient of a message as the channel named it in its answer.
#[derive(Clone, Debug)]
pub struct AnsweredRecipient {
    pub organization: OrganizationId,
    /// The account that sent the message.
    pub account: AccountId,
    /// The conversation of the message.
    pub conversation: ConversationId,
    /// The address that the message was sent to.
    pub to: Address,
    /// The recipient as the channel named it.
    pub named: Identity,
}

/// Filters of a list of contacts.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactFilter {
    /// Return only contacts of this account.
    pub account: Option<AccountId>,
    /// Return only contacts that opted out of marketing, or only the others.
    pub opted_out: Option<bool>,
}

/// The name of a deleted contact in the audit log.
pub const DELETED_CONTACT: &str = "Deleted contact";

/// The result of erasing one portion of messages.
#[derive(Clone, Debug, Default)]
pub struct ErasedMessages {
    pub messages: Vec<MessageId>,
    /// The position after which the next portion begins, if there is one.
    pub next: Option<i64>,
}

/// An event after its personal data was erased.
#[derive(Clone, Debug)]
pub struct ErasedEvent {
    pub sequence: i64,
    pub data: Option<Document>,
    pub contact: Option<Document>,
}

/// The key of an organization's stored answer.
#[derive(Clone, Debug)]
pub struct AnswerKey {
    pub key: KeyId,
    pub path: String,
    pub name: String,
}

/// A stored answer after its personal data was erased.
#[derive(Clone, Debug)]
pub struct ErasedAnswer {
    pub key: AnswerKey,
    pub answer: String,
}

/// Returns the value that replaces the channel's id of a message whose contact was deleted, because
/// the channel's id contains the contact's number. The value is derived from that id, so a later
/// report still finds the message.
#[must_use]
pub fn erased_channel_id(id: &str) -> String {
    const PREFIX: &str = "deleted:";
    if id.starts_with(PREFIX) {
        return id.to_owned();
    }
    format!("{PREFIX}{}", Digest::new(id.as_bytes()).hex())
}

/// The outcome of a merge that a member requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManualMerge {
    Merged,
    /// One of the contacts does not exist, or was merged or deleted.
    NotFound,
    Refused(UnmergeableContacts),
}
