//! Runs migrations while holding a lock. The lock is released when its transaction ends, which also
//! works through a pooler.
use super::connect::{establish, refused};
use crate::{Error, MigrationState, ReportWait, Result};
use database::migrations::run_pending;
use database::postgres::config::Config;
use database::postgres::migration_lock::lock;
use diesel::QueryableByName;
use diesel::connection::BoxableConnection;
use diesel::migration::{Migration, MigrationMetadata, MigrationName};
use diesel::pg::Pg;
use diesel::sql_types::Text;
use diesel_async::{AsyncMigrationHarness, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use tokio::runtime::Handle;
use tokio::sync::mpsc::unbounded_channel;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/postgres");

/// The settings of the transaction of each migration. They are local to the transaction, because a
/// pooler may give the connection to other clients afterwards. A migration may take any time, so
/// the timeouts that the role has for requests (`docs/deploy/pgbouncer.md`) must not end it, and
/// planner settings for requests must not apply. Without the last two settings Citus rejects
/// triggers, and functions on a table that was changed in the same transaction. Databases without
/// Citus accept and ignore these two.
const TRANSACTION: &str = "SET LOCAL statement_timeout = 0; \
                           SET LOCAL lock_timeout = 0; \
                           SET LOCAL idle_in_transaction_session_timeout = 0; \
                           SET LOCAL enable_seqscan = on; \
                           SET LOCAL citus.enable_unsafe_triggers = on; \
                           SET LOCAL citus.multi_shard_modify_mode = 'sequential'";

/// A migration that first applies the settings of its transaction.
struct WithSettings(Box<dyn Migration<Pg>>);

impl Migration<Pg> for WithSettings {
    fn run(&self, conn: &mut dyn BoxableConnection<Pg>) -> diesel::migration::Result<()> {
        conn.batch_execute(TRANSACTION)?;
        self.0.run(conn)
    }

    fn revert(&self, conn: &mut dyn BoxableConnection<Pg>) -> diesel::migration::Result<()> {
        conn.batch_execute(TRANSACTION)?;
        self.0.revert(conn)
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        self.0.metadata()
    }

    fn name(&self) -> &dyn MigrationName {
        self.0.name()
    }
}

/// Runs the pending migrations. Returns whether there were any.
///
/// Uses two connections. The first one holds the lock in an open transaction, so that a pooler
/// cannot give the connection, and with it the lock, to another client. The second one runs the
/// migrations.
pub(super) async fn run(
    config: &Config,
    runtime: &Handle,
    report_wait: ReportWait<'_>,
) -> Result<bool> {
    let holder = lock(config, report_wait).await?;
    let conn = establish(config).await?;
    let (progress, mut reports) = unbounded_channel();
    // The harness blocks its thread. On a current-thread runtime, which actix uses, this is allowed
    // only on a thread for blocking work.
    let migrated = runtime.spawn_blocking(move || {
        let mut harness = AsyncMigrationHarness::new(conn);
        // Sending fails if the caller has stopped waiting. The migrations continue.
        let tell = |what: &str| drop(progress.send(what.to_owned()));
        run_pending(&mut harness, MIGRATIONS, |it| Box::new(WithSettings(it)), &tell)
            .map_err(|error| error.to_string())
    });
    while let Some(what) = reports.recv().await {
        report_wait(&what);
    }
    let migrated = migrated.await.map_err(|error| Error::Migrate(error.to_string()))?;
    // If the commit fails, the connection is closed, which also releases the lock.
    let released = holder.batch_execute("COMMIT").await;
    let has_run = migrated.map_err(Error::Migrate)?;
    released.map_err(|error| refused(&error))?;
    Ok(has_run)
}

/// Returns all migrations of this program, and whether each has run. Diesel's harness is not used,
/// because it would create the table that it reads.
pub(super) async fn states(config: &Config) -> Result<Vec<MigrationState>> {
    crate::migration_states::<Pg>(&applied(config).await?, &MIGRATIONS)
}

/// Returns the names of the migrations that have not run, and the versions that have run but are
/// unknown to this program.
pub(super) async fn pending_and_unknown(config: &Config) -> Result<(Vec<String>, Vec<String>)> {
    crate::pending_and_unknown::<Pg>(&applied(config).await?, &MIGRATIONS)
}

async fn applied(config: &Config) -> Result<Vec<String>> {
    #[derive(QueryableByName)]
    struct AppliedMigration {
        #[diesel(sql_type = Text)]
        version: String,
    }
    let mut conn = establish(config).await?;
    let table = "SELECT tablename::text AS version FROM pg_tables \
                 WHERE tablename = '__diesel_schema_migrations'";
    let made: Vec<AppliedMigration> = diesel::sql_query(table).load(&mut conn).await?;
    let mut applied = Vec::new();
    if !made.is_empty() {
        let versions = diesel::sql_query("SELECT version FROM __diesel_schema_migrations");
        applied = versions.load::<AppliedMigration>(&mut conn).await?;
    }
    Ok(applied.into_iter().map(|it| it.version).collect())
}
