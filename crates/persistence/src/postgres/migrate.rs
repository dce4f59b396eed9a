//! Migrations, under a lock that ends with its transaction, wherever the connection goes.
use super::connect::{establish, refused};
use crate::{Error, MigrationState, ReportWait, Result};
use database::postgres::config::Config;
use database::postgres::migration_lock::lock;
use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{AsyncMigrationHarness, RunQueryDsl, SimpleAsyncConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use tokio::runtime::Handle;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");
/// What Citus wants to be told, lest it refuses triggers, and functions where a table has been changed in the same transaction.
/// Other databases know no such settings, and keep them.
const ON_NODES: &str = "SET citus.enable_unsafe_triggers = on; \
                        SET citus.multi_shard_modify_mode = 'sequential'";
/// Brings the tables up to date; returns whether there was anything to do.
///
/// On two connections: one holds the lock in a transaction, so that a pooler cannot lend it on with the lock,
/// and the other migrates.
pub(super) async fn run(
    config: &Config,
    runtime: &Handle,
    report_wait: ReportWait<'_>,
) -> Result<bool> {
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
    // Should this fail, the lock ends with its connection.
    let released = holder.batch_execute("COMMIT").await;
    let has_run = migrated?;
    released.map_err(|error| refused(&error))?;
    Ok(has_run)
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
