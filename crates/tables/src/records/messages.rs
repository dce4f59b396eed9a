//! Messages and their conversations.
use super::{Contact, MessageCap, Owner, StoredAnswer, UnreadableRow};
use crate::schema::{conversations, messages, retention_rules};
use crate::types::Document;
use domain::contact::{Address, ContactSnapshot, Identity, KnownContact};
use domain::content::MessageKind;
use domain::conversation::{Agent, AgentRefusal, MessageSource, ThreadOwner, UnseenAnswer};
use domain::id::{
    AccountId, ContactId, ConversationId, KeyId, MemberId, MessageId, NoteId, OrganizationId,
};
use domain::inbound::ReportedAuthor;
use domain::message::{Direction, Failure, MessageError, MessageProgress, MessageStatus};
use domain::phone::PhoneNumber;
use domain::time::{Period, Timestamp};
use std::collections::BTreeMap;
use std::sync::Arc;
use stored_content::{FORMAT, StoredContent};

record! {
    pub struct Conversation of conversations {
        pub id: ConversationId,
        pub organization_id: OrganizationId,
        pub account_id: AccountId,
        pub contact_id: ContactId,
        /// The address that messages go to; none if the contact cannot be reached.
        pub address: Option<String>,
        pub agent_paused: bool,
        pub message_count: i64,
        pub last_message_at: Timestamp,
        pub last_inbound_at: Option<Timestamp>,
        pub created_at: Timestamp,
        pub agent_paused_by: Option<MessageId>,
    }
}

record! {
    /// The number of days for which an organization keeps texts of messages, and files that
    /// contacts sent.
    pub struct RetentionRule of retention_rules {
        pub organization_id: OrganizationId,
        /// The number of days for texts. `None`, here and for files, means that they are kept
        /// forever.
        pub text_days: Option<u32>,
        pub file_days: Option<u32>,
        /// The last message whose text was erased.
        pub last_text: Option<MessageId>,
        /// The last message whose file was erased.
        pub last_file: Option<MessageId>,
    }
}

impl Conversation {
    #[must_use]
    pub const fn agent(&self) -> Agent {
        if self.agent_paused { Agent::Paused } else { Agent::Running }
    }
}

/// A conversation and its contact.
#[derive(Clone, Debug)]
pub struct ConversationWithContact {
    pub conversation: Conversation,
    pub contact: Contact,
}

impl ConversationWithContact {
    /// Returns the contact in the form that the domain's matching rules need. `named` are the
    /// numbers by which the channel has named the contact; a caller that does not need them passes
    /// none.
    pub fn known_contact(&self, named: &[PhoneNumber]) -> Result<KnownContact, UnreadableRow> {
        let Self { conversation, contact } = self;
        let identity = contact.identity()?;
        let own = |number: &&PhoneNumber| identity.phone_number.as_ref() == Some(*number);
        // The contact's own number is confirmed once the contact has written, because the channel
        // names the author of a message with its own form of the number.
        let is_confirmed =
            conversation.last_inbound_at.is_some() || named.iter().any(|it| own(&it));
        Ok(KnownContact {
            contact: contact.id,
            has_edited_name: contact.name_edited_at.is_some(),
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
    pub struct Message of messages {
        pub id: MessageId,
        pub organization_id: OrganizationId,
        pub account_id: AccountId,
        pub conversation_id: ConversationId,
        pub contact_id: ContactId,
        pub position: i64,
        pub direction: Direction,
        pub source: MessageSource,
        pub kind: MessageKind,
        pub content: Document,
        pub content_format: i32,
        pub status: MessageStatus,
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
        /// The API key with which the message was accepted, if one was. The key may have been
        /// deleted.
        pub key_id: Option<KeyId>,
    }
}

/// The columns that every message has when it is created.
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
    pub source: MessageSource,
    pub kind: MessageKind,
    pub content: Document,
    pub status: MessageStatus,
    pub at: Timestamp,
}

/// Creates a message without the values that only some messages have or that are set later.
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
            key_id: None,
        }
    }
}

