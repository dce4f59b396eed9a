//! Notes about conversations. They are never sent.
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::Note;
use crate::schema::notes;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::event::{EventKind, EventPayload, NewEvent, NoteSnapshot};
use domain::id::{AccountId, ConversationId, NoteId, OrganizationId};

/// Stores a note, and records its event.
pub async fn insert_note(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
    note: Note,
) -> Result<()> {
    conn.transaction(async |conn| {
        diesel::insert_into(notes::table).values(&note).execute(conn).await?;
        let at = note.created_at;
        let snapshot = NoteSnapshot {
            id: note.id,
            conversation: note.conversation_id,
            author: note.author(),
            text: note.text,
            created_at: at,
        };
        let payload = EventPayload::Note(Box::new(snapshot));
        let event =
            NewEvent::for_account(organization, account, EventKind::NoteCreated, payload, at);
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Returns the notes about a conversation that follow one of them, the newest first.
pub async fn list_notes(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    after: Option<NoteId>,
    limit: i64,
) -> Result<Vec<Note>> {
    let mut page = notes::table
        .filter(notes::organization_id.eq(Col(organization)))
        .filter(notes::conversation_id.eq(Col(conversation)))
        .order(notes::id.desc())
        .limit(limit)
        .select(Note::as_select())
        .into_boxed();
    if let Some(after) = after {
        page = page.filter(notes::id.lt(Col(after)));
    }
    Ok(page.load(conn).await?)
}
