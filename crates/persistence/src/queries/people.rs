//! Conversations with their contacts.
use crate::records::{Contact, Conversation, ConversationWithContact};
use crate::schema::{contacts, conversations};
use diesel::prelude::*;

/// The join condition between contacts and conversations.
#[diesel::dsl::auto_type]
pub(super) fn theirs() -> _ {
    conversations::organization_id
        .eq(contacts::organization_id)
        .and(conversations::contact_id.eq(contacts::id))
}

/// Returns a joined row as one record.
pub(super) fn with_contact(
    (conversation, contact): (Conversation, Contact),
) -> ConversationWithContact {
    ConversationWithContact { conversation, contact }
}
