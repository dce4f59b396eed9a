//! The time. Only this module reads the system's clocks, so that a test can replace them.

use domain::clock::Timeline;
use domain::number::saturating;
use domain::time::Timestamp;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A clock: the system's, or one that a test sets. Clones share their state.
#[derive(Clone, Debug)]
pub struct Clock(Arc<ClockState>);

#[derive(Debug)]
struct ClockState {
    source: ClockSource,
    timeline: Mutex<Timeline>,
    /// The wall clock's time when this clock was created.
    began: Timestamp,
}

/// A wall clock and a monotonic clock.
#[derive(Debug)]
enum ClockSource {
    /// The system's clocks, which are read without a lock. The monotonic clock's time is the time
    /// since this instant.
    System(Instant),
    /// The clocks of a test. Code that locks both the timeline and these clocks locks the timeline
    /// first.
    Fixed(Mutex<FixedClocks>),
}

#[derive(Clone, Copy, Debug)]
struct FixedClocks {
    wall: Timestamp,
    elapsed: Duration,
}

impl Clock {
    /// Creates a clock that reads the system's clocks.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    pub fn system() -> Self {
        Self::from_source(ClockSource::System(Instant::now()))
    }

    /// Creates a frozen clock, whose time a test sets.
    #[must_use]
    pub fn frozen_at(now: Timestamp) -> Self {
        let clocks = FixedClocks { wall: now, elapsed: Duration::ZERO };
        Self::from_source(ClockSource::Fixed(Mutex::new(clocks)))
    }

    fn from_source(source: ClockSource) -> Self {
        let (began, elapsed) = source.read();
        let timeline = Mutex::new(Timeline::starting(began, elapsed));
        Self(Arc::new(ClockState { source, timeline, began }))
    }

    /// Returns the time for all decisions and records. It never goes back: see [`Timeline`].
    #[must_use]
    pub fn now(&self) -> Timestamp {
        // The clocks are read under the lock, so that the timeline gets their times in order.
        let mut timeline = self.0.timeline.lock();
        let (wall, elapsed) = self.0.source.read();
        timeline.read(wall, elapsed)
    }

    /// Returns the wall clock's time, for comparison with other parties' clocks.
    #[must_use]
    pub fn wall(&self) -> Timestamp {
        self.0.source.wall()
    }

    /// Returns the time by the monotonic clock alone, for durations that this process measures.
    /// Changes of the wall clock do not affect it, so it may differ from [`Self::now`]
    /// indefinitely.
    #[must_use]
    pub fn steady(&self) -> Timestamp {
        self.0.began.plus(self.0.source.elapsed())
    }

    /// Returns the time of a frozen clock, or `None` for the system's.
    #[must_use]
    pub fn fixed(&self) -> Option<Timestamp> {
        match &self.0.source {
            ClockSource::System(_) => None,
            ClockSource::Fixed(clocks) => Some(clocks.lock().wall),
        }
    }

    /// Lets time pass on a frozen clock until `now`. If `now` is before the clock's time, the clock
    /// is reset to `now`.
    pub fn set(&self, now: Timestamp) {
        let ClockSource::Fixed(clocks) = &self.0.source else { return };
        let passed = now.since(self.now());
        let mut timeline = self.0.timeline.lock();
        let mut clocks = clocks.lock();
        clocks.elapsed += passed;
        clocks.wall = if passed.is_zero() { now } else { clocks.wall.plus(passed) };
        if passed.is_zero() {
            *timeline = Timeline::starting(clocks.wall, clocks.elapsed);
        }
    }

    /// Sets a frozen wall clock back without letting time pass, as an operator may do with the
    /// system's.
    pub fn step_back(&self, by: Duration) {
        if let ClockSource::Fixed(clocks) = &self.0.source {
            let mut clocks = clocks.lock();
            clocks.wall = clocks.wall.minus(by);
        }
    }
}

impl ClockSource {
    /// Returns the times of the wall clock and of the monotonic clock.
    fn read(&self) -> (Timestamp, Duration) {
        match self {
            Self::System(began) => (system_time(), began.elapsed()),
            Self::Fixed(clocks) => {
                let FixedClocks { wall, elapsed } = *clocks.lock();
                (wall, elapsed)
            }
        }
    }

    fn wall(&self) -> Timestamp {
        self.read().0
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::System(began) => began.elapsed(),
            Self::Fixed(clocks) => clocks.lock().elapsed,
        }
    }
}

/// Returns the time of the system's wall clock.
#[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
fn system_time() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    #[expect(clippy::disallowed_methods, reason = "a clock before 1970 is held there")]
    let micros = since.unwrap_or_default().as_micros();
    Timestamp::from_micros(saturating(micros, i64::MAX))
}

/// A point from which a duration is measured. Changes of the wall clock do not affect it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where durations come from")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
