//! What use cases and workers work with: store, clock, entropy, outbound.

use crate::admin::Admin;
use crate::applications::Applications;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::files::Files;
use crate::held_numbers::HeldNumbers;
use crate::in_flight::InFlight;
use crate::keys::Keys;
use crate::lease::Lease;
use crate::ledger::Ledger;
use crate::login_throttle::LoginThrottle;
use crate::number_channels::NumberChannels;
use crate::outbound::Outbound;
use crate::paces::Paces;
use crate::reads::LongReads;
use crate::report_queue::QueueFront;
use crate::sealing::Sealing;
use crate::settings::Settings;
use crate::windows::Windows;
use auth::handshake::FaultyRequests;
use domain::id::{Id, OrganizationId};
use domain::time::Timestamp;
use persistence::Db;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// What every use case and worker is given.
pub struct Deps {
    /// The database.
    pub db: Db,
    /// What is counted in memory and recorded once a second.
    pub ledger: Ledger,
    /// Under which name this server claims things.
    pub lease: Lease,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub entropy: Entropy,
    /// The numbers that are held.
    pub held_numbers: HeldNumbers,
    /// What is sent slower because the channel wants that.
    pub paces: Paces,
    /// Which network is behind each number.
    pub number_channels: NumberChannels,
    /// What goes out.
    pub outbound: Outbound,
    /// The files that we keep.
    pub files: Files,
    /// What seals the secrets in the database.
    pub sealing: Sealing,
    /// Who may try to sign in.
    pub login_throttle: LoginThrottle,
    /// The effective settings.
    pub settings: Settings,
    /// Reads that may take long.
    pub reads: LongReads,
    /// The rate windows of the keys.
    pub windows: Windows,
    /// Which faults of authorize requests were recorded lately.
    pub faulty_requests: Mutex<FaultyRequests>,
    /// Requests with an `Idempotency-Key` that are being processed.
    pub in_flight: InFlight,
    /// What wakes the workers.
    pub wakeups: Wakeups,
    /// Organizations for which messages have become due.
    pub due: DueOrganizations,
    /// Where the queue of the channel's reports begins.
    pub report_queue: QueueFront,
    /// How far the fan-out of webhooks is.
    pub fan_out: FanOutProgress,
    /// When the database last took a write that was a test of that, in microseconds.
    pub written_at: AtomicI64,
    /// Set when the server is about to stop: connections are closed after their answer.
    pub stopping: AtomicBool,
}

/// How far the fan-out of webhooks is.
#[derive(Debug, Default)]
pub struct FanOutProgress {
    /// The feed that was scanned last.
    pub cursor: AtomicI64,
    /// Feeds that could not be read, and were reported.
    unreadable: Mutex<BTreeSet<i64>>,
    /// Organizations of which events were recorded here, and that have not been looked at since.
    recorded: Mutex<BTreeSet<OrganizationId>>,
    /// Whether events may have been recorded of others.
    recorded_elsewhere: AtomicBool,
    /// Not before then all feeds are looked at again, in microseconds.
    pub next_walk: AtomicI64,
}

impl FanOutProgress {
    /// Notes organizations of which events were recorded here.
    pub fn note(&self, organizations: impl IntoIterator<Item = OrganizationId>) {
        self.recorded.lock().unwrap_or_else(PoisonError::into_inner).extend(organizations);
    }

    /// The organizations that were noted since the last time.
    pub fn take_noted(&self) -> BTreeSet<OrganizationId> {
        std::mem::take(&mut *self.recorded.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether all feeds are to be looked at, since it is not known whose events were recorded.
    pub fn take_unknown(&self) -> bool {
        self.recorded_elsewhere.swap(false, Ordering::Relaxed)
    }

    /// Notes that a feed cannot be read; whether that is new.
    pub fn is_newly_unreadable(&self, feed: i64) -> bool {
        self.unreadable.lock().unwrap_or_else(PoisonError::into_inner).insert(feed)
    }
}

/// Organizations for which messages have become due.
#[derive(Debug, Default)]
pub struct DueOrganizations {
    here: Mutex<BTreeSet<OrganizationId>>,
    elsewhere: Mutex<BTreeSet<OrganizationId>>,
}

fn open(of: &Mutex<BTreeSet<OrganizationId>>) -> MutexGuard<'_, BTreeSet<OrganizationId>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DueOrganizations {
    /// Another server has accepted messages: that concerns whoever has claimed the organization.
    pub fn note_elsewhere(&self, organization: OrganizationId) {
        open(&self.elsewhere).insert(organization);
    }

    /// Those whose messages were accepted here since the last time.
    pub fn take(&self) -> BTreeSet<OrganizationId> {
        std::mem::take(&mut *open(&self.here))
    }

    /// Those whose messages other servers have accepted.
    pub fn take_elsewhere(&self) -> BTreeSet<OrganizationId> {
        std::mem::take(&mut *open(&self.elsewhere))
    }
}

/// What wakes the workers, so that none has to look for work all the time. Work that another instance made is found
/// without.
#[derive(Debug, Default)]
pub struct Wakeups {
    /// A message has been accepted.
    pub accepted: Notify,
    /// The channel is going to report.
    pub reported: Notify,
    /// A template has been made.
    pub proposed: Notify,
    /// A person has sent a file.
    pub arrived: Notify,
    /// Events have happened, which endpoints may want to know.
    pub events_recorded: Notify,
    /// There is something to deliver to endpoints.
    pub delivering: Notify,
}

impl Deps {
    /// A fresh id.
    #[must_use]
    pub fn id<K>(&self, now: Timestamp) -> Id<K> {
        Id::new(now, self.entropy.id_bytes())
    }

    /// Messages of an organization have become due.
    pub fn messages_due_of(&self, organization: OrganizationId) {
        open(&self.due.here).insert(organization);
        self.wakeups.accepted.notify_one();
    }

    /// Events of these organizations have been recorded: their endpoints may want to know.
    pub fn events_recorded_of(&self, organizations: impl IntoIterator<Item = OrganizationId>) {
        self.fan_out.note(organizations);
        self.wakeups.events_recorded.notify_one();
    }

    /// Events of some organization have been recorded.
    pub fn events_recorded(&self) {
        self.fan_out.recorded_elsewhere.store(true, Ordering::Relaxed);
        self.wakeups.events_recorded.notify_one();
    }

    /// What operators do.
    #[must_use]
    pub const fn admin(&self) -> Admin<'_> {
        let Self { db, clock, entropy, sealing, .. } = self;
        Admin { db, clock, entropy, sealing }
    }

    /// The keys of an organization.
    #[must_use]
    pub const fn keys(&self, organization: OrganizationId) -> Keys<'_> {
        let Self { db, clock, entropy, .. } = self;
        Keys { db, clock, entropy, organization }
    }

    /// The applications of an organization.
    #[must_use]
    pub const fn applications(&self, organization: OrganizationId) -> Applications<'_> {
        let Self { db, clock, entropy, .. } = self;
        Applications { db, clock, entropy, organization }
    }

    /// Tells the workers to end after what they are at.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        let Wakeups { accepted, reported, proposed, arrived, events_recorded, delivering } =
            &self.wakeups;
        [accepted, reported, proposed, arrived, events_recorded]
            .into_iter()
            .for_each(Notify::notify_one);
        delivering.notify_waiters();
    }
}
