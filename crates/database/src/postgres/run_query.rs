//! Runs diesel's queries on PostgreSQL.
//!
//! The methods have the names and bounds of diesel-async's, but return a boxed future. The type of
//! diesel-async's future contains the type of the query. The compiler then resolved all traits of
//! diesel again wherever it looked at such a future, which took most of the time in which it
//! checked `persistence`.
use diesel::QueryResult;
use diesel::dsl::Limit;
use diesel::query_dsl::methods::LimitDsl;
use diesel_async::AsyncConnectionCore;
use diesel_async::RunQueryDsl as Unboxed;
use diesel_async::methods::{ExecuteDsl, LoadQuery};
use futures_util::future::BoxFuture;

/// Runs queries on a connection, or on a reference to one for pipelining.
pub trait RunQueryDsl<C: AsyncConnectionCore + Send>: Sized {
    /// Runs a statement and returns the number of rows it changed.
    fn execute<'conn, 'query>(self, conn: &'conn mut C) -> BoxFuture<'conn, QueryResult<usize>>
    where
        Self: ExecuteDsl<C> + Send + 'query,
        'query: 'conn,
    {
        Box::pin(async { Unboxed::execute(self, conn).await })
    }

    fn load<'conn, 'query, U>(self, conn: &'conn mut C) -> BoxFuture<'conn, QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'query, C, U> + 'query,
        'query: 'conn,
        U: Send + 'conn,
    {
        Box::pin(Unboxed::load(self, conn))
    }

    /// Returns all rows that a statement changed.
    fn get_results<'conn, 'query, U>(
        self,
        conn: &'conn mut C,
    ) -> BoxFuture<'conn, QueryResult<Vec<U>>>
    where
        Self: LoadQuery<'query, C, U> + 'query,
        'query: 'conn,
        U: Send + 'conn,
    {
        RunQueryDsl::load(self, conn)
    }

    /// Returns the first row, or `NotFound`.
    fn get_result<'conn, 'query, U>(self, conn: &'conn mut C) -> BoxFuture<'conn, QueryResult<U>>
    where
        Self: LoadQuery<'query, C, U> + 'query,
        'query: 'conn,
        U: Send + 'conn,
    {
        Box::pin(Unboxed::get_result(self, conn))
    }

    /// Returns the first row, or `NotFound`. The database is asked for one row only.
    fn first<'conn, 'query, U>(self, conn: &'conn mut C) -> BoxFuture<'conn, QueryResult<U>>
    where
        Self: LimitDsl,
        Limit<Self>: LoadQuery<'query, C, U> + Send + 'query,
        'query: 'conn,
        U: Send + 'conn,
    {
        RunQueryDsl::get_result(self.limit(1), conn)
    }
}

impl<Q, C: AsyncConnectionCore + Send> RunQueryDsl<C> for Q {}
