//! Edits and deletions of messages, as the channel reports them. Earlier versions are kept.
use super::contact_lookups::snapshots_of_messages;
use super::contacts::{self, ContactScope};
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{
    Merges, Message, RevisedMessage, RevisionOutcome, UnreadableRow, erased_channel_id,
};
use crate::schema::messages;
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{ContactId, MessageId, OrganizationId};
use domain::message::Direction;
use domain::revision::{Deletion, Revisions, Version};
use stored_content::{StoredContent, revisions};

/// Edits or deletes a message, as the channel reports. A repeated report changes nothing. Only the
/// side that wrote a message can edit or delete it.
pub async fn revise(conn: &mut Conn, new: RevisedMessage) -> Result<RevisionOutcome> {
    conn.transaction(async |conn| {
        // Contacts are locked before the message, in the same order as when an inbound message is
        // stored.
        let authors = authors(conn, &new).await?;
        let original = messages::table
            .filter(messages::organization_id.eq(Col(new.organization)))
            .filter(messages::account_id.eq(Col(new.account)))
            .filter(messages::channel_message_id.eq(&new.channel_message_id))
            .filter(messages::direction.eq(Col(new.direction)))
            .select(Message::as_select());
        let found: Option<Message> = for_update!(original).get_result(conn).await.optional()?;
        let Some(row) = found else { return missing(conn, &new).await };
        if authors.is_some_and(|authors| !authors.contains(&row.contact_id)) {
            return Ok(RevisionOutcome::NotTheirs);
        }
        let (organization, received_at) = (new.organization, new.received_at);
        let Some((revisions, kind)) = revised(&row, new)? else {
            return Ok(RevisionOutcome::Repeated);
        };
        store(conn, organization, &row, &revisions).await?;
        let person = snapshots_of_messages(conn, organization, [row.id]).await?.remove(&row.id);
        let (account, payload) = (row.account_id, EventPayload::Message(row.id, person));
        let event = NewEvent::for_account(organization, account, kind, payload, received_at);
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(RevisionOutcome::Kept)
    })
    .await
}

/// Returns the outcome of a change to a message that is not found. If the message was erased with
/// its contact, the change is ignored.
async fn missing(conn: &mut Conn, new: &RevisedMessage) -> Result<RevisionOutcome> {
    let erased = messages::table
        .filter(messages::organization_id.eq(Col(new.organization)))
        .filter(messages::account_id.eq(Col(new.account)))
        .filter(messages::channel_message_id.eq(erased_channel_id(&new.channel_message_id)))
        .select(messages::id);
    let erased: Option<Col<MessageId>> = erased.get_result(conn).await.optional()?;
    Ok(erased.map_or(RevisionOutcome::UnknownMessage, |_| RevisionOutcome::Repeated))
}

/// Returns the contacts that may be the author of the change, or `None` if the business made the
/// change.
async fn authors(conn: &mut Conn, new: &RevisedMessage) -> Result<Option<Vec<ContactId>>> {
    if new.direction == Direction::Outbound {
        return Ok(None);
    }
    let RevisedMessage { organization, account, received_at: now, .. } = *new;
    let scope = ContactScope { organization, account, now, merges: Merges::Short };
    let found = contacts::found(conn, &scope, &[&new.person]).await?;
    Ok(Some(found.into_iter().map(|it| it.contact.id).collect()))
}

/// Returns the stored revisions of a message.
fn stored_revisions(row: &Message) -> Result<Revisions<StoredContent>> {
    if let Some(stored) = &row.changes {
        return revisions::decode(&stored.0).map_err(|why| unreadable(row, why));
    }
    let content = StoredContent { kind: row.kind, document: row.content.0.clone() };
    let at = row.created_at;
    Ok(Revisions::none(Version { content, written_at: at, noted_at: at, change: None }))
}

fn unreadable(row: &Message, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    UnreadableRow::new("changes of a message", &row.id, why).into()
}

/// Returns the new revisions of a message and the kind of the event, or `None` if the change is
/// already stored.
fn revised(
    row: &Message,
    new: RevisedMessage,
) -> Result<Option<(Revisions<StoredContent>, EventKind)>> {
    let RevisedMessage { change, content, at, received_at: noted_at, .. } = new;
    let mut revisions = stored_revisions(row)?;
    let (is_new, kind) = match content {
        Some(content) => {
            let before = StoredContent { kind: row.kind, document: row.content.0.clone() };
            let content = revisions::changed(&before, content);
            let version = Version { content, written_at: at, noted_at, change: Some(change) };
            (revisions.edit(version), EventKind::MessageEdited)
        }
        None => (revisions.delete(Deletion { at, noted_at }), EventKind::MessageDeleted),
    };
    Ok(is_new.then_some((revisions, kind)))
}

async fn store(
    conn: &mut Conn,
    organization: OrganizationId,
    row: &Message,
    revisions: &Revisions<StoredContent>,
) -> Result<()> {
    let Some(last) = revisions.versions().last() else { return Ok(()) };
    let changes = revisions::encode(revisions).map_err(|why| unreadable(row, why))?;
    let own = messages::table
        .filter(messages::id.eq(Col(row.id)))
        .filter(messages::organization_id.eq(Col(organization)));
    let now = (
        messages::kind.eq(Col(last.content.kind)),
        messages::content.eq(Document(last.content.document.clone())),
        messages::changes.eq(Some(Document(changes))),
    );
    diesel::update(own).set(now).execute(conn).await?;
    Ok(())
}

/// Writes the URL of a message's file into its content and into earlier versions.
pub(super) async fn locate(conn: &mut Conn, row: &Message, url: &str) -> Result<()> {
    describe_file(conn, row, |content| revisions::with_address(content, url)).await
}

/// Writes the transcript of a voice message into its content and into earlier versions. Returns
/// `false` if the message has a transcript already, or is no voice message.
pub(super) async fn add_transcript(
    conn: &mut Conn,
    row: &Message,
    transcript: &str,
) -> Result<bool> {
    let content = StoredContent { kind: row.kind, document: row.content.0.clone() };
    if !revisions::lacks_transcript(&content) {
        return Ok(false);
    }
    describe_file(conn, row, |content| revisions::with_transcript(content, transcript)).await?;
    Ok(true)
}

/// Changes the content of a message, and of its earlier versions.
async fn describe_file(
    conn: &mut Conn,
    row: &Message,
    described: impl Fn(StoredContent) -> StoredContent,
) -> Result<()> {
    let mut revisions = stored_revisions(row)?;
    revisions.map(|content| *content = described(content.clone()));
    let organization = row.organization_id;
    if row.changes.is_some() {
        return store(conn, organization, row, &revisions).await;
    }
    let Some(last) = revisions.versions().last() else { return Ok(()) };
    let own = messages::table
        .filter(messages::id.eq(Col(row.id)))
        .filter(messages::organization_id.eq(Col(organization)));
    let content = messages::content.eq(Document(last.content.document.clone()));
    diesel::update(own).set(content).execute(conn).await?;
    Ok(())
}
