//! PostgreSQL: a pool of tokio-postgres connections, and batches for what is asked most.
mod batchers;
mod by_node;
mod distribute;
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
use database::postgres::nodes::{Connecting, Nodes};
use database::postgres::route::Route;
use diesel::sql_types::{Array, BigInt, Nullable};
use diesel_async::pooled_connection::deadpool::Pool;
use diesel_async::{AsyncConnection as Transactional, RunQueryDsl};
use domain::id::OrganizationId;
use futures_util::future::{BoxFuture, FutureExt};
pub(crate) use inspect::{inspect, inspect_standby};
use lending::PoolMode;
use pooled::Fate;
pub(crate) use position::session_and_seen;
use standby::Standby;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tracing::Instrument as _;

pub use database::postgres::Conn;
use database::postgres::pool::pool;
use database::postgres::{connect, lending, nodes, notifications, pooled, pooler};

/// A connection on which several statements may be under way.
type SharedConn<'c> = &'c Conn;

/// A connection to be shared.
macro_rules! shared {
    ($conn:expr) => {
        &mut &*$conn
    };
}

/// Does several things on one connection: each statement is sent without waiting for the answer to the one before
/// (pipelining), and they are carried out in the order in which they stand here.
macro_rules! together {
    ($conn:ident; $($work:expr),+ $(,)?) => {{
        let shared: SharedConn<'_> = $conn;
        tokio::try_join!(biased; $(async {
            let mut its_own = shared;
            let $conn = &mut its_own;
            $work.await
        }),+)
    }};
}

/// The same with each of several parts.
macro_rules! each_together {
    ($conn:ident; $part:ident in $parts:expr => $work:expr) => {{
        let shared: SharedConn<'_> = $conn;
        let work = $parts.map(|$part| async move {
            let mut its_own = shared;
            let $conn = &mut its_own;
            $work.await
        });
        futures_util::future::try_join_all(work).await
    }};
}

/// Rows somebody else is working on are passed over.
macro_rules! unclaimed {
    ($rows:expr) => {
        $rows.for_update().skip_locked()
    };
}

/// Rows are held until the transaction ends.
macro_rules! held {
    ($rows:expr) => {
        $rows.for_update()
    };
}

/// The same, locked in the order of a text, lest two transactions wait for each other.
macro_rules! held_in_order {
    ($rows:expr, $order:expr) => {
        $rows.order($crate::byte_order::InBytes($order)).for_update()
    };
}

/// Rows that stay as long as the transaction lasts; their other columns may change.
macro_rules! kept {
    ($rows:expr) => {
        $rows.for_key_share()
    };
}

/// Prepared once for each text, which grows with the rows that a statement is about (see `inserts`).
macro_rules! prepared {
    ($query:expr) => {
        $crate::cached::Cached($query)
    };
}

#[path = "queries/mod.rs"]
pub(crate) mod queries;

/// Maximum number of rows of one `INSERT`: a statement has at most 65,535 values, and no row of ours has 60.
const ROWS: usize = 512;

/// How rows are shared out over `INSERT` statements: the number in each is a power of two, so that few texts are
/// prepared however many rows there are.
fn inserts<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let most = rows.len().min(ROWS).checked_ilog2()?;
        let (some, rest) = rows.split_at_checked(1 << most)?;
        rows = rest;
        Some(some)
    })
}

/// The values of an `= ANY(…)`: one text, however many there are.
fn listed<T>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    values.into_iter().collect()
}

/// Rows of one `INSERT` statement.
type Rows<'r, T> = &'r [T];

/// Writes events down: one statement, and one text of it for several, however many there are. A single one is written by its
/// values, which go to its node of a distributed database as they are.
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

/// Lets the statements of this transaction take nearly as long as a long operation may.
async fn allow_long(conn: &mut Conn) -> Result<()> {
    diesel::sql_query("SET LOCAL statement_timeout = 55000").execute(conn).await?;
    Ok(())
}

/// An operation that hands its answer to its caller by itself, and says what is to become of its connection. It is boxed,
/// so that what runs operations is compiled once and not for each of them.
type Job = Box<dyn for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, ())> + Send>;

/// A PostgreSQL database. Cheap to clone.
#[derive(Clone)]
pub struct Db {
    pool: Pool<Conn>,
    /// The connections of what it is asked.
    route: Route,
    nodes: Arc<Nodes>,
    runtime: Handle,
    gathered: Arc<Batchers>,
    config: Arc<Config>,
    lending: PoolMode,
    standby: Arc<OnceLock<Arc<Standby>>>,
}

