//! How long operations wait for the database, and transactions take: told to whoever watches this process.
use std::sync::OnceLock;
use std::time::Duration;

/// Whoever watches. The clock is theirs.
#[derive(Debug)]
pub struct Watch {
    /// The time since some fixed moment.
    pub elapsed: fn() -> Duration,
    /// An operation has waited for so long until it began: for a connection, or on SQLite for the thread that writes.
    pub waited: fn(Duration),
    /// A transaction took so long from its beginning until it was committed; on SQLite, a batch of writes.
    pub committed: fn(Duration),
    /// What became of a read that a standby may answer.
    pub standby_read: fn(StandbyRead),
    /// Whether the standby is read from, and by how many bytes of the primary's log it is behind, as far as that is known.
    pub standby: fn(bool, Option<i64>),
}

/// What became of a read that a standby may answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandbyRead {
    /// The standby answered it.
    Served,
    /// It had not replayed in time what the caller has to see: the primary answered.
    Behind,
    /// It failed, or did not answer in time: the primary was asked.
    Failed,
    /// It was not used at the time: the primary was asked at once.
    Unused,
}

/// A read that a standby may answer is over.
pub fn standby_read(read: StandbyRead) {
    if let Some(watch) = WATCH.get() {
        (watch.standby_read)(read);
    }
}

/// The standby has been looked at.
pub fn standby(is_used: bool, behind: Option<i64>) {
    if let Some(watch) = WATCH.get() {
        (watch.standby)(is_used, behind);
    }
}

static WATCH: OnceLock<Watch> = OnceLock::new();

/// Watches from now on; whoever was first goes on watching alone.
pub fn watch(watch: Watch) {
    WATCH.get_or_init(|| watch);
}

/// A moment, if anybody watches.
#[derive(Clone, Copy)]
pub struct Moment(Option<(&'static Watch, Duration)>);

impl Moment {
    /// Now.
    #[must_use]
    pub fn now() -> Self {
        Self(WATCH.get().map(|watch| (watch, (watch.elapsed)())))
    }

    /// The time since then; none if nobody watches.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |(watch, since)| (watch.elapsed)().saturating_sub(since))
    }

    /// What waits since then begins.
    pub fn waited(self) {
        if let Some((watch, since)) = self.0 {
            (watch.waited)((watch.elapsed)().saturating_sub(since));
        }
    }

    /// The transaction that began then is committed.
    pub fn committed(self) {
        if let Some((watch, since)) = self.0 {
            (watch.committed)((watch.elapsed)().saturating_sub(since));
        }
    }
}
