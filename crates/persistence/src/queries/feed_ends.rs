//! The ends of feeds, when connections end and endpoints are deleted.
use super::{Conn, RunQueryDsl, SharedConn, listed};
use crate::Result;
use crate::cached::Cached;
use crate::records::Connection;
use crate::schema::event_counters;
use crate::schema::webhooks::webhook_feeds;
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ConnectionId, OrganizationId, WebhookEndpointId};
use std::collections::BTreeMap;

/// Locks feeds of an organization in the order of their ids.
pub(super) async fn lock_feeds(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    feeds: impl Iterator<Item = i64>,
) -> Result<()> {
    let rows = webhook_feeds::table
        .filter(webhook_feeds::organization_id.eq(Col(organization)))
        .filter(webhook_feeds::id.eq_any(listed(feeds)))
        .order(webhook_feeds::id)
        .select(webhook_feeds::id);
    Cached(for_update!(rows)).load::<i64>(conn).await?;
    Ok(())
}

/// Deletes the feeds of endpoints, whatever organization the feeds read.
pub(super) async fn remove_feeds(
    conn: &mut Conn,
    endpoints: &[Col<WebhookEndpointId>],
) -> Result<()> {
    if endpoints.is_empty() {
        return Ok(());
    }
    let organization_feeds = webhook_feeds::table
        .filter(webhook_feeds::endpoint_id.eq_any(endpoints))
        .select((webhook_feeds::organization_id, webhook_feeds::id));
    let organization_feeds: Vec<(Col<OrganizationId>, i64)> = organization_feeds.load(conn).await?;
    let mut by_organization: BTreeMap<OrganizationId, Vec<i64>> = BTreeMap::new();
    for (organization, feed) in organization_feeds {
        by_organization.entry(organization.0).or_default().push(feed);
    }
    let shared = shared!(conn);
    pipelined_each!(shared; (organization, feeds) in by_organization.into_iter() => remove_feeds_of(shared, organization, feeds))?;
    Ok(())
}

async fn remove_feeds_of(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    feeds: Vec<i64>,
) -> Result<()> {
    lock_feeds(conn, organization, feeds.iter().copied()).await?;
    let feeds = webhook_feeds::table
        .filter(webhook_feeds::organization_id.eq(Col(organization)))
        .filter(webhook_feeds::id.eq_any(listed(feeds)));
    Cached(diesel::delete(feeds)).execute(conn).await?;
    Ok(())
}

/// Sets the last event of the feeds of ended connections to the event that reports the end, so that
/// the application's endpoints receive nothing after it. At most one connection of each
/// organization may be given. The event of the end must already be recorded in this transaction,
/// followed by exactly `later` more events of its organization.
pub(super) async fn end_connection_feeds(
    conn: &mut Conn,
    ended: &[Connection],
    later: i64,
) -> Result<()> {
    // Rows are locked in the same order as in `advance_feeds`, to avoid deadlocks.
    let mut ended: Vec<_> = ended.iter().map(|it| (it.organization_id, it.id)).collect();
    ended.sort_unstable();
    let shared = shared!(conn);
    pipelined_each!(shared; (organization, connection) in ended.into_iter() => end_feeds_of(shared, organization, connection, later))?;
    Ok(())
}

async fn end_feeds_of(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    connection: ConnectionId,
    later: i64,
) -> Result<()> {
    let organization_feeds = webhook_feeds::table
        .filter(webhook_feeds::organization_id.eq(Col(organization)))
        .filter(webhook_feeds::connection_id.eq(Some(Col(connection))))
        .filter(webhook_feeds::replay.eq(false))
        .order(webhook_feeds::id)
        .select(webhook_feeds::id);
    let organization_feeds: Vec<i64> = Cached(for_update!(organization_feeds)).load(conn).await?;
    if organization_feeds.is_empty() {
        return Ok(());
    }
    let last_event = event_counters::table
        .filter(event_counters::organization_id.eq(Col(organization)))
        .select(event_counters::last - later)
        .single_value();
    let feeds = webhook_feeds::table
        .filter(webhook_feeds::organization_id.eq(Col(organization)))
        .filter(webhook_feeds::id.eq_any(listed(organization_feeds)));
    Cached(diesel::update(feeds).set(webhook_feeds::ends_with.eq(last_event)))
        .execute(conn)
        .await?;
    Ok(())
}
