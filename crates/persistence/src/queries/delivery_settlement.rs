//! Records the results of attempts to deliver events to webhook endpoints.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, endpoint_work, events, inserts, listed};
use crate::cached::Cached;
use crate::records::{Attempt, DeliverySettlement, DeliveryUpdate, EndpointWork};
use crate::schema::webhooks::{webhook_attempts, webhook_deliveries};
use crate::types::{Attempts, Col};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::event::EventKind;
use domain::id::{DeliveryId, OwnerId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::{AttemptResult, DeliveryState, EndpointHealth, EndpointState};
use std::collections::{BTreeMap, BTreeSet};

/// Records the results of deliveries, and the resulting states of their endpoints. Successful
/// deliveries of one owner share a statement.
pub async fn record_delivery_results(
    conn: &mut Conn,
    batch: Vec<DeliverySettlement>,
) -> Result<Vec<()>> {
    conn.transaction(async |conn| {
        // A transaction that adds deliveries keeps the endpoint locked until it ends, so no new
        // delivery is overlooked here.
        let endpoints = hold(conn, &batch).await?;
        let tried: Vec<&DeliveryUpdate> = batch
            .iter()
            .filter(|it| endpoints.contains_key(&it.endpoint))
            .flat_map(|it| &it.tried)
            .collect();
        let recorded = record(conn, &tried).await?;
        // An attempt is inserted only if its delivery was updated. A delivery that is 30 days old
        // may have been deleted in the meantime. An attempt that took longer than its claim may
        // have the number of another attempt.
        let attempts = tried.iter().map(|it| &it.attempt);
        let attempts = attempts.filter(|it| recorded.contains(&it.delivery_id));
        let attempts: Vec<Attempt> = attempts.cloned().collect();
        insert_attempts(conn, &attempts).await?;
        release(conn, &batch, endpoints).await?;
        Ok::<_, Error>(batch.iter().map(|_| ()).collect())
    })
    .await
}

/// Returns the work rows of the endpoints, locked in the order in which all transactions lock them.
async fn hold(
    conn: &mut Conn,
    batch: &[DeliverySettlement],
) -> Result<BTreeMap<WebhookEndpointId, EndpointWork>> {
    let endpoints = batch.iter().map(|it| (it.owner, it.endpoint));
    // The rows of an owner are on one node.
    let parts = endpoint_work::parts(endpoints, true);
    let shared = shared!(conn);
    let held = pipelined_each!(shared; part in parts.iter() => endpoint_work::hold(shared, part))?;
    Ok(held.into_iter().flatten().map(|work| (work.endpoint_id, work)).collect())
}

/// Stores the new states of the deliveries. Returns the deliveries whose attempt had not been
/// recorded before.
async fn record(conn: &mut Conn, tried: &[&DeliveryUpdate]) -> Result<BTreeSet<DeliveryId>> {
    let mut recorded = BTreeSet::new();
    // Most deliveries succeed at the first attempt. Successful deliveries take one statement per
    // owner and attempt number.
    let mut taken: BTreeMap<(OwnerId, Attempts), Vec<&DeliveryUpdate>> = BTreeMap::new();
    for tried in tried {
        if tried.answer == AttemptResult::Taken {
            taken.entry((tried.attempt.owner_id, tried.attempt.number)).or_default().push(tried);
        } else if record_failure(conn, tried).await? {
            recorded.insert(tried.attempt.delivery_id);
        }
    }
    for ((owner, number), taken) in taken {
        recorded.extend(record_taken(conn, owner, number, &taken).await?);
    }
    Ok(recorded)
}

/// Records deliveries of one owner that succeeded at the attempt with this number.
async fn record_taken(
    conn: &mut Conn,
    owner: OwnerId,
    number: Attempts,
    taken: &[&DeliveryUpdate],
) -> Result<Vec<DeliveryId>> {
    let at = taken.iter().map(|it| it.at).max();
    let ids: Vec<_> = taken.iter().map(|it| Col(it.attempt.delivery_id)).collect();
    // The filter ensures that an attempt is recorded only once.
    let deliveries = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner)))
        .filter(webhook_deliveries::id.eq_any(listed(ids)))
        .filter(webhook_deliveries::attempts.lt(number));
    let succeeded = (
        webhook_deliveries::state.eq(Col(DeliveryState::Succeeded)),
        webhook_deliveries::attempts.eq(number),
        webhook_deliveries::due_at.eq(None::<Col<Timestamp>>),
        webhook_deliveries::completed_at.eq(at.map(Col)),
    );
    let update = diesel::update(deliveries).set(succeeded).returning(webhook_deliveries::id);
    let recorded: Vec<Col<DeliveryId>> = Cached(update).load(conn).await?;
    Ok(recorded.into_iter().map(|id| id.0).collect())
}

