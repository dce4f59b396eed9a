//! Messages and their conversations.
use super::{Contact, Owner, StoredAnswer, UnreadableRow};
use crate::schema::{conversations, messages};
use crate::types::Document;
use domain::contact::{Address, ContactSnapshot, Identity, Known};
use domain::content::MessageKind;
use domain::conversation::Source;
use domain::id::{AccountId, ContactId, ConversationId, KeyId, MessageId, OrganizationId};
use domain::message::{Direction, Failure, Progress, Status};
use domain::phone::PhoneNumber;
use domain::time::{Period, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use stored_content::{FORMAT, StoredContent};

record! {
    /// A conversation.
    pub struct Conversation of conversations {
        pub id: ConversationId,
        pub organization_id: OrganizationId,
        pub account_id: AccountId,
        pub contact_id: ContactId,
        /// Where messages to the person go; none if they cannot be reached any more.
        pub address: Option<String>,
        pub agent_paused: bool,
        pub message_count: i64,
        pub last_message_at: Timestamp,
        pub last_inbound_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub agent_paused_by: Option<MessageId>,
    }
}

/// A conversation with the person in it.
#[derive(Clone, Debug)]
pub struct ConversationWithContact {
    /// The conversation.
    pub conversation: Conversation,
    /// The person.
    pub contact: Contact,
}

impl ConversationWithContact {
    /// What the domain judges by, with the numbers by which the channel has named the person, as far as they are needed.
    pub fn known(&self, named: &[PhoneNumber]) -> Result<Known, UnreadableRow> {
        let Self { conversation, contact } = self;
        let identity = contact.identity()?;
        let own = |number: &&PhoneNumber| identity.phone_number.as_ref() == Some(*number);
        // Whoever writes is named by the channel's own form.
        let is_confirmed =
            conversation.last_inbound_at.is_some() || named.iter().any(|it| own(&it));
        Ok(Known {
            contact: contact.id,
            other_numbers: named.iter().filter(|it| !own(it)).cloned().collect(),
            is_confirmed,
            identity,
            messages: conversation.message_count,
            since: contact.created_at,
            identified_at: contact.identified_at.unwrap_or(contact.created_at),
            last_inbound_at: conversation.last_inbound_at,
        })
    }
}

record! {
    /// A message.
    pub struct Message of messages {
        pub id: MessageId,
        pub organization_id: OrganizationId,
        pub account_id: AccountId,
        pub conversation_id: ConversationId,
        pub contact_id: ContactId,
        pub position: i64,
        pub direction: Direction,
        pub source: Source,
        pub kind: MessageKind,
        pub content: Document,
        pub content_format: i32,
        pub status: Status,
        pub failure: Option<Failure>,
        pub failure_message: Option<String>,
        pub failure_code: Option<i64>,
        pub client_ref: Option<String>,
        pub metadata: Option<Document>,
        pub reply_to: Option<MessageId>,
        pub channel_message_id: Option<String>,
        pub created_at: Timestamp,
        pub sent_at: Option<Timestamp>,
        pub delivered_at: Option<Timestamp>,
        pub read_at: Option<Timestamp>,
        pub context: Option<Document>,
        pub changes: Option<Document>,
    }
}

/// What every message has from the beginning.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewMessage {
    pub id: MessageId,
    pub organization: OrganizationId,
    pub account: AccountId,
    pub conversation: ConversationId,
    pub contact: ContactId,
    pub position: i64,
    pub direction: Direction,
    pub source: Source,
    pub kind: MessageKind,
    pub content: Document,
    pub status: Status,
    pub at: Timestamp,
}

