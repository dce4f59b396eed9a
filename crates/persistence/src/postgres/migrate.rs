//! Migrations, under a lock that ends with its transaction, wherever the connection goes.
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

/// What holds in the transaction of each migration, and there only: a pooler may lend the connection to others after it. However
/// long one takes, it is not ended by limits that the role has for requests (`docs/deploy/pgbouncer.md`), nor planned by what suits
/// these. And Citus refuses triggers else, and functions where a table has been changed in the same transaction; other databases
/// know no such settings, and keep them.
const TRANSACTION: &str = "SET LOCAL statement_timeout = 0; \
                           SET LOCAL lock_timeout = 0; \
                           SET LOCAL idle_in_transaction_session_timeout = 0; \
                           SET LOCAL enable_seqscan = on; \
                           SET LOCAL citus.enable_unsafe_triggers = on; \
                           SET LOCAL citus.multi_shard_modify_mode = 'sequential'";

/// A migration that begins with the settings of its transaction.
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
    let conn = establish(config).await?;
    let (progress, mut reports) = unbounded_channel();
    // The harness blocks, which a current-thread runtime (actix's) forbids anywhere but here.
    let migrated = runtime.spawn_blocking(move || {
        let mut harness = AsyncMigrationHarness::new(conn);
        // A caller that is gone needs no progress, and the migrations go on.
        let tell = |what: &str| drop(progress.send(what.to_owned()));
        run_pending(&mut harness, MIGRATIONS, |it| Box::new(WithSettings(it)), &tell)
            .map_err(|error| error.to_string())
    });
    while let Some(what) = reports.recv().await {
        report_wait(&what);
    }
    let migrated = migrated.await.map_err(|error| Error::Migrate(error.to_string()))?;
    // Should this fail, the lock ends with its connection.
    let released = holder.batch_execute("COMMIT").await;
    let has_run = migrated.map_err(Error::Migrate)?;
    released.map_err(|error| refused(&error))?;
    Ok(has_run)
}

/// Which migrations there are, and whether each has run. Makes nothing: diesel's harness would make the table
/// that it reads.
pub(super) async fn states(config: &Config) -> Result<Vec<MigrationState>> {
    crate::migration_states::<Pg>(&applied(config).await?, &MIGRATIONS)
}

/// Which migrations have not run yet, and the versions of those that have and are none of this program.
pub(super) async fn pending_and_unknown(config: &Config) -> Result<(Vec<String>, Vec<String>)> {
    crate::pending_and_unknown::<Pg>(&applied(config).await?, &MIGRATIONS)
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
