//! Lists of an endpoint's deliveries, for display.
use super::deliveries::name_connections;
use super::owners::own_endpoint;
use super::{Conn, RunQueryDsl, events};
use crate::Result;
use crate::records::{Attempt, Delivery, DeliveryDetails, DeliveryResults, LastAnswer, Owner};
use crate::schema::webhooks::{webhook_attempts, webhook_deliveries};
use crate::types::{Col, Literal, Positive};
use diesel::prelude::*;
use domain::id::{DeliveryId, OrganizationId, OwnerId, SubjectId, WebhookEndpointId};
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, DeliveryStatus};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Returns the deliveries of one of the owner's endpoints after one of them, the newest first,
/// optionally only those with a status.
pub async fn list_deliveries(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    wanted: Option<DeliveryStatus>,
    after: Option<DeliveryId>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(Vec::new()) };
    let begin: Option<Delivery> = match after {
        Some(id) => {
            let one = webhook_deliveries::table
                .find((Col(owner.id()), Col(id)))
                .filter(webhook_deliveries::endpoint_id.eq(own));
            one.select(Delivery::as_select()).get_result(conn).await.optional()?
        }
        None => None,
    };
    let parts: &[DeliverySelection] = match wanted {
        None => &[DeliverySelection::All],
        Some(DeliveryStatus::Pending) => &[DeliverySelection::Untried],
        Some(DeliveryStatus::Retrying) => &[DeliverySelection::Retrying],
        Some(DeliveryStatus::Failed) => &[DeliverySelection::Retrying, DeliverySelection::GivenUp],
        Some(DeliveryStatus::Succeeded) => &[DeliverySelection::Succeeded],
    };
    let mut page = Vec::new();
    for part in parts {
        page.extend(list_newest(conn, Col(owner.id()), own, *part, begin.as_ref(), limit).await?);
    }
    if parts.len() > 1 {
        page.sort_by_key(|it: &Delivery| Reverse((it.created_at, it.sequence, it.id)));
        page.truncate(saturating(limit, usize::MAX));
    }
    Ok(page)
}

/// A selection of an endpoint's deliveries. The pending and the failed deliveries are few, and each
/// of them has a partial index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeliverySelection {
    All,
    Untried,
    Retrying,
    GivenUp,
    Succeeded,
}

/// Restricts a query to a selection. This is a macro because the type of a selected record depends
/// on the database.
macro_rules! narrowed {
    ($query:expr, $part:expr) => {{
        let (state, failures) = (webhook_deliveries::state, webhook_deliveries::failures);
        let is_pending = state.eq(Literal(DeliveryState::Pending));
        let has_failed = Positive(failures);
        let all = $query.into_boxed();
        match $part {
            DeliverySelection::All => all,
            DeliverySelection::Untried => all.filter(is_pending).filter(failures.eq(0)),
            DeliverySelection::Retrying => all.filter(is_pending).filter(has_failed),
            DeliverySelection::GivenUp => {
                all.filter(state.eq(Literal(DeliveryState::Failed))).filter(has_failed)
            }
            DeliverySelection::Succeeded => all.filter(state.eq(Col(DeliveryState::Succeeded))),
        }
    }};
}

/// Returns the deliveries of a selection that follow `begin`, the newest first.
async fn list_newest(
    conn: &mut Conn,
    owner: Col<OwnerId>,
    endpoint: Col<WebhookEndpointId>,
    part: DeliverySelection,
    begin: Option<&Delivery>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    let all = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(owner))
        .filter(webhook_deliveries::endpoint_id.eq(endpoint));
    let mut some = narrowed!(all.limit(limit).select(Delivery::as_select()), part);
    let (sequence, id) = (webhook_deliveries::sequence, webhook_deliveries::id);
    /// Loads the deliveries after `begin`, sorted by a column, then by sequence and id.
    macro_rules! part {
        ($column:expr, $of:expr) => {{
            if let Some(begin) = begin {
                let at = $of(begin);
                let same = sequence.eq(begin.sequence).and(id.lt(Col(begin.id)));
                let rest = $column.eq(at).and(sequence.lt(begin.sequence).or(same));
                some = some.filter($column.le(at)).filter($column.lt(at).or(rest));
            }
            some.order(($column.desc(), sequence.desc(), id.desc())).load(conn).await?
        }};
    }
    Ok(if part == DeliverySelection::Untried {
        // A delivery that is no longer pending has no due time. Its time of creation is used
        // instead, which is about the same.
        let due = |it: &Delivery| Some(Col(it.due_at.unwrap_or(it.created_at)));
        part!(webhook_deliveries::due_at, due)
    } else {
        part!(webhook_deliveries::created_at, |it: &Delivery| Col(it.created_at))
    })
}

