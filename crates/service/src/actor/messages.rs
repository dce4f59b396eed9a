//! Messages, as members send them.

use super::{ActionError, Actor, AuditObject};
use crate::media::{self, Upload, UploadError};
use crate::messages::{self, MemberSendError};
use crate::sending::{self, Author, person_key};
use domain::conversation::SeenPart;
use domain::id::{AccountId, MessageId, TurnId};
use domain::message::{Draft, Recipient};
use domain::number::saturating;
use domain::role::MemberAction;
use persistence::Reader;
use persistence::records::{
    CancelOutcome, DraftSend, Media, PersonKey, ScheduledCursor, ScheduledMessage,
};
use platform::Deps;
use std::sync::Arc;

pub struct MemberMessages<'a>(Actor<'a>);

/// The conversation and the draft on which a member's message is based.
#[derive(Clone, Copy, Debug, Default)]
pub struct ComposedFrom {
    /// The part of the conversation that the member had seen. The message is sent only if nobody
    /// else has answered since.
    pub seen: Option<SeenPart>,
    /// The turn whose draft the member sends, unchanged or edited.
    pub draft_of: Option<TurnId>,
}

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn messages(self) -> MemberMessages<'a> {
        MemberMessages(self)
    }
}

impl MemberMessages<'_> {
    /// Sends a message that the member wrote. The message pauses the AI agent, unless it is a draft
    /// of the agent.
    pub async fn send(
        &self,
        account: AccountId,
        draft: Draft,
        composed: ComposedFrom,
    ) -> Result<MessageId, ActionError<MemberSendError>> {
        let to = draft.recipient.to_string();
        let person = person_key(&draft.recipient, account);
        let work = async {
            self.check_visible(person).await?;
            let author = author(&draft.recipient, composed);
            let Actor { deps, organization, member, .. } = self.0;
            messages::send_as_member(deps, organization, member, account, draft, author).await
        };
        let sent = |id: &MessageId| Some(AuditObject::new(id, to));
        self.0.perform(MemberAction::MessageSent, work, sent).await
    }

    /// Checks that the member may see the conversations with a person.
    async fn check_visible(&self, person: PersonKey) -> Result<(), MemberSendError> {
        if self.0.sees(person).await? { Ok(()) } else { Err(MemberSendError::NotFound) }
    }

    /// Stores a file that the member wants to send. This is not in the audit log; the message is.
    pub async fn upload(
        &self,
        deps: &Arc<Deps>,
        upload: Upload,
    ) -> Result<Media, ActionError<UploadError>> {
        self.0.authority.check(MemberAction::MessageSent)?;
        media::create(deps, self.0.organization, upload).await.map_err(ActionError::Failed)
    }

    /// Sends a failed message again, as a new message to the same contact. Returns the new
    /// message.
    pub async fn resend(
        &self,
        reader: Reader,
        id: MessageId,
    ) -> Result<MessageId, ActionError<MemberSendError>> {
        let work = async {
            let found = self.0.deps.db.reads(reader).message_with_contact(None, id).await?;
            if let Some((message, _)) = found {
                self.check_visible(PersonKey::Conversation(message.conversation_id)).await?;
            }
            messages::resend(self.0.deps, reader, self.0.member, id).await
        };
        let resent = |new: &MessageId| Some(AuditObject::new(new, id.to_string()));
        self.0.perform(MemberAction::MessageResent, work, resent).await
    }

    /// Lists up to `limit` messages that wait for their time, without those to people whose
    /// conversations the member may not see. Also returns the position of the last one that was
    /// read, if there may be more.
    pub async fn list_scheduled(
        &self,
        account: Option<AccountId>,
        after: Option<ScheduledCursor>,
        limit: i64,
    ) -> persistence::Result<(Vec<ScheduledMessage>, Option<ScheduledCursor>)> {
        let Actor { deps, organization, .. } = self.0;
        let found = sending::list_scheduled(deps, organization, account, after, limit).await?;
        let last = found.last().filter(|_| saturating(found.len(), i64::MAX) >= limit);
        let last = last.map(|it| ScheduledCursor { send_at: it.send_at, message: it.id });
        let mut visible = Vec::with_capacity(found.len());
        for message in found {
            if self.sees_recipient(&message).await? {
                visible.push(message);
            }
        }
        Ok((visible, last))
    }

    /// Finds a message that is scheduled or was canceled.
    pub async fn find_scheduled(
        &self,
        id: MessageId,
    ) -> persistence::Result<Option<ScheduledMessage>> {
        let Actor { deps, organization, .. } = self.0;
        match sending::find_scheduled(deps, organization, None, id).await? {
            Some(found) if self.sees_recipient(&found).await? => Ok(Some(found)),
            _ => Ok(None),
        }
    }

    async fn sees_recipient(&self, message: &ScheduledMessage) -> persistence::Result<bool> {
        self.0.sees(person_key(&message.recipient()?, message.account_id)).await
    }

    /// Cancels a scheduled message.
    pub async fn cancel(&self, id: MessageId) -> Result<(), ActionError<CancelError>> {
        let work = async {
            if self.find_scheduled(id).await?.is_none() {
                return Err(CancelError::NotFound);
            }
            let Actor { deps, organization, .. } = self.0;
            match sending::cancel(deps, organization, None, id).await? {
                CancelOutcome::Canceled(_) => Ok(Some(id)),
                // A repeated cancellation is not recorded again.
                CancelOutcome::CanceledBefore => Ok(None),
                CancelOutcome::NotScheduled => Err(CancelError::Sent),
            }
        };
        // The recipient is not recorded, because the entry outlives a deleted contact.
        let canceled = |id: &Option<MessageId>| id.map(|id| AuditObject::new(id, id.to_string()));
        self.0.perform(MemberAction::MessageCanceled, work, canceled).await.map(drop)
    }
}

/// The reason why a message was not canceled.
#[derive(Debug, thiserror::Error)]
pub enum CancelError {
    #[error("there is no such message")]
    NotFound,
    /// The message left at the same moment.
    #[error("the message has been sent")]
    Sent,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Returns the author of a message that a member wrote.
fn author(recipient: &Recipient, composed: ComposedFrom) -> Author {
    let ComposedFrom { seen, draft_of } = composed;
    match (recipient, draft_of) {
        (Recipient::Conversation(conversation), Some(turn)) => {
            Author::AgentDraft(DraftSend { turn, conversation: *conversation, seen })
        }
        _ => Author::Inbox(seen),
    }
}
