//! Notes about conversations. They are never sent.
use super::inbox::{find_inbox_conversation, lock_position};
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{InboxConversation, Note};
use crate::schema::notes;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{ConversationId, NoteId, OrganizationId};

/// Stores a note, and records its event. A note about a merged conversation is stored with the
/// conversation that stays. Returns the note, or `None` if there is no such conversation.
pub async fn insert_note(
    conn: &mut Conn,
    organization: OrganizationId,
    note: Note,
) -> Result<Option<Note>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let found = find_inbox_conversation(conn, organization, note.conversation_id).await?;
        let Some(InboxConversation { conversation, .. }) = found else { return Ok(None) };
        let note = Note { conversation_id: conversation.id, ..note };
        diesel::insert_into(notes::table).values(&note).execute(conn).await?;
        let payload = EventPayload::Note(Box::new(note.snapshot()));
        let event = NewEvent::for_account(
            organization,
            conversation.account_id,
            EventKind::NoteCreated,
            payload,
            note.created_at,
        );
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(Some(note))
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
