//! Messages in the outbox, and the channel's callbacks.
use super::{ChannelAccess, UnreadableRow, address};
use crate::schema::callbacks;
use crate::types::{Attempts, Doc, Document, Label, Uid, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Nullable, Text};
use domain::account::ChannelKind;
use domain::contact::Address;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::id::{AccountId, CallbackId, ConversationId, InstanceId, MessageId, OrganizationId};
use domain::message::{MessageError, MessageStatus};
use domain::time::Timestamp;

record! {
    /// A callback, stored until it has been processed.
    pub struct Callback of callbacks {
        pub id: CallbackId,
        pub channel: ChannelKind,
        pub payload: String,
        pub attempts: Attempts,
        pub due_at: Timestamp,
        pub received_at: Timestamp,
        /// The number of times that a message of the callback was looked up and not found.
        pub lookups: Attempts,
    }
}

/// The claim of an instance on an organization. Each claim has its own number, so a worker notices
/// that its instance has lost the claim and claimed the organization again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    pub instance: InstanceId,
    /// The number of the claim. Each instance counts its own claims.
    pub number: i64,
}

/// A message of the outbox, as it is stored.
#[derive(Clone, Debug, Queryable, QueryableByName)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct WaitingMessage {
    #[diesel(sql_type = Uid)]
    pub conversation_id: ConversationId,
    #[diesel(sql_type = Uid)]
    pub message_id: MessageId,
    #[diesel(sql_type = BigInt)]
    pub position: i64,
    #[diesel(sql_type = Label)]
    pub kind: MessageKind,
    #[diesel(sql_type = Label)]
    pub source: MessageSource,
    #[diesel(sql_type = Doc)]
    pub content: Document,
    #[diesel(sql_type = Integer)]
    pub content_format: i32,
    #[diesel(sql_type = Nullable<Uid>)]
    pub reply_to: Option<MessageId>,
    #[diesel(sql_type = Label)]
    pub status: MessageStatus,
    #[diesel(sql_type = Nullable<Text>)]
    pub channel_message_id: Option<String>,
    #[diesel(sql_type = Integer)]
    pub attempts: Attempts,
    #[diesel(sql_type = Utc)]
    pub accepted_at: Timestamp,
}

/// What the sending of messages needs to know of their conversation.
#[derive(Clone, Debug, Queryable, QueryableByName)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct DueConversation {
    #[diesel(sql_type = Uid)]
    pub conversation_id: ConversationId,
    #[diesel(embed)]
    pub access: ChannelAccess,
    #[diesel(sql_type = Nullable<Text>)]
    pub address: Option<String>,
    /// Whether another conversation was merged into it.
    #[diesel(sql_type = Bool)]
    pub has_merged: bool,
    #[diesel(sql_type = Bool)]
    pub agent_paused: bool,
}

/// A conversation of an organization that an instance has claimed. While the claim lasts, only this
/// instance sends its messages.
#[derive(Clone, Debug)]
pub struct Claimed {
    pub conversation: ConversationId,
    pub organization: OrganizationId,
    /// The access to the channel of the account that sends the messages.
    pub access: ChannelAccess,
    /// The claim on the organization.
    pub claim: Claim,
    /// The number of the query that found this conversation. The instance counts its queries, and
    /// so knows whether its last news about the account is newer than `access`.
    pub look: i64,
    /// The address that the messages go to, as it is stored.
    pub address: Option<String>,
    /// The first waiting messages, in order.
    pub messages: Vec<OutgoingMessage>,
}

/// The work that is due in an organization.
#[derive(Clone, Debug, Default)]
pub struct OrganizationTurn {
    /// The conversations that are due.
    pub due: Vec<Claimed>,
    /// The earliest time at which a conversation that no worker has claimed is due. The time may
    /// have passed.
    pub next_due: Option<Timestamp>,
}

impl Claimed {
    /// Returns the address that the messages go to; none if the contact cannot be reached.
    pub fn to(&self) -> Result<Option<Address>, UnreadableRow> {
        address(self.conversation, self.address.as_deref())
    }
}

/// A message that waits to be sent.
#[derive(Clone, Debug)]
pub struct OutgoingMessage {
    pub message: MessageId,
    /// The message's position in the conversation.
    pub position: i64,
    pub kind: MessageKind,
    /// The content, as it is stored.
    pub content: Document,
    /// The format of the content (see [`crate::content`]).
    pub content_format: i32,
    /// The message that this one answers.
    pub reply_to: Option<MessageId>,
    /// The channel's id of the answered message, if it was known when this message was claimed.
    pub answers: Option<String>,
    /// Whether the channel has sent a report about the message. If so, the channel has accepted the
    /// message at an earlier attempt, and only its answer was lost.
    pub reported: bool,
    /// Whether an AI agent wrote the message and a person has taken the conversation over since.
    pub withdrawn: bool,
    pub attempts: u32,
    /// The time of acceptance.
    pub accepted_at: Timestamp,
}

/// The results of sending messages of a conversation. Storing a settlement twice has the same
/// effect as storing it once, so a worker that does not know whether a settlement was stored stores
/// it again.
#[derive(Clone, Debug)]
pub struct Settlement {
    pub conversation: ConversationId,
    /// The organization and the account of the conversation.
    pub account: (OrganizationId, AccountId),
    /// The results of messages that are not retried.
    pub verdicts: Vec<HandoverResult>,
    /// A message that has to be retried.
    pub retry: Option<Retry>,
    /// The time at which the conversation's next message is due, if there is one and the
    /// conversation is released.
    pub next_due: Option<Timestamp>,
    /// Whether the messages wait because the account is held. If the account is no longer held when
    /// the settlement is stored, they are due at once.
    pub waits_for_account: bool,
    /// The time of the settlement.
    pub at: Timestamp,
    /// The callbacks of the sandbox about these messages. The sandbox has no server that sends
    /// callbacks later, so they are stored with the settlement. Empty for other channels.
    pub callbacks: Vec<Callback>,
}

impl Settlement {
    /// Returns the settlement without the channel's ids. It is stored when the channel gave the
    /// same id to two messages.
    #[must_use]
    pub fn without_ids(mut self) -> Self {
        for verdict in &mut self.verdicts {
            verdict.outcome = verdict.outcome.clone().map(|_| None);
        }
        self
    }
}

/// A message that has to be retried.
#[derive(Clone, Copy, Debug)]
pub struct Retry {
    pub message: MessageId,
    /// The message's position in the conversation.
    pub position: i64,
    /// The number of attempts before this one.
    pub attempts: u32,
}

/// The result of sending one message.
#[derive(Clone, Debug)]
pub struct HandoverResult {
    pub message: MessageId,
    /// The message's position in the conversation.
    pub position: i64,
    /// The channel's id of the message, if known, or the reason why the channel rejected it.
    pub outcome: Result<Option<String>, MessageError>,
}
