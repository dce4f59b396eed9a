//! The time. Only this module reads the system's clocks, so that a test can replace them.

use domain::clock::Timeline;
use domain::number::saturating;
use domain::time::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// A clock: the system's, or one that a test sets. Clones share their state.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Mutex<ClockState>>);

#[derive(Debug)]
struct ClockState {
    source: ClockSource,
    timeline: Timeline,
    /// The wall clock's time when this clock was created.
    began: Timestamp,
}

/// A wall clock and a monotonic clock.
#[derive(Debug)]
enum ClockSource {
    System(Instant),
    Fixed { wall: Timestamp, elapsed: Duration },
}

impl Clock {
    /// Creates a clock that reads the system's clocks.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    pub fn system() -> Self {
        Self::from_source(ClockSource::System(Instant::now()))
    }

    /// Creates a frozen clock, which a test sets.
    #[must_use]
    pub fn frozen_at(now: Timestamp) -> Self {
        Self::from_source(ClockSource::Fixed { wall: now, elapsed: Duration::ZERO })
    }

    fn from_source(source: ClockSource) -> Self {
        let began = source.wall();
        let timeline = Timeline::starting(began, source.elapsed());
        Self(Arc::new(Mutex::new(ClockState { source, timeline, began })))
    }

    /// Returns the time for all decisions and records. It never goes back: see [`Timeline`].
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let mut state = self.state();
        let (wall, elapsed) = (state.source.wall(), state.source.elapsed());
        state.timeline.read(wall, elapsed)
    }

    /// Returns the wall clock's time, for comparison with other parties' clocks.
    #[must_use]
    pub fn wall(&self) -> Timestamp {
        self.state().source.wall()
    }

    /// Returns the time by the monotonic clock alone, for durations that this process measures.
    /// Changes of the wall clock do not affect it, so it may differ from [`Self::now`]
    /// indefinitely.
    #[must_use]
    pub fn steady(&self) -> Timestamp {
        let state = self.state();
        state.began.plus(state.source.elapsed())
    }

    /// Returns the time of a frozen clock, or `None` for the system's.
    #[must_use]
    pub fn fixed(&self) -> Option<Timestamp> {
        match self.state().source {
            ClockSource::System(_) => None,
            ClockSource::Fixed { wall, .. } => Some(wall),
        }
    }

    /// Lets time pass on a frozen clock until `now`. If `now` is in the past, the clock starts over
    /// there.
    pub fn set(&self, now: Timestamp) {
        let passed = now.since(self.now());
        let mut state = self.state();
        let ClockSource::Fixed { wall, elapsed } = &mut state.source else { return };
        *elapsed += passed;
        *wall = if passed.is_zero() { now } else { wall.plus(passed) };
        let (wall, elapsed) = (*wall, *elapsed);
        if passed.is_zero() {
            state.timeline = Timeline::starting(wall, elapsed);
        }
    }

    /// Sets a frozen wall clock back without letting time pass, as an operator may do with the
    /// system's.
    pub fn step_back(&self, by: Duration) {
        if let ClockSource::Fixed { wall, .. } = &mut self.state().source {
            *wall = wall.minus(by);
        }
    }

    fn state(&self) -> MutexGuard<'_, ClockState> {
        self.0.lock()
    }
}

impl ClockSource {
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    fn wall(&self) -> Timestamp {
        if let Self::Fixed { wall, .. } = self {
            return *wall;
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        #[expect(clippy::disallowed_methods, reason = "a clock before 1970 is held there")]
        let micros = since.unwrap_or_default().as_micros();
        Timestamp::from_micros(saturating(micros, i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        match self {
            Self::System(began) => began.elapsed(),
            Self::Fixed { elapsed, .. } => *elapsed,
        }
    }
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
