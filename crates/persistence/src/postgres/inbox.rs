//! The statements of the inbox for PostgreSQL: one statement for any number of rows.
use super::{Conn, SharedConn};
use crate::Result;
use crate::cached::Cached;
use crate::records::{ConversationWord, InboxEntry, Turn};
use crate::types::{Col, Uid};
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;
use domain::id::{ConversationId, OrganizationId, TurnId};
use domain::time::Timestamp;

/// Returns the entries of these conversations. Each is looked up by itself (`OFFSET 0` forbids a
/// join): without statistics, PostgreSQL would read all entries of the organization.
pub async fn inbox_entries_of(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    conversations: Vec<Col<ConversationId>>,
) -> Result<Vec<InboxEntry>> {
    if conversations.is_empty() {
        return Ok(Vec::new());
    }
    let select = "SELECT found.* FROM unnest($2) AS wanted (id) \
                  CROSS JOIN LATERAL ( \
                      SELECT * FROM inbox_entries WHERE inbox_entries.organization_id = $1 \
                      AND inbox_entries.conversation_id = wanted.id OFFSET 0 \
                  ) AS found";
    let select = diesel::sql_query(select)
        .bind::<Uid, _>(Col(organization))
        .bind::<Array<Uid>, _>(conversations);
    Ok(Cached(select).load(conn).await?)
}

/// Returns the turn of each of these conversations that was created last, unless that was before
/// `since`. The ids of turns begin with their time. Each conversation is looked up by itself:
/// without statistics, PostgreSQL would read all turns of the organization since `since`.
pub async fn newest_turns_of(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
    since: Timestamp,
) -> Result<Vec<Turn>> {
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let select = "SELECT found.* FROM unnest($2::uuid[]) AS shown (id) \
                  CROSS JOIN LATERAL ( \
                      SELECT turns.id FROM turns WHERE turns.organization_id = $1 \
                      AND turns.conversation_id = shown.id AND turns.id >= $3 \
                      ORDER BY turns.id DESC LIMIT 1 \
                  ) AS newest \
                  CROSS JOIN LATERAL ( \
                      SELECT * FROM turns WHERE turns.organization_id = $1 \
                      AND turns.id = newest.id OFFSET 0 \
                  ) AS found";
    let select = diesel::sql_query(select)
        .bind::<Uid, _>(Col(organization))
        .bind::<Array<Uid>, _>(of.into_iter().map(Col).collect::<Vec<_>>())
        .bind::<Uid, _>(Col(TurnId::new(since, [0; 10])));
    Ok(Cached(select).load(conn).await?)
}

/// Adds words of conversations to the search, except those that it has already.
pub async fn insert_words(conn: &mut Conn, rows: &[ConversationWord]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let insert = "INSERT INTO conversation_words (organization_id, word, conversation_id) \
                  SELECT * FROM unnest($1, $2, $3) ON CONFLICT DO NOTHING";
    let insert = diesel::sql_query(insert)
        .bind::<Array<Uid>, _>(rows.iter().map(|row| Col(row.organization_id)).collect::<Vec<_>>())
        .bind::<Array<Text>, _>(rows.iter().map(|row| row.word.as_str()).collect::<Vec<_>>())
        .bind::<Array<Uid>, _>(rows.iter().map(|row| Col(row.conversation_id)).collect::<Vec<_>>());
    Cached(insert).execute(conn).await?;
    Ok(())
}
