//! Deliveries of events to endpoints, and their attempts.
use super::owners::{held_endpoint, own_endpoint};
use super::{Conn, RunQueryDsl, Transactional, events, inserts, listed};
use crate::cached::Cached;
use crate::records::{Attempt, Delivery, Endpoint, EventWithSubject, Owner};
use crate::schema::webhooks::{webhook_attempts, webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal, Positive};
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use domain::id::{DeliveryId, InstanceId, OwnerId, WebhookEndpointId};
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, DeliveryStatus, EndpointState};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Claims endpoints for which there is something to do, each for one worker until `until` or until its
/// server dies: those that succeed, or those that are failing. Select, then update, as with conversations.
pub async fn claim_endpoints(
    conn: &mut Conn,
    failing: bool,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
    by: InstanceId,
) -> Result<Vec<Endpoint>> {
    conn.transaction(async |conn| {
        let free = webhook_endpoints::claimed_until
            .is_null()
            .or(webhook_endpoints::claimed_until.lt(Col(now)));
        let due = webhook_endpoints::table
            .filter(webhook_endpoints::state.eq(Literal(EndpointState::Enabled)))
            .filter(webhook_endpoints::due_at.le(Col(now)))
            .filter(webhook_endpoints::failing_since.is_not_null().eq(failing))
            .filter(free)
            .order(webhook_endpoints::due_at)
            .limit(limit)
            .select(Endpoint::as_select());
        let due: Vec<Endpoint> = unclaimed!(due).load(conn).await?;
        if !due.is_empty() {
            let ids: Vec<_> = due.iter().map(|endpoint| Col(endpoint.id)).collect();
            let theirs = webhook_endpoints::table.filter(webhook_endpoints::id.eq_any(listed(ids)));
            let claimed = (
                webhook_endpoints::claimed_until.eq(Some(Col(until))),
                webhook_endpoints::claimed_by.eq(Some(Col(by))),
            );
            Cached(diesel::update(theirs).set(claimed)).execute(conn).await?;
        }
        Ok::<_, Error>(due)
    })
    .await
}

/// When there is next something to do for an endpoint that nobody is at work on.
pub async fn next_delivery_due(
    conn: &mut Conn,
    failing: bool,
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let free = webhook_endpoints::claimed_until
        .is_null()
        .or(webhook_endpoints::claimed_until.lt(Col(now)));
    let due: Option<Option<Col<Timestamp>>> = webhook_endpoints::table
        .filter(webhook_endpoints::state.eq(Literal(EndpointState::Enabled)))
        .filter(webhook_endpoints::due_at.is_not_null())
        .filter(webhook_endpoints::failing_since.is_not_null().eq(failing))
        .filter(free)
        .order(webhook_endpoints::due_at)
        .limit(1)
        .select(webhook_endpoints::due_at)
        .get_result(conn)
        .await
        .optional()?;
    Ok(due.flatten().map(|at| at.0))
}

/// What is due at a claimed endpoint, the longest first, with the events; one that is forgotten is none.
pub async fn due_deliveries(
    conn: &mut Conn,
    owner: OwnerId,
    endpoint: WebhookEndpointId,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(Delivery, Option<EventWithSubject>)>> {
    let due = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner)))
        .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)))
        .filter(webhook_deliveries::state.eq(Literal(DeliveryState::Pending)))
        .filter(webhook_deliveries::due_at.le(Col(now)))
        .order((webhook_deliveries::due_at, webhook_deliveries::sequence))
        .limit(limit)
        .select(Delivery::as_select());
    let due: Vec<Delivery> = due.load(conn).await?;
    let numbers = due.iter().map(|it| (it.organization_id, it.sequence));
    let events = events::numbered_events(conn, numbers).await?;
    let mut events: BTreeMap<_, _> = events.into_iter().map(|it| (it.event.id, it)).collect();
    let due = due.into_iter().map(|delivery| {
        let event = events.remove(&delivery.event_id);
        (delivery, event)
    });
    Ok(due.collect())
}

/// Puts events on their way, those that are not yet; with `again` also the others, from the beginning.
pub(super) async fn insert_deliveries(
    conn: &mut Conn,
    new: &[Delivery],
    again: bool,
    now: Timestamp,
) -> Result<()> {
    if again {
        begin_again(conn, new, now).await?;
    }
    for rows in inserts(new) {
        let insert = diesel::insert_into(webhook_deliveries::table).values(rows);
        insert.on_conflict_do_nothing().execute(conn).await?;
    }
    Ok(())
}

