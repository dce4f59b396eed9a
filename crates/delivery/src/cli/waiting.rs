//! Waiting at the start. A wait is reported after two seconds, and attempts are repeated for the
//! time in `--wait`.

use domain::time::seconds_in_words;
use persistence::ReportWait;
use platform::clock::Stopwatch;
use std::fmt::Display;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The time after which a wait is reported.
const REPORT_AFTER: Duration = Duration::from_secs(2);
/// The delay before another attempt.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Makes an attempt and reports it if it takes long, unless the attempt itself has reported
/// something.
async fn reporting_wait<T>(
    what: &str,
    report_wait: ReportWait<'_>,
    attempt: &impl AsyncFn(ReportWait<'_>) -> T,
) -> T {
    let has_spoken = AtomicBool::new(false);
    let tell = |said: &str| {
        has_spoken.store(true, Ordering::Relaxed);
        report_wait(said);
    };
    let mut work = pin!(attempt(&tell));
    if let Ok(done) = tokio::time::timeout(REPORT_AFTER, &mut work).await {
        return done;
    }
    if !has_spoken.load(Ordering::Relaxed) {
        report_wait(&format!("still waiting for {what}"));
    }
    work.await
}

/// Repeats an attempt until it succeeds, fails permanently, or `wait` is over.
pub async fn retrying<T, E: Display>(
    what: &str,
    wait: Duration,
    report_wait: ReportWait<'_>,
    attempt: impl AsyncFn(ReportWait<'_>) -> Result<T, E>,
    is_temporary: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let watch = Stopwatch::start();
    let mut announced = false;
    loop {
        match reporting_wait(what, report_wait, &attempt).await {
            Err(error) if is_temporary(&error) && watch.elapsed() + RETRY_DELAY < wait => {
                if !std::mem::replace(&mut announced, true) {
                    let seconds = seconds_in_words(wait.as_secs());
                    report_wait(&format!("{what}: {error}; trying again for {seconds}"));
                }
                tokio::time::sleep(RETRY_DELAY).await;
            }
            outcome => return outcome,
        }
    }
}
