//! The log of an application: the events that its connections may see. The log has its own sequence
//! numbers, without gaps. Like a webhook endpoint, the log has a feed for each connection. A worker
//! numbers the events of all feeds while it holds the lock on the log's work row.
use super::endpoint_work;
use super::events::numbered_events;
use super::{Conn, RunQueryDsl, inserts, listed};
use crate::Result;
use crate::cached::Cached;
use crate::records::{LogPart, LoggedEvent, Owner};
use crate::schema::webhooks::{application_events, endpoint_work as work, webhook_endpoints};
use crate::types::Col;
use diesel::prelude::*;
use domain::event::EventKind;
use domain::id::{ApplicationId, OrganizationId, OwnerId, WebhookEndpointId};
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The maximum number of logs in which one call deletes old events.
const LOGS: i64 = 512;

/// The log of an application.
#[derive(Clone, Copy)]
pub(super) struct ApplicationLog {
    pub id: WebhookEndpointId,
    /// Set while the log is being created: the last organization whose connection has a feed for
    /// the log.
    pub begun_to: Option<OrganizationId>,
}

/// Returns the log of an application, if it has one.
pub(super) async fn find_log(
    conn: &mut Conn,
    application: ApplicationId,
) -> Result<Option<ApplicationLog>> {
    let owner = Owner::Application(application).id();
    let log = webhook_endpoints::table
        .filter(webhook_endpoints::owner_id.eq(Col(owner)))
        .filter(webhook_endpoints::application_id.eq(Some(Col(application))))
        .filter(webhook_endpoints::is_log.eq(true))
        .select((webhook_endpoints::id, webhook_endpoints::begun_to));
    let log: Option<(Col<WebhookEndpointId>, Option<Col<OrganizationId>>)> =
        log.get_result(conn).await.optional()?;
    Ok(log.map(|(id, begun_to)| ApplicationLog { id: id.0, begun_to: begun_to.map(|it| it.0) }))
}

/// Numbers events and adds them to their logs. Locks the work rows of the logs in the same order as
/// all other transactions.
pub(super) async fn append(
    conn: &mut Conn,
    new: Vec<(WebhookEndpointId, LoggedEvent)>,
) -> Result<()> {
    let mut by_log: BTreeMap<(OwnerId, WebhookEndpointId), Vec<LoggedEvent>> = BTreeMap::new();
    for (log, event) in new {
        by_log.entry((event.owner_id, log)).or_default().push(event);
    }
    for ((owner, log), mut events) in by_log {
        let Some(held) = endpoint_work::hold_one(conn, owner, log).await? else { continue };
        let mut last = held.last_sequence;
        for event in &mut events {
            last += 1;
            event.sequence = last;
        }
        for rows in inserts(&events) {
            diesel::insert_into(application_events::table).values(rows).execute(conn).await?;
        }
        let row = work::table.find((Col(log), Col(owner)));
        diesel::update(row).set(work::last_sequence.eq(last)).execute(conn).await?;
    }
    Ok(())
}

/// Reads the first `most` events of a log after `after`. Returns at most `page` of the events that
/// match, or `None` if the application has no log yet.
pub async fn log_after(
    conn: &mut Conn,
    owner: Owner,
    kinds: Option<Vec<EventKind>>,
    after: i64,
    page: usize,
    most: i64,
) -> Result<Option<LogPart>> {
    let Some(application) = owner.application() else { return Ok(None) };
    let Some(log) = find_log(conn, application).await? else { return Ok(None) };
    let is_incomplete = log.begun_to.is_some();
    let row = work::table.find((Col(log.id), Col(owner.id()))).select(work::last_sequence);
    let last: i64 = row.get_result(conn).await?;
    let last = last.max(after);
    let rows = || {
        application_events::table
            .filter(application_events::owner_id.eq(Col(owner.id())))
            .filter(application_events::sequence.gt(after))
            .filter(application_events::sequence.le(last))
    };
    // Old events are deleted, so the scan starts at the first event that exists.
    let first = rows().order(application_events::sequence).select(application_events::sequence);
    let first: Option<i64> = first.limit(1).get_result(conn).await.optional()?;
    let Some(first) = first else {
        return Ok(Some(LogPart { found: Vec::new(), until: last, last, is_incomplete }));
    };
    let until = last.min(first.saturating_add(most - 1));
    let mut found = rows()
        .filter(application_events::sequence.le(until))
        .order(application_events::sequence)
        .limit(saturating(page, i64::MAX).saturating_add(1))
        .select(LoggedEvent::as_select())
        .into_boxed();
    if let Some(kinds) = kinds {
        let kinds: Vec<_> = kinds.into_iter().map(Col).collect();
        found = found.filter(application_events::kind.eq_any(kinds));
    }
    let mut found: Vec<LoggedEvent> = found.load(conn).await?;
    // One row more than a page was read, to find out whether more rows follow.
    let until = match found.len() {
        len if len > page => found.get(page.saturating_sub(1)).map_or(after, |it| it.sequence),
        _ => until,
    };
    found.truncate(page);
    let numbers = found.iter().map(|it| (it.organization_id, it.event_sequence));
    let events = numbered_events(conn, numbers).await?;
    let by_place =
        |it: crate::records::EventWithSubject| ((it.event.organization_id, it.event.sequence), it);
    let events: BTreeMap<(OrganizationId, i64), _> = events.into_iter().map(by_place).collect();
    let found = found.into_iter().filter_map(|logged| {
        // An event that is missing was deleted because of its age.
        let mut event = events.get(&(logged.organization_id, logged.event_sequence))?.clone();
        event.connection = Some(logged.connection_id);
        Some((logged.sequence, event))
    });
    Ok(Some(LogPart { found: found.collect(), until, last, is_incomplete }))
}

/// Deletes at most `limit` events of logs from before `cutoff`, and returns how many.
pub async fn delete_expired_log_events(
    conn: &mut Conn,
    cutoff: Timestamp,
    limit: i64,
) -> Result<usize> {
    let mut after: Option<Col<WebhookEndpointId>> = None;
    loop {
        let mut page = webhook_endpoints::table
            .filter(webhook_endpoints::is_log.eq(true))
            .order(webhook_endpoints::id)
            .limit(LOGS)
            .select((webhook_endpoints::owner_id, webhook_endpoints::id))
            .into_boxed();
        if let Some(after) = after {
            page = page.filter(webhook_endpoints::id.gt(after));
        }
        let page: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)> = page.load(conn).await?;
        let Some((_, last)) = page.last() else { return Ok(0) };
        after = Some(*last);
        let mut gone = 0;
        for (owner, _) in page {
            gone += delete_expired_of(conn, owner, cutoff, limit).await?;
        }
        if gone > 0 {
            return Ok(gone);
        }
    }
}

async fn delete_expired_of(
    conn: &mut Conn,
    owner: Col<OwnerId>,
    cutoff: Timestamp,
    limit: i64,
) -> Result<usize> {
    // Times do not follow the order of the log, because events are numbered after they happen.
    let rows = || application_events::table.filter(application_events::owner_id.eq(owner));
    let old = rows()
        .filter(application_events::at.lt(Col(cutoff)))
        .order(application_events::at)
        .limit(limit)
        .select(application_events::sequence);
    let old: Vec<i64> = Cached(old).load(conn).await?;
    if old.is_empty() {
        return Ok(0);
    }
    let old = rows().filter(application_events::sequence.eq_any(listed(old)));
    Ok(diesel::delete(old).execute(conn).await?)
}
