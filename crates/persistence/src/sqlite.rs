//! The database on SQLite. Reads run on the calling thread, and all writes on one thread.
mod batchers;
mod inspect;

use crate::folder::{folder_of, is_folder, make_folder_of};
use crate::lock::{SERVER_LOCK, WRITE_LOCK, WriteGate};
use crate::records::Event;
use crate::schema::events;
use crate::{Error, MigrationState, ReportWait, Result};
use database::migrations::run_pending;
pub(crate) use database::sqlite::connection::Transactional;
use database::sqlite::connection::{RunQueryDsl, finish};
use database::sqlite::values::listed;
use database::sqlite::writer::{WriteOrder, Writer};
use database::sqlite::{checkpoints, establish, existing};
use diesel::connection::{AnsiTransactionManager as Tx, SimpleConnection as _, TransactionManager};
use diesel::deserialize::QueryableByName;
use diesel::sql_types::Text;
use diesel::sqlite::{Sqlite, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use batchers::Batchers;
pub use database::sqlite::connection::Conn;
pub use database::sqlite::copying::{bytes, copy};
pub(crate) use inspect::inspect;

/// The database that the queries of this module are for.
type Backend = diesel::sqlite::Sqlite;

/// A connection for several statements, which run one after the other. On PostgreSQL they run at
/// the same time.
type SharedConn<'c> = &'c mut Conn;

/// Borrows a connection as a [`SharedConn`].
macro_rules! shared {
    ($conn:expr) => {
        &mut &mut *$conn
    };
}

/// Runs several queries, one after the other.
macro_rules! pipelined {
    ($conn:ident; $($work:expr),+ $(,)?) => {{
        let mut its_own: SharedConn<'_> = $conn;
        let $conn = &mut its_own;
        Ok::<_, $crate::Error>(($($work.await?),+))
    }};
}

/// Runs one query for each part, one after the other.
macro_rules! pipelined_each {
    ($conn:ident; $part:pat_param in $parts:expr => $work:expr) => {{
        let mut all = Vec::new();
        for $part in $parts {
            all.push($work.await?);
        }
        Ok::<_, $crate::Error>(all)
    }};
}

/// Locks nothing. There is one writer, so no other transaction can lock a row.
macro_rules! skip_locked {
    ($rows:expr) => {
        $rows
    };
}

/// Locks nothing. There is one writer.
macro_rules! for_update {
    ($rows:expr) => {
        $rows
    };
}

/// Locks nothing and sorts nothing. There is one writer.
macro_rules! for_update_ordered {
    ($rows:expr, $order:expr) => {
        $rows
    };
}

/// Locks nothing. There is one writer.
macro_rules! for_key_share {
    ($rows:expr) => {
        $rows
    };
}

/// Caches the prepared statement by its place in the program. Its text is always the same, because
/// each statement is about one row.
macro_rules! prepared {
    ($query:expr) => {{
        enum Place {}
        $crate::prepared::Prepared::<Place, _>::new($query)
    }};
}

pub(crate) mod callers;
mod contacts;
mod inbox;
mod outbox;
#[path = "queries/mod.rs"]
#[expect(dead_code, reason = "only PostgreSQL batches lookups and counts")]
#[expect(clippy::mut_mut, reason = "a shared connection is a mutable reference here")]
pub(crate) mod queries;

/// Splits rows into groups of one row, one `INSERT` each. SQLite has no round trips to save, so
/// single rows are nearly as fast as one `INSERT` of many rows.
fn inserts<T>(rows: &[T]) -> std::slice::Iter<'_, T> {
    rows.iter()
}

/// Does nothing, because statements have no timeout on SQLite.
async fn allow_long(_: &mut Conn) -> Result<()> {
    Ok(())
}

type Rows<'r, T> = &'r T;

/// Inserts events, one statement each.
async fn insert_events(conn: &mut Conn, rows: Vec<Event>) -> Result<()> {
    for row in rows {
        diesel::insert_into(events::table).values(&row).execute(conn).await?;
    }
    Ok(())
}

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");

/// A SQLite database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    file: Arc<str>,
    idle: Arc<Mutex<Vec<Conn>>>,
    writer: Writer,
    runtime: Handle,
    gathered: Arc<OnceLock<Batchers>>,
}