/// An identifier of a contact in an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PersonKey {
    Contact(ContactId),
    Conversation(ConversationId),
    /// A phone number that is known to any account of the organization.
    Number(PhoneNumber),
    /// An address that is known to this account. The same user id may belong to somebody else on an
    /// account of another business.
    Address(Address, AccountId),
}

/// The contact that an id names, for a send that does not name the account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    /// The address that messages go to; none if the contact cannot be reached.
    pub address: Option<Address>,
    /// The account that knows the contact.
    pub account_id: AccountId,
    pub contact: ContactId,
}

/// A message to accept for sending.
#[derive(Clone)]
pub struct MessageSubmission {
    pub message: MessageId,
    pub organization: OrganizationId,
    /// The account that sends the message.
    pub account: AccountId,
    /// The address that the message goes to.
    pub to: Address,
    /// The intended contact, if known. By the time the message is stored, the address may belong to
    /// another contact.
    pub contact: Option<ContactId>,
    /// The id of a new contact, in case nobody has the address yet.
    pub new_contact: ContactId,
    /// The id of a new conversation, in case there is none.
    pub new_conversation: ConversationId,
    pub content: StoredContent,
    /// Whether the message pauses the AI agent.
    pub pauses_agent: bool,
    /// The origin of the message.
    pub source: MessageSource,
    /// The member who sends the message, if one does.
    pub member: Option<MemberId>,
    /// The API key with which the message is accepted, if one is.
    pub key: Option<KeyId>,
    /// The sender's reference for the message.
    pub client_ref: Option<String>,
    /// The sender's metadata for the message.
    pub metadata: Option<Document>,
    /// The message that this one answers.
    pub reply_to: Option<MessageId>,
    /// The time of acceptance.
    pub at: Timestamp,
    /// The month in whose allowance the message counts.
    pub month: Period,
    /// The month's allowance, if there is one.
    pub allowance: Option<u32>,
    /// The cap of the connection that sends, if there is one.
    pub cap: Option<MessageCap>,
    /// The reason why a scheduled message fails when its time comes. The message is then stored as
    /// failed and not sent.
    pub refusal: Option<MessageError>,
    /// The key under which the answer is stored for a repeated request, if there is one, and the
    /// function that renders the answer.
    pub idempotent: Option<(Idempotent, Render)>,
}

/// Renders the answer. The answer contains ids that are known only after the message is stored.
pub type Render = Arc<dyn Fn(&PlacedMessage) -> serde_json::Result<String> + Send + Sync>;

/// Renders the answer to several messages that were submitted together.
pub type RenderTogether =
    Arc<dyn Fn(&[SubmissionOutcome]) -> serde_json::Result<String> + Send + Sync>;

/// The result of submitting several messages together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TogetherOutcome {
    /// Each message has its own outcome. The text is the answer that was stored for an idempotent
    /// request.
    Judged(Vec<SubmissionOutcome>, Option<String>),
    /// The request had been answered before. Nothing was done.
    Answered(StoredAnswer),
}

/// A request whose answer is stored, so that a repetition gets the same answer.
#[derive(Clone, Debug)]
pub struct Idempotent {
    /// The organization or application that made the request.
    pub owner: Owner,
    /// The key that authenticated the request, or the application's id if the application
    /// authenticated itself.
    pub key: KeyId,
    /// The path of the request.
    pub path: &'static str,
    /// The request's `Idempotency-Key`.
    pub name: String,
    /// The digest of the request body.
    pub body_digest: Vec<u8>,
    /// The HTTP status of the answer.
    pub status: u16,
    /// The time before which stored answers have expired.
    pub cutoff: Timestamp,
}

impl Idempotent {
    /// Returns the query for the stored answer.
    #[must_use]
    pub fn question(&self) -> AnswerQuestion {
        let Self { owner, key, path, cutoff, .. } = *self;
        AnswerQuestion { owner, key, path, name: self.name.clone(), cutoff }
    }
}

