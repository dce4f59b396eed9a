//! Listens for notifications of other instances. Another instance sends one when it has accepted
//! messages for an organization that this instance has claimed, so that they are sent at once. Runs
//! only on PostgreSQL, which several instances may share.

use persistence::{Db, Error};
use platform::Deps;
use std::time::Duration;

/// Time after which listening is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Listens until this future is dropped. Returns if the database offers no notifications.
pub async fn run(deps: &Deps) {
    if matches!(deps.db, Db::Sqlite(_)) {
        return;
    }
    loop {
        let heard = |organization| {
            deps.due.add_elsewhere(organization);
            deps.wakeups.accepted.notify_one();
        };
        match deps.db.listen_for_work(&heard).await {
            Err(Error::Unsupported(why)) => {
                tracing::info!(
                    why,
                    "notifications are not available; messages that other instances accept are found by polling"
                );
                return;
            }
            Err(error) => {
                tracing::warn!(%error, "listening for notifications failed; it is retried");
            }
            Ok(()) => {}
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
}