impl Db {
    /// Connects to `url` and keeps at most `connections` open.
    pub async fn open(url: &str, connections: usize, report_wait: ReportWait<'_>) -> Result<Self> {
        let runtime = Handle::current();
        let config = Config::read(url)?;
        let lending = pooler::lending(&config).await?;
        if migrate::run(&config, &runtime, report_wait).await? {
            distribute::new_tables(&config, report_wait).await?;
        }
        Self::over(config, lending, connections, runtime).await
    }

    async fn over(
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
        let gathered = Arc::new(Batchers::over(&nodes, &runtime, &standby));
        let route = nodes.coordinator();
        let config = Arc::new(config);
        Ok(Self { pool, route, nodes, runtime, gathered, config, lending, standby })
    }

    /// Reads what may be read from a standby from the one behind `url`, whenever it can be used.
    pub(crate) fn read_from_standby(&self, url: &str, connections: usize) -> Result<()> {
        let standby = Standby::watch(url, connections, &self.pool, &self.runtime)?;
        self.standby.get_or_init(|| standby);
        Ok(())
    }

    /// The standby, for whoever has to see what the primary had written there.
    pub(crate) fn standby_for(&self, seen: Seen) -> Option<(&Standby, Position)> {
        self.standby.get().map(Arc::as_ref).zip(seen.0)
    }

    pub(crate) fn has_standby(&self) -> bool {
        self.standby.get().is_some()
    }

    /// Connects to `url` as it is: nothing is migrated. For whoever only reads.
    pub async fn attach(url: &str, connections: usize) -> Result<Self> {
        let runtime = Handle::current();
        let config = Config::read(url)?;
        let lending = pooler::lending(&config).await?;
        Self::over(config, lending, connections, runtime).await
    }

    /// Notifies all servers that listen that something is due for organizations.
    pub(crate) async fn notify_work(&self, due: Vec<OrganizationId>) -> Result<()> {
        let due: Vec<_> = due.iter().map(|id| *id.uuid()).collect();
        self.write(move |conn| async move { notifications::notify(conn, &due).await }.boxed()).await
    }

    /// Listens for notifications, until the connection ends; always ends with an error.
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

    /// Whether its rows are on several nodes.
    pub(crate) fn has_several_nodes(&self) -> bool {
        self.nodes.are_several()
    }

    /// Distributes the tables of a PostgreSQL with the extension Citus over its nodes, and says of each when it is done.
    pub async fn distribute(url: &str, tell: ReportWait<'_>) -> Result<()> {
        distribute::distribute(url, tell).await
    }

    /// How the tables are distributed; nothing if the extension is not there.
    pub async fn distribution(url: &str) -> Result<Option<Distribution>> {
        distribute::look(url).await
    }

    /// Which migrations there are, and whether each has run.
    pub async fn migrations(url: &str) -> Result<Vec<MigrationState>> {
        migrate::states(&Config::read(url)?).await
    }

    /// The versions of the migrations that have run and that this program does not know.
    pub async fn unknown_migrations(url: &str) -> Result<Vec<String>> {
        Ok(migrate::pending_and_unknown(&Config::read(url)?).await?.1)
    }

    /// Runs `operation` on a connection of the pool, to its end even if the caller is dropped, as actix
    /// drops a handler whose client left: a connection whose operation was broken off has to be closed,
    /// and clients that leave would cost one each.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`] when it has not begun, [`Error::Unknown`] when it was not heard of in time.
    pub async fn write<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> Result<R> {
        self.within(OPERATION, timed(operation)).await
    }

    /// The same: here writers do not wait for each other.
    pub fn write_after<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.write(operation)
    }

    /// The same for an operation that may take long.
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
                let fate = Fate::after(&outcome);
                // It fails where the caller no longer waits.
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
        ended.map_err(|error| Error::Unknown(error.to_string()))?
    }

    /// The same for an operation that changes nothing.
    pub fn read<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.within(OPERATION, operation)
    }

    /// The same: here nobody's thread waits for a query.
    pub fn long_read<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>> + Send + 'static,
    ) -> impl Future<Output = Result<R>> {
        self.within(OPERATION, operation)
    }
}

/// An operation that writes, with the time that it takes told.
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

#[cfg(test)]
mod tests {
    use super::inserts;

    #[test]
    fn rows_are_inserted_in_groups_whose_sizes_are_powers_of_two() {
        let sizes = |rows: usize| inserts(&vec![(); rows]).map(<[()]>::len).collect::<Vec<_>>();
        assert_eq!(sizes(0), [0; 0]);
        assert_eq!(sizes(45), [32, 8, 4, 1]);
        assert_eq!(sizes(1300), [512, 512, 256, 16, 4]);
    }
}