impl Db {
    /// Opens `file`, creates it if there is none, and runs the pending migrations.
    pub fn open(file: &str, report_wait: ReportWait<'_>) -> Result<Self> {
        make_folder_of(file)?;
        restrict_permissions(file);
        let (gate, first_gate) = (WriteGate::new(file)?, WriteGate::new(file)?);
        let mut first = connect(file)?;
        migrate(&mut first.inner, &first_gate, report_wait)?;
        let writer = Writer::start(file.into(), gate)?;
        // The file exists now. Later connections only open an existing file, so that a removed file
        // is not silently replaced by an empty one.
        Ok(Self::with(existing(file).into(), first, writer))
    }

    fn with(file: Arc<str>, first: Conn, writer: Writer) -> Self {
        let (idle, gathered) = (Arc::new(Mutex::new(vec![first])), Arc::default());
        Self { file, idle, writer, runtime: Handle::current(), gathered }
    }

    /// Returns the batchers. They are created only when they are first needed, so that a command
    /// that does not need them does not wait for their tasks when it ends.
    pub(crate) fn gathered(&self) -> &Batchers {
        self.gathered.get_or_init(|| {
            let _here = self.runtime.enter();
            Batchers::new(&self.writer)
        })
    }

    /// Opens an existing file for reading only. Nothing is created or migrated, and no write is
    /// accepted.
    pub fn attach(file: &str) -> Result<Self> {
        let first = Conn::new(establish(&existing(file))?);
        Ok(Self::with(existing(file).into(), first, Writer::closed()))
    }

    /// Copies the whole write-ahead log into the file, unless another process is using the
    /// database. The file is then complete without the log.
    pub(crate) async fn copy_log(&self) -> Result<()> {
        let file = self.file.clone();
        let copied = tokio::task::spawn_blocking(move || {
            let mut conn = database::sqlite::connect(&file)?;
            Ok(conn.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)")?)
        });
        copied.await.map_err(|error| Error::Unknown(error.to_string()))?
    }

    /// Overwrites free pages of the file, and empties the write-ahead log.
    pub(crate) async fn erase_remains(&self) -> Result<()> {
        self.write_after(|conn| Box::pin(overwrite_free_pages(conn))).await?;
        self.copy_log().await
    }

    /// Returns all migrations of this program, and whether each has run. Creates and changes
    /// nothing.
    pub fn migrations(file: &str) -> Result<Vec<MigrationState>> {
        is_folder(folder_of(file))?;
        let applied = match Path::new(file).try_exists() {
            Ok(false) => Vec::new(),
            _ => applied_migrations(&mut establish(&existing(file))?)?,
        };
        crate::migration_states::<Sqlite>(&applied, &MIGRATIONS)
    }

    /// Returns the versions of migrations that have run and that this program does not know.
    pub fn unknown_migrations(file: &str) -> Result<Vec<String>> {
        let applied = applied_migrations(&mut establish(&existing(file))?)?;
        Ok(crate::pending_and_unknown::<Sqlite>(&applied, &MIGRATIONS)?.1)
    }

    /// Runs a read on the caller's thread. A query takes less time than a switch to another thread.
    #[expect(clippy::unused_async, reason = "the PostgreSQL version awaits")]
    pub async fn read<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        self.read_here(operation)
    }

    /// Runs a read on a blocking thread. A query that may look at thousands of rows would delay all
    /// other tasks on the caller's thread. The query runs to its end even if the caller is dropped.
    pub async fn long_read<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        let (db, span) = (self.clone(), tracing::Span::current());
        let (answer, mut answered) = oneshot::channel();
        let read: Box<dyn FnOnce() + Send> =
            Box::new(move || drop(answer.send(span.in_scope(|| db.read_here(operation)))));
        let read = tokio::task::spawn_blocking(read);
        read.await.map_err(|error| Error::Internal(error.to_string()))?;
        let lost = |_| Error::Unknown("the read ended without an answer".to_owned());
        answered.try_recv().map_err(lost)?
    }

    fn read_here<R>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
    ) -> Result<R> {
        let idle = self.idle.lock().pop();
        let mut conn = idle.map_or_else(|| connect(&self.file), Ok)?;
        let outcome = finish(operation(&mut conn));
        self.idle.lock().push(conn);
        outcome
    }

    /// Runs an operation on the writing thread and waits for its commit. The operation is committed
    /// even if the caller no longer waits. A request waits only until its deadline.
    pub async fn write<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        self.writer.write(WriteOrder::First, operation).await
    }

    /// Returns the number of commits that carried many requests.
    #[must_use]
    pub fn large_commits(&self) -> u64 {
        self.writer.large_commits()
    }

    /// Runs an operation of a worker like [`Self::write`], after the operations of requests.
    pub async fn write_after<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        self.writer.write(WriteOrder::AfterRequests, operation).await
    }

    /// Does the same as [`Self::write_after`], because writes have no timeout on SQLite.
    pub fn long_write<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.write_after(operation)
    }
}