/// A query for the stored answer to a request.
#[derive(Clone, Debug)]
pub struct AnswerQuestion {
    /// The organization or application that made the request.
    pub owner: Owner,
    /// The key that authenticated the request.
    pub key: KeyId,
    /// The path of the request.
    pub path: &'static str,
    /// The request's `Idempotency-Key`.
    pub name: String,
    /// The time before which stored answers have expired.
    pub cutoff: Timestamp,
}

/// The conversation and contact of a stored message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedMessage {
    pub conversation: ConversationId,
    pub contact: ContactId,
    /// The contact's present state, or `None` if it cannot be read.
    pub person: Option<Arc<ContactSnapshot>>,
    /// The recipient's address. A phone number has the form that the channel uses.
    pub to: Address,
    /// The time of the contact's last message.
    pub last_inbound_at: Option<Timestamp>,
    /// The answer that was stored for an idempotent request.
    pub answer: Option<String>,
}

/// The result of submitting a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SubmissionOutcome {
    /// The message is stored durably.
    Accepted(PlacedMessage),
    /// The month's allowance is used up. Nothing was done.
    AllowanceReached {
        /// The number of messages that already count in this month.
        used: u32,
    },
    /// The cap of the connection is used up. Nothing was done.
    CapReached {
        /// The number of messages that the connection has sent in this month.
        used: u32,
    },
    /// The request had been answered before. Nothing was done.
    Answered(StoredAnswer),
    /// The AI agent may not answer. Nothing was done.
    AgentRefused(AgentRefusal),
    /// The organization has sent another answer that the member had not seen. Nothing was done.
    AnsweredMeanwhile(UnseenAnswer),
}

/// The state of a message, which decides what a report on the message changes.
#[derive(Clone, Debug)]
pub struct MessageState {
    pub id: MessageId,
    pub progress: MessageProgress,
    /// Whether the channel's id of the message is known.
    pub has_channel_id: bool,
    /// The contact that the message is for.
    pub contact: Contact,
    /// The time of acceptance.
    pub accepted_at: Timestamp,
}

/// The identity of a message by the channel's id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MessageOnChannel {
    pub organization: OrganizationId,
    pub account: AccountId,
    /// The channel's id of the message.
    pub channel_id: String,
}

/// Messages of an organization that make the same change of status together.
#[derive(Clone, Debug)]
pub struct StatusMove {
    pub organization: OrganizationId,
    /// The status that the messages had when the change was decided.
    pub from: MessageStatus,
    /// The statuses that were reported, in order. The last one is the new status.
    pub reported: Vec<MessageStatus>,
    /// The new progress.
    pub to: MessageProgress,
    pub messages: Vec<MessageId>,
    /// The contacts of the messages, in their present state.
    pub contacts: BTreeMap<MessageId, Arc<ContactSnapshot>>,
}

/// The channel's summary of a conversation, which becomes a note.
#[derive(Clone, Debug)]
pub struct ChannelSummary {
    pub note: NoteId,
    pub text: String,
}

/// A change of control of a conversation, as the channel reported it.
#[derive(Clone, Debug)]
pub struct ThreadHandover {
    pub organization: OrganizationId,
    pub account: AccountId,
    /// The channel's information about the contact.
    pub person: Identity,
    /// The id of a new contact, in case the contact is unknown.
    pub new_contact: ContactId,
    /// The id of a new conversation, in case there is none.
    pub new_conversation: ConversationId,
    pub owner: ThreadOwner,
    /// The reason that the previous holder of control gave.
    pub reason: Option<String>,
    pub summary: Option<ChannelSummary>,
    /// The time of the change.
    pub at: Timestamp,
    pub received_at: Timestamp,
}

