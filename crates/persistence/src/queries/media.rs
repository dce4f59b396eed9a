//! Files, and those that are still to be fetched from the channel.
use super::{Conn, RunQueryDsl, Transactional, listed, revisions};
use crate::cached::Cached;
use crate::records::{ChannelAccess, ClaimedFetch, Fetch, Media, Message};
use crate::schema::{accounts, fetches, media, media_owners, messages};
use crate::types::{Col, Document, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{InstanceId, MediaId, MessageId, OrganizationId};
use domain::media::MediaState;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Announces a file that is about to be stored.
pub async fn announce_media(conn: &mut Conn, new: Media) -> Result<()> {
    conn.transaction(async |conn| {
        let owner = (
            media_owners::media_id.eq(Col(new.id)),
            media_owners::organization_id.eq(Col(new.organization_id)),
        );
        diesel::insert_into(media_owners::table)
            .values(owner)
            .on_conflict_do_nothing()
            .execute(conn)
            .await?;
        diesel::insert_into(media::table).values(&new).execute(conn).await?;
        Ok::<_, Error>(())
    })
    .await
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
    let owner = media_owners::table.find(Col(id)).select(media_owners::organization_id);
    let owner: Option<Col<OrganizationId>> = owner.get_result(conn).await.optional()?;
    match owner {
        Some(organization) => own_media(conn, *organization, id).await,
        None => Ok(None),
    }
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

/// The first organization that comes after that one and has files.
pub async fn next_with_media(
    conn: &mut Conn,
    after: Option<OrganizationId>,
) -> Result<Option<OrganizationId>> {
    let mut with_files = media::table
        .select(media::organization_id)
        .order(media::organization_id)
        .limit(1)
        .into_boxed();
    if let Some(after) = after {
        with_files = with_files.filter(media::organization_id.gt(Col(after)));
    }
    let next: Option<Col<OrganizationId>> = with_files.get_result(conn).await.optional()?;
    Ok(next.map(|it| it.0))
}

/// A page of the organization's stored files, by their ids.
pub async fn kept_media(
    conn: &mut Conn,
    organization: OrganizationId,
    after: Option<MediaId>,
    limit: i64,
) -> Result<Vec<Media>> {
    let mut kept = media::table
        .filter(media::organization_id.eq(Col(organization)))
        .filter(media::state.eq(Col(MediaState::Kept)))
        .order(media::id)
        .limit(limit)
        .select(Media::as_select())
        .into_boxed();
    if let Some(after) = after {
        kept = kept.filter(media::id.gt(Col(after)));
    }
    Ok(kept.load(conn).await?)
}

/// Files that were announced before `cutoff` and never stored.
pub async fn orphaned_media(
    conn: &mut Conn,
    cutoff: Timestamp,
    limit: i64,
) -> Result<Vec<(OrganizationId, MediaId)>> {
    let orphans = media::table
        .filter(media::state.eq(Literal(MediaState::Arriving)))
        .filter(media::created_at.lt(Col(cutoff)))
        .order(media::created_at)
        .limit(limit)
        .select((media::organization_id, media::id));
    let orphans: Vec<(Col<OrganizationId>, Col<MediaId>)> = orphans.load(conn).await?;
    Ok(orphans.into_iter().map(|(organization, id)| (organization.0, id.0)).collect())
}

/// Forgets a file that was never stored.
pub async fn forget_media(
    conn: &mut Conn,
    organization: OrganizationId,
    id: MediaId,
) -> Result<()> {
    conn.transaction(async |conn| {
        let orphan = media::table
            .find((Col(organization), Col(id)))
            .filter(media::state.eq(Col(MediaState::Arriving)));
        if diesel::delete(orphan).execute(conn).await? > 0 {
            diesel::delete(media_owners::table.find(Col(id))).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Files to be fetched, each for this server until `until`.
pub async fn claim_fetches(
    conn: &mut Conn,
    server: InstanceId,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<ClaimedFetch>> {
    // Not locked here: rows of all organizations are on several nodes.
    let due = fetches::table
        .filter(fetches::due_at.le(Col(now)))
        .order(fetches::due_at)
        .limit(limit)
        .select((fetches::organization_id, fetches::message_id));
    let due: Vec<(Col<OrganizationId>, Col<MessageId>)> = due.load(conn).await?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    conn.transaction(async |conn| {
        let mut by_organization: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (organization, message) in due {
            by_organization.entry(organization).or_default().push(message);
        }
        let mut claimed = Vec::new();
        for (organization, messages) in by_organization {
            let of = (organization, messages);
            claimed.extend(claim_fetches_of(conn, of, now, (server, until)).await?);
        }
        Ok::<_, Error>(claimed)
    })
    .await
}

async fn claim_fetches_of(
    conn: &mut Conn,
    (organization, due): (Col<OrganizationId>, Vec<Col<MessageId>>),
    now: Timestamp,
    (server, until): (InstanceId, Timestamp),
) -> Result<Vec<ClaimedFetch>> {
    // Of those that were due a moment ago, another server may have claimed some since.
    let free = fetches::table
        .filter(fetches::organization_id.eq(organization))
        .filter(fetches::message_id.eq_any(listed(due)))
        .filter(fetches::due_at.le(Col(now)))
        .select(fetches::message_id);
    let of: Vec<Col<MessageId>> = unclaimed!(free).load(conn).await?;
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let theirs = || {
        fetches::table
            .filter(fetches::organization_id.eq(organization))
            .filter(fetches::message_id.eq_any(listed(&of)))
    };
    let claimed = (
        fetches::due_at.eq(Col(until)),
        fetches::attempts.eq(fetches::attempts + 1),
        fetches::claimed_by.eq(Some(Col(server))),
    );
    Cached(diesel::update(theirs()).set(claimed)).execute(conn).await?;
    let message = messages::organization_id
        .eq(fetches::organization_id)
        .and(messages::id.eq(fetches::message_id));
    let with_messages = theirs()
        .inner_join(accounts::table)
        .inner_join(messages::table.on(message))
        .select((Fetch::as_select(), ChannelAccess::as_select(), messages::content));
    let rows: Vec<(Fetch, ChannelAccess, Document)> = Cached(with_messages).load(conn).await?;
    let claimed = rows.into_iter();
    Ok(claimed.map(|(fetch, access, content)| ClaimedFetch { fetch, content, access }).collect())
}

/// The fetch for one of the organization's messages.
#[diesel::dsl::auto_type]
fn own_fetch(organization: Col<OrganizationId>, message: Col<MessageId>) -> _ {
    fetches::table
        .filter(fetches::organization_id.eq(organization))
        .filter(fetches::message_id.eq(message))
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
