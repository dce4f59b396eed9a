//! Fans out events: finds the endpoints that selected them, and creates deliveries.

use domain::id::{ConnectionId, OrganizationId, WebhookEndpointId};
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::{ConnectionAccess, DeliveryState, Selection};
use persistence::Result;
use persistence::records::{
    Delivery, Event, FeedProgress, LaggingFeed, LoggedEvent, UnreadableRow,
};
use platform::Deps;
use platform::clock::Stopwatch;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Number of feeds per step, and of events per feed. The number of feeds is large, because most
/// endpoints select few events. The number of events is limited, because an event is delivered only
/// when all feeds of its step are processed.
const FEEDS: i64 = 512;
const EVENTS: usize = 200;
/// Maximum number of deliveries that a step inserts, because it is one transaction.
const DELIVERIES: usize = 12_800;

/// The minimum time between two scans of all feeds, and the minimum pause after a scan as a
/// multiple of its duration.
const WALK_INTERVAL: Duration = Duration::from_millis(500);
const WALK_PAUSE: u32 = 100;

/// Scans the feeds of organizations whose events this instance has recorded, and from time to time
/// all feeds, to find events that other instances have recorded. Returns the number of feeds that
/// advanced.
pub async fn round(deps: &Deps) -> Result<usize> {
    let organizations = deps.fan_out.drain();
    if !organizations.is_empty() {
        let moved = process_lagging_feeds(deps, &organizations).await?;
        if moved > 0 {
            // There may be more events than were read.
            deps.fan_out.add(organizations);
        }
        return Ok(moved);
    }
    let now = deps.clock.now();
    let is_due = now.micros() >= deps.fan_out.next_walk.load(Ordering::Relaxed);
    if !deps.fan_out.take_all_unknown() && !is_due {
        return Ok(0);
    }
    let watch = Stopwatch::start();
    let page = next_lagging_feeds(deps).await?;
    if page.feeds.is_empty() {
        let next = now.plus((watch.elapsed() * WALK_PAUSE).max(WALK_INTERVAL));
        deps.fan_out.next_walk.store(next.micros(), Ordering::Relaxed);
    }
    process(deps, page).await
}

/// Processes the lagging feeds of these organizations, page by page.
async fn process_lagging_feeds(
    deps: &Deps,
    organizations: &BTreeSet<OrganizationId>,
) -> Result<usize> {
    let (mut moved, mut after) = (0, 0);
    loop {
        let of = organizations.iter().copied().collect();
        let feeds = deps.db.operator().lagging_feeds_of(of, after, FEEDS).await?;
        let full = usize::try_from(FEEDS).is_ok_and(|full| feeds.len() == full);
        let last = feeds.last().map(|it| it.feed.id);
        moved += process(deps, FeedPage { feeds, others_follow: false }).await?;
        match last.filter(|_| full) {
            Some(last) => after = last,
            None => return Ok(moved),
        }
    }
}

/// Processes lagging feeds. Returns the number that advanced.
pub async fn step(deps: &Deps) -> Result<usize> {
    let page = next_lagging_feeds(deps).await?;
    process(deps, page).await
}

async fn process(deps: &Deps, page: FeedPage) -> Result<usize> {
    let FeedPage { feeds, others_follow } = page;
    if feeds.is_empty() {
        return Ok(0);
    }
    let now = deps.clock.now();
    let portion = (DELIVERIES / feeds.len()).min(EVENTS);
    let most = saturating(portion, i64::MAX);
    // Feeds of one organization usually have the same position.
    let mut read: BTreeMap<(OrganizationId, i64), Vec<Event>> = BTreeMap::new();
    let mut looked = Vec::with_capacity(feeds.len());
    for behind in feeds {
        let (organization, position) = (behind.feed.organization_id, behind.feed.position);
        // An unreadable feed stays at its position. Its events are delivered when it can be read
        // again.
        let wanted = match FeedSelection::by(&behind) {
            Ok(wanted) => wanted,
            Err(error) => {
                report_unreadable(deps, &behind, &error);
                continue;
            }
        };
        let events = if let Some(events) = read.remove(&(organization, position)) {
            events
        } else {
            let organization_db = deps.db.organization(organization);
            match organization_db.events_between(position, i64::MAX, most).await {
                Ok(events) => events,
                Err(persistence::Error::Unreadable(error)) => {
                    report_unreadable(deps, &behind, &error);
                    continue;
                }
                Err(error) => return Err(error),
            }
        };
        looked.push(scan_feed(deps, &behind, &wanted, &events, portion, now));
        read.insert((organization, position), events);
    }
    let found: usize = looked.iter().map(|it| it.deliveries.len()).sum();
    let moved = deps.db.operator().advance_feeds(looked, now).await?;
    if found > 0 {
        deps.wakeups.delivering.notify_waiters();
    }
    // If there are more feeds, the result is at least 1, so that the caller continues even if all
    // feeds of this page were unreadable.
    Ok(moved.max(others_follow.into()))
}

