//! A connection on which a query runs where it is made.
//!
//! diesel-async's own wrapper makes queries fit to be handed to another thread: it writes the text of each anew, and
//! copies every row. That took four times as long as SQLite did, so queries are run with diesel's own traits, under the
//! names that diesel-async gives them (`docs/decisions/0078-sqlite-without-diesel-async.md`).
use diesel::connection::{AnsiTransactionManager as Tx, SimpleConnection as _, TransactionManager};
use diesel::query_dsl::LoadQuery;
use diesel::query_dsl::methods::ExecuteDsl;
use diesel::sqlite::SqliteConnection;
use diesel::{QueryResult, result};
use futures_util::FutureExt as _;
use std::future::{Ready, ready};

/// The connection the queries are compiled against.
pub struct Conn {
    /// Diesel's own.
    pub inner: SqliteConnection,
    /// Whether a part of the operation failed whose changes are there still.
    failed: bool,
}

impl Conn {
    /// Over diesel's own.
    #[must_use]
    pub const fn new(inner: SqliteConnection) -> Self {
        Self { inner, failed: false }
    }

    /// Runs statements that are given as a text.
    pub fn batch_execute(&mut self, statements: &str) -> Ready<QueryResult<()>> {
        ready(self.inner.batch_execute(statements))
    }

    /// Whether a part of the operation failed since this was last asked: then all of it has to be undone.
    pub const fn take_failed(&mut self) -> bool {
        std::mem::replace(&mut self.failed, false)
    }
}

/// Runs queries; what is awaited is there already.
pub trait RunQueryDsl: Sized {
    /// Runs a statement; gives how many rows it changed.
    fn execute(self, conn: &mut Conn) -> Ready<QueryResult<usize>>
    where
        Self: ExecuteDsl<SqliteConnection>,
    {
        ready(ExecuteDsl::execute(self, &mut conn.inner))
    }

    /// All rows.
    fn load<'query, U>(self, conn: &mut Conn) -> Ready<QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'query, SqliteConnection, U>,
    {
        ready(self.internal_load(&mut conn.inner).and_then(Iterator::collect))
    }

    /// All rows that a statement changed.
    fn get_results<'query, U>(self, conn: &mut Conn) -> Ready<QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'query, SqliteConnection, U>,
    {
        RunQueryDsl::load(self, conn)
    }

    /// The first row.
    fn get_result<'query, U>(self, conn: &mut Conn) -> Ready<QueryResult<U>>
    where
        Self: LoadQuery<'query, SqliteConnection, U>,
    {
        let first = self.internal_load(&mut conn.inner);
        ready(first.and_then(|mut rows| rows.next().unwrap_or(Err(result::Error::NotFound))))
    }
}

impl<Query> RunQueryDsl for Query {}

/// Work that is done as a whole or not at all.
pub trait Transactional {
    /// Does it in the transaction that is under way, which is undone as a whole if this fails; or else in one of its own.
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
