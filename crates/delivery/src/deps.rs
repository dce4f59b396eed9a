//! All that the server needs from outside: store, clock, entropy, outbound. Ambient time and randomness
//! are read here and nowhere else.

use crate::config::Settings;
use crate::connect::FaultyRequests;
use crate::doorkeeper::Doorkeeper;
use crate::files::Files;
use crate::in_flight::InFlight;
use crate::lease::Lease;
use crate::outbound::Outbound;
use crate::sealing::Sealing;
use crate::windows::Windows;
use auth::seal::ClientStateKey;
use domain::id::Id;
use domain::time::Timestamp;
use persistence::Db;
use persistence::ledger::Ledger;
use ring::rand::{SecureRandom, SystemRandom};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::SystemTime;
use tokio::sync::Notify;

/// What every handler and worker is given.
pub struct Deps {
    /// The database.
    pub db: Db,
    /// What is counted in memory and written down once a second.
    pub ledger: Ledger,
    /// Under which name this server claims things.
    pub lease: Lease,
    /// The time.
    pub clock: Clock,
    /// Randomness.
    pub entropy: Entropy,
    /// What goes out.
    pub outbound: Outbound,
    /// The files that we keep.
    pub files: Files,
    /// What seals the secrets in the database.
    pub sealing: Sealing,
    /// What seals the state that browsers carry for us; the same on all servers of the database.
    pub client_state: ClientStateKey,
    /// Which faults of authorize requests were written down lately.
    pub faulty_requests: FaultyRequests,
    /// Who may try to sign in.
    pub doorkeeper: Doorkeeper,
    /// The effective configuration.
    pub settings: Settings,
    /// The rate windows of the keys.
    pub windows: Windows,
    /// Requests with an `Idempotency-Key` that are being worked on.
    pub in_flight: InFlight,
    /// Rung when a message has been accepted, so that the worker need not look for it.
    pub accepted: Notify,
    /// Rung when the channel is going to report, likewise.
    pub reported: Notify,
    /// Rung when a template has been made.
    pub proposed: Notify,
    /// Rung when a person has sent a file.
    pub arrived: Notify,
    /// Rung when organizations have been told of something, which endpoints may want to know.
    pub told: Notify,
    /// Rung when there is something to deliver to endpoints.
    pub delivering: Notify,
    /// The feed of webhooks that was looked through last.
    pub looked_until: AtomicI64,
    /// When the database last took a write that was a test of that, in microseconds.
    pub written_at: AtomicI64,
    /// Set when the server is about to stop: connections are closed after their answer.
    pub stopping: AtomicBool,
}

impl Deps {
    /// A fresh id.
    #[must_use]
    pub fn id<K>(&self, now: Timestamp) -> Id<K> {
        Id::new(now, self.entropy.bytes())
    }
}

/// Tells the time: the system's, or one that a test moves.
#[derive(Clone, Debug)]
pub struct Clock(Option<Arc<AtomicI64>>);

impl Clock {
    /// The system's clock.
    #[must_use]
    pub const fn system() -> Self {
        Self(None)
    }

    /// A clock that stands still until it is moved.
    #[must_use]
    pub fn standing_at(now: Timestamp) -> Self {
        Self(Some(Arc::new(AtomicI64::new(now.micros()))))
    }

    /// The time.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    pub fn now(&self) -> Timestamp {
        if let Some(micros) = &self.0 {
            return Timestamp::from_micros(micros.load(Ordering::SeqCst));
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let micros = since.unwrap_or_default().as_micros();
        Timestamp::from_micros(i64::try_from(micros).unwrap_or(i64::MAX))
    }

    /// Moves a standing clock; the system's is not moved.
    pub fn set(&self, now: Timestamp) {
        if let Some(micros) = &self.0 {
            micros.store(now.micros(), Ordering::SeqCst);
        }
    }
}

/// Random bytes from the operating system.
#[derive(Debug)]
pub struct Entropy(SystemRandom);

impl Entropy {
    /// The operating system's.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
    pub fn system() -> Self {
        Self(SystemRandom::new())
    }

    /// So many fresh bytes.
    ///
    /// # Panics
    ///
    /// When the system has none to give: to go on with predictable secrets would be worse.
    #[must_use]
    #[expect(clippy::expect_used, reason = "no secret may be made without entropy")]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.0.fill(&mut bytes).expect("the operating system gives random bytes");
        bytes
    }
}

/// A point from which to measure how long something took: a step of the clock changes nothing about it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(std::time::Instant);

impl Stopwatch {
    /// Starts now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where durations come from")]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// How long it has run.
    #[must_use]
    pub fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }
}
