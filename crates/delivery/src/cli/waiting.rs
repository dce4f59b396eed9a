//! What a start waits for: it is said after two seconds, and tried again for as long as `--wait` says.

use persistence::Tell;
use service::clock::Stopwatch;
use std::fmt::Display;
use std::pin::pin;
use std::time::Duration;

/// After how long it is said what is waited for.
const TELL_AFTER: Duration = Duration::from_secs(2);
/// How long it takes until something is tried again.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Waits for `work`, and says so when it takes long.
pub async fn telling<T>(what: &str, tell: Tell<'_>, work: impl Future<Output = T>) -> T {
    let mut work = pin!(work);
    if let Ok(done) = tokio::time::timeout(TELL_AFTER, &mut work).await {
        return done;
    }
    tell(&format!("still waiting for {what}"));
    work.await
}

/// Attempts something until it works, fails for good, or `wait` is over.
pub async fn retrying<T, E: Display>(
    what: &str,
    wait: Duration,
    tell: Tell<'_>,
    attempt: impl AsyncFn() -> Result<T, E>,
    may_pass: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let watch = Stopwatch::start();
    let mut announced = false;
    loop {
        match telling(what, tell, attempt()).await {
            Err(error) if may_pass(&error) && watch.elapsed() + AGAIN_AFTER < wait => {
                if !std::mem::replace(&mut announced, true) {
                    let seconds = wait.as_secs();
                    tell(&format!("{what}: {error}; trying again for {seconds} seconds"));
                }
                tokio::time::sleep(AGAIN_AFTER).await;
            }
            outcome => return outcome,
        }
    }
}