/// Logs that an endpoint's feed cannot be read. Each step finds the feed again, but only the first
/// failure is logged.
fn report_unreadable(deps: &Deps, behind: &LaggingFeed, error: &UnreadableRow) {
    let feed = behind.feed.id;
    if deps.fan_out.is_newly_unreadable(feed) {
        tracing::error!(%error, feed, "the feed of an endpoint cannot be read; its events wait");
    }
}

/// A page of lagging feeds.
struct FeedPage {
    feeds: Vec<LaggingFeed>,
    /// Whether there may be more lagging feeds after this page.
    others_follow: bool,
}

/// Returns the next page of lagging feeds, which follows the page of the last call. So each feed
/// gets its turn, even if others always have new events.
async fn next_lagging_feeds(deps: &Deps) -> Result<FeedPage> {
    let after = deps.fan_out.cursor.swap(0, Ordering::Relaxed);
    let mut feeds = deps.db.operator().lagging_feeds(after, FEEDS).await?;
    let begins_again = feeds.is_empty() && after > 0;
    if begins_again {
        feeds = deps.db.operator().lagging_feeds(0, FEEDS).await?;
    }
    let full = usize::try_from(FEEDS).is_ok_and(|full| feeds.len() == full);
    if let Some(last) = feeds.last().filter(|_| full) {
        deps.fan_out.cursor.store(last.feed.id, Ordering::Relaxed);
    }
    Ok(FeedPage { feeds, others_follow: full && !begins_again })
}

fn scan_feed(
    deps: &Deps,
    behind: &LaggingFeed,
    wanted: &FeedSelection,
    events: &[Event],
    portion: usize,
    now: Timestamp,
) -> FeedProgress {
    let feed = &behind.feed;
    let events_in_range: Vec<&Event> =
        events.iter().filter(|it| it.sequence <= behind.last).collect();
    // Sequences have no gaps. If fewer events were read than asked for, there are no more, and the
    // feed can move to the end.
    let to = match events_in_range.last() {
        Some(last) if events.len() == portion => last.sequence,
        _ => behind.last,
    };
    let selected: Vec<&Event> =
        events_in_range.into_iter().filter(|event| wanted.includes(event)).collect();
    let (logged, selected) = match (behind.logs_since, feed.connection_id) {
        (Some(_), Some(connection)) => {
            let logged = |event: &&Event| (feed.endpoint_id, logged(behind, connection, event));
            (selected.iter().map(logged).collect(), Vec::new())
        }
        _ => (Vec::new(), selected),
    };
    let deliveries = selected.into_iter().map(|event| Delivery {
        owner_id: behind.owner,
        id: deps.id::<domain::id::Delivery>(now),
        endpoint_id: feed.endpoint_id,
        organization_id: feed.organization_id,
        sequence: event.sequence,
        event_id: event.id,
        kind: event.kind,
        state: DeliveryState::Pending,
        attempts: 0.into(),
        failures: 0.into(),
        due_at: Some(now),
        created_at: now,
        completed_at: None,
        subject: event.subject,
    });
    FeedProgress {
        organization: feed.organization_id,
        feed: feed.id,
        from: feed.position,
        to,
        replay: feed.replay,
        done: feed.replay && Some(to) == feed.ends_with,
        deliveries: deliveries.collect(),
        logged,
    }
}

/// Returns an event for an application's log. Its sequence in the log is assigned when it is
/// stored.
fn logged(behind: &LaggingFeed, connection: ConnectionId, event: &Event) -> LoggedEvent {
    LoggedEvent {
        owner_id: behind.owner,
        sequence: 0,
        organization_id: event.organization_id,
        event_sequence: event.sequence,
        connection_id: connection,
        kind: event.kind,
        at: event.at,
    }
}

/// The conditions under which events of a feed are delivered.
struct FeedSelection {
    endpoint: WebhookEndpointId,
    selection: Selection,
    /// If the endpoint is disabled, the time up to which events are delivered.
    until: Option<Timestamp>,
    through: Option<ConnectionAccess>,
    /// If the endpoint represents the log of an application: the time of the earliest event to add.
    since: Option<Timestamp>,
}

impl FeedSelection {
    fn by(behind: &LaggingFeed) -> Result<Self, UnreadableRow> {
        Ok(Self {
            endpoint: behind.feed.endpoint_id,
            selection: behind.selection()?,
            // A replay that a member asked for is not limited by the time at which the endpoint was
            // disabled.
            until: behind.disabled_at.filter(|_| !behind.feed.replay),
            through: behind.connection_access()?,
            since: behind.logs_since,
        })
    }

    fn includes(&self, event: &Event) -> bool {
        let (kind, account) = (event.kind, event.account_id);
        let (connection, at) = (event.connection_id, event.at);
        // An endpoint gets no events about itself. Otherwise the delivery of an event about a
        // failure could fail again and cause another event.
        let is_own = event.endpoint_id == Some(self.endpoint);
        !is_own
            && self.selection.includes(kind)
            && self.until.is_none_or(|until| at <= until)
            && self.since.is_none_or(|since| since <= at)
            && self.through.as_ref().is_none_or(|it| it.permits(kind, account, connection, at))
    }
}
