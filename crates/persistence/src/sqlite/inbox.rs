//! The statements of the inbox that PostgreSQL runs for many rows at once.
use super::{Conn, RunQueryDsl, SharedConn, listed};
use crate::Result;
use crate::records::{ConversationWord, InboxEntry, Turn};
use crate::schema::{conversation_words, inbox_entries, turns};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ConversationId, OrganizationId, TurnId};
use domain::time::Timestamp;
use std::collections::BTreeMap;

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

/// Returns the turn of each of these conversations that was created last, unless that was before
/// `since`. The ids of turns begin with their time.
pub async fn newest_turns_of(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
    since: Timestamp,
) -> Result<Vec<Turn>> {
    // Only ids are selected here. If a query selects columns that are not in the index of
    // conversations, SQLite reads all turns of the organization instead.
    let recent = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::conversation_id.eq_any(listed(of.into_iter().map(Col))))
        .filter(turns::id.ge(Col(TurnId::new(since, [0; 10]))))
        .select((turns::conversation_id, turns::id));
    let recent: Vec<(Col<ConversationId>, Col<TurnId>)> = recent.load(conn).await?;
    let mut newest: BTreeMap<ConversationId, TurnId> = BTreeMap::new();
    for (conversation, turn) in recent {
        let id = newest.entry(conversation.0).or_insert(turn.0);
        *id = (*id).max(turn.0);
    }
    if newest.is_empty() {
        return Ok(Vec::new());
    }
    let rows = turns::table
        .filter(turns::organization_id.eq(Col(organization)))
        .filter(turns::id.eq_any(listed(newest.into_values().map(Col))))
        .select(Turn::as_select());
    Ok(rows.load(conn).await?)
}

/// Adds words of conversations to the search, except those that it has already.
pub async fn insert_words(conn: &mut Conn, rows: &[ConversationWord]) -> Result<()> {
    for row in rows {
        let insert = diesel::insert_into(conversation_words::table).values(row);
        prepared!(insert.on_conflict_do_nothing()).execute(conn).await?;
    }
    Ok(())
}
