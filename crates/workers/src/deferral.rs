//! Delays the processing of stored messages and callbacks in favor of requests that store new ones:
//! stored work can wait, a request cannot.

use platform::Deps;
use platform::clock::Stopwatch;
use std::time::Duration;

/// Maximum time by which a step is delayed while messages arrive faster than they are stored. A
/// database with several connections is more efficient with few large steps.
const MAX_DEFERRAL: Duration = Duration::from_millis(100);
/// Maximum delay with a single writer. After a longer delay a step would have so much work that it
/// would block requests for long. These would then arrive all at once and delay the next step.
const MAX_DEFERRAL_OF_ONE_WRITER: Duration = Duration::from_millis(10);
/// Maximum delay of a worker that applies events to the inbox or to the search index. A page that
/// shows the inbox applies the events itself, and a step with many events costs little more than a
/// step with few.
const MAX_DEFERRAL_OF_FOLLOWERS: Duration = Duration::from_millis(500);
/// The time after which a worker that is behind no longer delays its steps. The longer it is
/// behind, the shorter its delays are. During a burst of up to this length, deliveries may be late.
const MAX_LAG: Duration = Duration::from_secs(20);
/// How long after a large batch another one is expected. This time is longer than a commit takes.
const EXPECTED_WITHIN: Duration = Duration::from_millis(50);
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Delays the steps of a worker in favor of requests that are being accepted, because both use the
/// same database.
#[derive(Default)]
pub struct Deferral {
    /// Whether the worker applies events to the inbox or to the search index, and delivers nothing.
    is_follower: bool,
    /// The time since which each step has found more work than it can do.
    behind: Option<Stopwatch>,
    /// The number of large batches at the last check.
    seen: u64,
}

impl Deferral {
    /// Creates the deferral of a worker that applies events to the inbox or to the search index.
    pub fn of_follower() -> Self {
        Self { is_follower: true, ..Self::default() }
    }

    /// Records whether a step left work behind.
    pub fn record(&mut self, is_behind: bool) {
        if !is_behind {
            self.behind = None;
        } else if self.behind.is_none() {
            self.behind = Some(Stopwatch::start());
        }
    }

    /// Waits while requests arrive faster than they are stored, up to the maximum delay.
    pub async fn wait(&mut self, deps: &Deps) {
        let behind = self.behind.as_ref().map_or(Duration::ZERO, Stopwatch::elapsed);
        let most = match (self.is_follower, deps.db.is_shared()) {
            (true, _) => MAX_DEFERRAL_OF_FOLLOWERS,
            (false, true) => MAX_DEFERRAL,
            (false, false) => MAX_DEFERRAL_OF_ONE_WRITER,
        };
        let most = shortened(most, behind);
        let (mut waited, mut quiet) = (Duration::ZERO, EXPECTED_WITHIN);
        loop {
            let large =
                if self.is_follower { deps.db.large_batches() } else { deps.db.large_sends() };
            let seen = std::mem::replace(&mut self.seen, large);
            quiet = if seen == self.seen { quiet + CHECK_INTERVAL } else { Duration::ZERO };
            if waited >= most || quiet >= EXPECTED_WITHIN {
                return;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
            waited += CHECK_INTERVAL;
        }
    }
}

/// Returns the maximum delay of a worker that has been behind for the duration `behind`.
fn shortened(most: Duration, behind: Duration) -> Duration {
    let left = MAX_LAG.saturating_sub(behind);
    most.mul_f64(left.as_secs_f64() / MAX_LAG.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longer_a_worker_is_behind_the_less_it_gives_way() {
        assert_eq!(shortened(MAX_DEFERRAL, Duration::ZERO), MAX_DEFERRAL);
        assert_eq!(shortened(MAX_DEFERRAL, MAX_LAG / 2), MAX_DEFERRAL / 2);
        assert_eq!(shortened(MAX_DEFERRAL, MAX_LAG), Duration::ZERO);
        assert_eq!(shortened(MAX_DEFERRAL, MAX_LAG * 2), Duration::ZERO);
    }
}
