//! Changes and deletions of messages, as the channel reports them: what was said before is kept.
use super::people::people_of_messages;
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{Message, RevisedMessage, RevisionOutcome, UnreadableRow};
use crate::schema::messages;
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::event::{Event, EventKind, Payload};
use domain::id::OrganizationId;
use domain::revision::{Deletion, Revisions, Version};
use stored_content::{StoredContent, revisions};

/// Changes or deletes a message, once. Only who wrote a message does so.
pub async fn revise(conn: &mut Conn, new: RevisedMessage) -> Result<RevisionOutcome> {
    conn.transaction(async |conn| {
        let named = messages::table
            .filter(messages::organization_id.eq(Col(new.organization)))
            .filter(messages::account_id.eq(Col(new.account)))
            .filter(messages::channel_message_id.eq(&new.channel_message_id))
            .filter(messages::direction.eq(Col(new.direction)))
            .select(Message::as_select());
        let found: Option<Message> = held!(named).get_result(conn).await.optional()?;
        let Some(row) = found else { return Ok(RevisionOutcome::UnknownMessage) };
        let (organization, received_at) = (new.organization, new.received_at);
        let Some((revisions, kind)) = revised(&row, new)? else {
            return Ok(RevisionOutcome::Repeated);
        };
        store(conn, organization, &row, &revisions).await?;
        let person = people_of_messages(conn, organization, [row.id]).await?.remove(&row.id);
        let (account, payload) = (row.account_id, Payload::Message(row.id, person));
        let event = Event::of_account(organization, account, kind, payload, received_at);
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(RevisionOutcome::Kept)
    })
    .await
}

/// What became of a message so far.
fn of(row: &Message) -> Result<Revisions<StoredContent>> {
    if let Some(stored) = &row.changes {
        return revisions::decode(&stored.0).map_err(|why| unreadable(row, why));
    }
    let content = StoredContent { kind: row.kind, document: row.content.0.clone() };
    let at = row.created_at;
    Ok(Revisions::none(Version { content, written_at: at, noted_at: at, change: None }))
}

fn unreadable(row: &Message, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    UnreadableRow::of("changes of a message", &row.id, why).into()
}

/// What has become of a message, and the event of it; nothing if that is known.
fn revised(
    row: &Message,
    new: RevisedMessage,
) -> Result<Option<(Revisions<StoredContent>, EventKind)>> {
    let RevisedMessage { change, content, at, received_at: noted_at, .. } = new;
    let mut revisions = of(row)?;
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

/// Writes the address of a message's file into what it says, and into what it said before.
pub(super) async fn locate(conn: &mut Conn, row: &Message, url: &str) -> Result<()> {
    let mut revisions = of(row)?;
    revisions.map(|content| *content = revisions::with_address(content.clone(), url));
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