/// Records a failed delivery. Returns `false` if this attempt had been recorded before.
async fn record_failure(conn: &mut Conn, tried: &DeliveryUpdate) -> Result<bool> {
    let (attempt, state) = (&tried.attempt, tried.state());
    let stands = (
        webhook_deliveries::state.eq(Col(state)),
        webhook_deliveries::attempts.eq(attempt.number),
        webhook_deliveries::failures.eq(webhook_deliveries::failures + 1),
        webhook_deliveries::due_at.eq(tried.again_at.map(Col)),
        webhook_deliveries::completed_at
            .eq((state != DeliveryState::Pending).then_some(Col(tried.at))),
    );
    let delivery = webhook_deliveries::table
        .find((Col(attempt.owner_id), Col(attempt.delivery_id)))
        .filter(webhook_deliveries::attempts.lt(attempt.number));
    Ok(prepared!(diesel::update(delivery).set(stands)).execute(conn).await? > 0)
}

async fn insert_attempts(conn: &mut Conn, attempts: &[Attempt]) -> Result<()> {
    for rows in inserts(attempts) {
        let insert = diesel::insert_into(webhook_attempts::table).values(rows);
        prepared!(insert.on_conflict_do_nothing()).execute(conn).await?;
    }
    Ok(())
}

/// The resulting state of an endpoint.
struct SettledAttempt {
    work: EndpointWork,
    at: Timestamp,
    /// Set if the attempts disable the endpoint.
    disabled: Option<EndpointHealth>,
    /// The event that reports the endpoint's health.
    report: Option<(EventKind, EndpointHealth)>,
}

impl SettledAttempt {
    /// Returns the resulting state. Returns `None` if the endpoint's state does not change and its
    /// worker keeps the claim.
    fn after(before: &EndpointWork, settled: &[&DeliverySettlement]) -> Option<Self> {
        let at = settled.iter().map(|it| it.at).max()?;
        let health = EndpointHealth { disabled: None, failing_since: before.failing_since };
        let health = match before.state {
            // Results that arrive after the endpoint was disabled change nothing.
            EndpointState::Disabled => health,
            EndpointState::Enabled => settled.iter().fold(health, |health, settled| {
                let tried = settled.tried.iter();
                tried.fold(health.at(settled.at), |health, it| health.after(it.answer, it.at))
            }),
        };
        let is_claim_holder = |it: &&DeliverySettlement| before.claimed_until == Some(it.until);
        let released = settled.iter().any(|it| it.release && is_claim_holder(it));
        let disabled = health.disabled.map(|_| health);
        let change = match before.state {
            EndpointState::Disabled => None,
            EndpointState::Enabled => health.report(before.reported, at),
        };
        let work = EndpointWork {
            state: disabled.map_or(before.state, EndpointHealth::state),
            failing_since: health.failing_since,
            claimed_until: before.claimed_until.filter(|_| !released),
            reported: change.map_or(before.reported, |change| change.reported),
            ..before.clone()
        };
        let changes = disabled.is_some()
            || work.failing_since != before.failing_since
            || work.reported != before.reported;
        let report = change.and_then(|change| change.kind).map(|kind| (kind, health));
        let outcome = Self { work, at, disabled, report };
        (changes || settled.iter().any(|it| it.release)).then_some(outcome)
    }
}

/// Stores the health of the endpoints, and releases the endpoints whose worker has finished.
async fn release(
    conn: &mut Conn,
    batch: &[DeliverySettlement],
    endpoints: BTreeMap<WebhookEndpointId, EndpointWork>,
) -> Result<()> {
    let mut outcomes: Vec<SettledAttempt> = Vec::new();
    for (id, work) in &endpoints {
        let settled: Vec<_> = batch.iter().filter(|it| it.endpoint == *id).collect();
        outcomes.extend(SettledAttempt::after(work, &settled));
    }
    let shared = shared!(conn);
    pipelined_each!(shared; outcome in outcomes.iter() => save(shared, outcome))?;
    let mut reports = Vec::new();
    for SettledAttempt { work, at, report, .. } in &outcomes {
        if let Some((kind, health)) = report {
            reports
                .extend(endpoint_work::report(conn, work.endpoint_id, *kind, *health, *at).await?);
        }
    }
    events::record(conn, reports).await
}

async fn save(conn: &mut SharedConn<'_>, outcome: &SettledAttempt) -> Result<()> {
    endpoint_work::save(conn, &outcome.work, outcome.at).await?;
    if let Some(health) = outcome.disabled {
        endpoint_work::save_disabled(conn, outcome.work.endpoint_id, health).await?;
    }
    Ok(())
}
