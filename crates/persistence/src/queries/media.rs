//! Files, and those that are still to be fetched from the channel.
use super::{Conn, RunQueryDsl, Transactional, revisions};
use crate::records::{ChannelAccess, ClaimedFetch, Fetch, Media, Message};
use crate::schema::{accounts, fetches, media, messages};
use crate::types::{Col, Document, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{InstanceId, MediaId, MessageId, OrganizationId};
use domain::media::MediaState;
use domain::time::Timestamp;

/// Announces a file that is about to be stored.
pub async fn announce_media(conn: &mut Conn, new: Media) -> Result<()> {
    diesel::insert_into(media::table).values(&new).execute(conn).await?;
    Ok(())
}

/// The file is stored; `false` if it took so long that it was taken for an orphan.
pub async fn store_media(
    conn: &mut Conn,
    organization: OrganizationId,
    id: MediaId,
) -> Result<bool> {
    let own = media::table
        .filter(media::id.eq(Col(id)))
        .filter(media::organization_id.eq(Col(organization)));
    let kept = media::state.eq(Col(MediaState::Kept));
    Ok(diesel::update(own).set(kept).execute(conn).await? > 0)
}

/// A file that is stored. Anyone who knows its id may have it, so there is no organization here.
pub async fn public_media(conn: &mut Conn, id: MediaId) -> Result<Option<Media>> {
    let found = media::table
        .filter(media::id.eq(Col(id)))
        .filter(media::state.eq(Col(MediaState::Kept)))
        .select(Media::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// One of the organization's files.
pub async fn own_media(
    conn: &mut Conn,
    organization: OrganizationId,
    id: MediaId,
) -> Result<Option<Media>> {
    let found = media::table
        .filter(media::id.eq(Col(id)))
        .filter(media::organization_id.eq(Col(organization)))
        .filter(media::state.eq(Col(MediaState::Kept)))
        .select(Media::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Files that were announced before `cutoff` and never stored.
pub async fn orphaned_media(
    conn: &mut Conn,
    cutoff: Timestamp,
    limit: i64,
) -> Result<Vec<MediaId>> {
    let orphans = media::table
        .filter(media::state.eq(Literal(MediaState::Arriving)))
        .filter(media::created_at.lt(Col(cutoff)))
        .order(media::created_at)
        .limit(limit)
        .select(media::id);
    let orphans: Vec<Col<MediaId>> = orphans.load(conn).await?;
    Ok(orphans.into_iter().map(|id| id.0).collect())
}

/// Forgets a file that was never stored.
pub async fn forget_media(conn: &mut Conn, id: MediaId) -> Result<()> {
    let orphan = media::table
        .filter(media::id.eq(Col(id)))
        .filter(media::state.eq(Col(MediaState::Arriving)));
    diesel::delete(orphan).execute(conn).await?;
    Ok(())
}

/// Files to be fetched, each for this server until `until`.
pub async fn claim_fetches(
    conn: &mut Conn,
    server: InstanceId,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<ClaimedFetch>> {
    conn.transaction(async |conn| {
        let due = fetches::table
            .filter(fetches::due_at.le(Col(now)))
            .order(fetches::due_at)
            .limit(limit)
            .select(fetches::message_id);
        let due: Vec<Col<MessageId>> = unclaimed!(due).load(conn).await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        diesel::update(fetches::table.filter(fetches::message_id.eq_any(&due)))
            .set((
                fetches::due_at.eq(Col(until)),
                fetches::attempts.eq(fetches::attempts + 1),
                fetches::claimed_by.eq(Some(Col(server))),
            ))
            .execute(conn)
            .await?;
        let rows: Vec<(Fetch, ChannelAccess, Col<OrganizationId>, Document)> = fetches::table
            .inner_join(accounts::table)
            .inner_join(messages::table)
            .filter(fetches::message_id.eq_any(&due))
            .select((
                Fetch::as_select(),
                ChannelAccess::as_select(),
                messages::organization_id,
                messages::content,
            ))
            .load(conn)
            .await?;
        let claimed = rows.into_iter().map(|(fetch, access, organization, content)| ClaimedFetch {
            fetch,
            organization: organization.0,
            content,
            access,
        });
        Ok::<_, Error>(claimed.collect())
    })
    .await
}

/// The fetch for a message, if it came to one of the organization's numbers.
#[diesel::dsl::auto_type]
fn own_fetch(organization: Col<OrganizationId>, message: Col<MessageId>) -> _ {
    let numbers = accounts::table.filter(accounts::organization_id.eq(organization));
    fetches::table
        .filter(fetches::message_id.eq(message))
        .filter(fetches::account_id.eq_any(numbers.select(accounts::id)))
}

/// The file of one of the organization's messages is stored, and the message says where: also one whose words were
/// changed while it was fetched.
pub async fn finish_fetch(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    file: MediaId,
    url: String,
) -> Result<()> {
    conn.transaction(async |conn| {
        store_media(conn, organization, file).await?;
        let own = messages::table
            .filter(messages::id.eq(Col(message)))
            .filter(messages::organization_id.eq(Col(organization)));
        let own: Option<Message> =
            held!(own.select(Message::as_select())).get_result(conn).await.optional()?;
        if let Some(row) = own {
            revisions::locate(conn, &row, &url).await?;
        }
        diesel::delete(own_fetch(Col(organization), Col(message))).execute(conn).await?;
        Ok(())
    })
    .await
}

/// The channel does not give a file now.
pub async fn reschedule_fetch(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    due: Timestamp,
) -> Result<()> {
    let later = (fetches::due_at.eq(Col(due)), fetches::claimed_by.eq(None::<Col<InstanceId>>));
    diesel::update(own_fetch(Col(organization), Col(message))).set(later).execute(conn).await?;
    Ok(())
}

/// The channel will never give a file.
pub async fn abandon_fetch(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
) -> Result<()> {
    diesel::delete(own_fetch(Col(organization), Col(message))).execute(conn).await?;
    Ok(())
}