/// A message that the channel delivered. The author is a contact, a person of the business who
/// writes in the channel's app on a phone, or the channel's own agent.
#[derive(Clone, Debug)]
pub struct Inbound {
    pub message: MessageId,
    pub account: AccountId,
    pub organization: OrganizationId,
    pub author: ReportedAuthor,
    /// Whether the channel's own agent has control of the conversation.
    pub standby: bool,
    /// The channel's summary of the conversation.
    pub summary: Option<ChannelSummary>,
    /// The channel's information about the contact.
    pub person: Identity,
    /// The id of a new contact, in case the contact is unknown.
    pub new_contact: ContactId,
    /// The id of a new conversation, in case there is none.
    pub new_conversation: ConversationId,
    pub content: StoredContent,
    /// The context of the message: what the message refers to, and what came with it.
    pub context: Option<Document>,
    /// The channel's id of the message that this one answers.
    pub answers: Option<String>,
    /// The channel's id of the message, by which a repetition is recognized.
    pub channel_message_id: String,
    /// The channel's id of the message's file, which has to be fetched.
    pub file: Option<String>,
    /// The time at which the message was written.
    pub at: Timestamp,
    /// The time at which Switchboard received the message, perhaps much later. The download of the
    /// message's file becomes due at this time.
    pub received_at: Timestamp,
}

/// A sender's edit or deletion of a message, as the channel reported it.
#[derive(Clone, Debug)]
pub struct RevisedMessage {
    pub organization: OrganizationId,
    pub account: AccountId,
    /// The channel's id of the message.
    pub channel_message_id: String,
    /// Whether a contact or the business wrote the message.
    pub direction: Direction,
    /// The author's identifiers, if a contact made the change.
    pub person: Identity,
    /// The channel's id of the change, by which a repetition is recognized.
    pub change: String,
    /// The new content; none if the message was deleted.
    pub content: Option<StoredContent>,
    /// The time of the change.
    pub at: Timestamp,
    /// The time at which the change was received.
    pub received_at: Timestamp,
}

/// The result of storing a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionOutcome {
    /// The change is stored.
    Kept,
    /// The change had been stored before.
    Repeated,
    /// The author of the change did not write the message. The change is not stored.
    NotTheirs,
    /// The message is not stored. It may still arrive.
    UnknownMessage,
}

/// The result of storing an inbound message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboundOutcome {
    /// The message is stored.
    Kept,
    /// The message had been stored before.
    Repeated,
}

/// Filters of a list of messages.
#[derive(Clone, Debug, Default)]
pub struct MessageFilter {
    pub account: Option<AccountId>,
    pub conversation: Option<ConversationId>,
    pub direction: Option<Direction>,
    pub source: Option<MessageSource>,
    pub kind: Option<MessageKind>,
    pub status: Option<MessageStatus>,
    /// The `client_ref` of the request that sent the message.
    pub client_ref: Option<String>,
    /// The API key with which the message was accepted.
    pub key: Option<KeyId>,
    /// Return only messages accepted or received at this time or later.
    pub since: Option<Timestamp>,
    /// Return only messages accepted or received before this time.
    pub until: Option<Timestamp>,
}

impl MessageFilter {
    /// Whether a condition of the filter has an index of its own: the `client_ref`, or the status
    /// `failed`.
    #[must_use]
    pub fn has_own_index(&self) -> bool {
        self.client_ref.is_some() || self.status == Some(MessageStatus::Failed)
    }

    /// Whether every message matches, or an index finds the messages that match.
    #[must_use]
    pub fn is_indexed(&self) -> bool {
        let Self {
            account,
            conversation,
            direction,
            source,
            kind,
            status,
            client_ref,
            key,
            since,
            until,
        } = self;
        if self.has_own_index() {
            return true;
        }
        account.is_none()
            && conversation.is_none()
            && direction.is_none()
            && source.is_none()
            && kind.is_none()
            && status.is_none()
            && client_ref.is_none()
            && key.is_none()
            && since.is_none()
            && until.is_none()
    }
}

/// The messages that match a filter, newest first, with their contacts.
#[derive(Clone, Debug)]
pub struct MessageScan {
    pub found: Vec<(Message, Contact)>,
    /// The oldest message that was read, if the scan ended before it had filled the page or read
    /// all messages.
    pub oldest_scanned: Option<MessageId>,
}
