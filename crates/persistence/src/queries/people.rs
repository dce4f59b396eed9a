//! Conversations with the people in them.
use crate::records::{Contact, Conversation, ConversationWithContact};
use crate::schema::{contacts, conversations};
use diesel::prelude::*;

/// A contact and its conversation belong together.
#[diesel::dsl::auto_type]
pub(super) fn theirs() -> _ {
    conversations::organization_id
        .eq(contacts::organization_id)
        .and(conversations::contact_id.eq(contacts::id))
}

/// A row of both tables.
pub(super) fn with_contact(
    (conversation, contact): (Conversation, Contact),
) -> ConversationWithContact {
    ConversationWithContact { conversation, contact }
}
