//! Media files, and files to be downloaded from the channel.
use super::contact_lookups::snapshots_of_messages;
use super::{Conn, RunQueryDsl, Transactional, events, listed, revisions};
use crate::cached::Cached;
use crate::records::{ChannelAccess, ClaimedFetch, Fetch, FetchClaim, Media, Message};
use crate::schema::{accounts, fetches, media, media_owners, messages};
use crate::types::{Attempts, Col, Document, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{InstanceId, MediaId, MessageId, OrganizationId};
use domain::media::{FetchStep, MediaState};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Records a file that is about to be stored.
pub async fn insert_media(conn: &mut Conn, new: Media) -> Result<()> {
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

/// Marks a file as stored. Returns `false` if storing took so long that housekeeping has deleted
/// the record.
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

/// Returns a stored file. Anybody who knows the id may read the file, so the query takes no
/// organization.
pub async fn public_media(conn: &mut Conn, id: MediaId) -> Result<Option<Media>> {
    let owner = media_owners::table.find(Col(id)).select(media_owners::organization_id);
    let owner: Option<Col<OrganizationId>> = owner.get_result(conn).await.optional()?;
    match owner {
        Some(organization) => own_media(conn, *organization, id).await,
        None => Ok(None),
    }
}

/// Returns one of the organization's stored files.
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

/// Returns the first organization with files after `after`.
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

/// Returns a page of the organization's stored files, by their ids.
pub async fn list_media(
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

/// Returns files that were recorded before `cutoff` and never stored.
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

/// Deletes the record of a file that was never stored.
pub async fn delete_media(
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

/// Claims files to be downloaded or transcribed, for this instance until `until`.
pub async fn claim_fetches(
    conn: &mut Conn,
    server: InstanceId,
    step: FetchStep,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<ClaimedFetch>> {
    let (first, now) = (step.first_queued(), step.queued_at(now));
    let until = step.queued_at(until);
    // No rows are locked here, because the rows of several organizations may be on several nodes.
    let due = fetches::table
        .filter(fetches::due_at.ge(Col(first)))
        .filter(fetches::due_at.le(Col(now)))
        .filter(fetches::step.eq(Col(step)))
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
            claimed
                .extend(claim_fetches_of(conn, organization, messages, now, server, until).await?);
        }
        Ok::<_, Error>(claimed)
    })
    .await
}

async fn claim_fetches_of(
    conn: &mut Conn,
    organization: Col<OrganizationId>,
    due: Vec<Col<MessageId>>,
    now: Timestamp,
    server: InstanceId,
    until: Timestamp,
) -> Result<Vec<ClaimedFetch>> {
    // Another instance may have claimed some of the rows in the meantime.
    let free = fetches::table
        .filter(fetches::organization_id.eq(organization))
        .filter(fetches::message_id.eq_any(listed(due)))
        .filter(fetches::due_at.le(Col(now)))
        .select(fetches::message_id);
    let of: Vec<Col<MessageId>> = skip_locked!(free).load(conn).await?;
    if of.is_empty() {
        return Ok(Vec::new());
    }
    let claimed_fetches = || {
        fetches::table
            .filter(fetches::organization_id.eq(organization))
            .filter(fetches::message_id.eq_any(listed(&of)))
    };
    let claimed = (
        fetches::due_at.eq(Col(until)),
        fetches::attempts.eq(fetches::attempts + 1),
        fetches::claimed_by.eq(Some(Col(server))),
    );
    Cached(diesel::update(claimed_fetches()).set(claimed)).execute(conn).await?;
    let message = messages::organization_id
        .eq(fetches::organization_id)
        .and(messages::id.eq(fetches::message_id));
    let with_messages = claimed_fetches()
        .inner_join(accounts::table)
        .inner_join(messages::table.on(message))
        .select((Fetch::as_select(), ChannelAccess::as_select(), messages::content));
    let rows: Vec<(Fetch, ChannelAccess, Document)> = Cached(with_messages).load(conn).await?;
    let claimed = rows.into_iter();
    Ok(claimed.map(|(fetch, access, content)| ClaimedFetch { fetch, content, access }).collect())
}

/// Selects the download for one of the organization's messages.
#[diesel::dsl::auto_type]
fn own_fetch(organization: Col<OrganizationId>, message: Col<MessageId>) -> _ {
    fetches::table
        .filter(fetches::organization_id.eq(organization))
        .filter(fetches::message_id.eq(message))
}

/// Selects the row of a claim, unless its step is done or another worker has claimed it since.
#[diesel::dsl::auto_type]
fn own_claim(
    organization: Col<OrganizationId>,
    message: Col<MessageId>,
    step: Col<FetchStep>,
    attempts: Attempts,
) -> _ {
    fetches::table
        .filter(fetches::organization_id.eq(organization))
        .filter(fetches::message_id.eq(message))
        .filter(fetches::step.eq(step))
        .filter(fetches::attempts.eq(attempts))
}

/// Marks the file of one of the organization's messages as stored, and writes its URL into the
/// message. The message may have been edited during the download. If `transcribed` is given, the
/// file is transcribed next, and `transcribed` is the present time. Returns `false` if the file is
/// not needed any more, because the contact was deleted or another worker has stored the file.
pub async fn finish_fetch(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    file: MediaId,
    url: String,
    transcribed: Option<Timestamp>,
) -> Result<bool> {
    conn.transaction(async |conn| {
        // The download is locked before the message, in the same order as in the deletion of a
        // contact.
        let own = own_fetch(Col(organization), Col(message))
            .filter(fetches::step.eq(Col(FetchStep::File)));
        let wanted = match transcribed {
            Some(now) => {
                let next = (
                    fetches::step.eq(Col(FetchStep::Transcript)),
                    fetches::due_at.eq(Col(FetchStep::Transcript.queued_at(now))),
                    fetches::attempts.eq(0),
                    fetches::claimed_by.eq(None::<Col<InstanceId>>),
                );
                diesel::update(own).set(next).execute(conn).await?
            }
            None => diesel::delete(own).execute(conn).await?,
        };
        if wanted == 0 {
            return Ok(false);
        }
        store_media(conn, organization, file).await?;
        let own = messages::table
            .filter(messages::id.eq(Col(message)))
            .filter(messages::organization_id.eq(Col(organization)));
        let own: Option<Message> =
            for_update!(own.select(Message::as_select())).get_result(conn).await.optional()?;
        if let Some(row) = own {
            revisions::locate(conn, &row, &url).await?;
        }
        Ok(true)
    })
    .await
}

/// Writes a transcript into its voice message, unless the message has one already or was erased.
/// Returns whether the transcript was written.
pub async fn store_transcript(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    transcript: String,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let of_transcript = own_fetch(Col(organization), Col(message))
            .filter(fetches::step.eq(Col(FetchStep::Transcript)));
        diesel::delete(of_transcript).execute(conn).await?;
        let own = messages::table
            .filter(messages::id.eq(Col(message)))
            .filter(messages::organization_id.eq(Col(organization)));
        let own: Option<Message> =
            for_update!(own.select(Message::as_select())).get_result(conn).await.optional()?;
        let Some(row) = own else { return Ok(false) };
        if !revisions::add_transcript(conn, &row, &transcript).await? {
            return Ok(false);
        }
        let person = snapshots_of_messages(conn, organization, [message]).await?.remove(&message);
        let (account, payload) = (row.account_id, EventPayload::Message(message, person));
        let kind = EventKind::MessageTranscribed;
        let event = NewEvent::for_account(organization, account, kind, payload, now);
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Postpones a download that the channel refused for now, or a transcription. Does nothing if the
/// claim has ended.
pub async fn reschedule_fetch(
    conn: &mut Conn,
    organization: OrganizationId,
    claim: FetchClaim,
    due: Timestamp,
) -> Result<()> {
    let FetchClaim { message_id, step, attempts } = claim;
    let own = own_claim(Col(organization), Col(message_id), Col(step), attempts);
    let later = (
        fetches::due_at.eq(Col(step.queued_at(due))),
        fetches::claimed_by.eq(None::<Col<InstanceId>>),
    );
    diesel::update(own).set(later).execute(conn).await?;
    Ok(())
}

/// Gives up a download that the channel will never allow, or a transcription. Does nothing if the
/// claim has ended.
pub async fn abandon_fetch(
    conn: &mut Conn,
    organization: OrganizationId,
    claim: FetchClaim,
) -> Result<()> {
    let FetchClaim { message_id, step, attempts } = claim;
    let own = own_claim(Col(organization), Col(message_id), Col(step), attempts);
    diesel::delete(own).execute(conn).await?;
    Ok(())
}
