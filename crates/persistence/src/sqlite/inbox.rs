//! The statements of the inbox that PostgreSQL runs for many rows at once.
use super::{Conn, RunQueryDsl, SharedConn};
use crate::Result;
use crate::records::{ConversationWord, InboxEntry};
use crate::schema::{conversation_words, inbox_entries};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ConversationId, OrganizationId};

/// Returns the entries of these conversations.
pub async fn inbox_entries_of(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    conversations: Vec<Col<ConversationId>>,
) -> Result<Vec<InboxEntry>> {
    let mut found = Vec::with_capacity(conversations.len());
    for id in conversations {
        let entry = inbox_entries::table.find((Col(organization), id));
        let entry = entry.select(InboxEntry::as_select());
        found.extend(prepared!(entry).load::<InboxEntry>(conn).await?);
    }
    Ok(found)
}

/// Adds words of conversations to the search, except those that it has already.
pub async fn insert_words(conn: &mut Conn, rows: &[ConversationWord]) -> Result<()> {
    for row in rows {
        let insert = diesel::insert_into(conversation_words::table).values(row);
        prepared!(insert.on_conflict_do_nothing()).execute(conn).await?;
    }
    Ok(())
}
