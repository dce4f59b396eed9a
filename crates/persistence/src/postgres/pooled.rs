//! Operations on connections of the pool, each within its time.
use super::Conn;
use crate::deadline::{CONNECTION, OPERATION};
use crate::{Error, Result};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use futures_util::future::BoxFuture;
use std::time::Duration;
use tokio::time::timeout;

/// A connection of the pool that closes when it is dropped, unless its operation came to an end: one on
/// which an answer is still outstanding, or a transaction open, is of no use to the next operation.
struct PooledConnection(Option<Object<Conn>>);

impl PooledConnection {
    async fn from(pool: &Pool<Conn>) -> Result<Self> {
        let late = |_| Error::Connect(format!("no connection within {} s", CONNECTION.as_secs()));
        let object = timeout(CONNECTION, pool.get()).await.map_err(late)?;
        let object = object.map_err(|error| Error::Connect(error.to_string()))?;
        Ok(Self(Some(object)))
    }

    fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

/// Runs an operation on a connection of the pool.
///
/// # Errors
///
/// [`Error::Connect`] when there was no connection in time: nothing has been done. [`Error::Unknown`] when
/// the operation took too long: its connection is closed, and the result of it is unknown.
pub(super) async fn on<R>(
    pool: &Pool<Conn>,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
) -> Result<R> {
    on_within(pool, OPERATION, operation).await
}

/// The same with another bound.
pub(super) async fn on_within<R>(
    pool: &Pool<Conn>,
    limit: Duration,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
) -> Result<R> {
    let mut lent = PooledConnection::from(pool).await?;
    let Some(conn) = &mut lent.0 else {
        return Err(Error::Connect("the pool gave no connection".to_owned()));
    };
    if let Ok(outcome) = timeout(limit, operation(conn)).await {
        lent.give_back();
        return outcome;
    }
    // A statement that only takes long is ended by the server before this. Whatever silenced this
    // connection silenced those that are idle, too.
    let idle = pool.retain(|_, _| false).removed.len();
    tracing::warn!(
        idle,
        "a connection to PostgreSQL fell silent; it and the idle ones are replaced"
    );
    Err(Error::Unknown(format!("PostgreSQL did not answer within {} s", limit.as_secs())))
}
