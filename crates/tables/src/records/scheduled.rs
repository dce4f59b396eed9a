//! Messages that are sent later.
use super::UnreadableRow;
use crate::schema::scheduled_messages;
use crate::types::Document;
use domain::content::MessageKind;
use domain::conversation::MessageSource;
use domain::event::{EventKind, EventPayload, NewEvent, ScheduledSnapshot};
use domain::id::{AccountId, KeyId, MessageId, OrganizationId};
use domain::message::{Recipient, ScheduleState};
use domain::time::Timestamp;

record! {
    /// A message that is sent later.
    pub struct ScheduledMessage of scheduled_messages {
        pub organization_id: OrganizationId,
        pub id: MessageId,
        pub account_id: AccountId,
        pub bound_to: Option<AccountId>,
        pub recipient: String,
        pub kind: MessageKind,
        pub content: Document,
        pub content_format: i32,
        pub fallback: Option<Document>,
        pub source: MessageSource,
        pub pauses_agent: bool,
        pub client_ref: Option<String>,
        pub metadata: Option<Document>,
        pub reply_to: Option<MessageId>,
        pub state: ScheduleState,
        pub send_at: Timestamp,
        pub created_at: Timestamp,
        pub canceled_at: Option<Timestamp>,
        /// The key of the connection that scheduled the message, if a connection did. The message
        /// counts against the cap of this key.
        pub connection_key_id: Option<KeyId>,
        /// The API key with which the message was scheduled, if one was. The key may have been
        /// deleted. Rows of earlier versions have only `connection_key_id`.
        pub key_id: Option<KeyId>,
    }
}

impl ScheduledMessage {
    /// Returns the API key with which the message was scheduled, if one was.
    #[must_use]
    pub fn scheduled_by_key(&self) -> Option<KeyId> {
        self.key_id.or(self.connection_key_id)
    }

    /// Returns the recipient.
    pub fn recipient(&self) -> Result<Recipient, UnreadableRow> {
        let unreadable = || UnreadableRow::new("recipient", &self.id, "it is none");
        Recipient::read(&self.recipient).ok_or_else(unreadable)
    }

    /// Returns the message as events and the API show it.
    pub fn snapshot(&self) -> Result<ScheduledSnapshot, UnreadableRow> {
        Ok(ScheduledSnapshot {
            id: self.id,
            account: self.account_id,
            recipient: self.recipient()?,
            kind: self.kind,
            client_ref: self.client_ref.clone(),
            state: self.state,
            send_at: self.send_at,
            created_at: self.created_at,
            canceled_at: self.canceled_at,
        })
    }

    /// Returns the event of the message's cancellation.
    pub fn canceled(&self, at: Timestamp) -> Result<NewEvent, UnreadableRow> {
        let payload = EventPayload::ScheduledMessage(Box::new(self.snapshot()?));
        let (organization, account) = (self.organization_id, self.account_id);
        Ok(NewEvent::for_account(organization, account, EventKind::MessageCanceled, payload, at))
    }
}

/// The result of canceling a message.
#[derive(Clone, Debug)]
pub enum CancelOutcome {
    /// The message is canceled.
    Canceled(Box<ScheduledMessage>),
    /// The message had already been canceled.
    CanceledBefore,
    /// There is no scheduled message with this id.
    NotScheduled,
}

/// A position in the list of scheduled messages, which is sorted by time and id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScheduledCursor {
    pub send_at: Timestamp,
    pub message: MessageId,
}
