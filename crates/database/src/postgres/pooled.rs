//! Operations on connections of the pool, each within its time.
use super::Conn;
use crate::deadline::{CONNECTION, OPERATION};
use crate::timing::Moment;
use crate::{Error, Result};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use futures_util::future::{BoxFuture, FutureExt as _};
use std::time::Duration;
use tokio::time::timeout;

/// A connection of the pool that closes when it is dropped, unless its operation came to an end: one on
/// which an answer is still outstanding, or a transaction open, is of no use to the next operation.
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

    /// Runs an operation on it, which `pool` has lent; says also what has become of it.
    pub(super) async fn run<R>(
        mut self,
        pool: &Pool<Conn>,
        limit: Duration,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, R)>,
    ) -> Result<(Fate, R)> {
        let Some(conn) = &mut self.0 else {
            return Err(Error::Connect("the pool gave no connection".to_owned()));
        };
        if let Ok((fate, outcome)) = timeout(limit, operation(conn)).await {
            match fate {
                Fate::Kept => self.give_back(),
                Fate::Closed => {}
                Fate::AllClosed => {
                    let idle = close_idle(pool);
                    tracing::warn!(
                        idle,
                        "PostgreSQL takes no writes on a connection any more; it and the idle ones are replaced"
                    );
                }
            }
            return Ok((fate, outcome));
        }
        // A statement that only takes long is ended by the server before this. Whatever silenced this
        // connection silenced those that are idle, too.
        let idle = close_idle(pool);
        tracing::warn!(
            idle,
            "a connection to PostgreSQL fell silent; it and the idle ones are replaced"
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

/// What is to become of a connection after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It goes back to the pool.
    Kept,
    /// It is closed: the server has ended it.
    Closed,
    /// It is closed, and so are those that are idle: their server takes no writes any more.
    AllClosed,
}

impl Fate {
    /// By how an operation ended.
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
/// [`Error::Connect`] when there was no connection in time: nothing has been done. [`Error::Unknown`] when
/// the operation took too long: its connection is closed, and the result of it is unknown.
pub async fn on<R: Send + 'static>(
    pool: &Pool<Conn>,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
) -> Result<R> {
    on_within(pool, OPERATION, judged(operation)).await?
}

/// An operation that says by its outcome what is to become of its connection.
pub(super) fn judged<R: Send + 'static>(
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
) -> impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, Result<R>)> {
    |conn| {
        let work = operation(conn);
        async move {
            let outcome = work.await;
            (Fate::after(&outcome), outcome)
        }
        .boxed()
    }
}

/// The same with another bound, for an operation that says itself what is to become of its connection.
pub async fn on_within<R>(
    pool: &Pool<Conn>,
    limit: Duration,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, R)>,
) -> Result<R> {
    on_waiting(pool, CONNECTION, limit, operation).await
}

/// The same with another bound for waiting for a connection, too.
pub async fn on_waiting<R>(
    pool: &Pool<Conn>,
    wait: Duration,
    limit: Duration,
    operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, R)>,
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
            Fate::after::<()>(&Err(Error::from(error)))
        };
        let read_only = "cannot execute UPDATE in a read-only transaction";
        assert_eq!(after(Kind::ReadOnlyTransaction, read_only), Fate::AllClosed);
        let ended = "terminating connection due to administrator command";
        assert_eq!(after(Kind::Unknown, ended), Fate::Closed);
        assert_eq!(after(Kind::UnableToSendCommand, "connection closed"), Fate::Closed);
        let late = "canceling statement due to statement timeout";
        assert_eq!(after(Kind::Unknown, late), Fate::Kept);
        assert_eq!(after(Kind::UniqueViolation, "duplicate key"), Fate::Kept);
        assert_eq!(Fate::after(&Ok(())), Fate::Kept);
    }
}
