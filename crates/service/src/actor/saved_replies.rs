//! Saved replies, as members manage them.

use super::{ActionError, Actor, AuditObject};
use crate::saved_replies::{self, SavedReplyError};
use domain::id::SavedReplyId;
use domain::role::MemberAction;
use domain::saved_reply::SavedReplyContent;
use persistence::records::SavedReply;

pub struct MemberSavedReplies<'a>(Actor<'a>);

impl<'a> Actor<'a> {
    #[must_use]
    pub const fn saved_replies(self) -> MemberSavedReplies<'a> {
        MemberSavedReplies(self)
    }
}

impl MemberSavedReplies<'_> {
    /// Creates a saved reply.
    pub async fn create(
        &self,
        content: SavedReplyContent,
    ) -> Result<SavedReply, ActionError<SavedReplyError>> {
        let work = saved_replies::create(self.0.deps, self.0.organization, content);
        let created = |it: &SavedReply| Some(AuditObject::new(it.id, &it.name));
        self.0.perform(MemberAction::SavedReplyCreated, work, created).await
    }

    /// Changes the name and the text of a saved reply.
    pub async fn update(
        &self,
        id: SavedReplyId,
        content: SavedReplyContent,
    ) -> Result<(), ActionError<SavedReplyError>> {
        let name = content.name.clone();
        let work = saved_replies::update(self.0.deps, self.0.organization, id, content);
        let updated = |(): &()| Some(AuditObject::new(id, name));
        self.0.perform(MemberAction::SavedReplyUpdated, work, updated).await
    }

    /// Deletes a saved reply. Returns `false` if it does not exist.
    pub async fn delete(&self, it: &SavedReply) -> Result<bool, ActionError<persistence::Error>> {
        let work = saved_replies::delete(self.0.deps, self.0.organization, it.id);
        let deleted = |done: &bool| done.then(|| AuditObject::new(it.id, &it.name));
        self.0.perform(MemberAction::SavedReplyDeleted, work, deleted).await
    }
}
