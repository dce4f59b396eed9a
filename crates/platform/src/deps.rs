//! The dependencies of use cases and workers: database, clock, entropy, outbound clients.

use crate::account_channels::AccountChannels;
use crate::callback_queue::CallbackQueue;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::export_limiter::ExportLimiter;
use crate::files::Files;
use crate::held_accounts::HeldAccounts;
use crate::in_flight::InFlight;
use crate::inbox_turns::InboxTurns;
use crate::instance_claims::InstanceClaims;
use crate::login_throttle::LoginThrottle;
use crate::opt_out_words::OptOutWordsCache;
use crate::outbound::Outbound;
use crate::rate_limit::RateLimiter;
use crate::read_limiter::ReadLimiter;
use crate::sealing::Sealing;
use crate::send_rate::SendRates;
use crate::settings::PlatformSettings;
use crate::usage_counter::UsageCounter;
use auth::handshake::FaultyRequests;
use domain::id::{Id, OrganizationId};
use domain::time::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use persistence::Db;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use tokio::sync::Notify;

/// The dependencies of the use cases that work without a running server, such as those of the
/// operators' commands.
pub struct BaseDeps {
    pub db: Db,
    pub clock: Clock,
    pub entropy: Entropy,
    /// Encrypts and decrypts the secrets in the database.
    pub sealing: Sealing,
}

/// The dependencies of every use case and worker.
pub struct Deps {
    pub base: BaseDeps,
    /// Usage counts that are kept in memory and written to the database once a second.
    pub usage_counter: UsageCounter,
    /// The id under which this instance claims work.
    pub claims: InstanceClaims,
    /// The accounts that this instance knows to be held.
    pub held_accounts: HeldAccounts,
    /// The accounts and conversations that send at a reduced rate.
    pub send_rates: SendRates,
    /// A cache of each account's channel.
    pub account_channels: AccountChannels,
    /// A cache of the words with which contacts opt out of an organization's marketing.
    pub opt_out_words: OptOutWordsCache,
    /// The HTTP clients.
    pub outbound: Outbound,
    /// Uploaded and received files.
    pub files: Files,
    /// Limits attempts to sign in.
    pub login_throttle: LoginThrottle,
    /// The effective settings.
    pub settings: PlatformSettings,
    /// Runs reads that may scan many rows, a limited number at a time.
    pub read_limiter: ReadLimiter,
    /// Limits the exports that run at the same time.
    pub export_limiter: ExportLimiter,
    /// The rate limits of the keys.
    pub rate_limiter: RateLimiter,
    /// The faults of authorize requests that were recorded recently.
    pub faulty_requests: Mutex<FaultyRequests>,
    /// Requests with an `Idempotency-Key` that are being processed.
    pub in_flight: InFlight,
    /// Wakes the workers.
    pub wakeups: Wakeups,
    /// Lets one task at a time apply events to an inbox.
    pub inbox_turns: InboxTurns,
    /// Organizations with messages that became due.
    pub due: DueOrganizations,
    /// The position in the queue of callbacks at which queries start.
    pub callback_queue: CallbackQueue,
    /// The progress of the webhook fan-out.
    pub fan_out: FanOutProgress,
    /// The time of the last successful test write to the database, in microseconds.
    pub written_at: AtomicI64,
    /// Whether the server is about to stop. Connections are then closed after their current
    /// response.
    pub stopping: AtomicBool,
}

/// The progress of the webhook fan-out.
#[derive(Debug, Default)]
pub struct FanOutProgress {
    /// The id of the last feed that was scanned.
    pub cursor: AtomicI64,
    /// Feeds that could not be read and whose failure was logged.
    unreadable: Mutex<BTreeSet<i64>>,
    /// Organizations whose events this instance has recorded since their feeds were last scanned.
    recorded: Mutex<BTreeSet<OrganizationId>>,
    /// Whether events of unknown organizations were recorded.
    recorded_elsewhere: AtomicBool,
    /// The earliest time of the next scan of all feeds, in microseconds.
    pub next_walk: AtomicI64,
}

impl FanOutProgress {
    /// Adds organizations whose events this instance has recorded.
    pub fn add(&self, organizations: impl IntoIterator<Item = OrganizationId>) {
        self.recorded.lock().extend(organizations);
    }

