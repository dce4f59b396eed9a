//! Migrations, under a lock that ends with its transaction, wherever the connection goes.
use super::connect::{establish, in_time, raw, refused};
use super::distribute;
use super::pooler::first;
use crate::{Error, MigrationState, ReportWait, Result};
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncMigrationHarness, RunQueryDsl, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio_postgres::{Client, Config};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
/// Any number; it only has to be the same in every instance.
const LOCK: i64 = 7_262_016;
/// What Citus wants to be told, lest it refuses triggers, and functions where a table has been changed in the same transaction.
/// Other databases know no such settings, and keep them.
const ON_NODES: &str = "SET citus.enable_unsafe_triggers = on; \
                        SET citus.multi_shard_modify_mode = 'sequential'";
/// How often it is tried to take the lock, and after how many times somebody is told who has it.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(100);
const REPORT_AFTER: u32 = 20;

/// Brings the tables up to date.
///
/// On two connections: one holds the lock in a transaction, so that a pooler cannot lend it on with the lock,
/// and the other migrates.
pub(super) async fn run(
    config: &Config,
    runtime: &Handle,
    report_wait: ReportWait<'_>,
) -> Result<()> {
    let holder = lock(config, report_wait).await?;
    let mut conn = establish(config).await?;
    conn.batch_execute(ON_NODES).await?;
    // The harness blocks, which a current-thread runtime (actix's) forbids anywhere but here.
    let migrated = runtime.spawn_blocking(move || {
        let mut harness = AsyncMigrationHarness::new(conn);
        let done = harness.run_pending_migrations(MIGRATIONS).map(|run| !run.is_empty());
        done.map_err(|error| Error::Migrate(error.to_string()))
    });
    let migrated = migrated.await.map_err(|error| Error::Migrate(error.to_string()))?;
    let distributed = match migrated {
        Ok(true) => distribute::new_tables(config, report_wait).await,
        other => other.map(|_| ()),
    };
    // Should this fail, the lock ends with its connection.
    let released = holder.batch_execute("COMMIT").await;
    distributed?;
    released.map_err(|error| refused(&error))
}

/// Which migrations there are, and whether each has run. Makes nothing: diesel's harness would make the table
/// that it reads.
pub(super) async fn states(config: &Config) -> Result<Vec<MigrationState>> {
    crate::migration_states::<diesel::pg::Pg>(&applied(config).await?, &MIGRATIONS)
}

/// Which migrations have not run yet, and the versions of those that have and are none of this program.
pub(super) async fn pending_and_unknown(config: &Config) -> Result<(Vec<String>, Vec<String>)> {
    crate::pending_and_unknown::<diesel::pg::Pg>(&applied(config).await?, &MIGRATIONS)
}

async fn applied(config: &Config) -> Result<Vec<String>> {
    #[derive(QueryableByName)]
    struct Applied {
        #[diesel(sql_type = Text)]
        version: String,
    }
    let mut conn = establish(config).await?;
    let table = "SELECT tablename::text AS version FROM pg_tables \
                 WHERE tablename = '__diesel_schema_migrations'";
    let made: Vec<Applied> = diesel::sql_query(table).load(&mut conn).await?;
    let mut applied = Vec::new();
    if !made.is_empty() {
        let versions = diesel::sql_query("SELECT version FROM __diesel_schema_migrations");
        applied = versions.load::<Applied>(&mut conn).await?;
    }
    Ok(applied.into_iter().map(|it| it.version).collect())
}

/// Waits for the lock, as long as it takes, and says so. It is held as long as the connection is.
pub(super) async fn lock(config: &Config, report_wait: ReportWait<'_>) -> Result<Client> {
    let holder = in_time(raw(config)).await?;
    // While the other connection migrates this one is idle, and a limit for that may be set for the database.
    let begin = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0";
    in_time(async { holder.batch_execute(begin).await.map_err(|error| refused(&error)) }).await?;
    let take = format!("SELECT pg_try_advisory_xact_lock({LOCK})");
    let mut tries: u32 = 0;
    while in_time(first(&holder, &take)).await?.as_deref() != Some("t") {
        tries = tries.saturating_add(1);
        if tries == REPORT_AFTER {
            let who = in_time(first(&holder, &lock_holder())).await?;
            let who = who.unwrap_or_else(|| "somebody who has just let go of it".to_owned());
            report_wait(&format!("waiting for the lock on migrations, which is held by {who}"));
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
