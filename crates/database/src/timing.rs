//! Timings of operations and transactions, reported to one observer in this process.
use std::sync::OnceLock;
use std::time::Duration;

/// The observer's callbacks and clock.
#[derive(Debug)]
pub struct Watch {
    /// Returns the time since some fixed moment.
    pub elapsed: fn() -> Duration,
    /// Receives the time that an operation waited for a connection, or on SQLite for the writer
    /// thread.
    pub waited: fn(Duration),
    /// Receives the duration of a transaction until its commit; on SQLite, of a batch of writes.
    pub committed: fn(Duration),
    /// Receives the result of a read that a standby may answer.
    pub standby_read: fn(StandbyRead),
    /// Receives whether the standby is in use, and by how many bytes it lags behind the primary's
    /// log, if known.
    pub standby: fn(bool, Option<i64>),
}

/// The result of a read that a standby may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandbyRead {
    /// The standby answered.
    Served,
    /// The standby did not replay in time all writes that the caller must see, so the primary
    /// answered.
    Behind,
    /// The standby failed or did not answer in time, so the primary was asked.
    Failed,
    /// The standby was not in use, so the primary was asked at once.
    Unused,
}

/// Reports the result of a read that a standby may answer.
pub fn standby_read(read: StandbyRead) {
    if let Some(watch) = WATCH.get() {
        (watch.standby_read)(read);
    }
}

/// Reports the state of the standby.
pub fn standby(is_used: bool, behind: Option<i64>) {
    if let Some(watch) = WATCH.get() {
        (watch.standby)(is_used, behind);
    }
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// Installs the observer. Only the first one is kept.
pub fn watch(watch: Watch) {
    WATCH.get_or_init(|| watch);
}

/// A moment on the observer's clock. Empty if there is no observer.
#[derive(Clone, Copy)]
pub struct Moment(Option<(&'static Watch, Duration)>);

impl Moment {
    #[must_use]
    pub fn now() -> Self {
        Self(WATCH.get().map(|watch| (watch, (watch.elapsed)())))
    }

    /// Returns the time since this moment, or zero without an observer.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |(watch, since)| (watch.elapsed)().saturating_sub(since))
    }

    /// Reports that an operation waited from this moment until now.
    pub fn waited(self) {
        if let Some((watch, since)) = self.0 {
            (watch.waited)((watch.elapsed)().saturating_sub(since));
        }
    }

    /// Reports that a transaction lasted from this moment until now.
    pub fn committed(self) {
        if let Some((watch, since)) = self.0 {
            (watch.committed)((watch.elapsed)().saturating_sub(since));
        }
    }
}