/// Returns one of the deliveries of the owner's endpoint, with its event and its attempts, the
/// first attempt first.
pub async fn delivery(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    id: DeliveryId,
) -> Result<Option<DeliveryDetails>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(None) };
    let found: Option<Delivery> = webhook_deliveries::table
        .find((Col(owner.id()), Col(id)))
        .filter(webhook_deliveries::endpoint_id.eq(own))
        .select(Delivery::as_select())
        .get_result(conn)
        .await
        .optional()?;
    match found {
        Some(found) => Ok(Some(with_event_and_attempts(conn, owner, found).await?)),
        None => Ok(None),
    }
}

/// Returns the delivery of an event to the owner's endpoint, with the event and the attempts, the
/// first attempt first.
pub async fn delivery_of_event(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    organization: OrganizationId,
    sequence: i64,
) -> Result<Option<DeliveryDetails>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(None) };
    let found: Option<Delivery> = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner.id())))
        .filter(webhook_deliveries::endpoint_id.eq(own))
        .filter(webhook_deliveries::organization_id.eq(Col(organization)))
        .filter(webhook_deliveries::sequence.eq(sequence))
        .select(Delivery::as_select())
        .get_result(conn)
        .await
        .optional()?;
    match found {
        Some(found) => Ok(Some(with_event_and_attempts(conn, owner, found).await?)),
        None => Ok(None),
    }
}

async fn with_event_and_attempts(
    conn: &mut Conn,
    owner: Owner,
    found: Delivery,
) -> Result<DeliveryDetails> {
    let attempts = webhook_attempts::table
        .filter(webhook_attempts::owner_id.eq(Col(owner.id())))
        .filter(webhook_attempts::delivery_id.eq(Col(found.id)))
        .order(webhook_attempts::number)
        .select(Attempt::as_select())
        .load(conn)
        .await?;
    let number = (found.organization_id, found.sequence);
    let mut found_events = events::numbered_events(conn, [number]).await?;
    name_connections(conn, owner.id(), &mut found_events).await?;
    let event_with_subject = found_events.pop();
    Ok((found, event_with_subject, attempts))
}

/// Returns the first `limit` deliveries of events about a subject to the owner's endpoints, in the
/// order of the events, each with its last attempt.
pub async fn deliveries_about(
    conn: &mut Conn,
    owner: Owner,
    subject: SubjectId,
    limit: i64,
) -> Result<Vec<(Delivery, Option<Attempt>)>> {
    let deliveries: Vec<Delivery> = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner.id())))
        .filter(webhook_deliveries::subject.eq(Some(Col(subject))))
        .order(webhook_deliveries::sequence)
        .limit(limit)
        .select(Delivery::as_select())
        .load(conn)
        .await?;
    let ids: Vec<Col<DeliveryId>> = deliveries.iter().map(|it| Col(it.id)).collect();
    let last_attempts: Vec<Attempt> = webhook_attempts::table
        .inner_join(
            webhook_deliveries::table.on(webhook_attempts::owner_id
                .eq(webhook_deliveries::owner_id)
                .and(webhook_attempts::delivery_id.eq(webhook_deliveries::id))
                .and(webhook_attempts::number.eq(webhook_deliveries::attempts))),
        )
        .filter(webhook_deliveries::owner_id.eq(Col(owner.id())))
        .filter(webhook_deliveries::id.eq_any(ids))
        .select(Attempt::as_select())
        .load(conn)
        .await?;
    let mut last_attempts: BTreeMap<DeliveryId, Attempt> =
        last_attempts.into_iter().map(|it| (it.delivery_id, it)).collect();
    Ok(deliveries
        .into_iter()
        .map(|it| {
            let last = last_attempts.remove(&it.id);
            (it, last)
        })
        .collect())
}

