//! Operations on texts that members often send.
use super::{DbFuture, OrganizationDb, tenant_query};
use crate::records::SavedReply;
use domain::id::SavedReplyId;
use domain::saved_reply::SavedReplyContent;
use domain::time::Timestamp;

impl<'a> OrganizationDb<'a> {
    /// Stores a new saved reply. Returns `false` if there are `most` already.
    pub fn insert_saved_reply(self, new: SavedReply, most: i64) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, saved_replies::insert_saved_reply(new, most))
    }

    /// Replaces the name and the text of a saved reply. Returns `false` if there is no such saved
    /// reply.
    pub fn update_saved_reply(
        self,
        id: SavedReplyId,
        content: SavedReplyContent,
        now: Timestamp,
    ) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, saved_replies::update_saved_reply(id, content, now))
    }

    /// Deletes a saved reply. Returns `false` if there is none.
    pub fn delete_saved_reply(self, id: SavedReplyId) -> DbFuture<'a, bool> {
        tenant_query!(self.organization, write, saved_replies::delete_saved_reply(id))
    }
}
