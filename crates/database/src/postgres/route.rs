//! Which connections an operation goes by: those of the pool, by which everything can be asked, or some that lead straight to
//! the node of a distributed database that has the rows.
use super::Conn;
use super::pooled::{Fate, PooledConnection, judged, on_within};
use crate::Result;
use crate::deadline::{CONNECTION, OPERATION};
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Connections to one node, as long as it takes any.
#[derive(Clone)]
pub struct Direct {
    pool: Pool<Conn>,
    lost: Arc<AtomicBool>,
}

impl Direct {
    /// By these connections.
    #[must_use]
    pub fn by(pool: Pool<Conn>) -> Self {
        Self { pool, lost: Arc::default() }
    }

    /// Whether the node took no connection, or no writes.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// A connection; nothing where the node takes none, and none is asked for from then on.
    async fn lend(&self) -> Result<Option<PooledConnection>> {
        if self.is_lost() {
            return Ok(None);
        }
        match PooledConnection::from(&self.pool, CONNECTION).await {
            Ok(lent) => Ok(Some(lent)),
            // All are in use: another way would not be shorter.
            Err(error) if self.pool.status().size >= self.pool.status().max_size => Err(error),
            Err(error) => {
                tracing::warn!(%error, "a node takes no connection; what it has is asked of the coordinator");
                self.lost.store(true, Ordering::Relaxed);
                Ok(None)
            }
        }
    }
}

/// The connections of an operation.
#[derive(Clone)]
pub struct Route {
    direct: Option<Direct>,
    pool: Pool<Conn>,
}

impl Route {
    /// Straight to a node, if there are connections to it; otherwise, and as soon as it takes none, by `pool`.
    #[must_use]
    pub const fn to(direct: Option<Direct>, pool: Pool<Conn>) -> Self {
        Self { direct, pool }
    }

    /// Runs an operation.
    ///
    /// # Errors
    ///
    /// The same as of [`super::pooled::on`].
    pub async fn on<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
    ) -> Result<R> {
        self.on_within(OPERATION, judged(operation)).await?
    }

    /// The same with another bound, for an operation that says itself what is to become of its connection.
    ///
    /// # Errors
    ///
    /// The same as of [`super::pooled::on_within`].
    pub async fn on_within<R>(
        &self,
        limit: Duration,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (Fate, R)>,
    ) -> Result<R> {
        if let Some(direct) = &self.direct
            && let Some(lent) = direct.lend().await?
        {
            let (fate, outcome) = lent.run(&direct.pool, limit, operation).await?;
            // It is a standby by now, and another has taken its place.
            if fate == Fate::AllClosed {
                direct.lost.store(true, Ordering::Relaxed);
            }
            return Ok(outcome);
        }
        on_within(&self.pool, limit, operation).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel_async::pooled_connection::AsyncDieselConnectionManager;

    #[tokio::test]
    async fn a_node_that_takes_no_connection_is_not_asked_for_one_again() {
        // Given a node where nobody listens,
        let manager = AsyncDieselConnectionManager::new("postgres://nobody@127.0.0.1:1/none");
        let direct = Direct::by(Pool::builder(manager).build().unwrap());
        assert!(!direct.is_lost());

        // when a connection is wanted, then there is none, and no error: there is another way.
        assert!(direct.lend().await.unwrap().is_none());
        assert!(direct.is_lost());
        assert!(direct.lend().await.unwrap().is_none());
    }
}
