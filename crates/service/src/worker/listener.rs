//! Listens for the organizations for which other servers have accepted messages, so that those that this server has claimed leave at
//! once. Only on PostgreSQL, which several servers may share.

use crate::Deps;
use persistence::{Db, Error};
use std::time::Duration;

/// How long to wait before listening again.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Listens until it is dropped.
pub async fn run(deps: &Deps) {
    if matches!(deps.db, Db::Sqlite(_)) {
        return;
    }
    loop {
        let heard = |organization| {
            deps.due.note_elsewhere(organization);
            deps.wakeups.accepted.notify_one();
        };
        match deps.db.listen_for_work(&heard).await {
            Err(Error::Unsupported(why)) => {
                tracing::info!(
                    why,
                    "no notifications: messages that other servers accept are found by polling"
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
