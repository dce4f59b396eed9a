//! Erases the content of messages.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::{Message, erased_channel_id};
use crate::schema::messages;
use crate::types::{Col, Document};
use diesel::prelude::*;
use stored_content::erasure::{erased_content, without_files, without_text};

/// Erases the content of a message. Ids, times, type and status are kept. Does nothing if the
/// message is erased already.
pub(super) async fn erase_message(conn: &mut Conn, row: &Message) -> Result<()> {
    let content = erased_content(row.kind);
    let channel_id = row.channel_message_id.as_deref().map(erased_channel_id);
    let is_erased = row.content.0 == content
        && row.channel_message_id == channel_id
        && row.failure_message.is_none()
        && row.client_ref.is_none()
        && row.metadata.is_none()
        && row.context.is_none()
        && row.changes.is_none();
    if is_erased {
        return Ok(());
    }
    let own = messages::table
        .filter(messages::organization_id.eq(Col(row.organization_id)))
        .filter(messages::id.eq(Col(row.id)));
    let without = (
        messages::content.eq(Document(content.to_owned())),
        messages::channel_message_id.eq(channel_id),
        messages::failure_message.eq(None::<String>),
        messages::client_ref.eq(None::<String>),
        messages::metadata.eq(None::<Document>),
        messages::context.eq(None::<Document>),
        messages::changes.eq(None::<Document>),
    );
    diesel::update(own).set(without).execute(conn).await?;
    Ok(())
}

/// Erases the text of a message, its earlier versions, its metadata and its context. The file is
/// kept.
pub(super) async fn erase_text(conn: &mut Conn, row: &Message) -> Result<()> {
    let own = messages::table
        .filter(messages::organization_id.eq(Col(row.organization_id)))
        .filter(messages::id.eq(Col(row.id)));
    let without = (
        messages::content.eq(Document(without_text(row.kind, &row.content.0))),
        messages::metadata.eq(None::<Document>),
        messages::context.eq(None::<Document>),
        messages::changes.eq(None::<Document>),
    );
    diesel::update(own).set(without).execute(conn).await?;
    Ok(())
}

/// Erases the addresses of a message's files.
pub(super) async fn erase_file(conn: &mut Conn, row: &Message) -> Result<()> {
    let own = messages::table
        .filter(messages::organization_id.eq(Col(row.organization_id)))
        .filter(messages::id.eq(Col(row.id)));
    let changes = row.changes.as_ref().map(|it| Document(without_files(&it.0)));
    let without = (
        messages::content.eq(Document(without_files(&row.content.0))),
        messages::changes.eq(changes),
    );
    diesel::update(own).set(without).execute(conn).await?;
    Ok(())
}
