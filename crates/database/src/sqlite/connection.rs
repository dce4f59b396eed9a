//! A SQLite connection on which a query runs at once, without futures that wait.
//!
//! The SQLite wrapper of diesel-async is not used. It prepares each query for another thread: it
//! builds the query's text each time and copies every row, which took four times as long as SQLite
//! itself. Queries therefore run with diesel's own traits, under the names that diesel-async gives
//! them (`docs/decisions/0078-sqlite-without-diesel-async.md`).
use crate::Error;
use diesel::connection::{
    AnsiTransactionManager as Tx, Connection as _, LoadConnection, SimpleConnection as _,
    TransactionManager,
};
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::LoadQuery;
use diesel::sql_types::Integer;
use diesel::sqlite::{Sqlite, SqliteConnection};
use diesel::{QueryResult, result};
use futures_util::FutureExt as _;
use std::future::{Ready, ready};

/// The connection type that the queries for SQLite take.
pub struct Conn {
    pub inner: SqliteConnection,
    /// Whether a part of the operation failed and its changes are still in the transaction.
    failed: bool,
}

impl Conn {
    #[must_use]
    pub const fn new(inner: SqliteConnection) -> Self {
        Self { inner, failed: false }
    }

    /// Runs statements given as text.
    pub fn batch_execute(&mut self, statements: &str) -> Ready<QueryResult<()>> {
        ready(self.inner.batch_execute(statements))
    }

    /// Returns whether a part of the operation failed since the last call. The whole operation then
    /// has to be rolled back.
    pub const fn take_failed(&mut self) -> bool {
        std::mem::replace(&mut self.failed, false)
    }
}

/// Runs queries. The returned futures are always ready.
pub trait RunQueryDsl: Sized {
    /// Runs a statement and returns the number of rows it changed.
    fn execute(self, conn: &mut Conn) -> Ready<QueryResult<usize>>
    where
        Self: QueryFragment<Sqlite> + QueryId,
    {
        ready(run(SqlCommand(self), &mut conn.inner))
    }

    fn load<'query, U>(self, conn: &mut Conn) -> Ready<QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'query, SqliteConnection, U>,
    {
        ready(self.internal_load(&mut conn.inner).and_then(Iterator::collect))
    }

    /// Returns all rows that a statement changed.
    fn get_results<'query, U>(self, conn: &mut Conn) -> Ready<QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'query, SqliteConnection, U>,
    {
        RunQueryDsl::load(self, conn)
    }

    /// Returns the first row, or `NotFound`.
    fn get_result<'query, U>(self, conn: &mut Conn) -> Ready<QueryResult<U>>
    where
        Self: LoadQuery<'query, SqliteConnection, U>,
    {
        let first = self.internal_load(&mut conn.inner);
        ready(first.and_then(|mut rows| rows.next().unwrap_or(Err(result::Error::NotFound))))
    }
}

impl<Query> RunQueryDsl for Query {}

/// A statement that returns no rows.
///
/// Diesel's `execute` passes on a reference to its statement, and a reference does not say that the
/// statement is [`crate::cached::Cached`] or [`crate::prepared::Prepared`]. Each `UPDATE` and each
/// `ON CONFLICT DO UPDATE` would be prepared again, which took a quarter of the writer's time. A
/// statement that is loaded is passed on by value.
struct SqlCommand<Q>(Q);

impl<Q: QueryId> QueryId for SqlCommand<Q> {
    type QueryId = Q::QueryId;
    const HAS_STATIC_QUERY_ID: bool = Q::HAS_STATIC_QUERY_ID;
}

impl<Q> Query for SqlCommand<Q> {
    type SqlType = Integer;
}

impl<Q: QueryFragment<Sqlite>> QueryFragment<Sqlite> for SqlCommand<Q> {
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, backend: &Sqlite) -> QueryResult<bool> {
        self.0.is_safe_to_cache_prepared(backend)
    }
}

/// A query that changes nothing. After it, diesel returns the number of rows that the statement
/// before it changed.
#[derive(QueryId)]
struct ChangedRows;

impl QueryFragment<Sqlite> for ChangedRows {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
        out.push_sql("SELECT 0");
        Ok(())
    }
}

/// Runs a statement and returns the number of rows it changed.
fn run<Q>(command: SqlCommand<Q>, conn: &mut SqliteConnection) -> QueryResult<usize>
where
    Q: QueryFragment<Sqlite> + QueryId,
{
    for row in LoadConnection::load(conn, command)? {
        row?;
    }
    conn.execute_returning_count(&ChangedRows)
}

/// A connection that runs work in a transaction.
pub trait Transactional {
    /// Runs the work in the open transaction, or in a new one if there is none. If the work fails
    /// in a transaction that was already open, the whole transaction is rolled back later.
    fn transaction<R, E>(
        &mut self,
        work: impl AsyncFnOnce(&mut Self) -> Result<R, E>,
    ) -> Ready<Result<R, E>>
    where
        E: From<result::Error>;
}

impl Transactional for Conn {
    fn transaction<R, E>(
        &mut self,
        work: impl AsyncFnOnce(&mut Self) -> Result<R, E>,
    ) -> Ready<Result<R, E>>
    where
        E: From<result::Error>,
    {
        ready(self.in_transaction(work))
    }
}

