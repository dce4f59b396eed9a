//! Operations on connections of the pool, each within a time limit.
use super::Conn;
use crate::deadline::{CONNECTION, OPERATION};
use crate::timing::Moment;
use crate::{Error, Result};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use futures_util::future::{BoxFuture, FutureExt as _};
use std::time::Duration;
use tokio::time::timeout;

/// A connection of the pool. If it is dropped before its operation has ended, it is closed, because
/// a connection with an outstanding answer or an open transaction must not be used again.
pub(super) struct PooledConnection(Option<Object<Conn>>);

impl PooledConnection {
    pub(super) async fn from(pool: &Pool<Conn>, wait: Duration) -> Result<Self> {
        let asked = Moment::now();
        let late = |_| Error::Connect(format!("no connection within {} ms", wait.as_millis()));
        let object = timeout(wait, pool.get()).await.map_err(late)?;
        let object = object.map_err(|error| Error::Connect(error.to_string()))?;
        asked.waited();
        Ok(Self(Some(object)))
    }

    fn give_back(mut self) {
        drop(self.0.take());
    }

    /// Runs an operation on the connection, which comes from `pool`. Also returns whether the
    /// connection can be used again.
    pub(super) async fn run<R>(
        mut self,
        pool: &Pool<Conn>,
        limit: Duration,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, R)>,
    ) -> Result<(ConnectionDisposition, R)> {
        let Some(conn) = &mut self.0 else {
            return Err(Error::Connect("the pool gave no connection".to_owned()));
        };
        if let Ok((fate, outcome)) = timeout(limit, operation(conn)).await {
            match fate {
                ConnectionDisposition::Kept => self.give_back(),
                ConnectionDisposition::Closed => {}
                ConnectionDisposition::AllClosed => {
                    let idle = close_idle(pool);
                    tracing::warn!(
                        idle,
                        "a connection to PostgreSQL has become read-only; it and the idle ones are replaced"
                    );
                }
            }
            return Ok((fate, outcome));
        }
        // The server ends a slow statement before this limit, so the server is probably lost. The
        // idle connections have then lost it, too, and are also closed.
        let idle = close_idle(pool);
        tracing::warn!(
            idle,
            "a connection to PostgreSQL does not answer; it and the idle ones are replaced"
        );
        Err(Error::Unknown(format!("PostgreSQL did not answer within {} ms", limit.as_millis())))
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            drop(Object::take(object));
        }
    }
}

/// The decision about a connection after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionDisposition {
    /// The connection returns to the pool.
    Kept,
    /// The connection is closed, because the server has ended it.
    Closed,
    /// The connection and all idle ones are closed, because their server takes no writes.
    AllClosed,
}

impl ConnectionDisposition {
    /// Returns whether the connection can be used again after its operation ended with `outcome`.
    pub fn after<R>(outcome: &Result<R>) -> Self {
        match outcome {
            Err(Error::ReadOnly(_)) => Self::AllClosed,
            Err(error) if error.ends_connection() => Self::Closed,
            _ => Self::Kept,
        }
    }
}

/// Runs an operation on a connection of the pool.
///
/// # Errors
///
/// [`Error::Connect`] when no connection was available in time: nothing was done.
/// [`Error::Unknown`] when the operation took too long: its connection is closed, and its result is
/// unknown.
pub async fn on<R: Send + 'static>(
    pool: &Pool<Conn>,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
) -> Result<R> {
    on_within(pool, OPERATION, with_disposition(operation)).await?
}

/// Wraps an operation, so that its outcome decides whether the connection can be used again.
pub(super) fn with_disposition<R: Send + 'static>(
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
) -> impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, Result<R>)> {
    |conn| {
        let work = operation(conn);
        async move {
            let outcome = work.await;
            (ConnectionDisposition::after(&outcome), outcome)
        }
        .boxed()
    }
}

/// Runs an operation that takes at most `limit` and itself returns whether its connection can be
/// used again.
pub async fn on_within<R>(
    pool: &Pool<Conn>,
    limit: Duration,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, R)>,
) -> Result<R> {
    on_waiting(pool, CONNECTION, limit, operation).await
}

/// Runs an operation that waits at most `wait` for a connection, takes at most `limit`, and itself
/// returns whether its connection can be used again.
pub async fn on_waiting<R>(
    pool: &Pool<Conn>,
    wait: Duration,
    limit: Duration,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, R)>,
) -> Result<R> {
    let lent = PooledConnection::from(pool, wait).await?;
    let (_, outcome) = lent.run(pool, limit, operation).await?;
    Ok(outcome)
}

fn close_idle(pool: &Pool<Conn>) -> usize {
    pool.retain(|_, _| false).removed.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::result::DatabaseErrorKind as Kind;
    use diesel::result::Error::DatabaseError;

    #[test]
    fn a_connection_that_the_server_has_ended_is_not_used_again() {
        let after = |kind, message: &str| {
            let error = DatabaseError(kind, Box::new(message.to_owned()));
            ConnectionDisposition::after::<()>(&Err(Error::from(error)))
        };
        let read_only = "cannot execute UPDATE in a read-only transaction";
        assert_eq!(after(Kind::ReadOnlyTransaction, read_only), ConnectionDisposition::AllClosed);
        let ended = "terminating connection due to administrator command";
        assert_eq!(after(Kind::Unknown, ended), ConnectionDisposition::Closed);
        assert_eq!(
            after(Kind::UnableToSendCommand, "connection closed"),
            ConnectionDisposition::Closed
        );
        let late = "canceling statement due to statement timeout";
        assert_eq!(after(Kind::Unknown, late), ConnectionDisposition::Kept);
        assert_eq!(after(Kind::UniqueViolation, "duplicate key"), ConnectionDisposition::Kept);
        assert_eq!(ConnectionDisposition::after(&Ok(())), ConnectionDisposition::Kept);
    }
}