/// Whatever only some messages have, or come to have, is left out.
impl From<NewMessage> for Message {
    fn from(new: NewMessage) -> Self {
        Self {
            id: new.id,
            organization_id: new.organization,
            account_id: new.account,
            conversation_id: new.conversation,
            contact_id: new.contact,
            position: new.position,
            direction: new.direction,
            source: new.source,
            kind: new.kind,
            content: new.content,
            content_format: FORMAT,
            status: new.status,
            failure: None,
            failure_message: None,
            failure_code: None,
            client_ref: None,
            metadata: None,
            reply_to: None,
            channel_message_id: None,
            created_at: new.at,
            sent_at: None,
            delivered_at: None,
            read_at: None,
            context: None,
            changes: None,
        }
    }
}

/// What names a person of the organization's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonKey {
    /// A contact's id.
    Contact(ContactId),
    /// A conversation's id.
    Conversation(ConversationId),
    /// A phone number, as any of the organization's numbers knows it.
    Number(PhoneNumber),
    /// A phone number or a user id, as this number of the organization knows it: the same user id may be somebody
    /// else's where another number belongs to another business.
    Address(Address, AccountId),
}

/// Whom an id names, for a send that does not give the number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// Where messages to the person go; none if they cannot be reached any more.
    pub address: Option<Address>,
    /// The number of the organization that knows the person.
    pub account_id: AccountId,
    /// The person.
    pub contact: ContactId,
}

/// A message that was decided to be sent.
#[derive(Clone)]
pub struct MessageSubmission {
    /// Its id.
    pub message: MessageId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// The number it leaves from.
    pub account: AccountId,
    /// Where it goes.
    pub to: Address,
    /// The person it is meant for, if they are known: the address may have a new owner by the time it is written.
    pub contact: Option<ContactId>,
    /// The contact's id, should nobody have that address yet.
    pub new_contact: ContactId,
    /// The conversation's id.
    pub new_conversation: ConversationId,
    /// What it says.
    pub content: StoredContent,
    /// Whether it pauses the AI agent.
    pub free_form: bool,
    /// Who wrote it.
    pub source: Source,
    /// The sender's own name for it.
    pub client_ref: Option<String>,
    /// The sender's own notes on it.
    pub metadata: Option<Document>,
    /// The message it answers.
    pub reply_to: Option<MessageId>,
    /// When it was accepted.
    pub at: Timestamp,
    /// The month it counts in.
    pub month: Period,
    /// The month's allowance, if there is one.
    pub allowance: Option<u32>,
    /// Where the answer is kept, if it is to be given again, and what makes it.
    pub idempotent: Option<(Idempotent, Render)>,
}

/// Makes the answer, which names ids that are known only once the message has its place.
pub type Render = Arc<dyn Fn(&PlacedMessage) -> serde_json::Result<String> + Send + Sync>;

/// A request that is answered once.
#[derive(Clone, Debug)]
pub struct Idempotent {
    /// Whose request: an organization's, or an application's.
    pub owner: Owner,
    /// The key that it was made with; the application's id, where it proved who it is.
    pub key: KeyId,
    /// To which path.
    pub path: &'static str,
    /// Under which name.
    pub name: String,
    /// The digest of its body.
    pub body_digest: Vec<u8>,
    /// The status of the answer.
    pub status: u16,
    /// Answers older than this are forgotten.
    pub cutoff: Timestamp,
}

impl Idempotent {
    /// What is asked to find its answer.
    #[must_use]
    pub fn question(&self) -> AnswerQuestion {
        let Self { owner, key, path, cutoff, .. } = *self;
        AnswerQuestion { owner, key, path, name: self.name.clone(), cutoff }
    }
}

/// Asks for the answer that is kept for a request.
#[derive(Clone, Debug)]
pub struct AnswerQuestion {
    /// Whose request.
    pub owner: Owner,
    /// The key that it was made with.
    pub key: KeyId,
    /// To which path.
    pub path: &'static str,
    /// Under which name.
    pub name: String,
    /// Answers older than this are forgotten.
    pub cutoff: Timestamp,
}

