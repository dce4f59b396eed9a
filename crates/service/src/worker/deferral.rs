//! Accepting goes before delivering: a message that was answered can wait where a request cannot.

use crate::Deps;
use crate::clock::Stopwatch;
use std::time::Duration;

/// How long a step is put off at most, while messages come faster than they are taken in: what a database of several
/// connections does in few large steps is less work.
const MAX_DEFERRAL: Duration = Duration::from_millis(100);
/// The same where one thread writes: what becomes due in a tenth of a second holds up requests there, so that the next ones come
/// at the same moment and put off the next step.
const MAX_DEFERRAL_OF_ONE_WRITER: Duration = Duration::from_millis(10);
/// A worker that has been behind for so long puts nothing off: the longest burst during which delivery may lag.
const MAX_LAG: Duration = Duration::from_secs(20);
/// For so long after a large batch set out another is expected: longer than a commit takes.
const EXPECTED_WITHIN: Duration = Duration::from_millis(50);
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// How a worker gives way to messages that are being accepted: they take the same database.
#[derive(Default)]
pub struct Deferral {
    /// Since when each of its steps has found as much as it can take.
    behind: Option<Stopwatch>,
    /// How many large batches it had seen when it last looked.
    seen: u64,
}

impl Deferral {
    /// Notes whether a step left work behind.
    pub fn note(&mut self, is_behind: bool) {
        if !is_behind {
            self.behind = None;
        } else if self.behind.is_none() {
            self.behind = Some(Stopwatch::start());
        }
    }

    /// Waits while messages come faster than they are taken in, though never long.
    pub async fn wait(&mut self, deps: &Deps) {
        let behind = self.behind.as_ref().map_or(Duration::ZERO, Stopwatch::elapsed);
        let most = if deps.db.is_shared() { MAX_DEFERRAL } else { MAX_DEFERRAL_OF_ONE_WRITER };
        let most = shortened(most, behind);
        let (mut waited, mut quiet) = (Duration::ZERO, EXPECTED_WITHIN);
        loop {
            let seen = std::mem::replace(&mut self.seen, deps.db.large_sends());
            quiet = if seen == self.seen { quiet + CHECK_INTERVAL } else { Duration::ZERO };
            if waited >= most || quiet >= EXPECTED_WITHIN {
                return;
            }
            tokio::time::sleep(CHECK_INTERVAL).await;
            waited += CHECK_INTERVAL;
        }
    }
}

/// What is left of the longest deferral for a worker that has been behind for so long.
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