/// Returns the results of deliveries to the owner's endpoint that were created since a time, at
/// most the newest `most`.
pub async fn delivery_results(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    since: Timestamp,
    most: i64,
) -> Result<DeliveryResults> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else {
        return Ok(DeliveryResults::default());
    };
    let newest = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner.id())))
        .filter(webhook_deliveries::endpoint_id.eq(own))
        .filter(webhook_deliveries::created_at.ge(Col(since)))
        .order(webhook_deliveries::created_at.desc())
        .limit(most)
        .select((webhook_deliveries::state, webhook_deliveries::attempts));
    let rows: Vec<(Col<DeliveryState>, i32)> = newest.load(conn).await?;
    let mut results = DeliveryResults::default();
    for (state, attempts) in rows {
        results.attempted += i64::from(attempts > 0);
        results.succeeded += i64::from(attempts > 0 && state.0 == DeliveryState::Succeeded);
    }
    Ok(results)
}

/// Returns the number of deliveries of the owner's endpoint per status, except those that
/// succeeded. Each count stops at `most`.
pub async fn delivery_counts(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    most: i64,
) -> Result<BTreeMap<DeliveryStatus, i64>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(BTreeMap::new()) };
    let mut counts = BTreeMap::new();
    for (status, part) in [
        (DeliveryStatus::Pending, DeliverySelection::Untried),
        (DeliveryStatus::Retrying, DeliverySelection::Retrying),
        (DeliveryStatus::Failed, DeliverySelection::GivenUp),
    ] {
        let all = webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(Col(owner.id())))
            .filter(webhook_deliveries::endpoint_id.eq(own));
        let some = all.limit(most).select(webhook_deliveries::sequence);
        let found: Vec<i64> = narrowed!(some, part).load(conn).await?;
        if !found.is_empty() {
            counts.insert(status, saturating(found.len(), i64::MAX));
        }
    }
    Ok(counts)
}

/// A delivery, its endpoint, and the status and the error of the last attempt.
type LastAnswerRow = (Col<DeliveryId>, Col<WebhookEndpointId>, (Option<i32>, Option<String>));

/// Returns the result of the last attempt of each of these deliveries to the owner's endpoint.
/// Deliveries without an attempt are left out.
pub async fn last_answers(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    deliveries: Vec<DeliveryId>,
) -> Result<BTreeMap<DeliveryId, LastAnswer>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(BTreeMap::new()) };
    let ids: Vec<Col<DeliveryId>> = deliveries.into_iter().map(Col).collect();
    let last = webhook_attempts::table
        .inner_join(
            webhook_deliveries::table.on(webhook_attempts::owner_id
                .eq(webhook_deliveries::owner_id)
                .and(webhook_attempts::delivery_id.eq(webhook_deliveries::id))
                .and(webhook_attempts::number.eq(webhook_deliveries::attempts))),
        )
        .filter(webhook_deliveries::owner_id.eq(Col(owner.id())))
        .filter(webhook_deliveries::id.eq_any(ids))
        .select((
            webhook_deliveries::id,
            webhook_deliveries::endpoint_id,
            (webhook_attempts::status, webhook_attempts::error),
        ));
    let last: Vec<LastAnswerRow> = last.load(conn).await?;
    // The endpoint is compared here and not in the statement. With that condition in the statement,
    // SQLite would use the endpoint's index and read all its deliveries.
    let own_attempts = last.into_iter().filter(|(_, of, _)| *of == own);
    Ok(own_attempts.map(|(id, _, (status, error))| (id.0, LastAnswer { status, error })).collect())
}