impl Conn {
    fn in_transaction<R, E>(
        &mut self,
        work: impl AsyncFnOnce(&mut Self) -> Result<R, E>,
    ) -> Result<R, E>
    where
        E: From<result::Error>,
    {
        let waits = || {
            let why = "an operation awaited more than its connection";
            E::from(result::Error::QueryBuilderError(why.into()))
        };
        let status = Tx::transaction_manager_status_mut(&mut self.inner);
        if status.transaction_depth()?.is_some() {
            let outcome = work(self).now_or_never().ok_or_else(waits).flatten();
            self.failed |= outcome.is_err();
            return outcome;
        }
        Tx::begin_transaction(&mut self.inner)?;
        let outcome = work(self).now_or_never().ok_or_else(waits).flatten();
        if outcome.is_ok() {
            Tx::commit_transaction(&mut self.inner)?;
        } else {
            Tx::rollback_transaction(&mut self.inner)?;
        }
        outcome
    }
}

/// Returns the result of a query's future. Query futures on SQLite are always ready: this polls
/// once, and returns an error if the future is not ready.
pub fn finish<T, E>(work: impl Future<Output = Result<T, E>>) -> crate::Result<T>
where
    Error: From<E>,
{
    let waits = || Error::Internal("an operation awaited more than its connection".to_owned());
    Ok(work.now_or_never().ok_or_else(waits)??)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cached::Cached;
    use crate::prepared::Prepared;
    use diesel::connection::InstrumentationEvent;
    use diesel::prelude::*;
    use std::sync::{Arc, Mutex};

    diesel::table! {
        counts (name) {
            name -> Text,
            count -> Integer,
        }
    }

    /// Returns a connection, and the texts of the statements that it keeps.
    fn connection() -> (Conn, Arc<Mutex<Vec<String>>>) {
        let mut inner = SqliteConnection::establish(":memory:").unwrap();
        inner.batch_execute("CREATE TABLE counts (name TEXT PRIMARY KEY, count INTEGER)").unwrap();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let texts = kept.clone();
        inner.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if let InstrumentationEvent::CacheQuery { sql, .. } = event {
                texts.lock().unwrap().push(sql.to_owned());
            }
        });
        (Conn::new(inner), kept)
    }

    fn execute(statement: impl QueryFragment<Sqlite> + QueryId, conn: &mut Conn) -> usize {
        finish(super::RunQueryDsl::execute(statement, conn)).unwrap()
    }

    /// The place of the update in the test.
    enum Place {}

    #[test]
    fn an_upsert_and_an_update_are_prepared_once() {
        let (mut conn, kept) = connection();
        for count in 0..3 {
            let row = (counts::name.eq("a"), counts::count.eq(count));
            let upsert = diesel::insert_into(counts::table)
                .values(row)
                .on_conflict(counts::name)
                .do_update()
                .set(counts::count.eq(count));
            assert_eq!(execute(Cached(upsert), &mut conn), 1);
            let all = diesel::update(counts::table).set(counts::count.eq(count));
            assert_eq!(execute(Prepared::<Place, _>::new(all), &mut conn), 1);
        }
        let of = |start: &str| {
            kept.lock().unwrap().iter().filter(|text| text.starts_with(start)).count()
        };
        assert_eq!(of("INSERT"), 1);
        assert_eq!(of("UPDATE"), 1);
    }

    #[test]
    fn the_number_of_changed_rows_is_that_of_the_statement() {
        let (mut conn, _) = connection();
        for name in ["a", "b"] {
            let insert = diesel::insert_into(counts::table)
                .values((counts::name.eq(name), counts::count.eq(1)));
            assert_eq!(execute(insert, &mut conn), 1);
        }
        let set = |found: bool| {
            let wanted = if found { 1 } else { 7 };
            diesel::update(counts::table.filter(counts::count.eq(wanted))).set(counts::count.eq(2))
        };
        assert_eq!(execute(Cached(set(false)), &mut conn), 0);
        assert_eq!(execute(Cached(set(true)), &mut conn), 2);
        assert_eq!(execute(Cached(set(true)), &mut conn), 0);
        let again = diesel::insert_into(counts::table)
            .values((counts::name.eq("a"), counts::count.eq(1)))
            .on_conflict_do_nothing();
        assert_eq!(execute(Cached(again), &mut conn), 0);
    }

    #[test]
    fn a_broken_rule_is_an_error() {
        let (mut conn, _) = connection();
        let row = || {
            let row = (counts::name.eq("a"), counts::count.eq(1));
            Cached(diesel::insert_into(counts::table).values(row))
        };
        assert_eq!(execute(row(), &mut conn), 1);
        let error = finish(super::RunQueryDsl::execute(row(), &mut conn)).unwrap_err();
        let kind = result::DatabaseErrorKind::UniqueViolation;
        let Error::Query(result::Error::DatabaseError(found, _)) = error else {
            panic!("{error:?}");
        };
        assert_eq!(format!("{found:?}"), format!("{kind:?}"));
    }
}
