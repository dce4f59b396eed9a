//! Gauges and a warning for the queue of callbacks and for held accounts.

use persistence::Result;
use platform::Deps;
use std::time::Duration;

/// The waiting time of a callback from which a warning is logged.
const LONG: Duration = Duration::from_mins(1);

pub async fn gauge(deps: &Deps) -> Result<()> {
    let (waiting, oldest) = waiting(deps).await?;
    let dead = deps.db.operator().count_alarming_dead_callbacks().await?;
    let held = deps.db.operator().count_held_accounts().await?;
    metrics::gauge!("switchboard_callbacks_oldest_age_seconds").set(oldest.as_secs_f64());
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
    {
        metrics::gauge!("switchboard_waiting_callbacks").set(waiting as f64);
        metrics::gauge!("switchboard_dead_callbacks").set(dead as f64);
        metrics::gauge!("switchboard_held_accounts").set(held as f64);
    }
    Ok(())
}

/// Logs a warning if callbacks have waited for long.
pub async fn warn(deps: &Deps) -> Result<()> {
    let (waiting, oldest) = waiting(deps).await?;
    if oldest > LONG {
        let seconds = oldest.as_secs();
        tracing::warn!(
            waiting,
            oldest_seconds = seconds,
            "callbacks of the channel are waiting to be processed"
        );
    }
    Ok(())
}

/// Returns the number of waiting callbacks, and the waiting time of the oldest.
async fn waiting(deps: &Deps) -> Result<(i64, Duration)> {
    let now = deps.clock.now();
    let (count, oldest) = deps.db.operator().waiting_callbacks(now).await?;
    Ok((count, oldest.map_or(Duration::ZERO, |oldest| now.since(oldest))))
}
