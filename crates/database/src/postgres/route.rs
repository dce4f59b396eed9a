//! Routes of operations. An operation uses the pool, whose server can answer every query, or direct
//! connections to the node of a distributed database that has the rows.
use super::Conn;
use super::pooled::{ConnectionDisposition, PooledConnection, on_within, with_disposition};
use crate::Result;
use crate::deadline::{CONNECTION, OPERATION};
use diesel_async::pooled_connection::deadpool::Pool;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A pool of direct connections to one node. After the node has refused a connection, the pool is
/// not used again.
#[derive(Clone)]
pub struct Direct {
    pool: Pool<Conn>,
    lost: Arc<AtomicBool>,
}

impl Direct {
    /// Creates the value from a pool of connections to the node.
    #[must_use]
    pub fn by(pool: Pool<Conn>) -> Self {
        Self { pool, lost: Arc::default() }
    }

    /// Whether the node refused a connection, or takes no writes.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns a connection, or `None` if the node refuses it. After a refusal no further
    /// connection is requested.
    async fn lend(&self) -> Result<Option<PooledConnection>> {
        if self.is_lost() {
            return Ok(None);
        }
        match PooledConnection::from(&self.pool, CONNECTION).await {
            Ok(lent) => Ok(Some(lent)),
            // All connections are in use. Another route would not be faster.
            Err(error) if self.pool.status().size >= self.pool.status().max_size => Err(error),
            Err(error) => {
                tracing::warn!(%error, "a node refused a connection; its rows are accessed through the coordinator");
                self.lost.store(true, Ordering::Relaxed);
                Ok(None)
            }
        }
    }
}

/// The connections that an operation uses.
#[derive(Clone)]
pub struct Route {
    direct: Option<Direct>,
    pool: Pool<Conn>,
}

impl Route {
    /// Creates a route directly to a node, if there are connections to it. Otherwise, and once the
    /// node has refused a connection, operations use `pool`.
    #[must_use]
    pub const fn to(direct: Option<Direct>, pool: Pool<Conn>) -> Self {
        Self { direct, pool }
    }

    /// Runs an operation.
    ///
    /// # Errors
    ///
    /// The errors of [`super::pooled::on`].
    pub async fn on<R: Send + 'static>(
        &self,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, Result<R>>,
    ) -> Result<R> {
        self.on_within(OPERATION, with_disposition(operation)).await?
    }

    /// Runs an operation that takes at most `limit` and itself returns whether its connection can
    /// be used again.
    ///
    /// # Errors
    ///
    /// The errors of [`super::pooled::on_within`].
    pub async fn on_within<R>(
        &self,
        limit: Duration,
        operation: impl for<'c> FnOnce(&'c mut Conn) -> BoxFuture<'c, (ConnectionDisposition, R)>,
    ) -> Result<R> {
        if let Some(direct) = &self.direct
            && let Some(lent) = direct.lend().await?
        {
            let (fate, outcome) = lent.run(&direct.pool, limit, operation).await?;
            // The node has become a standby, and another server has taken its place.
            if fate == ConnectionDisposition::AllClosed {
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
        // Given a node that does not listen,
        let manager = AsyncDieselConnectionManager::new("postgres://nobody@127.0.0.1:1/none");
        let direct = Direct::by(Pool::builder(manager).build().unwrap());
        assert!(!direct.is_lost());

        // when a connection is requested, then the result is none instead of an error, because
        // there is another route.
        assert!(direct.lend().await.unwrap().is_none());
        assert!(direct.is_lost());
        assert!(direct.lend().await.unwrap().is_none());
    }
}