/// Removes the permissions of other users from the database's files. Earlier versions created files
/// with such permissions. New files are private because of the process's umask.
fn restrict_permissions(file: &str) {
    for suffix in ["", "-wal", "-shm", SERVER_LOCK, WRITE_LOCK] {
        let path = format!("{file}{suffix}");
        let Ok(metadata) = std::fs::metadata(&path) else { continue };
        let open = metadata.is_file() && metadata.permissions().mode() & 0o077 != 0;
        if open && let Err(error) = std::fs::set_permissions(&path, Permissions::from_mode(0o600)) {
            tracing::warn!(%error, path, "others may read a file of the database");
        }
    }
}

fn migrate(
    conn: &mut SqliteConnection,
    gate: &WriteGate,
    report_wait: ReportWait<'_>,
) -> Result<()> {
    let states = crate::migration_states::<Sqlite>(&applied_migrations(conn)?, &MIGRATIONS)?;
    if states.iter().all(|state| state.applied) {
        return Ok(());
    }
    // The migrations run in one exclusive transaction, so that a second process waits and then
    // finds nothing to do.
    gate.pass(|| Ok(Tx::begin_transaction_sql(conn, "BEGIN EXCLUSIVE")?))?;
    let done = run_pending(conn, MIGRATIONS, |it| it, &|what| report_wait(what)).map(|_| ());
    let done = done.map_err(|error| Error::Migrate(error.to_string()));
    if done.is_err() {
        Tx::rollback_transaction(conn)?;
        return done;
    }
    Tx::commit_transaction(conn)?;
    // The process may end before its threads close their connections. Without this checkpoint the
    // new tables would be only in the write-ahead log, and would be missing in a copy of the file.
    if let Err(error) = checkpoints::checkpoint_passive(conn) {
        tracing::warn!(%error, "the tables could not be copied from the write-ahead log into the database file");
    }
    Ok(())
}

/// Returns the versions of the migrations that have run. Diesel's harness is not used, because it
/// would create the table that it reads.
fn applied_migrations(conn: &mut SqliteConnection) -> Result<Vec<String>> {
    #[derive(QueryableByName)]
    struct AppliedMigration {
        #[diesel(sql_type = Text)]
        version: String,
    }
    let table = "SELECT name AS version FROM sqlite_master WHERE type = 'table' \
                 AND name = '__diesel_schema_migrations'";
    if diesel::RunQueryDsl::load::<AppliedMigration>(diesel::sql_query(table), conn)?.is_empty() {
        return Ok(Vec::new());
    }
    let applied = diesel::sql_query("SELECT version FROM __diesel_schema_migrations");
    let applied = diesel::RunQueryDsl::load::<AppliedMigration>(applied, conn)?;
    Ok(applied.into_iter().map(|it| it.version).collect())
}

fn connect(file: &str) -> Result<Conn> {
    Ok(Conn::new(database::sqlite::connect(file)?))
}

/// Maximum size of the free pages that are overwritten at once. Further free pages stay as they
/// are; SQLite reuses them before the file grows.
const MAX_OVERWRITTEN: i64 = 64 << 20;

#[derive(diesel::QueryableByName)]
struct FreePages {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    bytes: i64,
}

/// Overwrites the free pages of the file with zeros. For this, a row that fills all of them is
/// inserted and deleted, and SQLite clears the pages that it frees. No other connection ever sees
/// the row.
#[expect(clippy::unused_async, reason = "a query is a future")]
async fn overwrite_free_pages(conn: &mut Conn) -> Result<()> {
    let free = "SELECT freelist_count * (page_size - 4) AS bytes \
                FROM pragma_freelist_count, pragma_page_size";
    let free: FreePages =
        diesel::RunQueryDsl::get_result(diesel::sql_query(free), &mut conn.inner)?;
    if free.bytes == 0 {
        return Ok(());
    }
    if free.bytes > MAX_OVERWRITTEN {
        tracing::warn!(
            bytes = free.bytes,
            "the free pages of the database are too many to overwrite"
        );
        return Ok(());
    }
    conn.inner.batch_execute(&format!(
        "PRAGMA secure_delete = ON;
         INSERT INTO server_keys (name, key, created_at) VALUES ('', zeroblob({}), 0);
         DELETE FROM server_keys WHERE name = '';
         PRAGMA secure_delete = FAST;",
        free.bytes
    ))?;
    Ok(())
}
