//! Hears for which organizations other servers have accepted something, so that what this server works on leaves at once. Only on
//! PostgreSQL, which several servers may share.

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
            deps.due.hear(organization);
            deps.wakeups.accepted.notify_one();
        };
        match deps.db.hear_of_work(&heard).await {
            Err(Error::Unsupported(why)) => {
                tracing::info!(why, "messages that other servers accept are found by looking");
                return;
            }
            Err(error) => tracing::warn!(%error, "this server hears of nothing; it is retried"),
            Ok(()) => {}
        }
        tokio::time::sleep(RETRY_DELAY).await;
    }
}
