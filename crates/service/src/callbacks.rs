//! Callbacks of the channel: stored as they arrive, and processed by a worker.

use domain::account::ChannelKind;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::Callback;
use platform::Deps;
use std::time::Duration;

/// Stores a callback whose signature was verified.
pub async fn store(deps: &Deps, channel: ChannelKind, payload: String) -> Result<()> {
    let now = deps.clock.now();
    let callback = Callback {
        id: deps.id::<domain::id::Callback>(now),
        channel,
        payload,
        attempts: 0.into(),
        due_at: now,
        received_at: now,
        lookups: 0.into(),
    };
    deps.db.keep_callback(callback).await?;
    metrics::counter!("switchboard_callbacks_received_total").increment(1);
    deps.wakeups.reported.notify_one();
    Ok(())
}

/// Creates the callback that a simulated channel will send after the given time.
pub fn simulated(
    deps: &Deps,
    channel: ChannelKind,
    after: Duration,
    payload: String,
    now: Timestamp,
) -> Callback {
    Callback {
        id: deps.id::<domain::id::Callback>(now),
        channel,
        payload,
        attempts: 0.into(),
        due_at: now.plus(after),
        received_at: now.plus(after),
        lookups: 0.into(),
    }
}
