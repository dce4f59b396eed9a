//! PostgreSQL: a pool of tokio-postgres connections, and batches for the most frequent queries.
mod batchers;
mod by_node;
mod contacts;
mod distribute;
pub(crate) mod distribution;
mod inbox;
mod inspect;
mod migrate;
mod outbox;
mod position;
mod standby;

use crate::cached::Cached;
use crate::deadline::{LONG_OPERATION, OPERATION, within_request};
use crate::inspection::Distribution;
use crate::records::Event;
use crate::seen::{Position, Seen};
use crate::timing::Moment;
use crate::types::{Doc, Label, Uid, Utc};
use crate::{Error, MigrationState, ReportWait, Result};
use batchers::Batchers;
use database::postgres::config::Config;
use database::postgres::inserts::inserts;
use database::postgres::nodes::{Connecting, Nodes};
use database::postgres::route::Route;
use database::postgres::run_query::RunQueryDsl;
use diesel::sql_types::{Array, BigInt, Nullable};
use diesel_async::AsyncConnection as Transactional;
use diesel_async::pooled_connection::deadpool::Pool;
use domain::id::OrganizationId;
use futures_util::future::{BoxFuture, FutureExt};
pub(crate) use inspect::{inspect, inspect_standby};
use pool_mode::PoolMode;
use pooled::ConnectionDisposition;
pub(crate) use position::session_and_seen;
use standby::Standby;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::Instrument as _;

pub use database::postgres::Conn;
use database::postgres::pool::pool;
use database::postgres::{connect, nodes, notifications, pool_mode, pooled, pooler, requirements};

/// The database that the queries of this module are for.
type Backend = diesel::pg::Pg;

/// A connection that several statements may use at the same time.
type SharedConn<'c> = &'c Conn;

/// Borrows a connection as a [`SharedConn`].
macro_rules! shared {
    ($conn:expr) => {
        &mut &*$conn
    };
}

/// Runs several queries on one connection. Each statement is sent without waiting for the answer to
/// the previous one (pipelining). The server executes the statements in the order of the arguments.
macro_rules! pipelined {
    ($conn:ident; $($work:expr),+ $(,)?) => {{
        let shared: SharedConn<'_> = $conn;
        tokio::try_join!(biased; $(async {
            let mut its_own = shared;
            let $conn = &mut its_own;
            $work.await
        }),+)
    }};
}

/// Runs one query for each part, pipelined as in `pipelined!`.
macro_rules! pipelined_each {
    ($conn:ident; $part:pat_param in $parts:expr => $work:expr) => {{
        let shared: SharedConn<'_> = $conn;
        let work = $parts.map(|$part| async move {
            let mut its_own = shared;
            let $conn = &mut its_own;
            $work.await
        });
        futures_util::future::try_join_all(work).await
    }};
}

/// Locks the selected rows and skips those that another transaction has locked (`FOR UPDATE SKIP
/// LOCKED`).
macro_rules! skip_locked {
    ($rows:expr) => {
        $rows.for_update().skip_locked()
    };
}

/// Locks the selected rows until the transaction ends (`FOR UPDATE`).
macro_rules! for_update {
    ($rows:expr) => {
        $rows.for_update()
    };
}

/// Locks the selected rows in the byte order of a text column. All transactions lock them in this
/// order, to avoid deadlocks.
macro_rules! for_update_ordered {
    ($rows:expr, $order:expr) => {
        $rows.order($crate::byte_order::InBytes($order)).for_update()
    };
}

/// Keeps the selected rows from being deleted, and their keys from being changed, until the
/// transaction ends. Other columns may change (`FOR KEY SHARE`).
macro_rules! for_key_share {
    ($rows:expr) => {
        $rows.for_key_share()
    };
}

/// Caches the prepared statement by its text. The text varies with the number of rows (see
/// `inserts`).
macro_rules! prepared {
    ($query:expr) => {
        $crate::cached::Cached($query)
    };
}

#[path = "queries/mod.rs"]
pub(crate) mod queries;

/// Collects the values of an `= ANY(…)`. The text of the statement is the same for any number of
/// values.
fn listed<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect()
}

type Rows<'r, T> = &'r [T];

