//! The one place where this crate reads the clock: it measures, and it names migrations.

use std::time::{Duration, Instant};

use time::OffsetDateTime;

/// A running stopwatch.
#[derive(Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts at once.
    #[expect(
        clippy::disallowed_methods,
        reason = "a build tool measures real time, and no test moves it"
    )]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How long it has been running.
    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

/// The time of day, in UTC.
#[expect(
    clippy::disallowed_methods,
    reason = "a migration is named after the moment at which it is made"
)]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
