//! The lock for migrating a PostgreSQL database. The lock is released when its transaction ends,
//! which also works through a pooler.
use super::config::Config;
use super::connect::{in_time, raw, refused};
use super::pooler::first;
use crate::{ReportWait, Result};
use std::time::Duration;
use tokio_postgres::Client;

/// An arbitrary number. Every instance has to use the same one.
const LOCK: i64 = 7_262_016;
/// The interval between attempts to take the lock, and the number of attempts after which the
/// holder is reported.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(100);
const REPORT_AFTER: u32 = 20;

/// Waits for the lock without a limit, and reports its holder after a while. The lock is held as
/// long as the returned client's connection.
pub async fn lock(config: &Config, report_wait: ReportWait<'_>) -> Result<Client> {
    let holder = in_time(raw(config)).await?;
    // This connection stays idle in a transaction while another connection migrates, and the
    // database may have a timeout for that.
    let begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0";
    in_time(async { holder.batch_execute(begin).await.map_err(|error| refused(&error)) }).await?;
    let take = format!("SELECT pg_try_advisory_xact_lock({LOCK})");
    let mut tries: u32 = 0;
    while in_time(first(&holder, &take)).await?.as_deref() != Some("t") {
        tries = tries.saturating_add(1);
        if tries == REPORT_AFTER {
            let holder_name = in_time(first(&holder, &lock_holder())).await?;
            let holder_name =
                holder_name.unwrap_or_else(|| "a process that has just released it".to_owned());
            report_wait(&format!(
                "waiting for the lock on migrations, which is held by {holder_name}"
            ));
        }
        tokio::time::sleep(LOCK_POLL_INTERVAL).await;
    }
    Ok(holder)
}

fn lock_holder() -> String {
    format!(
        "SELECT 'process ' || a.pid || ' of PostgreSQL (' \
         || coalesce(nullif(a.application_name, ''), 'an application without a name') || ', from ' \
         || coalesce(host(a.client_addr), 'a local socket') || ', since ' \
         || to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') || ')' \
         FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid \
         WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 0 AND l.objid = {LOCK} \
         AND l.objsubid = 1 \
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
}
