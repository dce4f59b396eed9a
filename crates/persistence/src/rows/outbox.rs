//! Messages on their way to the channel, and the channel's reports.
use super::Access;
use crate::schema::callbacks;
use crate::types::{Col, Document};
use diesel::prelude::*;
use domain::account::ChannelKind;
use domain::content::MessageKind;
use domain::id::{AccountId, CallbackId, ConversationId, MessageId, OrganizationId};
use domain::message::DeliveryError;
use domain::time::Timestamp;

/// A report of the channel, kept until it has been worked on.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = callbacks)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Callback {
    pub id: Col<CallbackId>,
    pub channel: Col<ChannelKind>,
    pub payload: String,
    pub attempts: i32,
    pub due_at: Col<Timestamp>,
    pub received_at: Col<Timestamp>,
    /// How often a message that it is about was looked up and not found.
    pub lookups: i32,
}

/// A conversation whose messages we alone may hand over, for a while.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Which conversation.
    pub conversation: ConversationId,
    /// Whose it is.
    pub organization: OrganizationId,
    /// The number the messages leave from, and how the channel is reached for it.
    pub access: Access,
    /// Until when the claim holds; what was claimed for that time is known by it.
    pub until: Timestamp,
    /// The number the messages go to.
    pub phone_number: String,
    /// The first messages that wait, in order.
    pub messages: Vec<Outgoing>,
}

/// A message that waits to be handed over.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Which message.
    pub message: MessageId,
    /// Its place in the conversation.
    pub position: i64,
    /// Its type.
    pub kind: MessageKind,
    /// What it says, as the API shows it.
    pub content: Document,
    /// The message that it answers.
    pub reply_to: Option<MessageId>,
    /// The channel's id of that one, if it was known when this was claimed.
    pub answers: Option<String>,
    /// How often it was tried.
    pub attempts: i32,
    /// When it was accepted.
    pub accepted_at: Timestamp,
}

/// What became of the messages of a claimed conversation.
#[derive(Clone, Debug)]
pub struct Settlement {
    /// Which conversation.
    pub conversation: ConversationId,
    /// Its organization, account and number: the order in which conversations are locked.
    pub line: (OrganizationId, AccountId, String),
    /// Of the claim: should somebody else have claimed it since, it is left to them.
    pub until: Timestamp,
    /// Messages that need not be tried again.
    pub verdicts: Vec<Verdict>,
    /// The place of the message to try again, and when.
    pub retry: Option<(i64, Timestamp)>,
    /// When this is settled.
    pub at: Timestamp,
    /// Reports that the channel is going to make (the sandbox's, which has no other way).
    pub callbacks: Vec<Callback>,
}

impl Settlement {
    /// The same without the channel's ids: for a channel that gave one id to two messages.
    pub(crate) fn without_ids(mut self) -> Self {
        for verdict in &mut self.verdicts {
            verdict.outcome = verdict.outcome.clone().map(|_| None);
        }
        self
    }
}

/// What became of one message.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// Which message.
    pub message: MessageId,
    /// Its place in the conversation.
    pub position: i64,
    /// The channel's id of it, if that is known, or why the channel will not have it.
    pub outcome: Result<Option<String>, DeliveryError>,
}
