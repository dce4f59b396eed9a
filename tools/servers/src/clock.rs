//! The only place in this crate that reads the clock: for measurements and for the names of
//! migrations.

use std::time::{Duration, Instant};

use time::OffsetDateTime;

#[derive(Clone, Copy)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a build tool measures real time")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a migration is named after the time of its creation"
)]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
