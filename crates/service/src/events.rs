//! The events of an organization, in order (`docs/contract.md#events`).

use domain::event::EventKind;
use domain::id::ApplicationId;
use domain::webhook::{EndpointState, Selection};
use persistence::records::{
    Endpoint, EventFilter, EventResend, EventScan, EventWithSubject, LogPart, Owner,
};
use persistence::{Db, Reader, Result};
use platform::Deps;
use platform::clock::Stopwatch;
use std::time::Duration;

/// Maximum number of events that a read with a filter scans.
const MAX_SCANNED_EVENTS: i64 = 5_000;

/// The time that the first request of an application waits until its events are numbered, and the
/// polling interval.
const FIRST_WAIT: Duration = Duration::from_secs(2);
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// A page of events.
pub struct EventPart {
    /// The matching events.
    pub found: Vec<EventWithSubject>,
    /// The last sequence scanned and the last sequence of all, for a read with a filter.
    pub looked: Option<(i64, i64)>,
}

/// Lists at most `limit` matching events after the sequence `after`.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    wanted: EventFilter,
    after: i64,
    limit: i64,
) -> Result<EventPart> {
    // Without a filter, each event that is read is returned.
    if wanted.account.is_none() && wanted.kinds.is_none() {
        let found = deps.db.reads(reader).events_after(after, limit).await?;
        return Ok(EventPart { found, looked: None });
    }
    let read = move |db: Db| async move {
        db.reads(reader).scan_events(wanted, after, limit, MAX_SCANNED_EVENTS).await
    };
    let EventScan { found, until, last } =
        deps.read_limiter.run(reader.organization, &deps.db, read).await?;
    Ok(EventPart { found, looked: Some((until, last)) })
}

/// Lists the requests to get events again whose number is above `after`.
pub async fn resends(deps: &Deps, reader: Reader, after: i64) -> Result<Vec<EventResend>> {
    deps.db.reads(reader).resends_after(after).await
}

/// Number of connections that a transaction adds to the log of an application.
const CONNECTIONS_AT_ONCE: i64 = 500;

/// Lists at most `page` events of an application's connections after `after`, a sequence of the
/// application's own log. The first request begins the log, and waits for a moment until a worker
/// has numbered the events of the last 30 days. With many connections this takes longer, and the
/// next requests continue.
pub async fn list_of_application(
    deps: &Deps,
    application: ApplicationId,
    kinds: Option<Vec<EventKind>>,
    after: i64,
    page: usize,
) -> Result<LogPart> {
    let owner = deps.db.owner(Owner::Application(application));
    let read = || owner.log_after(kinds.clone(), after, page, MAX_SCANNED_EVENTS);
    let part = read().await?;
    let application_db = deps.db.application(application);
    match part {
        Some(part) if !part.is_incomplete => return Ok(part),
        Some(_) => {}
        None => application_db.begin_log(log(deps, application)).await?,
    }
    let watch = Stopwatch::start();
    while application_db.follow_earlier_connections(CONNECTIONS_AT_ONCE).await?
        && watch.elapsed() < FIRST_WAIT
    {}
    deps.events_recorded();
    loop {
        let part = read().await?.unwrap_or_default();
        if part.last > after || watch.elapsed() >= FIRST_WAIT {
            return Ok(part);
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
}

/// Returns the row for an application's log, which is stored as an endpoint without an address.
fn log(deps: &Deps, application: ApplicationId) -> Endpoint {
    let now = deps.clock.now();
    let owner = Owner::Application(application);
    Endpoint {
        id: deps.id::<domain::id::WebhookEndpoint>(now),
        owner_id: owner.id(),
        organization_id: None,
        application_id: Some(application),
        url: String::new(),
        description: None,
        events: Selection::All.written(),
        state: EndpointState::Enabled,
        disabled_reason: None,
        disabled_at: None,
        secret: Vec::new(),
        previous_secret: None,
        previous_until: None,
        created_at: now,
        is_log: true,
        failing_since: None,
    }
}
