//! The time. The system's clocks are read here and nowhere else, so that a test can move them.

use domain::clock::Timeline;
use domain::number::saturating;
use domain::time::Timestamp;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// The time: of the system's clocks, or of clocks that a test moves. Clones share their state.
#[derive(Clone, Debug)]
pub struct Clock(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    source: Source,
    timeline: Timeline,
    /// What the wall clock said when this one began.
    began: Timestamp,
}

/// A wall clock, and a monotonic one.
#[derive(Debug)]
enum Source {
    System(Instant),
    Fixed { wall: Timestamp, elapsed: Duration },
}

impl Clock {
    /// The system's clocks.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    pub fn system() -> Self {
        Self::of(Source::System(Instant::now()))
    }

    /// Frozen clocks, which a test moves.
    #[must_use]
    pub fn frozen_at(now: Timestamp) -> Self {
        Self::of(Source::Fixed { wall: now, elapsed: Duration::ZERO })
    }

    fn of(source: Source) -> Self {
        let began = source.wall();
        let timeline = Timeline::starting(began, source.elapsed());
        Self(Arc::new(Mutex::new(State { source, timeline, began })))
    }

    /// The time, for all that is decided and stored. It never goes back: see [`Timeline`].
    #[must_use]
    pub fn now(&self) -> Timestamp {
        let mut state = self.state();
        let (wall, elapsed) = (state.source.wall(), state.source.elapsed());
        state.timeline.read(wall, elapsed)
    }

    /// What the wall clock says, for those who compare it with a clock of their own.
    #[must_use]
    pub fn wall(&self) -> Timestamp {
        self.state().source.wall()
    }

    /// The time by the monotonic clock alone, for what this process measures by itself: a minute is a
    /// minute whatever becomes of the wall clock. It may differ from [`Self::now`] indefinitely.
    #[must_use]
    pub fn steady(&self) -> Timestamp {
        let state = self.state();
        state.began.plus(state.source.elapsed())
    }

    /// The time of a fixed clock; `None` for the system's.
    #[must_use]
    pub fn fixed(&self) -> Option<Timestamp> {
        match self.state().source {
            Source::System(_) => None,
            Source::Fixed { wall, .. } => Some(wall),
        }
    }

    /// Lets time pass on a fixed clock until this moment. One that has gone by already is where they
    /// start over.
    pub fn set(&self, now: Timestamp) {
        let passed = now.since(self.now());
        let mut state = self.state();
        let Source::Fixed { wall, elapsed } = &mut state.source else { return };
        *elapsed += passed;
        *wall = if passed.is_zero() { now } else { wall.plus(passed) };
        let (wall, elapsed) = (*wall, *elapsed);
        if passed.is_zero() {
            state.timeline = Timeline::starting(wall, elapsed);
        }
    }

    /// Sets a fixed wall clock back without any time passing, as an operator sets the system's.
    pub fn step_back(&self, by: Duration) {
        if let Source::Fixed { wall, .. } = &mut self.state().source {
            *wall = wall.minus(by);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Source {
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

/// A point from which to measure how long something took: a step of the clock changes nothing about it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is where durations come from")]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// How long it has run.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