/// Inserts events. Several events are inserted with one statement, whose text is the same for any
/// number of rows. A single event is inserted with a plain `INSERT … VALUES`, which a distributed
/// database sends directly to the event's node.
async fn insert_events(conn: &mut Conn, rows: Vec<Event>) -> Result<()> {
    if let [only] = rows.as_slice() {
        let insert = diesel::insert_into(crate::schema::events::table).values(only);
        Cached(insert).execute(conn).await?;
        return Ok(());
    }
    let insert = "INSERT INTO events (organization_id, sequence, id, kind, account_id, subject, \
                  connection_id, endpoint_id, data, at, contact) \
                  SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let insert = diesel::sql_query(insert)
        .bind::<Array<Uid>, _>(rows.iter().map(|row| row.organization_id).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(rows.iter().map(|row| row.sequence).collect::<Vec<_>>())
        .bind::<Array<Uid>, _>(rows.iter().map(|row| row.id).collect::<Vec<_>>())
        .bind::<Array<Label>, _>(rows.iter().map(|row| row.kind).collect::<Vec<_>>())
        .bind::<Array<Nullable<Uid>>, _>(rows.iter().map(|it| it.account_id).collect::<Vec<_>>())
        .bind::<Array<Nullable<Uid>>, _>(rows.iter().map(|it| it.subject).collect::<Vec<_>>())
        .bind::<Array<Nullable<Uid>>, _>(rows.iter().map(|it| it.connection_id).collect::<Vec<_>>())
        .bind::<Array<Nullable<Uid>>, _>(rows.iter().map(|it| it.endpoint_id).collect::<Vec<_>>())
        .bind::<Array<Nullable<Doc>>, _>(rows.iter().map(|it| it.data.clone()).collect::<Vec<_>>())
        .bind::<Array<Utc>, _>(rows.iter().map(|row| row.at).collect::<Vec<_>>())
        .bind::<Array<Nullable<Doc>>, _>(
            rows.iter().map(|it| it.contact.clone()).collect::<Vec<_>>(),
        );
    Cached(insert).execute(conn).await?;
    Ok(())
}

/// Raises the statement timeout of this transaction to 55 s, which is a little less than the limit
/// of a long operation.
async fn allow_long(conn: &mut Conn) -> Result<()> {
    diesel::sql_query("SET LOCAL statement_timeout = 55000").execute(conn).await?;
    Ok(())
}

/// An operation that itself sends its result to its caller, and returns whether its connection can
/// be used again. The operation is boxed, so that the code that runs operations is compiled only
/// once.
type Job =
    Box<dyn for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, ())> + Send>;

/// A PostgreSQL database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pool: Pool<Conn>,
    /// The route to the connections that operations use.
    route: Route,
    nodes: Arc<Nodes>,
    runtime: Handle,
    gathered: Arc<Batchers>,
    config: Arc<Config>,
    lending: PoolMode,
    standby: Arc<OnceLock<Arc<Standby>>>,
}

impl Db {
    /// Connects to `url` and runs the pending migrations. The pool has at most `connections`
    /// connections.
    pub async fn open(url: &str, connections: usize, report_wait: ReportWait<'_>) -> Result<Self> {
        let runtime = Handle::current();
        let config = Config::read(url)?;
        let facts = requirements::check(&config).await?;
        let lending = pooler::detect_pool_mode(&config).await?;
        // If all migrations have run, the role does not need the right to create tables.
        let is_closed = !facts.may_create_tables();
        let migrated = if is_closed && migrate::pending_and_unknown(&config).await?.0.is_empty() {
            Ok(false)
        } else {
            migrate::run(&config, &runtime, report_wait).await
        };
        if matches!(migrated, Err(Error::Migrate(_))) {
            facts.check_migrations()?;
        }
        if migrated? {
            distribute::new_tables(&config, report_wait).await?;
        }
        Self::with_pool_mode(config, lending, connections, runtime).await
    }

    async fn with_pool_mode(
        config: Config,
        lending: PoolMode,
        connections: usize,
        runtime: Handle,
    ) -> Result<Self> {
        let pool = pool(&config, lending, connections, &runtime, "")?;
        let (home, settings) = (runtime.clone(), config.clone());
        let connecting = Connecting { config: settings, lending, connections, runtime: home };
        let (nodes, standby) =
            (Nodes::watch(&pool, connecting).await, Arc::<OnceLock<_>>::default());
        let gathered = Arc::new(Batchers::new(&nodes, &runtime, &standby));
        let route = nodes.coordinator();
        let config = Arc::new(config);
        Ok(Self { pool, route, nodes, runtime, gathered, config, lending, standby })
    }

    /// Serves reads from the standby behind `url` whenever it is usable.
    pub(crate) fn read_from_standby(&self, url: &str, connections: usize) -> Result<()> {
        let standby = Standby::watch(url, connections, &self.pool, &self.runtime)?;
        self.standby.get_or_init(|| standby);
        Ok(())
    }

    /// Returns the standby and the position that it must have replayed for this caller, if both are
    /// known.
    pub(crate) fn standby_for(&self, seen: Seen) -> Option<(&Standby, Position)> {
        self.standby.get().map(Arc::as_ref).zip(seen.0)
    }

    pub(crate) fn has_standby(&self) -> bool {
        self.standby.get().is_some()
    }

