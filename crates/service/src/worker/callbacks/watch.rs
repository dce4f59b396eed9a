//! What operators see of the queue of callbacks and of numbers that are held: gauges, and a line in the log when it does not drain.

use crate::Deps;
use persistence::Result;
use std::time::Duration;

/// A callback that has waited for longer than this is worth a line in the log.
const LONG: Duration = Duration::from_mins(1);

/// Sets the gauges.
pub async fn gauge(deps: &Deps) -> Result<()> {
    let (waiting, oldest) = waiting(deps).await?;
    let dead = deps.db.operator().count_alarming_dead_callbacks().await?;
    let held = deps.db.operator().count_held_accounts().await?;
    metrics::gauge!("callbacks_oldest_age_seconds").set(oldest.as_secs_f64());
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
    {
        metrics::gauge!("callbacks_waiting").set(waiting as f64);
        metrics::gauge!("callbacks_dead").set(dead as f64);
        metrics::gauge!("accounts_held").set(held as f64);
    }
    Ok(())
}

/// Says so when callbacks wait for long.
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

/// How many callbacks wait, and for how long the oldest has.
async fn waiting(deps: &Deps) -> Result<(i64, Duration)> {
    let now = deps.clock.now();
    let (count, oldest) = deps.db.operator().waiting_callbacks(now).await?;
    Ok((count, oldest.map_or(Duration::ZERO, |oldest| now.since(oldest))))
}