/// Where a message came to stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedMessage {
    /// Its conversation.
    pub conversation: ConversationId,
    /// Its contact.
    pub contact: ContactId,
    /// The person as they are known, unless that cannot be read.
    pub person: Option<Arc<ContactSnapshot>>,
    /// Where it goes: the number in the form that the channel uses.
    pub to: Address,
    /// When the person last wrote.
    pub last_inbound_at: Option<Timestamp>,
}

/// The result of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionOutcome {
    /// It is durable.
    Accepted(PlacedMessage),
    /// The month's allowance is used up, so nothing was done.
    AllowanceReached {
        /// How many messages count this month.
        used: u32,
    },
    /// It had been answered before, so nothing was done.
    Answered(StoredAnswer),
}

/// Where a message stands, for deciding what news of it means.
#[derive(Clone, Debug)]
pub struct MessageState {
    /// Which message.
    pub id: MessageId,
    /// How far it has come.
    pub progress: Progress,
    /// Whether it is known what the channel calls it.
    pub has_channel_id: bool,
    /// The person it is for.
    pub contact: Contact,
    /// When it was accepted.
    pub accepted_at: Timestamp,
}

/// A message as the channel knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageOnChannel {
    /// Whose number it is.
    pub organization: OrganizationId,
    /// The number of the business.
    pub account: AccountId,
    /// The channel's id of the message.
    pub channel_id: String,
}

/// Messages of an organization that come to the same together.
#[derive(Clone, Debug)]
pub struct StatusMove {
    /// Whose messages.
    pub organization: OrganizationId,
    /// Where they stood when this was decided.
    pub from: Status,
    /// What has been reported of them one after the other, the last of it where they stand now.
    pub reported: Vec<Status>,
    /// How far they have come.
    pub to: Progress,
    /// Which messages.
    pub messages: Vec<MessageId>,
    /// The people that they are for, as they are known.
    pub people: BTreeMap<MessageId, Arc<ContactSnapshot>>,
}

/// A message that the channel brought: a person wrote it, or somebody at the business from the phone.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// Its id.
    pub message: MessageId,
    /// The number of the business.
    pub account: AccountId,
    /// The organization of that number.
    pub organization: OrganizationId,
    /// Who wrote it: a person, or the business.
    pub direction: Direction,
    /// What the channel says of the person.
    pub person: Identity,
    /// The contact's id, should nobody know that person yet.
    pub new_contact: ContactId,
    /// The conversation's id.
    pub new_conversation: ConversationId,
    /// What it says.
    pub content: StoredContent,
    /// What it comes from, or with which it came.
    pub context: Option<Document>,
    /// The channel's id of the message that it answers.
    pub answers: Option<String>,
    /// The channel's id, by which a repeat is known.
    pub channel_message_id: String,
    /// The channel's id of the file that came with it and is still to be fetched.
    pub file: Option<String>,
    /// When it was written.
    pub at: Timestamp,
    /// When it came in, perhaps much later: its file is fetched from then on.
    pub received_at: Timestamp,
}

/// A sender's edit or deletion of a message, as the channel reported it.
#[derive(Clone, Debug)]
pub struct RevisedMessage {
    /// Whose number it is.
    pub organization: OrganizationId,
    /// The number of the business.
    pub account: AccountId,
    /// The channel's id of the message.
    pub channel_message_id: String,
    /// Who wrote it: a person, or the business.
    pub direction: Direction,
    /// The channel's id of the change, by which a repeat is known.
    pub change: String,
    /// What it says now; nothing if it was deleted.
    pub content: Option<StoredContent>,
    /// When.
    pub at: Timestamp,
    /// When that came in.
    pub received_at: Timestamp,
}

/// The result of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionOutcome {
    /// It is kept.
    Kept,
    /// It had been kept before.
    Repeated,
    /// No such message is known, or not yet.
    UnknownMessage,
}

/// The result of an inbound message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboundOutcome {
    /// It is kept.
    Kept,
    /// It had been kept before.
    Repeated,
}