/// Puts those events on their way from the beginning that were on their way before.
async fn begin_again(conn: &mut Conn, of: &[Delivery], now: Timestamp) -> Result<()> {
    let mut numbers: BTreeMap<_, Vec<i64>> = BTreeMap::new();
    for delivery in of {
        let at = (delivery.owner_id, delivery.endpoint_id, delivery.organization_id);
        numbers.entry(at).or_default().push(delivery.sequence);
    }
    for ((owner, endpoint, organization), sequences) in numbers {
        let known = webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(Col(owner)))
            .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)))
            .filter(webhook_deliveries::organization_id.eq(Col(organization)))
            .filter(webhook_deliveries::sequence.eq_any(listed(sequences)));
        Cached(diesel::update(known).set(pending_from(now))).execute(conn).await?;
    }
    Ok(())
}

type Pending = (
    dsl::Eq<webhook_deliveries::state, Col<DeliveryState>>,
    dsl::Eq<webhook_deliveries::failures, i32>,
    dsl::Eq<webhook_deliveries::due_at, Option<Col<Timestamp>>>,
    dsl::Eq<webhook_deliveries::completed_at, Option<Col<Timestamp>>>,
);

/// The columns of a delivery at the beginning of its schedule.
fn pending_from(now: Timestamp) -> Pending {
    (
        webhook_deliveries::state.eq(Col(DeliveryState::Pending)),
        webhook_deliveries::failures.eq(0),
        webhook_deliveries::due_at.eq(Some(Col(now))),
        webhook_deliveries::completed_at.eq(None::<Col<Timestamp>>),
    )
}

/// Something is due now at these endpoints, which are held in this order.
pub(super) async fn due_now(
    conn: &mut Conn,
    endpoints: &[Col<WebhookEndpointId>],
    now: Timestamp,
) -> Result<()> {
    let later =
        webhook_endpoints::due_at.is_null().or(webhook_endpoints::due_at.gt(Some(Col(now))));
    let idle = webhook_endpoints::table
        .filter(webhook_endpoints::id.eq_any(listed(endpoints)))
        .filter(later);
    let due = webhook_endpoints::due_at.eq(Some(Col(now)));
    Cached(diesel::update(idle).set(due)).execute(conn).await?;
    Ok(())
}

/// Delivers once more, from the beginning of the schedule; `false` if the endpoint has no such delivery.
pub async fn resend_delivery(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    id: DeliveryId,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        if held_endpoint(conn, owner, endpoint).await?.is_none() {
            return Ok(false);
        }
        let one = webhook_deliveries::table
            .find((Col(owner.id()), Col(id)))
            .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)));
        let found = diesel::update(one).set(pending_from(now)).execute(conn).await? > 0;
        due_now(conn, &[Col(endpoint)], now).await?;
        Ok::<_, Error>(found)
    })
    .await
}

/// What was and is to be delivered to one of the owner's endpoints after one of these, the newest first; perhaps only what
/// that status includes.
pub async fn deliveries_of(
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
    let parts: &[Part] = match wanted {
        None => &[Part::All],
        Some(DeliveryStatus::Pending) => &[Part::Untried],
        Some(DeliveryStatus::Retrying) => &[Part::Retrying],
        Some(DeliveryStatus::Failed) => &[Part::Retrying, Part::GivenUp],
        Some(DeliveryStatus::Succeeded) => &[Part::Succeeded],
    };
    let mut page = Vec::new();
    for part in parts {
        page.extend(newest_of(conn, (Col(owner.id()), own), *part, begin.as_ref(), limit).await?);
    }
    if parts.len() > 1 {
        page.sort_by_key(|it: &Delivery| Reverse((it.created_at, it.sequence, it.id)));
        page.truncate(saturating(limit, usize::MAX));
    }
    Ok(page)
}

/// Which deliveries of an endpoint. Those that wait or failed are few among many: an index has them without the others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Untried,
    Retrying,
    GivenUp,
    Succeeded,
}

/// Narrows a query to a part. A macro, for the type of a selected record depends on the database.
macro_rules! narrowed {
    ($query:expr, $part:expr) => {{
        let (state, failures) = (webhook_deliveries::state, webhook_deliveries::failures);
        let is_pending = state.eq(Literal(DeliveryState::Pending));
        let has_failed = Positive(failures);
        let all = $query.into_boxed();
        match $part {
            Part::All => all,
            Part::Untried => all.filter(is_pending).filter(failures.eq(0)),
            Part::Retrying => all.filter(is_pending).filter(has_failed),
            Part::GivenUp => {
                all.filter(state.eq(Literal(DeliveryState::Failed))).filter(has_failed)
            }
            Part::Succeeded => all.filter(state.eq(Col(DeliveryState::Succeeded))),
        }
    }};
}

