//! People, and what the channel says of them.
use super::UnreadableRow;
use crate::schema::contacts;
use domain::contact::{
    Address, Change, ChannelUserId, ContactSnapshot, Identity, Preference, Sent,
};
use domain::id::{AccountId, ContactId, ConversationId, OrganizationId};
use domain::phone::PhoneNumber;
use domain::time::Timestamp;

record! {
    /// A person, as one number of the business knows them.
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
    }
}

impl Contact {
    /// What they want of marketing.
    #[must_use]
    pub fn preference(&self) -> Preference {
        let (opted_out_at, said_at) = (self.opted_out_at, self.preference_at);
        Preference { opted_out_at, said_at }
    }

    /// Who the person is, as far as it is known.
    pub fn identity(&self) -> Result<Identity, UnreadableRow> {
        let user = |stored: &Option<String>| {
            let read = stored.as_deref().map(ChannelUserId::parse).transpose();
            read.map_err(|why| UnreadableRow::of("user id", &self.id, why))
        };
        let number = self.phone_number.as_deref().map(PhoneNumber::parse).transpose();
        Ok(Identity {
            phone_number: number.map_err(|why| UnreadableRow::of("phone number", &self.id, why))?,
            user_id: user(&self.channel_user_id)?,
            parent_user_id: user(&self.channel_parent_user_id)?,
            username: self.username.clone(),
            name: self.name.clone(),
        })
    }

    /// The person as they are known now.
    pub fn snapshot(&self) -> Result<ContactSnapshot, UnreadableRow> {
        Ok(ContactSnapshot {
            id: self.id,
            account: self.account_id,
            identity: self.identity()?,
            opted_out_at: self.opted_out_at,
            created_at: self.created_at,
        })
    }

    /// The same person, known as that.
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

/// Where messages in a conversation go, as it is stored.
pub fn address(of: ConversationId, stored: Option<&str>) -> Result<Option<Address>, UnreadableRow> {
    let wrong = || UnreadableRow::of("address", &of, "it is neither a phone number nor a user id");
    stored.map(|stored| Address::read(stored).ok_or_else(wrong)).transpose()
}

/// Which histories may be joined, should two contacts turn out to be one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merges {
    /// Those that are joined within the time of an operation.
    Short,
    /// All.
    All,
}

/// The channel says that people go by something else now.
#[derive(Clone, Debug)]
pub struct Identification {
    /// Whose contacts.
    pub organization: OrganizationId,
    /// The number that knows them.
    pub account: AccountId,
    /// What is said.
    pub change: Change,
    /// Of when that is.
    pub at: Timestamp,
    /// When it is written down.
    pub now: Timestamp,
}

/// A report on a message named its recipient, which may say something new of them.
#[derive(Clone, Debug)]
pub struct RecipientReport {
    /// Whose contact.
    pub organization: OrganizationId,
    /// The number that knows them.
    pub account: AccountId,
    /// Whom the message was for.
    pub contact: ContactId,
    /// The number and the user ids.
    pub named: Identity,
    /// How it is known where the message went.
    pub sent: Sent,
    /// Of when the report is.
    pub at: Timestamp,
}

/// The channel took a message, and named its recipient so.
#[derive(Clone, Debug)]
pub struct AnsweredRecipient {
    /// Whose conversation.
    pub organization: OrganizationId,
    /// The number of the organization.
    pub account: AccountId,
    /// In which the message is.
    pub conversation: ConversationId,
    /// Where it went.
    pub to: Address,
    /// How the channel names that person.
    pub named: Identity,
}

/// Which contacts are wanted.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactFilter {
    /// Only those of this number.
    pub account: Option<AccountId>,
    /// Only those who want no marketing, or only the others.
    pub opted_out: Option<bool>,
}
