//! Messages, as members send them.

use super::{ActionError, Actor, AuditObject};
use crate::media::{self, Upload, UploadError};
use crate::messages::{self, MemberSendError};
use crate::sending::Author;
use domain::contact::Address;
use domain::conversation::SeenPart;
use domain::id::{AccountId, MessageId, TurnId};
use domain::message::{Draft, Recipient};
use domain::role::MemberAction;
use persistence::Reader;
use persistence::records::{DraftSend, Media, PersonKey};
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
        let person = match &draft.recipient {
            Recipient::Phone(number) => PersonKey::Number(number.clone()),
            Recipient::User(id) => PersonKey::Address(Address::User(id.clone()), account),
            Recipient::Contact(id) => PersonKey::Contact(*id),
            Recipient::Conversation(id) => PersonKey::Conversation(*id),
        };
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
