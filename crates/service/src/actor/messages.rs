//! Messages, as members send them.

use super::{ActionError, Actor, AuditObject};
use crate::messages::{self, MemberSendError};
use domain::id::{AccountId, MessageId};
use domain::message::Draft;
use domain::role::MemberAction;
use persistence::Reader;

pub struct MemberMessages<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn messages(self) -> MemberMessages<'a> {
        MemberMessages(self)
    }
}

impl MemberMessages<'_> {
    /// Sends a message that the member wrote.
    pub async fn send(
        &self,
        account: AccountId,
        draft: Draft,
    ) -> Result<MessageId, ActionError<MemberSendError>> {
        let to = draft.recipient.to_string();
        let work = messages::send_as_member(self.0.deps, self.0.organization, account, draft);
        let sent = |id: &MessageId| Some(AuditObject::new(id, to));
        self.0.perform(MemberAction::MessageSent, work, sent).await
    }

    /// Sends a failed message again, as a new message to the same contact. Returns the new
    /// message.
    pub async fn resend(
        &self,
        reader: Reader,
        id: MessageId,
    ) -> Result<MessageId, ActionError<MemberSendError>> {
        let work = messages::resend(self.0.deps, reader, id);
        let resent = |new: &MessageId| Some(AuditObject::new(new, id.to_string()));
        self.0.perform(MemberAction::MessageResent, work, resent).await
    }
}
