//! Messages on their way to the channel, and the channel's reports.
use super::{ChannelAccess, UnreadableRow, address};
use crate::schema::callbacks;
use crate::types::{Attempts, Doc, Document, Label, Uid, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text};
use domain::account::ChannelKind;
use domain::contact::Address;
use domain::content::MessageKind;
use domain::id::{AccountId, CallbackId, ConversationId, InstanceId, MessageId, OrganizationId};
use domain::message::{DeliveryError, Status};
use domain::time::Timestamp;

record! {
    /// A report of the channel, kept until it has been processed.
    pub struct Callback of callbacks {
        pub id: CallbackId,
        pub channel: ChannelKind,
        pub payload: String,
        pub attempts: Attempts,
        pub due_at: Timestamp,
        pub received_at: Timestamp,
        /// How often a message that it is about was looked up and not found.
        pub lookups: Attempts,
    }
}

/// What a server claims things by. Each claim has a number of its own, so that anyone who holds an older one
/// of the same server can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The server.
    pub instance: InstanceId,
    /// Counted by the server.
    pub number: i64,
}

/// A message that waits, as the first of its conversation or behind those.
#[derive(Clone, Debug, Queryable, QueryableByName)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct Waiting {
    #[diesel(sql_type = Uid)]
    pub conversation_id: ConversationId,
    #[diesel(sql_type = Uid)]
    pub message_id: MessageId,
    #[diesel(sql_type = BigInt)]
    pub position: i64,
    #[diesel(sql_type = Label)]
    pub kind: MessageKind,
    #[diesel(sql_type = Doc)]
    pub content: Document,
    #[diesel(sql_type = Integer)]
    pub content_format: i32,
    #[diesel(sql_type = Nullable<Uid>)]
    pub reply_to: Option<MessageId>,
    #[diesel(sql_type = Label)]
    pub status: Status,
    #[diesel(sql_type = Nullable<Text>)]
    pub channel_message_id: Option<String>,
    #[diesel(sql_type = Integer)]
    pub attempts: Attempts,
    #[diesel(sql_type = Utc)]
    pub accepted_at: Timestamp,
}

/// A conversation whose messages one server alone may hand over, as long as it has claimed the organization.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Which conversation.
    pub conversation: ConversationId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// The number the messages leave from, and how the channel is reached for it.
    pub access: ChannelAccess,
    /// The claim of the organization.
    pub claim: Claim,
    /// The number of the look that found this, counted by the server: what it has learned of the number since is not in here.
    pub look: i64,
    /// Where the messages go, as it is stored.
    pub address: Option<String>,
    /// The first messages that wait, in order.
    pub messages: Vec<OutgoingMessage>,
}

/// What waits in an organization.
#[derive(Clone, Debug, Default)]
pub struct OrganizationTurn {
    /// Conversations that are due.
    pub due: Vec<Claimed>,
    /// When the next one is due, of those that nobody works on; it may be by now.
    pub next_due: Option<Timestamp>,
}

impl Claimed {
    /// Where the messages go; none if the person cannot be reached any more.
    pub fn to(&self) -> Result<Option<Address>, UnreadableRow> {
        address(self.conversation, self.address.as_deref())
    }
}

/// A message that waits to be submitted.
#[derive(Clone, Debug)]
pub struct OutgoingMessage {
    /// Which message.
    pub message: MessageId,
    /// Its place in the conversation.
    pub position: i64,
    /// Its type.
    pub kind: MessageKind,
    /// What it says, as it is stored.
    pub content: Document,
    /// The format of that (see [`crate::content`]).
    pub content_format: i32,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// The channel's id of that one, if it was known when this was claimed.
    pub answers: Option<String>,
    /// Whether the channel has reported on it, and so has it: the answer to an earlier attempt was lost.
    pub reported: bool,
    /// How often it was tried.
    pub attempts: u32,
    /// When it was accepted.
    pub accepted_at: Timestamp,
}

/// The result of messages of a conversation. Writing it down twice is as good as once: whoever
/// does not know whether it was recorded writes it again.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// Which conversation.
    pub conversation: ConversationId,
    /// Its organization and that one's number.
    pub account: (OrganizationId, AccountId),
    /// Messages that need not be retried.
    pub verdicts: Vec<Verdict>,
    /// A message that has to be retried.
    pub retry: Option<Retry>,
    /// If the conversation is let go of: when the next of its messages is due, if there is one.
    pub next_due: Option<Timestamp>,
    /// Whether they wait until then because the number is held: if it is so no longer, they are due at once.
    pub waits_for_account: bool,
    /// When this is settled.
    pub at: Timestamp,
    /// Reports that the channel is going to make (the sandbox's, which has no other way).
    pub callbacks: Vec<Callback>,
}

impl Settlement {
    /// The same without the channel's ids: for a channel that gave one id to two messages.
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
    /// Which message.
    pub message: MessageId,
    /// Its place in the conversation.
    pub position: i64,
    /// How often it had been tried before.
    pub attempts: u32,
}

/// The result of one message.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Which message.
    pub message: MessageId,
    /// Its place in the conversation.
    pub position: i64,
    /// The channel's id of it, if that is known, or why the channel will not have it.
    pub outcome: Result<Option<String>, DeliveryError>,
}