    /// Takes the organizations that were added since the last call.
    pub fn drain(&self) -> BTreeSet<OrganizationId> {
        std::mem::take(&mut *self.recorded.lock())
    }

    /// Whether all feeds must be scanned, because the organizations of new events are unknown.
    /// Resets this to `false`.
    pub fn take_all_unknown(&self) -> bool {
        self.recorded_elsewhere.swap(false, Ordering::Relaxed)
    }

    /// Records that a feed cannot be read. Returns whether that was not recorded before.
    pub fn is_newly_unreadable(&self, feed: i64) -> bool {
        self.unreadable.lock().insert(feed)
    }
}

/// Organizations with messages that became due.
#[derive(Debug, Default)]
pub struct DueOrganizations {
    here: Mutex<BTreeSet<OrganizationId>>,
    elsewhere: Mutex<BTreeSet<OrganizationId>>,
}

fn open(of: &Mutex<BTreeSet<OrganizationId>>) -> MutexGuard<'_, BTreeSet<OrganizationId>> {
    of.lock()
}

impl DueOrganizations {
    /// Adds an organization whose messages another instance accepted. Only the instance that has
    /// claimed the organization sends them.
    pub fn add_elsewhere(&self, organization: OrganizationId) {
        open(&self.elsewhere).insert(organization);
    }

    /// Takes the organizations whose messages this instance has accepted since the last call.
    pub fn drain(&self) -> BTreeSet<OrganizationId> {
        std::mem::take(&mut *open(&self.here))
    }

    /// Takes the organizations whose messages other instances have accepted since the last call.
    pub fn drain_elsewhere(&self) -> BTreeSet<OrganizationId> {
        std::mem::take(&mut *open(&self.elsewhere))
    }
}

/// Wakes the workers, so that they need not poll for work. Work created by another instance is
/// found by polling.
#[derive(Debug, Default)]
pub struct Wakeups {
    /// A message was accepted.
    pub accepted: Notify,
    /// A message was scheduled.
    pub scheduled: Notify,
    /// A callback was stored.
    pub reported: Notify,
    /// A template was created.
    pub proposed: Notify,
    /// A contact sent a file.
    pub arrived: Notify,
    /// A voice message was fetched, and is to be transcribed.
    pub fetched: Notify,
    /// Events were recorded that webhook endpoints may have selected.
    pub events_recorded: Notify,
    /// A delivery to an endpoint is due.
    pub delivering: Notify,
    /// Contacts may have written messages that AI agents answer.
    pub turns: Notify,
}

impl Deref for Deps {
    type Target = BaseDeps;

    fn deref(&self) -> &BaseDeps {
        &self.base
    }
}

impl Deps {
    /// Creates a new id.
    #[must_use]
    pub fn id<K>(&self, now: Timestamp) -> Id<K> {
        Id::new(now, self.entropy.ordered_id_bytes(now.micros() / 1000))
    }

    /// Records that messages of an organization became due, and wakes the worker.
    pub fn messages_due_of(&self, organization: OrganizationId) {
        open(&self.due.here).insert(organization);
        self.wakeups.accepted.notify_one();
    }

    /// Records that there are new events of these organizations, and wakes the fan-out.
    pub fn events_recorded_of(&self, organizations: impl IntoIterator<Item = OrganizationId>) {
        self.fan_out.add(organizations);
        self.wakeups.events_recorded.notify_one();
    }

    /// Records that there are new events of unknown organizations, and wakes the fan-out.
    pub fn events_recorded(&self) {
        self.fan_out.recorded_elsewhere.store(true, Ordering::Relaxed);
        self.wakeups.events_recorded.notify_one();
    }

    /// Tells the workers to finish their current work and end.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        let Wakeups {
            accepted,
            scheduled,
            reported,
            proposed,
            arrived,
            fetched,
            events_recorded,
            delivering,
            turns,
        } = &self.wakeups;
        [accepted, scheduled, reported, proposed, arrived, fetched, events_recorded, turns]
            .into_iter()
            .for_each(Notify::notify_one);
        delivering.notify_waiters();
    }
}