/// Those of a part after `begin`, the newest first.
async fn newest_of(
    conn: &mut Conn,
    (owner, endpoint): (Col<OwnerId>, Col<WebhookEndpointId>),
    part: Part,
    begin: Option<&Delivery>,
    limit: i64,
) -> Result<Vec<Delivery>> {
    let all = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(owner))
        .filter(webhook_deliveries::endpoint_id.eq(endpoint));
    let mut some = narrowed!(all.limit(limit).select(Delivery::as_select()), part);
    let (sequence, id) = (webhook_deliveries::sequence, webhook_deliveries::id);
    /// Those after `begin` in the order of a column, and where that is the same of sequence and id.
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
    Ok(if part == Part::Untried {
        // One that is not pending any more was due about when it was made.
        let due = |it: &Delivery| Some(Col(it.due_at.unwrap_or(it.created_at)));
        part!(webhook_deliveries::due_at, due)
    } else {
        part!(webhook_deliveries::created_at, |it: &Delivery| Col(it.created_at))
    })
}

/// One of the deliveries of the owner's endpoint with its event and its attempts, the first one first.
pub async fn delivery(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    id: DeliveryId,
) -> Result<Option<(Delivery, Option<EventWithSubject>, Vec<Attempt>)>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(None) };
    let found: Option<Delivery> = webhook_deliveries::table
        .find((Col(owner.id()), Col(id)))
        .filter(webhook_deliveries::endpoint_id.eq(own))
        .select(Delivery::as_select())
        .get_result(conn)
        .await
        .optional()?;
    let Some(found) = found else { return Ok(None) };
    let attempts = webhook_attempts::table
        .filter(webhook_attempts::owner_id.eq(Col(owner.id())))
        .filter(webhook_attempts::delivery_id.eq(Col(id)))
        .order(webhook_attempts::number)
        .select(Attempt::as_select())
        .load(conn)
        .await?;
    let number = (found.organization_id, found.sequence);
    let event_with_subject = events::numbered_events(conn, [number]).await?.pop();
    Ok(Some((found, event_with_subject, attempts)))
}

/// How many deliveries of the owner's endpoint have which status, but for those that succeeded: of each, `most` are
/// counted.
pub async fn delivery_counts(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    most: i64,
) -> Result<BTreeMap<DeliveryStatus, i64>> {
    let Some(own) = own_endpoint(conn, owner, endpoint).await? else { return Ok(BTreeMap::new()) };
    let mut counts = BTreeMap::new();
    for (status, part) in [
        (DeliveryStatus::Pending, Part::Untried),
        (DeliveryStatus::Retrying, Part::Retrying),
        (DeliveryStatus::Failed, Part::GivenUp),
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

/// What the last attempt at each of the deliveries of the owner's endpoint was answered: the status, or nothing where
/// no answer came. A delivery that was not tried yet is not among them.
pub async fn last_answers(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    deliveries: Vec<DeliveryId>,
) -> Result<BTreeMap<DeliveryId, Option<i32>>> {
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
            webhook_attempts::status,
        ));
    let last: Vec<(Col<DeliveryId>, Col<WebhookEndpointId>, Option<i32>)> = last.load(conn).await?;
    // Not in the statement: SQLite would take an endpoint for the smaller choice and read all that it was ever sent.
    let theirs = last.into_iter().filter(|(_, of, _)| *of == own);
    Ok(theirs.map(|(id, _, status)| (id.0, status)).collect())
}

/// Forgets at most `portion` deliveries from before `cutoff`, the oldest of each endpoint first; returns how many.
pub async fn forget_deliveries(conn: &mut Conn, cutoff: Timestamp, portion: i64) -> Result<usize> {
    let oldest = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(webhook_endpoints::owner_id))
        .filter(webhook_deliveries::endpoint_id.eq(webhook_endpoints::id))
        .order(webhook_deliveries::created_at)
        .limit(1)
        .select(webhook_deliveries::created_at)
        .single_value();
    let with_old = webhook_endpoints::table
        .filter(oldest.lt(Some(Col(cutoff))))
        .limit(portion)
        .select((webhook_endpoints::owner_id, webhook_endpoints::id));
    let with_old: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)> = with_old.load(conn).await?;
    let (mut left, mut forgotten) = (portion, 0);
    for (owner, endpoint) in with_old {
        if left <= 0 {
            break;
        }
        let old = webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(owner))
            .filter(webhook_deliveries::endpoint_id.eq(endpoint))
            .filter(webhook_deliveries::created_at.lt(Col(cutoff)))
            .order(webhook_deliveries::created_at)
            .limit(left)
            .select(webhook_deliveries::id);
        let old: Vec<Col<DeliveryId>> = old.load(conn).await?;
        let old = webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(owner))
            .filter(webhook_deliveries::id.eq_any(old));
        let some = diesel::delete(old).execute(conn).await?;
        left -= saturating(some, i64::MAX);
        forgotten += some;
    }
    Ok(forgotten)
}