    /// Connects to `url` for reading only. Nothing is migrated.
    pub async fn attach(url: &str, connections: usize) -> Result<Self> {
        let runtime = Handle::current();
        let config = Config::read(url)?;
        let lending = pooler::detect_pool_mode(&config).await?;
        Self::with_pool_mode(config, lending, connections, runtime).await
    }

    /// Notifies all listening instances that these organizations have work due.
    pub(crate) async fn notify_work(&self, due: Vec<OrganizationId>) -> Result<()> {
        let due: Vec<_> = due.iter().map(|id| *id.uuid()).collect();
        self.write(move |conn| async move { notifications::notify(conn, &due).await }.boxed()).await
    }

    /// Listens for notifications until the connection ends. Always returns an error.
    pub(crate) async fn listen_for_work(
        &self,
        heard: &(dyn Fn(OrganizationId) + Sync),
    ) -> Result<()> {
        let heard = |id| heard(OrganizationId::from_uuid(id));
        notifications::listen_for_work(&self.config, self.lending, &heard).await
    }

    pub(crate) fn gathered(&self) -> &Batchers {
        &self.gathered
    }

    /// Whether the rows are distributed over several nodes.
    pub(crate) fn has_several_nodes(&self) -> bool {
        self.nodes.are_several()
    }

    /// Distributes the tables of a PostgreSQL database with the Citus extension over its nodes, and
    /// reports each finished table.
    pub async fn distribute(url: &str, tell: ReportWait<'_>) -> Result<()> {
        distribute::distribute(url, tell).await
    }

    /// Returns how the tables are distributed, or `None` if Citus is not installed.
    pub async fn distribution(url: &str) -> Result<Option<Distribution>> {
        distribute::read_distribution(url).await
    }

    /// Returns all migrations of this program, and whether each has run.
    pub async fn migrations(url: &str) -> Result<Vec<MigrationState>> {
        migrate::states(&Config::read(url)?).await
    }

    /// Returns the versions of migrations that have run and that this program does not know.
    pub async fn unknown_migrations(url: &str) -> Result<Vec<String>> {
        Ok(migrate::pending_and_unknown(&Config::read(url)?).await?.1)
    }

    /// Runs `operation` on a connection of the pool. The operation runs to its end even if the
    /// caller is dropped, as actix drops a handler whose client has disconnected. Otherwise every
    /// such client would cost a connection, because the connection of an interrupted operation has
    /// to be closed.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`] if the operation did not begin, [`Error::Unknown`] if no result came in
    /// time.
    pub async fn write<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        self.within(OPERATION, timed(operation)).await
    }

    /// Does the same as [`Self::write`], because writers do not wait for each other on PostgreSQL.
    pub fn write_after<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.write(operation)
    }

    /// Runs an operation as [`Self::write`] does, but with the time limit of a long operation.
    pub async fn long_write<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        self.within(LONG_OPERATION, timed(operation)).await
    }

    async fn within<R: Send + 'static>(
        &self,
        limit: Duration,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        let (answer, mut answered) = oneshot::channel();
        let job: Job = Box::new(move |conn| {
            let work = operation(conn);
            async move {
                let outcome = work.await;
                let fate = ConnectionDisposition::after(&outcome);
                // Sending fails if the caller no longer waits.
                drop(answer.send(outcome));
                (fate, ())
            }
            .boxed()
        });
        self.run(limit, job).await?;
        let lost = |_| Error::Unknown("the operation ended without an answer".to_owned());
        answered.try_recv().map_err(lost)?
    }

    async fn run(&self, limit: Duration, job: Job) -> Result<()> {
        let route = self.route.clone();
        let work = async {
            self.runtime
                .spawn(async move { route.on_within(limit, job).await }.in_current_span())
                .await
        };
        let late = || Error::Unknown("the request's time for the database is over".to_owned());
        let ended = within_request(work).await.ok_or_else(late)?;
        ended.map_err(|error| {
            // After a panic the connection was closed without a commit.
            let kind = if error.is_panic() { Error::Internal } else { Error::Unknown };
            kind(error.to_string())
        })?
    }

    /// Runs an operation that changes nothing, in the same way as [`Self::write`].
    pub fn read<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.within(OPERATION, operation)
    }

    /// Does the same as [`Self::read`], because no thread blocks on a query on PostgreSQL.
    pub fn long_read<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.within(OPERATION, operation)
    }
}

/// Wraps an operation that writes, and reports how long it took.
fn timed<R: Send + 'static>(
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
) -> impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static {
    move |conn| {
        let begins = Moment::now();
        let work = operation(conn);
        Box::pin(async move {
            let outcome = work.await;
            if outcome.is_ok() {
                begins.committed();
            }
            outcome
        })
    }
}
